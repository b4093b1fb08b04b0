//! Statements on vectors.

use farrier_lang::{BinaryOp, ExprId, IntKind, Qualifiers, Stmt, StmtId};

use super::values::MOST_GLOBALS;
use super::{Home, Path, VectorType};
use crate::features::Feature;
use crate::generate::draft::{Draft, Mode};
use crate::generate::places::Purpose;
use crate::generate::production::{Production, Rate, anywhere, draw, form};
use crate::generate::values::{Site, Want};

/// The least operations that must be left for statements on vectors, and for a loop of them.
const OPERATIONS: u64 = 500;
const LOOP_OPERATIONS: u64 = 2_000;

/// The operations of a round of a loop over lanes, and of the control of any.
const LANE_OPERATIONS: u64 = 40;
const ROUND_COST: u64 = 14;

/// How many statements are drawn at once, and how many a loop or a branch has.
const TOGETHER: (i64, i64) = (2, 5);
const INSIDE: (i64, i64) = (1, 2);

/// How deep values nest.
const DEPTHS: (i64, i64) = (1, 3);

/// How many globals of vectors there are before the first statement, and how many statements
/// add one, in percent.
const FEWEST_GLOBALS: usize = 3;
const MORE_GLOBALS: u32 = 15;

/// In percent: declarations of pointers, and accesses to numbers that write.
const POINTERS: u32 = 20;
const WRITES: u32 = 50;

/// The statements. They nest as deep as the site says.
#[rustfmt::skip]
static STATEMENTS: &[Production<u32, Vec<StmtId>>] = &[
    form(Rate::Always(25), anywhere, |draft, _| draft.vector_declaration()),
    form(Rate::Always(35), anywhere, |draft, _| draft.vector_assignment()),
    form(Rate::Of(Feature::CompoundAssign), anywhere, |draft, _| draft.vector_compound()),
    form(Rate::Of(Feature::VectorElement), anywhere, |draft, _| draft.vector_lane_write()),
    form(Rate::Of(Feature::VectorElement), writes, |draft, _| draft.vector_lane_read()),
    form(Rate::Part(Feature::VectorElement, 60), loops, |draft, _| draft.vector_lane_loop()),
    form(Rate::Of(Feature::ArrayLoop), loops_over_arrays, |draft, nesting| draft.vector_loop(nesting - 1)),
    form(Rate::Part(Feature::If, 40), branches, |draft, nesting| draft.vector_branch(nesting - 1)),
    form(Rate::Part(Feature::Union, 150), writes, |draft, _| draft.vector_view()),
];

/// Whether a statement on vectors can stand here.
pub(in crate::generate) fn has_vectors(draft: &Draft<'_>, _: u32) -> bool {
    let features = [Feature::Arithmetic, Feature::Bitwise, Feature::Cast];
    features.into_iter().all(|feature| draft.has(feature))
        && draft.writes_statics
        && draft.spare() > OPERATIONS
        && draft.has_room()
}

/// Whether numbers outside of the function may be written.
fn writes(draft: &Draft<'_>, _: u32) -> bool {
    !draft.scope.pure
}

fn loops(draft: &Draft<'_>, nesting: u32) -> bool {
    nesting > 0
        && draft.can_count()
        && draft.has(Feature::For)
        && draft.has(Feature::ArrayLoop)
        && draft.spare() > LOOP_OPERATIONS
}

fn loops_over_arrays(draft: &Draft<'_>, nesting: u32) -> bool {
    loops(draft, nesting) && !draft.scope.pure
}

fn branches(draft: &Draft<'_>, nesting: u32) -> bool {
    nesting > 0 && draft.has(Feature::Comparison) && draft.has(Feature::VectorElement)
}

