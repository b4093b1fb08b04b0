//! Loops of their own between nests: bytes that move, pointers that walk, searches.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, IntKind, Linkage, LogicalOp, ObjectId, StepOp, Stmt, StmtId,
    Storage, Types,
};

use super::statements::{Row, named};
use super::{HEAD_COST, Head, NestArray};
use crate::features::Feature;
use crate::generate::draft::{Draft, Name};
use crate::generate::production::{Rate, anywhere, draw, form};

/// How many arrays of bytes a program has, how long they are, and how far copies overlap.
const BYTE_ARRAYS: usize = 3;
const BYTES: (i64, i64) = (24, 300);
const OVERLAPS: (i64, i64) = (1, 9);

/// How many rounds the other loops have.
const ROUNDS: (i64, i64) = (17, 40);

/// The operations of a round, apart from its statement.
const ROUND: u64 = 12;

/// In percent: walks with a `do` loop, downwards, and with the steps in one expression; numbers
/// that a search finds.
const DOWNWARDS: u32 = 30;
const TERSE: u32 = 50;
const FOUND: u32 = 50;

/// In percent: lone sums with a sign, and those of which a second local is a part that steps, by
/// so much at most.
const SIGNED_SUMS: u32 = 60;
const STEPPED: u32 = 50;
const MOST_STEP: i64 = 7;

/// Loops that are no nests.
#[rustfmt::skip]
static LOOPS: &[Row] = &[
    named!("byte-fill", Rate::Always(8), anywhere, byte_fill),
    named!("byte-copy", Rate::Always(8), anywhere, byte_copy),
    named!("byte-overlap", Rate::Always(8), anywhere, byte_overlap),
    named!("byte-length", Rate::Of(Feature::While), steps, byte_length),
    named!("byte-string", Rate::Always(5), ends_variably, byte_string),
    named!("byte-compare", Rate::Part(Feature::Break, 50), chooses, byte_compare),
    named!("byte-count", Rate::Always(5), reduces, byte_count),
    named!("lone-sum", Rate::Part(Feature::CompoundAssign, 200), reduces, lone_sum),
    named!("walk", Rate::Part(Feature::While, 300), walks, pointer_walk),
    named!("search", Rate::Part(Feature::Break, 80), chooses, search),
    named!("straight-group", Rate::Part(Feature::Neighbours, 500), anywhere, nest_group),
    named!("straight-extreme", Rate::Part(Feature::Neighbours, 60), chooses, group_extreme),
];

fn chooses(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::If)
}

fn steps(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Increment)
}

fn ends_variably(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Increment) && draft.has(Feature::VariableBound)
}

fn reduces(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Reduction)
}

fn walks(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Pointer) && draft.has(Feature::Increment)
}

