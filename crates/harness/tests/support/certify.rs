//! Expectations for tests.

use farrier_harness::Expectation;
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText};

/// The expectation that a program does what the machine says.
pub(crate) fn certify(text: &str) -> Expectation {
    let options =
        farrier_front::Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let program = farrier_front::parse(&[SourceText::new("program.c", text)], &options);
    let program = program.unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
    let certified = farrier_machine::certify(program, &farrier_machine::Options::default());
    Expectation::certified(&certified.expect("it is defined"))
}
