//! Drift: changes what the program does, because the machine knows the new output anyway.
//!
//! A row draws a node and describes a change of it, or finds that it does not fit and is asked
//! again. Changes of values are made where [`flow`] expects the program to stay defined.

mod branches;
mod data;
mod flow;
mod functions;
mod loops;
mod order;
mod retype;
#[cfg(test)]
mod tests;
mod trees;
mod types;
mod values;

use farrier_lang::edit::{Change, Holder, TreeNode};
use farrier_lang::{ExprId, ExprKind, Stmt, StmtId};

use super::stage::Stage;
use super::{Row, Strategy};
use crate::Choices;

/// How many nodes are drawn for one mutation.
const TRIES: u32 = 400;

/// The changes of one mutation; `None` if the node that was drawn does not fit.
type Drawn = Option<Vec<Change>>;

macro_rules! rows {
    ($($name:literal, $weight:literal, $draw:path;)*) => {
        pub(super) const ROWS: &[Row] = &[$(Row {
            strategy: Strategy::Drift,
            name: $name,
            weight: $weight,
            draw: |stage, choices| one(stage, choices, $draw),
        }),*];
    };
}

rows! {
    "operator", 10, values::operator;
    "logical", 3, values::logical;
    "assignment", 5, values::assignment;
    "constant", 12, values::constant;
    "negation", 3, values::negation;
    "bound", 6, values::bound;
    "type", 10, types::variable;
    "length", 3, types::length;
    "swap", 4, order::swap;
    "duplicate", 3, order::duplicate;
    "mix", 8, order::mix;
    "outline", 10, functions::outline;
    "recursion", 4, functions::recursion;
    "inline", 6, functions::inline;
    "peel", 4, loops::peel;
    "unroll", 4, loops::unroll;
    "split", 4, loops::split;
    "reverse", 3, loops::reverse;
    "jump", 4, loops::jump;
    "form", 4, loops::form;
    "choice", 3, branches::choice;
    "branch", 3, branches::branch;
    "switch", 3, branches::switch;
    "chain", 3, branches::chain;
    "gather", 5, data::gather;
    "frame", 5, data::frame;
    "lifetime", 4, data::lifetime;
    "bits", 5, data::bits;
    "shuffle", 3, data::shuffle;
    "overlay", 4, data::overlay;
    "walk", 4, data::walk;
}

/// Draws until something fits.
fn one(
    stage: &mut Stage<'_>,
    choices: &mut Choices,
    draw: fn(&mut Stage<'_>, &mut Choices) -> Drawn,
) {
    for _ in 0..TRIES {
        if let Some(changes) = draw(stage, choices) {
            stage.push(changes);
            return;
        }
        stage.discard();
    }
}

/// Any expression.
fn any_expr(stage: &Stage<'_>, choices: &mut Choices) -> Option<ExprId> {
    match choices.pick_any(&stage.scene.nodes)? {
        TreeNode::Expr(expr) => Some(expr),
        TreeNode::Stmt(_) => None,
    }
}

/// Any statement.
fn any_stmt(stage: &Stage<'_>, choices: &mut Choices) -> Option<StmtId> {
    choices.pick_any(&stage.stmts)
}

/// Whether an expression was never evaluated. A run does not count places and the constants in
/// them, but the values that are read from them.
fn is_dead(stage: &Stage<'_>, expr: ExprId) -> bool {
    let Some(profile) = &stage.scene.profile else { return true };
    let program = stage.scene.program;
    let mut at = expr;
    while profile.expr(at).count == 0 {
        match stage.scene.holder_of_expr(at) {
            Some(Holder::Expr(parent)) => match program[parent].kind {
                ExprKind::Conditional { condition, .. } if condition != at => return true,
                ExprKind::Logical(_, left, _) if left != at => return true,
                _ => at = parent,
            },
            Some(Holder::Stmt(stmt)) => return profile.stmt(stmt) == 0,
            Some(Holder::Object(_)) => return false,
            _ => return true,
        }
    }
    false
}

/// The block that a statement is in, and where.
fn in_block(stage: &Stage<'_>, stmt: StmtId) -> Option<(StmtId, usize)> {
    let Some(Holder::Stmt(block)) = stage.scene.holder_of_stmt(stmt) else { return None };
    let Stmt::Block(stmts) = &stage.scene.program[block] else { return None };
    Some((block, stmts.iter().position(|other| *other == stmt)?))
}

/// The expression that is all of a statement, if it ran.
fn is_plain_expression(stage: &Stage<'_>, stmt: StmtId) -> Option<ExprId> {
    match stage.scene.program[stmt] {
        Stmt::Expr(expr) if stage.count(stmt) > 0 => Some(expr),
        _ => None,
    }
}
