//! The arguments of `farrier hunt` and of the commands about its findings.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use farrier_harness::FindingKind;
use farrier_synth::Preset;

use super::join::{PlaceArguments, ServerArguments};
use super::{
    DischargeName, FeatureArguments, Standard, exit_status, parse_number, parse_seed, parse_size,
    parse_steps,
};
use crate::finding::{EXPENSES, ExpenseRow, Mode};

const HUNT_EXAMPLES: &str = "\
Examples:
  farrier hunt
      Test the compilers of this machine until Ctrl-C; the same command continues later
  farrier hunt --subject gcc --subject 'clang -O2' --for 10m
      Test gcc at levels by lot and clang at one, for ten minutes
  farrier hunt --dir trunk --subjects trunk.toml --subject trunk --jobs 8
      Test a compiler that is listed in a file
  farrier hunt --dir again --seed 5 --programs 100
      Begin a hunt that can be repeated
  farrier hunt --dir torture --corpus gcc/testsuite/gcc.c-torture/execute
      Test with the programs of a corpus, too
  farrier hunt --dir csmith --generator 'csmith --seed {seed}' -I /usr/include/csmith
      Test with the programs of another generator
  farrier hunt --join nats://server:4222 --name trunk
      Begin a hunt of several machines, or join it; docs/deploy.md explains the server";

const FINDING_EXAMPLES: &str = "\
Examples:
  farrier findings
      List the findings of `farrier hunt` in this directory
  farrier show 3f2a
      Explain the finding whose name begins with 3f2a, with the commands that show it
  farrier replay 3f2a
      Try it again";

/// The table `spending` of a configuration file.
fn shares() -> String {
    let mut text = "The table `spending` of --config:\n".to_owned();
    for row in EXPENSES {
        let ExpenseRow { name, default, about, .. } = row;
        text += &format!("  {name:<15} {default:>5}  {about}\n");
    }
    text
}

