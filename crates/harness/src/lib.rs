//! Compilers under test: the only crate that starts processes.
//!
//! [`run`] starts one and holds it to its limits; [`Sandbox::run`] also keeps it from
//! doing harm.

mod case;
mod error;
mod flags;
mod generator;
mod group;
mod oracle;
mod outcome;
mod preprocess;
mod process;
mod recipe;
mod sandbox;
mod scratch;
mod subject;
mod text;
pub mod triage;
mod usage;

pub use case::{Certificate, Expectation, Expected, TestCase, case_name};
pub use error::Error;
pub use flags::{Catalogue, Choice, FlagPolicy, choose, read_catalogue, refusal};
pub use generator::{Made, SEED, SEEDS, in_shell, make_program};
pub use oracle::{
    Breakdown, Conviction, FindingKind, Judgement, Majority, Mistake, Proof, VOTERS, Vote, confirm,
    judge, vote,
};
pub use outcome::{
    Bench, Commands, CompilerCommand, Excess, Executed, Extent, Outcome, Trial, TrialBounds,
    commands, compiled, is_dressed, support_file, underlying,
};
pub use preprocess::{PreprocessOptions, Preprocessed, Unit, default_compiler, preprocess};
pub use process::{Finished, Limits, ProcessEnding, end_all, run};
pub use recipe::{Configuration, Drawing, Mutation, Origin, Outfit, Recipe};
pub use sandbox::{
    Bounds, Gpu, Isolation, Protection, Role, Sandbox, launch_if_asked, wine_environment,
};
pub use scratch::{Scratch, free_space};
pub use subject::{
    Discovery, Family, LEVELS, Runner, Subject, Unusable, adapted, advice, contradiction,
    default_runner, discover, fingerprint, has_level, has_usual_name, load_subjects,
    make_names_unique, parse_subjects, recognise, target_by_name, targets, try_out, with_flags,
};
pub use text::decode;
pub use usage::{processor_time, thread_time};
