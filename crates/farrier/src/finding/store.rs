//! What a hunt has done and found, on disk.
//!
//! A directory holds one SQLite database, the programs that findings are about, each in a
//! directory named by the hash of its content, and a lock.
//! docs/design/hunt.md explains what survives what.

mod analyses;
mod data;
mod history;
mod news;
mod parts;
mod reductions;
mod replica;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use farrier_harness::{Catalogue, Expected, FindingKind, case_name};
use farrier_lang::SourceText;
use farrier_machine::Tier;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

pub(crate) use history::{Cost, Work};
pub(crate) use news::{Brief, BriefAnalysis, Mark, NewRow, level};
pub(crate) use reductions::{ReducedCase, Reduction};
pub(crate) use replica::{Channel, Copied, Membership, Table, Waiting};

use super::{Basis, Finding, Mode, Spending};
use crate::terminal::quote;

/// The number by which our databases are recognised: `Farr`.
const APPLICATION: i32 = 0x4661_7272;

/// A step from one form of the database to the next.
enum Migration {
    /// Statements.
    Statements(&'static str),
    /// What statements cannot say.
    Code(fn(&Connection) -> anyhow::Result<()>),
}

/// The steps; their number is the version of the database.
const MIGRATIONS: &[Migration] = &[
    Migration::Statements(FIRST_FORM),
    Migration::Statements(analyses::MIGRATION),
    Migration::Statements(reductions::MIGRATION),
    Migration::Statements(WITHOUT_CERTIFICATE),
    Migration::Statements(reductions::NOTES),
    Migration::Code(data::migrate),
    Migration::Statements(MUTANTS),
    Migration::Statements(TIERS),
    Migration::Statements(parts::MIGRATION),
    Migration::Statements(TIMES),
    Migration::Statements(history::COVERAGE),
    Migration::Statements(replica::MIGRATION),
];

/// The form of the database, which is also that of the rows that machines send each other.
pub(crate) const FORM: usize = MIGRATIONS.len();

const FIRST_FORM: &str = "
    CREATE TABLE hunt (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        version TEXT NOT NULL,
        settings TEXT NOT NULL
    );
    CREATE TABLE programs (
        number INTEGER PRIMARY KEY,
        refused INTEGER NOT NULL,
        panicked INTEGER NOT NULL,
        trials INTEGER NOT NULL,
        reused INTEGER NOT NULL,
        inconclusive INTEGER NOT NULL,
        infrastructure INTEGER NOT NULL,
        compiler_seconds REAL NOT NULL,
        program_seconds REAL NOT NULL
    );
    CREATE TABLE findings (
        name TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        flags TEXT NOT NULL,
        program INTEGER NOT NULL,
        seed TEXT NOT NULL,
        program_case TEXT NOT NULL,
        expected_output BLOB NOT NULL,
        expected_status INTEGER,
        steps INTEGER NOT NULL,
        actual TEXT NOT NULL,
        seen TEXT NOT NULL
    );
    CREATE TABLE troubles (what TEXT PRIMARY KEY, count INTEGER NOT NULL);
    CREATE TABLE catalogues (subject TEXT PRIMARY KEY, flags TEXT NOT NULL);
    CREATE TABLE cases (hash TEXT PRIMARY KEY, bytes INTEGER NOT NULL);
";

/// For programs from elsewhere, and programs without a certificate.
const WITHOUT_CERTIFICATE: &str = "
    ALTER TABLE programs ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE findings ADD COLUMN basis TEXT NOT NULL DEFAULT 'machine';
";

/// For mutants.
const MUTANTS: &str = "ALTER TABLE programs ADD COLUMN mutants INTEGER NOT NULL DEFAULT 0;";

/// For programs with floating arithmetic.
const TIERS: &str = "
    ALTER TABLE programs ADD COLUMN unfit INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE programs ADD COLUMN free INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE programs ADD COLUMN exact INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE programs ADD COLUMN rounded INTEGER NOT NULL DEFAULT 0;
";

/// When a program was done, so that programs can be held against findings over time.
const TIMES: &str = "ALTER TABLE programs ADD COLUMN seen TEXT;";

const DATABASE: &str = "hunt.db";
/// The database until it is complete.
const NEW_DATABASE: &str = "hunt.db.new";
const LOCK: &str = "lock";
/// What is known of programs from elsewhere.
pub(crate) const CORPUS: &str = "corpus.db";
const CASES: &str = "cases";

/// Different kinds of trouble are counted up to this number; the rest go together.
const MOST_TROUBLES: i64 = 200;

/// A hunt on disk.
#[derive(Debug)]
pub(crate) struct Store {
    directory: PathBuf,
    connection: Connection,
    /// Held until the end by the one that hunts.
    _lock: Option<File>,
    /// Which compilers this machine has in a hunt of several machines; `None` if it is alone.
    lineup: Option<String>,
}

/// The decisions that make a hunt what it is. They stay as they are when it continues.
///
/// What a hunt of an older version did not store is as it was then, or as it is by default now.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HuntSettings {
    pub(crate) seed: u64,
    /// The preset of all programs; by lot where there is none.
    pub(crate) preset: Option<String>,
    /// The size of all programs; by lot where there is none.
    pub(crate) size: Option<usize>,
    pub(crate) mode: Mode,
    /// The version of C that compilers read our programs as; their own where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) standard: Option<String>,
    /// How many operations programs execute at most; as in the preset where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<u64>,
    /// What becomes of guards; as in the preset where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) discharge: Option<String>,
    /// What the time is spent on.
    #[serde(default)]
    pub(crate) spending: Spending,
    /// How often features are drawn in all programs, where it is not as usual.
    #[serde(default)]
    pub(crate) features: BTreeMap<String, u32>,
    /// Parameters that all programs have.
    #[serde(default)]
    pub(crate) parameters: BTreeMap<String, u32>,
    pub(crate) subject: Vec<String>,
    pub(crate) subjects: Option<PathBuf>,
    /// Whether older versions of compilers are hunted in, too.
    #[serde(default = "yes")]
    pub(crate) all_versions: bool,
    /// Where programs from elsewhere are, and by what one sees that they are still the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) corpus: Option<(PathBuf, String)>,
    /// The command that writes programs; it has a place for the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) generator: Option<String>,
    /// Directories of headers for programs from elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) headers: Vec<PathBuf>,
}

