//! Names at file scope, linkage, and the order in which things are declared.

use farrier_lang::build::{compatible, composite};
use farrier_lang::{
    Encoding, Entity, Item, Linkage, ObjectId, Program, Span, StringId, StringLiteral, Symbol,
    TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Parse, Parser};
use crate::scope::Meaning;

/// An item as it was met, to be settled when the whole program is known.
#[derive(Clone, Copy, Debug)]
enum Draft {
    /// A declaration with the type known then.
    Declare(Entity, Option<TypeId>),
    /// A tentative definition with the type known then, C11 6.9.2.
    Tentative(Entity, TypeId),
    Define(Entity),
    Asm(farrier_lang::AsmId),
}

/// Everything that has a name for the whole program.
#[derive(Debug, Default)]
pub(super) struct Entities {
    drafts: Vec<Draft>,
    /// Entities with external linkage, by the name that the linker sees.
    external: FxHashMap<Symbol, Entity>,
    /// The names that those entities have in the program.
    external_names: FxHashSet<Symbol>,
    /// Entities with internal linkage of all units, which may have to give up their name.
    internal: FxHashMap<Symbol, Entity>,
    /// Every ordinary name at file scope in what will be printed.
    pub(super) names: FxHashSet<Symbol>,
    /// The last number used for each fresh name.
    pub(super) fresh: FxHashMap<Box<str>, u32>,
    /// Records whose declaration must come before the drafts from this position on.
    early: Vec<(usize, Entity)>,
}

impl Entities {
    pub(super) fn len(&self) -> usize {
        self.drafts.len()
    }

    pub(super) fn declare(&mut self, entity: Entity, ty: Option<TypeId>) {
        self.drafts.push(Draft::Declare(entity, ty));
    }

    pub(super) fn define(&mut self, entity: Entity) {
        self.drafts.push(Draft::Define(entity));
    }

    pub(super) fn define_tentatively(&mut self, entity: Entity, ty: TypeId) {
        self.drafts.push(Draft::Tentative(entity, ty));
    }

    pub(super) fn asm(&mut self, asm: farrier_lang::AsmId) {
        self.drafts.push(Draft::Asm(asm));
    }

    /// Whether `entity` is declared before the item at `position`.
    pub(super) fn mentions(&self, entity: Entity, position: usize) -> bool {
        self.drafts[..position]
            .iter()
            .any(|draft| matches!(draft, Draft::Declare(known, _) if *known == entity))
    }

    /// Makes sure that `entity` is declared before the item at `position`.
    pub(super) fn declare_before(&mut self, position: usize, entity: Entity) {
        self.early.push((position, entity));
    }

    /// Settles the items: an entity has one definition, a tentative definition is
    /// one only if there is no other, and a declaration that says nothing new is left out.
    pub(super) fn finish(&mut self, program: &Program) -> Vec<Item> {
        let final_type = |entity| match entity {
            Entity::Object(id) => Some(program[id].ty),
            Entity::Function(id) => Some(program[id].ty),
            _ => None,
        };
        // Where each entity is defined; tentatively, at the first place that knows its type.
        let mut definitions: FxHashMap<Entity, usize> = FxHashMap::default();
        for (position, draft) in self.drafts.iter().enumerate() {
            if let Draft::Define(entity) = *draft {
                definitions.insert(entity, position);
            }
        }
        let mut late = Vec::new();
        for (position, draft) in self.drafts.iter().enumerate() {
            if let Draft::Tentative(entity, ty) = *draft
                && final_type(entity) == Some(ty)
            {
                definitions.entry(entity).or_insert(position);
            }
        }
        for draft in &self.drafts {
            if let Draft::Tentative(entity, _) = *draft
                && !definitions.contains_key(&entity)
            {
                definitions.insert(entity, usize::MAX);
                late.push(Item::Define(entity));
            }
        }
        let mut early = std::mem::take(&mut self.early);
        early.sort_by_key(|(position, _)| *position);
        let mut early = early.into_iter().peekable();
        let mut items = Vec::with_capacity(self.drafts.len());
        // The type with which each entity was last declared.
        let mut known: FxHashMap<Entity, Option<TypeId>> = FxHashMap::default();
        for (position, draft) in self.drafts.iter().enumerate() {
            while let Some((_, entity)) = early.next_if(|(before, _)| *before <= position) {
                if known.insert(entity, None).is_none() {
                    items.push(Item::Declare(entity));
                }
            }
            let (entity, ty) = match *draft {
                Draft::Asm(asm) => {
                    items.push(Item::Asm(asm));
                    continue;
                }
                Draft::Define(entity) | Draft::Tentative(entity, _)
                    if definitions[&entity] == position =>
                {
                    items.push(Item::Define(entity));
                    known.insert(entity, final_type(entity));
                    continue;
                }
                Draft::Define(entity) => (entity, final_type(entity)),
                Draft::Tentative(entity, ty) => (entity, Some(ty)),
                Draft::Declare(entity, ty) => (entity, ty),
            };
            if known.get(&entity) == Some(&ty) {
                continue;
            }
            known.insert(entity, ty);
            items.push(match ty {
                Some(ty) if final_type(entity) != Some(ty) => Item::DeclareAs(entity, ty),
                _ => Item::Declare(entity),
            });
        }
        items.append(&mut late);
        items
    }
}

