//! Figures that compare Farrier with others, side by side in one run.

mod edge;
mod generated;
mod hunt;
mod join;
mod mutate;
mod pond;
mod reach;
mod reduce;
mod serve;
mod shapes;

use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Subcommand;

use crate::{dist, repository};

/// What to measure.
#[derive(Subcommand)]
pub(crate) enum BenchCommand {
    /// `farrier check` against building and running with clang's sanitizers
    Check {
        /// How many Csmith programs
        #[arg(long, default_value_t = 50)]
        programs: usize,
    },
    /// `farrier gen` against Csmith
    Gen {
        /// How many programs of each
        #[arg(long, default_value_t = 30)]
        programs: u32,
    },
    /// Relaxed programs, and `farrier gen --preset edge` against Csmith with sanitizers
    Edge {
        /// How many programs are looked into; a fifth of them are timed
        #[arg(long, default_value_t = 100)]
        programs: usize,
    },
    /// `farrier hunt` against Csmith's way of working, its share of time and its memory
    Hunt {
        /// How long each of three hunts takes; Csmith gets as much processor time as the first
        /// one had on all cores, so everything takes five times as long on two cores
        #[arg(long, default_value_t = 300)]
        seconds: u64,
        /// The command to measure [default: that of cargo xtask dist]
        #[arg(long, value_name = "FILE")]
        farrier: Option<PathBuf>,
    },
    /// Hunts of several machines: what the queue costs, and how much one server can take
    Join(join::JoinArguments),
    /// The time of a mutant of a program of 40 KB, by strategy
    Mutate {
        /// How many programs
        #[arg(long, default_value_t = 5)]
        programs: u32,
        /// The command to measure [default: that of cargo xtask dist]
        #[arg(long, value_name = "FILE")]
        farrier: Option<PathBuf>,
    },
    /// What hunts find in gcc and the newest clang, by what programs are made of
    Yield {
        /// The processor time of compilers and programs in each hunt, in minutes
        #[arg(long, default_value_t = 60)]
        minutes: u64,
        /// How many programs are tested at a time [default: one for each core]
        #[arg(long)]
        jobs: Option<u16>,
        /// The seed of all hunts
        #[arg(long, default_value_t = 4242)]
        seed: u64,
        /// Only the configurations whose name contains this text
        #[arg(long)]
        only: Option<String>,
        /// The command to measure [default: that of cargo xtask dist]
        #[arg(long, value_name = "FILE")]
        farrier: Option<PathBuf>,
    },
    /// Which of GCC's own tests use only what generated programs are made of
    Reach {
        /// How many programs of the default mixture are read
        #[arg(long, default_value_t = 300)]
        programs: u64,
        /// Only the tests whose name contains this text
        #[arg(long)]
        only: Option<String>,
    },
    /// The memory of `farrier serve`, and the time until a page is there, with very many findings
    Serve {
        /// How many findings
        #[arg(long, default_value_t = 100_000)]
        findings: u64,
        /// How many programs are done
        #[arg(long, default_value_t = 1_000_000)]
        programs: u64,
        /// The command to measure [default: that of cargo xtask dist]
        #[arg(long, value_name = "FILE")]
        farrier: Option<PathBuf>,
    },
    /// Which passes of gcc and clang fire on programs of each preset, beside Csmith
    Shapes(shapes::ShapeArguments),
    /// `farrier reduce` against cvise with a script that asks the sanitizers
    Reduce {
        /// How many seconds each may take for a case
        #[arg(long, default_value_t = 600)]
        limit: u64,
        /// Leave the first N cases out
        #[arg(long, default_value_t = 0)]
        skip: usize,
        /// Only the first N cases
        #[arg(long)]
        cases: Option<usize>,
        /// Leave cvise out
        #[arg(long)]
        no_cvise: bool,
        /// Measure this program, and build none
        #[arg(long, value_name = "PATH")]
        farrier: Option<PathBuf>,
    },
}

/// A sanitized program that takes longer is left out, and said.
const PATIENCE: Duration = Duration::from_secs(20);

const HEADERS: &str = "/usr/include/csmith";

/// The least that the median ratio must be.
const GOAL: f64 = 50.0;

pub(crate) fn run(command: &BenchCommand) -> Result<bool> {
    match command {
        BenchCommand::Check { programs } => check(*programs),
        BenchCommand::Gen { programs } => generated::run(*programs),
        BenchCommand::Edge { programs } => edge::run(*programs),
        BenchCommand::Hunt { seconds, farrier } => hunt::run(*seconds, farrier.clone()),
        BenchCommand::Join(arguments) => join::run(arguments),
        BenchCommand::Mutate { programs, farrier } => mutate::run(*programs, farrier.clone()),
        BenchCommand::Yield { minutes, jobs, seed, only, farrier } => pond::run(&pond::Plan {
            time: Duration::from_secs(minutes * 60),
            jobs: *jobs,
            seed: *seed,
            only: only.as_deref(),
            farrier: farrier.clone(),
        }),
        BenchCommand::Reach { programs, only } => reach::run(*programs, only.as_deref()),
        BenchCommand::Serve { findings, programs, farrier } => {
            serve::run(*findings, *programs, farrier.clone())
        }
        BenchCommand::Shapes(arguments) => shapes::run(arguments),
        BenchCommand::Reduce { limit, skip, cases, no_cvise, farrier } => {
            reduce::run(*limit, *skip..cases.unwrap_or(usize::MAX), !no_cvise, farrier.as_deref())
        }
    }
}

