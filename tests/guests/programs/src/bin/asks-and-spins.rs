//! Asks, and never reads the answer: it is busy.

use std::hint::black_box;

use narratoria_guest_programs::{ASK, say};

fn main() {
    say(ASK);
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}