impl Parser<'_> {
    /// Ends a translation unit: its file scope is gone.
    pub(super) fn end_unit(&mut self) -> Parse<()> {
        self.scopes.clear();
        self.unit_names.clear();
        self.end_unit_records();
        self.end_unit_objects()?;
        self.end_unit_functions()
    }

    /// What an entity at file scope means.
    fn meaning(entity: Entity) -> Meaning {
        match entity {
            Entity::Object(id) => Meaning::Object(id),
            Entity::Function(id) => Meaning::Function(id),
            _ => unreachable!("only objects and functions have linkage"),
        }
    }

    /// The entity with linkage that a new declaration of `symbol` is about, if there is one:
    /// declared before in this unit, or external and declared in another.
    pub(super) fn linked(
        &mut self,
        symbol: Symbol,
        linkage: Linkage,
        asm_name: Option<StringId>,
        ty: TypeId,
    ) -> Option<Entity> {
        if let Some(meaning) = self.file_meaning(symbol) {
            return Some(meaning);
        }
        if linkage != Linkage::External {
            return None;
        }
        let link_name = self.link_name(symbol, asm_name);
        let entity = self.entities.external.get(&link_name).copied()?;
        let (name, known) = match entity {
            Entity::Object(id) => (self.program[id].name, self.program[id].ty),
            Entity::Function(id) => (Some(self.program[id].name), self.program[id].ty),
            _ => unreachable!("only objects and functions have linkage"),
        };
        // Headers give one function several names, and not always the same type: then
        // each name is an entity, and the assembler name of both is what joins them.
        let same = name == Some(symbol) || compatible(&self.program, known, ty);
        same.then_some(entity)
    }

    /// What the linker calls something: its assembler name, if it has one.
    fn link_name(&mut self, symbol: Symbol, asm_name: Option<StringId>) -> Symbol {
        let Some(asm_name) = asm_name else { return symbol };
        let units = self.program[asm_name].units.iter();
        let text: String = units.filter_map(|unit| char::from_u32(*unit)).collect();
        self.program.names.intern(&text)
    }

    /// What `symbol` means at file scope of this unit, if it has linkage.
    pub(super) fn file_meaning(&self, symbol: Symbol) -> Option<Entity> {
        self.unit_names.get(&symbol).copied()
    }

    /// Whether this unit has a name for an entity with linkage.
    pub(super) fn is_known_here(&self, entity: Entity) -> bool {
        self.unit_names.values().any(|known| *known == entity)
    }

    /// Enters a new entity with linkage and gives it its name.
    pub(super) fn enter_linked(&mut self, symbol: Symbol, entity: Entity, linkage: Linkage) {
        self.unit_names.insert(symbol, entity);
        let name = match linkage {
            Linkage::External => {
                let asm_name = match entity {
                    Entity::Object(id) => self.program[id].asm_name,
                    Entity::Function(id) => self.program[id].asm_name,
                    _ => unreachable!("only objects and functions have linkage"),
                };
                let link_name = self.link_name(symbol, asm_name);
                self.entities.external.entry(link_name).or_insert(entity);
                // A static of another unit has the name: it gets another.
                if let Some(other) = self.entities.internal.remove(&symbol) {
                    let fresh = self.fresh_like(symbol);
                    self.rename(other, fresh);
                    self.entities.names.insert(fresh);
                    self.entities.internal.insert(fresh, other);
                }
                if self.entities.external_names.insert(symbol) {
                    symbol
                } else {
                    // Another unit uses the name for something else that the linker knows
                    // by another name.
                    self.give_asm_name(entity, link_name);
                    self.fresh_like(symbol)
                }
            }
            _ => {
                let name = if self.entities.names.contains(&symbol) {
                    self.fresh_like(symbol)
                } else {
                    symbol
                };
                self.entities.internal.insert(name, entity);
                name
            }
        };
        self.rename(entity, name);
        self.entities.names.insert(name);
        self.give_way(name);
    }

    fn give_asm_name(&mut self, entity: Entity, link_name: Symbol) {
        let units = self.name_text(link_name).bytes().map(u32::from).collect();
        let literal = StringLiteral { encoding: Encoding::Plain, units };
        let string = Some(self.program.strings.push(literal));
        match entity {
            Entity::Object(id) => self.program[id].asm_name = string,
            Entity::Function(id) => self.program[id].asm_name = string,
            _ => unreachable!("only objects and functions have linkage"),
        }
    }

    /// Renames the locals of the current function that have a name which file scope needs.
    pub(super) fn give_way(&mut self, symbol: Symbol) {
        let Some(function) = &self.function else { return };
        let clashing: Vec<ObjectId> = function
            .locals
            .iter()
            .copied()
            .filter(|local| self.program[*local].name == Some(symbol))
            .collect();
        for local in clashing {
            let fresh = self.fresh_like(symbol);
            self.program[local].name = Some(fresh);
        }
    }

    fn fresh_like(&mut self, symbol: Symbol) -> Symbol {
        let text = self.name_text(symbol).to_owned();
        self.fresh_name(&text)
    }

    fn rename(&mut self, entity: Entity, name: Symbol) {
        match entity {
            Entity::Object(id) => self.program[id].name = Some(name),
            Entity::Function(id) => self.program[id].name = name,
            _ => unreachable!("only objects and functions have linkage"),
        }
    }

    /// The name that a new local or hoisted thing called `symbol` can have without hiding another.
    pub(super) fn unhidden(&mut self, symbol: Symbol) -> Symbol {
        let hides = self.entities.names.contains(&symbol)
            || matches!(
                self.scopes.lookup(symbol),
                Some(Meaning::Object(_) | Meaning::Function(_) | Meaning::EnumConstant(_))
            );
        if hides { self.fresh_like(symbol) } else { symbol }
    }

    /// A name for something that moves from a block to file scope.
    pub(super) fn hoisted_name(&mut self, symbol: Symbol) -> Symbol {
        let name = self.unhidden(symbol);
        self.entities.names.insert(name);
        self.give_way(name);
        name
    }

    /// Notes the name of a function inside another, which it gives up where one with linkage
    /// needs it.
    pub(super) fn name_of_nested(&mut self, name: Symbol, entity: Entity) {
        self.entities.internal.insert(name, entity);
    }

    /// Merges the type of a redeclaration; an error if they contradict each other.
    pub(super) fn merge_types(
        &mut self,
        symbol: Symbol,
        span: Span,
        entity: Entity,
        new: TypeId,
    ) -> Parse<TypeId> {
        let old = match entity {
            Entity::Object(id) => self.program[id].ty,
            Entity::Function(id) => self.program[id].ty,
            _ => unreachable!("only objects and functions have linkage"),
        };
        if compatible(&self.program, old, new) {
            return Ok(composite(&mut self.program, old, new));
        }
        let error = self.constraint(
            span,
            format!(
                "`{}` is declared with type `{}` here, but with type `{}` before",
                self.name_text(symbol),
                self.type_text(new),
                self.type_text(old)
            ),
        );
        let place = self.declared_at.get(&entity).copied();
        Err(Self::with_note(error, place, "declared here before"))
    }

    pub(super) fn bind_linked(&mut self, symbol: Symbol, entity: Entity, span: Span) {
        self.declared_at.entry(entity).or_insert(span);
        let meaning = Self::meaning(entity);
        if self.scopes.lookup_here(symbol) != Some(meaning) {
            self.scopes.declare(symbol, meaning, span);
        }
    }
}
