//! Edits that are made of many changes: what is declared in one place and used in
//! many has to change everywhere at once.
//!
//! Each function describes an edit of the program that the [`Fresh`] was made for, and
//! gives `None` where it does not know how to keep the program well formed.

use super::{Change, Edit, Fresh, Holder, Links, TreeNode};
use crate::arena::{ExprId, FunctionId, ObjectId, RecordId};
use crate::expr::{Expr, ExprKind, InitItem, InitPlace, OffsetStep};
use crate::program::{Entity, Field, Item, Program};
use crate::stmt::Stmt;
use crate::types::{FunctionType, Type, TypeId};

/// Takes away a member that no expression names; initialisers of it go too.
pub fn remove_field(fresh: &mut Fresh, record: RecordId, index: usize) -> Option<Edit> {
    let from = fresh.program[record].clone();
    let fields = from.fields.as_deref()?;
    if index >= fields.len() || fields.len() == 1 {
        return None;
    }
    let fields = without(fields, index);
    // The place of a member afterwards; none if it is the one that goes.
    let moved = |field: u32| match (field as usize).cmp(&index) {
        std::cmp::Ordering::Less => Some(field),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(field - 1),
    };
    let changes = with_fields(fresh, record, fields, &moved)?;
    Some(fresh.edit(changes))
}

/// The changes that put the members of a record in another order: for each place, which of the
/// old members stands there.
pub fn reorder_fields(fresh: &mut Fresh, record: RecordId, order: &[u32]) -> Option<Vec<Change>> {
    let old = fresh.program[record].fields.as_deref()?;
    let fields = order.iter().map(|at| old[*at as usize].clone()).collect();
    let moved = |field: u32| order.iter().position(|old| *old == field).map(|at| at as u32);
    with_fields(fresh, record, fields, &moved)
}

/// The changes that give a record other members. `moved` says where an old one is then.
fn with_fields(
    fresh: &mut Fresh,
    record: RecordId,
    fields: Box<[Field]>,
    moved: &dyn Fn(u32) -> Option<u32>,
) -> Option<Vec<Change>> {
    let from = fresh.program[record].clone();
    let mut to = from.clone();
    to.fields = Some(fields);
    let mut changes = vec![Change::Record { id: record, from: Box::new(from), to: Box::new(to) }];
    let is_record = |program: &Program, ty| *program.resolve(ty) == Type::Record(record);
    let links = Links::new(&fresh.program);
    for node in links.nodes() {
        let TreeNode::Expr(at) = node else { continue };
        let program = &fresh.program;
        let Expr { kind, ty } = program[at].clone();
        let new = match &kind {
            ExprKind::Member(of, field) if is_record(program, program.type_of(*of)) => {
                ExprKind::Member(*of, moved(*field)?)
            }
            ExprKind::InitList(items) if is_record(program, ty) => {
                let items = items.iter().filter_map(|item| match item.place {
                    InitPlace::Field(field) => {
                        Some(InitItem { place: InitPlace::Field(moved(field)?), value: item.value })
                    }
                    InitPlace::Elements { .. } => Some(item.clone()),
                });
                let mut items: Vec<InitItem> = items.collect();
                items.sort_by_key(|item| item.place);
                ExprKind::InitList(items.into())
            }
            ExprKind::Offsetof(of, path) => {
                let mut ty = *of;
                let mut steps = Vec::new();
                for step in path {
                    let step_field = match (program.resolve(ty), step) {
                        (Type::Record(id), OffsetStep::Field(field)) => {
                            let inside = program[*id].fields.as_ref()?.get(*field as usize)?.ty;
                            let field = if *id == record { moved(*field)? } else { *field };
                            ty = inside;
                            OffsetStep::Field(field)
                        }
                        (Type::Array { element, .. }, OffsetStep::Index(_)) => {
                            ty = *element;
                            *step
                        }
                        _ => return None,
                    };
                    steps.push(step_field);
                }
                ExprKind::Offsetof(*of, steps.into())
            }
            _ => continue,
        };
        if new != kind {
            let with = fresh.program.exprs.push(Expr { kind: new, ty });
            changes.push(Change::ReplaceExpr { at, with });
        }
    }
    Some(changes)
}

