//! Which calls of `<math.h>` had results that are not rounded.

use farrier_lang::float::FloatValue;
use farrier_lang::{BinaryOp, TypeId};

use super::floats::Number;
use super::table::Room;
use super::{Arguments, Library};
use crate::arithmetic;
use crate::run::Machine;
use crate::value::{Scalar, Value};

impl Machine<'_> {
    /// Notes a call that was not exact, if that is watched.
    pub(super) fn note_exactness(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
        value: Value,
    ) {
        if !self.options().profile.as_ref().is_some_and(|watch| watch.exactness) {
            return;
        }
        let exact = match function.room() {
            // Libraries only approximate them, whatever this result is.
            Room::Approximate => false,
            Room::Mathematics => self.is_exact_call(function, arguments, (value, result)),
            _ => true,
        };
        if !exact {
            self.note_inexact();
        }
    }

    fn is_exact_call(
        &self,
        function: Library,
        arguments: Arguments<'_>,
        result: (Value, TypeId),
    ) -> bool {
        let format = |ty| arithmetic::float_format(Scalar::of(self.program, ty)?);
        let finite =
            |(value, ty)| format(ty).is_none_or(|format| arithmetic::is_finite(format, value));
        if !finite(result) || !arguments.iter().all(|argument| finite(*argument)) {
            return false;
        }
        let float = |(value, ty): (Value, TypeId)| {
            Some(FloatValue { format: format(ty)?, bits: value.bits() })
        };
        // The result of an operator, if it is exact.
        let exactly = |op, left: FloatValue, right| {
            left.arithmetic(op, right).and_then(|(value, exact)| exact.then_some(value))
        };
        let exact = || {
            let first = float(*arguments.first()?)?;
            match function {
                Library::Sqrt => {
                    let root = float(result)?;
                    exactly(BinaryOp::Mul, root, root).filter(|square| *square == first)
                }
                Library::Fdim => {
                    let second = float(*arguments.get(1)?)?;
                    exactly(BinaryOp::Sub, first, second)
                }
                Library::Fma => {
                    let (second, third) = (float(*arguments.get(1)?)?, float(*arguments.get(2)?)?);
                    let (value, exact) = first.fused(second, third);
                    exact.then_some(value)
                }
                Library::Ldexp => {
                    let number = |value: FloatValue| Number::decode(value.format, value.bits);
                    let power = arguments.get(1)?.0.low as i64;
                    let scaled = number(first).scaled(power).canonical();
                    (number(float(result)?).canonical() == scaled).then_some(first)
                }
                _ => Some(first),
            }
        };
        matches!(function, Library::FpClassify) || exact().is_some()
    }
}
