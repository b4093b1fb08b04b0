//! Mutants: every compiler must do what the machine says, and an equivalent mutant what its
//! original does.

use anyhow::{Context, Result, ensure};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Behavior, Certified, Options, certify};
use farrier_synth::mutate::{Lineage, Mutant, STRATEGIES, Settings, Strategy, StrategyRow};
use farrier_synth::{Choices, Config, generate};

use super::generated::{Plan, try_all, try_way};
use crate::corpus::tree::{Parsed, guarded, parse};
use crate::corpus::{Case, case_directory, check_all, percent, torture, write};

/// Which mutants.
#[derive(clap::Args)]
pub(crate) struct MutantArguments {
    /// How many mutants of each strategy are given to compilers
    #[arg(long, default_value_t = 500)]
    count: usize,
    /// Only this strategy
    #[arg(long)]
    only: Option<String>,
    /// The first original; even numbers are generated programs, odd ones tests of GCC
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Only count the tests of GCC with dead code that get an insertion
    #[arg(long)]
    dead: bool,
    /// Only count the blocks added by Hermes that `gcc -O2` does not see to be dead
    #[arg(long)]
    markers: bool,
    /// Of how many generated programs ten equivalent mutants each must do the same
    #[arg(long, default_value_t = 100)]
    seeds: u64,
}

/// How many mutants an original has, each made from the one before.
const ROUNDS: u64 = 5;

/// How many equivalent ones it has.
const EQUIVALENT_ROUNDS: u64 = 10;

/// The part of the tests of GCC with dead code that must get an insertion, in percent.
const INSERTED_PERCENT: f64 = 95.0;

/// The part of the markers in blocks that never run that `gcc -O2` must keep, in percent.
const SURVIVING_PERCENT: f64 = 50.0;

/// With how many seeds an insertion is tried.
const INSERTION_SEEDS: u64 = 3;

/// How long a generated program is.
const SIZE: usize = 6_000;

/// How many operations an original may need.
const STEPS: u64 = 5_000_000;

/// So many originals are taken for each one that would do if none were refused.
const MORE_ORIGINALS: usize = 6;

/// So many originals are worked on before their mutants are counted.
const BATCH: usize = 8;

/// What became of an original.
#[derive(Default)]
struct Outcome {
    mutants: usize,
    /// Rounds that had no mutant.
    refused: usize,
    troubles: Vec<String>,
    false_alarms: usize,
}

/// Runs the command; true if nothing is wrong.
pub(super) fn run(arguments: &MutantArguments) -> Result<bool> {
    let only = arguments.only.as_deref();
    if arguments.markers {
        return check_markers(arguments.seeds);
    }
    let tests = torture::selected(None)?;
    if arguments.dead {
        return check_dead_code(&tests);
    }
    let mut wrong = 0;
    for row in STRATEGIES.iter().filter(|row| only.is_none_or(|name| name == row.name)) {
        wrong += check_strategy(row, arguments, &tests)?;
    }
    Ok(wrong == 0 && (only.is_some() || check_equivalence(arguments.seeds)?))
}

/// Gives mutants of a strategy to all compilers; how many originals have troubles.
fn check_strategy(row: &StrategyRow, arguments: &MutantArguments, tests: &[Case]) -> Result<usize> {
    let most = MORE_ORIGINALS * arguments.count.div_ceil(ROUNDS as usize);
    let mut number = arguments.first;
    let mut total = Outcome::default();
    let mut wrong = 0;
    while total.mutants < arguments.count && number < arguments.first + most as u64 {
        let batch: Vec<u64> = (number..).take(BATCH).collect();
        number += BATCH as u64;
        let cases: Vec<Case> = batch.iter().map(|number| case(row, *number)).collect();
        let outcomes = check_all(&cases, |case| check(row, number_of(case)?, case, tests))?;
        for (case, outcome) in cases.iter().zip(outcomes) {
            total.mutants += outcome.mutants;
            total.refused += outcome.refused;
            total.false_alarms += outcome.false_alarms;
            for trouble in &outcome.troubles {
                println!("{}: {trouble}", case.name);
            }
            if !outcome.troubles.is_empty() {
                wrong += 1;
                println!(
                    "    files: {}\n    to repeat: cargo xtask check mutate --only {} --first {} \
                     --count 1",
                    case.directory.display(),
                    row.name,
                    number_of(case)?,
                );
            }
        }
    }
    let Outcome { mutants, refused, false_alarms, .. } = total;
    println!(
        "{}: {mutants} mutants agree but for {wrong} originals with troubles; {refused} rounds \
         without a mutant, {false_alarms} false alarms of a sanitizer",
        row.name
    );
    Ok(wrong)
}

