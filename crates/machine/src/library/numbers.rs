//! Text to numbers, C11 7.22.1.

use farrier_lang::TypeId;

use super::strings::moved;
use super::{Arguments, Library, argument};
use crate::kinds::UbKind;
use crate::run::Machine;
use crate::value::Value;
use crate::verdict::{Checked, undefined, unsupported};

/// An integer read from text.
struct Parsed {
    negative: bool,
    /// The magnitude; the largest number if it does not fit.
    magnitude: u128,
    /// How many bytes were read; zero if there is no number.
    length: usize,
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
            return self.floating_number(function, arguments, &text);
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
    ) -> Checked<Value> {
        let Some((length, value)) = parse_double(text) else {
            return unsupported("hexadecimal numbers, infinities and NaN in strtod");
        };
        if function == Library::Strtod {
            let end = moved(argument(arguments, 0)?, length as u64);
            self.store_end(argument(arguments, 1)?, end)?;
        }
        Ok(Value { low: value.to_bits(), high: 0 })
    }
}

fn blank(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count()
}

fn parse_integer(text: &[u8], base: u32) -> Parsed {
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

/// The number at the start of a text and its length; `None` for forms that are not
/// decimal numbers.
fn parse_double(text: &[u8]) -> Option<(usize, f64)> {
    let start = blank(text);
    let mut at = start + usize::from(matches!(text.get(start), Some(b'-' | b'+')));
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    match text.get(at)? {
        b'i' | b'I' | b'n' | b'N' => return None,
        b'0' if matches!(text.get(at + 1), Some(b'x' | b'X')) => return None,
        _ => {}
    }
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return Some((0, 0.0));
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let power = text.get(at + 1 + sign..).map_or(0, |_| digits(at + 1 + sign));
        if power > 0 {
            at += 1 + sign + power;
        }
    }
    let number = std::str::from_utf8(&text[start..at]).ok()?;
    Some((at, number.parse().ok()?))
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
    fn doubles() {
        for (text, length, value) in [
            ("1.5e3x", 5, 1500.0),
            (" .5", 3, 0.5),
            ("1e", 1, 1.0),
            ("-2.", 3, -2.0),
            (".", 0, 0.0),
        ] {
            assert_eq!(parse_double(text.as_bytes()), Some((length, value)), "{text}");
        }
        assert_eq!(parse_double(b"0x10"), None);
        assert_eq!(parse_double(b"inf"), None);
    }
}
