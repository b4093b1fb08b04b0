//! The values of numbers, characters and strings.

use farrier_lang::target::FloatFormat;
use farrier_lang::{Dialect, Encoding, FloatKind, IntKind, Target};
use rustc_apfloat::{Float, ieee};

/// A number with its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    Int { value: u64, kind: IntKind, imaginary: bool },
    BitInt { value: u64, signed: bool, width: u32 },
    Float { bits: u128, kind: FloatKind, imaginary: bool },
}

/// The number that `text` is, C11 6.4.4.
pub(crate) fn number(text: &str, target: &Target) -> Result<Number, String> {
    if let Some(number) = plain(text, target) {
        return Ok(number);
    }
    let text: std::borrow::Cow<'_, str> =
        if text.as_bytes().contains(&b'\'') { text.replace('\'', "").into() } else { text.into() };
    let bytes = text.as_bytes();
    let hex = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let floating = if hex {
        bytes.iter().any(|byte| matches!(byte, b'p' | b'P' | b'.'))
    } else {
        bytes.contains(&b'.')
            || matches!(bytes.iter().find(|byte| !byte.is_ascii_digit()), Some(b'e' | b'E'))
            || matches!(bytes, [.., b'd' | b'D'])
    };
    if floating { float(&text, hex, target) } else { int(&text, hex, target) }
}

/// What nearly all numbers are: a decimal or hexadecimal integer in one pass.
fn plain(text: &str, target: &Target) -> Option<Number> {
    let (radix, body) = match text.as_bytes() {
        [b'0', b'x' | b'X', body @ ..] => (16_u32, body),
        [b'0', b'0'..=b'9' | b'b' | b'B', ..] => return None,
        body => (10, body),
    };
    let mut value = 0_u64;
    let mut digits = 0;
    for byte in body {
        let Some(digit) = char::from(*byte).to_digit(radix) else { break };
        value = value.checked_mul(radix.into())?.checked_add(digit.into())?;
        digits += 1;
    }
    let (unsigned, longs) = match &body[digits..] {
        _ if digits == 0 => return None,
        [] => (false, 0),
        [b'u' | b'U'] => (true, 0),
        [b'l' | b'L'] => (false, 1),
        [b'u' | b'U', b'l' | b'L'] => (true, 1),
        [b'l', b'l'] | [b'L', b'L'] => (false, 2),
        [b'u' | b'U', b'l', b'l'] | [b'u' | b'U', b'L', b'L'] => (true, 2),
        _ => return None,
    };
    Some(Number::Int { value, kind: kind(value, radix, unsigned, longs, target), imaginary: false })
}

/// The first type of the list of C11 6.4.4.1p5 that can hold a value.
fn kind(value: u64, radix: u32, unsigned: bool, longs: u32, target: &Target) -> IntKind {
    let kinds = [
        (IntKind::Int, 0),
        (IntKind::UInt, 0),
        (IntKind::Long, 1),
        (IntKind::ULong, 1),
        (IntKind::LongLong, 2),
        (IntKind::ULongLong, 2),
    ];
    let fits = kinds.into_iter().find(|(kind, rank)| {
        let signed = target.int_signed(*kind);
        let bits = target.int_bits(*kind) - u32::from(signed);
        let listed = if signed { !unsigned } else { unsigned || radix != 10 };
        *rank >= longs && listed && (bits >= 64 || value >> bits == 0)
    });
    // A decimal constant beyond long long: compilers take the unsigned type.
    fits.map_or(IntKind::ULongLong, |(kind, _)| kind)
}

/// Suffixes of integers: whether the type is unsigned, and how many times `long` at least.
const SUFFIXES: [(&str, bool, u32); 8] = [
    ("", false, 0),
    ("u", true, 0),
    ("l", false, 1),
    ("ul", true, 1),
    ("lu", true, 1),
    ("ll", false, 2),
    ("ull", true, 2),
    ("llu", true, 2),
];

