//! The interpreter: runs operations until the program ends or must stop.

use farrier_lang::layout::Layouts;
use farrier_lang::{BinaryOp, FunctionId, Id, ObjectId, Program, Type, TypeId, UnaryOp};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::aliasing::Aliasing;
use crate::arithmetic;
use crate::code::{Access, CallResult, Callee, Code, Element, Op, Position, Reg};
use crate::kinds::{Cause, UbKind};
use crate::lower::{self, Image, object_name};
use crate::memory::{Location, Memory, Origin};
use crate::value::{Scalar, Value, wrap};
use crate::verdict::{
    At, Behavior, Call, Ending, Limit, Run, Step, Stop, Ub, Unspecified, Unsupported, Verdict,
    undefined, unspecified, unsupported,
};

/// A local in memory that is not alive.
const DEAD: u32 = u32::MAX;

/// One active call.
#[derive(Debug)]
struct Frame {
    function: Option<FunctionId>,
    position: Position,
    /// Its first register.
    base: usize,
    /// Its first local in memory.
    locals: usize,
    /// The arguments that have no parameter, with their types.
    extra: Vec<(Value, TypeId)>,
    /// A number of its own, by which a `va_list` knows its frame.
    serial: u64,
}

/// A run of a program.
pub(crate) struct Machine<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layouts: Layouts,
    pub(crate) memory: Memory,
    image: Image,
    options: &'a Options,
    registers: Vec<Value>,
    frames: Vec<Frame>,
    /// The slots of locals in memory of all active calls.
    locals: Vec<u32>,
    /// Dead slots to be used again, by object; and by size for temporaries.
    pools: FxHashMap<ObjectId, Vec<u32>>,
    size_pools: FxHashMap<(u64, u32), Vec<u32>>,
    aliasing: Aliasing,
    pub(crate) output: Vec<u8>,
    pub(crate) heap_limit: u64,
    volatile_accesses: u64,
    volatile_hash: u64,
    serial: u64,
    /// The state of each `va_list`, by place: its frame and its next argument.
    lists: FxHashMap<(u32, u64), (u64, u64)>,
    steps: u64,
}

/// Runs a program from `main`.
pub(crate) fn run(program: &Program, options: &Options) -> Run {
    let mut layouts = Layouts::default();
    let mut memory = Memory::new(program.target.pointer.size, options.memory);
    let image = match lower::lower(program, &mut layouts, &mut memory) {
        Ok(image) => image,
        Err(stop) => {
            let verdict = verdict_of(*stop, At::Nowhere, Vec::new(), Vec::new());
            return Run { output: Vec::new(), verdict };
        }
    };
    let mut machine = Machine {
        program,
        layouts,
        memory,
        image,
        options,
        registers: Vec::new(),
        frames: Vec::new(),
        locals: Vec::new(),
        pools: FxHashMap::default(),
        size_pools: FxHashMap::default(),
        aliasing: Aliasing::default(),
        output: Vec::new(),
        heap_limit: options.memory,
        volatile_accesses: 0,
        volatile_hash: 0xcbf2_9ce4_8422_2325,
        serial: 0,
        lists: FxHashMap::default(),
        steps: 0,
    };
    let stop = match machine.run_all() {
        Ok(ending) => return machine.defined(ending),
        Err(stop) => stop,
    };
    if let Stop::End(ending) = *stop {
        return machine.defined(ending);
    }
    let at = machine.at();
    let stack = machine.stack();
    let related = machine.related();
    let verdict = verdict_of(*stop, at, stack, related);
    Run { output: machine.output, verdict }
}

fn verdict_of(stop: Stop, at: At, stack: Vec<Call>, related: Vec<(At, String)>) -> Verdict {
    match stop {
        Stop::Undefined(kind, message) => {
            Verdict::Undefined(Ub { kind, at, message, stack, related })
        }
        Stop::Unspecified(cause, message) => {
            Verdict::Unspecified(Unspecified { cause, at, message })
        }
        Stop::Unsupported(feature) => Verdict::Unsupported(Unsupported { feature, at }),
        Stop::Exhausted(limit) => Verdict::Exhausted(limit),
        Stop::End(_) => unreachable!("the end of a program is no stop"),
    }
}

impl<'a> Machine<'a> {
    fn defined(self, ending: Ending) -> Run {
        let verdict = Verdict::Defined(Behavior {
            output: self.output.clone(),
            ending,
            volatile_accesses: self.volatile_accesses,
            volatile_hash: self.volatile_hash,
            steps: self.steps,
        });
        Run { output: self.output, verdict }
    }

    fn code(&self, function: Option<FunctionId>) -> &Code {
        match function {
            Some(id) => &self.image.codes[id.index()],
            None => &self.image.start,
        }
    }

    fn at(&self) -> At {
        let Some(frame) = self.frames.last() else { return At::Nowhere };
        let code = self.code(frame.function);
        code.at.get(frame.position as usize).copied().unwrap_or(At::Nowhere)
    }

    fn stack(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        for index in (0..self.frames.len()).rev() {
            let Some(function) = self.frames[index].function else { continue };
            let from = match index.checked_sub(1).map(|caller| &self.frames[caller]) {
                Some(caller) if caller.function.is_some() => {
                    self.code(caller.function).at[caller.position as usize]
                }
                _ => At::Nowhere,
            };
            calls.push(Call { function, from });
            if calls.len() == 50 {
                break;
            }
        }
        calls
    }

