//! The pages: what is in memory and in the store, as the templates show it.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use askama::Template;
use farrier_harness::triage::Tried;
use farrier_harness::{commands, compiled};
use serde::Serialize;

use super::bundles::FILE;
use super::listing::ListPage;
use super::overview::{Bug, Entry, Overview, Slot};
use super::reply::{HTML, Reply};
use crate::finding::{Finding, Reduction};
use crate::join::{self, WorkerReport};
use crate::report::account::{Account, account, class_of, grouped};
use crate::report::chart::{self, Column, Costs, HEIGHT, LEFT, Timeline, WIDTH};
use crate::report::page::{Figure, Kind, Matrix, group_troubles, kinds, shown_settings, versions};
use crate::report::text::{command_lines, quote_all, visible};
use crate::terminal::quote;

/// How many bugs the first page lists.
const MOST_BUGS: usize = 20;
/// How many of the newest findings it lists.
const MOST_LATEST: usize = 8;
/// How many rows a page of a list has.
const MOST_ROWS: usize = 100;
/// How many bars a chart has.
const MOST_BARS: usize = 90;
/// How many kinds of trouble are listed.
const MOST_TROUBLES: usize = 20;
/// A machine that has written nothing for so long is not shown as working, in seconds.
const SILENCE: i64 = 120;

/// A file that pages load. Its address has the hash of its content, so it never changes.
struct Asset {
    name: String,
    kind: &'static str,
    text: &'static str,
}

impl Asset {
    fn new(name: &str, end: &str, kind: &'static str, text: &'static str) -> Self {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        Self { name: format!("{name}-{}.{end}", &hash[..10]), kind, text }
    }
}

const STYLE_TEXT: &str = concat!(
    include_str!("../../templates/page/style.css"),
    include_str!("../../templates/serve/live.css")
);

static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("style", "css", "text/css; charset=utf-8", STYLE_TEXT));
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../templates/serve/live.js");
    Asset::new("live", "js", "text/javascript; charset=utf-8", text)
});
static ICON: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("icon", "svg", "image/svg+xml", include_str!("../../templates/serve/icon.svg"))
});

/// A file that pages load, by its name.
pub(crate) fn asset(name: &str) -> Reply {
    let all = [&STYLE, &SCRIPT, &ICON];
    match all.into_iter().find(|asset| asset.name == name) {
        Some(asset) => Reply {
            status: 200,
            kind: asset.kind,
            body: Cow::Borrowed(asset.text.as_bytes()),
            file: None,
            lasting: true,
        },
        None => Reply::refused(404, "there is no such file"),
    }
}

/// What every page has.
struct Frame {
    version: &'static str,
    style: &'static str,
    script: &'static str,
    icon: &'static str,
    /// The directory of the hunt, as a shell takes it.
    directory: String,
    /// Whether something is being done.
    running: bool,
    findings: usize,
}

impl Frame {
    fn new(overview: &Overview) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            style: &STYLE.name,
            script: &SCRIPT.name,
            icon: &ICON.name,
            directory: visible(&quote(&overview.store.directory().display().to_string())),
            running: Machine::all(overview).iter().any(|machine| machine.running),
            findings: overview.ledger.entries.len(),
        }
    }
}

/// One that hunts.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) name: String,
    /// Whether a hunt runs there.
    pub(crate) running: bool,
    /// Whether it has written nothing for long.
    silent: bool,
    process: Option<u32>,
    workers: Option<usize>,
    programs_per_second: f64,
    trials_per_second: f64,
    /// Processor seconds of compilers in a second.
    compilers_busy: f64,
    /// The last sign of life, in seconds since 1970.
    pub(crate) last: Option<u64>,
}

impl Machine {
    /// All that work on a hunt: for one in a directory, this machine.
    pub(crate) fn all(overview: &Overview) -> Vec<Self> {
        // What cannot be read now is shown the next time.
        let members = join::workers(&overview.store).unwrap_or_default();
        if !members.is_empty() {
            return members
                .iter()
                .map(|(report, seen)| Self::of(report, *seen, overview.now))
                .collect();
        }
        let process = overview.store.hunting_process();
        let last = overview.store.last_written();
        let speed = overview.speed();
        let silence = last.map_or(i64::MAX, |last| overview.now - last as i64);
        vec![Self {
            name: host_name(),
            running: process.is_some(),
            silent: silence > SILENCE,
            process,
            workers: process.and_then(workers_of),
            programs_per_second: speed.programs,
            trials_per_second: speed.trials,
            compilers_busy: speed.compilers,
            last,
        }]
    }

