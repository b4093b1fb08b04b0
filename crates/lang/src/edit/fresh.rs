//! Edits with the new nodes that they bring along.
//!
//! New nodes are built in a copy of the program, with ids that follow those of the
//! program. When an edit is cut from the copy, it takes those nodes with it; when it
//! is applied, they move to the ends of the arenas, and every id at or beyond the
//! old ends moves along. Names and types are interned anew.

use rustc_hash::FxHashMap;

use super::Change;
use crate::arena::{
    Arena, AsmId, EnumConstantId, EnumId, ExprId, FloatId, FunctionId, Id, LabelId, ObjectId,
    RecordId, StmtId, StringId, Symbol, TypedefId,
};
use crate::expr::Expr;
use crate::program::{
    Asm, Enum, EnumConstant, Function, Label, Object, Program, Record, StringLiteral, Typedef,
};
use crate::stmt::Stmt;
use crate::types::{Type, TypeId};
use crate::visit::{HasIds, MapIds};

/// Declares what exists once for each arena of nodes.
macro_rules! per_arena {
    ($($arena:ident: $id:ty => $value:ty, $method:ident;)*) => {
        /// How many nodes each arena holds.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) struct Lengths {
            $(pub(super) $arena: usize,)*
            names: usize,
            types: usize,
        }

        $(impl NodeId for $id {
            fn is_new(&self, before: &Lengths) -> bool {
                self.index() >= before.$arena
            }
        })*

        impl Lengths {
            pub(crate) fn of(program: &Program) -> Self {
                Self {
                    $($arena: program.$arena.len(),)*
                    names: program.names.len(),
                    types: program.types.len(),
                }
            }

            /// Forgets the nodes beyond. Names and types stay: nothing can refer to them.
            pub(crate) fn truncate(&self, program: &mut Program) {
                $(program.$arena.truncate(self.$arena);)*
                program.expr_spans.truncate(self.exprs);
                program.stmt_spans.truncate(self.stmts);
            }

            /// Whether the nodes of `self` all exist in `program`.
            fn exist_in(&self, program: &Program) -> bool {
                $(self.$arena <= program.$arena.len())&&*
            }

            /// Whether `program` has as many nodes; names and types do not count.
            pub(super) fn nodes_match(&self, program: &Program) -> bool {
                $(self.$arena == program.$arena.len())&&*
            }
        }

        /// New nodes, whose ids start at `base`.
        #[derive(Clone, PartialEq, Eq, Debug)]
        struct Fragment {
            base: Lengths,
            $($arena: Vec<$value>,)*
            names: Vec<(Symbol, Box<str>)>,
            /// Types with new ids, each after those that it names.
            types: Vec<(TypeId, Type)>,
        }

        impl Fragment {
            /// No new nodes.
            fn empty(base: Lengths) -> Self {
                Self { base, $($arena: Vec::new(),)* names: Vec::new(), types: Vec::new() }
            }

            /// Takes the nodes beyond `base` out of `program`.
            fn cut(program: &mut Program, base: Lengths, changes: &[Change]) -> Self {
                let mut fragment = Self {
                    base,
                    $($arena: tail(&program.$arena, base.$arena),)*
                    names: Vec::new(),
                    types: Vec::new(),
                };
                let mut interned = Interned { program, base: &base, names: Vec::new(), types: Vec::new() };
                $(fragment.$arena.iter().for_each(|node| _ = node.map_ids(&mut interned));)*
                changes.iter().for_each(|change| _ = change.map_ids(&mut interned));
                (fragment.names, fragment.types) = (interned.names, interned.types);
                base.truncate(program);
                fragment
            }

            /// Adds the nodes to `program` and returns the changes in terms of its ids.
            fn paste(&self, program: &mut Program, changes: &[Change]) -> Vec<Change> {
                let lengths = Lengths::of(program);
                let names = self
                    .names
                    .iter()
                    .map(|(symbol, text)| (*symbol, program.names.intern(text)))
                    .collect();
                let mut relocate =
                    Relocate { base: &self.base, lengths, names, types: FxHashMap::default() };
                for (id, ty) in &self.types {
                    let ty = ty.map_ids(&mut relocate);
                    let new = program.types.intern(ty);
                    relocate.types.insert(*id, new);
                }
                $(for node in &self.$arena {
                    let node = node.map_ids(&mut relocate);
                    program.$arena.push(node);
                })*
                changes.iter().map(|change| change.map_ids(&mut relocate)).collect()
            }
        }

        impl MapIds for Relocate<'_> {
            $(fn $method(&mut self, id: $id) -> $id {
                match id.index().checked_sub(self.base.$arena) {
                    None => id,
                    Some(offset) => <$id>::from_index(self.lengths.$arena + offset),
                }
            })*

            fn name(&mut self, id: Symbol) -> Symbol {
                self.names.get(&id).copied().unwrap_or(id)
            }

            fn ty(&mut self, id: TypeId) -> TypeId {
                self.types.get(&id.unqualified()).map_or(id, |new| new.with(id.qualifiers()))
            }
        }

        impl MapIds for Interned<'_> {
            $(fn $method(&mut self, id: $id) -> $id {
                id
            })*

            fn name(&mut self, id: Symbol) -> Symbol {
                if id.index() >= self.base.names && !self.names.iter().any(|(name, _)| *name == id) {
                    self.names.push((id, self.program.text(id).into()));
                }
                id
            }

            fn ty(&mut self, id: TypeId) -> TypeId {
                let new = id.unqualified();
                if new.index() >= self.base.types && !self.types.iter().any(|(ty, _)| *ty == new) {
                    let ty = self.program.types.get(new).clone();
                    ty.map_ids(self);
                    self.types.push((new, ty));
                }
                id
            }
        }
    };
}

