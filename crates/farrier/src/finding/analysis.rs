//! What is known about a finding beyond that it is one: the data that reports show.

use farrier_harness::Outcome;
use farrier_harness::triage::{Answer, Area, Crash, Culprit, Opinion, Signature, Tried};
use serde::{Deserialize, Serialize};

/// Everything that triage has found out about a finding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Analysis {
    /// The name of the finding.
    pub(crate) finding: String,
    /// The version of Farrier that made this.
    pub(crate) made_by: String,
    /// The program that all of this is about: the hash of a case. The reduced one if there
    /// is one, otherwise the one of the finding.
    pub(crate) case: String,
    /// Whether that program is the reduced one.
    pub(crate) reduced: bool,
    /// By what it is recognised.
    pub(crate) signature: Signature,
    /// By what it was recognised before it was reduced: findings of which enough were reduced
    /// are put to those of the same first signature.
    pub(crate) first_signature: Signature,
    /// The shape of the reduced program with constants and names ignored: a hash, by which
    /// programs that differ only in numbers are recognised.
    pub(crate) shape: Option<String>,
    /// The lowest level and the fewest other flags that still fail.
    pub(crate) flags: Vec<String>,
    /// What happens with these flags.
    pub(crate) outcome: Outcome,
    /// Every version of this compiler on the machine, the one of the finding first.
    pub(crate) versions: Vec<Tried>,
    /// What is guilty.
    pub(crate) culprit: Culprit,
    /// Which part of the compiler that is in.
    pub(crate) area: Area,
    /// Sanitizers and other compilers on the same program.
    pub(crate) opinions: Vec<Opinion>,
    /// Why the finding may not be one: which tool disagrees with the machine, if any.
    pub(crate) doubt: Option<String>,
    /// For a compiler that crashed.
    pub(crate) crash: Option<Crash>,
    /// What the compiler says to `-v`.
    pub(crate) compiler: String,
    /// Where the compiled program first departs from the truth, if that was looked for.
    #[serde(default)]
    pub(crate) divergence: Option<Divergence>,
    /// What could not be found out, and why.
    pub(crate) gaps: Vec<String>,
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
}

impl Analysis {
    /// The last version that works before the first that fails, if there are both: then it is a
    /// regression.
    pub(crate) fn regression(&self) -> Option<(&Tried, &Tried)> {
        let mut versions: Vec<&Tried> = self.versions.iter().collect();
        versions.sort_by_key(|tried| version_numbers(&tried.version));
        let fails = |tried: &&Tried| matches!(tried.answer, Answer::Fails { .. });
        let bad = versions.iter().position(fails)?;
        let good = versions[..bad].iter().rev().find(|tried| tried.answer == Answer::Works)?;
        (good.version != versions[bad].version).then_some((good, versions[bad]))
    }
}

/// The numbers of a version, for comparing: `12.2.0` is `[12, 2, 0]`.
pub(crate) fn version_numbers(version: &str) -> Vec<u64> {
    version
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().unwrap_or(u64::MAX))
        .collect()
}

/// Where a compiled program first departs from the truth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "divergence", rename_all = "kebab-case")]
pub(crate) enum Divergence {
    /// There.
    At {
        /// The function.
        function: String,
        /// The line of the program.
        line: u32,
        /// The statement, as it is printed.
        statement: String,
        /// The variable that has a wrong value.
        variable: String,
        /// What its value should be.
        expected: String,
        /// What it is.
        actual: String,
        /// What kind of value it is, such as `the condition`.
        #[serde(default)]
        what: String,
        /// Which occurrence this is.
        #[serde(default)]
        time: u64,
        /// The last value before that is right, in words.
        #[serde(default)]
        before: Option<String>,
        /// Places nearby that cannot be checked, because the finding goes away then.
        #[serde(default)]
        vanishing: Vec<String>,
    },
    /// The program takes another path.
    Path {
        /// Where it should come to.
        expected: String,
        /// Where it comes to.
        actual: String,
        /// The last value before that is right, in words.
        before: Option<String>,
        /// Places nearby that cannot be checked.
        vanishing: Vec<String>,
    },
    /// No value is wrong, and yet the program does the wrong thing.
    Unseen {
        /// Where it should come to and does not; `None` if it comes everywhere.
        next: Option<String>,
        /// The last value that is right, in words.
        before: Option<String>,
        /// Places nearby that cannot be checked.
        vanishing: Vec<String>,
    },
    /// The finding goes away when checks are added.
    Vanishes,
    /// It could not be found, and why.
    NotFound {
        /// Why.
        why: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version_numbers("14.0.6-1"), [14, 0, 6, 1]);
    }
}
