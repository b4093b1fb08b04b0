//! Bit counting, byte swapping and arithmetic that reports overflow.

use farrier_lang::{BinaryOp, IntegerType, TypeId};

use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::run::Machine;
use crate::value::{Scalar, Value};
use crate::verdict::{Step, undefined, unsupported};

impl Machine<'_> {
    pub(super) fn bit_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Step<Value> {
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
        if bits > 64 {
            return unsupported("bit counting in 128 bits");
        }
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let number = value.low & mask;
        let count = match function {
            CountLeadingZeros | CountTrailingZeros if number == 0 => {
                return undefined(UbKind::BuiltinArgument, "the argument is zero");
            }
            CountLeadingZeros => number.leading_zeros() - (64 - bits),
            CountTrailingZeros => number.trailing_zeros(),
            CountLeadingSigns => {
                let extended = (number << (64 - bits)) as i64 >> (64 - bits);
                let folded = (extended ^ extended >> 63) as u64;
                folded.leading_zeros() - (64 - bits) - 1
            }
            PopulationCount => number.count_ones(),
            Parity => number.count_ones() % 2,
            FindFirstSet if number == 0 => 0,
            FindFirstSet => number.trailing_zeros() + 1,
            ByteSwap => {
                let width = self.integer_class(result).bits;
                return Ok(Value { low: number.swap_bytes() >> (64 - width), high: 0 });
            }
            _ => return self.absolute(value, class),
        };
        Ok(Value::int(i64::from(count)))
    }

    fn absolute(&self, value: Value, class: IntegerType) -> Step<Value> {
        let number = i128::from(value.low as i64);
        match class.negate(number) {
            _ if number >= 0 => Ok(value),
            Ok(positive) => Ok(Value::int(positive as i64)),
            Err(_) => undefined(UbKind::AbsOverflow, format!("the absolute value of {number}")),
        }
    }

    /// The exact value of an integer argument.
    fn exact(&self, argument: (Value, TypeId)) -> i128 {
        let class = self.integer_class(argument.1);
        match Scalar::of(self.program, argument.1) {
            Some(Scalar::Wide { .. }) => argument.0.bits() as i128,
            _ if class.signed => i128::from(argument.0.low as i64),
            _ => i128::from(argument.0.low),
        }
    }

    /// `__builtin_add_overflow` and its kin: computed exactly, then cut to the type
    /// that the last argument points to, or has.
    fn overflow(&mut self, op: BinaryOp, arguments: Arguments<'_>, stores: bool) -> Step<Value> {
        let [left, right, last] = *arguments else {
            return Err(super::missing());
        };
        let wide = [left, right].iter().any(|(_, ty)| self.integer_class(*ty).bits > 64);
        let target = if stores { self.program.pointee(last.1).unwrap_or(last.1) } else { last.1 };
        let class = self.integer_class(target);
        if wide || class.bits > 64 {
            return unsupported("overflow checks in 128 bits");
        }
        let (a, b) = (self.exact(left), self.exact(right));
        let exact = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            // Two numbers of 64 bits: the product of unsigned ones may need 128 bits
            // without a sign, which wraps around here.
            _ => match a.checked_mul(b) {
                Some(product) => product,
                None => {
                    let wrapped = class.wrap(a.wrapping_mul(b));
                    return self.store_overflow(last, target, wrapped, true, stores);
                }
            },
        };
        let cut = class.wrap(exact);
        self.store_overflow(last, target, cut, cut != exact, stores)
    }

    fn store_overflow(
        &mut self,
        last: (Value, TypeId),
        target: TypeId,
        value: i128,
        overflows: bool,
        stores: bool,
    ) -> Step<Value> {
        if stores {
            let Some(scalar) = Scalar::of(self.program, target) else {
                return unsupported("an overflow check into this type");
            };
            let size = scalar.size(self.program);
            let at = self.memory.locate(last.0, u64::from(size), 1)?;
            self.check_writable(at)?;
            let bits = if scalar == Scalar::Bool { u128::from(value != 0) } else { value as u128 };
            self.memory.write(at, size, bits, 0);
        }
        Ok(Value::int(i64::from(overflows)))
    }
}
