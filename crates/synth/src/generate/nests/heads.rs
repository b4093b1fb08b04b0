//! The heads of nests: where loops begin and end, and how they step.

use farrier_lang::{BinaryOp, ExprId, IntKind, ObjectId, Qualifiers, StepOp, Stmt, StmtId, Types};

use super::arrays::REACH;
use super::shapes::{SHAPES, Shape};
use super::skeleton::{Bound, Level, Part, Skeleton};
use super::{HEAD_COST, Head, ROUND_OPERATIONS};
use crate::features::Feature;
use crate::generate::draft::Draft;

/// How many rounds loops have: the innermost more than GCC peels away, those around it as many
/// as its array has room for or few, and the others few.
const INNER_ROUNDS: u64 = 17;
const OUTER_ROUNDS: (i64, i64) = (2, 8);
const FAR_ROUNDS: (i64, i64) = (2, 4);
const LONG_OUTERS: u32 = 40;

/// In percent: single loops over the longest arrays, and the least elements of them that they
/// go over, as a share.
const LONG_LOOPS: u32 = 25;

/// In percent: loops that step by one, and those that do not begin at zero.
const SINGLE_STEPS: u32 = 75;
const LATER_STARTS: u32 = 75;

/// In percent: counters of strict shapes that are `int`, bounds that are `const`, conditions
/// with `!=` and with `<=` or `>=`, and first values that are hidden.
const USUAL_COUNTERS: u32 = 60;
const CONST_BOUNDS: u32 = 50;
const EXACT: u32 = 20;
const INCLUSIVE: u32 = 30;
const HIDDEN_STARTS: u32 = 30;

/// The numbers that a loop goes over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    pub(super) low: i128,
    pub(super) rounds: u64,
    pub(super) step: i128,
    pub(super) dimension: usize,
}

impl Space {
    fn high(&self) -> i128 {
        self.low + self.step * (i128::from(self.rounds) - 1)
    }
}

