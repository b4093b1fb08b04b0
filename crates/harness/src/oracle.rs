//! Who is right: what a compiler did, held against what it should have done.

use std::collections::BTreeSet;
use std::fmt;

use farrier_machine::Ending;
use serde::{Deserialize, Serialize, Serializer};

use crate::case::{Certificate, Expectation, Expected};
use crate::outcome::{self, Excess, Outcome};
use crate::subject::{Runner, Subject};

/// What an outcome means.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "judgement", content = "what", rename_all = "kebab-case")]
pub enum Judgement {
    /// The compiler is right, or nothing shows that it is wrong.
    Agrees,
    /// The compiler is wrong.
    Finding(Conviction),
    /// It may be wrong or right; why that cannot be said.
    Inconclusive(String),
    /// It was not tried: something around us failed.
    Infrastructure(String),
}

impl Judgement {
    /// In which way the compiler is wrong, if it is.
    pub fn kind(&self) -> Option<FindingKind> {
        match self {
            Self::Finding(conviction) => Some(conviction.kind()),
            Self::Agrees | Self::Inconclusive(_) | Self::Infrastructure(_) => None,
        }
    }
}

/// What a compiler did wrong, with the proof where one is needed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conviction {
    /// It is wrong about the program. That takes a proof of what the program does.
    Proved {
        /// In which way.
        mistake: Mistake,
        /// By what this is known.
        proof: Proof,
    },
    /// It failed, which is wrong whatever the program is.
    Breakdown(Breakdown),
}

/// How a compiler can be wrong about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// The compiled program writes something else.
    Output,
    /// It ends in another way.
    Exit,
    /// It ends by a signal.
    Crash,
    /// It does not end.
    Hang,
    /// The compiler refuses the program.
    Rejection,
}

/// How a compiler can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breakdown {
    /// It crashes.
    Crash,
    /// It does not end.
    Hang,
    /// It needs too much memory.
    OutOfMemory,
}

/// By what it is known what a program does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The machine has certified it.
    Certificate(Certificate),
    /// Most compilers agree. The program may still be undefined.
    Majority(Majority),
}

impl Proof {
    /// What the program should have done, as data.
    pub fn expected(&self) -> Expected {
        match self {
            Self::Certificate(certificate) => certificate.expected(),
            Self::Majority(majority) => majority.expected(),
        }
    }
}

/// What most compilers agree on; only [`vote`] finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Majority {
    status: i32,
    output: Vec<u8>,
}

impl Majority {
    /// Whether this is what they agree on.
    pub fn is(&self, outcome: &Outcome) -> bool {
        let Self { status, output } = self;
        matches!(outcome, Outcome::Ran { status: one, output: two } if (one, two) == (status, output))
    }

    /// The same as data.
    pub fn expected(&self) -> Expected {
        let Self { status, output } = self;
        Expected { output: output.clone(), status: Some(*status), steps: 0, floating: None }
    }
}

impl Conviction {
    /// The kind of the finding.
    pub fn kind(&self) -> FindingKind {
        match self {
            Self::Proved { mistake: Mistake::Output, .. } => FindingKind::WrongOutput,
            Self::Proved { mistake: Mistake::Exit, .. } => FindingKind::WrongExit,
            Self::Proved { mistake: Mistake::Crash, .. } => FindingKind::RunCrash,
            Self::Proved { mistake: Mistake::Hang, .. } => FindingKind::RunHang,
            Self::Proved { mistake: Mistake::Rejection, .. } => FindingKind::ValidProgramRejected,
            Self::Breakdown(Breakdown::Crash) => FindingKind::CompilerCrash,
            Self::Breakdown(Breakdown::Hang) => FindingKind::CompilerHang,
            Self::Breakdown(Breakdown::OutOfMemory) => FindingKind::CompilerOutOfMemory,
        }
    }

    /// What the program should have done, where that matters.
    pub fn expected(&self) -> Option<Expected> {
        match self {
            Self::Proved { proof, .. } => Some(proof.expected()),
            Self::Breakdown(_) => None,
        }
    }
}

impl Serialize for Conviction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.kind().serialize(serializer)
    }
}

