//! The numbers that are to be tested, each once in the life of a hunt.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where workers get their numbers from, until it is stopped.
#[derive(Debug)]
pub(crate) struct Queue {
    numbers: Mutex<Numbers>,
    /// Something has changed for those that wait.
    changed: Condvar,
    stopped: AtomicBool,
}

/// The numbers that are left.
#[derive(Debug)]
enum Numbers {
    /// This machine is alone: all that are not done, before the end if there is one.
    All { next: u64, done: BTreeSet<u64>, end: Option<u64> },
    /// Others give them out: those that came and were not taken, and whether no more will come.
    Given { waiting: VecDeque<u64>, closed: bool },
}

impl Queue {
    /// All numbers that are not done and before the end, if there is one.
    pub(crate) fn new(done: BTreeSet<u64>, end: Option<u64>) -> Self {
        Self::of(Numbers::All { next: 0, done, end })
    }

    /// Numbers that are given out elsewhere; workers wait for them.
    pub(crate) fn of_others() -> Self {
        Self::of(Numbers::Given { waiting: VecDeque::new(), closed: false })
    }

    fn of(numbers: Numbers) -> Self {
        Self {
            numbers: Mutex::new(numbers),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
        }
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next number; `None` says that there is nothing more to do. It waits for a number that
    /// may still come.
    pub(crate) fn next(&self) -> Option<u64> {
        let mut numbers = self.numbers();
        loop {
            if self.is_stopped() {
                return None;
            }
            match &mut *numbers {
                Numbers::All { next, done, end } => {
                    while done.remove(next) {
                        *next += 1;
                    }
                    if end.is_some_and(|end| *next >= end) {
                        return None;
                    }
                    *next += 1;
                    return Some(*next - 1);
                }
                Numbers::Given { waiting, closed } => match waiting.pop_front() {
                    Some(number) => return Some(number),
                    None if *closed => return None,
                    None => {}
                },
            }
            // The time is only for a stop that comes between the question and the wait.
            let limit = Duration::from_millis(200);
            let waited = self.changed.wait_timeout(numbers, limit);
            numbers = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// There are more numbers, in a queue of others.
    pub(crate) fn give(&self, numbers: impl IntoIterator<Item = u64>) {
        if let Numbers::Given { waiting, .. } = &mut *self.numbers() {
            waiting.extend(numbers);
        }
        self.changed.notify_all();
    }

    /// How many numbers of a queue of others wait for a worker.
    pub(crate) fn waiting(&self) -> usize {
        match &*self.numbers() {
            Numbers::Given { waiting, .. } => waiting.len(),
            Numbers::All { .. } => 0,
        }
    }

    /// No more numbers will come; those that are there are still given.
    pub(crate) fn close(&self) {
        if let Numbers::Given { closed, .. } = &mut *self.numbers() {
            *closed = true;
        }
        self.changed.notify_all();
    }

    /// No more numbers are given, and those that are not done are given up.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Whether the work at a number is to be given up.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
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

    #[test]
    fn numbers_of_others_are_waited_for() {
        let queue = Queue::of_others();
        queue.give([4, 2]);
        assert_eq!(queue.waiting(), 2);
        assert_eq!((queue.next(), queue.next()), (Some(4), Some(2)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| (queue.next(), queue.next()));
            queue.give([7]);
            queue.close();
            assert_eq!(waiting.join().expect("it does not panic"), (Some(7), None));
        });
    }
}
