//! Builds the skills that are embedded in the binary.
fn main() {}
