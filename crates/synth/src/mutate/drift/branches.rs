//! Branches in another form.

use farrier_lang::edit::{Change, Holder};
use farrier_lang::{BinaryOp, ExprId, ExprKind, ObjectId, Program, Stmt, StmtId, copy};

use super::super::stage::Stage;
use super::trees::{Exits, block, expression};
use super::values::of_type;
use super::{Drawn, any_stmt};
use crate::Choices;
use crate::scene::plain;

/// How many branches of a chain become cases, at most.
const MOST_CASES: usize = 12;

/// A branch that assigns becomes an assignment of a choice.
pub(super) fn choice(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let Stmt::If { condition, then, otherwise } = program[at] else { return None };
    let (object, yes) = assigned(program, then)?;
    let no = match otherwise {
        Some(otherwise) => {
            let (other, no) = assigned(program, otherwise)?;
            (other == object).then(|| plain(program, no))?
        }
        None => stage.object(object),
    };
    let target = stage.object(object);
    let mut builder = stage.builder();
    let value = builder.conditional(condition, Some(plain(program, yes)), no).ok()?;
    let whole = builder.assign(target, value).ok()?;
    let with = expression(stage, whole);
    Some(vec![Change::ReplaceStmt { at, with }])
}

/// The object that a statement assigns to, and the value, if that is all it does.
fn assigned(program: &Program, stmt: StmtId) -> Option<(ObjectId, ExprId)> {
    match &program[stmt] {
        Stmt::Block(stmts) => match stmts[..] {
            [only] => assigned(program, only),
            _ => None,
        },
        Stmt::Expr(expr) => {
            let ExprKind::Assign(target, value) = program[*expr].kind else { return None };
            let ExprKind::Object(object) = program[target].kind else { return None };
            Some((object, value))
        }
        _ => None,
    }
}

/// An assignment of a choice becomes a branch.
pub(super) fn branch(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (object, value) = match program[at] {
        Stmt::Expr(_) => assigned(program, at)?,
        _ => return None,
    };
    let ExprKind::Conditional { condition, then: Some(yes), otherwise: no } =
        program[plain(program, value)].kind
    else {
        return None;
    };
    let ty = program.type_of(plain(program, value));
    let mut sides = [yes, no].into_iter().map(|side| {
        let target = stage.object(object);
        // The type of the choice is that of both sides together.
        let side = of_type(stage, plain(program, side), ty)?;
        let whole = stage.builder().assign(target, side).ok()?;
        Some(expression(stage, whole))
    });
    let (then, otherwise) = (sides.next()??, sides.next()??);
    let held = matches!(stage.scene.holder_of_stmt(at), Some(Holder::Stmt(_)));
    let is_value = stage.scene.around(at).nth(1).is_some_and(|it| stage.is_value_block(it));
    let with = Stmt::If { condition, then, otherwise: Some(otherwise) };
    let with = stage.fresh.program.stmts.push(with);
    (held && !is_value).then(|| vec![Change::ReplaceStmt { at, with }])
}

/// A chain of branches that compare one object with constants becomes a `switch`.
pub(super) fn switch(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let (object, _, _) = compared(program, at)?;
    let (mut cases, mut rest) = (Vec::new(), Some(at));
    while let Some(stmt) = rest
        && cases.len() < MOST_CASES
        && let Some((other, constant, then)) = compared(program, stmt)
        && other == object
        && !cases.iter().any(|(known, _)| *known == constant)
    {
        cases.push((constant, then));
        let Stmt::If { otherwise, .. } = program[stmt] else { return None };
        rest = otherwise;
    }
    let exits = cases.iter().map(|(_, then)| *then).chain(rest);
    if exits
        .into_iter()
        .any(|stmt| Exits::of(program, stmt).breaks || Exits::of(program, stmt).cases)
    {
        return None;
    }
    let place = stage.object(object);
    let mut builder = stage.builder();
    let value = builder.value(place);
    let value = builder.promote(value);
    let ty = stage.fresh.program.type_of(value);
    let mut stmts = Vec::new();
    for (constant, body) in cases {
        let first = stage.fresh.program.integer(constant, ty)?;
        let all = &mut stage.fresh.program.stmts;
        stmts.push(all.push(Stmt::Case { first, last: None, body }));
        stmts.push(all.push(Stmt::Break));
    }
    if let Some(rest) = rest {
        stmts.push(stage.fresh.program.stmts.push(Stmt::Default(rest)));
    }
    let body = stage.fresh.program.stmts.push(Stmt::Block(stmts.into()));
    let with = stage.fresh.program.stmts.push(Stmt::Switch { value, body });
    Some(vec![Change::ReplaceStmt { at, with }])
}

/// The object and the constant that a branch compares, and what it does if they are equal.
fn compared(program: &Program, stmt: StmtId) -> Option<(ObjectId, i128, StmtId)> {
    let Stmt::If { condition, then, .. } = program[stmt] else { return None };
    let ExprKind::Binary(BinaryOp::Equal, left, right) = program[condition].kind else {
        return None;
    };
    let (ExprKind::Load(place), ExprKind::Int(constant)) =
        (&program[plain(program, left)].kind, &program[plain(program, right)].kind)
    else {
        return None;
    };
    let ExprKind::Object(object) = program[*place].kind else { return None };
    let is_int = program.is_integer(program[object].ty);
    is_int.then_some((object, i128::from(*constant), then))
}

/// A `switch` whose cases all end in a jump becomes a chain of branches.
pub(super) fn chain(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let Stmt::Switch { value, body } = program[at] else { return None };
    let Stmt::Block(stmts) = &program[body] else { return None };
    let (mut groups, mut otherwise): (Vec<(ExprId, Vec<StmtId>)>, _) = (Vec::new(), None);
    let mut open: Option<Vec<StmtId>> = None;
    let mut label = None;
    for stmt in stmts {
        match (program[*stmt].clone(), &mut open) {
            (Stmt::Case { first, last: None, body }, None) => {
                (label, open) = (Some(first), Some(vec![body]));
            }
            (Stmt::Default(body), None) => (label, open) = (None, Some(vec![body])),
            (Stmt::Break, Some(_)) => match (label, open.take()) {
                (Some(label), Some(stmts)) => groups.push((label, stmts)),
                (None, stmts) => otherwise = stmts,
                _ => return None,
            },
            (_, Some(stmts)) => stmts.push(*stmt),
            _ => return None,
        }
    }
    if open.is_some() {
        return None;
    }
    let inner = groups.iter().flat_map(|(_, stmts)| stmts).chain(otherwise.iter().flatten());
    let simple = inner.into_iter().all(|stmt| {
        let exits = Exits::of(program, *stmt);
        !exits.breaks && !exits.cases && !matches!(program[*stmt], Stmt::Declare(_))
    });
    if !simple || program.has_effect(value) || groups.is_empty() {
        return None;
    }
    let mut rest = otherwise.map(|stmts| block(stage, stmts));
    for (label, stmts) in groups.into_iter().rev() {
        let read = copy::expr(&mut stage.fresh.program, value);
        let condition =
            stage.builder().binary(BinaryOp::Equal, read, plain(program, label)).ok()?;
        let then = block(stage, stmts);
        let test = Stmt::If { condition, then, otherwise: rest };
        rest = Some(stage.fresh.program.stmts.push(test));
    }
    Some(vec![Change::ReplaceStmt { at, with: rest? }])
}
