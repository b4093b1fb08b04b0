//! Random types.

use farrier_lang::{
    ArrayLength, Entity, Enum, EnumConstant, EnumId, Field, IntKind, Item, Qualifiers, Record,
    RecordId, RecordKind, Symbol, Type, TypeId, Types, integer_type,
};

use super::draft::{Draft, Name, RecordInfo};
use super::production::{Production, Rate, anywhere, draw, form};
use super::values::Class;
use crate::features::Feature;
use crate::parameters::Parameter;

/// How many records a program has, at most.
const MOST_RECORDS: usize = 24;

/// In percent: how many signed types of characters are plain `char`, and where there are
/// some already how many enumerations and records are used again.
const PLAIN_CHARS: u32 = 30;
const OLD_ENUMS: u32 = 70;
const OLD_RECORDS: u32 = 65;

/// Of enumerations: how many have negative constants, how many constants follow their
/// predecessor at once, in percent; how low the first is, how far others are apart, and how
/// many there are. Values fit in every int.
const NEGATIVE_ENUMS: u32 = 40;
const DENSE_CONSTANTS: u32 = 60;
const LOWEST_CONSTANT: i64 = -300;
const FARTHEST_CONSTANT: i64 = 900;
const CONSTANTS: (i64, i64) = (2, 6);

/// The bytes of a program for each element of its largest array, and the most elements of
/// local arrays, of others and of those in records.
const BYTES_FOR_ELEMENT: u64 = 250;
const LOCAL_ELEMENTS: u64 = 24;
const GLOBAL_ELEMENTS: u64 = 300;
const MEMBER_ELEMENTS: u64 = 8;

/// How many further dimensions are as long as the first, in percent.
const SAME_LENGTHS: u32 = 60;

/// How many members of records are `volatile` and `const`, in percent.
const VOLATILE_MEMBERS: u32 = 4;
const CONST_MEMBERS: u32 = 3;

/// The weights of bit-fields of no width, without a name, and ordinary ones.
const BIT_FIELDS: [u32; 3] = [1, 1, 14];

/// How many members of unions are arrays of narrower integers, in percent, and the most
/// members.
const UNION_ARRAYS: u32 = 30;
const UNION_MEMBERS: u32 = 5;

/// How many `_BitInt`s are about as wide as a register, in percent; the others have any width.
const EDGE_WIDTHS: u32 = 50;
const REGISTERS: [i64; 5] = [8, 16, 32, 64, 128];

/// The most bits of a `_BitInt`: those that the machine computes with.
const MOST_BITS: i64 = 128;

/// The kinds of integers, as signed as they come.
static INTEGERS: [(Feature, IntKind); 7] = [
    (Feature::Bool, IntKind::Bool),
    (Feature::Char, IntKind::SChar),
    (Feature::Short, IntKind::Short),
    (Feature::Int, IntKind::Int),
    (Feature::Long, IntKind::Long),
    (Feature::LongLong, IntKind::LongLong),
    (Feature::Int128, IntKind::Int128),
];

/// Types of numbers.
static NUMBERS: &[Production<(), TypeId>] = &[
    form(Rate::Always(95), anywhere, |draft, ()| Some(draft.plain_type())),
    form(Rate::Of(Feature::Enum), anywhere, |draft, ()| {
        let id = draft.enumeration();
        Some(draft.program.types.intern(Type::Enum(id)))
    }),
];

/// Types of records.
static RECORDS: &[Production<(), TypeId>] = &[
    form(Rate::Of(Feature::Struct), anywhere, |draft, ()| draft.record_of(RecordKind::Struct)),
    form(Rate::Of(Feature::Union), anywhere, |draft, ()| draft.record_of(RecordKind::Union)),
];

/// Types of variables, of which is known whether they are local.
static VARIABLES: &[Production<bool, TypeId>] = &[
    form(Rate::Always(45), anywhere, |draft, _| Some(draft.number_type())),
    form(Rate::Of(Feature::Struct), global, |draft, _| draft.record_of(RecordKind::Struct)),
    form(Rate::Of(Feature::Union), global, |draft, _| draft.record_of(RecordKind::Union)),
    form(Rate::Part(Feature::LocalRecord, 66), local, |draft, _| draft.record_type()),
    form(Rate::Of(Feature::Array), global, |draft, local| Some(draft.array_type(local))),
    form(Rate::Part(Feature::LocalRecord, 80), local_array, |draft, local| {
        Some(draft.array_type(local))
    }),
    form(Rate::Of(Feature::Pointer), anywhere, |draft, _| Some(draft.pointer_type())),
];

