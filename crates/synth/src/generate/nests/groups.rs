//! Like statements on neighbours, which the vectoriser of straight lines looks for.

use farrier_lang::{BinaryOp, ExprId, IntKind, ObjectId, StmtId};

use super::NestArray;
use crate::features::Feature;
use crate::generate::draft::Draft;

/// Of groups, in percent: those out of order, those with one operator that differs, and those
/// that begin at the counter.
const SHUFFLED: u32 = 30;
const ODD_ONES: u32 = 30;
const MOVING: u32 = 60;

/// How many neighbours the statements of a group go over.
const GROUPS: [i128; 4] = [2, 4, 4, 8];

impl Draft<'_> {
    /// Like statements on neighbours: `a[0] = b[0] + c; a[1] = b[1] + c; ...`
    pub(super) fn nest_group(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&GROUPS);
        let (to, from) = (self.nest_array(), self.nest_array());
        let (to_first, from_first) =
            (self.group_start(&to, count)?, self.group_start(&from, count)?);
        let mut order: Vec<i128> = (0..count).collect();
        if self.choices.chance(SHUFFLED) {
            self.choices.shuffle(&mut order);
        }
        let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::BitXor];
        let ops = match self.has(Feature::Multiplication) && self.has(Feature::Bitwise) {
            true => &ops[..],
            false => &ops[..2],
        };
        let op = self.choices.pick(ops);
        let odd = self
            .choices
            .chance(ODD_ONES)
            .then(|| (self.choices.pick(&order), self.choices.pick(ops)));
        let other = self.nest_value(0)?;
        let mut statements = Vec::new();
        for (position, offset) in order.iter().enumerate() {
            let target = self.group_element(&to, to_first, position as i128);
            let source = self.group_element(&from, from_first, *offset);
            let source = self.builder().value(source);
            let other = self.copy(other);
            let op = match odd {
                Some((at, odd)) if at == *offset => odd,
                _ => op,
            };
            let value = self.operate(op, source, other);
            let assign = self.assign(target, value);
            statements.push(self.expr_stmt(assign));
        }
        Some(statements)
    }

    /// Where a group of neighbours begins in the last dimension: at a constant, or at the
    /// counter of the innermost loop.
    pub(super) fn group_start(
        &mut self,
        array: &NestArray,
        count: i128,
    ) -> Option<(Option<ObjectId>, i128)> {
        let last = i128::from(*array.lengths.last()?) - 1;
        let head = *self.scope.nest.heads.last()?;
        if head.high + count <= last && self.choices.chance(MOVING) {
            return Some((Some(head.counter), 0));
        }
        Some((None, i128::from(self.choices.range(0, (last - count) as i64))))
    }

    pub(super) fn group_element(
        &mut self,
        array: &NestArray,
        start: (Option<ObjectId>, i128),
        offset: i128,
    ) -> ExprId {
        let mut place = self.object_expr(array.object);
        for _ in 1..array.lengths.len() {
            let index = self.builder().int(IntKind::Int, 1);
            place = self.element(place, index);
        }
        let index = match start {
            (Some(counter), first) => {
                let counter = self.load(counter);
                self.plus(counter, first + offset)
            }
            (None, first) => self.builder().int(IntKind::Int, (first + offset) as u64),
        };
        self.element(place, index)
    }
}
