//! Drafting begins inside programs that exist, and what they do stays the same.

use farrier_lang::edit::{Anchor, Change, Fresh, apply};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::scope::ScopePoint;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::well_formed;
use farrier_lang::{Dialect, FunctionId, Program, STACK_BYTES, SourceText, Stmt, StmtId};
use farrier_machine::{Options, Verdict, run};
use farrier_synth::features::Feature;
use farrier_synth::generate::{Budget, DraftScope, draft_at};
use farrier_synth::{Choices, Config, generate};

const TEXT: &str = r#"
int printf(const char *, ...);
struct pair { int a; short b[3]; };
static int g1 = 5;
static unsigned char t[4] = {1, 2, 3};
static const struct pair s = {7, {1, 2, 3}};
static int *p = &g1;
static int f1(int n, long m) {
    int i;
    int l1 = n;
    for (i = 0; i < 3; i++) { short k = i; l1 += k + t[i]; }
    switch (l1 & 3) { case 0: l1++; break; default: { int c = l1; l1 -= c / 2; } }
again:
    l1 ^= 2;
    if (l1 < 0) { goto again; }
    *p += l1;
    return l1 + m;
}
int main(void) {
    int r = f1(3, s.a);
    { unsigned q = r; r = q % 1000; }
    printf("%d %d\n", r, g1);
    return 0;
}
"#;

/// Every block of a function with its statements.
fn blocks(program: &Program, stmt: StmtId, out: &mut Vec<(StmtId, Vec<StmtId>)>) {
    if let Stmt::Block(statements) = &program[stmt] {
        out.push((stmt, statements.to_vec()));
    }
    program[stmt].for_each_child(|inner| blocks(program, inner, out));
}

/// Drafts at one statement in `every` and compares what the program does.
fn check(program: &Program, every: usize, seed: u64) {
    let options = Options { steps: 10_000_000, ..Options::default() };
    let expected = run(program, &options);
    assert!(matches!(expected.verdict, Verdict::Defined(_)), "{:?}", expected.verdict);
    let functions: Vec<FunctionId> = program.functions.ids().collect();
    let config = Config::default();
    let mut number = 0;
    for function in functions {
        let Some(body) = program[function].body else { continue };
        let mut found = Vec::new();
        blocks(program, body, &mut found);
        for (block, stmt) in
            found.iter().flat_map(|(block, inner)| inner.iter().map(|stmt| (*block, *stmt)))
        {
            number += 1;
            if number % every != 0 {
                continue;
            }
            let mut choices = Choices::new(Choices::derive_seed(seed, number as u64));
            let scope =
                DraftScope::at(program, function, stmt, ScopePoint::Before).expect("it is there");
            let mut fresh = Fresh::new(program);
            let budget = Budget::inside(2_000, 10, 400);
            let (new, mut changes) =
                draft_at(&mut fresh, function, scope, budget, &config, &mut choices);
            let (anchor, stmts) = (Anchor::Before(stmt), [new].into());
            changes.push(Change::InsertStmts { block, anchor, stmts });
            let edit = fresh.edit(changes);
            let mut edited = program.clone();
            apply(&mut edited, &[edit]).expect("one edit has no conflicts");
            let text = print(&edited, &PrintOptions::default());
            let violations = well_formed::check(&edited);
            assert!(violations.is_empty(), "{:?} in\n{text}", violations[0]);
            let ran = run(&edited, &options);
            let defined = matches!(ran.verdict, Verdict::Defined(_));
            assert!(defined, "{:?} in\n{text}", ran.verdict);
            assert_eq!(ran.output, expected.output, "{text}");
        }
    }
    assert!(number >= every, "there is a statement");
}

fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[test]
fn drafting_begins_in_a_program_that_was_read() {
    with_stack(|| {
        let options = farrier_front::Options {
            target: &X86_64_LINUX,
            dialect: Dialect::C17,
            permissive: false,
        };
        let source = SourceText { name: "test.c".into(), text: TEXT.into() };
        let program = farrier_front::parse(&[source], &options).expect("it parses");
        for seed in 0..8 {
            check(&program, 1, seed);
        }
    });
}

#[test]
fn drafting_begins_in_a_program_that_was_generated() {
    with_stack(|| {
        for seed in 0..12 {
            let mut config = Config { size: 6_000, ..Config::default() };
            // Code that is added to a loop with a promise may break it.
            config.weights.set(Feature::Ivdep, 0);
            config.weights.set(Feature::OmpSimd, 0);
            let made = generate(seed, &config).expect("there is a program");
            check(made.certified.program(), 5, seed);
        }
    });
}
