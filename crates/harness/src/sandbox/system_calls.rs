//! Which system calls are refused: a table, and a filter made from it.
//!
//! The filter speaks two languages, that of x86-64 and that of i386, because a program
//! compiled for the one runs on a machine of the other.

use seccompiler::sock_filter;

use super::Role;

/// A row of the table of system calls.
struct Row {
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it with the kernel"))]
    name: &'static str,
    x86_64: Option<u32>,
    i386: Option<u32>,
    roles: &'static [Role],
}

const fn row(
    name: &'static str,
    x86_64: Option<u32>,
    i386: Option<u32>,
    roles: &'static [Role],
) -> Row {
    Row { name, x86_64, i386, roles }
}

/// What is refused to everybody, compilers included.
const ALL: &[Role] = &[Role::Tool, Role::Runner, Role::Wine, Role::Program];
/// What is refused to all but those that may use the network.
const OFF_LINE: &[Role] = &[Role::Tool, Role::Wine, Role::Program];
/// What is refused to compiled programs only.
const PROGRAM: &[Role] = &[Role::Program];

/// System calls that fail with `EPERM`. Those that a compiled program may make on
/// itself are in [`SELF_ONLY`], starting threads is in [`filter`].
const REFUSED: &[Row] = &[
    // No process leaves the group, by which all are found and killed at the end.
    row("setsid", Some(112), Some(66), ALL),
    row("setpgid", Some(109), Some(57), ALL),
    // No network, also none that goes around Landlock.
    row("socketcall", None, Some(102), OFF_LINE),
    row("io_uring_setup", Some(425), Some(425), ALL),
    // What would outlive the process.
    row("shmget", Some(29), Some(395), ALL),
    row("semget", Some(64), Some(393), ALL),
    row("msgget", Some(68), Some(399), ALL),
    row("ipc", None, Some(117), ALL),
    row("mq_open", Some(240), Some(277), ALL),
    row("add_key", Some(248), Some(286), ALL),
    row("request_key", Some(249), Some(287), ALL),
    row("keyctl", Some(250), Some(288), ALL),
    // Other processes.
    row("ptrace", Some(101), Some(26), ALL),
    row("process_vm_writev", Some(311), Some(348), ALL),
    row("process_madvise", Some(440), Some(440), ALL),
    row("pidfd_getfd", Some(438), Some(438), ALL),
    row("kcmp", Some(312), Some(349), ALL),
    // The system itself, if we are root.
    row("reboot", Some(169), Some(88), ALL),
    row("kexec_load", Some(246), Some(283), ALL),
    row("kexec_file_load", Some(320), None, ALL),
    row("init_module", Some(175), Some(128), ALL),
    row("finit_module", Some(313), Some(350), ALL),
    row("delete_module", Some(176), Some(129), ALL),
    row("mount", Some(165), Some(21), ALL),
    row("umount", None, Some(22), ALL),
    row("umount2", Some(166), Some(52), ALL),
    row("move_mount", Some(429), Some(429), ALL),
    row("open_tree", Some(428), Some(428), ALL),
    row("fsopen", Some(430), Some(430), ALL),
    row("fsmount", Some(432), Some(432), ALL),
    row("mount_setattr", Some(442), Some(442), ALL),
    row("pivot_root", Some(155), Some(217), ALL),
    row("chroot", Some(161), Some(61), ALL),
    row("unshare", Some(272), Some(310), ALL),
    row("setns", Some(308), Some(346), ALL),
    row("swapon", Some(167), Some(87), ALL),
    row("swapoff", Some(168), Some(115), ALL),
    row("sethostname", Some(170), Some(74), ALL),
    row("setdomainname", Some(171), Some(121), ALL),
    row("settimeofday", Some(164), Some(79), ALL),
    row("clock_settime", Some(227), Some(264), ALL),
    row("clock_settime64", None, Some(404), ALL),
    row("clock_adjtime", Some(305), Some(343), ALL),
    row("clock_adjtime64", None, Some(405), ALL),
    row("adjtimex", Some(159), Some(124), ALL),
    row("stime", None, Some(25), ALL),
    row("acct", Some(163), Some(51), ALL),
    row("quotactl", Some(179), Some(131), ALL),
    row("quotactl_fd", Some(443), Some(443), ALL),
    row("bpf", Some(321), Some(357), ALL),
    row("perf_event_open", Some(298), Some(336), ALL),
    row("userfaultfd", Some(323), Some(374), ALL),
    row("syslog", Some(103), Some(103), ALL),
    row("vhangup", Some(153), Some(111), ALL),
    row("iopl", Some(172), Some(110), ALL),
    row("ioperm", Some(173), Some(101), ALL),
    row("open_by_handle_at", Some(304), Some(342), ALL),
    row("nfsservctl", Some(180), Some(169), ALL),
    // A compiled program starts no other.
    row("fork", Some(57), Some(2), PROGRAM),
    row("vfork", Some(58), Some(190), PROGRAM),
    // Signals that name no process by a number that could be checked.
    row("rt_sigqueueinfo", Some(129), Some(178), PROGRAM),
    row("rt_tgsigqueueinfo", Some(297), Some(335), PROGRAM),
    row("pidfd_send_signal", Some(424), Some(424), PROGRAM),
    // Landlock does not speak about the attributes of files.
    row("chmod", Some(90), Some(15), PROGRAM),
    row("fchmod", Some(91), Some(94), PROGRAM),
    row("fchmodat", Some(268), Some(306), PROGRAM),
    row("fchmodat2", Some(452), Some(452), PROGRAM),
    row("chown", Some(92), Some(182), PROGRAM),
    row("chown32", None, Some(212), PROGRAM),
    row("fchown", Some(93), Some(95), PROGRAM),
    row("fchown32", None, Some(207), PROGRAM),
    row("lchown", Some(94), Some(16), PROGRAM),
    row("lchown32", None, Some(198), PROGRAM),
    row("fchownat", Some(260), Some(298), PROGRAM),
    row("utime", Some(132), Some(30), PROGRAM),
    row("utimes", Some(235), Some(271), PROGRAM),
    row("utimensat", Some(280), Some(320), PROGRAM),
    row("utimensat_time64", None, Some(412), PROGRAM),
    row("futimesat", Some(261), Some(299), PROGRAM),
    row("setxattr", Some(188), Some(226), PROGRAM),
    row("lsetxattr", Some(189), Some(227), PROGRAM),
    row("fsetxattr", Some(190), Some(228), PROGRAM),
    row("setxattrat", Some(463), Some(463), PROGRAM),
    row("removexattr", Some(197), Some(235), PROGRAM),
    row("lremovexattr", Some(198), Some(236), PROGRAM),
    row("fremovexattr", Some(199), Some(237), PROGRAM),
    row("removexattrat", Some(466), Some(466), PROGRAM),
    // Limits stay, also for root, who could raise them.
    row("setrlimit", Some(160), Some(75), PROGRAM),
    // The priority of others.
    row("setpriority", Some(141), Some(97), PROGRAM),
    row("ioprio_set", Some(251), Some(289), PROGRAM),
    row("sched_setaffinity", Some(203), Some(241), PROGRAM),
    row("sched_setscheduler", Some(144), Some(156), PROGRAM),
    row("sched_setparam", Some(142), Some(154), PROGRAM),
    row("sched_setattr", Some(314), Some(351), PROGRAM),
];

