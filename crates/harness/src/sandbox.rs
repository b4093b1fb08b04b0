//! Processes that can do no harm.
//!
//! A command is not started itself: a launcher is, which is this same program under
//! another name, gives up its rights and becomes the command ([`launch_if_asked`]).

mod gpu;
mod host;
mod launch;
mod system_calls;
mod wine;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

pub use gpu::Gpu;
pub use launch::launch_if_asked;
pub use wine::wine_environment;
pub(crate) use wine::{libraries as wine_libraries, library_name as wine_library_name};

use crate::group::GroupLimits;
use crate::process::{command_line, watch};
use crate::{Error, Finished, Limits, ProcessEnding, run};
use host::{Host, Hosted};
use launch::Confinement;

/// What a confined process is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A compiler or linker: it starts other processes and writes into its directory.
    Tool,
    /// What runs compiled programs elsewhere, by the word of the user: as a tool, and it may use
    /// the network and devices.
    Runner,
    /// Wine with a compiled program, and the server that it starts: as a tool that may write to its
    /// prefix only, and the two may talk to each other over sockets of this machine.
    Wine,
    /// A compiled program: it starts nothing, writes no file and signals only itself.
    Program,
}

/// What a confined process may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Time on the clock, and what it may write to its standard streams.
    pub streams: Limits,
    /// Processor time of each process, in whole seconds and one more.
    pub cpu: Duration,
    /// Resident memory of the process and its children together. It is looked at from time
    /// to time, so that more can be had for a moment.
    pub memory: u64,
    /// Addresses of each process. `None` where addresses are no measure of memory: in
    /// emulators and with sanitizers.
    pub address_space: Option<u64>,
    /// The size of a file that a tool writes.
    pub file_bytes: u64,
    /// How many processes a tool may have at a time; looked at from time to time.
    pub processes: u32,
}

impl Bounds {
    /// What a compiler gets.
    pub const TOOL: Self = Self {
        streams: Limits {
            time: Duration::from_secs(60),
            stdout_bytes: 1 << 20,
            stderr_bytes: 4 << 20,
        },
        cpu: Duration::from_secs(60),
        memory: 2 << 30,
        address_space: Some(4 << 30),
        file_bytes: 256 << 20,
        processes: 64,
    };

    /// What a compiled program gets.
    pub const PROGRAM: Self = Self {
        streams: Limits {
            time: Duration::from_secs(10),
            stdout_bytes: 16 << 20,
            stderr_bytes: 1 << 20,
        },
        cpu: Duration::from_secs(10),
        memory: 1 << 30,
        address_space: Some(2 << 30),
        file_bytes: 0,
        processes: 1,
    };
}

/// How often the cost of a start is measured.
const PROBES: usize = 7;

/// How much of a protection there is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "level", content = "why", rename_all = "lowercase")]
pub enum Protection {
    /// All that Farrier asks for.
    Full,
    /// Some of it, and why not all.
    Partial(String),
    /// Nothing, and why.
    None(String),
}

/// How processes are kept apart from the rest of the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Isolation {
    /// Landlock: no writing outside the scratch directory, no connections, no signals to
    /// other processes.
    pub landlock: Protection,
    /// seccomp: no leaving the process group, no network, no changes to the system; for
    /// compiled programs no other processes.
    pub seccomp: Protection,
    /// Orphans of killed processes become our children and are waited for.
    pub subreaper: Protection,
    /// Whether we are root, whom some limits do not bind.
    pub root: bool,
    /// The processor time that it takes to start a confined process.
    #[serde(rename = "launch_seconds", serialize_with = "seconds")]
    pub launch_cpu: Duration,
}

fn seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Runs commands in confinement.
#[derive(Clone, Debug)]
pub struct Sandbox {
    launcher: PathBuf,
    isolation: Isolation,
    cache: Option<PathBuf>,
    coverage: Option<PathBuf>,
    /// Microseconds of processor time of all that was run, also by clones.
    spent: Arc<AtomicU64>,
    /// Launchers that have nothing to do, also for clones.
    idle: Arc<Mutex<Vec<Host>>>,
    /// What runs programs on a GPU, also for clones.
    gpus: Arc<gpu::Launchers>,
}