struct Row {
    seed: u64,
    farrier: Duration,
    sanitizers: Duration,
    verdict: String,
}

fn check(programs: usize) -> Result<bool> {
    let farrier = dist::build()?;
    let directory = repository::root().join("target/bench/check");
    std::fs::create_dir_all(&directory)?;
    let mut rows = Vec::new();
    let mut seed = 0;
    while rows.len() < programs {
        seed += 1;
        ensure!(seed < 20 * programs as u64, "too few programs end in time");
        match measure(&farrier, &directory, seed)? {
            Some(row) => {
                println!(
                    "seed {:4}: farrier check {:6.1} ms, sanitizers {:7.1} ms, {:6.1} times; {}",
                    row.seed,
                    milliseconds(row.farrier),
                    milliseconds(row.sanitizers),
                    ratio(&row),
                    row.verdict
                );
                rows.push(row);
            }
            None => println!("seed {seed:4}: left out, it does not end in {PATIENCE:?}"),
        }
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let faster = median(rows.iter().map(ratio).collect());
    println!(
        "median of {}: farrier check {:.1} ms, sanitizers {:.1} ms, ratio {faster:.1} (goal {GOAL})",
        rows.len(),
        median(rows.iter().map(|row| milliseconds(row.farrier)).collect()),
        median(rows.iter().map(|row| milliseconds(row.sanitizers)).collect()),
    );
    Ok(faster >= GOAL)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(row: &Row) -> f64 {
    row.sanitizers.as_secs_f64() / row.farrier.as_secs_f64()
}

/// One program; `None` if it does not end in time.
fn measure(farrier: &Path, directory: &Path, seed: u64) -> Result<Option<Row>> {
    let source = directory.join(format!("{seed}.c"));
    let generated =
        Process::new("csmith").args(["--seed", &seed.to_string()]).current_dir(directory).output();
    let generated = generated.context("csmith cannot be started; install the package csmith")?;
    ensure!(generated.status.success(), "csmith fails on seed {seed}");
    std::fs::write(&source, &generated.stdout)?;
    let preprocessed = directory.join(format!("{seed}.i"));
    quiet(
        Process::new("gcc")
            .args(["-E", "-w", "-I", HEADERS])
            .arg(&source)
            .arg("-o")
            .arg(&preprocessed),
    )?;
    // Each three times, in turn, and the middle one: the machine is noisy.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut verdict = String::new();
    for _ in 0..3 {
        let Some(time) = sanitize(directory, &source)? else { return Ok(None) };
        theirs.push(time);
        let start = Instant::now();
        let output = Process::new(farrier).arg("check").arg(&preprocessed).output()?;
        ours.push(start.elapsed());
        verdict = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("").to_owned();
        if output.status.code() == Some(2) {
            bail!("seed {seed}: {verdict}");
        }
        // A program that needs the whole budget is no measure of the start-up.
        if output.status.code() == Some(3) {
            return Ok(None);
        }
    }
    ours.sort();
    theirs.sort();
    Ok(Some(Row { seed, farrier: ours[1], sanitizers: theirs[1], verdict }))
}

/// How long it takes to build and to run a program with each of clang's sanitizers; `None`
/// if it does not end in time.
fn sanitize(directory: &Path, source: &Path) -> Result<Option<Duration>> {
    let start = Instant::now();
    for sanitizer in ["address,undefined", "memory"] {
        let binary = directory.join("sanitized");
        quiet(
            Process::new("clang")
                .args(["-w", "-O0", "-I", HEADERS, &format!("-fsanitize={sanitizer}")])
                .arg(source)
                .arg("-o")
                .arg(&binary),
        )?;
        let mut program = Process::new(&binary);
        let limits = farrier_harness::Limits {
            time: PATIENCE,
            stdout_bytes: 1 << 20,
            stderr_bytes: 64 << 20,
        };
        let finished = farrier_harness::run(&mut program, b"", &limits)?;
        if matches!(finished.ending, farrier_harness::ProcessEnding::TimedOut) {
            return Ok(None);
        }
    }
    Ok(Some(start.elapsed()))
}

fn quiet(command: &mut Process) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?} cannot be started"))?;
    ensure!(
        output.status.success(),
        "{command:?} fails: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
