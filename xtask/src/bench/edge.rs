//! Relaxed programs: how many drafts get a meaning, what is in the programs, and how many usable
//! ones there are an hour beside Csmith with sanitizers on every program, as CsmithEdge works.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use farrier_machine::{Rule, UbKind};
use farrier_synth::{Config, Preset, Refusal, generate};

use super::generated::{Cost, generate as generate_many, measure, run_csmith};
use crate::{dist, repository};

/// How many drafts must get a meaning within three rounds, in percent.
const PROVED: usize = 90;
/// How many of 100 programs have a buried null dereference, a buried subscript, a pair of operands
/// that other addresses would bring into conflict, and a jump over an initialiser, at least.
const GOALS: [usize; 4] = [30, 30, 20, 20];
/// How many times as many kilobytes a second as Csmith there must be.
const SPEED: f64 = 10.0;
/// How many times as many usable programs an hour as with sanitizers there must be.
const USABLE: f64 = 50.0;

/// The bytes of the programs that are looked into, and of those that are timed.
const SIZE: usize = 20_000;
const TIMED_SIZE: u64 = 80_000;

/// What CsmithEdge asks about each program, as clang has it.
const SANITIZERS: [&str; 3] = ["address", "memory", "undefined"];

/// How long a program may run, in seconds: as in the paper.
const PATIENCE: &str = "50";

pub(super) fn run(programs: usize) -> Result<bool> {
    let shaped = shapes(programs)?;
    let farrier = dist::build()?;
    let directory = repository::root().join("target/bench/edge");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)?;
    let count = (programs / 5).max(4) as u32;
    let edge = generate_many(&farrier, &directory, TIMED_SIZE, count, &["--preset", "edge"])?;
    let mut csmith = Cost::default();
    let (mut usable, mut checked) = (0, Duration::ZERO);
    for seed in 1..=count {
        csmith = csmith.and(run_csmith(&directory, seed)?);
        let (clean, time) = sanitized(&directory)?;
        usable += u32::from(clean);
        checked += time;
    }
    let speed = edge.speed() / csmith.speed();
    println!(
        "farrier gen --preset edge {:.0} KB/s, csmith {:.0} KB/s: ratio {speed:.1} (goal {SPEED})",
        edge.speed(),
        csmith.speed()
    );
    let hourly = |programs: u32, time: Duration| f64::from(programs) * 3600.0 / time.as_secs_f64();
    let (ours, theirs) = (hourly(count, edge.time), hourly(usable, csmith.time + checked));
    let ratio = ours / theirs;
    println!(
        "usable programs an hour of one core: farrier {ours:.0}; csmith with the sanitizers of \
         clang {theirs:.0} ({usable} of {count} usable): ratio {ratio:.0} (goal {USABLE})"
    );
    std::fs::remove_dir_all(&directory)?;
    Ok(shaped && speed >= SPEED && ratio >= USABLE)
}

/// Builds and runs the program of Csmith with each sanitizer: whether none complains, and the time.
fn sanitized(directory: &Path) -> Result<(bool, Duration)> {
    let (source, program) = (directory.join("program.c"), directory.join("program"));
    let mut time = Duration::ZERO;
    for sanitizer in SANITIZERS {
        let mut build = Command::new("clang");
        build.args(["-w", "-O1", "-I/usr/include/csmith", "-fno-sanitize-recover=all"]);
        build.arg(format!("-fsanitize={sanitizer}")).arg(&source).arg("-o").arg(&program);
        time += measure(&mut build)?.time;
        let mut run = Command::new("timeout");
        run.arg(PATIENCE).arg(&program).stdout(std::process::Stdio::null());
        let (clean, cost) = super::generated::attempt(&mut run)?;
        time += cost.time;
        if !clean {
            return Ok((false, time));
        }
    }
    Ok((true, time))
}

/// What is in programs, and how many drafts they took.
fn shapes(programs: usize) -> Result<bool> {
    let mut config = Config { size: SIZE, ..Config::default() };
    Preset::Edge.apply(&mut config);
    let null = [UbKind::NullDereference];
    let bounds = [UbKind::OutOfBounds, UbKind::PointerArithmetic];
    let (mut have, mut undefined, mut rounds) = ([0; GOALS.len()], 0, [0; 5]);
    for seed in 1..=programs as u64 {
        let made = generate(seed, &config).ok().with_context(|| format!("seed {seed}"))?;
        let verdicts = made.refused.iter();
        undefined += verdicts.filter(|one| matches!(one, Refusal::Verdict { .. })).count();
        let tally = &made.relaxed;
        rounds[tally.rounds as usize] += 1;
        let buried = |kinds: &[UbKind]| {
            kinds.iter().any(|kind| tally.beside.contains_key(&Rule::Undefined(*kind)))
        };
        let edges = made.census().edges;
        let found = [buried(&null), buried(&bounds), edges.conflicts > 0, edges.jumps > 0];
        for (have, found) in have.iter_mut().zip(found) {
            *have += usize::from(found);
        }
    }
    // A draft that needs the last round is not among them.
    let early = programs - rounds[4];
    let proved = 100.0 * early as f64 / (programs + undefined) as f64;
    println!(
        "{programs} programs of {SIZE} bytes: {proved:.1} % of the drafts have one meaning after at \
         most three rounds (goal {PROVED}); rounds of repairs: {rounds:?}"
    );
    let names = [
        "a buried null dereference beside the same operands",
        "a buried subscript out of range beside the same operands",
        "a pair of operands that other addresses would bring into conflict",
        "a jump over an initialiser",
    ];
    let mut reached = proved >= PROVED as f64;
    for ((name, have), goal) in names.iter().zip(have).zip(GOALS) {
        println!("{have} have {name} (goal {})", goal * programs / 100);
        reached &= have * 100 >= goal * programs;
    }
    Ok(reached)
}
