//! Parts of one program in another: a function, a statement, an expression or a type, with
//! everything that it refers to.
//!
//! Types are interned anew. What stands in the [`EntityMap`] that the caller gives is
//! replaced; every other entity at file scope comes along, under a name that is free, and
//! the map says afterwards what became of it. A function or object that is only declared,
//! as those of the library are, keeps its name, and is the one that the program has already.
//! Objects and labels of a function are not at file scope: those that the part uses and
//! does not declare must be in the map.

use rustc_hash::FxHashSet;

use crate::arena::{EnumId, ExprId, FunctionId, LabelId, ObjectId, StmtId, Symbol, TypedefId};
use crate::build::compatible;
use crate::copy::{Copier, EntityMap};
use crate::edit::fresh::Lengths;
use crate::program::{Entity, Enum, EnumConstant, Function, Item, Linkage, Object, Program};
use crate::scope::all_labels;
use crate::types::TypeId;
use crate::visit::{HasIds, MapIds};

/// Why a part of a program cannot be brought into another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportError {
    /// The programs are for different targets.
    Target,
    /// It uses this local object, which it does not declare.
    Object(ObjectId),
    /// It jumps to this label, which it does not define.
    Label(LabelId),
    /// It needs this function or object, which is only declared, and the program has another
    /// thing of that name, or declares it too late.
    Name(Entity),
    /// It uses this function inside another, which it does not define.
    Function(FunctionId),
}

/// The entities at file scope that came along.
#[derive(Debug, Default)]
pub(crate) struct Brought {
    all: FxHashSet<Entity>,
    /// Those whose bodies and initialisers are yet to be copied.
    waiting: Vec<Entity>,
    /// The items before which all of them will stand.
    before: usize,
}

/// Brings a function into `to`. What comes along is declared before the item `at`.
pub fn function(
    to: &mut Program,
    from: &Program,
    id: FunctionId,
    at: usize,
    map: &mut EntityMap,
) -> Result<FunctionId, ImportError> {
    import(to, from, at, map, |copier| copier.function(id))
}

/// Brings a statement into `to`. What comes along is declared before the item `at`, which
/// should be the function that gets the statement, or stand before it.
pub fn stmt(
    to: &mut Program,
    from: &Program,
    id: StmtId,
    at: usize,
    map: &mut EntityMap,
) -> Result<StmtId, ImportError> {
    import(to, from, at, map, |copier| {
        copier.rename_labels(id);
        copier.stmt(id)
    })
}

/// Brings an expression into `to`, as [`stmt`] does a statement.
pub fn expr(
    to: &mut Program,
    from: &Program,
    id: ExprId,
    at: usize,
    map: &mut EntityMap,
) -> Result<ExprId, ImportError> {
    import(to, from, at, map, |copier| copier.expr(id))
}

/// Brings a type into `to`. What comes along is declared before the item `at`.
pub fn ty(
    to: &mut Program,
    from: &Program,
    id: TypeId,
    at: usize,
    map: &mut EntityMap,
) -> Result<TypeId, ImportError> {
    import(to, from, at, map, |copier| copier.ty(id))
}

