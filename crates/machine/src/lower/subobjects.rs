//! Pointers that are made for a member or a row, which they must not leave (C11 6.5.6p8).
//!
//! `&s.m`, `&a[1][2]` and rows and members that decay make such pointers; they carry a view
//! (see `views`). Three things are more than a member or row:
//!
//! - An array of at most one element at the end of a record is as large as the program has
//!   made it.
//! - A pointer that is cast to another type is one to the whole object: programs look at
//!   bytes, and go from a member to its record. One that becomes `void *`, or that of another
//!   scalar of the same size, stays as it is.
//! - An integer that was a pointer.

use farrier_lang::{ArrayLength, ExprId, ExprKind, Type, TypeId};

use super::Lowerer;
use super::variable::Size;
use crate::code::{Op, Reg};
use crate::value::{Scalar, Value};
use crate::verdict::Checked;

/// What a pointer to an lvalue may reach.
enum Reach {
    /// As much as the pointer that leads to the lvalue, or the object with this name.
    Same,
    /// The whole object.
    All,
    /// A member or row of a type; the lvalue is so many bytes behind its start.
    Part { ty: TypeId, back: u64 },
}

impl Lowerer<'_> {
    /// The pointer that `&lvalue` is, or to which the array decays.
    pub(super) fn narrowed(&mut self, pointer: Reg, lvalue: ExprId, decays: bool) -> Checked<Reg> {
        match self.reach(lvalue, decays) {
            Reach::Same => Ok(pointer),
            Reach::All => Ok(self.widened(pointer, 0)),
            Reach::Part { ty, back } => {
                let dst = self.temporary();
                match (self.size(ty)?, u32::try_from(back)) {
                    (Size::Fixed(size), Ok(back)) if u32::try_from(size).is_ok() => {
                        let size = size as u32;
                        self.emit(Op::Narrow { dst, pointer, back, size });
                    }
                    (size, _) => {
                        let size = match size {
                            Size::Fixed(size) => self.constant(Value { low: size, high: 0 }, None),
                            Size::Variable(size) => size,
                        };
                        let back = self.constant(Value { low: back, high: 0 }, None);
                        self.emit(Op::NarrowVariable { dst, pointer, back, size });
                    }
                }
                Ok(dst)
            }
        }
    }

    /// What the pointer may reach to which an array decays, or that `&` makes.
    fn reach(&mut self, lvalue: ExprId, decays: bool) -> Reach {
        match self.program[lvalue].kind {
            ExprKind::Member(..) if self.is_flexible(lvalue) => Reach::All,
            ExprKind::Member(..) => Reach::Part { ty: self.program.type_of(lvalue), back: 0 },
            ExprKind::Index(..) | ExprKind::Deref(_) if decays && self.is_array(lvalue) => {
                Reach::Part { ty: self.program.type_of(lvalue), back: 0 }
            }
            ExprKind::Index(base, index) => self.reach_of_element(base, index),
            _ => Reach::Same,
        }
    }

    /// Where an element is, its array counts, also for the address of a row; with an index that
    /// is no constant, the pointer to the array has been narrowed already.
    fn reach_of_element(&mut self, base: ExprId, index: ExprId) -> Reach {
        let ExprKind::Decay(array) = self.program[base].kind else { return Reach::Same };
        let Some((position, element)) = self.known_element(array, index) else {
            return Reach::Same;
        };
        match self.reach(array, true) {
            Reach::Part { ty, back } => Reach::Part { ty, back: back + position * element },
            reach => reach,
        }
    }

    /// Whether an lvalue is an array whose length is known.
    fn is_array(&self, lvalue: ExprId) -> bool {
        matches!(
            self.program.resolve(self.program.type_of(lvalue)),
            Type::Array { length: ArrayLength::Fixed(_) | ArrayLength::Variable(_), .. }
        )
    }

    /// Whether a member is an array that may be larger than it says.
    pub(super) fn is_flexible(&self, member: ExprId) -> bool {
        let ty = self.program.resolve(self.program.type_of(member));
        matches!(self.program[member].kind, ExprKind::Member(..))
            && matches!(
                ty,
                Type::Array { length: ArrayLength::Fixed(0 | 1) | ArrayLength::Unknown, .. }
            )
    }

    /// The pointer without its part, or only without one that is not made of elements of a
    /// size.
    fn widened(&mut self, pointer: Reg, element: u32) -> Reg {
        let dst = self.temporary();
        self.emit(Op::Widen { dst, pointer, element });
        dst
    }

    /// A pointer that is converted to a type with a stricter alignment must have it.
    pub(super) fn check_aligned(&mut self, operand: ExprId, src: Reg, to: TypeId) {
        let align = self.pointee_align(to);
        if align > self.pointee_align(self.program.type_of(operand))
            && !self.allocates(operand)
            && !self.is_null_constant(operand)
        {
            self.emit(Op::CheckAligned { src, align });
        }
    }

    fn is_null_constant(&self, expr: ExprId) -> bool {
        match self.program[expr].kind {
            ExprKind::Cast(operand) | ExprKind::Convert(operand) => self.is_null_constant(operand),
            ExprKind::Int(_) => true,
            _ => false,
        }
    }

    /// What a pointer of this type must be aligned to; 1 where the type does not say.
    fn pointee_align(&mut self, pointer: TypeId) -> u32 {
        match self.program.pointee(pointer) {
            Some(target) => self.layouts.align_of(self.program, target).unwrap_or(1),
            None => 1,
        }
    }

    /// Whether this is a call of a function of the library, whose result is aligned for
    /// everything if it is a pointer to memory.
    fn allocates(&self, expr: ExprId) -> bool {
        let ExprKind::Call(function, _) = self.program[expr].kind else { return false };
        let ExprKind::Decay(designator) = self.program[function].kind else { return false };
        let ExprKind::Function(id) = self.program[designator].kind else { return false };
        let allocators = ["malloc", "calloc", "realloc", "alloca"];
        let name = self.program.text(self.program[id].name);
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        self.program[id].body.is_none() && allocators.contains(&name)
    }

    /// A pointer that is converted to another type.
    pub(super) fn reshaped(&mut self, pointer: Reg, from: TypeId, to: TypeId, cast: bool) -> Reg {
        let (Some(from), Some(to)) = (self.program.pointee(from), self.program.pointee(to)) else {
            // It becomes an integer.
            return self.widened(pointer, 0);
        };
        let (from, to) = (from.unqualified(), to.unqualified());
        let character = |ty: Option<Scalar>| matches!(ty, Some(Scalar::Int { bits: 8, .. }));
        let (old, new) = (self.scalar(from), self.scalar(to));
        if *self.program.resolve(to) == Type::Void {
            return pointer;
        }
        if character(new) {
            return if cast || !character(old) { self.widened(pointer, 0) } else { pointer };
        }
        if farrier_lang::build::compatible(self.program, from, to) {
            return pointer;
        }
        let size = |ty: Option<Scalar>| ty.map(|ty| ty.size(self.program));
        match (size(old), size(new)) {
            (Some(old), Some(new)) if old == new => pointer,
            (None, Some(new)) if *self.program.resolve(from) == Type::Void => {
                self.widened(pointer, new)
            }
            _ => self.widened(pointer, 0),
        }
    }
}
