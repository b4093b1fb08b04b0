//! Constants: those that lie where arithmetic is interesting.

use farrier_lang::*;

use super::draft::Draft;
use super::values::Class;
use crate::features::Feature;
use crate::parameters::Parameter;

/// How many constants are remembered for reuse.
const REMEMBERED: usize = 16;

/// How many constants near a limit are negative, in percent.
const NEGATIVE_LIMITS: u32 = 40;

/// How many constants have the narrowest type that holds them, in percent.
const NARROWEST: u32 = 75;

/// The largest of the small floating constants, in quarters.
const SMALL_FRACTIONS: i64 = 40;

/// Floating numbers at which something changes: signs of zero, neighbours of one, where
/// integers and single precision end, what has no finite fraction, the ends of the format.
const FLOATING_BORDERS: [f64; 12] = [
    0.0,
    -0.0,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    0.1,
    16_777_217.0,
    9_007_199_254_740_992.0,
    9_223_372_036_854_775_808.0,
    f64::MIN_POSITIVE,
    f64::MIN_POSITIVE / 8.0,
    f64::MAX,
    -f64::MAX,
];

impl Draft<'_> {
    /// A constant of a class.
    pub(super) fn constant(&mut self, class: Class) -> ExprId {
        if class == Class::Floating {
            return self.floating_constant();
        }
        if self.has(Feature::Enum)
            && !self.program.enum_constants.is_empty()
            && self.chance(Parameter::NamedConstantShare)
        {
            let index = self.choices.index(self.program.enum_constants.len());
            let id = EnumConstantId::from_index(index);
            let ty = self.program[id].ty;
            return self.builder().node(ExprKind::EnumConstant(id), ty);
        }
        let value = self.number();
        self.literal(value)
    }

    /// A floating constant: a small number, an integer, one at a border of the format, or
    /// any finite one.
    fn floating_constant(&mut self) -> ExprId {
        let value = match self.choices.below(4) {
            0 => self.choices.range(-SMALL_FRACTIONS, SMALL_FRACTIONS) as f64 / 4.0,
            1 => self.number() as f64,
            2 => self.choices.pick(&FLOATING_BORDERS),
            _ => f64::from_bits(self.choices.bits()),
        };
        let finite = if value.is_finite() { value } else { f64::MAX };
        let bits = self.program.floats.push(u128::from(finite.abs().to_bits()));
        let constant = self.builder().node(ExprKind::Float(bits), Types::DOUBLE);
        if finite.is_sign_negative() { self.unary(UnaryOp::Minus, constant) } else { constant }
    }

    /// A constant that is not negative and below `limit`.
    pub(super) fn small_constant(&mut self, limit: u64) -> ExprId {
        let value = self.choices.below(limit.clamp(1, 32767));
        self.builder().int(IntKind::Int, value)
    }

    /// A number that 64 bits can hold, signed or unsigned.
    pub(super) fn number(&mut self) -> i128 {
        let weights = [
            Parameter::SmallConstants,
            Parameter::LimitConstants,
            Parameter::BlockConstants,
            Parameter::EndBitConstants,
            Parameter::ReusedConstants,
        ]
        .map(|parameter| self.parameter(parameter));
        let value = match self.choices.weighted(&weights) {
            Some(1) => {
                let bits = self.choices.pick(&[7, 8, 15, 16, 31, 32, 63, 64]);
                let limit = 1i128 << bits;
                let near = limit - 1 + i128::from(self.choices.range(-2, 2));
                if self.choices.chance(NEGATIVE_LIMITS) { -near } else { near }
            }
            Some(2) => {
                let low = self.choices.range(0, 62);
                let high = self.choices.range(low + 1, 63);
                (1i128 << high) - (1i128 << low)
            }
            Some(3) => {
                let bits = self.choices.pick(&[8, 16, 32, 64]);
                let ends = self.choices.range(1, 7);
                let low = i128::from(ends & 3);
                let high = i128::from(ends >> 1) << (bits - 2);
                low | high
            }
            Some(4) if !self.stock.constants.is_empty() => {
                let value = self.choices.pick(&self.stock.constants);
                match self.choices.below(5) {
                    0 => -value,
                    1 => !value,
                    2 => value + 1,
                    3 => value - 1,
                    _ => value,
                }
            }
            _ => match self.choices.below(4) {
                0 => i128::from(self.choices.range(-3, 3)),
                1 => i128::from(self.choices.range(-128, 300)),
                2 => i128::from(self.choices.range(-40000, 70000)),
                _ => i128::from(self.choices.bits() as i64 >> self.choices.range(0, 60)),
            },
        };
        let value = value.clamp(-(1 << 63), (1 << 64) - 1);
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
