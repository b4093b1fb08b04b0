//! What the front end refuses, and the words it finds.
//!
//! Each file in `tests/refused` has one error, and a comment on its line that says what
//! the message contains: `//~ words`, or `//~^ words` for the line above. What the user
//! sees is in the file beside it with `.stderr` at its end; FARRIER_BLESS=1 writes it.
//! A first line `// options: ...` gives arguments of the command.

#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused")
}

/// The files with an extension, in the order of their names.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(corpus())
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}

/// The line that is marked, and the words of its mark.
fn mark(text: &str) -> (usize, &str) {
    let mut marks = text.lines().zip(1..).filter_map(|(line, number)| {
        let (_, mark) = line.split_once("//~")?;
        Some(match mark.strip_prefix('^') {
            Some(words) => (number - 1, words.trim()),
            None => (number, mark.trim()),
        })
    });
    let mark = marks.next().expect("a line is marked with //~");
    assert!(marks.next().is_none(), "only one line is marked");
    mark
}

/// The line that a rendered diagnostic names first.
fn named_line(stderr: &str) -> Option<usize> {
    let place = stderr.lines().find_map(|line| line.trim_start().strip_prefix("--> "))?;
    place.rsplit(':').nth(1)?.parse().ok()
}

/// What is wrong with the diagnostic of one file.
fn check(path: &Path, bless: bool) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a text");
    let name = path.file_name().expect("a file");
    let options = text.lines().next().and_then(|line| line.strip_prefix("// options: "));
    let output = Command::new(env!("CARGO_BIN_EXE_farrier"))
        .args(["fmt", "--preprocessed"])
        .args(options.unwrap_or_default().split_whitespace())
        .arg(name)
        .current_dir(corpus())
        .stdin(Stdio::null())
        .output()
        .expect("farrier can be started");
    let stderr = String::from_utf8(output.stderr).expect("messages are text");
    if output.status.code() != Some(2) {
        return Err(format!("ended with {}, not with 2\n{stderr}", output.status));
    }
    let (line, words) = mark(&text);
    let title = stderr.lines().next().unwrap_or_default();
    if !title.contains(words) {
        return Err(format!("`{words}` is not in the message\n{stderr}"));
    }
    if named_line(&stderr) != Some(line) {
        return Err(format!("the place is not on line {line}\n{stderr}"));
    }
    let blessed = path.with_extension("stderr");
    if bless {
        fs::write(&blessed, &stderr).expect("written");
    }
    let expected = fs::read_to_string(&blessed).unwrap_or_default();
    if expected != stderr {
        return Err(format!("expected:\n{expected}\nfound:\n{stderr}"));
    }
    Ok(())
}

#[test]
fn every_refusal_says_what_is_wrong_and_where() {
    let bless = std::env::var_os("FARRIER_BLESS").is_some();
    let mut report = String::new();
    for path in files("c") {
        if let Err(trouble) = check(&path, bless) {
            let name = path.file_name().expect("a file").display();
            write!(report, "\n{name}: {trouble}\n").expect("a string takes all");
        }
    }
    assert!(report.is_empty(), "{report}\nFARRIER_BLESS=1 accepts the messages as they are");
}

#[test]
fn every_blessed_message_has_its_program() {
    for blessed in files("stderr") {
        assert!(blessed.with_extension("c").exists(), "{} is a leftover", blessed.display());
    }
}
