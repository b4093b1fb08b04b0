//! What findings were reduced to.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use farrier_lang::SourceText;
use farrier_machine::{Behavior, Ending};
use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use super::{Store, from_signed, signed};
use crate::finding::{Finding, case_hash};

/// A finding with a small program.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    /// The name of the finding.
    pub(crate) finding: String,
    /// The program, in one file.
    pub(crate) sources: Vec<SourceText>,
    /// What it must do; where that was not asked, what the original must do.
    pub(crate) expected: Behavior,
    /// What happens instead, for people.
    pub(crate) actual: String,
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
    /// Other bugs that were met, each with its program.
    pub(crate) slips: Vec<(Finding, Vec<SourceText>)>,
}

impl Reduction {
    /// The hash of the program, by which it is stored.
    pub(crate) fn case(&self) -> String {
        case_hash(&self.sources)
    }
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

/// What is stored of a [`Reduction`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct StoredReduction {
    /// The name of the finding.
    pub(crate) finding: String,
    /// The hash of the small program.
    pub(crate) case: String,
    #[serde(serialize_with = "crate::finding::lossy")]
    pub(crate) expected_output: Vec<u8>,
    /// `None` for a program that is to abort.
    pub(crate) expected_status: Option<i32>,
    /// How many operations the machine executed.
    pub(crate) steps: u64,
    /// What happens instead, for people.
    pub(crate) actual: String,
    pub(crate) bytes_before: u64,
    pub(crate) bytes_after: u64,
    /// How often the compiler was asked.
    pub(crate) tests: u64,
    /// How many candidates were not defined and did not get that far.
    pub(crate) undefined: u64,
    pub(crate) seconds: f64,
    /// Whether nothing smaller can be found.
    pub(crate) complete: bool,
    /// What else there is to say.
    pub(crate) notes: Vec<String>,
}

impl StoredReduction {
    /// What the small program must do.
    pub(crate) fn expected(&self) -> Behavior {
        Behavior {
            output: self.expected_output.clone(),
            ending: self.expected_status.map_or(Ending::Abort, Ending::Exit),
            volatile_accesses: 0,
            volatile_hash: 0,
            steps: self.steps,
        }
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let number = |name: &str| row.get(name).map(from_signed);
        Ok(Self {
            finding: row.get("finding")?,
            case: row.get("program_case")?,
            expected_output: row.get("expected_output")?,
            expected_status: row.get("expected_status")?,
            steps: number("steps")?,
            actual: row.get("actual")?,
            bytes_before: number("bytes_before")?,
            bytes_after: number("bytes_after")?,
            tests: number("tests")?,
            undefined: number("undefined")?,
            seconds: row.get("seconds")?,
            complete: row.get("complete")?,
            // One that is only read may have been made before there were notes.
            notes: match row.get::<_, String>("notes") {
                Ok(notes) => notes.lines().map(str::to_owned).collect(),
                Err(_) => Vec::new(),
            },
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
    pub(crate) fn add_reduction(&mut self, reduction: &Reduction) -> anyhow::Result<()> {
        for (finding, sources) in &reduction.slips {
            self.add(finding, sources)?;
        }
        let case = reduction.case();
        self.keep(&case, &reduction.sources)?;
        let status = match reduction.expected.ending {
            Ending::Exit(status) => Some(status),
            Ending::Abort => None,
        };
        self.connection
            .execute(
                "INSERT OR REPLACE INTO reductions \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    reduction.finding,
                    case,
                    reduction.expected.output,
                    status,
                    signed(reduction.expected.steps),
                    reduction.actual,
                    signed(reduction.bytes_before),
                    signed(reduction.bytes_after),
                    signed(reduction.tests),
                    signed(reduction.undefined),
                    reduction.seconds,
                    reduction.complete,
                    reduction.notes.join("\n"),
                ],
            )
            .context("cannot store the reduction")?;
        Ok(())
    }

    /// What the finding of this name, in full, was reduced to; `None` if it was not.
    pub(crate) fn reduction(&self, finding: &str) -> anyhow::Result<Option<StoredReduction>> {
        // One that is only read may have been made before there were reductions.
        let exists = "SELECT 1 FROM sqlite_master WHERE name = 'reductions'";
        if self.connection.query_row(exists, [], |_| Ok(())).optional()?.is_none() {
            return Ok(None);
        }
        let query = "SELECT * FROM reductions WHERE finding = ?1";
        Ok(self.connection.query_row(query, [finding], StoredReduction::read).optional()?)
    }
}
