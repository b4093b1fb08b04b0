//! `farrier triage`: groups findings by their causes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use farrier_harness::Scratch;
use signal_hook::consts::{SIGINT, SIGTERM};

use super::bugs;
use super::join::HuntPlace;
use crate::cli::TriageArguments;
use crate::finding::{Analysis, Finding, Store, groups};
use crate::host::sandbox;
use crate::terminal::{Line, Talk};
use crate::triage::{Allowance, Claimed, Done, Effort, Triage, open_findings};
use crate::{Status, reduce};

/// Runs the command.
pub(crate) fn run(arguments: &TriageArguments, talk: Talk) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.hunt.place)?;
    let claims = place.claims();
    let store = Store::open_to_add(&place.directory)?;
    let mut named = Vec::new();
    for name in &arguments.findings {
        let finding = store.finding(name)?;
        if arguments.again || store.analysis(&finding.name)?.is_none() {
            named.push(finding);
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .context("cannot watch for Ctrl-C")?;
    }
    let base = std::env::temp_dir();
    // What a triage that was killed has left.
    let _ = Scratch::sweep(&base);
    let effort = Effort {
        reduce: !arguments.no_reduce,
        each: usize::from(arguments.each),
        time: arguments.time,
        jobs: arguments.jobs.map_or_else(reduce::jobs, usize::from),
    };
    let allowance = Arc::new(Allowance::unlimited());
    let mut triage = Triage::new(store, sandbox()?, &base, effort, allowance, Arc::clone(&stop));
    let mut tried = BTreeSet::new();
    loop {
        // Reducing may find more bugs.
        let next = if !arguments.findings.is_empty() {
            std::mem::take(&mut named)
        } else if arguments.again && tried.is_empty() {
            triage.store().findings()?
        } else {
            open_findings(triage.store())?
        };
        let next: Vec<Finding> =
            next.into_iter().filter(|finding| tried.insert(finding.name.clone())).collect();
        if next.is_empty() || stop.load(Ordering::Relaxed) {
            break;
        }
        for (index, finding) in next.iter().enumerate() {
            let _claimed = match &claims {
                Some(claims) => match Claimed::new(claims, finding) {
                    Some(claimed) => Some(claimed),
                    None => {
                        let name = &finding.name;
                        talk.note(&format!("{name}: another machine analyses findings like it"));
                        continue;
                    }
                },
                None => None,
            };
            let mut line = Line::new(Duration::ZERO, None);
            let place = format!("{}/{} {}", index + 1, next.len(), finding.name);
            let done = triage
                .look_into(finding, &mut |doing| line.show(|| format!("{place}: {doing}")))?;
            line.clear();
            match done {
                Done::Analysed(analysis) => talk.note(&summary(&analysis)),
                Done::OneMore(analysis) => talk.note(&format!(
                    "{}: one more of {}",
                    analysis.finding,
                    analysis.signature.line()
                )),
                Done::Impossible(why) => {
                    talk.note(&format!("{} cannot be analysed: {why}", finding.name));
                }
                Done::Stopped => break,
            }
        }
    }
    let (findings, analyses) = (triage.store().findings()?, triage.store().analyses()?);
    let groups = groups(&findings, &analyses);
    let causes = bugs::causes(&groups, triage.store())?;
    let open = open_findings(triage.store())?.len();
    bugs::print(&causes, open, arguments.hunt.json)?;
    let found = !findings.is_empty();
    drop(triage);
    place.finish()?;
    Ok(match (stop.load(Ordering::Relaxed), found) {
        (true, _) => Status::GaveUp,
        (false, true) => Status::Found,
        (false, false) => Status::Fine,
    })
}

/// What became of one finding, in a line.
fn summary(analysis: &Analysis) -> String {
    let mut text = format!(
        "{}: {} with {} ({:.0} s)",
        analysis.finding,
        analysis.signature.line(),
        analysis.flags.join(" "),
        analysis.seconds
    );
    if let Some(doubt) = &analysis.doubt {
        let _ = write!(text, "; doubtful: {doubt}");
    }
    text
}
