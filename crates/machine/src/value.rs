//! Scalar values and their types, as the machine computes with them.

use farrier_lang::target::FloatFormat;
use farrier_lang::{IntKind, Program, Type, TypeId};

/// The scalar types of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Scalar {
    /// An integer of at most 64 bits.
    Int { signed: bool, bits: u8 },
    /// An integer of more than 64 and at most 128 bits.
    Wide { signed: bool, bits: u8 },
    /// `_Bool`
    Bool,
    /// IEEE binary32, computed natively.
    Single,
    /// IEEE binary64, computed natively.
    Double,
    /// Any other floating format.
    Float(FloatFormat),
    /// A pointer to anything.
    Pointer,
}

/// A scalar value.
///
/// Integers of at most 64 bits are in `low`, extended by their sign; `high` is
/// zero, the provenance of an integer that was made from a pointer, or the mark of a
/// result that the library leaves open. Pointers have their address in `low` and their
/// provenance in `high`. Everything else is the bits of the value, or those of a NaN with
/// a mark in `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Value {
    pub(crate) low: u64,
    pub(crate) high: u64,
}

impl Value {
    /// What a local in a register holds before it is assigned.
    pub(crate) const UNINITIALISED: Self = Self { low: 0, high: u64::MAX };

    pub(crate) fn int(value: i64) -> Self {
        Self { low: value as u64, high: 0 }
    }

    pub(crate) fn wide(bits: u128) -> Self {
        Self { low: bits as u64, high: (bits >> 64) as u64 }
    }

