//! `cargo xtask corpus`: the front end and the printer against foreign programs.
//!
//! Every program of a corpus becomes a [`Case`], every case ends in an [`Outcome`], and
//! the summary counts the outcomes. What failed keeps its files under `target/corpora`.

pub(crate) mod csmith;
mod directives;
pub(crate) mod process;
mod refused;
mod round_trip;
mod suite;
pub(crate) mod torture;
pub(crate) mod tree;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use clap::Subcommand;
use farrier_front::Reason;
use farrier_lang::{Dialect, STACK_BYTES};

use crate::repository::root;

#[derive(Subcommand)]
pub(crate) enum CorpusCommand {
    /// Random programs from Csmith: all must be accepted and behave as before
    Csmith {
        /// How many programs
        #[arg(long, default_value_t = 500)]
        seeds: u64,
        /// The seed of the first program
        #[arg(long, default_value_t = 1)]
        first: u64,
    },
    /// All C tests of GCC: unpacks them, and counts what a hunt makes of them, by cause
    ///
    /// `farrier hunt --corpus` can use the directory that is printed. The first time takes some
    /// minutes.
    Suite {
        /// List the most frequent details of each cause
        #[arg(long)]
        details: bool,
    },
    /// The tests gcc.c-torture/execute of GCC: 97 % must be accepted and behave as before
    Torture {
        /// Only a small fixed sample, which must agree with docs/reference/refused.md
        #[arg(long, conflicts_with_all = ["only", "write"])]
        sample: bool,
        /// Only the files whose name contains this text
        #[arg(long, conflicts_with = "write")]
        only: Option<String>,
        /// Write docs/reference/refused.md
        #[arg(long)]
        write: bool,
    },
}

/// Runs the command; true if the corpus passed.
pub(crate) fn run(command: &CorpusCommand) -> Result<bool> {
    tree::catch_panics();
    match command {
        CorpusCommand::Csmith { seeds, first } => csmith::run(*first, *seeds),
        CorpusCommand::Suite { details } => suite::run(*details),
        CorpusCommand::Torture { sample: true, .. } => torture::run_sample(),
        CorpusCommand::Torture { only, write, .. } => torture::run(only.as_deref(), *write),
    }
}

/// One program of a corpus.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// How the report calls it.
    pub(crate) name: String,
    /// The C files that make it up.
    pub(crate) sources: Vec<PathBuf>,
    /// The options of gcc, the same for the original and for the printed program.
    pub(crate) flags: Vec<String>,
    pub(crate) dialect: Dialect,
    /// Whether C89 habits are accepted.
    pub(crate) permissive: bool,
    /// Where its files are written.
    pub(crate) directory: PathBuf,
}

/// What became of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    /// The printed program behaves as the original.
    Same,
    /// The original does not end in time, so the behaviour was not compared; all else held.
    Timeout,
    /// gcc does not compile the original here: it says nothing about Farrier.
    NotForUs(String),
    /// The front end says that it does not read this.
    Refused { reason: Reason, message: String },
    /// Something that must hold did not: where, and what happened.
    Failed { stage: &'static str, message: String },
}

/// The number of programs that are checked at the same time.
const WORKERS: usize = 2;

/// Works through `cases` and returns their outcomes in the same order.
pub(crate) fn check_all<Outcome: Send>(
    cases: &[Case],
    check: impl Fn(&Case) -> Result<Outcome> + Sync,
) -> Result<Vec<Outcome>> {
    work_through(cases, |case| check(case).with_context(|| case.name.clone()))
}

/// Works through `items`, several at a time, and returns what becomes of them in the same order.
pub(crate) fn work_through<Item: Sync, Outcome: Send>(
    items: &[Item],
    work: impl Fn(&Item) -> Result<Outcome> + Sync,
) -> Result<Vec<Outcome>> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Result<Outcome>>>> =
        Mutex::new(items.iter().map(|_| None).collect());
    std::thread::scope(|scope| -> Result<()> {
        for _ in 0..WORKERS {
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).map(|item| (index, item))
                } {
                    let outcome = work(item);
                    outcomes.lock().expect("no worker panics while it holds the lock")[index] =
                        Some(outcome);
                }
            })?;
        }
        Ok(())
    })?;
    let outcomes = outcomes.into_inner().expect("no worker panics while it holds the lock");
    outcomes.into_iter().map(|outcome| outcome.expect("every item was taken")).collect()
}

