//! Every program ends in a verdict: limits hold, and nothing panics.

#![expect(clippy::disallowed_methods, reason = "programs to mutate are files")]

#[path = "support/mutants.rs"]
mod mutants;

use std::thread;

use farrier_front::fuzzing::token_program;
use farrier_front::parse;
use farrier_lang::{Dialect, Program, STACK_BYTES, SourceText, target};
use farrier_machine::{Limit, Options, Run, UbKind, Verdict, run};

/// Runs `work` with the stack that programs may need.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match thread.unwrap().join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn read(text: &str) -> Option<Program> {
    let options = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: true,
    };
    parse(&[SourceText::new("test.c", text)], &options).ok()
}

fn run_text(text: &str, options: &Options) -> Run {
    with_stack(|| run(&read(text).expect("the program is accepted"), options))
}

#[test]
fn endless_recursion_reaches_the_limit_of_depth() {
    let text = "int f(int n) { return f(n) + 1; } int main(void) { return f(0); }";
    let run = run_text(text, &Options { depth: 5000, ..Options::default() });
    assert_eq!(run.verdict, Verdict::Exhausted(Limit::Depth(5000)));
    let verdict = run_text(text, &Options::default()).verdict;
    assert!(matches!(verdict, Verdict::Exhausted(Limit::Depth(_))), "{verdict:?}");
}

#[test]
fn recursion_with_large_objects_reaches_a_limit() {
    let text =
        "int f(int n) { int a[1000]; a[n] = n; return f(a[n]); } int main(void) { return f(0); }";
    let verdict = run_text(text, &Options { memory: 1 << 20, ..Options::default() }).verdict;
    assert_eq!(verdict, Verdict::Exhausted(Limit::Memory(1 << 20)));
}

#[test]
fn endless_loops_reach_the_limit_of_steps() {
    for body in [
        "for (;;) { }",
        "while (1) x++;",
        "do { } while (1);",
        "again: goto again;",
        "for (volatile int v = 0; ; v = 1) { }",
        "while (1) { int y = 1; x += y; }",
    ] {
        let text = format!("unsigned x; int main(void) {{ {body} }}");
        let verdict = run_text(&text, &Options { steps: 10_000, ..Options::default() }).verdict;
        assert_eq!(verdict, Verdict::Exhausted(Limit::Steps(10_000)), "{body}");
    }
}

#[test]
fn a_leak_reaches_the_limit_of_memory() {
    let leak = "void *malloc(unsigned long); int main(void) { while (1) malloc(1000); }";
    let verdict = run_text(leak, &Options { memory: 1 << 20, ..Options::default() }).verdict;
    assert_eq!(verdict, Verdict::Exhausted(Limit::Memory(1 << 20)));
    // What is freed can be used again, as often as you like.
    let balanced = "void *malloc(unsigned long); void free(void *);\
        int main(void) { for (int i = 0; i < 10000; i++) free(malloc(1000)); }";
    let verdict = run_text(balanced, &Options { memory: 1 << 20, ..Options::default() }).verdict;
    assert!(matches!(verdict, Verdict::Defined(_)), "{verdict:?}");
}

#[test]
fn huge_objects_reach_the_limit_of_memory() {
    for text in [
        "char big[1ul << 40]; int main(void) { return big[5]; }",
        "int main(void) { char big[1ul << 40]; big[0] = 1; return big[0]; }",
        "void *malloc(unsigned long); int main(void) { return malloc(1ul << 62) == 0; }",
        "void *malloc(unsigned long); int main(void) { return malloc(-1ul) == 0; }",
        "void *calloc(unsigned long, unsigned long); int main(void) { return !calloc(1ul << 31, 1ul << 20); }",
        "int main(void) { long n = 1l << 50; char a[n]; a[0] = 1; return a[0]; }",
        "struct s { int a[1 << 28]; } f(void); struct s s; int main(void) { struct s t = s; return t.a[0]; }",
        // The type of each byte of an allocation is charged, too.
        "void *malloc(unsigned long); int main(void) { int *p = malloc(1 << 22); *p = 1; p = malloc(4); return !p; }",
    ] {
        let verdict = run_text(text, &Options { memory: 1 << 24, ..Options::default() }).verdict;
        assert!(matches!(verdict, Verdict::Exhausted(Limit::Memory(_))), "{text}: {verdict:?}");
    }
}

