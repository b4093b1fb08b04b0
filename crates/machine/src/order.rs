//! The order of evaluation, while a program runs.
//!
//! C leaves the order of most operands open. The machine evaluates them in one
//! order, and where the effects of two operands could meet (`lower::order` decides
//! that beforehand) it records which bytes each of them reads and writes. Two
//! accesses of the same bytes, one of them a write, that no sequence point
//! separates are undefined (C11 6.5p2); if at least one of them is inside a called
//! function, the order is only unspecified (6.5.2.2p10).

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use crate::kinds::{Cause, UbKind};
use crate::verdict::{Checked, undefined, unspecified};

/// Where an access was: memory, a register of an active call, the output or the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Area {
    Slot(u32),
    Register(usize),
    Output,
    Input,
    /// Another stream.
    Stream(u32),
}

/// One access, to bits: bit-fields are no whole bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Entry {
    area: Area,
    start: u64,
    end: u64,
    write: bool,
    /// When what it belongs to was allocated.
    born: u64,
    /// How many calls were active.
    depth: u32,
    /// Whether a sequence point has come after it in its own operand.
    closed: bool,
}

/// An expression whose operands are being recorded.
#[derive(Debug)]
struct Scope {
    /// The first of its operands in [`Order::sections`].
    first: usize,
    /// What was allocated before the expression began.
    born: u64,
    depth: u32,
}

/// A call of a function that promises to have no effect.
#[derive(Clone, Copy, Debug)]
struct Promise {
    /// Whether it is `const`: it does not even read what can change.
    constant: bool,
    /// What is older than this is there after the call.
    since: u64,
    /// How many calls were active, this one included.
    depth: usize,
}

/// The record of accesses.
#[derive(Debug, Default)]
pub(crate) struct Order {
    active: Cell<bool>,
    /// Only what was born before this can be shared by two operands.
    born: Cell<u64>,
    depth: Cell<u32>,
    entries: RefCell<Vec<Entry>>,
    /// Where the entries of each operand begin, for all scopes: those of the innermost
    /// are the last, and every scope has one.
    sections: Vec<usize>,
    scopes: Vec<Scope>,
    /// The entries are made unique when there are more than this.
    compact_at: Cell<usize>,
    /// The active calls that promise to have no effect.
    promises: Vec<Promise>,
}

/// Below this many pairs, comparing each with each is fastest.
const FEW_PAIRS: usize = 4096;

/// Up to so many operands, each is compared with all before it.
const FEW_SECTIONS: usize = 16;

impl Order {
    /// Whether accesses must be recorded.
    #[inline]
    pub(crate) fn is_active(&self) -> bool {
        self.active.get()
    }

    /// Records nothing until [`resume`](Self::resume); whether something was recorded so far.
    pub(crate) fn pause(&self) -> bool {
        self.active.replace(false)
    }

    /// Records again, if it did before the [`pause`](Self::pause).
    pub(crate) fn resume(&self, active: bool) {
        self.active.set(active);
    }

    /// Records an access to bits of memory that was allocated at `born`.
    pub(crate) fn record(&self, area: Area, born: u64, start: u64, size: u64, write: bool) {
        if born >= self.born.get() || self.scopes.is_empty() {
            return;
        }
        let entry = Entry {
            area,
            start,
            end: start + size,
            write,
            born,
            depth: self.depth.get(),
            closed: false,
        };
        // Loops in called functions touch the same places again and again.
        let scope = self.scopes.last().expect("a scope is open while it is active");
        if entry.depth > scope.depth {
            self.compact();
        }
        let mut entries = self.entries.borrow_mut();
        let own = entries.len() > self.section();
        if own && entry.depth > scope.depth && entries.last() == Some(&entry) {
            return;
        }
        entries.push(entry);
    }