impl HuntSettings {
    /// Whether all programs are files of a corpus, each of which has one turn.
    pub(crate) fn has_only_corpus(&self) -> bool {
        self.corpus.is_some() && self.spending.has_only_corpus()
    }

    /// Whether all programs are from elsewhere.
    pub(crate) fn is_all_foreign(&self) -> bool {
        self.has_only_corpus() || self.generator.is_some() && self.spending.has_only_generator()
    }
}

fn yes() -> bool {
    true
}

impl Finding {
    fn read(row: &Row<'_>) -> anyhow::Result<Self> {
        let text = |name: &str| row.get::<_, String>(name);
        let basis = text("basis")?;
        let basis = Basis::ALL.into_iter().find(|known| known.name() == basis);
        Ok(Self {
            basis: basis.context("the database has a judge that is unknown")?,
            name: text("name")?,
            kind: FindingKind::by_name(&text("kind")?)
                .context("the database has a kind of finding that is unknown")?,
            subject: serde_json::from_str(&text("subject")?)?,
            flags: serde_json::from_str(&text("flags")?)?,
            program: from_signed(row.get("program")?),
            seed: text("seed")?.parse()?,
            case: text("program_case")?,
            recipe: serde_json::from_str(&text("recipe")?)?,
            expected: read_expected(row)?,
            outcome: serde_json::from_str(&text("outcome")?)?,
            seen: text("seen")?,
        })
    }
}

/// What became of a program, apart from its findings.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Programs, in a sum of several.
    pub(crate) programs: u64,
    /// The generator gave up, for one of the targets.
    pub(crate) refused: u64,
    /// There is a bug in Farrier.
    pub(crate) panicked: u64,
    /// Programs from elsewhere that have no meaning, for one of the targets.
    pub(crate) skipped: u64,
    /// Mutants of programs.
    pub(crate) mutants: u64,
    pub(crate) trials: u64,
    /// Trials that did not take place, because the flags that were asked for may change what the
    /// floating arithmetic of the program gives.
    pub(crate) unfit: u64,
    /// Certified programs with floating arithmetic, by tier.
    pub(crate) tiers: [u64; Tier::ALL.len()],
    /// Trials whose object code had been run before.
    pub(crate) reused: u64,
    pub(crate) inconclusive: u64,
    pub(crate) infrastructure: u64,
    /// Processor time of compilers.
    pub(crate) compiler_time: Duration,
    /// Processor time of compiled programs.
    pub(crate) program_time: Duration,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.programs += more.programs;
        self.refused += more.refused;
        self.panicked += more.panicked;
        self.skipped += more.skipped;
        self.mutants += more.mutants;
        self.trials += more.trials;
        self.unfit += more.unfit;
        for (sum, more) in self.tiers.iter_mut().zip(more.tiers) {
            *sum += more;
        }
        self.reused += more.reused;
        self.inconclusive += more.inconclusive;
        self.infrastructure += more.infrastructure;
        self.compiler_time += more.compiler_time;
        self.program_time += more.program_time;
    }
}

