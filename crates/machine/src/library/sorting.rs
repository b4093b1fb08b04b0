//! `qsort` and `bsearch`, C11 7.22.5, which call the program back.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::strings::moved;
use super::{Arguments, argument};
use crate::kinds::{Cause, UbKind};
use crate::memory::Location;
use crate::order::Area;
use crate::run::Machine;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, Stop, undefined, unspecified, unsupported};

impl Machine<'_> {
    /// Sorts the positions of the elements by merging, then moves the elements. The
    /// program sees the array as it was until it is sorted.
    pub(super) fn sort(&mut self, arguments: Arguments<'_>) -> Checked<Value> {
        let base = argument(arguments, 0)?;
        let (count, size) = (argument(arguments, 1)?.low, argument(arguments, 2)?.low);
        let compare = argument(arguments, 3)?;
        self.callee(compare)?;
        // C11 7.22.5p1: the pointer must be valid even if there is nothing to sort.
        self.check_area(base)?;
        if count == 0 {
            return Ok(Value::default());
        }
        let Some(total) = count.checked_mul(size) else {
            return undefined(UbKind::OutOfBounds, "the size of the array overflows");
        };
        if size == 0 {
            return unsupported("sorting elements without a size");
        }
        let array = self.memory.locate(base, total, 1)?;
        self.check_writable(array)?;
        let mut order: Vec<u64> = (0..count).collect();
        let mut width = 1;
        while width < order.len() {
            let mut merged = Vec::with_capacity(order.len());
            for run in order.chunks(2 * width) {
                let (mut left, mut right) = run.split_at(width.min(run.len()));
                while let (Some(a), Some(b)) = (left.first(), right.first()) {
                    if self.compare_elements(compare, base, size, *a, *b)? == Ordering::Greater {
                        merged.push(*b);
                        right = &right[1..];
                    } else {
                        merged.push(*a);
                        left = &left[1..];
                    }
                }
                merged.extend_from_slice(left);
                merged.extend_from_slice(right);
            }
            order = merged;
            width *= 2;
        }
        self.check_order(compare, base, size, &order)?;
        // The program may have freed the array meanwhile.
        let array = self.memory.locate(base, total, 1)?;
        let copy = self.memory.allocate(crate::memory::Origin::Heap, total, 16, None)?;
        self.memory.copy(Location::new(copy, 0), array, total)?;
        for (to, from) in order.iter().enumerate() {
            let to = array.plus(to as u64 * size);
            self.memory.copy(to, Location::new(copy, from * size), size)?;
        }
        self.memory.kill(copy);
        self.memory.release(copy);
        Ok(Value::default())
    }

    /// Checks that the comparison function agrees with the order that it led to: all pairs
    /// of few elements; otherwise each element with those at distances that are powers of two.
    fn check_order(&mut self, compare: Value, base: Value, size: u64, order: &[u64]) -> Checked {
        const ALL_PAIRS: usize = 32;
        for (index, right) in order.iter().enumerate() {
            let mut distance = 1;
            while distance <= index {
                let left = order[index - distance];
                let (left, right) = (moved(base, left * size), moved(base, right * size));
                let forth = self.call_comparison(compare, left, right)?;
                let back = self.call_comparison(compare, right, left)?;
                if forth == Ordering::Greater || back != forth.reverse() {
                    return undefined(
                        UbKind::InconsistentOrder,
                        "the comparison function contradicts itself",
                    );
                }
                distance = if order.len() <= ALL_PAIRS { distance + 1 } else { distance * 2 };
            }
        }
        Ok(())
    }

    fn compare_elements(
        &mut self,
        compare: Value,
        base: Value,
        size: u64,
        left: u64,
        right: u64,
    ) -> Checked<Ordering> {
        let (left, right) = (moved(base, left * size), moved(base, right * size));
        let order = self.call_comparison(compare, left, right)?;
        if order == Ordering::Equal {
            let same = match (self.bytes(left, size), self.bytes(right, size)) {
                (Ok(left), Ok(right)) => left == right,
                _ => false,
            };
            if !same {
                return unspecified(
                    Cause::Order,
                    "elements that compare equal but differ may be sorted either way",
                );
            }
        }
        Ok(order)
    }

    /// Calls the comparison function. How often and in which order is open, so that its
    /// calls must not be seen.
    fn call_comparison(&mut self, compare: Value, left: Value, right: Value) -> Checked<Ordering> {
        let accesses = self.volatile_count();
        self.memory.order.begin(self.memory.now() + 1, self.depth());
        let answer = match self.call_back(compare, &[left, right]) {
            Err(stop) if matches!(*stop, Stop::End(_)) => {
                return unspecified(Cause::Library, "a comparison function ends the program");
            }
            answer => answer?,
        };
        let writes = self.memory.order.writes();
        self.memory.order.end();
        let elements: Vec<Area> = [left, right]
            .iter()
            .filter_map(|element| self.memory.slot_of(element.high))
            .map(|(slot, _)| Area::Slot(slot))
            .collect();
        if writes.iter().any(|(area, ..)| elements.contains(area)) {
            let message = "the comparison function changes what it compares";
            return undefined(UbKind::InconsistentOrder, message);
        }
        if !writes.is_empty() || self.volatile_count() != accesses {
            let message = "a comparison function has a side effect, and may be called in any order";
            return unspecified(Cause::Library, message);
        }
        match underspecified::sign(answer) {
            Some(order) => Ok(order),
            None => underspecified::tainted(answer, "an order that depends on addresses"),
        }
    }

    /// Searches a sorted array; which of several equal elements is found is not specified.
    pub(super) fn search(&mut self, arguments: Arguments<'_>) -> Checked<Value> {
        let (key, base) = (argument(arguments, 0)?, argument(arguments, 1)?);
        let (count, size) = (argument(arguments, 2)?.low, argument(arguments, 3)?.low);
        let compare = argument(arguments, 4)?;
        self.callee(compare)?;
        self.check_area(base)?;
        if (key.low, key.high) == (0, 0) {
            return undefined(UbKind::NullDereference, "the key is a null pointer");
        }
        if count > 0 {
            let Some(total) = count.checked_mul(size) else {
                return undefined(UbKind::OutOfBounds, "the size of the array overflows");
            };
            self.memory.locate(base, total, 1)?;
        }
        /// How many elements are looked at to see that the array is in order.
        const PROBES: u64 = 64;
        let mut seen = BTreeMap::new();
        for index in (0..count).step_by(count.div_ceil(PROBES).max(1) as usize) {
            let order = self.call_comparison(compare, key, moved(base, index * size))?;
            seen.insert(index, order);
        }
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let order = self.call_comparison(compare, key, moved(base, middle * size))?;
            seen.insert(middle, order);
            match order {
                Ordering::Greater => low = middle + 1,
                // The first that matches is looked for.
                Ordering::Less | Ordering::Equal => high = middle,
            }
        }
        if low + 1 < count {
            let order = self.call_comparison(compare, key, moved(base, (low + 1) * size))?;
            seen.insert(low + 1, order);
        }
        if !seen.values().is_sorted_by(|left, right| left >= right) {
            return undefined(
                UbKind::InconsistentOrder,
                "the array is not in the order of the key",
            );
        }
        match seen.values().filter(|order| order.is_eq()).count() {
            0 => Ok(Value::default()),
            1 => Ok(moved(base, low * size)),
            _ => unspecified(Cause::Order, "several elements match, and any of them may be found"),
        }
    }
}
