//! From a finding to its cause: what makes it the same as another, which pass is guilty,
//! which versions and flags fail, and what others say.
//!
//! Everything here is plain data that can be stored and shown. docs/design/triage.md
//! explains how it comes about.

mod bisect;
mod crash;
mod hold;
mod jury;
mod lab;
mod opinions;
mod smallest;

use serde::{Deserialize, Serialize};

use crate::oracle::FindingKind;
use crate::outcome::Outcome;
use crate::subject::{Family, Runner};

pub use bisect::{area_of, find_area, find_culprit};
pub use crash::{Reading, read_crash};
pub use hold::{is_guilty, message};
pub use jury::Jury;
pub use lab::{Accusation, Lab};
pub use opinions::{ask_around, doubt, find_engine, try_versions};
pub use smallest::{minimise, smallest_flags};

/// By what two findings are recognised as one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Signature {
    /// What went wrong, in kinds that one bug can show itself in.
    pub class: Class,
    /// What tells this bug from others of the class: the normalised message of a crash, or
    /// the compiler and its guilty pass.
    pub text: String,
}

impl Signature {
    /// The one line by which findings are grouped.
    pub fn line(&self) -> String {
        format!("{}: {}", self.class.name(), self.text)
    }
}

/// Kinds of findings that one bug can show itself in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The compiled program does something else, in whatever way.
    WrongCode,
    /// The compiler crashes.
    Crash,
    /// The compiler does not end.
    Hang,
    /// The compiler needs too much memory.
    OutOfMemory,
    /// The compiler refuses a valid program.
    Rejects,
}

impl Class {
    /// The class of a kind.
    pub fn of(kind: FindingKind) -> Self {
        match kind {
            FindingKind::WrongOutput
            | FindingKind::WrongExit
            | FindingKind::RunCrash
            | FindingKind::RunHang => Self::WrongCode,
            FindingKind::CompilerCrash => Self::Crash,
            FindingKind::CompilerHang => Self::Hang,
            FindingKind::CompilerOutOfMemory => Self::OutOfMemory,
            FindingKind::ValidProgramRejected => Self::Rejects,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongCode => "wrong-code",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::OutOfMemory => "out-of-memory",
            Self::Rejects => "rejects-valid",
        }
    }
}

/// The smallest thing in a compiler that can be switched off so that the finding goes away.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "culprit", rename_all = "kebab-case")]
pub enum Culprit {
    /// An execution of a pass of LLVM: with `-mllvm -opt-bisect-limit=NUMBER` the finding
    /// is there, with one less it is not.
    LlvmPass {
        /// The number of the execution.
        number: u64,
        /// The name of the pass.
        name: String,
        /// What it worked on, such as `function (main)`.
        on: String,
    },
    /// A transformation of GCC: with `-fdbg-cnt=NAME:NUMBER` the finding is there, with one
    /// less it is not.
    GccCounter {
        /// The name of the counter.
        name: String,
        /// The number of the transformation.
        number: u64,
    },
    /// A flag that makes the finding go away, such as `-fno-tree-vrp`.
    Flag {
        /// The flag, or several with spaces between them where one is not enough.
        flag: String,
    },
    /// A pass of GCC that makes the finding go away when it is switched off.
    GccPass {
        /// The flag that switches it off, such as `-fdisable-tree-vrp1`.
        flag: String,
        /// The name of the pass, such as `tree-vrp1`.
        name: String,
    },
    /// The engine that compiles the output of the compiler again and runs it: with another one the
    /// same output does what it should.
    Engine {
        /// The subject with this engine.
        name: String,
        /// The subject with the other one.
        works: String,
        /// The other one.
        runner: Runner,
    },
    /// None was found.
    Unknown {
        /// Why.
        why: String,
    },
}

