//! Passes on statements.

use std::collections::BTreeSet;

use farrier_lang::edit::{Anchor, Change, Edit, Fresh, Holder};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, Object, ObjectId, Program, Stmt, StmtId, Type, Types,
};

use super::entities::dead_functions;
use crate::reduce::returns::must_return;
use crate::scene::{Jumps, Scene, adapted, is_library, plain, push};

/// The statements that can be taken out: all but bodies of functions, and the last thing that
/// those with a result do.
fn removable(scene: &Scene<'_>) -> impl Iterator<Item = StmtId> {
    let last = last_returns(scene);
    scene.stmts().filter(move |stmt| {
        matches!(scene.holder_of_stmt(*stmt), Some(Holder::Stmt(_))) && !last.contains(stmt)
    })
}

/// The last statements of functions, where they return a result.
fn last_returns(scene: &Scene<'_>) -> BTreeSet<StmtId> {
    let program = scene.program;
    let functions = scene.functions().filter(|function| must_return(program, *function));
    functions
        .filter_map(|function| match &program[program[function].body?] {
            Stmt::Block(stmts) => stmts.last().copied(),
            _ => None,
        })
        .filter(|last| matches!(program[*last], Stmt::Return(_)))
        .collect()
}

/// Removes functions that were never called, and statements that never ran, each with all that
/// is in it.
pub(super) fn dead(scene: &Scene<'_>) -> Vec<Edit> {
    let Some(profile) = &scene.profile else { return Vec::new() };
    let mut dead = BTreeSet::new();
    let mut edits = dead_functions(scene);
    let jumps = Jumps::of(scene);
    let last = last_returns(scene);
    // Those around a statement come before it.
    for stmt in scene.stmts().filter(|stmt| !profile.ran(scene.program, *stmt)) {
        dead.insert(stmt);
        let inside = match scene.holder_of_stmt(stmt) {
            Some(Holder::Stmt(around)) => dead.contains(&around),
            _ => true,
        };
        let kept =
            last.contains(&stmt) || matches!(scene.program[stmt], Stmt::Declare(_) | Stmt::Empty);
        if !inside && !kept {
            edits.push(jumps.removal(scene, stmt));
        }
    }
    edits
}

/// Where `main` never comes, lets it return 1: if it comes there all the same, that shows.
pub(super) fn alarms(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let Some(profile) = &scene.profile else { return Vec::new() };
    let main = scene.main();
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    let mut inside = BTreeSet::new();
    for at in scene.stmts() {
        let around = match scene.holder_of_stmt(at) {
            Some(Holder::Stmt(around)) => around,
            Some(Holder::Function(function)) if Some(function) == main => {
                inside.insert(at);
                continue;
            }
            _ => continue,
        };
        if !inside.contains(&around) {
            continue;
        }
        let marked = matches!(program[at], Stmt::Case { .. } | Stmt::Default(_) | Stmt::Label(..));
        if marked || profile.ran(program, at) {
            inside.insert(at);
        } else if !matches!(program[at], Stmt::Declare(_) | Stmt::Empty | Stmt::Return(_)) {
            let one = push(&mut draft, ExprKind::Int(1), Types::INT);
            let with = draft.program.stmts.push(Stmt::Return(Some(one)));
            edits.push(draft.edit(vec![Change::ReplaceStmt { at, with }]));
        }
    }
    edits
}

/// Removes statements of `main` that are in no other: calls of the functions of the program, and
/// loops and branches. What `main` assigns, prints and returns is needed by most failures, and
/// one that is needed costs as many tests as halving takes.
pub(super) fn of_main(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let Some(stmts) = scene.main_block() else { return Vec::new() };
    let chosen = |stmt: &&StmtId| match program[**stmt] {
        Stmt::Expr(expr) => match program[expr].kind {
            ExprKind::Call(callee, _) => !is_library(program, callee),
            _ => false,
        },
        Stmt::Declare(_) | Stmt::Return(_) | Stmt::Empty => false,
        _ => true,
    };
    stmts.iter().filter(chosen).map(|stmt| scene.remove_stmt(*stmt)).collect()
}

