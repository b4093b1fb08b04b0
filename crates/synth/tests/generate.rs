//! Whole programs: certified, well formed, read back, and with what they promise.

use farrier_lang::print::{PrintOptions, print};
use farrier_lang::target::{AVR, I386_LINUX, Target, X86_64_LINUX};
use farrier_lang::{Dialect, STACK_BYTES, SourceText, shape, well_formed};
use farrier_synth::features::{FEATURES, Feature, FeatureRow};
use farrier_synth::parameters::Parameter;
use farrier_synth::{Check, Config, Generated, Preset, generate};

/// Runs `work` with the stack that programs need.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn config(preset: Preset, target: &'static Target, dialect: Dialect) -> Config {
    let mut config = Config { target, dialect, size: 12_000, ..Config::default() };
    preset.apply(&mut config);
    Config { steps: 50_000, ..config }
}

fn made(seed: u64, config: &Config) -> Generated {
    generate(seed, config).unwrap_or_else(|refused| panic!("seed {seed}: {refused:?}"))
}

fn read_back(made: &Generated, config: &Config) {
    let program = made.certified.program();
    let violations = well_formed::check(program);
    assert!(violations.is_empty(), "{:?}", violations.first());
    let text = print(program, &PrintOptions::guards(made.style));
    assert_eq!(text, *made.files[0].text);
    let options = farrier_front::Options {
        target: config.target,
        dialect: config.dialect,
        permissive: false,
    };
    let input = SourceText::new("test.c", text.as_str());
    let read = farrier_front::parse(&[input], &options).unwrap_or_else(|failure| {
        panic!("{} in\n{text}", failure.diagnostic.message);
    });
    if let Some(difference) = shape::difference(program, &read) {
        panic!("{difference}\n{text}");
    }
}

#[test]
fn programs_read_back_for_every_preset_target_and_dialect() {
    with_stack(|| {
        let mut seed = 0;
        for preset in Preset::ALL {
            for target in [&X86_64_LINUX, &I386_LINUX, &AVR] {
                for dialect in Dialect::ALL {
                    let config = config(preset, target, dialect);
                    seed += 1;
                    let made = made(seed, &config);
                    read_back(&made, &config);
                }
            }
        }
    });
}

#[test]
fn sizes_are_within_ten_percent() {
    with_stack(|| {
        let sizes = [(1_000, 20_000, 8), (5_000, 100_000, 8), (20_000, 100_000, 3)];
        for preset in Preset::ALL {
            for (size, steps, seeds) in sizes {
                for seed in 0..seeds {
                    let mut config = Config { size, ..Config::default() };
                    preset.apply(&mut config);
                    config.steps = steps;
                    let made = made(seed, &config);
                    let (bytes, name) = (made.size(), preset.name());
                    let near = bytes.abs_diff(size) * 10 <= size;
                    assert!(near, "{name}, seed {seed}: {bytes} instead of {size}");
                    assert!(made.certified.behavior().steps <= steps);
                }
            }
        }
    });
}

#[test]
fn wrappers_are_functions_macros_or_both() {
    with_stack(|| {
        for (weight, share) in [(0, 100), (100, 100), (100, 50)] {
            let mut config = config(Preset::Csmith, &X86_64_LINUX, Dialect::C17);
            config.swarm = false;
            config.weights.set(Feature::MacroWrapper, weight);
            config.fixed.push((Parameter::MacroShare, share));
            let made = made(1, &config);
            read_back(&made, &config);
            let text = &made.files[0].text;
            let functions = text
                .lines()
                .any(|line| line.starts_with("static ") && line.contains(" __farrier_"));
            assert_eq!(text.contains("#define __farrier_"), weight > 0, "{weight} {share}");
            assert_eq!(functions, weight == 0 || share < 100, "{weight} {share}");
        }
    });
}

#[test]
fn yarpgen_programs_have_no_wrapper() {
    with_stack(|| {
        for seed in 0..10 {
            let config = config(Preset::Yarpgen, &X86_64_LINUX, Dialect::C17);
            let made = made(seed, &config);
            assert_eq!(made.tally.kept, 0, "seed {seed}");
            assert!(!made.files[0].text.contains("__farrier_"), "seed {seed}");
        }
    });
}

#[test]
fn assertions_hold_and_can_fail() {
    with_stack(|| {
        let config = Config { check: Check::Asserts, size: 12_000, ..Config::default() };
        for seed in 0..5 {
            let made = made(seed, &config);
            assert_eq!(made.certified.behavior().output, b"OK\n", "seed {seed}");
            assert!(made.files[0].text.contains("NG %s"), "seed {seed}");
        }
    });
}

#[test]
fn parts_are_one_program_again() {
    with_stack(|| {
        let config = Config { split: 3, size: 20_000, ..Config::default() };
        for seed in 0..4 {
            let made = made(seed, &config);
            assert_eq!(made.files.len(), 4);
            let options = farrier_front::Options {
                target: config.target,
                dialect: config.dialect,
                permissive: false,
            };
            let linked = farrier_front::parse(&made.files, &options)
                .unwrap_or_else(|failure| panic!("seed {seed}: {}", failure.diagnostic.message));
            let run = farrier_machine::run(&linked, &farrier_machine::Options::default());
            assert_eq!(run.output, made.certified.behavior().output, "seed {seed}");
        }
    });
}

