//! `farrier mutate`: changes programs, and knows what the new ones do.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use farrier_harness::{default_compiler, parse_subjects};
use farrier_lang::{Dialect, Program, SourceText, Target};
use farrier_machine::{Certified, Ending, Options, certify};
use farrier_synth::mutate::{Count, Lineage, Mutant, Refusal, Round, STRATEGIES, Settings};
use farrier_synth::{Choices, Config, generate};
use serde_json::{Value, json};

use crate::cli::{
    MUTATE_STEPS, MutateArguments, ProgramArguments, Standard, edits_text, number_text,
};
use crate::commands::{check, heading, load};
use crate::host::draw_seed;
use crate::hunt::Corpus;
use crate::terminal::{Line, Talk, replay};
use crate::{Status, output};

/// The part of a seed that decides about the generated program of which mutations take parts; the
/// parts after it decide about those from elsewhere.
const DONOR: u64 = 0x0064_6f6e_6f72;

/// As many programs from elsewhere are drawn.
const FOREIGN: u64 = 7;

/// How long the generated program is.
const DONOR_SIZE: usize = 8_000;

/// Runs the command.
pub(crate) fn run(arguments: &MutateArguments, talk: Talk) -> anyhow::Result<Status> {
    let MutateArguments { count, .. } = *arguments;
    if count > 1 && arguments.output.is_none() && !arguments.json {
        bail!("{count} mutants are too many for standard output: name a directory with -o");
    }
    let seed = arguments.seed.unwrap_or_else(draw_seed);
    let path = |number| {
        arguments.output.as_deref().map(|directory| file(arguments, directory, seed, number))
    };
    if let Some(directory) = &arguments.output {
        // First of all, so that nothing is written if not all of it can be.
        if !arguments.force {
            output::refuse_existing(&(1..=count).filter_map(path).collect::<Vec<PathBuf>>())?;
        }
        output::make_directory(directory)?;
    }
    let program = load::program(&arguments.program, talk)?;
    let options = Options { steps: arguments.steps, ..Options::default() };
    let original = match certify(program.clone(), &options) {
        Ok(original) => original,
        Err(verdict) => {
            check::report(&program, &verdict, talk);
            return Ok(check::status(&verdict));
        }
    };
    let settings = settings(arguments);
    let mut donors: Vec<Certified> = donor(&program, seed, &options).into_iter().collect();
    if let Some(directory) = &arguments.corpus {
        donors.extend(foreign(arguments, directory, seed)?);
    }
    let mut lineage = Lineage::new(&original, &options);
    lineage.expose();
    let mut line = Line::new(Duration::ZERO, None);
    let (mut mutants, mut missing) = (Vec::new(), Vec::new());
    for number in 1..=count {
        line.show(|| format!("{number} of {count}"));
        match lineage.grow(Choices::derive_seed(seed, number.into()), &donors, &settings) {
            Ok(mutant) => {
                let command = command(arguments, seed, number);
                let text = header(&command, lineage.rounds(), &mutant) + &mutant.text;
                let path = path(number);
                // Where there is no file, the text is in the document.
                if path.is_some() || !arguments.json {
                    output::write(path.as_deref(), text.as_bytes())?;
                }
                let file = match path {
                    Some(path) => json!({ "path": path, "bytes": text.len() }),
                    None => json!({ "name": "mutant.c", "text": text }),
                };
                mutants.push(document(number, &command, lineage.rounds(), &mutant, &file));
            }
            Err(refusal) => {
                line.clear();
                talk.note(&format!("there is no mutant {number}: {}", reason(refusal)));
                missing.push(json!({ "number": number, "why": reason(refusal) }));
            }
        }
    }
    line.clear();
    if arguments.explain {
        talk.pass_on(&explanation(lineage.counts(), &settings));
    }
    if let Some(directory) = &arguments.output {
        let directory = directory.display();
        let written = mutants.len();
        talk.note(&format!("wrote {written} of {count} mutants to `{directory}`: seed {seed}"));
    }
    let is_without = mutants.is_empty();
    if arguments.json {
        let document = json!({ "seed": seed, "mutants": mutants, "missing": missing });
        output::write(None, (serde_json::to_string_pretty(&document)? + "\n").as_bytes())?;
    }
    Ok(if is_without { Status::GaveUp } else { Status::Fine })
}

