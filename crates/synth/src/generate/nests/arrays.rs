//! The arrays that nests go over, and subscripts that are in bounds by construction.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, InitItem, InitPlace, IntKind, ObjectId, StmtId,
    TypeId, Types,
};

use super::{HEAD_COST, Head, NestArray};
use crate::features::Feature;
use crate::generate::Check;
use crate::generate::draft::Draft;

/// How far a stencil reaches.
pub(super) const REACH: i128 = 4;

/// How long arrays are in their dimensions, from the last: where a program may execute many
/// operations, and where it may not. The first is enough for loops that are not peeled away.
const LENGTHS: [(i64, i64); 4] = [(26, 44), (19, 27), (4, 7), (3, 4)];
const SHORT_LENGTHS: [(i64, i64); 4] = [(26, 40), (6, 12), (3, 5), (2, 3)];
const MANY_OPERATIONS: u64 = 500_000;

/// What giving an element its value takes, and how much of what is left a function spends on it
/// at most, as a part.
const VALUE_OPERATIONS: u64 = 32;
const VALUE_PART: u64 = 3;

/// How long the longest arrays are, which have one dimension.
const LONG_LENGTHS: (i64, i64) = (60, 280);

/// The operations of a program that must be there for each element of an array.
pub(super) const ELEMENT_OPERATIONS: u64 = 1000;

/// How often an array has one dimension, two and so on.
const DIMENSIONS: [u32; 4] = [50, 34, 11, 5];

/// In percent: long arrays among those of one dimension, dimensions of another length than
/// most, and arrays with an initialiser among short ones.
const LONG_ARRAYS: u32 = 30;
const ODD_LENGTHS: u32 = 20;
const INITIALISED: u32 = 30;
const MOST_ITEMS: u64 = 44;

/// How many arrays a program has for nests, and in how many functions one is added or gets
/// values again, in percent.
const NEW_ARRAYS: u32 = 50;
const FILLED_AGAIN: u32 = 30;
const MOST_ARRAYS: usize = 10;
const FEWEST_ARRAYS: usize = 5;

/// How many arrays of subscripts a program has, how many are for a shorter dimension, in
/// percent, and what all are below, so that a character can hold them.
const MOST_INDICES: usize = 2;
const FEW_INDICES: u32 = 30;
const MOST_INDEX: u64 = 100;

/// The greatest number that an element begins with.
const GREATEST: u64 = 1600;

/// How many elements that are assigned have plain subscripts whatever the style, in percent.
const PLAIN_TARGETS: u32 = 60;

/// What a subscript may be apart from a counter.
#[derive(Clone, Copy, Debug)]
enum Subscript {
    /// `i + 2`
    Offset,
    /// `30 - i`
    Reversed,
    /// `2 * i + 1`
    Scaled,
    /// `i + j`
    Repeated,
    /// `7`
    Slice,
    /// `a[i]`
    Gather,
}

/// How often it is.
const SUBSCRIPTS: [(Subscript, u32); 6] = [
    (Subscript::Offset, 46),
    (Subscript::Reversed, 14),
    (Subscript::Scaled, 10),
    (Subscript::Repeated, 10),
    (Subscript::Slice, 8),
    (Subscript::Gather, 12),
];

/// The types of elements, and how many arrays have the type of another, in percent.
const LIKE_OTHERS: u32 = 45;
const KINDS: [IntKind; 10] = [
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

/// How long the arrays of a program are: in each dimension from the last, and the longest.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::generate) struct NestLengths {
    usual: [u64; 4],
    pub(super) long: u64,
}

