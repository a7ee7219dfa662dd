//! See `narratoria_fuzz::patterns`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::patterns(bytes));
