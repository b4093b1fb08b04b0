//! The pass that undoes what the generator did to its program: its guards.

use farrier_lang::edit::{Change, Edit, Fresh};
use farrier_lang::{ExprId, ExprKind, Fallback, Program};

use crate::scene::{Scene, adapted};

/// Takes guards away: one that never fired leaves its operation, one that always fired
/// leaves what it fell back on.
pub(super) fn guards(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let ExprKind::Guard { operand, fallback, .. } = program[at].kind else { continue };
        let fired = scene.profile.as_ref().is_some_and(|profile| profile.fired(at) > 0);
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
