//! The same as on the pages, for programs. docs/json.md lists the fields.

use std::collections::BTreeMap;
use std::ops::Range;

use farrier_harness::{commands, compiled};
use serde::Serialize;
use serde_json::json;

use super::listing::ListPage;
use super::overview::{Bug, Overview, Slot};
use super::pages::Machine;
use super::reply::{JSON, Reply};
use crate::finding::{Analysis, Finding, Reduction};
use crate::report::account::class_of;
use crate::report::chart;
use crate::report::text::command_lines;

/// How many rows a document has.
const MOST_ROWS: usize = 200;
/// How many points a timeline has.
const MOST_POINTS: usize = 240;

/// A cause of findings.
#[derive(Serialize)]
struct BugRow<'a> {
    id: &'a str,
    signature: &'a str,
    class: &'static str,
    triaged: bool,
    doubtful: bool,
    findings: usize,
    first_seen: &'a str,
    last_seen: &'a str,
    example: &'a str,
    known: Option<&'a str>,
}

/// A finding in a list.
#[derive(Serialize)]
struct FindingRow<'a> {
    name: &'a str,
    kind: &'static str,
    compiler: &'a str,
    seen: &'a str,
    bug: &'a str,
}

fn document(value: &impl Serialize) -> anyhow::Result<Reply> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(Reply::found(JSON, text))
}

/// The hunt as a whole.
pub(crate) fn hunt(overview: &Overview, machines: &[Machine]) -> anyhow::Result<Reply> {
    let (version, settings) = overview.store.hunt()?;
    let (_, compilers) = overview.levels();
    let kinds: BTreeMap<&str, u64> =
        overview.kinds().iter().map(|(kind, count)| (kind.name(), *count)).collect();
    let asked: Vec<String> =
        overview.asked.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let point = |(time, slot): &(i64, Slot)| {
        json!({
            "time": chart::time(*time),
            "programs": slot.programs,
            "trials": slot.trials,
            "compiler_seconds": slot.compiler_seconds,
            "program_seconds": slot.program_seconds,
        })
    };
    let troubles: Vec<_> = overview
        .troubles
        .iter()
        .map(|(what, count)| json!({"what": what, "count": count}))
        .collect();
    let (width, slots) = overview.parts(MOST_POINTS);
    document(&json!({
        "farrier": env!("CARGO_PKG_VERSION"),
        "begun_with": version,
        "seed": settings.seed,
        "mode": settings.mode.name(),
        "time": chart::time(overview.now),
        "machines": machines,
        "whole": overview.tally,
        "bugs": overview.ledger.bugs.len(),
        "findings": overview.ledger.entries.len(),
        "not_triaged": overview.not_triaged(),
        "kinds": kinds,
        "compilers": compilers,
        "asked": asked,
        "troubles": troubles,
        "timeline": { "seconds": width, "points": slots.iter().map(point).collect::<Vec<_>>() },
    }))
}

/// The bugs, what matters most first.
pub(crate) fn bugs(overview: &Overview, page: usize) -> anyhow::Result<Reply> {
    let row = |bug: &'_ Bug| {
        let entry = |index: u32| overview.entry(index);
        let (first, last) = (bug.members[0], bug.members[bug.members.len() - 1]);
        json!(BugRow {
            id: &bug.id,
            signature: &bug.cause,
            class: class_of(entry(bug.example).kind).1,
            triaged: bug.triaged,
            doubtful: bug.doubtful,
            findings: bug.members.len(),
            first_seen: &entry(first).seen,
            last_seen: &entry(last).seen,
            example: &entry(bug.example).name,
            known: overview.known.get(&bug.cause).map(String::as_str),
        })
    };
    let rows = |range: Range<usize>| overview.ledger.bugs[range].iter().map(row).collect();
    document(&ListPage::of(overview.ledger.bugs.len(), page, MOST_ROWS, rows))
}

/// The findings, the newest first; of one bug only, if one is named.
pub(crate) fn findings(
    overview: &Overview,
    bug: Option<&Bug>,
    page: usize,
) -> anyhow::Result<Reply> {
    let count = bug.map_or(overview.ledger.entries.len(), |bug| bug.members.len());
    let rows = |range: Range<usize>| {
        range.map(|index| finding_row(overview, bug, count - 1 - index)).collect()
    };
    document(&ListPage::of(count, page, MOST_ROWS, rows))
}

fn finding_row<'a>(overview: &'a Overview, bug: Option<&'a Bug>, index: usize) -> FindingRow<'a> {
    let entry = match bug {
        Some(bug) => overview.entry(bug.members[index]),
        None => &overview.ledger.entries[index],
    };
    FindingRow {
        name: &entry.name,
        kind: entry.kind.name(),
        compiler: overview.compiler(entry),
        seen: &entry.seen,
        bug: &overview.bug_of(entry).id,
    }
}

/// Everything about one finding.
pub(crate) fn finding(
    overview: &Overview,
    finding: &Finding,
    analysis: Option<&Analysis>,
    reduction: Option<&Reduction>,
) -> anyhow::Result<Reply> {
    let case = reduction.map_or(&finding.case, |reduction| &reduction.case);
    let sources = overview.store.case(case).unwrap_or_default();
    let lines = command_lines(&commands(&finding.subject, &finding.flags, &compiled(&sources)));
    let texts: BTreeMap<&str, &str> =
        sources.iter().map(|source| (&*source.name, &*source.text)).collect();
    document(&json!({
        "finding": finding,
        "analysis": analysis,
        "reduction": reduction,
        "commands": lines,
        "sources": texts,
    }))
}
