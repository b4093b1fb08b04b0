//! How quick a machine is at present.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::WorkerReport;

/// Over how long speed is measured, as on the page of a hunt of one machine.
const WINDOW: Duration = Duration::from_secs(300);

/// What a machine had done at some moments of the last minutes, the oldest first.
#[derive(Default)]
pub(super) struct Pace(VecDeque<(Instant, WorkerReport)>);

impl Pace {
    /// Notes what is done, and says in the report how much of it a second.
    pub(super) fn note(&mut self, report: &mut WorkerReport, now: Instant) {
        while self.0.len() > 1 && now - self.0[1].0 >= WINDOW {
            self.0.pop_front();
        }
        self.0.push_back((now, report.clone()));
        let (then, before) = &self.0[0];
        let seconds = (now - *then).as_secs_f64().max(1.0);
        report.programs_per_second = (report.programs - before.programs) as f64 / seconds;
        report.trials_per_second = (report.trials - before.trials) as f64 / seconds;
        report.processors = (report.seconds - before.seconds) / seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_becomes_slower_says_so() {
        let mut pace = Pace::default();
        let mut report = WorkerReport::default();
        let start = Instant::now();
        let mut after = |seconds: u64, more: u64| {
            report.programs += more;
            report.trials += 10 * more;
            report.seconds += more as f64;
            pace.note(&mut report, start + Duration::from_secs(seconds));
            (report.programs_per_second, report.trials_per_second, report.processors)
        };
        assert_eq!(after(0, 0), (0.0, 0.0, 0.0));
        assert_eq!(after(20, 40), (2.0, 20.0, 2.0));
        // Then it does half a program a second, and after five minutes nothing else counts.
        let slow: Vec<_> = (2..40).map(|step| after(20 * step, 10)).collect();
        assert_eq!(slow.last(), Some(&(0.5, 5.0, 0.5)));
        assert_eq!(after(2000, 0), (0.0, 0.0, 0.0));
    }
}
