//! A hunt: programs are made, given to compilers and judged.
//!
//! Which programs are tested and with which flags follows from the seed and their number,
//! never from time or the number of workers. docs/design/hunt.md explains the rest.

mod cases;
mod corpus;
mod mutants;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use farrier_harness::{
    Catalogue, Executed, FindingKind, FlagPolicy, Judgement, Outcome, Runner, Sandbox, Scratch,
    Subject, Trial, TrialBounds, Vote, choose, compile_and_run, confirm, judge, judge_compiler,
    read_catalogue, vote, winner,
};
use farrier_lang::{STACK_BYTES, SourceText};
use farrier_machine::{Behavior, Ending};
use farrier_synth::Choices;

pub(crate) use self::cases::mutant_of;
use self::cases::{Case, Group, Known, Programs, knows_extensions};
pub(crate) use self::corpus::Corpus;
pub(crate) use self::mutants::Mutant;
use crate::store::{Basis, Finding, Settings, Store, StoredSubject, Tally};

/// What the findings are to be about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Mode {
    /// Compiled programs that do not do what they should
    WrongCode,
    /// Compilers that break down or refuse a valid program; nothing that they make is run
    Crash,
    /// Both
    #[default]
    Both,
}

impl Mode {
    /// Its name in options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WrongCode => "wrong-code",
            Self::Crash => "crash",
            Self::Both => "both",
        }
    }

    fn wants(self, kind: FindingKind) -> bool {
        match self {
            Self::WrongCode => kind.is_wrong_code(),
            Self::Crash => !kind.is_wrong_code(),
            Self::Both => true,
        }
    }
}

/// Why a compiled program is not run where only its compiler is tested.
const NOT_RUN: &str = "it is compiled, not run";

/// Why a refusal is no finding.
const NOT_ALL_OF_THE_LANGUAGE: &str = "the compiler may not have all of the language";

/// A subject with what is drawn for it.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    /// The compiler. A level may be several flags.
    pub(crate) subject: Subject,
    /// Its own flags; `None` if none are drawn.
    pub(crate) flags: Option<Arc<OwnFlags>>,
}

/// The flags of a compiler, which is asked for them when they are needed for the first time.
#[derive(Debug)]
pub(crate) struct OwnFlags {
    known: OnceLock<Catalogue>,
    asking: Mutex<()>,
}

impl OwnFlags {
    /// What is known from an earlier start, if anything is.
    pub(crate) fn new(known: Option<Catalogue>) -> Self {
        let cell = OnceLock::new();
        if let Some(known) = known {
            cell.get_or_init(|| known);
        }
        Self { known: cell, asking: Mutex::new(()) }
    }
}

impl Tested {
    /// By what the flags of a compiler are stored: another version has other flags.
    pub(crate) fn key(subject: &Subject) -> String {
        format!("{} {} {}", subject.name, subject.version, subject.banner)
    }
}

/// A hunt in memory.
#[derive(Debug)]
pub(crate) struct Campaign {
    settings: Settings,
    programs: Programs,
    tested: Vec<Tested>,
    /// The same, but what they make is not run.
    compiled: Vec<Tested>,
    groups: Vec<Group>,
    sandbox: Sandbox,
    bounds: TrialBounds,
}

/// When a hunt ends, and what it keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How many workers there are.
    pub(crate) jobs: usize,
    /// When so many programs are done, with those of earlier starts.
    pub(crate) programs: Option<u64>,
    /// Whether programs without a finding are kept.
    pub(crate) keep_all: bool,
    /// What the directory may hold.
    pub(crate) disk: u64,
}

/// Something to tell.
#[derive(Debug)]
pub(crate) enum Event {
    /// A compiler had a program.
    Trial,
    /// A finding is on disk.
    Finding(Box<Finding>),
    /// A program is done.
    Program(Tally),
    /// The directory is full.
    Full,
    /// The hunt cannot go on.
    Failed(anyhow::Error),
}

