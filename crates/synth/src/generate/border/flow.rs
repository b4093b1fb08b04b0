//! The control flow of border functions: a path through a graph of blocks, with loops on it,
//! and blocks beside it that never run.

use farrier_lang::BinaryOp;

use super::code::{Block, End, Step, Term};
use super::plan::{Count, Plan};

/// The most statements of a block, and of the body of a loop.
const MOST_STEPS: i64 = 4;
const MOST_BODY: i64 = 3;

/// How many of the blocks run, in percent.
const LIVE_BLOCKS: u32 = 60;

/// In percent: paths that go through the blocks in another order than they stand in, blocks
/// that begin a loop of blocks, loops of blocks that continue for another block.
const TURNED_PATHS: u32 = 35;
const LOOPS_OF_BLOCKS: u32 = 30;
const LONGER_LOOPS: u32 = 60;

/// The weights of statements: an assignment, a loop, code under a test that fails.
const STEPS: [u32; 3] = [70, 16, 14];

/// The weights in loops: an assignment, a sum, a test that fails, one that changes, a loop.
const BODY_STEPS: [u32; 5] = [45, 25, 12, 12, 10];

/// The weights of ends: a jump, a test that holds, one that fails, a `switch`.
const ENDS: [u32; 4] = [10, 35, 35, 14];

/// The most cases of a `switch` that never occur.
const WRONG_CASES: i64 = 3;

/// How many loops may stand around a place.
const DEEPEST: usize = 3;

/// A loop made of blocks of the path: those before it, its first and its last.
struct LoopOfBlocks {
    count: Count,
    before: usize,
    first: usize,
    last: usize,
}

