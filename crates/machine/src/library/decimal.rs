//! Binary floating values in decimal and hexadecimal, exact to the last digit.

/// The largest power of ten below 2 to the 32nd: the base of the long numbers.
const BASE: u64 = 1_000_000_000;

/// The digits of an exact value: a whole number, and how many of its digits are after
/// the point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decimal {
    /// From the first that is not zero; none for zero.
    digits: Vec<u8>,
    places: usize,
}

impl Decimal {
    /// `mantissa` times two to the power of `exponent`.
    pub(super) fn exact(mantissa: u128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self { digits: Vec::new(), places: 0 };
        }
        let zeros = mantissa.trailing_zeros() as i32;
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros);
        let mut limbs = Vec::new();
        let mut rest = mantissa;
        while rest > 0 {
            limbs.push((rest % u128::from(BASE)) as u32);
            rest /= u128::from(BASE);
        }
        // A half is five tenths: dividing by two is multiplying by five.
        let (factor, most) = if exponent >= 0 { (2, 29) } else { (5_u64, 12) };
        let mut powers = exponent.unsigned_abs();
        while powers > 0 {
            let step = powers.min(most);
            multiply(&mut limbs, factor.pow(step));
            powers -= step;
        }
        let mut digits = String::new();
        for (index, limb) in limbs.iter().rev().enumerate() {
            if index == 0 {
                digits.push_str(&limb.to_string());
            } else {
                digits.push_str(&format!("{limb:09}"));
            }
        }
        Self { digits: digits.into_bytes(), places: (-exponent).max(0) as usize }
    }

    /// Keeps the first `keep` digits, rounded to nearest, halves to even.
    fn rounded(&self, keep: i64) -> Self {
        let length = self.digits.len() as i64;
        if keep >= length {
            return self.clone();
        }
        let dropped = (length - keep) as usize;
        let mut digits = self.digits[..keep.max(0) as usize].to_vec();
        let rest = &self.digits[keep.max(0) as usize..];
        let up = keep >= 0
            && (rest[0] > b'5'
                || rest[0] == b'5'
                    && (rest[1..].iter().any(|digit| *digit != b'0')
                        || digits.last().is_some_and(|digit| digit % 2 == 1)));
        if up {
            let nines = digits.iter().rev().take_while(|digit| **digit == b'9').count();
            let start = digits.len() - nines;
            digits[start..].fill(b'0');
            match start.checked_sub(1) {
                Some(last) => digits[last] += 1,
                None => digits.insert(0, b'1'),
            }
        }
        // The digits that are gone were after the point, or are zeros before it.
        let zeros = dropped.saturating_sub(self.places);
        digits.resize(digits.len() + zeros, b'0');
        Self { digits, places: self.places.saturating_sub(dropped) }
    }

    /// `%f` without a sign.
    pub(super) fn fixed(&self, precision: usize, point: bool) -> String {
        let before = self.digits.len() as i64 - self.places as i64;
        let rounded = self.rounded(before + precision as i64);
        let mut digits = String::from_utf8(rounded.digits).expect("digits are ASCII");
        let missing = (rounded.places + 1).saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
        digits.push_str(&"0".repeat(precision - rounded.places.min(precision)));
        if precision > 0 {
            digits.insert(digits.len() - precision, '.');
        } else if point {
            digits.push('.');
        }
        digits
    }

    /// The first digit, the others up to `precision`, and the power of ten.
    fn scientific(&self, precision: usize) -> (String, i64) {
        if self.digits.is_empty() {
            return ("0".repeat(precision + 1), 0);
        }
        let rounded = self.rounded(precision as i64 + 1);
        let power = rounded.digits.len() as i64 - rounded.places as i64 - 1;
        let mut digits = String::from_utf8(rounded.digits).expect("digits are ASCII");
        digits.truncate(precision + 1);
        digits.push_str(&"0".repeat(precision + 1 - digits.len()));
        (digits, power)
    }

    /// `%e` without a sign.
    pub(super) fn exponential(&self, precision: usize, point: bool) -> String {
        let (digits, power) = self.scientific(precision);
        exponential_text(&digits, power, point)
    }

    /// `%g` without a sign: the shorter of the two forms, without zeros at the end.
    pub(super) fn general(&self, precision: usize, keep_zeros: bool) -> String {
        let precision = precision.max(1);
        let (digits, power) = self.scientific(precision - 1);
        let trim = |text: String| {
            if keep_zeros || !text.contains('.') {
                return text;
            }
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        if power < -4 || power >= precision as i64 {
            let kept = if keep_zeros { &digits } else { digits.trim_end_matches('0') };
            let kept = if kept.is_empty() { "0" } else { kept };
            return exponential_text(kept, power, keep_zeros);
        }
        let places = (precision as i64 - 1 - power).max(0) as usize;
        trim(self.fixed(places, keep_zeros))
    }
}

