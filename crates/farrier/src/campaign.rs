//! A hunt: programs are made, given to compilers and judged.
//!
//! Which programs are tested and with which flags follows from the seed and their number,
//! never from time or the number of workers. docs/design/hunt.md explains the rest.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use farrier_harness::{
    Catalogue, Executed, Family, FindingKind, FlagPolicy, Judgement, Outcome, Runner, Sandbox,
    Scratch, Source, Subject, Trial, TrialBounds, choose, compile_and_run, confirm, judge,
};
use farrier_lang::target::AVR;
use farrier_lang::{STACK_BYTES, Target};
use farrier_machine::{Behavior, Ending};
use farrier_synth::features::Feature;
use farrier_synth::{Check, Choices, Config, Preset, generate};

use crate::store::{Finding, Settings, Store, StoredSubject, Tally, case_hash};

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

/// Why the programs of a crash hunt are not run.
const NOT_RUN: &str = "compiled programs are not run in a hunt for crashes";

/// A program for AVR is not longer than this: the simulated machine is small.
const AVR_SIZE: usize = 8_000;

/// A program for AVR executes no more operations: the simulated machine is slow.
const AVR_STEPS: u64 = 20_000;

/// Features that are extensions of GNU C. Compilers that do not promise these extensions get
/// programs without them.
const EXTENSIONS: [Feature; 7] = [
    Feature::Int128,
    Feature::Packed,
    Feature::Aligned,
    Feature::BitBuiltin,
    Feature::OverflowBuiltin,
    Feature::ByteSwap,
    Feature::Attribute,
];

/// Whether a compiler promises the extensions of GNU C.
fn knows_extensions(subject: &Subject) -> bool {
    matches!(subject.family, Family::Gcc | Family::Clang | Family::Zig)
}

/// Subjects that get the same programs.
#[derive(Debug)]
struct Group {
    target: &'static Target,
    extensions: bool,
    config: Config,
}

impl Group {
    fn has(&self, subject: &Subject) -> bool {
        subject.target.is_some_and(|target| target.name == self.target.name)
            && knows_extensions(subject) == self.extensions
    }
}

/// A subject with what is drawn for it.
#[derive(Debug)]
pub(crate) struct Tested {
    /// The compiler. A level may be several flags.
    pub(crate) subject: Subject,
    /// Its own flags; `None` if none are drawn.
    pub(crate) catalogue: Option<Catalogue>,
}

/// A hunt in memory.
#[derive(Debug)]
pub(crate) struct Campaign {
    settings: Settings,
    mode: Mode,
    tested: Vec<Tested>,
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
    Trial {
        /// Its processor time.
        compiler: Duration,
        /// That of the compiled program.
        program: Duration,
    },
    /// A finding is on disk.
    Finding(Box<Finding>),
    /// A program is done.
    Program(Tally),
    /// The directory is full.
    Full,
    /// The hunt cannot go on.
    Failed(anyhow::Error),
}

/// A program and what it does, without its tree.
struct Case {
    sources: Vec<Source>,
    hash: String,
    expected: Behavior,
    number: u64,
    seed: u64,
}

