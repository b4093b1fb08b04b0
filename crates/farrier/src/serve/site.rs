//! Which address is answered with what.

use std::path::Path;
use std::time::{Duration, Instant};

use super::metrics::{METRICS, metrics};
use super::overview::Overview;
use super::pages;
use super::reply::{Asked, HTML, Reply};
use super::{api, pages::Machine};

/// The store is asked for news no more often than this.
const PATIENCE: Duration = Duration::from_millis(500);
/// Nor more often than so many times as long as reading them took.
const SHARE: u32 = 10;

/// A hunt and its pages.
pub(crate) struct LivePage {
    overview: Overview,
    /// Until then, what was read is new enough.
    fresh_until: Instant,
}

impl LivePage {
    /// Reads a hunt.
    pub(crate) fn open(directory: &Path) -> anyhow::Result<Self> {
        Ok(Self { overview: Overview::open(directory)?, fresh_until: Instant::now() })
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, asked: &Asked) -> anyhow::Result<Reply> {
        let begun = Instant::now();
        if begun >= self.fresh_until {
            self.overview.refresh()?;
            self.fresh_until = Instant::now() + PATIENCE.max(begun.elapsed() * SHARE);
        }
        let overview = &self.overview;
        let machines = || Machine::all(overview);
        let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
        let page = |text: anyhow::Result<String>| Ok(Reply::found(HTML, text?));
        match path[..] {
            [] => page(pages::home(overview, &machines())),
            ["bugs"] => page(pages::bugs(overview, asked.page())),
            ["findings"] => page(pages::findings(overview, asked.page())),
            ["bug", id] => match overview.bug(id) {
                Some(bug) => page(pages::bug(overview, bug, asked.page())),
                None => pages::missing("There is no such bug, or its cause is known better now."),
            },
            ["finding", name] => match overview.named(name) {
                Some(entry) => page(pages::finding(overview, entry)),
                None => pages::missing("There is no such finding."),
            },
            ["metrics"] => Ok(Reply::found(METRICS, metrics(overview, &machines()))),
            ["api", ref rest @ ..] => self.data(rest, asked),
            _ => pages::missing("There is nothing at this address."),
        }
    }

    /// Answers a program.
    fn data(&self, path: &[&str], asked: &Asked) -> anyhow::Result<Reply> {
        let overview = &self.overview;
        match *path {
            ["hunt"] => api::hunt(overview, &Machine::all(overview)),
            ["bugs"] => api::bugs(overview, asked.page()),
            ["findings"] => match asked.value("bug").map(|id| overview.bug(id)) {
                Some(None) => Ok(Reply::refused(404, "there is no such bug")),
                bug => api::findings(overview, bug.flatten(), asked.page()),
            },
            ["findings", name] if overview.named(name).is_some() => {
                let store = &overview.store;
                let (analysis, reduction) = (store.analysis(name)?, store.reduction(name)?);
                let finding = store.finding(name)?;
                api::finding(overview, &finding, analysis.as_ref(), reduction.as_ref())
            }
            _ => Ok(Reply::refused(404, "there is nothing at this address")),
        }
    }
}
