//! Each row on a small program where it must apply.

use farrier_machine::{Options, Verdict, run};

use super::super::stage::Stage;
use super::super::tests::{certified, generated, mutant};
use super::super::{Settings, Strategy, proof};
use super::ROWS;
use crate::Choices;

/// How many mutants a row makes of one program here.
const SEEDS: u64 = 40;

/// The mutants of a program by one row, each by one mutation.
fn mutants(row: &str, text: &str) -> Vec<String> {
    let row = ROWS.iter().find(|it| it.name == row).expect("there is such a row");
    let (original, options) = (certified(text), Options::default());
    let mut texts = Vec::new();
    for seed in 0..SEEDS {
        let mut choices = Choices::new(seed);
        let stage = Stage::new(original.program(), &options, &[], &mut choices);
        let mut stage = stage.expect("it is a short run");
        stage.draw(row, &mut choices);
        let drawn = stage.into_drawn();
        let settings = Settings::default();
        let tree = original.program();
        let proved = proof::prove(tree, original.behavior(), &drawn, &settings, &options);
        texts.extend(proved.map(|proved| proved.mutant.text));
    }
    texts
}

/// What must come out for some seed: the row, a program, and a part of the mutant.
#[rustfmt::skip]
const CASES: &[(&str, &str, &str)] = &[
    ("operator", "int a = 5, b = 3; int main(void) { return a + b; }", "a * b"),
    ("operator", "int a = 5, b = 3; int main(void) { return a + b; }", "a >> b"),
    ("operator", "int a = 5, b = 3; int main(void) { return a < b; }", "a != b"),
    ("operator", "double a = 2, b = 3; int main(void) { return a + b > 1; }", "a * b"),
    ("logical", "int a = 5, b = 3; int main(void) { return a && b; }", "a || b"),
    ("assignment", "int a = 5, b = 3; int main(void) { a += b; return a; }", "a |= b"),
    ("assignment", "int a = 5; int main(void) { a++; return a; }", "a--"),
    ("constant", "int a; int main(void) { a = 77; return a; }", "2147483647"),
    ("constant", "signed char a; int main(void) { a = 77; return a; }", "-128"),
    ("constant", "int a, b; int main(void) { a = 77; b = 1234; return a; }", "a = 1234"),
    ("negation", "int a = 1; int main(void) { for (int i = 0; i < 2; i++) if (i) a = 4; else a = 3; return a; }", "!i"),
    ("bound", "int a; int main(void) { for (int i = 0; i < 9; i++) a += i; return a; }", "i < 7"),
    ("bound", "int a; int main(void) { for (int i = 0; i < 9; i++) a += i; return a; }", "i += 3"),
    ("type", "int a = 5; int main(void) { return a + 1; }", "unsigned char a = 5"),
    ("type", "int a[4] = {1, 2}; int main(void) { return a[1] + 1; }", "long a[4]"),
    ("type", "double a = 2; int main(void) { return a > 1; }", "float a"),
    ("type", "int f(int x) { return x; } int main(void) { return f(3); }", "int f(short x)"),
    ("length", "int a[4] = {1, 2}; int main(void) { return a[1] + 1; }", "int a[5]"),
    ("swap", "int a, b; int main(void) { a = 1; b = 2; return a; }", "b = 2;\n    a = 1;"),
    ("duplicate", "int a; int main(void) { a += 3; return a; }", "a += 3;\n    a += 3;"),
    ("outline", "int main(void) { int a = 1, b; b = 2; a += b; return a; }", "void part(int *p"),
    ("outline", "int main(void) { int a = 1, b; b = 2; a += b; return a; }", "static void part("),
    ("recursion", "int main(void) { int a = 0; for (int i = 0; i < 3; i++) a += i; return a; }", "if (*p < 3) {\n        *p_1 += *p;\n        (*p)++;\n        part(p, p_1);\n"),
    ("inline", "int f(int x) { int y = x; return y + 1; } int main(void) { int a; a = f(3); return a; }", "int p = 3;\n        int y_1 = p;\n        a = y_1 + 1;"),
    ("peel", "int a; int main(void) { for (int i = 0; i < 3; i++) a += i; return a; }", "if (i < 3) {\n            a += i;\n            i++;\n        }\n        for (; i < 3; i++)"),
    ("unroll", "int a; int main(void) { for (int i = 0; i < 3; i++) a += i; return a; }", "a += i;\n            i++;\n            if (!(i < 3))\n                break;\n            a += i;"),
    ("split", "int a; int main(void) { for (int i = 0; i < 3; i++) a += i; return a; }", "for (; i < 3 && i != 1; i++)\n            a += i;\n        for (; i < 3; i++)"),
    ("reverse", "int a; int main(void) { for (int i = 0; i < 3; i++) a += i; return a; }", "for (int i = 2; i >= 0; --i)"),
    ("jump", "int a; int main(void) { while (a < 3) a++; return a; }", "if (a < 3) {\n            a++;\n            goto again;"),
    ("form", "int a; int main(void) { while (a < 3) a++; return a; }", "if (a < 3)\n        do\n            a++;\n        while (a < 3);"),
    ("form", "int a; int main(void) { while (a < 3) a++; return a; }", "for (; a < 3;)"),
    ("form", "int a; int main(void) { for (; a < 3; a++) ; return a; }", "while (a < 3)"),
    ("choice", "int a = 1, b; int main(void) { if (a) b = 2; else b = 3; return b; }", "b = a ? 2 : 3"),
    ("branch", "int a = 1, b; int main(void) { b = a ? 2 : 3; return b; }", "if (a)\n        b = 2;\n    else\n        b = 3;"),
    ("switch", "int a = 1, b; int main(void) { if (a == 1) b = 2; else if (a == 2) b = 3; else b = 4; return b; }", "switch (a) {\n"),
    ("chain", "int a = 1, b; int main(void) { switch (a) { case 1: b = 2; break; default: b = 3; break; } return b; }", "if (a == 1)"),
    ("gather", "int a = 1; char b[2] = {3, 4}; int main(void) { return a + b[1]; }", "= {1, {3, 4}};"),
    ("gather", "int a = 1, b = 2; int main(void) { return a + b; }", "static int all[2] = {"),
    ("frame", "int main(void) { int a = 1; short b; b = 2; return a + b; }", "struct parts all;\n    all.part_1 = 1;\n    all.part = 2;\n    return all.part_1 + all.part;"),
    ("frame", "int main(void) { int a = 1; int b = 2; return a + b; }", "int all[2];"),
    ("lifetime", "int main(void) { int a = 1; return a; }", "static int a;\n    a = 1;"),
    ("lifetime", "int main(void) { int a = 1; return a; }", "static int a_1;\nint main(void)\n{\n    a_1 = 1;"),
    ("bits", "struct s { int m; } x = {5}; int main(void) { return x.m; }", "int m : 4;"),
    ("bits", "struct s { int m : 4; } x = {5}; int main(void) { return x.m; }", "int m;"),
    ("shuffle", "struct s { int m; char n; } x = {5, 6}; int main(void) { return x.m; }", "    char n;\n    int m;\n};\nstruct s x = {6, 5};"),
    ("overlay", "struct s { int m; char n; } x = {5, 6}; int main(void) { return x.m; }", "    unsigned char part_1[4];\n};\nstruct s {\n    union parts m;\n    char n;\n};\nstruct s x = {{5}, 6};"),
    ("walk", "int a[3]; int main(void) { for (int i = 0; i < 3; i++) a[i] = i; return a[1]; }", "int *walk = &a[i];\n        for (; i < 3; i++, walk++)\n            *walk = i;"),
    ("mix", "int a = 1, b = 2; int main(void) { b = 3; return a; }", "a ^= b"),
];

