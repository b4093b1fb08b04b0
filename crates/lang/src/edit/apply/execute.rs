//! Carries out a plan, and keeps what it overwrites.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::fresh::Lengths;
use super::super::{Anchor, Change, Holder, Links, TreeNode};
use super::Conflict;
use super::entities::{Writers, change_entity};
use super::plan::Plan;
use crate::arena::{
    AsmId, EnumConstantId, EnumId, ExprId, FunctionId, Id, LabelId, ObjectId, RecordId, StmtId,
    TypedefId,
};
use crate::expr::Expr;
use crate::program::{
    Asm, Enum, EnumConstant, Function, Item, Label, Object, Program, Record, Typedef,
};
use crate::stmt::Stmt;
use crate::visit::{HasIds, MapIds};

/// A node as it was before it was overwritten.
#[derive(Debug)]
pub(super) enum Saved {
    Expr(ExprId, Expr),
    Stmt(StmtId, Stmt),
    Asm(AsmId, Asm),
    Object(ObjectId, Object),
    Function(FunctionId, Function),
    Record(RecordId, Record),
    Enum(EnumId, Enum),
    EnumConstant(EnumConstantId, EnumConstant),
    Typedef(TypedefId, Typedef),
    Label(LabelId, Label),
}

pub(super) fn restore(program: &mut Program, saved: Saved) {
    match saved {
        Saved::Expr(id, node) => program[id] = node,
        Saved::Stmt(id, node) => program[id] = node,
        Saved::Asm(id, node) => program[id] = node,
        Saved::Object(id, node) => program[id] = node,
        Saved::Function(id, node) => program[id] = node,
        Saved::Record(id, node) => program[id] = node,
        Saved::Enum(id, node) => program[id] = node,
        Saved::EnumConstant(id, node) => program[id] = node,
        Saved::Typedef(id, node) => program[id] = node,
        Saved::Label(id, node) => program[id] = node,
    }
}

/// Where links lead now.
#[derive(Default)]
struct Redirects {
    exprs: FxHashMap<ExprId, ExprId>,
    stmts: FxHashMap<StmtId, StmtId>,
    /// A link to this node stays: the node that holds it was put around this one.
    wrapped: Option<TreeNode>,
    /// What stands where a removed statement stood. It may have moved elsewhere, so
    /// this concerns only the link that it was removed from.
    substitutes: FxHashMap<StmtId, StmtId>,
    substituting: bool,
}

impl MapIds for Redirects {
    fn expr(&mut self, mut id: ExprId) -> ExprId {
        if self.wrapped != Some(TreeNode::Expr(id)) {
            while let Some(&next) = self.exprs.get(&id) {
                id = next;
            }
        }
        id
    }

    fn stmt(&mut self, mut id: StmtId) -> StmtId {
        if self.substituting
            && let Some(&substitute) = self.substitutes.get(&id)
        {
            return substitute;
        }
        if self.wrapped != Some(TreeNode::Stmt(id)) {
            while let Some(&next) = self.stmts.get(&id) {
                id = next;
            }
        }
        id
    }
}

pub(super) fn execute(
    program: &mut Program,
    links: &Links,
    before: &Lengths,
    plan: &Plan<'_>,
    saved: &mut Vec<Saved>,
) -> Result<(), Conflict> {
    let mut writers = Writers::default();
    for &(edit, change) in &plan.todo {
        change_entity(program, edit, change, &mut writers, saved)?;
    }
    change_items(program, plan);

    let mut redirects = Redirects::default();
    let mut vanished = FxHashSet::default();
    let mut inserted: FxHashMap<StmtId, Vec<(Anchor, &[StmtId])>> = FxHashMap::default();
    let mut holders = BTreeSet::new();
    let mut lengths = Vec::new();
    for &(_, change) in &plan.todo {
        let site = match *change {
            // What takes its own place changes nothing.
            Change::ReplaceExpr { at, with } if at == with => continue,
            Change::ReplaceStmt { at, with } if at == with => continue,
            Change::ReplaceExpr { at, with } => {
                if matches!(links.holder(TreeNode::Expr(at)), Some(Holder::Type(_))) {
                    lengths.push((at, with));
                } else {
                    redirects.exprs.insert(at, with);
                }
                TreeNode::Expr(at)
            }
            Change::ReplaceStmt { at, with } => {
                redirects.stmts.insert(at, with);
                TreeNode::Stmt(at)
            }
            Change::RemoveStmt(at) => {
                match substitute(program, links, at) {
                    None => _ = vanished.insert(at),
                    Some(substitute) => {
                        let substitute = program.stmts.push(substitute);
                        redirects.substitutes.insert(at, substitute);
                    }
                }
                TreeNode::Stmt(at)
            }
            Change::InsertStmts { block, anchor, ref stmts } => {
                inserted.entry(block).or_default().push((anchor, stmts));
                holders.insert(Holder::Stmt(block));
                continue;
            }
            _ => continue,
        };
        holders.extend(links.holder(site));
    }

    redirect_new_nodes(program, before, plan, &mut redirects);
    for holder in holders {
        // A block loses statements but never has one substituted; what it gains is moved.
        redirects.substituting =
            !matches!(holder, Holder::Stmt(id) if matches!(program[id], Stmt::Block(_)));
        match holder {
            Holder::Expr(id) => {
                let new = program[id].map_ids(&mut redirects);
                saved.push(Saved::Expr(id, std::mem::replace(&mut program[id], new)));
            }
            Holder::Stmt(id) => {
                let insertions = inserted.get(&id).map_or(&[][..], |list| list);
                let new = rewrite_stmt(&program[id], &mut redirects, &vanished, insertions);
                saved.push(Saved::Stmt(id, std::mem::replace(&mut program[id], new)));
            }
            Holder::Object(id) => {
                let new = program[id].map_ids(&mut redirects);
                saved.push(Saved::Object(id, std::mem::replace(&mut program[id], new)));
            }
            Holder::Function(id) => {
                let new = program[id].map_ids(&mut redirects);
                saved.push(Saved::Function(id, std::mem::replace(&mut program[id], new)));
            }
            Holder::Asm(id) => {
                let new = program[id].map_ids(&mut redirects);
                saved.push(Saved::Asm(id, std::mem::replace(&mut program[id], new)));
            }
            Holder::Type(_) => {}
        }
    }
    redirects.substituting = false;
    // The type holds the old id, so the node gets new content instead.
    for (at, with) in lengths {
        let new = program[redirects.expr(with)].clone();
        saved.push(Saved::Expr(at, std::mem::replace(&mut program[at], new)));
    }
    Ok(())
}

