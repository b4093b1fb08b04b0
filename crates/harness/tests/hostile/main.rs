//! Programs that mean harm: none does any, and nothing is left of them.

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use farrier_harness::{
    Bounds, Error, Finished, Limits, ProcessEnding, Protection, Role, Sandbox, Scratch,
};

const LAUNCHER: &str = env!("CARGO_BIN_EXE_farrier-test-launcher");

/// Small limits: a test that waits for them does not wait long.
const TOOL: Bounds = Bounds {
    streams: Limits { time: Duration::from_secs(20), stdout_bytes: 1 << 20, stderr_bytes: 1 << 20 },
    memory: 200 << 20,
    file_bytes: 1 << 20,
    ..Bounds::TOOL
};
const PROGRAM: Bounds = Bounds { streams: TOOL.streams, memory: 200 << 20, ..Bounds::PROGRAM };

/// A sandbox with one hostile program in its directory.
struct Attack {
    sandbox: Sandbox,
    scratch: Scratch,
    program: PathBuf,
}

impl Attack {
    fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    fn with(name: &str, flags: &[&str]) -> Self {
        let sandbox = Sandbox::new(LAUNCHER.into()).expect("the launcher works");
        Self::build(name, flags, sandbox)
    }

    fn build(name: &str, flags: &[&str], sandbox: Sandbox) -> Self {
        let scratch = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile").join(name);
        // Also the name by which its processes are found.
        let program = scratch.path().join("hostile");
        let status = Command::new("gcc")
            .args(["-w", "-o"])
            .arg(&program)
            .arg(source.with_extension("c"))
            .args(flags)
            .status()
            .expect("gcc must be installed: apt-get install gcc");
        assert!(status.success(), "gcc refuses {name}.c: for -m32 install gcc-12-multilib");
        Self { sandbox, scratch, program }
    }

    fn run(&self, role: Role, arguments: &[OsString], bounds: &Bounds) -> Finished {
        let mut command = vec![self.program.clone().into_os_string()];
        command.extend_from_slice(arguments);
        let finished = self
            .sandbox
            .run(role, &command, b"", self.scratch.path(), bounds)
            .expect("the sandbox works");
        assert_eq!(self.left_behind(), Vec::<PathBuf>::new(), "{finished:?}");
        finished
    }

    /// The processes that are still there.
    fn left_behind(&self) -> Vec<PathBuf> {
        let processes = fs::read_dir("/proc").expect("there is /proc").flatten();
        processes
            .map(|entry| entry.path())
            .filter(|path| fs::read_link(path.join("exe")).is_ok_and(|exe| exe == self.program))
            .collect()
    }

    fn files(&self) -> usize {
        fs::read_dir(self.scratch.path()).expect("it is there").count()
    }
}

fn text(finished: &Finished) -> &str {
    str::from_utf8(&finished.stdout).expect("it writes text").trim_end()
}

fn signal(finished: &Finished) -> Option<i32> {
    match finished.ending {
        ProcessEnding::Exited(status) => status.signal(),
        _ => None,
    }
}

const BOTH: [(Role, &Bounds); 2] = [(Role::Tool, &TOOL), (Role::Program, &PROGRAM)];

/// The tests below are about these; without them they would prove nothing.
#[test]
fn this_kernel_offers_all_protections() {
    let sandbox = Sandbox::new(LAUNCHER.into()).expect("the launcher works");
    let isolation = sandbox.isolation();
    assert_eq!(isolation.seccomp, Protection::Full);
    assert_eq!(isolation.subreaper, Protection::Full);
    assert!(!matches!(isolation.landlock, Protection::None(_)), "{isolation:?}");
}

#[test]
fn a_program_cannot_fork() {
    for flags in [&[][..], &["-m32"]] {
        let attack = Attack::with("fork_bomb", flags);
        assert_eq!(text(&attack.run(Role::Program, &[], &PROGRAM)), "refused");
    }
}

#[test]
fn a_tool_that_forks_without_end_is_stopped() {
    let attack = Attack::new("fork_bomb");
    assert_eq!(attack.run(Role::Tool, &[], &TOOL).ending, ProcessEnding::TooManyProcesses);
}

#[test]
fn a_program_may_have_threads() {
    for flags in [&["-pthread"][..], &["-pthread", "-m32"]] {
        let attack = Attack::with("threads", flags);
        assert_eq!(text(&attack.run(Role::Program, &[], &PROGRAM)), "42");
    }
}

#[test]
fn a_program_writes_no_files() {
    let attack = Attack::new("fill_disk");
    assert_eq!(text(&attack.run(Role::Program, &[], &PROGRAM)), "0 files");
    assert_eq!(attack.files(), 1);
}

