//! The functions that the machine itself provides: a part of the C library, and builtins.

mod atomics;
mod bits;
mod characters;
mod decimal;
mod floats;
mod format;
mod input;
mod mathematics;
mod numbers;
mod output;
mod sorting;
mod strings;

use farrier_lang::{IntegerType, RecordKind, Type, TypeId, integer_type};

pub(crate) use self::input::Input;
pub(crate) use self::output::Stream;
use crate::kinds::{Cause, UbKind};
use crate::memory::{Location, Origin};
use crate::run::Machine;
use crate::underspecified;
use crate::value::Value;
use crate::verdict::{Checked, Ending, Limit, Stop, undefined, unspecified, unsupported};

/// Declares the functions: the variant and every name it is known by. Those under
/// `library` are also known with `__builtin_` before the name, those under `builtin`
/// only so, those under `exact` as they stand.
macro_rules! library {
    (
        library { $($library:ident = $($library_name:literal)|+;)* }
        builtin { $($builtin:ident = $($builtin_name:literal)|+;)* }
        exact { $($exact:ident = $($exact_name:literal)|+;)* }
    ) => {
        /// A function that the machine provides.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Library {
            $($library,)*
            $($builtin,)*
            $($exact,)*
        }

        impl Library {
            /// The function with this name.
            pub(crate) fn by_name(name: &str) -> Option<Self> {
                let exact = match name {
                    $($($exact_name)|+ => Some(Self::$exact),)*
                    _ => None,
                };
                let builtin = match name.strip_prefix("__builtin_") {
                    $($(Some($builtin_name))|+ => Some(Self::$builtin),)*
                    _ => None,
                };
                let plain = name.strip_prefix("__builtin_").unwrap_or(name);
                let library = match plain {
                    $($($library_name)|+ => Some(Self::$library),)*
                    _ => None,
                };
                exact.or(builtin).or(library)
            }
        }
    };
}

