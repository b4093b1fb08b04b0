//! Finds out which changes are absorbed and which conflict, before anything is changed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::fresh::{Lengths, NodeId};
use super::super::links::{for_each_child, for_each_root};
use super::super::{Anchor, Change, Holder, Links, Site, TreeNode};
use super::{Absorbed, Conflict, ConflictKind};
use crate::arena::{
    AsmId, EnumConstantId, EnumId, ExprId, FunctionId, LabelId, ObjectId, RecordId, StmtId,
    TypedefId,
};
use crate::program::{Entity, Item, Program};
use crate::stmt::Stmt;
use crate::types::{ArrayLength, Type, TypeId};
use crate::visit::{HasIds, MapIds};

/// The changes that are left to do, in the order of the edits.
pub(super) struct Plan<'a> {
    pub(super) todo: Vec<(usize, &'a Change)>,
    pub(super) absorbed: Vec<Absorbed>,
    /// For each new node that wraps the node it replaces, that node.
    pub(super) wraps: FxHashMap<TreeNode, TreeNode>,
}

/// One change with all that the planner wants to know of it.
struct Entry<'a> {
    edit: usize,
    index: usize,
    change: &'a Change,
    reference: References,
}

/// The existing things that the new part of a change names.
#[derive(Default)]
struct References {
    /// Nodes of the tree that it keeps.
    kept: Vec<TreeNode>,
    /// Entities and labels.
    used: Vec<Site>,
    /// New nodes of the tree.
    fresh: Vec<TreeNode>,
}

struct Planner<'a> {
    program: &'a Program,
    links: &'a Links,
    /// The nodes that edits remove, with the edit.
    removed: FxHashMap<TreeNode, usize>,
    /// The nodes that are the place of a change.
    changed: FxHashMap<TreeNode, (usize, &'a Change)>,
    removed_items: FxHashMap<Item, usize>,
    /// Entities and labels that edits remove.
    gone: FxHashMap<Site, usize>,
    /// Entities that edits give another type.
    retyped: FxHashMap<Site, usize>,
    /// Kept nodes that were found inside what their edit removes, by edit.
    found: FxHashSet<(usize, TreeNode)>,
    absorbed: Vec<Absorbed>,
}

pub(super) fn plan<'a>(
    program: &Program,
    links: &Links,
    before: &Lengths,
    changes: &'a [Vec<Change>],
) -> Result<Plan<'a>, Conflict> {
    let mut entries = Vec::new();
    for (edit, changes) in changes.iter().enumerate() {
        for (index, change) in changes.iter().enumerate() {
            let reference = references(program, before, change);
            entries.push(Entry { edit, index, change, reference });
        }
    }
    let present = present(program, links);
    let mut kept: FxHashMap<usize, FxHashSet<TreeNode>> = FxHashMap::default();
    for entry in &entries {
        kept.entry(entry.edit).or_default().extend(&entry.reference.kept);
    }
    // Outer places come first, so that what is absorbed does not absorb in turn.
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&entry| rank(links, &present, entries[entry].change));
    let mut planner = Planner {
        program,
        links,
        removed: FxHashMap::default(),
        changed: FxHashMap::default(),
        removed_items: FxHashMap::default(),
        gone: FxHashMap::default(),
        retyped: FxHashMap::default(),
        found: FxHashSet::default(),
        absorbed: Vec::new(),
    };
    let mut stays = vec![false; entries.len()];
    for entry in order {
        let kept = &kept[&entries[entry].edit];
        stays[entry] = planner.consider(&entries[entry], kept, &present)?;
    }
    let mut plan = Plan { todo: Vec::new(), absorbed: Vec::new(), wraps: FxHashMap::default() };
    for (entry, stays) in entries.iter().zip(stays) {
        if !stays {
            continue;
        }
        planner.check_references(entry, &present)?;
        plan.todo.push((entry.edit, entry.change));
        let site = match entry.change.site() {
            Site::Expr(id) => TreeNode::Expr(id),
            Site::Stmt(id) => TreeNode::Stmt(id),
            _ => continue,
        };
        plan.wraps.extend(entry.reference.fresh.iter().map(|&node| (node, site)));
    }
    plan.absorbed = planner.absorbed;
    plan.absorbed.sort_by_key(|absorbed| (absorbed.edit, absorbed.change));
    Ok(plan)
}

