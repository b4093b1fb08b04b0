//! The table of passes, from what removes much to what removes little.

mod entities;
mod expressions;
mod guards;
mod operations;
mod renaming;
mod statements;
mod types;
mod unused;

use farrier_lang::edit::Edit;

use crate::scene::Scene;
pub(super) use unused::sweep;

/// One way to make programs smaller. It only describes edits; each is tried on its own
/// or with its neighbours in the list, and none has to work.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The name, for messages.
    pub name: &'static str,
    /// What it does, in words.
    pub what: &'static str,
    /// Whether it wants to know what a run saw.
    pub needs_profile: bool,
    /// Whether what nothing uses any more goes with what its edits remove.
    pub sweeps: bool,
    /// Whether only large parts of its edits are tried, because others do the rest when the
    /// program is small.
    pub coarse: bool,
    /// The edits, those that remove much first.
    pub edits: fn(&Scene<'_>) -> Vec<Edit>,
}

const fn pass(name: &'static str, what: &'static str, edits: fn(&Scene<'_>) -> Vec<Edit>) -> Pass {
    Pass { name, what, needs_profile: false, sweeps: false, coarse: false, edits }
}

const fn profiled(
    name: &'static str,
    what: &'static str,
    edits: fn(&Scene<'_>) -> Vec<Edit>,
) -> Pass {
    Pass { name, what, needs_profile: true, sweeps: false, coarse: false, edits }
}

/// A pass whose edits leave much behind that nothing uses.
const fn sweeping(pass: Pass) -> Pass {
    Pass { sweeps: true, ..pass }
}

const fn coarse(pass: Pass) -> Pass {
    Pass { coarse: true, ..pass }
}

/// Every pass, in the order in which they run.
///
/// What the generator did to a program is undone before anything is cut: its guards.
pub const PASSES: &[Pass] = &[
    profiled("guards", "take guards away that are not needed", guards::guards),
    profiled(
        "operations",
        "leave nothing but single operations, with the values of their operands",
        operations::operations,
    ),
    coarse(sweeping(profiled(
        "dead",
        "remove functions and statements that never ran",
        statements::dead,
    ))),
    pass("unused", "remove all declarations that main does not need", unused::unused),
    sweeping(profiled(
        "all-values",
        "replace all expressions that have no effect by the value they had, at once",
        expressions::all_known,
    )),
    sweeping(pass("main", "remove statements of main", statements::of_main)),
    sweeping(pass("functions", "remove functions; their calls become zero", entities::functions)),
    sweeping(pass("statements", "remove statements", statements::remove)),
    pass("items", "remove declarations that nothing uses", entities::items),
    sweeping(profiled(
        "known-values",
        "replace expressions by the value they had",
        expressions::known,
    )),
    pass("objects", "remove objects; what is read from them becomes zero", entities::objects),
    profiled("known-objects", "remove objects; they become their value", entities::known_objects),
    pass("unwrap", "replace compound statements by what is in them", statements::unwrap),
    pass("first-branch", "replace branches and loops by one round", statements::first),
    pass("second-branch", "replace branches by their other side", statements::second),
    pass("zero", "replace expressions by zero", expressions::zeros),
    pass("one", "replace expressions by one", expressions::ones),
    pass("first-operand", "replace operations by their first operand", expressions::first),
    pass("second-operand", "replace operations by their second operand", expressions::second),
    pass("third-operand", "replace operations by their third operand", expressions::third),
    pass("typed-zero", "replace expressions by a zero of their type", expressions::typed_zeros),
    pass(
        "flatten-blocks",
        "put the statements of a block into the one around it",
        statements::flatten,
    ),
    pass("jumps", "put what is behind a label in the place of the jump", statements::jumps),
    pass("conditions", "replace a branch by what decides it", statements::conditions),
    profiled("prints", "return what main prints, or whether it is right", statements::prints),
    profiled("alarms", "return 1 where main never comes", statements::alarms),
    pass("declarations", "replace a declaration by its initialiser", statements::declarations),
    pass("parts", "read what is written instead of what lies over it", expressions::parts),
    pass(
        "literals",
        "replace a part of a compound literal by a value in it",
        expressions::literals,
    ),
    pass("forward", "put a value where the next statement reads it", statements::forward),
    pass("inline", "put the body of a function where it is called", entities::inline),
    pass("initialisers", "remove initialisers", entities::initialisers),
    pass("init-lists", "shorten initialiser lists", expressions::lists),
    profiled(
        "parameters",
        "remove parameters; they become their value or zero",
        entities::parameters,
    ),
    pass("results", "remove results that nobody uses", entities::results),
    pass("arguments", "remove arguments that no parameter takes", entities::arguments),
    pass("fields", "remove members that are not used", entities::fields),
    pass("attributes", "remove attributes, alignments and inline", entities::attributes),
    pass(
        "elements",
        "replace arrays, records and pointers by what is used of them",
        types::elements,
    ),
    pass("qualifiers", "remove const, volatile and the like", types::qualifiers),
    pass("types", "make objects and results int", types::to_int),
    pass("structs", "make unions structs", types::structs),
    pass("members", "make members int", types::members),
    pass("enumerators", "remove constants of enumerations", types::enumerators),
    pass("lengths", "make arrays shorter", types::lengths),
    pass("constants", "halve constants", expressions::halves),
    pass("strings", "shorten string literals", expressions::strings),
    pass("names", "give everything a short name", renaming::names),
];
