//! Offers the player what to do next.
fn main() {}
