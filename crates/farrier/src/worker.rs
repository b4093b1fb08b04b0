//! The thread on which the work is done.

use std::{io, thread};

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The thread could not be started.
    Spawn(io::Error),
    /// The work panicked, which is a bug; the panic has been reported already.
    Panic,
}

/// Does `work` on a thread with enough stack for any program.
pub(crate) fn run<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Trouble> {
    thread::Builder::new()
        .name("farrier".into())
        .stack_size(farrier_lang::STACK_BYTES)
        .spawn(work)
        .map_err(Trouble::Spawn)?
        .join()
        .map_err(|_payload| Trouble::Panic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught() {
        assert!(matches!(run(|| panic!("meant to be seen")), Err::<(), _>(Trouble::Panic)));
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
