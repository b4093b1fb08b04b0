//! From words to data: the step to the form in which what happened, what was expected and how a
//! program was made are data.
//!
//! Before it, outcomes were sentences for people. They are read back here, once.

use std::collections::BTreeMap;

use anyhow::Context;
use farrier_harness::{Configuration, Excess, Expected, Origin, Outcome, Recipe, Subject};
use rusqlite::{Connection, params};
use serde_json::Value;

use crate::finding::HuntSettings;

const NEW_COLUMNS: &str = "
    ALTER TABLE findings ADD COLUMN recipe TEXT NOT NULL DEFAULT '';
    ALTER TABLE findings ADD COLUMN expected TEXT;
    ALTER TABLE findings ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
    ALTER TABLE reductions ADD COLUMN expected TEXT;
    ALTER TABLE reductions ADD COLUMN outcome TEXT;
";

const OLD_COLUMNS: &str = "
    ALTER TABLE findings DROP COLUMN expected_output;
    ALTER TABLE findings DROP COLUMN expected_status;
    ALTER TABLE findings DROP COLUMN steps;
    ALTER TABLE findings DROP COLUMN actual;
    ALTER TABLE reductions DROP COLUMN expected_output;
    ALTER TABLE reductions DROP COLUMN expected_status;
    ALTER TABLE reductions DROP COLUMN steps;
    ALTER TABLE reductions DROP COLUMN actual;
";

/// Brings a database to this form.
pub(super) fn migrate(connection: &Connection) -> anyhow::Result<()> {
    connection.execute_batch(NEW_COLUMNS)?;
    for table in ["findings", "reductions"] {
        outcomes(connection, table)?;
    }
    recipes(connection)?;
    analyses(connection)?;
    connection.execute_batch(OLD_COLUMNS)?;
    Ok(())
}

/// What was expected, and what happened.
fn outcomes(connection: &Connection, table: &str) -> anyhow::Result<()> {
    let known = match table {
        "findings" => "basis <> 'compiler'",
        _ => "finding IN (SELECT name FROM findings WHERE basis <> 'compiler')",
    };
    let mut query = connection.prepare(&format!(
        "SELECT rowid, expected_output, expected_status, steps, actual, {known} FROM {table}"
    ))?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (id, actual): (i64, String) = (row.get(0)?, row.get(4)?);
        let steps = u64::try_from(row.get::<_, i64>(3)?).unwrap_or(0);
        let expected = Expected { output: row.get(1)?, status: row.get(2)?, steps, floating: None };
        let expected = row.get::<_, bool>(5)?.then(|| serde_json::to_string(&expected));
        let outcome = outcome_of(&actual)
            .with_context(|| format!("what happened is stored as `{actual}`"))?;
        connection.execute(
            &format!("UPDATE {table} SET expected = ?1, outcome = ?2 WHERE rowid = ?3"),
            params![expected.transpose()?, serde_json::to_string(&outcome)?, id],
        )?;
    }
    Ok(())
}

