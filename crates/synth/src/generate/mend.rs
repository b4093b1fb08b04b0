//! Gives a relaxed draft one meaning.

use farrier_lang::{ObjectId, Program, StmtId};
use farrier_machine::{Options, Watch, collect};
use rustc_hash::FxHashSet;

use super::revive;
use crate::Choices;
use crate::relax::repair::{Known, ROUNDS, repair};
use crate::relax::{RelaxTally, Relaxed};

/// What mending has to know of a draft.
pub(super) struct Draftsman<'a> {
    pub(super) relaxed: &'a Relaxed,
    /// The hidden inputs with their values.
    pub(super) inputs: &'a [(ObjectId, i128)],
    /// The conditions that must stay as they are.
    pub(super) fixed: &'a FxHashSet<StmtId>,
    /// Whether the program may have `!`.
    pub(super) not: bool,
}

/// Revives a relaxed draft and repairs its faults, in a few rounds. Only a strict run tells whether
/// none is left.
pub(super) fn mend(
    program: &mut Program,
    draft: &Draftsman<'_>,
    options: &Options,
    choices: &mut Choices,
) -> RelaxTally {
    let Relaxed { shares, counts, .. } = *draft.relaxed;
    let mut tally = RelaxTally { shares, relaxed: counts, ..RelaxTally::default() };
    let mut watch = Watch::default();
    revive::watch(program, &mut watch);
    let seen = collect(program, &Options { profile: Some(watch), ..options.clone() });
    // What is revived has faults of its own, which the next round repairs.
    if let Some(profile) = seen.profile {
        revive::revive(program, &profile, draft.fixed, draft.not, choices);
    }
    let mut faults = seen.faults;
    let known = Known { relaxed: draft.relaxed, inputs: draft.inputs };
    for round in 0..ROUNDS {
        if round > 0 {
            faults = collect(program, options).faults;
        }
        if faults.is_empty() {
            match round {
                0 => continue,
                _ => break,
            }
        }
        tally.rounds += 1;
        for fault in &faults {
            *tally.faults.entry(fault.rule).or_default() += 1;
        }
        // Variety comes first, and then what surely ends.
        repair(program, &faults, &known, round > 0, choices, &mut tally);
    }
    tally
}
