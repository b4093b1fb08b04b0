//! `cargo xtask check`: the abstract machine against gcc, on foreign programs and those of
//! the generator.
//!
//! Every program is run in the machine. Where the machine says that the program is
//! defined, gcc must agree on what it does; every other verdict is listed with its reason.

mod cuda;
mod dressed;
mod generated;
mod judge;
mod mutate;
mod page;
mod sanitizers;
mod targets;

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command as Process;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Subcommand;
use farrier_harness::ProcessEnding;
use farrier_lang::Program;
use farrier_machine::{At, Behavior, Ending, Options, UbKind, Verdict};

use crate::corpus::process::{complaint, ending_text, run as run_process, succeeded};
use crate::corpus::tree::{self, Parsed, compile, guarded, parse};
use crate::corpus::{Case, check_all, csmith, percent, torture, write};
use crate::repository::root;

#[derive(Subcommand)]
pub(crate) enum CheckCommand {
    /// Random programs from Csmith: what is defined must behave as with gcc
    Csmith {
        /// How many programs
        #[arg(long, default_value_t = 1000)]
        seeds: u64,
        /// The seed of the first program
        #[arg(long, default_value_t = 1)]
        first: u64,
    },
    /// Programs as CUDA: nvcc and clang must accept them, and the machine as device must agree
    Cuda(cuda::CudaArguments),
    /// Programs of `farrier gen`: gcc and clang at every level, and their sanitizers, must agree
    Gen(generated::Arguments),
    /// Small programs in the corners of C: what is defined must behave so with gcc and clang
    Judge(judge::CornerArguments),
    /// Mutants of each strategy: gcc and clang at every level, and their sanitizers, must agree;
    /// equivalent ones must do what their originals do
    Mutate(mutate::MutantArguments),
    /// Every target with a cross compiler: its tables, and generated programs, must agree with it
    Targets(targets::TargetArguments),
    /// The tests gcc.c-torture/execute of GCC: 95 % must be supported
    Torture {
        /// Only a small fixed sample, which must agree with docs/reference/torture-verdicts.md
        #[arg(long, conflicts_with_all = ["only", "write"])]
        sample: bool,
        /// Only the files whose name contains this text
        #[arg(long, conflicts_with = "write")]
        only: Option<String>,
        /// Write docs/reference/torture-verdicts.md
        #[arg(long)]
        write: bool,
    },
}

/// How far a program may run.
const STEPS: u64 = 200_000_000;
const RUN_LIMIT: Duration = Duration::from_secs(10);
/// The part of the torture tests that must be supported, in percent.
const SUPPORTED_PERCENT: f64 = 97.0;

/// What became of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    /// The machine and gcc agree.
    Same { steps: u64, time: Duration },
    /// They do not: a bug.
    Different(String),
    /// The machine says that the program is undefined: the name of the rule, where, how.
    Undefined { kind: &'static str, place: String, message: String, sanitizer: Option<bool> },
    /// The machine says that the program depends on a choice of the implementation.
    Unspecified { cause: &'static str, place: String, message: String },
    /// The machine does not model something.
    Unsupported { feature: String, place: String },
    /// A limit was reached, by the machine or by the executable; whether the latter ends.
    Exhausted { limit: String, ended: bool },
    /// A bug.
    Panic(String),
    /// The front end does not read the program.
    Refused(String),
    /// gcc does not compile the program here.
    NotForUs(String),
}

/// Runs the command; true if nothing is wrong.
pub(crate) fn run(command: &CheckCommand) -> Result<bool> {
    tree::catch_panics();
    match command {
        CheckCommand::Csmith { seeds, first } => {
            let cases = csmith::cases(*first, *seeds);
            let outcomes = check_all(&cases, |case| {
                csmith::write_program(case)?;
                check(case, true)
            })?;
            let counts = report(&cases, &outcomes);
            println!("to repeat one seed: cargo xtask check csmith --first SEED --seeds 1");
            Ok(counts.bugs == 0 && counts.unconfirmed == 0)
        }
        CheckCommand::Cuda(arguments) => cuda::run(arguments),
        CheckCommand::Gen(arguments) => generated::run(arguments),
        CheckCommand::Judge(arguments) => judge::run(arguments),
        CheckCommand::Mutate(arguments) => mutate::run(arguments),
        CheckCommand::Targets(arguments) => targets::run(arguments),
        CheckCommand::Torture { sample: true, .. } => {
            let cases = torture::sample()?;
            let outcomes = check_all(&cases, |case| check(case, false))?;
            let counts = report(&cases, &outcomes);
            let path = root().join(page::PATH);
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", page::PATH))?;
            let disagreements = page::disagreements(&text, &cases, &outcomes);
            for disagreement in &disagreements {
                println!("{disagreement}; run cargo xtask check torture --write");
            }
            Ok(counts.bugs == 0 && disagreements.is_empty())
        }
        CheckCommand::Torture { only, write: write_page, .. } => {
            let cases = torture::selected(only.as_deref())?;
            let outcomes = check_all(&cases, |case| check(case, false))?;
            let counts = report(&cases, &outcomes);
            println!("to repeat one program: cargo xtask check torture --only NAME");
            if *write_page {
                let text = page::page(&cases, &outcomes);
                write(&root().join(page::PATH), text.as_bytes())?;
                println!("wrote {}", page::PATH);
            }
            Ok(counts.bugs == 0
                && (only.is_some() || counts.supported_percent() >= SUPPORTED_PERCENT))
        }
    }
}

/// Checks one case, whose files go away if nothing is wrong with it.
fn check(case: &Case, sanitize: bool) -> Result<Outcome> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let outcome = check_in_directory(case, sanitize)?;
    let keep = match outcome {
        Outcome::Different(_) | Outcome::Panic(_) => true,
        Outcome::Undefined { sanitizer, .. } => sanitizer == Some(false),
        _ => false,
    };
    if !keep {
        std::fs::remove_dir_all(&case.directory)?;
    }
    Ok(outcome)
}

