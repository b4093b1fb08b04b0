//! The part of `<math.h>` whose results IEEE 754 defines exactly, C11 7.12.

use std::cmp::Ordering;

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{BinaryOp, TypeId};

use super::errno::EDOM;
use super::floats::{Magnitude, Number, Rounding, nan, sign_bit};
use super::{Arguments, Library, argument, missing};
use crate::kinds::Cause;
use crate::run::Machine;
use crate::underspecified;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, unspecified, unsupported};

impl Machine<'_> {
    /// The format of a floating type.
    pub(super) fn float_format(&self, ty: TypeId) -> Checked<FloatFormat> {
        match Scalar::of(self.program, ty) {
            Some(Scalar::Single) => Ok(FloatFormat::Single),
            Some(Scalar::Double) => Ok(FloatFormat::Double),
            Some(Scalar::Float(format)) => Ok(format),
            _ => unsupported("mathematics on this type"),
        }
    }

    /// A floating argument.
    pub(super) fn float(&self, arguments: Arguments<'_>, index: usize) -> Checked<FloatValue> {
        let (value, ty) = *arguments.get(index).ok_or_else(missing)?;
        Ok(FloatValue { format: self.float_format(ty)?, bits: value.bits() })
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each function")]
    pub(super) fn math_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        use Library::*;
        match function {
            Inf => {
                let infinity = FloatValue::infinity(self.float_format(result)?);
                return Ok(Value::wide(infinity.bits));
            }
            Nan => return self.quiet_nan(arguments, result),
            FpClassify => return self.classify_float(arguments),
            IsGreater | IsGreaterEqual | IsLess | IsLessEqual | IsLessGreater | IsUnordered => {
                let (left, right) = (self.float(arguments, 0)?, self.float(arguments, 1)?);
                return Ok(compare(function, left, right));
            }
            _ => {}
        }
        let value = self.float(arguments, 0)?;
        let format = value.format;
        let number = Number::decode(format, value.bits);
        let truth = |truth: bool| Ok(Value::int(i64::from(truth)));
        let exact = |number: Number| Ok(Value::wide(number.encode(format, false)));
        let open_nan = Ok(underspecified::nan(scalar(format)));
        let is_open = |index: usize| underspecified::is_nan(arguments[index].0.high);
        match function {
            IsNan => truth(number.is_nan()),
            IsInf => truth(number.magnitude == Magnitude::Infinite),
            IsInfSign => Ok(Value::int(match number.magnitude {
                Magnitude::Infinite if number.negative => -1,
                Magnitude::Infinite => 1,
                _ => 0,
            })),
            IsFinite => truth(matches!(number.magnitude, Magnitude::Finite { .. })),
            IsNormal => truth(is_normal(number, format)),
            IsSubnormal => truth(number.is_subnormal(format)),
            IsZero => truth(number.is_zero()),
            SignBit if is_open(0) => underspecified::tainted(arguments[0].0, ""),
            SignBit => truth(value.bits & sign_bit(format) != 0),
            FloatAbs if is_open(0) => open_nan,
            FloatAbs => Ok(Value::wide(value.bits & !sign_bit(format))),
            CopySign => {
                let other = self.float(arguments, 1)?;
                if is_open(0) || number.is_nan() && is_open(1) {
                    return open_nan;
                }
                if is_open(1) {
                    return underspecified::tainted(arguments[1].0, "");
                }
                let sign = sign_bit(format);
                Ok(Value::wide(value.bits & !sign | other.bits & sign))
            }
            LongRound | LongRoundEven => {
                let rounding =
                    if function == LongRound { Rounding::Nearest } else { Rounding::NearestEven };
                let class = self.integer_class(result);
                match number.rounded(rounding).to_i64() {
                    Some(whole) if class.contains(whole.into()) => Ok(Value::int(whole)),
                    _ => unspecified(Cause::Indeterminate, "the rounded value does not fit"),
                }
            }
            Fmin | Fmax => self.extreme(function, value, self.float(arguments, 1)?),
            Fdim => {
                let other = self.float(arguments, 1)?;
                match value.compare(other) {
                    Some(Ordering::Greater) => {
                        let (difference, _) = value
                            .arithmetic(BinaryOp::Sub, other)
                            .expect("subtraction is arithmetic");
                        Ok(Value::wide(difference.bits))
                    }
                    Some(_) => exact(Number::ZERO),
                    None => open_nan,
                }
            }
            Fma => self.fused(arguments),
            Frexp if !matches!(number.magnitude, Magnitude::Finite { .. }) => {
                unspecified(Cause::Indeterminate, "this value has no exponent")
            }
            _ if number.is_nan() && !matches!(function, Ilogb | Modf) => open_nan,
            Floor => exact(number.rounded(Rounding::Down)),
            Ceil => exact(number.rounded(Rounding::Up)),
            Trunc => exact(number.rounded(Rounding::ToZero)),
            Round => exact(number.rounded(Rounding::Nearest)),
            RoundEven => exact(number.rounded(Rounding::NearestEven)),
            Sqrt => {
                let (root, sticky) = number.square_root(format);
                if root.is_nan() {
                    self.fail(EDOM)?;
                    return open_nan;
                }
                Ok(Value::wide(root.encode(format, sticky)))
            }
            Fmod => {
                let other = self.float(arguments, 1)?;
                let rest = number.modulo(Number::decode(format, other.bits));
                if rest.is_nan() {
                    if !other.is_nan() {
                        self.fail(EDOM)?;
                    }
                    return open_nan;
                }
                exact(rest)
            }
            Remainder => {
                let other = self.float(arguments, 1)?;
                let rest = number.remainder(Number::decode(format, other.bits));
                if rest.is_nan() {
                    if !other.is_nan() {
                        self.fail(EDOM)?;
                    }
                    return open_nan;
                }
                exact(rest)
            }
            NextAfter => self.next_after(value, self.float(arguments, 1)?),
            Ldexp => exact(number.scaled(argument(arguments, 1)?.low as i64)),
            Frexp => {
                let (fraction, power) = number.fraction_and_power();
                let size = self.program.target.int_bits(farrier_lang::IntKind::Int) / 8;
                let at = self.memory.locate(argument(arguments, 1)?, u64::from(size), size)?;
                self.check_writable(at)?;
                self.memory.write(at, size, power as u128, 0)?;
                exact(fraction)
            }
            Modf => {
                let scalar = scalar(format);
                let size = scalar.size(self.program);
                let at = self.memory.locate(argument(arguments, 1)?, u64::from(size), 1)?;
                self.check_writable(at)?;
                if number.is_nan() {
                    self.store_scalar(at, scalar, underspecified::nan(scalar))?;
                    return open_nan;
                }
                let whole = number.rounded(Rounding::ToZero).encode(format, false);
                self.store_scalar(at, scalar, Value::wide(whole))?;
                exact(number.fraction())
            }
            Ilogb | Logb => {
                let (_, power) = number.fraction_and_power();
                match number.magnitude {
                    Magnitude::Finite { mantissa, .. } if mantissa != 0 => {
                        let power = i64::from(power) - 1;
                        if function == Ilogb {
                            return Ok(Value::int(power));
                        }
                        let magnitude = Magnitude::Finite {
                            mantissa: power.unsigned_abs().into(),
                            exponent: 0,
                        };
                        exact(Number { negative: power < 0, magnitude })
                    }
                    _ => unsupported("the exponent of this floating value"),
                }
            }
            other => unreachable!("{other:?} is no mathematics"),
        }
    }

    /// The larger or smaller of two; a NaN counts for nothing.
    fn extreme(&self, function: Library, left: FloatValue, right: FloatValue) -> Checked<Value> {
        let number = |value: FloatValue| Number::decode(value.format, value.bits);
        let (a, b) = (number(left), number(right));
        if a.is_zero() && b.is_zero() && left.bits != right.bits {
            return unspecified(Cause::Indeterminate, "which of the two zeros results");
        }
        if a.is_nan() && b.is_nan() {
            return Ok(underspecified::nan(scalar(left.format)));
        }
        let wanted = if function == Library::Fmin { Ordering::Less } else { Ordering::Greater };
        let first = b.is_nan() || left.compare(right) == Some(wanted);
        Ok(Value::wide(if first { left.bits } else { right.bits }))
    }

    /// `nextafter` and `nexttoward`, whose goal may be wider. Whether a result that overflows or
    /// is subnormal sets `errno` is up to the library.
    fn next_after(&mut self, value: FloatValue, goal: FloatValue) -> Checked<Value> {
        let (wide, format) = (FloatFormat::Quad, value.format);
        let [from, to] = [value, goal].map(|value| value.convert(wide).0);
        let limit = match from.compare(to) {
            None => return Ok(underspecified::nan(scalar(format))),
            // The sign of a zero is that of the goal.
            Some(Ordering::Equal) => goal.convert(format).0,
            Some(Ordering::Less) => FloatValue::infinity(format),
            Some(Ordering::Greater) => FloatValue::infinity(format).negate(),
        };
        Ok(Value::wide(value.next_toward(limit).bits))
    }

    fn fused(&self, arguments: Arguments<'_>) -> Checked<Value> {
        let all = [self.float(arguments, 0)?, self.float(arguments, 1)?, self.float(arguments, 2)?];
        if all.iter().any(|value| value.is_nan()) {
            return Ok(underspecified::nan(scalar(all[0].format)));
        }
        let [a, b, c] = all;
        let (result, _) = a.fused(b, c);
        Ok(match result.is_nan() {
            true => underspecified::nan(scalar(a.format)),
            false => Value::wide(result.bits),
        })
    }

    /// `nan("1")`: the text is a payload.
    fn quiet_nan(&self, arguments: Arguments<'_>, result: TypeId) -> Checked<Value> {
        let format = self.float_format(result)?;
        let text = self.string(argument(arguments, 0)?)?;
        let text = String::from_utf8_lossy(&text);
        let payload = match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None if text.is_empty() => Some(0),
            None if text.starts_with('0') => u128::from_str_radix(&text, 8).ok(),
            None => text.parse().ok(),
        };
        match payload {
            Some(payload) => Ok(Value::wide(nan(format, payload))),
            None => unsupported("a NaN with this payload"),
        }
    }

    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`
    fn classify_float(&self, arguments: Arguments<'_>) -> Checked<Value> {
        let value = self.float(arguments, 5)?;
        let number = Number::decode(value.format, value.bits);
        let index = match number.magnitude {
            Magnitude::Nan => 0,
            Magnitude::Infinite => 1,
            _ if number.is_zero() => 4,
            _ if number.is_subnormal(value.format) => 3,
            _ => 2,
        };
        argument(arguments, index)
    }
}

/// The type of a floating value, by its format.
pub(super) fn scalar(format: FloatFormat) -> Scalar {
    match format {
        FloatFormat::Single => Scalar::Single,
        FloatFormat::Double => Scalar::Double,
        other => Scalar::Float(other),
    }
}

fn is_normal(number: Number, format: FloatFormat) -> bool {
    matches!(number.magnitude, Magnitude::Finite { mantissa, .. } if mantissa != 0)
        && !number.is_subnormal(format)
}

/// Comparisons that raise no exception. Every format is a part of the widest.
fn compare(function: Library, left: FloatValue, right: FloatValue) -> Value {
    use Library::*;
    let wide = |value: FloatValue| value.convert(FloatFormat::Quad).0;
    let order = wide(left).compare(wide(right));
    let truth = match function {
        IsGreater => order == Some(Ordering::Greater),
        IsGreaterEqual => order.is_some_and(Ordering::is_ge),
        IsLess => order == Some(Ordering::Less),
        IsLessEqual => order.is_some_and(Ordering::is_le),
        IsLessGreater => order.is_some_and(Ordering::is_ne),
        _ => order.is_none(),
    };
    Value::int(i64::from(truth))
}
