//! `farrier doctor`: what this machine lacks, and what to do about it.

use std::fmt::Write as _;

use farrier_harness::{Discovery, Isolation, Protection, Runner, Sandbox, advice, free_space};
use farrier_lang::target::TARGETS;
use serde::Serialize;

use crate::cli::DoctorArguments;
use crate::host::{find_again, sandbox};
use crate::{Status, output};

/// Less free space than this soon becomes a full disk.
const LEAST_SPACE: u64 = 1 << 30;

/// The findings.
#[derive(Serialize)]
struct Report {
    isolation: Isolation,
    checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    what: String,
    fine: bool,
    /// Whether it is only worth knowing.
    note: bool,
    /// What there is.
    found: String,
    /// What to do if it is not fine.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &DoctorArguments) -> anyhow::Result<Status> {
    let sandbox = sandbox()?;
    let base = std::env::temp_dir();
    let found = find_again(&sandbox, &base)?;
    let isolation = sandbox.isolation().clone();
    let mut checks = protections(&isolation);
    checks.extend(compilers(&found));
    checks.extend(device(&found, &sandbox));
    let space = free_space(&base)?;
    checks.push(Check {
        what: format!("space in {}", base.display()),
        fine: space >= LEAST_SPACE,
        note: false,
        found: format!("{} MiB free", space >> 20),
        advice: (space < LEAST_SPACE).then(|| "set TMPDIR to a directory with more".to_owned()),
    });
    let fine = checks.iter().all(|check| check.fine);
    let report = Report { isolation, checks };
    let text =
        if arguments.json { serde_json::to_string_pretty(&report)? + "\n" } else { human(&report) };
    output::write(None, text.as_bytes())?;
    Ok(if fine { Status::Fine } else { Status::Found })
}

fn protections(isolation: &Isolation) -> Vec<Check> {
    [
        (
            "Landlock",
            &isolation.landlock,
            "use Linux 6.12 or newer; without it programs can write outside their directory",
        ),
        (
            "seccomp",
            &isolation.seccomp,
            "allow seccomp filters; without them programs can reach the network and leave \
             processes behind",
        ),
        ("subreaper", &isolation.subreaper, "use Linux; without it dead processes may gather"),
    ]
    .into_iter()
    .map(|(what, protection, help)| {
        let (fine, found) = match protection {
            Protection::Full => (true, "works".to_owned()),
            Protection::Partial(why) => (false, format!("works in part: {why}")),
            Protection::None(why) => (false, why.clone()),
        };
        let advice = (!fine).then(|| help.to_owned());
        Check { what: what.to_owned(), fine, note: false, found, advice }
    })
    .collect()
}

/// The GPU, if it runs programs of any compiler.
fn device(found: &Discovery, sandbox: &Sandbox) -> Option<Check> {
    found.subjects.iter().find(|one| matches!(one.runner, Runner::Gpu(_)))?;
    let gpu = sandbox.gpu().ok()?;
    let found = format!("{} runs {}; its driver has CUDA {}", gpu.name, gpu.code, gpu.driver);
    Some(Check { what: "GPU".to_owned(), fine: true, note: false, found, advice: None })
}

/// One check for each target, one for each compiler that cannot be used or run.
fn compilers(found: &Discovery) -> Vec<Check> {
    let mut checks = Vec::new();
    for target in TARGETS {
        let names: Vec<&str> = found
            .subjects
            .iter()
            .filter(|subject| subject.target == Some(target))
            .map(|subject| subject.name.as_str())
            .collect();
        let fine = !names.is_empty();
        checks.push(Check {
            what: format!("compilers for {}", target.name),
            fine,
            note: false,
            found: if fine { names.join(", ") } else { "none".to_owned() },
            advice: if fine { None } else { advice(target) },
        });
    }
    for subject in &found.subjects {
        if let Runner::Missing(why) = &subject.runner {
            checks.push(Check {
                what: subject.name.clone(),
                fine: false,
                note: false,
                found: "its programs cannot be run".to_owned(),
                advice: Some(why.clone()),
            });
        }
    }
    for one in &found.unusable {
        // One more compiler would be nice to have; nothing is wrong without it.
        checks.push(Check {
            what: one.command.clone(),
            fine: true,
            note: true,
            found: format!("not used: {}", one.why),
            advice: None,
        });
    }
    checks
}

fn human(report: &Report) -> String {
    let mut text = String::new();
    for check in &report.checks {
        let mark = match check {
            Check { fine: false, .. } => "MISS",
            Check { note: true, .. } => "note",
            Check { .. } => "ok  ",
        };
        let _ = writeln!(text, "{mark}  {}: {}", check.what, check.found);
        if let Some(advice) = &check.advice {
            let _ = writeln!(text, "      {advice}");
        }
    }
    let _ = writeln!(
        text,
        "ok    starting a compiled program costs {:.1} ms of processor time",
        report.isolation.launch_cpu.as_secs_f64() * 1e3
    );
    text
}
