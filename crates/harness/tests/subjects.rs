//! The compilers of this machine, found and asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use farrier_harness::{
    Bench, Discovery, Excess, Expectation, Family, Outcome, Runner, Sandbox, Scratch, Subject,
    TrialBounds, contradiction, discover, parse_subjects,
};
use farrier_lang::SourceText;
use farrier_lang::target::{
    AARCH64_LINUX, AVR, I386_LINUX, MCS51, STM8, WASM32_WASI, X86_64_LINUX, Z80,
};

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_farrier-test-launcher").into()).expect("the launcher works")
}

fn scratch() -> Scratch {
    Scratch::new(&std::env::temp_dir()).expect("there is a place for it")
}

fn all() -> Discovery {
    let path = std::env::var_os("PATH").expect("there is a search path");
    discover(&path, &sandbox(), scratch().path()).expect("the machine can be asked")
}

fn find<'a>(
    found: &'a Discovery,
    family: Family,
    target: &farrier_lang::Target,
    install: &str,
) -> Vec<&'a Subject> {
    let list: Vec<&Subject> = found
        .subjects
        .iter()
        .filter(|subject| subject.family == family && subject.target == Some(target))
        .collect();
    assert!(!list.is_empty(), "no {family:?} for {}: install {install}\n{found:#?}", target.name);
    list
}

#[test]
fn every_compiler_of_the_machine_is_found_once() {
    let found = all();
    let gcc = find(&found, Family::Gcc, &X86_64_LINUX, "gcc");
    let engines = find(&found, Family::Clang, &WASM32_WASI, "lld wasi-libc nodejs binaryen");
    for engine in ["liftoff", "turbofan", "binaryen"] {
        assert!(engines.iter().any(|one| one.name.ends_with(engine)), "{engine}: {engines:#?}");
    }
    find(&found, Family::Gcc, &I386_LINUX, "gcc-12-multilib");
    find(&found, Family::Clang, &X86_64_LINUX, "clang");
    find(&found, Family::Tcc, &X86_64_LINUX, "tcc");
    find(&found, Family::Pcc, &X86_64_LINUX, "pcc");
    let avr = find(&found, Family::Gcc, &AVR, "gcc-avr avr-libc");
    assert_eq!(avr[0].runner, Runner::Simavr, "install simavr");
    for family in [Family::Gcc, Family::Clang] {
        let foreign = find(&found, family, &AARCH64_LINUX, "gcc-aarch64-linux-gnu");
        let emulated =
            matches!(&foreign[0].runner, Runner::Emulator(words) if words[0] == "qemu-aarch64");
        assert!(emulated, "install qemu-user: {foreign:#?}");
    }
    let foreign = find(&found, Family::Gcc, &AARCH64_LINUX, "g++-aarch64-linux-gnu");
    let cplusplus = foreign.iter().find(|subject| subject.is_cplusplus());
    let name = cplusplus.map(|subject| subject.name.as_str()).unwrap_or_default();
    assert!(name.starts_with("g++-aarch64-"), "install g++-aarch64-linux-gnu: {foreign:#?}");
    // gcc, gcc-12, x86_64-linux-gnu-gcc, c99-gcc and cc are one compiler.
    // So are g++, g++-12 and c++, which is another.
    let mut drivers: Vec<(bool, &str)> =
        gcc.iter().map(|subject| (subject.is_cplusplus(), subject.version.as_str())).collect();
    drivers.sort_unstable();
    let mut once = drivers.clone();
    once.dedup();
    assert_eq!(drivers, once, "{gcc:#?}");
    assert!(gcc.iter().any(|subject| subject.aliases.len() >= 3), "{gcc:#?}");
    for subject in &found.subjects {
        let same = found.subjects.iter().filter(|other| other.name == subject.name).count();
        assert_eq!(same, 1, "{}", subject.name);
        assert!(!subject.version.is_empty() && !subject.triple.is_empty(), "{subject:#?}");
    }
}

fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn zig_is_a_compiler_for_each_language_and_clang_one_for_each_library() {
    let place = scratch();
    // What the sandbox shows of Zig: a clang for either language, and a version of its own.
    script(
        &place.path().join("zig"),
        "case $1 in version) echo 0.99.0; exit ;; cc) shift; exec /usr/bin/clang \"$@\" ;;\n\
         c++) shift; exec /usr/bin/clang++ \"$@\" ;; esac\nexit 1",
    );
    // The library is a directory of headers here, and the linker gets that of GCC.
    script(
        &place.path().join("clang++"),
        "for argument; do shift; [ \"$argument\" = -stdlib=libc++ ] || set -- \"$@\" \"$argument\"; \
         done\nexec /usr/bin/clang++ \"$@\"",
    );
    let found = discover(place.path().as_os_str(), &sandbox(), place.path()).expect("it works");
    let names: Vec<&str> = found.subjects.iter().map(|subject| subject.name.as_str()).collect();
    for name in ["zig-0.99.0", "zig++-0.99.0"] {
        assert!(names.contains(&name), "{names:?} {:?}", found.unusable);
    }
    let zig: Vec<&Subject> =
        found.subjects.iter().filter(|subject| subject.family == Family::Zig).collect();
    assert_eq!(zig.iter().filter(|subject| subject.is_cplusplus()).count(), 1, "{names:?}");
    let libraries: Vec<&&str> = names.iter().filter(|name| name.contains("-libc++-")).collect();
    assert_eq!(libraries.len(), 1, "{names:?}");
}

#[test]
fn a_name_proves_nothing() {
    let place = scratch();
    let file = |name: &str| place.path().join(name);
    symlink("/usr/bin/gcc", file("gcc")).expect("it can be made");
    script(&file("my-clang"), "exec /usr/bin/gcc \"$@\"");
    script(&file("gcc-99"), "echo I am no compiler");
    script(&file("cc-broken"), "exit 1");
    script(&file("tcc"), "exec /usr/bin/no-such-compiler \"$@\"");
    // Preprocesses like the best of them, and does nothing else.
    script(&file("pcc"), "for i; do [ \"$i\" = -c ] && exit 1; done; exec /usr/bin/tcc \"$@\"");
    fs::write(file("clang"), "not executable").expect("it can be written");
    let found = discover(place.path().as_os_str(), &sandbox(), place.path()).expect("it works");
    let names: Vec<&str> = found.subjects.iter().map(|subject| subject.name.as_str()).collect();
    let version = &found.subjects[0].version;
    assert_eq!(names, [format!("gcc-{version}"), format!("gcc-i386-{version}")], "{found:#?}");
    assert_eq!(found.subjects[0].aliases, [file("my-clang")]);
    let mut why: Vec<String> = found
        .unusable
        .iter()
        .map(|one| {
            format!("{} {}", Path::new(&one.command).file_name().unwrap().display(), one.why)
        })
        .collect();
    why.sort();
    let expected = [
        "gcc-99 it does not preprocess a C file",
        "pcc it does not compile and run a small program: the compiler refuses it",
        "tcc it does not preprocess a C file",
    ];
    assert_eq!(why, expected);
}

#[test]
fn a_compiler_for_cuda_that_is_found_twice_is_one() {
    let place = scratch();
    let nvcc = place.path().join("nvcc");
    script(
        &nvcc,
        "for i; do case $i in\n\
         -E) echo farrier_answer family nvcc; echo farrier_answer version 13 . 0 . 88\n\
         echo farrier_answer target farrier_nvptx64 ;;\n\
         *.cubin) touch $i ;;\n\
         esac; done",
    );
    symlink(&nvcc, place.path().join("nvcc-13")).expect("it can be made");
    fs::copy(&nvcc, place.path().join("nvcc-13.0")).expect("it can be copied");
    let found = discover(place.path().as_os_str(), &sandbox(), place.path()).expect("it works");
    let [subject] = &found.subjects[..] else { panic!("{found:#?}") };
    assert_eq!(subject.name, "nvcc-nvptx64-13.0.88");
    assert_eq!(subject.aliases.len(), 2, "{subject:#?}");
}

const PROGRAM: &str = "\
#include <stdio.h>\n\
#include <stdlib.h>\n\
static volatile char memory[CHOICE == 3 ? 16300 : 1];\n\
int main(void)\n\
{\n\
    for (int i = 0; i < 70; i++)\n\
        printf(\"line %d\\n\", i);\n\
    if (CHOICE == 1) abort();\n\
    if (CHOICE == 2) for (volatile int i = 0;; i++);\n\
    memory[0] = 1;\n\
    return 259;\n\
}\n";