#[test]
fn a_tool_writes_no_long_files() {
    let attack = Attack::new("fill_disk");
    assert_eq!(signal(&attack.run(Role::Tool, &[], &TOOL)), Some(libc::SIGXFSZ));
    let length = fs::metadata(attack.scratch.path().join("file0")).expect("it was made").len();
    assert_eq!(length, TOOL.file_bytes);
}

#[test]
fn gigabytes_of_output_are_cut_off() {
    let attack = Attack::new("gigabytes");
    let finished = attack.run(Role::Program, &[], &PROGRAM);
    assert_eq!(finished.ending, ProcessEnding::TooMuchOutput);
    assert_eq!(finished.stdout.len(), PROGRAM.streams.stdout_bytes);
}

#[test]
fn ignoring_signals_does_not_help() {
    let attack = Attack::new("stubborn");
    let time = Duration::from_millis(300);
    let bounds = Bounds { streams: Limits { time, ..PROGRAM.streams }, ..PROGRAM };
    assert_eq!(attack.run(Role::Program, &[], &bounds).ending, ProcessEnding::TimedOut);
}

#[test]
fn processor_time_is_limited_and_measured() {
    let attack = Attack::new("busy");
    let bounds = Bounds { cpu: Duration::ZERO, ..PROGRAM };
    let finished = attack.run(Role::Program, &[], &bounds);
    assert_eq!(signal(&finished), Some(libc::SIGXCPU));
    let cpu = finished.cpu.as_secs_f64();
    // The cost of the start, which is subtracted, was measured on a machine as busy as it was.
    assert!((0.5..1.5).contains(&cpu), "{cpu}");
}

#[test]
fn addresses_are_limited() {
    let attack = Attack::new("memory");
    let bounds = Bounds { address_space: Some(100 << 20), ..PROGRAM };
    assert_eq!(text(&attack.run(Role::Program, &[], &bounds)), "no more");
}

#[test]
fn memory_is_limited_where_addresses_are_not() {
    let attack = Attack::new("memory");
    let bounds = Bounds { address_space: None, ..PROGRAM };
    assert_eq!(attack.run(Role::Program, &[], &bounds).ending, ProcessEnding::TooMuchMemory);
}

/// A process that is to survive.
struct Bystander(Child);

impl Bystander {
    fn new() -> Self {
        let child = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn();
        Self(child.expect("sleep belongs to every system"))
    }
}

impl Drop for Bystander {
    fn drop(&mut self) {
        // It may be gone already if the test fails.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn nobody_is_killed() {
    let mut bystander = Bystander::new();
    // Another process, and Farrier itself.
    let arguments =
        [bystander.0.id(), std::process::id()].map(|process| process.to_string().into());
    let attack = Attack::new("killer");
    for (role, bounds) in BOTH {
        let finished = attack.run(role, &arguments, bounds);
        // A tool may ask whether it could signal its own group: that is what -1 leaves it.
        let expected = if role == Role::Tool { "2 refused" } else { "3 refused" };
        assert_eq!(text(&finished), expected, "{role:?}");
        assert_eq!(signal(&finished), Some(libc::SIGUSR1), "its own signals arrive");
        let status = bystander.0.try_wait().expect("it is our child");
        assert_eq!(status, None, "the bystander is dead");
    }
}

#[test]
fn a_daemon_does_not_outlive_its_parent() {
    let attack = Attack::new("daemon");
    let finished = attack.run(Role::Tool, &[], &TOOL);
    assert!(matches!(text(&finished), "" | "still in the session"), "{}", text(&finished));
}

#[test]
fn tools_have_one_launcher_as_long_as_they_leave_nothing_behind() {
    let attack = Attack::new("daemon");
    let shell = |script: &str| {
        let command = ["sh", "-c", script].map(OsString::from);
        attack
            .sandbox
            .run(Role::Tool, &command, b"", attack.scratch.path(), &TOOL)
            .expect("the sandbox works")
    };
    let first = shell("echo $PPID; echo first >&2");
    assert_eq!(first.stderr, b"first\n");
    let second = shell("echo $PPID; exit 3");
    assert_eq!(second.stdout, first.stdout, "it is the same launcher");
    assert_eq!(second.stderr, b"", "what one writes is not read by another");
    assert!(matches!(second.ending, ProcessEnding::Exited(status) if status.code() == Some(3)));
    // What a pipe cannot hold is read to the end.
    assert_eq!(shell("head -c 300000 /dev/zero").stdout.len(), 300_000);
    let before = attack.sandbox.spent();
    let busy = shell("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done");
    assert!(busy.cpu > Duration::from_millis(10), "{busy:?}");
    let spent = attack.sandbox.spent() - before;
    assert!(spent.abs_diff(busy.cpu) < Duration::from_millis(1), "{spent:?} {busy:?}");
    attack.run(Role::Tool, &[], &TOOL);
    let third = shell("echo $PPID");
    assert_ne!(third.stdout, first.stdout, "it was ended with what the daemon left");
    // A program that kills the launcher kills itself with it, and the next one has another.
    let killed = shell("kill -KILL $PPID; sleep 60");
    assert_eq!(signal(&killed), Some(libc::SIGKILL));
    assert_ne!(shell("echo $PPID").stdout, third.stdout);
}

#[test]
fn there_is_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a loopback");
    let port = listener.local_addr().expect("it is bound").port();
    let attack = Attack::new("network");
    for (role, bounds) in BOTH {
        let arguments = [port.to_string().into()];
        assert_eq!(text(&attack.run(role, &arguments, bounds)), "refused", "{role:?}");
    }
    // The same program, not confined, does connect: the test can fail.
    let free = Command::new(&attack.program).arg(port.to_string()).output().expect("it runs");
    assert_eq!(free.stdout, b"connected\n");
}

