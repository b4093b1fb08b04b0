//! Bit-fields: their places, and where compilers disagree about their types.
//!
//! A bit-field wider than `int` has the declared type for Clang, and a type of its
//! own width for GCC, which then computes in that width (C11 6.7.2.1p10 leaves it
//! open). Both give the same wherever every operand and result fits the narrow type,
//! which is checked; what does not fit is not supported.

use farrier_lang::{BinaryOp, ExprId, ExprKind, IntegerType, Type, TypeId, UnaryOp, integer_type};

use super::Lowerer;
use super::lvalues::Lvalue;
use crate::code::{BitField, Op, Reg};
use crate::value::Scalar;
use crate::verdict::Checked;

impl Lowerer<'_> {
    /// The place of a bit-field of type `ty` in a record at `whole`.
    pub(super) fn bit_field(
        &mut self,
        whole: Lvalue,
        bits: farrier_lang::layout::BitRange,
        ty: TypeId,
        lvalue: Option<ExprId>,
    ) -> Checked<Lvalue> {
        let (signed, wide) = match self.scalar(ty) {
            Some(Scalar::Int { signed, .. }) => (signed, false),
            Some(Scalar::Wide { signed, .. }) => (signed, true),
            _ => (false, false),
        };
        // Count from the byte that holds the first bit.
        let start = self.shifted(whole, bits.offset / 8)?;
        let mut offset = (bits.offset % 8) as u32;
        if self.program.target.big_endian {
            // The first bit is the highest of its byte. Below the last one are those that
            // fill the last byte.
            offset = (offset + bits.width).next_multiple_of(8) - (offset + bits.width);
        }
        let access = match (start, lvalue) {
            (Lvalue::Pointer(_, rules), Some(lvalue)) => {
                Some(self.access_to(lvalue, self.program.type_of(lvalue), rules))
            }
            _ => None,
        };
        self.code.fields.push(BitField { offset, width: bits.width, signed, wide, access });
        let field = self.code.fields.len() as u32 - 1;
        let pointer = self.address(start);
        Ok(Lvalue::Bits { pointer, field })
    }

    /// The type that a floating value of type `from` is converted to when it is stored: that
    /// of a bit-field has its width, C11 6.7.2.1p10.
    pub(super) fn held_as(&self, place: Lvalue, from: Scalar, to: Scalar) -> Scalar {
        let floating = matches!(from, Scalar::Single | Scalar::Double | Scalar::Float(_));
        match (place, to) {
            (Lvalue::Bits { field, .. }, Scalar::Int { signed, .. }) if floating => {
                Scalar::Int { signed, bits: self.code.fields[field as usize].width as u8 }
            }
            (Lvalue::Bits { field, .. }, Scalar::Wide { signed, .. }) if floating => {
                Scalar::Wide { signed, bits: self.code.fields[field as usize].width as u8 }
            }
            _ => to,
        }
    }

    /// The value of an expression that is to be stored in this place.
    pub(super) fn value_for(&mut self, place: Lvalue, value: ExprId) -> Checked<Reg> {
        if matches!(place, Lvalue::Bits { .. })
            && let ExprKind::Convert(operand) = self.program[value].kind
            && let Some(from) = self.scalar(self.program.type_of(operand))
            && let Some(to) = self.scalar(self.program.type_of(value))
            && let held = self.held_as(place, from, to)
            && held != to
        {
            let src = self.value(operand)?;
            return Ok(self.converted(src, from, held));
        }
        self.value(value)
    }

    /// The width of the bit-field that an expression reads or assigns to, with its declared type.
    fn field_width(&self, expr: ExprId) -> Option<(IntegerType, u32)> {
        match self.program[expr].kind {
            ExprKind::Load(place)
            | ExprKind::Assign(place, _)
            | ExprKind::CompoundAssign { target: place, .. }
            | ExprKind::Step(_, place)
            | ExprKind::Comma(_, place) => self.field_width(place),
            ExprKind::Member(base, index) => {
                let base = self.program.resolve(self.program.type_of(base));
                let Type::Record(record) = *base else { return None };
                let field = &self.program[record].fields.as_ref()?[index as usize];
                Some((integer_type(self.program, field.ty)?, field.bits?))
            }
            _ => None,
        }
    }

    /// The type of an expression as GCC sees it, if it is narrower than the declared one.
    fn narrow_type(&self, expr: ExprId) -> Option<IntegerType> {
        let int = self.program.target.int_bits(farrier_lang::IntKind::Int);
        match self.program[expr].kind {
            ExprKind::Comma(_, right) => self.narrow_type(right),
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::Plus, operand) => {
                self.narrow_type(operand)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.narrow_common(otherwise, then.unwrap_or(condition))
            }
            ExprKind::Binary(op, left, _) if op.is_shift() => self.narrow_type(left),
            ExprKind::Binary(op, left, right) if !op.is_comparison() => {
                self.narrow_common(left, right)
            }
            _ => {
                let (class, width) = self.field_width(expr)?;
                (width > int && width < class.bits)
                    .then_some(IntegerType { signed: class.signed, bits: width })
            }
        }
    }

    /// The type in which GCC computes with two operands, if it is not the one that they were
    /// converted to: it is narrower, or signed because it has all values of a narrow operand.
    fn narrow_common(&self, left: ExprId, right: ExprId) -> Option<IntegerType> {
        let int = self.program.target.int_bits(farrier_lang::IntKind::Int);
        let mut narrow = false;
        let mut own = |expr: ExprId| {
            let mut expr = expr;
            while let ExprKind::Convert(operand) = self.program[expr].kind {
                expr = operand;
            }
            match self.narrow_type(expr) {
                Some(class) => {
                    narrow = true;
                    Some(class)
                }
                None => match self.field_width(expr) {
                    Some((class, width)) if width <= int => {
                        Some(IntegerType { signed: class.signed || width < int, bits: int })
                    }
                    _ => integer_type(self.program, self.program.type_of(expr)),
                },
            }
        };
        let (a, b) = (own(left)?, own(right)?);
        if !narrow {
            return None;
        }
        let bits = a.bits.max(b.bits);
        let signed = [a, b].iter().all(|class| class.signed || class.bits < bits);
        let declared = integer_type(self.program, self.program.type_of(left))?;
        let class = IntegerType { signed, bits };
        (bits < declared.bits || bits == declared.bits && class != declared).then_some(class)
    }

    /// The type in which a binary operator may have to work.
    pub(super) fn narrow_operation(
        &self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<IntegerType> {
        if !self.wide_fields {
            None
        } else if op.is_shift() {
            self.narrow_type(left)
        } else {
            self.narrow_common(left, right)
        }
    }

    pub(super) fn narrow_value(&self, expr: ExprId) -> Option<IntegerType> {
        if self.wide_fields { self.narrow_type(expr) } else { None }
    }

    /// The value, of type `ty`, must fit the type of GCC: otherwise compilers disagree about it.
    pub(super) fn check_width(&mut self, src: Reg, ty: Option<Scalar>, class: IntegerType) {
        let wide = matches!(ty, Some(Scalar::Wide { .. }));
        let unsigned = matches!(
            ty,
            Some(Scalar::Int { signed: false, .. } | Scalar::Wide { signed: false, .. })
        );
        // A number that is negative in one of the two types is none of those that both have.
        let class = match unsigned && class.signed {
            true => IntegerType { signed: false, bits: class.bits - 1 },
            false => class,
        };
        self.emit(Op::CheckWidth { src, signed: class.signed, bits: class.bits as u8, wide });
    }

    /// The count of a shift must be less than the width of the narrow type.
    pub(super) fn check_count(&mut self, right: Reg, class: IntegerType) {
        self.emit(Op::CheckCount { src: right, bits: class.bits as u8 });
    }
    /// A shift count of type `ty` as the operation takes it.
    pub(super) fn shift_count(&mut self, src: Reg, ty: Option<Scalar>) -> Reg {
        let Some(Scalar::Wide { signed, .. }) = ty else { return src };
        let dst = self.temporary();
        self.emit(Op::WideCount { dst, src, signed });
        dst
    }
}