/// All that a program can do, on the machine that is least like a process.
#[test]
fn programs_for_avr_are_simulated() {
    let found = all();
    let avr = find(&found, Family::Gcc, &AVR, "gcc-avr avr-libc simavr")[0];
    let mut bounds = TrialBounds::default();
    bounds.program.streams.time = std::time::Duration::from_secs(2);
    let expected = (0..70).map(|i| format!("line {i}\n")).collect::<String>().into_bytes();
    for choice in 0..4 {
        let place = scratch();
        let text = PROGRAM.replace("CHOICE", &choice.to_string());
        let source = SourceText::new("program.c", text);
        let flags = ["-std=gnu99".to_owned(), "-O2".to_owned()];
        let sandbox = sandbox();
        let bench = Bench { bounds, ..Bench::new(&sandbox, place.path()) };
        let trial = bench.try_out(avr, &flags, &[source], &Expectation::Nothing);
        let right = match &trial.outcome {
            Outcome::Ran { status: 3, output } => choice == 0 && *output == expected,
            Outcome::RunCrash { signal: Some(libc::SIGABRT), output } => {
                choice == 1 && *output == expected
            }
            // What is in the line of the serial interface is lost.
            Outcome::RunTimeout { output } => choice == 2 && output.starts_with(&expected[..100]),
            Outcome::RunExcess { of: Excess::Memory, .. } => choice == 3,
            _ => false,
        };
        assert!(right, "{choice}: {:?}", trial.outcome);
    }
}

/// What each simulated machine of SDCC does with the same program, and that the table of its
/// target is what the compiler says.
#[test]
fn programs_of_sdcc_are_simulated() {
    let sandbox = sandbox();
    let alone = scratch();
    symlink("/usr/bin/sdcc", alone.path().join("sdcc")).expect("a link can be made");
    let found = discover(alone.path().as_os_str(), &sandbox, scratch().path());
    let found = found.expect("it can be asked");
    let mut bounds = TrialBounds::default();
    bounds.program.streams.time = std::time::Duration::from_secs(2);
    for target in [&Z80, &STM8, &MCS51] {
        let subject = find(&found, Family::Sdcc, target, "sdcc sdcc-ucsim")[0];
        assert!(matches!(subject.runner, Runner::Marked(_)), "install sdcc-ucsim: {subject:#?}");
        let wrong = contradiction(subject, &[], &sandbox, scratch().path()).expect("it is asked");
        assert_eq!(wrong, None, "{}", target.name);
        // Another table of sizes is contradicted.
        let other = if target.pointer.size == 2 { &MCS51 } else { &Z80 };
        let accused = Subject { target: Some(other), ..subject.clone() };
        let wrong = contradiction(&accused, &[], &sandbox, scratch().path()).expect("it is asked");
        let (is, right) = (target.pointer.size, other.pointer.size);
        let expected = format!("a pointer has {is} bytes, but {right} in {}", other.name);
        assert_eq!(wrong, Some(expected));
        for (choice, body) in [
            "printf(\"%ld\\n\", 100000L); return 259;",
            "putchar('x'); abort();",
            "putchar('x'); for (;;) ;",
            // The stack grows into the data.
            "return deep(20000);",
            "exit(7);",
        ]
        .into_iter()
        .enumerate()
        {
            let place = scratch();
            let text = format!(
                "int printf(const char *, ...); int putchar(int); void abort(void); void exit(int);\n\
                 int (*volatile again)(int);\n\
                 int deep(int n) {{ return n ? again(n - 1) + 1 : 3; }}\n\
                 int main(void) {{ again = deep; {body} }}\n"
            );
            let bench = Bench { bounds, ..Bench::new(&sandbox, place.path()) };
            let source = SourceText::new("program.c", text);
            let trial = bench.try_out(subject, &[], &[source], &Expectation::Nothing);
            let right = match (&trial.outcome, choice) {
                (Outcome::Ran { status: 3, output }, 0) => output == b"100000\n",
                (Outcome::RunCrash { signal: Some(libc::SIGABRT), output }, 1) => output == b"x",
                // A simulator may see that nothing will happen any more.
                (Outcome::RunTimeout { output }, 2)
                | (Outcome::RunCrash { signal: None, output }, 2) => output == b"x",
                // What happens then is not known, but it is never taken for an answer.
                (outcome, 3) => !matches!(outcome, Outcome::Ran { .. }),
                (Outcome::Ran { status: 7, output }, 4) => output.is_empty(),
                _ => false,
            };
            assert!(right, "{} {choice}: {:?}", target.name, trial.outcome);
        }
    }
}

