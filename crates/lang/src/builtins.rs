//! The functions that compilers know by name: `__builtin_*` and the C library.

mod atomic;
mod integer;
mod library;
mod machine;
mod math;
pub mod prototype;
mod table;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::target::Target;
use crate::types::{FunctionType, Types};

/// A builtin function: a row of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Builtin(u16);

/// One row of the table of builtins.
#[derive(Debug)]
pub struct BuiltinRow {
    /// The full name, such as `__builtin_clz`.
    pub name: &'static str,
    /// How a call is typed.
    pub prototype: Prototype,
    /// The library function of the same meaning, such as `memcpy` for `__builtin_memcpy`.
    pub library: Option<&'static str>,
}

/// How a call of a builtin is typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prototype {
    /// Like an ordinary function. The first letter is the result, the others are
    /// the parameters; see [`prototype`] for the letters.
    Fixed(&'static str),
    /// By a rule of its own.
    Generic(GenericRule),
}

/// Builtins whose type depends on their arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GenericRule {
    /// Any arguments, left as they are after promotion to values; `int` result.
    /// `__builtin_constant_p`, `__builtin_classify_type`
    AnyToInt,
    /// A pointer of any type, left as it is; `void` result. `__builtin_clear_padding`
    AnyToVoid,
    /// An integer or pointer and an optional second value of its type; that type.
    /// `__builtin_speculation_safe_value`
    SpeculationSafe,
    /// Real floating arguments, left as they are; `int` result. `__builtin_isnan`
    FloatsToInt,
    /// Five `int`s and a floating value; `int` result. `__builtin_fpclassify`
    FpClassify,
    /// Two integers and a pointer to an integer; `_Bool` result. `__builtin_add_overflow`
    Overflow,
    /// Three integers, the last for its type alone; `_Bool` result. `__builtin_add_overflow_p`
    OverflowTest,
    /// Two real values of one type; the complex type of it. `__builtin_complex`
    Complex,
    /// One or two vectors and a mask; the type of the first. `__builtin_shuffle`
    Shuffle,
    /// Two vectors and constant indices; as many lanes as indices. `__builtin_shufflevector`
    ShuffleVector,
    /// A vector and a type; that type. `__builtin_convertvector`
    ConvertVector,
    /// The lvalue of a `va_list` and an optional last parameter. `__builtin_va_start`
    VaStart,
    /// The lvalue of a `va_list`. `__builtin_va_end`
    VaEnd,
    /// The lvalues of two `va_list`s. `__builtin_va_copy`
    VaCopy,
    /// A pointer and values of its target's type; that type. `__sync_fetch_and_add`
    SyncFetch,
    /// A pointer and values of its target's type; `_Bool`. `__sync_bool_compare_and_swap`
    SyncBool,
    /// A pointer and values of its target's type; `void`. `__sync_lock_release`
    SyncVoid,
    /// A pointer, then values of its target's type, then memory orders; the target's type. `__atomic_fetch_add`, `__atomic_load_n`
    AtomicFetch,
    /// A pointer, a value of its target's type, a memory order; `void`. `__atomic_store_n`
    AtomicStore,
    /// Pointers and memory orders, left as they are; `void`. `__atomic_load`, `__atomic_store`, `__atomic_exchange`
    AtomicPointers,
    /// `__atomic_compare_exchange_n(pointer, expected pointer, desired value, weak, success, failure)`; `_Bool`.
    AtomicCompareExchangeN,
    /// `__atomic_compare_exchange`, with a pointer to the desired value; `_Bool`.
    AtomicCompareExchange,
}

impl Builtin {
    /// Every builtin.
    pub fn all() -> impl Iterator<Item = Self> {
        numbered().map(|(builtin, _)| builtin)
    }

    /// The builtin with this full name.
    pub fn by_name(name: &str) -> Option<Self> {
        NAMES.get(name).copied()
    }

    /// The builtin that a library function such as `memcpy` is.
    pub fn by_library_name(name: &str) -> Option<Self> {
        LIBRARY.get(name).copied()
    }

    /// Its row of the table.
    pub fn row(self) -> &'static BuiltinRow {
        ROWS[usize::from(self.0)]
    }

    /// Its type, if it is called like an ordinary function; see [`Prototype::function_type`].
    pub fn function_type(self, types: &mut Types, target: &Target) -> Option<FunctionType> {
        self.row().prototype.function_type(types, target)
    }

    /// Its full name.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

fn numbered() -> impl Iterator<Item = (Builtin, &'static BuiltinRow)> {
    (0..).map(Builtin).zip(ROWS.iter().copied())
}

