//! What holds for every mutator.

use farrier_lang::target::X86_64_LINUX;
use farrier_lang::{Dialect, SourceText};
use farrier_machine::{Certified, Options, certify};

use super::{Lineage, Mutant, Refusal, STRATEGIES, Settings, Strategy};
use crate::scene::{calls_itself, must_inline};
use crate::{Config, generate};

/// The program in a text, certified.
pub(super) fn certified(text: &str) -> Certified {
    let options =
        farrier_front::Options { target: &X86_64_LINUX, dialect: Dialect::C17, permissive: false };
    let program = farrier_front::parse(&[SourceText::new("a.c", text)], &options)
        .unwrap_or_else(|failure| panic!("{}: {text}", failure.diagnostic.message));
    certify(program, &Options::default()).expect("it is defined")
}

/// A generated program, as it is read from its text.
pub(super) fn generated(seed: u64) -> Certified {
    let config = Config { size: 4_000, ..Config::default() };
    let made = generate(seed, &config).expect("it can be made");
    certified(&made.files[0].text)
}

/// The mutant of a program by one strategy and a seed.
pub(super) fn mutant(
    original: &Certified,
    strategy: Strategy,
    donors: &[Certified],
    seed: u64,
) -> Result<(Lineage, Mutant), Refusal> {
    let settings = Settings { with: vec![strategy], ..Settings::default() };
    let mut lineage = Lineage::new(original, &Options::default());
    let mutant = lineage.grow(seed, donors, &settings)?;
    Ok((lineage, mutant))
}

/// The same by one row: no two mutations of it conflict.
pub(super) fn by_one_row(
    original: &Certified,
    strategy: Strategy,
    donors: &[Certified],
    seed: u64,
) -> Result<(Lineage, Mutant), Refusal> {
    let settings = Settings { with: vec![strategy], edits: (1, 1), ..Settings::default() };
    let mut lineage = Lineage::new(original, &Options::default());
    let mutant = lineage.grow(seed, donors, &settings)?;
    Ok((lineage, mutant))
}

/// The rounds of a lineage as a recipe has them.
pub(super) fn recipe(lineage: &Lineage) -> Vec<(u64, Vec<usize>)> {
    let indices = |round: &super::Round| round.mutations.iter().map(|one| one.index).collect();
    lineage.rounds().iter().map(|round| (round.seed, indices(round))).collect()
}

#[test]
fn what_must_be_inlined_does_not_call_itself() {
    let original = certified(
        "int x = 3; static int f(int n) { if (n > 9) { x++; x = x * n; } return n + x; } \
         static int g(int n) { if (n < 0) { x = f(n); x = f(n) + 1; } return n - x; } \
         int main(void) { return f(1) + g(2) - 3; }",
    );
    let with = vec![Strategy::Athena, Strategy::Facts];
    let settings = Settings { with, edits: (40, 40), ..Settings::default() };
    let mut inlined = 0;
    for seed in 0..60 {
        let mut lineage = Lineage::new(&original, &Options::default());
        let Ok(mutant) = lineage.grow(seed, &[], &settings) else { continue };
        let program = mutant.certified.program();
        for function in program.functions.ids().filter(|id| must_inline(program, *id)) {
            inlined += 1;
            assert!(!calls_itself(program, function), "{seed}: {}", mutant.text);
        }
    }
    assert!(inlined > 5, "{inlined}");
}

#[test]
fn equivalent_mutants_do_what_the_program_did() {
    for seed in 0..6 {
        let original = generated(seed);
        for row in STRATEGIES.iter().filter(|row| row.equivalent) {
            let Ok((_, mutant)) = mutant(&original, row.strategy, &[], seed) else { continue };
            let (before, after) = (original.behavior(), mutant.certified.behavior());
            assert_eq!(before.output, after.output, "{} {seed}", row.name);
            assert_eq!(before.volatile_hash, after.volatile_hash, "{} {seed}", row.name);
        }
    }
}

