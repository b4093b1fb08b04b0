//! GNU vectors: their types, the objects that hold them, and what is known of their lanes.
//!
//! The lanes of every object lie in a range that drafting knows, and so do the lanes of every
//! value. An operator that could overflow gets operands that are masked or shifted before, or
//! works on unsigned lanes. So no operation on lanes is undefined, and none needs a guard.
//! Floating lanes are small multiples of a power of two, so that every operation on them is
//! exact.

mod functions;
mod statements;
mod values;

use farrier_lang::float::FloatValue;
use farrier_lang::target::FloatFormat;
use farrier_lang::{
    ArrayLength, Entity, ExprId, ExprKind, FloatKind, InitItem, InitPlace, IntKind, Item, Linkage,
    ObjectId, Qualifiers, RecordKind, Storage, Type, TypeId, Typedef, Types, integer_type,
};

use super::draft::{Draft, Mode, Name};
use crate::features::Feature;
pub(super) use functions::VectorFunction;
pub(super) use statements::has_vectors;

/// The sizes of vectors in bytes.
const SIZES: [(u64, u32); 6] = [(2, 1), (4, 2), (8, 4), (16, 10), (32, 6), (64, 2)];

/// How many types of vectors a program has, and in percent those drawn anew while it may have
/// more.
const MOST_TYPES: usize = 5;
const NEW_TYPES: u32 = 40;

/// In percent: objects whose lanes may have every value, and numbers of those that are drawn
/// like other constants.
const FULL_RANGES: u32 = 30;
const ANY_NUMBERS: u32 = 50;

/// The bits of floating lanes in an object, of which so many are after the point.
const FLOAT_BITS: [(u32, u32); 2] = [(24, 8), (53, 16)];
const FRACTION: u32 = 2;

/// How many elements arrays of vectors have.
const LENGTHS: (i64, i64) = (2, 9);

/// The most elements of an array that shares its bytes with a vector.
const MOST_VIEWED: u64 = 16;

/// How many globals begin with a list of numbers, in percent.
const INITIALISED: u32 = 60;

/// What a lane is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    Integer { signed: bool, bits: u32 },
    Floating { digits: u32 },
}

/// A type of vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct VectorType {
    ty: TypeId,
    element: TypeId,
    count: u32,
    /// The bytes of a lane.
    size: u64,
    lane: Lane,
}

impl VectorType {
    fn bytes(self) -> u64 {
        self.size * u64::from(self.count)
    }

    fn is_floating(self) -> bool {
        matches!(self.lane, Lane::Floating { .. })
    }

    /// What lanes can be: of floating ones, what sums and products stay exact in.
    fn whole(self) -> Range {
        match self.lane {
            Lane::Integer { signed: true, bits } => {
                Range { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1, fraction: 0 }
            }
            Lane::Integer { signed: false, bits } => {
                Range { low: 0, high: (1 << bits) - 1, fraction: 0 }
            }
            Lane::Floating { digits } => Range::within(1 << digits, 0),
        }
    }

    /// A range in which sums and products do not overflow.
    fn small(self) -> Range {
        match self.lane {
            Lane::Integer { signed: true, bits } => {
                Range { low: -(1 << (bits / 2 - 1)), high: (1 << (bits / 2 - 1)) - 1, fraction: 0 }
            }
            Lane::Integer { signed: false, bits } => {
                Range { low: 0, high: (1 << (bits / 2)) - 1, fraction: 0 }
            }
            Lane::Floating { digits } => {
                let row = FLOAT_BITS.iter().find(|row| row.0 == digits);
                Range::within(1 << row.map_or(1, |row| row.1), FRACTION)
            }
        }
    }
}

/// Between which numbers lanes lie, in units of two to the power of minus `fraction`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    low: i128,
    high: i128,
    fraction: u32,
}

impl Range {
    fn within(limit: i128, fraction: u32) -> Self {
        Self { low: -limit, high: limit, fraction }
    }

    fn of(low: i128, high: i128) -> Self {
        Self { low, high, fraction: 0 }
    }

