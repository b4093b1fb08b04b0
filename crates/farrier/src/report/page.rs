//! The page: a whole hunt in one HTML file that needs nothing else.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use farrier_harness::triage::{Answer, Class, Tried};
use farrier_harness::{Expected, FindingKind, Outcome};

use super::chart::{self, Costs, HEIGHT, LEFT, Timeline, WIDTH};
use super::code::{CodeLine, lines};
use super::difference::{DifferenceLine, Side, difference};
use super::evidence::{Actual, culprit_in_words, opinions_in_words};
use super::text::{beginning, quote_all, visible, visible_bytes};
use crate::finding::version_numbers;
use crate::finding::{
    Analysis, Basis, Divergence, Example, Finding, Group, HuntSettings, Reduction, Snapshot, Store,
    groups,
};
use crate::terminal::quote;

/// How much of a program is shown.
const MOST_CODE: usize = 12_000;
/// How much of an output is shown.
const MOST_OUTPUT: usize = 6_000;
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
struct Figure {
    name: &'static str,
    value: String,
    note: String,
}

/// A bar of the chart of kinds.
struct Kind {
    name: &'static str,
    count: u64,
    /// Of the longest, in hundredths.
    percent: u64,
    class: &'static str,
}

/// Findings that are one bug, as far as is known.
struct Bug {
    id: String,
    open: bool,
    class: &'static str,
    class_name: &'static str,
    title: String,
    count: usize,
    /// The finding that stands for all.
    name: String,
    compiler: String,
    flags: String,
    target: String,
    first: String,
    triaged: bool,
    reduced: Option<String>,
    culprit: Option<String>,
    area: Option<&'static str>,
    divergence: Vec<String>,
    doubts: Vec<String>,
    opinions: Vec<String>,
    crash: Option<String>,
    frames: Vec<String>,
    code: Vec<CodeLine>,
    code_note: Option<String>,
    wrong_code: bool,
    contrast: Contrast,
    others: Vec<Row>,
    more: usize,
}

