//! The functions that the machine provides: their names, headers and effects, and which
//! file has them. `docs/reference/library.md` is made from this table.

/// Which names a row stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spelling {
    /// The name, and the name with `__builtin_` before it.
    Plain,
    /// Only with `__builtin_` before it.
    Builtin,
    /// Only as it stands.
    Exact,
}

/// Which part of the library a function belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    Approximate,
    Atomics,
    Bits,
    Characters,
    CharacterTables,
    Compilers,
    Ending,
    Environment,
    Files,
    Heap,
    Input,
    Jumps,
    Mathematics,
    Numbers,
    Output,
    PrintToMemory,
    Scan,
    Sorting,
    Strings,
    Tokens,
}

/// What a call may do that others can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Effects(u8);

impl Effects {
    /// It touches no memory that existed before, and no stream.
    const PURE: Self = Self(0);
    const READS: Self = Self(1);
    const WRITES: Self = Self(1 | 2);
    /// It uses a stream, ends the program, or calls a function that may.
    const PRINTS: Self = Self(1 | 4);
    const PRINTS_AND_WRITES: Self = Self(1 | 2 | 4);
    const ATOMIC: Self = Self(1 | 2 | 8);
}

/// What is known of a function.
struct Row {
    room: Room,
    effects: Effects,
    /// The header that declares it; empty for builtins.
    header: &'static str,
    /// What a reader of the page must know.
    note: &'static str,
}

/// A name of a function.
struct Name {
    text: &'static str,
    function: Library,
    spelling: Spelling,
}

/// Declares the functions in blocks: how their names are spelled, the room, the effects
/// and the header. Each row has the names of one function, and may have a note.
macro_rules! functions {
    ($($spelling:ident $room:ident $effects:ident $header:literal {
        $($function:ident = $($name:literal)|+ $(, $note:literal)?;)*
    })*) => {
        /// A function that the machine provides.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Library {
            $($($function,)*)*
        }

        /// By function.
        const ROWS: &[Row] = &[$($(Row {
            room: Room::$room,
            effects: Effects::$effects,
            header: $header,
            note: {
                let _ = Library::$function;
                concat!("" $(, $note)?)
            },
        },)*)*];

        const NAMES: &[Name] = &[$($($(Name {
            text: $name,
            function: Library::$function,
            spelling: Spelling::$spelling,
        },)+)*)*];
    };
}

