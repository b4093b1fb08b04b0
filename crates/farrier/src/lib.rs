//! The `farrier` command as a library: the program is one call, and tests and developer
//! commands may make others.
//!
//! Data goes to standard output, talk to standard error, and the exit status is
//! a contract: see `Status`.

mod cli;
mod commands;
mod finding;
mod host;
mod hunt;
mod join;
mod naming;
mod output;
mod reduce;
mod report;
mod serve;
mod spelling;
mod stack;
mod terminal;
mod triage;

use std::process::ExitCode;

pub use crate::hunt::{Classified, census};
pub use crate::join::{Moment, Rehearsal, Rehearsed, rehearse};

use crate::cli::{Cli, Command};
use crate::terminal::{Color, Talk};

/// What the exit status of a command says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// Nothing is wrong.
    Fine = 0,
    /// Something was found: the program is undefined or unspecified.
    Found = 1,
    /// It could not be done: bad arguments, bad input, a missing tool, or a bug in Farrier.
    Failed = 2,
    /// A limit on the work was reached.
    GaveUp = 3,
}

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    // Before all else: what is started in the sandbox is first of all this program.
    farrier_harness::launch_if_asked(std::env::args_os().skip(1));
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            commands::load::tell(&error, Talk::to_stderr(Color::default()));
            return ExitCode::from(Status::Failed as u8);
        }
    };
    let talk = Talk::to_stderr(cli.color);
    let status = match stack::run(|| run(&cli, talk)) {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => {
            commands::load::tell(&error, talk);
            Status::Failed
        }
        Err(stack::Panicked) => {
            talk.bug(std::env::args_os());
            Status::Failed
        }
    };
    ExitCode::from(status as u8)
}

fn run(cli: &Cli, talk: Talk) -> anyhow::Result<Status> {
    match &cli.command {
        Command::Bisect(arguments) => commands::bisect::run(arguments, talk),
        Command::Bugs(arguments) => commands::bugs::run(arguments),
        Command::Compare(arguments) => commands::compare::run(arguments),
        Command::Check(arguments) => commands::check::run(arguments, talk),
        Command::Doctor(arguments) => commands::doctor::run(arguments),
        Command::Explain { kind, json } => commands::explain::run(kind.as_deref(), *json),
        Command::Findings(arguments) => commands::findings::list(arguments),
        Command::Fmt(arguments) => commands::fmt::run(arguments, talk),
        Command::Gen(arguments) => commands::generate::run(arguments, talk),
        Command::Hunt(arguments) => commands::hunt::run(arguments, talk),
        Command::Mutate(arguments) => commands::mutate::run(arguments, talk),
        Command::Reduce(arguments) => commands::reduce::run(arguments, talk),
        Command::Replay(arguments) => commands::replay::run(arguments),
        Command::Report(arguments) => commands::report::run(arguments, talk),
        Command::Serve(arguments) => commands::serve::run(arguments, talk),
        Command::Show(arguments) => commands::findings::show(arguments),
        Command::Subjects(arguments) => commands::subjects::run(arguments, talk),
        Command::Sync(arguments) => commands::join::sync(arguments, talk),
        Command::Triage(arguments) => commands::triage::run(arguments, talk),
        Command::Completions { shell } => commands::reference::completions(*shell),
        Command::Man { dir } => commands::reference::man(dir.as_deref()),
        Command::MarkdownHelp => commands::reference::markdown(),
    }
}
