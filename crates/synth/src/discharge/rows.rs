//! The table of rewrites: which operation, which failure, what to make of it.

use farrier_lang::{ArithmeticFault, BinaryOp, IntegerType, UnaryOp};

use super::form::{Form, Operation, Operator, Seen, Step};
use crate::choices::Choices;

use ArithmeticFault::{DivisionByZero, Overflow, ShiftAmount, ShiftOverflow};
use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
use Operator::{Binary, Minus};

/// What a rewrite is, for the tally.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Another operator.
    Flip,
    /// An operand changed by a constant.
    Insert,
    /// The same operator in the unsigned type.
    Unsigned,
}

/// One way to discharge a guard that fired.
pub(super) struct Row {
    pub(super) operators: &'static [Operator],
    /// The failures that it answers.
    pub(super) faults: &'static [ArithmeticFault],
    pub(super) kind: Kind,
    make: Make,
    weight: u32,
}

/// How the form of a row is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Make {
    Operator(BinaryOp),
    Unary(UnaryOp),
    UnsignedMinus,
    /// The comparison that is the right operand becomes its opposite.
    Complement,
    /// `(a + K) op b`
    AddLeft,
    /// `a op (b + K)`
    AddRight,
    /// `a op (b & K)`, with a K that is less than the width.
    MaskRight,
    /// `a op (b | K)`
    OrRight,
    /// `a op (b & K | L)`
    MaskOrRight,
    /// `(T)((U)a op (U)b)`
    Unsigned,
    /// `(T)((U)a << (b & K))`
    UnsignedMaskRight,
}

const fn row(
    operators: &'static [Operator],
    faults: &'static [ArithmeticFault],
    kind: Kind,
    make: Make,
    weight: u32,
) -> Row {
    Row { operators, faults, kind, make, weight }
}

const DIVISIONS: &[Operator] = &[Binary(Div), Binary(Rem)];
const SHIFTS: &[Operator] = &[Binary(Shl), Binary(Shr)];
const SUMS: &[Operator] = &[Binary(Add), Binary(Sub)];
const OVERFLOWS: &[Operator] = &[Binary(Add), Binary(Sub), Binary(Mul)];

/// Orange3's Table 1 (O), YARPGen's Table 1 (Y), and what makes the table complete (F):
/// for every operation and failure there is a row whose form cannot fail at all.
pub(super) static ROWS: [Row; 25] = [
    // O, Y: a + b, a - b
    row(&[Binary(Add)], &[Overflow], Kind::Flip, Make::Operator(Sub), 6),
    row(&[Binary(Sub)], &[Overflow], Kind::Flip, Make::Operator(Add), 6),
    // O section 3.1.1
    row(SUMS, &[Overflow], Kind::Insert, Make::AddLeft, 2),
    // O, Y: a * b; Y has a - b for MIN * -1
    row(&[Binary(Mul)], &[Overflow], Kind::Flip, Make::Operator(Div), 6),
    row(&[Binary(Mul)], &[Overflow], Kind::Flip, Make::Operator(Sub), 2),
    // F
    row(OVERFLOWS, &[Overflow], Kind::Flip, Make::Operator(BitXor), 1),
    row(OVERFLOWS, &[Overflow], Kind::Flip, Make::Operator(BitOr), 1),
    row(OVERFLOWS, &[Overflow], Kind::Flip, Make::Operator(BitAnd), 1),
    row(OVERFLOWS, &[Overflow], Kind::Unsigned, Make::Unsigned, 1),
    // Y: -a
    row(&[Minus], &[Overflow], Kind::Flip, Make::Unary(UnaryOp::Plus), 4),
    // F
    row(&[Minus], &[Overflow], Kind::Flip, Make::Unary(UnaryOp::BitNot), 2),
    row(&[Minus], &[Overflow], Kind::Unsigned, Make::UnsignedMinus, 1),
    // O: a / (b cmp c)
    row(DIVISIONS, &[DivisionByZero], Kind::Flip, Make::Complement, 8),
    // Y: a / 0
    row(DIVISIONS, &[DivisionByZero], Kind::Flip, Make::Operator(Mul), 3),
    // Y: MIN / -1
    row(DIVISIONS, &[Overflow], Kind::Flip, Make::Operator(Sub), 4),
    // O: a / (b + K)
    row(DIVISIONS, &[DivisionByZero, Overflow], Kind::Insert, Make::AddRight, 4),
    // F
    row(DIVISIONS, &[Overflow], Kind::Insert, Make::AddLeft, 1),
    row(DIVISIONS, &[DivisionByZero], Kind::Insert, Make::OrRight, 2),
    row(DIVISIONS, &[DivisionByZero, Overflow], Kind::Insert, Make::MaskOrRight, 1),
    // O, Y: a << (b + K), a >> (b + K)
    row(SHIFTS, &[ShiftAmount, ShiftOverflow], Kind::Insert, Make::AddRight, 4),
    // O: (a + K) << b
    row(&[Binary(Shl)], &[ShiftOverflow], Kind::Insert, Make::AddLeft, 3),
    // F
    row(SHIFTS, &[ShiftAmount], Kind::Insert, Make::MaskRight, 2),
    row(&[Binary(Shl)], &[ShiftOverflow], Kind::Flip, Make::Operator(Shr), 2),
    row(&[Binary(Shl)], &[ShiftOverflow], Kind::Unsigned, Make::Unsigned, 2),
    row(&[Binary(Shl)], &[ShiftAmount, ShiftOverflow], Kind::Unsigned, Make::UnsignedMaskRight, 1),
];

