//! `farrier findings` and `farrier show`: what a hunt has found.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use farrier_harness::{Expected, Outcome, Runner, commands, compiled, support_file};
use serde::Serialize;

use super::join::HuntPlace;
use crate::cli::{FindingsArguments, ShowArguments};
use crate::finding::{Analysis, Basis, Finding, Group, Reduction, Store, groups};
use crate::report::text::command_lines;
use crate::terminal::quote;
use crate::{Status, output};

/// How many flags of a finding are listed.
const MOST_FLAGS: usize = 4;

/// What is printed of an output, in bytes.
const MOST_OUTPUT: usize = 4000;

/// A finding in a list.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// The first finding of the same group.
    group: &'a str,
    /// The cause of the group, if triage knows it.
    cause: Option<&'a str>,
}

/// Lists all findings by cause, as far as that is known.
pub(crate) fn list(arguments: &FindingsArguments) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.hunt.place)?;
    let store = Store::open_to_read(&place.directory)?;
    let mut findings = store.findings()?;
    let analyses = store.analyses()?;
    findings.retain(|finding| is_wanted(finding, analyses.get(&finding.name), arguments));
    let groups = groups(&findings, &analyses);
    if arguments.hunt.json {
        let mut listed: Vec<Listed<'_>> = groups
            .iter()
            .flat_map(|group| {
                let first = &group.members[0].0.name;
                let cause = group.triaged.then_some(group.title.as_str());
                let members = group.members.iter();
                members.map(move |(finding, _)| Listed { finding, group: first, cause })
            })
            .collect();
        listed.sort_by_key(|one| (one.finding.program, &one.finding.name));
        print_json(&listed)?;
    } else {
        let mut text = String::new();
        for group in &groups {
            text.push_str(&group_lines(group));
        }
        if findings.is_empty() {
            text.push_str("no findings yet\n");
        }
        output::write(None, text.as_bytes())?;
    }
    Ok(if findings.is_empty() { Status::Fine } else { Status::Found })
}

/// Whether a finding is one that the user asks for.
fn is_wanted(
    finding: &Finding,
    analysis: Option<&Analysis>,
    arguments: &FindingsArguments,
) -> bool {
    let FindingsArguments { kind, subject, cause, regressions, .. } = arguments;
    let title = || analysis.map(|analysis| analysis.signature.line()).unwrap_or_default();
    kind.is_none_or(|kind| finding.kind() == kind)
        && subject.as_ref().is_none_or(|text| finding.subject.name.contains(text))
        && cause.as_ref().is_none_or(|text| title().contains(text))
        && (!regressions || analysis.is_some_and(|one| one.regression().is_some()))
}

/// A group for people: the cause, and a line for each finding.
fn group_lines(group: &Group<'_>) -> String {
    let mut text = format!("{}, first seen {}\n", group.title, group.seen().0);
    for (finding, _) in &group.members {
        let basis = match finding.basis {
            Basis::Machine => "",
            Basis::Vote => ", by vote",
            Basis::Compiler => ", edited",
        };
        // A level says enough; what else there is, `farrier show` says.
        let (few, more) = finding.flags.split_at(finding.flags.len().min(MOST_FLAGS));
        let more = match more.len() {
            0 => String::new(),
            number => format!(" and {number} more"),
        };
        let _ = writeln!(
            text,
            "  {}  {}  {} {}{more}  program {}{basis}",
            finding.name,
            finding.kind(),
            finding.subject.name,
            few.join(" "),
            finding.program,
        );
    }
    text
}

/// A finding with what a stranger needs.
#[derive(Serialize)]
struct Shown<'a> {
    finding: &'a Finding,
    /// What triage has found out.
    analysis: Option<Analysis>,
    /// Where the program is.
    directory: &'a Path,
    /// What to type there.
    commands: Vec<String>,
    /// What it was reduced to, if it was.
    reduction: Option<Reduction>,
    /// Where that program is.
    reduced_directory: Option<PathBuf>,
}

/// Explains a finding.
pub(crate) fn show(arguments: &ShowArguments) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.hunt.place)?;
    let store = Store::open_to_read(&place.directory)?;
    let finding = store.finding(&arguments.name)?;
    let analysis = store.analysis(&finding.name)?;
    let directory = store.case_path(&finding.case);
    let directory = std::path::absolute(&directory).unwrap_or(directory);
    let sources = store.case(&finding.case)?;
    let names = compiled(&sources);
    let subject = &finding.subject;
    let mut lines = command_lines(&commands(subject, &finding.flags, &names));
    // What is linked to the program, and is not a part of it.
    if let Some(support) = support_file(subject) {
        lines.insert(0, format!("cat > {} <<'END'\n{}END", support.name, support.text));
    }
    let reduction = store.reduction(&finding.name)?;
    let reduced_directory = reduction.as_ref().map(|reduction| store.case_path(&reduction.case));
    let reduced_directory =
        reduced_directory.map(|path| std::path::absolute(&path).unwrap_or(path));
    let shown = Shown {
        finding: &finding,
        analysis,
        directory: &directory,
        commands: lines,
        reduction,
        reduced_directory,
    };
    if arguments.hunt.json {
        print_json(&shown)?;
    } else {
        let mut text = heading(&finding, shown.analysis.as_ref());
        text.push_str(&instructions(&shown, &place.directory));
        text.push_str(&reduced(&shown, &store, &place.directory)?);
        output::write(None, text.as_bytes())?;
    }
    Ok(Status::Found)
}

