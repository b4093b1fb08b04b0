//! Passes on functions, objects, records and what is declared of them.

use farrier_lang::edit::{Anchor, Change, Edit, Fresh, remove_field};
use farrier_lang::{
    Entity, Expr, ExprId, ExprKind, Function, FunctionId, FunctionSpecifiers, Item, Linkage,
    Object, ObjectId, Program, RecordKind, Stmt, StmtId, Storage, Type, Types, copy,
};

use crate::scene::{Scene, adapted, push, zero};

/// The changes that take all items of an entity out.
fn without_items(program: &Program, entity: Entity) -> Vec<Change> {
    let items = program.items.iter().filter(|item| item.entity() == Some(entity));
    items.copied().map(Change::RemoveItem).collect()
}

/// Removes functions. A call becomes zero, or goes if it is a statement; a pointer to
/// the function becomes null.
pub(super) fn functions(scene: &Scene<'_>) -> Vec<Edit> {
    without_functions(scene, |_| true)
}

/// Removes functions that were never called.
pub(super) fn dead_functions(scene: &Scene<'_>) -> Vec<Edit> {
    let Some(profile) = &scene.profile else { return Vec::new() };
    without_functions(scene, |body| !profile.ran(scene.program, body))
}

/// Removes the functions with these bodies.
fn without_functions(scene: &Scene<'_>, chosen: impl Fn(StmtId) -> bool) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for function in scene.functions().filter(|function| !scene.is_main(*function)) {
        if !scene.program[function].body.is_some_and(&chosen) {
            continue;
        }
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
fn without_call(scene: &Scene<'_>, draft: &mut Fresh, designator: ExprId) -> Option<Change> {
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
    without_objects(scene, false)
}

/// The same, but where a read always gave one value, it becomes that.
pub(super) fn known_objects(scene: &Scene<'_>) -> Vec<Edit> {
    without_objects(scene, true)
}

fn without_objects(scene: &Scene<'_>, known: bool) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
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
        match uses.into_iter().map(|at| without_use(scene, &mut draft, at, known)).collect() {
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
            if unique.iter().all(|known| known.site() != change.site()) {
                unique.push(change);
            }
        }
        Self(unique)
    }
}

/// The change that removes the use `at` of an object.
fn without_use(
    scene: &Scene<'_>,
    draft: &mut Fresh,
    mut at: ExprId,
    known: bool,
) -> Option<Change> {
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
                Some(with) if value.is_some_and(|value| scene.program.has_effect(value)) => {
                    Change::ReplaceExpr { at: parent, with }
                }
                _ => Change::RemoveStmt(stmt),
            });
        }
        let with = match value {
            Some(value) => adapted(draft, value, ty)?,
            None => match known.then(|| scene.known_constant(draft, parent)).flatten() {
                Some(constant) => constant,
                None => zero(draft, ty)?,
            },
        };
        return Some(Change::ReplaceExpr { at: parent, with });
    }
}

/// Puts the body of a function where it is called, if that is in one place: as the value
/// that it returns or as a block, with the arguments in the place of parameters that are
/// read once. One that is never called goes into `main`.
pub(super) fn inline(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for function in scene.functions().filter(|function| !scene.is_main(*function)) {
        match inlined(scene, &mut draft, function) {
            Some(changes) => edits.push(draft.edit(changes)),
            None => draft.discard(),
        }
    }
    edits
}

