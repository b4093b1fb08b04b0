//! How much of the floating arithmetic of a program is open to a compiler.
//!
//! A certificate says what a program does if its arithmetic is that of IEEE 754. Compilers can be
//! told to do something else: to regroup, to contract, to compute with more digits. Of some
//! programs the result is the same all the same, and then such a compiler can be judged too.

mod free;

use farrier_lang::Program;

use crate::certified::Certified;
use crate::profile::Profile;
use crate::verdict::Verdict;
use crate::watch::Watch;
use crate::{Options, run};

/// What a compiler may do with the floating arithmetic of a program, without any change of what
/// the program does. The first allows most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tier {
    /// Anything that is right for real numbers: all values are so small and so coarse that no
    /// order of the operations rounds. So it is where there are no floating numbers.
    Free,
    /// Contract it, and compute with more digits: no operation rounds.
    Exact,
    /// Nothing: each operation is rounded to the format of its type.
    Rounded,
}

impl Tier {
    /// Every tier.
    pub const ALL: [Self; 3] = [Self::Free, Self::Exact, Self::Rounded];

    /// The name in options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Exact => "exact",
            Self::Rounded => "rounded",
        }
    }

    /// What floating arithmetic of this tier is.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Free => "the same results however a compiler regroups it, as with -ffast-math",
            Self::Exact => {
                "no operation rounds, so that contraction and more digits change nothing"
            }
            Self::Rounded => "all of IEEE 754, each operation rounded to the format of its type",
        }
    }

    /// The tier with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

/// How many times as many operations a run may have when it is watched.
const WATCHED_STEPS: u64 = 4;

/// The tier of a program, by a second run if it has floating numbers. If that does not end as
/// the first did, nothing is allowed.
pub(crate) fn tier(certified: &Certified) -> Tier {
    let program = certified.program();
    if !has_floats(program) {
        return Tier::Free;
    }
    let run = run(program, &watching(program, certified.options()));
    match (&run.verdict, &run.profile) {
        (Verdict::Defined(behavior), Some(profile))
            if behavior.output == certified.behavior().output =>
        {
            tier_of(program, profile)
        }
        _ => Tier::Rounded,
    }
}

/// How to run a program so that the profile tells the tier. What it does stays the same, and so
/// does the number of operations that are counted.
pub(crate) fn watching(program: &Program, options: &Options) -> Options {
    let expressions = free::watched(program);
    let watch = Watch { expressions, exactness: true, ..Watch::default() };
    Options {
        steps: options.steps.saturating_mul(WATCHED_STEPS),
        profile: Some(watch),
        ..options.clone()
    }
}

/// The tier of a program with floating numbers, from the profile of such a run.
pub(crate) fn tier_of(program: &Program, profile: &Profile) -> Tier {
    match profile.is_exact() {
        false => Tier::Rounded,
        true if free::is_free(program, profile) => Tier::Free,
        true => Tier::Exact,
    }
}

/// Whether a program has floating numbers.
pub(crate) fn has_floats(program: &Program) -> bool {
    let floating = program.types.ids().map(|ty| program.is_float_like(ty));
    let floating: Vec<bool> = floating.collect();
    program.exprs.iter().any(|(_, expr)| floating[expr.ty.index()])
}