/// A guard that fired: the operation and what is known about its operands.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) operation: Operation,
    pub(super) left: Option<Seen>,
    pub(super) right: Option<Seen>,
    /// Whether the right operand is a comparison.
    pub(super) comparison: bool,
}

/// A row and its form for this guard; `certain` asks for one that cannot fail, for
/// whatever operands. `None` only for operations that cannot fail themselves.
pub(super) fn choose(
    site: &Site,
    certain: bool,
    choices: &mut Choices,
) -> Option<(&'static Row, Form)> {
    let faults = site.faults();
    let mut weights = [0; ROWS.len()];
    for (weight, row) in weights.iter_mut().zip(&ROWS) {
        let answers = row.faults.iter().any(|fault| faults.contains(&Some(*fault)));
        if answers && row.operators.contains(&site.operation.operator) {
            *weight = row.weight;
        }
    }
    while let Some(index) = choices.weighted(&weights) {
        let row = &ROWS[index];
        if let Some(form) = row.make.form(site, choices)
            && (form.is_certain(site.operation) || !certain && site.fits(form))
        {
            return Some((row, form));
        }
        weights[index] = 0;
    }
    None
}

impl Site {
    /// Whether a form has a value for all operands seen.
    fn fits(&self, form: Form) -> bool {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) => form.fits(self.operation, left, right),
            _ => false,
        }
    }

    /// The failures that the operands can have led to.
    fn faults(&self) -> [Option<ArithmeticFault>; 2] {
        let shifts =
            |right: &Seen| right.low >= 0 && right.high < i128::from(self.operation.left.bits);
        match self.operation.operator {
            Minus | Binary(Add | Sub | Mul) => [Some(Overflow), None],
            Binary(Div | Rem) => {
                let zero = self.right.as_ref().is_none_or(|right| right.zero);
                let negative = self.right.as_ref().is_none_or(|right| right.low < 0);
                [
                    zero.then_some(DivisionByZero),
                    (self.operation.left.signed && negative).then_some(Overflow),
                ]
            }
            Binary(Shl) if self.operation.left.signed => match &self.right {
                // An amount that is too large is repaired first, whatever the value is.
                Some(right) if shifts(right) => [None, Some(ShiftOverflow)],
                _ => [Some(ShiftAmount), None],
            },
            Binary(Shl | Shr) => [Some(ShiftAmount), None],
            Binary(_) => [None, None],
        }
    }

    /// The constants K for which `left + K` is good, both ends included.
    fn left_constants(&self) -> Option<(i128, i128)> {
        let (left, right, ty) = (self.left.as_ref()?, self.right.as_ref()?, self.operation.left);
        let (min, max) = (ty.min(), i128::try_from(ty.max()).ok()?);
        // What the left operand may be afterwards.
        let (low, high) = match self.operation.operator {
            Binary(Add) => {
                (min.checked_sub(right.low.min(0))?, max.checked_sub(right.high.max(0))?)
            }
            Binary(Sub) => {
                (min.checked_add(right.high.max(0))?, max.checked_add(right.low.min(0))?)
            }
            Binary(Div | Rem) => (min + 1, max),
            Binary(Shl) if (0..i128::from(ty.bits)).contains(&right.high) => (0, max >> right.high),
            _ => return None,
        };
        Some((low.checked_sub(left.low)?, high.checked_sub(left.high)?))
    }

    /// The constants K for which `right + K` is good, both ends included.
    fn right_constants(&self, choices: &mut Choices) -> Option<(i128, i128)> {
        let (right, operation) = (self.right.as_ref()?, self.operation);
        let (low, high) = match operation.operator {
            Binary(Div | Rem) if operation.right.signed && choices.chance(30) => {
                (operation.right.min(), -2)
            }
            Binary(Div | Rem) => (1, i128::try_from(operation.right.max()).ok()?),
            Binary(Shl) if operation.left.signed => {
                let left = self.left.as_ref().filter(|left| left.low >= 0)?;
                let used = i128::from(128 - left.high.leading_zeros());
                (0, i128::from(operation.left.bits) - 1 - used)
            }
            Binary(Shl | Shr) => (0, i128::from(operation.left.bits) - 1),
            _ => return None,
        };
        Some((low.checked_sub(right.low)?, high.checked_sub(right.high)?))
    }
}

