//! Which node holds which: the tree of a program, upwards.

use crate::arena::{AsmId, ExprId, FunctionId, Id, ObjectId, StmtId};
use crate::expr::ExprKind;
use crate::program::{Entity, Item, Program};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, Type, TypeId};

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TreeNode {
    Expr(ExprId),
    Stmt(StmtId),
}

/// What holds the link to a node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Holder {
    /// It is an operand.
    Expr(ExprId),
    /// It is part of a statement, or the block of a statement expression is.
    Stmt(StmtId),
    /// It is an initialiser.
    Object(ObjectId),
    /// It is a body.
    Function(FunctionId),
    /// It is an operand of inline assembly.
    Asm(AsmId),
    /// It is the length of a variable array.
    Type(TypeId),
}

/// Calls `visit` with each node directly below `node` and with what holds the link.
/// The initialiser of a declared object counts as below its declaration, and the body of a
/// function inside another as below its definition.
pub(crate) fn for_each_child(
    program: &Program,
    node: TreeNode,
    visit: &mut impl FnMut(TreeNode, Holder),
) {
    match node {
        TreeNode::Expr(id) => {
            if let ExprKind::StatementExpr(block) = program[id].kind {
                visit(TreeNode::Stmt(block), Holder::Expr(id));
            }
            program[id].kind.for_each_operand(|o| visit(TreeNode::Expr(o), Holder::Expr(id)));
        }
        TreeNode::Stmt(id) => {
            match program[id] {
                Stmt::Declare(object) => {
                    if let Some(init) = program[object].init {
                        visit(TreeNode::Expr(init), Holder::Object(object));
                    }
                }
                Stmt::DefineFunction(function) => {
                    if let Some(body) = program[function].body {
                        visit(TreeNode::Stmt(body), Holder::Function(function));
                    }
                }
                Stmt::Asm(asm) => asm_operands(program, asm, visit),
                _ => {}
            }
            program[id].for_each_expr(|e| visit(TreeNode::Expr(e), Holder::Stmt(id)));
            program[id].for_each_child(|s| visit(TreeNode::Stmt(s), Holder::Stmt(id)));
        }
    }
}

fn asm_operands(program: &Program, id: AsmId, visit: &mut impl FnMut(TreeNode, Holder)) {
    let asm = &program[id];
    for operand in asm.outputs.iter().chain(&asm.inputs) {
        visit(TreeNode::Expr(operand.value), Holder::Asm(id));
    }
}

/// The nodes of the tree directly below an item.
pub(super) fn for_each_root(
    program: &Program,
    item: Item,
    visit: &mut impl FnMut(TreeNode, Holder),
) {
    match item {
        Item::Define(Entity::Object(id)) => {
            if let Some(init) = program[id].init {
                visit(TreeNode::Expr(init), Holder::Object(id));
            }
        }
        Item::Define(Entity::Function(id)) => {
            if let Some(body) = program[id].body {
                visit(TreeNode::Stmt(body), Holder::Function(id));
            }
        }
        Item::Asm(asm) => asm_operands(program, asm, visit),
        // Nothing else holds expressions or statements.
        _ => {}
    }
}

/// The tree of a program: for every reachable expression and statement, what holds
/// it. A snapshot, to be made again when the program has changed.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// By id; `None` for what is not reachable.
    exprs: Vec<Option<Link>>,
    stmts: Vec<Option<Link>>,
    /// Every reachable node, parents before their children.
    order: Vec<TreeNode>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    holder: Holder,
    /// Its number in a walk that meets parents before their children.
    number: usize,
}

impl Links {
    /// The tree of `program`.
    pub fn new(program: &Program) -> Self {
        let mut links = Self {
            exprs: vec![None; program.exprs.len()],
            stmts: vec![None; program.stmts.len()],
            order: Vec::new(),
        };
        for item in &program.items {
            let mut roots = Vec::new();
            for_each_root(program, *item, &mut |node, holder| roots.push((node, holder)));
            links.walk(program, roots);
        }
        // Lengths of variable arrays belong to types, which have no place in the tree.
        for ty in program.types.ids() {
            if let Type::Array { length: ArrayLength::Variable(length), .. } = program.types.get(ty)
                && length_exists(program, *length)
            {
                links.walk(program, vec![(TreeNode::Expr(*length), Holder::Type(ty))]);
            }
        }
        links
    }

    fn walk(&mut self, program: &Program, mut waiting: Vec<(TreeNode, Holder)>) {
        while let Some((node, holder)) = waiting.pop() {
            let link = Link { holder, number: self.order.len() };
            let place = match node {
                TreeNode::Expr(id) => &mut self.exprs[id.index()],
                TreeNode::Stmt(id) => &mut self.stmts[id.index()],
            };
            if place.is_none() {
                *place = Some(link);
                self.order.push(node);
                for_each_child(program, node, &mut |node, holder| waiting.push((node, holder)));
            }
        }
    }

    /// What holds `node`; `None` if the node is not reachable.
    pub fn holder(&self, node: TreeNode) -> Option<Holder> {
        self.link(node).map(|link| link.holder)
    }

    fn link(&self, node: TreeNode) -> Option<Link> {
        let place = match node {
            TreeNode::Expr(id) => self.exprs.get(id.index()),
            TreeNode::Stmt(id) => self.stmts.get(id.index()),
        };
        place.copied().flatten()
    }

    /// Every reachable node, parents before their children.
    pub fn nodes(&self) -> Vec<TreeNode> {
        self.order.clone()
    }

    /// A number that is smaller for a node than for those below it.
    pub(super) fn number(&self, node: TreeNode) -> Option<usize> {
        self.link(node).map(|link| link.number)
    }
}

/// An unreachable type may hold the length of an array whose nodes were undone.
fn length_exists(program: &Program, length: ExprId) -> bool {
    length.index() < program.exprs.len()
}