#[test]
fn endless_output_reaches_a_limit() {
    let text =
        "int printf(const char *, ...); int main(void) { while (1) printf(\"%1000000d\", 1); }";
    let run = run_text(text, &Options::default());
    assert!(matches!(run.verdict, Verdict::Exhausted(Limit::Output(_))), "{:?}", run.verdict);
}

#[test]
fn odd_programs_have_verdicts() {
    // Each is accepted; what matters is that there is a verdict, and which.
    type Wanted = fn(&Verdict) -> bool;
    let defined: Wanted = |verdict| matches!(verdict, Verdict::Defined(_));
    let cases: &[(&str, Wanted)] = &[
        ("int main; ", |verdict| matches!(verdict, Verdict::Unsupported(_))),
        ("void f(void) { }", |verdict| matches!(verdict, Verdict::Unsupported(_))),
        ("int main(void);", |verdict| matches!(verdict, Verdict::Unsupported(_))),
        ("void main(void) { }", |_| true),
        ("int main(int a, char **b, char **c) { return a + (*b != 0) + (*c != 0); }", defined),
        ("int main(int a, char **b) { return b[a] != 0; }", defined),
        ("int main(int n, char **v) { return n < 0 ? main(n, v) : 0; }", defined),
        ("static int n; int main(void) { return n++ < 5 ? main() : 0; }", defined),
        (
            "struct s { } a, b; int main(void) { a = b; struct s *p = &a; *p = b; return 0; }",
            defined,
        ),
        ("int z[0]; int main(void) { return sizeof z; }", defined),
        ("int z[0]; int main(void) { return z[0]; }", |verdict| match verdict {
            Verdict::Undefined(ub) => ub.kind == UbKind::OutOfBounds,
            _ => false,
        }),
        ("int main(void) { switch (1) { } switch (0) case 0: ; return 0; }", defined),
        ("int main(void) { return ({ ; 0; }); }", defined),
        // Code is no data: a program cannot change itself.
        ("int main(void) { *(char *)main = 1; return 0; }", |verdict| match verdict {
            Verdict::Undefined(ub) => ub.kind == UbKind::InvalidPointer,
            _ => false,
        }),
        ("void *p = &p; int main(void) { return p == *(void **)p ? 0 : 1; }", defined),
        ("int main(void) { void *a[1]; a[0] = a; return a[0] != a; }", defined),
    ];
    for (text, wanted) in cases {
        let verdict = run_text(text, &Options { steps: 100_000, ..Options::default() }).verdict;
        assert!(wanted(&verdict), "{text}: {verdict:?}");
    }
}

/// xorshift64: any generator would do, as long as it is always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound
    }
}

#[test]
fn random_tokens_have_verdicts() {
    with_stack(|| {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let mut accepted = 0;
        for number in 0..8_000 {
            let length = random.below(40);
            let bytes: Vec<u8> = (0..length).map(|_| (random.next() >> 32) as u8).collect();
            if let Some(program) = token_program(&bytes) {
                println!("{number}: {bytes:?}");
                accepted += 1;
                run(&program, &mutants::small());
            }
        }
        assert!(accepted > 100, "only {accepted} were accepted: too few to mean anything");
    });
}

#[test]
fn mutated_programs_have_verdicts() {
    with_stack(|| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut choose = |bound| random.below(bound);
        let mut accepted = 0;
        for (path, text) in mutants::programs() {
            for _ in 0..20 {
                let mutant = mutants::mutate(&text, &mut choose);
                println!("{}\n{mutant}", path.display());
                accepted += usize::from(mutants::check(&mutant, &mut choose));
            }
        }
        assert!(accepted > 1000, "only {accepted} were accepted: too few to mean anything");
    });
}
