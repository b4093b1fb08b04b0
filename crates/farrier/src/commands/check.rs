//! `farrier check`: runs a program in the abstract machine.

mod document;
mod profile;
mod sarif;
mod trace;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::Context;
use farrier_lang::{Program, Span};
use farrier_machine::{
    At, Collected, Ending, Fault, Leak, Limit, Options, Rule, Run, Ub, Verdict, Watch,
};
use serde::Serialize;

use crate::cli::{CheckArguments, Format};
use crate::commands::load;
use crate::terminal::{Report, Talk};
use crate::{Status, output};

/// The most calls that a message lists.
const MAX_CALLS: usize = 10;

/// The status of a program that SIGABRT ends, as shells say it.
const ABORTED: i32 = 134;

/// Runs the command.
pub(crate) fn run(arguments: &CheckArguments, talk: Talk) -> anyhow::Result<Status> {
    let input = match &arguments.stdin {
        Some(path) => load::data(path, &arguments.program)?,
        None => Vec::new(),
    };
    let files = arguments.file.iter().map(|given| {
        let (name, path) = split(given.as_bytes());
        let path = Path::new(OsStr::from_bytes(path.unwrap_or(name)));
        Ok((name.to_vec(), load::data(path, &arguments.program)?))
    });
    let files = files.collect::<anyhow::Result<_>>()?;
    let environment = arguments.env.iter().map(|given| {
        let (name, value) = split(given.as_bytes());
        (name.to_vec(), value.unwrap_or_default().to_vec())
    });
    let program = load::program(&arguments.program, talk)?;
    let defaults = Options::default();
    let given = arguments.args.iter().map(|argument| argument.as_bytes().to_vec());
    let options = Options {
        steps: arguments.steps,
        memory: arguments.memory.saturating_mul(1 << 20),
        strict_aliasing: !arguments.no_strict_aliasing,
        arguments: defaults.arguments.iter().cloned().chain(given).collect(),
        input,
        files: Some(files),
        environment: environment.collect(),
        time: arguments.time,
        glibc_random: arguments.glibc_rand,
        leaks: arguments.leaks,
        profile: arguments.profile.is_some().then(Watch::everything),
        ..defaults
    };
    let run = match arguments.trace {
        true => farrier_machine::observe(&program, &options, &mut trace::observer(&program, talk)),
        false => farrier_machine::run(&program, &options),
    };
    if arguments.keep_going && status(&run.verdict) == Status::Found {
        return keep_going(arguments, &program, run, &options, talk);
    }
    // First of all, so that nothing is reported if it cannot be written.
    if let Some(path) = &arguments.profile {
        let profile = run.profile.as_ref().context("there is no profile: nothing was run")?;
        let document = profile::document(&program, &run, profile)?;
        output::write(Some(path), document.as_bytes())?;
    }
    let status = if run.leaks.is_empty() { status(&run.verdict) } else { Status::Found };
    match arguments.format {
        Format::Human => {
            output::write(None, &run.output)?;
            run.leaks.iter().for_each(|leak| talk.report(&lost(&program, leak), &program.sources));
            report(&program, &run.verdict, talk);
        }
        Format::Json => print(&document::document(&program, &run, &[]))?,
        Format::Sarif => {
            print(&sarif::log(&document::document(&program, &run, &[]), status as u8))?;
        }
    }
    if status == Status::Found {
        return Ok(status);
    }
    if let (true, Verdict::Defined(behavior)) = (arguments.exit_status, &run.verdict) {
        let status = match behavior.ending {
            Ending::Exit(status) => status & 0xff,
            Ending::Abort => ABORTED,
        };
        std::process::exit(status);
    }
    // The process ends: taking the program apart first would be a waste of time.
    std::mem::forget(program);
    Ok(status)
}

/// Reports a fault that a strict run has found, and those that a run finds that goes on.
fn keep_going(
    arguments: &CheckArguments,
    program: &Program,
    first: Run,
    options: &Options,
    talk: Talk,
) -> anyhow::Result<Status> {
    let Collected { output, faults, stopped, .. } = farrier_machine::collect(program, options);
    // The first one is that of the strict run, which says more about it.
    let later = faults.get(1..).unwrap_or_default();
    let run = Run { output, ..first };
    match arguments.format {
        Format::Human => {
            output::write(None, &run.output)?;
            report(program, &run.verdict, talk);
            for fault in later {
                talk.report(&collected(program, fault), &program.sources);
            }
            talk.note(&match (faults.len(), &stopped) {
                (1, None) => "1 fault, then the program ended".to_owned(),
                (count, None) => format!(
                    "{count} faults, then the program ended; those after the first may be \
                     consequences of it"
                ),
                (count, Some(Verdict::Exhausted(limit))) => {
                    format!("{count} faults; {}", gave_up(*limit))
                }
                (count, Some(Verdict::Unsupported(found))) => {
                    format!("{count} faults; then it could not go on: {}", found.feature)
                }
                (count, Some(_)) => format!("{count} faults; it cannot go on after the last"),
            });
        }
        Format::Json => print(&document::document(program, &run, later))?,
        Format::Sarif => {
            let document = document::document(program, &run, later);
            print(&sarif::log(&document, Status::Found as u8))?;
        }
    }
    Ok(Status::Found)
}

