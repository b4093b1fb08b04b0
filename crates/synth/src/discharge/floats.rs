//! The table of rewrites for guards that ask for exact results: which operation, what to make
//! of it. A form can be evaluated in every format, so that one of four digits proves the table.

#[cfg(test)]
mod tests;

use farrier_lang::target::FloatFormat;
use farrier_lang::{BinaryOp, IntegerType};

use super::dyadic::{Dyadic, Format};
use super::rows::{Kind, draw_mask};
use crate::choices::Choices;

use BinaryOp::{Add, BitAnd, Div, Mul, Rem, Sub};

/// The largest constant that is added where any would do.
const SMALL: i64 = 16;

/// The largest power of two by which operands are scaled without need.
const SCALE: i64 = 8;

/// How many constants are tried for a form.
const TRIES: u32 = 4;

/// An operation whose result may have to be rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    /// `+ - * /` in a format.
    Binary(BinaryOp, Format),
    /// A conversion to an integer.
    ToInteger(Format, IntegerType),
    /// A conversion to another format.
    Narrow(Format, Format),
    /// A conversion of an integer.
    FromInteger(IntegerType, Format),
}

/// `operand op constant`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) op: BinaryOp,
    pub(super) constant: Dyadic,
}

impl Step {
    /// `+ constant` or, if that is negative, `- -constant`.
    pub(super) fn add(constant: Dyadic) -> Self {
        match constant.mantissa < 0 {
            true => Self { op: Sub, constant: constant.negate() },
            false => Self { op: Add, constant },
        }
    }

    /// The number times a power of two.
    fn scale(power: i32) -> Self {
        let constant = Dyadic::new(1, power.abs());
        Self { op: if power < 0 { Div } else { Mul }, constant }
    }

    /// The number after the step, if the format has it.
    fn after(self, format: Format, number: Dyadic) -> Option<Dyadic> {
        let constant = Some(self.constant).filter(|constant| format.holds(*constant))?;
        format.arithmetic(self.op, number, constant)
    }
}

/// What stands where the operation stood. `T` is the type of its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// An operator on both operands, each perhaps changed first.
    Binary { op: BinaryOp, left: Option<Step>, right: Option<Step> },
    /// The left operand, perhaps changed; the right one is only evaluated.
    Left(Option<Step>),
    /// The right operand; the left one is only evaluated.
    Right,
    /// `(T)(a op b)`, a comparison.
    Comparison(BinaryOp),
    /// `(T)(a op K)`, a conversion of another floating number.
    Converted(Step),
    /// `(T)(a op K)`, a comparison.
    Test(BinaryOp, Dyadic),
    /// `(T)(a op K)` of an integer.
    Integer(BinaryOp, i128),
}

impl Form {
    /// Its floating constants.
    fn constants(self) -> [Option<Dyadic>; 2] {
        let of = |step: Option<Step>| step.map(|step| step.constant);
        match self {
            Self::Binary { left, right, .. } => [of(left), of(right)],
            Self::Left(step) => [of(step), None],
            Self::Converted(step) => [Some(step.constant), None],
            Self::Test(_, constant) => [Some(constant), None],
            Self::Right | Self::Comparison(_) | Self::Integer(..) => [None; 2],
        }
    }

    /// Whether it is exact for all operands. Otherwise it stays guarded.
    pub(super) fn is_certain(self, operation: Operation) -> bool {
        match (self, operation) {
            (Self::Left(None) | Self::Right | Self::Comparison(_) | Self::Test(..), _) => true,
            (Self::Integer(op, constant), Operation::FromInteger(ty, format)) => {
                let largest = match op {
                    BitAnd => constant.cast_unsigned(),
                    Rem => constant.unsigned_abs().saturating_sub(1),
                    Div => {
                        ty.max().saturating_add(u128::from(ty.signed))
                            / constant.unsigned_abs().max(1)
                    }
                    _ => return false,
                };
                constant > 0
                    && format.least <= 0
                    && format.most > format.digits as i32
                    && largest >> format.digits == 0
            }
            _ => false,
        }
    }

    /// Whether it is exact for all pairs of numbers that the operands were seen with.
    pub(super) fn fits(self, operation: Operation, left: &[Dyadic], right: &[Dyadic]) -> bool {
        let after = |step: Option<Step>, format, number| match step {
            Some(step) => step.after(format, number),
            None => Some(number),
        };
        match (self, operation) {
            (Self::Binary { op, left: before, right: beside }, Operation::Binary(_, format)) => {
                left.iter().all(|left| {
                    let Some(left) = after(before, format, *left) else { return false };
                    right.iter().all(|right| {
                        let right = after(beside, format, *right);
                        right.and_then(|right| format.arithmetic(op, left, right)).is_some()
                    })
                })
            }
            (Self::Left(Some(step)), Operation::Binary(_, format)) => {
                left.iter().all(|left| step.after(format, *left).is_some())
            }
            (Self::Converted(step), Operation::ToInteger(format, ty)) => left.iter().all(|left| {
                let number = step.after(format, *left).and_then(Dyadic::integer);
                number.is_some_and(|number| ty.contains(number))
            }),
            (Self::Converted(step), Operation::Narrow(format, narrow)) => left
                .iter()
                .all(|left| step.after(format, *left).is_some_and(|number| narrow.holds(number))),
            _ => self.is_certain(operation),
        }
    }
}

