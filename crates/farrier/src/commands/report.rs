//! `farrier report`: what a hunt has found, for others to read.

use std::path::PathBuf;

use anyhow::bail;
use farrier_harness::Scratch;

use crate::cli::ReportArguments;
use crate::commands::subjects::sandbox;
use crate::diagnostics::Talk;
use crate::report::{bundle, evidence};
use crate::store::Store;
use crate::{Status, output};

/// Runs the command.
pub(crate) fn run(arguments: &ReportArguments, talk: Talk) -> anyhow::Result<Status> {
    let store = Store::open_to_read(&arguments.dir)?;
    match &arguments.name {
        Some(name) => finding(&store, name, arguments, talk),
        None => bail!("name a finding"),
    }
}

/// Writes the bundle of a finding.
fn finding(
    store: &Store,
    name: &str,
    arguments: &ReportArguments,
    talk: Talk,
) -> anyhow::Result<Status> {
    let finding = store.finding(name)?;
    let directory = match &arguments.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("farrier-report-{}", finding.name)),
    };
    let analysis = store.analysis(&finding.name)?;
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let evidence = evidence::gather(store, finding, analysis, &sandbox()?, &scratch)?;
    bundle::write(&evidence, &directory)?;
    for doubt in &evidence.doubts {
        talk.note(&format!("doubtful: {doubt}"));
    }
    output::write(None, format!("{}\n", directory.join("README.md").display()).as_bytes())?;
    Ok(Status::Fine)
}
