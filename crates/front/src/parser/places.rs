//! The places of an aggregate that is being initialised.

use std::collections::BTreeMap;

use farrier_lang::ExprId;

/// A row longer than this becomes a map when something changes in its middle.
const LONG_ROW: usize = 64;

/// What is known of one place that is being initialised.
#[derive(Debug)]
pub(super) enum Slot {
    Empty,
    Value(ExprId),
    List(Places),
}

/// Members or elements in ascending order, each with its first index, its last and its
/// content. Initialisers come one after the other, and then a row is cheapest; where
/// designators jump to and fro, a map keeps the work in proportion.
#[derive(Debug)]
pub(super) enum Places {
    Row(Vec<(u64, u64, Slot)>),
    Map(BTreeMap<u64, (u64, Slot)>),
}

impl Default for Places {
    fn default() -> Self {
        Self::Row(Vec::new())
    }
}

impl Places {
    /// The index after the last place.
    pub(super) fn end(&self) -> u64 {
        let last = match self {
            Self::Row(row) => row.last().map(|(_, last, _)| *last),
            Self::Map(map) => map.last_key_value().map(|(_, (last, _))| *last),
        };
        last.map_or(0, |last| last + 1)
    }

    /// The first and last index of the place that contains `index`.
    pub(super) fn containing(&self, index: u64) -> Option<(u64, u64)> {
        let (first, last) = match self {
            Self::Row(row) => {
                let (first, last, _) = row.get(position(row, index))?;
                (*first, *last)
            }
            Self::Map(map) => {
                let (first, (last, _)) = map.range(..=index).next_back()?;
                (*first, *last)
            }
        };
        (first <= index && index <= last).then_some((first, last))
    }

    /// The slot of element `index` alone, made if it is not there. `None` if the
    /// element is inside a range, which would have to be cut.
    pub(super) fn child(&mut self, index: u64) -> Option<&mut Slot> {
        match self.containing(index) {
            Some((first, last)) if first != last => return None,
            Some(_) => {}
            None => self.insert(index, index, Slot::Empty),
        }
        match self {
            Self::Row(row) => {
                let position = position(row, index);
                row.get_mut(position).map(|(_, _, slot)| slot)
            }
            Self::Map(map) => map.get_mut(&index).map(|(_, slot)| slot),
        }
    }

    /// Adds a place where there is none.
    pub(super) fn insert(&mut self, first: u64, last: u64, slot: Slot) {
        if first < self.end() {
            self.spread();
        }
        match self {
            Self::Row(row) => row.insert(position(row, first), (first, last, slot)),
            Self::Map(map) => {
                map.insert(first, (last, slot));
            }
        }
    }

    /// Takes the place out that begins at `first`.
    pub(super) fn remove(&mut self, first: u64) -> Option<Slot> {
        self.spread();
        match self {
            Self::Row(row) => {
                let position = position(row, first);
                (position < row.len()).then(|| row.remove(position).2)
            }
            Self::Map(map) => map.remove(&first).map(|(_, slot)| slot),
        }
    }

    /// Takes all places out that lie in `first ..= last`, whose ends no place crosses.
    pub(super) fn remove_all(&mut self, first: u64, last: u64) {
        if first < self.end() {
            self.spread();
        }
        match self {
            Self::Row(row) => {
                let from = position(row, first);
                let to = from + row[from..].iter().take_while(|(_, end, _)| *end <= last).count();
                row.drain(from..to);
            }
            Self::Map(map) => {
                let inside: Vec<u64> = map.range(first..=last).map(|(first, _)| *first).collect();
                for first in inside {
                    map.remove(&first);
                }
            }
        }
    }

    /// All places in order.
    pub(super) fn into_row(self) -> Vec<(u64, u64, Slot)> {
        match self {
            Self::Row(row) => row,
            Self::Map(map) => {
                map.into_iter().map(|(first, (last, slot))| (first, last, slot)).collect()
            }
        }
    }

    /// All places in order, to look at.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (u64, u64, &Slot)> + '_> {
        match self {
            Self::Row(row) => Box::new(row.iter().map(|(first, last, slot)| (*first, *last, slot))),
            Self::Map(map) => {
                Box::new(map.iter().map(|(first, (last, slot))| (*first, *last, slot)))
            }
        }
    }

    /// Makes a long row a map, before a change in its middle.
    fn spread(&mut self) {
        if let Self::Row(row) = self
            && row.len() > LONG_ROW
        {
            let row = std::mem::take(row).into_iter();
            *self = Self::Map(row.map(|(first, last, slot)| (first, (last, slot))).collect());
        }
    }
}

/// Where in a row `index` is, or would be.
fn position(row: &[(u64, u64, Slot)], index: u64) -> usize {
    // The common case: one after the other.
    match row.last() {
        Some((first, last, _)) if *first <= index => row.len() - usize::from(index <= *last),
        _ => row.partition_point(|(_, last, _)| *last < index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(places: Places) -> Vec<(u64, u64)> {
        places.into_row().into_iter().map(|(first, last, _)| (first, last)).collect()
    }

    #[test]
    fn a_row_and_a_map_hold_the_same() {
        for length in [3, 3 * LONG_ROW as u64] {
            let mut places = Places::default();
            for index in 0..length {
                // Odd places first, even ones after them.
                let index =
                    if index < length / 2 { 2 * index + 1 } else { 2 * (index - length / 2) };
                assert!(places.child(index).is_some());
            }
            let wanted: Vec<_> = (0..length).map(|index| (index, index)).collect();
            assert_eq!(places.end(), length);
            assert_eq!(indices(places), wanted);
        }
    }

    #[test]
    fn ranges_are_found_and_taken_out() {
        for others in [0, 2 * LONG_ROW as u64] {
            let mut places = Places::default();
            for index in 0..others {
                places.insert(1000 + index, 1000 + index, Slot::Empty);
            }
            places.insert(10, 19, Slot::Empty);
            places.insert(3, 3, Slot::Empty);
            assert_eq!(places.containing(10), Some((10, 19)));
            assert_eq!(places.containing(19), Some((10, 19)));
            assert_eq!(places.containing(20), None);
            assert_eq!(places.containing(9), None);
            assert!(places.child(15).is_none());
            assert!(places.child(3).is_some());
            places.insert(20, 29, Slot::Empty);
            assert!(places.remove(10).is_some());
            places.remove_all(3, 29);
            assert_eq!(places.containing(3), None);
            assert_eq!(places.containing(20), None);
            assert_eq!(indices(places).len() as u64, others);
        }
    }
}