/// Where everything that has a declaration is declared: file scope, or a statement.
fn present(program: &Program, links: &Links) -> FxHashMap<Site, usize> {
    let mut present = FxHashMap::default();
    for item in &program.items {
        let Some(entity) = item.entity() else { continue };
        present.insert(Site::Entity(entity), 0);
        if let Entity::Function(id) = entity {
            for &parameter in &program[id].parameters {
                present.insert(Site::Entity(Entity::Object(parameter)), 0);
            }
        }
    }
    for node in links.nodes() {
        let TreeNode::Stmt(stmt) = node else { continue };
        let number = links.number(node).unwrap_or_default();
        match program[stmt] {
            Stmt::Declare(object) => {
                present.insert(Site::Entity(Entity::Object(object)), number);
            }
            Stmt::DefineRecord(record) => {
                present.insert(Site::Entity(Entity::Record(record)), number);
            }
            Stmt::DefineFunction(function) => {
                for entity in with_parameters(program, function) {
                    present.insert(Site::Entity(entity), number);
                }
            }
            Stmt::Label(label, _) => _ = present.insert(Site::Label(label), number),
            _ => {}
        }
    }
    present
}

/// A function and its parameters.
fn with_parameters(program: &Program, function: FunctionId) -> impl Iterator<Item = Entity> {
    let parameters = program[function].parameters.iter().copied().map(Entity::Object);
    parameters.chain([Entity::Function(function)])
}

/// A number that is smaller for outer places.
fn rank(links: &Links, present: &FxHashMap<Site, usize>, change: &Change) -> (u8, usize) {
    let number = |node| (2, 2 * links.number(node).unwrap_or_default());
    match change.site() {
        Site::Item(_) | Site::Items => (0, 0),
        Site::Expr(id) => number(TreeNode::Expr(id)),
        Site::Stmt(id) => number(TreeNode::Stmt(id)),
        site => match present.get(&site) {
            None | Some(0) => (1, 0),
            // Just after the declaration, and before its initialiser.
            Some(declaration) => (2, 2 * declaration + 1),
        },
    }
}

impl<'a> Planner<'a> {
    fn absorb(&mut self, entry: &Entry<'_>, by: Option<usize>) -> Result<bool, Conflict> {
        if by != Some(entry.edit) {
            self.absorbed.push(Absorbed { edit: entry.edit, change: entry.index, by });
        }
        Ok(false)
    }