fn case(row: &StrategyRow, number: u64) -> Case {
    let name = format!("{} {number}", row.name);
    Case {
        directory: case_directory("mutate", &name.replace(' ', "-")),
        name,
        sources: Vec::new(),
        flags: Vec::new(),
        dialect: Dialect::C17,
        permissive: false,
    }
}

fn number_of(case: &Case) -> Result<u64> {
    let (_, number) = case.name.split_once(' ').context("a case has a number")?;
    Ok(number.parse()?)
}

/// Checks the mutants of an original, whose files go away if nothing is wrong with them.
fn check(row: &StrategyRow, number: u64, case: &Case, tests: &[Case]) -> Result<Outcome> {
    std::fs::create_dir_all(&case.directory)
        .with_context(|| format!("cannot create {}", case.directory.display()))?;
    let mut outcome = Outcome::default();
    if let Some(original) = original(number, case, tests)? {
        let settings = Settings { with: vec![row.strategy], ..Settings::default() };
        let donors: Vec<Certified> = generated(number + 1).into_iter().collect();
        let mut lineage = Lineage::new(&original, &options());
        lineage.expose();
        for round in 0..ROUNDS {
            let seed = Choices::derive_seed(number, round);
            match guarded(|| lineage.grow(seed, &donors, &settings)) {
                Ok(Ok(mutant)) => {
                    outcome.mutants += 1;
                    try_mutant(&mutant, &original, round, case, &mut outcome)?;
                }
                Ok(Err(_)) => outcome.refused += 1,
                Err(panic) => {
                    outcome.troubles.push(format!("mutant {round}: PANIC: {panic}"));
                    break;
                }
            }
        }
    }
    if outcome.troubles.is_empty() {
        std::fs::remove_dir_all(&case.directory)?;
    }
    Ok(outcome)
}

/// Gives a mutant to all compilers. Where they disagree about the original in the same way, as
/// some do about tests of GCC, the mutant says nothing.
fn try_mutant(
    mutant: &Mutant,
    original: &Certified,
    round: u64,
    case: &Case,
    outcome: &mut Outcome,
) -> Result<()> {
    let (target, dialect) = (&X86_64_LINUX, Dialect::C17);
    let (tier, features, foreign) = (None, Vec::new(), None);
    let plan = Plan { target, dialect, size: SIZE, split: 0, tier, features, foreign };
    let path = case.directory.join(format!("mutant{round}.c"));
    write(&path, mutant.text.as_bytes())?;
    let opinions = try_all(&[path], &mutant.certified, case, &plan)?;
    outcome.false_alarms += opinions.false_alarms.len();
    for (way, trouble) in opinions.troubles {
        let path = case.directory.join("original.c");
        write(&path, print(original.program(), &PrintOptions::default()).as_bytes())?;
        if try_way(way, &[path], original.behavior(), case, &plan)?.is_none() {
            outcome.troubles.push(format!("mutant {round}: {trouble}"));
        }
    }
    Ok(())
}

fn options() -> Options {
    Options { steps: STEPS, ..Options::default() }
}

/// A generated program, or a test of GCC if it is defined.
fn original(number: u64, case: &Case, tests: &[Case]) -> Result<Option<Certified>> {
    if number.is_multiple_of(2) {
        return Ok(generated(number));
    }
    // In a large step, so that a few of them are of all kinds.
    let test = &tests[(number as usize / 2 * 89) % tests.len()];
    if test.sources.len() > 1 {
        return Ok(None);
    }
    let test = Case { directory: case.directory.clone(), ..test.clone() };
    let Parsed::Program(program) = parse(&test)? else { return Ok(None) };
    Ok(read(&[SourceText::new("a.c", print(&program, &PrintOptions::default()))]))
}

fn generated(seed: u64) -> Option<Certified> {
    let config = Config { size: SIZE, ..Config::default() };
    read(&generate(seed, &config).ok()?.files)
}

fn read(sources: &[SourceText]) -> Option<Certified> {
    let reading =
        farrier_front::Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    certify(farrier_front::parse(sources, &reading).ok()?, &options()).ok()
}

