//! What `farrier check --format json` prints.

use farrier_lang::Program;
use farrier_machine::{At, Ending, Fault, Leak, Limit, Rule, Run, Verdict};
use serde::Serialize;

use super::gave_up;
use super::sarif::unspecified_id;
use crate::terminal::{Location, locate};

/// The whole document. Fields may be added, but none changes its meaning.
#[derive(Serialize)]
pub(super) struct Document {
    /// What the program wrote, with U+FFFD for what is not UTF-8.
    pub(super) output: String,
    /// The bytes that the program wrote, if `output` does not say all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_bytes: Option<Vec<u8>>,
    #[serde(flatten)]
    pub(super) verdict: Report,
    /// Memory that was lost, with `--leaks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) leaks: Vec<Lost>,
    /// What came after the first fault, with `--keep-going`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) later: Vec<Later>,
}

/// Memory that was lost at one place.
#[derive(Serialize)]
pub(super) struct Lost {
    pub(super) message: String,
    pub(super) location: Option<Location>,
    count: u64,
    bytes: u64,
}

/// A fault after another.
#[derive(Serialize)]
pub(super) struct Later {
    /// The rule: the name of a kind of undefined behaviour, or `unspecified-` and a cause.
    pub(super) rule: String,
    pub(super) message: String,
    pub(super) location: Option<Location>,
}

/// What there is to say of lost memory.
pub(super) fn leaked(leak: &Leak) -> String {
    let Leak { count, bytes, .. } = leak;
    let s = |number: &u64| if *number == 1 { "" } else { "s" };
    match count {
        1 => format!("leak: {bytes} byte{} are never freed", s(bytes)),
        _ => format!("leak: {bytes} bytes in {count} blocks are never freed"),
    }
}

/// The verdict; its name is the field `verdict`.
#[derive(Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub(super) enum Report {
    Defined {
        /// `None` if the program aborted.
        exit_status: Option<i32>,
        operations: u64,
        volatile_accesses: u64,
        /// In hexadecimal: JSON numbers of 64 bits are not safe everywhere.
        volatile_hash: String,
    },
    Undefined {
        kind: &'static str,
        message: String,
        rule: &'static str,
        clause: &'static str,
        /// Items of Annex J.2, as docs/reference/ub-catalogue.md counts them.
        annex_j2: &'static [u16],
        location: Option<Location>,
        related: Vec<Related>,
        /// Innermost first.
        stack: Vec<Call>,
    },
    Unspecified {
        cause: &'static str,
        message: String,
        location: Option<Location>,
    },
    Unsupported {
        feature: String,
        location: Option<Location>,
    },
    Exhausted {
        limit: &'static str,
        value: u64,
        message: String,
    },
}

/// Another place that matters.
#[derive(Serialize)]
pub(super) struct Related {
    pub(super) message: String,
    pub(super) location: Option<Location>,
}

/// An active call.
#[derive(Serialize)]
pub(super) struct Call {
    pub(super) function: String,
    /// Where it was called; `None` for `main`.
    pub(super) called_from: Option<Location>,
}

pub(super) fn document(program: &Program, run: &Run, later: &[Fault]) -> Document {
    let location = |at: At| locate(&program.sources, at.span(program)?);
    let lost = |leak: &Leak| Lost {
        message: leaked(leak),
        location: location(leak.at),
        count: leak.count,
        bytes: leak.bytes,
    };
    let fault = |fault: &Fault| Later {
        rule: match fault.rule {
            Rule::Undefined(kind) => kind.name().to_owned(),
            Rule::Unspecified(cause) => unspecified_id(cause.name()),
        },
        message: fault.message.clone(),
        location: location(fault.at),
    };
    let output = String::from_utf8_lossy(&run.output);
    let exact = output.as_bytes() == run.output;
    Document {
        output_bytes: (!exact).then(|| run.output.clone()),
        output: output.into_owned(),
        verdict: report(program, &run.verdict),
        leaks: run.leaks.iter().map(lost).collect(),
        later: later.iter().map(fault).collect(),
    }
}

fn report(program: &Program, verdict: &Verdict) -> Report {
    let location = |at: At| locate(&program.sources, at.span(program)?);
    match verdict {
        Verdict::Defined(behavior) => Report::Defined {
            exit_status: match behavior.ending {
                Ending::Exit(status) => Some(status & 0xff),
                Ending::Abort => None,
            },
            operations: behavior.steps,
            volatile_accesses: behavior.volatile_accesses,
            volatile_hash: format!("{:016x}", behavior.volatile_hash),
        },
        Verdict::Undefined(ub) => Report::Undefined {
            kind: ub.kind.name(),
            message: ub.message.clone(),
            rule: ub.kind.rule(),
            clause: ub.kind.clause(),
            annex_j2: ub.kind.annex(),
            location: location(ub.at),
            related: ub
                .related
                .iter()
                .map(|(at, message)| Related { message: message.clone(), location: location(*at) })
                .collect(),
            stack: ub
                .stack
                .iter()
                .map(|call| Call {
                    function: program.text(program[call.function].name).to_owned(),
                    called_from: location(call.from),
                })
                .collect(),
        },
        Verdict::Unspecified(found) => Report::Unspecified {
            cause: found.cause.name(),
            message: found.message.clone(),
            location: location(found.at),
        },
        Verdict::Unsupported(found) => {
            Report::Unsupported { feature: found.feature.clone(), location: location(found.at) }
        }
        Verdict::Exhausted(limit) => {
            let (name, value) = match *limit {
                Limit::Steps(steps) => ("steps", steps),
                Limit::Memory(bytes) => ("memory", bytes),
                Limit::Depth(depth) => ("depth", depth as u64),
                Limit::Output(bytes) => ("output", bytes as u64),
            };
            Report::Exhausted { limit: name, value, message: gave_up(*limit) }
        }
    }
}
