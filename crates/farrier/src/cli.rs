//! What the user can say.

mod driver;
mod hunt;
mod join;
mod language;
mod mutate;
mod report;
mod serve;
mod triage;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser,
};
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use farrier_lang::target::{TARGETS, X86_64_LINUX};
use farrier_lang::{Dialect, Target};
use farrier_machine::Tier;
use farrier_synth::discharge::Discharge;
use farrier_synth::{Check, Config, Preset};

use crate::terminal::Color;

pub(crate) use hunt::{
    BisectArguments, FindingsArguments, HuntArguments, Keep, ReplayArguments, ShowArguments,
};
pub(crate) use join::{DIRECTORY, PlaceArguments, SyncArguments};
use language::version_parser;
pub(crate) use language::{LanguageName, Version};
pub(crate) use mutate::{MutateArguments, STEPS as MUTATE_STEPS, edits_text};
pub(crate) use report::{CompareArguments, ReportArguments};
pub(crate) use serve::ServeArguments;
pub(crate) use triage::{BugsArguments, TriageArguments};

/// How long a generated program is by default, as it is written in options.
static SIZE: LazyLock<String> = LazyLock::new(|| number_text(Config::default().size as u64));

/// What the exit status of a command means, by its name; the last row is for all others.
#[rustfmt::skip]
const EXITS: &[(&str, [&str; 4])] = &[
    ("check", ["the program is defined", "it is undefined or unspecified, or --leaks found a leak", "", "a limit on the work was reached"]),
    ("doctor", ["nothing is missing", "something is missing", "", ""]),
    ("findings", ["there are no findings", "there are findings", "", ""]),
    ("hunt", ["there are no findings", "there are findings", "nothing could be tested, or bad arguments", "the directory holds more than --disk"]),
    ("reduce", ["the program was reduced", "", "", "it was interrupted; the best so far is kept"]),
    ("replay", ["it does not happen", "it happens", "", "the trial was inconclusive"]),
    ("bisect", ["", "the first bad build was found", "", ""]),
    ("sync", ["the copy is complete", "", "", ""]),
    ("triage", ["there are no findings", "there are findings", "", "it was interrupted; the same command continues"]),
    ("mutate", ["programs were written", "the program is undefined or unspecified", "", "a limit on the work was reached"]),
    ("show", ["", "the finding was shown", "", ""]),
    ("subjects", ["they were listed", "", "", ""]),
    ("serve", ["it was told to stop", "", "it could not begin: no hunt, a port in use, a missing token", ""]),
    ("written", ["it was written", "", "", ""]),
    ("", ["nothing is wrong", "something was found", "", "a limit on the work was reached"]),
];

/// What the exit status of a command means, as the help says it.
fn exit_status(command: &str) -> String {
    let row = EXITS.iter().find(|(name, _)| *name == command).or(EXITS.last());
    let (_, meanings) = row.expect("the table has rows");
    let mut text = "Exit status:".to_owned();
    for (number, meaning) in meanings.iter().enumerate() {
        let meaning = match (number, *meaning) {
            (2, "") => "it could not be done: bad arguments, bad input or a missing tool",
            (_, "") => continue,
            (_, meaning) => meaning,
        };
        text += &format!("\n  {number}  {meaning}");
    }
    text
}

const EXAMPLES: &str = "\
Examples:
  farrier hunt                       Hunt for bugs in the compilers of this machine
  farrier findings                   List the findings
  farrier triage                     Group them by cause
  farrier bugs                       List the causes
  farrier compare a b                Hold two hunts against each other
  farrier serve                      Look at the hunt in a browser while it runs
  farrier check prog.c               Run a program and find undefined behaviour
  farrier explain signed-overflow    Explain a kind of undefined behaviour
  farrier fmt prog.c                 Show how Farrier reads a program
  farrier gen > prog.c               Write a random program whose output is known
  farrier mutate prog.c              Change a program; the new output is known as well
  farrier reduce test.sh prog.c      Make a program smaller while a test finds it interesting
  farrier sync --join URL ...        Keep a copy of a hunt of several machines
  farrier subjects                   List the compilers that can be tested
  farrier doctor                     Say what is missing on this machine
  farrier help fmt                   Explain a command
  farrier completions bash           Print the completions for a shell";

