//! Facts in the declarations of objects: `const`, `restrict`, narrower types, alignment,
//! `a[static n]`.

use farrier_lang::edit::{Change, Holder, change_object_type};
use farrier_lang::{
    Attribute, Entity, ExprId, ExprKind, IntKind, Item, ObjectId, Program, Qualifiers, Stmt,
    Storage, Type, TypeId, Types, integer_type,
};

use super::functions::{Parameter, never_null, parameters};
use super::told::is_data_pointer;
use crate::Choices;
use crate::mutate::stage::Stage;
use crate::scene::push;

/// So many objects are tried before a row gives up.
const TRIES: usize = 8;

/// How many objects whose address is taken may become `const`, in percent.
const ADDRESSED: u32 = 20;

/// Alignments that objects get.
const ALIGNMENTS: [u32; 4] = [8, 16, 32, 64];

/// How many parameters are said to have more than one element, in percent.
const MORE_ELEMENTS: u32 = 20;

/// An object that is never written becomes `const`.
pub(super) fn constant(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let mut objects = stage.scene.objects();
    objects.extend(parameters(&stage.scene).iter().map(|parameter| parameter.object));
    let risky = choices.chance(ADDRESSED);
    for _ in 0..TRIES {
        let Some(object) = choices.pick_any(&objects) else { return };
        let of = &program[object];
        let given =
            of.init.is_some() || of.storage != Storage::Automatic || !is_local(stage, object);
        let done = has_qualifier(program, of.ty, Qualifiers::CONST | Qualifiers::VOLATILE);
        if given && !done && of.storage != Storage::Register {
            if let Some(changes) = qualified(stage, object, Qualifiers::CONST, risky) {
                return stage.push(changes);
            }
            stage.discard();
        }
    }
}

/// Whether an object is declared by a statement.
fn is_local(stage: &Stage<'_>, object: ObjectId) -> bool {
    stage.scene.stmts().any(|stmt| stage.scene.program[stmt] == Stmt::Declare(object))
}

/// A pointer in a block or a parameter becomes `restrict`.
pub(super) fn restricted(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let mut objects = stage.scene.objects();
    objects.retain(|object| program[*object].storage == Storage::Automatic);
    objects.extend(parameters(&stage.scene).iter().map(|parameter| parameter.object));
    objects.retain(|object| {
        let ty = program[*object].ty;
        let done = Qualifiers::RESTRICT | Qualifiers::VOLATILE;
        is_data_pointer(program, ty) && !has_qualifier(program, ty, done)
    });
    let Some(object) = choices.pick_any(&objects) else { return };
    if let Some(changes) = qualified(stage, object, Qualifiers::RESTRICT, false) {
        stage.push(changes);
    }
}

/// Whether a type or its elements have one of some qualifiers.
fn has_qualifier(program: &Program, ty: TypeId, qualifiers: Qualifiers) -> bool {
    match *program.resolve(ty) {
        Type::Array { element, .. } => has_qualifier(program, element, qualifiers),
        _ => ty.qualifiers().intersects(qualifiers),
    }
}

/// The changes that qualify an object and all its uses; `None` if one does not allow it.
/// A pointer to it is cast back, if that is allowed.
fn qualified(
    stage: &mut Stage<'_>,
    object: ObjectId,
    qualifiers: Qualifiers,
    cast_back: bool,
) -> Option<Vec<Change>> {
    let program = stage.scene.program;
    let twice =
        |item: &Item| matches!(item, Item::DeclareAs(Entity::Object(it), _) if *it == object);
    if program.items.iter().any(twice) {
        return None;
    }
    let from = program[object].clone();
    let mut to = from.clone();
    to.ty = stage.fresh.program.types.qualified(from.ty, qualifiers);
    let new = to.ty;
    let mut changes = Vec::new();
    for at in stage.scene.uses(&ExprKind::Object(object)) {
        let with = push(&mut stage.fresh, ExprKind::Object(object), new);
        changes.push(requalified(stage, at, with, qualifiers, cast_back)?);
    }
    changes.push(Change::Object { id: object, from: Box::new(from), to: Box::new(to) });
    Some(changes)
}

/// The change that puts a qualified lvalue in the place of another, with all around it that
/// gets another type.
fn requalified(
    stage: &mut Stage<'_>,
    mut at: ExprId,
    mut with: ExprId,
    qualifiers: Qualifiers,
    cast_back: bool,
) -> Option<Change> {
    let program = stage.scene.program;
    let written = qualifiers.contains(Qualifiers::CONST);
    loop {
        let parent = match stage.scene.holder_of_expr(at)? {
            Holder::Expr(parent) => parent,
            _ => return None,
        };
        let ty = program.type_of(parent);
        let (kind, ty) = match program[parent].kind {
            ExprKind::Load(_) | ExprKind::SizeofExpr(_) => break,
            ExprKind::Assign(target, _) | ExprKind::CompoundAssign { target, .. }
                if target == at && !written =>
            {
                break;
            }
            ExprKind::Step(..) if !written => break,
            ExprKind::Member(_, field) => {
                let ty = stage.fresh.program.types.qualified(ty, qualifiers);
                (ExprKind::Member(with, field), ty)
            }
            ExprKind::Decay(_) => {
                let of = stage.fresh.program.type_of(with);
                let Type::Array { element, .. } = *stage.fresh.program.resolve(of) else {
                    return None;
                };
                (ExprKind::Decay(with), stage.fresh.program.types.pointer_to(element))
            }
            ExprKind::AddressOf(_) if cast_back => {
                let of = stage.fresh.program.type_of(with);
                (ExprKind::AddressOf(with), stage.fresh.program.types.pointer_to(of))
            }
            ExprKind::Index(base, index) if base == at => {
                let ty = stage.fresh.program.types.qualified(ty, qualifiers);
                (ExprKind::Index(with, index), ty)
            }
            ExprKind::Deref(_) => {
                let ty = stage.fresh.program.types.qualified(ty, qualifiers);
                (ExprKind::Deref(with), ty)
            }
            // A pointer that goes somewhere else.
            _ if cast_back
                && matches!(program[at].kind, ExprKind::Decay(_) | ExprKind::AddressOf(_)) =>
            {
                let old = program.type_of(at);
                with = push(&mut stage.fresh, ExprKind::Cast(with), old);
                break;
            }
            _ => return None,
        };
        with = push(&mut stage.fresh, kind, ty);
        at = parent;
    }
    Some(Change::ReplaceExpr { at, with })
}

