//! The standing attack on the machine: small programs in the corners of C, out of a grammar.
//!
//! What the machine calls defined must do the same with gcc and clang, with and without
//! optimisation, and no sanitizer may complain. What it calls undefined or unspecified
//! although all of them agree is counted by kind: nobody but the machine looks for those.
//!
//! Compilers get many programs in one file, each of them a function, because their start
//! costs most; the machine gets every program alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use farrier_harness::Finished;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Behavior, Verdict};
use farrier_synth::Choices;
use farrier_synth::grammar::Grammar;

use super::difference;
use super::generated::{Way, way};
use crate::corpus::process::{complaint, run as run_process, succeeded};
use crate::corpus::tree::guarded;
use crate::corpus::{Case, case_directory, check_all, write};

const CORNERS: &str = include_str!("judge/corners.grammar");

/// Which programs.
#[derive(clap::Args)]
pub(crate) struct CornerArguments {
    /// How many programs, all different
    #[arg(long, default_value_t = 10_000)]
    programs: usize,
    /// The seed of the first one
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Only programs of this rule of the grammar
    #[arg(long)]
    theme: Option<String>,
    /// Print every program with its verdict
    #[arg(long)]
    verbose: bool,
}

/// How many programs stand in one file.
const BATCH: usize = 50;
const COMPILE_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(10);

const HEADERS: &str = "#include <ctype.h>\n#include <errno.h>\n#include <float.h>\n\
    #include <limits.h>\n#include <math.h>\n#include <setjmp.h>\n#include <stdarg.h>\n\
    #include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    #include <string.h>\n";

const WAYS: [Way; 7] = [
    way("gcc -O0", "gcc", &["-O0"]),
    way("gcc -O2", "gcc", &["-O2"]),
    way("clang -O0", "clang", &["-O0"]),
    way("clang -O2", "clang", &["-O2"]),
    way("the sanitizers of gcc", "gcc", &FAULTS),
    way("the sanitizers of clang", "clang", &FAULTS),
    way("the sanitizer of clang for memory", "clang", &["-fsanitize=memory"]),
];

const FAULTS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The kinds of undefined behaviour on which compilers and sanitizers may agree, and why:
/// nobody but the machine looks for them, or for all of their cases.
const SILENT: &[(&str, &str)] = &[
    ("abs-overflow", "the library wraps, and no sanitizer knows these functions"),
    ("bad-format", "the library prints something all the same"),
    ("broken-promise", "an optimiser need not use what it is told"),
    ("builtin-argument", "processors have an answer for zero, often the same"),
    ("call-type", "the functions get and return the same registers"),
    ("dangling", "the pointer is looked at and not followed, or the memory is still as it was"),
    ("dead-jump", "the memory of the function that has ended is still as it was"),
    ("effective-type", "no sanitizer looks for it, and optimisers may find nothing to move"),
    ("float-to-integer", "no sanitizer knows the width of a bit-field"),
    ("goto-into-vla", "the array is not used"),
    ("inconsistent-order", "the library happens not to ask the questions that contradict"),
    ("invalid-bool", "an optimiser need not look at the byte"),
    ("length-mismatch", "no sanitizer looks for it, and the elements are where they should be"),
    ("misaligned", "the pointer is not followed, or the processor does not care"),
    ("null-dereference", "nothing is accessed: the size is zero, or only an address is computed"),
    ("number-range", "the library has an answer for numbers that do not fit"),
    ("out-of-bounds", "the access stays inside a larger object, where sanitizers see no limit"),
    ("overlapping-assignment", "the bytes are read before they are written"),
    ("overlapping-copy", "the copy happens to go in the right direction"),
    ("pointer-arithmetic", "the pointer is not followed, and addresses wrap as expected"),
    ("pointer-comparison", "the objects happen to lie in the same order"),
    ("pointer-subtraction", "the objects happen to lie at the same distance"),
    ("restrict", "no sanitizer looks for it, and optimisers may find nothing to move"),
    ("restrict-assignment", "no sanitizer looks for it, and optimisers may find nothing to move"),
    ("setjmp-context", "C allows few contexts, and compilers more"),
    ("uninitialised", "the memory holds zeros, or the value has no effect on what is printed"),
    ("unsequenced", "no sanitizer looks for it, and both orders may give the same"),
    (
        "va-arg",
        "no sanitizer looks for it, and arguments of another type may use the same register",
    ),
    ("volatile-access", "no sanitizer looks for it"),
    ("write-to-const", "the object is on the stack, which can be written"),
    ("write-to-temporary", "nobody reads the temporary again"),
];

/// A program of the grammar.
#[derive(Clone)]
struct Corner {
    seed: u64,
    theme: &'static str,
    text: String,
}

/// What became of a program.
struct Outcome {
    verdict: &'static str,
    /// The kind of undefined behaviour, the cause or the feature.
    detail: String,
    /// What is wrong with the verdict.
    troubles: Vec<String>,
    /// Whether all compilers do the same and no sanitizer complains.
    agreed: bool,
}

