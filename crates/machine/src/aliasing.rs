//! Effective types, C11 6.5p6 and p7: through which types an object may be accessed.

use farrier_lang::layout::Layouts;
use farrier_lang::{ArrayLength, IntKind, Program, Qualifiers, Type, TypeId};
use rustc_hash::FxHashMap;

/// Whether an object may be accessed in some way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessAnswer {
    Allowed,
    WrongType,
    /// The object is volatile, the lvalue is not.
    NotVolatile,
}

/// What was found out: whether a declared type may be accessed at an offset as another.
#[derive(Debug, Default)]
pub(crate) struct Aliasing {
    known: FxHashMap<(TypeId, u64, TypeId, bool), AccessAnswer>,
}

impl Aliasing {
    pub(crate) fn allows(
        &mut self,
        program: &Program,
        layouts: &mut Layouts,
        declared: TypeId,
        offset: u64,
        access: TypeId,
        volatile: bool,
    ) -> AccessAnswer {
        let key = (declared, offset, access, volatile);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let allowed = is_character(program, access)
            || may_alias(program, access)
            || fits(program, layouts, declared.unqualified(), offset, access)
            || contains(program, layouts, declared.unqualified(), offset, access);
        let answer = if !allowed {
            AccessAnswer::WrongType
        } else if !volatile
            && qualified_at(program, layouts, declared, offset, Qualifiers::VOLATILE)
        {
            AccessAnswer::NotVolatile
        } else {
            AccessAnswer::Allowed
        };
        self.known.insert(key, answer);
        answer
    }
}

/// Whether the part of an object at `offset` is qualified, by itself or with the
/// whole. In a union, it is if all members there are.
pub(crate) fn qualified_at(
    program: &Program,
    layouts: &mut Layouts,
    ty: TypeId,
    offset: u64,
    qualifiers: Qualifiers,
) -> bool {
    if ty.qualifiers().contains(qualifiers) {
        return true;
    }
    match *program.resolve(ty) {
        Type::Array { element, .. } => match layouts.size_of(program, element) {
            Ok(size) if size > 0 => {
                qualified_at(program, layouts, element, offset % size, qualifiers)
            }
            _ => qualified_at(program, layouts, element, offset, qualifiers),
        },
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return false };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            let mut found = false;
            for (field, place) in fields.iter().zip(&layout.fields) {
                // Bit-fields share their bytes, so that of one says nothing.
                let size = match layouts.size_of(program, field.ty) {
                    Ok(size) if place.bits.is_none() => size,
                    _ => 0,
                };
                if place.offset <= offset && offset - place.offset < size {
                    let inner = offset - place.offset;
                    if !qualified_at(program, layouts, field.ty, inner, qualifiers) {
                        return false;
                    }
                    found = true;
                }
            }
            found
        }
        _ => false,
    }
}

/// C11 6.5p7: an aggregate may access what it has a member for.
fn contains(
    program: &Program,
    layouts: &mut Layouts,
    declared: TypeId,
    offset: u64,
    access: TypeId,
) -> bool {
    match *program.resolve(access) {
        Type::Record(record) => {
            if program[record].may_alias {
                return true;
            }
            let Ok(layout) = layouts.record(program, record) else { return true };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            fields.is_empty()
                || fields.iter().zip(&layout.fields).any(|(field, place)| {
                    let at = offset + place.offset;
                    is_character(program, field.ty)
                        || fits(program, layouts, declared, at, field.ty)
                        || contains(program, layouts, declared, at, field.ty)
                })
        }
        Type::Array { element, .. } => {
            is_character(program, element)
                || fits(program, layouts, declared, offset, element)
                || contains(program, layouts, declared, offset, element)
        }
        Type::Complex(element) | Type::Vector { element, .. } => {
            fits(program, layouts, declared, offset, element)
        }
        _ => false,
    }
}

/// Whether any type may access what this one stores, and this one everything.
pub(crate) fn is_exempt(program: &Program, ty: TypeId) -> bool {
    is_character(program, ty) || may_alias(program, ty)
}

