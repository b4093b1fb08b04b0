//! What is wrong with a text, where, and what to do about it.

use farrier_lang::{Sources, Span};

/// Why a text was not accepted. Parsing stops at the first error.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The texts, for showing the places.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of refusal it is.
    pub reason: Reason,
    /// One sentence without a full stop, lower case: what is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Words to put under the marked text; may be empty.
    pub label: String,
    /// Other places that matter.
    pub notes: Vec<Note>,
    /// What to do; a sentence, if there is something to say.
    pub help: Option<String>,
}

/// Another place that explains the error, such as a previous declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Where.
    pub span: Span,
    /// What is there.
    pub label: String,
}

/// Why a text is refused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// It is not C.
    Syntax,
    /// It breaks a constraint of the language.
    Constraint,
    /// It is C or an extension of it that Farrier does not read.
    Unsupported,
    /// It exceeds a limit, such as that on nesting.
    Limit,
}

impl Diagnostic {
    /// The texts together are longer than spans can say.
    pub(crate) fn too_large(start: u32) -> Self {
        Self {
            reason: Reason::Limit,
            message: "the files together are larger than 4 GiB".to_owned(),
            span: Span { start, end: start },
            label: String::new(),
            notes: Vec::new(),
            help: Some("give fewer files at a time".to_owned()),
        }
    }
}
