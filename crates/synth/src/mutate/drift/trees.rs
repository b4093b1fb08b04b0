//! What statements contain, and copies of them in which objects stand for others.

use farrier_lang::{ExprId, ExprKind, ObjectId, Program, Stmt, StmtId, copy};
use rustc_hash::FxHashSet;

use super::super::stage::Stage;

/// Everything in some statements: the statements, and the expressions with those of
/// initialisers.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) stmts: Vec<StmtId>,
    pub(super) exprs: Vec<ExprId>,
    pub(super) declared: FxHashSet<ObjectId>,
}

impl Contents {
    pub(super) fn of(program: &Program, stmts: &[StmtId]) -> Self {
        let mut contents = Self::default();
        stmts.iter().for_each(|stmt| contents.add(program, *stmt));
        contents
    }

    fn add(&mut self, program: &Program, stmt: StmtId) {
        self.stmts.push(stmt);
        program[stmt].for_each_expr(|expr| self.add_expr(program, expr));
        if let Stmt::Declare(object) = program[stmt] {
            self.declared.insert(object);
            program[object].init.iter().for_each(|init| self.add_expr(program, *init));
        }
        program[stmt].for_each_child(|child| self.add(program, child));
    }

    fn add_expr(&mut self, program: &Program, expr: ExprId) {
        self.exprs.push(expr);
        if let ExprKind::StatementExpr(block) = program[expr].kind {
            self.add(program, block);
        }
        program[expr].kind.for_each_operand(|operand| self.add_expr(program, operand));
    }

    /// The objects that are named here and declared elsewhere, in the order of the text.
    pub(super) fn free(&self, program: &Program) -> Vec<ObjectId> {
        let mut found = Vec::new();
        for expr in &self.exprs {
            if let ExprKind::Object(object) = program[*expr].kind
                && !self.declared.contains(&object)
                && !found.contains(&object)
            {
                found.push(object);
            }
        }
        found
    }

    /// Whether something here is a jump, a label, or cannot stand in another function.
    pub(super) fn is_bound(&self, program: &Program) -> bool {
        let stmts = self.stmts.iter().any(|stmt| {
            matches!(
                program[*stmt],
                Stmt::Label(..)
                    | Stmt::Goto(_)
                    | Stmt::GotoComputed(_)
                    | Stmt::Return(_)
                    | Stmt::Asm(_)
                    | Stmt::DefineFunction(_)
                    | Stmt::DefineRecord(_)
            )
        });
        let exprs = self.exprs.iter().any(|expr| {
            matches!(program[*expr].kind, ExprKind::LabelAddress(_) | ExprKind::VaArg(_))
        });
        stmts || exprs
    }
}

/// Which jumps of a statement lead out of it, to the loop or switch around it.
#[derive(Clone, Copy, Default)]
pub(super) struct Exits {
    pub(super) breaks: bool,
    pub(super) continues: bool,
    /// Whether it has a `case` or `default` of a switch around it.
    pub(super) cases: bool,
}

impl Exits {
    pub(super) fn of(program: &Program, stmt: StmtId) -> Self {
        let mut exits = Self::default();
        exits.add(program, stmt, false, false);
        exits
    }

    fn add(&mut self, program: &Program, stmt: StmtId, in_loop: bool, in_switch: bool) {
        match program[stmt] {
            Stmt::Break => self.breaks |= !in_loop && !in_switch,
            Stmt::Continue => self.continues |= !in_loop,
            Stmt::Case { .. } | Stmt::Default(_) => self.cases |= !in_switch,
            _ => {}
        }
        let is_loop =
            matches!(program[stmt], Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. });
        let in_loop = in_loop || is_loop;
        let in_switch = in_switch || matches!(program[stmt], Stmt::Switch { .. });
        program[stmt].for_each_child(|child| self.add(program, child, in_loop, in_switch));
    }

    pub(super) fn any(self) -> bool {
        self.breaks || self.continues || self.cases
    }
}

/// A copy of a statement in which each use of some objects is what `stand_in` makes of it; it
/// changes nothing if it gives `None`.
pub(super) fn copy_with(
    stage: &mut Stage<'_>,
    stmt: StmtId,
    stand_in: &mut dyn FnMut(&mut Stage<'_>, ObjectId) -> Option<ExprKind>,
) -> StmtId {
    let copied = copy::stmt(&mut stage.fresh.program, stmt);
    for expr in Contents::of(&stage.fresh.program, &[copied]).exprs {
        if let ExprKind::Object(object) = stage.fresh.program[expr].kind
            && let Some(kind) = stand_in(stage, object)
        {
            stage.fresh.program[expr].kind = kind;
        }
    }
    copied
}

/// A new block.
pub(super) fn block(stage: &mut Stage<'_>, stmts: Vec<StmtId>) -> StmtId {
    stage.fresh.program.stmts.push(Stmt::Block(stmts.into()))
}

/// A new statement that is an expression.
pub(super) fn expression(stage: &mut Stage<'_>, expr: ExprId) -> StmtId {
    stage.fresh.program.stmts.push(Stmt::Expr(expr))
}