const CHECK_EXAMPLES: &str = "\
Examples:
  farrier check prog.c
      Run the program; the exit status is the verdict
  csmith | farrier check -I /usr/include/csmith -
      Check a random program
  farrier check --steps 1000000 --no-strict-aliasing main.c list.c
      Two files, a small budget, lenient about types
  farrier check --format sarif prog.c > prog.sarif
      A report for editors and code hosts
  farrier check prog.c --stdin numbers.txt --args -n 3
      Give the program input and arguments
  farrier check -std=c11 -Wall -O2 -Iinclude main.c list.c -lm
      The flags of a compiler
  farrier check -p build
      All C files of a build that CMake or Meson has described";

const SUBJECTS_EXAMPLES: &str = "\
Examples:
  farrier subjects
      List the compilers of this machine
  farrier subjects --json | jq -r '.subjects[].name'
      Their names only
  farrier subjects --subjects trunk.toml --only-listed
      Check a file such as this:

      [[subject]]
      name = \"trunk\"
      command = \"/opt/gcc/bin/gcc\"
      family = \"gcc\"
      target = \"x86_64-linux\"";

const REDUCE_EXAMPLES: &str = "\
Examples:
  farrier reduce test.sh prog.c
      Keep programs for which test.sh exits with 0, as creduce and cvise do
  farrier reduce --subject 'gcc -O2' prog.c
      Keep programs that gcc -O2 compiles wrongly
  farrier reduce 3f2a
      Reduce the program of a finding, and store the small one with it
  farrier reduce --no-ub-check crash.sh prog.c
      Keep programs that crash the compiler, even undefined ones
  farrier reduce 'python3 check.py --fast' a.c b.c
      A test with arguments, and two files";

const FMT_EXAMPLES: &str = "\
Examples:
  farrier fmt prog.c
      Print the program to standard output
  farrier fmt -I include -D NDEBUG main.c list.c -o whole.c
      Link two files into one program
  farrier fmt --target avr --std c99 blink.c
      Read a program for a machine with 16-bit int, with avr-gcc as preprocessor
  csmith | farrier fmt -I /usr/include/csmith -
      Read a program from standard input
  farrier fmt --cc 'clang --target=i386-linux-gnu' --target i386-linux prog.c
      Preprocess with another compiler";

const GEN_EXAMPLES: &str = "\
Examples:
  farrier gen > prog.c
      A program with a random seed; its first lines say how to make it again and what it prints
  farrier gen --seed 7 --preset csmith --size 20k -o prog.c
      A small program of the kind that Csmith makes
  farrier gen -n 1000 -o programs --features -goto,+int128
      A directory full of programs, made on all cores
  farrier gen --seed 7 --split 2 -o parts
      A driver and two files of functions, to be compiled one by one
  farrier gen --target avr --std c99 --check asserts
      For a machine with 16-bit int; the program itself says what went wrong";

