//! Predicates hold at every visit, blocks that never run never run, and what runs is undone.

use farrier_lang::edit::apply;
use farrier_lang::{ExprId, ExprKind, Program, Stmt, StmtId};
use farrier_machine::{Certified, Chosen, Options, Profile, Watch, run};

use super::predicate::ATOMS;
use super::{Draft, before, undone};
use crate::Choices;
use crate::mutate::stage::Stage;
use crate::mutate::tests::{certified, generated, mutant};
use crate::mutate::{Lineage, Settings, Strategy};

/// A few visits, with relations between variables, gaps, bits and pointers.
const FEW: &str = "int printf(const char *, ...); \
    struct s { short a; unsigned char b[3]; } s = {4, {1, 2, 3}}; int g = 40; int *p = &g, *q; \
    static int f(int i, int n) { int twice = 2 * i; g += twice; return g + n + s.b[1]; } \
    int main(void) { int sum = 0; for (int i = 0; i < 5; i += 2) sum += f(i, 9); \
    printf(\"%d\\n\", sum); return p == q; }";

/// So many visits that not all values are kept.
const MANY: &str = "int printf(const char *, ...); int g = 8; \
    static int f(unsigned i, int n) { int even = 2 * (int)i; g += n; return g ^ even; } \
    int main(void) { int sum = 0; for (int i = 0; i < 300; i++) sum += f(i, 1000) & 15; \
    printf(\"%d\\n\", sum); return 0; }";

fn counts(program: &Program) -> Profile {
    let watch = Watch { statements: Chosen::All, ..Watch::default() };
    let seen = run(program, &Options { profile: Some(watch), ..Options::default() });
    seen.profile.expect("it was asked for")
}

