//! The page: a whole hunt in one HTML file that needs nothing else.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use farrier_harness::Expected;
use farrier_harness::triage::{Answer, Class};

use super::chart::{self, Costs, HEIGHT, LEFT, Timeline, WIDTH};
use super::code::{CodeLine, lines};
use super::difference::{Line, Side, difference};
use super::evidence::{Actual, culprit_in_words, opinions_in_words};
use super::text::{beginning, quote_all, version_numbers, visible, visible_bytes};
use crate::finding::{Analysis, Basis, Divergence, Finding, Store, StoredReduction};

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
    began_with: String,
    settings: Vec<(&'static str, String)>,
    figures: Vec<Figure>,
    groups: Vec<Group>,
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
    name: String,
    count: usize,
    /// Of the longest, in hundredths.
    percent: usize,
    class: &'static str,
}

/// Findings that are one bug, as far as is known.
struct Group {
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
    expected_ending: String,
    actual_ending: String,
    endings_differ: bool,
    difference: Vec<Line>,
    difference_note: Option<String>,
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
    let findings = store.findings()?;
    let analyses = store.analyses()?.into_iter();
    let analyses: BTreeMap<String, Analysis> =
        analyses.map(|analysis| (analysis.finding.clone(), analysis)).collect();
    let tally = store.tally()?;
    let groups = groups(store, &findings, &analyses)?;
    let seen: Vec<&str> = findings.iter().map(|finding| finding.seen.as_str()).collect();
    let firsts: Vec<(&str, String)> =
        groups.iter().map(|group| (group.first.as_str(), group.title.clone())).collect();
    let mut troubles = group_troubles(store.troubles()?);
    let more_troubles = troubles.len().saturating_sub(MOST_TROUBLES);
    troubles.truncate(MOST_TROUBLES);
    for (what, _) in &mut troubles {
        *what = visible(what);
    }
    let subjects: BTreeSet<&str> =
        findings.iter().map(|finding| finding.subject.name.as_str()).collect();
    let doubtful = groups.iter().filter(|group| !group.doubts.is_empty()).count();
    let work = tally.compiler_time + tally.program_time;
    let figures = vec![
        Figure {
            name: "bugs",
            value: groups.len().to_string(),
            note: match doubtful {
                0 => "by signature".to_owned(),
                number => format!("by signature, {number} doubtful"),
            },
        },
        Figure {
            name: "findings",
            value: findings.len().to_string(),
            note: match subjects.len() {
                1 => "in one compiler".to_owned(),
                number => format!("in {number} compilers"),
            },
        },
        Figure {
            name: "programs",
            value: grouped(tally.programs),
            note: format!("{} refused by the generator", grouped(tally.refused)),
        },
        Figure {
            name: "trials",
            value: grouped(tally.trials),
            note: format!(
                "{} inconclusive, {} not tried",
                grouped(tally.inconclusive),
                grouped(tally.infrastructure)
            ),
        },
        Figure {
            name: "processor time",
            value: chart::duration(work),
            note: format!(
                "compilers {}, programs {}",
                chart::duration(tally.compiler_time),
                chart::duration(tally.program_time)
            ),
        },
    ];
    let shown: Vec<(&'static str, String)> = [
        ("seed", settings.seed.to_string()),
        ("preset", settings.preset.clone()),
        ("size", format!("{} bytes", grouped(settings.size as u64))),
        ("mode", settings.mode.name().to_owned()),
        ("random sets of flags", settings.flag_sets.to_string()),
        (
            "subjects",
            match settings.subject.is_empty() {
                true => "all of the machine".to_owned(),
                false => settings.subject.join(", "),
            },
        ),
    ]
    .into_iter()
    .map(|(name, value)| (name, visible(&value)))
    .collect();
    Ok(Page {
        version: env!("CARGO_PKG_VERSION"),
        began_with: visible(&began_with),
        settings: shown,
        figures,
        timeline: chart::timeline(&seen, &firsts),
        costs: chart::costs(&store.work(MOST_BARS)?),
        kinds: kinds(&findings),
        matrix: versions(&groups, &findings, &analyses),
        levels: levels(&findings),
        findings: findings.len(),
        groups,
        troubles,
        more_troubles,
        chart_width: WIDTH,
        chart_height: HEIGHT,
        chart_left: LEFT,
    })
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

/// The class of a finding: for colours, and for people.
fn class_of(finding: &Finding) -> (&'static str, &'static str) {
    match Class::of(finding.kind()) {
        Class::WrongCode => ("wrong", "wrong code"),
        Class::Crash => ("crash", "crash"),
        Class::Hang => ("hang", "hang"),
        Class::OutOfMemory => ("hang", "out of memory"),
        Class::Rejects => ("rejects", "rejects valid"),
    }
}

/// By what findings are put together.
fn key(finding: &Finding, analysis: Option<&Analysis>) -> String {
    match analysis {
        Some(analysis) => visible(&analysis.signature.line()),
        None => visible(&format!("{} of {}", finding.kind(), finding.subject.name)),
    }
}

fn groups(
    store: &Store,
    findings: &[Finding],
    analyses: &BTreeMap<String, Analysis>,
) -> anyhow::Result<Vec<Group>> {
    let mut by_key: BTreeMap<(bool, String), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let analysis = analyses.get(&finding.name);
        by_key.entry((analysis.is_some(), key(finding, analysis))).or_default().push(finding);
    }
    let mut groups = Vec::new();
    for ((_, title), members) in by_key {
        groups.push(group(store, &title, &members, analyses)?);
    }
    // What matters most comes first; what is doubtful, last.
    let rank = |group: &Group| match group.class {
        "wrong" => 0,
        "crash" => 1,
        "rejects" => 2,
        _ => 3,
    };
    groups.sort_by_key(|group| {
        (!group.doubts.is_empty(), rank(group), std::cmp::Reverse(group.count), group.title.clone())
    });
    for (index, group) in groups.iter_mut().enumerate() {
        group.id = format!("bug-{}", index + 1);
        group.open = index < MOST_OPEN;
    }
    Ok(groups)
}