/// A directory in which nobody else hunts.
#[derive(Debug)]
pub(crate) struct Claim {
    directory: PathBuf,
    lock: File,
    /// What was in it.
    earlier: Earlier,
}

/// What is in a directory before a hunt.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Earlier {
    /// No hunt.
    Nothing,
    /// A hunt with these settings that has tested nothing, so that it may begin anew.
    Begun(Box<HuntSettings>),
    /// A hunt with these settings.
    Hunt(Box<HuntSettings>),
}

impl Claim {
    /// Takes a directory. One that is not ours, or is in use, is an error and is left as it is.
    pub(crate) fn new(directory: &Path) -> anyhow::Result<Self> {
        examine(directory)?;
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the directory `{}`", directory.display()))?;
        let lock = take_lock(directory)?;
        // Another process may have been here until we had the lock.
        let earlier = match examine(directory)? {
            State::Free => Earlier::Nothing,
            State::Ours => {
                let path = directory.join(DATABASE);
                let failed = || format!("cannot use the database `{}`", path.display());
                let mut connection = Connection::open(&path).with_context(failed)?;
                connection.busy_timeout(Duration::from_secs(10)).with_context(failed)?;
                migrate(&mut connection).with_context(failed)?;
                let store = Store {
                    directory: directory.to_owned(),
                    connection,
                    _lock: None,
                    lineup: None,
                };
                let settings = Box::new(store.settings().with_context(failed)?);
                match store.is_untouched().with_context(failed)? {
                    true => Earlier::Begun(settings),
                    false => Earlier::Hunt(settings),
                }
            }
        };
        Ok(Self { directory: directory.to_owned(), lock, earlier })
    }

    /// What was in it.
    pub(crate) fn earlier(&self) -> &Earlier {
        &self.earlier
    }

    /// Gives a directory back in which there is no hunt, as it was, because of an error.
    pub(crate) fn give_back<T>(self, error: anyhow::Error) -> anyhow::Result<T> {
        if self.earlier == Earlier::Nothing {
            // What cannot be removed does no harm: it is an empty hunt.
            let _ = fs::remove_file(self.directory.join(LOCK));
            let _ = fs::remove_dir(&self.directory);
        }
        Err(error)
    }
}

impl Store {
    /// Opens the hunt of a directory with these settings, and begins it if there is none.
    pub(crate) fn open(claim: Claim, settings: &HuntSettings) -> anyhow::Result<Self> {
        let Claim { directory, lock, earlier } = claim;
        let path = directory.join(DATABASE);
        let failed = || format!("cannot use the database `{}`", path.display());
        if earlier == Earlier::Nothing {
            create(&directory, settings)
                .with_context(|| format!("cannot begin a hunt in `{}`", directory.display()))?;
        }
        let connection = Connection::open(&path).with_context(failed)?;
        connection.busy_timeout(Duration::from_secs(10)).with_context(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").with_context(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").with_context(failed)?;
        let lineup = replica::lineup(&connection).with_context(failed)?;
        let store = Self { directory, connection, _lock: Some(lock), lineup };
        if matches!(&earlier, Earlier::Begun(begun) if **begun != *settings) {
            let text = serde_json::to_string(settings)?;
            let change = "UPDATE hunt SET version = ?1, settings = ?2";
            let version = env!("CARGO_PKG_VERSION");
            let forget = "DELETE FROM programs; DELETE FROM troubles;";
            let _ = fs::remove_file(store.directory.join(CORPUS));
            let connection = &store.connection;
            connection.execute_batch(forget).with_context(failed)?;
            connection.execute(change, [version, &text]).with_context(failed)?;
        }
        store.remove_unfinished_cases()?;
        Ok(store)
    }

