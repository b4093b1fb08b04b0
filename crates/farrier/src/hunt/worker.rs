//! A worker gives programs to compilers and judges what they do.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use anyhow::anyhow;
use farrier_harness::{
    Catalogue, Executed, FindingKind, FlagPolicy, Judgement, Outcome, Scratch, Subject, Trial,
    Vote, choose, compile_and_run, confirm, read_catalogue, vote, winner,
};
use farrier_lang::SourceText;
use farrier_machine::{Behavior, Ending};
use farrier_synth::Choices;

use super::cases::{Case, Group, Known};
use super::queue::Numbers;
use super::{
    Event, Hunt, Limits, NOT_ALL_OF_THE_LANGUAGE, NOT_RUN, OwnFlags, Tested, describe, judge_trial,
    judge_uncertified,
};
use crate::finding::{Basis, Finding, Store, StoredSubject, Tally};

/// What the workers share.
pub(super) struct Shared<'a> {
    pub(super) hunt: &'a Hunt,
    pub(super) limits: &'a Limits,
    pub(super) base: &'a Path,
    pub(super) store: Mutex<Store>,
    pub(super) numbers: Mutex<Numbers>,
    pub(super) stop: AtomicBool,
}

/// What there is to say of a number when it is done.
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

/// What a worker has of its own.
struct Worker<'a> {
    shared: &'a Shared<'a>,
    sender: &'a mpsc::Sender<Event>,
    scratch: Scratch,
}

impl Shared<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tests one program after the other.
    pub(super) fn work(&self, sender: &mpsc::Sender<Event>) -> anyhow::Result<()> {
        let worker = Worker { shared: self, sender, scratch: Scratch::new(self.base)? };
        while !self.stopped() {
            let number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(number) = number else { break };
            worker.test(number)?;
            if self.store().bytes()? > self.limits.disk {
                self.stop.store(true, Ordering::Relaxed);
                let _ = sender.send(Event::Full);
            }
        }
        Ok(())
    }
}

