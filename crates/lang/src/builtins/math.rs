//! Floating and complex functions.

use super::table::{extended_rows, real_rows, rows};
use super::{BuiltinRow, GenericRule, Prototype};

/// Functions in three versions: `double` without a suffix, `f` and `l`.
pub(super) static REAL: &[BuiltinRow] = real_rows! {
    library "acos" "dd" "ff" "ee"
    library "acosh" "dd" "ff" "ee"
    library "asin" "dd" "ff" "ee"
    library "asinh" "dd" "ff" "ee"
    library "atan" "dd" "ff" "ee"
    library "atan2" "ddd" "fff" "eee"
    library "atanh" "dd" "ff" "ee"
    library "cbrt" "dd" "ff" "ee"
    library "ceil" "dd" "ff" "ee"
    library "copysign" "ddd" "fff" "eee"
    library "cos" "dd" "ff" "ee"
    library "cosh" "dd" "ff" "ee"
    library "drem" "ddd" "fff" "eee"
    library "erf" "dd" "ff" "ee"
    library "erfc" "dd" "ff" "ee"
    library "exp" "dd" "ff" "ee"
    library "exp10" "dd" "ff" "ee"
    library "exp2" "dd" "ff" "ee"
    library "expm1" "dd" "ff" "ee"
    library "fabs" "dd" "ff" "ee"
    library "fdim" "ddd" "fff" "eee"
    library "finite" "id" "if" "ie"
    library "floor" "dd" "ff" "ee"
    library "fma" "dddd" "ffff" "eeee"
    library "fmax" "ddd" "fff" "eee"
    library "fmin" "ddd" "fff" "eee"
    library "fmod" "ddd" "fff" "eee"
    library "frexp" "dd*i" "ff*i" "ee*i"
    library "gamma" "dd" "ff" "ee"
    library "hypot" "ddd" "fff" "eee"
    library "ilogb" "id" "if" "ie"
    library "j0" "dd" "ff" "ee"
    library "j1" "dd" "ff" "ee"
    library "jn" "did" "fif" "eie"
    library "ldexp" "ddi" "ffi" "eei"
    library "lgamma" "dd" "ff" "ee"
    library "llrint" "qd" "qf" "qe"
    library "llround" "qd" "qf" "qe"
    library "log" "dd" "ff" "ee"
    library "log10" "dd" "ff" "ee"
    library "log1p" "dd" "ff" "ee"
    library "log2" "dd" "ff" "ee"
    library "logb" "dd" "ff" "ee"
    library "lrint" "ld" "lf" "le"
    library "lround" "ld" "lf" "le"
    library "modf" "dd*d" "ff*f" "ee*e"
    library "nan" "dS" "fS" "eS"
    library "nearbyint" "dd" "ff" "ee"
    library "nextafter" "ddd" "fff" "eee"
    library "nexttoward" "dde" "ffe" "eee"
    library "pow" "ddd" "fff" "eee"
    library "pow10" "dd" "ff" "ee"
    library "remainder" "ddd" "fff" "eee"
    library "remquo" "ddd*i" "fff*i" "eee*i"
    library "rint" "dd" "ff" "ee"
    library "round" "dd" "ff" "ee"
    library "roundeven" "dd" "ff" "ee"
    library "scalb" "ddd" "fff" "eee"
    library "scalbln" "ddl" "ffl" "eel"
    library "scalbn" "ddi" "ffi" "eei"
    library "significand" "dd" "ff" "ee"
    library "sin" "dd" "ff" "ee"
    library "sincos" "vd*d*d" "vf*f*f" "ve*e*e"
    library "sinh" "dd" "ff" "ee"
    library "sqrt" "dd" "ff" "ee"
    library "tan" "dd" "ff" "ee"
    library "tanh" "dd" "ff" "ee"
    library "tgamma" "dd" "ff" "ee"
    library "trunc" "dd" "ff" "ee"
    library "y0" "dd" "ff" "ee"
    library "y1" "dd" "ff" "ee"
    library "yn" "did" "fif" "eie"
    compiler "huge_val" "d" "f" "e"
    compiler "iceil" "id" "if" "ie"
    compiler "ifloor" "id" "if" "ie"
    compiler "inf" "d" "f" "e"
    compiler "irint" "id" "if" "ie"
    compiler "iround" "id" "if" "ie"
    compiler "lceil" "ld" "lf" "le"
    compiler "lfloor" "ld" "lf" "le"
    compiler "llceil" "qd" "qf" "qe"
    compiler "llfloor" "qd" "qf" "qe"
    compiler "nans" "dS" "fS" "eS"
    compiler "powi" "ddi" "ffi" "eei"
};

