//! Announces assets that the host must refuse: a link, a folder, a file that is too large, one that is removed again,
//! one whose name has another case, and paths that lead out of the folder.

use std::fs;

use narratoria_guest_programs::{drain_stdin, link, say, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    // The host refuses to make links, so this one is not there either.
    let linked = link("map.txt", "/assets", "link.txt").is_ok();
    let made = [
        fs::write("/assets/map.txt", "here be dragons"),
        fs::create_dir("/assets/folder.txt"),
        fs::File::create("/assets/large.txt").and_then(|file| file.set_len(60 << 20)),
        fs::write("/assets/vanishes.txt", "here be nothing"),
    ];
    for path in [
        "link.txt",
        "folder.txt",
        "large.txt",
        "vanishes.txt",
        "MAP.TXT",
        "../map.txt",
        "/etc/hostname",
    ] {
        let event = json!({"version": "0", "type": "asset", "assetId": path, "kind": "map",
            "mediaType": "text/plain", "path": path});
        say(&event.to_string());
    }
    let vanished = fs::remove_file("/assets/vanishes.txt").is_ok();
    let ok = vanished && !linked && made.iter().all(Result::is_ok);
    say_done(ok, &json!({}));
}
