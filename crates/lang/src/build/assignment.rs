//! Assignment, arguments, results and initialisers: conversion as if by assignment.

use rustc_hash::FxHashSet;

use super::compatible::{alike, compatible_unqualified, same_lanes};
use super::{Builder, Built, PERMISSIVE_HELP, TypeError};
use crate::arena::ExprId;
use crate::expr::{BinaryOp, ExprKind, StepOp};
use crate::print::type_text;
use crate::program::Program;
use crate::types::{Qualifiers, Type, TypeId, Types};

/// Whether a type or any part of it is const, C11 6.3.2.1p1.
pub(crate) fn has_const_part(program: &Program, ty: TypeId) -> bool {
    // Each record is looked at once, however many members have it as their type.
    let mut seen = FxHashSet::default();
    let mut waiting = Vec::new();
    let mut next = Some(ty);
    while let Some(ty) = next.or_else(|| waiting.pop()) {
        next = None;
        if ty.qualifiers().contains(Qualifiers::CONST) {
            return true;
        }
        match program.types.get(ty) {
            Type::Typedef(id) => next = Some(program[*id].base),
            Type::Array { element, .. } => next = Some(*element),
            Type::Record(id) if seen.insert(*id) => {
                waiting.extend(program[*id].fields.iter().flatten().map(|field| field.ty));
            }
            _ => {}
        }
    }
    false
}

