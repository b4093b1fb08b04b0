//! Loop nests that loop passes like: heads first, statements after. Arrays are made to fit, so
//! that every subscript is in bounds by construction and needs no guard, and values are small
//! by type, so that guards of signed operators never fire and are dropped.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, IntKind, Linkage, LogicalOp, ObjectId, StepOp, Stmt, StmtId,
    Storage, TypeId, Types, UnaryOp,
};

use super::draft::{Draft, Mode, Name};
use super::places::Purpose;
use super::production::{Production, Rate, anywhere, draw, form};
use super::values::Want;
use crate::features::Feature;

/// The weights of nests of one, two and three loops.
const DEPTHS: [u32; 3] = [45, 40, 15];

/// How many rounds loops have: the innermost more than GCC peels away, the others few.
const INNER_ROUNDS: (i64, i64) = (17, 40);
const OUTER_ROUNDS: (i64, i64) = (2, 8);

/// The least operations that must be left for a nest and for a function of nests, those of
/// one round, and those of the control of one.
const NEST_OPERATIONS: u64 = 1_500;
const FUNCTION_OPERATIONS: u64 = 6_000;
const ROUND_OPERATIONS: u64 = 70;
const HEAD_COST: u64 = 12;

/// How much longer than the longest loop an array is, so that stencils fit.
const SPAN: u64 = 9;

/// How far a stencil reaches.
const REACH: i128 = 4;

/// The lengths of arrays in their last and their other dimensions.
const LAST_LENGTHS: (i64, i64) = (30, 48);
const FIRST_LENGTHS: (i64, i64) = (6, 12);

/// How many arrays a program has for nests, and how many functions add another, in percent.
const NEW_ARRAYS: u32 = 30;
const MOST_ARRAYS: usize = 8;
const FEWEST_ARRAYS: usize = 3;

/// In percent: loops that step by one, loops that go upwards, nests whose statements are
/// all innermost, neighbours with the heads of the nest before them.
const SINGLE_STEPS: u32 = 75;
const UPWARDS: u32 = 75;
const PERFECT: u32 = 70;
const SAME_SPACE: u32 = 30;

/// How many bounds are locals, in percent.
const LOCAL_BOUNDS: u32 = 40;

/// The most statements of the body of a nest, and how deep values nest.
const STATEMENTS: i64 = 3;
const DEEPEST: u32 = 3;

/// How many accumulators a nest has at most.
const ACCUMULATORS: i64 = 2;

/// In percent: comparisons that are two, selections that are the lesser or the greater of two,
/// extremes that keep the value and not the counter, choices with an `else`, and copies that
/// are not of a constant.
const DOUBLE_COMPARISONS: u32 = 25;
const EXTREMES: u32 = 40;
const KEPT_VALUES: u32 = 70;
const ELSES: u32 = 30;
const COPIES: u32 = 70;

/// In percent: subscripts that are the counter alone, those of the same dimension's loop.
const PLAIN_SUBSCRIPTS: u32 = 55;
const STRAIGHT: u32 = 75;

/// Of groups, in percent: those out of order, those with one operator that differs, and those
/// that begin at the counter.
const SHUFFLED: u32 = 30;
const ODD_ONES: u32 = 30;
const MOVING: u32 = 60;

/// How many neighbours the statements of a group go over.
const GROUPS: [i128; 4] = [2, 4, 4, 8];

/// One loop of a nest: its counter goes over these numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    counter: ObjectId,
    low: i128,
    high: i128,
    step: i128,
    upwards: bool,
    rounds: u64,
}

/// An array that nests go over.
#[derive(Clone, Debug)]
pub(super) struct NestArray {
    object: ObjectId,
    element: TypeId,
    lengths: Vec<u64>,
}

/// What the statements of a nest can name.
#[derive(Clone, Debug, Default)]
pub(super) struct Nest {
    heads: Vec<Head>,
    accumulators: Vec<ObjectId>,
    /// Numbers that no loop changes.
    invariants: Vec<ObjectId>,
}

