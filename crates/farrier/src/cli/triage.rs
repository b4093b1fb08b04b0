//! The arguments of `farrier triage`.

use std::time::Duration;

use clap::Args;

use super::exit_status;
use super::hunt::{HuntDirectory, parse_time};

const TRIAGE_EXAMPLES: &str = "\
Examples:
  farrier triage
      Analyse all findings of `farrier hunt` in this directory and group them by cause
  farrier triage --again 3f2a
      Analyse one finding once more
  farrier triage --no-reduce --each 1 --dir trunk
      Only group, quickly
  farrier triage --json | jq -r '.[].signature'
      The causes only";

/// Analyse findings: the guilty pass, the versions that fail, second opinions
///
/// Findings of the same cause are recognised and grouped. The first few of each are reduced and
/// analysed: the smallest flags, the guilty pass, other versions of the compiler on this machine,
/// and second opinions of sanitizers and of other compilers. Each result is stored at once, and
/// the same command continues after an interrupt. It can run during a hunt.
#[derive(Debug, Args)]
#[command(after_help = format!("{TRIAGE_EXAMPLES}\n\n{}", exit_status("triage")))]
pub(crate) struct TriageArguments {
    /// Only these findings, each by its name or the beginning of it [default: all]
    #[arg(value_name = "FINDING")]
    pub(crate) findings: Vec<String>,
    #[command(flatten)]
    pub(crate) hunt: HuntDirectory,
    /// Do not reduce programs
    #[arg(long)]
    pub(crate) no_reduce: bool,
    /// Also analyse findings that were analysed before
    #[arg(long)]
    pub(crate) again: bool,
    /// How many findings of one cause to reduce and analyse
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) each: u16,
    /// The time limit for one finding, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_time)]
    pub(crate) time: Duration,
    /// How many candidates of a reduction are tried at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
}

const BUGS_EXAMPLES: &str = "\
Examples:
  farrier bugs
      List the causes of the findings of `farrier hunt` in this directory
  farrier bugs --new --json | jq -r '.[].example'
      One finding for each cause that is in no tracker

The file known.toml in the directory of the hunt names causes that are known:
  \"wrong-code: gcc tree-vrp1\" = \"PR 12345\"";

/// List the causes of findings, without analysing any
///
/// The table is that of `farrier triage`, which finds the causes.
#[derive(Debug, Args)]
#[command(after_help = format!("{BUGS_EXAMPLES}\n\n{}", exit_status("findings")))]
pub(crate) struct BugsArguments {
    #[command(flatten)]
    pub(crate) hunt: HuntDirectory,
    /// Leave out causes that known.toml names
    #[arg(long)]
    pub(crate) new: bool,
}