impl Sandbox {
    /// Finds out what the system offers. `launcher` is a program that begins with
    /// [`launch_if_asked`]. From here on this process waits for the orphans of the
    /// processes that it starts.
    pub fn new(launcher: PathBuf) -> Result<Self, Error> {
        // Any number but zero switches it on.
        let subreaper = match rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        {
            Ok(()) => Protection::Full,
            Err(error) => Protection::None(error.to_string()),
        };
        let limits =
            Limits { time: Duration::from_secs(20), stdout_bytes: 1 << 16, stderr_bytes: 1 << 16 };
        let mut probe = Command::new(&launcher);
        let mut finished = run(probe.arg(launch::PROBE), b"", &limits)?;
        // The first start reads the program from the disk; what counts is how it is later. The
        // middle of several is what it costs on this machine, as busy as it is.
        let mut costs = Vec::new();
        for _ in 0..PROBES {
            costs.push(run(&mut probe, b"", &limits)?.cpu);
        }
        costs.sort_unstable();
        finished.cpu = costs[PROBES / 2];
        let text = String::from_utf8_lossy(&finished.stdout);
        let Some([landlock, seccomp]) = launch::read_probe(&text) else {
            return Err(Error::Sandbox {
                command: command_line(&probe),
                message: format!(
                    "this program is no launcher: {}",
                    String::from_utf8_lossy(&finished.stderr).trim()
                ),
            });
        };
        let root = rustix::process::geteuid().is_root();
        let isolation = Isolation { landlock, seccomp, subreaper, root, launch_cpu: finished.cpu };
        let (spent, idle, gpus) = (Arc::default(), Arc::default(), Arc::default());
        Ok(Self { launcher, isolation, cache: None, coverage: None, spent, idle, gpus })
    }

    /// What keeps processes apart.
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// The processor time of all that was run so far, also by clones of this.
    pub fn spent(&self) -> Duration {
        Duration::from_micros(self.spent.load(Ordering::Relaxed))
    }

    /// Lets tools also write to this directory, which outlives them, and tells those that
    /// need one to keep their cache there.
    pub fn set_cache(&mut self, directory: PathBuf) {
        self.cache = Some(directory);
    }

    /// Lets tools that are built to count what they execute write the counts to this directory:
    /// those of GCC beneath it, those of LLVM into it.
    pub fn set_coverage(&mut self, directory: PathBuf) {
        self.coverage = Some(directory);
    }

    /// Runs a command in the directory `scratch`, the only one that it may write to, if it
    /// may write at all. Nothing that it started is left when this returns.
    ///
    /// The environment is that of this process for a tool and empty for a program, but for
    /// the language of messages and the directory of temporary files.
    pub fn run(
        &self,
        role: Role,
        command: &[OsString],
        input: &[u8],
        scratch: &Path,
        bounds: &Bounds,
    ) -> Result<Finished, Error> {
        let mut writable = Vec::new();
        match role {
            Role::Program => {}
            Role::Wine => writable.push(wine::prepare(scratch)?),
            Role::Tool | Role::Runner => {
                writable.push(scratch.to_owned());
                writable.extend(self.cache.iter().chain(&self.coverage).cloned());
            }
        }
        let confinement = Confinement {
            role,
            cpu: bounds.cpu,
            address_space: bounds.address_space,
            file_bytes: bounds.file_bytes,
            landlock: !matches!(self.isolation.landlock, Protection::None(_)),
            seccomp: !matches!(self.isolation.seccomp, Protection::None(_)),
            writable,
        };
        let group = GroupLimits { memory: bounds.memory, processes: bounds.processes };
        // A host has to see what its commands leave behind.
        let hosted =
            role == Role::Tool && input.is_empty() && self.isolation.subreaper == Protection::Full;
        let finished = if hosted {
            self.run_hosted(confinement, command, scratch, &bounds.streams, group)?
        } else {
            let mut launcher = self.launcher(role, scratch);
            if let (Role::Wine, Some(prefix)) = (role, confinement.writable.first()) {
                launcher.envs(wine::environment(prefix));
            }
            launcher.args(confinement.arguments()).args(command);
            let mut finished = watch(&mut launcher, input, &bounds.streams, Some(group))?;
            finished.cpu = finished.cpu.saturating_sub(self.isolation.launch_cpu);
            if let Some(message) = complaint(&finished) {
                return Err(not_started(command, message));
            }
            finished
        };
        let spent = u64::try_from(finished.cpu.as_micros()).unwrap_or(u64::MAX);
        self.spent.fetch_add(spent, Ordering::Relaxed);
        Ok(finished)
    }

