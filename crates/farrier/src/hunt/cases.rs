//! The programs of a hunt: generated, edited at random, or from elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};

use farrier_harness::{Family, Subject};
use farrier_lang::{SourceText, Target};
use farrier_machine::{Behavior, Ending};
use farrier_synth::{Check, Choices, Config, Preset, generate};

use super::corpus::{Corpus, Piece};
use super::mutants::{self, Mutant};
use crate::finding::{Basis, Finding, Mode, Settings, Tally, case_hash};

/// In a hunt for everything one number in so many has an edited program as well.
const MUTANT_EVERY: u64 = 4;

/// Whether a compiler promises the extensions of GNU C.
pub(super) fn knows_extensions(subject: &Subject) -> bool {
    matches!(subject.family, Family::Gcc | Family::Clang | Family::Zig)
}

/// Subjects that get the same programs.
#[derive(Debug)]
pub(super) struct Group {
    target: &'static Target,
    /// Whether they know the extensions of GNU C; `None` where that makes no difference.
    extensions: Option<bool>,
    config: Config,
}

impl Group {
    /// The groups of all these subjects.
    pub(super) fn all(settings: &Settings, subjects: &[&Subject]) -> Vec<Self> {
        let kinds: &[Option<bool>] = match settings.corpus {
            // Programs from elsewhere are what they are.
            Some(_) => &[None],
            None => &[Some(true), Some(false)],
        };
        let mut groups = Vec::new();
        for target in farrier_lang::target::TARGETS {
            for extensions in kinds {
                let config = config(settings, target, *extensions);
                let group = Self { target, extensions: *extensions, config };
                if subjects.iter().any(|subject| group.has(subject)) {
                    groups.push(group);
                }
            }
        }
        groups
    }

    /// Whether a subject belongs to it.
    pub(super) fn has(&self, subject: &Subject) -> bool {
        subject.target.is_some_and(|target| target.name == self.target.name)
            && self.extensions.is_none_or(|extensions| extensions == knows_extensions(subject))
    }
}

/// What programs for a target are like.
fn config(settings: &Settings, target: &'static Target, extensions: Option<bool>) -> Config {
    let mut config = Config { target, size: settings.size, ..Config::default() };
    Preset::by_name(&settings.preset).unwrap_or_default().apply(&mut config);
    if let Some(small) = target.environment.small {
        config.size = config.size.min(small.size);
        config.steps = config.steps.min(small.steps);
    }
    if !target.environment.prints_long_long {
        // A checksum is one.
        config.check = Check::Asserts;
    }
    if extensions == Some(false) {
        config.weights.without_extensions();
    }
    config
}

/// The program of a finding as a generated one with changes; `None` if it is not one, or this
/// version of Farrier makes other programs.
pub(crate) fn mutant_of(settings: &Settings, finding: &Finding) -> Option<Mutant> {
    if finding.basis != Basis::Compiler || settings.corpus.is_some() {
        return None;
    }
    let subject = finding.subject.subject();
    let config = config(settings, subject.target?, Some(knows_extensions(&subject)));
    let made = generate(finding.seed, &config).ok()?;
    let mutant = mutants::mutate(&made.files, finding.seed, config.target, config.dialect)?;
    (case_hash(&mutant.sources()) == finding.case).then_some(mutant)
}

/// What is known of a program, and so what a compiler can be held against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// Everything.
    Behavior(Behavior),
    /// That compilers should agree; and why nothing more is.
    Agreement(String),
    /// Nothing: only a compiler that breaks down is wrong.
    Nothing,
}

impl Known {
    /// By what compilers are judged.
    pub(super) fn basis(&self) -> Basis {
        match self {
            Self::Behavior(_) => Basis::Machine,
            Self::Agreement(_) => Basis::Vote,
            Self::Nothing => Basis::Compiler,
        }
    }

