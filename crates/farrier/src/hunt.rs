//! A hunt: programs are made, given to compilers and judged.
//!
//! Which programs are tested and with which flags follows from the seed and their number,
//! never from time or the number of workers. docs/design/hunt.md explains the rest.

mod cases;
mod corpus;
mod mutants;
mod queue;
mod recipe;
mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use farrier_harness::{Catalogue, Sandbox, Subject, TrialBounds};
use farrier_lang::STACK_BYTES;

use self::cases::{Group, Programs};
pub(crate) use self::corpus::Corpus;
use self::queue::Numbers;
pub(crate) use self::recipe::prepare;
use self::worker::Shared;
use crate::finding::{Finding, Mode, Settings, Store, Tally};

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
pub(crate) struct Hunt {
    settings: Settings,
    programs: Programs,
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

impl Hunt {
    /// Prepares a hunt.
    pub(crate) fn new(
        settings: Settings,
        mode: Mode,
        corpus: Option<Corpus>,
        tested: Vec<Tested>,
        sandbox: Sandbox,
        bounds: TrialBounds,
    ) -> Self {
        let subjects: Vec<&Subject> = tested.iter().map(|one| &one.subject).collect();
        let groups = Group::all(&settings, &subjects);
        let programs = Programs { seed: settings.seed, mode, corpus };
        Self { settings, programs, tested, groups, sandbox, bounds }
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
        let shared = Shared {
            hunt: self,
            limits,
            base,
            store: Mutex::new(store),
            numbers: Mutex::new(numbers),
            stop: AtomicBool::new(false),
        };
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| -> anyhow::Result<()> {
            for _ in 0..limits.jobs {
                let (sender, shared) = (sender.clone(), &shared);
                thread::Builder::new()
                    .name("worker".into())
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || {
                        if let Err(error) = shared.work(&sender) {
                            shared.stop.store(true, Ordering::Relaxed);
                            // Without a listener the hunt is over anyway.
                            let _ = sender.send(Event::Failed(error));
                        }
                    })
                    .inspect_err(|_| shared.stop.store(true, Ordering::Relaxed))?;
            }
            drop(sender);
            loop {
                let event = match receiver.recv_timeout(Duration::from_millis(250)) {
                    Ok(event) => Some(event),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                };
                if !tell(event) {
                    shared.stop.store(true, Ordering::Relaxed);
                }
            }
        })?;
        Ok(shared.store.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