/// Options of gcc that give a program another meaning than C does.
const OTHER_MEANING: &[&str] = &["-finstrument-functions", "-fno-builtin-abs"];

fn check_in_directory(case: &Case, sanitize: bool) -> Result<Outcome> {
    let other = case.flags.iter().find(|flag| OTHER_MEANING.contains(&flag.as_str()));
    if let Some(flag) = other {
        return Ok(Outcome::NotForUs(format!("it asks for {flag}")));
    }
    let original = case.directory.join("original");
    let program = match parse(case)? {
        Parsed::Program(program) => program,
        Parsed::Panic(panic) => return Ok(Outcome::Panic(panic)),
        Parsed::Refused { message, .. } => {
            let compiled = compile(case, "-O0", &case.sources, &original)?;
            return Ok(if succeeded(&compiled) {
                Outcome::Refused(message)
            } else {
                Outcome::NotForUs(complaint(&compiled))
            });
        }
    };
    let options = Options {
        steps: STEPS,
        strict_aliasing: !case.flags.iter().any(|flag| flag == "-fno-strict-aliasing"),
        ..Options::default()
    };
    let start = Instant::now();
    let run = match guarded(|| farrier_machine::run(&program, &options)) {
        Ok(run) => run,
        Err(panic) => return Ok(Outcome::Panic(panic)),
    };
    let time = start.elapsed();
    match run.verdict {
        Verdict::Defined(behavior) => {
            let compiled = compile(case, "-O0", &case.sources, &original)?;
            if !succeeded(&compiled) {
                return Ok(Outcome::NotForUs(complaint(&compiled)));
            }
            let finished = run_process(&mut Process::new(&original), &case.directory, RUN_LIMIT)?;
            if finished.ending == ProcessEnding::TimedOut {
                let limit = "the executable does not end in time".to_owned();
                return Ok(Outcome::Exhausted { limit, ended: false });
            }
            Ok(match difference(&behavior, finished.ending, &finished.stdout, "gcc") {
                None => Outcome::Same { steps: behavior.steps, time },
                Some(message) => Outcome::Different(message),
            })
        }
        Verdict::Undefined(ub) => {
            let (file, line) = place(&program, ub.at);
            let sanitizer = match sanitize {
                // No sanitizer looks for loops that never end; without optimisation they do not.
                true if ub.kind == UbKind::InfiniteLoop => Some(!ends(case, &original)?),
                true => Some(sanitizers::confirm(case, &file, line)?),
                false => None,
            };
            let place = format!("{file}:{line}");
            Ok(Outcome::Undefined { kind: ub.kind.name(), place, message: ub.message, sanitizer })
        }
        Verdict::Unspecified(found) => {
            let (file, line) = place(&program, found.at);
            let place = format!("{file}:{line}");
            Ok(Outcome::Unspecified { cause: found.cause.name(), place, message: found.message })
        }
        Verdict::Unsupported(found) => {
            let (file, line) = place(&program, found.at);
            Ok(Outcome::Unsupported { feature: found.feature, place: format!("{file}:{line}") })
        }
        Verdict::Exhausted(limit) => {
            let ended = ends(case, &original)?;
            let executable = if ended { "ends" } else { "does not end either" };
            Ok(Outcome::Exhausted {
                limit: format!("{limit:?}, the executable {executable}"),
                ended,
            })
        }
    }
}

