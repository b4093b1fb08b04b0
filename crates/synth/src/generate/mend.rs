//! Gives a relaxed draft one meaning.

use farrier_lang::{ObjectId, Program, StmtId};
use farrier_machine::{Options, Profile, Watch, collect};
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

/// Most drafts still have faults in the rounds before this one.
const CLEAN: u32 = 2;

/// Revives a relaxed draft and repairs its faults, in a few rounds. The runs of the last rounds
/// watch what `ask` says; the profile of one without faults comes back, and without it only
/// another run tells whether a fault is left.
pub(super) fn mend(
    program: &mut Program,
    draft: &Draftsman<'_>,
    options: &Options,
    ask: &mut dyn FnMut(&Program, &mut Choices) -> Watch,
    choices: &mut Choices,
) -> (RelaxTally, Option<Profile>) {
    let Relaxed { shares, counts, .. } = *draft.relaxed;
    let mut tally = RelaxTally { shares, relaxed: counts, ..RelaxTally::default() };
    let mut watch = Watch::default();
    revive::watch(program, &mut watch, draft.fixed, draft.not, choices);
    let seen = collect(program, &Options { profile: Some(watch), ..options.clone() });
    // What is revived has faults of its own, which the next round repairs.
    if let Some(profile) = seen.profile {
        revive::revive(program, &profile);
    }
    let mut faults = seen.faults;
    let known = Known { relaxed: draft.relaxed, inputs: draft.inputs };
    for round in 0..ROUNDS {
        if round > 0 {
            let profile = (round >= CLEAN).then(|| ask(program, choices));
            let seen = collect(program, &Options { profile, ..options.clone() });
            faults = seen.faults;
            if faults.is_empty() {
                return (tally, seen.profile.filter(|_| seen.stopped.is_none()));
            }
        }
        if faults.is_empty() {
            continue;
        }
        tally.rounds += 1;
        for fault in &faults {
            *tally.faults.entry(fault.rule).or_default() += 1;
        }
        // Variety comes first, and then what surely ends.
        repair(program, &faults, &known, round > 0, choices, &mut tally);
    }
    (tally, None)
}
