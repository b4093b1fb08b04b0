//! The arrays that nests go over, and subscripts that are in bounds by construction.

use farrier_lang::{ArrayLength, BinaryOp, ExprId, IntKind, ObjectId, StmtId, Types};

use super::{HEAD_COST, NestArray};
use crate::features::Feature;
use crate::generate::draft::Draft;

/// How much longer than the longest loop an array is, so that stencils fit.
pub(super) const SPAN: u64 = 9;

/// How far a stencil reaches.
pub(super) const REACH: i128 = 4;

/// The lengths of arrays in their last and their other dimensions.
pub(super) const LAST_LENGTHS: (i64, i64) = (30, 48);
const FIRST_LENGTHS: (i64, i64) = (6, 12);

/// How many arrays a program has for nests, and how many functions add another, in percent.
const NEW_ARRAYS: u32 = 30;
const MOST_ARRAYS: usize = 8;
const FEWEST_ARRAYS: usize = 3;

/// In percent: subscripts that are the counter alone, those of the same dimension's loop.
const PLAIN_SUBSCRIPTS: u32 = 55;
const STRAIGHT: u32 = 75;

impl Draft<'_> {
    pub(super) fn nest_array(&mut self) -> NestArray {
        let index = self.choices.index(self.stock.nest_arrays.len());
        self.stock.nest_arrays[index].clone()
    }

    pub(super) fn new_nest_array(&mut self) -> NestArray {
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
    pub(super) fn nest_fill(&mut self, out: &mut Vec<StmtId>) {
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

    /// The lvalue of an element.
    pub(super) fn nest_place(&mut self) -> Option<ExprId> {
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

    pub(super) fn nest_element(&mut self) -> Option<ExprId> {
        let place = self.nest_place()?;
        Some(self.builder().value(place))
    }

    /// A subscript for a dimension of `length` elements: affine in one of the counters.
    pub(super) fn nest_subscript(&mut self, length: u64, dimension: usize) -> Option<ExprId> {
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
    pub(super) fn plus(&mut self, value: ExprId, offset: i128) -> ExprId {
        if offset == 0 {
            return value;
        }
        let op = if offset < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        let constant = self.builder().int(IntKind::Int, offset.unsigned_abs() as u64);
        self.binary(op, value, constant)
    }
}
