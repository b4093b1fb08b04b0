//! What a compiler that counts what it executes was made to execute, as a command of the user says.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use farrier_harness::{Sandbox, in_shell};

use crate::cli::HuntArguments;
use crate::finding::Store;

/// The directory of the counts, in that of the hunt.
const DIRECTORY: &str = "coverage";

/// How long the command may take.
const TIME: Duration = Duration::from_secs(600);

/// The hook that measures coverage.
pub(super) struct Coverage<'a> {
    command: &'a str,
    every: u64,
    directory: PathBuf,
    store: Store,
    /// How many programs were done at the last measurement.
    measured: Option<u64>,
}

impl<'a> Coverage<'a> {
    /// Prepares it, if the user wants it: compilers may write their counts from now on.
    pub(super) fn new(
        arguments: &'a HuntArguments,
        sandbox: &mut Sandbox,
    ) -> anyhow::Result<Option<Self>> {
        let Some(command) = &arguments.coverage else { return Ok(None) };
        let directory = super::directory(arguments).join(DIRECTORY);
        fs::create_dir_all(&directory)
            .and_then(|()| directory.canonicalize())
            .with_context(|| format!("cannot make the directory `{}`", directory.display()))
            .map(|directory| sandbox.set_coverage(directory))?;
        let store = Store::open_to_add(&super::directory(arguments))?;
        let every = arguments.coverage_every;
        Ok(Some(Self { command, every, directory, store, measured: None }))
    }

    /// Measures, if it is time to; so many programs are done.
    pub(super) fn note(&mut self, programs: u64) -> anyhow::Result<()> {
        let due = programs > 0 && programs.is_multiple_of(self.every);
        if due { self.measure(programs) } else { Ok(()) }
    }

    /// Measures, if it was not done for so many programs, and keeps the result.
    pub(super) fn measure(&mut self, programs: u64) -> anyhow::Result<()> {
        if self.measured == Some(programs) {
            return Ok(());
        }
        let value = covered(self.command, &self.directory)?;
        self.measured = Some(programs);
        self.store.add_coverage(programs, value)
    }
}

/// The number that the command prints.
fn covered(command: &str, directory: &Path) -> anyhow::Result<f64> {
    let output = match in_shell(command, directory, TIME)? {
        Ok(output) => String::from_utf8_lossy(&output).into_owned(),
        Err(why) => bail!("--coverage `{command}` fails: {why}"),
    };
    let word = output.split_whitespace().next().unwrap_or_default();
    match word.trim_end_matches('%').parse() {
        Ok(value) if f64::is_finite(value) => Ok(value),
        _ => bail!("--coverage `{command}` prints `{word}`, which is no number"),
    }
}
