//! Subjects that a person lists in a file, such as `farrier.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use farrier_lang::target::TARGETS;
use serde::Deserialize;
use toml::Spanned;

use super::model::{Model, target_by_name, target_of};
use super::{FAMILIES, Family, Runner, SourceFile, Subject, default_libraries, default_runner};
use crate::Error;
use crate::scratch::file_error;

/// The file.
#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    subject: Vec<Row>,
    #[serde(default)]
    target: Vec<Spanned<Model>>,
}

/// A table `[[subject]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: Spanned<String>,
    command: Spanned<Words>,
    family: Option<Spanned<String>>,
    flags: Option<Words>,
    libraries: Option<Words>,
    levels: Option<Vec<String>>,
    target: Option<Spanned<String>>,
    run: Option<Spanned<Words>>,
    version: Option<String>,
    /// A file that is compiled along with every program.
    runtime: Option<Spanned<String>>,
    /// Whether the output of programs stands between marks.
    #[serde(default)]
    marks: bool,
    /// Whether the runner may use the network and devices.
    #[serde(default)]
    network: bool,
    check: Option<Checked>,
}

/// What is looked at of a program.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Checked {
    Output,
    ExitStatus,
}

/// A command: a text that is split at spaces, or a list of words.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    List(Vec<String>),
}

impl Words {
    fn split(&self) -> Vec<String> {
        match self {
            Self::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
            Self::List(words) => words.clone(),
        }
    }

    /// The words of a command, of which the first may be a path beside the file.
    fn command(&self, file: &Path) -> Vec<String> {
        let mut words = self.split();
        if let Some(first) = words.first_mut()
            && first.contains('/')
            && let Some(directory) = file.parent()
            && let Ok(path) = std::path::absolute(directory.join(&*first))
        {
            *first = path.to_string_lossy().into_owned();
        }
        words
    }
}

/// Reads the subjects in a file.
pub fn load_subjects(path: &Path) -> Result<Vec<Subject>, Error> {
    let text = fs::read_to_string(path).map_err(|error| file_error(path, error))?;
    parse_subjects(path, &text)
}

/// Reads the subjects in the text of the file `path`. Whether they are compilers is not
/// asked; one without a target has none.
pub fn parse_subjects(path: &Path, text: &str) -> Result<Vec<Subject>, Error> {
    let wrong = |offset: usize, message: String| Error::SubjectFile {
        path: path.to_owned(),
        line: line_of(text, offset),
        message,
    };
    let file: File = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        wrong(offset, error.message().replace('\n', "; "))
    })?;
    for model in &file.target {
        target_of(model.get_ref()).map_err(|message| wrong(model.span().start, message))?;
    }
    let mut subjects: Vec<Subject> = Vec::new();
    for row in file.subject {
        let at = |span: std::ops::Range<usize>, message: String| Err(wrong(span.start, message));
        let name = row.name.get_ref().clone();
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c == '/') {
            return at(row.name.span(), "a name has no spaces and no slashes".to_owned());
        }
        if subjects.iter().any(|other| other.name == name) {
            return at(row.name.span(), format!("there are two subjects called `{name}`"));
        }
        let command = row.command.get_ref().command(path);
        if command.first().is_none_or(String::is_empty) {
            return at(row.command.span(), "the command is empty".to_owned());
        }
        let target = match &row.target {
            None => None,
            Some(text) => match target_by_name(text.get_ref()) {
                Some(target) => Some(target),
                None => {
                    let known = targets();
                    let name = text.get_ref();
                    let message = format!(
                        "there is no target `{name}`; it is one of {known}, or \
                         a `[[target]]` of this file"
                    );
                    return at(text.span(), message);
                }
            },
        };
        let family = match &row.family {
            None => Family::Other,
            Some(text) => match Family::by_name(text.get_ref()) {
                Some(family) => family,
                None => {
                    let known: Vec<&str> = FAMILIES.iter().map(|row| row.name).collect();
                    let known = known.join(", ");
                    let name = text.get_ref();
                    let message = format!("there is no family `{name}`; it is one of {known}");
                    return at(text.span(), message);
                }
            },
        };
        let runner = match &row.run {
            None => target.map_or(Runner::Direct, default_runner),
            Some(words) => match words.get_ref().command(path) {
                words if words.is_empty() => Runner::Direct,
                words if words == ["simavr"] => Runner::Simavr,
                words if crate::outcome::is_wine(&words) => Runner::Wine(words),
                words if row.marks => Runner::Marked(words),
                words => Runner::Emulator(words),
            },
        };
        if row.marks && !matches!(runner, Runner::Marked(_)) {
            let message = "`marks` needs `run`: what prints them".to_owned();
            return at(row.name.span(), message);
        }
        let runtime = match &row.runtime {
            None => None,
            Some(file) => {
                Some(runtime(path, file.get_ref()).map_err(|why| wrong(file.span().start, why))?)
            }
        };
        let mut flags = super::flags_for(family, target);
        flags.extend(row.flags.iter().flat_map(Words::split));
        subjects.push(Subject {
            name,
            command,
            family,
            version: row.version.unwrap_or_default(),
            banner: String::new(),
            triple: target.map_or("", |target| target.name).to_owned(),
            target,
            flags,
            libraries: match row.libraries {
                Some(words) => words.split(),
                None => default_libraries(target.map_or("", |target| target.name), &runner),
            },
            levels: row.levels.unwrap_or_else(|| family.levels()),
            runner,
            runtime,
            network: row.network,
            silent: row.check == Some(Checked::ExitStatus),
            extensions: family.has_extensions(),
            recognised: format!("{}:{}", path.display(), line_of(text, row.name.span().start)),
            aliases: Vec::<PathBuf>::new(),
        });
    }
    Ok(subjects)
}

