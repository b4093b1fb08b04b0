//! What a run sees: values, counts and guards.

use farrier_front::Options as FrontOptions;
use farrier_lang::float::FloatValue;
use farrier_lang::target::{FloatFormat, X86_64_LINUX};
use farrier_lang::{Dialect, ExprId, ExprKind, ObjectId, Program, SourceText, StmtId};
use farrier_machine::{
    Chosen, Ending, Observed, Options, Profile, Run, Verdict, Watch, Watchpoint, certify, run,
};

fn parse(text: &str) -> Program {
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("test.c", text);
    farrier_front::parse(&[input], &options)
        .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message))
}

fn watched(program: &Program, watch: Watch) -> Run {
    run(program, &Options { profile: Some(watch), ..Options::default() })
}

fn profiled(program: &Program) -> Run {
    watched(program, Watch::everything())
}

#[track_caller]
fn exits_with(run: &Run, status: i32) {
    match &run.verdict {
        Verdict::Defined(behavior) => assert_eq!(behavior.ending, Ending::Exit(status)),
        other => panic!("{other:?}"),
    }
}

/// The text of an expression as the program had it.
fn excerpt(program: &Program, id: ExprId) -> &str {
    program.expr_span(id).and_then(|span| program.sources.excerpt(span)).unwrap_or("")
}

/// The expression that has a value and this text.
fn expression(program: &Program, text: &str) -> ExprId {
    let (exprs, _) = farrier_machine::counted(program);
    let found = exprs.into_iter().find(|id| excerpt(program, *id) == text);
    found.unwrap_or_else(|| panic!("there is no `{text}`"))
}

/// The statement that begins with this text.
fn statement(program: &Program, text: &str) -> StmtId {
    let begins = |id: &StmtId| {
        let span = program.stmt_span(*id).and_then(|span| program.sources.excerpt(span));
        span.is_some_and(|span| span.starts_with(text))
    };
    program.stmts.ids().find(begins).unwrap_or_else(|| panic!("there is no `{text}`"))
}

fn double(value: f64) -> Observed {
    Observed::Float(FloatValue { format: FloatFormat::Double, bits: value.to_bits().into() })
}

