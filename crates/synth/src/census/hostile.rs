//! What would be undefined whatever the values are, as its text tells: code that is meant not
//! to run.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, IntKind, Program, Qualifiers, Type, UnaryOp,
    integer_type,
};

use crate::scene::plain;

/// Builtins behind which nothing runs.
const ENDS: [&str; 3] = ["__builtin_unreachable", "__builtin_trap", "__builtin_abort"];

/// Whether an expression calls a builtin that does not return.
pub(super) fn is_end(program: &Program, id: ExprId) -> bool {
    matches!(program[id].kind, ExprKind::Builtin(builtin, _) if ENDS.contains(&builtin.name()))
}

/// Whether an expression would be undefined.
pub(super) fn is_hostile(program: &Program, id: ExprId) -> bool {
    match program[id].kind {
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, right) => is_zero(program, right),
        ExprKind::Binary(op, left, right) if op.is_shift() => {
            // A vector has lanes, and no bits of its own.
            integer_type(program, program.type_of(left)).is_some_and(|ty| {
                number(program, right).is_some_and(|count| count < 0 || count >= ty.bits.into())
            })
        }
        ExprKind::Index(base, index) => number(program, index).is_some_and(|index| {
            length(program, base).is_some_and(|length| index < 0 || index >= length.into())
        }),
        ExprKind::Deref(pointer) => is_wild(program, pointer),
        ExprKind::Call(callee, _) => matches!(program[callee].kind, ExprKind::Cast(_)),
        ExprKind::Assign(target, _) => is_in_string(program, target),
        ExprKind::Builtin(builtin, ref arguments) => {
            let counts = builtin.name().contains("clz") || builtin.name().contains("ctz");
            is_end(program, id) || counts && number(program, arguments[0]) == Some(0)
        }
        _ => false,
    }
}

/// An integer that is written down.
fn number(program: &Program, id: ExprId) -> Option<i128> {
    let value = match program[plain(program, id)].kind {
        ExprKind::Int(value) => value.into(),
        ExprKind::Unary(UnaryOp::Minus, operand) => -number(program, operand)?,
        _ => return None,
    };
    // A cast may have made another number of it.
    integer_type(program, program.type_of(id))?.contains(value).then_some(value)
}

/// Zero, or a variable less itself.
fn is_zero(program: &Program, id: ExprId) -> bool {
    match program[plain(program, id)].kind {
        ExprKind::Binary(BinaryOp::Sub, left, right) => {
            let read = |id| match program[plain(program, id)].kind {
                ExprKind::Load(place) => match program[place].kind {
                    ExprKind::Object(object) => Some(object),
                    _ => None,
                },
                _ => None,
            };
            read(left).is_some_and(|left| Some(left) == read(right))
        }
        _ => number(program, id) == Some(0),
    }
}

/// The length of the array that a pointer comes from.
fn length(program: &Program, base: ExprId) -> Option<u64> {
    let ExprKind::Decay(array) = program[base].kind else { return None };
    match *program.resolve(program.type_of(array)) {
        Type::Array { length: ArrayLength::Fixed(length), .. } => Some(length),
        _ => None,
    }
}

/// A number as a pointer, or a pointer to an integer as one to something larger or to
/// something that is not constant.
fn is_wild(program: &Program, pointer: ExprId) -> bool {
    let ExprKind::Cast(operand) = program[pointer].kind else { return false };
    let ExprKind::AddressOf(place) = program[operand].kind else {
        return program.is_integer(program.type_of(operand));
    };
    let from = program.type_of(place);
    let Some(to) = program.pointee(program.type_of(pointer)) else { return false };
    let Some(integer) = integer_type(program, from) else { return false };
    let constant = |ty: farrier_lang::TypeId| ty.qualifiers().contains(Qualifiers::CONST);
    let larger = match program.resolve(to) {
        Type::Int(IntKind::LongLong) => integer.bits < 64,
        Type::Record(_) => true,
        _ => false,
    };
    larger || constant(from) && !constant(to)
}

/// Whether a place is in a string literal.
fn is_in_string(program: &Program, place: ExprId) -> bool {
    let ExprKind::Index(base, _) = program[place].kind else { return false };
    let ExprKind::Decay(array) = program[base].kind else { return false };
    matches!(program[array].kind, ExprKind::String(_))
}
