//! Passes on types.

use farrier_lang::edit::{Change, Draft, Edit, change_object_type, change_result_type};
use farrier_lang::*;

use super::nodes::{Scene, adapted, push};

/// Gives an object another type; whatever is read from it or assigned to it is converted
/// without a cast. `None` if it is used in another way, too.
fn retyped(scene: &Scene<'_>, draft: &mut Draft, id: ObjectId, ty: TypeId) -> Option<Edit> {
    let program = scene.program;
    let from = program[id].clone();
    let mut to = from.clone();
    to.ty = ty;
    if let Some(init) = from.init {
        match program[init].kind {
            ExprKind::InitList(_) | ExprKind::String(_) => return None,
            _ => to.init = Some(adapted(draft, init, ty.unqualified())?),
        }
    }
    let mut changes = vec![Change::Object { id, from: Box::new(from), to: Box::new(to) }];
    for lvalue in scene.uses(&ExprKind::Object(id)) {
        let at = scene.parent(lvalue)?;
        let place = push(draft, ExprKind::Object(id), ty);
        let old = program.type_of(at);
        let plain = ty.unqualified();
        let kind = match program[at].kind.clone() {
            ExprKind::Load(_) => ExprKind::Load(place),
            ExprKind::Assign(target, value) if target == lvalue => {
                ExprKind::Assign(place, adapted(draft, value, plain)?)
            }
            ExprKind::Step(op, _) => ExprKind::Step(op, place),
            ExprKind::CompoundAssign { op, target, value, computation } if target == lvalue => {
                ExprKind::CompoundAssign { op, target: place, value, computation }
            }
            _ => return None,
        };
        let new = push(draft, kind, plain);
        let with = adapted(draft, new, old)?;
        changes.push(Change::ReplaceExpr { at, with });
    }
    Some(draft.edit(changes))
}

/// Removes the qualifiers of objects.
pub(super) fn qualifiers(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    for object in scene.objects() {
        let ty = scene.program[object].ty;
        if ty.qualifiers().is_empty() {
            continue;
        }
        edits.extend(retyped(scene, &mut draft, object, ty.unqualified()));
        draft.discard();
    }
    edits
}

/// Makes objects and results `int`.
pub(super) fn to_int(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    let other = |ty: TypeId| ty != Types::INT && scene.program.is_arithmetic(ty);
    for object in scene.objects() {
        if other(scene.program[object].ty) {
            edits.extend(retyped(scene, &mut draft, object, Types::INT));
            draft.discard();
            edits.extend(change_object_type(&mut draft, object, Types::INT));
            draft.discard();
        }
    }
    for function in scene.functions() {
        let Type::Function(ty) = scene.program.resolve(scene.program[function].ty) else {
            continue;
        };
        if other(ty.result) {
            edits.extend(change_result_type(&mut draft, function, Types::INT));
            draft.discard();
        }
    }
    edits
}

/// Replaces an array of which only single elements are used by one element, a record of
/// which one member is used by that member, and a pointer by what it points to.
pub(super) fn elements(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    for object in scene.objects() {
        edits.extend(element(scene, &mut draft, object));
        draft.discard();
    }
    edits
}

fn element(scene: &Scene<'_>, draft: &mut Draft, id: ObjectId) -> Option<Edit> {
    let program = scene.program;
    let from = program[id].clone();
    let mut ty = None;
    let mut changes = Vec::new();
    for lvalue in scene.uses(&ExprKind::Object(id)) {
        let parent = scene.parent(lvalue)?;
        let at = match program[parent].kind {
            ExprKind::Member(..) => parent,
            ExprKind::Decay(_) | ExprKind::Load(_) => {
                let above = scene.parent(parent)?;
                match program[above].kind {
                    ExprKind::Deref(_) => above,
                    ExprKind::Index(base, _) if base == parent => above,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let used = program.type_of(at);
        if *ty.get_or_insert(used) != used {
            return None;
        }
        let with = push(draft, ExprKind::Object(id), used);
        changes.push(Change::ReplaceExpr { at, with });
    }
    let mut to = from.clone();
    to.ty = ty?;
    // The first value that fits, if there is one; else it starts at zero.
    to.init = from.init.and_then(|init| match &program[init].kind {
        ExprKind::InitList(items) => items
            .iter()
            .map(|item| item.value)
            .find(|value| program.type_of(*value).unqualified() == to.ty.unqualified()),
        _ => None,
    });
    if to.init.is_none() && from.init.is_some() && from.storage == Storage::Automatic {
        to.init = super::nodes::zero(draft, to.ty);
    }
    changes.push(Change::Object { id, from: Box::new(from), to: Box::new(to) });
    Some(draft.edit(changes))
}