/// Whether what gcc makes of a case without optimisation ends in time.
fn ends(case: &Case, executable: &Path) -> Result<bool> {
    let compiled = compile(case, "-O0", &case.sources, executable)?;
    if !succeeded(&compiled) {
        return Ok(false);
    }
    let finished = run_process(&mut Process::new(executable), &case.directory, RUN_LIMIT)?;
    Ok(finished.ending != ProcessEnding::TimedOut)
}

/// The file, without its directory, and the line of a place.
fn place(program: &Program, at: At) -> (String, u32) {
    match at.span(program).and_then(|span| program.sources.place(span)) {
        Some(place) => {
            let file = Path::new(place.file).file_name().unwrap_or_default();
            (file.to_string_lossy().into_owned(), place.line)
        }
        None => ("?".to_owned(), 0),
    }
}

/// How the end and the output of an executable differ from what the machine says.
fn difference(
    behavior: &Behavior,
    ended: ProcessEnding,
    stdout: &[u8],
    compiler: &str,
) -> Option<String> {
    let agrees = match (behavior.ending, ended) {
        (Ending::Exit(expected), ProcessEnding::Exited(status)) => {
            status.code() == Some(expected & 0xff)
        }
        // A trap is an illegal instruction on x86.
        (Ending::Abort, ProcessEnding::Exited(status)) => matches!(status.signal(), Some(4..=6)),
        _ => false,
    };
    if !agrees {
        return Some(format!(
            "{:?} in the machine, {} with {compiler}",
            behavior.ending,
            ending_text(ended)
        ));
    }
    if behavior.output == stdout {
        return None;
    }
    let ours = String::from_utf8_lossy(&behavior.output);
    let theirs = String::from_utf8_lossy(stdout);
    let mut lines = ours.lines().zip(theirs.lines());
    Some(match lines.find(|(ours, theirs)| ours != theirs) {
        Some((ours, theirs)) => {
            format!("prints {ours:?} in the machine, {theirs:?} with {compiler}")
        }
        None => format!(
            "prints {} bytes in the machine, {} with {compiler}",
            behavior.output.len(),
            stdout.len()
        ),
    })
}

/// How often each outcome occurred.
#[derive(Debug, Default)]
struct Counts {
    same: usize,
    undefined: usize,
    /// Undefined, but no sanitizer sees it there, or the loop ends.
    unconfirmed: usize,
    unspecified: usize,
    unsupported: usize,
    exhausted: usize,
    /// At the limit of the machine, though the executable ends.
    too_slow: usize,
    bugs: usize,
    refused: usize,
    not_for_us: usize,
}

impl Counts {
    fn of(outcomes: &[Outcome]) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            *match outcome {
                Outcome::Same { .. } => &mut counts.same,
                Outcome::Undefined { sanitizer, .. } => {
                    counts.unconfirmed += usize::from(*sanitizer == Some(false));
                    &mut counts.undefined
                }
                Outcome::Unspecified { .. } => &mut counts.unspecified,
                Outcome::Unsupported { .. } => &mut counts.unsupported,
                Outcome::Exhausted { ended, .. } => {
                    counts.too_slow += usize::from(*ended);
                    &mut counts.exhausted
                }
                Outcome::Different(_) | Outcome::Panic(_) => &mut counts.bugs,
                Outcome::Refused(_) => &mut counts.refused,
                Outcome::NotForUs(_) => &mut counts.not_for_us,
            } += 1;
        }
        counts
    }

    /// Programs that gcc compiles.
    fn total(&self) -> usize {
        self.supported() + self.unsupported + self.refused
    }

    /// Programs about which the machine has an opinion.
    fn supported(&self) -> usize {
        self.same + self.undefined + self.unspecified + self.exhausted + self.bugs
    }

    fn supported_percent(&self) -> f64 {
        percent(self.supported(), self.total())
    }
}

