//! What `farrier check` says of the programs in `crates/machine/tests`.
//!
//! The message for each program that is undefined, unspecified or unsupported stands
//! beside it in a file with `.stderr` at its end; FARRIER_BLESS=1 writes it. Which
//! verdict a program must get is tested where the programs are.

#![expect(clippy::disallowed_methods, reason = "a test of the command starts the command")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The directories, and the exit status for what is in them.
const VERDICTS: [(&str, i32); 3] = [("undefined", 1), ("unspecified", 1), ("unsupported", 2)];

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .expect("the corpus is there")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// The files with an extension, each with the exit status it must get.
fn files(extension: &str) -> Vec<(PathBuf, i32)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machine/tests");
    let mut files = Vec::new();
    for (verdict, status) in VERDICTS {
        for directory in entries(&corpus.join(verdict)) {
            let found = entries(&directory).into_iter();
            let found = found.filter(|path| path.extension().is_some_and(|e| e == extension));
            files.extend(found.map(|path| (path, status)));
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

fn check(path: &Path, status: i32, bless: bool) -> Result<(), String> {
    let blessed = path.with_extension("stderr");
    let text = fs::read_to_string(path).expect("a text");
    let Some(arguments) = arguments(path, &text) else { return Ok(()) };
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
fn every_finding_is_explained() {
    let bless = std::env::var_os("FARRIER_BLESS").is_some();
    let mut report = String::new();
    for (path, status) in files("c") {
        if let Err(trouble) = check(&path, status, bless) {
            write!(report, "\n{}: {trouble}\n", path.display()).expect("a string takes all");
        }
    }
    assert!(report.is_empty(), "{report}\nFARRIER_BLESS=1 accepts the messages as they are");
}

#[test]
fn every_blessed_message_has_its_program() {
    for (blessed, _) in files("stderr") {
        let text = fs::read_to_string(blessed.with_extension("c")).unwrap_or_default();
        let leftover = text.is_empty() || arguments(&blessed, &text).is_none();
        assert!(!leftover, "{} is a leftover", blessed.display());
    }
}