/// The statements of nests.
#[rustfmt::skip]
static STATEMENTS_OF_NESTS: &[Production<(), Vec<StmtId>>] = &[
    form(Rate::Always(40), anywhere, |draft, ()| draft.nest_assignment()),
    form(Rate::Always(20), sums, |draft, ()| draft.nest_reduction()),
    form(Rate::Part(Feature::If, 70), reduces_by_choice, |draft, ()| draft.nest_extreme()),
    form(Rate::Part(Feature::If, 80), compares, |draft, ()| draft.nest_choice()),
    form(Rate::Part(Feature::Break, 40), leaves, |draft, ()| draft.nest_exit()),
    form(Rate::Part(Feature::Continue, 40), leaves, |draft, ()| draft.nest_skip()),
    form(Rate::Always(10), anywhere, |draft, ()| draft.nest_copy()),
    form(Rate::Always(10), anywhere, |draft, ()| draft.nest_group()),
    form(Rate::Always(8), reduces, |draft, ()| draft.nest_carried()),
];

/// The values of nests, which nest as deep as the site says.
#[rustfmt::skip]
static VALUES_OF_NESTS: &[Production<u32, ExprId>] = &[
    form(Rate::Always(36), anywhere, |draft, _| draft.nest_element()),
    form(Rate::Always(10), anywhere, |draft, _| draft.nest_counter()),
    form(Rate::Always(10), anywhere, |draft, _| draft.nest_invariant()),
    form(Rate::Always(8), anywhere, |draft, _| Some(draft.nest_constant())),
    form(Rate::Of(Feature::Arithmetic), nests, |draft, depth| draft.nest_operation(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub], depth)),
    form(Rate::Of(Feature::Multiplication), nests, |draft, depth| draft.nest_operation(&[BinaryOp::Mul], depth)),
    form(Rate::Part(Feature::Bitwise, 50), nests, |draft, depth| draft.nest_operation(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor], depth)),
    form(Rate::Part(Feature::Division, 50), nests, |draft, depth| draft.nest_by_constant(&[BinaryOp::Div, BinaryOp::Rem], depth)),
    form(Rate::Part(Feature::Shift, 50), nests, |draft, depth| draft.nest_by_constant(&[BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Shr], depth)),
    form(Rate::Part(Feature::Comparison, 30), nests, |draft, depth| draft.nest_comparison(depth)),
    form(Rate::Of(Feature::Ternary), nests_and_compares, |draft, depth| draft.nest_selection(depth)),
    form(Rate::Of(Feature::Cast), nests, |draft, depth| {
        let value = draft.nest_value(depth - 1)?;
        let ty = draft.int_type();
        Some(draft.cast(value, ty))
    }),
    form(Rate::Part(Feature::Unary, 50), nests, |draft, depth| {
        let value = draft.nest_value(depth - 1)?;
        let op = draft.choices.pick(&[UnaryOp::Minus, UnaryOp::BitNot, UnaryOp::Not]);
        let value = draft.unary(op, value);
        Some(draft.guarded(value))
    }),
];

fn nests(_: &Draft<'_>, depth: u32) -> bool {
    depth > 0
}

fn nests_and_compares(draft: &Draft<'_>, depth: u32) -> bool {
    depth > 0 && draft.has(Feature::Comparison)
}

fn compares(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Comparison)
}

fn reduces(draft: &Draft<'_>, (): ()) -> bool {
    !draft.scope.nest.accumulators.is_empty() && draft.has(Feature::Arithmetic)
}

fn sums(draft: &Draft<'_>, (): ()) -> bool {
    reduces(draft, ()) && draft.has(Feature::Reduction)
}

fn reduces_by_choice(draft: &Draft<'_>, (): ()) -> bool {
    !draft.scope.nest.accumulators.is_empty() && draft.has(Feature::Comparison)
}