impl Worker<'_> {
    /// Tests the programs of a number with every subject. If the hunt is stopped on the way
    /// the number is not done, and is tested again when the hunt goes on.
    fn test(&self, number: u64) -> anyhow::Result<()> {
        let hunt = self.shared.hunt;
        let subjects: Vec<&Subject> = hunt.tested.iter().map(|one| &one.subject).collect();
        let mut record =
            Record { tally: Tally { programs: 1, ..Tally::default() }, troubles: Vec::new() };
        for group in &hunt.groups {
            let Record { tally, troubles } = &mut record;
            for case in hunt.programs.of(number, group, &subjects, tally, troubles) {
                if self.shared.limits.keep_all {
                    self.shared.store().keep(&case.hash, &case.sources)?;
                }
                self.test_case(group, &case, &mut record)?;
                if self.shared.stopped() {
                    return Ok(());
                }
            }
        }
        let Record { tally, troubles } = record;
        if tally.trials > 0 && tally.infrastructure == tally.trials {
            // It was not tested at all, so it is not done; nor would the next one be.
            return Err(anyhow!(
                "no compiler can be tested ({}): `farrier doctor` may say why; the same command \
                 goes on later",
                troubles.first().map_or("", String::as_str)
            ));
        }
        self.shared.store().finish(number, &tally, &troubles)?;
        self.tell(Event::Program(tally));
        Ok(())
    }

    /// Gives a program to every subject of its group, with all of its flags.
    fn test_case(&self, group: &Group, case: &Case, record: &mut Record) -> anyhow::Result<()> {
        let hunt = self.shared.hunt;
        let all = match case.known {
            Known::Nothing => &hunt.compiled,
            Known::Behavior(_) | Known::Agreement(_) => &hunt.tested,
        };
        let executed = Executed::default();
        let mut ballots = Vec::new();
        for tested in all.iter().filter(|tested| group.has(&tested.subject)) {
            let catalogue = self.catalogue(tested)?;
            for flags in flag_sets(tested, catalogue, hunt.settings.flag_sets, case.seed) {
                let subject = &tested.subject;
                record.tally.trials += 1;
                let outcome = self.attempt(case, subject, &flags, &executed, &mut record.tally);
                self.tell(Event::Trial);
                if let Known::Agreement(_) = case.known {
                    ballots.push(Ballot { subject, flags, outcome });
                } else {
                    self.judge_alone(case, subject, flags, &outcome, record)?;
                }
                if self.shared.stopped() {
                    return Ok(());
                }
            }
        }
        if let Known::Agreement(why) = &case.known {
            self.judge_together(case, why, &ballots, record)?;
        }
        Ok(())
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
            let answer = read_catalogue(subject, &self.shared.hunt.sandbox, self.shared.base)?;
            self.shared.store().set_catalogue(&Tested::key(subject), &answer)?;
            known.get_or_init(|| answer);
        }
        Ok(known.get())
    }

    /// Judges a subject by what is known of the program.
    fn judge_alone(
        &self,
        case: &Case,
        subject: &Subject,
        flags: Vec<String>,
        outcome: &Outcome,
        record: &mut Record,
    ) -> anyhow::Result<()> {
        let expected = case.known.behavior();
        let judged = |outcome: &Outcome| match case.known.basis() {
            Basis::Compiler => judge_uncertified(outcome),
            Basis::Machine | Basis::Vote => judge_trial(subject, &expected, outcome),
        };
        let judgement = self.wanted(case, judged(outcome));
        let judgement = confirm(outcome, judgement, || {
            let none = Executed::default();
            let again = self.attempt(case, subject, &flags, &none, &mut record.tally);
            let judgement = judged(&again);
            (again, judgement)
        });
        self.conclude(case, subject, flags, &expected, outcome, judgement, record)
    }

    /// Judges subjects by each other.
    fn judge_together(
        &self,
        case: &Case,
        why: &str,
        ballots: &[Ballot<'_>],
        record: &mut Record,
    ) -> anyhow::Result<()> {
        let votes: Vec<Vote<'_>> = ballots
            .iter()
            .map(|Ballot { subject, outcome, .. }| Vote {
                subject: &subject.name,
                family: subject.family,
                outcome,
            })
            .collect();
        let mut expected = case.known.behavior();
        if let Some(Outcome::Ran { status, output }) = winner(&votes) {
            expected.ending = Ending::Exit(*status);
            expected.output.clone_from(output);
        }
        let judged: Vec<Judgement> = vote(&votes);
        for (index, (ballot, judgement)) in ballots.iter().zip(judged).enumerate() {
            let Ballot { subject, flags, outcome } = ballot;
            let judgement = match judgement {
                Judgement::Infrastructure(what) if what == NOT_RUN => Judgement::Agrees,
                Judgement::Inconclusive(what) => Judgement::Inconclusive(format!("{why}; {what}")),
                judgement => self.wanted(case, judgement),
            };
            let judgement = confirm(outcome, judgement, || {
                let none = Executed::default();
                let again = self.attempt(case, subject, flags, &none, &mut record.tally);
                let judgement = {
                    let mut votes = votes.clone();
                    votes[index].outcome = &again;
                    vote(&votes).swap_remove(index)
                };
                (again, judgement)
            });
            let flags = flags.clone();
            self.conclude(case, subject, flags, &expected, outcome, judgement, record)?;
        }
        Ok(())
    }

    /// What the hunt makes of a judgement.
    fn wanted(&self, case: &Case, judgement: Judgement) -> Judgement {
        match judgement {
            Judgement::Finding(FindingKind::ValidProgramRejected) if case.foreign => {
                Judgement::Inconclusive(NOT_ALL_OF_THE_LANGUAGE.to_owned())
            }
            Judgement::Finding(kind) if !self.shared.hunt.programs.mode.wants(kind) => {
                Judgement::Agrees
            }
            judgement => judgement,
        }
    }

    /// Counts a judgement, and stores what was found.
    #[expect(clippy::too_many_arguments, reason = "a finding is made of all that is known")]
    fn conclude(
        &self,
        case: &Case,
        subject: &Subject,
        flags: Vec<String>,
        expected: &Behavior,
        outcome: &Outcome,
        judgement: Judgement,
        record: &mut Record,
    ) -> anyhow::Result<()> {
        let Record { tally, troubles } = record;
        let kind = match judgement {
            Judgement::Agrees => return Ok(()),
            Judgement::Inconclusive(why) => {
                tally.inconclusive += 1;
                troubles.push(format!("inconclusive: {}: {why}", subject.name));
                return Ok(());
            }
            Judgement::Infrastructure(what) => {
                tally.infrastructure += 1;
                troubles.push(format!("not tried: {}: {what}", subject.name));
                return Ok(());
            }
            Judgement::Finding(kind) => kind,
        };
        let basis = case.known.basis();
        let finding = Finding {
            name: Finding::name_of(kind, subject, &flags, case.number, basis),
            kind: kind.name().to_owned(),
            basis,
            subject: StoredSubject::of(subject),
            flags,
            program: case.number,
            seed: case.seed,
            case: case.hash.clone(),
            expected_output: expected.output.clone(),
            expected_status: match expected.ending {
                Ending::Exit(status) => Some(status),
                Ending::Abort => None,
            },
            steps: expected.steps,
            actual: describe(outcome),
            seen: String::new(),
        };
        if self.shared.store().add(&finding, &case.sources)? {
            self.tell(Event::Finding(Box::new(finding)));
        }
        Ok(())
    }

    /// Gives a program to a subject, and counts the time that it takes.
    fn attempt(
        &self,
        case: &Case,
        subject: &Subject,
        flags: &[String],
        executed: &Executed,
        tally: &mut Tally,
    ) -> Outcome {
        let trial = self.trial(subject, flags, &case.sources, executed);
        tally.compiler_time += trial.compiler_cpu;
        tally.program_time += trial.program_cpu;
        tally.reused += u64::from(trial.reused);
        trial.outcome
    }

    fn trial(
        &self,
        subject: &Subject,
        flags: &[String],
        sources: &[SourceText],
        executed: &Executed,
    ) -> Trial {
        let Hunt { sandbox, bounds, .. } = self.shared.hunt;
        match self.scratch.clear() {
            Ok(()) => compile_and_run(
                subject,
                flags,
                sources,
                bounds,
                sandbox,
                self.scratch.path(),
                executed,
            ),
            Err(error) => Trial {
                outcome: Outcome::Infrastructure { what: error.to_string() },
                compiler_cpu: Duration::ZERO,
                program_cpu: Duration::ZERO,
                object: None,
                reused: false,
            },
        }
    }

    fn tell(&self, event: Event) {
        // Without a listener the hunt is over anyway.
        let _ = self.sender.send(event);
    }
}

/// The flags that a subject gets for a program: each of its levels, and so many random sets.
fn flag_sets(
    tested: &Tested,
    catalogue: Option<&Catalogue>,
    sets: u32,
    seed: u64,
) -> Vec<Vec<String>> {
    let split = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut all: Vec<Vec<String>> =
        tested.subject.levels.iter().map(|level| split(level)).collect();
    if let Some(catalogue) = catalogue {
        for index in 0..u64::from(sets) {
            // The name is a part of it, so that compilers do not all get the same flags.
            let name = blake3::hash(tested.subject.name.as_bytes());
            let (head, _) = name.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
            let own = Choices::derive_seed(seed, u64::from_le_bytes(*head));
            let number = Choices::derive_seed(own, index);
            let flags = choose(&tested.subject, catalogue, &FlagPolicy::default(), number);
            all.push(flags.iter().flat_map(|flag| split(flag)).collect());
        }
    }
    all
}
