//! Dressed programs do what the C programs underneath do, with g++ and clang++.

#![expect(clippy::disallowed_methods, reason = "real compilers are asked")]

use std::path::{Path, PathBuf};
use std::process::Command;

use farrier_lang::print::GuardStyle;
use farrier_lang::target::{NVPTX64, X86_64_LINUX};
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Certified, Ending, Options, Profile, Watch, certify, run};
use farrier_synth::dress::{Cplusplus, DRESSES, Dressing, Worn, checked, dress, restrict};
use farrier_synth::features::Feature;
use farrier_synth::{Config, Generated, generate};

/// In how many programs each dress must occur.
const MOST_PROGRAMS: usize = 150;

/// A program without what C++ cannot say.
fn program(seed: u64, size: usize) -> Generated {
    let mut config = Config { size, ..Config::default() };
    restrict(&mut config);
    // g++ 11 has no such builtin.
    config.weights.set(Feature::VectorShuffle, 0);
    // Few programs have tables otherwise.
    config.weights.set(Feature::FunctionTable, 200);
    // The same is so of loops over arrays, and of sums.
    config.weights.set(Feature::ArrayLoop, 40);
    config.weights.set(Feature::Reduction, 70);
    generate(seed, &config).expect("there is a program")
}

/// A directory of this test, which is empty.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("dress-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("it can be made");
    path
}

/// Compiles a text and compares what it does with what the machine says.
fn check(directory: &Path, name: &str, text: &str, compiler: &[&str], certified: &Certified) {
    let (source, product) = (directory.join(format!("{name}.cpp")), directory.join(name));
    std::fs::write(&source, text).expect("it can be written");
    let compiled = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(["-w", "-ffp-contract=off", "-Wno-error=parentheses", "-o"])
        .arg(&product)
        .arg(&source)
        .arg("-lm")
        .output()
        .unwrap_or_else(|error| panic!("install {}: {error}", compiler[0]));
    let messages = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{compiler:?} {}: {messages}", source.display());
    let ran = Command::new(&product).output().expect("it can be run");
    let behavior = certified.behavior();
    assert_eq!(ran.stdout, behavior.output, "{compiler:?} {}", source.display());
    if let Ending::Exit(status) = behavior.ending {
        let seen = ran.status.code();
        assert_eq!(seen, Some(status & 0xff), "{compiler:?} {}", source.display());
    }
    std::fs::remove_file(&product).expect("it is ours");
}

#[test]
fn a_program_without_dresses_is_plain_cplusplus() {
    let directory = directory("plain");
    for (seed, standard) in (1..).zip(Cplusplus::ALL) {
        let made = program(seed, 6_000);
        let dressing = Dressing { standard, worn: Vec::new() };
        let text = dress(made.certified.program(), made.style, &dressing).text;
        for compiler in ["g++", "clang++"] {
            let command = [compiler, standard.flag(), "-O0"];
            check(&directory, &format!("{compiler}-{seed}"), &text, &command, &made.certified);
        }
    }
}

#[test]
fn dressed_programs_do_what_the_machine_says() {
    let directory = directory("drawn");
    for seed in 11..17 {
        let standard = Cplusplus::ALL[seed as usize % Cplusplus::ALL.len()];
        let made = program(seed, 8_000);
        let dressing = Dressing::draw(standard, &X86_64_LINUX, seed);
        let dressed = dress(made.certified.program(), made.style, &dressing);
        let again = dress(made.certified.program(), made.style, &dressing);
        assert_eq!(dressed.text, again.text, "a dressing has one text");
        let compiler = ["g++", "clang++"][seed as usize % 2];
        let command = [compiler, standard.flag(), "-O1"];
        check(&directory, &format!("drawn-{seed}"), &dressed.text, &command, &made.certified);
    }
}

/// What the device of generated CUDA is where there is none.
const CUDA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cuda.h");

#[test]
fn code_for_a_device_does_what_the_machine_says_where_the_machine_is_the_device() {
    let directory = directory("cuda");
    for seed in 1..7 {
        let mut config = Config { size: 6_000, target: &NVPTX64, ..Config::default() };
        restrict(&mut config);
        // Most of what a device has under other names.
        for feature in [Feature::BitBuiltin, Feature::ByteSwap, Feature::MemoryFunction] {
            config.weights.set(feature, 60);
        }
        let made = generate(seed, &config).expect("there is a program");
        let dressing = Dressing::draw(Cplusplus::Cpp17, &NVPTX64, seed);
        let text = dress(made.certified.program(), made.style, &dressing).text;
        assert!(text.contains("__global__ void farrier_kernel()"), "{text}");
        let text = text.replace("<<<1, 1>>>", "");
        let compiler = ["g++", "clang++"][seed as usize % 2];
        let command = [compiler, Cplusplus::Cpp17.flag(), "-O1", "-include", CUDA];
        check(&directory, &format!("cuda-{seed}"), &text, &command, &made.certified);
    }
}