/// What should have happened beside what did.
struct Contrast {
    expected_ending: String,
    actual_ending: String,
    endings_differ: bool,
    difference: Vec<DifferenceLine>,
    note: Option<String>,
    /// What happened, in words.
    text: String,
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
struct Matrix {
    columns: Vec<String>,
    rows: Vec<(String, Option<String>, Vec<Cell>)>,
}

/// A cell: what it looks like, what it shows, and what it means.
#[derive(Clone)]
struct Cell {
    class: &'static str,
    sign: String,
    words: String,
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
        bugs.iter().map(|(_, bug)| (bug.first.as_str(), bug.title.clone())).collect();
    let mut troubles = group_troubles(store.troubles()?);
    let more_troubles = troubles.len().saturating_sub(MOST_TROUBLES);
    troubles.truncate(MOST_TROUBLES);
    for (what, _) in &mut troubles {
        *what = visible(what);
    }
    let doubtful = bugs.iter().filter(|(_, bug)| !bug.doubts.is_empty()).count();
    Ok(Page {
        version: env!("CARGO_PKG_VERSION"),
        directory: visible(&quote(&store.directory().display().to_string())),
        began_with: visible(&began_with),
        settings: shown_settings(&settings),
        figures: figures(&snapshot, bugs.len(), doubtful),
        timeline: chart::timeline(&seen, &firsts),
        costs: chart::costs(&store.work(MOST_BARS)?),
        kinds: kinds(&snapshot),
        matrix: versions(&bugs),
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
fn shown_settings(settings: &HuntSettings) -> Vec<(&'static str, String)> {
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

/// A number with spaces between the thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// The class of a kind: for colours, and for people.
fn class_of(kind: FindingKind) -> (&'static str, &'static str) {
    match Class::of(kind) {
        Class::WrongCode => ("wrong", "wrong code"),
        Class::Crash => ("crash", "crash"),
        Class::Hang => ("hang", "hang"),
        Class::OutOfMemory => ("hang", "out of memory"),
        Class::Rejects => ("rejects", "rejects valid"),
    }
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
    let rank = |bug: &Bug| match bug.class {
        "wrong" => 0,
        "crash" => 1,
        "rejects" => 2,
        _ => 3,
    };
    bugs.sort_by_key(|(_, bug)| {
        let unclear = (!bug.doubts.is_empty(), bug.reduced.is_none());
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
    let case = reduction.as_ref().map_or(&finding.case, |reduction| &reduction.case);
    // One of another program names other lines.
    let divergence = analysis
        .filter(|analysis| analysis.case == *case)
        .and_then(|analysis| analysis.divergence.as_ref());
    let wrong_line = match divergence {
        Some(Divergence::At { line, .. }) => Some(*line),
        _ => None,
    };
    let (code, code_note) = code(store, case, wrong_line);
    let (class, class_name) = class_of(finding.kind());
    let (expected, outcome) = match &reduction {
        Some(reduction) => (&reduction.expected, reduction.outcome.as_ref()),
        None => (&finding.expected, None),
    };
    let contrast = contrast(expected.as_ref(), outcome.unwrap_or(&finding.outcome));
    let members = &group.members;
    let words = |texts: &[String]| texts.iter().map(|text| visible(text)).collect();
    let crash = analysis.and_then(|analysis| analysis.crash.as_ref());
    Ok(Bug {
        id: String::new(),
        open: false,
        class,
        class_name,
        title: title(store, group)?,
        count: members.len(),
        name: visible(&finding.name),
        compiler: compiler(finding),
        flags: visible(&quote_all(match analysis {
            Some(analysis) => &analysis.flags,
            None => &finding.flags,
        })),
        target: visible(finding.subject.machine()),
        first: visible(group.seen().0),
        triaged: group.triaged,
        reduced: reduction.as_ref().map(reduced_in_words),
        culprit: analysis
            .filter(|analysis| analysis.culprit.name().is_some())
            .map(|analysis| visible(&culprit_in_words(&analysis.culprit))),
        area: analysis.map(|analysis| analysis.area.name()),
        divergence: divergence.map_or_else(Vec::new, |it| words(&it.sentences())),
        doubts: doubts(finding, analysis),
        opinions: analysis.map_or_else(Vec::new, |analysis| opinions_in_words(&analysis.opinions)),
        crash: match crash {
            Some(crash) => Some(beginning(&visible(&crash.text), MOST_OUTPUT).0.to_owned()),
            None if class != "wrong" => Some(beginning(&contrast.text, MOST_OUTPUT).0.to_owned()),
            None => None,
        },
        frames: crash.map_or_else(Vec::new, |crash| words(&crash.frames)),
        code,
        code_note,
        wrong_code: class == "wrong",
        contrast,
        others: members.iter().take(MOST_LISTED).map(|(finding, _)| row(finding)).collect(),
        more: members.len().saturating_sub(MOST_LISTED),
    })
}

fn reduced_in_words(reduction: &Reduction) -> String {
    format!(
        "from {} to {} bytes{}",
        grouped(reduction.bytes_before),
        grouped(reduction.bytes_after),
        if reduction.complete { "" } else { " so far" }
    )
}

/// Why a finding may be none.
fn doubts(finding: &Finding, analysis: Option<&Analysis>) -> Vec<String> {
    let doubt = analysis.and_then(|analysis| analysis.doubt.as_ref());
    let vote = "compilers were judged by a vote among them, not by the machine";
    let by_vote = (finding.basis == Basis::Vote).then(|| vote.to_owned());
    doubt.map(|doubt| visible(doubt)).into_iter().chain(by_vote).collect()
}

/// What should have happened beside what did.
fn contrast(expected: Option<&Expected>, outcome: &Outcome) -> Contrast {
    let actual = Actual::of(outcome);
    let expected_ending = expected.map_or_else(String::new, Expected::ending);
    let expected_output =
        expected.map_or_else(String::new, |expected| visible_bytes(&expected.output));
    let actual_output = visible_bytes(&actual.output);
    let (expected_shown, all_expected) = beginning(&expected_output, MOST_OUTPUT);
    let (actual_shown, all_actual) = beginning(&actual_output, MOST_OUTPUT);
    Contrast {
        endings_differ: expected_ending != actual.ending,
        expected_ending,
        difference: difference(expected_shown, actual_shown),
        note: (!all_expected || !all_actual)
            .then(|| "The outputs are longer than what is shown.".to_owned()),
        actual_ending: actual.ending,
        text: actual.text,
    }
}

fn compiler(finding: &Finding) -> String {
    let (name, version) = (&finding.subject.name, &finding.subject.version);
    match name.contains(version.as_str()) {
        true => visible(name),
        false => visible(&format!("{name} {version}")),
    }
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

/// A program, or its beginning. That it cannot be read does not spoil the page.
fn code(store: &Store, case: &str, wrong: Option<u32>) -> (Vec<CodeLine>, Option<String>) {
    let sources = match store.case(case) {
        Ok(sources) => sources,
        Err(error) => return (Vec::new(), Some(visible(&format!("{error:#}")))),
    };
    let text: String = sources.iter().map(|source| visible(&source.text)).collect();
    let (shown, all) = beginning(&text, MOST_CODE);
    // No line is shown in part.
    let shown = if all { shown } else { &shown[..shown.rfind('\n').map_or(0, |at| at + 1)] };
    let note = (!all).then(|| {
        format!(
            "{} of {} lines are shown; all are in {}.",
            shown.lines().count(),
            text.lines().count(),
            visible(&store.case_path(case).display().to_string())
        )
    });
    (lines(shown, wrong), note)
}

fn kinds(snapshot: &Snapshot) -> Vec<Kind> {
    let most = snapshot.kinds.values().copied().max().unwrap_or(1);
    let mut kinds: Vec<Kind> = snapshot
        .kinds
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

/// Which bug is in which version.
fn versions(bugs: &[(&Group<'_>, Bug)]) -> Option<Matrix> {
    let tried = |group: &Group<'_>| -> Vec<Tried> {
        let analyses = group.members.iter().filter_map(|(_, analysis)| *analysis);
        analyses.flat_map(|analysis| analysis.versions.clone()).collect()
    };
    let mut columns: Vec<(String, Vec<u64>, String)> = Vec::new();
    for tried in bugs.iter().flat_map(|(group, _)| tried(group)) {
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
    for (group, bug) in bugs.iter().filter(|(group, _)| group.triaged) {
        let mut cells = vec![cell("none", "", "not tried"); columns.len()];
        for tried in tried(group) {
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
        rows.push((bug.title.clone(), Some(bug.id.clone()), cells));
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

fn cell(class: &'static str, sign: &str, words: &str) -> Cell {
    Cell { class, sign: sign.to_owned(), words: words.to_owned() }
}

/// Which compiler fails at which level, and how often.
fn levels(findings: &[Finding]) -> Matrix {
    let level = |finding: &Finding| {
        let level = finding.flags.iter().rev().find(|flag| flag.starts_with("-O"));
        let others = finding.flags.iter().filter(|flag| !flag.starts_with("-O")).count();
        match (level, others) {
            (Some(level), 0) => visible(level),
            (Some(level), _) => visible(&format!("{level} and more")),
            (None, 0) => "no flags".to_owned(),
            (None, _) => "other flags".to_owned(),
        }
    };
    let columns: BTreeSet<String> = findings.iter().map(level).collect();
    let columns: Vec<String> = columns.into_iter().collect();
    let mut counts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for finding in findings {
        let row = counts.entry(compiler(finding)).or_insert_with(|| vec![0; columns.len()]);
        let at = columns.binary_search(&level(finding)).expect("every level is a column");
        row[at] += 1;
    }
    let most = counts.values().flatten().copied().max().unwrap_or(1).max(1);
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
    Matrix { columns, rows }
}

impl Side {
    /// For colours.
    fn class(self) -> &'static str {
        match self {
            Self::Both => "",
            Self::Expected => "expected",
            Self::Actual => "actual",
        }
    }

    /// For people, and for those who see no colours.
    fn sign(self) -> &'static str {
        match self {
            Self::Both => " ",
            Self::Expected => "−",
            Self::Actual => "+",
        }
    }
}

/// The same trouble at another address or with another name is the same.
fn group_troubles(troubles: Vec<(String, u64)>) -> Vec<(String, u64)> {
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
    fn numbers_are_grouped() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1000, "1\u{202f}000"), (1_234_567, "1\u{202f}234\u{202f}567")]
        {
            assert_eq!(grouped(number), text);
        }
    }

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
