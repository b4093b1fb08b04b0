//! Constant expressions: the values that a program needs before it runs.

mod builtin;

pub use builtin::has_floating_operation;

use std::fmt;

use crate::arena::{ExprId, FunctionId};
use crate::expr::{AlignofForm, BinaryOp, ExprKind, LogicalOp, OffsetStep, UnaryOp};
use crate::float::FloatValue;
use crate::integer::{ArithmeticFault, IntegerType, integer_type};
use crate::layout::{Layouts, NoLayout};
use crate::program::Program;
use crate::types::{IntKind, Type, TypeId};

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constant {
    /// An integer, in the form that [`IntegerType`] describes.
    Integer {
        /// Its type.
        ty: IntegerType,
        /// Its value.
        value: i128,
    },
    /// A floating value.
    Float(FloatValue),
    /// A pointer that was made from an integer, as in `&((struct s *)0)->member`.
    Address(u64),
}

/// Why an expression is not constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NotConstant {
    /// It does what has no defined result.
    Arithmetic(ArithmeticFault),
    /// It converts a floating value to an integer type that cannot hold it, C11 6.3.1.4p1.
    FloatRange,
    /// It needs the layout of a type that has none.
    Layout(NoLayout),
    /// It reads an object, or is an lvalue where a value is needed.
    Object,
    /// It needs the address of an object or function, which only the linker knows.
    Address,
    /// It calls a function, or runs statements.
    Call,
    /// It assigns, increments or decrements.
    SideEffect,
    /// It has a comma operator, C11 6.6p3.
    Comma,
    /// It has a type that constants do not have, such as a struct.
    Type,
    /// The value is an integer that 127 bits and a sign cannot hold.
    TooWide,
}

impl fmt::Display for NotConstant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arithmetic(fault) => return fault.fmt(f),
            Self::Layout(reason) => return reason.fmt(f),
            Self::FloatRange => "the floating value does not fit in the integer type",
            Self::Object => "the value of an object is not constant",
            Self::Address => "an address is not an integer constant",
            Self::Call => "a call is not constant",
            Self::SideEffect => "a constant expression cannot change anything",
            Self::Comma => "a constant expression cannot have a comma operator",
            Self::Type => "the expression has a type that constants do not have",
            Self::TooWide => "the value needs more than 128 bits",
        })
    }
}

impl std::error::Error for NotConstant {}

impl From<NoLayout> for NotConstant {
    fn from(reason: NoLayout) -> Self {
        Self::Layout(reason)
    }
}

impl From<ArithmeticFault> for NotConstant {
    fn from(fault: ArithmeticFault) -> Self {
        Self::Arithmetic(fault)
    }
}

/// The value of an integer constant expression as GCC understands it: what C11 6.6p6
/// allows, and whatever else folds to an integer without reading an object.
pub fn integer_constant(
    program: &Program,
    layouts: &mut Layouts,
    expr: ExprId,
) -> Result<i128, NotConstant> {
    match evaluate(program, layouts, expr)? {
        Constant::Integer { ty, value } if !ty.signed && value < 0 => Err(NotConstant::TooWide),
        Constant::Integer { value, .. } => Ok(value),
        Constant::Float(_) => Err(NotConstant::Type),
        Constant::Address(_) => Err(NotConstant::Address),
    }
}

/// The value of an arithmetic constant expression, C11 6.6p8, or of a pointer that is
/// a number. Only what would be evaluated needs to be constant.
pub fn evaluate(
    program: &Program,
    layouts: &mut Layouts,
    expr: ExprId,
) -> Result<Constant, NotConstant> {
    Evaluator { program, layouts, known: None }.value(expr)
}

/// The values of lvalues that are read; `None` for one whose value is not known.
pub type KnownValues<'a> = &'a dyn Fn(ExprId) -> Option<i128>;

