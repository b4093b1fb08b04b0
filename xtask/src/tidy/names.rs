//! Rules on names: one word for one concept, and nothing announced that is there.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, layers};
use crate::repository::File;

/// Names that several types may have, and why.
const SHARED: &[(&str, &str)] = &[
    ("Error", "one for each crate that does IO"),
    ("Options", "one for each library that can be asked to do something in several ways"),
];

/// A type that other files can name.
struct Named<'a> {
    name: &'a str,
    path: &'a str,
    line: usize,
    /// The directory of its crate.
    home: &'a str,
    /// Whether other crates can name it too.
    public: bool,
}

impl Named<'_> {
    /// Whether one file can name both.
    fn meets(&self, other: &Self) -> bool {
        self.home == other.home
            || self.public && layers::may_use(other.home, self.home)
            || other.public && layers::may_use(self.home, other.home)
    }
}

pub(super) fn check_types(files: &[File], problems: &mut Vec<Problem>) {
    let mut by_name: BTreeMap<&str, Vec<Named<'_>>> = BTreeMap::new();
    for named in files.iter().flat_map(types) {
        by_name.entry(named.name).or_default().push(named);
    }
    for (name, types) in by_name {
        if SHARED.iter().any(|(shared, _)| *shared == name) {
            continue;
        }
        for (index, later) in types.iter().enumerate() {
            if let Some(first) = types[..index].iter().find(|first| first.meets(later)) {
                let message = format!("`{name}` is the name of another type in {}", first.path);
                problems.push(Problem::new(later.path, later.line, message));
            }
        }
    }
}

/// The types of a file that can be named outside of their module and those around it.
fn types(file: &File) -> Vec<Named<'_>> {
    let Some((home, _)) = file.path.split_once("/src/").filter(|_| file.has_extension(&["rs"]))
    else {
        return Vec::new();
    };
    let named = |(line, text): (usize, &'_ str)| {
        let text: &str = text;
        let declared = text.strip_prefix("pub ").map(|rest| (rest, true));
        let declared = declared.or_else(|| Some((text.strip_prefix("pub(crate) ")?, false)));
        let (rest, public) = declared?;
        let kinds = ["struct ", "enum ", "type ", "trait "];
        let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let start = text.len() - rest.len();
        Some((line, start..start + end, public))
    };
    let lines = file.lines().take_while(|(_, text)| *text != "#[cfg(test)]");
    lines
        .filter_map(|(line, text)| {
            let (line, range, public) = named((line, text))?;
            Some(Named { name: &text[range], path: &file.path, line, home, public })
        })
        .collect()
}

/// How a page says that something does not exist yet.
const ANNOUNCED: &[&str] = &["to come", "not there yet"];

pub(super) fn check_announced(files: &[File], problems: &mut Vec<Problem>) {
    let modules: BTreeSet<&str> = files
        .iter()
        .filter(|file| file.path.contains("/src/") && file.has_extension(&["rs"]))
        .filter_map(|file| file.name().strip_suffix(".rs"))
        .collect();
    for file in files.iter().filter(|file| file.has_extension(&["md"])) {
        for (line, text) in file.lines() {
            if !ANNOUNCED.iter().any(|words| text.contains(words)) {
                continue;
            }
            // Every second part stands between quotes.
            let quoted = text.split('`').skip(1).step_by(2);
            let names =
                quoted.flat_map(|part| part.split(|c: char| !c.is_alphanumeric() && c != '_'));
            for name in names.filter(|name| modules.contains(name)) {
                let message = format!("`{name}` is said to be missing, but there is such a module");
                problems.push(Problem::new(&file.path, line, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SHARED, types};
    use crate::repository::File;
    use crate::tidy::tests::complaints_in;

    #[test]
    fn a_name_for_two_types_is_found() {
        let count = |files: &[(&str, &str)]| complaints_in("one word per concept", files).len();
        let (lang, machine) = ("crates/lang/src/a.rs", "crates/machine/src/b.rs");
        assert_eq!(count(&[(lang, "pub struct Place;\n"), (machine, "pub enum Place {}\n")]), 1);
        assert_eq!(
            count(&[(lang, "pub struct Place;\n"), (machine, "pub(crate) type Place = u8;\n")]),
            1
        );
        // They cannot meet.
        assert_eq!(
            count(&[(lang, "pub(crate) struct Place;\n"), (machine, "pub enum Place {}\n")]),
            0
        );
        assert_eq!(
            count(&[(lang, "pub struct Place;\n"), (machine, "pub(super) enum Place {}\n")]),
            0
        );
        assert_eq!(
            count(&[(lang, "pub struct Options;\n"), (machine, "pub struct Options;\n")]),
            0
        );
        assert_eq!(count(&[(lang, "pub struct Place;\npub struct Places;\n")]), 0);
    }

    #[test]
    fn every_shared_name_is_needed() {
        let files = crate::repository::files().unwrap();
        let all: Vec<_> = files.iter().flat_map(|file: &File| types(file)).collect();
        for (name, _) in SHARED {
            assert!(all.iter().filter(|named| named.name == *name).count() > 1, "{name}");
        }
    }

    #[test]
    fn what_is_there_is_not_announced() {
        let rule = "nothing that exists is to come";
        let files = |text| [("crates/synth/src/mutate.rs", ""), ("docs/a.md", text)];
        assert_eq!(
            complaints_in(rule, &files("Mutants (`synth::mutate`) are to come.\n")).len(),
            1
        );
        assert_eq!(complaints_in(rule, &files("`relax` is not there yet.\n")).len(), 0);
        assert_eq!(complaints_in(rule, &files("The outer edit has to come first.\n")).len(), 0);
    }
}
