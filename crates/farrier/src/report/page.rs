//! The page: a whole hunt in one HTML file that needs nothing else.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use farrier_harness::FindingKind;
use farrier_harness::triage::{Answer, Tried};

use super::account::{Account, account, class_of, compiler, grouped};
use super::chart::{self, Costs, HEIGHT, LEFT, Timeline, WIDTH};
use super::text::{quote_all, visible};
use crate::finding::{
    Example, Finding, Group, HuntSettings, Snapshot, Store, groups, level, version_numbers,
};
use crate::terminal::quote;

/// How many findings of a group are listed.
const MOST_LISTED: usize = 200;
/// How many groups are open from the start.
const MOST_OPEN: usize = 3;
/// How many bars the chart of costs has.
const MOST_BARS: u64 = 90;
/// How many kinds of trouble are listed.
const MOST_TROUBLES: usize = 20;

/// A page about a hunt.
#[derive(Template)]
#[template(path = "page/page.html")]
pub(crate) struct Page {
    version: &'static str,
    /// The directory of the hunt, as a shell takes it.
    directory: String,
    began_with: String,
    settings: Vec<(&'static str, String)>,
    figures: Vec<Figure>,
    groups: Vec<Bug>,
    findings: usize,
    timeline: Option<Timeline>,
    costs: Option<Costs>,
    kinds: Vec<Kind>,
    matrix: Option<Matrix>,
    levels: Matrix,
    troubles: Vec<(String, u64)>,
    more_troubles: usize,
    /// The size of charts.
    chart_width: f64,
    chart_height: f64,
    chart_left: f64,
}

/// A number with its name.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) note: String,
}

/// A bar of the chart of kinds.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) count: u64,
    /// Of the longest, in hundredths.
    pub(crate) percent: u64,
    pub(crate) class: &'static str,
}

/// Findings that are one bug, as far as is known.
struct Bug {
    id: String,
    open: bool,
    title: String,
    count: usize,
    /// The finding that stands for all.
    account: Account,
    others: Vec<Row>,
    more: usize,
}

/// A finding in a list.
struct Row {
    name: String,
    kind: String,
    compiler: String,
    flags: String,
    program: u64,
    seen: String,
}

/// A table of cells.
pub(crate) struct Matrix {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<(String, Option<String>, Vec<Cell>)>,
}

/// A cell: what it looks like, what it shows, and what it means.
#[derive(Clone)]
pub(crate) struct Cell {
    pub(crate) class: &'static str,
    pub(crate) sign: String,
    pub(crate) words: String,
}

impl Page {
    /// How many bugs and findings it shows.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.groups.len(), self.findings)
    }
}

/// Makes the page of a hunt.
pub(crate) fn page(store: &Store) -> anyhow::Result<Page> {
    let (began_with, settings) = store.hunt()?;
    let (findings, analyses) = (store.findings()?, store.analyses()?);
    let snapshot = Snapshot::of(store)?;
    let groups = groups(&findings, &analyses);
    let bugs = bugs(store, &groups)?;
    let seen: Vec<&str> = findings.iter().map(|finding| finding.seen.as_str()).collect();
    let firsts: Vec<(&str, String)> =
        bugs.iter().map(|(_, bug)| (bug.account.first.as_str(), bug.title.clone())).collect();
    let mut troubles = group_troubles(store.troubles()?);
    let more_troubles = troubles.len().saturating_sub(MOST_TROUBLES);
    troubles.truncate(MOST_TROUBLES);
    for (what, _) in &mut troubles {
        *what = visible(what);
    }
    let triaged: Vec<_> = bugs.iter().filter(|(group, _)| group.triaged).map(tried).collect();
    let doubtful = bugs.iter().filter(|(_, bug)| !bug.account.doubts.is_empty()).count();
    Ok(Page {
        version: env!("CARGO_PKG_VERSION"),
        directory: visible(&quote(&store.directory().display().to_string())),
        began_with: visible(&began_with),
        settings: shown_settings(&settings),
        figures: figures(&snapshot, bugs.len(), doubtful),
        timeline: chart::timeline(&seen, &firsts),
        costs: chart::costs(&store.work(MOST_BARS)?),
        kinds: kinds(&snapshot.kinds),
        matrix: versions(&triaged),
        levels: levels(&findings),
        findings: findings.len(),
        groups: bugs.into_iter().map(|(_, bug)| bug).collect(),
        troubles,
        more_troubles,
        chart_width: WIDTH,
        chart_height: HEIGHT,
        chart_left: LEFT,
    })
}

