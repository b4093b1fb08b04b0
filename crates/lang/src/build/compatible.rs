//! Compatible and composite types, C11 6.2.7.

use crate::integer::integer_type;
use crate::program::Program;
use crate::types::{ArrayLength, FunctionType, Type, TypeId};

/// Whether two types are compatible, qualifiers included.
pub fn compatible(program: &Program, left: TypeId, right: TypeId) -> bool {
    if left == right {
        return true;
    }
    left.qualifiers() == right.qualifiers() && compatible_unqualified(program, left, right)
}

/// Whether two types are compatible, whatever their own qualifiers.
pub(crate) fn compatible_unqualified(program: &Program, left: TypeId, right: TypeId) -> bool {
    if left.unqualified() == right.unqualified() {
        return true;
    }
    match (program.resolve(left), program.resolve(right)) {
        (Type::Enum(a), Type::Enum(b)) => a == b,
        (Type::Enum(id), Type::Int(kind)) | (Type::Int(kind), Type::Enum(id)) => {
            program[*id].underlying == *kind
        }
        (Type::Pointer(a), Type::Pointer(b)) => compatible(program, *a, *b),
        (
            Type::Array { element: a, length: a_length },
            Type::Array { element: b, length: b_length },
        ) => lengths_agree(*a_length, *b_length) && compatible(program, *a, *b),
        (Type::Vector { element: a, lanes: n }, Type::Vector { element: b, lanes: m }) => {
            n == m && compatible(program, *a, *b)
        }
        (Type::Function(a), Type::Function(b)) => compatible_functions(program, a, b),
        (a, b) => a == b,
    }
}

fn lengths_agree(left: ArrayLength, right: ArrayLength) -> bool {
    match (left, right) {
        (ArrayLength::Fixed(left), ArrayLength::Fixed(right)) => left == right,
        _ => true,
    }
}

/// Whether two vectors have lanes of the same class, width and sign, such as `long` and
/// `long long`: compilers convert one to the other without a word.
pub(crate) fn same_lanes(program: &Program, left: TypeId, right: TypeId) -> bool {
    match (program.resolve(left), program.resolve(right)) {
        (Type::Vector { element: a, lanes: n }, Type::Vector { element: b, lanes: m }) => {
            n == m
                && integer_type(program, *a).is_some_and(|a| Some(a) == integer_type(program, *b))
        }
        _ => false,
    }
}

/// Whether two types are compatible but for qualifiers and signs, at any depth of pointers.
/// A conversion between pointers to such types breaks a constraint that every
/// compiler only warns of, and its meaning is not in doubt.
pub(crate) fn alike(program: &Program, left: TypeId, right: TypeId) -> bool {
    match (program.resolve(left), program.resolve(right)) {
        (Type::Pointer(a), Type::Pointer(b)) => alike(program, *a, *b),
        (
            Type::Array { element: a, length: a_length },
            Type::Array { element: b, length: b_length },
        ) => lengths_agree(*a_length, *b_length) && alike(program, *a, *b),
        _ => {
            compatible_unqualified(program, left, right) || same_but_for_sign(program, left, right)
        }
    }
}

fn same_but_for_sign(program: &Program, left: TypeId, right: TypeId) -> bool {
    match (program.integer_class(left), program.integer_class(right)) {
        (Some(Type::Int(a)), Some(Type::Int(b))) => a.to_unsigned() == b.to_unsigned(),
        _ => false,
    }
}

/// C11 6.7.6.3p15.
fn compatible_functions(program: &Program, left: &FunctionType, right: &FunctionType) -> bool {
    if !compatible(program, left.result, right.result) {
        return false;
    }
    match (left.prototyped, right.prototyped) {
        (true, true) => {
            left.variadic == right.variadic
                && left.parameters.len() == right.parameters.len()
                && left
                    .parameters
                    .iter()
                    .zip(&right.parameters)
                    .all(|(a, b)| compatible_unqualified(program, *a, *b))
        }
        // Without a prototype, only a definition knows the parameters; a mismatch
        // of argument types is found when the function is called.
        _ => !left.variadic && !right.variadic,
    }
}

/// The composite of two compatible types: what both say together.
pub fn composite(program: &mut Program, left: TypeId, right: TypeId) -> TypeId {
    if left == right {
        return left;
    }
    match (program.types.get(left).clone(), program.types.get(right).clone()) {
        (Type::Pointer(a), Type::Pointer(b)) => {
            let target = composite(program, a, b);
            let pointer = program.types.pointer_to(target);
            program.types.qualified(pointer, left.qualifiers())
        }
        (
            Type::Array { element: a, length: a_length },
            Type::Array { element: b, length: b_length },
        ) => {
            let element = composite(program, a, b);
            let length = match (a_length, b_length) {
                (fixed @ ArrayLength::Fixed(_), _) | (_, fixed @ ArrayLength::Fixed(_)) => fixed,
                (ArrayLength::Unknown, other) => other,
                (known, _) => known,
            };
            program.types.array_of(element, length)
        }
        (Type::Function(a), Type::Function(b)) => {
            let result = composite(program, a.result, b.result);
            let (prototype, parameters) = match (a.prototyped, b.prototyped) {
                (true, true) => {
                    let pairs = a.parameters.iter().zip(&b.parameters);
                    (true, pairs.map(|(a, b)| composite(program, *a, *b)).collect())
                }
                (true, false) => (true, a.parameters.clone()),
                (false, true) => (true, b.parameters.clone()),
                (false, false) => (false, a.parameters.clone()),
            };
            program.types.function(FunctionType {
                result,
                parameters,
                variadic: a.variadic || b.variadic,
                prototyped: prototype,
            })
        }
        _ => left,
    }
}
