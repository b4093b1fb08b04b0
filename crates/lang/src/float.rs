//! Floating values in the formats of the targets, exact to the last bit.

use std::cmp::Ordering;
use std::fmt;

use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

use crate::expr::BinaryOp;
use crate::integer::IntegerType;
use crate::target::FloatFormat;

/// A floating value. Two are equal when their bits are, which is not what `==` of C asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatValue {
    /// Its format.
    pub format: FloatFormat,
    /// Its bits, the lowest first.
    pub bits: u128,
}

/// Evaluates an expression with `$float` standing for the type that has a format.
macro_rules! with_format {
    ($format:expr, $float:ident => $body:expr) => {
        match $format {
            FloatFormat::Half => {
                type $float = Half;
                $body
            }
            FloatFormat::Single => {
                type $float = Single;
                $body
            }
            FloatFormat::Double => {
                type $float = Double;
                $body
            }
            FloatFormat::X87 => {
                type $float = X87DoubleExtended;
                $body
            }
            FloatFormat::Quad => {
                type $float = Quad;
                $body
            }
        }
    };
}

/// A result, and whether it is exact: neither rounded nor invalid.
pub type Rounded = (FloatValue, bool);

impl FloatValue {
    /// Positive zero.
    pub fn zero(format: FloatFormat) -> Self {
        Self { format, bits: 0 }
    }

    /// Positive infinity.
    pub fn infinity(format: FloatFormat) -> Self {
        with_format!(format, F => Self { format, bits: F::INFINITY.to_bits() })
    }

    /// The quiet NaN with a positive sign and no payload.
    pub fn nan(format: FloatFormat) -> Self {
        with_format!(format, F => Self { format, bits: F::NAN.to_bits() })
    }

    /// The largest finite number.
    pub fn largest(format: FloatFormat) -> Self {
        with_format!(format, F => Self { format, bits: F::largest().to_bits() })
    }

    /// The smallest number above zero that is not subnormal.
    pub fn smallest_normal(format: FloatFormat) -> Self {
        with_format!(format, F => Self { format, bits: F::smallest_normalized().to_bits() })
    }

    /// The smallest number that is greater; infinity after the last.
    pub fn next_up(self) -> Self {
        with_format!(self.format, F => {
            Self { bits: F::from_bits(self.bits).next_up().value.to_bits(), ..self }
        })
    }

    /// The greatest number that is smaller; minus infinity after the last.
    pub fn next_down(self) -> Self {
        with_format!(self.format, F => {
            Self { bits: F::from_bits(self.bits).next_down().value.to_bits(), ..self }
        })
    }

    /// Whether it is zero of either sign.
    pub fn is_zero(self) -> bool {
        with_format!(self.format, F => F::from_bits(self.bits).is_zero())
    }

    /// Whether it is not a number.
    pub fn is_nan(self) -> bool {
        with_format!(self.format, F => F::from_bits(self.bits).is_nan())
    }

    /// Whether it is neither infinite nor without a value.
    pub fn is_finite(self) -> bool {
        with_format!(self.format, F => F::from_bits(self.bits).is_finite())
    }

    /// Whether its sign is a minus, even that of a zero.
    pub fn is_negative(self) -> bool {
        with_format!(self.format, F => F::from_bits(self.bits).is_negative())
    }

    /// `-self`: the sign changes, even of a zero and of what is not a number.
    pub fn negate(self) -> Self {
        with_format!(self.format, F => Self { bits: (-F::from_bits(self.bits)).to_bits(), ..self })
    }

    /// `+ - * /`, rounded to nearest; `None` for every other operator.
    pub fn arithmetic(self, op: BinaryOp, right: Self) -> Option<Rounded> {
        debug_assert_eq!(self.format, right.format, "operands are converted");
        with_format!(self.format, F => {
            let (left, right) = (F::from_bits(self.bits), F::from_bits(right.bits));
            let StatusAnd { value, status } = match op {
                BinaryOp::Add => left + right,
                BinaryOp::Sub => left - right,
                BinaryOp::Mul => left * right,
                BinaryOp::Div => left / right,
                _ => return None,
            };
            Some((Self { bits: value.to_bits(), ..self }, status == Status::OK))
        })
    }

