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

/// The cross compiler for a triple with the library of this package, and its emulator.
macro_rules! cross {
    ($triple:literal, $library:literal, $emulator:literal) => {
        Toolchain {
            triple: $triple,
            compiler: concat!($triple, "-gcc"),
            flags: &[],
            rounding: &[],
            emulator: &[$emulator, "-L", concat!("/usr/", $triple)],
            packages: concat!("gcc-", $triple, " libc6-dev-", $library, "-cross qemu-user"),
            tested: false,
        }
    };
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
    long_double: (ScalarLayout::new(16, 16), Some(FloatFormat::Quad)),
    excess_precision: false,
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
    strict_alignment: false,
    bit_fields: BitFieldRule::SystemV,
    environment: Environment::HOSTED,
    toolchain: Toolchain::UNKNOWN,
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
    long_double: (ScalarLayout::new(16, 16), Some(FloatFormat::X87)),
    float16: Some(ScalarLayout::new(2, 2)),
    va_list: ScalarLayout::new(24, 8),
    toolchain: Toolchain {
        triple: "x86_64-linux-gnu",
        compiler: "gcc",
        flags: &["-m64"],
        rounding: &[],
        emulator: &[],
        packages: "gcc libc6-dev",
        tested: true,
    },
    ..LP64
};

/// i386 Linux: 32-bit pointers and long; 64-bit members are aligned to 4. There is no
/// `_Float16`, which needs SSE2. The x87 has excess precision that the machine does not, so
/// `double` is computed as on x86-64.
pub static I386_LINUX: Target = Target {
    name: "i386-linux",
    char_signed: true,
    long_long: ScalarLayout { size: 8, align: 4, preferred: 8 },
    bit_int_unit: Some(4),
    double: (ScalarLayout { size: 8, align: 4, preferred: 8 }, FloatFormat::Double),
    long_double: (ScalarLayout::new(12, 4), Some(FloatFormat::X87)),
    wchar_type: IntKind::Long,
    toolchain: Toolchain {
        triple: "i386-linux-gnu",
        compiler: "gcc",
        flags: &["-m32"],
        rounding: &["-msse2", "-mfpmath=sse"],
        emulator: &[],
        // The package without a number cannot be installed beside compilers for other machines.
        packages: "gcc-12-multilib",
        tested: true,
    },
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
    long_double: (ScalarLayout::new(4, 1), Some(FloatFormat::Single)),
    excess_precision: false,
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
    strict_alignment: false,
    bit_fields: BitFieldRule::Dense { empty: 1 },
    environment: Environment::MICROCONTROLLER,
    toolchain: Toolchain::UNKNOWN,
};

/// AVR: as GCC 5.4 compiles for it, which Debian has; since GCC 10 long double has eight bytes.
pub static AVR: Target = Target {
    name: "avr",
    char_signed: true,
    toolchain: Toolchain {
        triple: "avr",
        compiler: "avr-gcc",
        flags: &[],
        rounding: &[],
        emulator: &[],
        packages: "gcc-avr avr-libc simavr",
        tested: true,
    },
    ..SMALL
};

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

/// SDCC for one of its ports. It reads files only, not standard input.
const fn sdcc(flags: &'static [&'static str]) -> Toolchain {
    let packages = "sdcc sdcc-ucsim";
    Toolchain { compiler: "sdcc", flags, packages, ..Toolchain::UNKNOWN }
}

/// Z80, as SDCC compiles for it.
pub static Z80: Target = Target { name: "z80", toolchain: sdcc(&["-mz80"]), ..SDCC };

/// STM8, as SDCC compiles for it: the first byte of an integer is its highest.
pub static STM8: Target =
    Target { name: "stm8", big_endian: true, toolchain: sdcc(&["-mstm8"]), ..SDCC };