/// The types that a number may get instead of a wider one.
const NARROW: [IntKind; 9] = [
    IntKind::Bool,
    IntKind::SChar,
    IntKind::UChar,
    IntKind::Short,
    IntKind::UShort,
    IntKind::Int,
    IntKind::UInt,
    IntKind::Long,
    IntKind::ULong,
];

/// A variable gets another type that holds all values that it had.
pub(super) fn narrower(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let objects = stage.scene.objects();
    for _ in 0..TRIES {
        let Some(object) = choices.pick_any(&objects) else { return };
        let of = &program[object];
        if of.ty.qualifiers().contains(Qualifiers::VOLATILE) || !program.is_integer(of.ty) {
            continue;
        }
        let Some((low, high)) = values(stage, object) else { continue };
        let width = integer_type(program, of.ty).map_or(0, |ty| ty.bits);
        let fits = |kind: &IntKind| {
            integer_type(program, Types::int(*kind))
                .is_some_and(|ty| ty.bits < width && ty.contains(low) && ty.contains(high))
        };
        let kinds: Vec<IntKind> = NARROW.into_iter().filter(fits).collect();
        let Some(kind) = choices.pick_any(&kinds) else { continue };
        let (ty, qualifiers) = (Types::int(kind), of.ty.qualifiers());
        let ty = stage.fresh.program.types.qualified(ty, qualifiers);
        if let Some(edit) = change_object_type(&mut stage.fresh, object, ty) {
            return stage.push_edit(edit);
        }
    }
}

/// The lowest and the highest value that an object had, as far as it was read or assigned to;
/// `None` if it has other uses, or was never read.
fn values(stage: &Stage<'_>, object: ObjectId) -> Option<(i128, i128)> {
    let program = stage.scene.program;
    let profile = stage.scene.profile.as_ref()?;
    let mut range: Option<(i128, i128)> = None;
    let mut parts: Vec<ExprId> = program[object].init.into_iter().collect();
    for at in stage.scene.uses(&ExprKind::Object(object)) {
        let parent = stage.scene.parent(at)?;
        match program[parent].kind {
            ExprKind::Load(_) => parts.push(parent),
            ExprKind::Assign(target, value) if target == at => parts.push(value),
            _ => return None,
        }
    }
    for part in parts {
        if let Some(seen) = profile.expr(part).integers() {
            let (low, high) = range.unwrap_or((seen.low, seen.high));
            range = Some((low.min(seen.low), high.max(seen.high)));
        }
    }
    range
}

/// An object gets a stricter alignment.
pub(super) fn aligned(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let Some(id) = choices.pick_any(&stage.scene.objects()) else { return };
    let from = program[id].clone();
    let align = choices.pick(&ALIGNMENTS);
    let Ok(least) = stage.layouts.object_align(program, id) else { return };
    if align <= least || from.storage == Storage::Register {
        return;
    }
    let mut to = from.clone();
    to.align = Some(align);
    stage.push(vec![Change::Object { id, from: Box::new(from), to: Box::new(to) }]);
}

/// `T *p` becomes `T p[static n]`.
pub(super) fn elements(stage: &mut Stage<'_>, choices: &mut Choices) {
    let program = stage.scene.program;
    let fits = |parameter: &Parameter| {
        let ty = program[parameter.object].ty;
        let attributes = &program[parameter.object].attributes;
        matches!(*program.types.get(ty), Type::Pointer(element) if is_element(program, element))
            && !attributes.iter().any(|it| program.text(it.name) == "static")
    };
    let found: Vec<Parameter> = parameters(&stage.scene).into_iter().filter(fits).collect();
    for _ in 0..TRIES {
        let Some(parameter) = choices.pick_any(&found) else { return };
        if !never_null(stage, parameter) {
            continue;
        }
        let more = choices.chance(MORE_ELEMENTS);
        let count = if more { choices.range(2, 4) } else { 1 };
        let name = stage.fresh.program.names.intern("static");
        let from = program[parameter.object].clone();
        let mut to = from.clone();
        let promise = Attribute { name, arguments: Some(count.to_string().into()) };
        to.attributes = [from.attributes.as_ref(), &[promise]].concat().into();
        let (from, to) = (Box::new(from), Box::new(to));
        return stage.push(vec![Change::Object { id: parameter.object, from, to }]);
    }
}

/// Whether arrays of a type exist and have a size that is known.
fn is_element(program: &Program, ty: TypeId) -> bool {
    match program.resolve(ty) {
        Type::Void | Type::Function(_) => false,
        Type::Record(id) => program[*id].fields.is_some() && !program.is_variable_array(ty),
        _ => !program.is_variable_array(ty),
    }
}
