//! Calls and returns, C11 6.5.2.2, and variable arguments.

use farrier_lang::{FunctionId, Id, Program, Type, TypeId};

use super::Machine;
use crate::arithmetic;
use crate::code::{CallResult, Callee, Op, Reg};
use crate::kinds::UbKind;
use crate::memory::{Location, Origin};
use crate::value::{Scalar, Value};
use crate::verdict::{Step, undefined, unsupported};

impl Machine<'_> {
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
    pub(super) fn call(
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
    pub(super) fn finish_call(&mut self, value: Value, returned: bool) -> Step {
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

    pub(super) fn check_noreturn(&self, function: Option<FunctionId>) -> Step {
        match function {
            Some(id) if self.program[id].specifiers.noreturn => undefined(
                UbKind::NoreturnReturns,
                format!("`{}` returns", self.program.text(self.program[id].name)),
            ),
            _ => Ok(()),
        }
    }

    pub(super) fn call_library(
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
    pub(super) fn call_library_pointer(
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
    pub(super) fn store_list(&mut self, list: Value, serial: u64, index: u64) -> Step {
        let size = self.program.target.va_list.size;
        let at = self.memory.locate(list, u64::from(size), 1)?;
        self.memory.fill(at, u64::from(size), 0);
        self.lists.insert((at.slot, at.offset), (serial, index));
        Ok(())
    }

    pub(super) fn load_list(&mut self, list: Value) -> Step<(u64, u64)> {
        let at = self.memory.locate(list, u64::from(self.program.target.va_list.size), 1)?;
        match self.lists.get(&(at.slot, at.offset)) {
            Some(state) => Ok(*state),
            None => undefined(UbKind::VaArg, "this va_list was not started"),
        }
    }

    pub(super) fn va_arg(&mut self, list: Value, wanted: TypeId) -> Step<Value> {
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
    pub(super) fn va_compatible(&self, given: TypeId, wanted: TypeId) -> bool {
        if farrier_lang::build::compatible(self.program, given.unqualified(), wanted.unqualified())
        {
            return true;
        }
        match (self.program.integer_class(given), self.program.integer_class(wanted)) {
            (Some(Type::Int(a)), Some(Type::Int(b))) => a.to_unsigned() == b.to_unsigned(),
            _ => self.program.pointee(given).is_some() && self.program.pointee(wanted).is_some(),
        }
    }
}

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
