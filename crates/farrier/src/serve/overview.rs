//! A hunt in memory, as far as the pages need it, kept up to date by what is new in the store.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use farrier_harness::FindingKind;

use crate::finding::{Brief, BriefAnalysis, Mark, NewRow, Store, Tally};
use crate::report::account::class_of;
use crate::report::chart::{self, Timeline};
use crate::report::text::visible;

/// The width of a slot of time, in seconds.
pub(crate) const SLOT: i64 = 10;
/// Over how many seconds speed is measured.
pub(crate) const WINDOW: i64 = 300;

/// A finding in memory: a hundred thousand of them must be cheap.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: Box<str>,
    pub(crate) kind: FindingKind,
    /// In the list of compilers.
    pub(crate) compiler: u32,
    /// In the list of levels.
    level: u32,
    by_vote: bool,
    doubtful: bool,
    has_versions: bool,
    triaged: bool,
    pub(crate) seen: Box<str>,
    bytes: u64,
    reduced: Option<u64>,
    /// In the list of causes.
    cause: u32,
    /// In the list of bugs.
    bug: u32,
}

impl Entry {
    /// The size that its program was reduced to.
    pub(crate) fn reduced(&self) -> Option<u64> {
        self.reduced
    }
}

/// Findings of one cause.
#[derive(Debug)]
pub(crate) struct Bug {
    /// What it has in addresses.
    pub(crate) id: String,
    /// The signature, or what happens in which compiler.
    pub(crate) cause: String,
    pub(crate) triaged: bool,
    pub(crate) doubtful: bool,
    /// In the order in which they were seen.
    pub(crate) members: Vec<u32>,
    /// The member that says most.
    pub(crate) example: u32,
}

/// What was done in a slot of time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) programs: u64,
    pub(crate) trials: u64,
    pub(crate) compiler_seconds: f64,
    pub(crate) program_seconds: f64,
}

impl Slot {
    fn add(&mut self, more: &Self) {
        self.programs += more.programs;
        self.trials += more.trials;
        self.compiler_seconds += more.compiler_seconds;
        self.program_seconds += more.program_seconds;
    }
}

/// Which programs are counted.
#[derive(Debug, Default)]
struct Counted {
    /// All numbers below this one are.
    settled: u64,
    /// These are, too.
    beyond: BTreeSet<u64>,
}

/// How much is done in a second.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Speed {
    pub(crate) programs: f64,
    pub(crate) trials: f64,
    /// Processor seconds in compilers.
    pub(crate) compilers: f64,
    /// Processor seconds in compiled programs.
    pub(crate) compiled: f64,
}

/// Texts with numbers in their place.
#[derive(Debug, Default)]
struct Names {
    texts: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Names {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// The findings in memory.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) entries: Vec<Entry>,
    by_name: BTreeMap<Box<str>, u32>,
    causes: Names,
    compilers: Names,
    levels: Names,
    /// The bugs, what matters most first.
    pub(crate) bugs: Vec<Bug>,
}

impl Ledger {
    fn add(&mut self, brief: &Brief) {
        let Brief { name, kind, compiler, version, level, by_vote, seen, bytes } = brief;
        let shown = match compiler.contains(version.as_str()) {
            true => compiler.clone(),
            false => format!("{compiler} {version}"),
        };
        let entry = Entry {
            name: name.as_str().into(),
            kind: *kind,
            compiler: self.compilers.number(&shown),
            level: self.levels.number(level),
            by_vote: *by_vote,
            doubtful: false,
            has_versions: false,
            triaged: false,
            seen: seen.as_str().into(),
            bytes: *bytes,
            reduced: None,
            cause: self.causes.number(&format!("{kind} of {compiler}")),
            bug: 0,
        };
        self.by_name.insert(entry.name.clone(), self.entries.len() as u32);
        self.entries.push(entry);
    }

    fn learn(&mut self, analysis: &BriefAnalysis) {
        let cause = self.causes.number(&analysis.signature);
        let Some(index) = self.by_name.get(&*analysis.finding) else { return };
        let entry = &mut self.entries[*index as usize];
        entry.cause = cause;
        entry.triaged = true;
        entry.doubtful = analysis.doubtful;
        entry.has_versions = analysis.has_versions;
    }

