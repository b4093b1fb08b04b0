//! Programs on a GPU.
//!
//! The driver takes a third of a second to make a device ready, and most programs need some
//! milliseconds. So a launcher of programs for the GPU stays (`gpu.c`): it loads one module after
//! the other, each anew. What it is told and what it answers is as with the launcher of tools
//! ([`super::host`]). A program that hangs or fails takes its launcher along.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::host::{Host, Hosted};
use super::launch::Confinement;
use super::{Bounds, Protection, Role, Sandbox, complaint, not_started};
use crate::group::GroupLimits;
use crate::outcome::GPU_LAUNCHER;
use crate::scratch::file_error;
use crate::{Error, Finished, Limits, ProcessEnding, Scratch};

/// How many launchers there are at most. Each reserves memory of the device, which runs one of
/// them at a time.
const LAUNCHERS: usize = 4;

/// What a launcher may need before and after a program, on a busy machine.
const GRACE: Duration = Duration::from_secs(30);

/// What a launcher may use while it lives.
const LAUNCHER: Bounds = Bounds {
    cpu: Duration::from_secs(1800),
    memory: 4 << 30,
    // The driver reserves addresses for all the memory that there is.
    address_space: None,
    ..Bounds::TOOL
};

/// Where the driver writes: what its processes share, and the names of its threads, without which
/// it fails. The launcher that gives up its rights is the process that the driver is loaded into,
/// so the second is a directory of that process alone.
const WRITABLE: [&str; 2] = ["/dev/shm", "/proc/self/task"];

/// A GPU of this machine, as its driver describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// The code that it runs, such as `sm_90`.
    pub code: String,
    /// Its name.
    pub name: String,
    /// The version of CUDA that its driver has.
    pub driver: String,
}

impl Gpu {
    /// Reads the line that the launcher prints.
    fn read(line: &str) -> Option<Self> {
        let mut words = line.split('\t').map(str::to_owned);
        let gpu = Self { code: words.next()?, name: words.next()?, driver: words.next()? };
        let number = gpu.code.strip_prefix("sm_")?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(gpu)
    }
}

/// The launchers, and what is known of the device.
#[derive(Debug, Default)]
pub(super) struct Launchers {
    program: OnceLock<Result<Compiled, String>>,
    known: OnceLock<Result<Gpu, String>>,
    pool: Mutex<Pool>,
    returned: Condvar,
}

/// The launcher as a program, in a directory of its own.
#[derive(Debug)]
struct Compiled {
    directory: Scratch,
    path: PathBuf,
}

#[derive(Debug, Default)]
struct Pool {
    busy: usize,
    idle: Vec<Host>,
}

/// The right to have one of the launchers.
struct Turn<'a>(&'a Launchers);

impl Turn<'_> {
    /// Waits until a launcher may be used; one that is there comes along.
    fn wait(launchers: &Launchers) -> (Turn<'_>, Option<Host>) {
        let mut pool = launchers.pool.lock().unwrap_or_else(PoisonError::into_inner);
        while pool.busy >= LAUNCHERS {
            pool = launchers.returned.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        pool.busy += 1;
        let host = pool.idle.pop();
        (Turn(launchers), host)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.pool.lock().unwrap_or_else(PoisonError::into_inner).busy -= 1;
        self.0.returned.notify_one();
    }
}

