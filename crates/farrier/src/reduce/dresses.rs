//! Undressing: a finding of C++ loses the dresses that do not matter before it is reduced.

use std::path::Path;

use farrier_harness::triage::minimise;
use farrier_harness::{
    Bench, Expectation, Judgement, Mutation, Outfit, Sandbox, Scratch, Subject, judge,
};
use farrier_lang::{Program, SourceText};
use farrier_machine::{Options as Machine, certify};
use farrier_synth::reduce::{Interest, Progress};

use super::interest::Test;
use super::{Listener, PROGRAM, Settings, Step, text_of};

/// An outfit with some of its dresses, by position, each as it is or wherever it can stand.
fn keeping(outfit: &Outfit, positions: &[usize], everywhere: bool) -> Outfit {
    let kept = |at: usize, dress: &Mutation| {
        let mut choices = dress.choices.clone();
        if let (true, Some(share)) = (everywhere, choices.first_mut()) {
            *share = 100;
        }
        Mutation { kept: positions.contains(&at), choices, ..dress.clone() }
    };
    let dresses = outfit.dresses.iter().enumerate().map(|(at, dress)| kept(at, dress)).collect();
    Outfit { dresses, ..outfit.clone() }
}

/// Leaves out the dresses of a program that do not matter, and lets the others stand wherever
/// they can if that keeps the failure: then no decision about a place is lost when code goes.
/// Says which dresses are left; `None` if there are none to leave out.
pub(super) fn undress(
    program: &Program,
    test: &mut Test,
    settings: &Settings,
    listener: &mut Listener<'_>,
) -> anyhow::Result<Option<String>> {
    let Some(outfit) = test.outfit().cloned() else { return Ok(None) };
    let machine = Machine { steps: settings.steps, ..Machine::default() };
    let expectation = match certify(program.clone(), &machine) {
        Ok(certified) if settings.check_undefined => Expectation::certified(&certified),
        _ => Expectation::Nothing,
    };
    let text = text_of(program);
    let mut progress = Progress { pass: "dresses", ..Progress::default() };
    let mut end = Ok(true);
    let mut ask = |test: &mut Test, outfit: Outfit| -> bool {
        if !matches!(end, Ok(true)) {
            return false;
        }
        test.wear(outfit);
        progress.judged += 1;
        let answer = test.ask(text.as_bytes(), &expectation);
        end = listener(Step::Tried(&progress));
        match answer {
            Ok(interest) => interest != Interest::Boring,
            Err(error) => {
                end = Err(error);
                false
            }
        }
    };
    let all: Vec<usize> = (0..outfit.dresses.len()).filter(|at| outfit.dresses[*at].kept).collect();
    let kept = match ask(test, keeping(&outfit, &[], false)) {
        true => Vec::new(),
        false => minimise(all.clone(), |positions| ask(test, keeping(&outfit, positions, false))),
    };
    let everywhere = !kept.is_empty() && ask(test, keeping(&outfit, &kept, true));
    test.wear(keeping(&outfit, &kept, everywhere));
    end?;
    let names: Vec<&str> = kept.iter().map(|at| &*outfit.dresses[*at].name).collect();
    Ok(Some(match &names[..] {
        [] => format!("all {} dresses left out: the program is plain C++", all.len()),
        _ => format!("{} of {} dresses matter: {}", names.len(), all.len(), names.join(", ")),
    }))
}

/// The C compiler of the same installation.
fn c_compiler(subject: &Subject) -> Option<Subject> {
    let mut other = subject.clone();
    if let Some(word) = other.command.iter_mut().skip(1).find(|word| *word == "c++") {
        // One program is both compilers.
        "cc".clone_into(word);
        return Some(other);
    }
    let program = other.command.first_mut()?;
    let (directory, name) = match program.rsplit_once('/') {
        Some((directory, name)) => (format!("{directory}/"), name.to_owned()),
        None => (String::new(), program.clone()),
    };
    let name = name.replace("clang++", "clang").replace("g++", "gcc");
    let path = format!("{directory}{name}");
    let is_other = path != *program && Path::new(&path).is_file();
    *program = path;
    is_other.then_some(other)
}

/// Whether the C program underneath a reduced one fails as well, with the C compiler of the same
/// installation.
pub(super) fn in_c(
    test: &Test,
    text: &str,
    expectation: &Expectation,
    sandbox: &Sandbox,
) -> anyhow::Result<Option<String>> {
    let Test::Subject(accused) = test else { return Ok(None) };
    if test.outfit().is_none() {
        return Ok(None);
    }
    let (accused, flags) = accused.parties();
    let Some(subject) = c_compiler(accused) else { return Ok(None) };
    let flags: Vec<String> =
        flags.iter().filter(|flag| !flag.starts_with("-std=")).cloned().collect();
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let sources = [SourceText::new(PROGRAM, text)];
    let bench = Bench::new(sandbox, scratch.path());
    let outcome = bench.try_out(&subject, &flags, &sources, expectation).outcome;
    let command = subject.command.join(" ");
    Ok(Some(match judge(&subject, expectation, &outcome) {
        Judgement::Finding(_) => {
            format!("the bug shows in C too: {command} fails with {PROGRAM}")
        }
        _ => format!("the bug does not show in C: {command} is right about {PROGRAM}"),
    }))
}
