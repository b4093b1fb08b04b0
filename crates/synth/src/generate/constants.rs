//! Constants: those that lie where arithmetic is interesting.

use farrier_lang::{ExprId, ExprKind, IntKind};

use super::draft::Draft;
use super::values::Class;
use crate::parameters::Parameter;

/// How many constants are remembered for reuse.
const REMEMBERED: usize = 16;

/// How many constants near a limit are negative, in percent.
const NEGATIVE_LIMITS: u32 = 40;

/// How many constants have the narrowest type that holds them, in percent.
const NARROWEST: u32 = 75;

/// The ranges of small constants: few values, bytes, and what passes 16 bits.
const SMALL_RANGES: [(i64, i64); 3] = [(-3, 3), (-128, 300), (-40_000, 70_000)];

/// A function that draws a number.
type Number = fn(&mut Draft<'_>) -> i128;

/// The kinds of constants, each with the parameter that is its weight.
const CONSTANTS: [(Parameter, Number); 5] = [
    (Parameter::SmallConstants, small),
    (Parameter::LimitConstants, limit),
    (Parameter::BlockConstants, block),
    (Parameter::EndBitConstants, end_bits),
    (Parameter::ReusedConstants, reused),
];

/// One from a small range, or one with any number of bits.
fn small(draft: &mut Draft<'_>) -> i128 {
    let index = draft.choices.index(SMALL_RANGES.len() + 1);
    i128::from(match SMALL_RANGES.get(index) {
        Some((low, high)) => draft.choices.range(*low, *high),
        None => draft.choices.bits() as i64 >> draft.choices.range(0, 60),
    })
}

/// One near the limits of a type.
fn limit(draft: &mut Draft<'_>) -> i128 {
    let bits = draft.choices.pick(&[7, 8, 15, 16, 31, 32, 63, 64]);
    let near = (1i128 << bits) - 1 + i128::from(draft.choices.range(-2, 2));
    if draft.choices.chance(NEGATIVE_LIMITS) { -near } else { near }
}

/// A block of bits.
fn block(draft: &mut Draft<'_>) -> i128 {
    let low = draft.choices.range(0, 62);
    let high = draft.choices.range(low + 1, 63);
    (1 << high) - (1 << low)
}

/// Bits at the ends of a type.
fn end_bits(draft: &mut Draft<'_>) -> i128 {
    let bits = draft.choices.pick(&[8, 16, 32, 64]);
    let ends = draft.choices.range(1, 7);
    i128::from(ends & 3) | i128::from(ends >> 1) << (bits - 2)
}

/// One that occurred before, or something close to it.
fn reused(draft: &mut Draft<'_>) -> i128 {
    if draft.stock.constants.is_empty() {
        return small(draft);
    }
    let value = draft.choices.pick(&draft.stock.constants);
    draft.choices.pick(&[-value, !value, value + 1, value - 1, value])
}

impl Draft<'_> {
    /// A constant of a class.
    pub(super) fn constant(&mut self, class: Class) -> ExprId {
        if class == Class::Floating {
            return self.floating_constant();
        }
        if !self.stock.enums.is_empty() && self.chance(Parameter::NamedConstantShare) {
            let parent = self.choices.pick(&self.stock.enums);
            let constants = self.program[parent].constants.as_deref();
            let id = self.choices.pick(constants.expect("enumerations are complete"));
            let ty = self.program[id].ty;
            return self.builder().node(ExprKind::EnumConstant(id), ty);
        }
        let value = self.number();
        self.literal(value)
    }

    /// A constant that is not negative and below `limit`.
    pub(super) fn small_constant(&mut self, limit: u64) -> ExprId {
        let value = self.choices.below(limit.clamp(1, 32767));
        self.builder().int(IntKind::Int, value)
    }

    /// A number that 64 bits can hold, signed or unsigned.
    pub(super) fn number(&mut self) -> i128 {
        let weights = CONSTANTS.map(|(parameter, _)| self.parameter(parameter));
        let draw = CONSTANTS[self.choices.weighted(&weights).unwrap_or(0)].1;
        let value = draw(self).clamp(-(1 << 63), (1 << 64) - 1);
        if self.stock.constants.len() < REMEMBERED {
            self.stock.constants.push(value);
        } else {
            let index = self.choices.index(REMEMBERED);
            self.stock.constants[index] = value;
        }
        value
    }

    /// The constant expression with this value, of a type that holds it.
    pub(super) fn literal(&mut self, value: i128) -> ExprId {
        const KINDS: [IntKind; 6] = [
            IntKind::Int,
            IntKind::UInt,
            IntKind::Long,
            IntKind::ULong,
            IntKind::LongLong,
            IntKind::ULongLong,
        ];
        let target = self.config.target;
        let magnitude = value.unsigned_abs();
        let fits = |kind: IntKind| {
            let bits = target.int_bits(kind) - u32::from(target.int_signed(kind));
            magnitude < 1 << bits
        };
        // Usually the narrowest, sometimes a wider one. Only an unsigned type holds
        // what lies beyond the signed ones, and there is no minus for those.
        let first = KINDS.iter().position(|kind| {
            fits(*kind) && (target.int_signed(*kind) || value >= 0 && magnitude > i64::MAX as u128)
        });
        let Some(first) = first else {
            // The lowest number has no magnitude in any of them.
            let literal = self.program.literal(value, IntKind::LongLong);
            return literal.expect("values have 64 bits");
        };
        let kind = if self.choices.chance(NARROWEST) {
            KINDS[first]
        } else {
            let wider: Vec<IntKind> = KINDS[first..]
                .iter()
                .copied()
                .filter(|kind| fits(*kind) && (value >= 0 || target.int_signed(*kind)))
                .collect();
            self.choices.pick(&wider)
        };
        self.program.literal(value, kind).expect("the type holds it")
    }
}