/// Where `main` prints a number, returns it and does no more; if it always was the same number,
/// whether it is another one, since an exit status has only eight bits.
pub(super) fn prints(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let Some(stmts) = scene.main_block() else { return Vec::new() };
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for (index, at) in stmts.iter().copied().enumerate() {
        let Stmt::Expr(call) = program[at] else { continue };
        let ExprKind::Call(callee, arguments) = &program[call].kind else { continue };
        if !is_library(program, *callee) {
            continue;
        }
        for argument in arguments {
            if !program.is_arithmetic(program.type_of(*argument)) {
                continue;
            }
            let value = differs(scene, &mut draft, *argument)
                .or_else(|| adapted(&mut draft, *argument, Types::INT));
            let Some(value) = value else {
                draft.discard();
                continue;
            };
            let with = draft.program.stmts.push(Stmt::Return(Some(value)));
            let after = stmts[index + 1..].iter().copied().map(Change::RemoveStmt);
            edits.push(
                draft.edit([Change::ReplaceStmt { at, with }].into_iter().chain(after).collect()),
            );
        }
    }
    edits
}

/// Whether a value is another one than it always was.
fn differs(scene: &Scene<'_>, draft: &mut Fresh, mut value: ExprId) -> Option<ExprId> {
    let known = scene.known_value(value)?;
    // A promotion is made again where it is compared.
    if let ExprKind::Convert(inner) = scene.program[value].kind
        && scene.known_value(inner) == Some(known)
    {
        value = inner;
    }
    let Type::Int(kind) = *scene.program.resolve(scene.program.type_of(value)) else { return None };
    let kind = if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind };
    let right = draft.program.literal(known, kind)?;
    let value = adapted(draft, value, Types::int(kind))?;
    Some(push(draft, ExprKind::Binary(BinaryOp::NotEqual, value, right), Types::INT))
}

/// Removes statements, and with a label all jumps to it. The declaration of an object that
/// something uses cannot go alone.
pub(super) fn remove(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let jumps = Jumps::of(scene);
    let used: BTreeSet<ObjectId> = scene
        .exprs()
        .filter_map(|id| match program[id].kind {
            ExprKind::Object(object) => Some(object),
            _ => None,
        })
        .collect();
    removable(scene)
        .filter(|stmt| !matches!(program[*stmt], Stmt::Declare(object) if used.contains(&object)))
        .map(|stmt| jumps.removal(scene, stmt))
        .collect()
}