impl Sandbox {
    /// The GPU of this machine, or why there is none that can be used.
    pub fn gpu(&self) -> Result<Gpu, String> {
        let ask = || {
            let finished = self.ask_gpu(&["--about"]).map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&finished.stdout).into_owned();
            match finished.ending {
                ProcessEnding::Exited(status) if status.success() => {
                    Gpu::read(text.trim_end()).ok_or(format!("the driver says `{text}`"))
                }
                ProcessEnding::Exited(_) => {
                    let said = String::from_utf8_lossy(&finished.stderr);
                    Err(said.lines().last().unwrap_or("the driver says nothing").to_owned())
                }
                _ => Err("the driver does not answer".to_owned()),
            }
        };
        self.gpus.known.get_or_init(ask).clone()
    }

    /// The launcher, which is compiled when it is first needed.
    fn gpu_launcher(&self) -> Result<&Compiled, String> {
        let compile = || {
            let text = |error: Error| error.to_string();
            let directory = Scratch::new(&std::env::temp_dir()).map_err(text)?;
            let source = directory.path().join("gpu.c");
            fs::write(&source, GPU_LAUNCHER)
                .map_err(|error| file_error(&source, error).to_string())?;
            let path = directory.path().join("farrier-gpu");
            let words = ["cc", "-std=gnu11", "-O1", "-w", "gpu.c", "-o", "farrier-gpu", "-ldl"];
            let words = words.map(OsString::from);
            let finished = self
                .run(Role::Tool, &words, b"", directory.path(), &Bounds::TOOL)
                .map_err(|_| "install gcc, which compiles the launcher".to_owned())?;
            match finished.ending {
                ProcessEnding::Exited(status) if status.success() => {
                    Ok(Compiled { directory, path })
                }
                _ => {
                    let said = String::from_utf8_lossy(&finished.stderr).into_owned();
                    Err(format!("cc does not compile the launcher: {said}"))
                }
            }
        };
        self.gpus.program.get_or_init(compile).as_ref().map_err(Clone::clone)
    }

    /// A launcher in confinement, and that confinement.
    fn confined_launcher(&self) -> Result<(Command, Confinement), Error> {
        let compiled = self
            .gpu_launcher()
            .map_err(|message| Error::Sandbox { command: "farrier-gpu".to_owned(), message })?;
        let confinement = Confinement {
            role: Role::Runner,
            cpu: LAUNCHER.cpu,
            address_space: LAUNCHER.address_space,
            file_bytes: LAUNCHER.file_bytes,
            landlock: !matches!(self.isolation.landlock, Protection::None(_)),
            seccomp: !matches!(self.isolation.seccomp, Protection::None(_)),
            writable: WRITABLE.map(PathBuf::from).to_vec(),
        };
        let mut launcher = self.launcher(Role::Runner, compiled.directory.path());
        launcher.args(confinement.arguments()).arg(&compiled.path);
        Ok((launcher, confinement))
    }

    /// Runs the launcher once with some words.
    fn ask_gpu(&self, words: &[&str]) -> Result<Finished, Error> {
        let (mut launcher, _) = self.confined_launcher()?;
        launcher.args(words);
        let finished =
            crate::process::watch(&mut launcher, b"", &limits(GRACE), Some(group_limits()))?;
        match complaint(&finished) {
            Some(message) => Err(not_started(&["farrier-gpu".into()], message)),
            None => Ok(finished),
        }
    }

    /// Runs a module on the GPU, for at most this time.
    pub(crate) fn run_on_gpu(&self, module: &Path, time: Duration) -> Result<Finished, Error> {
        let (turn, host) = Turn::wait(&self.gpus);
        let host = match host {
            Some(host) => host,
            None => {
                let (mut launcher, confinement) = self.confined_launcher()?;
                launcher.arg("--serve");
                Host::start(&mut launcher, confinement)?
            }
        };
        let command = [module.as_os_str().to_owned(), OsString::from(time.as_millis().to_string())];
        let (hosted, host) = host.run(&command, &limits(time + GRACE), group_limits())?;
        if let Some(host) = host.filter(Host::is_fresh) {
            self.gpus.pool.lock().unwrap_or_else(PoisonError::into_inner).idle.push(host);
        }
        drop(turn);
        match hosted {
            Hosted::Finished(finished) => Ok(finished),
            Hosted::NotStarted(error) => Err(not_started(&command, error.to_string())),
        }
    }
}

fn limits(time: Duration) -> Limits {
    Limits { time, ..LAUNCHER.streams }
}

fn group_limits() -> GroupLimits {
    GroupLimits { memory: LAUNCHER.memory, processes: LAUNCHER.processes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_says_of_a_device_is_read() {
        let gpu = Gpu::read("sm_90\tNVIDIA H200\t13.0\t150000000000\t65536").expect("it is right");
        assert_eq!((&*gpu.code, &*gpu.name, &*gpu.driver), ("sm_90", "NVIDIA H200", "13.0"));
        for wrong in ["", "sm_90", "sm_\u{663}\tx\t1.0", "sm_9x\tx\t1.0"] {
            assert_eq!(Gpu::read(wrong), None, "{wrong}");
        }
    }
}
