//! Assignments of a scalar from one that overlaps it, C11 6.5.16.1p3: the text shows it,
//! because the two are members of one union. Structures are compared when the program runs.

use std::ops::Range;

use farrier_lang::{ExprId, ExprKind, ObjectId, Type, TypeId};

use super::Lowerer;

/// What the path of an lvalue begins in: an object, or what a pointer object points to.
type Root = (ObjectId, bool);

impl Lowerer<'_> {
    /// Whether the value that is assigned is read from another object that overlaps the
    /// target, but not exactly or with another type.
    pub(super) fn overlaps(&mut self, target: ExprId, value: ExprId) -> bool {
        let mut source = value;
        while let ExprKind::Convert(operand) = self.program[source].kind {
            source = operand;
        }
        let ExprKind::Load(source) = self.program[source].kind else { return false };
        let (Some((root, to)), Some((other, from))) = (self.bits_of(target), self.bits_of(source))
        else {
            return false;
        };
        let unqualified = |expr: ExprId| self.program.type_of(expr).unqualified();
        let (to_type, from_type) = (unqualified(target), unqualified(source));
        let exact = to == from && farrier_lang::build::compatible(self.program, to_type, from_type);
        root == other && to.start < from.end && from.start < to.end && !exact
    }

    /// Which bits of what an lvalue designates, if that needs no run to know.
    fn bits_of(&mut self, lvalue: ExprId) -> Option<(Root, Range<u64>)> {
        let ty: TypeId = self.program.type_of(lvalue);
        match self.program[lvalue].kind {
            ExprKind::Object(object) => Some(((object, false), 0..8 * self.size_of(ty)?)),
            ExprKind::Deref(pointer) => {
                let ExprKind::Load(pointer) = self.program[pointer].kind else { return None };
                let ExprKind::Object(object) = self.program[pointer].kind else { return None };
                Some(((object, true), 0..8 * self.size_of(ty)?))
            }
            ExprKind::Member(base, index) => {
                let (root, whole) = self.bits_of(base)?;
                let base = self.program.type_of(base);
                let Type::Record(record) = *self.program.resolve(base) else { return None };
                let layout = self.layouts.record(self.program, record).ok()?;
                let field = layout.fields[index as usize];
                let (start, width) = match field.bits {
                    Some(bits) => (bits.offset, u64::from(bits.width)),
                    None => (8 * field.offset, 8 * self.size_of(ty)?),
                };
                let start = whole.start + start;
                Some((root, start..start + width))
            }
            _ => None,
        }
    }
}