    /// `self * factor + addend`, rounded once.
    pub fn fused(self, factor: Self, addend: Self) -> Rounded {
        with_format!(self.format, F => {
            let [value, factor, addend] =
                [self, factor, addend].map(|value| F::from_bits(value.bits));
            let StatusAnd { value, status } = value.mul_add(factor, addend);
            (Self { bits: value.to_bits(), ..self }, status == Status::OK)
        })
    }

    /// The next value on the way to another one, which is itself if they are equal.
    pub fn next_toward(self, goal: Self) -> Self {
        let Some(order) = self.compare(goal) else { return Self::nan(self.format) };
        with_format!(self.format, F => {
            let value = F::from_bits(self.bits);
            let next = match order {
                Ordering::Less => value.next_up().value,
                Ordering::Greater => value.next_down().value,
                Ordering::Equal => return goal,
            };
            Self { bits: next.to_bits(), ..self }
        })
    }

    /// The order of two values; `None` if one is not a number.
    pub fn compare(self, right: Self) -> Option<Ordering> {
        debug_assert_eq!(self.format, right.format, "operands are converted");
        with_format!(self.format, F => F::from_bits(self.bits).partial_cmp(&F::from_bits(right.bits)))
    }

    /// A comparison of C; `None` for every other operator.
    pub fn comparison(self, op: BinaryOp, right: Self) -> Option<bool> {
        let order = self.compare(right);
        Some(match op {
            BinaryOp::Less => order == Some(Ordering::Less),
            BinaryOp::Greater => order == Some(Ordering::Greater),
            BinaryOp::LessEqual => order.is_some_and(Ordering::is_le),
            BinaryOp::GreaterEqual => order.is_some_and(Ordering::is_ge),
            BinaryOp::Equal => order == Some(Ordering::Equal),
            BinaryOp::NotEqual => order != Some(Ordering::Equal),
            _ => return None,
        })
    }

    /// The odd number and the power of two of which its magnitude is the product; `None` for zero
    /// and for what is not finite.
    pub fn odd(self) -> Option<(u128, i32)> {
        with_format!(self.format, F => {
            let value = F::from_bits(self.bits).abs();
            if value.is_zero() || !value.is_finite() {
                return None;
            }
            let lowest = value.ilogb() - (F::PRECISION as i32 - 1);
            let significand = value.scalbn(-lowest).to_u128(128).value;
            let zeros = significand.trailing_zeros();
            Some((significand >> zeros, lowest + zeros as i32))
        })
    }

    /// `significand * 2^exponent`, rounded to nearest.
    pub fn scaled(format: FloatFormat, significand: u128, exponent: i32) -> Self {
        with_format!(format, F => {
            let value = F::from_u128(significand).value.scalbn(exponent);
            Self { format, bits: value.to_bits() }
        })
    }

    /// The shortest decimal that is read as this value; `None` in formats wider than a double.
    pub fn decimal(self) -> Option<String> {
        Some(match self.format {
            FloatFormat::Double => format!("{:?}", f64::from_bits(self.bits as u64)),
            FloatFormat::Half | FloatFormat::Single => {
                let (single, _) = self.convert(FloatFormat::Single);
                format!("{:?}", f32::from_bits(single.bits as u32))
            }
            FloatFormat::X87 | FloatFormat::Quad => return None,
        })
    }

    /// The value in another format, rounded to nearest.
    pub fn convert(self, format: FloatFormat) -> Rounded {
        with_format!(self.format, F => with_format!(format, G => {
            let mut loses = false;
            let converted: StatusAnd<G> = F::from_bits(self.bits).convert(&mut loses);
            (Self { format, bits: converted.value.to_bits() }, !loses)
        }))
    }

    /// The value without its fraction, C11 6.3.1.4p1; `None` if it does not fit.
    pub fn to_integer(self, ty: IntegerType) -> Option<i128> {
        with_format!(self.format, F => {
            let value = F::from_bits(self.bits);
            let mut exact = false;
            // A bit-field may have one bit, which these functions do not take for a width.
            let (status, result) = if ty.signed {
                let result = value.to_i128_r(128, Round::TowardZero, &mut exact);
                (result.status, result.value)
            } else {
                let result = value.to_u128_r(128, Round::TowardZero, &mut exact);
                (result.status, result.value as i128)
            };
            (!status.contains(Status::INVALID_OP) && ty.wrap(result) == result).then_some(result)
        })
    }

