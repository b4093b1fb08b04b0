//! Numbers `m * 2^e` without rounding, and which of them a floating format has. A format is a
//! value, so that one of four digits proves the table of rewrites.

use farrier_lang::BinaryOp;
use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;

/// A number `mantissa * 2^exponent`. The mantissa is odd, or both are zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dyadic {
    pub(super) mantissa: i128,
    pub(super) exponent: i32,
}

/// Which numbers a floating type has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    /// The most bits of a mantissa.
    pub(super) digits: u32,
    /// All numbers are multiples of two to this power.
    pub(super) least: i32,
    /// All numbers are below two to this power.
    pub(super) most: i32,
}

impl Format {
    pub(super) fn of(format: FloatFormat) -> Self {
        let digits = format.digits();
        let most = 1 << (exponent_bits(format) - 1);
        Self { digits, least: 3 - most - digits as i32, most }
    }

    /// Whether a number has a value in the format.
    pub(super) fn holds(self, number: Dyadic) -> bool {
        let bits = number.bits();
        bits == 0
            || bits <= self.digits
                && number.exponent >= self.least
                && number.exponent.saturating_add(bits as i32) <= self.most
    }

    /// `left op right`, if the format has that number.
    pub(super) fn arithmetic(self, op: BinaryOp, left: Dyadic, right: Dyadic) -> Option<Dyadic> {
        left.arithmetic(op, right).filter(|result| self.holds(*result))
    }
}

fn exponent_bits(format: FloatFormat) -> u32 {
    match format {
        FloatFormat::Half => 5,
        FloatFormat::Single => 8,
        FloatFormat::Double => 11,
        FloatFormat::X87 | FloatFormat::Quad => 15,
    }
}

impl Dyadic {
    pub(super) const ZERO: Self = Self { mantissa: 0, exponent: 0 };
    pub(super) const ONE: Self = Self { mantissa: 1, exponent: 0 };