/// By whom findings are, and how their programs were made. Of those from elsewhere and those that were edited it was not kept.
fn recipes(connection: &Connection) -> anyhow::Result<()> {
    let hunt = connection.query_row("SELECT version, settings FROM hunt", [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    // A database that is just being made has no hunt yet, and no findings.
    let Ok((version, settings)) = hunt else { return Ok(()) };
    let settings: HuntSettings = serde_json::from_str(&settings)?;
    let mut query = connection.prepare("SELECT name, subject, seed, basis FROM findings")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (name, subject): (String, String) = (row.get(0)?, row.get(1)?);
        let (seed, basis): (String, String) = (row.get(2)?, row.get(3)?);
        let mut subject: Value = serde_json::from_str(&subject)?;
        subject["extensions"] = false.into();
        let mut subject: Subject = serde_json::from_value(subject)?;
        subject.extensions = subject.family.has_extensions();
        let origin = match subject.target {
            Some(target) if settings.corpus.is_none() && basis == "machine" => Origin::Generated {
                configuration: Configuration {
                    preset: settings.preset.clone().unwrap_or_default(),
                    size: settings.size.unwrap_or_default(),
                    features: BTreeMap::new(),
                    parameters: BTreeMap::new(),
                    target: target.name.to_owned(),
                    variation: 0,
                    extensions: subject.extensions,
                    steps: None,
                    discharge: None,
                },
                seed: seed.parse()?,
            },
            _ => Origin::Unrecorded,
        };
        let recipe = Recipe { version: version.clone(), ..Recipe::new(origin) };
        connection.execute(
            "UPDATE findings SET recipe = ?1, subject = ?2 WHERE name = ?3",
            [serde_json::to_string(&recipe)?, serde_json::to_string(&subject)?, name],
        )?;
    }
    Ok(())
}

/// What triage knows: documents with the words in them.
fn analyses(connection: &Connection) -> anyhow::Result<()> {
    let mut query = connection.prepare("SELECT finding, document FROM analyses")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (finding, document): (String, String) = (row.get(0)?, row.get(1)?);
        // What cannot be read counts as not there, now as before.
        let Ok(Value::Object(mut document)) = serde_json::from_str(&document) else { continue };
        let words = document.remove("actual");
        let Some(outcome) = words.as_ref().and_then(Value::as_str).and_then(outcome_of) else {
            continue;
        };
        document.insert("outcome".to_owned(), serde_json::to_value(outcome)?);
        connection.execute(
            "UPDATE analyses SET document = ?1 WHERE finding = ?2",
            [serde_json::to_string(&document)?, finding],
        )?;
    }
    Ok(())
}

