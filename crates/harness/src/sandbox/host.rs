//! A launcher that stays: it gives up its rights once and then starts one tool after the other.
//!
//! To load a launcher costs more than all that it does, and a hunt would start two for each
//! program and compiler. What a tool may do does not change from one to the next, so the
//! process that has given up its rights can start them all: they inherit what it has left.
//! A compiled program may start nothing, so its launcher must become the program itself.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitOptions};
use wait4::Wait4;

use super::launch::Confinement;
use crate::group::{self, GroupLimits};
use crate::process::{Leader, Pipes, Stop, command_line, open_gate};
use crate::usage::Counted;
use crate::{Error, Finished, Limits, ProcessEnding};

/// After so many commands a host is replaced: its own processor time is limited like that
/// of the commands.
const MOST_COMMANDS: u32 = 10_000;

/// How a command ended, as a host tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reply {
    /// It ended. `left` says whether it left processes behind.
    Ended { status: i32, cpu: Duration, left: bool },
    /// It could not be started, by the number of the error.
    NotStarted(i32),
}

/// The bytes of a reply.
const REPLY_BYTES: usize = 13;

impl Reply {
    fn write(self) -> [u8; REPLY_BYTES] {
        let (kind, number, cpu) = match self {
            Self::Ended { status, cpu, left } => (u8::from(left), status, cpu),
            Self::NotStarted(error) => (2, error, Duration::ZERO),
        };
        let cpu = u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX);
        let mut bytes = [kind; REPLY_BYTES];
        bytes[1..5].copy_from_slice(&number.to_le_bytes());
        bytes[5..].copy_from_slice(&cpu.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; REPLY_BYTES]) -> Self {
        let [kind, a, b, c, d, cpu @ ..] = *bytes;
        let number = i32::from_le_bytes([a, b, c, d]);
        let cpu = Duration::from_micros(u64::from_le_bytes(cpu));
        match kind {
            2 => Self::NotStarted(number),
            kind => Self::Ended { status: number, cpu, left: kind == 1 },
        }
    }
}

/// Writes the words of a command, none of which has a zero in it.
fn send(command: &[OsString], control: &mut impl Write) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    for word in command {
        bytes.extend_from_slice(word.as_bytes());
        bytes.push(0);
    }
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    control.write_all(&bytes)
}

/// Reads what [`send`] has written; an error says that the other end is closed.
fn receive(control: &mut impl Read) -> io::Result<Vec<OsString>> {
    let mut length = [0; 4];
    control.read_exact(&mut length)?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    control.read_exact(&mut bytes)?;
    bytes.pop();
    Ok(bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect())
}

/// What the host does after it has given up its rights: it starts what it is told to, until
/// its socket is closed, even because Farrier was killed. Then it ends itself and all that it
/// has started.
pub(super) fn serve() -> Result<std::convert::Infallible, String> {
    let text = |error: io::Error| format!("host: {error}");
    let control = io::stdin().as_fd().try_clone_to_owned().map_err(text)?;
    let mut control = UnixStream::from(control);
    let mut commands = control.try_clone().map_err(text)?;
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new()
        .stack_size(1 << 16)
        .spawn(move || {
            while let Ok(command) = receive(&mut commands) {
                // The other end is this process.
                let _ = sender.send(command);
            }
            let _ = rustix::process::kill_current_process_group(Signal::KILL);
        })
        .map_err(text)?;
    loop {
        let command = receiver.recv().map_err(|error| error.to_string())?;
        let reply = execute(&command).unwrap_or_else(|error| {
            Reply::NotStarted(error.raw_os_error().unwrap_or(libc::EINVAL))
        });
        control.write_all(&reply.write()).map_err(text)?;
    }
}

fn execute(command: &[OsString]) -> io::Result<Reply> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let used = Command::new(program).args(arguments).stdin(Stdio::null()).spawn()?.wait4()?;
    let left = loop {
        // Orphans are our children, because this is a subreaper.
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    let cpu = used.rusage.utime + used.rusage.stime;
    Ok(Reply::Ended { status: used.status.into_raw(), cpu, left })
}

/// A launcher that stays, from outside.
#[derive(Debug)]
pub(super) struct Host {
    leader: Leader,
    counted: Counted,
    control: UnixStream,
    outputs: [Option<PipeReader>; 2],
    /// What its commands may do.
    pub(super) confinement: Confinement,
    commands: u32,
    /// The processor time of the commands that have ended.
    reported: Duration,
}

