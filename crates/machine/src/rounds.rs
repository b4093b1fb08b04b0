//! Loops of which the program promises that their rounds do not depend on each other:
//! `GCC ivdep`, `clang loop vectorize(assume_safety)` and `omp simd`.
//!
//! While such a loop runs, every byte of an object that was there before the loop has the
//! numbers of the rounds that last wrote and last read it. A byte that one round writes and
//! another one accesses breaks the promise, unless a `safelen` allows rounds so far apart.
//! Objects that a round makes are its own. Nothing is kept while no such loop runs.
//!
//! A loop may also be watched, for a profile: then nothing is judged.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use farrier_lang::StmtId;
use rustc_hash::FxHashMap;

use crate::kinds::UbKind;
use crate::memory::{Location, Memory, Slot};
use crate::profile::LoopProfile;
use crate::verdict::{Checked, undefined, unsupported};

/// How many bytes are tracked at most.
const MOST_BYTES: usize = 1 << 24;

/// How many places are found without a search.
const RECENT: usize = 8;

/// A loop of which something is promised, or asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundsRow {
    pub(crate) statement: StmtId,
    /// Rounds that are further apart than this may depend on each other.
    pub(crate) reach: u32,
    /// Whether it is a promise.
    pub(crate) judged: bool,
}

/// The rounds that accessed a byte; 0 is none.
#[derive(Clone, Copy, Debug, Default)]
struct Touched {
    written: u32,
    read: u32,
    /// The one that read it before that.
    read_before: u32,
}

impl Touched {
    /// Notes an access. Answers the nearest other round that it depends on.
    fn note(&mut self, now: u32, write: bool) -> Option<u32> {
        let other = |round: u32| (round != 0 && round != now).then_some(round);
        if write {
            let read = other(self.read).or(other(self.read_before));
            let nearest = other(self.written).max(read);
            self.written = now;
            return nearest;
        }
        if self.read != now {
            (self.read_before, self.read) = (self.read, now);
        }
        other(self.written)
    }
}

/// One execution of such a loop.
#[derive(Debug)]
struct Running {
    row: RoundsRow,
    /// The time when it began: what is younger is the round's own.
    since: u64,
    round: u32,
    /// What was done to each byte of the objects that it accessed, and where each slot has that.
    touched: Vec<Vec<Touched>>,
    places: FxHashMap<u32, usize>,
    /// Some of these places: a loop mostly accesses the same few objects. A slot is at its number
    /// modulo the length.
    recent: [Option<(u32, usize)>; RECENT],
    /// For each sum: its last value, and the sum of all steps as absolute values.
    sums: Vec<(i128, u128)>,
    /// Of a loop that is watched: the least distance of two rounds that depend on each other.
    carried: Option<u32>,
}

impl Running {
    /// Where it is kept what was done to an object.
    #[cold]
    fn search(&mut self, number: u32, slot: &Slot, bytes: &Cell<usize>) -> usize {
        let place = *self.places.entry(number).or_insert_with(|| {
            bytes.set(bytes.get() + slot.size as usize);
            self.touched.push(vec![Touched::default(); slot.size as usize]);
            self.touched.len() - 1
        });
        self.recent[number as usize % RECENT] = Some((number, place));
        place
    }
}

/// All executions that go on, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    active: Cell<bool>,
    running: RefCell<Vec<Running>>,
    bytes: Cell<usize>,
    /// What was seen of the loops that are watched, as far as they have ended.
    seen: RefCell<BTreeMap<StmtId, LoopProfile>>,
}

