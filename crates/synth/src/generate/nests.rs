//! Loop nests that loop passes like: heads first, statements after. Arrays are made to fit, so
//! that every subscript is in bounds by construction and needs no guard, and values are small
//! by type, so that guards of signed operators never fire and are dropped.

mod arrays;
mod calls;
mod groups;
mod heads;
mod records;
mod statements;
mod sums;
mod values;
mod walks;

use farrier_lang::{IntKind, Linkage, ObjectId, StmtId, Storage, TypeId, Types};

use super::draft::{Draft, Name};
use crate::features::Feature;
pub(super) use calls::NestHelper;
pub(super) use records::NestRecords;

/// The least operations that must be left for a nest and for a function of nests, those of
/// one round, and those of the control of one.
const NEST_OPERATIONS: u64 = 1_500;
const FUNCTION_OPERATIONS: u64 = 6_000;
const ROUND_OPERATIONS: u64 = 70;
const HEAD_COST: u64 = 12;

/// In percent: loops that go upwards, and nests with the heads of the nest before them.
const UPWARDS: u32 = 75;
const SAME_SPACE: u32 = 30;

/// How many loops are no nests, or no loops at all, in percent.
const LONE_LOOPS: u32 = 40;

/// One loop of a nest: its counter goes over these numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    counter: ObjectId,
    low: i128,
    high: i128,
    step: i128,
    upwards: bool,
    rounds: u64,
}

/// An array that nests go over.
#[derive(Clone, Debug)]
pub(super) struct NestArray {
    object: ObjectId,
    element: TypeId,
    lengths: Vec<u64>,
}

/// A local that a nest adds up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulator {
    object: ObjectId,
    /// What it is for, once a statement uses it.
    used: Option<sums::Use>,
    /// How far it can still grow.
    room: i128,
}

/// What the statements of a nest can name.
#[derive(Clone, Debug, Default)]
pub(super) struct Nest {
    heads: Vec<Head>,
    accumulators: Vec<Accumulator>,
    /// Numbers that no loop changes.
    invariants: Vec<ObjectId>,
}

impl Draft<'_> {
    /// Whether the loops and subscripts of nests can be written.
    pub(super) fn can_nest(&self) -> bool {
        let features = [Feature::For, Feature::Array, Feature::ArrayLoop, Feature::Arithmetic];
        self.can_count()
            && self.writes_statics
            && features.into_iter().all(|feature| self.has(feature))
            && self.spare() > FUNCTION_OPERATIONS
    }

    /// The body of a function that consists of nests.
    pub(super) fn nest_body(&mut self) -> StmtId {
        let first = self.program.exprs.len();
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(1, 3) {
            let value = self.choices.range(-3, 12);
            let value = self.hidden(value.into());
            let kind =
                self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Short, IntKind::Long]);
            let kind = self.narrow_kind(kind);
            let object = self.counter(kind, None);
            statements.push(self.declared(object, value));
            self.scope.nest.invariants.push(object);
        }
        self.nest_fill(&mut statements);
        let mut heads: Option<Vec<Head>> = None;
        while self.has_room() && self.spare() > NEST_OPERATIONS {
            if self.choices.chance(LONE_LOOPS) {
                self.lone_loop(&mut statements);
                continue;
            }
            heads = self.nest(heads.take(), &mut statements);
            if heads.is_none() {
                break;
            }
        }
        // A wrapper in the middle would keep the loop passes away.
        self.size.bare.push(first..self.program.exprs.len());
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// A counter, which only the statements of its loop name.
    fn nest_local(&mut self, kind: IntKind) -> ObjectId {
        self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic)
    }

    /// The kind of integers, or another one of at most 64 bits if programs lack it.
    fn narrow_kind(&mut self, kind: IntKind) -> IntKind {
        if self.has_kind(kind) { kind } else { self.counter_kind(100).unwrap_or(IntKind::Int) }
    }

    /// A nest, perhaps over the space of the one before it, and what is needed before and
    /// after it; its heads.
    fn nest(&mut self, before: Option<Vec<Head>>, out: &mut Vec<StmtId>) -> Option<Vec<Head>> {
        let affordable = self.spare() / ROUND_OPERATIONS;
        let mark = self.scope.enter();
        let mut spaces: Vec<(i128, u64, i128)> = match before {
            Some(heads) if self.choices.chance(SAME_SPACE) => {
                heads.iter().map(|head| (head.low, head.rounds, head.step)).collect()
            }
            _ => self.nest_space(),
        };
        while spaces.iter().map(|space| space.1).product::<u64>() > affordable && spaces.len() > 1 {
            spaces.remove(0);
        }
        if spaces.iter().map(|space| space.1).product::<u64>() > affordable {
            self.scope.leave(mark);
            return None;
        }
        let mut statements = Vec::new();
        let mut heads = Vec::new();
        for (low, rounds, step) in spaces {
            let high = low + step * (i128::from(rounds) - 1);
            let kind = self.counter_kind(high + 2 * step)?;
            let upwards = self.choices.chance(UPWARDS) || low < step;
            let counter = self.nest_local(kind);
            heads.push(Head { counter, low, high, step, upwards, rounds });
        }
        self.nest_accumulators(&mut statements);
        let nest = self.nest_loops(&heads, 0, &mut statements);
        statements.push(nest);
        self.nest_results(&mut statements);
        self.scope.leave(mark);
        out.push(self.block_of(statements));
        Some(heads)
    }
}
