//! The same data elsewhere: variables in structs and arrays, locals with static storage, members
//! as bit-fields, in unions or in another order, and arrays behind pointers.

use farrier_lang::edit::{Anchor, Change, Holder, reorder_fields};
use farrier_lang::{
    ArrayLength, Entity, ExprId, ExprKind, Field, FunctionId, InitItem, InitPlace, IntKind, Item,
    Linkage, Object, ObjectId, Program, Qualifiers, Record, RecordId, RecordKind, StepOp, Stmt,
    StmtId, Storage, Type, TypeId, Types, copy,
};

use super::super::stage::Stage;
use super::flow::{Range, seen};
use super::trees::{Contents, block, expression};
use super::types::innermost;
use super::{Drawn, any_expr, any_stmt};
use crate::Choices;
use crate::scene::plain;

/// How many variables become one object, at most.
const TOGETHER: u64 = 4;

/// By how many bits a bit-field is wider than it must be, at most.
const SPARE: u64 = 3;

/// Variables that become parts of one object.
struct Gathered {
    whole: ObjectId,
    /// Whether they become elements of an array, and not members of a struct.
    elements: bool,
    objects: Vec<ObjectId>,
}

impl Gathered {
    /// The part that stands for one of the objects.
    fn part(&self, stage: &mut Stage<'_>, at: usize) -> Option<ExprId> {
        let whole = stage.object(self.whole);
        if self.elements {
            let index = stage.builder().int(IntKind::Int, at as u64);
            return stage.builder().index(whole, index).ok();
        }
        Some(stage.builder().member(whole, at as u32))
    }

    /// The changes of all uses.
    fn uses(&self, stage: &mut Stage<'_>) -> Drawn {
        let mut changes = Vec::new();
        for (position, object) in self.objects.iter().enumerate() {
            for at in stage.uses(Entity::Object(*object)).to_vec() {
                let with = self.part(stage, position)?;
                changes.push(Change::ReplaceExpr { at, with });
            }
        }
        Some(changes)
    }
}

/// Some variables at file scope become members of a struct or elements of an array.
pub(super) fn gather(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let program = stage.scene.program;
    let count = 1 + choices.below(TOGETHER) as usize;
    let mut objects = Vec::new();
    for _ in 0..count * 8 {
        let object = any_global(stage, choices).filter(|it| !objects.contains(it));
        objects.extend(object);
        if objects.len() == count {
            break;
        }
    }
    let item = |object: &ObjectId| Item::Define(Entity::Object(*object));
    let first =
        program.items.iter().position(|it| objects.iter().any(|object| item(object) == *it))?;
    objects.retain(|object| match *program.resolve(innermost(stage, program[*object].ty)) {
        Type::Record(id) => program.items[..first].contains(&Item::Define(Entity::Record(id))),
        _ => true,
    });
    let whole = whole(stage, objects, choices, first)?;
    let mut items = Vec::new();
    for (at, object) in whole.objects.iter().enumerate() {
        let Some(init) = program[*object].init else { continue };
        let at = at as u64;
        let elements = InitPlace::Elements { first: at, last: at };
        let place = if whole.elements { elements } else { InitPlace::Field(at as u32) };
        items.push(InitItem { place, value: copy::expr(&mut stage.fresh.program, init) });
    }
    let ty = stage.fresh.program[whole.whole].ty;
    let init = stage.builder().node(ExprKind::InitList(items.into()), ty.unqualified());
    let new = &mut stage.fresh.program;
    new[whole.whole].init = Some(init);
    (new[whole.whole].storage, new[whole.whole].linkage) = (Storage::Static, Linkage::Internal);
    let place = first + usize::from(!whole.elements);
    new.items.insert(place, Item::Define(Entity::Object(whole.whole)));
    let mut changes = whole.uses(stage)?;
    changes.extend(whole.objects.iter().map(|object| Change::RemoveItem(item(object))));
    Some(changes)
}

