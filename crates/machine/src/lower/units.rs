//! What of a program does not depend on its run: objects that live as long as it does, and
//! functions, which are lowered when they are first called.

use std::rc::Rc;

use farrier_lang::builtins::Builtin;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Id, Item, Linkage, ObjectId, Program, Qualifiers, StmtId,
    Storage, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Functions, Homes, Lowerer, nested, order, promises};
use crate::code::{Code, Op};
use crate::library::Stream;
use crate::memory::{Memory, Origin};
use crate::value::Scalar;
use crate::verdict::{At, Checked};
use crate::watch::{self, Chosen, Watch};

/// A program, ready to run. Functions are lowered when they are first called: many of a
/// program never are.
#[derive(Debug)]
pub(crate) struct Lowered<'a> {
    /// By function; empty for those without a body and those that were not called yet.
    pub(crate) codes: Vec<Rc<Code>>,
    /// Initialises everything that lives as long as the program.
    pub(crate) start: Rc<Code>,
    /// The slots of const objects, which are so once `start` has run.
    pub(crate) constants: Vec<u32>,
    /// The slots of restricted pointers at file scope.
    pub(crate) restricted: Vec<u32>,
    /// What the profile is of.
    watch: &'a Watch,
    /// The statements at which objects are seen.
    points: Chosen<StmtId>,
    /// Whether the run continues after faults.
    collecting: bool,
    /// The scalar types, by type.
    scalars: Vec<Option<Scalar>>,
    /// The slots of objects that live as long as the program.
    statics: Statics,
    literals: FxHashMap<ExprId, u32>,
    homes: Homes,
    functions: Functions,
    analysis: order::Analysis,
    /// Empty lists with room for the operations of a function.
    room: (Vec<Op>, Vec<At>),
}

/// The slots of objects that live as long as the program, by object.
#[derive(Debug)]
pub(crate) struct Statics {
    slots: Vec<u32>,
}

/// The slot of an object that has none.
const NOWHERE: u32 = u32::MAX;

impl Statics {
    pub(super) fn get(&self, object: ObjectId) -> Option<u32> {
        self.slots.get(object.index()).copied().filter(|slot| *slot != NOWHERE)
    }
}

/// The functions that have the name and the type of one that compilers know. A program
/// must not define those of C (C11 7.1.3p2), and whether a compiler looks at the
/// definition before it uses what it knows is its choice. Headers do it inline.
fn replaced_functions(program: &Program) -> FxHashSet<FunctionId> {
    let mut replaced = FxHashSet::default();
    let mut scratch: Option<Program> = None;
    for (id, function) in program.functions.iter() {
        let inline = function.specifiers.inline || function.linkage != Linkage::External;
        if function.body.is_none() || inline || function.asm_name.is_some() {
            continue;
        }
        let name = program.text(function.name);
        let Some(builtin) = Builtin::by_library_name(name) else { continue };
        if name.starts_with("__") {
            // No program may define such a name, and compilers agree less about its type.
            replaced.insert(id);
            continue;
        }
        let scratch = scratch.get_or_insert_with(|| program.clone());
        let Some(ty) = builtin.function_type(&mut scratch.types, program.target) else { continue };
        let known = scratch.types.function(ty);
        if farrier_lang::build::compatible(scratch, known, function.ty) {
            replaced.insert(id);
        }
    }
    replaced
}