    /// Whether nothing was tested.
    fn is_untouched(&self) -> anyhow::Result<bool> {
        let query = "SELECT NOT EXISTS (SELECT 1 FROM programs \
                                        WHERE trials > inconclusive + infrastructure) \
                     AND NOT EXISTS (SELECT 1 FROM parts) \
                     AND NOT EXISTS (SELECT 1 FROM findings)";
        Ok(self.connection.query_row(query, [], |row| row.get(0))?)
    }

    /// Opens a hunt to add what is known of its findings, also while it runs.
    pub(crate) fn open_to_add(directory: &Path) -> anyhow::Result<Self> {
        let path = directory.join(DATABASE);
        drop(Self::open_to_read(directory)?);
        let failed = || format!("cannot use the database `{}`", path.display());
        let connection = Connection::open(&path).with_context(failed)?;
        connection.busy_timeout(Duration::from_secs(10)).with_context(failed)?;
        connection.pragma_update(None, "synchronous", "FULL").with_context(failed)?;
        let lineup = replica::lineup(&connection).with_context(failed)?;
        Ok(Self { directory: directory.to_owned(), connection, _lock: None, lineup })
    }

    /// Opens a hunt to look at it, also while it runs.
    pub(crate) fn open_to_read(directory: &Path) -> anyhow::Result<Self> {
        if examine(directory)? == State::Free {
            bail!(
                "there is no hunt in `{}`: begin one with `farrier hunt --dir {}`",
                directory.display(),
                quote(&directory.display().to_string())
            );
        }
        let path = directory.join(DATABASE);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let failed = || format!("cannot read the database `{}`", path.display());
        let connection = Connection::open_with_flags(&path, flags).with_context(failed)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        let form: usize = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .with_context(failed)?;
        if form < MIGRATIONS.len() {
            // An older version that hunts here at this moment would not know the new form.
            let _lock = take_lock(directory)?;
            migrate(&mut Connection::open(&path).with_context(failed)?).with_context(failed)?;
        }
        Ok(Self { directory: directory.to_owned(), connection, _lock: None, lineup: None })
    }

