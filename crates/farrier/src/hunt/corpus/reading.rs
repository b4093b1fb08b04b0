//! From a file of a corpus to what a hunt can do with it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use farrier_front::Options;
use farrier_harness::{Error, Limits, PreprocessOptions, Subject, Unit, preprocess};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Dialect, Entity, ExprKind, FunctionId, Program, SourceText, Target};
use farrier_machine::{Certified, Limit, Verdict, certify};

use super::directives;
use crate::finding::machine_options;

/// How many operations a program may need: about a second.
const STEPS: u64 = 100_000_000;

/// How much memory a program may need.
const MEMORY: u64 = 128 << 20;

/// What a file may hold, and with its headers.
const MOST_BYTES: u64 = 4 << 20;
const MOST_PREPROCESSED: usize = 16 << 20;

/// What preprocessing may take.
const PREPROCESSING: Duration = Duration::from_secs(10);

/// The language that files are read as.
const DIALECT: Dialect = Dialect::C17;

/// What a file is, for a hunt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FileCause {
    /// The machine knows what it does.
    Defined,
    /// It has undefined behaviour.
    Undefined,
    /// It may do one thing or another.
    Unspecified,
    /// The machine does not model something.
    Unsupported,
    /// The machine gave up.
    TooLong,
    /// There is nothing to run.
    WithoutMain,
    /// The front end refuses it.
    NotParsed,
    /// A header is not there.
    MissingHeader,
    /// The preprocessor refuses it, or does not end.
    NotPreprocessed,
    /// It is binary, or in another encoding than UTF-8.
    NotText,
    /// It cannot be opened, is no file, or is too long.
    Unreadable,
    /// The generator fails.
    NotMade,
}

/// What there is to say of a cause.
#[derive(Debug)]
pub(crate) struct FileCauseRow {
    cause: FileCause,
    /// Its name.
    pub(crate) name: &'static str,
    /// What a hunt does with such files.
    pub(crate) serves: &'static str,
}

const fn row(cause: FileCause, name: &'static str, serves: &'static str) -> FileCauseRow {
    FileCauseRow { cause, name, serves }
}

/// Every cause, in the order of the enumeration.
pub(crate) static CAUSES: &[FileCauseRow] = &[
    row(FileCause::Defined, "defined", "wrong code and crashes"),
    row(FileCause::Undefined, "undefined", "crashes"),
    row(FileCause::Unspecified, "unspecified", "crashes"),
    row(FileCause::Unsupported, "unsupported", "crashes, and votes of compilers"),
    row(FileCause::TooLong, "too long", "crashes, and votes of compilers"),
    row(FileCause::WithoutMain, "without main", "crashes"),
    row(FileCause::NotParsed, "not parsed", "crashes, and votes of compilers"),
    row(FileCause::MissingHeader, "missing header", "nothing"),
    row(FileCause::NotPreprocessed, "not preprocessed", "nothing"),
    row(FileCause::NotText, "not text", "nothing"),
    row(FileCause::Unreadable, "unreadable", "nothing"),
    row(FileCause::NotMade, "not made", "nothing"),
];

impl FileCause {
    /// Its row.
    pub(crate) fn row(self) -> &'static FileCauseRow {
        &CAUSES[self as usize]
    }

    /// The cause of this name.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        CAUSES.iter().find(|row| row.name == name).map(|row| row.cause)
    }
}

/// What was found out about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reading {
    pub(super) cause: FileCause,
    /// The details of the cause.
    pub(super) why: String,
    /// Whether compilers may be judged by each other with it.
    pub(super) votes: bool,
    /// What is given to compilers; empty if the file is of no use.
    pub(super) text: String,
}

impl Reading {
    /// A file that is of no use.
    pub(super) fn useless(cause: FileCause, why: String) -> Self {
        Self { cause, why, votes: false, text: String::new() }
    }
}

/// The bytes of a file that is one, and not too long. Others, such as pipes, might never end.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Reading> {
    let failed = |why: String| Reading::useless(FileCause::Unreadable, why);
    let error = |error: std::io::Error| failed(format!("it cannot be read: {error}"));
    let found = fs::metadata(path).map_err(error)?;
    if !found.is_file() {
        return Err(failed("it is no file".to_owned()));
    }
    if found.len() > MOST_BYTES {
        return Err(failed(format!("it has more than {MOST_BYTES} bytes")));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(error)?;
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(error)?;
    Ok(bytes)
}

/// The files of a program, and how they are preprocessed.
pub(super) struct Files<'a> {
    /// Each with its bytes.
    pub(super) files: &'a [(PathBuf, Vec<u8>)],
    /// Directories of headers.
    pub(super) headers: &'a [PathBuf],
    pub(super) subject: &'a Subject,
}

