//! `farrier fmt`: prints a program as Farrier understood it.

use farrier_lang::print::{PrintOptions, print};

use crate::cli::FmtArguments;
use crate::commands::load;
use crate::terminal::Talk;
use crate::{Status, output};

/// Runs the command.
pub(crate) fn run(arguments: &FmtArguments, talk: Talk) -> anyhow::Result<Status> {
    let program = load::program(&arguments.program, talk)?;
    let text = print(&program, &PrintOptions::default());
    output::write(arguments.output.as_deref(), text.as_bytes())?;
    Ok(Status::Fine)
}
