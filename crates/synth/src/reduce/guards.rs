//! Passes that undo what the generator did to its program: guards, and the branches and
//! declarations around what is left of them.

use farrier_lang::edit::{Change, Draft, Edit};
use farrier_lang::*;

use super::entities::copy;
use super::nodes::{Scene, adapted, push};

/// Takes guards away: one that never fired leaves its operation, one that always fired
/// leaves what it fell back on.
pub(super) fn guards(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Draft::new(program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::Guard { operand, fallback, .. } = program[at].kind else { continue };
        let seen = scene.profile.as_ref().map(|profile| profile.expr(at));
        let fired = seen.is_some_and(|seen| seen.fired > 0);
        let with = match fallback {
            _ if !fired => Some(operand),
            Fallback::Value(value) => Some(value),
            Fallback::FirstOperand => first_operand(program, operand),
        };
        match with.and_then(|with| adapted(&mut draft, with, program.type_of(at))) {
            Some(with) => edits.push(draft.edit(vec![Change::ReplaceExpr { at, with }])),
            None => draft.discard(),
        }
    }
    edits
}

fn first_operand(program: &Program, operation: ExprId) -> Option<ExprId> {
    let mut first = None;
    program[operation].kind.for_each_operand(|operand| first = first.or(Some(operand)));
    first
}

/// Replaces a branch or a loop by what decides it: if it does nothing but assign or return, by
/// an assignment or a return of its condition, so that what decides becomes what is seen.
pub(super) fn conditions(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Draft::new(program);
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
    let mut draft = Draft::new(program);
    let mut edits = Vec::new();
    for at in scene.stmts() {
        let Stmt::Declare(object) = program[at] else { continue };
        let Some(init) = program[object].init else { continue };
        if matches!(program[init].kind, ExprKind::InitList(_) | ExprKind::String(_))
            || !scene.uses(&ExprKind::Object(object)).is_empty()
        {
            continue;
        }
        let mut value = init;
        while let ExprKind::Convert(inner) = program[value].kind {
            value = inner;
        }
        let with = draft.program.stmts.push(Stmt::Expr(value));
        // Without the initialiser the object no longer holds it.
        let from = program[object].clone();
        let to = Object { init: None, ..from.clone() };
        let change = Change::Object { id: object, from: Box::new(from), to: Box::new(to) };
        edits.push(draft.edit(vec![change, Change::ReplaceStmt { at, with }]));
    }
    edits
}

/// Puts the statement behind a label where the jump to it stands.
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
            let anchor = farrier_lang::edit::Anchor::Before(jump);
            let insert = Change::InsertStmts { block, anchor, stmts: [body].into() };
            let changes = vec![insert, Change::RemoveStmt(labelled), Change::RemoveStmt(jump)];
            edits.push(Edit::new(program, changes));
        }
    }
    edits
}

/// Reads the part of an object that is assigned to, in the place of another part: of a
/// union, what was written instead of what lies over it.
pub(super) fn parts(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Draft::new(program);
    let written: Vec<(ObjectId, ExprId)> = scene
        .exprs()
        .filter_map(|id| match program[id].kind {
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => Some((root(program, target)?, target)),
            _ => None,
        })
        .collect();
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::Load(place) = program[at].kind else { continue };
        let Some(object) = root(program, place) else { continue };
        let target = written.iter().find(|(other, target)| {
            *other == object && program[*target].kind != program[place].kind
        });
        let Some(&(_, target)) = target else { continue };
        let ty = program.type_of(target).unqualified();
        let read = copy(&mut draft.program, target)
            .map(|place| push(&mut draft, ExprKind::Load(place), ty));
        match read.and_then(|read| adapted(&mut draft, read, program.type_of(at))) {
            Some(with) => edits.push(draft.edit(vec![Change::ReplaceExpr { at, with }])),
            None => draft.discard(),
        }
    }
    edits
}

/// Replaces what is read from a compound literal by the first value in it that is computed.
pub(super) fn literals(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Draft::new(program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::Load(mut place) = program[at].kind else { continue };
        let literal = loop {
            place = match program[place].kind {
                ExprKind::CompoundLiteral(init) => break Some(init),
                ExprKind::Member(of, _) | ExprKind::Index(of, _) | ExprKind::Decay(of) => of,
                _ => break None,
            };
        };
        let Some(value) = literal.and_then(|init| computed(program, init)) else { continue };
        match adapted(&mut draft, value, program.type_of(at)) {
            Some(with) => edits.push(draft.edit(vec![Change::ReplaceExpr { at, with }])),
            None => draft.discard(),
        }
    }
    edits
}

/// The first value of an initialiser that is not a constant.
fn computed(program: &Program, init: ExprId) -> Option<ExprId> {
    match &program[init].kind {
        ExprKind::InitList(items) => items.iter().find_map(|item| computed(program, item.value)),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) => None,
        _ => Some(init),
    }
}

/// The object that a place is a part of.
fn root(program: &Program, mut place: ExprId) -> Option<ObjectId> {
    loop {
        place = match program[place].kind {
            ExprKind::Object(object) => return Some(object),
            ExprKind::Member(of, _) | ExprKind::Index(of, _) | ExprKind::Decay(of) => of,
            _ => return None,
        };
    }
}
