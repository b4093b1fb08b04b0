//! A hunt at one moment: the numbers that are shown on the way, at the end and on the page.

use std::collections::BTreeMap;

use farrier_harness::FindingKind;

use super::{Finding, Store, Tally};

/// What a hunt has done and found so far. It is read from the store, and kept up to date by what
/// happens.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Snapshot {
    /// What became of the programs that are done.
    pub(crate) tally: Tally,
    /// How many findings there are of each kind.
    pub(crate) kinds: BTreeMap<FindingKind, u64>,
    /// How many findings there are in each compiler.
    pub(crate) subjects: BTreeMap<String, u64>,
}

impl Snapshot {
    /// What is stored.
    pub(crate) fn of(store: &Store) -> anyhow::Result<Self> {
        let mut snapshot = Self { tally: store.tally()?, ..Self::default() };
        store.findings()?.iter().for_each(|finding| snapshot.add_finding(finding));
        Ok(snapshot)
    }

    /// There is one more finding.
    pub(crate) fn add_finding(&mut self, finding: &Finding) {
        *self.kinds.entry(finding.kind()).or_default() += 1;
        *self.subjects.entry(finding.subject.name.clone()).or_default() += 1;
    }

    /// How many findings there are.
    pub(crate) fn findings(&self) -> u64 {
        self.kinds.values().sum()
    }

    /// The findings by kind, in words.
    pub(crate) fn kinds_in_words(&self) -> String {
        if self.kinds.is_empty() {
            return "no findings".to_owned();
        }
        // The order is that of the kinds: wrong outputs are what is wanted most.
        let list: Vec<String> =
            self.kinds.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
        format!("findings: {}", list.join(", "))
    }
}
