//! `scanf`, C11 7.21.6.2.

use farrier_lang::target::FloatFormat;
use farrier_lang::{FloatKind, IntKind, Type, TypeId};

use super::files::{EOF, Stream};
use super::numbers::{Real, parse_real};
use super::{Arguments, Library, argument};
use crate::kinds::{Cause, UbKind};
use crate::run::Machine;
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, undefined, unspecified, unsupported};

/// Where the characters come from.
enum Source {
    Stream(Stream),
    /// A string, and how much of it was read.
    Text {
        pointer: Value,
        bytes: Vec<u8>,
        at: usize,
    },
}

/// How a directive ends.
#[derive(PartialEq, Eq)]
enum Outcome {
    Fits,
    /// The input does not fit.
    Fails,
    /// There is no input.
    Ends,
}

/// One conversion of the format.
struct Conversion {
    /// Whether the result is thrown away.
    suppressed: bool,
    width: Option<usize>,
    /// The length and the letter.
    spelled: String,
    /// The characters of `%[`, and whether those are the ones that end it.
    set: Vec<u8>,
    excluded: bool,
}

impl Conversion {
    fn letter(&self) -> u8 {
        self.spelled.bytes().last().expect("a conversion has a letter")
    }

    fn length(&self) -> &[u8] {
        &self.spelled.as_bytes()[..self.spelled.len() - 1]
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Machine<'_> {
    pub(super) fn scan_function(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
    ) -> Checked<Value> {
        use Library::*;
        let (format, list) = match function {
            Scanf => (0, false),
            Vscanf => (0, true),
            Fscanf | Sscanf => (1, false),
            _ => (1, true),
        };
        let mut source = match function {
            Scanf | Vscanf => Source::Stream(Stream::INPUT),
            Fscanf | Vfscanf => Source::Stream(self.stream(argument(arguments, 0)?)?),
            _ => {
                let pointer = argument(arguments, 0)?;
                Source::Text { pointer, bytes: self.string(pointer)?, at: 0 }
            }
        };
        let template = self.string(argument(arguments, format)?)?;
        let values = match list {
            true => self.take_list(argument(arguments, format + 1)?)?,
            false => arguments[format + 1..].to_vec(),
        };
        let result = self.scan(&mut source, &template, &values)?;
        self.disturb_errno()?;
        Ok(Value::int(result))
    }

    /// The number of assignments, or EOF.
    fn scan(
        &mut self,
        source: &mut Source,
        template: &[u8],
        values: Arguments<'_>,
    ) -> Checked<i64> {
        let (mut at, mut next) = (0, 0);
        let (mut assigned, mut converted) = (0, 0);
        let mut taken = 0;
        while let Some(&byte) = template.get(at) {
            at += 1;
            if is_space(byte) {
                taken += self.skip_space(source)?;
                continue;
            }
            let outcome = if byte != b'%' {
                self.literal(source, byte, &mut taken)?
            } else if template.get(at) == Some(&b'%') {
                at += 1;
                taken += self.skip_space(source)?;
                self.literal(source, b'%', &mut taken)?
            } else {
                let conversion = parse(template, &mut at)?;
                let destination = if conversion.suppressed {
                    None
                } else {
                    let Some(value) = values.get(next) else {
                        return undefined(
                            UbKind::BadFormat,
                            format!("there is no argument for `%{}`", conversion.spelled),
                        );
                    };
                    next += 1;
                    self.check_destination(&conversion, value.1)?;
                    Some(*value)
                };
                if conversion.letter() == b'n' {
                    if let Some((pointer, _)) = destination {
                        let kind = self.kind_of(&conversion)?;
                        self.store_integer(pointer, kind, taken as i128, source)?;
                    }
                    continue;
                }
                let outcome = self.convert_input(source, &conversion, destination, &mut taken)?;
                if outcome == Outcome::Fits {
                    converted += 1;
                    assigned += i64::from(destination.is_some());
                }
                outcome
            };
            match outcome {
                Outcome::Fits => {}
                Outcome::Ends if converted == 0 => return Ok(EOF),
                _ => break,
            }
        }
        Ok(assigned)
    }

    fn peek_input(&mut self, source: &Source) -> Checked<Option<u8>> {
        match source {
            Source::Stream(stream) => self.peek(*stream),
            Source::Text { bytes, at, .. } => Ok(bytes.get(*at).copied()),
        }
    }

    fn take_input(&mut self, source: &mut Source) -> Checked {
        match source {
            Source::Stream(stream) => self.next_byte(*stream).map(drop),
            Source::Text { at, .. } => {
                *at += 1;
                Ok(())
            }
        }
    }

    fn skip_space(&mut self, source: &mut Source) -> Checked<usize> {
        let mut count = 0;
        while self.peek_input(source)?.is_some_and(is_space) {
            self.take_input(source)?;
            count += 1;
        }
        Ok(count)
    }

    fn literal(&mut self, source: &mut Source, byte: u8, taken: &mut usize) -> Checked<Outcome> {
        match self.peek_input(source)? {
            None => Ok(Outcome::Ends),
            Some(found) if found == byte => {
                self.take_input(source)?;
                *taken += 1;
                Ok(Outcome::Fits)
            }
            Some(_) => Ok(Outcome::Fails),
        }
    }

    /// The longest input that `accept` takes: it gets what was taken before and the next.
    fn item(
        &mut self,
        source: &mut Source,
        width: usize,
        accept: impl Fn(&[u8], u8) -> bool,
    ) -> Checked<Vec<u8>> {
        let mut item = Vec::new();
        while item.len() < width {
            match self.peek_input(source)? {
                Some(byte) if accept(&item, byte) => item.push(byte),
                _ => break,
            }
            self.take_input(source)?;
        }
        Ok(item)
    }

    fn convert_input(
        &mut self,
        source: &mut Source,
        conversion: &Conversion,
        destination: Option<(Value, TypeId)>,
        taken: &mut usize,
    ) -> Checked<Outcome> {
        let letter = conversion.letter();
        if !matches!(letter, b'[' | b'c') {
            *taken += self.skip_space(source)?;
        }
        if self.peek_input(source)?.is_none() {
            return Ok(Outcome::Ends);
        }
        let width = conversion.width.unwrap_or(if letter == b'c' { 1 } else { usize::MAX });
        let item = match letter {
            b'c' => self.item(source, width, |_, _| true)?,
            b's' => self.item(source, width, |_, byte| !is_space(byte))?,
            b'[' => self.item(source, width, |_, byte| {
                conversion.set.contains(&byte) != conversion.excluded
            })?,
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                let base = base_of(letter);
                self.item(source, width, |item, byte| continues_integer(item, byte, base))?
            }
            _ => self.item(source, width, continues_real)?,
        };
        *taken += item.len();
        match letter {
            b'c' if item.len() < width => return Ok(Outcome::Ends),
            b'c' | b's' | b'[' => {
                if item.is_empty() {
                    return Ok(Outcome::Fails);
                }
                if let Some((to, _)) = destination {
                    let mut text = item;
                    if letter != b'c' {
                        text.push(0);
                    }
                    self.check_source(source, to, text.len() as u64)?;
                    self.write_bytes(to, &text)?;
                }
            }
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                let Some(value) = integer_of(&item, base_of(letter))? else {
                    return Ok(Outcome::Fails);
                };
                if let Some((to, _)) = destination {
                    let kind = self.kind_of(conversion)?;
                    self.check_fits(letter, kind, value)?;
                    self.store_integer(to, kind, value, source)?;
                }
            }
            _ => {
                let format = self.format_of(conversion)?;
                let Some((length, real)) = parse_real(&item) else { return Ok(Outcome::Fails) };
                if length != item.len() {
                    return unspecified(
                        Cause::Library,
                        "the input is only the beginning of a number, and libraries disagree",
                    );
                }
                if let Some((to, ty)) = destination {
                    self.store_real(to, ty, format, &real, source)?;
                }
            }
        }
        Ok(Outcome::Fits)
    }

    /// C11 7.21.6.2p10: the object must have the type that the conversion says.
    fn check_destination(&self, conversion: &Conversion, ty: TypeId) -> Checked {
        let Some(pointee) = self.program.pointee(ty) else {
            return self.mismatch(&conversion.spelled, ty);
        };
        let fits = match conversion.letter() {
            b'c' | b's' | b'[' if conversion.length() == b"l" => {
                return unsupported("wide text in scanf");
            }
            b'c' | b's' | b'[' => self.is_text(ty),
            b'p' => return unsupported("`%p` of scanf"),
            b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G' => {
                let kind = match conversion.length() {
                    b"" => FloatKind::Float,
                    b"l" => FloatKind::Double,
                    _ => FloatKind::LongDouble,
                };
                *self.program.resolve(pointee) == Type::Float(kind)
            }
            _ => {
                let kind = self.kind_of(conversion)?;
                match self.program.integer_class(pointee) {
                    Some(Type::Int(given)) => {
                        let target = self.program.target;
                        given != IntKind::Bool && target.int_bits(given) == target.int_bits(kind)
                    }
                    _ => false,
                }
            }
        };
        if fits { Ok(()) } else { self.mismatch(&conversion.spelled, ty) }
    }

    fn kind_of(&self, conversion: &Conversion) -> Checked<IntKind> {
        match conversion.length() {
            b"hh" => Ok(IntKind::SChar),
            b"h" => Ok(IntKind::Short),
            length => self.integer_of_length(length),
        }
    }

    fn format_of(&self, conversion: &Conversion) -> Checked<FloatFormat> {
        let kind = match conversion.length() {
            b"" => FloatKind::Float,
            b"l" => FloatKind::Double,
            _ => FloatKind::LongDouble,
        };
        match self.program.target.float_scalar(kind) {
            Some((_, format)) => Ok(format),
            None => unsupported("this floating type"),
        }
    }

    /// C11 7.21.6.2p10: a number that the object cannot hold is undefined.
    fn check_fits(&self, letter: u8, kind: IntKind, value: i128) -> Checked {
        let bits = self.program.target.int_bits(kind);
        let (low, high) = match letter {
            b'd' | b'i' => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            _ => (-((1_i128 << bits) - 1), (1_i128 << bits) - 1),
        };
        if (low..=high).contains(&value) {
            return Ok(());
        }
        undefined(UbKind::NumberRange, format!("{value} does not fit the object"))
    }

    fn store_integer(&mut self, to: Value, kind: IntKind, value: i128, source: &Source) -> Checked {
        let size = self.program.target.int_bits(kind) / 8;
        self.check_source(source, to, size.into())?;
        let at = self.memory.locate(to, u64::from(size), size)?;
        self.check_writable(at)?;
        self.memory.write(at, size, value as u128, 0)
    }

    fn store_real(
        &mut self,
        to: Value,
        ty: TypeId,
        format: FloatFormat,
        real: &Real,
        source: &Source,
    ) -> Checked {
        let pointee = self.program.pointee(ty).expect("checked before");
        let scalar = Scalar::of(self.program, pointee).expect("a floating type");
        let size = scalar.size(self.program);
        self.check_source(source, to, size.into())?;
        let at = self.memory.locate(to, size.into(), 1)?;
        self.check_writable(at)?;
        let (bits, exact) = real.encode(format);
        if !exact {
            return undefined(UbKind::NumberRange, "the number does not fit the object");
        }
        self.store_scalar(at, scalar, Value::wide(bits))
    }

    /// C11 7.21.6.7p2: `sscanf` must not write over what it reads.
    fn check_source(&self, source: &Source, to: Value, size: u64) -> Checked {
        let Source::Text { pointer, bytes, .. } = source else { return Ok(()) };
        let to = self.memory.locate(to, size, 1)?;
        let from = self.memory.locate(*pointer, bytes.len() as u64 + 1, 1)?;
        let overlap = from.slot == to.slot
            && from.offset < to.offset + size
            && to.offset <= from.offset + bytes.len() as u64;
        if overlap {
            return undefined(UbKind::OverlappingCopy, "sscanf writes over what it reads");
        }
        Ok(())
    }
}