/// The name of a rule, and what was said when it was broken.
fn broken(rule: Rule) -> (String, Option<String>) {
    match rule {
        Rule::Undefined(kind) => (
            format!("undefined behaviour ({})", kind.name()),
            Some(format!("{}: {}", kind.citation(), kind.rule())),
        ),
        Rule::Unspecified(cause) => (format!("unspecified behaviour ({})", cause.name()), None),
    }
}

fn collected(program: &Program, fault: &Fault) -> Report {
    let (what, help) = broken(fault.rule);
    let message = format!("{what}: {}", fault.message);
    Report { message, marks: vec![mark(program, fault.at, String::new())], help }
}

fn lost(program: &Program, leak: &Leak) -> Report {
    let message = document::leaked(leak);
    let marks = vec![mark(program, leak.at, "allocated here".to_owned())];
    let help = "no pointer to it is left at the end; `free` it before the last one goes".to_owned();
    Report { message, marks, help: Some(help) }
}

/// What is before the first `=`, and what is after it.
fn split(given: &[u8]) -> (&[u8], Option<&[u8]>) {
    match given.iter().position(|byte| *byte == b'=') {
        Some(at) => (&given[..at], Some(&given[at + 1..])),
        None => (given, None),
    }
}

fn print(document: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(document)? + "\n";
    output::write(None, text.as_bytes())
}

/// What the exit status says of a verdict.
pub(super) fn status(verdict: &Verdict) -> Status {
    match verdict {
        Verdict::Defined(_) => Status::Fine,
        Verdict::Undefined(_) | Verdict::Unspecified(_) => Status::Found,
        Verdict::Unsupported(_) => Status::Failed,
        Verdict::Exhausted(_) => Status::GaveUp,
    }
}

/// Tells the user a verdict.
pub(super) fn report(program: &Program, verdict: &Verdict, talk: Talk) {
    match verdict {
        Verdict::Defined(behavior) => {
            let ending = match behavior.ending {
                Ending::Exit(status) => format!("exit status {}", status & 0xff),
                Ending::Abort => "abort".to_owned(),
            };
            talk.note(&format!("defined: {ending}, {} operations", behavior.steps));
        }
        Verdict::Undefined(ub) => talk.report(&undefined(program, ub), &program.sources),
        Verdict::Unspecified(found) => {
            let message =
                format!("unspecified behaviour ({}): {}", found.cause.name(), found.message);
            let marks = vec![mark(program, found.at, String::new())];
            talk.report(&Report { message, marks, help: None }, &program.sources);
        }
        Verdict::Unsupported(found) => {
            let message = format!("unsupported: {}", found.feature);
            let marks = vec![mark(program, found.at, String::new())];
            let help = Some("the program may be right or wrong: Farrier cannot tell".to_owned());
            talk.report(&Report { message, marks, help }, &program.sources);
        }
        Verdict::Exhausted(limit) => talk.note(&gave_up(*limit)),
    }
}

fn gave_up(limit: Limit) -> String {
    match limit {
        Limit::Steps(steps) => {
            format!("gave up after {steps} operations; allow more with --steps")
        }
        Limit::Memory(bytes) => {
            format!("gave up at {bytes} bytes of memory; allow more with --memory")
        }
        Limit::Depth(depth) => format!("gave up at {depth} nested calls"),
        Limit::Output(bytes) => format!("gave up after {bytes} bytes of output"),
    }
}

fn undefined(program: &Program, ub: &Ub) -> Report {
    let message = format!("undefined behaviour ({}): {}", ub.kind.name(), ub.message);
    let mut marks = vec![mark(program, ub.at, String::new())];
    marks.extend(ub.related.iter().map(|(at, label)| mark(program, *at, label.clone())));
    for call in ub.stack.iter().take(MAX_CALLS) {
        let name = program.text(program[call.function].name);
        if call.from != At::Nowhere {
            marks.push(mark(program, call.from, format!("in `{name}`, called here")));
        }
    }
    let help = Some(format!("{}: {}", ub.kind.citation(), ub.kind.rule()));
    Report { message, marks, help }
}

fn mark(program: &Program, at: At, label: String) -> (Span, String) {
    (at.span(program).unwrap_or_default(), label)
}
