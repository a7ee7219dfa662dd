//! Makes one folder after the other, each beside the last, and moves the last into it: no path that it names is long.

use std::fs;

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::json;

fn main() {
    drain_stdin();
    let mut last = fs::create_dir("/data/0");
    for n in 1..60 {
        let (from, to) = (format!("/data/{}", n - 1), format!("/data/{n}"));
        last = last
            .and_then(|()| fs::create_dir(&to))
            .and_then(|()| fs::rename(&from, format!("{to}/inner")));
    }
    say_done(last.is_ok(), &json!({}));
}