/// The runtime in a file, whose place is relative to the list.
fn runtime(list: &Path, file: &str) -> Result<SourceFile, String> {
    let place = list.parent().unwrap_or(Path::new("")).join(file);
    let name = place.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !name.ends_with(".c") {
        return Err(format!("the runtime `{file}` is no C file"));
    }
    match fs::read_to_string(&place) {
        Ok(text) => Ok(SourceFile { name: format!("farrier_runtime_{name}"), text }),
        Err(error) => Err(format!("cannot read the runtime `{}`: {error}", place.display())),
    }
}

/// The names of all targets.
pub fn targets() -> String {
    TARGETS.map(|target| target.name).join(", ")
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Subject>, String> {
        parse_subjects(Path::new("farrier.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_subject_is_what_the_file_says() {
        let text = "[[subject]]\nname = \"trunk\"\ncommand = \"/opt/gcc/bin/gcc -B /opt/gcc\"\n\
                    family = \"gcc\"\nflags = [\"-pipe\"]\ntarget = \"x86_64-linux\"\n\
                    run = [\"qemu-x86_64\", \"-cpu\", \"max\"]\nversion = \"16.0\"\n";
        let subjects = parse(text).expect("it is right");
        let [subject] = &subjects[..] else { panic!("{subjects:?}") };
        assert_eq!(subject.command, ["/opt/gcc/bin/gcc", "-B", "/opt/gcc"]);
        assert_eq!(subject.flags, ["-w", "-ffp-contract=off", "-pipe"]);
        assert_eq!(subject.levels, super::super::LEVELS);
        let words = ["qemu-x86_64", "-cpu", "max"].map(str::to_owned);
        assert_eq!(subject.runner, Runner::Emulator(words.to_vec()));
        assert_eq!(subject.version, "16.0");
        assert_eq!(subject.recognised, "farrier.toml:2");
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let text = "[[subject]]\nname = \"a\"\ncommand = \"./mycc\"\nflags = \"-static -w\"\n\
                    run = \"./board.sh -q\"\n";
        let subjects = parse_subjects(Path::new("/etc/acme/farrier.toml"), text);
        let [subject] = &subjects.expect("it is right")[..] else { panic!("one") };
        assert_eq!(subject.command, ["/etc/acme/mycc"]);
        let words = ["/etc/acme/board.sh", "-q"].map(str::to_owned);
        assert_eq!(subject.runner, Runner::Emulator(words.to_vec()));
        assert_eq!(
            (subject.target, &subject.flags[..]),
            (None, &["-static", "-w"].map(str::to_owned)[..])
        );
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let good = "[[subject]]\nname = \"a\"\ncommand = \"gcc\"\ntarget = \"avr\"\n";
        for (text, message) in [
            ("subject = 3\n".to_owned(), "farrier.toml:1: invalid type"),
            (
                good.replace("avr", "pdp11"),
                "farrier.toml:4: there is no target `pdp11`; it is one of x86",
            ),
            (good.replace("\"gcc\"", "\" \""), "farrier.toml:3: the command is empty"),
            (format!("{good}colour = 1\n"), "farrier.toml:5: unknown field `colour`"),
            (format!("{good}\n{good}"), "farrier.toml:7: there are two subjects called `a`"),
            (good.replace("name = \"a\"\n", ""), "farrier.toml:1: missing field `name`"),
            (
                format!("{good}family = \"icc\"\n"),
                "farrier.toml:5: there is no family `icc`; it is one of gcc, clang",
            ),
            (good.replace("\"a\"", "\"a b\""), "farrier.toml:2: a name has no spaces"),
            (format!("{good}flags = [\n"), "farrier.toml:5: "),
        ] {
            let found = parse(&text).expect_err("it is wrong");
            assert!(found.starts_with(message), "{found}");
        }
    }
}