fn group(
    store: &Store,
    title: &str,
    members: &[&Finding],
    analyses: &BTreeMap<String, Analysis>,
) -> anyhow::Result<Group> {
    // The smallest program stands for all, and one that is reduced is small.
    let mut best: Option<(bool, u64, &Finding, Option<StoredReduction>)> = None;
    for finding in members {
        let reduction = store.reduction(&finding.name)?;
        let size = reduction.as_ref().map_or(u64::MAX, |reduction| reduction.bytes_after);
        let candidate = (reduction.is_none(), size, *finding, reduction);
        let better = best.as_ref().is_none_or(|best| (candidate.0, candidate.1) < (best.0, best.1));
        if better {
            best = Some(candidate);
        }
    }
    let (_, _, finding, reduction) = best.expect("no group is empty");
    let analysis = analyses.get(&finding.name);
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
    let (expected, outcome) = match &reduction {
        Some(reduction) => (&reduction.expected, reduction.outcome.as_ref()),
        None => (&finding.expected, None),
    };
    let actual = Actual::of(outcome.unwrap_or(&finding.outcome));
    let expected_ending = expected.as_ref().map_or_else(String::new, Expected::ending);
    let expected_output =
        expected.as_ref().map_or_else(String::new, |expected| visible_bytes(&expected.output));
    let actual_output = visible_bytes(&actual.output);
    let (expected_shown, all_expected) = beginning(&expected_output, MOST_OUTPUT);
    let (actual_shown, all_actual) = beginning(&actual_output, MOST_OUTPUT);
    let (class, class_name) = class_of(finding);
    let wrong_code = class == "wrong";
    let mut doubts: Vec<String> = Vec::new();
    if let Some(doubt) = analysis.and_then(|analysis| analysis.doubt.as_ref()) {
        doubts.push(visible(doubt));
    }
    if finding.basis == Basis::Vote {
        doubts.push("compilers were judged by a vote among them, not by the machine".to_owned());
    }
    let crash = match analysis.and_then(|analysis| analysis.crash.as_ref()) {
        Some(crash) => Some(visible(&crash.text)),
        None if !wrong_code => Some(actual.text.clone()),
        None => None,
    };
    let more = members.len().saturating_sub(MOST_LISTED);
    let first = members.iter().map(|finding| finding.seen.as_str()).min().unwrap_or_default();
    Ok(Group {
        id: String::new(),
        open: false,
        class,
        class_name,
        title: title.to_owned(),
        count: members.len(),
        name: visible(&finding.name),
        compiler: compiler(finding),
        flags: visible(&quote_all(match analysis {
            Some(analysis) => &analysis.flags,
            None => &finding.flags,
        })),
        target: visible(finding.subject.target.as_deref().unwrap_or(&finding.subject.triple)),
        first: visible(first),
        triaged: analysis.is_some(),
        reduced: reduction.as_ref().map(|reduction| {
            format!(
                "from {} to {} bytes{}",
                grouped(reduction.bytes_before),
                grouped(reduction.bytes_after),
                if reduction.complete { "" } else { " so far" }
            )
        }),
        culprit: analysis
            .filter(|analysis| analysis.culprit.name().is_some())
            .map(|analysis| visible(&culprit_in_words(&analysis.culprit))),
        area: analysis.map(|analysis| analysis.area.name()),
        divergence: divergence
            .map_or_else(Vec::new, Divergence::sentences)
            .iter()
            .map(|sentence| visible(sentence))
            .collect(),
        doubts,
        opinions: analysis.map_or_else(Vec::new, |analysis| opinions_in_words(&analysis.opinions)),
        crash: crash.map(|text| beginning(&text, MOST_OUTPUT).0.to_owned()),
        frames: analysis
            .and_then(|analysis| analysis.crash.as_ref())
            .map_or_else(Vec::new, |crash| crash.frames.iter().map(|it| visible(it)).collect()),
        code,
        code_note,
        wrong_code,
        endings_differ: expected_ending != actual.ending,
        expected_ending,
        actual_ending: actual.ending,
        difference: difference(expected_shown, actual_shown),
        difference_note: (!all_expected || !all_actual)
            .then(|| "The outputs are longer than what is shown.".to_owned()),
        others: members.iter().take(MOST_LISTED).map(|finding| row(finding)).collect(),
        more,
    })
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
    let note = (!all)
        .then(|| format!("{} of {} lines are shown.", shown.lines().count(), text.lines().count()));
    (lines(shown, wrong), note)
}