functions! {
    Plain Ending PRINTS_AND_WRITES "stdlib.h" {
        Abort = "abort";
        Exit = "exit";
        ExitAtOnce = "_exit" | "_Exit";
    }
    Plain Ending PRINTS_AND_WRITES "stdlib.h" {
        Atexit = "atexit";
        QuickExit = "quick_exit";
        AtQuickExit = "at_quick_exit";
    }
    Plain Ending PRINTS_AND_WRITES "signal.h" {
        Signal = "signal" | "__sysv_signal" | "bsd_signal" | "sysv_signal",
            "whether a handler is still there after it was called once is unspecified";
        Raise = "raise", "a signal without a handler is unsupported, except SIGABRT";
    }
    Builtin Ending PRINTS_AND_WRITES "" {
        Trap = "trap";
    }
    Exact Ending PRINTS_AND_WRITES "assert.h" {
        AssertFail = "__assert_fail" | "__assert";
    }
    Plain Output PRINTS_AND_WRITES "stdio.h" {
        Printf = "printf" | "printf_unlocked";
        PrintfChecked = "__printf_chk";
        Vprintf = "vprintf";
        VprintfChecked = "__vprintf_chk";
        Fprintf = "fprintf" | "fprintf_unlocked";
        FprintfChecked = "__fprintf_chk";
        Vfprintf = "vfprintf";
        VfprintfChecked = "__vfprintf_chk";
    }
    Plain Output PRINTS "stdio.h" {
        Puts = "puts" | "puts_unlocked";
        Putchar = "putchar" | "putchar_unlocked";
        Fputc = "fputc" | "fputc_unlocked" | "putc" | "putc_unlocked" | "_IO_putc";
        Fputs = "fputs" | "fputs_unlocked";
        Fwrite = "fwrite" | "fwrite_unlocked";
    }
    Plain Input PRINTS "stdio.h" {
        Getchar = "getchar" | "getchar_unlocked";
        Fgetc = "fgetc" | "fgetc_unlocked" | "getc" | "getc_unlocked" | "_IO_getc";
        Ungetc = "ungetc";
    }
    Plain Input PRINTS_AND_WRITES "stdio.h" {
        Fgets = "fgets" | "fgets_unlocked";
        Fread = "fread" | "fread_unlocked";
    }
    Plain Files PRINTS "stdio.h" {
        Fopen = "fopen" | "fopen64",
            "files are in memory: those of `--file` and those that the program makes";
        Freopen = "freopen" | "freopen64";
        Tmpfile = "tmpfile" | "tmpfile64";
        Fclose = "fclose";
        Fflush = "fflush" | "fflush_unlocked", "undefined for a stream that is read";
        Feof = "feof" | "feof_unlocked";
        Ferror = "ferror" | "ferror_unlocked";
        Clearerr = "clearerr" | "clearerr_unlocked";
        Fseek = "fseek" | "fseeko" | "fseeko64", "not on the standard streams";
        Ftell = "ftell" | "ftello" | "ftello64", "unspecified after ungetc";
        Rewind = "rewind";
        Remove = "remove" | "unlink";
        Rename = "rename", "not to a file that exists";
    }
    Plain Files PRINTS_AND_WRITES "stdio.h" {
        Fgetpos = "fgetpos";
        Fsetpos = "fsetpos";
        Setvbuf = "setvbuf", "the bytes of the buffer have no value from then on";
        Setbuf = "setbuf";
    }
    Plain Scan PRINTS_AND_WRITES "stdio.h" {
        Scanf = "scanf" | "__isoc99_scanf" | "__isoc23_scanf",
            "an input item that is only the beginning of a number, such as `1e`, is unspecified";
        Fscanf = "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf";
        Vscanf = "vscanf" | "__isoc99_vscanf" | "__isoc23_vscanf";
        Vfscanf = "vfscanf" | "__isoc99_vfscanf" | "__isoc23_vfscanf";
    }
    Plain Scan WRITES "stdio.h" {
        Sscanf = "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf";
        Vsscanf = "vsscanf" | "__isoc99_vsscanf" | "__isoc23_vsscanf";
    }
    Plain Environment PRINTS_AND_WRITES "stdio.h" {
        Perror = "perror", "standard error is no part of the behaviour";
    }
    Exact Environment WRITES "errno.h" {
        ErrnoLocation = "__errno_location" | "__errno" | "__errno_loc",
            "functions on streams may change `errno`, so that it is unspecified after them";
    }
    Plain Environment WRITES "stdlib.h" {
        Rand = "rand", "unspecified, or with `--glibc-rand` the numbers of glibc";
        Srand = "srand";
        Getenv = "getenv" | "secure_getenv", "null for what `--env` does not give";
    }
    Plain Environment WRITES "time.h" {
        Time = "time", "unspecified unless `--time` gives it";
        Clock = "clock", "unspecified";
    }
    Plain Environment WRITES "fenv.h" {
        Fegetround = "fegetround", "always to nearest";
        Fesetround = "fesetround", "other modes than to nearest are unsupported";
    }
    Plain Environment WRITES "locale.h" {
        Setlocale = "setlocale", "only the locale \"C\"";
    }
    Plain Environment WRITES "string.h" {
        Strerror = "strerror", "the text is unspecified";
    }
    Plain PrintToMemory WRITES "stdio.h" {
        Sprintf = "sprintf";
        SprintfChecked = "__sprintf_chk";
        Snprintf = "snprintf";
        SnprintfChecked = "__snprintf_chk";
        Vsprintf = "vsprintf";
        VsprintfChecked = "__vsprintf_chk";
        Vsnprintf = "vsnprintf";
        VsnprintfChecked = "__vsnprintf_chk";
    }
    Plain Heap PURE "stdlib.h" {
        Malloc = "malloc";
        Calloc = "calloc";
        AlignedAlloc = "aligned_alloc" | "memalign";
    }
    Plain Heap WRITES "stdlib.h" {
        Realloc = "realloc";
        Free = "free" | "cfree";
        PosixMemalign = "posix_memalign";
    }
    Plain Heap PURE "alloca.h" {
        Alloca = "alloca";
    }
    Builtin Heap PURE "" {
        AllocaWithAlign = "alloca_with_align" | "alloca_with_align_and_max";
    }
    Plain Strings WRITES "string.h" {
        Memcpy = "memcpy";
        MemcpyChecked = "__memcpy_chk";
        Mempcpy = "mempcpy";
        MempcpyChecked = "__mempcpy_chk";
        Memmove = "memmove";
        MemmoveChecked = "__memmove_chk";
        Memset = "memset";
        MemsetChecked = "__memset_chk";
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
    }
    Exact Strings WRITES "string.h" {
        Memccpy = "memccpy";
    }
    Plain Strings READS "string.h" {
        Memcmp = "memcmp" | "bcmp";
        Memchr = "memchr";
        Memrchr = "memrchr";
        Strlen = "strlen";
        Strnlen = "strnlen";
        Strcmp = "strcmp" | "strcoll";
        Strncmp = "strncmp";
        Strchr = "strchr" | "index";
        Strrchr = "strrchr" | "rindex";
        Strspn = "strspn";
        Strcspn = "strcspn";
        Strpbrk = "strpbrk";
        Strstr = "strstr";
        Strdup = "strdup" | "__strdup";
        Strndup = "strndup" | "__strndup";
    }
    Plain Tokens WRITES "string.h" {
        Strtok = "strtok";
        StrtokReentrant = "strtok_r" | "__strtok_r";
        Strsep = "strsep";
        Strxfrm = "strxfrm", "what does not fit has no value";
    }
    Plain Strings WRITES "strings.h" {
        Bcopy = "bcopy";
        Bzero = "bzero";
    }
    Plain Strings READS "strings.h" {
        Strcasecmp = "strcasecmp";
        Strncasecmp = "strncasecmp";
    }
    Plain Numbers READS "stdlib.h" {
        Atoi = "atoi" | "atol" | "atoll";
        Atof = "atof";
    }
    Plain Numbers WRITES "stdlib.h" {
        Strtol = "strtol" | "strtoll" | "strtoimax" | "__isoc23_strtol" | "__isoc23_strtoll";
        Strtoul = "strtoul" | "strtoull" | "strtoumax" | "__isoc23_strtoul"
            | "__isoc23_strtoull";
        Strtod = "strtod" | "strtof" | "strtold", "not of a NaN";
    }
    Plain Sorting PRINTS_AND_WRITES "stdlib.h" {
        Qsort = "qsort";
        Bsearch = "bsearch";
    }
    Plain Characters PURE "ctype.h" {
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
    }
    Exact CharacterTables WRITES "ctype.h" {
        CtypeTable = "__ctype_b_loc";
        LowerTable = "__ctype_tolower_loc";
        UpperTable = "__ctype_toupper_loc";
    }
    Plain Bits PURE "stdlib.h" {
        Abs = "abs" | "labs" | "llabs" | "imaxabs";
        Divide = "div" | "ldiv" | "lldiv" | "imaxdiv";
    }
    Plain Bits PURE "strings.h" {
        FindFirstSet = "ffs" | "ffsl" | "ffsll" | "ffsimax";
    }
    Builtin Bits PURE "" {
        CountLeadingZeros = "clz" | "clzl" | "clzll" | "clzimax";
        CountTrailingZeros = "ctz" | "ctzl" | "ctzll" | "ctzimax";
        CountLeadingSigns = "clrsb" | "clrsbl" | "clrsbll" | "clrsbimax";
        PopulationCount = "popcount" | "popcountl" | "popcountll" | "popcountimax";
        Parity = "parity" | "parityl" | "parityll" | "parityimax";
        ByteSwap = "bswap16" | "bswap32" | "bswap64" | "bswap128";
        AddOverflowTest = "add_overflow_p";
        SubOverflowTest = "sub_overflow_p";
        MulOverflowTest = "mul_overflow_p";
    }
    Builtin Bits WRITES "" {
        AddOverflow = "add_overflow" | "sadd_overflow" | "saddl_overflow" | "saddll_overflow"
            | "uadd_overflow" | "uaddl_overflow" | "uaddll_overflow";
        SubOverflow = "sub_overflow" | "ssub_overflow" | "ssubl_overflow" | "ssubll_overflow"
            | "usub_overflow" | "usubl_overflow" | "usubll_overflow";
        MulOverflow = "mul_overflow" | "smul_overflow" | "smull_overflow" | "smulll_overflow"
            | "umul_overflow" | "umull_overflow" | "umulll_overflow";
    }
    Plain Mathematics PURE "math.h" {
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
        Remainder = "remainder" | "remainderf" | "remainderl" | "drem" | "dremf" | "dreml";
        NextAfter = "nextafter" | "nextafterf" | "nextafterl" | "nexttoward" | "nexttowardf"
            | "nexttowardl";
        Fmin = "fmin" | "fminf" | "fminl" | "fminf32" | "fminf64" | "fminf128";
        Fmax = "fmax" | "fmaxf" | "fmaxl" | "fmaxf32" | "fmaxf64" | "fmaxf128";
        Fdim = "fdim" | "fdimf" | "fdiml";
        Fma = "fma" | "fmaf" | "fmal";
        Ldexp = "ldexp" | "ldexpf" | "ldexpl" | "scalbn" | "scalbnf" | "scalbnl" | "scalbln"
            | "scalblnf" | "scalblnl";
        Ilogb = "ilogb" | "ilogbf" | "ilogbl";
        Logb = "logb" | "logbf" | "logbl";
    }
    Plain Approximate WRITES "math.h" {
        Pow = "pow" | "powf" | "powl", "unspecified where the result is not exact";
        Exp = "exp" | "expf" | "expl", "the same";
        Exp2 = "exp2" | "exp2f" | "exp2l", "the same";
        Expm1 = "expm1" | "expm1f" | "expm1l", "the same";
        Log = "log" | "logf" | "logl", "the same";
        Log2 = "log2" | "log2f" | "log2l", "the same";
        Log10 = "log10" | "log10f" | "log10l", "the same";
        Log1p = "log1p" | "log1pf" | "log1pl", "the same";
        Sin = "sin" | "sinf" | "sinl", "the same";
        Cos = "cos" | "cosf" | "cosl", "the same";
        Tan = "tan" | "tanf" | "tanl", "the same";
        Asin = "asin" | "asinf" | "asinl", "the same";
        Acos = "acos" | "acosf" | "acosl", "the same";
        Atan = "atan" | "atanf" | "atanl", "the same";
        Atan2 = "atan2" | "atan2f" | "atan2l", "the same";
        Sinh = "sinh" | "sinhf" | "sinhl", "the same";
        Cosh = "cosh" | "coshf" | "coshl", "the same";
        Tanh = "tanh" | "tanhf" | "tanhl", "the same";
        Asinh = "asinh" | "asinhf" | "asinhl", "the same";
        Acosh = "acosh" | "acoshf" | "acoshl", "the same";
        Atanh = "atanh" | "atanhf" | "atanhl", "the same";
        Cbrt = "cbrt" | "cbrtf" | "cbrtl", "the same";
        Hypot = "hypot" | "hypotf" | "hypotl", "the same";
        Erf = "erf" | "erff" | "erfl", "the same";
        Erfc = "erfc" | "erfcf" | "erfcl", "the same";
        Gamma = "tgamma" | "tgammaf" | "tgammal" | "lgamma" | "lgammaf" | "lgammal", "unspecified";
    }
    Plain Mathematics WRITES "math.h" {
        Frexp = "frexp" | "frexpf" | "frexpl";
        Modf = "modf" | "modff" | "modfl";
    }
    Plain Mathematics READS "math.h" {
        Nan = "nan" | "nanf" | "nanl" | "nanf32" | "nanf64" | "nanf128" | "nanq";
    }
    Builtin Mathematics PURE "" {
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
    Builtin Compilers WRITES "" {
        Unreachable = "unreachable";
        ConstantUnknown = "constant_p";
        Assume = "assume";
    }
    Builtin Compilers PURE "" {
        ClassifyType = "classify_type";
        Prefetch = "prefetch" | "__clear_cache";
        AssumeAligned = "assume_aligned";
        ExtractReturnAddress = "extract_return_addr" | "frob_return_addr"
            | "speculation_safe_value";
    }
    Builtin Jumps WRITES "setjmp.h" {
        Setjmp = "setjmp";
    }
    Builtin Jumps PRINTS_AND_WRITES "setjmp.h" {
        Longjmp = "longjmp";
    }
    Exact Jumps WRITES "setjmp.h" {
        SetjmpFunction = "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "__builtin__setjmp";
    }
    Exact Jumps PRINTS_AND_WRITES "setjmp.h" {
        LongjmpFunction = "longjmp" | "_longjmp" | "siglongjmp";
    }
    Exact Compilers ATOMIC "" {
        Fence = "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence";
    }
    Exact Atomics ATOMIC "" {
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

/// The places of a hash table of names; a power of two, of which at most half are used.
const PLACES: usize = 2048;

/// Which name is where: its number plus one, or zero.
static TABLE: [u16; PLACES] = hashed();

const fn hash(name: &[u8]) -> usize {
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = 0;
    while at < name.len() {
        hash = (hash ^ name[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 15) as usize % PLACES
}

const fn hashed() -> [u16; PLACES] {
    assert!(NAMES.len() * 2 <= PLACES, "the table is too small");
    let mut table = [0; PLACES];
    let mut index = 0;
    while index < NAMES.len() {
        let mut place = hash(NAMES[index].text.as_bytes());
        while table[place] != 0 {
            place = (place + 1) % PLACES;
        }
        index += 1;
        table[place] = index as u16;
    }
    table
}

/// The function with this name, if it may be spelled in this way or plainly.
fn find(name: &str, spelling: Spelling) -> Option<Library> {
    let mut place = hash(name.as_bytes());
    while let Some(index) = usize::from(TABLE[place]).checked_sub(1) {
        let found = &NAMES[index];
        let fits = found.spelling == spelling || found.spelling == Spelling::Plain;
        if fits && found.text == name {
            return Some(found.function);
        }
        place = (place + 1) % PLACES;
    }
    None
}

impl Library {
    /// The function with this name.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        find(name, Spelling::Exact)
            .or_else(|| find(name.strip_prefix("__builtin_")?, Spelling::Builtin))
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The part of the library that it belongs to.
    pub(super) fn room(self) -> Room {
        self.row().room
    }

    fn does(self, effects: u8) -> bool {
        self.row().effects.0 & effects != 0
    }

    /// Whether it never returns.
    pub(crate) fn ends_program(self) -> bool {
        matches!(
            self,
            Self::Abort
                | Self::Exit
                | Self::ExitAtOnce
                | Self::QuickExit
                | Self::Trap
                | Self::AssertFail
        )
    }

    /// Whether it touches no memory that existed before, and no output.
    pub(crate) fn is_pure(self) -> bool {
        self.row().effects == Effects::PURE
    }

    /// Whether it may write to memory that the program can see.
    pub(crate) fn writes_memory(self) -> bool {
        self.does(2)
    }

    /// Whether it uses a stream, ends the program, or calls a function that may.
    pub(crate) fn prints(self) -> bool {
        self.does(4)
    }

    /// Whether it is an atomic access or a fence.
    pub(crate) fn is_atomic(self) -> bool {
        self.does(8)
    }
}

/// A function that the machine provides, for people.
#[derive(Debug)]
pub struct Provided {
    /// The header that declares it; empty for what is no part of a library.
    pub header: &'static str,
    /// Its names; those of builtins have their prefix.
    pub names: Vec<String>,
    /// What is special about it.
    pub note: &'static str,
}

/// Every function that the machine provides.
pub fn provided() -> Vec<Provided> {
    let row = |(index, row): (usize, &Row)| {
        let names = NAMES.iter().filter(|name| name.function as usize == index);
        let text = |name: &Name| match name.spelling {
            Spelling::Builtin => format!("__builtin_{}", name.text),
            Spelling::Plain | Spelling::Exact => name.text.to_owned(),
        };
        Provided { header: row.header, names: names.map(text).collect(), note: row.note }
    };
    ROWS.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_function() {
        for name in NAMES {
            let prefixed = format!("__builtin_{}", name.text);
            let found = (Library::by_name(name.text), Library::by_name(&prefixed));
            let plain = (name.spelling != Spelling::Builtin).then_some(name.function);
            let builtin = (name.spelling != Spelling::Exact).then_some(name.function);
            assert!(plain.is_none() || found.0 == plain, "{}", name.text);
            assert!(builtin.is_none() || found.1 == builtin, "{prefixed}");
        }
        for name in ["", "push", "__builtin_", "__builtin_push", "clz", "trap"] {
            assert_eq!(Library::by_name(name), None, "{name}");
        }
    }
}
