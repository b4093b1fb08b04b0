//! Developer commands: `cargo xtask <command>`.
//!
//! Continuous integration runs `cargo xtask ci` and nothing else, so what passes here
//! passes there.
#![expect(clippy::print_stdout, reason = "a developer command reports on stdout")]

mod bench;
mod check;
mod ci;
mod corpus;
mod dist;
mod generate;
mod mutants;
mod packages;
mod repository;
mod sanitizers;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Developer commands of Farrier",
    disable_help_subcommand = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything that must pass before a change is merged, stopping at the first failure
    Ci,
    /// The rules of the repository that the compiler cannot enforce
    Tidy,
    /// Rewrite the generated pages under docs/reference
    Generate,
    /// Build the fastest `farrier`, optimised by a profile of its own work, and say where it is
    Dist,
    /// Run sanitizers on the tests of the machine, and write their reports to docs/reference
    Sanitizers,
    /// Change the arithmetic in many small ways, and see whether the unit tests notice
    Mutants,
    /// Measure Farrier beside other tools
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Check the front end and the printer against foreign programs
    #[command(subcommand)]
    Corpus(corpus::CorpusCommand),
    /// Check the abstract machine against gcc on foreign programs
    #[command(subcommand)]
    Check(check::CheckCommand),
}

fn main() -> ExitCode {
    // Programs for a simulated machine are run by the harness, which confines them.
    farrier_harness::launch_if_asked(std::env::args_os().skip(1));
    let result = match Arguments::parse().command {
        Command::Ci => ci::run(),
        Command::Tidy => tidy::run(),
        Command::Generate => generate::run(),
        Command::Dist => dist::run(),
        Command::Sanitizers => sanitizers::run(),
        Command::Mutants => mutants::run(),
        Command::Bench(command) => bench::run(&command),
        Command::Corpus(command) => corpus::run(&command),
        Command::Check(command) => check::run(&command),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
