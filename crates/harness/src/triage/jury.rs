//! A jury: compilers that say together what a program does that the machine cannot judge.
//!
//! One vote says little of a program that is being changed, because an undefined one may divide
//! compilers as well. So the jurors are those that agreed about the program at first. They must
//! be of one mind about each of its descendants, and no sanitizer and no warning may speak
//! against it.

use std::collections::BTreeSet;

use super::lab::Lab;
use super::opinions::{SANITIZERS, newest, run_sanitized, same_machine, standard};
use super::{Says, opinions};
use crate::oracle::{Majority, NO_MAJORITY, Vote, vote};
use crate::outcome::Outcome;
use crate::subject::{Family, Subject};

/// So many versions of one compiler are asked: they have their bugs in common.
const VERSIONS: usize = 2;

/// The levels at which jurors compile. Undefined behaviour often shows in the difference, so the
/// newest versions that optimise well do that, too.
const PLAIN: &str = "-O0";
const OPTIMISED: &str = "-O2";

/// Warnings that tell of undefined behaviour, or of code that means something else to each
/// compiler. Those that a compiler does not know, or that the program has from the start, are left
/// out.
const WARNINGS: &[&str] = &[
    "aggressive-loop-optimizations",
    "array-bounds",
    "builtin-declaration-mismatch",
    "dangling-pointer",
    "div-by-zero",
    "division-by-zero",
    "format",
    "free-nonheap-object",
    "implicit-function-declaration",
    "implicit-int",
    "incompatible-library-redeclaration",
    "incompatible-pointer-types",
    "int-conversion",
    "int-to-pointer-cast",
    "integer-overflow",
    "maybe-uninitialized",
    "nonnull",
    "null-dereference",
    "overflow",
    "pointer-to-int-cast",
    "restrict",
    "return-local-addr",
    "return-stack-address",
    "return-type",
    "sequence-point",
    "shift-count-negative",
    "shift-count-overflow",
    "shift-negative-value",
    "shift-overflow",
    "sometimes-uninitialized",
    "strict-aliasing",
    "stringop-overflow",
    "stringop-overread",
    "uninitialized",
    "unsequenced",
    "use-after-free",
];

/// Who has a say: a compiler with flags.
#[derive(Clone, Debug)]
struct Member {
    subject: Subject,
    flags: Vec<String>,
}

impl Member {
    fn name(&self) -> String {
        format!("{} {}", self.subject.name, self.flags.join(" "))
    }
}

/// Those who say what a program does.
#[derive(Clone, Debug)]
pub struct Jury {
    jurors: Vec<Member>,
    sanitizers: Vec<Member>,
    /// Compilers whose warnings count, with these as their flags.
    watchmen: Vec<Member>,
}

impl Jury {
    /// Lets the compilers of this machine vote about the program of a lab, with what the accused
    /// one does with these flags as one of the votes. Those of the majority are the jurors. An
    /// error says why there is none.
    pub fn summon(
        lab: &Lab<'_>,
        flags: &[String],
        subjects: &[Subject],
    ) -> Result<(Self, Majority), String> {
        let accused = lab.evidence().subject;
        let (_, outcome) = lab.ask(accused, flags);
        let candidates = candidates(accused, flags, subjects);
        let seen: Vec<(Member, Outcome)> = candidates
            .into_iter()
            .map(|member| {
                let outcome = lab.ask(&member.subject, &member.flags).1;
                (member, outcome)
            })
            .collect();
        let theirs = seen.iter().map(|(member, outcome)| (&member.subject, outcome));
        let majority = elect(theirs, accused, &outcome)?;
        let jurors = seen.into_iter().filter(|(_, outcome)| majority.is(outcome));
        let jurors = jurors.map(|(member, _)| member).collect();
        Ok((Self { jurors, sanitizers: Vec::new(), watchmen: Vec::new() }, majority))
    }