    /// Whether a change is still to be done; if so, notes what it removes.
    fn consider(
        &mut self,
        entry: &Entry<'a>,
        kept: &FxHashSet<TreeNode>,
        present: &FxHashMap<Site, usize>,
    ) -> Result<bool, Conflict> {
        let edit = entry.edit;
        match entry.change {
            Change::ReplaceExpr { .. } | Change::ReplaceStmt { .. } | Change::RemoveStmt(_) => {
                let node = match entry.change.site() {
                    Site::Expr(id) => TreeNode::Expr(id),
                    Site::Stmt(id) => TreeNode::Stmt(id),
                    _ => unreachable!("these changes are about nodes of the tree"),
                };
                if self.links.holder(node).is_none() {
                    return self.absorb(entry, None);
                }
                if let Some(&(first, change)) = self.changed.get(&node) {
                    // Changes with new nodes are never equal: their ids differ.
                    return if change == entry.change && first != edit {
                        self.absorb(entry, Some(first))
                    } else {
                        let site = entry.change.site();
                        let kind = ConflictKind::SameSite;
                        Err(Conflict { kind, first: Some(first), second: edit, site })
                    };
                }
                if let Some(&by) = self.removed.get(&node) {
                    return self.absorb(entry, Some(by));
                }
                self.changed.insert(node, (edit, entry.change));
                self.remove(edit, node, kept);
            }
            Change::InsertStmts { block, .. } => {
                let node = TreeNode::Stmt(*block);
                if self.links.holder(node).is_none() {
                    return self.absorb(entry, None);
                }
                if let Some(&by) = self.removed.get(&node).filter(|&&by| by != edit) {
                    return self.absorb(entry, Some(by));
                }
            }
            Change::RemoveItem(item) => {
                if !self.program.items.contains(item) {
                    return self.absorb(entry, None);
                }
                if let Some(&by) = self.removed_items.get(item) {
                    return self.absorb(entry, Some(by));
                }
                self.removed_items.insert(*item, edit);
                self.remove_item(edit, *item, kept);
            }
            Change::InsertItem { .. } => {}
            Change::Object { from, to, .. } => {
                let lost = [from.init].into_iter().flatten().filter(|_| from.init != to.init);
                let lost = lost.map(TreeNode::Expr).collect();
                return self.consider_entity(entry, present, from.ty != to.ty, lost, kept);
            }
            Change::Function { from, to, .. } => {
                let lost = [from.body].into_iter().flatten().filter(|_| from.body != to.body);
                let lost = lost.map(TreeNode::Stmt).collect();
                return self.consider_entity(entry, present, from.ty != to.ty, lost, kept);
            }
            Change::Record { from, to, .. } => {
                let retyped = from.fields != to.fields || from.kind != to.kind;
                return self.consider_entity(entry, present, retyped, Vec::new(), kept);
            }
            Change::Enum { from, to, .. } => {
                let retyped = from.constants != to.constants || from.underlying != to.underlying;
                return self.consider_entity(entry, present, retyped, Vec::new(), kept);
            }
            Change::Typedef { from, to, .. } => {
                return self.consider_entity(
                    entry,
                    present,
                    from.base != to.base,
                    Vec::new(),
                    kept,
                );
            }
            Change::EnumConstant { .. } => {}
            Change::Label { .. } => {
                return self.consider_entity(entry, present, false, Vec::new(), kept);
            }
        }
        Ok(true)
    }

    fn consider_entity(
        &mut self,
        entry: &Entry<'a>,
        present: &FxHashMap<Site, usize>,
        retyped: bool,
        lost: Vec<TreeNode>,
        kept: &FxHashSet<TreeNode>,
    ) -> Result<bool, Conflict> {
        let site = entry.change.site();
        let anonymous = matches!(site, Site::Entity(Entity::Record(id))
            if self.program[id].tag.is_none());
        if !present.contains_key(&site) && !anonymous {
            return self.absorb(entry, None);
        }
        if let Some(&by) = self.gone.get(&site).filter(|&&by| by != entry.edit) {
            return self.absorb(entry, Some(by));
        }
        if retyped {
            self.retyped.insert(site, entry.edit);
        }
        for node in lost {
            self.remove(entry.edit, node, kept);
        }
        Ok(true)
    }