fn bad<T>(message: impl Into<String>) -> Checked<T> {
    undefined(UbKind::BadFormat, message)
}

/// Reads a conversion after its `%`.
fn parse(template: &[u8], at: &mut usize) -> Checked<Conversion> {
    let mut take = |wanted: &[u8]| {
        let found = template.get(*at).copied().filter(|byte| wanted.contains(byte));
        *at += usize::from(found.is_some());
        found
    };
    let suppressed = take(b"*").is_some();
    let mut digits = String::new();
    while let Some(digit) = take(b"0123456789") {
        digits.push(char::from(digit));
    }
    let width = match digits.as_str() {
        "" => None,
        digits => match digits.parse() {
            Ok(0) => return bad("a width of zero"),
            Ok(width) => Some(width),
            Err(_) => return unsupported("a field of scanf so wide"),
        },
    };
    if take(b"m'I").is_some() {
        return unsupported("an extension of scanf");
    }
    let mut spelled = String::new();
    while let Some(letter) = take(b"hljztLq") {
        spelled.push(char::from(letter));
    }
    let Some(&letter) = template.get(*at) else {
        return bad("the format ends inside a conversion");
    };
    *at += 1;
    spelled.push(char::from(letter));
    let length = &spelled.as_bytes()[..spelled.len() - 1];
    let known = match letter {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n' => {
            matches!(length, b"" | b"hh" | b"h" | b"l" | b"ll" | b"j" | b"z" | b"t" | b"q")
        }
        b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G' => {
            matches!(length, b"" | b"l" | b"L")
        }
        b'c' | b's' | b'[' => matches!(length, b"" | b"l"),
        b'p' => length.is_empty(),
        b'C' | b'S' => return unsupported("an extension of scanf"),
        _ => false,
    };
    if !known {
        return bad(format!("`%{spelled}` is no conversion"));
    }
    if letter == b'n' && (suppressed || width.is_some()) {
        return bad("a width or `*` has no meaning for `%n`");
    }
    let (mut set, mut excluded) = (Vec::new(), false);
    if letter == b'[' {
        excluded = template.get(*at) == Some(&b'^');
        *at += usize::from(excluded);
        let start = *at;
        // The first character may be the bracket itself.
        let Some(length) =
            template[start..].iter().skip(1).position(|byte| *byte == b']').map(|at| at + 1)
        else {
            return bad("the format ends inside a conversion");
        };
        set = characters(&template[start..start + length]);
        *at = start + length + 1;
    }
    Ok(Conversion { suppressed, width, spelled, set, excluded })
}

