//! The part of `<math.h>` that libraries only approximate, C11 7.12. A result that is
//! exact is what every library gives; any other is left open.

use farrier_lang::TypeId;
use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;

use super::errno::{EDOM, ERANGE};
use super::floats::{Magnitude, Number};
use super::mathematics::scalar;
use super::{Arguments, Library};
use crate::kinds::Cause;
use crate::run::Machine;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, unspecified, unsupported};

/// What is known of a result.
enum Known {
    Exact(Number),
    /// Infinite, and `errno` says so: a pole, or an overflow.
    Range(bool),
    /// There is no result.
    Domain,
    Open,
}

const ONE: Number =
    Number { negative: false, magnitude: Magnitude::Finite { mantissa: 1, exponent: 0 } };

const INFINITY: Number = Number { negative: false, magnitude: Magnitude::Infinite };

impl Machine<'_> {
    pub(super) fn approximate_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        let format = self.float_format(result)?;
        let number = |value: FloatValue| Number::decode(value.format, value.bits);
        let first = number(self.float(arguments, 0)?);
        let second = match arguments.len() {
            0 | 1 => Number::ZERO,
            _ => number(self.float(arguments, 1)?),
        };
        let known = match function {
            Library::Pow | Library::Hypot if first.is_nan() || second.is_nan() => {
                return unsupported("pow or hypot of a NaN");
            }
            _ if first.is_nan() || second.is_nan() => {
                return Ok(underspecified::nan(scalar(format)));
            }
            Library::Pow => power(first, second),
            Library::Hypot => hypotenuse(first, second),
            Library::Atan2 => Known::Open,
            _ => of_one(function, first),
        };
        match known {
            Known::Exact(number) => {
                let bits = number.encode(format, false);
                let back = Number::decode(format, bits);
                if back.canonical() == number.canonical() {
                    return Ok(Value::wide(bits));
                }
            }
            Known::Range(negative) => {
                self.fail(ERANGE)?;
                return Ok(Value::wide(Number { negative, ..INFINITY }.encode(format, false)));
            }
            Known::Domain => {
                self.fail(EDOM)?;
                return Ok(underspecified::nan(scalar(format)));
            }
            Known::Open => {}
        }
        unspecified(Cause::Library, "libraries round this result in different ways")
    }
}

/// The value as an integer, if it is one and not large.
fn small_integer(number: Number) -> Option<i64> {
    number.canonical().to_i64().filter(|value| value.abs() < 1 << 20)
}

fn is(number: Number, value: i64) -> bool {
    small_integer(number) == Some(value)
}

fn integer(value: i64) -> Number {
    let magnitude = Magnitude::Finite { mantissa: value.unsigned_abs().into(), exponent: 0 };
    Number { negative: value < 0, magnitude }
}

fn of_one(function: Library, x: Number) -> Known {
    use Library::*;
    let infinite = x.magnitude == Magnitude::Infinite;
    match function {
        // Odd functions through zero.
        Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh | Expm1 | Log1p | Erf | Cbrt
            if x.is_zero() =>
        {
            Known::Exact(x)
        }
        Sin | Cos | Tan if infinite => Known::Domain,
        Sinh | Asinh | Cbrt if infinite => Known::Exact(x),
        Cosh if infinite => Known::Exact(INFINITY),
        Tanh | Erf if infinite => Known::Exact(Number { negative: x.negative, ..ONE }),
        Cos | Cosh | Exp | Exp2 | Erfc if x.is_zero() => Known::Exact(ONE),
        Acos | Log | Log2 | Log10 | Acosh if is(x, 1) => Known::Exact(Number::ZERO),
        Exp | Exp2 if infinite => Known::Exact(if x.negative { Number::ZERO } else { x }),
        Exp2 => match small_integer(x) {
            Some(power) => Known::Exact(ONE.scaled(power)),
            None => Known::Open,
        },
        Exp | Cosh | Sinh => Known::Open,
        Log | Log2 | Log10 if x.is_zero() => Known::Range(true),
        Log | Log2 | Log10 | Acosh if x.negative => Known::Domain,
        Log | Log2 | Log10 | Log1p | Acosh if infinite => Known::Exact(x),
        Log2 => match x.canonical().magnitude {
            Magnitude::Finite { mantissa: 1, exponent } => Known::Exact(integer(exponent.into())),
            _ => Known::Open,
        },
        Log10 => (0..23)
            .find(|exponent| is_power_of_ten(x, *exponent))
            .map_or(Known::Open, |exponent| Known::Exact(integer(exponent.into()))),
        Cbrt => cube_root(x),
        Asin | Acos | Atanh if !infinite && !beyond_one(x) => Known::Open,
        Asin | Acos | Atanh => Known::Domain,
        _ => Known::Open,
    }
}

