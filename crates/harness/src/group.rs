//! The processes of a group, looked at from time to time: limits that the kernel does
//! not keep for a tree of processes, or not for root.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;

/// The time from one look to the next. Many compilations are over before the first.
const INTERVAL: Duration = Duration::from_millis(200);

/// A look may cost one part in so many of the time that passes.
const SHARE: u32 = 100;

/// What the processes of a group may use together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GroupLimits {
    /// Bytes of resident memory.
    pub(crate) memory: u64,
    /// How many there may be at a time.
    pub(crate) processes: u32,
}

/// What a group has too much of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overuse {
    Memory,
    Processes,
}

/// The time from one glance at the number of tasks to the next: who forks without end has
/// thousands of processes at the next look, and we hardly a processor to end them with.
const GLANCE: Duration = Duration::from_millis(20);

/// So many more tasks than there may be are a crowd: fewer come and go on every machine.
const CROWD: u32 = 64;

/// Every so many looks all processes of the system are looked at, not only the descendants of
/// the leader: where it is no subreaper, orphans are no descendants any more.
const THOROUGH_EVERY: u32 = 25;

/// A group that is watched.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    pub(crate) leader: Pid,
    limits: Option<GroupLimits>,
    next: Instant,
    looks: u32,
    next_glance: Instant,
    /// How many tasks the system had at the beginning, or after the last crowd.
    tasks: u32,
}

impl ProcessGroup {
    pub(crate) fn new(leader: Pid, limits: Option<GroupLimits>, now: Instant) -> Self {
        let next_glance = now + GLANCE;
        let tasks = if limits.is_some() { tasks() } else { 0 };
        Self { leader, limits, next: now + INTERVAL, looks: 0, next_glance, tasks }
    }

    /// How long until the next glance or look is due.
    pub(crate) fn next_look(&self) -> Duration {
        match self.limits {
            Some(_) => self.next.min(self.next_glance).saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }

    /// Looks, if it is time to or if there is a crowd; says what there is too much of.
    pub(crate) fn look(&mut self) -> Option<Overuse> {
        let limits = self.limits?;
        let started = Instant::now();
        if started < self.next && started < self.next_glance {
            return None;
        }
        self.next_glance = started + GLANCE;
        let tasks = tasks();
        let crowd = tasks > self.tasks.saturating_add(limits.processes).saturating_add(CROWD);
        if started < self.next && !crowd {
            return None;
        }
        let leader = self.leader.as_raw_nonzero().get();
        self.looks += 1;
        let few = descendants(leader, limits.processes);
        // Orphans are no descendants where the leader is no subreaper.
        let thorough = crowd || self.looks.is_multiple_of(THOROUGH_EVERY);
        let usage = match few {
            Some(few) if !thorough || few.processes > limits.processes => few,
            _ => members(leader),
        };
        if crowd {
            self.tasks = tasks;
        }
        let now = Instant::now();
        self.next = now + INTERVAL.max((now - started) * SHARE);
        self.next_glance = now + GLANCE.max((now - started) * SHARE);
        if usage.processes > limits.processes {
            Some(Overuse::Processes)
        } else if usage.memory > limits.memory {
            Some(Overuse::Memory)
        } else {
            None
        }
    }
}

/// What the processes of a group use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Usage {
    memory: u64,
    processes: u32,
}

impl Usage {
    fn add(&mut self, pages: u64) {
        self.processes += 1;
        self.memory += pages * rustix::param::page_size() as u64;
    }
}

/// How many tasks there are in the system, which is cheap to know.
fn tasks() -> u32 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = text.split_ascii_whitespace().nth(3).and_then(|field| field.split_once('/'));
    all.and_then(|(_, tasks)| tasks.parse().ok()).unwrap_or(0)
}

/// The processor time of a process and its descendants, with those that they waited for.
pub(crate) fn processor_time(leader: Pid) -> Duration {
    let mut all = Duration::ZERO;
    walk(leader.as_raw_nonzero().get(), MANY, |_, stat| {
        all += crate::usage::of_process(stat).unwrap_or_default();
    });
    all
}

