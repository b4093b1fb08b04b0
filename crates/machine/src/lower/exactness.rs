//! Floating operations that are watched for results that are not exact.

use farrier_lang::float::FloatValue;
use farrier_lang::{BinaryOp, ExprId, ExprKind, FloatId, UnaryOp};

use super::Lowerer;
use crate::arithmetic;
use crate::code::{Exact, Op, Position, Reg};
use crate::value::Scalar;
use crate::verdict::Checked;

impl Lowerer<'_> {
    /// Emits an operation, with a note of whether it is exact if it is a floating one.
    pub(super) fn emit_watched(&mut self, op: Op) -> Position {
        let floating = |ty: Scalar| arithmetic::float_format(ty).is_some();
        let one = |from, to, src: Reg| Exact {
            op: None,
            from,
            to,
            left: src,
            right: src,
            constant: None,
            watched: None,
        };
        let before = match op {
            Op::Binary { op, ty, left, right, .. } if floating(ty) => {
                Some(Exact { op: Some(op), right, ..one(ty, ty, left) })
            }
            Op::BinaryConstant { op, ty, left, right, .. } if floating(ty) => {
                Some(Exact { op: Some(op), constant: Some(right), ..one(ty, ty, left) })
            }
            Op::Convert { from, to, src, .. } if floating(from) || floating(to) => {
                Some(one(from, to, src))
            }
            Op::Negate { ty, src, .. } if floating(ty) => Some(one(ty, ty, src)),
            _ => None,
        };
        if let Some(exact) = before {
            // A guard is on the operation, not on the note before it.
            let guard = self.code.guarded.remove(&self.here());
            self.push_note(exact);
            if let Some(guard) = guard {
                let position = self.here();
                self.code.guarded.insert(position, guard);
            }
        }
        let position = self.push(op);
        match op {
            Op::Load { ty, dst, .. }
            | Op::LoadStatic { ty, dst, .. }
            | Op::LoadLocal { ty, dst, .. }
                if floating(ty) =>
            {
                self.push_note(one(ty, ty, dst));
            }
            _ => {}
        }
        position
    }

    /// Takes the operations since `start` for so many only: those that they would be if nothing
    /// were watched. All of them run, one after the other.
    pub(super) fn refund(&mut self, start: Position, operations: u32) {
        let paid = |op: &Op| match op {
            Op::SeeValue { .. } | Op::NoteExact { .. } | Op::NoteInexact => 0,
            Op::Refund { operations } => -i64::from(*operations),
            _ => 1,
        };
        let paid: i64 = self.code.ops[start as usize..].iter().map(paid).sum();
        if let Ok(operations @ 1..) = u32::try_from(paid - i64::from(operations)) {
            self.push(Op::Refund { operations });
        }
    }

    /// Whether an expression would be one constant if nothing were watched.
    pub(super) fn is_folded(&self, expr: ExprId) -> bool {
        let (operand, unary) = match self.program[expr].kind {
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => (operand, None),
            ExprKind::Unary(op @ (UnaryOp::Minus | UnaryOp::BitNot), operand) => {
                (operand, Some(op))
            }
            _ => return false,
        };
        let scalar = |expr: ExprId| self.scalar(self.program.type_of(expr));
        let (Some(from), Some(to)) = (scalar(operand), scalar(expr)) else { return false };
        let Some(value) = self.constant_value(operand) else { return false };
        match unary {
            Some(op) => super::expressions::plain(arithmetic::unary(op, from, value)).is_some(),
            None => super::expressions::plain(arithmetic::convert(from, to, value)).is_some(),
        }
    }

    /// Whether the right operand of an operation would be a part of it if nothing were watched.
    pub(super) fn is_watched_literal(&self, op: BinaryOp, right: ExprId) -> bool {
        self.exactness
            && self.constant_value(right).is_some()
            && self.right_literal(op, right).is_none()
            && !self.is_wide_count(op, right)
    }

    /// The value of an expression that would need no operation if nothing were watched.
    pub(super) fn value_for_nothing(&mut self, expr: ExprId) -> Checked<Reg> {
        let start = self.here();
        let value = self.value(expr)?;
        self.refund(start, 0);
        Ok(value)
    }

    fn push_note(&mut self, exact: Exact) {
        self.code.exacts.push(exact);
        let exact = self.code.exacts.len() as u32 - 1;
        self.push(Op::NoteExact { exact });
    }

    /// Notes a constant that is not exactly what its text says.
    pub(super) fn watch_constant(&mut self, id: FloatId, ty: Option<Scalar>) {
        let format = ty.and_then(arithmetic::float_format);
        let value = |format| FloatValue { format, bits: self.program[id] };
        if self.exactness && !format.is_some_and(|format| value(format).is_exact_constant()) {
            self.push(Op::NoteInexact);
        }
    }
}
