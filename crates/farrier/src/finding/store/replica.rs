//! A store that is one of several: its rows go to a server, and rows of others come from there.
//!
//! What is written here is noted in the table `outbox` by the same transaction, and leaves it when
//! the server has it. Rows that come from the server are applied in the order of the server, any
//! number of times. docs/design/join.md explains the rest.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};
use farrier_harness::case_name;
use farrier_lang::SourceText;
use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde_json::{Map, Value};

use super::{Reduction, Store, count_troubles, from_signed, signed};
use crate::finding::{Analysis, Finding};

/// The tables, and a program that several machines with different compilers have tested.
pub(super) const MIGRATION: &str = "
    ALTER TABLE programs RENAME TO programs_of_one;
    CREATE TABLE programs (
        number INTEGER NOT NULL,
        refused INTEGER NOT NULL DEFAULT 0,
        panicked INTEGER NOT NULL DEFAULT 0,
        trials INTEGER NOT NULL DEFAULT 0,
        reused INTEGER NOT NULL DEFAULT 0,
        inconclusive INTEGER NOT NULL DEFAULT 0,
        infrastructure INTEGER NOT NULL DEFAULT 0,
        compiler_seconds REAL NOT NULL DEFAULT 0,
        program_seconds REAL NOT NULL DEFAULT 0,
        skipped INTEGER NOT NULL DEFAULT 0,
        mutants INTEGER NOT NULL DEFAULT 0,
        unfit INTEGER NOT NULL DEFAULT 0,
        free INTEGER NOT NULL DEFAULT 0,
        exact INTEGER NOT NULL DEFAULT 0,
        rounded INTEGER NOT NULL DEFAULT 0,
        seen TEXT,
        lineup TEXT NOT NULL DEFAULT '',
        troubles TEXT,
        PRIMARY KEY (number, lineup)
    ) WITHOUT ROWID;
    INSERT INTO programs SELECT number, refused, panicked, trials, reused, inconclusive,
        infrastructure, compiler_seconds, program_seconds, skipped, mutants, unfit, free, exact,
        rounded, seen, '', NULL FROM programs_of_one;
    DROP TABLE programs_of_one;
    ALTER TABLE parts ADD COLUMN troubles TEXT;
    CREATE TABLE joined (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        hunt TEXT NOT NULL,
        name TEXT NOT NULL,
        lineup TEXT NOT NULL,
        news INTEGER NOT NULL DEFAULT 0,
        done INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        UNIQUE (kind, key)
    );
    CREATE TABLE workers (id TEXT PRIMARY KEY, document TEXT NOT NULL, seen TEXT NOT NULL);
";

/// A table whose rows machines send each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Table {
    Findings,
    Analyses,
    Reductions,
    Catalogues,
    Programs,
    Workers,
}

/// What there is to know about a table: by what a row is known, and whether a later one of the
/// same key stands in its place.
struct TableRow {
    table: Table,
    name: &'static str,
    keys: &'static [&'static str],
    replaces: bool,
}

#[rustfmt::skip]
const TABLES: [TableRow; 6] = [
    TableRow { table: Table::Findings, name: "findings", keys: &["name"], replaces: false },
    TableRow { table: Table::Analyses, name: "analyses", keys: &["finding"], replaces: true },
    TableRow { table: Table::Reductions, name: "reductions", keys: &["finding"], replaces: true },
    TableRow { table: Table::Catalogues, name: "catalogues", keys: &["subject"], replaces: false },
    TableRow { table: Table::Programs, name: "programs", keys: &["number", "lineup"], replaces: false },
    TableRow { table: Table::Workers, name: "workers", keys: &["id"], replaces: true },
];

impl Table {
    fn row(self) -> &'static TableRow {
        &TABLES[self as usize]
    }

    /// Its name, in the database and in messages.
    pub(crate) fn name(self) -> &'static str {
        self.row().name
    }

    /// The table of this name.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        TABLES.iter().find(|row| row.name == name).map(|row| row.table)
    }

    /// Whether a later row of the same key stands in the place of an earlier one.
    pub(crate) fn replaces(self) -> bool {
        self.row().replaces
    }
}

/// The hunt of several machines that a directory belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Membership {
    /// By what the hunt is told from another one of the same name.
    pub(crate) hunt: String,
    /// What users call it.
    pub(crate) name: String,
    /// Which compilers this machine tests; empty if it tests none.
    pub(crate) lineup: String,
}