/// Everything of a program that does not depend on its run.
pub(crate) fn lower<'a>(
    program: &Program,
    watch: &'a Watch,
    collecting: bool,
    layouts: &mut Layouts,
    memory: &mut Memory,
) -> Checked<Lowered<'a>> {
    memory.slots.reserve(program.functions.len() + program.objects.len());
    let mut slots = Vec::with_capacity(program.functions.len());
    for id in program.functions.ids() {
        slots.push(memory.allocate(Origin::Function(id), 0, 16, None)?);
    }
    for id in program.functions.ids().filter(|id| promises::is_alias(program, *id)) {
        if let Some(target) = promises::alias_target(program, id) {
            slots[id.index()] = slots[target.index()];
        }
    }
    let replaced = replaced_functions(program);
    let functions = Functions { slots, replaced, surroundings: nested::Surroundings::default() };
    let mut statics = Statics { slots: vec![NOWHERE; program.objects.len()] };
    let mut initialised = Vec::new();
    let mut constants = Vec::new();
    let mut restricted = Vec::new();
    let defined: FxHashSet<ObjectId> = program.items.iter().filter_map(defined_object).collect();
    for (id, object) in program.objects.iter() {
        if object.linkage != Linkage::None && !defined.contains(&id) {
            // What other units define is unknown, but for the streams of the library.
            if let Some(slot) = stream_object(program, memory, id)? {
                statics.slots[id.index()] = slot;
            }
            continue;
        }
        if is_reserved(program, object) {
            continue;
        }
        if object.linkage == Linkage::None
            && !matches!(object.storage, Storage::Static | Storage::Thread)
        {
            continue;
        }
        let Ok(size) = layouts.size_of(program, object.ty) else { continue };
        let size = size.max(flexible_size(program, layouts, id));
        let align = layouts.object_align(program, id).unwrap_or(1);
        memory.learn_padding(program, layouts, object.ty);
        let slot = memory.allocate(Origin::Object(id), size, align, Some(object.ty))?;
        let at = crate::memory::Location::new(slot, 0);
        memory.fill(at, size, 0)?;
        statics.slots[id.index()] = slot;
        if is_constant(program, object.ty) {
            constants.push(slot);
        }
        let restrict = object.ty.qualifiers().contains(Qualifiers::RESTRICT);
        if restrict && object.linkage != Linkage::None {
            restricted.push(slot);
        }
        if object.init.is_some() {
            initialised.push(id);
        }
    }
    let mut lowered = Lowered {
        codes: vec![Rc::default(); program.functions.len()],
        start: Rc::default(),
        constants,
        restricted,
        watch,
        points: watch.points.keys().copied().collect(),
        collecting,
        scalars: program.types.ids().map(|ty| Scalar::of(program, ty)).collect(),
        statics,
        literals: FxHashMap::default(),
        homes: Homes::default(),
        functions,
        analysis: order::analyse(program),
        room: (Vec::with_capacity(program.exprs.len()), Vec::with_capacity(program.exprs.len())),
    };
    let mut lowerer = lowered.lowerer(program, layouts, memory);
    lowerer.watch = &watch::NOTHING;
    lowerer.starting = true;
    for id in initialised {
        lowerer.static_initialiser(id)?;
    }
    lowerer.emit(Op::ReturnNothing);
    lowered.start = Rc::new(lowerer.finish());
    Ok(lowered)
}

impl Lowered<'_> {
    fn lowerer<'a>(
        &'a mut self,
        program: &'a Program,
        layouts: &'a mut Layouts,
        memory: &'a mut Memory,
    ) -> Lowerer<'a> {
        let homes = std::mem::take(&mut self.homes);
        let mut lowerer = Lowerer::new(
            program,
            layouts,
            memory,
            &self.statics,
            &mut self.literals,
            &mut self.functions,
            &mut self.analysis,
        );
        lowerer.watch = self.watch;
        lowerer.points = &self.points;
        lowerer.collecting = self.collecting;
        lowerer.exactness = self.watch.exactness;
        lowerer.scalars = &self.scalars;
        lowerer.homes = homes;
        lowerer
    }

    /// Whether something names a function, so that it can be called.
    pub(crate) fn is_named(&self, id: FunctionId) -> bool {
        self.analysis.is_named(id)
    }

    /// Whether there is an object for this name at file scope.
    pub(crate) fn has_static(&self, id: ObjectId) -> bool {
        self.statics.get(id).is_some()
    }

    /// The slot of a function, which it has for its address.
    pub(crate) fn function_slot(&self, id: FunctionId) -> u32 {
        self.functions.slots[id.index()]
    }

    /// The function around one that is inside another.
    pub(crate) fn parent(&self, id: FunctionId) -> Option<FunctionId> {
        self.functions.surroundings.parent(id)
    }

    /// Lowers a function that has a body.
    #[cold]
    pub(crate) fn lower_function(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        memory: &mut Memory,
        id: FunctionId,
    ) -> Checked {
        let Some(body) = program[id].body else { return Ok(()) };
        // The bytes of string literals are there from the beginning, so those
        // that watch accesses do not see them written.
        let watchers = (std::mem::take(&mut memory.order), std::mem::take(&mut memory.restrict));
        let (ops, at) = std::mem::take(&mut self.room);
        let mut lowerer = self.lowerer(program, layouts, memory);
        (lowerer.code.ops, lowerer.code.at) = (ops, at);
        let lowered = lowerer.function(id, body);
        let mut homes = std::mem::take(&mut lowerer.homes);
        homes.clear();
        self.homes = homes;
        (memory.order, memory.restrict) = watchers;
        let mut code = lowered?;
        // One copy takes less time than lists that grow.
        let (ops, at) = (code.ops.clone(), code.at.clone());
        self.room = (std::mem::replace(&mut code.ops, ops), std::mem::replace(&mut code.at, at));
        self.room.0.clear();
        self.room.1.clear();
        self.codes[id.index()] = Rc::new(code);
        Ok(())
    }
}

