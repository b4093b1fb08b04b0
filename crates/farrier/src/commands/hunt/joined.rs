//! A hunt of several machines, as the command sees it.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;

use super::progress::Progress;
use super::{FileSettings, HuntArguments, agree, begin};
use crate::finding::{Claim, HuntSettings, Store};
use crate::hunt::{Corpus, HuntEvent, Queue, Tested};
use crate::join::{
    Duty, Edge, HuntRecord, Link, Notice, SubjectReport, WorkerReport, lineup, now, open_claimed,
};
use crate::terminal::Talk;
use crate::triage::{Background, Sharing};

/// A hunt on a server that this machine is about to join.
pub(super) struct Joining {
    link: Link,
    name: String,
    /// What is there, if another machine was here before.
    record: Option<HuntRecord>,
    /// Whether this machine begins it.
    is_new: bool,
}

/// A machine that has joined.
pub(super) struct Member {
    edge: Edge,
    subjects: Vec<farrier_harness::Subject>,
    /// Why it cannot go on.
    failure: Option<anyhow::Error>,
}

impl Joining {
    /// Looks at the hunt that the arguments name; `None` if they name none on a server.
    pub(super) fn find(arguments: &HuntArguments) -> anyhow::Result<Option<Self>> {
        let Some(address) = arguments.place.join.address()? else { return Ok(None) };
        let link = Link::connect(&address)?;
        let record = link.record()?;
        if let Some(HuntRecord { version, .. }) = &record
            && version != env!("CARGO_PKG_VERSION")
        {
            bail!(
                "the hunt `{}` was begun by Farrier {version} and this is {}: all machines of a \
                 hunt need the same version, because others make other programs",
                address.name,
                env!("CARGO_PKG_VERSION")
            );
        }
        let is_new = record.is_none();
        Ok(Some(Self { link, name: address.name, record, is_new }))
    }

    /// The settings of the hunt, with the compilers of this machine.
    pub(super) fn settings(
        &self,
        arguments: &HuntArguments,
        file: Option<&FileSettings>,
        corpus: Option<&Corpus>,
    ) -> anyhow::Result<HuntSettings> {
        let own = begin(arguments, file, corpus)?;
        let Some(record) = &self.record else { return Ok(own) };
        agree(arguments, file, &record.settings)?;
        if let (Some(command), None) = (&record.settings.generator, &arguments.generator) {
            bail!(
                "the hunt `{}` runs the command `{command}` for its programs: say that you want \
                 this with --generator",
                self.name
            );
        }
        let mut settings = record.settings.clone();
        // A list of compilers is a file of the machine that began.
        settings.subjects = settings.subjects.filter(|path| path.exists());
        if !arguments.subject.is_empty() || arguments.subjects.is_some() {
            (settings.subject, settings.subjects) = (own.subject, own.subjects);
        }
        settings.all_versions |= arguments.all_versions;
        Ok(settings)
    }

    /// Begins the hunt if it is new, tells compilers apart from those of other machines, and opens
    /// the store.
    pub(super) fn open(
        &mut self,
        claim: Claim,
        settings: &HuntSettings,
        arguments: &HuntArguments,
        (file, corpus): (Option<&FileSettings>, Option<&Corpus>),
        tested: &mut [Tested],
    ) -> anyhow::Result<(Store, HuntSettings)> {
        let record = match self.record.take() {
            Some(record) => record,
            None => self.link.begin(settings, &arguments.server.limits())?,
        };
        // Another machine may have been faster, with a seed and options of its own.
        self.record = Some(record.clone());
        let agreed = self.settings(arguments, file, corpus)?;
        let compilers = |settings: &HuntSettings| {
            (settings.subject.clone(), settings.subjects.clone(), settings.all_versions)
        };
        if compilers(&agreed) != compilers(settings) {
            bail!(
                "another machine has just begun the hunt `{}` with other compilers: run the \
                 command again",
                self.name
            );
        }
        let mut subjects: Vec<_> = tested.iter_mut().map(|one| &mut one.subject).collect();
        self.link.tell_apart(&mut subjects)?;
        let lineup = lineup(&reports(tested));
        Ok((open_claimed(claim, &record, &self.name, Some(&lineup))?, agreed))
    }

