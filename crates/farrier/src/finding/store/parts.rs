//! Parts of programs that are not done: what one compiler did with one of them.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};

use super::{Store, Tally, count_troubles, from_signed, signed};

/// The table.
pub(super) const MIGRATION: &str = "
    CREATE TABLE parts (
        number INTEGER NOT NULL,
        part TEXT NOT NULL,
        tally TEXT NOT NULL,
        PRIMARY KEY (number, part)
    );
";

impl Store {
    /// Notes that a part is done, so that it is not tested again.
    pub(crate) fn add_part(
        &mut self,
        number: u64,
        part: &str,
        tally: &Tally,
        troubles: &[String],
    ) -> anyhow::Result<()> {
        let transaction = self.connection.transaction()?;
        let text = serde_json::to_string(tally)?;
        // Where others may finish the program first, troubles count when it is done.
        let later = self.lineup.as_ref().map(|_| serde_json::to_string(troubles)).transpose()?;
        transaction.execute(
            "INSERT OR REPLACE INTO parts VALUES (?1, ?2, ?3, ?4)",
            params![signed(number), part, text, later],
        )?;
        if later.is_none() {
            count_troubles(&transaction, troubles)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// The parts that are done, by the numbers of their programs.
    pub(crate) fn parts(&self) -> anyhow::Result<BTreeMap<u64, BTreeSet<String>>> {
        let mut query = self.connection.prepare("SELECT number, part FROM parts")?;
        let mut rows = query.query([])?;
        let mut parts: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            parts.entry(from_signed(row.get(0)?)).or_default().insert(row.get(1)?);
        }
        Ok(parts)
    }

    /// The sum over all parts.
    pub(crate) fn tally_of_parts(&self) -> anyhow::Result<Tally> {
        let mut query = self.connection.prepare("SELECT tally FROM parts")?;
        let mut rows = query.query([])?;
        let mut sum = Tally::default();
        while let Some(row) = rows.next()? {
            sum += serde_json::from_str(&row.get::<_, String>(0)?)?;
        }
        Ok(sum)
    }
}

/// Removes the parts of a program, and adds them to what else there is to say of it: its tally and
/// the troubles that are not counted yet.
pub(super) fn take(
    connection: &Connection,
    number: u64,
    mut tally: Tally,
    troubles: &[String],
) -> anyhow::Result<(Tally, Vec<String>)> {
    let mut query =
        connection.prepare("DELETE FROM parts WHERE number = ?1 RETURNING tally, troubles")?;
    let mut rows = query.query([signed(number)])?;
    let mut troubles = troubles.to_vec();
    while let Some(row) = rows.next()? {
        tally += serde_json::from_str(&row.get::<_, String>(0)?)?;
        if let Some(text) = row.get::<_, Option<String>>(1)? {
            troubles.extend(serde_json::from_str::<Vec<String>>(&text)?);
        }
    }
    Ok((tally, troubles))
}
