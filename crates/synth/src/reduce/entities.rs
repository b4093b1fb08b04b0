//! Passes on functions, objects, records and what is declared of them.

use farrier_lang::edit::{Change, Draft, Edit, remove_field, remove_parameter};
use farrier_lang::*;

use super::nodes::{Scene, adapted, zero};

/// The changes that take all items of an entity out.
fn without_items(program: &Program, entity: Entity) -> Vec<Change> {
    let items = program.items.iter().filter(|item| item.entity() == Some(entity));
    items.copied().map(Change::RemoveItem).collect()
}

/// Removes functions. A call becomes zero, or goes if it is a statement; a pointer to
/// the function becomes null.
pub(super) fn functions(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    for function in scene.functions().filter(|function| !scene.is_main(*function)) {
        let changes = without_items(scene.program, Entity::Function(function));
        let calls = scene.uses(&ExprKind::Function(function));
        match calls.into_iter().map(|at| without_call(scene, &mut draft, at)).collect() {
            Some(calls) => edits.push(draft.edit([changes, calls].concat())),
            None => draft.discard(),
        }
    }
    edits
}

/// The change that removes the use `designator` of a function.
fn without_call(scene: &Scene<'_>, draft: &mut Draft, designator: ExprId) -> Option<Change> {
    let pointer = scene.parent(designator)?;
    let at = match scene.parent(pointer) {
        Some(call) if matches!(scene.program[call].kind, ExprKind::Call(f, _) if f == pointer) => {
            if let Some(stmt) = scene.whole_statement(call) {
                return Some(Change::RemoveStmt(stmt));
            }
            call
        }
        _ => pointer,
    };
    let with = zero(draft, scene.program.type_of(at))?;
    Some(Change::ReplaceExpr { at, with })
}

/// Removes single items and, of an entity that is declared twice, all of them.
pub(super) fn items(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut seen = Vec::new();
    let mut edits = Vec::new();
    // What stands last is used least.
    for item in program.items.iter().rev() {
        edits.push(Edit::new(program, vec![Change::RemoveItem(*item)]));
        let Some(entity) = item.entity() else { continue };
        if seen.contains(&entity) {
            edits.push(Edit::new(program, without_items(program, entity)));
        }
        seen.push(entity);
    }
    edits
}

/// Removes objects. What is read from one becomes zero, what is assigned to it loses the
/// assignment.
pub(super) fn objects(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    for object in scene.objects() {
        let mut changes = without_items(scene.program, Entity::Object(object));
        changes.extend(
            scene
                .stmts()
                .filter(|stmt| scene.program[*stmt] == Stmt::Declare(object))
                .map(Change::RemoveStmt),
        );
        let uses = scene.uses(&ExprKind::Object(object));
        match uses.into_iter().map(|at| without_use(scene, &mut draft, at)).collect() {
            Some(Uses(uses)) => {
                changes.extend(uses);
                edits.push(draft.edit(changes));
            }
            None => draft.discard(),
        }
    }
    edits
}

/// Changes, each once.
struct Uses(Vec<Change>);

impl FromIterator<Change> for Uses {
    fn from_iter<T: IntoIterator<Item = Change>>(changes: T) -> Self {
        let mut unique: Vec<Change> = Vec::new();
        for change in changes {
            // Two uses in one expression are gone when it is.
            if unique.iter().all(|known| known.place() != change.place()) {
                unique.push(change);
            }
        }
        Self(unique)
    }
}

/// The change that removes the use `at` of an object.
fn without_use(scene: &Scene<'_>, draft: &mut Draft, mut at: ExprId) -> Option<Change> {
    let program = scene.program;
    loop {
        if let Some(stmt) = scene.whole_statement(at) {
            return Some(Change::RemoveStmt(stmt));
        }
        let parent = scene.parent(at)?;
        let value = match program[parent].kind {
            ExprKind::Assign(target, value) if target == at => Some(value),
            ExprKind::CompoundAssign { target, value, .. } if target == at => Some(value),
            ExprKind::Member(..) | ExprKind::Deref(_) => {
                at = parent;
                continue;
            }
            ExprKind::Index(base, _) if base == at => {
                at = parent;
                continue;
            }
            ExprKind::Decay(_) | ExprKind::AddressOf(_) => match scene.parent(parent) {
                Some(above)
                    if matches!(program[above].kind, ExprKind::Deref(_))
                        || matches!(program[above].kind, ExprKind::Index(base, _) if base == parent) =>
                {
                    at = above;
                    continue;
                }
                _ => None,
            },
            ExprKind::Load(_)
            | ExprKind::Step(..)
            | ExprKind::SizeofExpr(_)
            | ExprKind::AlignofExpr(..) => None,
            _ => return None,
        };
        let ty = program.type_of(parent);
        if let Some(stmt) = scene.whole_statement(parent) {
            return Some(match value.and_then(|value| adapted(draft, value, ty)) {
                Some(with) if value.is_some_and(|value| scene.has_effect(value)) => {
                    Change::ReplaceExpr { at: parent, with }
                }
                _ => Change::RemoveStmt(stmt),
            });
        }
        let with = match value {
            Some(value) => adapted(draft, value, ty)?,
            None => zero(draft, ty)?,
        };
        return Some(Change::ReplaceExpr { at: parent, with });
    }
}

