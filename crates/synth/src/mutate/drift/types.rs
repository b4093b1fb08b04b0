//! Variables of other types, and arrays of other lengths.

use farrier_lang::{
    ArrayLength, ExprId, ExprKind, FloatKind, IntKind, ObjectId, Storage, Type, TypeId, Types,
    integer_type,
};

use super::super::stage::Stage;
use super::flow::{Range, object_survives, values_of};
use super::{Drawn, any_expr, retype};
use crate::Choices;
use crate::scene::plain;

/// The types that integers become.
const INTEGERS: &[IntKind] = {
    use IntKind::{
        Bool, Char, Int, Long, LongLong, SChar, Short, UChar, UInt, ULong, ULongLong, UShort,
    };
    &[Bool, Char, SChar, UChar, Short, UShort, Int, UInt, Long, ULong, LongLong, ULongLong]
};

/// The types that floating values become.
const FLOATS: &[FloatKind] = &[FloatKind::Float, FloatKind::Double, FloatKind::LongDouble];

/// By how much arrays become longer, at most.
const LONGER: i64 = 9;

/// A variable that is used somewhere.
fn any_object(stage: &Stage<'_>, choices: &mut Choices) -> Option<ObjectId> {
    match stage.scene.program[any_expr(stage, choices)?].kind {
        ExprKind::Object(object) => Some(object),
        _ => None,
    }
}

/// A variable or an array gets another type of number.
pub(super) fn variable(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let object = any_object(stage, choices)?;
    let program = stage.scene.program;
    let old = innermost(stage, program[object].ty);
    let new = match *program.resolve(old) {
        Type::Int(_) => Types::int(choices.pick(INTEGERS)),
        Type::Float(_) => {
            let kind = choices.pick(FLOATS);
            program.target.float_scalar(kind)?;
            Types::float(kind)
        }
        _ => return None,
    };
    if old.unqualified() == new {
        return None;
    }
    if let Some(kind) = integer_type(program, new) {
        let values = values_of(stage, object)?;
        let all = Range { low: kind.min(), high: i128::try_from(kind.max()).ok()? };
        if !values.is_in(kind) && !object_survives(stage, object, all) {
            return None;
        }
    }
    let new = stage.fresh.program.types.qualified(new, old.qualifiers());
    let ty = with_innermost(stage, program[object].ty, new);
    let init = match program[object].init {
        Some(init) => Some(initial(stage, init, ty)?),
        None => None,
    };
    retype::object(stage, object, ty, init)
}

/// The type of the elements of an array, or the type itself.
pub(super) fn innermost(stage: &Stage<'_>, ty: TypeId) -> TypeId {
    match *stage.scene.program.resolve(ty) {
        Type::Array { element, .. } => innermost(stage, element),
        _ => ty,
    }
}

/// The same array type of other elements.
fn with_innermost(stage: &mut Stage<'_>, ty: TypeId, new: TypeId) -> TypeId {
    match *stage.scene.program.resolve(ty) {
        Type::Array { element, length } => {
            let element = with_innermost(stage, element, new);
            stage.fresh.program.types.array_of(element, length)
        }
        _ => new,
    }
}

/// An initialiser for an object of another type.
pub(super) fn initial(stage: &mut Stage<'_>, init: ExprId, ty: TypeId) -> Option<ExprId> {
    let node = stage.fresh.program[init].clone();
    let ExprKind::InitList(mut items) = node.kind else {
        if matches!(node.kind, ExprKind::String(_)) {
            return None;
        }
        let value = plain(&stage.fresh.program, init);
        return stage.builder().convert_assigned(value, ty).ok();
    };
    if let Type::Array { element, .. } = *stage.fresh.program.resolve(ty) {
        for item in &mut items {
            if stage.fresh.program.type_of(item.value) != element.unqualified() {
                item.value = initial(stage, item.value, element)?;
            }
        }
    }
    Some(stage.builder().node(ExprKind::InitList(items), ty.unqualified()))
}

/// An array becomes longer.
pub(super) fn length(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let object = any_object(stage, choices)?;
    let program = stage.scene.program;
    let Type::Array { element, length: ArrayLength::Fixed(length) } =
        *program.resolve(program[object].ty)
    else {
        return None;
    };
    let is_small = length < 1 << 12 && program[object].storage != Storage::Thread;
    let length = ArrayLength::Fixed(length + choices.range(1, LONGER) as u64);
    let ty = stage.fresh.program.types.array_of(element, length);
    let init = match program[object].init {
        Some(init) => Some(initial(stage, init, ty)?),
        None => None,
    };
    is_small.then(|| retype::object(stage, object, ty, init)).flatten()
}
