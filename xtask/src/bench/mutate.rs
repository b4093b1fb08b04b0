//! The time of a mutant, by strategy: profile, drawing and certification.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use farrier_synth::mutate::STRATEGIES;

use super::generated::measure;
use crate::{dist, repository};

/// The most time of a mutant.
const GOAL: Duration = Duration::from_millis(100);

/// How long the programs are.
const SIZE: &str = "40k";

/// How many mutants a program has.
const MUTANTS: u32 = 10;

pub(super) fn run(programs: u32, farrier: Option<PathBuf>) -> Result<bool> {
    let farrier = farrier.map_or_else(dist::build, Ok)?;
    let directory = repository::root().join("target/bench/mutate");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)?;
    let count = programs.to_string();
    measure(
        Command::new(&farrier)
            .args(["gen", "--seed", "1", "--size", SIZE, "-n", &count, "--force", "-o"])
            .arg(&directory),
    )?;
    let mut all = String::new();
    for row in STRATEGIES {
        let time = mean(&farrier, &directory, programs, row.name)?;
        println!("{:<8} {:>6.1} ms", row.name, time.as_secs_f64() * 1e3);
        all = if all.is_empty() { row.name.to_owned() } else { format!("{all},{}", row.name) };
    }
    let time = mean(&farrier, &directory, programs, &all)?;
    println!(
        "together {:>6.1} ms (goal: at most {} ms)",
        time.as_secs_f64() * 1e3,
        GOAL.as_millis()
    );
    std::fs::remove_dir_all(&directory)?;
    Ok(time <= GOAL)
}

/// The mean processor time of a mutant. What a process does before the first one is left out.
fn mean(farrier: &Path, directory: &Path, programs: u32, with: &str) -> Result<Duration> {
    let mut times = [Duration::ZERO; 2];
    for program in 1..=programs {
        for (time, count) in times.iter_mut().zip([1, 1 + MUTANTS]) {
            let mut command = Command::new(farrier);
            command.args(["mutate", "--preprocessed", "--seed", "1", "--with", with, "--force"]);
            command.args(["--growth", "10", "--count", &count.to_string(), "-o"]);
            command.arg(directory.join("mutants")).arg(directory.join(format!("{program}.c")));
            // Where no mutation finds a place there is no mutant whose time could count.
            *time += measure(&mut command).map_or(Duration::ZERO, |cost| cost.time);
        }
    }
    Ok(times[1].saturating_sub(times[0]) / (programs * MUTANTS))
}
