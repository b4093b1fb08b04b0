//! Lvalues: variables, their members and elements, and what pointers point to.

use farrier_lang::{
    ArrayLength, BinaryOp, ExprId, ExprKind, Fallback, GuardCheck, IntKind, ObjectId, Qualifiers,
    Type, TypeId, Types,
};

use super::draft::{Context, Draft, Mode};
use super::scope::Variable;
use super::values::{Class, Site, Want};
use crate::features::Feature;
use crate::parameters::Parameter;
use crate::relax::Relaxation;

/// How often a place is looked for from another variable.
const DESCENTS: u32 = 4;

/// How often a variable is looked for that suits the purpose.
const ROOTS: u32 = 6;

/// How many steps there are from a variable to a number in it, at most.
const MOST_STEPS: u32 = 8;

/// How many indices are the counter of a loop over an array of that length, in percent.
const COUNTER_INDICES: u32 = 70;

/// How many of the other indices are constants.
const CONSTANT_INDICES: u32 = 45;

/// Where bounds are relaxed, in percent: how many pointers are moved by a constant, how many of
/// these and of the subscripts go out of bounds for sure, and how many of those only just.
const MOVED_POINTERS: u32 = 40;
const FAR_INDICES: u32 = 30;
const NEAR_INDICES: u32 = 70;

/// How far beyond a bound subscripts are that are near, and all others: no linker takes the address
/// of an element that is 2 GB away.
const NEAR_INDEX: u64 = 4;
const FARTHEST_INDEX: u64 = 1 << 20;

/// How many assignments inside of expressions are to what the expression names already, in percent,
/// where the rules of order are broken.
const CONTESTED: u32 = 60;

/// So far away there is no part of the same object.
const FAR_AWAY: u64 = 1 << 12;

/// How many places begin with a pointer or an array where their rules are broken, in percent.
const LEANING: u32 = 35;

/// How many pointers are the value of a pointer variable, in percent.
const COPIED_POINTERS: u32 = 35;

/// Of how many globals an address is taken, at most: of very many the last are enough.
const ADDRESSED_GLOBALS: usize = 64;

/// How deep the condition nests that chooses a pointer.
const CHOICE_DEPTH: u32 = 2;

/// What a place is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Read,
    Write,
}

