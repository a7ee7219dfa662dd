//! See `narratoria_fuzz::event_decoder`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| narratoria_fuzz::event_decoder(bytes));
