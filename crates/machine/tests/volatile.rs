//! Volatile accesses: each is made once, whatever the machine records beside it.

use farrier_front::parse;
use farrier_lang::{Dialect, SourceText, target};
use farrier_machine::{Options, Verdict, run};

fn accesses(text: &str) -> u64 {
    let options = farrier_front::Options {
        target: &target::X86_64_LINUX,
        dialect: Dialect::C17,
        permissive: false,
    };
    let input = SourceText::new("volatile.c", text);
    let program = parse(&[input], &options).unwrap_or_else(|failure| {
        panic!("{text}\nis refused: {}", failure.diagnostic.message);
    });
    match run(&program, &Options::default()).verdict {
        Verdict::Defined(behavior) => behavior.volatile_accesses,
        other => panic!("{text}\nis {other:?}"),
    }
}

#[test]
fn compound_assignment_reads_once_and_writes_once() {
    // The call writes through a pointer, so that the order of the operands is recorded.
    let program = |statement: &str| {
        format!(
            "volatile int v; volatile int *at = &v; int a[4]; int *volatile p = a; int x;
             int *other = &x;
             static int f(void) {{ *other = 1; return 1; }}
             int main(void) {{ {statement}; return 0; }}"
        )
    };
    assert_eq!(accesses(&program("v += 1")), 2);
    assert_eq!(accesses(&program("*at += f()")), 2);
    assert_eq!(accesses(&program("*at <<= f()")), 2);
    assert_eq!(accesses(&program("p += f()")), 2);
    assert_eq!(accesses(&program("(*at)++")), 2);
}
