//! The machines that programs are written for, each a table of data.

use crate::types::{FloatKind, IntKind};

/// Size and alignment of a scalar type, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarLayout {
    /// `sizeof`
    pub size: u32,
    /// Alignment of a member of this type: `_Alignof`.
    pub align: u32,
    /// Alignment of a variable of this type: `__alignof__`.
    pub preferred: u32,
}

impl ScalarLayout {
    /// A scalar aligned to `align` everywhere.
    pub const fn new(size: u32, align: u32) -> Self {
        Self { size, align, preferred: align }
    }
}

/// The format of a floating type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatFormat {
    /// IEEE binary16.
    Half,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// The 80-bit format of the x87.
    X87,
    /// IEEE binary128.
    Quad,
}

impl FloatFormat {
    /// Bits of the significand, the leading one included.
    pub const fn digits(self) -> u32 {
        match self {
            Self::Half => 11,
            Self::Single => 24,
            Self::Double => 53,
            Self::X87 => 64,
            Self::Quad => 113,
        }
    }
}

/// How bit-fields share the units of their type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitFieldRule {
    /// System V: a field does not cross a boundary of its declared type, and that
    /// type aligns the record.
    SystemV,
    /// AAPCS: as System V, but an unnamed field aligns the record too, also one of width
    /// zero.
    Aapcs,
    /// A field starts at the next bit whatever its type, as GCC does where
    /// `PCC_BITFIELD_TYPE_MATTERS` is not defined.
    Dense,
}

/// What a program finds around it where it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Environment {
    /// Whether `main` may have parameters.
    pub arguments_to_main: bool,
    /// Whether `printf` prints integers of 64 bits.
    pub prints_long_long: bool,
    /// Whether the library has all that the machine knows of the standard library.
    pub whole_library: bool,
    /// What a program may need there, where that is little.
    pub small: Option<Small>,
    /// What its compilers do not promise, by the names that features of generated programs have.
    pub lacks: &'static [&'static str],
}

/// How much a program may need on a small and slow machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Small {
    /// Bytes of text.
    pub size: usize,
    /// Operations of the abstract machine.
    pub steps: u64,
}

impl Environment {
    /// An operating system with a whole C library.
    pub const HOSTED: Self = Self {
        arguments_to_main: true,
        prints_long_long: true,
        whole_library: true,
        small: None,
        lacks: &[],
    };

    /// A microcontroller, simulated.
    pub const MICROCONTROLLER: Self = Self {
        arguments_to_main: false,
        prints_long_long: false,
        whole_library: false,
        small: Some(Small { size: 8_000, steps: 20_000 }),
        lacks: &[],
    };
}

/// A machine with its ABI: all that C leaves to the implementation.
#[derive(Debug)]
pub struct Target {
    /// The name used in options.
    pub name: &'static str,
    /// Whether `char` is signed.
    pub char_signed: bool,
    /// Whether the first byte of an integer is its highest.
    pub big_endian: bool,
    /// `_Bool`
    pub bool_: ScalarLayout,
    /// `short`
    pub short: ScalarLayout,
    /// `int`
    pub int: ScalarLayout,
    /// `long`
    pub long: ScalarLayout,
    /// `long long`
    pub long_long: ScalarLayout,
    /// `__int128`, where it exists.
    pub int128: Option<ScalarLayout>,
    /// The unit in bytes of a `_BitInt` that is wider than `long long`; `None` where
    /// there is no `_BitInt`.
    pub bit_int_unit: Option<u32>,
    /// All pointers, to functions too.
    pub pointer: ScalarLayout,
    /// `float`
    pub float: (ScalarLayout, FloatFormat),
    /// `double`
    pub double: (ScalarLayout, FloatFormat),
    /// `long double`
    pub long_double: (ScalarLayout, FloatFormat),
    /// `_Float16`, where it exists.
    pub float16: Option<ScalarLayout>,
    /// `_Float128`, where it exists.
    pub float128: Option<ScalarLayout>,
    /// `__builtin_va_list`
    pub va_list: ScalarLayout,
    /// `size_t`
    pub size_type: IntKind,
    /// `ptrdiff_t`
    pub ptrdiff_type: IntKind,
    /// `wchar_t`
    pub wchar_type: IntKind,
    /// `char16_t`
    pub char16_type: IntKind,
    /// `char32_t`
    pub char32_type: IntKind,
    /// What `__attribute__((aligned))` without a number means.
    pub biggest_align: u32,
    /// The alignment that no vector exceeds, if there is one; otherwise a vector is aligned
    /// to its size.
    pub vector_align: Option<u32>,
    /// How bit-fields are laid out.
    pub bit_fields: BitFieldRule,
    /// What a program finds around it.
    pub environment: Environment,
}

