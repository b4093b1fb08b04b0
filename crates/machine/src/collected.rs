//! What a collecting run finds.

use farrier_lang::{FunctionId, ObjectId};

use crate::kinds::{Cause, UbKind};
use crate::profile::Profile;
use crate::verdict::{At, Verdict};

/// The faults of a program, from one run that continues after each of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected {
    /// What the program wrote to standard output.
    pub output: Vec<u8>,
    /// The faults in the order in which they first happened. Each node has each rule once,
    /// and there are at most [`MOST_FAULTS`](Self::MOST_FAULTS).
    pub faults: Vec<Fault>,
    /// Why the run ended before the program did, if so: a limit, something unsupported, or
    /// a fault after which nothing can continue. It is never [`Verdict::Defined`].
    pub stopped: Option<Verdict>,
    /// What was seen on the way, if it was asked for.
    pub profile: Option<Profile>,
}

impl Collected {
    /// The most faults that are kept; later ones are dropped.
    pub const MOST_FAULTS: usize = 256;
}

/// A broken rule, and where it was first broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which rule is broken.
    pub rule: Rule,
    /// Where.
    pub at: At,
    /// The innermost active function.
    pub function: Option<FunctionId>,
    /// The declared object that the fault is about, if it is known: the one without a value,
    /// the dead one, the one whose bounds are left, the one in conflict.
    pub object: Option<ObjectId>,
    /// What happened, with the values involved.
    pub message: String,
}

/// Something that makes a program lose its one meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// What happens is undefined.
    Undefined(UbKind),
    /// What happens depends on a choice that C leaves open.
    Unspecified(Cause),
}
