//! Programs to operations.

mod assembly;
mod assignments;
mod bit_fields;
mod calls;
mod complex_and_vectors;
mod exactness;
mod expressions;
mod guards;
mod initialisers;
mod lvalues;
pub(crate) mod nested;
pub(crate) mod order;
mod overlap;
pub(crate) mod promises;
mod rounds;
mod statements;
mod variable;

use std::rc::Rc;

use farrier_lang::builtins::Builtin;
use farrier_lang::layout::Layouts;
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Id, Item, LabelId, Linkage, ObjectId, Program,
    Qualifiers, RecordId, Stmt, StmtId, Storage, Type, TypeId, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use self::calls::unknown_function;
use crate::code::{Code, Local, Op, Position, Reg};
use crate::kinds::{Cause, UbKind};
use crate::library::Stream;
use crate::memory::{Memory, Origin};
use crate::value::Scalar;
use crate::verdict::{At, Checked};
use crate::watch::{self, Watch};

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
    /// Whether the run continues after faults.
    collecting: bool,
    /// The scalar types, by type.
    scalars: Vec<Option<Scalar>>,
    /// The slots of objects that live as long as the program.
    statics: FxHashMap<ObjectId, u32>,
    literals: FxHashMap<ExprId, u32>,
    functions: Functions,
    analysis: order::Analysis,
    /// Empty lists with room for the operations of a function.
    room: (Vec<Op>, Vec<At>),
}

/// Where a local is.
#[derive(Clone, Copy, Debug)]
enum Home {
    Register(Reg),
    Memory(u32),
}

/// The state of lowering one function.
pub(crate) struct Lowerer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) memory: &'a mut Memory,
    /// The slots of objects that live as long as the program.
    statics: &'a FxHashMap<ObjectId, u32>,
    literals: &'a mut FxHashMap<ExprId, u32>,
    functions: &'a mut Functions,
    /// The function that is lowered.
    function: Option<FunctionId>,
    code: Code,
    next: Reg,
    homes: FxHashMap<ObjectId, Home>,
    /// Blocks around the statement.
    blocks: Vec<Block>,
    next_block: u32,
    /// Loops and switches: where `break` and `continue` go, and how many blocks are outside.
    targets: Vec<Target>,
    labels: FxHashMap<LabelId, LabelPlace>,
    gotos: Vec<(Position, LabelId, Vec<Block>)>,
    computed: Vec<(usize, Vec<Block>)>,
    /// The registers of the lengths of variable arrays, and those computed so far.
    lengths: FxHashMap<ExprId, Reg>,
    evaluated: FxHashSet<ExprId>,
    switch: Vec<SwitchState>,
    at: At,
    result: Option<TypeId>,
    last_parameter: Option<ObjectId>,
    /// Whether we lower initialisers of static objects.
    starting: bool,
    /// Whether the program has bit-fields wider than `int`.
    wide_fields: bool,
    /// Whether the program has arrays of variable length.
    variable_lengths: bool,
    /// Whether the function has labels.
    jumps: bool,
    /// What is known to have a value.
    assured: Assured,
    /// What is known of effects, and the registers of locals that open records watch.
    analysis: &'a mut order::Analysis,
    watched: Vec<Vec<Reg>>,
    /// What the profile is of.
    pub(crate) watch: &'a Watch,
    /// Whether the run continues after faults: then a value that may be missing, and a
    /// pointer to an aggregate, are in registers of their own.
    collecting: bool,
    /// Whether floating operations are watched, those of static initialisers as well.
    exactness: bool,
    scalars: &'a [Option<Scalar>],
    /// The structures that are values and die at the end of the full expression.
    temporaries: Vec<u32>,
    /// Whether the function calls `setjmp`: then its locals are in memory, which knows what
    /// is changed. Only in registers, though, pointers are watched for `restrict`.
    returns_twice: bool,
    /// The object with a name whose initialiser comes next.
    initialising: Option<ObjectId>,
    /// The markers of restricted pointers, by their registers.
    restricted: FxHashMap<Reg, u32>,
    /// Whether the program has restricted pointers.
    restricts: bool,
    /// How much of a record must be there where it is accessed.
    least_sizes: FxHashMap<RecordId, u64>,
    /// The loops that are tracked, and the objects that are in memory for that.
    tracked: rounds::TrackedLoops,
    in_memory: FxHashSet<ObjectId>,
    /// What is promised of the result.
    results: Vec<crate::code::Promise>,
}

