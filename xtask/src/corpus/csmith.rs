//! Random programs from Csmith.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use farrier_lang::Dialect;

use super::{Case, Outcome, case_directory, check_all, report, round_trip, write};

const HEADERS: &str = "/usr/include/csmith";

/// Checks `seeds` programs from `first` on: all must be accepted and behave the same.
pub(super) fn run(first: u64, seeds: u64) -> Result<bool> {
    let cases = cases(first, seeds);
    let outcomes = check_all(&cases, check)?;
    let counts = report(&cases, &outcomes);
    println!("to repeat one seed: cargo xtask corpus csmith --first SEED --seeds 1");
    Ok(counts.refused + counts.failed + counts.not_for_us == 0)
}

/// The programs of `seeds` seeds; [`write_program`] writes each.
pub(crate) fn cases(first: u64, seeds: u64) -> Vec<Case> {
    (first..first.saturating_add(seeds)).map(case).collect()
}

fn case(seed: u64) -> Case {
    let directory = case_directory("csmith", &seed.to_string());
    Case {
        name: format!("seed {seed}"),
        sources: vec![directory.join("original.c")],
        flags: vec![format!("-I{HEADERS}")],
        dialect: Dialect::C17,
        permissive: false,
        directory,
    }
}

fn check(case: &Case) -> Result<Outcome> {
    write_program(case)?;
    round_trip::check(case)
}

/// Makes the program of a case.
pub(crate) fn write_program(case: &Case) -> Result<()> {
    let seed = case.name.trim_start_matches("seed ");
    std::fs::create_dir_all(&case.directory)?;
    // Csmith leaves a file platform.info where it runs.
    let output = Command::new("csmith")
        .args(["--seed", seed])
        .current_dir(&case.directory)
        .output()
        .context("csmith cannot be started; install the package csmith")?;
    ensure!(output.status.success(), "csmith: {}", String::from_utf8_lossy(&output.stderr));
    write(&case.sources[0], &output.stdout)
}
