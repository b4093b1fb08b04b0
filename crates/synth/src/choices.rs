//! The only source of randomness.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random decisions, the same for the same seed on every machine and in
/// every release: the generator is a named one, and what is made of its numbers is
/// decided here. Weights and probabilities are integers.
///
/// A stream can be recorded, and what was recorded can be replayed: then each
/// decision is the recorded one, limited to what is asked for, and after the end
/// every decision is the first one.
#[derive(Clone, Debug)]
pub struct Choices {
    source: Source,
    record: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
enum Source {
    Random(Box<Xoshiro256PlusPlus>),
    Replay { decisions: Vec<u64>, next: usize },
}

impl Choices {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let source = Source::Random(Box::new(Xoshiro256PlusPlus::seed_from_u64(seed)));
        Self { source, record: None }
    }

    /// The stream of a seed, whose decisions are kept for [`recorded`](Self::recorded).
    pub fn recording(seed: u64) -> Self {
        Self { record: Some(Vec::new()), ..Self::new(seed) }
    }

    /// Decisions that were recorded, again.
    pub fn replay(decisions: Vec<u64>) -> Self {
        Self { source: Source::Replay { decisions, next: 0 }, record: None }
    }

    /// The decisions so far, if they are recorded.
    pub fn recorded(&self) -> &[u64] {
        self.record.as_deref().unwrap_or(&[])
    }

    /// A seed for the stream of a part, such as one attempt or one worker, that does
    /// not depend on how many decisions other parts make.
    pub fn derive_seed(seed: u64, part: u64) -> u64 {
        // SplitMix64 of both, so that neighbouring seeds and parts have nothing in common.
        let mut mixed = seed ^ part.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, each with the same probability.
    pub fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "there is something to choose from");
        let decision = match &mut self.source {
            // The high part of the product: without a division, and with a bias below
            // 2^-32 for every limit that occurs.
            Source::Random(random) => {
                ((u128::from(random.next_u64()) * u128::from(limit)) >> 64) as u64
            }
            Source::Replay { decisions, next } => {
                let decision = decisions.get(*next).copied().unwrap_or(0);
                *next += 1;
                decision.min(limit - 1)
            }
        };
        if let Some(record) = &mut self.record {
            record.push(decision);
        }
        decision
    }

    /// A number from `low` to `high`, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "a range is not empty");
        let span = high.wrapping_sub(low) as u64;
        let offset = if span == u64::MAX { self.bits() } else { self.below(span + 1) };
        low.wrapping_add(offset as i64)
    }

    /// A number from `low`, which is not zero, to `high`: one of every magnitude as often as one of
    /// every other.
    pub fn magnitude(&mut self, low: u32, high: u32) -> u32 {
        let high = high.max(low);
        let doublings = (high / low).ilog2();
        let least = low << self.below(u64::from(doublings) + 1);
        self.range(i64::from(least), i64::from(high.min(least.saturating_mul(2) - 1))) as u32
    }

    /// An index below `length`.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let high = self.below(1 << 32);
        high << 32 | self.below(1 << 32)
    }

    /// True with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// One of `items`, which are not empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    /// One of `items`, if there is any.
    pub fn pick_any<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(self.pick(items)) }
    }

    /// The index of one of `weights`, each with a probability in proportion to its
    /// weight; `None` if all are zero.
    pub fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let total: u64 = weights.iter().map(|weight| u64::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut rest = self.below(total);
        weights.iter().position(|weight| match rest.checked_sub(u64::from(*weight)) {
            Some(smaller) => {
                rest = smaller;
                false
            }
            None => true,
        })
    }

    /// Puts `items` in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, every seed means another program: that is a new version.
    #[test]
    fn a_seed_means_the_same_forever() {
        let mut choices = Choices::new(1);
        let numbers: Vec<u64> = (0..6).map(|_| choices.below(1000)).collect();
        assert_eq!(numbers, GOLDEN_NUMBERS);
        let mut order: Vec<u32> = (0..8).collect();
        choices.shuffle(&mut order);
        assert_eq!(order, GOLDEN_ORDER);
        let weighted: Vec<_> = (0..6).map(|_| choices.weighted(&[1, 0, 3, 6]).unwrap()).collect();
        assert_eq!(weighted, GOLDEN_WEIGHTED);
        assert_eq!(Choices::derive_seed(1, 2), GOLDEN_SEED);
    }

    const GOLDEN_NUMBERS: [u64; 6] = [811, 747, 100, 746, 184, 590];
    const GOLDEN_ORDER: [u32; 8] = [2, 4, 1, 6, 5, 0, 3, 7];
    const GOLDEN_WEIGHTED: [usize; 6] = [2, 0, 2, 3, 3, 3];
    const GOLDEN_SEED: u64 = 4048727598324417001;

    #[test]
    fn a_record_replays() {
        let mut choices = Choices::recording(7);
        let first: Vec<u64> = (1..50).map(|limit| choices.below(limit)).collect();
        let mut replay = Choices::replay(choices.recorded().to_vec());
        let second: Vec<u64> = (1..50).map(|limit| replay.below(limit)).collect();
        assert_eq!(first, second);
        assert_eq!(replay.below(10), 0, "after the end comes the first");
    }

    #[test]
    fn what_has_no_weight_is_never_chosen() {
        let mut choices = Choices::new(3);
        for _ in 0..1000 {
            assert_ne!(choices.weighted(&[5, 0, 1]), Some(1));
        }
        assert_eq!(choices.weighted(&[0, 0]), None);
        assert_eq!(choices.weighted(&[]), None);
    }

    #[test]
    fn ranges_include_both_ends() {
        let mut choices = Choices::new(4);
        let seen: std::collections::BTreeSet<i64> =
            (0..1000).map(|_| choices.range(-2, 2)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2]);
        choices.range(i64::MIN, i64::MAX);
    }
}
