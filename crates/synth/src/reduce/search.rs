//! Goes through the parts of a list of edits, several at once.
//!
//! One after the other, it is this: all edits are tried together; what fails is halved, the
//! front first; what succeeds changes the program for all that come after. Several at once
//! come to the very same: what comes next if those that are being tried fail, as most do, is
//! tried as well, and forgotten if one of them does not.

#![expect(
    clippy::disallowed_types,
    reason = "the locks belong to one search; what comes of it does not depend on who is first"
)]

use std::collections::VecDeque;
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use farrier_lang::STACK_BYTES;
use rustc_hash::FxHashSet;

use super::Progress;

/// The part of the list of edits that is tried at once.
pub(super) type Part = Range<usize>;

/// What came of a part.
pub(super) enum Tried<T, E> {
    /// It becomes the best so far.
    Good(T),
    /// It is halved. A number says what was changed, if that is to be remembered.
    Bad(Option<u64>),
    /// It cannot be tried.
    Trouble(E),
}

/// Why a search ends before its time.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Stopped<E> {
    /// The listener has seen enough.
    Enough,
    /// Something could not be tried.
    Trouble(E),
}

/// Who is told what came of a part, or what it changed in vain; a new program if there is one.
pub(super) type Settle<'a, S, T, E> =
    dyn FnMut(Result<T, Option<u64>>) -> Result<Option<Arc<S>>, Stopped<E>> + 'a;

/// Whether the answer is no longer wanted.
pub(super) struct Stale(Arc<AtomicBool>);

impl Stale {
    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How much is done at once. What comes of a reduction does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    /// How many candidates the judge is asked about at once.
    pub tests: usize,
    /// How many processors there are: as many candidates are made and run at once.
    pub processors: usize,
}

impl Default for Workers {
    fn default() -> Self {
        Self { tests: 1, processors: 1 }
    }
}

/// Who tries.
#[derive(Clone, Copy)]
pub(super) struct Crew<'scope, 'env> {
    pub(super) scope: &'scope Scope<'scope, 'env>,
    pub(super) workers: Workers,
}

impl<'scope> Crew<'scope, '_> {
    /// Tries all edits of a list of `count`. `settle` is told what came of each part, in order:
    /// what is good becomes a new program.
    pub(super) fn search<S, T, E, A>(
        self,
        count: usize,
        mut program: Arc<S>,
        attempt: A,
        settle: &mut Settle<'_, S, T, E>,
    ) -> Result<(), Stopped<E>>
    where
        S: Send + Sync + 'scope,
        T: Send + 'scope,
        E: Send + 'scope,
        A: Fn(&S, Part, &Stale) -> Tried<T, E> + Send + Sync + 'scope,
    {
        let attempt = Arc::new(attempt);
        let mut waiting = Vec::from_iter((count > 0).then_some(0..count));
        let mut flights: VecDeque<(Vec<Part>, Flight<'scope, T, E>)> = VecDeque::new();
        let mut stale = Arc::new(AtomicBool::new(false));
        let mut failures = 0;
        loop {
            // After a success the next may be one, too; after a failure all processors work;
            // more than that only after many failures. So what is tried in vain when one
            // succeeds stays a fraction of all.
            let Workers { tests, processors } = self.workers;
            let most = tests.min(processors.min(1 + failures).max(1 + failures / 4)).max(1);
            while flights.len() < most
                && let Some(part) = waiting.pop()
            {
                let rest = waiting.clone();
                split(&mut waiting, part.clone());
                let flag = Stale(Arc::clone(&stale));
                let (attempt, program) = (Arc::clone(&attempt), Arc::clone(&program));
                let work = move || attempt(&program, part, &flag);
                flights.push_back((rest, Flight::begin(self, work)));
            }
            let Some((rest, flight)) = flights.pop_front() else { return Ok(()) };
            match flight.land() {
                Tried::Good(good) => {
                    failures = 0;
                    flights.clear();
                    waiting = rest;
                    stale.store(true, Ordering::Relaxed);
                    stale = Arc::default();
                    if let Some(changed) = settle(Ok(good))? {
                        program = changed;
                    }
                }
                Tried::Bad(changed) => {
                    failures += 1;
                    settle(Err(changed))?;
                }
                Tried::Trouble(trouble) => return Err(Stopped::Trouble(trouble)),
            }
        }
    }
}

/// A part that is being tried.
enum Flight<'scope, T, E> {
    Running(ScopedJoinHandle<'scope, Tried<T, E>>),
    Done(Tried<T, E>),
}

impl<'scope, T: Send + 'scope, E: Send + 'scope> Flight<'scope, T, E> {
    fn begin(crew: Crew<'scope, '_>, work: impl FnOnce() -> Tried<T, E> + Send + 'scope) -> Self {
        if crew.workers.tests <= 1 {
            return Self::Done(work());
        }
        let thread = Builder::new().stack_size(STACK_BYTES).spawn_scoped(crew.scope, work);
        Self::Running(thread.expect("a thread can be started"))
    }