/// A variable at file scope that is defined in one place, with constants.
fn any_global(stage: &Stage<'_>, choices: &mut Choices) -> Option<ObjectId> {
    let program = stage.scene.program;
    let Item::Define(Entity::Object(id)) = choices.pick_any(&program.items)? else { return None };
    let object = &program[id];
    let fixed = object.init.is_none_or(|init| program.is_fixed(init))
        && !object.init.is_some_and(|init| matches!(program[init].kind, ExprKind::String(_)));
    let all = program.items.iter().filter(|item| item.entity() == Some(Entity::Object(id)));
    let whole = match *program.resolve(object.ty) {
        Type::Array { length, .. } => matches!(length, ArrayLength::Fixed(_)),
        Type::Record(_) => true,
        _ => program.is_scalar(object.ty),
    };
    (fixed && whole && is_plain(object, Storage::Static) && all.count() == 1).then_some(id)
}

/// Whether an object has nothing special about it.
fn is_plain(object: &Object, storage: Storage) -> bool {
    let special = Qualifiers::RESTRICT | Qualifiers::ATOMIC | Qualifiers::CONST;
    object.storage == storage
        && object.align.is_none()
        && object.asm_name.is_none()
        && object.attributes.is_empty()
        && !object.ty.qualifiers().intersects(special)
}

/// A new object that has the others as its parts. Its type stands before item `at`.
fn whole(
    stage: &mut Stage<'_>,
    objects: Vec<ObjectId>,
    choices: &mut Choices,
    at: usize,
) -> Option<Gathered> {
    let program = &mut stage.fresh.program;
    let first = program[*objects.first()?].ty;
    let alike = objects.iter().all(|object| program[*object].ty == first);
    let elements = alike && choices.chance(50);
    let ty = if elements {
        program.types.array_of(first, ArrayLength::Fixed(objects.len() as u64))
    } else {
        let fields: Vec<TypeId> = objects.iter().map(|object| program[*object].ty).collect();
        let record = new_record(stage, RecordKind::Struct, &fields);
        let program = &mut stage.fresh.program;
        program.items.insert(at, Item::Define(Entity::Record(record)));
        program.types.intern(Type::Record(record))
    };
    let program = &mut stage.fresh.program;
    let name = program.names.fresh("all");
    let whole = program.objects.push(Object::local(name, ty));
    Some(Gathered { whole, elements, objects })
}

fn new_record(stage: &mut Stage<'_>, kind: RecordKind, fields: &[TypeId]) -> RecordId {
    let program = &mut stage.fresh.program;
    let tag = program.names.fresh("parts");
    let fields = fields.iter().map(|ty| Field {
        name: Some(program.names.fresh("part")),
        ty: *ty,
        bits: None,
        packed: false,
        align: None,
        attributes: [].into(),
    });
    let fields = Some(fields.collect());
    program.records.push(Record {
        kind,
        tag: Some(tag),
        fields,
        packed: false,
        pack: None,
        align: None,
        may_alias: false,
        attributes: [].into(),
    })
}

/// A local variable with the function that it is in and the statement that declares it.
struct Local {
    object: ObjectId,
    declaration: StmtId,
}

/// The scalars that a function declares in blocks, and that lose nothing if they live longer.
fn locals(stage: &Stage<'_>, function: FunctionId) -> Option<Vec<Local>> {
    let program = stage.scene.program;
    let body = program[function].body?;
    let declared = Contents::of(program, &[body]).stmts.into_iter().filter_map(|declaration| {
        let Stmt::Declare(object) = program[declaration] else { return None };
        let Some(Holder::Stmt(block)) = stage.scene.holder_of_stmt(declaration) else {
            return None;
        };
        let fits = matches!(program[block], Stmt::Block(_))
            && program.is_scalar(program[object].ty)
            && is_plain(&program[object], Storage::Automatic)
            && program[object]
                .init
                .is_none_or(|init| !matches!(program[init].kind, ExprKind::InitList(_)));
        fits.then_some(Local { object, declaration })
    });
    Some(declared.collect())
}

/// Any function, and its item.
fn any_function(stage: &Stage<'_>, choices: &mut Choices) -> Option<(FunctionId, usize)> {
    let at = choices.index(stage.scene.program.items.len().max(1));
    match stage.scene.program.items.get(at)? {
        Item::Define(Entity::Function(function)) => Some((*function, at)),
        _ => None,
    }
}