/// The numbers at the head of the page.
fn figures(snapshot: &Snapshot, bugs: usize, doubtful: usize) -> Vec<Figure> {
    let tally = &snapshot.tally;
    let figure = |name, value, note| Figure { name, value, note };
    let bugs_note = match doubtful {
        0 => "by signature".to_owned(),
        number => format!("by signature, {number} doubtful"),
    };
    let findings_note = match snapshot.subjects.len() {
        1 => "in one compiler".to_owned(),
        number => format!("in {number} compilers"),
    };
    let trials_note = format!(
        "{} inconclusive, {} not tried",
        grouped(tally.inconclusive),
        grouped(tally.infrastructure)
    );
    let time_note = format!(
        "compilers {}, programs {}",
        chart::duration(tally.compiler_time),
        chart::duration(tally.program_time)
    );
    let refused = format!("{} refused by the generator", grouped(tally.refused));
    let time = chart::duration(tally.compiler_time + tally.program_time);
    vec![
        figure("bugs", bugs.to_string(), bugs_note),
        figure("findings", snapshot.findings().to_string(), findings_note),
        figure("programs", grouped(tally.programs), refused),
        figure("trials", grouped(tally.trials), trials_note),
        figure("processor time", time, time_note),
    ]
}

/// What the hunt began with.
pub(crate) fn shown_settings(settings: &HuntSettings) -> Vec<(&'static str, String)> {
    let subjects = match settings.subject.is_empty() {
        true if settings.all_versions => "all of the machine".to_owned(),
        true => "the newest of the machine".to_owned(),
        false => settings.subject.join(", "),
    };
    let by_lot = || "by lot".to_owned();
    let size = |size: usize| format!("{} bytes", grouped(size as u64));
    let rows = [
        ("seed", settings.seed.to_string()),
        ("preset", settings.preset.clone().unwrap_or_else(by_lot)),
        ("size", settings.size.map_or_else(by_lot, size)),
        ("mode", settings.mode.name().to_owned()),
        ("subjects", subjects),
    ];
    rows.into_iter().map(|(name, value)| (name, visible(&value))).collect()
}

/// The bugs of a hunt, what matters most first; what is doubtful, last.
fn bugs<'a, 'b>(
    store: &Store,
    groups: &'b [Group<'a>],
) -> anyhow::Result<Vec<(&'b Group<'a>, Bug)>> {
    let mut bugs = Vec::new();
    for group in groups {
        bugs.push((group, bug(store, group)?));
    }
    let rank = |bug: &Bug| match bug.account.class {
        "wrong" => 0,
        "crash" => 1,
        "rejects" => 2,
        _ => 3,
    };
    bugs.sort_by_key(|(_, bug)| {
        let unclear = (!bug.account.doubts.is_empty(), bug.account.reduced.is_none());
        (unclear, rank(bug), Reverse(bug.count), bug.title.clone())
    });
    for (index, (_, bug)) in bugs.iter_mut().enumerate() {
        bug.id = format!("bug-{}", index + 1);
        bug.open = index < MOST_OPEN;
    }
    Ok(bugs)
}

/// The cause without its class, which is shown beside it, and what it is called in a tracker.
fn title(store: &Store, group: &Group<'_>) -> anyhow::Result<String> {
    let cause = group.title.split_once(": ").filter(|_| group.triaged);
    let title = cause.map_or(group.title.as_str(), |(_, cause)| cause);
    Ok(visible(&match store.known()?.get(&group.title) {
        Some(known) => format!("{title} (known: {known})"),
        None => title.to_owned(),
    }))
}

fn bug(store: &Store, group: &Group<'_>) -> anyhow::Result<Bug> {
    let Example { finding, analysis, reduction, .. } = group.example(store)?;
    let members = &group.members;
    Ok(Bug {
        id: String::new(),
        open: false,
        title: title(store, group)?,
        count: members.len(),
        account: account(store, finding, analysis, reduction.as_ref(), group.seen().0),
        others: members.iter().take(MOST_LISTED).map(|(finding, _)| row(finding)).collect(),
        more: members.len().saturating_sub(MOST_LISTED),
    })
}

fn row(finding: &Finding) -> Row {
    Row {
        name: visible(&finding.name),
        kind: finding.kind().to_string(),
        compiler: compiler(finding),
        flags: visible(&quote_all(&finding.flags)),
        program: finding.program,
        seen: chart::words(&visible(&finding.seen)),
    }
}

/// A bar for each kind, the longest first.
pub(crate) fn kinds(counts: &BTreeMap<FindingKind, u64>) -> Vec<Kind> {
    let most = counts.values().copied().max().unwrap_or(1);
    let mut kinds: Vec<Kind> = counts
        .iter()
        .map(|(kind, count)| Kind {
            name: kind.name(),
            count: *count,
            percent: (count * 100).div_ceil(most),
            class: class_of(*kind).0,
        })
        .collect();
    kinds.sort_by_key(|kind| (Reverse(kind.count), kind.name));
    kinds
}

