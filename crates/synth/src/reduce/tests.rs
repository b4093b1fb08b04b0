//! Each pass with a program before and after, and whole reductions.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};

use farrier_lang::edit::apply;
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{BinaryOp, Dialect, ExprKind, Program, SourceText, well_formed};
use farrier_machine::{Options as Machine, Watch, certify, run};

use super::returns::forgets_a_result;
use super::*;
use crate::scene::Scene;
use crate::{Config, generate};

fn parse(text: &str) -> Program {
    try_parse(text).unwrap_or_else(|message| panic!("{message}: {text}"))
}

fn try_parse(text: &str) -> Result<Program, String> {
    let input = SourceText::new("test.c", text);
    let options =
        farrier_front::Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    farrier_front::parse(&[input], &options).map_err(|failure| failure.diagnostic.message)
}

fn text(program: &Program) -> String {
    print(program, &PrintOptions::default())
}

fn read(text: &str) -> Option<Program> {
    try_parse(text).ok()
}

fn reread(program: &Program) -> Option<Program> {
    read(&text(program))
}

/// A judge that never fails.
fn judge(
    is_interesting: impl Fn(&Candidate) -> bool + Sync,
) -> impl Fn(&Candidate) -> Result<Interest<()>, Infallible> + Sync {
    move |candidate| Ok(is_interesting(candidate).into())
}

/// The program of a candidate that is one.
fn program(candidate: &Candidate) -> &Program {
    candidate.program().expect("it is a program")
}

fn go_on(_: Step<'_>) -> Result<bool, Infallible> {
    Ok(true)
}

