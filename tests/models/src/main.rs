//! `narratoria-models tiny OUT.gguf [SEED]` writes the smallest model, to try things with.

use std::{io, path::Path};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let usage = || io::Error::other("usage: narratoria-models tiny OUT.gguf [SEED]");
    let (path, seed) = match arguments[..] {
        ["tiny", path] => (path, 1),
        ["tiny", path, seed] => (path, seed.parse().map_err(|_| usage())?),
        _ => return Err(usage()),
    };
    narratoria_models::tiny(Path::new(path), seed)
}
