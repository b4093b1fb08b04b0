//! What a collecting run must have in common with a strict one.

use farrier_machine::{Collected, Rule, Run, Verdict};

/// How the two disagree about a program. The collecting run may take more steps, so that it
/// must have had more.
pub(crate) fn disagreement(run: &Run, collected: &Collected) -> Option<String> {
    let first = collected.faults.first();
    let found = first.map(|fault| (fault.rule, fault.at, fault.message.as_str()));
    let agrees = match &run.verdict {
        Verdict::Defined(_) => {
            let same = run.profile == collected.profile;
            collected.faults.is_empty() && collected.stopped.is_none() && same
        }
        Verdict::Undefined(ub) => {
            found == Some((Rule::Undefined(ub.kind), ub.at, ub.message.as_str()))
        }
        Verdict::Unspecified(open) => {
            found == Some((Rule::Unspecified(open.cause), open.at, open.message.as_str()))
        }
        Verdict::Unsupported(_) => {
            collected.faults.is_empty() && collected.stopped.as_ref() == Some(&run.verdict)
        }
        Verdict::Exhausted(_) => true,
    };
    let defined = matches!(collected.stopped, Some(Verdict::Defined(_)));
    (!agrees || defined).then(|| {
        let (faults, stopped) = (&collected.faults, &collected.stopped);
        format!("{:?}\n    collecting: {faults:?}, {stopped:?}", run.verdict)
    })
}
