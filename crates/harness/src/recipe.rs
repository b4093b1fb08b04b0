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
    /// Where the programs come from of which mutations took parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub donors: Vec<Origin>,
    /// How mutations of its tree were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawing: Option<Drawing>,
    /// What was done to it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mutations: Vec<Mutation>,
    /// How it is written as C++; `None` if it stays C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outfit: Option<Outfit>,
}

/// How a program is written as C++.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Outfit {
    /// The version of C++, such as `c++17`.
    pub standard: String,
    /// The dresses, in order; each chose its share and its seed.
    pub dresses: Vec<Mutation>,
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
    /// It is a draft that breaks rules, and is only compiled.
    Drafted {
        /// Of this configuration.
        configuration: Configuration,
        /// And this seed.
        seed: u64,
        /// Which of the drafts that were refused when the program of the seed was generated;
        /// `None` if it was drafted to be compiled only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<usize>,
    },
    /// It was read from a corpus.
    Corpus {
        /// The file, beneath the directory of the corpus.
        path: String,
        /// The hash of what the file held.
        hash: String,
        /// The command that preprocessed it; empty where it was not kept.
        #[serde(default)]
        preprocessor: Vec<String>,
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
    /// Which of the programs of the seed: all of them have the same skeletons.
    #[serde(default, skip_serializing_if = "is_first")]
    pub variation: u64,
    /// Whether they may have the extensions of GNU C.
    pub extensions: bool,
    /// How many operations they execute at most, where it is not as in the preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// What becomes of their guards, where it is not as in the preset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discharge: Option<String>,
    /// How often features are drawn, where it is not as in the preset.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, u32>,
    /// Parameters that are not drawn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, u32>,
}

/// Whether a variation is the program of the seed itself.
fn is_first(variation: &u64) -> bool {
    *variation == 0
}

/// The choices that decide which mutations of a tree are drawn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Drawing {
    /// The strategies.
    pub with: Vec<String>,
    /// How many mutations a round draws, at least and at most.
    pub edits: (u32, u32),
    /// By how much a round may make the program longer, in percent.
    pub growth: u32,
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
        let (donors, mutations) = (Vec::new(), Vec::new());
        Self { version, origin, donors, drawing: None, mutations, outfit: None }
    }

    /// Whether a compiler may refuse the program without being wrong: one from elsewhere may
    /// have been written for another compiler.
    pub fn is_foreign(&self) -> bool {
        let mut origins = std::iter::once(&self.origin).chain(&self.donors);
        origins.any(|origin| matches!(origin, Origin::Corpus { .. }))
    }

    /// The rounds of mutations: for each its seed, and which of the mutations that are drawn from
    /// it these are, whether they are kept or not.
    pub fn rounds(&self) -> Vec<(u64, Vec<usize>)> {
        let rounds =
            self.mutations.chunk_by(|one, next| one.choices.first() == next.choices.first());
        let index = |mutation: &Mutation| Some(*mutation.choices.get(1)? as usize);
        let round = |round: &[Mutation]| {
            let seed = *round.first()?.choices.first()?;
            Some((seed, round.iter().map(index).collect::<Option<_>>()?))
        };
        rounds.filter_map(round).collect()
    }

    /// The kinds of the mutations that are kept, in words.
    pub fn kinds(&self) -> String {
        kinds(self.mutations.iter().filter(|mutation| mutation.kept))
    }

    /// The same for each round.
    pub fn kinds_by_round(&self) -> Vec<String> {
        let rounds =
            self.mutations.chunk_by(|one, next| one.choices.first() == next.choices.first());
        rounds.map(|round| kinds(round.iter().filter(|mutation| mutation.kept))).collect()
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

/// Kinds of mutations, each with how many there are, in the order in which they come first.
fn kinds<'a>(mutations: impl Iterator<Item = &'a Mutation>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for mutation in mutations {
        match counts.iter_mut().find(|(name, _)| *name == mutation.name) {
            Some((_, count)) => *count += 1,
            None => counts.push((&mutation.name, 1)),
        }
    }
    let words = counts.iter().map(|(name, count)| match count {
        1 => (*name).to_owned(),
        _ => format!("{name} ({count} times)"),
    });
    words.collect::<Vec<String>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutation(name: &str, seed: u64, index: u64, kept: bool) -> Mutation {
        Mutation { name: name.to_owned(), choices: vec![seed, index], kept }
    }

    #[test]
    fn mutations_are_grouped_by_rounds_and_kinds() {
        let mut recipe = Recipe::new(Origin::Unrecorded);
        recipe.mutations =
            vec![mutation("a", 7, 0, true), mutation("b", 7, 4, false), mutation("a", 3, 1, true)];
        assert_eq!(recipe.rounds(), [(7, vec![0, 4]), (3, vec![1])]);
        assert_eq!(recipe.kinds(), "a (2 times)");
        assert_eq!(recipe.keeping(&[1]).kinds(), "b");
        assert_eq!(recipe.kinds_by_round(), ["a", "a"]);
        assert_eq!(recipe.keeping(&[]).rounds(), recipe.rounds());
    }

    #[test]
    fn old_recipes_can_be_read() {
        let old = r#"{"version": "0.1.0", "origin": {"origin": "unrecorded"}, "mutations": [
            {"name": "text", "choices": [5, 1], "kept": true}]}"#;
        let read: Recipe = serde_json::from_str(old).expect("it can be read");
        assert_eq!((read.drawing, read.donors.len(), read.mutations.len()), (None, 0, 1));
    }
}