/// Finds bugs in C and C++ compilers.
#[derive(Debug, Parser)]
#[command(
    name = "farrier",
    version,
    max_term_width = 100,
    after_help = format!("{EXAMPLES}\n\n{}", exit_status("")),
)]
pub(crate) struct Cli {
    /// When to use colours in messages
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        display_order = 900
    )]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// The arguments of the process; ends it if they are wrong or ask for help.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let mut words: Vec<OsString> = std::env::args_os().collect();
        if words.get(1).is_some_and(|word| word == "check") {
            let rest = words.split_off(2);
            words.extend(driver::translate(rest)?);
        }
        // The options of all commands together take a fiftieth of the time of a check.
        Ok(Self::quick_check(&words).unwrap_or_else(|| Self::parse_from(words)))
    }

    /// A plain check; `None` leaves everything else, errors too, to the full parser.
    fn quick_check(words: &[OsString]) -> Option<Self> {
        let mut words = words.iter().skip(1).peekable();
        words.next_if(|word| *word == "check")?;
        let command = CheckArguments::augment_args(clap::Command::new("check"));
        let matches = command.no_binary_name(true).try_get_matches_from(words).ok()?;
        let arguments = CheckArguments::from_arg_matches(&matches).ok()?;
        Some(Self { color: Color::default(), command: Command::Check(arguments) })
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Bisect(BisectArguments),
    Bugs(BugsArguments),
    Check(CheckArguments),
    Compare(CompareArguments),
    Doctor(DoctorArguments),
    /// Explain a kind of undefined behaviour or of findings, or list the former
    Explain {
        /// The name that `farrier check` gives it, such as signed-overflow, or that of a finding
        kind: Option<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    Findings(FindingsArguments),
    Fmt(FmtArguments),
    Gen(GenArguments),
    Hunt(HuntArguments),
    Mutate(MutateArguments),
    Reduce(ReduceArguments),
    Replay(ReplayArguments),
    Report(ReportArguments),
    Serve(ServeArguments),
    Show(ShowArguments),
    Subjects(SubjectsArguments),
    Sync(SyncArguments),
    Triage(TriageArguments),
    /// Print the completions for a shell
    ///
    /// Put them where that shell looks for them, for example:
    /// farrier completions bash > ~/.local/share/bash-completion/completions/farrier
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write all pages
    ///
    /// The format is that of man. To read the page at once: farrier man | man -l -
    Man {
        /// Write the pages of farrier and of every command into this directory
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        dir: Option<PathBuf>,
    },
    /// Print the help texts of all commands as Markdown
    #[command(hide = true)]
    MarkdownHelp,
}

/// Run a program in the abstract machine and say whether it is defined
///
/// The program is not compiled: Farrier itself executes it and passes its output through. At the
/// first undefined behaviour it stops, and reports the rule, the values and the place.
///
/// The command can stand in the place of `cc`: -std=, -include and -isystem are understood, and
/// flags that do not change what a program means, such as -Wall, -O2, -g or -lm, are ignored.
/// With -p DIR the files and flags come from DIR/compile_commands.json.
#[derive(Debug, Args)]
#[command(after_help = format!("{CHECK_EXAMPLES}\n\n{}", exit_status("check")))]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Give up after N operations
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub(crate) steps: u64,
    /// Give up when the program has N MiB of memory in use
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) memory: u64,
    /// Go on after undefined behaviour where a value can be assumed, and report all of it
    ///
    /// Only the first is certain: what follows may be a consequence of it.
    #[arg(long, conflicts_with_all = ["trace", "profile"])]
    pub(crate) keep_going: bool,
    /// Report memory from malloc that is neither freed nor within reach at the end
    #[arg(long, conflicts_with = "keep_going")]
    pub(crate) leaks: bool,
    /// Allow accesses through any type, as -fno-strict-aliasing does
    #[arg(long)]
    pub(crate) no_strict_aliasing: bool,
    /// The standard input of the program, `-` for that of farrier [default: empty]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) stdin: Option<PathBuf>,
    /// A file that the program can open by NAME, with what is in PATH; without PATH, in NAME
    ///
    /// Files are kept in memory: what the program writes is not written to the disk.
    #[arg(long, value_name = "NAME[=PATH]")]
    pub(crate) file: Vec<OsString>,
    /// A variable of the environment that the program finds with getenv
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<OsString>,
    /// What `time` returns; without it a result that depends on the time is unspecified
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time: Option<i64>,
    /// Let `rand` give the numbers of glibc; without it they are unspecified
    #[arg(long)]
    pub(crate) glibc_rand: bool,
    /// Write to FILE how often everything ran and with which values, as JSON
    ///
    /// The format is explained in docs/reference/profile.md.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) profile: Option<PathBuf>,
    /// Print every volatile access and every call to standard error
    #[arg(long)]
    pub(crate) trace: bool,
    /// How to report
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// End with the exit status of the program if it is defined; 134 if it aborts
    #[arg(long)]
    pub(crate) exit_status: bool,
    /// The arguments of the program; this option takes all that follow, so it comes last
    ///
    /// They are `argv[1]` and so on; `argv[0]` is a.out.
    #[arg(
        long,
        value_name = "ARG",
        num_args = 0..,
        allow_hyphen_values = true,
        display_order = 800
    )]
    pub(crate) args: Vec<OsString>,
}

