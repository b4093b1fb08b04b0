//! What is inserted, and where.

use crate::mutate::Strategy;
use crate::mutate::tests::{by_one_row, certified};

/// The texts of the mutants of a program for some seeds, with single spaces. Nearly all that is
/// drawn is proved.
fn texts(program: &str, donor: &str) -> Vec<String> {
    let (original, donors) = (certified(program), [certified(donor)]);
    let (mut texts, mut drawn, mut proved) = (Vec::new(), 0, 0);
    for seed in 0..SEEDS {
        let Ok((lineage, mutant)) = by_one_row(&original, Strategy::Athena, &donors, seed) else {
            continue;
        };
        drawn += lineage.counts().iter().map(|count| count.drawn).sum::<usize>();
        proved += lineage.rounds()[0].mutations.len();
        let words: Vec<&str> = mutant.text.split_whitespace().collect();
        texts.push(words.join(" "));
    }
    assert!(proved * 100 >= drawn * 95, "{proved} of {drawn} have a proof: {program}");
    texts
}

const SEEDS: u64 = 60;

const WALKER: &str = "int a = 9; int main(void) { while (a > 3) a -= 7; return a; }";

/// A program, a donor, and a text that some mutant must have.
#[rustfmt::skip]
const RULES: &[(&str, &str, &str)] = &[
    // Objects of the same type.
    ("int x; int main(void) { if (x) { x++; } return 0; }", WALKER, "while (x > 3)"),
    ("int main(void) { int y = 0; if (y) { y++; } return 0; }", WALKER, "while (y > 3)"),
    // Another arithmetic type.
    ("long x; int main(void) { if (x) { x++; } return 0; }", WALKER, "while ((int)x > 3)"),
    ("double x; int main(void) { if (x) { x++; } return 0; }", WALKER, "x -= 7"),
    // A constant object is only read.
    ("const long x; int main(void) { if (x) { } return 0; }", "int a, b; int main(void) { while (a > 3) b++; return 0; }", "while ((int)x > 3)"),
    // A new local.
    ("char *x; int main(void) { if (x) { x++; } return 0; }", WALKER, "int local"),
    ("char *x; int main(void) { if (x) { x++; } return 0; }", "struct s { int m[3]; } s; int main(void) { do s.m[0]++; while (s.m[1]); return 0; }", "struct s local"),
    ("char *x; char c; int main(void) { if (x) { x++; } return 0; }", "int main(void) { char d = 1, *p = &d; while (p && *p) *p = 0; return 0; }", "local = &c"),
    // What stands at file scope comes along.
    ("char *x; int main(void) { if (x) { x++; } return 0; }", WALKER, "int a"),
    // A function comes along, or another of its type is called.
    ("char *x; int main(void) { if (x) { x++; } return 0; }", "int f(int n) { return n * 77; } int main(void) { for (int i = 0; i < 2; i++) f(i); return 0; }", "* 77"),
    ("char *x; int g(int m) { return m; } int main(void) { if (x) { x++; } return g(0); }", "int f(int n) { return n * 77; } int main(void) { for (int i = 0; i < 2; i++) f(i); return 0; }", "g(i"),
    // Jumps.
    ("int x; int main(void) { while (x < 3) { x++; if (x > 9) { x = 8; } } return 0; }", "int a; int main(void) { while (a < 2) { a++; if (a == 5) break; } return 0; }", "break"),
    ("int x; int main(void) { if (x) goto end; x = 2; end: return 0; }", "int a; int main(void) { if (a == 7) goto out; a++; out: return 0; }", "== 7) goto end"),
    ("struct s { int m; } x; struct s f(int n) { if (n) { n++; } return x; } int main(void) { return f(0).m; }", "int a; int main(void) { if (a) return 5; return 0; }", "return (struct s){}"),
    ("int x; void f(int n) { if (n) { n++; } } int main(void) { f(0); return x; }", "int a; int main(void) { if (a) return 5; return 0; }", "return;"),
    ("int x; char f(int n) { if (n) { n++; } return 3; } int main(void) { return f(0); }", "double a; double f(void) { if (a) return 5.5; return 0; } int main(void) { return f(); }", "return 5.5"),
    // Labels and gotos of the statement itself.
    ("int x; int main(void) { if (x) { x++; } return 0; }", "int a; int main(void) { { again: if (a++ < 2) goto again; } return 0; }", "again"),
    // Places.
    ("int x; int main(void) { if (x) x = 1; return 0; }", WALKER, "while (x > 3)"),
    ("int x; int main(void) { if (x); return 0; }", WALKER, "while (x > 3)"),
    ("int x; int main(void) { if (!x) x = 0; return 0; }", WALKER, "else"),
    ("int x; int main(void) { return 0; }", WALKER, "return 0; while (x > 3)"),
    ("int x; void abort(void); int f(void) { abort(); } int main(void) { return x; }", WALKER, "abort(); while (x > 3)"),
    ("int x; int main(void) { switch (x) { case 0: x = 0; } return 0; }", WALKER, "{ while (x > 3)"),
    ("int x; int main(void) { x = ({ if (x) { x = 1; } 0; }); return 0; }", WALKER, "while (x > 3)"),
];

#[test]
fn statements_are_fitted_to_their_place() {
    for (program, donor, text) in RULES {
        let texts = texts(program, donor);
        let found = texts.iter().any(|mutant| mutant.contains(text));
        assert!(found, "no `{text}` in mutants of {program}: {}", texts.join("\n"));
    }
}

/// A program and a donor, of which no mutant may have the text.
#[rustfmt::skip]
const NEVER: &[(&str, &str, &str)] = &[
    // A function that must be inlined does not become recursive.
    ("int x; static inline __attribute__((always_inline)) int f(int n) { if (n) { n++; } return x; } int main(void) { return f(0); }", "int f(int n) { return n; } int main(void) { while (f(0)) ; return 0; }", "f(0)) {"),
    // Assembly may define names.
    ("int x; int main(void) { if (x) { x++; } return 0; }", "int a; int main(void) { if (a) { __asm__(\"nop\"); } return 0; }", "asm"),
    // Argument lists are those of their function.
    ("int x; int main(void) { if (x) { x++; } return 0; }", "int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); n = __builtin_va_arg(l, int); __builtin_va_end(l); return n; } int main(void) { return f(1, 0); }", "va_start(local"),
    // A `case` needs its switch.
    ("int x; int main(void) { if (x) { x++; } return 0; }", "int a; int main(void) { switch (a) { case 4: a++; } return a; }", "if (x) { case 4"),
];

#[test]
fn some_statements_stay_where_they_are() {
    for (program, donor, text) in NEVER {
        let texts = texts(program, donor);
        assert!(!texts.is_empty(), "{program}");
        assert!(!texts.iter().any(|mutant| mutant.contains(text)), "{}", texts.join("\n"));
    }
}