#[test]
fn files_outside_stay_as_they_are() {
    let outside = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    let victim = outside.path().join("victim");
    fs::write(&victim, "precious").expect("it can be written");
    for (name, roles) in [("outside", &BOTH[..]), ("attributes", &BOTH[1..])] {
        let attack = Attack::new(name);
        for (role, bounds) in roles {
            let arguments = [victim.clone().into_os_string()];
            assert_eq!(text(&attack.run(*role, &arguments, bounds)), "0 done", "{name} {role:?}");
        }
    }
    assert_eq!(fs::read(&victim).expect("it is still there"), b"precious");
    assert_eq!(fs::read_dir(outside.path()).expect("it is there").count(), 1);
}

#[test]
fn a_crash_leaves_no_core() {
    let attack = Attack::new("fault");
    let finished = attack.run(Role::Tool, &[], &TOOL);
    let ProcessEnding::Exited(status) = finished.ending else { panic!("{finished:?}") };
    assert_eq!(status.signal(), Some(libc::SIGSEGV));
    assert!(!status.core_dumped());
    assert_eq!(attack.files(), 1);
}

#[test]
fn a_missing_command_is_an_error_of_ours() {
    let attack = Attack::new("fault");
    let command = ["no-such-compiler".into()];
    let result = attack.sandbox.run(Role::Tool, &command, b"", attack.scratch.path(), &TOOL);
    assert!(
        matches!(&result, Err(Error::Missing { program }) if program == "no-such-compiler"),
        "{result:?}"
    );
    let command = [attack.scratch.path().as_os_str().to_owned()];
    let result = attack.sandbox.run(Role::Tool, &command, b"", attack.scratch.path(), &TOOL);
    assert!(matches!(result, Err(Error::Sandbox { .. })), "{result:?}");
}

#[test]
fn what_is_no_launcher_is_refused() {
    let error = Sandbox::new("/bin/echo".into()).expect_err("it launches nothing");
    assert!(error.to_string().contains("is no launcher"), "{error}");
}

/// Root runs the same attacks as an ordinary user, whose launcher is the same program.
#[test]
fn an_ordinary_user_is_protected_as_well() {
    if !rustix::process::geteuid().is_root() {
        // All tests above have been run by an ordinary user.
        return;
    }
    let place = Scratch::new(&std::env::temp_dir()).expect("there is a place for it");
    fs::copy(LAUNCHER, place.path().join("real")).expect("it can be copied");
    let launcher = place.path().join("launcher");
    let script = format!(
        "#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups '{}' \"$@\"\n",
        place.path().join("real").display()
    );
    fs::write(&launcher, script).expect("it can be written");
    for path in [place.path(), &launcher] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    for (name, role, bounds, expected) in [
        ("fork_bomb", Role::Program, &PROGRAM, "refused"),
        ("fill_disk", Role::Program, &PROGRAM, "0 files"),
        ("threads", Role::Tool, &TOOL, "42"),
        ("attributes", Role::Program, &PROGRAM, "0 done"),
    ] {
        let sandbox = Sandbox::new(launcher.clone()).expect("the launcher works");
        assert_eq!(sandbox.isolation().seccomp, Protection::Full);
        let attack = Attack::build(name, &["-pthread"], sandbox);
        fs::set_permissions(attack.scratch.path(), fs::Permissions::from_mode(0o777))
            .expect("it is ours");
        let finished = attack.run(role, &["file".into()], bounds);
        assert_eq!(text(&finished), expected, "{name}: {finished:?}");
    }
}