/// Gives an object of arithmetic type another arithmetic type. Values that are read
/// from it are cast back, so that the rest of the program keeps its types. The
/// object must only ever be read and assigned to.
pub fn change_object_type(fresh: &mut Fresh, object: ObjectId, ty: TypeId) -> Option<Edit> {
    let from = fresh.program[object].clone();
    let (old, new) = (from.ty.unqualified(), ty.unqualified());
    if has_two_types(&fresh.program, Entity::Object(object)) {
        return None;
    }
    if !is_arithmetic(&fresh.program, old) || !is_arithmetic(&fresh.program, new) {
        return None;
    }
    let links = Links::new(&fresh.program);
    let lvalues: Vec<ExprId> = uses(&fresh.program, &links, ExprKind::Object(object)).collect();
    let mut changes = Vec::new();
    for lvalue in lvalues {
        let Some(Holder::Expr(at)) = links.holder(TreeNode::Expr(lvalue)) else { return None };
        let program = &mut fresh.program;
        let retyped = program.exprs.push(Expr { kind: ExprKind::Object(object), ty });
        let value = match program[at].kind {
            ExprKind::Load(_) => ExprKind::Load(retyped),
            ExprKind::Assign(target, value) if target == lvalue => {
                ExprKind::Assign(retyped, converted(program, value, new))
            }
            _ => return discard(fresh),
        };
        let with = cast_back(program, &links, at, value, new, old);
        changes.push(Change::ReplaceExpr { at, with });
    }
    let mut to = from.clone();
    to.ty = ty;
    if let Some(init) = from.init {
        if matches!(fresh.program[init].kind, ExprKind::InitList(_)) {
            return discard(fresh);
        }
        to.init = Some(converted(&mut fresh.program, init, new));
    }
    changes.push(Change::Object { id: object, from: Box::new(from), to: Box::new(to) });
    Some(fresh.edit(changes))
}

/// Gives a function with an arithmetic result another arithmetic result. Values that
/// it returns are cast back. The function must only ever be called by name.
pub fn change_result_type(fresh: &mut Fresh, function: FunctionId, ty: TypeId) -> Option<Edit> {
    let mut function_type = prototype(&fresh.program, function)?.clone();
    let (old, new) = (function_type.result.unqualified(), ty.unqualified());
    if !is_arithmetic(&fresh.program, old) || !is_arithmetic(&fresh.program, new) {
        return None;
    }
    function_type.result = new;
    let links = Links::new(&fresh.program);
    let calls = direct_calls(&fresh.program, &links, function)?;
    let mut changes = vec![function_change(fresh, function, function_type)];
    for at in calls {
        let ExprKind::Call(_, arguments) = fresh.program[at].kind.clone() else { continue };
        let callee = callee(&mut fresh.program, function, &changes[0]);
        let call = ExprKind::Call(callee, arguments);
        let with = cast_back(&mut fresh.program, &links, at, call, new, old);
        changes.push(Change::ReplaceExpr { at, with });
    }
    for stmt in returns(&fresh.program, function) {
        let Stmt::Return(Some(value)) = fresh.program[stmt] else { continue };
        let value = converted(&mut fresh.program, value, new);
        let with = fresh.program.stmts.push(Stmt::Return(Some(value)));
        changes.push(Change::ReplaceStmt { at: stmt, with });
    }
    Some(fresh.edit(changes))
}

fn discard(fresh: &mut Fresh) -> Option<Edit> {
    fresh.discard();
    None
}

fn without<T: Clone>(list: &[T], index: usize) -> Box<[T]> {
    list.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, item)| item.clone()).collect()
}

fn is_arithmetic(program: &Program, ty: TypeId) -> bool {
    matches!(program.resolve(ty), Type::Int(_) | Type::BitInt { .. } | Type::Float(_))
}

/// The type of a function whose parameters are known and not in the old style.
fn prototype(program: &Program, function: FunctionId) -> Option<&FunctionType> {
    if has_two_types(program, Entity::Function(function)) {
        return None;
    }
    match program.resolve(program[function].ty) {
        Type::Function(ty) if ty.prototyped && !program[function].old_style => Some(ty),
        _ => None,
    }
}

/// Whether an entity has another type in some of its uses.
fn has_two_types(program: &Program, entity: Entity) -> bool {
    program.items.iter().any(|item| matches!(item, Item::DeclareAs(e, _) if *e == entity))
}

