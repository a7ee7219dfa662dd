//! Allocates memory without end, and touches all of it.

use std::hint::black_box;

/// One bite.
const BITE_BYTES: usize = 1 << 20;

fn main() {
    let mut hoard = Vec::new();
    loop {
        hoard.push(vec![1_u8; BITE_BYTES]);
        black_box(&hoard);
    }
}