/// The pass, a program, and what one of its edits makes of it.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "guards",
        "int x = 1; \
         int main(void) { return __farrier_add_int(x, 2); }",
        "int x = 1; int main(void) { return x + 2; }",
    ),
    (
        "guards",
        "int x = 1; \
         int main(void) { return __farrier_div_int(x, 0); }",
        "int x = 1; int main(void) { return x; }",
    ),
    (
        "operations",
        "int x = 1; long f(int a) { if (a) { a = a + 1; } x += a; return a; } \
         int main(void) { f(0); x = 0L << x; x = ~x; return f(0); }",
        "int main(void) { if (~0 != -1) return 1; if (0L << 1 != 0L) return 1; return 0; }",
    ),
    (
        "operations",
        "int printf(const char *, ...); int x; void f(void) { x = 1; x++; x--; } \
         int main(void) { f(); f(); printf(\"%d %d\", x < 5, x + 1); }",
        "int main(void) { if (1 + 1 != 2) return 1; if ((1 < 5) != 1) return 1; return 0; }",
    ),
    (
        "operations",
        "int x = 7; long f(int a) { if (a) { a = a + 1; } x += a; return a; } \
         int main(void) { f(0); f(0); f(0); f(0); f(0); return x % 2; }",
        "int operand1 = 2; int operand0 = 7; int main(void) \
         { if (operand0 % operand1 != 1) return 1; return 0; }",
    ),
    (
        "conditions",
        "int x, y; int main(void) { if (y < 3) { x = 1; } return x; }",
        "int x, y; int main(void) { x = y < 3; return x; }",
    ),
    (
        "conditions",
        "int x; int main(void) { for (int i = 0; i < 0; i++) x += 2; return x; }",
        "int x; int main(void) { { int i = 0; x = i < 0; } return x; }",
    ),
    (
        "conditions",
        "int x, y; int main(void) { switch (y << 1) case 0: x = 2; return x; }",
        "int x, y; int main(void) { x = y << 1; return x; }",
    ),
    (
        "conditions",
        "int x; int main(void) { if (x << 1) return 3; return 4; }",
        "int x; int main(void) { return x << 1; return 4; }",
    ),
    (
        "conditions",
        "int x; int main(void) { while (x << 1) { x = 2; x = 1; } }",
        "int x; int main(void) { x << 1; }",
    ),
    (
        "prints",
        "int printf(const char *, ...); int x; \
         int main(void) { x = 1; printf(\"%d\", 5); printf(\"%d %ld\", x, 2L + x); return 0; }",
        "int printf(const char *, ...); int x; \
         int main(void) { x = 1; printf(\"%d\", 5); return 2L + x != 3L; }",
    ),
    (
        "alarms",
        "int x; int main(void) { switch (x) { case 0: break; case 1: x = 2; } return 0; }",
        "int x; int main(void) { switch (x) { case 0: break; case 1: return 1; } return 0; }",
    ),
    (
        "typed-zero",
        "struct s { unsigned char a; } *p; int main(void) { return 1 ? 2 : p->a; }",
        "struct s { unsigned char a; } *p; int main(void) { return 1 ? 2 : (unsigned char)0; }",
    ),
    (
        "declarations",
        "int x; int main(void) { int y = x << 1; return 0; }",
        "int x; int main(void) { x << 1; return 0; }",
    ),
    (
        "jumps",
        "int x; int main(void) { goto l; x = 1; l: x = 2; return x; }",
        "int x; int main(void) { x = 2; x = 1; return x; }",
    ),
    (
        "parts",
        "union u { short a[2]; int b; } x; int main(void) { x.b = 2; return x.a[0]; }",
        "union u { short a[2]; int b; } x; int main(void) { x.b = 2; return x.b; }",
    ),
    (
        "literals",
        "int a = 1; int main(void) { return (int[2]){ 1, a << 1 }[1]; }",
        "int a = 1; int main(void) { return a << 1; }",
    ),
    (
        "structs",
        "union u { short a; int b; } x = { 1 }; int main(void) { return x.a; }",
        "struct u { short a; int b; } x = { 1 }; int main(void) { return x.a; }",
    ),
    (
        "members",
        "struct s { long a; } x; int main(void) { x.a = 2; return x.a > 1; }",
        "struct s { int a; } x; int main(void) { x.a = 2; return x.a > 1; }",
    ),
    (
        "enumerators",
        "enum e { A, B = 3, C } x; int main(void) { x = B; return x; }",
        "enum e { B = 3 } x; int main(void) { x = B; return x; }",
    ),
    (
        "lengths",
        "int x[8] = { 1, 2 }; int main(void) { return x[1]; }",
        "int x[4] = { 1, 2 }; int main(void) { return x[1]; }",
    ),
    (
        "types",
        "int printf(const char *, ...); unsigned long long x; \
         int main(void) { x = 2; printf(\"%llx\", x); }",
        "int printf(const char *, ...); int x; int main(void) { x = 2; printf(\"%d\", x); }",
    ),
    (
        "dead",
        "int main(void) { if (0) main(); return 0; }",
        "int main(void) { if (0) ; return 0; }",
    ),
    (
        "dead",
        "int f(int x) { return x; } int g(void) { return 1; } \
         int main(void) { return g() ? 2 : f(1); }",
        "int g(void) { return 1; } int main(void) { return g() ? 2 : 0; }",
    ),
    (
        "functions",
        "int f(int x) { return x; } int main(void) { f(2); return f(1); }",
        "int main(void) { return 0; }",
    ),
    (
        "unused",
        "typedef int t __attribute__((aligned(16))); struct s { int a; }; struct u { int a; } z; \
         enum e { A, B }; int x; int y = 1; int *p = &x; void h(void) {} \
         void g(void) { h(); y = 2; } void f(struct s *s) { *p = B; s->a = 1; } \
         int main(void) { int l = y; struct s s; int m; f(&s); return m = 0; }",
        "struct s { int a; }; enum e { A, B }; int x; int *p = &x; \
         void f(struct s *s) { *p = B; s->a = 1; } \
         int main(void) { struct s s; int m; f(&s); return m = 0; }",
    ),
    (
        "main",
        "int printf(const char *, ...); int x; void f(void) { x = 1; } \
         int main(void) { x = 2; f(); printf(\"%d\", x); return 0; }",
        "int printf(const char *, ...); int x; void f(void) { x = 1; } \
         int main(void) { x = 2; printf(\"%d\", x); return 0; }",
    ),
    (
        "all-values",
        "int x = 3; int f(int a) { return a; } \
         int main(void) { int s = 0; for (int i = 0; i < x; i++) s += i; return f(s) - (x + 1); }",
        "int x = 3; int f(int a) { return 3; } \
         int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += i; return f(s) - 4; }",
    ),
    (
        "statements",
        "int main(void) { int x = 1; if (x) goto l; x = 2; l: x = 3; return x; }",
        "int main(void) { int x = 1; if (x) ; x = 2; return x; }",
    ),
    (
        "statements",
        "int x; int main(void) { x = 1; return 0; }",
        "int x; int main(void) { return 0; }",
    ),
    ("items", "int x; struct s { int a; }; int main(void) { }", "int x; int main(void) { }"),
    (
        "known-values",
        "int x = 1; int main(void) { return (x + x) * 2; }",
        "int x = 1; int main(void) { return 2 * 2; }",
    ),
    (
        "known-values",
        "double x = 0.75; int main(void) { return x * -2 < 1; }",
        "double x = 0.75; int main(void) { return -1.5 < 1; }",
    ),
    (
        "objects",
        "int x[2]; int main(void) { x[1] = 3; return x[0] + 1; }",
        "int main(void) { return 0 + 1; }",
    ),
    (
        "known-objects",
        "int main(void) { int x = 3; return x / 2; }",
        "int main(void) { return 3 / 2; }",
    ),
    ("unwrap", "int main(void) { do { ; } while (0); }", "int main(void) { { ; } }"),
    (
        "unwrap",
        "int main(void) {\n#pragma GCC unroll 2\nwhile (0) ; }",
        "int main(void) { while (0) ; }",
    ),
    (
        "hints",
        "int main(void) {\n#pragma GCC unroll 2\n#pragma GCC ivdep\nwhile (0) ; }",
        "int main(void) {\n#pragma GCC ivdep\nwhile (0) ; }",
    ),
    (
        "hints",
        "int main(void) { int x = 0;\n#pragma omp simd safelen(4) reduction(+:x)\n\
         for (int i = 0; i < 3; i++) x += i; }",
        "int main(void) { int x = 0;\n#pragma omp simd reduction(+:x)\n\
         for (int i = 0; i < 3; i++) x += i; }",
    ),
    (
        "first-branch",
        "int main(void) { for (int i = 0; i < 3; i++) if (i) ; }",
        "int main(void) { { int i = 0; if (i) ; } }",
    ),
    ("second-branch", "int main(void) { if (1) ; else return 2; }", "int main(void) { return 2; }"),
    ("zero", "int x; int main(void) { return x * 7; }", "int x; int main(void) { return 0; }"),
    ("one", "int main(void) { return 77; }", "int main(void) { return 1; }"),
    (
        "first-operand",
        "int x; int main(void) { return x * 7; }",
        "int x; int main(void) { return x; }",
    ),
    (
        "second-operand",
        "int x; int main(void) { return x * 7; }",
        "int x; int main(void) { return 7; }",
    ),
    (
        "third-operand",
        "int x; int main(void) { return x ? 3 : x / 2; }",
        "int x; int main(void) { return x / 2; }",
    ),
    (
        "elements",
        "__attribute__((vector_size(8))) int x; int main(void) { x[1] = 3; return x[0]; }",
        "int x; int main(void) { x = 3; return x; }",
    ),
    (
        "lanes",
        "typedef short v __attribute__((vector_size(8))); v x = {1, 2, 3}; \
         v f(v a) { return a; } \
         int main(void) { return f(__builtin_shufflevector(x, x, 3, 6, 0, 1))[3]; }",
        "typedef short v __attribute__((vector_size(4))); v x = {1, 2}; \
         v f(v a) { return a; } \
         int main(void) { return f(__builtin_shufflevector(x, x, 1, 2))[1]; }",
    ),
    (
        "lanes",
        "typedef int v __attribute__((ext_vector_type(8))); v x = {1}; \
         int main(void) { v y = x.s71605243; return y.s7; }",
        "typedef int v __attribute__((ext_vector_type(4))); v x = {1}; \
         int main(void) { v y = x.s3120; return y.s3; }",
    ),
    ("flatten-blocks", "int main(void) { { int a; a = 1; } }", "int main(void) { int a; a = 1; }"),
    (
        "forward",
        "int g; int main(void) { int x = g + 1; return x >> 1; }",
        "int g; int main(void) { return (g + 1) >> 1; }",
    ),
    (
        "inline",
        "int x; int f(void) { x = 1; return 0; } int main(void) { f(); }",
        "int x; int main(void) { { x = 1; return 0; } }",
    ),
    (
        "inline",
        "int f(int a, int b) { return a - b; } int main(void) { return f(3, 2); }",
        "int main(void) { return 3 - 2; }",
    ),
    ("inline", "int f(void) { return 3; } int main(void) { }", "int main(void) { { return 3; } }"),
    (
        "inline",
        "int g; void f(int a) { g = a; } int main(void) { f(3); }",
        "int g; int main(void) { { g = 3; } }",
    ),
    (
        "inline",
        "int g; void f(void) { g = g ^ 1; } int main(void) { f(); f(); }",
        "int g; int main(void) { g = g ^ 1; g = g ^ 1; }",
    ),
    (
        "inline",
        "long f(void) { if (1) return 3; return 4; } int main(void) { f(); }",
        "int main(void) { { if (1) return 3; return 4; } }",
    ),
    (
        "results",
        "int x; int f(void) { x = 1; return x / 2; } int main(void) { f(); return x; }",
        "int x; void f(void) { x = 1; return; } int main(void) { f(); return x; }",
    ),
    (
        "types",
        "enum e { A, B }; enum e x; int main(void) { x = B; return x; }",
        "enum e { A, B }; int x; int main(void) { x = B; return x; }",
    ),
    ("initialisers", "int x = 3; int main(void) { }", "int x; int main(void) { }"),
    (
        "init-lists",
        "int x[2] = { 3, 4 }; int main(void) { }",
        "int x[2] = { 3 }; int main(void) { }",
    ),
    (
        "parameters",
        "int f(int a, int b) { return a / b; } int main(void) { return f(6, 3); }",
        "int f(int a) { return a / 3; } int main(void) { return f(6); }",
    ),
    ("parameters", "int main(int a, char **b) { return 0; }", "int main(void) { return 0; }"),
    (
        "arguments",
        "int f(int a, ...) { return a; } int main(void) { return f(6, 3); }",
        "int f(int a, ...) { return a; } int main(void) { return f(6); }",
    ),
    (
        "fields",
        "struct s { int a, b; } x = { 1, 2 }; int main(void) { return x.b; }",
        "struct s { int b; } x = { 2 }; int main(void) { return x.b; }",
    ),
    (
        "attributes",
        "__attribute__((noinline)) int f(void) { return 0; } int main(void) { return f(); }",
        "int f(void) { return 0; } int main(void) { return f(); }",
    ),
    (
        "elements",
        "int x[3]; int main(void) { x[1] = 2; return x[1]; }",
        "int x; int main(void) { x = 2; return x; }",
    ),
    (
        "qualifiers",
        "volatile int x; int main(void) { x = 2; return x++; }",
        "int x; int main(void) { x = 2; return x++; }",
    ),
    (
        "types",
        "long x; int main(void) { x = 2; return x > 1; }",
        "int x; int main(void) { x = 2; return x > 1; }",
    ),
    ("constants", "int main(void) { return 200; }", "int main(void) { return 100; }"),
    (
        "types",
        "long double x; double f(void) { return 0; } int main(void) { x = f(); return x > 1; }",
        "double x; double f(void) { return 0; } int main(void) { x = f(); return x > 1; }",
    ),
    ("one", "double x = 2.5; int main(void) { }", "double x = 1; int main(void) { }"),
    ("constants", "double x = 12.0; int main(void) { }", "double x = 12; int main(void) { }"),
    ("constants", "float x = 0.375f; int main(void) { }", "float x = 0.25f; int main(void) { }"),
    (
        "constants",
        "double x = 0.3333333333333333; int main(void) { }",
        "double x = 0.33333; int main(void) { }",
    ),
    (
        "constants",
        "long double x = 0x3p-99L; int main(void) { }",
        "long double x = 0x3p-49L; int main(void) { }",
    ),
    (
        "known-values",
        "double x = 0.1, y; int main(void) { y = x + 0.2; return y > 0; }",
        "double x = 0.1, y; int main(void) { y = 0.30000000000000004; return y > 0; }",
    ),
    (
        "known-objects",
        "int main(void) { float x = -0.5f; return x * 2 < 0; }",
        "int main(void) { return -0.5f * 2 < 0; }",
    ),
    (
        "operations",
        "double x = 0.1; float y; int z; void f(void) { z++; z--; z++; z--; z++; z--; z++; z--; } \
         int main(void) { f(); f(); f(); f(); f(); f(); y = x * 3; return y < 1; }",
        "int main(void) { if ((0.3f < 1.0f) != 1) return 1; if ((float)1 != 1.0f) return 1; \
         if ((float)0.30000000000000004 != 0.3f) return 1; \
         if (0.1 * 3.0 != 0.30000000000000004) return 1; \
         if ((double)3 != 3.0) return 1; return 0; }",
    ),
    (
        "strings",
        "int puts(const char *); int main(void) { puts(\"ab\"); }",
        "int puts(const char *); int main(void) { puts(\"a\"); }",
    ),
    (
        "names",
        "int number; int main(void) { return number; }",
        "int a; int main(void) { return a; }",
    ),
];

