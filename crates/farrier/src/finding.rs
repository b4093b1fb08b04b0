//! A finding: a compiler that was wrong, and all that is known about it.

mod analysis;
mod store;

use farrier_harness::{Family, FindingKind, Runner, Subject};
use farrier_lang::{SourceText, Target};
use farrier_machine::{Behavior, Ending};
use serde::{Deserialize, Serialize};

pub(crate) use self::analysis::{Analysis, Divergence};
pub(crate) use self::store::{Reduction, Settings, Store, StoredReduction, Tally, Work};

/// What the findings are to be about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// Compiled programs that do not do what they should.
    WrongCode,
    /// Compilers that break down or refuse a valid program; nothing that they make is run.
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
    /// The compiler itself broke down; of the program nothing is known.
    Compiler,
}

impl Basis {
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

/// A subject as it is stored with a finding, so that the finding can be tried again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct StoredSubject {
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
    pub(crate) family: Family,
    pub(crate) version: String,
    pub(crate) banner: String,
    pub(crate) triple: String,
    pub(crate) target: Option<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) libraries: Vec<String>,
    pub(crate) runner: Runner,
}

impl StoredSubject {
    /// What is stored of a subject.
    pub(crate) fn of(subject: &Subject) -> Self {
        Self {
            name: subject.name.clone(),
            command: subject.command.clone(),
            family: subject.family,
            version: subject.version.clone(),
            banner: subject.banner.clone(),
            triple: subject.triple.clone(),
            target: subject.target.map(|target| target.name.to_owned()),
            flags: subject.flags.clone(),
            libraries: subject.libraries.clone(),
            runner: subject.runner.clone(),
        }
    }

    /// The subject.
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            name: self.name.clone(),
            command: self.command.clone(),
            family: self.family,
            version: self.version.clone(),
            banner: self.banner.clone(),
            triple: self.triple.clone(),
            target: self.target.as_deref().and_then(Target::by_name),
            flags: self.flags.clone(),
            libraries: self.libraries.clone(),
            levels: Vec::new(),
            runner: self.runner.clone(),
            recognised: "stored with the finding".to_owned(),
            aliases: Vec::new(),
        }
    }
}

/// A compiler that was wrong, with all that it takes to show it again.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Finding {
    /// Follows from the program, the subject, the flags and the kind.
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) basis: Basis,
    pub(crate) subject: StoredSubject,
    pub(crate) flags: Vec<String>,
    /// The number of the program in the hunt.
    pub(crate) program: u64,
    /// The seed of the program.
    pub(crate) seed: u64,
    /// The hash of the program, by which it is found in the directory.
    pub(crate) case: String,
    #[serde(serialize_with = "lossy")]
    pub(crate) expected_output: Vec<u8>,
    /// `None` for a program that is to abort.
    pub(crate) expected_status: Option<i32>,
    /// How many operations the machine executed.
    pub(crate) steps: u64,
    /// What happened instead, for people.
    pub(crate) actual: String,
    /// When it was seen first; empty until it is stored.
    pub(crate) seen: String,
}

fn lossy<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

impl Finding {
    /// The name of a finding, the same whenever and in whatever order it is made.
    pub(crate) fn name_of(
        kind: FindingKind,
        subject: &Subject,
        flags: &[String],
        program: u64,
        basis: Basis,
    ) -> String {
        // A number may have a program without a certificate beside the one with it.
        let beside = if basis == Basis::Compiler { " edited" } else { "" };
        let identity = format!("{kind} {} {flags:?} {program}{beside}", subject.name);
        blake3::hash(identity.as_bytes()).to_hex()[..10].to_owned()
    }

    /// What the program should have done.
    pub(crate) fn expected(&self) -> Behavior {
        Behavior {
            output: self.expected_output.clone(),
            ending: self.expected_status.map_or(Ending::Abort, Ending::Exit),
            volatile_accesses: 0,
            volatile_hash: 0,
            steps: self.steps,
        }
    }
}

/// The hash of a program: of the names and the texts of its files.
pub(crate) fn case_hash(sources: &[SourceText]) -> String {
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