/// Say what this machine lacks for testing compilers, and what to do about it
///
/// It looks for compilers for every target, for the features of the system that confine compiled
/// programs, and for free space. The exit status is 1 if something is missing.
#[derive(Debug, Args)]
#[command(after_help = exit_status("doctor"))]
pub(crate) struct DoctorArguments {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// List the compilers of this machine that can be tested
///
/// Programs in the search path that may be compilers are identified by their predefined macros,
/// and must compile and run a small program. What was found is kept until one of them changes;
/// `farrier doctor` looks again. Other compilers can be listed in a file.
#[derive(Debug, Args)]
#[command(after_help = format!("{SUBJECTS_EXAMPLES}\n\n{}", exit_status("subjects")))]
pub(crate) struct SubjectsArguments {
    /// Also list the subjects in FILE [default: farrier.toml, if there is one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) subjects: Option<PathBuf>,
    /// Do not look for compilers, only list those in the file
    #[arg(long)]
    pub(crate) only_listed: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a program as Farrier understood it
///
/// The text is preprocessed, every name is resolved and every type determined. Any compiler for
/// the same target reads the result in the same way. Several files are linked into one program.
#[derive(Debug, Args)]
#[command(after_help = format!("{FMT_EXAMPLES}\n\n{}", exit_status("written")))]
pub(crate) struct FmtArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Write to FILE instead of standard output; FILE is complete or left as it was
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// Write random C programs whose behaviour is known
///
/// Each program is drafted, run in the abstract machine, freed of unnecessary guards and
/// certified: it is defined, it ends, and the comment at its head says what it prints.
#[derive(Debug, Args)]
#[command(after_help = format!("{GEN_EXAMPLES}\n\n{}", exit_status("written")))]
pub(crate) struct GenArguments {
    /// The seed of all random decisions [default: a new one each time]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = parse_seed)]
    pub(crate) seed: Option<u64>,
    /// The kind of programs
    #[arg(long, default_value = Preset::default().name(), value_parser = preset_parser())]
    pub(crate) preset: Preset,
    /// What becomes of the guards of risky operations [default: depends on the preset]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) discharge: Option<DischargeName>,
    /// How long a program is, in bytes, without the comment at its head: 1k to 16M
    #[arg(long, value_name = "BYTES", default_value = SIZE.as_str(), value_parser = parse_size)]
    pub(crate) size: u64,
    /// The most operations that a program executes: 1k to 1G [default: depends on the preset]
    #[arg(long, value_name = "N", value_parser = parse_steps)]
    pub(crate) steps: Option<u64>,
    /// Which program of the seed: all have the same skeletons of loop nests
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) variation: u64,
    /// What a program does with its results [default: depends on the preset]
    #[arg(long, value_enum)]
    pub(crate) check: Option<CheckName>,
    /// The language [default: that of --std, or C]
    #[arg(long, value_enum)]
    pub(crate) language: Option<LanguageName>,
    /// The version of the language [default: c17 or c++17]
    #[arg(long = "std", value_name = "STANDARD", value_parser = version_parser())]
    pub(crate) standard: Option<Version>,
    /// The dresses of a C++ program, or `none` [default: drawn]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) dress: Vec<String>,
    /// The machine that the programs are for
    #[arg(long, default_value = X86_64_LINUX.name, value_parser = target_parser())]
    pub(crate) target: &'static Target,
    /// Write a program as a driver and N files of functions, into the directory of -o
    #[arg(long, value_name = "N", requires = "output",
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) split: Option<u32>,
    /// Programs with floating arithmetic, and what it is like [default: drawn, with or without]
    #[arg(long, value_name = "TIER", value_parser = tier_parser())]
    pub(crate) tier: Option<Tier>,
    #[command(flatten)]
    pub(crate) made_of: FeatureArguments,
    /// Rules of drafting to break, each in so many percent of the places: order=30,jump=10
    ///
    /// Faults that would run are repaired, so that the program has one meaning all the same. The
    /// rules are null, lifetime, initialiser, jump, bounds, parameter and order. With --preset edge
    /// each program draws which of them it breaks.
    #[arg(long, value_name = "NAME=SHARE", value_delimiter = ',',
        action = clap::ArgAction::Append)]
    pub(crate) relax: Vec<String>,
    /// A file with weights of features and values of parameters
    ///
    /// TOML with the tables `features` and `parameters`; `farrier gen --list-features` lists what
    /// they can hold.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Write COUNT programs, with this seed and the following ones, into the directory of -o
    #[arg(short = 'n', long = "count", value_name = "COUNT", requires = "output",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) count: Option<u32>,
    /// Write to FILE instead of standard output; with -n or --split, to the directory DIR
    #[arg(short, long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// How many programs of -n are made at a time [default: one for each core]
    ///
    /// The programs do not depend on this number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Explain on standard error how each program came about
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print one JSON document about the programs; without -o their texts are in it
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the features, with the weights that the other options give them, and the parameters
    #[arg(long)]
    pub(crate) list_features: bool,
}