    pub(crate) fn begin(&mut self, born: u64, depth: usize) {
        let start = self.entries.borrow().len();
        self.scopes.push(Scope { first: self.sections.len(), born, depth: depth as u32 });
        self.sections.push(start);
        self.active.set(true);
        self.born.set(born);
        self.compact_at.set(self.compact_at.get().max(1 << 12));
    }

    /// The next operand begins.
    pub(crate) fn next(&mut self) {
        self.compact();
        let here = self.entries.borrow().len();
        self.sections.push(here);
    }

    /// Where the entries of the current operand begin.
    fn section(&self) -> usize {
        *self.sections.last().expect("a scope has a section")
    }

    /// All side effects of the current operand since its start are complete.
    pub(crate) fn close(&mut self) {
        for entry in &mut self.entries.borrow_mut()[self.section()..] {
            entry.closed = true;
        }
    }

    /// The calls that are active now, for accesses to come.
    pub(crate) fn set_depth(&self, depth: usize) {
        self.depth.set(depth as u32);
    }

    /// The operands are evaluated: compares each with each.
    pub(crate) fn end_operands(&mut self) -> Checked {
        let depth = self.scopes.last().expect("a scope is open").depth;
        self.operand_conflict().map_or(Ok(()), |pair| report(pair, depth))
    }

    /// Where two operands conflict.
    pub(crate) fn operands_meet(&self) -> Option<Area> {
        self.operand_conflict().map(|(entry, _)| entry.area)
    }

    fn operand_conflict(&self) -> Option<(Entry, Entry)> {
        let scope = self.scopes.last().expect("a scope is open");
        let entries = self.entries.borrow();
        let sections = &self.sections[scope.first..];
        if sections.len() > FEW_SECTIONS {
            let pair = conflict_of_many(&entries, sections, |_| true)?;
            let own = |entry: &Entry| !is_ordered(entry, scope.depth);
            return Some(conflict_of_many(&entries, sections, own).unwrap_or(pair));
        }
        let mut found = None;
        for (index, &start) in sections.iter().enumerate().skip(1) {
            let end = sections.get(index + 1).copied().unwrap_or(entries.len());
            // All sections before this one against this one.
            let (before, section) = (&entries[sections[0]..start], &entries[start..end]);
            let Some(pair) = conflict(before, section) else { continue };
            // Two calls may come in either order. That is no answer if something else has
            // no order at all.
            let own = |part: &[Entry]| -> Vec<Entry> {
                part.iter().filter(|entry| !is_ordered(entry, scope.depth)).copied().collect()
            };
            if let Some(pair) = conflict(&own(before), &own(section)) {
                return Some(pair);
            }
            found = found.or(Some(pair));
        }
        found
    }

    /// The store of an assignment happened last: compares it with the side effects of
    /// the operands that no sequence point has completed.
    pub(crate) fn check_store(&mut self) -> Checked {
        match self.store_meets() {
            Some(_) => undefined(
                UbKind::Unsequenced,
                "the object is modified here and by an operand, in no particular order",
            ),
            None => Ok(()),
        }
    }

    /// Where the store conflicts with an operand.
    pub(crate) fn store_meets(&self) -> Option<Area> {
        let scope = self.scopes.last().expect("a scope is open");
        let entries = self.entries.borrow();
        let (store, operands) = entries[self.sections[scope.first]..].split_last()?;
        let pending = |entry: &Entry| entry.write && !entry.closed && entry.depth == scope.depth;
        let meets = operands.iter().any(|entry| pending(entry) && overlap(entry, store));
        (store.write && meets).then_some(store.area)
    }

    /// The writes so far to things outside the functions that run in this scope.
    pub(crate) fn writes(&self) -> Vec<(Area, u64, u64)> {
        let entries = self.entries.borrow();
        let written = entries[self.section()..].iter().filter(|entry| entry.write);
        written
            .filter(|entry| !matches!(entry.area, Area::Register(_)))
            .map(|entry| (entry.area, entry.start, entry.end))
            .collect()
    }