#[test]
fn a_main_of_a_device_returns_and_constants_do_not_stop_an_assignment() {
    let text = "struct R { const int m; const int a[2]; } ;\n\
                int f(int n) { if (n) goto end; struct R r = {1, {2, 3}}; n = r.m + r.a[1];\n\
                const unsigned a[2][2] = {{5, n}, {n + 1}}; n += a[1][0];\n\
                end: return n; }\n\
                int printf(const char *, ...);\n\
                int main(void) { printf(\"%d\\n\", f(0)); }\n";
    let reading = farrier_front::Options::new(&NVPTX64);
    let program = farrier_front::parse(&[SourceText::new("a.c", text)], &reading).expect("it is C");
    let certified = certify(program, &Default::default()).expect("it is defined");
    let dressing = Dressing { standard: Cplusplus::Cpp17, worn: Vec::new() };
    let text = dress(certified.program(), GuardStyle::Wrappers, &dressing).text;
    assert!(text.contains("return 0;"), "{text}");
    let command = ["clang++", Cplusplus::Cpp17.flag(), "-O1", "-include", CUDA];
    let text = text.replace("<<<1, 1>>>", "");
    check(&directory("return"), "return", &text, &command, &certified);
}

#[test]
fn c23_says_what_functions_return_and_the_front_end_computes_it_again() {
    const ASSERTION: &str = "_Static_assert((long long)farrier_result == ";
    let reading = farrier_front::Options {
        dialect: Dialect::C23,
        ..farrier_front::Options::new(&X86_64_LINUX)
    };
    let parse = |text: &str| farrier_front::parse(&[SourceText::new("a.c", text)], &reading);
    let mut assertions = 0;
    for seed in 1..30 {
        let made =
            generate(seed, &Config { size: 6_000, ..Config::default() }).expect("there is one");
        let text = checked(made.certified.program(), made.style);
        parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        assertions += text.matches(ASSERTION).count();
        if text.contains(ASSERTION) {
            let wrong = text.replacen(ASSERTION, &format!("{ASSERTION}1 + "), 1);
            assert!(parse(&wrong).is_err(), "{wrong}");
        }
    }
    assert!(assertions > 20, "{assertions}");
}

/// A program with what a run saw of its statements.
fn profiled(seed: u64) -> (Generated, Profile) {
    let made = program(seed, 10_000);
    let options = Options { profile: Some(Watch::everything()), ..Options::default() };
    let ran = run(made.certified.program(), &options);
    (made, ran.profile.expect("it was asked for"))
}

#[test]
fn every_dress_occurs_in_code_that_runs_and_can_be_left_out() {
    let mut programs: Vec<(Generated, Profile)> = Vec::new();
    for row in DRESSES {
        let dressing = Dressing::only(Cplusplus::Cpp23, row.name).expect("it is a dress");
        let bare = Dressing { worn: Vec::new(), ..dressing.clone() };
        let occurs = (0..MOST_PROGRAMS).any(|at| {
            if at == programs.len() {
                programs.push(profiled(at as u64 + 1));
            }
            let (made, profile) = &programs[at];
            let dressed = dress(made.certified.program(), made.style, &dressing);
            let plain = dress(made.certified.program(), made.style, &bare);
            let count = dressed.census(profile)[0];
            assert_eq!(count.name, row.name);
            assert_eq!(count.places > 0, dressed.text != plain.text, "{}", row.name);
            assert!(count.places > 0 || count.executed == 0, "{}", row.name);
            count.executed > 0
        });
        assert!(occurs, "{} occurs nowhere in code that runs", row.name);
    }
}

#[test]
fn lambdas_do_not_list_what_another_dress_has_renamed() {
    let directory = directory("renamed");
    let names = ["accumulate", "element-loop", "naming-lambda", "generic-lambda"];
    let worn = names.map(|name| Worn { name, share: 100, seed: 0 }).to_vec();
    let dressing = Dressing { standard: Cplusplus::Cpp17, worn };
    let mut loops = 0;
    for seed in 1..60 {
        let made = program(seed, 8_000);
        let dressed = dress(made.certified.program(), made.style, &dressing);
        let renamed = dressed.places[0].1 + dressed.places[1].1;
        if renamed > 0 && loops < 6 {
            loops += renamed;
            let command = ["g++", Cplusplus::Cpp17.flag(), "-O0"];
            check(&directory, &format!("renamed-{seed}"), &dressed.text, &command, &made.certified);
        }
    }
    assert!(loops > 2, "{loops}");
}

#[test]
fn many_statements_are_spelled_as_c_cannot() {
    let (mut statements, mut dressed) = (0, 0);
    for seed in 1..13 {
        let made = program(seed, 10_000);
        let dressing = Dressing::draw(Cplusplus::Cpp20, &X86_64_LINUX, seed);
        let found = dress(made.certified.program(), made.style, &dressing);
        statements += found.statements;
        dressed += found.dressed;
    }
    assert!(dressed * 100 >= statements * 40, "{dressed} of {statements}");
}