    /// Says which of the compilers that the hunt names are not here.
    pub(super) fn mention(&self, missing: &[String], talk: Talk) -> anyhow::Result<()> {
        for text in missing {
            let others = match self.link.has_name(text)? {
                true => "other machines have it",
                false => "no machine of the hunt has it so far",
            };
            talk.note(&format!("`{text}` is not on this machine; {others}"));
        }
        Ok(())
    }

    /// Begins to work: from now on numbers come to the queue.
    pub(super) fn start(
        self,
        store: &Store,
        queue: &Arc<Queue>,
        tested: &[Tested],
        jobs: usize,
        end: Option<u64>,
    ) -> anyhow::Result<Member> {
        let Some(record) = self.record else { bail!("the hunt is not begun") };
        self.link.extend(end, self.is_new)?;
        let reports = reports(tested);
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let directory = std::path::absolute(store.directory())?;
        let identity = format!("{} {host} {}", record.hunt, directory.display());
        let report = WorkerReport {
            id: blake3::hash(identity.as_bytes()).to_hex()[..12].to_owned(),
            host: host.trim().to_owned(),
            jobs,
            lineup: lineup(&reports),
            started: now(),
            subjects: reports.into_iter().map(|(report, _)| report).collect(),
            ..WorkerReport::default()
        };
        let role = Duty::Worker { queue: Arc::clone(queue), report: Box::new(report) };
        let edge = Edge::start(self.link, store.directory(), &record, role)?;
        let subjects = tested.iter().map(|one| one.subject.clone()).collect();
        Ok(Member { edge, subjects, failure: None })
    }
}

/// What there is to say of compilers, each with the levels that it is tested at.
fn reports(tested: &[Tested]) -> Vec<(SubjectReport, Vec<String>)> {
    let levels = |one: &Tested| one.levels.iter().map(|level| level.flags.clone()).collect();
    tested.iter().map(|one| (SubjectReport::of(&one.subject), levels(one))).collect()
}

impl Member {
    /// How the machines share the analysis of findings.
    pub(super) fn sharing(&self) -> Sharing {
        Sharing { claims: self.edge.claims(), subjects: self.subjects.clone() }
    }

    /// Something was written to the store.
    pub(super) fn note(&self, event: &HuntEvent) {
        let mut report = self.edge.report();
        match event {
            HuntEvent::Done { tally, .. } => {
                report.programs += 1;
                report.trials += tally.trials;
                report.seconds += (tally.compiler_time + tally.program_time).as_secs_f64();
            }
            HuntEvent::Part(part) => {
                report.trials += part.tally.trials;
                let time = part.tally.compiler_time + part.tally.program_time;
                report.seconds += time.as_secs_f64();
                return;
            }
            HuntEvent::Finding { .. } => report.findings += 1,
            HuntEvent::Catalogue { .. } => {}
            HuntEvent::Case(_) | HuntEvent::Trial | HuntEvent::Failed(_) => return,
        }
        drop(report);
        self.edge.wake();
    }

    /// Hears what the network has to tell; whether the hunt can go on.
    pub(super) fn listen(
        &mut self,
        progress: &mut Progress,
        background: &mut Option<Background>,
    ) -> bool {
        for notice in self.edge.notices().try_iter() {
            match notice {
                Notice::Note(text) => progress.say(&text),
                Notice::News => {
                    if let Some(background) = background
                        && let Err(error) = background.wake()
                    {
                        self.failure.get_or_insert(error);
                    }
                }
                Notice::Failed(error) => drop(self.failure.get_or_insert(error)),
                Notice::Leased(_) | Notice::Finished | Notice::UpToDate => {}
            }
        }
        self.failure.is_none()
    }

    /// Leaves the hunt: what is not done is given back, what is done is sent.
    pub(super) fn leave(self) -> anyhow::Result<()> {
        self.edge.leave()?;
        self.failure.map_or(Ok(()), Err)
    }
}

/// Refuses to continue alone in a directory of a hunt of several machines.
pub(super) fn refuse_alone(store: &Store, directory: &Path) -> anyhow::Result<()> {
    if let Some(membership) = store.membership()? {
        bail!(
            "`{}` belongs to the hunt `{}` of several machines: add --join and --name, or choose \
             another --dir",
            directory.display(),
            membership.name
        );
    }
    Ok(())
}
