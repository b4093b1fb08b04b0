//! Programs for AVR, run by simavr.
//!
//! The simulator has no exit status and no standard output, only a serial line, which it
//! prints decorated. So a support file is linked to every program: it sends each byte of
//! the output as two hexadecimal digits and ends with `=` and the exit status, with `!` for an abort,
//! or with `?` if the memory was not enough: the stack grows into the data unnoticed.

use super::{Excess, Outcome};
use crate::{Finished, ProcessEnding};

/// A processor with enough memory for test programs, which avr-libc and simavr both know.
pub(super) const PROCESSOR: &str = "atmega1284p";

/// The name of the support file.
pub(super) const SUPPORT_NAME: &str = "farrier_avr.c";

/// What it says.
pub(super) const SUPPORT: &str = include_str!("avr_support.c");

/// The command that runs an executable. The frequency is only a number: the simulator
/// runs as fast as it can.
pub(super) fn command(executable: &str) -> Vec<String> {
    ["simavr", "-m", PROCESSOR, "-f", "16000000", executable].map(str::to_owned).to_vec()
}

/// What the simulated program did.
pub(super) fn outcome(finished: Finished) -> Outcome {
    let (output, end) = decode(&finished.stderr);
    match (finished.ending, end) {
        (ProcessEnding::Exited(status), Some(End::Exit(code))) if status.success() => {
            Outcome::Ran { status: code, output }
        }
        // What abort is elsewhere.
        (ProcessEnding::Exited(status), Some(End::Abort)) if status.success() => {
            Outcome::RunCrash { signal: Some(libc::SIGABRT), output }
        }
        (ProcessEnding::Exited(_), Some(End::NoMemory)) => {
            Outcome::RunExcess { of: Excess::Memory, output }
        }
        (ProcessEnding::TooMuchOutput, _) => Outcome::RunExcess { of: Excess::Output, output },
        (ProcessEnding::Exited(status), None) if status.success() => {
            Outcome::RunCrash { signal: None, output }
        }
        (_, _) => match super::program_outcome(finished) {
            Outcome::RunTimeout { .. } => Outcome::RunTimeout { output },
            Outcome::Ran { .. } => Outcome::RunCrash { signal: None, output },
            other => other,
        },
    }
}

/// How the program says that it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Exit(i32),
    Abort,
    NoMemory,
}

/// The bytes that the program wrote, and its end, in what the simulator prints of the
/// serial line: lines between colours, of at most so many characters.
fn decode(printed: &[u8]) -> (Vec<u8>, Option<End>) {
    let text = String::from_utf8_lossy(printed);
    let serial = text.split("\u{1b}[32m").skip(1).map(|line| {
        let end = line.find(['\n', '\u{1b}']).unwrap_or(line.len());
        &line[..end]
    });
    let mut bytes = Vec::new();
    let mut half = None;
    let mut ending = false;
    for character in serial.flat_map(str::chars) {
        let digit = match character {
            '=' => {
                ending = true;
                half = None;
                continue;
            }
            '!' => return (bytes, Some(End::Abort)),
            '?' => return (bytes, Some(End::NoMemory)),
            // A line break of the support file, shown as what cannot be shown.
            '.' => continue,
            _ => match character.to_digit(16) {
                Some(digit) => digit,
                // Noise that is not from the support file: the program does not live on it.
                None => return (bytes, None),
            },
        };
        match half.take() {
            None => half = Some(digit),
            Some(high) => {
                let byte = u8::try_from(high * 16 + digit).expect("two digits are a byte");
                if ending {
                    return (bytes, Some(End::Exit(i32::from(byte))));
                }
                bytes.push(byte);
            }
        }
    }
    (bytes, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_line_is_decoded() {
        let printed = b"Loaded 3 .data\n\x1b[32m34\n\x1b[0m\x1b[32m320a=03.\n\x1b[0m";
        assert_eq!(decode(printed), (b"42\n".to_vec(), Some(End::Exit(3))));
        assert_eq!(decode(b"\x1b[32m34!.\n\x1b[0m"), (b"4".to_vec(), Some(End::Abort)));
        assert_eq!(decode(b"\x1b[32m34?00.\n\x1b[0m"), (b"4".to_vec(), Some(End::NoMemory)));
        assert_eq!(decode(b"\x1b[32m34"), (b"4".to_vec(), None));
        assert_eq!(decode(b"avr_sadly_crashed\n"), (Vec::new(), None));
    }
}
