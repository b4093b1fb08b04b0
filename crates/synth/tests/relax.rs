//! Relaxed programs: rules are broken, faults repaired, and what is left has one meaning.

use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Dialect, STACK_BYTES, SourceText, shape, target, well_formed};
use farrier_synth::features::Feature;
use farrier_synth::relax::{RELAXATIONS, Relaxation};
use farrier_synth::{Config, Generated, Preset, Refusal, generate, wild};

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

fn edge() -> Config {
    let mut config = Config { size: 8_000, ..Config::default() };
    Preset::Edge.apply(&mut config);
    config
}

fn only(relaxation: Relaxation, share: u32) -> Config {
    let mut config = edge();
    config.relax.purpose = None;
    config.relax.fixed.push((relaxation, share));
    config
}

fn made(seed: u64, config: &Config) -> Generated {
    generate(seed, config).unwrap_or_else(|refused| panic!("seed {seed}: {refused:?}"))
}

fn options() -> farrier_front::Options {
    let (target, dialect) = (&target::X86_64_LINUX, Dialect::default());
    farrier_front::Options { target, dialect, permissive: false }
}

#[test]
fn relaxed_programs_are_well_formed_and_read_back() {
    with_stack(|| {
        for seed in 0..12 {
            let made = made(seed, &edge());
            let program = made.certified.program();
            let violations = well_formed::check(program);
            assert!(violations.is_empty(), "seed {seed}: {:?}", violations.first());
            let text =
                print(program, &PrintOptions { guards: made.style, ..PrintOptions::default() });
            let input = SourceText::new("test.c", text.as_str());
            let read = farrier_front::parse(&[input], &options())
                .unwrap_or_else(|failure| panic!("{} in\n{text}", failure.diagnostic.message));
            if let Some(difference) = shape::difference(program, &read) {
                panic!("seed {seed}: {difference}\n{text}");
            }
        }
    });
}

#[test]
fn nine_of_ten_relaxed_drafts_get_a_meaning() {
    with_stack(|| {
        let (mut proved, mut refused, mut long) = (0, 0, 0);
        for seed in 100..130 {
            let made = made(seed, &edge());
            proved += 1;
            let verdicts = made.refused.iter();
            refused += verdicts.filter(|one| matches!(one, Refusal::Verdict { .. })).count();
            long += usize::from(made.relaxed.rounds > 3);
        }
        assert!(long * 9 <= proved, "{long} of {proved} needed more than three rounds");
        assert!(refused * 9 <= proved, "{refused} refused, {proved} proved");
    });
}

#[test]
fn each_rule_is_broken_only_where_it_is_asked_for() {
    with_stack(|| {
        for row in RELAXATIONS {
            let mut broken = 0;
            for seed in 0..4 {
                let tally = made(seed, &only(row.relaxation, row.wrong_code)).relaxed;
                for other in RELAXATIONS.iter().filter(|other| other.name != row.name) {
                    assert_eq!(tally.relaxed[other.relaxation as usize], 0, "{}", other.name);
                }
                broken += tally.relaxed[row.relaxation as usize];
            }
            assert!(broken > 0, "{}", row.name);
        }
    });
}

#[test]
fn strict_programs_have_no_jump_over_an_initialiser_and_no_conflict() {
    with_stack(|| {
        for seed in 0..6 {
            let mut config = edge();
            config.relax.purpose = None;
            // Code that never runs may jump anywhere.
            config.weights.set(Feature::Hostile, 0);
            let made = made(seed, &config);
            assert!(made.relaxed.shares.is_strict());
            assert_eq!(made.census().edges, Default::default(), "seed {seed}");
        }
    });
}

#[test]
fn relaxed_jumps_pass_initialisers_and_operands_would_be_in_conflict() {
    with_stack(|| {
        let count = |relaxation| {
            let made = (0..8).map(|seed| made(seed, &only(relaxation, 60)));
            let edges: Vec<_> = made.map(|made| made.census().edges).collect();
            let jumps = edges.iter().filter(|edges| edges.jumps > 0).count();
            (jumps, edges.iter().filter(|edges| edges.conflicts > 0).count())
        };
        assert!(count(Relaxation::Jump).0 >= 3);
        assert!(count(Relaxation::Order).1 >= 3);
    });
}

#[test]
fn wild_drafts_are_c_and_always_the_same() {
    with_stack(|| {
        for seed in 0..6 {
            let files = wild(seed, &edge());
            assert_eq!(files, wild(seed, &edge()));
            farrier_front::parse(&files, &options())
                .unwrap_or_else(|failure| panic!("{}", failure.diagnostic.message));
        }
    });
}