/// Runs the command; true if nothing is wrong.
pub(super) fn run(arguments: &CornerArguments) -> Result<bool> {
    let corners = corners(arguments)?;
    let batches: Vec<&[Corner]> = corners.chunks(BATCH).collect();
    let cases: Vec<Case> = batches.iter().map(|batch| case(batch)).collect();
    let outcomes = check_all(&cases, |case| {
        let batch = batches.iter().find(|batch| case.name == name(batch));
        check(case, batch.expect("the case was made from a batch"))
    })?;
    let outcomes: Vec<(&Corner, Outcome)> =
        corners.iter().zip(outcomes.into_iter().flatten()).collect();
    Ok(report(&outcomes, arguments.verbose))
}

/// Different programs, of all themes in turn.
fn corners(arguments: &CornerArguments) -> Result<Vec<Corner>> {
    let grammar = Grammar::read(CORNERS);
    let mut themes = grammar.themes("case");
    if let Some(only) = &arguments.theme {
        themes.retain(|theme| theme == only);
        ensure!(!themes.is_empty(), "the grammar has no theme {only}");
    }
    let (mut corners, mut seen) = (Vec::new(), BTreeSet::new());
    // A theme may have no further programs.
    let last = arguments.first + 100 * arguments.programs as u64;
    for seed in arguments.first..last {
        let theme = themes[(seed % themes.len() as u64) as usize];
        let text = grammar.text(theme, &mut Choices::new(seed));
        if corners.len() < arguments.programs && seen.insert(text.clone()) {
            corners.push(Corner { seed, theme, text });
        }
    }
    Ok(corners)
}

fn name(batch: &[Corner]) -> String {
    format!("seeds from {}", batch[0].seed)
}

fn case(batch: &[Corner]) -> Case {
    Case {
        name: name(batch),
        sources: Vec::new(),
        flags: Vec::new(),
        dialect: Dialect::C17,
        permissive: false,
        directory: case_directory("judge", &batch[0].seed.to_string()),
    }
}

/// A program whose names end in `number`.
fn numbered(corner: &Corner, number: usize) -> String {
    corner.text.replace('@', &format!("_{number}"))
}

/// Checks the programs of one file, which goes away if nothing is wrong with them.
fn check(case: &Case, batch: &[Corner]) -> Result<Vec<Outcome>> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let source = case.directory.join("corners.c");
    let mut text = String::from(HEADERS);
    for (number, corner) in batch.iter().enumerate() {
        text.push_str(&format!("extern int mark_{number};\n{}\n", numbered(corner, number)));
    }
    text.push_str("extern int mark_end;\nint main(int count, char **words) {\n    switch (atoi(words[1])) {\n");
    for number in 0..batch.len() {
        text.push_str(&format!("    case {number}: case_{number}(); break;\n"));
    }
    text.push_str("    }\n    return 0;\n}\n");
    write(&source, text.as_bytes())?;
    let executables = build(case, &source)?;
    let texts = alone(case, &source, batch.len())?;
    let mut outcomes = Vec::new();
    for (number, text) in texts.into_iter().enumerate() {
        let mut runs = Vec::new();
        for executable in &executables {
            let mut program = Command::new(executable);
            program.arg(number.to_string()).env("ASAN_OPTIONS", "detect_leaks=0");
            runs.push(run_process(&mut program, &case.directory, RUN_LIMIT)?);
        }
        outcomes.push(judge(text, &runs));
    }
    if outcomes.iter().all(|outcome| outcome.troubles.is_empty()) {
        std::fs::remove_dir_all(&case.directory)?;
    }
    Ok(outcomes)
}

/// The executables, one for each way.
fn build(case: &Case, source: &Path) -> Result<Vec<PathBuf>> {
    let mut executables = Vec::new();
    for (index, way) in WAYS.iter().enumerate() {
        let executable = case.directory.join(format!("corners{index}"));
        let mut command = Command::new(way.compiler);
        command.args(way.flags).args(["-w", "-g", "-std=gnu17"]).arg(source);
        command.arg("-o").arg(&executable).arg("-lm");
        let compiled = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
        if !succeeded(&compiled) {
            let message = complaint(&compiled);
            bail!("{} fails on {}: {message}", way.name, source.display());
        }
        executables.push(executable);
    }
    Ok(executables)
}

/// The preprocessed text of each program with a `main` of its own.
fn alone(case: &Case, source: &Path, programs: usize) -> Result<Vec<String>> {
    let mut command = Command::new("gcc");
    command.args(["-E", "-P", "-std=gnu17"]).arg(source);
    let preprocessed = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
    let text = String::from_utf8(preprocessed.stdout)?;
    let mark = |mark: &str| {
        text.find(&format!("extern int mark_{mark};")).context("a mark is not in the text")
    };
    let headers = &text[..mark("0")?];
    let end = |number: usize| {
        if number == programs { mark("end") } else { mark(&number.to_string()) }
    };
    (0..programs)
        .map(|number| {
            let program = &text[end(number)?..end(number + 1)?];
            Ok(format!("{headers}{program}int main(void) {{ case_{number}(); return 0; }}\n"))
        })
        .collect()
}

