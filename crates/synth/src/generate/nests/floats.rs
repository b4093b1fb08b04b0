//! Floating numbers in nests: arrays of them, sums, extremes, stencils. Every operation has a
//! result in the tiers *free* and *rounded*, so nothing needs a guard. In tier free some arrays
//! and all sums keep caps of their own, large enough for a stencil or for all rounds of a loop.

use farrier_lang::{
    BinaryOp, ExprId, FloatKind, Linkage, ObjectId, StmtId, Storage, TypeId, Types, UnaryOp,
};
use farrier_machine::Tier;

use super::NestArray;
use super::arrays::ELEMENT_OPERATIONS;
use crate::features::Feature;
use crate::generate::Check;
use crate::generate::draft::{Draft, Mode, Name};
use crate::generate::floats::Mass;
use crate::generate::places::Purpose;
use crate::generate::production::{Production, Rate, anywhere, draw, form};
use crate::generate::values::Want;

/// How many arrays of floating numbers a program has at most, in how many functions one is added,
/// how many have the type of the first, and how many two dimensions, in percent.
const MOST_ARRAYS: usize = 5;
const NEW_ARRAYS: u32 = 50;
const LIKE_FIRST: u32 = 75;
const TWO_DIMENSIONS: u32 = 30;

/// How many arrays are the first ones, of which every second keeps a larger cap.
const FIRST_ARRAYS: usize = 3;

/// The digits that sums leave free, and those that larger caps do.
const FREE_DIGITS: u32 = 4;
const FREE_DIGITS_OF_ARRAYS: u32 = 10;

/// How many floating sums a nest has at most.
const SUMS: i64 = 2;

/// The greatest factors and constants, and how many digits after the point they have.
const FACTORS: i64 = 5;
const MOST_FRACTION: u32 = 2;

/// How far a stencil reaches to each side.
const STENCIL: i128 = 2;

/// In percent: terms of stencils with a factor, stencils that are divided, sums written with `+=`,
/// conditional sums without `if`, and sums that a new global keeps.
const WEIGHTED: u32 = 60;
const AVERAGES: u32 = 30;
const COMPOUND: u32 = 80;
const SELECTED: u32 = 50;
const OWN_GLOBALS: u32 = 40;

/// What a floating accumulator is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FloatUse {
    Sum,
    Extreme,
}

/// A floating local that a nest adds up.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloatSum {
    object: ObjectId,
    used: Option<FloatUse>,
    /// How far it can still grow in tier free.
    room: Mass,
}

/// The floating values of nests, which nest as deep as the site says.
#[rustfmt::skip]
static FLOATS_OF_NESTS: &[Production<u32, ExprId>] = &[
    form(Rate::Always(36), anywhere, |draft, _| draft.nest_float_element()),
    form(Rate::Always(5), anywhere, |draft, _| draft.nest_float_constant()),
    form(Rate::Always(8), anywhere, |draft, _| draft.nest_float_of_integer()),
    form(Rate::Of(Feature::Arithmetic), nests, |draft, depth| draft.nest_float_operation(&[BinaryOp::Add, BinaryOp::Sub], depth)),
    form(Rate::Of(Feature::Multiplication), nests, |draft, depth| draft.nest_float_operation(&[BinaryOp::Mul], depth)),
    form(Rate::Part(Feature::Division, 25), nests, |draft, depth| draft.nest_float_operation(&[BinaryOp::Div], depth)),
    form(Rate::Of(Feature::Ternary), nests_and_compares, |draft, depth| draft.nest_float_extreme_of(depth)),
    form(Rate::Part(Feature::Unary, 50), nests, |draft, depth| {
        let value = draft.nest_float(depth - 1)?;
        Some(draft.unary(UnaryOp::Minus, value))
    }),
];

fn nests(_: &Draft<'_>, depth: u32) -> bool {
    depth > 0
}

fn nests_and_compares(draft: &Draft<'_>, depth: u32) -> bool {
    depth > 0 && draft.has(Feature::Comparison)
}

