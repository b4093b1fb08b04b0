//! Random types.

use farrier_lang::*;

use super::draft::{Draft, Name, RecordInfo};
use super::values::Class;
use crate::features::Feature;
use crate::parameters::Parameter;

/// How many records a program has, at most.
const MOST_RECORDS: usize = 24;

impl Draft<'_> {
    /// An integer type by the weights, narrow ones as often as wide ones.
    pub(super) fn int_kind(&mut self) -> IntKind {
        const KINDS: [(Feature, IntKind); 7] = [
            (Feature::Bool, IntKind::Bool),
            (Feature::Char, IntKind::SChar),
            (Feature::Short, IntKind::Short),
            (Feature::Int, IntKind::Int),
            (Feature::Long, IntKind::Long),
            (Feature::LongLong, IntKind::LongLong),
            (Feature::Int128, IntKind::Int128),
        ];
        let weights = KINDS.map(|(feature, _)| self.weight(feature));
        let kind = match self.choices.weighted(&weights) {
            Some(index) => KINDS[index].1,
            None => IntKind::Int,
        };
        if kind == IntKind::Bool {
            kind
        } else if self.chance(Parameter::UnsignedShare) {
            kind.to_unsigned()
        } else if kind == IntKind::SChar && self.choices.chance(30) {
            IntKind::Char
        } else {
            kind
        }
    }

    pub(super) fn int_type(&mut self) -> TypeId {
        Types::int(self.int_kind())
    }

    /// A type of numbers of a class, enumerations apart.
    pub(super) fn type_of_class(&mut self, class: Class) -> TypeId {
        match class {
            Class::Integer => self.int_type(),
            Class::Floating => Types::DOUBLE,
        }
    }

    /// A type of numbers, enumerations apart.
    fn plain_type(&mut self) -> TypeId {
        let class = self.number_class();
        self.type_of_class(class)
    }

    /// The type of a scalar that is not a pointer.
    pub(super) fn number_type(&mut self) -> TypeId {
        if self.has(Feature::Enum) {
            let weight = self.weight(Feature::Enum);
            if self.choices.chance(weight) {
                let id = self.enumeration();
                return self.program.types.intern(Type::Enum(id));
            }
        }
        self.plain_type()
    }

    /// An enumeration: a new one, or one that exists.
    fn enumeration(&mut self) -> EnumId {
        if !self.stock.enums.is_empty() && self.choices.chance(70) {
            return self.choices.pick(&self.stock.enums);
        }
        let tag = self.name(Name::Enum);
        let negative = self.choices.chance(40);
        // Values fit in every int.
        let mut value = if negative { -self.choices.range(1, 300) } else { 0 };
        let underlying = if negative { IntKind::Int } else { IntKind::UInt };
        let id = self.program.enums.push(Enum {
            tag,
            constants: None,
            underlying,
            fixed: false,
            packed: false,
        });
        let constants = (0..self.choices.range(2, 6))
            .map(|_| {
                let name = self.name(Name::Constant);
                let constant = self.program.enum_constants.push(EnumConstant {
                    name,
                    parent: id,
                    value: i128::from(value),
                    ty: Types::INT,
                });
                value += if self.choices.chance(60) { 1 } else { self.choices.range(1, 900) };
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
        let record = if self.can_make_record() || !self.stock.records.is_empty() {
            self.weight(Feature::Struct) + self.weight(Feature::Union)
        } else {
            0
        };
        let (record, array) = if local {
            let share = self.weight(Feature::LocalRecord);
            (record * share / 30, self.weight(Feature::Array) * share / 30)
        } else {
            (record, self.weight(Feature::Array))
        };
        let ty = match self.choices.weighted(&[45, record, array, self.weight(Feature::Pointer)]) {
            Some(1) => self.record_type(),
            Some(2) => self.array_type(local),
            Some(3) => self.pointer_type(),
            _ => self.number_type(),
        };
        let qualifiers = self.qualifiers();
        self.program.types.qualified(ty, qualifiers)
    }

    fn qualifiers(&mut self) -> Qualifiers {
        if self.wants(Feature::Volatile) { Qualifiers::VOLATILE } else { Qualifiers::NONE }
    }

    fn array_type(&mut self, local: bool) -> TypeId {
        let mut ty = match self.choices.below(10) {
            0 | 1 if !local && (self.can_make_record() || !self.stock.records.is_empty()) => {
                self.record_type()
            }
            2 if self.has(Feature::Pointer) && !local => self.pointer_type(),
            _ => self.plain_type(),
        };
        // Small programs have small arrays, or they would hold nothing else.
        let most = (self.config.size as u64 / 250).clamp(4, if local { 24 } else { 300 });
        let length = u64::from(self.up_to(1, Parameter::ArrayLength)).min(most);
        ty = self.program.types.array_of(ty, ArrayLength::Fixed(length));
        let mut elements = length;
        while self.wants(Feature::MultiArray) {
            // Dimensions that are alike, so that one index suits several.
            let length = if self.choices.chance(60) {
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
        let target = match self.choices.below(10) {
            0 | 1 if self.wants(Feature::PointerToPointer) || self.choices.chance(20) => {
                if self.has(Feature::PointerToPointer) {
                    let inner = self.plain_type();
                    self.program.types.pointer_to(inner)
                } else {
                    self.plain_type()
                }
            }
            2 | 3 if !self.stock.records.is_empty() => self.choices.pick(&self.stock.records).ty,
            _ => self.number_type(),
        };
        let mut qualifiers = self.qualifiers();
        if self.wants(Feature::Const) {
            qualifiers |= Qualifiers::CONST;
        }
        let target = self.program.types.qualified(target, qualifiers);
        self.program.types.pointer_to(target)
    }

    fn can_make_record(&self) -> bool {
        self.stock.records.len() < MOST_RECORDS
            && (self.has(Feature::Struct) || self.has(Feature::Union))
    }

    /// A record: a new one, or one that exists.
    pub(super) fn record_type(&mut self) -> TypeId {
        if !self.can_make_record() || !self.stock.records.is_empty() && self.choices.chance(65) {
            return self.choices.pick(&self.stock.records).ty;
        }
        let weights = [self.weight(Feature::Struct), self.weight(Feature::Union)];
        if self.choices.weighted(&weights) == Some(1) {
            self.union_type()
        } else {
            self.struct_type()
        }
    }

    fn struct_type(&mut self) -> TypeId {
        let packed = self.wants(Feature::Packed);
        let mut assignable = true;
        let count = self.up_to(1, Parameter::Fields);
        let mut fields: Vec<Field> = Vec::new();
        for _ in 0..count {
            if self.wants(Feature::BitField) {
                let field = self.bit_field();
                fields.push(field);
                continue;
            }
            let mut ty = match self.choices.below(10) {
                // A packed member that is an array or a record would have an address
                // that its type does not allow.
                0 if !packed && self.has(Feature::Array) => {
                    let element = self.plain_type();
                    let length = u64::from(self.up_to(1, Parameter::ArrayLength).min(8));
                    self.program.types.array_of(element, ArrayLength::Fixed(length))
                }
                1 if !packed && self.has(Feature::Pointer) => self.pointer_type(),
                2 | 3
                    if !packed
                        && self.wants(Feature::NestedRecord)
                        && !self.stock.records.is_empty() =>
                {
                    let info = self.choices.pick(&self.stock.records);
                    assignable &= info.assignable;
                    info.ty
                }
                _ => self.number_type(),
            };
            if self.has(Feature::Volatile) && self.choices.chance(4) {
                ty = self.program.types.qualified(ty, Qualifiers::VOLATILE);
                // A copy of the whole would access the member as if it were not volatile.
                assignable = false;
            } else if self.has(Feature::Const) && self.choices.chance(3) {
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
        let kinds = [IntKind::Int, IntKind::UInt, IntKind::Bool];
        let kind = self.choices.pick(&kinds);
        let most = match kind {
            IntKind::Bool => 1,
            // On every target, so that the same program fits all.
            kind => self.config.target.int_bits(kind),
        };
        let ty = Types::int(kind);
        match self.choices.below(16) {
            0 => self.field(Types::int(IntKind::UInt), Some(0), false),
            1 => {
                let width = self.choices.range(1, i64::from(most)) as u32;
                self.field(ty, Some(width), false)
            }
            _ => {
                let width = self.choices.range(1, i64::from(most)) as u32;
                self.field(ty, Some(width), true)
            }
        }
    }

    /// A union whose members have one size and no padding, so that each can be read
    /// after each.
    fn union_type(&mut self) -> TypeId {
        let target = self.config.target;
        let size = self.choices.pick(&[8, 16, 32, 64]);
        let kinds: Vec<IntKind> = IntKind::ALL
            .into_iter()
            .filter(|kind| {
                !matches!(kind, IntKind::Bool | IntKind::Int128 | IntKind::UInt128)
                    && target.int_scalar(*kind).is_some()
                    && target.int_bits(*kind) == size
            })
            .collect();
        let narrow =
            if target.int_bits(IntKind::Short) < size { IntKind::UShort } else { IntKind::UChar };
        let count = self.up_to(2, Parameter::Fields).min(5);
        let mut fields = Vec::new();
        for _ in 0..count {
            let ty = if self.choices.chance(30) && size > target.int_bits(narrow) {
                let length = u64::from(size / target.int_bits(narrow));
                self.program.types.array_of(Types::int(narrow), ArrayLength::Fixed(length))
            } else {
                Types::int(self.choices.pick(&kinds))
            };
            let field = self.field(ty, None, true);
            fields.push(field);
        }
        self.record(RecordKind::Union, fields, false, true, false)
    }

    fn field(&mut self, ty: TypeId, bits: Option<u32>, named: bool) -> Field {
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
        if found.is_empty() { None } else { Some(self.choices.pick(&found)) }
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