/// How many groups the features are in whose turns come one after the other.
const TURNS: usize = 13;

/// How many turns a group has, and how many at most.
const ROUNDS: usize = 3;
const MOST_ROUNDS: usize = 150;

#[test]
fn every_feature_occurs_in_code_that_runs() {
    with_stack(|| {
        let mut executed = [0; Feature::COUNT];
        // Some are rare even then, so those that are missing have another turn.
        for seed in 0..MOST_ROUNDS * TURNS {
            let found = |row: &FeatureRow| executed[row.feature as usize] > 0;
            let group = FEATURES.iter().skip(seed % TURNS).step_by(TURNS);
            if seed >= ROUNDS * TURNS && group.clone().all(found) {
                continue;
            }
            let mut config = Config { size: 20_000, swarm: false, ..Config::default() };
            config.weights.set(Feature::Floating, 100);
            // So many compete that some are rare, so each has its turn.
            for row in group {
                config.weights.set(row.feature, 4 * row.feature.when_asked_for());
            }
            let census = made(seed as u64, &config).census();
            for row in FEATURES {
                executed[row.feature as usize] += census.feature(row.feature).executed;
            }
        }
        for row in FEATURES {
            assert!(executed[row.feature as usize] > 0, "{} never runs", row.name);
        }
    });
}

#[test]
fn known_calls_are_frequent_and_stand_in_headers_of_loops() {
    with_stack(|| {
        let config = Config { size: 12_000, swarm: false, ..Config::default() };
        let (mut total, mut executed, mut headers) = (0, 0, 0);
        for seed in 0..36 {
            let census = made(seed, &config).census();
            let calls = census.feature(Feature::KnownCall);
            total += calls.total;
            executed += calls.executed;
            headers += census.header_calls.executed;
        }
        assert!(executed >= 36 * 4, "{executed} of {total} run");
        assert!(total - executed >= 3, "{executed} of {total} run");
        assert!(headers >= 6, "{headers} run in headers");
    });
}

/// How many of the programs of a few seeds have a feature at all, have it in code that runs,
/// and have it in code that does not.
fn frequency(feature: Feature) -> [u32; 3] {
    let config = Config { size: 10_000, swarm: false, ..Config::default() };
    let mut found = [0; 3];
    for seed in 0..30 {
        let count = made(seed, &config).census().feature(feature);
        found[0] += u32::from(count.total > 0);
        found[1] += u32::from(count.executed > 0);
        found[2] += u32::from(count.total > count.executed);
    }
    found
}

#[test]
fn barriers_and_probes_are_frequent() {
    with_stack(|| {
        let [all, live, dead] = frequency(Feature::Barrier);
        assert!(all >= 6 && live >= 4 && dead >= 1, "{all} {live} {dead}");
        // A probe knows values, so it hardly ever stands where nothing runs.
        let [all, live, dead] = frequency(Feature::Probe);
        assert!(all >= 8 && live == all && dead <= 1, "{all} {live} {dead}");
    });
}

#[test]
fn neutral_wraps_are_frequent_live_and_dead() {
    with_stack(|| {
        let [all, live, dead] = frequency(Feature::NeutralWrap);
        assert!(all >= 6 && live >= 4 && dead >= 1, "{all} {live} {dead}");
    });
}

#[test]
fn hostile_code_is_frequent_live_and_dead() {
    with_stack(|| {
        let [all, live, dead] = frequency(Feature::Hostile);
        assert!(all >= 6 && live >= 4 && dead >= 1, "{all} {live} {dead}");
        let config = Config { size: 10_000, swarm: false, ..Config::default() };
        let counts: Vec<_> = (0..20).map(|seed| made(seed, &config).census()).collect();
        let blocks: u64 = counts.iter().map(|census| census.blocks).sum();
        let hostile: u64 = counts.iter().map(|census| census.hostile_blocks).sum();
        assert!(2 * hostile >= blocks, "{hostile} of {blocks} blocks");
    });
}

#[test]
fn aggregates_and_bytes_are_frequent_live_and_dead() {
    const FEATURES: [Feature; 7] = [
        Feature::StringFunction,
        Feature::RecordSelect,
        Feature::RecordLoop,
        Feature::UnionView,
        Feature::MemoryFunction,
        Feature::ByteAccess,
        Feature::PointerCast,
    ];
    with_stack(|| {
        let config = Config { size: 10_000, swarm: false, ..Config::default() };
        let counts: Vec<_> = (0..30).map(|seed| made(seed, &config).census()).collect();
        let mut dead = 0;
        for feature in FEATURES {
            let live = counts.iter().filter(|census| census.feature(feature).executed > 0).count();
            assert!(live >= 3, "{feature:?} runs in {live} programs");
            dead += counts
                .iter()
                .filter(|census| census.feature(feature).total > census.feature(feature).executed)
                .count();
        }
        assert!(dead >= 10, "{dead} are in code that does not run");
    });
}

#[test]
fn idioms_are_frequent_live_and_dead() {
    with_stack(|| {
        let [all, live, dead] = frequency(Feature::Idiom);
        assert!(all >= 6 && live >= 4 && dead >= 1, "{all} {live} {dead}");
        // They are few, so that those of some programs all run.
        let [all, live, _] = frequency(Feature::IdiomFunction);
        assert!(all >= 3 && live >= 2, "{all} {live}");
    });
}
