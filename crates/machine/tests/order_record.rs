//! The record of accesses stays small, however long a called function runs.

use farrier_front::Options as FrontOptions;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Options, Verdict, run};

/// The most memory that this process ever had, in kilobytes.
#[expect(clippy::disallowed_methods, reason = "the kernel knows the memory of this process")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says it");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("it has a peak");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn accesses_of_long_calls_are_not_piled_up() {
    // Both operands change objects, so every access is recorded; the second body has
    // expressions of its own that are recorded inside.
    let text = "unsigned a, b, c; \
        unsigned next(void) { return ++c; } \
        unsigned f(void) { for (int i = 0; i < 200000; i++) { a = b + i; b = a ^ c; } return a; } \
        unsigned g(void) { for (int i = 0; i < 100000; i++) { b = next() - i; } return 1; } \
        int main(void) { return (f() + 1) * (g() & 0) ? 1 : 0; }";
    let options = FrontOptions { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let input = SourceText::new("test.c", text);
    let program = farrier_front::parse(&[input], &options).expect("it parses");
    let before = peak();
    let ran = run(&program, &Options::default());
    let grown = peak() - before;
    assert!(matches!(ran.verdict, Verdict::Unspecified(_)), "{:?}", ran.verdict);
    assert!(grown < 16_000, "{grown} KB for a program with three objects");
}
