//! What has come into a store since a reader was last there.
//!
//! Findings are added and never changed; analyses and reductions are replaced, and what replaces
//! them gets a new row. So a reader remembers the last row that it has seen.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};
use std::{fs, io};

use anyhow::Context;
use farrier_harness::FindingKind;
use rusqlite::{Row, params};

use super::{DATABASE, LOCK, Store, Tally, from_signed, signed};

/// A finding in as few bytes as a list of many needs.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Brief {
    pub(crate) name: String,
    pub(crate) kind: FindingKind,
    pub(crate) compiler: String,
    pub(crate) version: String,
    /// The level of optimisation, with a sign that there are other flags.
    pub(crate) level: String,
    /// Whether compilers were judged by a vote.
    pub(crate) by_vote: bool,
    pub(crate) seen: String,
    /// The size of its program.
    pub(crate) bytes: u64,
}

/// What triage says, in as few bytes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BriefAnalysis {
    pub(crate) finding: String,
    pub(crate) signature: String,
    pub(crate) doubtful: bool,
    /// Whether other versions were asked.
    pub(crate) has_versions: bool,
}

/// Up to where a reader has read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mark {
    /// The last row.
    row: i64,
    /// How many rows there were. A table whose rows were counted anew begins anew.
    count: i64,
}

/// What a reader is told of a table.
#[derive(Debug)]
pub(crate) enum NewRow<T> {
    /// All that was told before is to be forgotten.
    Anew,
    Row(T),
}

/// A program that is done.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DoneProgram<'a> {
    pub(crate) number: u64,
    pub(crate) tally: Tally,
    /// When. Older hunts do not know.
    pub(crate) seen: Option<&'a str>,
}

