//! The compilers that the user names: by a name that `farrier subjects` shows, by the name of a
//! command, or by a path.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use farrier_harness::{Sandbox, Subject, has_usual_name, make_names_unique, recognise, with_flags};

use crate::host::find;
use crate::spelling::closest;

/// So many names are suggested for one that does not exist.
const SUGGESTIONS: usize = 3;

/// What the user writes: `[NAME=]COMMAND [FLAG]...`
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Request {
    /// The name of the compiler in everything that is said about it.
    name: Option<String>,
    /// The words before the first flag.
    command: Vec<String>,
    pub(crate) flags: Vec<String>,
}

impl Request {
    /// Reads a request.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let (name, rest) = match text.trim().split_once('=') {
            Some((name, rest)) if is_name(name) => (Some(name.to_owned()), rest),
            _ => (None, text),
        };
        let words: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
        let flags = words.iter().position(|word| word.starts_with('-')).unwrap_or(words.len());
        let (command, flags) = words.split_at(flags);
        if command.is_empty() {
            bail!("--subject `{text}` names no compiler");
        }
        Ok(Self { name, command: command.to_vec(), flags: flags.to_vec() })
    }

    /// The same request for another working directory.
    pub(crate) fn absolute(mut self) -> Self {
        let path = &mut self.command[0];
        if path.contains('/')
            && let Ok(absolute) = std::path::absolute(&*path)
            && let Some(text) = absolute.to_str()
        {
            *path = text.to_owned();
        }
        self
    }

    /// Whether it names a file.
    pub(crate) fn is_path(&self) -> bool {
        self.command[0].contains('/')
    }

    /// What the user could have written.
    pub(crate) fn text(&self) -> String {
        let name = self.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
        let words: Vec<&str> = self.command.iter().chain(&self.flags).map(String::as_str).collect();
        name + &words.join(" ")
    }
}

/// Whether a text can be the name of a compiler.
fn is_name(text: &str) -> bool {
    let usual = |letter: char| letter.is_alphanumeric() || "._+-@".contains(letter);
    !text.is_empty() && !text.starts_with('-') && text.chars().all(usual)
}

/// Where compilers are looked for.
pub(crate) struct Naming<'a> {
    /// Those that are known so far.
    known: Vec<Subject>,
    /// Whether those of the search path are among them.
    searched: bool,
    sandbox: &'a Sandbox,
    base: &'a Path,
}

impl<'a> Naming<'a> {
    /// Only these are known.
    pub(crate) fn new(known: Vec<Subject>, sandbox: &'a Sandbox, base: &'a Path) -> Self {
        Self { known, searched: false, sandbox, base }
    }

    /// The compiler that a request means, for the target that its flags make it one for.
    pub(crate) fn find(&mut self, request: &Request) -> anyhow::Result<Subject> {
        let (mut subject, is_tried) = self.look_up(request)?;
        if !is_tried || !request.flags.is_empty() {
            let adapted = with_flags(&subject, &request.flags, self.sandbox, self.base)?;
            subject = match adapted {
                Ok(subject) => subject,
                Err(why) => bail!("`{}` cannot be tested: {why}", request.text()),
            };
        }
        if let Some(name) = &request.name {
            subject.name.clone_from(name);
        }
        Ok(subject)
    }

    /// The compiler of a request, and whether it is known to work.
    fn look_up(&mut self, request: &Request) -> anyhow::Result<(Subject, bool)> {
        let name = request.command.join(" ");
        if let Some(index) = position(&self.known, &name) {
            return Ok((self.known[index].clone(), true));
        }
        if let Some(path) = path_of(&request.command[0])? {
            let rest = request.command.iter().skip(1).cloned();
            let command: Vec<String> = [path].into_iter().chain(rest).collect();
            return Ok((self.ask(command)?, false));
        }
        if !self.searched {
            self.searched = true;
            self.known.extend(find(self.sandbox, self.base)?.subjects);
            make_names_unique(&mut self.known);
        }
        match position(&self.known, &name) {
            Some(index) => Ok((self.known[index].clone(), true)),
            None => bail!("{}", self.unknown(&name)),
        }
    }

    /// Asks a program whether it is a compiler, whatever it is called.
    fn ask(&self, mut command: Vec<String>) -> anyhow::Result<Subject> {
        let path = PathBuf::from(&command[0]);
        if path.file_name() == Some(OsStr::new("zig")) && command.len() == 1 {
            command.push("cc".to_owned());
        }
        let Some(mut subject) = recognise(&command, self.sandbox, self.base)? else {
            bail!(
                "`{}` is not a C compiler that can be asked: it does not preprocess a C file; \
                 list it in a file for --subjects, `farrier subjects --help` shows how",
                command.join(" ")
            );
        };
        if subject.target.is_none() {
            bail!(
                "`{}` compiles for {}, which Farrier does not know: list it in a file for \
                 --subjects with a target, `farrier subjects --help` shows how",
                command.join(" "),
                if subject.triple.is_empty() { "a machine" } else { &subject.triple }
            );
        }
        if let Some(place) = place(&path) {
            subject.name = format!("{}@{place}", subject.name);
        }
        Ok(subject)
    }

