//! The launcher: a process that gives up its rights and then becomes the command.
//!
//! Rights can only be given up by the process itself, between its start and the start of
//! the command, where a parent that has threads can run no safe code. So the parent starts
//! this program first, in a process that has one thread and nothing to lose.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Protection, Role};

/// The first argument that makes a program the launcher.
const LAUNCH: &str = "__sandbox";
/// The first argument that makes it start one command after the other.
const STAY: &str = "__sandbox-stay";
/// The first argument that makes it say what the kernel offers.
pub(super) const PROBE: &str = "__sandbox-probe";

/// The exit status of a launcher that could not do its work; its first line on standard
/// error then begins with [`COMPLAINT`].
pub(super) const COMPLAINT_STATUS: i32 = 125;
/// What no other program writes.
pub(super) const COMPLAINT: &str = "farrier-launcher: ";
/// Follows [`COMPLAINT`] where there is no such command.
pub(super) const NOT_FOUND: &str = "no such program";

/// The newest version of Landlock whose rights are asked for; of an older kernel, what it has.
const LANDLOCK: ABI = ABI::V7;

/// The stack of a compiled program.
const STACK_BYTES: u64 = 256 << 20;

/// What a confined process may do; written to and read from the arguments of the launcher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Confinement {
    pub(super) role: Role,
    pub(super) cpu: Duration,
    pub(super) address_space: Option<u64>,
    pub(super) file_bytes: u64,
    pub(super) landlock: bool,
    pub(super) seccomp: bool,
    /// The directories that may be written to.
    pub(super) writable: Vec<PathBuf>,
}

impl Confinement {
    /// The arguments of a launcher that becomes a command, without the command.
    pub(super) fn arguments(&self) -> Vec<OsString> {
        self.arguments_of(LAUNCH)
    }

    /// The arguments of a launcher that stays.
    pub(super) fn staying_arguments(&self) -> Vec<OsString> {
        self.arguments_of(STAY)
    }

    fn arguments_of(&self, first: &str) -> Vec<OsString> {
        let role = match self.role {
            Role::Tool => "tool",
            Role::Runner => "runner",
            Role::Wine => "wine",
            Role::Program => "program",
        };
        // Rounded up: a limit of no time at all would be no limit.
        let cpu = self.cpu.as_secs() + 1;
        let mut arguments = vec![
            OsString::from(first),
            format!(
                "{role},{cpu},{},{},{},{}",
                self.address_space.map_or("-".to_owned(), |bytes| bytes.to_string()),
                self.file_bytes,
                u8::from(self.landlock),
                u8::from(self.seccomp),
            )
            .into(),
        ];
        arguments.extend(self.writable.iter().map(|path| path.clone().into_os_string()));
        arguments.push("--".into());
        arguments
    }

    /// Reads the arguments after the first; returns what is left of them, the command.
    fn read(arguments: &[OsString]) -> Option<(Self, &[OsString])> {
        let (limits, rest) = arguments.split_first()?;
        let mut fields = limits.to_str()?.split(',');
        let role = match fields.next()? {
            "tool" => Role::Tool,
            "runner" => Role::Runner,
            "wine" => Role::Wine,
            "program" => Role::Program,
            _ => return None,
        };
        let cpu = Duration::from_secs(fields.next()?.parse().ok()?);
        let address_space = match fields.next()? {
            "-" => None,
            bytes => Some(bytes.parse().ok()?),
        };
        let file_bytes = fields.next()?.parse().ok()?;
        let landlock = fields.next()? == "1";
        let seccomp = fields.next()? == "1";
        let end = rest.iter().position(|argument| argument == "--")?;
        let writable = rest[..end].iter().map(PathBuf::from).collect();
        let read = Self { role, cpu, address_space, file_bytes, landlock, seccomp, writable };
        Some((read, &rest[end + 1..]))
    }
}