/// A list of the server's that is read from where it was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Channel {
    /// Findings and what is known about them.
    News,
    /// Programs that are done.
    Done,
    /// What workers say of themselves: the last of each, so it is read anew.
    Workers,
}

impl Channel {
    /// Where it is noted how far it was read.
    fn column(self) -> Option<&'static str> {
        match self {
            Self::News => Some("news"),
            Self::Done => Some("done"),
            Self::Workers => None,
        }
    }
}

/// A row that the server does not have yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Waiting {
    pub(crate) id: i64,
    pub(crate) table: Table,
    pub(crate) key: String,
}

/// A row on its way between machines.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Copied {
    pub(crate) table: Table,
    pub(crate) row: Map<String, Value>,
}

impl Copied {
    fn text(&self, column: &str) -> Option<&str> {
        self.row.get(column).and_then(Value::as_str)
    }

    /// The programs without which it is not complete, by their hashes.
    pub(crate) fn cases(&self) -> Vec<String> {
        let case = match self.table {
            Table::Findings | Table::Reductions => self.text("program_case").map(str::to_owned),
            Table::Analyses => self
                .text("document")
                .and_then(|text| serde_json::from_str::<Analysis>(text).ok())
                .map(|analysis| analysis.case),
            Table::Catalogues | Table::Programs | Table::Workers => None,
        };
        case.into_iter().collect()
    }
}

/// Notes that the server is to have a row.
pub(super) fn announce(connection: &Connection, table: Table, key: &str) -> rusqlite::Result<()> {
    let note = "INSERT OR REPLACE INTO outbox (kind, key) VALUES (?1, ?2)";
    connection.execute(note, [table.name(), key])?;
    Ok(())
}

/// The key of a program that is done.
pub(super) fn program_key(number: u64, lineup: &str) -> String {
    format!("{number} {lineup}")
}

/// Which compilers this machine has, if it hunts with others.
pub(super) fn lineup(connection: &Connection) -> anyhow::Result<Option<String>> {
    let query = "SELECT lineup FROM joined";
    Ok(connection.query_row(query, [], |row| row.get(0)).optional()?)
}

