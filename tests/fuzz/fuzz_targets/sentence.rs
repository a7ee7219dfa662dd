//! See `narratoria_fuzz::sentence`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::sentence(bytes));
