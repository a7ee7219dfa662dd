//! See `narratoria_fuzz::registry`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::registry(bytes));