    /// What there is to say of a name that no compiler has.
    fn unknown(&self, name: &str) -> String {
        let commands = self
            .known
            .iter()
            .filter_map(|subject| Path::new(subject.command.first()?).file_name()?.to_str());
        let names = || self.known.iter().map(|subject| subject.name.as_str());
        let mut alike: Vec<&str> = commands
            .clone()
            .chain(names())
            .filter(|known| known.starts_with(name) || known.contains(name))
            .collect();
        alike.extend(closest(name, commands.chain(names())));
        alike.sort_by_key(|known| (known.len(), *known));
        alike.dedup();
        alike.truncate(SUGGESTIONS);
        match alike.as_slice() {
            [] => format!("no compiler is called `{name}`: `farrier subjects` lists all"),
            some => format!(
                "no compiler is called `{name}`: did you mean `{}`? `farrier subjects` lists all",
                some.join("`, `")
            ),
        }
    }
}

/// The file of a command; `None` if it has no slash and is not in the search path.
fn path_of(command: &str) -> anyhow::Result<Option<String>> {
    if command.contains('/') {
        let path = std::path::absolute(command)?;
        let found =
            fs::metadata(&path).with_context(|| format!("there is no compiler `{command}`"))?;
        if found.is_dir() {
            bail!("`{command}` is a directory: name the compiler in it");
        }
        if found.permissions().mode() & 0o111 == 0 {
            bail!("`{command}` cannot be executed: chmod +x {command}");
        }
        return Ok(path.to_str().map(str::to_owned));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|directory| directory.join(command)).find(|file| {
            let executable =
                |found: fs::Metadata| found.is_file() && found.permissions().mode() & 0o111 != 0;
            fs::metadata(file).is_ok_and(executable)
        });
    Ok(found.and_then(|file| file.to_str().map(str::to_owned)))
}

/// By what a build outside the search path is told from others: the name of its file if that is
/// its own, otherwise that of its directory.
fn place(path: &Path) -> Option<String> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let directory = path.parent()?;
    if std::env::split_paths(&search).any(|known| known == directory) {
        return None;
    }
    let file = path.file_name()?.to_str()?;
    if !has_usual_name(file) {
        return Some(file.to_owned());
    }
    let own = |name: &&OsStr| *name != "bin" && *name != "usr";
    let place = directory.iter().rev().find(own)?.to_str()?;
    Some(if place == "/" { file.to_owned() } else { place.to_owned() })
}

/// The subject with a name: its own, that of its command, its path, or another name of it.
fn position(subjects: &[Subject], name: &str) -> Option<usize> {
    let by_name = subjects.iter().position(|subject| subject.name == name);
    by_name.or_else(|| {
        subjects.iter().position(|subject| {
            let command = subject.command.join(" ");
            command == name || command.rsplit('/').next() == Some(name)
        })
    })
}

#[cfg(test)]
mod tests {
    use farrier_harness::parse_subjects;

    use super::*;

    #[test]
    fn a_request_has_a_name_and_flags() {
        let parse = |text: &str| {
            let request = Request::parse(text).expect("it is right");
            assert_eq!(Request::parse(&request.text()).expect("it is right"), request);
            (request.name.unwrap_or_default(), request.command.join(" "), request.flags.join(" "))
        };
        let parts = |name: &str, command: &str, flags: &str| {
            (name.to_owned(), command.to_owned(), flags.to_owned())
        };
        assert_eq!(parse("gcc"), parts("", "gcc", ""));
        assert_eq!(parse(" zig cc -O2 -flto"), parts("", "zig cc", "-O2 -flto"));
        assert_eq!(parse("trunk=/opt/a=b/gcc -O2"), parts("trunk", "/opt/a=b/gcc", "-O2"));
        assert_eq!(parse("/opt/a=b/gcc -std=c99"), parts("", "/opt/a=b/gcc", "-std=c99"));
        assert!(Request::parse("-O2").is_err() && Request::parse("trunk= -O2").is_err());
    }

    #[test]
    fn a_build_elsewhere_is_named_after_its_place() {
        let place = |path: &str| place(Path::new(path));
        assert_eq!(place("/opt/gcc-trunk/bin/gcc"), Some("gcc-trunk".to_owned()));
        assert_eq!(place("/opt/tools/gcc-mine"), Some("gcc-mine".to_owned()));
        assert_eq!(place("/build/xgcc"), Some("xgcc".to_owned()));
        assert_eq!(place("/usr/bin/gcc"), None);
    }

    #[test]
    fn a_subject_has_several_names() {
        let text = "[[subject]]\nname = \"a\"\ncommand = \"/opt/bin/gcc\"\nlevels = [\"-O1\"]\n\
                    target = \"x86_64-linux\"\n";
        let subjects = parse_subjects(Path::new("a.toml"), text).expect("it is right");
        for name in ["a", "gcc", "/opt/bin/gcc"] {
            assert_eq!(position(&subjects, name), Some(0), "{name}");
        }
        assert_eq!(position(&subjects, "cc"), None);
    }
}