/// Types of elements of arrays, of which is known whether they are local.
static ELEMENTS: &[Production<bool, TypeId>] = &[
    form(Rate::Always(70), anywhere, |draft, _| Some(draft.plain_type())),
    form(Rate::Of(Feature::Struct), global, |draft, _| draft.record_of(RecordKind::Struct)),
    form(Rate::Of(Feature::Union), global, |draft, _| draft.record_of(RecordKind::Union)),
    form(Rate::Part(Feature::Pointer, 60), global, |draft, _| Some(draft.pointer_type())),
];

/// Types that pointers point to.
static TARGETS: &[Production<(), TypeId>] = &[
    form(Rate::Always(72), anywhere, |draft, ()| Some(draft.number_type())),
    form(Rate::Of(Feature::PointerToPointer), anywhere, |draft, ()| {
        let inner = draft.plain_type();
        Some(draft.program.types.pointer_to(inner))
    }),
    form(Rate::Always(20), has_records, |draft, ()| Some(draft.old_record().ty)),
];

/// Types of members of records, of which is known whether they are packed. A packed member
/// that is an array or a record would have an address that its type does not allow.
static MEMBERS: &[Production<bool, TypeId>] = &[
    form(Rate::Always(70), anywhere, |draft, _| Some(draft.number_type())),
    form(Rate::Part(Feature::Array, 42), loose, |draft, _| {
        let element = draft.plain_type();
        let length = u64::from(draft.up_to(1, Parameter::ArrayLength)).min(MEMBER_ELEMENTS);
        Some(draft.program.types.array_of(element, ArrayLength::Fixed(length)))
    }),
    form(Rate::Part(Feature::Pointer, 60), loose, |draft, _| Some(draft.pointer_type())),
    form(Rate::Of(Feature::NestedRecord), loose, |draft, _| {
        (!draft.stock.records.is_empty()).then(|| draft.old_record().ty)
    }),
];

fn local(_: &Draft<'_>, local: bool) -> bool {
    local
}

fn local_array(draft: &Draft<'_>, local: bool) -> bool {
    local && draft.has(Feature::Array)
}

fn global(_: &Draft<'_>, local: bool) -> bool {
    !local
}

fn loose(_: &Draft<'_>, packed: bool) -> bool {
    !packed
}

fn has_records(draft: &Draft<'_>, (): ()) -> bool {
    !draft.stock.records.is_empty()
}

