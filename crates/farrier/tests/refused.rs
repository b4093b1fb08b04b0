//! What the front end refuses, and the words it finds.
//!
//! Each file in `tests/refused` has one error, and a comment on its line that says what
//! the message contains: `//~ words`, or `//~^ words` for the line above. What the user
//! sees is in the file beside it with `.stderr` at its end; FARRIER_BLESS=1 writes it.
//! A first line `// options: ...` gives arguments of the command.

#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

#[path = "support/blessed.rs"]
mod blessed;

use std::fs;
use std::path::{Path, PathBuf};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused")
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
fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a text");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a file");
    let options = text.lines().next().and_then(|line| line.strip_prefix("// options: "));
    let options = options.unwrap_or_default().split_whitespace();
    let arguments = ["fmt", "--preprocessed"].into_iter().chain(options).chain([name]);
    let stderr = blessed::messages(path, arguments, 2)?;
    let (line, words) = mark(&text);
    let title = stderr.lines().next().unwrap_or_default();
    if !title.contains(words) {
        return Err(format!("`{words}` is not in the message\n{stderr}"));
    }
    if named_line(&stderr) != Some(line) {
        return Err(format!("the place is not on line {line}\n{stderr}"));
    }
    blessed::compare(path, &stderr)
}

#[test]
fn every_refusal_says_what_is_wrong_and_where() {
    blessed::check_all(&blessed::files(&corpus(), "c"), |path| path, |path| check(path));
}

#[test]
fn every_blessed_message_has_its_program() {
    for blessed in blessed::files(&corpus(), "stderr") {
        assert!(blessed.with_extension("c").exists(), "{} is a leftover", blessed.display());
    }
}