/// Whether a scalar at `offset` of a type is of some kind; in a union, any of them.
pub(crate) fn holds(
    program: &Program,
    layouts: &mut Layouts,
    ty: TypeId,
    offset: u64,
    kind: &dyn Fn(TypeId) -> bool,
) -> bool {
    match *program.resolve(ty) {
        Type::Array { element, .. } => {
            let inner = match layouts.size_of(program, element) {
                Ok(size) if size > 0 => offset % size,
                _ => return program.is_variable_array(element),
            };
            holds(program, layouts, element, inner, kind)
        }
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return true };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            fields.iter().zip(&layout.fields).any(|(field, place)| {
                let size = layouts.size_of(program, field.ty).unwrap_or(u64::MAX);
                let inside = place.offset <= offset && offset - place.offset < size;
                inside && holds(program, layouts, field.ty, offset - place.offset, kind)
            })
        }
        _ => kind(ty),
    }
}

/// A character type may access everything.
pub(crate) fn is_character(program: &Program, ty: TypeId) -> bool {
    matches!(program.resolve(ty), Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar))
}

fn may_alias(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Typedef(id) => program[*id].may_alias || may_alias(program, program[*id].base),
        _ => false,
    }
}

/// Whether there is something at `offset` of `declared` that `access` may access.
fn fits(
    program: &Program,
    layouts: &mut Layouts,
    declared: TypeId,
    offset: u64,
    access: TypeId,
) -> bool {
    if offset == 0 && same(program, declared, access) {
        return true;
    }
    match *program.resolve(declared) {
        // The rows of a variable array have no size here; only their elements matter.
        Type::Array { element, .. } if program.is_variable_array(element) => {
            fits(program, layouts, element, offset, access)
        }
        Type::Array { element, length } => {
            let Ok(size) = layouts.size_of(program, element) else { return false };
            if size == 0 {
                return false;
            }
            let inside = match length {
                ArrayLength::Fixed(length) => offset < length.saturating_mul(size),
                _ => true,
            };
            // Rows of a larger array may be accessed as the smaller arrays they contain.
            inside && fits(program, layouts, element, offset % size, access)
        }
        Type::Vector { element, .. } => {
            let Ok(size) = layouts.size_of(program, element) else { return false };
            size > 0 && fits(program, layouts, element, offset % size, access)
        }
        Type::Complex(element) => {
            let Ok(size) = layouts.size_of(program, element) else { return false };
            size > 0 && fits(program, layouts, element, offset % size, access)
        }
        Type::Record(record) => {
            let Ok(layout) = layouts.record(program, record) else { return false };
            let fields = program[record].fields.as_deref().unwrap_or_default();
            for (field, place) in fields.iter().zip(&layout.fields) {
                let flexible = matches!(
                    program.resolve(field.ty),
                    Type::Array { length: ArrayLength::Unknown | ArrayLength::Fixed(0), .. }
                );
                let size = match layouts.size_of(program, field.ty) {
                    Ok(size) if !flexible => size,
                    _ if flexible => u64::MAX,
                    _ => 0,
                };
                let inside = place.offset <= offset && offset - place.offset < size;
                if inside && fits(program, layouts, field.ty, offset - place.offset, access) {
                    return true;
                }
            }
            false
        }
        _ => false,
    }
}

/// Compatible types, and the signed or unsigned type that corresponds to one.
fn same(program: &Program, declared: TypeId, access: TypeId) -> bool {
    let (declared, access) = (declared.unqualified(), access.unqualified());
    if farrier_lang::build::compatible(program, declared, access) {
        return true;
    }
    match (program.integer_class(declared), program.integer_class(access)) {
        (Some(Type::Int(a)), Some(Type::Int(b))) => a.to_unsigned() == b.to_unsigned(),
        // Qualifiers below a pointer do not change what may alias in any compiler.
        _ => match (program.pointee(declared), program.pointee(access)) {
            (Some(a), Some(b)) => same(program, a, b),
            _ => false,
        },
    }
}
