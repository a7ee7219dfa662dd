//! See `narratoria_fuzz::schema_cost`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::schema_cost(bytes));
