//! Commands of the user: a generator that is not ours, which writes a program for a seed, and
//! others that say something about a hunt.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::scratch::file_error;
use crate::{Error, Limits, ProcessEnding, Scratch, run};

/// What stands in a command for the seed.
pub const SEED: &str = "{seed}";

/// So many seeds there are: what fits the `int` of every generator, without a sign.
pub const SEEDS: u64 = 1 << 31;

/// What a generator may take.
const LIMITS: Limits =
    Limits { time: Duration::from_secs(60), stdout_bytes: 16 << 20, stderr_bytes: 1 << 20 };

/// A program in a directory of its own, which goes away with it.
#[derive(Debug)]
pub struct Made {
    directory: Scratch,
    /// Its C files, in the order of their names.
    pub files: Vec<PathBuf>,
}

impl Made {
    /// The directory with everything that the generator has written, headers too.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// Runs a command of the shell in an empty directory. The C files that it writes there are the
/// program; if there are none, its output is. Otherwise the error says why there is no program.
pub fn make_program(command: &str, base: &Path) -> Result<Result<Made, String>, Error> {
    let directory = Scratch::new(base)?;
    let output = match in_shell(command, directory.path(), LIMITS.time)? {
        Ok(output) => output,
        Err(why) => return Ok(Err(why)),
    };
    let path = directory.path().to_owned();
    let mut files = c_files(&path).map_err(|source| file_error(&path, source))?;
    if files.is_empty() && !output.is_empty() {
        let file = path.join("program.c");
        fs::write(&file, &output).map_err(|source| file_error(&file, source))?;
        files.push(file);
    }
    if files.is_empty() {
        return Ok(Err("it writes neither a C file nor anything else".to_owned()));
    }
    Ok(Ok(Made { directory, files }))
}

/// The output of a command of the shell in a directory, or why there is none.
pub fn in_shell(
    command: &str,
    directory: &Path,
    time: Duration,
) -> Result<Result<Vec<u8>, String>, Error> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(directory).env("LC_ALL", "C");
    let finished = run(&mut shell, b"", &Limits { time, ..LIMITS })?;
    let words = String::from_utf8_lossy(&finished.stderr);
    let last = words.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
    Ok(match finished.ending {
        ProcessEnding::Exited(status) if status.success() => Ok(finished.stdout),
        ProcessEnding::Exited(status) => Err(format!("{status}: {last}")),
        ProcessEnding::TimedOut | ProcessEnding::Starved(_) => {
            Err(format!("it has not finished after {time:?}"))
        }
        ProcessEnding::TooMuchOutput => Err("it writes too much".to_owned()),
        ProcessEnding::TooMuchMemory | ProcessEnding::TooManyProcesses => {
            unreachable!("`run` limits neither memory nor processes")
        }
    })
}

fn c_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension() == Some(OsStr::new("c")) && path.is_file());
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(command: &str) -> Result<Vec<(String, String)>, String> {
        let made = make_program(command, &std::env::temp_dir()).expect("there is a shell")?;
        let file = |path: &PathBuf| {
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("it is there"))
        };
        Ok(made.files.iter().map(file).collect())
    }

    #[test]
    fn a_program_is_what_is_written_or_said() {
        let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
        assert_eq!(made("echo 'int x;'"), Ok(vec![pair("program.c", "int x;\n")]));
        let several = "echo a > b.c; echo b > a.c; echo h > a.h; echo seed 3";
        assert_eq!(made(several), Ok(vec![pair("a.c", "b\n"), pair("b.c", "a\n")]));
    }

    #[test]
    fn a_generator_that_fails_says_why() {
        assert_eq!(made("true"), Err("it writes neither a C file nor anything else".to_owned()));
        let failed = made("echo int; echo no seed >&2; exit 3").expect_err("it fails");
        assert_eq!(failed, "exit status: 3: no seed");
        let missing = made("no-such-generator 3").expect_err("it is not there");
        assert!(missing.contains("not found"), "{missing}");
    }
}
