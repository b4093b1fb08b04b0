//! Small new nodes: constants of a type, and values made to fit where another type stands.

use farrier_lang::edit::Draft;
use farrier_lang::{Expr, ExprId, ExprKind, IntKind, Program, Type, TypeId, Types, UnaryOp};

/// Adds an expression to a draft.
pub(crate) fn push(draft: &mut Draft, kind: ExprKind, ty: TypeId) -> ExprId {
    draft.program.exprs.push(Expr { kind, ty })
}

/// A new zero of a type, if one can be written.
pub(crate) fn zero(draft: &mut Draft, ty: TypeId) -> Option<ExprId> {
    let ty = ty.unqualified();
    let program = &draft.program;
    if program.is_arithmetic(ty) {
        let zero = push(draft, ExprKind::Int(0), Types::INT);
        return Some(converted(draft, zero, ty));
    }
    match program.resolve(ty) {
        Type::Void | Type::Pointer(_) => {
            let zero = push(draft, ExprKind::Int(0), Types::INT);
            Some(push(draft, ExprKind::Cast(zero), ty))
        }
        Type::Record(_) => {
            let list = push(draft, ExprKind::InitList([].into()), ty);
            let literal = push(draft, ExprKind::CompoundLiteral(list), ty);
            Some(push(draft, ExprKind::Load(literal), ty))
        }
        _ => None,
    }
}

fn converted(draft: &mut Draft, value: ExprId, ty: TypeId) -> ExprId {
    if draft.program.type_of(value) == ty {
        value
    } else {
        push(draft, ExprKind::Convert(value), ty)
    }
}

/// A value without the conversions that nobody wrote.
pub(crate) fn plain(program: &Program, mut value: ExprId) -> ExprId {
    while let ExprKind::Convert(inner) = program[value].kind {
        value = inner;
    }
    value
}

/// `value` without the conversions that nobody wrote, made to fit where a value of type
/// `ty` stands; `None` if it cannot.
pub(crate) fn adapted(draft: &mut Draft, value: ExprId, ty: TypeId) -> Option<ExprId> {
    let mut value = plain(&draft.program, value);
    let from = draft.program.type_of(value);
    if draft.program.is_lvalue(value) || matches!(draft.program.resolve(from), Type::Array { .. }) {
        let (kind, read) = match *draft.program.resolve(from) {
            Type::Array { element, .. } => {
                (ExprKind::Decay(value), draft.program.types.pointer_to(element))
            }
            _ => (ExprKind::Load(value), from.unqualified()),
        };
        value = push(draft, kind, read);
    }
    let from = draft.program.type_of(value);
    let program = &draft.program;
    if from == ty {
        return Some(value);
    }
    match (program.resolve(from), program.resolve(ty)) {
        (Type::Function(_) | Type::Void, _) => None,
        (_, Type::Void) | (Type::Pointer(_), Type::Pointer(_)) => {
            Some(push(draft, ExprKind::Cast(value), ty))
        }
        _ if program.is_arithmetic(from) && program.is_arithmetic(ty) => {
            Some(converted(draft, value, ty))
        }
        _ => None,
    }
}

/// A new constant of an integer type, if there is one.
pub(crate) fn integer(draft: &mut Draft, value: i128, ty: TypeId) -> Option<ExprId> {
    let int = i128::from(i32::MIN) + 1..=i128::from(i32::MAX);
    let small =
        if draft.program.target.int_bits(IntKind::Int) == 16 { -0x7fff..=0x7fff } else { int };
    let written = match draft.program.resolve(ty) {
        _ if small.contains(&value) => Types::INT,
        Type::Int(kind) if kind.rank() >= IntKind::Int.rank() => Types::int(*kind),
        _ => return None,
    };
    let magnitude = u64::try_from(value.unsigned_abs()).ok()?;
    let mut node = push(draft, ExprKind::Int(magnitude), written);
    if value < 0 {
        if magnitude >> 63 != 0 {
            return None;
        }
        node = push(draft, ExprKind::Unary(UnaryOp::Minus, node), written);
    }
    Some(converted(draft, node, ty))
}

/// A constant whose text has this type.
pub(crate) fn literal(draft: &mut Draft, value: i128, kind: IntKind) -> Option<ExprId> {
    let target = draft.program.target;
    let bits = target.int_bits(kind) - u32::from(target.int_signed(kind));
    let magnitude = value.unsigned_abs();
    // The lowest number has no magnitude of its type, and nothing wider can be written.
    if magnitude >> bits.min(64) != 0 {
        return None;
    }
    let ty = Types::int(kind);
    let node = push(draft, ExprKind::Int(u64::try_from(magnitude).ok()?), ty);
    Some(if value < 0 { push(draft, ExprKind::Unary(UnaryOp::Minus, node), ty) } else { node })
}

/// A copy of an expression; `None` for forms that are rare where copies help.
pub(crate) fn copy(program: &mut Program, id: ExprId) -> Option<ExprId> {
    let Expr { kind, ty } = program[id].clone();
    let kind = match kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Object(_) | ExprKind::EnumConstant(_) => {
            kind
        }
        ExprKind::Load(of) => ExprKind::Load(copy(program, of)?),
        ExprKind::Convert(of) => ExprKind::Convert(copy(program, of)?),
        ExprKind::Cast(of) => ExprKind::Cast(copy(program, of)?),
        ExprKind::Unary(op, of) => ExprKind::Unary(op, copy(program, of)?),
        ExprKind::Step(op, of) => ExprKind::Step(op, copy(program, of)?),
        ExprKind::Member(of, field) => ExprKind::Member(copy(program, of)?, field),
        ExprKind::Binary(op, left, right) => {
            ExprKind::Binary(op, copy(program, left)?, copy(program, right)?)
        }
        ExprKind::Assign(left, right) => {
            ExprKind::Assign(copy(program, left)?, copy(program, right)?)
        }
        ExprKind::CompoundAssign { op, target, value, computation } => {
            let (target, value) = (copy(program, target)?, copy(program, value)?);
            ExprKind::CompoundAssign { op, target, value, computation }
        }
        _ => return None,
    };
    Some(program.exprs.push(Expr { kind, ty }))
}
