//! The fuzz targets in small: inputs that once failed or that reach far, and random
//! ones with fixed seeds.

#![expect(clippy::disallowed_methods, reason = "the corpus is a directory of files")]
#![expect(clippy::print_stdout, reason = "a failing check does not know its input's name")]

use std::fs;
use std::path::Path;
use std::thread;

use farrier_front::fuzzing::{check_bytes, check_tokens};
use farrier_lang::STACK_BYTES;

/// Runs `work` with the stack that programs may need.
fn with_stack(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        if let Err(panic) = thread.expect("there is room for one thread").join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Checks every file of a directory, in the order of their names. How many were accepted.
fn check_corpus(directory: &str, check: fn(&[u8]) -> bool) -> usize {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz-corpus").join(directory);
    let mut paths: Vec<_> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", directory.display());
    let mut accepted = 0;
    for path in paths {
        println!("{}", path.display());
        accepted += usize::from(check(&fs::read(&path).unwrap()));
    }
    accepted
}

/// Checks `count` random inputs of up to `longest` bytes; how many were accepted.
fn check_random(count: u32, longest: usize, check: fn(&[u8]) -> bool) -> usize {
    // xorshift64: any generator would do, as long as it is always the same.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut accepted = 0;
    for number in 0..count {
        let length = next() as usize % (longest + 1);
        let bytes: Vec<u8> = (0..length).map(|_| (next() >> 32) as u8).collect();
        println!("{number}: {bytes:?}");
        accepted += usize::from(check(&bytes));
    }
    accepted
}

#[test]
fn corpus_of_bytes() {
    with_stack(|| assert!(check_corpus("bytes", check_bytes) > 0, "nothing is accepted"));
}

#[test]
fn corpus_of_tokens() {
    with_stack(|| assert!(check_corpus("tokens", check_tokens) > 0, "nothing is accepted"));
}

#[test]
fn random_bytes() {
    with_stack(|| {
        check_random(5_000, 64, check_bytes);
    });
}

#[test]
fn random_tokens() {
    with_stack(|| {
        let accepted = check_random(5_000, 12, check_tokens);
        assert!(accepted > 50, "only {accepted} were accepted: too few to mean anything");
    });
}
