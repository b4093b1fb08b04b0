//! A test case: a program, what is expected of it, and how it was made.

use std::sync::Arc;

use farrier_lang::SourceText;
use farrier_machine::{Behavior, Certified, Ending, Tier};
use serde::{Deserialize, Serialize};

use crate::oracle::{FindingKind, Majority};
use crate::outcome::{Extent, with_output};
use crate::recipe::Recipe;
use crate::text::bytes;

/// A program that is given to compilers.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// Its files.
    pub sources: Vec<SourceText>,
    /// By what compilers are judged.
    pub expectation: Expectation,
    /// What makes it again.
    pub recipe: Recipe,
}

impl TestCase {
    /// The name of the case: a hash of its content.
    pub fn name(&self) -> String {
        case_name(&self.sources)
    }
}

/// The name of a program: a hash of the names and the texts of its files, in whatever order.
pub fn case_name(sources: &[SourceText]) -> String {
    let mut sources: Vec<&SourceText> = sources.iter().collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    let mut hasher = blake3::Hasher::new();
    for source in sources {
        for part in [&*source.name, &*source.text] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// What compilers are held against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expectation {
    /// The behaviour that the machine has certified.
    Certified(Certificate),
    /// Compilers should agree, because nothing better is known.
    Agreement {
        /// Why it is not.
        why: String,
        /// What most of them agree on, once they have voted.
        majority: Option<Majority>,
    },
    /// Nothing: the program is compiled, and only a compiler that fails is wrong.
    Nothing,
}

impl Expectation {
    /// That compilers agree, before they have voted.
    pub fn agreement(why: String) -> Self {
        Self::Agreement { why, majority: None }
    }

    /// What the machine has certified.
    pub fn certified(certified: &Certified) -> Self {
        Self::Certified(Certificate::of(certified))
    }

    /// How far a trial goes: where nothing is expected, nothing is run.
    pub fn extent(&self) -> Extent {
        match self {
            Self::Certified(_) | Self::Agreement { .. } => Extent::Run,
            Self::Nothing => Extent::Link,
        }
    }

    /// What a compiler may do with the floating arithmetic of the program; `None` if it has none.
    /// Where nothing is expected, it may do anything.
    pub fn floating(&self) -> Option<Tier> {
        match self {
            Self::Certified(certificate) => certificate.floating(),
            Self::Agreement { .. } => Some(Tier::Rounded),
            Self::Nothing => Some(Tier::Free),
        }
    }

    /// By what compilers are judged where this is looked for. One that fails is wrong whatever a
    /// program does, so nothing is expected that its flags could change.
    pub fn for_kind(&self, kind: FindingKind) -> &Self {
        let depends_on_flags = self.floating().is_some_and(|tier| tier != Tier::Free);
        if kind.is_breakdown() && depends_on_flags { &Self::Nothing } else { self }
    }

    /// What the program does, as data, if it is certified or compilers have agreed on it.
    pub fn expected(&self) -> Option<Expected> {
        match self {
            Self::Certified(certificate) => Some(certificate.expected()),
            Self::Agreement { majority, .. } => majority.as_ref().map(Majority::expected),
            Self::Nothing => None,
        }
    }

    /// The certificate, if there is one.
    pub fn certificate(&self) -> Option<&Certificate> {
        match self {
            Self::Certified(certificate) => Some(certificate),
            Self::Agreement { .. } | Self::Nothing => None,
        }
    }
}

/// The certified behaviour of a program: a proof of what it does.
///
/// Only the machine can issue one, because the only constructor takes what only
/// [`farrier_machine::certify`] can make. So a compiler is never convicted of wrong code on a
/// guess:
///
/// ```
/// # use farrier_harness::{Certificate, Expectation, Judgement, Outcome, judge};
/// # let toml = "[[subject]]\nname = \"a\"\ncommand = \"gcc\"\ntarget = \"x86_64-linux\"\n";
/// # let subject = &farrier_harness::parse_subjects("a".as_ref(), toml).unwrap()[0];
/// # let text = farrier_lang::SourceText::new("a.c", "int main(void) { return 3; }\n");
/// # let options = farrier_front::Options {
/// #     target: &farrier_lang::target::X86_64_LINUX,
/// #     dialect: farrier_lang::Dialect::C17,
/// #     permissive: false,
/// # };
/// # let program = farrier_front::parse(&[text], &options).unwrap();
/// let certified = farrier_machine::certify(program, &Default::default()).unwrap();
/// let expectation = Expectation::Certified(Certificate::of(&certified));
/// let outcome = Outcome::Ran { status: 4, output: Vec::new() };
/// assert!(matches!(judge(subject, &expectation, &outcome), Judgement::Finding(_)));
/// ```
///
/// Without a certificate there is no proof, and without a proof no conviction:
///
/// ```compile_fail,E0451
/// # use farrier_harness::{Certificate, Conviction, Mistake, Proof};
/// # use farrier_machine::{Behavior, Ending};
/// let guess = Behavior {
///     output: Vec::new(),
///     ending: Ending::Exit(0),
///     volatile_accesses: 0,
///     volatile_hash: 0,
///     steps: 0,
/// };
/// let floating = None;
/// let regrouped = false;
/// let proof = Proof::Certificate(Certificate { behavior: guess.into(), floating, regrouped });
/// let wrong_code = Conviction::Proved { mistake: Mistake::Output, proof };
/// ```
///
/// ```compile_fail,E0063
/// # use farrier_harness::{Conviction, Mistake};
/// let wrong_code = Conviction::Proved { mistake: Mistake::Output };
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    behavior: Arc<Behavior>,
    floating: Option<Tier>,
    regrouped: bool,
}

