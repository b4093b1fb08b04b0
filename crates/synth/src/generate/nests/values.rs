//! The values of statements in nests.

use farrier_lang::{BinaryOp, ExprId, IntKind, LogicalOp, ObjectId, UnaryOp};

use crate::features::Feature;
use crate::generate::draft::Draft;
use crate::generate::production::{Production, Rate, anywhere, draw, form};

/// In percent: comparisons that are two, and selections that are the lesser or the greater of
/// two.
const DOUBLE_COMPARISONS: u32 = 25;
const EXTREMES: u32 = 40;

/// The values of nests, which nest as deep as the site says.
#[rustfmt::skip]
static VALUES_OF_NESTS: &[Production<u32, ExprId>] = &[
    form(Rate::Always(36), anywhere, |draft, _| draft.nest_element()),
    form(Rate::Always(10), anywhere, |draft, _| draft.nest_counter()),
    form(Rate::Always(10), anywhere, |draft, _| draft.nest_invariant()),
    form(Rate::Always(8), anywhere, |draft, _| Some(draft.nest_constant())),
    form(Rate::Of(Feature::Arithmetic), nests, |draft, depth| draft.nest_operation(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub], depth)),
    form(Rate::Of(Feature::Multiplication), nests, |draft, depth| draft.nest_operation(&[BinaryOp::Mul], depth)),
    form(Rate::Part(Feature::Bitwise, 50), nests, |draft, depth| draft.nest_operation(&[BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor], depth)),
    form(Rate::Part(Feature::Division, 50), nests, |draft, depth| draft.nest_by_constant(&[BinaryOp::Div, BinaryOp::Rem], depth)),
    form(Rate::Part(Feature::Shift, 50), nests, |draft, depth| draft.nest_by_constant(&[BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Shr], depth)),
    form(Rate::Part(Feature::Comparison, 30), nests, |draft, depth| draft.nest_comparison(depth)),
    form(Rate::Of(Feature::Ternary), nests_and_compares, |draft, depth| draft.nest_selection(depth)),
    form(Rate::Of(Feature::Cast), nests, |draft, depth| {
        let value = draft.nest_value(depth - 1)?;
        let ty = draft.int_type();
        Some(draft.cast(value, ty))
    }),
    form(Rate::Part(Feature::Unary, 50), nests, |draft, depth| {
        let value = draft.nest_value(depth - 1)?;
        let op = draft.choices.pick(&[UnaryOp::Minus, UnaryOp::BitNot, UnaryOp::Not]);
        let value = draft.unary(op, value);
        Some(draft.guarded(value))
    }),
];

fn nests(_: &Draft<'_>, depth: u32) -> bool {
    depth > 0
}

fn nests_and_compares(draft: &Draft<'_>, depth: u32) -> bool {
    depth > 0 && draft.has(Feature::Comparison)
}

impl Draft<'_> {
    pub(super) fn nest_counter(&mut self) -> Option<ExprId> {
        let heads: Vec<ObjectId> = self.scope.nest.heads.iter().map(|head| head.counter).collect();
        let counter = self.choices.pick_any(&heads)?;
        Some(self.load(counter))
    }

    pub(super) fn nest_invariant(&mut self) -> Option<ExprId> {
        let invariants = self.scope.nest.invariants.clone();
        let object = self.choices.pick_any(&invariants)?;
        Some(self.load(object))
    }

    pub(super) fn nest_constant(&mut self) -> ExprId {
        let value = self.choices.range(-9, 40);
        self.literal(value.into())
    }

    /// A value for a statement of a nest.
    pub(super) fn nest_value(&mut self, depth: u32) -> Option<ExprId> {
        draw(self, VALUES_OF_NESTS, depth).or_else(|| Some(self.nest_constant()))
    }

    pub(super) fn nest_operation(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let (left, right) = (self.nest_value(depth - 1)?, self.nest_value(depth - 1)?);
        let op = self.choices.pick(ops);
        Some(self.operate(op, left, right))
    }

    pub(super) fn nest_by_constant(&mut self, ops: &[BinaryOp], depth: u32) -> Option<ExprId> {
        let value = self.nest_value(depth - 1)?;
        let op = self.choices.pick(ops);
        let constant = self.choices.range(1, 7) as u64;
        let constant = self.builder().int(IntKind::Int, constant);
        Some(self.operate(op, value, constant))
    }

    pub(super) fn nest_comparison(&mut self, depth: u32) -> Option<ExprId> {
        let ops = [
            BinaryOp::Less,
            BinaryOp::Greater,
            BinaryOp::LessEqual,
            BinaryOp::GreaterEqual,
            BinaryOp::Equal,
            BinaryOp::NotEqual,
        ];
        let (left, right) = (self.nest_value(depth / 2)?, self.nest_value(0)?);
        let op = self.choices.pick(&ops);
        let first = self.binary(op, left, right);
        if depth < 2 || !self.has(Feature::Logical) || !self.choices.chance(DOUBLE_COMPARISONS) {
            return Some(first);
        }
        let second = self.nest_comparison(0)?;
        let op = self.choices.pick(&[LogicalOp::And, LogicalOp::Or]);
        Some(self.logical(op, first, second))
    }

    pub(super) fn nest_selection(&mut self, depth: u32) -> Option<ExprId> {
        if self.choices.chance(EXTREMES) {
            // The lesser or the greater of two.
            let (left, right) = (self.nest_value(depth - 1)?, self.nest_value(0)?);
            let (then, otherwise) = (self.copy(left), self.copy(right));
            let op = self.choices.pick(&[BinaryOp::Less, BinaryOp::Greater]);
            let condition = self.binary(op, left, right);
            return Some(self.select(condition, then, otherwise));
        }
        let condition = self.nest_comparison(depth - 1)?;
        let (then, otherwise) = (self.nest_value(depth - 1)?, self.nest_value(0)?);
        Some(self.select(condition, then, otherwise))
    }
}
