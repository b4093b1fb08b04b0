//! The first phase: ids, sharing and depth. It trusts nothing and does not recurse
//! over expressions or statements.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FormRule, Node, Violation};
use crate::arena::{
    Arena, AsmId, EnumConstantId, EnumId, ExprId, FloatId, FunctionId, Id, LabelId, ObjectId,
    RecordId, StmtId, StringId, Symbol, TypedefId,
};
use crate::program::{Entity, MAX_DEPTH, MAX_NESTING, Program};
use crate::types::{Type, TypeId};
use crate::visit::{HasIds, MapIds};

/// Something reachable whose ids are still to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Waiting {
    Expr(ExprId),
    Stmt(StmtId),
    Asm(AsmId),
    Entity(Entity),
    EnumConstant(EnumConstantId),
    Label(LabelId),
    Type(TypeId),
}

struct Tree<'a> {
    program: &'a Program,
    violations: Vec<Violation>,
    seen: FxHashSet<Waiting>,
    waiting: Vec<(Waiting, u32)>,
    /// The node whose ids are being looked at, and how deep it is.
    node: Node,
    depth: u32,
}

pub(super) fn check(program: &Program) -> Vec<Violation> {
    let mut tree = Tree {
        program,
        violations: Vec::new(),
        seen: FxHashSet::default(),
        waiting: Vec::new(),
        node: Node::Program,
        depth: 0,
    };
    for (index, item) in program.items.iter().enumerate() {
        tree.node = Node::Item(index);
        tree.depth = 0;
        item.map_ids(&mut tree);
    }
    while let Some((waiting, depth)) = tree.waiting.pop() {
        tree.depth = depth;
        tree.look_at(waiting);
    }
    if tree.violations.is_empty() {
        tree.check_types();
    }
    tree.violations
}

impl Tree<'_> {
    fn violate(&mut self, rule: FormRule, text: String) {
        self.violations.push(Violation { rule, node: self.node, text });
    }

    /// Looks at every id of a node; the copy that `map_ids` makes is not needed.
    fn look_at(&mut self, waiting: Waiting) {
        let program = self.program;
        match waiting {
            Waiting::Expr(id) => {
                self.node = Node::Expr(id);
                program[id].map_ids(self);
            }
            Waiting::Stmt(id) => {
                self.node = Node::Stmt(id);
                program[id].map_ids(self);
            }
            Waiting::Asm(id) => {
                program[id].map_ids(self);
            }
            Waiting::Label(id) => {
                self.node = Node::Label(id);
                program[id].map_ids(self);
            }
            Waiting::Type(id) => {
                self.node = Node::Type(id);
                program.types.get(id).map_ids(self);
            }
            Waiting::EnumConstant(id) => {
                program[id].map_ids(self);
            }
            Waiting::Entity(entity) => {
                self.node = Node::Entity(entity);
                match entity {
                    Entity::Record(id) => _ = program[id].map_ids(self),
                    Entity::Enum(id) => _ = program[id].map_ids(self),
                    Entity::Typedef(id) => _ = program[id].map_ids(self),
                    Entity::Object(id) => _ = program[id].map_ids(self),
                    Entity::Function(id) => _ = program[id].map_ids(self),
                }
            }
        }
    }

    /// Whether `id` lies in its arena; if not, says so.
    fn in_range<I: Id + std::fmt::Debug, T>(&mut self, arena: &Arena<I, T>, id: I) -> bool {
        let inside = id.index() < arena.len();
        if !inside {
            self.violate(FormRule::Range, format!("{id:?} does not exist"));
        }
        inside
    }

    /// Queues a node that has exactly one parent.
    fn child(&mut self, child: Waiting) {
        if !self.seen.insert(child) {
            self.violate(FormRule::Tree, "a child of this node has another parent too".into());
        } else if self.depth >= MAX_DEPTH {
            self.violate(FormRule::Depth, format!("nests deeper than {MAX_DEPTH}"));
        } else {
            self.waiting.push((child, self.depth + 1));
        }
    }

    /// Queues a node that many others may name.
    fn shared(&mut self, node: Waiting) {
        if self.seen.insert(node) {
            self.waiting.push((node, 0));
        }
    }

    /// Types are finite and shallow. Records end the walk: they may be recursive.
    fn check_types(&mut self) {
        let mut depths = FxHashMap::default();
        let types: Vec<TypeId> = self.program.types.ids().collect();
        for ty in types {
            if self.seen.contains(&Waiting::Type(ty))
                && type_depth(self.program, ty, MAX_NESTING, &mut depths).is_none()
            {
                self.node = Node::Type(ty);
                self.violate(FormRule::Depth, "this type is infinite or nests too deeply".into());
            }
        }
    }
}

