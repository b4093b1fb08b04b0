//! Passes on statements.

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::edit::{Anchor, Change, Draft, Edit, Holder};
use farrier_lang::{
    BinaryOp, ExprId, ExprKind, IntKind, LabelId, ObjectId, Program, Stmt, StmtId, Type, Types,
};

use super::entities::dead_functions;
use super::nodes::{Scene, adapted, push};
use super::operations::literal;
use super::returns::must_return;

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
    let mut draft = Draft::new(program);
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
    let Some(stmts) = main_block(scene) else { return Vec::new() };
    let chosen = |stmt: &&StmtId| match program[**stmt] {
        Stmt::Expr(expr) => match program[expr].kind {
            ExprKind::Call(callee, _) => has_body(program, callee),
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
    let Some(stmts) = main_block(scene) else { return Vec::new() };
    let mut draft = Draft::new(program);
    let mut edits = Vec::new();
    for (index, at) in stmts.iter().copied().enumerate() {
        let Stmt::Expr(call) = program[at] else { continue };
        let ExprKind::Call(callee, arguments) = &program[call].kind else { continue };
        if has_body(program, *callee) {
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
            let behind = stmts[index + 1..].iter().copied().map(Change::RemoveStmt);
            edits.push(
                draft.edit([Change::ReplaceStmt { at, with }].into_iter().chain(behind).collect()),
            );
        }
    }
    edits
}

/// Whether a value is another one than it always was.
fn differs(scene: &Scene<'_>, draft: &mut Draft, mut value: ExprId) -> Option<ExprId> {
    let known = scene.known_value(value)?;
    // A promotion is made again where it is compared.
    if let ExprKind::Convert(inner) = scene.program[value].kind
        && scene.known_value(inner) == Some(known)
    {
        value = inner;
    }
    let Type::Int(kind) = *scene.program.resolve(scene.program.type_of(value)) else { return None };
    let kind = if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind };
    let right = literal(draft, known, kind)?;
    let value = adapted(draft, value, Types::int(kind))?;
    Some(push(draft, ExprKind::Binary(BinaryOp::NotEqual, value, right), Types::INT))
}

/// The statements of `main`.
fn main_block<'a>(scene: &Scene<'a>) -> Option<&'a [StmtId]> {
    let program = scene.program;
    let main = scene.main()?;
    match &program[program[main].body?] {
        Stmt::Block(stmts) => Some(stmts),
        _ => None,
    }
}

/// Whether what is called is not a function of the library.
fn has_body(program: &Program, callee: ExprId) -> bool {
    let ExprKind::Decay(name) = program[callee].kind else { return true };
    match program[name].kind {
        ExprKind::Function(function) => program[function].body.is_some(),
        _ => true,
    }
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

/// The labels of a program and who jumps to them.
struct Jumps {
    to: BTreeMap<LabelId, Vec<StmtId>>,
    /// The labels in a statement.
    labels: BTreeMap<StmtId, Vec<LabelId>>,
}

impl Jumps {
    fn of(scene: &Scene<'_>) -> Self {
        let mut to: BTreeMap<LabelId, Vec<StmtId>> = BTreeMap::new();
        let mut labels: BTreeMap<StmtId, Vec<LabelId>> = BTreeMap::new();
        for stmt in scene.stmts() {
            match scene.program[stmt] {
                Stmt::Goto(label) => to.entry(label).or_default().push(stmt),
                Stmt::Label(label, _) => {
                    let mut around = Some(stmt);
                    while let Some(stmt) = around {
                        labels.entry(stmt).or_default().push(label);
                        around = match scene.holder_of_stmt(stmt) {
                            Some(Holder::Stmt(stmt)) => Some(stmt),
                            _ => None,
                        };
                    }
                }
                _ => {}
            }
        }
        Self { to, labels }
    }

    /// The edit that takes a statement out, with the jumps to the labels in it.
    fn removal(&self, scene: &Scene<'_>, stmt: StmtId) -> Edit {
        let labels = self.labels.get(&stmt).into_iter().flatten();
        let jumps = labels.filter_map(|label| self.to.get(label)).flatten();
        // Those that are inside go anyway.
        let mut removed: BTreeSet<StmtId> = jumps.copied().collect();
        removed.remove(&stmt);
        let changes = [stmt].into_iter().chain(removed).map(Change::RemoveStmt).collect();
        Edit::new(scene.program, changes)
    }
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
    let mut draft = Draft::new(scene.program);
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
    let mut draft = Draft::new(scene.program);
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
    let mut draft = Draft::new(scene.program);
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
    draft: &mut Draft,
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