/// What V8 does with programs for WebAssembly. What `deep` needs is more than V8 has.
#[test]
fn programs_of_webassembly_are_run_by_engines() {
    let sandbox = sandbox();
    let list = "[[subject]]\nname = \"wasm\"\ncommand = \"clang --target=wasm32-wasi\"\n\
                family = \"clang\"\ntarget = \"wasm32-wasi\"\n";
    let subjects = parse_subjects(Path::new("farrier.toml"), list).expect("it is right");
    let subject = &subjects[0];
    assert!(matches!(subject.runner, Runner::Marked(_)), "install nodejs: {subject:#?}");
    for (body, right) in [
        (
            "printf(\"%lld\\n\", 1LL << 40); return 259;",
            Outcome::Ran { status: 3, output: b"1099511627776\n".to_vec() },
        ),
        (
            "puts(\"x\"); fflush(stdout); abort();",
            Outcome::RunCrash { signal: Some(libc::SIGABRT), output: b"x\n".to_vec() },
        ),
        ("return 1 / zero;", Outcome::RunCrash { signal: Some(libc::SIGTRAP), output: Vec::new() }),
        ("return deep(100000000);", Outcome::RunExcess { of: Excess::Memory, output: Vec::new() }),
        ("exit(7);", Outcome::Ran { status: 7, output: Vec::new() }),
    ] {
        let place = scratch();
        let text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\nvolatile int zero; int (*volatile again)(int);\n\
             int deep(int n) {{ return n ? again(n - 1) + 1 : 3; }}\n\
             int main(void) {{ again = deep; {body} }}\n"
        );
        let bench = Bench::new(&sandbox, place.path());
        let source = SourceText::new("program.c", text);
        let trial = bench.try_out(subject, &["-O0".to_owned()], &[source], &Expectation::Nothing);
        assert_eq!(trial.outcome, right, "{body}: install lld wasi-libc libclang-rt-14-dev-wasm32");
    }
}

