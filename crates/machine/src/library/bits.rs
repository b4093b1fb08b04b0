//! Bit counting, byte swapping and arithmetic that reports overflow.

use farrier_lang::{BinaryOp, IntegerType, TypeId};

use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::run::Machine;
use crate::underspecified;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, undefined, unsupported};

impl Machine<'_> {
    pub(super) fn bit_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        use Library::*;
        match function {
            AddOverflow => return self.overflow(BinaryOp::Add, arguments, true),
            SubOverflow => return self.overflow(BinaryOp::Sub, arguments, true),
            MulOverflow => return self.overflow(BinaryOp::Mul, arguments, true),
            AddOverflowTest => return self.overflow(BinaryOp::Add, arguments, false),
            SubOverflowTest => return self.overflow(BinaryOp::Sub, arguments, false),
            MulOverflowTest => return self.overflow(BinaryOp::Mul, arguments, false),
            _ => {}
        }
        let value = argument(arguments, 0)?;
        let class = self.integer_class(arguments[0].1);
        let bits = class.bits;
        if bits <= 64 && value.high != 0 {
            return underspecified::tainted(value, "a number that depends on an address");
        }
        let number = value.bits() & (u128::MAX >> (128 - bits));
        let count = match function {
            CountLeadingZeros | CountTrailingZeros if number == 0 => {
                return undefined(UbKind::BuiltinArgument, "the argument is zero");
            }
            CountLeadingZeros => number.leading_zeros() - (128 - bits),
            CountTrailingZeros => number.trailing_zeros(),
            CountLeadingSigns => {
                let extended = (number << (128 - bits)) as i128 >> (128 - bits);
                let folded = (extended ^ extended >> 127) as u128;
                folded.leading_zeros() - (128 - bits) - 1
            }
            PopulationCount => number.count_ones(),
            Parity => number.count_ones() % 2,
            FindFirstSet if number == 0 => 0,
            FindFirstSet => number.trailing_zeros() + 1,
            ByteSwap => {
                let width = self.integer_class(result).bits;
                return Ok(Value::wide(number.swap_bytes() >> (128 - width)));
            }
            Divide => return divide(value, argument(arguments, 1)?, class),
            _ => return self.absolute(value, class),
        };
        Ok(Value::int(i64::from(count)))
    }

    fn absolute(&self, value: Value, class: IntegerType) -> Checked<Value> {
        let number = i128::from(value.low as i64);
        match class.negate(number) {
            _ if number >= 0 => Ok(value),
            Ok(positive) => Ok(Value::int(positive as i64)),
            Err(_) => undefined(UbKind::AbsOverflow, format!("the absolute value of {number}")),
        }
    }

    /// The exact value of an integer argument: whether it is negative, and its magnitude.
    fn exact(&self, argument: (Value, TypeId)) -> Checked<(bool, u128)> {
        let class = self.integer_class(argument.1);
        let number = match Scalar::of(self.program, argument.1) {
            Some(Scalar::Wide { .. }) => argument.0.bits() as i128,
            _ if argument.0.high != 0 => {
                return underspecified::tainted(argument.0, "a number that depends on an address");
            }
            _ if class.signed => i128::from(argument.0.low as i64),
            _ => i128::from(argument.0.low),
        };
        Ok(match class.signed {
            true => (number < 0, number.unsigned_abs()),
            false => (false, number as u128),
        })
    }

    /// `__builtin_add_overflow` and its kin: computed exactly, then cut to the type
    /// that the last argument points to, or has.
    fn overflow(&mut self, op: BinaryOp, arguments: Arguments<'_>, stores: bool) -> Checked<Value> {
        let [left, right, last] = *arguments else {
            return Err(super::missing());
        };
        let target = if stores { self.program.pointee(last.1).unwrap_or(last.1) } else { last.1 };
        let class = self.integer_class(target);
        let (a, mut b) = (self.exact(left)?, self.exact(right)?);
        // The sum, difference or product as a sign and a magnitude; numbers of 128 bits
        // may give one of 129 or 256, whose magnitude is cut and known to be too large.
        let (negative, magnitude, beyond) = if op == BinaryOp::Mul {
            let (magnitude, beyond) = a.1.overflowing_mul(b.1);
            (a.0 != b.0, magnitude, beyond)
        } else {
            b.0 ^= op == BinaryOp::Sub;
            if a.0 == b.0 {
                let (magnitude, beyond) = a.1.overflowing_add(b.1);
                (a.0, magnitude, beyond)
            } else if a.1 >= b.1 {
                (a.0, a.1 - b.1, false)
            } else {
                (b.0, b.1 - a.1, false)
            }
        };
        let cut = if negative { magnitude.wrapping_neg() } else { magnitude };
        let fits = !beyond
            && match negative && magnitude != 0 {
                true => class.signed && magnitude <= class.min().unsigned_abs(),
                false => magnitude <= class.max(),
            };
        self.store_overflow(last, target, class.wrap(cut as i128), !fits, stores)
    }

    fn store_overflow(
        &mut self,
        last: (Value, TypeId),
        target: TypeId,
        value: i128,
        overflows: bool,
        stores: bool,
    ) -> Checked<Value> {
        if stores {
            let Some(scalar) = Scalar::of(self.program, target) else {
                return unsupported("an overflow check into this type");
            };
            let size = scalar.size(self.program);
            let at = self.memory.locate(last.0, u64::from(size), 1)?;
            self.check_writable(at)?;
            let bits = if scalar == Scalar::Bool { u128::from(value != 0) } else { value as u128 };
            self.memory.write(at, size, bits, 0)?;
        }
        Ok(Value::int(i64::from(overflows)))
    }
}

/// The quotient, and the remainder in the place of the provenance, C11 7.22.6.2.
fn divide(left: Value, right: Value, class: IntegerType) -> Checked<Value> {
    if right.high != 0 {
        return underspecified::tainted(right, "a number that depends on an address");
    }
    let (left, right) = (i128::from(left.low as i64), i128::from(right.low as i64));
    if right == 0 {
        return undefined(UbKind::DivisionByZero, format!("{left} is divided by zero"));
    }
    if !class.contains(left / right) {
        return undefined(UbKind::AbsOverflow, format!("{left} is divided by {right}"));
    }
    Ok(Value { low: (left / right) as u64, high: (left % right) as u64 })
}
