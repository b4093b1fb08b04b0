//! The arguments of `farrier report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::exit_status;
use super::join::PlaceArguments;

const REPORT_EXAMPLES: &str = "\
Examples:
  farrier report
      Write a page about the whole hunt to farrier-report.html
  farrier report 3f2a
      Write a directory about the finding whose name begins with 3f2a, ready to be filed
  farrier report 3f2a -o bug && make -C bug
      Name the directory, and see the bug";

/// Write a report about a finding, or a page about the whole hunt
///
/// The report about a finding is a directory with the program, a Makefile that shows the bug and
/// fails while it exists, a text for the tracker of the compiler, and regression tests in the forms
/// of GCC and LLVM. Farrier tries the finding once more, and finds the place where the compiled program
/// first goes wrong. Without a finding the report is one self-contained HTML page.
#[derive(Debug, Args)]
#[command(after_help = format!("{REPORT_EXAMPLES}\n\n{}", exit_status("written")))]
pub(crate) struct ReportArguments {
    /// The name of a finding, or the beginning of it
    #[arg(value_name = "FINDING")]
    pub(crate) name: Option<String>,
    /// Where to write: a directory for a finding, otherwise a file, `-` for standard output
    /// [default: farrier-report-FINDING, or farrier-report.html]
    #[arg(short, long, value_name = "DIR|FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite files of a report that were changed since it was written
    #[arg(long, requires = "name")]
    pub(crate) force: bool,
    /// Print one JSON document about what was written
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  farrier compare csmith own
      Hold two hunts against each other
  farrier compare --svg bugs.svg run-*
      Draw the bugs and trials of several hunts
  farrier compare --json a b | jq '.hunts[] | .directory, (.bugs | length)'
      The number of bugs of each";

/// Hold hunts against each other: bugs and trials by processor time
///
/// The time is that of compilers and compiled programs, so it does not matter how busy the machine
/// was. A bug is a cause that triage found; what is not triaged counts once for each kind and
/// compiler. The hunts may still run.
#[derive(Debug, Args)]
#[command(after_help = format!("{COMPARE_EXAMPLES}\n\n{}", exit_status("written")))]
pub(crate) struct CompareArguments {
    /// The directories of the hunts
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dirs: Vec<PathBuf>,
    /// Also draw the curves: bugs, trials, and coverage if it was measured
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) svg: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
