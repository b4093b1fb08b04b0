//! One process, held to its limits.

use std::fmt::Write as _;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open, waitpgid,
};
use wait4::Wait4;

use crate::Error;
use crate::group::{self, GroupLimits, Overuse, ProcessGroup};

/// How long the output of a finished process is waited for when a process that
/// it left behind has escaped from the group and keeps the pipe open.
const GRACE: Duration = Duration::from_millis(200);

/// How long killed processes are waited for: on a busy machine hundreds of them, as a tool
/// that forks without end has, need more than a second to end.
const DEATH: Duration = Duration::from_secs(10);

/// What a process may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Time on the clock.
    pub time: Duration,
    /// What it may write to its standard output.
    pub stdout_bytes: usize,
    /// What it may write to its standard error.
    pub stderr_bytes: usize,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProcessEnding {
    /// By itself, or by a signal that we did not send.
    Exited(ExitStatus),
    /// Killed by us: it took longer than it may.
    TimedOut,
    /// Killed by us: it took longer than it may, but waited for a processor for so long that
    /// nothing can be said of the time that it needs.
    Starved(Duration),
    /// Killed by us: it wrote more than it may.
    TooMuchOutput,
    /// Killed by us: with its children it had more memory than it may.
    TooMuchMemory,
    /// Killed by us: it started more processes than it may.
    TooManyProcesses,
}

/// What became of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// How it ended.
    pub ending: ProcessEnding,
    /// What it wrote to its standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// How long it ran.
    pub time: Duration,
    /// The processor time of the process and of the children that it waited for.
    pub cpu: Duration,
}

/// A process has had its time when it was not kept from a processor for this part of it.
const HAD: u32 = 2;

/// A process without a processor gets its time again, up to so many times in all.
const PATIENCE: u32 = 8;

/// Starts `command` in a process group of its own, feeds it `input`, and waits
/// for its end. Whatever is left of the group is killed before this returns.
pub fn run(command: &mut Command, input: &[u8], limits: &Limits) -> Result<Finished, Error> {
    command.process_group(0);
    watch(command, input, limits, None)
}

/// Like [`run`] for a command that is, or makes itself, the leader of its process
/// group, with limits on that group.
pub(crate) fn watch(
    command: &mut Command,
    input: &[u8],
    limits: &Limits,
    group_limits: Option<GroupLimits>,
) -> Result<Finished, Error> {
    let started = Instant::now();
    let watch_error = |source: io::Error, command: &Command| Error::Watch {
        command: command_line(command),
        source,
    };
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut leader = Leader::start(command)?;
    let mut pipes = Pipes::of_child(&mut leader, input, limits);
    let stop = pidfd_open(leader.id, PidfdFlags::empty())
        .map_err(io::Error::from)
        .and_then(|ended| {
            let deadline = started + limits.time;
            pipes.watch(leader.id, ended.as_fd(), group_limits, deadline, Duration::ZERO)
        })
        .map_err(|source| watch_error(source, command))?;
    let ended = leader.end(&stop).map_err(|source| watch_error(source, command))?;
    let (_, [stdout, stderr]) = pipes.finish();
    let ending = stop.ending(ended.status);
    let time = started.elapsed();
    Ok(Finished { ending, stdout, stderr, time, cpu: ended.cpu })
}

/// A process that leads its group, or soon will. When this value is gone nothing is left of
/// the group.
#[derive(Debug)]
pub(crate) struct Leader {
    id: Pid,
    /// None after it was waited for; then another process may have its number.
    child: Option<Child>,
}

/// How a [`Leader`] ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The processor time of the process and of the children that it waited for; where it had
    /// to be killed, of all that was running.
    pub(crate) cpu: Duration,
}

impl Leader {
    pub(crate) fn start(command: &mut Command) -> Result<Self, Error> {
        let _open = open_gate();
        let child = command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => {
                Error::Missing { program: command.get_program().to_string_lossy().into_owned() }
            }
            _ => Error::Start { command: command_line(command), source },
        })?;
        let id = Pid::from_child(&child);
        leaders().push(id);
        Ok(Self { id, child: Some(child) })
    }

    /// Its number.
    pub(crate) fn id(&self) -> Pid {
        self.id
    }

    /// Our ends of its standard output and standard error, once.
    pub(crate) fn outputs(&mut self) -> [Option<PipeReader>; 2] {
        let child = self.child.as_mut();
        let (stdout, stderr) =
            child.map_or((None, None), |child| (child.stdout.take(), child.stderr.take()));
        let (stdout, stderr) = (stdout.map(OwnedFd::from), stderr.map(OwnedFd::from));
        [stdout, stderr].map(|pipe| pipe.map(PipeReader::from))
    }

    /// Kills what is left of the group and waits for it.
    pub(crate) fn end(mut self, stop: &Stop) -> io::Result<Ended> {
        // Who waits for a process that is killed with its children learns nothing of theirs.
        let running = match stop {
            Stop::Exited => Duration::ZERO,
            _ => group::processor_time(self.id),
        };
        let child = self.kill().expect("it is waited for once");
        let used = child.wait4()?;
        reap(self.id);
        let cpu = used.rusage.utime + used.rusage.stime;
        Ok(Ended { status: used.status, cpu: cpu.max(running) })
    }

    /// Kills the group. The caller has to wait for the process.
    fn kill(&mut self) -> Option<Child> {
        let mut child = self.child.take()?;
        // Before the child is waited for: until then no other process can have its id.
        // An error says that the group is gone already, or that there is none yet.
        let _ = kill_process_group(self.id, Signal::KILL);
        let _ = child.kill();
        leaders().retain(|other| *other != self.id);
        Some(child)
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if let Some(mut child) = self.kill() {
            let _ = child.wait();
            reap(self.id);
        }
    }
}

