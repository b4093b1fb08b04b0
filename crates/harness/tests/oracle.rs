//! Who is right: every outcome, by a certificate, by a vote, and by nothing.

#[path = "support/certify.rs"]
mod support;

use std::path::Path;

use farrier_harness::{
    Breakdown, Conviction, Excess, Expectation, FindingKind, Judgement, Mistake, Outcome, Proof,
    Runner, Subject, Vote, confirm, judge, parse_subjects, vote,
};
use support::certify;

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

fn certified(body: &str) -> Expectation {
    let head =
        "int printf(const char *, ...);\nint fflush(void *);\nvoid abort(void);\nint main(void)";
    certify(&format!("{head} {{ {body} }}\n"))
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
        (Outcome::RunExcess { of: Excess::Output, output: b"12\n3".to_vec() }, Kind::WrongOutput),
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
        Outcome::CompileError { text: text("gcc: error: unrecognized command-line option '-fx'") },
    ] {
        let judgement = judge(&subject(), &exit, &outcome);
        assert!(matches!(judgement, Judgement::Inconclusive(_)), "{outcome:?}: {judgement:?}");
    }
    let full = Outcome::Infrastructure { what: text("full") };
    assert_eq!(judge(&subject(), &exit, &full), Judgement::Infrastructure(text("full")));
}

#[test]
fn without_a_certificate_only_a_breakdown_is_wrong() {
    let why = || "it is too long".to_owned();
    let refused = Outcome::CompileError { text: "error: no".to_owned() };
    for outcome in [ran(3, "13\n"), crash(11, ""), refused, Outcome::RunTimeout { output: vec![] }]
    {
        assert_eq!(judge(&subject(), &Expectation::Nothing, &outcome), Judgement::Agrees);
        let alone = judge(&subject(), &Expectation::agreement(why()), &outcome);
        assert!(matches!(alone, Judgement::Inconclusive(_)), "{alone:?}");
    }
    for expectation in [certified(RIGHT), Expectation::agreement(why()), Expectation::Nothing] {
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
fn an_abort_keeps_what_was_flushed() {
    let abort = certified("printf(\"12\\n\"); fflush(0); abort();");
    for (outcome, right) in [
        (crash(6, "12\n"), None),
        (crash(4, "12\n"), None),
        (crash(6, ""), Some(FindingKind::WrongOutput)),
        (crash(6, "2"), Some(FindingKind::WrongOutput)),
        (crash(11, "12\n"), Some(FindingKind::RunCrash)),
        (ran(0, "12\n"), Some(FindingKind::WrongExit)),
    ] {
        assert_eq!(judge(&subject(), &abort, &outcome).kind(), right, "{outcome:?}");
    }
}

#[test]
fn a_simulated_machine_is_not_trusted_with_hangs() {
    for runner in [Runner::Simavr, Runner::Marked(vec!["sz80".to_owned()])] {
        let simulated = Subject { runner, ..subject() };
        for outcome in [
            Outcome::RunTimeout { output: vec![] },
            Outcome::RunCrash { signal: None, output: vec![] },
            Outcome::RunExcess { of: Excess::Memory, output: vec![] },
        ] {
            let judgement = judge(&simulated, &certified(RIGHT), &outcome);
            assert!(matches!(judgement, Judgement::Inconclusive(_)), "{outcome:?}");
        }
    }
}

/// The vote of as many subjects as there are outcomes, of two families in turn.
fn elect(outcomes: &[Outcome]) -> Vec<Judgement> {
    let families = ["gcc", "clang"].into_iter().cycle();
    let subjects: Vec<Subject> = (0..outcomes.len())
        .zip(families)
        .map(|(number, family)| named(&number.to_string(), family))
        .collect();
    let votes: Vec<Vote<'_>> =
        subjects.iter().zip(outcomes).map(|(subject, outcome)| Vote { subject, outcome }).collect();
    let why = "it is too long".to_owned();
    let expectation = Expectation::Agreement { why, majority: vote(&votes) };
    votes.iter().map(|vote| judge(vote.subject, &expectation, vote.outcome)).collect()
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
    let Judgement::Finding(Conviction::Proved { mistake: Mistake::Exit, proof }) = &exits[2] else {
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
    Proof::Majority(vote(&votes)?).expected().status
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
