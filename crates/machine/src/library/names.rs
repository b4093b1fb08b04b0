//! The names that the library of C has, whether the machine knows the functions or not.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// The functions of C11 7.2 to 7.30, by header. Those of `math.h` and `complex.h` also end in
/// `f` and `l`.
const FUNCTIONS: &[&str] = &[
    "cacos casin catan ccos csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog cabs cpow \
     csqrt carg cimag conj cproj creal acos asin atan atan2 cos sin tan acosh asinh atanh cosh \
     sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2 logb modf scalbn scalbln \
     cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint \
     round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim \
     fmax fmin fma",
    "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper \
     isxdigit tolower toupper",
    "feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround \
     fesetround fegetenv feholdexcept fesetenv feupdateenv imaxabs imaxdiv strtoimax strtoumax \
     wcstoimax wcstoumax setlocale localeconv longjmp signal raise",
    "remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf fscanf \
     printf scanf snprintf sprintf sscanf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf \
     vsscanf fgetc fgets fputc fputs getc getchar gets putc putchar puts ungetc fread fwrite \
     fgetpos fseek fsetpos ftell rewind clearerr feof ferror perror",
    "atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand \
     aligned_alloc calloc free malloc realloc abort atexit at_quick_exit exit _Exit getenv \
     quick_exit system bsearch qsort abs labs llabs div ldiv lldiv mblen mbtowc wctomb mbstowcs \
     wcstombs",
    "memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr \
     strchr strcspn strpbrk strrchr strspn strstr strtok memset strerror strlen",
    "call_once cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_timedwait cnd_wait mtx_destroy \
     mtx_init mtx_lock mtx_timedlock mtx_trylock mtx_unlock thrd_create thrd_current thrd_detach \
     thrd_equal thrd_exit thrd_join thrd_sleep thrd_yield tss_create tss_delete tss_get tss_set",
    "clock difftime mktime time timespec_get asctime ctime gmtime localtime strftime",
    "mbrtoc16 c16rtomb mbrtoc32 c32rtomb fwprintf fwscanf swprintf swscanf vfwprintf vfwscanf \
     vswprintf vswscanf vwprintf vwscanf wprintf wscanf fgetwc fgetws fputwc fputws fwide getwc \
     getwchar putwc putwchar ungetwc wcstod wcstof wcstold wcstol wcstoll wcstoul wcstoull \
     wcscpy wcsncpy wmemcpy wmemmove wcscat wcsncat wcscmp wcscoll wcsncmp wcsxfrm wmemcmp \
     wcschr wcscspn wcspbrk wcsrchr wcsspn wcsstr wcstok wmemchr wcslen wmemset wcsftime btowc \
     wctob mbsinit mbrlen mbrtowc wcrtomb mbsrtowcs wcsrtombs iswalnum iswalpha iswblank \
     iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit iswctype \
     wctype towlower towupper towctrans wctrans",
];

/// Objects behind macros of C, and what the start of a program and the linker define.
const OTHERS: &[&str] = &[
    "stdin", "stdout", "stderr", "errno", "environ", "_start", "_init", "_fini", "_end", "_edata",
    "_etext", "_exit", "_DYNAMIC",
];

/// Whether C11 7.1.3 keeps a name with external linkage for the library, and the library or
/// the linker has it: a definition of the program would take its place. Names that are only
/// kept for later, such as `_total` or `strong`, are not among them.
pub(crate) fn is_reserved(name: &str) -> bool {
    let base = name.strip_suffix(['f', 'l']).unwrap_or(name);
    // What compilers call and libraries define begins so: `__divti3`, `__libc_start_main`.
    name.starts_with("__") || ALL.contains(name) || MATHEMATICS.contains(base)
}

static MATHEMATICS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| FUNCTIONS[0].split_ascii_whitespace().collect());

static ALL: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
    let functions = FUNCTIONS.iter().flat_map(|names| names.split_ascii_whitespace());
    functions.chain(OTHERS.iter().copied()).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_library_are_reserved() {
        for name in ["memcpy", "sinf", "atan2l", "stdout", "_init", "__udivti3"] {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["memcpyf", "sinn", "f", "l", "_total", "strong", "main", ""] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}
