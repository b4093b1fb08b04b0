//! Tier *rounded*: all of IEEE 754, to nearest.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{ExprId, Types};

use crate::generate::draft::Draft;

/// The weights of floating constants: small numbers, integers, borders, any.
const FLOATING_KINDS: [u32; 4] = [1; 4];

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
    /// A floating constant: a small number, an integer, one at a border of the format, or
    /// any finite one.
    pub(super) fn rounded_constant(&mut self) -> ExprId {
        let value = match self.choices.weighted(&FLOATING_KINDS) {
            Some(0) => self.choices.range(-SMALL_FRACTIONS, SMALL_FRACTIONS) as f64 / 4.0,
            Some(1) => self.number() as f64,
            Some(2) => self.choices.pick(&FLOATING_BORDERS),
            _ => f64::from_bits(self.choices.bits()),
        };
        let finite = if value.is_finite() { value } else { f64::MAX };
        let bits = u128::from(finite.to_bits());
        let value = FloatValue { format: FloatFormat::Double, bits };
        self.program.floating(value, Types::DOUBLE).expect("a finite double has a constant")
    }
}
