//! `cargo xtask ci`: the steps that continuous integration runs, in order.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::packages;
use crate::repository::root;

/// One step: a command that a developer can repeat alone.
struct Step {
    name: &'static str,
    /// The command line, split at spaces; `None` for what this program does itself.
    command: Option<&'static str>,
    environment: &'static [(&'static str, &'static str)],
    tool: Option<Tool>,
}

/// A tool that may be missing.
struct Tool {
    /// A command that succeeds where the tool is installed.
    probe: &'static str,
    /// What to say where it is not.
    message: &'static str,
    otherwise: Otherwise,
}

/// What becomes of a step whose tool is missing.
#[derive(Clone, Copy)]
enum Otherwise {
    Fail,
    Skip,
    Run(&'static str),
}

const fn step(name: &'static str, command: &'static str) -> Step {
    Step { name, command: Some(command), environment: &[], tool: None }
}

// rustfmt and clippy belong to the toolchain, so they must be there; cargo-nextest and
// cargo-deny do not, and building them takes longer than everything else here.
const STEPS: &[Step] = &[
    Step { name: "packages", command: None, environment: &[], tool: None },
    Step {
        tool: Some(Tool {
            probe: "cargo fmt --version",
            message: "rustfmt is missing: rustup component add rustfmt",
            otherwise: Otherwise::Fail,
        }),
        ..step("format", "cargo fmt --all --check")
    },
    Step {
        tool: Some(Tool {
            probe: "cargo clippy --version",
            message: "clippy is missing: rustup component add clippy",
            otherwise: Otherwise::Fail,
        }),
        ..step("clippy", "cargo clippy --workspace --all-targets --quiet -- -D warnings")
    },
    Step {
        tool: Some(Tool {
            probe: "cargo nextest --version",
            message: "cargo-nextest is not installed: using cargo test",
            otherwise: Otherwise::Run("cargo test --workspace --lib --bins --tests --quiet"),
        }),
        ..step("tests", "cargo nextest run --workspace --no-fail-fast --status-level slow")
    },
    step("doc tests", "cargo test --workspace --doc --quiet"),
    step("tidy", "cargo xtask tidy"),
    Step {
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        ..step("docs", "cargo doc --workspace --no-deps --quiet")
    },
    step("csmith sample", "cargo xtask corpus csmith --seeds 10"),
    step("torture sample", "cargo xtask corpus torture --sample"),
    step("machine on csmith", "cargo xtask check csmith --seeds 10"),
    step("machine on torture", "cargo xtask check torture --sample"),
    step("generated sample", "cargo xtask check gen --from 1 --to 10 --size 5000"),
    Step {
        tool: Some(Tool {
            probe: "cargo deny --version",
            message: "cargo-deny is not installed: dependencies were not checked",
            otherwise: Otherwise::Skip,
        }),
        ..step("deny", "cargo deny --all-features check")
    },
];

/// Runs all steps; stops at the first that fails.
pub(crate) fn run() -> Result<bool> {
    let mut rows: Vec<(&str, &str, Duration)> = Vec::new();
    let mut passed = true;
    for step in STEPS {
        println!("\n=== {} ===", step.name);
        let start = Instant::now();
        let outcome = run_step(step)?;
        let duration = start.elapsed();
        println!("--- {}: {outcome}, {:.1} s", step.name, duration.as_secs_f64());
        rows.push((step.name, outcome, duration));
        if outcome == FAILED {
            passed = false;
            break;
        }
    }
    println!("\n{:<18} {:<8} {:>8}", "step", "result", "seconds");
    for (name, outcome, duration) in &rows {
        println!("{name:<18} {outcome:<8} {:>8.1}", duration.as_secs_f64());
    }
    let total: Duration = rows.iter().map(|(.., duration)| duration).sum();
    println!(
        "{:<18} {:<8} {:>8.1}",
        "all",
        if passed { PASSED } else { FAILED },
        total.as_secs_f64()
    );
    if !passed {
        println!("{} steps were not run", STEPS.len() - rows.len());
    }
    Ok(passed)
}

const PASSED: &str = "passed";
const FAILED: &str = "FAILED";
const SKIPPED: &str = "skipped";

fn run_step(step: &Step) -> Result<&'static str> {
    let Some(mut command) = step.command else {
        return Ok(match packages::install_missing() {
            Ok(report) => {
                println!("{report}");
                PASSED
            }
            Err(error) => {
                println!("{error:#}");
                FAILED
            }
        });
    };
    if let Some(tool) = &step.tool
        && !succeeds(tool.probe)
    {
        println!("{}", tool.message);
        match tool.otherwise {
            Otherwise::Fail => return Ok(FAILED),
            Otherwise::Skip => return Ok(SKIPPED),
            Otherwise::Run(other) => command = other,
        }
    }
    let settings: String =
        step.environment.iter().map(|(name, value)| format!("{name}='{value}' ")).collect();
    println!("{settings}{command}");
    let status = split(command)
        .current_dir(root())
        .envs(step.environment.iter().copied())
        .status()
        .with_context(|| format!("cannot start: {command}"))?;
    if status.success() {
        return Ok(PASSED);
    }
    println!("\nfailed with {status}; to repeat this step alone:\n\n    {settings}{command}\n");
    Ok(FAILED)
}

fn split(command: &str) -> Command {
    let mut words = command.split(' ');
    let mut split = Command::new(words.next().expect("a command is not empty"));
    split.args(words);
    split
}

fn succeeds(command: &str) -> bool {
    split(command)
        .current_dir(root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