impl Certificate {
    /// The certificate of a program.
    pub fn of(certified: &Certified) -> Self {
        let floating = certified.has_floats().then(|| certified.tier());
        let strict = floating.is_some_and(|tier| tier != Tier::Free);
        let regrouped = strict && certified.program().may_be_regrouped();
        Self { behavior: Arc::new(certified.behavior().clone()), floating, regrouped }
    }

    /// What the program does.
    pub fn behavior(&self) -> &Behavior {
        &self.behavior
    }

    /// For which compilers and flags this holds: what they may do with the floating arithmetic of
    /// the program; `None` if it has none.
    pub fn floating(&self) -> Option<Tier> {
        self.floating
    }

    /// Whether a hint in the program lets clang change the order of floating arithmetic, though
    /// the order matters.
    pub fn is_regrouped(&self) -> bool {
        self.regrouped
    }

    /// The same as data.
    pub fn expected(&self) -> Expected {
        let Behavior { output, ending, steps, .. } = &*self.behavior;
        let status = match *ending {
            Ending::Exit(status) => Some(status),
            Ending::Abort => None,
        };
        Expected { output: output.clone(), status, steps: *steps, floating: self.floating }
    }
}

/// What a program should have done, as data that is stored and shown. Nothing is judged by it:
/// for that the program is certified again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Expected {
    /// What it should have written.
    #[serde(with = "bytes")]
    pub output: Vec<u8>,
    /// Its exit status; `None` if it should have aborted.
    pub status: Option<i32>,
    /// How many operations the machine executed; zero if it did not run the program.
    pub steps: u64,
    /// What compilers may do with its floating arithmetic; `None` if it has none.
    #[serde(default, with = "tier_name", skip_serializing_if = "Option::is_none")]
    pub floating: Option<Tier>,
}

/// A tier by its name.
mod tier_name {
    use farrier_machine::Tier;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        tier: &Option<Tier>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        tier.map(Tier::name).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Tier>, D::Error> {
        let name: Option<String> = Option::deserialize(deserializer)?;
        Ok(name.as_deref().and_then(Tier::by_name))
    }
}

impl Expected {
    /// How the program should have ended, in words.
    pub fn ending(&self) -> String {
        match self.status {
            Some(status) => format!("exit status {}", status & 0xff),
            None => "abort".to_owned(),
        }
    }

    /// Everything that it should have done, in words.
    pub fn describe(&self) -> String {
        with_output(&self.ending(), &self.output)
    }

    /// Whether this is the same behaviour. How many operations it takes is no part of it.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.output, self.status) == (&other.output, other.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_from_the_content() {
        let file = |name: &str, text: &str| SourceText::new(name, text);
        let two = [file("a.c", "x"), file("b.c", "y")];
        let turned = [two[1].clone(), two[0].clone()];
        assert_eq!(case_name(&two), case_name(&turned));
        assert_ne!(case_name(&two), case_name(&[file("a.c", "xb.c"), file("", "y")]));
        assert_ne!(case_name(&two), case_name(&two[..1]));
    }
}