/// Hunt for bugs in the compilers of this machine
///
/// A hunt makes random programs whose output is known, gives them to the newest compilers at levels
/// of optimisation and with flags that it draws, runs the results and records each failure that
/// happens twice. It stops at Ctrl-C; a second Ctrl-C kills the running processes. The same command
/// with the same directory continues the hunt. The options marked * belong to a hunt and cannot
/// change later.
#[derive(Debug, Args)]
#[command(
    after_help = format!("{HUNT_EXAMPLES}\n\n{}", exit_status("hunt")),
    after_long_help = format!("{}\n{HUNT_EXAMPLES}\n\n{}", shares(), exit_status("hunt")),
)]
pub(crate) struct HuntArguments {
    /// * Test this compiler, with these flags if any; can be repeated [default: the newest ones]
    ///
    /// A name that `farrier subjects` shows, the name of a command, or the path of any compiler,
    /// such as 'gcc -O2'. With NAME= before it, as in 'trunk=/opt/gcc/bin/gcc', it is called NAME.
    /// With a level it is tested with exactly these flags; without one, at all of its levels and
    /// with random flags, by lot. Flags that change the language or the layout of types are
    /// refused.
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) subject: Vec<String>,
    /// * Also test the subjects in FILE [default: farrier.toml, if there is one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) subjects: Option<PathBuf>,
    /// * Test older versions, too
    ///
    /// By default a hunt tests the newest version of each compiler for each machine, and asks the
    /// older ones only about what it finds.
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// * The seed of all programs [default: a new one for each hunt]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_seed)]
    pub(crate) seed: Option<u64>,
    /// * The kind of programs [default: by lot, mostly default]
    #[arg(long, value_parser = PossibleValuesParser::new(Preset::ALL.map(Preset::name)))]
    pub(crate) preset: Option<String>,
    /// * How long a program is, in bytes: 1k to 16M [default: by lot, 2k to 40k]
    #[arg(long, value_name = "BYTES", value_parser = parse_size)]
    pub(crate) size: Option<u64>,
    /// * What to look for [default: both]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeName>,
    /// * A file that says what to spend the time on, and what programs are made of
    ///
    /// TOML with the tables `spending`, `features` and `parameters`; `farrier gen --list-features`
    /// lists what the last two can hold, and the end of this help what the first can.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) made_of: FeatureArguments,
    /// * The version of C that compilers read the programs as [default: their own]
    ///
    /// Generated programs mean the same in all versions. gcc and clang get -std=gnu17 for c17.
    #[arg(long = "std", value_name = "STANDARD", value_enum)]
    pub(crate) standard: Option<Standard>,
    /// * The most operations that a program executes: 1k to 1G [default: depends on the preset]
    #[arg(long, value_name = "N", value_parser = parse_steps)]
    pub(crate) steps: Option<u64>,
    /// * What becomes of the guards of risky operations [default: depends on the preset]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) discharge: Option<DischargeName>,
    /// * Percent of programs that are also mutated; `farrier mutate` says how [default: 40]
    #[arg(long, value_name = "SHARE", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) mutate: Option<u32>,
    /// * Test the C files of PATH, too, beside generated programs
    ///
    /// PATH is a directory with C files beneath it, a C file, or a file that lists some. Each file
    /// is one program; the share `corpus` of --config says how often one is drawn. The machine
    /// finds out what it does. Where it cannot, at least three compilers vote, not all of one
    /// family; undefined programs are only compiled. What was found out about the files is kept in
    /// the directory of the hunt.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) corpus: Option<PathBuf>,
    /// * Test with the programs of another generator, such as 'csmith --seed {seed}'
    ///
    /// A command of the shell, run in an empty directory; {seed} stands for a number below 2^31.
    /// The C files that it writes there are one program; if there are none, its output is. The
    /// programs are judged as those of --corpus. The share `generator` of --config says how many
    /// of the programs it makes.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, conflicts_with = "corpus")]
    pub(crate) generator: Option<String>,
    /// * Search DIR for headers of --corpus and --generator; can be repeated
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) include_dirs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    /// How many programs are tested at a time [default: one for each core]
    ///
    /// The programs do not depend on this number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Stop after this time, such as 90s, 10m or 8h
    #[arg(long = "for", value_name = "TIME", value_parser = parse_time)]
    pub(crate) time: Option<Duration>,
    /// Stop when N programs are done, those of earlier starts included
    #[arg(long, value_name = "N")]
    pub(crate) programs: Option<u64>,
    /// Do not triage findings; `farrier triage` does it later
    ///
    /// Without this option the first few findings of each cause are reduced and triaged during the
    /// hunt.
    #[arg(long, conflicts_with = "triage_share")]
    pub(crate) no_triage: bool,
    /// The share of processor time that Farrier may use for triage during the hunt
    ///
    /// The rest is for the compilers. Findings that have to wait are triaged when the hunt
    /// continues, or by `farrier triage`; 100 means no limit.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) triage_share: u8,
    /// The time limit for compiling one program, such as 60s
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_limit)]
    pub(crate) compiler_time: Duration,
    /// A command that prints what was covered in an instrumented compiler, as a number
    ///
    /// A compiler that is built with --coverage, or -fprofile-instr-generate, writes its counts
    /// beneath the directory `coverage` of the hunt, and the command of the shell runs there. Its
    /// first word is kept with the number of programs; `farrier compare` draws it.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub(crate) coverage: Option<String>,
    /// Measure coverage after each N programs, and at the end
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) coverage_every: u64,
    /// Which programs to keep
    #[arg(long, value_enum, default_value_t)]
    pub(crate) keep: Keep,
    /// Print one JSON document at the end: what was tested and what was found
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop when the directory holds more than this
    #[arg(long, value_name = "BYTES", default_value = "2G", value_parser = parse_bytes)]
    pub(crate) disk: u64,
}

/// What a hunt looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ModeName {
    /// Compiled programs that misbehave
    WrongCode,
    /// Compilers that crash or hang; programs need no meaning, and nothing is run
    Crash,
    /// Both
    #[default]
    Both,
}

impl ModeName {
    /// The mode it names.
    pub(crate) fn mode(self) -> Mode {
        match self {
            Self::WrongCode => Mode::WrongCode,
            Self::Crash => Mode::Crash,
            Self::Both => Mode::Both,
        }
    }
}

/// Which programs a hunt keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Keep {
    /// Those with a finding
    #[default]
    Failing,
    /// All of them
    All,
}

/// List the findings of a hunt
#[derive(Debug, Args)]
#[command(after_help = format!("{FINDING_EXAMPLES}\n\n{}", exit_status("findings")))]
pub(crate) struct FindingsArguments {
    #[command(flatten)]
    pub(crate) hunt: HuntDirectory,
    /// Only findings of this kind, such as wrong-output
    #[arg(long, value_name = "KIND", value_parser = kind_parser())]
    pub(crate) kind: Option<FindingKind>,
    /// Only findings in compilers whose names contain TEXT
    #[arg(long, value_name = "TEXT")]
    pub(crate) subject: Option<String>,
    /// Only findings whose cause contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub(crate) cause: Option<String>,
    /// Only findings of which triage knows that an older version works
    #[arg(long)]
    pub(crate) regressions: bool,
}

