//! Results that are left open: of `strcmp` only the sign is specified, of `isdigit` only
//! whether it is zero, of `puts` only that it is not negative. Of a NaN that an operation
//! made, neither the sign nor the payload is (IEC 60559 6.3, C11 F.2.1).
//!
//! Such a value has a mark where integers have their provenance. All that may be done with
//! a marked integer is what [`compare`], [`negate`] and [`is_nonzero`] answer.

use std::cmp::Ordering;

use farrier_lang::BinaryOp;
use farrier_lang::target::FloatFormat;

use crate::kinds::{Cause, UbKind};
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, undefined, unspecified};

/// What is known of an open result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Open {
    Positive,
    Negative,
    NotNegative,
    NotZero,
    Nan,
    /// Nothing at all.
    Nothing,
}

const ALL: [Open; 6] =
    [Open::Positive, Open::Negative, Open::NotNegative, Open::NotZero, Open::Nan, Open::Nothing];

/// What is alike in all marks. No provenance has the highest bits; as the upper half of a
/// floating value of 80 or 128 bits, the others are those of a NaN.
const MARK: u64 = 0xffff_ffff_0000_7fff;
const MARK_BITS: u64 = 0xffff_ffff_0000_ffff;

/// Where a mark has the position of a byte in memory, the size of the value that it
/// belongs to (both zero outside memory), and what is known of the value.
const POSITION: u32 = 16;
const SIZE: u32 = 21;
const KNOWN: u32 = 26;
const PLACE_BITS: u64 = (1 << KNOWN) - (1 << POSITION);

/// Whether what stands for a provenance is a mark, whole or of a byte.
#[inline]
pub(crate) fn is_mark(high: u64) -> bool {
    high & MARK_BITS == MARK
}

/// An open result.
pub(crate) fn open(known: Open) -> Value {
    let low: i64 = if known == Open::Negative { -1 } else { 1 };
    Value { low: low as u64, high: MARK | (known as u64) << KNOWN }
}

/// A NaN that an operation made.
#[cold]
pub(crate) fn nan(ty: Scalar) -> Value {
    let low = match ty {
        Scalar::Float(FloatFormat::Half) => 0x7e00,
        Scalar::Single => 0x7fc0_0000,
        Scalar::Double => 0x7ff8 << 48,
        _ => 3 << 62,
    };
    Value { low, ..open(Open::Nan) }
}

/// Whether this is the mark of a whole NaN.
pub(crate) fn is_nan(high: u64) -> bool {
    high == open(Open::Nan).high
}

/// Whether this is the mark of a whole value of which nothing is known: in every integer
/// type it is one.
pub(crate) fn is_unknown(high: u64) -> bool {
    high == open(Open::Nothing).high
}

/// What is known of a value, if it is a whole open result.
fn known(value: Value) -> Option<Open> {
    let known = *ALL.get((value.high as u32 >> KNOWN) as usize)?;
    (open(known).high == value.high).then_some(known)
}

/// The number that marks have instead of what is known, for a byte without a value.
const PARTLY: u32 = ALL.len() as u32;

/// A byte without a value that was read to be copied, and the bits of it that have one.
pub(crate) fn partly(byte: u8, valued: u8) -> Value {
    let high = MARK | u64::from(PARTLY) << KNOWN | u64::from(valued) << POSITION;
    Value { low: byte.into(), high }
}

/// Whether this is a byte without a value; then, which bits of it have one.
pub(crate) fn valued_bits(high: u64) -> Option<u8> {
    match high {
        u64::MAX => Some(0),
        _ if is_mark(high) && high as u32 >> KNOWN == PARTLY => Some((high >> POSITION) as u8),
        _ => None,
    }
}

/// The mark of one byte of a value of `size` bytes in memory; that of a byte that was
/// copied alone stays what it was.
pub(crate) fn byte_mark(mark: u64, size: usize, position: usize) -> u64 {
    let whole = mark & PLACE_BITS == 0;
    if whole { mark | (size as u64) << SIZE | (position as u64) << POSITION } else { mark }
}

/// The mark of the value that these bytes are, if they are one.
pub(crate) fn whole_mark(bytes: &[u64]) -> Option<u64> {
    let whole = bytes[0] & !PLACE_BITS;
    let is_part =
        |(position, byte): (usize, &u64)| *byte == byte_mark(whole, bytes.len(), position);
    bytes.iter().enumerate().all(is_part).then_some(whole)
}

/// Stops: what happens depends on an address, or on what the library leaves open.
#[cold]
pub(crate) fn tainted<T>(value: Value, message: impl Into<String>) -> Checked<T> {
    if valued_bits(value.high).is_some() {
        return undefined(UbKind::Uninitialised, "this byte has no value yet");
    }
    if !is_mark(value.high) {
        return unspecified(Cause::Address, message);
    }
    if value.high as u32 >> KNOWN == Open::Nan as u32 {
        let message = "the sign and the payload of a NaN that an operation made";
        return unspecified(Cause::Compiler, message);
    }
    let specified = match known(value) {
        Some(Open::Positive | Open::Negative) => "only the sign of this result",
        Some(Open::NotNegative) => "only that this result is not negative",
        Some(Open::NotZero) => "only whether this result is zero",
        Some(Open::Nothing) => "nothing about this result",
        Some(Open::Nan) | None => "no single byte of this result",
    };
    unspecified(Cause::Library, format!("{specified} is specified"))
}

