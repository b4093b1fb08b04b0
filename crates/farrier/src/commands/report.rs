//! `farrier report`: what a hunt has found, for others to read.

use std::path::{Path, PathBuf};

use askama::Template;
use farrier_harness::Scratch;

use super::join::HuntPlace;
use crate::cli::ReportArguments;
use crate::finding::Store;
use crate::host::sandbox;
use crate::report::{bundle, evidence, page};
use crate::terminal::Talk;
use crate::{Status, output};

/// Where the page goes if nothing else is said.
const PAGE: &str = "farrier-report.html";

/// Runs the command.
pub(crate) fn run(arguments: &ReportArguments, talk: Talk) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.place)?;
    let store = Store::open_to_read(&place.directory)?;
    match &arguments.name {
        Some(name) => finding(&store, name, arguments, talk),
        None => page(&store, arguments),
    }
}

/// Writes the page of the hunt.
fn page(store: &Store, arguments: &ReportArguments) -> anyhow::Result<Status> {
    let path = arguments.output.clone().unwrap_or_else(|| PathBuf::from(PAGE));
    let text = page::page(store)?.render()?;
    output::write(Some(&path), text.as_bytes())?;
    if path != Path::new("-") {
        output::write(None, format!("{}\n", path.display()).as_bytes())?;
    }
    Ok(Status::Fine)
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
    bundle::write(&evidence, &directory, arguments.force)?;
    for doubt in &evidence.doubts {
        talk.note(&format!("doubtful: {doubt}"));
    }
    output::write(None, format!("{}\n", directory.join("README.md").display()).as_bytes())?;
    Ok(Status::Fine)
}
