//! Rules on files as text.

use super::Problem;
use crate::repository::File;

pub(super) fn check_mod_files(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.name() == "mod.rs") {
        problems.push(Problem::new(&file.path, 0, "rename it to the name of its module"));
    }
}

const WARNING_LINES: usize = 800;
const FAILURE_LINES: usize = 1200;

pub(super) fn check_length(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        let is_table = file.name() == "table.rs" || file.path.contains("/table/");
        let lines = file.text.as_deref().map_or(0, |text| text.lines().count());
        if lines > WARNING_LINES && !is_table {
            let message = format!("{lines} lines; more than {FAILURE_LINES} fail");
            let warning = lines <= FAILURE_LINES;
            problems.push(Problem { warning, ..Problem::new(&file.path, lines, message) });
        }
    }
}

/// What people write by hand; C files and snapshots may need any white space.
const WRITTEN: &[&str] = &["rs", "toml", "md", "txt", "sh", "yml"];

pub(super) fn check_white_space(files: &[File], problems: &mut Vec<Problem>) {
    for file in files.iter().filter(|file| file.has_extension(WRITTEN)) {
        for (line, text) in file.lines() {
            if text.trim_end() != text {
                problems.push(Problem::new(&file.path, line, "white space at the end"));
            }
            if text.contains('\t') && file.has_extension(&["rs"]) {
                problems.push(Problem::new(&file.path, line, "a tab: write \\t or spaces"));
            }
        }
        if file.text.as_ref().is_some_and(|text| !text.is_empty() && !text.ends_with('\n')) {
            problems.push(Problem::new(&file.path, 0, "no line feed at the end"));
        }
    }
}

/// The first directory of a path that belongs to one machine or person.
const MACHINE_DIRECTORIES: &[&str] = &["home", "root", "Users", "work", "builds"];

pub(super) fn check_machine_paths(files: &[File], problems: &mut Vec<Problem>) {
    for file in files {
        for (line, text) in file.lines() {
            for directory in MACHINE_DIRECTORIES {
                let path = format!("/{directory}/");
                let absolute = |at: usize| {
                    !text[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.~*})/".contains(c))
                };
                if text.match_indices(&path).any(|(at, _)| absolute(at)) {
                    problems.push(Problem::new(&file.path, line, format!("a path in {path}")));
                }
            }
        }
    }
}

const PUBLIC_REGISTRY: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub(super) fn check_registry(files: &[File], problems: &mut Vec<Problem>) {
    for file in files {
        let is_lock = file.name() == "Cargo.lock";
        let is_config = file.path.contains(".cargo/");
        let is_manifest = file.name() == "Cargo.toml";
        for (line, text) in file.lines() {
            if is_lock && text.starts_with("source = ") && text != PUBLIC_REGISTRY {
                problems.push(Problem::new(&file.path, line, "not the public registry"));
            }
            let replaces = ["[source", "[registr", "registry ="];
            if is_config && replaces.iter().any(|word| text.trim_start().starts_with(word)) {
                problems.push(Problem::new(&file.path, line, "a registry of one's own"));
            }
            if (is_manifest || is_config) && text.contains("registry-index") {
                problems.push(Problem::new(&file.path, line, "a registry of one's own"));
            }
        }
    }
}

pub(super) fn check_toolchain(files: &[File], problems: &mut Vec<Problem>) {
    for file in files {
        if ["rust-toolchain.toml", "rust-toolchain"].contains(&file.name()) {
            problems.push(Problem::new(&file.path, 0, "delete it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tidy::tests::{complaints, complaints_in};

    #[test]
    fn mod_files_and_toolchains_are_found() {
        assert_eq!(complaints("no mod.rs", "a/mod.rs", "").len(), 1);
        assert_eq!(complaints("no mod.rs", "a/amod.rs", "").len(), 0);
        assert_eq!(complaints("no pinned toolchain", "rust-toolchain.toml", "").len(), 1);
    }

    #[test]
    fn long_files_warn_and_longer_ones_fail() {
        let warnings = |path, lines: usize| -> Vec<bool> {
            let text = "//\n".repeat(lines);
            let problems = complaints_in("length of files", &[(path, &text)]);
            problems.iter().map(|problem| problem.warning).collect()
        };
        assert!(warnings("a.rs", 800).is_empty());
        assert_eq!(warnings("a.rs", 801), [true]);
        assert_eq!(warnings("a.rs", 1201), [false]);
        assert!(warnings("a/table.rs", 1201).is_empty());
    }

    #[test]
    fn white_space_is_found() {
        assert_eq!(complaints("white space", "a.rs", "a \nb\n\tc\nd\r\n"), [1, 3, 4]);
        assert_eq!(complaints("white space", "a.md", "a"), [0]);
        assert!(complaints("white space", "a.c", "a \n").is_empty());
    }

    #[test]
    fn machine_paths_are_found() {
        let rule = "no paths of one machine";
        let path = format!("see /{}/me/file", "home");
        assert_eq!(complaints(rule, "a.md", &path), [1]);
        let address = format!("https://example.org/{}/me", "home");
        assert!(complaints(rule, "a.md", &address).is_empty());
    }

    #[test]
    fn other_registries_are_found() {
        let rule = "one registry";
        assert_eq!(complaints(rule, "Cargo.lock", "source = \"registry+https://mirror\"\n"), [1]);
        assert!(complaints(rule, "Cargo.lock", super::PUBLIC_REGISTRY).is_empty());
        assert_eq!(complaints(rule, ".cargo/config.toml", "[source.crates-io]\n"), [1]);
    }
}
