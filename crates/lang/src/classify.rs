//! Questions about types that many ask.

use crate::arena::ExprId;
use crate::expr::ExprKind;
use crate::program::Program;
use crate::types::{ArrayLength, Type, TypeId};

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
