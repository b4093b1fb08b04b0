//! Tier *free*: bounded integers in floating types, which every order of operations gets right.

use farrier_lang::{BinaryOp, ExprId};

use crate::generate::draft::Draft;

impl Draft<'_> {
    /// `left op right` with a bound that every regrouping keeps.
    pub(super) fn operate_free(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.binary(op, left, right)
    }

    /// A conversion that is exact for all values that its operand may have.
    pub(super) fn converted_free(&mut self, conversion: ExprId) -> ExprId {
        self.guarded(conversion)
    }

    /// A small integer.
    pub(super) fn free_constant(&mut self) -> ExprId {
        self.rounded_constant()
    }
}
