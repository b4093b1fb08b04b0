//! Wrappers: the functions that guards are in C text, and their names.
//!
//! A guard prints as a call of a `static` function that the printer defines at the
//! top of the text, once for each operation and types that occur. The name says
//! what the guard is, so that the call reads back as the guard; the definitions
//! themselves are skipped by a reader: every function whose name begins with
//! [`WRAPPER_PREFIX`] is one of them or a part of one.
//!
//! | name | guard |
//! |---|---|
//! | `__farrier_add_int(a, b)` | `Operation` on a binary operator; also `sub mul div rem lt gt le ge eq ne and xor or` |
//! | `__farrier_shl_long_int(a, b)` | `Operation` on a shift, with the types of both operands; also `shr` |
//! | `__farrier_neg_int(a)` | `Operation` on unary minus |
//! | `__farrier_convert_double_int(a)` | `Operation` on an implicit conversion, from and to |
//! | `__farrier_cast_double_int(a)` | the same on a cast |
//! | `__farrier_exact_add_double(a, b)` | `Exact`, on `add sub mul div neg convert cast` |
//! | `__farrier_index_int_or(i, 10, 0)` | `Index` of an operand of this type, with the bound |
//! | `(type *)__farrier_pointer_or(p, &x)` | `Pointer`; the cast is part of the guard |
//!
//! Without `_or` at the end of the name the fallback is [`Fallback::FirstOperand`], which
//! `Index` and `Pointer` cannot have; with it, the fallback is the last argument. It is evaluated each time, which
//! cannot be seen because it has no side effect.
//! The types of the arithmetic operands are those after the usual conversions:
//! an argument is converted on its way in as an operand would have been. In names they are
//! `bool char schar uchar short ushort int uint long ulong llong ullong int128 uint128`,
//! `bitint7 ubitint7`, and `float16 float double ldouble float32 float64 float128 float32x float64x`;
//! an enumeration has the name of its underlying type.
//!
//! What a wrapper checks:
//!
//! - `Operation`: exactly what C11 leaves undefined (6.5.5p5-6, 6.5.7p3-4, 6.5p5,
//!   6.3.1.4p1). A left shift of a negative value, or one that loses bits of a
//!   signed value, fails.
//! - `Exact`: IEEE 754 would raise no flag: the result is neither rounded nor
//!   overflowed, and the operation is no invalid one and no division by zero.
//!   Infinities and quiet NaNs as operands are no failure in themselves.
//! - A conversion from a floating type that fails has no first operand to fall back
//!   on that would be defined; without `_or` the value is then zero.
//!
//! With [`GuardStyle::Macros`] some wrappers are macros of the same name, each on one
//! line: a statement expression of GNU C that evaluates each argument once, as Csmith's
//! macros are. A reader of the text as it is skips the
//! `#define` and finds the guard by its name, as if it were a function; after the
//! preprocessor, it is plain C that means the same. Wrappers of floating operations
//! stay functions.
//!
//! Some guards have no wrapper and are printed bare: arithmetic on pointers,
//! vectors and complex numbers, and `Exact` multiplication and division in
//! binary128 where there is no `__int128`. A conversion to an enumeration reads
//! back as one to its underlying type. A guard is a call, so it cannot stand where
//! C asks for a constant expression.

use crate::arena::ExprId;
use crate::expr::{BinaryOp, Expr, ExprKind, Fallback, GuardCheck, UnaryOp};
use crate::print::GuardStyle;
use crate::program::Program;
use crate::target::FloatFormat;
use crate::types::{FloatKind, IntKind, Type, TypeId};

/// How the names of all functions begin that a printed program adds for its guards.
pub const WRAPPER_PREFIX: &str = "__farrier_";