fn kinds(findings: &[Finding]) -> Vec<Kind> {
    let mut counts: BTreeMap<&str, (usize, &'static str)> = BTreeMap::new();
    for finding in findings {
        counts.entry(finding.kind().name()).or_insert((0, class_of(finding).0)).0 += 1;
    }
    let most = counts.values().map(|(count, _)| *count).max().unwrap_or(1);
    let mut kinds: Vec<Kind> = counts
        .into_iter()
        .map(|(name, (count, class))| Kind {
            name: visible(name),
            count,
            percent: (count * 100).div_ceil(most),
            class,
        })
        .collect();
    kinds.sort_by(|a, b| b.count.cmp(&a.count).then(a.name.cmp(&b.name)));
    kinds
}

/// Which bug is in which version.
fn versions(
    groups: &[Group],
    findings: &[Finding],
    analyses: &BTreeMap<String, Analysis>,
) -> Option<Matrix> {
    let mut columns: Vec<(String, Vec<u64>, String)> = Vec::new();
    for tried in analyses.values().flat_map(|analysis| &analysis.versions) {
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
    for group in groups.iter().filter(|group| group.triaged) {
        let members = findings.iter().filter_map(|finding| {
            let analysis = analyses.get(&finding.name)?;
            (key(finding, Some(analysis)) == group.title).then_some(analysis)
        });
        let mut cells = vec![cell("none", "", "not tried"); columns.len()];
        for tried in members.flat_map(|analysis| &analysis.versions) {
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
        rows.push((group.title.clone(), Some(group.id.clone()), cells));
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