fn object(program: &Program, name: &str) -> ObjectId {
    let named = |id: &ObjectId| program[*id].name.is_some_and(|it| program.text(it) == name);
    program.objects.ids().find(named).unwrap_or_else(|| panic!("there is no `{name}`"))
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
    let seen = profile.expr(expression(&program, "i * 2"));
    assert_eq!(seen.count, 23);
    let values = seen.integers().expect("it had values");
    assert_eq!((values.low, values.high), (-6, 38));
    assert_eq!(values.few(), None, "more values than are kept");
    let condition = profile.expr(expression(&program, "i < 20"));
    assert_eq!(condition.integers().and_then(|values| values.few()), Some(&[1, 0][..]));
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
        .map(|id| profile.fired(id))
        .collect();
    assert_eq!(fired, [1, 1, 0, 1, 1, 1, 1, 1, 1]);
    use Observed::{Integer, Null};
    let max = i128::from(i32::MAX);
    let operands: Vec<Option<Vec<Box<[Observed]>>>> = program
        .exprs
        .ids()
        .filter(|id| matches!(program[*id].kind, ExprKind::Guard { .. }))
        .map(|id| profile.firings(id).map(|firings| firings.few.clone()))
        .collect();
    assert_eq!(
        operands,
        [
            Some(vec![[Integer(max), Integer(1)].into()]),
            Some(vec![[Integer(max), Integer(1)].into()]),
            None,
            Some(vec![[Integer(5), Integer(0)].into()]),
            Some(vec![[Integer(1), Integer(40)].into()]),
            Some(vec![[Integer(-max - 1)].into()]),
            Some(vec![[double(1e30)].into()]),
            Some(vec![[Integer(9)].into()]),
            Some(vec![[Null].into()]),
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
    assert_eq!((profile.fired(guard), firings.few.len(), firings.more), (100, 8, true));
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
fn floating_values_are_kept_as_bits() {
    let program = parse(
        "double zero; float f(float x) { return x * 2; } \
         int main(void) { double v[] = { 1.5, -0.0, 0.0, 1.0 / 3 }; long double w = 0; \
         for (int i = 0; i < 4; i++) w += v[i] / (zero + 1); \
         for (int i = 0; i < 3; i++) w -= 0 * (i / zero); \
         for (int i = 0; i < 99; i++) f(i); return 0; }",
    );
    let run = profiled(&program);
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let bits = |values: &[f64]| values.iter().map(|it| double(*it)).collect::<Vec<_>>();
    let few = |text| {
        let few = profile.expr(expression(&program, text)).floats().and_then(|it| it.few());
        few.map(|few| few.iter().copied().map(Observed::Float).collect::<Vec<_>>())
    };
    assert_eq!(few("v[i]"), Some(bits(&[1.5, -0.0, 0.0, 1.0 / 3.0])));
    // Negative zero is below the positive one, though they are equal.
    let quotient = profile.expr(expression(&program, "v[i] / (zero + 1)"));
    let range = quotient.floats().and_then(|floats| floats.range);
    assert_eq!(
        range.map(|(low, high)| [low, high].map(Observed::Float)),
        Some([double(-0.0), double(1.5)])
    );
    // The first is not a number, and has no place between the others.
    let mixed = profile.expr(expression(&program, "i / zero")).floats().expect("it had values");
    assert!(mixed.nan);
    assert_eq!(mixed.few().map(<[FloatValue]>::len), Some(2));
    let infinity = FloatValue::infinity(FloatFormat::Double);
    assert_eq!(mixed.range, Some((infinity, infinity)));
    // In their own formats, and no more than are kept.
    let product = profile.expr(expression(&program, "x * 2"));
    let floats = product.floats().expect("it had values");
    let single =
        |value: f32| FloatValue { format: FloatFormat::Single, bits: value.to_bits().into() };
    assert_eq!((product.count, floats.few(), floats.nan), (99, None, false));
    assert_eq!(floats.range, Some((single(0.0), single(196.0))));
    let sum = profile.expr(expression(&program, "w += v[i] / (zero + 1)"));
    let formats = sum.floats().and_then(|floats| floats.range).map(|(low, _)| low.format);
    assert_eq!(formats, Some(FloatFormat::X87));
}

const LOOP: &str = "int total; double half; \
    void f(int n) { for (int i = 0; i < n; i++) { int twice; long *p = 0; twice = 2 * i; \
    half = twice / 4.0; total += twice; } { int other = 77; total += other - 77; } } \
    int main(void) { f(3); f(2); return total - 8; }";

fn at(program: &Program, text: &str, names: &[&str], most: usize) -> Watch {
    let objects = names.iter().map(|name| object(program, name)).collect();
    let point = Watchpoint { objects, most, related: 1_000, ..Watchpoint::default() };
    let points = [(statement(program, text), point)].into();
    Watch { points, ..Watch::default() }
}

#[test]
fn objects_are_seen_together_where_a_statement_begins() {
    use Observed::{Address, Integer, Nothing, Null};
    let program = parse(LOOP);
    type Row<'a> = (&'a str, &'a [&'a str], &'a [&'a [Observed]]);
    let rows: [Row<'_>; 6] = [
        (
            "total +=",
            &["i", "twice", "half"],
            &[
                &[Integer(0), Integer(0), double(0.0)],
                &[Integer(1), Integer(2), double(0.5)],
                &[Integer(2), Integer(4), double(1.0)],
            ],
        ),
        // Before it is assigned; a pointer that is null.
        (
            "twice =",
            &["n", "p", "twice"],
            &[&[Integer(3), Null, Nothing], &[Integer(2), Null, Nothing]],
        ),
        // Parameters, statics, and locals of a block that is not open.
        (
            "for (",
            &["n", "total", "i", "twice"],
            &[
                &[Integer(3), Integer(0), Nothing, Nothing],
                &[Integer(2), Integer(6), Nothing, Nothing],
            ],
        ),
        // The register of a local whose block was left is that of another now.
        ("{ int other", &["twice", "i", "other"], &[&[Nothing, Nothing, Nothing]]),
        ("total += other", &["twice", "i", "other"], &[&[Nothing, Nothing, Integer(77)]]),
        // Locals of other functions.
        ("f(3)", &["n", "total"], &[&[Nothing, Integer(0)]]),
    ];
    for (text, names, expected) in rows {
        let run = watched(&program, at(&program, text, names, 8));
        exits_with(&run, 0);
        let profile = run.profile.expect("it was asked for");
        let visits = profile.visits(statement(&program, text)).expect("it began");
        let few: Vec<&[Observed]> = visits.few.iter().map(|it| &**it).collect();
        assert_eq!((few.as_slice(), visits.more), (expected, false), "{text}");
    }
    let program = parse(
        "struct s { int a; } s; int g; int *q = &g; int main(void) { unsigned char c; int x; \
         int *r = &x; *r = 5; __int128 wide = -1; return x - 5; }",
    );
    let run = watched(&program, at(&program, "return", &["s", "q", "c", "x", "wide"], 1));
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let visits = profile.visits(statement(&program, "return")).expect("it began");
    assert_eq!(*visits.few[0], [Nothing, Address, Nothing, Integer(5), Integer(-1)]);
}

