//! See `narratoria_fuzz::png_card`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::png_card(bytes));
