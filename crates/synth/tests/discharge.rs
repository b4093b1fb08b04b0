//! Discharge on whole programs, through the machine: random drafts of all integer
//! types with loops, calls, arrays and pointers, and programs for each special case.

#[path = "discharge_support/draft.rs"]
mod draft;

use draft::{Draft, Shape};
use farrier_front::Options as FrontOptions;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::{AVR, I386_LINUX, X86_64_LINUX};
use farrier_lang::{Dialect, ExprKind, Program, SourceText, Target, well_formed};
use farrier_machine::{Behavior, Options, Verdict, certify};
use farrier_synth::Choices;
use farrier_synth::discharge::{Discharge, Tally, discharge};

fn parse_for(target: &'static Target, text: &str) -> Program {
    let options = FrontOptions { target, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("draft.c", text);
    farrier_front::parse(&[input], &options)
        .unwrap_or_else(|failure| panic!("{}\n{text}", failure.diagnostic.message))
}

fn parse(text: &str) -> Program {
    parse_for(&X86_64_LINUX, text)
}

fn options() -> Options {
    Options { steps: 1_000_000, ..Options::default() }
}

fn text_of(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

/// The guards that are left in the text of a program.
fn guards_in(program: &Program) -> u64 {
    let again = parse_for(program.target, &text_of(program));
    let guards = again.exprs.iter().filter(|(_, expr)| matches!(expr.kind, ExprKind::Guard { .. }));
    guards.count() as u64
}

/// Discharges a program and checks what always holds afterwards.
#[track_caller]
fn discharged(mut program: Program, how: Discharge, seed: u64) -> (Program, Tally, Behavior) {
    let draft = text_of(&program);
    let mut choices = Choices::new(seed);
    let tally = discharge(&mut program, how, &options(), &mut choices)
        .unwrap_or_else(|verdict| panic!("seed {seed}: {verdict:?}\n{draft}"));
    let text = text_of(&program);
    let violations = well_formed::check(&program);
    assert!(violations.is_empty(), "seed {seed}: {}\n{draft}\n{text}", violations[0]);
    let again = parse_for(program.target, &text);
    assert!(
        again == program,
        "seed {seed}: it reads back differently\n{text}\n{}",
        text_of(&again)
    );
    assert!(guards_in(&program) <= tally.kept, "seed {seed}: {tally:?}\n{text}");
    let certified = certify(program, &options())
        .unwrap_or_else(|verdict| panic!("seed {seed}: {verdict:?}\n{draft}\n{text}"));
    let behavior = certified.behavior().clone();
    (certified.into_program(), tally, behavior)
}

fn behavior_of(program: &Program) -> Behavior {
    certify(program.clone(), &options()).expect("a draft is defined").behavior().clone()
}

/// What a compiled program would show, steps apart.
fn shown(behavior: &Behavior) -> (&[u8], farrier_machine::Ending, u64, u64) {
    let Behavior { output, ending, volatile_accesses, volatile_hash, .. } = behavior;
    (output, *ending, *volatile_accesses, *volatile_hash)
}

#[test]
fn random_drafts_are_discharged() {
    let mut total = Tally::default();
    let mut wrappers = 0;
    for (seed, target) in
        (0..90).map(|seed| (seed, [&X86_64_LINUX, &I386_LINUX, &AVR][seed as usize % 3]))
    {
        let shape = Shape { loops: true, wide: target.int128.is_some() };
        let draft = parse_for(target, &Draft::new(seed, shape, 12).text());
        let before = behavior_of(&draft);

        let (kept, tally, behavior) = discharged(draft.clone(), Discharge::Keep, seed);
        assert_eq!((tally.kept, tally.runs), (tally.guards, 0));
        assert!(kept == draft && behavior == before, "seed {seed}: keep changes nothing");

        let (_, tally, behavior) = discharged(draft.clone(), Discharge::Drop, seed);
        assert_eq!(shown(&behavior), shown(&before), "seed {seed}: drop changes no behaviour");
        assert_eq!(tally.dropped + tally.kept, tally.guards, "{tally:?}");
        assert_eq!(tally.runs, 1);

        let (program, tally, _) = discharged(draft.clone(), Discharge::Flip, seed);
        wrappers += guards_in(&program);
        total.guards += tally.guards;
        total.flipped += tally.flipped;
        total.inserted += tally.inserted;
        total.unsigned += tally.unsigned;
        total.replaced += tally.replaced;
        total.unreached += tally.unreached;
        total.dropped += tally.dropped;

        let (again, tally_again, _) = discharged(draft.clone(), Discharge::Flip, seed);
        assert_eq!((text_of(&again), tally_again), (text_of(&program), tally), "seed {seed}");

        let (_, tally, _) = discharged(draft, Discharge::Mixed, seed);
        assert!(tally.kept < tally.guards, "seed {seed}: {tally:?}");
    }
    assert!(wrappers * 100 < total.guards, "{wrappers} wrappers are left of {}", total.guards);
    for count in [total.flipped, total.inserted, total.unsigned, total.replaced, total.unreached] {
        assert!(count > 20, "{total:?}");
    }
    assert!(total.dropped * 2 > total.guards, "{total:?}");
}

#[test]
fn without_loops_no_wrapper_is_left() {
    for seed in 1000..1060 {
        let shape = Shape { loops: false, wide: true };
        let draft = parse(&Draft::new(seed, shape, 12).text());
        let before = behavior_of(&draft);
        let (program, tally, behavior) = discharged(draft, Discharge::Flip, seed);
        assert_eq!((tally.kept, guards_in(&program)), (0, 0), "seed {seed}: {tally:?}");
        // Nothing in these drafts is evaluated only sometimes.
        assert_eq!(behavior.volatile_accesses, before.volatile_accesses, "seed {seed}");
    }
}

#[test]
fn verdicts_of_the_draft_come_back() {
    let cases = [
        ("int z; int main(void) { return 1 / z; }", "Undefined"),
        ("int g; int f(void) { return g++; } int main(void) { return f() - f(); }", "Unspecified"),
        ("int main(void) { __asm__(\"nop\"); return 0; }", "Unsupported"),
        ("int main(void) { volatile int x = 1; while (x) ; return 0; }", "Exhausted"),
    ];
    for (main, expected) in cases {
        let guarded = format!("int h(int x) {{ return __farrier_add_int(x, 1); }} {main}");
        let mut program = parse(&guarded);
        let before = program.clone();
        let mut choices = Choices::new(1);
        let verdict = discharge(&mut program, Discharge::Flip, &options(), &mut choices)
            .expect_err("the draft has no one meaning");
        let name = format!("{verdict:?}");
        assert!(name.starts_with(expected), "{name}");
        assert!(program == before, "nothing was changed");
    }
    let mut program = parse("int main(void) { return __farrier_add_int(1, 2); }");
    let mut choices = Choices::new(1);
    let tally = discharge(&mut program, Discharge::Flip, &options(), &mut choices);
    assert_eq!(tally.map(|tally| tally.dropped), Ok(1));
}

/// Discharges `expression`, with these declarations, in a function that runs once or
/// is never called, and returns the text of the expression afterwards.
#[track_caller]
fn expression(declarations: &str, expression: &str, how: Discharge, seed: u64) -> String {
    let text =
        format!("{declarations}\nlong long r;\nint main(void) {{ r = {expression}; return 0; }}");
    let (program, ..) = discharged(parse(&text), how, seed);
    let text = text_of(&program);
    let (_, rest) = text.rsplit_once("r = ").expect("the assignment is there");
    rest.split_once(';').expect("it ends").0.to_owned()
}

/// All that becomes of an expression with many seeds.
#[track_caller]
fn all_of(declarations: &str, text: &str) -> std::collections::BTreeSet<String> {
    (0..60).map(|seed| expression(declarations, text, Discharge::Flip, seed)).collect()
}

#[test]
fn orange_and_yarpgen_flip() {
    let max = "int a = 2147483647, b = 5, z = 0, m = -2147483647 - 1, n = -1, s = 40;";
    for (guarded, flipped) in [
        ("__farrier_add_int(a, b)", "a - b"),
        ("__farrier_sub_int(m, b)", "m + b"),
        ("__farrier_mul_int(a, b)", "a / b"),
        ("__farrier_neg_int(m)", "+m"),
        ("__farrier_div_int(a, z)", "a * z"),
        ("__farrier_rem_int(a, z)", "a * z"),
        ("__farrier_div_int(m, n)", "m - n"),
        ("__farrier_div_int(a, a < b)", "a / (a >= b)"),
        ("__farrier_rem_long(a + 0L, a == b)", "(a + 0L) % (a != b)"),
        ("__farrier_shr_int_int(a, s)", "a >> (s & 31)"),
        ("__farrier_shl_int_int(n, b)", "n >> b"),
    ] {
        let all = all_of(max, guarded);
        assert!(all.contains(flipped), "{guarded} becomes {all:?}");
    }
    let shifts = all_of(max, "__farrier_shl_int_int(b, s)");
    assert!(shifts.iter().any(|text| text.starts_with("b << s - ")), "{shifts:?}");
    let left = all_of(max, "__farrier_shl_int_int(n, b)");
    assert!(left.iter().any(|text| text.starts_with("n + ") && text.ends_with("<< b")), "{left:?}");
    let divisors = all_of(max, "__farrier_div_int(a, z)");
    assert!(divisors.iter().any(|text| text.starts_with("a / (z + ")), "{divisors:?}");
}

#[test]
fn the_last_run_decides() {
    // Every guard always fires: dropping alone keeps it.
    let text = "int a = 2147483647; int main(void) { return __farrier_add_int(a, 1) != a; }";
    let (program, tally, _) = discharged(parse(text), Discharge::Drop, 1);
    assert_eq!((tally.kept, guards_in(&program)), (1, 1));
    // What is not reached stays as wild as it is.
    let text = "int z; int main(void) { if (z) return __farrier_div_int(1, z - z); return 0; }";
    let (program, tally, _) = discharged(parse(text), Discharge::Flip, 1);
    assert_eq!((tally.unreached, tally.dropped), (1, 1));
    assert!(text_of(&program).contains("1 / (z - z)"), "{}", text_of(&program));
}

#[test]
fn operands_keep_their_effects() {
    let declarations =
        "int n; volatile int v = 1; int f(int x) { n++; return x; } int max = 2147483647; int *p;";
    for (guarded, effect) in [
        ("__farrier_add_int(max, f(1))", "f(1)"),
        ("__farrier_add_int_or(f(max), v, 3)", "f(max)"),
        ("__farrier_cast_double_int(f(1) * 1e30)", "f(1)"),
        ("__farrier_cast_double_int_or(v * 1e30, 7)", "v"),
        ("*(int *)__farrier_pointer_or((f(1), p), &max)", "f(1)"),
        ("__farrier_index_int_or(f(max), 4, 2)", "f(max)"),
    ] {
        for text in all_of(declarations, guarded) {
            assert_eq!(text.matches(effect).count(), 1, "{guarded} becomes {text}");
        }
    }
}

#[test]
fn an_index_comes_into_its_bounds() {
    let values = [
        ("int", "100"),
        ("int", "-7"),
        ("unsigned", "4000000000u"),
        ("signed char", "-100"),
        ("unsigned char", "200"),
        ("short", "-30000"),
        ("long long", "-9223372036854775807ll - 1"),
        ("unsigned long long", "18446744073709551615ull"),
        ("_Bool", "1"),
    ];
    for (ty, value) in values {
        for bound in [1, 7, 8, 300] {
            let declarations = format!("{ty} i = {value}; long long a[{bound}];");
            let index = format!("a[__farrier_index_int_or(i, {bound}, 0)]");
            for text in all_of(&declarations, &index) {
                assert!(!text.contains("__farrier"), "{text}");
            }
        }
    }
    // In a loop all values are looked at.
    let text = "int a[8]; int main(void) { for (int i = -4; i < 4; i++) \
                a[__farrier_index_int_or(i, 8, 0)] = i; return a[7] != 3; }";
    let shifted = (0..60).any(|seed| {
        let (program, ..) = discharged(parse(text), Discharge::Flip, seed);
        text_of(&program).contains("a[i + 4]")
    });
    assert!(shifted, "the one constant that is good for all indices is found");
}

#[test]
fn constants_are_good_for_all_executions() {
    let text = "int r, d[3] = {0, 1, -1}; int quotient(int a, int b) { return __farrier_div_int(a, b); }\n\
                int main(void) { for (int i = 0; i < 3; i++) r += quotient(5, d[i]) & 15; return 0; }";
    let mut inserted = 0;
    for seed in 0..60 {
        let (program, tally, _) = discharged(parse(text), Discharge::Flip, seed);
        assert_eq!((tally.kept, guards_in(&program)), (0, 0), "{}", text_of(&program));
        inserted += u64::from(text_of(&program).contains("/ (b + "));
    }
    assert!(inserted > 5, "b + K was chosen {inserted} times");
}

#[test]
fn what_is_moved_keeps_its_type() {
    // A bit-field and a conversion mean something else without the guard around them.
    let declarations = "struct s { unsigned f : 3; } s = {5}; int z; signed char c = -3;\n\
                        double d = 2.75; unsigned u = 4000000000u; int a[9]; void *q; int x, *there;";
    for text in [
        "__farrier_index_uint_or(s.f, 8, 0) - 7 < 0",
        "__farrier_index_uint_or(s.f, 2, s.f - 5) - 7 < 0",
        "__farrier_convert_double_int(d) + 0.5 > 3",
        "__farrier_div_long(u, z) * 2",
        "__farrier_shl_int_int(c, z - 1) + 1L",
        "__farrier_add_int_or(c, 2147483647, u) + 0.5 > 0",
        "a[__farrier_index_schar_or(c, 9, 'x' > 3)]",
        "(int *)__farrier_pointer_or((int *)0, &a[1]) == &a[1]",
        "(void *)__farrier_pointer_or((void *)0, &x) == (int *)q",
        "z && (void *)__farrier_pointer_or((void *)0, &x) == there",
    ] {
        for how in [Discharge::Drop, Discharge::Flip, Discharge::Mixed] {
            for seed in 0..10 {
                expression(declarations, text, how, seed);
            }
        }
    }
}

#[test]
fn rewrites_that_break_the_program_are_taken_back() {
    // Any flip changes x, and then the array has no value at that place.
    let text = "int max = 2147483647; int main(void) { int a[2]; a[0] = 1; \
                int x = __farrier_add_int(max, 1); \
                return x == max ? 0 : a[1] > x; }";
    let mut undone = 0;
    for seed in 0..20 {
        let (program, tally, behavior) = discharged(parse(text), Discharge::Flip, seed);
        assert_eq!((tally.kept, guards_in(&program)), (0, 0));
        assert_eq!(behavior.ending, farrier_machine::Ending::Exit(0));
        undone += u64::from(tally.undone);
    }
    // `max | 1` is the one rewrite that leaves the value as it was.
    assert!(undone > 10, "taken back {undone} times");
}

#[test]
fn an_unsuccessful_run_is_no_success() {
    let mut program = parse("int z; int main(void) { return __farrier_div_int(1, z) / z; }");
    let mut choices = Choices::new(1);
    for how in [Discharge::Drop, Discharge::Flip, Discharge::Mixed] {
        let verdict = discharge(&mut program, how, &options(), &mut choices);
        assert!(matches!(verdict.as_ref().map_err(|v| &**v), Err(Verdict::Undefined(_))));
    }
}
