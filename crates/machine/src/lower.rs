//! Programs to operations.

mod assembly;
mod assignments;
mod assured;
mod bit_fields;
pub(crate) mod calls;
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
mod subobjects;
mod unions;
mod units;
mod variable;

use std::cell::Cell;

use farrier_lang::layout::Layouts;
use farrier_lang::{
    ExprId, FunctionId, Id, LabelId, ObjectId, Program, Qualifiers, RecordId, StmtId, Type, TypeId,
    Types,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::assured::Assured;
pub(crate) use self::calls::unknown_function;
use self::units::is_reserved;
pub(crate) use self::units::{Lowered, Statics, is_constant, lower, lower_all};
use crate::code::{Code, Local, Op, Position, Reg};
use crate::kinds::{Cause, UbKind};
use crate::memory::Memory;
use crate::value::Scalar;
use crate::verdict::{At, Checked};
use crate::watch::{self, Chosen, Watch};

/// Where a local is.
#[derive(Clone, Copy, Debug)]
enum Home {
    Register(Reg),
    Memory(u32),
}

/// Where the locals of one function are.
#[derive(Debug, Default)]
pub(crate) struct Homes {
    /// By object.
    places: Vec<Option<Home>>,
    /// Those that have one.
    given: Vec<ObjectId>,
}

impl Homes {
    fn get(&self, object: &ObjectId) -> Option<&Home> {
        self.places.get(object.index())?.as_ref()
    }

    fn insert(&mut self, object: ObjectId, home: Home) {
        if self.places.len() <= object.index() {
            self.places.resize(object.index() + 1, None);
        }
        self.places[object.index()] = Some(home);
        self.given.push(object);
    }

    /// Forgets all of them.
    fn clear(&mut self) {
        for object in self.given.drain(..) {
            self.places[object.index()] = None;
        }
    }
}

/// The state of lowering one function.
pub(crate) struct Lowerer<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layouts: &'a mut Layouts,
    pub(crate) memory: &'a mut Memory,
    /// The slots of objects that live as long as the program.
    statics: &'a Statics,
    literals: &'a mut FxHashMap<ExprId, u32>,
    functions: &'a mut Functions,
    /// The function that is lowered.
    function: Option<FunctionId>,
    code: Code,
    next: Reg,
    homes: Homes,
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
    /// The statements at which objects are seen.
    points: &'a Chosen<StmtId>,
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
    /// An array that decays to be indexed at once, so that its bound is checked there.
    indexed: Option<ExprId>,
    /// The records that the target of the assignment is in.
    stores: unions::Stores,
    /// What is promised of the result.
    results: Vec<crate::code::Promise>,
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

impl<'a> Lowerer<'a> {
    fn new(
        program: &'a Program,
        layouts: &'a mut Layouts,
        memory: &'a mut Memory,
        statics: &'a Statics,
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
            homes: Homes::default(),
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
            points: &Chosen::None,
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
            indexed: None,
            stores: unions::Stores::default(),
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
        self.check_passed_lengths(&function.parameters, body);
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
        self.code.allowed.resize_with(self.code.accesses.len(), Cell::default);
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
        self.code.allowed.resize_with(self.code.accesses.len(), Cell::default);
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

/// The name of an object, for messages.
pub(crate) fn object_name(program: &Program, object: ObjectId) -> String {
    match program[object].name {
        Some(name) => program.text(name).to_owned(),
        None => format!("parameter {}", object.index()),
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
