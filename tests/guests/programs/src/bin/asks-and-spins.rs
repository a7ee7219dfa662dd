//! Asks, never reads the answer, and computes without end.

use std::hint::black_box;

use narratoria_guest_programs::{ASK, say};

fn main() {
    say(ASK);
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}
