//! Globals, inputs and initialisers.

use farrier_lang::{
    ArrayLength, Encoding, Entity, ExprId, ExprKind, InitItem, InitPlace, IntKind, Item, Linkage,
    ObjectId, Qualifiers, RecordKind, Storage, StringLiteral, Type, TypeId, Types, integer_type,
};

use super::draft::{Draft, Mode, Name};
use super::places::Purpose;
use super::scope::Variable;
use super::values::{Class, Site, Want};
use crate::features::Feature;
use crate::parameters::Parameter;
use crate::relax::Relaxation;

/// The characters of strings: those that can be printed.
const PRINTABLE: (i64, i64) = (32, 126);

/// How many arrays of characters begin with a string literal, in percent.
const STRING_SHARE: u32 = 6;

/// How many records are compound literals where an object would do, in percent.
const LITERAL_RECORDS: u32 = 20;

/// How deep the value of an initialiser nests.
const DEEPEST_INITIALISER: u32 = 3;

/// How many places a sparse initialiser leaves out, in percent.
const LEFT_OUT: u32 = 40;

/// How many values of an initialiser are no constants: a long list of expressions would
/// be most of the function.
const MOST_EXPRESSIONS: usize = 6;

/// Between which numbers inputs are: a sum of two fits in 16 bits.
const INPUTS: (i64, i64) = (-1200, 12000);

/// How many inputs there are.
const INPUT_COUNT: (i64, i64) = (2, 5);

