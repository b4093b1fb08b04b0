//! Types of aggregates with holes, and the numbers in them with their bits.

use farrier_lang::{
    ArrayLength, ExprId, Field, InitPlace, IntKind, RecordKind, Type, TypeId, Types,
};

use super::draft::{Draft, Name};
use crate::features::Feature;

/// How many types of views there are, at most, and how many views are of an old type, in
/// percent.
const MOST_TYPES: usize = 8;
const OLD_TYPES: u32 = 55;

/// Of types of views: the share of plain structures in percent, the
/// members of structures and unions, the elements of arrays in them, and in percent how many
/// members are bit-fields where there are some, arrays, or structures in structures.
const STRUCTURES: u32 = 25;
const STRUCTURE_MEMBERS: (i64, i64) = (1, 4);
const UNION_MEMBERS: (i64, i64) = (2, 4);
const ELEMENTS: (i64, i64) = (2, 4);
const BIT_FIELDS: u32 = 15;
const ARRAYS: u32 = 15;
const NESTED: u32 = 12;

/// How many structures of a union begin as an earlier one does, in percent.
const COMMON_SEQUENCES: u32 = 40;

/// The weights of members of unions: structures, bytes, arrays of integers, integers.
const UNION_PARTS: [u32; 4] = [50, 20, 15, 15];

/// A number in an aggregate.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// The way to it: members and elements.
    pub(super) steps: Vec<InitPlace>,
    pub(super) ty: TypeId,
    pub(super) first: usize,
    pub(super) bits: usize,
}

