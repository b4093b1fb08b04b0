//! The stack on which the work is done.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The work panicked, which is a bug; the panic has been reported already.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Does `work` on a stack that is deep enough for any program.
///
/// It is another stack of this thread and not another thread: a process with one thread
/// allocates faster.
pub(crate) fn run<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    stacker::grow(farrier_lang::STACK_BYTES, || catch_unwind(AssertUnwindSafe(work)))
        .map_err(|_payload| Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught() {
        assert!(matches!(run(|| panic!("meant to be seen")), Err::<(), _>(Panicked)));
    }

    #[test]
    fn the_stack_is_deep() {
        fn sum(depth: u32) -> u64 {
            let block = std::hint::black_box([u64::from(depth); 1 << 10]);
            if depth == 0 { 0 } else { block[0] + sum(depth - 1) }
        }
        assert_eq!(run(|| sum(10_000)).expect("80 MB of stack are there"), 50_005_000);
    }
}