/// Prints what did not end well, then the counts.
fn report(cases: &[Case], outcomes: &[Outcome]) -> Counts {
    let mut features: BTreeMap<&str, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut steps, mut time, mut slowest) = (0, Duration::ZERO, (Duration::ZERO, ""));
    for (case, outcome) in cases.iter().zip(outcomes) {
        if let Some(line) = line(outcome) {
            println!("{}: {line}", case.name);
        }
        match outcome {
            Outcome::Same { steps: more, time: spent } => {
                steps += more;
                time += *spent;
                slowest = slowest.max((*spent, &case.name));
            }
            Outcome::Different(_) | Outcome::Panic(_) => {
                println!("    files: {}", case.directory.display());
            }
            Outcome::Undefined { kind, .. } => *kinds.entry(kind).or_default() += 1,
            Outcome::Unspecified { cause, .. } => *kinds.entry(cause).or_default() += 1,
            Outcome::Unsupported { feature, .. } => *features.entry(feature).or_default() += 1,
            _ => {}
        }
    }
    let by_count = |counts: BTreeMap<&str, usize>| {
        let mut rows: Vec<(usize, String)> =
            counts.into_iter().map(|(name, count)| (count, name.to_owned())).collect();
        rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        rows
    };
    println!("not defined:");
    for (count, kind) in by_count(kinds) {
        println!("    {count:4} {kind}");
    }
    println!("not supported:");
    for (count, feature) in by_count(features) {
        println!("    {count:4} {feature}");
    }
    let counts = Counts::of(outcomes);
    println!(
        "{} programs: {} supported ({:.2} %), of which {} behave as with gcc, {} are undefined, {} \
         unspecified, {} reached a limit ({} of them end with gcc), {} show a bug; {} unsupported, \
         {} refused, {} left out",
        counts.total(),
        counts.supported(),
        counts.supported_percent(),
        counts.same,
        counts.undefined,
        counts.unspecified,
        counts.exhausted,
        counts.too_slow,
        counts.bugs,
        counts.unsupported,
        counts.refused,
        counts.not_for_us,
    );
    println!(
        "{steps} operations in {:.1} s; the slowest was {} with {:.1} s",
        time.as_secs_f64(),
        slowest.1,
        slowest.0.as_secs_f64()
    );
    counts
}

/// An outcome in one line; nothing where machine and gcc agree.
fn line(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Same { .. } => return None,
        Outcome::Different(message) => format!("DIFFERENT: {message}"),
        Outcome::Undefined { kind, place, message, sanitizer } => {
            let confirmed = match sanitizer {
                None => "",
                Some(true) => " (confirmed)",
                Some(false) => " (UNCONFIRMED)",
            };
            format!("undefined ({kind}) at {place}: {message}{confirmed}")
        }
        Outcome::Unspecified { cause, place, message } => {
            format!("unspecified ({cause}) at {place}: {message}")
        }
        Outcome::Unsupported { feature, place } => format!("unsupported at {place}: {feature}"),
        Outcome::Exhausted { limit, .. } => format!("limit: {limit}"),
        Outcome::Panic(message) => format!("PANIC: {message}"),
        Outcome::Refused(message) => format!("refused: {message}"),
        Outcome::NotForUs(message) => format!("left out: {message}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_named() {
        let status = |code| ProcessEnding::Exited(std::process::ExitStatus::from_raw(code));
        let behavior = |ending| Behavior {
            output: b"a\nb\n".to_vec(),
            ending,
            volatile_accesses: 0,
            volatile_hash: 0,
            steps: 1,
        };
        let exit = behavior(Ending::Exit(256));
        assert_eq!(difference(&exit, status(0), b"a\nb\n", "gcc"), None);
        assert!(difference(&exit, status(1 << 8), b"a\nb\n", "gcc").is_some());
        assert!(difference(&exit, status(6), b"a\nb\n", "gcc").is_some());
        let other =
            difference(&exit, status(0), b"a\nc\n", "gcc").expect("the second line differs");
        assert!(other.contains("\"b\"") && other.contains("\"c\""), "{other}");
        assert!(difference(&exit, status(0), b"a\nb", "gcc").is_some());
        assert_eq!(difference(&behavior(Ending::Abort), status(6), b"a\nb\n", "gcc"), None);
        assert!(difference(&behavior(Ending::Abort), status(0), b"a\nb\n", "gcc").is_some());
    }

    #[test]
    fn what_is_not_supported_is_counted() {
        let unsupported = Outcome::Unsupported { feature: "fork".into(), place: "a.c:1".into() };
        let same = Outcome::Same { steps: 1, time: Duration::ZERO };
        let counts = Counts::of(&[same, unsupported, Outcome::NotForUs(String::new())]);
        assert_eq!((counts.supported(), counts.total()), (1, 2));
    }
}
