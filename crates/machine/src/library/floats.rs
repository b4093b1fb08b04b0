//! Floating values taken apart into integers, for what IEEE 754 defines exactly.

use farrier_lang::target::FloatFormat;

/// A floating value: a sign, and a magnitude.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) negative: bool,
    pub(super) magnitude: Magnitude,
}

/// What a floating value is without its sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Magnitude {
    Nan,
    Infinite,
    /// `mantissa` times two to the power of `exponent`.
    Finite {
        mantissa: u128,
        exponent: i32,
    },
}

/// How a value without a fraction is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    Down,
    Up,
    ToZero,
    /// Halves away from zero.
    Nearest,
    /// Halves to even numbers, as the environment rounds by default.
    NearestEven,
}

/// The size of a format in bits, how many of them are the precision (with the leading
/// one), and the exponent of the smallest normal value.
fn shape(format: FloatFormat) -> (u32, u32, i32) {
    match format {
        FloatFormat::Half => (16, 11, -14),
        FloatFormat::Single => (32, 24, -126),
        FloatFormat::Double => (64, 53, -1022),
        FloatFormat::X87 => (80, 64, -16382),
        FloatFormat::Quad => (128, 113, -16382),
    }
}

/// How many bits the mantissa field takes: the x87 stores the leading one.
fn mantissa_bits(format: FloatFormat) -> u32 {
    let (_, precision, _) = shape(format);
    if format == FloatFormat::X87 { precision } else { precision - 1 }
}

impl Number {
    pub(super) const ZERO: Self =
        Self { negative: false, magnitude: Magnitude::Finite { mantissa: 0, exponent: 0 } };

    pub(super) fn decode(format: FloatFormat, bits: u128) -> Self {
        let (width, precision, least) = shape(format);
        let field = mantissa_bits(format);
        let negative = bits >> (width - 1) & 1 == 1;
        let exponent_mask = (1 << (width - 1 - field)) - 1;
        let biased = (bits >> field & exponent_mask) as i32;
        let stored = bits & ((1 << field) - 1);
        let fraction = stored & ((1 << (precision - 1)) - 1);
        let scale = 1 - precision as i32;
        let magnitude = if biased as u128 == exponent_mask {
            if fraction == 0 { Magnitude::Infinite } else { Magnitude::Nan }
        } else if biased == 0 {
            Magnitude::Finite { mantissa: stored, exponent: least + scale }
        } else {
            let mantissa = fraction | 1 << (precision - 1);
            Magnitude::Finite { mantissa, exponent: biased - 1 + least + scale }
        };
        Self { negative, magnitude }
    }

    /// The bits of the value, rounded to nearest. `sticky` says that the exact value is
    /// a little larger than the mantissa, which then has bits to spare.
    pub(super) fn encode(self, format: FloatFormat, sticky: bool) -> u128 {
        let (width, precision, least) = shape(format);
        let field = mantissa_bits(format);
        let sign = u128::from(self.negative) << (width - 1);
        let exponent_mask: u128 = (1 << (width - 1 - field)) - 1;
        let leading = if format == FloatFormat::X87 { 1 << (precision - 1) } else { 0 };
        let infinity = sign | exponent_mask << field | leading;
        let (mantissa, exponent) = match self.magnitude {
            Magnitude::Nan => return infinity | 1 << (precision - 2),
            Magnitude::Infinite => return infinity,
            Magnitude::Finite { mantissa: 0, .. } => return sign,
            Magnitude::Finite { mantissa, exponent } => (mantissa, exponent),
        };
        let length = 128 - mantissa.leading_zeros() as i32;
        let lowest = least - (precision as i32 - 1);
        let mut last = (exponent.saturating_add(length - precision as i32)).max(lowest);
        let dropped = last.saturating_sub(exponent);
        let mut kept = match dropped {
            ..=0 => mantissa << -dropped,
            1..=127 => {
                let kept = mantissa >> dropped;
                let rest = mantissa & ((1 << dropped) - 1);
                let half = 1 << (dropped - 1);
                let up = rest > half || rest == half && (sticky || kept & 1 == 1);
                kept + u128::from(up)
            }
            128 => u128::from(mantissa > 1 << 127 || mantissa == 1 << 127 && sticky),
            _ => 0,
        };
        if kept == 1 << precision {
            kept >>= 1;
            last += 1;
        }
        if kept >> (precision - 1) == 0 {
            return sign | kept;
        }
        let biased = (last + precision as i32 - 1 - least + 1) as u128;
        if biased >= exponent_mask {
            return infinity;
        }
        let stored = if format == FloatFormat::X87 { kept } else { kept ^ 1 << (precision - 1) };
        sign | biased << field | stored
    }

