//! The arithmetic of loop nests: how much of it is plain and signed.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, Program, Stmt, StmtId, Type, TypeId, UnaryOp,
    integer_type,
};
use farrier_machine::Profile;

use super::NEST_LENGTH;

/// Integer sums, differences, products, quotients and negations, subscripts apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Arithmetic {
    /// All of them.
    pub total: u64,
    /// Those in a signed type and without a guard.
    pub plain: u64,
}

/// What runs in loops, in statements that name an element of a long array.
pub(super) fn arithmetic(program: &Program, profile: &Profile, body: StmtId) -> Arithmetic {
    let mut walk = Walk { program, profile, found: Arithmetic::default() };
    walk.stmt(body, false);
    walk.found
}

struct Walk<'a> {
    program: &'a Program,
    profile: &'a Profile,
    found: Arithmetic,
}

impl Walk<'_> {
    fn stmt(&mut self, id: StmtId, in_loop: bool) {
        if self.profile.stmt(id) == 0 {
            return;
        }
        let node = &self.program[id];
        let is_loop = matches!(node, Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. });
        if in_loop && !is_loop {
            node.for_each_expr(|expr| {
                if self.names_element(expr) {
                    self.expr(expr, false);
                }
            });
        }
        node.for_each_child(|inner| self.stmt(inner, in_loop || is_loop));
    }

    fn names_element(&self, id: ExprId) -> bool {
        let kind = &self.program[id].kind;
        let mut found = matches!(kind, ExprKind::Index(base, _) if self.is_long(*base));
        kind.for_each_operand(|operand| found = found || self.names_element(operand));
        found
    }

    fn is_long(&self, base: ExprId) -> bool {
        let ExprKind::Decay(array) = self.program[base].kind else { return false };
        let ty = self.program.resolve(self.program.type_of(array));
        matches!(ty, Type::Array { length: ArrayLength::Fixed(NEST_LENGTH..), .. })
    }

    fn count(&mut self, ty: TypeId, guarded: bool) {
        if let Some(integer) = integer_type(self.program, ty) {
            self.found.total += 1;
            self.found.plain += u64::from(integer.signed && !guarded);
        }
    }

    fn expr(&mut self, id: ExprId, guarded: bool) {
        let expr = &self.program[id];
        match expr.kind {
            ExprKind::Guard { operand, .. } => return self.expr(operand, true),
            ExprKind::Index(base, _) => return self.expr(base, false),
            ExprKind::Unary(UnaryOp::Minus, _) => self.count(self.program.type_of(id), guarded),
            ExprKind::Binary(op, ..) if is_arithmetic(op) => {
                self.count(self.program.type_of(id), guarded);
            }
            ExprKind::CompoundAssign { op, computation, .. } if is_arithmetic(op) => {
                self.count(computation, guarded);
            }
            _ => {}
        }
        expr.kind.for_each_operand(|operand| self.expr(operand, false));
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Div, Mul, Rem, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem)
}
