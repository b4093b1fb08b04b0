//! Every target with its compiler: layouts, types, builtins, the programs of the machine's tests
//! and those of the generator.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use farrier_harness::{Scratch, wine_environment};
use farrier_lang::target::{TARGETS, Target};

use crate::repository::root;

/// Which targets.
#[derive(clap::Args)]
pub(crate) struct TargetArguments {
    /// Only these targets, separated by commas [default: all with a cross compiler]
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(TARGETS.map(|target| target.name)))]
    only: Vec<String>,
    /// How many generated programs for each target
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// How long they are, in bytes
    #[arg(long, default_value_t = 8000)]
    size: usize,
}

/// The tests that compare the table with the compiler that `FARRIER_TARGET` names.
const TESTS: [&[&str]; 3] = [
    &["-p", "farrier-lang", "--test", "layout", "--test", "builtins"],
    &["-p", "farrier-front", "--test", "types"],
    &["-p", "farrier-machine", "--test", "corpus", "emulated"],
];

/// Whether a command is in the search path.
fn is_installed(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .any(|directory: std::path::PathBuf| Path::new(&directory).join(command).is_file())
}

/// Runs the command; true if nothing is wrong. A target whose compiler is missing is named, with
/// what to install, and is wrong where it was asked for.
pub(super) fn run(arguments: &TargetArguments) -> Result<bool> {
    let mut lines = Vec::new();
    let mut fine = true;
    let is_wanted = |target: &&Target| match arguments.only.is_empty() {
        true => !matches!(target.toolchain.compiler, "gcc" | "sdcc"),
        false => arguments.only.iter().any(|name| name == target.name),
    };
    for target in TARGETS.into_iter().filter(is_wanted) {
        let toolchain = target.toolchain;
        let runner = toolchain.emulator.first().copied();
        let missing = [Some(toolchain.compiler), runner].into_iter().flatten();
        let missing: Vec<&str> = missing.filter(|command| !is_installed(command)).collect();
        if !missing.is_empty() {
            fine &= arguments.only.is_empty();
            lines.push(format!(
                "{}: left out, there is no {}: apt-get install {}",
                target.name,
                missing.join(" and no "),
                toolchain.packages
            ));
            continue;
        }
        println!("== {}", target.name);
        let tables = tables_agree(target)?;
        let (programs, ran) = match target.toolchain.emulator.is_empty() && target.name != "avr" {
            true => (true, "programs are not run"),
            false => {
                let most = target.environment.small.map_or(usize::MAX, |small| small.size);
                let size = arguments.size.min(most);
                let agree = super::generated::run_for(target.name, arguments.count, size)?;
                (agree, if agree { "programs agree" } else { "programs DIFFER" })
            }
        };
        fine &= tables && programs;
        let tables = if tables { "tables agree" } else { "tables DIFFER" };
        lines.push(format!("{}: {tables}, {ran}", target.name));
    }
    println!("{}", lines.join("\n"));
    Ok(fine)
}

/// Whether all tests of the tables agree with the compiler of a target.
fn tables_agree(target: &Target) -> Result<bool> {
    let mut fine = true;
    let prefix = Scratch::new(&std::env::temp_dir())?;
    let environment = match target.toolchain.emulator {
        ["wine"] => wine_environment(prefix.path())?,
        _ => Vec::new(),
    };
    for test in TESTS {
        let status = Command::new("cargo")
            .args(["test", "--quiet"])
            .args(test)
            .env("FARRIER_TARGET", target.name)
            .envs(environment.iter().cloned())
            .current_dir(root())
            .status()
            .context("cannot run cargo")?;
        fine &= status.success();
    }
    Ok(fine)
}
