//! The numbers that are to be tested, each once in the life of a hunt.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where workers get their numbers from, until it is stopped.
#[derive(Debug)]
pub(super) struct Queue {
    numbers: Mutex<Numbers>,
    stopped: AtomicBool,
}

impl Queue {
    /// All numbers that are not done and before the end, if there is one.
    pub(super) fn new(done: BTreeSet<u64>, end: Option<u64>) -> Self {
        let numbers = Mutex::new(Numbers { next: 0, done, end });
        Self { numbers, stopped: AtomicBool::new(false) }
    }

    /// The next number; `None` says that there is nothing more to do.
    pub(super) fn next(&self) -> Option<u64> {
        let next = || self.numbers.lock().unwrap_or_else(PoisonError::into_inner).next();
        (!self.is_stopped()).then(next).flatten()
    }

    /// No more numbers are given, and those that are not done are given up.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the work at a number is to be given up.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_not_done_again() {
        let numbers = |done: &[u64], end| {
            let queue = Queue::new(done.iter().copied().collect(), Some(end));
            std::iter::from_fn(|| queue.next()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&[0, 1, 3], 6), [2, 4, 5]);
        assert_eq!(numbers(&[5], 2), [0, 1]);
    }

    #[test]
    fn nothing_is_given_after_the_end() {
        let queue = Queue::new(BTreeSet::new(), None);
        assert_eq!(queue.next(), Some(0));
        queue.stop();
        assert_eq!(queue.next(), None);
    }
}