/// A path as a shell takes it.
fn shell_path(path: &Path) -> String {
    quote(&path.display().to_string())
}

/// What was found, and who says so.
fn heading(finding: &Finding, analysis: Option<&Analysis>) -> String {
    let mut text = format!(
        "{} {}\n\ncompiler: {}{}\ntarget:   {}\nflags:    {}\nprogram:  number {}, \
         seed {}\nseen:     {}\n",
        finding.name,
        finding.kind(),
        finding.subject.name,
        match finding.subject.banner.as_str() {
            "" => String::new(),
            banner => format!("\n          {banner}"),
        },
        finding.subject.machine(),
        finding.flags.join(" "),
        finding.program,
        finding.seed,
        finding.seen,
    );
    if let Some(analysis) = analysis {
        let _ = writeln!(text, "cause:    {}", analysis.signature.line());
    }
    let by = match finding.basis {
        Basis::Machine => "the abstract machine, which finds the program defined",
        Basis::Vote => {
            "a vote of compilers: the program has no certificate, so look for undefined \
             behaviour in it first"
        }
        Basis::Compiler => "its breakdown alone: the program was edited at random",
    };
    let _ = writeln!(text, "judged by {by}");
    if finding.recipe.drawing.is_some() {
        let _ = writeln!(text, "a mutant, with these mutations, round by round:");
        for (number, kinds) in (1..).zip(finding.recipe.kinds_by_round()) {
            let _ = writeln!(text, "  {number}. {kinds}");
        }
    }
    text.push('\n');
    difference(&mut text, finding.expected.as_ref(), Some(&finding.outcome));
    text
}

/// How to see it.
fn instructions(shown: &Shown<'_>, hunt: &Path) -> String {
    let finding = shown.finding;
    let mut text = "\nTo see it:\n\n".to_owned();
    let place = format!("farrier-{}", finding.name);
    let _ = writeln!(text, "  cp -r {} {place} && cd {place}", shell_path(shown.directory));
    for line in &shown.commands {
        // A text that is to be typed as it is cannot be indented.
        let indent = if line.contains('\n') { "" } else { "  " };
        let _ = writeln!(text, "{indent}{line}");
    }
    if finding.subject.runner == Runner::Simavr {
        let _ = writeln!(
            text,
            "\nThe simulator prints each byte of the output as two hexadecimal digits, then `=` and \
             the exit status, or `!` for an abort."
        );
    }
    if matches!(finding.subject.runner, Runner::Wine(_)) {
        let _ = writeln!(
            text,
            "\nThe program tells on standard error that it begins, and how it ends: \
             `farrier: end`, `farrier: abort` or the number of an exception. Wine shows eight bits \
             of the exit status."
        );
    }
    if matches!(finding.subject.runner, Runner::Marked(_)) {
        let _ = writeln!(
            text,
            "\nThe output of the program stands after the line `farrier: begin`; `farrier: end` tells \
             the exit status."
        );
    }
    let _ = writeln!(
        text,
        "\nor, with the same limits as in the hunt:\n\n  farrier replay --dir {} {}",
        shell_path(hunt),
        finding.name
    );
    text
}

/// What it was reduced to, or how to do that.
fn reduced(shown: &Shown<'_>, store: &Store, hunt: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    match (&shown.reduction, &shown.reduced_directory) {
        (Some(reduction), Some(directory)) => {
            let _ = writeln!(
                text,
                "\nReduced from {} to {} bytes{}, in {}:\n",
                reduction.bytes_before,
                reduction.bytes_after,
                if reduction.complete { "" } else { " so far" },
                shell_path(directory)
            );
            for note in &reduction.notes {
                let _ = writeln!(text, "  {note}\n");
            }
            for source in store.case(&reduction.case)? {
                let _ = writeln!(text, "{}\n", cut(&source.text));
            }
            difference(&mut text, reduction.expected.as_ref(), reduction.outcome.as_ref());
        }
        _ => {
            let _ = writeln!(
                text,
                "\nTo make the program small:\n\n  farrier reduce --dir {} {}",
                shell_path(hunt),
                shown.finding.name
            );
        }
    }
    Ok(text)
}

/// What should have happened, as far as it is known, and what did.
fn difference(text: &mut String, expected: Option<&Expected>, outcome: Option<&Outcome>) {
    if let Some(expected) = expected {
        if let Some(tier) = expected.floating {
            let _ = writeln!(text, "floating point: {}: {}", tier.name(), tier.about());
        }
        let _ = writeln!(text, "expected: {}", cut(&expected.describe()));
    }
    if let Some(outcome) = outcome {
        let _ = writeln!(text, "actual:   {}", cut(&outcome.describe()));
    }
}

pub(super) fn cut(text: &str) -> String {
    let end = text.floor_char_boundary(MOST_OUTPUT);
    let more = if end < text.len() { "..." } else { "" };
    format!("{}{more}", text[..end].trim_end())
}

pub(super) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    output::write(None, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("--param=x=3"), "--param=x=3");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
    }
}
