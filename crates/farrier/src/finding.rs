//! A finding: a compiler that was wrong, and all that is known about it.

mod analysis;
mod group;
mod snapshot;
mod spending;
mod store;

use anyhow::bail;
use farrier_harness::{
    Certificate, Conviction, Expectation, Expected, FindingKind, Origin, Outcome, Recipe, Subject,
    TestCase, case_name, underlying,
};
use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Program, SourceText};
use farrier_machine::{Options, Verdict, certify};
use farrier_synth::Choices;
use serde::{Deserialize, Serialize};

pub(crate) use self::analysis::{Analysis, Divergence, version_numbers};
pub(crate) use self::group::{Example, Group, groups};
pub(crate) use self::snapshot::Snapshot;
pub(crate) use self::spending::{
    ALWAYS, Chance, EXPENSES, ExpenseRow, Level, MachineKind, Spending,
};
pub(crate) use self::store::{
    Brief, BriefAnalysis, CORPUS, Channel, Claim, Copied, Cost, Earlier, FORM, HuntSettings, Mark,
    Membership, NewRow, ReducedCase, Reduction, Store, Table, Tally, Waiting, Work, level,
};

/// What the findings are to be about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// Compiled programs that misbehave.
    WrongCode,
    /// Compilers that crash, hang or refuse a valid program; compiled programs are not run.
    Crash,
    /// Both.
    #[default]
    Both,
}

impl Mode {
    /// Its name in options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WrongCode => "wrong-code",
            Self::Crash => "crash",
            Self::Both => "both",
        }
    }

    /// Whether it looks for this kind.
    pub(crate) fn wants(self, kind: FindingKind) -> bool {
        match self {
            Self::WrongCode => kind.is_wrong_code(),
            Self::Crash => !kind.is_wrong_code(),
            Self::Both => true,
        }
    }
}

/// By what a compiler was judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Basis {
    /// The abstract machine says what the program does.
    Machine,
    /// At least three compilers agree on what it does. It may still be undefined.
    Vote,
    /// The compiler itself failed; of the program nothing is known.
    Compiler,
}

impl Basis {
    /// By what compilers are judged where this is expected.
    pub(crate) fn of(expectation: &Expectation) -> Self {
        match expectation {
            Expectation::Certified(_) => Self::Machine,
            Expectation::Agreement { .. } => Self::Vote,
            Expectation::Nothing => Self::Compiler,
        }
    }

    pub(crate) const ALL: [Self; 3] = [Self::Machine, Self::Vote, Self::Compiler];

    /// Its name in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Vote => "vote",
            Self::Compiler => "compiler",
        }
    }
}

/// A compiler that was wrong, with all that it takes to show it again.
///
/// A new one takes a [`Conviction`], so that wrong code is never found without a proof. All else
/// is read from the store, where it is data: to be judged again its program is certified again.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Finding {
    /// Follows from the program, the subject, the flags and the kind.
    pub(crate) name: String,
    kind: FindingKind,
    pub(crate) basis: Basis,
    pub(crate) subject: Subject,
    pub(crate) flags: Vec<String>,
    /// The number of the program in the hunt.
    pub(crate) program: u64,
    /// The seed of the program.
    pub(crate) seed: u64,
    /// The name of the case, by which its program is found in the directory.
    pub(crate) case: String,
    /// What makes the program again.
    pub(crate) recipe: Recipe,
    /// What the program should have done, if that is known.
    pub(crate) expected: Option<Expected>,
    /// What happened instead.
    pub(crate) outcome: Outcome,
    /// When it was seen first; empty until it is stored.
    pub(crate) seen: String,
}

/// The program of a finding and its place in the hunt.
#[derive(Clone, Debug)]
pub(crate) struct Numbered {
    pub(crate) case: TestCase,
    /// The name of the case.
    pub(crate) name: String,
    /// The number of the program.
    pub(crate) number: u64,
    /// Its seed.
    pub(crate) seed: u64,
}

impl Numbered {
    /// What decides the flags: a mutant has others than its original.
    pub(crate) fn flag_seed(&self) -> u64 {
        match self.case.recipe.drawing {
            Some(_) => Choices::derive_seed(self.seed, self.case.recipe.rounds().len() as u64),
            None => self.seed,
        }
    }
}

impl Finding {
    /// What a compiler was convicted of.
    pub(crate) fn new(
        conviction: &Conviction,
        program: &Numbered,
        subject: &Subject,
        flags: Vec<String>,
        outcome: &Outcome,
    ) -> Self {
        let kind = conviction.kind();
        let Numbered { case, name: case_name, number, seed } = program;
        let basis = Basis::of(&case.expectation);
        // A number may have mutants, and a program without a certificate, beside the one with it.
        let beside = match (case.recipe.drawing.is_some(), basis) {
            (true, _) => format!(" mutant {}", case.recipe.rounds().len()),
            (false, Basis::Compiler) => " edited".to_owned(),
            (false, Basis::Machine | Basis::Vote) => String::new(),
        };
        let identity = format!("{kind} {} {flags:?} {number}{beside}", subject.name);
        Self {
            name: short_hash(&identity),
            kind,
            basis,
            subject: subject.clone(),
            flags,
            program: *number,
            seed: *seed,
            case: case_name.clone(),
            recipe: case.recipe.clone(),
            expected: expected(conviction, &case.expectation),
            outcome: outcome.clone().shortened(),
            seen: String::new(),
        }
    }

