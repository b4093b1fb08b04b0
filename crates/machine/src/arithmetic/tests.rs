//! Narrow types are tried with all their values against plain mathematics; wider and
//! floating ones with rows at their edges.

use super::*;
use crate::kinds::Cause;

const CHAR: Scalar = Scalar::Int { signed: true, bits: 8 };
const BYTE: Scalar = Scalar::Int { signed: false, bits: 8 };
const INT: Scalar = Scalar::Int { signed: true, bits: 32 };
const UNSIGNED: Scalar = Scalar::Int { signed: false, bits: 32 };
const LONG: Scalar = Scalar::Int { signed: true, bits: 64 };
const UNSIGNED_LONG: Scalar = Scalar::Int { signed: false, bits: 64 };
const WIDE: Scalar = Scalar::Wide { signed: true, bits: 128 };
const UNSIGNED_WIDE: Scalar = Scalar::Wide { signed: false, bits: 128 };
const BITS_70: Scalar = Scalar::Wide { signed: true, bits: 70 };
const X87: Scalar = Scalar::Float(FloatFormat::X87);

const ARITHMETIC: [BinaryOp; 14] = [
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Less,
    BinaryOp::Greater,
    BinaryOp::LessEqual,
    BinaryOp::GreaterEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::BitAnd,
    BinaryOp::BitXor,
    BinaryOp::BitOr,
];

/// A provenance, as that of some object.
const SOMEWHERE: u64 = 1 << 32 | 1;
const ELSEWHERE: u64 = 1 << 32 | 2;

fn kind<T: std::fmt::Debug>(result: Checked<T>) -> Result<T, String> {
    result.map_err(|stop| match *stop {
        crate::verdict::Stop::Undefined(kind, _) => kind.name().to_owned(),
        crate::verdict::Stop::Unspecified(cause, _) => cause.name().to_owned(),
        other => panic!("{other:?}"),
    })
}

fn undefined_as(kind: UbKind) -> Result<Value, String> {
    Err(kind.name().to_owned())
}

fn unknown<T>() -> Result<T, String> {
    Err(Cause::Address.name().to_owned())
}

/// A number in the form in which the machine has it.
fn value(ty: Scalar, number: i128) -> Value {
    match ty {
        Scalar::Wide { .. } => Value::wide(number as u128),
        _ => Value { low: number as u64, high: 0 },
    }
}

fn address(low: u64, high: u64) -> Value {
    Value { low, high }
}

fn single(number: f32) -> Value {
    Value { low: u64::from(number.to_bits()), high: 0 }
}

fn double(number: f64) -> Value {
    Value { low: number.to_bits(), high: 0 }
}

/// The value of a `long double`.
fn extended(number: f64) -> Value {
    let source = FloatValue { format: FloatFormat::Double, bits: number.to_bits().into() };
    Value::wide(source.convert(FloatFormat::X87).0.bits)
}

