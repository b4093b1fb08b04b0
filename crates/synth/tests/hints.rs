//! Promises about loops in generated programs, against what a run sees of the loops.

use std::collections::BTreeMap;

use farrier_lang::hint::{Hint, HintKind};
use farrier_lang::{STACK_BYTES, Stmt};
use farrier_machine::{Options, Verdict, Watch, run};
use farrier_synth::features::Feature;
use farrier_synth::{Config, generate};

const PROGRAMS: u64 = 60;

/// Every loop with a promise carries nothing from round to round, or only so far that its
/// `safelen` allows it.
fn check() {
    let mut config = Config { size: 10_000, ..Config::default() };
    for (feature, share) in
        [(Feature::Nest, 80), (Feature::Ivdep, 40), (Feature::OmpSimd, 60), (Feature::LoopHint, 30)]
    {
        config.weights.set(feature, share);
    }
    let mut counts = BTreeMap::new();
    for seed in 0..PROGRAMS {
        let made = generate(seed, &config).expect("there is a program");
        let mut program = made.certified.program().clone();
        let mut promises = Vec::new();
        for id in program.stmts.ids().collect::<Vec<_>>() {
            let Stmt::Hinted { hints, body } = program[id].clone() else { continue };
            program[id] = program[body].clone();
            let Some(promise) = hints.iter().find(|hint| hint.kind.row().promise) else { continue };
            let safelen = hints.iter().find(|hint| hint.kind == HintKind::Safelen);
            for clause in &hints[1..] {
                *counts.entry(clause.kind).or_insert(0) += 1;
            }
            // What a clause excepts from the promise.
            let excepts =
                |hint: &&Hint| hint.kind.reduces_by().is_some() || hint.kind == HintKind::Linear;
            let excepted = hints.iter().filter(excepts);
            let reductions: Vec<_> =
                excepted.filter_map(|hint| program.hinted_object(hint)).collect();
            *counts.entry(promise.kind).or_insert(0) += 1;
            promises.push((id, safelen.map_or(u32::MAX, |hint| hint.number), reductions));
        }
        let loops = promises.iter().map(|(id, _, reductions)| (*id, reductions.clone())).collect();
        let options =
            Options { profile: Some(Watch { loops, ..Watch::default() }), ..Options::default() };
        let seen = run(&program, &options);
        assert!(matches!(seen.verdict, Verdict::Defined(_)), "seed {seed}");
        let profile = seen.profile.expect("it was asked for");
        for (id, reach, _) in promises {
            let carried = profile.rounds(id).and_then(|seen| seen.carried);
            assert!(carried.is_none_or(|distance| distance > reach), "seed {seed}: {carried:?}");
        }
    }
    for kind in [HintKind::Ivdep, HintKind::Simd, HintKind::Aligned] {
        assert!(counts.get(&kind).is_some_and(|count| *count > 8), "{counts:?}");
    }
    let reductions: u32 =
        counts.iter().filter(|(kind, _)| kind.reduces_by().is_some()).map(|row| row.1).sum();
    assert!(reductions > 4, "{counts:?}");
    for kind in [HintKind::Linear, HintKind::Concurrent, HintKind::IfNot, HintKind::Nontemporal] {
        assert!(counts.contains_key(&kind), "{counts:?}");
    }
}

#[test]
fn promises_are_true() {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(check);
    thread.expect("a thread can be started").join().expect("it holds");
}