    fn note_reduction(&mut self, finding: &str, bytes: u64) {
        if let Some(index) = self.by_name.get(finding) {
            self.entries[*index as usize].reduced = Some(bytes);
        }
    }

    /// Groups findings by cause, with the order of the report.
    fn sort(&mut self) {
        let bugs = self.groups();
        for (index, bug) in (0..).zip(&bugs) {
            for member in &bug.members {
                self.entries[*member as usize].bug = index;
            }
        }
        self.bugs = bugs;
    }

    fn groups(&self) -> Vec<Bug> {
        let mut groups: BTreeMap<(bool, u32), Vec<u32>> = BTreeMap::new();
        for (index, entry) in (0..).zip(&self.entries) {
            groups.entry((entry.triaged, entry.cause)).or_default().push(index);
        }
        let entries = &self.entries;
        let of = |index: u32| &entries[index as usize];
        let mut bugs: Vec<Bug> = Vec::with_capacity(groups.len());
        for ((triaged, cause), mut members) in groups {
            members.sort_by_key(|index| (&of(*index).seen, &of(*index).name));
            let rank = |index: &u32| {
                let entry = of(*index);
                let bytes = entry.reduced.unwrap_or(entry.bytes);
                (!entry.has_versions, entry.doubtful, entry.reduced.is_none(), bytes)
            };
            let example = *members.iter().min_by_key(|index| rank(index)).expect("one is there");
            let cause = self.causes.texts[cause as usize].clone();
            bugs.push(Bug {
                id: bug_id(triaged, &cause),
                cause,
                triaged,
                // Of a program that was triaged, triage says whether it is doubtful.
                doubtful: of(example).doubtful || of(example).by_vote && !of(example).triaged,
                members,
                example,
            });
        }
        bugs.sort_by_key(|bug| {
            let example = of(bug.example);
            let rank = match class_of(example.kind).0 {
                "wrong" => 0,
                "crash" => 1,
                "rejects" => 2,
                _ => 3,
            };
            let unclear = (bug.doubtful, example.reduced.is_none());
            (unclear, rank, Reverse(bug.members.len()), bug.cause.clone())
        });
        bugs
    }
}

/// What the pages show of a hunt.
#[derive(Debug)]
pub(crate) struct Overview {
    pub(crate) store: Store,
    identity: (u64, u64),
    /// The number of the last change that was read.
    changes: Option<i64>,
    findings_mark: Mark,
    analyses_mark: Mark,
    reductions_mark: Mark,
    pub(crate) ledger: Ledger,
    pub(crate) timeline: Option<Timeline>,
    /// What is known of causes, by the user.
    pub(crate) known: BTreeMap<String, String>,
    /// What is done, by the set of compilers.
    counted: BTreeMap<String, Counted>,
    done: Tally,
    /// With the parts of programs that are not done.
    pub(crate) tally: Tally,
    pub(crate) slots: BTreeMap<i64, Slot>,
    pub(crate) troubles: Vec<(String, u64)>,
    pub(crate) asked: Vec<(String, String)>,
    pub(crate) now: i64,
}

impl Overview {
    /// Reads a hunt.
    pub(crate) fn open(directory: &Path) -> anyhow::Result<Self> {
        let store = Store::open_to_read(directory)?;
        let mut overview = Self {
            identity: store.identity()?,
            store,
            changes: None,
            findings_mark: Mark::default(),
            analyses_mark: Mark::default(),
            reductions_mark: Mark::default(),
            ledger: Ledger::default(),
            timeline: None,
            known: BTreeMap::new(),
            counted: BTreeMap::new(),
            done: Tally::default(),
            tally: Tally::default(),
            slots: BTreeMap::new(),
            troubles: Vec::new(),
            asked: Vec::new(),
            now: 0,
        };
        overview.refresh()?;
        Ok(overview)
    }