impl Builder<'_> {
    /// Converts a value as if it were assigned to an object of type `ty`, C11 6.5.16.1.
    pub fn convert_assigned(&mut self, expr: ExprId, ty: TypeId) -> Built {
        let value = self.value(expr);
        let from = self.program.type_of(value);
        let to = ty.unqualified();
        if from == to {
            return Ok(value);
        }
        let value = self.shown(value, None);
        let allowed = match (self.program.resolve(from), self.program.resolve(to)) {
            (Type::Void, _) | (_, Type::Void) => false,
            _ if self.program.is_arithmetic(from) && self.program.is_arithmetic(to) => true,
            (Type::Pointer(a), Type::Pointer(b)) => {
                let (a, b) = (*a, *b);
                self.permissive
                    || a.unqualified() == Types::VOID
                    || b.unqualified() == Types::VOID
                    || alike(self.program, a, b)
                    || self.is_null_constant(value)
            }
            // _Bool takes any scalar.
            (Type::Pointer(_) | Type::NullPointer, Type::Int(crate::types::IntKind::Bool)) => true,
            (Type::Pointer(_), _) if self.program.is_integer(to) => self.permissive,
            (Type::NullPointer, Type::Pointer(_)) => true,
            (_, Type::Pointer(_) | Type::NullPointer) if self.program.is_integer(from) => {
                self.permissive || self.is_null_constant(value)
            }
            (_, Type::Vector { .. }) if self.program.is_arithmetic(from) => {
                self.program.is_extended(to)
            }
            (Type::Vector { .. }, Type::Vector { .. }) => {
                compatible_unqualified(self.program, from, to)
                    || same_lanes(self.program, from, to)
                    || (self.permissive && self.same_size(from, to))
            }
            _ => compatible_unqualified(self.program, from, to),
        };
        if allowed {
            return Ok(self.convert(value, to));
        }
        let message = format!(
            "a value of type `{}` cannot become `{}`",
            type_text(self.program, from),
            type_text(self.program, to)
        );
        let pointer = |ty| self.program.pointee(ty).is_some();
        let castable = |ty| pointer(ty) || self.program.is_integer(ty);
        Err(if castable(from) && castable(to) {
            TypeError::with_help(message, PERMISSIVE_HELP)
        } else if pointer(from) && self.program.is_arithmetic(to)
            || self.program.is_arithmetic(from) && pointer(to)
        {
            TypeError::with_help(message, "no cast does this: convert through an integer")
        } else {
            TypeError::new(message)
        })
    }

    pub(super) fn same_size(&mut self, left: TypeId, right: TypeId) -> bool {
        match (self.layouts.size_of(self.program, left), self.layouts.size_of(self.program, right))
        {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        }
    }

    /// Checks that `target` can be assigned to, and returns its type without qualifiers.
    fn assignable(&self, target: ExprId) -> Result<TypeId, TypeError> {
        let ty = self.program.type_of(target);
        if !self.program.is_lvalue(target) {
            return Err(TypeError::new(format!(
                "only an object can be assigned to, this is a value of type `{}`",
                self.words(target)
            )));
        }
        match self.program.resolve(ty) {
            Type::Array { .. } | Type::Function(_) | Type::Void => Err(TypeError::new(format!(
                "an object of type `{}` cannot be assigned to",
                self.words(target)
            ))),
            _ if ty.qualifiers().contains(Qualifiers::CONST) => Err(TypeError::new(format!(
                "a `{}` object cannot be assigned to",
                self.words(target)
            ))),
            _ if has_const_part(self.program, ty) => Err(TypeError::new(format!(
                "an object of type `{}` cannot be assigned to: a member of it is `const`",
                self.words(target)
            ))),
            _ => Ok(ty.unqualified()),
        }
    }

    /// `target = value`, C11 6.5.16.1.
    pub fn assign(&mut self, target: ExprId, value: ExprId) -> Built {
        let ty = self.assignable(target)?;
        let value = self.convert_assigned(value, ty)?;
        Ok(self.node(ExprKind::Assign(target, value), ty))
    }

    /// `target op= value`, C11 6.5.16.2.
    pub fn compound_assign(&mut self, op: BinaryOp, target: ExprId, value: ExprId) -> Built {
        let ty = self.assignable(target)?;
        let mut value = self.value(value);
        if let ExprKind::Convert(_) = self.program[value].kind {
            let read = self.value(target);
            value = self.shown_operands(op, read, value).1;
        }
        // The operator is typed on a read of the target that is then thrown away:
        // only the types it would have matter.
        let mark = self.program.exprs.len();
        let read = self.value(target);
        let whole = self.binary(op, read, value)?;
        let ExprKind::Binary(_, left, right) = self.program[whole].kind else {
            unreachable!("binary returns a binary node")
        };
        let computation = self.program.type_of(left);
        let result = self.program.type_of(whole);
        let conversions = self.conversions_between(value, right);
        self.program.exprs.truncate(mark);
        let value = conversions.into_iter().fold(value, |expr, ty| self.convert(expr, ty));
        if result != ty && !(self.program.is_arithmetic(result) && self.program.is_arithmetic(ty)) {
            return Err(TypeError::new(format!(
                "`{}=` cannot store a value of type `{}` into an object of type `{}`",
                op.text(),
                type_text(self.program, result),
                type_text(self.program, ty)
            )));
        }
        Ok(self.node(ExprKind::CompoundAssign { op, target, value, computation }, ty))
    }

    /// The types of the conversions that lead from `value` to `converted`, innermost first.
    fn conversions_between(&self, value: ExprId, converted: ExprId) -> Vec<TypeId> {
        let mut types = Vec::new();
        let mut at = converted;
        while at != value {
            let ExprKind::Convert(operand) = self.program[at].kind else {
                unreachable!("operators only add conversions to values")
            };
            types.push(self.program.type_of(at));
            at = operand;
        }
        types.reverse();
        types
    }

    /// `++` and `--`, C11 6.5.2.4 and 6.5.3.1.
    pub fn step(&mut self, op: StepOp, target: ExprId) -> Built {
        let ty = self.assignable(target)?;
        if let Some(pointee) = self.program.pointee(ty) {
            self.check_steps_over(pointee)?;
        } else if !self.program.is_arithmetic(ty)
            && !matches!(self.program.resolve(ty), Type::Vector { .. })
        {
            return Err(TypeError::new(format!(
                "`++` and `--` need a number or a pointer, this has type `{}`",
                self.words(target)
            )));
        }
        Ok(self.node(ExprKind::Step(op, target), ty))
    }
}
