//! GCC's own tests of its C compiler: where they are, and what a hunt makes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use farrier::{Classified, census};

use super::{WORKERS, corpora_directory, write};

/// The directories of GCC's tests that are unpacked: the C files with their headers.
const PARTS: &[&str] = &["gcc.c-torture", "gcc.dg", "c-c++-common"];

/// Directories whose files are counted apart; others go to the first one that they are in.
const GROUPS: &[&str] = &[
    "gcc.c-torture/execute",
    "gcc.c-torture/compile",
    "gcc.c-torture/unsorted",
    "gcc.dg/torture",
    "gcc.dg/vect",
    "gcc.dg/tree-ssa",
    "gcc.dg",
    "c-c++-common",
];

/// How many files there must be.
const LEAST_FILES: usize = 5_000;

/// One progress line for so many files.
const PROGRESS: usize = 500;

/// How many details of a cause are listed.
const DETAILS: usize = 8;

/// Unpacks GCC's tests where they are not unpacked yet, and returns their directory.
pub(super) fn unpack() -> Result<PathBuf> {
    let directory = corpora_directory().join("gcc-12");
    let complete = directory.join("complete-suite");
    if complete.exists() {
        return Ok(directory);
    }
    let archive = std::fs::read_dir("/usr/src/gcc-12")
        .ok()
        .and_then(|entries| {
            let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
            paths.find(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with("gcc-") && name.ends_with(".tar.xz")
            })
        })
        .context("no /usr/src/gcc-12/gcc-*.tar.xz; install the package gcc-12-source")?;
    println!("unpacking the C tests of {}", archive.display());
    std::fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let status = Command::new("tar")
        .arg("--extract")
        .arg("--file")
        .arg(&archive)
        .arg("--directory")
        .arg(&directory)
        .args(["--strip-components=3", "--wildcards"])
        .args(PARTS.iter().map(|part| format!("*/gcc/testsuite/{part}/*")))
        .status()
        .context("tar cannot be started")?;
    ensure!(status.success(), "tar could not unpack {}", archive.display());
    write(&complete, b"")?;
    Ok(directory)
}

/// Unpacks the tests, and says what a hunt makes of each.
pub(super) fn run(details: bool) -> Result<bool> {
    let directory = unpack()?;
    println!("the tests are in {}", directory.display());
    let cache = corpora_directory().join("suite");
    std::fs::create_dir_all(&cache)
        .with_context(|| format!("cannot create {}", cache.display()))?;
    let files = census(&directory, &cache, WORKERS, |done, all| {
        if done.is_multiple_of(PROGRESS) {
            println!("{done} of {all} files");
        }
    })?;
    println!("\n{}", by_group(&files));
    if details {
        println!("{}", by_detail(&files));
    }
    let panicked = files.iter().filter(|file| file.cause == "panicked");
    let panicked: Vec<&str> = panicked.map(|file| file.file.as_str()).collect();
    ensure!(panicked.is_empty(), "Farrier fails at {}", panicked.join(", "));
    println!("to hunt with them: farrier hunt --corpus {}", directory.display());
    Ok(files.len() >= LEAST_FILES)
}

/// A table of groups and causes.
fn by_group(files: &[Classified]) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for file in files {
        *counts.entry((group(&file.file), file.cause)).or_default() += 1;
        *counts.entry(("all", file.cause)).or_default() += 1;
    }
    let causes: BTreeSet<&str> = files.iter().map(|file| file.cause).collect();
    let of = |group: &str, cause: &str| counts.get(&(group, cause)).copied().unwrap_or(0);
    let mut causes: Vec<&str> = causes.into_iter().collect();
    causes.sort_by_key(|cause| std::cmp::Reverse(of("all", cause)));
    let mut text = format!("| tests | files | {} |\n|---|---|", causes.join(" | "));
    text += &"---|".repeat(causes.len());
    for group in GROUPS.iter().copied().chain(["all"]) {
        let row: Vec<usize> = causes.iter().map(|cause| of(group, cause)).collect();
        let cells: Vec<String> = row.iter().map(usize::to_string).collect();
        text += &format!("\n| {group} | {} | {} |", row.iter().sum::<usize>(), cells.join(" | "));
    }
    text.push('\n');
    text
}

fn group(file: &str) -> &'static str {
    GROUPS.iter().copied().find(|group| file.starts_with(group)).unwrap_or("others")
}

/// The most frequent details of each cause.
fn by_detail(files: &[Classified]) -> String {
    let mut causes: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for file in files {
        *causes.entry(file.cause).or_default().entry(&file.why).or_default() += 1;
    }
    let mut text = String::new();
    for (cause, details) in causes {
        let mut details: Vec<(&str, usize)> = details.into_iter().collect();
        details.sort_by_key(|(why, count)| (std::cmp::Reverse(*count), *why));
        for (why, count) in details.into_iter().filter(|(why, _)| !why.is_empty()).take(DETAILS) {
            text += &format!("{cause}: {count} times {}\n", why.lines().next().unwrap_or_default());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_by_group_and_cause() {
        let file =
            |file: &str, cause| Classified { file: file.to_owned(), cause, why: "so".to_owned() };
        let files = [
            file("gcc.dg/a.c", "defined"),
            file("gcc.dg/torture/a.c", "defined"),
            file("gcc.dg/torture/b.c", "undefined"),
        ];
        let table = by_group(&files);
        for row in [
            "| tests | files | defined | undefined |",
            "| gcc.dg/torture | 2 | 1 | 1 |",
            "| gcc.dg | 1 | 1 | 0 |",
            "| all | 3 | 2 | 1 |",
        ] {
            assert!(table.contains(row), "{row}: {table}");
        }
        assert_eq!(by_detail(&files), "defined: 2 times so\nundefined: 1 times so\n");
    }
}