/// System calls whose first argument is a process, which must be the program itself: it is
/// alone in its group.
const SELF_ONLY: &[Row] = &[
    row("kill", Some(62), Some(37), PROGRAM),
    row("tkill", Some(200), Some(238), PROGRAM),
    row("tgkill", Some(234), Some(270), PROGRAM),
];

/// `socket`, which makes those of this machine as well as those of a network.
const SOCKET: Row = row("socket", Some(41), Some(359), OFF_LINE);
/// `clone`, which makes threads as well as processes.
const CLONE: Row = row("clone", Some(56), Some(120), PROGRAM);
/// `clone3`, whose flags a filter cannot see; libraries fall back to `clone`.
const CLONE3: Row = row("clone3", Some(435), Some(435), PROGRAM);
/// `prlimit64`, which asks for limits as well as setting them.
const PRLIMIT: Row = row("prlimit64", Some(302), Some(340), PROGRAM);

/// One of the two languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    X86_64,
    I386,
}

impl Language {
    fn number(self, row: &Row) -> Option<u32> {
        match self {
            Self::X86_64 => row.x86_64,
            Self::I386 => row.i386,
        }
    }
}

// linux/audit.h
const ARCHITECTURE_X86_64: u32 = 0xc000_003e;
const ARCHITECTURE_I386: u32 = 0x4000_0003;
/// Numbers from here on are calls of x32, a third language that no program here speaks.
const X32: u32 = 0x4000_0000;
/// The family of sockets that do not leave this machine.
const LOCAL: u32 = 1;
/// The flag of `clone` that makes a thread.
const CLONE_THREAD: u32 = 0x0001_0000;

