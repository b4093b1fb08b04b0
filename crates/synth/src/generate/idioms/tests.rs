//! The table as a whole: it can be read, and every row occurs in code that runs.

use std::collections::BTreeSet;

use farrier_lang::{Program, STACK_BYTES, Stmt};
use farrier_machine::Watch;

use super::recognise::recognised;
use super::table::ROWS;
use super::*;
use crate::Choices;
use crate::generate::budget::Size;
use crate::generate::draft::Role;
use crate::generate::{Config, Drafted, Generated, complete};
use crate::parameters::{Parameters, Policies};
use crate::relax::Relaxed;
use farrier_lang::print::GuardStyle;

/// How many rows stand in one program, how often each, and in how many programs at most.
const ROWS_OF_PROGRAM: usize = 30;
const TIMES: usize = 3;
const PROGRAMS: u64 = 24;

#[test]
fn rows_are_different() {
    let all: BTreeSet<&str> = ROWS.iter().copied().collect();
    assert_eq!(all.len(), ROWS.len());
    assert!(ROWS.len() >= 120);
}

#[test]
fn a_row_is_read_as_c_binds() {
    let same = |left: &str, right: &str| {
        let [left, right] = [left, right].map(|text| format!("{:?}", Template::read(text).node));
        assert_eq!(left, right);
    };
    same("x & y - 1 == z", "x & ((y - 1) == z)");
    same("x + A < B | x ? y : z ? x : y", "(((x + A) < B) | x) ? y : (z ? x : y)");
    same("x - y - z", "(x - y) - z");
    same("-(T)x << s", "(-((T)x)) << s");
}

/// A program whose only function has idioms of these rows.
fn program_of(rows: &[usize], seed: u64) -> Generated {
    let mut config = Config { steps: 1_000_000, swarm: false, ..Config::default() };
    config.weights.set(Feature::MacroWrapper, 0);
    let mut choices = Choices::new(seed);
    let parameters = Parameters::draw(&mut choices, &config.fixed, true);
    let weights = config.weights.clone();
    let mut draft = Draft::new(&config, weights, parameters, &mut choices);
    draft.add_inputs();
    let function = draft.new_function(Types::VOID, Vec::new(), farrier_lang::Linkage::External);
    let mut scope = draft.scope_of(function, |_, _, _| (true, true));
    scope.globals = draft.window();
    let test =
        draft.define_function(function, Role::Test, scope, (u64::MAX, usize::MAX / 2), |draft| {
            let mut statements = Vec::new();
            for row in rows {
                draft.idioms = vec![*row];
                for _ in 0..TIMES {
                    statements.extend(draft.idiom_loop().into_iter().flatten());
                    draft.begin_expression();
                    if let Some(value) = draft.idiom_value(Mode::Reading, 0) {
                        statements.push(draft.expr_stmt(value));
                    }
                }
            }
            statements.push(draft.stmt(Stmt::Return(None)));
            draft.block_of(statements)
        });
    let assertions = draft.finish(&[(test, true)]);
    draft.measure();
    let Draft { program, weights, parameters, size: Size { kept, .. }, fixed, .. } = draft;
    let style = GuardStyle::Wrappers;
    let drafted = Drafted {
        program,
        style,
        weights,
        parameters,
        policies: Policies::default(),
        tier: None,
        shapes: Vec::new(),
        relaxed: Relaxed::default(),
        kept,
        assertions,
        fixed,
        added: 0,
        helpers: Vec::new(),
        inputs: Vec::new(),
        expected: 0,
    };
    complete(drafted, &config, &mut choices)
        .and_then(|complete| complete.certify(&config))
        .unwrap_or_else(|verdict| panic!("{seed}: {verdict:?}"))
}

/// The expressions that were evaluated.
fn evaluated(program: &Program) -> Vec<ExprId> {
    let options = farrier_machine::Options {
        profile: Some(Watch::everything()),
        ..farrier_machine::Options::default()
    };
    let profile = farrier_machine::run(program, &options).profile.expect("it was asked for");
    program.exprs.ids().filter(|id| profile.expr(*id).count > 0).collect()
}

#[test]
fn every_row_is_drawn_certified_and_evaluated() {
    let work = || {
        let mut missing: Vec<usize> = (0..ROWS.len()).collect();
        for seed in 0..PROGRAMS {
            for rows in missing.clone().chunks(ROWS_OF_PROGRAM) {
                let made = program_of(rows, seed);
                let program = made.certified.program();
                for id in evaluated(program) {
                    if !matches!(program[id].kind, ExprKind::Int(_) | ExprKind::Load(_)) {
                        missing
                            .retain(|row| !(rows.contains(row) && recognised(program, id, *row)));
                    }
                }
            }
        }
        let missing: Vec<&str> = missing.into_iter().map(|row| ROWS[row]).collect();
        assert!(missing.is_empty(), "never evaluated: {missing:?}");
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
