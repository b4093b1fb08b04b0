//! The program model of Farrier: typed, resolved C programs as values.
//!
//! A [`Program`] holds every node in arenas, so that a node has one id for as long
//! as the program lives. Types are interned ([`types`]), what an implementation
//! may choose is a table ([`target`]), and every implicit conversion is a node
//! ([`expr`]). This crate is pure: no files, no clock, no processes, no randomness.

pub mod arena;
pub mod attributes;
pub mod build;
pub mod builtins;
mod classify;
pub mod constant;
pub mod copy;
pub mod describe;
pub mod edit;
pub mod expr;
pub mod float;
pub mod hint;
pub mod import;
pub mod integer;
pub mod layout;
mod literal;
mod names;
pub mod print;
mod program;
pub mod scope;
pub mod shape;
pub mod source;
mod stmt;
pub mod target;
pub mod tokens;
pub mod types;
pub mod visit;
pub mod well_formed;
pub mod wrapper;

pub use arena::*;
pub use classify::Rarity;
pub use expr::*;
pub use integer::{ArithmeticFault, IntegerType, integer_type};
pub use names::Names;
pub use program::*;
pub use source::{Place, SourceText, Sources, Span, Text};
pub use stmt::Stmt;
pub use target::Target;
pub use types::*;