/// The operations of all functions that can be called and can be lowered, with those
/// that keep a profile.
pub(crate) fn lower_all(program: &Program) -> Vec<Rc<Code>> {
    let (mut layouts, mut memory) = (Layouts::default(), Memory::new(program.target, u64::MAX));
    let watch = Watch::everything();
    let Ok(mut lowered) = lower(program, &watch, false, &mut layouts, &mut memory) else {
        return Vec::new();
    };
    for id in program.functions.ids() {
        // What nothing names is never called.
        if lowered.analysis.is_named(id) {
            // One that cannot be lowered has no operations.
            let _ = lowered.lower_function(program, &mut layouts, &mut memory, id);
        }
    }
    lowered.codes
}

fn defined_object(item: &Item) -> Option<ObjectId> {
    match item {
        Item::Define(Entity::Object(object)) => Some(*object),
        _ => None,
    }
}

/// Whether an object has a name that only the library may define, C11 7.5p2 and 7.12p9.
pub(super) fn is_reserved(program: &Program, object: &farrier_lang::Object) -> bool {
    let name = object.name.map_or("", |name| program.text(name));
    object.linkage == Linkage::External && matches!(name, "errno" | "math_errhandling")
}

/// The object `stdout` or one like it, with its stream, if this is one.
fn stream_object(program: &Program, memory: &mut Memory, id: ObjectId) -> Checked<Option<u32>> {
    let object = &program[id];
    let name = object.name.map_or("", |name| program.text(name));
    let (Some(stream), Some(_)) = (Stream::by_name(name), program.pointee(object.ty)) else {
        return Ok(None);
    };
    let size = program.target.pointer.size;
    let target = memory.allocate(Origin::Stream(stream), 0, 16, None)?;
    let pointer = memory.pointer_to(target);
    let slot = memory.allocate(Origin::Object(id), size.into(), size, Some(object.ty))?;
    let at = crate::memory::Location::new(slot, 0);
    memory.write(at, size, pointer.low.into(), pointer.high)?;
    Ok(Some(slot))
}

/// Whether an object of this type is const, or a part of it.
pub(crate) fn is_constant(program: &Program, ty: TypeId) -> bool {
    if ty.qualifiers().contains(Qualifiers::CONST) {
        return true;
    }
    match *program.resolve(ty) {
        Type::Array { element, .. } => is_constant(program, element),
        Type::Record(record) => {
            let fields = program[record].fields.as_deref().unwrap_or_default();
            fields.iter().any(|field| is_constant(program, field.ty))
        }
        _ => false,
    }
}

/// The bytes that the initialiser of a flexible array member needs.
fn flexible_size(program: &Program, layouts: &mut Layouts, object: ObjectId) -> u64 {
    let Some(init) = program[object].init else { return 0 };
    let ExprKind::InitList(items) = &program[init].kind else { return 0 };
    let Type::Record(record) = *program.resolve(program[object].ty) else { return 0 };
    let (Some(last), Ok(layout)) = (items.last(), layouts.record(program, record)) else {
        return 0;
    };
    let farrier_lang::InitPlace::Field(index) = last.place else { return 0 };
    let fields = program[record].fields.as_deref().unwrap_or_default();
    let flexible = matches!(
        program.resolve(fields[index as usize].ty),
        Type::Array { length: farrier_lang::ArrayLength::Unknown, .. }
    );
    if !flexible {
        return 0;
    }
    let size = layouts.size_of(program, program.type_of(last.value)).unwrap_or(0);
    layout.fields[index as usize].offset + size
}
