//! Programs whose output stands between marks, because what runs them prints other things too and
//! has no exit status to give: simulators, boards behind a serial line.
//!
//! A runtime that is linked to every program prints the marks:
//!
//! ```text
//! farrier: begin
//! what the program prints
//! farrier: end 0
//! ```
//!
//! The last word is the exit status, `abort`, or `memory` where the stack has met the data.
//! An engine for WebAssembly also says `trap`, where the program did what no instruction may do.
//! What runs programs on a GPU (`gpu.c`) also says `fault`, `hang`, or `device` where they were
//! compiled for another device.

use super::{Excess, Outcome};
use crate::{Finished, ProcessEnding};

/// The line before the output.
const BEGIN: &[u8] = b"farrier: begin";

/// What comes after the output, without a line break of its own, before the last word.
const END: &[u8] = b"farrier: end ";

/// How the program says that it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Exit(i32),
    Abort,
    Trap,
    Memory,
    Fault,
    Hang,
    Device,
}

/// What the program did, by what its runner printed.
pub(super) fn outcome(command: &[String], finished: Finished) -> Outcome {
    let read = read(&finished.stdout).or_else(|| read(&finished.stderr));
    let Some((output, end)) = read else { return not_begun(command, finished) };
    match (finished.ending, end) {
        // A runner that goes on after the end of its program has shown all of it.
        (_, Some(End::Exit(status))) => Outcome::Ran { status, output },
        (_, Some(End::Abort)) => Outcome::RunCrash { signal: Some(libc::SIGABRT), output },
        (_, Some(End::Trap)) => Outcome::RunCrash { signal: Some(libc::SIGTRAP), output },
        (_, Some(End::Memory)) => Outcome::RunExcess { of: Excess::Memory, output },
        (_, Some(End::Fault)) => Outcome::RunCrash { signal: None, output },
        (_, Some(End::Hang)) => Outcome::RunTimeout { output },
        (_, Some(End::Device)) => Outcome::Compiled,
        (_, None) => match super::program_outcome(finished) {
            Outcome::RunTimeout { .. } => Outcome::RunTimeout { output },
            // Who wrote too much, the runner or the program, is not known.
            Outcome::Ran { .. } | Outcome::RunCrash { .. } | Outcome::RunExcess { .. } => {
                Outcome::RunCrash { signal: None, output }
            }
            other => other,
        },
    }
}

/// Whether the output of the program begins.
pub(super) fn has_begun(finished: &Finished) -> bool {
    read(&finished.stdout).is_some()
}

/// What it means that the output of the program does not even begin.
fn not_begun(command: &[String], finished: Finished) -> Outcome {
    let name = command.first().map_or("", String::as_str);
    let failed = match finished.ending {
        ProcessEnding::Exited(status) => !status.success(),
        _ => false,
    };
    if failed {
        let bytes = [&finished.stderr[..], &finished.stdout[..]].concat();
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        let said = last.unwrap_or("it says nothing").trim();
        return Outcome::Infrastructure { what: format!("`{name}` fails: {said}") };
    }
    match super::program_outcome(finished) {
        Outcome::Ran { .. } | Outcome::RunCrash { .. } | Outcome::RunExcess { .. } => {
            Outcome::RunCrash { signal: None, output: Vec::new() }
        }
        Outcome::RunTimeout { .. } => Outcome::RunTimeout { output: Vec::new() },
        other => other,
    }
}

/// The output of the program and its end; `None` if it does not begin.
fn read(printed: &[u8]) -> Option<(Vec<u8>, Option<End>)> {
    let begin = find(printed, BEGIN)?;
    let rest = &printed[begin + BEGIN.len()..];
    // A serial line makes two characters of every line break.
    let is_serial = rest.starts_with(b"\r\n");
    let mut rest = rest.to_vec();
    if is_serial {
        rest.retain(|byte| *byte != b'\r');
    }
    let rest = rest.strip_prefix(b"\n")?;
    let Some(at) = find(rest, END) else { return Some((rest.to_vec(), None)) };
    let word = &rest[at + END.len()..];
    // A word without its line break may have been cut.
    let end = find(word, b"\n").and_then(|length| match &word[..length] {
        b"abort" => Some(End::Abort),
        b"trap" => Some(End::Trap),
        b"memory" => Some(End::Memory),
        b"fault" => Some(End::Fault),
        b"hang" => Some(End::Hang),
        b"device" => Some(End::Device),
        digits => str::from_utf8(digits).ok()?.parse::<i32>().ok().map(|n| End::Exit(n & 0xff)),
    });
    Some((rest[..at].to_vec(), end))
}

/// Where a text begins in another.
fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_read() {
        let ok = |text: &[u8], end| Some((text.to_vec(), end));
        let printed = b"uCsim 0.6\nfarrier: begin\n42\nfarrier: end 3\nstopped at 0x10\n";
        assert_eq!(read(printed), ok(b"42\n", Some(End::Exit(3))));
        assert_eq!(read(b"farrier: begin\nxfarrier: end -1\n"), ok(b"x", Some(End::Exit(255))));
        assert_eq!(
            read(b"boot\r\nfarrier: begin\r\n4\r\nfarrier: end abort\r\n"),
            ok(b"4\n", Some(End::Abort))
        );
        assert_eq!(read(b"farrier: begin\nfarrier: end memory\n"), ok(b"", Some(End::Memory)));
        // Cut, and disturbed.
        assert_eq!(read(b"farrier: begin\n42"), ok(b"42", None));
        assert_eq!(read(b"farrier: begin\nfarrier: end 1"), ok(b"", None));
        assert_eq!(read(b"farrier: begin\nfarrier: end 1x\n"), ok(b"", None));
        assert_eq!(read(b"farrier: beg"), None);
        assert_eq!(read(b""), None);
    }

    #[test]
    fn what_fails_around_the_program_is_no_outcome_of_it() {
        let finished = |code: i32, stdout: &str, stderr: &str| Finished {
            ending: ProcessEnding::Exited(ExitStatus::from_raw(code << 8)),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            time: Duration::ZERO,
            cpu: Duration::ZERO,
        };
        let outcome = |finished| outcome(&["board.sh".to_owned()], finished);
        let gone = outcome(finished(1, "", "no such device\n"));
        let Outcome::Infrastructure { what } = gone else { panic!("{gone:?}") };
        assert_eq!(what, "`board.sh` fails: no such device");
        let silent = outcome(finished(0, "a banner\n", ""));
        assert_eq!(silent, Outcome::RunCrash { signal: None, output: Vec::new() });
        let cut = outcome(finished(0, "farrier: begin\n4", ""));
        assert_eq!(cut, Outcome::RunCrash { signal: None, output: b"4".to_vec() });
        let right = outcome(finished(1, "", "farrier: begin\n4farrier: end 0\n"));
        assert_eq!(right, Outcome::Ran { status: 0, output: b"4".to_vec() });
    }
}