/// Make a program smaller while it stays interesting
///
/// A program is interesting if TEST exits with 0. TEST runs in an empty directory that holds only
/// FILE, under its name. With --subject, a program is interesting if the compiler gets it wrong.
/// The abstract machine runs every candidate, so that the result has no undefined behaviour.
///
/// FILE is replaced by the best so far at each step; the original is kept as FILE.orig. After an
/// interrupt the best so far stays, and the same command continues from there.
#[derive(Debug, Args)]
#[command(
    override_usage = "farrier reduce [OPTIONS] <TEST> <FILE>\n       \
                      farrier reduce [OPTIONS] --subject <COMMAND> <FILE>",
    after_help = format!("{REDUCE_EXAMPLES}\n\n{}", exit_status("reduce")),
)]
pub(crate) struct ReduceArguments {
    /// The test, unless there is a --subject, and the file; or a finding of a hunt alone
    ///
    /// The test is a script, or a command with arguments in quotation marks. It runs in a directory
    /// with nothing but the file, and exits with 0 if the file is interesting. Several files are
    /// reduced in turn, as texts, by the test alone.
    #[arg(
        required = true,
        num_args = 1..,
        value_names = ["TEST", "FILE"],
        value_hint = ValueHint::FilePath
    )]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Keep programs that this compiler, with these flags, gets wrong
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, value_parser = parse_command)]
    pub(crate) subject: Option<String>,
    /// Do not check whether candidates are defined: for crashes of the compiler
    #[arg(long)]
    pub(crate) no_ub_check: bool,
    /// Reduce the file as a text, also if it is C; candidates that are C are still checked
    #[arg(long, visible_alias = "not-c")]
    pub(crate) text: bool,
    /// Do not keep the original as FILE.orig
    #[arg(long)]
    pub(crate) tidy: bool,
    /// Begin with the whole program even if the finding was reduced before
    #[arg(long)]
    pub(crate) again: bool,
    /// Also keep programs that the compiler gets wrong in another way
    #[arg(long)]
    pub(crate) any_failure: bool,
    /// Show at the end what became of the candidates of each pass
    #[arg(long)]
    pub(crate) stats: bool,
    /// Print one JSON document about each file at its end
    #[arg(long)]
    pub(crate) json: bool,
    /// Try N candidates at once [default: the number of processors]
    #[arg(short, long, visible_alias = "n", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Count a test as failed after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: u64,
    /// Give up on a candidate after N operations of the machine
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    pub(crate) steps: u64,
    /// The version of the language, always with the GNU extensions
    #[arg(long = "std", value_name = "STANDARD", value_enum, default_value_t)]
    pub(crate) standard: Standard,
    /// The machine that the program is for
    #[arg(long, default_value = X86_64_LINUX.name, value_parser = target_parser())]
    pub(crate) target: &'static Target,
    /// Search DIR for headers
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) defines: Vec<String>,
    /// Preprocess with this compiler [default: cc, or the gcc of another target]
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, value_parser = parse_command)]
    pub(crate) cc: Option<String>,
    /// Accept what C89 allowed: implicit int, and calls of functions that are not declared
    #[arg(long)]
    pub(crate) permissive: bool,
}

