//! Compilers under test: the only crate that starts processes.
//!
//! [`run`] starts one and holds it to its limits; [`Sandbox::run`] also keeps it from
//! doing harm.

mod error;
mod flags;
mod group;
mod oracle;
mod outcome;
mod preprocess;
mod process;
mod sandbox;
mod scratch;
mod subject;
mod text;
pub mod triage;
mod usage;

pub use error::Error;
pub use flags::{Catalogue, Choice, FlagPolicy, choose, read_catalogue};
pub use oracle::{FindingKind, Judgement, Vote, confirm, judge, judge_compiler, vote, winner};
pub use outcome::{
    Commands, Excess, Executed, Outcome, Step, Trial, TrialBounds, commands, compile,
    compile_and_run, support_file,
};
pub use preprocess::{PreprocessOptions, Preprocessed, Unit, default_compiler, preprocess};
pub use process::{Ending, Finished, Limits, end_all, run};
pub use sandbox::{Bounds, Isolation, Protection, Role, Sandbox, launch_if_asked};
pub use scratch::{Scratch, free_space};
pub use subject::{
    Discovery, Family, LEVELS, Runner, Subject, Unusable, advice, default_runner, discover,
    load_subjects, make_names_unique, parse_subjects, try_out,
};
pub use text::decode;
pub use usage::{processor_time, thread_time};