    /// A member of a hunt of several machines, with the speed that it tells.
    fn of(report: &WorkerReport, seen: u64, now: i64) -> Self {
        let present = |speed: f64| if report.left { 0.0 } else { speed };
        Self {
            name: visible(&format!("{} {}", report.host, report.id)),
            running: !report.left,
            silent: now - seen as i64 > SILENCE,
            process: None,
            workers: Some(report.jobs),
            programs_per_second: present(report.programs_per_second),
            trials_per_second: present(report.trials_per_second),
            compilers_busy: present(report.processors),
            last: Some(seen),
        }
    }

    fn doing(&self) -> String {
        let workers = match self.workers {
            Some(1) => "1 worker".to_owned(),
            Some(count) if count > 0 => format!("{count} workers"),
            _ => "hunting".to_owned(),
        };
        match (self.running, self.silent, self.process) {
            (false, ..) => "not hunting".to_owned(),
            (true, true, _) => format!("{workers}, silent"),
            (true, false, Some(process)) => format!("{workers}, process {process}"),
            (true, false, None) => workers,
        }
    }
}

fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "this machine".to_owned(),
        name => visible(name),
    }
}

/// How many workers a process has: threads with this name.
fn workers_of(process: u32) -> Option<usize> {
    let tasks = fs::read_dir(Path::new("/proc").join(process.to_string()).join("task")).ok()?;
    let is_worker = |path: std::path::PathBuf| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "worker")
    };
    Some(tasks.flatten().filter(|task| is_worker(task.path())).count())
}

/// A time, for people and for the script that says how long ago it was.
struct Moment {
    machine: String,
    words: String,
}

impl Moment {
    fn new(text: &str) -> Self {
        let machine = chart::seconds(text).map(|_| text.to_owned()).unwrap_or_default();
        Self { machine, words: visible(&chart::words(text)) }
    }
}

struct MachineRow {
    name: String,
    doing: String,
    running: bool,
    programs: String,
    trials: String,
    compilers: String,
    last: Option<Moment>,
}

/// A bug in a list.
struct BugRow {
    id: String,
    class: &'static str,
    class_name: &'static str,
    title: String,
    count: usize,
    doubtful: bool,
    triaged: bool,
    compilers: String,
    reduced: Option<String>,
    first: Moment,
    last: Moment,
}

/// A finding in a list.
struct FindingRow {
    name: String,
    class: &'static str,
    class_name: &'static str,
    kind: &'static str,
    title: String,
    bug: String,
    compiler: String,
    flags: String,
    program: u64,
    seen: Moment,
}

