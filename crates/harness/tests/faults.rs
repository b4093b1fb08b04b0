//! Compilers with planted faults: each is found and called by its name.

#[path = "support/certify.rs"]
mod support;

use std::path::Path;
use std::time::Duration;

use farrier_harness::{
    Bench, Executed, Expectation, FindingKind, Judgement, Outcome, Sandbox, Scratch, Subject,
    Trial, TrialBounds, confirm, judge, parse_subjects,
};
use farrier_lang::SourceText;
use support::certify;

const PROGRAM: &str = "\
int printf(const char *, ...);\n\
int main(void)\n\
{\n\
    int sum = 0;\n\
    for (int i = 0; i < 5; i++)\n\
        switch (i) {\n\
        case 3: sum += i << 4; break;\n\
        default: sum += i;\n\
        }\n\
    printf(\"%d\\n\", sum);\n\
    return 0;\n\
}\n";

/// A compiler with a fault, and what it may use.
struct Fault {
    subject: Subject,
    sandbox: Sandbox,
    bounds: TrialBounds,
}

impl Fault {
    fn new(name: &str) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fakecc");
        let text = format!(
            "[[subject]]\nname = \"{name}\"\ncommand = [\"{}\", \"{name}\"]\n\
             family = \"gcc\"\ntarget = \"x86_64-linux\"\n",
            script.display()
        );
        let subject = parse_subjects(Path::new("faults"), &text).expect("it is right").remove(0);
        let launcher = env!("CARGO_BIN_EXE_farrier-test-launcher");
        let sandbox = Sandbox::new(launcher.into()).expect("the launcher works");
        let mut bounds = TrialBounds::default();
        bounds.compiler.memory = 300 << 20;
        bounds.compiler.streams.time = Duration::from_secs(20);
        bounds.compiler.cpu = Duration::from_secs(20);
        bounds.program.streams.time = Duration::from_secs(20);
        bounds.program.cpu = Duration::ZERO;
        Self { subject, sandbox, bounds }
    }

    fn try_it(&self, flags: &[&str], executed: Option<&Executed>) -> Trial {
        let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let source = SourceText::new("program.c", PROGRAM);
        let bench = Bench { executed, ..self.bench(scratch.path()) };
        bench.try_out(&self.subject, &flags, &[source], &Expectation::Nothing)
    }

    fn bench<'a>(&'a self, scratch: &'a Path) -> Bench<'a> {
        Bench { bounds: self.bounds, ..Bench::new(&self.sandbox, scratch) }
    }

    fn confirmed(&self, flags: &[&str]) -> (Outcome, Judgement) {
        let expectation = certify(PROGRAM);
        let judged = || {
            let outcome = self.try_it(flags, None).outcome;
            let judgement = judge(&self.subject, &expectation, &outcome);
            (outcome, judgement)
        };
        let (outcome, judgement) = judged();
        let confirmed = confirm(&outcome, judgement, judged);
        (outcome, confirmed)
    }

    #[track_caller]
    fn is(name: &str, flags: &[&str], kind: FindingKind) -> Outcome {
        let (outcome, judgement) = Self::new(name).confirmed(flags);
        assert_eq!(judgement.kind(), Some(kind), "{name}: {outcome:?}");
        outcome
    }
}

#[test]
fn an_honest_compiler_is_right() {
    let honest = Fault::new("honest");
    for level in &honest.subject.levels {
        assert_eq!(honest.confirmed(&[level]).1, Judgement::Agrees, "{level}");
    }
}

#[test]
fn wrong_code_is_told_by_what_it_does() {
    Fault::is("wrong-shift", &["-O0"], FindingKind::WrongOutput);
    Fault::is("wrong-exit", &["-O1"], FindingKind::WrongExit);
    let outcome = Fault::is("traps", &["-O1"], FindingKind::RunCrash);
    assert!(matches!(outcome, Outcome::RunCrash { signal: Some(libc::SIGILL), .. }), "{outcome:?}");
    Fault::is("floods", &["-O1"], FindingKind::WrongOutput);
}

#[test]
fn a_fault_may_show_at_one_level_only() {
    Fault::is("wrong-comparison", &["-O2"], FindingKind::WrongOutput);
    assert_eq!(Fault::new("wrong-comparison").confirmed(&["-O1"]).1, Judgement::Agrees);
}

#[test]
fn a_program_that_does_not_end_hangs() {
    Fault::is("loops", &["-O1"], FindingKind::RunHang);
}