impl Draft<'_> {
    /// The type of the views of a block: an old one or a new one.
    pub(super) fn view_type(&mut self) -> Option<TypeId> {
        let full = self.stock.view_types.len() >= MOST_TYPES;
        if full || !self.stock.view_types.is_empty() && self.choices.chance(OLD_TYPES) {
            return Some(self.choices.pick(&self.stock.view_types));
        }
        let ty = match self.choices.chance(STRUCTURES) {
            true => self.structure_with_holes(&[], 1),
            false => self.union_of_views(),
        };
        self.stock.view_types.push(ty);
        Some(ty)
    }

    /// A structure of integers, whatever holes there are between them. It begins as another.
    fn structure_with_holes(&mut self, first: &[TypeId], nesting: u32) -> TypeId {
        // What is in a packed structure has an address that its type need not allow.
        let packed = self.wants(Feature::Packed);
        let packed = packed && first.is_empty();
        let mut fields: Vec<Field> = Vec::new();
        for ty in first {
            let field = self.field(*ty, None, true);
            fields.push(field);
        }
        for _ in 0..self.choices.range(STRUCTURE_MEMBERS.0, STRUCTURE_MEMBERS.1) {
            let bits = self.has_all(&[Feature::BitField, Feature::Int]);
            let field = if bits && self.choices.chance(BIT_FIELDS) {
                let kind = self.choices.pick(&[IntKind::Int, IntKind::UInt]);
                let most = i64::from(self.config.target.int_bits(kind));
                let width = self.choices.range(1, most) as u32;
                self.field(Types::int(kind), Some(width), true)
            } else if !packed && nesting > 0 && self.choices.chance(NESTED) {
                let inner = self.structure_with_holes(&[], nesting - 1);
                self.field(inner, None, true)
            } else {
                let ty = self.whole_type();
                let array = !packed && self.has(Feature::Array) && self.choices.chance(ARRAYS);
                let ty = if array { self.short_array(ty) } else { ty };
                self.field(ty, None, true)
            };
            fields.push(field);
        }
        let tag = self.name(Name::Record);
        self.define_record(RecordKind::Struct, tag, fields, packed)
    }

    pub(super) fn short_array(&mut self, element: TypeId) -> TypeId {
        let length = self.choices.range(ELEMENTS.0, ELEMENTS.1) as u64;
        self.program.types.array_of(element, ArrayLength::Fixed(length))
    }

    fn union_of_views(&mut self) -> TypeId {
        let mut types: Vec<TypeId> = Vec::new();
        let mut sequences: Vec<Vec<TypeId>> = Vec::new();
        let bytes = self.has_all(&[Feature::Array, Feature::Char]);
        let arrays = self.has(Feature::Array);
        for _ in 0..self.choices.range(UNION_MEMBERS.0, UNION_MEMBERS.1) {
            let mut weights = UNION_PARTS;
            weights[1] *= u32::from(bytes);
            weights[2] *= u32::from(arrays);
            let ty = match self.choices.weighted(&weights) {
                Some(1) => {
                    let sizes = types.iter().map(|ty| self.layouts.size_of(&self.program, *ty));
                    let most = sizes.flatten().max().unwrap_or(8);
                    let byte = Types::int(IntKind::UChar);
                    self.program.types.array_of(byte, ArrayLength::Fixed(most))
                }
                Some(2) => {
                    let element = self.whole_type();
                    self.short_array(element)
                }
                Some(3) => self.whole_type(),
                _ => {
                    let common = self.choices.chance(COMMON_SEQUENCES);
                    let first = sequences.first().filter(|_| common).cloned().unwrap_or_default();
                    let ty = self.structure_with_holes(&first, 1);
                    sequences.push(self.plain_beginning(ty));
                    ty
                }
            };
            types.push(ty);
        }
        let fields = types.into_iter().map(|ty| self.field(ty, None, true)).collect();
        let tag = self.name(Name::Record);
        self.define_record(RecordKind::Union, tag, fields, false)
    }

    /// The types of the members with which a structure begins, up to the first bit-field.
    fn plain_beginning(&self, ty: TypeId) -> Vec<TypeId> {
        let Type::Record(id) = *self.program.resolve(ty) else { return Vec::new() };
        let plain = self.members(id).take_while(|(_, field)| field.bits.is_none());
        plain.map(|(_, field)| field.ty).take(2).collect()
    }

    /// The numbers in a type.
    pub(super) fn leaves_of(&mut self, ty: TypeId) -> Vec<Leaf> {
        let mut out = Vec::new();
        self.find_leaves(ty, 0, &mut Vec::new(), &mut out);
        out
    }

    fn find_leaves(
        &mut self,
        ty: TypeId,
        first: usize,
        steps: &mut Vec<InitPlace>,
        out: &mut Vec<Leaf>,
    ) {
        match *self.program.resolve(ty) {
            Type::Record(id) => {
                let layout = self.layouts.record(&self.program, id).expect("it is complete");
                let members: Vec<(u32, TypeId)> =
                    self.members(id).map(|(index, field)| (index, field.ty)).collect();
                for (index, ty) in members {
                    let place = &layout.fields[index as usize];
                    steps.push(InitPlace::Field(index));
                    match place.bits {
                        Some(bits) => out.push(Leaf {
                            steps: steps.clone(),
                            ty,
                            first: first + bits.offset as usize,
                            bits: bits.width as usize,
                        }),
                        None => self.find_leaves(ty, first + place.offset as usize * 8, steps, out),
                    }
                    steps.pop();
                }
            }
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                let bits = self.bits_of(element);
                for index in 0..length {
                    steps.push(InitPlace::Elements { first: index, last: index });
                    self.find_leaves(element, first + index as usize * bits, steps, out);
                    steps.pop();
                }
            }
            _ => {
                let bits = self.bits_of(ty);
                out.push(Leaf { steps: steps.clone(), ty, first, bits });
            }
        }
    }

    pub(super) fn bits_of(&mut self, ty: TypeId) -> usize {
        8 * self.layouts.size_of(&self.program, ty).expect("it is complete") as usize
    }

    /// The bits of the numbers in a type, or in one of its members.
    pub(super) fn cover(&mut self, ty: TypeId, member: Option<u32>) -> Vec<bool> {
        let mut covered = vec![false; self.bits_of(ty)];
        for leaf in self.leaves_of(ty) {
            let inside = member.is_none_or(|member| leaf.steps[0] == InitPlace::Field(member));
            if inside {
                covered[leaf.first..leaf.first + leaf.bits].fill(true);
            }
        }
        covered
    }

    pub(super) fn knows(&self, view: usize, leaf: &Leaf) -> bool {
        self.views[view].known[leaf.first..leaf.first + leaf.bits].iter().all(|known| *known)
    }

    /// From an aggregate to a number in it.
    pub(super) fn follow(&mut self, mut place: ExprId, steps: &[InitPlace]) -> ExprId {
        for step in steps {
            place = match *step {
                InitPlace::Field(field) => self.builder().member(place, field),
                InitPlace::Elements { first, .. } => self.element_at(place, first),
            };
        }
        place
    }
}
