//! Which compilers a hunt tests.

use std::path::{Path, PathBuf};

use anyhow::bail;
use farrier_harness::{Sandbox, Subject, has_level, make_names_unique};

use crate::finding::{HuntSettings, Level};
use crate::host::{DEFAULT_FILE, find, listed};
use crate::hunt::Tested;
use crate::naming::{Naming, Request};
use crate::terminal::Talk;

/// What a hunt works with.
pub(super) struct Selection {
    /// Those that are tested.
    pub(super) tested: Vec<Tested>,
    /// All compilers of this machine, if they had to be looked for.
    pub(super) known: Option<Vec<Subject>>,
}

/// The subjects that the settings name, each with the levels that are asked for; if they name
/// none, those of the file and the newest of the machine. A subject that is not here is an error,
/// or goes to the list of missing ones where other machines may have it.
pub(super) fn select(
    settings: &HuntSettings,
    sandbox: &Sandbox,
    base: &Path,
    talk: Talk,
    missing: &mut Option<Vec<String>>,
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
        Selection { tested: named(settings, known, sandbox, base, missing)?, known: None }
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

/// The subjects that the user names. What is named twice is tested with all of its flags.
fn named(
    settings: &HuntSettings,
    known: Vec<Subject>,
    sandbox: &Sandbox,
    base: &Path,
    missing: &mut Option<Vec<String>>,
) -> anyhow::Result<Vec<Tested>> {
    let mut naming = Naming::new(known, sandbox, base);
    let mut chosen: Vec<Tested> = Vec::new();
    for request in &settings.subject {
        let request = Request::parse(request)?;
        let subject = match (naming.find(&request), &mut *missing) {
            (Ok(subject), _) => subject,
            (Err(_), Some(missing)) => {
                missing.push(request.text());
                continue;
            }
            (Err(error), None) => return Err(error),
        };
        let mut tested = test(&subject, Some(&request.flags));
        let is_same = |one: &&mut Tested| {
            let (one, other) = (&one.subject, &tested.subject);
            (&one.name, one.target, one.extensions) == (&other.name, other.target, other.extensions)
                && files(one) == files(other)
        };
        match chosen.iter_mut().find(is_same) {
            Some(one) => {
                one.levels.extend(tested.levels);
                one.levels.dedup();
            }
            None => {
                let wanted = tested.subject.name.clone();
                let mut number = 1;
                while chosen.iter().any(|one| one.subject.name == tested.subject.name) {
                    number += 1;
                    tested.subject.name = format!("{wanted}-{number}");
                }
                chosen.push(tested);
            }
        }
    }
    Ok(chosen)
}

/// The words of a command, links followed.
fn files(subject: &Subject) -> Vec<PathBuf> {
    let path = |word: &String| Path::new(word).canonicalize().unwrap_or_else(|_| word.into());
    subject.command.iter().map(path).collect()
}

/// Whether no other of these is a newer version of the same compiler for the same machine.
fn is_newest(subject: &Subject, others: &[Subject]) -> bool {
    let same = |other: &&Subject| {
        other.family == subject.family
            && other.target == subject.target
            && other.is_cplusplus() == subject.is_cplusplus()
    };
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

/// The levels to test: the one among the flags, or all of them with the flags.
fn levels(subject: &Subject, flags: &[String]) -> Vec<Level> {
    if has_level(flags) {
        return vec![Level { flags: flags.join(" "), always: true, varied: false }];
    }
    let with = |level: &String| [std::slice::from_ref(level), flags].concat().join(" ");
    let level = |level| Level { flags: with(level), always: false, varied: true };
    subject.levels.iter().map(level).collect()
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
    fn flags_replace_the_levels_or_join_them() {
        let text = "[[subject]]\nname = \"a\"\ncommand = \"/opt/bin/gcc\"\nlevels = [\"-O1\"]\n\
                    target = \"x86_64-linux\"\n";
        let subjects = parse_subjects(Path::new("a.toml"), text).expect("it is right");
        let levels = |text: &str| {
            let request = Request::parse(text).expect("it is right");
            let levels = levels(&subjects[0], &request.flags);
            let parts = |level: Level| (level.flags, level.always, level.varied);
            levels.into_iter().map(parts).collect::<Vec<_>>()
        };
        assert_eq!(levels("a"), [("-O1".to_owned(), false, true)]);
        // A level of the user means exactly this one.
        assert_eq!(levels("a -O3 -fno-inline"), [("-O3 -fno-inline".to_owned(), true, false)]);
        assert_eq!(levels("a -fno-inline"), [("-O1 -fno-inline".to_owned(), false, true)]);
    }
}
