//! Copies stdin to stdout. The first byte is the length of each write; 0 writes all at once.

use std::io::Read;

use narratoria_guest_programs::write;

fn main() {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    let (Ok(_), Some((first, rest))) = (read, bytes.split_first()) else { return };
    let piece = if *first == 0 { rest.len().max(1) } else { usize::from(*first) };
    rest.chunks(piece).for_each(write);
}