/// MCS-51, as SDCC compiles for it in its large model: a pointer to data has three bytes, of which
/// one names the memory.
pub static MCS51: Target = Target {
    name: "mcs51",
    pointer: ScalarLayout::new(3, 1),
    va_list: ScalarLayout::new(3, 1),
    ptrdiff_type: IntKind::Long,
    environment: Environment { lacks: MCS51_LACKS, ..SDCC.environment },
    toolchain: sdcc(&["-mmcs51", "--model-large"]),
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
    toolchain: cross!("aarch64-linux-gnu", "arm64", "qemu-aarch64").tested(),
    ..LP64
};

/// 64-bit RISC-V Linux: `char` is unsigned, `long double` is binary128. GCC has no
/// `_BitInt` for it.
pub static RISCV64_LINUX: Target = Target {
    name: "riscv64-linux",
    strict_alignment: true,
    toolchain: cross!("riscv64-linux-gnu", "riscv64", "qemu-riscv64").tested(),
    ..LP64
};

/// 32-bit Arm Linux with hardware floating point: `long double` is `double`, 64-bit numbers
/// are aligned to 8. `_Float16` needs an option; GCC has no `_BitInt` for it.
pub static ARM_LINUX: Target = Target {
    name: "arm-linux",
    long_double: (ScalarLayout::new(8, 8), Some(FloatFormat::Double)),
    float128: None,
    wchar_type: IntKind::UInt,
    biggest_align: 8,
    vector_align: Some(8),
    bit_fields: BitFieldRule::Aapcs,
    strict_alignment: true,
    toolchain: cross!("arm-linux-gnueabihf", "armhf", "qemu-arm").tested(),
    ..ILP32
};

/// s390x Linux: big-endian; nothing is aligned to more than 8. GCC 12 has neither `_Float16`
/// nor `_BitInt` for it.
pub static S390X_LINUX: Target = Target {
    name: "s390x-linux",
    big_endian: true,
    int128: Some(ScalarLayout::new(16, 8)),
    long_double: (ScalarLayout::new(16, 8), Some(FloatFormat::Quad)),
    float128: Some(ScalarLayout::new(16, 8)),
    va_list: ScalarLayout::new(32, 8),
    biggest_align: 8,
    toolchain: cross!("s390x-linux-gnu", "s390x", "qemu-s390x").tested(),
    ..LP64
};

/// What the PowerPC targets have in common: `long double` is the sum of two doubles.
const POWERPC: Target = Target {
    big_endian: true,
    long_double: (ScalarLayout::new(16, 16), None),
    float128: None,
    ..LP64
};

/// 32-bit PowerPC Linux: big-endian, `va_list` is a struct.
pub static POWERPC_LINUX: Target = Target {
    name: "powerpc-linux",
    big_endian: true,
    long_double: POWERPC.long_double,
    float128: None,
    va_list: ScalarLayout::new(12, 4),
    wchar_type: IntKind::Long,
    toolchain: cross!("powerpc-linux-gnu", "powerpc", "qemu-ppc"),
    ..ILP32
};

/// 64-bit PowerPC Linux, big-endian, with function descriptors.
pub static POWERPC64_LINUX: Target = Target {
    name: "powerpc64-linux",
    toolchain: cross!("powerpc64-linux-gnu", "ppc64", "qemu-ppc64"),
    ..POWERPC
};

/// 64-bit PowerPC Linux, little-endian, where `_Float128` exists.
pub static POWERPC64LE_LINUX: Target = Target {
    name: "powerpc64le-linux",
    big_endian: false,
    float128: LP64.float128,
    toolchain: cross!("powerpc64le-linux-gnu", "ppc64el", "qemu-ppc64le"),
    ..POWERPC
};

/// 32-bit MIPS Linux (o32): big-endian, `long double` is `double`.
pub static MIPS_LINUX: Target = Target {
    name: "mips-linux",
    char_signed: true,
    big_endian: true,
    long_double: (ScalarLayout::new(8, 8), Some(FloatFormat::Double)),
    float128: None,
    biggest_align: 8,
    strict_alignment: true,
    toolchain: cross!("mips-linux-gnu", "mips", "qemu-mips"),
    ..ILP32
};