/// The lowest and the highest that a value of this width may be.
fn range(known: Open, bits: u8) -> Option<(i64, i64)> {
    let highest = i64::MAX >> (64 - u32::from(bits));
    match known {
        Open::Positive => Some((1, highest)),
        Open::Negative => Some((-highest - 1, -1)),
        Open::NotNegative => Some((0, highest)),
        Open::NotZero | Open::Nan | Open::Nothing => None,
    }
}

/// Whether it is not zero, if that is specified.
pub(crate) fn is_nonzero(value: Value) -> Option<bool> {
    known(value)
        .filter(|known| !matches!(known, Open::NotNegative | Open::Nan | Open::Nothing))
        .map(|_| true)
}

/// How an integer compares with zero, if that is specified.
pub(crate) fn sign(value: Value) -> Option<Ordering> {
    match known(value) {
        Some(Open::Positive) => Some(Ordering::Greater),
        Some(Open::Negative) => Some(Ordering::Less),
        Some(_) => None,
        None => (value.high == 0).then(|| (value.low as i64).cmp(&0)),
    }
}

/// The result with the other sign. That of the lowest number would overflow, but no
/// library returns it, and comparisons in reverse are written this way.
pub(crate) fn negate(value: Value) -> Option<Value> {
    match known(value)? {
        Open::Positive => Some(open(Open::Negative)),
        Open::Negative => Some(open(Open::Positive)),
        _ => None,
    }
}

/// The answer of a comparison, if it is the same for all that the results may be.
pub(crate) fn compare(op: BinaryOp, bits: u8, left: Value, right: Value) -> Option<bool> {
    let bounds = |value: Value| match value.high {
        0 => Some((value.low as i64, value.low as i64)),
        _ => range(known(value)?, bits),
    };
    let zero = Value::default();
    if known(left) == Some(Open::NotZero) && right == zero
        || known(right) == Some(Open::NotZero) && left == zero
    {
        return match op {
            BinaryOp::Equal => Some(false),
            BinaryOp::NotEqual => Some(true),
            _ => None,
        };
    }
    let ((left_low, left_high), (right_low, right_high)) = (bounds(left)?, bounds(right)?);
    // What holds for all pairs, or for none.
    let decided = |always: bool, never: bool| match (always, never) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match op {
        BinaryOp::Less => decided(left_high < right_low, left_low >= right_high),
        BinaryOp::GreaterEqual => decided(left_low >= right_high, left_high < right_low),
        BinaryOp::Greater => decided(left_low > right_high, left_high <= right_low),
        BinaryOp::LessEqual => decided(left_high <= right_low, left_low > right_high),
        BinaryOp::Equal => decided(false, left_high < right_low || right_high < left_low),
        BinaryOp::NotEqual => decided(left_high < right_low || right_high < left_low, false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_known_where_all_results_agree() {
        let answer = |op, left, right| compare(op, 32, left, right);
        let (positive, negative) = (open(Open::Positive), open(Open::Negative));
        let (zero, one) = (Value::int(0), Value::int(1));
        assert_eq!(answer(BinaryOp::Greater, positive, zero), Some(true));
        assert_eq!(answer(BinaryOp::GreaterEqual, positive, one), Some(true));
        assert_eq!(answer(BinaryOp::Greater, positive, one), None);
        assert_eq!(answer(BinaryOp::Equal, positive, one), None);
        assert_eq!(answer(BinaryOp::Equal, positive, zero), Some(false));
        assert_eq!(answer(BinaryOp::Less, zero, positive), Some(true));
        assert_eq!(answer(BinaryOp::Less, negative, positive), Some(true));
        assert_eq!(answer(BinaryOp::Equal, positive, positive), None);
        assert_eq!(answer(BinaryOp::Less, open(Open::NotNegative), zero), Some(false));
        assert_eq!(answer(BinaryOp::Equal, open(Open::NotNegative), zero), None);
        assert_eq!(answer(BinaryOp::NotEqual, open(Open::NotZero), zero), Some(true));
        assert_eq!(answer(BinaryOp::Greater, open(Open::NotZero), zero), None);
    }

    #[test]
    fn only_all_bytes_in_order_are_the_result_again() {
        let mark = open(Open::Positive).high;
        let mut bytes: Vec<u64> = (0..4).map(|position| byte_mark(mark, 4, position)).collect();
        assert!(bytes.iter().all(|byte| is_mark(*byte)));
        assert_eq!(whole_mark(&bytes), Some(mark));
        assert_eq!(whole_mark(&bytes[..2]), None);
        assert_eq!(byte_mark(bytes[1], 1, 0), bytes[1]);
        bytes.swap(0, 1);
        assert_eq!(whole_mark(&bytes), None);
    }
}
