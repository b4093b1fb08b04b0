//! `farrier triage`: groups findings by their causes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use farrier_harness::{FindingKind, Scratch};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::cli::TriageArguments;
use crate::finding::{Analysis, Example, Finding, Group, Store, groups};
use crate::host::sandbox;
use crate::terminal::{Line, Talk};
use crate::triage::{Allowance, Done, Effort, Triage, open_findings};
use crate::{Status, output, reduce};

/// Runs the command.
pub(crate) fn run(arguments: &TriageArguments, talk: Talk) -> anyhow::Result<Status> {
    let store = Store::open_to_add(&arguments.hunt.dir)?;
    let mut named = Vec::new();
    for name in &arguments.findings {
        let finding = store.finding(name)?;
        if arguments.again || store.analysis(&finding.name)?.is_none() {
            named.push(finding);
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .context("cannot watch for Ctrl-C")?;
    }
    let base = std::env::temp_dir();
    // What a triage that was killed has left.
    let _ = Scratch::sweep(&base);
    let effort = Effort {
        reduce: !arguments.no_reduce,
        each: usize::from(arguments.each),
        time: arguments.time,
        jobs: arguments.jobs.map_or_else(reduce::jobs, usize::from),
    };
    let allowance = Arc::new(Allowance::unlimited());
    let mut triage = Triage::new(store, sandbox()?, &base, effort, allowance, Arc::clone(&stop));
    let mut tried = BTreeSet::new();
    loop {
        // Reducing may find more bugs.
        let next = if !arguments.findings.is_empty() {
            std::mem::take(&mut named)
        } else if arguments.again && tried.is_empty() {
            triage.store().findings()?
        } else {
            open_findings(triage.store())?
        };
        let next: Vec<Finding> =
            next.into_iter().filter(|finding| tried.insert(finding.name.clone())).collect();
        if next.is_empty() || stop.load(Ordering::Relaxed) {
            break;
        }
        for (index, finding) in next.iter().enumerate() {
            let mut line = Line::new(Duration::ZERO, None);
            let place = format!("{}/{} {}", index + 1, next.len(), finding.name);
            let done = triage
                .look_into(finding, &mut |doing| line.show(|| format!("{place}: {doing}")))?;
            line.clear();
            match done {
                Done::Analysed(analysis) => talk.note(&summary(&analysis)),
                Done::OneMore(analysis) => talk.note(&format!(
                    "{}: one more of {}",
                    analysis.finding,
                    analysis.signature.line()
                )),
                Done::Impossible(why) => {
                    talk.note(&format!("{} cannot be analysed: {why}", finding.name));
                }
                Done::Stopped => break,
            }
        }
    }
    let (findings, analyses) = (triage.store().findings()?, triage.store().analyses()?);
    let groups = groups(&findings, &analyses);
    let causes = groups.iter().filter(|group| group.triaged);
    let causes: Vec<Cause<'_>> =
        causes.map(|group| Cause::of(group, triage.store())).collect::<Result<_, _>>()?;
    if arguments.hunt.json {
        let mut text = serde_json::to_string_pretty(&causes)?;
        text.push('\n');
        output::write(None, text.as_bytes())?;
    } else {
        let open = open_findings(triage.store())?.len();
        output::write(None, table(&causes, open).as_bytes())?;
    }
    let found = !findings.is_empty();
    Ok(match (stop.load(Ordering::Relaxed), found) {
        (true, _) => Status::GaveUp,
        (false, true) => Status::Found,
        (false, false) => Status::Fine,
    })
}

/// What became of one finding, in a line.
fn summary(analysis: &Analysis) -> String {
    let mut text = format!(
        "{}: {} with {} ({:.0} s)",
        analysis.finding,
        analysis.signature.line(),
        analysis.flags.join(" "),
        analysis.seconds
    );
    if let Some(doubt) = &analysis.doubt {
        let _ = write!(text, "; doubtful: {doubt}");
    }
    text
}

/// A cause of findings.
#[derive(Serialize)]
struct Cause<'a> {
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
        let mark = if cause.doubt.is_some() { " (doubtful)" } else { "" };
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
