//! Objects accessed through pointers to other types that may access them, C11 6.5p7: the
//! signed and unsigned type of the same width, characters, a structure and its first member.

use farrier_lang::{ArrayLength, BinaryOp, ExprId, IntKind, StmtId, Type, TypeId, Types};

use super::draft::{Draft, Mode};
use super::production::{Production, Rate, anywhere, draw, form};
use super::scope::Variable;
use super::values::{Site, Want};
use crate::features::Feature;

/// How many accesses write, in percent.
const WRITES: u32 = 45;

/// How many bytes are accessed in a loop, in percent, and the most of them.
const BYTE_LOOPS: u32 = 30;
const MOST_BYTES: u64 = 16;

/// What is accessed through a cast.
#[rustfmt::skip]
static CASTS: &[Production<(), Vec<StmtId>>] = &[
    form(Rate::Always(3), anywhere, |draft, ()| draft.access_with_other_sign()),
    form(Rate::Always(2), structures, |draft, ()| draft.access_first_member()),
    form(Rate::Always(2), structures, |draft, ()| draft.access_from_first_member()),
    form(Rate::Always(2), chooses, |draft, ()| draft.access_through_void()),
];

fn structures(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::Struct)
}

fn chooses(draft: &Draft<'_>, (): ()) -> bool {
    draft.has(Feature::PointerSelect)
}

/// Whether pointers can be cast.
pub(super) fn casts_pointers(draft: &Draft<'_>, _: u32) -> bool {
    draft.has_all(&[Feature::Cast, Feature::Pointer])
}

/// Whether bytes of objects can be accessed.
pub(super) fn accesses_bytes(draft: &Draft<'_>, nesting: u32) -> bool {
    casts_pointers(draft, nesting) && draft.has_all(&[Feature::Char, Feature::Array])
}