/// What the 64-bit targets have in common, from which each differs in a few rows.
const LP64: Target = Target {
    name: "",
    char_signed: false,
    big_endian: false,
    bool_: ScalarLayout::new(1, 1),
    short: ScalarLayout::new(2, 2),
    int: ScalarLayout::new(4, 4),
    long: ScalarLayout::new(8, 8),
    long_long: ScalarLayout::new(8, 8),
    int128: Some(ScalarLayout::new(16, 16)),
    bit_int_unit: None,
    pointer: ScalarLayout::new(8, 8),
    float: (ScalarLayout::new(4, 4), FloatFormat::Single),
    double: (ScalarLayout::new(8, 8), FloatFormat::Double),
    long_double: (ScalarLayout::new(16, 16), FloatFormat::Quad),
    float16: None,
    float128: Some(ScalarLayout::new(16, 16)),
    va_list: ScalarLayout::new(8, 8),
    size_type: IntKind::ULong,
    ptrdiff_type: IntKind::Long,
    wchar_type: IntKind::Int,
    char16_type: IntKind::UShort,
    char32_type: IntKind::UInt,
    biggest_align: 16,
    vector_align: None,
    bit_fields: BitFieldRule::SystemV,
    environment: Environment::HOSTED,
};

/// What the 32-bit targets have in common.
const ILP32: Target = Target {
    long: ScalarLayout::new(4, 4),
    int128: None,
    pointer: ScalarLayout::new(4, 4),
    va_list: ScalarLayout::new(4, 4),
    size_type: IntKind::UInt,
    ptrdiff_type: IntKind::Int,
    ..LP64
};

/// x86-64 Linux: 64-bit pointers and long.
pub static X86_64_LINUX: Target = Target {
    name: "x86_64-linux",
    char_signed: true,
    bit_int_unit: Some(8),
    long_double: (ScalarLayout::new(16, 16), FloatFormat::X87),
    float16: Some(ScalarLayout::new(2, 2)),
    va_list: ScalarLayout::new(24, 8),
    ..LP64
};

/// i386 Linux: 32-bit pointers and long; 64-bit members are aligned to 4. There is no
/// `_Float16`, which needs SSE2.
pub static I386_LINUX: Target = Target {
    name: "i386-linux",
    char_signed: true,
    long_long: ScalarLayout { size: 8, align: 4, preferred: 8 },
    bit_int_unit: Some(4),
    double: (ScalarLayout { size: 8, align: 4, preferred: 8 }, FloatFormat::Double),
    long_double: (ScalarLayout::new(12, 4), FloatFormat::X87),
    wchar_type: IntKind::Long,
    ..ILP32
};

/// What the targets with 16-bit int and pointers have in common: no scalar is aligned, double and
/// long double are float.
const SMALL: Target = Target {
    name: "",
    char_signed: false,
    big_endian: false,
    bool_: ScalarLayout::new(1, 1),
    short: ScalarLayout::new(2, 1),
    int: ScalarLayout::new(2, 1),
    long: ScalarLayout::new(4, 1),
    long_long: ScalarLayout::new(8, 1),
    int128: None,
    bit_int_unit: None,
    pointer: ScalarLayout::new(2, 1),
    float: (ScalarLayout::new(4, 1), FloatFormat::Single),
    double: (ScalarLayout::new(4, 1), FloatFormat::Single),
    long_double: (ScalarLayout::new(4, 1), FloatFormat::Single),
    float16: None,
    float128: None,
    va_list: ScalarLayout::new(2, 1),
    size_type: IntKind::UInt,
    ptrdiff_type: IntKind::Int,
    wchar_type: IntKind::Int,
    char16_type: IntKind::UInt,
    char32_type: IntKind::ULong,
    biggest_align: 1,
    vector_align: None,
    bit_fields: BitFieldRule::Dense,
    environment: Environment::MICROCONTROLLER,
};

