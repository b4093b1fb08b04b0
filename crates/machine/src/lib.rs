//! The C abstract machine: runs a typed program in-process, knows every value, and
//! stops at the first undefined behaviour.
//!
//! A [`Program`] is lowered once into operations on registers (`code`) and then
//! interpreted. Memory is made of bytes that know whether they are
//! initialised and whether they are a part of a pointer. The answer is a
//! [`Verdict`]. This crate is pure and knows nothing but `farrier-lang`.

mod aliasing;
mod arithmetic;
mod certified;
mod code;
mod collected;
mod kinds;
mod library;
mod linking;
mod lower;
mod memory;
mod order;
mod padding;
mod paths;
mod profile;
mod restrict;
mod rounds;
mod run;
mod tier;
mod underspecified;
mod value;
mod verdict;
mod views;
mod watch;

use farrier_lang::Program;

pub use certified::Certified;
pub use collected::{Collected, Fault, Rule};
pub use kinds::{Cause, UbKind};
pub use library::{Provided, provided};
pub use profile::{
    ExprProfile, Floats, Integers, LoopProfile, Observed, Profile, Relations, Tuples, Values,
    counted,
};
pub use run::{Action, Callable, Event};
pub use tier::Tier;
pub use verdict::{
    At, Behavior, Call, Ending, Leak, Limit, Run, Ub, Unspecified, Unsupported, Verdict,
};
pub use watch::{Chosen, Part, Watch, Watchpoint};

/// What a run may cost, and which rules it applies.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most operations.
    pub steps: u64,
    /// The most bytes of memory that the program may have at once.
    pub memory: u64,
    /// The deepest that calls may nest.
    pub depth: usize,
    /// Whether accesses must agree with effective types, C11 6.5p7.
    pub strict_aliasing: bool,
    /// What to keep a profile of, which costs time.
    pub profile: Option<Watch>,
    /// What `main` has as `argv`, the name of the program first.
    pub arguments: Vec<Vec<u8>>,
    /// What the program can read from standard input.
    pub input: Vec<u8>,
    /// The files that are there when the program starts: names and contents. Without it
    /// nothing is known of files, not even that one can be made.
    pub files: Option<Vec<(Vec<u8>, Vec<u8>)>>,
    /// What `getenv` finds: names and values.
    pub environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// What `time` returns; without it nothing is known of the time.
    pub time: Option<i64>,
    /// Whether `rand` gives the numbers of glibc; without it they are left open.
    pub glibc_random: bool,
    /// Whether to look for memory that was lost, at the end.
    pub leaks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            steps: 1_000_000_000,
            memory: 1 << 30,
            depth: 100_000,
            strict_aliasing: true,
            profile: None,
            arguments: vec![b"a.out".to_vec()],
            input: Vec::new(),
            files: None,
            environment: Vec::new(),
            time: None,
            glibc_random: false,
            leaks: false,
        }
    }
}

/// Runs a program under the strictest rules; the only way to make a [`Certified`].
pub fn certify(program: Program, options: &Options) -> Result<Certified, Box<Verdict>> {
    certified::try_certify(program, options, false).map_err(|refused| Box::new(refused.1))
}

/// The same, and a program that cannot be certified comes back. With its tier,
/// [`Certified::tier`] needs no run of its own afterwards.
pub fn try_certify(
    program: Program,
    options: &Options,
    with_tier: bool,
) -> Result<Certified, Box<(Program, Verdict)>> {
    certified::try_certify(program, options, with_tier)
}

/// Runs a well-formed program.
pub fn run(program: &Program, options: &Options) -> Run {
    run::run(program, options, None)
}

/// Runs a well-formed program to its end, and continues after each fault with a fixed value.
/// Nothing follows from it about the meaning of the program: only [`certify`] proves.
pub fn collect(program: &Program, options: &Options) -> Collected {
    run::collect(program, options)
}

/// Runs a well-formed program and tells `observer` of volatile accesses and calls, as
/// they happen.
pub fn observe(program: &Program, options: &Options, observer: &mut dyn FnMut(&Event)) -> Run {
    run::run(program, options, Some(observer))
}