impl Draft<'_> {
    /// The arrays that can be named here.
    pub(super) fn nest_arrays(&self) -> Vec<NestArray> {
        match self.scope.nest.arrays.is_empty() {
            true => self.stock.nest_arrays.clone(),
            false => self.scope.nest.arrays.clone(),
        }
    }

    /// An array, if possible one that has room for the innermost loop.
    pub(super) fn nest_array(&mut self) -> NestArray {
        let arrays = self.nest_arrays();
        let inner = self.scope.nest.heads.iter().rfind(|head| head.dimension == 0).copied();
        let fits = |array: &&NestArray| {
            let last = array.lengths.last().copied().unwrap_or(0);
            inner.is_none_or(|head| head.high < i128::from(last))
        };
        let fitting: Vec<&NestArray> = arrays.iter().filter(fits).collect();
        match fitting.is_empty() {
            true => arrays[self.choices.index(arrays.len())].clone(),
            false => fitting[self.choices.index(fitting.len())].clone(),
        }
    }

    /// How long most arrays are in a dimension, counted from the last.
    pub(super) fn nest_length(&mut self, dimension: usize) -> u64 {
        if self.stock.nest_lengths.long == 0 {
            let many = self.config.steps >= MANY_OPERATIONS;
            let rows = if many { LENGTHS } else { SHORT_LENGTHS };
            let usual = rows.map(|(low, high)| self.choices.range(low, high) as u64);
            let (low, high) = LONG_LENGTHS;
            let long = self.choices.range(low, high) as u64;
            self.stock.nest_lengths = NestLengths { usual, long };
        }
        let usual = self.stock.nest_lengths.usual;
        usual[dimension.min(usual.len() - 1)]
    }

    /// A new array of at most so many elements, or of one dimension.
    fn new_nest_array(&mut self, most: u64) -> NestArray {
        let element = match self.choices.chance(LIKE_OTHERS) && !self.stock.nest_arrays.is_empty() {
            true => self.nest_array().element,
            false => {
                let kind = self.choices.pick(&KINDS);
                Types::int(self.narrow_kind(kind))
            }
        };
        let several = self.has(Feature::MultiArray) && self.config.check != Check::Asserts;
        let dimensions = match several {
            true => self.choices.weighted(&DIMENSIONS).unwrap_or(0) + 1,
            false => 1,
        };
        let mut lengths: Vec<u64> = Vec::new();
        for dimension in (0..dimensions).rev() {
            let usual = self.nest_length(dimension);
            let odd = self.choices.chance(ODD_LENGTHS);
            let more = if odd { self.choices.below(6) } else { 0 };
            lengths.push(usual + more);
        }
        if dimensions == 1
            && self.stock.nest_lengths.long <= most
            && self.choices.chance(LONG_ARRAYS)
        {
            lengths = vec![self.stock.nest_lengths.long];
        }
        let most = most.min(self.config.steps / ELEMENT_OPERATIONS);
        while lengths.iter().product::<u64>() > most && lengths.len() > 1 {
            // The first dimensions become shorter, or go.
            match lengths[lengths.len() - 2] {
                length @ 5.. => {
                    let at = lengths.len() - 2;
                    lengths[at] = length / 2;
                }
                _ => _ = lengths.remove(0),
            }
        }
        let array = self.nest_object(element, lengths);
        self.stock.nest_arrays.push(array.clone());
        array
    }

    /// A new array. Its elements are checked in the end, but only nests name it, so that they
    /// stay small.
    pub(super) fn nest_object(&mut self, element: TypeId, lengths: Vec<u64>) -> NestArray {
        let mut ty = element;
        for length in lengths.iter().rev() {
            ty = self.program.types.array_of(ty, ArrayLength::Fixed(*length));
        }
        let object = self.bare_global(ty);
        NestArray { object, element, lengths }
    }

    /// Gives the elements of new arrays values, and sometimes those of an old one.
    pub(super) fn nest_fill(&mut self, out: &mut Vec<StmtId>) {
        let count = self.stock.nest_arrays.len();
        let more = count < MOST_ARRAYS && self.choices.chance(NEW_ARRAYS);
        let mut left = self.spare() / VALUE_PART / VALUE_OPERATIONS;
        for number in count..FEWEST_ARRAYS.max(count + usize::from(more)) {
            let array = self.new_nest_array(if number == 0 { u64::MAX } else { left });
            let items: u64 = array.lengths.iter().product();
            let is_list = array.lengths.len() == 1 && items <= MOST_ITEMS;
            if is_list && (items > left || self.choices.chance(INITIALISED)) {
                self.nest_initialiser(&array);
            } else {
                left = left.saturating_sub(items);
                out.push(self.nest_values(&array, None));
            }
        }
        let old = self.stock.nest_arrays[..count].iter();
        let old: Vec<NestArray> =
            old.filter(|array| array.lengths.iter().product::<u64>() <= left).cloned().collect();
        if !old.is_empty() && self.choices.chance(FILLED_AGAIN) {
            let index = self.choices.index(old.len());
            out.push(self.nest_values(&old[index], None));
        }
        self.nest_float_fill(&mut left, out);
        let indices = self.stock.nest_indices.len();
        if indices < MOST_INDICES && self.has(Feature::Division) {
            let kinds =
                [IntKind::Int, IntKind::UChar, IntKind::Short, IntKind::UInt, IntKind::Long];
            let kind = self.choices.pick(&kinds);
            let kind = self.narrow_kind(kind);
            let length =
                if indices == 0 { self.nest_length(0) } else { self.stock.nest_lengths.long };
            let dimension = usize::from(self.choices.chance(FEW_INDICES));
            let below = self.nest_length(dimension).min(MOST_INDEX);
            let array = self.nest_object(Types::int(kind), vec![length]);
            out.push(self.nest_values(&array, Some(below)));
            self.stock.nest_indices.push((array, below));
        }
    }

    fn nest_initialiser(&mut self, array: &NestArray) {
        let ty = self.program[array.object].ty;
        let mut items = Vec::new();
        for index in 0..array.lengths[0] {
            let value = self.choices.range(-99, 127);
            let (least, most) = self.type_bounds(array.element).unwrap_or((0, 1));
            let value = self.literal(i128::from(value).clamp(least, most));
            let value = self.builder().convert(value, array.element);
            items
                .push(InitItem { place: InitPlace::Elements { first: index, last: index }, value });
        }
        self.program[array.object].init =
            Some(self.builder().node(ExprKind::InitList(items.into()), ty));
    }

    /// Loops that give the elements of an array values: small ones, or indices below a number.
    pub(super) fn nest_values(&mut self, array: &NestArray, below: Option<u64>) -> StmtId {
        let rounds: u64 = array.lengths.iter().product();
        let mark = self.scope.enter();
        let longest = array.lengths.iter().copied().max().unwrap_or(0);
        let kind = self.index_kind(longest);
        let counters: Vec<(ObjectId, u64)> =
            array.lengths.iter().map(|length| (self.nest_local(kind), *length)).collect();
        let mut body = self.repeated(rounds, |draft| {
            draft.charge(HEAD_COST);
            let mut place = draft.object_expr(array.object);
            let mut value: Option<ExprId> = None;
            for (counter, length) in &counters {
                let index = draft.load(*counter);
                place = draft.element(place, index);
                let factor = 1 + draft.choices.below((GREATEST / length).clamp(1, 19));
                let factor = if factor.is_multiple_of(3) { factor + 1 } else { factor };
                let (counter, factor) =
                    (draft.load(*counter), draft.builder().int(IntKind::Int, factor));
                let term = match draft.has(Feature::Multiplication) {
                    true => draft.binary(BinaryOp::Mul, counter, factor),
                    false => draft.binary(BinaryOp::Add, counter, factor),
                };
                let op = draft.nest_mixing(array.element);
                value = Some(match value {
                    Some(value) => draft.binary(op, value, term),
                    None => term,
                });
            }
            let mut value = value.expect("an array has a dimension");
            if let Some(below) = below {
                let below = draft.builder().int(IntKind::Int, below);
                value = draft.binary(BinaryOp::Rem, value, below);
            } else {
                let constant = draft.choices.below(GREATEST);
                let constant = draft.builder().int(IntKind::Int, constant);
                let op = draft.nest_mixing(array.element);
                value = draft.binary(op, value, constant);
            }
            let assign = draft.assign(place, value);
            draft.expr_stmt(assign)
        });
        for (counter, length) in counters.into_iter().rev() {
            let zero = self.builder().int(IntKind::Int, 0);
            let init = self.declared(counter, zero);
            let bound = self.hidden(length.into());
            body = self.counted(counter, init, bound, body);
        }
        self.scope.leave(mark);
        body
    }

    /// A kind of integers for a counter of a whole array.
    fn index_kind(&mut self, length: u64) -> IntKind {
        match self.has_kind(IntKind::Int) {
            true => IntKind::Int,
            false => self.counter_kind(i128::from(length) + 1).unwrap_or(IntKind::Int),
        }
    }

    /// An operator of two small numbers that cannot fail.
    fn nest_mixing(&mut self, element: TypeId) -> BinaryOp {
        let signed = self.type_bounds(element).is_some_and(|(least, _)| least < 0);
        let mut ops = vec![if signed { BinaryOp::Sub } else { BinaryOp::Add }];
        if self.has(Feature::Bitwise) {
            ops.extend([BinaryOp::BitXor, BinaryOp::BitAnd]);
        }
        self.choices.pick(&ops)
    }

    /// The lvalue of an element.
    pub(super) fn nest_place(&mut self) -> Option<ExprId> {
        let style = self.scope.nest.style;
        if self.choices.chance(PLAIN_TARGETS) {
            self.scope.nest.style.plain = 100;
        }
        let place = self.nest_access();
        self.scope.nest.style = style;
        place
    }

    pub(super) fn nest_element(&mut self) -> Option<ExprId> {
        let place = self.nest_access()?;
        Some(self.builder().value(place))
    }

    fn nest_access(&mut self) -> Option<ExprId> {
        let array = self.nest_array();
        self.nest_access_to(&array)
    }

    /// An element of this array.
    pub(super) fn nest_access_to(&mut self, array: &NestArray) -> Option<ExprId> {
        let mut place = self.object_expr(array.object);
        let dimensions = array.lengths.len();
        for (position, length) in array.lengths.iter().enumerate() {
            let index = self.nest_subscript(*length, dimensions - 1 - position)?;
            place = self.element(place, index);
        }
        debug_assert_eq!(self.program.type_of(place), array.element);
        Some(place)
    }

    /// A subscript for a dimension of `length` elements.
    pub(super) fn nest_subscript(&mut self, length: u64, dimension: usize) -> Option<ExprId> {
        let style = self.scope.nest.style;
        let last = i128::from(length) - 1;
        let fits = |head: &&Head| head.high <= last;
        let heads: Vec<Head> = self.scope.nest.heads.iter().filter(fits).copied().collect();
        let straight = heads.iter().rfind(|head| head.dimension == dimension).copied();
        let straight = straight.filter(|_| self.choices.chance(style.straight));
        let Some(head) = straight.or_else(|| self.choices.pick_any(&heads)) else {
            // None of them fits: a constant does.
            return Some(self.small_constant(length));
        };
        let counter = self.load(head.counter);
        if self.has(Feature::Multiplication)
            && self.choices.chance(style.strided)
            && let Some(stride) = self.scope.nest.stride
        {
            let stride = self.load(stride);
            return Some(self.binary(BinaryOp::Mul, counter, stride));
        }
        if self.choices.chance(style.plain) {
            return Some(counter);
        }
        let weights = SUBSCRIPTS.map(|(_, weight)| weight);
        let (kind, _) = SUBSCRIPTS[self.choices.weighted(&weights)?];
        Some(self.moved(kind, head, counter, last).unwrap_or(counter))
    }

    /// A subscript of one kind; `None` if it would be out of bounds.
    fn moved(
        &mut self,
        kind: Subscript,
        head: Head,
        counter: ExprId,
        last: i128,
    ) -> Option<ExprId> {
        match kind {
            Subscript::Offset => {
                let (low, high) = ((-head.low).max(-REACH), (last - head.high).min(REACH));
                let offset = self.choices.range(low as i64, high as i64);
                Some(self.plus(counter, offset.into()))
            }
            Subscript::Reversed => {
                let sum = i128::from(self.choices.range(head.high as i64, last as i64));
                let sum = self.hidden(sum.min(last + head.low));
                Some(self.binary(BinaryOp::Sub, sum, counter))
            }
            Subscript::Scaled if self.has(Feature::Multiplication) => {
                let rest = last - 2 * head.high;
                let two = self.builder().int(IntKind::Int, 2);
                let offset = i128::from(self.choices.range(0, 1)).min(rest);
                if rest < 0 {
                    return None;
                }
                let scaled = self.binary(BinaryOp::Mul, counter, two);
                Some(self.plus(scaled, offset))
            }
            Subscript::Repeated => {
                let fits = |other: &&Head| other.high + head.high <= last;
                let others = self.scope.nest.heads.iter().filter(fits);
                let others: Vec<ObjectId> = others.map(|other| other.counter).collect();
                let other = self.choices.pick_any(&others)?;
                let other = self.load(other);
                Some(self.binary(BinaryOp::Add, counter, other))
            }
            Subscript::Slice => Some(self.small_constant(last as u64 + 1)),
            Subscript::Gather => {
                let fits = |(array, below): &&(NestArray, u64)| {
                    head.high < i128::from(array.lengths[0]) && i128::from(*below) <= last + 1
                };
                let indices = self.stock.nest_indices.iter().filter(fits);
                let indices: Vec<ObjectId> = indices.map(|(array, _)| array.object).collect();
                let array = self.choices.pick_any(&indices)?;
                let array = self.object_expr(array);
                let element = self.element(array, counter);
                Some(self.builder().value(element))
            }
            Subscript::Scaled => None,
        }
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
