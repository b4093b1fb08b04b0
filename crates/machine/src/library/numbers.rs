//! Text to numbers, C11 7.22.1.

use farrier_lang::TypeId;
use farrier_lang::target::FloatFormat;

use super::errno::ERANGE;
use super::floats::{Magnitude, Number, nan};
use super::strings::moved;
use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::run::Machine;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unsupported};

/// An integer read from text.
pub(super) struct Parsed {
    pub(super) negative: bool,
    /// The magnitude; the largest number if it does not fit.
    pub(super) magnitude: u128,
    /// How many bytes were read; zero if there is no number.
    pub(super) length: usize,
}

/// A floating number read from text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Real {
    negative: bool,
    size: Size,
}

/// What a floating number is without its sign.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Size {
    Nan,
    Infinite,
    /// Digits, and the power of ten that they are to be multiplied with.
    Decimal(Vec<u8>, i64),
    /// Hexadecimal digits, and the power of two.
    Hexadecimal(Vec<u8>, i64),
}

impl Machine<'_> {
    pub(super) fn number_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        let pointer = argument(arguments, 0)?;
        let text = self.string(pointer)?;
        if matches!(function, Library::Strtod | Library::Atof) {
            return self.floating_number(function, arguments, &text, result);
        }
        let class = self.integer_class(result);
        let base = match function {
            Library::Atoi => 10,
            _ => argument(arguments, 2)?.low as i32,
        };
        if base < 0 || base == 1 || base > 36 {
            return unsupported(format!("numbers to the base {base}"));
        }
        let parsed = parse_integer(&text, base as u32);
        if function != Library::Atoi {
            self.store_end(argument(arguments, 1)?, moved(pointer, parsed.length as u64))?;
        }
        let magnitude = parsed.magnitude.min(1 << 100) as i128;
        let value = if parsed.negative { -magnitude } else { magnitude };
        if function == Library::Strtoul {
            // A negative number is one of the unsigned type, if its magnitude fits.
            let fits = parsed.magnitude <= class.max();
            let cut = class.wrap(value) as u64;
            if !fits {
                self.fail(ERANGE)?;
            }
            return Ok(Value { low: if fits { cut } else { class.max() as u64 }, high: 0 });
        }
        if class.contains(value) {
            return Ok(Value::int(value as i64));
        }
        if function == Library::Atoi {
            return undefined(
                UbKind::NumberRange,
                format!("{value} does not fit the type of the result"),
            );
        }
        self.fail(ERANGE)?;
        Ok(Value::int(if parsed.negative { class.min() as i64 } else { class.max() as i64 }))
    }

    fn store_end(&mut self, pointer: Value, end: Value) -> Checked {
        if (pointer.low, pointer.high) == (0, 0) {
            return Ok(());
        }
        let size = self.program.target.pointer.size;
        let at = self.memory.locate(pointer, u64::from(size), size)?;
        self.check_writable(at)?;
        self.memory.write(at, size, end.low.into(), end.high)?;
        Ok(())
    }

    fn floating_number(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        text: &[u8],
        result: TypeId,
    ) -> Checked<Value> {
        let format = self.float_format(result)?;
        let start = blank(text);
        let (length, bits, exact) = match parse_real(&text[start..]) {
            Some((_, Real { size: Size::Nan, .. })) => return unsupported("strtod of a NaN"),
            Some((length, real)) => {
                let (bits, exact) = real.encode(format);
                (start + length, bits, exact)
            }
            None => (0, 0, true),
        };
        if function == Library::Strtod {
            let end = moved(argument(arguments, 0)?, length as u64);
            self.store_end(argument(arguments, 1)?, end)?;
        } else if !exact {
            return undefined(
                UbKind::NumberRange,
                "the number does not fit the type of the result",
            );
        }
        let number = Number::decode(format, bits);
        if number.is_subnormal(format) || number.is_zero() && !exact {
            // C11 7.22.1.3p10: whether errno is set then is left open.
            self.fail(ERANGE)?;
            self.disturb_errno()?;
        } else if !exact {
            self.fail(ERANGE)?;
        }
        Ok(Value::wide(bits))
    }
}

