//! Triage during a hunt: a thread of its own analyses findings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, anyhow};
use farrier_harness::{Sandbox, Subject};
use farrier_lang::STACK_BYTES;

use crate::finding::{Finding, Store};
use crate::join::Claims;
use crate::triage::{Allowance, Claimed, Done, Effort, Triage, open_findings};

/// What is done in a hunt: it should go on hunting, mostly, so the second finding of a known
/// cause is only counted. `farrier triage` does more.
const EFFORT: Effort = Effort { reduce: true, each: 1, time: Duration::from_secs(120), jobs: 1 };

/// So much processor time of its own it may use at once: about one finding.
const ADVANCE: Duration = Duration::from_secs(5);

/// So many further findings of a cause are named.
const SHOWN_OF_A_CAUSE: usize = 3;
const LAST_OF_A_CAUSE: &str = "; others of it are counted and not shown";

/// After this time a cause that another machine had is asked for again.
const ASK_AGAIN: Duration = Duration::from_secs(5);

/// How machines share the work: each analyses findings in its own compilers, and no two the same
/// cause.
#[derive(Clone)]
pub(crate) struct Sharing {
    pub(crate) claims: Claims,
    /// The compilers of this machine.
    pub(crate) subjects: Vec<Subject>,
}

impl Sharing {
    fn claim(&self, finding: &Finding) -> Option<Claimed> {
        let Finding { subject, .. } = finding;
        let own = |one: &Subject| {
            (&one.name, &one.command, &one.version)
                == (&subject.name, &subject.command, &subject.version)
        };
        if !self.subjects.iter().any(own) {
            return None;
        }
        Claimed::new(&self.claims, finding)
    }
}

/// The thread that analyses findings. It is started by the first finding.
pub(crate) struct Background {
    directory: PathBuf,
    base: PathBuf,
    sandbox: Sandbox,
    allowance: Arc<Allowance>,
    /// All compilers of this machine, if the hunt had to look for them.
    subjects: Option<Vec<Subject>>,
    /// With whom the work is shared.
    sharing: Option<Sharing>,
    stop: Arc<AtomicBool>,
    running: Option<Running>,
}

struct Running {
    thread: JoinHandle<anyhow::Result<()>>,
    /// Says that there may be something new; closed when the hunt is over.
    wake: mpsc::Sender<()>,
    /// What there is to tell.
    news: mpsc::Receiver<News>,
}

/// What triage has found out about a finding.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) line: String,
    /// Whether it is the first of its cause.
    pub(crate) new_cause: bool,
}

impl Background {
    /// Nothing runs yet. From now on it may have so many percent of all processor time.
    pub(crate) fn new(
        directory: &Path,
        base: &Path,
        sandbox: Sandbox,
        percent: u8,
        subjects: Option<Vec<Subject>>,
    ) -> Self {
        Self {
            directory: directory.to_owned(),
            base: base.to_owned(),
            sandbox,
            allowance: Arc::new(Allowance::new(percent).with_advance(ADVANCE)),
            subjects,
            sharing: None,
            stop: Arc::new(AtomicBool::new(false)),
            running: None,
        }
    }

    /// From now on the work is shared with other machines.
    pub(crate) fn share(&mut self, sharing: Sharing) {
        self.sharing = Some(sharing);
    }

    /// There is something to analyse.
    pub(crate) fn wake(&mut self) -> anyhow::Result<()> {
        let running = match &self.running {
            Some(running) => running,
            None => self.running.insert(self.start()?),
        };
        // If the thread has ended, its error is told at the end.
        let _ = running.wake.send(());
        Ok(())
    }

