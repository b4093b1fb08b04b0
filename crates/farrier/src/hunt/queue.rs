//! The numbers that are to be tested, each once in the life of a hunt.

use std::collections::BTreeSet;

/// The numbers of the programs that are to be tested.
pub(super) struct Numbers {
    pub(super) next: u64,
    pub(super) done: BTreeSet<u64>,
    pub(super) end: Option<u64>,
}

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.done.remove(&self.next) {
            self.next += 1;
        }
        if self.end.is_some_and(|end| self.next >= end) {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_not_done_again() {
        let done = [0, 1, 3].into_iter().collect();
        let numbers = Numbers { next: 0, done, end: Some(6) };
        assert_eq!(numbers.collect::<Vec<_>>(), [2, 4, 5]);
        let done = [5].into_iter().collect();
        assert_eq!(Numbers { next: 0, done, end: Some(2) }.collect::<Vec<_>>(), [0, 1]);
    }
}