/// How a compiler can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// The compiled program writes something else.
    WrongOutput,
    /// It writes the right thing and ends with another exit status.
    WrongExit,
    /// It ends by a signal.
    RunCrash,
    /// It does not end.
    RunHang,
    /// The compiler crashes.
    CompilerCrash,
    /// The compiler does not end.
    CompilerHang,
    /// The compiler needs more memory than it may have.
    CompilerOutOfMemory,
    /// The compiler refuses a valid program.
    ValidProgramRejected,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::WrongOutput,
        Self::WrongExit,
        Self::RunCrash,
        Self::RunHang,
        Self::CompilerCrash,
        Self::CompilerHang,
        Self::CompilerOutOfMemory,
        Self::ValidProgramRejected,
    ];

    /// The name of the kind in options, reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongOutput => "wrong-output",
            Self::WrongExit => "wrong-exit",
            Self::RunCrash => "run-crash",
            Self::RunHang => "run-hang",
            Self::CompilerCrash => "compiler-crash",
            Self::CompilerHang => "compiler-hang",
            Self::CompilerOutOfMemory => "compiler-out-of-memory",
            Self::ValidProgramRejected => "valid-program-rejected",
        }
    }

    /// The kind of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is about the code that the compiler makes, which takes a program whose
    /// meaning is known.
    pub fn is_wrong_code(self) -> bool {
        matches!(self, Self::WrongOutput | Self::WrongExit | Self::RunCrash | Self::RunHang)
    }

    /// Whether the compiler itself fails, which is wrong whatever the program is.
    pub fn is_breakdown(self) -> bool {
        matches!(self, Self::CompilerCrash | Self::CompilerHang | Self::CompilerOutOfMemory)
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A program of more steps than this may take longer than its time without being wrong:
/// not optimised, in an emulator, on a busy machine. A step is one operation of the
/// abstract machine, which does tens of millions in a second.
const LONG_RUN: u64 = 10_000_000;

/// The same for what runs the program: one thread of a GPU has a fiftieth of the speed of a
/// processor, and several programs share the device.
fn long_run(runner: &Runner) -> u64 {
    match runner {
        Runner::Gpu(_) => LONG_RUN / 50,
        _ => LONG_RUN,
    }
}

/// Judges what a subject did with a program: the one place where this is decided.
///
/// Where a program was compiled and not run, it is enough that it was compiled. Where nothing
/// is expected, or compilers did not agree when they had to [`vote`], only a compiler that
/// breaks down is wrong.
pub fn judge(subject: &Subject, expectation: &Expectation, outcome: &Outcome) -> Judgement {
    match expectation {
        Expectation::Certified(certificate) => {
            let behavior = certificate.behavior();
            let right =
                Right { output: &behavior.output, ending: behavior.ending, steps: behavior.steps };
            let proof = || Proof::Certificate(certificate.clone());
            compare(subject, &right, outcome).judgement(proof)
        }
        Expectation::Agreement { majority: Some(majority), .. } => {
            let Majority { status, output } = majority;
            // How long the program takes is not known.
            let right = Right { output, ending: Ending::Exit(*status), steps: u64::MAX };
            compare(subject, &right, outcome).judgement(|| Proof::Majority(majority.clone()))
        }
        Expectation::Agreement { why, majority: None } => {
            let why = || Comparison::Inconclusive(format!("{why}; {NO_MAJORITY}"));
            without_meaning(outcome).unwrap_or_else(why).without_proof()
        }
        Expectation::Nothing => {
            without_meaning(outcome).unwrap_or(Comparison::Agrees).without_proof()
        }
    }
}

/// What a program does if it is compiled rightly.
struct Right<'a> {
    output: &'a [u8],
    ending: Ending,
    steps: u64,
}

/// What an outcome shows, before it is asked how sure the expectation is.
#[derive(PartialEq, Eq, Debug)]
enum Comparison {
    Agrees,
    Wrong(Mistake),
    Broken(Breakdown),
    Inconclusive(String),
    Infrastructure(String),
}

impl Comparison {
    fn judgement(self, proof: impl FnOnce() -> Proof) -> Judgement {
        match self {
            Self::Wrong(mistake) => {
                Judgement::Finding(Conviction::Proved { mistake, proof: proof() })
            }
            other => other.without_proof(),
        }
    }

