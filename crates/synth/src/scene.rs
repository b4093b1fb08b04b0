//! A program as everything that changes programs sees it: who holds which node, what is
//! used where, which jumps lead where, and the small new nodes that changes are made of.
//!
//! The generator, the mutators, the reducer and the locator share this room. A scene only
//! answers questions; what shall change is described by edits.

mod jumps;
mod values;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use farrier_lang::edit::{Change, Edit, Fresh, Holder, Links, TreeNode};
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, ObjectId, Program, Stmt, StmtId, Type, TypeId,
};
use farrier_machine::Profile;
use rustc_hash::FxHashMap;

pub(crate) use jumps::Jumps;
pub(crate) use values::{adapted, plain, push, zero};

/// A program with the answers to what is often asked of it.
pub struct Scene<'a> {
    pub(crate) program: &'a Program,
    pub(crate) links: Links,
    /// Every reachable node, parents first.
    pub(crate) nodes: Vec<TreeNode>,
    /// What a run saw, for passes that need it.
    pub(crate) profile: Option<Profile>,
    /// The declarations of objects, once one was asked for.
    declarations: OnceLock<FxHashMap<ObjectId, StmtId>>,
}

impl std::fmt::Debug for Scene<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

impl<'a> Scene<'a> {
    /// A view of `program`.
    pub fn new(program: &'a Program, profile: Option<Profile>) -> Self {
        let links = Links::new(program);
        let nodes = links.nodes();
        Self { program, links, nodes, profile, declarations: OnceLock::new() }
    }

    pub(crate) fn exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            TreeNode::Expr(id) => Some(*id),
            TreeNode::Stmt(_) => None,
        })
    }

    pub(crate) fn stmts(&self) -> impl Iterator<Item = StmtId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            TreeNode::Stmt(id) => Some(*id),
            TreeNode::Expr(_) => None,
        })
    }

    pub(crate) fn holder_of_expr(&self, id: ExprId) -> Option<Holder> {
        self.links.holder(TreeNode::Expr(id))
    }

    pub(crate) fn holder_of_stmt(&self, id: StmtId) -> Option<Holder> {
        self.links.holder(TreeNode::Stmt(id))
    }

    /// The expression that has `id` as an operand.
    pub(crate) fn parent(&self, id: ExprId) -> Option<ExprId> {
        match self.holder_of_expr(id) {
            Some(Holder::Expr(parent)) => Some(parent),
            _ => None,
        }
    }

    /// The statement that consists of `id` alone.
    pub(crate) fn whole_statement(&self, id: ExprId) -> Option<StmtId> {
        match self.holder_of_expr(id) {
            Some(Holder::Stmt(stmt)) if self.program[stmt] == Stmt::Expr(id) => Some(stmt),
            _ => None,
        }
    }

    /// The statement that an expression is part of, without those around it. The
    /// initialiser of an object is part of its declaration.
    pub(crate) fn statement_of(&self, id: ExprId) -> Option<StmtId> {
        let mut holder = self.holder_of_expr(id)?;
        loop {
            match holder {
                Holder::Expr(parent) => holder = self.holder_of_expr(parent)?,
                Holder::Stmt(stmt) => return Some(stmt),
                Holder::Object(object) => return self.declaration_of(object),
                Holder::Function(_) | Holder::Asm(_) | Holder::Type(_) => return None,
            }
        }
    }

    /// The statement that declares an object.
    fn declaration_of(&self, object: ObjectId) -> Option<StmtId> {
        let declarations = self.declarations.get_or_init(|| {
            let mut declarations = FxHashMap::default();
            for stmt in self.stmts() {
                if let Stmt::Declare(object) = self.program[stmt] {
                    declarations.entry(object).or_insert(stmt);
                }
            }
            declarations
        });
        declarations.get(&object).copied()
    }

    /// The places where an entity is named.
    pub(crate) fn uses(&self, kind: &ExprKind) -> Vec<ExprId> {
        self.exprs().filter(|id| self.program[*id].kind == *kind).collect()
    }

    /// The objects that are declared somewhere, in the order of their declarations.
    pub(crate) fn objects(&self) -> Vec<ObjectId> {
        let mut found: Vec<ObjectId> = self
            .program
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Define(Entity::Object(id)) => Some(*id),
                _ => None,
            })
            .collect();
        found.extend(self.stmts().filter_map(|stmt| match self.program[stmt] {
            Stmt::Declare(object) => Some(object),
            _ => None,
        }));
        found
    }

    /// The functions that have a body, in the order of the items.
    pub(crate) fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.program.items.iter().filter_map(|item| match item {
            Item::Define(Entity::Function(id)) => Some(*id),
            _ => None,
        })
    }

    pub(crate) fn main(&self) -> Option<FunctionId> {
        self.program.main()
    }

    pub(crate) fn is_main(&self, function: FunctionId) -> bool {
        self.program.is_main(function)
    }

    /// The value that an integer always had, if it was evaluated.
    pub(crate) fn known_value(&self, id: ExprId) -> Option<i128> {
        let values = self.profile.as_ref()?.expr(id).integers()?;
        match values.few() {
            Some(&[only]) => Some(only),
            _ => None,
        }
    }

    /// A new constant that is the number that an expression always had, if it was evaluated.
    pub(crate) fn known_constant(&self, fresh: &mut Fresh, id: ExprId) -> Option<ExprId> {
        let ty = self.program.type_of(id);
        match self.profile.as_ref()?.expr(id).floats() {
            Some(floats) => match floats.few() {
                Some(&[only]) => fresh.program.floating(only, ty),
                _ => None,
            },
            None => fresh.program.integer(self.known_value(id)?, ty),
        }
    }

    /// The edit that takes a statement out.
    pub(crate) fn remove_stmt(&self, stmt: StmtId) -> Edit {
        Edit::new(self.program, vec![Change::RemoveStmt(stmt)])
    }

    /// The statements of `main`.
    pub(crate) fn main_block(&self) -> Option<&'a [StmtId]> {
        match &self.program[self.program[self.main()?].body?] {
            Stmt::Block(stmts) => Some(stmts),
            _ => None,
        }
    }

    /// The statements that a statement is a part of, from the inside out, itself first.
    pub(crate) fn around(&self, stmt: StmtId) -> impl Iterator<Item = StmtId> + '_ {
        std::iter::successors(Some(stmt), |inner| match self.holder_of_stmt(*inner) {
            Some(Holder::Stmt(outer)) => Some(outer),
            _ => None,
        })
    }

    /// Whether a statement is `outer` or a part of it.
    pub(crate) fn is_inside(&self, stmt: StmtId, outer: StmtId) -> bool {
        self.around(stmt).any(|around| around == outer)
    }

    /// The type of the result of the function that a statement is a part of.
    pub(crate) fn result_of(&self, stmt: StmtId) -> Option<TypeId> {
        let Holder::Function(function) = self.holder_of_stmt(self.around(stmt).last()?)? else {
            return None;
        };
        match self.program.resolve(self.program[function].ty) {
            Type::Function(ty) => Some(ty.result.unqualified()),
            _ => None,
        }
    }
}

