//! Conditions that are true, or false, at every visit: from the top down.

use std::cmp::Ordering;

use farrier_lang::{BinaryOp, ExprId, ExprKind, IntegerType, LogicalOp, UnaryOp, integer_type};

use super::Draft;

/// How deep operators nest.
const MOST_DEPTH: u64 = 2;

/// How often another atom is tried where one cannot be had.
const TRIES: u32 = 8;

/// How far beyond all values constants lie, at most.
const BEYOND: u64 = 3;

/// A kind of condition without operators of logic.
pub(super) struct Atom {
    weight: u32,
    /// Makes one that has this value at every visit.
    pub(super) make: fn(&mut Draft<'_>, bool) -> Option<ExprId>,
}

/// Every kind.
#[rustfmt::skip]
pub(super) const ATOMS: &[Atom] = &[
    Atom { weight: 5, make: range },
    Atom { weight: 3, make: gap },
    Atom { weight: 5, make: bits },
    Atom { weight: 8, make: pair },
    Atom { weight: 6, make: expression },
    Atom { weight: 2, make: pointer },
];

/// All comparisons, each with those orders for which it holds.
const COMPARISONS: [(BinaryOp, &[Ordering]); 6] = [
    (BinaryOp::Less, &[Ordering::Less]),
    (BinaryOp::LessEqual, &[Ordering::Less, Ordering::Equal]),
    (BinaryOp::Equal, &[Ordering::Equal]),
    (BinaryOp::NotEqual, &[Ordering::Less, Ordering::Greater]),
    (BinaryOp::GreaterEqual, &[Ordering::Greater, Ordering::Equal]),
    (BinaryOp::Greater, &[Ordering::Greater]),
];

impl Draft<'_> {
    /// A condition that has this value at every visit.
    pub(super) fn predicate(&mut self, wanted: bool) -> Option<ExprId> {
        let depth = self.choices.below(MOST_DEPTH + 1);
        self.nested(depth, Some(wanted))
    }

    /// One of a depth; with any value if none is wanted.
    fn nested(&mut self, depth: u64, wanted: Option<bool>) -> Option<ExprId> {
        let form = if depth == 0 { 3 } else { self.choices.below(4) };
        match form {
            0 => {
                let operand = self.nested(depth - 1, wanted.map(|wanted| !wanted))?;
                self.builder().unary(UnaryOp::Not, operand).ok()
            }
            1 => self.both(depth, LogicalOp::And, wanted),
            2 => self.both(depth, LogicalOp::Or, wanted),
            _ => self.atom(wanted),
        }
    }

    /// `&&` is true if both are, and false if the second is or the first; `||` mirrors it.
    fn both(&mut self, depth: u64, op: LogicalOp, wanted: Option<bool>) -> Option<ExprId> {
        let strict = op == LogicalOp::And;
        let (left, right) = match wanted {
            None => (None, None),
            Some(wanted) if wanted == strict => (Some(strict), Some(strict)),
            Some(_) if self.choices.chance(50) => (Some(strict), Some(!strict)),
            Some(_) => (Some(!strict), None),
        };
        let left = self.nested(depth - 1, left)?;
        let right = self.nested(depth - 1, right)?;
        self.builder().logical(op, left, right).ok()
    }

    fn atom(&mut self, wanted: Option<bool>) -> Option<ExprId> {
        let weights: Vec<u32> = ATOMS.iter().map(|atom| atom.weight).collect();
        let wanted = wanted.unwrap_or_else(|| self.choices.chance(50));
        (0..TRIES).find_map(|_| {
            let index = self.choices.weighted(&weights)?;
            (ATOMS[index].make)(self, wanted)
        })
    }

    /// `value op constant`
    fn compare(&mut self, value: ExprId, op: BinaryOp, constant: i128) -> Option<ExprId> {
        let constant = self.constant(constant)?;
        self.builder().binary(op, value, constant).ok()
    }

    /// A comparison of a value that is never outside of this range with a constant.
    fn compare_range(
        &mut self,
        value: ExprId,
        ty: IntegerType,
        (low, high): (i128, i128),
        wanted: bool,
    ) -> Option<ExprId> {
        let above = high + 1 + self.choices.below(BEYOND) as i128;
        let below = low - 1 - self.choices.below(BEYOND) as i128;
        let (positive, negative, constant) =
            match self.choices.below(if low == high { 7 } else { 6 }) {
                0 => (BinaryOp::LessEqual, BinaryOp::Greater, high),
                1 => (BinaryOp::GreaterEqual, BinaryOp::Less, low),
                2 => (BinaryOp::Less, BinaryOp::GreaterEqual, above),
                3 => (BinaryOp::Greater, BinaryOp::LessEqual, below),
                4 => (BinaryOp::NotEqual, BinaryOp::Equal, above),
                5 => (BinaryOp::NotEqual, BinaryOp::Equal, below),
                _ => (BinaryOp::Equal, BinaryOp::NotEqual, low),
            };
        if !ty.contains(constant) {
            return None;
        }
        // What the type cannot be else tells nothing.
        let told = match positive {
            BinaryOp::LessEqual => constant == ty.max() as i128,
            BinaryOp::GreaterEqual => constant == ty.min(),
            _ => false,
        };
        if told {
            return None;
        }
        self.compare(value, if wanted { positive } else { negative }, constant)
    }
}

