//! Floating numbers: which types there are, and what the tier of a program asks of its
//! arithmetic.
//!
//! All that is drafted with floating operands comes through here. In tier *rounded* every operation
//! has a result. In tier *exact* each is guarded until the values are known. In tier *free* the
//! bounds of all values are known while drafting.

mod checks;
mod exact;
mod free;
mod functions;
mod mass;
mod rounded;

use farrier_lang::target::Target;
use farrier_lang::{BinaryOp, ExprId, FloatKind, Type, TypeId, Types};
use farrier_machine::Tier;

pub(super) use self::free::Caps;
pub(super) use self::mass::Mass;
use super::draft::Draft;
use crate::features::{Feature, Weights};

pub(super) use checks::differs;
pub(crate) use functions::is_math_function;
pub(super) use functions::{calls_mathematics, compares_quietly};

/// The kinds of floating numbers, and the suffixes of names that belong to them, as in `sqrtf`.
static KINDS: [(Feature, FloatKind, &str); 5] = [
    (Feature::Float, FloatKind::Float, "f"),
    (Feature::Double, FloatKind::Double, ""),
    (Feature::LongDouble, FloatKind::LongDouble, "l"),
    (Feature::Float16, FloatKind::Float16, "f16"),
    (Feature::Float128, FloatKind::Float128, "f128"),
];

/// The name of the functions that give the bits of a number, before the suffix.
pub(super) const BITS: &str = "bits";

/// The suffix of names that belong to a kind of floating numbers.
fn suffix(kind: FloatKind) -> &'static str {
    KINDS.iter().find(|row| row.1 == kind).map_or("", |row| row.2)
}

/// Whether it is one of the suffixes.
pub(super) fn is_suffix(text: &str) -> bool {
    KINDS.iter().any(|row| row.2 == text)
}

/// The feature that a kind of floating numbers is.
pub(crate) fn kind_feature(kind: FloatKind) -> Option<Feature> {
    KINDS.iter().find(|row| row.1 == kind).map(|row| row.0)
}

/// Whether numbers of a kind are rounded as IEEE 754 says. `_Float16` may be computed in `float`,
/// and libraries of small machines do without subnormal numbers.
pub(super) fn keeps_tier(tier: Option<Tier>, kind: FloatKind, target: &Target) -> bool {
    let rounded = matches!(tier, Some(Tier::Rounded) | None);
    let rounds = target.environment.small.is_none() && !target.excess_precision;
    !rounded || kind != FloatKind::Float16 && rounds
}

/// Whether programs of a tier can have any of them.
pub(super) fn possible(weights: &Weights, tier: Tier, target: &Target) -> bool {
    let fits = |kind| keeps_tier(Some(tier), kind, target);
    KINDS.iter().any(|(feature, kind, _)| weights.has(*feature) && fits(*kind))
}

impl Draft<'_> {
    /// A floating type, by the weights.
    pub(super) fn float_type(&mut self) -> TypeId {
        let weights =
            KINDS.map(|(feature, kind, _)| match keeps_tier(self.tier, kind, self.config.target) {
                true => self.weight(feature),
                false => 0,
            });
        let kind = self.choices.weighted(&weights).map(|index| KINDS[index].1);
        Types::float(kind.unwrap_or(FloatKind::Double))
    }

    /// Whether a type has floating parts that no access through another type may reach.
    pub(super) fn hides_floats(&self, ty: TypeId) -> bool {
        let hidden = match *self.program.resolve(ty) {
            Type::Float(_) => true,
            Type::Array { element, .. } => self.hides_floats(element),
            Type::Record(id) => self.members(id).any(|(_, field)| self.hides_floats(field.ty)),
            _ => false,
        };
        hidden && self.tier == Some(Tier::Free)
    }

    /// `left op right`, of which one at least is floating: what the tier makes of it.
    pub(super) fn operate_floats(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        match self.tier {
            Some(Tier::Free) => self.operate_free(op, left, right),
            Some(Tier::Exact) => self.operate_exact(op, left, right),
            Some(Tier::Rounded) | None => self.binary(op, left, right),
        }
    }

    /// A value that is converted to a type, and stored where this cap is kept if there is one:
    /// what the tier makes of it before.
    pub(super) fn convertible(&mut self, value: ExprId, ty: TypeId, cap: Option<Mass>) -> ExprId {
        match self.tier {
            Some(Tier::Free) => self.convertible_free(value, ty, cap),
            _ => value,
        }
    }

    /// A conversion or a cast from or to a floating type: what the tier makes of it.
    pub(super) fn converted_float(&mut self, conversion: ExprId) -> ExprId {
        match self.tier {
            // Its operand was chosen so that it is right.
            Some(Tier::Free) => conversion,
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
