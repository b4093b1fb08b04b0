//! What functions return.

use farrier_lang::{Entity, ExprId, ExprKind, FunctionId, Item, Program, Stmt, StmtId, Type};

/// Whether some function that has a result may come to its end without one. That is defined as
/// long as the result is not used, but people and sanitizers take it for a mistake.
pub(super) fn forgets_a_result(program: &Program) -> bool {
    program.items.iter().any(|item| match *item {
        Item::Define(Entity::Function(id)) => {
            must_return(program, id) && program[id].body.is_some_and(|body| goes_on(program, body))
        }
        _ => false,
    })
}

/// Whether a function has a result. That of `main` is 0 where nothing else is said.
pub(super) fn must_return(program: &Program, function: FunctionId) -> bool {
    let Type::Function(ty) = program.resolve(program[function].ty) else { return false };
    *program.resolve(ty.result) != Type::Void && !program.is_main(function)
}

/// Whether what is after a statement may come next. Where that is not plain, it may.
pub(super) fn goes_on(program: &Program, stmt: StmtId) -> bool {
    match &program[stmt] {
        Stmt::Return(_) | Stmt::Goto(_) | Stmt::GotoComputed(_) => false,
        Stmt::Block(stmts) => stmts.last().is_none_or(|last| goes_on(program, *last)),
        Stmt::Label(_, body) => goes_on(program, *body),
        Stmt::If { then, otherwise: Some(otherwise), .. } => {
            goes_on(program, *then) || goes_on(program, *otherwise)
        }
        Stmt::For { condition: None, body, .. } => breaks(program, *body),
        Stmt::While { condition, body } | Stmt::DoWhile { condition, body } => {
            let endless = matches!(program[*condition].kind, ExprKind::Int(value) if value != 0);
            !endless || breaks(program, *body)
        }
        _ => true,
    }
}

/// Whether a statement may leave the loop that it is the body of by a `break`.
fn breaks(program: &Program, stmt: StmtId) -> bool {
    match &program[stmt] {
        Stmt::Break => true,
        // Theirs is another one.
        Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::Switch { .. } => false,
        other => {
            let mut found = false;
            other.for_each_child(|child| found = found || breaks(program, child));
            found
        }
    }
}

/// The last statement of `main`, and what it returns.
pub fn returned_by_main(program: &Program) -> Option<(StmtId, ExprId)> {
    let Stmt::Block(stmts) = &program[program[program.main()?].body?] else { return None };
    let last = *stmts.last()?;
    match program[last] {
        Stmt::Return(Some(value)) => Some((last, value)),
        _ => None,
    }
}