    /// Other places that explain a stop: the object that the operation was about.
    fn related(&self) -> Vec<(At, String)> {
        let Some(frame) = self.frames.last() else { return Vec::new() };
        let code = self.code(frame.function);
        let pointer = match code.ops.get(frame.position as usize) {
            Some(
                Op::Load { pointer, .. }
                | Op::Store { pointer, .. }
                | Op::LoadBits { pointer, .. }
                | Op::StoreBits { pointer, .. }
                | Op::Element { pointer, .. }
                | Op::Member { pointer, .. },
            ) => self.registers[frame.base + *pointer as usize],
            _ => return Vec::new(),
        };
        let Some((slot, alive)) = self.memory.slot_of(pointer.high) else { return Vec::new() };
        let slot = &self.memory.slots[slot as usize];
        let verb = if alive { "is" } else { "was" };
        match slot.origin {
            Origin::Object(object) => {
                let name = object_name(self.program, object);
                let ty = farrier_lang::print::type_text(self.program, self.program[object].ty);
                vec![(At::Nowhere, format!("the object {verb} `{name}` of type `{ty}`"))]
            }
            Origin::String(expr) => {
                vec![(At::Expr(expr), format!("the object {verb} this string"))]
            }
            Origin::Temporary(expr) => {
                vec![(At::Expr(expr), format!("the object {verb} this temporary"))]
            }
            Origin::Heap => {
                vec![(At::Nowhere, format!("the object {verb} {} bytes from malloc", slot.size))]
            }
            Origin::Function(_) => Vec::new(),
        }
    }

    fn run_all(&mut self) -> Step<Ending> {
        self.push_frame(None, 0, &[], 0)?;
        self.execute()?;
        for slot in std::mem::take(&mut self.image.constants) {
            self.memory.slots[slot as usize].constant = true;
        }
        let Some(main) = self.main() else {
            return unsupported("a program without `main`");
        };
        let parameters = self.image.codes[main.index()].parameters;
        // argc and argv: no arguments, and an array of one null pointer.
        let arguments = match parameters {
            0 => vec![],
            _ => {
                let size = self.program.target.pointer.size;
                let slot = self.memory.allocate(Origin::Heap, u64::from(size) * 2, size, None)?;
                self.memory.fill(Location { slot, offset: 0 }, u64::from(size) * 2, 0);
                let argv = self.memory.pointer_to(slot);
                let mut all = vec![Value::int(0), argv, argv];
                all.truncate(parameters as usize);
                all
            }
        };
        self.registers.clear();
        self.registers.resize(arguments.len().max(1), Value::default());
        self.registers[..arguments.len()].copy_from_slice(&arguments);
        let base = 0;
        self.push_frame(Some(main), base, &[], arguments.len())?;
        let status = self.execute()?;
        let status = match status {
            Some(value) => value.low as i32,
            None => 0,
        };
        Ok(Ending::Exit(status))
    }

    fn main(&self) -> Option<FunctionId> {
        let name = self.program.names.find("main")?;
        let mut functions = self.program.functions.iter();
        functions.find(|(_, f)| f.name == name && f.body.is_some()).map(|(id, _)| id)
    }

    fn push_frame(
        &mut self,
        function: Option<FunctionId>,
        base: usize,
        extra: &[(Value, TypeId)],
        _arguments: usize,
    ) -> Step {
        if self.frames.len() >= self.options.depth {
            return Err(Box::new(Stop::Exhausted(Limit::Depth(self.options.depth))));
        }
        let code = self.code(function);
        let (registers, locals) = (code.registers as usize, code.locals.len());
        if self.registers.len() < base + registers {
            self.registers.resize((base + registers).next_power_of_two(), Value::default());
        }
        self.serial += 1;
        self.frames.push(Frame {
            function,
            position: 0,
            base,
            locals: self.locals.len(),
            extra: extra.to_vec(),
            serial: self.serial,
        });
        self.locals.resize(self.locals.len() + locals, DEAD);
        Ok(())
    }

    /// Ends the innermost call: its locals die.
    fn pop_frame(&mut self) -> Frame {
        let frame = self.frames.pop().expect("a frame is active");
        for index in frame.locals..self.locals.len() {
            let slot = self.locals[index];
            if slot != DEAD {
                self.retire(frame.function, (index - frame.locals) as u32, slot);
            }
        }
        self.locals.truncate(frame.locals);
        frame
    }

    fn retire(&mut self, function: Option<FunctionId>, local: u32, slot: u32) {
        self.memory.kill(slot);
        let local = &self.code(function).locals[local as usize];
        match local.object {
            Some(object) => self.pools.entry(object).or_default().push(slot),
            None => {
                let key = (local.size, local.align);
                self.size_pools.entry(key).or_default().push(slot);
            }
        }
    }

    fn enter(&mut self, function: Option<FunctionId>, base: usize, local: u32) -> Step {
        let index = base + local as usize;
        if self.locals[index] != DEAD {
            let slot = self.locals[index];
            self.retire(function, local, slot);
        }
        let local = self.code(function).locals[local as usize];
        let pool = match local.object {
            Some(object) => self.pools.get_mut(&object),
            None => self.size_pools.get_mut(&(local.size, local.align)),
        };
        let slot = match pool.and_then(Vec::pop) {
            Some(slot) => {
                self.memory.revive(slot);
                self.memory.slots[slot as usize].declared = Some(local.ty);
                slot
            }
            None => {
                let origin = match (local.object, local.at) {
                    (Some(object), _) => Origin::Object(object),
                    (None, At::Expr(expr)) => Origin::Temporary(expr),
                    (None, _) => Origin::Heap,
                };
                self.memory.allocate(origin, local.size, local.align, Some(local.ty))?
            }
        };
        self.memory.slots[slot as usize].constant = false;
        self.locals[index] = slot;
        Ok(())
    }

