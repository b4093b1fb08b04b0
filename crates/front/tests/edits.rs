//! Edits of programs that were parsed: what holds for each edit alone, for all of
//! them at once, and for taking them back.

use std::thread;

use farrier_front::{Options, parse};
use farrier_lang::edit::{Change, Edit, Links, TreeNode, apply, undo};
use farrier_lang::shape::difference;
use farrier_lang::{
    Dialect, ExprKind, Program, STACK_BYTES, SourceText, Stmt, target, well_formed,
};

/// Programs without labels and statement expressions, so that any statement which
/// declares nothing can go.
const TEXTS: &[&str] = &[
    "struct node { struct node *next; int value : 5; union { int a; float b; }; };
     static struct node nodes[3] = {[1] = {.next = nodes, .b = 1.5f}};
     static int sum(struct node *from) {
       int total = 0;
       while (from) { total += from->value * 3 - from->a; from = from->next; }
       return total;
     }
     int main(void) { nodes[1].value = 2; return sum(&nodes[1]) % 7; }",
    "enum color { RED, GREEN = 4 };
     typedef int four __attribute__((vector_size(16)));
     double half(double x) { return x / 2 + 1; }
     int pick(enum color c, const char *s, ...) {
       four v = {1, 2, 3, 4}; v = v + v; long big = 1l << 40;
       switch (c) { case RED: return v[1]; case GREEN: big -= s[0]; break; default: big = 0; }
       do { if (big > 100) continue; else big = big - 1; } while (big & 1 ? big-- : 0);
       for (int i = 0, j = 9; i < j; i++, j--) { if (i * j == 8) break; big ^= i + j; }
       return (int)(big + half(c));
     }",
    "int f(int n, int m[n][n]) {
       int v[n + 1]; v[0] = n * 2 + 1;
       int (*p)(int, int (*)[n]) = f;
       return n ? (*p)(n - 1, m) + v[0] : (m[0][0] = 3, m[0][0] + 4);
     }",
];

fn program(text: &str) -> Program {
    let options =
        Options { target: &target::X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let program = parse(&[SourceText::new("edits.c", text)], &options);
    program.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message))
}

/// Removes each statement that declares nothing, and lifts each left operand that has
/// the type of the whole.
fn describe(program: &Program) -> Vec<Edit> {
    let mut edits = Vec::new();
    for node in Links::new(program).nodes() {
        let change = match node {
            TreeNode::Stmt(stmt) => match program[stmt] {
                Stmt::Declare(_) | Stmt::Block(_) | Stmt::Case { .. } => continue,
                _ => Change::RemoveStmt(stmt),
            },
            TreeNode::Expr(at) => match program[at].kind {
                ExprKind::Binary(_, with, _) if program.type_of(with) == program.type_of(at) => {
                    Change::ReplaceExpr { at, with }
                }
                _ => continue,
            },
        };
        edits.push(Edit::new(program, vec![change]));
    }
    edits
}

fn for_each_program(test: fn(Program)) {
    let run = move || TEXTS.iter().for_each(|text| test(program(text)));
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(run);
    thread.expect("a thread can be started").join().unwrap();
}

fn assert_well_formed(program: &Program) {
    let violations = well_formed::check(program);
    assert!(violations.is_empty(), "{}", violations[0]);
}

#[test]
fn each_edit_keeps_the_program_well_formed_and_can_be_undone() {
    for_each_program(|program| {
        assert_well_formed(&program);
        let edits = describe(&program);
        assert!(edits.len() >= 8, "the text is too dull: {}", edits.len());
        let mut edited = program.clone();
        for edit in edits {
            let applied = apply(&mut edited, &[edit]).unwrap();
            assert!(edited != program);
            assert!(edited < program, "less is smaller");
            assert_well_formed(&edited);
            undo(&mut edited, applied);
            assert_eq!(difference(&edited, &program), None);
        }
    });
}

#[test]
fn all_edits_at_once_are_all_edits_in_turn() {
    for_each_program(|program| {
        let edits = describe(&program);
        let mut at_once = program.clone();
        let applied = apply(&mut at_once, &edits).unwrap();
        assert_well_formed(&at_once);
        let mut in_turn = program.clone();
        let mut history = Vec::new();
        // Outer places first, which is how `describe` finds them.
        for edit in &edits {
            history.push(apply(&mut in_turn, std::slice::from_ref(edit)).unwrap());
        }
        assert_eq!(difference(&at_once, &in_turn), None);
        undo(&mut at_once, applied);
        assert_eq!(difference(&at_once, &program), None);
        while let Some(applied) = history.pop() {
            undo(&mut in_turn, applied);
        }
        assert_eq!(difference(&in_turn, &program), None);
    });
}

#[test]
fn a_pattern_has_no_constants_and_no_names() {
    use farrier_lang::shape::pattern;
    let of = |text: &str| pattern(&program(text));
    let text = "int a[3] = {1}; int main(void) { return a[0] << 2; }";
    assert_eq!(of(text), of("int b[9] = {7}; int main(void) { return b[1] << 30; }"));
    for other in [
        "int a[3] = {1}; int main(void) { return a[0] >> 2; }",
        "long a[3] = {1}; int main(void) { return a[0] << 2; }",
        "int a[3] = {1}; int main(void) { return a[0] << a[0]; }",
        "int main(void) { return 1 << 2; }",
    ] {
        assert_ne!(of(text), of(other), "{other}");
    }
    // Which name is used where counts, though not what it is called.
    let twice = "int x; int y; int main(void) { return x - x; }";
    assert_ne!(of(twice), of("int x; int y; int main(void) { return x - y; }"));
}
