//! Reads the campaign, and tries every way to change it. Says what it read, and `ok` only if nothing changed. Without a
//! campaign there is nothing to read.

use std::{
    fs::{self, File, OpenOptions},
    io,
    time::SystemTime,
};

use narratoria_guest_programs::{drain_stdin, link, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let read = |path: &str| fs::read_to_string(path).ok();
    let (world, deck) = (read("/campaign/world.json"), read("/campaign/texts/harbour.json"));
    let _ = fs::write("/data/mine", "forged");
    let append = || OpenOptions::new().append(true).open("/campaign/world.json");
    let tries: [(&str, io::Result<()>); 14] = [
        ("write", fs::write("/campaign/world.json", "forged")),
        ("append", append().map(drop)),
        ("truncate", File::create("/campaign/world.json").map(drop)),
        ("a new file", fs::write("/campaign/new.json", "forged")),
        ("a new folder", fs::create_dir("/campaign/new")),
        ("remove", fs::remove_file("/campaign/world.json")),
        ("remove a folder", fs::remove_dir_all("/campaign/texts")),
        ("rename within", fs::rename("/campaign/world.json", "/campaign/other.json")),
        ("rename in", fs::rename("/data/mine", "/campaign/world.json")),
        ("rename out", fs::rename("/campaign/world.json", "/data/world.json")),
        ("a hard link in", fs::hard_link("/data/mine", "/campaign/hard.json")),
        ("a link", link("/data/mine", "/campaign", "link.json")),
        ("by way of another folder", fs::write("/data/../campaign/world.json", "forged")),
        (
            "times",
            File::open("/campaign/world.json")
                .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH)),
        ),
    ];
    let done: Vec<&str> =
        tries.iter().filter(|(_, tried)| tried.is_ok()).map(|(what, _)| *what).collect();
    let is_same = (read("/campaign/world.json"), read("/campaign/texts/harbour.json"))
        == (world.clone(), deck.clone());
    let ok = done.is_empty() && is_same;
    say_done(ok, &json!({"world": world, "deck": deck, "done": done}));
}
