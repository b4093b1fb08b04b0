//! What can be derived from the arguments themselves: completions, manual pages
//! and the reference in Markdown.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::{Status, output};

/// Prints the completions for a shell.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "farrier", &mut script);
    output::write(None, &script)?;
    Ok(Status::Fine)
}

/// Prints the manual page, or writes all pages into a directory.
pub(crate) fn man(dir: Option<&Path>) -> anyhow::Result<Status> {
    match dir {
        None => {
            let mut page = Vec::new();
            // There is no page for `farrier help`.
            let command = Cli::command().disable_help_subcommand(true);
            clap_mangen::Man::new(command).render(&mut page)?;
            output::write(None, &page)?;
        }
        Some(dir) => {
            let failed = || format!("cannot write manual pages to `{}`", dir.display());
            fs::create_dir_all(dir).with_context(failed)?;
            clap_mangen::generate_to(Cli::command(), dir).with_context(failed)?;
        }
    }
    Ok(Status::Fine)
}

/// Prints the help texts of all commands.
pub(crate) fn markdown() -> anyhow::Result<Status> {
    let mut text = String::from(
        "# The command line\n\n\
         The help texts of all commands. This page is generated from the program: \
         change `crates/farrier/src/cli.rs` and run `FARRIER_BLESS=1 cargo test -p farrier --test reference`.\n",
    );
    // As wide on every screen.
    let mut command = Cli::command().term_width(100);
    command.build();
    section(&mut text, &mut command);
    output::write(None, text.as_bytes())?;
    Ok(Status::Fine)
}

fn section(text: &mut String, command: &mut Command) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    write!(text, "\n## `{name}`\n\n```text\n{}\n```\n", lines.join("\n"))
        .expect("a string takes all that is written");
    for child in command.get_subcommands_mut() {
        if !child.is_hide_set() && child.get_name() != "help" {
            section(text, child);
        }
    }
}
