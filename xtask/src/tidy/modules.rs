//! Which module of the command may use which.

use super::Problem;
use crate::repository::File;

const ROOT: &str = "crates/farrier/src/";

/// The modules of the command from the top down. Those of one row do not know each other.
const MODULES: &[&[&str]] = &[
    &["main", "lib", "bin"],
    &["commands"],
    &["cli"],
    &["serve"],
    &["report"],
    &["triage"],
    &["reduce"],
    &["join"],
    &["hunt"],
    &["finding"],
    &["naming"],
    &["host", "output", "spelling", "stack", "terminal"],
];

fn row(module: &str) -> Option<usize> {
    MODULES.iter().position(|row| row.contains(&module))
}

pub(super) fn check(files: &[File], problems: &mut Vec<Problem>) {
    for file in files {
        let Some(path) = file.path.strip_prefix(ROOT).filter(|path| path.ends_with(".rs")) else {
            continue;
        };
        let module = path.split(['/', '.']).next().unwrap_or_default();
        let Some(own) = row(module) else {
            problems.push(Problem::new(&file.path, 0, "this module has no row in MODULES"));
            continue;
        };
        let text = file.text.as_deref().unwrap_or_default();
        for (line, used) in uses(text) {
            let allowed = used == module || row(used).is_none_or(|other| other > own);
            if !allowed {
                let message = format!("`{module}` stands below or beside `{used}`");
                problems.push(Problem::new(&file.path, line, message));
            }
        }
    }
}

/// The modules at the root of its crate that a text names, each with its line.
fn uses(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, name) in text.match_indices("crate::") {
        // A name that only ends so, such as that of a macro.
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + name.len()..];
        match rest.strip_prefix('{') {
            None => found.push((line, word(rest))),
            Some(list) => found.extend(names(list).map(|name| (line, name))),
        }
    }
    found
}

/// The first names of a list in braces, without those of lists inside it.
fn names(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 1;
    let end = list.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let mut depth = 0;
    let parts = list[..end.unwrap_or(list.len())].split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.map(|part| word(part.trim_start()))
}

/// The name with which a text begins.
fn word(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use crate::tidy::tests::complaints;

    #[test]
    fn an_import_from_above_is_found() {
        let rule = "direction inside the command";
        let complaints = |path, text| complaints(rule, path, text);
        let triage = "crates/farrier/src/triage/background.rs";
        assert!(complaints(triage, "use crate::finding::Store;\nuse crate::host;\n").is_empty());
        assert_eq!(complaints(triage, "use super::Effort;\nuse crate::report::page;\n"), [2]);
        assert_eq!(
            complaints(triage, "use crate::{\n    Status,\n    commands::{a, b},\n};\n"),
            [1]
        );
        assert!(
            complaints(triage, "use crate::{Status, reduce::{report, commands}};\n").is_empty()
        );
        assert_eq!(complaints("crates/farrier/src/host.rs", "fn a(x: crate::terminal::Talk)"), [1]);
        assert_eq!(complaints("crates/farrier/src/new.rs", ""), [0]);
        assert!(complaints("crates/lang/src/new.rs", "use crate::commands;").is_empty());
    }
}