/// The locals in registers that have a value wherever what is lowered next runs: those that
/// were given one before, in a statement that is not inside a branch.
#[derive(Debug, Default)]
struct Assured {
    /// Whether control comes to a statement only by way of those before it.
    possible: bool,
    /// By register.
    registers: Vec<bool>,
    /// In the order in which they came.
    trail: Vec<Reg>,
}

impl Assured {
    fn contains(&self, reg: Reg) -> bool {
        self.registers.get(reg as usize).copied().unwrap_or(false)
    }

    fn insert(&mut self, reg: Reg) {
        let index = reg as usize;
        if self.possible && !self.contains(reg) {
            self.registers.resize(self.registers.len().max(index + 1), false);
            self.registers[index] = true;
            self.trail.push(reg);
        }
    }

    /// The register is that of another local now.
    fn remove(&mut self, reg: Reg) {
        if let Some(known) = self.registers.get_mut(reg as usize) {
            *known = false;
        }
    }

    /// Where a branch begins: what it assures holds only inside it.
    fn mark(&self) -> usize {
        self.trail.len()
    }

    fn back_to(&mut self, mark: usize) {
        for reg in self.trail.drain(mark..) {
            self.registers[reg as usize] = false;
        }
    }
}

struct Target {
    depth: usize,
    breaks: Vec<Position>,
    continues: Option<Vec<Position>>,
}

struct LabelPlace {
    position: Position,
    blocks: Vec<Block>,
}

/// A block while it is open: what it declares.
#[derive(Clone, Debug)]
struct Block {
    id: u32,
    /// Its locals in memory.
    locals: Vec<u32>,
    /// Its locals in registers.
    registers: Vec<(Reg, ObjectId)>,
}

/// A case label: its position, and the blocks that the switch enters on the way to it.
type CaseEntry = (Position, Vec<Block>);

struct SwitchState {
    cases: Vec<(i128, i128, CaseEntry)>,
    default: Option<CaseEntry>,
    /// How many blocks are outside the switch.
    depth: usize,
}