    /// The expression is complete.
    pub(crate) fn end(&mut self) {
        let ended = self.scopes.pop().expect("a scope is open");
        let first = self.sections[ended.first];
        self.sections.truncate(ended.first);
        match self.scopes.last() {
            Some(outer) => {
                self.born.set(outer.born);
                // The operands of the outer expression cannot share what is younger than it,
                // such as the locals of a function that both of them call.
                let mut entries = self.entries.borrow_mut();
                if entries[first..].iter().any(|entry| entry.born >= outer.born) {
                    let inner = entries.split_off(first);
                    entries.extend(inner.into_iter().filter(|entry| entry.born < outer.born));
                }
                drop(entries);
                if self.depth.get() > outer.depth {
                    self.compact();
                }
            }
            None => {
                self.active.set(!self.promises.is_empty());
                self.entries.borrow_mut().clear();
                self.compact_at.set(0);
            }
        }
    }

    /// The function that runs now has no effect on what is older than `since`.
    pub(crate) fn promise(&mut self, constant: bool, since: u64, depth: usize) {
        self.promises.push(Promise { constant, since, depth });
        self.active.set(true);
    }

    /// Ends the promises of calls that are no longer active.
    pub(crate) fn end_promises(&mut self, depth: usize) {
        while self.promises.pop_if(|promise| promise.depth > depth).is_some() {}
        self.restart();
    }

    /// Records again, where something is to be recorded.
    pub(crate) fn restart(&self) {
        self.active.set(!self.promises.is_empty() || !self.scopes.is_empty());
    }

    /// Whether a function runs that promises to have no effect.
    pub(crate) fn is_promised(&self) -> bool {
        !self.promises.is_empty()
    }

    /// How many calls were active in the innermost of these, itself included.
    pub(crate) fn promised_depth(&self) -> usize {
        self.promises.last().map_or(0, |promise| promise.depth)
    }

    /// Something is done that a function with a promise must not do.
    pub(crate) fn check_effect(&self, what: &str) -> Checked {
        match self.promises.last() {
            Some(promise) => broken(*promise, what),
            None => Ok(()),
        }
    }

    /// Checks the promises of active calls against an access to memory that was allocated
    /// at `born`; `fixed` if its bytes never change.
    pub(crate) fn check_promises(&self, born: u64, write: bool, fixed: bool) -> Checked {
        for promise in &self.promises {
            if born < promise.since && write {
                return broken(*promise, "modifies an object that is there after the call");
            }
            if born < promise.since && promise.constant && !fixed {
                return broken(*promise, "reads an object that can change");
            }
        }
        Ok(())
    }

    /// How many scopes are open; a call that never returns leaves some behind.
    pub(crate) fn open(&self) -> usize {
        self.scopes.len()
    }

    /// Closes scopes that a jump out of their expression has left.
    pub(crate) fn unwind(&mut self, open: usize) {
        while self.scopes.len() > open {
            self.end();
        }
    }

    /// Makes the entries of the current operand unique when there are many, so that
    /// the record is bounded by the memory that the program touches.
    pub(crate) fn compact(&self) {
        let mut entries = self.entries.borrow_mut();
        if entries.len() < self.compact_at.get() {
            return;
        }
        let Some(scope) = self.scopes.last() else { return };
        let start = self.section();
        if start > entries.len() / 2 {
            // Most of them belong to an expression further out, which is still to end.
            return;
        }
        let mut own = entries.split_off(start);
        for entry in &mut own {
            // Inside calls only the fact matters.
            entry.depth = entry.depth.min(scope.depth + 1);
        }
        own.sort_unstable();
        own.dedup();
        entries.append(&mut own);
        self.compact_at.set((entries.len() * 2).max(1 << 12));
    }
}

fn broken(promise: Promise, what: &str) -> Checked {
    let name = if promise.constant { "const" } else { "pure" };
    undefined(UbKind::BrokenPromise, format!("a function that is `{name}` {what}"))
}