/// What mutants are like.
fn settings(arguments: &MutateArguments) -> Settings {
    let mut settings = Settings {
        edits: arguments.edits,
        growth: arguments.growth,
        walk: arguments.walk,
        ..Settings::default()
    };
    if !arguments.with.is_empty() {
        settings.with.clone_from(&arguments.with);
    }
    settings
}

/// Another program, of which mutations can take parts.
fn donor(program: &Program, seed: u64, options: &Options) -> Option<Certified> {
    let (target, dialect): (&'static Target, Dialect) = (program.target, program.dialect);
    let config = Config { size: DONOR_SIZE, target, dialect, ..Config::default() };
    let made = generate(Choices::derive_seed(seed, DONOR), &config).ok()?;
    let reading = farrier_front::Options { target, dialect, permissive: false };
    let texts: Vec<SourceText> = made.files;
    certify(farrier_front::parse(&texts, &reading).ok()?, options).ok()
}

/// Programs from elsewhere, drawn by a seed.
fn foreign(
    arguments: &MutateArguments,
    directory: &Path,
    seed: u64,
) -> anyhow::Result<Vec<Certified>> {
    let corpus = Corpus::read(directory)?;
    let ProgramArguments { target, cc, .. } = &arguments.program;
    let command = cc.as_deref().unwrap_or(default_compiler(target));
    let list = format!(
        "[[subject]]\nname = \"preprocessor\"\ncommand = {command:?}\ntarget = {:?}\n",
        target.name
    );
    let subjects = parse_subjects(Path::new("--cc"), &list)?;
    let subject = subjects.first().context("there is no preprocessor")?;
    let drawn = (1..=FOREIGN).filter_map(|number| {
        let seed = Choices::derive_seed(seed, DONOR + number);
        Some(corpus.certified(seed, target, subject)?.certified)
    });
    Ok(drawn.collect())
}

/// The file of a mutant.
fn file(arguments: &MutateArguments, directory: &Path, seed: u64, number: u32) -> PathBuf {
    let stem = arguments.program.files.first().and_then(|path| path.file_stem());
    let stem = stem.filter(|stem| *stem != "-").unwrap_or("stdin".as_ref());
    directory.join(format!("{}-{seed}-{number}.c", stem.to_string_lossy()))
}

fn reason(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::TooLong => "the program runs too long for its values to be looked at",
        Refusal::NoPlace => "no mutation found a place",
        Refusal::NoProof => "none of the mutations could be proved",
    }
}

/// The comment at the head of a mutant.
fn header(command: &[String], rounds: &[Round], mutant: &Mutant) -> String {
    let mut rows = heading::origin(command);
    rows.extend(heading::behavior(&mutant.certified));
    for round in rounds {
        let kinds = kinds(round);
        let kinds = kinds.iter().map(|(strategy, name, count)| match count {
            1 => format!("{strategy} {name}"),
            _ => format!("{strategy} {name} ({count} times)"),
        });
        rows.push(("mutations", kinds.collect::<Vec<String>>().join(", ")));
    }
    heading::comment(&rows)
}

/// The mutations of a round: strategy, name, and how many there are.
fn kinds(round: &Round) -> Vec<(&'static str, &'static str, usize)> {
    let mut kinds: Vec<(&str, &str, usize)> = Vec::new();
    for mutation in &round.mutations {
        let kind = (mutation.strategy().row().name, mutation.name());
        match kinds.iter_mut().find(|known| (known.0, known.1) == kind) {
            Some(known) => known.2 += 1,
            None => kinds.push((kind.0, kind.1, 1)),
        }
    }
    kinds
}

