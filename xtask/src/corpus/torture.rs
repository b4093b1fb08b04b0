//! gcc.c-torture/execute: the programs with which GCC tests itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use farrier_lang::Dialect;

use super::{Case, case_directory, check_all, directives, refused, report};
use super::{round_trip, suite, write};
use crate::repository::root;

/// The part of the corpus that must be accepted, in percent.
const ACCEPTED_PERCENT: f64 = 98.0;

/// One program in this many is in the sample.
const SAMPLE_STEP: usize = 40;

/// A directory of the corpus and the options that its Tcl script gives to every program.
struct Group {
    directory: &'static str,
    flags: &'static [&'static str],
    /// A program is the file, its `-lib.c` and `lib/main.c`.
    with_library: bool,
}

const GROUPS: &[Group] = &[
    Group { directory: "", flags: &[], with_library: false },
    Group {
        directory: "builtins/",
        flags: &[
            "-fno-tree-dse",
            "-fno-tree-loop-distribute-patterns",
            "-fno-tracer",
            "-fno-ipa-ra",
            "-fno-inline-functions",
        ],
        with_library: true,
    },
    Group { directory: "ieee/", flags: &["-fno-inline"], with_library: false },
];

/// Checks the whole corpus, or the files whose name contains `only`.
pub(super) fn run(only: Option<&str>, write_page: bool) -> Result<bool> {
    let cases = selected(only)?;
    let outcomes = check_all(&cases, round_trip::check)?;
    let counts = report(&cases, &outcomes);
    println!("to repeat one program: cargo xtask corpus torture --only NAME");
    if write_page {
        write(&root().join(refused::PATH), refused::page(&cases, &outcomes).as_bytes())?;
        println!("wrote {}", refused::PATH);
    }
    Ok(counts.failed == 0 && (only.is_some() || counts.accepted_percent() >= ACCEPTED_PERCENT))
}

/// Checks a small fixed part of the corpus, which must agree with the page of refusals.
pub(super) fn run_sample() -> Result<bool> {
    let cases = sample()?;
    let outcomes = check_all(&cases, round_trip::check)?;
    let counts = report(&cases, &outcomes);
    let page = std::fs::read_to_string(root().join(refused::PATH))
        .with_context(|| format!("cannot read {}", refused::PATH))?;
    let disagreements = refused::disagreements(&page, &cases, &outcomes);
    for disagreement in &disagreements {
        println!("{disagreement}; run cargo xtask corpus torture --write");
    }
    Ok(counts.failed == 0 && disagreements.is_empty())
}

/// The whole corpus, or the files whose name contains `only`.
pub(crate) fn selected(only: Option<&str>) -> Result<Vec<Case>> {
    let mut cases = cases(&unpack()?)?;
    if let Some(text) = only {
        cases.retain(|case| case.name.contains(text));
        ensure!(!cases.is_empty(), "no file of the corpus has `{text}` in its name");
    }
    Ok(cases)
}

/// All tests of GCC that are run, or the files whose name contains `only`.
pub(crate) fn run_time_tests(only: Option<&str>) -> Result<Vec<Case>> {
    let mut all = cases(&unpack()?)?;
    for case in &mut all {
        case.name.insert_str(0, "gcc.c-torture/execute/");
    }
    for (name, runs_by_default) in [("gcc.dg/torture", false), ("gcc.dg/vect", true)] {
        let directory = suite::unpack()?.join(name);
        for file in c_files(&directory)? {
            let mut case = case(&GROUPS[0], &directory, &file)?;
            let text = String::from_utf8_lossy(&std::fs::read(&case.sources[0])?).into_owned();
            if directives::is_run(&text, runs_by_default) {
                case.name = format!("{name}/{file}");
                case.directory = case_directory("reach", &case.name);
                all.push(case);
            }
        }
    }
    all.retain(|case| only.is_none_or(|text| case.name.contains(text)));
    ensure!(!all.is_empty(), "no test has that in its name");
    Ok(all)
}

/// A small fixed part of the corpus.
pub(crate) fn sample() -> Result<Vec<Case>> {
    Ok(cases(&unpack()?)?.into_iter().step_by(SAMPLE_STEP).collect())
}

/// The directory of the corpus.
fn unpack() -> Result<PathBuf> {
    Ok(suite::unpack()?.join("gcc.c-torture/execute"))
}

/// All programs of the corpus, sorted by name.
fn cases(corpus: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for group in GROUPS {
        let directory = corpus.join(group.directory);
        for name in c_files(&directory)? {
            if !(group.with_library && name.ends_with("-lib.c")) {
                cases.push(case(group, &directory, &name)?);
            }
        }
    }
    Ok(cases)
}

/// The names of the C files in a directory, sorted.
fn c_files(directory: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(directory)
        .with_context(|| format!("cannot read {}", directory.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".c") {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn case(group: &Group, directory: &Path, name: &str) -> Result<Case> {
    let source = directory.join(name);
    // Some tests are about bytes that are not UTF-8; the directives are ASCII.
    let bytes =
        std::fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let script = std::fs::read_to_string(source.with_extension("x")).unwrap_or_default();
    let mut flags: Vec<String> = group.flags.iter().map(|flag| (*flag).to_owned()).collect();
    flags.extend(directives::tcl_options(&script));
    flags.extend(directives::options(&text));
    let mut sources = vec![source];
    if group.with_library {
        sources.push(directory.join(name.replace(".c", "-lib.c")));
        sources.push(directory.join("lib/main.c"));
    }
    let full_name = format!("{}{name}", group.directory);
    Ok(Case {
        directory: case_directory("torture", &full_name),
        name: full_name,
        dialect: dialect(&flags),
        sources,
        flags,
        permissive: true,
    })
}

/// The dialect that the options ask for. C89 is read as C99, which the front end accepts
/// with the habits of C89.
fn dialect(flags: &[String]) -> Dialect {
    let names = ["c89", "c90", "c99", "gnu89", "gnu90", "gnu99"];
    let asks_for = |flag: &String| flag.strip_prefix("-std=").is_some_and(|n| names.contains(&n));
    if flags.iter().any(asks_for) { Dialect::C99 } else { Dialect::C17 }
}
