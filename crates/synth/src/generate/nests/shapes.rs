//! The shapes of nests: each fixes what one loop pass of compilers looks for, and leaves the
//! rest to chance.

use farrier_lang::{BinaryOp, ExprId, IntKind, Stmt, StmtId};

use super::skeleton::Bound;
use super::{Head, NestArray, Style};
use crate::features::Feature;
use crate::generate::draft::Draft;

/// A kind of nests.
pub(super) struct Shape {
    #[cfg_attr(not(test), expect(dead_code, reason = "tests say it"))]
    pub(super) name: &'static str,
    pub(super) weight: u32,
    /// How often it has one loop, two and so on.
    pub(super) depths: &'static [u32],
    /// How all of its loops say where they end, if that matters.
    pub(super) bound: Option<Bound>,
    /// Whether it is perfect, goes upwards by one, and has counters of usual types.
    pub(super) strict: bool,
    /// What its subscripts are like.
    pub(super) style: Style,
    /// Its statements; what nests have anyway where it gives none.
    pub(super) fill: fn(&mut Draft<'_>) -> Option<Vec<StmtId>>,
}

/// Subscripts of all kinds.
pub(super) const ANY: Style = Style { plain: 55, straight: 75, strided: 2, swapped: false };

/// Subscripts that are the counters alone.
const PLAIN: Style = Style { plain: 100, straight: 100, strided: 0, swapped: false };

/// Every shape.
#[rustfmt::skip]
pub(super) static SHAPES: &[Shape] = &[
    Shape { name: "free", weight: 46, depths: &[34, 38, 14, 8, 6], bound: None, strict: false, style: ANY, fill: |_| None },
    Shape { name: "plain", weight: 10, depths: &[70, 30], bound: None, strict: true, style: Style { plain: 85, ..PLAIN }, fill: |draft| draft.plain_statements() },
    Shape { name: "interchange", weight: 8, depths: &[0, 90, 10], bound: Some(Bound::Constant), strict: true, style: Style { swapped: true, ..PLAIN }, fill: |draft| draft.plain_statements() },
    Shape { name: "jam", weight: 8, depths: &[0, 100], bound: Some(Bound::Constant), strict: true, style: PLAIN, fill: |draft| draft.jammed() },
    Shape { name: "stencil", weight: 8, depths: &[65, 35], bound: None, strict: false, style: Style { plain: 70, ..PLAIN }, fill: |draft| draft.stencil() },
    Shape { name: "distribution", weight: 6, depths: &[80, 20], bound: None, strict: true, style: PLAIN, fill: |draft| draft.distributed() },
    Shape { name: "split", weight: 6, depths: &[70, 30], bound: Some(Bound::Parameter), strict: true, style: Style { plain: 80, ..PLAIN }, fill: |draft| draft.divided(true) },
    Shape { name: "unswitch", weight: 5, depths: &[70, 30], bound: None, strict: true, style: Style { plain: 80, ..PLAIN }, fill: |draft| draft.divided(false) },
    Shape { name: "stride", weight: 5, depths: &[80, 20], bound: None, strict: true, style: Style { strided: 75, ..PLAIN }, fill: |draft| draft.plain_statements() },
];

/// The most statements of a body, and how deep values nest.
const MOST_STATEMENTS: i64 = 2;
const DEEPEST: i64 = 2;

/// Of stencils, in percent: those that read what they wrote in the round before.
const CARRIED: u32 = 50;
const TERMS: (i64, i64) = (2, 4);

/// Of nests to be jammed, in percent: those that sum into a line that the outer loop uses again.
const SUMMED: u32 = 60;

/// How many conditions have two branches, in percent.
const ELSES: u32 = 60;

impl Draft<'_> {
    /// `place = value`, an assignment to an element.
    fn element_assignment(&mut self, place: ExprId, value: ExprId) -> StmtId {
        let assign = self.nest_store(place, value);
        self.expr_stmt(assign)
    }

    fn plain_assignment(&mut self) -> Option<StmtId> {
        self.begin_expression();
        let place = self.nest_place()?;
        let depth = self.choices.range(1, DEEPEST) as u32;
        let value = self.nest_value(depth)?;
        Some(self.element_assignment(place, value))
    }

    /// `a[i] = b[i] + ...;`, once or twice.
    fn plain_statements(&mut self) -> Option<Vec<StmtId>> {
        (0..self.choices.range(1, MOST_STATEMENTS)).map(|_| self.plain_assignment()).collect()
    }

    /// The sum of two values that are small.
    fn sum(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let mut ops = vec![BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub];
        if self.has(Feature::Bitwise) {
            ops.push(BinaryOp::BitXor);
        }
        let op = self.choices.pick(&ops);
        self.nest_operate(op, left, right)
    }

