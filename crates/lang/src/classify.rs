//! Questions about types that many ask.

use crate::arena::ExprId;
use crate::expr::{ExprKind, Lanes};
use crate::program::{Entity, Item, Program};
use crate::types::{ArrayLength, Type, TypeId, Types};

/// What only some compilers know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rarity {
    /// `_BitInt`: clang since version 15, gcc since version 14.
    BitInt,
    /// Vectors of `ext_vector_type`: clang alone.
    ExtendedVectors,
}

impl Rarity {
    /// What it is, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::BitInt => "integers of `_BitInt`, which only newer compilers know",
            Self::ExtendedVectors => "vectors that only clang knows",
        }
    }
}

impl Program {
    /// The type that an integer type behaves as: an enumeration as its underlying
    /// type, everything else as itself; `None` if it is not an integer type.
    pub fn integer_class(&self, ty: TypeId) -> Option<Type> {
        match self.resolve(ty) {
            Type::Int(kind) => Some(Type::Int(*kind)),
            &Type::BitInt { signed, width } => Some(Type::BitInt { signed, width }),
            Type::Enum(id) => Some(Type::Int(self[*id].underlying)),
            _ => None,
        }
    }

    /// Whether it is an integer type, C11 6.2.5p17.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.resolve(ty), Type::Int(_) | Type::BitInt { .. } | Type::Enum(_))
    }

    /// Whether it is an arithmetic type, complex types included, C11 6.2.5p18.
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.is_integer(ty) || matches!(self.resolve(ty), Type::Float(_) | Type::Complex(_))
    }

    /// Whether it is a scalar type, C11 6.2.5p21.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || matches!(self.resolve(ty), Type::Pointer(_) | Type::NullPointer)
    }

    /// What a pointer type points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.resolve(ty) {
            Type::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// Whether it is a vector of integers.
    pub fn is_integer_vector(&self, ty: TypeId) -> bool {
        matches!(self.resolve(ty), Type::Vector { element, .. } if self.is_integer(*element))
    }

    /// Whether an expression is a lane of a vector.
    pub fn is_lane(&self, expr: ExprId) -> bool {
        matches!(self[expr].kind, ExprKind::Index(base, _)
            if matches!(self.resolve(self.type_of(base)), Type::Vector { .. }))
    }

    /// Whether it is a vector of clang's kind, `ext_vector_type`.
    pub fn is_extended(&self, ty: TypeId) -> bool {
        let mut found = self.types.get(ty);
        while let Type::Typedef(id) = found {
            if self[*id].extended {
                return true;
            }
            found = self.types.get(self[*id].base);
        }
        false
    }

    /// Whether an expression is a vector of that kind: operators and swizzles give such ones,
    /// of types that have no name.
    pub fn is_extended_value(&self, expr: ExprId) -> bool {
        let node = &self[expr];
        self.is_extended(node.ty)
            || matches!(self.resolve(node.ty), Type::Vector { .. })
                && match node.kind {
                    ExprKind::Swizzle(..) => true,
                    ExprKind::Binary(_, left, right) => {
                        self.is_extended_value(left) || self.is_extended_value(right)
                    }
                    _ => false,
                }
    }

    /// Whether a lane of a vector is written by its name, such as `v.s3`.
    pub fn is_named_lane(&self, base: ExprId, index: ExprId) -> bool {
        let Type::Vector { lanes, .. } = *self.resolve(self.type_of(base)) else { return false };
        let below = u64::from(lanes.min(Lanes::MOST));
        self.type_of(index) == Types::INT
            && matches!(self[index].kind, ExprKind::Int(lane) if lane < below)
            && self.is_extended_value(base)
    }

    /// The width of the bit-field that an expression reads or designates.
    pub fn bit_field_width(&self, expr: ExprId) -> Option<u32> {
        match self[expr].kind {
            ExprKind::Load(operand) => self.bit_field_width(operand),
            ExprKind::Member(base, index) => {
                let Type::Record(record) = *self.resolve(self.type_of(base)) else { return None };
                self[record].fields.as_ref()?[index as usize].bits
            }
            // Assignments and steps have the value of the bit-field afterwards,
            // and the comma operator that of its right operand.
            ExprKind::Assign(target, _)
            | ExprKind::CompoundAssign { target, .. }
            | ExprKind::Step(_, target) => self.bit_field_width(target),
            ExprKind::Comma(_, right) => self.bit_field_width(right),
            _ => None,
        }
    }

    /// What a program has that only some compilers know, even of those that know GNU C.
    pub fn rarity(&self) -> Option<Rarity> {
        let is_extended = |item: &Item| match item {
            Item::Define(Entity::Typedef(id)) => self[*id].extended,
            _ => false,
        };
        if self.types.ids().any(|ty| matches!(self.types.get(ty), Type::BitInt { .. })) {
            return Some(Rarity::BitInt);
        }
        self.items.iter().any(is_extended).then_some(Rarity::ExtendedVectors)
    }

    /// Whether it is an array whose size is known only when the program runs.
    pub fn is_variable_array(&self, ty: TypeId) -> bool {
        match *self.resolve(ty) {
            Type::Array { element, length } => {
                matches!(length, ArrayLength::Variable(_)) || self.is_variable_array(element)
            }
            _ => false,
        }
    }
}