/// 64-bit MIPS Linux (n64), little-endian.
pub static MIPS64EL_LINUX: Target = Target {
    name: "mips64el-linux",
    char_signed: true,
    strict_alignment: true,
    toolchain: cross!("mips64el-linux-gnuabi64", "mips64el", "qemu-mips64el"),
    ..LP64
};

/// 64-bit SPARC Linux: big-endian.
pub static SPARC64_LINUX: Target = Target {
    name: "sparc64-linux",
    char_signed: true,
    big_endian: true,
    strict_alignment: true,
    toolchain: cross!("sparc64-linux-gnu", "sparc64", "qemu-sparc64"),
    ..LP64
};

/// m68k Linux: big-endian, nothing is aligned to more than 2, bit-fields are dense, and
/// `long double` has the extended format of the 68881.
pub static M68K_LINUX: Target = Target {
    name: "m68k-linux",
    char_signed: true,
    big_endian: true,
    int: ScalarLayout::new(4, 2),
    long: ScalarLayout::new(4, 2),
    long_long: ScalarLayout::new(8, 2),
    pointer: ScalarLayout::new(4, 2),
    float: (ScalarLayout::new(4, 2), FloatFormat::Single),
    double: (ScalarLayout::new(8, 2), FloatFormat::Double),
    long_double: (ScalarLayout::new(12, 2), None),
    excess_precision: true,
    float128: None,
    va_list: ScalarLayout::new(4, 2),
    wchar_type: IntKind::Long,
    biggest_align: 2,
    bit_fields: BitFieldRule::Dense { empty: 2 },
    toolchain: cross!("m68k-linux-gnu", "m68k", "qemu-m68k").tested(),
    ..ILP32
};

/// Alpha Linux: `va_list` is a struct. Without `-mieee` the processor traps on infinities, and on
/// numbers that are none.
pub static ALPHA_LINUX: Target = Target {
    name: "alpha-linux",
    char_signed: true,
    va_list: ScalarLayout::new(16, 8),
    strict_alignment: true,
    toolchain: Toolchain {
        packages: "gcc-alpha-linux-gnu libc6.1-dev-alpha-cross qemu-user",
        ..cross!("alpha-linux-gnu", "alpha", "qemu-alpha").rounding(&["-mieee"])
    },
    ..LP64
};

/// PA-RISC Linux, 32-bit: big-endian, `long double` is `double`, the stack grows upwards.
pub static HPPA_LINUX: Target = Target {
    name: "hppa-linux",
    char_signed: true,
    big_endian: true,
    long_double: (ScalarLayout::new(8, 8), Some(FloatFormat::Double)),
    float128: None,
    wchar_type: IntKind::Long,
    biggest_align: 8,
    strict_alignment: true,
    toolchain: cross!("hppa-linux-gnu", "hppa", "qemu-hppa"),
    ..ILP32
};

/// SuperH 4 Linux: nothing is aligned to more than 4, `long double` is `double`, `va_list` is a
/// struct. Its programs are compiled and not run: in qemu 7.2 the C library of Debian crashes
/// before `main`.
pub static SH4_LINUX: Target = Target {
    name: "sh4-linux",
    char_signed: true,
    long_long: ScalarLayout::new(8, 4),
    double: (ScalarLayout::new(8, 4), FloatFormat::Double),
    long_double: (ScalarLayout::new(8, 4), Some(FloatFormat::Double)),
    float128: None,
    va_list: ScalarLayout::new(20, 4),
    wchar_type: IntKind::Long,
    biggest_align: 4,
    strict_alignment: true,
    toolchain: Toolchain { emulator: &[], ..cross!("sh4-linux-gnu", "sh4", "qemu-sh4") },
    ..ILP32
};

