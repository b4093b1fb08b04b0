//! Passes on types.

use farrier_lang::edit::{Change, Edit, Fresh, change_object_type, change_result_type};
use farrier_lang::{
    ArrayLength, Encoding, Entity, Enum, EnumConstantId, ExprId, ExprKind, FloatKind, InitItem,
    InitPlace, Item, ObjectId, Record, RecordKind, Storage, StringLiteral, Type, TypeId, Types,
};

use crate::scene::{Scene, adapted, plain, push, zero};

/// Gives an object another type; whatever is read from it or assigned to it is converted
/// without a cast. `None` if it is used in another way, too.
fn retyped(scene: &Scene<'_>, draft: &mut Fresh, id: ObjectId, ty: TypeId) -> Option<Edit> {
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
        if let Some(change) = plain_format(scene, draft, at) {
            changes.push(change);
        }
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
        let with = match only_printed(scene, at) {
            // The format is for it as it is.
            Some(_) => new,
            None => adapted(draft, new, old)?,
        };
        changes.push(Change::ReplaceExpr { at, with });
    }
    Some(draft.edit(changes))
}

/// The format of the call of `printf` that prints `id` and nothing else.
fn only_printed(scene: &Scene<'_>, id: ExprId) -> Option<ExprId> {
    let program = scene.program;
    let mut value = id;
    while let ExprKind::Convert(_) = program[scene.parent(value)?].kind {
        value = scene.parent(value)?;
    }
    let ExprKind::Call(callee, arguments) = &program[scene.parent(value)?].kind else {
        return None;
    };
    let ExprKind::Decay(callee) = program[*callee].kind else { return None };
    let ExprKind::Function(function) = program[callee].kind else { return None };
    let [format, printed] = arguments[..] else { return None };
    if printed != value || program.text(program[function].name) != "printf" {
        return None;
    }
    let ExprKind::Decay(literal) = program[plain(program, format)].kind else { return None };
    matches!(program[literal].kind, ExprKind::String(_)).then_some(literal)
}

/// The change that makes the format of the call that prints `id` one for an `int`.
fn plain_format(scene: &Scene<'_>, draft: &mut Fresh, id: ExprId) -> Option<Change> {
    let at = only_printed(scene, id)?;
    let Type::Array { element, .. } = *scene.program.resolve(scene.program.type_of(at)) else {
        return None;
    };
    let units: Box<[u32]> = "%d".chars().map(u32::from).collect();
    let length = ArrayLength::Fixed(units.len() as u64 + 1);
    let ty = draft.program.types.array_of(element, length);
    let string = StringLiteral { encoding: Encoding::Plain, units };
    let string = draft.program.strings.push(string);
    let with = push(draft, ExprKind::String(string), ty);
    Some(Change::ReplaceExpr { at, with })
}

/// Makes unions structs.
pub(super) fn structs(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let unions = program.items.iter().filter_map(|item| match *item {
        Item::Define(Entity::Record(id)) if program[id].kind == RecordKind::Union => Some(id),
        _ => None,
    });
    unions
        .map(|id| {
            let from = Box::new(program[id].clone());
            let to = Box::new(Record { kind: RecordKind::Struct, ..(*from).clone() });
            Edit::new(program, vec![Change::Record { id, from, to }])
        })
        .collect()
}

/// Makes the members of records `int`, those that are numbers of another type.
pub(super) fn members(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for item in &program.items {
        let Item::Define(Entity::Record(id)) = *item else { continue };
        let from = program[id].clone();
        for index in 0..from.fields.as_ref().map_or(0, |fields| fields.len()) {
            let mut to = from.clone();
            let Some(fields) = &mut to.fields else { continue };
            let ty = fields[index].ty;
            if ty == Types::INT || !program.is_arithmetic(ty) {
                continue;
            }
            fields[index].ty = Types::INT;
            fields[index].bits = None;
            // What reads it has another type then, which only the text can say.
            let change = Change::Record { id, from: Box::new(from.clone()), to: Box::new(to) };
            let mut changes = vec![change];
            for at in scene.exprs() {
                let ExprKind::Member(of, field) = program[at].kind else { continue };
                let record = *program.resolve(program.type_of(of)) == Type::Record(id);
                if record && field as usize == index {
                    changes.extend(retyped_place(scene, &mut draft, at));
                }
            }
            edits.push(draft.edit(changes));
        }
    }
    edits
}

/// Leaves those constants of an enumeration that are used, or one.
pub(super) fn enumerators(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for item in &program.items {
        let Item::Define(Entity::Enum(id)) = *item else { continue };
        let from = program[id].clone();
        let Some(all) = &from.constants else { continue };
        let is_used = |id: &EnumConstantId| !scene.uses(&ExprKind::EnumConstant(*id)).is_empty();
        let mut kept: Vec<EnumConstantId> = all.iter().copied().filter(is_used).collect();
        if kept.is_empty() {
            kept.extend(all.first());
        }
        if kept.len() < all.len() {
            let to = Enum { constants: Some(kept.into()), ..from.clone() };
            let change = Change::Enum { id, from: Box::new(from), to: Box::new(to) };
            edits.push(draft.edit(vec![change]));
        }
    }
    edits
}

