//! The hostile corpus: components that break every rule there is, each with the ending that it must get in a
//! text file. Programs in Rust lie in `tests/guests`, what no compiler would make is crafted here.
//!
//! `cargo test` runs each of them once and a few rounds of all; `make hostile` runs a thousand, and stops a
//! thousand runaways beside sixty-four others.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod compiling;
mod corpus;
mod crafted;
mod rounds;
mod runaway;
mod support;