    /// Another bug of the same compiler, met while this finding was reduced.
    pub(crate) fn slip(
        &self,
        conviction: &Conviction,
        expectation: &Expectation,
        outcome: &Outcome,
        sources: &[SourceText],
    ) -> Self {
        let case = case_name(sources);
        let kind = conviction.kind();
        let identity = format!("{kind} {} {:?} {case}", self.subject.name, self.flags);
        Self {
            name: short_hash(&identity),
            kind,
            basis: Basis::of(expectation),
            case,
            recipe: Recipe::new(Origin::Reduced { finding: self.name.clone() }),
            expected: expected(conviction, expectation),
            outcome: outcome.clone().shortened(),
            seen: String::new(),
            ..self.clone()
        }
    }

    /// In which way the compiler was wrong.
    pub(crate) fn kind(&self) -> FindingKind {
        self.kind
    }

    /// By what compilers are judged with the program of the finding.
    pub(crate) fn expectation(&self, sources: &[SourceText]) -> anyhow::Result<Expectation> {
        self.expectation_of(sources, self.expected.as_ref())
    }

    /// The same for a program that this one was reduced to, of which this is stored.
    ///
    /// The program is certified again: what is stored is no proof.
    pub(crate) fn expectation_of(
        &self,
        sources: &[SourceText],
        stored: Option<&Expected>,
    ) -> anyhow::Result<Expectation> {
        let by_vote = self.basis == Basis::Vote;
        let stored = match (self.basis, stored) {
            (Basis::Machine | Basis::Vote, Some(stored)) => stored,
            (Basis::Compiler, _) | (_, None) => return Ok(Expectation::Nothing),
        };
        let options = farrier_front::Options::new(self.subject.target.unwrap_or(&X86_64_LINUX));
        let program = match farrier_front::parse(&underlying(sources), &options) {
            Ok(program) => program,
            Err(failure) if by_vote => {
                return Ok(Expectation::agreement(failure.diagnostic.message));
            }
            Err(failure) => bail!(
                "the program of finding {} cannot be read any more: {}",
                self.name,
                failure.diagnostic.message
            ),
        };
        let expectation = match by_vote {
            true => voted(program, &machine_options(), true),
            false => certify(program, &machine_options())
                .map(|certified| Expectation::certified(&certified)),
        };
        match expectation {
            Ok(expectation) => {
                if let Some(expected) = expectation.expected()
                    && !expected.is_same(stored)
                {
                    bail!(
                        "the machine says that the program of finding {} ends with {}, but {} is \
                         stored: another version of Farrier found it, so hunt again",
                        self.name,
                        expected.describe(),
                        stored.describe()
                    );
                }
                Ok(expectation)
            }
            Err(verdict) => bail!(
                "the machine does not certify the program of finding {} any more: {}",
                self.name,
                verdict_in_words(&verdict)
            ),
        }
    }
}

/// With what the machine runs programs that compilers are judged by.
pub(crate) fn machine_options() -> Options {
    Options { arguments: vec![b"./program".to_vec()], ..Options::default() }
}

/// What is expected of a program about which compilers vote: that they agree, unless the machine
/// can judge it after all. An error says why nothing can be expected: it is not defined, or it is
/// longer than it may be.
pub(crate) fn voted(
    program: Program,
    machine: &Options,
    may_be_long: bool,
) -> Result<Expectation, Box<Verdict>> {
    let rarity = program.rarity().map(|rarity| rarity.describe().to_owned());
    let is_useless = |verdict: &Verdict| match verdict {
        Verdict::Undefined(_) | Verdict::Unspecified(_) => true,
        Verdict::Exhausted(_) => !may_be_long,
        Verdict::Unsupported(_) | Verdict::Defined(_) => false,
    };
    match (certify(program, machine), rarity) {
        (Ok(certified), None) => Ok(Expectation::certified(&certified)),
        (Err(verdict), _) if is_useless(&verdict) => Err(verdict),
        (Err(verdict), _) => Ok(Expectation::agreement(verdict_in_words(&verdict))),
        (Ok(_), Some(rarity)) => Ok(Expectation::agreement(rarity)),
    }
}

/// Why the machine has no certificate for a program.
pub(crate) fn verdict_in_words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Defined(_) => "it is defined".to_owned(),
        Verdict::Undefined(ub) => format!("it is undefined ({}): {}", ub.kind.name(), ub.message),
        Verdict::Unspecified(found) => {
            format!("it does not have exactly one meaning: {}", found.message)
        }
        Verdict::Unsupported(found) => {
            format!("it uses a feature that the machine does not model: {}", found.feature)
        }
        Verdict::Exhausted(_) => "it takes too long in the machine".to_owned(),
    }
}

/// What is stored of what a program should have done.
fn expected(conviction: &Conviction, expectation: &Expectation) -> Option<Expected> {
    conviction.expected().or_else(|| expectation.certificate().map(Certificate::expected))
}

fn short_hash(identity: &str) -> String {
    blake3::hash(identity.as_bytes()).to_hex()[..10].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_wants_its_kinds() {
        for kind in FindingKind::ALL {
            assert!(Mode::Both.wants(kind));
            assert_ne!(Mode::Crash.wants(kind), Mode::WrongCode.wants(kind));
        }
        assert!(Mode::WrongCode.wants(FindingKind::RunHang));
        assert!(Mode::Crash.wants(FindingKind::ValidProgramRejected));
    }
}
