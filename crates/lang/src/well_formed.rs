//! What every program must satisfy, so that everything that works on programs may
//! rely on it.
//!
//! The check has two phases. The first sees that ids are in range, that expressions
//! and statements form a tree and that nothing nests too deeply; only if it finds
//! nothing may the second follow ids and recurse, to check items, scopes and types.
//!
//! A violation is always a mistake in the program; where GNU C allows something
//! odd, or where the model leaves a choice open, the check is silent.

mod scope;
mod tree;
mod typing;

use std::fmt;

use crate::arena::{ExprId, LabelId, StmtId};
use crate::program::{Entity, Program};
use crate::types::TypeId;

/// The rules, each a family of things that can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FormRule {
    /// Every id lies within its arena.
    Range,
    /// No expression, statement or `asm` has two parents.
    Tree,
    /// Nothing nests deeper than `MAX_DEPTH`, and types are finite.
    Depth,
    /// At most one `Declare` and one `Define` of an entity, in this order, and a
    /// `Define` exactly where there is something to define.
    Items,
    /// An entity is declared, and a local object visible, where it is used.
    Declared,
    /// No visible name is declared again; tags, members and labels are unique.
    Names,
    /// A label is defined once, in the function that uses it.
    Labels,
    /// `break`, `continue`, `case` and `default` stand inside what they belong to.
    Jumps,
    /// Declarations stand where the grammar has them, bodies are blocks.
    Statement,
    /// An operand that must be an lvalue, or one that may be changed, is.
    Lvalue,
    /// An operand that must be a value is one: a `Load` or `Decay` is not missing.
    Value,
    /// The types of a node and its operands fit.
    Type,
    /// Initialiser lists fill places that exist, in order.
    Initialiser,
    /// Members of records and constants of enumerations make sense.
    Member,
    /// Objects and functions have types and storage they can have.
    Entity,
    /// A guard guards something that its check is about.
    Guard,
}

/// The node that a violation is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Node {
    Program,
    Item(usize),
    Entity(Entity),
    Label(LabelId),
    Type(TypeId),
    Stmt(StmtId),
    Expr(ExprId),
}

/// One thing that is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The rule that is broken.
    pub rule: FormRule,
    /// Where.
    pub node: Node,
    /// What is wrong, in words, with the place.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{:?} rule, {:?}]", self.text, self.rule, self.node)
    }
}

/// Everything that is wrong with `program`; nothing if it is well formed.
pub fn check(program: &Program) -> Vec<Violation> {
    let violations = tree::check(program);
    if violations.is_empty() { scope::check(program) } else { violations }
}
