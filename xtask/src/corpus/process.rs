//! Commands with limits, and their ends in words.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use farrier_harness::{Finished, Limits, ProcessEnding};

/// Far more than any program of a corpus writes, and preprocessed text needs.
const OUTPUT_BYTES: usize = 64 << 20;

/// Runs `command` in `directory`.
pub(crate) fn run(command: &mut Command, directory: &Path, time: Duration) -> Result<Finished> {
    let limits = Limits { time, stdout_bytes: OUTPUT_BYTES, stderr_bytes: OUTPUT_BYTES };
    Ok(farrier_harness::run(command.current_dir(directory), b"", &limits)?)
}

pub(crate) fn succeeded(finished: &Finished) -> bool {
    matches!(finished.ending, ProcessEnding::Exited(status) if status.success())
}

/// The end in words.
pub(crate) fn ending_text(ending: ProcessEnding) -> String {
    match ending {
        ProcessEnding::Exited(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, signal) => format!("signal {}", signal.unwrap_or_default()),
        },
        ProcessEnding::TimedOut | ProcessEnding::Starved(_) => "did not end in time".into(),
        ProcessEnding::TooMuchOutput => "wrote too much".into(),
        ProcessEnding::TooMuchMemory => "used too much memory".into(),
        ProcessEnding::TooManyProcesses => "started too many processes".into(),
    }
}

/// The end, and the first line of stderr that names an error, or else the first.
pub(crate) fn complaint(finished: &Finished) -> String {
    let text = String::from_utf8_lossy(&finished.stderr);
    let line = text.lines().find(|line| line.contains("error:")).or(text.lines().next());
    format!("{}: {}", ending_text(finished.ending), line.unwrap_or("nothing on stderr"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Finished {
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), Path::new("/"), Duration::from_secs(10)).unwrap()
    }

    #[test]
    fn ends_are_told_in_words() {
        let finished = shell("echo first >&2; echo 'x: error: y' >&2; exit 3");
        assert_eq!(complaint(&finished), "exit status 3: x: error: y");
        assert_eq!(complaint(&shell("echo first >&2; exit 3")), "exit status 3: first");
        assert_eq!(ending_text(shell("kill -6 $$").ending), "signal 6");
    }
}
