//! What a page shows of one finding: the program, what should have happened and what did.

use farrier_harness::triage::Class;
use farrier_harness::{Expected, FindingKind, Outcome};

use super::code::{CodeLine, lines};
use super::difference::{DifferenceLine, Side, difference};
use super::evidence::{Actual, culprit_in_words, opinions_in_words};
use super::text::{beginning, quote_all, visible, visible_bytes};
use crate::finding::{Analysis, Basis, Divergence, Finding, Reduction, Store};

/// How much of a program is shown.
const MOST_CODE: usize = 12_000;
/// How much of an output is shown.
const MOST_OUTPUT: usize = 6_000;

/// A finding in words.
pub(crate) struct Account {
    pub(crate) class: &'static str,
    pub(crate) class_name: &'static str,
    pub(crate) name: String,
    pub(crate) compiler: String,
    pub(crate) flags: String,
    pub(crate) target: String,
    pub(crate) first: String,
    pub(crate) triaged: bool,
    pub(crate) reduced: Option<String>,
    pub(crate) culprit: Option<String>,
    pub(crate) area: Option<&'static str>,
    pub(crate) divergence: Vec<Vec<(bool, String)>>,
    pub(crate) doubts: Vec<String>,
    pub(crate) opinions: Vec<String>,
    pub(crate) crash: Option<String>,
    pub(crate) frames: Vec<String>,
    pub(crate) code: Vec<CodeLine>,
    pub(crate) code_note: Option<String>,
    pub(crate) wrong_code: bool,
    pub(crate) contrast: Contrast,
}

/// What should have happened beside what did.
pub(crate) struct Contrast {
    pub(crate) expected_ending: String,
    pub(crate) actual_ending: String,
    pub(crate) endings_differ: bool,
    pub(crate) difference: Vec<DifferenceLine>,
    pub(crate) note: Option<String>,
    /// What happened, in words.
    pub(crate) text: String,
}

/// The class of a kind: for colours, and for people.
pub(crate) fn class_of(kind: FindingKind) -> (&'static str, &'static str) {
    match Class::of(kind) {
        Class::WrongCode => ("wrong", "wrong code"),
        Class::Crash => ("crash", "crash"),
        Class::Hang => ("hang", "hang"),
        Class::OutOfMemory => ("hang", "out of memory"),
        Class::Rejects => ("rejects", "rejects valid"),
    }
}

/// Tells what is known of a finding, which was seen first at the given time.
pub(crate) fn account(
    store: &Store,
    finding: &Finding,
    analysis: Option<&Analysis>,
    reduction: Option<&Reduction>,
    first: &str,
) -> Account {
    let case = reduction.map_or(&finding.case, |reduction| &reduction.case);
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
    let (expected, outcome) = match reduction {
        Some(reduction) => (&reduction.expected, reduction.outcome.as_ref()),
        None => (&finding.expected, None),
    };
    let contrast = contrast(expected.as_ref(), outcome.unwrap_or(&finding.outcome));
    let words = |texts: &[String]| texts.iter().map(|text| visible(text)).collect();
    let crash = analysis.and_then(|analysis| analysis.crash.as_ref());
    Account {
        class,
        class_name,
        name: visible(&finding.name),
        compiler: compiler(finding),
        flags: visible(&quote_all(match analysis {
            Some(analysis) => &analysis.flags,
            None => &finding.flags,
        })),
        target: visible(finding.subject.machine()),
        first: visible(first),
        triaged: analysis.is_some(),
        reduced: reduction.map(reduced_in_words),
        culprit: analysis
            .filter(|analysis| analysis.culprit.name().is_some())
            .map(|analysis| visible(&culprit_in_words(&analysis.culprit))),
        area: analysis.map(|analysis| analysis.area.name()),
        divergence: divergence.map_or_else(Vec::new, |it| {
            it.sentences().iter().map(|sentence| with_code(&visible(sentence))).collect()
        }),
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
    }
}

/// The parts of a sentence, and whether each is code, which stands between backticks.
fn with_code(sentence: &str) -> Vec<(bool, String)> {
    let parts = sentence.split('`').enumerate();
    parts.map(|(index, part)| (index % 2 == 1, part.to_owned())).collect()
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
    // Triage doubts nothing if the machine can judge the program that it was reduced to.
    let is_unproved = analysis.is_none_or(|analysis| analysis.doubt.is_some());
    let by_vote = (finding.basis == Basis::Vote && is_unproved).then(|| vote.to_owned());
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

pub(crate) fn compiler(finding: &Finding) -> String {
    let (name, version) = (&finding.subject.name, &finding.subject.version);
    match name.contains(version.as_str()) {
        true => visible(name),
        false => visible(&format!("{name} {version}")),
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

impl Side {
    /// For colours.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Both => "",
            Self::Expected => "expected",
            Self::Actual => "actual",
        }
    }

    /// For people, and for those who see no colours.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Both => " ",
            Self::Expected => "−",
            Self::Actual => "+",
        }
    }
}

/// A number with spaces between the thousands.
pub(crate) fn grouped(number: u64) -> String {
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
}