// linux/seccomp.h: what a filter returns.
const ALLOW: u32 = 0x7fff_0000;
const FAIL: u32 = 0x0005_0000;
const NOT_PERMITTED: u32 = FAIL | libc::EPERM.cast_unsigned();
const NO_SUCH_CALL: u32 = FAIL | libc::ENOSYS.cast_unsigned();

// linux/seccomp.h: offsets in `struct seccomp_data`, all values little-endian.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

// linux/bpf_common.h: the instructions of the filter machine.
const LOAD: u16 = 0x20;
const JUMP_ALWAYS: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_AT_LEAST: u16 = 0x35;
const JUMP_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

fn load(offset: u32) -> sock_filter {
    sock_filter { code: LOAD, jt: 0, jf: 0, k: offset }
}

/// Compares with `k`; skips `then` instructions if it holds, else `otherwise`.
fn jump(code: u16, k: u32, then: u8, otherwise: u8) -> sock_filter {
    sock_filter { code, jt: then, jf: otherwise, k }
}

fn give(result: u32) -> sock_filter {
    sock_filter { code: RETURN, jt: 0, jf: 0, k: result }
}

/// The filter for a role. A program may send signals to `process`, which is itself.
pub(super) fn filter(role: Role, process: u32) -> Vec<sock_filter> {
    let first = rules(Language::X86_64, role, process);
    let second = rules(Language::I386, role, process);
    let skip = u32::try_from(first.len()).expect("the filter is short");
    let mut all = vec![
        load(ARCHITECTURE),
        jump(JUMP_EQUAL, ARCHITECTURE_X86_64, 1, 0),
        sock_filter { code: JUMP_ALWAYS, jt: 0, jf: 0, k: skip },
    ];
    all.extend(first);
    all.push(jump(JUMP_EQUAL, ARCHITECTURE_I386, 1, 0));
    all.push(give(NO_SUCH_CALL));
    all.extend(second);
    all
}