/// What generated programs are made of.
#[derive(Debug, Args)]
pub(crate) struct FeatureArguments {
    /// Features of programs to switch on and off: +switch,-goto
    ///
    /// They stand above those of --config; `farrier gen --list-features` names them. In a hunt they
    /// cannot change later.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        action = clap::ArgAction::Append,
        allow_hyphen_values = true
    )]
    pub(crate) features: Vec<String>,
}

/// The program to work on; the same for every command that reads one.
#[derive(Debug, Args)]
pub(crate) struct ProgramArguments {
    /// The C files of the program, `-` for standard input
    ///
    /// A file whose name ends in `.i` is not preprocessed again.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// The version of the language, always with the GNU extensions
    ///
    /// The names that compilers use are accepted too: gnu17 is c17.
    #[arg(long = "std", value_name = "STANDARD", value_enum, default_value_t)]
    pub(crate) standard: Standard,
    /// The machine that the program is for
    #[arg(long, default_value = X86_64_LINUX.name, value_parser = target_parser())]
    pub(crate) target: &'static Target,
    /// Search DIR for headers
    #[arg(short = 'I', value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) defines: Vec<String>,
    /// Undefine a macro; this applies after all -D
    #[arg(short = 'U', value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) undefines: Vec<String>,
    /// Read FILE before each C file, as if it was included
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) include: Vec<PathBuf>,
    /// Preprocess with this compiler [default: cc, or the gcc of another target]
    ///
    /// Arguments may follow, separated by spaces.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, value_parser = parse_command)]
    pub(crate) cc: Option<String>,
    /// Do not preprocess the files
    #[arg(long)]
    pub(crate) preprocessed: bool,
    /// Accept what C89 allowed: implicit int, and calls of functions that are not declared
    #[arg(long)]
    pub(crate) permissive: bool,
}

/// How `farrier check` reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// The output of the program on standard output, the verdict on standard error
    #[default]
    Human,
    /// One JSON document on standard output, with the output of the program in it
    Json,
    /// A SARIF 2.1.0 log on standard output, with the output of the program in it
    Sarif,
}

/// The kinds of programs that `farrier gen` makes.
fn preset_parser() -> impl TypedValueParser<Value = Preset> {
    let value = |preset: Preset| PossibleValue::new(preset.name()).help(preset.about());
    PossibleValuesParser::new(Preset::ALL.map(value))
        .map(|name| Preset::by_name(&name).unwrap_or_default())
}

/// The tiers of floating arithmetic.
fn tier_parser() -> impl TypedValueParser<Value = Tier> {
    let value = |tier: Tier| PossibleValue::new(tier.name()).help(tier.about());
    PossibleValuesParser::new(Tier::ALL.map(value))
        .try_map(|name| Tier::by_name(&name).ok_or("there is no such tier"))
}

/// What becomes of the guards of generated programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum DischargeName {
    /// All stay as wrappers
    Keep,
    /// Unnecessary guards are dropped, the others stay
    Drop,
    /// All are dropped; where one is needed, the operation is changed
    Flip,
    /// Like flip, but some stay
    Mixed,
}

impl DischargeName {
    /// The discharge it names.
    pub(crate) fn discharge(self) -> Discharge {
        match self {
            Self::Keep => Discharge::Keep,
            Self::Drop => Discharge::Drop,
            Self::Flip => Discharge::Flip,
            Self::Mixed => Discharge::Mixed,
        }
    }
}

/// What generated programs check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum CheckName {
    /// Print a checksum of all globals
    #[default]
    Checksum,
    /// Compare every global with its known value; print OK, or NG and the first that differs
    Asserts,
    /// Nothing
    None,
}

impl CheckName {
    /// The check it names.
    pub(crate) fn check(self) -> Check {
        match self {
            Self::Checksum => Check::Checksum,
            Self::Asserts => Check::Asserts,
            Self::None => Check::None,
        }
    }
}