fn beyond_one(x: Number) -> bool {
    let (_, power) = x.fraction_and_power();
    power > 1 || power == 1 && !matches!(small_integer(x), Some(-1 | 1))
}

fn is_power_of_ten(x: Number, exponent: u32) -> bool {
    let power = Number {
        negative: false,
        magnitude: Magnitude::Finite { mantissa: 10_u128.pow(exponent), exponent: 0 },
    };
    x.canonical() == power.canonical()
}

/// The cube root, if it is exact.
fn cube_root(x: Number) -> Known {
    let Magnitude::Finite { mantissa, exponent } = x.canonical().magnitude else {
        return Known::Open;
    };
    if exponent % 3 != 0 {
        return Known::Open;
    }
    let (mut low, mut high) = (1_u128, 1 << 42);
    while low < high {
        let middle = low.midpoint(high);
        if middle * middle * middle < mantissa { low = middle + 1 } else { high = middle }
    }
    if low * low * low != mantissa {
        return Known::Open;
    }
    let magnitude = Magnitude::Finite { mantissa: low, exponent: exponent / 3 };
    Known::Exact(Number { negative: x.negative, magnitude })
}

fn hypotenuse(x: Number, y: Number) -> Known {
    if x.magnitude == Magnitude::Infinite || y.magnitude == Magnitude::Infinite {
        return Known::Exact(INFINITY);
    }
    if x.is_zero() || y.is_zero() {
        let other = if x.is_zero() { y } else { x };
        return Known::Exact(Number { negative: false, ..other });
    }
    let (Some(x), Some(y)) = (small_integer(x), small_integer(y)) else { return Known::Open };
    let sum = (x * x + y * y) as u64;
    let root = sum.isqrt();
    if root * root == sum { Known::Exact(integer(root as i64)) } else { Known::Open }
}

/// C11 F.10.4.4 for the special cases.
fn power(x: Number, y: Number) -> Known {
    if y.is_zero() || !x.negative && is(x, 1) {
        return Known::Exact(ONE);
    }
    if is(y, 1) {
        return Known::Exact(x);
    }
    let Some(exponent) = small_integer(y) else {
        return match (x.magnitude, y.magnitude) {
            (_, Magnitude::Infinite) | (Magnitude::Infinite, _) => Known::Open,
            _ if x.is_zero() => Known::Open,
            _ if x.negative && y.canonical().rounded(super::floats::Rounding::ToZero) != y => {
                Known::Domain
            }
            // The square root, if it is exact.
            _ if y.canonical() == ONE.scaled(-1) => {
                let (root, sticky) = x.canonical().square_root(FloatFormat::Double);
                if sticky { Known::Open } else { Known::Exact(root) }
            }
            _ => Known::Open,
        };
    };
    let negative = x.negative && exponent % 2 != 0;
    let infinity = Number { negative, ..INFINITY };
    let zero = Number { negative, ..Number::ZERO };
    match (x.canonical().magnitude, exponent > 0) {
        (Magnitude::Infinite, true) => Known::Exact(infinity),
        (Magnitude::Infinite, false) | (Magnitude::Finite { mantissa: 0, .. }, true) => {
            Known::Exact(zero)
        }
        (Magnitude::Finite { mantissa: 0, .. }, false) => Known::Range(negative),
        (Magnitude::Finite { mantissa: 1, exponent: scale }, _) => {
            Known::Exact(Number { negative, ..ONE }.scaled(i64::from(scale) * exponent))
        }
        (Magnitude::Finite { mantissa, exponent: scale }, true) => {
            let result = u32::try_from(exponent).ok().and_then(|e| mantissa.checked_pow(e));
            match result {
                Some(result) => {
                    let magnitude = Magnitude::Finite { mantissa: result, exponent: 0 };
                    let exact = Number { negative, magnitude };
                    Known::Exact(exact.scaled(i64::from(scale) * exponent))
                }
                None => Known::Open,
            }
        }
        _ => Known::Open,
    }
}
