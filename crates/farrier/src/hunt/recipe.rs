//! From a recipe to its program.
//!
//! The hunt makes its programs this way, and so does everyone who wants one again: `replay`, and
//! a reduction that undoes mutations first.

use std::path::Path;

use anyhow::{Context, bail};
use farrier_harness::{Configuration, Expectation, Mutation, Origin, Recipe, Subject, TestCase};
use farrier_lang::SourceText;
use farrier_machine::Certified;
use farrier_synth::discharge::Discharge;
use farrier_synth::dress::restrict;
use farrier_synth::features::Feature;
use farrier_synth::mutate::Lineage;
use farrier_synth::mutate::text::{self, TextChange};
use farrier_synth::parameters::Parameter;
use farrier_synth::{Check, Config, Preset, Refusal, generate, wild};

use super::corpus::Corpus;
use super::{mutants, outfit};

/// Programs from elsewhere, and who preprocesses them.
pub(crate) type Elsewhere<'a> = Option<(&'a Corpus, &'a Subject)>;

/// Follows a recipe: the files of its case. Those of a corpus are read from its directory.
/// `None` if this version makes no such program, or only its text did.
pub(crate) fn make(recipe: &Recipe, elsewhere: Elsewhere<'_>) -> Option<Vec<SourceText>> {
    Some(prepare(recipe, elsewhere).ok()?.follow(recipe)?.sources)
}

/// The origin of a recipe, made, to which its mutations can be applied in any choice.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The program as it was before all mutations.
    pub(crate) original: TestCase,
    /// How its text is read.
    reading: farrier_front::Options,
    /// The programs of which mutations take parts.
    donors: Vec<Certified>,
    /// All changes of the text that a seed draws.
    drawn: Option<(u64, Vec<TextChange>)>,
    /// The rounds of mutations of the tree, drawn again.
    lineage: Option<Lineage>,
    /// Drafts that break rules and were refused on the way to the program.
    left_over: Vec<TestCase>,
}

/// Makes what a recipe begins with. An error says why this version cannot.
pub(crate) fn prepare(recipe: &Recipe, elsewhere: Elsewhere<'_>) -> anyhow::Result<Prepared> {
    let mut made = begin(&recipe.origin, recipe.outfit.is_some(), elsewhere)?;
    made.original.recipe = Recipe {
        version: recipe.version.clone(),
        outfit: recipe.outfit.clone(),
        ..Recipe::new(recipe.origin.clone())
    };
    for donor in &recipe.donors {
        made.add_donor(donor, elsewhere)?;
    }
    Ok(made)
}

/// Makes the program of an origin; if it will be C++, without what C alone has.
fn begin(
    origin: &Origin,
    is_cplusplus: bool,
    elsewhere: Elsewhere<'_>,
) -> anyhow::Result<Prepared> {
    let recipe = Recipe::new(origin.clone());
    let mut left_over = Vec::new();
    let (original, reading) = match origin {
        Origin::Generated { configuration, seed } => {
            let mut config = config(configuration)?;
            if is_cplusplus {
                restrict(&mut config);
            }
            let Ok(made) = generate(*seed, &config) else { bail!("no program can be generated") };
            let expectation = Expectation::certified(&made.certified);
            left_over = drafts(configuration, *seed, made.refused);
            // The tree is bigger than all the rest and is not needed while compilers run.
            (TestCase { sources: made.files, expectation, recipe }, reading(&config))
        }
        Origin::Drafted { configuration, seed, refused } => {
            let config = config(configuration)?;
            let sources = match refused {
                None => wild(*seed, &config),
                Some(_) => {
                    let Ok(made) = generate(*seed, &config) else {
                        bail!("no program can be generated")
                    };
                    let case = drafts(configuration, *seed, made.refused).into_iter();
                    let mut case = case.filter(|case| case.recipe.origin == *origin);
                    case.next().context("no such draft was refused")?.sources
                }
            };
            (TestCase { sources, expectation: Expectation::Nothing, recipe }, reading(&config))
        }
        Origin::Corpus { path, preprocessor, .. } => {
            let (corpus, subject) = elsewhere.context("there is no corpus")?;
            let target = subject.target.context("the target is not known")?;
            let mut subject = subject.clone();
            let own = [&subject.command[..], &subject.flags[..]].concat();
            if !preprocessor.is_empty() && own != *preprocessor {
                // Another compiler may have other headers.
                (subject.command, subject.flags) = (preprocessor.clone(), Vec::new());
            }
            let case = corpus.file_case(Path::new(path), target, &subject);
            let case = case.with_context(|| format!("`{path}` is of no use"))?;
            (case, farrier_front::Options::new(target))
        }
        Origin::Reduced { .. } | Origin::Unrecorded => {
            bail!("only its text makes the program again")
        }
    };
    let donors = Vec::new();
    Ok(Prepared { original, reading, donors, drawn: None, lineage: None, left_over })
}

