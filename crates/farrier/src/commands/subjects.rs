//! `farrier subjects`: the compilers that can be tested.

use std::fmt::Write as _;
use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use farrier_harness::{Discovery, Runner, Sandbox, Subject, discover, load_subjects, try_out};

use crate::cli::SubjectsArguments;
use crate::diagnostics::Talk;
use crate::{Status, output};

/// The file that is read if there is one and no other is named.
pub(crate) const DEFAULT_FILE: &str = "farrier.toml";

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
                "`{}` is not hunted in: its target {} is not known to Farrier",
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

/// The small program that launches others, if it stands beside this one.
const LAUNCHER: &str = "farrier-launcher";

/// A sandbox whose launcher stands beside this program, or is this program.
pub(crate) fn sandbox() -> anyhow::Result<Sandbox> {
    let itself = std::env::current_exe().context("cannot find this program itself")?;
    let beside = itself.with_file_name(LAUNCHER);
    let mut sandbox = match beside.is_file().then(|| Sandbox::new(beside)) {
        Some(Ok(sandbox)) => sandbox,
        // Without it everything works as well, only slower.
        Some(Err(_)) | None => Sandbox::new(itself)?,
    };
    // Zig cannot do without: it builds its libraries at the first use.
    if let Some(directory) = cache_directory() {
        sandbox.set_cache(directory);
    }
    Ok(sandbox)
}

/// A directory that only we can write to, and that outlives this process: what is in it takes
/// a minute to make.
fn cache_directory() -> Option<PathBuf> {
    let base = std::env::temp_dir().canonicalize().ok()?;
    let own = std::fs::metadata("/proc/self").ok()?.uid();
    let path = base.join(format!("farrier-cache-{own}"));
    // It may be there already, and then it must be ours.
    let _ = DirBuilder::new().mode(0o700).create(&path);
    let found = std::fs::symlink_metadata(&path).ok()?;
    (found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0).then_some(path)
}

/// The compilers in the search path.
pub(crate) fn find(sandbox: &Sandbox, base: &Path) -> anyhow::Result<Discovery> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    Ok(discover(&path, sandbox, base)?)
}

/// The subjects in a file, each of which must work.
pub(crate) fn listed(file: &Path, sandbox: &Sandbox, base: &Path) -> anyhow::Result<Vec<Subject>> {
    let subjects = load_subjects(file)?;
    for subject in &subjects {
        if let Some(why) = try_out(subject, sandbox, base)? {
            bail!("{}: `{}` cannot be used: {why}", subject.recognised, subject.name);
        }
    }
    Ok(subjects)
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
        Runner::Emulator(command) => command.first().map_or("", String::as_str),
        Runner::Simavr => "simavr",
        Runner::Nothing(_) => "not at all",
    }
}