    pub(super) fn is_zero(self) -> bool {
        matches!(self.magnitude, Magnitude::Finite { mantissa: 0, .. })
    }

    pub(super) fn is_nan(self) -> bool {
        self.magnitude == Magnitude::Nan
    }

    /// The value without its fraction.
    pub(super) fn rounded(self, rounding: Rounding) -> Self {
        let Magnitude::Finite { mantissa, exponent } = self.magnitude else { return self };
        if exponent >= 0 {
            return self;
        }
        let places = exponent.unsigned_abs();
        let (whole, rest, half) = match places {
            // No mantissa has so many bits.
            127.. => (0, u128::from(mantissa != 0), 2),
            _ => (mantissa >> places, mantissa & ((1 << places) - 1), 1 << (places - 1)),
        };
        let up = match rounding {
            Rounding::ToZero => false,
            Rounding::Down => self.negative && rest != 0,
            Rounding::Up => !self.negative && rest != 0,
            Rounding::Nearest => rest >= half,
            Rounding::NearestEven => rest > half || rest == half && whole & 1 == 1,
        };
        self.with(whole + u128::from(up), 0)
    }

    /// The same value with an odd mantissa, or with none.
    pub(super) fn canonical(self) -> Self {
        match self.magnitude {
            Magnitude::Finite { mantissa: 0, .. } => self.with(0, 0),
            Magnitude::Finite { mantissa, exponent } => {
                let zeros = mantissa.trailing_zeros();
                self.with(mantissa >> zeros, exponent + zeros as i32)
            }
            _ => self,
        }
    }

    fn with(self, mantissa: u128, exponent: i32) -> Self {
        Self { magnitude: Magnitude::Finite { mantissa, exponent }, ..self }
    }

    /// What is after the point, with the sign of the whole.
    pub(super) fn fraction(self) -> Self {
        match self.magnitude {
            Magnitude::Nan => self,
            Magnitude::Infinite => self.with(0, 0),
            Magnitude::Finite { mantissa, exponent } => match exponent {
                0.. => self.with(0, 0),
                ..=-127 => self,
                _ => self.with(mantissa & ((1 << -exponent) - 1), exponent),
            },
        }
    }

    /// The value times two to a power.
    pub(super) fn scaled(self, power: i64) -> Self {
        let Magnitude::Finite { mantissa, exponent } = self.magnitude else { return self };
        let exponent = i64::from(exponent).saturating_add(power).clamp(-100_000, 100_000);
        self.with(mantissa, exponent as i32)
    }

    /// A value from a half to one (excluded), and the power of two that is missing.
    pub(super) fn fraction_and_power(self) -> (Self, i32) {
        match self.magnitude {
            Magnitude::Finite { mantissa, exponent } if mantissa != 0 => {
                let length = 128 - mantissa.leading_zeros() as i32;
                (self.with(mantissa, -length), exponent + length)
            }
            _ => (self, 0),
        }
    }

    /// The remainder of a division whose quotient has no fraction, C11 7.12.10.1.
    pub(super) fn modulo(self, divisor: Self) -> Self {
        let nan = Self { negative: false, magnitude: Magnitude::Nan };
        let (Magnitude::Finite { mantissa, exponent }, right) = (self.magnitude, divisor.magnitude)
        else {
            return nan;
        };
        let (modulus, scale) = match right {
            Magnitude::Nan => return nan,
            Magnitude::Finite { mantissa: 0, .. } => return nan,
            Magnitude::Infinite => return self,
            Magnitude::Finite { mantissa, exponent } => (mantissa, exponent),
        };
        if mantissa == 0 {
            return self;
        }
        if exponent >= scale {
            let mut rest = mantissa % modulus;
            for _ in scale..exponent {
                rest = (rest << 1) % modulus;
            }
            return self.with(rest, scale);
        }
        let length = |value: u128| 128 - value.leading_zeros() as i32;
        if length(modulus) + scale > length(mantissa) + exponent {
            return self;
        }
        self.with(mantissa % (modulus << (scale - exponent)), exponent)
    }