/// How often each outcome occurred.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    same: usize,
    timeout: usize,
    not_for_us: usize,
    refused: usize,
    failed: usize,
}

impl Counts {
    fn of(outcomes: &[Outcome]) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            *match outcome {
                Outcome::Same => &mut counts.same,
                Outcome::Timeout => &mut counts.timeout,
                Outcome::NotForUs(_) => &mut counts.not_for_us,
                Outcome::Refused { .. } => &mut counts.refused,
                Outcome::Failed { .. } => &mut counts.failed,
            } += 1;
        }
        counts
    }

    /// Programs that gcc compiles.
    fn total(&self) -> usize {
        self.accepted() + self.refused
    }

    fn accepted(&self) -> usize {
        self.same + self.timeout + self.failed
    }

    fn accepted_percent(&self) -> f64 {
        percent(self.accepted(), self.total())
    }
}

pub(crate) fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Prints what did not end well, then the counts.
fn report(cases: &[Case], outcomes: &[Outcome]) -> Counts {
    for (case, outcome) in cases.iter().zip(outcomes) {
        match outcome {
            Outcome::Same => {}
            Outcome::Timeout => println!("{}: the original does not end in time", case.name),
            Outcome::NotForUs(message) => println!("{}: left out: {message}", case.name),
            Outcome::Refused { reason, message } => {
                println!("{}: refused ({reason:?}): {message}", case.name);
            }
            Outcome::Failed { stage, message } => {
                println!("{}: FAILED to {stage}: {message}", case.name);
                println!("    files: {}", case.directory.display());
            }
        }
    }
    let counts = Counts::of(outcomes);
    println!(
        "{} programs: {} accepted ({:.2} %), {} refused, {} failed; of the accepted, {} behave the \
         same ({:.2} %), {} do not end in time; {} left out",
        counts.total(),
        counts.accepted(),
        counts.accepted_percent(),
        counts.refused,
        counts.failed,
        counts.same,
        percent(counts.same, counts.accepted()),
        counts.timeout,
        counts.not_for_us,
    );
    counts
}

/// Where corpora are unpacked and cases keep their files.
fn corpora_directory() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    root().join(target).join("corpora")
}

/// Makes an empty directory for a case.
pub(crate) fn case_directory(corpus: &str, name: &str) -> PathBuf {
    corpora_directory().join(corpus).join(name.replace(['/', '.'], "_"))
}

/// Writes a file and names it if that fails.
pub(crate) fn write(path: &Path, text: &[u8]) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_keep_the_order_of_cases() {
        let case = |name: usize| Case {
            name: name.to_string(),
            sources: Vec::new(),
            flags: Vec::new(),
            dialect: Dialect::C17,
            permissive: false,
            directory: PathBuf::new(),
        };
        let cases: Vec<Case> = (0..100).map(case).collect();
        let outcomes = check_all(&cases, |case| Ok(Outcome::NotForUs(case.name.clone()))).unwrap();
        for (case, outcome) in cases.iter().zip(outcomes) {
            assert_eq!(outcome, Outcome::NotForUs(case.name.clone()));
        }
    }

    #[test]
    fn a_program_that_fails_later_was_accepted() {
        let failed = Outcome::Failed { stage: "print", message: String::new() };
        let refused = Outcome::Refused { reason: Reason::Syntax, message: String::new() };
        let outcomes = [Outcome::Same, failed, refused, Outcome::NotForUs(String::new())];
        let counts = Counts::of(&outcomes);
        assert_eq!((counts.total(), counts.accepted()), (3, 2));
    }
}
