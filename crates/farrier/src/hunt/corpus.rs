//! Programs from elsewhere: the C files in a directory.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use farrier_front::Options;
use farrier_harness::{
    Expectation, Origin, PreprocessOptions, Recipe, Subject, TestCase, Unit, preprocess,
};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Dialect, Entity, ExprKind, FunctionId, Program, SourceText, Target};
use farrier_machine::{Limit, Verdict, certify};

use crate::finding::machine_options;

/// How many operations a program may need: about a second.
const STEPS: u64 = 100_000_000;

/// How much memory a program may need.
const MEMORY: u64 = 128 << 20;

/// The C files beneath a directory, in the order of their names.
#[derive(Debug)]
pub(crate) struct Corpus {
    directory: PathBuf,
    /// Names within the directory.
    files: Vec<PathBuf>,
}

/// What is known of a file.
#[derive(Debug)]
pub(super) enum Piece {
    /// The machine says what it does, or why it cannot.
    Case(TestCase),
    /// It may do one thing or another, and why.
    Meaningless(TestCase, String),
    /// It is no program here, and why.
    Unreadable(String),
}

impl Corpus {
    /// Looks for C files.
    pub(crate) fn read(directory: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        collect(directory, Path::new(""), &mut files)?;
        files.sort();
        if files.is_empty() {
            bail!("--corpus `{}` holds no file whose name ends in .c", directory.display());
        }
        Ok(Self { directory: directory.to_owned(), files })
    }

    /// How many programs there are.
    pub(crate) fn count(&self) -> u64 {
        self.files.len() as u64
    }

    /// By which one sees that the files are still the same: a hash of names and lengths.
    pub(crate) fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for file in &self.files {
            let length = fs::metadata(self.directory.join(file)).map_or(0, |found| found.len());
            let name = file.as_os_str().as_encoded_bytes();
            hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
            hasher.update(&length.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The program with a number, preprocessed by a subject.
    pub(super) fn program(&self, number: u64, target: &'static Target, subject: &Subject) -> Piece {
        let file = usize::try_from(number).ok().and_then(|number| self.files.get(number));
        match file {
            Some(file) => read_file(&self.directory, file, target, subject),
            None => Piece::Unreadable("there is no such file".into()),
        }
    }
}

/// The program in a file, preprocessed by a subject. What is compiled is the text of the program
/// that the machine has judged, so that no macro can make another of it.
pub(super) fn read_file(
    directory: &Path,
    file: &Path,
    target: &'static Target,
    subject: &Subject,
) -> Piece {
    let path = directory.join(file);
    let dialect = Dialect::C17;
    let options = PreprocessOptions {
        compiler: subject.command.iter().chain(&subject.flags).map(OsString::from).collect(),
        ..PreprocessOptions::new(target, dialect)
    };
    let text = match preprocess(Unit::File(&path), &options) {
        Ok(preprocessed) => preprocessed.text,
        Err(error) => return Piece::Unreadable(format!("cannot be preprocessed: {error}")),
    };
    let recipe = Recipe::new(Origin::Corpus {
        path: file.to_string_lossy().into_owned(),
        hash: blake3::hash(&fs::read(&path).unwrap_or_default()).to_hex()[..32].to_owned(),
    });
    let case =
        |source: SourceText, expectation| TestCase { sources: vec![source], expectation, recipe };
    let source = SourceText::new(file_name(file), text);
    let options = Options { target, dialect, permissive: false };
    let mut program = match farrier_front::parse(std::slice::from_ref(&source), &options) {
        Ok(program) => program,
        Err(failure) => {
            let why = format!("Farrier cannot read it: {}", failure.diagnostic.message);
            return Piece::Case(case(source, Expectation::agreement(why)));
        }
    };
    forget_unused(&mut program);
    let source = SourceText::new(source.name, print(&program, &PrintOptions::default()));
    let options = farrier_machine::Options { steps: STEPS, memory: MEMORY, ..machine_options() };
    let meaningless = match certify(program, &options) {
        Ok(certified) => {
            return Piece::Case(case(source, Expectation::certified(&certified)));
        }
        Err(verdict) => match *verdict {
            Verdict::Defined(_) => unreachable!("what is defined has a certificate"),
            Verdict::Undefined(found) => {
                format!("undefined behaviour ({})", found.kind.name())
            }
            Verdict::Unspecified(found) => {
                format!("unspecified behaviour ({})", found.cause.name())
            }
            Verdict::Unsupported(found) => {
                let why = format!("unsupported: {}", found.feature);
                return Piece::Case(case(source, Expectation::agreement(why)));
            }
            Verdict::Exhausted(limit) => {
                let what = match limit {
                    Limit::Steps(_) => "operations",
                    Limit::Memory(_) => "memory",
                    Limit::Depth(_) => "calls",
                    Limit::Output(_) => "output",
                };
                let why = format!("it needs too much: {what}");
                return Piece::Case(case(source, Expectation::agreement(why)));
            }
        },
    };
    Piece::Meaningless(case(source, Expectation::Nothing), meaningless)
}

/// Removes the declarations of functions that are never called. Headers are full of them, and of
/// types that only the compiler knows whose headers they are.
fn forget_unused(program: &mut Program) {
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
}

/// Adds the C files beneath a directory. Links are not followed: they may lead in circles.
fn collect(base: &Path, within: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let directory = base.join(within);
    let failed = || format!("cannot read the corpus `{}`", directory.display());
    for entry in fs::read_dir(&directory).with_context(failed)? {
        let entry = entry.with_context(failed)?;
        let name = within.join(entry.file_name());
        if entry.file_type().with_context(failed)?.is_dir() {
            collect(base, &name, files)?;
        } else if name.extension().is_some_and(|end| end == "c") {
            files.push(name);
        }
    }
    Ok(())
}

/// A name that every compiler takes for a file.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    name.chars()
        .enumerate()
        .map(|(index, c)| if plain(c) || c == '-' && index > 0 { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_so_that_no_compiler_takes_it_for_an_option() {
        assert_eq!(file_name(Path::new("sub/20001-1.c")), "20001-1.c");
        assert_eq!(file_name(Path::new("-o a.c")), "_o_a.c");
    }
}