    /// Whether a constant with this value is finite, and its shortest decimal exactly the
    /// value. A compiler may read any other with more digits than its type has, C11
    /// 5.2.4.2.2p9. Printed constants of the widest formats are exact.
    pub fn is_exact_constant(self) -> bool {
        let text = match self.format {
            FloatFormat::X87 | FloatFormat::Quad => return self.is_finite(),
            FloatFormat::Double => format!("{:?}", f64::from_bits(self.bits as u64)),
            FloatFormat::Single | FloatFormat::Half => {
                format!("{:?}", f32::from_bits(self.convert(FloatFormat::Single).0.bits as u32))
            }
        };
        let wide = self.convert(FloatFormat::Quad).0.bits;
        let same =
            |read: StatusAnd<Quad>| read.status == Status::OK && read.value.to_bits() == wide;
        self.is_finite() && Quad::from_str_r(&text, Round::NearestTiesToEven).is_ok_and(same)
    }

    /// A value of an integer type, rounded to nearest.
    pub fn from_integer(format: FloatFormat, ty: IntegerType, value: i128) -> Rounded {
        with_format!(format, F => {
            let result = if ty.signed { F::from_i128(value) } else { F::from_u128(value as u128) };
            (Self { format, bits: result.value.to_bits() }, result.status == Status::OK)
        })
    }
}

