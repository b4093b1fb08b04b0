//! The skeletons of nests: which loops there are, in which order, and where statements stand.
//!
//! A skeleton is drawn from a stream of its own, before anything is filled in, so that several
//! programs can share one.

use super::shapes::{SHAPES, Shape};
use crate::Choices;

/// How many nests a function has.
const NESTS: (i64, i64) = (2, 5);

/// Of functions, in percent: those whose nests stand in a function of their own, with bounds
/// and pointers as parameters. Of the nests after the first: those with the loops of the one
/// before them.
const KERNELS: u32 = 40;
const SAME_SPACE: u32 = 30;

/// In percent: loops that go upwards; nests whose statements are all innermost, those with
/// several loops in one loop, and how many of these there are.
const UPWARDS: u32 = 78;
const PERFECT: u32 = 60;
const SIBLINGS: u32 = 35;
const SIBLING_COUNT: (i64, i64) = (2, 3);

/// In percent: inner loops that end where an outer loop is.
const TRIANGLES: u32 = 8;

/// How a loop says where its numbers end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// A constant.
    Constant,
    /// A local that gets its value before the nest.
    Local,
    /// A parameter of the function, or a local where it has none.
    Parameter,
    /// An expression that is computed in each round.
    Recomputed,
    /// The counter of the loop around it.
    Outer,
}

/// How often each of these but the last is drawn.
const BOUNDS: [(Bound, u32); 4] =
    [(Bound::Constant, 40), (Bound::Local, 30), (Bound::Parameter, 20), (Bound::Recomputed, 10)];

/// A loop of a nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Level {
    pub(super) bound: Bound,
    pub(super) upwards: bool,
    pub(super) parts: Vec<Part>,
}

/// What stands in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Statements,
    Loop(Level),
}

impl Level {
    /// How many loops stand in it, one in another.
    pub(super) fn height(&self) -> usize {
        let loops = self.parts.iter().filter_map(|part| match part {
            Part::Loop(level) => Some(level.height() + 1),
            Part::Statements => None,
        });
        loops.max().unwrap_or(0)
    }

    /// How many innermost loops it has.
    pub(super) fn leaves(&self) -> u64 {
        let loops = self.parts.iter().map(|part| match part {
            Part::Loop(level) => level.leaves(),
            Part::Statements => 0,
        });
        loops.sum::<u64>().max(1)
    }

    fn draw(shape: &Shape, height: usize, outermost: bool, choices: &mut Choices) -> Self {
        let bound = match shape.bound {
            Some(bound) => bound,
            None if !outermost && choices.chance(TRIANGLES) => Bound::Outer,
            None => {
                let weights = BOUNDS.map(|(_, weight)| weight);
                BOUNDS[choices.weighted(&weights).unwrap_or(0)].0
            }
        };
        let upwards = shape.strict || choices.chance(UPWARDS);
        let mut parts = Vec::new();
        if height == 0 {
            parts.push(Part::Statements);
            return Self { bound, upwards, parts };
        }
        let perfect = shape.strict || choices.chance(PERFECT);
        let count = match !perfect && choices.chance(SIBLINGS) {
            true => choices.range(SIBLING_COUNT.0, SIBLING_COUNT.1),
            false => 1,
        };
        for _ in 0..count {
            if !perfect && choices.chance(50) {
                parts.push(Part::Statements);
            }
            parts.push(Part::Loop(Self::draw(shape, height - 1, false, choices)));
        }
        if !perfect && choices.chance(50) {
            parts.push(Part::Statements);
        }
        Self { bound, upwards, parts }
    }
}

/// A nest before anything is drafted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Skeleton {
    /// The row of its shape.
    pub(super) shape: usize,
    pub(super) level: Level,
    /// Whether its loops go over the numbers of those of the nest before it.
    pub(super) same_space: bool,
}

/// The nests of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outline {
    /// Whether they stand in a function of their own.
    pub(super) kernel: bool,
    pub(super) nests: Vec<Skeleton>,
}

impl Outline {
    pub(super) fn draw(choices: &mut Choices) -> Self {
        let kernel = choices.chance(KERNELS);
        let mut nests: Vec<Skeleton> = Vec::new();
        for _ in 0..choices.range(NESTS.0, NESTS.1) {
            let same = nests.last().filter(|_| choices.chance(SAME_SPACE)).cloned();
            nests.push(match same {
                Some(last) => Skeleton { same_space: true, ..last },
                None => {
                    let weights: Vec<u32> = SHAPES.iter().map(|shape| shape.weight).collect();
                    let shape = choices.weighted(&weights).unwrap_or(0);
                    let row = &SHAPES[shape];
                    let height = choices.weighted(row.depths).unwrap_or(0);
                    let level = Level::draw(row, height, true, choices);
                    Skeleton { shape, level, same_space: false }
                }
            });
        }
        Self { kernel, nests }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlines() -> Vec<Outline> {
        (0..300).map(|seed| Outline::draw(&mut Choices::new(seed))).collect()
    }

    #[test]
    fn skeletons_have_every_shape_depth_and_bound() {
        let outlines = outlines();
        let nests: Vec<&Skeleton> = outlines.iter().flat_map(|outline| &outline.nests).collect();
        let share = |wanted: &dyn Fn(&Skeleton) -> bool| {
            100 * nests.iter().filter(|nest| wanted(nest)).count() / nests.len()
        };
        for (row, shape) in SHAPES.iter().enumerate() {
            assert!(share(&|nest| nest.shape == row) > 1, "{}", shape.name);
        }
        for height in 0..5 {
            assert!(nests.iter().any(|nest| nest.level.height() == height), "{height}");
        }
        assert!(share(&|nest| nest.level.height() > 0) > 40, "nests of two loops or more");
        assert!(share(&|nest| nest.same_space) > 15, "neighbours with one space");
        assert!(share(&|nest| nest.level.leaves() > 1) > 3, "loops side by side in a loop");
        assert!(share(&|nest| nest.level.bound == Bound::Constant) < 60, "hidden bounds");
        let kernels = outlines.iter().filter(|outline| outline.kernel).count();
        assert!((60..240).contains(&kernels), "{kernels}");
    }

    #[test]
    fn strict_shapes_are_perfect() {
        fn is_perfect(level: &Level) -> bool {
            match &level.parts[..] {
                [Part::Loop(inner)] => is_perfect(inner),
                parts => parts == [Part::Statements],
            }
        }
        for nest in outlines().iter().flat_map(|outline| &outline.nests) {
            assert!(!SHAPES[nest.shape].strict || is_perfect(&nest.level), "{nest:?}");
        }
    }
}
