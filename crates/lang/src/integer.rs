//! Integer types as numbers: how wide, whether signed, and what arithmetic in them gives.

use std::fmt;

use crate::expr::BinaryOp;
use crate::program::Program;
use crate::types::{Type, TypeId};

/// What arithmetic needs to know about an integer type.
///
/// A value of such a type is carried as an `i128`: the value itself, for every
/// type but unsigned ones of 128 bits, whose upper half is carried as the
/// negative number with the same bits. [`wrap`](Self::wrap) makes this form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntegerType {
    /// Whether it has a sign bit.
    pub signed: bool,
    /// Its width, sign included: 1 for `_Bool`, never more than 128.
    pub bits: u32,
}

/// Why an integer operation has no defined result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArithmeticFault {
    /// The result of a signed operation does not fit, C11 6.5p5.
    Overflow,
    /// `/` or `%` by zero, C11 6.5.5p5.
    DivisionByZero,
    /// A shift by a negative amount or by the width or more, C11 6.5.7p3.
    ShiftAmount,
    /// `<<` of a negative value, or of one that does not fit, C11 6.5.7p4.
    /// GCC and Clang define it: the bits are shifted.
    ShiftOverflow,
    /// A builtin such as `__builtin_clz` has no result for this argument.
    BuiltinArgument,
}

impl fmt::Display for ArithmeticFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "signed integer overflow",
            Self::DivisionByZero => "division by zero",
            Self::ShiftAmount => "shift amount is negative or not less than the width",
            Self::ShiftOverflow => "left shift of a negative value, or past the sign bit",
            Self::BuiltinArgument => "the builtin has no result for this argument",
        })
    }
}

/// The integer type that `ty` is or, for an enumeration, is compatible with.
/// `None` for all other types and for `_BitInt` of more than 128 bits.
pub fn integer_type(program: &Program, ty: TypeId) -> Option<IntegerType> {
    let of_kind = |kind| IntegerType {
        signed: program.target.int_signed(kind),
        bits: program.target.int_bits(kind),
    };
    match *program.resolve(ty) {
        Type::Int(kind) => Some(of_kind(kind)),
        Type::Enum(id) => Some(of_kind(program[id].underlying)),
        Type::BitInt { signed, width } if width <= 128 => Some(IntegerType { signed, bits: width }),
        _ => None,
    }
}

impl IntegerType {
    /// The value of this type that is congruent to `value` modulo 2 to the width.
    /// Conversion to every integer type but `_Bool`, which asks whether the value is zero.
    pub fn wrap(self, value: i128) -> i128 {
        let unused = 128 - self.bits;
        if self.signed {
            value << unused >> unused
        } else {
            ((value as u128) << unused >> unused) as i128
        }
    }

    /// The smallest value.
    pub fn min(self) -> i128 {
        if self.signed { i128::MIN >> (128 - self.bits) } else { 0 }
    }

    /// The largest value.
    pub fn max(self) -> u128 {
        u128::MAX >> (128 - self.bits + u32::from(self.signed))
    }

    /// Whether the number `value` is a value of this type.
    pub fn contains(self, value: i128) -> bool {
        value >= self.min() && (value < 0 || value as u128 <= self.max())
    }

    /// Whether `left` is less than `right`, both in the form of this type.
    pub fn less(self, left: i128, right: i128) -> bool {
        if self.signed { left < right } else { (left as u128) < right as u128 }
    }

    /// `-value`
    pub fn negate(self, value: i128) -> Result<i128, ArithmeticFault> {
        self.fit(value.checked_neg(), value.wrapping_neg())
    }

