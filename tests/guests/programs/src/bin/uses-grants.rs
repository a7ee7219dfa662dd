//! Uses its grants, and outputs which ones worked: a file in `/assets`, a count in `/data` that grows each time, and the
//! variable `GREETING`.

use std::fs;

use narratoria_guest_programs::{drain_stdin, say, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let asset = fs::write("/assets/map.txt", "here be dragons").is_ok();
    if asset {
        for (id, path) in [("map", "map.txt"), ("gone", "gone.txt"), ("out", "../map.txt")] {
            let event = json!({"version": "0", "type": "asset", "assetId": id, "kind": "map",
                "mediaType": "text/plain", "path": path});
            say(&event.to_string());
        }
    }
    let before = fs::read_to_string("/data/count").unwrap_or_default().len();
    let data = fs::write("/data/count", "x".repeat(before + 1)).is_ok();
    let greeting = std::env::var("GREETING").ok();
    say_done(true, &json!({"asset": asset, "data": data, "before": before, "greeting": greeting}));
}