#[test]
fn every_row_applies_where_it_must() {
    let mut missing = String::new();
    for (row, program, expected) in CASES {
        let texts = mutants(row, program);
        if !texts.iter().any(|text| text.contains(expected)) {
            let first = texts.first().map_or("nothing", String::as_str);
            missing += &format!("{row} does not give\n{expected}\nbut for one\n{first}\n");
        }
    }
    assert!(missing.is_empty(), "{missing}");
    for row in ROWS {
        assert!(CASES.iter().any(|(name, ..)| *name == row.name), "{} has no case", row.name);
    }
}

/// Programs in which the obvious change is undefined: none of these may come out, or be tried
/// in vain.
#[test]
fn what_would_be_undefined_is_not_drawn() {
    #[rustfmt::skip]
    let rows: &[(&str, &str, &str)] = &[
        ("operator", "int a = 2147483647, b = 3; int main(void) { return (a & b) > 1; }", "a + b"),
        ("constant", "int a[3]; int main(void) { return a[2]; }", "a[3]"),
        ("constant", "int a = 1; int main(void) { return a << 5; }", "a << 32"),
        ("type", "int main(void) { char a[3] = {0}; char (*p)[3] = &a; return (*p)[0]; }", " a[3] = {0};\n    char (*p)[3] = &a"),
        ("operator", "int a = 2, b; int main(void) { return a * b; }", "a / b"),
    ];
    for (row, program, refused) in rows {
        let texts = mutants(row, program);
        assert!(!texts.iter().any(|text| text.contains(refused)), "{row}: {refused}");
    }
}

/// The next round looks at the tree and not at the text: both must be one program.
#[test]
fn the_tree_of_a_mutant_means_what_its_text_means() {
    let mut changed = 0;
    for seed in 0..10 {
        let drawn = mutant(&generated(seed), Strategy::Drift, &[], seed);
        let Ok((lineage, mutant)) = drawn else { continue };
        changed += 1;
        let Verdict::Defined(tree) = run(&lineage.tree, &Options::default()).verdict else {
            panic!("the tree of {seed} is undefined");
        };
        assert_eq!(tree.output, mutant.certified.behavior().output, "{seed}: {}", mutant.text);
    }
    assert!(changed >= 7, "{changed}");
}
