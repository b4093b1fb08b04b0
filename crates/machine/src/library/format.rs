//! `printf`, C11 7.21.6.1.

use farrier_lang::{IntKind, Type, TypeId};

use super::{Arguments, argument};
use crate::kinds::{Cause, UbKind};
use crate::run::Machine;
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{Step, undefined, unspecified, unsupported};

/// One conversion: flags, width, precision.
#[derive(Clone, Copy, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

impl Machine<'_> {
    /// The text that a format and the arguments behind it make; the format is the
    /// argument with index `format`.
    pub(super) fn format(&mut self, arguments: Arguments<'_>, format: usize) -> Step<Vec<u8>> {
        let template = self.string(argument(arguments, format)?)?;
        let mut next = format + 1;
        let mut text = Vec::new();
        let mut at = 0;
        while at < template.len() {
            let byte = template[at];
            at += 1;
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            if template.get(at) == Some(&b'%') {
                text.push(b'%');
                at += 1;
                continue;
            }
            at = self.conversion(&template, at, arguments, &mut next, &mut text)?;
        }
        Ok(text)
    }

    fn conversion(
        &mut self,
        template: &[u8],
        mut at: usize,
        arguments: Arguments<'_>,
        next: &mut usize,
        text: &mut Vec<u8>,
    ) -> Step<usize> {
        let mut conversion = Conversion::default();
        while let Some(flag) = template.get(at) {
            match flag {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'#' => conversion.alternative = true,
                b'0' => conversion.zero = true,
                _ => break,
            }
            at += 1;
        }
        let (width, after) = self.number(template, at, arguments, next)?;
        at = after;
        if let Some(width) = width {
            conversion.left |= width < 0;
            conversion.width = width.unsigned_abs() as usize;
        }
        if template.get(at) == Some(&b'.') {
            let (precision, after) = self.number(template, at + 1, arguments, next)?;
            at = after;
            conversion.precision = match precision {
                Some(number) if number < 0 => None,
                Some(number) => Some(number as usize),
                None => Some(0),
            };
        }
        if conversion.width > 1 << 20 || conversion.precision.is_some_and(|p| p > 1 << 20) {
            return unsupported("a field of printf wider than a million characters");
        }
        let start = at;
        while matches!(template.get(at), Some(b'h' | b'l' | b'j' | b'z' | b't' | b'L')) {
            at += 1;
        }
        let length = &template[start..at];
        let Some(&letter) = template.get(at) else {
            return undefined(UbKind::BadFormat, "the format ends inside a conversion");
        };
        at += 1;
        let Some((value, ty)) = arguments.get(*next).copied() else {
            return undefined(
                UbKind::BadFormat,
                format!("there is no argument for `%{}`", char::from(letter)),
            );
        };
        *next += 1;
        match letter {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => {
                self.integer(letter, length, conversion, value, ty, text)?;
            }
            b's' => {
                if !self.is_pointer(ty) {
                    return self.mismatch(letter, ty);
                }
                let mut string = self.limited_string(value, conversion.precision)?;
                if let Some(precision) = conversion.precision {
                    string.truncate(precision);
                }
                pad(text, &string, conversion.width, conversion.left);
            }
            b'p' => {
                return unspecified(Cause::Address, "an address is printed");
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                self.floating(letter, length, conversion, value, ty, text)?;
            }
            b'n' => return unsupported("%n of printf"),
            _ => return unsupported(format!("the conversion %{} of printf", char::from(letter))),
        }
        Ok(at)
    }

    fn mismatch<T>(&self, letter: u8, ty: TypeId) -> Step<T> {
        undefined(
            UbKind::BadFormat,
            format!(
                "`%{}` gets an argument of type `{}`",
                char::from(letter),
                farrier_lang::print::type_text(self.program, ty)
            ),
        )
    }

    fn limited_string(&self, pointer: Value, limit: Option<usize>) -> Step<Vec<u8>> {
        let Some(limit) = limit else { return self.string(pointer) };
        let mut bytes = Vec::new();
        while bytes.len() < limit {
            let at = Value { low: pointer.low + bytes.len() as u64, high: pointer.high };
            let location = self.memory.locate(at, 1, 1)?;
            let (byte, _) = self.memory.read(location, 1)?;
            if byte == 0 {
                break;
            }
            bytes.push(byte as u8);
        }
        Ok(bytes)
    }

    /// A number in the format, or `*` for an argument.
    fn number(
        &self,
        template: &[u8],
        mut at: usize,
        arguments: Arguments<'_>,
        next: &mut usize,
    ) -> Step<(Option<i64>, usize)> {
        if template.get(at) == Some(&b'*') {
            let value = argument(arguments, *next)?.low as i32;
            *next += 1;
            return Ok((Some(i64::from(value)), at + 1));
        }
        let start = at;
        while template.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        let digits = std::str::from_utf8(&template[start..at]).unwrap_or("");
        Ok((digits.parse().ok(), at))
    }

    fn integer(
        &self,
        letter: u8,
        length: &[u8],
        conversion: Conversion,
        value: Value,
        ty: TypeId,
        text: &mut Vec<u8>,
    ) -> Step {
        let target = self.program.target;
        let kind = match length {
            b"" | b"h" | b"hh" => IntKind::Int,
            b"l" => IntKind::Long,
            b"ll" | b"j" | b"L" => IntKind::LongLong,
            b"z" => target.size_type,
            b"t" => target.ptrdiff_type,
            _ => return unsupported("this length of printf"),
        };
        let given = match self.program.integer_class(ty) {
            Some(Type::Int(given)) => given,
            _ => return self.mismatch(letter, ty),
        };
        // Types of the same width print the same; other widths are undefined.
        if target.int_bits(given) != target.int_bits(kind) {
            return self.mismatch(letter, ty);
        }
        if value.high != 0 {
            return unspecified(Cause::Address, "a number that depends on an address is printed");
        }
        if letter == b'c' {
            pad(text, &[value.low as u8], conversion.width, conversion.left);
            return Ok(());
        }
        let bits = match length {
            b"h" => 16,
            b"hh" => 8,
            _ => target.int_bits(kind) as u8,
        };
        let signed = matches!(letter, b'd' | b'i');
        let number = wrap(value.low, signed, bits);
        let negative = signed && (number as i64) < 0;
        let magnitude = if negative { (number as i64).unsigned_abs() } else { number };
        let mut digits = match letter {
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            b'o' => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        if conversion.precision == Some(0) && magnitude == 0 {
            digits.clear();
        }
        if let Some(precision) = conversion.precision {
            while digits.len() < precision {
                digits.insert(0, '0');
            }
        }
        let mut prefix = String::new();
        if negative {
            prefix.push('-');
        } else if signed && conversion.plus {
            prefix.push('+');
        } else if signed && conversion.space {
            prefix.push(' ');
        }
        if conversion.alternative && magnitude != 0 {
            match letter {
                b'x' => prefix.push_str("0x"),
                b'X' => prefix.push_str("0X"),
                _ => {}
            }
        }
        if conversion.alternative && letter == b'o' && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        if conversion.zero && !conversion.left && conversion.precision.is_none() {
            while prefix.len() + digits.len() < conversion.width {
                digits.insert(0, '0');
            }
        }
        prefix.push_str(&digits);
        pad(text, prefix.as_bytes(), conversion.width, conversion.left);
        Ok(())
    }

    fn floating(
        &self,
        letter: u8,
        length: &[u8],
        conversion: Conversion,
        value: Value,
        ty: TypeId,
        text: &mut Vec<u8>,
    ) -> Step {
        if length == b"L" {
            return unsupported("printing long double");
        }
        if Scalar::of(self.program, ty) != Some(Scalar::Double) {
            return self.mismatch(letter, ty);
        }
        let number = f64::from_bits(value.low);
        let magnitude = number.abs();
        let precision = conversion.precision.unwrap_or(6);
        let mut digits = if magnitude.is_nan() {
            "nan".to_owned()
        } else if magnitude.is_infinite() {
            "inf".to_owned()
        } else {
            match letter.to_ascii_lowercase() {
                b'f' => format!("{magnitude:.precision$}"),
                b'e' => exponent_form(magnitude, precision),
                _ => general_form(magnitude, precision, conversion.alternative),
            }
        };
        if letter.is_ascii_uppercase() {
            digits.make_ascii_uppercase();
        }
        let sign = if number.is_sign_negative() {
            "-"
        } else if conversion.plus {
            "+"
        } else if conversion.space {
            " "
        } else {
            ""
        };
        if conversion.zero && !conversion.left && magnitude.is_finite() {
            while sign.len() + digits.len() < conversion.width {
                digits.insert(0, '0');
            }
        }
        let whole = format!("{sign}{digits}");
        pad(text, whole.as_bytes(), conversion.width, conversion.left);
        Ok(())
    }
}

/// `%e`: an exponent of at least two digits.
fn exponent_form(magnitude: f64, precision: usize) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%g`: the shorter of the two forms, without zeros at the end.
fn general_form(magnitude: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    let exponential = exponent_form(magnitude, precision - 1);
    let exponent: i64 =
        exponential.split_once('e').and_then(|(_, digits)| digits.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep_zeros || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if exponent < -4 || exponent >= precision as i64 {
        let (mantissa, exponent) = exponential.split_once('e').unwrap_or((&exponential, "+00"));
        format!("{}e{exponent}", trim(mantissa))
    } else {
        let decimals = (precision as i64 - 1 - exponent).max(0) as usize;
        trim(&format!("{magnitude:.decimals$}"))
    }
}

fn pad(text: &mut Vec<u8>, content: &[u8], width: usize, left: bool) {
    let missing = width.saturating_sub(content.len());
    if !left {
        text.resize(text.len() + missing, b' ');
    }
    text.extend_from_slice(content);
    if left {
        text.resize(text.len() + missing, b' ');
    }
}