fn change_items(program: &mut Program, plan: &Plan<'_>) {
    let mut removed = FxHashSet::default();
    let mut inserted: FxHashMap<Option<Item>, Vec<Item>> = FxHashMap::default();
    for (_, change) in &plan.todo {
        match change {
            Change::RemoveItem(item) => _ = removed.insert(*item),
            Change::InsertItem { item, before } => inserted.entry(*before).or_default().push(*item),
            _ => {}
        }
    }
    if removed.is_empty() && inserted.is_empty() {
        return;
    }
    let mut items = Vec::new();
    for item in &program.items {
        items.extend(inserted.get(&Some(*item)).into_iter().flatten());
        if !removed.contains(item) {
            items.push(*item);
        }
    }
    items.extend(inserted.get(&None).into_iter().flatten());
    program.items = items;
}

/// What a removed statement leaves behind; nothing where nothing is needed.
fn substitute(program: &Program, links: &Links, at: StmtId) -> Option<Stmt> {
    match links.holder(TreeNode::Stmt(at)) {
        Some(Holder::Stmt(parent)) => match &program[parent] {
            Stmt::Block(_) => None,
            Stmt::For { init, .. } if init.contains(&at) => None,
            Stmt::If { otherwise, .. } if *otherwise == Some(at) => None,
            _ => Some(Stmt::Empty),
        },
        // Bodies are blocks.
        _ => Some(Stmt::Block([].into())),
    }
}

/// New nodes may hold links to existing ones that were replaced in turn.
fn redirect_new_nodes(
    program: &mut Program,
    before: &Lengths,
    plan: &Plan<'_>,
    redirects: &mut Redirects,
) {
    for index in before.exprs..program.exprs.len() {
        let id = ExprId::from_index(index);
        redirects.wrapped = plan.wraps.get(&TreeNode::Expr(id)).copied();
        program[id] = program[id].map_ids(redirects);
    }
    for index in before.stmts..program.stmts.len() {
        let id = StmtId::from_index(index);
        redirects.wrapped = plan.wraps.get(&TreeNode::Stmt(id)).copied();
        program[id] = program[id].map_ids(redirects);
    }
    redirects.wrapped = None;
    for index in before.objects..program.objects.len() {
        let id = ObjectId::from_index(index);
        program[id] = program[id].map_ids(redirects);
    }
    for index in before.functions..program.functions.len() {
        let id = FunctionId::from_index(index);
        program[id] = program[id].map_ids(redirects);
    }
    for index in before.asms..program.asms.len() {
        let id = AsmId::from_index(index);
        program[id] = program[id].map_ids(redirects);
    }
}

fn rewrite_stmt(
    stmt: &Stmt,
    redirects: &mut Redirects,
    vanished: &FxHashSet<StmtId>,
    insertions: &[(Anchor, &[StmtId])],
) -> Stmt {
    let mut stmt = stmt.clone();
    match &mut stmt {
        Stmt::Block(statements) => {
            let mut list = Vec::new();
            let insert = |list: &mut Vec<StmtId>, at: Anchor| {
                for (anchor, stmts) in insertions {
                    if *anchor == at {
                        list.extend_from_slice(stmts);
                    }
                }
            };
            insert(&mut list, Anchor::Start);
            for &stmt in &*statements {
                insert(&mut list, Anchor::Before(stmt));
                if !vanished.contains(&stmt) {
                    list.push(stmt);
                }
                insert(&mut list, Anchor::After(stmt));
            }
            insert(&mut list, Anchor::End);
            *statements = list.into();
        }
        Stmt::For { init, .. } => {
            *init = init.iter().copied().filter(|stmt| !vanished.contains(stmt)).collect();
        }
        Stmt::If { otherwise, .. } => {
            *otherwise = otherwise.filter(|stmt| !vanished.contains(stmt));
        }
        _ => {}
    }
    stmt.map_ids(redirects)
}
