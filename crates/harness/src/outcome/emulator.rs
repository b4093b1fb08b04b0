//! Programs for other machines, run by an emulator of user programs (qemu-user).

use std::os::unix::process::ExitStatusExt;

use super::{Outcome, program_outcome};
use crate::subject::is_simulator;
use crate::{Finished, ProcessEnding};

/// What qemu says where the program, and not qemu itself, ends by a signal and dumps core.
const SIGNAL_OF_THE_PROGRAM: &str = "uncaught target signal";

/// What the loader of the other machine says before the program starts, and what qemu says of
/// its own faults.
const NOT_OF_THE_PROGRAM: [&str; 3] =
    ["error while loading shared libraries", "QEMU internal SIG", "ERROR:../"];

/// Whether a command is an emulator that becomes the program and starts nothing.
pub(super) fn is_known(command: &[String]) -> bool {
    let name = command.first().and_then(|word| word.rsplit('/').next());
    name.is_some_and(|name| name.starts_with("qemu-") || is_simulator(name))
}

/// What a program did in an emulator. Where the emulator itself fails, nothing is known about
/// the program.
pub(super) fn outcome(command: &[String], finished: Finished) -> Outcome {
    let emulator = command.first().map_or("", String::as_str).rsplit('/').next().unwrap_or("");
    match complaint(emulator, &finished).or_else(|| unknown_instruction(emulator, &finished)) {
        Some(what) => Outcome::Infrastructure { what: format!("`{emulator}` fails: {what}") },
        None => program_outcome(finished),
    }
}

/// The library of 32-bit PowerPC sets rounding modes by a later form of `mtfsf`, which qemu knows
/// of none of its 32-bit processors. Programs that fail end by another signal there.
fn unknown_instruction(emulator: &str, finished: &Finished) -> Option<String> {
    let ProcessEnding::Exited(status) = finished.ending else { return None };
    let illegal = emulator == "qemu-ppc" && status.signal() == Some(libc::SIGILL);
    illegal.then(|| "it does not know an instruction, maybe one of the library".to_owned())
}

/// What the emulator complains about. Only qemu is known well enough.
fn complaint(emulator: &str, finished: &Finished) -> Option<String> {
    let ProcessEnding::Exited(status) = finished.ending else { return None };
    if status.success() || !emulator.starts_with("qemu-") {
        return None;
    }
    let text = String::from_utf8_lossy(&finished.stderr);
    let prefix = format!("{emulator}: ");
    let own = text.lines().find(|line| {
        let by_qemu = line.starts_with(&prefix) || line.starts_with("qemu: ");
        by_qemu && !line.contains(SIGNAL_OF_THE_PROGRAM)
            || NOT_OF_THE_PROGRAM.iter().any(|words| line.contains(words))
    })?;
    Some(own.strip_prefix(&prefix).unwrap_or(own).to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::ExitStatus;
    use std::time::Duration;

    use super::*;

    fn finished(status: i32, stderr: &str) -> Finished {
        Finished {
            ending: ProcessEnding::Exited(ExitStatus::from_raw(status)),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            time: Duration::ZERO,
            cpu: Duration::ZERO,
        }
    }

    #[test]
    fn the_emulator_and_the_program_are_told_apart() {
        let command = ["/usr/bin/qemu-aarch64", "-L", "/usr/x"].map(str::to_owned);
        let is_ours = |status, stderr| {
            matches!(outcome(&command, finished(status, stderr)), Outcome::Infrastructure { .. })
        };
        // Of the program.
        let segmentation = "qemu: uncaught target signal 11 (Segmentation fault) - core dumped\n";
        assert!(!is_ours(libc::SIGSEGV, segmentation));
        assert!(!is_ours(
            libc::SIGABRT,
            "qemu: uncaught target signal 6 (Aborted) - core dumped\n"
        ));
        assert!(!is_ours(libc::SIGSEGV, ""));
        assert!(!is_ours(255 << 8, "anything\n"));
        assert!(!is_ours(0, "qemu-aarch64: warning: a word too many\n"));
        // Of the emulator.
        let missing = "qemu-aarch64: Could not open '/lib/ld-linux-aarch64.so.1': No such file\n";
        assert!(is_ours(255 << 8, missing));
        assert!(is_ours(libc::SIGSEGV, "QEMU internal SIGSEGV {code=MAPERR, addr=0x0}\n"));
        assert!(is_ours(libc::SIGABRT, "ERROR:../tcg/tcg.c:1: code should not be reached\n"));
        assert!(is_ours(
            127 << 8,
            "./program: error while loading shared libraries: libm.so.6: cannot open\n"
        ));
        let powerpc = ["qemu-ppc".to_owned()];
        let illegal = outcome(&powerpc, finished(libc::SIGILL, ""));
        assert!(matches!(illegal, Outcome::Infrastructure { .. }), "{illegal:?}");
        assert!(!is_ours(libc::SIGILL, ""));
        let other = ["other".to_owned()];
        let unknown = outcome(&other, finished(255 << 8, missing));
        assert!(matches!(unknown, Outcome::Ran { status: 255, .. }), "{unknown:?}");
    }
}
