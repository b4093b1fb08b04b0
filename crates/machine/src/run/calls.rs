//! Calls and returns, C11 6.5.2.2, and variable arguments.

use std::rc::Rc;

use farrier_lang::{FunctionId, Id, Program, Type, TypeId, Types};

use super::Machine;
use crate::code::{CallResult, CallSite, Callee, Op, Reg};
use crate::kinds::{Cause, UbKind};
use crate::library::Library;
use crate::lower;
use crate::memory::{Location, Origin};
use crate::value::{Scalar, Value};
use crate::verdict::{Checked, Ending, Stop, undefined, unspecified, unsupported};

impl Machine<'_> {
    /// The function that a pointer points to.
    pub(crate) fn callee(&self, pointer: Value) -> Checked<FunctionId> {
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

    /// Begins a call of a function with a body, by its name or by a pointer to it; arguments
    /// are in registers from `args` on.
    pub(super) fn call(
        &mut self,
        caller: Option<FunctionId>,
        callee: FunctionId,
        pointer: Option<Value>,
        site: u32,
        base: usize,
        args: Reg,
    ) -> Checked {
        if self.observer.is_some() {
            self.trace_call(caller, Some(callee), site, base, args);
        }
        self.make_ready(callee)?;
        let code = match caller {
            Some(id) => &self.lowered.codes[id.index()],
            None => &self.lowered.start,
        };
        let window = base + code.registers as usize;
        let site = &code.sites[site as usize];
        let from = base + args as usize;
        let needed = window + self.lowered.codes[callee.index()].registers as usize;
        if self.registers.len() < needed {
            self.registers.resize(needed.next_power_of_two(), Value::default());
        }
        if site.fits {
            self.registers.copy_within(from..from + site.arguments.len(), window);
            self.push_frame(Some(callee), window)?;
            return if self.is_nested(callee) { self.link(callee, pointer) } else { Ok(()) };
        }
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
                let value = self.registers[from + index];
                extra.push((value, site.arguments[index]));
            }
        }
        self.registers.copy_within(from..from + parameters, window);
        self.push_frame(Some(callee), window)?;
        if self.is_nested(callee) {
            self.link(callee, pointer)?;
        }
        if extra.is_empty() {
            return Ok(());
        }
        let aggregates = extra.iter().any(|(_, ty)| Scalar::of(self.program, *ty).is_none());
        self.frames.last_mut().expect("pushed above").attached().extra = extra;
        if !aggregates {
            return Ok(());
        }
        let owned = self.own_aggregates();
        if owned.is_err() {
            // The call is the place to show.
            self.pop_frame();
        }
        owned
    }

    /// Copies the aggregates among the arguments that have no parameter.
    fn own_aggregates(&mut self) -> Checked {
        let frame = self.frames.last().expect("a frame is active");
        for index in 0..frame.extra().len() {
            let (value, ty) = self.frames.last().expect("a frame is active").extra()[index];
            if Scalar::of(self.program, ty).is_some() {
                continue;
            }
            let Ok(size) = self.layouts.size_of(self.program, ty) else {
                return unsupported("an argument of variable size");
            };
            let padding = self.memory.learn_padding(self.program, &mut self.layouts, ty);
            let slot = self.memory.allocate(Origin::Library, size, 16, Some(ty))?;
            if size > 0 {
                let (to, from) = (Location::new(slot, 0), self.memory.locate(value, size, 1)?);
                self.memory.copy(to, from, size)?;
                self.memory.blur_padding(to, padding)?;
            }
            let copy = self.memory.pointer_to(slot);
            let attached = self.frames.last_mut().expect("a frame is active").attached();
            attached.extra[index].0 = copy;
            attached.owned.push(slot);
        }
        Ok(())
    }

    /// Memory that is freed when the function that runs now returns.
    pub(crate) fn dies_with_frame(&mut self, slot: u32) {
        self.frames.last_mut().expect("a frame is active").attached().owned.push(slot);
    }

    /// How many operations the program may still need, while a library function runs.
    pub(crate) fn steps_left(&self) -> u64 {
        self.reserve.left + self.budget
    }

    /// How many operations a run may need.
    pub(crate) fn steps_limit(&self) -> u64 {
        self.options.steps
    }

    /// Calls a function of the program from the library, and waits for its value.
    pub(crate) fn call_back(&mut self, pointer: Value, arguments: &[Value]) -> Checked<Value> {
        self.call_back_with(pointer, arguments, Scalar::Pointer)
    }

    /// The same with arguments that are not pointers.
    pub(crate) fn call_back_with(
        &mut self,
        pointer: Value,
        arguments: &[Value],
        ty: Scalar,
    ) -> Checked<Value> {
        /// How deep the library and the program may call each other in turns: the
        /// stack of the host must not depend on the program.
        const DEEPEST: usize = 50;
        let callee = self.callee(pointer)?;
        if self.program[callee].body.is_none() {
            return unsupported("a library function that is called back");
        }
        if self.nesting == DEEPEST {
            return unsupported("library functions that call back inside each other so deep");
        }
        self.make_ready(callee)?;
        self.passed_lengths.clear();
        let function = &self.program[callee];
        if function.parameters.len() != arguments.len() {
            return undefined(
                UbKind::CallArguments,
                format!(
                    "a function of {} parameters is called back with {} arguments",
                    function.parameters.len(),
                    arguments.len()
                ),
            );
        }
        let fits = function
            .parameters
            .iter()
            .all(|parameter| Scalar::of(self.program, self.program[*parameter].ty) == Some(ty));
        if !fits {
            let what = if ty == Scalar::Pointer { "pointers" } else { "an int" };
            return undefined(
                UbKind::CallType,
                format!("`{}` is called back with {what}", self.program.text(function.name)),
            );
        }
        if self.observer.is_some() {
            self.trace_call_back(callee, arguments);
        }
        let window = match self.frames.last() {
            Some(frame) => frame.base + self.code(frame.function).registers as usize,
            None => 0,
        };
        if self.registers.len() < window + arguments.len() {
            self.registers.resize(window + arguments.len(), Value::default());
        }
        self.registers[window..window + arguments.len()].copy_from_slice(arguments);
        self.push_frame(Some(callee), window)?;
        if self.is_nested(callee) {
            self.link(callee, Some(pointer))?;
        }
        let bottom = std::mem::replace(&mut self.bottom, self.frames.len());
        self.nesting += 1;
        let mut budget = self.budget;
        let result = self.execute_on(self.bottom, &mut budget);
        self.budget = budget;
        let value = result?;
        self.nesting -= 1;
        self.bottom = bottom;
        Ok(value.unwrap_or_default())
    }

    /// The arguments of `main`, C11 5.1.2.2.1: argc, argv, and an empty environment.
    /// The strings may be modified.
    pub(super) fn main_arguments(&mut self, parameters: usize) -> Checked<Vec<Value>> {
        let mut strings = Vec::new();
        for argument in &self.options.arguments {
            let slot = self.allocate_bytes(argument)?;
            strings.push(self.memory.pointer_to(slot));
        }
        let count = Value::int(strings.len() as i64);
        let argv = self.allocate_pointers(&strings)?;
        let environment = self.allocate_pointers(&[])?;
        let mut all = vec![count, argv, environment];
        all.truncate(parameters);
        Ok(all)
    }

    /// A string of the library.
    pub(crate) fn allocate_bytes(&mut self, text: &[u8]) -> Checked<u32> {
        let size = text.len() as u64 + 1;
        let slot = self.memory.allocate(Origin::Library, size, 1, None)?;
        self.memory.fill(Location::new(slot, 0), size, 0)?;
        for (offset, byte) in text.iter().enumerate() {
            let at = Location::new(slot, offset as u64);
            self.memory.write(at, 1, u128::from(*byte), 0)?;
        }
        Ok(slot)
    }

    /// An array of pointers with a null pointer at its end.
    fn allocate_pointers(&mut self, pointers: &[Value]) -> Checked<Value> {
        let size = self.program.target.pointer.size;
        let bytes = u64::from(size) * (pointers.len() as u64 + 1);
        let slot = self.memory.allocate(Origin::Library, bytes, size, None)?;
        self.memory.fill(Location::new(slot, 0), bytes, 0)?;
        for (index, pointer) in pointers.iter().enumerate() {
            let at = Location::new(slot, index as u64 * u64::from(size));
            self.memory.write(at, size, u128::from(pointer.low), pointer.high)?;
        }
        Ok(self.memory.pointer_to(slot))
    }

    /// Calls what `atexit` was given, the last first, if the program ends by itself.
    pub(super) fn run_exit_handlers(&mut self, result: Checked<Ending>) -> Checked<Ending> {
        let ending = match result {
            Ok(ending) => ending,
            Err(stop) => match *stop {
                Stop::End(ending) => {
                    self.memory.order.check_effect("ends the program")?;
                    ending
                }
                _ => return Err(stop),
            },
        };
        self.budget = 0;
        self.reserve.left = self.options.steps.saturating_sub(self.steps);
        self.handlers.ending = true;
        while let Some(handler) = self.handlers.exit.pop() {
            self.nesting = 0;
            self.call_back(handler, &[])?;
        }
        Ok(ending)
    }

    /// Returns from the innermost call, which has a caller.
    pub(super) fn finish_call(&mut self, value: Value, returned: bool) -> Checked {
        let frame = self.frames.last().expect("a frame is active");
        if !frame.lists().is_empty() {
            self.check_lists_ended()?;
        }
        let callee = frame.function;
        if self.memory.order.is_promised() {
            // Where the value goes is a matter of the caller.
            self.memory.order.end_promises(self.frames.len() - 1);
        }
        let caller = &self.frames[self.frames.len() - 2];
        let (function, base, locals, position) =
            (caller.function, caller.base, caller.locals, caller.position);
        let code = self.code(function);
        let (Op::Call { site, .. } | Op::CallPointer { site, .. }) = code.ops[position as usize]
        else {
            unreachable!("the caller is at a call")
        };
        let result = code.sites[site as usize].result;
        if !returned && result != CallResult::Nowhere {
            // The call that uses the value is the place to show.
            self.pop_frame();
            let name = callee.map_or("", |id| self.program.text(self.program[id].name));
            let message = format!("`{name}` ended without a value, which is used");
            return undefined(UbKind::MissingReturn, message);
        }
        match result {
            CallResult::Nowhere => {
                self.pop_frame();
            }
            CallResult::Register(dst) => {
                self.pop_frame();
                self.registers[base + dst as usize] = value;
            }
            CallResult::Memory { local, dst } => {
                self.enter(function, locals, local)?;
                let slot = self.locals[locals + local as usize];
                let size = self.memory.slots[slot as usize].size;
                if size > 0 {
                    let source = self.memory.locate(value, size, 1)?;
                    let to = Location::new(slot, 0);
                    self.memory.copy(to, source, size)?;
                    self.memory.blur_padding(to, self.memory.padding(slot))?;
                }
                self.pop_frame();
                self.registers[base + dst as usize] = self.memory.pointer_to(slot);
            }
        }
        self.frames.last_mut().expect("the caller").position = position + 1;
        Ok(())
    }

    /// The first call of `main` returns, C11 5.1.2.2.3p1.
    #[cold]
    pub(super) fn check_status(&self, function: Option<FunctionId>) -> Checked {
        let Some(id) = function.filter(|id| self.program.is_main(*id)) else { return Ok(()) };
        let Type::Function(ty) = self.program.resolve(self.program[id].ty) else { return Ok(()) };
        let result = ty.result.unqualified();
        if farrier_lang::build::compatible(self.program, result, Types::INT) {
            return Ok(());
        }
        unspecified(Cause::Compiler, "the exit status of a `main` that does not return int")
    }

    pub(super) fn check_noreturn(&self, function: Option<FunctionId>) -> Checked {
        match function {
            Some(id) if self.program[id].specifiers.noreturn => undefined(
                UbKind::NoreturnReturns,
                format!("`{}` returns", self.program.text(self.program[id].name)),
            ),
            _ => Ok(()),
        }
    }

    /// Calls a library function; true if it jumped to another place of the program.
    pub(super) fn call_library(
        &mut self,
        function: Option<FunctionId>,
        site: u32,
        base: usize,
        args: Reg,
    ) -> Checked<bool> {
        if self.observer.is_some() {
            self.trace_call(function, None, site, base, args);
        }
        // Owned, so that the machine can change while it is read.
        let code = Rc::clone(self.code(function));
        let site = &code.sites[site as usize];
        let Callee::Library(library) = site.callee else {
            unreachable!("a library call has a library function")
        };
        let values = self.argument_values(site, base, args);
        let result = match library {
            Library::Setjmp | Library::SetjmpFunction => self.set_jump(&values, site.result)?,
            Library::Longjmp | Library::LongjmpFunction => {
                self.long_jump(&values)?;
                return Ok(true);
            }
            _ => {
                // Library functions are functions: nothing happens in the middle of one.
                self.memory.order.set_depth(self.frames.len() + 1);
                let result = self.library(library, &values, site.result_type)?;
                self.memory.order.set_depth(self.frames.len());
                result
            }
        };
        match site.result {
            CallResult::Register(dst) => self.registers[base + dst as usize] = result,
            CallResult::Memory { local, dst } => {
                let locals = self.frames.last().expect("a frame is active").locals;
                self.enter(function, locals, local)?;
                let slot = self.locals[locals + local as usize];
                self.store_pair(slot, site.result_type, result)?;
                self.registers[base + dst as usize] = self.memory.pointer_to(slot);
            }
            CallResult::Nowhere => {}
        }
        Ok(false)
    }

    /// Stores what `div` returns: the quotient and the remainder.
    fn store_pair(&mut self, slot: u32, ty: TypeId, pair: Value) -> Checked {
        let size = self.memory.slots[slot as usize].size / 2;
        let fields = match self.program.resolve(ty) {
            Type::Record(record) => self.program[*record].fields.as_deref().unwrap_or_default(),
            _ => &[],
        };
        let [first, _] = fields else { return unsupported("this structure as a result") };
        let name = first.name.map_or("", |name| self.program.text(name));
        let values = if name == "quot" { [pair.low, pair.high] } else { [pair.high, pair.low] };
        for (index, value) in values.into_iter().enumerate() {
            let at = Location::new(slot, index as u64 * size);
            self.memory.write(at, size as u32, value.into(), 0)?;
        }
        Ok(())
    }

    fn argument_values(&self, site: &CallSite, base: usize, args: Reg) -> Vec<(Value, TypeId)> {
        let from = base + args as usize;
        let values = self.registers[from..from + site.arguments.len()].iter();
        values.copied().zip(site.arguments.iter().copied()).collect()
    }

    /// A call through a pointer of a function that the machine itself must know.
    pub(super) fn call_library_pointer(
        &mut self,
        function: Option<FunctionId>,
        callee: FunctionId,
        site: u32,
        base: usize,
        args: Reg,
    ) -> Checked {
        let name = self.program.text(self.program[callee].name);
        let Some(library) = Library::by_name(name) else {
            return unsupported(lower::unknown_function(name));
        };
        let site = self.code(function).sites[site as usize].clone();
        let values = self.argument_values(&site, base, args);
        self.memory.order.set_depth(self.frames.len() + 1);
        let result = self.library(library, &values, site.result_type)?;
        self.memory.order.set_depth(self.frames.len());
        if let CallResult::Register(dst) = site.result {
            self.registers[base + dst as usize] = result;
        }
        Ok(())
    }
}

/// Checks a call through a type that is not the function's own.
fn check_call(
    program: &Program,
    function: &farrier_lang::Function,
    own: &farrier_lang::FunctionType,
    site: &crate::code::CallSite,
) -> Checked {
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