/// The characters between brackets. A range is implementation-defined; all libraries
/// of the targets take it as people mean it.
fn characters(list: &[u8]) -> Vec<u8> {
    let mut set = Vec::new();
    let mut at = 0;
    while at < list.len() {
        if at + 2 < list.len() && list[at + 1] == b'-' {
            set.extend(list[at]..=list[at + 2]);
            at += 3;
        } else {
            set.push(list[at]);
            at += 1;
        }
    }
    set
}

fn base_of(letter: u8) -> u32 {
    match letter {
        b'i' => 0,
        b'o' => 8,
        b'x' | b'X' => 16,
        _ => 10,
    }
}

/// Whether a byte goes on with the beginning of an integer.
fn continues_integer(item: &[u8], byte: u8, base: u32) -> bool {
    let signed = usize::from(matches!(item.first(), Some(b'+' | b'-')));
    let digits = &item[signed..];
    let hexadecimal = base == 16 || base == 0;
    match byte {
        b'+' | b'-' => item.is_empty(),
        b'x' | b'X' => hexadecimal && digits == b"0",
        _ => {
            let base = match base {
                0 if digits.len() > 1 && matches!(digits[1], b'x' | b'X') => 16,
                0 if digits.first() == Some(&b'0') => 8,
                0 => 10,
                base => base,
            };
            char::from(byte).is_digit(base)
        }
    }
}