#[derive(Template)]
#[template(path = "serve/home.html")]
struct Home {
    frame: Frame,
    figures: Vec<Figure>,
    machines: Vec<MachineRow>,
    latest: Vec<FindingRow>,
    kinds: Vec<Kind>,
    bugs: Vec<BugRow>,
    bug_count: usize,
    timeline: Option<Timeline>,
    programs: Option<Costs>,
    trials: Option<Costs>,
    processors: Option<Costs>,
    levels: Matrix,
    matrix: Option<Matrix>,
    asked: Vec<String>,
    troubles: Vec<(String, u64)>,
    more_troubles: usize,
    inconclusive: String,
    failed: String,
    settings: Vec<(&'static str, String)>,
    began_with: String,
    chart_width: f64,
    chart_height: f64,
    chart_left: f64,
}

#[derive(Template)]
#[template(path = "serve/bugs.html")]
struct Bugs {
    frame: Frame,
    part: ListPage<BugRow>,
}

#[derive(Template)]
#[template(path = "serve/findings.html")]
struct Findings {
    frame: Frame,
    part: ListPage<FindingRow>,
}

#[derive(Template)]
#[template(path = "serve/bug.html")]
struct BugPage {
    frame: Frame,
    bug: BugRow,
    account: Account,
    matrix: Option<Matrix>,
    part: ListPage<FindingRow>,
}

#[derive(Template)]
#[template(path = "serve/finding.html")]
struct FindingPage {
    frame: Frame,
    finding: FindingRow,
    account: Account,
    matrix: Option<Matrix>,
    commands: Vec<String>,
    bundle: String,
    count: usize,
    machine: bool,
    seed: u64,
    notes: Vec<String>,
}

#[derive(Template)]
#[template(path = "serve/missing.html")]
struct Missing {
    style: &'static str,
    icon: &'static str,
    why: &'static str,
}

/// What is answered where there is nothing.
pub(crate) fn missing(why: &'static str) -> anyhow::Result<Reply> {
    let page = Missing { style: &STYLE.name, icon: &ICON.name, why };
    Ok(Reply { status: 404, ..Reply::found(HTML, page.render()?) })
}

/// The first page.
pub(crate) fn home(overview: &Overview, machines: &[Machine]) -> anyhow::Result<String> {
    let (began_with, settings) = overview.store.hunt()?;
    let tally = &overview.tally;
    let mut troubles = group_troubles(overview.troubles.clone());
    let more_troubles = troubles.len().saturating_sub(MOST_TROUBLES);
    troubles.truncate(MOST_TROUBLES);
    troubles.iter_mut().for_each(|(what, _)| *what = visible(what));
    let latest = overview.ledger.entries.iter().rev().take(MOST_LATEST);
    let page = Home {
        frame: Frame::new(overview),
        figures: figures(overview),
        machines: machines.iter().map(machine_row).collect(),
        latest: latest.map(|entry| finding_row(overview, entry)).collect::<Result<_, _>>()?,
        kinds: kinds(&overview.kinds()),
        bugs: bug_rows(overview, 0..overview.ledger.bugs.len().min(MOST_BUGS)),
        bug_count: overview.ledger.bugs.len(),
        timeline: overview.timeline.clone(),
        programs: speeds(overview, |slot| slot.programs, "programs"),
        trials: speeds(overview, |slot| slot.trials, "trials"),
        processors: processors(overview),
        levels: levels(overview),
        matrix: versions_of(
            overview,
            &overview.ledger.bugs[..overview.ledger.bugs.len().min(MOST_BUGS)],
        )?,
        asked: asked(overview),
        troubles,
        more_troubles,
        inconclusive: grouped(tally.inconclusive),
        failed: grouped(tally.infrastructure),
        settings: shown_settings(&settings),
        began_with: visible(&began_with),
        chart_width: WIDTH,
        chart_height: HEIGHT,
        chart_left: LEFT,
    };
    Ok(page.render()?)
}

/// The numbers at the head of the page.
fn figures(overview: &Overview) -> Vec<Figure> {
    let (tally, speed) = (&overview.tally, overview.speed());
    let figure = |name, value, note| Figure { name, value, note };
    let doubtful = overview.ledger.bugs.iter().filter(|bug| bug.doubtful).count();
    let bugs = match doubtful {
        0 => "by signature".to_owned(),
        number => format!("by signature, {number} doubtful"),
    };
    let findings = match overview.not_triaged() {
        0 => "all triaged".to_owned(),
        number => format!("{} not triaged yet", grouped(number as u64)),
    };
    let whole = (tally.compiler_time + tally.program_time).as_secs_f64();
    let share = match whole {
        0.0 => "none yet".to_owned(),
        whole => format!("{:.0} % in compilers", tally.compiler_time.as_secs_f64() / whole * 100.0),
    };
    vec![
        figure("bugs", grouped(overview.ledger.bugs.len() as u64), bugs),
        figure("findings", grouped(overview.ledger.entries.len() as u64), findings),
        figure("programs", grouped(tally.programs), format!("{} a second", rate(speed.programs))),
        figure("trials", grouped(tally.trials), format!("{} a second", rate(speed.trials))),
        figure("processor time", chart::duration(tally.compiler_time + tally.program_time), share),
    ]
}

/// A speed with about two digits.
fn rate(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if value < 1.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

fn machine_row(machine: &Machine) -> MachineRow {
    MachineRow {
        name: machine.name.clone(),
        doing: machine.doing(),
        running: machine.running && !machine.silent,
        programs: rate(machine.programs_per_second),
        trials: rate(machine.trials_per_second),
        compilers: rate(machine.compilers_busy),
        last: machine.last.map(|last| Moment::new(&chart::time(last as i64))),
    }
}

fn bug_rows(overview: &Overview, range: std::ops::Range<usize>) -> Vec<BugRow> {
    overview.ledger.bugs[range].iter().map(|bug| bug_row(overview, bug)).collect()
}

fn bug_row(overview: &Overview, bug: &Bug) -> BugRow {
    let entry = |index: u32| overview.entry(index);
    let (class, class_name) = class_of(entry(bug.example).kind);
    let mut compilers: Vec<&str> =
        bug.members.iter().map(|index| overview.compiler(entry(*index))).collect();
    compilers.sort_unstable();
    compilers.dedup();
    let compilers = match compilers[..] {
        [] => String::new(),
        [only] => visible(only),
        [first, ..] => visible(&format!("{first} and {} more", compilers.len() - 1)),
    };
    BugRow {
        id: bug.id.clone(),
        class,
        class_name,
        title: visible(&overview.title(bug)),
        count: bug.members.len(),
        doubtful: bug.doubtful,
        triaged: bug.triaged,
        compilers,
        reduced: entry(bug.example).reduced().map(|bytes| format!("{} bytes", grouped(bytes))),
        first: Moment::new(&entry(bug.members[0]).seen),
        last: Moment::new(&entry(bug.members[bug.members.len() - 1]).seen),
    }
}

fn finding_row(overview: &Overview, entry: &Entry) -> anyhow::Result<FindingRow> {
    let finding = overview.store.finding(&entry.name)?;
    Ok(row_of(overview, entry, &finding))
}

fn row_of(overview: &Overview, entry: &Entry, finding: &Finding) -> FindingRow {
    let (class, class_name) = class_of(entry.kind);
    let bug = overview.bug_of(entry);
    FindingRow {
        name: visible(&entry.name),
        class,
        class_name,
        kind: entry.kind.name(),
        title: visible(&overview.title(bug)),
        bug: bug.id.clone(),
        compiler: visible(overview.compiler(entry)),
        flags: visible(&quote_all(&finding.flags)),
        program: finding.program,
        seen: Moment::new(&entry.seen),
    }
}

/// The beginning and the end of what charts show.
fn ends(parts: &[(i64, Slot)], width: i64) -> Option<(String, String)> {
    let words = |time| chart::words(&chart::time(time));
    Some((words(parts.first()?.0), words(parts.last()?.0 + width)))
}

/// How much was done in a second, over time.
fn speeds(overview: &Overview, count: impl Fn(&Slot) -> u64, what: &str) -> Option<Costs> {
    let (width, parts) = overview.parts(MOST_BARS);
    let columns: Vec<Column> = parts
        .iter()
        .map(|(time, slot)| Column {
            lower: count(slot) as f64 / width as f64,
            upper: 0.0,
            words: format!(
                "{}: {} {what} in {width} seconds",
                chart::words(&chart::time(*time)),
                count(slot)
            ),
        })
        .collect();
    Some(chart::bars(&columns, ends(&parts, width)?, rate))
}

/// How many processors were busy with what.
fn processors(overview: &Overview) -> Option<Costs> {
    let (width, parts) = overview.parts(MOST_BARS);
    let columns: Vec<Column> = parts
        .iter()
        .map(|(time, slot)| Column {
            lower: slot.compiler_seconds / width as f64,
            upper: slot.program_seconds / width as f64,
            words: format!(
                "{}: compilers {}, compiled programs {} in {width} seconds",
                chart::words(&chart::time(*time)),
                duration(slot.compiler_seconds),
                duration(slot.program_seconds)
            ),
        })
        .collect();
    Some(chart::bars(&columns, ends(&parts, width)?, rate))
}

fn duration(seconds: f64) -> String {
    chart::duration(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// Findings by compiler and level.
fn levels(overview: &Overview) -> Matrix {
    let (columns, table) = overview.levels();
    let rows = table.into_iter().map(|(compiler, counts)| {
        let row: Vec<u64> =
            columns.iter().map(|level| counts.get(level).copied().unwrap_or(0)).collect();
        (visible(compiler), row)
    });
    Matrix::of_counts(columns.iter().map(|level| visible(level)).collect(), rows.collect())
}

/// Which of these bugs is in which version, by the finding that stands for each.
fn versions_of(overview: &Overview, bugs: &[Bug]) -> anyhow::Result<Option<Matrix>> {
    let mut rows = Vec::new();
    for bug in bugs.iter().filter(|bug| bug.triaged) {
        let analysis = overview.store.analysis(&overview.entry(bug.example).name)?;
        let tried = analysis.map_or_else(Vec::new, |analysis| analysis.versions);
        if !tried.is_empty() {
            rows.push((visible(&overview.title(bug)), format!("/bug/{}", bug.id), tried));
        }
    }
    Ok(versions(&rows))
}

/// Compilers that were tested, but have no findings.
fn asked(overview: &Overview) -> Vec<String> {
    let mut found: Vec<&str> = overview.compilers().collect();
    found.sort_unstable_by_key(|name| Reverse(name.len()));
    let is_found = |name: &str| found.iter().any(|one| one.split(' ').next() == Some(name));
    let list = overview.asked.iter().filter(|(name, _)| !is_found(name));
    list.map(|(name, version)| match name.contains(version.as_str()) {
        true => visible(name),
        false => visible(&format!("{name} {version}")),
    })
    .collect()
}

/// All bugs.
pub(crate) fn bugs(overview: &Overview, page: usize) -> anyhow::Result<String> {
    let part = ListPage::of(overview.ledger.bugs.len(), page, MOST_ROWS, |range| {
        bug_rows(overview, range)
    });
    Ok(Bugs { frame: Frame::new(overview), part }.render()?)
}

/// All findings, the newest first.
pub(crate) fn findings(overview: &Overview, page: usize) -> anyhow::Result<String> {
    let count = overview.ledger.entries.len();
    let part = ListPage::of(count, page, MOST_ROWS, |range| range.collect());
    let row = |index: &usize| finding_row(overview, &overview.ledger.entries[count - 1 - index]);
    Ok(Findings { frame: Frame::new(overview), part: part.try_map(row)? }.render()?)
}

/// A bug with its findings, the newest first.
pub(crate) fn bug(overview: &Overview, bug: &Bug, page: usize) -> anyhow::Result<String> {
    let count = bug.members.len();
    let part = ListPage::of(count, page, MOST_ROWS, |range| range.collect());
    let row = |index: &usize| finding_row(overview, overview.entry(bug.members[count - 1 - index]));
    let account = told(overview, overview.entry(bug.example))?.account;
    let (frame, part) = (Frame::new(overview), part.try_map(row)?);
    let matrix = versions_of(overview, std::slice::from_ref(bug))?;
    Ok(BugPage { frame, bug: bug_row(overview, bug), account, matrix, part }.render()?)
}

/// A finding with what is known of it.
struct Told {
    finding: Finding,
    account: Account,
    reduction: Option<Reduction>,
    /// Other versions.
    tried: Vec<Tried>,
}

fn told(overview: &Overview, entry: &Entry) -> anyhow::Result<Told> {
    let store = &overview.store;
    let finding = store.finding(&entry.name)?;
    let (analysis, reduction) = (store.analysis(&entry.name)?, store.reduction(&entry.name)?);
    let seen = chart::words(&entry.seen);
    let account = account(store, &finding, analysis.as_ref(), reduction.as_ref(), &seen);
    let tried = analysis.map_or_else(Vec::new, |analysis| analysis.versions);
    Ok(Told { finding, account, reduction, tried })
}

/// Everything about a finding.
pub(crate) fn finding(overview: &Overview, entry: &Entry) -> anyhow::Result<String> {
    let Told { finding, account, reduction, tried } = told(overview, entry)?;
    let case = reduction.as_ref().map_or(&finding.case, |reduction| &reduction.case);
    // That the program cannot be read is said in its place.
    let sources = overview.store.case(case).unwrap_or_default();
    let lines = commands(&finding.subject, &finding.flags, &compiled(&sources));
    let commands = if sources.is_empty() { Vec::new() } else { command_lines(&lines) };
    let page = FindingPage {
        frame: Frame::new(overview),
        finding: row_of(overview, entry, &finding),
        account,
        matrix: versions(&[(visible(&entry.name), String::from("#finding-title"), tried)]),
        commands: commands.iter().map(|line| visible(line)).collect(),
        bundle: format!("/finding/{}/{FILE}", entry.name),
        count: overview.bug_of(entry).members.len(),
        machine: finding.basis == crate::finding::Basis::Machine,
        seed: finding.seed,
        notes: reduction
            .map_or_else(Vec::new, |one| one.notes.iter().map(|note| visible(note)).collect()),
    };
    Ok(page.render()?)
}
