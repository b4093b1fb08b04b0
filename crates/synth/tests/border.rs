//! Functions of linear forms at the borders of their types.

use farrier_lang::STACK_BYTES;
use farrier_synth::features::Feature;
use farrier_synth::{Config, Refusal, generate};

/// What a few programs with this weight of such functions have: functions, those that run,
/// results at a border, operations that would be undefined if they ran; and the drafts that
/// the machine refused.
fn count(weight: u32) -> [u64; 5] {
    let mut config = Config { size: 10_000, swarm: false, ..Config::default() };
    config.weights.set(Feature::Border, weight);
    let mut counts = [0; 5];
    for seed in 0..12 {
        let made = generate(seed, &config).expect("there is a program");
        let census = made.census();
        let functions = census.feature(Feature::Border);
        let refused =
            made.refused.iter().filter(|it| matches!(it, Refusal::Verdict { .. })).count();
        let found =
            [functions.total, functions.executed, census.borders, census.wild, refused as u64];
        for (count, found) in counts.iter_mut().zip(found) {
            *count += found;
        }
    }
    counts
}

#[test]
fn results_lie_at_borders_and_dead_code_is_wild() {
    let work = || {
        let [off, _, borders_off, ..] = count(0);
        let [functions, executed, borders, wild, refused] = count(400);
        assert_eq!(off, 0, "functions that are off");
        assert!(
            functions >= 10 && 2 * executed >= functions,
            "{functions} functions, {executed} run"
        );
        assert!(borders >= 2 * executed, "{borders} results at borders");
        assert!(borders > 2 * borders_off, "{borders} results at borders and {borders_off} else");
        assert!(wild >= 20 * functions, "{wild} operations in dead code");
        assert!(refused <= 1, "{refused} drafts are refused");
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
