//! `farrier gen` beside Csmith: kilobytes of C a second of one core.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

use super::build_farrier;
use crate::repository;

/// How many times as many kilobytes a second as Csmith there must be.
const GOAL: f64 = 20.0;
/// How much more time a byte of the largest program may take than one of a usual program.
const LINEAR: f64 = 1.5;
/// The most memory for a program of a megabyte.
const MEMORY: u64 = 200_000_000;

/// The size of a usual program.
const USUAL: u64 = 80_000;
/// The sizes that show whether the time is in proportion.
const SIZES: [u64; 4] = [20_000, USUAL, 320_000, 1_000_000];
/// How many bytes are made of each size.
const BYTES: u64 = 3_000_000;

/// What processes took.
#[derive(Clone, Copy, Default)]
pub(super) struct Cost {
    /// The bytes of C that they made.
    bytes: u64,
    /// The time of the processor, which does not depend on what else the machine does.
    pub(super) time: Duration,
    /// The most memory of one.
    memory: u64,
}

impl Cost {
    pub(super) fn speed(self) -> f64 {
        self.bytes as f64 / 1000.0 / self.time.as_secs_f64()
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            time: self.time + other.time,
            memory: self.memory.max(other.memory),
        }
    }
}

pub(super) fn run(programs: u32) -> Result<bool> {
    let farrier = build_farrier()?;
    let directory = repository::root().join("target/bench/gen");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)?;
    let together = generate(&farrier, &directory, USUAL, programs, None)?;
    let mut alone = Cost::default();
    let mut csmith = Cost::default();
    for seed in 1..=programs {
        alone = alone.and(single(&farrier, &directory, seed)?);
        csmith = csmith.and(run_csmith(&directory, seed)?);
    }
    let ratio = together.speed() / csmith.speed();
    let describe = |name: &str, cost: Cost| {
        println!(
            "{name}: {programs} programs, {:.0} KB, {:.2} s, {:.0} KB/s",
            cost.bytes as f64 / 1000.0,
            cost.time.as_secs_f64(),
            cost.speed()
        );
    };
    describe("farrier gen, one process for all", together);
    describe("farrier gen, one process for each", alone);
    describe("csmith, one process for each", csmith);
    println!(
        "ratio {ratio:.1} (goal {GOAL}); with one process for each {:.1}",
        alone.speed() / csmith.speed()
    );
    let mut costs = Vec::new();
    for size in SIZES {
        let count = (BYTES / size).max(2) as u32;
        let cost = generate(&farrier, &directory, size, count, None)?;
        println!(
            "size {size:7}: {count:3} programs, {:6.0} KB/s, peak of memory {:.0} MB",
            cost.speed(),
            cost.memory as f64 / 1e6
        );
        costs.push(cost);
    }
    let usual = costs[1];
    let largest = costs[SIZES.len() - 1];
    let slower = usual.speed() / largest.speed();
    println!(
        "a byte of {} takes {slower:.2} times the time of one of {USUAL} (goal {LINEAR})",
        SIZES[3]
    );
    println!(
        "peak of memory {:.0} MB (goal {:.0})",
        largest.memory as f64 / 1e6,
        MEMORY as f64 / 1e6
    );
    std::fs::remove_dir_all(&directory)?;
    Ok(ratio >= GOAL && slower <= LINEAR && largest.memory <= MEMORY)
}

/// Many programs by one process, on one core.
pub(super) fn generate(
    farrier: &Path,
    directory: &Path,
    size: u64,
    count: u32,
    preset: Option<&str>,
) -> Result<Cost> {
    let out = directory.join(size.to_string());
    let (count, size) = (count.to_string(), size.to_string());
    let mut command = Command::new(farrier);
    command.args(["gen", "--seed", "1", "--jobs", "1", "--force", "-n", &count, "--size", &size]);
    command.args(preset.iter().flat_map(|preset| ["--preset", preset]));
    let mut cost = measure(command.arg("-o").arg(&out))?;
    for entry in std::fs::read_dir(&out)? {
        cost.bytes += entry?.metadata()?.len();
    }
    Ok(cost)
}

/// One program by one process.
fn single(farrier: &Path, directory: &Path, seed: u32) -> Result<Cost> {
    let mut command = Command::new(farrier);
    command.args(["gen", "--seed", &seed.to_string()]);
    to_file(&mut command, directory)
}

pub(super) fn run_csmith(directory: &Path, seed: u32) -> Result<Cost> {
    let mut command = Command::new("csmith");
    // It leaves a file platform.info where it runs.
    command.args(["--seed", &seed.to_string()]).current_dir(directory);
    to_file(&mut command, directory)
}

fn to_file(command: &mut Command, directory: &Path) -> Result<Cost> {
    let path = directory.join("program.c");
    let cost = measure(command.stdout(File::create(&path)?))?;
    Ok(Cost { bytes: std::fs::metadata(&path)?.len(), ..cost })
}

/// What a process takes, which must succeed.
pub(super) fn measure(command: &mut Command) -> Result<Cost> {
    let (succeeds, cost) = attempt(command)?;
    ensure!(succeeds, "{command:?} fails");
    Ok(cost)
}

/// Whether a process succeeds, and what it takes.
pub(super) fn attempt(command: &mut Command) -> Result<(bool, Cost)> {
    let child = command
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{command:?} cannot be started; see packages.txt"))?;
    let used = child.wait4()?;
    let time = used.rusage.utime + used.rusage.stime;
    Ok((used.status.success(), Cost { bytes: 0, time, memory: used.rusage.maxrss }))
}