library! {
    library {
        Abort = "abort";
        Exit = "exit";
        ExitAtOnce = "_exit" | "_Exit";
        Atexit = "atexit";
        Printf = "printf" | "printf_unlocked";
        PrintfChecked = "__printf_chk";
        Vprintf = "vprintf";
        VprintfChecked = "__vprintf_chk";
        Fprintf = "fprintf" | "fprintf_unlocked";
        FprintfChecked = "__fprintf_chk";
        Vfprintf = "vfprintf";
        VfprintfChecked = "__vfprintf_chk";
        Puts = "puts" | "puts_unlocked";
        Putchar = "putchar" | "putchar_unlocked";
        Fputc = "fputc" | "fputc_unlocked" | "putc" | "putc_unlocked" | "_IO_putc";
        Fputs = "fputs" | "fputs_unlocked";
        Fwrite = "fwrite" | "fwrite_unlocked";
        Fflush = "fflush";
        Getchar = "getchar" | "getchar_unlocked";
        Fgetc = "fgetc" | "fgetc_unlocked" | "getc" | "getc_unlocked" | "_IO_getc";
        Ungetc = "ungetc";
        Fgets = "fgets" | "fgets_unlocked";
        Fread = "fread" | "fread_unlocked";
        Feof = "feof" | "feof_unlocked";
        Ferror = "ferror" | "ferror_unlocked";
        Clearerr = "clearerr" | "clearerr_unlocked";
        Sprintf = "sprintf";
        SprintfChecked = "__sprintf_chk";
        Snprintf = "snprintf";
        SnprintfChecked = "__snprintf_chk";
        Vsprintf = "vsprintf";
        VsprintfChecked = "__vsprintf_chk";
        Vsnprintf = "vsnprintf";
        VsnprintfChecked = "__vsnprintf_chk";
        Malloc = "malloc";
        Calloc = "calloc";
        Realloc = "realloc";
        AlignedAlloc = "aligned_alloc" | "memalign";
        PosixMemalign = "posix_memalign";
        Free = "free" | "cfree";
        Alloca = "alloca";
        Memcpy = "memcpy";
        MemcpyChecked = "__memcpy_chk";
        Mempcpy = "mempcpy";
        MempcpyChecked = "__mempcpy_chk";
        Memmove = "memmove";
        MemmoveChecked = "__memmove_chk";
        Bcopy = "bcopy";
        Memset = "memset";
        MemsetChecked = "__memset_chk";
        Bzero = "bzero";
        Memcmp = "memcmp" | "bcmp";
        Strlen = "strlen";
        Strnlen = "strnlen";
        Strcpy = "strcpy";
        StrcpyChecked = "__strcpy_chk";
        Stpcpy = "stpcpy";
        StpcpyChecked = "__stpcpy_chk";
        Strncpy = "strncpy";
        StrncpyChecked = "__strncpy_chk";
        Stpncpy = "stpncpy";
        StpncpyChecked = "__stpncpy_chk";
        Strcat = "strcat";
        StrcatChecked = "__strcat_chk";
        Strncat = "strncat";
        StrncatChecked = "__strncat_chk";
        Strcmp = "strcmp";
        Strncmp = "strncmp";
        Strcasecmp = "strcasecmp";
        Strncasecmp = "strncasecmp";
        Strchr = "strchr" | "index";
        Strrchr = "strrchr" | "rindex";
        Strspn = "strspn";
        Strcspn = "strcspn";
        Strpbrk = "strpbrk";
        Strstr = "strstr";
        Strdup = "strdup" | "__strdup";
        Strndup = "strndup" | "__strndup";
        Memchr = "memchr";
        Memrchr = "memrchr";
        Atoi = "atoi" | "atol" | "atoll";
        Strtol = "strtol" | "strtoll";
        Strtoul = "strtoul" | "strtoull";
        Strtod = "strtod";
        Atof = "atof";
        Qsort = "qsort";
        Bsearch = "bsearch";
        IsAlnum = "isalnum";
        IsAlpha = "isalpha";
        IsBlank = "isblank";
        IsCntrl = "iscntrl";
        IsDigit = "isdigit";
        IsGraph = "isgraph";
        IsLower = "islower";
        IsPrint = "isprint";
        IsPunct = "ispunct";
        IsSpace = "isspace";
        IsUpper = "isupper";
        IsXdigit = "isxdigit";
        ToLower = "tolower";
        ToUpper = "toupper";
        IsAscii = "isascii";
        ToAscii = "toascii";
        Abs = "abs" | "labs" | "llabs" | "imaxabs";
        FindFirstSet = "ffs" | "ffsl" | "ffsll" | "ffsimax";
        IsNan = "isnan" | "isnanf" | "isnanl";
        IsInf = "isinf" | "isinff" | "isinfl";
        IsFinite = "finite" | "finitef" | "finitel" | "isfinite";
        SignBit = "signbit" | "signbitf" | "signbitl" | "__signbit" | "__signbitf" | "__signbitl";
        FloatAbs = "fabs" | "fabsf" | "fabsl" | "fabsf16" | "fabsf32" | "fabsf64" | "fabsf128"
            | "fabsf32x" | "fabsf64x" | "fabsq";
        CopySign = "copysign" | "copysignf" | "copysignl" | "copysignf16" | "copysignf32"
            | "copysignf64" | "copysignf128" | "copysignf32x" | "copysignf64x" | "copysignq";
        Sqrt = "sqrt" | "sqrtf" | "sqrtl" | "sqrtf32" | "sqrtf64" | "sqrtf128";
        Floor = "floor" | "floorf" | "floorl" | "floorf32" | "floorf64" | "floorf128";
        Ceil = "ceil" | "ceilf" | "ceill" | "ceilf32" | "ceilf64" | "ceilf128";
        Trunc = "trunc" | "truncf" | "truncl" | "truncf32" | "truncf64" | "truncf128";
        Round = "round" | "roundf" | "roundl" | "roundf32" | "roundf64" | "roundf128";
        RoundEven = "rint" | "rintf" | "rintl" | "nearbyint" | "nearbyintf" | "nearbyintl"
            | "roundeven" | "roundevenf" | "roundevenl";
        LongRound = "lround" | "lroundf" | "lroundl" | "llround" | "llroundf" | "llroundl";
        LongRoundEven = "lrint" | "lrintf" | "lrintl" | "llrint" | "llrintf" | "llrintl";
        Fmod = "fmod" | "fmodf" | "fmodl";
        Fmin = "fmin" | "fminf" | "fminl" | "fminf32" | "fminf64" | "fminf128";
        Fmax = "fmax" | "fmaxf" | "fmaxl" | "fmaxf32" | "fmaxf64" | "fmaxf128";
        Fdim = "fdim" | "fdimf" | "fdiml";
        Fma = "fma" | "fmaf" | "fmal";
        Ldexp = "ldexp" | "ldexpf" | "ldexpl" | "scalbn" | "scalbnf" | "scalbnl" | "scalbln"
            | "scalblnf" | "scalblnl";
        Frexp = "frexp" | "frexpf" | "frexpl";
        Modf = "modf" | "modff" | "modfl";
        Ilogb = "ilogb" | "ilogbf" | "ilogbl";
        Logb = "logb" | "logbf" | "logbl";
        Nan = "nan" | "nanf" | "nanl" | "nanf32" | "nanf64" | "nanf128" | "nanq";
    }
    builtin {
        Trap = "trap";
        Unreachable = "unreachable";
        AllocaWithAlign = "alloca_with_align" | "alloca_with_align_and_max";
        CountLeadingZeros = "clz" | "clzl" | "clzll" | "clzimax";
        CountTrailingZeros = "ctz" | "ctzl" | "ctzll" | "ctzimax";
        CountLeadingSigns = "clrsb" | "clrsbl" | "clrsbll" | "clrsbimax";
        PopulationCount = "popcount" | "popcountl" | "popcountll" | "popcountimax";
        Parity = "parity" | "parityl" | "parityll" | "parityimax";
        ByteSwap = "bswap16" | "bswap32" | "bswap64" | "bswap128";
        AddOverflow = "add_overflow" | "sadd_overflow" | "saddl_overflow" | "saddll_overflow"
            | "uadd_overflow" | "uaddl_overflow" | "uaddll_overflow";
        SubOverflow = "sub_overflow" | "ssub_overflow" | "ssubl_overflow" | "ssubll_overflow"
            | "usub_overflow" | "usubl_overflow" | "usubll_overflow";
        MulOverflow = "mul_overflow" | "smul_overflow" | "smull_overflow" | "smulll_overflow"
            | "umul_overflow" | "umull_overflow" | "umulll_overflow";
        AddOverflowTest = "add_overflow_p";
        SubOverflowTest = "sub_overflow_p";
        MulOverflowTest = "mul_overflow_p";
        ClassifyType = "classify_type";
        ConstantUnknown = "constant_p";
        Assume = "assume";
        Prefetch = "prefetch" | "__clear_cache";
        AssumeAligned = "assume_aligned";
        ExtractReturnAddress = "extract_return_addr" | "frob_return_addr"
            | "speculation_safe_value";
        Setjmp = "setjmp";
        Longjmp = "longjmp";
        IsInfSign = "isinf_sign";
        IsNormal = "isnormal";
        IsSubnormal = "issubnormal";
        IsZero = "iszero";
        FpClassify = "fpclassify";
        IsGreater = "isgreater";
        IsGreaterEqual = "isgreaterequal";
        IsLess = "isless";
        IsLessEqual = "islessequal";
        IsLessGreater = "islessgreater";
        IsUnordered = "isunordered";
        Inf = "inf" | "inff" | "infl" | "inff16" | "inff32" | "inff64" | "inff128" | "inff32x"
            | "inff64x" | "infq" | "huge_val" | "huge_valf" | "huge_vall" | "huge_valf16"
            | "huge_valf32" | "huge_valf64" | "huge_valf128" | "huge_valf32x" | "huge_valf64x"
            | "huge_valq";
    }
    exact {
        AssertFail = "__assert_fail" | "__assert";
        SetjmpFunction = "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "__builtin__setjmp";
        LongjmpFunction = "longjmp" | "_longjmp" | "siglongjmp";
        CtypeTable = "__ctype_b_loc";
        LowerTable = "__ctype_tolower_loc";
        UpperTable = "__ctype_toupper_loc";
        Fence = "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence";
        FetchAdd = "__sync_fetch_and_add" | "__atomic_fetch_add";
        FetchSub = "__sync_fetch_and_sub" | "__atomic_fetch_sub";
        FetchOr = "__sync_fetch_and_or" | "__atomic_fetch_or";
        FetchAnd = "__sync_fetch_and_and" | "__atomic_fetch_and";
        FetchXor = "__sync_fetch_and_xor" | "__atomic_fetch_xor";
        FetchNand = "__sync_fetch_and_nand" | "__atomic_fetch_nand";
        AddFetch = "__sync_add_and_fetch" | "__atomic_add_fetch";
        SubFetch = "__sync_sub_and_fetch" | "__atomic_sub_fetch";
        OrFetch = "__sync_or_and_fetch" | "__atomic_or_fetch";
        AndFetch = "__sync_and_and_fetch" | "__atomic_and_fetch";
        XorFetch = "__sync_xor_and_fetch" | "__atomic_xor_fetch";
        NandFetch = "__sync_nand_and_fetch" | "__atomic_nand_fetch";
        SwapValue = "__sync_lock_test_and_set" | "__atomic_exchange_n";
        CompareSwapValue = "__sync_val_compare_and_swap";
        CompareSwapTest = "__sync_bool_compare_and_swap";
        LockRelease = "__sync_lock_release";
        AtomicLoadValue = "__atomic_load_n";
        AtomicStoreValue = "__atomic_store_n";
        AtomicLoad = "__atomic_load";
        AtomicStore = "__atomic_store";
        AtomicExchange = "__atomic_exchange";
        CompareExchangeValue = "__atomic_compare_exchange_n";
        CompareExchange = "__atomic_compare_exchange";
        TestAndSet = "__atomic_test_and_set";
        AtomicClear = "__atomic_clear";
    }
}

