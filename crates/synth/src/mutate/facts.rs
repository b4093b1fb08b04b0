//! Facts: tells the compiler what the machine saw to be true.
//!
//! A fact that is false makes the program undefined, and the machine says so when the mutant is
//! proved. So a row needs no certainty, only a good guess. No row may tell what the machine
//! does not check.

mod functions;
mod objects;
#[cfg(test)]
mod tests;
mod told;

use super::stage::Stage;
use super::{Row, Strategy};
use crate::Choices;

const fn fact(name: &'static str, weight: u32, draw: fn(&mut Stage<'_>, &mut Choices)) -> Row {
    Row { strategy: Strategy::Facts, name, weight, draw }
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    fact("unreachable", 6, told::in_dead_code),
    fact("unreachable-branch", 4, told::for_dead_branch),
    fact("unreachable-default", 4, told::for_default),
    fact("unreachable-unless", 20, told::behind_predicate),
    fact("assume", 8, told::assumed),
    fact("value-range", 14, told::of_value),
    fact("expect", 6, told::expected),
    fact("assume-aligned-pointer", 5, told::aligned_pointer),
    fact("const-object", 8, objects::constant),
    fact("restrict", 8, objects::restricted),
    fact("narrower", 8, objects::narrower),
    fact("aligned", 4, objects::aligned),
    fact("static-elements", 5, objects::elements),
    fact("noreturn", 3, functions::noreturn),
    fact("nonnull", 5, |stage, choices| functions::promise(stage, choices, &functions::NONNULL)),
    fact("returns-nonnull", 4, |stage, choices| functions::promise(stage, choices, &functions::RETURNS_NONNULL)),
    fact("assume-aligned-result", 3, |stage, choices| functions::promise(stage, choices, &functions::ASSUME_ALIGNED)),
    fact("pure", 6, |stage, choices| functions::promise(stage, choices, &functions::PURE)),
    fact("const-function", 6, |stage, choices| functions::promise(stage, choices, &functions::CONST)),
    fact("malloc", 2, |stage, choices| functions::promise(stage, choices, &functions::MALLOC)),
    fact("alloc-size", 2, |stage, choices| functions::promise(stage, choices, &functions::ALLOC_SIZE)),
    fact("hot", 1, |stage, choices| functions::suggest(stage, choices, &functions::HOT)),
    fact("cold", 2, |stage, choices| functions::suggest(stage, choices, &functions::COLD)),
    fact("flatten", 2, |stage, choices| functions::suggest(stage, choices, &functions::FLATTEN)),
    fact("noipa", 2, |stage, choices| functions::suggest(stage, choices, &functions::NOIPA)),
    fact("noinline", 2, |stage, choices| functions::suggest(stage, choices, &functions::NOINLINE)),
    fact("noclone", 2, |stage, choices| functions::suggest(stage, choices, &functions::NOCLONE)),
    fact("leaf", 1, |stage, choices| functions::suggest(stage, choices, &functions::LEAF)),
    fact("optimize", 2, |stage, choices| functions::suggest(stage, choices, &functions::OPTIMIZE)),
    fact("always-inline", 2, |stage, choices| functions::suggest(stage, choices, &functions::ALWAYS_INLINE)),
];