per_arena! {
    exprs: ExprId => Expr, expr;
    stmts: StmtId => Stmt, stmt;
    objects: ObjectId => Object, object;
    functions: FunctionId => Function, function;
    records: RecordId => Record, record;
    enums: EnumId => Enum, enumeration;
    enum_constants: EnumConstantId => EnumConstant, enum_constant;
    typedefs: TypedefId => Typedef, typedef;
    labels: LabelId => Label, label;
    strings: StringId => StringLiteral, string;
    floats: FloatId => u128, float;
    asms: AsmId => Asm, asm;
}

/// An id of an arena of nodes.
pub(super) trait NodeId {
    /// Whether the node did not exist yet when `before` was measured.
    fn is_new(&self, before: &Lengths) -> bool;
}

/// The values of an arena from `start` on.
fn tail<I: Id, T: Clone>(arena: &Arena<I, T>, start: usize) -> Vec<T> {
    (start..arena.len()).map(|index| arena[I::from_index(index)].clone()).collect()
}

/// Moves ids at or beyond `base` to where the nodes are now.
struct Relocate<'a> {
    base: &'a Lengths,
    lengths: Lengths,
    names: FxHashMap<Symbol, Symbol>,
    types: FxHashMap<TypeId, TypeId>,
}

/// Collects the names and types that are new.
struct Interned<'a> {
    program: &'a Program,
    base: &'a Lengths,
    names: Vec<(Symbol, Box<str>)>,
    types: Vec<(TypeId, Type)>,
}

impl HasIds for StringLiteral {
    fn map_ids(&self, _: &mut impl MapIds) -> Self {
        self.clone()
    }
}

impl HasIds for u128 {
    fn map_ids(&self, _: &mut impl MapIds) -> Self {
        *self
    }
}

