//! Each fact is drawn where it is true, and refused where it is false.

use farrier_lang::SourceText;
use farrier_lang::target::X86_64_LINUX;
use farrier_machine::{Options, UbKind, Verdict, run};

use super::ROWS;
use crate::Choices;
use crate::mutate::stage::Stage;
use crate::mutate::tests::certified;
use crate::mutate::{Mutation, Settings, proof};

/// How often a row draws before a test gives up.
const DRAWS: u64 = 60;

/// A row of the table of facts with a proof of it.
struct Case {
    row: &'static str,
    /// A program of which the row tells something true.
    program: &'static str,
    /// What the mutant says.
    told: &'static str,
    /// A program that tells the same where it is false, and which rule that breaks; nothing
    /// if the fact cannot be false.
    broken: Option<(&'static str, UbKind)>,
}

const fn case(row: &'static str, program: &'static str, told: &'static str) -> Case {
    Case { row, program, told, broken: None }
}

impl Case {
    const fn not(self, program: &'static str, kind: UbKind) -> Self {
        Self { broken: Some((program, kind)), ..self }
    }
}

/// A function that is called, without effects.
const CALLED: &str = "static int f(int n) { return n * 2; } int main(void) { return f(3) - 6; }";

#[rustfmt::skip]
const CASES: &[Case] = &[
    case("unreachable", "int x = 1; int main(void) { if (x > 5) { x = 7; } return 0; }",
         "{\n        __builtin_unreachable();")
        .not("int x = 9; int main(void) { if (x > 5) { __builtin_unreachable(); } return 0; }", UbKind::Unreachable),
    case("unreachable-branch", "int x = 1; int main(void) { if (x > 5) x = 7; return 0; }",
         "if (x > 5)\n        __builtin_unreachable();")
        .not("int x = 9; int main(void) { if (x > 5) __builtin_unreachable(); return 0; }", UbKind::Unreachable),
    case("unreachable-default", "int x = 1; int main(void) { switch (x) { case 1: x = 2; } return 0; }",
         "default:")
        .not("int x = 3; int main(void) { switch (x) { case 1: break; default: __builtin_unreachable(); } return 0; }", UbKind::Unreachable),
    case("unreachable-unless", "int x = 1; int main(void) { x++; return 0; }",
         "if (!(x ")
        .not("int x = 1; int main(void) { if (!(x == 2)) __builtin_unreachable(); return 0; }", UbKind::Unreachable),
    case("assume", "int x = 1; int main(void) { x++; return 0; }",
         "assume(x ")
        .not("static inline void assume(_Bool p) { if (!p) __builtin_unreachable(); } int x; int main(void) { assume(x == 2); return 0; }", UbKind::Unreachable),
    case("value-range", "int x = 1; int main(void) { int y = x + 4; return y - 5; }",
         "if (value")
        .not("int x = 1; int main(void) { return ({ int v = x + 4; if (v < 6 || v > 7) __builtin_unreachable(); v; }); }", UbKind::Unreachable),
    case("expect", "int x = 1; int main(void) { if (x) x = 2; return 0; }", "__builtin_expect"),
    case("assume-aligned-pointer", "int x; int *p = &x; int main(void) { return *p; }",
         "__builtin_assume_aligned((void *)p, 4)")
        .not("_Alignas(8) char s[8]; int main(void) { return *(char *)__builtin_assume_aligned(s + 1, 2); }", UbKind::BrokenPromise),
    case("const-object", "int a[2] = {1, 2}; int main(void) { int i = 1; return a[i] - 2; }",
         "const int a[2]")
        .not("const int x = 1; int main(void) { *(int *)&x = 2; return x; }", UbKind::WriteToConst),
    case("restrict", "static void f(int *p, int *q) { *p = *q; } int main(void) { int x, y = 0; f(&x, &y); return x; }",
         "int *restrict")
        .not("static void f(int *restrict p, int *q) { *p = 1; *q = 2; } int main(void) { int x; f(&x, &x); return x; }", UbKind::Restrict),
    case("narrower", "int main(void) { int x = 5; x = x + 1; return x - 6; }", "char x"),
    case("aligned", "int x = 1; int main(void) { return x - 1; }", "aligned("),
    case("static-elements", "static int f(int *p) { return p[0]; } int main(void) { int x = 0; return f(&x); }",
         "p[static 1]")
        .not("static int f(int p[static 2]) { return p[0]; } int main(void) { int x = 0; return f(&x); }", UbKind::BrokenPromise),
    case("noreturn", "void exit(int); static void f(void) { exit(0); } int main(void) { f(); return 0; }", "noreturn")
        .not("__attribute__((noreturn)) static void f(void) {} int main(void) { f(); return 0; }", UbKind::NoreturnReturns),
    case("nonnull", "static int f(int *p) { return *p; } int main(void) { int x = 0; return f(&x); }",
         "nonnull(1)")
        .not("__attribute__((nonnull(1))) static int f(int *p) { return p == 0; } int main(void) { return f(0); }", UbKind::BrokenPromise),
    case("returns-nonnull", "int x; static int *f(void) { return &x; } int main(void) { return *f(); }",
         "returns_nonnull")
        .not("__attribute__((returns_nonnull)) static int *f(void) { return 0; } int main(void) { return f() != 0; }", UbKind::BrokenPromise),
    case("assume-aligned-result", "int x; static int *f(void) { return &x; } int main(void) { return *f(); }",
         "assume_aligned(4)")
        .not("_Alignas(8) char s[8]; __attribute__((assume_aligned(2))) static char *f(void) { return s + 1; } int main(void) { return *f(); }", UbKind::BrokenPromise),
    case("pure", CALLED, "pure")
        .not("int x; __attribute__((pure)) static int f(void) { return ++x; } int main(void) { return f() - 1; }", UbKind::BrokenPromise),
    case("const-function", CALLED, "const")
        .not("int x; __attribute__((const)) static int f(void) { return x; } int main(void) { return f(); }", UbKind::BrokenPromise),
    case("malloc", "void *malloc(unsigned long); static void *f(void) { return malloc(4); } int main(void) { return !f(); }",
         "malloc")
        .not("int x; __attribute__((malloc)) static int *f(void) { return &x; } int main(void) { return *f(); }", UbKind::BrokenPromise),
    case("alloc-size", "void *malloc(unsigned long); static void *f(int n) { return malloc(n); } int main(void) { return !f(4); }",
         "alloc_size(1)")
        .not("void *malloc(unsigned long); __attribute__((alloc_size(1))) static void *f(int n) { return malloc(n - 1); } int main(void) { return !f(4); }", UbKind::BrokenPromise),
    case("hot", CALLED, "hot"),
    case("cold", CALLED, "cold"),
    case("flatten", CALLED, "flatten"),
    case("noipa", CALLED, "noipa"),
    case("noinline", CALLED, "noinline"),
    case("noclone", CALLED, "noclone"),
    case("leaf", CALLED, "leaf"),
    case("optimize", CALLED, "optimize(\""),
    case("always-inline", CALLED, "always_inline"),
];

/// The text of a mutant that a row makes of a program, if it can be proved.
fn mutant(program: &str, row: &str, seed: u64) -> Option<String> {
    let row = ROWS.iter().find(|one| one.name == row).expect("there is such a row");
    let original = certified(program);
    let options = Options::default();
    let mut choices = Choices::new(seed);
    let mut stage = Stage::new(original.program(), &options, &[], &mut choices).expect("it runs");
    stage.draw(row, &mut choices);
    let drawn: Vec<Mutation> = stage.into_drawn();
    let settings = Settings::default();
    let proved =
        proof::prove(original.program(), original.behavior(), &drawn, &settings, &options)?;
    Some(proved.mutant.text)
}

#[test]
fn every_fact_has_a_case() {
    for row in ROWS {
        assert!(CASES.iter().any(|case| case.row == row.name), "{}", row.name);
    }
}

#[test]
fn a_true_fact_is_told() {
    for case in CASES {
        let texts = (0..DRAWS).filter_map(|seed| mutant(case.program, case.row, seed));
        let mut last = String::new();
        let found =
            texts.inspect(|text| last.clone_from(text)).any(|text| text.contains(case.told));
        assert!(found, "{}: {last}", case.row);
    }
}

#[test]
fn a_function_that_another_file_could_replace_is_not_always_inline() {
    let program = CALLED.trim_start_matches("static ");
    assert!((0..DRAWS).all(|seed| mutant(program, "always-inline", seed).is_none()));
}

/// gcc with -frounding-math refuses a probability that it would have to compute.
#[test]
fn a_probability_is_a_literal() {
    let program = "int x = 1; int main(void) { if (x) x = 2; return 0; }";
    let told: Vec<String> = (0..DRAWS)
        .filter_map(|seed| mutant(program, "expect", seed))
        .filter(|text| text.contains("_with_probability"))
        .collect();
    assert!(told.len() > 10, "{}", told.len());
    assert!(told.iter().all(|text| !text.contains('/')), "{told:?}");
}

#[test]
fn a_false_fact_is_refused() {
    for case in CASES {
        let Some((text, kind)) = case.broken else { continue };
        let options = farrier_front::Options {
            target: &X86_64_LINUX,
            dialect: farrier_lang::Dialect::C17,
            permissive: false,
        };
        let program = farrier_front::parse(&[SourceText::new("a.c", text)], &options)
            .unwrap_or_else(|failure| panic!("{}: {}", case.row, failure.diagnostic.message));
        match run(&program, &Options::default()).verdict {
            Verdict::Undefined(fault) => assert_eq!(fault.kind, kind, "{}", case.row),
            other => panic!("{}: {other:?}", case.row),
        }
    }
}
