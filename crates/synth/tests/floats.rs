//! Programs with floating numbers: a class of values, through types, values,
//! places, calls, guards, checksum and assertions.

#![expect(clippy::disallowed_methods, reason = "programs are given to real compilers and run")]

use std::path::Path;
use std::process::Command;

use farrier_lang::{STACK_BYTES, shape, well_formed};
use farrier_machine::{Options, Tier, certify};
use farrier_synth::features::Feature;
use farrier_synth::{Check, Config, Generated, generate};

/// The compilers, and how they are told to compute as IEEE 754 says.
const COMPILERS: [(&str, &str); 3] = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O2")];

fn config(seed: u64) -> Config {
    let check = if seed % 3 == 2 { Check::Asserts } else { Check::Checksum };
    let mut config = Config { size: 6_000, check, swarm: false, ..Config::default() };
    config.weights.set(Feature::Floating, 100);
    config.tier = Some(Tier::Rounded);
    config
}

fn with_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work).expect("a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

fn read_back(made: &Generated, config: &Config) {
    let program = made.certified.program();
    assert!(well_formed::check(program).is_empty());
    let options = farrier_front::Options {
        target: config.target,
        dialect: config.dialect,
        permissive: false,
    };
    let text = made.files[0].clone();
    let read = farrier_front::parse(&[text], &options)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
    assert_eq!(shape::difference(program, &read), None);
    let again = certify(read, &Options::default()).expect("it is defined");
    assert_eq!(again.behavior().output, made.certified.behavior().output);
}

#[test]
fn the_machine_and_compilers_agree() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("floats");
    std::fs::create_dir_all(&directory).expect("the target directory is ours");
    with_stack(|| {
        let mut executed = 0;
        for seed in 0..9 {
            let config = config(seed);
            let made = generate(seed, &config).expect("it is made");
            read_back(&made, &config);
            executed += made.census().feature(Feature::Floating).executed;
            let source = directory.join(format!("{seed}.c"));
            std::fs::write(&source, &*made.files[0].text).expect("the target directory is ours");
            for (compiler, level) in COMPILERS {
                let binary = directory.join(format!("{seed}-{compiler}{level}"));
                let output = Command::new(compiler)
                    .args(["-w", "-std=gnu17", "-ffp-contract=off", level, "-o"])
                    .args([&binary, &source])
                    .output()
                    .expect("the compiler is installed");
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                let output = Command::new(&binary).output().expect("the program starts");
                assert_eq!(
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&made.certified.behavior().output),
                    "{compiler} {level}, {}",
                    source.display(),
                );
            }
        }
        assert!(executed > 30, "{executed} floating operations");
    });
}

#[test]
fn there_is_no_double_unless_asked_for() {
    with_stack(|| {
        for seed in 0..6 {
            let config = Config { size: 6_000, ..Config::default() };
            let made = generate(seed, &config).expect("it is made");
            assert!(!made.files[0].text.contains("double"), "seed {seed}");
        }
    });
}
