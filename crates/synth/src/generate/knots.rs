//! Knots: small, dense functions, drawn as text out of a grammar.
//!
//! Drafting keeps values apart so that a program is defined whatever its run is like. Here
//! every piece of `knots.grammar` works on the same few objects, with the operators, casts and
//! jumps that a person would write, and nothing keeps it from being undefined. So each knot is
//! run alone first, and only one that is defined comes into the program. The grammar has the
//! forms that mistakes of optimisers were found with: counters of loops that are global or
//! narrow, two subscripts of one array, arrays in inlined functions, bytes that are merged,
//! records that are copied under a condition, and code that must not run beside all of that.

use std::sync::OnceLock;

use farrier_front::{Options as Reading, parse};
use farrier_lang::copy::EntityMap;
use farrier_lang::print::GuardStyle;
use farrier_lang::{Entity, FunctionId, Item, Program, SourceText, Stmt, StmtId, import};
use farrier_machine::{Behavior, Options, Profile, Verdict, Watch, run};

use super::draft::{Callee, Draft, Role};
use super::scope::Variable;
use crate::census::census;
use crate::features::{FEATURES, FeatureRow};
use crate::grammar::Grammar;

const KNOTS: &str = include_str!("../../knots.grammar");

/// The rule of a knot, its function, and how that is called where it runs alone.
const RULE: &str = "knot";
const NAME: &str = "knot_";
const ALONE: &str = "\nint main(void) { knot_(1); return 0; }\n";

/// How many knots are drawn until one is defined.
const TRIES: u32 = 16;

/// The operations of a knot, at most: so many of them fit into a program.
const MOST_OPERATIONS: u64 = 10_000;

/// How many bytes of the text of a knot are one byte of the program, which only gets what the
/// knot needs, in percent.
const TEXT_PART: usize = 290;

fn grammar() -> &'static Grammar<'static> {
    static READ: OnceLock<Grammar<'static>> = OnceLock::new();
    READ.get_or_init(|| Grammar::read(KNOTS))
}

/// Whether a function is a knot, by its name. Import may have added a number to it.
pub(crate) fn is_knot(name: &str) -> bool {
    name.strip_prefix(NAME)
        .is_some_and(|rest| rest.trim_start_matches('_').bytes().all(|byte| byte.is_ascii_digit()))
}

/// A knot as a program of its own with what it does, if it is defined.
fn defined(
    text: String,
    reading: &Reading,
    steps: u64,
    profile: Option<Watch>,
) -> Option<(Program, Behavior, Option<Profile>)> {
    let knot = parse(&[SourceText::new("knot.c", text + ALONE)], reading).ok()?;
    let ran = run(&knot, &Options { steps, profile, ..Options::default() });
    let Verdict::Defined(behavior) = ran.verdict else { return None };
    Some((knot, behavior, ran.profile))
}

impl Draft<'_> {
    /// Adds a knot of at most so many operations and bytes, if one is found soon: a function that
    /// is defined for the argument one.
    pub(super) fn knot(&mut self, operations: u64, bytes: usize) -> Option<usize> {
        let steps = operations.min(MOST_OPERATIONS);
        (0..TRIES).find_map(|_| {
            let text = grammar().text(RULE, self.choices);
            if text.len() * 100 > bytes * TEXT_PART {
                return None;
            }
            let (knot, function, cost) = self.alone(text, steps)?;
            self.bring(&knot, function, cost)
        })
    }

    /// A knot as a program of its own, with its function and its operations, if it is defined and
    /// has no feature that is off.
    fn alone(&self, text: String, steps: u64) -> Option<(Program, FunctionId, u64)> {
        let dialect = self.config.dialect;
        let reading = Reading { dialect, ..Reading::new(self.config.target) };
        let lacks = FEATURES.iter().any(|row| row.frequency.number() > 0 && !self.has(row.feature));
        let watch = lacks.then(Watch::everything);
        let (mut knot, behavior, profile) = defined(text, &reading, steps, watch)?;
        if let Some(profile) = &profile {
            let found = census(&knot, profile, GuardStyle::Bare);
            let is_off =
                |row: &FeatureRow| !self.has(row.feature) && found.feature(row.feature).total > 0;
            if FEATURES.iter().any(is_off) {
                return None;
            }
        }
        // What is copied into the program came from no text of it.
        knot.expr_spans.clear();
        knot.stmt_spans.clear();
        let function = knot.functions.iter().find(|(_, row)| knot.text(row.name) == NAME)?.0;
        Some((knot, function, behavior.steps))
    }

    /// Makes a knot a part of the program.
    fn bring(&mut self, knot: &Program, function: FunctionId, cost: u64) -> Option<usize> {
        let (statements, items) = (self.program.stmts.len(), self.program.items.len());
        let mut map = EntityMap::default();
        let function = import::function(&mut self.program, knot, function, items, &mut map).ok()?;
        // Another way through it may be undefined.
        let mut fixed: Vec<StmtId> = self.program.stmts.ids().skip(statements).collect();
        fixed.retain(|id| matches!(self.program[*id], Stmt::If { .. }));
        self.fixed.extend(fixed);
        let defined = |item: &Item| match *item {
            Item::Define(Entity::Object(object)) => Some(object),
            _ => None,
        };
        let objects: Vec<_> = self.program.items[items..].iter().filter_map(defined).collect();
        for object in objects {
            // Not every byte of a union has a value in the end.
            if !self.is_union(self.program[object].ty) {
                self.stock.own.push(Variable::global(object, false));
            }
        }
        let type_id = self.program[function].ty;
        let ty = self.function_type(type_id);
        self.stock.callees.push(Callee { function, ty, type_id, cost, role: Role::Knot });
        Some(self.stock.callees.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use farrier_lang::target::X86_64_LINUX;

    use super::*;
    use crate::Choices;

    /// How many knots are drawn until every alternative must have been in one.
    const KNOTS_DRAWN: u32 = 4_000;

    #[test]
    fn the_grammar_uses_every_rule_and_names_none_that_is_missing() {
        assert_eq!(grammar().faults(RULE), Vec::<String>::new());
    }

    /// Takes alternatives that were in no defined knot first.
    #[test]
    fn every_alternative_is_in_a_knot_that_is_defined() {
        let mut missing: BTreeSet<_> = grammar().alternatives().collect();
        let mut choices = Choices::new(1);
        for _ in 0..KNOTS_DRAWN {
            if missing.is_empty() {
                return;
            }
            let mut drawn = Vec::new();
            let text = grammar().picked(RULE, &mut |rule, count| {
                let rare = choices.index(count);
                let wanted = (0..count).map(|number| (rare + number) % count);
                let number = wanted
                    .into_iter()
                    .find(|number| missing.iter().any(|row| *row == (rule, *number)))
                    .filter(|_| choices.index(3) > 0)
                    .unwrap_or(rare);
                drawn.push((rule.to_owned(), number));
                number
            });
            if defined(text, &Reading::new(&X86_64_LINUX), MOST_OPERATIONS, None).is_some() {
                missing.retain(|(rule, number)| !drawn.contains(&((*rule).to_owned(), *number)));
            }
        }
        panic!("these are in no knot that is defined: {missing:?}");
    }

    #[test]
    fn knots_are_known_by_their_names() {
        assert!(["knot_", "knot__2", "knot_17"].into_iter().all(is_knot));
        assert!(!["knot", "knots_", "knot_a", "f_"].into_iter().any(is_knot));
    }
}
