//! Compilers with a bad pass, and with other faults: what is guilty is found.

#[path = "support/certify.rs"]
mod support;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use farrier_harness::triage::{
    Accusation, Answer, Area, Culprit, Jury, Lab, Says, area_of, ask_around, doubt, find_area,
    find_culprit, signature, smallest_flags, try_versions,
};
use farrier_harness::{Expectation, FindingKind, Outcome, Sandbox, Subject, parse_subjects};
use farrier_lang::SourceText;
use support::certify;

const PROGRAM: &str = "\
int printf(const char *, ...);\n\
static int table[8];\n\
static int sum(int from)\n\
{\n\
    int all = 0;\n\
    for (int i = from; i < 8; i++) {\n\
        table[i] = i * 3;\n\
        all = all + table[i];\n\
    }\n\
    return all;\n\
}\n\
int main(void)\n\
{\n\
    printf(\"%d\\n\", sum(2) + 1);\n\
    return 0;\n\
}\n";

fn sandbox() -> Sandbox {
    let launcher = env!("CARGO_BIN_EXE_farrier-test-launcher");
    Sandbox::new(launcher.into()).expect("the launcher works")
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A script of the tests as a compiler.
fn fake(script: &str, arguments: &str, family: &str) -> Subject {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support").join(script);
    let command = [vec![script.display().to_string()], words(arguments)].concat();
    let text = format!(
        "[[subject]]\nname = \"accused\"\ncommand = {command:?}\nfamily = \"{family}\"\n\
         target = \"x86_64-linux\"\nversion = \"77\"\n"
    );
    parse_subjects(Path::new("fake"), &text).expect("it is right").remove(0)
}

/// Compilers that are right.
fn honest() -> Vec<Subject> {
    let row = |name: &str| {
        format!(
            "[[subject]]\nname = \"{name}\"\ncommand = \"{name}\"\nfamily = \"{name}\"\n\
             target = \"x86_64-linux\"\n"
        )
    };
    parse_subjects(Path::new("honest"), &(row("gcc") + &row("clang"))).expect("it is right")
}

fn sources(text: &str) -> Vec<SourceText> {
    vec![SourceText::new("program.c", text)]
}

/// What is guilty of a finding, the smallest flags, and what happens.
fn investigate(
    subject: &Subject,
    kind: FindingKind,
    flags: &str,
) -> (Culprit, Vec<String>, Outcome) {
    let (sandbox, stop) = (sandbox(), AtomicBool::new(false));
    let (sources, expectation) = (sources(PROGRAM), certify(PROGRAM));
    let evidence = Accusation { subject, sources: &sources, expectation: &expectation, kind };
    let mut lab =
        Lab::new(evidence, &sandbox, &std::env::temp_dir(), None, &stop).expect("there is room");
    let outcome = lab.observe(&words(flags)).expect("the finding is there");
    let flags = smallest_flags(&lab, &words(flags));
    let culprit = find_culprit(&lab, &flags, &outcome);
    (culprit, flags, outcome)
}

#[test]
fn a_bad_pass_of_llvm_is_named() {
    let subject = fake("badpass", "llvm SROAPass --", "clang");
    let (culprit, flags, _) =
        investigate(&subject, FindingKind::WrongOutput, "-O3 -fno-inline -funroll-loops");
    assert_eq!(flags, ["-O2"]);
    let Culprit::LlvmPass { number, name, on } = &culprit else { panic!("{culprit:?}") };
    assert_eq!((name.as_str(), on.as_str()), ("SROAPass", "main"));
    assert!(*number > 1, "{number}");
    assert_eq!(area_of(&culprit), Area::MiddleEnd);
}

#[test]
fn a_debug_counter_of_gcc_is_named() {
    let subject = fake("badpass", "counter ccp 3 --", "gcc");
    let (culprit, flags, _) = investigate(&subject, FindingKind::WrongOutput, "-O2");
    assert_eq!(flags, ["-O2"]);
    assert_eq!(culprit, Culprit::GccCounter { name: "ccp".to_owned(), number: 3 });
}

#[test]
fn a_flag_of_gcc_is_named() {
    let subject = fake("badpass", "flag tree-vrp --", "gcc");
    let (culprit, flags, _) = investigate(
        &subject,
        FindingKind::WrongOutput,
        "-O3 -fgcse-las --param max-unroll-times=3",
    );
    assert_eq!(flags, ["-O2"]);
    assert_eq!(culprit, Culprit::Flag { flag: "-fno-tree-vrp".to_owned() });
}

#[test]
fn a_pass_of_gcc_is_named() {
    let subject = fake("badpass", "pass rtl-sched2 --", "gcc");
    let (culprit, ..) = investigate(&subject, FindingKind::WrongOutput, "-O2");
    let (flag, name) = ("-fdisable-rtl-sched2".to_owned(), "rtl-sched2".to_owned());
    assert_eq!(culprit, Culprit::GccPass { flag, name });
    assert_eq!(area_of(&culprit), Area::BackEnd);
}

#[test]
fn gcc_names_the_pass_of_a_crash() {
    let subject = fake("badpass", "crash tree-vrp1 --", "gcc");
    let (culprit, flags, outcome) = investigate(&subject, FindingKind::CompilerCrash, "-O3");
    let (flag, name) = ("-fdisable-tree-vrp1".to_owned(), "tree-vrp1".to_owned());
    assert_eq!(culprit, Culprit::GccPass { flag, name });
    let kind = FindingKind::CompilerCrash;
    let signature = signature(kind, subject.family, &outcome, &culprit, &flags, None);
    assert_eq!(signature.line(), "crash: gcc in bad_pass at bad-pass.cc during tree-vrp");
}

#[test]
fn a_crash_of_clang_is_read_and_placed() {
    let clang = honest().remove(1);
    let (sandbox, stop) = (sandbox(), AtomicBool::new(false));
    let sources = sources("int x;\n#pragma clang __debug crash\nint main(void) { return 0; }\n");
    let kind = FindingKind::CompilerCrash;
    let evidence =
        Accusation { subject: &clang, sources: &sources, expectation: &Expectation::Nothing, kind };
    let mut lab =
        Lab::new(evidence, &sandbox, &std::env::temp_dir(), None, &stop).expect("there is room");
    let outcome = lab.observe(&words("-O2")).expect("it crashes");
    let flags = smallest_flags(&lab, &words("-O2"));
    assert_eq!(flags, ["-O0"]);
    let culprit = find_culprit(&lab, &flags, &outcome);
    assert_eq!(find_area(&lab, &flags, &outcome, &culprit), Area::FrontEnd);
    let signature = signature(kind, clang.family, &outcome, &culprit, &flags, None);
    assert!(
        signature.text.starts_with("clang signal [clang::Preprocessor::HandlePragmaDirective < "),
        "{signature:?}"
    );
}

#[test]
fn what_cannot_be_switched_off_is_said_to_be_unknown() {
    let subject = fake("fakecc", "wrong-shift", "gcc");
    let (sandbox, stop) = (sandbox(), AtomicBool::new(false));
    let text = PROGRAM.replace("i * 3", "i << 1");
    let expectation = certify(&text);
    let sources = sources(&text);
    let kind = FindingKind::WrongOutput;
    let evidence =
        Accusation { subject: &subject, sources: &sources, expectation: &expectation, kind };
    let mut lab =
        Lab::new(evidence, &sandbox, &std::env::temp_dir(), None, &stop).expect("there is room");
    let outcome = lab.observe(&words("-O2")).expect("the finding is there");
    let flags = smallest_flags(&lab, &words("-O2"));
    assert_eq!(flags, ["-O0"]);
    let culprit = find_culprit(&lab, &flags, &outcome);
    assert!(matches!(&culprit, Culprit::Unknown { why } if why.contains("-O0")), "{culprit:?}");
    let honest = honest();
    let tried = try_versions(&lab, &flags, &honest);
    let answers: Vec<&Answer> = tried.iter().map(|tried| &tried.answer).collect();
    assert_eq!(tried[0].subject, "accused");
    assert_eq!(answers, [&Answer::Fails { kind }, &Answer::Works]);
    let opinions = ask_around(&lab, &[], &honest);
    // Three sanitizers, and both compilers.
    assert_eq!(opinions.len(), 5, "{opinions:?}");
    for opinion in &opinions {
        assert_eq!(opinion.says, Says::Agrees, "{opinions:?}");
    }
    assert_eq!(doubt(kind, &subject, &opinions, &honest), None);
}

#[test]
fn a_program_that_is_undefined_is_doubted() {
    let subject = fake("fakecc", "wrong-exit", "gcc");
    let (sandbox, stop) = (sandbox(), AtomicBool::new(false));
    let sources = sources(
        "int big = 2147483647;\nint main(void)\n{\n    if (big + 1 < big)\n        return 0;\n    \
         return 3;\n}\n",
    );
    // A certificate of another program: the machine itself is to be doubted.
    let expectation = certify("int main(void) { return 0; }\n");
    let kind = FindingKind::WrongExit;
    let evidence =
        Accusation { subject: &subject, sources: &sources, expectation: &expectation, kind };
    let lab =
        Lab::new(evidence, &sandbox, &std::env::temp_dir(), None, &stop).expect("there is room");
    let opinions = ask_around(&lab, &[], &honest());
    let why = doubt(kind, &subject, &opinions, &honest()).expect("it is undefined");
    assert!(why.contains("signed integer overflow"), "{why} {opinions:?}");
}

#[test]
fn a_finding_that_is_not_there_is_not_looked_into() {
    let subject = fake("fakecc", "honest", "gcc");
    let (sandbox, stop) = (sandbox(), AtomicBool::new(false));
    let (sources, expectation) = (sources(PROGRAM), certify(PROGRAM));
    let kind = FindingKind::WrongOutput;
    let evidence =
        Accusation { subject: &subject, sources: &sources, expectation: &expectation, kind };
    let mut lab =
        Lab::new(evidence, &sandbox, &std::env::temp_dir(), None, &stop).expect("there is room");
    assert_eq!(lab.observe(&words("-O2")), Err("it does not happen".to_owned()));
}

/// A program that the machine does not know, and that the accused compiler gets wrong, with other
/// statements in it.
fn voted(statements: &str) -> String {
    format!(
        "int printf(const char *, ...);\nvolatile int one = 1;\nint main(void)\n{{\n    \
         __asm__ volatile (\"nop\");\n    {statements}\n    printf(\"%d\\n\", one << 2);\n    \
         return 0;\n}}\n"
    )
}

#[test]
fn a_jury_convicts_where_all_are_of_one_mind_and_nothing_is_undefined() {
    let (sandbox, stop) = (sandbox(), AtomicBool::new(false));
    let accused = fake("fakecc", "wrong-shift", "gcc");
    let honest = honest();
    let expectation = Expectation::agreement("the machine does not know it".to_owned());
    let base = std::env::temp_dir();
    let lab = |sources: &[SourceText], work: &mut dyn FnMut(&Lab<'_>)| {
        let kind = FindingKind::WrongOutput;
        let evidence = Accusation { subject: &accused, sources, expectation: &expectation, kind };
        work(&Lab::new(evidence, &sandbox, &base, None, &stop).expect("there is room"));
    };
    let mut jury = None;
    lab(&sources(&voted("")), &mut |lab| {
        let (summoned, majority) =
            Jury::summon(lab, &[], &honest).expect("gcc and clang agree on it");
        assert_eq!(majority.expected().output, b"4\n");
        jury = Some(summoned.with_witnesses(lab, &[], &majority, &honest).expect("it is defined"));
    });
    let jury = jury.expect("there is one");
    let said = jury.describe();
    assert!(said.contains("vote of clang, gcc") && said.contains("sanitizers of"), "{said}");
    for (statements, objection) in [
        // What it is about.
        ("", None),
        ("if (one == 2) return 1;", None),
        // The accused does not differ.
        ("return 0;", Some("does the same")),
        // Each compiler does something else.
        ("printf(\"%d\\n\", __GNUC__);", Some("does not agree")),
        ("if (one) printf(\"%s\\n\", __VERSION__);", Some("does not agree")),
        // All compilers agree at first, but not by any right.
        ("int i; if (one == 2) return i;", Some("warns: ")),
        ("printf(\"%d\\n\", one / 2, one << 33);", Some("warns: ")),
        ("int x = 2147483647; x += one;", Some("complains: ")),
        ("int a[2] = {1}; volatile int i = 2 * one; a[i] = 0;", Some("complains: ")),
        ("int a[2]; volatile int i = one; if (a[i] == 77) return 1;", Some("complains: ")),
    ] {
        lab(&sources(&voted(statements)), &mut |lab| {
            let (_, outcome) = lab.ask(&accused, &[]);
            match (jury.verdict(lab, &outcome), objection) {
                (Ok(majority), None) => assert_eq!(majority.expected().output, b"4\n"),
                (Err(why), Some(objection)) => {
                    assert!(why.contains(objection), "{statements}: {why}")
                }
                (verdict, _) => panic!("{statements}: {verdict:?}"),
            }
        });
    }
    // Two builds of one line are no jury.
    let alone: Vec<Subject> = honest.into_iter().take(1).collect();
    lab(&sources(&voted("")), &mut |lab| {
        let why = Jury::summon(lab, &[], &alone).expect_err("one is not enough");
        assert!(why.contains("no majority"), "{why}");
    });
    // A program that is undefined from the start has no witnesses.
    let honest = self::honest();
    lab(&sources(&voted("int x = 2147483647; x += one;")), &mut |lab| {
        let (summoned, majority) = Jury::summon(lab, &[], &honest).expect("they agree on it");
        let why = summoned.with_witnesses(lab, &[], &majority, &honest).expect_err("it overflows");
        assert!(why.contains("signed integer overflow"), "{why}");
    });
}
