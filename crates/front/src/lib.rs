//! C text to [`Program`]: lexer, parser and typing of preprocessed C with the
//! GNU extensions. Pure: texts come in as values, diagnostics go out as values.

mod diagnostic;
pub mod fuzzing;
mod lexer;
mod literal;
mod parser;
mod scope;
mod token;

use farrier_lang::{Dialect, Program, SourceText, Sources, Target};

use lexer::Keywords;
use parser::Parser;

pub use diagnostic::{Diagnostic, Failure, Note, Reason};

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

impl Options {
    /// A program for a machine, in the usual dialect.
    pub fn new(target: &'static Target) -> Self {
        Self { target, dialect: Dialect::default(), permissive: false }
    }
}

/// Parses preprocessed translation units and links them into one program. The thread needs
/// [`STACK_BYTES`](farrier_lang::STACK_BYTES) of stack for the deepest programs.
pub fn parse(inputs: &[SourceText], options: &Options) -> Result<Program, Box<Failure>> {
    let mut program = Program::new(options.target, options.dialect);
    let keywords = Keywords::new(&mut program.names, options.dialect);
    // All units are read before any is parsed, so that a new name can be told
    // from every name that occurs.
    let mut units = Vec::with_capacity(inputs.len());
    for input in inputs {
        let start = program.sources.next_start();
        let length = input.text.len() as u64;
        if u64::from(start) + length >= u64::from(u32::MAX) {
            program.sources.push(SourceText::new(input.name.clone(), ""), Vec::new());
            return fail(program.sources, Diagnostic::too_large(start));
        }
        let lexed = lexer::lex(&input.text, start, &keywords, &mut program.names);
        let (markers, lexed) = match lexed {
            Ok(mut lexed) => (std::mem::take(&mut lexed.markers), Ok(lexed)),
            Err(failed) => (failed.markers, Err(failed.diagnostic)),
        };
        program.sources.push(input.clone(), markers);
        match lexed {
            Ok(lexed) => units.push((start, lexed)),
            Err(diagnostic) => return fail(program.sources, diagnostic),
        }
    }
    let sources = program.sources.clone();
    let mut parser = Parser::new(program, options);
    for (input, (start, lexed)) in inputs.iter().zip(units) {
        if let Err(diagnostic) = parser.unit(&input.text, start, lexed) {
            return fail(sources, *diagnostic);
        }
    }
    Ok(parser.finish())
}

fn fail(sources: Sources, diagnostic: Diagnostic) -> Result<Program, Box<Failure>> {
    Err(Box::new(Failure { sources, diagnostic }))
}
