//! See `narratoria_fuzz::mcp`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::mcp(bytes));
