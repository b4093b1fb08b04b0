//! Who is right: what a compiler did, held against what it should have done.

use std::collections::BTreeSet;
use std::fmt;

use farrier_machine::Behavior;
use farrier_machine::Ending as Expected;
use serde::{Deserialize, Serialize};

use crate::outcome::{self, Excess, Outcome};
use crate::subject::{Family, Runner, Subject};

/// What an outcome means.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "judgement", content = "what", rename_all = "kebab-case")]
pub enum Judgement {
    /// The compiler is right, or nothing shows that it is wrong.
    Agrees,
    /// The compiler is wrong.
    Finding(FindingKind),
    /// It may be wrong or right; why that cannot be said.
    Inconclusive(String),
    /// It was not tried: something around us failed.
    Infrastructure(String),
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

    /// Whether it is about the code that the compiler makes, which takes a program whose
    /// meaning is known.
    pub fn is_wrong_code(self) -> bool {
        matches!(self, Self::WrongOutput | Self::WrongExit | Self::RunCrash | Self::RunHang)
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

/// Judges what a subject did with a program whose behaviour is known.
pub fn judge(subject: &Subject, expected: &Behavior, outcome: &Outcome) -> Judgement {
    match outcome {
        Outcome::Ran { status, output } => match expected.ending {
            _ if *output != expected.output => Judgement::Finding(FindingKind::WrongOutput),
            Expected::Exit(right) if *status == right & 0xff => Judgement::Agrees,
            Expected::Exit(_) | Expected::Abort => Judgement::Finding(FindingKind::WrongExit),
        },
        Outcome::RunCrash { signal, output } => match (expected.ending, signal) {
            // What was not yet written out when a program aborts is lost.
            (Expected::Abort, Some(libc::SIGABRT | libc::SIGILL | libc::SIGTRAP)) => {
                if expected.output.starts_with(output) {
                    Judgement::Agrees
                } else {
                    Judgement::Finding(FindingKind::WrongOutput)
                }
            }
            (_, None) => inconclusive("the simulator ended before the program"),
            (_, Some(_)) => Judgement::Finding(FindingKind::RunCrash),
        },
        Outcome::RunTimeout { .. } if subject.runner == Runner::Simavr => {
            inconclusive("the simulated machine may have run out of memory")
        }
        Outcome::RunTimeout { .. } if expected.steps > LONG_RUN => {
            inconclusive("the program is long and may just need more time")
        }
        Outcome::RunTimeout { .. } => Judgement::Finding(FindingKind::RunHang),
        Outcome::RunExcess { of: Excess::Output, output } => {
            if output.len() > expected.output.len() || !expected.output.starts_with(output) {
                Judgement::Finding(FindingKind::WrongOutput)
            } else {
                inconclusive("the program writes more than it may")
            }
        }
        Outcome::RunExcess { of: Excess::Memory, .. } => {
            inconclusive("the program needs more memory than it may have")
        }
        Outcome::CompileError { text } => match outcome::not_about_the_program(text) {
            Some(line) => Judgement::Inconclusive(format!("the compiler says: {line}")),
            None => Judgement::Finding(FindingKind::ValidProgramRejected),
        },
        Outcome::CompilerCrash { .. }
        | Outcome::CompilerTimeout
        | Outcome::CompilerOutOfMemory { .. }
        | Outcome::Infrastructure { .. } => judge_compiler(outcome),
    }
}

/// Judges what a subject did with a program of which nothing is known: only a compiler that
/// breaks down is certainly wrong.
pub fn judge_compiler(outcome: &Outcome) -> Judgement {
    match outcome {
        Outcome::CompilerCrash { .. } => Judgement::Finding(FindingKind::CompilerCrash),
        Outcome::CompilerTimeout => Judgement::Finding(FindingKind::CompilerHang),
        Outcome::CompilerOutOfMemory { .. } => Judgement::Finding(FindingKind::CompilerOutOfMemory),
        Outcome::Infrastructure { what } => Judgement::Infrastructure(what.clone()),
        Outcome::CompileError { .. } => inconclusive("the program may not be valid"),
        Outcome::Ran { .. }
        | Outcome::RunCrash { .. }
        | Outcome::RunTimeout { .. }
        | Outcome::RunExcess { .. } => inconclusive("it is not known what the program does"),
    }
}

fn inconclusive(why: &str) -> Judgement {
    Judgement::Inconclusive(why.to_owned())
}

/// How many subjects must have run a program before they can vote.
const VOTERS: usize = 3;

/// How many lines of compilers must agree: versions of one have their bugs in common.
const LINES: usize = 2;

/// What one trial says about a program whose behaviour is not known.
#[derive(Clone, Copy, Debug)]
pub struct Vote<'a> {
    /// The name of the subject.
    pub subject: &'a str,
    /// Its family.
    pub family: Family,
    /// What it saw.
    pub outcome: &'a Outcome,
}

/// What a program does by the vote of subjects: what more than half of all trials saw, and
/// with them more than half of the subjects, of which there must be three, and more than half
/// of the lines of compilers, at least two.
///
/// Where most of them crash, the program is to blame and nobody has won.
pub fn winner<'a>(votes: &[Vote<'a>]) -> Option<&'a Outcome> {
    let ran: Vec<Vote<'a>> = votes.iter().copied().filter(|vote| is_vote(vote.outcome)).collect();
    let majority = |vote: &Vote<'a>| {
        ran.iter().filter(|other| other.outcome == vote.outcome).count() * 2 > ran.len()
    };
    let winner = ran.iter().copied().find(majority)?.outcome;
    let backing: Vec<Vote<'a>> =
        ran.iter().copied().filter(|vote| vote.outcome == winner).collect();
    let subjects = |votes: &[Vote<'a>]| -> usize {
        votes.iter().map(|vote| vote.subject).collect::<BTreeSet<_>>().len()
    };
    let lines = |votes: &[Vote<'a>]| -> usize {
        votes.iter().map(|vote| vote.family.line()).collect::<BTreeSet<_>>().len()
    };
    let enough = subjects(&ran) >= VOTERS
        && subjects(&backing) * 2 > subjects(&ran)
        && lines(&backing) >= LINES
        && lines(&backing) * 2 > lines(&ran);
    (enough && matches!(winner, Outcome::Ran { .. })).then_some(winner)
}

