//! Variable-length arrays, C11 6.7.6.2: sizes that are known when the program runs.
//!
//! Each length has a register of its own, reserved for the whole function. It is
//! computed where the type is met first in the text: at its declaration, or in the
//! cast, `sizeof` or compound literal that contains it.

use farrier_lang::{ArrayLength, ExprId, ExprKind, ObjectId, Program, Type, TypeId};

use super::{Home, Lowerer};
use crate::code::{Element, Local, Op, Reg};
use crate::value::{Scalar, Value};
use crate::verdict::{At, Checked};

/// The size of a type in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Fixed(u64),
    Variable(Reg),
}

/// The lengths that a type mentions, outermost first.
pub(super) fn lengths_of(program: &Program, ty: TypeId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut inner = Some(ty);
    while let Some(ty) = inner {
        inner = match *program.resolve(ty) {
            Type::Array { element, length } => {
                if let ArrayLength::Variable(length) = length {
                    found.push(length);
                }
                Some(element)
            }
            Type::Pointer(target) => Some(target),
            _ => None,
        }
    }
    found
}

impl Lowerer<'_> {
    /// Computes the lengths in a type that were not met before.
    pub(super) fn evaluate_lengths(&mut self, ty: TypeId) -> Checked {
        self.evaluate_all_lengths(&[ty])
    }

    /// Computes the lengths in the types of one declarator, which have no order.
    pub(super) fn evaluate_all_lengths(&mut self, types: &[TypeId]) -> Checked {
        let lengths = self.new_lengths(types);
        let operands: Vec<&[ExprId]> = lengths.chunks(1).collect();
        let recording = self.begin_order(&operands);
        for (index, length) in lengths.iter().enumerate() {
            if index > 0 {
                self.next_operand(recording);
            }
            self.length(*length)?;
        }
        self.end_order(recording);
        Ok(())
    }

    /// The lengths in types that were not met before.
    pub(super) fn new_lengths(&self, types: &[TypeId]) -> Vec<ExprId> {
        if !self.variable_lengths {
            return Vec::new();
        }
        let mut lengths: Vec<ExprId> =
            types.iter().flat_map(|ty| lengths_of(self.program, *ty)).collect();
        lengths.retain(|length| !self.evaluated.contains(length));
        lengths
    }

    /// The register that holds a length.
    fn length(&mut self, expr: ExprId) -> Checked<Reg> {
        let Some(&reg) = self.lengths.get(&expr) else {
            return Ok(self.unsupported("a variable-length array here"));
        };
        if !self.evaluated.insert(expr) {
            return Ok(reg);
        }
        let mark = self.next;
        let outer = std::mem::replace(&mut self.at, At::Expr(expr));
        let ty = self.program.type_of(expr);
        let src = match self.program[expr].kind {
            // A typedef keeps its length in an object.
            ExprKind::Object(_) => {
                let place = self.place(expr, true)?;
                self.load(place, ty, None)
            }
            _ => self.value(expr)?,
        };
        match self.scalar(ty) {
            Some(Scalar::Int { signed, .. }) => {
                self.emit(Op::Length { dst: reg, src, signed });
            }
            Some(Scalar::Bool) => {
                self.emit(Op::Length { dst: reg, src, signed: false });
            }
            _ => {
                self.unsupported("an array length of this type");
            }
        }
        self.next = mark;
        self.at = outer;
        Ok(reg)
    }

    /// The size of a type, computed if it must be.
    pub(super) fn size(&mut self, ty: TypeId) -> Checked<Size> {
        if let Some(size) = self.size_of(ty) {
            return Ok(Size::Fixed(size));
        }
        self.evaluate_lengths(ty)?;
        let Type::Array { element, length } = *self.program.resolve(ty) else {
            return Ok(Size::Variable(self.unsupported("a record of variable size")));
        };
        let length = match length {
            ArrayLength::Variable(length) => self.length(length)?,
            ArrayLength::Fixed(length) => self.constant(Value { low: length, high: 0 }, None),
            ArrayLength::Unknown | ArrayLength::Star => {
                self.unsupported("the size of an array of unknown length")
            }
        };
        let element = match self.size(element)? {
            Size::Fixed(size) => self.constant(Value { low: size, high: 0 }, None),
            Size::Variable(size) => size,
        };
        let dst = self.temporary();
        self.emit(Op::VariableSize { dst, length, element });
        Ok(Size::Variable(dst))
    }

    /// A pointer moved by elements of this size; that in `element` is not known yet.
    pub(super) fn move_pointer(
        &mut self,
        pointer: Reg,
        index: Reg,
        size: Size,
        element: Element,
    ) -> Reg {
        let dst;
        match size {
            Size::Fixed(size) => {
                let element = self.element(Element { size, ..element });
                dst = self.temporary();
                self.emit(Op::Element { dst, pointer, index, element });
            }
            Size::Variable(size) => {
                let element = self.element(element);
                dst = self.temporary();
                self.emit(Op::ElementVariable { dst, pointer, index, element, size });
            }
        }
        dst
    }

    /// `left - right` of two pointers.
    pub(super) fn difference(&mut self, dst: Reg, left: Reg, right: Reg, size: Size) {
        match size {
            Size::Fixed(size) => {
                let element = self.element(Element {
                    size,
                    bound: None,
                    accessed: false,
                    negative: false,
                    signed: true,
                });
                self.emit(Op::Difference { dst, left, right, element });
            }
            Size::Variable(size) => {
                self.emit(Op::DifferenceVariable { dst, left, right, size });
            }
        }
    }

    /// The declaration of a variable array is reached: its life begins.
    pub(super) fn declare_variable(&mut self, object: ObjectId) -> Checked {
        let ty = self.program[object].ty;
        let size = match self.size(ty)? {
            Size::Variable(size) => size,
            Size::Fixed(size) => self.constant(Value { low: size, high: 0 }, None),
        };
        let local = match self.homes.get(&object) {
            Some(Home::Memory(local)) => *local,
            _ => {
                let align = self.layouts.object_align(self.program, object).unwrap_or(1);
                let constant = super::is_constant(self.program, ty);
                let (object, at) = (Some(object), self.at);
                let local = Local { object, at, size: 0, align, ty, constant, variable: true };
                self.push_local(local)
            }
        };
        self.homes.insert(object, Home::Memory(local));
        self.emit(Op::EnterVariable { local, size });
        if self.program[object].init.is_some() {
            // C23 allows `= {}` and nothing else.
            let pointer = self.temporary();
            self.emit(Op::LocalAddress { dst: pointer, local, offset: 0 });
            self.emit(Op::ZeroVariable { pointer, size });
        }
        self.freeze(local);
        Ok(())
    }
}