/// What came of giving a command to a host.
pub(super) enum Hosted {
    /// The command ended.
    Finished(Finished),
    /// It could not be started.
    NotStarted(io::Error),
}

impl Host {
    /// Starts a host; `launcher` has its arguments, its directory and its environment.
    pub(super) fn start(launcher: &mut Command, confinement: Confinement) -> Result<Self, Error> {
        let failed =
            |source, launcher: &Command| Error::Start { command: command_line(launcher), source };
        let (control, other) = UnixStream::pair().map_err(|source| failed(source, launcher))?;
        launcher.stdin(OwnedFd::from(other)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut leader = Leader::start(launcher)?;
        // The command still has our copy of the other end, and the host would never see that
        // we are gone.
        launcher.stdin(Stdio::null());
        let counted = Counted::new(leader.id());
        let outputs = leader.outputs();
        let reported = Duration::ZERO;
        Ok(Self { leader, counted, control, outputs, confinement, commands: 0, reported })
    }

    /// Whether it can take another command.
    pub(super) fn is_fresh(&self) -> bool {
        self.commands < MOST_COMMANDS
    }

    /// Runs a command. The host comes back if it can be used again; nothing is left of the
    /// command in any case.
    pub(super) fn run(
        mut self,
        command: &[OsString],
        limits: &Limits,
        mut group: GroupLimits,
    ) -> Result<(Hosted, Option<Self>), Error> {
        let started = Instant::now();
        let line = || {
            let words: Vec<_> =
                command.iter().map(|word: &OsString| word.to_string_lossy()).collect();
            words.join(" ")
        };
        let watch_error = |source: io::Error| Error::Watch { command: line(), source };
        // The host is one of the group.
        group.processes = group.processes.saturating_add(1);
        self.commands += 1;
        // The host has waited for processors before, too.
        let before = group::waiting_time(self.leader.id());
        // If it is gone, its end says so.
        let gate = open_gate();
        let _ = send(command, &mut self.control);
        drop(gate);
        let outputs = std::mem::take(&mut self.outputs);
        let mut pipes = Pipes::shared(outputs, limits);
        let deadline = started + limits.time;
        let stop = pipes
            .watch(self.leader.id(), self.control.as_fd(), Some(group), deadline, before)
            .map_err(watch_error)?;
        let reply = match stop {
            Stop::Exited => {
                let mut bytes = [0; REPLY_BYTES];
                self.control.read_exact(&mut bytes).ok().map(|()| Reply::read(&bytes))
            }
            _ => None,
        };
        let (outputs, [stdout, stderr]) = pipes.finish();
        let finished = |ending, cpu| {
            let time = started.elapsed();
            Finished { ending, stdout, stderr, time, cpu }
        };
        match reply {
            Some(Reply::NotStarted(error)) => {
                self.outputs = outputs;
                Ok((Hosted::NotStarted(io::Error::from_raw_os_error(error)), Some(self)))
            }
            Some(Reply::Ended { status, cpu, left }) => {
                self.outputs = outputs;
                self.reported += cpu;
                let ending = ProcessEnding::Exited(ExitStatus::from_raw(status));
                let finished = finished(ending, cpu);
                // What is left is killed with the host.
                Ok((Hosted::Finished(finished), (!left).then_some(self)))
            }
            None => {
                let Self { leader, counted, reported, .. } = self;
                let ended = leader.end(&stop).map_err(watch_error)?;
                drop(counted);
                let cpu = ended.cpu.saturating_sub(reported);
                Ok((Hosted::Finished(finished(stop.ending(ended.status), cpu)), None))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        for command in [vec!["gcc", "-o", "a b", ""], vec!["tcc"]] {
            let command: Vec<OsString> = command.into_iter().map(OsString::from).collect();
            let mut bytes = Vec::new();
            send(&command, &mut bytes).expect("a vector takes all that is written");
            assert_eq!(receive(&mut &bytes[..]).expect("it is complete"), command);
            bytes.pop();
            assert!(receive(&mut &bytes[..]).is_err(), "it is not complete");
        }
    }

    #[test]
    fn replies_are_read_as_they_were_written() {
        let cpu = Duration::from_micros(123_456_789);
        for reply in [
            Reply::Ended { status: 256, cpu, left: false },
            Reply::Ended { status: -1, cpu, left: true },
            Reply::NotStarted(2),
        ] {
            assert_eq!(Reply::read(&reply.write()), reply);
        }
    }
}