/// The reachable expressions of one form, parents first.
fn uses<'a>(
    program: &'a Program,
    links: &Links,
    kind: ExprKind,
) -> impl Iterator<Item = ExprId> + use<'a> {
    links.nodes().into_iter().filter_map(move |node| match node {
        TreeNode::Expr(id) if program[id].kind == kind => Some(id),
        _ => None,
    })
}

/// The calls of a function; `None` if it is used in another way, too.
fn direct_calls(program: &Program, links: &Links, function: FunctionId) -> Option<Vec<ExprId>> {
    let holding = |id| match links.holder(TreeNode::Expr(id)) {
        Some(Holder::Expr(holder)) => Some(holder),
        _ => None,
    };
    uses(program, links, ExprKind::Function(function))
        .map(|designator| {
            let decay = holding(designator)?;
            let call = holding(decay)?;
            let direct = matches!(program[decay].kind, ExprKind::Decay(_))
                && matches!(program[call].kind, ExprKind::Call(callee, _) if callee == decay);
            direct.then_some(call)
        })
        .collect()
}

fn function_change(fresh: &mut Fresh, id: FunctionId, ty: FunctionType) -> Change {
    let from = fresh.program[id].clone();
    let mut to = from.clone();
    to.ty = fresh.program.types.function(ty);
    Change::Function { id, from: Box::new(from), to: Box::new(to) }
}

/// A new pointer to a function with the type that `change` gives it.
fn callee(program: &mut Program, function: FunctionId, change: &Change) -> ExprId {
    let Change::Function { to, .. } = change else { unreachable!("made by function_change") };
    let pointer = program.types.pointer_to(to.ty);
    let designator = program.exprs.push(Expr { kind: ExprKind::Function(function), ty: to.ty });
    program.exprs.push(Expr { kind: ExprKind::Decay(designator), ty: pointer })
}

/// The statements of a function that return something.
fn returns(program: &Program, function: FunctionId) -> Vec<crate::arena::StmtId> {
    let mut found = Vec::new();
    let mut waiting: Vec<TreeNode> =
        program[function].body.map(TreeNode::Stmt).into_iter().collect();
    while let Some(node) = waiting.pop() {
        if let TreeNode::Stmt(stmt) = node
            && matches!(program[stmt], Stmt::Return(Some(_)))
        {
            found.push(stmt);
        }
        super::links::for_each_child(program, node, &mut |child, holder| {
            // What a function inside returns is its own matter.
            if !matches!(holder, Holder::Function(_)) {
                waiting.push(child);
            }
        });
    }
    found
}

/// A value converted to `ty`, as an assignment does. The value may be converted
/// already; C never does that twice on its own, so the first becomes a cast.
fn converted(program: &mut Program, value: ExprId, ty: TypeId) -> ExprId {
    let Expr { kind, ty: old } = program[value].clone();
    let value = match kind {
        ExprKind::Convert(operand) => {
            program.exprs.push(Expr { kind: ExprKind::Cast(operand), ty: old })
        }
        _ => value,
    };
    if old.unqualified() == ty {
        return value;
    }
    program.exprs.push(Expr { kind: ExprKind::Convert(value), ty })
}

/// A new expression of type `new`, cast to `old` unless its value is not used.
fn cast_back(
    program: &mut Program,
    links: &Links,
    at: ExprId,
    kind: ExprKind,
    new: TypeId,
    old: TypeId,
) -> ExprId {
    let value = program.exprs.push(Expr { kind, ty: new });
    if is_unused(program, links, at) || new == old {
        return value;
    }
    program.exprs.push(Expr { kind: ExprKind::Cast(value), ty: old })
}

/// Whether an expression is a statement, and not the value of a statement expression.
fn is_unused(program: &Program, links: &Links, expr: ExprId) -> bool {
    let Some(Holder::Stmt(stmt)) = links.holder(TreeNode::Expr(expr)) else { return false };
    let mut outer = stmt;
    while let Some(Holder::Stmt(holder)) = links.holder(TreeNode::Stmt(outer)) {
        outer = holder;
        if matches!(program[holder], Stmt::Block(_)) {
            break;
        }
    }
    matches!(program[stmt], Stmt::Expr(_))
        && !matches!(links.holder(TreeNode::Stmt(outer)), Some(Holder::Expr(_)))
}
