//! The hunt as a whole, for those who look back.

use std::time::Duration;

use rusqlite::params;

use super::{HuntSettings, Store, from_signed, signed};

/// The table of coverage.
pub(super) const COVERAGE: &str = "
    CREATE TABLE coverage (programs INTEGER PRIMARY KEY, value REAL NOT NULL, seen TEXT NOT NULL);
";

/// What a program that is done has cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cost {
    pub(crate) number: u64,
    pub(crate) trials: u64,
    /// Processor time of compilers and compiled programs.
    pub(crate) time: Duration,
}

/// What programs with neighbouring numbers cost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Work {
    /// The first number.
    pub(crate) first: u64,
    /// How many programs these are.
    pub(crate) programs: u64,
    /// Processor time of compilers.
    pub(crate) compilers: Duration,
    /// Processor time of compiled programs.
    pub(crate) compiled: Duration,
}

impl Store {
    /// The version of Farrier that began the hunt, and its settings.
    pub(crate) fn hunt(&self) -> anyhow::Result<(String, HuntSettings)> {
        let version =
            self.connection.query_row("SELECT version FROM hunt", [], |row| row.get(0))?;
        Ok((version, self.settings()?))
    }

    /// What the programs cost, in the order of their numbers, in at most `most` parts.
    pub(crate) fn work(&self, most: u64) -> anyhow::Result<Vec<Work>> {
        let last: Option<i64> =
            self.connection.query_row("SELECT max(number) FROM programs", [], |row| row.get(0))?;
        let Some(last) = last else { return Ok(Vec::new()) };
        let width = (from_signed(last) / most.max(1) + 1).max(1);
        let mut query = self.connection.prepare(
            "SELECT number / ?1, count(DISTINCT number), total(compiler_seconds), total(program_seconds) \
             FROM programs GROUP BY 1 ORDER BY 1",
        )?;
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let rows = query.query_map([i64::try_from(width).unwrap_or(i64::MAX)], |row| {
            Ok(Work {
                first: from_signed(row.get(0)?) * width,
                programs: from_signed(row.get(1)?),
                compilers: time(row.get(2)?),
                compiled: time(row.get(3)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What each program that is done has cost, in the order of their numbers.
    pub(crate) fn costs(&self) -> anyhow::Result<Vec<Cost>> {
        let mut query = self.connection.prepare(
            "SELECT number, trials, compiler_seconds + program_seconds FROM programs \
             ORDER BY number",
        )?;
        let rows = query.query_map([], |row| {
            Ok(Cost {
                number: from_signed(row.get(0)?),
                trials: from_signed(row.get(1)?),
                time: Duration::try_from_secs_f64(row.get(2)?).unwrap_or_default(),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps what was covered in a compiler when so many programs were done.
    pub(crate) fn add_coverage(&self, programs: u64, value: f64) -> anyhow::Result<()> {
        self.connection.execute(
            "INSERT OR REPLACE INTO coverage \
             VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
            params![signed(programs), value],
        )?;
        Ok(())
    }

    /// What was covered, by how many programs were done.
    pub(crate) fn coverage(&self) -> anyhow::Result<Vec<(u64, f64)>> {
        let mut query =
            self.connection.prepare("SELECT programs, value FROM coverage ORDER BY programs")?;
        let rows = query.query_map([], |row| Ok((from_signed(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