impl Draft<'_> {
    /// A few statements on vectors.
    pub(in crate::generate) fn vector_statements(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let count = self.stock.vectors.len();
        let more = count < MOST_GLOBALS && self.choices.chance(MORE_GLOBALS);
        for _ in count..FEWEST_GLOBALS.max(count + usize::from(more)) {
            let of = self.vector_type();
            self.vector_global(of);
        }
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(TOGETHER.0, TOGETHER.1) {
            statements.extend(self.vector_statement(nesting));
            if !has_vectors(self, nesting) {
                break;
            }
        }
        Some(statements)
    }

    pub(super) fn vector_statement(&mut self, nesting: u32) -> Vec<StmtId> {
        self.begin_expression();
        draw(self, STATEMENTS, nesting).unwrap_or_default()
    }

    fn vector_depth(&mut self) -> u32 {
        self.choices.range(DEPTHS.0, DEPTHS.1) as u32
    }

    /// An object that may be written here.
    fn vector_target(&mut self) -> Option<Home> {
        let pure = self.scope.pure;
        self.vector_home(|home| home.writable && !(pure && home.global))
    }

    /// A local vector, or a pointer to a vector.
    fn vector_declaration(&mut self) -> Option<Vec<StmtId>> {
        let pure = self.scope.pure;
        if self.has(Feature::Pointer) && self.choices.chance(POINTERS) {
            let suits = |home: &Home| {
                home.readable()
                    && home.writable
                    && home.path != Path::Target
                    && !(pure && home.global)
            };
            let target = self.vector_home(suits)?;
            let ty = self.program.types.pointer_to(target.of.ty);
            let place = self.vector_place(target);
            let init = self.address(place);
            let home = self.vector_local(ty, target.of, target.range, Path::Target);
            // It writes what it points to.
            let home = Home { writable: true, global: target.global, ..home };
            return Some(vec![self.vector_declared(home, init)]);
        }
        let of = self.vector_type();
        let range = self.home_range(of);
        let depth = self.vector_depth();
        let init = self.vector_within(of, range, depth);
        let ty = match self.wants(Feature::Const) {
            true => self.program.types.qualified(of.ty, Qualifiers::CONST),
            false => of.ty,
        };
        let home = self.vector_local(ty, of, range, Path::Whole);
        Some(vec![self.vector_declared(home, init)])
    }

    fn vector_declared(&mut self, home: Home, init: ExprId) -> StmtId {
        self.charge_expr(init);
        self.program[home.object].init = Some(init);
        self.scope.vectors.push(home);
        self.stmt(Stmt::Declare(home.object))
    }

    /// `a = ...`, or a volatile vector alone on the right side.
    fn vector_assignment(&mut self) -> Option<Vec<StmtId>> {
        let home = self.vector_target()?;
        let source = self.vector_home(|other| {
            other.volatile && other.of == home.of && home.range.contains(other.range)
        });
        let value = match source.filter(|_| !home.volatile && self.choices.chance(WRITES)) {
            Some(source) => {
                let place = self.vector_place(source);
                self.builder().value(place)
            }
            None => {
                let depth = self.vector_depth();
                self.vector_within(home.of, home.range, depth)
            }
        };
        let place = self.vector_place(home);
        let assign = self.vector_assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// An assignment of a whole vector. From one union to another it overlaps exactly.
    fn vector_assign(&mut self, place: ExprId, value: ExprId) -> ExprId {
        self.builder().assign(place, value).expect("both are of one type")
    }

    /// `a op= ...`, where every result is in the range of the object.
    fn vector_compound(&mut self) -> Option<Vec<StmtId>> {
        let pure = self.scope.pure;
        let home = self.vector_home(|home| {
            home.writable && home.readable() && !home.of.is_floating() && !(pure && home.global)
        })?;
        let whole = home.range == home.of.whole();
        let unsigned = whole && home.range.low == 0;
        let mut ops = vec![BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];
        if unsigned {
            ops.extend([BinaryOp::Add, BinaryOp::Sub, BinaryOp::Add]);
            if self.has(Feature::Multiplication) {
                ops.push(BinaryOp::Mul);
            }
        }
        let op = self.choices.pick(&ops);
        let depth = self.vector_depth();
        let value = self.vector_within(home.of, home.range, depth);
        let place = self.vector_place(home);
        let expr = self.compound_assign(op, place, value);
        Some(vec![self.expr_stmt(expr)])
    }

    /// A number for a lane of an object.
    fn lane_value(&mut self, home: Home) -> ExprId {
        let of = home.of;
        if of.is_floating() {
            let number = self.lane_number(of, home.range);
            return self.lane_constant(of, home.range, number);
        }
        let value = self.value(Want::Integer, Site::new(Mode::Reading, 2));
        if home.range == of.whole() {
            return self.adapt(value, of.element);
        }
        let mask = home.range.high.min(i128::from(i16::MAX)) as u64;
        let mask = self.builder().int(IntKind::Int, mask);
        let masked = self.binary(BinaryOp::BitAnd, value, mask);
        self.adapt(masked, of.element)
    }

    /// `a[i] = ...`
    fn vector_lane_write(&mut self) -> Option<Vec<StmtId>> {
        let home = self.vector_target().filter(|home| !home.volatile)?;
        let value = self.lane_value(home);
        let place = self.vector_lane(home);
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// The value of a lane as an integer.
    fn lane_read(&mut self, lane: ExprId, of: VectorType) -> ExprId {
        let value = self.builder().value(lane);
        match of.is_floating() {
            // It is small.
            true => self.cast_lane(value),
            false => value,
        }
    }

    fn cast_lane(&mut self, value: ExprId) -> ExprId {
        let ty = self.int_type();
        self.cast(value, ty)
    }

    /// A number gets the value of a lane.
    fn vector_lane_read(&mut self) -> Option<Vec<StmtId>> {
        let home = self.vector_home(Home::readable)?;
        let place = self.place(Want::Integer, Purpose::Write, Mode::Reading)?;
        let lane = self.vector_lane(home);
        let value = self.lane_read(lane, home.of);
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// A loop over lanes: each is computed, or all are folded into a number.
    fn vector_lane_loop(&mut self) -> Option<Vec<StmtId>> {
        let home = self.vector_target().filter(|home| home.readable())?;
        let lanes = u64::from(home.of.count);
        if lanes < 2 || self.spare() < lanes * LANE_OPERATIONS {
            return None;
        }
        let kind = self.counter_kind(i128::from(lanes) + 1)?;
        let mark = self.scope.enter();
        let counter = self.counter(kind, Some(lanes));
        let fold = !self.scope.pure && !home.of.is_floating() && self.choices.chance(WRITES);
        let body = self.repeated(lanes, |draft| {
            draft.charge(ROUND_COST);
            draft.begin_expression();
            let base = draft.vector_place(home);
            let index = draft.load(counter);
            let lane = draft.element(base, index);
            let expr = if fold && draft.has(Feature::Reduction) {
                let place = draft.place(Want::Integer, Purpose::Write, Mode::Quiet)?;
                let value = draft.lane_read(lane, home.of);
                let op = draft.choices.pick(&[BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::BitXor]);
                draft.compound_assign(op, place, value)
            } else {
                let value = draft.lane_value(home);
                draft.assign(lane, value)
            };
            Some(draft.expr_stmt(expr))
        });
        let made = body.map(|body| {
            let zero = self.builder().int(IntKind::Int, 0);
            let init = self.declared(counter, zero);
            let bound = self.hidden(lanes.into());
            vec![self.counted(counter, init, bound, body)]
        });
        self.scope.leave(mark);
        made
    }

    /// A loop over an array of vectors. Subscripts are mostly its counter.
    fn vector_loop(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let home = self.vector_home(|home| matches!(home.path, Path::Element(_)))?;
        let Path::Element(length) = home.path else { return None };
        if self.spare() < length * OPERATIONS {
            return None;
        }
        let kind = self.counter_kind(i128::from(length) + 1)?;
        let mark = self.scope.enter();
        let counter = self.counter(kind, Some(length));
        let body = self.repeated(length, |draft| {
            draft.charge(ROUND_COST);
            draft.begin_expression();
            let depth = draft.vector_depth();
            let value = draft.vector_within(home.of, home.range, depth);
            let (base, index) = (draft.object_expr(home.object), draft.load(counter));
            let place = draft.element(base, index);
            let assign = draft.vector_assign(place, value);
            let mut statements = vec![draft.expr_stmt(assign)];
            for _ in INSIDE.0..draft.choices.range(INSIDE.0, INSIDE.1) {
                statements.extend(draft.vector_statement(nesting));
            }
            draft.block_of(statements)
        });
        let zero = self.builder().int(IntKind::Int, 0);
        let init = self.declared(counter, zero);
        let bound = self.hidden(length.into());
        let made = self.counted(counter, init, bound, body);
        self.scope.leave(mark);
        Some(vec![made])
    }

    /// `if (a[i] > k) ...`
    fn vector_branch(&mut self, nesting: u32) -> Option<Vec<StmtId>> {
        let home = self.vector_home(Home::readable)?;
        let lane = self.vector_lane(home);
        let value = self.builder().value(lane);
        let number = self.lane_number(home.of, home.range);
        let other = match home.of.is_floating() {
            true => self.lane_constant(home.of, home.range, number),
            false => self.literal(number),
        };
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::NotEqual]);
        let condition = self.binary(op, value, other);
        self.charge_expr(condition);
        let mark = self.scope.enter();
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(INSIDE.0, INSIDE.1) {
            statements.extend(self.vector_statement(nesting));
        }
        self.scope.leave(mark);
        let then = self.block_of(statements);
        Some(vec![self.if_of(condition, then)])
    }

    /// A number that shares its bytes with a vector is read or written.
    fn vector_view(&mut self) -> Option<Vec<StmtId>> {
        let home = self.vector_home(|home| home.view.is_some())?;
        let (member, element, length) = home.view?;
        let index = self.index_below(length, Mode::Reading);
        let base = self.object_expr(home.object);
        let array = self.builder().member(base, member);
        let number = self.element(array, index);
        let assign = if self.choices.chance(WRITES) {
            let value = self.value(Want::Exactly(element), Site::new(Mode::Reading, 2));
            self.assign(number, value)
        } else {
            let place = self.place(Want::Integer, Purpose::Write, Mode::Reading)?;
            let value = self.builder().value(number);
            self.assign(place, value)
        };
        Some(vec![self.expr_stmt(assign)])
    }
}