    /// What can be said without knowing what the program does.
    fn without_proof(self) -> Judgement {
        match self {
            Self::Agrees => Judgement::Agrees,
            Self::Broken(breakdown) => Judgement::Finding(Conviction::Breakdown(breakdown)),
            Self::Wrong(_) => inconclusive("it is not known what the program does"),
            Self::Inconclusive(why) => Judgement::Inconclusive(why),
            Self::Infrastructure(what) => Judgement::Infrastructure(what),
        }
    }
}

/// What an outcome shows whatever the program does; `None` if that depends on the program.
fn without_meaning(outcome: &Outcome) -> Option<Comparison> {
    Some(match outcome {
        Outcome::CompilerCrash { .. } => Comparison::Broken(Breakdown::Crash),
        Outcome::CompilerTimeout => Comparison::Broken(Breakdown::Hang),
        Outcome::CompilerOutOfMemory { .. } => Comparison::Broken(Breakdown::OutOfMemory),
        Outcome::Compiled => Comparison::Agrees,
        Outcome::Unfit { why } => Comparison::Inconclusive(why.clone()),
        Outcome::Infrastructure { what } => Comparison::Infrastructure(what.clone()),
        Outcome::CompileError { text } => {
            let line = outcome::not_about_the_program(text)?;
            Comparison::Inconclusive(format!("the compiler says: {line}"))
        }
        Outcome::Ran { .. }
        | Outcome::RunCrash { .. }
        | Outcome::RunTimeout { .. }
        | Outcome::RunExcess { .. } => return None,
    })
}

/// Holds an outcome against what is right.
fn compare(subject: &Subject, right: &Right<'_>, outcome: &Outcome) -> Comparison {
    use Comparison::{Agrees, Inconclusive, Wrong};
    let unclear = |why: &str| Inconclusive(why.to_owned());
    match outcome {
        Outcome::Ran { status, output } => match right.ending {
            _ if output != right.output && !subject.silent => Wrong(Mistake::Output),
            Ending::Exit(right) if *status == right & 0xff => Agrees,
            Ending::Exit(_) | Ending::Abort => Wrong(Mistake::Exit),
        },
        Outcome::RunCrash { signal, output } => match (right.ending, signal) {
            // Only a program that flushed its output before it aborts has a right output.
            (Ending::Abort, Some(libc::SIGABRT | libc::SIGILL | libc::SIGTRAP)) => {
                if right.output == output { Agrees } else { Wrong(Mistake::Output) }
            }
            (_, None) if matches!(subject.runner, Runner::Gpu(_)) => {
                unclear("the GPU stopped the program, whose stack may have been too small")
            }
            (_, None) => unclear("the simulator ended before the program"),
            (_, Some(_)) => Wrong(Mistake::Crash),
        },
        Outcome::RunTimeout { .. }
            if matches!(subject.runner, Runner::Simavr | Runner::Marked(_)) =>
        {
            unclear("the simulated machine may have run out of memory")
        }
        Outcome::RunTimeout { .. } if right.steps > long_run(&subject.runner) => {
            unclear("the program is long and may just need more time")
        }
        Outcome::RunTimeout { .. } => Wrong(Mistake::Hang),
        Outcome::RunExcess { of: Excess::Output, output } => {
            if output.len() > right.output.len() || !right.output.starts_with(output) {
                Wrong(Mistake::Output)
            } else {
                unclear("the program writes more than it may")
            }
        }
        Outcome::RunExcess { of: Excess::Memory, .. } => {
            unclear("the program needs more memory than it may have")
        }
        Outcome::CompileError { .. } => match without_meaning(outcome) {
            Some(known) => known,
            None if !subject.extensions => unclear("the compiler may not have all of the language"),
            None => Wrong(Mistake::Rejection),
        },
        Outcome::Compiled
        | Outcome::CompilerCrash { .. }
        | Outcome::CompilerTimeout
        | Outcome::CompilerOutOfMemory { .. }
        | Outcome::Unfit { .. }
        | Outcome::Infrastructure { .. } => {
            without_meaning(outcome).expect("these say the same of every program")
        }
    }
}

fn inconclusive(why: &str) -> Judgement {
    Judgement::Inconclusive(why.to_owned())
}

/// How many subjects must have run a program before they can vote.
pub const VOTERS: usize = 3;

