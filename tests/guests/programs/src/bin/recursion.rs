//! Calls itself without end.

use std::hint::black_box;

fn main() {
    let depth = descend(black_box(0));
    narratoria_guest_programs::say(&depth.to_string());
}

fn descend(depth: u64) -> u64 {
    // The sum after the call prevents a tail call, and the condition is opaque to the compiler.
    if black_box(depth) == u64::MAX {
        return depth;
    }
    black_box(descend(depth + 1)).wrapping_add(1)
}