/// The operations that a row is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum For {
    Binary(&'static [BinaryOp]),
    /// A conversion of a floating number.
    Converted,
    FromInteger,
}

impl For {
    fn has(self, operation: Operation) -> bool {
        match (self, operation) {
            (Self::Binary(ops), Operation::Binary(op, _)) => ops.contains(&op),
            (Self::Converted, Operation::ToInteger(..) | Operation::Narrow(..))
            | (Self::FromInteger, Operation::FromInteger(..)) => true,
            _ => false,
        }
    }
}

/// How the form of a row is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Make {
    /// Another operator.
    Operator(BinaryOp),
    /// `(a + K) op b`; of a division, what leaves no remainder.
    AddLeft,
    /// `a op (b + K)`
    AddRight,
    /// `(a * 2^K) op b`
    ScaleLeft,
    /// `a op (b * 2^K)`
    ScaleRight,
    /// `a / 2^K` or `a * 2^K`, without `b`.
    Power,
    Left,
    Right,
    Comparison,
    /// `(T)(a + K)`
    Add,
    /// `(T)(a * 2^K)`
    Scale,
    Test,
    /// `(T)(a op K)` of an integer.
    Integer(BinaryOp),
}

/// One way to discharge a guard that fired.
pub(super) struct Row {
    on: For,
    pub(super) kind: Kind,
    make: Make,
    weight: u32,
}

const fn row(on: For, kind: Kind, make: Make, weight: u32) -> Row {
    Row { on, kind, make, weight }
}

const SUMS: For = For::Binary(&[Add, Sub]);
const ALL: For = For::Binary(&[Add, Sub, Mul, Div]);

/// Orange3's section 4 (O), and what makes the table complete (F): for every operation there is
/// a row whose form cannot fail at all.
pub(super) static ROWS: [Row; 23] = [
    // O (2): a + b, a - b, a * b
    row(For::Binary(&[Add]), Kind::Flip, Make::Operator(Sub), 6),
    row(For::Binary(&[Sub]), Kind::Flip, Make::Operator(Add), 6),
    row(For::Binary(&[Mul]), Kind::Flip, Make::Operator(Div), 6),
    row(For::Binary(&[Mul]), Kind::Flip, Make::Operator(Sub), 3),
    // F
    row(For::Binary(&[Mul]), Kind::Flip, Make::Operator(Add), 3),
    row(SUMS, Kind::Flip, Make::Operator(Mul), 2),
    row(SUMS, Kind::Insert, Make::ScaleLeft, 2),
    row(SUMS, Kind::Insert, Make::ScaleRight, 2),
    row(SUMS, Kind::Insert, Make::AddLeft, 1),
    row(SUMS, Kind::Insert, Make::AddRight, 1),
    // O (3): x / y
    row(For::Binary(&[Div]), Kind::Insert, Make::AddLeft, 8),
    // F
    row(For::Binary(&[Div]), Kind::Insert, Make::AddRight, 2),
    row(For::Binary(&[Div]), Kind::Flip, Make::Operator(Mul), 4),
    row(ALL, Kind::Insert, Make::Power, 1),
    row(ALL, Kind::Flip, Make::Comparison, 1),
    row(ALL, Kind::Flip, Make::Left, 1),
    row(ALL, Kind::Flip, Make::Right, 1),
    // O (4): a conversion that does not fit
    row(For::Converted, Kind::Insert, Make::Add, 6),
    // F
    row(For::Converted, Kind::Insert, Make::Scale, 4),
    row(For::Converted, Kind::Flip, Make::Test, 1),
    row(For::FromInteger, Kind::Insert, Make::Integer(BitAnd), 3),
    row(For::FromInteger, Kind::Insert, Make::Integer(Rem), 3),
    row(For::FromInteger, Kind::Insert, Make::Integer(Div), 2),
];

/// A guard that fired: the operation and what is known about its operands.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) operation: Operation,
    /// All numbers of the operand, if they are known.
    pub(super) left: Option<Vec<Dyadic>>,
    pub(super) right: Option<Vec<Dyadic>>,
    /// Whether the right operand does something besides its value.
    pub(super) acts: bool,
    /// The format of constants, if they are printed.
    pub(super) constants: Option<FloatFormat>,
}

/// A row and its form for this guard; `certain` asks for one that is exact for whatever
/// operands.
pub(super) fn choose(
    site: &Site,
    certain: bool,
    choices: &mut Choices,
) -> Option<(&'static Row, Form)> {
    let mut weights = [0; ROWS.len()];
    for (weight, row) in weights.iter_mut().zip(&ROWS) {
        if row.on.has(site.operation) {
            *weight = row.weight;
        }
    }
    while let Some(index) = choices.weighted(&weights) {
        let row = &ROWS[index];
        for _ in 0..TRIES {
            let Some(form) = row.make.form(site, choices) else { break };
            let good = form.is_certain(site.operation) || !certain && site.fits(form);
            if good && form.constants().into_iter().flatten().all(|number| site.can_print(number)) {
                return Some((row, form));
            }
        }
        weights[index] = 0;
    }
    None
}