/// Held open while a process is being started.
static GATE: RwLock<()> = RwLock::new(());

/// Holds the gate open as long as the result is there.
pub(crate) fn open_gate() -> RwLockReadGuard<'static, ()> {
    GATE.read().unwrap_or_else(PoisonError::into_inner)
}

/// The leaders of the process groups that are running.
static LEADERS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn leaders() -> MutexGuard<'static, Vec<Pid>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all that was started and is still running, and lets nothing be started any more:
/// for a process that is about to exit at once. Who tries waits for ever.
pub fn end_all() {
    std::mem::forget(GATE.write().unwrap_or_else(PoisonError::into_inner));
    for leader in leaders().iter() {
        // One that has no group yet has no children either. What is gone is gone.
        let _ = kill_process(*leader, Signal::KILL);
        let _ = kill_process_group(*leader, Signal::KILL);
    }
}

/// Waits for the killed processes of a group that became our children when their
/// parent ended. Without a subreaper there are none: the first process of the system
/// gets them.
fn reap(group: Pid) {
    let deadline = Instant::now() + DEATH;
    loop {
        match waitpgid(group, WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            // What was killed ends as soon as the kernel gets to it.
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            Ok(None) | Err(_) => return,
        }
    }
}

/// A command and its arguments, as a person would type them.
pub(crate) fn command_line(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        write!(line, " {}", argument.to_string_lossy())
            .expect("a string takes all that is written");
    }
    line
}

/// Why watching stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// By itself, or because another process killed it.
    Exited,
    /// It had no more time.
    Deadline,
    /// It had no more time, but had waited for a processor for so long.
    Starved(Duration),
    /// It wrote too much.
    Overflow,
    /// It had too much of something else.
    Overuse(Overuse),
}

impl Stop {
    /// How a process ended that was stopped so and has this status.
    pub(crate) fn ending(self, status: ExitStatus) -> ProcessEnding {
        match self {
            Self::Exited => ProcessEnding::Exited(status),
            Self::Deadline => ProcessEnding::TimedOut,
            Self::Starved(waited) => ProcessEnding::Starved(waited),
            Self::Overflow => ProcessEnding::TooMuchOutput,
            Self::Overuse(Overuse::Memory) => ProcessEnding::TooMuchMemory,
            Self::Overuse(Overuse::Processes) => ProcessEnding::TooManyProcesses,
        }
    }
}

/// Our ends of the pipes to a process.
#[derive(Debug)]
pub(crate) struct Pipes<'a> {
    input: Option<ChildStdin>,
    unwritten: &'a [u8],
    /// Standard output and standard error.
    outputs: [Output; 2],
    /// Whether others will write to the same pipes, so that they are not closed at the end.
    shared: bool,
}

/// One stream that a process writes.
#[derive(Debug)]
struct Output {
    pipe: Option<PipeReader>,
    kept: Vec<u8>,
    limit: usize,
}

impl<'a> Pipes<'a> {
    /// The pipes of a process that was just started.
    fn of_child(leader: &mut Leader, input: &'a [u8], limits: &Limits) -> Self {
        let outputs = leader.outputs();
        let shared = Self::shared(outputs, limits);
        let stdin = leader.child.as_mut().and_then(|child| child.stdin.take());
        Self { input: stdin, unwritten: input, shared: false, ..shared }
    }

    /// Pipes to which one process writes after the other.
    pub(crate) fn shared(outputs: [Option<PipeReader>; 2], limits: &Limits) -> Self {
        let [stdout, stderr] = outputs;
        let outputs = [(stdout, limits.stdout_bytes), (stderr, limits.stderr_bytes)]
            .map(|(pipe, limit)| Output { pipe, kept: Vec::new(), limit });
        Self { input: None, unwritten: &[], outputs, shared: true }
    }

