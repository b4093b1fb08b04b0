//! `farrier reduce`: makes a program smaller while it stays interesting.

mod test;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use farrier_front::Input;
use farrier_harness::Scratch;
use farrier_lang::Program;
use farrier_lang::print::{PrintOptions, print};
use farrier_machine::{Options as Machine, Verdict};
use farrier_synth::reduce::{Candidate, Hopeless, Judge, Options, Progress, Reduced, reduce};

use crate::cli::{ProgramArguments, ReduceArguments};
use crate::diagnostics::Talk;
use crate::{Status, load, output};
use test::{Answer, Test};

/// How often the line of progress is written.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Runs the command.
pub(crate) fn run(arguments: &ReduceArguments, talk: Talk) -> anyhow::Result<Status> {
    let (test, file) = match (&arguments.subject, &arguments.paths[..]) {
        (Some(command), [file]) => {
            (Test::subject(command, arguments.target, arguments.timeout)?, file)
        }
        (Some(_), _) => bail!("with --subject there is no TEST: name the C file alone"),
        (None, [test, file]) => (Test::script(test, file, arguments.timeout)?, file),
        (None, _) => bail!("name a test before the C file, or a compiler with --subject"),
    };
    let program = load::program(&program_arguments(arguments, file), talk)?;
    let before = fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    // What a reduction that was killed has left behind; that there may be nothing is fine.
    let _ = Scratch::sweep(&std::env::temp_dir());
    refuse_bad_tests(&test, file, &before)?;
    let reread = |program: &Program| parse(arguments, &text_of(program));
    let jobs = arguments
        .jobs
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let options = Options {
        machine: Machine { steps: arguments.steps, ..Machine::default() },
        check_undefined: !arguments.no_ub_check,
        width: jobs,
        reread: Some(&reread),
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("cannot listen to signals")?;
    }
    let mut judge = Reduction {
        test: &test,
        file,
        before: &before,
        stop: &stop,
        started: Instant::now(),
        written: None,
        bytes: before.len(),
        trouble: None,
        terminal: io::stderr().is_terminal(),
    };
    let result = reduce(&program, &mut judge, &options);
    judge.end_line();
    if let Some(trouble) = judge.trouble.take() {
        return Err(trouble);
    }
    match result {
        Ok(reduced) => {
            talk.note(&summary(&judge, &reduced));
            Ok(if reduced.complete { Status::Fine } else { Status::GaveUp })
        }
        Err(hopeless) => Err(explain(&hopeless, file)),
    }
}

/// The arguments with which a program is loaded.
fn program_arguments(arguments: &ReduceArguments, file: &Path) -> ProgramArguments {
    ProgramArguments {
        files: vec![file.to_owned()],
        standard: arguments.standard,
        target: arguments.target,
        include_dirs: arguments.include_dirs.clone(),
        defines: arguments.defines.clone(),
        undefines: Vec::new(),
        cc: arguments.cc.clone(),
        preprocessed: false,
        permissive: arguments.permissive,
    }
}