    /// The same jury with sanitizers and warnings, which must have nothing to say against the
    /// program of the lab. An error is what they say.
    pub fn with_witnesses(
        mut self,
        lab: &Lab<'_>,
        flags: &[String],
        majority: &Majority,
        subjects: &[Subject],
    ) -> Result<Self, String> {
        let own = lab.evidence().subject;
        let standard = standard(flags);
        for sanitizer in SANITIZERS {
            for subject in sanitizer.installations(own, subjects) {
                let flags = sanitizer.flags(&standard);
                let member = Member { subject: subject.clone(), flags };
                match testimony(lab, &member, majority) {
                    Ok(()) => self.sanitizers.push(member),
                    // An installation without its libraries is no judge: ask an older one.
                    Err(Says::CannotTell { .. }) => continue,
                    Err(says) => return Err(in_words(&member, &says)),
                }
                break;
            }
        }
        for family in [Family::Gcc, Family::Clang] {
            let able = |subject: &Subject| subject.family == family && same_machine(subject, own);
            let found = newest(subjects.iter().chain([own]), able);
            if let Some(subject) = found.first() {
                self.watchmen.extend(watchman(lab, subject, &standard));
            }
        }
        Ok(self)
    }

    /// What the jurors say about the program of a lab with which the accused compiler does this.
    /// An error says why they say nothing that would convict it.
    pub fn verdict(&self, lab: &Lab<'_>, accused: &Outcome) -> Result<Majority, String> {
        let mut seen: Vec<(&Subject, Outcome)> = Vec::new();
        for juror in &self.jurors {
            let outcome = lab.ask(&juror.subject, &juror.flags).1;
            if outcome == *accused {
                return Err(format!("{} does the same", juror.name()));
            }
            let is_alike = seen.first().is_none_or(|(_, first)| *first == outcome);
            if !matches!(outcome, Outcome::Ran { .. }) || !is_alike {
                return Err(format!("{} does not agree: {}", juror.name(), outcome.brief()));
            }
            seen.push((&juror.subject, outcome));
        }
        let theirs = seen.iter().map(|(subject, outcome)| (*subject, outcome));
        let majority = elect(theirs, lab.evidence().subject, accused)?;
        for watchman in &self.watchmen {
            if let Some(warning) = warning(lab, watchman) {
                return Err(format!("{} warns: {warning}", watchman.subject.name));
            }
        }
        for member in &self.sanitizers {
            testimony(lab, member, &majority).map_err(|says| in_words(member, &says))?;
        }
        Ok(majority)
    }

    /// Who it consists of, in words.
    pub fn describe(&self) -> String {
        let names = |members: &[Member]| {
            let names: BTreeSet<&str> =
                members.iter().map(|member| &*member.subject.name).collect();
            names.into_iter().collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("judged by a vote of {}", names(&self.jurors));
        if !self.sanitizers.is_empty() {
            text += &format!(", with the sanitizers of {} as witnesses", names(&self.sanitizers));
        }
        text
    }
}

/// Who may be a juror: the newest versions of every compiler that is not the accused one.
fn candidates(accused: &Subject, flags: &[String], subjects: &[Subject]) -> Vec<Member> {
    let standard = standard(flags);
    let families: BTreeSet<Family> = subjects.iter().map(|subject| subject.family).collect();
    let mut members = Vec::new();
    for family in families {
        let honest = newest(subjects.iter(), |subject| {
            subject.family == family
                && same_machine(subject, accused)
                && !opinions::is_same(subject, accused)
                && !subject.silent
        });
        for (rank, subject) in honest.into_iter().take(VERSIONS).enumerate() {
            let optimises = rank == 0 && subject.levels.iter().any(|level| level == OPTIMISED);
            let more = optimises.then_some(OPTIMISED);
            for level in [PLAIN].into_iter().chain(more) {
                let flags = [&[level.to_owned()], &standard[..]].concat();
                members.push(Member { subject: subject.clone(), flags });
            }
        }
    }
    members
}

/// What most of them do, the accused among them.
fn elect<'s>(
    others: impl Iterator<Item = (&'s Subject, &'s Outcome)>,
    accused: &'s Subject,
    outcome: &'s Outcome,
) -> Result<Majority, String> {
    let all = others.chain([(accused, outcome)]);
    let votes: Vec<Vote<'_>> = all.map(|(subject, outcome)| Vote { subject, outcome }).collect();
    vote(&votes).ok_or_else(|| format!("on this machine {NO_MAJORITY}"))
}

