//! Programs that were never text: what is printed reads back as the same program.

#[path = "support/random.rs"]
mod random;

use farrier_front::{Options, parse};
use farrier_lang::print::{PrintOptions, print};
use farrier_lang::{Dialect, SourceText, Target, shape, target, well_formed};

/// How many programs there are for each target and dialect.
const PROGRAMS: u64 = 100;

fn check(target: &'static Target, dialect: Dialect, seed: u64) -> Result<usize, String> {
    let program = random::program(target, dialect, seed);
    let violations = well_formed::check(&program);
    let printed = print(&program, &PrintOptions::default());
    if let Some(violation) = violations.first() {
        return Err(format!("not well formed: {violation}\n{printed}"));
    }
    let options = Options { target, dialect, permissive: false };
    let input = SourceText::new("random.c", printed.as_str());
    let again = parse(&[input], &options).map_err(|failure| {
        let place = failure.sources.place(failure.diagnostic.span);
        let line = place.map_or(String::new(), |place| place.text.to_owned());
        format!("does not read back: {}\n{line}\n\n{printed}", failure.diagnostic.message)
    })?;
    match shape::difference(&program, &again) {
        Some(difference) => Err(format!("reads back differently: {difference}\n{printed}")),
        None => Ok(printed.len()),
    }
}

fn check_target(target: &'static Target) {
    let mut bytes = 0;
    for dialect in Dialect::ALL {
        for seed in 0..PROGRAMS {
            match check(target, dialect, seed + 1000 * dialect as u64) {
                Ok(length) => bytes += length,
                Err(trouble) => panic!("{} {} {seed}: {trouble}", target.name, dialect.name()),
            }
        }
    }
    assert!(bytes > 200_000, "the programs have only {bytes} bytes: too few to mean anything");
}

#[test]
fn random_programs_for_x86_64_read_back() {
    check_target(&target::X86_64_LINUX);
}

#[test]
fn random_programs_for_i386_read_back() {
    check_target(&target::I386_LINUX);
}

#[test]
fn random_programs_for_aarch64_read_back() {
    check_target(&target::AARCH64_LINUX);
}

#[test]
fn random_programs_for_avr_read_back() {
    check_target(&target::AVR);
}