fn text_of(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// A program as its text reads. Printed programs need no preprocessor.
fn parse(arguments: &ReduceArguments, text: &str) -> Option<Program> {
    let input = Input { name: "candidate.c".into(), text: text.into() };
    let options = farrier_front::Options {
        target: arguments.target,
        dialect: arguments.standard.dialect(),
        permissive: arguments.permissive,
    };
    farrier_front::parse(&[input], &options).ok()
}

/// A script must accept the file as it is, and must not accept everything.
fn refuse_bad_tests(test: &Test, file: &Path, before: &[u8]) -> anyhow::Result<()> {
    if !test.is_script() {
        return Ok(());
    }
    if test.run(before, None)? != Answer::Interesting {
        bail!("the test does not accept `{}` as it is: it must exit with 0", file.display());
    }
    if test.run(b"", None)? == Answer::Interesting {
        bail!("the test accepts an empty file, so there is nothing to keep");
    }
    Ok(())
}

fn explain(hopeless: &Hopeless, file: &Path) -> anyhow::Error {
    let file = file.display();
    match hopeless {
        Hopeless::Unreadable => {
            anyhow::anyhow!("`{file}` cannot be printed and read again: this is a bug in Farrier")
        }
        Hopeless::Undefined(verdict) => {
            let what = match &**verdict {
                Verdict::Undefined(ub) => {
                    format!("is undefined ({}): {}", ub.kind.name(), ub.message)
                }
                Verdict::Unspecified(found) => format!("has no one meaning: {}", found.message),
                Verdict::Unsupported(found) => {
                    format!("uses what the machine does not model: {}", found.feature)
                }
                Verdict::Exhausted(_) => "takes too long in the machine; see --steps".to_owned(),
                Verdict::Defined(_) => "is defined".to_owned(),
            };
            anyhow::anyhow!(
                "`{file}` {what}; `farrier check` shows where, \
                 --no-ub-check reduces it all the same"
            )
        }
        Hopeless::Boring => anyhow::anyhow!(
            "there is nothing to keep: the test does not fail on `{file}` as Farrier prints it"
        ),
        Hopeless::Flaky => {
            anyhow::anyhow!("the test is not reliable: it said yes and then no to the same program")
        }
        Hopeless::Stopped => anyhow::anyhow!("interrupted before anything was found"),
    }
}

fn summary(judge: &Reduction<'_>, reduced: &Reduced) -> String {
    let Progress { judged, undefined, .. } = reduced.progress;
    format!(
        "{} from {} to {} bytes ({}) with {judged} tests, {undefined} undefined candidates \
         left out, in {:.1} s",
        if reduced.complete { "reduced" } else { "interrupted: reduced" },
        judge.before.len(),
        judge.bytes,
        percent(judge.before.len(), judge.bytes),
        judge.started.elapsed().as_secs_f64()
    )
}

fn percent(before: usize, after: usize) -> String {
    format!("{:+.1} %", (after as f64 / before.max(1) as f64 - 1.0) * 100.0)
}

/// A reduction that goes on.
struct Reduction<'a> {
    test: &'a Test,
    file: &'a Path,
    before: &'a [u8],
    stop: &'a AtomicBool,
    started: Instant,
    /// When the line of progress was written.
    written: Option<Instant>,
    /// The size of the best so far.
    bytes: usize,
    /// What keeps us from going on.
    trouble: Option<anyhow::Error>,
    terminal: bool,
}

impl Reduction<'_> {
    fn end_line(&self) {
        if self.terminal && self.written.is_some() {
            // Nobody can be told that nobody can be told.
            let _ = writeln!(io::stderr());
        }
    }

    fn save(&mut self, text: &str) -> anyhow::Result<()> {
        let original = original_path(self.file);
        if !original.exists() {
            output::write(Some(&original), self.before)?;
        }
        output::write(Some(self.file), text.as_bytes())
    }
}

/// Where the original is kept.
fn original_path(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(".orig");
    name.into()
}

impl Judge for Reduction<'_> {
    fn judge(&mut self, candidates: &[Candidate]) -> Option<Vec<bool>> {
        if self.stop.load(Ordering::Relaxed) || self.trouble.is_some() {
            return None;
        }
        let ask = |candidate: &Candidate| {
            self.test.run(text_of(candidate.program()).as_bytes(), candidate.behavior())
        };
        let answers: Vec<anyhow::Result<Answer>> = match candidates {
            [one] => vec![ask(one)],
            _ => std::thread::scope(|scope| {
                let threads: Vec<_> = candidates
                    .iter()
                    .map(|candidate| {
                        std::thread::Builder::new()
                            .stack_size(farrier_lang::STACK_BYTES)
                            .spawn_scoped(scope, || ask(candidate))
                    })
                    .collect();
                threads
                    .into_iter()
                    .map(|thread| match thread.map(|thread| thread.join()) {
                        Ok(Ok(answer)) => answer,
                        Ok(Err(_)) => Err(anyhow::anyhow!("a test panicked")),
                        Err(error) => Err(anyhow::Error::new(error).context("no more threads")),
                    })
                    .collect()
            }),
        };
        let mut verdicts = Vec::new();
        for answer in answers {
            match answer {
                Ok(answer) => verdicts.push(answer == Answer::Interesting),
                Err(error) => {
                    self.trouble = Some(error);
                    return None;
                }
            }
        }
        Some(verdicts)
    }

    fn accept(&mut self, best: &Candidate, progress: &Progress) {
        let text = text_of(best.program());
        self.bytes = text.len();
        if let Err(error) = self.save(&text) {
            self.trouble = Some(error);
        }
        self.tick(progress);
    }

    fn tick(&mut self, progress: &Progress) -> bool {
        let go_on = !self.stop.load(Ordering::Relaxed) && self.trouble.is_none();
        let now = Instant::now();
        let recent = self.written.is_some_and(|written| now - written < PROGRESS_INTERVAL);
        if !self.terminal || recent {
            return go_on;
        }
        self.written = Some(now);
        let _ = write!(
            io::stderr(),
            "\r{} bytes ({}), {} tests, {} undefined, {:.0} s, {:<20}",
            self.bytes,
            percent(self.before.len(), self.bytes),
            progress.judged,
            progress.undefined,
            self.started.elapsed().as_secs_f64(),
            progress.pass
        );
        go_on
    }
}