/// Puts `if (predicate) ;` before all points in turn, and counts how often the predicate was
/// evaluated and how often it was true. How many there were of them.
fn check(original: &Certified, make: &dyn Fn(&mut Draft<'_>, bool) -> Option<ExprId>) -> usize {
    let program = original.program();
    let mut found = 0;
    for seed in 0..40 {
        let mut choices = Choices::new(seed);
        let options = Options::default();
        let mut stage = Stage::new(program, &options, &[], &mut choices).expect("it is short");
        let wanted = seed % 2 == 0;
        let points = stage.live_points();
        let point = choices.pick(&points);
        let Some(mut draft) = Draft::at(&mut stage, point, &mut choices) else { continue };
        let Some(condition) = make(&mut draft, wanted) else { continue };
        let then = draft.push(Stmt::Empty);
        let stmt: StmtId = draft.push(Stmt::If { condition, then, otherwise: None });
        draft.finish();
        let mut items = stage.fresh.program.items.clone();
        items.retain(|item| !program.items.contains(item));
        let mut changes: Vec<_> = items
            .into_iter()
            .map(|item| farrier_lang::edit::Change::InsertItem {
                item,
                before: Some(program.items[0]),
            })
            .collect();
        changes.push(before(&stage.points[point], stmt));
        let edit = stage.fresh.edit(changes);
        let mut changed = program.clone();
        apply(&mut changed, &[edit]).expect("one edit has no conflict");
        let profile = counts(&changed);
        assert!(profile.stmt(stmt) > 0, "it is evaluated");
        let expected = if wanted { profile.stmt(stmt) } else { 0 };
        let text = farrier_lang::print::print_stmt(&changed, stmt);
        assert_eq!(profile.stmt(then), expected, "{text}");
        found += 1;
    }
    found
}

#[test]
fn every_kind_of_atom_has_its_value_at_every_visit() {
    let (few, many) = (certified(FEW), certified(MANY));
    let mut of_many = 0;
    for (index, atom) in ATOMS.iter().enumerate() {
        assert!(check(&few, &atom.make) > 0, "atom {index}");
        of_many += usize::from(check(&many, &atom.make) > 0);
    }
    assert!(of_many >= 3, "ranges, bits and pairs are known of many visits, too");
    for original in [few, many] {
        assert!(check(&original, &|draft, wanted| draft.predicate(wanted)) > 10);
    }
}

#[test]
fn every_row_is_proved_and_does_what_the_program_did() {
    for original in [certified(FEW), certified(MANY), generated(1)] {
        let settings =
            Settings { with: vec![Strategy::Hermes], edits: (4, 8), ..Settings::default() };
        let mut lineage = Lineage::new(&original, &Options::default());
        for seed in 0..12 {
            let Ok(mutant) = lineage.grow(seed, &[], &settings) else { continue };
            let (before, after) = (original.behavior(), mutant.certified.behavior());
            assert_eq!((&before.output, before.ending), (&after.output, after.ending));
        }
        let rows: Vec<_> =
            lineage.counts().iter().filter(|row| row.strategy == Strategy::Hermes).collect();
        assert!(rows.len() == 3 && rows.iter().all(|row| row.proved > 0), "{rows:?}");
    }
}

#[test]
fn what_is_undone_has_no_guards() {
    let original = certified(FEW);
    let mut found = 0;
    for seed in 0..40 {
        let mut choices = Choices::new(seed);
        let options = Options::default();
        let mut stage =
            Stage::new(original.program(), &options, &[], &mut choices).expect("it is short");
        let nodes = stage.fresh.program.exprs.len();
        let points = stage.live_points();
        let point = choices.pick(&points);
        let Some(mut draft) = Draft::at(&mut stage, point, &mut choices) else { continue };
        found += u32::from(undone::undone(&mut draft, None).is_some());
        let mut new = draft.program.exprs.values().skip(nodes);
        assert!(new.all(|expr| !matches!(expr.kind, ExprKind::Guard { .. })));
    }
    assert!(found > 20, "{found}");
}

#[test]
fn blocks_that_never_run_can_be_marked() {
    let original = certified(FEW);
    let settings =
        Settings { with: vec![Strategy::Hermes], edits: (20, 20), ..Settings::default() };
    let mut lineage = Lineage::new(&original, &Options::default()).with_markers();
    let mutants = (0..4).filter_map(|seed| lineage.grow(seed, &[], &settings).ok());
    assert!(mutants.into_iter().any(|mutant| mutant.text.contains("    marker_1")));
}

#[test]
fn a_function_that_must_be_inlined_calls_nothing_new() {
    let original = certified(
        "int a = 3, b; __attribute__((always_inline)) static inline int f(int n) { b = n; return \
         n + a; } int main(void) { b = f(a); a = b; return a - 6; }",
    );
    let settings =
        Settings { with: vec![Strategy::Hermes], edits: (20, 20), ..Settings::default() };
    let mut found = 0;
    for seed in 0..40 {
        let mut lineage = Lineage::new(&original, &Options::default());
        let Ok(mutant) = lineage.grow(seed, &[], &settings) else { continue };
        found += 1;
        let (before, _) = mutant.text.split_once("int main(void)\n").expect("it is the last");
        assert!(before.matches(" f(").count() == 1 && !before.contains("main("), "{before}");
    }
    assert!(found > 30, "{found}");
}

#[test]
fn functions_that_name_setjmp_get_nothing() {
    let original = certified(
        "int __attribute__((returns_twice)) setjmp(void *); static int unused(void *b) { return setjmp(b); } \
         int main(void) { int x = 1; x += 2; if (x > 5) unused(&x); return x - 3; }",
    );
    let mut choices = Choices::new(1);
    let stage = Stage::new(original.program(), &Options::default(), &[], &mut choices)
        .expect("it is short");
    let twice: Vec<bool> =
        stage.scene.functions().map(|function| stage.returns_twice(function)).collect();
    assert_eq!(twice, [true, false]);
    assert!(mutant(&original, Strategy::Hermes, &[], 1).is_ok());
}

#[test]
fn comparisons_are_not_chained() {
    let original = certified(FEW);
    let is_comparison = |program: &Program, mut expr: ExprId| loop {
        match program[expr].kind {
            ExprKind::Convert(operand) => expr = operand,
            ExprKind::Binary(op, ..) => break op.is_comparison(),
            _ => break false,
        }
    };
    for seed in 0..30 {
        let Ok((_, mutant)) = mutant(&original, Strategy::Hermes, &[], seed) else { continue };
        let program = mutant.certified.program();
        for expr in program.exprs.values() {
            if let ExprKind::Binary(op, left, _) = expr.kind {
                assert!(!op.is_comparison() || !is_comparison(program, left), "{}", mutant.text);
            }
        }
    }
}
