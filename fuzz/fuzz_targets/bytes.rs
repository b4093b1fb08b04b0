#![no_main]
//! Any bytes are accepted or refused, and nothing panics.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(farrier_lang::STACK_BYTES)
            .spawn_scoped(scope, || farrier_front::fuzzing::check_bytes(bytes))
            .expect("there is room for one thread");
    });
});