    /// The same in smaller units.
    fn with_fraction(self, fraction: u32) -> Self {
        let more = fraction - self.fraction;
        Self { low: self.low << more, high: self.high << more, fraction }
    }

    fn contains(self, other: Self) -> bool {
        other.fraction <= self.fraction && {
            let other = other.with_fraction(self.fraction);
            self.low <= other.low && other.high <= self.high
        }
    }

    fn join(self, other: Self) -> Self {
        let fraction = self.fraction.max(other.fraction);
        let (a, b) = (self.with_fraction(fraction), other.with_fraction(fraction));
        Self { low: a.low.min(b.low), high: a.high.max(b.high), fraction }
    }
}

/// Where in an object a vector is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Path {
    Whole,
    /// An element of an array of so many.
    Element(u64),
    Member(u32),
    /// What a pointer points to.
    Target,
}

/// An object that holds vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    object: ObjectId,
    path: Path,
    of: VectorType,
    /// Where its lanes always lie.
    range: Range,
    writable: bool,
    /// A volatile one is read and written as a whole, by a statement of its own.
    volatile: bool,
    global: bool,
    /// The array of numbers that shares its bytes, as a member: its index, element and length.
    view: Option<(u32, TypeId, u64)>,
}

impl Draft<'_> {
    fn vector_of(&mut self, element: TypeId, count: u32) -> VectorType {
        let ty = self.program.types.vector_of(element, count);
        let ty = if self.has(Feature::ExtVector) { self.extended_vector(ty) } else { ty };
        let size = self.layouts.size_of(&self.program, element).expect("a lane has a size");
        let lane = match integer_type(&self.program, element) {
            Some(integer) => Lane::Integer { signed: integer.signed, bits: integer.bits },
            None => Lane::Floating { digits: if size == 4 { 24 } else { 53 } },
        };
        VectorType { ty, element, count, size, lane }
    }

    /// The typedef that makes a vector one of clang's.
    fn extended_vector(&mut self, base: TypeId) -> TypeId {
        let known = self.program.typedefs.iter().find(|(_, typedef)| typedef.base == base);
        let id = match known {
            Some((id, _)) => id,
            None => {
                let name = self.name(Name::Typedef);
                let (align, may_alias, attributes) = (None, false, [].into());
                let id = self.program.typedefs.push(Typedef {
                    name,
                    base,
                    align,
                    may_alias,
                    extended: true,
                    attributes,
                });
                self.program.items.push(Item::Define(Entity::Typedef(id)));
                id
            }
        };
        self.program.types.intern(Type::Typedef(id))
    }

    /// The type of integers of the same width as the lanes of another.
    fn integer_twin(&mut self, of: VectorType, signed: bool) -> VectorType {
        let base = match self.program.resolve(of.element) {
            Type::Int(kind) => *kind,
            _ => self.kind_of_size(of.size),
        };
        let kind = if signed { base.to_signed() } else { base.to_unsigned() };
        self.vector_of(Types::int(kind), of.count)
    }

    /// The first signed kind of integers that has so many bytes.
    fn kind_of_size(&self, bytes: u64) -> IntKind {
        let fits = |kind: &IntKind| u64::from(self.config.target.int_bits(*kind)) == bytes * 8;
        let kinds = [IntKind::Int, IntKind::Long, IntKind::LongLong];
        kinds.into_iter().find(fits).unwrap_or(IntKind::LongLong)
    }

    /// A type of vectors, mostly one that the program has.
    fn vector_type(&mut self) -> VectorType {
        let types = &self.stock.vector_types;
        if types.len() >= MOST_TYPES || !types.is_empty() && !self.choices.chance(NEW_TYPES) {
            return self.choices.pick(&self.stock.vector_types);
        }
        // What compares floating lanes are integers as wide as they are.
        let mut floats = vec![(FloatKind::Float, 4), (FloatKind::Double, 8)];
        floats.retain(|(_, bytes)| self.has_kind(self.kind_of_size(*bytes)));
        let float =
            if self.wants(Feature::VectorFloat) { self.choices.pick_any(&floats) } else { None };
        let element = match float {
            Some((kind, _)) => Types::float(kind),
            None => {
                let narrow = |_: &Self, kind| !matches!(kind, IntKind::Bool | IntKind::Int128);
                Types::int(self.kind_like(narrow).unwrap_or(IntKind::Int))
            }
        };
        let size = self.layouts.size_of(&self.program, element).expect("a lane has a size");
        let weights = SIZES.map(|(bytes, weight)| if bytes >= size { weight } else { 0 });
        let bytes = SIZES[self.choices.weighted(&weights).unwrap_or(SIZES.len() - 1)].0;
        let made = self.vector_of(element, (bytes / size) as u32);
        if !self.stock.vector_types.contains(&made) {
            self.stock.vector_types.push(made);
        }
        made
    }

    /// A type that the program has and that is like that.
    fn vector_type_like(&mut self, like: impl Fn(VectorType) -> bool) -> Option<VectorType> {
        let mut found = self.stock.vector_types.clone();
        found.retain(|ty| like(*ty));
        self.choices.pick_any(&found)
    }

    /// An object that holds vectors, like that.
    fn vector_home(&mut self, like: impl Fn(&Home) -> bool) -> Option<Home> {
        let globals = self.stock.vectors.iter();
        let found: Vec<Home> =
            self.scope.vectors.iter().chain(globals).filter(|home| like(home)).copied().collect();
        self.choices.pick_any(&found)
    }

    fn home_range(&mut self, of: VectorType) -> Range {
        let full = !of.is_floating() && self.choices.chance(FULL_RANGES);
        if full { of.whole() } else { of.small() }
    }

    /// The lvalue of a vector.
    fn vector_place(&mut self, home: Home) -> ExprId {
        match home.path {
            Path::Whole => self.object_expr(home.object),
            Path::Element(length) => {
                let index = self.index_below(length, Mode::Reading);
                let base = self.object_expr(home.object);
                self.element(base, index)
            }
            Path::Member(member) => {
                let base = self.object_expr(home.object);
                self.builder().member(base, member)
            }
            Path::Target => {
                let pointer = self.load(home.object);
                self.dereference(pointer)
            }
        }
    }

    /// A new global of vectors.
    fn vector_global(&mut self, of: VectorType) -> Home {
        let mut range = self.home_range(of);
        let record = self.wants(Feature::VectorRecord);
        let mut view = None;
        let (mut ty, path) = match self.choices.below(3) {
            0 if self.has(Feature::Array) && self.wants(Feature::VectorArray) => {
                let length = self.choices.range(LENGTHS.0, LENGTHS.1) as u64;
                let ty = self.program.types.array_of(of.ty, ArrayLength::Fixed(length));
                (ty, Path::Element(length))
            }
            1 if record && self.has(Feature::Struct) => {
                let (ty, member) = self.vector_struct(of);
                (ty, Path::Member(member))
            }
            1 | 2 if record && !of.is_floating() && self.can_view() => {
                let (ty, element, length) = self.vector_union(of);
                range = of.whole();
                view = Some((1, element, length));
                (ty, Path::Member(0))
            }
            _ => (of.ty, Path::Whole),
        };
        let plain = path == Path::Whole;
        let constant = plain && self.wants(Feature::Const);
        let volatile = plain && !constant && self.wants(Feature::Volatile);
        if constant {
            ty = self.program.types.qualified(ty, Qualifiers::CONST);
        }
        if volatile {
            ty = self.program.types.qualified(ty, Qualifiers::VOLATILE);
        }
        let object = self.bare_global(ty);
        if plain && (constant || self.choices.chance(INITIALISED)) {
            let list = self.vector_list(of, range);
            self.program[object].init = Some(list);
        }
        let home =
            Home { object, path, of, range, writable: !constant, volatile, global: true, view };
        self.stock.vectors.push(home);
        home
    }

    fn can_view(&self) -> bool {
        self.has(Feature::Union) && self.has(Feature::Array)
    }

    /// A structure with a vector and numbers beside it.
    fn vector_struct(&mut self, of: VectorType) -> (TypeId, u32) {
        let mut fields = Vec::new();
        if self.choices.chance(50) {
            let ty = self.int_type();
            fields.push(self.field(ty, None, true));
        }
        let member = fields.len() as u32;
        fields.push(self.field(of.ty, None, true));
        if self.choices.chance(50) {
            let ty = self.int_type();
            fields.push(self.field(ty, None, true));
        }
        let tag = self.name(Name::Record);
        (self.define_record(RecordKind::Struct, tag, fields, false), member)
    }

    /// A union of a vector and an array of integers, with the element of that and its length.
    fn vector_union(&mut self, of: VectorType) -> (TypeId, TypeId, u64) {
        let bytes = of.bytes();
        let target = self.config.target;
        let fits = |_: &Self, kind: IntKind| {
            let size = u64::from(target.int_bits(kind)) / 8;
            !matches!(kind, IntKind::Bool | IntKind::Int128)
                && size <= bytes
                && bytes / size <= MOST_VIEWED
        };
        let element = self.kind_like(fits).map_or(of.element, Types::int);
        let size = self.layouts.size_of(&self.program, element).expect("integers have sizes");
        let length = bytes / size;
        let array = self.program.types.array_of(element, ArrayLength::Fixed(length));
        let fields = vec![self.field(of.ty, None, true), self.field(array, None, true)];
        let tag = self.name(Name::Record);
        (self.define_record(RecordKind::Union, tag, fields, false), element, length)
    }

    /// A new local that holds a vector.
    fn vector_local(&mut self, ty: TypeId, of: VectorType, range: Range, path: Path) -> Home {
        let object = self.object(Name::Local, ty, Linkage::None, Storage::Automatic);
        let writable = !ty.qualifiers().contains(Qualifiers::CONST);
        Home { object, path, of, range, writable, volatile: false, global: false, view: None }
    }

    /// A number that a lane may have.
    fn lane_number(&mut self, of: VectorType, range: Range) -> i128 {
        if range == of.whole() && self.choices.chance(ANY_NUMBERS) {
            let number = self.number();
            let integer = integer_type(&self.program, of.element);
            return integer.map_or(0, |integer| integer.wrap(number));
        }
        let limit = |number: i128| number.clamp(-(1 << 31), 1 << 31) as i64;
        i128::from(self.choices.range(limit(range.low), limit(range.high)))
    }

    /// A constant lane, in units of the range.
    fn lane_constant(&mut self, of: VectorType, range: Range, number: i128) -> ExprId {
        match of.lane {
            Lane::Integer { .. } => {
                let literal = self.literal(number);
                self.adapt(literal, of.element)
            }
            Lane::Floating { digits } => {
                let value = number as f64 / f64::from(1 << range.fraction);
                let (format, bits) = match digits {
                    24 => (FloatFormat::Single, u128::from((value as f32).to_bits())),
                    _ => (FloatFormat::Double, u128::from(value.to_bits())),
                };
                let value = FloatValue { format, bits };
                let literal = self.program.floating(value, of.element);
                literal.expect("a finite number has a constant")
            }
        }
    }

    /// `{ 1, 2, 3, 4 }`
    fn vector_list(&mut self, of: VectorType, range: Range) -> ExprId {
        let items: Vec<InitItem> = (0..u64::from(of.count))
            .map(|index| {
                let number = self.lane_number(of, range);
                let value = self.lane_constant(of, range, number);
                InitItem { place: InitPlace::Elements { first: index, last: index }, value }
            })
            .collect();
        self.builder().node(ExprKind::InitList(items.into()), of.ty)
    }

    /// Whether vectors are a part of a type: only their own statements name such objects.
    pub(super) fn holds_vectors(&self, ty: TypeId) -> bool {
        match *self.program.resolve(ty) {
            Type::Vector { .. } | Type::Complex(_) => true,
            Type::Array { element, .. } => self.holds_vectors(element),
            Type::Record(id) => self.program[id]
                .fields
                .as_deref()
                .is_some_and(|fields| fields.iter().any(|field| self.holds_vectors(field.ty))),
            _ => false,
        }
    }
}
