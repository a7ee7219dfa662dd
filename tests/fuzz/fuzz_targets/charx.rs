//! See `narratoria_fuzz::charx`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::charx(bytes));
