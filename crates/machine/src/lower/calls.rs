//! Calls.

use farrier_lang::{Dialect, ExprId, ExprKind, FloatKind, FunctionId, Id, Storage, Type, TypeId};

use super::Lowerer;
use super::nested::is_nested;
use super::promises::{has_attribute, is_alias};
use crate::code::{CallResult, CallSite, Callee, Op, Reg};
use crate::kinds::{Cause, UbKind};
use crate::library::Library;
use crate::value::Scalar;
use crate::verdict::{At, Checked};

impl Lowerer<'_> {
    pub(super) fn call(
        &mut self,
        expr: ExprId,
        function: ExprId,
        arguments: &[ExprId],
        ty: TypeId,
        want: Option<Reg>,
        used: bool,
    ) -> Checked<Reg> {
        let direct = match self.program[function].kind {
            ExprKind::Decay(designator) => match self.program[designator].kind {
                ExprKind::Function(id) if is_alias(self.program, id) => None,
                ExprKind::Function(id) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let through = self.program.pointee(self.program.type_of(function));
        if let Some(id) = direct
            && self.program[id].body.is_none()
        {
            let name = self.program.text(self.program[id].name).to_owned();
            return match self.parts_call(&name, arguments, ty)? {
                Some(reg) => Ok(reg),
                None => self.library_call(expr, &name, arguments, ty, want, through),
            };
        }
        if let Some(id) = direct
            && self.functions.replaced.contains(&id)
        {
            let name = self.program.text(self.program[id].name);
            let message = format!("a compiler may use what it knows of `{name}` instead");
            self.unspecified(Cause::Compiler, message);
        }
        let pointer = if direct.is_some() { None } else { Some(function) };
        let (pointer, args) = self.arguments(pointer, arguments)?;
        self.pass_lengths(arguments);
        let result = self.result(expr, ty, want, used);
        let callee = direct.map_or(Callee::Pointer, Callee::Function);
        let site = self.site(callee, result, arguments, through, ty);
        match pointer {
            Some(pointer) => self.emit(Op::CallPointer { site, args, pointer }),
            None => self.emit(Op::Call { site, args }),
        };
        if pointer.is_some() && self.is_noreturn_pointer(function) {
            let message = "a function returns that was called through a `noreturn` pointer";
            self.undefined(UbKind::NoreturnReturns, message);
        }
        Ok(match result {
            CallResult::Register(reg) | CallResult::Memory { dst: reg, .. } => reg,
            CallResult::Nowhere => 0,
        })
    }

    /// Whether a function is called through an object or a member that is `noreturn`.
    fn is_noreturn_pointer(&self, function: ExprId) -> bool {
        let place = match self.program[function].kind {
            ExprKind::Load(place) => place,
            _ => return false,
        };
        let attributes = match self.program[place].kind {
            ExprKind::Object(object) => &self.program[object].attributes,
            ExprKind::Member(base, field) => {
                let Type::Record(record) = *self.program.resolve(self.program.type_of(base)) else {
                    return false;
                };
                let fields = self.program[record].fields.as_deref().unwrap_or_default();
                &fields[field as usize].attributes
            }
            _ => return false,
        };
        has_attribute(self.program, attributes, "noreturn")
    }

    /// The address of a function. One that is `weak` and not defined may have none.
    pub(super) fn function_address(&mut self, id: FunctionId, want: Option<Reg>) -> Reg {
        let function = &self.program[id];
        let known = function.body.is_some() || is_alias(self.program, id);
        if !known && has_attribute(self.program, &function.attributes, "weak") {
            return self.unsupported("the address of a weak function that is not defined");
        }
        let dst = self.target(want);
        if is_nested(self.program, id) {
            self.emit(Op::NestedAddress { dst, function: id });
            return dst;
        }
        let slot = self.functions.slots[id.index()];
        self.emit(Op::StaticAddress { dst, slot, offset: 0 });
        dst
    }

    /// Evaluates what is called, if it is a pointer, and the arguments into registers next
    /// to each other. They have no order.
    fn arguments(
        &mut self,
        function: Option<ExprId>,
        arguments: &[ExprId],
    ) -> Checked<(Option<Reg>, Reg)> {
        let recording = (self.have_effects(arguments) || self.have_effects(function.as_slice()))
            && {
                let operands = function.as_slice().chunks(1).chain(arguments.chunks(1));
                self.begin_order(&operands.collect::<Vec<&[ExprId]>>())
            };
        let pointer = function.map(|function| self.value(function)).transpose()?;
        let first = self.next;
        self.next += arguments.len() as Reg;
        self.code.registers = self.code.registers.max(self.next);
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 || pointer.is_some() {
                self.next_operand(recording);
            }
            let reg = self.value_to(*argument, Some(first + index as Reg))?;
            self.check_byte(*argument, reg);
        }
        self.end_order(recording);
        // There is a sequence point before the call, C11 6.5.2.2p10.
        self.sequence_point();
        Ok((pointer, first))
    }

    /// A character that is passed or returned must have a value: Clang takes one without
    /// for poison there.
    pub(super) fn check_byte(&mut self, expr: ExprId, src: Reg) {
        if self.may_lack_value(expr) {
            let outer = std::mem::replace(&mut self.at, At::Expr(expr));
            self.emit(Op::CheckByte { src });
            self.at = outer;
        }
    }

    /// Whether an expression may be a byte without a value, which all but copies refuse.
    fn may_lack_value(&self, expr: ExprId) -> bool {
        if !matches!(self.scalar(self.program.type_of(expr)), Some(Scalar::Int { bits: 8, .. })) {
            return false;
        }
        match self.program[expr].kind {
            ExprKind::Load(_)
            | ExprKind::Assign(..)
            | ExprKind::Conditional { .. }
            | ExprKind::Comma(..)
            | ExprKind::StatementExpr(_) => true,
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => self.may_lack_value(operand),
            _ => false,
        }
    }

    fn result(&mut self, expr: ExprId, ty: TypeId, want: Option<Reg>, used: bool) -> CallResult {
        if !used || *self.program.resolve(ty) == Type::Void {
            return CallResult::Nowhere;
        }
        if self.is_aggregate(ty) {
            let local = self.temporary_memory(expr, ty);
            let dst = self.temporary();
            return CallResult::Memory { local, dst };
        }
        let reg = match want {
            Some(reg) => reg,
            None => self.temporary(),
        };
        CallResult::Register(reg)
    }

    fn site(
        &mut self,
        callee: Callee,
        result: CallResult,
        arguments: &[ExprId],
        through: Option<TypeId>,
        result_type: TypeId,
    ) -> u32 {
        let fits = match callee {
            Callee::Function(id) => {
                let function = &self.program[id];
                through == Some(function.ty) && function.parameters.len() == arguments.len()
            }
            Callee::Pointer | Callee::Library(_) => false,
        };
        let arguments = arguments.iter().map(|argument| self.program.type_of(*argument)).collect();
        self.code.sites.push(CallSite {
            callee,
            result,
            arguments,
            ty: through,
            result_type,
            fits,
        });
        self.code.sites.len() as u32 - 1
    }

    /// The address of a `va_list`. Anything may stand where one belongs: well-formedness
    /// does not look.
    pub(super) fn argument_list(&mut self, list: ExprId) -> Checked<Reg> {
        if *self.program.resolve(self.program.type_of(list)) != Type::VaList {
            return Ok(self.unsupported("a va_list of another type"));
        }
        let place = self.place(list, false)?;
        Ok(self.address(place))
    }

    /// `va_start`. Since C23 it has one argument, and others are ignored.
    pub(super) fn start_list(&mut self, arguments: &[ExprId]) -> Checked {
        let list = self.argument_list(arguments[0])?;
        if let Some(&named) = arguments.get(1)
            && self.program.dialect < Dialect::C23
        {
            self.check_last_parameter(named);
        }
        self.emit(Op::VaStart { list });
        Ok(())
    }

    /// C11 7.16.1.4p4.
    fn check_last_parameter(&mut self, named: ExprId) {
        let object = match self.program[named].kind {
            ExprKind::Load(place) => match self.program[place].kind {
                ExprKind::Object(object) => Some(object),
                _ => None,
            },
            _ => None,
        };
        let Some(object) = object.filter(|object| self.last_parameter == Some(*object)) else {
            return self.undefined(UbKind::VaStart, "this is not the last parameter");
        };
        let ty = self.program[object].ty.unqualified();
        let promoted = match self.program.resolve(ty) {
            Type::Float(kind) => *kind == FloatKind::Float,
            Type::Int(_) | Type::Enum(_) => {
                let scalar = self.scalar(ty);
                scalar.is_some_and(|scalar| self.promoted(scalar) != scalar)
            }
            _ => false,
        };
        if promoted {
            self.undefined(
                UbKind::VaStart,
                "the type of the last parameter is one that promotion changes",
            );
        } else if self.program[object].storage == Storage::Register {
            self.undefined(UbKind::VaStart, "the last parameter is register");
        }
    }

    /// A call of a function that the machine itself must know.
    pub(super) fn library_call(
        &mut self,
        expr: ExprId,
        name: &str,
        arguments: &[ExprId],
        ty: TypeId,
        want: Option<Reg>,
        through: Option<TypeId>,
    ) -> Checked<Reg> {
        let Some(library) = Library::by_name(name) else {
            self.arguments(None, arguments)?;
            return Ok(self.unsupported(unknown_function(name)));
        };
        if matches!(library, Library::Setjmp | Library::SetjmpFunction)
            && !self.analysis.is_standing(expr)
        {
            self.undefined(UbKind::SetjmpContext, "setjmp is a part of a larger expression");
        }
        let (_, args) = self.arguments(None, arguments)?;
        let result = self.result(expr, ty, want, true);
        let site = self.site(Callee::Library(library), result, arguments, through, ty);
        self.emit(Op::CallLibrary { site, args });
        Ok(match result {
            CallResult::Register(reg) | CallResult::Memory { dst: reg, .. } => reg,
            CallResult::Nowhere => 0,
        })
    }
}

/// What is said of a function that is neither defined nor provided.
pub(crate) fn unknown_function(name: &str) -> String {
    if name.starts_with("__builtin_") {
        return format!("the function `{name}`");
    }
    format!(
        "`{name}` is declared but defined in none of the files: name its file, too; \
         the library of the machine has no such function"
    )
}

/// What is said of an object that is not defined.
pub(crate) fn unknown_object(name: &str) -> String {
    format!("`{name}` is declared but defined in none of the files: name its file, too")
}