/// Whether compilers have to inline a function, which must then not become recursive.
pub(crate) fn must_inline(program: &Program, function: FunctionId) -> bool {
    let attributes = &program[function].attributes;
    attributes.iter().any(|attribute| program.text(attribute.name) == "always_inline")
}

/// Whether a function reaches itself through functions that are named in it.
pub(crate) fn calls_itself(program: &Program, function: FunctionId) -> bool {
    let mut known = BTreeSet::new();
    let mut waiting = vec![function];
    while let Some(at) = waiting.pop() {
        for node in inside(program, at) {
            let TreeNode::Expr(expr) = node else { continue };
            let ExprKind::Function(callee) = program[expr].kind else { continue };
            if callee == function {
                return true;
            }
            if known.insert(callee) {
                waiting.push(callee);
            }
        }
    }
    false
}

/// All nodes of the body of a function, those of statement expressions included.
pub(crate) fn inside(program: &Program, function: FunctionId) -> Vec<TreeNode> {
    let mut found = Vec::new();
    let mut waiting: Vec<TreeNode> =
        program[function].body.map(TreeNode::Stmt).into_iter().collect();
    while let Some(node) = waiting.pop() {
        found.push(node);
        match node {
            TreeNode::Stmt(stmt) => {
                program[stmt].for_each_child(|child| waiting.push(TreeNode::Stmt(child)));
                program[stmt].for_each_expr(|expr| waiting.push(TreeNode::Expr(expr)));
                if let Stmt::Declare(object) = program[stmt] {
                    waiting.extend(program[object].init.map(TreeNode::Expr));
                }
            }
            TreeNode::Expr(expr) => {
                let kind = &program[expr].kind;
                kind.for_each_operand(|operand| waiting.push(TreeNode::Expr(operand)));
                if let ExprKind::StatementExpr(block) = kind {
                    waiting.push(TreeNode::Stmt(*block));
                }
            }
        }
    }
    found
}

/// Whether a call goes to a function that the program only declares.
pub(crate) fn is_library(program: &Program, callee: ExprId) -> bool {
    match program[callee].kind {
        ExprKind::Decay(inner) => is_library(program, inner),
        ExprKind::Function(function) => program[function].body.is_none(),
        _ => false,
    }
}

/// The object that an lvalue is a part of.
pub(crate) fn root(program: &Program, mut place: ExprId) -> Option<ObjectId> {
    loop {
        place = match program[place].kind {
            ExprKind::Object(object) => return Some(object),
            ExprKind::Member(of, _) | ExprKind::Index(of, _) | ExprKind::Decay(of) => of,
            _ => return None,
        };
    }
}
