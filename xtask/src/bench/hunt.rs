//! `farrier hunt` beside Csmith's way of working, with the same compilers.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use farrier_harness::{Finished, Limits, ProcessEnding};
use wait4::Wait4;

use super::HEADERS;
use crate::{dist, repository};

/// The compilers of both.
const COMPILERS: [&str; 2] = ["gcc", "clang"];
/// The levels that are tested against -O0.
const LEVELS: [&str; 4] = ["-O1", "-O2", "-O3", "-Os"];
/// How long a program may run, as Csmith's driver has it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The least percentage of processor time that compilers and compiled programs must have.
const SHARE: f64 = 97.0;
/// How many workers there are when memory is measured.
const WORKERS: &str = "16";
/// How long memory is measured, at most.
const MEMORY_SECONDS: u64 = 60;
/// The most memory that Farrier itself may have with them.
const MEMORY: u64 = 300_000_000;

/// What a way of working has done.
#[derive(Default)]
struct Work {
    programs: u64,
    judged: u64,
    cpu: Duration,
}

impl Work {
    fn rate(&self) -> f64 {
        self.judged as f64 / (self.cpu.as_secs_f64() / 3600.0)
    }
}

pub(super) fn run(seconds: u64, farrier: Option<PathBuf>) -> Result<bool> {
    let farrier = farrier.map_or_else(dist::build, Ok)?;
    let directory = repository::root().join("target/bench/hunt");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)?;
    let (ours, pair) = hunt(&farrier, &directory, "pair", &COMPILERS, seconds)?;
    let (_, share) = hunt(&farrier, &directory, "default", &[], seconds)?;
    let theirs = csmith(&directory, ours.cpu)?;
    let memory = memory(&farrier, &directory, seconds.min(MEMORY_SECONDS))?;
    for (name, work) in [("farrier hunt", &ours), ("csmith's way", &theirs)] {
        println!(
            "{name}: {} programs, {} judged compilations, {:.0} s of processor time, {:.0} an hour",
            work.programs,
            work.judged,
            work.cpu.as_secs_f64(),
            work.rate()
        );
    }
    println!("ratio {:.2}", ours.rate() / theirs.rate());
    println!(
        "{share:.1} % of the processor time in compilers and programs with default settings (goal \
         {SHARE}), {pair:.1} % with {}",
        COMPILERS.join(" and ")
    );
    println!(
        "peak of memory with {WORKERS} workers {:.0} MB (goal {:.0})",
        memory as f64 / 1e6,
        MEMORY as f64 / 1e6
    );
    fs::remove_dir_all(&directory)?;
    Ok(share >= SHARE && memory <= MEMORY)
}

fn hunt_command(farrier: &Path, directory: &Path, name: &str, subjects: &[&str]) -> Command {
    let mut command = Command::new(farrier);
    command.args(["hunt", "--seed", "1", "--dir"]).arg(directory.join(name));
    command.args(subjects.iter().flat_map(|compiler| ["--subject", compiler]));
    command
}

/// A hunt with these compilers, or all; its own summary, which is made of resource usage, says how
/// much of the time compilers had.
fn hunt(
    farrier: &Path,
    directory: &Path,
    name: &str,
    subjects: &[&str],
    seconds: u64,
) -> Result<(Work, f64)> {
    let summary = directory.join("summary");
    let mut command = hunt_command(farrier, directory, name, subjects);
    command.args(["--for", &format!("{seconds}s")]);
    let child = command.stdout(fs::File::create(&summary)?).stderr(Stdio::null()).spawn()?;
    let used = child.wait4()?;
    let text = fs::read_to_string(&summary)?;
    ensure!(matches!(used.status.code(), Some(0 | 1)), "the hunt fails: {text}");
    let before = |marker: &str| -> Result<f64> {
        let (head, _) = text.split_once(marker).with_context(|| format!("no{marker} in {text}"))?;
        let word = head.split_whitespace().next_back().unwrap_or_default();
        word.parse().with_context(|| format!("`{word}` in {text}"))
    };
    let unjudged = before(" inconclusive,")? + before(" not tried")?;
    let work = Work {
        programs: before(" programs and")? as u64,
        judged: (before(" trials in")? - unjudged) as u64,
        cpu: used.rusage.utime + used.rusage.stime,
    };
    Ok((work, before(" % of the processor time")?))
}

/// Csmith's way: each program is compiled at -O0 and at each level, both are run, and a
/// compilation is judged if both end in time. It gets as much processor time as the hunt had.
fn csmith(directory: &Path, cpu: Duration) -> Result<Work> {
    let mut work = Work::default();
    for seed in 1_u64.. {
        if work.cpu >= cpu {
            break;
        }
        let seed = seed.to_string();
        let source = directory.join("csmith.c");
        let made = step(&["csmith".into(), "--seed".into(), seed.into()], directory, &mut work)?;
        fs::write(&source, &made.stdout)?;
        work.programs += 1;
        for compiler in COMPILERS {
            let reference = behaviour(compiler, "-O0", &source, directory, &mut work)?;
            for level in LEVELS {
                let found = behaviour(compiler, level, &source, directory, &mut work)?;
                work.judged += u64::from(reference.is_some() && found.is_some());
            }
        }
    }
    Ok(work)
}

/// What a program does at a level; `None` if it is not compiled or does not end.
fn behaviour(
    compiler: &str,
    level: &str,
    source: &Path,
    directory: &Path,
    work: &mut Work,
) -> Result<Option<(ProcessEnding, Vec<u8>)>> {
    let binary: PathBuf = directory.join("csmith.out");
    let mut words: Vec<OsString> =
        [compiler, level, "-w", "-I", HEADERS, "-o"].iter().map(OsString::from).collect();
    words.extend([binary.clone().into_os_string(), source.as_os_str().to_owned()]);
    let _ = fs::remove_file(&binary);
    step(&words, directory, work)?;
    // A compiler that took too long, or refused.
    if !binary.exists() {
        return Ok(None);
    }
    let ran = step(&[binary.into_os_string()], directory, work)?;
    Ok((ran.ending != ProcessEnding::TimedOut).then_some((ran.ending, ran.stdout)))
}

fn step(words: &[OsString], directory: &Path, work: &mut Work) -> Result<Finished> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(directory);
    let finished = farrier_harness::run(&mut command, b"", &LIMITS)
        .context("see packages.txt for what must be installed")?;
    work.cpu += finished.cpu;
    Ok(finished)
}

const LIMITS: Limits = Limits { time: PATIENCE, stdout_bytes: 16 << 20, stderr_bytes: 16 << 20 };

/// The most memory that the process `farrier` itself has with many workers; the kernel notes
/// it, so that looking from time to time is enough.
fn memory(farrier: &Path, directory: &Path, seconds: u64) -> Result<u64> {
    let mut command = hunt_command(farrier, directory, "memory", &COMPILERS);
    command.args(["--jobs", WORKERS, "--for", &format!("{seconds}s")]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let path = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let started = Instant::now();
    while child.try_wait()?.is_none() {
        ensure!(started.elapsed() < Duration::from_secs(600), "the hunt does not stop");
        let status = fs::read_to_string(&path).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = peak.and_then(|rest| rest.split_whitespace().next());
        if let Some(kilobytes) = kilobytes.and_then(|number| number.parse::<u64>().ok()) {
            most = most.max(kilobytes * 1024);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(most)
}