/// What device code cannot have, by the guide of CUDA and the messages of nvcc: it has neither the
/// functions of strings nor `alloca`, takes `long double` for `double`, and has no vectors and no
/// pragmas of GNU C. Its inline assembly is that of PTX.
const CUDA_LACKS: &[&str] = &[
    "long-double",
    "float16",
    "float128",
    "alloca",
    "string-function",
    "overflow-builtin",
    "vector",
    "barrier",
    "loop-hint",
    "ivdep",
    "omp-simd",
];

/// Windows on x86-64: pointers have 64 bits and `long` has 32. The compiler is that of MinGW-w64,
/// whose `long double` is that of the x87; the library of Microsoft does not know it, but the one
/// that MinGW-w64 adds does.
pub static X86_64_WINDOWS: Target = Target {
    name: "x86_64-windows",
    char_signed: true,
    long: ScalarLayout::new(4, 4),
    long_double: (ScalarLayout::new(16, 16), Some(FloatFormat::X87)),
    float16: Some(ScalarLayout::new(2, 2)),
    size_type: IntKind::ULongLong,
    ptrdiff_type: IntKind::LongLong,
    wchar_type: IntKind::UShort,
    bit_fields: BitFieldRule::Microsoft,
    environment: Environment::WINDOWS,
    toolchain: Toolchain {
        triple: "x86_64-w64-mingw32",
        compiler: "x86_64-w64-mingw32-gcc",
        emulator: &["wine"],
        packages: "gcc-mingw-w64-x86-64-win32 wine64 wine",
        ..Toolchain::UNKNOWN
    },
    ..LP64
};

/// Windows on i386: 64-bit members are aligned to 8, unlike on Linux.
pub static I386_WINDOWS: Target = Target {
    name: "i386-windows",
    char_signed: true,
    long_double: (ScalarLayout::new(12, 4), Some(FloatFormat::X87)),
    wchar_type: IntKind::UShort,
    bit_fields: BitFieldRule::Microsoft,
    environment: Environment::WINDOWS,
    toolchain: Toolchain {
        triple: "i686-w64-mingw32",
        compiler: "i686-w64-mingw32-gcc",
        rounding: &["-msse2", "-mfpmath=sse"],
        emulator: &["wine"],
        packages: "gcc-mingw-w64-i686-win32 wine64 wine libwine:i386",
        ..Toolchain::UNKNOWN
    },
    ..ILP32
};

/// The devices of NVIDIA, whose types are laid out as on their host, x86-64 Linux.
pub static NVPTX64: Target = Target {
    name: "nvptx64",
    char_signed: true,
    long_double: (ScalarLayout::new(16, 16), None),
    float128: None,
    environment: Environment {
        arguments_to_main: false,
        whole_library: false,
        is_device: true,
        lacks: CUDA_LACKS,
        ..Environment::HOSTED
    },
    toolchain: Toolchain { triple: "nvptx64-nvidia-cuda", compiler: "gcc", ..Toolchain::UNKNOWN },
    ..LP64
};

/// Every target.
pub static TARGETS: [&Target; 23] = [
    &X86_64_LINUX,
    &I386_LINUX,
    &AARCH64_LINUX,
    &S390X_LINUX,
    &RISCV64_LINUX,
    &ARM_LINUX,
    &POWERPC_LINUX,
    &POWERPC64_LINUX,
    &POWERPC64LE_LINUX,
    &MIPS_LINUX,
    &MIPS64EL_LINUX,
    &SPARC64_LINUX,
    &M68K_LINUX,
    &ALPHA_LINUX,
    &HPPA_LINUX,
    &SH4_LINUX,
    &X86_64_WINDOWS,
    &I386_WINDOWS,
    &AVR,
    &Z80,
    &STM8,
    &MCS51,
    &NVPTX64,
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