    pub(super) fn new(mantissa: i128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self::ZERO;
        }
        let zeros = mantissa.trailing_zeros();
        Self { mantissa: mantissa >> zeros, exponent: exponent + zeros as i32 }
    }

    /// The number that a floating value is, if it is one. The sign of a zero is lost.
    pub(super) fn of(value: FloatValue) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let format = Format::of(value.format);
        // The x87 writes the leading bit of the significand.
        let written = format.digits - u32::from(value.format != FloatFormat::X87);
        let significand = value.bits & ((1 << written) - 1);
        let mask = (1 << exponent_bits(value.format)) - 1;
        let exponent = (value.bits >> written) as i32 & mask;
        let leading = if exponent > 0 { 1 << (format.digits - 1) } else { 0 };
        let magnitude = (significand | leading) as i128;
        let mantissa = if value.is_negative() { -magnitude } else { magnitude };
        Some(Self::new(mantissa, format.least + exponent.max(1) - 1))
    }

    /// The value in a format that has the number.
    pub(super) fn value(self, format: FloatFormat) -> FloatValue {
        let kind = Format::of(format);
        if self.mantissa == 0 {
            return FloatValue::zero(format);
        }
        let bits = self.bits() as i32;
        // As many digits as there may be after the leading one.
        let unit = (self.exponent + bits - kind.digits as i32).max(kind.least);
        let significand = self.mantissa.unsigned_abs() << (self.exponent - unit);
        let written = kind.digits - u32::from(format != FloatFormat::X87);
        let normal = significand >> (kind.digits - 1) != 0;
        let exponent = if normal { (unit - kind.least + 1) as u128 } else { 0 };
        let bits = significand & ((1 << written) - 1) | exponent << written;
        let value = FloatValue { format, bits };
        if self.mantissa < 0 { value.negate() } else { value }
    }

    /// How many bits the mantissa has.
    fn bits(self) -> u32 {
        128 - self.mantissa.unsigned_abs().leading_zeros()
    }

    pub(super) fn negate(self) -> Self {
        Self { mantissa: -self.mantissa, ..self }
    }

    /// `+ - * /`; `None` if there is no such number, or if it has more digits than any
    /// format.
    pub(super) fn arithmetic(self, op: BinaryOp, right: Self) -> Option<Self> {
        match op {
            BinaryOp::Add => {
                let (left, right, unit) = self.aligned(right)?;
                Some(Self::new(left.checked_add(right)?, unit))
            }
            BinaryOp::Sub => self.arithmetic(BinaryOp::Add, right.negate()),
            BinaryOp::Mul => {
                let mantissa = self.mantissa.checked_mul(right.mantissa)?;
                Some(Self::new(mantissa, self.exponent + right.exponent))
            }
            BinaryOp::Div => {
                let whole = self.mantissa.checked_rem(right.mantissa)? == 0;
                let mantissa = self.mantissa.checked_div(right.mantissa)?;
                whole.then(|| Self::new(mantissa, self.exponent - right.exponent))
            }
            _ => None,
        }
    }

    /// What is left when as many times `right` are taken away as are in it.
    pub(super) fn remainder(self, right: Self) -> Option<Self> {
        let (left, right, unit) = self.aligned(right)?;
        Some(Self::new(left.checked_rem(right)?, unit))
    }

    /// Both numbers as multiples of one power of two.
    fn aligned(self, right: Self) -> Option<(i128, i128, i32)> {
        let unit = match (self.mantissa, right.mantissa) {
            (0, _) => right.exponent,
            (_, 0) => self.exponent,
            _ => self.exponent.min(right.exponent),
        };
        let multiple = |number: Self| {
            if number.mantissa == 0 {
                return Some(0);
            }
            let shift = (number.exponent - unit) as u32;
            (number.bits() + shift < 127).then(|| number.mantissa << shift)
        };
        Some((multiple(self)?, multiple(right)?, unit))
    }

    /// The integer that it is, if it is one.
    pub(super) fn integer(self) -> Option<i128> {
        let shift = u32::try_from(self.exponent).ok()?;
        (self.bits() + shift < 127).then(|| self.mantissa << shift)
    }

    /// The number without its fraction.
    pub(super) fn truncated(self) -> Self {
        match u32::try_from(-self.exponent) {
            Ok(shift) if shift < 127 => {
                let whole = (self.mantissa.unsigned_abs() >> shift) as i128;
                Self::new(whole * self.mantissa.signum(), 0)
            }
            Ok(_) => Self::ZERO,
            Err(_) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choices::Choices;

    const FORMATS: [FloatFormat; 5] = [
        FloatFormat::Half,
        FloatFormat::Single,
        FloatFormat::Double,
        FloatFormat::X87,
        FloatFormat::Quad,
    ];

    /// Some value of a format: mostly few digits, so that some results are exact.
    fn any(format: FloatFormat, choices: &mut Choices) -> Dyadic {
        let kind = Format::of(format);
        loop {
            let digits = if choices.chance(80) { 5 } else { kind.digits.min(60) };
            let mantissa = choices.range(-(1 << digits), 1 << digits).into();
            let exponent = match choices.chance(80) {
                true => choices.range(-8, 8),
                false => choices.range(kind.least.into(), kind.most.into()),
            };
            let number = Dyadic::new(mantissa, exponent as i32);
            if kind.holds(number) {
                return number;
            }
        }
    }

    /// Numbers and values are the same, and what is exact is what IEEE says.
    #[test]
    fn numbers_are_those_of_the_formats() {
        let mut choices = Choices::new(1);
        for format in FORMATS {
            let kind = Format::of(format);
            let mut exact = 0;
            for _ in 0..20_000 {
                let (left, right) = (any(format, &mut choices), any(format, &mut choices));
                assert_eq!(Dyadic::of(left.value(format)), Some(left), "{format:?}");
                let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div];
                let op = choices.pick(&ops);
                let (value, is_exact) =
                    left.value(format).arithmetic(op, right.value(format)).expect("arithmetic");
                let expected = if is_exact { Dyadic::of(value) } else { None };
                let found = kind.arithmetic(op, left, right);
                assert_eq!(found, expected, "{format:?}: {left:?} {} {right:?}", op.text());
                exact += u32::from(is_exact);
            }
            assert!(exact > 2_000, "{format:?}: only {exact} results are exact");
        }
    }

    /// Every value of the smallest format.
    #[test]
    fn values_go_both_ways() {
        for bits in 0..1 << 16 {
            let value = FloatValue { format: FloatFormat::Half, bits };
            let Some(number) = Dyadic::of(value) else { continue };
            let again = number.value(FloatFormat::Half);
            assert!(again == value || value.is_zero(), "{bits:#x}");
            let truncated = number.truncated();
            let integer = value.to_integer(farrier_lang::IntegerType { signed: true, bits: 64 });
            assert_eq!(truncated.integer(), integer, "{bits:#x}");
        }
    }
}