#[test]
fn every_pass_does_what_it_says() {
    for pass in PASSES {
        let pairs: Vec<_> = PAIRS.iter().filter(|(name, ..)| *name == pass.name).collect();
        assert!(!pairs.is_empty(), "{} is not tested", pass.name);
        for (name, before, after) in pairs {
            let program = parse(before);
            let wanted = parse(after);
            let options = Machine { profile: Some(Watch::everything()), ..Machine::default() };
            let profile = run(&program, &options).profile;
            let Changes::Edits(describe) = pass.changes else { panic!("{name}") };
            let edits = describe(&Scene::new(&program, profile));
            let mut results = Vec::new();
            let found = edits.iter().any(|edit| {
                let mut changed = program.clone();
                let applied = apply(&mut changed, std::slice::from_ref(edit)).is_ok();
                if !applied || !well_formed::check(&changed).is_empty() {
                    return false;
                }
                let Some(read) = reread(&changed) else { return false };
                results.push(text(&read));
                read == wanted && read < program
            });
            assert!(found, "{name}: {before}\ngives\n{}", results.join("\n"));
        }
    }
}

#[test]
fn what_is_computed_is_compared_at_the_end() {
    let checked =
        |before: &str, status| finish::self_checking(&parse(before), status).map(|it| text(&it));
    let after = |expected: &str| Some(text(&parse(expected)));
    let before = "int x = 3; int main(void) { x++; return x << 1; }";
    let expected = "int x = 3; int main(void) { x++; return x << 1 != 8; }";
    assert_eq!(checked(before, 8), after(expected));
    let expected = "int x = 3; int main(void) { x++; return x << 1 != -8; }";
    assert_eq!(checked(before, -8), after(expected));
    let expected = "int x = 3; int main(void) { return x == 4; }";
    assert_eq!(checked("int x = 3; int main(void) { return x != 4; }", 1), after(expected));
    assert_eq!(checked("int main(void) { return 3; }", 3), None);
    assert_eq!(checked("int main(void) { if (1) return 3; }", 3), None);
}

