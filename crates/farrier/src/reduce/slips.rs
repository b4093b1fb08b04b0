//! Other bugs that are met on the way.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use farrier_lang::SourceText;

use super::PROGRAM;
use super::interest::CompilerFault;
use crate::finding::Finding;

/// How many bugs beside the one that is reduced are kept of one reduction.
const MOST_SLIPS: usize = 4;

/// How many candidates of one reduction are looked at for other bugs.
const MOST_LOOKS: usize = 20;

/// Another bug, and the program that shows it.
#[derive(Clone, Debug)]
pub(crate) struct Slip {
    failure: CompilerFault,
    text: String,
}

impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CompilerFault { conviction, mark, .. } = &self.failure;
        let kind = conviction.kind();
        if mark.is_empty() { write!(f, "{kind}") } else { write!(f, "{kind}, {mark}") }
    }
}

/// The slips of a reduction, each once.
#[derive(Debug, Default)]
pub(super) struct Slips {
    kept: Mutex<Vec<Slip>>,
    /// How many candidates were looked at.
    looks: AtomicUsize,
}

impl Slips {
    /// Keeps what shows another bug, unless that is known already or does not happen every
    /// time.
    pub(super) fn keep(
        &self,
        failure: &CompilerFault,
        is_new: impl FnOnce() -> bool,
        slip: impl FnOnce() -> Slip,
    ) {
        let full = |kept: &[Slip]| {
            kept.len() >= MOST_SLIPS || kept.iter().any(|slip| slip.failure.is_like(failure))
        };
        let looked = !full(&self.lock()) && self.looks.fetch_add(1, Ordering::Relaxed) < MOST_LOOKS;
        if looked && is_new() {
            let mut kept = self.lock();
            if !full(&kept) {
                kept.push(slip());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slip>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn into_kept(self) -> Vec<Slip> {
        self.kept.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slip {
    pub(super) fn new(failure: CompilerFault, text: &str) -> Self {
        Self { failure, text: text.to_owned() }
    }

    /// The finding that it is: its program descends from that of another.
    pub(super) fn into_finding(self, origin: &Finding) -> (Finding, Vec<SourceText>) {
        let Self { failure: CompilerFault { conviction, outcome, expectation, .. }, text } = self;
        let sources = vec![SourceText::new(PROGRAM, text)];
        (origin.slip(&conviction, &expectation, &outcome, &sources), sources)
    }
}
