//! See `narratoria_fuzz::premise`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::premise(bytes));
