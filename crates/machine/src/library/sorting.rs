//! `qsort` and `bsearch`, C11 7.22.5, which call the program back.

use std::cmp::Ordering;

use super::strings::moved;
use super::{Arguments, argument};
use crate::kinds::{Cause, UbKind};
use crate::memory::Location;
use crate::run::Machine;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unspecified, unsupported};

impl Machine<'_> {
    /// Sorts the positions of the elements by merging, then moves the elements. The
    /// program sees the array as it was until it is sorted: which elements are compared,
    /// and how often, is not specified.
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

    fn call_comparison(&mut self, compare: Value, left: Value, right: Value) -> Checked<Ordering> {
        let answer = self.call_back(compare, &[left, right])?;
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
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let element = moved(base, middle * size);
            match self.call_comparison(compare, key, element)? {
                Ordering::Less => high = middle,
                Ordering::Greater => low = middle + 1,
                Ordering::Equal => {
                    for neighbour in [middle.checked_sub(1), Some(middle + 1)] {
                        let Some(index) = neighbour.filter(|index| *index < count) else {
                            continue;
                        };
                        let other = moved(base, index * size);
                        if self.call_comparison(compare, key, other)? == Ordering::Equal {
                            return unspecified(
                                Cause::Order,
                                "several elements match, and any of them may be found",
                            );
                        }
                    }
                    return Ok(element);
                }
            }
        }
        Ok(Value::default())
    }
}
