//! Straight code: programs of preset orange.

#![expect(clippy::disallowed_methods, reason = "programs are given to real compilers and run")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, ExprKind, STACK_BYTES, Stmt, shape};
use farrier_synth::features::Feature;
use farrier_synth::parameters::Parameter;
use farrier_synth::{Config, Generated, Preset, generate};

const READ: farrier_front::Options =
    farrier_front::Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };

fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// A program of preset orange, with floating numbers if its seed is odd.
fn made(seed: u64, size: usize, fixed: &[(Parameter, u32)]) -> Generated {
    let mut config = Config { size, ..Config::default() };
    Preset::Orange.apply(&mut config);
    config.fixed.extend_from_slice(fixed);
    config.weights.set(Feature::Floating, if seed % 2 == 1 { 100 } else { 0 });
    generate(seed, &config).expect("there is a program")
}

#[test]
fn everything_is_assigned_once_and_checked_by_name() {
    with_stack(|| {
        for seed in 0..6 {
            let made = made(seed, 12_000, &[]);
            let program = made.certified.program();
            let mut assigned: BTreeMap<&str, u32> = BTreeMap::new();
            for id in program.stmts.ids() {
                if let Stmt::Expr(expr) = program[id]
                    && let ExprKind::Assign(place, _) = program[expr].kind
                    && let ExprKind::Object(object) = program[place].kind
                {
                    let name = program[object].name.expect("objects have names");
                    *assigned.entry(program.text(name)).or_default() += 1;
                }
            }
            let twice: Vec<_> = assigned.iter().filter(|(_, times)| **times > 1).collect();
            assert!(twice.is_empty(), "seed {seed}: {twice:?}");
            let results = assigned.keys().filter(|name| name.starts_with('t'));
            for name in results {
                assert!(made.files[0].text.contains(&format!("(\"NG %s\\n\", \"{name}\")")));
            }
            assert!(made.census().feature(Feature::Straight).executed > 0, "seed {seed}");
            assert_eq!(made.certified.behavior().output, b"OK\n", "seed {seed}");
        }
    });
}

#[test]
fn expressions_become_long_and_need_few_runs() {
    with_stack(|| {
        let fixed = [(Parameter::ExpressionOperators, 10_000)];
        let mut longest = 0;
        for seed in 0..3 {
            let made = made(seed, 60_000, &fixed);
            assert!(made.tally.runs <= 4, "seed {seed}: {} runs", made.tally.runs);
            longest = longest.max(made.census().operators.iter().copied().max().unwrap_or(0));
        }
        assert!(longest > 1_500, "{longest}");
    });
}

#[test]
fn they_read_back_and_compilers_agree() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("orange");
    std::fs::create_dir_all(&directory).expect("the target directory is ours");
    with_stack(move || {
        for seed in 0..10 {
            let made = made(seed, 8_000, &[]);
            let text = made.files[0].clone();
            let read = farrier_front::parse(std::slice::from_ref(&text), &READ);
            let read = read.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
            assert_eq!(shape::difference(made.certified.program(), &read), None, "seed {seed}");
            let source = directory.join(format!("{seed}.c"));
            std::fs::write(&source, &*text.text).expect("the target directory is ours");
            for (compiler, level) in [("gcc", "-O2"), ("clang", "-O2")] {
                let binary = directory.join(format!("{seed}-{compiler}"));
                let options = ["-w", "-std=gnu17", "-ffp-contract=off", "-Wno-error=parentheses"];
                let output = Command::new(compiler)
                    .args(options)
                    .args([level, "-o"])
                    .args([&binary, &source])
                    .output()
                    .expect("the compiler is installed");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let output = Command::new(&binary).output().expect("the program starts");
                let said = String::from_utf8_lossy(&output.stdout);
                assert_eq!(said, "OK\n", "{compiler} {level}, {}", source.display());
            }
        }
    });
}
