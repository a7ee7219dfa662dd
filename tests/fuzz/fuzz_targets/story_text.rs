//! See `narratoria_fuzz::story_text`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::story_text(bytes));
