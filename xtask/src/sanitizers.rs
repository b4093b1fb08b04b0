//! `cargo xtask sanitizers`: which faults of the machine's tests sanitizers see too.
//!
//! Every program of `crates/machine/tests/undefined` is built with the address and
//! undefined-behaviour sanitizers of gcc and with the memory sanitizer of clang, and the
//! result is the page `docs/reference/sanitizers.md`. A report about a program of
//! `defined` is a failure: one of the two is wrong.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use farrier_harness::Limits;
use farrier_machine::UbKind;

use crate::repository::{self, root};

/// The page that the command writes.
const PAGE: &str = "docs/reference/sanitizers.md";

const CORPUS: &str = "crates/machine/tests";

const LIMITS: Limits =
    Limits { time: Duration::from_secs(20), stdout_bytes: 1 << 20, stderr_bytes: 1 << 20 };

/// A compiler with its sanitizers, and the words by which they report.
struct Sanitizer {
    command: &'static str,
    flags: &'static [&'static str],
    words: &'static [&'static str],
}

const SANITIZERS: [Sanitizer; 2] = [
    Sanitizer {
        command: "gcc",
        flags: &["-fsanitize=address,undefined", "-fsanitize=float-cast-overflow"],
        words: &["runtime error:", "AddressSanitizer:"],
    },
    Sanitizer {
        command: "clang",
        flags: &["-fsanitize=memory"],
        words: &["WARNING: MemorySanitizer"],
    },
];

/// Runs the command: true if no sanitizer contradicts the machine.
pub(crate) fn run() -> Result<bool> {
    let (mut agreed, mut rows) = (true, String::new());
    let mut totals = [0; SANITIZERS.len()];
    for kind in UbKind::ALL {
        let programs = programs("undefined", kind.name())?;
        let mut seen = [0; SANITIZERS.len()];
        let mut any = 0;
        // A program that never ends shows nothing, and only costs time.
        let ends = *kind != UbKind::InfiniteLoop;
        for program in programs.iter().filter(|_| ends) {
            let reports = reports(program)?;
            any += usize::from(reports.contains(&true));
            for (count, report) in seen.iter_mut().zip(reports) {
                *count += usize::from(report);
            }
        }
        let [gcc, clang] = seen;
        totals = [totals[0] + gcc, totals[1] + clang];
        writeln!(rows, "| {} | {} | {gcc} | {clang} | {any} |", kind.name(), programs.len())?;
        println!("{}: {any} of {}", kind.name(), programs.len());
    }
    for (sanitizer, total) in SANITIZERS.iter().zip(totals) {
        ensure!(total > 0, "the sanitizers of {} do not work here", sanitizer.command);
    }
    for program in programs("defined", "")? {
        if reports(&program)?.contains(&true) {
            println!("{}: defined, but a sanitizer reports something", program.display());
            agreed = false;
        }
    }
    if !agreed {
        return Ok(false);
    }
    let page = format!(
        "# What sanitizers see\n\n\
         Made by `cargo xtask sanitizers`; do not edit.\n\n\
         The programs of `{CORPUS}/undefined` for x86-64, built at -O0: how many of them gcc's\n\
         address and undefined-behaviour sanitizers report, and how many clang's memory sanitizer.\n\
         What a compiler refuses counts as not seen.\n\
         The machine reports all of them, except those that are marked `not yet`.\n\
         No sanitizer reports anything about the programs of `{CORPUS}/defined`.\n\n\
         | kind | programs | gcc, address and undefined | clang, memory | any |\n\
         |---|---|---|---|---|\n{rows}"
    );
    let path = root().join(PAGE);
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {PAGE}");
    Ok(true)
}

/// The programs for this machine below a directory of the corpus, in order.
fn programs(verdict: &str, kind: &str) -> Result<Vec<PathBuf>> {
    let directory = format!("{CORPUS}/{verdict}/{kind}");
    let directory = format!("{}/", directory.trim_end_matches('/'));
    let ours = |text: &str| {
        let mut options = text.lines().map_while(|line| line.strip_prefix("// "));
        !options.any(|line| line.starts_with("target:") || line == "compiler: none")
    };
    let files = repository::files()?.into_iter().filter(|file| {
        file.path.starts_with(&directory)
            && file.path.ends_with(".c")
            && file.text.as_deref().is_some_and(ours)
    });
    Ok(files.map(|file| root().join(file.path)).collect())
}

/// Whether each sanitizer reports something.
fn reports(program: &Path) -> Result<[bool; SANITIZERS.len()]> {
    let mut reports = [false; SANITIZERS.len()];
    let directory = std::env::temp_dir();
    for (report, sanitizer) in reports.iter_mut().zip(&SANITIZERS) {
        let binary = directory.join(format!("farrier-sanitizers-{}", std::process::id()));
        let mut build = Command::new(sanitizer.command);
        build.args(["-w", "-g", "-O0", "-std=gnu17"]).args(sanitizer.flags);
        build.arg("-o").arg(&binary).arg(program).arg("-lm");
        let built = farrier_harness::run(&mut build, b"", &LIMITS)?;
        let built_well = matches!(built.ending, farrier_harness::ProcessEnding::Exited(status) if status.success());
        // What a compiler refuses, its sanitizer cannot see.
        if !built_well {
            continue;
        }
        // What some of them read.
        let input = std::fs::read(program.with_extension("stdin")).unwrap_or_default();
        let mut program = Command::new(&binary);
        // Leaks are no faults: the programs are short.
        program.env("ASAN_OPTIONS", "detect_leaks=0");
        let ran = farrier_harness::run(&mut program, &input, &LIMITS)?;
        std::fs::remove_file(&binary)?;
        let text = String::from_utf8_lossy(&ran.stderr);
        *report = sanitizer.words.iter().any(|word| text.contains(word));
    }
    Ok(reports)
}
