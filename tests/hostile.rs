//! The hostile corpus: components that break rules, each with its expected ending in a text file. The programs in
//! Rust are in `tests/guests`; components that no compiler would make are crafted here.
//!
//! `cargo test` runs each component once, and a few rounds of all; `make hostile` runs a thousand rounds, and stops a
//! thousand runaways beside sixty-four other invocations.

mod compiling;
mod corpus;
mod crafted;
mod rounds;
mod runaway;
mod support;