/// The value of an input item; nothing if it is only the beginning of a number.
fn integer_of(item: &[u8], base: u32) -> Checked<Option<i128>> {
    let parsed = super::numbers::parse_integer(item, base);
    if parsed.length == 0 {
        return Ok(None);
    }
    if parsed.length != item.len() {
        return unspecified(
            Cause::Library,
            "the input is only the beginning of a number, and libraries disagree",
        );
    }
    let magnitude = parsed.magnitude.min(1 << 100) as i128;
    Ok(Some(if parsed.negative { -magnitude } else { magnitude }))
}

/// Whether a byte goes on with the beginning of a floating number.
fn continues_real(item: &[u8], byte: u8) -> bool {
    let signed = usize::from(matches!(item.first(), Some(b'+' | b'-')));
    let digits = item[signed..].to_ascii_lowercase();
    let byte = byte.to_ascii_lowercase();
    for word in [&b"infinity"[..], b"nan"] {
        let start = word.starts_with(&digits) && !digits.is_empty() || digits.is_empty();
        if start && word.get(digits.len()) == Some(&byte) {
            return true;
        }
    }
    if digits.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let hexadecimal = digits.starts_with(b"0x");
    let exponent = if hexadecimal { b'p' } else { b'e' };
    let mantissa = if hexadecimal { &digits[2..] } else { &digits[..] };
    let power = mantissa.iter().position(|digit| *digit == exponent);
    let has_digits = mantissa.iter().any(u8::is_ascii_hexdigit);
    match byte {
        b'+' | b'-' => item.is_empty() || power.is_some_and(|at| at + 1 == mantissa.len()),
        b'.' => !mantissa.contains(&b'.') && power.is_none(),
        b'x' => digits == b"0",
        _ if byte == exponent && power.is_none() => has_digits,
        b'0'..=b'9' => true,
        b'a'..=b'f' => hexadecimal && power.is_none(),
        _ => false,
    }
}
