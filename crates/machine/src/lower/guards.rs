//! Guards: operations that may be undefined, with what happens instead.

use farrier_lang::{ExprId, ExprKind, Fallback, GuardCheck, UnaryOp};

use farrier_lang::wrapper::wrapper_of;

use super::Lowerer;
use crate::code::{Exact, Guard, Op, Reg};
use crate::value::{Scalar, Value};
use crate::verdict::Checked;

impl Lowerer<'_> {
    /// The value of a guard. The fallback has no side effect, so it may be
    /// evaluated even if it is not needed.
    pub(super) fn guard(
        &mut self,
        expr: ExprId,
        check: GuardCheck,
        operand: ExprId,
        fallback: Fallback,
        want: Option<Reg>,
    ) -> Checked<Reg> {
        let given = match fallback {
            Fallback::Value(value) => Some(self.value(value)?),
            Fallback::FirstOperand => None,
        };
        let watched = self.watch.guards.contains(expr).then_some(expr);
        let guard = Guard { watched, fallback: given, bound: 0, signed: false };
        match check {
            GuardCheck::Operation => {
                let value = self.guarded_operation(guard, operand, want)?;
                // Its value is that of the guard, unless the guard fired.
                self.count(operand);
                Ok(value)
            }
            // Without a wrapper the operation is printed bare, and means that.
            GuardCheck::Exact if wrapper_of(self.program, &self.program[expr]).is_none() => {
                self.value_to(operand, want)
            }
            GuardCheck::Exact => {
                let value = self.guarded_exact(guard, operand)?;
                self.count(operand);
                Ok(value)
            }
            GuardCheck::Index { bound } => {
                let src = self.value(operand)?;
                let signed = match self.scalar(self.program.type_of(operand)) {
                    Some(Scalar::Int { signed, .. }) => signed,
                    Some(Scalar::Bool) => false,
                    _ => return Ok(self.unsupported("an index of this type")),
                };
                let dst = self.target(want);
                let guard = self.push_guard(Guard { bound: u64::from(bound), signed, ..guard });
                self.emit(Op::GuardIndex { dst, src, guard });
                Ok(dst)
            }
            GuardCheck::Pointer => {
                let src = self.value(operand)?;
                let dst = self.target(want);
                let guard = self.push_guard(guard);
                self.emit(Op::GuardPointer { dst, src, guard });
                Ok(dst)
            }
        }
    }

    /// A floating operation whose result must be exact. If it is not, the value is that
    /// of the fallback; without one, that of the first operand, of which a conversion to
    /// a floating type makes the rounded value, and one to an integer zero.
    fn guarded_exact(&mut self, guard: Guard, operand: ExprId) -> Checked<Reg> {
        let ty = self.program.type_of(operand);
        let (op, left, right) = match self.program[operand].kind {
            ExprKind::Binary(op, left, right) => (Some(op), left, Some(right)),
            ExprKind::Convert(value) | ExprKind::Cast(value) => (None, value, None),
            // Changing a sign is exact.
            _ => return self.value_to(operand, None),
        };
        let from = self.scalar(self.program.type_of(left));
        let (Some(from), Some(to)) = (from, self.scalar(ty)) else {
            return Ok(self.unsupported("guards on complex numbers and vectors"));
        };
        let (left, right) = match right {
            Some(right) => self.pair(left, right)?,
            None => {
                let value = self.value(left)?;
                (value, value)
            }
        };
        let tested = self.temporary();
        let watched = guard.watched;
        self.code.exacts.push(Exact { op, from, to, left, right, constant: None, watched });
        let exact = self.code.exacts.len() as u32 - 1;
        self.emit(Op::CheckExact { dst: tested, exact });
        let dst = self.temporary();
        let int = self.int_scalar();
        let skip = self.emit(Op::JumpIfZero { ty: int, src: tested, to: 0 });
        let compute = match op {
            Some(op) => Op::Binary { op, ty: from, dst, left, right },
            None => Op::Convert { from, to, dst, src: left },
        };
        self.emit(compute);
        let end = self.emit(Op::Jump { to: 0 });
        self.land(skip);
        let rounds = matches!(to, Scalar::Single | Scalar::Double | Scalar::Float(_));
        match (guard.fallback, op) {
            (Some(src), _) => self.emit(Op::Copy { dst, src }),
            (None, Some(_)) => self.emit(Op::Copy { dst, src: left }),
            (None, None) if rounds => self.emit(compute),
            (None, None) => self.emit(Op::Constant { dst, low: 0 }),
        };
        self.land(end);
        Ok(dst)
    }

    fn push_guard(&mut self, guard: Guard) -> u32 {
        self.code.guards.push(guard);
        self.code.guards.len() as u32 - 1
    }

    /// An operation that cannot fail: where it would, it has the value of the
    /// fallback, or of its first operand.
    fn guarded_operation(
        &mut self,
        guard: Guard,
        operand: ExprId,
        want: Option<Reg>,
    ) -> Checked<Reg> {
        let ty = self.program.type_of(operand);
        match self.program[operand].kind {
            ExprKind::Binary(op, left, right) => {
                let Some(scalar) = self.scalar(self.program.type_of(left)) else {
                    return Ok(self.unsupported("guards on complex numbers and vectors"));
                };
                if self.program.pointee(ty).is_some() || scalar == Scalar::Pointer {
                    return Ok(self.unsupported("guards on pointer arithmetic"));
                }
                let count = self.scalar(self.program.type_of(right));
                let (left, right) = self.pair(left, right)?;
                let right = if op.is_shift() { self.shift_count(right, count) } else { right };
                let dst = self.target(want);
                self.on_next(guard, Some(left));
                if op.is_shift() {
                    self.emit(Op::Shift { op, ty: scalar, dst, left, right });
                } else {
                    self.emit(Op::Binary { op, ty: scalar, dst, left, right });
                }
                Ok(dst)
            }
            ExprKind::Unary(UnaryOp::Minus, value) => {
                let Some(scalar) = self.scalar(ty) else {
                    return Ok(self.unsupported("guards on complex numbers and vectors"));
                };
                let src = self.value(value)?;
                let dst = self.target(want);
                self.on_next(guard, Some(src));
                self.emit(Op::Negate { ty: scalar, dst, src });
                Ok(dst)
            }
            ExprKind::Convert(value) | ExprKind::Cast(value) => {
                let from = self.scalar(self.program.type_of(value));
                let (Some(from), Some(to)) = (from, self.scalar(ty)) else {
                    return Ok(self.unsupported("guards on complex numbers and vectors"));
                };
                let src = self.value(value)?;
                // The operand does not fit, so it cannot be the value: zero is.
                let zero = self.constant(Value::default(), None);
                let dst = self.target(want);
                self.on_next(guard, Some(zero));
                self.emit(Op::Convert { from, to, dst, src });
                Ok(dst)
            }
            _ => self.value_to(operand, want),
        }
    }

    /// Puts a guard on the operation that is emitted next.
    fn on_next(&mut self, guard: Guard, first: Option<Reg>) {
        let fallback = guard.fallback.or(first);
        let position = self.here();
        self.code.guarded.insert(position, Guard { fallback, ..guard });
    }
}