#[test]
fn main_returns_at_the_end() {
    let returning = |before: &str| finish::returning(&parse(before)).map(|it| text(&it));
    let expected = "int x; int main(void) { x++; return 0; }";
    assert_eq!(returning("int x; int main(void) { x++; }"), Some(text(&parse(expected))));
    assert_eq!(returning("int x; int main(void) { x++; return x; }"), None);
    assert_eq!(returning("int x; int main(void) { for (;;) if (x++ > 3) return x; }"), None);
}

#[test]
fn a_forgotten_result_is_seen() {
    let forgets = |body: &str| {
        let text = format!("int x; int f(void) {body} int main(void) {{ f(); }}");
        forgets_a_result(&parse(&text))
    };
    for body in [
        "{ return 1; }",
        "{ x = 1; { return x; } }",
        "{ if (x) return 1; else { x++; return 2; } }",
        "{ for (;;) if (x++ > 3) return x; }",
        "{ while (1) { while (x) break; return 1; } }",
        "{ l: x++; goto l; }",
        "{ if (x) goto l; x++; l: return x; }",
    ] {
        assert!(!forgets(body), "{body}");
    }
    for body in [
        "{ }",
        "{ x = 1; }",
        "{ if (x) return 1; }",
        "{ if (x) return 1; else x++; }",
        "{ for (;;) if (x++ > 3) break; }",
        "{ while (x) return 1; }",
        "{ switch (x) { default: return 1; } }",
        "{ return 1; x = 2; }",
    ] {
        assert!(forgets(body), "{body}");
    }
}

