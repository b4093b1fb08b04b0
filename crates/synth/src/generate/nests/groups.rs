//! Like statements on neighbours, which the vectoriser of straight lines looks for.

use farrier_lang::{BinaryOp, ExprId, IntKind, ObjectId, StmtId, Types};

use super::NestArray;
use super::records::NestRecords;
use crate::features::Feature;
use crate::generate::draft::{Draft, Mode};
use crate::generate::places::Purpose;
use crate::generate::production::{Production, Rate, anywhere, draw, form};
use crate::generate::values::Want;

/// Of groups, in percent: those out of order, those with one operator that differs, those whose
/// operators alternate, and those that begin at the counter.
const SHUFFLED: u32 = 30;
const ODD_ONES: u32 = 20;
const ALTERNATING: u32 = 15;
const MOVING: u32 = 60;

/// How many groups are members of a record, in percent.
const OF_MEMBERS: u32 = 20;

/// How many neighbours the statements of a group go over.
const GROUPS: [i128; 8] = [2, 4, 4, 4, 8, 8, 8, 16];

/// How many terms a sum has.
const TERMS: [i128; 3] = [4, 8, 8];

/// In percent: sums of products, and lanes of a group that are a constant among others.
const PRODUCTS: u32 = 60;
const CONSTANT_LANES: u32 = 20;

/// Numbers that lie side by side.
#[derive(Clone, Debug)]
enum Neighbours {
    /// From the counter on, or from a constant.
    Elements(NestArray, Option<ObjectId>, i128),
    /// Members of one record.
    Members(NestRecords, u64),
}

/// What a lane is combined with.
#[derive(Clone, Debug)]
enum Other {
    /// The same for all.
    Splat(ExprId),
    /// A constant for each.
    Constants,
    /// Other neighbours, turned by so many.
    Lanes(Neighbours, i128),
}

/// The forms of groups.
#[rustfmt::skip]
static GROUPS_OF_STATEMENTS: &[Production<(), Vec<StmtId>>] = &[
    form(Rate::Always(60), anywhere, |draft, ()| draft.group_map()),
    form(Rate::Always(20), anywhere, |draft, ()| draft.group_sum()),
    form(Rate::Of(Feature::Ternary), compares, |draft, ()| draft.group_choice()),
    form(Rate::Always(10), anywhere, |draft, ()| draft.group_copy()),
];

fn compares(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Comparison)
}

