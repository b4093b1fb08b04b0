//! Assignments, plain and compound, and `++` and `--`.

use farrier_lang::{BinaryOp, ExprId, ExprKind, Qualifiers, StepOp, Type, TypeId};

use super::Lowerer;
use super::lvalues::Lvalue;
use crate::code::{Element, Op, Reg};
use crate::kinds::UbKind;
use crate::value::{Scalar, Value};
use crate::verdict::Checked;

/// What the value of an assignment is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// The program goes on with it.
    Value,
    /// It is for a profile, and the program does not use it.
    Seen,
    /// It is discarded.
    Nothing,
}

impl Lowerer<'_> {
    pub(super) fn assign(&mut self, target: ExprId, value: ExprId) -> Checked<Reg> {
        let ty = self.program.type_of(target);
        let recording = self.begin_assignment(target, value, false);
        if self.is_aggregate(ty) {
            let from = self.value(value)?;
            self.next_operand(recording);
            let place = self.place(target, true)?;
            self.end_assignment_operands(recording);
            let access = self.check_object(place, ty);
            let to = self.address(place);
            if self.size_of(ty).is_none() {
                return Ok(self.unsupported("a record of variable size"));
            }
            self.copy_object(to, from, ty);
            if let Some(access) = access {
                self.emit(Op::NoteObject { pointer: to, access });
            }
            self.end_assignment(recording);
            return Ok(to);
        }
        let place = self.place(target, true)?;
        self.next_operand(recording);
        if let Lvalue::Register(reg) = place
            && !recording
        {
            let result = self.value_to(value, Some(reg))?;
            self.assigned_restricted(reg, ty);
            self.touch(reg, true);
            return Ok(result);
        }
        let src = self.value_for(place, value)?;
        self.end_assignment_operands(recording);
        if self.overlaps(target, value) {
            self.undefined(
                UbKind::OverlappingAssignment,
                "the value is read from an object that overlaps this one, but not exactly or with \
                 another type",
            );
        }
        self.store(place, ty, src);
        self.end_assignment(recording);
        Ok(self.stored(place, src))
    }

    /// The value of an assignment: what the object holds afterwards.
    pub(super) fn stored(&mut self, place: Lvalue, src: Reg) -> Reg {
        match place {
            Lvalue::Bits { field, .. } => {
                let dst = self.temporary();
                self.emit(Op::CutBits { dst, src, field });
                dst
            }
            _ => src,
        }
    }

    /// Where the result of an operation on a place and something else is computed: in the register
    /// of the place, if it is to have that and nothing uses what it had.
    fn computed_in(&mut self, place: Lvalue, fits: bool) -> Reg {
        match place {
            Lvalue::Register(reg) if fits => reg,
            _ => self.temporary(),
        }
    }

    /// `target op= value`
    pub(super) fn compound_assign(
        &mut self,
        op: BinaryOp,
        (target, value): (ExprId, ExprId),
        computation: TypeId,
        purpose: Use,
    ) -> Checked<Reg> {
        let ty = self.program.type_of(target);
        let recording = self.begin_assignment(target, value, true);
        let place = self.place(target, true)?;
        if self.program.pointee(ty).is_some() {
            let negative = op == BinaryOp::Sub;
            return self.step_pointer(place, ty, value, negative, recording);
        }
        let value_type = self.program.type_of(value);
        if [ty, value_type, computation].iter().any(|ty| self.parts(*ty).is_some()) {
            if self.parts(ty).is_some() {
                let pointer = self.address(place);
                self.touch_bytes(pointer, ty, false);
            }
            self.next_operand(recording);
            let right = (value_type, self.value(value)?);
            self.end_assignment_operands(recording);
            let reg = self.compound_assign_parts(op, (place, ty), right, computation);
            self.end_assignment(recording);
            return Ok(reg);
        }
        let (Some(scalar), Some(computed)) = (self.scalar(ty), self.scalar(computation)) else {
            return Ok(self.unsupported("arithmetic on this type"));
        };
        // The target is read once, in no order with the value. If the order mattered, that
        // would be reported, so that the value may be read early.
        let early = recording.then(|| self.load(place, ty, None));
        self.next_operand(recording);
        let narrow = self.narrow_operation(op, target, value);
        let literal = self.right_literal(op, value).filter(|_| narrow.is_none());
        let right = match literal {
            Some(_) => 0,
            None if narrow.is_none() && self.is_watched_literal(op, value) => {
                self.value_for_nothing(value)?
            }
            None => self.value(value)?,
        };
        self.end_assignment_operands(recording);
        let count = self.scalar(self.program.type_of(value));
        let right =
            if op.is_shift() && literal.is_none() { self.shift_count(right, count) } else { right };
        let old = early.unwrap_or_else(|| self.load(place, ty, None));
        let left = self.converted(old, scalar, computed);
        // Cutting the result of these to an unsigned field hides the width.
        let hides = matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        );
        let narrow = narrow.filter(|class| class.signed || !hides);
        if let Some(class) = narrow {
            if op.is_shift() {
                self.check_count(right, class);
            } else {
                self.check_width(right, Some(computed), class);
            }
        }
        let simple = !recording && narrow.is_none() && computed == scalar;
        let in_place = simple && purpose != Use::Value;
        let dst = self.computed_in(place, in_place);
        if let Some(right) = literal {
            self.operate_on_constant(op, computed, dst, left, right);
        } else if op.is_shift() {
            self.emit(Op::Shift { op, ty: computed, dst, left, right });
        } else {
            self.emit(Op::Binary { op, ty: computed, dst, left, right });
        }
        if let Some(class) = narrow {
            self.check_width(dst, Some(computed), class);
        }
        let held = self.held_as(place, computed, scalar);
        let new = self.converted(dst, computed, held);
        self.store(place, ty, new);
        self.end_assignment(recording);
        Ok(self.stored(place, new))
    }

    /// `pointer += value` and `pointer -= value`.
    pub(super) fn step_pointer(
        &mut self,
        place: Lvalue,
        ty: TypeId,
        value: ExprId,
        negative: bool,
        recording: bool,
    ) -> Checked<Reg> {
        let early = recording.then(|| self.load(place, ty, None));
        self.next_operand(recording);
        let index = self.value(value)?;
        self.end_assignment_operands(recording);
        let signed = match self.scalar(self.program.type_of(value)) {
            Some(Scalar::Int { signed, .. }) => signed,
            _ => false,
        };
        let old = early.unwrap_or_else(|| self.load(place, ty, None));
        let new = self.step_pointer_by(place, ty, old, index, negative, signed)?;
        self.end_assignment(recording);
        Ok(new)
    }

    pub(super) fn step_pointer_by(
        &mut self,
        place: Lvalue,
        ty: TypeId,
        old: Reg,
        index: Reg,
        negative: bool,
        signed: bool,
    ) -> Checked<Reg> {
        let pointee = self.program.pointee(ty).expect("well-formed: the caller asked");
        let size = self.size(pointee)?;
        let element = Element { size: 0, bound: None, accessed: false, negative, signed };
        let dst = self.move_pointer(old, index, size, element);
        self.store(place, ty, dst);
        Ok(dst)
    }

    /// `++` and `--`
    pub(super) fn step(&mut self, op: StepOp, target: ExprId, purpose: Use) -> Checked<Reg> {
        let ty = self.program.type_of(target);
        let place = self.place(target, true)?;
        let negative = matches!(op, StepOp::PreDecrement | StepOp::PostDecrement);
        let post = matches!(op, StepOp::PostIncrement | StepOp::PostDecrement);
        if self.parts(ty).is_some() {
            return Ok(self.step_parts(op, place, ty));
        }
        let Some(scalar) = self.scalar(ty) else {
            return Ok(self.unsupported("arithmetic on this type"));
        };
        let mut old = self.load(place, ty, None);
        if post && purpose != Use::Nothing && matches!(place, Lvalue::Register(_)) {
            // The register is about to change.
            let kept = self.temporary();
            self.emit(Op::Copy { dst: kept, src: old });
            if self.exactness && purpose == Use::Seen {
                self.emit(Op::Refund { operations: 1 });
            }
            old = kept;
        }
        if scalar == Scalar::Pointer {
            let one = self.constant(Value::int(1), None);
            let new = self.step_pointer_by(place, ty, old, one, negative, true)?;
            return Ok(if post { old } else { new });
        }
        // The computation is that of `x += 1` (C11 6.5.3.1p2): in the promoted type.
        let promoted = match self.program.resolve(ty) {
            Type::BitInt { .. } => scalar,
            _ => self.promoted(scalar),
        };
        let left = self.converted(old, scalar, promoted);
        let in_place = purpose != Use::Value && promoted == scalar;
        let dst = self.computed_in(place, in_place);
        let op = if negative { BinaryOp::Sub } else { BinaryOp::Add };
        let one = match promoted {
            Scalar::Single => u64::from(1_f32.to_bits()),
            Scalar::Double => 1_f64.to_bits(),
            _ => 1,
        };
        if let Scalar::Float(_) = promoted {
            let one = self.constant(Value::int(1), None);
            let right = self.converted(one, Scalar::Int { signed: true, bits: 32 }, promoted);
            self.emit(Op::Binary { op, ty: promoted, dst, left, right });
        } else {
            self.operate_on_constant(op, promoted, dst, left, one);
        }
        if let Some(class) = self.narrow_value(target).filter(|class| class.signed) {
            self.check_width(dst, Some(promoted), class);
        }
        let new = self.converted(dst, promoted, scalar);
        self.store(place, ty, new);
        Ok(if post { old } else { self.stored(place, new) })
    }

    /// Whether an lvalue is `*p`, where p is an object. No compiler reads p for `sizeof *p`,
    /// and `p = malloc(sizeof *p)` relies on that.
    pub(super) fn is_named_target(&self, operand: ExprId) -> bool {
        let ExprKind::Deref(pointer) = self.program[operand].kind else { return false };
        let ExprKind::Load(object) = self.program[pointer].kind else { return false };
        let volatile = self.program.type_of(object).qualifiers().contains(Qualifiers::VOLATILE);
        matches!(self.program[object].kind, ExprKind::Object(_)) && !volatile
    }
}