#[test]
fn a_recipe_makes_the_same_bytes_and_can_leave_out_any_mutation() {
    let settings = Settings { edits: (1, 12), ..Settings::default() };
    let (options, donors) = (Options::default(), [generated(100)]);
    let mut left_out = 0;
    for seed in 0..4 {
        let original = generated(seed);
        let mut lineage = Lineage::new(&original, &options);
        let mutants: Vec<Mutant> = (0..3)
            .filter_map(|round| lineage.grow(10 * seed + round, &donors, &settings).ok())
            .collect();
        let Some(last) = mutants.last() else { continue };
        let again = Lineage::replay(&original, &recipe(&lineage), &donors, &settings, &options)
            .expect("the same is drawn again");
        let all = again.keeping(&|_, _| true).expect("it was proved");
        assert_eq!(all.text, last.text);
        let none = again.keeping(&|_, _| false).expect("it is the original");
        assert_eq!(none.certified.behavior().output, original.behavior().output);
        for (number, round) in lineage.rounds().iter().enumerate() {
            for at in 0..round.mutations.len() {
                let others = again.keeping(&|one, position| (one, position) != (number, at));
                left_out += u32::from(others.is_some_and(|others| others.text != last.text));
            }
        }
    }
    assert!(left_out > 0, "some mutation matters to the text");
}

/// Orion: a row, a program, and a text that the row takes away for some seed.
const DEAD: &[(&str, &str, &str)] = &[
    ("delete", "int x = 1; int main(void) { if (x > 5) { x = 7; x++; } return x; }", "x = 7"),
    (
        "delete",
        "int x; int main(void) { switch (x) { case 0: break; case 5: x++; } return x; }",
        "x++",
    ),
    ("cut", "int x = 1, y; int main(void) { return x < 5 || (y = 9); }", "y = 9"),
    ("cut", "int x = 1, y; int main(void) { return x < 5 || (y = 9); }", "||"),
    ("cut", "int x = 1, y; int main(void) { return x < 5 ? 2 : (y = 9); }", "y = 9"),
    ("cut", "int x = 1, y; int main(void) { return x < 5 ? 2 : (y = 9); }", "?"),
    ("forget", "int x = 1; int main(void) { int y = x; if (x > 5) x = y; return x; }", "int y"),
    ("forget", "int x = 1, y = 3; int main(void) { if (x > 5) x = y; return x; }", "int y"),
    (
        "unlabel",
        "int x; int main(void) { switch (x) { case 0: x++; case 5: x++; } return x; }",
        "case 5",
    ),
    (
        "unlabel",
        "int x; int main(void) { switch (x) { case 0: x++; default: x++; } return x; }",
        "default",
    ),
    ("hollow", "int x; int f(void) { x = 77; return x; } int main(void) { return x; }", "x = 77"),
];

#[test]
fn every_row_of_orion_deletes() {
    for (row, text, dead) in DEAD {
        let original = certified(text);
        let gone = (0..60).any(|seed| {
            let Ok((lineage, mutant)) = by_one_row(&original, Strategy::Orion, &[], seed) else {
                return false;
            };
            assert!(lineage.counts().iter().all(|count| count.drawn == count.proved), "{text}");
            let mut mutations = lineage.rounds()[0].mutations.iter();
            mutations.any(|mutation| mutation.name() == *row) && !mutant.text.contains(dead)
        });
        assert!(gone, "{row} never deletes `{dead}` of {text}");
    }
}

/// What runs, or whose value is seen, stays.
const ALIVE: &[&str] = &[
    "int x, y; int main(void) { int z = x++; if (y) z = 3; return x; }",
    "volatile int v; int main(void) { volatile int z = v; if (v) z = 3; return 0; }",
    "int x; int f(void) { return x++; } int main(void) { int a[f() + 1]; if (!x) a[0] = 1; return x; }",
    "int x = 2; int main(void) { switch (x) { case 0 ... 4: x++; break; default: x = 9; } return x; }",
];

#[test]
fn orion_keeps_what_runs() {
    for text in ALIVE {
        let original = certified(text);
        for seed in 0..40 {
            let Ok((lineage, mutant)) = by_one_row(&original, Strategy::Orion, &[], seed) else {
                continue;
            };
            assert!(lineage.counts().iter().all(|count| count.drawn == count.proved), "{text}");
            let (before, after) = (original.behavior(), mutant.certified.behavior());
            assert_eq!(before.volatile_hash, after.volatile_hash, "{text}");
        }
    }
}

#[test]
fn orion_deletes_what_never_runs() {
    let original =
        certified("int x = 1; int main(void) { if (x > 5) { x = 7; x++; x *= 3; } return x; }");
    let mutants = (0..20).filter_map(|seed| mutant(&original, Strategy::Orion, &[], seed).ok());
    let texts: Vec<String> = mutants.map(|(_, mutant)| mutant.text).collect();
    assert!(texts.iter().any(|text| !text.contains("x = 7")), "{texts:?}");
    assert!(texts.iter().all(|text| text.contains("return x")));
}