fn int(text: &str, hex: bool, target: &Target) -> Result<Number, String> {
    let (radix, body) = match text.as_bytes() {
        _ if hex => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, &text[1..]),
        _ => (10, text),
    };
    let is_digit = |byte: u8| match radix {
        16 => byte.is_ascii_hexdigit(),
        _ => byte.wrapping_sub(b'0') < radix as u8,
    };
    let end = body.bytes().position(|byte| !is_digit(byte));
    let end = end.unwrap_or(body.len());
    let (digits, suffix) = body.split_at(end);
    if digits.is_empty() && (hex || radix == 2) {
        return Err(format!("`{text}` has no digits"));
    }
    let bit_int = matches!(&*suffix.to_ascii_lowercase(), "wb" | "uwb" | "wbu");
    let value = if digits.is_empty() {
        0
    } else {
        u64::from_str_radix(digits, radix).map_err(|_| match bit_int {
            true => format!("`{text}`: a `_BitInt` constant of more than 64 bits is not supported"),
            false => format!("`{text}` does not fit any integer type"),
        })?
    };
    if let Some(digit) = suffix.chars().next().filter(char::is_ascii_digit) {
        return Err(match radix {
            8 => {
                format!("`{digit}` is not an octal digit, and a number that begins with 0 is octal")
            }
            _ => format!("`{digit}` is not a binary digit"),
        });
    }
    let unit = ['i', 'I', 'j', 'J'];
    let real = suffix.strip_suffix(unit).or_else(|| suffix.strip_prefix(unit));
    let (real, imaginary) = (real.unwrap_or(suffix), real.is_some());
    let is = |name: &str| real.eq_ignore_ascii_case(name);
    if bit_int {
        let signed = is("wb");
        let bits = (64 - value.leading_zeros()).max(1) + u32::from(signed);
        return Ok(Number::BitInt { value, signed, width: bits });
    }
    let Some(&(_, unsigned, longs)) = SUFFIXES.iter().find(|(name, ..)| is(name)) else {
        return Err(format!("`{suffix}` is not a suffix of a number"));
    };
    Ok(Number::Int { value, kind: kind(value, radix, unsigned, longs, target), imaginary })
}

fn float(text: &str, hex: bool, target: &Target) -> Result<Number, String> {
    let exponent_from = if hex { text.find(['p', 'P']) } else { Some(0) };
    let Some(exponent_from) = exponent_from else {
        return Err(format!("`{text}` needs an exponent, as in 0x1.8p0"));
    };
    // The suffix begins at the first letter that is neither a digit nor the exponent.
    let tail = &text[exponent_from..];
    let skip = usize::from(hex);
    let is_body = |c: char| {
        c.is_ascii_digit() || matches!(c, '.' | '+' | '-') || !hex && matches!(c, 'e' | 'E')
    };
    let length = tail[skip..].find(|c| !is_body(c)).map_or(tail.len(), |end| end + skip);
    let (body, suffix) = text.split_at(exponent_from + length);
    let mut lower = suffix.to_ascii_lowercase();
    let mut imaginary = false;
    if lower.ends_with(['i', 'j']) || lower.starts_with(['i', 'j']) {
        imaginary = true;
        lower.retain(|c| c != 'i' && c != 'j');
    }
    let kind = match &*lower {
        "" | "d" => FloatKind::Double,
        "f" => FloatKind::Float,
        "l" | "w" => FloatKind::LongDouble,
        "q" | "f128" => FloatKind::Float128,
        "f16" => FloatKind::Float16,
        "f32" => FloatKind::Float32,
        "f64" => FloatKind::Float64,
        "f32x" => FloatKind::Float32x,
        "f64x" => FloatKind::Float64x,
        "df" | "dd" | "dl" => return Err("decimal floating point is not supported".to_owned()),
        _ => return Err(format!("`{suffix}` is not a suffix of a number")),
    };
    let Some((_, format)) = target.float_scalar(kind) else {
        return Err(format!("numbers such as `{text}` are not supported on {}", target.name));
    };
    let exponent = body.find(if hex { ['p', 'P'] } else { ['e', 'E'] });
    if exponent.is_some_and(|at| !body[at..].contains(|c: char| c.is_ascii_digit())) {
        return Err(format!("the exponent of `{text}` has no digits"));
    }
    // A huge exponent would make exact arithmetic slow; beyond this everything
    // is infinite or zero in every format.
    let bits = parse_float(&clamp_exponent(body, hex), format)
        .ok_or_else(|| format!("`{text}` is not a number"))?;
    Ok(Number::Float { bits, kind, imaginary })
}

/// The same number with an exponent of at most six digits.
fn clamp_exponent(body: &str, hex: bool) -> String {
    let Some(at) = body.find(if hex { ['p', 'P'] } else { ['e', 'E'] }) else {
        return body.to_owned();
    };
    let (mantissa, exponent) = body.split_at(at + 1);
    let (sign, digits) = match exponent.strip_prefix(['+', '-']) {
        Some(digits) => (&exponent[..1], digits),
        None => ("", exponent),
    };
    let digits = digits.trim_start_matches('0');
    match digits.len() {
        0 => format!("{mantissa}{sign}0"),
        1..=6 => format!("{mantissa}{sign}{digits}"),
        _ => format!("{mantissa}{sign}999999"),
    }
}

