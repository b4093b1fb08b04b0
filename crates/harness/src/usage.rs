//! Processor time: who has used how much.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};

/// The processor time of this process and of all that has ended of what it started.
pub fn processor_time() -> Option<Duration> {
    let own = of_process(&fs::read_to_string("/proc/self/stat").ok()?)?;
    let hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
    // What hosts have waited for is ours only when we have waited for them.
    let hosted = hosts
        .iter()
        .filter_map(|host| of_process(&fs::read_to_string(format!("/proc/{host}/stat")).ok()?));
    Some(own + hosted.sum())
}

/// The processes that start others for us.
static HOSTS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A process that starts others for us, whose time is counted as ours as long as this is
/// there.
#[derive(Debug)]
pub(crate) struct Counted(Pid);

impl Counted {
    pub(crate) fn new(host: Pid) -> Self {
        HOSTS.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        Self(host)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.retain(|host| *host != self.0);
    }
}

/// The processor time of this thread alone.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

/// Fields 14 to 17 of a line of `/proc/*/stat`, in hundredths of a second on every Linux. The
/// name of the program before them may have spaces in it.
pub(crate) fn of_process(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<u64> = rest
        .split_whitespace()
        .skip(11)
        .take(4)
        .map(|field| field.parse().ok())
        .collect::<Option<_>>()?;
    (fields.len() == 4).then(|| Duration::from_millis(10 * fields.iter().sum::<u64>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_behind_a_name_with_spaces() {
        let text = "7 (a ) b) S 1 7 7 0 -1 4194304 1 2 3 4 10 20 300 4000 20 0 1 0 5\n";
        assert_eq!(of_process(text), Some(Duration::from_millis(43300)));
        assert_eq!(of_process("7 (a) S 1"), None);
        assert!(processor_time().is_some());
    }

    #[test]
    fn only_this_thread_counts() {
        let before = thread_time();
        let busy = std::thread::spawn(|| {
            while thread_time() < Duration::from_millis(50) {
                std::hint::spin_loop();
            }
        });
        busy.join().expect("it ends");
        assert!(thread_time() - before < Duration::from_millis(40));
    }
}
