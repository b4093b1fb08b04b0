//! How long a candidate may take to be compiled and to run.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use farrier_harness::{Certificate, FindingKind, TrialBounds};

/// How long a compiled candidate may run, unless it is long. One that needs more is refused,
/// which is never wrong, and many candidates for wrong code do not end.
const RUN_TIME: Duration = Duration::from_secs(1);

/// It may run so many times as long as another took to be compiled and run, but not less
/// than this.
const RUN_LONGER: u64 = 3;
const LEAST_RUN_TIME: Duration = Duration::from_millis(100);

/// How many operations of the machine a compiled program does at least in a millisecond, on a
/// busy machine and without optimisation.
const STEPS_PER_MILLISECOND: u64 = 2_000;

/// How long a compiler that does not end is watched, unless the program is long or others took
/// longer and ended; the result has all of the time again.
const COMPILER_TIME: Duration = Duration::from_secs(1);

/// How many bytes a compiler reads at least in a second, on a busy machine.
const BYTES_PER_SECOND: u64 = 20_000;

/// How many times longer than any that ended a compiler must take to be one that does not.
const LONGER: u32 = 5;

/// How many times longer everything may take once too little time has misled us.
const MORE_PATIENCE: u32 = 8;

/// How long things take.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The longest that the compiler took for a candidate and ended, in milliseconds.
    longest: AtomicU64,
    /// How long the last candidate took that was compiled and ran to its end, in
    /// milliseconds; 0 if there was none.
    last: AtomicU64,
    /// By how many times more all limits are larger.
    patience: AtomicU32,
}

impl Pace {
    /// The compiler ended after this time.
    pub(super) fn ended(&self, time: Duration) {
        self.longest.fetch_max(milliseconds(time), Ordering::Relaxed);
    }

    /// A candidate was compiled and ran in this time.
    pub(super) fn ran(&self, time: Duration) {
        self.last.store(milliseconds(time).max(1), Ordering::Relaxed);
    }

    /// How long a compiled candidate may run that does little. To be compiled takes most of
    /// the time of those that end.
    fn run_time(&self, kind: Option<&FindingKind>) -> Duration {
        match self.last.load(Ordering::Relaxed) {
            last if last > 0 && kind != Some(&FindingKind::RunHang) => {
                Duration::from_millis(last.saturating_mul(RUN_LONGER))
                    .clamp(LEAST_RUN_TIME, RUN_TIME)
            }
            _ => RUN_TIME,
        }
    }

    /// The time that a candidate of so many bytes gets.
    pub(super) fn shorter(
        &self,
        bounds: &TrialBounds,
        kind: Option<&FindingKind>,
        certificate: Option<&Certificate>,
        bytes: usize,
    ) -> TrialBounds {
        let mut bounds = *bounds;
        let patience = self.patience.load(Ordering::Relaxed).max(1);
        let steps = certificate.map_or(0, |certificate| certificate.behavior().steps);
        let run = self.run_time(kind) + Duration::from_millis(steps / STEPS_PER_MILLISECOND);
        let time = &mut bounds.program.streams.time;
        *time = (*time).min(run * patience);
        if kind == Some(&FindingKind::CompilerHang) {
            let longest = Duration::from_millis(self.longest.load(Ordering::Relaxed));
            let read =
                COMPILER_TIME + Duration::from_millis(bytes as u64 * 1000 / BYTES_PER_SECOND);
            let time = &mut bounds.compiler.streams.time;
            *time = (*time).min(read.max(longest * LONGER) * patience);
        }
        bounds
    }

    /// Gives candidates more time from now on; whether that changes anything.
    pub(super) fn be_patient(&self) -> bool {
        self.patience.swap(MORE_PATIENCE, Ordering::Relaxed) != MORE_PATIENCE
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_runs_a_few_times_as_long_as_the_one_before() {
        let pace = Pace::default();
        let time = |kind, pace: &Pace| {
            let bounds = pace.shorter(&TrialBounds::default(), Some(&kind), None, 100);
            bounds.program.streams.time.as_millis()
        };
        assert_eq!(time(FindingKind::WrongExit, &pace), 1000);
        pace.ran(Duration::from_millis(60));
        assert_eq!(time(FindingKind::WrongExit, &pace), 180);
        assert_eq!(time(FindingKind::RunHang, &pace), 1000);
        pace.ran(Duration::from_millis(5));
        assert_eq!(time(FindingKind::WrongOutput, &pace), 100);
        pace.ran(Duration::from_secs(20));
        assert_eq!(time(FindingKind::RunCrash, &pace), 1000);
    }

    #[test]
    fn a_hang_is_seen_after_a_few_times_what_others_took() {
        let pace = Pace::default();
        let time = |bytes, pace: &Pace| {
            let kind = Some(&FindingKind::CompilerHang);
            let bounds = pace.shorter(&TrialBounds::default(), kind, None, bytes);
            bounds.compiler.streams.time.as_millis()
        };
        assert_eq!(time(100, &pace), 1005);
        assert_eq!(time(80_000, &pace), 5000);
        pace.ended(Duration::from_millis(400));
        pace.ended(Duration::from_millis(100));
        assert_eq!(time(100, &pace), 2000);
        assert!(pace.be_patient());
        assert_eq!(time(100, &pace), 16_000);
        assert_eq!(time(800_000, &pace), TrialBounds::default().compiler.streams.time.as_millis());
        let other = Some(&FindingKind::CompilerCrash);
        let bounds = pace.shorter(&TrialBounds::default(), other, None, 100);
        assert_eq!(bounds.compiler, TrialBounds::default().compiler);
    }
}
