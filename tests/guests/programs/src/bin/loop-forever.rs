//! Computes without end and without host calls, so only fuel or the clock can stop it.

use std::hint::black_box;

fn main() {
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}
