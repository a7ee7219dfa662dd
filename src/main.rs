//! The `narratoria` command.
fn main() {}
