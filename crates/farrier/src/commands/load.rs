//! From the files that the user names to a program.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use farrier_front::{Diagnostic, Failure, Options};
use farrier_harness::{
    PreprocessOptions, Preprocessed, Unit, decode, default_compiler, preprocess,
};
use farrier_lang::{Program, SourceText, Sources};

use crate::cli::ProgramArguments;
use crate::terminal::{Report, Talk};

/// How long all texts of a program may be together, in bytes: places in them are
/// 32-bit numbers.
const MAX_BYTES: u64 = 1 << 30;

/// How many bytes of a file are looked at to see whether it is a text.
const HEAD_BYTES: usize = 4096;

/// What the preprocessor calls standard input, and so do we.
const STDIN_NAME: &str = "<stdin>";

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A file cannot be read.
    #[error("cannot read `{}`", .path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A directory is no text.
    #[error("`{}` is a directory", .0.display())]
    Directory(PathBuf),
    /// There is nothing to work on.
    #[error("`{}` is empty", .0.display())]
    Empty(PathBuf),
    /// Bytes that no C compiler takes for a program.
    #[error("`{}` is not a text: it contains null bytes", .0.display())]
    Binary(PathBuf),
    /// The texts are too long.
    #[error("`{}` is too big: Farrier reads at most {MAX_BYTES} bytes in all", .0.display())]
    TooBig(PathBuf),
    /// Standard input can be read only once.
    #[error("standard input is named twice")]
    StdinTwice,
    /// The preprocessor gives no text.
    #[error(transparent)]
    Preprocess(#[from] farrier_harness::Error),
    /// The text is not a program.
    #[error("{}", .0.report.message)]
    Refused(Box<Refused>),
}

/// A text in which something is wrong.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) report: Report,
    pub(crate) sources: Sources,
}

impl From<Failure> for Refused {
    fn from(Failure { diagnostic, sources }: Failure) -> Self {
        let Diagnostic { message, span, label, notes, help, .. } = diagnostic;
        let notes = notes.into_iter().map(|note| (note.span, note.label));
        let marks = std::iter::once((span, label)).chain(notes).collect();
        Self { report: Report { message, marks, help }, sources }
    }
}

/// Says why a command failed.
pub(crate) fn tell(error: &anyhow::Error, talk: Talk) {
    match error.downcast_ref::<Error>() {
        Some(Error::Refused(refused)) => talk.report(&refused.report, &refused.sources),
        known => talk.error(error, known.and_then(Error::help).as_deref()),
    }
}

impl Error {
    /// What the user can do about it, if that is not plain.
    pub(crate) fn help(&self) -> Option<String> {
        use farrier_harness::Error as Tool;
        Some(match self {
            Self::Read { .. } | Self::Refused(_) => return None,
            // Preprocessing happens in no sandbox, and with no list of subjects.
            Self::Preprocess(
                Tool::Sandbox { .. } | Tool::File { .. } | Tool::SubjectFile { .. },
            ) => return None,
            Self::Directory(path) => {
                format!("name the C files in it, such as `{}`", path.join("main.c").display())
            }
            Self::Empty(_) => "leave it out, or put at least one declaration into it".into(),
            Self::Binary(_) => "name a C file; object files and executables cannot be read".into(),
            Self::TooBig(_) => "split the program, or name fewer files".into(),
            Self::StdinTwice => "write `-` once".into(),
            Self::Preprocess(Tool::Missing { program }) => format!(
                "install `{program}`, name another compiler with --cc, \
                 or give preprocessed files with --preprocessed"
            ),
            Self::Preprocess(Tool::Start { .. } | Tool::Watch { .. }) => {
                "see that the command can be run by hand, or name another with --cc".into()
            }
            Self::Preprocess(Tool::Rejected { .. }) => {
                "see what the compiler says above; -I and -D go to it, --cc names another".into()
            }
            Self::Preprocess(Tool::TimedOut { .. } | Tool::TooMuchOutput { .. }) => {
                "look for an endless #include; or preprocess the file by hand and use --preprocessed"
                    .into()
            }
            Self::Preprocess(Tool::NotUtf8 { path, .. }) => {
                format!("convert it, for example: iconv -f latin1 -t utf-8 {}", path.display())
            }
        })
    }
}