/// All or nothing: if there is an error, the program and the map are as before.
fn import<T>(
    to: &mut Program,
    from: &Program,
    at: usize,
    map: &mut EntityMap,
    copy: impl FnOnce(&mut Copier<'_>) -> T,
) -> Result<T, ImportError> {
    if to.target != from.target {
        return Err(ImportError::Target);
    }
    let (lengths, known) = (Lengths::of(to), map.clone());
    let mut copier = Copier::new(Some(from), to, map);
    copier.brought.before = at;
    let copied = copy(&mut copier);
    copier.complete();
    if let Some(error) = copier.error {
        lengths.truncate(to);
        *map = known;
        return Err(error);
    }
    let mut items = Vec::new();
    for item in &from.items {
        if item.entity().is_some_and(|entity| copier.brought.all.contains(&entity)) {
            items.push(item.map_ids(&mut copier));
        }
    }
    to.items.splice(at..at, items);
    Ok(copied)
}

impl Copier<'_> {
    /// Makes an entity at file scope known in the program that grows.
    pub(crate) fn bring(&mut self, entity: Entity) {
        let from = self.from.expect("only what is in another program is brought");
        if let Entity::Object(id) = entity
            && from[id].linkage == Linkage::None
        {
            self.error.get_or_insert(ImportError::Object(id));
            return;
        }
        if let Entity::Function(id) = entity
            && from[id].linkage == Linkage::None
        {
            self.error.get_or_insert(ImportError::Function(id));
            return;
        }
        if is_only_declared(from, entity) && self.find_declared(from, entity) {
            return;
        }
        self.brought.all.insert(entity);
        match entity {
            Entity::Record(id) => _ = self.define(id),
            Entity::Enum(id) => self.bring_enum(from, id),
            Entity::Typedef(id) => self.bring_typedef(from, id),
            Entity::Object(id) => self.bring_object(from, id),
            Entity::Function(id) => self.bring_function(from, id),
        }
    }

    /// Looks for what is only declared among what the program has; whether there is something
    /// of that name.
    fn find_declared(&mut self, from: &Program, entity: Entity) -> bool {
        let Some(name) = name_of(from, entity).map(|name| self.name(name)) else { return false };
        let (to, before) = (&*self.to, self.brought.before);
        let mut items = to.items.iter().enumerate();
        let found = items.find_map(|(index, item)| {
            let found = item.entity().filter(|found| name_of(to, *found) == Some(name));
            found.map(|found| (index, found))
        });
        let Some((index, found)) = found else {
            // A local thing of that name would hide it.
            let local = to.objects.iter().any(|(_, object)| object.name == Some(name))
                || to.enum_constants.iter().any(|(_, constant)| constant.name == name);
            if local {
                self.error.get_or_insert(ImportError::Name(entity));
            }
            return local;
        };
        let only_declared = index < before && is_only_declared(to, found);
        let fits = match (entity, found) {
            (Entity::Object(id), Entity::Object(other)) => {
                let ty = self.ty(from[id].ty);
                self.map.objects.insert(id, other);
                compatible(self.to, ty, self.to[other].ty)
            }
            (Entity::Function(id), Entity::Function(other)) => {
                self.map.functions.insert(id, other);
                self.bring_parameters(from, id);
                let ty = self.ty(from[id].ty);
                compatible(self.to, ty, self.to[other].ty)
            }
            _ => false,
        };
        if !only_declared || !fits {
            self.error.get_or_insert(ImportError::Name(entity));
        }
        true
    }

    fn bring_enum(&mut self, from: &Program, id: EnumId) {
        let original = from[id].clone();
        let tag = self.fresh(original.tag);
        let copy = self.to.enums.push(Enum { tag, constants: None, ..original.clone() });
        self.map.enums.insert(id, copy);
        let constants = original.constants.as_ref().map(|constants| {
            let constants = constants.iter().map(|&constant| {
                let EnumConstant { name, value, ty, .. } = from[constant];
                let (name, ty) = (self.fresh(name), self.ty(ty));
                let copy = EnumConstant { name, parent: copy, value, ty };
                let copy = self.to.enum_constants.push(copy);
                self.map.enum_constants.insert(constant, copy);
                copy
            });
            constants.collect()
        });
        self.to[copy].constants = constants;
    }

    fn bring_typedef(&mut self, from: &Program, id: TypedefId) {
        let name = self.fresh(from[id].name);
        let mut copy = from[id].map_ids(self);
        copy.name = name;
        let copy = self.to.typedefs.push(copy);
        self.map.typedefs.insert(id, copy);
    }

    fn bring_object(&mut self, from: &Program, id: ObjectId) {
        let name = from[id].name.map(|name| self.name_for(from, Entity::Object(id), name));
        let content = Object { name: None, init: None, ..from[id].clone() }.map_ids(self);
        let copy = self.to.objects.push(Object { name, ..content });
        self.map.objects.insert(id, copy);
        self.brought.waiting.push(Entity::Object(id));
    }

    fn bring_function(&mut self, from: &Program, id: FunctionId) {
        let original = &from[id];
        let name = self.name_for(from, Entity::Function(id), original.name);
        let copy = self.to.functions.push(Function { name, body: None, ..original.clone() });
        self.map.functions.insert(id, copy);
        let parameters = self.bring_parameters(from, id);
        // The type may mention the parameters.
        let content = Function { parameters: [].into(), body: None, ..original.clone() };
        let content = content.map_ids(self);
        self.to[copy] = Function { name, parameters, ..content };
        self.brought.waiting.push(Entity::Function(id));
    }

    fn bring_parameters(&mut self, from: &Program, id: FunctionId) -> Box<[ObjectId]> {
        from[id].parameters.iter().map(|&parameter| self.declare(parameter)).collect()
    }

    /// The name of what is only declared is its meaning; all others can have another.
    fn name_for(&mut self, from: &Program, entity: Entity, name: Symbol) -> Symbol {
        if is_only_declared(from, entity) { self.name(name) } else { self.fresh(name) }
    }

    /// Copies what the entities that came along are defined as, until nothing new comes.
    fn complete(&mut self) {
        let from = self.from.expect("only what is in another program is brought");
        let mut known = 0;
        while known < self.brought.all.len() {
            known = self.brought.all.len();
            while let Some(entity) = self.brought.waiting.pop() {
                self.copy_definition(from, entity);
            }
            for item in &from.items {
                if let Item::DeclareAs(entity, ty) = item
                    && self.brought.all.contains(entity)
                {
                    self.ty(*ty);
                }
            }
        }
    }

    fn copy_definition(&mut self, from: &Program, entity: Entity) {
        match entity {
            Entity::Object(id) => {
                let init = from[id].init.map(|init| self.expr(init));
                let copy = self.object(id);
                self.to[copy].init = init;
            }
            Entity::Function(id) => {
                let Some(body) = from[id].body else { return };
                // Labels are names of their function only.
                self.knows_labels = true;
                for label in all_labels(from, body) {
                    let copy = from[label].map_ids(self);
                    let copy = self.to.labels.push(copy);
                    self.map.labels.insert(label, copy);
                }
                let body = self.stmt(body);
                let copy = self.function(id);
                self.to[copy].body = Some(body);
            }
            Entity::Record(_) | Entity::Enum(_) | Entity::Typedef(_) => {}
        }
    }
}

/// Whether something outside the program defines an entity.
fn is_only_declared(program: &Program, entity: Entity) -> bool {
    let external = match entity {
        Entity::Object(id) => program[id].linkage == Linkage::External,
        Entity::Function(id) => program[id].linkage == Linkage::External,
        Entity::Record(_) | Entity::Enum(_) | Entity::Typedef(_) => false,
    };
    external && !program.items.contains(&Item::Define(entity))
}

fn name_of(program: &Program, entity: Entity) -> Option<Symbol> {
    match entity {
        Entity::Object(id) => program[id].name,
        Entity::Function(id) => Some(program[id].name),
        Entity::Typedef(id) => Some(program[id].name),
        Entity::Record(_) | Entity::Enum(_) => None,
    }
}