impl Draft<'_> {
    /// Where the loops of a nest begin, how many rounds they have, and how far they step: for
    /// the innermost loops first. `None` if the operations that are left are too few.
    pub(super) fn nest_spaces(&mut self, skeleton: &Skeleton) -> Option<Vec<Space>> {
        let shape = &SHAPES[skeleton.shape];
        let height = skeleton.level.height();
        let mut spaces: Vec<Space> = (0..=height)
            .map(|level| {
                let dimension = if shape.style.swapped && level < 2 { 1 - level } else { level };
                match self.scope.nest.bounds.get(dimension).copied() {
                    Some((_, limit)) => self.bounded_space(dimension, limit, shape),
                    None => self.nest_space(level, height, dimension, shape),
                }
            })
            .collect();
        let affordable = self.spare() / ROUND_OPERATIONS / skeleton.level.leaves();
        // Outer loops become shorter until the operations suffice.
        for level in (1..=height).rev() {
            while rounds_of(&spaces) > affordable
                && spaces[level].rounds > 2
                && self.scope.nest.bounds.get(spaces[level].dimension).is_none()
            {
                spaces[level].rounds = (spaces[level].rounds / 2).max(2);
            }
        }
        (rounds_of(&spaces) <= affordable).then_some(spaces)
    }

    /// The numbers of a loop with `level` loops in it, in a nest of `height` loops around the
    /// innermost.
    fn nest_space(
        &mut self,
        level: usize,
        height: usize,
        dimension: usize,
        shape: &Shape,
    ) -> Space {
        let mut length = self.nest_length(dimension);
        if height == 0 && self.choices.chance(LONG_LOOPS) {
            length = self.stock.nest_lengths.long;
        }
        let single =
            shape.strict || !self.has(Feature::CompoundAssign) || self.choices.chance(SINGLE_STEPS);
        let steps = if level == 0 { length / INNER_ROUNDS } else { 4 };
        let step =
            if single { 1 } else { self.choices.range(2, 4).min(steps as i64).max(1) as u64 };
        let later = self.choices.chance(LATER_STARTS);
        let low = if later { self.choices.range(1, REACH as i64) as u64 } else { 0 };
        let low = low.min(length / 4);
        let room = ((length - low) / step).max(2);
        let (fewest, most) = match level {
            0 => (INNER_ROUNDS.min(room), room),
            1 if height == 1 && (shape.style.swapped || self.choices.chance(LONG_OUTERS)) => {
                (room.min(9), room)
            }
            1 => (OUTER_ROUNDS.0 as u64, OUTER_ROUNDS.1 as u64),
            _ => (FAR_ROUNDS.0 as u64, FAR_ROUNDS.1 as u64),
        };
        let (fewest, most) = (fewest.min(room), most.min(room));
        // Stencils have room after it as often as not.
        let most = most.saturating_sub(self.choices.below(REACH as u64 + 1)).max(fewest);
        let rounds = match level {
            0 => most - self.choices.below((most - fewest) / 2 + 1),
            _ => self.choices.range(fewest as i64, most as i64) as u64,
        };
        Space { low: low.into(), rounds, step: step.into(), dimension }
    }

    /// The numbers of a loop that a parameter bounds.
    fn bounded_space(&mut self, dimension: usize, limit: i128, shape: &Shape) -> Space {
        let single = dimension > 0
            || shape.strict
            || !self.has(Feature::CompoundAssign)
            || self.choices.chance(SINGLE_STEPS);
        let step = if single { 1 } else { i128::from(self.choices.range(2, 4)) };
        let low = i128::from(self.choices.range(0, REACH as i64)).min(limit / 4);
        let rounds = ((limit - 1 - low) / step + 1).max(1) as u64;
        Space { low, rounds, step, dimension }
    }

    /// A loop and what stands in it. Bounds may need declarations before the nest.
    pub(super) fn nest_loop(
        &mut self,
        level: &Level,
        shape: &Shape,
        spaces: &[Space],
        before: &mut Vec<StmtId>,
    ) -> Option<StmtId> {
        let mut space = spaces[level.height()];
        let most = i128::from(self.nest_length(space.dimension));
        let triangles = self.has(Feature::VariableBound);
        let outer = self.scope.nest.heads.last().copied().filter(|outer| {
            triangles && level.bound == Bound::Outer && (space.low..most).contains(&outer.high)
        });
        if let Some(outer) = outer {
            // It ends where the loop around it is.
            space.rounds = ((outer.high - space.low) / space.step + 1) as u64;
        }
        let kind = self.nest_counter_kind(&space, shape)?;
        let (upwards, wraps) = self.nest_direction(kind, &space, level, outer.is_some());
        let Space { low, rounds, step, dimension } = space;
        let counter = self.nest_local(kind);
        let head = Head { counter, low, high: space.high(), step, upwards, rounds, dimension };
        let (init, condition) = self.nest_control(head, level, (outer, wraps), before);
        let init = self.declared(counter, init);
        let step = self.nest_step(head);
        self.scope.nest.heads.push(head);
        self.charge(HEAD_COST * (head.rounds + 1));
        let body = self.repeated(rounds, |draft| {
            let mut statements = Vec::new();
            for part in &level.parts {
                match part {
                    Part::Loop(inner) => {
                        statements.extend(draft.nest_loop(inner, shape, spaces, before));
                    }
                    Part::Statements => match (shape.fill)(draft) {
                        Some(made) => statements.extend(made),
                        None => draft.nest_statements(&mut statements),
                    },
                }
            }
            draft.block_of(statements)
        });
        self.scope.nest.heads.pop();
        let (condition, step) = (Some(condition), Some(step));
        Some(self.stmt(Stmt::For { init: [init].into(), condition, step, body }))
    }

    /// Whether a loop goes upwards; if not, whether its counter ends by wrapping around.
    fn nest_direction(
        &self,
        kind: IntKind,
        space: &Space,
        level: &Level,
        outer: bool,
    ) -> (bool, bool) {
        let unsigned = self.type_bounds(Types::int(kind)).is_some_and(|(least, _)| least == 0);
        if level.upwards || outer {
            return (true, false);
        }
        if unsigned && space.low == 0 && space.step == 1 {
            return (false, true);
        }
        // An unsigned counter must not pass zero, whatever a parameter says.
        let passes =
            space.low < space.step || self.nest_parameter(space.dimension, level).is_some();
        (unsigned && passes, false)
    }

    /// The parameter that bounds a loop, if one does, and what it is at most.
    fn nest_parameter(&self, dimension: usize, level: &Level) -> Option<(ObjectId, i128)> {
        let parameter = self.scope.nest.bounds.get(dimension).copied();
        parameter.filter(|_| level.bound == Bound::Parameter)
    }

    fn nest_counter_kind(&mut self, space: &Space, shape: &Shape) -> Option<IntKind> {
        if shape.strict && self.has_kind(IntKind::Int) && self.choices.chance(USUAL_COUNTERS) {
            return Some(IntKind::Int);
        }
        self.counter_kind(space.high() + 2 * space.step)
    }

    /// The first value of a counter, and the condition of its loop.
    fn nest_control(
        &mut self,
        head: Head,
        level: &Level,
        (outer, wraps): (Option<Head>, bool),
        before: &mut Vec<StmtId>,
    ) -> (ExprId, ExprId) {
        let parameter = self.nest_parameter(head.dimension, level).filter(|_| outer.is_none());
        // The end may be less, and even zero, where it is not the same in all calls and rounds.
        let exact = parameter.is_none() && outer.is_none() && self.choices.chance(EXACT);
        let inclusive = self.choices.chance(INCLUSIVE) && (parameter.is_none() || !head.upwards);
        let inclusive = inclusive || parameter.is_some() && !head.upwards;
        let mut end = |draft: &mut Self, beyond: i128| match (parameter, outer) {
            (_, Some(outer)) => {
                let counter = draft.load(outer.counter);
                draft.plus(counter, beyond.min(1))
            }
            (Some((object, _)), _) => {
                let bound = draft.load(object);
                draft.plus(bound, if beyond == 0 { -1 } else { 0 })
            }
            _ => draft.nest_bound(head.high + beyond, level.bound, before),
        };
        if head.upwards {
            let (op, beyond) = match (exact, inclusive) {
                (true, _) => (BinaryOp::NotEqual, head.step),
                (_, true) => (BinaryOp::LessEqual, 0),
                _ => (BinaryOp::Less, head.step),
            };
            let end = end(self, beyond);
            let counter = self.load(head.counter);
            let condition = self.binary(op, counter, end);
            return (self.nest_start(head.low), condition);
        }
        let start = end(self, 0);
        let counter = self.load(head.counter);
        if wraps {
            // It is greater than at the start when it has passed zero.
            let end = end(self, 1);
            return (start, self.binary(BinaryOp::Less, counter, end));
        }
        let (op, last) = match (exact, inclusive) {
            (true, _) => (BinaryOp::NotEqual, head.low - head.step),
            (_, true) => (BinaryOp::GreaterEqual, head.low),
            _ => (BinaryOp::Greater, head.low - head.step),
        };
        // Compared with an unsigned number, the counter would never be below zero.
        let last = match u64::try_from(last) {
            Ok(last) => self.builder().int(IntKind::Int, last),
            Err(_) => self.literal(last),
        };
        (start, self.binary(op, counter, last))
    }

    fn nest_start(&mut self, value: i128) -> ExprId {
        if self.choices.chance(HIDDEN_STARTS) { self.hidden(value) } else { self.literal(value) }
    }

    /// The value `number`, in the form of a bound.
    fn nest_bound(&mut self, number: i128, bound: Bound, before: &mut Vec<StmtId>) -> ExprId {
        if bound == Bound::Constant || !self.has(Feature::VariableBound) {
            return self.literal(number);
        }
        let value = self.input_as(number).unwrap_or_else(|| self.literal(number));
        if bound == Bound::Recomputed {
            return value;
        }
        let kinds = [IntKind::Int, IntKind::Int, IntKind::Int, IntKind::Long, IntKind::Short];
        let kind = self.choices.pick(&kinds);
        let kind = self.narrow_kind(kind);
        let local: ObjectId = self.counter(kind, None);
        if self.has(Feature::Const) && self.choices.chance(CONST_BOUNDS) {
            let ty = self.program.types.qualified(Types::int(kind), Qualifiers::CONST);
            self.program[local].ty = ty;
        }
        before.push(self.declared(local, value));
        self.load(local)
    }

    fn nest_step(&mut self, head: Head) -> ExprId {
        let place = self.object_expr(head.counter);
        if head.step == 1 && self.has(Feature::Increment) {
            let op = if head.upwards { StepOp::PreIncrement } else { StepOp::PostDecrement };
            return self.step(op, place);
        }
        let op = if head.upwards { BinaryOp::Add } else { BinaryOp::Sub };
        let amount = self.literal(head.step);
        self.compound_assign(op, place, amount)
    }
}

/// The rounds of the innermost loop.
fn rounds_of(spaces: &[Space]) -> u64 {
    spaces.iter().map(|space| space.rounds).product()
}