/// What a program that can be a launcher does first: if its arguments, without its own
/// name, begin with `__sandbox`, this confines the process and becomes the command, or starts
/// one command after the other. It returns only where the arguments are others.
pub fn launch_if_asked(arguments: impl IntoIterator<Item = OsString>) {
    let mut arguments = arguments.into_iter();
    let Some(first) = arguments.next() else { return };
    let Err(message) = if first == LAUNCH {
        let arguments: Vec<OsString> = arguments.collect();
        launch(&arguments)
    } else if first == STAY {
        let arguments: Vec<OsString> = arguments.collect();
        stay(&arguments)
    } else if first == PROBE {
        probe()
    } else {
        return;
    };
    // If even this cannot be written, the exit status must do.
    let _ = writeln!(io::stderr(), "{COMPLAINT}{message}");
    std::process::exit(COMPLAINT_STATUS);
}

fn launch(arguments: &[OsString]) -> Result<Infallible, String> {
    let (confinement, command) =
        Confinement::read(arguments).ok_or("its arguments are written by Farrier itself")?;
    let (program, arguments) = command.split_first().ok_or("no command is given")?;
    // Whatever kills Farrier, the command goes with it; its children end by their limits.
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|error| format!("signal at the death of the parent: {error}"))?;
    confine(&confinement)?;
    let error = Command::new(program).args(arguments).exec();
    Err(describe(program, &error))
}

fn stay(arguments: &[OsString]) -> Result<Infallible, String> {
    let (confinement, _) =
        Confinement::read(arguments).ok_or("its arguments are written by Farrier itself")?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(|error| format!("subreaper: {error}"))?;
    confine(&confinement)?;
    super::host::serve()
}

/// Gives up the rights of this process.
fn confine(confinement: &Confinement) -> Result<(), String> {
    // Away from the terminal; the leader of a session is the leader of its process group.
    rustix::process::setsid().map_err(|error| format!("setsid: {error}"))?;
    set_limits(confinement)?;
    if confinement.landlock {
        let away = confinement.role == Role::Runner;
        enforce_landlock(&confinement.writable, away)
            .map_err(|error| format!("Landlock: {error}"))?;
    }
    if confinement.seccomp {
        let filter = super::system_calls::filter(confinement.role, std::process::id());
        seccompiler::apply_filter(&filter).map_err(|error| format!("seccomp: {error}"))?;
    }
    Ok(())
}

/// Why a command cannot be started.
pub(super) fn describe(program: &OsStr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND.to_owned(),
        _ => format!("cannot execute `{}`: {error}", program.display()),
    }
}

fn set_limits(confinement: &Confinement) -> Result<(), String> {
    let cpu = confinement.cpu.as_secs();
    let mut limits = vec![
        (Resource::Cpu, cpu, cpu + 1),
        (Resource::Fsize, confinement.file_bytes, confinement.file_bytes),
        // One byte is too small for a file, and tells the kernel not to start a program
        // that collects the dump either; none at all would not.
        (Resource::Core, 1, 1),
    ];
    if let Some(bytes) = confinement.address_space {
        limits.push((Resource::As, bytes, bytes));
    }
    if confinement.role == Role::Program {
        // C knows no limit on the depth of calls: what overflows a small stack may be right.
        limits.push((Resource::Stack, STACK_BYTES, u64::MAX));
        // Does not bind root; the filter of system calls does.
        limits.push((Resource::Nproc, 0, 0));
    }
    for (resource, soft, hard) in limits {
        // What is limited already stays so.
        let maximum = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let finite = |value: u64| Some(value.min(maximum)).filter(|value| *value != u64::MAX);
        let limit = Rlimit { current: finite(soft), maximum: finite(hard) };
        setrlimit(resource, limit).map_err(|error| format!("limit on {resource:?}: {error}"))?;
    }
    Ok(())
}

