//! What nests add up: locals that live for a nest, each for one purpose, and arrays that sums
//! go into. So many additions of so small numbers fit into their types that none overflows.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, IntKind, LogicalOp, ObjectId, Stmt, StmtId, Types, UnaryOp,
    integer_type,
};

use super::{Accumulator, NestArray};
use crate::features::Feature;
use crate::generate::draft::{Draft, Mode};
use crate::generate::places::Purpose;
use crate::generate::values::Want;

/// How many accumulators a nest has at most.
const ACCUMULATORS: i64 = 3;

/// The kinds of accumulators, which mostly have a sign, with their weights.
const KINDS: [(IntKind, u32); 7] = [
    (IntKind::Int, 50),
    (IntKind::Long, 20),
    (IntKind::Short, 8),
    (IntKind::UInt, 6),
    (IntKind::UShort, 5),
    (IntKind::UChar, 5),
    (IntKind::SChar, 4),
];

/// The bits of what is added to the elements of an array: even as many additions as a program
/// has operations do not overflow.
const ADDED_BITS: u32 = 11;

/// Arrays for sums: how many, and how long.
const SUM_ARRAYS: usize = 2;
const SUM_LENGTHS: (i64, i64) = (40, 64);

/// A product that has a sign is taken modulo this number.
const PRODUCTS: u64 = 1009;

/// In percent: sums written with `+=`, conditional ones without `if`, extremes that are
/// selections, extremes that keep the value and not the counter, and bits that are counted.
const COMPOUND: u32 = 60;
const SELECTED: u32 = 40;
const KEPT_VALUES: u32 = 60;
const COUNTED: u32 = 40;

/// What an accumulator is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Sum,
    Product,
    Bits,
    Extreme,
    Carried,
    /// It steps by a constant.
    Induction,
}

