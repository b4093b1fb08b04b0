//! Labels and who jumps to them.

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::edit::{Change, Edit};
use farrier_lang::{LabelId, Stmt, StmtId};

use super::Scene;

/// The labels of a program and who jumps to them.
pub(crate) struct Jumps {
    to: BTreeMap<LabelId, Vec<StmtId>>,
    /// The labels in a statement.
    labels: BTreeMap<StmtId, Vec<LabelId>>,
}

impl Jumps {
    /// Those of a program.
    pub(crate) fn of(scene: &Scene<'_>) -> Self {
        let mut to: BTreeMap<LabelId, Vec<StmtId>> = BTreeMap::new();
        let mut labels: BTreeMap<StmtId, Vec<LabelId>> = BTreeMap::new();
        for stmt in scene.stmts() {
            match scene.program[stmt] {
                Stmt::Goto(label) => to.entry(label).or_default().push(stmt),
                Stmt::Label(label, _) => {
                    for around in scene.around(stmt) {
                        labels.entry(around).or_default().push(label);
                    }
                }
                _ => {}
            }
        }
        Self { to, labels }
    }

    /// The edit that takes a statement out, with the jumps to the labels in it.
    pub(crate) fn removal(&self, scene: &Scene<'_>, stmt: StmtId) -> Edit {
        let labels = self.labels.get(&stmt).into_iter().flatten();
        let jumps = labels.filter_map(|label| self.to.get(label)).flatten();
        // Those that are inside go anyway.
        let mut removed: BTreeSet<StmtId> = jumps.copied().collect();
        removed.remove(&stmt);
        let changes = [stmt].into_iter().chain(removed).map(Change::RemoveStmt).collect();
        Edit::new(scene.program, changes)
    }
}
