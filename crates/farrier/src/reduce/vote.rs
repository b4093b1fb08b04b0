//! Votes: what compilers say of the program of a finding that the machine cannot judge.

use std::sync::atomic::AtomicBool;

use anyhow::anyhow;
use farrier_harness::triage::{Accusation, Jury, Lab};
use farrier_harness::{Expectation, Sandbox, Subject};
use farrier_lang::SourceText;

use crate::finding::{Basis, Finding};

/// Whether compilers have to vote about the programs of a finding.
pub(crate) fn takes_a_vote(finding: &Finding) -> bool {
    finding.basis == Basis::Vote && !finding.kind().is_breakdown()
}

/// Lets the compilers of this machine vote about a program of a finding, and says what they agree
/// on. With `witnesses`, sanitizers and warnings must have nothing to say against the program,
/// nor later against those that it is reduced to.
pub(crate) fn summon(
    finding: &Finding,
    sources: &[SourceText],
    subjects: &[Subject],
    sandbox: &Sandbox,
    witnesses: bool,
) -> anyhow::Result<(Jury, Expectation)> {
    let Finding { name, subject, flags, .. } = finding;
    let before = Expectation::agreement("no compiler has voted yet".to_owned());
    let kind = finding.kind();
    let evidence = Accusation { subject, sources, expectation: &before, kind };
    let stop = AtomicBool::new(false);
    let lab = Lab::new(evidence, sandbox, &std::env::temp_dir(), None, &stop)?;
    let (mut jury, majority) = Jury::summon(&lab, flags, subjects)
        .map_err(|why| anyhow!("{name} was judged by a vote of compilers, but {why}"))?;
    if witnesses {
        jury = jury.with_witnesses(&lab, flags, &majority, subjects).map_err(|why| {
            anyhow!(
                "the program of finding {name} may be undefined: {why}; --no-ub-check reduces it \
                 all the same"
            )
        })?;
    }
    let why = "it was judged by a vote of compilers".to_owned();
    Ok((jury, Expectation::Agreement { why, majority: Some(majority) }))
}
