//! See `narratoria_fuzz::manifest`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::manifest(bytes));
