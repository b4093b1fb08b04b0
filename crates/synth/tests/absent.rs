//! A feature that is off does not occur in what is drawn. That each occurs when it is on, in
//! code that runs, is tested with whole programs.

use farrier_lang::STACK_BYTES;
use farrier_synth::discharge::Discharge;
use farrier_synth::features::{FEATURES, Feature};
use farrier_synth::{Config, generate};

/// Shapes that others make by chance: they are only much rarer when they are off.
const BY_CHANCE: [Feature; 2] = [Feature::CommonSubexpression, Feature::Reduction];

/// How often a feature occurs in the text of a few programs.
fn count(feature: Feature, config: &Config, seeds: u64) -> u64 {
    let made = (0..seeds).map(|seed| generate(seed, config).expect("there is a program"));
    made.map(|made| made.census().feature(feature).total).sum()
}

/// What is wrong with programs without a feature.
fn occurs(feature: Feature, base: &Config) -> Option<String> {
    let name = feature.row().name;
    let mut without = base.clone();
    without.weights.set(feature, 0);
    if BY_CHANCE.contains(&feature) {
        let [off, on] = [&without, base].map(|config| {
            let large = Config { size: 30_000, steps: 100_000, ..config.clone() };
            count(feature, &large, 16)
        });
        return (off * 2 > on).then(|| format!("{name} occurs {off} times and not {on}"));
    }
    let found = count(feature, &without, 6);
    (found > 0).then(|| format!("{name} is off and occurs {found} times"))
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
        let wrong: Vec<String> =
            FEATURES.iter().filter_map(|row| occurs(row.feature, &base)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