fn inlined(scene: &Scene<'_>, draft: &mut Fresh, function: FunctionId) -> Option<Vec<Change>> {
    let program = scene.program;
    let uses = scene.uses(&ExprKind::Function(function));
    if uses.is_empty() && program[function].parameters.is_empty() {
        // What nothing calls may as well be a part of `main`.
        let block = scene.main().and_then(|id| program[id].body);
        let mut changes = without_items(program, Entity::Function(function));
        let stmts = [program[function].body?].into();
        changes.push(Change::InsertStmts { block: block?, anchor: Anchor::Start, stmts });
        return Some(changes);
    }
    let [designator] = uses[..] else { return copied(scene, draft, function, &uses) };
    let at = scene.parent(scene.parent(designator)?)?;
    let ExprKind::Call(_, arguments) = &program[at].kind else { return None };
    let parameters = &program[function].parameters;
    if arguments.len() != parameters.len() {
        return None;
    }
    let body = program[function].body?;
    let mut changes = without_items(program, Entity::Function(function));
    let Stmt::Block(stmts) = &program[body] else { return None };
    let returned = match stmts[..] {
        [only] => match program[only] {
            Stmt::Return(Some(value)) => Some(value),
            _ => None,
        },
        _ => None,
    };
    match (returned, scene.whole_statement(at)) {
        (Some(value), _) => {
            let with = adapted(draft, value, program.type_of(at))?;
            changes.push(Change::ReplaceExpr { at, with });
        }
        (None, Some(at)) => {
            changes.push(Change::ReplaceStmt { at, with: body });
            // What it returns, the caller returns then.
            let result = scene.result_of(at)?;
            for stmt in scene.stmts().filter(|stmt| scene.is_inside(*stmt, body)) {
                let Stmt::Return(value) = program[stmt] else { continue };
                match (value, program.resolve(result)) {
                    (None, Type::Void) => {}
                    (Some(value), _) => {
                        let with = adapted(draft, value, result)?;
                        if with != value {
                            changes.push(Change::ReplaceExpr { at: value, with });
                        }
                    }
                    (None, _) => return None,
                }
            }
        }
        (None, _) => return None,
    }
    for (parameter, argument) in parameters.iter().zip(arguments) {
        match scene.uses(&ExprKind::Object(*parameter))[..] {
            [] => {}
            [only] => {
                let at = scene.parent(only)?;
                let ExprKind::Load(_) = program[at].kind else { return None };
                let with = adapted(draft, *argument, program.type_of(at))?;
                changes.push(Change::ReplaceExpr { at, with });
            }
            _ => return None,
        }
    }
    Some(changes)
}

/// Makes functions `void` whose results are not used.
pub(super) fn results(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for function in scene.functions().filter(|function| !scene.is_main(*function)) {
        match without_result(scene, &mut draft, function) {
            Some(changes) => edits.push(draft.edit(changes)),
            None => draft.discard(),
        }
    }
    edits
}

fn without_result(
    scene: &Scene<'_>,
    draft: &mut Fresh,
    function: FunctionId,
) -> Option<Vec<Change>> {
    let program = scene.program;
    let from = program[function].clone();
    let Type::Function(ty) = program.resolve(from.ty) else { return None };
    if *program.resolve(ty.result) == Type::Void {
        return None;
    }
    let mut ty = (**ty).clone();
    ty.result = Types::VOID;
    let new_type = draft.program.types.function(ty);
    let pointer = draft.program.types.pointer_to(new_type);
    let mut changes = Vec::new();
    for designator in scene.uses(&ExprKind::Function(function)) {
        let decay = scene.parent(designator)?;
        let at = scene.parent(decay)?;
        let ExprKind::Call(callee, arguments) = &program[at].kind else { return None };
        if *callee != decay || scene.whole_statement(at).is_none() {
            return None;
        }
        let name = push(draft, ExprKind::Function(function), new_type);
        let callee = push(draft, ExprKind::Decay(name), pointer);
        let with = push(draft, ExprKind::Call(callee, arguments.clone()), Types::VOID);
        changes.push(Change::ReplaceExpr { at, with });
    }
    let body = from.body?;
    for at in scene.stmts().filter(|stmt| scene.is_inside(*stmt, body)) {
        if let Stmt::Return(Some(_)) = program[at] {
            let with = draft.program.stmts.push(Stmt::Return(None));
            changes.push(Change::ReplaceStmt { at, with });
        }
    }
    let to = Function { ty: new_type, ..from.clone() };
    changes.push(Change::Function { id: function, from: Box::new(from), to: Box::new(to) });
    Some(changes)
}

/// The changes that put copies of the only expression of a function without parameters
/// where it is called.
fn copied(
    scene: &Scene<'_>,
    draft: &mut Fresh,
    function: FunctionId,
    uses: &[ExprId],
) -> Option<Vec<Change>> {
    let program = scene.program;
    let Stmt::Block(stmts) = &program[program[function].body?] else { return None };
    let [only] = stmts[..] else { return None };
    let (Stmt::Expr(value) | Stmt::Return(Some(value))) = program[only] else { return None };
    if !program[function].parameters.is_empty() {
        return None;
    }
    let mut changes = without_items(program, Entity::Function(function));
    for designator in uses {
        let at = scene.parent(scene.parent(*designator)?)?;
        if !matches!(program[at].kind, ExprKind::Call(..)) {
            return None;
        }
        let copy = copy::expr(&mut draft.program, value);
        let with = match scene.whole_statement(at) {
            Some(_) => copy,
            None => adapted(draft, copy, program.type_of(at))?,
        };
        changes.push(Change::ReplaceExpr { at, with });
    }
    Some(changes)
}

