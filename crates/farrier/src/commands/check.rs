//! `farrier check`: runs a program in the abstract machine.

use std::io::Write;

use farrier_front::{Diagnostic, Failure, Note, Reason};
use farrier_lang::{Program, Span};
use farrier_machine::{At, Ending, Limit, Options, Ub, Verdict};

use crate::cli::CheckArguments;
use crate::diagnostics::Talk;
use crate::{Status, load, output};

/// The most calls that a message lists.
const MAX_CALLS: usize = 10;

/// Runs the command.
pub(crate) fn run(arguments: &CheckArguments, talk: Talk) -> anyhow::Result<Status> {
    let program = load::program(&arguments.program, talk)?;
    let options = Options {
        steps: arguments.steps,
        memory: arguments.memory << 20,
        strict_aliasing: !arguments.no_strict_aliasing,
        ..Options::default()
    };
    let run = farrier_machine::run(&program, &options);
    output::write(None, &run.output)?;
    std::io::stdout().flush()?;
    Ok(report(&program, &run.verdict, talk))
}

fn report(program: &Program, verdict: &Verdict, talk: Talk) -> Status {
    match verdict {
        Verdict::Defined(behavior) => {
            let ending = match behavior.ending {
                Ending::Exit(status) => format!("exit status {}", status & 0xff),
                Ending::Abort => "abort".to_owned(),
            };
            talk.note(&format!("defined: {ending}, {} operations", behavior.steps));
            Status::Fine
        }
        Verdict::Undefined(ub) => {
            talk.finding(&undefined(program, ub));
            Status::Found
        }
        Verdict::Unspecified(found) => {
            let message =
                format!("unspecified behaviour ({}): {}", found.cause.name(), found.message);
            talk.finding(&failure(program, message, found.at, Vec::new(), None));
            Status::Found
        }
        Verdict::Unsupported(found) => {
            let message = format!("unsupported: {}", found.feature);
            let help = "the program may be right or wrong: Farrier cannot tell".to_owned();
            talk.finding(&failure(program, message, found.at, Vec::new(), Some(help)));
            Status::Failed
        }
        Verdict::Exhausted(limit) => {
            talk.note(&match limit {
                Limit::Steps(steps) => {
                    format!("gave up after {steps} operations; allow more with --steps")
                }
                Limit::Memory(bytes) => {
                    format!("gave up at {bytes} bytes of memory; allow more with --memory")
                }
                Limit::Depth(depth) => format!("gave up at {depth} nested calls"),
                Limit::Output(bytes) => format!("gave up after {bytes} bytes of output"),
            });
            Status::GaveUp
        }
    }
}

fn undefined(program: &Program, ub: &Ub) -> Failure {
    let message = format!("undefined behaviour ({}): {}", ub.kind.name(), ub.message);
    let mut notes: Vec<Note> = ub
        .related
        .iter()
        .map(|(at, label)| Note { span: span(program, *at), label: label.clone() })
        .collect();
    for call in ub.stack.iter().take(MAX_CALLS) {
        let name = program.text(program[call.function].name);
        if call.from != At::Nowhere {
            let label = format!("in `{name}`, called here");
            notes.push(Note { span: span(program, call.from), label });
        }
    }
    let help = format!("C11 {}: {}", ub.kind.clause(), ub.kind.rule());
    failure(program, message, ub.at, notes, Some(help))
}

fn span(program: &Program, at: At) -> Span {
    at.span(program).unwrap_or_default()
}

fn failure(
    program: &Program,
    message: String,
    at: At,
    notes: Vec<Note>,
    help: Option<String>,
) -> Failure {
    Failure {
        sources: program.sources.clone(),
        diagnostic: Diagnostic {
            reason: Reason::Constraint,
            message,
            span: span(program, at),
            label: String::new(),
            notes,
            help,
        },
    }
}