impl Draft<'_> {
    /// An lvalue of a number that is wanted; `None` if none was found.
    pub(super) fn place(&mut self, want: Want, purpose: Purpose, mode: Mode) -> Option<ExprId> {
        for _ in 0..DESCENTS {
            let root = self.root(purpose, mode)?;
            if let Some(place) = self.descend(root, want, purpose, mode) {
                return Some(place);
            }
        }
        None
    }

    /// An lvalue that another operand may be about, for an expression that breaks the rules of
    /// order.
    pub(super) fn contested_place(&mut self, want: Want) -> Option<ExprId> {
        if self.choices.chance(CONTESTED) {
            let named = self.variable(|draft, variable, _| {
                draft.expression.used.contains(&variable.object) && draft.leads_to_write(variable)
            });
            let place =
                named.and_then(|root| self.descend(root, want, Purpose::Write, Mode::Reading));
            if place.is_some() {
                return place;
            }
        }
        self.place(want, Purpose::Write, Mode::Reading)
    }

    /// A visible variable that suits, as does its type.
    pub(super) fn variable(
        &mut self,
        suits: impl Fn(&Self, &Variable, TypeId) -> bool,
    ) -> Option<Variable> {
        let suits = |found: &&Variable| suits(self, found, self.program[found.object].ty);
        let found: Vec<Variable> = self.scope.variables().filter(suits).copied().collect();
        self.choices.pick_any(&found)
    }

    /// Whether nothing that another operand does can change the variable.
    fn is_quiet(&self, variable: &Variable) -> bool {
        if self.program[variable.object].ty.qualifiers().contains(Qualifiers::VOLATILE) {
            return false;
        }
        variable.private && variable.depth > 0
            || !variable.writable && self.program.is_arithmetic(self.program[variable.object].ty)
    }

    /// A variable to start from.
    fn root(&mut self, purpose: Purpose, mode: Mode) -> Option<Variable> {
        let globals = self.scope.globals.len();
        let locals = self.scope.visible.len();
        if globals + locals == 0 {
            return None;
        }
        if let Some(variable) = self.leaning(purpose, mode) {
            return Some(variable);
        }
        let prefer_global = self.chance(Parameter::GlobalShare);
        for _ in 0..ROOTS {
            let variable = if locals == 0 || prefer_global && globals > 0 && mode != Mode::Quiet {
                self.scope.globals[self.choices.index(globals.max(1)).min(globals.max(1) - 1)]
            } else if locals > 0 {
                // Recent ones more often.
                let first = self.choices.index(locals);
                let second = self.choices.index(locals);
                self.scope.visible[first.max(second)]
            } else {
                return None;
            };
            if self.suits(&variable, purpose, mode) {
                return Some(variable);
            }
        }
        None
    }

    /// Whether a variable may be where a place begins.
    fn suits(&self, variable: &Variable, purpose: Purpose, mode: Mode) -> bool {
        let fits = match (purpose, mode) {
            (Purpose::Read, Mode::Quiet) => self.is_quiet(variable),
            (Purpose::Read, _) => true,
            // An address may depend on quiet things only; the object itself may be any.
            (Purpose::Write, _) => self.leads_to_write(variable),
        };
        fits && !self.expression.written.contains(&variable.object)
    }

    /// A pointer or an array, in a program that breaks the rules of one.
    fn leaning(&mut self, purpose: Purpose, mode: Mode) -> Option<Variable> {
        let shares = self.relaxed.shares;
        let pointers = shares.get(Relaxation::Null) + shares.get(Relaxation::Lifetime) > 0;
        let arrays = shares.get(Relaxation::Bounds) > 0;
        if !(pointers || arrays) || !self.choices.chance(LEANING) {
            return None;
        }
        self.variable(|draft, variable, ty| {
            let broken = match draft.program.resolve(ty) {
                Type::Pointer(_) => pointers,
                Type::Array { .. } => arrays,
                _ => false,
            };
            broken && draft.suits(variable, purpose, mode)
        })
    }

    /// Whether the variable may be assigned here.
    pub(super) fn may_write(&self, variable: &Variable) -> bool {
        variable.writable && (self.writes_statics || variable.depth > 0)
    }

    /// Whether the variable, or what it points to, may be assigned here.
    pub(super) fn leads_to_write(&self, variable: &Variable) -> bool {
        self.may_write(variable) || self.writes_statics && self.is_pointer(variable.object)
    }

    fn is_pointer(&self, object: ObjectId) -> bool {
        self.program.pointee(self.program[object].ty).is_some()
    }

    /// From a variable down to a number.
    pub(super) fn descend(
        &mut self,
        root: Variable,
        want: Want,
        purpose: Purpose,
        mode: Mode,
    ) -> Option<ExprId> {
        let mut place = self.object_expr(root.object);
        if self.relaxed.shares.get(Relaxation::Order) > 0 {
            self.expression.used.push(root.object);
        }
        // Whether what has been reached so far is the variable itself.
        let mut inside = true;
        for _ in 0..MOST_STEPS {
            let ty = self.program.type_of(place);
            match *self.program.resolve(ty) {
                Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) | Type::Float(_) => {
                    let suits = match want {
                        Want::Integer => self.class_of(ty) == Some(Class::Integer),
                        Want::Floating => self.class_of(ty) == Some(Class::Floating),
                        Want::Number => true,
                        Want::Exactly(exact) => exact.unqualified() == ty.unqualified(),
                    };
                    let qualifiers = ty.qualifiers();
                    let allowed = match purpose {
                        Purpose::Read => {
                            mode == Mode::Free || !qualifiers.contains(Qualifiers::VOLATILE)
                        }
                        Purpose::Write => {
                            !qualifiers.contains(Qualifiers::CONST)
                                && (!inside || self.may_write(&root))
                        }
                    };
                    if !suits || !allowed {
                        return None;
                    }
                    if inside && root.private {
                        self.expression.used.push(root.object);
                    }
                    return Some(place);
                }
                Type::Record(id) => {
                    let members: Vec<u32> = self.members(id).map(|(index, _)| index).collect();
                    let field = self.choices.pick(&members);
                    place = self.builder().member(place, field);
                }
                Type::Array { length: ArrayLength::Fixed(length), .. } => {
                    let index = self.index_below(length, mode);
                    place = self.element(place, index);
                }
                Type::Pointer(target) => {
                    if matches!(self.program.resolve(target), Type::Function(_) | Type::Void) {
                        return None;
                    }
                    // Reading the pointer is reading, whatever the place is for.
                    let quiet = inside && self.is_quiet(&root);
                    if ty.qualifiers().contains(Qualifiers::VOLATILE) && mode != Mode::Free {
                        return None;
                    }
                    if mode == Mode::Quiet && (!quiet || purpose == Purpose::Read) {
                        return None;
                    }
                    // It may point to a static.
                    if purpose == Purpose::Write && !self.writes_statics {
                        return None;
                    }
                    if inside && root.private {
                        self.expression.used.push(root.object);
                    }
                    let pointer = self.builder().value(place);
                    let pointer = self.guarded_pointer(pointer);
                    place = self.dereference(pointer);
                    inside = false;
                }
                _ => return None,
            }
        }
        None
    }

    /// A pointer that may be null, guarded.
    pub(super) fn guarded_pointer(&mut self, pointer: ExprId) -> ExprId {
        let pointer = self.moved_pointer(pointer);
        if self.relaxes(Relaxation::Null) {
            return pointer;
        }
        let ty = self.program.type_of(pointer);
        let target = self.program.pointee(ty).expect("a pointer points to something");
        let other = self.address_of_some(target, u32::MAX, false);
        let fallback = self.builder().convert(other, ty);
        let check = GuardCheck::Pointer;
        let kind = ExprKind::Guard { check, operand: pointer, fallback: Fallback::Value(fallback) };
        self.builder().node(kind, ty)
    }

    /// A pointer, or one to what is a few elements away.
    fn moved_pointer(&mut self, pointer: ExprId) -> ExprId {
        let relaxes = self.relaxes(Relaxation::Bounds) && self.choices.chance(MOVED_POINTERS);
        if !relaxes || !self.has(Feature::Arithmetic) {
            return pointer;
        }
        // Nothing in between: the machine lets a pointer go from one member to the next.
        let distance = match self.choices.chance(FAR_INDICES) {
            true => FAR_AWAY + self.choices.below(FARTHEST_INDEX),
            false => 0,
        };
        let distance = self.literal(distance.into());
        let op = self.choices.pick(&[BinaryOp::Add, BinaryOp::Sub]);
        self.binary(op, pointer, distance)
    }

    /// A constant that is no index into `length` elements.
    fn far_index(&mut self, length: u64) -> ExprId {
        let beyond = match self.choices.chance(NEAR_INDICES) {
            true => self.choices.below(NEAR_INDEX),
            false => self.choices.below(FARTHEST_INDEX),
        };
        let beyond = beyond as i128;
        let number = match self.choices.chance(50) {
            true => i128::from(length) + beyond,
            false => -1 - beyond,
        };
        self.literal(number)
    }

    /// An index into an array of `length` elements.
    pub(super) fn index_below(&mut self, length: u64, mode: Mode) -> ExprId {
        // The counter of a loop over such an array comes first.
        let counters: Vec<ObjectId> = self
            .scope
            .visible
            .iter()
            .filter(|variable| variable.below.is_some_and(|below| below <= length))
            .map(|variable| variable.object)
            .collect();
        if !counters.is_empty() && self.choices.chance(COUNTER_INDICES) {
            let counter = self.choices.pick(&counters);
            self.expression.used.push(counter);
            return self.load(counter);
        }
        if length == 1 || self.expression.indexing || self.choices.chance(CONSTANT_INDICES) {
            return self.small_constant(length);
        }
        let mode = mode.min(Mode::Reading);
        self.expression.indexing = true;
        let index = self.value(Want::Integer, Site::new(mode, 1));
        self.expression.indexing = false;
        let ty = self.program.type_of(index);
        // The machine and the wrappers take indices of up to 64 bits.
        let index = match self.program.resolve(ty) {
            Type::Int(IntKind::Int128 | IntKind::UInt128) | Type::BitInt { .. } => {
                if !self.has(Feature::Cast) || !self.has(Feature::Int) {
                    return self.small_constant(length);
                }
                self.cast(index, Types::int(IntKind::Int))
            }
            _ => index,
        };
        if self.relaxes(Relaxation::Bounds) {
            return if self.choices.chance(FAR_INDICES) { self.far_index(length) } else { index };
        }
        let (low, high) = self.bounds(index).unwrap_or((i128::MIN, i128::MAX));
        if low >= 0 && high < i128::from(length) {
            return index;
        }
        let other = self.small_constant(length);
        // It would always fire. In code that never runs it would be dropped, and no linker
        // takes the address of an element that is 2 GB away.
        if high < 0 || low >= i128::from(length) {
            return other;
        }
        let Ok(bound) = u16::try_from(length) else { return other };
        let ty = self.program.type_of(index);
        let fallback = self.builder().convert(other, ty);
        let check = GuardCheck::Index { bound };
        let kind = ExprKind::Guard { check, operand: index, fallback: Fallback::Value(fallback) };
        self.builder().node(kind, ty)
    }

    /// An lvalue of exactly this type, its qualifiers apart, for a copy of a record.
    pub(super) fn record_place(&mut self, ty: TypeId, purpose: Purpose) -> Option<ExprId> {
        let mut found = Vec::new();
        for variable in self.scope.variables() {
            let object = &self.program[variable.object];
            let qualified = object.ty.qualifiers();
            let fits = match *self.program.resolve(object.ty) {
                Type::Pointer(target) => {
                    target.unqualified() == ty && target.qualifiers().is_empty()
                }
                Type::Array { element, length: ArrayLength::Fixed(_) } => element == ty,
                _ => object.ty.unqualified() == ty && qualified.is_empty(),
            };
            let allowed = purpose == Purpose::Read || self.leads_to_write(variable);
            if fits && allowed && !qualified.contains(Qualifiers::VOLATILE) {
                found.push(*variable);
            }
        }
        let variable = self.choices.pick_any(&found)?;
        let place = self.object_expr(variable.object);
        match *self.program.resolve(self.program[variable.object].ty) {
            Type::Pointer(_) => {
                let pointer = self.builder().value(place);
                let pointer = self.guarded_pointer(pointer);
                Some(self.dereference(pointer))
            }
            Type::Array { length: ArrayLength::Fixed(length), .. } => {
                let index = self.index_below(length, Mode::Reading);
                Some(self.element(place, index))
            }
            _ => Some(place),
        }
    }

    /// A pointer to an object of type `target` that lives as long as `depth` asks; to a
    /// new global if there is none. `constant`: a constant expression.
    pub(super) fn address_of_some(&mut self, target: TypeId, depth: u32, constant: bool) -> ExprId {
        let address = self.some_address(target, depth, constant);
        let pointer = self.program.types.pointer_to(target);
        self.adapt(address, pointer)
    }

    /// The same, whose type may still lack qualifiers of `target`.
    fn some_address(&mut self, target: TypeId, depth: u32, constant: bool) -> ExprId {
        let ends = !constant && depth < u32::MAX && self.relaxes(Relaxation::Lifetime);
        let depth = if ends { u32::MAX } else { depth };
        let mut found: Vec<(Variable, Path)> = Vec::new();
        let wanted = target.unqualified();
        let none: &[Variable] = &[];
        let locals = if constant { none } else { &self.scope.visible };
        let globals = if constant { &self.stock.globals } else { &self.scope.globals };
        let globals = &globals[globals.len().saturating_sub(ADDRESSED_GLOBALS)..];
        for variable in locals.iter().chain(globals) {
            if variable.private || !variable.writable || variable.depth > depth {
                continue;
            }
            let ty = self.program[variable.object].ty;
            if let Some(path) = self.path_to(ty, wanted, target.qualifiers()) {
                found.push((*variable, path));
            }
        }
        if found.is_empty() {
            let global = self.global_of_type(wanted);
            found.push((global, Path::Whole));
        }
        let (variable, path) = self.choices.pick(&found);
        let mut place = self.object_expr(variable.object);
        match path {
            Path::Whole => {}
            Path::Field(field) => place = self.builder().member(place, field),
            Path::Element(length) => {
                let index = self.small_constant(length);
                place = self.element(place, index);
            }
        }
        let address = self.address(place);
        if ends && variable.depth > 0 {
            self.relaxed.addresses.push(address);
        }
        address
    }

    /// How to get from an object of type `ty` to one of type `wanted`, in one step.
    fn path_to(&self, ty: TypeId, wanted: TypeId, qualifiers: Qualifiers) -> Option<Path> {
        let fits = |found: TypeId, outer: Qualifiers| {
            found.unqualified() == wanted && qualifiers.contains(found.qualifiers() | outer)
        };
        if fits(ty, Qualifiers::NONE) {
            return Some(Path::Whole);
        }
        match *self.program.resolve(ty) {
            Type::Array { element, length: ArrayLength::Fixed(length) } => {
                fits(element, Qualifiers::NONE).then_some(Path::Element(length))
            }
            Type::Record(id) => {
                let info = self.record_info(ty)?;
                if !info.addressable {
                    return None;
                }
                self.members(id)
                    .find(|(_, field)| field.bits.is_none() && fits(field.ty, ty.qualifiers()))
                    .map(|(index, _)| Path::Field(index))
            }
            _ => None,
        }
    }

    /// A pointer of type `ty` to something that lives as long as `depth` asks.
    pub(super) fn pointer_value(&mut self, ty: TypeId, depth: u32, mode: Mode) -> ExprId {
        let ty = ty.unqualified();
        let mode = mode.min(Mode::Reading);
        let target = self.program.pointee(ty).expect("a pointer type");
        if mode == Mode::Reading && self.wants(Feature::PointerSelect) {
            self.expression.context = Context::Mixed;
            let condition = self.value(Want::Number, Site::new(Mode::Reading, CHOICE_DEPTH));
            let then = self.some_address(target, depth, false);
            let otherwise = match self.pointer_variable(ty, depth) {
                Some(pointer) => pointer,
                None => self.some_address(target, depth, false),
            };
            let chosen = self.select(condition, then, otherwise);
            return self.adapt(chosen, ty);
        }
        self.pointer_leaf(ty, target, depth, mode)
    }

    fn pointer_leaf(&mut self, ty: TypeId, target: TypeId, depth: u32, mode: Mode) -> ExprId {
        if mode != Mode::Quiet
            && self.choices.chance(COPIED_POINTERS)
            && let Some(pointer) = self.pointer_variable(ty, depth)
        {
            return pointer;
        }
        if self.wants(Feature::NullPointer) {
            let zero = self.builder().int(IntKind::Int, 0);
            return self.builder().convert(zero, ty);
        }
        self.address_of_some(target, depth, false)
    }

    /// The value of a pointer variable of this type.
    fn pointer_variable(&mut self, ty: TypeId, depth: u32) -> Option<ExprId> {
        let depth = match depth < u32::MAX && self.relaxes(Relaxation::Lifetime) {
            true => u32::MAX,
            false => depth,
        };
        let object = self
            .variable(|draft, variable, found| {
                variable.depth <= depth
                    && found == ty
                    && !draft.expression.written.contains(&variable.object)
            })?
            .object;
        self.expression.used.push(object);
        Some(self.load(object))
    }
}

/// One step into an object.
#[derive(Clone, Copy, Debug)]
enum Path {
    Whole,
    Field(u32),
    Element(u64),
}