    /// What is left of a division whose quotient is rounded to the nearest integer, to an even
    /// one of two, C11 7.12.10.2.
    pub(super) fn remainder(self, divisor: Self) -> Self {
        let rest = self.modulo(divisor.scaled(1));
        let (
            Magnitude::Finite { mantissa, exponent },
            Magnitude::Finite { mantissa: modulus, exponent: scale },
        ) = (rest.magnitude, divisor.magnitude)
        else {
            return rest;
        };
        let length = |mantissa: u128, exponent| 128 - mantissa.leading_zeros() as i32 + exponent;
        if mantissa == 0 || length(mantissa, exponent) + 1 < length(modulus, scale) {
            return rest;
        }
        // Neither is much larger than the other, so both fit with the exponent of one.
        let lowest = exponent.min(scale);
        let modulus = modulus << (scale - lowest);
        let (odd, left) = match mantissa << (exponent - lowest) {
            left if left >= modulus => (true, left - modulus),
            left => (false, left),
        };
        if 2 * left > modulus || 2 * left == modulus && odd {
            let over = Self { negative: !self.negative, ..self };
            return over.with(modulus - left, lowest);
        }
        self.with(left, lowest)
    }

    /// The square root, and whether the exact root is a little larger.
    pub(super) fn square_root(self, format: FloatFormat) -> (Self, bool) {
        let (mut radicand, mut exponent) = match self.magnitude {
            Magnitude::Finite { mantissa: 0, .. } | Magnitude::Nan => return (self, false),
            _ if self.negative => {
                return (Self { negative: false, magnitude: Magnitude::Nan }, false);
            }
            Magnitude::Infinite => return (self, false),
            Magnitude::Finite { mantissa, exponent } => (mantissa, exponent),
        };
        if exponent % 2 != 0 {
            radicand <<= 1;
            exponent -= 1;
        }
        let (_, precision, _) = shape(format);
        let mut pairs = (128 - radicand.leading_zeros()).div_ceil(2);
        let (mut root, mut rest) = (0_u128, 0_u128);
        let mut digits = 0;
        // One bit of the root from each pair of bits of the radicand, then from zeros.
        while pairs > 0 || digits < precision + 2 {
            let pair = if pairs > 0 {
                pairs -= 1;
                radicand >> (2 * pairs) & 3
            } else {
                exponent -= 2;
                0
            };
            rest = rest << 2 | pair;
            let trial = root << 2 | 1;
            root <<= 1;
            if rest >= trial {
                rest -= trial;
                root |= 1;
            }
            digits += 1;
        }
        (self.with(root, exponent / 2), rest != 0)
    }

    /// The value as an integer, if it has no fraction and 64 bits are enough.
    pub(super) fn to_i64(self) -> Option<i64> {
        let Magnitude::Finite { mantissa, exponent } = self.magnitude else { return None };
        if mantissa == 0 {
            return Some(0);
        }
        if !(0..64).contains(&exponent) || mantissa.leading_zeros() < exponent as u32 {
            return None;
        }
        let magnitude = i128::try_from(mantissa << exponent).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }

    /// The smallest normal magnitude is one with this exponent.
    pub(super) fn is_subnormal(self, format: FloatFormat) -> bool {
        let (_, precision, _) = shape(format);
        match self.magnitude {
            Magnitude::Finite { mantissa, .. } => mantissa != 0 && mantissa >> (precision - 1) == 0,
            _ => false,
        }
    }
}

