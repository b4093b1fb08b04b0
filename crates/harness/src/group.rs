//! The processes of a group, looked at from time to time: limits that the kernel does
//! not keep for a tree of processes, or not for root.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::Pid;

/// The time from one look to the next. Most compilations are over before the first.
const INTERVAL: Duration = Duration::from_millis(100);

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

/// A group that is watched.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) leader: Pid,
    limits: Option<GroupLimits>,
    next: Instant,
}

impl Group {
    pub(crate) fn new(leader: Pid, limits: Option<GroupLimits>, now: Instant) -> Self {
        Self { leader, limits, next: now + INTERVAL }
    }

    /// How long until the next look is due.
    pub(crate) fn next_look(&self) -> Duration {
        match self.limits {
            Some(_) => self.next.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }

    /// Looks, if it is time to; says what there is too much of.
    pub(crate) fn look(&mut self) -> Option<Overuse> {
        let limits = self.limits?;
        let started = Instant::now();
        if started < self.next {
            return None;
        }
        let usage = usage(self.leader.as_raw_nonzero().get());
        let now = Instant::now();
        self.next = now + INTERVAL.max((now - started) * SHARE);
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

/// Adds up the group. A process that ends in the meantime counts as nothing.
fn usage(group: i32) -> Usage {
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
            all.processes += 1;
            all.memory += pages * rustix::param::page_size() as u64;
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
        let usage = usage(own);
        assert!(usage.processes >= 1 && usage.memory > 1 << 16, "{usage:?}");
    }
}