fn exponential_text(digits: &str, power: i64, point: bool) -> String {
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() && !point { "" } else { "." };
    let sign = if power < 0 { '-' } else { '+' };
    format!("{first}{dot}{rest}e{sign}{:02}", power.abs())
}

fn multiply(limbs: &mut Vec<u32>, factor: u64) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * factor + carry;
        *limb = (product % BASE) as u32;
        carry = product / BASE;
    }
    while carry > 0 {
        limbs.push((carry % BASE) as u32);
        carry /= BASE;
    }
}

/// `%a` without a sign. `lead` is how many bits of the mantissa stand before the point:
/// one where the format hides it, four in the x87 format of glibc.
pub(super) fn hexadecimal(
    mantissa: u128,
    exponent: i32,
    mantissa_bits: u32,
    lead: u32,
    precision: Option<usize>,
    point: bool,
) -> String {
    let behind = mantissa_bits - lead;
    // Whole hexadecimal digits after the point.
    let padding = (4 - behind % 4) % 4;
    let mut mantissa = mantissa << padding;
    let digits = ((behind + padding) / 4) as usize;
    let mut power = if mantissa == 0 { 0 } else { exponent + behind as i32 };
    let shown = precision.unwrap_or(digits);
    if shown < digits {
        let dropped = 4 * (digits - shown) as u32;
        let (kept, rest) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let up = rest > half || rest == half && kept & 1 == 1;
        mantissa = (kept + u128::from(up)) << dropped;
    }
    if mantissa >> (4 * digits) == 16 {
        // Rounding made another digit before the point.
        mantissa >>= 4;
        power += 4;
    }
    let whole = mantissa >> (4 * digits);
    let fraction = mantissa & ((1 << (4 * digits)) - 1);
    let mut text = if digits == 0 { String::new() } else { format!("{fraction:0digits$x}") };
    match precision {
        None => text.truncate(text.trim_end_matches('0').len()),
        Some(shown) => {
            text.truncate(shown);
            text.push_str(&"0".repeat(shown - text.len()));
        }
    }
    let dot = if text.is_empty() && !point { "" } else { "." };
    let sign = if power < 0 { '-' } else { '+' };
    format!("0x{whole:x}{dot}{text}p{sign}{}", power.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves are exact in binary, so these are ties.
    #[test]
    fn ties_go_to_even_digits() {
        let halves = |count: u128| Decimal::exact(count, -1);
        for (count, expected) in [(1, "0"), (3, "2"), (5, "2"), (7, "4"), (19, "10")] {
            assert_eq!(halves(count).fixed(0, false), expected);
        }
        assert_eq!(Decimal::exact(1, -3).fixed(2, false), "0.12");
        assert_eq!(Decimal::exact(3, -3).fixed(2, false), "0.38");
        assert_eq!(Decimal::exact(25, -1).exponential(1, false), "1.2e+01");
    }

    #[test]
    fn long_values_are_exact() {
        assert_eq!(Decimal::exact(1, 100).fixed(0, false), (1_u128 << 100).to_string());
        assert_eq!(Decimal::exact(1, -4).fixed(6, false), "0.062500");
        // The smallest long double of the x87.
        let least = Decimal::exact(1, -16445);
        assert_eq!(least.exponential(20, false), "3.64519953188247460253e-4951");
        assert_eq!(Decimal::exact(999_999, 0).general(3, false), "1e+06");
        assert_eq!(Decimal::exact(0, 0).general(6, false), "0");
        assert_eq!(Decimal::exact(0, 0).exponential(2, false), "0.00e+00");
    }
}
