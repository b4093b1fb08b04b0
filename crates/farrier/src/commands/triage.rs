//! `farrier triage`: groups findings by their causes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use farrier_harness::Scratch;
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::cli::TriageArguments;
use crate::finding::{Analysis, Finding, Store};
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
    let groups = groups(triage.store())?;
    if arguments.hunt.json {
        let mut text = serde_json::to_string_pretty(&groups)?;
        text.push('\n');
        output::write(None, text.as_bytes())?;
    } else {
        let open = open_findings(triage.store())?.len();
        output::write(None, table(&groups, open).as_bytes())?;
    }
    let found = !triage.store().kinds()?.is_empty();
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

/// Findings of one cause.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Group {
    /// The cause.
    pub(crate) signature: String,
    pub(crate) kinds: BTreeSet<String>,
    pub(crate) subjects: BTreeSet<String>,
    /// The names of all of them.
    pub(crate) findings: Vec<String>,
    /// The one with the smallest program.
    pub(crate) example: String,
    /// The size of that program.
    pub(crate) bytes: usize,
    /// Whether it is reduced.
    pub(crate) reduced: bool,
    /// How many different shapes the reduced programs have.
    pub(crate) shapes: usize,
    pub(crate) first_seen: String,
    pub(crate) last_seen: String,
    /// Why the example may not be a bug.
    pub(crate) doubt: Option<String>,
}

/// The findings that were looked into, by cause; the most frequent cause first.
pub(crate) fn groups(store: &Store) -> anyhow::Result<Vec<Group>> {
    let findings: BTreeMap<String, Finding> =
        store.findings()?.into_iter().map(|finding| (finding.name.clone(), finding)).collect();
    let mut groups: BTreeMap<String, Vec<(Analysis, &Finding)>> = BTreeMap::new();
    for analysis in store.analyses()? {
        if let Some(finding) = findings.get(&analysis.finding) {
            groups.entry(analysis.signature.line()).or_default().push((analysis, finding));
        }
    }
    let mut list = Vec::new();
    for (signature, mut members) in groups {
        members.sort_by_key(|(_, finding)| (finding.seen.clone(), finding.name.clone()));
        let bytes = |analysis: &Analysis| {
            let sources = store.case(&analysis.case).unwrap_or_default();
            sources.iter().map(|source| source.text.len()).sum::<usize>()
        };
        // Certain before doubtful, then small before big.
        let sizes: Vec<usize> = members.iter().map(|(analysis, _)| bytes(analysis)).collect();
        let best = (0..members.len())
            .min_by_key(|index| {
                let analysis = &members[*index].0;
                (analysis.versions.is_empty(), analysis.doubt.is_some(), sizes[*index])
            })
            .expect("a group has members");
        let example = &members[best].0;
        let seen = || members.iter().map(|(_, finding)| finding.seen.clone());
        list.push(Group {
            signature,
            kinds: members.iter().map(|(_, finding)| finding.kind().to_string()).collect(),
            subjects: members.iter().map(|(_, finding)| finding.subject.name.clone()).collect(),
            findings: members.iter().map(|(_, finding)| finding.name.clone()).collect(),
            example: example.finding.clone(),
            bytes: sizes[best],
            reduced: example.reduced,
            shapes: members
                .iter()
                .filter_map(|(analysis, _)| analysis.shape.as_ref())
                .collect::<BTreeSet<_>>()
                .len(),
            first_seen: seen().min().unwrap_or_default(),
            last_seen: seen().max().unwrap_or_default(),
            doubt: example.doubt.clone(),
        });
    }
    list.sort_by(|a, b| {
        b.findings.len().cmp(&a.findings.len()).then_with(|| a.signature.cmp(&b.signature))
    });
    Ok(list)
}

fn table(groups: &[Group], open: usize) -> String {
    if groups.is_empty() && open == 0 {
        return "no findings yet\n".to_owned();
    }
    let join = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(",");
    let mut rows: Vec<[String; 7]> = vec![
        ["count", "example", "bytes", "kinds", "compilers", "seen", "cause"].map(str::to_owned),
    ];
    for group in groups {
        let seen = if group.first_seen == group.last_seen {
            group.first_seen.clone()
        } else {
            format!("{} to {}", group.first_seen, group.last_seen)
        };
        let mark = if group.doubt.is_some() { " (doubtful)" } else { "" };
        rows.push([
            group.findings.len().to_string(),
            group.example.clone(),
            group.bytes.to_string(),
            join(&group.kinds),
            join(&group.subjects),
            seen,
            format!("{}{mark}", group.signature),
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
