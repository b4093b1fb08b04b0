//! How a test case is made again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What makes a case: where its program comes from, and how it was changed.
///
/// To replay a case is to follow its recipe; to undo a mutation is to follow it with the
/// mutation marked as not kept; to find the mutation that matters is to search over the marks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Recipe {
    /// The version of Farrier that wrote it: another one may make other programs.
    pub version: String,
    /// Where the program comes from.
    pub origin: Origin,
    /// What was done to it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<Mutation>,
}

/// Where a program comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "origin", rename_all = "kebab-case")]
pub enum Origin {
    /// It was generated.
    Generated {
        /// From this configuration.
        configuration: Configuration,
        /// And this seed.
        seed: u64,
    },
    /// It was read from a corpus.
    Corpus {
        /// The file, beneath the directory of the corpus.
        path: String,
        /// The hash of what the file held.
        hash: String,
    },
    /// It was found by reducing the program of this finding. Only its text makes it again.
    Reduced {
        /// The name of the finding.
        finding: String,
    },
    /// It was stored before there were recipes, and only its text makes it again.
    Unrecorded,
}

/// The choices of a hunt that decide which programs are generated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Configuration {
    /// The preset.
    pub preset: String,
    /// How large programs are, in bytes.
    pub size: usize,
    /// The machine they are for.
    pub target: String,
    /// Whether they may have the extensions of GNU C.
    pub extensions: bool,
    /// How often features are drawn, where it is not as in the preset.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, u32>,
    /// Parameters that are not drawn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, u32>,
}

/// One change of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mutation {
    /// The mutator.
    pub name: String,
    /// What it chose: its seed, and which of the changes that it draws from it this is.
    pub choices: Vec<u64>,
    /// Whether the change is a part of the program. What is not kept can be brought back.
    pub kept: bool,
}

impl Recipe {
    /// A recipe of this version of Farrier, without mutations.
    pub fn new(origin: Origin) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { version, origin, mutations: Vec::new() }
    }

    /// Whether a compiler may refuse the program without being wrong: one from elsewhere may
    /// have been written for another compiler.
    pub fn is_foreign(&self) -> bool {
        matches!(self.origin, Origin::Corpus { .. })
    }

    /// How many mutations are kept.
    pub fn kept(&self) -> usize {
        self.mutations.iter().filter(|mutation| mutation.kept).count()
    }

    /// The same recipe with only some of its mutations kept, by their positions.
    pub fn keeping(&self, positions: &[usize]) -> Self {
        let mut recipe = self.clone();
        for (position, mutation) in recipe.mutations.iter_mut().enumerate() {
            mutation.kept = positions.contains(&position);
        }
        recipe
    }
}