/// Some local variables become members of a struct or elements of an array.
pub(super) fn frame(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let (function, at) = any_function(stage, choices)?;
    let mut chosen = locals(stage, function)?;
    choices.shuffle(&mut chosen);
    chosen.truncate(1 + choices.below(TOGETHER) as usize);
    let objects = chosen.iter().map(|local| local.object).collect();
    let whole = whole(stage, objects, choices, at)?;
    let mut changes = whole.uses(stage)?;
    for (at, local) in chosen.iter().enumerate() {
        let init = stage.scene.program[local.object].init;
        changes.push(match init {
            Some(init) => {
                let (part, init) =
                    (whole.part(stage, at)?, copy::expr(&mut stage.fresh.program, init));
                let init = plain(&stage.fresh.program, init);
                let assignment = stage.builder().assign(part, init).ok()?;
                let with = expression(stage, assignment);
                Change::ReplaceStmt { at: local.declaration, with }
            }
            None => Change::RemoveStmt(local.declaration),
        });
    }
    let names_others = chosen.iter().any(|local| names_any(stage, local, &whole.objects));
    let body = stage.scene.program[function].body?;
    let declaration = stage.fresh.program.stmts.push(Stmt::Declare(whole.whole));
    let stmts = [declaration].into();
    changes.push(Change::InsertStmts { block: body, anchor: Anchor::Start, stmts });
    (!names_others).then_some(changes)
}

/// Whether the value that a local variable starts with names one of some objects.
fn names_any(stage: &Stage<'_>, local: &Local, objects: &[ObjectId]) -> bool {
    let contents = Contents::of(stage.scene.program, &[local.declaration]);
    let program = stage.scene.program;
    contents.exprs.iter().any(
        |expr| matches!(program[*expr].kind, ExprKind::Object(object) if objects.contains(&object)),
    )
}

/// A local variable becomes a static one, or one at file scope.
pub(super) fn lifetime(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let (function, at) = any_function(stage, choices)?;
    let all = locals(stage, function)?;
    let local = all.get(choices.index(all.len().max(1)))?;
    let program = stage.scene.program;
    let from = program[local.object].clone();
    if names_any(stage, local, &[local.object]) {
        return None;
    }
    let mut to = from.clone();
    (to.storage, to.init) = (Storage::Static, None);
    let start = match from.init {
        Some(init) => {
            let target = stage.object(local.object);
            let init = copy::expr(&mut stage.fresh.program, init);
            let init = plain(&stage.fresh.program, init);
            let assignment = stage.builder().assign(target, init).ok()?;
            Some(expression(stage, assignment))
        }
        None => None,
    };
    let mut changes = Vec::new();
    if choices.chance(50) {
        to.linkage = Linkage::Internal;
        let name = program.text(from.name?).to_owned();
        to.name = Some(stage.fresh.program.names.fresh(&name));
        stage.fresh.program.items.insert(at, Item::Define(Entity::Object(local.object)));
        changes.push(match start {
            Some(with) => Change::ReplaceStmt { at: local.declaration, with },
            None => Change::RemoveStmt(local.declaration),
        });
    } else if let Some(start) = start {
        let Some(Holder::Stmt(block)) = stage.scene.holder_of_stmt(local.declaration) else {
            return None;
        };
        let (anchor, stmts) = (Anchor::After(local.declaration), [start].into());
        changes.push(Change::InsertStmts { block, anchor, stmts });
    }
    changes.push(Change::Object { id: local.object, from: Box::new(from), to: Box::new(to) });
    Some(changes)
}

/// A member of a struct that something names: the expression, the struct and which.
fn any_member(stage: &Stage<'_>, choices: &mut Choices) -> Option<(RecordId, u32)> {
    let program = stage.scene.program;
    let ExprKind::Member(of, field) = program[any_expr(stage, choices)?].kind else { return None };
    let Type::Record(record) = *program.resolve(program.type_of(of)) else { return None };
    let defined = program.items.contains(&Item::Define(Entity::Record(record)));
    let is_struct = program[record].kind == RecordKind::Struct && program[record].tag.is_some();
    (is_struct && defined).then_some((record, field))
}

/// All places that name a member.
fn members(stage: &Stage<'_>, record: RecordId, field: u32) -> Vec<ExprId> {
    let program = stage.scene.program;
    let names = |expr: &ExprId| {
        matches!(program[*expr].kind, ExprKind::Member(of, at) if at == field
            && *program.resolve(program.type_of(of)) == Type::Record(record))
    };
    stage.scene.exprs().filter(names).collect()
}