    /// Where the hunt is.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The decisions with which the hunt began.
    pub(crate) fn settings(&self) -> anyhow::Result<HuntSettings> {
        let text: String =
            self.connection.query_row("SELECT settings FROM hunt", [], |row| row.get(0))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// The numbers of the programs that are done.
    pub(crate) fn done(&self) -> anyhow::Result<BTreeSet<u64>> {
        let mut query = self.connection.prepare("SELECT number FROM programs")?;
        let numbers = query.query_map([], |row| Ok(from_signed(row.get(0)?)))?;
        Ok(numbers.collect::<Result<_, _>>()?)
    }

    /// Notes that a program is done, with all of its parts: all at once or not at all.
    pub(crate) fn finish(
        &mut self,
        number: u64,
        tally: &Tally,
        troubles: &[String],
    ) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        let (tally, troubles) = &parts::take(&transaction, number, tally.clone(), troubles)?;
        let lineup = self.lineup.as_deref();
        // Others are told of them, and count them too.
        let told = lineup.filter(|_| !troubles.is_empty());
        let told = told.map(|_| serde_json::to_string(troubles)).transpose()?;
        let new = transaction.execute(
            "INSERT OR IGNORE INTO programs (number, refused, panicked, trials, reused, \
             inconclusive, infrastructure, compiler_seconds, program_seconds, skipped, mutants, \
             unfit, free, exact, rounded, lineup, troubles, seen) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, \
             strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
            params![
                signed(number),
                signed(tally.refused),
                signed(tally.panicked),
                signed(tally.trials),
                signed(tally.reused),
                signed(tally.inconclusive),
                signed(tally.infrastructure),
                tally.compiler_time.as_secs_f64(),
                tally.program_time.as_secs_f64(),
                signed(tally.skipped),
                signed(tally.mutants),
                signed(tally.unfit),
                signed(tally.tiers[0]),
                signed(tally.tiers[1]),
                signed(tally.tiers[2]),
                lineup.unwrap_or_default(),
                told,
            ],
        )?;
        if new > 0 {
            count_troubles(&transaction, troubles)?;
        }
        if let Some(lineup) = lineup {
            let key = replica::program_key(number, lineup);
            replica::announce(&transaction, Table::Programs, &key)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Stores a finding and its program; false if it was there already.
    ///
    /// When this returns both are on disk.
    pub(crate) fn add(
        &mut self,
        finding: &Finding,
        sources: &[SourceText],
    ) -> anyhow::Result<bool> {
        self.keep(&finding.case, sources)?;
        let transaction = self.connection.unchecked_transaction()?;
        let count = transaction.execute(
            "INSERT OR IGNORE INTO findings (name, kind, subject, flags, program, seed, \
             program_case, basis, recipe, expected, outcome, seen) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, \
             strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
            params![
                finding.name,
                finding.kind.name(),
                serde_json::to_string(&finding.subject)?,
                serde_json::to_string(&finding.flags)?,
                signed(finding.program),
                finding.seed.to_string(),
                finding.case,
                finding.basis.name(),
                serde_json::to_string(&finding.recipe)?,
                finding.expected.as_ref().map(serde_json::to_string).transpose()?,
                serde_json::to_string(&finding.outcome)?,
            ],
        )?;
        if count > 0 && self.lineup.is_some() {
            replica::announce(&transaction, Table::Findings, &finding.name)?;
        }
        transaction.commit()?;
        Ok(count > 0)
    }

    /// Stores a program under its hash.
    pub(crate) fn keep(&mut self, hash: &str, sources: &[SourceText]) -> anyhow::Result<()> {
        let path = self.case_path(hash);
        if !path.exists() {
            let failed = || format!("cannot write the program to `{}`", path.display());
            write_case(&path, sources).with_context(failed)?;
        }
        let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
        self.connection.execute(
            "INSERT OR IGNORE INTO cases VALUES (?1, ?2)",
            params![hash, i64::try_from(bytes).unwrap_or(i64::MAX)],
        )?;
        Ok(())
    }

    /// The directory of a program.
    pub(crate) fn case_path(&self, hash: &str) -> PathBuf {
        self.directory.join(CASES).join(hash)
    }

    /// The files of a program, which must be what they were.
    pub(crate) fn case(&self, hash: &str) -> anyhow::Result<Vec<SourceText>> {
        let path = self.case_path(hash);
        let mut sources = Vec::new();
        for entry in
            fs::read_dir(&path).with_context(|| format!("cannot read `{}`", path.display()))?
        {
            let file = entry?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".c") || farrier_harness::is_dressed(&name) {
                let text = fs::read_to_string(&file)
                    .with_context(|| format!("cannot read `{}`", file.display()))?;
                sources.push(SourceText::new(name, text));
            }
        }
        sources.sort_by(|a, b| a.name.cmp(&b.name));
        if case_name(&sources) != hash {
            bail!("`{}` has changed since it was stored", path.display());
        }
        Ok(sources)
    }

    /// How long a program that is kept is, in bytes.
    pub(crate) fn case_bytes(&self, hash: &str) -> anyhow::Result<u64> {
        let query = "SELECT bytes FROM cases WHERE hash = ?1";
        let bytes = self.connection.query_row(query, [hash], |row| row.get(0)).optional()?;
        Ok(bytes.map_or(0, from_signed))
    }

    /// How many bytes the hunt takes on disk, about.
    pub(crate) fn bytes(&self) -> anyhow::Result<u64> {
        let cases: i64 =
            self.connection
                .query_row("SELECT coalesce(sum(bytes), 0) FROM cases", [], |row| row.get(0))?;
        let database = fs::metadata(self.directory.join(DATABASE)).map_or(0, |file| file.len());
        Ok(from_signed(cases) + database)
    }

    /// All findings, in the order of their programs.
    pub(crate) fn findings(&self) -> anyhow::Result<Vec<Finding>> {
        let mut query = self.connection.prepare("SELECT * FROM findings ORDER BY program, name")?;
        let mut rows = query.query([])?;
        let mut findings = Vec::new();
        while let Some(row) = rows.next()? {
            findings.push(Finding::read(row)?);
        }
        Ok(findings)
    }

    /// The finding whose name begins with `name`.
    pub(crate) fn finding(&self, name: &str) -> anyhow::Result<Finding> {
        // All texts that begin so lie between this one and the next that does not.
        let mut query = self
            .connection
            .prepare_cached("SELECT * FROM findings WHERE name BETWEEN ?1 AND ?2 ORDER BY name")?;
        let mut rows = query.query([name, &format!("{name}\u{10ffff}")])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()?.filter(|_| !name.is_empty()) {
            let finding = Finding::read(row)?;
            // A whole name is meant, even if it is the beginning of another one.
            if finding.name == name {
                return Ok(finding);
            }
            found.push(finding);
        }
        match found.len() {
            0 => bail!(
                "there is no finding `{name}` in `{}`: `farrier findings` lists them",
                self.directory.display()
            ),
            1 => Ok(found.remove(0)),
            number => bail!("{number} findings begin with `{name}`: give more of the name"),
        }
    }

    /// What kept trials from a result, and how often.
    pub(crate) fn troubles(&self) -> anyhow::Result<Vec<(String, u64)>> {
        let mut query = self
            .connection
            .prepare("SELECT what, count FROM troubles ORDER BY count DESC, what")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, from_signed(row.get(1)?))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The sum over all programs that are done, and over the parts of others.
    pub(crate) fn tally(&self) -> anyhow::Result<Tally> {
        let mut sum = self.done_tally()?;
        sum += self.tally_of_parts()?;
        Ok(sum)
    }

    fn done_tally(&self) -> anyhow::Result<Tally> {
        let sums = "SELECT count(DISTINCT number), total(refused), total(panicked), total(trials), \
                    total(reused), total(inconclusive), total(infrastructure), \
                    total(compiler_seconds), total(program_seconds), total(skipped), \
                    total(mutants), total(unfit), total(free), total(exact), total(rounded) \
                    FROM programs";
        Ok(self.connection.query_row(sums, [], |row| {
            // Sums of numbers that are far from the limits of a float.
            let number = |index: usize| row.get::<_, f64>(index).map(|sum| sum as u64);
            let time = |index: usize| row.get(index).map(Duration::from_secs_f64);
            Ok(Tally {
                programs: from_signed(row.get(0)?),
                refused: number(1)?,
                panicked: number(2)?,
                trials: number(3)?,
                reused: number(4)?,
                inconclusive: number(5)?,
                infrastructure: number(6)?,
                compiler_time: time(7)?,
                program_time: time(8)?,
                skipped: number(9)?,
                mutants: number(10)?,
                unfit: number(11)?,
                tiers: [number(12)?, number(13)?, number(14)?],
            })
        })?)
    }

    /// The flags of a subject, if it was asked before.
    pub(crate) fn catalogue(&self, subject: &str) -> anyhow::Result<Option<Catalogue>> {
        let query = "SELECT flags FROM catalogues WHERE subject = ?1";
        let text: Option<String> =
            self.connection.query_row(query, [subject], |row| row.get(0)).optional()?;
        Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    /// Remembers the flags of a subject.
    pub(crate) fn set_catalogue(&self, subject: &str, flags: &Catalogue) -> anyhow::Result<()> {
        let text = serde_json::to_string(flags)?;
        let transaction = self.connection.unchecked_transaction()?;
        transaction
            .execute("INSERT OR REPLACE INTO catalogues VALUES (?1, ?2)", [subject, &text])?;
        if self.lineup.is_some() {
            replica::announce(&transaction, Table::Catalogues, subject)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Removes what was being written when a hunt was killed.
    fn remove_unfinished_cases(&self) -> anyhow::Result<()> {
        let Ok(entries) = fs::read_dir(self.directory.join(CASES)) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(".new-") {
                fs::remove_dir_all(entry.path())
                    .with_context(|| format!("cannot remove `{}`", entry.path().display()))?;
            }
        }
        Ok(())
    }
}

/// Counts what kept trials from a result.
fn count_troubles(connection: &Connection, troubles: &[String]) -> anyhow::Result<()> {
    for what in troubles {
        let known: i64 =
            connection.query_row("SELECT count(*) FROM troubles", [], |row| row.get(0))?;
        let listed = connection
            .query_row("SELECT 1 FROM troubles WHERE what = ?1", [what], |_| Ok(()))
            .optional()?
            .is_some();
        let what = if listed || known < MOST_TROUBLES { what } else { "others" };
        connection.execute(
            "INSERT INTO troubles VALUES (?1, 1) \
             ON CONFLICT (what) DO UPDATE SET count = count + 1",
            [what],
        )?;
    }
    Ok(())
}

/// What a program should have done, if that is known.
fn read_expected(row: &Row<'_>) -> anyhow::Result<Option<Expected>> {
    let text: Option<String> = row.get("expected")?;
    Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
}

/// SQLite has no unsigned numbers; those we count do not get that far.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn from_signed(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// What a directory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Not there, or empty.
    Free,
    /// A hunt.
    Ours,
}

/// Looks at a directory without touching anything. The header of a database says whose it
/// is and which version it has.
fn examine(directory: &Path) -> anyhow::Result<State> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Free),
        Err(error) => {
            let what = format!("cannot use `{}` as directory of a hunt", directory.display());
            return Err(anyhow::Error::new(error).context(what));
        }
    };
    let path = directory.join(DATABASE);
    let mut header = [0; 100];
    match File::open(&path) {
        Ok(mut file) => {
            if file.read_exact(&mut header).is_err() || !header.starts_with(b"SQLite format 3\0") {
                bail!("`{}` is not a database of Farrier: choose another --dir", path.display());
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            for entry in entries {
                let name = entry?.file_name();
                let name = name.to_string_lossy();
                if name != LOCK && !name.starts_with(NEW_DATABASE) {
                    bail!(
                        "`{}` has other contents, such as `{name}`, and no hunt: choose another \
                         --dir",
                        directory.display()
                    );
                }
            }
            return Ok(State::Free);
        }
        Err(error) => {
            let what = format!("cannot read `{}`", path.display());
            return Err(anyhow::Error::new(error).context(what));
        }
    }
    let number = |at: usize| {
        i32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes are four bytes"))
    };
    // Where SQLite has `user_version` and `application_id`.
    let (version, application) = (number(60), number(68));
    if application != APPLICATION {
        bail!("`{}` is not a database of Farrier: choose another --dir", path.display());
    }
    if usize::try_from(version).is_ok_and(|version| version > MIGRATIONS.len()) {
        bail!(
            "`{}` was made by a newer version of Farrier (form {version}, this one knows {}): \
             use that version, or another --dir",
            path.display(),
            MIGRATIONS.len()
        );
    }
    Ok(State::Ours)
}

