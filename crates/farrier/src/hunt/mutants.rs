//! Mutants of a program as test cases, and from recipes back to them.

use farrier_harness::{Drawing, Expectation, Mutation, Recipe, TestCase};
use farrier_lang::SourceText;
use farrier_machine::{Certified, Options, certify};
use farrier_synth::Choices;
use farrier_synth::mutate::{Lineage, Mutant, Round, Settings, Strategy};

use crate::finding::machine_options;

/// How many operations a program and its mutants may need. Longer ones would be run several times
/// for each mutant, and the time belongs to compilers.
const STEPS: u64 = 1_000_000;

/// By how much a mutant of a hunt may be longer than the one before, in percent.
const GROWTH: u32 = 30;

/// How many lineages are walks of Athena, in percent, and how many rounds one proposes for each
/// mutant.
const WALKS: u32 = 10;
const PROPOSALS: u32 = 8;

/// The part of a seed that decides whether a lineage is a walk.
const PART: u64 = 0x7374_6570;

/// How the mutants of a program of a hunt are drawn.
fn settings(seed: u64) -> Settings {
    let settings = Settings { growth: GROWTH, ..Settings::default() };
    if !Choices::new(Choices::derive_seed(seed, PART)).chance(WALKS) {
        return settings;
    }
    let with = vec![Strategy::Orion, Strategy::Athena];
    Settings { with, edits: (1, 1), walk: PROPOSALS, ..settings }
}

/// The program in files that were certified before, as mutations need it: a tree of what is
/// printed; `None` if it is too long a run.
pub(super) fn read(sources: &[SourceText], reading: &farrier_front::Options) -> Option<Certified> {
    certify(farrier_front::parse(sources, reading).ok()?, &options()).ok()
}

fn options() -> Options {
    Options { steps: STEPS, ..machine_options() }
}

/// Mutants of a program, each made from the one before; the rounds follow from a seed. What has
/// no proof is left out. `origin` is the recipe of the program with the donors.
pub(super) fn grow(
    certified: &Certified,
    name: &str,
    origin: &Recipe,
    donors: &[Certified],
    seed: u64,
    count: u32,
) -> Vec<TestCase> {
    let settings = settings(seed);
    let origin = Recipe { drawing: Some(drawing(&settings)), ..origin.clone() };
    let mut lineage = Lineage::new(certified, &options());
    // Without it wrong values would die unseen.
    lineage.expose();
    let mut mutants = Vec::new();
    for number in 1..=u64::from(count) {
        let grown = lineage.grow(Choices::derive_seed(seed, number), donors, &settings);
        let Ok(mutant) = grown else { continue };
        let mutations = lineage.rounds().iter().flat_map(mutations).collect();
        mutants.push(case(&mutant, name, Recipe { mutations, ..origin.clone() }));
    }
    mutants
}

/// What a recipe keeps of a round.
fn mutations(round: &Round) -> impl Iterator<Item = Mutation> {
    round.mutations.iter().map(|one| Mutation {
        name: format!("{} {}", one.strategy().row().name, one.name()),
        choices: vec![round.seed, one.index as u64],
        kept: true,
    })
}

fn case(mutant: &Mutant, name: &str, recipe: Recipe) -> TestCase {
    let sources = vec![SourceText::new(name, &*mutant.text)];
    TestCase { sources, expectation: Expectation::certified(&mutant.certified), recipe }
}

/// The rounds of a recipe, drawn again; `None` if this version draws others.
pub(super) fn replay(
    certified: &Certified,
    recipe: &Recipe,
    donors: &[Certified],
) -> Option<Lineage> {
    let settings = settings_of(recipe.drawing.as_ref()?)?;
    Lineage::replay(certified, &recipe.rounds(), donors, &settings, &options())
}

/// The program of a recipe whose rounds were drawn again, with the mutations that it keeps; `None`
/// if one of them needs one that is not kept, or there is no proof.
pub(super) fn keeping(lineage: &Lineage, name: &str, recipe: &Recipe) -> Option<TestCase> {
    let kept = |round: usize, at: usize| {
        let before: usize = lineage.rounds()[..round].iter().map(|one| one.mutations.len()).sum();
        recipe.mutations.get(before + at).is_some_and(|mutation| mutation.kept)
    };
    lineage.keeping(&kept).map(|mutant| case(&mutant, name, recipe.clone()))
}

fn drawing(settings: &Settings) -> Drawing {
    let with = settings.with.iter().map(|strategy| strategy.row().name.to_owned()).collect();
    Drawing { with, edits: settings.edits, growth: settings.growth }
}

fn settings_of(drawing: &Drawing) -> Option<Settings> {
    let with = drawing.with.iter().map(|name| Strategy::by_name(name)).collect::<Option<_>>()?;
    // The rounds that a walk took are drawn like others.
    let (edits, growth) = (drawing.edits, drawing.growth);
    Some(Settings { with, edits, growth, ..Settings::default() })
}