    /// Reads what is new. Another database in the place of this one is read from its beginning.
    pub(crate) fn refresh(&mut self) -> anyhow::Result<()> {
        if self.store.identity()? != self.identity {
            let directory = self.store.directory().to_owned();
            *self = Self::open(&directory)?;
            return Ok(());
        }
        self.now = self.store.now()?;
        // A wrong file of the user does not stop the page.
        self.known = self.store.known().unwrap_or_default();
        let changes = self.store.changes()?;
        if self.changes == Some(changes) {
            return Ok(());
        }
        if self.read_findings()? {
            self.sort_bugs();
        }
        self.read_programs()?;
        self.troubles = self.store.troubles()?;
        self.asked = self.store.asked_compilers()?;
        // Last, so that what failed is tried again.
        self.changes = Some(changes);
        Ok(())
    }

    /// Whether there was something new.
    fn read_findings(&mut self) -> anyhow::Result<bool> {
        let Self { store, ledger, findings_mark, analyses_mark, reductions_mark, .. } = self;
        let mut news = false;
        let mut anew = false;
        store.new_findings(findings_mark, |told| {
            news = true;
            match told {
                NewRow::Row(brief) => ledger.add(&brief),
                NewRow::Anew => {
                    *ledger = Ledger::default();
                    anew = true;
                }
            }
        })?;
        if anew {
            (*analyses_mark, *reductions_mark) = (Mark::default(), Mark::default());
        }
        // All of these are told again if they are told anew, and stand in the place of others.
        store.new_analyses(analyses_mark, |told| {
            news = true;
            if let NewRow::Row(analysis) = told {
                ledger.learn(&analysis);
            }
        })?;
        store.new_reductions(reductions_mark, |told| {
            news = true;
            if let NewRow::Row((finding, bytes)) = told {
                ledger.note_reduction(&finding, bytes);
            }
        })?;
        Ok(news)
    }

    /// Groups findings by cause, and draws them.
    fn sort_bugs(&mut self) {
        self.ledger.sort();
        self.draw_timeline();
    }

    fn draw_timeline(&mut self) {
        let seen: Vec<&str> = self.ledger.entries.iter().map(|entry| &*entry.seen).collect();
        let firsts: Vec<(&str, String)> = self
            .ledger
            .bugs
            .iter()
            .map(|bug| (&*self.entry(bug.members[0]).seen, visible(&self.title(bug))))
            .collect();
        self.timeline = chart::timeline(&seen, &firsts);
    }

    /// Counts each program that is done once for each set of compilers. Nearly all of them lie below
    /// a number from which on the table is read.
    fn read_programs(&mut self) -> anyhow::Result<()> {
        let Self { store, counted, done, slots, .. } = self;
        for lineup in store.lineups()? {
            let Counted { settled, beyond } = counted.entry(lineup.clone()).or_default();
            store.done_from(&lineup, *settled, |program| {
                if !beyond.insert(program.number) {
                    return;
                }
                if let Some(seen) = program.seen.and_then(chart::seconds) {
                    slots.entry(seen.div_euclid(SLOT) * SLOT).or_default().add(&Slot {
                        programs: 1,
                        trials: program.tally.trials,
                        compiler_seconds: program.tally.compiler_time.as_secs_f64(),
                        program_seconds: program.tally.program_time.as_secs_f64(),
                    });
                }
                *done += program.tally;
            })?;
            while beyond.remove(settled) {
                *settled += 1;
            }
        }
        self.tally = self.done.clone();
        self.tally += self.store.tally_of_parts()?;
        // A number that several have tested is one program.
        let settled = self.counted.values().map(|one| one.settled).max().unwrap_or(0);
        let beyond: BTreeSet<u64> =
            self.counted.values().flat_map(|one| one.beyond.range(settled..)).copied().collect();
        self.tally.programs = settled + beyond.len() as u64;
        Ok(())
    }

    /// A finding by its place.
    pub(crate) fn entry(&self, index: u32) -> &Entry {
        &self.ledger.entries[index as usize]
    }

    /// The bug of an address.
    pub(crate) fn bug(&self, id: &str) -> Option<&Bug> {
        self.ledger.bugs.iter().find(|bug| bug.id == id)
    }

