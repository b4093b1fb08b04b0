//! Programs drafted for tier free: proved, without guards, and the same with -ffast-math.

#![expect(clippy::disallowed_methods, reason = "programs are given to real compilers and run")]

use std::path::Path;
use std::process::Command;

use farrier_lang::{ExprId, ExprKind, GuardCheck, Program, STACK_BYTES, Type};
use farrier_machine::Tier;
use farrier_synth::features::Feature;
use farrier_synth::parameters::Parameter;
use farrier_synth::{Config, Generated, Preset, generate};

/// Compilers that may regroup, contract, and use reciprocals.
const COMPILERS: [(&str, &[&str]); 4] = [
    ("gcc", &["-Ofast"]),
    ("gcc", &["-O3", "-ffast-math", "-mfma"]),
    ("gcc", &["-O2", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]),
    ("clang", &["-O3", "-ffast-math"]),
];

fn programs(seeds: std::ops::Range<u64>) -> Vec<Generated> {
    let make = |seed| {
        let mut config = Config::default();
        let preset = if seed % 2 == 0 { Preset::Loops } else { Preset::Default };
        preset.apply(&mut config);
        (config.size, config.swarm) = (6_000, false);
        config.weights.set(Feature::Floating, 100);
        config.tier = Some(Tier::Free);
        generate(seed, &config).expect("it is made")
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, || seeds.map(make).collect()).expect("a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn an_integer_is_made_smaller_without_a_cast() {
    let make = |seed| {
        let mut config = Config { size: 2_000, tier: Some(Tier::Free), ..Config::default() };
        config.weights.set(Feature::Floating, 100);
        config.weights.set(Feature::Cast, 0);
        config.fixed.push((Parameter::FloatingShare, 60));
        generate(seed, &config).is_ok()
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let thread = thread.spawn(move || (0..40).filter(|seed| make(*seed)).count());
    let made = thread.expect("a thread").join().expect("no draft panics");
    assert!(made > 30, "{made}");
}

fn is_floating(program: &Program, expr: ExprId) -> bool {
    matches!(program.resolve(program.type_of(expr)), Type::Float(_))
}

#[test]
fn programs_are_proved_free_and_have_no_guards_around_floating_operations() {
    let (mut proved, mut operations, mut folds, mut sums) = (0, 0, 0, 0);
    for made in programs(50..70) {
        let program = made.certified.program();
        proved += u32::from(made.tier == Some(Tier::Free));
        for (id, expr) in program.exprs.iter() {
            match expr.kind {
                // An index may be computed after a floating value that is discarded.
                ExprKind::Guard { check: GuardCheck::Index { .. }, .. } => {}
                ExprKind::Guard { operand, .. } => {
                    let mut floating = is_floating(program, operand);
                    program[operand].kind.for_each_operand(|operand| {
                        floating |= is_floating(program, operand);
                    });
                    assert!(!floating, "a guard around a floating operation");
                }
                ExprKind::Binary(_, left, _) if is_floating(program, left) => operations += 1,
                ExprKind::CompoundAssign { target, .. } if is_floating(program, target) => {
                    operations += 1;
                    sums += 1;
                }
                ExprKind::Cast(operand) => {
                    let cut = matches!(program[operand].kind, ExprKind::Binary(..));
                    folds += u32::from(
                        cut && is_floating(program, id) && !is_floating(program, operand),
                    );
                }
                _ => {}
            }
        }
    }
    // One of twenty is proved to be exact instead.
    assert!(proved >= 18, "{proved} of 20 programs are proved");
    assert!(operations > 100, "{operations} floating operations");
    assert!(folds < operations, "{folds} folds of {operations} operations");
    assert!(sums > 0, "{sums} sums in nests");
}

#[test]
fn compilers_that_regroup_agree() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("free");
    std::fs::create_dir_all(&directory).expect("the target directory is ours");
    for (number, made) in programs(20..26).into_iter().enumerate() {
        let source = directory.join(format!("{number}.c"));
        std::fs::write(&source, &*made.files[0].text).expect("the target directory is ours");
        for (compiler, flags) in COMPILERS {
            let binary = directory.join(format!("{number}-{compiler}"));
            let output = Command::new(compiler)
                .args(["-w", "-std=gnu17", "-o"])
                .args([&binary, &source])
                .args(flags)
                .output()
                .expect("the compiler is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let output = Command::new(&binary).output().expect("the program starts");
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&made.certified.behavior().output),
                "{compiler} {flags:?}, {}",
                source.display(),
            );
        }
    }
}
