//! How much of a hunt may go into looking into what it finds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use farrier_harness::{processor_time, thread_time};

/// How often a thread that has to wait looks whether there is time again.
const INTERVAL: Duration = Duration::from_millis(200);

/// How much an account is charged for a second of its thread: the many small programs that
/// a reduction tries cost as much again to be started, in launchers.
const PRICE: f64 = 2.0;

/// The account of a thread that may have a part of all processor time: of Farrier, of
/// compilers and of compiled programs since the account was opened. What is charged
/// is the time of the thread itself, not that of the compilers that it starts: those are
/// tested by it as well.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// The part of all processor time.
    share: f64,
    /// What may be used at once.
    advance: Duration,
    /// All processor time when the account was opened.
    opened: Duration,
    /// Whether time is no longer counted.
    lifted: AtomicBool,
    /// How long was waited, in microseconds.
    waited: AtomicU64,
}

impl Allowance {
    /// An account that may have so many percent.
    pub(crate) fn new(percent: u8) -> Self {
        Self {
            share: f64::from(percent) / 100.0,
            advance: Duration::ZERO,
            opened: processor_time().unwrap_or_default(),
            lifted: AtomicBool::new(percent >= 100),
            waited: AtomicU64::new(0),
        }
    }

    /// The same account with an advance, so that the first finding need not wait.
    pub(crate) fn with_advance(self, advance: Duration) -> Self {
        Self { advance, ..self }
    }

    /// An account without a limit.
    pub(crate) fn unlimited() -> Self {
        Self::new(100)
    }

    /// From now on there is no limit: the hunt is over.
    pub(crate) fn lift(&self) {
        self.lifted.store(true, Ordering::Relaxed);
    }

    /// Waits until this thread, which must be the one that has the account, may go on, or is
    /// to stop.
    pub(crate) fn wait(&self, stop: &AtomicBool) {
        let started = Instant::now();
        while !self.lifted.load(Ordering::Relaxed)
            && !stop.load(Ordering::Relaxed)
            && self.is_overdrawn(thread_time(), processor_time().unwrap_or_default())
        {
            std::thread::sleep(INTERVAL);
        }
        let waited = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.waited.fetch_add(waited, Ordering::Relaxed);
    }

    fn is_overdrawn(&self, own: Duration, all: Duration) -> bool {
        let charged = own.saturating_sub(self.advance);
        PRICE * charged.as_secs_f64() > self.share * all.saturating_sub(self.opened).as_secs_f64()
    }

    /// How long was waited so far.
    pub(crate) fn waited(&self) -> Duration {
        Duration::from_micros(self.waited.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses processor time.
    fn work(time: Duration) {
        let until = thread_time() + time;
        while thread_time() < until {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn a_part_of_the_time_may_be_used() {
        let allowance = Allowance { opened: Duration::from_secs(50), ..Allowance::new(2) };
        let seconds = Duration::from_secs;
        assert!(!allowance.is_overdrawn(seconds(1), seconds(150)));
        assert!(allowance.is_overdrawn(seconds(2), seconds(150)));
        assert!(allowance.is_overdrawn(seconds(1), seconds(40)), "time does not go back");
        let allowance = allowance.with_advance(seconds(4));
        assert!(!allowance.is_overdrawn(seconds(4), seconds(50)));
        assert!(allowance.is_overdrawn(seconds(6), seconds(150)));
    }

    #[test]
    fn who_has_used_too_much_waits_for_the_others() {
        let allowance = Allowance::new(50);
        let go_on = AtomicBool::new(false);
        work(Duration::from_millis(100));
        std::thread::scope(|scope| {
            scope.spawn(|| work(Duration::from_millis(400)));
            allowance.wait(&go_on);
        });
        assert!(allowance.waited() >= INTERVAL, "{allowance:?}");
        let all = processor_time().expect("there is /proc") - allowance.opened;
        assert!(thread_time() <= all / 4, "{all:?}");
    }

    #[test]
    fn a_stop_or_the_end_of_the_hunt_ends_the_waiting() {
        work(Duration::from_millis(20));
        let allowance = Allowance::new(0);
        allowance.wait(&AtomicBool::new(true));
        assert!(allowance.waited() < INTERVAL);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(2 * INTERVAL);
                allowance.lift();
            });
            allowance.wait(&AtomicBool::new(false));
        });
        assert!(allowance.waited() >= INTERVAL);
        Allowance::unlimited().wait(&AtomicBool::new(false));
    }
}