/// The change that makes an lvalue `int` where it is read or assigned to.
fn retyped_place(scene: &Scene<'_>, draft: &mut Fresh, lvalue: ExprId) -> Option<Change> {
    let program = scene.program;
    let at = scene.parent(lvalue)?;
    let old = program.type_of(at);
    let kind = program[lvalue].kind.clone();
    let place = push(draft, kind, Types::INT);
    let kind = match program[at].kind.clone() {
        ExprKind::Load(_) => ExprKind::Load(place),
        ExprKind::Assign(target, value) if target == lvalue => {
            ExprKind::Assign(place, adapted(draft, value, Types::INT)?)
        }
        ExprKind::Step(op, _) => ExprKind::Step(op, place),
        ExprKind::CompoundAssign { op, target, value, computation } if target == lvalue => {
            ExprKind::CompoundAssign { op, target: place, value, computation }
        }
        _ => return None,
    };
    let new = push(draft, kind, Types::INT);
    Some(Change::ReplaceExpr { at, with: adapted(draft, new, old)? })
}

/// Makes arrays shorter: half as long, or by one element.
pub(super) fn lengths(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut draft = Fresh::new(program);
    let mut edits = Vec::new();
    for id in scene.objects() {
        let from = program[id].clone();
        let Type::Array { element, length: ArrayLength::Fixed(length) } = *program.resolve(from.ty)
        else {
            continue;
        };
        let mut shorter = vec![length / 2, length.saturating_sub(1)];
        shorter.dedup();
        for length in shorter.into_iter().filter(|shorter| (1..length).contains(shorter)) {
            let ty = draft.program.types.array_of(element, ArrayLength::Fixed(length));
            let mut to = from.clone();
            to.ty = ty;
            if let Some(init) = from.init {
                let ExprKind::InitList(items) = &program[init].kind else { continue };
                let inside = |item: &&InitItem| matches!(item.place, InitPlace::Elements { last, .. } if last < length);
                let items = items.iter().filter(inside).cloned().collect();
                to.init = Some(push(&mut draft, ExprKind::InitList(items), ty));
            }
            let mut changes =
                vec![Change::Object { id, from: Box::new(from.clone()), to: Box::new(to) }];
            for at in scene.uses(&ExprKind::Object(id)) {
                let with = push(&mut draft, ExprKind::Object(id), ty);
                changes.push(Change::ReplaceExpr { at, with });
            }
            edits.push(draft.edit(changes));
        }
    }
    edits
}

/// Removes the qualifiers of objects.
pub(super) fn qualifiers(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
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

/// Makes objects and results `int`, or floating ones of a shorter type.
pub(super) fn to_int(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    let other = |ty: TypeId| ty != Types::INT && scene.program.is_arithmetic(ty);
    for object in scene.objects() {
        let ty = scene.program[object].ty;
        if other(ty) {
            for &simpler in simpler(scene, ty) {
                edits.extend(retyped(scene, &mut draft, object, simpler));
                draft.discard();
                edits.extend(change_object_type(&mut draft, object, simpler));
                draft.discard();
            }
        }
    }
    for function in scene.functions() {
        let Type::Function(ty) = scene.program.resolve(scene.program[function].ty) else {
            continue;
        };
        if other(ty.result) {
            for &simpler in simpler(scene, ty.result) {
                edits.extend(change_result_type(&mut draft, function, simpler));
                draft.discard();
            }
        }
    }
    edits
}

/// The types that are simpler than an arithmetic type.
fn simpler(scene: &Scene<'_>, ty: TypeId) -> &'static [TypeId] {
    const SIMPLER: [TypeId; 3] = [Types::INT, Types::float(FloatKind::Float), Types::DOUBLE];
    let count = match *scene.program.resolve(ty) {
        Type::Float(FloatKind::Float) => 1,
        Type::Float(FloatKind::Double) => 2,
        Type::Float(_) => 3,
        _ => 1,
    };
    &SIMPLER[..count]
}

/// Replaces an array of which only single elements are used by one element, a record of
/// which one member is used by that member, and a pointer by what it points to.
pub(super) fn elements(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for object in scene.objects() {
        edits.extend(element(scene, &mut draft, object));
        draft.discard();
    }
    edits
}

fn element(scene: &Scene<'_>, draft: &mut Fresh, id: ObjectId) -> Option<Edit> {
    let program = scene.program;
    let from = program[id].clone();
    let mut ty = None;
    let mut changes = Vec::new();
    for lvalue in scene.uses(&ExprKind::Object(id)) {
        let parent = scene.parent(lvalue)?;
        let at = match program[parent].kind {
            ExprKind::Member(..) => parent,
            // A lane of a vector.
            ExprKind::Index(base, _) if base == lvalue => parent,
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
        to.init = zero(draft, to.ty);
    }
    changes.push(Change::Object { id, from: Box::new(from), to: Box::new(to) });
    Some(draft.edit(changes))
}