/// A member becomes a bit-field that has room for all values that were read, or an ordinary
/// member again.
pub(super) fn bits(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let (id, at) = any_member(stage, choices)?;
    let program = stage.scene.program;
    let from = program[id].clone();
    let field = &from.fields.as_ref()?[at as usize];
    let Type::Int(kind) = *program.resolve(field.ty) else { return None };
    // The promotion of a wider type without a sign depends on the width.
    let promoted = kind.rank() < IntKind::Int.rank() || kind == IntKind::Int;
    let pointed = |expr: &ExprId| {
        let parent = stage.scene.parent(*expr);
        parent.is_none_or(|it| {
            !matches!(
                program[it].kind,
                ExprKind::Load(_)
                    | ExprKind::Assign(..)
                    | ExprKind::CompoundAssign { .. }
                    | ExprKind::Step(..)
            )
        })
    };
    let all = members(stage, id, at);
    if !promoted || kind == IntKind::Bool || field.align.is_some() || all.iter().any(pointed) {
        return None;
    }
    let mut to = from.clone();
    let new = &mut to.fields.as_mut()?[at as usize];
    new.bits = match field.bits {
        Some(_) => None,
        None => {
            let reads = all.iter().filter_map(|expr| seen(stage, stage.scene.parent(*expr)?));
            let values = reads.reduce(Range::hull)?;
            let signed = program.target.int_signed(kind);
            let width =
                |value: i128| 128 - (if value < 0 { !value } else { value }).leading_zeros();
            let least = width(values.low).max(width(values.high)).max(1) + u32::from(signed);
            let width = least + choices.below(SPARE + 1) as u32;
            (width <= program.target.int_bits(kind)).then_some(width)
        }
    };
    let change = Change::Record { id, from: Box::new(from.clone()), to: Box::new(to.clone()) };
    (from != to).then(|| vec![change])
}

/// The members of a struct change places.
pub(super) fn shuffle(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let (record, _) = any_member(stage, choices)?;
    let program = stage.scene.program;
    let fields = program[record].fields.as_ref()?;
    let odd = |field: &Field| {
        field.name.is_none()
            || matches!(*program.resolve(field.ty), Type::Array { length, .. } if length == ArrayLength::Unknown)
    };
    if fields.len() < 2 || fields.iter().any(odd) {
        return None;
    }
    let mut order: Vec<u32> = (0..fields.len() as u32).collect();
    choices.shuffle(&mut order);
    reorder_fields(&mut stage.fresh, record, &order)
}

/// A member becomes a part of a union, beside its bytes.
pub(super) fn overlay(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let (record, at) = any_member(stage, choices)?;
    let program = stage.scene.program;
    let from = program[record].clone();
    let field = from.fields.as_ref()?[at as usize].clone();
    let offsets = stage.scene.exprs().any(|it| matches!(program[it].kind, ExprKind::Offsetof(..)));
    if field.bits.is_some() || field.name.is_none() || field.align.is_some() || offsets {
        return None;
    }
    let size = stage.layouts.size_of(program, field.ty).ok()?;
    let bytes = Types::int(IntKind::UChar);
    let bytes = stage.fresh.program.types.array_of(bytes, ArrayLength::Fixed(size));
    let union = new_record(stage, RecordKind::Union, &[field.ty, bytes]);
    let ty = stage.fresh.program.types.intern(Type::Record(union));
    let defined = Item::Define(Entity::Record(record));
    let place = program.items.iter().position(|item| *item == defined)?;
    stage.fresh.program.items.insert(place, Item::Define(Entity::Record(union)));
    let mut changes = Vec::new();
    for expr in members(stage, record, at) {
        let ExprKind::Member(of, _) = program[expr].kind else { return None };
        let qualifiers = program.type_of(of).qualifiers();
        let qualified = stage.fresh.program.types.qualified(ty, qualifiers);
        let inner = stage.builder().node(ExprKind::Member(of, at), qualified);
        let with = stage.builder().node(ExprKind::Member(inner, 0), program.type_of(expr));
        changes.push(Change::ReplaceExpr { at: expr, with });
    }
    let lists = stage.scene.exprs().filter(|expr| {
        matches!(program[*expr].kind, ExprKind::InitList(_))
            && *program.resolve(program.type_of(*expr)) == Type::Record(record)
    });
    for list in lists.collect::<Vec<_>>() {
        let ExprKind::InitList(items) = &program[list].kind else { return None };
        let Some(item) = items.iter().find(|item| item.place == InitPlace::Field(at)) else {
            continue;
        };
        let items = [InitItem { place: InitPlace::Field(0), value: item.value }];
        let with = stage.builder().node(ExprKind::InitList(items.into()), ty);
        changes.push(Change::ReplaceExpr { at: item.value, with });
    }
    let mut to = from.clone();
    to.fields.as_mut()?[at as usize].ty = ty;
    changes.push(Change::Record { id: record, from: Box::new(from), to: Box::new(to) });
    Some(changes)
}

