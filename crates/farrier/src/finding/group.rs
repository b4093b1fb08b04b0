//! Findings that have one cause, as far as that is known.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Analysis, Finding, Reduction, Store};

/// Findings of one cause.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The cause: its signature; before triage, what happens in which compiler.
    pub(crate) title: String,
    /// Whether triage has analysed them.
    pub(crate) triaged: bool,
    /// The findings, in the order in which they were seen.
    pub(crate) members: Vec<(&'a Finding, Option<&'a Analysis>)>,
}

/// The finding that stands for its group.
#[derive(Debug)]
pub(crate) struct Example<'a> {
    pub(crate) finding: &'a Finding,
    pub(crate) analysis: Option<&'a Analysis>,
    /// What it was reduced to, if it was.
    pub(crate) reduction: Option<Reduction>,
    /// The size of its program, reduced if possible.
    pub(crate) bytes: u64,
}

/// All findings by cause; the most frequent cause first.
pub(crate) fn groups<'a>(
    findings: &'a [Finding],
    analyses: &'a BTreeMap<String, Analysis>,
) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(bool, String), Vec<_>> = BTreeMap::new();
    for finding in findings {
        let analysis = analyses.get(&finding.name);
        let title = match analysis {
            Some(analysis) => analysis.signature.line(),
            None => format!("{} of {}", finding.kind(), finding.subject.name),
        };
        groups.entry((analysis.is_some(), title)).or_default().push((finding, analysis));
    }
    let mut list: Vec<Group<'_>> = Vec::new();
    for ((triaged, title), mut members) in groups {
        members.sort_by_key(|(finding, _)| (&finding.seen, &finding.name));
        list.push(Group { title, triaged, members });
    }
    list.sort_by_key(|group| Reverse(group.members.len()));
    list
}

impl<'a> Group<'a> {
    /// The member that says most: analysed before not, certain before doubtful, reduced
    /// before not, then the one with the smallest program.
    pub(crate) fn example(&self, store: &Store) -> anyhow::Result<Example<'a>> {
        let mut best = None;
        for (finding, analysis) in &self.members {
            let reduction = store.reduction(&finding.name)?;
            let bytes = match &reduction {
                Some(reduction) => reduction.bytes_after,
                None => store.case_bytes(&finding.case)?,
            };
            let rank = (
                analysis.is_none_or(|analysis| analysis.versions.is_empty()),
                analysis.is_some_and(|analysis| analysis.doubt.is_some()),
                reduction.is_none(),
                bytes,
            );
            if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                best = Some((rank, Example { finding, analysis: *analysis, reduction, bytes }));
            }
        }
        Ok(best.expect("no group is empty").1)
    }

    /// What is said of its findings, each once.
    pub(crate) fn all<T: Ord>(&self, what: impl Fn(&Finding) -> T) -> BTreeSet<T> {
        self.members.iter().map(|(finding, _)| what(finding)).collect()
    }

    /// When it was seen first, and last.
    pub(crate) fn seen(&self) -> (&'a str, &'a str) {
        let [first, .., last] = self.members.as_slice() else {
            let (only, _) = self.members[0];
            return (&only.seen, &only.seen);
        };
        (&first.0.seen, &last.0.seen)
    }
}