fn limits(signed: bool, bits: u32) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// What an operator gives by the rules of C, for types of less than 64 bits.
fn expected(op: BinaryOp, ty: Scalar, left: i128, right: i128) -> Result<Value, String> {
    let Scalar::Int { signed, bits } = ty else { panic!("{ty:?}") };
    let exact = match op {
        BinaryOp::Mul => left * right,
        BinaryOp::Div | BinaryOp::Rem if right == 0 => {
            return undefined_as(UbKind::DivisionByZero);
        }
        BinaryOp::Div => left / right,
        BinaryOp::Rem => left % right,
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Less => i128::from(left < right),
        BinaryOp::Greater => i128::from(left > right),
        BinaryOp::LessEqual => i128::from(left <= right),
        BinaryOp::GreaterEqual => i128::from(left >= right),
        BinaryOp::Equal => i128::from(left == right),
        BinaryOp::NotEqual => i128::from(left != right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::BitOr => left | right,
        BinaryOp::Shl | BinaryOp::Shr => panic!("not here"),
    };
    let (low, high) = limits(signed, bits.into());
    let fits = |number| (low..=high).contains(&number);
    // The quotient must fit too, C11 6.5.5p6.
    if signed && !(fits(exact) && (op != BinaryOp::Rem || fits(left / right))) {
        return undefined_as(UbKind::SignedOverflow);
    }
    Ok(value(ty, if signed { exact } else { exact.rem_euclid(high + 1) }))
}

#[test]
fn operators_on_all_values_of_narrow_types() {
    for ty @ (signed, bits) in [(true, 5), (false, 5), (true, 8), (false, 8)] {
        let (low, high) = limits(signed, bits);
        let scalar = Scalar::Int { signed: ty.0, bits: ty.1 as u8 };
        for op in ARITHMETIC {
            for left in low..=high {
                for right in low..=high {
                    let found = binary(op, scalar, value(scalar, left), value(scalar, right));
                    let wanted = expected(op, scalar, left, right);
                    assert_eq!(kind(found), wanted, "{left} {} {right} in {scalar:?}", op.text());
                }
            }
        }
    }
}

#[test]
fn operators_at_the_edges_of_int() {
    for scalar in [INT, UNSIGNED] {
        let (low, high) = limits(scalar == INT, 32);
        let edges =
            [low, low + 1, low + 46341, -2, -1, 0, 1, 2, 46340, 46341, 65536, high - 1, high];
        for op in ARITHMETIC {
            for left in edges.into_iter().filter(|edge| *edge >= low) {
                for right in edges.into_iter().filter(|edge| *edge >= low) {
                    let found = binary(op, scalar, value(scalar, left), value(scalar, right));
                    let wanted = expected(op, scalar, left, right);
                    assert_eq!(kind(found), wanted, "{left} {} {right} in {scalar:?}", op.text());
                }
            }
        }
    }
}

#[test]
fn operators_on_wide_types() {
    use BinaryOp::*;
    let overflow = UbKind::SignedOverflow.name();
    let zero = UbKind::DivisionByZero.name();
    let (min, max) = (i128::from(i64::MIN), i128::from(i64::MAX));
    let top = 1 << 69;
    for (op, ty, left, right, wanted) in [
        (Add, LONG, max, 1, Err(overflow)),
        (Add, LONG, max - 1, 1, Ok(max)),
        (Sub, LONG, min, 1, Err(overflow)),
        (Sub, LONG, min + 1, 1, Ok(min)),
        (Mul, LONG, max, 2, Err(overflow)),
        (Mul, LONG, 1 << 31, 1 << 31, Ok(1 << 62)),
        (Div, LONG, min, -1, Err(overflow)),
        (Rem, LONG, min, -1, Err(overflow)),
        (Div, LONG, min + 1, -1, Ok(max)),
        (Div, LONG, min, 1, Ok(min)),
        (Add, UNSIGNED_LONG, u64::MAX.into(), 1, Ok(0)),
        (Less, UNSIGNED_LONG, 1, u64::MAX.into(), Ok(1)),
        (Div, UNSIGNED_LONG, u64::MAX.into(), 2, Ok(max)),
        (Add, WIDE, i128::MAX, 1, Err(overflow)),
        (Sub, WIDE, i128::MIN, 1, Err(overflow)),
        (Mul, WIDE, 1 << 63, 1 << 62, Ok(1 << 125)),
        (Div, WIDE, i128::MIN, -1, Err(overflow)),
        (Div, WIDE, 1, 0, Err(zero)),
        (Rem, UNSIGNED_WIDE, 1, 0, Err(zero)),
        (Rem, WIDE, -7, 2, Ok(-1)),
        (Add, BITS_70, top - 1, 1, Err(overflow)),
        (Sub, BITS_70, -top, 1, Err(overflow)),
        (Sub, BITS_70, 1 - top, 1, Ok(-top)),
        (Add, UNSIGNED_WIDE, -1, 1, Ok(0)),
        (Less, WIDE, -1, 1, Ok(1)),
        (Less, WIDE, 1, 1, Ok(0)),
        (Less, WIDE, 2, 1, Ok(0)),
        (Less, UNSIGNED_WIDE, -1, 1, Ok(0)),
        (Greater, UNSIGNED_WIDE, -1, 1, Ok(1)),
        (GreaterEqual, WIDE, -1, 1, Ok(0)),
        (GreaterEqual, WIDE, 1, 1, Ok(1)),
        (LessEqual, WIDE, 1, 1, Ok(1)),
        (Equal, WIDE, 1 << 64, 1 << 64, Ok(1)),
        (Equal, WIDE, 1 << 64, 0, Ok(0)),
        (NotEqual, WIDE, 1 << 64, 0, Ok(1)),
        (BitXor, WIDE, -1, 1 << 100, Ok(!(1 << 100))),
        (BitAnd, Scalar::Bool, 1, 1, Ok(1)),
        (Equal, Scalar::Bool, 1, 0, Ok(0)),
    ] {
        let found = kind(binary(op, ty, value(ty, left), value(ty, right)));
        let wanted = wanted.map(|number| value(ty, number)).map_err(str::to_owned);
        assert_eq!(found, wanted, "{left} {} {right} in {ty:?}", op.text());
    }
}

#[test]
fn operators_on_floating_types() {
    use BinaryOp::*;
    let rows = [
        (Add, 1.5, 0.25, 1.75),
        (Sub, 1.5, 0.25, 1.25),
        (Mul, 1.5, 0.25, 0.375),
        (Div, 1.5, 0.25, 6.0),
        (Div, 1.0, 0.0, f64::INFINITY),
    ];
    for (op, left, right, wanted) in rows {
        let of_double = binary(op, Scalar::Double, double(left), double(right));
        assert_eq!(kind(of_double), Ok(double(wanted)), "{left} {} {right}", op.text());
        let (a, b) = (single(left as f32), single(right as f32));
        let of_single = binary(op, Scalar::Single, a, b);
        assert_eq!(kind(of_single), Ok(single(wanted as f32)), "{left} {} {right}", op.text());
        let of_extended = binary(op, X87, extended(left), extended(right));
        assert_eq!(kind(of_extended), Ok(extended(wanted)), "{left} {} {right}", op.text());
    }
    let nan = f64::NAN;
    for (left, right, less, equal, greater) in [
        (1.0, 2.0, true, false, false),
        (2.0, 1.0, false, false, true),
        (-0.0, 0.0, false, true, false),
        (nan, 1.0, false, false, false),
        (nan, nan, false, false, false),
    ] {
        for (op, wanted) in [
            (Less, less),
            (Greater, greater),
            (LessEqual, less || equal),
            (GreaterEqual, greater || equal),
            (Equal, equal),
            (NotEqual, !equal),
        ] {
            let (a, b) = (single(left as f32), single(right as f32));
            for found in [
                binary(op, Scalar::Double, double(left), double(right)),
                binary(op, Scalar::Single, a, b),
                binary(op, X87, extended(left), extended(right)),
            ] {
                assert_eq!(kind(found), Ok(truth(wanted)), "{left} {} {right}", op.text());
            }
        }
    }
}

#[test]
fn shifts_of_all_values_of_narrow_types() {
    for scalar in [CHAR, BYTE] {
        let (low, high) = limits(scalar == CHAR, 8);
        for left in low..=high {
            for count in -2..=10 {
                let operands = (value(scalar, left), value(INT, count));
                let found = shift(BinaryOp::Shl, scalar, operands.0, operands.1);
                let wanted = match count {
                    0..8 if scalar == BYTE => Ok(value(scalar, left << count & 0xff)),
                    0..8 if left >= 0 && left << count <= high => Ok(value(scalar, left << count)),
                    0..8 => undefined_as(UbKind::ShiftOverflow),
                    _ => undefined_as(UbKind::ShiftCount),
                };
                assert_eq!(kind(found), wanted, "{left} << {count}");
                let found = shift(BinaryOp::Shr, scalar, operands.0, operands.1);
                let wanted = match count {
                    0..8 => Ok(value(scalar, left >> count)),
                    _ => undefined_as(UbKind::ShiftCount),
                };
                assert_eq!(kind(found), wanted, "{left} >> {count}");
            }
        }
    }
}

#[test]
fn shifts_of_wide_types() {
    use BinaryOp::{Shl, Shr};
    let overflow = UbKind::ShiftOverflow.name();
    let range = UbKind::ShiftCount.name();
    for (op, ty, left, count, wanted) in [
        (Shl, LONG, 1, 62, Ok(1 << 62)),
        (Shl, LONG, 1, 63, Err(overflow)),
        (Shl, LONG, 1, 64, Err(range)),
        (Shr, LONG, -1, 63, Ok(-1)),
        (Shl, UNSIGNED_LONG, 3, 63, Ok(1 << 63)),
        (Shr, UNSIGNED_LONG, u64::MAX.into(), 63, Ok(1)),
        (Shl, WIDE, 1, 126, Ok(1 << 126)),
        (Shl, WIDE, 1, 127, Err(overflow)),
        (Shl, WIDE, 3, 126, Err(overflow)),
        (Shl, WIDE, -1, 0, Err(overflow)),
        (Shl, WIDE, 1, 128, Err(range)),
        (Shr, WIDE, 1, -1, Err(range)),
        (Shr, WIDE, -4, 1, Ok(-2)),
        (Shl, UNSIGNED_WIDE, 3, 127, Ok(i128::MIN)),
        (Shr, UNSIGNED_WIDE, -1, 127, Ok(1)),
        (Shl, BITS_70, 1, 68, Ok(1 << 68)),
        (Shl, BITS_70, 1, 69, Err(overflow)),
    ] {
        let found = kind(shift(op, ty, value(ty, left), value(INT, count)));
        let wanted = wanted.map(|number| value(ty, number)).map_err(str::to_owned);
        assert_eq!(found, wanted, "{left} {} {count} in {ty:?}", op.text());
    }
    let moved = [(SOMEWHERE, 0), (0, SOMEWHERE), (SOMEWHERE, SOMEWHERE)];
    for (left, right) in moved {
        assert_eq!(kind(shift(Shl, LONG, address(1, left), address(1, right))), unknown());
    }
}

#[test]
fn counts_of_128_bits_stay_out_of_range() {
    let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
    for (count, signed, wanted) in [
        (5, true, 5),
        (5, false, 5),
        (-5, true, -5),
        (-5, false, high),
        (high, true, high),
        (1 << 64, true, high),
        (1 << 64, false, high),
        (-1 << 64, true, low),
        (i128::MAX, false, high),
        (i128::MIN, false, high),
    ] {
        let found = wide_count(value(WIDE, count), signed);
        assert_eq!(found, value(LONG, wanted), "{count}, signed {signed}");
    }
}

#[test]
fn operators_with_one_operand() {
    for scalar in [CHAR, BYTE] {
        let (low, high) = limits(scalar == CHAR, 8);
        for number in low..=high {
            let operand = value(scalar, number);
            let negated = match number {
                -128 => undefined_as(UbKind::SignedOverflow),
                _ if scalar == CHAR => Ok(value(scalar, -number)),
                _ => Ok(value(scalar, (256 - number) % 256)),
            };
            assert_eq!(kind(unary(UnaryOp::Minus, scalar, operand)), negated, "-{number}");
            let complement = if scalar == CHAR { -1 - number } else { 255 - number };
            let found = kind(unary(UnaryOp::BitNot, scalar, operand));
            assert_eq!(found, Ok(value(scalar, complement)), "~{number}");
            let found = kind(unary(UnaryOp::Not, scalar, operand));
            assert_eq!(found, Ok(truth(number == 0)), "!{number}");
            assert_eq!(kind(unary(UnaryOp::Plus, scalar, operand)), Ok(operand));
        }
    }
    let overflow = undefined_as(UbKind::SignedOverflow);
    for (op, ty, operand, wanted) in [
        (UnaryOp::Minus, Scalar::Single, single(1.5), Ok(single(-1.5))),
        (UnaryOp::Minus, Scalar::Double, double(-0.0), Ok(double(0.0))),
        (UnaryOp::Minus, X87, extended(1.5), Ok(extended(-1.5))),
        (UnaryOp::Minus, LONG, value(LONG, i64::MIN.into()), overflow.clone()),
        (UnaryOp::Minus, WIDE, value(WIDE, 5), Ok(value(WIDE, -5))),
        (UnaryOp::Minus, WIDE, value(WIDE, i128::MIN), overflow),
        (UnaryOp::BitNot, WIDE, value(WIDE, 5), Ok(value(WIDE, -6))),
        (UnaryOp::BitNot, BITS_70, value(WIDE, 5), Ok(value(WIDE, -6))),
        (UnaryOp::Minus, LONG, address(8, SOMEWHERE), unknown()),
        (UnaryOp::BitNot, LONG, address(8, SOMEWHERE), unknown()),
        (UnaryOp::Plus, LONG, address(8, SOMEWHERE), Ok(address(8, SOMEWHERE))),
    ] {
        assert_eq!(kind(unary(op, ty, operand)), wanted, "{op:?} {ty:?}");
    }
}

#[test]
fn what_counts_as_true() {
    let uninitialised = UbKind::Uninitialised.name().to_owned();
    let float = |number| extended(number);
    for (ty, operand, wanted) in [
        (INT, value(INT, 0), Ok(false)),
        (INT, value(INT, -1), Ok(true)),
        (INT, address(8, SOMEWHERE), unknown()),
        (INT, address(0, SOMEWHERE), Ok(false)),
        (CHAR, underspecified::partly(0, 0), Err(uninitialised)),
        (Scalar::Bool, value(INT, 1), Ok(true)),
        (Scalar::Pointer, address(0, 0), Ok(false)),
        (Scalar::Pointer, address(8, 0), Ok(true)),
        (Scalar::Pointer, address(0, SOMEWHERE), Ok(true)),
        (WIDE, value(WIDE, 0), Ok(false)),
        (WIDE, value(WIDE, 1 << 64), Ok(true)),
        (Scalar::Single, single(-0.0), Ok(false)),
        (Scalar::Single, single(0.5), Ok(true)),
        (Scalar::Double, double(-0.0), Ok(false)),
        (Scalar::Double, double(f64::NAN), Ok(true)),
        (X87, float(-0.0), Ok(false)),
        (X87, float(0.5), Ok(true)),
    ] {
        assert_eq!(kind(is_nonzero(ty, operand)), wanted, "{operand:?} in {ty:?}");
    }
}

#[test]
fn integers_that_were_pointers() {
    use BinaryOp::*;
    let here = |low| address(low, SOMEWHERE);
    let there = |low| address(low, ELSEWHERE);
    let plain = |low| address(low, 0);
    let uninitialised = undefined_as(UbKind::Uninitialised);
    for (op, left, right, wanted) in [
        (Add, here(8), plain(4), Ok(here(12))),
        (Add, plain(4), here(8), Ok(here(12))),
        (Sub, here(8), plain(4), Ok(here(4))),
        (Sub, plain(8), here(4), unknown()),
        (Mul, here(8), plain(2), unknown()),
        (BitAnd, here(8), plain(7), unknown()),
        (Add, here(8), here(4), unknown()),
        (Sub, here(8), here(4), Ok(plain(4))),
        (Sub, here(8), there(4), unknown()),
        (Equal, here(8), here(8), Ok(plain(1))),
        (Equal, here(8), here(4), Ok(plain(0))),
        (NotEqual, here(8), here(4), Ok(plain(1))),
        (Less, here(8), here(4), unknown()),
        (Equal, here(8), there(8), unknown()),
        (Equal, here(8), plain(0), Ok(plain(0))),
        (NotEqual, here(8), plain(0), Ok(plain(1))),
        (Equal, here(8), plain(8), unknown()),
        (NotEqual, here(8), plain(8), unknown()),
        (Less, here(8), plain(0), unknown()),
        (Add, underspecified::partly(0, 0), plain(1), uninitialised.clone()),
        (Add, plain(1), underspecified::partly(0, 0), uninitialised),
    ] {
        let found = kind(binary(op, LONG, left, right));
        assert_eq!(found, wanted, "{left:?} {} {right:?}", op.text());
    }
}

#[test]
fn conversions_of_integers() {
    for from in [CHAR, BYTE] {
        let (low, high) = limits(from == CHAR, 8);
        for number in low..=high {
            let operand = value(from, number);
            for (to, wanted) in [
                (Scalar::Int { signed: true, bits: 5 }, (number as i64) << 59 >> 59),
                (Scalar::Int { signed: false, bits: 5 }, number as i64 & 0x1f),
                (CHAR, i64::from(number as i8)),
                (BYTE, i64::from(number as u8)),
                (UNSIGNED, i64::from(number as u32)),
                (LONG, number as i64),
                (Scalar::Bool, i64::from(number != 0)),
            ] {
                let found = kind(convert(from, to, operand));
                assert_eq!(found, Ok(value(to, wanted.into())), "{number} to {to:?}");
            }
            assert_eq!(kind(convert(from, WIDE, operand)), Ok(value(WIDE, number)));
            let found = kind(convert(from, Scalar::Double, operand));
            assert_eq!(found, Ok(double(number as f64)));
            let found = kind(convert(from, Scalar::Single, operand));
            assert_eq!(found, Ok(single(number as f32)));
            assert_eq!(kind(convert(from, X87, operand)), Ok(extended(number as f64)));
        }
    }
    let most = value(UNSIGNED_LONG, u64::MAX.into());
    let narrow = Scalar::Wide { signed: false, bits: 70 };
    for (from, to, operand, wanted) in [
        (UNSIGNED_LONG, WIDE, most, Ok(value(WIDE, u64::MAX.into()))),
        (LONG, WIDE, most, Ok(value(WIDE, -1))),
        (LONG, narrow, most, Ok(value(WIDE, (1 << 70) - 1))),
        (UNSIGNED_LONG, Scalar::Double, most, Ok(double(u64::MAX as f64))),
        (UNSIGNED_LONG, Scalar::Single, most, Ok(single(u64::MAX as f32))),
        (WIDE, CHAR, value(WIDE, 0x1_80), Ok(value(CHAR, -128))),
        (WIDE, UNSIGNED_LONG, value(WIDE, -1), Ok(most)),
        (WIDE, narrow, value(WIDE, -1), Ok(value(WIDE, (1 << 70) - 1))),
        (WIDE, Scalar::Bool, value(WIDE, 1 << 64), Ok(truth(true))),
        (WIDE, Scalar::Double, value(WIDE, 1 << 80), Ok(double(2.0_f64.powi(80)))),
        (UNSIGNED_WIDE, Scalar::Double, value(WIDE, -1), Ok(double(u128::MAX as f64))),
        (Scalar::Bool, WIDE, truth(true), Ok(value(WIDE, 1))),
        (Scalar::Bool, INT, truth(true), Ok(value(INT, 1))),
        (Scalar::Bool, X87, truth(true), Ok(extended(1.0))),
    ] {
        assert_eq!(kind(convert(from, to, operand)), wanted, "{from:?} to {to:?}");
    }
}

#[test]
fn conversions_of_floating_values() {
    let too_big = undefined_as(UbKind::FloatToInteger);
    for (number, to, wanted) in [
        (127.9, CHAR, Ok(127)),
        (128.0, CHAR, Err(())),
        (-128.9, CHAR, Ok(-128)),
        (-129.0, CHAR, Err(())),
        (255.5, BYTE, Ok(255)),
        (256.0, BYTE, Err(())),
        (-0.9, BYTE, Ok(0)),
        (-1.0, BYTE, Err(())),
        (2147483648.0, UNSIGNED, Ok(1 << 31)),
        (-9223372036854775808.0, LONG, Ok(i64::MIN.into())),
        (9223372036854775808.0, LONG, Err(())),
        (1e30, WIDE, Ok(1e30 as i128)),
        (-1e30, BITS_70, Err(())),
        (f64::NAN, INT, Err(())),
        (f64::INFINITY, INT, Err(())),
    ] {
        let wanted = match wanted {
            Ok(number) => Ok(value(to, number)),
            Err(()) => too_big.clone(),
        };
        let found = kind(convert(Scalar::Double, to, double(number)));
        assert_eq!(found, wanted, "{number} to {to:?}");
        let found = kind(convert(X87, to, extended(number)));
        assert_eq!(found, wanted, "{number} to {to:?}");
    }
    for (from, to, operand, wanted) in [
        (Scalar::Single, INT, single(-2.5), value(INT, -2)),
        (Scalar::Single, Scalar::Double, single(0.1), double(f64::from(0.1_f32))),
        (Scalar::Double, Scalar::Single, double(0.1), single(0.1)),
        (Scalar::Double, Scalar::Single, double(1e300), single(f32::INFINITY)),
        (Scalar::Double, X87, double(0.1), extended(0.1)),
        (X87, Scalar::Double, extended(0.1), double(0.1)),
        (Scalar::Double, Scalar::Bool, double(0.1), truth(true)),
        (Scalar::Double, Scalar::Bool, double(0.0), truth(false)),
    ] {
        assert_eq!(kind(convert(from, to, operand)), Ok(wanted), "{from:?} to {to:?}");
    }
}

#[test]
fn conversions_of_pointers() {
    let here = |low| address(low, SOMEWHERE);
    let short = Scalar::Int { signed: false, bits: 16 };
    let uninitialised = undefined_as(UbKind::Uninitialised);
    for (from, to, operand, wanted) in [
        (Scalar::Pointer, Scalar::Pointer, here(0x100), Ok(here(0x100))),
        (Scalar::Pointer, LONG, here(0x100), Ok(here(0x100))),
        (Scalar::Pointer, LONG, address(0, 0), Ok(value(LONG, 0))),
        (Scalar::Pointer, CHAR, address(0x180, 0), Ok(value(CHAR, -128))),
        (Scalar::Pointer, short, here(0x100), Ok(here(0x100))),
        (short, BYTE, here(0x10), unknown()),
        (LONG, short, here(0x100), unknown()),
        (Scalar::Pointer, WIDE, here(0x100), unknown()),
        (Scalar::Pointer, WIDE, address(0x100, 0), Ok(value(WIDE, 0x100))),
        (Scalar::Pointer, Scalar::Bool, here(0x100), Ok(truth(true))),
        // 32 bits are the whole address there; the sign changes only the form.
        (UNSIGNED, INT, here(0x8000_0000), Ok(here(0xffff_ffff_8000_0000))),
        (LONG, UNSIGNED, here(0x1_8000_0000), unknown()),
        (LONG, INT, here(0x1_0000_0000), unknown()),
        (LONG, Scalar::Pointer, here(0x100), Ok(here(0x100))),
        (WIDE, Scalar::Pointer, value(WIDE, 1 << 64 | 8), Ok(address(8, 0))),
        (LONG, WIDE, here(0x100), unknown()),
        (LONG, Scalar::Double, here(0x100), unknown()),
        (LONG, Scalar::Single, here(0x100), unknown()),
        (LONG, X87, here(0x100), unknown()),
        (LONG, Scalar::Bool, here(0x100), unknown()),
        (CHAR, INT, underspecified::partly(0, 0), uninitialised),
    ] {
        let found = kind(convert(from, to, operand));
        assert_eq!(found, wanted, "{operand:?} from {from:?} to {to:?}");
    }
}

#[test]
fn values_that_fit_fewer_bits() {
    let signed = IntegerType { signed: true, bits: 5 };
    let unsigned = IntegerType { signed: false, bits: 5 };
    for (number, wide, class, wanted) in [
        (15, false, signed, true),
        (16, false, signed, false),
        (-16, false, signed, true),
        (-17, false, signed, false),
        (31, false, unsigned, true),
        (32, false, unsigned, false),
        (-1, false, unsigned, false),
        (15, true, signed, true),
        (1 << 64, true, signed, false),
        (1 << 64 | 1, true, unsigned, false),
    ] {
        let operand = if wide { value(WIDE, number) } else { value(LONG, number) };
        assert_eq!(fits(operand, wide, class), wanted, "{number} in {class:?}");
    }
    let most = IntegerType { signed: false, bits: 64 };
    assert!(fits(value(UNSIGNED_LONG, u64::MAX.into()), false, most));
}

#[test]
fn lengths_of_arrays() {
    let wrong = undefined_as(UbKind::VlaLength);
    for (number, signed, wanted) in [
        (1_i128, true, Ok(())),
        (1, false, Ok(())),
        (0, true, Err(())),
        (0, false, Err(())),
        (-1, true, Err(())),
        (i64::MAX.into(), false, Ok(())),
        (i128::from(i64::MAX) + 1, false, Err(())),
    ] {
        let operand = value(LONG, number);
        let wanted = if wanted.is_ok() { Ok(operand) } else { wrong.clone() };
        assert_eq!(kind(length(operand, signed)), wanted, "{number}, signed {signed}");
    }
    assert_eq!(kind(length(address(8, SOMEWHERE), true)), unknown());
}

#[test]
fn messages_have_the_values() {
    let message = |result: Checked<Value>| match *result.expect_err("it is undefined") {
        crate::verdict::Stop::Undefined(_, message) => message,
        other => panic!("{other:?}"),
    };
    let most = value(INT, i32::MAX.into());
    for (found, wanted) in [
        (
            binary(BinaryOp::Add, INT, most, value(INT, 1)),
            "2147483647 + 1 does not fit the type of the result",
        ),
        (binary(BinaryOp::Div, INT, most, value(INT, 0)), "2147483647 / 0"),
        (
            shift(BinaryOp::Shl, INT, value(INT, -1), value(INT, 40)),
            "-1 << 40: the count is out of range",
        ),
        (
            shift(BinaryOp::Shl, UNSIGNED_LONG, value(LONG, -1), value(INT, -1)),
            "18446744073709551615 << -1: the count is out of range",
        ),
        (
            shift(BinaryOp::Shl, INT, value(INT, -1), value(INT, 3)),
            "-1 << 3 does not fit the type of the result",
        ),
        (convert(Scalar::Double, CHAR, double(1e3)), "1000 does not fit 8 bits with a sign"),
        (convert(Scalar::Double, BYTE, double(-1.0)), "-1 does not fit 8 bits without a sign"),
        (unary(UnaryOp::Minus, CHAR, value(CHAR, -128)), "-(-128) does not fit its type"),
        (length(value(LONG, -3), true), "the length of this array is -3"),
        (length(value(LONG, -1), false), "the length of this array is 18446744073709551615"),
    ] {
        assert_eq!(message(found), wanted);
    }
}

/// Of a result that the library leaves open, only a signed one can be negated.
#[test]
fn open_results_can_be_negated_and_no_more() {
    let positive = underspecified::open(underspecified::Open::Positive);
    let negative = underspecified::open(underspecified::Open::Negative);
    assert_eq!(kind(unary(UnaryOp::Minus, INT, positive)), Ok(negative));
    for (op, ty) in
        [(UnaryOp::BitNot, INT), (UnaryOp::Minus, UNSIGNED), (UnaryOp::BitNot, UNSIGNED)]
    {
        assert_eq!(kind(unary(op, ty, positive)), Err(Cause::Library.name().to_owned()), "{op:?}");
    }
}

/// A result that is left open compares with a number only as far as it is known, on
/// either side, and nothing else can be done with two operands.
#[test]
fn open_results_compare_as_far_as_they_are_known() {
    let positive = underspecified::open(underspecified::Open::Positive);
    let zero = value(INT, 0);
    let left_open = || Err(Cause::Library.name().to_owned());
    let rows = [
        (BinaryOp::Greater, positive, zero, Ok(truth(true))),
        (BinaryOp::Less, zero, positive, Ok(truth(true))),
        (BinaryOp::Equal, positive, zero, Ok(truth(false))),
        (BinaryOp::Equal, zero, positive, Ok(truth(false))),
        (BinaryOp::Greater, positive, value(INT, 1), left_open()),
        (BinaryOp::Greater, value(INT, 7), positive, left_open()),
        (BinaryOp::Equal, positive, positive, left_open()),
        (BinaryOp::Add, positive, zero, left_open()),
        (BinaryOp::Add, zero, positive, left_open()),
        (BinaryOp::Sub, positive, positive, left_open()),
    ];
    for (op, left, right, wanted) in rows {
        assert_eq!(kind(binary(op, INT, left, right)), wanted, "{op:?}");
    }
    let one = value(INT, 1);
    assert_eq!(kind(shift(BinaryOp::Shl, INT, one, positive)), left_open());
    assert_eq!(kind(shift(BinaryOp::Shl, INT, positive, one)), left_open());
    // An unsigned comparison knows less: only equality remains.
    assert_eq!(kind(binary(BinaryOp::NotEqual, UNSIGNED, positive, zero)), Ok(truth(true)));
    assert_eq!(kind(binary(BinaryOp::Greater, UNSIGNED, positive, zero)), left_open());
}

/// A result that is left open keeps its mark where no value of it changes, and is no
/// address.
#[test]
fn open_results_convert_where_no_value_changes() {
    let positive = underspecified::open(underspecified::Open::Positive);
    let left_open = || Err(Cause::Library.name().to_owned());
    let negative = underspecified::open(underspecified::Open::Negative);
    for to in [LONG, UNSIGNED, UNSIGNED_LONG] {
        assert_eq!(kind(convert(INT, to, positive)), Ok(positive), "{to:?}");
    }
    assert_eq!(kind(convert(INT, LONG, negative)), Ok(negative));
    assert_eq!(kind(convert(INT, UNSIGNED, negative)), left_open());
    for (from, to) in
        [(INT, CHAR), (LONG, INT), (INT, Scalar::Pointer), (INT, WIDE), (INT, Scalar::Double)]
    {
        assert_eq!(kind(convert(from, to, positive)), left_open(), "{from:?} to {to:?}");
    }
}

#[test]
fn exact_results_are_told_from_rounded_ones() {
    let two_to_24 = value(INT, 1 << 24);
    let above = value(INT, (1 << 24) + 1);
    let (float, double_) = (Scalar::Single, Scalar::Double);
    let rows = [
        // Arithmetic.
        (Some(BinaryOp::Add), double_, double_, double(1.0), double(2.0), true),
        (Some(BinaryOp::Add), double_, double_, double(1.0), double(1e-30), false),
        (Some(BinaryOp::Div), double_, double_, double(1.0), double(4.0), true),
        (Some(BinaryOp::Div), double_, double_, double(1.0), double(3.0), false),
        // From one format to another; what is not a number stays so.
        (None, double_, float, double(0.5), double(0.0), true),
        (None, double_, float, double(0.1), double(0.0), false),
        (None, double_, float, double(f64::NAN), double(0.0), true),
        (None, float, double_, single(0.1), double(0.0), true),
        // To an integer and from one.
        (None, double_, INT, double(7.0), double(0.0), true),
        (None, double_, INT, double(7.5), double(0.0), false),
        (None, double_, INT, double(1e30), double(0.0), false),
        (None, INT, float, two_to_24, double(0.0), true),
        (None, INT, float, above, double(0.0), false),
        (None, WIDE, float, value(WIDE, 1 << 100), double(0.0), true),
        (None, WIDE, float, value(WIDE, (1 << 100) + 1), double(0.0), false),
    ];
    for (op, from, to, left, right, wanted) in rows {
        assert_eq!(kind(is_exact(op, from, to, left, right)), Ok(wanted), "{op:?} {from:?} {to:?}");
    }
    let address = Value { low: 1, high: SOMEWHERE };
    assert_eq!(kind(is_exact(None, LONG, double_, address, double(0.0))), unknown());
}

/// Values of an integer type: at its borders, and one that was made from a pointer.
fn samples(ty: Scalar) -> Vec<Value> {
    let Scalar::Int { signed, bits } = ty else { return Vec::new() };
    let numbers = [0, 1, 2, 127, 128, 255, 0x7fff_ffff, 0x8000_0000, 1 << 63, u64::MAX];
    let cut = numbers.map(|number| Value { low: wrap(number, signed, bits), high: 0 });
    cut.into_iter().chain([Value { low: 100, high: SOMEWHERE }]).collect()
}

#[test]
fn the_short_way_agrees_with_the_long_one() {
    let types = [CHAR, BYTE, INT, UNSIGNED, LONG, UNSIGNED_LONG];
    let mut short = 0;
    for ty in types {
        for left in samples(ty) {
            for (op, right) in ARITHMETIC
                .iter()
                .flat_map(|op| samples(ty).into_iter().map(move |right| (*op, right)))
            {
                if let Some(value) = plain_binary(op, ty, left, right) {
                    assert_eq!(kind(binary(op, ty, left, right)), Ok(value), "{ty:?} {op:?}");
                    short += 1;
                }
            }
            for to in types {
                if let Some(value) = plain_convert(ty, to, left) {
                    assert_eq!(kind(convert(ty, to, left)), Ok(value), "{ty:?} to {to:?}");
                }
            }
        }
    }
    assert!(short > 2000, "{short} operations are done the short way");
}