/// How the text of a generated program is read.
fn reading(config: &Config) -> farrier_front::Options {
    farrier_front::Options { target: config.target, dialect: config.dialect, permissive: false }
}

/// The drafts that were refused and can be compiled.
fn drafts(configuration: &Configuration, seed: u64, refused: Vec<Refusal>) -> Vec<TestCase> {
    let numbered = refused.into_iter().enumerate();
    let case = |(number, refusal)| {
        let Refusal::Verdict { relaxed: Some(sources), .. } = refusal else { return None };
        let (configuration, refused) = (configuration.clone(), Some(number));
        let recipe = Recipe::new(Origin::Drafted { configuration, seed, refused });
        Some(TestCase { sources, expectation: Expectation::Nothing, recipe })
    };
    numbered.filter_map(case).collect()
}

impl Prepared {
    /// Another program of which mutations can take parts.
    fn add_donor(&mut self, origin: &Origin, elsewhere: Elsewhere<'_>) -> anyhow::Result<()> {
        let donor = begin(origin, false, elsewhere)?;
        let donor = mutants::read(&donor.original.sources, &donor.reading);
        self.donors.push(donor.context("a donor is not defined")?);
        self.original.recipe.donors.push(origin.clone());
        Ok(())
    }

    /// Mutants, each made from the one before, that follow from a seed. They take parts of those
    /// of the donors that can be made.
    pub(super) fn mutants(
        &mut self,
        seed: u64,
        count: u32,
        donors: &[Origin],
        elsewhere: Elsewhere<'_>,
    ) -> Vec<TestCase> {
        let TestCase { sources, recipe, .. } = &self.original;
        let Some(certified) = mutants::read(sources, &self.reading) else { return Vec::new() };
        let (name, plain) = (sources[0].name.to_string(), recipe.clone());
        for donor in donors {
            // What cannot be made is not a part of the recipe.
            let _ = self.add_donor(donor, elsewhere);
        }
        let origin = std::mem::replace(&mut self.original.recipe, plain);
        mutants::grow(&certified, &name, &origin, &self.donors, seed, count)
    }

    /// The drafts that were refused on the way to the program, to be compiled only.
    pub(super) fn take_left_over(&mut self) -> Vec<TestCase> {
        std::mem::take(&mut self.left_over)
    }

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
        let is_c = |sources: &[SourceText]| farrier_front::parse(sources, &self.reading).is_ok();
        text::changes(&self.original.sources, seed, &is_c)
    }

    /// The program of a recipe with this origin, with the mutations that it keeps; `None` if
    /// one of them needs one that is not kept, or is not known here.
    pub(crate) fn follow(&mut self, recipe: &Recipe) -> Option<TestCase> {
        if let Some(outfit) = &recipe.outfit {
            let sources = outfit::dressed(&self.original.sources, &self.reading, outfit)?;
            let expectation = self.original.expectation.clone();
            return Some(TestCase { sources, expectation, recipe: recipe.clone() });
        }
        if recipe.kept() == 0 {
            return Some(self.original.clone());
        }
        if recipe.drawing.is_some() {
            return self.follow_rounds(recipe);
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
        let sources = text::apply(&self.original.sources, changes, |at| {
            let choices = [seed, at as u64];
            recipe.mutations.iter().any(|one| one.kept && one.choices == choices)
        })?;
        Some(TestCase { sources, expectation: Expectation::Nothing, recipe: recipe.clone() })
    }

    /// The same for mutations of the tree. A recipe has the same rounds whatever it keeps, so that
    /// they are drawn once.
    fn follow_rounds(&mut self, recipe: &Recipe) -> Option<TestCase> {
        let sources = &self.original.sources;
        if self.lineage.is_none() {
            let certified = mutants::read(sources, &self.reading)?;
            self.lineage = mutants::replay(&certified, recipe, &self.donors);
        }
        mutants::keeping(self.lineage.as_ref()?, &sources[0].name, recipe)
    }
}