/// Runners of users: what is right is read, what is hostile is contained, and only a whole answer
/// is one.
#[test]
fn runners_that_print_marks_are_read_and_contained() {
    let sandbox = sandbox();
    let place = scratch();
    let list = "[[subject]]\nname = \"a\"\ncommand = \"gcc\"\nfamily = \"gcc\"\n\
                target = \"x86_64-linux\"\nrun = \"./board.sh\"\nmarks = true\n";
    let subjects = parse_subjects(&place.path().join("farrier.toml"), list);
    let subject = subjects.expect("it is right").remove(0);
    let source = || {
        SourceText::new(
            "a.c",
            "int puts(const char *); int main(void) { puts(\"12\"); return 3; }\n",
        )
    };
    let mut bounds = TrialBounds::default();
    bounds.program.streams.time = std::time::Duration::from_secs(2);
    bounds.program.streams.stdout_bytes = 1 << 16;
    let run = |script: &str| {
        let board = place.path().join("board.sh");
        fs::write(&board, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
        fs::set_permissions(&board, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let work = scratch();
        let bench = Bench { bounds, ..Bench::new(&sandbox, work.path()) };
        bench.try_out(&subject, &[], &[source()], &Expectation::Nothing).outcome
    };
    let begin = "echo 'farrier: begin'";
    let right = Outcome::Ran { status: 3, output: b"12\n".to_vec() };
    assert_eq!(
        run(&format!("echo boot; {begin}; \"$1\"; echo \"farrier: end $?\"; exit 1")),
        right
    );
    // On the other stream, and by a runner that does not end.
    let late = format!("({begin}; \"$1\"; echo \"farrier: end $?\") >&2; sleep 60");
    assert_eq!(run(&late), right);
    let planted = run(&format!("{begin}; echo 13; echo 'farrier: end 3'"));
    assert_eq!(planted, Outcome::Ran { status: 3, output: b"13\n".to_vec() });
    let unknown = |output: &[u8]| Outcome::RunCrash { signal: None, output: output.to_vec() };
    assert_eq!(run(&format!("{begin}; \"$1\"")), unknown(b"12\n"));
    assert_eq!(run("echo 'a banner'"), unknown(b""));
    assert_eq!(run("yes"), unknown(b""));
    assert!(matches!(run(&format!("{begin}; yes")), Outcome::RunCrash { signal: None, .. }));
    assert!(matches!(run("sleep 60"), Outcome::RunTimeout { .. }));
    for fails in ["echo 'no board' >&2; exit 1", "for i in $(seq 200); do sleep 60 & done; wait"] {
        let outcome = run(fails);
        assert!(matches!(outcome, Outcome::Infrastructure { .. }), "{fails}: {outcome:?}");
    }
    // Connections need a word of the user.
    let connect = "bash -c 'exec 3<>/dev/udp/127.0.0.1/9' || exit 1\n\
                   echo 'farrier: begin'; echo 'farrier: end 0'";
    assert!(matches!(run(connect), Outcome::Infrastructure { .. }));
    let subject = Subject { network: true, ..subject.clone() };
    let work = scratch();
    let bench = Bench { bounds, ..Bench::new(&sandbox, work.path()) };
    let outcome = bench.try_out(&subject, &[], &[source()], &Expectation::Nothing).outcome;
    assert_eq!(outcome, Outcome::Ran { status: 0, output: Vec::new() });
}

fn emulate(subject: &Subject, choice: u32) -> Outcome {
    let mut bounds = TrialBounds::default();
    bounds.program.streams.time = std::time::Duration::from_secs(2);
    let place = scratch();
    let text = PROGRAM.replace("CHOICE", &choice.to_string());
    let source = SourceText::new("program.c", text);
    let sandbox = sandbox();
    let bench = Bench { bounds, ..Bench::new(&sandbox, place.path()) };
    bench.try_out(subject, &["-O2".to_owned()], &[source], &Expectation::Nothing).outcome
}

#[test]
fn programs_for_another_machine_are_emulated() {
    let found = all();
    let install = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user";
    let expected = (0..70).map(|i| format!("line {i}\n")).collect::<String>().into_bytes();
    for family in [Family::Gcc, Family::Clang] {
        let subject = find(&found, family, &AARCH64_LINUX, install)[0];
        let ran = emulate(subject, 0);
        assert_eq!(ran, Outcome::Ran { status: 3, output: expected.clone() });
        let aborted = emulate(subject, 1);
        let right = matches!(aborted, Outcome::RunCrash { signal: Some(libc::SIGABRT), .. });
        assert!(right, "{aborted:?}");
        let endless = emulate(subject, 2);
        assert!(matches!(endless, Outcome::RunTimeout { .. }), "{endless:?}");
    }
    // An emulator that is not there, or finds no libraries, says nothing about a compiler.
    for words in [&["no-such-emulator"][..], &["qemu-aarch64", "-L", "/no/such/place"]] {
        let mut subject = find(&found, Family::Gcc, &AARCH64_LINUX, install)[0].clone();
        subject.runner = Runner::Emulator(words.iter().map(|word| (*word).to_owned()).collect());
        let outcome = emulate(&subject, 0);
        let right = matches!(&outcome, Outcome::Infrastructure { what } if what.contains(words[0]));
        assert!(right, "{outcome:?}");
    }
}

/// The emulator need not be where the compiler is.
#[test]
fn a_cross_compiler_is_found_in_a_directory_of_its_own() {
    let place = scratch();
    let file = place.path().join("my-gcc");
    symlink("/usr/bin/aarch64-linux-gnu-gcc", &file).expect("it can be made");
    let found = discover(place.path().as_os_str(), &sandbox(), place.path()).expect("it works");
    let [subject] = &found.subjects[..] else { panic!("{found:#?}") };
    assert_eq!(subject.target, Some(&AARCH64_LINUX));
    assert!(matches!(subject.runner, Runner::Emulator(_)), "{subject:#?}");
}
