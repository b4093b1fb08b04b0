//! Constants: integers, floating numbers and strings.

use std::io::Write;

use super::Printer;
use crate::arena::{FloatId, StringId};
use crate::program::Encoding;
use crate::target::FloatFormat;
use crate::types::{FloatKind, IntKind, Type, TypeId};

/// The suffix with which a constant that fits has exactly this type, C11 6.4.4.1p5;
/// `None` for the types that no constant has.
fn int_suffix(kind: IntKind) -> Option<&'static str> {
    match kind {
        IntKind::Int => Some(""),
        IntKind::UInt => Some("U"),
        IntKind::Long => Some("L"),
        IntKind::ULong => Some("UL"),
        IntKind::LongLong => Some("LL"),
        IntKind::ULongLong => Some("ULL"),
        _ => None,
    }
}

/// The suffix of a floating constant, and that of the builtins for infinities and NaNs.
fn float_suffix(kind: FloatKind) -> (&'static str, &'static str) {
    match kind {
        FloatKind::Float16 => ("f16", "f16"),
        FloatKind::Float => ("f", "f"),
        FloatKind::Double => ("", ""),
        FloatKind::LongDouble => ("L", "l"),
        FloatKind::Float32 => ("f32", "f32"),
        FloatKind::Float64 => ("f64", "f64"),
        FloatKind::Float128 => ("f128", "f128"),
        FloatKind::Float32x => ("f32x", "f32x"),
        FloatKind::Float64x => ("f64x", "f64x"),
    }
}

/// The fields of a floating format, for taking its bits apart.
struct Fields {
    /// Bits of the fraction, the x87's explicit integer bit apart.
    fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
    /// Whether the integer bit is stored.
    explicit: bool,
}

fn fields(format: FloatFormat) -> Fields {
    let (fraction, exponent, explicit) = match format {
        FloatFormat::Half => (10, 5, false),
        FloatFormat::Single => (23, 8, false),
        FloatFormat::Double => (52, 11, false),
        FloatFormat::X87 => (63, 15, true),
        FloatFormat::Quad => (112, 15, false),
    };
    Fields { fraction, exponent, explicit }
}

/// A floating number taken apart.
enum Parts {
    /// `significand * 2^exponent`; zero has significand zero.
    Finite {
        significand: u128,
        exponent: i32,
    },
    Infinite,
    /// With its fraction, of which the first bit says that it is quiet.
    NotANumber {
        fraction: u128,
        quiet: bool,
    },
}

fn take_apart(bits: u128, format: FloatFormat) -> (bool, Parts) {
    let Fields { fraction: width, exponent: exponent_width, explicit } = fields(format);
    let stored = width + u32::from(explicit);
    let fraction = bits & ((1 << width) - 1);
    let raw = (bits >> stored) as u32 & ((1 << exponent_width) - 1);
    let negative = bits >> (stored + exponent_width) & 1 != 0;
    let bias = (1 << (exponent_width - 1)) - 1;
    let parts = if raw == (1 << exponent_width) - 1 {
        let quiet_bit = 1 << (width - 1);
        match fraction {
            0 => Parts::Infinite,
            _ => Parts::NotANumber {
                fraction: fraction & (quiet_bit - 1),
                quiet: fraction & quiet_bit != 0,
            },
        }
    } else {
        let integer_bit = if explicit { bits >> width & 1 } else { u128::from(raw != 0) };
        Parts::Finite {
            significand: fraction | integer_bit << width,
            exponent: raw.max(1) as i32 - bias - width as i32,
        }
    };
    (negative, parts)
}