/// The rules in one language; the last instruction returns.
fn rules(language: Language, role: Role, process: u32) -> Vec<sock_filter> {
    let mut rules = vec![load(NUMBER)];
    if language == Language::X86_64 {
        rules.extend([jump(JUMP_AT_LEAST, X32, 0, 1), give(NO_SUCH_CALL)]);
    }
    let mut add = |row: &Row, then: &[sock_filter]| {
        if let (Some(number), true) = (language.number(row), row.roles.contains(&role)) {
            let length = u8::try_from(then.len()).expect("a rule is short");
            rules.push(jump(JUMP_EQUAL, number, 0, length));
            rules.extend_from_slice(then);
        }
    };
    for row in REFUSED {
        add(row, &[give(NOT_PERMITTED)]);
    }
    // Wine talks to its server.
    let if_local =
        [load(argument(0)), jump(JUMP_EQUAL, LOCAL, 0, 1), give(ALLOW), give(NOT_PERMITTED)];
    match role {
        Role::Wine => add(&SOCKET, &if_local),
        _ => add(&SOCKET, &[give(NOT_PERMITTED)]),
    }
    for row in SELF_ONLY {
        let group = process.wrapping_neg();
        let or_else = [
            load(argument(0)),
            jump(JUMP_EQUAL, process, 2, 0),
            jump(JUMP_EQUAL, group, 1, 0),
            jump(JUMP_EQUAL, 0, 0, 1),
            give(ALLOW),
            give(NOT_PERMITTED),
        ];
        add(row, &or_else);
    }
    let a_thread = [
        load(argument(0)),
        jump(JUMP_ANY_BIT, CLONE_THREAD, 0, 1),
        give(ALLOW),
        give(NOT_PERMITTED),
    ];
    add(&CLONE, &a_thread);
    add(&CLONE3, &[give(NO_SUCH_CALL)]);
    let no_new_limit = [
        load(argument(2)),
        jump(JUMP_EQUAL, 0, 0, 3),
        load(argument(2) + 4),
        jump(JUMP_EQUAL, 0, 0, 1),
        give(ALLOW),
        give(NOT_PERMITTED),
    ];
    add(&PRLIMIT, &no_new_limit);
    rules.push(give(ALLOW));
    rules
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn table() -> impl Iterator<Item = &'static Row> {
        REFUSED.iter().chain(SELF_ONLY).chain([&SOCKET, &CLONE, &CLONE3, &PRLIMIT])
    }

    /// The numbers in a header of the kernel.
    fn header(name: &str) -> BTreeMap<String, u32> {
        let path = format!("/usr/include/x86_64-linux-gnu/asm/{name}");
        std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{path}: {error}: install linux-libc-dev"))
            .lines()
            .filter_map(|line| line.strip_prefix("#define __NR_")?.split_once(' '))
            .map(|(name, number)| (name.to_owned(), number.parse().expect("a number")))
            .collect()
    }

    #[test]
    fn the_numbers_are_those_of_the_kernel() {
        for (file, language) in [("unistd_64.h", Language::X86_64), ("unistd_32.h", Language::I386)]
        {
            let header = header(file);
            let newest = header.values().max().expect("the header has numbers");
            for row in table() {
                let number = language.number(row);
                // A header may be older than the newest calls.
                if header.contains_key(row.name) || number.is_some_and(|n| n <= *newest) {
                    assert_eq!(number, header.get(row.name).copied(), "{} in {file}", row.name);
                }
            }
        }
    }

    /// What the filter answers, by a small interpreter of the instructions that it uses.
    fn answer(filter: &[sock_filter], architecture: u32, number: u32, arguments: [u64; 3]) -> u32 {
        let mut words = vec![number, architecture, 0, 0];
        for argument in arguments {
            words.push((argument & 0xffff_ffff) as u32);
            words.push((argument >> 32) as u32);
        }
        let (mut at, mut value) = (0, 0);
        loop {
            let instruction = &filter[at];
            at += 1;
            let holds = match instruction.code {
                LOAD => {
                    value = words[instruction.k as usize / 4];
                    continue;
                }
                JUMP_ALWAYS => {
                    at += instruction.k as usize;
                    continue;
                }
                RETURN => return instruction.k,
                JUMP_EQUAL => value == instruction.k,
                JUMP_AT_LEAST => value >= instruction.k,
                JUMP_ANY_BIT => value & instruction.k != 0,
                other => panic!("unknown instruction {other:#x}"),
            };
            at += usize::from(if holds { instruction.jt } else { instruction.jf });
        }
    }

    #[test]
    fn each_role_is_refused_what_the_table_says() {
        for (architecture, language) in
            [(ARCHITECTURE_X86_64, Language::X86_64), (ARCHITECTURE_I386, Language::I386)]
        {
            for role in [Role::Tool, Role::Runner, Role::Wine, Role::Program] {
                let filter = filter(role, 4321);
                for row in table() {
                    let Some(number) = language.number(row) else { continue };
                    let refused = answer(&filter, architecture, number, [17, 17, 17]) != ALLOW;
                    assert_eq!(refused, row.roles.contains(&role), "{} {role:?}", row.name);
                }
                // write
                let number = if language == Language::X86_64 { 1 } else { 4 };
                assert_eq!(answer(&filter, architecture, number, [1, 0, 0]), ALLOW);
            }
        }
    }

    #[test]
    fn wine_has_sockets_of_this_machine_only() {
        for (architecture, number) in [(ARCHITECTURE_X86_64, 41), (ARCHITECTURE_I386, 359)] {
            let ask =
                |role, family| answer(&filter(role, 4321), architecture, number, [family, 1, 0]);
            assert_eq!(ask(Role::Wine, 1), ALLOW);
            // Those of the internet, of the kernel, of raw packets.
            for family in [2, 10, 16, 17] {
                assert_eq!(ask(Role::Wine, family), NOT_PERMITTED, "{family}");
            }
            assert_eq!(ask(Role::Tool, 1), NOT_PERMITTED);
            assert_eq!(ask(Role::Program, 1), NOT_PERMITTED);
        }
    }

    #[test]
    fn a_program_may_do_to_itself_what_it_may_not_do_to_others() {
        let filter = filter(Role::Program, 4321);
        let ask = |number, arguments| answer(&filter, ARCHITECTURE_X86_64, number, arguments);
        let group = (-4321_i64).cast_unsigned();
        for target in [4321, 0, group] {
            assert_eq!(ask(62, [target, 6, 0]), ALLOW, "{target}");
        }
        for target in [1, 4320, u64::MAX] {
            assert_eq!(ask(62, [target, 6, 0]), NOT_PERMITTED, "{target}");
        }
        assert_eq!(ask(56, [0x003d_0f00, 0, 0]), ALLOW, "a thread");
        assert_eq!(ask(56, [0x0120_0011, 0, 0]), NOT_PERMITTED, "a process");
        assert_eq!(ask(302, [0, 7, 0]), ALLOW, "asking for a limit");
        assert_eq!(ask(302, [0, 7, 1 << 40]), NOT_PERMITTED, "setting a limit");
        assert_eq!(ask(X32 | 1, [0, 0, 0]), NO_SUCH_CALL, "x32");
        assert_eq!(answer(&filter, 0xc000_00b7, 1, [0, 0, 0]), NO_SUCH_CALL, "another processor");
    }
}
