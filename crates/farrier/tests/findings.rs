//! What `farrier check` says of the programs in `crates/machine/tests`.
//!
//! The message for each program that is undefined, unspecified or unsupported stands
//! beside it in a file with `.stderr` at its end; FARRIER_BLESS=1 writes it. Which
//! verdict a program must get is tested where the programs are.

#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

#[path = "support/blessed.rs"]
mod blessed;

use std::fs;
use std::path::{Path, PathBuf};

/// The directories, and the exit status for what is in them.
const VERDICTS: [(&str, i32); 3] = [("undefined", 1), ("unspecified", 1), ("unsupported", 2)];

/// The files with an extension, each with the exit status it must get.
fn files(extension: &str) -> Vec<(PathBuf, i32)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machine/tests");
    let mut files = Vec::new();
    for (verdict, status) in VERDICTS {
        for directory in blessed::entries(&corpus.join(verdict)) {
            let found = blessed::files(&directory, extension);
            files.extend(found.into_iter().map(|path| (path, status)));
        }
    }
    files
}

/// The arguments that the first lines of a file ask for; `None` if the machine is known
/// to be wrong about it.
fn arguments(path: &Path, text: &str) -> Option<Vec<String>> {
    let mut arguments = vec!["check".to_owned()];
    let mut last = Vec::new();
    // Most do without, and are read faster then.
    if !text.lines().any(|line| line.starts_with('#')) {
        arguments.push("--preprocessed".to_owned());
    }
    for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
        match line.split_once(": ") {
            Some((key @ ("std" | "target" | "steps"), value)) => {
                arguments.push(format!("--{key}={value}"));
            }
            Some(("args", words)) => {
                last.push("--args".to_owned());
                last.extend(words.split(' ').map(str::to_owned));
            }
            Some(("not yet", _)) => return None,
            _ if line == "permissive" || line == "no-strict-aliasing" => {
                arguments.push(format!("--{line}"));
            }
            _ => {}
        }
    }
    let input = path.with_extension("stdin");
    let name = |path: &Path| path.file_name().expect("a file").to_string_lossy().into_owned();
    if input.exists() {
        arguments.push(format!("--stdin={}", name(&input)));
    }
    arguments.push(name(path));
    arguments.append(&mut last);
    Some(arguments)
}

fn check(path: &Path, status: i32) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a text");
    let Some(arguments) = arguments(path, &text) else { return Ok(()) };
    blessed::compare(path, &blessed::messages(path, arguments, status)?)
}

#[test]
fn every_finding_is_explained() {
    let files = files("c");
    blessed::check_all(&files, |(path, _)| path, |(path, status)| check(path, *status));
}

#[test]
fn every_blessed_message_has_its_program() {
    for (blessed, _) in files("stderr") {
        let text = fs::read_to_string(blessed.with_extension("c")).unwrap_or_default();
        let leftover = text.is_empty() || arguments(&blessed, &text).is_none();
        assert!(!leftover, "{} is a leftover", blessed.display());
    }
}