/// What programs are like.
fn config(configuration: &Configuration) -> anyhow::Result<Config> {
    let Configuration { preset, size, target, variation, extensions, .. } = configuration;
    let Configuration { steps, discharge, features, parameters, .. } = configuration;
    let target = farrier_harness::target_by_name(target)
        .with_context(|| format!("no target is `{target}`"))?;
    let mut config = Config { target, size: *size, variation: *variation, ..Config::default() };
    Preset::by_name(preset).unwrap_or_default().apply(&mut config);
    config.steps = steps.unwrap_or(config.steps);
    if let Some(name) = discharge {
        let known = Discharge::by_name(name);
        config.discharge = known.with_context(|| format!("no discharge is `{name}`"))?;
    }
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
            variation: seed % 2,
            extensions: true,
            steps: (seed == 1).then_some(50_000),
            discharge: (seed == 1).then(|| "drop".to_owned()),
            features: [("goto".to_owned(), 0)].into(),
            parameters: [("loop-trips".to_owned(), 3)].into(),
        };
        Recipe::new(Origin::Generated { configuration, seed })
    }

    #[test]
    fn a_recipe_makes_its_case_again() {
        let mut count = 0;
        for seed in 0..2 {
            let mut prepared = prepare(&recipe(seed), None).expect("it can be made");
            assert!(prepared.original.expectation.certificate().is_some());
            let donors = [recipe(seed + 1).origin];
            let mutants = prepared.mutants(seed, 2, &donors, None);
            count += mutants.len();
            for changed in mutants.into_iter().chain(prepared.edited(seed)) {
                let stored = serde_json::to_string(&changed.recipe).expect("it is data");
                let read: Recipe = serde_json::from_str(&stored).expect("it is data");
                assert_eq!(read, changed.recipe);
                let mut again = prepare(&read, None).expect("it can be made");
                let sources = |case: Option<TestCase>| case.map(|case| case.sources);
                assert_eq!(sources(again.follow(&read)), Some(changed.sources));
                let undone = sources(again.follow(&read.keeping(&[])));
                assert_eq!(undone.as_ref(), Some(&prepared.original.sources));
            }
        }
        assert!(count > 0, "there are mutants");
    }

    #[test]
    fn a_draft_that_breaks_rules_is_made_again() {
        let Origin::Generated { configuration, .. } = recipe(0).origin else {
            panic!("it is generated")
        };
        let configuration = Configuration { preset: "edge".to_owned(), ..configuration };
        for seed in 0..3 {
            let configuration = configuration.clone();
            let origin = Origin::Drafted { configuration, seed, refused: None };
            let prepared = prepare(&Recipe::new(origin), None).expect("it can be made");
            assert_eq!(prepared.original.expectation, Expectation::Nothing);
            for case in [Some(prepared.original.clone()), prepared.edited(seed)] {
                let case = case.expect("a change leaves it C");
                assert_eq!(make(&case.recipe, None), Some(case.sources));
            }
        }
        // One that was refused on the way to a program with a meaning.
        let mut found = 0;
        for seed in 0..200 {
            let configuration = configuration.clone();
            let origin = Origin::Generated { configuration, seed };
            let Ok(mut prepared) = prepare(&Recipe::new(origin), None) else { continue };
            for case in prepared.take_left_over() {
                found += 1;
                assert_eq!(make(&case.recipe, None), Some(case.sources));
            }
            if found > 0 {
                return;
            }
        }
        panic!("every draft has a meaning");
    }

    #[test]
    fn a_mutant_from_elsewhere_is_made_again_by_the_compiler_that_read_it() {
        let name = format!("farrier-recipe-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).expect("it can be made");
        let text = "#include <limits.h>\nint a[4] = {1, 2, 3, 4}, dead;\n\
                    int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i];\n\
                    if (dead) { s = INT_MAX; dead = s - 1; } return s; }\n\
                    int main(void) { return sum(4) - 10; }\n";
        std::fs::write(directory.join("a.c"), text).expect("it can be written");
        let corpus = Corpus::read(&directory).expect("it is there");
        let subject = |command: &str| {
            let list = format!(
                "[[subject]]\nname = \"a\"\ncommand = \"{command}\"\ntarget = \"x86_64-linux\"\n"
            );
            farrier_harness::parse_subjects(Path::new("a"), &list).expect("it is right").remove(0)
        };
        let (gcc, missing) = (subject("gcc"), subject("no-such-compiler"));
        let elsewhere = Some((&corpus, &gcc));
        let case = corpus.file_case(Path::new("a.c"), gcc.target.expect("it has one"), &gcc);
        let case = case.expect("it is defined");
        let mut prepared = prepare(&case.recipe, elsewhere).expect("it can be made");
        let mutants = prepared.mutants(3, 6, std::slice::from_ref(&case.recipe.origin), elsewhere);
        assert!(!mutants.is_empty());
        for mutant in mutants {
            let again = make(&mutant.recipe, Some((&corpus, &missing)));
            assert_eq!(again, Some(mutant.sources));
        }
        std::fs::remove_dir_all(&directory).expect("it is ours");
    }

    #[test]
    fn what_was_not_generated_is_not_made_again() {
        let read = Origin::Corpus {
            path: "a.c".to_owned(),
            hash: String::new(),
            preprocessor: Vec::new(),
        };
        assert!(prepare(&Recipe::new(read), None).is_err());
    }
}
