//! `farrier replay`: tries findings again.

use std::path::Path;

use anyhow::Context;
use farrier_harness::{
    Bench, Expectation, FindingKind, Judgement, Outcome, Sandbox, Scratch, Subject, case_name,
    judge,
};
use farrier_lang::SourceText;
use serde::Serialize;

use super::findings::{cut, print_json};
use super::join::HuntPlace;
use crate::cli::ReplayArguments;
use crate::finding::{Finding, HuntSettings, Store};
use crate::host::sandbox;
use crate::hunt::{Corpus, make};
use crate::naming::{Naming, Request};
use crate::{Status, output};

/// What came of a finding that was tried again.
#[derive(Debug, Serialize)]
pub(super) struct Replayed {
    finding: String,
    subject: String,
    kind: FindingKind,
    /// Whether it is the same kind again.
    pub(super) reproduced: bool,
    #[serde(flatten)]
    pub(super) judgement: Judgement,
    outcome: Outcome,
}

/// Runs the command.
pub(crate) fn run(arguments: &ReplayArguments) -> anyhow::Result<Status> {
    let place = HuntPlace::find(&arguments.hunt.place)?;
    let store = Store::open_to_read(&place.directory)?;
    let findings = match &arguments.name {
        Some(name) => vec![store.finding(name)?],
        None => store.findings()?,
    };
    let sandbox = sandbox()?;
    let base = std::env::temp_dir();
    let other = match &arguments.subject {
        Some(text) => {
            let request = Request::parse(text)?;
            let subject = Naming::new(Vec::new(), &sandbox, &base).find(&request)?;
            Some((subject, request.flags))
        }
        None => None,
    };
    let mut all = Vec::new();
    for finding in &findings {
        let (subject, flags) = match &other {
            Some((subject, flags)) if flags.is_empty() => (subject, &finding.flags),
            Some((subject, flags)) => (subject, flags),
            None => (&finding.subject, &finding.flags),
        };
        let replayed = replay(&store, finding, subject, flags, &sandbox, &base)?;
        if arguments.name.is_none() && !arguments.hunt.json {
            let line = format!("{}  {}\n", finding.name, replayed.in_words());
            output::write(None, line.as_bytes())?;
        }
        all.push(replayed);
    }
    match (arguments.hunt.json, &all[..]) {
        (true, [one]) if arguments.name.is_some() => print_json(one)?,
        (true, all) => print_json(&all)?,
        (false, [one]) if arguments.name.is_some() => {
            let text = format!("{}\n{}\n", one.in_words(), cut(&one.outcome.describe()));
            output::write(None, text.as_bytes())?;
        }
        (false, all) => {
            let again = all.iter().filter(|one| one.reproduced).count();
            let text = format!("{again} of {} findings happen again\n", all.len());
            output::write(None, text.as_bytes())?;
        }
    }
    // One that happens outweighs those that cannot be told.
    let statuses: Vec<Status> = all.iter().map(Replayed::status).collect();
    let order = [Status::Found, Status::Failed, Status::GaveUp];
    Ok(order.into_iter().find(|status| statuses.contains(status)).unwrap_or(Status::Fine))
}

impl Replayed {
    fn in_words(&self) -> String {
        let Self { kind, .. } = self;
        match &self.judgement {
            _ if self.reproduced => format!("{kind} happens again"),
            Judgement::Finding(other) => format!("{} happens instead of {kind}", other.kind()),
            Judgement::Agrees => format!("{kind} does not happen"),
            Judgement::Inconclusive(why) => format!("inconclusive: {why}"),
            Judgement::Infrastructure(what) => format!("it was not tried: {what}"),
        }
    }

    fn status(&self) -> Status {
        match self.judgement {
            _ if self.reproduced => Status::Found,
            Judgement::Finding(_) => Status::Found,
            Judgement::Agrees => Status::Fine,
            Judgement::Inconclusive(_) => Status::GaveUp,
            Judgement::Infrastructure(_) => Status::Failed,
        }
    }
}

/// Gives the program of a finding to a compiler.
pub(super) fn replay(
    store: &Store,
    finding: &Finding,
    subject: &Subject,
    flags: &[String],
    sandbox: &Sandbox,
    base: &Path,
) -> anyhow::Result<Replayed> {
    let sources = match store.case(&finding.case) {
        Ok(sources) => sources,
        // Its files may be lost.
        Err(error) => made_again(finding, &store.settings()?).ok_or(error)?,
    };
    let expectation = finding.expectation(&sources)?;
    let scratch = Scratch::new(base).context("there is no place for it")?;
    let kind = finding.kind();
    let expectation = expectation.for_kind(kind);
    let bench = Bench { extent: expectation.extent(), ..Bench::new(sandbox, scratch.path()) };
    let outcome = bench.try_out(subject, flags, &sources, expectation).outcome;
    let judgement = judge(subject, expectation, &outcome);
    // Others judged it, so all that can be said is that the same was seen.
    let voted = matches!(expectation, Expectation::Agreement { .. });
    let reproduced = judgement.kind() == Some(kind) || voted && outcome.is_same(&finding.outcome);
    let (name, subject) = (finding.name.clone(), subject.name.clone());
    Ok(Replayed { finding: name, subject, kind, reproduced, judgement, outcome })
}

/// The program of a finding by its recipe, if it is still the same.
fn made_again(finding: &Finding, settings: &HuntSettings) -> Option<Vec<SourceText>> {
    let corpus = Corpus::of_settings(settings).ok().flatten();
    let elsewhere = corpus.as_ref().map(|corpus| (corpus, &finding.subject));
    let sources = make(&finding.recipe, elsewhere)?;
    (case_name(&sources) == finding.case).then_some(sources)
}