/// Reads a program, preprocessed by a subject. What compilers get is the text of the program that
/// the machine judges, so that no macro can make another of it.
pub(super) fn read(program: &Files<'_>, target: &'static Target) -> Reading {
    let mut sources = Vec::new();
    for (path, bytes) in program.files {
        // To a preprocessor, most binary files are C with odd characters.
        if bytes.contains(&0) {
            return Reading::useless(FileCause::NotText, "it holds a zero byte".to_owned());
        }
        match preprocess(Unit::File(path), &preprocessing(program, target)) {
            Ok(preprocessed) => sources.push(SourceText::new("corpus.c", preprocessed.text)),
            Err(error) => return not_preprocessed(&error),
        }
    }
    // The directives are ASCII.
    let originals: Vec<_> =
        program.files.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    let votes = originals.iter().all(|text| directives::may_vote(text));
    let program = match parse(&sources, target, true) {
        Ok(program) => without_unused(program),
        Err(why) if originals.iter().any(|text| directives::is_wrong(text)) => {
            return Reading::useless(FileCause::NotParsed, why);
        }
        Err(why) => {
            // Texts that are not understood cannot be made one.
            let [only] = sources.as_slice() else {
                return Reading::useless(FileCause::NotParsed, why);
            };
            let text = only.text.to_string();
            return Reading { cause: FileCause::NotParsed, why, votes, text };
        }
    };
    let has_main = program.main().is_some();
    let text = print(&program, &PrintOptions::default());
    let (cause, why) = match certify_text(&text, target) {
        Ok(_) => (FileCause::Defined, String::new()),
        Err(_) if !has_main => (FileCause::WithoutMain, String::new()),
        Err(reason) => reason,
    };
    let is_unknown =
        matches!(cause, FileCause::Unsupported | FileCause::TooLong | FileCause::NotParsed);
    Reading { cause, why, votes: votes && is_unknown, text }
}

fn preprocessing(program: &Files<'_>, target: &'static Target) -> PreprocessOptions {
    let Files { headers, subject, .. } = program;
    let usual = PreprocessOptions::new(target, DIALECT);
    PreprocessOptions {
        compiler: subject.command.iter().chain(&subject.flags).map(OsString::from).collect(),
        include_dirs: headers.to_vec(),
        limits: Limits { time: PREPROCESSING, stdout_bytes: MOST_PREPROCESSED, ..usual.limits },
        ..usual
    }
}

fn not_preprocessed(error: &Error) -> Reading {
    let (cause, why) = match (error, error.missing_header()) {
        (_, Some(header)) => {
            let advice = "name its directory with -I";
            (FileCause::MissingHeader, format!("`{header}` is not there: {advice}"))
        }
        (Error::NotUtf8 { .. }, _) => (FileCause::NotText, error.to_string()),
        (Error::Rejected { messages, .. }, _) => {
            let first = messages.lines().find(|line| line.contains("error: "));
            (FileCause::NotPreprocessed, first.unwrap_or("the preprocessor refuses it").to_owned())
        }
        _ => (FileCause::NotPreprocessed, error.to_string()),
    };
    Reading::useless(cause, why)
}

fn parse(sources: &[SourceText], target: &'static Target, old: bool) -> Result<Program, String> {
    let options = Options { target, dialect: DIALECT, permissive: old };
    farrier_front::parse(sources, &options).map_err(|failure| failure.diagnostic.message)
}

/// Certifies a text, or says why it cannot be.
pub(super) fn certify_text(
    text: &str,
    target: &'static Target,
) -> Result<Certified, (FileCause, String)> {
    // The text is a print, which has no old habits.
    let program = parse(&[SourceText::new("corpus.c", text)], target, false)
        .map_err(|why| (FileCause::NotParsed, format!("its print: {why}")))?;
    if let Some(rarity) = program.rarity() {
        return Err((FileCause::Unsupported, rarity.describe().to_owned()));
    }
    let options = farrier_machine::Options { steps: STEPS, memory: MEMORY, ..machine_options() };
    certify(program, &options).map_err(|verdict| match *verdict {
        Verdict::Defined(_) => unreachable!("what is defined has a certificate"),
        Verdict::Undefined(found) => (FileCause::Undefined, found.kind.name().to_owned()),
        Verdict::Unspecified(found) => (FileCause::Unspecified, found.cause.name().to_owned()),
        Verdict::Unsupported(found) => (FileCause::Unsupported, found.feature),
        Verdict::Exhausted(limit) => {
            let what = match limit {
                Limit::Steps(_) => "operations",
                Limit::Memory(_) => "memory",
                Limit::Depth(_) => "calls",
                Limit::Output(_) => "output",
            };
            (FileCause::TooLong, format!("it needs too much: {what}"))
        }
    })
}

/// Removes the declarations of functions that are never called. Headers are full of them, and of
/// types that only the compiler knows whose headers they are.
fn without_unused(mut program: Program) -> Program {
    let used: BTreeSet<FunctionId> = program
        .exprs
        .iter()
        .filter_map(|(_, expr)| match expr.kind {
            ExprKind::Function(function) => Some(function),
            _ => None,
        })
        .collect();
    let functions = &program.functions;
    program.items.retain(|item| match item.entity() {
        Some(Entity::Function(function)) => {
            functions[function].body.is_some() || used.contains(&function)
        }
        _ => true,
    });
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_stand_in_the_order_of_the_enumeration() {
        for (index, row) in CAUSES.iter().enumerate() {
            assert_eq!(row.cause as usize, index, "{}", row.name);
            assert_eq!(FileCause::by_name(row.name), Some(row.cause));
        }
    }
}
