//! What can be made of an operation that failed, as a value: which operator on which
//! operands. A form can be evaluated at every width, so that 4 bits prove the table.

use farrier_lang::{ArithmeticFault, BinaryOp, IntegerType, UnaryOp};
use farrier_machine::Integers;

use super::rows::largest_constant;
use crate::choices::Choices;

/// An operation that can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Minus,
    Binary(BinaryOp),
}

/// An operation with the types of its operands; unary minus has two of the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    pub(super) operator: Operator,
    pub(super) left: IntegerType,
    /// The same as `left`, except for a shift.
    pub(super) right: IntegerType,
}

/// `operand op constant`; the constant is not negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) op: BinaryOp,
    pub(super) constant: i128,
}

impl Step {
    pub(super) fn add(constant: i128) -> Self {
        match constant < 0 {
            true => Self { op: BinaryOp::Sub, constant: -constant },
            false => Self { op: BinaryOp::Add, constant },
        }
    }

    pub(super) fn and(constant: i128) -> Self {
        Self { op: BinaryOp::BitAnd, constant }
    }

    pub(super) fn or(constant: i128) -> Self {
        Self { op: BinaryOp::BitOr, constant }
    }

    /// A step from one value of a type to another, if there is a constant for it.
    pub(super) fn between(
        from: i128,
        to: i128,
        ty: IntegerType,
        choices: &mut Choices,
    ) -> Option<Self> {
        let sum = to.checked_sub(from).map(Self::add);
        let xor = Some(Self { op: BinaryOp::BitXor, constant: from ^ to });
        let possible = |step: &Self| (1..=largest_constant(ty)).contains(&step.constant);
        let steps = [sum, xor].map(|step| step.filter(possible));
        let index = choices.weighted(&steps.map(|step| u32::from(step.is_some())))?;
        steps[index]
    }
}

/// The operation that stands where the one that failed stood. `T` is the type of the
/// left operand, `U` the unsigned type of its width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `+a` or `~a`
    Unary(UnaryOp),
    /// `(T)-(U)a`
    UnsignedMinus,
    /// `a op (c cmp d)` with the opposite comparison.
    Complement,
    /// An operator on two operands, both perhaps changed first.
    Binary {
        op: BinaryOp,
        left: Option<Step>,
        /// Applied one after the other.
        right: [Option<Step>; 2],
        /// `(T)((U)a op (U)b)`; the right operand of a shift has its own type.
        unsigned: bool,
    },
}

/// Whether an operator can fail in a type.
pub(super) fn can_fail(op: BinaryOp, ty: IntegerType) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => ty.signed,
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => true,
        _ => false,
    }
}

impl Form {
    /// Another operator on the same operands.
    pub(super) fn operator(op: BinaryOp) -> Self {
        Self::Binary { op, left: None, right: [None; 2], unsigned: false }
    }

    /// Whether it has a value for all operands. Otherwise it stays guarded.
    pub(super) fn is_certain(self, operation: Operation) -> bool {
        let Self::Binary { op, left, right, unsigned } = self else {
            return self != Self::Complement;
        };
        let safe = |step: Step, ty| !can_fail(step.op, ty);
        let steps_are_safe = left.is_none_or(|step| safe(step, operation.left))
            && right.into_iter().flatten().all(|step| safe(step, operation.right));
        let ty = IntegerType { signed: operation.left.signed && !unsigned, ..operation.left };
        let positive = |step: Option<Step>| {
            step.is_some_and(|step| step.op == BinaryOp::BitOr && step.constant > 0)
        };
        let masked = |step: Option<Step>, limit: i128| {
            step.is_some_and(|step| step.op == BinaryOp::BitAnd && step.constant < limit)
        };
        let operator_is_safe = match op {
            BinaryOp::Div | BinaryOp::Rem if ty.signed => {
                masked(right[0], i128::MAX) && positive(right[1])
            }
            BinaryOp::Div | BinaryOp::Rem => positive(right[0]) && right[1].is_none(),
            BinaryOp::Shl if ty.signed => false,
            BinaryOp::Shl | BinaryOp::Shr => {
                masked(right[0], i128::from(ty.bits)) && right[1].is_none()
            }
            _ => !can_fail(op, ty),
        };
        steps_are_safe && operator_is_safe
    }

    /// The value that it has for two operands.
    pub(super) fn value(
        self,
        operation: Operation,
        left: i128,
        right: i128,
    ) -> Result<i128, ArithmeticFault> {
        let ty = operation.left;
        let unsigned_type = IntegerType { signed: false, ..ty };
        let step = |value, ty: IntegerType, step: Option<Step>| match step {
            Some(step) => ty.binary(step.op, value, step.constant),
            None => Ok(value),
        };
        match self {
            Self::Unary(UnaryOp::BitNot) => Ok(ty.wrap(!left)),
            Self::Unary(_) => Ok(left),
            Self::UnsignedMinus => Ok(ty.wrap(unsigned_type.negate(unsigned_type.wrap(left))?)),
            Self::Complement => match operation.operator {
                Operator::Binary(op) => ty.binary(op, left, i128::from(right == 0)),
                Operator::Minus => unreachable!("unary minus has no right operand"),
            },
            Self::Binary { op, left: left_step, right: right_steps, unsigned } => {
                let left = step(left, ty, left_step)?;
                let right = step(right, operation.right, right_steps[0])?;
                let right = step(right, operation.right, right_steps[1])?;
                if !unsigned {
                    return ty.binary(op, left, right);
                }
                let right = if op.is_shift() { right } else { unsigned_type.wrap(right) };
                let value = unsigned_type.binary(op, unsigned_type.wrap(left), right);
                value.map(|value| ty.wrap(value))
            }
        }
    }