#[test]
fn names_of_passes_are_unique() {
    for (index, pass) in PASSES.iter().enumerate() {
        assert!(PASSES[..index].iter().all(|other| other.name != pass.name), "{}", pass.name);
    }
}

/// Whether a program evaluates a shift to the right by three or more of something large.
fn shifts(program: &Program) -> bool {
    let options = Machine { profile: Some(Watch::everything()), ..Machine::default() };
    let Some(profile) = run(program, &options).profile else { return false };
    program.exprs.ids().any(|id| match program[id].kind {
        ExprKind::Binary(BinaryOp::Shr, ..) => {
            profile.expr(id).integers().is_some_and(|values| values.high > 3)
        }
        _ => false,
    })
}

#[test]
fn a_generated_program_becomes_a_few_tokens() {
    let config = Config { size: 20_000, steps: 20_000, ..Config::default() };
    let made = (1..)
        .filter_map(|seed| generate(seed, &config).ok())
        .find(|made| reread(made.certified.program()).is_some_and(|program| shifts(&program)))
        .expect("shifts are common");
    let options = Options::new(&read);
    let judge = judge(|candidate: &Candidate| {
        assert!(candidate.behavior().is_some());
        shifts(program(candidate))
    });
    let reduced =
        reduce(made.certified.program(), &judge, &mut go_on, &options).expect("it is interesting");
    assert!(reduced.complete);
    let small = reduced.best.text();
    assert!(token_count(small) < 30, "{small}");
    let again = parse(small);
    certify(again.clone(), &Machine::default()).expect("it is defined");
    let twice = reduce(&again, &judge, &mut go_on, &options).expect("it is still interesting");
    assert_eq!(small, twice.best.text(), "it is reduced already");
}