/// AVR: as GCC 5.4 compiles for it, which Debian has; since GCC 10 long double has eight bytes.
pub static AVR: Target = Target { name: "avr", char_signed: true, ..SMALL };

/// What SDCC does not promise on any machine, by its manual and its messages: it has neither `long
/// double` nor compound literals, takes the smallest type for an enumeration, lays bit-fields out
/// in its own way, passes and returns no records, and says nothing of how floating numbers are
/// rounded.
const SDCC_LACKS: &[&str] = &[
    "floating",
    "long-double",
    "enum",
    "bit-field",
    "compound-literal",
    "record-parameter",
    "record-result",
    "record-chain",
];

/// What it does not promise for MCS-51: as elsewhere, and no function may be entered twice,
/// because locals are not on the stack; the library has no products or quotients of 64 bits;
/// pointers to functions have another size than those to data.
const MCS51_LACKS: &[&str] = &[
    "floating",
    "long-double",
    "enum",
    "bit-field",
    "compound-literal",
    "record-parameter",
    "record-result",
    "record-chain",
    "recursion",
    "long-long",
    "function-pointer",
    "function-table",
];

/// What the targets of SDCC have in common.
const SDCC: Target = Target {
    wchar_type: IntKind::ULong,
    environment: Environment {
        small: Some(Small { size: 4_000, steps: 20_000 }),
        lacks: SDCC_LACKS,
        ..Environment::MICROCONTROLLER
    },
    ..SMALL
};

/// Z80, as SDCC compiles for it.
pub static Z80: Target = Target { name: "z80", ..SDCC };

/// STM8, as SDCC compiles for it: the first byte of an integer is its highest.
pub static STM8: Target = Target { name: "stm8", big_endian: true, ..SDCC };

/// MCS-51, as SDCC compiles for it in its large model: a pointer to data has three bytes, of which
/// one names the memory.
pub static MCS51: Target = Target {
    name: "mcs51",
    pointer: ScalarLayout::new(3, 1),
    va_list: ScalarLayout::new(3, 1),
    ptrdiff_type: IntKind::Long,
    environment: Environment { lacks: MCS51_LACKS, ..SDCC.environment },
    ..SDCC
};

/// AArch64 Linux: `char` is unsigned, `long double` is binary128, `va_list` is a struct.
pub static AARCH64_LINUX: Target = Target {
    name: "aarch64-linux",
    bit_int_unit: Some(16),
    float16: Some(ScalarLayout::new(2, 2)),
    va_list: ScalarLayout::new(32, 8),
    wchar_type: IntKind::UInt,
    vector_align: Some(16),
    bit_fields: BitFieldRule::Aapcs,
    ..LP64
};

/// 64-bit RISC-V Linux: `char` is unsigned, `long double` is binary128. GCC has no
/// `_BitInt` for it.
pub static RISCV64_LINUX: Target = Target { name: "riscv64-linux", ..LP64 };

/// 32-bit Arm Linux with hardware floating point: `long double` is `double`, 64-bit numbers
/// are aligned to 8. `_Float16` needs an option; GCC has no `_BitInt` for it.
pub static ARM_LINUX: Target = Target {
    name: "arm-linux",
    long_double: (ScalarLayout::new(8, 8), FloatFormat::Double),
    float128: None,
    wchar_type: IntKind::UInt,
    biggest_align: 8,
    vector_align: Some(8),
    bit_fields: BitFieldRule::Aapcs,
    ..ILP32
};

