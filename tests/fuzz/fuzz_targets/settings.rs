//! See `narratoria_fuzz::settings`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::settings(bytes));
