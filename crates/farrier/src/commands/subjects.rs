//! `farrier subjects`: the compilers that can be tested.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use farrier_harness::{Discovery, Runner, Subject};

use crate::cli::SubjectsArguments;
use crate::host::{DEFAULT_FILE, find, listed, sandbox};
use crate::terminal::Talk;
use crate::{Status, output};

/// Runs the command.
pub(crate) fn run(arguments: &SubjectsArguments, talk: Talk) -> anyhow::Result<Status> {
    let sandbox = sandbox()?;
    let base = std::env::temp_dir();
    let mut found = if arguments.only_listed {
        Discovery { subjects: Vec::new(), unusable: Vec::new() }
    } else {
        find(&sandbox, &base)?
    };
    let file = arguments.subjects.clone().or_else(|| {
        let default = PathBuf::from(DEFAULT_FILE);
        default.exists().then_some(default)
    });
    if let Some(file) = file {
        found.subjects.extend(listed(&file, &sandbox, &base)?);
        farrier_harness::make_names_unique(&mut found.subjects);
    }
    if arguments.json {
        let mut text = serde_json::to_string_pretty(&found)?;
        text.push('\n');
        output::write(None, text.as_bytes())?;
    } else {
        output::write(None, table(&found.subjects).as_bytes())?;
        for subject in found.subjects.iter().filter(|subject| subject.target.is_none()) {
            talk.note(&format!(
                "`{}` is left out of hunts: Farrier does not know its target {}",
                subject.name, subject.triple
            ));
        }
        for one in &found.unusable {
            talk.note(&format!("`{}` cannot be used: {}", one.command, one.why));
        }
    }
    if found.subjects.is_empty() {
        bail!("no compiler was found: `farrier doctor` says what to install");
    }
    Ok(Status::Fine)
}

fn table(subjects: &[Subject]) -> String {
    let rows: Vec<[String; 5]> = subjects
        .iter()
        .map(|subject| {
            [
                subject.name.clone(),
                subject.target.map_or_else(
                    || format!("not known: {}", subject.triple),
                    |target| target.name.to_owned(),
                ),
                runner(&subject.runner).to_owned(),
                subject.command.join(" "),
                subject.recognised.clone(),
            ]
        })
        .collect();
    let titles = ["name", "target", "run", "command", "recognised by"].map(str::to_owned);
    let rows: Vec<&[String; 5]> = std::iter::once(&titles).chain(&rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    let mut text = String::new();
    for row in rows {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "{cell:width$}  ");
        }
        text.push_str(&row[4]);
        text.push('\n');
    }
    text
}

fn runner(runner: &Runner) -> &str {
    match runner {
        Runner::Direct => "directly",
        Runner::Emulator(command) | Runner::Marked(command) | Runner::Wine(command) => {
            command.first().map_or("", String::as_str)
        }
        Runner::Simavr => "simavr",
        Runner::Gpu(code) => code,
        Runner::Missing(_) => "not at all",
    }
}
