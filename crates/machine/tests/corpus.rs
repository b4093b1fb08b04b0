//! Programs with known verdicts, one fault or one near miss each.
//!
//! - `undefined/<kind>`: a line is marked `//~ UB <kind>`, and that is what the machine
//!   finds, in that line;
//! - `unspecified/<cause>`: the mark is `//~ UNSPECIFIED <cause>`;
//! - `unsupported/<feature>`: the mark is `//~ UNSUPPORTED words of the message`;
//! - `defined/<kind or topic>`: the program returns 0 and prints what stands in the file
//!   beside it with `.stdout` at its end, if there is one. What gcc and clang make of it,
//!   with and without optimisation, does the same.
//!
//! A mark `//~^` is about the line above. Comments on the first lines choose options:
//! `// std: c23`, `// target: avr`, `// permissive`, `// no-strict-aliasing`,
//! `// env: NAME=VALUE`, `// time: 1000`, `// glibc-rand`, `// steps: 1000`, `// args: one two` for what `main` gets, and `// compiler: none` for what no compiler can link,
//! `// compiler: gcc` for what no other compiler knows.
//! A file beside it with `.stdin` at its end is what the program reads.
//! `// not yet: why` is for what the machine does not find out yet; when it does, the
//! test fails until that line is deleted.
//! How the messages look is tested in `crates/farrier/tests/findings.rs`.

#![expect(clippy::disallowed_methods, reason = "programs are compared with what compilers make")]

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

use farrier_front::parse;
use farrier_lang::{Dialect, Program, STACK_BYTES, SourceText, Target, target};
use farrier_machine::{At, Behavior, Cause, Ending, Options, Run, UbKind, Verdict, run};

/// What the first lines of a file ask for.
struct Case {
    front: farrier_front::Options,
    machine: Options,
    compiled: bool,
    /// Whether only GCC knows what the program uses.
    gcc: bool,
    /// Whether it is for the target that it names, and no other.
    local: bool,
    /// Why the machine is known to be wrong.
    not_yet: Option<String>,
}

fn case(path: &Path) -> (String, Case) {
    let text = fs::read_to_string(path).unwrap();
    let mut case = header(&text);
    case.machine.input = fs::read(path.with_extension("stdin")).unwrap_or_default();
    (text, case)
}

fn header(text: &str) -> Case {
    let mut front = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: false,
    };
    let mut machine = Options { steps: 10_000_000, memory: 64 << 20, ..Options::default() };
    let mut compiled = true;
    let mut local = false;
    let mut gcc = false;
    let mut not_yet = None;
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        let value = |key: &str| line.strip_prefix(key).map(str::trim);
        if let Some(name) = value("std:") {
            let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.name() == name);
            front.dialect = dialect.expect("a dialect");
        } else if let Some(name) = value("target:") {
            front.target = Target::by_name(name).expect("a target");
            compiled = front.target == &target::X86_64_LINUX;
            local = true;
        } else if let Some(number) = value("steps:") {
            machine.steps = number.parse().expect("a number");
        } else if let Some(words) = value("args:") {
            machine.arguments.extend(words.split(' ').map(|word| word.as_bytes().to_vec()));
        } else if let Some(pair) = value("env:") {
            let (name, value) = pair.split_once('=').expect("NAME=VALUE");
            machine.environment.push((name.into(), value.into()));
        } else if let Some(seconds) = value("time:") {
            machine.time = Some(seconds.parse().expect("a number"));
        } else if line == "glibc-rand" {
            machine.glibc_random = true;
        } else if line == "permissive" {
            front.permissive = true;
        } else if line == "no-strict-aliasing" {
            machine.strict_aliasing = false;
        } else if let Some(reason) = value("not yet:") {
            not_yet = Some(reason.to_owned());
        } else if line == "compiler: none" {
            compiled = false;
        } else if line == "compiler: gcc" {
            gcc = true;
        }
    }
    Case { front, machine, compiled, gcc, local, not_yet }
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// The C files below one of the four directories.
fn files(verdict: &str) -> Vec<PathBuf> {
    let is_c = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
    entries(&corpus().join(verdict)).iter().flat_map(|d| entries(d)).filter(is_c).collect()
}

