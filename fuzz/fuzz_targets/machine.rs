#![no_main]
//! Programs of the corpora with some tokens changed: the machine has a verdict on each.

#[path = "../../crates/machine/tests/support/mutants.rs"]
mod mutants;

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static PROGRAMS: LazyLock<Vec<(PathBuf, String)>> = LazyLock::new(mutants::programs);

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.iter();
    let mut choose = |bound: usize| {
        let mut next = || usize::from(bytes.next().copied().unwrap_or_default());
        let number = if bound > 256 { next() << 8 | next() } else { next() };
        number % bound
    };
    let (path, text) = &PROGRAMS[choose(PROGRAMS.len())];
    let mutant = mutants::mutate(text, &mut choose);
    if std::env::var_os("FARRIER_SHOW").is_some() {
        eprintln!("{}\n{mutant}", path.display());
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(farrier_lang::STACK_BYTES)
            .spawn_scoped(scope, || mutants::check(&mutant, &mut choose))
            .expect("there is room for one thread");
    });
});