impl Draft<'_> {
    pub(super) fn linkage(&mut self) -> Linkage {
        if self.config.split == 0 && self.chance(Parameter::StaticShare) {
            Linkage::Internal
        } else {
            Linkage::External
        }
    }

    /// A new global.
    pub(super) fn global(&mut self) {
        let mut ty = self.variable_type(false);
        let constant = self.wants(Feature::Const);
        if constant {
            ty = self.program.types.qualified(ty, Qualifiers::CONST);
        }
        self.define_global(ty);
    }

    /// A new global of this type, which the function that is being drafted sees too.
    pub(super) fn global_of_type(&mut self, ty: TypeId) -> Variable {
        let variable = self.define_global(ty);
        if self.nesting > 0 {
            self.scope.globals.push(variable);
        }
        variable
    }

    fn define_global(&mut self, ty: TypeId) -> Variable {
        let linkage = self.linkage();
        let object = self.object(Name::Global, ty, linkage, Storage::Static);
        let constant = self.is_const(ty);
        let needs = constant || self.has_pointer(ty) && !self.relaxes(Relaxation::Null);
        if needs || self.chance(Parameter::InitialisedShare) {
            let init = self.constant_initialiser(ty);
            self.program[object].init = Some(init);
        }
        if self.wants(Feature::Aligned) {
            self.program[object].align = Some(self.choices.pick(&[16, 32]));
        }
        self.program.items.push(Item::Define(Entity::Object(object)));
        let variable = Variable::global(object, !constant);
        self.stock.globals.push(variable);
        variable
    }

    /// A new global without an initialiser, which only its own statements name.
    pub(super) fn bare_global(&mut self, ty: TypeId) -> ObjectId {
        let linkage = self.linkage();
        let object = self.object(Name::Global, ty, linkage, Storage::Static);
        self.program.items.push(Item::Define(Entity::Object(object)));
        self.stock.own.push(Variable::global(object, true));
        object
    }

    /// Whether a pointer is a part of it: without an initialiser it would be null.
    fn has_pointer(&self, ty: TypeId) -> bool {
        match *self.program.resolve(ty) {
            Type::Pointer(_) => true,
            Type::Array { element, .. } => self.has_pointer(element),
            Type::Record(id) => self.program[id]
                .fields
                .as_deref()
                .is_some_and(|fields| fields.iter().any(|field| self.has_pointer(field.ty))),
            _ => false,
        }
    }

    /// Integers that get their values before the tests run, in a way that hides them.
    pub(super) fn add_inputs(&mut self) {
        if !self.wants(Feature::HiddenInput) {
            return;
        }
        for _ in 0..self.choices.range(INPUT_COUNT.0, INPUT_COUNT.1) {
            let Some(kind) = self.fuel_kind(INPUTS.1.into()) else { break };
            let linkage = self.linkage();
            let object = self.object(Name::Global, Types::int(kind), linkage, Storage::Static);
            self.program.items.push(Item::Define(Entity::Object(object)));
            let value = i128::from(self.choices.range(INPUTS.0, INPUTS.1));
            let input = Variable::global(object, false);
            self.stock.inputs.push((input, value));
        }
    }

    /// An initialiser of an object of static storage: from constants.
    pub(super) fn constant_initialiser(&mut self, ty: TypeId) -> ExprId {
        self.initialiser(ty, true, 0)
    }

    /// An initialiser; from constants if it must be one. A pointer in it may point to
    /// what lives as long as `reach` says; inside an aggregate that is the whole run.
    pub(super) fn initialiser(&mut self, ty: TypeId, constant: bool, reach: u32) -> ExprId {
        let (places, is_record): (Vec<(u64, TypeId)>, bool) = match *self.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                if matches!(self.program.resolve(element), Type::Int(IntKind::Char))
                    && length > 1
                    && self.has(Feature::StringLiteral)
                    && self.choices.chance(STRING_SHARE)
                {
                    let length = self.choices.below(length);
                    return self.string(length);
                }
                ((0..length).map(|index| (index, element)).collect(), false)
            }
            Type::Record(id) => {
                let members = self.members(id);
                let mut places: Vec<_> =
                    members.map(|(index, field)| (index.into(), field.ty)).collect();
                if self.program[id].kind == RecordKind::Union {
                    let first = if self.wants(Feature::DesignatedInit) {
                        self.choices.index(places.len())
                    } else {
                        0
                    };
                    places = vec![places[first]];
                }
                (places, true)
            }
            _ => return self.scalar_initialiser(ty, constant, reach),
        };
        let sparse = places.len() > 1 && self.wants(Feature::DesignatedInit);
        let mut items = Vec::new();
        for (position, (index, part)) in places.iter().copied().enumerate() {
            let skip = sparse && self.choices.chance(LEFT_OUT) && !self.has_pointer(part);
            if skip && (position + 1 < places.len() || !items.is_empty()) {
                continue;
            }
            let place = if is_record {
                InitPlace::Field(index as u32)
            } else {
                InitPlace::Elements { first: index, last: index }
            };
            let constant = constant || position >= MOST_EXPRESSIONS || !self.has_room();
            let value = self.initialiser(part, constant, 0);
            items.push(InitItem { place, value });
        }
        self.builder().node(ExprKind::InitList(items.into()), ty.unqualified())
    }

    /// A string literal of printable characters.
    pub(super) fn string(&mut self, length: u64) -> ExprId {
        let (first, last) = PRINTABLE;
        let units = (0..length).map(|_| self.choices.range(first, last) as u32).collect();
        let ty = self.program.types.array_of(Types::CHAR, ArrayLength::Fixed(length + 1));
        let id = self.program.strings.push(StringLiteral { encoding: Encoding::Plain, units });
        self.builder().node(ExprKind::String(id), ty)
    }

    /// A value of a record type: that of an object, a compound literal, or, where there is
    /// neither, that of a new global.
    pub(super) fn record_value(&mut self, ty: TypeId, mode: Mode) -> ExprId {
        let quiet = mode == Mode::Quiet;
        if mode == Mode::Free
            && self.wants(Feature::RecordChain)
            && let Some(call) = self.record_call(ty)
        {
            return call;
        }
        let literals = self.has(Feature::CompoundLiteral);
        let place = if quiet { None } else { self.record_place(ty, Purpose::Read) };
        let place = match place {
            Some(place) if !literals || !self.choices.chance(LITERAL_RECORDS) => place,
            _ if literals => {
                let list = self.initialiser(ty, quiet, 0);
                self.builder().node(ExprKind::CompoundLiteral(list), ty)
            }
            _ => {
                let global = self.global_of_type(ty);
                if quiet {
                    // One that nothing else knows can be read beside everything.
                    self.stock.globals.pop();
                    self.scope.globals.pop_if(|last| last.object == global.object);
                }
                self.object_expr(global.object)
            }
        };
        self.builder().value(place)
    }

    fn scalar_initialiser(&mut self, ty: TypeId, constant: bool, reach: u32) -> ExprId {
        if !constant {
            let depth = self.up_to(1, Parameter::ExpressionDepth).min(DEEPEST_INITIALISER);
            // The values of a list are not sequenced.
            let mode = if reach > 0 { self.draw_mode() } else { Mode::Reading };
            return self.value(Want::Exactly(ty), Site { reach, ..Site::new(mode, depth) });
        }
        let value = match (self.program.pointee(ty), self.class_of(ty)) {
            (Some(_), _) if self.wants(Feature::NullPointer) => {
                let zero = self.builder().int(IntKind::Int, 0);
                return self.builder().convert(zero, ty);
            }
            (Some(target), _) => self.address_of_some(target, 0, true),
            (_, Some(Class::Floating)) => self.constant(Class::Floating),
            _ => {
                let value = self.number();
                // Wrapped into the type here, so that the conversion is exact.
                let value = match integer_type(&self.program, ty) {
                    Some(integer) => integer.wrap(value),
                    None => value,
                };
                self.literal(value.clamp(-(1 << 63), (1 << 64) - 1))
            }
        };
        self.adapt(value, ty)
    }
}
