//! See `narratoria_fuzz::archive`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::archive(bytes));