impl Campaign {
    /// Prepares a hunt.
    pub(crate) fn new(
        settings: Settings,
        mode: Mode,
        corpus: Option<Corpus>,
        mut tested: Vec<Tested>,
        sandbox: Sandbox,
        bounds: TrialBounds,
    ) -> Self {
        let mut compiled = tested.clone();
        for one in &mut compiled {
            one.subject.runner = Runner::Nothing(NOT_RUN.to_owned());
        }
        if mode == Mode::Crash {
            tested.clone_from(&compiled);
        }
        let subjects: Vec<&Subject> = tested.iter().map(|one| &one.subject).collect();
        let groups = Group::all(&settings, &subjects);
        let programs = Programs { seed: settings.seed, mode, corpus };
        Self { settings, programs, tested, compiled, groups, sandbox, bounds }
    }

    /// Hunts until something ends it, with everything that happens on the way told to
    /// `tell`, which is called at least every quarter of a second and says whether to go on.
    pub(crate) fn run(
        &self,
        store: Store,
        limits: &Limits,
        base: &Path,
        mut tell: impl FnMut(Option<Event>) -> bool,
    ) -> anyhow::Result<Store> {
        let files = self.programs.corpus.as_ref().map(Corpus::count);
        let end = limits.programs.into_iter().chain(files).min();
        let numbers = Numbers { next: 0, done: store.done()?, end };
        let hunt = Hunt {
            campaign: self,
            limits,
            base,
            store: Mutex::new(store),
            numbers: Mutex::new(numbers),
            stop: AtomicBool::new(false),
        };
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| -> anyhow::Result<()> {
            for _ in 0..limits.jobs {
                let (sender, hunt) = (sender.clone(), &hunt);
                thread::Builder::new()
                    .name("worker".into())
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || {
                        if let Err(error) = hunt.work(&sender) {
                            hunt.stop.store(true, Ordering::Relaxed);
                            // Without a listener the hunt is over anyway.
                            let _ = sender.send(Event::Failed(error));
                        }
                    })
                    .inspect_err(|_| hunt.stop.store(true, Ordering::Relaxed))?;
            }
            drop(sender);
            loop {
                let event = match receiver.recv_timeout(Duration::from_millis(250)) {
                    Ok(event) => Some(event),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                };
                if !tell(event) {
                    hunt.stop.store(true, Ordering::Relaxed);
                }
            }
        })?;
        Ok(hunt.store.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The numbers of the programs that are to be tested.
struct Numbers {
    next: u64,
    done: BTreeSet<u64>,
    end: Option<u64>,
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.done.remove(&self.next) {
            self.next += 1;
        }
        if self.end.is_some_and(|end| self.next >= end) {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

/// What the workers share.
struct Hunt<'a> {
    campaign: &'a Campaign,
    limits: &'a Limits,
    base: &'a Path,
    store: Mutex<Store>,
    numbers: Mutex<Numbers>,
    stop: AtomicBool,
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
    hunt: &'a Hunt<'a>,
    sender: &'a mpsc::Sender<Event>,
    scratch: Scratch,
}

impl Hunt<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn store(&self) -> std::sync::MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tests one program after the other.
    fn work(&self, sender: &mpsc::Sender<Event>) -> anyhow::Result<()> {
        let worker = Worker { hunt: self, sender, scratch: Scratch::new(self.base)? };
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
        let campaign = self.hunt.campaign;
        let subjects: Vec<&Subject> = campaign.tested.iter().map(|one| &one.subject).collect();
        let mut record =
            Record { tally: Tally { programs: 1, ..Tally::default() }, troubles: Vec::new() };
        for group in &campaign.groups {
            let Record { tally, troubles } = &mut record;
            for case in campaign.programs.of(number, group, &subjects, tally, troubles) {
                if self.hunt.limits.keep_all {
                    self.hunt.store().keep(&case.hash, &case.sources)?;
                }
                self.test_case(group, &case, &mut record)?;
                if self.hunt.stopped() {
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
        self.hunt.store().finish(number, &tally, &troubles)?;
        self.tell(Event::Program(tally));
        Ok(())
    }

    /// Gives a program to every subject of its group, with all of its flags.
    fn test_case(&self, group: &Group, case: &Case, record: &mut Record) -> anyhow::Result<()> {
        let campaign = self.hunt.campaign;
        let all = match case.known {
            Known::Nothing => &campaign.compiled,
            Known::Behavior(_) | Known::Agreement(_) => &campaign.tested,
        };
        let executed = Executed::default();
        let mut ballots = Vec::new();
        for tested in all.iter().filter(|tested| group.has(&tested.subject)) {
            let catalogue = self.catalogue(tested)?;
            for flags in flag_sets(tested, catalogue, campaign.settings.flag_sets, case.seed) {
                let subject = &tested.subject;
                record.tally.trials += 1;
                let outcome = self.attempt(case, subject, &flags, &executed, &mut record.tally);
                self.tell(Event::Trial);
                if let Known::Agreement(_) = case.known {
                    ballots.push(Ballot { subject, flags, outcome });
                } else {
                    self.judge_alone(case, subject, flags, &outcome, record)?;
                }
                if self.hunt.stopped() {
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
            let answer = read_catalogue(subject, &self.hunt.campaign.sandbox, self.hunt.base)?;
            self.hunt.store().set_catalogue(&Tested::key(subject), &answer)?;
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
            Judgement::Finding(kind) if !self.hunt.campaign.programs.mode.wants(kind) => {
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
        if self.hunt.store().add(&finding, &case.sources)? {
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
        let Campaign { sandbox, bounds, .. } = self.hunt.campaign;
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

/// Judges a trial. Where the program cannot be run, or is not to be, it is enough that it was
/// compiled.
pub(crate) fn judge_trial(subject: &Subject, expected: &Behavior, outcome: &Outcome) -> Judgement {
    match (&subject.runner, outcome) {
        (Runner::Nothing(why), Outcome::Infrastructure { what }) if why == what => {
            Judgement::Agrees
        }
        _ => match judge(subject, expected, outcome) {
            Judgement::Finding(FindingKind::ValidProgramRejected) if !knows_extensions(subject) => {
                Judgement::Inconclusive(NOT_ALL_OF_THE_LANGUAGE.to_owned())
            }
            judgement => judgement,
        },
    }
}

/// Judges a trial with a program of which nothing is known: all but a compiler that breaks
/// down is as it may be.
pub(crate) fn judge_uncertified(outcome: &Outcome) -> Judgement {
    match judge_compiler(outcome) {
        Judgement::Inconclusive(_) => Judgement::Agrees,
        Judgement::Infrastructure(what) if what == NOT_RUN => Judgement::Agrees,
        judgement => judgement,
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

/// An outcome in words.
pub(crate) fn describe(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ran { status, output } => with_output(&format!("exit status {status}"), output),
        Outcome::CompileError { text } => format!("the compiler refuses it:\n{text}"),
        Outcome::CompilerCrash { signal: Some(signal), text } => {
            format!("the compiler crashes by signal {signal}:\n{text}")
        }
        Outcome::CompilerCrash { signal: None, text } => format!("the compiler crashes:\n{text}"),
        Outcome::CompilerTimeout => "the compiler does not end".to_owned(),
        Outcome::CompilerOutOfMemory { text } => {
            format!("the compiler needs more memory than it may have:\n{text}")
        }
        Outcome::RunCrash { signal, output } => match signal {
            Some(signal) => with_output(&format!("ended by signal {signal}"), output),
            None => with_output("its simulator broke down", output),
        },
        Outcome::RunTimeout { output } => with_output("does not end", output),
        Outcome::RunExcess { of, output } => {
            // An endless output has a beginning that says enough.
            let beginning = &output[..output.len().min(1000)];
            with_output(&format!("too much {}", format!("{of:?}").to_lowercase()), beginning)
        }
        Outcome::Infrastructure { what } => format!("was not tried: {what}"),
    }
}

/// How a program ends, and what it has written, if anything.
pub(crate) fn with_output(ending: &str, output: &[u8]) -> String {
    match output {
        [] => ending.to_owned(),
        output => format!("{ending}, output:\n{}", String::from_utf8_lossy(output)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_not_done_again() {
        let done = [0, 1, 3].into_iter().collect();
        let numbers = Numbers { next: 0, done, end: Some(6) };
        assert_eq!(numbers.collect::<Vec<_>>(), [2, 4, 5]);
        let done = [5].into_iter().collect();
        assert_eq!(Numbers { next: 0, done, end: Some(2) }.collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn a_mode_wants_its_kinds() {
        for kind in FindingKind::ALL {
            assert!(Mode::Both.wants(kind));
            assert_ne!(Mode::Crash.wants(kind), Mode::WrongCode.wants(kind));
        }
        assert!(Mode::WrongCode.wants(FindingKind::RunHang));
        assert!(Mode::Crash.wants(FindingKind::ValidProgramRejected));
    }
}