impl Plan<'_> {
    /// The blocks of a function, of which the first runs first. The end of the function is
    /// one more.
    pub(super) fn graph(&mut self, count: usize) {
        let path = self.path(count);
        self.blocks =
            (0..count).map(|_| Block { steps: Vec::new(), end: End::Jump(count) }).collect();
        let mut around: Option<LoopOfBlocks> = None;
        for (at, block) in path.iter().copied().enumerate() {
            let next = path.get(at + 1).copied().unwrap_or(count);
            let mut steps = std::mem::take(&mut self.blocks[block].steps);
            for _ in 0..self.choices.range(1, MOST_STEPS) {
                self.step(&mut steps);
            }
            if around.as_ref().is_some_and(|around| around.last == block) {
                let around = around.take().expect("there is one");
                self.close(around, next, steps);
                continue;
            }
            let begun = if around.is_none() { self.loop_of_blocks(&path, at) } else { None };
            let end = match begun {
                // The way to the loop does not depend on what is set for it.
                Some(begun) => {
                    self.begin(&begun.count);
                    around = Some(begun);
                    End::Jump(next)
                }
                None => self.end_to(next, count),
            };
            self.blocks[block] = Block { steps, end };
        }
        for block in (0..count).filter(|block| !path.contains(block)) {
            let steps = self.wild_steps();
            let end = self.wild_end(count);
            self.blocks[block] = Block { steps, end };
        }
    }

    /// The blocks that run, in the order in which they do.
    fn path(&mut self, count: usize) -> Vec<usize> {
        let mut path: Vec<usize> =
            (1..count).filter(|_| self.choices.chance(LIVE_BLOCKS)).collect();
        if self.choices.chance(TURNED_PATHS) {
            self.choices.shuffle(&mut path);
        }
        path.insert(0, 0);
        path
    }

    /// A loop of blocks that begins after the block at a position of the path.
    fn loop_of_blocks(&mut self, path: &[usize], at: usize) -> Option<LoopOfBlocks> {
        let first = path.get(at + 1).copied()?;
        if !self.choices.chance(LOOPS_OF_BLOCKS) {
            return None;
        }
        let mut last = at + 1;
        while last + 1 < path.len() && self.choices.chance(LONGER_LOOPS) {
            last += 1;
        }
        Some(LoopOfBlocks { count: self.count()?, before: path[at], first, last: path[last] })
    }

    /// Ends a loop of blocks: its last block counts and goes back, or leaves for `next`.
    fn close(&mut self, around: LoopOfBlocks, next: usize, mut steps: Vec<Step>) {
        let LoopOfBlocks { count, before, first, last } = around;
        let starts = self.end(&count);
        let Count { counter, first: start, condition, next: advance, .. } = count;
        steps.push(Step::Assign(counter, advance));
        let end = match self.choices.chance(50) {
            true => End::Branch { condition, then: first, otherwise: next },
            false => End::Branch { condition: negated(condition), then: next, otherwise: first },
        };
        self.blocks[last] = Block { steps, end };
        let before = &mut self.blocks[before].steps;
        before.extend(starts);
        before.push(Step::Assign(counter, start));
    }

    /// A statement of a block that runs.
    fn step(&mut self, steps: &mut Vec<Step>) {
        match self.choices.weighted(&STEPS) {
            Some(1) if self.allowed.for_loops => self.for_loop(steps),
            Some(2) => self.skipped(steps),
            _ if !self.regions.is_empty() && self.choices.chance(25) => {
                let _ = self.accumulate(steps);
            }
            _ => self.assign(steps),
        }
    }

    /// Code under a test that fails.
    fn skipped(&mut self, steps: &mut Vec<Step>) {
        let test = self.test(false);
        let body = self.wild_steps();
        steps.push(Step::If(test, body));
    }

    /// Code under a test that holds in some rounds.
    fn sometimes(&mut self, steps: &mut Vec<Step>) {
        let Some(test) = self.changing_test() else { return };
        self.read(&test);
        let active: Vec<bool> = (0..self.active.len())
            .map(|lane| {
                let at = |number: usize| self.values[number][lane];
                let value = self.integers.value(&test, &self.kinds, &at);
                self.active[lane] && value.is_some_and(|(_, value)| value != 0)
            })
            .collect();
        let all = std::mem::replace(&mut self.active, active);
        let mut body = Vec::new();
        if self.active.contains(&true) {
            self.assign(&mut body);
        }
        self.active = all;
        if !body.is_empty() {
            steps.push(Step::If(test, body));
        }
    }

    /// A `for` loop, with what its sums begin with.
    fn for_loop(&mut self, steps: &mut Vec<Step>) {
        if self.regions.len() == DEEPEST {
            return;
        }
        let Some(count) = self.count() else { return };
        self.begin(&count);
        let mut body = Vec::new();
        for _ in 0..self.choices.range(1, MOST_BODY) {
            match self.choices.weighted(&BODY_STEPS) {
                Some(1) => {
                    let _ = self.accumulate(&mut body);
                }
                Some(2) => self.skipped(&mut body),
                Some(3) => self.sometimes(&mut body),
                Some(4) => self.for_loop(&mut body),
                _ => self.assign(&mut body),
            }
        }
        if body.is_empty() {
            self.skipped(&mut body);
        }
        let starts = self.end(&count);
        steps.extend(starts);
        let Count { counter, first, condition, next, .. } = count;
        steps.push(Step::For { counter, first, condition, next, body });
    }

    /// The end of a block that runs, which leads to `next`.
    fn end_to(&mut self, next: usize, count: usize) -> End {
        let other = self.choices.index(count + 1);
        match self.choices.weighted(&ENDS) {
            Some(1) => End::Branch { condition: self.test(true), then: next, otherwise: other },
            Some(2) => End::Branch { condition: self.test(false), then: other, otherwise: next },
            Some(3) if self.allowed.switches => {
                self.switch_to(next, count).unwrap_or(End::Jump(next))
            }
            _ => End::Jump(next),
        }
    }

    /// A `switch` whose value leads to `next`, by a case or by none.
    fn switch_to(&mut self, next: usize, count: usize) -> Option<End> {
        let value = self.sum()?;
        let (kind, low, high) = self.range(&value)?;
        let limits = self.integers.limits(self.integers.promoted(kind));
        self.read(&value);
        let mut cases = Vec::new();
        let by_case = low == high && self.choices.chance(70);
        if by_case {
            cases.push((low, next));
        }
        for _ in 0..self.choices.range(1, WRONG_CASES) {
            let beside = i128::from(self.choices.range(1, 3));
            let label = if self.choices.chance(50) { low - beside } else { high + beside };
            let fits = label >= limits.0 && label <= limits.1 && label <= i128::from(i64::MAX);
            if fits && !cases.iter().any(|(old, _)| *old == label) {
                cases.push((label, self.choices.index(count + 1)));
            }
        }
        self.choices.shuffle(&mut cases);
        let otherwise = if by_case { self.choices.index(count + 1) } else { next };
        (!cases.is_empty()).then_some(End::Switch { value, cases, otherwise })
    }

    /// The end of a block that never runs.
    fn wild_end(&mut self, count: usize) -> End {
        let (then, otherwise) = (self.choices.index(count + 1), self.choices.index(count + 1));
        match self.choices.chance(50) {
            true => End::Jump(then),
            false => End::Branch { condition: self.wild_test(), then, otherwise },
        }
    }
}

/// The opposite of a comparison.
fn negated(condition: Term) -> Term {
    match condition {
        Term::Binary(op, left, right) => {
            let op = match op {
                BinaryOp::Less => BinaryOp::GreaterEqual,
                BinaryOp::LessEqual => BinaryOp::Greater,
                BinaryOp::Greater => BinaryOp::LessEqual,
                BinaryOp::GreaterEqual => BinaryOp::Less,
                BinaryOp::Equal => BinaryOp::NotEqual,
                _ => BinaryOp::Equal,
            };
            Term::Binary(op, left, right)
        }
        other => other,
    }
}