impl Draft<'_> {
    /// A loop that is no nest, or like statements in a straight line.
    pub(super) fn lone_loop(&mut self, out: &mut Vec<StmtId>) {
        let mark = self.scope.enter();
        let nest = self.scope.nest.clone();
        self.begin_expression();
        self.scope.nest.heads.clear();
        self.scope.nest.accumulators.clear();
        let made = draw(self, LOOPS, ());
        self.scope.nest = nest;
        self.scope.leave(mark);
        if let Some((name, statements)) = made {
            self.stock.shapes.extend(statements.last().map(|last| (name, *last)));
            out.push(self.block_of(statements));
        }
    }

    /// `for (counter = low; counter < low + rounds; counter++) ...`, with its counter as a head.
    fn loop_of(
        &mut self,
        (low, rounds): (i128, u64),
        body: impl FnOnce(&mut Self, ObjectId) -> Option<Vec<StmtId>>,
    ) -> Option<StmtId> {
        let kind = self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Long, IntKind::Short]);
        let kind = self.narrow_kind(kind);
        let (_, most) = self.type_bounds(Types::int(kind))?;
        let end = low + i128::from(rounds);
        if end >= most || self.spare() < rounds * 2 * ROUND {
            return None;
        }
        let counter = self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic);
        let head =
            Head { counter, low, high: end - 1, step: 1, upwards: true, rounds, dimension: 0 };
        self.scope.nest.heads.push(head);
        self.charge(HEAD_COST * (rounds + 1));
        let body = self.repeated(rounds, |draft| body(draft, counter));
        self.scope.nest.heads.pop();
        let body = self.block_of(body?);
        let first = self.hidden(low);
        let init = self.declared(counter, first);
        let bound = self.hidden(end);
        Some(self.counted(counter, init, bound, body))
    }

    /// An array of bytes.
    fn byte_array(&mut self) -> NestArray {
        if self.stock.byte_arrays.len() < BYTE_ARRAYS {
            let kind = self.choices.pick(&[IntKind::Char, IntKind::UChar, IntKind::SChar]);
            let kind = self.narrow_kind(kind);
            let element = Types::int(kind);
            let length = self.choices.range(BYTES.0, BYTES.1) as u64;
            let ty = self.program.types.array_of(element, ArrayLength::Fixed(length));
            let object = self.bare_global(ty);
            self.stock.byte_arrays.push(NestArray { object, element, lengths: vec![length] });
        }
        let index = self.choices.index(self.stock.byte_arrays.len());
        self.stock.byte_arrays[index].clone()
    }

    fn byte(&mut self, array: &NestArray, counter: ObjectId, offset: i128) -> ExprId {
        let base = self.object_expr(array.object);
        let counter = self.load(counter);
        let index = self.plus(counter, offset);
        self.element(base, index)
    }

    fn byte_value(&mut self, array: &NestArray, counter: ObjectId, offset: i128) -> ExprId {
        let place = self.byte(array, counter, offset);
        self.builder().value(place)
    }

    /// How many bytes a loop over these arrays has.
    fn byte_rounds(&mut self, arrays: &[&NestArray]) -> u64 {
        let most = arrays.iter().map(|array| array.lengths[0]).min().unwrap_or(1);
        let affordable = (self.spare() / (4 * ROUND)).max(1);
        self.choices.range(1.max(most as i64 * 3 / 5), most as i64).min(affordable as i64) as u64
    }

    /// `for (...) c[i] = k;`: memset, or a pattern.
    fn byte_fill(&mut self) -> Option<Vec<StmtId>> {
        let array = self.byte_array();
        let rounds = self.byte_rounds(&[&array]);
        let fill = self.loop_of((0, rounds), |draft, counter| {
            let place = draft.byte(&array, counter, 0);
            let value = match draft.choices.below(4) {
                0 => draft.nest_constant(),
                1 => draft.nest_invariant()?,
                _ => {
                    let (factor, more) = (draft.choices.range(3, 29), draft.choices.range(1, 90));
                    let counter = draft.load(counter);
                    let factor = draft.literal(factor.into());
                    let value = match draft.has(Feature::Multiplication) {
                        true => draft.nest_operate(BinaryOp::Mul, counter, factor),
                        false => counter,
                    };
                    draft.plus(value, more.into())
                }
            };
            let assign = draft.assign(place, value);
            Some(vec![draft.expr_stmt(assign)])
        })?;
        Some(vec![fill])
    }

    /// `for (...) c[i] = d[i];`: memcpy.
    fn byte_copy(&mut self) -> Option<Vec<StmtId>> {
        let (to, from) = (self.byte_array(), self.byte_array());
        let rounds = self.byte_rounds(&[&to, &from]);
        let copy = self.loop_of((0, rounds), |draft, counter| {
            let place = draft.byte(&to, counter, 0);
            let value = draft.byte_value(&from, counter, 0);
            let assign = draft.assign(place, value);
            Some(vec![draft.expr_stmt(assign)])
        })?;
        Some(vec![copy])
    }

    /// `for (...) c[i] = c[i + 3];` or `c[i + 3] = c[i];`, upwards or downwards: memmove, or a
    /// pattern that repeats.
    fn byte_overlap(&mut self) -> Option<Vec<StmtId>> {
        let array = self.byte_array();
        let overlap = i128::from(self.choices.range(OVERLAPS.0, OVERLAPS.1));
        let rounds = self.byte_rounds(&[&array]) - overlap as u64;
        let (to, from) = self.choices.pick(&[(0, overlap), (overlap, 0)]);
        let body = |draft: &mut Self, counter: ObjectId| {
            let place = draft.byte(&array, counter, to);
            let value = draft.byte_value(&array, counter, from);
            let assign = draft.assign(place, value);
            Some(vec![draft.expr_stmt(assign)])
        };
        if !self.has(Feature::Increment) || !self.choices.chance(DOWNWARDS) {
            return Some(vec![self.loop_of((0, rounds), body)?]);
        }
        let kind = self.narrow_kind(IntKind::Int);
        let counter = self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic);
        let first = self.hidden(rounds.into());
        let init = self.declared(counter, first);
        let place = self.object_expr(counter);
        let burn = self.step(StepOp::PostDecrement, place);
        let zero = self.builder().int(IntKind::Int, 0);
        let condition = Some(self.binary(BinaryOp::Greater, burn, zero));
        self.charge(HEAD_COST * rounds);
        let body = self.repeated(rounds, |draft| body(draft, counter))?;
        let body = self.block_of(body);
        Some(vec![self.stmt(Stmt::For { init: [init].into(), condition, step: None, body })])
    }

    /// A local that counts from zero, with its declaration.
    fn position(&mut self) -> (ObjectId, StmtId) {
        let kind = self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Long]);
        let kind = self.narrow_kind(kind);
        let object = self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic);
        let zero = self.builder().int(IntKind::Int, 0);
        (object, self.declared(object, zero))
    }

    /// Ends the string in an array: `c[k] = 0;`
    fn byte_end(&mut self, array: &NestArray) -> (StmtId, u64) {
        let end = self.byte_rounds(&[array]) - 1;
        let base = self.object_expr(array.object);
        let index = self.hidden(end.into());
        let place = self.element(base, index);
        let zero = self.builder().int(IntKind::Int, 0);
        let assign = self.assign(place, zero);
        (self.expr_stmt(assign), end + 1)
    }

    /// `while (c[n] != 0) n++;`: strlen, or the first of a letter.
    fn byte_length(&mut self) -> Option<Vec<StmtId>> {
        let array = self.byte_array();
        let (end, rounds) = self.byte_end(&array);
        let (position, declare) = self.position();
        let value = self.byte_value(&array, position, 0);
        let zero = self.builder().int(IntKind::Int, 0);
        let mut condition = self.binary(BinaryOp::NotEqual, value, zero);
        if self.has(Feature::Logical) && self.choices.chance(DOWNWARDS) {
            let value = self.byte_value(&array, position, 0);
            let letter = self.nest_constant();
            let other = self.binary(BinaryOp::NotEqual, value, letter);
            condition = self.logical(LogicalOp::And, condition, other);
        }
        self.charge(rounds * 2 * ROUND);
        let place = self.object_expr(position);
        let step = self.step(StepOp::PostIncrement, place);
        let body = self.expr_stmt(step);
        let body = self.block_of(vec![body]);
        let mut out = vec![end, declare, self.stmt(Stmt::While { condition, body })];
        self.keep(position, &mut out);
        Some(out)
    }

    /// `for (n = 0; c[n] != 0; n++) d[n] = c[n];`: strcpy.
    fn byte_string(&mut self) -> Option<Vec<StmtId>> {
        let (to, from) = (self.byte_array(), self.byte_array());
        if to.lengths[0] < from.lengths[0] {
            return None;
        }
        let (end, rounds) = self.byte_end(&from);
        let (position, declare) = self.position();
        let value = self.byte_value(&from, position, 0);
        let zero = self.builder().int(IntKind::Int, 0);
        let condition = Some(self.binary(BinaryOp::NotEqual, value, zero));
        let place = self.object_expr(position);
        let step = Some(self.step(StepOp::PreIncrement, place));
        self.charge(rounds * HEAD_COST);
        let body = self.repeated(rounds, |draft| {
            let place = draft.byte(&to, position, 0);
            let value = draft.byte_value(&from, position, 0);
            let assign = draft.assign(place, value);
            draft.expr_stmt(assign)
        });
        let init = [].into();
        let copy = self.stmt(Stmt::For { init, condition, step, body });
        let place = self.byte(&to, position, 0);
        let zero = self.builder().int(IntKind::Int, 0);
        let assign = self.assign(place, zero);
        let mut out = vec![end, declare, copy, self.expr_stmt(assign)];
        self.keep(position, &mut out);
        Some(out)
    }

    /// `for (...) { if (c[i] != d[i]) break; n++; }`: memcmp.
    fn byte_compare(&mut self) -> Option<Vec<StmtId>> {
        let (left, right) = (self.byte_array(), self.byte_array());
        let rounds = self.byte_rounds(&[&left, &right]);
        let (position, declare) = self.position();
        let compare = self.loop_of((0, rounds), |draft, counter| {
            let one = draft.byte_value(&left, counter, 0);
            let two = draft.byte_value(&right, counter, 0);
            let condition = draft.binary(BinaryOp::NotEqual, one, two);
            draft.charge_expr(condition);
            let leave = draft.stmt(Stmt::Break);
            let exit = draft.fixed_if(condition, leave);
            let counter = draft.load(counter);
            let found = draft.stored(position, counter)?[0];
            Some(vec![exit, found])
        })?;
        let mut out = vec![declare, compare];
        self.keep(position, &mut out);
        Some(out)
    }

    /// `for (...) n += c[i] == k;`
    fn byte_count(&mut self) -> Option<Vec<StmtId>> {
        let array = self.byte_array();
        let rounds = self.byte_rounds(&[&array]);
        let (count, declare) = self.position();
        let counted = self.loop_of((0, rounds), |draft, counter| {
            let byte = draft.byte_value(&array, counter, 0);
            let limit = draft.nest_constant();
            let op = draft.choices.pick(&[BinaryOp::Equal, BinaryOp::Less, BinaryOp::Greater]);
            let holds = draft.binary(op, byte, limit);
            let old = draft.load(count);
            let sum = draft.binary(BinaryOp::Add, old, holds);
            draft.stored(count, sum)
        })?;
        let mut out = vec![declare, counted];
        self.keep(count, &mut out);
        Some(out)
    }

    /// `s += a[i] + k; k += 3;`: what `omp simd` has clauses for.
    fn lone_sum(&mut self) -> Option<Vec<StmtId>> {
        let array = self.nest_array();
        let most = *array.lengths.last()? as i64;
        let rounds = self.choices.range(ROUNDS.0, ROUNDS.1).min(most) as u64;
        let wide = self.layouts.size_of(&self.program, array.element).ok()? > 4;
        let signed = self.choices.chance(SIGNED_SUMS);
        let kind = self.narrow_kind(match (wide, signed) {
            (false, true) => IntKind::Int,
            (false, false) => IntKind::UInt,
            (true, true) => IntKind::Long,
            (true, false) => IntKind::ULong,
        });
        let mut ops = vec![BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Bitwise) {
            ops.extend([BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::BitAnd]);
        }
        if !signed && self.has(Feature::Multiplication) {
            ops.push(BinaryOp::Mul);
        }
        let op = self.choices.pick(&ops);
        let (sum, declare) = self.lone_local(kind);
        let mut out = vec![declare];
        let stepped = self.choices.chance(STEPPED).then(|| {
            let kind = self.narrow_kind(IntKind::Int);
            let (object, declare) = self.lone_local(kind);
            out.push(declare);
            (object, self.choices.range(1, MOST_STEP) as u64)
        });
        let summed = self.loop_of((0, rounds), |draft, _| {
            let place = draft.place_at(&array, 0)?;
            let mut value = draft.builder().value(place);
            let mut statements = Vec::new();
            if let Some((object, step)) = stepped {
                let other = draft.load(object);
                value = draft.binary(BinaryOp::Add, value, other);
                let step = draft.builder().int(IntKind::Int, step);
                let place = draft.object_expr(object);
                let next = draft.compound_assign(BinaryOp::Add, place, step);
                statements.push(draft.expr_stmt(next));
            }
            let place = draft.object_expr(sum);
            let add = draft.compound_assign(op, place, value);
            statements.insert(0, draft.expr_stmt(add));
            Some(statements)
        })?;
        out.push(summed);
        self.keep(sum, &mut out);
        if let Some((object, _)) = stepped {
            self.keep(object, &mut out);
        }
        Some(out)
    }

    /// A local that begins with a small number.
    fn lone_local(&mut self, kind: IntKind) -> (ObjectId, StmtId) {
        let first = self.choices.range(0, 9) as u64;
        let first = self.builder().int(IntKind::Int, first);
        let object = self.counter(kind, None);
        (object, self.declared(object, first))
    }

    /// The last dimension of an array, as a pointer to its element `first`.
    fn pointer_into(&mut self, array: &NestArray, first: i128) -> (ObjectId, StmtId, ExprId) {
        let mut row = self.object_expr(array.object);
        for length in &array.lengths[..array.lengths.len() - 1] {
            let index = self.small_constant(*length);
            row = self.element(row, index);
        }
        let start = self.copy(row);
        let first = self.hidden(first);
        let place = self.element(start, first);
        let address = self.address(place);
        let ty = self.program.types.pointer_to(array.element);
        let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
        self.program[object].init = Some(address);
        (object, self.stmt(Stmt::Declare(object)), row)
    }

    /// `while (p != end) *p++ = *q++ + k;`, upwards or downwards.
    fn pointer_walk(&mut self) -> Option<Vec<StmtId>> {
        let (to, from) = (self.nest_array(), self.nest_array());
        let most = (*to.lengths.last()?).min(*from.lengths.last()?) as i64;
        let rounds = self.choices.range(ROUNDS.0, ROUNDS.1).min(most - 1);
        if rounds < 1 || self.spare() < rounds as u64 * 4 * ROUND {
            return None;
        }
        let down = self.choices.chance(DOWNWARDS);
        let (first, last) = if down { (rounds, 0) } else { (0, rounds) };
        let (target, declare, row) = self.pointer_into(&to, first.into());
        let (source, and, _) = self.pointer_into(&from, first.into());
        let end = {
            let last = self.hidden(last.into());
            let place = self.element(row, last);
            let address = self.address(place);
            let ty = self.program.types.pointer_to(to.element);
            let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
            self.program[object].init = Some(address);
            object
        };
        let ends = self.stmt(Stmt::Declare(end));
        let (left, right) = (self.load(target), self.load(end));
        let condition = self.binary(BinaryOp::NotEqual, left, right);
        let rounds = rounds as u64;
        self.charge(rounds * ROUND);
        let body = self.repeated(rounds, |draft| draft.walk_step(target, source, down))?;
        let body = self.block_of(body);
        Some(vec![declare, and, ends, self.stmt(Stmt::While { condition, body })])
    }

    /// One round of such a loop.
    fn walk_step(&mut self, target: ObjectId, source: ObjectId, down: bool) -> Option<Vec<StmtId>> {
        let terse = self.choices.chance(TERSE);
        let (before, after) = match down {
            true => (StepOp::PreDecrement, StepOp::PostDecrement),
            false => (StepOp::PreIncrement, StepOp::PostIncrement),
        };
        let mut out = Vec::new();
        let step = |draft: &mut Self, object: ObjectId| {
            let place = draft.object_expr(object);
            draft.step(before, place)
        };
        if down && !terse {
            for object in [target, source] {
                let step = step(self, object);
                out.push(self.expr_stmt(step));
            }
        }
        let pointer = |draft: &mut Self, object: ObjectId| {
            let place = draft.object_expr(object);
            match (terse, down) {
                (true, true) => draft.step(before, place),
                (true, false) => draft.step(after, place),
                (false, _) => draft.builder().value(place),
            }
        };
        let from = pointer(self, source);
        let from = self.dereference(from);
        let value = self.builder().value(from);
        let value = self.made_signed(value);
        let other = self.nest_invariant().unwrap_or_else(|| self.nest_constant());
        let ops = [BinaryOp::Add, BinaryOp::Sub];
        let op = self.choices.pick(&ops);
        let value = self.nest_operate(op, value, other);
        let to = pointer(self, target);
        let place = self.dereference(to);
        let assign = self.nest_store(place, value);
        out.push(self.expr_stmt(assign));
        if !down && !terse {
            for object in [target, source] {
                let step = step(self, object);
                out.push(self.expr_stmt(step));
            }
        }
        Some(out)
    }

    /// `for (...) if (a[i] == k) { n = i; break; }`: a loop that ends early, or not.
    fn search(&mut self) -> Option<Vec<StmtId>> {
        let array = self.nest_array();
        let most = *array.lengths.last()? as i64;
        let rounds = self.choices.range(ROUNDS.0, ROUNDS.1).min(most) as u64;
        let (position, declare) = self.position();
        let found = self.choices.chance(FOUND);
        let search = self.loop_of((0, rounds), |draft, counter| {
            let place = draft.place_at(&array, 0)?;
            let value = draft.builder().value(place);
            let wanted = match found {
                true => draft.nest_constant(),
                false => draft.literal(20_011),
            };
            let op = match found {
                true => draft.choices.pick(&[BinaryOp::Equal, BinaryOp::Greater]),
                false => BinaryOp::Equal,
            };
            let condition = draft.binary(op, value, wanted);
            draft.charge_expr(condition);
            let leave = draft.stmt(Stmt::Break);
            let exit = draft.fixed_if(condition, leave);
            let counter = draft.load(counter);
            let keep = draft.stored(position, counter)?[0];
            Some(vec![exit, keep])
        })?;
        let mut out = vec![declare, search];
        self.keep(position, &mut out);
        Some(out)
    }
}
