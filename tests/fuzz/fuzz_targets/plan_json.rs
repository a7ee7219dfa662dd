//! See `narratoria_fuzz::plan_json`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::plan_json(bytes));
