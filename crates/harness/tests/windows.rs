//! Programs for Windows, with a compiler and a wine that are scripts: a right program agrees, a
//! planted fault is found, and a wine that fails in any way convicts nobody.

#[path = "support/certify.rs"]
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use farrier_harness::{
    Bench, Expectation, FindingKind, Judgement, Outcome, Sandbox, Scratch, TrialBounds, judge,
    parse_subjects,
};
use farrier_lang::SourceText;
use support::certify;

const PROGRAM: &str = "\
int printf(const char *, ...);\n\
int main(void)\n\
{\n\
    int sum = 0;\n\
    for (int i = 0; i < 5; i++)\n\
        sum += i;\n\
    printf(\"%d\\n\", sum);\n\
    return 0;\n\
}\n";

/// What a program does that a compiler with a fault has made, under a wine that is this script.
fn outcome(fault: &str, wine: &str, program: &str) -> (Outcome, Judgement) {
    let place = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let script = place.path().join("wine");
    fs::write(&script, format!("#!/bin/sh\n{wine}\n")).expect("it can be written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let compiler = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fakemingw");
    let text = format!(
        "[[subject]]\nname = \"windows\"\ncommand = [\"{}\", \"{fault}\"]\nfamily = \"gcc\"\n\
         target = \"x86_64-windows\"\nrun = \"{}\"\n",
        compiler.display(),
        script.display()
    );
    let subject = parse_subjects(Path::new("windows"), &text).expect("it is right").remove(0);
    let launcher = env!("CARGO_BIN_EXE_farrier-test-launcher");
    let sandbox = Sandbox::new(launcher.into()).expect("the launcher works");
    let mut bounds = TrialBounds::default();
    bounds.program.streams.time = Duration::from_secs(2);
    let work = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let bench = Bench { bounds, ..Bench::new(&sandbox, work.path()) };
    let source = SourceText::new("program.c", program);
    let level = ["-O1".to_owned()];
    let outcome = bench.try_out(&subject, &level, &[source], &Expectation::Nothing).outcome;
    let judgement = judge(&subject, &certify(PROGRAM), &outcome);
    (outcome, judgement)
}

#[test]
fn a_right_program_agrees_and_a_planted_fault_is_found() {
    let (ran, judgement) = outcome("none", "exec \"$@\"", PROGRAM);
    assert_eq!(ran, Outcome::Ran { status: 0, output: b"10\n".to_vec() });
    assert!(matches!(judgement, Judgement::Agrees), "{judgement:?}");
    let (ran, judgement) = outcome("sign", "exec \"$@\"", PROGRAM);
    assert_eq!(ran, Outcome::Ran { status: 0, output: b"-10\n".to_vec() });
    assert_eq!(judgement.kind(), Some(FindingKind::WrongOutput), "{judgement:?}");
    // Exceptions have the exit status of their last byte.
    let crash = PROGRAM.replace("sum += i;", "*(volatile int *)0 = i;");
    let (ran, _) = outcome("none", "exec \"$@\"", &crash);
    assert!(matches!(ran, Outcome::RunCrash { signal: Some(libc::SIGSEGV), .. }), "{ran:?}");
    let abort = format!("void abort(void);\n{}", PROGRAM.replace("return 0;", "abort();"));
    let (ran, _) = outcome("none", "exec \"$@\"", &abort);
    assert!(matches!(ran, Outcome::RunCrash { signal: Some(libc::SIGABRT), .. }), "{ran:?}");
}

#[test]
fn a_wine_that_fails_convicts_nobody() {
    for wine in [
        // It is not configured, or prints a banner and no more.
        "echo 'wine: could not load kernel32.dll, status c0000135' >&2; exit 53",
        "echo 'a banner'; exit 0",
        "exit 5",
        // It does not come to an end, before or in the program.
        "sleep 60",
        "echo 'farrier: begin' >&2; sleep 60",
        // The end of the program is lost, or what it tells of it.
        "echo 'farrier: begin' >&2; echo 1; exit 0",
        "\"$@\" 2>/dev/null",
        "\"$@\" 2>&1 | head -c 20 >&2",
        "kill -SEGV $$",
        "echo 'farrier: begin' >&2; kill -SEGV $$",
        // It writes and starts what it likes.
        "yes",
        "for i in $(seq 200); do sleep 60 & done; wait",
    ] {
        let (outcome, judgement) = outcome("none", wine, PROGRAM);
        let is_open =
            matches!(judgement, Judgement::Inconclusive(_) | Judgement::Infrastructure(_));
        assert!(is_open, "{wine}: {outcome:?}, {judgement:?}");
    }
}

#[test]
fn wine_writes_to_its_prefix_only_and_has_no_network() {
    let tell = "echo 'farrier: begin' >&2; echo 'farrier: end' >&2";
    let says = |command: &str, expected: i32| {
        let (outcome, _) = outcome("none", &format!("{tell}; {command}"), PROGRAM);
        assert_eq!(outcome, Outcome::Ran { status: expected, output: Vec::new() }, "{command}");
    };
    says("(echo x > \"$WINEPREFIX/x\") 2>/dev/null || exit 1", 0);
    says("(echo x > x) 2>/dev/null || exit 1", 1);
    says("bash -c 'exec 3<>/dev/udp/127.0.0.1/9' 2>/dev/null || exit 1", 1);
    // The links of the prefix are where wine looks for them, and nothing of ours is known.
    says("test -L \"$WINEPREFIX/dosdevices/c:\" && test -z \"$HOME\" || exit 1", 0);
}