impl HasIds for Change {
    fn map_ids(&self, map: &mut impl MapIds) -> Self {
        use super::Anchor;
        match self {
            Self::ReplaceExpr { at, with } => {
                Self::ReplaceExpr { at: map.expr(*at), with: map.expr(*with) }
            }
            Self::ReplaceStmt { at, with } => {
                Self::ReplaceStmt { at: map.stmt(*at), with: map.stmt(*with) }
            }
            Self::RemoveStmt(at) => Self::RemoveStmt(map.stmt(*at)),
            Self::InsertStmts { block, anchor, stmts } => Self::InsertStmts {
                block: map.stmt(*block),
                anchor: match *anchor {
                    Anchor::Before(stmt) => Anchor::Before(map.stmt(stmt)),
                    Anchor::After(stmt) => Anchor::After(map.stmt(stmt)),
                    Anchor::Start | Anchor::End => *anchor,
                },
                stmts: stmts.iter().map(|&stmt| map.stmt(stmt)).collect(),
            },
            Self::RemoveItem(item) => Self::RemoveItem(item.map_ids(map)),
            Self::InsertItem { item, before } => Self::InsertItem {
                item: item.map_ids(map),
                before: before.map(|before| before.map_ids(map)),
            },
            Self::Object { id, from, to } => {
                Self::Object { id: map.object(*id), from: from.map_ids(map), to: to.map_ids(map) }
            }
            Self::Function { id, from, to } => Self::Function {
                id: map.function(*id),
                from: from.map_ids(map),
                to: to.map_ids(map),
            },
            Self::Record { id, from, to } => {
                Self::Record { id: map.record(*id), from: from.map_ids(map), to: to.map_ids(map) }
            }
            Self::Enum { id, from, to } => Self::Enum {
                id: map.enumeration(*id),
                from: from.map_ids(map),
                to: to.map_ids(map),
            },
            Self::EnumConstant { id, from, to } => Self::EnumConstant {
                id: map.enum_constant(*id),
                from: from.map_ids(map),
                to: to.map_ids(map),
            },
            Self::Typedef { id, from, to } => {
                Self::Typedef { id: map.typedef(*id), from: from.map_ids(map), to: to.map_ids(map) }
            }
            Self::Label { id, from, to } => {
                Self::Label { id: map.label(*id), from: from.map_ids(map), to: to.map_ids(map) }
            }
        }
    }
}

/// One described change of a program: primitive changes that belong together, and
/// the new nodes that they put in. It can be applied to the program it was made for
/// and to every program that descends from it by edits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    changes: Vec<Change>,
    fragment: Fragment,
}

impl Edit {
    /// An edit of `program` without new nodes.
    pub fn new(program: &Program, changes: Vec<Change>) -> Self {
        Self { changes, fragment: Fragment::empty(Lengths::of(program)) }
    }

    /// The changes, in terms of the program that the edit was made for and the
    /// [`Fresh`] that it was cut from.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Adds the new nodes to `program` and returns the changes in terms of its ids.
    pub(super) fn paste(&self, program: &mut Program) -> Vec<Change> {
        assert!(
            self.fragment.base.exist_in(program),
            "an edit is applied to a descendant of the program it was made for"
        );
        self.fragment.paste(program, &self.changes)
    }
}

/// A copy of a program in which the new nodes of edits are built.
///
/// One serves any number of edits of the same program, one after the other.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// The copy. New nodes, types and names may be added; what was there before
    /// must not be changed.
    pub program: Program,
    base: Lengths,
}

impl Fresh {
    /// For edits of `program`.
    pub fn new(program: &Program) -> Self {
        Self { program: program.clone(), base: Lengths::of(program) }
    }

    /// An edit made of `changes` and of all nodes that were added since the last edit.
    pub fn edit(&mut self, changes: Vec<Change>) -> Edit {
        let fragment = Fragment::cut(&mut self.program, self.base, &changes);
        Edit { changes, fragment }
    }

    /// Forgets the nodes that were added since the last edit.
    pub fn discard(&mut self) {
        self.base.truncate(&mut self.program);
    }
}