/// Whether the program does with sanitizers what a majority says, and without a complaint.
fn testimony(lab: &Lab<'_>, member: &Member, majority: &Majority) -> Result<(), Says> {
    let outcome = run_sanitized(lab, &member.subject, &member.flags)?;
    match majority.is(&outcome) {
        true => Ok(()),
        false => Err(Says::Differs { actual: outcome.brief() }),
    }
}

fn in_words(member: &Member, says: &Says) -> String {
    match says {
        Says::Complains { text } => format!("{} complains: {text}", member.name()),
        Says::Differs { actual } => format!("{} does not agree: {actual}", member.name()),
        _ => format!("{} cannot tell", member.name()),
    }
}

/// A compiler with the warnings of the table that it knows and does not give for the program.
fn watchman(lab: &Lab<'_>, subject: &Subject, standard: &[String]) -> Option<Member> {
    let mut subject = subject.clone();
    subject.flags.retain(|flag| flag != "-w");
    let mut wanted = WARNINGS.to_vec();
    loop {
        let errors = wanted.iter().map(|warning| format!("-Werror={warning}"));
        let level = [OPTIMISED.to_owned()];
        let flags = level.into_iter().chain(standard.iter().cloned()).chain(errors).collect();
        let member = Member { subject: subject.clone(), flags };
        let Some(text) = warnings(lab, &member) else { return Some(member) };
        let before = wanted.len();
        wanted.retain(|warning| !is_named(&text, warning));
        // Then something else is wrong with the program, which no warning says.
        if wanted.len() == before {
            return None;
        }
    }
}

/// Whether gcc or clang names a warning in what it says.
fn is_named(text: &str, warning: &str) -> bool {
    [format!("-Werror={warning}"), format!("-Werror,-W{warning}")]
        .iter()
        .any(|name| text.contains(name))
}

/// What a compiler says about the program of a lab if it refuses it with these flags.
fn warnings(lab: &Lab<'_>, member: &Member) -> Option<String> {
    let Member { subject, flags } = member;
    let sources = lab.evidence().sources;
    if let Err(error) = lab.place(sources) {
        return Some(error.to_string());
    }
    let mut command: Vec<String> =
        subject.command.iter().chain(&subject.flags).chain(flags).cloned().collect();
    command.push("-c".to_owned());
    command.extend(sources.iter().map(|source| source.name.to_string()));
    match lab.run_tool(&command) {
        Ok((true, _)) => None,
        Ok((false, text)) => Some(text),
        Err(error) => Some(error.to_string()),
    }
}

/// The first of them.
fn warning(lab: &Lab<'_>, member: &Member) -> Option<String> {
    let text = warnings(lab, member)?;
    let line = text.lines().find(|line| line.contains("error: "));
    Some(line.unwrap_or("it refuses the program").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_recognised_by_its_name() {
        let gcc = "a.c:1:30: error: 'x' is used uninitialized [-Werror=uninitialized]";
        let clang = "a.c:1:30: error: variable 'x' is uninitialized [-Werror,-Wuninitialized]";
        let unknown = "cc1: error: '-Werror=use-after-free': no option '-Wuse-after-free'";
        assert!(is_named(gcc, "uninitialized") && is_named(clang, "uninitialized"));
        assert!(is_named(unknown, "use-after-free"));
        assert!(!is_named(gcc, "maybe-uninitialized") && !is_named(unknown, "uninitialized"));
    }
}
