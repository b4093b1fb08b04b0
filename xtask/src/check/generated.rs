//! Programs of the generator: every compiler must do what the machine says.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use farrier_front::Input;
use farrier_lang::target::{AVR, I386_LINUX, TARGETS};
use farrier_lang::{Dialect, Target, shape};
use farrier_machine::Behavior;
use farrier_synth::features::FEATURES;
use farrier_synth::{Config, Generated, Preset, generate};

use super::difference;
use crate::corpus::process::{complaint, run as run_process, succeeded};
use crate::corpus::tree::guarded;
use crate::corpus::{Case, case_directory, check_all, write};

/// Which programs.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The first seed
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// The last seed
    #[arg(long, default_value_t = 100)]
    to: u64,
    /// The kind of programs: default, csmith or yarpgen [default: one after the other]
    #[arg(long)]
    preset: Option<String>,
    /// How long they are, in bytes
    #[arg(long, default_value_t = 20_000)]
    size: usize,
    /// x86_64-linux or i386-linux
    #[arg(long, default_value = "x86_64-linux")]
    target: String,
    /// c99, c11, c17 or c23
    #[arg(long = "std", default_value = "c17")]
    standard: String,
}

const COMPILE_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(30);

/// A way to compile a program.
struct Way {
    name: &'static str,
    compiler: &'static str,
    flags: &'static [&'static str],
}

const fn way(name: &'static str, compiler: &'static str, flags: &'static [&'static str]) -> Way {
    Way { name, compiler, flags }
}

const LEVELS: &[Way] = &[
    way("gcc -O0", "gcc", &["-O0"]),
    way("gcc -O1", "gcc", &["-O1"]),
    way("gcc -O2", "gcc", &["-O2"]),
    way("gcc -O3", "gcc", &["-O3"]),
    way("clang -O0", "clang", &["-O0"]),
    way("clang -O1", "clang", &["-O1"]),
    way("clang -O2", "clang", &["-O2"]),
    way("clang -O3", "clang", &["-O3"]),
];

/// What a sanitizer reports ends the program, so that it differs from what is expected.
const SANITIZERS: &[Way] = &[
    way(
        "the sanitizers of clang for addresses and undefined behaviour",
        "clang",
        &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ),
    way("the sanitizer of clang for memory", "clang", &["-g", "-O1", "-fsanitize=memory"]),
    way(
        "the sanitizers of gcc for addresses and undefined behaviour",
        "gcc",
        &["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    ),
];

/// What all programs have in common.
struct Plan {
    target: &'static Target,
    dialect: Dialect,
    size: usize,
}

/// What became of a seed.
struct Outcome {
    /// Everything that is wrong.
    troubles: Vec<String>,
    /// Whether there was a program at all.
    made: bool,
}

/// Runs the command; true if nothing is wrong.
pub(super) fn run(arguments: &Arguments) -> Result<bool> {
    let target = TARGETS.into_iter().find(|target| target.name == arguments.target);
    let target = target.context("there is no such target")?;
    ensure!(target.name != AVR.name, "programs for {} cannot be run here", target.name);
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == arguments.standard);
    let dialect = dialect.context("there is no such standard")?;
    let only = match &arguments.preset {
        Some(name) => Some(Preset::by_name(name).context("there is no such preset")?),
        None => None,
    };
    let plan = Plan { target, dialect, size: arguments.size };
    let seeds: Vec<u64> = (arguments.from..=arguments.to).collect();
    // One after the other, so that a few seeds show them all.
    let preset = |seed: u64| only.unwrap_or(Preset::ALL[(seed % 3) as usize]);
    let cases: Vec<Case> = seeds.iter().map(|seed| case(*seed, preset(*seed), &plan)).collect();
    let outcomes = check_all(&cases, |case| {
        let seed = case.name.trim_start_matches("seed ").parse()?;
        check(case, seed, preset(seed), &plan)
    })?;
    let mut wrong = 0;
    for ((seed, case), outcome) in seeds.iter().zip(&cases).zip(&outcomes) {
        for trouble in &outcome.troubles {
            println!("{} ({}): {trouble}", case.name, preset(*seed).name());
        }
        if !outcome.troubles.is_empty() {
            wrong += 1;
            println!(
                "    files: {}\n    to repeat: cargo xtask check gen --from {seed} --to {seed} \
                 --preset {} --size {} --target {} --std {}",
                case.directory.display(),
                preset(*seed).name(),
                plan.size,
                plan.target.name,
                plan.dialect.name(),
            );
        }
    }
    let made = outcomes.iter().filter(|outcome| outcome.made).count();
    println!(
        "{} seeds: {made} programs, {} of them behave as the machine says everywhere; {wrong} seeds \
         with troubles",
        seeds.len(),
        outcomes.iter().filter(|outcome| outcome.made && outcome.troubles.is_empty()).count(),
    );
    Ok(wrong == 0)
}

fn case(seed: u64, preset: Preset, plan: &Plan) -> Case {
    let directory = case_directory(&format!("gen-{}", preset.name()), &seed.to_string());
    Case {
        name: format!("seed {seed}"),
        sources: Vec::new(),
        flags: Vec::new(),
        dialect: plan.dialect,
        permissive: false,
        directory,
    }
}

fn config(preset: Preset, plan: &Plan) -> Config {
    let mut config =
        Config { target: plan.target, dialect: plan.dialect, size: plan.size, ..Config::default() };
    preset.apply(&mut config);
    config
}

/// Checks one seed, whose files go away if nothing is wrong with it.
fn check(case: &Case, seed: u64, preset: Preset, plan: &Plan) -> Result<Outcome> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let mut troubles = Vec::new();
    let config = config(preset, plan);
    let made = make(seed, &config, &mut troubles);
    if let Some(made) = &made {
        let source = case.directory.join("test.c");
        write(&source, made.files[0].text.as_bytes())?;
        troubles.extend(round_trip(made, plan));
        let behavior = made.certified.behavior();
        let sanitizers = if plan.target.name == I386_LINUX.name { &[] } else { SANITIZERS };
        for way in LEVELS.iter().chain(sanitizers) {
            troubles.extend(try_way(way, &source, behavior, case, plan)?);
        }
    }
    let mut strict = config;
    for row in FEATURES.iter().filter(|row| row.gnu) {
        strict.weights.set(row.feature, 0);
    }
    if let Some(made) = make(seed, &strict, &mut troubles) {
        let source = case.directory.join("strict.c");
        write(&source, made.files[0].text.as_bytes())?;
        for compiler in ["gcc", "clang"] {
            let mut command = Command::new(compiler);
            command.args(["-w", "-pedantic-errors", "-fsyntax-only", width(plan)]);
            command.arg(format!("-std={}", dialect_flag(plan, "c"))).arg(&source);
            let finished = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
            if !succeeded(&finished) {
                let message = complaint(&finished);
                troubles.push(format!("{compiler} -pedantic-errors: {message}"));
            }
        }
    }
    if troubles.is_empty() {
        std::fs::remove_dir_all(&case.directory)?;
    }
    Ok(Outcome { troubles, made: made.is_some() })
}

