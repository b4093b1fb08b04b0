//! C text as the user wrote it to C text without directives, by the user's own compiler.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use farrier_lang::{Dialect, Target};

use crate::process::command_line;
use crate::text::decode_preprocessed;
use crate::{Error, Limits, ProcessEnding, run};

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct PreprocessOptions {
    /// The compiler and the arguments that come before all others; if empty, the
    /// [`default_compiler`] of the target.
    pub compiler: Vec<OsString>,
    /// Directories to search for headers, in order.
    pub include_dirs: Vec<PathBuf>,
    /// Macros to define: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Macros to undefine, after all others are defined.
    pub undefines: Vec<String>,
    /// The language.
    pub dialect: Dialect,
    /// The machine.
    pub target: &'static Target,
    /// What the compiler may use.
    pub limits: Limits,
}

impl PreprocessOptions {
    /// The defaults for a target.
    pub fn new(target: &'static Target, dialect: Dialect) -> Self {
        Self {
            compiler: Vec::new(),
            include_dirs: Vec::new(),
            defines: Vec::new(),
            undefines: Vec::new(),
            dialect,
            target,
            limits: Limits {
                time: Duration::from_secs(60),
                stdout_bytes: 1 << 30,
                stderr_bytes: 16 << 20,
            },
        }
    }
}

/// What to preprocess.
#[derive(Clone, Copy, Debug)]
pub enum Unit<'a> {
    /// A file, which the compiler reads itself.
    File(&'a Path),
    /// A text that is in no file, or in none that can be read twice.
    Text {
        /// What the user calls it.
        name: &'a Path,
        /// What it says.
        bytes: &'a [u8],
    },
}

/// A preprocessed text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preprocessed {
    /// The text, with line markers.
    pub text: String,
    /// What the compiler said about it; mostly nothing.
    pub messages: String,
}

/// The command that preprocesses for a target if the user names none: for this machine, the
/// user's own compiler.
pub fn default_compiler(target: &Target) -> &'static str {
    match target.toolchain.compiler {
        "" | "gcc" => "cc",
        compiler => compiler,
    }
}

/// The names of a dialect in `-std`, the one to try first in front.
fn standards(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::C99 => &["gnu99"],
        // The Portable C Compiler knows only the plain name.
        Dialect::C11 => &["gnu11", "c11"],
        // To a preprocessor both are the same but for the number of the year.
        Dialect::C17 => &["gnu17", "gnu11", "c11"],
        // GCC 14 and Clang 18 gave it its final name.
        Dialect::C23 => &["gnu23", "gnu2x"],
    }
}

/// Runs the preprocessor on one text.
pub fn preprocess(unit: Unit<'_>, options: &PreprocessOptions) -> Result<Preprocessed, Error> {
    let (last, earlier) =
        standards(options.dialect).split_last().expect("every dialect has a name");
    for standard in earlier {
        match attempt(unit, options, standard) {
            Err(Error::Rejected { .. }) if !knows(options, standard)? => {}
            result => return result,
        }
    }
    attempt(unit, options, last)
}

