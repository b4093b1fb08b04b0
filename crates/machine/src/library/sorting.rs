//! `qsort` and `bsearch`, C11 7.22.5, which call the program back.

use std::cmp::Ordering;

use super::strings::moved;
use super::{Arguments, argument};
use crate::kinds::{Cause, UbKind};
use crate::memory::Location;
use crate::order::Area;
use crate::run::Machine;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, Limit, Stop, undefined, unspecified, unsupported};

impl Machine<'_> {
    /// Sorts the positions of the elements by merging, and moves the elements when the
    /// comparison function is known to be consistent (C11 7.22.5p4).
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
        let before = self.steps_left();
        let mut compared = 0;
        let mut order: Vec<u64> = (0..count).collect();
        let mut width = 1;
        while width < order.len() {
            let mut merged = Vec::with_capacity(order.len());
            for run in order.chunks(2 * width) {
                let (mut left, mut right) = run.split_at(width.min(run.len()));
                while let (Some(a), Some(b)) = (left.first(), right.first()) {
                    compared += 1;
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
        // The check of all pairs is not begun if it cannot come to its end.
        let needed = (before - self.steps_left()) / u64::max(compared, 1);
        if needed.saturating_mul(count.saturating_mul(count)) > self.steps_left() {
            return Err(Box::new(Stop::Exhausted(Limit::Steps(self.steps_limit()))));
        }
        let ranks = self.check_order(compare, base, size, &order)?;
        // Then the other way round: an answer must not depend on the places of elements.
        order.reverse();
        self.rearrange(base, size, &order)?;
        for (right, rank) in ranks.iter().enumerate() {
            for (left, other) in ranks[..right].iter().enumerate() {
                let place = |index: usize| moved(base, (count - 1 - index as u64) * size);
                let answer = self.call_comparison(compare, place(right), place(left))?;
                check_answer(answer, rank.cmp(other))?;
            }
        }
        let reversed: Vec<u64> = (0..count).rev().collect();
        self.rearrange(base, size, &reversed)?;
        Ok(Value::default())
    }

    /// Checks that the comparison function agrees with the order that it led to, for all
    /// pairs of elements; the rank of each, which equal ones share.
    fn check_order(
        &mut self,
        compare: Value,
        base: Value,
        size: u64,
        order: &[u64],
    ) -> Checked<Vec<u64>> {
        let mut ranks: Vec<u64> = Vec::with_capacity(order.len());
        for (index, right) in order.iter().enumerate() {
            let mut rank = 0;
            // The neighbour comes first and says what the rank is.
            for left in (0..index).rev() {
                let answer = self.compare_elements(compare, base, size, order[left], *right)?;
                if left + 1 == index {
                    rank = ranks[left] + u64::from(answer != Ordering::Equal);
                }
                check_answer(answer, ranks[left].cmp(&rank))?;
            }
            ranks.push(rank);
        }
        Ok(ranks)
    }

    /// Moves the elements of an array: the first becomes the one with the first number.
    fn rearrange(&mut self, base: Value, size: u64, order: &[u64]) -> Checked {
        let total = order.len() as u64 * size;
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
                check_answer(self.call_comparison(compare, right, left)?, Ordering::Equal)?;
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

    /// Searches a sorted array, all of it: C11 7.22.5.1p2 asks for an order of the whole array.
    /// Which of several equal elements is found is not specified.
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
        let mut last = Ordering::Greater;
        let mut found = Vec::new();
        for index in 0..count {
            let element = moved(base, index * size);
            let order = self.call_comparison(compare, key, element)?;
            if order > last {
                let message = "the array is not in the order of the key";
                return undefined(UbKind::InconsistentOrder, message);
            }
            last = order;
            if order.is_eq() {
                found.push(element);
            }
        }
        match found[..] {
            [] => Ok(Value::default()),
            [element] => Ok(element),
            _ => unspecified(Cause::Order, "several elements match, and any of them may be found"),
        }
    }
}

/// What a comparison function says of two elements must be what follows from the others.
fn check_answer(answer: Ordering, expected: Ordering) -> Checked {
    if answer == expected {
        return Ok(());
    }
    undefined(UbKind::InconsistentOrder, "the comparison function contradicts itself")
}
