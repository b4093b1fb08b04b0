//! What is known of the files of a corpus, on disk beside the hunt.
//!
//! It saves starting a preprocessor, reading headers, and running programs that are of no use.
//! Nothing is lost with it: what it does not have is found out again, so no failure is an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use super::reading::{FileCause, Reading};
use crate::finding::CORPUS;

/// Another version may find something else, so what it found goes away.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const FORM: &str = "
    CREATE TABLE IF NOT EXISTS readings (
        key TEXT PRIMARY KEY,
        version TEXT NOT NULL,
        file TEXT NOT NULL,
        cause TEXT NOT NULL,
        why TEXT NOT NULL,
        votes INTEGER NOT NULL,
        text TEXT NOT NULL
    );
";

/// Readings by what they depend on.
#[derive(Debug)]
pub(super) struct Cache {
    connection: Option<Mutex<Connection>>,
    path: Option<PathBuf>,
}

/// How many files there are of a cause, and one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CauseCount {
    pub(crate) cause: FileCause,
    pub(crate) files: u64,
    /// The first one.
    pub(crate) example: String,
    /// What there is to say of it.
    pub(crate) why: String,
}

impl Cache {
    /// One that is forgotten at the end.
    pub(super) fn in_memory() -> Self {
        let connection = Connection::open_in_memory().and_then(prepare).ok();
        Self { connection: connection.map(Mutex::new), path: None }
    }

    /// The one of a hunt. Where it cannot be used, nothing is kept.
    pub(super) fn open(directory: &Path) -> Self {
        let path = directory.join(CORPUS);
        let open = || Connection::open(&path).and_then(prepare);
        let connection = open().or_else(|_| {
            // It may be from another version, or damaged.
            let _ = fs::remove_file(&path);
            open()
        });
        match connection {
            Ok(connection) => Self { connection: Some(Mutex::new(connection)), path: Some(path) },
            Err(_) => Self::in_memory(),
        }
    }

    /// How many bytes it takes on disk.
    pub(super) fn bytes(&self) -> u64 {
        let length = |path: &PathBuf| fs::metadata(path).map_or(0, |found| found.len());
        self.path.as_ref().map_or(0, length)
    }

    /// What is known under a key.
    pub(super) fn find(&self, key: &str) -> Option<Reading> {
        let query = "SELECT cause, why, votes, text FROM readings WHERE key = ?1";
        self.ask(|connection| {
            let mut query = connection.prepare_cached(query)?;
            let row = query.query_row([key], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            });
            row.optional()
        })?
        .and_then(|(cause, why, votes, text)| {
            Some(Reading { cause: FileCause::by_name(&cause)?, why, votes, text })
        })
    }

    /// Remembers a reading of a file.
    pub(super) fn keep(&self, key: &str, file: &str, reading: &Reading) {
        let Reading { cause, why, votes, text } = reading;
        self.ask(|connection| {
            connection.execute(
                "INSERT OR REPLACE INTO readings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![key, VERSION, file, cause.row().name, why, votes, text],
            )
        });
    }

    /// The files that were read, by cause, in the order of the table of causes.
    pub(super) fn counts(&self) -> Vec<CauseCount> {
        let query = "SELECT cause, count(DISTINCT file), min(file), why FROM readings \
                     GROUP BY cause";
        let rows = self.ask(|connection| {
            let mut query = connection.prepare(query)?;
            let rows = query.query_map([], |row| {
                let name: String = row.get(0)?;
                let files = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
                Ok((name, files, row.get(2)?, row.get(3)?))
            })?;
            rows.collect::<Result<Vec<(String, u64, String, String)>, _>>()
        });
        let named = |(name, files, example, why): (String, u64, String, String)| {
            Some(CauseCount { cause: FileCause::by_name(&name)?, files, example, why })
        };
        let mut counts: Vec<CauseCount> =
            rows.unwrap_or_default().into_iter().filter_map(named).collect();
        counts.sort_by_key(|count| count.cause);
        counts
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        let connection = self.connection.as_ref()?;
        question(&connection.lock().unwrap_or_else(PoisonError::into_inner)).ok()
    }
}

fn prepare(connection: Connection) -> rusqlite::Result<Connection> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // The last entries may be lost with the power; they are found out again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute_batch(FORM)?;
    connection.execute("DELETE FROM readings WHERE version <> ?1", [VERSION])?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_are_kept_and_counted_and_damage_is_no_error() {
        let directory = std::env::temp_dir().join(format!("farrier-corpus-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("it can be made");
        let reading = |cause| Reading {
            cause,
            why: "so".to_owned(),
            votes: false,
            text: "int x;".to_owned(),
        };
        {
            let cache = Cache::open(&directory);
            assert_eq!(cache.find("a"), None);
            cache.keep("a", "b.c", &reading(FileCause::Undefined));
            cache.keep("b", "a.c", &reading(FileCause::Undefined));
            cache.keep("c", "c.c", &reading(FileCause::Defined));
        }
        let cache = Cache::open(&directory);
        assert_eq!(cache.find("a"), Some(reading(FileCause::Undefined)));
        let counts: Vec<(FileCause, u64, String)> = cache
            .counts()
            .into_iter()
            .map(|count| (count.cause, count.files, count.example))
            .collect();
        let expected = [
            (FileCause::Defined, 1, "c.c".to_owned()),
            (FileCause::Undefined, 2, "a.c".to_owned()),
        ];
        assert_eq!(counts, expected);
        assert!(cache.bytes() > 0);
        drop(cache);
        fs::write(
            directory.join(CORPUS),
            "no database at all, but long enough to be taken for one",
        )
        .expect("it can be written");
        let cache = Cache::open(&directory);
        assert_eq!(cache.find("a"), None);
        cache.keep("a", "b.c", &reading(FileCause::Undefined));
        assert_eq!(cache.find("a"), Some(reading(FileCause::Undefined)));
        fs::remove_dir_all(&directory).expect("it is ours");
    }
}
