//! A feature that is off does not occur in what is drawn. That each occurs when it is on, in
//! code that runs, is tested with whole programs.

use farrier_lang::STACK_BYTES;
use farrier_synth::discharge::Discharge;
use farrier_synth::features::{FEATURES, Feature};
use farrier_synth::{Config, generate};

/// Shapes that others make by chance: they are only much rarer when they are off.
const BY_CHANCE: [Feature; 3] = [Feature::CommonSubexpression, Feature::Idiom, Feature::Reduction];

/// How many features are off at once: such that stand far apart in the table, and so seldom
/// depend on each other.
const TOGETHER: usize = 4;

/// How many programs are made without them.
const SEEDS: u64 = 6;

/// How often a feature that others make by chance occurs in the text of a few programs.
fn count(feature: Feature, config: &Config) -> u64 {
    let large = Config { size: 20_000, steps: 100_000, ..config.clone() };
    let made = (0..16).map(|seed| generate(seed, &large).expect("there is a program"));
    made.map(|made| made.census().feature(feature).total).sum()
}

/// The same programs without some features.
fn without(base: &Config, features: &[Feature]) -> Config {
    let mut config = base.clone();
    features.iter().for_each(|feature| config.weights.set(*feature, 0));
    config
}

/// What is wrong with a feature that others make by chance.
fn is_common(feature: Feature, base: &Config) -> Option<String> {
    // Idioms use their operands several times, and nests leave little room for other loops.
    let others: &[Feature] = match feature {
        Feature::Idiom => &[],
        Feature::Reduction => &[Feature::Idiom, Feature::Nest, Feature::Vector, Feature::Border],
        _ => &[Feature::Idiom],
    };
    let mut base = without(base, others);
    base.weights.set(feature, 4 * feature.when_asked_for());
    let base = &base;
    let (off, on) = (count(feature, &without(base, &[feature])), count(feature, base));
    (off * 2 > on).then(|| format!("{} occurs {off} times and not {on}", feature.row().name))
}

/// What is wrong with programs without some features.
fn occurs(features: &[Feature], base: &Config) -> Vec<String> {
    let config = without(base, features);
    let mut wrong = Vec::new();
    for seed in 0..SEEDS {
        let census = generate(seed, &config).expect("there is a program").census();
        for feature in features {
            let found = census.feature(*feature).total;
            if found > 0 {
                let name = feature.row().name;
                wrong.push(format!("{name} is off and occurs {found} times, seed {seed}"));
            }
        }
    }
    wrong
}

#[test]
fn what_is_off_is_absent() {
    let work = || {
        // Discharge writes operators of its own in place of guards.
        let discharge = Discharge::Keep;
        let mut base =
            Config { size: 8_000, steps: 20_000, swarm: false, discharge, ..Config::default() };
        for row in FEATURES.iter().filter(|row| row.frequency.number() == 0) {
            base.weights.set(row.feature, 10);
        }
        let mut wrong: Vec<String> =
            BY_CHANCE.iter().filter_map(|feature| is_common(*feature, &base)).collect();
        let distance = FEATURES.len().div_ceil(TOGETHER);
        for first in 0..distance {
            let rows = FEATURES[first..].iter().step_by(distance).map(|row| row.feature);
            let rows: Vec<Feature> = rows.filter(|feature| !BY_CHANCE.contains(feature)).collect();
            wrong.extend(occurs(&rows, &base));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