    /// Notes that `edit` removes the tree under `node`, except what it keeps.
    fn remove(&mut self, edit: usize, node: TreeNode, kept: &FxHashSet<TreeNode>) {
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if kept.contains(&node) {
                self.found.insert((edit, node));
                continue;
            }
            self.removed.entry(node).or_insert(edit);
            if let TreeNode::Stmt(stmt) = node {
                match self.program[stmt] {
                    Stmt::Declare(object) => {
                        let site = Site::Entity(Entity::Object(object));
                        self.gone.entry(site).or_insert(edit);
                    }
                    Stmt::DefineRecord(record) => {
                        let site = Site::Entity(Entity::Record(record));
                        self.gone.entry(site).or_insert(edit);
                    }
                    Stmt::DefineFunction(function) => {
                        for entity in with_parameters(self.program, function) {
                            self.gone.entry(Site::Entity(entity)).or_insert(edit);
                        }
                    }
                    Stmt::Label(label, _) => {
                        self.gone.entry(Site::Label(label)).or_insert(edit);
                    }
                    _ => {}
                }
            }
            for_each_child(self.program, node, &mut |child, _| waiting.push(child));
        }
    }

    fn remove_item(&mut self, edit: usize, item: Item, kept: &FxHashSet<TreeNode>) {
        let mut roots = Vec::new();
        for_each_root(self.program, item, &mut |root, _| roots.push(root));
        for root in roots {
            self.remove(edit, root, kept);
        }
        let Some(entity) = item.entity() else { return };
        let is_left =
            |item: &Item| item.entity() == Some(entity) && !self.removed_items.contains_key(item);
        if self.program.items.iter().any(is_left) {
            return;
        }
        self.gone.insert(Site::Entity(entity), edit);
        if let Entity::Function(id) = entity {
            for &parameter in &self.program[id].parameters {
                self.gone.insert(Site::Entity(Entity::Object(parameter)), edit);
            }
        }
    }

    /// What a change names must exist, and no other edit may take it away.
    fn check_references(
        &self,
        entry: &Entry<'_>,
        present: &FxHashMap<Site, usize>,
    ) -> Result<(), Conflict> {
        let second = entry.edit;
        let conflict = |kind, first, site| Err(Conflict { kind, first, second, site });
        let place_of = |node| match node {
            TreeNode::Expr(id) => Site::Expr(id),
            TreeNode::Stmt(id) => Site::Stmt(id),
        };
        for &node in &entry.reference.kept {
            let site = place_of(node);
            // Its place is kept, whatever another edit puts there.
            let replaced = matches!(
                self.changed.get(&node),
                Some((_, Change::ReplaceExpr { .. } | Change::ReplaceStmt { .. }))
            );
            if replaced && self.found.contains(&(second, node)) {
                continue;
            }
            if let Some(&first) = self.removed.get(&node).filter(|&&first| first != second) {
                return conflict(ConflictKind::Needed, Some(first), site);
            }
            if self.links.holder(node).is_none() {
                return conflict(ConflictKind::Needed, None, site);
            }
            if !self.found.contains(&(second, node)) {
                return conflict(ConflictKind::TwoParents, None, site);
            }
        }
        for &site in &entry.reference.used {
            for edits in [&self.gone, &self.retyped] {
                if let Some(&first) = edits.get(&site).filter(|&&first| first != second) {
                    return conflict(ConflictKind::Needed, Some(first), site);
                }
            }
            if !present.contains_key(&site) {
                return conflict(ConflictKind::Needed, None, site);
            }
        }
        match entry.change {
            Change::InsertStmts {
                block,
                anchor: Anchor::Before(anchor) | Anchor::After(anchor),
                ..
            } => {
                let (node, site) = (TreeNode::Stmt(*anchor), Site::Stmt(*anchor));
                if self.links.holder(node) != Some(Holder::Stmt(*block)) {
                    return conflict(ConflictKind::Needed, None, site);
                }
                let changed = self.changed.get(&node).map(|&(first, _)| first);
                let first = changed.or_else(|| self.removed.get(&node).copied());
                if let Some(first) = first.filter(|&first| first != second) {
                    return conflict(ConflictKind::Needed, Some(first), site);
                }
            }
            Change::InsertItem { before: Some(before), .. } => {
                if !self.program.items.contains(before) {
                    return conflict(ConflictKind::Needed, None, Site::Item(*before));
                }
                let first = self.removed_items.get(before).copied();
                if let Some(first) = first.filter(|&first| first != second) {
                    return conflict(ConflictKind::Needed, Some(first), Site::Item(*before));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The existing things that the new part of a change names.
fn references(program: &Program, before: &Lengths, change: &Change) -> References {
    let mut finder = Finder {
        program,
        before,
        found: References::default(),
        waiting: Vec::new(),
        types: FxHashSet::default(),
        entities: FxHashSet::default(),
    };
    match change {
        Change::ReplaceExpr { with, .. } => _ = finder.expr(*with),
        Change::ReplaceStmt { with, .. } => _ = finder.stmt(*with),
        Change::InsertStmts { stmts, .. } => {
            for &stmt in stmts {
                finder.stmt(stmt);
            }
        }
        Change::InsertItem { item: Item::Asm(asm), .. } => _ = finder.asm(*asm),
        Change::InsertItem { item, .. } => {
            if let Some(entity) = item.entity() {
                finder.new_entity(entity);
            }
        }
        Change::Object { from, to, .. } if from.init != to.init => {
            if let Some(init) = to.init {
                finder.expr(init);
            }
        }
        Change::Function { from, to, .. } if from.body != to.body => {
            if let Some(body) = to.body {
                finder.stmt(body);
            }
        }
        _ => {}
    }
    while let Some(node) = finder.waiting.pop() {
        match node {
            TreeNode::Expr(id) => _ = program[id].map_ids(&mut finder),
            TreeNode::Stmt(id) => _ = program[id].map_ids(&mut finder),
        }
    }
    finder.found
}

/// Follows ids from new nodes until they reach existing ones.
struct Finder<'a> {
    program: &'a Program,
    before: &'a Lengths,
    found: References,
    waiting: Vec<TreeNode>,
    types: FxHashSet<TypeId>,
    entities: FxHashSet<Entity>,
}

impl Finder<'_> {
    fn tree(&mut self, node: TreeNode, is_new: bool) {
        if is_new {
            self.found.fresh.push(node);
            self.waiting.push(node);
        } else {
            self.found.kept.push(node);
        }
    }

    /// Notes an existing entity, and follows a new one.
    fn entity(&mut self, entity: Entity, is_new: bool) {
        if is_new {
            self.new_entity(entity);
        } else {
            self.found.used.push(Site::Entity(entity));
        }
    }

    fn new_entity(&mut self, entity: Entity) {
        let is_new = match entity {
            Entity::Record(id) => id.is_new(self.before),
            Entity::Enum(id) => id.is_new(self.before),
            Entity::Typedef(id) => id.is_new(self.before),
            Entity::Object(id) => id.is_new(self.before),
            Entity::Function(id) => id.is_new(self.before),
        };
        if !is_new || !self.entities.insert(entity) {
            return;
        }
        let program = self.program;
        match entity {
            Entity::Record(id) => _ = program[id].map_ids(self),
            Entity::Enum(id) => _ = program[id].map_ids(self),
            Entity::Typedef(id) => _ = program[id].map_ids(self),
            Entity::Object(id) => _ = program[id].map_ids(self),
            Entity::Function(id) => _ = program[id].map_ids(self),
        }
    }
}

impl MapIds for Finder<'_> {
    fn expr(&mut self, id: ExprId) -> ExprId {
        self.tree(TreeNode::Expr(id), id.is_new(self.before));
        id
    }

    fn stmt(&mut self, id: StmtId) -> StmtId {
        self.tree(TreeNode::Stmt(id), id.is_new(self.before));
        id
    }

    fn object(&mut self, id: ObjectId) -> ObjectId {
        self.entity(Entity::Object(id), id.is_new(self.before));
        id
    }

    fn function(&mut self, id: FunctionId) -> FunctionId {
        self.entity(Entity::Function(id), id.is_new(self.before));
        id
    }

    fn record(&mut self, id: RecordId) -> RecordId {
        // An anonymous record has no declaration of its own.
        if self.program[id].tag.is_some() {
            self.entity(Entity::Record(id), id.is_new(self.before));
        }
        id
    }

    fn enumeration(&mut self, id: EnumId) -> EnumId {
        self.entity(Entity::Enum(id), id.is_new(self.before));
        id
    }

    fn enum_constant(&mut self, id: EnumConstantId) -> EnumConstantId {
        self.enumeration(self.program[id].parent);
        id
    }

    fn typedef(&mut self, id: TypedefId) -> TypedefId {
        self.entity(Entity::Typedef(id), id.is_new(self.before));
        id
    }

    fn label(&mut self, id: LabelId) -> LabelId {
        if !id.is_new(self.before) {
            self.found.used.push(Site::Label(id));
        }
        id
    }

    fn asm(&mut self, id: AsmId) -> AsmId {
        self.program[id].map_ids(self);
        id
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        if !self.types.insert(id.unqualified()) {
            return id;
        }
        match self.program.types.get(id) {
            // The length of an existing array is not part of the new code.
            Type::Array { element, length } => {
                if let ArrayLength::Variable(length) = length
                    && length.is_new(self.before)
                {
                    self.expr(*length);
                }
                self.ty(*element);
            }
            other => _ = other.map_ids(self),
        }
        id
    }
}
