//! The tables of passes, from what removes much to what removes little.

mod entities;
mod expressions;
mod guards;
mod operations;
mod renaming;
mod statements;
mod text;
mod types;
mod unused;
mod vectors;

use farrier_lang::edit::Edit;

use crate::scene::Scene;
pub use text::{Cut, TEXT_PASSES, token_count};
pub(super) use text::{cut, measure};
pub(super) use unused::sweep;

/// One way to make programs or texts smaller. It only describes changes; each is tried on its
/// own or with its neighbours in the list, and none has to work.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name, for messages.
    pub name: &'static str,
    /// What it does, in words.
    pub what: &'static str,
    /// Whether it wants to know what a run saw.
    pub needs_profile: bool,
    /// What it has to do with declarations that nothing uses any more.
    pub sweep: Sweep,
    /// Whether only large parts of its changes are tried, because others do the rest when the
    /// program is small.
    pub coarse: bool,
    /// When it runs.
    pub turn: Turn,
    /// The changes, those that remove much first.
    pub changes: Changes,
}

/// What a pass describes.
#[derive(Clone, Copy, Debug)]
pub enum Changes {
    /// Edits of a program.
    Edits(fn(&Scene<'_>) -> Vec<Edit>),
    /// Cuts of a text.
    Cuts(fn(&str) -> Vec<Cut>),
}

/// What a pass has to do with declarations that nothing uses any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sweep {
    /// They stay.
    Never,
    /// They go with what its edits remove.
    Along,
    /// It removes them, and so finds out whether they may go along with others.
    Decides,
}

/// When a pass runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// In every round.
    EachRound,
    /// Once, after the last round.
    Last,
}

const fn pass(name: &'static str, what: &'static str, changes: Changes) -> Pass {
    let (sweep, turn) = (Sweep::Never, Turn::EachRound);
    Pass { name, what, needs_profile: false, sweep, coarse: false, turn, changes }
}

const fn edits(name: &'static str, what: &'static str, edits: fn(&Scene<'_>) -> Vec<Edit>) -> Pass {
    pass(name, what, Changes::Edits(edits))
}

const fn profiled(pass: Pass) -> Pass {
    Pass { needs_profile: true, ..pass }
}

/// A pass whose edits leave much behind that nothing uses.
const fn sweeping(pass: Pass) -> Pass {
    Pass { sweep: Sweep::Along, ..pass }
}

const fn coarse(pass: Pass) -> Pass {
    Pass { coarse: true, ..pass }
}

/// Every pass on programs, in the order in which they run.
///
/// What the generator did to a program is undone before anything is cut: its guards.
pub const PASSES: &[Pass] = &[
    profiled(edits("guards", "take guards away that are not needed", guards::guards)),
    profiled(edits(
        "operations",
        "leave nothing but single operations, with the values of their operands",
        operations::operations,
    )),
    coarse(sweeping(profiled(edits(
        "dead",
        "remove functions and statements that never ran",
        statements::dead,
    )))),
    Pass {
        sweep: Sweep::Decides,
        ..edits("unused", "remove all declarations that main does not need", unused::unused)
    },
    sweeping(profiled(edits(
        "all-values",
        "replace all expressions that have no effect by the value they had, at once",
        expressions::all_known,
    ))),
    sweeping(edits("main", "remove statements of main", statements::of_main)),
    sweeping(edits("functions", "remove functions; their calls become zero", entities::functions)),
    sweeping(edits("statements", "remove statements", statements::remove)),
    edits("items", "remove declarations that nothing uses", entities::items),
    sweeping(profiled(edits(
        "known-values",
        "replace expressions by the value they had",
        expressions::known,
    ))),
    edits("objects", "remove objects; what is read from them becomes zero", entities::objects),
    profiled(edits(
        "known-objects",
        "remove objects; they become their value",
        entities::known_objects,
    )),
    edits("unwrap", "replace compound statements by what is in them", statements::unwrap),
    edits("hints", "take one hint from a loop", statements::hints),
    edits("first-branch", "replace branches and loops by one round", statements::first),
    edits("second-branch", "replace branches by their other side", statements::second),
    edits("zero", "replace expressions by zero", expressions::zeros),
    edits("one", "replace expressions by one", expressions::ones),
    edits("first-operand", "replace operations by their first operand", expressions::first),
    edits("second-operand", "replace operations by their second operand", expressions::second),
    edits("third-operand", "replace operations by their third operand", expressions::third),
    edits("typed-zero", "replace expressions by a zero of their type", expressions::typed_zeros),
    edits(
        "flatten-blocks",
        "put the statements of a block into the one around it",
        statements::flatten,
    ),
    edits("jumps", "put what is after a label in the place of the jump", statements::jumps),
    edits("conditions", "replace a branch by what decides it", statements::conditions),
    profiled(edits(
        "prints",
        "return what main prints, or whether it is right",
        statements::prints,
    )),
    profiled(edits("alarms", "return 1 where main never comes", statements::alarms)),
    edits("declarations", "replace a declaration by its initialiser", statements::declarations),
    edits("parts", "read what is written instead of what lies over it", expressions::parts),
    edits(
        "literals",
        "replace a part of a compound literal by a value in it",
        expressions::literals,
    ),
    edits("forward", "put a value where the next statement reads it", statements::forward),
    edits("inline", "put the body of a function where it is called", entities::inline),
    edits("initialisers", "remove initialisers", entities::initialisers),
    edits("init-lists", "shorten initialiser lists", expressions::lists),
    profiled(edits(
        "parameters",
        "remove parameters; they become their value or zero",
        entities::parameters,
    )),
    edits("results", "remove results that are not used", entities::results),
    edits("arguments", "remove arguments that no parameter takes", entities::arguments),
    edits("fields", "remove members that are not used", entities::fields),
    edits("attributes", "remove attributes, alignments and inline", entities::attributes),
    edits(
        "elements",
        "replace arrays, records and pointers by what is used of them",
        types::elements,
    ),
    edits("qualifiers", "remove const, volatile and the like", types::qualifiers),
    edits("types", "make objects and results int, or a shorter floating type", types::to_int),
    edits("structs", "make unions structs", types::structs),
    edits("members", "make members int", types::members),
    edits("enumerators", "remove constants of enumerations", types::enumerators),
    edits("lengths", "make arrays shorter", types::lengths),
    edits("lanes", "make all vectors half as long", vectors::narrow),
    edits("constants", "halve constants, and make floating ones shorter", expressions::halves),
    edits("strings", "shorten string literals", expressions::strings),
    // With other names everything would be another program, and tried again.
    Pass { turn: Turn::Last, ..edits("names", "give everything a short name", renaming::names) },
];
