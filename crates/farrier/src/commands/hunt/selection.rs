//! Which compilers a hunt tests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::bail;
use farrier_harness::{Sandbox, Subject, discover, make_names_unique};

use crate::finding::HuntSettings;
use crate::host::{DEFAULT_FILE, find, listed};
use crate::terminal::Talk;

/// The subjects that the settings name, each with the levels that are asked for.
pub(super) fn select(
    settings: &HuntSettings,
    sandbox: &Sandbox,
    base: &Path,
    talk: Talk,
) -> anyhow::Result<Vec<Subject>> {
    let file = settings.subjects.clone().or_else(|| {
        let default = PathBuf::from(DEFAULT_FILE);
        default.exists().then_some(default)
    });
    let mut known = match &file {
        Some(file) => listed(file, sandbox, base)?,
        None => Vec::new(),
    };
    let mut discovered = false;
    let mut chosen: Vec<Subject> = Vec::new();
    for request in &settings.subject {
        let (name, flags) = split(request);
        if name.is_empty() {
            bail!("--subject `{request}` names no compiler");
        }
        if !discovered && position(&known, &name).is_none() {
            let own_directory =
                Path::new(&name).parent().filter(|path| !path.as_os_str().is_empty());
            let found = match own_directory {
                Some(directory) => discover(directory.as_os_str(), sandbox, base)?,
                None => {
                    discovered = true;
                    find(sandbox, base)?
                }
            };
            known.extend(found.subjects);
            make_names_unique(&mut known);
        }
        let Some(index) = position(&known, &name) else {
            let names: Vec<&str> = known.iter().map(|subject| subject.name.as_str()).collect();
            bail!(
                "no compiler is called `{name}`, there are {}: list others in a file for \
                 --subjects, `farrier subjects --help` shows how",
                if names.is_empty() { "none".to_owned() } else { names.join(", ") }
            );
        };
        let levels = levels(&known[index], &flags);
        match chosen.iter_mut().find(|subject| subject.name == known[index].name) {
            Some(subject) => {
                subject.levels.extend(levels);
                subject.levels.dedup();
            }
            None => chosen.push(Subject { levels, ..known[index].clone() }),
        }
    }
    if settings.subject.is_empty() {
        known.extend(find(sandbox, base)?.subjects);
        make_names_unique(&mut known);
        chosen = known;
    }
    chosen.retain(|subject| {
        if subject.target.is_none() {
            talk.note(&format!(
                "`{}` is left out: Farrier cannot make programs for {}",
                subject.name, subject.triple
            ));
        }
        subject.target.is_some()
    });
    if chosen.is_empty() {
        bail!("no compiler was found: `farrier doctor` says what to install");
    }
    Ok(chosen)
}

/// The name in a request, and the flags after it.
fn split(request: &str) -> (String, Vec<String>) {
    let words: Vec<&str> = request.split_whitespace().collect();
    let flags = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
    let (name, flags) = words.split_at(flags);
    (name.join(" "), flags.iter().map(|flag| (*flag).to_owned()).collect())
}

/// The subject with a name: its own, that of its command, its path, or another name of it.
fn position(subjects: &[Subject], name: &str) -> Option<usize> {
    let by_name = subjects.iter().position(|subject| subject.name == name);
    by_name.or_else(|| {
        subjects.iter().position(|subject| {
            let command = subject.command.join(" ");
            let file = |path: &Path| path.file_name() == Some(OsStr::new(name));
            command == name
                || command.rsplit('/').next() == Some(name)
                || subject.aliases.iter().any(|alias| file(alias) || alias == Path::new(name))
        })
    })
}

/// The levels to test: the one among the flags, or all of them with the flags.
fn levels(subject: &Subject, flags: &[String]) -> Vec<String> {
    let flags_text = flags.join(" ");
    if flags.is_empty() {
        subject.levels.clone()
    } else if flags.iter().any(|flag| flag.starts_with("-O")) {
        vec![flags_text]
    } else {
        subject.levels.iter().map(|level| format!("{level} {flags_text}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use farrier_harness::parse_subjects;

    use super::*;

    #[test]
    fn a_request_has_a_name_and_flags() {
        let split = |text| {
            let (name, flags) = split(text);
            (name, flags.join(" "))
        };
        assert_eq!(split("gcc"), ("gcc".to_owned(), String::new()));
        assert_eq!(split(" zig cc -O2 -flto"), ("zig cc".to_owned(), "-O2 -flto".to_owned()));
        assert_eq!(split("-O2"), (String::new(), "-O2".to_owned()));
    }

    #[test]
    fn flags_replace_the_levels_or_join_them() {
        let text = "[[subject]]\nname = \"a\"\ncommand = \"/opt/bin/gcc\"\nlevels = [\"-O1\"]\n\
                    target = \"x86_64-linux\"\n";
        let subjects = parse_subjects(Path::new("a.toml"), text).expect("it is right");
        let levels = |text: &str| levels(&subjects[0], &split(text).1);
        assert_eq!(levels("a"), ["-O1"]);
        assert_eq!(levels("a -O3 -fno-inline"), ["-O3 -fno-inline"]);
        assert_eq!(levels("a -fno-inline"), ["-O1 -fno-inline"]);
        for name in ["a", "gcc", "/opt/bin/gcc"] {
            assert_eq!(position(&subjects, name), Some(0), "{name}");
        }
        assert_eq!(position(&subjects, "cc"), None);
    }
}