    /// An array in which the heads fit, straight, with their counters moved by `reach`.
    fn fitting(&mut self, dimensions: usize, reach: i128) -> Option<NestArray> {
        let heads = self.scope.nest.heads.clone();
        let fits = |array: &NestArray| {
            array.lengths.len() == dimensions
                && array.lengths.iter().rev().enumerate().all(|(dimension, length)| {
                    heads
                        .iter()
                        .any(|head| head.dimension == dimension && head.high < i128::from(*length))
                })
        };
        let arrays = self.nest_arrays();
        let arrays: Vec<NestArray> = arrays.into_iter().filter(|array| fits(array)).collect();
        let inner = *heads.last()?;
        if arrays.is_empty() || inner.low < reach {
            return None;
        }
        let index = self.choices.index(arrays.len());
        Some(arrays[index].clone())
    }

    /// `array[i][j + offset]` with the counters of the dimensions; the offset is for the loop
    /// of one dimension.
    fn straight_element(&mut self, array: &NestArray, (moved, offset): (usize, i128)) -> ExprId {
        let heads: Vec<Head> = self.scope.nest.heads.clone();
        let mut place = self.object_expr(array.object);
        for dimension in (0..array.lengths.len()).rev() {
            let head = heads.iter().find(|head| head.dimension == dimension);
            let counter = self.load(head.expect("the array fits").counter);
            let index = if dimension == moved { self.plus(counter, offset) } else { counter };
            place = self.element(place, index);
        }
        place
    }

    /// `d[j] = d[j] + a[i][j] * ...;` or `a[i][j] = a[i - 1][j] + ...;`: an outer loop that uses
    /// again what it used in the round before.
    fn jammed(&mut self) -> Option<Vec<StmtId>> {
        self.begin_expression();
        let outer = *self.scope.nest.heads.first()?;
        let (array, moved, offset) = match self.choices.chance(SUMMED) || outer.low == 0 {
            true => (self.fitting(1, 0)?, 0, 0),
            false => (self.fitting(2, 0)?, 1, -1),
        };
        let place = self.straight_element(&array, (0, 0));
        let old = self.straight_element(&array, (moved, offset));
        let old = self.builder().value(old);
        let other = self.nest_value(1)?;
        let value = self.sum(old, other);
        Some(vec![self.element_assignment(place, value)])
    }

    /// `b[i] = a[i - 1] + a[i] + a[i + 1];` or `a[i] = a[i - 1] + a[i - 2];`
    fn stencil(&mut self) -> Option<Vec<StmtId>> {
        self.begin_expression();
        let inner = *self.scope.nest.heads.last()?;
        let array = self.fitting(1, 0)?;
        let last = i128::from(*array.lengths.last()?) - 1;
        let carried = self.choices.chance(CARRIED) && inner.low > 0;
        let (low, high) = ((-inner.low).max(-3), (last - inner.high).min(3));
        let place = match carried {
            true => self.straight_element(&array, (0, 0)),
            false => self.nest_place()?,
        };
        let high = if carried { -1 } else { high };
        let first = self.choices.range(low as i64, high as i64);
        let mut value: Option<ExprId> = None;
        for term in 0..self.choices.range(TERMS.0, TERMS.1) {
            let offset = low.max((i128::from(first) - i128::from(term)).min(high));
            let element = self.straight_element(&array, (0, offset));
            let element = self.builder().value(element);
            value = Some(match value {
                Some(value) => self.sum(value, element),
                None => element,
            });
        }
        Some(vec![self.element_assignment(place, value?)])
    }

    /// `d[i] = d[i - 1] + ...; a[i] = b[i] + c;`: one statement goes in order, the other does not.
    fn distributed(&mut self) -> Option<Vec<StmtId>> {
        self.begin_expression();
        let array = self.fitting(1, 1)?;
        let place = self.straight_element(&array, (0, 0));
        let old = self.straight_element(&array, (0, -1));
        let old = self.builder().value(old);
        let other = self.nest_value(1)?;
        let value = self.sum(old, other);
        let first = self.element_assignment(place, value);
        let mut statements = vec![first, self.plain_assignment()?];
        self.choices.shuffle(&mut statements);
        Some(statements)
    }

    /// `if (i < k) a[i] = ...; else ...`: a condition on which one half of the rounds differs
    /// from the other, or all rounds agree.
    fn divided(&mut self, splits: bool) -> Option<Vec<StmtId>> {
        if !self.has(Feature::If) || !self.has(Feature::Comparison) {
            return None;
        }
        self.begin_expression();
        let head = *self.scope.nest.heads.last()?;
        let (left, right) = match splits {
            true => (self.load(head.counter), self.nest_invariant()?),
            false => {
                let constant = self.choices.range(0, 9) as u64;
                (self.nest_invariant()?, self.builder().int(IntKind::Int, constant))
            }
        };
        let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater, BinaryOp::LessEqual]);
        let condition = self.binary(op, left, right);
        self.charge_expr(condition);
        let then = self.plain_assignment()?;
        let otherwise = match self.choices.chance(ELSES) {
            true => Some(self.plain_assignment()?),
            false => None,
        };
        let stmt = self.stmt(Stmt::If { condition, then, otherwise });
        Some(vec![stmt, self.plain_assignment()?])
    }
}
