//! The statements of nests.

use farrier_lang::{BinaryOp, Stmt, StmtId};

use crate::features::Feature;
use crate::generate::draft::Draft;
use crate::generate::production::{Production, Rate, anywhere, draw, form};

/// The most statements of the body of a nest, and how deep values nest.
const STATEMENTS: i64 = 3;
const DEEPEST: u32 = 3;

/// In percent: extremes that keep the value and not the counter, choices with an `else`, and
/// copies that are not of a constant.
const KEPT_VALUES: u32 = 70;
const ELSES: u32 = 30;
const COPIES: u32 = 70;

/// The statements of nests.
#[rustfmt::skip]
static STATEMENTS_OF_NESTS: &[Production<(), Vec<StmtId>>] = &[
    form(Rate::Always(40), anywhere, |draft, ()| draft.nest_assignment()),
    form(Rate::Always(20), sums, |draft, ()| draft.nest_reduction()),
    form(Rate::Part(Feature::If, 70), reduces_by_choice, |draft, ()| draft.nest_extreme()),
    form(Rate::Part(Feature::If, 80), compares, |draft, ()| draft.nest_choice()),
    form(Rate::Part(Feature::Break, 40), leaves, |draft, ()| draft.nest_exit()),
    form(Rate::Part(Feature::Continue, 40), leaves, |draft, ()| draft.nest_skip()),
    form(Rate::Always(10), anywhere, |draft, ()| draft.nest_copy()),
    form(Rate::Always(10), anywhere, |draft, ()| draft.nest_group()),
    form(Rate::Always(8), reduces, |draft, ()| draft.nest_carried()),
];

fn compares(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Comparison)
}

fn reduces(draft: &Draft<'_>, (): ()) -> bool {
    !draft.scope.nest.accumulators.is_empty() && draft.has(Feature::Arithmetic)
}

fn sums(draft: &Draft<'_>, (): ()) -> bool {
    reduces(draft, ()) && draft.has(Feature::Reduction)
}

fn reduces_by_choice(draft: &Draft<'_>, (): ()) -> bool {
    !draft.scope.nest.accumulators.is_empty() && draft.has(Feature::Comparison)
}

fn leaves(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::If) && draft.has(Feature::Comparison)
}

impl Draft<'_> {
    pub(super) fn nest_statements(&mut self, out: &mut Vec<StmtId>) {
        for _ in 0..self.choices.range(1, STATEMENTS) {
            self.begin_expression();
            let made = draw(self, STATEMENTS_OF_NESTS, ()).or_else(|| self.nest_assignment());
            out.extend(made.unwrap_or_default());
        }
    }

    /// `a[i] = ...`
    pub(super) fn nest_assignment(&mut self) -> Option<Vec<StmtId>> {
        let place = self.nest_place()?;
        let depth = self.choices.range(1, DEEPEST.into()) as u32;
        let value = self.nest_value(depth)?;
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `s = s + ...`
    pub(super) fn nest_reduction(&mut self) -> Option<Vec<StmtId>> {
        let accumulators = self.scope.nest.accumulators.clone();
        let accumulator = self.choices.pick_any(&accumulators)?;
        let value = self.nest_value(2)?;
        let old = self.load(accumulator);
        let mut ops = vec![BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Bitwise) {
            ops.extend([BinaryOp::BitXor, BinaryOp::BitAnd, BinaryOp::BitOr]);
        }
        if self.has(Feature::Multiplication) {
            ops.push(BinaryOp::Mul);
        }
        let op = self.choices.pick(&ops);
        let sum = self.operate(op, old, value);
        let place = self.object_expr(accumulator);
        let assign = self.assign(place, sum);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `if (... > s) s = ...;`
    pub(super) fn nest_extreme(&mut self) -> Option<Vec<StmtId>> {
        let accumulators = self.scope.nest.accumulators.clone();
        let accumulator = self.choices.pick_any(&accumulators)?;
        let value = self.nest_value(1)?;
        let again = match self.choices.chance(KEPT_VALUES) {
            true => self.copy(value),
            false => self.nest_counter()?,
        };
        let old = self.load(accumulator);
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::GreaterEqual]);
        let condition = self.binary(op, value, old);
        self.charge_expr(condition);
        let place = self.object_expr(accumulator);
        let assign = self.assign(place, again);
        let then = self.expr_stmt(assign);
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise: None })])
    }

    /// `if (...) a[i] = ...; else b[i] = ...;`
    pub(super) fn nest_choice(&mut self) -> Option<Vec<StmtId>> {
        let condition = self.nest_comparison(1)?;
        self.charge_expr(condition);
        let then = self.nest_assignment()?[0];
        let otherwise = match self.choices.chance(ELSES) {
            true => Some(self.nest_assignment()?[0]),
            false => None,
        };
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise })])
    }

    /// `if (...) break;`
    pub(super) fn nest_exit(&mut self) -> Option<Vec<StmtId>> {
        let (left, right) = (self.nest_element()?, self.nest_constant());
        let condition = self.binary(BinaryOp::Equal, left, right);
        self.charge_expr(condition);
        let then = self.stmt(Stmt::Break);
        let stmt = self.stmt(Stmt::If { condition, then, otherwise: None });
        self.fixed.insert(stmt);
        Some(vec![stmt])
    }

    /// `if (...) continue;`
    pub(super) fn nest_skip(&mut self) -> Option<Vec<StmtId>> {
        let condition = self.nest_comparison(0)?;
        self.charge_expr(condition);
        let then = self.stmt(Stmt::Continue);
        Some(vec![self.stmt(Stmt::If { condition, then, otherwise: None })])
    }

    /// `a[i] = b[i];` or `a[i] = 0;`
    pub(super) fn nest_copy(&mut self) -> Option<Vec<StmtId>> {
        let place = self.nest_place()?;
        let value = match self.choices.chance(COPIES) {
            true => self.nest_element()?,
            false => self.nest_constant(),
        };
        let assign = self.assign(place, value);
        Some(vec![self.expr_stmt(assign)])
    }

    /// `b[i] = s; s = a[i];`: what one round leaves for the next.
    pub(super) fn nest_carried(&mut self) -> Option<Vec<StmtId>> {
        let accumulators = self.scope.nest.accumulators.clone();
        let accumulator = self.choices.pick_any(&accumulators)?;
        let place = self.nest_place()?;
        let (old, other) = (self.load(accumulator), self.nest_value(1)?);
        let value = self.operate(BinaryOp::Add, old, other);
        let first = self.assign(place, value);
        let next = self.nest_value(1)?;
        let place = self.object_expr(accumulator);
        let second = self.assign(place, next);
        Some(vec![self.expr_stmt(first), self.expr_stmt(second)])
    }
}
