//! What a run of the machine finds out.

use farrier_lang::{ExprId, FunctionId, Id, Program, Span, StmtId};

use crate::kinds::{Cause, UbKind};
use crate::profile::Profile;

/// The outcome of running a program. The five are never merged: what is
/// unsupported may be anything, and a limit says nothing about the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The program has one meaning, and this is it.
    Defined(Behavior),
    /// The program did something that C leaves undefined.
    Undefined(Ub),
    /// What the program does depends on a choice that C leaves open.
    Unspecified(Unspecified),
    /// The program uses something that the machine does not model.
    Unsupported(Unsupported),
    /// A limit was reached first.
    Exhausted(Limit),
}

/// A run: what the program wrote before it ended or was stopped, and the verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What it wrote to standard output, up to where the machine stopped.
    pub output: Vec<u8>,
    /// What was found out.
    pub verdict: Verdict,
    /// What was seen on the way, if it was asked for.
    pub profile: Option<Profile>,
    /// Memory that was lost, if the program came to its end and it was asked for; in the order of
    /// places.
    pub leaks: Vec<Leak>,
}

/// Memory from malloc that was not freed, and to which no pointer is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leak {
    /// Where it was allocated.
    pub at: At,
    /// How often.
    pub count: u64,
    /// How many bytes these are.
    pub bytes: u64,
}

/// All that can be observed of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Behavior {
    /// What it wrote to standard output.
    pub output: Vec<u8>,
    /// How it ended.
    pub ending: Ending,
    /// How many volatile accesses it made.
    pub volatile_accesses: u64,
    /// A hash of the sequence of volatile accesses.
    pub volatile_hash: u64,
    /// How many operations the machine executed; not part of the meaning.
    pub steps: u64,
}

/// How a program ends by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// With this exit status, of which systems keep the low eight bits.
    Exit(i32),
    /// By `abort`, a failed assertion or a trap.
    Abort,
}

/// A place in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// An expression.
    Expr(ExprId),
    /// A statement.
    Stmt(StmtId),
    /// The program as a whole.
    Nowhere,
}

impl At {
    /// The text of the place, if the program came from text.
    pub fn span(self, program: &Program) -> Option<Span> {
        match self {
            Self::Expr(id) if id.index() < program.expr_spans.len() => program.expr_span(id),
            Self::Stmt(id) if id.index() < program.stmt_spans.len() => program.stmt_span(id),
            _ => None,
        }
    }
}

/// One undefined behaviour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ub {
    /// Which rule is broken.
    pub kind: UbKind,
    /// Where.
    pub at: At,
    /// What happened, with the values involved.
    pub message: String,
    /// The calls that led here, innermost first.
    pub stack: Vec<Call>,
    /// Other places that matter, such as where an object was declared.
    pub related: Vec<(At, String)>,
}

/// One active call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function that was called.
    pub function: FunctionId,
    /// Where it was called from; nowhere for `main`.
    pub from: At,
}

/// A result that depends on a choice of the implementation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unspecified {
    /// Which choice.
    pub cause: Cause,
    /// Where.
    pub at: At,
    /// What happened.
    pub message: String,
}

/// Something that the machine does not model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The name of the feature.
    pub feature: String,
    /// Where.
    pub at: At,
}

/// What ran out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The number of operations.
    Steps(u64),
    /// The bytes of memory.
    Memory(u64),
    /// The depth of calls.
    Depth(usize),
    /// The bytes of output.
    Output(usize),
}

/// Why the machine stops.
#[derive(Debug)]
pub(crate) enum Stop {
    Undefined(UbKind, String),
    Unspecified(Cause, String),
    Unsupported(String),
    Exhausted(Limit),
    End(Ending),
}

/// What something in the machine gives, unless the run has to stop.
pub(crate) type Checked<T = ()> = Result<T, Box<Stop>>;

pub(crate) fn undefined<T>(kind: UbKind, message: impl Into<String>) -> Checked<T> {
    Err(Box::new(Stop::Undefined(kind, message.into())))
}

pub(crate) fn unspecified<T>(cause: Cause, message: impl Into<String>) -> Checked<T> {
    Err(Box::new(Stop::Unspecified(cause, message.into())))
}

pub(crate) fn unsupported<T>(feature: impl Into<String>) -> Checked<T> {
    Err(Box::new(Stop::Unsupported(feature.into())))
}