impl Site {
    /// Whether a form is exact for all operands seen.
    fn fits(&self, form: Form) -> bool {
        match (&self.left, &self.right) {
            (Some(left), Some(right)) => form.fits(self.operation, left, right),
            _ => false,
        }
    }

    /// Whether a constant is exactly the number in every compiler.
    fn can_print(&self, number: Dyadic) -> bool {
        self.constants.is_none_or(|format| number.value(format).is_exact_constant())
    }

    /// One number of each operand, if they are known.
    fn pair(&self) -> Option<(Dyadic, Dyadic)> {
        Some((*self.left.as_ref()?.first()?, *self.right.as_ref()?.first()?))
    }

    /// A power of two that brings the number of one operand close to that of the other.
    fn power(&self, of_left: bool, choices: &mut Choices) -> Option<i32> {
        let (left, right) = self.pair()?;
        let distance = left.exponent.saturating_sub(right.exponent);
        let near = if of_left { -distance } else { distance };
        let power = near.saturating_add(choices.range(-SCALE, SCALE) as i32);
        Some(if power == 0 { 1 } else { power })
    }
}

/// A small integer, not zero.
fn small(choices: &mut Choices) -> Dyadic {
    let number = choices.range(1, SMALL);
    Dyadic::new(i128::from(if choices.chance(50) { number } else { -number }), 0)
}

impl Make {
    /// The form of this guard, if it has one.
    fn form(self, site: &Site, choices: &mut Choices) -> Option<Form> {
        let operation = match site.operation {
            Operation::Binary(op, _) => op,
            _ => Add,
        };
        let binary = |left, right| Form::Binary { op: operation, left, right };
        Some(match self {
            Self::Operator(op) => Form::Binary { op, left: None, right: None },
            Self::AddLeft if operation == Div => {
                let (left, right) = site.pair()?;
                // Nothing of what is left, or a small quotient.
                let wanted = match choices.chance(60) {
                    true => left.arithmetic(Sub, left.remainder(right)?)?,
                    false => right.arithmetic(Mul, small(choices))?,
                };
                binary(Some(Step::add(wanted.arithmetic(Sub, left)?)), None)
            }
            Self::AddLeft => {
                let (left, _) = site.pair()?;
                let constant = small(choices).arithmetic(Sub, left)?;
                binary(Some(Step::add(constant)), None)
            }
            Self::AddRight => {
                let (_, right) = site.pair()?;
                // A divisor becomes a power of two.
                let wanted = match operation {
                    Div => Dyadic::new(1, choices.range(0, SCALE) as i32),
                    _ => small(choices),
                };
                binary(None, Some(Step::add(wanted.arithmetic(Sub, right)?)))
            }
            Self::ScaleLeft => binary(Some(Step::scale(site.power(true, choices)?)), None),
            Self::ScaleRight => binary(None, Some(Step::scale(site.power(false, choices)?))),
            Self::Power if site.acts => return None,
            Self::Power => {
                let power = choices.range(1, SCALE) as i32;
                Form::Left(Some(Step::scale(if choices.chance(70) { -power } else { power })))
            }
            Self::Left => Form::Left(None),
            Self::Right => Form::Right,
            Self::Comparison => Form::Comparison(choices.pick(&BinaryOp::COMPARISONS)),
            Self::Add => {
                let (left, _) = site.pair()?;
                let wanted = match choices.chance(60) {
                    true => left.truncated(),
                    false => small(choices),
                };
                Form::Converted(Step::add(wanted.arithmetic(Sub, left)?))
            }
            Self::Scale => {
                let (left, _) = site.pair()?;
                // An integer of few digits.
                let power = choices.range(0, SCALE) as i32 - left.exponent;
                Form::Converted(Step::scale(if power == 0 { 1 } else { power }))
            }
            Self::Test => {
                let number = site.left.as_ref().and_then(|left| left.first().copied());
                let constant = number.filter(|number| site.can_print(*number));
                let constant = constant.filter(|_| choices.chance(50)).unwrap_or(Dyadic::ZERO);
                Form::Test(choices.pick(&BinaryOp::COMPARISONS), constant)
            }
            Self::Integer(op) => {
                let Operation::FromInteger(ty, format) = site.operation else { return None };
                let largest = (1_i128 << format.digits.min(62)) - 1;
                let constant = match op {
                    BitAnd => draw_mask(largest, choices),
                    Rem => i128::from(choices.range(2, largest as i64)),
                    _ => 1_i128.checked_shl(ty.bits.saturating_sub(format.digits))?,
                };
                // Constants of more than 64 bits do not exist.
                Form::Integer(op, Some(constant).filter(|constant| *constant <= i64::MAX.into())?)
            }
        })
    }
}