/// Reads, preprocesses, parses and links the files into one program.
pub(crate) fn program(arguments: &ProgramArguments, talk: Talk) -> Result<Program, Error> {
    let inputs = inputs(arguments, talk)?;
    let options = Options {
        target: arguments.target,
        dialect: arguments.standard.dialect(),
        permissive: arguments.permissive,
    };
    farrier_front::parse(&inputs, &options)
        .map_err(|failure| Error::Refused(Box::new((*failure).into())))
}

/// Reads a file that the program of `arguments` will read.
pub(crate) fn data(path: &Path, arguments: &ProgramArguments) -> Result<Vec<u8>, Error> {
    if is_stdin(path) {
        if arguments.files.iter().any(|file| is_stdin(file)) {
            return Err(Error::StdinTwice);
        }
        return read_all(Path::new(STDIN_NAME), io::stdin().lock(), MAX_BYTES);
    }
    let failed = |source| Error::Read { path: path.to_owned(), source };
    read_all(path, File::open(path).map_err(failed)?, MAX_BYTES)
}

/// Reads a text that is not C, such as a configuration.
pub(crate) fn text(path: &Path) -> Result<String, Error> {
    if path.is_dir() {
        return Err(Error::Directory(path.to_owned()));
    }
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let bytes = read(path, File::open(path).map_err(failed)?, MAX_BYTES, 0)?;
    Ok(decode(path, bytes)?)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn inputs(arguments: &ProgramArguments, talk: Talk) -> Result<Vec<SourceText>, Error> {
    if arguments.files.iter().filter(|path| is_stdin(path)).count() > 1 {
        return Err(Error::StdinTwice);
    }
    let mut left = MAX_BYTES;
    arguments
        .files
        .iter()
        .map(|path| {
            let (name, text) = if is_stdin(path) {
                let name = Path::new(STDIN_NAME);
                let bytes = read(name, io::stdin().lock(), left, 0)?;
                (name, text_of(name, bytes, arguments.preprocessed, arguments, talk)?)
            } else {
                (path.as_path(), load(path, left, arguments, talk)?)
            };
            left = left
                .checked_sub(text.len() as u64)
                .ok_or_else(|| Error::TooBig(name.to_owned()))?;
            Ok(SourceText::new(name.to_string_lossy(), text))
        })
        .collect()
}

/// The preprocessed text of a file.
fn load(
    path: &Path,
    limit: u64,
    arguments: &ProgramArguments,
    talk: Talk,
) -> Result<String, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let metadata = fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(Error::Directory(path.to_owned()));
    }
    if metadata.len() > limit {
        return Err(Error::TooBig(path.to_owned()));
    }
    let mut file = File::open(path).map_err(failed)?;
    let preprocessed = arguments.preprocessed || path.extension().is_some_and(|end| end == "i");
    // Pipes can be read once, so that the preprocessor cannot have them.
    if preprocessed || !metadata.is_file() {
        let bytes = read(path, file, limit, metadata.len() as usize)?;
        return text_of(path, bytes, preprocessed, arguments, talk);
    }
    // The preprocessor reads it itself. We have a look first: our messages are better
    // than the many that it would have for a wrong file.
    let mut head = [0; HEAD_BYTES];
    let count = file.read(&mut head).map_err(failed)?;
    expect_text(path, &head[..count])?;
    expand(Unit::File(path), arguments, talk)
}

/// Reads a text of no more than `limit` bytes.
fn read(path: &Path, mut from: impl Read, limit: u64, expected: usize) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let mut bytes = Vec::with_capacity(expected + 1);
    from.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
    expect_text(path, &bytes)?;
    read_rest(path, from, limit, bytes)
}