#[test]
fn the_tuples_of_a_watchpoint_are_bounded() {
    let program = parse(
        "int main(void) { int a = 0; for (int i = 0; i < 1000; i++) { a = i % 7; a++; } return a; }",
    );
    for (most, kept, more) in [(0, 0, true), (3, 3, true), (7, 7, false), (99, 7, false)] {
        let run = watched(&program, at(&program, "a++", &["a"], most));
        exits_with(&run, 6);
        let profile = run.profile.expect("it was asked for");
        let visits = profile.visits(statement(&program, "a++")).expect("it began");
        assert_eq!((visits.count, visits.few.len(), visits.more), (1000, kept, more));
    }
}

/// A look at an object is no access: not for the order of evaluation, nor for `restrict`.
#[test]
fn to_look_at_an_object_is_no_access() {
    let program = parse(
        "int g; int f(int *restrict p) { *p = 1; g = g; return *p; } int h; \
         int k(void) { h; return 1; } int main(void) { int x = 3; f(&x); \
         return (h = 0) + k() - 1; }",
    );
    let without = run(&program, &Options::default());
    let mut watch = at(&program, "return *p", &["x", "g", "p"], 8);
    watch.points.extend(at(&program, "return 1", &["h"], 8).points);
    assert_eq!(watched(&program, watch).verdict, without.verdict.clone());
}

/// How many operations a request adds to a run, and what is known afterwards.
#[test]
fn what_is_not_watched_costs_nothing() {
    let program = parse(
        "int a[4] = { 1, 2, 3, 4 }; \
         int main(void) { int sum = 0; for (int i = 0; i < 8; i++) { \
         sum += a[__farrier_index_int_or(i, 4, 0)] + (long)-1; } if (sum == 6) sum = -6; \
         return sum + 6; }",
    );
    let steps = |profile: Option<Watch>| {
        let run = run(&program, &Options { profile, ..Options::default() });
        match run.verdict {
            Verdict::Defined(behavior) => (behavior.steps, run.profile),
            other => panic!("{other:?}"),
        }
    };
    let (plain, none) = steps(None);
    assert_eq!(none, None);
    let sum = expression(&program, "sum == 6");
    let branch = statement(&program, "if (");
    let guard = expression(&program, "__farrier_index_int_or(i, 4, 0)");
    let known =
        |profile: &Profile| [profile.expr(sum).count, profile.stmt(branch), profile.fired(guard)];
    let none = Watch::default;
    let points = at(&program, "sum +=", &["i", "sum"], 4).points;
    let rows: [(&str, Watch, u64, [u64; 3]); 7] = [
        ("nothing", none(), 0, [0, 0, 0]),
        (
            "an expression",
            Watch { expressions: [sum].into_iter().collect(), ..none() },
            1,
            [1, 0, 0],
        ),
        (
            "a statement",
            Watch { statements: [branch].into_iter().collect(), ..none() },
            1,
            [0, 1, 0],
        ),
        // What a guard does is noted where it fires, which needs no operation.
        ("a guard", Watch { guards: [guard].into_iter().collect(), ..none() }, 0, [0, 0, 4]),
        ("all guards", Watch { guards: Chosen::All, ..none() }, 0, [0, 0, 4]),
        ("objects", Watch { points, ..none() }, 8, [0, 0, 0]),
        ("other nodes", Watch { expressions: Chosen::from_iter([]), ..none() }, 0, [0, 0, 0]),
    ];
    for (name, watch, more, seen) in rows {
        let (taken, profile) = steps(Some(watch));
        let profile = profile.expect("it was asked for");
        assert_eq!((taken - plain, known(&profile)), (more, seen), "{name}");
    }
}