impl Campaign {
    /// Prepares a hunt.
    pub(crate) fn new(
        settings: Settings,
        mode: Mode,
        mut tested: Vec<Tested>,
        sandbox: Sandbox,
    ) -> Self {
        if mode == Mode::Crash {
            for one in &mut tested {
                one.subject.runner = Runner::Nothing(NOT_RUN.to_owned());
            }
        }
        let mut groups = Vec::new();
        for target in farrier_lang::target::TARGETS {
            for extensions in [true, false] {
                let config = config(&settings, target, extensions);
                let group = Group { target, extensions, config };
                if tested.iter().any(|one| group.has(&one.subject)) {
                    groups.push(group);
                }
            }
        }
        Self { settings, mode, tested, groups, sandbox, bounds: TrialBounds::default() }
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
        let numbers = Numbers { next: 0, done: store.done()?, end: limits.programs };
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

/// What programs for a target are like.
fn config(settings: &Settings, target: &'static Target, extensions: bool) -> Config {
    let mut config = Config { target, size: settings.size, ..Config::default() };
    Preset::by_name(&settings.preset).unwrap_or_default().apply(&mut config);
    if target.name == AVR.name {
        config.size = config.size.min(AVR_SIZE);
        config.steps = config.steps.min(AVR_STEPS);
        // Its library cannot print a `long long`, as a checksum is.
        config.check = Check::Asserts;
    }
    if !extensions {
        for feature in EXTENSIONS {
            config.weights.set(feature, 0);
        }
    }
    config
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
    /// Tests the program of a number with every subject. If the hunt is stopped on the way
    /// the program is not done, and is tested again when the hunt goes on.
    fn test(&self, number: u64) -> anyhow::Result<()> {
        let campaign = self.hunt.campaign;
        let seed = Choices::derive_seed(campaign.settings.seed, number);
        let mut tally = Tally { programs: 1, ..Tally::default() };
        let mut troubles = Vec::new();
        for group in &campaign.groups {
            let made = catch_unwind(AssertUnwindSafe(|| generate(seed, &group.config)));
            let made = match made {
                Ok(Ok(made)) => made,
                Ok(Err(_)) => {
                    tally.refused += 1;
                    continue;
                }
                Err(_) => {
                    tally.panicked += 1;
                    continue;
                }
            };
            let files = made.files.into_iter();
            let sources: Vec<Source> =
                files.map(|file| Source { name: file.name, text: file.text }).collect();
            let expected = made.certified.behavior().clone();
            // The tree is bigger than all the rest and is not needed while compilers run.
            drop(made.certified);
            let case = Case { hash: case_hash(&sources), sources, expected, number, seed };
            if self.hunt.limits.keep_all {
                self.hunt.store().keep(&case.hash, &case.sources)?;
            }
            let executed = Executed::default();
            for tested in &campaign.tested {
                if !group.has(&tested.subject) {
                    continue;
                }
                for flags in flag_sets(tested, campaign.settings.flag_sets, seed) {
                    self.try_one(
                        &case,
                        &tested.subject,
                        flags,
                        &executed,
                        &mut tally,
                        &mut troubles,
                    )?;
                    if self.hunt.stopped() {
                        return Ok(());
                    }
                }
            }
        }
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

    /// Gives a program to a subject, and stores what is found.
    fn try_one(
        &self,
        case: &Case,
        subject: &Subject,
        flags: Vec<String>,
        executed: &Executed,
        tally: &mut Tally,
        troubles: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        let mode = self.hunt.campaign.mode;
        let attempt = |executed: &Executed, tally: &mut Tally| {
            let trial = self.trial(subject, &flags, &case.sources, executed);
            tally.compiler_time += trial.compiler_cpu;
            tally.program_time += trial.program_cpu;
            tally.reused += u64::from(trial.reused);
            self.tell(Event::Trial { compiler: trial.compiler_cpu, program: trial.program_cpu });
            let judgement = judge_trial(subject, &case.expected, &trial.outcome);
            (trial.outcome, judgement)
        };
        tally.trials += 1;
        let (outcome, mut judgement) = attempt(executed, tally);
        if let Judgement::Finding(kind) = judgement
            && !mode.wants(kind)
        {
            judgement = Judgement::Agrees;
        }
        match confirm(&outcome, judgement, || attempt(&Executed::default(), tally)) {
            Judgement::Agrees => {}
            Judgement::Inconclusive(why) => {
                tally.inconclusive += 1;
                troubles.push(format!("inconclusive: {}: {why}", subject.name));
            }
            Judgement::Infrastructure(what) => {
                tally.infrastructure += 1;
                troubles.push(format!("not tried: {}: {what}", subject.name));
            }
            Judgement::Finding(kind) => {
                let finding = Finding {
                    name: Finding::name_of(kind, subject, &flags, case.number),
                    kind: kind.name().to_owned(),
                    subject: StoredSubject::of(subject),
                    flags,
                    program: case.number,
                    seed: case.seed,
                    case: case.hash.clone(),
                    expected_output: case.expected.output.clone(),
                    expected_status: match case.expected.ending {
                        Ending::Exit(status) => Some(status),
                        Ending::Abort => None,
                    },
                    steps: case.expected.steps,
                    actual: describe(&outcome),
                    seen: String::new(),
                };
                if self.hunt.store().add(&finding, &case.sources)? {
                    self.tell(Event::Finding(Box::new(finding)));
                }
            }
        }
        Ok(())
    }

    fn trial(
        &self,
        subject: &Subject,
        flags: &[String],
        sources: &[Source],
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
                Judgement::Inconclusive("the compiler may not have all of the language".to_owned())
            }
            judgement => judgement,
        },
    }
}

/// The flags that a subject gets for a program: each of its levels, and so many random sets.
fn flag_sets(tested: &Tested, sets: u32, seed: u64) -> Vec<Vec<String>> {
    let split = |words: &str| words.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut all: Vec<Vec<String>> =
        tested.subject.levels.iter().map(|level| split(level)).collect();
    if let Some(catalogue) = &tested.catalogue {
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
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match outcome {
        Outcome::Ran { status, output } => {
            format!("exit status {status}, output:\n{}", text(output))
        }
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
            Some(signal) => format!("ended by signal {signal}, output:\n{}", text(output)),
            None => format!("its simulator broke down, output:\n{}", text(output)),
        },
        Outcome::RunTimeout { output } => format!("does not end, output:\n{}", text(output)),
        Outcome::RunExcess { of, output } => {
            // An endless output has a beginning that says enough.
            let beginning = &output[..output.len().min(1000)];
            format!("too much {}, output:\n{}", format!("{of:?}").to_lowercase(), text(beginning))
        }
        Outcome::Infrastructure { what } => format!("was not tried: {what}"),
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