    /// What the program does, where nothing is known of it.
    pub(super) fn behavior(&self) -> Behavior {
        match self {
            Self::Behavior(behavior) => behavior.clone(),
            Self::Agreement(_) | Self::Nothing => Behavior {
                output: Vec::new(),
                ending: Ending::Exit(0),
                volatile_accesses: 0,
                volatile_hash: 0,
                steps: 0,
            },
        }
    }
}

/// A program and what it does, without its tree.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) sources: Vec<SourceText>,
    pub(super) hash: String,
    pub(super) known: Known,
    pub(super) number: u64,
    pub(super) seed: u64,
    /// Whether a compiler may refuse it without being wrong.
    pub(super) foreign: bool,
}

/// Where programs come from.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) seed: u64,
    pub(super) mode: Mode,
    pub(super) corpus: Option<Corpus>,
}

impl Programs {
    /// The programs of a number for a group. What could not be made is counted.
    pub(super) fn of(
        &self,
        number: u64,
        group: &Group,
        subjects: &[&Subject],
        tally: &mut Tally,
        troubles: &mut Vec<String>,
    ) -> Vec<Case> {
        let seed = Choices::derive_seed(self.seed, number);
        let made = catch_unwind(AssertUnwindSafe(|| match &self.corpus {
            None => Some(self.generated(number, seed, group)),
            Some(corpus) => {
                let subject = subjects.iter().find(|subject| group.has(subject))?;
                self.read(corpus, number, group, subject, tally, troubles).map(|one| vec![one])
            }
        }));
        let parts = match made {
            Ok(Some(parts)) => parts,
            Ok(None) => Vec::new(),
            Err(_) => {
                tally.panicked += 1;
                return Vec::new();
            }
        };
        if parts.is_empty() && self.corpus.is_none() {
            tally.refused += 1;
        }
        let foreign = self.corpus.is_some();
        parts
            .into_iter()
            .map(|(sources, known)| {
                let hash = case_hash(&sources);
                Case { sources, hash, known, number, seed, foreign }
            })
            .collect()
    }

    /// The program of a seed, and an edited one where it is its turn.
    fn generated(&self, number: u64, seed: u64, group: &Group) -> Vec<(Vec<SourceText>, Known)> {
        let Ok(made) = generate(seed, &group.config) else { return Vec::new() };
        let sources = made.files;
        let known = Known::Behavior(made.certified.behavior().clone());
        // The tree is bigger than all the rest and is not needed while compilers run.
        drop(made.certified);
        let turn = match self.mode {
            Mode::WrongCode => false,
            Mode::Crash => true,
            Mode::Both => number % MUTANT_EVERY == MUTANT_EVERY - 1,
        };
        let mutant = turn
            .then(|| mutants::mutate(&sources, seed, group.config.target, group.config.dialect));
        let mut all = vec![(sources, known)];
        all.extend(mutant.flatten().map(|mutant| (mutant.sources(), Known::Nothing)));
        all
    }

    /// A program from elsewhere. Those that are skipped are counted.
    fn read(
        &self,
        corpus: &Corpus,
        number: u64,
        group: &Group,
        subject: &Subject,
        tally: &mut Tally,
        troubles: &mut Vec<String>,
    ) -> Option<(Vec<SourceText>, Known)> {
        let mut skip = |why: String| {
            tally.skipped += 1;
            troubles.push(format!("skipped: {why}"));
        };
        let (source, known) = match corpus.program(number, group.target, subject) {
            Piece::Unreadable(why) => {
                skip(why);
                return None;
            }
            Piece::Meaningless(source, why) => {
                skip(why);
                if self.mode == Mode::WrongCode {
                    return None;
                }
                (source, Known::Nothing)
            }
            Piece::Defined(source, behavior) => (source, Known::Behavior(behavior)),
            Piece::Unknown(source, why) => (source, Known::Agreement(why)),
        };
        // Where a part of the library is missing, a program may fail without a bug, and no
        // other compiler can vote.
        let whole = group.target.environment.whole_library;
        let known = if whole { known } else { Known::Nothing };
        Some((vec![source], known))
    }
}
