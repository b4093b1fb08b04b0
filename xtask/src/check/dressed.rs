//! Dressed programs: g++ and clang++ must do what the machine says of the C underneath.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use farrier_lang::print::GuardStyle;
use farrier_lang::target::X86_64_LINUX;
use farrier_machine::{Behavior, Options, Watch};
use farrier_synth::dress::{Cplusplus, DRESSES, DressCount, Dressed, Dressing, dress, restrict};
use farrier_synth::features::Feature;
use farrier_synth::{Config, Generated, Preset, generate};

use super::difference;
use super::generated::{COMPILE_LIMIT, RUN_LIMIT, Way, way};
use crate::corpus::process::{complaint, run as run_process, succeeded};
use crate::corpus::{Case, case_directory, check_all, write};

/// Every way in which a program is compiled and run.
const WAYS: &[Way] = &[
    way("g++ -O0", "g++", &["-O0"]),
    way("g++ -O1", "g++", &["-O1"]),
    way("g++ -O2", "g++", &["-O2"]),
    way("g++ -O3", "g++", &["-O3"]),
    way("clang++ -O0", "clang++", &["-O0"]),
    way("clang++ -O1", "clang++", &["-O1"]),
    way("clang++ -O2", "clang++", &["-O2"]),
    way("clang++ -O3", "clang++", &["-O3"]),
    way(
        "the sanitizers of g++",
        "g++",
        &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ),
    way(
        "the sanitizers of clang++",
        "clang++",
        &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ),
];

/// What became of a seed.
struct Outcome {
    troubles: Vec<String>,
    /// The dresses that it wears.
    counts: Vec<DressCount>,
    statements: usize,
    dressed: usize,
    /// How long the program was drafted, certified and so on, and how long dressed.
    times: (Duration, Duration),
}

/// Checks the seeds; true if nothing is wrong.
pub(super) fn run(seeds: &[u64], size: usize, only: Option<Preset>) -> Result<bool> {
    let preset = |seed: u64| only.unwrap_or(Preset::ALL[seed as usize % Preset::ALL.len()]);
    let case = |seed: &u64| Case {
        name: format!("seed {seed}"),
        sources: Vec::new(),
        flags: Vec::new(),
        dialect: farrier_lang::Dialect::default(),
        permissive: false,
        directory: case_directory("dressed", &seed.to_string()),
    };
    let cases: Vec<Case> = seeds.iter().map(case).collect();
    let outcomes = check_all(&cases, |case| {
        let seed = case.name.trim_start_matches("seed ").parse()?;
        check(case, seed, preset(seed), size)
    })?;
    let mut wrong = 0;
    for ((seed, case), outcome) in seeds.iter().zip(&cases).zip(&outcomes) {
        for trouble in &outcome.troubles {
            println!(
                "seed {seed} ({}, {}): {trouble}",
                preset(*seed).name(),
                standard(*seed).name()
            );
        }
        if !outcome.troubles.is_empty() {
            wrong += 1;
            println!("    files: {}", case.directory.display());
        }
    }
    let sum = |count: fn(&Outcome) -> usize| outcomes.iter().map(count).sum::<usize>();
    let (statements, dressed) = (sum(|one| one.statements), sum(|one| one.dressed));
    println!(
        "{} seeds: {} behave as the machine says everywhere; {} % of the statements are spelled as C \
         cannot",
        seeds.len(),
        seeds.len() - wrong,
        dressed * 100 / statements.max(1),
    );
    let time = |part: fn(&Outcome) -> Duration| outcomes.iter().map(part).sum::<Duration>();
    let (drafting, dressing) = (time(|one| one.times.0), time(|one| one.times.1));
    println!(
        "dressing took {:.2} times as long as drafting: {:.1} s, {:.1} s",
        dressing.as_secs_f64() / drafting.as_secs_f64().max(1e-9),
        dressing.as_secs_f64(),
        drafting.as_secs_f64(),
    );
    println!("{:20} {:>7} {:>20}", "dress", "places", "executed statements");
    for row in DRESSES {
        let of = |count: fn(&DressCount) -> usize| -> usize {
            let counts = outcomes.iter().flat_map(|one| &one.counts);
            counts.filter(|one| one.name == row.name).map(count).sum()
        };
        println!("{:20} {:>7} {:>20}", row.name, of(|one| one.places), of(|one| one.executed));
    }
    Ok(wrong == 0)
}

/// The version of a seed.
fn standard(seed: u64) -> Cplusplus {
    Cplusplus::ALL[(seed / Preset::ALL.len() as u64) as usize % Cplusplus::ALL.len()]
}

fn make(seed: u64, preset: Preset, size: usize, extensions: bool) -> Option<Generated> {
    let mut config = Config { size, ..Config::default() };
    preset.apply(&mut config);
    restrict(&mut config);
    if !extensions {
        config.weights.without_extensions();
        // Compilers do not know each other's pragmas.
        for feature in [Feature::LoopHint, Feature::Ivdep, Feature::OmpSimd] {
            config.weights.set(feature, 0);
        }
        // Extensions in earlier versions: hexadecimal constants and designators.
        if standard(seed) < Cplusplus::Cpp17 {
            config.weights.set(Feature::Floating, 0);
        }
        if standard(seed) < Cplusplus::Cpp20 {
            config.weights.set(Feature::DesignatedInit, 0);
        }
    }
    // g++ 11 has no such builtin.
    config.weights.set(Feature::VectorShuffle, 0);
    generate(seed, &config).ok()
}

