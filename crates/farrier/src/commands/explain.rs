//! `farrier explain`: the catalogue of undefined behaviour.

mod examples;

use std::fmt::Write;

use anyhow::bail;
use farrier_machine::UbKind;
use serde_json::{Value, json};

use crate::spelling;
use crate::{Status, output};

/// What the findings of a hunt, and what is not one, are called.
#[rustfmt::skip]
const FINDINGS: &[(&str, &str)] = &[
    ("wrong-output", "A compiled program writes something else than the machine says it must. The program is proved to be defined, so the compiler is wrong."),
    ("wrong-exit", "A compiled program writes what it must and ends with another exit status."),
    ("run-crash", "A compiled program is ended by a signal, such as SIGSEGV or SIGFPE, though it is proved to run to its end."),
    ("run-hang", "A compiled program does not end within its time, though the machine ran it to its end in few steps."),
    ("compiler-crash", "The compiler ends by a signal, an internal error or an assertion. That is a bug whatever the program means."),
    ("compiler-hang", "The compiler does not end within --compiler-time."),
    ("compiler-out-of-memory", "The compiler needs more memory than it may have."),
    ("valid-program-rejected", "The compiler refuses a program that is valid C with the extensions that it promises."),
    ("inconclusive", "A trial that proves nothing: the compiler refuses a flag, the program is too long for the machine, or it did not happen twice. It is counted and is no finding."),
    ("not-tried", "Something around the trial failed, such as a full disk or a missing tool. It is counted and is no finding."),
];

/// Lines are not longer than this, as in the help texts.
const MAX_WIDTH: usize = 100;

/// Runs the command.
pub(crate) fn run(name: Option<&str>, is_json: bool) -> anyhow::Result<Status> {
    let about = name.map(Name::parse).transpose()?;
    if is_json {
        let text = serde_json::to_string_pretty(&document(about))? + "\n";
        output::write(None, text.as_bytes())?;
        return Ok(Status::Fine);
    }
    let width = terminal_size::terminal_size().map_or(MAX_WIDTH, |(width, _)| width.0.into());
    let width = width.min(MAX_WIDTH);
    let text = match about {
        None => list(width),
        Some(Name::Kind(kind)) => explain(kind, width),
        Some(Name::Finding(name, about)) => format!("{name}\n\n{}\n", wrap(about, width, "")),
    };
    output::write(None, text.as_bytes())?;
    Ok(Status::Fine)
}

/// What there is something to say about.
#[derive(Clone, Copy)]
enum Name {
    /// A kind of undefined behaviour.
    Kind(UbKind),
    /// A row of the findings.
    Finding(&'static str, &'static str),
}

impl Name {
    fn parse(name: &str) -> anyhow::Result<Self> {
        if let Some(kind) = UbKind::ALL.iter().find(|kind| kind.name() == name) {
            return Ok(Self::Kind(*kind));
        }
        if let Some((name, about)) = FINDINGS.iter().find(|(known, _)| *known == name) {
            return Ok(Self::Finding(name, about));
        }
        match closest(name) {
            Some(kind) => bail!("`{name}` is not a kind: did you mean `{}`?", kind.name()),
            None => bail!("`{name}` is not a kind: `farrier explain` lists them"),
        }
    }
}

/// One of them with its examples, or all in short.
fn document(about: Option<Name>) -> Value {
    let kind = |kind: UbKind| {
        json!({
            "name": kind.name(),
            "rule": kind.rule(),
            "clause": kind.clause(),
            "annex_j2": kind.annex(),
        })
    };
    let finding = |name: &str, about: &str| json!({ "name": name, "about": about });
    match about {
        None => json!({
            "undefined": UbKind::ALL.iter().copied().map(kind).collect::<Vec<_>>(),
            "findings": FINDINGS.iter().map(|(name, about)| finding(name, about)).collect::<Vec<_>>(),
        }),
        Some(Name::Kind(one)) => {
            let (fires, near_miss) = examples::of(one);
            let mut document = kind(one);
            document["undefined_example"] = example(fires, "").into();
            document["defined_example"] = example(near_miss, "").into();
            document
        }
        Some(Name::Finding(name, about)) => finding(name, about),
    }
}

/// All kinds in three columns; the last is wrapped.
fn list(width: usize) -> String {
    let longest = |text: fn(UbKind) -> &'static str| {
        UbKind::ALL.iter().map(|kind| text(*kind).len()).max().unwrap_or(0)
    };
    let (names, clauses) = (longest(UbKind::name), longest(UbKind::clause));
    let indent = names + clauses + 4;
    let mut text = String::new();
    for kind in UbKind::ALL {
        let rule = wrap(kind.rule(), width.saturating_sub(indent), &" ".repeat(indent));
        let _ = writeln!(text, "{:names$}  {:clauses$}  {rule}", kind.name(), kind.clause());
    }
    text
}

fn explain(kind: UbKind, width: usize) -> String {
    let (fires, near_miss) = examples::of(kind);
    let rule = wrap(kind.rule(), width, "");
    let mut text = format!("{}\n\n{rule}\n{}\n", kind.name(), kind.citation());
    let _ = write!(text, "\nUndefined:\n\n{}", example(fires, "    "));
    let _ = write!(text, "\nDefined:\n\n{}", example(near_miss, "    "));
    text
}

/// A program of the tests, indented, without the comments that are for the tests.
fn example(program: &str, indent: &str) -> String {
    let options = ["std: ", "target: ", "steps: ", "not yet: ", "compiler: "];
    let mut text = String::new();
    for line in program.lines() {
        let comment = line.strip_prefix("// ");
        if comment.is_some_and(|comment| options.iter().any(|key| comment.starts_with(key))) {
            continue;
        }
        let (code, mark) = match line.split_once("//~") {
            Some((code, _)) => (code, "// undefined"),
            None => (line, ""),
        };
        let _ = writeln!(text, "{}", format!("{indent}{code}{mark}").trim_end());
    }
    text
}

/// Breaks a text at spaces, so that lines are not longer than `width` where words allow.
fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        if column > 0 && column + 1 + word.len() > width {
            wrapped.push('\n');
            wrapped.push_str(indent);
            column = 0;
        } else if column > 0 {
            wrapped.push(' ');
            column += 1;
        }
        wrapped.push_str(word);
        column += word.len();
    }
    wrapped
}

/// The kind whose name is most like this one, if any is.
fn closest(name: &str) -> Option<UbKind> {
    let meant = spelling::closest(name, UbKind::ALL.iter().map(|kind| kind.name()))?;
    UbKind::ALL.iter().copied().find(|kind| kind.name() == meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_lead_to_the_kind_that_was_meant() {
        assert_eq!(closest("signed-overlow"), Some(UbKind::SignedOverflow));
        assert_eq!(closest("uninitialized"), Some(UbKind::Uninitialised));
        assert_eq!(closest("xyzzy"), None);
    }

    #[test]
    fn every_kind_of_finding_is_explained() {
        for kind in farrier_harness::FindingKind::ALL {
            assert!(FINDINGS.iter().any(|(name, _)| *name == kind.name()), "{kind}");
        }
    }

    #[test]
    fn the_list_fits() {
        for width in [60, 80, 100] {
            assert!(list(width).lines().all(|line| line.len() <= width), "{width}");
        }
    }

    #[test]
    fn every_example_marks_its_fault() {
        for kind in UbKind::ALL {
            let (fires, near_miss) = examples::of(*kind);
            assert!(fires.contains(&format!("//~ UB {}", kind.name())), "{}", kind.name());
            assert!(!near_miss.contains("//~"), "{}", kind.name());
        }
    }
}
