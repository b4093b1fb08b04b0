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
    /// It broke down, which is wrong whatever the program is.
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

/// How a compiler can break down.
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
            Self::Majority(Majority { status, output }) => {
                Expected { output: output.clone(), status: Some(*status), steps: 0 }
            }
        }
    }
}

/// What most compilers agree on; only [`vote`] finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Majority {
    status: i32,
    output: Vec<u8>,
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

/// Judges what a subject did with a program: the one place where this is decided.
///
/// Where a program was compiled and not run, it is enough that it was compiled. Where nothing
/// is expected, only a compiler that breaks down is wrong. Where compilers should agree, one
/// alone is wrong only if it breaks down: the rest takes a [`vote`].
pub fn judge(subject: &Subject, expectation: &Expectation, outcome: &Outcome) -> Judgement {
    match expectation {
        Expectation::Certified(certificate) => {
            let behavior = certificate.behavior();
            let right =
                Right { output: &behavior.output, ending: behavior.ending, steps: behavior.steps };
            let proof = || Proof::Certificate(certificate.clone());
            compare(subject, &right, outcome).judgement(proof)
        }
        Expectation::Agreement { why } => {
            let comparison = without_meaning(outcome).unwrap_or_else(|| {
                let why = format!("{why}; so compilers have to vote");
                Comparison::Inconclusive(why)
            });
            comparison.without_proof()
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
        Outcome::Infrastructure { what } => Comparison::Infrastructure(what.clone()),
        Outcome::CompileError { .. }
        | Outcome::Ran { .. }
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
            _ if output != right.output => Wrong(Mistake::Output),
            Ending::Exit(right) if *status == right & 0xff => Agrees,
            Ending::Exit(_) | Ending::Abort => Wrong(Mistake::Exit),
        },
        Outcome::RunCrash { signal, output } => match (right.ending, signal) {
            // What was not yet written out when a program aborts is lost.
            (Ending::Abort, Some(libc::SIGABRT | libc::SIGILL | libc::SIGTRAP)) => {
                if right.output.starts_with(output) { Agrees } else { Wrong(Mistake::Output) }
            }
            (_, None) => unclear("the simulator ended before the program"),
            (_, Some(_)) => Wrong(Mistake::Crash),
        },
        Outcome::RunTimeout { .. } if subject.runner == Runner::Simavr => {
            unclear("the simulated machine may have run out of memory")
        }
        Outcome::RunTimeout { .. } if right.steps > LONG_RUN => {
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
        Outcome::CompileError { text } => match outcome::not_about_the_program(text) {
            Some(line) => Inconclusive(format!("the compiler says: {line}")),
            None if !subject.extensions => unclear("the compiler may not have all of the language"),
            None => Wrong(Mistake::Rejection),
        },
        Outcome::Compiled
        | Outcome::CompilerCrash { .. }
        | Outcome::CompilerTimeout
        | Outcome::CompilerOutOfMemory { .. }
        | Outcome::Infrastructure { .. } => {
            without_meaning(outcome).expect("these say the same of every program")
        }
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
    /// Who votes.
    pub subject: &'a Subject,
    /// What it saw.
    pub outcome: &'a Outcome,
}

/// What a program does by the vote of subjects: what more than half of all trials saw, and
/// with them more than half of the subjects, of which there must be three, and more than half
/// of the lines of compilers, at least two.
///
/// Where most of them crash, the program is to blame and nobody has won.
fn winner(votes: &[Vote<'_>]) -> Option<Majority> {
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

/// Judges subjects by each other, as Csmith does, where it is not known what the program
/// does: one judgement for each trial, in order.
///
/// Whoever differs from the majority is wrong. Where there is none nobody is. Three levels
/// of one compiler can well be wrong together, so they are not three voters; nor are three
/// versions of it.
pub fn vote(votes: &[Vote<'_>]) -> Vec<Judgement> {
    let winner = winner(votes);
    let judged = |Vote { subject, outcome }: &Vote<'_>| match (&winner, outcome) {
        (Some(_), Outcome::RunTimeout { .. } | Outcome::RunExcess { .. }) => {
            inconclusive("it may just need more than the others")
        }
        (Some(majority), _) => {
            let Majority { status, output } = majority;
            let right = Right { output, ending: Ending::Exit(*status), steps: 0 };
            compare(subject, &right, outcome).judgement(|| Proof::Majority(majority.clone()))
        }
        (None, _) => match without_meaning(outcome) {
            Some(comparison) => comparison.without_proof(),
            None => inconclusive(
                "there is no majority of at least three subjects from two lines of compilers",
            ),
        },
    };
    votes.iter().map(judged).collect()
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

    use farrier_lang::target::X86_64_LINUX;
    use farrier_lang::{Dialect, SourceText};

    use super::*;
    use crate::subject::parse_subjects;

    fn named(name: &str, family: &str) -> Subject {
        let text = format!(
            "[[subject]]\nname = \"{name}\"\ncommand = \"gcc\"\nfamily = \"{family}\"\n\
             target = \"x86_64-linux\"\n"
        );
        parse_subjects(Path::new("farrier.toml"), &text).expect("it is right").remove(0)
    }

    fn subject() -> Subject {
        named("a", "gcc")
    }

    /// The expectation that a program does what it does.
    fn certified(body: &str) -> Expectation {
        let text = format!(
            "int printf(const char *, ...);\nvoid abort(void);\nint main(void) {{ {body} }}\n"
        );
        let options = farrier_front::Options {
            target: &X86_64_LINUX,
            dialect: Dialect::C17,
            permissive: false,
        };
        let program = farrier_front::parse(&[SourceText::new("a.c", text)], &options);
        let program = program.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
        let certified = farrier_machine::certify(program, &farrier_machine::Options::default());
        Expectation::certified(&certified.expect("it is defined"))
    }

    /// What a right program writes, with an exit status of more than eight bits.
    const RIGHT: &str = "printf(\"12\\n\"); return 259;";

    fn ran(status: i32, output: &str) -> Outcome {
        Outcome::Ran { status, output: output.as_bytes().to_vec() }
    }

    fn crash(signal: i32, output: &str) -> Outcome {
        Outcome::RunCrash { signal: Some(signal), output: output.as_bytes().to_vec() }
    }

    #[test]
    fn each_outcome_is_judged() {
        use FindingKind as Kind;
        let exit = certified(RIGHT);
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
            assert_eq!(judge(&subject(), &exit, &outcome).kind(), Some(kind), "{outcome:?}");
        }
        assert_eq!(judge(&subject(), &exit, &ran(3, "12\n")), Judgement::Agrees);
        for outcome in [
            Outcome::RunExcess { of: Excess::Memory, output: vec![] },
            Outcome::RunCrash { signal: None, output: vec![] },
            Outcome::CompileError {
                text: text("gcc: error: unrecognized command-line option '-fx'"),
            },
        ] {
            let judgement = judge(&subject(), &exit, &outcome);
            assert!(matches!(judgement, Judgement::Inconclusive(_)), "{outcome:?}: {judgement:?}");
        }
        let full = Outcome::Infrastructure { what: text("full") };
        assert_eq!(judge(&subject(), &exit, &full), Judgement::Infrastructure(text("full")));
    }

    #[test]
    fn a_long_program_may_need_more_time() {
        let timeout = Outcome::RunTimeout { output: vec![] };
        let right = |steps| Right { output: b"", ending: Ending::Exit(0), steps };
        assert_eq!(
            compare(&subject(), &right(LONG_RUN), &timeout),
            Comparison::Wrong(Mistake::Hang)
        );
        let long = compare(&subject(), &right(LONG_RUN + 1), &timeout);
        assert!(matches!(long, Comparison::Inconclusive(_)), "{long:?}");
    }

    #[test]
    fn without_a_certificate_only_a_breakdown_is_wrong() {
        let why = || "it is too long".to_owned();
        let refused = Outcome::CompileError { text: "error: no".to_owned() };
        for outcome in
            [ran(3, "13\n"), crash(11, ""), refused, Outcome::RunTimeout { output: vec![] }]
        {
            assert_eq!(judge(&subject(), &Expectation::Nothing, &outcome), Judgement::Agrees);
            let alone = judge(&subject(), &Expectation::Agreement { why: why() }, &outcome);
            assert!(matches!(alone, Judgement::Inconclusive(_)), "{alone:?}");
        }
        for expectation in
            [certified(RIGHT), Expectation::Agreement { why: why() }, Expectation::Nothing]
        {
            let hang = judge(&subject(), &expectation, &Outcome::CompilerTimeout);
            assert_eq!(hang, Judgement::Finding(Conviction::Breakdown(Breakdown::Hang)));
            let compiled = judge(&subject(), &expectation, &Outcome::Compiled);
            assert_eq!(compiled, Judgement::Agrees);
        }
    }

    #[test]
    fn only_a_compiler_that_promises_gnu_c_may_not_refuse_it() {
        let refused = Outcome::CompileError { text: "error: no".to_owned() };
        for (family, wrong) in [("gcc", true), ("zig", true), ("tcc", false), ("other", false)] {
            let judgement = judge(&named("a", family), &certified(RIGHT), &refused);
            assert_eq!(judgement.kind().is_some(), wrong, "{family}");
        }
    }

    #[test]
    fn an_abort_may_lose_output() {
        let abort = certified("printf(\"12\\n\"); abort();");
        for (outcome, right) in [
            (crash(6, "12\n"), None),
            (crash(6, ""), None),
            (crash(4, "1"), None),
            (crash(6, "2"), Some(FindingKind::WrongOutput)),
            (crash(11, "12\n"), Some(FindingKind::RunCrash)),
            (ran(0, "12\n"), Some(FindingKind::WrongExit)),
        ] {
            assert_eq!(judge(&subject(), &abort, &outcome).kind(), right, "{outcome:?}");
        }
    }

    #[test]
    fn a_simulated_machine_is_not_trusted_with_hangs() {
        let mut avr = subject();
        avr.runner = Runner::Simavr;
        let judgement = judge(&avr, &certified(RIGHT), &Outcome::RunTimeout { output: vec![] });
        assert!(matches!(judgement, Judgement::Inconclusive(_)));
    }

    /// The vote of as many subjects as there are outcomes, of two families in turn.
    fn elect(outcomes: &[Outcome]) -> Vec<Judgement> {
        let families = ["gcc", "clang"].into_iter().cycle();
        let subjects: Vec<Subject> = (0..outcomes.len())
            .zip(families)
            .map(|(number, family)| named(&number.to_string(), family))
            .collect();
        let votes: Vec<Vote<'_>> = subjects
            .iter()
            .zip(outcomes)
            .map(|(subject, outcome)| Vote { subject, outcome })
            .collect();
        vote(&votes)
    }

    #[test]
    fn a_majority_of_three_decides() {
        use Judgement::Agrees;
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
        assert_eq!(judged[1].kind(), Some(FindingKind::WrongOutput));
        assert!(matches!(judged[3], Judgement::Inconclusive(_)));
        assert_eq!(judged[4].kind(), Some(FindingKind::ValidProgramRejected));
        assert_eq!(judged[5].kind(), Some(FindingKind::RunCrash));
        let exits = elect(&[ran(1, ""), ran(1, ""), ran(2, "")]);
        assert_eq!(exits[..2], [Agrees, Agrees]);
        let Judgement::Finding(Conviction::Proved { mistake: Mistake::Exit, proof }) = &exits[2]
        else {
            panic!("{exits:?}");
        };
        assert_eq!(proof.expected().status, Some(1), "what the others do is right");
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
        assert_eq!(elect(&[crash])[0].kind(), Some(FindingKind::CompilerCrash));
    }

    /// Who wins, by lines such as `gcc-12 right`.
    fn elected(votes: &[&str]) -> Option<i32> {
        let votes: Vec<(Subject, Outcome)> = votes
            .iter()
            .map(|line| line.split_once(' ').expect("two words"))
            .map(|(subject, saw)| {
                let family = subject.split('-').next().expect("a word");
                (named(subject, family), ran(i32::from(saw == "wrong"), ""))
            })
            .collect();
        let votes: Vec<Vote<'_>> =
            votes.iter().map(|(subject, outcome)| Vote { subject, outcome }).collect();
        winner(&votes).map(|majority| majority.status)
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
        let right = certified(RIGHT);
        let wrong = |output: &str| {
            let outcome = ran(3, output);
            let judgement = judge(&subject(), &right, &outcome);
            (outcome, judgement)
        };
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
