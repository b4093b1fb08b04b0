//! What a run sees: values, counts and guards.

use farrier_front::{Input, Options as FrontOptions};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, ExprKind, Program};
use farrier_machine::{Ending, Options, Run, Verdict, certify, run};

fn parse(text: &str) -> Program {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = Input { name: "test.c".into(), text: text.into() };
    farrier_front::parse(&[input], &options)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message))
}

fn profiled(program: &Program) -> Run {
    run(program, &Options { profile: true, ..Options::default() })
}

#[track_caller]
fn exits_with(run: &Run, status: i32) {
    match &run.verdict {
        Verdict::Defined(behavior) => assert_eq!(behavior.ending, Ending::Exit(status)),
        other => panic!("{other:?}"),
    }
}

/// The text of an expression as the program had it.
fn excerpt(program: &Program, id: farrier_lang::ExprId) -> &str {
    program.expr_span(id).and_then(|span| program.sources.excerpt(span)).unwrap_or("")
}

#[test]
fn values_are_counted_and_bounded() {
    let program = parse(
        "int main(void) { int sum = 0; for (int i = -3; i < 20; i++) sum = sum + i * 2; \
         return sum == 368 ? 0 : sum; }",
    );
    let run = profiled(&program);
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let product = program
        .exprs
        .ids()
        .find(|id| {
            matches!(program[*id].kind, ExprKind::Binary(..)) && excerpt(&program, *id) == "i * 2"
        })
        .expect("the product is there");
    let seen = profile.expr(product);
    assert_eq!(seen.count, 23);
    let values = seen.values.as_ref().expect("it had values");
    assert_eq!((values.low, values.high), (-6, 38));
    assert_eq!(values.few, None, "more values than are kept");
    let condition = program
        .exprs
        .ids()
        .find(|id| excerpt(&program, *id) == "i < 20")
        .expect("the condition is there");
    assert_eq!(
        profile.expr(condition).values.as_ref().and_then(|values| values.few.clone()),
        Some(vec![1, 0])
    );
}

#[test]
fn what_never_runs_is_known() {
    let program =
        parse("int f(int x) { if (x) return 1; return 2; } int main(void) { return f(1) - 1; }");
    let run = profiled(&program);
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let counts: Vec<u64> = program
        .stmts
        .ids()
        .filter(|id| matches!(program[*id], farrier_lang::Stmt::Return(_)))
        .map(|id| profile.stmt(id))
        .collect();
    assert_eq!(counts, [1, 0, 1]);
}

#[test]
fn guards_that_fire_have_their_fallback() {
    let program = parse(
        "int a[4] = {1, 2, 3, 4}; int z; \
         int main(void) { int max = 2147483647; int *p = 0; int ok = 1; \
         ok = ok && __farrier_add_int(max, 1) == max; \
         ok = ok && __farrier_add_int_or(max, 1, 7) == 7; \
         ok = ok && __farrier_add_int_or(2, 1, 7) == 3; \
         ok = ok && __farrier_div_int(5, z) == 5; \
         ok = ok && __farrier_shl_int_int_or(1, 40, 9) == 9; \
         ok = ok && __farrier_neg_int(-max - 1) == -max - 1; \
         ok = ok && __farrier_cast_double_int(1e30) == 0; \
         ok = ok && a[__farrier_index_int_or(9, 4, 2)] == 3; \
         ok = ok && *(int *)__farrier_pointer_or(p, &a[1]) == 2; \
         return !ok; }",
    );
    let run = profiled(&program);
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let fired: Vec<u64> = program
        .exprs
        .ids()
        .filter(|id| matches!(program[*id].kind, ExprKind::Guard { .. }))
        .map(|id| profile.expr(id).fired)
        .collect();
    assert_eq!(fired, [1, 1, 0, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_profile_does_not_change_what_a_program_does() {
    let program = parse(
        "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int main(void) { return f(10); }",
    );
    let (with, without) = (profiled(&program), run(&program, &Options::default()));
    exits_with(&with, 55);
    exits_with(&without, 55);
    assert_eq!(without.profile, None);
}

#[test]
fn only_defined_programs_are_certified() {
    let good = parse("int main(void) { return 3; }");
    let certified = certify(good, &Options::default()).expect("it is defined");
    assert_eq!(certified.behavior().ending, Ending::Exit(3));
    let bad = parse("int z; int main(void) { return 1 / z; }");
    let verdict = certify(bad, &Options::default()).expect_err("it is undefined");
    assert!(matches!(*verdict, Verdict::Undefined(_)), "{verdict:?}");
    let endless = parse("int main(void) { volatile int x = 1; while (x) ; return 0; }");
    let limits = Options { steps: 10_000, ..Options::default() };
    let verdict = certify(endless, &limits).expect_err("it does not end");
    assert!(matches!(*verdict, Verdict::Exhausted(_)), "{verdict:?}");
}