impl Culprit {
    /// The pass, counter or flag without numbers and functions, which differ from program
    /// to program; `None` if there is none.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::LlvmPass { name, .. }
            | Self::GccCounter { name, .. }
            | Self::GccPass { name, .. }
            | Self::Engine { name, .. } => Some(name),
            Self::Flag { flag } => Some(flag),
            Self::Unknown { .. } => None,
        }
    }

    /// Whether so many passes depend on it that a finding that goes away without it may be
    /// another one.
    pub fn is_everywhere(&self) -> bool {
        match self.name() {
            Some(name) => bisect::EVERYWHERE.iter().any(|part| name.contains(part)),
            None => true,
        }
    }

    /// The flags that make the finding go away, beside those with which it is there.
    pub fn remedy(&self) -> Option<Vec<String>> {
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        match self {
            Self::LlvmPass { number, .. } => {
                words(&["-mllvm", &format!("-opt-bisect-limit={}", number.saturating_sub(1))])
            }
            Self::GccCounter { name, number } => {
                words(&[&format!("-fdbg-cnt={name}:{}", number.saturating_sub(1))])
            }
            Self::Flag { flag } => words(&flag.split_whitespace().collect::<Vec<_>>()),
            Self::GccPass { flag, .. } => words(&[flag]),
            Self::Engine { .. } | Self::Unknown { .. } => None,
        }
    }
}

/// The part of a compiler that is probably wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Area {
    /// Reading the program.
    FrontEnd,
    /// Optimising what does not depend on the machine.
    MiddleEnd,
    /// Making code for the machine.
    BackEnd,
    /// It cannot be said.
    Unknown,
}

impl Area {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrontEnd => "front end",
            Self::MiddleEnd => "middle end",
            Self::BackEnd => "back end",
            Self::Unknown => "unknown",
        }
    }
}

/// What a compiler did with the program of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// It is wrong, too.
    Fails {
        /// In which way.
        kind: FindingKind,
    },
    /// It is right.
    Works,
    /// It cannot be said.
    CannotTell {
        /// Why.
        why: String,
    },
}

/// A version of the compiler, and what it did with the same flags.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tried {
    /// The name of the subject.
    pub subject: String,
    /// Its version.
    pub version: String,
    /// The flags that it got.
    pub flags: Vec<String>,
    /// What it did.
    pub answer: Answer,
}

/// What another tool says about the program itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opinion {
    /// Who: the name of a subject.
    pub by: String,
    /// The flags that make it a judge, such as `-fsanitize=address,undefined`.
    pub flags: Vec<String>,
    /// What it says.
    pub says: Says,
}

/// What an opinion comes to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "says", rename_all = "kebab-case")]
pub enum Says {
    /// The program does what the machine says, and nothing is wrong with it.
    Agrees,
    /// A sanitizer complains.
    Complains {
        /// The first line of the complaint.
        text: String,
    },
    /// The program does something else.
    Differs {
        /// What it does.
        actual: String,
    },
    /// A complaint that is known to be wrong.
    KnownFalseAlarm {
        /// The complaint.
        text: String,
        /// Why it does not count.
        why: String,
    },
    /// It cannot be said.
    CannotTell {
        /// Why.
        why: String,
    },
}

/// How a compiler crashed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Crash {
    /// The line that says it, as the compiler wrote it.
    pub summary: String,
    /// The functions on the stack, innermost first, demangled and without addresses.
    pub frames: Vec<String>,
    /// Everything that the compiler wrote.
    pub text: String,
}

