//! Tells what happens, without a model.
fn main() {}