/// Nothing may be written but beneath the writable directories and to `/dev/null`; no
/// connections; no signals to processes outside. Says how much of this the kernel keeps.
///
/// With `away` connections and devices may be used.
fn enforce_landlock(
    writable: &[PathBuf],
    away: bool,
) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(LANDLOCK))?;
    rules = match away {
        true => rules.scope(Scope::Signal)?,
        false => {
            rules.handle_access(AccessNet::from_all(LANDLOCK))?.scope(Scope::from_all(LANDLOCK))?
        }
    };
    let mut rules = rules.create()?;
    // A directory that is not there cannot be written to either.
    // A terminal line needs more than to be written to.
    let devices = if away { "/dev" } else { "/dev/null" };
    if let Ok(devices) = PathFd::new(devices) {
        let write = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
        rules = rules.add_rule(PathBeneath::new(devices, write))?;
    }
    for path in writable.iter().filter_map(|path| PathFd::new(path).ok()) {
        rules = rules.add_rule(PathBeneath::new(path, AccessFs::from_write(LANDLOCK)))?;
    }
    rules.restrict_self()
}

/// Tries what the kernel offers, on this process, and prints what came of it: one line
/// each for Landlock and seccomp, read by [`read_probe`].
fn probe() -> Result<Infallible, String> {
    let landlock = match enforce_landlock(&[], false) {
        Ok(status) => describe_landlock(&status),
        Err(error) => Protection::None(error.to_string()),
    };
    let filter = super::system_calls::filter(Role::Program, std::process::id());
    let seccomp = if cfg!(target_arch = "x86_64") {
        match seccompiler::apply_filter(&filter) {
            Ok(()) => Protection::Full,
            Err(error) => Protection::None(error.to_string()),
        }
    } else {
        Protection::None("the table of system calls is for x86 only".to_owned())
    };
    let mut out = io::stdout().lock();
    for protection in [landlock, seccomp] {
        let (word, why) = match &protection {
            Protection::Full => ("full", ""),
            Protection::Partial(why) => ("partial", why.as_str()),
            Protection::None(why) => ("none", why.as_str()),
        };
        writeln!(out, "{word} {}", why.replace('\n', " ")).map_err(|error| error.to_string())?;
    }
    std::process::exit(0);
}

fn describe_landlock(status: &landlock::RestrictionStatus) -> Protection {
    match (&status.ruleset, status.landlock) {
        (RulesetStatus::FullyEnforced, _) => Protection::Full,
        (RulesetStatus::PartiallyEnforced, LandlockStatus::Available { effective_abi, .. }) => {
            Protection::Partial(format!(
                "the kernel has version {} of Landlock, {} is wanted",
                effective_abi as u32, LANDLOCK as u32
            ))
        }
        (_, LandlockStatus::NotEnabled) => {
            Protection::None("Landlock is switched off; boot with lsm=landlock,...".to_owned())
        }
        _ => Protection::None("the kernel has no Landlock".to_owned()),
    }
}

/// What [`probe`] printed.
pub(super) fn read_probe(text: &str) -> Option<[Protection; 2]> {
    let mut lines = text.lines().map(|line| {
        let (word, why) = line.split_once(' ')?;
        match word {
            "full" => Some(Protection::Full),
            "partial" => Some(Protection::Partial(why.to_owned())),
            "none" => Some(Protection::None(why.to_owned())),
            _ => None,
        }
    });
    Some([lines.next()??, lines.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_to_the_arguments_is_read_again() {
        let written = Confinement {
            role: Role::Tool,
            cpu: Duration::from_secs(9),
            address_space: None,
            file_bytes: 77,
            landlock: true,
            seccomp: false,
            writable: vec!["/a,b".into(), "/c d".into()],
        };
        let mut arguments = written.arguments();
        arguments.extend(["gcc".into(), "--".into(), "x.c".into()]);
        let (read, command) = Confinement::read(&arguments[1..]).expect("it is well formed");
        assert_eq!(read, Confinement { cpu: Duration::from_secs(10), ..written });
        assert_eq!(command, ["gcc", "--", "x.c"]);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "tool", "chef,1,2,3,0,0 --", "tool,1,2,3,0,0 /tmp", "tool,x,-,3,0,0 --"] {
            let arguments: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            assert!(Confinement::read(&arguments).is_none(), "{text}");
        }
    }
}