impl Draft<'_> {
    /// Declares the accumulators of a nest.
    pub(super) fn nest_accumulators(&mut self, out: &mut Vec<StmtId>) {
        self.scope.nest.accumulators.clear();
        for _ in 0..self.choices.range(0, ACCUMULATORS) {
            let kind = KINDS[self.choices.weighted(&KINDS.map(|row| row.1)).unwrap_or(0)].0;
            let kind = self.narrow_kind(kind);
            let value = self.choices.range(0, 3) as u64;
            let value = self.builder().int(IntKind::Int, value);
            let object = self.counter(kind, None);
            out.push(self.declared(object, value));
            let (_, most) = self.type_bounds(Types::int(kind)).unwrap_or((0, 0));
            self.scope.nest.accumulators.push(Accumulator { object, used: None, room: most / 2 });
        }
        self.nest_float_sums(out);
    }

    /// Keeps what the accumulators of a nest have in the end.
    pub(super) fn nest_results(&mut self, out: &mut Vec<StmtId>) {
        for accumulator in self.scope.nest.accumulators.clone() {
            if accumulator.used.is_none() {
                continue;
            }
            if let Some(result) = self.scope.nest.result {
                self.begin_expression();
                let value = self.load(accumulator.object);
                out.push(self.add_to(result, BinaryOp::Add, value));
            } else {
                self.keep(accumulator.object, out);
            }
        }
        self.nest_float_results(out);
    }

    /// Keeps a number where the program can see it; otherwise compilers see that nobody needs
    /// it. If there is no place for it, a new global is one.
    pub(super) fn keep(&mut self, object: ObjectId, out: &mut Vec<StmtId>) {
        self.begin_expression();
        let place = match self.place(Want::Integer, Purpose::Write, Mode::Quiet) {
            Some(place) => place,
            None => {
                let global = self.bare_global(self.program[object].ty);
                self.object_expr(global)
            }
        };
        let value = self.load(object);
        let assign = self.assign(place, value);
        out.push(self.expr_stmt(assign));
    }

    /// An accumulator that is free or has this use already; its position.
    pub(super) fn accumulator(&mut self, wanted: Use) -> Option<usize> {
        let fits = |it: &Accumulator| it.used.is_none_or(|used| used == wanted);
        let found: Vec<usize> = self
            .scope
            .nest
            .accumulators
            .iter()
            .enumerate()
            .filter(|(_, it)| fits(it))
            .map(|(at, _)| at)
            .collect();
        let at = self.choices.pick_any(&found)?;
        self.scope.nest.accumulators[at].used = Some(wanted);
        Some(at)
    }

    /// How often what stands here runs in one run of the nest.
    pub(super) fn nest_rounds(&self) -> i128 {
        self.scope.nest.heads.iter().map(|head| i128::from(head.rounds)).product()
    }

    /// A number so small that the accumulator can take it in every round.
    fn affordable(&mut self, at: usize, value: ExprId) -> Option<ExprId> {
        let Accumulator { object, room, .. } = self.scope.nest.accumulators[at];
        let integer = integer_type(&self.program, self.program[object].ty)?;
        let int = self.config.target.int_bits(IntKind::Int);
        if !integer.signed || integer.bits < int {
            return Some(self.shrink(value, int - 2));
        }
        let most = room / 2 / self.nest_rounds().max(1);
        let bits = 127 - most.max(1).leading_zeros();
        let value = if bits < 5 { return None } else { self.shrink(value, bits) };
        self.scope.nest.accumulators[at].room -= (1 << bits) * self.nest_rounds();
        Some(value)
    }

    /// `s += value`, in one of its forms.
    fn add_to(&mut self, object: ObjectId, op: BinaryOp, value: ExprId) -> StmtId {
        let place = self.object_expr(object);
        let assign = if self.has(Feature::CompoundAssign) && self.choices.chance(COMPOUND) {
            self.compound_assign(op, place, value)
        } else {
            let old = self.load(object);
            let sum = self.binary(op, old, value);
            self.assign(place, sum)
        };
        self.expr_stmt(assign)
    }

    /// `s = s + ...`, or `-`.
    pub(super) fn nest_sum(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Sum)?;
        let value = self.nest_value(2)?;
        self.nest_sum_of(at, value)
    }

    fn nest_sum_of(&mut self, at: usize, value: ExprId) -> Option<Vec<StmtId>> {
        let value = self.affordable(at, value)?;
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
        let object = self.scope.nest.accumulators[at].object;
        Some(vec![self.add_to(object, op, value)])
    }

    /// `s += a[i] * b[i]` of narrow elements, or `s += abs(a[i] - b[i])`.
    pub(super) fn nest_wide_sum(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Sum)?;
        let (left, right) = (self.narrow_element()?, self.narrow_element()?);
        let product = self.has(Feature::Multiplication);
        let value = match self.choices.below(3) {
            0 if product => self.nest_operate(BinaryOp::Mul, left, right),
            1 if self.has(Feature::Ternary) && self.has(Feature::Unary) => {
                let difference = self.nest_operate(BinaryOp::Sub, left, right);
                self.absolute(difference)
            }
            _ => left,
        };
        self.nest_sum_of(at, value)
    }

    /// `x < 0 ? -x : x`
    pub(super) fn absolute(&mut self, value: ExprId) -> ExprId {
        let (negative, positive) = (self.copy(value), self.copy(value));
        let zero = self.builder().int(IntKind::Int, 0);
        let condition = self.binary(BinaryOp::Less, value, zero);
        let negative = self.unary(UnaryOp::Minus, negative);
        self.select(condition, negative, positive)
    }

    /// An element of an array of a type that is narrower than `int`, if there is one.
    fn narrow_element(&mut self) -> Option<ExprId> {
        for _ in 0..4 {
            let array = self.nest_array();
            let bits = integer_type(&self.program, array.element)?.bits;
            if bits <= 16
                && let Some(place) = self.place_at(&array, 0)
            {
                return Some(self.builder().value(place));
            }
        }
        self.nest_element()
    }

    /// `if (...) s += ...;` or `s += ... ? ... : 0;`
    pub(super) fn nest_conditional_sum(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Sum)?;
        let condition = self.nest_comparison(1)?;
        let value = self.nest_value(1)?;
        if self.has(Feature::Ternary) && self.choices.chance(SELECTED) {
            let zero = self.builder().int(IntKind::Int, 0);
            let value = self.select(condition, value, zero);
            return self.nest_sum_of(at, value);
        }
        self.charge_expr(condition);
        let then = self.nest_sum_of(at, value)?[0];
        Some(vec![self.if_of(condition, then)])
    }

    /// `s = s * ... % 1009`, or `s *= ...` where it wraps.
    pub(super) fn nest_product(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Product)?;
        let object = self.scope.nest.accumulators[at].object;
        let integer = integer_type(&self.program, self.program[object].ty)?;
        let int = self.config.target.int_bits(IntKind::Int);
        let value = self.nest_value(1)?;
        let value = self.shrink(value, int / 2 - 2);
        if !integer.signed && integer.bits >= int {
            return Some(vec![self.add_to(object, BinaryOp::Mul, value)]);
        }
        if integer.bits < int || !self.has(Feature::Division) {
            // What is narrow fits into the type that it is multiplied in.
            let old = self.load(object);
            let old = self.shrink(old, int / 2 - 1);
            let product = self.binary(BinaryOp::Mul, old, value);
            return self.stored(object, product);
        }
        let old = self.load(object);
        let product = self.binary(BinaryOp::Mul, old, value);
        let modulus = self.builder().int(IntKind::Int, PRODUCTS);
        let rest = self.binary(BinaryOp::Rem, product, modulus);
        self.stored(object, rest)
    }

    /// `object = value;`
    pub(super) fn stored(&mut self, object: ObjectId, value: ExprId) -> Option<Vec<StmtId>> {
        let place = self.object_expr(object);
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `s ^= ...`, `s |= ...`, `s &= ...`
    pub(super) fn nest_bits(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Bits)?;
        let object = self.scope.nest.accumulators[at].object;
        let value = self.nest_value(2)?;
        let op = self.choices.pick(&[BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::BitAnd]);
        Some(vec![self.add_to(object, op, value)])
    }

    /// `if (... > s) s = ...;`, also as a selection.
    pub(super) fn nest_extreme(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Extreme)?;
        let object = self.scope.nest.accumulators[at].object;
        let value = self.nest_value(1)?;
        let old = self.load(object);
        if self.has(Feature::Ternary) && self.choices.chance(SELECTED) {
            let extreme = self.nest_extreme_of(value, old);
            return self.stored(object, extreme);
        }
        let again = match self.choices.chance(KEPT_VALUES) {
            true => self.copy(value),
            false => self.nest_counter()?,
        };
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::GreaterEqual]);
        let condition = self.binary(op, value, old);
        self.charge_expr(condition);
        let then = self.stored(object, again)?[0];
        Some(vec![self.if_of(condition, then)])
    }

    /// `if (a[i] == k) s = i;`: the last that matches.
    pub(super) fn nest_last_match(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Extreme)?;
        let object = self.scope.nest.accumulators[at].object;
        let (left, right) = (self.nest_element()?, self.nest_value(0)?);
        let ops = [BinaryOp::Less, BinaryOp::Greater, BinaryOp::Equal, BinaryOp::NotEqual];
        let op = self.choices.pick(&ops);
        let condition = self.binary(op, left, right);
        self.charge_expr(condition);
        let counter = self.nest_counter()?;
        let then = self.stored(object, counter)?[0];
        Some(vec![self.if_of(condition, then)])
    }

    /// `if (a[i] >> k & 1) s += ...;`, or a count of the bits.
    pub(super) fn nest_bit_test(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Sum)?;
        let element = self.nest_element()?;
        if self.has(Feature::BitBuiltin) && self.choices.chance(COUNTED) {
            let count = self.builtin("__builtin_popcount", vec![element]);
            return self.nest_sum_of(at, count);
        }
        let count = self.small_constant(7);
        let shifted = self.binary(BinaryOp::Shr, element, count);
        let one = self.builder().int(IntKind::Int, 1);
        let condition = self.binary(BinaryOp::BitAnd, shifted, one);
        let condition = match self.has(Feature::Logical) && self.choices.chance(COUNTED) {
            true => {
                let other = self.nest_comparison(0)?;
                self.logical(LogicalOp::And, condition, other)
            }
            false => condition,
        };
        self.charge_expr(condition);
        let value = self.nest_value(1)?;
        let then = self.nest_sum_of(at, value)?[0];
        Some(vec![self.if_of(condition, then)])
    }

    /// `b[i] = s + ...; s = a[i];`: what one round leaves for the next.
    pub(super) fn nest_carried(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Carried)?;
        let object = self.scope.nest.accumulators[at].object;
        let place = self.nest_place()?;
        let (old, other) = (self.load(object), self.nest_value(1)?);
        let value = self.nest_operate(BinaryOp::Add, old, other);
        let first = self.nest_store(place, value);
        let first = self.expr_stmt(first);
        let next = self.nest_value(1)?;
        let second = self.stored(object, next)?[0];
        Some(vec![first, second])
    }

    /// `a[i] = ... + k; k += 3;`: a variable that steps beside the counter, and may wrap.
    pub(super) fn nest_induction(&mut self) -> Option<Vec<StmtId>> {
        let at = self.accumulator(Use::Induction)?;
        let Accumulator { object, .. } = self.scope.nest.accumulators[at];
        let place = self.nest_place()?;
        let (old, other) = (self.load(object), self.nest_value(1)?);
        let value = match self.choices.below(2) {
            0 => old,
            _ => self.nest_operate(BinaryOp::Add, other, old),
        };
        let store = self.nest_store(place, value);
        let store = self.expr_stmt(store);
        let step = self.choices.range(1, 13) as u64;
        let step = self.builder().int(IntKind::Int, step);
        let step = self.affordable(at, step)?;
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
        let object = self.scope.nest.accumulators[at].object;
        Some(vec![store, self.add_to(object, op, step)])
    }

    /// `c[j] += a[i][j] * b[i];`: a sum for every round of a loop.
    pub(super) fn nest_array_sum(&mut self) -> Option<Vec<StmtId>> {
        let array = self.sum_array();
        let heads = self.scope.nest.heads.clone();
        let last = i128::from(array.lengths[0]) - 1;
        let fitting: Vec<ObjectId> = heads
            .iter()
            .rev()
            .skip(usize::from(heads.len() > 1))
            .filter(|head| head.low >= 0 && head.high <= last)
            .map(|head| head.counter)
            .collect();
        let counter = self.choices.pick_any(&fitting)?;
        let value = self.nest_value(2)?;
        let value = self.shrink(value, ADDED_BITS);
        let place = |draft: &mut Self| {
            let index = draft.load(counter);
            let base = draft.object_expr(array.object);
            draft.element(base, index)
        };
        let target = place(self);
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
        let assign = if self.has(Feature::CompoundAssign) && self.choices.chance(COMPOUND) {
            self.compound_assign(op, target, value)
        } else {
            let old = place(self);
            let old = self.builder().value(old);
            let sum = self.binary(op, old, value);
            self.assign(target, sum)
        };
        Some(vec![self.expr_stmt(assign)])
    }

    /// An array that only sums go into.
    fn sum_array(&mut self) -> NestArray {
        if self.stock.sum_arrays.len() < SUM_ARRAYS {
            let kind = self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Long]);
            let kind = self.narrow_kind(kind);
            let element = Types::int(kind);
            let length = self.choices.range(SUM_LENGTHS.0, SUM_LENGTHS.1) as u64;
            let ty = self.program.types.array_of(element, ArrayLength::Fixed(length));
            let object = self.bare_global(ty);
            self.stock.sum_arrays.push(NestArray { object, element, lengths: vec![length] });
        }
        let index = self.choices.index(self.stock.sum_arrays.len());
        self.stock.sum_arrays[index].clone()
    }

    /// An element of such an array, as a constant index, made small.
    pub(super) fn nest_old_sum(&mut self) -> Option<ExprId> {
        let arrays = self.stock.sum_arrays.clone();
        let index = self.choices.index(arrays.len().max(1));
        let array = arrays.get(index)?;
        let place = self.place_at(array, 0)?;
        let value = self.builder().value(place);
        Some(value)
    }

    /// Whether there is one for this use.
    pub(super) fn has_free_accumulator(&self, wanted: Use) -> bool {
        let fits = |it: &Accumulator| it.used.is_none_or(|used| used == wanted);
        self.scope.nest.accumulators.iter().any(fits)
    }

    /// `if (condition) then else otherwise`
    pub(super) fn choice_of(
        &mut self,
        condition: ExprId,
        then: Vec<StmtId>,
        otherwise: Option<Vec<StmtId>>,
    ) -> StmtId {
        let then = self.one_of(then);
        let otherwise = otherwise.map(|stmts| self.one_of(stmts));
        self.stmt(Stmt::If { condition, then, otherwise })
    }

    /// The one statement, or a block of several.
    fn one_of(&mut self, stmts: Vec<StmtId>) -> StmtId {
        // `if` in `if` would take its `else`.
        match stmts[..] {
            [one] if matches!(self.program[one], Stmt::Expr(_)) => one,
            _ => self.block_of(stmts),
        }
    }
}
