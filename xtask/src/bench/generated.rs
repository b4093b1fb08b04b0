//! `farrier gen` beside Csmith: kilobytes of C a second of one core.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

use crate::{dist, repository};

/// How many times as many kilobytes a second as Csmith there must be.
const GOAL: f64 = 20.0;
/// The same for other kinds of programs: their name, their options and how many times.
const KINDS: [(&str, &[&str], f64); 3] = [
    ("preset loops", &["--preset", "loops"], 20.0),
    ("preset orange", &["--preset", "orange"], 15.0),
    ("floats in all", &["--config", FLOATS], 15.0),
];
/// The file that gives every program floating numbers.
const FLOATS: &str = "floats.toml";
const FLOATS_TEXT: &str = "[features]\nfloating = 100\n";
/// The most time for one expression of so many operators, which is all of a program, and how much
/// more time one of its operators may take than one of fewer.
const LONG: (u32, Duration) = (10_000, Duration::from_millis(50));
const SHORTER: u32 = 2_500;
const LONG_LINEAR: f64 = 1.5;
/// About how many bytes a program of one expression has for each operator, and how many such
/// programs are made.
const OPERATOR_BYTES: u64 = 8;
const LONG_PROGRAMS: u32 = 20;
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
    let farrier = dist::build()?;
    let directory = repository::root().join("target/bench/gen");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)?;
    std::fs::write(directory.join(FLOATS), FLOATS_TEXT)?;
    let together = generate(&farrier, &directory, USUAL, programs, &[])?;
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
    let mut fast = true;
    for (name, options, goal) in KINDS {
        let cost = generate(&farrier, &directory, USUAL, programs, options)?;
        let ratio = cost.speed() / csmith.speed();
        println!("{name}: {:.0} KB/s, ratio {ratio:.1} (goal {goal})", cost.speed());
        fast &= ratio >= goal;
    }
    fast &= long_expressions(&farrier, &directory)?;
    let mut costs = Vec::new();
    for size in SIZES {
        let count = (BYTES / size).max(2) as u32;
        let cost = generate(&farrier, &directory, size, count, &[])?;
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
    Ok(fast && ratio >= GOAL && slower <= LINEAR && largest.memory <= MEMORY)
}

/// The time of programs that are mostly one expression, and whether it is in proportion.
fn long_expressions(farrier: &Path, directory: &Path) -> Result<bool> {
    let mut times = Vec::new();
    for operators in [LONG.0, SHORTER] {
        let file = directory.join("long.toml");
        std::fs::write(&file, format!("[parameters]\nexpression-operators = {operators}\n"))?;
        let options = ["--preset", "orange", "--config", "long.toml"];
        let size = OPERATOR_BYTES * u64::from(operators);
        let cost = generate(farrier, directory, size, LONG_PROGRAMS, &options)?;
        times.push(cost.time / LONG_PROGRAMS);
    }
    let slower = times[0].as_secs_f64() / times[1].as_secs_f64() / f64::from(LONG.0 / SHORTER);
    println!(
        "an expression of {} operators: {:.1} ms (goal {}); {slower:.2} times the time for an \
         operator of one of {SHORTER} (goal {LONG_LINEAR})",
        LONG.0,
        times[0].as_secs_f64() * 1e3,
        LONG.1.as_millis()
    );
    Ok(times[0] <= LONG.1 && slower <= LONG_LINEAR)
}

/// Many programs by one process, on one core. Files of options are in the directory.
pub(super) fn generate(
    farrier: &Path,
    directory: &Path,
    size: u64,
    count: u32,
    options: &[&str],
) -> Result<Cost> {
    let out = directory.join(size.to_string());
    let (count, size) = (count.to_string(), size.to_string());
    let mut command = Command::new(farrier);
    command.args(["gen", "--seed", "1", "--jobs", "1", "--force", "-n", &count, "--size", &size]);
    command.args(options).current_dir(directory);
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