    /// A launcher in its directory and with its environment.
    fn launcher(&self, role: Role, scratch: &Path) -> Command {
        let mut launcher = Command::new(&self.launcher);
        if matches!(role, Role::Program | Role::Wine) {
            launcher.env_clear();
        }
        if let (Role::Tool, Some(cache)) = (role, &self.cache) {
            launcher.env("ZIG_GLOBAL_CACHE_DIR", cache);
        }
        if let (Role::Tool, Some(directory)) = (role, &self.coverage) {
            launcher.env("GCOV_PREFIX", directory);
            launcher.env("LLVM_PROFILE_FILE", directory.join("%m.profraw"));
        }
        launcher
            .current_dir(scratch)
            .env("LC_ALL", "C")
            .env("TMPDIR", scratch)
            // What is measured and judged is the compiler, not a memory of it.
            .env("CCACHE_DISABLE", "1");
        launcher
    }

    /// Runs a tool by a launcher that stays; there is one for each directory in which tools
    /// run at a time.
    fn run_hosted(
        &self,
        confinement: Confinement,
        command: &[OsString],
        scratch: &Path,
        limits: &Limits,
        group: GroupLimits,
    ) -> Result<Finished, Error> {
        let host = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let found = idle.iter().position(|host| host.confinement == confinement);
            match found {
                Some(index) => Some(idle.swap_remove(index)),
                None => {
                    // Those of directories that are gone have nothing to do any more.
                    idle.retain(|host| host.confinement.writable.iter().all(|path| path.exists()));
                    None
                }
            }
        };
        let host = match host {
            Some(host) => host,
            None => {
                let mut launcher = self.launcher(Role::Tool, scratch);
                launcher.args(confinement.staying_arguments());
                Host::start(&mut launcher, confinement)?
            }
        };
        let (hosted, host) = host.run(command, limits, group)?;
        if let Some(host) = host.filter(Host::is_fresh) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        }
        match hosted {
            Hosted::Finished(finished) => match complaint(&finished) {
                Some(message) => Err(not_started(command, message)),
                None => Ok(finished),
            },
            Hosted::NotStarted(error) => {
                let program = command.first().cloned().unwrap_or_default();
                Err(not_started(command, launch::describe(&program, &error)))
            }
        }
    }
}

/// Why a command was not started, by what its launcher says.
fn not_started(command: &[OsString], message: String) -> Error {
    if message == launch::NOT_FOUND {
        let program = command.first().cloned().unwrap_or_default();
        return Error::Missing { program: program.to_string_lossy().into_owned() };
    }
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    Error::Sandbox { command: words.join(" "), message }
}

/// What the launcher has to say, if it did not become the command.
fn complaint(finished: &Finished) -> Option<String> {
    let ProcessEnding::Exited(status) = finished.ending else { return None };
    if status.code() != Some(launch::COMPLAINT_STATUS) {
        return None;
    }
    let text = finished.stderr.strip_prefix(launch::COMPLAINT.as_bytes())?;
    Some(String::from_utf8_lossy(text).trim_end().to_owned())
}