fn overlap(left: &Entry, right: &Entry) -> bool {
    left.area == right.area && left.start < right.end && right.start < left.end
}

/// Two accesses of the same bytes, one of them a write.
fn conflict(left: &[Entry], right: &[Entry]) -> Option<(Entry, Entry)> {
    let written: Vec<&Entry> = right.iter().filter(|entry| entry.write).collect();
    let writes = left.iter().filter(|entry| entry.write).count();
    if writes == 0 && written.is_empty() {
        return None;
    }
    let meets = |a: &Entry, b: &Entry| (a.write || b.write) && overlap(a, b);
    // Most accesses are reads, and two of these never meet.
    if writes * right.len() + (left.len() - writes) * written.len() <= FEW_PAIRS {
        let found = |a: &Entry| match a.write {
            true => right.iter().find(|b| overlap(a, b)),
            false => written.iter().copied().find(|b| overlap(a, b)),
        };
        return left.iter().find_map(|a| Some((*a, *found(a)?)));
    }
    // By eight bytes, of which an access touches few.
    let mut places: FxHashMap<(Area, u64), Vec<usize>> = FxHashMap::default();
    for (index, entry) in left.iter().enumerate() {
        for place in entry.start / 8..=(entry.end.max(1) - 1) / 8 {
            places.entry((entry.area, place)).or_default().push(index);
        }
    }
    for b in right {
        for place in b.start / 8..=(b.end.max(1) - 1) / 8 {
            let found = places.get(&(b.area, place)).into_iter().flatten();
            if let Some(a) = found.map(|index| &left[*index]).find(|a| meets(a, b)) {
                return Some((*a, *b));
            }
        }
    }
    None
}

/// The same for very many operands, of the accesses that are wanted: each is looked up among
/// those of the operands before it, by eight bits, of which an access touches few.
fn conflict_of_many(
    entries: &[Entry],
    sections: &[usize],
    wanted: impl Fn(&Entry) -> bool,
) -> Option<(Entry, Entry)> {
    let mut places: [FxHashMap<(Area, u64), Vec<usize>>; 2] = Default::default();
    let touched = |entry: &Entry| entry.start / 8..=(entry.end.max(1) - 1) / 8;
    for (index, &start) in sections.iter().enumerate() {
        let end = sections.get(index + 1).copied().unwrap_or(entries.len());
        for entry in entries[start..end].iter().filter(|entry| wanted(entry)) {
            // Two reads never meet.
            for known in &places[usize::from(!entry.write)..] {
                let earlier = touched(entry).filter_map(|place| known.get(&(entry.area, place)));
                if let Some(other) =
                    earlier.flatten().find(|other| overlap(&entries[**other], entry))
                {
                    return Some((entries[*other], *entry));
                }
            }
        }
        for at in (start..end).filter(|at| wanted(&entries[*at])) {
            let known = &mut places[usize::from(entries[at].write)];
            for place in touched(&entries[at]) {
                known.entry((entries[at].area, place)).or_default().push(at);
            }
        }
    }
    None
}

/// Whether an access is made by a call, which is not interleaved with another operand.
fn is_ordered(entry: &Entry, depth: u32) -> bool {
    entry.depth > depth || entry.area == Area::Output
}

fn report((left, right): (Entry, Entry), depth: u32) -> Checked {
    if left.area == Area::Output {
        return unspecified(
            Cause::Order,
            "two operands write output, and either may be evaluated first",
        );
    }
    let what = match (left.write, right.write) {
        (true, true) => "both operands modify the same object",
        _ => "one operand modifies an object that the other reads",
    };
    if is_ordered(&left, depth) || is_ordered(&right, depth) {
        let message = format!("{what}, and either may be evaluated first");
        return unspecified(Cause::Order, message);
    }
    undefined(UbKind::Unsequenced, format!("{what}, and nothing orders the two"))
}
