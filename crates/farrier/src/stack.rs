//! The stack on which the work is done.

use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A little less than the largest block that the allocator of glibc takes as a hint.
const LARGE_BLOCK: usize = (32 << 20) - (64 << 10);

/// The work panicked, which is a bug; the panic has been reported already.
#[derive(Debug)]
pub(crate) struct Panicked;

/// Does `work` on a stack that is deep enough for any program.
///
/// It is another stack of this thread and not another thread: a process with one thread
/// allocates faster.
pub(crate) fn run<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    // glibc maps large blocks one by one and gives them back when they are freed, until
    // it sees one freed: blocks up to that size it keeps from then on, and what was the
    // text becomes the code without another page fault. This one is never touched.
    drop(black_box(Vec::<u8>::with_capacity(LARGE_BLOCK)));
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