impl Rounds {
    /// Whether accesses must be recorded.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active.get()
    }

    /// A loop begins.
    pub(crate) fn begin(&self, row: RoundsRow, since: u64) {
        self.active.set(true);
        let running = Running {
            row,
            since,
            round: 0,
            touched: Vec::new(),
            places: FxHashMap::default(),
            recent: [None; RECENT],
            sums: Vec::new(),
            carried: None,
        };
        self.running.borrow_mut().push(running);
    }

    /// The innermost loop begins another round.
    pub(crate) fn next(&self) {
        if let Some(running) = self.running.borrow_mut().last_mut() {
            running.round += 1;
        }
    }

    /// The innermost loop ends.
    pub(crate) fn end(&self) {
        let mut all = self.running.borrow_mut();
        let ended = all.pop().expect("the loop has begun");
        let gone: usize = ended.touched.iter().map(Vec::len).sum();
        self.bytes.set(self.bytes.get() - gone);
        self.active.set(!all.is_empty());
        if !ended.row.judged {
            let mut seen = self.seen.borrow_mut();
            let loops = seen.entry(ended.row.statement).or_default();
            // The last round is the one in which the condition does not hold.
            loops.rounds = loops.rounds.max(ended.round.saturating_sub(1));
            loops.carried = nearer(loops.carried, ended.carried);
        }
    }

    /// Records an access to an object, whose slot has this number, for all loops that are
    /// tracked.
    pub(crate) fn record(
        &self,
        (number, slot): (u32, &Slot),
        offset: u64,
        size: u64,
        write: bool,
    ) -> Checked {
        for running in self.running.borrow_mut().iter_mut() {
            // No rounds are nearer to each other than two in turn.
            let decided = !running.row.judged && running.carried == Some(1);
            if decided || slot.born() > running.since {
                continue;
            }
            let now = running.round;
            let place = match running.recent[number as usize % RECENT] {
                Some((known, place)) if known == number => place,
                _ => running.search(number, slot, &self.bytes),
            };
            let bytes = &mut running.touched[place][offset as usize..(offset + size) as usize];
            let nearest = bytes.iter_mut().filter_map(|byte| byte.note(now, write)).max();
            let Some(nearest) = nearest.map(|round| now - round) else { continue };
            let row = running.row;
            if !row.judged {
                running.carried = nearer(running.carried, Some(nearest));
            } else if nearest <= row.reach {
                return broken(nearest, write);
            }
        }
        if self.bytes.get() > MOST_BYTES {
            return unsupported(
                "a promise about a loop that accesses more bytes than the machine can watch",
            );
        }
        Ok(())
    }

    /// What was seen of the loops that are watched, those among them that have not ended.
    pub(crate) fn take_seen(&self) -> BTreeMap<StmtId, LoopProfile> {
        let mut seen = self.seen.take();
        for running in self.running.borrow().iter().filter(|running| running.carried.is_some()) {
            let loops = seen.entry(running.row.statement).or_default();
            loops.carried = nearer(loops.carried, running.carried);
        }
        seen
    }

    /// The value of a signed sum of the innermost loop. Rounds may add to sums of their own,
    /// which must not overflow, whichever rounds are added: so the sum of all absolute values
    /// must fit.
    pub(crate) fn sum(&self, which: u32, value: i128, highest: u128) -> Checked {
        let mut all = self.running.borrow_mut();
        let running = all.last_mut().expect("the loop has begun");
        match running.sums.get_mut(which as usize) {
            None => running.sums.push((value, value.unsigned_abs())),
            Some((last, total)) => {
                *total += value.abs_diff(*last);
                *last = value;
                if *total > highest {
                    return unsupported("a reduction whose sums overflow in another order");
                }
            }
        }
        Ok(())
    }
}

/// The lesser of two distances, if there is one.
fn nearer(one: Option<u32>, other: Option<u32>) -> Option<u32> {
    one.into_iter().chain(other).min()
}

impl Memory {
    /// Records an access for all loops that are tracked.
    pub(crate) fn record_rounds(&self, at: Location, size: u64, write: bool) -> Checked {
        let slot = &self.slots[at.slot as usize];
        self.rounds.record((at.slot, slot), at.offset, size, write)
    }
}

#[cold]
fn broken(distance: u32, write: bool) -> Checked {
    let verb = if write { "written" } else { "read" };
    let before = match distance {
        1 => "the round before".to_owned(),
        _ => format!("a round {distance} before"),
    };
    let did = if write { "accessed" } else { "written" };
    undefined(
        UbKind::BrokenPromise,
        format!(
            "this object is {verb} here and was {did} in {before}, but a pragma promises that \
             the rounds of this loop do not depend on each other"
        ),
    )
}
