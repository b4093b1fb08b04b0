//! What findings were reduced to.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use farrier_harness::{Expected, Outcome};
use farrier_lang::SourceText;
use rusqlite::{Row, params};
use serde::Serialize;

use super::{Store, Table, from_signed, read_expected, replica, signed};
use crate::finding::Finding;

/// What a finding was reduced to.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Reduction {
    /// The name of the finding.
    pub(crate) finding: String,
    /// The hash of the small program.
    pub(crate) case: String,
    /// What it must do, if that is known.
    pub(crate) expected: Option<Expected>,
    /// What happens instead.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) bytes_before: u64,
    pub(crate) bytes_after: u64,
    /// How often the compiler was asked.
    pub(crate) tests: u64,
    /// How many candidates were not defined and did not get that far.
    pub(crate) undefined: u64,
    pub(crate) seconds: f64,
    /// Whether nothing smaller can be found.
    pub(crate) complete: bool,
    /// What else there is to say, in lines.
    pub(crate) notes: Vec<String>,
}

/// A reduction with the programs that it came to.
#[derive(Clone, Debug)]
pub(crate) struct ReducedCase {
    pub(crate) reduction: Reduction,
    /// The small program, in one file.
    pub(crate) sources: Vec<SourceText>,
    /// Other bugs that were met, each with its program.
    pub(crate) slips: Vec<(Finding, Vec<SourceText>)>,
}

/// The step that makes the table.
pub(super) const MIGRATION: &str = "
    CREATE TABLE reductions (
        finding TEXT PRIMARY KEY,
        program_case TEXT NOT NULL,
        expected_output BLOB NOT NULL,
        expected_status INTEGER,
        steps INTEGER NOT NULL,
        actual TEXT NOT NULL,
        bytes_before INTEGER NOT NULL,
        bytes_after INTEGER NOT NULL,
        tests INTEGER NOT NULL,
        undefined INTEGER NOT NULL,
        seconds REAL NOT NULL,
        complete INTEGER NOT NULL
    );
";

/// The step that adds what else there is to say.
pub(super) const NOTES: &str = "ALTER TABLE reductions ADD COLUMN notes TEXT NOT NULL DEFAULT '';";

impl Reduction {
    /// Adds what an earlier reduction took, from whose result this one went on.
    pub(crate) fn continue_from(&mut self, earlier: &Self) {
        self.bytes_before = earlier.bytes_before;
        self.tests += earlier.tests;
        self.undefined += earlier.undefined;
        self.seconds += earlier.seconds;
        let known = |note: &String| !earlier.notes.contains(note);
        let new = std::mem::take(&mut self.notes).into_iter().filter(known);
        self.notes = earlier.notes.iter().cloned().chain(new).collect();
    }

    pub(super) fn read(row: &Row<'_>) -> anyhow::Result<Self> {
        let number = |name: &str| row.get(name).map(from_signed);
        Ok(Self {
            finding: row.get("finding")?,
            case: row.get("program_case")?,
            expected: read_expected(row)?,
            outcome: row
                .get::<_, Option<String>>("outcome")?
                .map(|text| serde_json::from_str(&text))
                .transpose()?,
            bytes_before: number("bytes_before")?,
            bytes_after: number("bytes_after")?,
            tests: number("tests")?,
            undefined: number("undefined")?,
            seconds: row.get("seconds")?,
            complete: row.get("complete")?,
            notes: row.get::<_, String>("notes")?.lines().map(str::to_owned).collect(),
        })
    }
}

/// Where reductions keep the best so far while they run.
const UNFINISHED: &str = "reducing";

impl Store {
    /// Where the reduction of a finding keeps the best so far.
    pub(crate) fn unfinished_path(&self, finding: &str) -> anyhow::Result<PathBuf> {
        let directory = self.directory.join(UNFINISHED);
        fs::create_dir_all(&directory)
            .with_context(|| format!("cannot make the directory `{}`", directory.display()))?;
        Ok(directory.join(format!("{finding}.c")))
    }

    /// Stores a reduction, in the place of an earlier one, with its program and with the
    /// other bugs that it met. When this returns all is on disk.
    pub(crate) fn add_reduction(&mut self, reduced: &ReducedCase) -> anyhow::Result<()> {
        let ReducedCase { reduction, sources, slips } = reduced;
        for (finding, sources) in slips {
            self.add(finding, sources)?;
        }
        self.keep(&reduction.case, sources)?;
        let expected = reduction.expected.as_ref().map(serde_json::to_string).transpose()?;
        let outcome = reduction.outcome.as_ref().map(serde_json::to_string).transpose()?;
        let write = || -> rusqlite::Result<()> {
            let transaction = self.connection.unchecked_transaction()?;
            transaction.execute(
                "INSERT OR REPLACE INTO reductions (finding, program_case, expected, outcome, \
                 bytes_before, bytes_after, tests, undefined, seconds, complete, notes) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    reduction.finding,
                    reduction.case,
                    expected,
                    outcome,
                    signed(reduction.bytes_before),
                    signed(reduction.bytes_after),
                    signed(reduction.tests),
                    signed(reduction.undefined),
                    reduction.seconds,
                    reduction.complete,
                    reduction.notes.join("\n"),
                ],
            )?;
            if self.lineup.is_some() {
                replica::announce(&transaction, Table::Reductions, &reduction.finding)?;
            }
            transaction.commit()
        };
        write().context("cannot store the reduction")
    }

    /// What the finding of this name, in full, was reduced to; `None` if it was not.
    pub(crate) fn reduction(&self, finding: &str) -> anyhow::Result<Option<Reduction>> {
        let mut query = self.connection.prepare("SELECT * FROM reductions WHERE finding = ?1")?;
        query.query([finding])?.next()?.map(Reduction::read).transpose()
    }
}
