//! See `narratoria_fuzz::assets`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::assets(bytes));