impl Draft<'_> {
    /// Whether floating numbers of nests are drafted: their operations have no guards.
    fn nests_floats(&self) -> bool {
        matches!(self.tier, Some(Tier::Free | Tier::Rounded))
            && (self.has(Feature::Float) || self.has(Feature::Double))
            && self.scope.nest.arrays.is_empty()
    }

    pub(super) fn has_nest_floats(&self) -> bool {
        self.nests_floats() && !self.stock.float_arrays.is_empty()
    }

    pub(super) fn has_float_sum(&self, wanted: FloatUse) -> bool {
        let fits = |it: &FloatSum| it.used.is_none_or(|used| used == wanted);
        self.has_nest_floats() && self.scope.nest.float_sums.iter().any(fits)
    }

    /// The type of elements and sums: one that vectors have.
    fn nest_float_type(&mut self) -> TypeId {
        if let Some(first) = self.stock.float_arrays.first()
            && self.choices.chance(LIKE_FIRST)
        {
            return first.element;
        }
        let kinds = [(Feature::Float, FloatKind::Float), (Feature::Double, FloatKind::Double)];
        let kinds: Vec<FloatKind> =
            kinds.into_iter().filter(|row| self.has(row.0)).map(|row| row.1).collect();
        Types::float(self.choices.pick(&kinds))
    }

    /// New arrays with their values.
    pub(super) fn nest_float_fill(&mut self, left: &mut u64, out: &mut Vec<StmtId>) {
        if !self.nests_floats() {
            return;
        }
        let count = self.stock.float_arrays.len();
        let more = count < MOST_ARRAYS && self.choices.chance(NEW_ARRAYS);
        for number in count..FIRST_ARRAYS.max(count + usize::from(more)) {
            let element = self.nest_float_type();
            let mut lengths = vec![self.nest_length(0)];
            let several = self.has(Feature::MultiArray) && self.config.check != Check::Asserts;
            let rows = self.nest_length(1);
            let fits = rows * lengths[0] <= (*left).min(self.config.steps / ELEMENT_OPERATIONS);
            if several && fits && self.choices.chance(TWO_DIMENSIONS) {
                lengths.insert(0, rows);
            }
            *left = left.saturating_sub(lengths.iter().product());
            let array = self.nest_object(element, lengths);
            if number % 2 == 1 {
                self.set_cap(array.object, self.large_cap(element, FREE_DIGITS_OF_ARRAYS));
            }
            out.push(self.nest_values(&array, None));
            self.stock.float_arrays.push(array);
        }
    }

    /// A cap that leaves so many digits of a type free.
    fn large_cap(&self, ty: TypeId, free: u32) -> Mass {
        let fraction = 2 * self.cap(ty).fraction;
        Mass { fraction, ..Mass::integer(1 << (self.digits(ty) - free - fraction)) }
    }

    /// Declares the floating sums of a nest.
    pub(super) fn nest_float_sums(&mut self, out: &mut Vec<StmtId>) {
        if !self.has_nest_floats() {
            return;
        }
        for _ in 0..self.choices.range(0, SUMS) {
            let ty = self.nest_float_type();
            let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
            let room = self.large_cap(ty, FREE_DIGITS);
            self.set_cap(object, room);
            let value = self.choices.range(-FACTORS, FACTORS);
            let value = self.float_literal(value, 0, ty);
            out.push(self.declared(object, value));
            let room = Mass { most: room.most / 2, ..room };
            self.scope.nest.float_sums.push(FloatSum { object, used: None, room });
        }
    }

    /// Keeps what they have in the end: in a global of their own, or in any number.
    pub(super) fn nest_float_results(&mut self, out: &mut Vec<StmtId>) {
        let sums = std::mem::take(&mut self.scope.nest.float_sums);
        for sum in sums.into_iter().filter(|sum| sum.used.is_some()) {
            self.begin_expression();
            let free = self.tier == Some(Tier::Free);
            let want = if free { Want::Integer } else { Want::Floating };
            let place = match self.choices.chance(OWN_GLOBALS) {
                true => None,
                false => self.place(want, Purpose::Write, Mode::Quiet),
            };
            let place = place.unwrap_or_else(|| {
                let global = self.bare_global(self.program[sum.object].ty);
                let place = self.object_expr(sum.object);
                self.set_cap(global, self.cap_of(place));
                self.object_expr(global)
            });
            let value = self.load(sum.object);
            let assign = self.assign(place, value);
            out.push(self.expr_stmt(assign));
        }
    }

    /// A floating value for a statement of a nest.
    fn nest_float(&mut self, depth: u32) -> Option<ExprId> {
        draw(self, FLOATS_OF_NESTS, depth).or_else(|| self.nest_float_constant())
    }

    fn float_array(&mut self) -> NestArray {
        let inner = self.scope.nest.heads.iter().rfind(|head| head.dimension == 0).copied();
        let fits = |array: &&NestArray| {
            let last = array.lengths.last().copied().unwrap_or(0);
            inner.is_none_or(|head| head.high < i128::from(last))
        };
        let arrays = &self.stock.float_arrays;
        let fitting: Vec<&NestArray> = arrays.iter().filter(fits).collect();
        match fitting.is_empty() {
            true => arrays[self.choices.index(arrays.len())].clone(),
            false => fitting[self.choices.index(fitting.len())].clone(),
        }
    }

    fn nest_float_element(&mut self) -> Option<ExprId> {
        let array = self.float_array();
        let place = match self.place_at(&array, 0) {
            Some(place) if self.choices.chance(50) => place,
            _ => self.nest_access_to(&array)?,
        };
        Some(self.builder().value(place))
    }

    /// A short constant of the type of the arrays.
    fn nest_float_constant(&mut self) -> Option<ExprId> {
        let ty = self.stock.float_arrays.first()?.element;
        let most = match self.tier {
            Some(Tier::Free) => self.cap(ty).fraction,
            _ => MOST_FRACTION,
        };
        let fraction = self.choices.range(0, most.into()) as u32;
        let value = self.choices.range(-FACTORS, FACTORS);
        Some(self.float_literal(value, fraction, ty))
    }

    /// A small integer as a floating number. The text must say so: an operator with two of them
    /// would be one of integers.
    fn nest_float_of_integer(&mut self) -> Option<ExprId> {
        if !self.has(Feature::Cast) {
            return None;
        }
        let value = self.nest_value(0)?;
        let ty = self.stock.float_arrays.first()?.element;
        let value = self.convertible(value, ty, None);
        Some(self.builder().cast(value, ty).expect("a number"))
    }

    fn nest_float_operation(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let (left, right) = (self.nest_float(depth - 1)?, self.nest_float(depth - 1)?);
        let op = self.choices.pick(ops);
        Some(self.operate(op, left, right))
    }

    /// The lesser or the greater of two.
    fn nest_float_extreme_of(&mut self, depth: u32) -> Option<ExprId> {
        let (left, right) = (self.nest_float(depth - 1)?, self.nest_float(0)?);
        let (then, otherwise) = (self.copy(left), self.copy(right));
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater]);
        let condition = self.operate(op, left, right);
        Some(self.select(condition, then, otherwise))
    }

    /// `x[i] = ...`
    pub(super) fn nest_float_assignment(&mut self) -> Option<Vec<StmtId>> {
        let array = self.float_array();
        let place = self.nest_access_to(&array)?;
        let value = self.nest_float(2)?;
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `y[i] = 2 * x[i - 1] + x[i] - 3 * x[i + 1];`
    pub(super) fn nest_float_stencil(&mut self) -> Option<Vec<StmtId>> {
        let (from, to) = (self.float_array(), self.float_array());
        let (low, high) = self.offsets(&from)?;
        let (low, high) = (low.max(-STENCIL), high.min(STENCIL));
        let mut sum: Option<ExprId> = None;
        for offset in low..=high {
            let place = self.place_at(&from, offset)?;
            let mut term = self.builder().value(place);
            if self.has(Feature::Multiplication) && self.choices.chance(WEIGHTED) {
                let factor = self.nest_float_constant()?;
                term = self.operate(BinaryOp::Mul, factor, term);
            }
            let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
            sum = Some(match sum {
                Some(sum) => self.operate(op, sum, term),
                None => term,
            });
        }
        let mut value = sum?;
        if self.has(Feature::Division) && self.choices.chance(AVERAGES) {
            let ty = self.program.type_of(value);
            let divisor = self.choices.pick(&[2, 4]);
            let divisor = self.float_literal(divisor, 0, ty);
            value = self.operate(BinaryOp::Div, value, divisor);
        }
        let place = match self.place_at(&to, 0) {
            Some(place) => place,
            None => self.nest_access_to(&to)?,
        };
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `s += value` in one of its forms, with a value so small that the sum can take it in every
    /// round.
    fn float_sum_of(&mut self, value: ExprId) -> Option<StmtId> {
        let at = self.float_sum(FloatUse::Sum)?;
        let FloatSum { object, room, .. } = self.scope.nest.float_sums[at];
        let ty = self.program[object].ty;
        let rounds = Mass::integer(self.nest_rounds().unsigned_abs());
        let mut value = value;
        if self.tier == Some(Tier::Free) {
            let fits = |mass: Mass| {
                mass.fraction <= room.fraction && mass.product(rounds).most <= room.most
            };
            if !fits(self.mass(value)) {
                value = self.folded_to(value, ty);
            }
            let mass = self.mass(value);
            if !fits(mass) {
                return None;
            }
            self.scope.nest.float_sums[at].room.most -= mass.product(rounds).most;
        }
        self.scope.nest.float_sums[at].used = Some(FloatUse::Sum);
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]);
        let place = self.object_expr(object);
        let assign = if self.has(Feature::CompoundAssign) && self.choices.chance(COMPOUND) {
            self.compound_assign(op, place, value)
        } else {
            let old = self.load(object);
            let sum = self.binary(op, old, value);
            self.set_mass(sum, self.cap_of(place));
            self.assign(place, sum)
        };
        Some(self.expr_stmt(assign))
    }

    /// An accumulator that is free or has this use already; its position.
    fn float_sum(&mut self, wanted: FloatUse) -> Option<usize> {
        let sums = &self.scope.nest.float_sums;
        let fits = |at: &usize| sums[*at].used.is_none_or(|used| used == wanted);
        let found: Vec<usize> = (0..sums.len()).filter(fits).collect();
        self.choices.pick_any(&found)
    }

    /// `s += ...`
    pub(super) fn nest_float_sum(&mut self) -> Option<Vec<StmtId>> {
        let value = self.nest_float(1)?;
        Some(vec![self.float_sum_of(value)?])
    }

    /// `s += x[i] * y[i];`
    pub(super) fn nest_float_product(&mut self) -> Option<Vec<StmtId>> {
        let (left, right) = (self.nest_float_element()?, self.nest_float_element()?);
        let value = self.operate(BinaryOp::Mul, left, right);
        Some(vec![self.float_sum_of(value)?])
    }

    /// `if (x[i] > y[i]) s += ...;` or `s += x[i] > y[i] ? ... : 0;`
    pub(super) fn nest_float_conditional_sum(&mut self) -> Option<Vec<StmtId>> {
        let (left, right) = (self.nest_float_element()?, self.nest_float(0)?);
        let op = self.choices.pick(&BinaryOp::COMPARISONS);
        let condition = self.operate(op, left, right);
        let value = self.nest_float(1)?;
        if self.has(Feature::Ternary) && self.choices.chance(SELECTED) {
            let zero = self.float_literal(0, 0, self.program.type_of(value));
            let value = self.select(condition, value, zero);
            return Some(vec![self.float_sum_of(value)?]);
        }
        self.charge_expr(condition);
        let then = self.float_sum_of(value)?;
        Some(vec![self.if_of(condition, then)])
    }

    /// `if (x[i] > s) s = x[i];`, also as a selection.
    pub(super) fn nest_float_extreme(&mut self) -> Option<Vec<StmtId>> {
        let at = self.float_sum(FloatUse::Extreme)?;
        self.scope.nest.float_sums[at].used = Some(FloatUse::Extreme);
        let object = self.scope.nest.float_sums[at].object;
        let value = self.nest_float(1)?;
        let (again, old) = (self.copy(value), self.load(object));
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater]);
        let condition = self.operate(op, value, old);
        let place = self.object_expr(object);
        if self.has(Feature::Ternary) && self.choices.chance(SELECTED) {
            let other = self.load(object);
            let extreme = self.select(condition, again, other);
            let assign = self.assign(place, extreme);
            return Some(vec![self.expr_stmt(assign)]);
        }
        self.charge_expr(condition);
        let assign = self.assign(place, again);
        let then = self.expr_stmt(assign);
        Some(vec![self.if_of(condition, then)])
    }
}