/// A type that a wrapper takes or gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WrapperType {
    /// An integer type, or an enumeration with it as the underlying type.
    Int(IntKind),
    /// `_BitInt`
    BitInt {
        /// Whether it has a sign bit.
        signed: bool,
        /// Width in bits.
        width: u32,
    },
    /// A real floating type.
    Float(FloatKind),
}

/// The operation that a wrapper guards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum WrapperOperation {
    /// `-a`
    Minus(WrapperType),
    /// An operator between two values of one type; never a shift.
    Binary(BinaryOp, WrapperType),
    /// `a << b` or `a >> b`, with the type of each.
    Shift(BinaryOp, WrapperType, WrapperType),
    /// An implicit conversion.
    Convert {
        /// The type of the operand.
        from: WrapperType,
        /// The type of the result.
        to: WrapperType,
    },
    /// A cast.
    Cast {
        /// The type of the operand.
        from: WrapperType,
        /// The type of the result.
        to: WrapperType,
    },
    /// An index in a range, whose bound is the second argument.
    Index(WrapperType),
    /// A pointer that is not null.
    Pointer,
}

/// A wrapper function: all that its name says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Wrapper {
    /// The operation.
    pub operation: WrapperOperation,
    /// Whether the check is [`GuardCheck::Exact`].
    pub exact: bool,
    /// Whether the last argument is the fallback.
    pub or: bool,
}

impl WrapperType {
    fn is_floating(self) -> bool {
        matches!(self, Self::Float(_))
    }
}

