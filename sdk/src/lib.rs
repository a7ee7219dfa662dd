//! Write Narratoria skills in Rust.
