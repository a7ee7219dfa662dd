//! Tries every way out of its folders: up, from the root, through links of its own making, by another case, by
//! a long name. Says what it got for each, and `ok` only if that was nothing.

use std::{fs, io};

use narratoria_guest_programs::{drain_stdin, link, say_done};
use serde_json::{Map, Value};

fn main() {
    drain_stdin();
    let mut tried = Map::new();
    let mut attempt = |what: &str, got: io::Result<String>| {
        let found = got.unwrap_or_else(|_| "refused".to_owned());
        tried.insert(what.to_owned(), found.into());
    };
    let read = |path: &str| fs::read(path).map(|bytes| format!("{} bytes", bytes.len()));
    let written = |path: &str| fs::write(path, "x").map(|()| "written".to_owned());
    attempt("make a file", fs::write("/data/mine", "x").map(|()| "refused".to_owned()));
    attempt("..", read("/data/../secret"));
    attempt(".. and back", read("/data/../data/../../secret"));
    attempt("write above", written("/data/../secret"));
    attempt("an absolute path", read("/etc/hostname"));
    attempt("another case", read("/DATA/mine"));
    attempt(
        "a link to a file above",
        link("../secret", "/data", "link").and_then(|()| read("/data/link")),
    );
    attempt(
        "a link to the folder above",
        link("..", "/data", "up").and_then(|()| read("/data/up/secret")),
    );
    attempt(
        "a link to an absolute path",
        link("/etc", "/data", "etc").and_then(|()| read("/data/etc/hostname")),
    );
    attempt(
        "a write through a link",
        link("../new", "/data", "new").and_then(|()| written("/data/new")),
    );
    attempt(
        "a hard link to a file above",
        fs::hard_link("/data/../secret", "/data/hard").map(|()| "linked".to_owned()),
    );
    attempt(
        "a file moved above",
        fs::rename("/data/mine", "/data/../mine").map(|()| "moved".to_owned()),
    );
    attempt("a folder made above", fs::create_dir("/data/../folder").map(|()| "made".to_owned()));
    attempt(
        "a folder above removed",
        fs::remove_dir("/data/../other").map(|()| "removed".to_owned()),
    );
    attempt("a long name", written(&format!("/data/{}", "n/".repeat(2_000))));
    let ok = tried.values().all(|got| got == "refused");
    say_done(ok, &Value::Object(tried));
}