/// Checks one seed, whose files go away if nothing is wrong with it.
fn check(case: &Case, seed: u64, preset: Preset, size: usize) -> Result<Outcome> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let standard = standard(seed);
    let began = Instant::now();
    let made = make(seed, preset, size, true).context("every draft was refused")?;
    let drafted = Instant::now();
    let program = made.certified.program();
    let worn = dress(program, made.style, &Dressing::draw(standard, &X86_64_LINUX, seed));
    let times = (drafted - began, drafted.elapsed());
    let watched = Options { profile: Some(Watch::everything()), ..Options::default() };
    let profile = farrier_machine::run(program, &watched).profile;
    let counts = worn.census(&profile.context("a profile was asked for")?);
    let Dressed { text, statements, dressed, .. } = worn;
    let source = case.directory.join("test.cpp");
    write(&source, text.as_bytes())?;
    let mut troubles = Vec::new();
    for way in WAYS {
        troubles.extend(try_way(way, &source, standard, made.certified.behavior(), case)?);
    }
    if let Some(made) = make(seed, preset, size, false) {
        troubles.extend(strict(&made, standard, seed, case)?);
    }
    if troubles.is_empty() {
        std::fs::remove_dir_all(&case.directory)?;
    }
    Ok(Outcome { troubles, counts, statements, dressed, times })
}

/// What compilers say of a program whatever the language: what it does with values, and what it
/// does not use. The names of warnings begin with one of these; all others are about the language.
const ABOUT_MEANING: &[&str] = &[
    "address",
    "aggressive-loop",
    "array-bounds",
    "bitfield-constant",
    "bitwise-",
    "bool-",
    "char-subscripts",
    "constant-",
    "dangling-else",
    "div-by-zero",
    "division-by-zero",
    "duplicated",
    "empty-body",
    "enum-compare",
    "float-",
    "for-loop-analysis",
    "implicit-const-int-float",
    "implicit-fallthrough",
    "implicit-int-float",
    "infinite-recursion",
    "int-in-bool",
    "int-to-pointer",
    "literal-",
    "logical-",
    "maybe-uninitialized",
    "memset-",
    "misleading-indentation",
    "nonnull",
    "null-",
    "overflow",
    "parentheses",
    "pessimizing-move",
    "redundant-move",
    "restrict",
    "return-",
    "self-",
    "sequence-point",
    "shift-",
    "sign-compare",
    "sizeof-",
    "sometimes-uninitialized",
    "string",
    "switch",
    "tautological-",
    "type-limits",
    "uninitialized",
    "unreachable",
    "unsequenced",
    "unused",
];

/// Programs without extensions, bare and dressed, are C++ by the letter.
fn strict(made: &Generated, standard: Cplusplus, seed: u64, case: &Case) -> Result<Vec<String>> {
    let mut troubles = Vec::new();
    let bare = Dressing { standard, worn: Vec::new() };
    for (name, dressing) in
        [("bare", bare), ("dressed", Dressing::draw(standard, &X86_64_LINUX, seed))]
    {
        let text = dress(made.certified.program(), GuardStyle::Wrappers, &dressing).text;
        let source = case.directory.join(format!("{name}.cpp"));
        write(&source, text.as_bytes())?;
        for compiler in ["g++", "clang++"] {
            let mut command = Command::new(compiler);
            command.args(["-Wall", "-Wextra", "-pedantic-errors", "-fsyntax-only"]);
            command.arg(standard.flag().replace("gnu", "c")).arg(&source);
            let finished = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
            if !succeeded(&finished) {
                troubles.push(format!("{compiler} -pedantic-errors: {}", complaint(&finished)));
            }
            let said = String::from_utf8_lossy(&finished.stderr);
            // Some messages quote several lines before they name the warning.
            let about_language = said.split("warning: ").skip(1).filter(|one| {
                let warning = one.split_once("[-W").map(|(_, name)| name);
                warning
                    .is_none_or(|name| !ABOUT_MEANING.iter().any(|known| name.starts_with(known)))
            });
            troubles.extend(
                about_language.map(|one| {
                    format!("{compiler} says: {}", one.lines().next().unwrap_or_default())
                }),
            );
        }
    }
    Ok(troubles)
}

/// Compiles in one way and runs.
fn try_way(
    way: &Way,
    source: &Path,
    standard: Cplusplus,
    behavior: &Behavior,
    case: &Case,
) -> Result<Option<String>> {
    let executable = case.directory.join("test");
    let mut command = Command::new(way.compiler);
    command.args(["-w", "-ffp-contract=off", "-Wno-error=parentheses"]).args(way.flags);
    command.arg(standard.flag()).arg(source).arg("-o").arg(&executable).arg("-lm");
    let compiled = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
    if !succeeded(&compiled) {
        return Ok(Some(format!("{}: {}", way.name, complaint(&compiled))));
    }
    let mut program = Command::new(&executable);
    program.env("ASAN_OPTIONS", "detect_leaks=0");
    let finished = run_process(&mut program, &case.directory, RUN_LIMIT)?;
    let found = difference(behavior, finished.ending, &finished.stdout, way.name);
    Ok(found.map(|difference| {
        let said = String::from_utf8_lossy(&finished.stderr);
        let line = said.lines().find(|line| line.contains("rror")).unwrap_or_default();
        format!("{difference} {line}").trim_end().to_owned()
    }))
}