/// Reads no more than `limit` bytes, so that no device can fill the memory.
fn read_all(path: &Path, from: impl Read, limit: u64) -> Result<Vec<u8>, Error> {
    read_rest(path, from, limit, Vec::new())
}

/// Adds to `bytes` what is left, if that is no more than `limit` in all.
fn read_rest(
    path: &Path,
    from: impl Read,
    limit: u64,
    mut bytes: Vec<u8>,
) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let left = (limit + 1).saturating_sub(bytes.len() as u64);
    from.take(left).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(Error::TooBig(path.to_owned()));
    }
    Ok(bytes)
}

/// Refuses what is plainly no C text, by its first bytes.
fn expect_text(path: &Path, head: &[u8]) -> Result<(), Error> {
    if head.is_empty() {
        return Err(Error::Empty(path.to_owned()));
    }
    if head.contains(&0) {
        return Err(Error::Binary(path.to_owned()));
    }
    Ok(())
}

fn text_of(
    name: &Path,
    bytes: Vec<u8>,
    preprocessed: bool,
    arguments: &ProgramArguments,
    talk: Talk,
) -> Result<String, Error> {
    if preprocessed {
        Ok(decode(name, bytes)?)
    } else {
        expand(Unit::Text { name, bytes: &bytes }, arguments, talk)
    }
}

/// The program that a text is, without a word; `None` if it is none. Its headers may be in a
/// directory.
pub(crate) fn read_quietly(
    text: &str,
    arguments: &ProgramArguments,
    directory: &Path,
) -> Option<Program> {
    let mut options = preprocess_options(arguments);
    options.include_dirs.insert(0, directory.to_owned());
    let unit = Unit::Text { name: Path::new("candidate.c"), bytes: text.as_bytes() };
    let text = preprocess(unit, &options).ok()?.text;
    let options = Options {
        target: arguments.target,
        dialect: arguments.standard.dialect(),
        permissive: arguments.permissive,
    };
    farrier_front::parse(&[SourceText::new("candidate.c", text)], &options).ok()
}

fn preprocess_options(arguments: &ProgramArguments) -> PreprocessOptions {
    let defaults = PreprocessOptions::new(arguments.target, arguments.standard.dialect());
    let compiler = arguments.cc.as_deref().unwrap_or(default_compiler(arguments.target));
    let included = arguments.include.iter().flat_map(|file| {
        // The compiler may run elsewhere. What is not here it finds among the headers.
        let here = file.exists().then(|| std::path::absolute(file).ok()).flatten();
        let file = here.unwrap_or_else(|| file.clone());
        ["-include".into(), file.into_os_string()]
    });
    PreprocessOptions {
        compiler: compiler.split_whitespace().map(Into::into).chain(included).collect(),
        include_dirs: arguments.include_dirs.clone(),
        defines: arguments.defines.clone(),
        undefines: arguments.undefines.clone(),
        ..defaults
    }
}

/// Runs the preprocessor and passes on what it says.
fn expand(unit: Unit<'_>, arguments: &ProgramArguments, talk: Talk) -> Result<String, Error> {
    let result = preprocess(unit, &preprocess_options(arguments));
    match &result {
        Ok(Preprocessed { messages, .. })
        | Err(farrier_harness::Error::Rejected { messages, .. }) => talk.pass_on(messages),
        Err(_) => {}
    }
    Ok(result?.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read_to_its_end() {
        let path = Path::new("endless");
        for limit in [10, 100_000] {
            let error = read(path, io::repeat(b' '), limit, 0).expect_err("it is too much");
            assert!(matches!(error, Error::TooBig(_)), "{error:?}");
            let exact = read(path, io::repeat(b' ').take(limit), limit, 0).expect("just enough");
            assert_eq!(exact.len() as u64, limit);
        }
    }
}