impl Store {
    /// A number that changes when another process has written.
    pub(crate) fn changes(&self) -> anyhow::Result<i64> {
        Ok(self.connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
    }

    /// What the database is, so that another one in its place is noticed.
    pub(crate) fn identity(&self) -> anyhow::Result<(u64, u64)> {
        file_identity(&self.directory.join(DATABASE))
    }

    /// The time by the clock that findings are stored with, in seconds since 1970.
    pub(crate) fn now(&self) -> anyhow::Result<i64> {
        let query = "SELECT CAST(strftime('%s', 'now') AS INTEGER)";
        Ok(self.connection.query_row(query, [], |row| row.get(0))?)
    }

    /// When something was last written, in seconds since 1970.
    pub(crate) fn last_written(&self) -> Option<u64> {
        let files = [DATABASE.to_owned(), format!("{DATABASE}-wal")];
        let time = |name: String| {
            // A reader makes the second file, too, and leaves it empty.
            let file =
                fs::metadata(self.directory.join(name)).ok().filter(|file| file.len() > 0)?;
            file.modified().ok()?.duration_since(UNIX_EPOCH).ok()
        };
        files.into_iter().filter_map(time).max().map(|time| time.as_secs())
    }

    /// The process that hunts here, if one does. The lock is looked for in the list of the
    /// kernel: taking it for a moment could keep a hunt from its start.
    pub(crate) fn hunting_process(&self) -> Option<u32> {
        let (_, inode) = file_identity(&self.directory.join(LOCK)).ok()?;
        let locks = fs::read_to_string("/proc/locks").ok()?;
        locks.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let &[_, "FLOCK", _, "WRITE", process, file, ..] = &words[..] else { return None };
            let of_file: u64 = file.rsplit(':').next()?.parse().ok()?;
            (of_file == inode).then(|| process.parse().ok()).flatten()
        })
    }

    /// The findings after those that were read.
    pub(crate) fn new_findings(
        &self,
        mark: &mut Mark,
        mut tell: impl FnMut(NewRow<Brief>),
    ) -> anyhow::Result<()> {
        self.news(
            mark,
            "findings",
            "SELECT t.rowid, name, kind, json_extract(subject, '$.name'), \
             json_extract(subject, '$.version'), flags, basis, seen, coalesce(bytes, 0) \
             FROM findings t LEFT JOIN cases ON hash = program_case \
             WHERE t.rowid > ?1 ORDER BY t.rowid",
            |row| {
                let kind: String = row.get(2)?;
                let flags: Vec<String> = serde_json::from_str(&row.get::<_, String>(5)?)?;
                Ok(Brief {
                    name: row.get(1)?,
                    kind: FindingKind::by_name(&kind)
                        .context("the database has a kind of finding that is unknown")?,
                    compiler: row.get(3)?,
                    version: row.get(4)?,
                    level: level(&flags),
                    by_vote: row.get::<_, String>(6)? == "vote",
                    seen: row.get(7)?,
                    bytes: from_signed(row.get(8)?),
                })
            },
            &mut tell,
        )
    }

    /// The analyses after those that were read.
    pub(crate) fn new_analyses(
        &self,
        mark: &mut Mark,
        mut tell: impl FnMut(NewRow<BriefAnalysis>),
    ) -> anyhow::Result<()> {
        self.news(
            mark,
            "analyses",
            "SELECT rowid, finding, signature, \
             CASE WHEN json_valid(document) \
             THEN json_extract(document, '$.doubt') IS NOT NULL ELSE 0 END, \
             CASE WHEN json_valid(document) \
             THEN coalesce(json_array_length(document, '$.versions'), 0) > 0 ELSE 0 END \
             FROM analyses WHERE rowid > ?1 ORDER BY rowid",
            |row| {
                Ok(BriefAnalysis {
                    finding: row.get(1)?,
                    signature: row.get(2)?,
                    doubtful: row.get(3)?,
                    has_versions: row.get(4)?,
                })
            },
            &mut tell,
        )
    }

    /// The reductions after those that were read: names of findings, and sizes.
    pub(crate) fn new_reductions(
        &self,
        mark: &mut Mark,
        mut tell: impl FnMut(NewRow<(String, u64)>),
    ) -> anyhow::Result<()> {
        self.news(
            mark,
            "reductions",
            "SELECT rowid, finding, bytes_after FROM reductions WHERE rowid > ?1 ORDER BY rowid",
            |row| Ok((row.get(1)?, from_signed(row.get(2)?))),
            &mut tell,
        )
    }

    /// Tells the rows of a table after a mark, and moves the mark. What was told before is to be
    /// forgotten if the first call says so. The first column of the query is the row.
    fn news<T>(
        &self,
        mark: &mut Mark,
        table: &str,
        query: &str,
        read: impl Fn(&Row<'_>) -> anyhow::Result<T>,
        tell: &mut dyn FnMut(NewRow<T>),
    ) -> anyhow::Result<()> {
        // All questions see the same moment.
        let moment = self.connection.unchecked_transaction()?;
        let counts = format!("SELECT count(*), coalesce(sum(rowid > ?1), 0) FROM {table}");
        let (count, new): (i64, i64) =
            moment.query_row(&counts, [mark.row], |row| Ok((row.get(0)?, row.get(1)?)))?;
        // What is replaced is not counted twice, so fewer rows may be added than are new.
        if mark.row > 0 && (count < mark.count || count > mark.count + new) {
            *mark = Mark::default();
            tell(NewRow::Anew);
        }
        let mut query = moment.prepare_cached(query)?;
        let mut rows = query.query([mark.row])?;
        while let Some(row) = rows.next()? {
            tell(NewRow::Row(read(row)?));
            mark.row = row.get(0)?;
        }
        mark.count = count;
        Ok(())
    }

    /// Which sets of compilers have programs that are done, or are announced; all programs of one
    /// machine have the same.
    pub(crate) fn lineups(&self) -> anyhow::Result<BTreeSet<String>> {
        // The machines say which they have; what is done without one has none.
        let mut query = self.connection.prepare_cached(
            "SELECT DISTINCT json_extract(document, '$.lineup') FROM workers \
             WHERE json_valid(document)",
        )?;
        let names = query.query_map([], |row| row.get::<_, Option<String>>(0))?;
        let mut lineups = BTreeSet::from([String::new()]);
        for name in names {
            lineups.extend(name?);
        }
        Ok(lineups)
    }

    /// The programs that are done with a set of compilers, from a number on.
    pub(crate) fn done_from(
        &self,
        lineup: &str,
        number: u64,
        mut tell: impl FnMut(DoneProgram<'_>),
    ) -> anyhow::Result<()> {
        let mut query = self.connection.prepare_cached(
            "SELECT number, refused, panicked, trials, reused, inconclusive, infrastructure, \
             compiler_seconds, program_seconds, skipped, mutants, unfit, free, exact, rounded, \
             seen FROM programs WHERE number >= ?1 AND lineup = ?2 ORDER BY number",
        )?;
        let mut rows = query.query(params![signed(number), lineup])?;
        while let Some(row) = rows.next()? {
            let count = |index: usize| row.get(index).map(from_signed);
            let time = |index: usize| -> rusqlite::Result<Duration> {
                Ok(Duration::try_from_secs_f64(row.get(index)?).unwrap_or_default())
            };
            let tally = Tally {
                programs: 1,
                refused: count(1)?,
                panicked: count(2)?,
                trials: count(3)?,
                reused: count(4)?,
                inconclusive: count(5)?,
                infrastructure: count(6)?,
                compiler_time: time(7)?,
                program_time: time(8)?,
                skipped: count(9)?,
                mutants: count(10)?,
                unfit: count(11)?,
                tiers: [count(12)?, count(13)?, count(14)?],
            };
            let seen = row.get_ref(15)?.as_str_or_null()?;
            tell(DoneProgram { number: count(0)?, tally, seen });
        }
        Ok(())
    }

    /// The compilers that were asked for their flags: name, version and what they call themselves.
    pub(crate) fn asked_compilers(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut query = self.connection.prepare_cached("SELECT subject FROM catalogues")?;
        let keys = query.query_map([], |row| row.get::<_, String>(0))?;
        let mut compilers = Vec::new();
        for key in keys {
            // See `Tested::key`.
            let key = key?;
            let mut words = key.split(' ');
            let (name, version) = (words.next(), words.next());
            let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
            compilers.push((word(name), word(version)));
        }
        compilers.sort();
        compilers.dedup();
        Ok(compilers)
    }
}

/// The level among flags, and whether there are others.
pub(crate) fn level(flags: &[String]) -> String {
    let level = flags.iter().rev().find(|flag| flag.starts_with("-O"));
    let others = flags.iter().filter(|flag| !flag.starts_with("-O")).count();
    match (level, others) {
        (Some(level), 0) => level.clone(),
        (Some(level), _) => format!("{level} and more"),
        (None, 0) => "no flags".to_owned(),
        (None, _) => "other flags".to_owned(),
    }
}

/// The device and the number of a file.
fn file_identity(path: &std::path::Path) -> anyhow::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found: io::Result<fs::Metadata> = fs::metadata(path);
    let file = found.with_context(|| format!("cannot read `{}`", path.display()))?;
    Ok((file.dev(), file.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Claim, HuntSettings};

    /// What is told of analyses: the signatures, after an exclamation mark if told anew.
    fn told(store: &Store, mark: &mut Mark) -> String {
        let mut text = String::new();
        let tell = |told: NewRow<BriefAnalysis>| match told {
            NewRow::Anew => text.push('!'),
            NewRow::Row(analysis) => text.push_str(&analysis.signature),
        };
        store.new_analyses(mark, tell).expect("they can be read");
        text
    }

    #[test]
    fn only_what_is_new_is_told() {
        let directory = std::env::temp_dir().join(format!("farrier-news-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        let claim = Claim::new(&directory).expect("it is free");
        let store = Store::open(claim, &HuntSettings::default()).expect("it can be made");
        let run = |statement: &str| {
            store.connection.execute_batch(statement).expect("it is SQL");
        };
        let mut mark = Mark::default();
        assert_eq!(told(&store, &mut mark), "");
        run(
            "INSERT INTO analyses VALUES ('a', 'A', '{}'), ('b', 'B', '{}'), ('c', 'C', 'no JSON')",
        );
        assert_eq!(told(&store, &mut mark), "ABC");
        assert_eq!(told(&store, &mut mark), "");
        // What is replaced is told again, also if it was the last.
        run("INSERT OR REPLACE INTO analyses VALUES ('c', 'D', '{}')");
        assert_eq!(told(&store, &mut mark), "D");
        run("INSERT OR REPLACE INTO analyses VALUES ('a', 'E', '{}'), ('d', 'F', '{}')");
        assert_eq!(told(&store, &mut mark), "EF");
        // Rows that got other numbers, as by VACUUM, are told anew as soon as one is added or gone.
        run("UPDATE analyses SET rowid = rowid - 1; INSERT INTO analyses VALUES ('e', 'G', '{}')");
        assert_eq!(told(&store, &mut mark), "!BDEFG");
        run("DELETE FROM analyses WHERE finding = 'b'");
        assert_eq!(told(&store, &mut mark), "!DEFG");
        assert_eq!(told(&store, &mut mark), "");
        drop(store);
        fs::remove_dir_all(&directory).expect("it is ours");
    }
}