impl Draft<'_> {
    /// An object that a pointer may access.
    fn accessible(&mut self, suits: impl Fn(&Self, TypeId) -> bool) -> Option<Variable> {
        self.variable(|draft, variable, ty| {
            !variable.private
                && draft.may_write(variable)
                && ty.qualifiers().is_empty()
                && suits(draft, ty)
        })
    }

    /// Whether every pattern of bits is a value of a type.
    fn is_whole(&self, ty: TypeId) -> bool {
        matches!(self.program.resolve(ty), Type::Int(kind) if *kind != IntKind::Bool)
    }

    /// The same of a type wider than characters.
    fn is_wide(&self, ty: TypeId) -> bool {
        const CHARACTERS: [IntKind; 3] = [IntKind::Char, IntKind::SChar, IntKind::UChar];
        let character = |kind| CHARACTERS.contains(kind);
        self.is_whole(ty) && !matches!(self.program.resolve(ty), Type::Int(kind) if character(kind))
    }

    /// Reads or writes what a pointer of a type that fits points to.
    fn access(&mut self, place: ExprId) -> StmtId {
        if self.choices.chance(WRITES) {
            let ty = self.program.type_of(place);
            let value = self.reading(ty);
            return self.set(place, value);
        }
        let value = self.builder().value(place);
        self.use_number(value)
    }

    pub(super) fn cast_statement(&mut self) -> Option<Vec<StmtId>> {
        draw(self, CASTS, ())
    }

    /// `*(unsigned *)&object`
    fn access_with_other_sign(&mut self) -> Option<Vec<StmtId>> {
        let variable = self.accessible(|draft, ty| draft.is_wide(ty))?;
        let Type::Int(kind) = *self.program.resolve(self.program[variable.object].ty) else {
            return None;
        };
        let unsigned = kind.to_unsigned();
        let other = if unsigned == kind { kind.to_signed() } else { unsigned };
        let place = self.object_expr(variable.object);
        let pointer = self.address_as(place, Types::int(other));
        let place = self.dereference(pointer);
        Some(vec![self.access(place)])
    }

    /// A structure whose first member is a number, and the member.
    fn structure_with_number(&mut self) -> Option<(Variable, u32)> {
        let variable = self.accessible(|draft, ty| draft.first_number(ty).is_some())?;
        let member = self.first_number(self.program[variable.object].ty)?;
        Some((variable, member))
    }

    fn first_number(&self, ty: TypeId) -> Option<u32> {
        let Type::Record(id) = *self.program.resolve(ty) else { return None };
        self.record_info(ty).filter(|info| info.addressable && !self.hides_floats(ty))?;
        let (index, field) = self.members(id).next()?;
        let plain = field.bits.is_none() && field.ty.qualifiers().is_empty();
        (index == 0 && plain && self.is_wide(field.ty)).then_some(index)
    }

    /// `*(T *)&structure`
    fn access_first_member(&mut self) -> Option<Vec<StmtId>> {
        let (variable, member) = self.structure_with_number()?;
        let place = self.object_expr(variable.object);
        let inner = self.builder().member(place, member);
        let ty = self.program.type_of(inner);
        let place = self.object_expr(variable.object);
        let pointer = self.address_as(place, ty);
        let place = self.dereference(pointer);
        Some(vec![self.access(place)])
    }

    /// `((struct S *)&structure.first)->member`
    fn access_from_first_member(&mut self) -> Option<Vec<StmtId>> {
        let (variable, member) = self.structure_with_number()?;
        let ty = self.program[variable.object].ty;
        let Type::Record(id) = *self.program.resolve(ty) else { return None };
        let fits = |field: &&(u32, TypeId)| {
            self.class_of(field.1).is_some() && field.1.qualifiers().is_empty()
        };
        let members: Vec<(u32, TypeId)> =
            self.members(id).map(|(index, field)| (index, field.ty)).collect();
        let members: Vec<u32> = members.iter().filter(fits).map(|(index, _)| *index).collect();
        let other = self.choices.pick_any(&members)?;
        let place = self.object_expr(variable.object);
        let first = self.builder().member(place, member);
        let pointer = self.address_as(first, ty);
        let record = self.dereference(pointer);
        let place = self.builder().member(record, other);
        Some(vec![self.access(place)])
    }

    /// `*(T *)(condition ? (void *)&one : (void *)&other)`
    fn access_through_void(&mut self) -> Option<Vec<StmtId>> {
        let one = self.accessible(|draft, ty| draft.is_wide(ty))?;
        let ty = self.program[one.object].ty;
        let other = self.accessible(|_, found| found == ty)?;
        let [then, otherwise] = [one, other].map(|variable| {
            let place = self.object_expr(variable.object);
            self.address_as(place, Types::VOID)
        });
        self.begin_expression();
        let condition = self.value(Want::Number, Site::new(Mode::Reading, 2));
        let chosen = self.select(condition, then, otherwise);
        let void = self.program.types.pointer_to(Types::VOID);
        let (pointer, declaration) = self.local_with(void, chosen);
        let pointer = self.load(pointer);
        let typed = self.program.types.pointer_to(ty);
        let pointer = self.cast(pointer, typed);
        let place = self.dereference(pointer);
        Some(vec![declaration, self.access(place)])
    }

    /// Reads or writes bytes of an integer, or of an array of integers.
    pub(super) fn byte_statement(&mut self) -> Option<Vec<StmtId>> {
        let variable = self.accessible(|draft, ty| match *draft.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Fixed(_) } => {
                element.qualifiers().is_empty() && draft.is_whole(element)
            }
            _ => draft.is_whole(ty),
        })?;
        let ty = self.program[variable.object].ty;
        let bytes = self.layouts.size_of(&self.program, ty).ok()?;
        let loops = self.loops_over_bytes();
        if loops && bytes > 1 && self.choices.chance(BYTE_LOOPS) {
            let trips = 1 + self.choices.below(bytes.min(MOST_BYTES));
            let first = self.choices.below(bytes - trips + 1);
            let body = self.rounds(trips, |draft, counter| {
                let counter = draft.load(counter);
                let first = draft.int(first);
                let index = draft.binary(BinaryOp::Add, counter, first);
                let place = draft.byte_of(variable, index);
                vec![draft.access(place)]
            });
            return Some(vec![body?]);
        }
        let byte = self.choices.below(bytes);
        let index = self.hidden(i128::from(byte));
        let place = self.byte_of(variable, index);
        Some(vec![self.access(place)])
    }

    /// `((unsigned char *)&object)[index]`
    fn byte_of(&mut self, variable: Variable, index: ExprId) -> ExprId {
        let place = self.object_expr(variable.object);
        let kind = self.choices.pick(&[IntKind::UChar, IntKind::UChar, IntKind::Char]);
        let pointer = self.address_as(place, Types::int(kind));
        self.element(pointer, index)
    }
}