/// A quiet NaN that carries a payload, as `nan("1")` makes it.
pub(super) fn nan(format: FloatFormat, payload: u128) -> u128 {
    let (_, precision, _) = shape(format);
    let quiet = Number { negative: false, magnitude: Magnitude::Nan }.encode(format, false);
    quiet | payload & ((1 << (precision - 2)) - 1)
}

/// The bit of the sign.
pub(super) fn sign_bit(format: FloatFormat) -> u128 {
    1 << (shape(format).0 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> Number {
        Number::decode(FloatFormat::Double, value.to_bits().into())
    }

    fn back(number: Number, sticky: bool) -> f64 {
        f64::from_bits(number.encode(FloatFormat::Double, sticky) as u64)
    }

    const VALUES: &[f64] = &[
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        3.5,
        -2.5,
        0.5,
        1e300,
        5e-324,
        2.2250738585072014e-308,
        0.1,
        9007199254740993.0,
        4503599627370497.5,
        -1e-300,
        123456.789,
        1e22,
        f64::MAX,
        f64::INFINITY,
    ];

    #[test]
    fn decoding_and_encoding_are_inverse() {
        for value in VALUES {
            assert_eq!(back(double(*value), false).to_bits(), value.to_bits(), "{value}");
        }
        assert!(back(double(f64::NAN), false).is_nan());
        for bits in
            [0x3fff_8000_0000_0000_0000, 0x7ffe_ffff_ffff_ffff_ffff, 1, 0xbfff_c000_0000_0000_0000]
        {
            assert_eq!(
                Number::decode(FloatFormat::X87, bits).encode(FloatFormat::X87, false),
                bits
            );
        }
    }

    #[test]
    fn functions_agree_with_the_host() {
        for value in VALUES {
            let number = double(*value);
            for (rounding, expected) in [
                (Rounding::Down, value.floor()),
                (Rounding::Up, value.ceil()),
                (Rounding::ToZero, value.trunc()),
                (Rounding::Nearest, value.round()),
                (Rounding::NearestEven, value.round_ties_even()),
            ] {
                let found = back(number.rounded(rounding), false);
                assert_eq!(found.to_bits(), expected.to_bits(), "{value} {rounding:?}");
            }
            if *value >= 0.0 {
                let (root, sticky) = number.square_root(FloatFormat::Double);
                assert_eq!(back(root, sticky), value.sqrt(), "the root of {value}");
            }
            for divisor in VALUES {
                let found = back(number.modulo(double(*divisor)), false);
                let expected = value % divisor;
                assert!(
                    found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                    "{value} % {divisor}: {found}, not {expected}"
                );
            }
            let single = Number::decode(FloatFormat::Double, value.to_bits().into());
            let found = f32::from_bits(single.encode(FloatFormat::Single, false) as u32);
            assert_eq!(found.to_bits(), (*value as f32).to_bits(), "{value} as float");
        }
    }

    #[test]
    fn remainders_are_nearest() {
        for (value, divisor, expected) in [
            (5.0, 3.0, -1.0),
            (-5.0, 3.0, 1.0),
            (1.0, 2.0, 1.0),
            (3.0, 2.0, -1.0),
            (7.5, 3.0, 1.5),
            (4.5, 3.0, -1.5),
            (6.0, -3.0, 0.0),
            (-6.0, 3.0, -0.0),
            (1.0, 1e300, 1.0),
            (5e-324, 1e-323, 5e-324),
            (2.0, f64::INFINITY, 2.0),
        ] {
            let expected: f64 = expected;
            let found = back(double(value).remainder(double(divisor)), false);
            assert_eq!(found.to_bits(), expected.to_bits(), "{value} by {divisor}: {found}");
        }
        assert!(double(1.0).remainder(double(0.0)).is_nan());
        assert!(double(f64::INFINITY).remainder(double(2.0)).is_nan());
    }

    #[test]
    fn the_power_of_two_is_taken_out() {
        for (value, fraction, power) in [(8.0, 0.5, 4), (0.75, 0.75, 0), (5e-324, 0.5, -1073)] {
            let (found, found_power) = double(value).fraction_and_power();
            assert_eq!((back(found, false), found_power), (fraction, power));
            assert_eq!(back(found.scaled(power.into()), false), value);
        }
    }
}
