//! Operators and conversions on scalar values, with every rule that they can break.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{ArithmeticFault, BinaryOp, IntegerType, UnaryOp};

use crate::kinds::UbKind;
use crate::underspecified;
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{Checked, undefined};

/// The rules of integers for a scalar type.
fn integer(ty: Scalar) -> IntegerType {
    match ty {
        Scalar::Int { signed, bits } => IntegerType { signed, bits: u32::from(bits) },
        Scalar::Wide { signed, bits } => IntegerType { signed, bits: u32::from(bits) },
        Scalar::Bool => IntegerType { signed: false, bits: 1 },
        _ => unreachable!("{ty:?} is not an integer type"),
    }
}

fn fault<T>(fault: ArithmeticFault, op: &str, left: i128, right: i128) -> Checked<T> {
    let (kind, message) = match fault {
        ArithmeticFault::Overflow => (
            UbKind::SignedOverflow,
            format!("{left} {op} {right} does not fit the type of the result"),
        ),
        ArithmeticFault::DivisionByZero => (UbKind::DivisionByZero, format!("{left} {op} 0")),
        ArithmeticFault::ShiftAmount => {
            (UbKind::ShiftCount, format!("{left} {op} {right}: the count is out of range"))
        }
        ArithmeticFault::ShiftOverflow => (
            UbKind::ShiftOverflow,
            format!("{left} {op} {right} does not fit the type of the result"),
        ),
        ArithmeticFault::BuiltinArgument => (UbKind::BuiltinArgument, format!("{left}")),
    };
    undefined(kind, message)
}

fn tainted<T>(value: Value) -> Checked<T> {
    underspecified::tainted(value, "the result depends on where an object is in memory")
}

/// A truth value.
fn truth(value: bool) -> Value {
    Value { low: u64::from(value), high: 0 }
}

/// Whether a scalar is not zero.
#[inline]
pub(crate) fn is_nonzero(ty: Scalar, value: Value) -> Checked<bool> {
    match ty {
        Scalar::Int { .. } | Scalar::Bool => {
            if value.high != 0 {
                return is_nonzero_tainted(value);
            }
            Ok(value.low != 0)
        }
        Scalar::Pointer => Ok(value.low != 0 || value.high != 0),
        Scalar::Wide { .. } => Ok(value.bits() != 0),
        Scalar::Single => Ok(f32::from_bits(value.low as u32) != 0.0),
        Scalar::Double => Ok(f64::from_bits(value.low) != 0.0),
        Scalar::Float(format) => Ok(!FloatValue { format, bits: value.bits() }.is_zero()),
    }
}

#[cold]
fn is_nonzero_tainted(value: Value) -> Checked<bool> {
    match underspecified::is_nonzero(value) {
        Some(answer) => Ok(answer),
        None if value.low == 0 && !underspecified::is_mark(value.high) => Ok(false),
        None => tainted(value),
    }
}

/// `- ~ !` and `+`.
pub(crate) fn unary(op: UnaryOp, ty: Scalar, value: Value) -> Checked<Value> {
    match (op, ty) {
        (UnaryOp::Not, _) => Ok(truth(!is_nonzero(ty, value)?)),
        // A sign that is known stays so, even that of a NaN; one that is open stays open.
        (UnaryOp::Minus, Scalar::Single) => Ok(Value { low: value.low ^ 1 << 31, ..value }),
        (UnaryOp::Minus, Scalar::Double) => Ok(Value { low: value.low ^ 1 << 63, ..value }),
        (UnaryOp::Minus, Scalar::Float(_)) if underspecified::is_nan(value.high) => Ok(value),
        (UnaryOp::Minus, Scalar::Float(format)) => {
            Ok(Value::wide(FloatValue { format, bits: value.bits() }.negate().bits))
        }
        (UnaryOp::Minus, Scalar::Wide { .. }) => {
            let number = value.bits() as i128;
            match integer(ty).negate(number) {
                Ok(result) => Ok(Value::wide(result as u128)),
                Err(reason) => fault(reason, "-", 0, number),
            }
        }
        (UnaryOp::BitNot, Scalar::Wide { .. }) => {
            Ok(Value::wide(integer(ty).wrap(!value.bits() as i128) as u128))
        }
        (UnaryOp::Minus | UnaryOp::BitNot, Scalar::Int { signed, bits }) => {
            if value.high != 0 {
                let negated =
                    underspecified::negate(value).filter(|_| op == UnaryOp::Minus && signed);
                return negated.map_or_else(|| tainted(value), Ok);
            }
            if op == UnaryOp::BitNot {
                return Ok(Value { low: wrap(!value.low, signed, bits), high: 0 });
            }
            let result = wrap(value.low.wrapping_neg(), signed, bits);
            if signed && result == value.low && value.low != 0 {
                return undefined(
                    UbKind::SignedOverflow,
                    format!("-({}) does not fit its type", value.low as i64),
                );
            }
            Ok(Value { low: result, high: 0 })
        }
        _ => Ok(value),
    }
}

