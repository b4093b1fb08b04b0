//! The arguments of `farrier mutate`.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use farrier_synth::mutate::{STRATEGIES, Settings, Strategy};

use super::{ProgramArguments, exit_status, number_text, parse_seed, parse_steps};

/// How many mutations a round draws by default, as it is written in options.
static EDITS: LazyLock<String> = LazyLock::new(|| edits_text(Settings::default().edits));

/// How many operations a program may need by default.
pub(crate) const STEPS: u64 = 100_000_000;

/// The same as it is written in options.
static STEPS_TEXT: LazyLock<String> = LazyLock::new(|| number_text(STEPS));

const EXAMPLES: &str = "\
Examples:
  farrier mutate prog.c > mutant.c
      A mutant with a random seed; its first lines say how to make it again and what it prints
  farrier mutate prog.c --seed 7 --count 10 -o mutants
      Ten mutants, each made from the one before
  farrier mutate prog.c --with orion,hermes --edits 1..5 --explain
      A few mutations of two kinds, and what became of each kind
  farrier mutate prog.c --with athena,graft --corpus gcc/testsuite/gcc.c-torture/execute
      Take statements and functions of other programs";

/// Change a program, and know what the new one does
///
/// The program is run in the abstract machine, changed where the run says that it can be, and
/// certified: the mutant is defined, it ends, and the comment at its head says what it prints.
/// Each mutant is made from the one before, so that changes pile up. A program that prints nothing
/// is first made to print a checksum of its values.
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_status("mutate")))]
pub(crate) struct MutateArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// The seed of all random decisions [default: a new one each time]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_seed)]
    pub(crate) seed: Option<u64>,
    /// How many mutants are made; more than one go into the directory of -o
    #[arg(short = 'n', long, value_name = "K", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) count: u32,
    /// The kinds of mutations [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = strategy_parser())]
    pub(crate) with: Vec<Strategy>,
    /// How many mutations are drawn for a mutant, at least and at most
    #[arg(long, value_name = "FROM..TO", default_value = EDITS.as_str(), value_parser = parse_edits)]
    pub(crate) edits: (u32, u32),
    /// By how much a mutant may be longer than the one before
    #[arg(long, value_name = "PERCENT", default_value_t = Settings::default().growth)]
    pub(crate) growth: u32,
    /// Make each mutant by a walk that proposes N changes and takes those that lead away from FILE
    ///
    /// Athena's way. It suits `--with orion,athena --edits 1`: each proposal then deletes or
    /// inserts code that never runs. A walk that has taken nothing makes no mutant.
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=1_000), hide_default_value = true)]
    pub(crate) walk: u32,
    /// Take parts of the defined C files beneath DIR, too, beside a generated program
    ///
    /// Seven of them are drawn; the environment variable CPATH can name directories of headers.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) corpus: Option<PathBuf>,
    /// Give up on a program that needs more than N operations: 1k to 1G
    #[arg(long, value_name = "N", default_value = STEPS_TEXT.as_str(), value_parser = parse_steps)]
    pub(crate) steps: u64,
    /// Write the mutants into DIR, named by FILE, seed and number, instead of standard output
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Explain on standard error which mutations were drawn, and which of them proved
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print one JSON document about the mutants; without -o their texts are in it
    #[arg(long)]
    pub(crate) json: bool,
}

fn strategy_parser() -> impl TypedValueParser<Value = Strategy> {
    let values = STRATEGIES.iter().map(|row| PossibleValue::new(row.name).help(row.about));
    PossibleValuesParser::new(values)
        .map(|name| Strategy::by_name(&name).expect("only names of strategies are accepted"))
}

/// A range such as 1..40, or one number.
fn parse_edits(text: &str) -> Result<(u32, u32), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    match (from.parse(), to.parse()) {
        (Ok(from), Ok(to)) if 0 < from && from <= to && to <= 10_000 => Ok((from, to)),
        _ => Err("expected a range, such as 1..40, or a number, at most 10000".to_owned()),
    }
}

/// The range as the user may write it.
pub(crate) fn edits_text((from, to): (u32, u32)) -> String {
    format!("{from}..{to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_a_range_or_a_number() {
        assert_eq!(parse_edits("1..40"), Ok((1, 40)));
        assert_eq!(parse_edits(&edits_text((3, 9))), Ok((3, 9)));
        assert_eq!(parse_edits("5"), Ok((5, 5)));
        for text in ["", "0", "5..2", "a", "1..", "..4", "1..99999", "-1..2", "1...3"] {
            assert!(parse_edits(text).is_err(), "{text}");
        }
    }
}