/// A mutant as data.
fn document(
    number: u32,
    command: &[String],
    rounds: &[Round],
    mutant: &Mutant,
    file: &Value,
) -> Value {
    let behavior = mutant.certified.behavior();
    let mutation = |(strategy, name, count): (&str, &str, usize)| json!({ "strategy": strategy, "name": name, "count": count });
    let round = |round: &Round| kinds(round).into_iter().map(mutation).collect::<Vec<_>>();
    json!({
        "number": number,
        "command": replay(command.iter().map(Into::into)),
        "output": String::from_utf8_lossy(&behavior.output),
        "exit_status": match behavior.ending {
            Ending::Exit(status) => Some(status & 0xff),
            Ending::Abort => None,
        },
        "operations": behavior.steps,
        "rounds": rounds.iter().map(round).collect::<Vec<_>>(),
        "files": [file],
    })
}

/// What became of the mutations, by strategy and row.
fn explanation(counts: &[Count], settings: &Settings) -> String {
    let mut text = format!("{:<10} {:<24} drawn proved refused\n", "strategy", "mutation");
    for row in STRATEGIES.iter().filter(|row| settings.with.contains(&row.strategy)) {
        for count in counts.iter().filter(|count| count.strategy == row.strategy) {
            let Count { name, drawn, proved, .. } = *count;
            let refused = drawn - proved;
            let _ =
                writeln!(text, "{:<10} {name:<24} {drawn:>5} {proved:>6} {refused:>7}", row.name);
        }
    }
    text
}

/// The command that makes a mutant again: the options that matter for it and are not what they
/// are by default. Those before it are made on the way.
fn command(arguments: &MutateArguments, seed: u64, number: u32) -> Vec<String> {
    let mut words = vec!["farrier".to_owned(), "mutate".to_owned()];
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    option("--seed", seed.to_string());
    if number > 1 {
        option("--count", number.to_string());
        option("-o", "DIR".to_owned());
    }
    if !arguments.with.is_empty() {
        let names: Vec<&str> = arguments.with.iter().map(|one| one.row().name).collect();
        option("--with", names.join(","));
    }
    let defaults = Settings::default();
    if arguments.edits != defaults.edits {
        option("--edits", edits_text(arguments.edits));
    }
    if arguments.growth != defaults.growth {
        option("--growth", arguments.growth.to_string());
    }
    if arguments.walk != defaults.walk {
        option("--walk", arguments.walk.to_string());
    }
    if let Some(corpus) = &arguments.corpus {
        option("--corpus", corpus.to_string_lossy().into_owned());
    }
    if arguments.steps != MUTATE_STEPS {
        option("--steps", number_text(arguments.steps));
    }
    let program = &arguments.program;
    if program.standard != Standard::default() {
        option("--std", program.standard.dialect().name().to_owned());
    }
    if program.target.name != farrier_lang::target::X86_64_LINUX.name {
        option("--target", program.target.name.to_owned());
    }
    let shown = |path: &PathBuf| path.to_string_lossy().into_owned();
    program.include_dirs.iter().for_each(|path| option("-I", shown(path)));
    program.defines.iter().for_each(|define| option("-D", define.clone()));
    program.undefines.iter().for_each(|undefine| option("-U", undefine.clone()));
    if let Some(cc) = &program.cc {
        option("--cc", cc.clone());
    }
    let switches = [("--preprocessed", program.preprocessed), ("--permissive", program.permissive)];
    let switches = switches.iter().filter(|(_, on)| *on);
    words.extend(switches.map(|(name, _)| (*name).to_owned()));
    words.extend(program.files.iter().map(shown));
    words
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn the_command_is_its_own_replay() {
        for line in [
            "farrier mutate --seed 7 a.c",
            "farrier mutate --seed 7 --count 5 -o DIR --with orion,facts --edits 2..9 a.c b.c",
            "farrier mutate --seed 1 --growth 20 --walk 8 --corpus c --steps 5M --std c99 --target avr a.c",
            "farrier mutate --seed 1 -I x -D A=1 -U B --cc gcc-11 --preprocessed --permissive a.c",
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let Command::Mutate(given) = Cli::try_parse_from(&words).expect("valid").command else {
                panic!("another command");
            };
            assert_eq!(command(&given, given.seed.expect("it is given"), given.count), words);
        }
    }
}
