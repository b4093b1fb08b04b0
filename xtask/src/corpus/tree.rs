//! One program of a corpus, as gcc and the front end read it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use farrier_front::{Failure, Options, Reason};
use farrier_harness::Finished;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Program, SourceText};

use super::process::run;
use super::{Case, write};

const COMPILE_LIMIT: Duration = Duration::from_secs(60);

/// What the front end makes of a case.
#[derive(Debug)]
pub(crate) enum Parsed {
    Program(Box<Program>),
    /// The front end says that it does not read this.
    Refused {
        reason: Reason,
        message: String,
    },
    /// A bug of the front end.
    Panic(String),
}

/// How the front end reads a case.
pub(super) fn options(case: &Case) -> Options {
    Options { target: &X86_64_LINUX, dialect: case.dialect, permissive: case.permissive }
}

/// Preprocesses and parses a case.
pub(crate) fn parse(case: &Case) -> Result<Parsed> {
    let mut inputs = Vec::new();
    for source in &case.sources {
        let preprocessed = gcc(case, &["-E".into(), source.into()])?;
        let Ok(text) = String::from_utf8(preprocessed.stdout) else {
            let message = "the text is not UTF-8".into();
            return Ok(Parsed::Refused { reason: Reason::Syntax, message });
        };
        write(&case.directory.join(format!("original{}.i", inputs.len())), text.as_bytes())?;
        inputs.push(SourceText::new(source.display().to_string(), text));
    }
    Ok(match guarded(|| farrier_front::parse(&inputs, &options(case))) {
        Err(panic) => Parsed::Panic(panic),
        Ok(Err(failure)) => {
            Parsed::Refused { reason: failure.diagnostic.reason, message: describe(&failure) }
        }
        Ok(Ok(program)) => Parsed::Program(Box::new(program)),
    })
}

/// A refusal in one line: file and line, then the message. The file is named without
/// its directory, which differs from machine to machine.
pub(super) fn describe(failure: &Failure) -> String {
    let message = &failure.diagnostic.message;
    match failure.sources.place(failure.diagnostic.span) {
        Some(place) => {
            let file = Path::new(place.file).file_name().unwrap_or_default().display();
            format!("{file}:{}: {message}", place.line)
        }
        None => message.clone(),
    }
}

/// Compiles `sources` as the case asks, with one more option.
pub(crate) fn compile(
    case: &Case,
    option: &str,
    sources: &[PathBuf],
    executable: &Path,
) -> Result<Finished> {
    let mut arguments: Vec<PathBuf> = vec![option.into()];
    arguments.extend_from_slice(sources);
    arguments.extend(["-o".into(), executable.into(), "-lm".into()]);
    gcc(case, &arguments)
}

fn gcc(case: &Case, arguments: &[PathBuf]) -> Result<Finished> {
    let mut command = Command::new("gcc");
    command.args(["-w"]).args(&case.flags).args(arguments).env("LC_ALL", "C");
    run(&mut command, &case.directory, COMPILE_LIMIT)
}

thread_local! {
    /// The message and place of the last panic of this thread.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic is kept for [`guarded`] and not printed.
pub(crate) fn catch_panics() {
    std::panic::set_hook(Box::new(|information| {
        LAST_PANIC.set(information.to_string().replace('\n', " "));
    }));
}

/// The result of `work`, or the panic in it: a bug in the code under test must not end
/// the run.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST_PANIC.take())
}
