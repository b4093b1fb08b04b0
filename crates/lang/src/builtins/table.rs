//! The table itself.
//!
//! The letters of a [`Signature::Fixed`]: `v` void, `b` _Bool, `c` char, `h` short,
//! `i` int, `l` long, `q` long long, `x` __int128; the capitals `H I L Q X` are the
//! unsigned types; `z` size_t, `t` ptrdiff_t, `w` wchar_t; `f` float, `d` double,
//! `e` long double, `g` _Float128; `p` void *, `P` const void *, `V` volatile const void *;
//! `s` char *, `S` const char *; `a` __builtin_va_list by value; `.` and so on, last.
//! A letter behind `*` is a pointer to that type: `*i` is int *.
//! Widths named by bits: `1` uint8_t, `2` uint16_t, `4` uint32_t, `8` uint64_t.
//! `C` before `f`, `d` or `e` is the complex type.

use super::{BuiltinRow, GenericRule, Signature};

pub(super) static BUILTINS: &[BuiltinRow] = &[
    BuiltinRow {
        name: "__builtin_constant_p",
        signature: Signature::Generic(GenericRule::AnyToInt),
        library: None,
    },
    BuiltinRow {
        name: "__builtin_abort",
        signature: Signature::Fixed("v"),
        library: Some("abort"),
    },
];