/// Functions on complex numbers, in the same three versions.
pub(super) static COMPLEX: &[BuiltinRow] = real_rows! {
    library "cabs" "dCd" "fCf" "eCe"
    library "cacos" "CdCd" "CfCf" "CeCe"
    library "cacosh" "CdCd" "CfCf" "CeCe"
    library "carg" "dCd" "fCf" "eCe"
    library "casin" "CdCd" "CfCf" "CeCe"
    library "casinh" "CdCd" "CfCf" "CeCe"
    library "catan" "CdCd" "CfCf" "CeCe"
    library "catanh" "CdCd" "CfCf" "CeCe"
    library "ccos" "CdCd" "CfCf" "CeCe"
    library "ccosh" "CdCd" "CfCf" "CeCe"
    library "cexp" "CdCd" "CfCf" "CeCe"
    library "cimag" "dCd" "fCf" "eCe"
    library "clog" "CdCd" "CfCf" "CeCe"
    library "clog10" "CdCd" "CfCf" "CeCe"
    library "conj" "CdCd" "CfCf" "CeCe"
    library "cpow" "CdCdCd" "CfCfCf" "CeCeCe"
    library "cproj" "CdCd" "CfCf" "CeCe"
    library "creal" "dCd" "fCf" "eCe"
    library "csin" "CdCd" "CfCf" "CeCe"
    library "csinh" "CdCd" "CfCf" "CeCe"
    library "csqrt" "CdCd" "CfCf" "CeCe"
    library "ctan" "CdCd" "CfCf" "CeCe"
    library "ctanh" "CdCd" "CfCf" "CeCe"
    compiler "cexpi" "Cdd" "Cff" "Cee"
};

/// Functions that also have versions for `_Float16`, `_Float32` and so on.
pub(super) static EXTENDED: &[BuiltinRow] = extended_rows! {
    library "ceil" "mm" "nn" "kk" "gg" "NN" "KK"
    library "copysign" "mmm" "nnn" "kkk" "ggg" "NNN" "KKK"
    library "fabs" "mm" "nn" "kk" "gg" "NN" "KK"
    library "floor" "mm" "nn" "kk" "gg" "NN" "KK"
    library "fma" "mmmm" "nnnn" "kkkk" "gggg" "NNNN" "KKKK"
    library "fmax" "mmm" "nnn" "kkk" "ggg" "NNN" "KKK"
    library "fmin" "mmm" "nnn" "kkk" "ggg" "NNN" "KKK"
    library "nan" "mS" "nS" "kS" "gS" "NS" "KS"
    library "nearbyint" "mm" "nn" "kk" "gg" "NN" "KK"
    library "rint" "mm" "nn" "kk" "gg" "NN" "KK"
    library "round" "mm" "nn" "kk" "gg" "NN" "KK"
    library "roundeven" "mm" "nn" "kk" "gg" "NN" "KK"
    library "sqrt" "mm" "nn" "kk" "gg" "NN" "KK"
    library "trunc" "mm" "nn" "kk" "gg" "NN" "KK"
    compiler "huge_val" "m" "n" "k" "g" "N" "K"
    compiler "inf" "m" "n" "k" "g" "N" "K"
    compiler "nans" "mS" "nS" "kS" "gS" "NS" "KS"
};

/// The rest: the environment, classification, and odd names.
pub(super) static OTHER: &[BuiltinRow] = rows! {
    library "gamma_r" "dd*i"
    library "gammaf_r" "ff*i"
    library "gammal_r" "ee*i"
    library "lgamma_r" "dd*i"
    library "lgammaf_r" "ff*i"
    library "lgammal_r" "ee*i"
    library "feclearexcept" "ii"
    library "fegetenv" "ip"
    library "fegetexceptflag" "ipi"
    library "fegetround" "i"
    library "feholdexcept" "ip"
    library "feraiseexcept" "ii"
    library "fesetenv" "iP"
    library "fesetexceptflag" "iPi"
    library "fesetround" "ii"
    library "fetestexcept" "ii"
    library "feupdateenv" "iP"
    library "isinff" "if"
    library "isinfl" "ie"
    library "isnanf" "if"
    library "isnanl" "ie"
    library "signbitf" "if"
    library "signbitl" "ie"
    compiler "fabsq" "gg"
    compiler "copysignq" "ggg"
    compiler "huge_valq" "g"
    compiler "infq" "g"
    compiler "nanq" "gS"
    compiler "nansq" "gS"
    compiler "complex" Complex
    compiler "fpclassify" FpClassify
    compiler "isfinite" FloatsToInt
    compiler "isinf" FloatsToInt
    compiler "isinf_sign" FloatsToInt
    compiler "isnan" FloatsToInt
    compiler "isnormal" FloatsToInt
    compiler "signbit" FloatsToInt
    compiler "isgreater" FloatsToInt
    compiler "isgreaterequal" FloatsToInt
    compiler "isless" FloatsToInt
    compiler "islessequal" FloatsToInt
    compiler "islessgreater" FloatsToInt
    compiler "isunordered" FloatsToInt
    // Newer than gcc 12, or clang's.
    compiler "iseqsig" FloatsToInt
    compiler "issignaling" FloatsToInt
    compiler "issubnormal" FloatsToInt
    compiler "iszero" FloatsToInt
};
