//! Loop nests that loop passes like: skeletons first, heads and statements after. Arrays are
//! made to fit, so that every subscript is in bounds by construction and needs no guard, and
//! values are small by type, so that guards of signed operators never fire and are dropped.

mod arrays;
mod calls;
mod floats;
mod groups;
mod heads;
mod kernels;
mod records;
mod shapes;
mod skeleton;
mod statements;
mod sums;
mod values;
mod walks;

pub(in crate::generate) use arrays::NestLengths;

use farrier_lang::{IntKind, Linkage, ObjectId, StmtId, Storage, TypeId, Types};

use super::draft::{Draft, Name};
use crate::Choices;
use crate::features::Feature;
pub(super) use calls::NestHelper;
use floats::FloatSum;
use heads::Space;
pub(super) use records::NestRecords;
use shapes::{ANY, SHAPES};
use skeleton::{Outline, Skeleton};

/// The least operations that must be left for a nest and for a function of nests, those of
/// one round, and those of the control of one.
const NEST_OPERATIONS: u64 = 1_500;
const FUNCTION_OPERATIONS: u64 = 6_000;
const ROUND_OPERATIONS: u64 = 70;
const HEAD_COST: u64 = 12;

/// How many numbers a function has that no loop changes, and between which they lie.
const INVARIANTS: (i64, i64) = (1, 3);
const INVARIANT_VALUES: (i64, i64) = (-3, 12);

/// How many loops are no nests, or no loops at all, in percent.
const LONE_LOOPS: u32 = 40;

/// The most nests of a function: its outline is repeated while there is room.
const MOST_NESTS: usize = 12;

/// One loop of a nest: its counter goes over these numbers, or over some of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    counter: ObjectId,
    low: i128,
    high: i128,
    step: i128,
    upwards: bool,
    rounds: u64,
    /// The dimension of arrays that it is for, from the last.
    dimension: usize,
}

/// An array that nests go over, or a pointer to the first element of a part of one.
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

/// What subscripts are like, in percent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Those that are a counter alone.
    plain: u32,
    /// Those with the counter of the same dimension's loop.
    straight: u32,
    /// Those that are multiplied by a number that nobody knows to be one.
    strided: u32,
    /// Whether the innermost loop is for the dimension before the last, and that around it for
    /// the last.
    swapped: bool,
}

impl Default for Style {
    fn default() -> Self {
        ANY
    }
}

/// What the statements of a nest can name.
#[derive(Clone, Debug, Default)]
pub(super) struct Nest {
    heads: Vec<Head>,
    accumulators: Vec<Accumulator>,
    float_sums: Vec<FloatSum>,
    /// Numbers that no loop changes.
    invariants: Vec<ObjectId>,
    /// A number that is one, as the optimiser cannot know.
    stride: Option<ObjectId>,
    style: Style,
    /// Of a function that gets them as parameters: its arrays.
    arrays: Vec<NestArray>,
    /// The parameters that bound its loops, innermost ones first, and what they are at most.
    bounds: Vec<(ObjectId, i128)>,
    /// What it adds its results up in.
    result: Option<ObjectId>,
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
        let outline = self.outline();
        let mut statements = Vec::new();
        for _ in 0..self.choices.range(INVARIANTS.0, INVARIANTS.1) {
            let (least, most) = INVARIANT_VALUES;
            let value = self.choices.range(least, most);
            let object = self.nest_number(value.into(), &mut statements);
            self.scope.nest.invariants.push(object);
        }
        let stride = self.nest_number(1, &mut statements);
        self.scope.nest.stride = Some(stride);
        self.nest_fill(&mut statements);
        if outline.kernel {
            self.kernels(&outline, &mut statements);
        }
        self.nests(&outline.nests, MOST_NESTS, &mut statements);
        // A wrapper in the middle would keep the loop passes away.
        self.size.bare.push(first..self.program.exprs.len());
        statements.push(self.return_statement());
        self.block_of(statements)
    }

    /// The next outline of the program: those of all variations of a program are the same.
    fn outline(&mut self) -> Outline {
        let seed = Choices::derive_seed(self.skeletons, self.stock.outlines);
        self.stock.outlines += 1;
        Outline::draw(&mut Choices::new(seed))
    }

    /// A local with this value, hidden if that can be.
    fn nest_number(&mut self, value: i128, out: &mut Vec<StmtId>) -> ObjectId {
        let value = self.hidden(value);
        let kinds = [IntKind::Int, IntKind::Int, IntKind::Short, IntKind::Long];
        let kind = self.choices.pick(&kinds);
        let kind = self.narrow_kind(kind);
        let object = self.counter(kind, None);
        out.push(self.declared(object, value));
        object
    }

    /// Nests with these skeletons, again and again while there is room for `most`.
    fn nests(&mut self, skeletons: &[Skeleton], most: usize, out: &mut Vec<StmtId>) {
        let mut before: Option<Vec<Space>> = None;
        for skeleton in skeletons.iter().cycle().take(most) {
            if !self.has_room() || self.spare() <= NEST_OPERATIONS {
                break;
            }
            // A function that gets its arrays has nests alone.
            while self.scope.nest.arrays.is_empty()
                && self.choices.chance(LONE_LOOPS)
                && self.has_room()
                && self.spare() > NEST_OPERATIONS
            {
                self.lone_loop(out);
            }
            before = self.nest(skeleton, before.as_deref(), out);
        }
    }

    /// A counter, which only the statements of its loop name.
    fn nest_local(&mut self, kind: IntKind) -> ObjectId {
        self.object(Name::Local, Types::int(kind), Linkage::None, Storage::Automatic)
    }

    /// The kind of integers, or another one of at most 64 bits if programs lack it.
    pub(super) fn narrow_kind(&mut self, kind: IntKind) -> IntKind {
        if self.has_kind(kind) { kind } else { self.counter_kind(100).unwrap_or(IntKind::Int) }
    }

    /// A nest, perhaps over the space of the one before it, and what is needed before and
    /// after it; its space.
    fn nest(
        &mut self,
        skeleton: &Skeleton,
        before: Option<&[Space]>,
        out: &mut Vec<StmtId>,
    ) -> Option<Vec<Space>> {
        let shape = &SHAPES[skeleton.shape];
        let spaces = match before {
            Some(spaces) if skeleton.same_space => spaces.to_vec(),
            _ => self.nest_spaces(skeleton)?,
        };
        let mark = self.scope.enter();
        self.scope.nest.style = shape.style;
        let mut statements = Vec::new();
        self.scope.nest.accumulators.clear();
        self.scope.nest.float_sums.clear();
        if !shape.strict {
            self.nest_accumulators(&mut statements);
        }
        let nest = self.nest_loop(&skeleton.level, shape, &spaces, &mut statements);
        statements.extend(nest);
        self.nest_results(&mut statements);
        self.scope.nest.style = ANY;
        self.scope.leave(mark);
        out.push(self.block_of(statements));
        Some(spaces)
    }
}
