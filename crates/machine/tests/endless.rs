//! Programs that never end and are not undefined for that: the steps run out.

use farrier_front::parse;
use farrier_lang::{Dialect, SourceText, target};
use farrier_machine::{Limit, Options, Verdict, run};

/// What the machine says of a program, after so many steps.
fn verdict(text: &str) -> Verdict {
    let options = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: false,
    };
    let input = SourceText::new("endless.c", text);
    let program = parse(&[input], &options).unwrap_or_else(|failure| {
        panic!("{text}\nis refused: {}", failure.diagnostic.message);
    });
    run(&program, &Options { steps: 100_000, ..Options::default() }).verdict
}

#[test]
fn loops_that_may_go_on_are_only_stopped() {
    for text in [
        // Constant conditions, and what compilers may take for one.
        "int main(void) { while (1); }",
        "int main(void) { for (;;); }",
        "int main(void) { do { } while (1); }",
        "enum { forever = 1 }; int main(void) { while (forever); }",
        "int main(void) { while (sizeof(int) == 4); }",
        "const int on = 1; int main(void) { while (on); }",
        "int x; int main(void) { while (1 || x); }",
        "int x; int main(void) { while (x || 1); }",
        "int x; int main(void) { while (x, 1); }",
        "int x = 1; int main(void) { while (x ? 1 : 2); }",
        // No iteration statements.
        "int x = 1; int main(void) { again: if (x) goto again; return 0; }",
        // What can be observed.
        "volatile int x = 1; int main(void) { while (x); return 0; }",
        "int x = 1; volatile int y; int main(void) { while (x) y; return 0; }",
        "int x = 1; int main(void) { while (x) *(volatile int *)&x; return 0; }",
        "int x = 1; struct { volatile int y; } s, t; int main(void) { while (x) s = t; return 0; }",
        "int x = 1; static void f(void) { volatile int y = 0; y++; }
         int main(void) { while (x) f(); return 0; }",
        "_Atomic int x = 1; int main(void) { while (x); return 0; }",
        "int x = 1; int main(void) { while (__atomic_load_n(&x, 0)); return 0; }",
        "int x = 1; int main(void) { while (x) __sync_synchronize(); return 0; }",
        "int puts(const char *); int x = 1; int main(void) { while (x) puts(\"\"); return 0; }",
        // It could be observed, if the condition changed.
        "int puts(const char *); int x = 1, y;
         int main(void) { while (x) if (y) puts(\"\"); return 0; }",
        // This is not known: the counter comes back in a very long time.
        "int x = 1; int main(void) { unsigned i = 0; while (x) i++; return i; }",
        // The loop that goes on is the one with the constant.
        "int x = 1; int main(void) { while (x) for (;;); return 0; }",
        "int x = 3; int main(void) { for (;;) { int i = 0; while (i < x) i++; } }",
        // A function that calls itself instead of a loop.
        "static int f(int n) { for (int i = 0; i < 2; i++) n = i; return n; }
         int x = 1; int main(void) { for (;;) x = f(x); }",
    ] {
        let verdict = verdict(text);
        assert_eq!(verdict, Verdict::Exhausted(Limit::Steps(100_000)), "{text}");
    }
}

#[test]
fn long_programs_get_all_their_steps() {
    for rounds in [1000, 8000, 60_000] {
        let text = format!("int main(void) {{ int i = 0; while (i < {rounds}) i++; return 0; }}");
        match verdict(&text) {
            Verdict::Defined(behavior) => assert!(behavior.steps > rounds, "{}", behavior.steps),
            Verdict::Exhausted(_) => assert_eq!(rounds, 60_000),
            other => panic!("{other:?}"),
        }
    }
}
