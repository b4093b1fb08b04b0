//! Programs for Windows, run by wine.
//!
//! Wine reports eight bits of an exit status, which are those of an exception, too, and it may
//! fail before the program begins. So a support file is linked to every program: it tells
//! standard error that the program begins, and how it ends.

use std::time::Duration;

use super::{Outcome, program_outcome};
use crate::{Finished, ProcessEnding};

/// The name of the support file.
pub(super) const SUPPORT_NAME: &str = "farrier_windows.c";

/// What it says.
pub(super) const SUPPORT: &str = include_str!("windows_support.c");

/// What begins each of its messages.
const MARK: &str = "farrier: ";

/// The signals that other systems have for exceptions of Windows, by their numbers.
const EXCEPTIONS: &[(u32, i32)] = &[
    (0x8000_0002, libc::SIGBUS),
    (0x8000_0003, libc::SIGTRAP),
    (0x8000_0004, libc::SIGTRAP),
    (0xc000_0005, libc::SIGSEGV),
    (0xc000_001d, libc::SIGILL),
    (0xc000_008e, libc::SIGFPE),
    (0xc000_0090, libc::SIGFPE),
    (0xc000_0091, libc::SIGFPE),
    (0xc000_0093, libc::SIGFPE),
    (0xc000_0094, libc::SIGFPE),
    (0xc000_0095, libc::SIGFPE),
    (0xc000_0096, libc::SIGILL),
    (0xc000_00fd, libc::SIGSEGV),
];

/// A program that hangs needs at least this part of its time; wine that waits needs none.
const BUSY: u32 = 4;

/// How the program says that it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Exit,
    Abort,
    Exception(u32),
}

/// Whether a command is wine.
pub(crate) fn is_wine(command: &[String]) -> bool {
    let name = command.first().and_then(|word| word.rsplit('/').next());
    matches!(name, Some("wine" | "wine64" | "wine-stable" | "wine-development"))
}

/// What the program did.
pub(super) fn outcome(command: &[String], finished: Finished) -> Outcome {
    let said = String::from_utf8_lossy(&finished.stderr).into_owned();
    let name = command.first().map_or("", String::as_str);
    let fails = |what: &str| Outcome::Infrastructure { what: format!("`{name}` fails: {what}") };
    let Some(end) = read(&said) else {
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        return match finished.ending {
            ProcessEnding::Exited(status) => match last {
                Some(line) => fails(line.trim()),
                None => fails(&format!("the program does not begin, {status}")),
            },
            _ => fails("the program does not begin"),
        };
    };
    let limit = finished.time;
    match (finished.ending, end) {
        (ProcessEnding::Exited(status), end) if status.code().is_some() => {
            let output = finished.stdout;
            match end {
                Some(End::Exit) => {
                    Outcome::Ran { status: status.code().unwrap_or_default(), output }
                }
                Some(End::Abort) => Outcome::RunCrash { signal: Some(libc::SIGABRT), output },
                Some(End::Exception(code)) => {
                    let known = EXCEPTIONS.iter().find(|(number, _)| *number == code);
                    Outcome::RunCrash { signal: known.map(|(_, signal)| *signal), output }
                }
                // Nothing is known of its end.
                None => Outcome::RunCrash { signal: None, output },
            }
        }
        (ProcessEnding::TimedOut, _) if !is_busy(finished.cpu, limit) => {
            fails("the program waits, which none does by itself")
        }
        _ => match program_outcome(finished) {
            // It is wine itself that a signal ends.
            Outcome::RunCrash { output, .. } => Outcome::RunCrash { signal: None, output },
            other => other,
        },
    }
}

/// Whether a process has computed for a good part of its time.
fn is_busy(cpu: Duration, time: Duration) -> bool {
    cpu >= time / BUSY
}

/// How the program says that it ends, if it does; `None` if it does not even begin.
fn read(said: &str) -> Option<Option<End>> {
    let mut words = said.split(MARK).skip(1).filter_map(|rest| rest.split_once('\n'));
    words.find(|(word, _)| *word == "begin")?;
    Some(words.last().and_then(|(word, _)| match word {
        "end" => Some(End::Exit),
        "abort" => Some(End::Abort),
        _ => {
            let digits = word.strip_prefix("exception ")?;
            u32::from_str_radix(digits, 16).ok().map(End::Exception)
        }
    }))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn finished(ending: ProcessEnding, stderr: &str) -> Finished {
        Finished {
            ending,
            stdout: b"4\n".to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            time: Duration::from_secs(10),
            cpu: Duration::from_secs(9),
        }
    }

    fn ended(code: i32, stderr: &str) -> Outcome {
        let ending = ProcessEnding::Exited(ExitStatus::from_raw(code << 8));
        outcome(&["wine".to_owned()], finished(ending, stderr))
    }

    fn crash(signal: Option<i32>) -> Outcome {
        Outcome::RunCrash { signal, output: b"4\n".to_vec() }
    }

    #[test]
    fn a_program_tells_how_it_ends() {
        let ran = Outcome::Ran { status: 5, output: b"4\n".to_vec() };
        assert_eq!(ended(5, "farrier: begin\nfarrier: end\n"), ran);
        // What the program writes there itself need not end its line.
        assert_eq!(ended(5, "farrier: begin\na wordfarrier: end\n"), ran);
        let access = "farrier: begin\nfarrier: exception c0000005\n";
        assert_eq!(ended(5, access), crash(Some(libc::SIGSEGV)));
        assert_eq!(ended(3, "farrier: begin\nfarrier: abort\n"), crash(Some(libc::SIGABRT)));
    }

    #[test]
    fn an_end_that_is_not_told_says_nothing() {
        assert_eq!(ended(0, "farrier: begin\n"), crash(None));
        assert_eq!(ended(0, "farrier: begin\nfarrier: en"), crash(None));
        assert_eq!(ended(1, "farrier: begin\nfarrier: exception e06d7363\n"), crash(None));
        let killed = ProcessEnding::Exited(ExitStatus::from_raw(libc::SIGSEGV));
        let wine = ["wine".to_owned()];
        assert_eq!(outcome(&wine, finished(killed, "farrier: begin\n")), crash(None));
    }

    #[test]
    fn a_failure_of_wine_is_none_of_the_program() {
        let says = |outcome| match outcome {
            Outcome::Infrastructure { what } => what,
            other => panic!("{other:?}"),
        };
        let missing = "wine: could not load kernel32.dll, status c0000135\n";
        assert_eq!(
            says(ended(53, missing)),
            "`wine` fails: wine: could not load kernel32.dll, status c0000135"
        );
        assert!(says(ended(53, "")).contains("does not begin"));
        let wine = ["wine".to_owned()];
        let late = finished(ProcessEnding::TimedOut, "");
        assert!(says(outcome(&wine, late)).contains("does not begin"));
        let mut waiting = finished(ProcessEnding::TimedOut, "farrier: begin\n");
        waiting.cpu = Duration::from_millis(30);
        assert!(says(outcome(&wine, waiting)).contains("waits"));
        let hangs = finished(ProcessEnding::TimedOut, "farrier: begin\n");
        let hangs = outcome(&wine, hangs);
        assert_eq!(hangs, Outcome::RunTimeout { output: b"4\n".to_vec() });
    }
}