    /// A binary operator on two values of this type. A comparison gives 0 or 1.
    /// The right operand of a shift may be of any type, in its own form.
    pub fn binary(self, op: BinaryOp, left: i128, right: i128) -> Result<i128, ArithmeticFault> {
        let truth = |value: bool| Ok(i128::from(value));
        match op {
            BinaryOp::Mul => self.fit(left.checked_mul(right), left.wrapping_mul(right)),
            BinaryOp::Add => self.fit(left.checked_add(right), left.wrapping_add(right)),
            BinaryOp::Sub => self.fit(left.checked_sub(right), left.wrapping_sub(right)),
            BinaryOp::Div | BinaryOp::Rem if right == 0 => Err(ArithmeticFault::DivisionByZero),
            BinaryOp::Div if self.signed => self.fit(left.checked_div(right), 0),
            BinaryOp::Div => Ok((left as u128 / right as u128) as i128),
            // The quotient must be representable too, C11 6.5.5p6.
            BinaryOp::Rem if self.signed => {
                self.fit(left.checked_div(right), 0)?;
                Ok(left % right)
            }
            BinaryOp::Rem => Ok((left as u128 % right as u128) as i128),
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount = u32::try_from(right)
                    .ok()
                    .filter(|amount| *amount < self.bits)
                    .ok_or(ArithmeticFault::ShiftAmount)?;
                if op == BinaryOp::Shr {
                    return Ok(if self.signed {
                        left >> amount
                    } else {
                        (left as u128 >> amount) as i128
                    });
                }
                let shifted = self.wrap(left << amount);
                if self.signed && (left < 0 || shifted >> amount != left) {
                    Err(ArithmeticFault::ShiftOverflow)
                } else {
                    Ok(shifted)
                }
            }
            BinaryOp::Less => truth(self.less(left, right)),
            BinaryOp::Greater => truth(self.less(right, left)),
            BinaryOp::LessEqual => truth(!self.less(right, left)),
            BinaryOp::GreaterEqual => truth(!self.less(left, right)),
            BinaryOp::Equal => truth(left == right),
            BinaryOp::NotEqual => truth(left != right),
            BinaryOp::BitAnd => Ok(left & right),
            BinaryOp::BitXor => Ok(left ^ right),
            BinaryOp::BitOr => Ok(left | right),
        }
    }

    /// The result of a signed operation if it fits, of an unsigned one modulo the width.
    fn fit(self, exact: Option<i128>, wrapped: i128) -> Result<i128, ArithmeticFault> {
        if !self.signed {
            return Ok(self.wrap(wrapped));
        }
        exact.filter(|value| self.contains(*value)).ok_or(ArithmeticFault::Overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: IntegerType = IntegerType { signed: true, bits: 32 };
    const UNSIGNED: IntegerType = IntegerType { signed: false, bits: 32 };
    const WIDE: IntegerType = IntegerType { signed: true, bits: 128 };
    const UNSIGNED_WIDE: IntegerType = IntegerType { signed: false, bits: 128 };
    const BOOL: IntegerType = IntegerType { signed: false, bits: 1 };

    #[test]
    fn limits() {
        assert_eq!((INT.min(), INT.max()), (i32::MIN.into(), i32::MAX as u128));
        assert_eq!((UNSIGNED.min(), UNSIGNED.max()), (0, u32::MAX.into()));
        assert_eq!((WIDE.min(), WIDE.max()), (i128::MIN, i128::MAX as u128));
        assert_eq!((UNSIGNED_WIDE.min(), UNSIGNED_WIDE.max()), (0, u128::MAX));
        assert!(INT.contains(-1) && !UNSIGNED.contains(-1) && !UNSIGNED_WIDE.contains(-1));
        assert!(!INT.contains(1 << 31) && UNSIGNED.contains(1 << 31));
    }

    #[test]
    fn wrapping() {
        assert_eq!(INT.wrap(1 << 31), i32::MIN.into());
        assert_eq!(UNSIGNED.wrap(-1), u32::MAX.into());
        assert_eq!(UNSIGNED_WIDE.wrap(-1), -1);
        assert_eq!(BOOL.wrap(2), 0);
    }

    /// What an operator gives by plain mathematics, for narrow types.
    fn expected(
        ty: IntegerType,
        op: BinaryOp,
        left: i128,
        right: i128,
    ) -> Result<i128, ArithmeticFault> {
        let (low, high) = (ty.min(), ty.max() as i128);
        let exact = match op {
            BinaryOp::Mul => left * right,
            BinaryOp::Div | BinaryOp::Rem if right == 0 => {
                return Err(ArithmeticFault::DivisionByZero);
            }
            BinaryOp::Rem if left == low && right == -1 => return Err(ArithmeticFault::Overflow),
            BinaryOp::Div => left / right,
            BinaryOp::Rem => left % right,
            BinaryOp::Add => left + right,
            BinaryOp::Sub => left - right,
            BinaryOp::Shl | BinaryOp::Shr if !(0..i128::from(ty.bits)).contains(&right) => {
                return Err(ArithmeticFault::ShiftAmount);
            }
            BinaryOp::Shl if ty.signed && (left < 0 || left << right > high) => {
                return Err(ArithmeticFault::ShiftOverflow);
            }
            BinaryOp::Shl => left << right,
            BinaryOp::Shr => left >> right,
            BinaryOp::Less => (left < right).into(),
            BinaryOp::Greater => (left > right).into(),
            BinaryOp::LessEqual => (left <= right).into(),
            BinaryOp::GreaterEqual => (left >= right).into(),
            BinaryOp::Equal => (left == right).into(),
            BinaryOp::NotEqual => (left != right).into(),
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::BitOr => left | right,
        };
        match ty.signed {
            true if (low..=high).contains(&exact) => Ok(exact),
            true => Err(ArithmeticFault::Overflow),
            false => Ok(exact.rem_euclid(high + 1)),
        }
    }

    #[test]
    fn operations_on_all_values_of_narrow_types() {
        use BinaryOp::*;
        let all = [
            Mul,
            Div,
            Rem,
            Add,
            Sub,
            Shl,
            Shr,
            Less,
            Greater,
            LessEqual,
            GreaterEqual,
            Equal,
            NotEqual,
            BitAnd,
            BitXor,
            BitOr,
        ];
        for signed in [true, false] {
            let ty = IntegerType { signed, bits: 6 };
            let values = ty.min()..=ty.max() as i128;
            assert_eq!(values, if signed { -32..=31 } else { 0..=63 });
            for number in -300..300 {
                assert_eq!(ty.contains(number), values.contains(&number), "{number}");
                let wrapped = ty.wrap(number);
                assert!(values.contains(&wrapped) && (wrapped - number) % 64 == 0, "{number}");
            }
            for left in values.clone() {
                let negated = match left {
                    0 => Ok(0),
                    -32 => Err(ArithmeticFault::Overflow),
                    _ if signed => Ok(-left),
                    _ => Ok(64 - left),
                };
                assert_eq!(ty.negate(left), negated, "-{left}");
                for right in values.clone() {
                    assert_eq!(ty.less(left, right), left < right);
                    for op in all {
                        let wanted = expected(ty, op, left, right);
                        assert_eq!(ty.binary(op, left, right), wanted, "{left} {op:?} {right}");
                    }
                }
            }
        }
    }

    #[test]
    fn types_of_programs() {
        use crate::program::{Dialect, Enum};
        use crate::types::{IntKind, Types};
        let mut program = Program::new(&crate::target::X86_64_LINUX, Dialect::C23);
        let tag = program.names.intern("e");
        let id = program.enums.push(Enum {
            tag,
            underlying: IntKind::UShort,
            fixed: true,
            constants: Some([].into()),
            packed: false,
        });
        let of = |ty| integer_type(&program, ty);
        assert_eq!(of(Types::INT), Some(INT));
        assert_eq!(of(Types::int(IntKind::Bool)), Some(BOOL));
        assert_eq!(of(Types::int(IntKind::UInt128)), Some(UNSIGNED_WIDE));
        assert_eq!(of(Types::DOUBLE), None);
        let ty = program.types.intern(Type::Enum(id));
        assert_eq!(integer_type(&program, ty), Some(IntegerType { signed: false, bits: 16 }));
        for (width, known) in [(7, true), (128, true), (129, false)] {
            let ty = program.types.intern(Type::BitInt { signed: true, width });
            let wanted = known.then_some(IntegerType { signed: true, bits: width });
            assert_eq!(integer_type(&program, ty), wanted, "_BitInt({width})");
        }
    }

    #[test]
    fn operations() {
        use ArithmeticFault::{DivisionByZero, Overflow, ShiftAmount, ShiftOverflow};
        use BinaryOp::{Add, Div, Less, Mul, Rem, Shl, Shr, Sub};
        let least = i128::from(i32::MIN);
        for (ty, op, left, right, result) in [
            (INT, Add, i32::MAX.into(), 1, Err(Overflow)),
            (UNSIGNED, Add, u32::MAX.into(), 1, Ok(0)),
            (UNSIGNED, Sub, 0, 1, Ok(u32::MAX.into())),
            (WIDE, Mul, i128::MAX, 2, Err(Overflow)),
            (UNSIGNED_WIDE, Mul, -1, -1, Ok(1)),
            (INT, Div, least, -1, Err(Overflow)),
            (INT, Rem, least, -1, Err(Overflow)),
            (WIDE, Rem, i128::MIN, -1, Err(Overflow)),
            (INT, Div, -7, 2, Ok(-3)),
            (INT, Rem, -7, 2, Ok(-1)),
            (UNSIGNED, Div, 1, 0, Err(DivisionByZero)),
            (UNSIGNED_WIDE, Div, -1, 2, Ok(i128::MAX)),
            (UNSIGNED_WIDE, Rem, -1, 10, Ok(5)),
            (INT, Shl, 1, 30, Ok(1 << 30)),
            (INT, Shl, 1, 31, Err(ShiftOverflow)),
            (INT, Shl, -1, 0, Err(ShiftOverflow)),
            (INT, Shl, 1, 32, Err(ShiftAmount)),
            (INT, Shr, 1, -1, Err(ShiftAmount)),
            (INT, Shr, -8, 1, Ok(-4)),
            (UNSIGNED, Shl, 3, 31, Ok(1 << 31)),
            (UNSIGNED_WIDE, Shr, -1, 127, Ok(1)),
            (UNSIGNED_WIDE, Less, 1, -1, Ok(1)),
        ] {
            assert_eq!(ty.binary(op, left, right), result, "{left} {} {right}", op.text());
        }
        assert_eq!(INT.negate(least), Err(Overflow));
        assert_eq!(UNSIGNED.negate(1), Ok(u32::MAX.into()));
        assert_eq!(WIDE.negate(i128::MIN), Err(Overflow));
    }
}