fn kind_of(path: &Path) -> &str {
    path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap()
}

/// The line that is marked, and the words of its mark.
fn mark(text: &str) -> (u32, &str) {
    let mut marks = text.lines().zip(1..).filter_map(|(line, number)| {
        let (_, mark) = line.split_once("//~")?;
        Some(match mark.strip_prefix('^') {
            Some(words) => (number - 1, words.trim()),
            None => (number, mark.trim()),
        })
    });
    let mark = marks.next().expect("a line is marked with //~");
    assert!(marks.next().is_none(), "only one line is marked");
    mark
}

/// What the preprocessor makes of a file; most do without.
fn expand(path: &Path, case: &Case) -> String {
    let compiler = match FOREIGN.iter().find(|foreign| foreign.target == case.front.target) {
        Some(foreign) => foreign.compiler,
        None if case.front.target == &target::AVR => "avr-gcc",
        None => "gcc",
    };
    let output = Command::new(compiler).arg("-E").arg(path).output();
    let output = output.expect("the packages of packages.txt are installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn read(path: &Path, text: &str, case: &Case) -> Result<Program, String> {
    let name = path.file_name().unwrap().to_string_lossy();
    let preprocessed = text.lines().any(|line| line.starts_with('#')).then(|| expand(path, case));
    let text = preprocessed.as_deref().unwrap_or(text);
    let input = SourceText::new(name, text);
    parse(&[input], &case.front).map_err(|failure| {
        let line = failure.sources.place(failure.diagnostic.span).map(|place| place.line);
        format!("refused: {} in line {line:?}", failure.diagnostic.message)
    })
}

/// The verdict in the words of a mark, and its line.
fn describe(program: &Program, run: &Run) -> (Option<u32>, String) {
    let line = |at: At| {
        let place = program.sources.place(at.span(program)?)?;
        Some(place.line)
    };
    match &run.verdict {
        Verdict::Defined(behavior) => (None, format!("DEFINED {:?}", behavior.ending)),
        Verdict::Undefined(ub) => (line(ub.at), format!("UB {}: {}", ub.kind.name(), ub.message)),
        Verdict::Unspecified(found) => {
            let words = format!("UNSPECIFIED {}: {}", found.cause.name(), found.message);
            (line(found.at), words)
        }
        Verdict::Unsupported(found) => (line(found.at), format!("UNSUPPORTED {}", found.feature)),
        Verdict::Exhausted(limit) => (None, format!("EXHAUSTED {limit:?}")),
    }
}

/// What is wrong with the verdict on a file with a fault.
fn check_fault(path: &Path) -> Result<(), String> {
    let (text, case) = case(path);
    let program = read(path, &text, &case)?;
    let run = run(&program, &case.machine);
    let (line, words) = describe(&program, &run);
    let (marked, mark) = mark(&text);
    let fits = match &run.verdict {
        Verdict::Undefined(ub) => mark == format!("UB {}", ub.kind.name()),
        Verdict::Unspecified(found) => mark == format!("UNSPECIFIED {}", found.cause.name()),
        Verdict::Unsupported(_) => words.contains(mark),
        Verdict::Defined(_) | Verdict::Exhausted(_) => false,
    };
    if !fits || line != Some(marked) {
        return Err(format!("marked in line {marked}: {mark}\n    found in {line:?}: {words}"));
    }
    if mark.starts_with("UB ") && mark["UB ".len()..] != *kind_of(path) {
        return Err(format!("stands in the directory of {}", kind_of(path)));
    }
    Ok(())
}

/// What is wrong with the verdict on a file that must be defined.
fn check_defined(path: &Path) -> Result<(), String> {
    let (text, case) = case(path);
    let program = read(path, &text, &case)?;
    let run = run(&program, &case.machine);
    let (line, words) = describe(&program, &run);
    match run.verdict {
        Verdict::Defined(behavior) if behavior.ending == Ending::Exit(0) => {}
        _ => return Err(format!("in line {line:?}: {words}")),
    }
    let expected = fs::read(path.with_extension("stdout")).unwrap_or_default();
    if run.output != expected {
        return Err(format!("prints\n{}", String::from_utf8_lossy(&run.output)));
    }
    Ok(())
}

/// A way to compile a program and to run it.
struct Way {
    compiler: &'static str,
    level: &'static str,
    /// The emulator and its options.
    emulator: &'static [&'static str],
}

