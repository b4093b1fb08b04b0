//! Small new nodes: constants of a type, and values made to fit where another type stands.

use farrier_lang::edit::Fresh;
use farrier_lang::{Expr, ExprId, ExprKind, Program, Type, TypeId, Types};

/// Adds an expression to a draft.
pub(crate) fn push(draft: &mut Fresh, kind: ExprKind, ty: TypeId) -> ExprId {
    draft.program.exprs.push(Expr { kind, ty })
}

/// A new zero of a type, if one can be written.
pub(crate) fn zero(draft: &mut Fresh, ty: TypeId) -> Option<ExprId> {
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

fn converted(draft: &mut Fresh, value: ExprId, ty: TypeId) -> ExprId {
    if draft.program.type_of(value) == ty {
        value
    } else {
        push(draft, ExprKind::Convert(value), ty)
    }
}

/// A value without its implicit conversions.
pub(crate) fn plain(program: &Program, mut value: ExprId) -> ExprId {
    while let ExprKind::Convert(inner) = program[value].kind {
        value = inner;
    }
    value
}

/// `value` without its implicit conversions, made to fit where a value of type
/// `ty` stands; `None` if it cannot.
pub(crate) fn adapted(draft: &mut Fresh, value: ExprId, ty: TypeId) -> Option<ExprId> {
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
