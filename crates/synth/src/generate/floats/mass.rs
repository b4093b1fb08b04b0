//! How large the terms of a floating expression can be in whatever grouping, and how fine.

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;

/// A bound of an expression that holds in every regrouping: the magnitudes of all its terms are
/// at most `most` together, and all are multiples of 2 to the power of minus `fraction`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::generate) struct Mass {
    pub(in crate::generate) most: u128,
    pub(in crate::generate) fraction: u32,
}

impl Mass {
    /// Of something of which nothing is known.
    pub(in crate::generate) const UNBOUNDED: Self = Self { most: u128::MAX, fraction: 0 };

    /// Of integers up to a magnitude. A term is at least one, so that a factor never makes a
    /// mass smaller.
    pub(in crate::generate) fn integer(most: u128) -> Self {
        Self { most: most.max(1), fraction: 0 }
    }

    /// Of a constant.
    pub(super) fn constant(value: FloatValue) -> Self {
        let (double, exact) = value.convert(FloatFormat::Double);
        let number = f64::from_bits(double.bits as u64).abs();
        let whole = |fraction: &i32| (number * 2f64.powi(*fraction)).fract() == 0.0;
        match (0..=FINEST).find(whole) {
            Some(fraction) if exact && number < LARGEST => {
                Self { fraction: fraction as u32, ..Self::integer(number.ceil() as u128) }
            }
            _ => Self::UNBOUNDED,
        }
    }

    pub(in crate::generate) fn sum(self, other: Self) -> Self {
        let most = self.most.saturating_add(other.most);
        Self { most, fraction: self.fraction.max(other.fraction) }
    }

    pub(in crate::generate) fn product(self, other: Self) -> Self {
        let most = self.most.saturating_mul(other.most);
        Self { most, fraction: self.fraction + other.fraction }
    }

    /// Of a quotient by two to the power of what the divisor is.
    pub(super) fn quotient(self, divisor: Self) -> Self {
        let binary = divisor.most.checked_ilog2().unwrap_or(0);
        Self { fraction: self.fraction + binary, ..self }
            .product(Self { most: 1 << divisor.fraction.min(FINEST as u32), fraction: 0 })
    }

    pub(super) fn either(self, other: Self) -> Self {
        let fraction = self.fraction.max(other.fraction);
        Self { most: self.most.max(other.most), fraction }
    }

    /// Whether a format of so many digits holds every partial result.
    pub(in crate::generate) fn fits(self, digits: u32) -> bool {
        self.fraction < digits && self.most <= 1 << (digits - 1 - self.fraction)
    }

    /// Whether an object of this cap may hold it.
    pub(super) fn is_within(self, cap: Self) -> bool {
        self.most <= cap.most && self.fraction <= cap.fraction
    }
}

/// The most digits after the point of a constant that is understood, and the first number that
/// is too large for it.
const FINEST: i32 = 40;
const LARGEST: f64 = 1e18;

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(value: f64) -> Mass {
        let bits = value.to_bits().into();
        Mass::constant(FloatValue { format: FloatFormat::Double, bits })
    }

    fn mass(most: u128, fraction: u32) -> Mass {
        Mass { most, fraction }
    }

    #[test]
    fn constants_are_as_large_and_as_fine_as_they_are() {
        for (value, most, fraction) in
            [(0.0, 1, 0), (-0.0, 1, 0), (1.0, 1, 0), (-3.0, 3, 0), (0.25, 1, 2), (-2.5, 3, 1)]
        {
            assert_eq!(constant(value), mass(most, fraction), "{value}");
        }
        for value in [0.1, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN] {
            assert_eq!(constant(value), Mass::UNBOUNDED, "{value}");
        }
    }

    #[test]
    fn operators_add_and_multiply_masses() {
        let (a, b) = (mass(6, 1), mass(10, 3));
        assert_eq!(a.sum(b), mass(16, 3));
        assert_eq!(a.product(b), mass(60, 4));
        assert_eq!(a.either(b), mass(10, 3));
        assert_eq!(a.quotient(constant(8.0)), mass(6, 4));
        assert_eq!(a.quotient(constant(-0.5)), mass(12, 1));
        assert_eq!(Mass::UNBOUNDED.product(b).most, u128::MAX);
    }

    #[test]
    fn a_format_holds_what_has_one_digit_less() {
        assert!(mass(1 << 23, 0).fits(24) && !mass((1 << 23) + 1, 0).fits(24));
        assert!(mass(1 << 20, 3).fits(24) && !mass(1 << 20, 4).fits(24));
        assert!(!mass(1, 24).fits(24) && mass(1, 23).fits(24));
        assert!(!Mass::UNBOUNDED.fits(113));
    }
}
