//! Tier *exact*: no operation rounds. Each has a guard, which is discharged when the values of its
//! operands are known.

use farrier_lang::{BinaryOp, ExprId};

use crate::generate::draft::Draft;

impl Draft<'_> {
    /// `left op right`, guarded.
    pub(super) fn operate_exact(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.binary(op, left, right)
    }

    /// A conversion, guarded.
    pub(super) fn converted_exact(&mut self, conversion: ExprId) -> ExprId {
        self.guarded(conversion)
    }

    /// A short fraction.
    pub(super) fn exact_constant(&mut self) -> ExprId {
        self.rounded_constant()
    }
}
