//! Described changes of a program.
//!
//! An [`Edit`] is data: a list of [`Change`]s, each of which names existing nodes
//! by id, and the new nodes that they put in. Callers that change a program only
//! describe edits; [`apply`] carries out any number of them at once, all or
//! nothing, and [`undo`] takes them back. See `docs/design/edits.md`.
//!
//! Nodes keep their ids: a change redirects the link from a parent to another node
//! and never copies a surviving node, so an edit that was described for a program
//! means the same in every program that descends from it. The one exception is the
//! length of a variable array, whose link is part of an interned type: there the
//! replacement is copied over the old node.
//!
//! **What happens when edits meet.** The place of a change is the node it names.
//!
//! - Edits whose places are disjoint commute.
//! - A change whose place lies inside what another edit removes has nothing left to
//!   do; it is *absorbed*, and [`Applied::absorbed`] says so. The same holds for a
//!   place that is already gone from the program.
//! - A node that one edit keeps and another replaces is kept as a place: what comes
//!   in its stead stands where it would have stood.
//! - The same change, made by two edits without new nodes, is made once.
//! - Anything else is a [`Conflict`]: two different changes of one place; a change that
//!   keeps, or is anchored at, a node that another edit removes; new code that names
//!   an entity which another edit removes or gives another type.
//! - Statements inserted at one place stand in the order of the list of edits.

mod apply;
mod compose;
pub(crate) mod fresh;
pub(crate) mod links;

pub use apply::{Absorbed, Applied, Conflict, ConflictKind, apply, apply_linked, apply_some, undo};
pub use compose::{change_object_type, change_result_type, remove_field, reorder_fields};
pub use fresh::{Edit, Fresh};
pub use links::{Holder, Links, TreeNode};

use crate::arena::{EnumConstantId, EnumId, ExprId, FunctionId, LabelId, ObjectId, RecordId};
use crate::arena::{StmtId, TypedefId};
use crate::program::{Entity, Enum, EnumConstant, Function, Item, Label, Object, Record, Typedef};

/// One primitive change.
///
/// An entity is changed by giving its whole content before and after; only the
/// parts that differ are changed, so two edits may change different parts of one
/// entity. Where a change puts in a node, that node is new, or it lies inside what
/// the same edit removes: a node never has two parents.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "`id`, `from` and `to` are explained above")]
pub enum Change {
    /// Puts an expression in the place of another.
    ReplaceExpr {
        /// The expression that goes.
        at: ExprId,
        /// The one that comes: new, or inside `at`.
        with: ExprId,
    },
    /// Puts a statement in the place of another.
    ReplaceStmt {
        /// The statement that goes.
        at: StmtId,
        /// The one that comes: new, or inside `at`.
        with: StmtId,
    },
    /// Takes a statement out of its block. Where the grammar needs a statement, an
    /// empty one is left; an `else` goes with its branch. The program stays well
    /// formed unless something still needs the statement: it declares an object or
    /// defines a label that is used outside it, or it gives a statement
    /// expression its value.
    RemoveStmt(StmtId),
    /// Inserts statements.
    InsertStmts {
        /// The block.
        block: StmtId,
        /// Where in the block.
        anchor: Anchor,
        /// What is inserted: new, or removed by the same edit.
        stmts: Box<[StmtId]>,
    },
    /// Takes an item out of the list.
    RemoveItem(Item),
    /// Inserts an item.
    InsertItem {
        /// What is inserted.
        item: Item,
        /// The item before which it is inserted; at the end if there is none.
        before: Option<Item>,
    },
    /// Changes an object.
    Object { id: ObjectId, from: Box<Object>, to: Box<Object> },
    /// Changes a function.
    Function { id: FunctionId, from: Box<Function>, to: Box<Function> },
    /// Changes a struct or union.
    Record { id: RecordId, from: Box<Record>, to: Box<Record> },
    /// Changes an enumeration.
    Enum { id: EnumId, from: Box<Enum>, to: Box<Enum> },
    /// Changes a constant of an enumeration.
    EnumConstant { id: EnumConstantId, from: Box<EnumConstant>, to: Box<EnumConstant> },
    /// Changes a typedef.
    Typedef { id: TypedefId, from: Box<Typedef>, to: Box<Typedef> },
    /// Changes a label.
    Label { id: LabelId, from: Box<Label>, to: Box<Label> },
}

/// A place in a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Anchor {
    /// Before all other statements.
    Start,
    /// Before this statement of the block.
    Before(StmtId),
    /// After this statement of the block.
    After(StmtId),
    /// After all other statements.
    End,
}

/// The place of a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Site {
    Expr(ExprId),
    Stmt(StmtId),
    Item(Item),
    Items,
    Entity(Entity),
    EnumConstant(EnumConstantId),
    Label(LabelId),
}

impl Change {
    /// The node that it changes.
    pub fn site(&self) -> Site {
        match self {
            Self::ReplaceExpr { at, .. } => Site::Expr(*at),
            Self::ReplaceStmt { at, .. } | Self::RemoveStmt(at) => Site::Stmt(*at),
            Self::InsertStmts { block, .. } => Site::Stmt(*block),
            Self::RemoveItem(item) => Site::Item(*item),
            Self::InsertItem { .. } => Site::Items,
            Self::Object { id, .. } => Site::Entity(Entity::Object(*id)),
            Self::Function { id, .. } => Site::Entity(Entity::Function(*id)),
            Self::Record { id, .. } => Site::Entity(Entity::Record(*id)),
            Self::Enum { id, .. } => Site::Entity(Entity::Enum(*id)),
            Self::EnumConstant { id, .. } => Site::EnumConstant(*id),
            Self::Typedef { id, .. } => Site::Entity(Entity::Typedef(*id)),
            Self::Label { id, .. } => Site::Label(*id),
        }
    }
}
