//! Writes into its folder without end: first in large pieces, then through a stream.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
};

use narratoria_guest_programs::{say_done, write_at};
use serde_json::json;

const PIECE_BYTES: usize = 1 << 20;

/// One piece less than the limit: the rest goes through the stream.
const LARGE_PIECES: usize = 63;

fn main() {
    let filled = fill();
    say_done(false, &json!({"refused": filled.is_err()}));
}

fn fill() -> io::Result<()> {
    File::create("/data/full")?;
    for n in 0..LARGE_PIECES {
        write_at("/data", "full", vec![b'x'; PIECE_BYTES], n * PIECE_BYTES)?;
    }
    let mut file = OpenOptions::new().append(true).open("/data/full")?;
    loop {
        file.write_all(&[b'x'; 4096])?;
    }
}
