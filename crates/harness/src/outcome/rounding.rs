//! Whether a compiler rounds every result to its type, as the abstract machine does.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::sync::{Mutex, PoisonError};

use farrier_machine::Tier;

use super::Bench;
use crate::case::Expectation;
use crate::flags::refusal;
use crate::scratch::file_error;
use crate::subject::{Family, Runner, Subject};
use crate::{Bounds, Error, ProcessEnding, Role};

/// The file with the question, and the question: with how many digits is computed, and whether
/// the machine can add a product without rounding it.
const NAME: &str = "farrier-rounding.c";
const QUESTION: &str = "__FLT_EVAL_METHOD__ __FP_FAST_FMA __FP_FAST_FMAF\n";

/// What compilers have answered, by the command that asked them. An answer does not change while
/// a process lives.
static ANSWERS: Mutex<BTreeMap<Vec<String>, String>> = Mutex::new(BTreeMap::new());

/// Why a program of which this is expected may not be tried with a subject and flags; `None` if
/// it may.
pub(super) fn misfit(
    subject: &Subject,
    flags: &[String],
    expectation: &Expectation,
    bench: &Bench<'_>,
) -> Result<Option<String>, Error> {
    let Some(tier) = expectation.floating() else { return Ok(None) };
    let words = || [&subject.command, &subject.flags, flags].into_iter().flatten();
    if let Some(why) = refusal(words().map(String::as_str), tier) {
        return Ok(Some(why));
    }
    // Where compilers vote, nothing is known of the numbers.
    let Some(certificate) = expectation.certificate() else { return Ok(None) };
    let no = |why: &str| Ok(Some(format!("{} {why}", subject.name)));
    if certificate.is_regrouped() && subject.family != Family::Gcc {
        return no("may regroup floating arithmetic in a loop that has a hint");
    }
    if tier != Tier::Rounded {
        return Ok(None);
    }
    // Neither says what it does, whatever its preprocessor was told to say.
    if matches!(subject.family, Family::Tcc | Family::Pcc) {
        return no("does not say that it rounds every result to its type");
    }
    if subject.target.is_some_and(|target| target.excess_precision) {
        return no("keeps more digits or a wider range than a type has");
    }
    if matches!(subject.runner, Runner::Simavr | Runner::Marked(_)) {
        return no("has a library that does not round as IEEE 754 says");
    }
    let contraction = words().rev().find(|word| word.starts_with("-ffp-contract="));
    let is_off = contraction.is_some_and(|word| word.ends_with("=off"));
    match answer(subject, flags, bench)?.split_whitespace().collect::<Vec<_>>()[..] {
        ["0", "1", _] | ["0", _, "1"] if !is_off => no("may add a product without rounding it"),
        ["0", _, _] => Ok(None),
        _ => no("with these flags does not say that it rounds every result to its type"),
    }
}

/// What a compiler answers. Only flags for the machine and the language matter.
fn answer(subject: &Subject, flags: &[String], bench: &Bench<'_>) -> Result<String, Error> {
    let matters = |word: &&String| {
        let begins = |beginning| word.starts_with(beginning);
        begins("-std") || begins("-m") && *word != "-mllvm" && !begins("-mtune")
    };
    let mut command: Vec<String> = subject.command.iter().chain(&subject.flags).cloned().collect();
    command.extend(flags.iter().filter(matters).cloned());
    command.extend(["-E".to_owned(), NAME.to_owned()]);
    let known = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = known().get(&command) {
        return Ok(answer.clone());
    }
    let path = bench.scratch.join(NAME);
    fs::write(&path, QUESTION).map_err(|error| file_error(&path, error))?;
    let words: Vec<OsString> = command.iter().map(OsString::from).collect();
    let finished = bench.sandbox.run(Role::Tool, &words, b"", bench.scratch, &Bounds::TOOL)?;
    let text = match finished.ending {
        ProcessEnding::Exited(status) if status.success() => {
            String::from_utf8_lossy(&finished.stdout).into_owned()
        }
        _ => String::new(),
    };
    fs::remove_file(&path).map_err(|error| file_error(&path, error))?;
    let last = text.lines().rev().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let answer = last.unwrap_or_default().to_owned();
    known().insert(command, answer.clone());
    Ok(answer)
}
