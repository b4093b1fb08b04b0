//! Floating numbers: which types there are, and what the tier of a program asks of its
//! arithmetic.
//!
//! All that is drafted with floating operands comes through here. In tier *rounded* every operation
//! has a result. In tier *exact* each is guarded until the values are known. In tier *free* the
//! bounds of all values are known while drafting.

mod exact;
mod free;
mod rounded;

use farrier_lang::{BinaryOp, ExprId, FloatKind, TypeId, Types};
use farrier_machine::Tier;

use super::draft::Draft;
use crate::features::{Feature, Weights};

/// The kinds of floating numbers.
static KINDS: [(Feature, FloatKind); 3] = [
    (Feature::Float, FloatKind::Float),
    (Feature::Double, FloatKind::Double),
    (Feature::LongDouble, FloatKind::LongDouble),
];

/// Whether programs can have any of them.
pub(super) fn possible(weights: &Weights) -> bool {
    KINDS.iter().any(|(feature, _)| weights.has(*feature))
}

impl Draft<'_> {
    /// A floating type, by the weights.
    pub(super) fn float_type(&mut self) -> TypeId {
        let weights = KINDS.map(|(feature, _)| self.weight(feature));
        let kind = self.choices.weighted(&weights).map(|index| KINDS[index].1);
        Types::float(kind.unwrap_or(FloatKind::Double))
    }

    /// `left op right`, of which one at least is floating: what the tier makes of it.
    pub(super) fn operate_floats(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        match self.tier {
            Some(Tier::Free) => self.operate_free(op, left, right),
            Some(Tier::Exact) => self.operate_exact(op, left, right),
            Some(Tier::Rounded) | None => self.binary(op, left, right),
        }
    }

    /// A conversion or a cast from or to a floating type: what the tier makes of it.
    pub(super) fn converted_float(&mut self, conversion: ExprId) -> ExprId {
        match self.tier {
            Some(Tier::Free) => self.converted_free(conversion),
            Some(Tier::Exact) => self.converted_exact(conversion),
            // Only integers may be too small for a value.
            Some(Tier::Rounded) | None => self.guarded(conversion),
        }
    }

    /// A floating constant.
    pub(super) fn floating_constant(&mut self) -> ExprId {
        match self.tier {
            Some(Tier::Free) => self.free_constant(),
            Some(Tier::Exact) => self.exact_constant(),
            Some(Tier::Rounded) | None => self.rounded_constant(),
        }
    }

    /// The operators that `op=` may have on a floating place, with a value that may be anything.
    pub(super) fn float_compound_operators(&self) -> &'static [BinaryOp] {
        match self.tier {
            Some(Tier::Rounded) => &[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div],
            // The value of the place is not known.
            _ => &[],
        }
    }
}
