//! The table of machines. A row says only where it differs from the one that it begins from.

use super::{BitFieldRule, Environment, FloatFormat, ScalarLayout, Small, Target, Toolchain};
use crate::types::IntKind;

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

/// A machine without an operating system, emulated. Its programs print, and say how they end, by
/// semihosting; nothing else is connected.
macro_rules! bare {
    ($emulator:literal $(, $machine:literal)+) => {
        &[
            $emulator,
            $($machine,)+
            "-display",
            "none",
            "-monitor",
            "none",
            "-serial",
            "none",
            "-chardev",
            "stdio,id=out",
            "-semihosting-config",
            "enable=on,chardev=out",
            "-kernel",
        ]
    };
}

/// The one compiler for RISC-V of 32 and 64 bits without an operating system; flags say which.
macro_rules! riscv_elf {
    ($march:literal, $abi:literal, $emulator:literal) => {
        Toolchain {
            triple: "riscv64-unknown-elf",
            compiler: "riscv64-unknown-elf-gcc",
            flags: &[
                concat!("-march=", $march),
                concat!("-mabi=", $abi),
                "-mcmodel=medany",
                "--specs=picolibc.specs",
                "--crt0=hosted",
                "--oslib=semihost",
                "-Wl,--defsym=__flash=0x80000000",
                "-Wl,--defsym=__flash_size=16M",
                "-Wl,--defsym=__ram=0x81000000",
                "-Wl,--defsym=__ram_size=64M",
            ],
            emulator: bare!($emulator, "-machine", "virt", "-bios", "none"),
            packages: "gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc",
            ..Toolchain::UNKNOWN
        }
    };
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
    toolchain: cross!("arm-linux-gnueabihf", "armhf", "qemu-arm").tested(),
    ..ARM
};

/// What the Arms have in common.
const ARM: Target = Target {
    long_double: (ScalarLayout::new(8, 8), Some(FloatFormat::Double)),
    float128: None,
    wchar_type: IntKind::UInt,
    biggest_align: 8,
    vector_align: Some(8),
    bit_fields: BitFieldRule::Aapcs,
    strict_alignment: true,
    ..ILP32
};

/// An Arm without an operating system, a Cortex-M3 with picolibc: enumerations are made as wide as
/// elsewhere by a flag, and the memory is that of the board MPS2 with AN385.
pub static ARM_NONE: Target = Target {
    name: "arm-none",
    char32_type: IntKind::ULong,
    environment: Environment::BARE,
    toolchain: Toolchain {
        triple: "arm-none-eabi",
        compiler: "arm-none-eabi-gcc",
        flags: &[
            "-mcpu=cortex-m3",
            "-fno-short-enums",
            "--specs=picolibc.specs",
            "--crt0=hosted",
            "--oslib=semihost",
            "-Wl,--no-enum-size-warning",
            "-Wl,--defsym=__flash=0",
            "-Wl,--defsym=__flash_size=4M",
            "-Wl,--defsym=__ram=0x21000000",
            "-Wl,--defsym=__ram_size=16M",
        ],
        emulator: bare!("qemu-system-arm", "-machine", "mps2-an385"),
        packages: "gcc-arm-none-eabi picolibc-arm-none-eabi qemu-system-arm",
        ..Toolchain::UNKNOWN
    },
    ..ARM
};

/// 32-bit RISC-V without an operating system and without floating point, with picolibc.
pub static RISCV32_NONE: Target = Target {
    name: "riscv32-none",
    strict_alignment: true,
    char32_type: IntKind::ULong,
    environment: Environment::BARE,
    toolchain: riscv_elf!("rv32imac", "ilp32", "qemu-system-riscv32"),
    ..ILP32
};

/// 64-bit RISC-V without an operating system, with picolibc.
pub static RISCV64_NONE: Target = Target {
    name: "riscv64-none",
    strict_alignment: true,
    environment: Environment::BARE,
    toolchain: riscv_elf!("rv64imafdc", "lp64d", "qemu-system-riscv64"),
    ..LP64
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

/// WebAssembly with the interface of WASI: pointers have 32 bits, and so has `long`, which is the
/// type of sizes. Engines compile its programs again and run them.
pub static WASM32_WASI: Target = Target {
    name: "wasm32-wasi",
    char_signed: true,
    int128: LP64.int128,
    float128: None,
    size_type: IntKind::ULong,
    ptrdiff_type: IntKind::Long,
    environment: Environment { whole_library: false, ..Environment::HOSTED },
    toolchain: Toolchain {
        triple: "wasm32-wasi",
        compiler: "clang",
        flags: &["--target=wasm32-wasi"],
        packages: "clang lld wasi-libc libclang-rt-14-dev-wasm32 nodejs",
        tested: true,
        ..Toolchain::UNKNOWN
    },
    ..ILP32
};

/// Every target.
pub static TARGETS: [&Target; 27] = [
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
    &ARM_NONE,
    &RISCV32_NONE,
    &RISCV64_NONE,
    &AVR,
    &Z80,
    &STM8,
    &MCS51,
    &WASM32_WASI,
    &NVPTX64,
];