/// Replaces a statement by the one that it always or usually executes.
pub(super) fn unwrap(scene: &Scene<'_>) -> Vec<Edit> {
    let one = |at, with| Edit::new(scene.program, vec![Change::ReplaceStmt { at, with }]);
    scene
        .stmts()
        .filter_map(|at| match scene.program[at] {
            Stmt::Switch { body, .. }
            | Stmt::Case { body, .. }
            | Stmt::Default(body)
            | Stmt::Label(_, body)
            | Stmt::Hinted { body, .. }
            | Stmt::DoWhile { body, .. } => Some(one(at, body)),
            Stmt::Block(ref inner) => match (&inner[..], scene.holder_of_stmt(at)) {
                // A body must be a block, and so must what a statement expression holds.
                ([only], Some(Holder::Stmt(_))) => Some(one(at, *only)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// Replaces a branch by its first side, and a loop by one round of it.
pub(super) fn first(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    scene
        .stmts()
        .filter_map(|at| match scene.program[at] {
            Stmt::If { then: with, .. } | Stmt::While { body: with, .. } => {
                Some(Edit::new(scene.program, vec![Change::ReplaceStmt { at, with }]))
            }
            Stmt::For { ref init, body, .. } => {
                let stmts = init.iter().copied().chain([body]).collect();
                let with = draft.program.stmts.push(Stmt::Block(stmts));
                Some(draft.edit(vec![Change::ReplaceStmt { at, with }]))
            }
            _ => None,
        })
        .collect()
}

/// Replaces a branch by its second side, and takes the condition or the step from a loop.
pub(super) fn second(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in scene.stmts() {
        match scene.program[at].clone() {
            Stmt::If { otherwise: Some(with), .. } => {
                edits.push(Edit::new(scene.program, vec![Change::ReplaceStmt { at, with }]));
            }
            Stmt::For { init, condition, step, body } => {
                let without = [
                    (init.clone(), None, step, condition.is_some()),
                    (init.clone(), condition, None, step.is_some()),
                    ([].into(), condition, step, !init.is_empty()),
                ];
                for (init, condition, step, smaller) in without {
                    if smaller {
                        let kind = Stmt::For { init, condition, step, body };
                        let with = draft.program.stmts.push(kind);
                        edits.push(draft.edit(vec![Change::ReplaceStmt { at, with }]));
                    }
                }
            }
            _ => {}
        }
    }
    edits
}

/// Takes one hint from a loop that has several.
pub(super) fn hints(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in scene.stmts() {
        let Stmt::Hinted { hints, body } = &scene.program[at] else { continue };
        for dropped in 0..if hints.len() > 1 { hints.len() } else { 0 } {
            let mut fewer = hints.clone();
            fewer.remove(dropped);
            let with = draft.program.stmts.push(Stmt::Hinted { hints: fewer, body: *body });
            edits.push(draft.edit(vec![Change::ReplaceStmt { at, with }]));
        }
    }
    edits
}

/// Puts the statements of a block into the block around it.
pub(super) fn flatten(scene: &Scene<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for block in scene.stmts() {
        let Stmt::Block(outer) = &scene.program[block] else { continue };
        for (index, inner) in outer.iter().enumerate() {
            let Stmt::Block(stmts) = &scene.program[*inner] else { continue };
            let anchor = match index.checked_sub(1) {
                Some(before) => Anchor::After(outer[before]),
                None => Anchor::Start,
            };
            let insert = Change::InsertStmts { block, anchor, stmts: stmts[..].into() };
            edits.push(Edit::new(scene.program, vec![Change::RemoveStmt(*inner), insert]));
        }
    }
    edits
}

/// Where an object gets a value and the next statement reads it once, puts the value there.
pub(super) fn forward(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for block in scene.stmts() {
        let Stmt::Block(stmts) = &scene.program[block] else { continue };
        for pair in stmts.windows(2) {
            match forwarded(scene, &mut draft, pair[0], pair[1]) {
                Some(changes) => edits.push(draft.edit(changes)),
                None => draft.discard(),
            }
        }
    }
    edits
}

fn forwarded(
    scene: &Scene<'_>,
    draft: &mut Fresh,
    first: StmtId,
    second: StmtId,
) -> Option<Vec<Change>> {
    let program = scene.program;
    let (object, value) = match program[first] {
        Stmt::Declare(object) => (object, program[object].init?),
        Stmt::Expr(assignment) => match program[assignment].kind {
            ExprKind::Assign(target, value) => match program[target].kind {
                ExprKind::Object(object) => (object, value),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let mut inside = scene.uses(&ExprKind::Object(object));
    inside.retain(|id| scene.statement_of(*id) == Some(second));
    let [only] = inside[..] else { return None };
    let at = scene.parent(only)?;
    let ExprKind::Load(_) = program[at].kind else { return None };
    let with = adapted(draft, value, program.type_of(at))?;
    Some(vec![Change::RemoveStmt(first), Change::ReplaceExpr { at, with }])
}

/// Replaces a branch or a loop by what decides it: if it does nothing but assign or return, by
/// an assignment or a return of its condition, so that what decides becomes what is seen.
pub(super) fn conditions(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for at in scene.stmts() {
        let (init, condition, body) = match &program[at] {
            Stmt::If { condition, then, .. } => (None, *condition, *then),
            Stmt::While { condition, body } | Stmt::Switch { value: condition, body } => {
                (None, *condition, *body)
            }
            Stmt::For { init, condition: Some(condition), body, .. } => {
                (Some(init.clone()), *condition, *body)
            }
            _ => continue,
        };
        for alone in [false, true] {
            let only = if alone { None } else { only(program, body) };
            let with = match only {
                None if alone => Some(Stmt::Expr(condition)),
                None => None,
                Some(Only::Assignment(target)) => {
                    let ty = program.type_of(target).unqualified();
                    let value = adapted(&mut draft, condition, ty);
                    value.filter(|_| program.is_arithmetic(ty)).map(|value| {
                        Stmt::Expr(push(&mut draft, ExprKind::Assign(target, value), ty))
                    })
                }
                Some(Only::Return(value)) => {
                    let value = adapted(&mut draft, condition, program.type_of(value));
                    value.map(|value| Stmt::Return(Some(value)))
                }
            };
            let Some(with) = with else {
                draft.discard();
                continue;
            };
            let mut with = draft.program.stmts.push(with);
            if let Some(init) = &init {
                let stmts = init.iter().copied().chain([with]).collect();
                with = draft.program.stmts.push(Stmt::Block(stmts));
            }
            edits.push(draft.edit(vec![Change::ReplaceStmt { at, with }]));
        }
    }
    edits
}

/// All that a statement does.
enum Only {
    /// It assigns to this place.
    Assignment(ExprId),
    /// It returns this value.
    Return(ExprId),
}

fn only(program: &Program, body: StmtId) -> Option<Only> {
    match &program[body] {
        Stmt::Block(stmts) => match stmts[..] {
            [stmt] => only(program, stmt),
            _ => None,
        },
        Stmt::Case { body, .. } | Stmt::Default(body) => only(program, *body),
        Stmt::Return(value) => value.map(Only::Return),
        Stmt::Expr(id) => match program[*id].kind {
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => Some(Only::Assignment(target)),
            _ => None,
        },
        _ => None,
    }
}

/// Replaces the declaration of an object that nothing uses by its initialiser alone.
pub(super) fn declarations(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for at in scene.stmts() {
        let Stmt::Declare(object) = program[at] else { continue };
        let Some(init) = program[object].init else { continue };
        if matches!(program[init].kind, ExprKind::InitList(_) | ExprKind::String(_))
            || !scene.uses(&ExprKind::Object(object)).is_empty()
        {
            continue;
        }
        let with = draft.program.stmts.push(Stmt::Expr(plain(program, init)));
        // Without the initialiser the object no longer holds it.
        let from = program[object].clone();
        let to = Object { init: None, ..from.clone() };
        let change = Change::Object { id: object, from: Box::new(from), to: Box::new(to) };
        edits.push(draft.edit(vec![change, Change::ReplaceStmt { at, with }]));
    }
    edits
}

/// Puts the statement after a label where the jump to it stands.
pub(super) fn jumps(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut edits = Vec::new();
    for block in scene.stmts() {
        let Stmt::Block(stmts) = &program[block] else { continue };
        for &jump in stmts {
            let Stmt::Goto(label) = program[jump] else { continue };
            let target = scene.stmts().find_map(|stmt| match program[stmt] {
                Stmt::Label(id, body) if id == label => Some((stmt, body)),
                _ => None,
            });
            let Some((labelled, body)) = target else { continue };
            let anchor = Anchor::Before(jump);
            let insert = Change::InsertStmts { block, anchor, stmts: [body].into() };
            let changes = vec![insert, Change::RemoveStmt(labelled), Change::RemoveStmt(jump)];
            edits.push(Edit::new(program, changes));
        }
    }
    edits
}