    fn leave(&mut self, function: Option<FunctionId>, base: usize, local: u32) {
        let index = base + local as usize;
        let slot = std::mem::replace(&mut self.locals[index], DEAD);
        if slot != DEAD {
            self.retire(function, local, slot);
        }
    }

    /// Runs until the frame that is innermost now returns; its value, if it has one.
    fn execute(&mut self) -> Step<Option<Value>> {
        let bottom = self.frames.len();
        let mut budget = self.options.steps.saturating_sub(self.steps);
        let start_budget = budget;
        let result = self.execute_inner(bottom, &mut budget);
        self.steps += start_budget - budget;
        result
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn execute_inner(&mut self, bottom: usize, budget: &mut u64) -> Step<Option<Value>> {
        'frames: loop {
            let frame = self.frames.last().expect("a frame is active");
            let (function, base, locals) = (frame.function, frame.base, frame.locals);
            let mut position = frame.position;
            macro_rules! reg {
                ($reg:expr) => {
                    self.registers[base + $reg as usize]
                };
            }
            // Leaves the position of the operation in the frame, for messages.
            macro_rules! check {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(stop) => {
                            self.frames.last_mut().expect("a frame is active").position = position;
                            return Err(stop);
                        }
                    }
                };
            }
            loop {
                if *budget == 0 {
                    return Err(Box::new(Stop::Exhausted(Limit::Steps(self.options.steps))));
                }
                *budget -= 1;
                let op = match function {
                    Some(id) => self.image.codes[id.index()].ops[position as usize],
                    None => self.image.start.ops[position as usize],
                };
                match op {
                    Op::Constant { dst, low } => reg!(dst) = Value { low, high: 0 },
                    Op::WideConstant { dst, index } => {
                        reg!(dst) = Value::wide(self.code(function).wide[index as usize]);
                    }
                    Op::Copy { dst, src } => reg!(dst) = reg!(src),
                    Op::Forget { dst } => reg!(dst) = Value::UNINITIALISED,
                    Op::CheckInitialised { src } => {
                        if reg!(src) == Value::UNINITIALISED {
                            check!(undefined::<()>(
                                UbKind::Uninitialised,
                                "this object has no value yet"
                            ));
                        }
                    }
                    Op::Negate { ty, dst, src } => {
                        reg!(dst) = check!(arithmetic::unary(UnaryOp::Minus, ty, reg!(src)));
                    }
                    Op::Complement { ty, dst, src } => {
                        reg!(dst) = check!(arithmetic::unary(UnaryOp::BitNot, ty, reg!(src)));
                    }
                    Op::Not { ty, dst, src } => {
                        let truth = check!(arithmetic::is_nonzero(ty, reg!(src)));
                        reg!(dst) = Value { low: u64::from(!truth), high: 0 };
                    }
                    Op::Binary { op, ty, dst, left, right } => {
                        reg!(dst) = check!(arithmetic::binary(op, ty, reg!(left), reg!(right)));
                    }
                    Op::Shift { op, ty, dst, left, right } => {
                        reg!(dst) = check!(arithmetic::shift(op, ty, reg!(left), reg!(right)));
                    }
                    Op::Convert { from, to, dst, src } => {
                        reg!(dst) = check!(arithmetic::convert(from, to, reg!(src)));
                    }
                    Op::Jump { to } => {
                        position = to;
                        continue;
                    }
                    Op::JumpIfZero { ty, src, to } => {
                        if !check!(arithmetic::is_nonzero(ty, reg!(src))) {
                            position = to;
                            continue;
                        }
                    }
                    Op::JumpIfNotZero { ty, src, to } => {
                        if check!(arithmetic::is_nonzero(ty, reg!(src))) {
                            position = to;
                            continue;
                        }
                    }
                    Op::Switch { src, table } => {
                        position = check!(self.switch(function, table, reg!(src)));
                        continue;
                    }
                    Op::JumpToLabel { src, table } => {
                        position = check!(self.jump_to_label(function, table, reg!(src)));
                        continue;
                    }
                    Op::LabelAddress { dst, label } => {
                        reg!(dst) = Value { low: u64::from(label) + 1, high: LABEL };
                    }
                    Op::StaticAddress { dst, slot, offset } => {
                        let mut pointer = self.memory.pointer_to(slot);
                        pointer.low += u64::from(offset);
                        reg!(dst) = pointer;
                    }
                    Op::LocalAddress { dst, local, offset } => {
                        let slot = self.locals[locals + local as usize];
                        let mut pointer = self.memory.pointer_to(slot);
                        pointer.low += u64::from(offset);
                        reg!(dst) = pointer;
                    }
                    Op::LoadStatic { ty, dst, slot, offset } => {
                        let at = Location { slot, offset: u64::from(offset) };
                        reg!(dst) = check!(self.load_scalar(at, ty));
                    }
                    Op::StoreStatic { ty, src, slot, offset } => {
                        let at = Location { slot, offset: u64::from(offset) };
                        self.store_scalar(at, ty, reg!(src));
                    }
                    Op::LoadLocal { ty, dst, local, offset } => {
                        let slot = self.locals[locals + local as usize];
                        let at = Location { slot, offset: u64::from(offset) };
                        reg!(dst) = check!(self.load_scalar(at, ty));
                    }
                    Op::StoreLocal { ty, src, local, offset } => {
                        let slot = self.locals[locals + local as usize];
                        let at = Location { slot, offset: u64::from(offset) };
                        self.store_scalar(at, ty, reg!(src));
                    }
                    Op::Load { ty, dst, pointer, access } => {
                        let access = self.code(function).accesses[access as usize];
                        let at = check!(self.locate(reg!(pointer), ty, access));
                        reg!(dst) = check!(self.load_scalar(at, ty));
                    }
                    Op::Store { ty, src, pointer, access } => {
                        let access = self.code(function).accesses[access as usize];
                        let at = check!(self.locate(reg!(pointer), ty, access));
                        check!(self.check_writable(at));
                        self.store_scalar(at, ty, reg!(src));
                    }
                    Op::LoadBits { dst, pointer, field } => {
                        reg!(dst) = check!(self.load_bits(function, field, reg!(pointer)));
                    }
                    Op::StoreBits { src, pointer, field } => {
                        check!(self.store_bits(function, field, reg!(pointer), reg!(src)));
                    }
                    Op::CutBits { dst, src, field } => {
                        let field = self.code(function).fields[field as usize];
                        let low = if field.width > 64 {
                            reg!(src)
                        } else {
                            let low = wrap(reg!(src).low, field.signed, field.width as u8);
                            Value { low, high: 0 }
                        };
                        reg!(dst) = low;
                    }
                    Op::Member { dst, pointer, offset } => {
                        let value = reg!(pointer);
                        reg!(dst) = if value.high == 0 && value.low == 0 {
                            check!(undefined(
                                UbKind::NullDereference,
                                "a member of what a null pointer points to"
                            ))
                        } else {
                            check!(self.memory.offset(value, i64::from(offset)))
                        };
                    }
                    Op::Element { dst, pointer, index, element } => {
                        let element = self.code(function).elements[element as usize];
                        reg!(dst) = check!(self.element(reg!(pointer), reg!(index), element));
                    }
                    Op::Difference { dst, left, right, element } => {
                        let size = self.code(function).elements[element as usize].size;
                        reg!(dst) = check!(self.difference(reg!(left), reg!(right), size));
                    }
                    Op::ComparePointers { op, dst, left, right } => {
                        reg!(dst) = check!(self.compare_pointers(op, reg!(left), reg!(right)));
                    }
                    Op::CopyBytes { to, from, size } => {
                        check!(self.copy_bytes(reg!(to), reg!(from), u64::from(size)));
                    }
                    Op::Zero { pointer, size } => {
                        let at = check!(self.memory.locate(reg!(pointer), u64::from(size), 1));
                        self.memory.fill(at, u64::from(size), 0);
                    }
                    Op::Enter { local } => check!(self.enter(function, locals, local)),
                    Op::Leave { local } => self.leave(function, locals, local),
                    Op::Freeze { local } => {
                        let slot = self.locals[locals + local as usize];
                        self.memory.slots[slot as usize].constant = true;
                    }
                    Op::ForgetMemory { local } => {
                        let slot = self.locals[locals + local as usize];
                        if slot != DEAD {
                            self.memory.forget(slot);
                        }
                    }
                    Op::Call { site, args } => {
                        let callee = match self.code(function).sites[site as usize].callee {
                            Callee::Function(id) => id,
                            _ => unreachable!("a direct call has a function"),
                        };
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.call(function, callee, site, base, args)?;
                        continue 'frames;
                    }
                    Op::CallPointer { site, args, pointer } => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        let callee = self.callee(reg!(pointer))?;
                        if self.image.codes[callee.index()].ops.is_empty() {
                            self.call_library_pointer(function, callee, site, base, args)?;
                            position += 1;
                            continue;
                        }
                        self.call(function, callee, site, base, args)?;
                        continue 'frames;
                    }
                    Op::CallLibrary { site, args } => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.call_library(function, site, base, locals, args)?;
                    }
                    Op::Return { src } => {
                        let value = reg!(src);
                        self.frames.last_mut().expect("a frame is active").position = position;
                        if self.frames.len() == bottom {
                            self.pop_frame();
                            return Ok(Some(value));
                        }
                        self.finish_call(value, true)?;
                        continue 'frames;
                    }
                    Op::ReturnNothing | Op::ReturnMissing => {
                        self.frames.last_mut().expect("a frame is active").position = position;
                        self.check_noreturn(function)?;
                        if self.frames.len() == bottom {
                            self.pop_frame();
                            return Ok(None);
                        }
                        self.finish_call(Value::default(), false)?;
                        continue 'frames;
                    }
                    Op::VaStart { list } => {
                        let frame = self.frames.last().expect("a frame is active");
                        let serial = frame.serial;
                        check!(self.store_list(reg!(list), serial, 0));
                    }
                    Op::VaArg { dst, list, access } => {
                        let access = self.code(function).accesses[access as usize];
                        reg!(dst) = check!(self.va_arg(reg!(list), access.ty));
                    }
                    Op::VaCopy { to, from } => {
                        let (serial, index) = check!(self.load_list(reg!(from)));
                        check!(self.store_list(reg!(to), serial, index));
                    }
                    Op::TraceVolatile { pointer, value, write } => {
                        let (pointer, value) = (reg!(pointer), reg!(value));
                        self.trace(pointer, value, write);
                    }
                    Op::Unsupported { feature } => {
                        let feature = self.code(function).features[feature as usize].clone();
                        check!(unsupported::<()>(feature));
                    }
                }
                position += 1;
            }
        }
    }

    fn load_scalar(&self, at: Location, ty: Scalar) -> Step<Value> {
        let (bits, provenance) = self.memory.read(at, ty.value_bytes(self.program))?;
        Ok(match ty {
            Scalar::Int { signed, bits: width } => {
                Value { low: wrap(bits as u64, signed, width), high: provenance }
            }
            Scalar::Bool => {
                if bits > 1 {
                    return undefined(UbKind::InvalidBool, format!("this _Bool holds {bits}"));
                }
                Value { low: bits as u64, high: 0 }
            }
            Scalar::Pointer => Value { low: bits as u64, high: provenance },
            _ if provenance != 0 => {
                return unspecified(Cause::Address, "the bytes of a pointer are read as a number");
            }
            _ => Value::wide(bits),
        })
    }

    fn store_scalar(&mut self, at: Location, ty: Scalar, value: Value) {
        let size = ty.value_bytes(self.program);
        match ty {
            Scalar::Int { .. } | Scalar::Pointer => {
                self.memory.write(at, size, u128::from(value.low), value.high);
            }
            _ => self.memory.write(at, size, value.bits(), 0),
        }
    }

    /// Checks an access through a pointer: bounds, lifetime, alignment, type.
    fn locate(&mut self, pointer: Value, ty: Scalar, access: Access) -> Step<Location> {
        let size = u64::from(ty.size(self.program));
        let at = self.memory.locate(pointer, size, access.align)?;
        if self.options.strict_aliasing {
            self.check_type(at, access.ty)?;
        }
        Ok(at)
    }

    fn check_type(&mut self, at: Location, access: TypeId) -> Step {
        let slot = &self.memory.slots[at.slot as usize];
        let Some(declared) = slot.declared else { return Ok(()) };
        if self.aliasing.allows(self.program, &mut self.layouts, declared, at.offset, access) {
            return Ok(());
        }
        undefined(
            UbKind::EffectiveType,
            format!(
                "an object of type `{}` is accessed at offset {} as `{}`",
                farrier_lang::print::type_text(self.program, declared),
                at.offset,
                farrier_lang::print::type_text(self.program, access)
            ),
        )
    }

    pub(crate) fn check_writable(&self, at: Location) -> Step {
        let slot = &self.memory.slots[at.slot as usize];
        match slot.origin {
            Origin::String(_) => undefined(UbKind::WriteToString, "a string literal is modified"),
            _ if slot.constant => undefined(UbKind::WriteToConst, "a const object is modified"),
            _ => Ok(()),
        }
    }

    fn load_bits(
        &mut self,
        function: Option<FunctionId>,
        field: u32,
        pointer: Value,
    ) -> Step<Value> {
        let field = self.code(function).fields[field as usize];
        let bytes = (field.offset + field.width).div_ceil(8);
        let at = self.memory.locate(pointer, u64::from(bytes), 1)?;
        let (bits, provenance) = self.memory.read(at, bytes)?;
        if provenance != 0 {
            return unspecified(Cause::Address, "the bytes of a pointer are read as a bit-field");
        }
        let value = bits >> field.offset;
        if field.width > 64 {
            return unsupported("bit-fields wider than 64 bits");
        }
        Ok(Value { low: wrap(value as u64, field.signed, field.width as u8), high: 0 })
    }

    fn store_bits(
        &mut self,
        function: Option<FunctionId>,
        field: u32,
        pointer: Value,
        value: Value,
    ) -> Step {
        let field = self.code(function).fields[field as usize];
        let bytes = (field.offset + field.width).div_ceil(8);
        let at = self.memory.locate(pointer, u64::from(bytes), 1)?;
        self.check_writable(at)?;
        if field.width > 64 {
            return unsupported("bit-fields wider than 64 bits");
        }
        let _ = field.boolean;
        // Neighbours in the same bytes keep their bits. Bits that never had a value
        // become zero: that direction misses reads of bit-fields without a value.
        let old = if self.memory.is_missing(at, u64::from(bytes)) {
            let mut old = 0;
            for index in 0..bytes {
                let byte = Location { slot: at.slot, offset: at.offset + u64::from(index) };
                if !self.memory.is_missing(byte, 1) {
                    old |= self.memory.read(byte, 1)?.0 << (8 * index);
                }
            }
            old
        } else {
            self.memory.read(at, bytes)?.0
        };
        let mask = ((1_u128 << field.width) - 1) << field.offset;
        let new = old & !mask | u128::from(value.low) << field.offset & mask;
        self.memory.write(at, bytes, new, 0);
        Ok(())
    }

    fn element(&self, pointer: Value, index: Value, element: Element) -> Step<Value> {
        if index.high != 0 {
            return unspecified(Cause::Address, "an index that depends on an address");
        }
        let too_large = |index: String| {
            undefined(
                UbKind::PointerArithmetic,
                format!("an index of {index} is beyond every object"),
            )
        };
        if !element.signed && index.low > i64::MAX as u64 {
            return too_large(index.low.to_string());
        }
        let steps = index.low as i64;
        if let Some(bound) = element.bound {
            let fits =
                steps >= 0 && (steps as u64) < bound.saturating_add(u64::from(!element.accessed));
            if !fits {
                return undefined(
                    if element.accessed { UbKind::OutOfBounds } else { UbKind::PointerArithmetic },
                    format!("index {steps} of an array of {bound}"),
                );
            }
        }
        let steps = if element.negative { steps.checked_neg() } else { Some(steps) };
        let Some(delta) = steps.and_then(|steps| steps.checked_mul(element.size as i64)) else {
            return too_large(index.low.to_string());
        };
        if pointer.high == 0 && pointer.low == 0 && delta == 0 {
            // GNU C and C++ allow null + 0; C does not, but no compiler cares.
            return undefined(UbKind::PointerArithmetic, "arithmetic on a null pointer");
        }
        self.memory.offset(pointer, delta)
    }

    fn difference(&self, left: Value, right: Value, size: u64) -> Step<Value> {
        if left.high != right.high || left.high == 0 {
            if left == right {
                return Ok(Value::int(0));
            }
            return undefined(
                UbKind::PointerSubtraction,
                "these pointers do not point into the same object",
            );
        }
        match self.memory.slot_of(left.high) {
            Some((_, true)) => {}
            _ => {
                return undefined(
                    UbKind::Dangling,
                    "these pointers point to an object that is gone",
                );
            }
        }
        let bytes = left.low.wrapping_sub(right.low) as i64;
        if size == 0 {
            return undefined(UbKind::DivisionByZero, "the elements have no size");
        }
        Ok(Value::int(bytes / size as i64))
    }

    fn compare_pointers(&self, op: BinaryOp, left: Value, right: Value) -> Step<Value> {
        let truth = |value: bool| Ok(Value { low: u64::from(value), high: 0 });
        for pointer in [left, right] {
            if pointer.high != 0
                && pointer.high != LABEL
                && matches!(self.memory.slot_of(pointer.high), Some((_, false)))
            {
                return undefined(
                    UbKind::Dangling,
                    "a pointer to an object that is gone is compared",
                );
            }
        }
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) {
            let equal = left.low == right.low && left.high == right.high;
            if !equal && left.high != right.high {
                self.check_edges(left, right)?;
            }
            return truth(equal == (op == BinaryOp::Equal));
        }
        if left.high != right.high {
            return undefined(
                UbKind::PointerComparison,
                "these pointers do not point into the same object",
            );
        }
        truth(match op {
            BinaryOp::Less => left.low < right.low,
            BinaryOp::Greater => left.low > right.low,
            BinaryOp::LessEqual => left.low <= right.low,
            _ => left.low >= right.low,
        })
    }

    /// A pointer one past the end of an object may or may not equal one to the start
    /// of another, C11 6.5.9p6.
    fn check_edges(&self, left: Value, right: Value) -> Step {
        let edge = |pointer: Value| {
            let (slot, _) = self.memory.slot_of(pointer.high)?;
            let slot = &self.memory.slots[slot as usize];
            if matches!(slot.origin, Origin::Function(_)) {
                return None;
            }
            let offset = pointer.low.wrapping_sub(slot.address);
            Some((offset == 0, offset == slot.size))
        };
        if let (Some((left_start, left_end)), Some((right_start, right_end))) =
            (edge(left), edge(right))
            && (left_end && right_start || right_end && left_start)
        {
            return unspecified(
                Cause::Address,
                "the end of one object is compared with the start of another",
            );
        }
        Ok(())
    }

    fn copy_bytes(&mut self, to: Value, from: Value, size: u64) -> Step {
        if size == 0 {
            return Ok(());
        }
        let source = self.memory.locate(from, size, 1)?;
        let destination = self.memory.locate(to, size, 1)?;
        if source.slot == destination.slot && source.offset != destination.offset {
            let distance = source.offset.abs_diff(destination.offset);
            if distance < size {
                return undefined(
                    UbKind::OverlappingAssignment,
                    format!("the two objects overlap in {} bytes", size - distance),
                );
            }
        }
        self.check_writable(destination)?;
        self.memory.copy(destination, source, size);
        Ok(())
    }

    fn switch(&self, function: Option<FunctionId>, table: u32, value: Value) -> Step<Position> {
        let table = &self.code(function).switches[table as usize];
        if value.high != 0 && !table.wide {
            return unspecified(Cause::Address, "a switch on a value that depends on an address");
        }
        let number = match (table.wide, table.signed) {
            (true, _) => value.bits() as i128,
            (false, true) => i128::from(value.low as i64),
            (false, false) => i128::from(value.low),
        };
        if let Some(position) = table.exact.get(&number) {
            return Ok(*position);
        }
        let range = table.ranges.iter().find(|(low, high, _)| (*low..=*high).contains(&number));
        Ok(range.map_or(table.default, |(_, _, position)| *position))
    }

    fn jump_to_label(
        &self,
        function: Option<FunctionId>,
        table: u32,
        value: Value,
    ) -> Step<Position> {
        let table = &self.code(function).label_tables[table as usize];
        let label = table
            .iter()
            .find(|(label, _)| value.high == LABEL && value.low == u64::from(*label) + 1);
        match label {
            Some((_, position)) => Ok(*position),
            None => undefined(UbKind::ComputedGoto, "this is not a label of the function"),
        }
    }

    /// The function that a pointer points to.
    pub(crate) fn callee(&self, pointer: Value) -> Step<FunctionId> {
        if pointer.low == 0 && pointer.high == 0 {
            return undefined(UbKind::NullDereference, "a null pointer is called");
        }
        match self.memory.slot_of(pointer.high) {
            Some((slot, true)) => match self.memory.slots[slot as usize].origin {
                Origin::Function(id) => Ok(id),
                _ => undefined(UbKind::NotAFunction, "a pointer to an object is called"),
            },
            _ => undefined(UbKind::NotAFunction, "a pointer to nothing is called"),
        }
    }

    /// Begins a call of a function with a body; arguments are in registers from `args` on.
    fn call(
        &mut self,
        caller: Option<FunctionId>,
        callee: FunctionId,
        site: u32,
        base: usize,
        args: Reg,
    ) -> Step {
        let code = match caller {
            Some(id) => &self.image.codes[id.index()],
            None => &self.image.start,
        };
        let window = base + code.registers as usize;
        let site = &code.sites[site as usize];
        let function = &self.program[callee];
        let given = site.arguments.len();
        let parameters = function.parameters.len();
        let Type::Function(own) = self.program.resolve(function.ty) else {
            unreachable!("well-formed: a function has a function type")
        };
        // Calls through the function's own type were checked when they were typed.
        if site.ty != Some(function.ty) {
            check_call(self.program, function, own, site)?;
        }
        let variadic = own.variadic;
        if given < parameters || given > parameters && !variadic {
            return undefined(
                UbKind::CallArguments,
                format!("a function of {parameters} parameters is called with {given} arguments"),
            );
        }
        let mut extra = Vec::new();
        if variadic {
            for index in parameters..given {
                let value = self.registers[base + args as usize + index];
                extra.push((value, site.arguments[index]));
            }
        }
        let needed = window + self.image.codes[callee.index()].registers as usize;
        if self.registers.len() < needed {
            self.registers.resize(needed.next_power_of_two(), Value::default());
        }
        let from = base + args as usize;
        self.registers.copy_within(from..from + parameters, window);
        self.push_frame(Some(callee), window, &extra, parameters)
    }

    /// Returns from the innermost call, which has a caller.
    fn finish_call(&mut self, value: Value, returned: bool) -> Step {
        let callee = self.frames.last().expect("a frame is active").function;
        let caller = &self.frames[self.frames.len() - 2];
        let (function, base, locals, position) =
            (caller.function, caller.base, caller.locals, caller.position);
        let code = self.code(function);
        let (Op::Call { site, .. } | Op::CallPointer { site, .. }) = code.ops[position as usize]
        else {
            unreachable!("the caller is at a call")
        };
        let result = code.sites[site as usize].result;
        match result {
            CallResult::Nowhere => {
                self.pop_frame();
            }
            CallResult::Register(dst) => {
                if !returned {
                    return undefined(
                        UbKind::MissingReturn,
                        format!(
                            "`{}` ended without a value, which is used",
                            callee.map_or("", |id| self.program.text(self.program[id].name))
                        ),
                    );
                }
                self.pop_frame();
                self.registers[base + dst as usize] = value;
            }
            CallResult::Memory { local, dst } => {
                self.enter(function, locals, local)?;
                let slot = self.locals[locals + local as usize];
                let size = self.memory.slots[slot as usize].size;
                if returned && size > 0 {
                    let source = self.memory.locate(value, size, 1)?;
                    self.memory.copy(Location { slot, offset: 0 }, source, size);
                }
                self.pop_frame();
                self.registers[base + dst as usize] = self.memory.pointer_to(slot);
            }
        }
        self.frames.last_mut().expect("the caller").position = position + 1;
        Ok(())
    }

    fn check_noreturn(&self, function: Option<FunctionId>) -> Step {
        match function {
            Some(id) if self.program[id].specifiers.noreturn => undefined(
                UbKind::NoreturnReturns,
                format!("`{}` returns", self.program.text(self.program[id].name)),
            ),
            _ => Ok(()),
        }
    }

    fn call_library(
        &mut self,
        function: Option<FunctionId>,
        site: u32,
        base: usize,
        _locals: usize,
        args: Reg,
    ) -> Step {
        let site = self.code(function).sites[site as usize].clone();
        let Callee::Library(library) = site.callee else {
            unreachable!("a library call has a library function")
        };
        let from = base + args as usize;
        let values: Vec<(Value, TypeId)> = site
            .arguments
            .iter()
            .enumerate()
            .map(|(index, ty)| (self.registers[from + index], *ty))
            .collect();
        let result = self.library(library, &values, site.result_type)?;
        if let CallResult::Register(dst) = site.result {
            self.registers[base + dst as usize] = result;
        }
        Ok(())
    }

    /// A call through a pointer of a function that the machine itself must know.
    fn call_library_pointer(
        &mut self,
        function: Option<FunctionId>,
        callee: FunctionId,
        site: u32,
        base: usize,
        args: Reg,
    ) -> Step {
        let name = self.program.text(self.program[callee].name).to_owned();
        let Some(library) = crate::library::Library::by_name(&name) else {
            return unsupported(format!("the function `{name}`"));
        };
        let site = self.code(function).sites[site as usize].clone();
        let from = base + args as usize;
        let values: Vec<(Value, TypeId)> = site
            .arguments
            .iter()
            .enumerate()
            .map(|(index, ty)| (self.registers[from + index], *ty))
            .collect();
        let result = self.library(library, &values, site.result_type)?;
        if let CallResult::Register(dst) = site.result {
            self.registers[base + dst as usize] = result;
        }
        Ok(())
    }

    /// A `va_list` holds the number of its frame and the next argument.
    fn store_list(&mut self, list: Value, serial: u64, index: u64) -> Step {
        let size = self.program.target.va_list.size;
        let at = self.memory.locate(list, u64::from(size), 1)?;
        self.memory.fill(at, u64::from(size), 0);
        self.lists.insert((at.slot, at.offset), (serial, index));
        Ok(())
    }

    fn load_list(&mut self, list: Value) -> Step<(u64, u64)> {
        let at = self.memory.locate(list, u64::from(self.program.target.va_list.size), 1)?;
        match self.lists.get(&(at.slot, at.offset)) {
            Some(state) => Ok(*state),
            None => undefined(UbKind::VaArg, "this va_list was not started"),
        }
    }

    fn va_arg(&mut self, list: Value, wanted: TypeId) -> Step<Value> {
        let (serial, index) = self.load_list(list)?;
        let Some(frame) = self.frames.iter().rev().find(|frame| frame.serial == serial) else {
            return undefined(UbKind::VaArg, "the function of this va_list has returned");
        };
        let Some((value, ty)) = frame.extra.get(index as usize).copied() else {
            return undefined(UbKind::VaArg, "there is no further argument");
        };
        if !self.va_compatible(ty, wanted) {
            return undefined(
                UbKind::VaArg,
                format!(
                    "the argument has type `{}`, not `{}`",
                    farrier_lang::print::type_text(self.program, ty),
                    farrier_lang::print::type_text(self.program, wanted)
                ),
            );
        }
        self.store_list(list, serial, index + 1)?;
        // A signed argument read as unsigned, or the other way round, keeps its bits.
        match (Scalar::of(self.program, wanted), Scalar::of(self.program, ty)) {
            (Some(to), Some(from)) if from != to => arithmetic::convert(from, to, value),
            _ => Ok(value),
        }
    }

    /// C11 7.16.1.1p2: compatible types, a signed and an unsigned type if the value
    /// is in both, `void *` and a pointer to characters.
    fn va_compatible(&self, given: TypeId, wanted: TypeId) -> bool {
        if farrier_lang::build::compatible(self.program, given.unqualified(), wanted.unqualified())
        {
            return true;
        }
        match (self.program.integer_class(given), self.program.integer_class(wanted)) {
            (Some(Type::Int(a)), Some(Type::Int(b))) => a.to_unsigned() == b.to_unsigned(),
            _ => self.program.pointee(given).is_some() && self.program.pointee(wanted).is_some(),
        }
    }

    fn trace(&mut self, pointer: Value, value: Value, write: bool) {
        self.volatile_accesses += 1;
        let offset = match self.memory.slot_of(pointer.high) {
            Some((slot, _)) => pointer.low.wrapping_sub(self.memory.slots[slot as usize].address),
            None => 0,
        };
        // The value of a pointer is an address, which is no behaviour.
        let shown = if value.high == 0 { value.low } else { 0 };
        for word in [offset, shown, u64::from(write)] {
            self.volatile_hash ^= word;
            self.volatile_hash = self.volatile_hash.wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// The provenance of the address of a label.
const LABEL: u64 = u64::MAX - 1;

/// Checks a call through a type that is not the function's own.
fn check_call(
    program: &Program,
    function: &farrier_lang::Function,
    own: &farrier_lang::FunctionType,
    site: &crate::code::Site,
) -> Step {
    let Some(through) = site.ty else { return Ok(()) };
    let Type::Function(called) = program.resolve(through) else { return Ok(()) };
    let name = program.text(function.name);
    if !farrier_lang::build::compatible(program, through, function.ty) {
        return undefined(
            UbKind::CallType,
            format!(
                "`{name}` has type `{}`, but is called through `{}`",
                farrier_lang::print::type_text(program, function.ty),
                farrier_lang::print::type_text(program, through)
            ),
        );
    }
    if called.prototyped {
        return Ok(());
    }
    let _ = own;
    // Without a prototype the promoted arguments must agree with the parameters.
    for (index, (&given, &parameter)) in site.arguments.iter().zip(&function.parameters).enumerate()
    {
        let wanted = program[parameter].ty.unqualified();
        let agrees = farrier_lang::build::compatible(program, given.unqualified(), wanted)
            || match (Scalar::of(program, given), Scalar::of(program, wanted)) {
                (Some(Scalar::Int { bits: a, .. }), Some(Scalar::Int { bits: b, .. })) => {
                    a == b || function.old_style && b < a
                }
                (Some(Scalar::Pointer), Some(Scalar::Pointer)) => true,
                (Some(Scalar::Double), Some(Scalar::Single)) => function.old_style,
                (Some(Scalar::Int { .. }), Some(Scalar::Bool)) => function.old_style,
                _ => false,
            };
        if !agrees {
            return undefined(
                UbKind::CallArguments,
                format!(
                    "argument {} of `{name}` has type `{}`, its parameter has type `{}`",
                    index + 1,
                    farrier_lang::print::type_text(program, given),
                    farrier_lang::print::type_text(program, wanted)
                ),
            );
        }
    }
    Ok(())
}
