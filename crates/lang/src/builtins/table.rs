//! How the rows are written, and all of them.
//!
//! A row is `library "abs" "ii"` for `__builtin_abs`, which is `abs` of the library,
//! `compiler "clz" "iI"` for `__builtin_clz`, which no library has, or
//! `exact "__sync_synchronize" "v"` for a name without that prefix. After the name
//! stands either a [`Prototype::Fixed`](super::Prototype::Fixed) or a
//! [`GenericRule`](super::GenericRule).
//!
//! The letters of a fixed prototype are explained in [`super::prototype`].

use super::{BuiltinRow, atomic, integer, library, machine, math};

/// One row.
macro_rules! row {
    (library $name:expr, $prototype:tt) => {
        $crate::builtins::table::row!(@ concat!("__builtin_", $name), $prototype, Some($name))
    };
    (compiler $name:expr, $prototype:tt) => {
        $crate::builtins::table::row!(@ concat!("__builtin_", $name), $prototype, None)
    };
    (exact $name:expr, $prototype:tt) => {
        $crate::builtins::table::row!(@ $name, $prototype, None)
    };
    (@ $name:expr, $prototype:literal, $library:expr) => {
        BuiltinRow { name: $name, prototype: Prototype::Fixed($prototype), library: $library }
    };
    (@ $name:expr, $rule:ident, $library:expr) => {
        BuiltinRow {
            name: $name,
            prototype: Prototype::Generic(GenericRule::$rule),
            library: $library,
        }
    };
}

/// Rows as they stand.
macro_rules! rows {
    ($($kind:ident $name:literal $prototype:tt)*) => {
        &[$($crate::builtins::table::row!($kind $name, $prototype)),*]
    };
}

/// Rows in three versions: for `double`, with `f` for `float`, with `l` for `long double`.
macro_rules! real_rows {
    ($($kind:ident $name:literal $double:literal $float:literal $long_double:literal)*) => {
        &[$(
            $crate::builtins::table::row!($kind $name, $double),
            $crate::builtins::table::row!($kind concat!($name, "f"), $float),
            $crate::builtins::table::row!($kind concat!($name, "l"), $long_double),
        )*]
    };
}

/// Rows in six versions, for the types of ISO/IEC TS 18661-3.
macro_rules! extended_rows {
    ($($kind:ident $name:literal
       $f16:literal $f32:literal $f64:literal $f128:literal $f32x:literal $f64x:literal)*) => {
        &[$(
            $crate::builtins::table::row!($kind concat!($name, "f16"), $f16),
            $crate::builtins::table::row!($kind concat!($name, "f32"), $f32),
            $crate::builtins::table::row!($kind concat!($name, "f64"), $f64),
            $crate::builtins::table::row!($kind concat!($name, "f128"), $f128),
            $crate::builtins::table::row!($kind concat!($name, "f32x"), $f32x),
            $crate::builtins::table::row!($kind concat!($name, "f64x"), $f64x),
        )*]
    };
}

pub(super) use {extended_rows, real_rows, row, rows};

/// All rows, by category. The order has no meaning, but a [`Builtin`](super::Builtin)
/// is a position in it.
pub(super) static TABLES: &[&[BuiltinRow]] = &[
    integer::BITS,
    integer::OVERFLOW,
    integer::CLANG,
    machine::HINTS,
    machine::STACK,
    machine::VECTOR,
    machine::PROCESSOR,
    library::STRING,
    library::CHECKED,
    library::STDIO,
    library::CTYPE,
    library::OTHER,
    math::REAL,
    math::COMPLEX,
    math::EXTENDED,
    math::OTHER,
    atomic::SYNC,
    atomic::ATOMIC,
];