    /// The pipes, and what was read from them.
    pub(crate) fn finish(self) -> ([Option<PipeReader>; 2], [Vec<u8>; 2]) {
        let [stdout, stderr] = self.outputs;
        ([stdout.pipe, stderr.pipe], [stdout.kept, stderr.kept])
    }

    /// Moves bytes until the process has ended and its output is read, or a limit is reached.
    /// There is something to read from `ended` when the process has ended. The deadline of a
    /// process that had no processor is put off; how long the group waited for one earlier does
    /// not count.
    pub(crate) fn watch(
        &mut self,
        leader: Pid,
        ended: BorrowedFd<'_>,
        limits: Option<GroupLimits>,
        mut deadline: Instant,
        waited_before: Duration,
    ) -> io::Result<Stop> {
        let began = Instant::now();
        let limit = deadline.saturating_duration_since(began);
        let mut group = ProcessGroup::new(leader, limits, began);
        let mut running = Some(ended);
        while running.is_some() || self.outputs.iter().any(|output| output.pipe.is_some()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                if running.is_none() {
                    return Ok(Stop::Exited);
                }
                let waited = group::waiting_time(leader).saturating_sub(waited_before);
                let time = began.elapsed();
                if time.saturating_sub(waited) >= limit / HAD {
                    return Ok(Stop::Deadline);
                }
                if time >= limit * PATIENCE {
                    return Ok(Stop::Starved(waited));
                }
                deadline += limit;
                continue;
            }
            let left = left.min(group.next_look());
            let [exited, writable, readable @ ..] = self.wait(running, left)?;
            if let Some(overuse) = group.look() {
                return Ok(Stop::Overuse(overuse));
            }
            if writable {
                self.write_some();
            }
            if self.read_some(readable)? {
                return Ok(Stop::Overflow);
            }
            if exited && self.shared {
                return self.read_rest();
            }
            if exited {
                running = None;
                self.input = None;
                // What it left behind would keep the pipes open.
                let _ = kill_process_group(group.leader, Signal::KILL);
                deadline = deadline.min(Instant::now() + GRACE);
            }
        }
        Ok(Stop::Exited)
    }

    /// Reads from the outputs that are ready; says whether it is too much.
    fn read_some(&mut self, ready: [bool; 2]) -> io::Result<bool> {
        for (output, ready) in self.outputs.iter_mut().zip(ready) {
            if ready && output.read_some()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads what a process that has ended left in pipes that stay open.
    fn read_rest(&mut self) -> io::Result<Stop> {
        loop {
            let [_, _, readable @ ..] = self.wait(None, Duration::ZERO)?;
            if readable == [false; 2] {
                return Ok(Stop::Exited);
            }
            if self.read_some(readable)? {
                return Ok(Stop::Overflow);
            }
        }
    }

    /// Waits until something can be done: the process has exited, its input can
    /// be written, its output or its errors can be read.
    fn wait(&self, running: Option<BorrowedFd<'_>>, left: Duration) -> io::Result<[bool; 4]> {
        let [stdout, stderr] = &self.outputs;
        let all = [
            (running, PollFlags::IN),
            (self.input.as_ref().map(AsFd::as_fd), PollFlags::OUT),
            (stdout.pipe.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (stderr.pipe.as_ref().map(AsFd::as_fd), PollFlags::IN),
        ];
        let mut open: Vec<PollFd<'_>> = all
            .iter()
            .filter_map(|(fd, flags)| fd.map(|fd| PollFd::from_borrowed_fd(fd, *flags)))
            .collect();
        let left = Timespec::try_from(left).map_err(io::Error::other)?;
        match poll(&mut open, Some(&left)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok([false; 4]),
            Err(error) => return Err(error.into()),
        }
        let mut events = open.iter();
        Ok(all.map(|(fd, _)| {
            fd.is_some() && events.next().is_some_and(|event| !event.revents().is_empty())
        }))
    }

    /// Writes no more than a pipe that is ready is sure to take without blocking.
    fn write_some(&mut self) {
        let Some(pipe) = &mut self.input else { return };
        let some = &self.unwritten[..self.unwritten.len().min(rustix::pipe::PIPE_BUF)];
        match pipe.write(some) {
            Ok(written) => self.unwritten = &self.unwritten[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // It does not want to read on; that is its own affair.
            Err(_) => self.unwritten = &[],
        }
        if self.unwritten.is_empty() {
            self.input = None;
        }
    }
}

impl Output {
    /// Reads what is there; says whether it is too much.
    fn read_some(&mut self) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        let mut buffer = [0; 64 << 10];
        let count = match pipe.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(false),
            Err(error) => return Err(error),
        };
        if count == 0 {
            self.pipe = None;
        }
        let kept = count.min(self.limit - self.kept.len());
        self.kept.extend_from_slice(&buffer[..kept]);
        Ok(kept < count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { time: Duration::from_secs(20), stdout_bytes: 1 << 20, stderr_bytes: 1 << 20 };

    fn shell(script: &str, input: &[u8], limits: Limits) -> Finished {
        run(Command::new("sh").args(["-c", script]), input, &limits).expect("sh can be started")
    }

    fn code(finished: &Finished) -> Option<i32> {
        match finished.ending {
            ProcessEnding::Exited(status) => status.code(),
            _ => None,
        }
    }

    #[test]
    fn output_errors_and_status_are_kept_apart() {
        let finished = shell("echo out; echo err >&2; exit 7", b"", LIMITS);
        assert_eq!(code(&finished), Some(7));
        assert_eq!(finished.stdout, b"out\n");
        assert_eq!(finished.stderr, b"err\n");
    }

    #[test]
    fn standard_input_is_empty_by_default() {
        assert_eq!(shell("cat; echo end", b"", LIMITS).stdout, b"end\n");
    }

    #[test]
    fn full_pipes_on_all_sides_do_not_deadlock() {
        let input = vec![b'x'; 1 << 20];
        let finished = shell("tee /dev/stderr", &input, LIMITS);
        assert_eq!(code(&finished), Some(0));
        assert!(finished.stdout == input && finished.stderr == input);
    }

    #[test]
    fn input_that_is_not_read_is_no_error() {
        assert_eq!(code(&shell("exec <&-; exit 3", &vec![b'x'; 1 << 20], LIMITS)), Some(3));
    }

    #[test]
    fn a_process_that_takes_too_long_is_killed_with_its_children() {
        let limits = Limits { time: Duration::from_millis(200), ..LIMITS };
        let finished = shell("sleep 100 & echo $!; wait", b"", limits);
        assert_eq!(finished.ending, ProcessEnding::TimedOut);
        assert!(finished.time < Duration::from_secs(10), "{:?}", finished.time);
        let child = String::from_utf8(finished.stdout).expect("a number");
        assert!(is_gone(child.trim()), "the child {child} is still there");
    }

    #[test]
    fn a_process_left_behind_does_not_hold_up_the_result() {
        let finished = shell("sleep 100 & echo $!", b"", LIMITS);
        assert_eq!(code(&finished), Some(0));
        assert!(finished.time < Duration::from_secs(10), "{:?}", finished.time);
        let child = String::from_utf8(finished.stdout).expect("a number");
        assert!(is_gone(child.trim()), "the child {child} is still there");
    }

    #[test]
    fn a_process_that_closes_its_output_is_still_held_to_its_time() {
        let limits = Limits { time: Duration::from_millis(200), ..LIMITS };
        let finished = shell("exec >&- 2>&-; sleep 100", b"", limits);
        assert_eq!(finished.ending, ProcessEnding::TimedOut);
    }

    /// Many loops on one processor: none of them has the time that its limit says. One that sleeps
    /// wants no processor.
    #[test]
    fn a_process_that_gets_no_processor_is_told_from_one_that_hangs() {
        let limits = Limits { time: Duration::from_millis(300), ..LIMITS };
        let crowd = "for i in $(seq 50); do taskset -c 0 sh -c 'while :; do :; done' & done; wait";
        let finished = shell(crowd, b"", limits);
        assert!(matches!(finished.ending, ProcessEnding::Starved(_)), "{:?}", finished.ending);
        // To start it took a part of its time.
        assert!(finished.time > limits.time * PATIENCE / 2, "{:?}", finished.time);
        let finished = shell("sleep 100", b"", limits);
        assert_eq!(finished.ending, ProcessEnding::TimedOut);
        assert!(finished.time < limits.time * PATIENCE, "{:?}", finished.time);
    }

    #[test]
    fn too_much_output_stops_the_process() {
        let limits = Limits { stdout_bytes: 1000, ..LIMITS };
        let finished = shell("yes", b"", limits);
        assert_eq!(finished.ending, ProcessEnding::TooMuchOutput);
        assert_eq!(finished.stdout.len(), 1000);
        let exact = shell("printf 0123456789", b"", Limits { stdout_bytes: 10, ..LIMITS });
        assert_eq!(code(&exact), Some(0));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program"), b"", &LIMITS).expect_err("missing");
        assert_eq!(error.to_string(), "cannot find the program `no-such-program`");
    }

    /// Whether a process has ended; one that was killed may wait to be reaped.
    fn is_gone(process: &str) -> bool {
        for _ in 0..100 {
            match std::fs::read_to_string(format!("/proc/{process}/stat")) {
                Ok(stat) if !stat.contains(") Z ") => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                _ => return true,
            }
        }
        false
    }
}