/// `2^exponent`, for exponents of normal numbers.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Printer<'_> {
    /// An integer constant; where its type has no constants, a cast of one.
    pub(super) fn int_literal(&mut self, value: u64, ty: TypeId) {
        let program = self.program;
        match *program.resolve(ty) {
            Type::Int(kind) => {
                let target = program.target;
                let value_bits = target.int_bits(kind) - u32::from(target.int_signed(kind));
                match int_suffix(kind) {
                    Some(suffix) if value_bits >= 64 || value >> value_bits == 0 => {
                        self.number(value);
                        self.text(suffix);
                    }
                    _ => self.cast_number(value, ty),
                }
            }
            Type::BitInt { signed, width } => {
                let bits = (64 - value.leading_zeros()).max(1) + u32::from(signed);
                if bits != width {
                    self.byte(b'(');
                    self.declare(ty, None);
                    self.byte(b')');
                }
                self.number(value);
                self.text(if signed { "wb" } else { "uwb" });
            }
            Type::NullPointer => self.text("nullptr"),
            _ => self.cast_number(value, ty),
        }
    }

    fn cast_number(&mut self, value: u64, ty: TypeId) {
        self.byte(b'(');
        self.declare(ty.unqualified(), None);
        self.byte(b')');
        self.number(value);
        if i64::try_from(value).is_err() {
            self.text("ULL");
        }
    }

    /// Whether [`int_literal`](Self::int_literal) writes a cast rather than a constant.
    pub(super) fn int_literal_is_cast(&self, value: u64, ty: TypeId) -> bool {
        let target = self.program.target;
        match *self.program.resolve(ty) {
            Type::Int(IntKind::Int) if value >> 15 == 0 => false,
            Type::Int(kind) => {
                let value_bits = target.int_bits(kind) - u32::from(target.int_signed(kind));
                int_suffix(kind).is_none() || (value_bits < 64 && value >> value_bits != 0)
            }
            Type::NullPointer => false,
            _ => true,
        }
    }

    /// A floating constant.
    pub(super) fn float_literal(&mut self, id: FloatId, ty: TypeId) {
        let program = self.program;
        let &Type::Float(kind) = program.resolve(ty) else {
            unreachable!("a floating constant has a real floating type")
        };
        let (_, format) =
            program.target.float_scalar(kind).expect("the target has the types of its programs");
        let bits = program[id];
        let (suffix, builtin_suffix) = float_suffix(kind);
        let (negative, parts) = take_apart(bits, format);
        if negative {
            // Constants have no sign, but bits do: a built program may hold this.
            self.text("(-");
        }
        match parts {
            Parts::Infinite => {
                self.text("__builtin_inf");
                self.text(builtin_suffix);
                self.text("()");
            }
            Parts::NotANumber { fraction, quiet } => {
                self.text(if quiet { "__builtin_nan" } else { "__builtin_nans" });
                self.text(builtin_suffix);
                if fraction == 0 {
                    self.text("(\"\")");
                } else {
                    self.format(format_args!("(\"{fraction:#x}\")"));
                }
            }
            Parts::Finite { significand, exponent } => {
                self.finite(significand, exponent, format);
                self.text(suffix);
            }
        }
        if negative {
            self.byte(b')');
        }
    }

    fn finite(&mut self, significand: u128, exponent: i32, format: FloatFormat) {
        if significand == 0 {
            return self.text("0.0");
        }
        let zeros = significand.trailing_zeros();
        let (odd, exponent) = (significand >> zeros, exponent + zeros as i32);
        match format {
            FloatFormat::Double => {
                let value = odd as f64 * power(exponent / 2) * power(exponent - exponent / 2);
                self.format(format_args!("{value:?}"));
            }
            // The shortest decimal in single precision reads back in half precision as well.
            FloatFormat::Single | FloatFormat::Half => {
                let value = (odd as f64 * power(exponent)) as f32;
                self.format(format_args!("{value:?}"));
            }
            // An exact decimal of at most 15 digits is the shortest one, and reads
            // back in every format.
            FloatFormat::X87 | FloatFormat::Quad
                if (0..49).contains(&exponent) && odd < 1 << (49 - exponent)
                    || (-10..0).contains(&exponent) && odd < 1 << 20 =>
            {
                let value = odd as f64 * power(exponent);
                self.format(format_args!("{value:?}"));
            }
            FloatFormat::X87 | FloatFormat::Quad => {
                self.format(format_args!("{odd:#x}p{exponent}"));
            }
        }
    }

    fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.out.write_fmt(arguments).expect("writing to memory cannot fail");
    }

    /// A value of any size, as an enumeration needs it: an expression of the right value.
    pub(super) fn wide_number(&mut self, value: i128) {
        if let Ok(value) = u64::try_from(value) {
            self.number(value);
            if i64::try_from(value).is_err() {
                self.text("ULL");
            }
        } else if i64::try_from(value).is_ok_and(|value| value != i64::MIN) {
            self.byte(b'-');
            self.number(value.unsigned_abs() as u64);
        } else if value < 0 {
            // The number without its sign may not exist: -1 - (-1 - value).
            self.text("-1 - ");
            self.wide_number(-1 - value);
        } else {
            self.text("((__int128)");
            self.number((value >> 64) as u64);
            self.text(" << 64 | ");
            self.number(value as u64);
            self.text("ULL)");
        }
    }

    /// A string literal with its prefix and quotes.
    pub(super) fn string_literal(&mut self, id: StringId) {
        let program = self.program;
        let literal = &program[id];
        let prefix = match literal.encoding {
            Encoding::Plain => "",
            Encoding::Utf8 => "u8",
            Encoding::Utf16 => "u",
            Encoding::Utf32 => "U",
            Encoding::Wide => "L",
        };
        self.text(prefix);
        self.byte(b'"');
        let mut question = false;
        for (index, &unit) in literal.units.iter().enumerate() {
            match unit {
                0x0a => self.text("\\n"),
                0x09 => self.text("\\t"),
                0x22 => self.text("\\\""),
                0x5c => self.text("\\\\"),
                // `??` could begin a trigraph.
                0x3f if question => self.text("\\?"),
                0x20..=0x7e => self.byte(unit as u8),
                0..=0o777 if unit < 0o400 || !matches!(prefix, "" | "u8") => {
                    let octal =
                        [unit >> 6, unit >> 3 & 7, unit & 7].map(|digit| digit as u8 + b'0');
                    self.byte(b'\\');
                    self.out.extend_from_slice(&octal);
                }
                _ => {
                    // A hexadecimal escape takes every digit that follows, so the
                    // literal is closed and another one begins.
                    self.format(format_args!("\\x{unit:x}"));
                    if index + 1 < literal.units.len() {
                        self.text("\" ");
                        self.text(prefix);
                        self.byte(b'"');
                    }
                }
            }
            question = unit == 0x3f;
        }
        self.byte(b'"');
    }
}
