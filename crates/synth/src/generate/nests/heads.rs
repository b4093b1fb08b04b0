//! The heads of nests: where loops begin and end, and how they step.

use farrier_lang::{BinaryOp, ExprId, IntKind, StepOp, Stmt, StmtId};

use super::arrays::{LAST_LENGTHS, REACH, SPAN};
use super::{HEAD_COST, Head};
use crate::features::Feature;
use crate::generate::draft::Draft;

/// The weights of nests of one, two and three loops.
const DEPTHS: [u32; 3] = [45, 40, 15];

/// How many rounds loops have: the innermost more than GCC peels away, the others few.
const INNER_ROUNDS: (i64, i64) = (17, 40);
const OUTER_ROUNDS: (i64, i64) = (2, 8);

/// In percent: loops that step by one, and nests whose statements are all innermost.
const SINGLE_STEPS: u32 = 75;
const PERFECT: u32 = 70;

/// How many bounds are locals, in percent.
const LOCAL_BOUNDS: u32 = 40;

impl Draft<'_> {
    /// Where the loops of a nest begin, how many rounds they have, and how far they step.
    pub(super) fn nest_space(&mut self) -> Vec<(i128, u64, i128)> {
        let depth = 1 + self.choices.weighted(&DEPTHS).unwrap_or(0);
        let space = |draft: &mut Self, (fewest, most): (i64, i64)| {
            let rounds = draft.choices.range(fewest, most) as u64;
            let single = draft.choices.chance(SINGLE_STEPS) || !draft.has(Feature::CompoundAssign);
            let step = if single { 1 } else { i128::from(draft.choices.range(2, 4)) };
            let low = i128::from(draft.choices.range(0, REACH as i64));
            // Arrays have room for so many.
            let room = (LAST_LENGTHS.0 as u64 - SPAN) / step as u64;
            (low, rounds.min(room.max(2)).max(2), step)
        };
        let mut spaces: Vec<_> = (1..depth).map(|_| space(self, OUTER_ROUNDS)).collect();
        spaces.push(space(self, INNER_ROUNDS));
        spaces
    }

    /// The loops from one on, with what stands in them. Bounds may need declarations before
    /// the nest.
    pub(super) fn nest_loops(
        &mut self,
        heads: &[Head],
        first: usize,
        before: &mut Vec<StmtId>,
    ) -> StmtId {
        let head = heads[first];
        self.scope.nest.heads.push(head);
        let init = self.hidden(if head.upwards { head.low } else { head.high });
        let init = self.declared(head.counter, init);
        let condition = self.nest_condition(head, before);
        let step = self.nest_step(head);
        self.charge(HEAD_COST * (head.rounds + 1));
        let body = self.repeated(head.rounds, |draft| {
            let mut statements = Vec::new();
            let innermost = first + 1 == heads.len();
            if innermost || !draft.choices.chance(PERFECT) {
                draft.nest_statements(&mut statements);
            }
            if !innermost {
                statements.push(draft.nest_loops(heads, first + 1, before));
                if !draft.choices.chance(PERFECT) {
                    draft.nest_statements(&mut statements);
                }
            }
            draft.block_of(statements)
        });
        self.scope.nest.heads.pop();
        let (condition, step) = (Some(condition), Some(step));
        self.stmt(Stmt::For { init: [init].into(), condition, step, body })
    }

    pub(super) fn nest_condition(&mut self, head: Head, before: &mut Vec<StmtId>) -> ExprId {
        let last = if head.upwards { head.high } else { head.low };
        let (op, bound) = match (self.choices.below(3), head.upwards) {
            (0, true) => (BinaryOp::LessEqual, last),
            (1, true) => (BinaryOp::NotEqual, last + head.step),
            (_, true) => (BinaryOp::Less, last + head.step),
            (0, false) => (BinaryOp::GreaterEqual, last),
            (1, false) => (BinaryOp::NotEqual, last - head.step),
            (_, false) => (BinaryOp::Greater, last - head.step),
        };
        let bound = self.hidden(bound);
        let bound = match self.has(Feature::VariableBound) && self.choices.chance(LOCAL_BOUNDS) {
            true => {
                let kind = self.choices.pick(&[IntKind::Int, IntKind::Int, IntKind::Long]);
                let local = {
                    let kind = self.narrow_kind(kind);
                    self.counter(kind, None)
                };
                before.push(self.declared(local, bound));
                self.load(local)
            }
            false => bound,
        };
        let counter = self.load(head.counter);
        self.binary(op, counter, bound)
    }

    pub(super) fn nest_step(&mut self, head: Head) -> ExprId {
        let place = self.object_expr(head.counter);
        if head.step == 1 && self.has(Feature::Increment) {
            let op = if head.upwards { StepOp::PreIncrement } else { StepOp::PostDecrement };
            return self.step(op, place);
        }
        let op = if head.upwards { BinaryOp::Add } else { BinaryOp::Sub };
        let amount = self.hidden(head.step);
        self.compound_assign(op, place, amount)
    }
}