/// How deep a type nests; `None` if deeper than `limit`.
fn type_depth(
    program: &Program,
    ty: TypeId,
    limit: u32,
    depths: &mut FxHashMap<TypeId, u32>,
) -> Option<u32> {
    if let Some(&depth) = depths.get(&ty) {
        return (depth <= limit).then_some(depth);
    }
    let limit = limit.checked_sub(1)?;
    let depth = match program.types.get(ty) {
        Type::Void
        | Type::Int(_)
        | Type::BitInt { .. }
        | Type::Float(_)
        | Type::Enum(_)
        | Type::Record(_)
        | Type::VaList
        | Type::NullPointer => 0,
        Type::Complex(inner)
        | Type::Pointer(inner)
        | Type::Array { element: inner, .. }
        | Type::Vector { element: inner, .. } => {
            type_depth(program, inner.unqualified(), limit, depths)?
        }
        Type::Typedef(id) => type_depth(program, program[*id].base.unqualified(), limit, depths)?,
        Type::Function(function) => {
            let mut deepest = type_depth(program, function.result.unqualified(), limit, depths)?;
            for parameter in &function.parameters {
                deepest = deepest.max(type_depth(program, parameter.unqualified(), limit, depths)?);
            }
            deepest
        }
    };
    depths.insert(ty, depth + 1);
    Some(depth + 1)
}

impl MapIds for Tree<'_> {
    fn expr(&mut self, id: ExprId) -> ExprId {
        if self.in_range(&self.program.exprs, id) {
            self.child(Waiting::Expr(id));
        }
        id
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        if self.in_range(&self.program.stmts, id) {
            self.child(Waiting::Stmt(id));
        }
        id
    }

    fn asm(&mut self, id: AsmId) -> AsmId {
        if self.in_range(&self.program.asms, id) {
            self.child(Waiting::Asm(id));
        }
        id
    }

    fn object(&mut self, id: ObjectId) -> ObjectId {
        if self.in_range(&self.program.objects, id) {
            self.shared(Waiting::Entity(Entity::Object(id)));
        }
        id
    }

    fn function(&mut self, id: FunctionId) -> FunctionId {
        if self.in_range(&self.program.functions, id) {
            self.shared(Waiting::Entity(Entity::Function(id)));
        }
        id
    }

    fn record(&mut self, id: RecordId) -> RecordId {
        if self.in_range(&self.program.records, id) {
            self.shared(Waiting::Entity(Entity::Record(id)));
        }
        id
    }

    fn enumeration(&mut self, id: EnumId) -> EnumId {
        if self.in_range(&self.program.enums, id) {
            self.shared(Waiting::Entity(Entity::Enum(id)));
        }
        id
    }

    fn enum_constant(&mut self, id: EnumConstantId) -> EnumConstantId {
        if self.in_range(&self.program.enum_constants, id) {
            self.shared(Waiting::EnumConstant(id));
        }
        id
    }

    fn typedef(&mut self, id: TypedefId) -> TypedefId {
        if self.in_range(&self.program.typedefs, id) {
            self.shared(Waiting::Entity(Entity::Typedef(id)));
        }
        id
    }

    fn label(&mut self, id: LabelId) -> LabelId {
        if self.in_range(&self.program.labels, id) {
            self.shared(Waiting::Label(id));
        }
        id
    }

    fn string(&mut self, id: StringId) -> StringId {
        self.in_range(&self.program.strings, id);
        id
    }

    fn float(&mut self, id: FloatId) -> FloatId {
        self.in_range(&self.program.floats, id);
        id
    }

    fn name(&mut self, id: Symbol) -> Symbol {
        if id.index() >= self.program.names.len() {
            self.violate(FormRule::Range, format!("{id:?} does not exist"));
        }
        id
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        if id.index() < self.program.types.len() {
            self.shared(Waiting::Type(id.unqualified()));
        } else {
            self.violate(FormRule::Range, format!("{id:?} does not exist"));
        }
        id
    }
}