    pub(crate) fn bits(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

impl Scalar {
    /// The scalar type that a C type is; `None` if it is no scalar, or one that the
    /// machine does not know.
    pub(crate) fn of(program: &Program, ty: TypeId) -> Option<Self> {
        let target = program.target;
        Some(match *program.resolve(ty) {
            Type::Int(kind) => Self::of_int(program, kind),
            Type::BitInt { signed, width: width @ ..=64 } => {
                Self::Int { signed, bits: width as u8 }
            }
            Type::BitInt { signed, width: width @ ..=128 } => {
                Self::Wide { signed, bits: width as u8 }
            }
            Type::Enum(id) => Self::of_int(program, program[id].underlying),
            Type::Float(kind) => match target.float_scalar(kind)?.1 {
                FloatFormat::Single => Self::Single,
                FloatFormat::Double => Self::Double,
                other => Self::Float(other),
            },
            Type::Pointer(_) | Type::NullPointer => Self::Pointer,
            _ => return None,
        })
    }

    fn of_int(program: &Program, kind: IntKind) -> Self {
        let target = program.target;
        match kind {
            IntKind::Bool => Self::Bool,
            IntKind::Int128 | IntKind::UInt128 => {
                Self::Wide { signed: kind == IntKind::Int128, bits: 128 }
            }
            _ => Self::Int { signed: target.int_signed(kind), bits: target.int_bits(kind) as u8 },
        }
    }

    /// Its size in bytes.
    pub(crate) fn size(self, program: &Program) -> u32 {
        match self {
            // That of `_BitInt` too, which is padded.
            Self::Int { bits, .. } => u32::from(bits).next_power_of_two().max(8) / 8,
            Self::Wide { bits, .. } => {
                let unit = program.target.bit_int_unit.unwrap_or(16);
                u32::from(bits).div_ceil(unit * 8) * unit
            }
            Self::Bool => 1,
            Self::Single => 4,
            Self::Double => 8,
            Self::Float(FloatFormat::Half) => 2,
            Self::Float(FloatFormat::X87) => program.target.long_double.0.size,
            Self::Float(_) => 16,
            Self::Pointer => program.target.pointer.size,
        }
    }

    /// How many of its highest bits are none of a `_BitInt`.
    pub(crate) fn padding_bits(self, program: &Program) -> u32 {
        match self {
            Self::Int { bits: 8 | 16 | 32 | 64, .. } | Self::Wide { bits: 128, .. } => 0,
            Self::Int { bits, .. } | Self::Wide { bits, .. } => {
                8 * self.size(program) - u32::from(bits)
            }
            _ => 0,
        }
    }

    /// How many bytes of it carry the value; the rest is padding.
    pub(crate) fn value_bytes(self, program: &Program) -> u32 {
        match self {
            Self::Float(FloatFormat::X87) => 10,
            _ => self.size(program),
        }
    }
}

/// Cuts a value to an integer type of at most 64 bits.
pub(crate) fn wrap(value: u64, signed: bool, bits: u8) -> u64 {
    let shift = 64 - u32::from(bits);
    if signed { ((value << shift) as i64 >> shift) as u64 } else { value << shift >> shift }
}

#[cfg(test)]
mod tests {
    use farrier_lang::target::{AVR, I386_LINUX, X86_64_LINUX};
    use farrier_lang::{Dialect, Target};

    use super::*;

    #[test]
    fn values_have_two_words() {
        assert_eq!(Value::int(-2), Value { low: u64::MAX - 1, high: 0 });
        let bits = 3 << 64 | 5;
        assert_eq!(Value::wide(bits), Value { low: 5, high: 3 });
        assert_eq!(Value::wide(bits).bits(), bits);
        assert_eq!(Value::wide(1 << 64 | u128::from(u64::MAX)).bits(), (2 << 64) - 1);
    }

    #[test]
    fn values_are_cut() {
        for (value, signed, bits, wanted) in [
            (0x180, true, 8, -128_i64 as u64),
            (0x17f, true, 8, 127),
            (0x180, false, 8, 0x80),
            (u64::MAX, false, 1, 1),
            (u64::MAX, true, 1, u64::MAX),
            (u64::MAX, false, 64, u64::MAX),
            (1 << 63, true, 64, 1 << 63),
            (1 << 63, true, 63, 0),
        ] {
            assert_eq!(wrap(value, signed, bits), wanted, "{value:#x} to {bits} bits");
        }
    }

    /// The type of a declared object, with its size and the bytes that carry its value.
    #[track_caller]
    fn check(target: &'static Target, declaration: &str, wanted: (Option<Scalar>, u32, u32)) {
        let options = farrier_front::Options { target, dialect: Dialect::C23, permissive: false };
        let input = farrier_lang::SourceText::new("test.c", declaration);
        let program = farrier_front::parse(&[input], &options).expect("a declaration");
        let (_, object) = program.objects.iter().next().expect("an object");
        let scalar = Scalar::of(&program, object.ty);
        let sizes = scalar.map_or((0, 0), |ty| (ty.size(&program), ty.value_bytes(&program)));
        assert_eq!((scalar, sizes.0, sizes.1), wanted, "{declaration}");
    }

    #[test]
    fn types_of_c_are_scalars() {
        let int = |signed, bits| Some(Scalar::Int { signed, bits });
        let wide = |signed, bits| Some(Scalar::Wide { signed, bits });
        let float = |format| Some(Scalar::Float(format));
        for (declaration, wanted) in [
            ("_Bool x;", (Some(Scalar::Bool), 1, 1)),
            ("char x;", (int(true, 8), 1, 1)),
            ("unsigned short x;", (int(false, 16), 2, 2)),
            ("unsigned x;", (int(false, 32), 4, 4)),
            ("long x;", (int(true, 64), 8, 8)),
            ("__int128 x;", (wide(true, 128), 16, 16)),
            ("unsigned __int128 x;", (wide(false, 128), 16, 16)),
            ("_BitInt(2) x;", (int(true, 2), 1, 1)),
            ("unsigned _BitInt(17) x;", (int(false, 17), 4, 4)),
            ("_BitInt(64) x;", (int(true, 64), 8, 8)),
            ("_BitInt(65) x;", (wide(true, 65), 16, 16)),
            ("_BitInt(128) x;", (wide(true, 128), 16, 16)),
            ("_BitInt(129) x;", (None, 0, 0)),
            ("enum { A = -1 } x;", (int(true, 32), 4, 4)),
            ("float x;", (Some(Scalar::Single), 4, 4)),
            ("double x;", (Some(Scalar::Double), 8, 8)),
            ("long double x;", (float(FloatFormat::X87), 16, 10)),
            ("_Float128 x;", (float(FloatFormat::Quad), 16, 16)),
            ("_Float16 x;", (float(FloatFormat::Half), 2, 2)),
            ("int *x;", (Some(Scalar::Pointer), 8, 8)),
            ("__typeof__(nullptr) x;", (Some(Scalar::Pointer), 8, 8)),
            ("struct { int a; } x;", (None, 0, 0)),
        ] {
            check(&X86_64_LINUX, declaration, wanted);
        }
        check(&I386_LINUX, "long double x;", (float(FloatFormat::X87), 12, 10));
        check(&I386_LINUX, "int *x;", (Some(Scalar::Pointer), 4, 4));
        check(&AVR, "int x;", (int(true, 16), 2, 2));
        check(&AVR, "int *x;", (Some(Scalar::Pointer), 2, 2));
    }
}