/// s390x Linux: big-endian; nothing is aligned to more than 8. GCC 12 has neither `_Float16`
/// nor `_BitInt` for it.
pub static S390X_LINUX: Target = Target {
    name: "s390x-linux",
    big_endian: true,
    int128: Some(ScalarLayout::new(16, 8)),
    long_double: (ScalarLayout::new(16, 8), FloatFormat::Quad),
    float128: Some(ScalarLayout::new(16, 8)),
    va_list: ScalarLayout::new(32, 8),
    biggest_align: 8,
    ..LP64
};

/// Every target.
pub static TARGETS: [&Target; 10] = [
    &X86_64_LINUX,
    &I386_LINUX,
    &AARCH64_LINUX,
    &S390X_LINUX,
    &RISCV64_LINUX,
    &ARM_LINUX,
    &AVR,
    &Z80,
    &STM8,
    &MCS51,
];

impl Environment {
    /// Whether compilers promise what a feature of generated programs has this name for.
    pub fn has(&self, feature: &str) -> bool {
        !self.lacks.contains(&feature)
    }
}

impl Target {
    /// The target with this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TARGETS.into_iter().find(|target| target.name == name)
    }

    /// Size and alignment of an integer type; `None` if the target lacks it.
    pub fn int_scalar(&self, kind: IntKind) -> Option<ScalarLayout> {
        Some(match kind {
            IntKind::Bool => self.bool_,
            IntKind::Char | IntKind::SChar | IntKind::UChar => ScalarLayout::new(1, 1),
            IntKind::Short | IntKind::UShort => self.short,
            IntKind::Int | IntKind::UInt => self.int,
            IntKind::Long | IntKind::ULong => self.long,
            IntKind::LongLong | IntKind::ULongLong => self.long_long,
            IntKind::Int128 | IntKind::UInt128 => return self.int128,
        })
    }

    /// Size and alignment of `_BitInt(width)` as the psABI of the target says: like the
    /// smallest integer type that is wide enough, else as many units as it needs.
    pub fn bit_int_scalar(&self, width: u32) -> Option<ScalarLayout> {
        let unit = self.bit_int_unit?;
        let smallest = [ScalarLayout::new(1, 1), self.short, self.int, self.long, self.long_long]
            .into_iter()
            .find(|scalar| width <= scalar.size * 8);
        let units = ScalarLayout::new(width.div_ceil(unit * 8).checked_mul(unit)?, unit);
        Some(smallest.unwrap_or(units))
    }

    /// Width in bits of an integer type, of `_Bool` one. A type that the target
    /// lacks has the width it has elsewhere.
    pub fn int_bits(&self, kind: IntKind) -> u32 {
        if kind == IntKind::Bool {
            return 1;
        }
        self.int_scalar(kind).map_or(128, |scalar| scalar.size * 8)
    }

    /// Whether an integer type has a sign.
    pub fn int_signed(&self, kind: IntKind) -> bool {
        match kind {
            IntKind::Char => self.char_signed,
            IntKind::SChar
            | IntKind::Short
            | IntKind::Int
            | IntKind::Long
            | IntKind::LongLong
            | IntKind::Int128 => true,
            IntKind::Bool
            | IntKind::UChar
            | IntKind::UShort
            | IntKind::UInt
            | IntKind::ULong
            | IntKind::ULongLong
            | IntKind::UInt128 => false,
        }
    }

    /// Size, alignment and format of a floating type; `None` if the target lacks it.
    pub fn float_scalar(&self, kind: FloatKind) -> Option<(ScalarLayout, FloatFormat)> {
        Some(match kind {
            FloatKind::Float16 => (self.float16?, FloatFormat::Half),
            FloatKind::Float | FloatKind::Float32 => self.float,
            FloatKind::Double => self.double,
            FloatKind::LongDouble => self.long_double,
            FloatKind::Float64 | FloatKind::Float32x => [self.double, self.long_double]
                .into_iter()
                .find(|(_, format)| *format == FloatFormat::Double)?,
            FloatKind::Float64x => {
                Some(self.long_double).filter(|(_, format)| *format > FloatFormat::Double)?
            }
            FloatKind::Float128 => (self.float128?, FloatFormat::Quad),
        })
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Target {}