#[test]
fn what_cannot_be_reduced_is_said() {
    let options = Options::new(&read);
    let fine = parse("int main(void) { return 0; }");
    let hopeless = |program: &Program, judge: &Judge<'_, (), Infallible>| {
        reduce(program, judge, &mut go_on, &options).expect_err("it is hopeless")
    };
    assert_eq!(hopeless(&fine, &judge(|_| false)), Hopeless::Boring);
    let asked = AtomicBool::new(false);
    let flaky = judge(|_| !asked.swap(true, Ordering::Relaxed));
    assert_eq!(hopeless(&fine, &flaky), Hopeless::Flaky);
    let undefined = parse("int main(void) { int x; return 1 / (x = 0); }");
    let found = hopeless(&undefined, &judge(|_| true));
    assert!(matches!(found, Hopeless::Undefined(_)), "{found:?}");
    let unchecked = Options { check_undefined: false, ..options };
    let divides = judge(|candidate| candidate.text().contains('/'));
    let reduced =
        reduce(&undefined, &divides, &mut go_on, &unchecked).expect("candidates are not checked");
    assert_eq!(reduced.best.text(), "int main(void)\n{\n    return 0 / 0;\n}\n");
}

#[test]
fn trouble_ends_it() {
    let program = parse("int a; int main(void) { return a; }");
    let asked = AtomicBool::new(false);
    let judge = |_: &Candidate| match asked.swap(true, Ordering::Relaxed) {
        true => Err("no compiler"),
        false => Ok(Interest::from(true)),
    };
    let found = reduce(&program, &judge, &mut |_| Ok(true), &Options::new(&read));
    assert!(matches!(found, Err(Hopeless::Trouble("no compiler"))), "{found:?}");
    let found = reduce(
        &program,
        &|_: &Candidate| Ok(Interest::from(true)),
        &mut |_| Err("disk full"),
        &Options::new(&read),
    );
    assert!(matches!(found, Err(Hopeless::Trouble("disk full"))), "{found:?}");
}

