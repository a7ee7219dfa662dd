//! See `narratoria_fuzz::stdio`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::stdio(bytes));
