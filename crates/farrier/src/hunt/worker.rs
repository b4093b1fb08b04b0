//! A worker gives programs to compilers and judges what they do.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::PoisonError;

use anyhow::anyhow;
use farrier_harness::{
    Bench, Catalogue, Certificate, Executed, Expectation, Extent, FindingKind, Judgement, Outcome,
    Scratch, Subject, TestCase, Trial, Vote, confirm, judge, read_catalogue, vote,
};

use super::cases::Cohort;
use super::event::TestedPart;
use super::outfit;
use super::queue::Queue;
use super::{DoneParts, Hunt, HuntEvent, OwnFlags, Tested};
use crate::finding::{Chance, Finding, HuntSettings, Mode, Numbered, Tally};

/// What there is to say of a number, or of a part of it, when it is done.
#[derive(Default)]
struct Record {
    tally: Tally,
    troubles: Vec<String>,
}

/// A trial that is judged by others.
struct Ballot<'a> {
    subject: &'a Subject,
    flags: Vec<String>,
    outcome: Outcome,
}

/// What a worker works with. It knows no store: numbers come from a queue, and what happens
/// goes to the listener.
pub(super) struct Worker<'a> {
    pub(super) hunt: &'a Hunt,
    pub(super) queue: &'a Queue,
    /// The parts of numbers that earlier starts have done.
    pub(super) parts: &'a DoneParts,
    pub(super) tell: &'a dyn Fn(HuntEvent),
    /// Where scratch directories are made.
    pub(super) base: &'a Path,
    pub(super) scratch: Scratch,
}