/// Whether the compiler accepts the name of a standard: it can preprocess nothing with it.
fn knows(options: &PreprocessOptions, standard: &str) -> Result<bool, Error> {
    let bare = PreprocessOptions {
        include_dirs: Vec::new(),
        defines: Vec::new(),
        undefines: Vec::new(),
        ..options.clone()
    };
    match attempt(Unit::Text { name: Path::new("-"), bytes: b"\n" }, &bare, standard) {
        Ok(_) => Ok(true),
        Err(Error::Rejected { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn attempt(
    unit: Unit<'_>,
    options: &PreprocessOptions,
    standard: &str,
) -> Result<Preprocessed, Error> {
    let (path, input) = match unit {
        Unit::File(path) => (path, &[][..]),
        Unit::Text { name, bytes } => (name, bytes),
    };
    let mut command = command(unit, options, standard);
    let finished = run(&mut command, input, &options.limits)?;
    let path = path.to_owned();
    let messages = || String::from_utf8_lossy(&finished.stderr).into_owned();
    match finished.ending {
        ProcessEnding::Exited(status) if !status.success() => {
            Err(rejected(path, &command, status, messages()))
        }
        ProcessEnding::Exited(_) => {
            let messages = messages();
            Ok(Preprocessed { text: decode_preprocessed(&path, finished.stdout)?, messages })
        }
        ProcessEnding::TimedOut | ProcessEnding::Starved(_) => Err(Error::TimedOut {
            path,
            command: command_line(&command),
            limit: options.limits.time,
        }),
        ProcessEnding::TooMuchOutput => Err(Error::TooMuchOutput {
            path,
            command: command_line(&command),
            limit: if finished.stderr.len() == options.limits.stderr_bytes {
                options.limits.stderr_bytes
            } else {
                options.limits.stdout_bytes
            },
        }),
        ProcessEnding::TooMuchMemory | ProcessEnding::TooManyProcesses => {
            unreachable!("`run` limits neither memory nor processes")
        }
    }
}

fn rejected(path: PathBuf, command: &Command, status: ExitStatus, messages: String) -> Error {
    Error::Rejected { path, command: command_line(command), status, messages }
}

fn command(unit: Unit<'_>, options: &PreprocessOptions, standard: &str) -> Command {
    let mut command = match options.compiler.split_first() {
        None => Command::new(default_compiler(options.target)),
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
    };
    // The same words on every machine.
    command.env("LC_ALL", "C");
    command.args(options.target.toolchain.all_flags()).arg(format!("-std={standard}")).arg("-E");
    for directory in &options.include_dirs {
        command.arg("-I").arg(directory);
    }
    command.args(options.defines.iter().map(|define| format!("-D{define}")));
    command.args(options.undefines.iter().map(|name| format!("-U{name}")));
    // The name of the file need not end in `.c`, and may look like an option.
    command.args(["-x", "c"]);
    match unit {
        Unit::File(path) if path.as_os_str().as_bytes().starts_with(b"-") => {
            command.arg(Path::new(".").join(path))
        }
        Unit::File(path) => command.arg(path),
        Unit::Text { .. } => command.arg("-"),
    };
    command
}

#[cfg(test)]
mod tests {
    use farrier_lang::target::{AARCH64_LINUX, AVR, I386_LINUX, X86_64_LINUX};

    use super::*;

    fn with_compiler(script: &str) -> PreprocessOptions {
        let compiler = ["sh", "-c", script, "sh"].map(OsString::from).to_vec();
        PreprocessOptions { compiler, ..PreprocessOptions::new(&X86_64_LINUX, Dialect::C17) }
    }

    fn text(bytes: &[u8]) -> Unit<'_> {
        Unit::Text { name: Path::new("<stdin>"), bytes }
    }

    fn expand(source: &str, options: &PreprocessOptions) -> String {
        preprocess(text(source.as_bytes()), options).expect("it can be preprocessed").text
    }

    #[test]
    fn macros_are_defined_then_undefined() {
        let mut options = PreprocessOptions::new(&X86_64_LINUX, Dialect::C17);
        options.defines = ["ONE=1", "GONE=2", "EMPTY"].map(String::from).to_vec();
        options.undefines = vec!["GONE".into()];
        let found = expand("ONE GONE EMPTY __STDC_VERSION__\n", &options);
        assert!(found.ends_with("\n1 GONE 1 201710L\n"), "{found}");
    }

    #[test]
    fn each_target_has_its_own_compiler() {
        let sizes = [
            (&X86_64_LINUX, "4 8 16 __CHAR_UNSIGNED__"),
            (&I386_LINUX, "4 4 12 __CHAR_UNSIGNED__"),
            (&AARCH64_LINUX, "4 8 16 1"),
            (&AVR, "2 2 4 __CHAR_UNSIGNED__"),
        ];
        for (target, expected) in sizes {
            let options = PreprocessOptions::new(target, Dialect::C17);
            let found = expand(
                "__SIZEOF_INT__ __SIZEOF_POINTER__ __SIZEOF_LONG_DOUBLE__ __CHAR_UNSIGNED__\n",
                &options,
            );
            assert!(found.ends_with(&format!("\n{expected}\n")), "{}: {found}", target.name);
        }
    }

    #[test]
    fn i386_computes_without_excess_precision() {
        let options = PreprocessOptions::new(&I386_LINUX, Dialect::C17);
        assert!(expand("__FLT_EVAL_METHOD__\n", &options).ends_with("\n0\n"));
    }

    #[test]
    fn the_newest_standard_is_named_as_the_compiler_knows_it() {
        let options = PreprocessOptions::new(&X86_64_LINUX, Dialect::C23);
        let found = expand("__STDC_VERSION__\n", &options);
        assert!(found.ends_with("\n202000L\n") || found.ends_with("\n202311L\n"), "{found}");
        let newest = "case \"$*\" in *gnu23*) echo new;; *) exit 1;; esac";
        let oldest = "case \"$*\" in *gnu2x*) echo old;; *) exit 1;; esac";
        for (script, expected) in [(newest, "new\n"), (oldest, "old\n")] {
            let options = PreprocessOptions { dialect: Dialect::C23, ..with_compiler(script) };
            assert_eq!(expand("x", &options), expected);
        }
    }

    #[test]
    fn a_rejected_text_comes_with_the_words_of_the_compiler() {
        let options = PreprocessOptions::new(&X86_64_LINUX, Dialect::C23);
        match preprocess(text(b"#error no\n"), &options) {
            Err(Error::Rejected { messages, .. }) => {
                assert!(messages.contains("<stdin>:1:2: error: #error no"), "{messages}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn warnings_are_passed_on() {
        let options = PreprocessOptions::new(&X86_64_LINUX, Dialect::C17);
        let found = preprocess(text(b"#warning careful\n"), &options).expect("only a warning");
        assert!(found.messages.contains("careful"), "{}", found.messages);
    }

    #[test]
    fn limits_are_errors_of_their_own() {
        let mut options = with_compiler("exec sleep 100");
        options.limits.time = Duration::from_millis(100);
        let slow = preprocess(text(b""), &options).expect_err("too slow");
        assert!(matches!(slow, Error::TimedOut { .. }), "{slow:?}");
        let mut options = with_compiler("exec yes");
        options.limits.stdout_bytes = 5000;
        let long = preprocess(text(b""), &options).expect_err("too long");
        assert!(matches!(long, Error::TooMuchOutput { limit: 5000, .. }), "{long:?}");
    }

    #[test]
    fn bytes_that_are_not_text_are_found_in_their_file() {
        let options = PreprocessOptions::new(&X86_64_LINUX, Dialect::C17);
        let error = preprocess(text(b"int x;\n\nchar *s = \"\xff\";\n"), &options);
        let message = error.expect_err("not UTF-8").to_string();
        assert_eq!(message, "`<stdin>` is not UTF-8: byte 0xff at line 3, column 12");
        let comment = preprocess(text(b"/* \xff */ int x;\n"), &options);
        assert!(comment.is_ok(), "comments may be in any encoding");
    }

    #[test]
    fn a_missing_compiler_is_named() {
        let mut options = PreprocessOptions::new(&AVR, Dialect::C17);
        options.compiler = vec!["no-such-cc".into()];
        let error = preprocess(text(b""), &options).expect_err("missing");
        assert!(matches!(&error, Error::Missing { program } if program == "no-such-cc"));
    }

    #[test]
    fn a_file_may_have_any_name() {
        let options = PreprocessOptions::new(&X86_64_LINUX, Dialect::C17);
        let command = command(Unit::File(Path::new("-o")), &options, "gnu17");
        assert_eq!(command_line(&command), "cc -m64 -std=gnu17 -E -x c ./-o");
    }
}