#[test]
fn a_compiler_crashes_in_many_ways() {
    Fault::is("internal-error", &[], FindingKind::CompilerCrash);
    Fault::is("assertion", &[], FindingKind::CompilerCrash);
    let outcome = Fault::is("segfault", &[], FindingKind::CompilerCrash);
    assert!(matches!(outcome, Outcome::CompilerCrash { signal: Some(libc::SIGSEGV), .. }));
    Fault::is("nothing", &[], FindingKind::CompilerCrash);
}

#[test]
fn a_compiler_that_does_not_end_hangs() {
    let mut fault = Fault::new("hang");
    fault.bounds.compiler.streams.time = Duration::from_millis(500);
    let (outcome, judgement) = fault.confirmed(&[]);
    assert_eq!(outcome, Outcome::CompilerTimeout);
    assert_eq!(judgement.kind(), Some(FindingKind::CompilerHang));
}

#[test]
fn processor_time_is_limited_too() {
    let mut fault = Fault::new("hang");
    fault.bounds.compiler.cpu = Duration::ZERO;
    assert_eq!(fault.try_it(&[], None).outcome, Outcome::CompilerTimeout);
}

#[test]
fn a_compiler_may_eat_memory() {
    let mut fault = Fault::new("memory");
    assert_eq!(fault.confirmed(&[]).1.kind(), Some(FindingKind::CompilerOutOfMemory));
    fault.bounds.compiler.address_space = Some(200 << 20);
    assert_eq!(fault.confirmed(&[]).1.kind(), Some(FindingKind::CompilerOutOfMemory));
}

#[test]
fn a_valid_program_is_not_to_be_rejected() {
    Fault::is("rejects", &[], FindingKind::ValidProgramRejected);
}

#[test]
fn what_does_not_happen_again_is_no_finding() {
    let (outcome, judgement) = Fault::new("random").confirmed(&[]);
    assert!(matches!(judgement, Judgement::Inconclusive(_)), "{outcome:?} {judgement:?}");
}

#[test]
fn a_refused_flag_is_no_finding() {
    let (outcome, judgement) = Fault::new("refuses-flag").confirmed(&[]);
    assert!(matches!(judgement, Judgement::Inconclusive(_)), "{outcome:?} {judgement:?}");
}

#[test]
fn the_machine_is_not_the_compiler() {
    for (name, words) in [
        ("disk-full", "No space left"),
        ("killed", "killed from outside by signal 9"),
        ("missing-tool", "not found"),
    ] {
        let (outcome, judgement) = Fault::new(name).confirmed(&[]);
        assert!(
            matches!(&judgement, Judgement::Infrastructure(what) if what.contains(words)),
            "{name}: {outcome:?} {judgement:?}"
        );
    }
    let mut missing = Fault::new("honest");
    missing.subject.command = vec!["no-such-compiler".to_owned()];
    let (_, judgement) = missing.confirmed(&[]);
    let what = "cannot find the program `no-such-compiler`".to_owned();
    assert_eq!(judgement, Judgement::Infrastructure(what));
}

#[test]
fn a_full_disk_is_never_a_finding() {
    let honest = Fault::new("honest");
    let source = SourceText::new("full", PROGRAM);
    // Writing there fails with the very error of a full disk.
    let bench = honest.bench(Path::new("/dev"));
    let trial = bench.try_out(&honest.subject, &[], &[source], &Expectation::Nothing);
    assert!(
        matches!(&trial.outcome, Outcome::Infrastructure { what } if what.contains("No space left")),
        "{:?}",
        trial.outcome
    );
}

#[test]
fn identical_code_is_run_once_and_time_is_counted() {
    let honest = Fault::new("honest");
    let executed = Executed::default();
    let first = honest.try_it(&["-O2"], Some(&executed));
    let second = honest.try_it(&["-O2"], Some(&executed));
    let other = honest.try_it(&["-O0"], Some(&executed));
    assert_eq!((first.reused, second.reused, other.reused), (false, true, false));
    assert_eq!(first.object, second.object);
    assert_ne!(first.object, other.object);
    assert_eq!(first.outcome, second.outcome);
    assert!(first.compiler_cpu > second.program_cpu && second.program_cpu.is_zero(), "{first:?}");
    assert!(first.compiler_cpu > Duration::from_millis(2), "{first:?}");
}