const NATIVE: [Way; 4] = [
    Way { compiler: "gcc", level: "-O0", emulator: &[] },
    Way { compiler: "gcc", level: "-O2", emulator: &[] },
    Way { compiler: "clang", level: "-O0", emulator: &[] },
    Way { compiler: "clang", level: "-O2", emulator: &[] },
];

/// A machine that is emulated.
struct Foreign {
    target: &'static Target,
    compiler: &'static str,
    emulator: &'static [&'static str],
}

const FOREIGN: [Foreign; 4] = [
    Foreign {
        target: &target::AARCH64_LINUX,
        compiler: "aarch64-linux-gnu-gcc",
        emulator: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    },
    Foreign {
        target: &target::S390X_LINUX,
        compiler: "s390x-linux-gnu-gcc",
        emulator: &["qemu-s390x", "-L", "/usr/s390x-linux-gnu"],
    },
    Foreign {
        target: &target::RISCV64_LINUX,
        compiler: "riscv64-linux-gnu-gcc",
        emulator: &["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu"],
    },
    Foreign {
        target: &target::ARM_LINUX,
        compiler: "arm-linux-gnueabihf-gcc",
        emulator: &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
    },
];

/// What is wrong with a program on another machine: it must be defined there too, at least
/// where types are as wide as here, and what the compiler makes of it must print what the
/// machine prints, which need not be what it prints here.
fn check_foreign(path: &Path, foreign: &Foreign, levels: &[&'static str]) -> Result<(), String> {
    let (text, mut case) = case(path);
    if !case.compiled || case.local {
        return Ok(());
    }
    case.front.target = foreign.target;
    let program = match read(path, &text, &case) {
        Err(_) if foreign.target.long != target::X86_64_LINUX.long => return Ok(()),
        program => program?,
    };
    let run = run(&program, &case.machine);
    let (line, words) = describe(&program, &run);
    let status = match run.verdict {
        Verdict::Defined(Behavior { ending: Ending::Exit(status), .. }) => status & 0xff,
        // Many count on the widths of x86-64.
        _ if foreign.target.long != target::X86_64_LINUX.long => return Ok(()),
        _ => return Err(format!("{}: in line {line:?}: {words}", foreign.target.name)),
    };
    let &Foreign { compiler, emulator, .. } = foreign;
    levels.iter().try_for_each(|level| {
        compare(path, &case, &[Way { compiler, level, emulator }], &run.output, status)
    })
}

/// Compiles a file in some ways and wants each program to print `expected` and to end with
/// `status`.
fn compare(
    path: &Path,
    case: &Case,
    ways: &[Way],
    expected: &[u8],
    status: i32,
) -> Result<(), String> {
    if !case.compiled {
        return Ok(());
    }
    let standard = match case.front.dialect {
        Dialect::C99 => "-std=gnu99",
        Dialect::C11 => "-std=gnu11",
        Dialect::C17 => "-std=gnu17",
        Dialect::C23 => "-std=gnu2x",
    };
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let stem = path.file_stem().unwrap().to_string_lossy();
    for &Way { compiler, level, emulator } in ways {
        if case.gcc && !compiler.ends_with("gcc") {
            continue;
        }
        let binary = scratch.join(format!("{}-{stem}-{compiler}{level}", kind_of(path)));
        let mut command = Command::new(compiler);
        command
            .args([standard, level, "-w", "-ffp-contract=off", "-o"])
            .arg(&binary)
            .arg(path)
            .arg("-lm");
        if !case.machine.strict_aliasing {
            command.arg("-fno-strict-aliasing");
        }
        let made = command.stdin(Stdio::null()).output().map_err(|error| {
            format!("{compiler} cannot be started ({error}): install the packages of packages.txt")
        })?;
        if !made.status.success() {
            return Err(format!("{compiler}: {}", String::from_utf8_lossy(&made.stderr)));
        }
        let stdin = fs::File::open(path.with_extension("stdin"));
        let mut words = emulator.iter().map(OsStr::new).chain([binary.as_os_str()]);
        let output = Command::new(words.next().expect("the program is there"))
            .args(words)
            .args(case.machine.arguments[1..].iter().map(|word| OsStr::from_bytes(word)))
            .stdin(stdin.map_or_else(|_| Stdio::null(), Stdio::from))
            .output()
            .expect("the packages of packages.txt are installed");
        let _ = fs::remove_file(&binary);
        if output.status.code() != Some(status) || output.stdout != expected {
            return Err(format!(
                "{compiler} {level}: {}, prints\n{}",
                output.status,
                String::from_utf8_lossy(&output.stdout)
            ));
        }
    }
    Ok(())
}

/// Turns the result around for what is known to be wrong.
fn unless_not_yet(path: &Path, check: impl Fn(&Path) -> Result<(), String>) -> Result<(), String> {
    match (check(path), case(path).1.not_yet) {
        (Ok(()), Some(_)) => Err("is right by now: delete the line `// not yet`".to_owned()),
        (Err(_), Some(_)) => Ok(()),
        (result, None) => result,
    }
}

/// Runs `check` on all files, with a stack that programs may need, and reports in the
/// order of the files.
fn check_all(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    let half = files.len().div_ceil(2).max(1);
    let report: String = thread::scope(|scope| {
        let check = &check;
        let workers: Vec<_> = files
            .chunks(half)
            .map(|files| {
                let work = move || {
                    let mut report = String::new();
                    for path in files {
                        if let Err(trouble) = check(path) {
                            let name = path.strip_prefix(corpus()).unwrap().display();
                            write!(report, "\n{name}: {trouble}").unwrap();
                        }
                    }
                    report
                };
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap()
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert!(!files.is_empty(), "there are no files");
    assert!(report.is_empty(), "{report}");
}

#[test]
fn undefined_programs_are_found_out() {
    check_all(&files("undefined"), |path| unless_not_yet(path, check_fault));
}

#[test]
fn unspecified_programs_are_found_out() {
    check_all(&files("unspecified"), |path| unless_not_yet(path, check_fault));
}

#[test]
fn unsupported_programs_are_told_apart() {
    check_all(&files("unsupported"), |path| unless_not_yet(path, check_fault));
}

#[test]
fn defined_programs_are_defined() {
    check_all(&files("defined"), |path| unless_not_yet(path, check_defined));
}

#[test]
fn compilers_agree_that_they_are_defined() {
    check_all(&files("defined"), |path| {
        let expected = fs::read(path.with_extension("stdout")).unwrap_or_default();
        compare(path, &case(path).1, &NATIVE, &expected, 0)
    });
}

/// Every program on the first two of the other machines, some on the rest; all of them on all, at
/// every level, if `FARRIER_ALL_LEVELS` is set, as it should be after a change of a target.
#[test]
fn emulated_machines_agree_that_they_are_defined() {
    let all = std::env::var_os("FARRIER_ALL_LEVELS").is_some();
    let levels: &[&str] = if all { &["-O0", "-O1", "-O2", "-O3"] } else { &["-O2"] };
    for (number, foreign) in FOREIGN.iter().enumerate() {
        let every = if all || number < 2 { 1 } else { 8 };
        let files: Vec<PathBuf> =
            files("defined").into_iter().skip(number % every).step_by(every).collect();
        check_all(&files, |path| check_foreign(path, foreign, levels));
    }
}

#[test]
fn directories_are_named_after_kinds() {
    for directory in entries(&corpus().join("undefined")) {
        let name = directory.file_name().unwrap().to_str().unwrap();
        assert!(UbKind::ALL.iter().any(|kind| kind.name() == name), "{name} is no kind");
    }
    for directory in entries(&corpus().join("unspecified")) {
        let name = directory.file_name().unwrap().to_str().unwrap();
        assert!(Cause::ALL.iter().any(|cause| cause.name() == name), "{name} is no cause");
    }
}
