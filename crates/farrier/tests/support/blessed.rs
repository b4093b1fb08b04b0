//! What the command says of a file, against the text that was blessed beside it.

use std::ffi::OsStr;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is in a directory, in the order of the names.
pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// The files of a directory with an extension, in the order of the names.
pub(crate) fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files = entries(directory);
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files
}

/// Runs the command in the directory of `path`: what it says on standard error, if it
/// ends with this status.
pub(crate) fn messages<A: AsRef<OsStr>>(
    path: &Path,
    arguments: impl IntoIterator<Item = A>,
    status: i32,
) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(arguments)
        .current_dir(path.parent().expect("a directory"))
        .stdin(Stdio::null())
        .output()
        .expect("farrier can be started");
    let stderr = String::from_utf8(output.stderr).expect("messages are text");
    if output.status.code() != Some(status) {
        return Err(format!("ended with {}, not with {status}\n{stderr}", output.status));
    }
    Ok(stderr)
}

/// Compares messages with the file beside `path`, which FARRIER_BLESS=1 writes first.
pub(crate) fn compare(path: &Path, stderr: &str) -> Result<(), String> {
    let blessed = path.with_extension("stderr");
    if std::env::var_os("FARRIER_BLESS").is_some() {
        fs::write(&blessed, stderr).expect("written");
    }
    let expected = fs::read_to_string(&blessed).unwrap_or_default();
    if expected != stderr {
        return Err(format!("expected:\n{expected}\nfound:\n{stderr}"));
    }
    Ok(())
}

/// Fails with all that is wrong with the files.
pub(crate) fn check_all<T>(
    files: &[T],
    path: impl Fn(&T) -> &Path,
    check: impl Fn(&T) -> Result<(), String>,
) {
    let mut report = String::new();
    for file in files {
        if let Err(trouble) = check(file) {
            write!(report, "\n{}: {trouble}\n", path(file).display()).expect("a string takes all");
        }
    }
    assert!(report.is_empty(), "{report}\nFARRIER_BLESS=1 accepts the messages as they are");
}
