//! One program through the front end and the printer and back.

use std::fmt::Display;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use farrier_front::Options;
use farrier_harness::ProcessEnding;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Program, SourceText, shape, well_formed};

use super::process::{complaint, ending_text, run, succeeded};
use super::tree::{Parsed, compile, describe, guarded, options, parse};
use super::{Case, Outcome, write};

const RUN_LIMIT: Duration = Duration::from_secs(5);

/// Checks everything that must hold for a case. An error is trouble around it, such as
/// a full disk.
pub(super) fn check(case: &Case) -> Result<Outcome> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let outcome = check_in_directory(case)?;
    if !matches!(outcome, Outcome::Failed { .. }) {
        std::fs::remove_dir_all(&case.directory)?;
    }
    Ok(outcome)
}

fn check_in_directory(case: &Case) -> Result<Outcome> {
    let failed = |stage, message: String| Ok(Outcome::Failed { stage, message });
    let original = case.directory.join("original");
    let compiled = compile(case, "-O0", &case.sources, &original)?;
    if !succeeded(&compiled) {
        return Ok(Outcome::NotForUs(complaint(&compiled)));
    }
    let options = options(case);
    let program = match parse(case)? {
        Parsed::Program(program) => program,
        Parsed::Refused { reason, message } => return Ok(Outcome::Refused { reason, message }),
        Parsed::Panic(panic) => return failed("parse", panic),
    };
    let text = match guarded(|| print_checked(&program)) {
        Err(panic) => return failed("print", panic),
        Ok(Err(problems)) => return failed("make a well-formed program", problems),
        Ok(Ok(text)) => text,
    };
    let printed = case.directory.join("printed.c");
    write(&printed, text.as_bytes())?;
    if let Some(message) = compare_again(&program, text, &options) {
        return failed("parse its own print as the same program", message);
    }

    let executable = case.directory.join("printed");
    let compiled = compile(case, "-O0", std::slice::from_ref(&printed), &executable)?;
    if !succeeded(&compiled) {
        return failed("print a program that gcc compiles", complaint(&compiled));
    }
    same_behaviour(&case.directory, &original, &executable)
}

/// Runs the original and the printed program and compares what they do.
fn same_behaviour(directory: &Path, original: &Path, printed: &Path) -> Result<Outcome> {
    let stage = "behave as before";
    let before = run(&mut Command::new(original), directory, RUN_LIMIT)?;
    if before.ending == ProcessEnding::TimedOut {
        return Ok(Outcome::Timeout);
    }
    // A busy machine must not turn a slow program into a difference.
    let after = run(&mut Command::new(printed), directory, RUN_LIMIT * 3)?;
    if before.ending != after.ending {
        let message = format!("{}, then {}", ending_text(before.ending), ending_text(after.ending));
        return Ok(Outcome::Failed { stage, message });
    }
    if before.stdout != after.stdout {
        // What differs between two runs of one program, such as an address, means nothing.
        let again = run(&mut Command::new(original), directory, RUN_LIMIT * 3)?;
        if again.stdout == before.stdout {
            return Ok(Outcome::Failed { stage, message: "the output differs".into() });
        }
    }
    Ok(Outcome::Same)
}

/// The print, if the program is well-formed; otherwise what is wrong with it.
fn print_checked(program: &Program) -> Result<String, String> {
    let problems = well_formed::check(program);
    if problems.is_empty() {
        Ok(print(program, &PrintOptions::default()))
    } else {
        Err(list(&problems))
    }
}

/// How the program parsed from `text` differs from `program`.
fn compare_again(program: &Program, text: String, options: &Options) -> Option<String> {
    let input = SourceText::new("printed.c", text);
    let again = guarded(|| farrier_front::parse(&[input], options));
    match again {
        Err(panic) => Some(panic),
        Ok(Err(failure)) => Some(describe(&failure)),
        Ok(Ok(again)) if again == *program => None,
        Ok(Ok(again)) => Some(
            shape::difference(program, &again)
                .unwrap_or_else(|| "not equal, but no difference is found".into()),
        ),
    }
}

/// The first few of a list of problems, in one line.
fn list(problems: &[impl Display]) -> String {
    let shown: Vec<String> = problems.iter().take(3).map(ToString::to_string).collect();
    format!("{} problems: {}", problems.len(), shown.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_status_or_output_is_another_behaviour() {
        let compare = |original: &str, printed: &str| {
            same_behaviour(Path::new("/"), Path::new(original), Path::new(printed)).unwrap()
        };
        let failed =
            |message: &str| Outcome::Failed { stage: "behave as before", message: message.into() };
        assert_eq!(compare("/bin/true", "/bin/true"), Outcome::Same);
        assert_eq!(compare("/bin/pwd", "/bin/pwd"), Outcome::Same);
        assert_eq!(compare("/bin/true", "/bin/false"), failed("exit status 0, then exit status 1"));
        assert_eq!(compare("/bin/true", "/bin/pwd"), failed("the output differs"));
    }
}
