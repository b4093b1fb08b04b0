//! `farrier report`: what a hunt has found, for others to read.

use std::path::{Path, PathBuf};

use anyhow::bail;
use askama::Template;
use farrier_harness::Scratch;
use serde_json::{Value, json};

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
    if arguments.json && arguments.output.as_deref() == Some(Path::new("-")) {
        bail!("the page and --json cannot both go to standard output: name a file with -o");
    }
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
    let is_stdout = path == Path::new("-");
    let page = page::page(store)?;
    output::write(Some(&path), page.render()?.as_bytes())?;
    if !is_stdout {
        let (bugs, findings) = page.counts();
        say(arguments, &path, json!({ "path": path, "bugs": bugs, "findings": findings }))?;
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
    let files = bundle::write(&evidence, &directory, arguments.force)?;
    for doubt in &evidence.doubts {
        talk.note(&format!("doubtful: {doubt}"));
    }
    let document = json!({
        "finding": evidence.finding.name,
        "directory": directory,
        "files": files,
        "doubts": evidence.doubts,
    });
    say(arguments, &directory.join("README.md"), document)?;
    Ok(Status::Fine)
}

/// Says what was written: where to look first, or the document.
fn say(arguments: &ReportArguments, path: &Path, document: Value) -> anyhow::Result<()> {
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&document)?,
        false => path.display().to_string(),
    };
    output::write(None, (text + "\n").as_bytes())
}
