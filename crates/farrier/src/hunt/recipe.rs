//! From a recipe to its program.
//!
//! The hunt makes its programs this way, and so does everyone who wants one again: `replay`, and
//! a reduction that undoes mutations first.

use std::path::Path;

use anyhow::{Context, bail};
use farrier_harness::{Configuration, Expectation, Mutation, Origin, Recipe, Subject, TestCase};
use farrier_lang::{SourceText, Target};
use farrier_synth::features::Feature;
use farrier_synth::mutate::text::{self, TextChange};
use farrier_synth::parameters::Parameter;
use farrier_synth::{Check, Config, Preset, generate};

use super::corpus::{Piece, read_file};

/// Follows a recipe: the files of its case. Those of a corpus are read anew from its directory,
/// by the subject of the hunt. `None` if this version makes no such program, or only its text did.
pub(crate) fn make(
    recipe: &Recipe,
    corpus: Option<&Path>,
    subject: &Subject,
) -> Option<Vec<SourceText>> {
    match &recipe.origin {
        Origin::Generated { .. } => prepare(recipe).ok()?.follow(recipe),
        Origin::Corpus { path, .. } => {
            match read_file(corpus?, Path::new(path), subject.target?, subject) {
                Piece::Case(case) | Piece::Meaningless(case, _) => Some(case.sources),
                Piece::Unreadable(_) => None,
            }
        }
        Origin::Reduced { .. } | Origin::Unrecorded => None,
    }
}

/// The origin of a recipe, made, to which its mutations can be applied in any choice.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The program as it was generated.
    pub(crate) original: TestCase,
    config: Config,
    /// Everything that was drawn to change it, from which seed.
    drawn: Option<(u64, Vec<TextChange>)>,
}

/// Makes what a recipe begins with. An error says why this version cannot.
pub(crate) fn prepare(recipe: &Recipe) -> anyhow::Result<Prepared> {
    let Origin::Generated { configuration, seed } = &recipe.origin else {
        bail!("only its text makes the program again");
    };
    let config = config(configuration)?;
    let Ok(made) = generate(*seed, &config) else { bail!("no program can be generated") };
    let recipe = Recipe { mutations: Vec::new(), ..recipe.clone() };
    let expectation = Expectation::certified(&made.certified);
    // The tree is bigger than all the rest and is not needed while compilers run.
    let original = TestCase { sources: made.files, expectation, recipe };
    Ok(Prepared { original, config, drawn: None })
}

impl Prepared {
    /// The program with changes that follow from a seed; `None` if none of them leaves it C.
    pub(crate) fn edited(&self, seed: u64) -> Option<TestCase> {
        let changes = self.changes(seed);
        let mutation = |index| Mutation {
            name: text::NAME.to_owned(),
            choices: vec![seed, index],
            kept: true,
        };
        let mutations: Vec<Mutation> = (0..changes.len() as u64).map(mutation).collect();
        if mutations.is_empty() {
            return None;
        }
        let sources = text::apply(&self.original.sources, &changes, |_| true)?;
        let recipe = Recipe { mutations, ..self.original.recipe.clone() };
        Some(TestCase { sources, expectation: Expectation::Nothing, recipe })
    }

    fn changes(&self, seed: u64) -> Vec<TextChange> {
        let Config { target, dialect, .. } = self.config;
        let options = farrier_front::Options { target, dialect, permissive: false };
        let is_c = |sources: &[SourceText]| farrier_front::parse(sources, &options).is_ok();
        text::changes(&self.original.sources, seed, &is_c)
    }

    /// The program of a recipe with this origin, with the mutations that it keeps; `None` if
    /// one of them needs one that is not kept, or is not known here.
    pub(crate) fn follow(&mut self, recipe: &Recipe) -> Option<Vec<SourceText>> {
        if recipe.kept() == 0 {
            return Some(self.original.sources.clone());
        }
        let seed = *recipe.mutations.first()?.choices.first()?;
        let known = |mutation: &Mutation| {
            mutation.name == text::NAME && mutation.choices.first() == Some(&seed)
        };
        if !recipe.mutations.iter().all(known) {
            return None;
        }
        if self.drawn.as_ref().is_none_or(|(drawn, _)| *drawn != seed) {
            self.drawn = Some((seed, self.changes(seed)));
        }
        let (_, changes) = self.drawn.as_ref()?;
        text::apply(&self.original.sources, changes, |at| {
            let choices = [seed, at as u64];
            recipe.mutations.iter().any(|one| one.kept && one.choices == choices)
        })
    }
}

/// What programs are like.
fn config(configuration: &Configuration) -> anyhow::Result<Config> {
    let Configuration { preset, size, target, extensions, features, parameters } = configuration;
    let target = Target::by_name(target).with_context(|| format!("no target is `{target}`"))?;
    let mut config = Config { target, size: *size, ..Config::default() };
    Preset::by_name(preset).unwrap_or_default().apply(&mut config);
    if let Some(small) = target.environment.small {
        config.size = config.size.min(small.size);
        config.steps = config.steps.min(small.steps);
    }
    if !target.environment.prints_long_long {
        // A checksum is one.
        config.check = Check::Asserts;
    }
    for (name, weight) in features {
        let feature = Feature::by_name(name).with_context(|| format!("no feature is `{name}`"))?;
        config.weights.set(feature, *weight);
    }
    for (name, value) in parameters {
        let known = Parameter::by_name(name);
        config.fixed.push((known.with_context(|| format!("no parameter is `{name}`"))?, *value));
    }
    if !extensions {
        config.weights.without_extensions();
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(seed: u64) -> Recipe {
        let configuration = Configuration {
            preset: "default".to_owned(),
            size: 3_000,
            target: "x86_64-linux".to_owned(),
            extensions: true,
            features: [("goto".to_owned(), 0)].into(),
            parameters: [("loop-trips".to_owned(), 3)].into(),
        };
        Recipe::new(Origin::Generated { configuration, seed })
    }

    #[test]
    fn a_recipe_makes_its_case_again() {
        for seed in 0..4 {
            let prepared = prepare(&recipe(seed)).expect("it can be made");
            assert!(prepared.original.expectation.certificate().is_some());
            let Some(edited) = prepared.edited(seed) else { continue };
            let stored = serde_json::to_string(&edited.recipe).expect("it is data");
            let read: Recipe = serde_json::from_str(&stored).expect("it is data");
            assert_eq!(read, edited.recipe);
            let mut again = prepare(&read).expect("it can be made");
            assert_eq!(again.follow(&read), Some(edited.sources));
            let undone = again.follow(&read.keeping(&[]));
            assert_eq!(undone, Some(prepared.original.sources));
        }
    }

    #[test]
    fn what_was_not_generated_is_not_made_again() {
        let read = Origin::Corpus { path: "a.c".to_owned(), hash: String::new() };
        assert!(prepare(&Recipe::new(read)).is_err());
    }
}