fn make(seed: u64, config: &Config, troubles: &mut Vec<String>) -> Option<Generated> {
    match guarded(|| generate(seed, config)) {
        Ok(Ok(made)) => Some(made),
        Ok(Err(refused)) => {
            let last = refused.last().map(|reason| format!("{reason:?}")).unwrap_or_default();
            troubles.push(format!("every draft is refused, the last one: {last}"));
            None
        }
        Err(panic) => {
            troubles.push(format!("PANIC: {panic}"));
            None
        }
    }
}

/// The front end must read what was printed.
fn round_trip(made: &Generated, plan: &Plan) -> Option<String> {
    let inputs = [Input { name: "test.c".into(), text: made.files[0].text.as_str().into() }];
    let options =
        farrier_front::Options { target: plan.target, dialect: plan.dialect, permissive: false };
    match guarded(|| farrier_front::parse(&inputs, &options)) {
        Ok(Ok(program)) => shape::difference(&program, made.certified.program())
            .map(|difference| format!("another program is read: {difference}")),
        Ok(Err(failure)) => Some(format!("refused: {}", failure.diagnostic.message)),
        Err(panic) => Some(format!("PANIC of the front end: {panic}")),
    }
}

/// Compiles in one way and runs.
fn try_way(
    way: &Way,
    source: &PathBuf,
    behavior: &Behavior,
    case: &Case,
    plan: &Plan,
) -> Result<Option<String>> {
    let executable = case.directory.join("test");
    let mut command = Command::new(way.compiler);
    command.arg("-w").args(way.flags).arg(width(plan));
    command.arg(format!("-std={}", dialect_flag(plan, "gnu")));
    command.arg(source).arg("-o").arg(&executable);
    let compiled = run_process(&mut command, &case.directory, COMPILE_LIMIT)?;
    if !succeeded(&compiled) {
        return Ok(Some(format!("{}: {}", way.name, complaint(&compiled))));
    }
    let mut program = Command::new(&executable);
    // Nothing is allocated, and where processes cannot be traced the search for leaks fails.
    program.env("ASAN_OPTIONS", "detect_leaks=0");
    let finished = run_process(&mut program, &case.directory, RUN_LIMIT)?;
    Ok(difference(behavior, finished.ending, &finished.stdout, way.name).map(|difference| {
        let said = String::from_utf8_lossy(&finished.stderr);
        let line = said.lines().find(|line| line.contains("rror")).unwrap_or_default();
        format!("{difference} {line}").trim_end().to_owned()
    }))
}

fn width(plan: &Plan) -> &'static str {
    if plan.target.name == I386_LINUX.name { "-m32" } else { "-m64" }
}

/// The standard as gcc 12 and clang 14 call it.
fn dialect_flag(plan: &Plan, flavour: &str) -> String {
    let name = match plan.dialect {
        Dialect::C23 => "c2x",
        other => other.name(),
    };
    name.replacen('c', flavour, 1)
}