impl Worker<'_> {
    /// Tests one number after the other.
    pub(super) fn work(&self) -> anyhow::Result<()> {
        while let Some(number) = self.queue.next() {
            self.test(number)?;
        }
        Ok(())
    }

    /// Tests the programs of a number with the subjects whose turn it is. If the hunt is stopped on the way
    /// the number is not done, and is tested again when the hunt continues.
    fn test(&self, number: u64) -> anyhow::Result<()> {
        let hunt = self.hunt;
        let subjects: Vec<&Subject> = hunt.tested.iter().map(|one| &one.subject).collect();
        let mut record = Record::default();
        record.tally.programs = 1;
        let mut has_parts = self.parts.contains_key(&number);
        let chances: Vec<Chance> = hunt.cohorts.iter().map(|cohort| cohort.chance).collect();
        let spending = &hunt.programs.settings.spending;
        for index in spending.machines(hunt.programs.seed(number), &chances) {
            let cohort = &hunt.cohorts[index];
            for case in hunt.programs.of(number, cohort, &subjects, &mut record.tally) {
                if hunt.keep_all {
                    (self.tell)(HuntEvent::Case(Box::new(case.clone())));
                }
                let Some(parts) = self.test_case(cohort, &case, &mut record)? else {
                    return Ok(());
                };
                has_parts |= parts;
            }
        }
        let Record { tally, troubles } = record;
        if !has_parts && tally.trials > 0 && tally.infrastructure == tally.trials {
            // It was not tested at all, so it is not done; nor would the next one be.
            return Err(anyhow!(
                "no compiler can be tested ({}): `farrier doctor` may say why; the same command \
                 continues later",
                troubles.first().map_or("", String::as_str)
            ));
        }
        (self.tell)(HuntEvent::Done { number, tally, troubles });
        Ok(())
    }

    /// Gives a program to every subject of its cohort, with the flags that are drawn for it.
    /// Whether a part of it was done; `None` if the hunt was stopped before the end.
    fn test_case(
        &self,
        cohort: &Cohort,
        program: &Numbered,
        record: &mut Record,
    ) -> anyhow::Result<Option<bool>> {
        let executed = Executed::default();
        let mut ballots = Vec::new();
        let mut has_parts = false;
        if let Some(tier) = program.case.expectation.certificate().and_then(Certificate::floating) {
            record.tally.tiers[tier as usize] += 1;
        }
        let votes = matches!(program.case.expectation, Expectation::Agreement { .. });
        for tested in self.hunt.tested.iter().filter(|tested| cohort.has(&tested.subject)) {
            let key = format!("{} {}", program.name, tested.subject.name);
            let is_done = |parts: &BTreeSet<String>| parts.contains(&key);
            if self.parts.get(&program.number).is_some_and(is_done) {
                continue;
            }
            let mut part = Record::default();
            if !self.test_subject(program, tested, &executed, &mut ballots, &mut part)? {
                return Ok(None);
            }
            // A vote takes all, and what could not be tried is tried again.
            if votes || part.tally.infrastructure > 0 {
                record.tally += part.tally;
                record.troubles.extend(part.troubles);
                continue;
            }
            has_parts = true;
            let Record { tally, troubles } = part;
            let (number, subject) = (program.number, tested.subject.name.clone());
            (self.tell)(HuntEvent::Part(TestedPart { number, key, subject, tally, troubles }));
        }
        if let Expectation::Agreement { why, .. } = &program.case.expectation {
            self.judge_together(program, why, &ballots, record);
        }
        Ok(Some(has_parts))
    }

    /// Gives a program to one subject; false if the hunt was stopped before the end.
    fn test_subject<'a>(
        &self,
        program: &Numbered,
        tested: &'a Tested,
        executed: &Executed,
        ballots: &mut Vec<Ballot<'a>>,
        record: &mut Record,
    ) -> anyhow::Result<bool> {
        let Tested { subject, levels, .. } = tested;
        let catalogue = self.catalogue(tested)?;
        let HuntSettings { spending, standard, .. } = &self.hunt.programs.settings;
        let standard = standard.as_deref();
        let expectation = &program.case.expectation;
        let (seed, floating) = (program.flag_seed(), expectation.floating());
        for mut flags in spending.trials(seed, &subject.name, levels, catalogue, floating) {
            flags.extend(outfit::flag(&program.case.recipe, subject, standard));
            if self.queue.is_stopped() {
                return Ok(false);
            }
            let tally = &mut record.tally;
            let outcome = self.attempt(program, subject, &flags, Some(executed), tally);
            if matches!(outcome, Outcome::Unfit { .. }) {
                tally.unfit += 1;
                continue;
            }
            tally.trials += 1;
            (self.tell)(HuntEvent::Trial);
            match expectation {
                Expectation::Agreement { .. } => ballots.push(Ballot { subject, flags, outcome }),
                Expectation::Certified(_) | Expectation::Nothing => {
                    self.judge(program, expectation, subject, flags, &outcome, record);
                }
            }
        }
        Ok(true)
    }

    /// The flags of a compiler; it is asked once in the life of a hunt.
    fn catalogue<'a>(&self, tested: &'a Tested) -> anyhow::Result<Option<&'a Catalogue>> {
        let Some(OwnFlags { known, asking }) = tested.flags.as_deref() else { return Ok(None) };
        let _asking = match known.get() {
            Some(known) => return Ok(Some(known)),
            None => asking.lock().unwrap_or_else(PoisonError::into_inner),
        };
        if known.get().is_none() {
            let Tested { subject, .. } = tested;
            let answer = read_catalogue(subject, &self.hunt.sandbox, self.base)?;
            (self.tell)(HuntEvent::Catalogue { key: Tested::key(subject), flags: answer.clone() });
            known.get_or_init(|| answer);
        }
        Ok(known.get())
    }

    /// Judges a subject by what is expected of the program.
    fn judge(
        &self,
        program: &Numbered,
        expectation: &Expectation,
        subject: &Subject,
        flags: Vec<String>,
        outcome: &Outcome,
        record: &mut Record,
    ) {
        let judged = |outcome: &Outcome| judge(subject, expectation, outcome);
        let judgement = self.wanted(program, judged(outcome));
        let judgement = confirm(outcome, judgement, || {
            let again = self.attempt(program, subject, &flags, None, &mut record.tally);
            let judgement = judged(&again);
            (again, judgement)
        });
        self.conclude(program, subject, flags, outcome, judgement, record);
    }

    /// Judges subjects by each other.
    fn judge_together(
        &self,
        program: &Numbered,
        why: &str,
        ballots: &[Ballot<'_>],
        record: &mut Record,
    ) {
        let votes: Vec<Vote<'_>> = ballots
            .iter()
            .map(|Ballot { subject, outcome, .. }| Vote { subject, outcome })
            .collect();
        let expectation = Expectation::Agreement { why: why.to_owned(), majority: vote(&votes) };
        for Ballot { subject, flags, outcome } in ballots {
            self.judge(program, &expectation, subject, flags.clone(), outcome, record);
        }
    }

    /// What the hunt makes of a judgement.
    fn wanted(&self, program: &Numbered, judgement: Judgement) -> Judgement {
        match judgement.kind() {
            Some(FindingKind::ValidProgramRejected) if program.case.recipe.is_foreign() => {
                let why = "the program may have been written for another compiler";
                Judgement::Inconclusive(why.to_owned())
            }
            Some(kind) if !self.hunt.programs.settings.mode.wants(kind) => Judgement::Agrees,
            _ => judgement,
        }
    }

    /// Counts a judgement, and reports what was found.
    fn conclude(
        &self,
        program: &Numbered,
        subject: &Subject,
        flags: Vec<String>,
        outcome: &Outcome,
        judgement: Judgement,
        record: &mut Record,
    ) {
        let Record { tally, troubles } = record;
        match judgement {
            Judgement::Agrees => {}
            Judgement::Inconclusive(why) => {
                tally.inconclusive += 1;
                troubles.push(format!("inconclusive: {}: {why}", subject.name));
            }
            Judgement::Infrastructure(what) => {
                tally.infrastructure += 1;
                troubles.push(format!("not tried: {}: {what}", subject.name));
            }
            Judgement::Finding(conviction) => {
                let finding = Finding::new(&conviction, program, subject, flags, outcome);
                let sources = program.case.sources.clone();
                (self.tell)(HuntEvent::Finding { finding: Box::new(finding), sources });
            }
        }
    }

    /// Gives a program to a subject, and counts the time that it takes.
    fn attempt(
        &self,
        program: &Numbered,
        subject: &Subject,
        flags: &[String],
        executed: Option<&Executed>,
        tally: &mut Tally,
    ) -> Outcome {
        let Hunt { sandbox, bounds, programs, .. } = self.hunt;
        let TestCase { sources, expectation, .. } = &program.case;
        // Where only compilers are tested, nothing that they make is run.
        let crash = programs.settings.mode == Mode::Crash;
        let extent = if crash { Extent::Link } else { expectation.extent() };
        let scratch = self.scratch.path();
        let bench = Bench { sandbox, bounds: *bounds, scratch, extent, executed };
        let trial = match self.scratch.clear() {
            Ok(()) => bench.try_out(subject, flags, sources, expectation),
            Err(error) => Trial::failed(error.to_string()),
        };
        tally.compiler_time += trial.compiler_cpu;
        tally.program_time += trial.program_cpu;
        tally.reused += u64::from(trial.reused);
        trial.outcome
    }
}