/// Which bug is in which version: of each bug its title, what a link to it has, and what was tried.
pub(crate) fn versions(bugs: &[(String, String, Vec<Tried>)]) -> Option<Matrix> {
    let mut columns: Vec<(String, Vec<u64>, String)> = Vec::new();
    for tried in bugs.iter().flat_map(|(_, _, tried)| tried) {
        let column =
            (tried.subject.clone(), version_numbers(&tried.version), tried.version.clone());
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns.sort();
    if columns.is_empty() {
        return None;
    }
    let mut rows = Vec::new();
    for (title, id, list) in bugs {
        let mut cells = vec![cell("none", "", "not tried"); columns.len()];
        for tried in list {
            let at = columns.iter().position(|(subject, _, version)| {
                *subject == tried.subject && *version == tried.version
            });
            let found = match &tried.answer {
                Answer::Fails { kind } => cell("fails", "✗", &format!("fails: {kind}")),
                Answer::Works => cell("works", "✓", "works"),
                Answer::CannotTell { why } => {
                    cell("unknown", "?", &format!("cannot tell: {}", visible(why)))
                }
            };
            // One that fails with one program has the bug.
            if let Some(at) = at
                && cells[at].class != "fails"
            {
                cells[at] = found;
            }
        }
        rows.push((title.clone(), Some(id.clone()), cells));
    }
    let columns = columns
        .into_iter()
        .map(|(subject, _, version)| match subject.contains(&version) {
            true => visible(&subject),
            false => visible(&format!("{subject} {version}")),
        })
        .collect();
    Some(Matrix { columns, rows })
}

/// What was tried of a bug, in all of its findings.
fn tried((group, bug): &(&Group<'_>, Bug)) -> (String, String, Vec<Tried>) {
    let analyses = group.members.iter().filter_map(|(_, analysis)| *analysis);
    let list = analyses.flat_map(|analysis| analysis.versions.clone()).collect();
    (bug.title.clone(), format!("#{}", bug.id), list)
}

fn cell(class: &'static str, sign: &str, words: &str) -> Cell {
    Cell { class, sign: sign.to_owned(), words: words.to_owned() }
}

/// Which compiler fails at which level, and how often.
fn levels(findings: &[Finding]) -> Matrix {
    let level = |finding: &Finding| visible(&level(&finding.flags));
    let columns: BTreeSet<String> = findings.iter().map(level).collect();
    let columns: Vec<String> = columns.into_iter().collect();
    let mut counts: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for finding in findings {
        let row = counts.entry(compiler(finding)).or_insert_with(|| vec![0; columns.len()]);
        let at = columns.binary_search(&level(finding)).expect("every level is a column");
        row[at] += 1;
    }
    Matrix::of_counts(columns, counts.into_iter().collect())
}

impl Matrix {
    /// A table of numbers, in which large ones stand out.
    pub(crate) fn of_counts(columns: Vec<String>, counts: Vec<(String, Vec<u64>)>) -> Self {
        let most = counts.iter().flat_map(|(_, row)| row).copied().max().unwrap_or(1).max(1);
        let rows = counts
            .into_iter()
            .map(|(name, row)| {
                let cells = row.into_iter().map(|count| match count {
                    0 => cell("none", "", "none"),
                    count if count * 3 <= most => cell("few", &count.to_string(), ""),
                    count => cell("many", &count.to_string(), ""),
                });
                (name, None, cells.collect())
            })
            .collect();
        Self { columns, rows }
    }
}

/// The same trouble at another address or with another name is the same.
pub(crate) fn group_troubles(troubles: Vec<(String, u64)>) -> Vec<(String, u64)> {
    let mut groups = BTreeMap::new();
    for (what, count) in troubles {
        *groups.entry(without_names(&what)).or_insert(0) += count;
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, count)| Reverse(*count));
    groups
}

/// A message with `...` in the place of hexadecimal numbers and of what is quoted.
fn without_names(what: &str) -> String {
    let mut text = String::new();
    let mut rest = what;
    while let Some(at) = rest.find("0x").into_iter().chain(rest.find('`')).min() {
        let (before, found) = rest.split_at(at);
        text += before;
        let (opening, end) = match found.strip_prefix("0x") {
            Some(digits) => ("0x", digits.find(|c: char| !c.is_ascii_hexdigit())),
            None => ("`", found[1..].find(['\'', '`'])),
        };
        text += opening;
        rest = &found[opening.len()..];
        let length = end.unwrap_or(rest.len());
        if length > 0 {
            text += "...";
        }
        rest = &rest[length..];
        if opening == "`" {
            // The closing quote, which may look like an opening one.
            let closing = rest.chars().next().map_or(0, char::len_utf8);
            text += &rest[..closing];
            rest = &rest[closing..];
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn troubles_that_differ_in_names_are_one() {
        let troubles = [
            ("a.c:(.text+0x10dc): truncated against `.data'", 2),
            ("no space", 2),
            ("a.c:(.text+0x237): truncated against `.bss'", 1),
            ("a.c:(.text+0x", 1),
            ("an open `quote", 1),
        ];
        let groups = group_troubles(troubles.map(|(what, count)| (what.to_owned(), count)).into());
        let wanted = [
            ("a.c:(.text+0x...): truncated against `...'", 3),
            ("no space", 2),
            ("a.c:(.text+0x", 1),
            ("an open `...", 1),
        ];
        assert_eq!(groups, wanted.map(|(what, count)| (what.to_owned(), count)));
    }
}