impl Draft<'_> {
    /// Whether a group can stand in any block.
    pub(in crate::generate) fn can_group(&self) -> bool {
        !self.stock.nest_arrays.is_empty() && self.writes_statics && self.has(Feature::Array)
    }

    /// Like statements on neighbours, in any block: no counter is near.
    pub(in crate::generate) fn group_statement(&mut self) -> Option<Vec<StmtId>> {
        let nest = std::mem::take(&mut self.scope.nest);
        let first = self.program.exprs.len();
        let made = self.nest_group();
        self.size.bare.push(first..self.program.exprs.len());
        self.scope.nest = nest;
        made
    }

    /// Like statements on neighbours: `a[0] = b[0] + c; a[1] = b[1] + c; ...`
    pub(super) fn nest_group(&mut self) -> Option<Vec<StmtId>> {
        draw(self, GROUPS_OF_STATEMENTS, ())
    }

    /// A number that no lane changes.
    fn group_leaf(&mut self) -> ExprId {
        if !self.scope.nest.heads.is_empty()
            && let Some(value) = self.nest_value(0)
        {
            return value;
        }
        self.nest_invariant().unwrap_or_else(|| self.nest_constant())
    }

    /// Neighbours, at least so many.
    fn neighbours(&mut self, count: i128) -> Option<Neighbours> {
        if self.has_records() && self.choices.chance(OF_MEMBERS) {
            let records = self.nest_records();
            if i128::from(records.members) >= count {
                let index = self.choices.below(records.length);
                return Some(Neighbours::Members(records, index));
            }
        }
        let array = self.nest_array();
        let last = i128::from(*array.lengths.last()?) - 1;
        let head = self.scope.nest.heads.last();
        if let Some(head) = head.copied()
            && head.low >= 0
            && head.high + count <= last
            && self.choices.chance(MOVING)
        {
            return Some(Neighbours::Elements(array, Some(head.counter), 0));
        }
        let first = self.choices.range(0, (last - count).max(0) as i64);
        (count <= last).then(|| Neighbours::Elements(array, None, first.into()))
    }

    fn neighbour(&mut self, neighbours: &Neighbours, offset: i128) -> ExprId {
        match neighbours {
            Neighbours::Elements(array, counter, first) => {
                let mut place = self.object_expr(array.object);
                for _ in 1..array.lengths.len() {
                    let index = self.builder().int(IntKind::Int, 1);
                    place = self.element(place, index);
                }
                let index = match counter {
                    Some(counter) => {
                        let counter = self.load(*counter);
                        self.plus(counter, first + offset)
                    }
                    None => self.builder().int(IntKind::Int, (first + offset) as u64),
                };
                self.element(place, index)
            }
            Neighbours::Members(records, index) => {
                let index = self.builder().int(IntKind::Int, *index);
                self.record_member(*records, index, offset as u32)
            }
        }
    }

    fn neighbour_value(&mut self, neighbours: &Neighbours, offset: i128) -> ExprId {
        let place = self.neighbour(neighbours, offset);
        let value = self.builder().value(place);
        self.made_signed(value)
    }

    /// The positions of lanes, perhaps out of order.
    fn lanes(&mut self, count: i128) -> Vec<i128> {
        let mut order: Vec<i128> = (0..count).collect();
        if self.choices.chance(SHUFFLED) {
            self.choices.shuffle(&mut order);
        }
        order
    }

    fn group_operators(&self) -> Vec<BinaryOp> {
        let mut ops = vec![BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Multiplication) {
            ops.push(BinaryOp::Mul);
        }
        if self.has(Feature::Bitwise) {
            ops.extend([BinaryOp::BitXor, BinaryOp::BitAnd, BinaryOp::BitOr]);
        }
        ops
    }

    /// `a[0] = b[1] + c[0]; a[1] = b[0] - c[1]; ...`
    fn group_map(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&GROUPS);
        let (to, from) = (self.neighbours(count)?, self.neighbours(count)?);
        let other = match self.choices.below(4) {
            0 => Other::Splat(self.group_leaf()),
            1 => Other::Constants,
            _ => Other::Lanes(self.neighbours(count)?, i128::from(self.choices.below(2))),
        };
        let order = self.lanes(count);
        let ops = self.group_operators();
        let (op, second) = (self.choices.pick(&ops), self.choices.pick(&ops));
        let odd = self.choices.chance(ODD_ONES).then(|| self.choices.pick(&order));
        let alternates = self.choices.chance(ALTERNATING);
        let constants = self.choices.chance(CONSTANT_LANES);
        let mut statements = Vec::new();
        for (position, offset) in (0..).zip(order) {
            let target = self.neighbour(&to, position);
            let left = self.neighbour_value(&from, offset);
            let right = match &other {
                Other::Splat(value) => self.copy(*value),
                Other::Lanes(lanes, turned) if !constants || position % 4 != 1 => {
                    self.neighbour_value(lanes, (position + turned) % count)
                }
                _ => self.nest_constant(),
            };
            let op = match odd == Some(offset) || alternates && position % 2 == 1 {
                true => second,
                false => op,
            };
            let value = self.nest_operate(op, left, right);
            let assign = self.nest_store(target, value);
            statements.push(self.expr_stmt(assign));
        }
        Some(statements)
    }

    /// `a[0] = b[0] < c ? b[0] : c; ...`: the lesser, the greater or another choice.
    fn group_choice(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&GROUPS);
        let (to, from) = (self.neighbours(count)?, self.neighbours(count)?);
        let limit = self.group_leaf();
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::Equal]);
        let order = self.lanes(count);
        let mut statements = Vec::new();
        for (position, offset) in (0..).zip(order) {
            let target = self.neighbour(&to, position);
            let left = self.neighbour_value(&from, offset);
            let (then, limit) = (self.copy(left), self.copy(limit));
            let otherwise = self.copy(limit);
            let condition = self.binary(op, left, limit);
            let value = self.select(condition, then, otherwise);
            let assign = self.nest_store(target, value);
            statements.push(self.expr_stmt(assign));
        }
        Some(statements)
    }

    /// `a[0] = b[3]; a[1] = b[2]; a[2] = 0; ...`
    fn group_copy(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&GROUPS);
        let (to, from) = (self.neighbours(count)?, self.neighbours(count)?);
        let constants = self.choices.chance(CONSTANT_LANES);
        let order = self.lanes(count);
        let mut statements = Vec::new();
        for (position, offset) in (0..).zip(order) {
            let target = self.neighbour(&to, position);
            let value = match constants && position % 3 == 2 {
                true => self.nest_constant(),
                false => self.neighbour_value(&from, offset),
            };
            let assign = self.nest_store(target, value);
            statements.push(self.expr_stmt(assign));
        }
        Some(statements)
    }

    /// `s = a[0] * b[0] + a[1] * b[1] + ...;`, also the greatest or the least of some.
    fn group_sum(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&TERMS);
        let (first, second) = (self.neighbours(count)?, self.neighbours(count)?);
        let products = self.has(Feature::Multiplication) && self.choices.chance(PRODUCTS);
        let mut sum: Option<ExprId> = None;
        for position in self.lanes(count) {
            let mut term = self.neighbour_value(&first, position);
            if products {
                let factor = self.neighbour_value(&second, position);
                term = self.nest_operate(BinaryOp::Mul, term, factor);
                // Sixteen of them fit.
                term = self.shrink(term, self.config.target.int_bits(IntKind::Int) - 6);
            }
            sum = Some(match sum {
                Some(sum) => self.nest_operate(BinaryOp::Add, sum, term),
                None => term,
            });
        }
        let value = sum?;
        if self.scope.nest.heads.is_empty()
            && let Some(place) = self.place(Want::Integer, Purpose::Write, Mode::Quiet)
        {
            let assign = self.assign(place, value);
            return Some(vec![self.expr_stmt(assign)]);
        }
        let to = self.neighbours(1)?;
        let place = self.neighbour(&to, 0);
        let assign = self.nest_store(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// A local that takes the greatest or the least of neighbours, in an array of its own type.
    pub(super) fn group_extreme(&mut self) -> Option<Vec<StmtId>> {
        let count = self.choices.pick(&TERMS);
        let from = self.neighbours(count)?;
        let kind = self.narrow_kind(IntKind::Int);
        let best = self.counter(kind, None);
        debug_assert_eq!(self.program[best].ty, Types::int(kind));
        let first = self.neighbour_value(&from, 0);
        self.charge_expr(first);
        let mut statements = vec![self.declared(best, first)];
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater]);
        for position in 1..count {
            let value = self.neighbour_value(&from, position);
            let again = self.copy(value);
            let old = self.load(best);
            let condition = self.binary(op, value, old);
            self.charge_expr(condition);
            let then = self.stored(best, again)?[0];
            statements.push(self.if_of(condition, then));
        }
        let to = self.neighbours(1)?;
        let place = self.neighbour(&to, 0);
        let value = self.load(best);
        let assign = self.nest_store(place, value);
        statements.push(self.expr_stmt(assign));
        Some(statements)
    }
}
