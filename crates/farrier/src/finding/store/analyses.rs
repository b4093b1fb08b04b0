//! What triage has found out, on disk: one document for each finding.

use std::collections::BTreeMap;
use std::{fs, io};

use anyhow::Context;
use rusqlite::{OptionalExtension, params};

use super::{Store, Table, replica};
use crate::finding::Analysis;

/// The table; the signature has a column of its own because findings are grouped by it.
pub(super) const MIGRATION: &str = "
    CREATE TABLE analyses (
        finding TEXT PRIMARY KEY,
        signature TEXT NOT NULL,
        document TEXT NOT NULL
    );
    CREATE INDEX analyses_by_signature ON analyses (signature);
";

impl Store {
    /// Stores what is known about a finding, in the place of what was known before.
    pub(crate) fn set_analysis(&self, analysis: &Analysis) -> anyhow::Result<()> {
        let document = serde_json::to_string(analysis)?;
        let write = || -> rusqlite::Result<()> {
            let transaction = self.connection.unchecked_transaction()?;
            transaction.execute(
                "INSERT OR REPLACE INTO analyses VALUES (?1, ?2, ?3)",
                params![analysis.finding, analysis.signature.line(), document],
            )?;
            if self.lineup.is_some() {
                replica::announce(&transaction, Table::Analyses, &analysis.finding)?;
            }
            transaction.commit()
        };
        write().with_context(|| format!("cannot store the analysis of {}", analysis.finding))
    }

    /// What is known about a finding, by its whole name. What another version of Farrier has
    /// written in a form that this one cannot read counts as not there.
    pub(crate) fn analysis(&self, finding: &str) -> anyhow::Result<Option<Analysis>> {
        // An older hunt that is only looked at does not get the table.
        if !self.connection.table_exists(None, "analyses")? {
            return Ok(None);
        }
        let query = "SELECT document FROM analyses WHERE finding = ?1";
        let text: Option<String> =
            self.connection.query_row(query, [finding], |row| row.get(0)).optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// What is known about each finding, by the name of the finding.
    pub(crate) fn analyses(&self) -> anyhow::Result<BTreeMap<String, Analysis>> {
        if !self.connection.table_exists(None, "analyses")? {
            return Ok(BTreeMap::new());
        }
        let mut query =
            self.connection.prepare("SELECT document FROM analyses ORDER BY finding")?;
        let texts = query.query_map([], |row| row.get::<_, String>(0))?;
        let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
        let analyses = texts.iter().filter_map(|text| serde_json::from_str(text).ok());
        Ok(analyses.map(|analysis: Analysis| (analysis.finding.clone(), analysis)).collect())
    }
}

/// Causes that are known, beside the database: a table from signatures to names in trackers.
const KNOWN: &str = "known.toml";

impl Store {
    /// The causes that the user knows, with what they are called in a tracker.
    pub(crate) fn known(&self) -> anyhow::Result<BTreeMap<String, String>> {
        let path = self.directory.join(KNOWN);
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text)
                .with_context(|| format!("`{}` is not a table of texts", path.display())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use farrier_harness::triage::{
        Answer, Area, Class, Crash, Culprit, Opinion, Says, Signature, Tried,
    };
    use farrier_harness::{FindingKind, Outcome};

    use super::*;
    use crate::finding::{Claim, Divergence, HuntSettings};

    fn analysis() -> Analysis {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let tried = |answer| Tried {
            subject: "gcc-12".to_owned(),
            version: "12.2.0".to_owned(),
            flags: words(&["-O2"]),
            answer,
        };
        let opinion = |says| Opinion { by: "clang".to_owned(), flags: words(&["-O0"]), says };
        Analysis {
            finding: "0123456789".to_owned(),
            made_by: "0.1.0".to_owned(),
            case: "abc".to_owned(),
            reduced: true,
            signature: Signature { class: Class::WrongCode, text: "gcc vrp".to_owned() },
            first_signature: Signature { class: Class::WrongCode, text: "gcc x".to_owned() },
            shape: Some("77".to_owned()),
            flags: words(&["-O2", "-fno-x"]),
            outcome: Outcome::Ran { status: 1, output: vec![0xff, 10] },
            versions: vec![
                tried(Answer::Fails { kind: FindingKind::WrongExit }),
                tried(Answer::Works),
                tried(Answer::CannotTell { why: "it hangs".to_owned() }),
            ],
            culprit: Culprit::GccCounter { name: "vrp".to_owned(), number: 3 },
            area: Area::MiddleEnd,
            opinions: vec![
                opinion(Says::Agrees),
                opinion(Says::Complains { text: "runtime error".to_owned() }),
                opinion(Says::Differs { actual: "3".to_owned() }),
            ],
            doubt: Some("clang complains".to_owned()),
            crash: Some(Crash {
                summary: "in f, at g.cc:3".to_owned(),
                frames: words(&["f", "main"]),
                text: "\u{1b}[1m \0 ü".to_owned(),
            }),
            compiler: "gcc version 12.2.0".to_owned(),
            divergence: Some(Divergence::At {
                function: "f".to_owned(),
                line: 3,
                statement: "x = 1;".to_owned(),
                variable: "x".to_owned(),
                expected: "1".to_owned(),
                actual: "2".to_owned(),
                what: "the variable".to_owned(),
                time: 1,
                before: None,
                vanishing: Vec::new(),
            }),
            gaps: words(&["no memory sanitizer"]),
            seconds: 1.5,
        }
    }

    fn store(name: &str) -> (PathBuf, Store) {
        let directory =
            std::env::temp_dir().join(format!("farrier-analyses-{name}-{}", std::process::id()));
        let claim = Claim::new(&directory).expect("it is free");
        let store = Store::open(claim, &HuntSettings::default()).expect("a new hunt");
        (directory, store)
    }

    #[test]
    fn what_is_stored_is_what_is_read() {
        let (directory, store) = store("round-trip");
        let mut analysis = analysis();
        assert_eq!(store.analysis(&analysis.finding).expect("it can be read"), None);
        store.set_analysis(&analysis).expect("it can be stored");
        assert_eq!(store.analysis("0123456789").expect("it can be read"), Some(analysis.clone()));
        analysis.divergence = Some(Divergence::Vanishes);
        store.set_analysis(&analysis).expect("it can be stored again");
        assert_eq!(store.analysis("0123456789").expect("it can be read"), Some(analysis));
        assert_eq!(store.analyses().expect("they can be read").len(), 1);
        let signature: String = store
            .connection
            .query_row("SELECT signature FROM analyses", [], |row| row.get(0))
            .expect("one row");
        assert_eq!(signature, "wrong-code: gcc vrp");
        drop(store);
        std::fs::remove_dir_all(directory).expect("it is ours");
    }

    #[test]
    fn what_cannot_be_read_is_not_there() {
        let (directory, store) = store("unreadable");
        store
            .connection
            .execute("INSERT INTO analyses VALUES ('a', 'b', '{\"of\": \"the future\"}')", [])
            .expect("it is a table");
        assert_eq!(store.analysis("a").expect("no error"), None);
        drop(store);
        std::fs::remove_dir_all(directory).expect("it is ours");
    }
}