    /// The bug that a finding is of.
    pub(crate) fn bug_of(&self, entry: &Entry) -> &Bug {
        &self.ledger.bugs[entry.bug as usize]
    }

    /// A finding by its whole name.
    pub(crate) fn named(&self, name: &str) -> Option<&Entry> {
        self.ledger.by_name.get(name).map(|index| self.entry(*index))
    }

    /// The compilers that have findings.
    pub(crate) fn compilers(&self) -> impl Iterator<Item = &str> {
        self.ledger.compilers.texts.iter().map(String::as_str)
    }

    /// What a compiler of a finding is called.
    pub(crate) fn compiler(&self, entry: &Entry) -> &str {
        &self.ledger.compilers.texts[entry.compiler as usize]
    }

    /// The cause without its class, which is shown beside it, and what it is called in a tracker.
    pub(crate) fn title(&self, bug: &Bug) -> String {
        let cause = bug.cause.split_once(": ").filter(|_| bug.triaged);
        let title = cause.map_or(bug.cause.as_str(), |(_, cause)| cause);
        match self.known.get(&bug.cause) {
            Some(known) => format!("{title} (known: {known})"),
            None => title.to_owned(),
        }
    }

    /// How many findings there are of each kind.
    pub(crate) fn kinds(&self) -> BTreeMap<FindingKind, u64> {
        let mut kinds = BTreeMap::new();
        for entry in &self.ledger.entries {
            *kinds.entry(entry.kind).or_default() += 1;
        }
        kinds
    }

    /// How many findings there are by compiler and level, and the levels.
    pub(crate) fn levels(&self) -> (Vec<&str>, BTreeMap<&str, BTreeMap<&str, u64>>) {
        let mut counts: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for entry in &self.ledger.entries {
            *counts.entry((entry.compiler, entry.level)).or_default() += 1;
        }
        let mut table: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        let mut levels = BTreeSet::new();
        for ((compiler, level), count) in counts {
            let level = self.ledger.levels.texts[level as usize].as_str();
            levels.insert(level);
            let compiler = self.ledger.compilers.texts[compiler as usize].as_str();
            table.entry(compiler).or_default().insert(level, count);
        }
        (levels.into_iter().collect(), table)
    }

    /// How many findings wait for triage.
    pub(crate) fn not_triaged(&self) -> usize {
        self.ledger.entries.iter().filter(|entry| !entry.triaged).count()
    }

    /// What was done in at most so many parts of the time of the hunt, each with its beginning,
    /// and how many seconds a part has. A part in which nothing was done is there, too.
    pub(crate) fn parts(&self, most: usize) -> (i64, Vec<(i64, Slot)>) {
        let (Some((first, _)), Some((last, _))) =
            (self.slots.first_key_value(), self.slots.last_key_value())
        else {
            return (SLOT, Vec::new());
        };
        let slots = (last - first) / SLOT + 1;
        let width = (slots as u64).div_ceil(most as u64) as i64 * SLOT;
        let count = (last - first) / width + 1;
        let mut parts: Vec<(i64, Slot)> =
            (0..count).map(|index| (first + index * width, Slot::default())).collect();
        for (time, slot) in &self.slots {
            parts[((time - first) / width) as usize].1.add(slot);
        }
        (width, parts)
    }

    /// What was done a second lately, over the last minutes or since the beginning.
    pub(crate) fn speed(&self) -> Speed {
        let from = self.now - WINDOW;
        let mut sum = Slot::default();
        for (_, slot) in self.slots.range(from..) {
            sum.add(slot);
        }
        let first = self.slots.first_key_value().map_or(self.now, |(time, _)| *time);
        let seconds = (self.now - first.max(from)).max(SLOT) as f64;
        Speed {
            programs: sum.programs as f64 / seconds,
            trials: sum.trials as f64 / seconds,
            compilers: sum.compiler_seconds / seconds,
            compiled: sum.program_seconds / seconds,
        }
    }
}

/// What a cause is called in an address.
fn bug_id(triaged: bool, cause: &str) -> String {
    blake3::hash(format!("{triaged} {cause}").as_bytes()).to_hex()[..10].to_owned()
}
