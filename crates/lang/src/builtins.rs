//! The functions that compilers know by name: `__builtin_*` and the C library.

mod table;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A builtin function: a row of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Builtin(u16);

/// One row of the table of builtins.
#[derive(Debug)]
pub struct BuiltinRow {
    /// The full name, such as `__builtin_clz`.
    pub name: &'static str,
    /// How a call is typed.
    pub signature: Signature,
    /// The library function of the same meaning, such as `memcpy` for `__builtin_memcpy`.
    pub library: Option<&'static str>,
}

/// How a call of a builtin is typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signature {
    /// Like an ordinary function. The first letter is the result, the others are
    /// the parameters; see `table` for the letters.
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
        &table::BUILTINS[usize::from(self.0)]
    }

    /// Its full name.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

fn numbered() -> impl Iterator<Item = (Builtin, &'static BuiltinRow)> {
    (0..).map(Builtin).zip(table::BUILTINS)
}

static NAMES: LazyLock<FxHashMap<&'static str, Builtin>> =
    LazyLock::new(|| numbered().map(|(builtin, row)| (row.name, builtin)).collect());

static LIBRARY: LazyLock<FxHashMap<&'static str, Builtin>> = LazyLock::new(|| {
    numbered().filter_map(|(builtin, row)| Some((row.library?, builtin))).collect()
});