/// The versions of the language, with all the names that compilers give them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Standard {
    #[value(name = "c99", aliases = ["gnu99", "c9x", "gnu9x"])]
    C99,
    #[value(name = "c11", aliases = ["gnu11", "c1x", "gnu1x"])]
    C11,
    #[default]
    #[value(name = "c17", aliases = ["gnu17", "c18", "gnu18"])]
    C17,
    #[value(name = "c23", aliases = ["gnu23", "c2x", "gnu2x"])]
    C23,
}

impl Standard {
    /// The dialect it names.
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Self::C99 => Dialect::C99,
            Self::C11 => Dialect::C11,
            Self::C17 => Dialect::C17,
            Self::C23 => Dialect::C23,
        }
    }
}

fn target_parser() -> impl TypedValueParser<Value = &'static Target> {
    PossibleValuesParser::new(TARGETS.map(|target| target.name))
        .map(|name| Target::by_name(&name).expect("only names of targets are accepted"))
}

fn parse_size(text: &str) -> Result<u64, String> {
    parse_number(text, 1_000, 16_000_000)
}

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

fn parse_steps(text: &str) -> Result<u64, String> {
    parse_number(text, 1_000, 1_000_000_000)
}

/// A number such as 500, 80k, 1M or 1G.
fn parse_number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes() {
        [.., b'k' | b'K'] => (&text[..text.len() - 1], 1_000),
        [.., b'M'] => (&text[..text.len() - 1], 1_000_000),
        [.., b'G'] => (&text[..text.len() - 1], 1_000_000_000),
        [.., b'T'] => (&text[..text.len() - 1], 1_000_000_000_000),
        _ => (text, 1),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a number, such as 5000, 80k or 1M".to_owned());
    }
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    match number {
        Some(number) if (least..=most).contains(&number) => Ok(number),
        Some(number) if number < least => {
            Err(format!("the number is too small: the minimum is {}", number_text(least)))
        }
        _ => Err(format!("the number is too large: the maximum is {}", number_text(most))),
    }
}

/// The number as the user may write it, in as few letters as possible.
pub(crate) fn number_text(number: u64) -> String {
    for (factor, letter) in [(1_000_000_000, 'G'), (1_000_000, 'M'), (1_000, 'k')] {
        if number > 0 && number.is_multiple_of(factor) {
            return format!("{}{letter}", number / factor);
        }
    }
    number.to_string()
}

/// What the user calls a value.
pub(crate) fn value_name(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value().expect("no value is hidden");
    value.get_name().to_owned()
}

fn parse_command(text: &str) -> Result<String, &'static str> {
    match text.split_whitespace().next() {
        Some(_) => Ok(text.to_owned()),
        None => Err("the command is empty"),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_exit_status_has_a_command() {
        for (name, _) in EXITS {
            let command = Cli::command();
            let known = command.get_subcommands().any(|command| command.get_name() == *name);
            assert!(known || ["", "written"].contains(name), "{name}");
        }
    }

    #[test]
    fn numbers_have_letters() {
        for (text, number) in [("1k", 1_000), ("80k", 80_000), ("5432", 5432), ("16M", 16_000_000)]
        {
            assert_eq!(parse_size(text), Ok(number));
            assert_eq!(number_text(number), text);
        }
        for text in ["", "k", "0", "0k", "999", "17M", "-1k", "+5k", "1.5k", "80kB", "9999999999G"]
        {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_dialect_can_be_named() {
        let named: Vec<_> = Standard::value_variants().iter().map(|s| s.dialect()).collect();
        assert_eq!(named, Dialect::ALL);
        for dialect in Dialect::ALL {
            let standard = Standard::from_str(dialect.name(), false).expect("it has its own name");
            assert_eq!(standard.dialect(), dialect);
            let gnu = dialect.name().replace('c', "gnu");
            assert_eq!(Standard::from_str(&gnu, false), Ok(standard));
        }
        assert_eq!(Standard::default().dialect(), Dialect::default());
    }
}