impl Library {
    /// Whether it touches no memory that existed before, and no output.
    pub(crate) fn is_pure(self) -> bool {
        use Library::*;
        matches!(
            self,
            Abs | CountLeadingZeros
                | CountTrailingZeros
                | CountLeadingSigns
                | PopulationCount
                | Parity
                | FindFirstSet
                | ByteSwap
                | AddOverflowTest
                | SubOverflowTest
                | MulOverflowTest
                | ClassifyType
                | Prefetch
                | AssumeAligned
                | ExtractReturnAddress
                | Malloc
                | Calloc
                | AlignedAlloc
                | Alloca
                | AllocaWithAlign
        ) || self.is_mathematics() && !matches!(self, Frexp | Modf | Nan)
            || self.is_character()
    }

    fn is_mathematics(self) -> bool {
        use Library::*;
        matches!(
            self,
            IsNan
                | IsInf
                | IsFinite
                | SignBit
                | FloatAbs
                | CopySign
                | Sqrt
                | Floor
                | Ceil
                | Trunc
                | Round
                | RoundEven
                | LongRound
                | LongRoundEven
                | Fmod
                | Fmin
                | Fmax
                | Fdim
                | Fma
                | Ldexp
                | Frexp
                | Modf
                | Ilogb
                | Logb
                | Nan
                | IsInfSign
                | IsNormal
                | IsSubnormal
                | IsZero
                | FpClassify
                | IsGreater
                | IsGreaterEqual
                | IsLess
                | IsLessEqual
                | IsLessGreater
                | IsUnordered
                | Inf
        )
    }

