//! What a program declares and nothing names.

use std::collections::BTreeSet;

use farrier_lang::edit::{Change, Edit};
use farrier_lang::visit::{HasIds, MapIds};
use farrier_lang::{
    AsmId, Entity, EnumConstantId, EnumId, ExprId, FunctionId, Item, ObjectId, Program, RecordId,
    Stmt, StmtId, TypeId, TypedefId,
};

use crate::scene::Scene;

/// Removes all declarations at once that `main` does not need.
pub(super) fn unused(scene: &Scene<'_>) -> Vec<Edit> {
    sweep(scene.program).into_iter().collect()
}

/// The edit that removes all declarations that `main` does not need, if there are any. A local
/// object whose initialiser does something stays.
pub(in crate::reduce) fn sweep(program: &Program) -> Option<Edit> {
    let main = Entity::Function(program.main()?);
    let mut used = Used { program, known: BTreeSet::new(), waiting: Vec::new() };
    let mut locals = Vec::new();
    used.entity(main);
    for item in &program.items {
        if let Item::Asm(asm) = item {
            program[*asm].map_ids(&mut used);
        }
    }
    let has_effect = |init| program.has_effect(init);
    while let Some(node) = used.waiting.pop() {
        match node {
            Node::Expr(id) => drop(program[id].map_ids(&mut used)),
            Node::Stmt(id) => match program[id] {
                Stmt::Declare(object) if !program[object].init.is_some_and(has_effect) => {
                    locals.push((id, object));
                }
                ref stmt => drop(stmt.map_ids(&mut used)),
            },
            Node::Type(id) => drop(program.types.get(id).map_ids(&mut used)),
            Node::Entity(Entity::Record(id)) => drop(program[id].map_ids(&mut used)),
            Node::Entity(Entity::Enum(id)) => drop(program[id].map_ids(&mut used)),
            Node::Entity(Entity::Typedef(id)) => drop(program[id].map_ids(&mut used)),
            Node::Entity(Entity::Object(id)) => drop(program[id].map_ids(&mut used)),
            Node::Entity(Entity::Function(id)) => drop(program[id].map_ids(&mut used)),
        }
    }
    let is_used = |entity| used.known.contains(&Node::Entity(entity));
    let mut unused: Vec<Change> = program
        .items
        .iter()
        .filter(|item| item.entity().is_some_and(|entity| !is_used(entity)))
        .map(|item| Change::RemoveItem(*item))
        .collect();
    let locals = locals.into_iter().filter(|(_, object)| !is_used(Entity::Object(*object)));
    unused.extend(locals.map(|(stmt, _)| Change::RemoveStmt(stmt)));
    (!unused.is_empty()).then(|| Edit::new(program, unused))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Expr(ExprId),
    Stmt(StmtId),
    Type(TypeId),
    Entity(Entity),
}

/// What was met, and what of it has still to be visited.
struct Used<'a> {
    program: &'a Program,
    known: BTreeSet<Node>,
    waiting: Vec<Node>,
}

impl Used<'_> {
    fn meet(&mut self, node: Node) {
        if self.known.insert(node) {
            self.waiting.push(node);
        }
    }

    fn entity(&mut self, entity: Entity) {
        self.meet(Node::Entity(entity));
    }
}

impl MapIds for Used<'_> {
    fn expr(&mut self, id: ExprId) -> ExprId {
        // An expression has one place in the tree, so it need not be remembered.
        self.waiting.push(Node::Expr(id));
        id
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        self.waiting.push(Node::Stmt(id));
        id
    }

    fn object(&mut self, id: ObjectId) -> ObjectId {
        self.entity(Entity::Object(id));
        id
    }

    fn function(&mut self, id: FunctionId) -> FunctionId {
        self.entity(Entity::Function(id));
        id
    }

    fn record(&mut self, id: RecordId) -> RecordId {
        self.entity(Entity::Record(id));
        id
    }

    fn enumeration(&mut self, id: EnumId) -> EnumId {
        self.entity(Entity::Enum(id));
        id
    }

    fn enum_constant(&mut self, id: EnumConstantId) -> EnumConstantId {
        self.entity(Entity::Enum(self.program[id].parent));
        id
    }

    fn typedef(&mut self, id: TypedefId) -> TypedefId {
        self.entity(Entity::Typedef(id));
        id
    }

    fn asm(&mut self, id: AsmId) -> AsmId {
        self.program[id].map_ids(self);
        id
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        self.meet(Node::Type(id.unqualified()));
        id
    }
}