static ROWS: LazyLock<Vec<&'static BuiltinRow>> =
    LazyLock::new(|| table::TABLES.iter().copied().flatten().collect());

static NAMES: LazyLock<FxHashMap<&'static str, Builtin>> =
    LazyLock::new(|| numbered().map(|(builtin, row)| (row.name, builtin)).collect());

static LIBRARY: LazyLock<FxHashMap<&'static str, Builtin>> = LazyLock::new(|| {
    numbered().filter_map(|(builtin, row)| Some((row.library?, builtin))).collect()
});

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::target::{AVR, I386_LINUX, TARGETS, X86_64_LINUX};
    use crate::types::{FloatKind, IntKind, Type};

    #[test]
    fn names_are_unique_and_found_again() {
        let mut seen = BTreeSet::new();
        for builtin in Builtin::all() {
            assert!(seen.insert(builtin.name()), "{} has two rows", builtin.name());
            assert_eq!(Builtin::by_name(builtin.name()), Some(builtin));
            if let Some(library) = builtin.row().library {
                assert!(seen.insert(library), "{library} has two rows");
                assert_eq!(Builtin::by_library_name(library), Some(builtin));
            }
        }
        assert!(seen.len() > 1000, "a table went missing: only {} names", seen.len());
        assert_eq!(Builtin::by_name("abort"), None);
        assert_eq!(Builtin::by_library_name("__builtin_abort"), None);
    }

    /// Reading a wrong letter panics. What a target lacks is what it lacks types for.
    #[test]
    fn every_prototype_can_be_read() {
        for target in TARGETS {
            let mut types = Types::default();
            for builtin in Builtin::all() {
                let Prototype::Fixed(text) = builtin.row().prototype else { continue };
                let lacks_type = [
                    ('m', FloatKind::Float16),
                    ('n', FloatKind::Float32),
                    ('k', FloatKind::Float64),
                    ('g', FloatKind::Float128),
                    ('N', FloatKind::Float32x),
                    ('K', FloatKind::Float64x),
                ]
                .into_iter()
                .any(|(letter, kind)| text.contains(letter) && target.float_layout(kind).is_none())
                    || (text.contains('X') && target.int128.is_none());
                let found = builtin.function_type(&mut types, target);
                assert_eq!(found.is_none(), lacks_type, "{} on {}", builtin.name(), target.name);
            }
        }
    }

    /// A library function that is called without a declaration needs a type.
    #[test]
    fn library_functions_have_fixed_types() {
        for builtin in Builtin::all().filter(|builtin| builtin.row().library.is_some()) {
            assert!(matches!(builtin.row().prototype, Prototype::Fixed(_)), "{}", builtin.name());
        }
    }

    #[test]
    fn exact_widths_depend_on_the_target() {
        let parameter = |name: &str, target| {
            let mut types = Types::default();
            let builtin = Builtin::by_name(name).expect("is in the table");
            let function = builtin.function_type(&mut types, target).expect("exists everywhere");
            types.get(function.parameters[0]).clone()
        };
        for (name, target, kind) in [
            ("__builtin_bswap16", &X86_64_LINUX, IntKind::UShort),
            ("__builtin_bswap16", &AVR, IntKind::UInt),
            ("__builtin_bswap32", &I386_LINUX, IntKind::UInt),
            ("__builtin_bswap32", &AVR, IntKind::ULong),
            ("__builtin_bswap64", &X86_64_LINUX, IntKind::ULong),
            ("__builtin_bswap64", &I386_LINUX, IntKind::ULongLong),
            ("__builtin_malloc", &X86_64_LINUX, IntKind::ULong),
            ("__builtin_malloc", &I386_LINUX, IntKind::UInt),
        ] {
            assert_eq!(parameter(name, target), Type::Int(kind), "{name} on {}", target.name);
        }
    }

    #[test]
    fn ellipsis_needs_a_parameter_before_it() {
        let mut types = Types::default();
        let mut read = |text| {
            let function = Prototype::Fixed(text).function_type(&mut types, &X86_64_LINUX);
            let function = function.expect("has all types");
            (function.parameters.len(), function.variadic, function.prototyped)
        };
        assert_eq!(read("v"), (0, false, true));
        assert_eq!(read("p."), (0, false, false));
        assert_eq!(read("iS."), (1, true, true));
        assert_eq!(read("i*pzz"), (3, false, true));
        assert_eq!(read("CdCdCd"), (2, false, true));
    }
}