    /// Whether it has a value for all pairs of values that the operands were seen
    /// with. Says no when in doubt.
    pub(super) fn fits(self, operation: Operation, left: &Seen, right: &Seen) -> bool {
        match self {
            Self::Unary(_) | Self::UnsignedMinus => true,
            Self::Complement => right.low == 0 && right.high == 0,
            Self::Binary { op, left: left_step, right: right_steps, unsigned } => {
                let after = |seen: &Seen, ty, steps: &[Option<Step>]| {
                    let steps = steps.iter().flatten();
                    steps.copied().try_fold(seen.clone(), |seen, step| seen.after(ty, step))
                };
                let Some(left) = after(left, operation.left, &[left_step]) else { return false };
                let Some(right) = after(right, operation.right, &right_steps) else { return false };
                let ty = operation.left;
                if !unsigned {
                    return has_values(op, ty, &left, &right);
                }
                let ty = IntegerType { signed: false, ..ty };
                // The bits of the left operand do not matter for unsigned operators.
                !can_fail(op, ty) || op.is_shift() && has_values(op, ty, &Seen::ANY, &right)
            }
        }
    }
}

/// The values that an operand was seen with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub(super) low: i128,
    pub(super) high: i128,
    /// Whether zero may be among them.
    pub(super) zero: bool,
    /// All of them if they are few, otherwise nothing.
    pub(super) few: Vec<i128>,
}

impl Seen {
    /// Of an unsigned operand: whatever.
    const ANY: Self = Self { low: 0, high: i128::MAX, zero: true, few: Vec::new() };

    /// The one value, if there was only one.
    pub(super) fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// What a profile says about an operand of this type; `None` if its numbers are
    /// not in order, as those of unsigned 128 bits beyond the signed ones.
    pub(super) fn new(ty: IntegerType, values: &Integers) -> Option<Self> {
        let few = values.few().map(<[i128]>::to_vec).unwrap_or_default();
        let zero =
            if few.is_empty() { values.low <= 0 && values.high >= 0 } else { few.contains(&0) };
        let in_order = ty.contains(values.low) && ty.contains(values.high);
        in_order.then_some(Self { low: values.low, high: values.high, zero, few })
    }

    /// The values after a step; `None` if the step may fail for one of them, or if
    /// what comes out is not an interval.
    fn after(&self, ty: IntegerType, step: Step) -> Option<Self> {
        let apply = |value: i128| ty.binary(step.op, value, step.constant).ok();
        if !self.few.is_empty() {
            let few = self.few.iter().map(|value| apply(*value)).collect::<Option<Vec<_>>>()?;
            let (low, high) = (*few.iter().min()?, *few.iter().max()?);
            let in_order = ty.contains(low) && ty.contains(high);
            return in_order.then_some(Self { low, high, zero: few.contains(&0), few });
        }
        let (low, high, zero) = match step.op {
            BinaryOp::Add | BinaryOp::Sub => {
                let (low, high) = (apply(self.low)?, apply(self.high)?);
                (low, high, low <= 0 && high >= 0)
            }
            BinaryOp::BitAnd => (0, step.constant, true),
            // A one in the constant is a one in the result.
            BinaryOp::BitOr => {
                let low = if self.low < 0 { self.low } else { self.low.max(step.constant) };
                let largest = self.high.max(step.constant).max(0);
                let ones = i128::MAX >> (largest.leading_zeros() - 1);
                (low, ones, step.constant == 0 && self.zero)
            }
            _ => return None,
        };
        let in_order = low <= high && ty.contains(low) && ty.contains(high);
        in_order.then_some(Self { low, high, zero, few: Vec::new() })
    }
}

/// Whether an operator has a result for every pair of values.
fn has_values(op: BinaryOp, ty: IntegerType, left: &Seen, right: &Seen) -> bool {
    if !left.few.is_empty() && !right.few.is_empty() {
        let mut pairs =
            left.few.iter().flat_map(|left| right.few.iter().map(move |right| (*left, *right)));
        return pairs.all(|(left, right)| ty.binary(op, left, right).is_ok());
    }
    if !can_fail(op, ty) {
        return true;
    }
    let shifts = right.low >= 0 && right.high < i128::from(ty.bits);
    match op {
        // Extremes of sums and products are at the corners.
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            [(left.low, right.low), (left.low, right.high), (left.high, right.low)]
                .into_iter()
                .chain([(left.high, right.high)])
                .all(|(left, right)| ty.binary(op, left, right).is_ok())
        }
        BinaryOp::Div | BinaryOp::Rem => {
            let overflow = ty.signed && left.low == ty.min() && right.low <= -1 && right.high >= -1;
            !right.zero && !overflow
        }
        BinaryOp::Shl if ty.signed => {
            shifts && left.low >= 0 && ty.binary(op, left.high, right.high).is_ok()
        }
        BinaryOp::Shl | BinaryOp::Shr => shifts,
        _ => true,
    }
}
