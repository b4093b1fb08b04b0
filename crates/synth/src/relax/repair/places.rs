//! Which parts of an expression a repair can take hold of.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, GuardCheck, Program, Type, integer_type,
};

use crate::scene::plain;

/// A step to an object that has no guard.
pub(super) enum Step {
    /// `array[index]`
    Element {
        /// The subscript.
        index: ExprId,
        /// The number of elements.
        length: u64,
    },
    /// `pointer + distance`
    Moved {
        /// The sum.
        sum: ExprId,
        /// The pointer in it.
        pointer: ExprId,
    },
    /// `*pointer`
    Pointer(ExprId),
}

/// The nodes on the way from an access to where it begins, the access first.
pub(super) fn chain(program: &Program, access: ExprId) -> Vec<ExprId> {
    let mut chain = vec![access];
    let mut at = access;
    loop {
        at = match program[at].kind {
            ExprKind::Load(inner)
            | ExprKind::Member(inner, _)
            | ExprKind::Decay(inner)
            | ExprKind::AddressOf(inner)
            | ExprKind::Convert(inner)
            | ExprKind::Cast(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Index(inner, _)
            | ExprKind::Assign(inner, _)
            | ExprKind::CompoundAssign { target: inner, .. }
            | ExprKind::Step(_, inner)
            | ExprKind::Guard { check: GuardCheck::Pointer, operand: inner, .. } => inner,
            ExprKind::Binary(_, left, _) if program.pointee(program.type_of(at)).is_some() => left,
            _ => return chain,
        };
        chain.push(at);
    }
}

/// The part of a step that should have a guard and has none.
pub(super) fn step(program: &Program, expr: ExprId) -> Option<Step> {
    let (pointer, index) = match program[expr].kind {
        ExprKind::Deref(pointer) => (pointer, None),
        ExprKind::Index(pointer, index) => (pointer, Some(index)),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, pointer, _)
            if program.pointee(program.type_of(expr)).is_some() =>
        {
            return Some(Step::Moved { sum: expr, pointer });
        }
        _ => return None,
    };
    match (&program[pointer].kind, index) {
        (ExprKind::Decay(array), Some(index)) => {
            let ty = program.type_of(*array);
            let Type::Array { length: ArrayLength::Fixed(length), .. } = *program.resolve(ty)
            else {
                return None;
            };
            // The guard stands under the conversion to the type of an index.
            let index = plain(program, index);
            let narrow = integer_type(program, program.type_of(index))?.bits <= 64;
            let guarded = matches!(program[index].kind, ExprKind::Guard { .. });
            (narrow && !guarded).then_some(Step::Element { index, length })
        }
        (ExprKind::Guard { .. } | ExprKind::AddressOf(_) | ExprKind::Decay(_), _) => None,
        (ExprKind::Binary(..), _) => None,
        _ => Some(Step::Pointer(pointer)),
    }
}

/// The numbers in an expression that are always evaluated and have effects: they can be evaluated
/// before the rest.
pub(super) fn early(program: &Program, whole: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    visit(program, whole, whole, &mut found);
    found
}

fn visit(program: &Program, whole: ExprId, expr: ExprId, found: &mut Vec<ExprId>) {
    let suits = expr != whole
        && !program.is_lvalue(expr)
        && program.is_arithmetic(program.type_of(expr))
        && program.has_effect(expr);
    if suits {
        found.push(expr);
    }
    match program[expr].kind {
        // Only the first operand is evaluated for sure.
        ExprKind::Logical(_, first, _)
        | ExprKind::Comma(first, _)
        | ExprKind::Conditional { condition: first, .. } => visit(program, whole, first, found),
        // The operation under a guard stays there.
        ExprKind::Guard { check: GuardCheck::Operation | GuardCheck::Exact, operand, .. } => {
            program[operand].kind.for_each_operand(|inner| visit(program, whole, inner, found));
        }
        ExprKind::Guard { operand, .. } => visit(program, whole, operand, found),
        ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(..) | ExprKind::StatementExpr(_) => {}
        _ => program[expr].kind.for_each_operand(|inner| visit(program, whole, inner, found)),
    }
}
