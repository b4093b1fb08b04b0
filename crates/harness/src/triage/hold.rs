//! Whether the bug of a program is still the one whose culprit is known.

use super::bisect::{bisect, executed_passes, limit, with};
use super::lab::Lab;
use super::{Answer, Culprit};
use crate::outcome::Outcome;
use crate::subject::Subject;

/// What a compiler says when it crashes or refuses a program, without what depends on the
/// program; `None` if it does neither.
pub fn message(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::CompilerCrash { signal, text } => Some(super::read_crash(text, *signal).signature),
        Outcome::CompileError { text } => Some(super::crash::rejection(text)),
        _ => None,
    }
}

/// Whether a culprit that was found with another program is guilty here, too; `None` if that
/// cannot be said. The finding must be there with these flags.
///
/// What GCC can switch off by a name is switched off. LLVM counts what it does, so the pass is
/// looked for where it was in the other program, which takes three compilations, and by halves
/// if it is not there.
pub fn is_guilty(lab: &Lab<'_>, flags: &[String], culprit: &Culprit) -> Option<bool> {
    let helps = |more: &[String]| lab.fails(&with(flags, more)).map(|fails| !fails);
    match culprit {
        Culprit::LlvmPass { number, name, on } => llvm(lab, flags, *number, name, on),
        Culprit::GccCounter { name, .. } => helps(&[format!("-fdbg-cnt={name}:0")]),
        Culprit::GccPass { flag, .. } => helps(std::slice::from_ref(flag)),
        Culprit::Flag { flag } => {
            let all: Vec<String> = flag.split_whitespace().map(str::to_owned).collect();
            // Several flags may be several bugs, of which the first is meant.
            let alone = all.len() == 1 || lab.fails(&with(flags, &all[1..]))?;
            if alone { helps(&all) } else { Some(false) }
        }
        Culprit::Engine { runner, .. } => {
            let other = Subject { runner: runner.clone(), ..lab.evidence().subject.clone() };
            Some(lab.ask(&other, flags).0 == Answer::Works)
        }
        Culprit::Unknown { .. } => None,
    }
}

fn llvm(lab: &Lab<'_>, flags: &[String], number: u64, name: &str, on: &str) -> Option<bool> {
    let text = lab.messages(&with(flags, &limit(-1))).ok()?;
    let passes: Vec<_> = executed_passes(&text).collect();
    let most = passes.iter().map(|pass| pass.number).max()?;
    let fails = |number: u64| match number {
        0 => Some(false),
        _ if number >= most => Some(true),
        _ => lab.fails(&with(flags, &limit(i64::try_from(number).unwrap_or(i64::MAX)))),
    };
    // Functions become fewer and get other names, so the nearest execution is only a guess.
    let near = passes.iter().filter(|pass| pass.name == name);
    let guess = near.min_by_key(|pass| (pass.on != on, pass.number.abs_diff(number)))?.number;
    let (works, fails_at) = match fails(guess)? {
        true if !fails(guess - 1)? => return Some(true),
        true => (0, guess - 1),
        false => (guess, most),
    };
    let found = bisect(works, fails_at, fails).ok()?;
    let mut guilty = passes.iter().filter(|pass| pass.number == found);
    Some(guilty.next()?.name == name)
}