impl Draft<'_> {
    /// A kind of integers by the weights, as signed as it comes, narrow ones as often as
    /// wide ones.
    pub(super) fn base_kind(&mut self, fits: impl Fn(&Self, IntKind) -> bool) -> Option<IntKind> {
        let weights =
            INTEGERS.map(|(feature, kind)| if fits(self, kind) { self.weight(feature) } else { 0 });
        self.choices.weighted(&weights).map(|index| INTEGERS[index].1)
    }

    pub(super) fn int_kind(&mut self) -> IntKind {
        let kind = self.base_kind(|_, _| true).unwrap_or(IntKind::Int);
        self.with_sign(kind)
    }

    /// A kind of integers that fits, with a sign or without.
    pub(super) fn kind_like(&mut self, fits: impl Fn(&Self, IntKind) -> bool) -> Option<IntKind> {
        let kind = self.base_kind(fits)?;
        Some(self.with_sign(kind))
    }

    pub(super) fn with_sign(&mut self, kind: IntKind) -> IntKind {
        if kind == IntKind::Bool {
            kind
        } else if self.chance(Parameter::UnsignedShare) {
            kind.to_unsigned()
        } else if kind == IntKind::SChar && self.choices.chance(PLAIN_CHARS) {
            IntKind::Char
        } else {
            kind
        }
    }

    /// A kind for a counter that reaches `limit`, narrow ones included.
    pub(super) fn counter_kind(&mut self, limit: i128) -> Option<IntKind> {
        let kind = self.fuel_kind(limit)?;
        Some(self.with_sign(kind))
    }

    /// The same for one that may become negative.
    pub(super) fn fuel_kind(&mut self, limit: i128) -> Option<IntKind> {
        self.base_kind(|draft, kind| {
            !matches!(kind, IntKind::Bool | IntKind::Int128)
                && draft.type_bounds(Types::int(kind)).is_some_and(|(_, most)| limit < most)
        })
    }

    /// Whether programs have integers of a kind.
    pub(super) fn has_kind(&self, kind: IntKind) -> bool {
        INTEGERS.iter().any(|(feature, base)| {
            let same = kind == *base || kind == base.to_unsigned();
            (same || kind == IntKind::Char && *base == IntKind::SChar) && self.has(*feature)
        })
    }

    pub(super) fn int_type(&mut self) -> TypeId {
        if self.wants(Feature::BitInt) {
            return self.bit_int_type();
        }
        Types::int(self.int_kind())
    }

    /// A `_BitInt`: one more or fewer bits than a register or a part of it, or any other width.
    fn bit_int_type(&mut self) -> TypeId {
        let width = if self.choices.chance(EDGE_WIDTHS) {
            let register = self.choices.pick(&REGISTERS);
            self.choices.range(register - 1, (register + 1).min(MOST_BITS))
        } else {
            self.choices.range(2, MOST_BITS)
        };
        let signed = !self.chance(Parameter::UnsignedShare);
        let width = u32::try_from(width).expect("widths are small");
        self.program.types.intern(Type::BitInt { signed, width })
    }

    /// A type of numbers of a class, enumerations apart.
    pub(super) fn type_of_class(&mut self, class: Class) -> TypeId {
        match class {
            Class::Integer => self.int_type(),
            Class::Floating => self.float_type(),
        }
    }

    /// A type of numbers, enumerations apart.
    fn plain_type(&mut self) -> TypeId {
        let class = self.number_class();
        self.type_of_class(class)
    }

    /// The type of a scalar that is not a pointer.
    pub(super) fn number_type(&mut self) -> TypeId {
        draw(self, NUMBERS, ()).unwrap_or(Types::INT)
    }

    /// An enumeration: a new one, or one that exists.
    fn enumeration(&mut self) -> EnumId {
        if !self.stock.enums.is_empty() && self.choices.chance(OLD_ENUMS) {
            return self.choices.pick(&self.stock.enums);
        }
        let tag = self.name(Name::Enum);
        let negative = self.choices.chance(NEGATIVE_ENUMS);
        let mut value = if negative { self.choices.range(LOWEST_CONSTANT, -1) } else { 0 };
        let underlying = if negative { IntKind::Int } else { IntKind::UInt };
        let id = self.program.enums.push(Enum {
            tag,
            constants: None,
            underlying,
            fixed: false,
            packed: false,
        });
        let constants = (0..self.choices.range(CONSTANTS.0, CONSTANTS.1))
            .map(|_| {
                let name = self.name(Name::Constant);
                let constant = self.program.enum_constants.push(EnumConstant {
                    name,
                    parent: id,
                    value: i128::from(value),
                    ty: Types::INT,
                });
                value += match self.choices.chance(DENSE_CONSTANTS) {
                    true => 1,
                    false => self.choices.range(1, FARTHEST_CONSTANT),
                };
                constant
            })
            .collect();
        self.program[id].constants = Some(constants);
        self.program.items.push(Item::Define(Entity::Enum(id)));
        self.stock.enums.push(id);
        id
    }

    /// The type of a variable.
    pub(super) fn variable_type(&mut self, local: bool) -> TypeId {
        let ty = draw(self, VARIABLES, local).unwrap_or_else(|| self.number_type());
        let qualifiers = self.qualifiers();
        self.program.types.qualified(ty, qualifiers)
    }

    fn qualifiers(&mut self) -> Qualifiers {
        if self.wants(Feature::Volatile) { Qualifiers::VOLATILE } else { Qualifiers::NONE }
    }

    fn array_type(&mut self, local: bool) -> TypeId {
        let mut ty = draw(self, ELEMENTS, local).unwrap_or_else(|| self.plain_type());
        // Small programs have small arrays, or they would hold nothing else.
        let most = if local { LOCAL_ELEMENTS } else { GLOBAL_ELEMENTS };
        let most = (self.config.size as u64 / BYTES_FOR_ELEMENT).clamp(4, most);
        let length = u64::from(self.up_to(1, Parameter::ArrayLength)).min(most);
        ty = self.program.types.array_of(ty, ArrayLength::Fixed(length));
        let mut elements = length;
        while self.wants(Feature::MultiArray) {
            // Dimensions that are alike, so that one index suits several.
            let length = if self.choices.chance(SAME_LENGTHS) {
                length
            } else {
                u64::from(self.up_to(1, Parameter::ArrayLength))
            };
            elements *= length;
            if elements > most {
                break;
            }
            ty = self.program.types.array_of(ty, ArrayLength::Fixed(length));
        }
        ty
    }

    /// A pointer to an object.
    pub(super) fn pointer_type(&mut self) -> TypeId {
        let target = draw(self, TARGETS, ()).unwrap_or_else(|| self.number_type());
        let mut qualifiers = self.qualifiers();
        if self.wants(Feature::Const) {
            qualifiers |= Qualifiers::CONST;
        }
        let target = self.program.types.qualified(target, qualifiers);
        self.program.types.pointer_to(target)
    }

    /// A record: a new one, or one that exists.
    fn record_type(&mut self) -> Option<TypeId> {
        draw(self, RECORDS, ())
    }

    /// One that exists.
    fn old_record(&mut self) -> RecordInfo {
        self.choices.pick(&self.stock.records)
    }

    /// A structure or a union: a new one, or one that exists.
    fn record_of(&mut self, kind: RecordKind) -> Option<TypeId> {
        let full = self.stock.records.len() >= MOST_RECORDS;
        let same = |ty: TypeId| match *self.program.resolve(ty) {
            Type::Record(id) => self.program[id].kind == kind,
            _ => false,
        };
        let old: Vec<TypeId> =
            self.stock.records.iter().map(|info| info.ty).filter(|ty| same(*ty)).collect();
        if !old.is_empty() && (full || self.choices.chance(OLD_RECORDS)) {
            return Some(self.choices.pick(&old));
        }
        match kind {
            _ if full => None,
            RecordKind::Struct => Some(self.struct_type()),
            RecordKind::Union => self.union_type(),
        }
    }

    fn struct_type(&mut self) -> TypeId {
        let packed = self.wants(Feature::Packed);
        let mut assignable = true;
        let count = self.up_to(1, Parameter::Fields);
        let mut fields: Vec<Field> = Vec::new();
        for _ in 0..count {
            if (self.has(Feature::Int) || self.has(Feature::Bool)) && self.wants(Feature::BitField)
            {
                let field = self.bit_field();
                fields.push(field);
                continue;
            }
            let mut ty = draw(self, MEMBERS, packed).unwrap_or_else(|| self.number_type());
            assignable &= self.record_info(ty).is_none_or(|info| info.assignable);
            if self.has(Feature::Volatile) && self.choices.chance(VOLATILE_MEMBERS) {
                ty = self.program.types.qualified(ty, Qualifiers::VOLATILE);
                // A copy of the whole would access the member as if it were not volatile.
                assignable = false;
            } else if self.has(Feature::Const) && self.choices.chance(CONST_MEMBERS) {
                ty = self.program.types.qualified(ty, Qualifiers::CONST);
                assignable = false;
            }
            let field = self.field(ty, None, true);
            fields.push(field);
        }
        if fields.iter().all(|field| field.name.is_none()) {
            let ty = self.int_type();
            let field = self.field(ty, None, true);
            fields.push(field);
        }
        self.record(RecordKind::Struct, fields, packed, assignable, !packed)
    }

    /// A bit-field of a type that every dialect has.
    fn bit_field(&mut self) -> Field {
        let mut kinds = vec![IntKind::Int, IntKind::UInt, IntKind::Bool];
        kinds.retain(|kind| self.has_kind(*kind));
        let kind = self.choices.pick(&kinds);
        let most = match kind {
            IntKind::Bool => 1,
            // On every target, so that the same program fits all.
            kind => self.config.target.int_bits(kind),
        };
        let form = self.choices.weighted(&BIT_FIELDS);
        let width = match form {
            Some(0) => 0,
            _ => self.choices.range(1, i64::from(most)) as u32,
        };
        self.field(Types::int(kind), Some(width), form == Some(2))
    }

    /// A union whose members have one size and no padding, so that each can be read
    /// after each.
    fn union_type(&mut self) -> Option<TypeId> {
        let target = self.config.target;
        let mut kinds: Vec<IntKind> = IntKind::ALL.into();
        kinds.retain(|kind| {
            !matches!(kind, IntKind::Bool | IntKind::Int128 | IntKind::UInt128)
                && target.int_scalar(*kind).is_some()
                && self.has_kind(*kind)
        });
        let mut sizes: Vec<u32> = kinds.iter().map(|kind| target.int_bits(*kind)).collect();
        sizes.dedup();
        if sizes.is_empty() {
            return None;
        }
        let size = self.choices.pick(&sizes);
        let narrow = [IntKind::UShort, IntKind::UChar]
            .into_iter()
            .find(|kind| self.has_kind(*kind) && target.int_bits(*kind) < size)
            .filter(|_| self.has(Feature::Array));
        kinds.retain(|kind| target.int_bits(*kind) == size);
        let mut fields = Vec::new();
        for _ in 0..self.up_to(2, Parameter::Fields).min(UNION_MEMBERS) {
            let ty = match narrow.filter(|_| self.choices.chance(UNION_ARRAYS)) {
                Some(narrow) => {
                    let length = u64::from(size / target.int_bits(narrow));
                    self.program.types.array_of(Types::int(narrow), ArrayLength::Fixed(length))
                }
                None => Types::int(self.choices.pick(&kinds)),
            };
            let field = self.field(ty, None, true);
            fields.push(field);
        }
        Some(self.record(RecordKind::Union, fields, false, true, false))
    }

    pub(super) fn field(&mut self, ty: TypeId, bits: Option<u32>, named: bool) -> Field {
        let name = named.then(|| self.name(Name::Field));
        Field { name, ty, bits, packed: false, align: None, attributes: [].into() }
    }

    fn record(
        &mut self,
        kind: RecordKind,
        fields: Vec<Field>,
        packed: bool,
        assignable: bool,
        addressable: bool,
    ) -> TypeId {
        let tag = self.name(Name::Record);
        let ty = self.define_record(kind, tag, fields, packed);
        let bytes = self.layouts.size_of(&self.program, ty).expect("its members are complete");
        self.stock.records.push(RecordInfo { ty, assignable, addressable, bytes });
        ty
    }

    pub(super) fn define_record(
        &mut self,
        kind: RecordKind,
        tag: Symbol,
        fields: Vec<Field>,
        packed: bool,
    ) -> TypeId {
        let id = self.program.records.push(Record {
            kind,
            tag: Some(tag),
            fields: Some(fields.into()),
            packed,
            pack: None,
            align: None,
            may_alias: false,
            attributes: [].into(),
        });
        self.program.items.push(Item::Define(Entity::Record(id)));
        self.program.types.intern(Type::Record(id))
    }

    /// A record that may be copied.
    pub(super) fn assignable_record(&mut self) -> Option<RecordInfo> {
        let found: Vec<RecordInfo> =
            self.stock.records.iter().filter(|info| info.assignable).copied().collect();
        self.choices.pick_any(&found)
    }

    /// The members of a record that have names, with their positions.
    pub(super) fn members(&self, id: RecordId) -> impl Iterator<Item = (u32, &Field)> {
        let fields = self.program[id].fields.as_deref().expect("records are complete");
        (0..).zip(fields).filter(|(_, field)| field.name.is_some())
    }

    /// What is known about a record type.
    pub(super) fn record_info(&self, ty: TypeId) -> Option<RecordInfo> {
        self.stock.records.iter().find(|info| info.ty == ty.unqualified()).copied()
    }

    /// The range of an integer type, if numbers of 128 bits can say it.
    pub(super) fn type_bounds(&self, ty: TypeId) -> Option<(i128, i128)> {
        let integer = integer_type(&self.program, ty)?;
        let high = i128::try_from(integer.max()).ok()?;
        Some((integer.min(), high))
    }
}
