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
//! `// compiler: gcc` or `clang` for what no other compiler knows.
//! A file beside it with `.stdin` at its end is what the program reads.
//! `// not yet: why` is for what the machine does not find out yet; when it does, the
//! test fails until that line is deleted.
//! How the messages look is tested in `crates/farrier/tests/findings.rs`.

#![expect(clippy::disallowed_methods, reason = "programs are compared with what compilers make")]

#[path = "support/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use farrier_lang::target::{Environment, Toolchain};
use farrier_lang::{Dialect, Program, Target, target};
use farrier_machine::{At, Behavior, Cause, Ending, Run, Tier, UbKind, Verdict, certify, run};

use self::programs::{Case, case, check_all, corpus, entries, files, foreign, read};

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
    /// The flags that it needs, and those with which it rounds every result.
    flags: &'static [&'static str],
    rounding: &'static [&'static str],
    /// The emulator and its options.
    emulator: &'static [&'static str],
}

const NATIVE: [Way; 4] = [
    Way { compiler: "gcc", level: "-O0", flags: &[], rounding: &[], emulator: &[] },
    Way { compiler: "gcc", level: "-O2", flags: &[], rounding: &[], emulator: &[] },
    Way { compiler: "clang", level: "-O0", flags: &[], rounding: &[], emulator: &[] },
    Way { compiler: "clang", level: "-O2", flags: &[], rounding: &[], emulator: &[] },
];

/// What the library of a machine without an operating system lacks or does in its own way, or what
/// its memory is too small for: kinds, and single files.
const NEEDS_A_SYSTEM: [&str; 11] = [
    // Files, the environment, arguments, the text of numbers; `errno` and classes of characters
    // are objects and macros of its own.
    "library",
    "bad-stream",
    "setjmp-context",
    // `fabs` is inline assembly in its header.
    "nan.c",
    // `%n`.
    "flags-and-lengths.c",
    // `%Lf`.
    "passed-to-library.c",
    // `setjmp` without a header.
    "active.c",
    "kept-by-longjmp.c",
    // `at_quick_exit`.
    "one-after-another.c",
    "malloc-large.c",
    "large-structure.c",
];

fn needs_a_system(path: &Path) -> bool {
    path.components().any(|part| NEEDS_A_SYSTEM.iter().any(|name| part.as_os_str() == *name))
}

/// What is wrong with a program on another machine: it must be defined there too, at least
/// where types are as wide as here, and what the compiler makes of it must print what the
/// machine prints, which need not be what it prints here.
fn check_foreign(
    path: &Path,
    foreign: &'static Target,
    levels: &[&'static str],
) -> Result<(), String> {
    let (text, mut case) = case(path);
    let bare = foreign.environment == Environment::BARE;
    if !case.compiled || case.local || bare && needs_a_system(path) {
        return Ok(());
    }
    case.front.target = foreign;
    let program = match read(path, &text, &case) {
        Err(_) if foreign.long != target::X86_64_LINUX.long => return Ok(()),
        // Constants of `long double` are refused where the machine does not compute with it.
        Err(message) if foreign.long_double.1.is_none() && message.contains("not supported") => {
            return Ok(());
        }
        program => program?,
    };
    let run = run(&program, &case.machine);
    let (line, words) = describe(&program, &run);
    if foreign.excess_precision {
        let certified = certify(program.clone(), &case.machine);
        if certified.is_ok_and(|certified| certified.tier() == Tier::Rounded) {
            return Ok(());
        }
    }
    let status = match run.verdict {
        Verdict::Unsupported(_) if foreign.long_double.1.is_none() => return Ok(()),
        Verdict::Defined(Behavior { ending: Ending::Exit(status), .. }) => status & 0xff,
        // Many count on the widths of x86-64.
        _ if foreign.long != target::X86_64_LINUX.long => return Ok(()),
        _ => return Err(format!("{}: in line {line:?}: {words}", foreign.name)),
    };
    let Toolchain { compiler, flags, rounding, emulator, .. } = foreign.toolchain;
    levels.iter().try_for_each(|level| {
        let way = Way { compiler, level, flags, rounding, emulator };
        compare(path, &case, &[way], &run.output, status)
    })
}

/// What every program for Windows is linked to.
const WINDOWS_SUPPORT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../harness/src/outcome/windows_support.c");

/// The signal of an instruction that a processor does not know.
const ILLEGAL: i32 = 4;

/// A prefix of wine for one run, like the one that `WINEPREFIX` names. Runs that begin and end at
/// the same time in one prefix may wait for each other for ever.
fn new_prefix(own: &Path) -> Result<&Path, String> {
    let first = std::env::var_os("WINEPREFIX")
        .ok_or("there is no WINEPREFIX: run this by `cargo xtask check targets`")?;
    let _ = fs::remove_dir_all(own);
    let copied = Command::new("cp").arg("-a").arg(first).arg(own).status();
    match copied {
        Ok(status) if status.success() => Ok(own),
        _ => Err("the prefix of wine cannot be copied".to_owned()),
    }
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
    for &Way { compiler, level, flags, rounding, emulator } in ways {
        if case.only.is_some_and(|family| !compiler.ends_with(family)) {
            continue;
        }
        // A compiler for Windows gives every name an extension.
        let is_windows = emulator.first() == Some(&"wine");
        let extension = if is_windows { ".exe" } else { "" };
        let name = format!("{}-{stem}-{compiler}{level}{extension}", kind_of(path));
        let binary = scratch.join(name);
        let mut command = Command::new(compiler);
        command
            .args([standard, level, "-w", "-ffp-contract=off"])
            .args(flags)
            .args(rounding)
            .arg("-o")
            .arg(&binary)
            .arg(path)
            .arg("-lm");
        if !case.machine.strict_aliasing {
            command.arg("-fno-strict-aliasing");
        }
        if is_windows {
            command.args([WINDOWS_SUPPORT, "-static", "-Wl,--stack,0x10000000"]);
        }
        let made = command.stdin(Stdio::null()).output().map_err(|error| {
            format!("{compiler} cannot be started ({error}): install the packages of packages.txt")
        })?;
        if !made.status.success() {
            return Err(format!("{compiler}: {}", String::from_utf8_lossy(&made.stderr)));
        }
        let stdin = fs::File::open(path.with_extension("stdin"));
        // What fails without an operating system does not end.
        let limited = emulator.first().is_some_and(|name| name.starts_with("qemu-system"));
        let limit: &[&str] = if limited { &["timeout", "20"] } else { &[] };
        let mut words = limit.iter().chain(emulator).map(OsStr::new).chain([binary.as_os_str()]);
        let mut command = Command::new(words.next().expect("the program is there"));
        let prefix = binary.with_extension("prefix");
        if is_windows {
            let own = new_prefix(&prefix)?;
            command.env("WINEPREFIX", own).env("TMPDIR", own);
        }
        let output = command
            .args(words)
            .args(case.machine.arguments[1..].iter().map(|word| OsStr::from_bytes(word)))
            .stdin(stdin.map_or_else(|_| Stdio::null(), Stdio::from))
            .output()
            .expect("the packages of packages.txt are installed");
        let _ = fs::remove_file(&binary);
        if is_windows {
            let _ = fs::remove_dir_all(&prefix);
        }
        // The library sets rounding modes by an instruction that qemu does not know.
        if emulator.first() == Some(&"qemu-ppc") && output.status.signal() == Some(ILLEGAL) {
            continue;
        }
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
    for (number, foreign) in foreign().into_iter().enumerate() {
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
