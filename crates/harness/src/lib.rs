//! Compilers under test: the only crate that starts processes.
