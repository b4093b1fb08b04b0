//! Where a compiled program first departs from the truth: asks the compiler.

use std::time::Instant;

use farrier_harness::{Bench, Expectation, Judgement, Sandbox, Scratch, Subject, judge};
use farrier_lang::{Program, SourceText, Target};
use farrier_machine::{Certified, Options as Machine, certify};
use farrier_synth::locate::{Checked, Departure, Located, Lost, Options, Point, Seen, locate};

use crate::finding::Divergence;

/// How many programs are compiled at most.
const TRIES: usize = 80;

/// A program as its text reads, without a preprocessor.
pub(crate) fn parse(text: &str, target: &'static Target) -> Option<Program> {
    let input = SourceText::new("reproducer.c", text);
    let options = farrier_front::Options::new(target);
    farrier_front::parse(&[input], &options).ok()
}

/// The same for a program of which only the text is known; `None` if it is not defined.
pub(crate) fn find_in(
    text: &str,
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    scratch: &Scratch,
    deadline: Option<Instant>,
) -> Option<Divergence> {
    let machine = Machine::default();
    let certified = certify(parse(text, subject.target?)?, &machine).ok()?;
    Some(find(&certified, subject, flags, &machine, sandbox, scratch, deadline))
}

/// Finds the first departure of a program that `subject` compiles wrongly, by a deadline.
pub(crate) fn find(
    certified: &Certified,
    subject: &Subject,
    flags: &[String],
    machine: &Machine,
    sandbox: &Sandbox,
    scratch: &Scratch,
    deadline: Option<Instant>,
) -> Divergence {
    let target = certified.program().target;
    let mut trouble = None;
    let mut compile = |checked: &Checked<'_>| {
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            trouble = Some("there was not enough time".to_owned());
            return Seen::Unclear;
        }
        if let Err(error) = scratch.clear() {
            trouble = Some(error.to_string());
            return Seen::Unclear;
        }
        let source = SourceText::new("reproducer.c", checked.text);
        let expectation = Expectation::certified(checked.certified);
        let bench = Bench::new(sandbox, scratch.path());
        let trial = bench.try_out(subject, flags, &[source], &expectation);
        match judge(subject, &expectation, &trial.outcome) {
            Judgement::Agrees => Seen::Right,
            Judgement::Finding(conviction) if conviction.kind().is_wrong_code() => {
                Seen::Wrong(trial.outcome.output().to_vec())
            }
            _ => Seen::Unclear,
        }
    };
    let read = |text: &str| parse(text, target);
    let options = Options { machine: machine.clone(), read: &read, tries: TRIES };
    let result = locate(certified, &mut compile, &options);
    match (result, trouble) {
        (_, Some(why)) => Divergence::NotFound { why },
        (Ok(located), None) => in_words(&located),
        (Err(Lost::Vanishes), None) => Divergence::Vanishes,
        (Err(Lost::NoPoints), None) => {
            Divergence::NotFound { why: "no value of the program can be checked".to_owned() }
        }
        (Err(Lost::NotWrong), None) => Divergence::NotFound {
            why: "the program is compiled correctly when Farrier prints it anew".to_owned(),
        },
    }
}

fn in_words(located: &Located) -> Divergence {
    let before = located.before.as_ref().map(|value| {
        format!("{} is still right: {}{}", described(&value.point), value.value, time(value.time))
    });
    let vanishing = located.vanishing.iter().map(described).collect();
    match &located.departure {
        Departure::Value { right, actual } => Divergence::At {
            function: right.point.function.clone(),
            line: right.point.line.unwrap_or(0),
            statement: right.point.statement.clone(),
            variable: right.point.variable.clone(),
            expected: right.value.to_string(),
            actual: actual.to_string(),
            what: right.point.what.clone(),
            time: right.time,
            before,
            vanishing,
        },
        Departure::Path { right, actual } => Divergence::Path {
            expected: match right {
                Some(value) => format!("{}{}", described(&value.point), time(value.time)),
                None => "the end".to_owned(),
            },
            actual: described(actual),
            before,
            vanishing,
        },
        Departure::Unseen { next } => Divergence::Unseen {
            next: next
                .as_ref()
                .map(|value| format!("{}{}", described(&value.point), time(value.time))),
            before,
            vanishing,
        },
    }
}