/// A condition is turned around where it is first met or never, and counts as negated then.
#[test]
fn conditions_are_turned_around() {
    let program = parse(
        "int n, v = 3; double d; \
         int main(void) { \
             for (int i = 0; i < 6; i++) { \
                 if (i < 2) n += 1; \
                 if (i < 2 && v) n += 10; else n += 100; \
                 if (i == 9) n += 1000; \
                 if (d) n += 10000; \
             } \
             if (v) return 1; \
             return n == 66242 ? 0 : 2; }",
    );
    let statement = |text| statement(&program, text);
    let ways = [
        // True at first, so it is turned around for true only.
        (statement("if (i < 2) "), false),
        (statement("if (i < 2 && v)"), true),
        (statement("if (i == 9)"), false),
        (statement("if (d)"), false),
        (statement("if (v)"), true),
    ];
    let turns = ways.into_iter().collect();
    let run = watched(&program, Watch { turns, ..Watch::everything() });
    // 2 * 1 + (2 * 100 + 4 * 10) + 6 * 1000 + 6 * 10000
    exits_with(&run, 0);
    let profile = run.profile.expect("it was asked for");
    let turned = ways.map(|(stmt, _)| profile.turned(stmt));
    assert_eq!(turned, [false, true, true, true, true]);
    assert_eq!(profile.stmt(statement("n += 1;")), 2);
    assert_eq!(profile.stmt(statement("n += 10;")), 4);
    assert_eq!(profile.stmt(statement("n += 100;")), 2);
    assert_eq!(profile.stmt(statement("n += 1000;")), 6);
    assert_eq!(profile.stmt(statement("n += 10000;")), 6);
    assert_eq!(profile.stmt(statement("return 1;")), 0);
    // What is not asked for is not turned around.
    exits_with(&profiled(&program), 1);
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

#[test]
fn parts_are_seen_and_relations_outlive_the_tuples() {
    let program = parse(
        "struct s { int a; unsigned char b[4]; } s; int n = 900; \
         int main(void) { for (int i = 0; i < 100; i++) { int even = 2 * i + 4; s.b[2] = even | 64; \
         s.a = even; } return 0; }",
    );
    let objects = ["i", "even", "n"].map(|name| object(&program, name)).to_vec();
    let (record, stmt) = (object(&program, "s"), statement(&program, "s.a = even"));
    let ty = farrier_lang::Types::int(farrier_lang::IntKind::UChar);
    let parts = vec![farrier_machine::Part { object: record, offset: 6, ty }];
    let seen = |related| {
        let point = Watchpoint { objects: objects.clone(), parts: parts.clone(), most: 4, related };
        let watch = Watch { points: [(stmt, point)].into(), ..Watch::default() };
        let run = watched(&program, watch);
        exits_with(&run, 0);
        run.profile.and_then(|profile| profile.visits(stmt).cloned()).expect("it was asked for")
    };
    let tuples = seen(100);
    assert_eq!(*tuples.few[1], [1, 6, 900, 70].map(Observed::Integer));
    assert!(tuples.more);
    let relations = tuples.relations.expect("it was asked for");
    assert_eq!(relations.bits[1].1 & 1, 0, "it is even");
    assert_eq!(relations.bits[3].0 & 64, 64, "the bit is always set");
    use std::cmp::Ordering::{Equal, Greater, Less};
    let orders =
        |left, right| [Less, Equal, Greater].map(|order| relations.occurred(left, right, order));
    assert_eq!(orders(0, 1), [Some(true), Some(false), Some(false)]);
    assert_eq!(orders(1, 3), [Some(true), Some(true), Some(false)]);
    assert_eq!(orders(1, 0), [None; 3], "pairs have an order");
    assert_eq!(seen(99).relations, None, "there were more visits");
}
