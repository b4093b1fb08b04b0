//! What loop nests are made of: every form of statements occurs in code that runs, and their
//! arithmetic is plain.

use std::collections::{BTreeMap, BTreeSet};

use farrier_lang::STACK_BYTES;
use farrier_machine::{Options, Watch, run};
use farrier_synth::{Config, Preset, generate};

/// How many programs are made.
const PROGRAMS: u64 = 60;

/// The forms of statements, and of loops that are no nests.
const SHAPES: [&str; 37] = [
    "assignment",
    "stencil",
    "recurrence",
    "distribution",
    "sum",
    "wide-sum",
    "conditional-sum",
    "product",
    "bits",
    "extreme",
    "last-match",
    "bit-test",
    "array-sum",
    "carried",
    "induction",
    "choice",
    "division-choice",
    "invariant-choice",
    "counter-choice",
    "switch",
    "exit",
    "skip",
    "copy",
    "group",
    "records",
    "call",
    "byte-fill",
    "byte-copy",
    "byte-overlap",
    "byte-length",
    "byte-string",
    "byte-compare",
    "byte-count",
    "walk",
    "search",
    "straight-group",
    "straight-extreme",
];

/// The least share of plain and signed arithmetic, in percent.
const PLAIN: u64 = 80;

fn work() {
    let mut config = Config { size: 20_000, ..Config::default() };
    Preset::Loops.apply(&mut config);
    let mut shapes: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut plain, mut total) = (0, 0);
    let mut without = 0;
    for seed in 0..PROGRAMS {
        let made = generate(seed, &config).expect("there is a program");
        let watch = Some(Watch::everything());
        let ran = run(made.certified.program(), &Options { profile: watch, ..Options::default() });
        let profile = ran.profile.expect("it was asked for");
        let found = made.shapes.iter().filter(|(_, stmt)| profile.stmt(*stmt) > 0);
        for name in found.map(|(name, _)| *name).collect::<BTreeSet<_>>() {
            *shapes.entry(name).or_default() += 1;
        }
        let arithmetic = made.census().nests;
        plain += arithmetic.plain;
        total += arithmetic.total;
        without += u64::from(made.policies.off);
    }
    for shape in SHAPES {
        assert!(shapes.get(shape).is_some_and(|programs| *programs >= 2), "{shape}: {shapes:?}");
    }
    assert!(plain * 100 >= total * PLAIN, "{plain} of {total} are plain and signed");
    assert!(total > 20 * PROGRAMS, "there are only {total} operators");
    assert!((1..PROGRAMS / 3).contains(&without), "{without} programs follow no policies");
}

#[test]
fn every_form_of_statements_runs_in_nests_and_arithmetic_is_plain_and_signed() {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}
