//! Athena: inserts statements where nothing ever runs.
//!
//! A statement is cut from this program or from a donor, with what it names. It goes to a
//! place that is never reached, so it may do anything; it must only be C there. What it names
//! becomes something that is visible there, or comes along.

mod fit;
mod part;
mod place;
#[cfg(test)]
mod tests;

use farrier_lang::{Id, Program, Stmt, StmtId};

use super::stage::Stage;
use super::{Row, Strategy};
use crate::Choices;
use fit::fitted;
use part::Part;
use place::Place;

pub(super) const ROWS: &[Row] =
    &[Row { strategy: Strategy::Athena, name: "insert", weight: 1, draw: insert }];

/// How many statements are inserted at once, at most.
const MOST: u64 = 4;

/// So many statements are tried for each that is wanted.
const ATTEMPTS: u64 = 4;

/// The statement is cut from the program itself although there are donors, in percent.
const OWN: u32 = 35;

/// So many statements are looked at for one that is cut.
const DRAWS: u32 = 64;

/// The largest weight of a statement.
const HEAVIEST: u32 = 12;

/// Inserts some statements, each at a place of its own.
fn insert(stage: &mut Stage<'_>, choices: &mut Choices) {
    let mut places = place::dead_places(stage);
    let wanted = 1 + choices.below(MOST);
    let before = stage.drawn();
    for _ in 0..wanted * ATTEMPTS {
        if places.is_empty() || (stage.drawn() - before) as u64 == wanted {
            return;
        }
        let index = choices.index(places.len());
        match transplant(stage, places[index], choices) {
            Some(()) => _ = places.swap_remove(index),
            None => stage.discard(),
        }
    }
}

/// Puts one statement at a place.
fn transplant(stage: &mut Stage<'_>, place: Place, choices: &mut Choices) -> Option<()> {
    let own = stage.donors.is_empty() || choices.chance(OWN);
    let from: &Program = match own {
        true => stage.scene.program,
        false => stage.donors[choices.index(stage.donors.len())].program(),
    };
    if from.target != stage.scene.program.target || from.dialect != stage.scene.program.dialect {
        return None;
    }
    let stmt = candidate(from, choices)?;
    let part = Part::of(from, stmt)?;
    let stmt = fitted(stage, place, from, &part, own, choices)?;
    let changes = place.changes(stage, stmt);
    stage.push(changes);
    Some(())
}

/// Draws a statement of a program; one with structure more often than others. It may be one
/// that an earlier round deleted.
fn candidate(program: &Program, choices: &mut Choices) -> Option<StmtId> {
    for _ in 0..if program.stmts.is_empty() { 0 } else { DRAWS } {
        let stmt = StmtId::from_index(choices.index(program.stmts.len()));
        if choices.below(HEAVIEST.into()) < weight(program, stmt).into() {
            return Some(stmt);
        }
    }
    None
}

/// How often a statement is drawn, in relation to others; at most [`HEAVIEST`].
fn weight(program: &Program, stmt: StmtId) -> u32 {
    match program[stmt] {
        Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } => HEAVIEST,
        Stmt::Switch { .. } => HEAVIEST,
        Stmt::If { .. } => 8,
        Stmt::Block(_) => 4,
        Stmt::Expr(expr) if part::has_call(program, expr) => 6,
        Stmt::Expr(_) | Stmt::Label(..) => 2,
        Stmt::Return(_) | Stmt::Goto(_) | Stmt::Break | Stmt::Continue => 1,
        _ => 0,
    }
}