/// Removes arguments after the parameters that have a name, last first.
pub(super) fn arguments(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for at in scene.exprs() {
        let Expr { kind: ExprKind::Call(callee, arguments), ty } = &scene.program[at] else {
            continue;
        };
        let pointee = scene.program.pointee(scene.program.type_of(*callee));
        let Some(Type::Function(function)) = pointee.map(|ty| scene.program.resolve(ty)) else {
            continue;
        };
        if !function.variadic && function.prototyped {
            continue;
        }
        for index in (function.parameters.len()..arguments.len()).rev() {
            let rest = arguments.iter().enumerate().filter(|(at, _)| *at != index);
            let rest = rest.map(|(_, argument)| *argument).collect();
            let with = push(&mut draft, ExprKind::Call(*callee, rest), *ty);
            edits.push(draft.edit(vec![Change::ReplaceExpr { at, with }]));
        }
    }
    edits
}

/// Removes parameters. What is read from one becomes the value that it had, if it had
/// only one, or else zero.
pub(super) fn parameters(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
    let mut edits = Vec::new();
    for function in scene.functions() {
        if let Some(changes) = main_without_parameters(scene, &mut draft, function) {
            edits.push(draft.edit(changes));
        }
        for index in (0..scene.program[function].parameters.len()).rev() {
            for known in [true, false] {
                match without_parameter(scene, &mut draft, function, index, known) {
                    Some(changes) => edits.push(draft.edit(changes)),
                    None => draft.discard(),
                }
            }
        }
    }
    edits
}

/// `main` has both of its parameters or none.
fn main_without_parameters(
    scene: &Scene<'_>,
    draft: &mut Fresh,
    function: FunctionId,
) -> Option<Vec<Change>> {
    let from = scene.program[function].clone();
    let unused = |object: &ObjectId| scene.uses(&ExprKind::Object(*object)).is_empty();
    let Type::Function(ty) = scene.program.resolve(from.ty) else { return None };
    let called = !scene.uses(&ExprKind::Function(function)).is_empty();
    if !scene.program.is_main(function)
        || called
        || from.old_style
        || from.parameters.is_empty()
        || !from.parameters.iter().all(unused)
    {
        return None;
    }
    let mut ty = (**ty).clone();
    ty.parameters = Box::default();
    let mut to = from.clone();
    to.parameters = Box::default();
    to.ty = draft.program.types.function(ty);
    Some(vec![Change::Function { id: function, from: Box::new(from), to: Box::new(to) }])
}

fn without_parameter(
    scene: &Scene<'_>,
    draft: &mut Fresh,
    function: FunctionId,
    index: usize,
    known: bool,
) -> Option<Vec<Change>> {
    let program = scene.program;
    let from = program[function].clone();
    let Type::Function(ty) = program.resolve(from.ty) else { return None };
    if from.old_style || !ty.prototyped {
        return None;
    }
    let mut ty = (**ty).clone();
    let mut to = from.clone();
    let without = |at: &usize| *at != index;
    let kept = (0..ty.parameters.len()).filter(without);
    ty.parameters = kept.map(|at| ty.parameters[at]).collect();
    to.parameters =
        (0..from.parameters.len()).filter(without).map(|at| from.parameters[at]).collect();
    to.ty = draft.program.types.function(ty);
    let new_type = to.ty;
    let pointer = draft.program.types.pointer_to(new_type);
    let mut changes = Vec::new();
    for designator in scene.uses(&ExprKind::Function(function)) {
        let decay = scene.parent(designator)?;
        let at = scene.parent(decay)?;
        let Expr { kind: ExprKind::Call(callee, arguments), ty } = &program[at] else {
            return None;
        };
        if *callee != decay {
            return None;
        }
        let rest = (0..arguments.len()).filter(without).map(|at| arguments[at]).collect();
        let name = push(draft, ExprKind::Function(function), new_type);
        let callee = push(draft, ExprKind::Decay(name), pointer);
        let with = push(draft, ExprKind::Call(callee, rest), *ty);
        changes.push(Change::ReplaceExpr { at, with });
    }
    let uses = scene.uses(&ExprKind::Object(from.parameters[index]));
    let Uses(uses) =
        uses.into_iter().map(|at| without_use(scene, draft, at, known)).collect::<Option<_>>()?;
    changes.extend(uses);
    let id = function;
    changes.push(Change::Function { id, from: Box::new(from), to: Box::new(to) });
    Some(changes)
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

/// Removes members that are not used, last first.
pub(super) fn fields(scene: &Scene<'_>) -> Vec<Edit> {
    let mut draft = Fresh::new(scene.program);
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