/// What is known of functions.
#[derive(Debug)]
pub(crate) struct Functions {
    /// Their slots, which they have for their addresses.
    slots: Vec<u32>,
    /// Those that a compiler may take for functions of the library.
    replaced: FxHashSet<FunctionId>,
    /// What those inside others need to know.
    surroundings: nested::Surroundings,
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
    let mut statics = FxHashMap::default();
    let mut initialised = Vec::new();
    let mut constants = Vec::new();
    let mut restricted = Vec::new();
    let defined: FxHashSet<ObjectId> = program.items.iter().filter_map(defined_object).collect();
    for (id, object) in program.objects.iter() {
        if object.linkage != Linkage::None && !defined.contains(&id) {
            // What other units define is unknown, but for the streams of the library.
            if let Some(slot) = stream_object(program, memory, id)? {
                statics.insert(id, slot);
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
        statics.insert(id, slot);
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
        collecting,
        scalars: program.types.ids().map(|ty| Scalar::of(program, ty)).collect(),
        statics,
        literals: FxHashMap::default(),
        functions,
        analysis: order::analyse(program),
        room: Default::default(),
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
        lowerer.collecting = self.collecting;
        lowerer.exactness = self.watch.exactness;
        lowerer.scalars = &self.scalars;
        lowerer
    }

    /// Whether something names a function, so that it can be called.
    pub(crate) fn is_named(&self, id: FunctionId) -> bool {
        self.analysis.is_named(id)
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
fn is_reserved(program: &Program, object: &farrier_lang::Object) -> bool {
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

impl<'a> Lowerer<'a> {
    fn new(
        program: &'a Program,
        layouts: &'a mut Layouts,
        memory: &'a mut Memory,
        statics: &'a FxHashMap<ObjectId, u32>,
        literals: &'a mut FxHashMap<ExprId, u32>,
        functions: &'a mut Functions,
        analysis: &'a mut order::Analysis,
    ) -> Self {
        Self {
            program,
            layouts,
            memory,
            statics,
            literals,
            functions,
            function: None,
            code: Code::default(),
            next: 0,
            homes: FxHashMap::default(),
            blocks: Vec::new(),
            next_block: 0,
            targets: Vec::new(),
            labels: FxHashMap::default(),
            gotos: Vec::new(),
            computed: Vec::new(),
            lengths: FxHashMap::default(),
            evaluated: FxHashSet::default(),
            switch: Vec::new(),
            at: At::Nowhere,
            result: None,
            last_parameter: None,
            starting: false,
            wide_fields: analysis.wide_fields,
            restricts: analysis.restricts,
            variable_lengths: analysis.variable_lengths,
            jumps: false,
            assured: Assured::default(),
            analysis,
            watched: Vec::new(),
            watch: &watch::NOTHING,
            collecting: false,
            exactness: false,
            scalars: &[],
            temporaries: Vec::new(),
            returns_twice: false,
            initialising: None,
            restricted: FxHashMap::default(),
            least_sizes: FxHashMap::default(),
            tracked: rounds::TrackedLoops::new(),
            in_memory: FxHashSet::default(),
            results: Vec::new(),
        }
    }

    fn function(&mut self, id: FunctionId, body: StmtId) -> Checked<Code> {
        let function = &self.program[id];
        self.function = Some(id);
        self.code.nested = nested::is_nested(self.program, id);
        if let Type::Function(ty) = self.program.resolve(function.ty) {
            self.result = Some(ty.result.unqualified());
        }
        self.last_parameter = function.parameters.last().copied();
        self.open_block();
        // Arguments arrive in the first registers.
        self.code.parameters = function.parameters.len() as u32;
        self.next = self.code.parameters;
        self.code.registers = self.next;
        let promised = self.time_of_call(id);
        self.begin_promises(id);
        self.jumps = self.analysis.has_label(id);
        self.returns_twice = self.analysis.calls_setjmp(id);
        self.assured.possible = self.analysis.runs_in_order(id);
        if self.variable_lengths {
            self.find_all_lengths(id, body);
        }
        self.find_tracked(id, body);
        let prototyped = match self.program.resolve(function.ty) {
            Type::Function(ty) => ty.prototyped,
            _ => true,
        };
        for (index, &object) in function.parameters.iter().enumerate() {
            if !prototyped {
                self.demote(object, index as Reg);
            }
            self.parameter(object, index as Reg)?;
        }
        let types: Vec<TypeId> =
            function.parameters.iter().map(|object| self.program[*object].ty).collect();
        self.evaluate_all_lengths(&types)?;
        for &object in &function.parameters {
            if let Some(Home::Register(reg)) = self.homes.get(&object).copied() {
                self.begin_restricted(object, reg);
            }
        }
        if self.program.is_main(id) && !has_known_form(self.program, id) {
            self.at = At::Stmt(body);
            self.unsupported("`main` with parameters of these types");
        }
        if let Some((since, constant)) = promised {
            self.emit(Op::Promise { constant, since });
        }
        self.statement(body)?;
        self.at = At::Stmt(body);
        let void = self.result.is_none_or(|ty| *self.program.resolve(ty) == Type::Void);
        if self.program.is_main(id) && self.result == Some(Types::INT) {
            // C11 5.1.2.2.3p1: also where `main` was called by the program.
            let src = self.constant(crate::value::Value::default(), None);
            self.emit(Op::Return { src });
        } else {
            self.emit(if void { Op::ReturnNothing } else { Op::ReturnMissing });
        }
        self.resolve_gotos();
        if self.analysis.has_nested {
            self.note_surroundings(id);
        }
        Ok(std::mem::take(&mut self.code))
    }

    /// Without a prototype, arguments are promoted; the parameter has the type that its
    /// declaration says, C11 6.9.1p10.
    fn demote(&mut self, object: ObjectId, arrives: Reg) {
        let int = Scalar::Int {
            signed: true,
            bits: self.program.target.int_bits(farrier_lang::IntKind::Int) as u8,
        };
        let (from, to) = match self.scalar(self.program[object].ty) {
            Some(Scalar::Single) => (Scalar::Double, Scalar::Single),
            Some(to @ Scalar::Bool) => (int, to),
            Some(to @ Scalar::Int { bits, .. }) if bits < 32 => (int, to),
            _ => return,
        };
        self.emit(Op::Convert { from, to, dst: arrives, src: arrives });
    }

    fn parameter(&mut self, object: ObjectId, arrives: Reg) -> Checked {
        let ty = self.program[object].ty;
        let scalar = self.scalar(ty);
        match scalar {
            Some(scalar) if self.fits_register(object, scalar) => {
                self.homes.insert(object, Home::Register(arrives));
                self.assured.insert(arrives);
                self.name_register(arrives, object);
            }
            Some(scalar) => {
                let local = self.memory_local(object);
                self.emit(Op::Enter { local });
                self.emit(Op::StoreLocal { ty: scalar, src: arrives, local, offset: 0 });
                self.freeze(local);
            }
            None => {
                // An aggregate arrives as a pointer to the caller's copy.
                let local = self.memory_local(object);
                self.emit(Op::Enter { local });
                let to = self.temporary();
                self.emit(Op::LocalAddress { dst: to, local, offset: 0 });
                self.copy_object(to, arrives, ty);
                self.freeze(local);
            }
        }
        Ok(())
    }

    fn fits_register(&self, object: ObjectId, scalar: Scalar) -> bool {
        let volatile = self.program[object].ty.qualifiers().contains(Qualifiers::VOLATILE);
        let narrow = matches!(
            scalar,
            Scalar::Int { .. } | Scalar::Bool | Scalar::Single | Scalar::Double | Scalar::Pointer
        );
        let restricted = self.program[object].ty.qualifiers().contains(Qualifiers::RESTRICT);
        narrow
            && !volatile
            && !self.analysis.is_addressed(object)
            && !self.in_memory.contains(&object)
            && (!self.returns_twice || restricted)
    }

    fn memory_local(&mut self, object: ObjectId) -> u32 {
        let ty = self.program[object].ty;
        let size = self.layouts.size_of(self.program, ty).unwrap_or(0);
        let align = self.layouts.object_align(self.program, object).unwrap_or(1);
        let constant = is_constant(self.program, ty);
        let (object_id, at) = (Some(object), self.at);
        let local = Local { size, align, constant, ..Local::new(object_id, at, ty) };
        let index = self.push_local(local);
        self.homes.insert(object, Home::Memory(index));
        index
    }

    fn push_local(&mut self, mut local: Local) -> u32 {
        self.memory.learn_padding(self.program, self.layouts, local.ty);
        let index = self.code.locals.len() as u32;
        if let Some(block) = self.blocks.last_mut() {
            block.locals.push(index);
            local.block = block.id;
        }
        self.code.locals.push(local);
        index
    }

    /// Copies an aggregate as a whole: its padding need not come along, C11 6.2.6.1p6.
    fn copy_object(&mut self, to: Reg, from: Reg, ty: TypeId) {
        let size = self.size_of(ty).unwrap_or(0) as u32;
        self.emit(Op::CopyBytes { to, from, size });
        let padding = self.memory.learn_padding(self.program, self.layouts, ty);
        if padding != 0 {
            self.emit(Op::BlurPadding { pointer: to, padding });
        }
    }

    /// A place in memory for a value that has no name.
    fn temporary_memory(&mut self, expr: ExprId, ty: TypeId) -> u32 {
        let size = self.layouts.size_of(self.program, ty).unwrap_or(0);
        let align = self.layouts.align_of(self.program, ty).unwrap_or(1);
        self.push_local(Local { size, align, ..Local::new(None, At::Expr(expr), ty) })
    }

    /// From here on a restricted pointer is watched. That it is in a register means
    /// that its address is not taken, so that it is read by its name alone.
    fn begin_restricted(&mut self, object: ObjectId, reg: Reg) {
        let ty = self.program[object].ty;
        if !ty.qualifiers().contains(Qualifiers::RESTRICT) {
            return;
        }
        let local = self.push_local(Local::new(Some(object), self.at, ty));
        self.restricted.insert(reg, local);
        // The block of the parameters is that of the body, C11 6.7.3.1p2.
        let block = self.blocks.last().map_or(1, |block| block.id.max(1));
        self.emit(Op::Enter { local });
        self.emit(Op::RestrictBegin { local, src: reg, block });
    }

    /// The marker of the restricted pointer in this register.
    fn restrict_marker(&self, reg: Reg, ty: TypeId) -> Option<u32> {
        if !ty.qualifiers().contains(Qualifiers::RESTRICT) {
            return None;
        }
        self.restricted.get(&reg).copied()
    }

    /// A local in a register was assigned a value.
    fn assigned_restricted(&mut self, src: Reg, ty: TypeId) {
        if let Some(local) = self.restrict_marker(src, ty) {
            self.emit(Op::RestrictAssign { src, local });
        }
    }

    fn open_block(&mut self) {
        let id = self.next_block;
        self.next_block += 1;
        self.blocks.push(Block { id, locals: Vec::new(), registers: Vec::new() });
    }

    /// A register for a local of the innermost block.
    fn local_register(&mut self, object: ObjectId) -> Reg {
        let reg = self.temporary();
        self.assured.remove(reg);
        self.homes.insert(object, Home::Register(reg));
        self.name_register(reg, object);
        if let Some(block) = self.blocks.last_mut() {
            block.registers.push((reg, object));
        }
        reg
    }

    fn name_register(&mut self, reg: Reg, object: ObjectId) {
        if self.collecting {
            self.code.named.push((reg, object));
        }
    }

    fn emit(&mut self, op: Op) -> Position {
        if self.exactness {
            return self.emit_watched(op);
        }
        self.push(op)
    }

    fn push(&mut self, op: Op) -> Position {
        self.code.ops.push(op);
        self.code.at.push(self.at);
        self.code.ops.len() as Position - 1
    }

    fn here(&self) -> Position {
        self.code.ops.len() as Position
    }

    fn temporary(&mut self) -> Reg {
        let reg = self.next;
        self.next += 1;
        self.code.registers = self.code.registers.max(self.next);
        reg
    }

    fn finish(mut self) -> Code {
        self.resolve_gotos();
        self.code
    }

    /// The program does something undefined if it comes here.
    fn undefined(&mut self, kind: UbKind, message: impl Into<String>) {
        self.code.features.push(message.into());
        let message = self.code.features.len() as u32 - 1;
        self.emit(Op::Undefined { kind, message });
    }

    /// What the program does from here on is a choice of the implementation.
    fn unspecified(&mut self, cause: Cause, message: impl Into<String>) {
        self.code.features.push(message.into());
        let message = self.code.features.len() as u32 - 1;
        self.emit(Op::Unspecified { cause, message });
    }

    fn unsupported(&mut self, feature: impl Into<String>) -> Reg {
        self.code.features.push(feature.into());
        let feature = self.code.features.len() as u32 - 1;
        self.emit(Op::Unsupported { feature });
        self.temporary()
    }

    /// Reserves registers for the lengths of the variable arrays of a function.
    fn find_all_lengths(&mut self, function: FunctionId, body: StmtId) {
        let mut stmts = vec![body];
        let mut exprs = Vec::new();
        let mut types = FxHashSet::default();
        for &parameter in &self.program[function].parameters {
            self.find_lengths(self.program[parameter].ty, &mut types, &mut exprs);
        }
        while let Some(stmt) = stmts.pop() {
            let node = &self.program[stmt];
            node.for_each_child(|child| stmts.push(child));
            node.for_each_expr(|expr| exprs.push(expr));
            match node {
                Stmt::Declare(object) => {
                    self.find_lengths(self.program[*object].ty, &mut types, &mut exprs);
                    exprs.extend(self.program[*object].init);
                }
                // Also where a size is that is only known then.
                Stmt::Label(..) => self.jumps = true,
                Stmt::Asm(asm) => {
                    let asm = &self.program[*asm];
                    let operands = asm.outputs.iter().chain(&asm.inputs);
                    exprs.extend(operands.map(|operand| operand.value));
                }
                _ => {}
            }
            while let Some(expr) = exprs.pop() {
                self.find_lengths(self.program.type_of(expr), &mut types, &mut exprs);
                let kind = &self.program[expr].kind;
                if let ExprKind::SizeofType(ty) | ExprKind::AlignofType(_, ty) = kind {
                    self.find_lengths(*ty, &mut types, &mut exprs);
                }
                kind.for_each_operand(|operand| exprs.push(operand));
                if let ExprKind::StatementExpr(block) = kind {
                    stmts.push(*block);
                }
            }
        }
    }

    /// Reserves registers for the lengths in a type, which are expressions of the function.
    fn find_lengths(&mut self, ty: TypeId, types: &mut FxHashSet<TypeId>, exprs: &mut Vec<ExprId>) {
        if !types.insert(ty) {
            return;
        }
        for length in variable::lengths_of(self.program, ty) {
            if !self.lengths.contains_key(&length) && !self.functions.surroundings.computes(length)
            {
                let reg = self.temporary();
                self.lengths.insert(length, reg);
                exprs.push(length);
            }
        }
    }

    fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.scalars[ty.index()]
    }

    fn size_of(&mut self, ty: TypeId) -> Option<u64> {
        match self.layouts.size_of(self.program, ty) {
            Ok(size) => Some(size),
            // GNU C: void and functions count as one byte.
            Err(
                farrier_lang::layout::NoLayout::Void | farrier_lang::layout::NoLayout::Function,
            ) => Some(1),
            Err(_) => None,
        }
    }
}

/// Whether `main` has the parameters that C11 5.1.2.2.1p1 names; a third is the environment.
fn has_known_form(program: &Program, main: FunctionId) -> bool {
    let mut types = program[main].parameters.iter().map(|object| program[*object].ty);
    let is_count =
        |ty: TypeId| farrier_lang::build::compatible(program, ty.unqualified(), Types::INT);
    let is_strings = |ty: TypeId| {
        let characters = program.pointee(ty).and_then(|string| program.pointee(string));
        characters.is_some_and(|ty| ty.unqualified() == Types::CHAR)
    };
    match types.len() {
        0 => true,
        2 | 3 => types.next().is_some_and(is_count) && types.all(is_strings),
        _ => false,
    }
}

/// The name of an object, for messages.
pub(crate) fn object_name(program: &Program, object: ObjectId) -> String {
    match program[object].name {
        Some(name) => program.text(name).to_owned(),
        None => format!("parameter {}", object.index()),
    }
}