impl Real {
    /// The bits of the nearest value, and whether the number is in the range of the format.
    pub(super) fn encode(&self, format: FloatFormat) -> (u128, bool) {
        let (digits, base, power, five) = match &self.size {
            Size::Nan => return (nan(format, 0), true),
            Size::Infinite => {
                let infinite = Number { negative: self.negative, magnitude: Magnitude::Infinite };
                return (infinite.encode(format, false), true);
            }
            Size::Decimal(digits, power) => (digits, 10, *power, true),
            Size::Hexadecimal(digits, power) => (digits, 16, *power, false),
        };
        // Far outside every format the exact power makes no difference.
        let power = power.clamp(-20_000, 20_000);
        let mut whole: Vec<u32> = Vec::new();
        for digit in digits {
            let digit = char::from(*digit).to_digit(16).expect("a digit");
            multiply(&mut whole, base, digit);
        }
        let mut exponent = power;
        let mut sticky = false;
        if five && power >= 0 {
            (0..power).for_each(|_| multiply(&mut whole, 5, 0));
        } else if five {
            // Enough bits that the quotient has all those of the widest format.
            let words = 8 + power.unsigned_abs() as usize * 3 / 32 + 1;
            whole.splice(0..0, std::iter::repeat_n(0, words));
            exponent -= 32 * words as i64;
            (0..-power).for_each(|_| sticky |= divide(&mut whole, 5));
        }
        while whole.last() == Some(&0) {
            whole.pop();
        }
        // The highest 120 bits or so.
        let dropped = whole.len().saturating_sub(4);
        sticky |= whole[..dropped].iter().any(|word| *word != 0);
        let top =
            whole[dropped..].iter().rev().fold(0_u128, |top, word| top << 32 | u128::from(*word));
        let (mut top, mut exponent) = (top, exponent + 32 * dropped as i64);
        // The highest bit is the highest of the word.
        if let (Some(next), room @ 1..32) = (dropped.checked_sub(1), top.leading_zeros()) {
            top = top << room | u128::from(whole[next] >> (32 - room));
            exponent -= i64::from(room);
        }
        if top != 0 && top.leading_zeros() == 0 {
            sticky |= top & 1 == 1;
            (top, exponent) = (top >> 1, exponent + 1);
        }
        let magnitude = Magnitude::Finite {
            mantissa: top << 1 | u128::from(sticky),
            exponent: (exponent - 1).clamp(-100_000, 100_000) as i32,
        };
        let bits = Number { negative: self.negative, magnitude }.encode(format, sticky);
        let number = Number::decode(format, bits);
        let lost = number.magnitude == Magnitude::Infinite || number.is_zero() && top != 0;
        (bits, !lost)
    }
}

/// `number * factor + more`, the lowest word first.
fn multiply(number: &mut Vec<u32>, factor: u32, more: u32) {
    let mut carry = u64::from(more);
    for word in number.iter_mut() {
        let product = u64::from(*word) * u64::from(factor) + carry;
        *word = product as u32;
        carry = product >> 32;
    }
    if carry != 0 {
        number.push(carry as u32);
    }
}

/// Divides, and says whether something is left over.
fn divide(number: &mut [u32], divisor: u32) -> bool {
    let mut rest = 0_u64;
    for word in number.iter_mut().rev() {
        let dividend = rest << 32 | u64::from(*word);
        *word = (dividend / u64::from(divisor)) as u32;
        rest = dividend % u64::from(divisor);
    }
    rest != 0
}

fn blank(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count()
}

