//! Programs that were run on a GPU.

use super::{Outcome, marked};
use crate::{Finished, ProcessEnding};

/// What a program is called that has a host of its own.
pub(super) const HOST: &str = "program";

/// Flags with which a module is no whole program, which the driver would not load.
const UNFINISHED: [&str; 3] = ["-rdc=true", "--relocatable-device-code=true", "-dc"];

/// Whether what is made with these flags has to be linked before it can be run.
pub(super) fn is_unfinished(flags: &[String]) -> bool {
    flags.iter().any(|flag| UNFINISHED.contains(&&**flag))
}

/// What the program did, as its launcher says. Without an answer nothing is known of it: the
/// device may be busy, out of memory or gone.
pub(super) fn outcome(finished: Finished) -> Outcome {
    if marked::has_begun(&finished) {
        return marked::outcome(&["farrier-gpu".to_owned()], finished);
    }
    let said = String::from_utf8_lossy(&finished.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    let what = match (last, finished.ending) {
        (_, ProcessEnding::TimedOut | ProcessEnding::Starved(_)) => "the driver does not answer",
        (Some(line), _) => line.trim(),
        (None, ProcessEnding::TooMuchMemory) => "the driver needs too much memory",
        (None, _) => "the driver ends without an answer",
    };
    Outcome::Infrastructure { what: format!("the GPU cannot be used: {what}") }
}
