//! What is done with a program when nothing makes it smaller.

use farrier_lang::edit::{Change, Draft, apply};
use farrier_lang::{BinaryOp, ExprId, ExprKind, IntKind, Program, Stmt, StmtId, Types};

use crate::scene::push;

/// The last statement of `main`, and what it returns.
pub fn returned_by_main(program: &Program) -> Option<(StmtId, ExprId)> {
    let main = program.main()?;
    let Stmt::Block(stmts) = &program[program[main].body?] else { return None };
    let last = *stmts.last()?;
    match program[last] {
        Stmt::Return(Some(value)) => Some((last, value)),
        _ => None,
    }
}

/// A program that exits with `status` and computes that at the end of `main`, as one that
/// compares what it computes, and exits with 0 if that is right.
pub fn self_checking(program: &Program, status: i32) -> Option<Program> {
    let (at, value) = returned_by_main(program)?;
    if matches!(program[value].kind, ExprKind::Int(_)) {
        return None;
    }
    let mut draft = Draft::new(program);
    let right = draft.program.literal(status.into(), IntKind::Int)?;
    let differs = push(&mut draft, ExprKind::Binary(BinaryOp::NotEqual, value, right), Types::INT);
    let with = draft.program.stmts.push(Stmt::Return(Some(differs)));
    let edit = draft.edit(vec![Change::ReplaceStmt { at, with }]);
    let mut changed = program.clone();
    apply(&mut changed, &[edit]).ok()?;
    Some(changed)
}
