//! What can go wrong around us.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// A failure of the surroundings: of a tool, a file or the system. What a tested
/// program or compiler did is never one of these.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such program.
    #[error("cannot find the program `{program}`")]
    Missing {
        /// What was to be started.
        program: String,
    },
    /// The system refuses to start a program.
    #[error("cannot start `{command}`")]
    Start {
        /// The command with its arguments.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// The system fails while a program runs.
    #[error("cannot watch `{command}`")]
    Watch {
        /// The command with its arguments.
        command: String,
        /// What the system says.
        source: io::Error,
    },
    /// The preprocessor does not accept a file.
    #[error("`{command}` cannot preprocess `{}` ({status})", .path.display())]
    Rejected {
        /// The file.
        path: PathBuf,
        /// The command with its arguments.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        messages: String,
    },
    /// The preprocessor takes too long.
    #[error("`{command}` has not finished after {limit:?}")]
    TimedOut {
        /// The file.
        path: PathBuf,
        /// The command with its arguments.
        command: String,
        /// The time it had.
        limit: Duration,
    },
    /// The preprocessor writes too much.
    #[error("`{command}` writes more than {limit} bytes")]
    TooMuchOutput {
        /// The file.
        path: PathBuf,
        /// The command with its arguments.
        command: String,
        /// What it may write.
        limit: usize,
    },
    /// A text is not UTF-8.
    #[error("`{}` is not UTF-8: byte {byte:#04x} at line {line}, column {column}", .path.display())]
    NotUtf8 {
        /// The file that holds the byte.
        path: PathBuf,
        /// The line, from one.
        line: u32,
        /// The column in bytes, from one.
        column: usize,
        /// The first byte that cannot be decoded.
        byte: u8,
    },
    /// A process could not be confined.
    #[error("the sandbox cannot start `{command}`: {message}")]
    Sandbox {
        /// The command with its arguments.
        command: String,
        /// What its launcher says.
        message: String,
    },
    /// A file or directory that we need for ourselves cannot be used.
    #[error("cannot use `{}`", .path.display())]
    File {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A list of subjects is wrong.
    #[error("{}:{line}: {message}", .path.display())]
    SubjectFile {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// What is wrong with it, and what to do.
        message: String,
    },
}

impl Error {
    /// The header that a preprocessor did not find, if that is all that went wrong.
    pub fn missing_header(&self) -> Option<&str> {
        match self {
            Self::Rejected { messages, .. } => crate::outcome::missing_header(messages),
            _ => None,
        }
    }
}