fn leaves(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::If) && draft.has(Feature::Comparison)
}

impl Draft<'_> {
    /// Whether the loops and subscripts of nests can be written.
    pub(super) fn can_nest(&self) -> bool {
        let features = [Feature::For, Feature::Array, Feature::ArrayLoop, Feature::Arithmetic];
        self.can_count()
            && self.writes_statics
            && features.into_iter().all(|feature| self.has(feature))
            && self.spare() > FUNCTION_OPERATIONS
    }

    /// The body of a function that consists of nests.
    pub(super) fn nest_body(&mut self) -> StmtId {
        let first = self.program.exprs.len();
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(1, 3) {
            let value = self.choices.range(-3, 12);
            let value = self.hidden(value.into());
            let kind =
                self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Short, IntKind::Long]);
            let kind = self.narrow_kind(kind);
            let object = self.counter(kind, None);
            statements.push(self.declared(object, value));
            self.scope.nest.invariants.push(object);
        }
        self.nest_fill(&mut statements);
        let mut heads: Option<Vec<Head>> = None;
        while self.has_room() && self.spare() > NEST_OPERATIONS {
            heads = self.nest(heads.take(), &mut statements);
            if heads.is_none() {
                break;
            }
        }
        // A wrapper in the middle would keep the loop passes away.
        self.size.bare.push(first..self.program.exprs.len());
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// A counter, which only the statements of its loop name.
    fn nest_local(&mut self, kind: IntKind) -> ObjectId {
        self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic)
    }

    /// The kind of integers, or another one of at most 64 bits if programs lack it.
    fn narrow_kind(&mut self, kind: IntKind) -> IntKind {
        if self.has_kind(kind) { kind } else { self.counter_kind(100).unwrap_or(IntKind::Int) }
    }

    fn nest_array(&mut self) -> NestArray {
        let index = self.choices.index(self.stock.nest_arrays.len());
        self.stock.nest_arrays[index].clone()
    }

    fn new_nest_array(&mut self) -> NestArray {
        let kinds = [
            IntKind::SChar,
            IntKind::UChar,
            IntKind::Short,
            IntKind::UShort,
            IntKind::Short,
            IntKind::Int,
            IntKind::Int,
            IntKind::UInt,
            IntKind::Long,
            IntKind::Bool,
        ];
        let kind = self.choices.pick(&kinds);
        let kind = self.narrow_kind(kind);
        let element = Types::int(kind);
        let (low, high) = LAST_LENGTHS;
        let mut lengths = vec![self.choices.range(low, high) as u64];
        if self.wants(Feature::MultiArray) {
            let (low, high) = FIRST_LENGTHS;
            lengths.insert(0, self.choices.range(low, high) as u64);
        }
        let mut ty = element;
        for length in lengths.iter().rev() {
            ty = self.program.types.array_of(ty, ArrayLength::Fixed(*length));
        }
        let object = self.bare_global(ty);
        let array = NestArray { object, element, lengths };
        self.stock.nest_arrays.push(array.clone());
        array
    }

    /// Loops that give the elements of new arrays values.
    fn nest_fill(&mut self, out: &mut Vec<StmtId>) {
        let count = self.stock.nest_arrays.len();
        let more = count < MOST_ARRAYS && self.choices.chance(NEW_ARRAYS);
        for _ in count..FEWEST_ARRAYS.max(count + usize::from(more)) {
            let array = self.new_nest_array();
            let rounds: u64 = array.lengths.iter().product();
            let mark = self.scope.enter();
            let kind = self.narrow_kind(IntKind::Int);
            let counters: Vec<(ObjectId, u64)> =
                array.lengths.iter().map(|length| (self.nest_local(kind), *length)).collect();
            let body = self.repeated(rounds, |draft| {
                draft.charge(HEAD_COST);
                let mut place = draft.object_expr(array.object);
                let mut value = None;
                for (counter, _) in &counters {
                    let index = draft.load(*counter);
                    place = draft.element(place, index);
                    let factor = draft.choices.range(1, 19) as u64;
                    let (counter, factor) =
                        (draft.load(*counter), draft.builder().int(IntKind::Int, factor));
                    let term = match draft.has(Feature::Multiplication) {
                        true => draft.operate(BinaryOp::Mul, counter, factor),
                        false => draft.operate(BinaryOp::Add, counter, factor),
                    };
                    value = Some(match value {
                        Some(value) => draft.operate(BinaryOp::Sub, value, term),
                        None => term,
                    });
                }
                let value = value.expect("an array has a dimension");
                let assign = draft.assign(place, value);
                draft.expr_stmt(assign)
            });
            let mut body = body;
            for (counter, length) in counters.into_iter().rev() {
                let zero = self.builder().int(IntKind::Int, 0);
                let init = self.declared(counter, zero);
                let bound = self.hidden(length.into());
                body = self.counted(counter, init, bound, body);
            }
            self.scope.leave(mark);
            out.push(body);
        }
    }

    /// A nest, perhaps over the space of the one before it, and what is needed before and
    /// after it; its heads.
    fn nest(&mut self, before: Option<Vec<Head>>, out: &mut Vec<StmtId>) -> Option<Vec<Head>> {
        let affordable = self.spare() / ROUND_OPERATIONS;
        let mark = self.scope.enter();
        let mut spaces: Vec<(i128, u64, i128)> = match before {
            Some(heads) if self.choices.chance(SAME_SPACE) => {
                heads.iter().map(|head| (head.low, head.rounds, head.step)).collect()
            }
            _ => self.nest_space(),
        };
        while spaces.iter().map(|space| space.1).product::<u64>() > affordable && spaces.len() > 1 {
            spaces.remove(0);
        }
        if spaces.iter().map(|space| space.1).product::<u64>() > affordable {
            self.scope.leave(mark);
            return None;
        }
        let mut statements = Vec::new();
        let mut heads = Vec::new();
        for (low, rounds, step) in spaces {
            let high = low + step * (i128::from(rounds) - 1);
            let kind = self.counter_kind(high + 2 * step)?;
            let upwards = self.choices.chance(UPWARDS) || low < step;
            let counter = self.nest_local(kind);
            heads.push(Head { counter, low, high, step, upwards, rounds });
        }
        self.scope.nest.accumulators.clear();
        for _ in 0..self.choices.range(0, ACCUMULATORS) {
            let kind = self.int_kind();
            let zero = self.choices.range(0, 3) as u64;
            let zero = self.builder().int(IntKind::Int, zero);
            let accumulator = self.counter(kind, None);
            statements.push(self.declared(accumulator, zero));
            self.scope.nest.accumulators.push(accumulator);
        }
        let nest = self.nest_loops(&heads, 0, &mut statements);
        statements.push(nest);
        for accumulator in self.scope.nest.accumulators.clone() {
            self.begin_expression();
            if let Some(place) = self.place(Want::Integer, Purpose::Write, Mode::Quiet) {
                let value = self.load(accumulator);
                let assign = self.assign(place, value);
                statements.push(self.expr_stmt(assign));
            }
        }
        self.scope.leave(mark);
        out.push(self.block_of(statements));
        Some(heads)
    }

    /// Where the loops of a nest begin, how many rounds they have, and how far they step.
    fn nest_space(&mut self) -> Vec<(i128, u64, i128)> {
        let depth = 1 + self.choices.weighted(&DEPTHS).unwrap_or(0);
        let space = |draft: &mut Self, (fewest, most): (i64, i64)| {
            let rounds = draft.choices.range(fewest, most) as u64;
            let single = draft.choices.chance(SINGLE_STEPS) || !draft.has(Feature::CompoundAssign);
            let step = if single { 1 } else { i128::from(draft.choices.range(2, 4)) };
            let low = i128::from(draft.choices.range(0, REACH as i64));
            // Arrays have room for so many.
            let room = (LAST_LENGTHS.0 as u64 - SPAN) / step as u64;
            (low, rounds.min(room.max(2)).max(2), step)
        };
        let mut spaces: Vec<_> = (1..depth).map(|_| space(self, OUTER_ROUNDS)).collect();
        spaces.push(space(self, INNER_ROUNDS));
        spaces
    }

    /// The loops from one on, with what stands in them. Bounds may need declarations before
    /// the nest.
    fn nest_loops(&mut self, heads: &[Head], first: usize, before: &mut Vec<StmtId>) -> StmtId {
        let head = heads[first];
        self.scope.nest.heads.push(head);
        let init = self.hidden(if head.upwards { head.low } else { head.high });
        let init = self.declared(head.counter, init);
        let condition = self.nest_condition(head, before);
        let step = self.nest_step(head);
        self.charge(HEAD_COST * (head.rounds + 1));
        let body = self.repeated(head.rounds, |draft| {
            let mut statements = Vec::new();
            let innermost = first + 1 == heads.len();
            if innermost || !draft.choices.chance(PERFECT) {
                draft.nest_statements(&mut statements);
            }
            if !innermost {
                statements.push(draft.nest_loops(heads, first + 1, before));
                if !draft.choices.chance(PERFECT) {
                    draft.nest_statements(&mut statements);
                }
            }
            draft.block_of(statements)
        });
        self.scope.nest.heads.pop();
        let (condition, step) = (Some(condition), Some(step));
        self.stmt(Stmt::For { init: [init].into(), condition, step, body })
    }

    fn nest_condition(&mut self, head: Head, before: &mut Vec<StmtId>) -> ExprId {
        let last = if head.upwards { head.high } else { head.low };
        let (op, bound) = match (self.choices.below(3), head.upwards) {
            (0, true) => (BinaryOp::LessEqual, last),
            (1, true) => (BinaryOp::NotEqual, last + head.step),
            (_, true) => (BinaryOp::Less, last + head.step),
            (0, false) => (BinaryOp::GreaterEqual, last),
            (1, false) => (BinaryOp::NotEqual, last - head.step),
            (_, false) => (BinaryOp::Greater, last - head.step),
        };
        let bound = self.hidden(bound);
        let bound = match self.has(Feature::VariableBound) && self.choices.chance(LOCAL_BOUNDS) {
            true => {
                let kind = self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Long]);
                let local = {
                    let kind = self.narrow_kind(kind);
                    self.counter(kind, None)
                };
                before.push(self.declared(local, bound));
                self.load(local)
            }
            false => bound,
        };
        let counter = self.load(head.counter);
        self.binary(op, counter, bound)
    }

    fn nest_step(&mut self, head: Head) -> ExprId {
        let place = self.object_expr(head.counter);
        if head.step == 1 && self.has(Feature::Increment) {
            let op = if head.upwards { StepOp::PreIncrement } else { StepOp::PostDecrement };
            return self.step(op, place);
        }
        let op = if head.upwards { BinaryOp::Add } else { BinaryOp::Sub };
        let amount = self.hidden(head.step);
        self.compound_assign(op, place, amount)
    }

    fn nest_statements(&mut self, out: &mut Vec<StmtId>) {
        for _ in 0..self.choices.range(1, STATEMENTS) {
            self.begin_expression();
            let made = draw(self, STATEMENTS_OF_NESTS, ()).or_else(|| self.nest_assignment());
            out.extend(made.unwrap_or_default());
        }
    }

    /// A subscript for a dimension of `length` elements: affine in one of the counters.
    fn nest_subscript(&mut self, length: u64, dimension: usize) -> Option<ExprId> {
        let heads = &self.scope.nest.heads;
        let straight = self.choices.chance(STRAIGHT) && dimension < heads.len();
        let index =
            if straight { heads.len() - 1 - dimension } else { self.choices.index(heads.len()) };
        let head = self.scope.nest.heads[index];
        let last = i128::from(length) - 1;
        let (low, high) = ((-head.low).max(-REACH), (last - head.high).min(REACH));
        let counter = self.load(head.counter);
        let kind = self.choices.below(10);
        if kind == 0 && head.high <= last + head.low {
            // Backwards.
            let sum = (head.high).max(last - self.choices.below(3) as i128).min(last + head.low);
            let sum = self.hidden(sum);
            return Some(self.binary(BinaryOp::Sub, sum, counter));
        }
        if kind == 1 && 2 * head.high < last && self.has(Feature::Multiplication) {
            let two = self.builder().int(IntKind::Int, 2);
            let scaled = self.binary(BinaryOp::Mul, counter, two);
            let one = self.small_constant(2);
            return Some(self.binary(BinaryOp::Add, scaled, one));
        }
        if kind == 2 && self.has(Feature::Bitwise) && self.scope.nest.heads.len() < 4 {
            // What another array says.
            let mask = (1u64 << (63 - length.leading_zeros())) - 1;
            let value = self.nest_value(0)?;
            let mask = self.builder().int(IntKind::Int, mask);
            return Some(self.binary(BinaryOp::BitAnd, value, mask));
        }
        if low > high {
            // It does not fit: a constant does.
            return Some(self.small_constant(length));
        }
        let offset = match self.choices.chance(PLAIN_SUBSCRIPTS) && low <= 0 && high >= 0 {
            true => 0,
            false => i128::from(self.choices.range(low as i64, high as i64)),
        };
        Some(self.plus(counter, offset))
    }

    /// `value + offset`, which cannot overflow.
    fn plus(&mut self, value: ExprId, offset: i128) -> ExprId {
        if offset == 0 {
            return value;
        }
        let op = if offset < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let constant = self.builder().int(IntKind::Int, offset.unsigned_abs() as u64);
        self.binary(op, value, constant)
    }

    /// The lvalue of an element.
    fn nest_place(&mut self) -> Option<ExprId> {
        let array = self.nest_array();
        let mut place = self.object_expr(array.object);
        let dimensions = array.lengths.len();
        for (position, length) in array.lengths.iter().enumerate() {
            let index = self.nest_subscript(*length, dimensions - 1 - position)?;
            place = self.element(place, index);
        }
        debug_assert_eq!(self.program.type_of(place), array.element);
        Some(place)
    }

    fn nest_element(&mut self) -> Option<ExprId> {
        let place = self.nest_place()?;
        Some(self.builder().value(place))
    }

    fn nest_counter(&mut self) -> Option<ExprId> {
        let heads: Vec<ObjectId> = self.scope.nest.heads.iter().map(|head| head.counter).collect();
        let counter = self.choices.pick_any(&heads)?;
        Some(self.load(counter))
    }

    fn nest_invariant(&mut self) -> Option<ExprId> {
        let invariants = self.scope.nest.invariants.clone();
        let object = self.choices.pick_any(&invariants)?;
        Some(self.load(object))
    }

    fn nest_constant(&mut self) -> ExprId {
        let value = self.choices.range(-9, 40);
        self.literal(value.into())
    }

    /// A value for a statement of a nest.
    fn nest_value(&mut self, depth: u32) -> Option<ExprId> {
        draw(self, VALUES_OF_NESTS, depth).or_else(|| Some(self.nest_constant()))
    }

    fn nest_operation(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let (left, right) = (self.nest_value(depth - 1)?, self.nest_value(depth - 1)?);
        let op = self.choices.pick(ops);
        Some(self.operate(op, left, right))
    }

    fn nest_by_constant(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let value = self.nest_value(depth - 1)?;
        let op = self.choices.pick(ops);
        let constant = self.choices.range(1, 7) as u64;
        let constant = self.builder().int(IntKind::Int, constant);
        Some(self.operate(op, value, constant))
    }

    fn nest_comparison(&mut self, depth: u32) -> Option<ExprId> {
        let ops = [
            BinaryOp::Less,
            BinaryOp::Greater,
            BinaryOp::LessEqual,
            BinaryOp::GreaterEqual,
            BinaryOp::Equal,
            BinaryOp::NotEqual,
        ];
        let (left, right) = (self.nest_value(depth / 2)?, self.nest_value(0)?);
        let op = self.choices.pick(&ops);
        let first = self.binary(op, left, right);
        if depth < 2 || !self.has(Feature::Logical) || !self.choices.chance(DOUBLE_COMPARISONS) {
            return Some(first);
        }
        let second = self.nest_comparison(0)?;
        let op = self.choices.pick(&[LogicalOp::And, LogicalOp::Or]);
        Some(self.logical(op, first, second))
    }

    fn nest_selection(&mut self, depth: u32) -> Option<ExprId> {
        if self.choices.chance(EXTREMES) {
            // The lesser or the greater of two.
            let (left, right) = (self.nest_value(depth - 1)?, self.nest_value(0)?);
            let (then, otherwise) = (self.copy(left), self.copy(right));
            let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater]);
            let condition = self.binary(op, left, right);
            return Some(self.select(condition, then, otherwise));
        }
        let condition = self.nest_comparison(depth - 1)?;
        let (then, otherwise) = (self.nest_value(depth - 1)?, self.nest_value(0)?);
        Some(self.select(condition, then, otherwise))
    }

    /// `a[i] = ...`
    fn nest_assignment(&mut self) -> Option<Vec<StmtId>> {
        let place = self.nest_place()?;
        let depth = self.choices.range(1, DEEPEST.into()) as u32;
        let value = self.nest_value(depth)?;
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `s = s + ...`
    fn nest_reduction(&mut self) -> Option<Vec<StmtId>> {
        let accumulators = self.scope.nest.accumulators.clone();
        let accumulator = self.choices.pick_any(&accumulators)?;
        let value = self.nest_value(2)?;
        let old = self.load(accumulator);
        let mut ops = vec![BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Bitwise) {
            ops.extend([BinaryOp::BitXor, BinaryOp::BitAnd, BinaryOp::BitOr]);
        }
        if self.has(Feature::Multiplication) {
            ops.push(BinaryOp::Mul);
        }
        let op = self.choices.pick(&ops);
        let sum = self.operate(op, old, value);
        let place = self.object_expr(accumulator);
        let assign = self.assign(place, sum);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `if (... > s) s = ...;`
    fn nest_extreme(&mut self) -> Option<Vec<StmtId>> {
        let accumulators = self.scope.nest.accumulators.clone();
        let accumulator = self.choices.pick_any(&accumulators)?;
        let value = self.nest_value(1)?;
        let again = match self.choices.chance(KEPT_VALUES) {
            true => self.copy(value),
            false => self.nest_counter()?,
        };
        let old = self.load(accumulator);
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::GreaterEqual]);
        let condition = self.binary(op, value, old);
        self.charge_expr(condition);
        let place = self.object_expr(accumulator);
        let assign = self.assign(place, again);
        let then = self.expr_stmt(assign);
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise: None })])
    }

    /// `if (...) a[i] = ...; else b[i] = ...;`
    fn nest_choice(&mut self) -> Option<Vec<StmtId>> {
        let condition = self.nest_comparison(1)?;
        self.charge_expr(condition);
        let then = self.nest_assignment()?[0];
        let otherwise = match self.choices.chance(ELSES) {
            true => Some(self.nest_assignment()?[0]),
            false => None,
        };
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise })])
    }

    /// `if (...) break;`
    fn nest_exit(&mut self) -> Option<Vec<StmtId>> {
        let (left, right) = (self.nest_element()?, self.nest_constant());
        let condition = self.binary(BinaryOp::Equal, left, right);
        self.charge_expr(condition);
        let then = self.stmt(Stmt::Break);
        let stmt = self.stmt(Stmt::If { condition, then, otherwise: None });
        self.fixed.insert(stmt);
        Some(vec![stmt])
    }

    /// `if (...) continue;`
    fn nest_skip(&mut self) -> Option<Vec<StmtId>> {
        let condition = self.nest_comparison(0)?;
        self.charge_expr(condition);
        let then = self.stmt(Stmt::Continue);
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise: None })])
    }

    /// `a[i] = b[i];` or `a[i] = 0;`
    fn nest_copy(&mut self) -> Option<Vec<StmtId>> {
        let place = self.nest_place()?;
        let value = match self.choices.chance(COPIES) {
            true => self.nest_element()?,
            false => self.nest_constant(),
        };
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// Like statements on neighbours: `a[0] = b[0] + c; a[1] = b[1] + c; ...`
    fn nest_group(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&GROUPS);
        let (to, from) = (self.nest_array(), self.nest_array());
        let (to_first, from_first) =
            (self.group_start(&to, count)?, self.group_start(&from, count)?);
        let mut order: Vec<i128> = (0..count).collect();
        if self.choices.chance(SHUFFLED) {
            self.choices.shuffle(&mut order);
        }
        let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::BitXor];
        let ops = match self.has(Feature::Multiplication) && self.has(Feature::Bitwise) {
            true => &ops[..],
            false => &ops[..2],
        };
        let op = self.choices.pick(ops);
        let odd = self
            .choices
            .chance(ODD_ONES)
            .then(|| (self.choices.pick(&order), self.choices.pick(ops)));
        let other = self.nest_value(0)?;
        let mut statements = Vec::new();
        for (position, offset) in order.iter().enumerate() {
            let target = self.group_element(&to, to_first, position as i128);
            let source = self.group_element(&from, from_first, *offset);
            let source = self.builder().value(source);
            let other = self.copy(other);
            let op = match odd {
                Some((at, odd)) if at == *offset => odd,
                _ => op,
            };
            let value = self.operate(op, source, other);
            let assign = self.assign(target, value);
            statements.push(self.expr_stmt(assign));
        }
        Some(statements)
    }

    /// Where a group of neighbours begins in the last dimension: at a constant, or at the
    /// counter of the innermost loop.
    fn group_start(&mut self, array: &NestArray, count: i128) -> Option<(Option<ObjectId>, i128)> {
        let last = i128::from(*array.lengths.last()?) - 1;
        let head = *self.scope.nest.heads.last()?;
        if head.high + count <= last && self.choices.chance(MOVING) {
            return Some((Some(head.counter), 0));
        }
        Some((None, i128::from(self.choices.range(0, (last - count) as i64))))
    }

    fn group_element(
        &mut self,
        array: &NestArray,
        start: (Option<ObjectId>, i128),
        offset: i128,
    ) -> ExprId {
        let mut place = self.object_expr(array.object);
        for _ in 1..array.lengths.len() {
            let index = self.builder().int(IntKind::Int, 1);
            place = self.element(place, index);
        }
        let index = match start {
            (Some(counter), first) => {
                let counter = self.load(counter);
                self.plus(counter, first + offset)
            }
            (None, first) => self.builder().int(IntKind::Int, (first + offset) as u64),
        };
        self.element(place, index)
    }

    /// `b[i] = s; s = a[i];`: what one round leaves for the next.
    fn nest_carried(&mut self) -> Option<Vec<StmtId>> {
        let accumulators = self.scope.nest.accumulators.clone();
        let accumulator = self.choices.pick_any(&accumulators)?;
        let place = self.nest_place()?;
        let (old, other) = (self.load(accumulator), self.nest_value(1)?);
        let value = self.operate(BinaryOp::Add, old, other);
        let first = self.assign(place, value);
        let next = self.nest_value(1)?;
        let place = self.object_expr(accumulator);
        let second = self.assign(place, next);
        Some(vec![self.expr_stmt(first), self.expr_stmt(second)])
    }
}
