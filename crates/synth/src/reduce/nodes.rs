//! What the passes have in common: a view of the program, and small new nodes.

use farrier_lang::edit::{Change, Draft, Edit, Holder, Links, TreeNode};
use farrier_lang::*;
use farrier_machine::Profile;

/// A program as the passes see it.
pub struct Scene<'a> {
    pub(super) program: &'a Program,
    pub(super) links: Links,
    /// Every reachable node, parents first.
    pub(super) nodes: Vec<TreeNode>,
    /// What a run saw, for passes that need it.
    pub(super) profile: Option<Profile>,
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
        Self { program, links, nodes, profile }
    }

    pub(super) fn exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            TreeNode::Expr(id) => Some(*id),
            TreeNode::Stmt(_) => None,
        })
    }

    pub(super) fn stmts(&self) -> impl Iterator<Item = StmtId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            TreeNode::Stmt(id) => Some(*id),
            TreeNode::Expr(_) => None,
        })
    }

    pub(super) fn holder_of_expr(&self, id: ExprId) -> Option<Holder> {
        self.links.holder(TreeNode::Expr(id))
    }

    pub(super) fn holder_of_stmt(&self, id: StmtId) -> Option<Holder> {
        self.links.holder(TreeNode::Stmt(id))
    }

    /// The expression that has `id` as an operand.
    pub(super) fn parent(&self, id: ExprId) -> Option<ExprId> {
        match self.holder_of_expr(id) {
            Some(Holder::Expr(parent)) => Some(parent),
            _ => None,
        }
    }

    /// The statement that consists of `id` alone.
    pub(super) fn whole_statement(&self, id: ExprId) -> Option<StmtId> {
        match self.holder_of_expr(id) {
            Some(Holder::Stmt(stmt)) if self.program[stmt] == Stmt::Expr(id) => Some(stmt),
            _ => None,
        }
    }

    /// The statement that an expression is part of, without those around it. The
    /// initialiser of an object is part of its declaration.
    pub(super) fn statement_of(&self, id: ExprId) -> Option<StmtId> {
        let mut holder = self.holder_of_expr(id)?;
        loop {
            match holder {
                Holder::Expr(parent) => holder = self.holder_of_expr(parent)?,
                Holder::Stmt(stmt) => return Some(stmt),
                Holder::Object(object) => {
                    return self.stmts().find(|stmt| self.program[*stmt] == Stmt::Declare(object));
                }
                Holder::Function(_) | Holder::Asm(_) | Holder::Type(_) => return None,
            }
        }
    }

    /// The places where an entity is named.
    pub(super) fn uses(&self, kind: &ExprKind) -> Vec<ExprId> {
        self.exprs().filter(|id| self.program[*id].kind == *kind).collect()
    }

    /// The objects that are declared somewhere, in the order of their declarations.
    pub(super) fn objects(&self) -> Vec<ObjectId> {
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
    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.program.items.iter().filter_map(|item| match item {
            Item::Define(Entity::Function(id)) => Some(*id),
            _ => None,
        })
    }

    pub(super) fn main(&self) -> Option<FunctionId> {
        self.functions().find(|function| self.is_main(*function))
    }

    pub(super) fn is_main(&self, function: FunctionId) -> bool {
        self.program.text(self.program[function].name) == "main"
    }

    /// The value that an integer always had, if it was evaluated.
    pub(super) fn known_value(&self, id: ExprId) -> Option<i128> {
        let values = self.profile.as_ref()?.expr(id).values.as_ref()?;
        match values.few() {
            Some(&[only]) => Some(only),
            _ => None,
        }
    }

    /// The edit that takes a statement out.
    pub(super) fn remove_stmt(&self, stmt: StmtId) -> Edit {
        Edit::new(self.program, vec![Change::RemoveStmt(stmt)])
    }
}

/// Adds an expression to a draft.
pub(super) fn push(draft: &mut Draft, kind: ExprKind, ty: TypeId) -> ExprId {
    draft.program.exprs.push(Expr { kind, ty })
}

/// A new zero of a type, if one can be written.
pub(super) fn zero(draft: &mut Draft, ty: TypeId) -> Option<ExprId> {
    let ty = ty.unqualified();
    let program = &draft.program;
    if program.is_arithmetic(ty) {
        let zero = push(draft, ExprKind::Int(0), Types::INT);
        return Some(converted(draft, zero, ty));
    }
    match program.resolve(ty) {
        Type::Void | Type::Pointer(_) => {
            let zero = push(draft, ExprKind::Int(0), Types::INT);
            Some(push(draft, ExprKind::Cast(zero), ty))
        }
        Type::Record(_) => {
            let list = push(draft, ExprKind::InitList([].into()), ty);
            let literal = push(draft, ExprKind::CompoundLiteral(list), ty);
            Some(push(draft, ExprKind::Load(literal), ty))
        }
        _ => None,
    }
}

fn converted(draft: &mut Draft, value: ExprId, ty: TypeId) -> ExprId {
    if draft.program.type_of(value) == ty {
        value
    } else {
        push(draft, ExprKind::Convert(value), ty)
    }
}

/// `value` without the conversions that nobody wrote, made to fit where a value of type
/// `ty` stands; `None` if it cannot.
pub(super) fn adapted(draft: &mut Draft, value: ExprId, ty: TypeId) -> Option<ExprId> {
    let mut value = value;
    while let ExprKind::Convert(inner) = draft.program[value].kind {
        value = inner;
    }
    let from = draft.program.type_of(value);
    if draft.program.is_lvalue(value) || matches!(draft.program.resolve(from), Type::Array { .. }) {
        let (kind, read) = match *draft.program.resolve(from) {
            Type::Array { element, .. } => {
                (ExprKind::Decay(value), draft.program.types.pointer_to(element))
            }
            _ => (ExprKind::Load(value), from.unqualified()),
        };
        value = push(draft, kind, read);
    }
    let from = draft.program.type_of(value);
    let program = &draft.program;
    if from == ty {
        return Some(value);
    }
    match (program.resolve(from), program.resolve(ty)) {
        (Type::Function(_) | Type::Void, _) => None,
        (_, Type::Void) | (Type::Pointer(_), Type::Pointer(_)) => {
            Some(push(draft, ExprKind::Cast(value), ty))
        }
        _ if program.is_arithmetic(from) && program.is_arithmetic(ty) => {
            Some(converted(draft, value, ty))
        }
        _ => None,
    }
}

/// A new constant of an integer type, if there is one.
pub(super) fn integer(draft: &mut Draft, value: i128, ty: TypeId) -> Option<ExprId> {
    let int = i128::from(i32::MIN) + 1..=i128::from(i32::MAX);
    let small =
        if draft.program.target.int_bits(IntKind::Int) == 16 { -0x7fff..=0x7fff } else { int };
    let written = match draft.program.resolve(ty) {
        _ if small.contains(&value) => Types::INT,
        Type::Int(kind) if kind.rank() >= IntKind::Int.rank() => Types::int(*kind),
        _ => return None,
    };
    let magnitude = u64::try_from(value.unsigned_abs()).ok()?;
    let mut node = push(draft, ExprKind::Int(magnitude), written);
    if value < 0 {
        if magnitude >> 63 != 0 {
            return None;
        }
        node = push(draft, ExprKind::Unary(UnaryOp::Minus, node), written);
    }
    Some(converted(draft, node, ty))
}
