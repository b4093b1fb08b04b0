//! Tier *rounded*: all of IEEE 754, to nearest.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{BinaryOp, ExprId, IntegerType, Type, TypeId};

use super::suffix;
use crate::features::Feature;
use crate::generate::draft::Draft;

/// The weights of floating constants: small fractions, integers, borders, any.
const FLOATING_KINDS: [u32; 4] = [1; 4];

/// The largest of the small floating constants, in quarters.
const SMALL_FRACTIONS: i64 = 40;

/// How many constants at borders are negative, in percent.
const NEGATIVE_BORDERS: u32 = 40;

/// The integers of constants.
const INTEGERS: IntegerType = IntegerType { signed: true, bits: 128 };

fn integer(format: FloatFormat, value: i128) -> FloatValue {
    FloatValue::from_integer(format, INTEGERS, value).0
}

fn quotient(format: FloatFormat, value: i128, by: i128) -> FloatValue {
    let quotient = integer(format, value).arithmetic(BinaryOp::Div, integer(format, by));
    quotient.expect("a division is arithmetic").0
}

/// Numbers at which something changes: zero, the neighbours of one, where the integers of `float`,
/// `double` and 64 bits end, what has no finite fraction, the ends of the format and of its
/// subnormal numbers, infinity.
static BORDERS: [fn(FloatFormat) -> FloatValue; 13] = [
    FloatValue::zero,
    |format| integer(format, 1).next_up(),
    |format| integer(format, 1).next_down(),
    |format| quotient(format, 1, 10),
    |format| integer(format, (1 << 24) + 1),
    |format| integer(format, (1 << 53) + 1),
    |format| integer(format, 1 << 63),
    |format| FloatValue::zero(format).next_up(),
    |format| FloatValue::smallest_normal(format).next_down(),
    FloatValue::smallest_normal,
    |format| FloatValue::largest(format).next_down(),
    FloatValue::largest,
    FloatValue::infinity,
];

impl Draft<'_> {
    /// A floating constant: a small number, an integer, one at a border of the format, or
    /// any.
    pub(super) fn rounded_constant(&mut self) -> ExprId {
        let ty = self.float_type();
        let Type::Float(kind) = *self.program.resolve(ty) else { unreachable!("it is floating") };
        let (_, format) = self.config.target.float_scalar(kind).expect("the target has it");
        let value = match self.choices.weighted(&FLOATING_KINDS) {
            Some(0) => {
                let quarters = self.choices.range(-SMALL_FRACTIONS, SMALL_FRACTIONS);
                quotient(format, quarters.into(), 4)
            }
            Some(1) => integer(format, self.number()),
            Some(2) => {
                let border = self.choices.pick(&BORDERS)(format);
                if self.choices.chance(NEGATIVE_BORDERS) { border.negate() } else { border }
            }
            _ => {
                let bits = self.choices.bits().into();
                FloatValue { format: FloatFormat::Double, bits }.convert(format).0
            }
        };
        match self.program.floating(value, ty) {
            Some(constant) => constant,
            None => self.infinity(ty, format, suffix(kind)),
        }
    }

    /// Infinity: by its name, or as the result of an overflow.
    fn infinity(&mut self, ty: TypeId, format: FloatFormat, suffix: &str) -> ExprId {
        if self.has(Feature::MathFunction) && self.wants(Feature::LibraryBuiltin) {
            return self.builtin(&format!("__builtin_inf{suffix}"), Vec::new());
        }
        let largest = FloatValue::largest(format);
        let mut largest = || self.program.floating(largest, ty).expect("it is finite");
        let (left, right) = (largest(), largest());
        if self.has(Feature::Multiplication) {
            return self.binary(BinaryOp::Mul, left, right);
        }
        left
    }
}