/// `x <= 17`
fn range(draft: &mut Draft<'_>, wanted: bool) -> Option<ExprId> {
    let column = draft.pick()?;
    let (ty, range) = (draft.column(column).ty, draft.column(column).range);
    let value = draft.load(column)?;
    draft.compare_range(value, ty, range, wanted)
}

/// `x != 3`, where it is lower and higher.
fn gap(draft: &mut Draft<'_>, wanted: bool) -> Option<ExprId> {
    let column = draft.pick()?;
    let (low, high) = draft.column(column).range;
    let values = draft.known.values(column)?;
    let room = u64::try_from(high - low).ok().filter(|room| *room > 1)?;
    let constant = low + 1 + draft.choices.below(room - 1) as i128;
    if values.contains(&constant) {
        return None;
    }
    let value = draft.load(column)?;
    draft.compare(value, if wanted { BinaryOp::NotEqual } else { BinaryOp::Equal }, constant)
}

/// `x & 24`, where one of these bits is always set, or none ever.
fn bits(draft: &mut Draft<'_>, wanted: bool) -> Option<ExprId> {
    let column = draft.pick()?;
    let (ty, (all, any)) = (draft.column(column).ty, draft.column(column).bits);
    let set = draft.choices.chance(50);
    let bits = if set { all } else { !any };
    let numbers: Vec<u32> = (0..ty.bits.min(63)).filter(|bit| bits >> bit & 1 == 1).collect();
    let (first, second) = (draft.choices.pick_any(&numbers)?, draft.choices.pick_any(&numbers)?);
    let mask = draft.constant(1 << first | 1 << second)?;
    let value = draft.load(column)?;
    let masked = draft.builder().binary(BinaryOp::BitAnd, value, mask).ok()?;
    let op = if set == wanted { BinaryOp::NotEqual } else { BinaryOp::Equal };
    match set == wanted && draft.choices.chance(50) {
        true => Some(masked),
        false => draft.compare(masked, op, 0),
    }
}

/// `x < y`
fn pair(draft: &mut Draft<'_>, wanted: bool) -> Option<ExprId> {
    let (left, right) = (draft.pick()?, draft.pick()?);
    if left == right {
        return None;
    }
    let fitting = COMPARISONS.iter().filter(|(_, orders)| {
        [Ordering::Less, Ordering::Equal, Ordering::Greater]
            .into_iter()
            .filter(|order| draft.known.can_be(left, right, *order))
            .all(|order| orders.contains(&order) == wanted)
    });
    let fitting: Vec<BinaryOp> = fitting.map(|(op, _)| *op).collect();
    let op = draft.choices.pick_any(&fitting)?;
    let ranges = [draft.column(left).range, draft.column(right).range];
    let (left, right) = (draft.load(left)?, draft.load(right)?);
    let built = draft.builder().binary(op, left, right).ok()?;
    let ExprKind::Binary(_, operand, _) = draft.program[built].kind else { return None };
    // Conversions to the common type must leave the values as they are.
    let common = integer_type(draft.program, draft.program.type_of(operand))?;
    let same = ranges.iter().all(|(low, high)| common.contains(*low) && common.contains(*high));
    same.then_some(built)
}

/// `(x ^ y) * 3 < 17`
fn expression(draft: &mut Draft<'_>, wanted: bool) -> Option<ExprId> {
    let value = draft.expression(false).filter(|value| !draft.is_comparison(*value))?;
    let ty = integer_type(draft.program, draft.program.type_of(value))?;
    let range = draft.range_of(value).filter(|_| (32..=64).contains(&ty.bits))?;
    draft.compare_range(value, ty, range, wanted)
}

/// `p != 0`
fn pointer(draft: &mut Draft<'_>, wanted: bool) -> Option<ExprId> {
    let index = draft.choices.index(draft.known.pointers.len().max(1));
    let (place, null) = draft.known.pointers.get(index)?.clone();
    let mut builder = draft.builder();
    let lvalue = place.lvalue(&mut builder)?;
    let value = builder.value(lvalue);
    match null == wanted {
        true => builder.unary(UnaryOp::Not, value).ok(),
        false => Some(value),
    }
}
