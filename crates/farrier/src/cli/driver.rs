//! The command line of a compiler as one of `farrier check`, so that it can stand where `cc` does.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Deserialize;

/// What becomes of a word that a compiler knows.
enum Meaning {
    /// Nothing: it does not change what the program means.
    Ignored,
    /// The same with the next word.
    IgnoredWithNext,
    /// Another word of ours.
    Ours(&'static str),
    /// Another word of ours, and the next word.
    OursWithNext(&'static str),
}

/// Words of compilers; with `*`, what they begin with. The first that fits decides.
const WORDS: &[(&str, Meaning)] = &[
    ("-fno-strict-aliasing", Meaning::Ours("--no-strict-aliasing")),
    ("-m32", Meaning::Ours("--target=i386-linux")),
    ("-isystem", Meaning::OursWithNext("-I")),
    ("-iquote", Meaning::OursWithNext("-I")),
    ("-idirafter", Meaning::OursWithNext("-I")),
    ("-include", Meaning::OursWithNext("--include")),
    ("-o", Meaning::IgnoredWithNext),
    ("-MF", Meaning::IgnoredWithNext),
    ("-MT", Meaning::IgnoredWithNext),
    ("-MQ", Meaning::IgnoredWithNext),
    ("-L", Meaning::IgnoredWithNext),
    ("-c", Meaning::Ignored),
    ("-w", Meaning::Ignored),
    ("-s", Meaning::Ignored),
    ("-pipe", Meaning::Ignored),
    ("-pthread", Meaning::Ignored),
    ("-pedantic*", Meaning::Ignored),
    ("-static*", Meaning::Ignored),
    ("-rdynamic", Meaning::Ignored),
    ("-L*", Meaning::Ignored),
    ("-M*", Meaning::Ignored),
    ("-O*", Meaning::Ignored),
    ("-W*", Meaning::Ignored),
    ("-f*", Meaning::Ignored),
    ("-g*", Meaning::Ignored),
    ("-l*", Meaning::Ignored),
    ("-m*", Meaning::Ignored),
];

/// The words of a check in our own form. Those after `--args` belong to the program.
pub(super) fn translate(words: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    let mut ours: Vec<OsString> = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "--args" {
            if ours.iter().all(|word| word.as_bytes().starts_with(b"-") && word != "-") {
                bail!("--args takes all words that follow: name the files before it");
            }
            ours.push(word);
            ours.extend(rest);
            break;
        }
        if text == "-p" {
            let directory = rest.next().context("-p needs the directory of a build")?;
            let named: Vec<PathBuf> = rest
                .as_slice()
                .iter()
                .chain(&ours)
                .filter(|word| word.as_bytes().ends_with(b".c"))
                .map(PathBuf::from)
                .collect();
            ours.extend(commands_of(Path::new(&directory), &named)?);
            continue;
        }
        if let Some(standard) = text.strip_prefix("-std=") {
            ours.push(format!("--std={standard}").into());
            continue;
        }
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(beginning) => text.starts_with(beginning),
            None => text == pattern,
        };
        match WORDS.iter().find(|(pattern, _)| fits(pattern)).map(|(_, meaning)| meaning) {
            None => ours.push(word),
            Some(Meaning::Ignored) => {}
            Some(Meaning::IgnoredWithNext) => drop(rest.next()),
            Some(Meaning::Ours(word)) => ours.push(word.into()),
            Some(Meaning::OursWithNext(word)) => {
                ours.push(word.into());
                ours.extend(rest.next());
            }
        }
    }
    Ok(ours)
}

/// An entry of `compile_commands.json`.
#[derive(Deserialize)]
struct CompileCommand {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The files and the flags of a build that matter to a check. Where files are named, only their
/// flags; otherwise all C files of the build.
fn commands_of(directory: &Path, named: &[PathBuf]) -> anyhow::Result<Vec<OsString>> {
    let path = directory.join("compile_commands.json");
    let text = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let commands: Vec<CompileCommand> = serde_json::from_slice(&text)
        .with_context(|| format!("`{}` is not a compilation database", path.display()))?;
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut words = Vec::new();
    let mut files = Vec::new();
    for CompileCommand { directory, file, command, arguments } in commands {
        let file = directory.join(file);
        let is_named = named.iter().any(|name| real(name) == real(&file));
        if file.extension() != Some(OsStr::new("c")) || !named.is_empty() && !is_named {
            continue;
        }
        let given = match (arguments, command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => split(&command),
            (None, None) => bail!("`{}` has an entry without a command", path.display()),
        };
        words.extend(kept(given, &directory));
        if named.is_empty() && !files.contains(&file) {
            files.push(file);
        }
    }
    if words.is_empty() && files.is_empty() {
        bail!("`{}` has no command for these files", path.display());
    }
    let mut once: Vec<OsString> = Vec::new();
    // A flag that many files have is given once.
    words.into_iter().for_each(|word| {
        if !once.contains(&word) {
            once.push(word);
        }
    });
    once.extend(files.into_iter().map(PathBuf::into_os_string));
    Ok(once)
}

/// The flags of a command that change what a program means, each as one word.
fn kept(words: Vec<String>, directory: &Path) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut rest = words.into_iter().skip(1);
    while let Some(word) = rest.next() {
        let path = |text: &str| directory.join(text).to_string_lossy().into_owned();
        if let Some(standard) = word.strip_prefix("-std=") {
            kept.push(format!("--std={standard}").into());
        } else if word == "-fno-strict-aliasing" {
            kept.push("--no-strict-aliasing".into());
        } else if word == "-include" {
            kept.extend(rest.next().map(|file| format!("--include={}", path(&file)).into()));
        } else if ["-isystem", "-iquote", "-idirafter", "-I"].contains(&&*word) {
            kept.extend(rest.next().map(|place| format!("-I{}", path(&place)).into()));
        } else if let Some(place) = word.strip_prefix("-I") {
            kept.push(format!("-I{}", path(place)).into());
        } else if ["-D", "-U"].contains(&&*word) {
            kept.extend(rest.next().map(|name| format!("{word}{name}").into()));
        } else if word.starts_with("-D") || word.starts_with("-U") {
            kept.push(word.into());
        }
    }
    kept
}

/// The words of a command line, with quotation marks and backslashes as a shell reads them.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (c, Some(end)) if c == end => quote = None,
            ('\\', None | Some('"')) => {
                word.get_or_insert_default().extend(letters.next());
            }
            ('"' | '\'', None) => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_compilers_become_ours() {
        let translated = |text: &str| {
            let words = text.split(' ').map(OsString::from).collect();
            let ours = translate(words).expect("it is right");
            let words: Vec<_> = ours.iter().map(|word| word.to_string_lossy()).collect();
            words.join(" ")
        };
        let text = "-std=c11 -Wall -O2 -g -I a -DX=1 -isystem b -o prog main.c -lm -pthread";
        assert_eq!(translated(text), "--std=c11 -I a -DX=1 -I b main.c");
        assert_eq!(translated("a.c -include b.h"), "a.c --include b.h");
        assert_eq!(translated("a.c --args -W -O2"), "a.c --args -W -O2");
        assert_eq!(translated("--steps 5 -m32 a.c"), "--steps 5 --target=i386-linux a.c");
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(split(r#"cc -DA="b c" 'd e' f\ g "" "#), ["cc", "-DA=b c", "d e", "f g", ""]);
        let words = split("gcc -c -I inc -Wall -D X -std=gnu99 -include pre.h a.c");
        let words: Vec<_> = kept(words, Path::new("/b"));
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words, ["-I/b/inc", "-DX", "--std=gnu99", "--include=/b/pre.h"]);
    }
}
