//! See `narratoria_fuzz::campaigns`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::campaigns(bytes));
