//! `farrier bugs`: the causes of findings, as far as triage knows them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use farrier_harness::FindingKind;
use serde::Serialize;

use super::join::HuntPlace;
use crate::cli::BugsArguments;
use crate::finding::{Example, Finding, Group, Store, groups};
use crate::triage::open_findings;
use crate::{Status, output};

/// Runs the command. Nothing is analysed and nothing is stored.
pub(crate) fn run(arguments: &BugsArguments) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.hunt.place)?;
    let store = Store::open_to_read(&place.directory)?;
    let (findings, analyses) = (store.findings()?, store.analyses()?);
    let groups = groups(&findings, &analyses);
    let mut causes = causes(&groups, &store)?;
    causes.retain(|cause| !arguments.new || cause.known.is_none());
    print(&causes, open_findings(&store)?.len(), arguments.hunt.json)?;
    Ok(if findings.is_empty() { Status::Fine } else { Status::Found })
}

/// The causes that triage has found.
pub(super) fn causes<'a>(groups: &'a [Group<'_>], store: &Store) -> anyhow::Result<Vec<Cause<'a>>> {
    let triaged = groups.iter().filter(|group| group.triaged);
    triaged.map(|group| Cause::of(group, store)).collect()
}

/// Prints them, and how many findings are not analysed.
pub(super) fn print(causes: &[Cause<'_>], open: usize, json: bool) -> anyhow::Result<()> {
    let text = match json {
        true => serde_json::to_string_pretty(causes)? + "\n",
        false => table(causes, open),
    };
    output::write(None, text.as_bytes())
}

/// A cause of findings.
#[derive(Serialize)]
pub(super) struct Cause<'a> {
    signature: &'a str,
    kinds: BTreeSet<FindingKind>,
    subjects: BTreeSet<String>,
    /// The names of all of them.
    findings: Vec<&'a str>,
    /// The one with the smallest program.
    example: &'a str,
    /// The size of that program.
    bytes: u64,
    /// Whether it is reduced.
    reduced: bool,
    /// How many different shapes the reduced programs have.
    shapes: usize,
    first_seen: &'a str,
    last_seen: &'a str,
    /// Why the example may not be a bug.
    doubt: Option<&'a str>,
    /// What it is called in a tracker, by `known.toml`.
    known: Option<String>,
}

impl<'a> Cause<'a> {
    fn of(group: &'a Group<'_>, store: &Store) -> anyhow::Result<Self> {
        let Example { finding, analysis, bytes, .. } = group.example(store)?;
        let shapes =
            group.members.iter().filter_map(|(_, analysis)| analysis.as_ref()?.shape.as_ref());
        let (first_seen, last_seen) = group.seen();
        Ok(Self {
            signature: &group.title,
            kinds: group.all(Finding::kind),
            subjects: group.all(|finding| finding.subject.name.clone()),
            findings: group.members.iter().map(|(finding, _)| &*finding.name).collect(),
            example: &finding.name,
            bytes,
            reduced: analysis.is_some_and(|analysis| analysis.reduced),
            shapes: shapes.collect::<BTreeSet<_>>().len(),
            first_seen,
            last_seen,
            doubt: analysis.and_then(|analysis| analysis.doubt.as_deref()),
            known: store.known()?.get(&group.title).cloned(),
        })
    }
}

fn table(causes: &[Cause<'_>], open: usize) -> String {
    if causes.is_empty() && open == 0 {
        return "no findings yet\n".to_owned();
    }
    let join = |words: &mut dyn Iterator<Item = &str>| words.collect::<Vec<_>>().join(",");
    let mut rows: Vec<[String; 7]> = vec![
        ["count", "example", "bytes", "kinds", "compilers", "seen", "cause"].map(str::to_owned),
    ];
    for cause in causes {
        let seen = if cause.first_seen == cause.last_seen {
            cause.first_seen.to_owned()
        } else {
            format!("{} to {}", cause.first_seen, cause.last_seen)
        };
        let mark = match (&cause.known, cause.doubt) {
            (Some(known), _) => format!(" (known: {known})"),
            (None, Some(_)) => " (doubtful)".to_owned(),
            (None, None) => String::new(),
        };
        rows.push([
            cause.findings.len().to_string(),
            cause.example.to_owned(),
            cause.bytes.to_string(),
            join(&mut cause.kinds.iter().map(|kind| kind.name())),
            join(&mut cause.subjects.iter().map(String::as_str)),
            seen,
            format!("{}{mark}", cause.signature),
        ]);
    }
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "{cell:width$}  ");
        }
        let _ = writeln!(text, "{}", row[6]);
    }
    if open > 0 {
        let _ = writeln!(text, "{open} not analysed");
    }
    text
}
