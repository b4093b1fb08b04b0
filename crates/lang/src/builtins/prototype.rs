//! The types of builtins that are called like ordinary functions.
//!
//! A prototype is a row of letters: first the result, then the parameters.
//!
//! | letter | type |
//! |---|---|
//! | `v` `b` | `void`, `_Bool` |
//! | `c` `h` `i` `l` `q` `x` | `char`, `short`, `int`, `long`, `long long`, `__int128` |
//! | `H` `I` `L` `Q` `X` | the unsigned types of the same letters |
//! | `1` `2` `4` `8` | the unsigned type of so many bytes |
//! | `z` `t` `w` | `size_t`, `ptrdiff_t` (and `ssize_t`), `wchar_t` |
//! | `j` `J` | `intmax_t`, `uintmax_t` |
//! | `f` `d` `e` | `float`, `double`, `long double` |
//! | `m` `n` `k` `g` | `_Float16`, `_Float32`, `_Float64`, `_Float128` |
//! | `N` `K` | `_Float32x`, `_Float64x` |
//! | `C` before a floating type | its complex type |
//! | `p` `P` `u` `V` | `void *`, `const void *`, `volatile void *`, `const volatile void *` |
//! | `s` `S` | `char *`, `const char *` |
//! | `y` | `void (*)()` |
//! | `a` | `__builtin_va_list`, by value |
//! | `*` before a type | a pointer to it |
//! | `.` at the end | and so on |

use std::str::Chars;

use super::Prototype;
use crate::target::Target;
use crate::types::{FloatKind, FunctionType, IntKind, Qualifiers, Type, TypeId, Types};

impl Prototype {
    /// The type of a builtin that is called like an ordinary function. `None` if
    /// its type depends on the arguments, or if the target lacks a type it needs,
    /// and so the builtin.
    pub fn function_type(self, types: &mut Types, target: &Target) -> Option<FunctionType> {
        let Self::Fixed(text) = self else { return None };
        let (text, variadic) = match text.strip_suffix('.') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let mut letters = text.chars();
        let result = next_type(&mut letters, types, target)?;
        let mut parameters = Vec::new();
        while !letters.as_str().is_empty() {
            parameters.push(next_type(&mut letters, types, target)?);
        }
        // `int f(...)` without a parameter before it is not C: arguments of any
        // kind are what an unprototyped function takes.
        let prototyped = !(variadic && parameters.is_empty());
        Some(FunctionType {
            result,
            parameters: parameters.into(),
            variadic: variadic && prototyped,
            prototyped,
        })
    }
}

/// Reads one type; `None` if the target lacks it.
fn next_type(letters: &mut Chars<'_>, types: &mut Types, target: &Target) -> Option<TypeId> {
    let letter = letters.next().expect("a prototype does not end within a type");
    let id = match letter {
        'v' => Types::VOID,
        'b' => Types::int(IntKind::Bool),
        'c' => Types::CHAR,
        'h' => Types::int(IntKind::Short),
        'i' => Types::INT,
        'l' => Types::int(IntKind::Long),
        'q' => Types::int(IntKind::LongLong),
        'x' => Types::int(IntKind::Int128),
        'H' => Types::int(IntKind::UShort),
        'I' => Types::int(IntKind::UInt),
        'L' => Types::int(IntKind::ULong),
        'Q' => Types::int(IntKind::ULongLong),
        'X' => Types::int(IntKind::UInt128),
        '1' => Types::int(unsigned_of_size(1, target)),
        '2' => Types::int(unsigned_of_size(2, target)),
        // uint32_t, which is the type of char32_t.
        '4' => Types::int(target.char32_type),
        '8' => Types::int(unsigned_of_size(8, target)),
        'z' => Types::int(target.size_type),
        't' => Types::int(target.ptrdiff_type),
        'w' => Types::int(target.wchar_type),
        'j' => Types::int(unsigned_of_size(8, target).to_signed()),
        'J' => Types::int(unsigned_of_size(8, target)),
        'f' => Types::float(FloatKind::Float),
        'd' => Types::DOUBLE,
        'e' => Types::float(FloatKind::LongDouble),
        'm' => Types::float(FloatKind::Float16),
        'n' => Types::float(FloatKind::Float32),
        'k' => Types::float(FloatKind::Float64),
        'g' => Types::float(FloatKind::Float128),
        'N' => Types::float(FloatKind::Float32x),
        'K' => Types::float(FloatKind::Float64x),
        'C' => {
            let part = next_type(letters, types, target)?;
            types.complex_of(part)
        }
        'p' => types.pointer_to(Types::VOID),
        'P' => pointer_to_qualified(types, Types::VOID, Qualifiers::CONST),
        'u' => pointer_to_qualified(types, Types::VOID, Qualifiers::VOLATILE),
        'V' => pointer_to_qualified(types, Types::VOID, Qualifiers::CONST | Qualifiers::VOLATILE),
        's' => types.pointer_to(Types::CHAR),
        'S' => pointer_to_qualified(types, Types::CHAR, Qualifiers::CONST),
        'y' => {
            let function = types.function(FunctionType {
                result: Types::VOID,
                parameters: Box::default(),
                variadic: false,
                prototyped: false,
            });
            types.pointer_to(function)
        }
        'a' => types.intern(Type::VaList),
        '*' => {
            let to = next_type(letters, types, target)?;
            types.pointer_to(to)
        }
        _ => unreachable!("the table has no letter {letter:?}, as its tests check"),
    };
    let exists = match types.get(id) {
        Type::Int(kind) => target.int_scalar(*kind).is_some(),
        Type::Float(kind) => target.float_layout(*kind).is_some(),
        _ => true,
    };
    exists.then_some(id)
}

fn pointer_to_qualified(types: &mut Types, to: TypeId, qualifiers: Qualifiers) -> TypeId {
    let to = types.qualified(to, qualifiers);
    types.pointer_to(to)
}

/// The unsigned type of `size` bytes that compilers mean by an exact width:
/// `int` before the others, and `long` before `long long`.
fn unsigned_of_size(size: u32, target: &Target) -> IntKind {
    [IntKind::UInt, IntKind::UChar, IntKind::UShort, IntKind::ULong, IntKind::ULongLong]
        .into_iter()
        .find(|kind| target.int_scalar(*kind).is_some_and(|scalar| scalar.size == size))
        .expect("every target has types of 1, 2, 4 and 8 bytes")
}