/// The value of an integer expression where the lvalues that it reads have known values.
/// A guard is its operand, so this fails where a guard would fire; shifts are as C11 says.
pub fn evaluate_where(
    program: &Program,
    layouts: &mut Layouts,
    expr: ExprId,
    known: KnownValues<'_>,
) -> Result<i128, NotConstant> {
    match (Evaluator { program, layouts, known: Some(known) }).value(expr)? {
        Constant::Integer { value, .. } => Ok(value),
        _ => Err(NotConstant::Type),
    }
}

struct Evaluator<'a> {
    program: &'a Program,
    layouts: &'a mut Layouts,
    /// The lvalues that may be read, if the expression need not be constant.
    known: Option<KnownValues<'a>>,
}

impl Evaluator<'_> {
    fn value(&mut self, expr: ExprId) -> Result<Constant, NotConstant> {
        let program = self.program;
        let ty = program.type_of(expr);
        match program[expr].kind {
            ExprKind::Int(value) => self.integer(ty, value.into()),
            ExprKind::EnumConstant(id) => self.integer(ty, program[id].value),
            ExprKind::Float(id) => match *program.resolve(ty) {
                Type::Float(kind) => {
                    let (_, format) = program.target.float_scalar(kind).ok_or(NoLayout::Missing)?;
                    Ok(Constant::Float(FloatValue { format, bits: program[id] }))
                }
                _ => Err(NotConstant::Type),
            },
            ExprKind::Unary(op, operand) => {
                let operand = self.value(operand)?;
                self.unary(op, operand, ty)
            }
            ExprKind::Binary(op, left, right) => self.binary(op, left, right, ty),
            ExprKind::Logical(op, left, right) => {
                let left = self.truth(left)?;
                let decided = left == (op == LogicalOp::Or);
                let truth = if decided { left } else { self.truth(right)? };
                self.integer(ty, truth.into())
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.value(condition)?;
                let value = match then {
                    _ if !is_true(condition) => self.value(otherwise)?,
                    Some(then) => self.value(then)?,
                    None => condition,
                };
                self.convert(value, ty)
            }
            ExprKind::Convert(operand) | ExprKind::Cast(operand) => {
                let value = self.value(operand)?;
                self.convert(value, ty)
            }
            ExprKind::SizeofType(of) => self.size(of, ty),
            ExprKind::SizeofExpr(operand) => self.size(program.type_of(operand), ty),
            ExprKind::AlignofType(form, of) => {
                let align = match form {
                    AlignofForm::Standard => self.layouts.align_of(program, of),
                    AlignofForm::Preferred => self.layouts.preferred_align_of(program, of),
                };
                self.integer(ty, gnu(align.map(u64::from))?.into())
            }
            ExprKind::AlignofExpr(_, operand) => {
                let align = self.align_of_operand(operand)?;
                self.integer(ty, align.into())
            }
            ExprKind::Offsetof(of, ref path) => {
                let offset = self.offset(of, path)?;
                self.integer(ty, offset.into())
            }
            ExprKind::AddressOf(place) => Ok(Constant::Address(self.place(place)?)),
            ExprKind::Decay(place) => Ok(Constant::Address(self.place(place)?)),
            ExprKind::Builtin(called, ref arguments) => self.builtin(called, arguments, ty),
            ExprKind::Load(place)
                if let Some(value) = self.known.and_then(|known| known(place)) =>
            {
                self.integer(ty, value)
            }
            ExprKind::Guard { operand, .. } if self.known.is_some() => self.value(operand),
            ExprKind::Comma(..) => Err(NotConstant::Comma),
            ExprKind::Assign(..) | ExprKind::CompoundAssign { .. } | ExprKind::Step(..) => {
                Err(NotConstant::SideEffect)
            }
            ExprKind::Call(..) | ExprKind::StatementExpr(_) | ExprKind::Guard { .. } => {
                Err(NotConstant::Call)
            }
            ExprKind::LabelAddress(_) | ExprKind::Function(_) => Err(NotConstant::Address),
            ExprKind::Imaginary(_) | ExprKind::InitList(_) => Err(NotConstant::Type),
            ExprKind::Load(_)
            | ExprKind::Object(_)
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral(_)
            | ExprKind::Deref(_)
            | ExprKind::Member(..)
            | ExprKind::Index(..)
            | ExprKind::Swizzle(..)
            | ExprKind::VaArg(_) => Err(NotConstant::Object),
        }
    }

    /// A value of the integer type `ty`.
    fn integer(&self, ty: TypeId, value: i128) -> Result<Constant, NotConstant> {
        let ty = integer_type(self.program, ty).ok_or(NotConstant::Type)?;
        Ok(Constant::Integer { ty, value: ty.wrap(value) })
    }

    /// Whether the value of a scalar is not zero.
    fn truth(&mut self, expr: ExprId) -> Result<bool, NotConstant> {
        self.value(expr).map(is_true)
    }

    /// C11 6.5.3.3
    fn unary(
        &self,
        op: UnaryOp,
        operand: Constant,
        result: TypeId,
    ) -> Result<Constant, NotConstant> {
        match (op, operand) {
            (UnaryOp::Plus | UnaryOp::Real, _) => Ok(operand),
            (UnaryOp::Not, _) => self.integer(result, (!is_true(operand)).into()),
            (UnaryOp::Minus, Constant::Integer { ty, value }) => {
                Ok(Constant::Integer { ty, value: ty.negate(value)? })
            }
            (UnaryOp::BitNot, Constant::Integer { ty, value }) => {
                Ok(Constant::Integer { ty, value: ty.wrap(!value) })
            }
            (UnaryOp::Minus, Constant::Float(value)) => Ok(Constant::Float(value.negate())),
            (UnaryOp::Imag, Constant::Integer { ty, .. }) => Ok(Constant::Integer { ty, value: 0 }),
            (UnaryOp::Imag, Constant::Float(value)) => {
                Ok(Constant::Float(FloatValue::zero(value.format)))
            }
            _ => Err(NotConstant::Type),
        }
    }

    /// C11 6.5.5 to 6.5.12
    fn binary(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        result: TypeId,
    ) -> Result<Constant, NotConstant> {
        let (left_value, right_value) = (self.value(left)?, self.value(right)?);
        let pointer = |expr| self.program.type_of(expr);
        match (left_value, right_value) {
            (
                Constant::Integer { ty, value: left },
                Constant::Integer { value: right, ty: right_ty },
            ) => {
                let value = match ty.binary(op, left, right) {
                    // GCC defines it: the bits are shifted.
                    Err(ArithmeticFault::ShiftOverflow) if self.known.is_none() => {
                        ty.wrap(left << right)
                    }
                    value => value?,
                };
                debug_assert!(op.is_shift() || ty == right_ty, "operands are converted");
                if op.is_comparison() {
                    return self.integer(result, value);
                }
                Ok(Constant::Integer { ty, value })
            }
            (Constant::Float(left), Constant::Float(right)) => {
                if let Some(truth) = left.comparison(op, right) {
                    return self.integer(result, truth.into());
                }
                let (value, _) = left.arithmetic(op, right).ok_or(NotConstant::Type)?;
                Ok(Constant::Float(value))
            }
            (Constant::Address(base), Constant::Integer { value, .. })
                if matches!(op, BinaryOp::Add | BinaryOp::Sub) =>
            {
                let size = self.step(pointer(left))?;
                let distance = (value as u64).wrapping_mul(size);
                let address = match op {
                    BinaryOp::Add => base.wrapping_add(distance),
                    _ => base.wrapping_sub(distance),
                };
                Ok(self.address(address))
            }
            (Constant::Integer { value, .. }, Constant::Address(base)) if op == BinaryOp::Add => {
                let size = self.step(pointer(right))?;
                Ok(self.address(base.wrapping_add((value as u64).wrapping_mul(size))))
            }
            (Constant::Address(minuend), Constant::Address(subtrahend)) => {
                let ty = self.pointer_integer(op == BinaryOp::Sub);
                let (minuend, subtrahend) = (minuend.into(), subtrahend.into());
                if op == BinaryOp::Sub {
                    let size = self.step(pointer(left))?;
                    let distance = ty.wrap(minuend - subtrahend);
                    let value = ty.binary(BinaryOp::Div, distance, size.into())?;
                    return self.integer(result, value);
                }
                if !op.is_comparison() {
                    return Err(NotConstant::Type);
                }
                self.integer(result, ty.binary(op, minuend, subtrahend)?)
            }
            _ => Err(NotConstant::Type),
        }
    }

    /// The integer type as wide as a pointer.
    fn pointer_integer(&self, signed: bool) -> IntegerType {
        IntegerType { signed, bits: self.program.target.pointer.size * 8 }
    }

    /// A pointer with this address, wrapped to the address space.
    fn address(&self, address: u64) -> Constant {
        Constant::Address(self.pointer_integer(false).wrap(address.into()) as u64)
    }

    /// The size of what a pointer of type `pointer` points to.
    fn step(&mut self, pointer: TypeId) -> Result<u64, NotConstant> {
        match *self.program.resolve(pointer) {
            Type::Pointer(target) => gnu(self.layouts.size_of(self.program, target)),
            _ => Err(NotConstant::Type),
        }
    }

    /// C11 6.3.1 and 6.3.2
    fn convert(&self, value: Constant, ty: TypeId) -> Result<Constant, NotConstant> {
        let target = self.program.target;
        match *self.program.resolve(ty) {
            Type::Int(IntKind::Bool) => self.integer(ty, is_true(value).into()),
            Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) => match value {
                Constant::Integer { value, .. } => self.integer(ty, value),
                Constant::Float(value) => {
                    let ty = integer_type(self.program, ty).ok_or(NotConstant::Type)?;
                    let value = value.to_integer(ty).ok_or(NotConstant::FloatRange)?;
                    Ok(Constant::Integer { ty, value })
                }
                // GCC extends the sign of an address.
                Constant::Address(address) => {
                    self.integer(ty, self.pointer_integer(true).wrap(address.into()))
                }
            },
            Type::Float(kind) => {
                let (_, format) = target.float_scalar(kind).ok_or(NoLayout::Missing)?;
                let (value, _) = match value {
                    Constant::Integer { ty, value } => FloatValue::from_integer(format, ty, value),
                    Constant::Float(value) => value.convert(format),
                    Constant::Address(_) => return Err(NotConstant::Type),
                };
                Ok(Constant::Float(value))
            }
            Type::Pointer(_) | Type::NullPointer => match value {
                Constant::Integer { value, .. } => Ok(self.address(value as u64)),
                Constant::Address(_) => Ok(value),
                Constant::Float(_) => Err(NotConstant::Type),
            },
            _ => Err(NotConstant::Type),
        }
    }

    /// The address of an lvalue or of a function designator.
    fn place(&mut self, expr: ExprId) -> Result<u64, NotConstant> {
        match self.program[expr].kind {
            ExprKind::Deref(pointer) => self.base(pointer),
            ExprKind::Member(record, field) => {
                let base = self.place(record)?;
                let offset = self.member_offset(self.program.type_of(record), field)?;
                Ok(base.wrapping_add(offset))
            }
            ExprKind::Index(pointer, index) => {
                let base = self.base(pointer)?;
                let Constant::Integer { value, .. } = self.value(index)? else {
                    return Err(NotConstant::Type);
                };
                let size = self.step(self.program.type_of(pointer))?;
                Ok(base.wrapping_add((value as u64).wrapping_mul(size)))
            }
            _ => Err(NotConstant::Address),
        }
    }

    /// The address that a pointer holds.
    fn base(&mut self, pointer: ExprId) -> Result<u64, NotConstant> {
        match self.value(pointer)? {
            Constant::Address(address) => Ok(address),
            _ => Err(NotConstant::Type),
        }
    }

    /// The offset in bytes of a member that is not a bit-field.
    fn member_offset(&mut self, record: TypeId, field: u32) -> Result<u64, NotConstant> {
        let Type::Record(id) = *self.program.resolve(record) else {
            return Err(NotConstant::Type);
        };
        let layout = self.layouts.record(self.program, id)?;
        let field = layout.fields[field as usize];
        if field.bits.is_some() { Err(NotConstant::Type) } else { Ok(field.offset) }
    }

    /// C11 7.19p3
    fn offset(&mut self, mut ty: TypeId, path: &[OffsetStep]) -> Result<u64, NotConstant> {
        let mut offset = 0_u64;
        for step in path {
            match *step {
                OffsetStep::Field(index) => {
                    offset = offset.wrapping_add(self.member_offset(ty, index)?);
                    let Type::Record(id) = *self.program.resolve(ty) else {
                        return Err(NotConstant::Type);
                    };
                    let fields = self.program[id].fields.as_ref().ok_or(NoLayout::Incomplete)?;
                    ty = fields[index as usize].ty;
                }
                OffsetStep::Index(index) => {
                    let Type::Array { element, .. } = *self.program.resolve(ty) else {
                        return Err(NotConstant::Type);
                    };
                    let Constant::Integer { value, .. } = self.value(index)? else {
                        return Err(NotConstant::Type);
                    };
                    let size = self.layouts.size_of(self.program, element)?;
                    offset = offset.wrapping_add((value as u64).wrapping_mul(size));
                    ty = element;
                }
            }
        }
        Ok(offset)
    }

    fn size(&mut self, of: TypeId, result: TypeId) -> Result<Constant, NotConstant> {
        let size = gnu(self.layouts.size_of(self.program, of))?;
        self.integer(result, size.into())
    }

    /// `__alignof__ operand`, which asks the declaration rather than the type.
    fn align_of_operand(&mut self, operand: ExprId) -> Result<u64, NotConstant> {
        let program = self.program;
        let align = match program[operand].kind {
            ExprKind::Object(id) => self.layouts.object_align(program, id),
            ExprKind::Function(id) => return Ok(function_align(program, id)),
            ExprKind::Member(record, field) => {
                let Type::Record(id) = *program.resolve(program.type_of(record)) else {
                    return Err(NotConstant::Type);
                };
                let layout = self.layouts.record(program, id)?;
                Ok(layout.fields[field as usize].align)
            }
            // GCC believes the strictest of the types that a pointer was cast from.
            ExprKind::Deref(mut pointer) => {
                let mut strictest = 1;
                while let Type::Pointer(target) = *program.resolve(program.type_of(pointer)) {
                    if let Ok(align) = self.layouts.preferred_align_of(program, target) {
                        strictest = strictest.max(align);
                    }
                    match program[pointer].kind {
                        ExprKind::Cast(inner) | ExprKind::Convert(inner) => pointer = inner,
                        _ => break,
                    }
                }
                Ok(strictest)
            }
            _ => self.layouts.preferred_align_of(program, program.type_of(operand)),
        };
        gnu(align.map(u64::from))
    }
}

/// The strictest alignment that a declaration of a function asks for. Without one, GNU C
/// says one, whatever the code will have.
fn function_align(program: &Program, function: FunctionId) -> u64 {
    let attributes = program[function].attributes.iter();
    let asked = attributes.filter(|attribute| program.text(attribute.name) == "aligned");
    let asked = asked.filter_map(|attribute| attribute.arguments.as_ref()?.parse().ok());
    asked.max().unwrap_or(1)
}

/// GNU C takes the size and the alignment of `void` and of functions to be one.
fn gnu(answer: Result<u64, NoLayout>) -> Result<u64, NotConstant> {
    match answer {
        Err(NoLayout::Void | NoLayout::Function) => Ok(1),
        answer => Ok(answer?),
    }
}

/// Whether a scalar compares unequal to zero.
fn is_true(value: Constant) -> bool {
    match value {
        Constant::Integer { value, .. } => value != 0,
        Constant::Float(value) => !value.is_zero(),
        Constant::Address(address) => address != 0,
    }
}

#[cfg(test)]
mod tests;
