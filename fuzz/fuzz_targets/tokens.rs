#![no_main]
//! Texts made of C tokens: what is accepted is well formed and reads back.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(farrier_lang::STACK_BYTES)
            .spawn_scoped(scope, || farrier_front::fuzzing::check_tokens(bytes))
            .expect("there is room for one thread");
    });
});