impl Wrapper {
    /// Whether it is a macro in a text of this style.
    pub fn is_macro(self, style: GuardStyle) -> bool {
        let GuardStyle::Macros { percent, salt } = style else { return false };
        let floating = match self.operation {
            WrapperOperation::Minus(ty)
            | WrapperOperation::Binary(_, ty)
            | WrapperOperation::Index(ty) => ty.is_floating(),
            WrapperOperation::Shift(_, left, right) => left.is_floating() || right.is_floating(),
            WrapperOperation::Convert { from, to } | WrapperOperation::Cast { from, to } => {
                from.is_floating() || to.is_floating()
            }
            WrapperOperation::Pointer => false,
        };
        // FNV-1a, whose high bits are the good ones.
        let hash = guard_name(self).bytes().fold(salt ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        !floating && (hash >> 32) % 100 < u64::from(percent)
    }

    /// Whether the call stands after a cast, because the function cannot have the right type.
    pub fn is_cast_at_call(self) -> bool {
        self.operation == WrapperOperation::Pointer
    }
}

/// The operators in names.
const OPERATORS: [(BinaryOp, &str); 16] = [
    (BinaryOp::Mul, "mul"),
    (BinaryOp::Div, "div"),
    (BinaryOp::Rem, "rem"),
    (BinaryOp::Add, "add"),
    (BinaryOp::Sub, "sub"),
    (BinaryOp::Shl, "shl"),
    (BinaryOp::Shr, "shr"),
    (BinaryOp::Less, "lt"),
    (BinaryOp::Greater, "gt"),
    (BinaryOp::LessEqual, "le"),
    (BinaryOp::GreaterEqual, "ge"),
    (BinaryOp::Equal, "eq"),
    (BinaryOp::NotEqual, "ne"),
    (BinaryOp::BitAnd, "and"),
    (BinaryOp::BitXor, "xor"),
    (BinaryOp::BitOr, "or"),
];

/// The integer types in names.
const INTEGERS: [(IntKind, &str); 14] = [
    (IntKind::Bool, "bool"),
    (IntKind::Char, "char"),
    (IntKind::SChar, "schar"),
    (IntKind::UChar, "uchar"),
    (IntKind::Short, "short"),
    (IntKind::UShort, "ushort"),
    (IntKind::Int, "int"),
    (IntKind::UInt, "uint"),
    (IntKind::Long, "long"),
    (IntKind::ULong, "ulong"),
    (IntKind::LongLong, "llong"),
    (IntKind::ULongLong, "ullong"),
    (IntKind::Int128, "int128"),
    (IntKind::UInt128, "uint128"),
];

/// The floating types in names.
const FLOATS: [(FloatKind, &str); 9] = [
    (FloatKind::Float16, "float16"),
    (FloatKind::Float, "float"),
    (FloatKind::Double, "double"),
    (FloatKind::LongDouble, "ldouble"),
    (FloatKind::Float32, "float32"),
    (FloatKind::Float64, "float64"),
    (FloatKind::Float128, "float128"),
    (FloatKind::Float32x, "float32x"),
    (FloatKind::Float64x, "float64x"),
];

fn name_in<K: Copy + PartialEq>(table: &[(K, &'static str)], key: K) -> &'static str {
    table.iter().find(|(entry, _)| *entry == key).expect("the table names every key").1
}

fn key_in<K: Copy>(table: &[(K, &'static str)], name: &str) -> Option<K> {
    table.iter().find(|(_, entry)| *entry == name).map(|(key, _)| *key)
}

/// A type as the names of wrappers spell it.
pub(crate) fn write_type(out: &mut String, ty: WrapperType) {
    match ty {
        WrapperType::Int(kind) => out.push_str(name_in(&INTEGERS, kind)),
        WrapperType::Float(kind) => out.push_str(name_in(&FLOATS, kind)),
        WrapperType::BitInt { signed, width } => {
            out.push_str(if signed { "bitint" } else { "ubitint" });
            out.push_str(&width.to_string());
        }
    }
}

fn parse_type(name: &str) -> Option<WrapperType> {
    let bit_int = |digits: &str, signed| {
        let plain = !digits.starts_with(['0', '+']);
        plain.then(|| digits.parse().ok().map(|width| WrapperType::BitInt { signed, width }))?
    };
    key_in(&INTEGERS, name)
        .map(WrapperType::Int)
        .or_else(|| key_in(&FLOATS, name).map(WrapperType::Float))
        .or_else(|| bit_int(name.strip_prefix("bitint")?, true))
        .or_else(|| bit_int(name.strip_prefix("ubitint")?, false))
}

/// The name of a wrapper function.
pub fn guard_name(wrapper: Wrapper) -> String {
    let mut name = String::from(WRAPPER_PREFIX);
    if wrapper.exact {
        name.push_str("exact_");
    }
    let (operation, types) = match wrapper.operation {
        WrapperOperation::Minus(ty) => ("neg", [Some(ty), None]),
        WrapperOperation::Binary(op, ty) => (name_in(&OPERATORS, op), [Some(ty), None]),
        WrapperOperation::Shift(op, left, right) => {
            (name_in(&OPERATORS, op), [Some(left), Some(right)])
        }
        WrapperOperation::Convert { from, to } => ("convert", [Some(from), Some(to)]),
        WrapperOperation::Cast { from, to } => ("cast", [Some(from), Some(to)]),
        WrapperOperation::Index(ty) => ("index", [Some(ty), None]),
        WrapperOperation::Pointer => ("pointer", [None, None]),
    };
    name.push_str(operation);
    for ty in types.into_iter().flatten() {
        name.push('_');
        write_type(&mut name, ty);
    }
    if wrapper.or {
        name.push_str("_or");
    }
    name
}

/// The wrapper that has this name: the inverse of [`guard_name`].
pub fn parse_guard_name(name: &str) -> Option<Wrapper> {
    let rest = name.strip_prefix(WRAPPER_PREFIX)?;
    let (rest, exact) = match rest.strip_prefix("exact_") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let mut words = rest.split('_');
    let operation = words.next()?;
    let mut words: Vec<&str> = words.collect();
    let or = words.last() == Some(&"or");
    if or {
        words.pop();
    }
    let types = words.into_iter().map(parse_type).collect::<Option<Vec<_>>>()?;
    let operation = match (operation, &types[..]) {
        ("neg", &[ty]) => WrapperOperation::Minus(ty),
        ("convert", &[from, to]) => WrapperOperation::Convert { from, to },
        ("cast", &[from, to]) => WrapperOperation::Cast { from, to },
        ("index", &[ty]) if !exact => WrapperOperation::Index(ty),
        ("pointer", &[]) if !exact => WrapperOperation::Pointer,
        (operation, types) => match (key_in(&OPERATORS, operation)?, types) {
            (op, &[left, right]) if op.is_shift() => WrapperOperation::Shift(op, left, right),
            (op, &[ty]) if !op.is_shift() => WrapperOperation::Binary(op, ty),
            _ => return None,
        },
    };
    Some(Wrapper { operation, exact, or })
}

/// The type as wrappers see it, if they handle it.
fn wrapper_type(program: &Program, ty: TypeId) -> Option<WrapperType> {
    Some(match *program.resolve(ty) {
        Type::Int(kind) => WrapperType::Int(kind),
        Type::BitInt { signed, width } => WrapperType::BitInt { signed, width },
        Type::Float(kind) => WrapperType::Float(kind),
        Type::Enum(id) => WrapperType::Int(program[id].underlying),
        _ => return None,
    })
}

/// The wrapper that a guard calls; `None` if it has none and is printed bare.
pub fn wrapper_of(program: &Program, guard: &Expr) -> Option<Wrapper> {
    let ExprKind::Guard { check, operand, fallback } = guard.kind else { return None };
    let guarded = &program.exprs[operand];
    let type_of = |id: ExprId| wrapper_type(program, program.type_of(id));
    let operation = match check {
        GuardCheck::Index { .. } => WrapperOperation::Index(type_of(operand)?),
        GuardCheck::Pointer => WrapperOperation::Pointer,
        GuardCheck::Operation | GuardCheck::Exact => match guarded.kind {
            ExprKind::Unary(UnaryOp::Minus, value) => WrapperOperation::Minus(type_of(value)?),
            ExprKind::Binary(op, left, right) if op.is_shift() => {
                WrapperOperation::Shift(op, type_of(left)?, type_of(right)?)
            }
            ExprKind::Binary(op, left, right) => {
                type_of(right)?;
                WrapperOperation::Binary(op, type_of(left)?)
            }
            ExprKind::Convert(value) => {
                WrapperOperation::Convert { from: type_of(value)?, to: type_of(operand)? }
            }
            ExprKind::Cast(value) => {
                WrapperOperation::Cast { from: type_of(value)?, to: type_of(operand)? }
            }
            _ => return None,
        },
    };
    let exact = check == GuardCheck::Exact;
    let wrapper = Wrapper { operation, exact, or: matches!(fallback, Fallback::Value(_)) };
    (!exact || has_exact_body(program, operation)).then_some(wrapper)
}

/// Whether exactness of the operation can be tested without a wider type than the target has.
fn has_exact_body(program: &Program, operation: WrapperOperation) -> bool {
    let format = |ty| match ty {
        WrapperType::Float(kind) => program.target.float_scalar(kind).map(|(_, format)| format),
        _ => None,
    };
    match operation {
        WrapperOperation::Minus(ty)
        | WrapperOperation::Binary(BinaryOp::Add | BinaryOp::Sub, ty) => format(ty).is_some(),
        WrapperOperation::Binary(BinaryOp::Mul | BinaryOp::Div, ty) => match format(ty) {
            Some(FloatFormat::Quad) => program.target.int128.is_some(),
            other => other.is_some(),
        },
        WrapperOperation::Convert { from, to } | WrapperOperation::Cast { from, to } => {
            let bit_int = |ty| matches!(ty, WrapperType::BitInt { .. });
            let floating = |ty| matches!(ty, WrapperType::Float(_));
            !bit_int(from) && !bit_int(to) && (floating(from) || floating(to))
        }
        _ => false,
    }
}