/// The verdict of the machine beside what the executables did.
fn judge(text: String, runs: &[Finished]) -> Outcome {
    let first = (runs[0].ending, &runs[0].stdout);
    let mut outcome = Outcome {
        verdict: "defined",
        detail: String::new(),
        troubles: Vec::new(),
        agreed: runs.iter().all(|run| (run.ending, &run.stdout) == first),
    };
    let options =
        farrier_front::Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let inputs = [SourceText::new("corner.c".to_owned(), text)];
    let verdict = guarded(|| {
        let program = farrier_front::parse(&inputs, &options)
            .map_err(|failure| failure.diagnostic.message.clone())?;
        Ok::<Verdict, String>(farrier_machine::run(&program, &Default::default()).verdict)
    });
    (outcome.verdict, outcome.detail) = match verdict {
        Err(panic) => {
            outcome.troubles.push(format!("PANIC: {panic}"));
            ("panic", panic)
        }
        Ok(Err(refused)) => ("refused", refused),
        Ok(Ok(Verdict::Defined(behavior))) => {
            outcome.troubles = differences(&behavior, runs);
            ("defined", String::new())
        }
        Ok(Ok(Verdict::Undefined(found))) => ("undefined", found.kind.name().to_owned()),
        Ok(Ok(Verdict::Unspecified(found))) => ("unspecified", found.cause.name().to_owned()),
        Ok(Ok(Verdict::Unsupported(found))) => ("unsupported", found.feature),
        Ok(Ok(Verdict::Exhausted(limit))) => ("exhausted", format!("{limit:?}")),
    };
    outcome
}

/// Where the executables of a defined program do something else, or complain.
fn differences(behavior: &Behavior, runs: &[Finished]) -> Vec<String> {
    let differs = |(way, run): (&Way, &Finished)| {
        let difference = difference(behavior, run.ending, &run.stdout, way.name)?;
        let said = String::from_utf8_lossy(&run.stderr);
        let line = said.lines().find(|line| line.contains("rror:")).unwrap_or_default();
        Some(format!("{difference} {line}").trim_end().to_owned())
    };
    WAYS.iter().zip(runs).filter_map(differs).collect()
}

/// Prints what is wrong, then the counts; true if nothing is wrong.
fn report(outcomes: &[(&Corner, Outcome)], verbose: bool) -> bool {
    let mut themes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut kinds: BTreeMap<(&str, &str), (usize, usize, u64)> = BTreeMap::new();
    let mut wrong = 0;
    for (corner, outcome) in outcomes {
        *themes.entry(corner.theme).or_default().entry(outcome.verdict).or_default() += 1;
        if outcome.verdict != "defined" {
            let kind = kinds.entry((outcome.verdict, &outcome.detail)).or_default();
            kind.0 += 1;
            if outcome.agreed {
                kind.1 += 1;
                kind.2 = corner.seed;
            }
        }
        if !outcome.troubles.is_empty() || verbose {
            let Corner { seed, theme, text } = corner;
            println!("seed {seed}, {theme}: {} {}\n{text}", outcome.verdict, outcome.detail);
        }
        for trouble in &outcome.troubles {
            println!("    {trouble}");
        }
        wrong += usize::from(!outcome.troubles.is_empty());
    }
    println!("by theme:");
    for (theme, verdicts) in &themes {
        let verdicts: Vec<String> =
            verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        println!("    {theme}: {}", verdicts.join(", "));
    }
    println!("not defined, and how many of these all compilers and sanitizers agree on:");
    for ((verdict, detail), (count, agreed, seed)) in &kinds {
        let reason = SILENT.iter().find(|(kind, _)| kind == detail).map(|(_, reason)| *reason);
        let reason = match (*verdict, reason) {
            _ if *agreed == 0 => String::new(),
            ("undefined", None) => {
                wrong += 1;
                format!(" (seed {seed}); NOT EXPLAINED")
            }
            (_, None) => format!(" (seed {seed})"),
            (_, Some(reason)) => format!(" (seed {seed}); {reason}"),
        };
        println!("    {count:4} {verdict} {detail}: {agreed}{reason}");
    }
    let defined = outcomes.iter().filter(|(_, outcome)| outcome.verdict == "defined").count();
    println!(
        "{} programs: {defined} defined, {wrong} wrong; to repeat one: cargo xtask check judge \
         --theme THEME --first SEED --programs 1",
        outcomes.len()
    );
    wrong == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corners_use_every_rule_and_name_none_that_is_missing() {
        let grammar = Grammar::read(CORNERS);
        assert_eq!(grammar.faults("case"), Vec::<String>::new());
        assert!(grammar.themes("case").len() > 20);
    }
}
