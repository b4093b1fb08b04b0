//! The promises of the bank: every function is defined for all arguments, on every target,
//! and short.

use farrier_lang::STACK_BYTES;
use farrier_lang::target::{AVR, I386_LINUX, X86_64_LINUX};
use farrier_lang::well_formed;
use farrier_machine::{Verdict, run};

use super::*;
use crate::Choices;

/// How many calls with random arguments each function gets.
const RANDOM_CALLS: usize = 200;

/// The most operations of a program that makes one call.
const MOST_OPERATIONS: u64 = 400;

/// How many functions there are at least.
const FEWEST: usize = 100;

fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let result = thread.expect("a thread").join();
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

/// Values of a type that are more likely than others to break something.
fn borders(kind: IntKind, target: &Target) -> Vec<i128> {
    let bits = target.int_bits(kind);
    let (low, high) = if kind == IntKind::Bool {
        (0, 1)
    } else if target.int_signed(kind) {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    let near = [0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 31, 32, 63, 64, 99, 100, 127, 128, 255, 256];
    let around = [low, low + 1, low / 2, -100, -2, -1, high / 2, high / 2 + 1, high - 1, high];
    let all = near.into_iter().chain(around);
    all.filter(|value| (low..=high).contains(value)).collect()
}

/// The calls of a function that are tried: all borders of each parameter, beside random ones
/// of the others, and random ones of all.
fn calls(row: &Row, target: &Target, choices: &mut Choices) -> Vec<Vec<i128>> {
    let parameters = &row.parameters;
    let borders: Vec<Vec<i128>> = parameters.iter().map(|kind| borders(*kind, target)).collect();
    let mut drawn = |at: usize| match choices.chance(50) {
        true => choices.pick(&borders[at]),
        false => {
            let (low, high) = (borders[at].iter().min(), borders[at].iter().max());
            let (low, high) = low.zip(high).map(|(low, high)| (*low, *high)).expect("some");
            let shift = choices.below(64);
            let value = i128::from(choices.bits() >> shift);
            low + value.rem_euclid(high - low + 1)
        }
    };
    let mut calls = Vec::new();
    for at in 0..parameters.len() {
        for border in &borders[at] {
            for _ in 0..3 {
                let mut arguments: Vec<i128> = (0..parameters.len()).map(&mut drawn).collect();
                arguments[at] = *border;
                calls.push(arguments);
            }
        }
    }
    for _ in 0..RANDOM_CALLS {
        calls.push((0..parameters.len()).map(&mut drawn).collect());
    }
    calls
}

#[test]
fn every_function_is_defined_for_all_arguments() {
    with_stack(|| {
        for target in [&X86_64_LINUX, &I386_LINUX, &AVR] {
            let mut choices = Choices::new(1);
            let mut functions = 0;
            for kind in 0..KINDS {
                let bank = bank(kind, target);
                functions += bank.rows.len();
                for row in &bank.rows {
                    let name = bank.program.text(bank.program[row.function].name);
                    let count = row.parameters.len();
                    assert!((1..=4).contains(&count), "{name} has {count} parameters");
                    let calls = calls(row, target, &mut choices);
                    let all: Vec<&[i128]> = calls.iter().map(|arguments| &arguments[..]).collect();
                    let mut probe = row.probe.clone();
                    probe.prepare(&row.parameters, &all);
                    let violations = well_formed::check(&probe.program);
                    assert!(violations.is_empty(), "{name}: {:?}", violations.first());
                    let verdict = run(&probe.program, &Limits::default()).verdict;
                    let is_defined = matches!(verdict, Verdict::Defined(_));
                    assert!(is_defined, "{name} on {}: {verdict:?}", target.name);
                }
            }
            assert!(functions >= FEWEST, "{functions} functions");
        }
    });
}

#[test]
fn no_call_takes_long() {
    with_stack(|| {
        let mut long = Vec::new();
        for kind in 0..KINDS {
            let bank = bank(kind, &X86_64_LINUX);
            for row in &bank.rows {
                let calls = calls(row, &X86_64_LINUX, &mut Choices::new(2));
                let mut callable = row.callable();
                let mut most = 0;
                for arguments in calls.iter().step_by(6) {
                    let called = call(&mut callable, arguments);
                    assert_eq!(called, call(&mut row.callable(), arguments), "an earlier call");
                    most = called.1.max(most);
                }
                if most > MOST_OPERATIONS {
                    let name = bank.program.text(bank.program[row.function].name);
                    long.push(format!("{name} takes {most} operations"));
                }
            }
        }
        assert!(long.is_empty(), "{}", long.join("\n"));
    });
}

#[test]
fn values_are_those_of_c() {
    let kind = FILES.iter().position(|(name, _)| *name == "arithmetic.c").unwrap();
    let bank = bank(kind, &X86_64_LINUX);
    let rows: [(&str, &[i128], i128); 5] = [
        ("greatest_divisor", &[84, 36], 12),
        ("square_root", &[2000], 44),
        ("power_modulo", &[3, 200, 13], 9),
        ("fibonacci", &[20], 6765),
        ("floor_divide", &[-7, 2], -4),
    ];
    for (name, arguments, value) in rows {
        let is_named = |row: &&Row| bank.program.text(bank.program[row.function].name) == name;
        let row = bank.rows.iter().find(is_named).unwrap();
        assert_eq!(call(&mut row.callable(), arguments).0, value, "{name}");
    }
}

#[test]
fn names_are_recognised() {
    for name in ["square_root", "square_root_1", "make_fraction", "multiply"] {
        assert!(is_bank_name(name), "{name}");
    }
    for name in ["main", "f1", "root", "f_1", "Matrix"] {
        assert!(!is_bank_name(name), "{name}");
    }
}