    fn start(&self) -> anyhow::Result<Running> {
        let (wake, woken) = mpsc::channel();
        let (teller, news) = mpsc::channel();
        let store = Store::open_to_add(&self.directory)?;
        let sandbox = self.sandbox.clone();
        let (allowance, stop) = (Arc::clone(&self.allowance), Arc::clone(&self.stop));
        let mut triage = Triage::new(store, sandbox, &self.base, EFFORT, allowance, stop);
        if let Some(subjects) = &self.subjects {
            triage.know(subjects.clone());
        }
        let (stop, sharing) = (Arc::clone(&self.stop), self.sharing.clone());
        let thread = thread::Builder::new()
            .name("triage".into())
            .stack_size(STACK_BYTES)
            .spawn(move || work(triage, sharing.as_ref(), &woken, &teller, &stop))
            .context("cannot start a thread")?;
        Ok(Running { thread, wake, news })
    }

    /// What was found out since the last time.
    pub(crate) fn news(&self) -> Vec<News> {
        self.running.iter().flat_map(|running| running.news.try_iter()).collect()
    }

    /// The hunt is over. Its findings are analysed to the end, unless that is not wanted;
    /// `tell` hears what is found out, and says whether to go on.
    pub(crate) fn finish(
        mut self,
        to_the_end: bool,
        mut tell: impl FnMut(Option<News>) -> bool,
    ) -> anyhow::Result<()> {
        let Some(Running { thread, wake, news }) = self.running.take() else { return Ok(()) };
        drop(wake);
        // Nothing is hunting any more that would have to have its part.
        self.allowance.lift();
        if !to_the_end {
            self.stop.store(true, Ordering::Relaxed);
        }
        loop {
            let one = match news.recv_timeout(Duration::from_millis(250)) {
                Ok(one) => Some(one),
                Err(mpsc::RecvTimeoutError::Timeout) => None,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            if !tell(one) {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        thread.join().map_err(|_| anyhow!("triage panicked"))?
    }
}

/// Analyses findings until there are no more and the hunt is over.
fn work(
    mut triage: Triage,
    sharing: Option<&Sharing>,
    woken: &mpsc::Receiver<()>,
    teller: &mpsc::Sender<News>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let mut tried = BTreeSet::new();
    let mut more = BTreeMap::<String, usize>::new();
    loop {
        let open = open_findings(triage.store())?;
        let mut open = open.into_iter().filter(|finding| !tried.contains(&finding.name));
        let next = match sharing {
            None => open.next().map(|finding| (finding, None)),
            Some(sharing) => open.find_map(|finding| {
                let claimed = sharing.claim(&finding)?;
                Some((finding, Some(claimed)))
            }),
        };
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Some((finding, _claimed)) = next else {
            // The hunt may be over.
            let limit = if sharing.is_some() { ASK_AGAIN } else { Duration::MAX };
            if woken.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Disconnected) {
                return Ok(());
            }
            continue;
        };
        tried.insert(finding.name.clone());
        let name = &finding.name;
        let mut new_cause = false;
        let line = match triage.look_into(&finding, &mut |_| {})? {
            Done::Analysed(analysis) => {
                let known = triage.store().analyses()?;
                let same = known.values().filter(|other| other.signature == analysis.signature);
                new_cause = same.count() == 1;
                let cause = analysis.signature.line();
                match triage.store().known()?.get(&cause) {
                    Some(known) => format!("{name} is {cause} (known: {known})"),
                    None => format!("{name} is {cause}"),
                }
            }
            Done::OneMore(analysis) => {
                let cause = analysis.signature.line();
                let count = more.entry(cause.clone()).or_default();
                *count += 1;
                if *count > SHOWN_OF_A_CAUSE {
                    continue;
                }
                let last = if *count < SHOWN_OF_A_CAUSE { "" } else { LAST_OF_A_CAUSE };
                format!("{name} is one more of {cause}{last}")
            }
            Done::Impossible(why) => format!("{name} cannot be analysed: {why}"),
            Done::Stopped => return Ok(()),
        };
        // Without a listener the hunt is over anyway.
        let _ = teller.send(News { line, new_cause });
    }
}