fn kind_parser() -> impl TypedValueParser<Value = FindingKind> {
    PossibleValuesParser::new(FindingKind::ALL.map(FindingKind::name))
        .try_map(|name| FindingKind::by_name(&name).ok_or("there is no such kind"))
}

/// Explain a finding, with the commands that show it
#[derive(Debug, Args)]
#[command(after_help = format!("{FINDING_EXAMPLES}\n\n{}", exit_status("show")))]
pub(crate) struct ShowArguments {
    /// The name of the finding, or the beginning of it
    #[arg(value_name = "FINDING")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) hunt: HuntDirectory,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  farrier replay 3f2a
      Try the finding whose name begins with 3f2a again
  farrier replay --all --subject 'trunk=/opt/gcc/bin/gcc'
      Try all findings with another compiler: which of them are gone?";

/// Try findings again
///
/// The exit status is 1 if one of them happens again and 0 if none does.
#[derive(Debug, Args)]
#[command(after_help = format!("{REPLAY_EXAMPLES}\n\n{}", exit_status("replay")))]
pub(crate) struct ReplayArguments {
    /// The name of a finding, or the beginning of it
    #[arg(value_name = "FINDING", required_unless_present = "all")]
    pub(crate) name: Option<String>,
    /// Try all findings
    #[arg(long, conflicts_with = "name")]
    pub(crate) all: bool,
    /// Try another compiler, with its flags if there are any, otherwise those of the finding
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) subject: Option<String>,
    #[command(flatten)]
    pub(crate) hunt: HuntDirectory,
}

const BISECT_EXAMPLES: &str = "\
Examples:
  farrier bisect 3f2a --compilers '/opt/gcc-r*/bin/gcc'
      Name the first of these builds that fails; they are sorted by the numbers in their paths";

/// Find the first build of a compiler with which a finding happens
///
/// The oldest build must work and the newest one fail; in between the search halves the builds.
/// A build that cannot tell is passed over. The exit status is 1 if the first bad build is found.
#[derive(Debug, Args)]
#[command(after_help = format!("{BISECT_EXAMPLES}\n\n{}", exit_status("bisect")))]
pub(crate) struct BisectArguments {
    /// The name of the finding, or the beginning of it
    #[arg(value_name = "FINDING")]
    pub(crate) name: String,
    /// The builds: paths with `*` and `?`; can be repeated
    #[arg(long, value_name = "GLOB", required = true)]
    pub(crate) compilers: Vec<String>,
    #[command(flatten)]
    pub(crate) hunt: HuntDirectory,
}

/// Which hunt is meant, and how to answer.
#[derive(Debug, Args)]
pub(crate) struct HuntDirectory {
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number: u64 = digits.parse().map_err(|_| "a time begins with a number".to_owned())?;
    let seconds = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err("a time ends in s, m, h or d".to_owned()),
    };
    number
        .checked_mul(seconds)
        .map(Duration::from_secs)
        .ok_or_else(|| "the time is too long".to_owned())
}

/// A time that is a limit: from one second to a day.
fn parse_limit(text: &str) -> Result<Duration, String> {
    match parse_time(text)? {
        time if time.is_zero() => Err("the time is too short: the minimum is 1s".to_owned()),
        time if time > Duration::from_secs(86_400) => {
            Err("the time is too long: the maximum is 1d".to_owned())
        }
        time => Ok(time),
    }
}

pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    parse_number(text, 0, u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_time("7"), Ok(Duration::from_secs(7)));
        assert!(parse_time("m").is_err() && parse_time("3w").is_err());
        assert!(parse_time("99999999999999999999d").is_err());
        assert!(parse_time("9999999999999999999d").is_err());
        assert!(parse_limit("0s").is_err() && parse_limit("2d").is_err());
        assert_eq!(parse_limit("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(parse_bytes("2G"), Ok(2_000_000_000));
        assert_eq!(parse_bytes("3T"), Ok(3_000_000_000_000));
    }

    #[test]
    fn every_mode_has_its_own_name() {
        for name in ModeName::value_variants() {
            let value = name.to_possible_value().expect("no value is hidden");
            assert_eq!(value.get_name(), name.mode().name());
        }
    }
}
