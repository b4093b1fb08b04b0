//! Memory that was lost: neither freed nor within reach when the program ends.

use std::collections::BTreeMap;

use super::Machine;
use crate::memory::Origin;
use crate::verdict::{At, Leak};

impl Machine<'_> {
    /// The memory from malloc to which nothing leads: no object that is alive, and no register of
    /// an active call.
    pub(super) fn leaks(&self) -> Vec<Leak> {
        let slots = &self.memory.slots;
        let mut reached = vec![false; slots.len()];
        let mut waiting: Vec<usize> = Vec::new();
        let mut reach = |provenance: u64, waiting: &mut Vec<usize>| {
            if let Some((slot, true)) = self.memory.slot_of(provenance)
                && !std::mem::replace(&mut reached[slot as usize], true)
            {
                waiting.push(slot as usize);
            }
        };
        for (index, slot) in slots.iter().enumerate() {
            if slot.is_alive() && slot.origin != Origin::Heap {
                waiting.push(index);
            }
        }
        if !self.frames.is_empty() {
            self.registers.iter().for_each(|register| reach(register.high, &mut waiting));
        }
        while let Some(index) = waiting.pop() {
            let mut last = 0;
            for provenance in slots[index].pointers() {
                // The bytes of one pointer have the same.
                if provenance != last {
                    reach(provenance, &mut waiting);
                    last = provenance;
                }
            }
        }
        let lost = slots
            .iter()
            .zip(&reached)
            .filter(|(slot, reached)| slot.is_alive() && slot.origin == Origin::Heap && !**reached);
        let mut leaks: BTreeMap<(u8, u32), Leak> = BTreeMap::new();
        for (slot, _) in lost {
            let at = slot.allocated_at;
            let leak = leaks.entry(key(at)).or_insert(Leak { at, count: 0, bytes: 0 });
            leak.count += 1;
            leak.bytes += slot.size;
        }
        leaks.into_values().collect()
    }
}

/// An order of places.
fn key(at: At) -> (u8, u32) {
    match at {
        At::Expr(id) => (0, farrier_lang::Id::index(id) as u32),
        At::Stmt(id) => (1, farrier_lang::Id::index(id) as u32),
        At::Nowhere => (2, 0),
    }
}