/// The largest constant that is inserted into an operation of this width. Constants of
/// more than 64 bits do not exist.
pub(super) fn largest_constant(ty: IntegerType) -> i128 {
    i128::try_from(ty.max()).unwrap_or(i128::MAX).min(i128::from(i64::MAX))
}

/// A constant from an interval, not zero; one of small size as often as any.
pub(super) fn draw(
    (low, high): (i128, i128),
    ty: IntegerType,
    choices: &mut Choices,
) -> Option<i128> {
    let largest = largest_constant(ty);
    let (low, high) = (low.max(-largest), high.min(largest));
    if low > high || low == 0 && high == 0 {
        return None;
    }
    let (low, high) = (low as i64, high as i64);
    let constant = if choices.chance(50) {
        choices.range(low, high)
    } else {
        // Close to the end that is next to zero.
        match (low > 0, high < 0) {
            (true, _) => choices.range(low, high.min(low.saturating_add(7))),
            (_, true) => choices.range(low.max(high.saturating_sub(7)), high),
            _ => choices.range(low.max(-8), high.min(8)),
        }
    };
    let other = if high > 0 { 1.max(low) } else { (-1).min(high) };
    Some(i128::from(if constant == 0 { other } else { constant }))
}

/// A mask of low bits, none of them beyond `largest`.
pub(super) fn draw_mask(largest: i128, choices: &mut Choices) -> i128 {
    let bits = 128 - largest.saturating_add(1).leading_zeros() - 1;
    if bits == 0 {
        return 0;
    }
    let bits = if choices.chance(50) { bits.into() } else { 1 + choices.below(bits.into()) };
    (1 << bits) - 1
}

impl Make {
    /// The form of this guard, if it has one.
    fn form(self, site: &Site, choices: &mut Choices) -> Option<Form> {
        let operation = site.operation;
        if let (Self::Unary(_) | Self::UnsignedMinus, _) | (_, Minus) = (self, operation.operator) {
            return match self {
                Self::Unary(op) => Some(Form::Unary(op)),
                Self::UnsignedMinus => Some(Form::UnsignedMinus),
                _ => None,
            };
        }
        let Binary(op) = operation.operator else { return None };
        let form = |left, right, unsigned| Some(Form::Binary { op, left, right, unsigned });
        let width_mask = |choices: &mut Choices| {
            let largest =
                i128::from(operation.left.bits - 1).min(largest_constant(operation.right));
            Step::and(draw_mask(largest, choices))
        };
        match self {
            Self::Operator(op) => Some(Form::operator(op)),
            Self::Complement => site.comparison.then_some(Form::Complement),
            Self::AddLeft => {
                let constant = draw(site.left_constants()?, operation.left, choices)?;
                form(Some(Step::add(constant)), [None; 2], false)
            }
            Self::AddRight => {
                if matches!(op, Div | Rem) {
                    // Most small constants are good.
                    for _ in 0..2 {
                        let constant = draw((-16, 16), operation.right, choices)?;
                        let found = form(None, [Some(Step::add(constant)), None], false)?;
                        if site.fits(found) {
                            return Some(found);
                        }
                    }
                }
                let constants = site.right_constants(choices)?;
                let constant = draw(constants, operation.right, choices)?;
                form(None, [Some(Step::add(constant)), None], false)
            }
            Self::MaskRight => form(None, [Some(width_mask(choices)), None], false),
            Self::OrRight => {
                let constant = 1 + i128::from(choices.below(7));
                let constant = constant.min(largest_constant(operation.right));
                form(None, [Some(Step::or(constant)), None], false)
            }
            Self::MaskOrRight => {
                let mask = draw_mask(largest_constant(operation.right), choices);
                let constant = 1 + i128::from(choices.below(3));
                let constant = constant.min(largest_constant(operation.right));
                form(None, [Some(Step::and(mask)), Some(Step::or(constant))], false)
            }
            Self::Unsigned if operation.left.signed => form(None, [None; 2], true),
            Self::UnsignedMaskRight if operation.left.signed => {
                form(None, [Some(width_mask(choices)), None], true)
            }
            Self::Unsigned | Self::UnsignedMaskRight => None,
            Self::Unary(_) | Self::UnsignedMinus => None,
        }
    }
}