fn take_lock(directory: &Path) -> anyhow::Result<File> {
    let path = directory.join(LOCK);
    let lock = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(&path)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => bail!(
            "another hunt is running in `{}`: wait for its end, or choose another --dir",
            directory.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(anyhow::Error::new(error).context(format!("cannot lock `{}`", path.display())))
        }
    }
}

/// Makes a database under another name, so that it is there complete or not at all.
fn create(directory: &Path, settings: &HuntSettings) -> anyhow::Result<()> {
    let path = directory.join(NEW_DATABASE);
    for rest in [path.clone(), directory.join(format!("{NEW_DATABASE}-journal"))] {
        match fs::remove_file(&rest) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    let mut connection = Connection::open(&path)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    migrate(&mut connection)?;
    connection.execute(
        "INSERT INTO hunt VALUES (1, ?1, ?2)",
        [env!("CARGO_PKG_VERSION"), &serde_json::to_string(settings)?],
    )?;
    connection.close().map_err(|(_, error)| error)?;
    fs::rename(&path, directory.join(DATABASE))?;
    File::open(directory)?.sync_all()?;
    Ok(())
}

/// Brings a database to the newest form.
fn migrate(connection: &mut Connection) -> anyhow::Result<()> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (step, number) in MIGRATIONS.iter().zip(1_u32..).skip(version as usize) {
        let transaction = connection.transaction()?;
        match step {
            Migration::Statements(statements) => transaction.execute_batch(statements)?,
            Migration::Code(migrate) => migrate(&transaction)?,
        }
        transaction.pragma_update(None, "user_version", number)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Writes a program into a directory that is there complete or not at all.
fn write_case(path: &Path, sources: &[SourceText]) -> io::Result<()> {
    let parent = path.parent().expect("it is in the directory of cases");
    fs::create_dir_all(parent)?;
    let name = path.file_name().expect("it is named by its hash").to_string_lossy();
    let new = parent.join(format!(".new-{name}"));
    fs::create_dir_all(&new)?;
    for source in sources {
        let mut file = File::create(new.join(&*source.name))?;
        file.write_all(source.text.as_bytes())?;
        file.sync_all()?;
    }
    File::open(&new)?.sync_all()?;
    fs::rename(&new, path)?;
    File::open(parent)?.sync_all()
}