/// What a finding that is understood is recognised by.
///
/// A crash is known by its message, a rejection by its first error. Wrong code, hangs and
/// excessive memory are known by the culprit; if that is not known, by the way in which it is wrong
/// and the `shape` of the reduced program, and while that is not known either, by the
/// level of optimisation.
pub fn signature(
    kind: FindingKind,
    family: Family,
    outcome: &Outcome,
    culprit: &Culprit,
    flags: &[String],
    shape: Option<&str>,
) -> Signature {
    let class = Class::of(kind);
    let name = family.name();
    let text = match (outcome, bisect::culprit_name(culprit)) {
        (Outcome::CompilerCrash { signal, text }, _) => {
            format!("{name} {}", read_crash(text, *signal).signature)
        }
        (Outcome::CompileError { text }, _) => format!("{name} {}", crash::rejection(text)),
        // A flag that switches a pass off is not what makes it wrong.
        (_, Some(flag)) if matches!(culprit, Culprit::Flag { .. }) => {
            format!("{name}, works with {flag}")
        }
        (_, Some(pass)) => format!("{name} {pass}"),
        (_, None) => match shape {
            Some(shape) => format!("{name} {kind} {shape}"),
            None => {
                let level = smallest::split(flags).0.unwrap_or_else(|| "-O0".to_owned());
                format!("{name} {kind} from {level}")
            }
        },
    };
    Signature { class, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bug_has_one_signature() {
        let ran = |status| Outcome::Ran { status, output: Vec::new() };
        let pass = |number, on: &str| Culprit::LlvmPass {
            number,
            name: "SROAPass".to_owned(),
            on: on.to_owned(),
        };
        let line = |kind, outcome: &Outcome, culprit: &Culprit, shape| {
            signature(kind, Family::Clang, outcome, culprit, &[], shape).line()
        };
        let first = line(FindingKind::WrongExit, &ran(1), &pass(3, "main"), Some("a"));
        let second = line(FindingKind::WrongOutput, &ran(0), &pass(99, "f"), None);
        assert_eq!(first, second);
        assert_eq!(first, "wrong-code: clang SROAPass");
        let unknown = Culprit::Unknown { why: String::new() };
        let first = line(FindingKind::WrongExit, &ran(1), &unknown, Some("a"));
        let second = line(FindingKind::WrongExit, &ran(1), &unknown, Some("b"));
        assert_ne!(first, second);
    }

    #[test]
    fn passes_of_gcc_are_known_without_their_number() {
        let culprit = |name: &str| Culprit::GccPass {
            flag: format!("-fdisable-{name}"),
            name: name.to_owned(),
        };
        let line = |name: &str| {
            let outcome = Outcome::Ran { status: 0, output: Vec::new() };
            let kind = FindingKind::WrongExit;
            signature(kind, Family::Gcc, &outcome, &culprit(name), &[], None).line()
        };
        assert_eq!(line("tree-vrp1"), line("tree-vrp2"));
        assert_ne!(line("tree-vrp1"), line("tree-dom2"));
    }

    #[test]
    fn some_culprits_say_little() {
        let flag = |flag: &str| Culprit::Flag { flag: flag.to_owned() };
        let ran = Outcome::Ran { status: 0, output: Vec::new() };
        let kind = FindingKind::WrongExit;
        let line = |culprit| signature(kind, Family::Gcc, &ran, &culprit, &[], None).line();
        assert_eq!(line(flag("-fno-gcse")), "wrong-code: gcc, works with -fno-gcse");
        assert!(flag("-fno-inline").is_everywhere());
        assert!(flag("-fdbg-cnt=match:0").is_everywhere());
        assert!(Culprit::Unknown { why: String::new() }.is_everywhere());
        assert!(!flag("-fno-tree-vrp").is_everywhere());
        assert!(!Culprit::GccCounter { name: "ccp".to_owned(), number: 1 }.is_everywhere());
    }

    #[test]
    fn a_remedy_is_one_less() {
        let culprit = Culprit::GccCounter { name: "ccp".to_owned(), number: 1 };
        assert_eq!(culprit.remedy(), Some(vec!["-fdbg-cnt=ccp:0".to_owned()]));
        let flags = Culprit::Flag { flag: "-fno-a -fno-b".to_owned() };
        assert_eq!(flags.remedy().map(|words| words.len()), Some(2));
    }
}
