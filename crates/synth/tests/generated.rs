//! What holds for every generated program, whatever it checks and however its guards are
//! discharged; and that seeds mean what they meant.
#![expect(clippy::disallowed_methods, reason = "golden hashes are read from a file and blessed")]

use std::fmt::Write;
use std::path::Path;

use farrier_lang::shape;
use farrier_synth::discharge::Discharge;
use farrier_synth::{Check, Config, Generated, Preset, generate};

fn config(preset: Preset, size: usize) -> Config {
    let mut config = Config { size, ..Config::default() };
    preset.apply(&mut config);
    config
}

fn make(seed: u64, config: &Config) -> Result<Generated, String> {
    generate(seed, config).map_err(|refused| format!("every draft is refused: {refused:?}"))
}

/// Fails with all that is wrong.
fn expect_none(troubles: &[String]) {
    assert!(troubles.is_empty(), "{} troubles:\n{}", troubles.len(), troubles.join("\n"));
}

/// The front end reads a program as it was printed, and the machine agrees with itself.
fn check(made: &Generated, config: &Config) -> Result<(), String> {
    let behavior = made.certified.behavior();
    if behavior.steps > config.steps {
        return Err(format!("{} operations", behavior.steps));
    }
    let options = farrier_front::Options {
        target: config.target,
        dialect: config.dialect,
        permissive: false,
    };
    let parsed = farrier_front::parse(&made.files, &options)
        .map_err(|failure| format!("the front end says: {}", failure.diagnostic.message))?;
    // Several files are linked in another order.
    if config.split == 0
        && let Some(difference) = shape::difference(&parsed, made.certified.program())
    {
        return Err(format!("another program is read: {difference}"));
    }
    let options = farrier_machine::Options { steps: config.steps, ..Default::default() };
    let certified = farrier_machine::certify(parsed, &options)
        .map_err(|verdict| format!("what is read is not defined: {verdict:?}"))?;
    let again = certified.behavior();
    if again.output != behavior.output || again.ending != behavior.ending {
        return Err(format!("{again:?} is not {behavior:?}"));
    }
    Ok(())
}

#[test]
fn programs_of_every_check_discharge_and_split_are_what_they_should_be() {
    let discharges = [Discharge::Keep, Discharge::Drop, Discharge::Flip, Discharge::Mixed];
    let mut seed = 0;
    let mut troubles = Vec::new();
    for promise in [Check::Checksum, Check::Asserts, Check::None] {
        for discharge in discharges {
            for split in [0, 2] {
                seed += 1;
                let base = config(Preset::Default, 6_000);
                let config = Config { check: promise, discharge, split, ..base };
                let result = make(seed, &config).and_then(|made| {
                    check(&made, &config)?;
                    let output = String::from_utf8_lossy(&made.certified.behavior().output);
                    let right = match promise {
                        Check::Checksum => output.starts_with("checksum = "),
                        Check::Asserts => output == "OK\n",
                        Check::None => output.is_empty(),
                    };
                    if !right {
                        return Err(format!("prints {output}"));
                    }
                    if discharge == Discharge::Flip && made.tally.kept > 0 {
                        return Err(format!("{} guards are kept", made.tally.kept));
                    }
                    Ok(())
                });
                if let Err(trouble) = result {
                    let name = format!("seed {seed}, {promise:?}, {discharge:?}, {split} parts");
                    troubles.push(format!("{name}: {trouble}"));
                }
            }
        }
    }
    expect_none(&troubles);
}

#[test]
fn a_small_budget_is_kept() {
    for seed in 1..=5 {
        let config = Config { steps: 3_000, ..config(Preset::Default, 10_000) };
        let steps = make(seed, &config).expect("there is a program").certified.behavior().steps;
        assert!(steps <= 3_000, "seed {seed}: {steps} operations");
    }
}

/// The hash FNV-1a, which is the same everywhere and for ever.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Same seed, same bytes, on every machine. When programs are meant to change:
/// `FARRIER_BLESS=1 cargo test -p farrier-synth --test generated`.
#[test]
fn seeds_mean_what_they_meant() {
    let mut hashes = String::new();
    for preset in Preset::ALL {
        for seed in 1..=3 {
            let made = make(seed, &config(preset, 5_000)).expect("there is a program");
            let text: String = made.files.iter().map(|file| &*file.text).collect();
            writeln!(hashes, "{} {seed} {:016x}", preset.name(), hash(&text)).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden-hashes.txt");
    if std::env::var_os("FARRIER_BLESS").is_some() {
        std::fs::write(&path, &hashes).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(hashes, golden, "if that is meant, run again with FARRIER_BLESS=1");
}
