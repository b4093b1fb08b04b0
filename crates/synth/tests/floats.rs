//! Programs with floating numbers: a class of values, through types, values,
//! places, calls, guards, checksum and assertions.

#![expect(clippy::disallowed_methods, reason = "programs are given to real compilers and run")]

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use farrier_lang::target::{
    AARCH64_LINUX, ARM_LINUX, I386_LINUX, RISCV64_LINUX, S390X_LINUX, Target,
};
use farrier_lang::{STACK_BYTES, SourceText, shape, well_formed};
use farrier_machine::{Options, Tier, certify};
use farrier_synth::features::Feature;
use farrier_synth::parameters::Parameter;
use farrier_synth::{Check, Config, Generated, generate};

/// A compiler, its options, and what runs its programs.
type Way = (&'static str, &'static [&'static str], &'static [&'static str]);

const NATIVE: [Way; 3] = [("gcc", &["-O0"], &[]), ("gcc", &["-O2"], &[]), ("clang", &["-O2"], &[])];

/// Other machines. Their `long double` has 64 bits, 80 or 128.
static FOREIGN: [(&Target, Way); 5] = [
    (&I386_LINUX, ("gcc", &["-m32", "-msse2", "-mfpmath=sse", "-O2"], &[])),
    (
        &AARCH64_LINUX,
        ("aarch64-linux-gnu-gcc", &["-O2"], &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]),
    ),
    (
        &S390X_LINUX,
        ("s390x-linux-gnu-gcc", &["-O2"], &["qemu-s390x", "-L", "/usr/s390x-linux-gnu"]),
    ),
    (
        &RISCV64_LINUX,
        ("riscv64-linux-gnu-gcc", &["-O2"], &["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu"]),
    ),
    (
        &ARM_LINUX,
        ("arm-linux-gnueabihf-gcc", &["-O2"], &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"]),
    ),
];

/// The kinds of floating numbers that tier *rounded* has.
const KINDS: [(Feature, &str); 4] = [
    (Feature::Float, "float"),
    (Feature::Double, "double"),
    (Feature::LongDouble, "long double"),
    (Feature::Float128, "_Float128"),
];

fn config(seed: u64) -> Config {
    let check = if seed % 3 == 2 { Check::Asserts } else { Check::Checksum };
    let mut config = Config { size: 6_000, check, swarm: false, ..Config::default() };
    config.weights.set(Feature::Floating, 100);
    config.tier = Some(Tier::Rounded);
    config.fixed = vec![(Parameter::FloatingShare, 80)];
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

/// Compiles a program in one way, and wants it to print what the machine says.
fn compare(made: &Generated, name: &str, (compiler, options, emulator): Way) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("floats");
    std::fs::create_dir_all(&directory).expect("the target directory is ours");
    let source = directory.join(format!("{name}.c"));
    let binary = directory.join(format!("{name}-{compiler}"));
    std::fs::write(&source, &*made.files[0].text).expect("the target directory is ours");
    let output = Command::new(compiler)
        .args(["-w", "-std=gnu17", "-ffp-contract=off", "-Wno-error=parentheses"])
        .args(options)
        .arg("-o")
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .expect("the compiler is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut words = emulator.iter().map(OsStr::new).chain([binary.as_os_str()]);
    let mut command = Command::new(words.next().expect("the program is a word"));
    let output = command.args(words).output().expect("the program starts");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&made.certified.behavior().output),
        "{compiler} {options:?}, {}",
        source.display(),
    );
}

#[test]
fn the_machine_and_compilers_agree() {
    with_stack(|| {
        let (mut executed, mut called) = (0, 0);
        for seed in 0..11 {
            let config = config(seed);
            let made = generate(seed, &config).expect("it is made");
            read_back(&made, &config);
            executed += made.census().feature(Feature::Floating).executed;
            called += made.census().feature(Feature::MathFunction).executed;
            for way in NATIVE {
                compare(&made, &format!("{seed}"), way);
            }
        }
        assert!(executed > 60, "{executed} floating operations");
        assert!(called > 8, "{called} calls of functions");
    });
}

#[test]
fn other_machines_agree() {
    with_stack(|| {
        for (seed, (target, way)) in (20..).zip(FOREIGN.iter().chain(&FOREIGN)) {
            let config = Config { target, ..config(seed) };
            let made = generate(seed, &config).expect("it is made");
            read_back(&made, &config);
            compare(&made, &format!("{seed}-{}", target.name), *way);
        }
    });
}

#[test]
fn each_kind_can_be_the_only_one() {
    with_stack(|| {
        for (seed, (kind, name)) in (40..).zip(KINDS.iter().chain(&KINDS)) {
            let mut config = config(seed);
            KINDS.iter().for_each(|(other, _)| config.weights.set(*other, 0));
            config.weights.set(*kind, 50);
            let made = generate(seed, &config).expect("it is made");
            read_back(&made, &config);
            let census = made.census();
            for (other, _) in KINDS.iter().filter(|(other, _)| other != kind) {
                assert_eq!(census.feature(*other).total, 0, "{name}, seed {seed}");
            }
            assert!(census.feature(*kind).total > 0, "{name}, seed {seed}");
            compare(&made, &format!("only-{seed}"), NATIVE[1]);
        }
    });
}

/// Assertions about floating numbers name the one that is wrong.
#[test]
fn a_wrong_number_is_named() {
    with_stack(|| {
        let mut found = 0;
        for seed in 60..80 {
            let config = Config { check: Check::Asserts, ..config(seed) };
            let made = generate(seed, &config).expect("it is made");
            let text = made.files[0].text.to_string();
            let main = text.find("int main(").expect("there is one");
            let mut negative = text.match_indices(" != -").map(|(at, _)| at);
            let Some(at) = negative.find(|at| *at > main && is_float(&text[at + 5..])) else {
                continue;
            };
            found += 1;
            // The same without the sign.
            let wrong = format!("{}{}", &text[..at + 4], &text[at + 5..]);
            let options = farrier_front::Options {
                target: config.target,
                dialect: config.dialect,
                permissive: false,
            };
            let file = SourceText::new("wrong.c", wrong);
            let read = farrier_front::parse(&[file], &options);
            let read = read.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
            let output = certify(read, &Options::default()).expect("it is defined");
            let output = String::from_utf8_lossy(&output.behavior().output).into_owned();
            assert!(output.starts_with("NG "), "seed {seed}: {output}");
        }
        assert!(found > 1, "{found} negative numbers");
    });
}

/// Whether a text begins with a floating constant.
fn is_float(text: &str) -> bool {
    let number = text.split(')').next().unwrap_or_default();
    number.contains('.') || number.contains('p')
}