/// Puts the body of a function without parameters where it is called, if that is in one
/// place: as a block, or as the value that it returns.
pub(super) fn inline(scene: &Scene<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for function in scene.functions().filter(|function| !scene.is_main(*function)) {
        let [designator] = scene.uses(&ExprKind::Function(function))[..] else { continue };
        let call = scene.parent(designator).and_then(|pointer| scene.parent(pointer));
        let (Some(at), Some(body)) = (call, scene.program[function].body) else { continue };
        if !matches!(&scene.program[at].kind, ExprKind::Call(_, arguments) if arguments.is_empty())
        {
            continue;
        }
        let mut changes = without_items(scene.program, Entity::Function(function));
        let returned = match &scene.program[body] {
            Stmt::Block(stmts) => match stmts[..] {
                [only] => match scene.program[only] {
                    Stmt::Return(Some(value)) => Some(value),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        match (returned, scene.whole_statement(at)) {
            (Some(with), _) => changes.push(Change::ReplaceExpr { at, with }),
            (None, Some(at)) => changes.push(Change::ReplaceStmt { at, with: body }),
            (None, None) => continue,
        }
        edits.push(Edit::new(scene.program, changes));
    }
    edits
}

/// Removes initialisers.
pub(super) fn initialisers(scene: &Scene<'_>) -> Vec<Edit> {
    change_objects(scene, |object| object.init = None)
}

fn change_objects(scene: &Scene<'_>, change: impl Fn(&mut Object)) -> Vec<Edit> {
    let mut edits = Vec::new();
    for id in scene.objects() {
        let from = scene.program[id].clone();
        let mut to = from.clone();
        change(&mut to);
        if to != from {
            let change = Change::Object { id, from: Box::new(from), to: Box::new(to) };
            edits.push(Edit::new(scene.program, vec![change]));
        }
    }
    edits
}

/// Removes parameters that are not used, last first.
pub(super) fn parameters(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    for function in scene.functions() {
        for index in (0..scene.program[function].parameters.len()).rev() {
            edits.extend(remove_parameter(&mut draft, function, index));
            draft.discard();
        }
    }
    edits
}

/// Removes members that are not used, last first.
pub(super) fn fields(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Draft::new(scene.program);
    let mut edits = Vec::new();
    for item in &scene.program.items {
        let Item::Define(Entity::Record(record)) = *item else { continue };
        let fields = scene.program[record].fields.as_ref().map_or(0, |fields| fields.len());
        for index in (0..fields).rev() {
            edits.extend(remove_field(&mut draft, record, index));
            draft.discard();
        }
    }
    edits
}

/// Removes attributes, alignments, `inline`, `static` and bit-fields.
pub(super) fn attributes(scene: &Scene<'_>) -> Vec<Edit> {
    let program = scene.program;
    let mut edits = change_objects(scene, |object| {
        object.attributes = [].into();
        object.align = None;
        object.asm_name = None;
    });
    edits.extend(change_objects(scene, |object| match object.storage {
        Storage::Register | Storage::Static if object.linkage == Linkage::None => {
            object.storage = Storage::Automatic;
        }
        Storage::Thread => object.storage = Storage::Static,
        _ => {}
    }));
    edits.extend(change_objects(scene, |object| {
        if object.linkage == Linkage::Internal {
            object.linkage = Linkage::External;
        }
    }));
    for id in scene.functions() {
        let from = program[id].clone();
        let mut plain = from.clone();
        plain.attributes = [].into();
        plain.asm_name = None;
        let mut callable = plain.clone();
        callable.specifiers = FunctionSpecifiers::default();
        let mut external = callable.clone();
        external.linkage = Linkage::External;
        for to in [plain, callable, external] {
            if to != from {
                let from = Box::new(from.clone());
                let change = Change::Function { id, from, to: Box::new(to) };
                edits.push(Edit::new(program, vec![change]));
            }
        }
    }
    for item in &program.items {
        let Item::Define(Entity::Record(id)) = *item else { continue };
        let from = program[id].clone();
        let mut plain = from.clone();
        plain.attributes = [].into();
        (plain.packed, plain.pack, plain.align) = (false, None, None);
        let mut simple = plain.clone();
        for field in simple.fields.iter_mut().flatten() {
            field.attributes = [].into();
            (field.packed, field.align, field.bits) = (false, None, None);
        }
        let mut structure = plain.clone();
        structure.kind = RecordKind::Struct;
        for to in [plain, simple, structure] {
            if to != from {
                let from = Box::new(from.clone());
                let change = Change::Record { id, from, to: Box::new(to) };
                edits.push(Edit::new(program, vec![change]));
            }
        }
    }
    edits
}
