//! Other types: what is built on an expression that gets another type is built anew, so that
//! all conversions are those that C makes.

use farrier_lang::edit::{Change, Holder, TreeNode};
use farrier_lang::{
    Entity, ExprId, ExprKind, FunctionId, Item, ObjectId, Stmt, StmtId, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::stage::Stage;
use super::Drawn;
use super::values::of_type;
use crate::scene::plain;

/// Expressions that are replaced, while what is built on them is built anew.
#[derive(Default)]
pub(super) struct Retyping {
    /// The new expression for an old one.
    new: FxHashMap<ExprId, ExprId>,
    /// Those whose type is another than that of the old one.
    hot: FxHashSet<ExprId>,
    /// The ones that no other holds.
    tops: Vec<ExprId>,
}

impl Retyping {
    pub(super) fn replace(&mut self, old: ExprId, new: ExprId) {
        self.new.insert(old, new);
        self.hot.insert(old);
        self.tops.push(old);
    }

    /// Builds anew what is built on the expressions; `None` if C has no such program.
    pub(super) fn changes(mut self, stage: &mut Stage<'_>) -> Drawn {
        let program = stage.scene.program;
        let mut wanted: FxHashSet<ExprId> = FxHashSet::default();
        for expr in &self.tops {
            wanted.extend(stage.scene.parent(*expr));
        }
        for at in (0..stage.scene.nodes.len()).rev() {
            let TreeNode::Expr(expr) = stage.scene.nodes[at] else { continue };
            if !wanted.contains(&expr) {
                continue;
            }
            let with = self.rebuilt(stage, expr).filter(|with| is_clear(stage, expr, *with))?;
            self.new.insert(expr, with);
            self.tops.push(expr);
            let transparent = matches!(program[expr].kind, ExprKind::Convert(_));
            if transparent || stage.fresh.program.type_of(with) != program.type_of(expr) {
                self.hot.insert(expr);
                wanted.extend(stage.scene.parent(expr));
            }
        }
        let tops = self.tops.iter().filter(|top| {
            stage.scene.parent(**top).is_none_or(|parent| !self.new.contains_key(&parent))
        });
        let tops: Vec<ExprId> = tops.copied().collect();
        tops.into_iter()
            .map(|at| Some(Change::ReplaceExpr { at, with: self.top(stage, at)? }))
            .collect()
    }

    /// A new operand without the conversions that C makes by itself.
    fn operand(&self, stage: &Stage<'_>, expr: ExprId) -> ExprId {
        match self.new.get(&expr) {
            Some(new) if self.hot.contains(&expr) => *new,
            Some(new) => plain(&stage.fresh.program, *new),
            None => match stage.scene.program[expr].kind {
                ExprKind::Convert(inner) => self.operand(stage, inner),
                _ => expr,
            },
        }
    }

    /// A new operand as one of the type that the old one had.
    fn same(&self, stage: &mut Stage<'_>, expr: ExprId) -> Option<ExprId> {
        match self.new.get(&expr) {
            None => Some(expr),
            Some(new) => of_type(stage, *new, stage.scene.program.type_of(expr)),
        }
    }

    fn rebuilt(&self, stage: &mut Stage<'_>, expr: ExprId) -> Option<ExprId> {
        let program = stage.scene.program;
        let node = program[expr].clone();
        let of = |stage: &Stage<'_>, expr| self.operand(stage, expr);
        Some(match node.kind {
            ExprKind::Load(inner) | ExprKind::Decay(inner) => {
                let inner = of(stage, inner);
                stage.builder().value(inner)
            }
            ExprKind::Convert(inner) => of(stage, inner),
            ExprKind::Cast(inner) => {
                let inner = of(stage, inner);
                stage.builder().cast(inner, node.ty).ok()?
            }
            ExprKind::Unary(op, inner) => {
                let inner = of(stage, inner);
                stage.builder().unary(op, inner).ok()?
            }
            ExprKind::AddressOf(inner) => {
                let inner = of(stage, inner);
                stage.builder().address_of(inner).ok()?
            }
            ExprKind::Deref(inner) => {
                let inner = of(stage, inner);
                stage.builder().deref(inner).ok()?
            }
            ExprKind::Step(op, inner) => {
                let inner = of(stage, inner);
                stage.builder().step(op, inner).ok()?
            }
            ExprKind::Member(inner, field) => {
                let inner = of(stage, inner);
                stage.builder().member(inner, field)
            }
            ExprKind::SizeofExpr(inner) => {
                let inner = of(stage, inner);
                stage.builder().node(ExprKind::SizeofExpr(inner), node.ty)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (of(stage, left), of(stage, right));
                stage.builder().binary(op, left, right).ok()?
            }
            ExprKind::Logical(op, left, right) => {
                let (left, right) = (of(stage, left), of(stage, right));
                stage.builder().logical(op, left, right).ok()?
            }
            ExprKind::Comma(left, right) => {
                let (left, right) = (of(stage, left), of(stage, right));
                stage.builder().comma(left, right)
            }
            ExprKind::Assign(target, value) => {
                let (target, value) = (of(stage, target), of(stage, value));
                stage.builder().assign(target, value).ok()?
            }
            ExprKind::CompoundAssign { op, target, value, .. } => {
                let (target, value) = (of(stage, target), of(stage, value));
                stage.builder().compound_assign(op, target, value).ok()?
            }
            ExprKind::Index(base, index) => {
                let (base, index) = (of(stage, base), of(stage, index));
                stage.builder().index(base, index).ok()?
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = of(stage, condition);
                let (then, otherwise) = (then.map(|then| of(stage, then)), of(stage, otherwise));
                stage.builder().conditional(condition, then, otherwise).ok()?
            }
            ExprKind::Call(callee, arguments) => {
                let callee = of(stage, callee);
                let known = self.parameters(stage, callee)?;
                let arguments = arguments.iter().enumerate().map(|(at, argument)| {
                    // The format that a variadic argument is for stays as it is.
                    if at < known {
                        Some(of(stage, *argument))
                    } else {
                        self.same(stage, *argument)
                    }
                });
                let arguments = arguments.collect::<Option<Vec<ExprId>>>()?;
                stage.builder().call(callee, arguments).ok()?
            }
            ExprKind::Builtin(builtin, arguments) => {
                let arguments = arguments.iter().map(|argument| self.same(stage, *argument));
                let arguments = arguments.collect::<Option<_>>()?;
                stage.builder().node(ExprKind::Builtin(builtin, arguments), node.ty)
            }
            ExprKind::InitList(mut items) => {
                for item in &mut items {
                    if self.new.contains_key(&item.value) {
                        let (value, ty) = (of(stage, item.value), program.type_of(item.value));
                        item.value = stage.builder().convert_assigned(value, ty).ok()?;
                    }
                }
                stage.builder().node(ExprKind::InitList(items), node.ty)
            }
            _ => return None,
        })
    }

    /// How many parameters a function has.
    fn parameters(&self, stage: &Stage<'_>, callee: ExprId) -> Option<usize> {
        let program = &stage.fresh.program;
        let mut ty = program.type_of(callee);
        if let Type::Pointer(pointee) = *program.resolve(ty) {
            ty = pointee;
        }
        match program.resolve(ty) {
            Type::Function(function) => Some(function.parameters.len()),
            _ => None,
        }
    }

    /// The new expression where no expression holds it.
    fn top(&self, stage: &mut Stage<'_>, expr: ExprId) -> Option<ExprId> {
        let program = stage.scene.program;
        let (new, old) = (self.new[&expr], program.type_of(expr));
        if stage.fresh.program.type_of(new) == old {
            return Some(new);
        }
        match stage.scene.holder_of_expr(expr)? {
            Holder::Object(object) => {
                stage.builder().convert_assigned(new, program[object].ty).ok()
            }
            Holder::Stmt(stmt) => match program[stmt] {
                Stmt::Expr(_) if !is_value(stage, stmt) => Some(new),
                Stmt::If { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::For { .. } => {
                    Some(new)
                }
                Stmt::Return(_) => {
                    let result = stage.scene.result_of(stmt)?;
                    stage.builder().convert_assigned(new, result).ok()
                }
                _ => of_type(stage, new, old),
            },
            _ => None,
        }
    }
}

/// Whether all compilers agree on a new expression. Pointers to pointers or arrays that differ
/// in a sign only are converted by some of them; so such a pointer must be followed at once.
fn is_clear(stage: &Stage<'_>, old: ExprId, new: ExprId) -> bool {
    let program = &stage.fresh.program;
    let pointee = program.pointee(program.type_of(new)).map(|ty| program.resolve(ty));
    let parent = stage.scene.parent(old).map(|parent| &stage.scene.program[parent].kind);
    !matches!(pointee, Some(Type::Array { .. } | Type::Pointer(_)))
        || matches!(parent, Some(ExprKind::Index(..) | ExprKind::Deref(_)))
}

/// Whether a statement is the value of an expression.
fn is_value(stage: &Stage<'_>, stmt: StmtId) -> bool {
    let outer =
        stage.scene.around(stmt).find(|it| matches!(stage.scene.program[*it], Stmt::Block(_)));
    outer.is_some_and(|block| stage.is_value_block(block))
}

/// The changes that give an object another type, and its value at the start as given.
pub(super) fn object(
    stage: &mut Stage<'_>,
    id: ObjectId,
    ty: TypeId,
    init: Option<ExprId>,
) -> Drawn {
    let program = stage.scene.program;
    let entity = Entity::Object(id);
    let twice =
        program.items.iter().any(|item| matches!(item, Item::DeclareAs(it, _) if *it == entity));
    if twice || program[id].asm_name.is_some() {
        return None;
    }
    let mut retyping = Retyping::default();
    for old in stage.uses(entity).to_vec() {
        let new = stage.builder().node(ExprKind::Object(id), ty);
        retyping.replace(old, new);
    }
    let mut changes = Vec::new();
    if let Some((function, at)) = parameter(stage, id) {
        changes.push(signature(stage, &mut retyping, function, at, ty)?);
    }
    changes.extend(retyping.changes(stage)?);
    let from = program[id].clone();
    let mut to = from.clone();
    (to.ty, to.init) = (ty, init);
    changes.push(Change::Object { id, from: Box::new(from), to: Box::new(to) });
    Some(changes)
}

/// The function that an object is a parameter of, and which.
pub(super) fn parameter(stage: &Stage<'_>, object: ObjectId) -> Option<(FunctionId, usize)> {
    let functions = stage.scene.program.functions.iter();
    functions.into_iter().find_map(|(id, function)| {
        Some((id, function.parameters.iter().position(|it| *it == object)?))
    })
}

/// The change that gives a parameter of a function another type.
fn signature(
    stage: &mut Stage<'_>,
    retyping: &mut Retyping,
    id: FunctionId,
    at: usize,
    ty: TypeId,
) -> Option<Change> {
    let program = stage.scene.program;
    let from = program[id].clone();
    let Type::Function(of) = program.resolve(from.ty) else { return None };
    if !of.prototyped || from.old_style || from.body.is_none() || stage.scene.is_main(id) {
        return None;
    }
    let mut of = of.clone();
    of.parameters[at] = ty.unqualified();
    let mut to = from.clone();
    to.ty = stage.fresh.program.types.function(*of);
    for old in stage.uses(Entity::Function(id)).to_vec() {
        let new = stage.builder().node(ExprKind::Function(id), to.ty);
        retyping.replace(old, new);
    }
    Some(Change::Function { id, from: Box::new(from), to: Box::new(to) })
}