/// The outcome that was put into these words.
fn outcome_of(words: &str) -> Option<Outcome> {
    let (first, rest) = words.split_once('\n').unwrap_or((words, ""));
    let text = rest.to_owned();
    if let Some(what) = words.strip_prefix("was not tried: ") {
        return Some(Outcome::Infrastructure { what: what.to_owned() });
    }
    if let Some(said) = first.strip_suffix(':').filter(|said| !said.ends_with(", output")) {
        return Some(match said {
            "the compiler refuses it" => Outcome::CompileError { text },
            "the compiler crashes" => Outcome::CompilerCrash { signal: None, text },
            "the compiler needs more memory than it may have" => {
                Outcome::CompilerOutOfMemory { text }
            }
            other => {
                let signal = other.strip_prefix("the compiler crashes by signal ")?;
                Outcome::CompilerCrash { signal: Some(signal.parse().ok()?), text }
            }
        });
    }
    let ending = first.strip_suffix(", output:").unwrap_or(first);
    let output = text.into_bytes();
    Some(match ending {
        "the compiler does not end" => Outcome::CompilerTimeout,
        "its simulator broke down" => Outcome::RunCrash { signal: None, output },
        "does not end" => Outcome::RunTimeout { output },
        "too much output" => Outcome::RunExcess { of: Excess::Output, output },
        "too much memory" => Outcome::RunExcess { of: Excess::Memory, output },
        other => match other.strip_prefix("exit status ") {
            Some(status) => Outcome::Ran { status: status.parse().ok()?, output },
            None => {
                let signal = other.strip_prefix("ended by signal ")?.parse().ok()?;
                Outcome::RunCrash { signal: Some(signal), output }
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::store::{MIGRATIONS, Migration};

    #[test]
    fn every_wording_is_read_back() {
        let output = || b"12\n".to_vec();
        let text = || "a.c:1: error\nmore".to_owned();
        for (words, outcome) in [
            ("exit status 3", Outcome::Ran { status: 3, output: Vec::new() }),
            ("exit status 3, output:\n12\n", Outcome::Ran { status: 3, output: output() }),
            (
                "the compiler refuses it:\na.c:1: error\nmore",
                Outcome::CompileError { text: text() },
            ),
            (
                "the compiler crashes by signal 11:\na.c:1: error\nmore",
                Outcome::CompilerCrash { signal: Some(11), text: text() },
            ),
            (
                "the compiler crashes:\na.c:1: error\nmore",
                Outcome::CompilerCrash { signal: None, text: text() },
            ),
            ("the compiler does not end", Outcome::CompilerTimeout),
            (
                "the compiler needs more memory than it may have:\n",
                Outcome::CompilerOutOfMemory { text: String::new() },
            ),
            ("ended by signal 6", Outcome::RunCrash { signal: Some(6), output: Vec::new() }),
            (
                "its simulator broke down, output:\n12\n",
                Outcome::RunCrash { signal: None, output: output() },
            ),
            ("does not end, output:\n12\n", Outcome::RunTimeout { output: output() }),
            (
                "too much memory, output:\n12\n",
                Outcome::RunExcess { of: Excess::Memory, output: output() },
            ),
            ("too much output", Outcome::RunExcess { of: Excess::Output, output: Vec::new() }),
            ("was not tried: full", Outcome::Infrastructure { what: "full".to_owned() }),
        ] {
            assert_eq!(outcome_of(words), Some(outcome), "{words}");
        }
        for words in ["", "exit status x", "something else", "the compiler sings:\nla"] {
            assert_eq!(outcome_of(words), None, "{words}");
        }
    }

    #[test]
    fn a_database_of_the_form_before_is_brought_to_this_one() {
        let connection = Connection::open_in_memory().expect("there is memory");
        for step in &MIGRATIONS[..5] {
            let Migration::Statements(statements) = step else { panic!("words come first") };
            connection.execute_batch(statements).expect("they are right");
        }
        let rows = r#"
            INSERT INTO hunt VALUES (1, '0.0.9', '{"seed": 1, "preset": "default", "size": 3000,
                "mode": "both", "flag_sets": 0, "subject": [], "subjects": null}');
            INSERT INTO findings VALUES ('right', 'wrong-exit', '{"name": "tcc", "command": ["tcc"],
                "family": "tcc", "version": "", "banner": "", "triple": "", "target": "avr",
                "flags": [], "libraries": [], "runner": {"by": "direct"}}', '[]', 3, '77', 'x',
                X'FF0A', NULL, 500, 'exit status 4', '', 'machine');
            INSERT INTO findings SELECT 'edited', 'compiler-hang', subject, flags, 3, '77', 'y', X'',
                0, 0, 'the compiler does not end', '', 'compiler' FROM findings;
            INSERT INTO reductions VALUES ('right', 'z', X'FF0A', NULL, 9, 'exit status 4', 9, 8, 7,
                6, 5.0, 1, '');
            INSERT INTO analyses VALUES ('right', 's', '{"finding": "right", "actual": "does not end"}');
            INSERT INTO analyses VALUES ('edited', 's', 'of the future');
        "#;
        connection.execute_batch(rows).expect("they are right");
        migrate(&connection).expect("it can be read");
        let value = |query: &str| -> Value {
            let text: Option<String> =
                connection.query_row(query, [], |row| row.get(0)).expect("there is one");
            text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("it is data"))
        };
        let expected = value("SELECT expected FROM findings WHERE name = 'right'");
        assert_eq!(
            expected,
            serde_json::json!({"output": [255, 10], "status": null, "steps": 500})
        );
        let recipe = value("SELECT recipe FROM findings WHERE name = 'right'");
        assert_eq!(recipe["version"], "0.0.9");
        let configuration = &recipe["origin"]["configuration"];
        assert_eq!(
            (&configuration["target"], &configuration["size"]),
            (&"avr".into(), &3000.into())
        );
        assert_eq!(configuration["extensions"], false);
        assert_eq!(value("SELECT expected FROM findings WHERE name = 'edited'"), Value::Null);
        let edited = value("SELECT recipe FROM findings WHERE name = 'edited'");
        assert_eq!(edited["origin"]["origin"], "unrecorded");
        assert_eq!(value("SELECT outcome FROM reductions")["status"], 4);
        let analysis = value("SELECT document FROM analyses WHERE finding = 'right'");
        assert_eq!(analysis["outcome"]["outcome"], "run-timeout");
        assert_eq!(analysis["actual"], Value::Null);
    }
}
