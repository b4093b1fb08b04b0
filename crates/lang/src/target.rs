//! The machines that programs are written for, each a table of data.

mod rows;

use crate::types::{FloatKind, IntKind};
pub use rows::*;

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
    Dense {
        /// The alignment in bytes that a field of width zero asks for: `EMPTY_FIELD_BOUNDARY`.
        empty: u32,
    },
    /// Microsoft's, as GCC has it (`ms_struct`): neighbours share a unit of their declared type
    /// only if these types have the same size, and the unit is used up where the next member is
    /// another. A field of width zero means something only after one that has a width.
    Microsoft,
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
    /// Whether it is a device that a host gives programs to, so that they are written as CUDA.
    pub is_device: bool,
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
        is_device: false,
        lacks: &[],
    };

    /// Windows with the libraries of MinGW-w64, which lack what POSIX and C11 have beyond C99.
    pub const WINDOWS: Self = Self { whole_library: false, ..Self::HOSTED };

    /// No operating system, and a small C library: nobody gives `main` arguments, and `argv` is a
    /// null pointer.
    pub const BARE: Self = Self { arguments_to_main: false, whole_library: false, ..Self::HOSTED };

    /// A microcontroller, simulated.
    pub const MICROCONTROLLER: Self = Self {
        arguments_to_main: false,
        prints_long_long: false,
        whole_library: false,
        small: Some(Small { size: 8_000, steps: 20_000 }),
        is_device: false,
        lacks: &[],
    };
}

/// The GNU compiler for a target, and what its programs are run by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// The machine, as GNU tools name it.
    pub triple: &'static str,
    /// The command.
    pub compiler: &'static str,
    /// The flags that it needs to compile for this target.
    pub flags: &'static [&'static str],
    /// Those with which it rounds every result to its type, as IEEE 754 says.
    pub rounding: &'static [&'static str],
    /// The command that runs a program; empty where this machine does, or a simulator.
    pub emulator: &'static [&'static str],
    /// The Debian packages that have all this.
    pub packages: &'static str,
    /// Whether tests use it. Other targets are for `cargo xtask check targets`.
    pub tested: bool,
}

impl Toolchain {
    /// Nothing is known of it.
    pub const UNKNOWN: Self = Self {
        triple: "",
        compiler: "",
        flags: &[],
        rounding: &[],
        emulator: &[],
        packages: "",
        tested: false,
    };

    /// The same with flags that it needs to round.
    const fn rounding(self, rounding: &'static [&'static str]) -> Self {
        Self { rounding, ..self }
    }

    /// All flags that it needs.
    pub fn all_flags(self) -> impl Iterator<Item = &'static str> {
        self.flags.iter().chain(self.rounding).copied()
    }

    /// The same, used by tests.
    const fn tested(self) -> Self {
        Self { tested: true, ..self }
    }
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
    /// `long double`. It has no format where the abstract machine does not compute with it:
    /// the sum of two doubles on PowerPC, the extended format of the 68881.
    pub long_double: (ScalarLayout, Option<FloatFormat>),
    /// Whether results keep more digits or a wider range than their type has, whatever the flags.
    pub excess_precision: bool,
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
    /// Whether the processor cannot access what is not aligned: `STRICT_ALIGNMENT` of GCC.
    pub strict_alignment: bool,
    /// How bit-fields are laid out.
    pub bit_fields: BitFieldRule,
    /// What a program finds around it.
    pub environment: Environment,
    /// What compiles and runs programs for it.
    pub toolchain: Toolchain,
}

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

    /// The targets that a test is for: the one with this name, or all whose compilers every
    /// machine that runs the tests has.
    pub fn to_test(name: Option<&str>) -> Vec<&'static Self> {
        let is_wanted = |target: &&Self| match name {
            Some(name) => target.name == name,
            None => target.toolchain.tested,
        };
        TARGETS.into_iter().filter(is_wanted).collect()
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

    /// Size and alignment of a floating type; `None` if the target lacks it.
    pub fn float_layout(&self, kind: FloatKind) -> Option<ScalarLayout> {
        match kind {
            FloatKind::LongDouble => Some(self.long_double.0),
            _ => self.float_scalar(kind).map(|(layout, _)| layout),
        }
    }

    /// Size, alignment and format of a floating type; `None` if the target lacks it, or the
    /// abstract machine does not compute with it.
    pub fn float_scalar(&self, kind: FloatKind) -> Option<(ScalarLayout, FloatFormat)> {
        let long_double = self.long_double.1.map(|format| (self.long_double.0, format));
        let float128 = self.float128.map(|layout| (layout, FloatFormat::Quad));
        match kind {
            FloatKind::Float16 => Some((self.float16?, FloatFormat::Half)),
            FloatKind::Float | FloatKind::Float32 => Some(self.float),
            FloatKind::Double => Some(self.double),
            FloatKind::LongDouble => long_double,
            FloatKind::Float64 | FloatKind::Float32x => {
                let mut all = [Some(self.double), long_double].into_iter().flatten();
                all.find(|(_, format)| *format == FloatFormat::Double)
            }
            FloatKind::Float64x => {
                let mut all = [long_double, float128].into_iter().flatten();
                all.find(|(_, format)| *format > FloatFormat::Double)
            }
            FloatKind::Float128 => float128,
        }
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Target {}
