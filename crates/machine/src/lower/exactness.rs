//! Floating operations that are watched for results that are not exact.

use farrier_lang::FloatId;
use farrier_lang::float::FloatValue;

use super::Lowerer;
use crate::arithmetic;
use crate::code::{Exact, Op, Position, Reg};
use crate::value::Scalar;

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