/// How many lines of compilers must agree: versions of one have their bugs in common.
const LINES: usize = 2;

pub(crate) const NO_MAJORITY: &str =
    "there is no majority of at least three subjects from two lines of compilers";

/// What one trial says about a program whose behaviour is not known.
#[derive(Clone, Copy, Debug)]
pub struct Vote<'a> {
    /// Who votes.
    pub subject: &'a Subject,
    /// What it saw.
    pub outcome: &'a Outcome,
}

/// Lets subjects vote, as Csmith does, where it is not known what a program does: what more than
/// half of all trials saw, and with them more than half of the subjects, of which there must be
/// three, and more than half of the lines of compilers, at least two.
///
/// Three levels of one compiler can well be wrong together, so they are not three voters; nor
/// are three versions of it. Where most of them crash, the program is to blame and there is no winner.
pub fn vote(votes: &[Vote<'_>]) -> Option<Majority> {
    let ran: Vec<Vote<'_>> = votes.iter().copied().filter(|vote| is_vote(vote.outcome)).collect();
    let majority = |vote: &Vote<'_>| {
        ran.iter().filter(|other| other.outcome == vote.outcome).count() * 2 > ran.len()
    };
    let winner = ran.iter().copied().find(majority)?.outcome;
    let backing: Vec<Vote<'_>> =
        ran.iter().copied().filter(|vote| vote.outcome == winner).collect();
    let subjects = |votes: &[Vote<'_>]| -> usize {
        votes.iter().map(|vote| &vote.subject.name).collect::<BTreeSet<_>>().len()
    };
    let lines = |votes: &[Vote<'_>]| -> usize {
        votes.iter().map(|vote| vote.subject.family.line()).collect::<BTreeSet<_>>().len()
    };
    let enough = subjects(&ran) >= VOTERS
        && subjects(&backing) * 2 > subjects(&ran)
        && lines(&backing) >= LINES
        && lines(&backing) * 2 > lines(&ran);
    match winner {
        Outcome::Ran { status, output } if enough => {
            Some(Majority { status: *status, output: output.clone() })
        }
        _ => None,
    }
}

/// Whether an outcome says what the program does.
fn is_vote(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ran { .. } | Outcome::RunCrash { signal: Some(_), .. })
}

/// Confirms a finding: the same must come of it again. `again` tries once more, without
/// using what it remembers. Anything but a finding stays as it is.
pub fn confirm(
    first: &Outcome,
    judgement: Judgement,
    again: impl FnOnce() -> (Outcome, Judgement),
) -> Judgement {
    let Some(kind) = judgement.kind() else { return judgement };
    let (second, second_judgement) = again();
    match second_judgement {
        Judgement::Finding(other) if other.kind() == kind && first.is_same(&second) => judgement,
        Judgement::Infrastructure(what) => Judgement::Infrastructure(what),
        _ => inconclusive("it does not happen every time"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::subject::parse_subjects;

    #[test]
    fn a_long_program_may_need_more_time() {
        let toml = "[[subject]]\nname = \"a\"\ncommand = \"gcc\"\ntarget = \"x86_64-linux\"\n";
        let gcc = parse_subjects(Path::new("a"), toml).expect("it is right").remove(0);
        let timeout = Outcome::RunTimeout { output: vec![] };
        let right = |steps| Right { output: b"", ending: Ending::Exit(0), steps };
        assert_eq!(compare(&gcc, &right(LONG_RUN), &timeout), Comparison::Wrong(Mistake::Hang));
        let long = compare(&gcc, &right(LONG_RUN + 1), &timeout);
        assert!(matches!(long, Comparison::Inconclusive(_)), "{long:?}");
        let nvcc = Subject { runner: Runner::Gpu("sm_90".to_owned()), ..gcc };
        assert_eq!(compare(&nvcc, &right(200_000), &timeout), Comparison::Wrong(Mistake::Hang));
        let long = compare(&nvcc, &right(200_001), &timeout);
        assert!(matches!(long, Comparison::Inconclusive(_)), "{long:?}");
        let fault = compare(&nvcc, &right(1), &Outcome::RunCrash { signal: None, output: vec![] });
        assert!(matches!(&fault, Comparison::Inconclusive(why) if why.contains("stack")));
    }
}