/// Which occurrence it is, unless it is the first.
fn time(time: u64) -> String {
    let ending = match (time % 10, time % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    if time == 1 { String::new() } else { format!(" (the {time}{ending} time)") }
}

/// A point in a few words.
fn described(point: &Point) -> String {
    let Point { function, statement, line, what, variable } = point;
    let line = line.map_or_else(String::new, |line| format!(" in line {line}"));
    format!("{what} `{variable}`{} of `{function}`{line}", at(statement, " "))
}

/// Where a statement is, unless the function has just begun.
fn at(statement: &str, before: &str) -> String {
    if statement.is_empty() { String::new() } else { format!("{before}at `{statement}`") }
}

impl Divergence {
    /// The whole in sentences.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let (mut sentences, before, vanishing) = match self {
            Self::At {
                function,
                line,
                statement,
                variable,
                expected,
                actual,
                what,
                time: count,
                before,
                vanishing,
            } => {
                let what = if what.is_empty() { "the variable" } else { what };
                let sentence = format!(
                    "In function `{function}`, line {line}{}: {what} `{variable}` is {actual}{}, \
                     but must be {expected}.",
                    at(statement, ", "),
                    time((*count).max(1))
                );
                (vec![sentence], before, vanishing)
            }
            Self::Path { expected, actual, before, vanishing } => {
                let sentence = format!(
                    "The program takes a wrong path: it comes to {actual}, but must come to \
                     {expected}."
                );
                (vec![sentence], before, vanishing)
            }
            Self::Unseen { next, before, vanishing } => {
                let sentence = match next {
                    Some(next) => format!(
                        "The program ends or hangs before it comes to {next}; no value before \
                         that is wrong."
                    ),
                    None => "No value that can be checked is wrong: only what the program does \
                             after the last of them."
                        .to_owned(),
                };
                (vec![sentence], before, vanishing)
            }
            Self::Vanishes => {
                return vec![
                    "It vanishes when checks are added, wherever they are: the place cannot be \
                     told."
                        .to_owned(),
                ];
            }
            Self::NotFound { why } => {
                return vec![format!("The place could not be found: {why}.")];
            }
        };
        sentences.extend(before.iter().map(|before| format!("Before that, {before}.")));
        if !vanishing.is_empty() {
            sentences.push(format!(
                "Beware: it vanishes when this is checked, too: {}.",
                vanishing.join("; ")
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_endings() {
        let words: Vec<String> = [1, 2, 3, 4, 11, 21, 113].map(time).into();
        assert_eq!(words[0], "");
        let ends: Vec<&str> = words[1..].iter().map(|word| &word[6..word.len() - 6]).collect();
        assert_eq!(ends, ["2nd", "3rd", "4th", "11th", "21st", "113th"]);
    }

    #[test]
    fn a_divergence_is_told_in_sentences() {
        let at = Divergence::At {
            function: "f".to_owned(),
            line: 7,
            statement: "y = x << 1;".to_owned(),
            variable: "y".to_owned(),
            expected: "6".to_owned(),
            actual: "1".to_owned(),
            what: "the variable".to_owned(),
            time: 2,
            before: Some("the parameter `x` is still right: 3".to_owned()),
            vanishing: vec!["the condition `x`".to_owned()],
        };
        assert_eq!(
            at.sentences(),
            [
                "In function `f`, line 7, at `y = x << 1;`: the variable `y` is 1 (the 2nd time), \
                 but must be 6.",
                "Before that, the parameter `x` is still right: 3.",
                "Beware: it vanishes when this is checked, too: the condition `x`.",
            ]
        );
        assert!(Divergence::Vanishes.sentences()[0].contains("vanishes when checks are added"));
    }
}