#[test]
fn several_at_once_come_to_the_same() {
    let program = parse(
        "int a, b, c; int f(int x) { return x << 2; } int main(void) { a = 1; b = 2; \
         c = f(a + b); if (c) { a = c; } return a; }",
    );
    let shift = judge(|candidate| candidate.text().contains("<<"));
    let mut progress = Vec::new();
    for width in [1, 2, 10] {
        let options =
            Options { workers: Workers { tests: width, processors: 2 }, ..Options::new(&read) };
        let mut accepted = Vec::new();
        let mut listener = |step: Step<'_>| {
            if let Step::Best { text, .. } = step {
                accepted.push(text.to_owned());
            }
            Ok(true)
        };
        let reduced = reduce(&program, &shift, &mut listener, &options).expect("it is interesting");
        assert_eq!(reduced.best.text(), "int main(void)\n{\n    0 << 0;\n}\n");
        progress.push(accepted);
    }
    assert!(progress.iter().all(|accepted| *accepted == progress[0]), "{progress:?}");
}

#[test]
fn who_watches_can_stop_it() {
    let program = parse("int a, b; int main(void) { a = 1; b = 2; return a; }");
    for width in [1, 4] {
        let options =
            Options { workers: Workers { tests: width, processors: 2 }, ..Options::new(&read) };
        let mut listener = |step: Step<'_>| Ok(!matches!(step, Step::Best { .. }));
        let reduced = reduce(&program, &judge(|_| true), &mut listener, &options);
        let reduced = reduced.expect("it is interesting");
        assert!(!reduced.complete);
        assert_eq!(reduced.progress.accepted, 1);
    }
}

#[test]
fn wrong_code_checks_itself_in_the_end() {
    let shifts = judge(|candidate| candidate.text().contains("return 1 << 1"));
    let options = Options { wrong_code: true, main_returns: true, ..Options::new(&read) };
    let mut last = String::new();
    let mut listener = |step: Step<'_>| {
        if let Step::Best { text, .. } = step {
            text.clone_into(&mut last);
        }
        Ok(true)
    };
    let start = parse("int main(void) { int x = 7; x = 1 << 1; return 1 << 1; }");
    let reduced = reduce(&start, &shifts, &mut listener, &options).expect("it is interesting");
    assert_eq!(reduced.best.text(), "int main(void)\n{\n    return 1 << 1 != 2;\n}\n");
    assert_eq!(reduced.best.text(), last);
}

const CPLUSPLUS: &str = "#include <vector>\nnamespace n { template <class T> struct s { T t; }; }\n\
    class c : public n::s<int> {\npublic:\n  int value() const { return t << 2; }\n};\n\
    int main() { c x; x.t = 12; return x.value() ? 0 : 1; }\n";

fn reduced_text(
    text: &str,
    kept: &[&str],
    tests: usize,
) -> Result<Reduced<()>, Hopeless<Infallible>> {
    let judge = judge(|candidate| kept.iter().all(|word| candidate.text().contains(word)));
    reduce_text(text, &judge, &mut go_on, Workers { tests, processors: 2 })
}

#[test]
fn a_text_becomes_small_and_stays_so() {
    for width in [1, 3] {
        let small = reduced_text(CPLUSPLUS, &["class", "<<"], width).expect("it is interesting");
        assert!(small.complete);
        assert!(token_count(small.best.text()) <= 2, "{}", small.best.text());
        let again = reduced_text(small.best.text(), &["class", "<<"], width).expect("still so");
        assert_eq!(again.best.text(), small.best.text());
    }
}

#[test]
fn a_text_that_is_not_interesting_is_refused() {
    let found = reduced_text(CPLUSPLUS, &["absent"], 1);
    assert!(matches!(found, Err(Hopeless::Boring)), "{found:?}");
}