/// What most operations on integers are, where nothing is special about the operands and the
/// result: `None` says that [`binary`] is to be asked.
#[inline(always)]
pub(crate) fn plain_number(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Option<u64> {
    let Scalar::Int { signed, bits } = ty else { return None };
    if (left.high | right.high) != 0 {
        return None;
    }
    let (a, b) = (left.low, right.low);
    let less = |a: u64, b: u64| if signed { (a as i64) < b as i64 } else { a < b };
    let result = match op {
        BinaryOp::Add if signed => (a as i64).checked_add(b as i64)? as u64,
        BinaryOp::Sub if signed => (a as i64).checked_sub(b as i64)? as u64,
        BinaryOp::Mul if signed => (a as i64).checked_mul(b as i64)? as u64,
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Equal => return Some(u64::from(a == b)),
        BinaryOp::NotEqual => return Some(u64::from(a != b)),
        BinaryOp::Less => return Some(u64::from(less(a, b))),
        BinaryOp::GreaterEqual => return Some(u64::from(!less(a, b))),
        BinaryOp::Greater => return Some(u64::from(less(b, a))),
        BinaryOp::LessEqual => return Some(u64::from(!less(b, a))),
        _ => return None,
    };
    let low = wrap(result, signed, bits);
    (!signed || low == result).then_some(low)
}

/// The same as a value.
#[inline(always)]
pub(crate) fn plain_binary(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Option<Value> {
    plain_number(op, ty, left, right).map(|low| Value { low, high: 0 })
}

/// What [`binary`] gives where [`plain_number`] does not know the operator on this type. Out of
/// line, so that its many cases do not take the place of what is usual.
#[inline(never)]
pub(crate) fn other_binary(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Option<Value> {
    let division = matches!(op, BinaryOp::Div | BinaryOp::Rem);
    match ty {
        Scalar::Int { .. } if !division => None,
        _ => binary(op, ty, left, right).ok(),
    }
}

/// The same as [`plain_number`] for conversions.
#[inline(always)]
pub(crate) fn plain_conversion(from: Scalar, to: Scalar, value: Value) -> Option<u64> {
    match (from, to) {
        (Scalar::Int { .. } | Scalar::Bool, Scalar::Int { signed, bits }) if value.high == 0 => {
            Some(wrap(value.low, signed, bits))
        }
        _ => None,
    }
}

/// The same as a value.
#[inline(always)]
pub(crate) fn plain_convert(from: Scalar, to: Scalar, value: Value) -> Option<Value> {
    plain_conversion(from, to, value).map(|low| Value { low, high: 0 })
}

/// What [`convert`] gives if it breaks no rule.
#[inline(never)]
pub(crate) fn other_convert(from: Scalar, to: Scalar, value: Value) -> Option<Value> {
    convert(from, to, value).ok()
}

/// The same as [`plain_number`] for shifts.
#[inline(always)]
pub(crate) fn plain_shift(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Option<u64> {
    let Scalar::Int { signed, bits } = ty else { return None };
    // A negative count is a huge one here.
    let count = right.low;
    if (left.high | right.high) != 0 || count >= u64::from(bits) {
        return None;
    }
    match op {
        BinaryOp::Shr if signed => Some(((left.low as i64) >> count) as u64),
        BinaryOp::Shr => Some(left.low >> count),
        _ => {
            let result = wrap(left.low << count, signed, bits);
            let lost =
                signed && ((left.low as i64) < 0 || (result as i64) >> count != left.low as i64);
            (!lost).then_some(result)
        }
    }
}

/// What [`unary`] gives if it breaks no rule.
#[inline(never)]
pub(crate) fn usual_unary(op: UnaryOp, ty: Scalar, value: Value) -> Option<Value> {
    unary(op, ty, value).ok()
}

/// Operators with two operands of one type, which are not pointers and not shifts.
#[inline]
pub(crate) fn binary(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Checked<Value> {
    match ty {
        Scalar::Int { signed, bits } => {
            if (left.high | right.high) != 0 {
                return binary_tainted(op, signed, bits, left, right);
            }
            if signed {
                binary_signed(op, bits, left.low as i64, right.low as i64)
            } else {
                binary_unsigned(op, bits, left.low, right.low)
            }
        }
        Scalar::Single => {
            let (a, b) = (f32::from_bits(left.low as u32), f32::from_bits(right.low as u32));
            let result = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                _ => return Ok(compare(op, a.partial_cmp(&b))),
            };
            Ok(float_result(ty, u64::from(result.to_bits()), result.is_nan()))
        }
        Scalar::Double => {
            let (a, b) = (f64::from_bits(left.low), f64::from_bits(right.low));
            let result = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                BinaryOp::Div => a / b,
                _ => return Ok(compare(op, a.partial_cmp(&b))),
            };
            Ok(float_result(ty, result.to_bits(), result.is_nan()))
        }
        Scalar::Float(format) => {
            let a = FloatValue { format, bits: left.bits() };
            let b = FloatValue { format, bits: right.bits() };
            Ok(match a.arithmetic(op, b) {
                Some((result, _)) if result.is_nan() => underspecified::nan(ty),
                Some((result, _)) => Value::wide(result.bits),
                None => compare(op, a.compare(b)),
            })
        }
        Scalar::Wide { .. } | Scalar::Bool => {
            let class = integer(ty);
            let (a, b) = (left.bits() as i128, right.bits() as i128);
            if op.is_comparison() {
                let order = if class.less(a, b) {
                    std::cmp::Ordering::Less
                } else if a == b {
                    std::cmp::Ordering::Equal
                } else {
                    std::cmp::Ordering::Greater
                };
                return Ok(compare(op, Some(order)));
            }
            match class.binary(op, a, b) {
                Ok(result) => Ok(Value::wide(result as u128)),
                Err(reason) => fault(reason, op.text(), a, b),
            }
        }
        Scalar::Pointer => unreachable!("pointers have operations of their own"),
    }
}

/// The result of an operation on floating values.
#[inline]
pub(crate) fn float_result(ty: Scalar, bits: u64, is_nan: bool) -> Value {
    if is_nan { underspecified::nan(ty) } else { Value { low: bits, high: 0 } }
}

fn compare(op: BinaryOp, order: Option<std::cmp::Ordering>) -> Value {
    use std::cmp::Ordering;
    truth(match op {
        BinaryOp::Less => order == Some(Ordering::Less),
        BinaryOp::Greater => order == Some(Ordering::Greater),
        BinaryOp::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        BinaryOp::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        BinaryOp::Equal => order == Some(Ordering::Equal),
        BinaryOp::NotEqual => order != Some(Ordering::Equal),
        _ => unreachable!("{op:?} is no comparison"),
    })
}

#[inline]
fn binary_signed(op: BinaryOp, bits: u8, a: i64, b: i64) -> Checked<Value> {
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div | BinaryOp::Rem => {
            if b == 0 {
                return fault(ArithmeticFault::DivisionByZero, op.text(), a.into(), b.into());
            }
            // INT_MIN % -1 is undefined because INT_MIN / -1 is (C11 6.5.5p6).
            let lowest = i64::MIN >> (64 - u32::from(bits));
            if a == lowest && b == -1 {
                None
            } else {
                Some(if op == BinaryOp::Div { a / b } else { a % b })
            }
        }
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        _ => return Ok(compare(op, Some(a.cmp(&b)))),
    };
    match result {
        Some(result) if wrap(result as u64, true, bits) == result as u64 => Ok(Value::int(result)),
        _ => fault(ArithmeticFault::Overflow, op.text(), a.into(), b.into()),
    }
}

#[inline]
fn binary_unsigned(op: BinaryOp, bits: u8, a: u64, b: u64) -> Checked<Value> {
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div | BinaryOp::Rem if b == 0 => {
            return fault(ArithmeticFault::DivisionByZero, op.text(), a.into(), b.into());
        }
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return Ok(compare(op, Some(a.cmp(&b)))),
    };
    Ok(Value { low: wrap(result, false, bits), high: 0 })
}

/// Arithmetic on integers that were made from pointers. Moving such an integer
/// keeps what it points to; anything else depends on the address.
#[cold]
fn binary_tainted(
    op: BinaryOp,
    signed: bool,
    bits: u8,
    left: Value,
    right: Value,
) -> Checked<Value> {
    if underspecified::is_mark(left.high) || underspecified::is_mark(right.high) {
        let marked = if underspecified::is_mark(left.high) { left } else { right };
        let equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let answer = underspecified::compare(op, bits, left, right).filter(|_| signed || equality);
        return answer.map_or_else(|| tainted(marked), |answer| Ok(truth(answer)));
    }
    let provenance = match (left.high, right.high) {
        (provenance, 0) => provenance,
        (0, provenance) if op == BinaryOp::Add => provenance,
        (a, b) if a == b && matches!(op, BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Sub) => {
            // The distance inside one object does not depend on its address.
            let plain = |value: Value| Value { high: 0, ..value };
            return binary(op, Scalar::Int { signed, bits }, plain(left), plain(right));
        }
        _ => return tainted(left),
    };
    let result = match op {
        BinaryOp::Add => left.low.wrapping_add(right.low),
        BinaryOp::Sub => left.low.wrapping_sub(right.low),
        // An address is never null.
        BinaryOp::Equal if right.low == 0 && right.high == 0 => return Ok(truth(false)),
        BinaryOp::NotEqual if right.low == 0 && right.high == 0 => return Ok(truth(true)),
        _ => return tainted(left),
    };
    Ok(Value { low: wrap(result, signed, bits), high: provenance })
}

/// A count of 128 bits for [`shift`], which looks at 64 of them. No shift has a width
/// that either limit is a count for.
pub(crate) fn wide_count(value: Value, signed: bool) -> Value {
    let bits = value.bits();
    let count = if signed || bits <= i128::MAX as u128 { bits as i128 } else { i128::MAX };
    Value::int(count.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
}

/// `<<` and `>>`: the count has a type of its own.
#[inline]
pub(crate) fn shift(op: BinaryOp, ty: Scalar, left: Value, right: Value) -> Checked<Value> {
    if let Some(low) = plain_shift(op, ty, left, right) {
        return Ok(Value { low, high: 0 });
    }
    let Scalar::Int { signed, bits } = ty else {
        let class = integer(ty);
        let (a, b) = (left.bits() as i128, right.low as i64 as i128);
        return match class.binary(op, a, b) {
            Ok(result) => Ok(Value::wide(result as u128)),
            Err(reason) => fault(reason, op.text(), a, b),
        };
    };
    if (left.high | right.high) != 0 {
        return tainted(if left.high != 0 { left } else { right });
    }
    let number = if signed { i128::from(left.low as i64) } else { left.low.into() };
    match right.low >= u64::from(bits) {
        true => {
            let count = (right.low as i64).into();
            fault(ArithmeticFault::ShiftAmount, op.text(), number, count)
        }
        false => fault(ArithmeticFault::ShiftOverflow, op.text(), number, right.low.into()),
    }
}

/// Whether a value fits a type of fewer bits.
pub(crate) fn fits(value: Value, wide: bool, class: IntegerType) -> bool {
    let number = match (wide, class.signed) {
        (true, _) => value.bits() as i128,
        (false, true) => i128::from(value.low as i64),
        (false, false) => i128::from(value.low),
    };
    class.wrap(number) == number
}

/// The length of a variable array, C11 6.7.6.2p5: it must be positive.
pub(crate) fn length(value: Value, signed: bool) -> Checked<Value> {
    if value.high != 0 {
        return tainted(value);
    }
    if signed && value.low as i64 <= 0 || value.low == 0 || value.low > i64::MAX as u64 {
        let shown = if signed { (value.low as i64).to_string() } else { value.low.to_string() };
        return undefined(UbKind::VlaLength, format!("the length of this array is {shown}"));
    }
    Ok(value)
}

/// Conversions between scalar types, C11 6.3.1 and 6.3.2.3.
#[inline]
pub(crate) fn convert(from: Scalar, to: Scalar, value: Value) -> Checked<Value> {
    match (from, to) {
        (Scalar::Int { .. } | Scalar::Bool, Scalar::Int { signed, bits }) => {
            if value.high != 0 {
                return narrow_tainted(from, signed, bits, value);
            }
            Ok(Value { low: wrap(value.low, signed, bits), high: 0 })
        }
        (_, Scalar::Bool) => Ok(truth(is_nonzero(from, value)?)),
        (Scalar::Int { signed, .. }, Scalar::Wide { .. }) => {
            if value.high != 0 {
                return tainted(value);
            }
            let number = if signed { i128::from(value.low as i64) } else { i128::from(value.low) };
            Ok(Value::wide(integer(to).wrap(number) as u128))
        }
        (Scalar::Bool, Scalar::Wide { .. }) => Ok(value),
        (Scalar::Wide { .. }, Scalar::Int { signed, bits }) => {
            Ok(Value { low: wrap(value.low, signed, bits), high: 0 })
        }
        (Scalar::Wide { .. }, Scalar::Wide { .. }) => {
            Ok(Value::wide(integer(to).wrap(value.bits() as i128) as u128))
        }
        (Scalar::Pointer, Scalar::Pointer) => Ok(value),
        // The integer keeps the provenance, so that it can become the pointer again.
        (Scalar::Pointer, Scalar::Int { signed, bits }) => {
            if value.high == 0 {
                return Ok(Value { low: wrap(value.low, signed, bits), high: 0 });
            }
            narrow_tainted(from, signed, bits, value)
        }
        (Scalar::Int { .. }, Scalar::Pointer) if underspecified::is_mark(value.high) => {
            tainted(value)
        }
        (Scalar::Int { .. } | Scalar::Bool, Scalar::Pointer) => Ok(value),
        (Scalar::Wide { .. }, Scalar::Pointer) => Ok(Value { low: value.low, high: 0 }),
        (Scalar::Pointer, Scalar::Wide { .. }) => {
            if value.high == 0 {
                Ok(value)
            } else {
                tainted(value)
            }
        }
        _ => convert_float(from, to, value),
    }
}

/// Cuts an integer that was made from a pointer; a part of an address means nothing.
#[cold]
fn narrow_tainted(from: Scalar, signed: bool, bits: u8, value: Value) -> Checked<Value> {
    let low = wrap(value.low, signed, bits);
    if underspecified::valued_bits(value.high).is_some() {
        // A byte without a value may be copied as another type of characters, but not used.
        let copied = bits == 8 && matches!(from, Scalar::Int { bits: 8, .. });
        return if copied { Ok(Value { low, ..value }) } else { tainted(value) };
    }
    let holds_all = !matches!(from, Scalar::Int { bits: wider, .. } if wider > bits);
    if underspecified::is_mark(value.high) {
        // A wider type keeps what is known, unless the sign becomes a part of the value.
        let holds = underspecified::is_unknown(value.high) || holds_all && low == value.low;
        return if holds { Ok(value) } else { tainted(value) };
    }
    if holds_all { Ok(Value { low, high: value.high }) } else { tainted(value) }
}

/// The format of a floating type.
pub(crate) fn float_format(ty: Scalar) -> Option<FloatFormat> {
    match ty {
        Scalar::Single => Some(FloatFormat::Single),
        Scalar::Double => Some(FloatFormat::Double),
        Scalar::Float(format) => Some(format),
        _ => None,
    }
}

/// Whether an operation on floating values, or a conversion, has a result that is neither
/// rounded nor invalid. What is not a number stays so exactly.
pub(crate) fn is_exact(
    op: Option<BinaryOp>,
    from: Scalar,
    to: Scalar,
    left: Value,
    right: Value,
) -> Checked<bool> {
    let float = |format, value: Value| FloatValue { format, bits: value.bits() };
    Ok(match (op, float_format(from), float_format(to)) {
        (Some(op), Some(format), _) => {
            let result = float(format, left).arithmetic(op, float(format, right));
            result.is_none_or(|(_, exact)| exact)
        }
        (None, Some(format), Some(target)) => {
            let source = float(format, left);
            source.is_nan() || source.convert(target).1
        }
        (None, Some(format), None) => {
            let (source, class) = (float(format, left), integer(to));
            source.to_integer(class).is_some_and(|number| {
                let (back, _) = FloatValue::from_integer(format, class, number);
                back.compare(source) == Some(std::cmp::Ordering::Equal)
            })
        }
        (None, None, Some(format)) => {
            if left.high != 0 && !matches!(from, Scalar::Wide { .. }) {
                return tainted(left);
            }
            FloatValue::from_integer(format, integer(from), number_of(from, left)).1
        }
        _ => true,
    })
}

/// Whether a floating value is neither infinite nor without a number.
pub(crate) fn is_finite(format: FloatFormat, value: Value) -> bool {
    !underspecified::is_nan(value.high) && FloatValue { format, bits: value.bits() }.is_finite()
}

/// Whether an operation on floating values, or a conversion, is one on finite values whose
/// result is not rounded. A conversion to an integer drops the fraction of a known number.
pub(crate) fn keeps_number(
    op: Option<BinaryOp>,
    from: Scalar,
    to: Scalar,
    left: Value,
    right: Value,
) -> bool {
    let Some(format) = float_format(from) else {
        return is_exact(op, from, to, left, right).unwrap_or(true);
    };
    let finite = |value: Value| is_finite(format, value);
    let to_integer = op.is_none() && float_format(to).is_none();
    finite(left)
        && finite(right)
        && (to_integer || is_exact(op, from, to, left, right).unwrap_or(true))
}

/// The number that an integer value is.
fn number_of(ty: Scalar, value: Value) -> i128 {
    match ty {
        Scalar::Int { signed: true, .. } => i128::from(value.low as i64),
        Scalar::Wide { .. } => value.bits() as i128,
        _ => i128::from(value.low),
    }
}

fn convert_float(from: Scalar, to: Scalar, value: Value) -> Checked<Value> {
    match (from, to) {
        (Scalar::Single, Scalar::Double) => {
            let single = f32::from_bits(value.low as u32);
            if !single.is_nan() {
                return Ok(Value { low: f64::from(single).to_bits(), high: 0 });
            }
        }
        (Scalar::Int { signed, .. }, Scalar::Double) if value.high == 0 => {
            let result = if signed { value.low as i64 as f64 } else { value.low as f64 };
            return Ok(Value { low: result.to_bits(), high: 0 });
        }
        (Scalar::Int { signed, .. }, Scalar::Single) if value.high == 0 => {
            let result = if signed { value.low as i64 as f32 } else { value.low as f32 };
            return Ok(Value { low: u64::from(result.to_bits()), high: 0 });
        }
        _ => {}
    }
    match (float_format(from), float_format(to)) {
        (Some(format), Some(target)) => {
            let source = FloatValue { format, bits: value.bits() };
            // Only a positive NaN without a payload becomes the same one everywhere.
            if format == target {
                return Ok(value);
            }
            if source.is_nan() && source != FloatValue::nan(format) {
                return Ok(underspecified::nan(to));
            }
            let (result, _) = source.convert(target);
            // C11 6.3.1.5p1 leaves a value out of range undefined; with IEC 60559
            // formats, as all targets have, it becomes an infinity (Annex F.3).
            Ok(Value::wide(result.bits))
        }
        (Some(format), None) => {
            let source = FloatValue { format, bits: value.bits() };
            match source.to_integer(integer(to)) {
                Some(number) => Ok(match to {
                    Scalar::Wide { .. } => Value::wide(number as u128),
                    Scalar::Int { signed, bits } => {
                        Value { low: wrap(number as u64, signed, bits), high: 0 }
                    }
                    _ => Value { low: number as u64, high: 0 },
                }),
                None => {
                    let shown = source.convert(FloatFormat::Double).0.bits as u64;
                    undefined(
                        UbKind::FloatToInteger,
                        format!(
                            "{} does not fit {} bits {} a sign",
                            f64::from_bits(shown),
                            integer(to).bits,
                            if integer(to).signed { "with" } else { "without" }
                        ),
                    )
                }
            }
        }
        (None, Some(format)) => {
            if value.high != 0 && !matches!(from, Scalar::Wide { .. }) {
                return tainted(value);
            }
            let number = number_of(from, value);
            let (result, _) = FloatValue::from_integer(format, integer(from), number);
            Ok(Value::wide(result.bits))
        }
        (None, None) => unreachable!("one side is floating"),
    }
}

#[cfg(test)]
mod tests;