    fn land(self) -> Tried<T, E> {
        match self {
            Self::Running(thread) => match thread.join() {
                Ok(tried) => tried,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Self::Done(tried) => tried,
        }
    }
}

/// Pushes the halves of a part so that the first is popped first.
fn split(parts: &mut Vec<Part>, part: Part) {
    if part.len() > 1 {
        let middle = part.start + part.len() / 2;
        parts.push(middle..part.end);
        parts.push(part.start..middle);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is locked is right even after a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was refused, so that nothing is tried twice.
#[derive(Default)]
pub(super) struct Known<T>(Mutex<FxHashSet<T>>);

impl<T: Eq + Hash> Known<T> {
    pub(super) fn contains(&self, value: &T) -> bool {
        lock(&self.0).contains(value)
    }

    pub(super) fn insert(&self, value: T) {
        lock(&self.0).insert(value);
    }
}

/// What is counted wherever it happens.
#[derive(Default)]
pub(super) struct Counts {
    judged: AtomicUsize,
    refused: AtomicUsize,
    ill_formed: AtomicUsize,
    undefined: AtomicUsize,
}

impl Counts {
    pub(super) fn starting_from(progress: Progress) -> Self {
        Self {
            judged: progress.judged.into(),
            refused: progress.refused.into(),
            ill_formed: progress.ill_formed.into(),
            undefined: progress.undefined.into(),
        }
    }

    pub(super) fn judged(&self) {
        self.judged.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ill_formed(&self) {
        self.ill_formed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn undefined(&self) {
        self.undefined.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn added_to(&self, progress: Progress) -> Progress {
        Progress {
            judged: self.judged.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            ill_formed: self.ill_formed.load(Ordering::Relaxed),
            undefined: self.undefined.load(Ordering::Relaxed),
            ..progress
        }
    }
}

/// Lets only so many do something at once.
pub(super) struct Permits {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Permits {
    pub(super) fn new(count: usize) -> Self {
        Self { free: Mutex::new(count.max(1)), returned: Condvar::new() }
    }

    /// Waits until it is free, and does something.
    pub(super) fn with<T>(&self, work: impl FnOnce() -> T) -> T {
        let mut free = lock(&self.free);
        while *free == 0 {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        let result = work();
        *lock(&self.free) += 1;
        self.returned.notify_one();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(tests: usize) -> Workers {
        Workers { tests, processors: 2 }
    }

    /// What is left of the numbers up to `count` when those that `needed` names must stay,
    /// and in which order the parts were settled.
    fn kept(count: usize, needed: &[usize], width: usize) -> (Vec<usize>, Vec<bool>) {
        let mut order = Vec::new();
        let mut best = Vec::new();
        std::thread::scope(|scope| {
            let crew = Crew { scope, workers: workers(width) };
            let attempt = |kept: &Vec<usize>, part: Part, _: &Stale| {
                let rest: Vec<usize> =
                    kept.iter().copied().filter(|number| !part.contains(number)).collect();
                match needed.iter().all(|number| rest.contains(number)) {
                    true => Tried::Good(rest),
                    false => Tried::Bad(None),
                }
            };
            let done = crew.search(count, Arc::new((0..count).collect()), attempt, &mut |good| {
                order.push(good.is_ok());
                best = good.clone().unwrap_or(std::mem::take(&mut best));
                Ok::<_, Stopped<()>>(good.ok().map(Arc::new))
            });
            assert_eq!(done, Ok(()));
        });
        (best, order)
    }

    #[test]
    fn many_workers_find_what_one_finds_in_the_same_order() {
        let one = kept(100, &[3, 50, 51, 99], 1);
        assert_eq!(one.0, [3, 50, 51, 99]);
        for width in [2, 3, 10] {
            assert_eq!(kept(100, &[3, 50, 51, 99], width), one);
        }
    }

    #[test]
    fn trouble_stops_it() {
        for width in [1, 4] {
            let mut settled = 0;
            let done = std::thread::scope(|scope| {
                let attempt = |_: &(), part: Part, _: &Stale| match part.len() {
                    1 => Tried::<(), _>::Trouble(7),
                    _ => Tried::Bad(None),
                };
                Crew { scope, workers: workers(width) }.search(
                    8,
                    Arc::new(()),
                    attempt,
                    &mut |_| {
                        settled += 1;
                        Ok(None)
                    },
                )
            });
            assert_eq!((done, settled), (Err(Stopped::Trouble(7)), 3));
        }
    }

    #[test]
    fn permits_are_given_back() {
        let permits = Permits::new(1);
        assert_eq!((permits.with(|| 1), permits.with(|| 2)), (1, 2));
    }
}
