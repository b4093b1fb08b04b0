//! What watches accesses: the order of evaluation, `restrict`, promises, `longjmp`.

use rustc_hash::FxHashMap;

use super::{Location, Memory, Origin};
use crate::order::Area;
use crate::verdict::Checked;

/// When the bytes of some slots were written last, on a clock that calls of `setjmp` move.
#[derive(Debug, Default)]
pub(super) struct Changes {
    clock: u64,
    written: FxHashMap<u32, Vec<u64>>,
}

impl Changes {
    fn note(&mut self, at: Location, size: u64) {
        if let Some(times) = self.written.get_mut(&at.slot) {
            let (start, end) = (at.offset as usize, (at.offset + size) as usize);
            if let Some(written) = times.get_mut(start..end) {
                written.fill(self.clock);
            }
        }
    }
}

impl Memory {
    /// Whether accesses are to be reported.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.order.is_active()
            | self.restrict.is_active()
            | self.changes_watched
            | self.rounds.is_active()
    }

    /// Whether accesses are to be reported only for the rounds of loops.
    pub(crate) fn is_watched_by_rounds_alone(&self) -> bool {
        let others = self.order.is_active() | self.restrict.is_active() | self.changes_watched;
        !others && self.rounds.is_active()
    }

    #[cold]
    pub(super) fn record(&self, at: Location, size: u64, write: bool) -> Checked {
        self.record_order(at, size, write)?;
        if write && self.changes_watched {
            self.changes.borrow_mut().note(at, size);
        }
        if self.rounds.is_active() {
            self.record_rounds(at, size, write)?;
        }
        if self.restrict.is_active() { self.record_restricted(at, size, write) } else { Ok(()) }
    }

    /// A call of `setjmp`: from now on writes to these slots are noted. Returns the time.
    pub(crate) fn watch_changes(&mut self, slots: impl Iterator<Item = u32>) -> u64 {
        self.changes_watched = true;
        let changes = self.changes.get_mut();
        changes.clock += 1;
        for slot in slots {
            let size = self.slots[slot as usize].size as usize;
            changes.written.entry(slot).or_default().resize(size, 0);
        }
        changes.clock
    }

    /// No call of `setjmp` can be returned to any more.
    pub(crate) fn forget_changes(&mut self) {
        self.changes_watched = false;
        self.changes.get_mut().written.clear();
    }

    /// Which bytes of a slot were written at a time or later.
    pub(crate) fn changed_since(&self, slot: u32, time: u64) -> Vec<u64> {
        let changes = self.changes.borrow();
        let times = changes.written.get(&slot).into_iter().flatten();
        (0..).zip(times).filter(|(_, written)| **written >= time).map(|(byte, _)| byte).collect()
    }

    /// Records an access for the order of evaluation alone.
    pub(crate) fn record_order(&self, at: Location, size: u64, write: bool) -> Checked {
        if self.order.is_active() {
            let born = self.slots[at.slot as usize].born;
            self.check_promises(at, write)?;
            self.order.record(Area::Slot(at.slot), born, at.offset * 8, size * 8, write);
        }
        Ok(())
    }

    /// Records an access to some bits of the bytes at `at`, and lets those to come go
    /// unrecorded until [`Order::resume`]: bit-fields share their bytes, but each is an
    /// object of its own (C11 6.5p2).
    pub(crate) fn record_bits(
        &self,
        at: Location,
        first: u32,
        width: u32,
        write: bool,
    ) -> Checked<bool> {
        let active = self.order.pause();
        if active {
            self.check_promises(at, write)?;
            let born = self.slots[at.slot as usize].born;
            let start = at.offset * 8 + u64::from(first);
            self.order.record(Area::Slot(at.slot), born, start, width.into(), write);
        }
        Ok(active)
    }

    fn check_promises(&self, at: Location, write: bool) -> Checked {
        let slot = &self.slots[at.slot as usize];
        let fixed = slot.constant || matches!(slot.origin, Origin::String(_) | Origin::Library);
        self.order.check_promises(slot.born, write, fixed)
    }

    /// The time on the clock of allocations.
    pub(crate) fn now(&self) -> u64 {
        self.clock
    }
}