/// How long a process and its descendants that are there were ready to run and had no processor.
/// Nothing, where the kernel does not tell.
pub(crate) fn waiting_time(leader: Pid) -> Duration {
    let mut all = Duration::ZERO;
    walk(leader.as_raw_nonzero().get(), MANY, |process, _| {
        // Of several threads the one that waited longest counts.
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let waited = threads.filter_map(|thread| {
            let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            text.split_ascii_whitespace().nth(1)?.parse().ok()
        });
        all += Duration::from_nanos(waited.max().unwrap_or(0));
    });
    all
}

/// More processes than this are not counted one by one when it is all over anyway.
const MANY: u32 = 1000;

/// Adds up the leader and its descendants, up to a few more than there may be. `None` where
/// the kernel does not tell who is whose child.
fn descendants(leader: i32, most: u32) -> Option<Usage> {
    let mut all = Usage::default();
    let complete = walk(leader, most, |_, stat| {
        if let Some((_, pages)) = group_and_pages(stat) {
            all.add(pages);
        }
    });
    complete.then_some(all)
}

/// Shows a process and its descendants, each with its line of `/proc/*/stat`, up to one more than
/// `most`. Says whether the kernel tells who is whose child.
fn walk(leader: i32, most: u32, mut show: impl FnMut(i32, &str)) -> bool {
    let mut seen = 0;
    let mut open = vec![leader];
    while let Some(process) = open.pop() {
        let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { continue };
        show(process, &stat);
        seen += 1;
        if seen > most {
            return true;
        }
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            match fs::read_to_string(thread.path().join("children")) {
                Ok(text) => open.extend(text.split_ascii_whitespace().flat_map(str::parse::<i32>)),
                // A thread that has ended is no reason to doubt the kernel.
                Err(_) if !thread.path().exists() => {}
                Err(_) => return false,
            }
        }
    }
    true
}

/// Adds up the group. A process that ends in the meantime counts as nothing.
fn members(group: i32) -> Usage {
    let mut all = Usage::default();
    let Ok(entries) = fs::read_dir("/proc") else { return all };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !name.as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        let stat = fs::read_to_string(entry.path().join("stat"));
        if let Some((of, pages)) = stat.ok().as_deref().and_then(group_and_pages)
            && of == group
        {
            all.add(pages);
        }
    }
    all
}

/// The process group and the resident pages in a line of `/proc/*/stat`. The name of the
/// program, in parentheses, may contain anything.
fn group_and_pages(stat: &str) -> Option<(i32, u64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    let group = fields.nth(2)?.parse().ok()?;
    let pages = fields.nth(18)?.parse().ok()?;
    Some((group, pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_name() {
        let line = "12 (a ) 3 (b) S 1 77 77 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9 4096 250 18";
        assert_eq!(group_and_pages(line), Some((77, 250)));
        assert_eq!(group_and_pages("12 (a) S 1 77"), None);
    }

    #[test]
    fn our_own_group_has_a_process_and_memory() {
        let own = rustix::process::getpgrp().as_raw_nonzero().get();
        let usage = members(own);
        assert!(usage.processes >= 1 && usage.memory > 1 << 16, "{usage:?}");
    }

    #[test]
    fn descendants_are_counted_up_to_a_limit() {
        let own = i32::try_from(std::process::id()).expect("a process id");
        let mut children: Vec<std::process::Child> = (0..3)
            .map(|_| {
                let mut sleep = std::process::Command::new("sleep");
                sleep.arg("60").spawn().expect("sleep belongs to every system")
            })
            .collect();
        let (all, few) = (descendants(own, 100), descendants(own, 1));
        for child in &mut children {
            child.kill().and_then(|()| child.wait()).expect("it is ours");
        }
        let all = all.expect("this kernel tells");
        assert!(all.processes >= 4 && all.memory > 1 << 16, "{all:?}");
        assert_eq!(few.expect("this kernel tells").processes, 2);
        assert!(tasks() >= 1);
    }
}
