//! What a hunt says while it runs, and at its end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use farrier_harness::{FindingKind, Sandbox, processor_time};
use farrier_machine::Tier;
use serde_json::json;

use super::clock;
use crate::finding::{Finding, Snapshot, Store, Tally};
use crate::hunt::{CauseCount, Corpus, Hunt, HuntEvent, TestedPart};
use crate::terminal::{Line, quote};
use crate::triage::{News, open_findings};

/// How often a line is written where there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(30);

/// How often the line on a terminal changes.
const LIVE_INTERVAL: Duration = Duration::from_millis(250);

/// So many findings of a kind in a compiler are announced in one start.
const ANNOUNCED: u64 = 5;

/// A compiler, or a hunt, of whose first trials none has a result is hopeless.
const FIRST_TRIALS: u64 = 20;

/// What was found before that is not news.
const HOUR: Duration = Duration::from_secs(3600);

/// What has happened since the start.
pub(super) struct Progress {
    line: Line,
    started: Instant,
    sandbox: Sandbox,
    /// Processor time that had gone by at the start, such as for finding the compilers: all,
    /// and that of compilers and compiled programs.
    before: (Duration, Duration),
    /// What was there at the start.
    start: Tally,
    /// What is there now; of programs that are not done, only the trials.
    now: Snapshot,
    last: Option<String>,
    /// Whether findings are not announced, because standard output is for data.
    quiet: bool,
    /// How many findings of a kind in a compiler were announced.
    announced: BTreeMap<(FindingKind, String), u64>,
    /// When findings were made, in the last hour.
    found: VecDeque<Instant>,
    /// When triage found out causes that were not known, in the last hour.
    causes: VecDeque<Instant>,
    /// Trials of this start that are judged.
    judged: u64,
    /// The trials of each compiler, and those without a result.
    subjects: BTreeMap<String, (u64, u64)>,
    /// The compilers that the user was warned of.
    warned: BTreeSet<String>,
}

impl Progress {
    /// Nothing has happened yet.
    pub(super) fn new(store: &Store, sandbox: Sandbox, quiet: bool) -> anyhow::Result<Self> {
        let now = Snapshot::of(store)?;
        Ok(Self {
            line: Line::new(LIVE_INTERVAL, Some(PLAIN_INTERVAL)),
            started: Instant::now(),
            before: (processor_time().unwrap_or_default(), sandbox.spent()),
            sandbox,
            start: now.tally.clone(),
            now,
            last: None,
            quiet,
            announced: BTreeMap::new(),
            found: VecDeque::new(),
            causes: VecDeque::new(),
            judged: 0,
            subjects: BTreeMap::new(),
            warned: BTreeSet::new(),
        })
    }

    /// Takes note of something; a finding is announced at once.
    pub(super) fn note(&mut self, event: HuntEvent) {
        match event {
            HuntEvent::Trial => self.now.tally.trials += 1,
            HuntEvent::Part(TestedPart { subject, tally, troubles, .. }) => {
                self.hold_against(&subject, &tally, &troubles);
                self.judged(tally);
            }
            HuntEvent::Done { tally, .. } => self.judged(tally),
            HuntEvent::Finding { finding, .. } => {
                self.now.add_finding(&finding);
                self.found.push_back(Instant::now());
                let line = line(&finding);
                self.announce(&finding, &line);
                self.last = Some(line);
            }
            HuntEvent::Catalogue { .. } | HuntEvent::Case(_) | HuntEvent::Failed(_) => {}
        }
    }

    /// Tells of a finding. Those of one kind in one compiler are soon only counted.
    fn announce(&mut self, finding: &Finding, line: &str) {
        let (kind, subject) = (finding.kind(), finding.subject.name.clone());
        let of = format!("{kind} in {subject}");
        let count = self.announced.entry((kind, subject)).or_default();
        *count += 1;
        if self.quiet || *count > ANNOUNCED {
            return;
        }
        let is_last = *count == ANNOUNCED;
        self.line.clear();
        // It is in the store in any case.
        let _ = writeln!(io::stdout().lock(), "{line}");
        if is_last {
            self.line.say(&format!("more findings of {of} are counted and not shown"));
        }
    }