impl Store {
    /// The hunt of several machines that this directory belongs to.
    pub(crate) fn membership(&self) -> anyhow::Result<Option<Membership>> {
        let query = "SELECT hunt, name, lineup FROM joined";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Membership { hunt: row.get(0)?, name: row.get(1)?, lineup: row.get(2)? })
        };
        Ok(self.connection.query_row(query, [], read).optional()?)
    }

    /// From now on this directory belongs to a hunt of several machines. Programs that were begun
    /// and not done are forgotten: another machine may have done them by now.
    pub(crate) fn join(&mut self, new: &Membership) -> anyhow::Result<()> {
        let path = self.directory.display().to_string();
        match self.membership()? {
            Some(old) if old.hunt != new.hunt => bail!(
                "`{path}` belongs to another hunt, which is called `{}`: choose another --dir",
                old.name
            ),
            None if !self.is_untouched()? => {
                bail!("`{path}` has a hunt of this machine alone: choose another --dir")
            }
            _ => {}
        }
        let transaction = self.connection.transaction()?;
        transaction.execute(
            "INSERT INTO joined (id, hunt, name, lineup) VALUES (1, ?1, ?2, ?3) \
             ON CONFLICT (id) DO UPDATE SET name = ?2, lineup = ?3",
            [&new.hunt, &new.name, &new.lineup],
        )?;
        transaction.execute("DELETE FROM parts", [])?;
        transaction.commit()?;
        self.lineup = Some(new.lineup.clone());
        Ok(())
    }

    /// Rows that the server does not have yet, the oldest first, at most so many: programs that are
    /// done, or everything else. A program waits until the server has what was found before it was
    /// done, because then it is never tested again.
    pub(crate) fn waiting(&self, programs: bool, most: usize) -> anyhow::Result<Vec<Waiting>> {
        let query = match programs {
            false => {
                "SELECT id, kind, key FROM outbox WHERE kind <> 'programs' ORDER BY id LIMIT ?1"
            }
            true => {
                "SELECT id, kind, key FROM outbox WHERE kind = 'programs' AND id < coalesce( \
                 (SELECT min(id) FROM outbox WHERE kind <> 'programs'), id + 1) ORDER BY id LIMIT ?1"
            }
        };
        let mut query = self.connection.prepare_cached(query)?;
        let mut rows = query.query([signed(most as u64)])?;
        let mut waiting = Vec::new();
        while let Some(row) = rows.next()? {
            let kind: String = row.get(1)?;
            let table = Table::by_name(&kind).context("the outbox has a table that is unknown")?;
            waiting.push(Waiting { id: row.get(0)?, table, key: row.get(2)? });
        }
        Ok(waiting)
    }

    /// Which of these numbers the server does not have yet, though they may be done.
    pub(crate) fn unsent_among(&self, numbers: &[u64]) -> anyhow::Result<BTreeSet<u64>> {
        let lineup = self.lineup.as_deref().unwrap_or_default();
        let mut query = self
            .connection
            .prepare_cached("SELECT 1 FROM outbox WHERE kind = 'programs' AND key = ?1")?;
        let mut unsent = BTreeSet::new();
        for number in numbers {
            if query.exists([program_key(*number, lineup)])? {
                unsent.insert(*number);
            }
        }
        Ok(unsent)
    }

    /// How many rows the server does not have yet.
    pub(crate) fn waiting_count(&self) -> anyhow::Result<u64> {
        let query = "SELECT count(*) FROM outbox";
        Ok(from_signed(self.connection.query_row(query, [], |row| row.get(0))?))
    }

    /// The server has these.
    pub(crate) fn note_sent(&mut self, sent: &[i64]) -> anyhow::Result<()> {
        if sent.is_empty() {
            return Ok(());
        }
        let transaction = self.connection.transaction()?;
        for id in sent {
            transaction.execute("DELETE FROM outbox WHERE id = ?1", [id])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// A row for others; `None` if it is gone. Counts that are zero are left out.
    pub(crate) fn copied(&self, table: Table, key: &str) -> anyhow::Result<Option<Copied>> {
        let TableRow { name, keys, .. } = table.row();
        let condition: Vec<String> = keys.iter().map(|key| format!("{key} = ?")).collect();
        let query = format!("SELECT * FROM {name} WHERE {}", condition.join(" AND "));
        let mut query = self.connection.prepare_cached(&query)?;
        let names: Vec<String> = query.column_names().into_iter().map(str::to_owned).collect();
        let parts: Vec<&str> = match keys {
            [_] => vec![key],
            keys => key.splitn(keys.len(), ' ').collect(),
        };
        let mut rows = query.query(params_from_iter(parts))?;
        let Some(found) = rows.next()? else { return Ok(None) };
        let mut row = Map::new();
        for (index, name) in names.into_iter().enumerate() {
            let value = match found.get_ref(index)? {
                ValueRef::Null => continue,
                ValueRef::Integer(0) | ValueRef::Real(0.0)
                    if table == Table::Programs && name != "number" =>
                {
                    continue;
                }
                ValueRef::Integer(number) => Value::from(number),
                // Times of a program, to the microsecond.
                ValueRef::Real(number) => Value::from((number * 1e6).round() / 1e6),
                ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(_) => bail!("the table {name} has bytes"),
            };
            row.insert(name, value);
        }
        Ok(Some(Copied { table, row }))
    }

    /// Which of these numbers this machine, with its compilers, has done.
    pub(crate) fn done_among(&self, numbers: &[u64]) -> anyhow::Result<BTreeSet<u64>> {
        let lineup = self.lineup.as_deref().unwrap_or_default();
        let mut query = self
            .connection
            .prepare_cached("SELECT 1 FROM programs WHERE number = ?1 AND lineup = ?2")?;
        let mut done = BTreeSet::new();
        for number in numbers {
            if query.exists(params![signed(*number), lineup])? {
                done.insert(*number);
            }
        }
        Ok(done)
    }

    /// The last row of a list of the server's that was applied.
    pub(crate) fn position(&self, channel: Channel) -> anyhow::Result<u64> {
        let Some(column) = channel.column() else { return Ok(0) };
        let query = format!("SELECT {column} FROM joined");
        let number = self.connection.query_row(&query, [], |row| row.get(0)).optional()?;
        Ok(number.map_or(0, from_signed))
    }

    /// Applies rows of others, and notes how far the list was read: both or none. The programs of
    /// the rows are here already. Rows that make no sense are not applied; why is the result.
    pub(crate) fn apply(
        &mut self,
        channel: Channel,
        last: u64,
        rows: &[Copied],
    ) -> anyhow::Result<Vec<String>> {
        let mut refused = Vec::new();
        let mut transaction = self.connection.transaction()?;
        let mut columns: BTreeMap<Table, Vec<String>> = BTreeMap::new();
        for row in rows {
            let columns = match columns.entry(row.table) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let query = format!("SELECT * FROM {} LIMIT 0", row.table.name());
                    let query = transaction.prepare(&query)?;
                    entry.insert(query.column_names().into_iter().map(str::to_owned).collect())
                }
            };
            let savepoint = transaction.savepoint()?;
            match apply_row(&savepoint, row, columns) {
                Ok(()) => savepoint.commit()?,
                Err(error) => refused.push(format!("{}: {error:#}", row.table.name())),
            }
        }
        if let Some(column) = channel.column() {
            let note = format!("UPDATE joined SET {column} = ?1");
            transaction.execute(&note, [signed(last)])?;
        }
        transaction.commit()?;
        Ok(refused)
    }

    /// Stores a program that came from the server; it must be what its name says.
    pub(crate) fn keep_copied(&mut self, hash: &str, sources: &[SourceText]) -> anyhow::Result<()> {
        for SourceText { name, .. } in sources {
            let plain = name.bytes().all(|c| c.is_ascii_alphanumeric() || b"._-".contains(&c));
            let source = name.ends_with(".c") || farrier_harness::is_dressed(name);
            ensure!(plain && source && !name.starts_with('.'), "`{name}` is no name of a program");
        }
        ensure!(case_name(sources) == hash, "the program {hash} is not what its name says");
        self.keep(hash, sources)
    }

    /// Whether a program is kept here.
    pub(crate) fn has_case(&self, hash: &str) -> bool {
        self.case_path(hash).exists()
    }

    /// What is known of the machines of the hunt: a document of each, and when it came.
    pub(crate) fn workers(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut query =
            self.connection.prepare("SELECT document, seen FROM workers ORDER BY id")?;
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Writes a row of another machine, and reads it: what cannot be read is an error.
fn apply_row(connection: &Connection, copied: &Copied, columns: &[String]) -> anyhow::Result<()> {
    let Copied { table, row } = copied;
    let TableRow { name, replaces, keys, .. } = table.row();
    let mut cells = Vec::new();
    for (column, value) in row {
        ensure!(columns.contains(column), "the column {column:?} is unknown");
        cells.push(match value {
            Value::Null => Cell::Null,
            Value::String(text) => Cell::Text(text.clone()),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => Cell::Integer(number),
                (None, Some(number)) => Cell::Real(number),
                (None, None) => bail!("the column {column} has no number"),
            },
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                bail!("the column {column} has no plain value")
            }
        });
    }
    for key in *keys {
        ensure!(row.contains_key(*key), "the column {key} is missing");
    }
    let how = if *replaces { "REPLACE" } else { "IGNORE" };
    let names: Vec<&str> = row.keys().map(String::as_str).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let insert = format!("INSERT OR {how} INTO {name} ({}) VALUES ({marks})", names.join(", "));
    let new = connection.prepare_cached(&insert)?.execute(params_from_iter(cells))?;
    if new == 0 {
        return Ok(());
    }
    for case in copied.cases() {
        ensure!(is_hash(&case, 32), "`{case}` is no name of a program");
    }
    let text = |column: &str| copied.text(column).unwrap_or_default();
    match table {
        Table::Findings => {
            ensure!(is_hash(text("name"), 10), "`{}` is no name of a finding", text("name"));
            let mut query = connection.prepare_cached("SELECT * FROM findings WHERE name = ?1")?;
            let mut rows = query.query([text("name")])?;
            Finding::read(rows.next()?.context("it is not there")?)?;
        }
        Table::Reductions => {
            let mut query =
                connection.prepare_cached("SELECT * FROM reductions WHERE finding = ?1")?;
            let mut rows = query.query([text("finding")])?;
            Reduction::read(rows.next()?.context("it is not there")?)?;
        }
        Table::Programs => {
            let numbers = row
                .iter()
                .filter(|(name, _)| !["seen", "lineup", "troubles"].contains(&name.as_str()));
            for (column, value) in numbers {
                ensure!(value.is_number(), "the column {column} has no number");
            }
            if let Some(troubles) = copied.text("troubles") {
                count_troubles(connection, &serde_json::from_str::<Vec<String>>(troubles)?)?;
            }
        }
        // What another version has written counts as not there when it is read.
        Table::Analyses | Table::Catalogues | Table::Workers => {}
    }
    Ok(())
}

fn is_hash(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|c| c.is_ascii_hexdigit())
}