/// An array that a loop indexes with its counter is walked by a pointer.
pub(super) fn walk(stage: &mut Stage<'_>, choices: &mut Choices) -> Drawn {
    let at = any_stmt(stage, choices)?;
    let program = stage.scene.program;
    let Stmt::For { init, condition, step: Some(step), body } = program[at].clone() else {
        return None;
    };
    let ExprKind::Step(op, counter) = program[step].kind else { return None };
    let ExprKind::Object(counter) = program[counter].kind else { return None };
    let Some(Holder::Stmt(_)) = stage.scene.holder_of_stmt(at) else { return None };
    let contents = Contents::of(program, &[body]);
    let by_counter = |expr: &&ExprId| indexed(program, **expr, counter).is_some();
    let indexed_places: Vec<ExprId> = contents.exprs.iter().filter(by_counter).copied().collect();
    let array = indexed(program, choices.pick_any(&indexed_places)?, counter)?;
    let changed = contents.exprs.iter().any(|expr| {
        matches!(program[*expr].kind, ExprKind::Object(it) if it == counter)
            && stage
                .scene
                .parent(*expr)
                .is_none_or(|it| !matches!(program[it].kind, ExprKind::Load(_)))
    });
    if changed {
        return None;
    }
    let Type::Array { element, .. } = *program.resolve(program[array].ty) else { return None };
    let pointer = stage.fresh.program.types.pointer_to(element);
    let (base, index) = (stage.object(array), stage.object(counter));
    let mut builder = stage.builder();
    let first = builder.index(base, index).ok()?;
    let first = builder.address_of(first).ok()?;
    let name = stage.fresh.program.names.fresh("walk");
    let walker = Object { init: Some(first), ..Object::local(name, pointer) };
    let walker = stage.fresh.program.objects.push(walker);
    let mut changes = Vec::new();
    for place in
        indexed_places.into_iter().filter(|it| indexed(program, *it, counter) == Some(array))
    {
        let read = stage.object(walker);
        let with = stage.builder().deref(read).ok()?;
        changes.push(Change::ReplaceExpr { at: place, with });
    }
    let walker_place = stage.object(walker);
    let back = matches!(op, StepOp::PreDecrement | StepOp::PostDecrement);
    let op = if back { StepOp::PostDecrement } else { StepOp::PostIncrement };
    let mut builder = stage.builder();
    let next = builder.step(op, walker_place).ok()?;
    let step = Some(builder.comma(step, next));
    let declaration = stage.fresh.program.stmts.push(Stmt::Declare(walker));
    let rest = Stmt::For { init: [].into(), condition, step, body };
    let rest = stage.fresh.program.stmts.push(rest);
    let stmts = init.iter().copied().chain([declaration, rest]).collect();
    let with = block(stage, stmts);
    changes.push(Change::ReplaceStmt { at, with });
    Some(changes)
}

/// The array that an expression indexes with the counter alone.
fn indexed(program: &Program, expr: ExprId, counter: ObjectId) -> Option<ObjectId> {
    let ExprKind::Index(base, index) = program[expr].kind else { return None };
    let ExprKind::Decay(array) = program[base].kind else { return None };
    let ExprKind::Object(array) = program[array].kind else { return None };
    let ExprKind::Load(place) = program[plain(program, index)].kind else { return None };
    (program[place].kind == ExprKind::Object(counter)).then_some(array)
}