    /// The numbers of the whole hunt as data.
    pub(super) fn document(&self, store: &Store) -> anyhow::Result<String> {
        let Snapshot { tally, kinds, subjects } = Snapshot::of(store)?;
        let (programs, trials) = self.done();
        let document = json!({
            "seconds": self.started.elapsed().as_secs_f64(),
            "programs": programs,
            "trials": trials,
            "whole": tally,
            "begun": store.parts()?.len(),
            "kinds": kinds,
            "subjects": subjects,
            "not_triaged": open_findings(store)?.len(),
            "coverage": store.coverage()?.last().map(|(_, value)| value),
        });
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// Counts what is judged. Its trials were counted one by one.
    fn judged(&mut self, tally: Tally) {
        self.judged += tally.trials;
        self.now.tally += Tally { trials: 0, ..tally };
    }

    /// Warns of a compiler of which nothing is learned.
    fn hold_against(&mut self, subject: &str, tally: &Tally, troubles: &[String]) {
        let (trials, mute) = self.subjects.entry(subject.to_owned()).or_default();
        *trials += tally.trials;
        *mute += tally.inconclusive;
        if *mute == *trials && *trials >= FIRST_TRIALS && self.warned.insert(subject.to_owned()) {
            let why = troubles.last().map_or("", String::as_str);
            self.line.say(&format!("nothing is learned from {subject}: {}", one_line(why)));
        }
    }

    /// Whether the first trials of this start say that no trial will have a result, or the first
    /// programs of a generator that none can be used.
    pub(super) fn is_hopeless(&self, hunt: &Hunt) -> bool {
        let (programs, trials) = self.done();
        let unusable = hunt.corpus().is_some_and(Corpus::is_generator)
            && programs >= FIRST_TRIALS
            && trials == 0;
        let mute = self.judged >= FIRST_TRIALS && self.mute() == self.judged;
        (unusable || mute) && self.now.findings() == 0
    }

    /// Trials of this start without a result.
    fn mute(&self) -> u64 {
        let (now, start) = (&self.now.tally, &self.start);
        now.inconclusive + now.infrastructure - start.inconclusive - start.infrastructure
    }

    /// Why nothing was tested in the whole hunt, if nothing was.
    pub(super) fn nothing_tested(
        &self,
        store: &Store,
        hunt: &Hunt,
    ) -> anyhow::Result<Option<String>> {
        let Snapshot { tally, .. } = Snapshot::of(store)?;
        let troubles = store.troubles()?;
        let why = troubles.first().map_or("", |(what, _)| one_line(what));
        if tally.trials > 0 && tally.inconclusive + tally.infrastructure == tally.trials {
            return Ok(Some(format!(
                "nothing was tested: none of {} trials had a result ({why})",
                tally.trials
            )));
        }
        if tally.trials > 0 || tally.programs == 0 {
            return Ok(None);
        }
        if tally.unfit > 0 {
            return Ok(Some(
                "nothing was tested: with these flags the floating arithmetic of all programs may \
                 give other results"
                    .to_owned(),
            ));
        }
        Ok(Some(match hunt.corpus() {
            Some(corpus) => corpus.useless(),
            None => "nothing was tested: no program could be used".to_owned(),
        }))
    }

    /// Says something to the user.
    pub(super) fn say(&mut self, text: &str) {
        self.line.say(text);
    }

    /// Says how far the hunt is, if it is time to.
    pub(super) fn show(&mut self, stopping: bool) {
        if self.line.is_due() {
            let text = self.text(stopping);
            self.line.show(|| text);
        }
    }

    fn text(&mut self, stopping: bool) -> String {
        let time = self.started.elapsed();
        let (programs, trials) = self.done();
        // What is wanted most comes first: a terminal may be narrow.
        let mut line =
            format!("{} | {}, {}", clock(time), self.now.kinds_in_words(), self.last_hour());
        let _ = write!(
            line,
            " | {programs} programs, {} mutants, {trials} trials, {:.1}/s",
            self.now.tally.mutants - self.start.mutants,
            trials as f64 / time.as_secs_f64().max(0.001),
        );
        if let Some(share) = self.share() {
            let _ = write!(line, " | {share:.1} % in compilers");
        }
        let not_tried = self.now.tally.infrastructure - self.start.infrastructure;
        if not_tried > 0 {
            let _ = write!(line, " | {not_tried} not tried");
        }
        if stopping {
            line.push_str(" | finishing the running trials");
        } else if let Some(last) = &self.last {
            let _ = write!(line, " | last: {last}");
        }
        line
    }

    /// Programs of all starts.
    pub(super) fn programs(&self) -> u64 {
        self.now.tally.programs
    }

    /// Programs and trials since the start.
    fn done(&self) -> (u64, u64) {
        let (now, start) = (&self.now.tally, &self.start);
        (now.programs - start.programs, now.trials - start.trials)
    }

    /// The percentage of all processor time that compilers and compiled programs had.
    fn share(&self) -> Option<f64> {
        let (all, tested) = self.before;
        let all = processor_time()?.saturating_sub(all).as_secs_f64();
        let tested = self.sandbox.spent().saturating_sub(tested).as_secs_f64();
        (all > 0.0).then(|| (100.0 * tested / all).min(100.0))
    }

    /// Triage has found something out.
    pub(super) fn learn(&mut self, news: &News) {
        if news.new_cause {
            self.causes.push_back(Instant::now());
        }
        self.line.say(&news.line);
    }

    /// What the last hour brought, in words.
    fn last_hour(&mut self) -> String {
        let now = Instant::now();
        let count = |times: &mut VecDeque<Instant>| {
            while times.front().is_some_and(|time| now.duration_since(*time) > HOUR) {
                times.pop_front();
            }
            times.len()
        };
        let (findings, causes) = (count(&mut self.found), count(&mut self.causes));
        match (findings, causes) {
            (0, 0) => "nothing in the last hour".to_owned(),
            (findings, 0) => format!("{findings} in the last hour"),
            (findings, causes) => {
                format!("{findings} in the last hour, with {causes} new causes")
            }
        }
    }

    /// The live line goes away.
    pub(super) fn end(&mut self) {
        self.line.clear();
    }

    /// What came of it.
    pub(super) fn summary(
        &self,
        store: &Store,
        directory: &Path,
        hunt: &Hunt,
    ) -> anyhow::Result<String> {
        let whole = Snapshot::of(store)?;
        let all = &whole.tally;
        let (programs, trials) = self.done();
        let time = clock(self.started.elapsed());
        let mut text = format!("{programs} programs and {trials} trials in {time}");
        if let Some(share) = self.share() {
            let _ = write!(text, ", {share:.1} % of the processor time in compilers and programs");
        }
        let _ = writeln!(
            text,
            "\nthe whole hunt: {} programs, {} mutants, {} trials, {} with code that had been run before, {} \
             inconclusive, {} not tried",
            all.programs, all.mutants, all.trials, all.reused, all.inconclusive, all.infrastructure
        );
        let begun = store.parts()?.len();
        if begun > 0 {
            let _ = writeln!(
                text,
                "{begun} programs are begun and not done: the same command continues them"
            );
        }
        if all.refused > 0 {
            let _ = writeln!(text, "{} programs could not be made", all.refused);
        }
        if all.skipped > 0 {
            let _ = writeln!(text, "{} programs could not be used and were skipped", all.skipped);
        }
        if all.tiers.iter().any(|count| *count > 0) {
            let counts: Vec<String> = Tier::ALL
                .iter()
                .zip(all.tiers)
                .map(|(tier, count)| format!("{count} {}", tier.name()))
                .collect();
            let _ = writeln!(text, "programs with floating arithmetic: {}", counts.join(", "));
        }
        if all.unfit > 0 {
            let _ = writeln!(
                text,
                "{} trials were left out: with those flags floating arithmetic may give other \
                 results",
                all.unfit
            );
        }
        if let Some(corpus) = hunt.corpus() {
            text += &corpus_table(corpus);
        }
        if let Some((programs, value)) = store.coverage()?.last() {
            let _ = writeln!(text, "coverage after {programs} programs: {value}");
        }
        if all.panicked > 0 {
            let _ = writeln!(
                text,
                "{} programs made Farrier itself fail: please report it with the seed of the hunt",
                all.panicked
            );
        }
        for (what, count) in store.troubles()?.into_iter().take(5) {
            let _ = writeln!(text, "{count} times {}", one_line(&what));
        }
        let _ = writeln!(text, "{}", whole.kinds_in_words());
        if whole.findings() > 0 {
            let _ = writeln!(text, "to see them: farrier findings --dir {}", shown(directory));
        }
        let open = open_findings(store)?.len();
        if open > 0 {
            let _ = writeln!(
                text,
                "{open} of them wait for triage: farrier triage --dir {} does it now, a \
                 continued hunt little by little",
                shown(directory)
            );
        }
        Ok(text)
    }
}

/// What the files of a corpus are, by cause.
fn corpus_table(corpus: &Corpus) -> String {
    let counts = corpus.counts();
    let read: u64 = counts.iter().map(|count| count.files).sum();
    let mut text = match corpus.is_generator() {
        true => format!("the generator: {read} programs\n"),
        false => format!("the corpus: {read} of {} files were read\n", corpus.count()),
    };
    for CauseCount { cause, files, example, why } in &counts {
        let row = cause.row();
        let _ = write!(text, "  {files:>6} {:<16} for {}", row.name, row.serves);
        if !why.is_empty() {
            let _ = write!(text, "; {example}: {}", one_line(why));
        }
        text.push('\n');
    }
    text
}

/// A path as a shell takes it.
fn shown(path: &Path) -> String {
    quote(&path.display().to_string())
}

/// So many flags of a finding are shown; `farrier show` has all.
const MOST_FLAGS: usize = 4;

/// A finding on one line.
fn line(finding: &Finding) -> String {
    let (few, more) = finding.flags.split_at(finding.flags.len().min(MOST_FLAGS));
    let more = match more.len() {
        0 => String::new(),
        number => format!(" and {number} more"),
    };
    format!(
        "{} {} {} {}{more} (program {})",
        finding.name,
        finding.kind(),
        finding.subject.name,
        few.join(" "),
        finding.program
    )
}

fn one_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