    fn is_character(self) -> bool {
        use Library::*;
        matches!(
            self,
            IsAlnum
                | IsAlpha
                | IsBlank
                | IsCntrl
                | IsDigit
                | IsGraph
                | IsLower
                | IsPrint
                | IsPunct
                | IsSpace
                | IsUpper
                | IsXdigit
                | ToLower
                | ToUpper
                | IsAscii
                | ToAscii
        )
    }

    /// Whether it may write to memory that the program can see.
    pub(crate) fn writes_memory(self) -> bool {
        use Library::*;
        !matches!(
            self,
            Puts | Putchar
                | Fputc
                | Fputs
                | Fwrite
                | Fflush
                | Getchar
                | Fgetc
                | Ungetc
                | Feof
                | Ferror
                | Clearerr
                | Memcmp
                | Strlen
                | Strnlen
                | Strcmp
                | Strncmp
                | Strcasecmp
                | Strncasecmp
                | Strchr
                | Strrchr
                | Strspn
                | Strcspn
                | Strpbrk
                | Strstr
                | Strdup
                | Strndup
                | Memchr
                | Memrchr
                | Atoi
                | Atof
                | Nan
                | AtomicLoadValue
        ) && !self.is_pure()
    }

    /// Whether it is an atomic access or a fence.
    pub(crate) fn is_atomic(self) -> bool {
        use Library::*;
        matches!(
            self,
            Fence
                | FetchAdd
                | FetchSub
                | FetchOr
                | FetchAnd
                | FetchXor
                | FetchNand
                | AddFetch
                | SubFetch
                | OrFetch
                | AndFetch
                | XorFetch
                | NandFetch
                | SwapValue
                | CompareSwapValue
                | CompareSwapTest
                | LockRelease
                | AtomicLoadValue
                | AtomicStoreValue
                | AtomicLoad
                | AtomicStore
                | AtomicExchange
                | CompareExchangeValue
                | CompareExchange
                | TestAndSet
                | AtomicClear
        )
    }

