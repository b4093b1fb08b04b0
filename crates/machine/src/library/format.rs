//! `printf`, C11 7.21.6.1.

use farrier_lang::target::FloatFormat;
use farrier_lang::{FloatKind, IntKind, Type, TypeId};

use super::decimal::{Decimal, hexadecimal};
use super::floats::{Magnitude, Number};
use super::{Arguments, argument};
use crate::kinds::{Cause, UbKind};
use crate::run::Machine;
use crate::underspecified;
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{Checked, Stop, undefined, unspecified, unsupported};

/// One conversion: flags, width, precision.
#[derive(Clone, Copy, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    /// Whether there is a width.
    sized: bool,
    width: usize,
    precision: Option<usize>,
}

/// What a format makes.
#[derive(Debug, Default)]
pub(super) struct Formatted {
    pub(super) text: Vec<u8>,
    /// The strings that were read: where they start, and how many bytes of them.
    pub(super) read: Vec<(Value, u64)>,
    /// Whether something in the text is left open.
    pub(super) open: Option<Box<Stop>>,
}

impl Machine<'_> {
    /// The text that a format and the arguments after it make; the format is the
    /// argument with index `format`.
    pub(super) fn format(&mut self, arguments: Arguments<'_>, format: usize) -> Checked<Formatted> {
        let pointer = argument(arguments, format)?;
        let template = self.string(pointer)?;
        let read = vec![(pointer, template.len() as u64 + 1)];
        let mut formatted = Formatted { read, ..Formatted::default() };
        let mut next = format + 1;
        let mut at = 0;
        while at < template.len() {
            let byte = template[at];
            at += 1;
            if byte != b'%' {
                formatted.text.push(byte);
                continue;
            }
            if template.get(at) == Some(&b'%') {
                formatted.text.push(b'%');
                at += 1;
                continue;
            }
            at = self.conversion(&template, at, arguments, &mut next, &mut formatted)?;
        }
        Ok(formatted)
    }

    fn conversion(
        &mut self,
        template: &[u8],
        mut at: usize,
        arguments: Arguments<'_>,
        next: &mut usize,
        formatted: &mut Formatted,
    ) -> Checked<usize> {
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
        conversion.sized = width.is_some();
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
        while matches!(template.get(at), Some(b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q')) {
            at += 1;
        }
        let length = &template[start..at];
        let Some(&letter) = template.get(at) else {
            return undefined(UbKind::BadFormat, "the format ends inside a conversion");
        };
        at += 1;
        let spelled = String::from_utf8_lossy(&template[start..at]).into_owned();
        if let Some(problem) = conversion.problem(letter, length) {
            return undefined(
                UbKind::BadFormat,
                format!("{problem} has no meaning for `%{}`", char::from(letter)),
            );
        }
        if !b"diouxXaAeEfFgGcspn".contains(&letter) {
            // What glibc, POSIX and C23 add.
            return if b"mCSbBI'".contains(&letter) {
                unsupported(format!("the conversion `%{}` of printf", char::from(letter)))
            } else {
                undefined(UbKind::BadFormat, format!("`%{spelled}` is no conversion"))
            };
        }
        let Some((value, ty)) = arguments.get(*next).copied() else {
            return undefined(UbKind::BadFormat, format!("there is no argument for `%{spelled}`"));
        };
        *next += 1;
        let outcome = self.converted(&spelled, conversion, (value, ty), formatted);
        match outcome {
            // It matters only if the text can be seen.
            Err(stop) if matches!(*stop, Stop::Unspecified(..)) => {
                formatted.open.get_or_insert(stop);
                Ok(at)
            }
            outcome => outcome.map(|()| at),
        }
    }

    /// Appends the text of one conversion.
    fn converted(
        &mut self,
        spelled: &str,
        conversion: Conversion,
        (value, ty): (Value, TypeId),
        formatted: &mut Formatted,
    ) -> Checked {
        let (length, letter) = split(spelled);
        let text = &mut formatted.text;
        match letter {
            b'c' | b's' if !length.is_empty() => return unsupported("wide text in printf"),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => {
                self.integer(spelled, conversion, value, ty, text)?;
            }
            b's' => {
                if !self.is_text(ty) {
                    return self.mismatch(spelled, ty);
                }
                self.check_area(value)?;
                let limit = conversion.precision.map_or(u64::MAX, |limit| limit as u64);
                let string = self.string_up_to(value, limit)?;
                let length = string.len() as u64;
                formatted.read.push((value, length + u64::from(length < limit)));
                pad(text, &string, conversion.width, conversion.left);
            }
            b'p' => {
                return unspecified(Cause::Address, "an address is printed");
            }
            b'n' if formatted.open.is_some() => {
                return unsupported("the length of a text that is left open");
            }
            b'n' => self.store_count(spelled, value, ty, text.len())?,
            _ => self.floating(spelled, conversion, value, ty, text)?,
        }
        Ok(())
    }

    /// An argument of a wrong type; `conversion` is its length and its letter.
    pub(super) fn mismatch<T>(&self, conversion: &str, ty: TypeId) -> Checked<T> {
        undefined(
            UbKind::BadFormat,
            format!(
                "`%{conversion}` gets an argument of type `{}`",
                farrier_lang::print::type_text(self.program, ty)
            ),
        )
    }

    /// Whether a type points to characters; `void *` is as good.
    pub(super) fn is_text(&self, ty: TypeId) -> bool {
        let Some(pointee) = self.program.pointee(ty) else { return false };
        match self.program.resolve(pointee) {
            Type::Void => true,
            Type::Int(kind) => {
                matches!(kind, IntKind::Char | IntKind::SChar | IntKind::UChar)
            }
            _ => false,
        }
    }

    /// A number in the format, or `*` for an argument.
    fn number(
        &self,
        template: &[u8],
        mut at: usize,
        arguments: Arguments<'_>,
        next: &mut usize,
    ) -> Checked<(Option<i64>, usize)> {
        if template.get(at) == Some(&b'*') {
            let Some((value, ty)) = arguments.get(*next).copied() else {
                return undefined(UbKind::BadFormat, "there is no argument for `*`");
            };
            let class = self.program.integer_class(ty);
            if !matches!(class, Some(Type::Int(IntKind::Int | IntKind::UInt))) {
                return self.mismatch("*", ty);
            }
            if value.high != 0 {
                return underspecified::tainted(value, "a width that depends on an address");
            }
            let value = value.low as i32;
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
        spelled: &str,
        conversion: Conversion,
        value: Value,
        ty: TypeId,
        text: &mut Vec<u8>,
    ) -> Checked {
        let target = self.program.target;
        let (length, letter) = split(spelled);
        let kind = self.integer_of_length(length)?;
        let given = match self.program.integer_class(ty) {
            Some(Type::Int(given)) => given,
            _ => return self.mismatch(spelled, ty),
        };
        // Types of the same width print the same; other widths are undefined.
        if target.int_bits(given) != target.int_bits(kind) {
            return self.mismatch(spelled, ty);
        }
        if value.high != 0 {
            return underspecified::tainted(
                value,
                "a number that depends on an address is printed",
            );
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
        spelled: &str,
        conversion: Conversion,
        value: Value,
        ty: TypeId,
        text: &mut Vec<u8>,
    ) -> Checked {
        let (length, letter) = split(spelled);
        let long = *self.program.resolve(ty) == Type::Float(FloatKind::LongDouble);
        let double = *self.program.resolve(ty) == Type::Float(FloatKind::Double);
        let format = match (length, Scalar::of(self.program, ty)) {
            (b"" | b"l", Some(Scalar::Double)) if double => FloatFormat::Double,
            (b"" | b"l", Some(Scalar::Single)) if double => FloatFormat::Single,
            (b"L", Some(Scalar::Double)) if long => FloatFormat::Double,
            (b"L", Some(Scalar::Single)) if long => FloatFormat::Single,
            (b"L", Some(Scalar::Float(format))) if long => format,
            (b"" | b"l" | b"L", _) => return self.mismatch(spelled, ty),
            _ => return unsupported("this length of printf"),
        };
        let number = Number::decode(format, value.bits());
        let point = conversion.alternative;
        let mut digits = match number.magnitude {
            Magnitude::Nan if underspecified::is_nan(value.high) => {
                return underspecified::tainted(value, "");
            }
            Magnitude::Nan => "nan".to_owned(),
            Magnitude::Infinite => "inf".to_owned(),
            Magnitude::Finite { mantissa, exponent } => {
                let precision = conversion.precision.unwrap_or(6);
                let exact = || Decimal::exact(mantissa, exponent);
                match letter.to_ascii_lowercase() {
                    b'f' => exact().fixed(precision, point),
                    b'e' => exact().exponential(precision, point),
                    b'g' => exact().general(precision, point),
                    _ => {
                        let (bits, lead) = match format {
                            FloatFormat::Double => (53, 1),
                            FloatFormat::X87 if !number.is_subnormal(format) => (64, 4),
                            _ => return unsupported("%a of this floating value"),
                        };
                        hexadecimal(mantissa, exponent, bits, lead, conversion.precision, point)
                    }
                }
            }
        };
        if letter.is_ascii_uppercase() {
            digits.make_ascii_uppercase();
        }
        let sign = if number.negative {
            "-"
        } else if conversion.plus {
            "+"
        } else if conversion.space {
            " "
        } else {
            ""
        };
        let finite = matches!(number.magnitude, Magnitude::Finite { .. });
        if conversion.zero && !conversion.left && finite {
            // The zeros come after the 0x of a hexadecimal number.
            let at = if letter.eq_ignore_ascii_case(&b'a') { 2 } else { 0 };
            let missing = conversion.width.saturating_sub(sign.len() + digits.len());
            digits.insert_str(at, &"0".repeat(missing));
        }
        let whole = format!("{sign}{digits}");
        pad(text, whole.as_bytes(), conversion.width, conversion.left);
        Ok(())
    }

    /// `%n`: how many bytes were written so far.
    fn store_count(&mut self, spelled: &str, pointer: Value, ty: TypeId, count: usize) -> Checked {
        let (length, _) = split(spelled);
        let kind = match length {
            b"hh" => IntKind::SChar,
            b"h" => IntKind::Short,
            _ => self.integer_of_length(length)?,
        };
        let pointee = self.program.pointee(ty).and_then(|to| self.program.integer_class(to));
        if !matches!(pointee, Some(Type::Int(given)) if given.to_unsigned() == kind.to_unsigned()) {
            return self.mismatch(spelled, ty);
        }
        let size = self.program.target.int_bits(kind) / 8;
        let at = self.memory.locate(pointer, u64::from(size), size)?;
        self.check_writable(at)?;
        self.memory.write(at, size, count as u128, 0)?;
        Ok(())
    }

    pub(super) fn integer_of_length(&self, length: &[u8]) -> Checked<IntKind> {
        let target = self.program.target;
        Ok(match length {
            b"" | b"h" | b"hh" => IntKind::Int,
            b"l" => IntKind::Long,
            b"ll" | b"j" | b"q" => IntKind::LongLong,
            b"z" => target.size_type,
            b"t" => target.ptrdiff_type,
            _ => return unsupported("this length of printf"),
        })
    }
}

impl Conversion {
    /// What stands in the conversion and has no meaning there, C11 7.21.6.1p5 to p8.
    fn problem(&self, letter: u8, length: &[u8]) -> Option<&'static str> {
        let numeric = b"diouxXaAeEfFgG".contains(&letter);
        let any = self.left || self.plus || self.space || self.alternative || self.zero;
        if letter == b'%' {
            return Some("a flag, a width, a precision or a length");
        }
        if !numeric && !b"cspn".contains(&letter) {
            None
        } else if letter == b'n' && (any || self.sized) {
            Some("a flag or a width")
        } else if self.alternative && (!numeric || b"diu".contains(&letter)) {
            Some("the flag `#`")
        } else if self.zero && !numeric {
            Some("the flag `0`")
        } else if self.precision.is_some() && !numeric && letter != b's' {
            Some("a precision")
        } else if !length_fits(letter, length) {
            Some("this length")
        } else {
            None
        }
    }
}

/// Whether a length has a meaning for a conversion, C11 7.21.6.1p7.
fn length_fits(letter: u8, length: &[u8]) -> bool {
    match (letter, length) {
        (_, b"") => true,
        (b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n', length) => {
            matches!(length, b"hh" | b"h" | b"l" | b"ll" | b"j" | b"z" | b"t" | b"q")
        }
        (b'c' | b's', length) => length == b"l",
        (b'p', _) => false,
        (_, length) => length == b"l" || length == b"L",
    }
}

/// The length and the letter of a conversion.
fn split(spelled: &str) -> (&[u8], u8) {
    let (letter, length) = spelled.as_bytes().split_last().expect("a conversion has a letter");
    (length, *letter)
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
