//! `farrier reduce` beside cvise: time, size of the result, and whether it is still defined.

use std::fmt::Write as _;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use farrier_harness::{Limits, ProcessEnding};
use farrier_synth::reduce::token_count;

use crate::{dist, repository};

/// How many times less wall time than cvise is wanted, in the median.
const GOAL: f64 = 10.0;

/// What is left of each case must have fewer tokens of test code.
const MOST_TOKENS: usize = 30;

/// The compiler with planted faults.
const FAKECC: &str = "crates/harness/tests/support/fakecc";

/// A program that a compiler gets wrong.
#[derive(Clone, Copy)]
struct Case {
    /// A planted fault of `fakecc`, or a real compiler.
    compiler: Compiler,
    level: &'static str,
    /// The seed of the program; for a planted fault, the seed from which on programs are made
    /// until the fault shows in one.
    seed: u32,
    /// What else `farrier gen` is told.
    recipe: &'static [&'static str],
    /// What the compiler says if it crashes; otherwise the compiled program is wrong.
    says: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum Compiler {
    Planted(&'static str),
    Real(&'static str),
}

const fn planted(fault: &'static str, level: &'static str, seed: u32) -> Case {
    let compiler = Compiler::Planted(fault);
    Case { compiler, level, seed, recipe: &["--size", "80k"], says: None }
}

/// A planted fault that keeps the compiler from making code.
const fn breaking(fault: &'static str, level: &'static str, seed: u32, says: &'static str) -> Case {
    Case { says: Some(says), ..planted(fault, level, seed) }
}

/// What pcc understands, and what it can link.
const PCC: &[&str] = &[
    "--size",
    "25k",
    "--features",
    "-int128,-bit-builtin,-overflow-builtin,-byte-swap,-inline,-packed,-aligned",
];

/// The fixed set.
const CASES: &[Case] = &[
    planted("wrong-shift", "-O1", 1),
    planted("wrong-comparison", "-O2", 1),
    breaking("internal-error", "-O1", 1, "internal compiler error"),
    planted("wrong-exit", "-O1", 1),
    planted("wrong-shift", "-O1", 11),
    planted("wrong-comparison", "-O2", 11),
    breaking("internal-error", "-O1", 11, "internal compiler error"),
    planted("traps", "-O1", 11),
    planted("wrong-shift", "-O1", 21),
    planted("wrong-comparison", "-O2", 21),
    breaking("rejects", "-O1", 21, "error: expected"),
    breaking("assertion", "-O1", 21, "Assertion"),
    // Not one wrong operation: a loop, a switch, a store before a loop.
    planted("wrong-step", "-O1", 1),
    planted("lost-break", "-O1", 1),
    planted("lost-store", "-O1", 1),
    // Real findings.
    Case {
        compiler: Compiler::Real("pcc"),
        level: "-O0",
        seed: 1,
        recipe: &["--size", "25k", "--features", "-int128"],
        says: Some("Cannot generate code"),
    },
    Case { compiler: Compiler::Real("pcc"), level: "-O0", seed: 21, recipe: PCC, says: None },
    Case { compiler: Compiler::Real("pcc"), level: "-O1", seed: 56, recipe: PCC, says: None },
];

impl Case {
    /// For people, and for the name of a directory.
    fn name(&self) -> String {
        let Self { level, seed, .. } = self;
        match self.compiler {
            Compiler::Planted(fault) => format!("{fault} {level}, seed {seed}"),
            Compiler::Real(compiler) => format!("{compiler} {level}, seed {seed}"),
        }
    }

    /// The command of the compiler, with its level.
    fn command(&self) -> String {
        match self.compiler {
            Compiler::Planted(fault) => {
                let fakecc = repository::root().join(FAKECC);
                format!("{} {fault} {}", fakecc.display(), self.level)
            }
            Compiler::Real(compiler) => format!("{compiler} {}", self.level),
        }
    }

    fn is_planted(&self) -> bool {
        matches!(self.compiler, Compiler::Planted(_))
    }

    /// What cvise asks. With a real compiler that crashes, its users ask whether
    /// another compiler takes the program, and no more.
    fn script(&self) -> String {
        match self.says {
            Some(_) if !self.is_planted() => [ACCEPTED, &self.wrong()].concat(),
            _ => [HONEST, &self.wrong(), SANITIZERS].concat(),
        }
    }

    /// The part of a script that asks whether the compiler is wrong.
    fn wrong(&self) -> String {
        let wrong = match self.says {
            Some(text) => BREAKS.replace("TEXT", text),
            None => MISCOMPILES.to_owned(),
        };
        format!("{}\n", wrong.replace("COMPILER", &self.command()))
    }
}

/// What cvise keeps: the sanitizers find nothing, and the compiler is wrong. Code that never
/// runs may have indices that are out of reach for the small model of code.
const SANITIZERS: &str = r#"
for sanitizer in address,undefined memory; do
    clang -w -O0 -mcmodel=large -fsanitize=$sanitizer -fno-sanitize-recover=all program.c \
        -o sanitized -lm 2> /dev/null || exit 1
    timeout 10 ./sanitized > sanitized.out 2> /dev/null
    echo $? >> sanitized.out
    cmp -s sanitized.out right.out || exit 1
done
"#;

/// What the program does; a loop without end is nothing that can be compared.
const HONEST: &str = r#"#!/bin/sh
gcc -w -O0 program.c -o right -lm 2> /dev/null || exit 1
timeout 10 ./right > right.out
status=$?
test $status -lt 124 || exit 1
echo $status >> right.out
"#;

/// Another compiler takes the program.
const ACCEPTED: &str = r#"#!/bin/sh
gcc -w -O0 -c program.c -o right.o 2> /dev/null || exit 1
"#;

/// The compiler crashes with this text.
const BREAKS: &str = "\
COMPILER -w -c program.c -o wrong.o 2> said && exit 1
grep -q 'TEXT' said || exit 1";

/// The compiled program does something else.
const MISCOMPILES: &str = "\
COMPILER -w -c program.c -o wrong.o 2> /dev/null || exit 1
gcc -no-pie wrong.o -o wrong -lm || exit 1
timeout 10 ./wrong > wrong.out 2> /dev/null
status=$?
test $status -ne 124 || exit 1
echo $status >> wrong.out
cmp -s wrong.out right.out && exit 1";

/// What a reducer came to.
struct Outcome {
    time: Duration,
    /// Whether it ended by itself.
    complete: bool,
    text: String,
    /// What `farrier check` says of the result: nothing if it is defined.
    fault: String,
}

pub(super) fn run(
    limit: u64,
    only: Range<usize>,
    beside_cvise: bool,
    built: Option<&Path>,
) -> Result<bool> {
    let farrier = match built {
        Some(built) => built.canonicalize().context("there is no such program")?,
        None => dist::build()?,
    };
    let directory = repository::root().join("target/bench/reduce");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)?;
    let limit = Duration::from_secs(limit);
    print!("| case | farrier reduce, s | tokens | of test code |");
    println!(
        "{}",
        if beside_cvise { " cvise, s | tokens | its result | times faster |" } else { "" }
    );
    println!("|---|---|---|---|{}", if beside_cvise { "---|---|---|---|" } else { "" });
    let mut cases = Vec::new();
    let mut rows = Vec::new();
    for (number, case) in CASES.iter().enumerate().take(only.end).skip(only.start) {
        let case = showing(&farrier, &directory.join("seeds"), *case)?;
        cases.push(case);
        let place = directory.join(number.to_string());
        let ours = reduce(&farrier, &place.join("farrier"), case, limit, None)?;
        print!(
            "| {} | {}{:.1} | {} | {} |",
            case.name(),
            if ours.complete { "" } else { "> " },
            ours.time.as_secs_f64(),
            token_count(&ours.text),
            test_code(&ours.text),
        );
        let theirs = match beside_cvise {
            true => Some(cvise(&farrier, &place.join("cvise"), case, limit)?),
            false => None,
        };
        if let Some(theirs) = &theirs {
            print!(
                " {}{:.1} | {} | {} | {:.1} |",
                if theirs.complete { "" } else { "> " },
                theirs.time.as_secs_f64(),
                token_count(&theirs.text),
                if theirs.fault.is_empty() { "defined" } else { &theirs.fault },
                theirs.time.as_secs_f64() / ours.time.as_secs_f64(),
            );
        }
        println!();
        if !ours.fault.is_empty() {
            println!("farrier's own result is not defined: {}", ours.fault);
        }
        rows.push((case, ours, theirs));
    }
    let good = summary(&rows);
    let jobs = workers(&farrier, &directory, &cases[..cases.len().min(3)], limit)?;
    std::fs::remove_dir_all(&directory)?;
    Ok(good && jobs)
}

/// Says what all cases come to; whether that is as good as it should be.
fn summary(rows: &[(Case, Outcome, Option<Outcome>)]) -> bool {
    let mut times: Vec<f64> = rows.iter().map(|(_, ours, _)| ours.time.as_secs_f64()).collect();
    times.sort_by(f64::total_cmp);
    let planted = rows.iter().filter(|(case, ..)| case.is_planted());
    let largest = planted.map(|(_, ours, _)| test_code(&ours.text)).max().unwrap_or(0);
    let undefined = rows.iter().filter(|(_, ours, _)| !ours.fault.is_empty()).count();
    println!(
        "\nfarrier reduce: median {:.1} s, at most {:.1} s; at most {largest} tokens of test code \
         with planted faults (goal: fewer than {MOST_TOKENS}), {undefined} undefined",
        times[times.len() / 2],
        times[times.len() - 1],
    );
    let mut good = largest < MOST_TOKENS && undefined == 0;
    let mut ratios = Vec::new();
    let (mut larger, mut broken) = (0, 0);
    for (_, ours, theirs) in rows {
        let Some(theirs) = theirs else { continue };
        ratios.push(theirs.time.as_secs_f64() / ours.time.as_secs_f64());
        // What is not a defined program can be as small as one likes.
        match theirs.fault.is_empty() {
            true => larger += usize::from(token_count(&ours.text) > token_count(&theirs.text)),
            false => broken += 1,
        }
    }
    ratios.sort_by(f64::total_cmp);
    if !ratios.is_empty() {
        let median = ratios[ratios.len() / 2];
        println!(
            "beside cvise: median {median:.1} times faster, at least {:.1} (goal {GOAL}); {broken} \
             of its results are not defined programs, and {larger} of ours are larger than one of \
             the others",
            ratios[0]
        );
        good &= median >= GOAL && larger == 0;
    }
    good
}

/// Ten workers and two beside one.
fn workers(farrier: &Path, directory: &Path, cases: &[Case], limit: Duration) -> Result<bool> {
    const JOBS: [&str; 3] = ["1", "2", "10"];
    let mut sums = [Duration::ZERO; JOBS.len()];
    for (number, case) in cases.iter().enumerate() {
        for (sum, jobs) in sums.iter_mut().zip(JOBS) {
            let place = directory.join(format!("jobs-{jobs}-{number}"));
            *sum += reduce(farrier, &place, *case, limit, Some(jobs))?.time;
        }
    }
    let [one, two, ten] = sums.map(|sum| sum.as_secs_f64());
    println!(
        "the first {} cases with --jobs 1: {one:.1} s, with 2: {two:.1} s, with 10: {ten:.1} s",
        cases.len()
    );
    // The noise of a busy machine is no loss.
    Ok(ten <= one * 1.1)
}

/// Makes the directory of a case, with its program.
fn prepare(farrier: &Path, place: &Path, case: Case) -> Result<PathBuf> {
    std::fs::create_dir_all(place)?;
    let program = place.join("program.c");
    let status = Command::new(farrier)
        .args(["gen", "--seed", &case.seed.to_string()])
        .args(case.recipe)
        .arg("-o")
        .arg(&program)
        .status()?;
    ensure!(status.success(), "farrier gen fails on seed {}", case.seed);
    Ok(program)
}

fn limits(time: Duration) -> Limits {
    Limits { time, stdout_bytes: 64 << 20, stderr_bytes: 64 << 20 }
}

fn reduce(
    farrier: &Path,
    place: &Path,
    case: Case,
    limit: Duration,
    jobs: Option<&str>,
) -> Result<Outcome> {
    let program = prepare(farrier, place, case)?;
    let mut command = Command::new(farrier);
    command.args(["reduce", "--subject", &case.command()]);
    command.args(jobs.map(|jobs| ["--jobs", jobs]).into_iter().flatten());
    command.arg(&program).current_dir(place);
    let started = Instant::now();
    let finished = farrier_harness::run(&mut command, b"", &limits(limit))?;
    let time = started.elapsed();
    let complete = match finished.ending {
        ProcessEnding::TimedOut => false,
        ProcessEnding::Exited(status) if status.success() => true,
        other => {
            let said = String::from_utf8_lossy(&finished.stderr);
            anyhow::bail!("{}: farrier reduce fails: {other:?}: {said}", case.name())
        }
    };
    result(farrier, &program, time, complete)
}

fn cvise(farrier: &Path, place: &Path, case: Case, limit: Duration) -> Result<Outcome> {
    let program = prepare(farrier, place, case)?;
    let before = token_count(&std::fs::read_to_string(&program)?);
    let script = place.join("interesting.sh");
    write_script(&script, &case.script())?;
    let scratch = place.join("tmp");
    std::fs::create_dir_all(&scratch)?;
    let mut command = Command::new("cvise");
    command.args(["--timeout", "30", "--no-give-up"]).arg(&script).arg("program.c");
    // What it leaves behind when it is stopped goes with the directory.
    command.current_dir(place).env("TMPDIR", &scratch);
    let started = Instant::now();
    let finished = farrier_harness::run(&mut command, b"", &limits(limit))
        .context("cvise cannot be started; install the package cvise")?;
    let time = started.elapsed();
    let complete = match finished.ending {
        ProcessEnding::TimedOut => false,
        ProcessEnding::Exited(status) if status.success() => true,
        other => {
            let said = String::from_utf8_lossy(&finished.stderr);
            anyhow::bail!("{}: cvise fails: {other:?}: {said}", case.name())
        }
    };
    let outcome = result(farrier, &program, time, complete)?;
    // It says nothing when its script refuses the program that it begins with.
    let idle = complete && token_count(&outcome.text) == before;
    ensure!(!idle, "{}: cvise changes nothing", case.name());
    Ok(outcome)
}

/// The case, with the first seed at which a planted fault shows. A real finding has its seed.
fn showing(farrier: &Path, place: &Path, case: Case) -> Result<Case> {
    std::fs::create_dir_all(place)?;
    let script = place.join("shows.sh");
    write_script(&script, &[HONEST, &case.wrong(), "exit 0\n"].concat())?;
    let seeds = if case.is_planted() { 10 } else { 1 };
    for seed in case.seed..case.seed + seeds {
        let case = Case { seed, ..case };
        prepare(farrier, place, case)?;
        let shows = Command::new(&script).current_dir(place).status()?.success();
        std::fs::remove_file(place.join("program.c"))?;
        if shows {
            return Ok(case);
        }
    }
    ensure!(case.is_planted(), "{} no longer shows anything: choose another", case.name());
    anyhow::bail!("{} shows nothing, nor do the nine seeds after it", case.name())
}

fn write_script(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text)?;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?)
}

fn result(farrier: &Path, program: &Path, time: Duration, complete: bool) -> Result<Outcome> {
    let text = std::fs::read_to_string(program)?;
    let check = Command::new(farrier).arg("check").arg(program).output()?;
    let said = String::from_utf8_lossy(&check.stderr);
    let mut fault = String::new();
    // A program may exit with any status of its own, so it is the words that count.
    if let Some(line) = said.lines().find(|line| line.starts_with("error")) {
        write!(fault, "{}", line.replace('|', "\\|"))?;
    }
    Ok(Outcome { time, complete, text, fault })
}

/// The tokens of the test code: all but the declaration of `printf` and the frame of `main`.
fn test_code(text: &str) -> usize {
    let text = text.replace("int printf(const char *, ...);", "");
    let frame = token_count("int main(void) { }");
    token_count(&text).saturating_sub(frame)
}