/// Whether Athena inserts something into nearly all tests of GCC that have dead code.
fn check_dead_code(tests: &[Case]) -> Result<bool> {
    let settings = Settings { with: vec![Strategy::Athena], edits: (1, 1), ..Settings::default() };
    let donors: Vec<Certified> = generated(1).into_iter().collect();
    let inserted = check_all(tests, |test| {
        if test.sources.len() > 1 {
            return Ok(None);
        }
        std::fs::create_dir_all(&test.directory)?;
        let program = parse(test)?;
        std::fs::remove_dir_all(&test.directory)?;
        let Parsed::Program(program) = program else { return Ok(None) };
        let text = print(&program, &PrintOptions::default());
        let Some(original) = read(&[SourceText::new("a.c", text)]) else { return Ok(None) };
        let mut lineage = Lineage::new(&original, &options());
        if !lineage.dead_stmts().is_ok_and(|dead| dead > 0) {
            return Ok(None);
        }
        Ok(Some((0..INSERTION_SEEDS).any(|seed| lineage.grow(seed, &donors, &settings).is_ok())))
    })?;
    for (test, inserted) in tests.iter().zip(&inserted) {
        if *inserted == Some(false) {
            println!("{}: nothing could be inserted", test.name);
        }
    }
    let (with, without): (Vec<bool>, Vec<bool>) =
        inserted.into_iter().flatten().partition(|inserted| *inserted);
    let (with, all) = (with.len(), with.len() + without.len());
    let percent = percent(with, all);
    println!("{with} of {all} defined tests with dead code get an insertion: {percent:.1} %");
    Ok(percent >= INSERTED_PERCENT)
}

/// Whether blocks that Hermes adds are dead for the machine alone: each calls a function that is
/// nowhere defined, and the call is still in the code that `gcc -O2` makes.
fn check_markers(seeds: u64) -> Result<bool> {
    let settings = Settings { with: vec![Strategy::Hermes], ..Settings::default() };
    let cases: Vec<Case> = (0..seeds).map(|seed| case(&STRATEGIES[0], seed)).collect();
    let counts = check_all(&cases, |case| {
        let seed = number_of(case)?;
        let Some(original) = generated(seed) else { return Ok((0, 0)) };
        let mut lineage = Lineage::new(&original, &options()).with_markers();
        let Ok(mutant) = lineage.grow(seed, &[], &settings) else { return Ok((0, 0)) };
        std::fs::create_dir_all(&case.directory)?;
        let (source, code) = (case.directory.join("a.c"), case.directory.join("a.s"));
        write(&source, mutant.text.as_bytes())?;
        let compiled = std::process::Command::new("gcc")
            .args(["-w", "-O2", "-S", "-o"])
            .args([&code, &source])
            .status()?;
        ensure!(compiled.success(), "gcc refuses {}", source.display());
        let (text, code) = (mutant.text, std::fs::read_to_string(&code)?);
        std::fs::remove_dir_all(&case.directory)?;
        let names = (1..).map(|number| format!("marker_{number}"));
        let names: Vec<String> = names.take_while(|name| has_word(&text, name)).collect();
        Ok((names.len(), names.iter().filter(|name| has_word(&code, name)).count()))
    })?;
    let (all, kept) = counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let percent = percent(kept, all);
    println!("gcc -O2 keeps {kept} of {all} blocks that never run: {percent:.1} %");
    Ok(percent >= SURVIVING_PERCENT)
}

/// Whether a text has a name that is not the beginning of a longer number.
fn has_word(text: &str, name: &str) -> bool {
    let mut rests = text.split(name).skip(1);
    rests.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether equivalent mutants do what their originals do.
fn check_equivalence(seeds: u64) -> Result<bool> {
    let equivalent = STRATEGIES.iter().filter(|row| row.equivalent);
    let with = equivalent.map(|row| row.strategy).collect();
    let settings = Settings { with, ..Settings::default() };
    let numbers: Vec<Case> = (0..seeds).map(|seed| case(&STRATEGIES[0], seed)).collect();
    let counts = check_all(&numbers, |case| {
        let seed = number_of(case)?;
        let Some(original) = generated(seed) else { return Ok((0, 0)) };
        let donors: Vec<Certified> = generated(seed + 1).into_iter().collect();
        let mut lineage = Lineage::new(&original, &options());
        let mut counts = (0, 0);
        for round in 0..EQUIVALENT_ROUNDS {
            let seed = Choices::derive_seed(seed, round);
            let Ok(mutant) = lineage.grow(seed, &donors, &settings) else { continue };
            counts.0 += 1;
            if !is_same(mutant.certified.behavior(), original.behavior()) {
                counts.1 += 1;
                println!("seed {} and round {round}: it does something else", number_of(case)?);
            }
        }
        Ok(counts)
    })?;
    let (all, different) =
        counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    println!("{all} equivalent mutants of {seeds} seeds: {different} do something else");
    Ok(different == 0)
}

/// Whether two programs do the same, whatever they cost.
fn is_same(one: &Behavior, other: &Behavior) -> bool {
    Behavior { steps: 0, ..one.clone() } == Behavior { steps: 0, ..other.clone() }
}