/// Judges subjects by each other, as Csmith does, where it is not known what the program
/// does: one judgement for each trial, in order.
///
/// Whoever differs from the [`winner`] is wrong. Where there is none nobody is. Three levels
/// of one compiler can well be wrong together, so they are not three voters; nor are three
/// versions of it.
pub fn vote(votes: &[Vote<'_>]) -> Vec<Judgement> {
    let winner = winner(votes);
    let without = "there is no majority of at least three subjects from two lines of compilers";
    votes
        .iter()
        .map(|Vote { outcome, .. }| match (outcome, winner) {
            (Outcome::CompileError { text }, Some(_)) => {
                match outcome::not_about_the_program(text) {
                    Some(line) => Judgement::Inconclusive(format!("the compiler says: {line}")),
                    None => Judgement::Finding(FindingKind::ValidProgramRejected),
                }
            }
            (_, Some(winner)) if *outcome == winner => Judgement::Agrees,
            (Outcome::Ran { output, .. }, Some(winner)) => match winner {
                Outcome::Ran { output: right, .. } if output == right => {
                    Judgement::Finding(FindingKind::WrongExit)
                }
                _ => Judgement::Finding(FindingKind::WrongOutput),
            },
            (Outcome::RunCrash { signal: Some(_), .. }, Some(_)) => {
                Judgement::Finding(FindingKind::RunCrash)
            }
            (Outcome::RunTimeout { .. }, Some(_)) => {
                inconclusive("it may just need more time than the others")
            }
            (_, None) => match judge_compiler(outcome) {
                Judgement::Inconclusive(_) => inconclusive(without),
                judgement => judgement,
            },
            _ => judge_compiler(outcome),
        })
        .collect()
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
    let Judgement::Finding(kind) = judgement else { return judgement };
    let (second, second_judgement) = again();
    match second_judgement {
        Judgement::Finding(other) if other == kind && is_same(first, &second) => judgement,
        Judgement::Infrastructure(what) => Judgement::Infrastructure(what),
        _ => inconclusive("it does not happen every time"),
    }
}

/// Whether two trials came to the same. What compilers write when they break down has
/// addresses in it; where a program that hangs was stopped is chance.
fn is_same(first: &Outcome, second: &Outcome) -> bool {
    match (first, second) {
        (Outcome::Ran { .. } | Outcome::RunCrash { .. }, _) => first == second,
        _ => std::mem::discriminant(first) == std::mem::discriminant(second),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::subject::parse_subjects;

    fn subject() -> Subject {
        let text = "[[subject]]\nname = \"a\"\ncommand = \"gcc\"\ntarget = \"x86_64-linux\"\n";
        parse_subjects(Path::new("farrier.toml"), text).expect("it is right").remove(0)
    }

    fn behavior(ending: Expected, steps: u64) -> Behavior {
        let output = b"12\n".to_vec();
        Behavior { output, ending, volatile_accesses: 0, volatile_hash: 0, steps }
    }

    fn ran(status: i32, output: &str) -> Outcome {
        Outcome::Ran { status, output: output.as_bytes().to_vec() }
    }

    fn crash(signal: i32, output: &str) -> Outcome {
        Outcome::RunCrash { signal: Some(signal), output: output.as_bytes().to_vec() }
    }

    #[test]
    fn each_outcome_is_judged() {
        use FindingKind as Kind;
        let exit = behavior(Expected::Exit(259), 100);
        let long = behavior(Expected::Exit(0), LONG_RUN + 1);
        let text = |text: &str| text.to_owned();
        for (outcome, kind) in [
            (ran(3, "13\n"), Kind::WrongOutput),
            (ran(4, "12\n"), Kind::WrongExit),
            (ran(4, "13\n"), Kind::WrongOutput),
            (crash(11, "12\n"), Kind::RunCrash),
            (crash(6, "12\n"), Kind::RunCrash),
            (Outcome::RunTimeout { output: vec![] }, Kind::RunHang),
            (
                Outcome::RunExcess { of: Excess::Output, output: b"12\n3".to_vec() },
                Kind::WrongOutput,
            ),
            (Outcome::CompileError { text: text("error: no") }, Kind::ValidProgramRejected),
            (Outcome::CompilerCrash { signal: Some(11), text: text("") }, Kind::CompilerCrash),
            (Outcome::CompilerTimeout, Kind::CompilerHang),
            (Outcome::CompilerOutOfMemory { text: text("") }, Kind::CompilerOutOfMemory),
        ] {
            assert_eq!(judge(&subject(), &exit, &outcome), Judgement::Finding(kind), "{outcome:?}");
        }
        assert_eq!(judge(&subject(), &exit, &ran(3, "12\n")), Judgement::Agrees);
        for (expected, outcome) in [
            (&long, Outcome::RunTimeout { output: vec![] }),
            (&exit, Outcome::RunExcess { of: Excess::Memory, output: vec![] }),
            (&exit, Outcome::RunCrash { signal: None, output: vec![] }),
            (
                &exit,
                Outcome::CompileError {
                    text: text("gcc: error: unrecognized command-line option '-fx'"),
                },
            ),
        ] {
            let judgement = judge(&subject(), expected, &outcome);
            assert!(matches!(judgement, Judgement::Inconclusive(_)), "{outcome:?}: {judgement:?}");
        }
        let full = Outcome::Infrastructure { what: text("full") };
        assert_eq!(judge(&subject(), &exit, &full), Judgement::Infrastructure(text("full")));
    }

    #[test]
    fn an_abort_may_lose_output() {
        let abort = behavior(Expected::Abort, 100);
        for (outcome, right) in [
            (crash(6, "12\n"), Judgement::Agrees),
            (crash(6, ""), Judgement::Agrees),
            (crash(4, "1"), Judgement::Agrees),
            (crash(6, "2"), Judgement::Finding(FindingKind::WrongOutput)),
            (crash(11, "12\n"), Judgement::Finding(FindingKind::RunCrash)),
            (ran(0, "12\n"), Judgement::Finding(FindingKind::WrongExit)),
        ] {
            assert_eq!(judge(&subject(), &abort, &outcome), right, "{outcome:?}");
        }
    }

    #[test]
    fn a_simulated_machine_is_not_trusted_with_hangs() {
        let mut avr = subject();
        avr.runner = Runner::Simavr;
        let exit = behavior(Expected::Exit(0), 100);
        let judgement = judge(&avr, &exit, &Outcome::RunTimeout { output: vec![] });
        assert!(matches!(judgement, Judgement::Inconclusive(_)));
    }

    /// The vote of as many subjects as there are outcomes, of two families in turn.
    fn elect(outcomes: &[Outcome]) -> Vec<Judgement> {
        let names: Vec<String> = (0..outcomes.len()).map(|number| number.to_string()).collect();
        let families = [Family::Gcc, Family::Clang].into_iter().cycle();
        let votes: Vec<Vote<'_>> = (names.iter().zip(families).zip(outcomes))
            .map(|((subject, family), outcome)| Vote { subject, family, outcome })
            .collect();
        vote(&votes)
    }

    #[test]
    fn a_majority_of_three_decides() {
        use Judgement::{Agrees, Finding};
        let hang = Outcome::RunTimeout { output: vec![] };
        let rejected = Outcome::CompileError { text: "error".to_owned() };
        let all = [
            ran(0, "1"),
            ran(0, "2"),
            ran(0, "1"),
            hang,
            rejected,
            crash(11, "1"),
            ran(0, "1"),
            ran(0, "1"),
        ];
        let judged = elect(&all);
        assert_eq!(judged[0], Agrees);
        assert_eq!(judged[1], Finding(FindingKind::WrongOutput));
        assert!(matches!(judged[3], Judgement::Inconclusive(_)));
        assert_eq!(judged[4], Finding(FindingKind::ValidProgramRejected));
        assert_eq!(judged[5], Finding(FindingKind::RunCrash));
        let exits = elect(&[ran(1, ""), ran(1, ""), ran(2, "")]);
        assert_eq!(exits, [Agrees, Agrees, Finding(FindingKind::WrongExit)]);
    }

    #[test]
    fn without_a_majority_nobody_is_wrong() {
        for outcomes in [
            vec![ran(0, "1"), ran(0, "2")],
            vec![ran(0, "1"), ran(0, "1")],
            vec![ran(0, "1"), ran(0, "2"), ran(0, "3")],
            vec![ran(0, "1"), ran(0, "1"), ran(0, "2"), ran(0, "2")],
        ] {
            for judgement in elect(&outcomes) {
                assert!(matches!(judgement, Judgement::Inconclusive(_)), "{judgement:?}");
            }
        }
        let crash = Outcome::CompilerCrash { signal: None, text: String::new() };
        assert_eq!(elect(&[crash])[0], Judgement::Finding(FindingKind::CompilerCrash));
    }

    /// Who wins, by lines such as `gcc-12 right`.
    fn elected(votes: &[&str]) -> Option<i32> {
        let votes: Vec<(&str, Outcome)> = votes
            .iter()
            .map(|line| line.split_once(' ').expect("two words"))
            .map(|(subject, saw)| (subject, ran(i32::from(saw == "wrong"), "")))
            .collect();
        let votes: Vec<Vote<'_>> = votes
            .iter()
            .map(|(subject, outcome)| Vote {
                subject,
                family: match subject.split('-').next() {
                    Some("gcc") => Family::Gcc,
                    Some("clang") => Family::Clang,
                    Some("zig") => Family::Zig,
                    _ => Family::Tcc,
                },
                outcome,
            })
            .collect();
        match winner(&votes)? {
            Outcome::Ran { status, .. } => Some(*status),
            _ => None,
        }
    }

    #[test]
    fn levels_of_one_subject_are_one_voter() {
        assert_eq!(elected(&["gcc right", "gcc right", "clang right", "clang wrong"]), None);
        let more = ["gcc right", "gcc right", "gcc right", "clang wrong", "tcc wrong"];
        assert_eq!(elected(&more), None, "one against two");
        assert_eq!(elected(&["gcc right", "clang right", "tcc wrong"]), Some(0));
    }

    #[test]
    fn versions_of_one_compiler_have_their_bugs_in_common() {
        let one = ["gcc-11 wrong", "gcc-12 wrong", "gcc-13 wrong"];
        assert_eq!(elected(&one), None, "one line agrees with itself");
        let outvoted = ["gcc-11 wrong", "gcc-12 wrong", "gcc-13 wrong", "clang right"];
        assert_eq!(elected(&outvoted), None, "many versions against another compiler");
        let llvm = ["clang-14 wrong", "clang-15 wrong", "zig wrong", "gcc right"];
        assert_eq!(elected(&llvm), None, "zig is clang");
        let regression = ["gcc-11 right", "gcc-12 wrong", "clang right"];
        assert_eq!(elected(&regression), Some(0), "a version against the other and clang");
        let split = ["gcc-1 wrong", "gcc-2 wrong", "tcc wrong", "clang right", "zig right"];
        assert_eq!(elected(&split), Some(1), "three subjects of two lines against one line");
    }

    #[test]
    fn a_program_that_crashes_everywhere_convicts_nobody() {
        let all = [crash(6, ""), crash(6, ""), crash(6, ""), ran(0, "")];
        assert!(elect(&all).iter().all(|one| matches!(one, Judgement::Inconclusive(_))));
    }

    #[test]
    fn a_finding_must_happen_again() {
        let wrong = |output: &str| (ran(0, output), Judgement::Finding(FindingKind::WrongOutput));
        let (first, judgement) = wrong("1");
        assert_eq!(confirm(&first, judgement.clone(), || wrong("1")), judgement);
        let other = confirm(&first, judgement.clone(), || wrong("2"));
        assert!(matches!(other, Judgement::Inconclusive(_)), "{other:?}");
        let gone = confirm(&first, judgement.clone(), || (ran(0, "0"), Judgement::Agrees));
        assert!(matches!(gone, Judgement::Inconclusive(_)), "{gone:?}");
        let full = Judgement::Infrastructure("full".to_owned());
        let outcome = Outcome::Infrastructure { what: "full".to_owned() };
        assert_eq!(confirm(&first, judgement, || (outcome, full.clone())), full);
        let agrees = confirm(&first, Judgement::Agrees, || panic!("nothing is to be confirmed"));
        assert_eq!(agrees, Judgement::Agrees);
    }
}