/// Hexadecimal, and decimal where that is short: `0x1.8p+0 (1.5)`.
impl fmt::Display for FloatValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_nan() {
            return f.write_str("nan");
        }
        if self.is_negative() {
            f.write_str("-")?;
        }
        let Some((odd, exponent)) = self.odd() else {
            return f.write_str(if self.is_zero() { "0.0" } else { "inf" });
        };
        let fraction_bits = 127 - odd.leading_zeros();
        let digits = fraction_bits.div_ceil(4);
        let fraction = (odd ^ 1 << fraction_bits) << (4 * digits - fraction_bits);
        let power = exponent + fraction_bits as i32;
        if digits == 0 {
            write!(f, "0x1p{power:+}")?;
        } else {
            write!(f, "0x1.{fraction:0width$x}p{power:+}", width = digits as usize)?;
        }
        self.decimal().map_or(Ok(()), |decimal| write!(f, " ({decimal})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> FloatValue {
        FloatValue { format: FloatFormat::Double, bits: value.to_bits().into() }
    }

    #[test]
    fn arithmetic_agrees_with_the_host() {
        for (left, right) in [(0.1, 0.2), (1.0, 3.0), (-0.0, 0.0), (1e308, 1e308), (5e-324, 0.5)] {
            for (op, expected) in [
                (BinaryOp::Add, left + right),
                (BinaryOp::Sub, left - right),
                (BinaryOp::Mul, left * right),
            ] {
                let (value, _) = double(left).arithmetic(op, double(right)).expect("arithmetic");
                assert_eq!(value, double(expected), "{left} {} {right}", op.text());
            }
        }
        assert_eq!(
            double(1.0).arithmetic(BinaryOp::Div, double(3.0)),
            Some((double(1.0 / 3.0), false))
        );
        assert_eq!(double(1.0).arithmetic(BinaryOp::Div, double(4.0)), Some((double(0.25), true)));
        assert_eq!(double(1.0).arithmetic(BinaryOp::Shl, double(1.0)), None);
    }

    #[test]
    fn neighbours() {
        let one = double(1.0);
        assert_eq!(one.next_up(), double(1.0 + f64::EPSILON));
        assert_eq!(one.next_down(), double(1.0 - f64::EPSILON / 2.0));
        assert_eq!(FloatValue::largest(FloatFormat::Double), double(f64::MAX));
        assert_eq!(double(f64::MAX).next_up(), FloatValue::infinity(FloatFormat::Double));
        assert_eq!(FloatValue::smallest_normal(FloatFormat::Double), double(f64::MIN_POSITIVE));
        assert_eq!(FloatValue::zero(FloatFormat::Double).next_up(), double(5e-324));
        let below = FloatValue::smallest_normal(FloatFormat::X87).next_down();
        assert_eq!(below.bits, 0x7fff_ffff_ffff_ffff);
    }

    #[test]
    fn conversions() {
        let int = IntegerType { signed: true, bits: 32 };
        let unsigned = IntegerType { signed: false, bits: 32 };
        for (value, ty, expected) in [
            (-1.9, int, Some(-1)),
            (2147483647.5, int, Some(2147483647)),
            (2147483648.0, int, None),
            (-2147483648.5, int, Some(-2147483648)),
            (-2147483649.0, int, None),
            (4294967295.5, unsigned, Some(4294967295)),
            (-0.5, unsigned, Some(0)),
            (-1.0, unsigned, None),
            (f64::NAN, int, None),
            (f64::INFINITY, int, None),
            (-1.5, IntegerType { signed: true, bits: 1 }, Some(-1)),
            (1.0, IntegerType { signed: true, bits: 1 }, None),
        ] {
            assert_eq!(double(value).to_integer(ty), expected, "{value}");
        }
        let (half, exact) = double(0.1).convert(FloatFormat::Half);
        assert_eq!((half.bits, exact), (0x2e66, false));
        let (single, exact) = FloatValue::from_integer(FloatFormat::Single, int, 16777217);
        assert_eq!((single.bits, exact), (0x4b80_0000, false));
        let (extended, exact) = double(1.0).convert(FloatFormat::X87);
        assert_eq!((extended.bits, exact), (0x3fff_8000_0000_0000_0000, true));
    }

    #[test]
    fn odd_numbers_and_powers_of_two() {
        for (value, odd) in [(12.0, (3, 2)), (-0.75, (3, -2)), (5e-324, (1, -1074)), (1.0, (1, 0))]
        {
            assert_eq!(double(value).odd(), Some(odd), "{value}");
            let again = FloatValue::scaled(FloatFormat::Double, odd.0, odd.1);
            assert_eq!(again, double(f64::abs(value)));
            let (extended, _) = double(value).convert(FloatFormat::X87);
            assert_eq!(extended.odd(), Some(odd), "{value}");
        }
        assert_eq!([0.0, f64::INFINITY, f64::NAN].map(|value| double(value).odd()), [None; 3]);
    }

    #[test]
    fn constants_whose_decimal_is_exact() {
        for value in [0.0, 1.0, -2.5, 1024.0, 0.375, 1e15, 1e22, 9007199254740992.0] {
            assert!(double(value).is_exact_constant(), "{value}");
        }
        for value in [0.1, 1152921504606846976.0, f64::INFINITY, f64::NAN, 9.313225746154785e-10] {
            assert!(!double(value).is_exact_constant(), "{value}");
        }
        let single = |value| double(value).convert(FloatFormat::Single).0;
        assert!(single(16777216.0).is_exact_constant());
        // Nine digits are enough to read it back, and not all of it.
        assert!(!single(1073741824.0).is_exact_constant());
    }

    #[test]
    fn values_in_words() {
        for (value, words) in [
            (1.5, "0x1.8p+0 (1.5)"),
            (-0.0, "-0.0"),
            (-4.0, "-0x1p+2 (-4.0)"),
            (1.0 + f64::EPSILON, "0x1.0000000000001p+0 (1.0000000000000002)"),
            (5e-324, "0x1p-1074 (5e-324)"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(double(value).to_string(), words);
        }
    }

    #[test]
    fn fused_operations_and_neighbours() {
        let (almost, _) = double(1.0).arithmetic(BinaryOp::Sub, double(f64::EPSILON)).expect("one");
        let rest = almost.fused(almost, double(-1.0));
        let expected = (1.0 - f64::EPSILON).mul_add(1.0 - f64::EPSILON, -1.0);
        assert_eq!(rest, (double(expected), true));
        assert!(!almost.fused(almost, double(1.0)).1);
        for (from, to, next) in [
            (0.0, 1.0, 5e-324),
            (0.0, -1.0, -5e-324),
            (0.0, -0.0, -0.0),
            (1.0, 2.0, 1.0 + f64::EPSILON),
            (f64::MAX, f64::INFINITY, f64::INFINITY),
            (5e-324, -1.0, 0.0),
        ] {
            assert_eq!(double(from).next_toward(double(to)), double(next), "{from} to {to}");
        }
    }

    #[test]
    fn comparisons() {
        let nan = double(f64::NAN);
        assert_eq!(nan.comparison(BinaryOp::Equal, nan), Some(false));
        assert_eq!(nan.comparison(BinaryOp::NotEqual, nan), Some(true));
        assert_eq!(nan.comparison(BinaryOp::LessEqual, double(1.0)), Some(false));
        assert_eq!(double(-0.0).comparison(BinaryOp::Equal, double(0.0)), Some(true));
        assert!(double(-0.0).is_zero() && nan.is_nan());
        assert_eq!(FloatValue::infinity(FloatFormat::Double), double(f64::INFINITY));
    }
}