    /// Whether it uses a stream, ends the program, or calls a function that may.
    pub(crate) fn prints(self) -> bool {
        use Library::*;
        matches!(
            self,
            Printf
                | PrintfChecked
                | Vprintf
                | VprintfChecked
                | Fprintf
                | FprintfChecked
                | Vfprintf
                | VfprintfChecked
                | Puts
                | Putchar
                | Fputc
                | Fputs
                | Fwrite
                | Getchar
                | Fgetc
                | Ungetc
                | Fgets
                | Fread
                | Feof
                | Ferror
                | Clearerr
                | Abort
                | Trap
                | Exit
                | ExitAtOnce
                | AssertFail
                | Qsort
                | Bsearch
                | Longjmp
                | LongjmpFunction
        )
    }
}

/// Arguments with their types.
pub(crate) type Arguments<'a> = &'a [(Value, TypeId)];

impl Machine<'_> {
    /// Calls a library function.
    pub(crate) fn library(
        &mut self,
        function: Library,
        arguments: Arguments<'_>,
        result: TypeId,
    ) -> Checked<Value> {
        use Library::*;
        match function {
            Abort | Trap | AssertFail => {
                self.exit_handlers.clear();
                Err(Box::new(Stop::End(Ending::Abort)))
            }
            Unreachable => undefined(UbKind::Unreachable, "__builtin_unreachable is reached"),
            Exit | ExitAtOnce => {
                if function == ExitAtOnce {
                    self.exit_handlers.clear();
                }
                let status = argument(arguments, 0)?;
                if status.high != 0 {
                    return underspecified::tainted(
                        status,
                        "an exit status that depends on an address",
                    );
                }
                Err(Box::new(Stop::End(Ending::Exit(status.low as i32))))
            }
            Atexit => {
                let handler = argument(arguments, 0)?;
                self.callee(handler)?;
                self.exit_handlers.push(handler);
                Ok(Value::int(0))
            }
            Printf | PrintfChecked | Vprintf | VprintfChecked | Fprintf | FprintfChecked
            | Vfprintf | VfprintfChecked | Puts | Putchar | Fputc | Fputs | Fwrite | Fflush => {
                self.output_function(function, arguments)
            }
            Getchar | Fgetc | Ungetc | Fgets | Fread | Feof | Ferror | Clearerr => {
                self.input_function(function, arguments)
            }
            Sprintf | SprintfChecked | Snprintf | SnprintfChecked | Vsprintf | VsprintfChecked
            | Vsnprintf | VsnprintfChecked => self.print_to_memory(function, arguments),
            Malloc | Calloc | Realloc | AlignedAlloc | PosixMemalign | Free | Alloca
            | AllocaWithAlign => self.heap_function(function, arguments),
            Memcpy | MemcpyChecked | Mempcpy | MempcpyChecked | Memmove | MemmoveChecked
            | Bcopy | Memset | MemsetChecked | Bzero | Memcmp | Strlen | Strnlen | Strcpy
            | StrcpyChecked | Stpcpy | StpcpyChecked | Strncpy | StrncpyChecked | Stpncpy
            | StpncpyChecked | Strcat | StrcatChecked | Strncat | StrncatChecked | Strcmp
            | Strncmp | Strcasecmp | Strncasecmp | Strchr | Strrchr | Strspn | Strcspn
            | Strpbrk | Strstr | Strdup | Strndup | Memchr | Memrchr => {
                self.string_function(function, arguments)
            }
            Atoi | Strtol | Strtoul | Strtod | Atof => {
                self.number_function(function, arguments, result)
            }
            Qsort => self.sort(arguments),
            Bsearch => self.search(arguments),
            IsAlnum | IsAlpha | IsBlank | IsCntrl | IsDigit | IsGraph | IsLower | IsPrint
            | IsPunct | IsSpace | IsUpper | IsXdigit | ToLower | ToUpper | IsAscii | ToAscii => {
                self.character_function(function, arguments)
            }
            CtypeTable | LowerTable | UpperTable => self.character_table(function),
            CountLeadingZeros | CountTrailingZeros | CountLeadingSigns | PopulationCount
            | Parity | FindFirstSet | ByteSwap | AddOverflow | SubOverflow | MulOverflow
            | AddOverflowTest | SubOverflowTest | MulOverflowTest | Abs => {
                self.bit_function(function, arguments, result)
            }
            Prefetch | Fence => Ok(Value::default()),
            AssumeAligned | ExtractReturnAddress => argument(arguments, 0),
            Assume => match argument(arguments, 0)?.low {
                0 => undefined(UbKind::Unreachable, "the assumption is false"),
                _ => Ok(Value::default()),
            },
            ClassifyType => self.classify(arguments),
            ConstantUnknown => unspecified(
                Cause::Compiler,
                "whether this is a constant depends on what the compiler finds out",
            ),
            Setjmp | SetjmpFunction | Longjmp | LongjmpFunction => {
                unsupported("setjmp or longjmp through a pointer")
            }
            FetchAdd | FetchSub | FetchOr | FetchAnd | FetchXor | FetchNand | AddFetch
            | SubFetch | OrFetch | AndFetch | XorFetch | NandFetch | SwapValue
            | CompareSwapValue | CompareSwapTest | LockRelease | AtomicLoadValue
            | AtomicStoreValue | AtomicLoad | AtomicStore | AtomicExchange
            | CompareExchangeValue | CompareExchange | TestAndSet | AtomicClear => {
                self.atomic_function(function, arguments)
            }
            IsNan | IsInf | IsFinite | SignBit | FloatAbs | CopySign | Sqrt | Floor | Ceil
            | Trunc | Round | RoundEven | LongRound | LongRoundEven | Fmod | Fmin | Fmax | Fdim
            | Fma | Ldexp | Frexp | Modf | Ilogb | Logb | Nan | IsInfSign | IsNormal
            | IsSubnormal | IsZero | FpClassify | IsGreater | IsGreaterEqual | IsLess
            | IsLessEqual | IsLessGreater | IsUnordered | Inf => {
                self.math_function(function, arguments, result)
            }
        }
    }

    /// What `__builtin_classify_type` says, from typeclass.h of GCC.
    fn classify(&self, arguments: Arguments<'_>) -> Checked<Value> {
        let (_, ty) = *arguments.first().ok_or_else(missing)?;
        Ok(Value::int(match self.program.resolve(ty) {
            Type::Void => 0,
            Type::Int(_) | Type::Enum(_) | Type::BitInt { .. } => 1,
            Type::Pointer(_) | Type::NullPointer | Type::Array { .. } | Type::Function(_) => 5,
            Type::Float(_) => 8,
            Type::Complex(_) => 9,
            Type::Record(record) => match self.program[*record].kind {
                RecordKind::Struct => 12,
                RecordKind::Union => 13,
            },
            _ => return unsupported("__builtin_classify_type of this type"),
        }))
    }

    fn heap_function(&mut self, function: Library, arguments: Arguments<'_>) -> Checked<Value> {
        use Library::*;
        let first = argument(arguments, 0)?;
        match function {
            Malloc => self.allocate_heap(first.low, 16, false),
            Calloc => match first.low.checked_mul(argument(arguments, 1)?.low) {
                Some(bytes) => self.allocate_heap(bytes, 16, true),
                None => Ok(Value::default()),
            },
            Realloc => self.reallocate(first, argument(arguments, 1)?.low),
            AlignedAlloc => match first.low {
                align if align.is_power_of_two() && align <= 1 << 20 => {
                    self.allocate_heap(argument(arguments, 1)?.low, align as u32, false)
                }
                align => unsupported(format!("an alignment of {align}")),
            },
            PosixMemalign => {
                const INVALID_ARGUMENT: i64 = 22;
                let align = argument(arguments, 1)?.low;
                let size = self.program.target.pointer.size;
                if !align.is_power_of_two() || align < u64::from(size) || align > 1 << 20 {
                    return Ok(Value::int(INVALID_ARGUMENT));
                }
                let pointer =
                    self.allocate_heap(argument(arguments, 2)?.low, align as u32, false)?;
                let at = self.memory.locate(first, u64::from(size), size)?;
                self.check_writable(at)?;
                self.memory.write(at, size, pointer.low.into(), pointer.high)?;
                Ok(Value::int(0))
            }
            Free => self.free(first),
            _ => {
                let align = match arguments.get(1) {
                    Some((bits, _)) if function == AllocaWithAlign => (bits.low / 8) as u32,
                    _ => 16,
                };
                let pointer = self.allocate(Origin::Alloca, first.low, align, false)?;
                let (slot, _) = self.memory.slot_of(pointer.high).expect("it is alive");
                self.dies_with_frame(slot);
                Ok(pointer)
            }
        }
    }

    /// Aborts, as the checked functions do, if so many bytes do not fit.
    fn check_size(&mut self, needed: u64, size: u64) -> Checked {
        let unknown = u64::MAX >> (64 - 8 * self.program.target.pointer.size);
        if size != unknown && needed > size {
            self.exit_handlers.clear();
            return Err(Box::new(Stop::End(Ending::Abort)));
        }
        Ok(())
    }

    fn write_bytes(&mut self, to: Value, bytes: &[u8]) -> Checked {
        let at = self.memory.locate(to, bytes.len() as u64, 1)?;
        self.check_writable(at)?;
        for (index, byte) in bytes.iter().enumerate() {
            let at = at.plus(index as u64);
            self.memory.write(at, 1, u128::from(*byte), 0)?;
        }
        Ok(())
    }

    fn allocate_heap(&mut self, size: u64, align: u32, zeroed: bool) -> Checked<Value> {
        self.allocate(Origin::Heap, size, align, zeroed)
    }

    fn allocate(&mut self, origin: Origin, size: u64, align: u32, zeroed: bool) -> Checked<Value> {
        if size > self.heap_limit {
            // A request that no machine grants.
            return Err(Box::new(Stop::Exhausted(Limit::Memory(self.heap_limit))));
        }
        let slot = self.memory.allocate(origin, size, align, None)?;
        if zeroed {
            self.memory.fill(Location::new(slot, 0), size, 0)?;
        }
        Ok(self.memory.pointer_to(slot))
    }

    /// The slot of a pointer that can be freed.
    fn heap_slot(&self, pointer: Value) -> Checked<u32> {
        match self.memory.slot_of(pointer.high) {
            Some((slot, alive)) => {
                let data = &self.memory.slots[slot as usize];
                if data.origin != Origin::Heap {
                    return undefined(UbKind::BadFree, "this memory is not from malloc");
                }
                if !alive {
                    return undefined(UbKind::BadFree, "this memory is freed already");
                }
                if data.address != pointer.low {
                    return undefined(UbKind::BadFree, "this is not the start of the memory");
                }
                Ok(slot)
            }
            None => undefined(UbKind::BadFree, "this pointer is not from malloc"),
        }
    }

    fn free(&mut self, pointer: Value) -> Checked<Value> {
        if pointer.low == 0 && pointer.high == 0 {
            return Ok(Value::default());
        }
        let slot = self.heap_slot(pointer)?;
        self.memory.kill(slot);
        self.memory.release(slot);
        Ok(Value::default())
    }

    fn reallocate(&mut self, pointer: Value, size: u64) -> Checked<Value> {
        if size == 0 {
            return unsupported("realloc to no bytes, which may free the memory or not");
        }
        let new = self.allocate_heap(size, 16, false)?;
        if pointer.low == 0 && pointer.high == 0 {
            return Ok(new);
        }
        let slot = self.heap_slot(pointer)?;
        let keep = self.memory.slots[slot as usize].size.min(size);
        if keep > 0 {
            let from = self.memory.locate(pointer, keep, 1)?;
            let to = self.memory.locate(new, keep, 1)?;
            self.memory.copy(to.unrecorded(), from.unrecorded(), keep)?;
        }
        self.memory.kill(slot);
        self.memory.release(slot);
        Ok(new)
    }

    fn integer_class(&self, ty: TypeId) -> IntegerType {
        integer_type(self.program, ty).unwrap_or(IntegerType { signed: true, bits: 32 })
    }

    /// Whether a type is a pointer, for `%p` and `%s`.
    pub(crate) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Pointer(_))
    }
}

fn missing() -> Box<Stop> {
    Box::new(Stop::Undefined(UbKind::CallArguments, "an argument is missing".to_owned()))
}

/// An argument, which the program may have left out.
pub(crate) fn argument(arguments: Arguments<'_>, index: usize) -> Checked<Value> {
    arguments.get(index).map(|(value, _)| *value).ok_or_else(missing)
}
