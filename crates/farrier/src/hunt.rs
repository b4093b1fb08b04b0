//! A hunt: programs are made, given to compilers and judged.
//!
//! Which programs are tested and with which flags follows from the seed and their number,
//! never from time or the number of workers. docs/design/hunt.md explains the rest.

mod cases;
mod corpus;
mod event;
mod mutants;
mod outfit;
mod queue;
mod recipe;
mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use farrier_harness::{Catalogue, Sandbox, Scratch, Subject, TrialBounds};
use farrier_lang::STACK_BYTES;

use self::cases::{Cohort, Programs};
pub(crate) use self::corpus::{CauseCount, Corpus};
pub use self::corpus::{Classified, census};
pub(crate) use self::event::{HuntEvent, TestedPart};
pub(crate) use self::outfit::dressed;
pub(crate) use self::queue::Queue;
pub(crate) use self::recipe::{Prepared, make, prepare};
use self::worker::Worker;
use crate::finding::{HuntSettings, Level, Store};

/// A subject with what is drawn for it.
#[derive(Clone, Debug)]
pub(crate) struct Tested {
    /// The compiler.
    pub(crate) subject: Subject,
    /// The levels at which it is tested.
    pub(crate) levels: Vec<Level>,
    /// Whether the user named it, so that it gets every program.
    pub(crate) asked: bool,
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
pub(crate) struct Hunt {
    programs: Programs,
    tested: Vec<Tested>,
    cohorts: Vec<Cohort>,
    sandbox: Sandbox,
    bounds: TrialBounds,
    /// Whether programs without a finding are kept.
    keep_all: bool,
}

/// When a hunt ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HuntLimits {
    /// How many workers there are.
    pub(crate) jobs: usize,
    /// When so many programs are done, with those of earlier starts.
    pub(crate) programs: Option<u64>,
    /// What the directory may hold.
    pub(crate) disk: u64,
}

/// The parts of numbers that are done, by their keys.
type DoneParts = BTreeMap<u64, BTreeSet<String>>;

/// So many events wait for the disk at most.
const MOST_WAITING: usize = 256;

/// Why a hunt has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// There was nothing more to do, or it was asked to.
    Asked,
    /// The directory is full.
    Full,
    /// Something does not work.
    Failed,
}

impl Hunt {
    /// Prepares a hunt.
    pub(crate) fn new(
        settings: HuntSettings,
        corpus: Option<Corpus>,
        tested: Vec<Tested>,
        sandbox: Sandbox,
        bounds: TrialBounds,
        keep_all: bool,
    ) -> Self {
        let cohorts = Cohort::all(&settings, &tested);
        let programs = Programs { settings, corpus };
        Self { programs, tested, cohorts, sandbox, bounds, keep_all }
    }

    /// Hunts until something ends it. Workers report to this thread, which writes to the store
    /// and then tells `tell`: a finding that is told is on disk. It is called at least every
    /// quarter of a second and says whether to go on.
    pub(crate) fn run(
        &self,
        store: &mut Store,
        queue: &Queue,
        limits: &HuntLimits,
        base: &Path,
        mut tell: impl FnMut(Option<HuntEvent>) -> bool,
    ) -> anyhow::Result<End> {
        let parts = store.parts()?;
        // A worker waits where the disk is slower than all of them.
        let (sender, receiver) = mpsc::sync_channel(MOST_WAITING);
        let mut ended = End::Asked;
        thread::scope(|scope| -> anyhow::Result<()> {
            // If this ends early it goes, so that no worker waits for it.
            let receiver = receiver;
            for _ in 0..limits.jobs {
                let (sender, parts) = (sender.clone(), &parts);
                thread::Builder::new()
                    .name("worker".into())
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || self.work(base, queue, parts, &sender))
                    .inspect_err(|_| queue.stop())?;
            }
            drop(sender);
            loop {
                let event = match receiver.recv_timeout(Duration::from_millis(250)) {
                    // After a failure nothing is written: what was not done is tested again.
                    Ok(event) if ended != End::Failed => event::write(store, event),
                    Ok(event) => Some(event).filter(|event| matches!(event, HuntEvent::Failed(_))),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                };
                match &event {
                    Some(HuntEvent::Failed(_)) => ended = End::Failed,
                    Some(HuntEvent::Done { .. }) if self.is_full(store, limits) => {
                        ended = End::Full
                    }
                    _ => {}
                }
                if !tell(event) || ended != End::Asked {
                    queue.stop();
                }
            }
        })?;
        Ok(ended)
    }

    /// Before which number it ends: every file of a corpus alone has one turn.
    pub(crate) fn end(&self, limits: &HuntLimits) -> Option<u64> {
        let only = self.programs.settings.has_only_corpus();
        let files = self.programs.corpus.as_ref().filter(|_| only).map(Corpus::count);
        limits.programs.into_iter().chain(files).min()
    }

    /// The programs from elsewhere, if there are any.
    pub(crate) fn corpus(&self) -> Option<&Corpus> {
        self.programs.corpus.as_ref()
    }

    /// Whether the directory holds more than it may. The next event finds out why it cannot be
    /// read.
    fn is_full(&self, store: &Store, limits: &HuntLimits) -> bool {
        let remembered = self.programs.corpus.as_ref().map_or(0, Corpus::bytes);
        store.bytes().is_ok_and(|bytes| bytes + remembered > limits.disk)
    }

    fn work(
        &self,
        base: &Path,
        queue: &Queue,
        parts: &DoneParts,
        sender: &mpsc::SyncSender<HuntEvent>,
    ) {
        // Without a listener the hunt is over anyway.
        let tell = |event| drop(sender.send(event));
        let worked = Scratch::new(base).map_err(anyhow::Error::from).and_then(|scratch| {
            Worker { hunt: self, queue, parts, tell: &tell, base, scratch }.work()
        });
        if let Err(error) = worked {
            queue.stop();
            tell(HuntEvent::Failed(error));
        }
    }
}
