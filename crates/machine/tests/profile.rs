//! What a run sees: values, counts and guards.

use farrier_front::Options as FrontOptions;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, ExprKind, Program, SourceText};
use farrier_machine::{Ending, Operand, Options, Run, Verdict, certify, run};

fn parse(text: &str) -> Program {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("test.c", text);
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
    assert_eq!(values.few(), None, "more values than are kept");
    let condition = program
        .exprs
        .ids()
        .find(|id| excerpt(&program, *id) == "i < 20")
        .expect("the condition is there");
    assert_eq!(
        profile
            .expr(condition)
            .values
            .as_ref()
            .and_then(|values| values.few().map(<[i128]>::to_vec)),
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
fn a_block_that_is_entered_in_its_middle_ran() {
    let program = parse(
        "int main(void) { int x = 1; switch (x) { x = 2; case 1: x = 0; } \
         if (x) { x = 3; } return x; }",
    );
    let run = profiled(&program);
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let blocks: Vec<(u64, bool)> = program
        .stmts
        .ids()
        .filter(|id| matches!(program[*id], farrier_lang::Stmt::Block(_)))
        .map(|id| (profile.stmt(id), profile.ran(&program, id)))
        .collect();
    assert_eq!(blocks, [(0, true), (0, false), (1, true)]);
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
    use Operand::{Double, Integer, Null};
    let max = i128::from(i32::MAX);
    let operands: Vec<Option<Vec<Vec<Operand>>>> = program
        .exprs
        .ids()
        .filter(|id| matches!(program[*id].kind, ExprKind::Guard { .. }))
        .map(|id| profile.firings(id).map(|firings| firings.few.clone()))
        .collect();
    assert_eq!(
        operands,
        [
            Some(vec![vec![Integer(max), Integer(1)]]),
            Some(vec![vec![Integer(max), Integer(1)]]),
            None,
            Some(vec![vec![Integer(5), Integer(0)]]),
            Some(vec![vec![Integer(1), Integer(40)]]),
            Some(vec![vec![Integer(-max - 1)]]),
            Some(vec![vec![Double(1e30_f64.to_bits())]]),
            Some(vec![vec![Integer(9)]]),
            Some(vec![vec![Null]]),
        ]
    );
}

#[test]
fn the_operands_of_a_guard_are_bounded() {
    let program = parse(
        "int main(void) { int sum = 0; for (int i = 0; i < 100; i++) \
         sum += __farrier_div_int_or(i % 20, 0, 1); return sum; }",
    );
    let run = profiled(&program);
    exits_with(&run, 100);
    let profile = run.profile.expect("it was asked for");
    let guard = program
        .exprs
        .ids()
        .find(|id| matches!(program[*id].kind, ExprKind::Guard { .. }))
        .expect("there is a guard");
    let firings = profile.firings(guard).expect("it fired");
    assert_eq!((profile.expr(guard).fired, firings.few.len(), firings.more), (100, 8, true));
}

/// Every value below one that was evaluated for certain was evaluated as often.
#[test]
fn no_evaluation_is_forgotten() {
    let program = parse(
        "int f(int x) { return x; } struct s { int a, b; } t; \
         int main(void) { int a[3] = { f(1), 2, 3 }; volatile int v = 4; int *p = a; \
         f(v), (void)f(v + 1); v ? f(1) : f(2); for (int i = 0; i < 3; i++) { a[i] += p[2 - i]; v; } \
         t = (struct s){ v, -v }; struct s u = t; do v--; while (v > 0 && u.a); \
         switch (u.b + 1) { default: f(__farrier_add_int(u.b, 1)); } return !p[0]; }",
    );
    let run = profiled(&program);
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let (exprs, stmts) = farrier_machine::counted(&program);
    for id in &exprs {
        let node = &program[*id];
        let sometimes = matches!(node.kind, ExprKind::Logical(..) | ExprKind::Conditional { .. });
        let (count, text) = (profile.expr(*id).count, excerpt(&program, *id));
        node.kind.for_each_operand(|operand| {
            if !sometimes && exprs.binary_search(&operand).is_ok() {
                let part = excerpt(&program, operand);
                assert_eq!(profile.expr(operand).count, count, "`{part}` of `{text}`");
            }
        });
    }
    let never: Vec<&str> = exprs
        .iter()
        .filter(|id| profile.expr(**id).count == 0)
        .map(|id| excerpt(&program, *id))
        .collect();
    assert_eq!(never, ["2", "f(2)"]);
    assert!(stmts.iter().all(|id| profile.ran(&program, *id)));
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
