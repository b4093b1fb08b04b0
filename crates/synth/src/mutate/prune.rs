//! Orion: deletes statements that never run.

use super::stage::Stage;
use super::{Row, Strategy};
use crate::Choices;

pub(super) const ROWS: &[Row] =
    &[Row { strategy: Strategy::Orion, name: "delete", weight: 1, draw: delete }];

/// The most that each of the two probabilities can be, in percent.
const MOST: u64 = 60;

/// Deletes by two probabilities that are drawn anew: one for statements that have others in
/// them, and one for the rest. It goes over the whole program, so that once is enough.
fn delete(stage: &mut Stage<'_>, choices: &mut Choices) {
    if stage.has_drawn() {
        return;
    }
    let (parents, leaves) = (choices.below(MOST) as u32, choices.below(MOST) as u32);
    for stmt in stage.dead_stmts() {
        let mut is_parent = false;
        stage.scene.program[stmt].for_each_child(|_| is_parent = true);
        if choices.chance(if is_parent { parents } else { leaves })
            && let Some(changes) = stage.removal(stmt)
        {
            stage.push(changes);
        }
    }
}