pub(super) fn parse_integer(text: &[u8], base: u32) -> Parsed {
    let nothing = Parsed { negative: false, magnitude: 0, length: 0 };
    let mut at = blank(text);
    let negative = text.get(at) == Some(&b'-');
    at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let hexadecimal = text.get(at) == Some(&b'0')
        && matches!(text.get(at + 1), Some(b'x' | b'X'))
        && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    let base = match base {
        0 | 16 if hexadecimal => {
            at += 2;
            16
        }
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    let start = at;
    let mut magnitude: u128 = 0;
    while let Some(digit) = text.get(at).and_then(|byte| char::from(*byte).to_digit(base)) {
        magnitude = magnitude.saturating_mul(base.into()).saturating_add(digit.into());
        at += 1;
    }
    if at == start { nothing } else { Parsed { negative, magnitude, length: at } }
}

/// The number at the start of a text, without blanks, and its length, C11 7.22.1.3p3.
pub(super) fn parse_real(text: &[u8]) -> Option<(usize, Real)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let rest = &text[start..];
    let begins =
        |word: &[u8]| rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word);
    for (word, size) in
        [(&b"infinity"[..], Size::Infinite), (b"inf", Size::Infinite), (b"nan", Size::Nan)]
    {
        if begins(word) {
            return Some((start + word.len(), Real { negative, size }));
        }
    }
    let hexadecimal = begins(b"0x")
        && rest[2..].iter().find(|byte| **byte != b'.').is_some_and(u8::is_ascii_hexdigit)
        && !rest[2..].starts_with(b"..");
    let (mut at, base) = if hexadecimal { (2, 16) } else { (0, 10) };
    let mut digits = Vec::new();
    let mut places = None;
    while let Some(&byte) = rest.get(at) {
        if byte == b'.' && places.is_none() {
            places = Some(0);
        } else if char::from(byte).is_digit(base) {
            digits.push(byte);
            places = places.map(|places| places + 1);
        } else {
            break;
        }
        at += 1;
    }
    if digits.is_empty() {
        return None;
    }
    let mut power = 0_i64;
    let letter = if hexadecimal { b'p' } else { b'e' };
    if rest.get(at).is_some_and(|byte| byte.to_ascii_lowercase() == letter) {
        let sign = usize::from(matches!(rest.get(at + 1), Some(b'-' | b'+')));
        let first = at + 1 + sign;
        let count = rest[first.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
        if count > 0 {
            for digit in &rest[first..first + count] {
                power = (power * 10 + i64::from(digit - b'0')).min(1 << 40);
            }
            if rest[at + 1] == b'-' {
                power = -power;
            }
            at = first + count;
        }
    }
    let places = places.unwrap_or(0);
    let size = match hexadecimal {
        true => Size::Hexadecimal(digits, power - 4 * places),
        false => Size::Decimal(digits, power - places),
    };
    Some((start + at, Real { negative, size }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (text, base, value, length) in [
            ("  -42x", 10, -42, 5),
            ("0x1fg", 0, 31, 4),
            ("0xg", 16, 0, 1),
            ("077", 0, 63, 3),
            ("zz", 36, 35 * 36 + 35, 2),
            ("+", 10, 0, 0),
            ("", 10, 0, 0),
        ] {
            let parsed = parse_integer(text.as_bytes(), base);
            let found = if parsed.negative {
                -(parsed.magnitude as i128)
            } else {
                parsed.magnitude as i128
            };
            assert_eq!((found, parsed.length), (value, length), "{text}");
        }
    }

    #[test]
    fn reals() {
        for (text, length, value) in [
            ("1.5e3x", 5, 1500.0_f64),
            (".5", 2, 0.5),
            ("1e", 1, 1.0),
            ("-2.", 3, -2.0),
            ("0x1.8p3", 7, 12.0),
            ("0x.1", 4, 0.0625),
            ("0xg", 1, 0.0),
            ("-inf", 4, f64::NEG_INFINITY),
            ("Infinity", 8, f64::INFINITY),
            ("1e400", 5, f64::INFINITY),
            ("1e-400", 6, 0.0),
            ("0.1", 3, 0.1),
            ("2.2250738585072011e-308", 23, 2.225_073_858_507_201e-308),
            ("9007199254740993", 16, 9007199254740992.0),
            ("9007199254740993.00000000000000000000001", 40, 9007199254740994.0),
            ("4.9e-324", 8, 4.9e-324),
            ("2.4e-324", 8, 2.4e-324),
            ("1.7976931348623158e308", 22, 1.7976931348623158e308),
            ("0.000000000000000000000000000000123456789012345678", 50, 1.234_567_890_123_456_8e-31),
            ("-0", 2, -0.0),
        ] {
            let (found, real) = parse_real(text.as_bytes()).expect(text);
            assert_eq!(found, length, "{text}");
            assert_eq!(real.encode(FloatFormat::Double).0, value.to_bits().into(), "{text}");
            let single = real.encode(FloatFormat::Single).0 as u32;
            if length == text.len() && !text.contains('x') {
                let wanted: f32 = text.parse().expect("a number");
                assert_eq!(single, wanted.to_bits(), "{text}");
            }
        }
        assert_eq!(parse_real(b"."), None);
        assert_eq!(parse_real(b"-"), None);
    }
}
