//! Rolls dice.
fn main() {}