/// The bits of a floating constant in a format, rounded to nearest.
fn parse_float(body: &str, format: FloatFormat) -> Option<u128> {
    macro_rules! parse {
        ($format:ty) => {
            Some(body.parse::<$format>().ok()?.to_bits())
        };
    }
    let decimal = !body.starts_with("0x") && !body.starts_with("0X");
    match format {
        // The standard library rounds decimals correctly, and fast.
        FloatFormat::Single if decimal => Some(u128::from(body.parse::<f32>().ok()?.to_bits())),
        FloatFormat::Double if decimal => Some(u128::from(body.parse::<f64>().ok()?.to_bits())),
        FloatFormat::Half => parse!(ieee::Half),
        FloatFormat::Single => parse!(ieee::Single),
        FloatFormat::Double => parse!(ieee::Double),
        FloatFormat::X87 => parse!(ieee::X87DoubleExtended),
        FloatFormat::Quad => parse!(ieee::Quad),
    }
}

/// The encoding of a string or character constant, and the text between its quotes.
pub(crate) fn split_prefix(text: &str) -> (Encoding, &str) {
    let quote = text.find(['"', '\'']).expect("the lexer saw the quotes");
    let encoding = match &text[..quote] {
        "u8" => Encoding::Utf8,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        "L" => Encoding::Wide,
        _ => Encoding::Plain,
    };
    (encoding, &text[quote + 1..text.len() - 1])
}

/// Width in bits of one unit of an encoding.
pub(crate) fn unit_bits(encoding: Encoding, target: &Target) -> u32 {
    target.int_bits(unit_kind(encoding, target, Dialect::C11))
}

/// The type of one unit of an encoding.
pub(crate) fn unit_kind(encoding: Encoding, target: &Target, dialect: Dialect) -> IntKind {
    match encoding {
        Encoding::Utf8 if dialect >= Dialect::C23 => IntKind::UChar,
        Encoding::Plain | Encoding::Utf8 => IntKind::Char,
        Encoding::Utf16 => target.char16_type,
        Encoding::Utf32 => target.char32_type,
        Encoding::Wide => target.wchar_type,
    }
}

/// Decodes the text between quotes into code units.
pub(crate) fn decode(
    body: &str,
    encoding: Encoding,
    bits: u32,
    units: &mut Vec<u32>,
) -> Result<(), String> {
    let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
    let mut rest = body;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        if character != '\\' {
            push_character(character, encoding, bits, units);
            continue;
        }
        let escape = rest.chars().next().ok_or("a backslash with nothing after it")?;
        let after = &rest[escape.len_utf8()..];
        let (value, after) = match escape {
            'n' => (10, after),
            't' => (9, after),
            'r' => (13, after),
            'a' => (7, after),
            'b' => (8, after),
            'f' => (12, after),
            'v' => (11, after),
            'e' | 'E' => (27, after),
            '\\' | '\'' | '"' | '?' => (escape as u32, after),
            '\n' => {
                rest = after;
                continue;
            }
            '0'..='7' => {
                let length = rest.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
                (u32::from_str_radix(&rest[..length], 8).expect("octal digits"), &rest[length..])
            }
            'x' => {
                let length = after.bytes().take_while(u8::is_ascii_hexdigit).count();
                if length == 0 {
                    return Err("`\\x` needs hexadecimal digits".to_owned());
                }
                let value = u32::from_str_radix(after[..length].trim_start_matches('0'), 16);
                let zero = after[..length].bytes().all(|digit| digit == b'0');
                (if zero { 0 } else { value.unwrap_or(u32::MAX) }, &after[length..])
            }
            'u' | 'U' => {
                let length = if escape == 'u' { 4 } else { 8 };
                let character = after
                    .get(..length)
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .and_then(char::from_u32)
                    .filter(|character| *character >= '\u{a0}' || "$@`".contains(*character))
                    .ok_or_else(|| {
                        format!("`\\{escape}` needs the {length} digits of a character")
                    })?;
                push_character(character, encoding, bits, units);
                rest = &after[length..];
                continue;
            }
            _ => return Err(format!("`\\{escape}` is not an escape sequence")),
        };
        if value > mask {
            return Err("this escape sequence is out of range".to_owned());
        }
        units.push(value);
        rest = after;
    }
    Ok(())
}

fn push_character(character: char, encoding: Encoding, bits: u32, units: &mut Vec<u32>) {
    match (encoding, bits) {
        (Encoding::Plain | Encoding::Utf8, _) => {
            let mut buffer = [0; 4];
            units.extend(character.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        (_, 16) => {
            let mut buffer = [0; 2];
            units.extend(character.encode_utf16(&mut buffer).iter().map(|unit| u32::from(*unit)));
        }
        _ => units.push(character as u32),
    }
}
