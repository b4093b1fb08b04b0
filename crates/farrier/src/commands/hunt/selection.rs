//! Which compilers a hunt tests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::bail;
use farrier_harness::{Sandbox, Subject, discover, make_names_unique};

use crate::finding::{HuntSettings, Level};
use crate::host::{DEFAULT_FILE, find, listed};
use crate::hunt::Tested;
use crate::terminal::Talk;

/// What a hunt works with.
pub(super) struct Selection {
    /// Those that are tested.
    pub(super) tested: Vec<Tested>,
    /// All compilers of this machine, if they had to be looked for.
    pub(super) known: Option<Vec<Subject>>,
}

/// The subjects that the settings name, each with the levels that are asked for; if they name
/// none, those of the file and the newest of the machine.
pub(super) fn select(
    settings: &HuntSettings,
    sandbox: &Sandbox,
    base: &Path,
    talk: Talk,
) -> anyhow::Result<Selection> {
    let file = settings.subjects.clone().or_else(|| {
        let default = PathBuf::from(DEFAULT_FILE);
        default.exists().then_some(default)
    });
    let mut known = match &file {
        Some(file) => listed(file, sandbox, base)?,
        None => Vec::new(),
    };
    let mut selection = if settings.subject.is_empty() {
        let count = known.len();
        known.extend(find(sandbox, base)?.subjects);
        make_names_unique(&mut known);
        let (own, found) = known.split_at(count);
        let is_meant = |subject: &&Subject| settings.all_versions || is_newest(subject, found);
        let meant = found.iter().filter(is_meant).map(|subject| test(subject, None));
        let tested = own.iter().map(|subject| test(subject, Some(&[]))).chain(meant).collect();
        Selection { tested, known: Some(known) }
    } else {
        Selection { tested: named(settings, known, sandbox, base)?, known: None }
    };
    selection.tested.retain(|Tested { subject, .. }| {
        if subject.target.is_none() {
            talk.note(&format!(
                "`{}` is left out: Farrier cannot make programs for {}",
                subject.name, subject.triple
            ));
        }
        subject.target.is_some()
    });
    if selection.tested.is_empty() {
        bail!("no compiler was found: `farrier doctor` says what to install");
    }
    if settings.has_only_corpus() {
        let levels = selection.tested.iter_mut().flat_map(|tested| &mut tested.levels);
        levels.for_each(|level| level.always = true);
    }
    Ok(selection)
}

/// The subjects that the user names.
fn named(
    settings: &HuntSettings,
    mut known: Vec<Subject>,
    sandbox: &Sandbox,
    base: &Path,
) -> anyhow::Result<Vec<Tested>> {
    let mut discovered = false;
    let mut chosen: Vec<Tested> = Vec::new();
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
        let tested = test(&known[index], Some(&flags));
        match chosen.iter_mut().find(|one| one.subject.name == tested.subject.name) {
            Some(one) => {
                one.levels.extend(tested.levels);
                one.levels.dedup();
            }
            None => chosen.push(tested),
        }
    }
    Ok(chosen)
}

/// Whether no other of these is a newer version of the same compiler for the same machine.
fn is_newest(subject: &Subject, others: &[Subject]) -> bool {
    let same = |other: &&Subject| other.family == subject.family && other.target == subject.target;
    let number = version(subject);
    !others.iter().filter(same).any(|other| version(other) > number)
}

/// The numbers of a version.
fn version(subject: &Subject) -> Vec<u64> {
    let parts = subject.version.split(|letter: char| !letter.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// A subject that is tested; with flags, if the user named it.
fn test(subject: &Subject, flags: Option<&[String]>) -> Tested {
    let levels = levels(subject, flags.unwrap_or_default());
    Tested { subject: subject.clone(), levels, asked: flags.is_some(), flags: None }
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
fn levels(subject: &Subject, flags: &[String]) -> Vec<Level> {
    if flags.iter().any(|flag| flag.starts_with("-O")) {
        return vec![Level { flags: flags.join(" "), always: true }];
    }
    let with = |level: &String| [std::slice::from_ref(level), flags].concat().join(" ");
    subject.levels.iter().map(|level| Level { flags: with(level), always: false }).collect()
}

#[cfg(test)]
mod tests {
    use farrier_harness::parse_subjects;

    use super::*;

    #[test]
    fn the_newest_version_of_each_compiler_and_machine_is_hunted_in() {
        let list: [(&str, &str, &str, &str); 6] = [
            ("a", "gcc", "9.5.0", "x86_64-linux"),
            ("b", "gcc", "12.2.0", "x86_64-linux"),
            ("c", "gcc", "11.3.0", "x86_64-linux"),
            ("d", "clang", "9.0.1", "x86_64-linux"),
            ("e", "gcc", "9.5.0", "i386-linux"),
            ("f", "tcc", "0.9.27", "x86_64-linux"),
        ];
        let text: String = list
            .iter()
            .map(|(name, family, version, target)| {
                format!(
                    "[[subject]]\nname = \"{name}\"\ncommand = \"cc\"\nfamily = \"{family}\"\n\
                     version = \"{version}\"\ntarget = \"{target}\"\n"
                )
            })
            .collect();
        let subjects = parse_subjects(Path::new("a.toml"), &text).expect("it is right");
        let newest: Vec<&str> = subjects
            .iter()
            .filter(|subject| is_newest(subject, &subjects))
            .map(|subject| subject.name.as_str())
            .collect();
        assert_eq!(newest, ["b", "d", "e", "f"]);
    }

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
        let levels = |text: &str| {
            let levels = levels(&subjects[0], &split(text).1);
            levels.into_iter().map(|level| (level.flags, level.always)).collect::<Vec<_>>()
        };
        assert_eq!(levels("a"), [("-O1".to_owned(), false)]);
        assert_eq!(levels("a -O3 -fno-inline"), [("-O3 -fno-inline".to_owned(), true)]);
        assert_eq!(levels("a -fno-inline"), [("-O1 -fno-inline".to_owned(), false)]);
        for name in ["a", "gcc", "/opt/bin/gcc"] {
            assert_eq!(position(&subjects, name), Some(0), "{name}");
        }
        assert_eq!(position(&subjects, "cc"), None);
    }
}
