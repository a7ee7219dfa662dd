//! JSON and files from outside have one reader each, which bounds them and refuses what two readers could read
//! differently. Code that reads without it stands here, with its reason.

use std::collections::BTreeSet;

use crate::{
    code::{has_word, without_tests, without_text},
    sources::each_source_file,
    tidy::{is_within, test_modules},
};

/// Parsers of JSON text.
const JSON_WORDS: &[&str] = &["from_str", "from_slice", "from_reader", "Deserializer"];

/// Files that read JSON text without `read_json`, and why.
const JSON_APART: &[(&str, &str)] = &[
    ("src/protocol/strict_json.rs", "it is the reader"),
    ("src/cards/damaged_book.rs", "it looks for whole entries, which `read_json` then reads"),
    ("src/protocol/state.rs", "the story's own database"),
    ("src/story/columns.rs", "the story's own database"),
    ("src/story/repair.rs", "the story's own database, as far as it can be read"),
    ("src/sandbox/story_memory/texts.rs", "entries that the host wrote"),
    ("src/skills/catch_all.rs", "sentences of the program's own evaluation"),
    ("src/executor/memory_author.rs", "entries that the host wrote"),
    ("src/engine/assets/content.rs", "an asset is judged, its values go nowhere"),
    ("src/engine/tick/save.rs", "entities that scripts wrote through the host"),
    ("src/model/files/download_record.rs", "the program's own file beside a download"),
    ("src/kit/build/rust.rs", "cargo's messages"),
    ("src/kit/json_edit.rs", "it looks for places in a text that has been read"),
    ("src/kit/check/hostile_requests.rs", "a line that the host wrote"),
    ("src/kit/run_record.rs", "a line that the host wrote"),
    ("src/serve/telling.rs", "updates that this program wrote"),
];

/// The places that read YAML without `read_yaml`, with their reasons.
const YAML_APART: &[(&str, &str)] = &[
    ("src/skills/strict_yaml.rs", "it is the reader"),
    ("src/skills/front_matter.rs", "front matter has aliases, within limits of its own"),
    ("src/kit/check/declared_files.rs", "front matter that has been read"),
];

/// Ways to read a file that wait for a pipe, and have no limit.
const FILE_WORDS: &[&str] = &["fs::read", "fs::read_to_string", "File::open"];

/// Crates that read files at paths of people and packages.
const FILE_FOLDERS: &[&str] = &[
    "src/cli",
    "src/ui",
    "src/kit",
    "src/skills",
    "src/engine",
    "src/narrator",
    "src/plan",
    "src/registry",
    "src/model",
    "src/sandbox",
];

/// Files of the home are opened by `open_regular`, because a pipe or a folder may lie in their place. These open others.
const OPENED_APART: &[(&str, &str)] = &[
    ("src/cli/line_source.rs", "a history that is not there yet is created"),
    ("src/cli/skill/check.rs", "a report may be a link or a device"),
    ("src/kit/build/tools.rs", "the log that this program made in a folder of its own"),
    ("src/skills/config/settings_folder.rs", "a draft that is new"),
    ("src/skills/forbidden.rs", "files of a package, opened in the same way below its folder"),
    ("src/skills/package.rs", "files of a package, opened in the same way below its folder"),
    ("src/ui/external_editor.rs", "a draft that is new"),
];

/// Files that read a file without `read_outside` or `open_outside`, and why.
const FILES_APART: &[(&str, &str)] = &[
    ("src/cli/interrupt.rs", "the system's report about this process"),
    ("src/cli/skill/dev_bench.rs", "the log that this program wrote"),
    ("src/kit/build/crate_cache.rs", "cargo reads that file too, and the other is the cache's own"),
    ("src/kit/build/rust.rs", "a component that cargo has just built"),
    ("src/model/memory.rs", "the system's report about memory"),
    ("src/model/processor.rs", "the system's report about the processor"),
    ("src/sandbox/embedded_code.rs", "this program itself"),
    ("src/skills/archive/install.rs", "a folder is opened to force it to the disk"),
    ("src/ui/external_editor.rs", "the draft that this program wrote"),
];

#[test]
fn json_from_outside_has_one_reader() {
    check_apart(JSON_APART, "use `narratoria_protocol::read_json`", |path, code| {
        path.starts_with("src/") && parses_json(code)
    });
}

/// S3 "Plan Persistence": what YAML can do to a reader, such as growing without bound, is refused in one place.
#[test]
fn yaml_from_outside_has_one_reader() {
    check_apart(YAML_APART, "use `narratoria_skills::read_yaml`", |path, code| {
        path.starts_with("src/")
            && ["serde_saphyr::from", "serde_saphyr::read"].iter().any(|word| code.contains(word))
    });
}

#[test]
fn files_from_outside_have_one_reader() {
    check_apart(FILES_APART, "use `narratoria_skills::read_outside`", |path, code| {
        FILE_FOLDERS.iter().any(|folder| is_within(path, folder))
            && FILE_WORDS.iter().any(|word| has_word(code, word))
    });
}

#[test]
fn files_of_a_home_are_opened_in_one_way() {
    check_apart(OPENED_APART, "use `narratoria_skills::open_regular`", |path, code| {
        FILE_FOLDERS.iter().any(|folder| is_within(path, folder))
            && has_word(code, "OpenOptions::new")
            && !has_word(code, "open_regular")
    });
}

/// Returns true if code calls a parser of `serde_json`, or imports one.
fn parses_json(code: &str) -> bool {
    let calls = JSON_WORDS.iter().any(|word| has_word(code, &format!("serde_json::{word}")));
    let imports = code.split("use ").skip(1).filter_map(|rest| rest.split(';').next());
    let mut ours = imports.filter(|import| import.trim_start().starts_with("serde_json::"));
    calls
        || ours.any(|import| JSON_WORDS.iter().any(|word| has_word(import, word)))
        || ["parse::<Value>", "parse::<serde_json::Value>", "Value::from_str"]
            .iter()
            .any(|word| has_word(code, word))
}

/// Exactly the files of `apart` break the rule.
#[track_caller]
fn check_apart(apart: &[(&str, &str)], instead: &str, breaks: impl Fn(&str, &str) -> bool) {
    let mut files = Vec::new();
    each_source_file("src", &mut |path, text| files.push((path, text)));
    let tests: Vec<String> =
        files.iter().flat_map(|(path, text)| test_modules(path, &without_text(text))).collect();
    let is_test = |path: &str| {
        path.contains("/tests/")
            || path.ends_with("/testing.rs")
            || tests.iter().any(|test| is_within(path, test))
    };
    let found: BTreeSet<&str> = files
        .iter()
        .filter(|(path, text)| !is_test(path) && breaks(path, &without_tests(&without_text(text))))
        .map(|(path, _)| path.as_str())
        .collect();
    let known: BTreeSet<&str> = apart.iter().map(|(path, _)| *path).collect();
    let new: Vec<&&str> = found.difference(&known).collect();
    assert!(new.is_empty(), "{instead}, or name the file in `tests/house/readers.rs`: {new:?}");
    let gone: Vec<&&str> = known.difference(&found).collect();
    assert!(gone.is_empty(), "no longer an exception: {gone:?}");
}

#[test]
fn every_way_to_parse_json_is_seen() {
    for code in [
        "serde_json::from_str(a)",
        "serde_json::from_slice::<B>(a)",
        "use serde_json::{Value, from_reader};",
        "use serde_json::from_str as read;",
        "let a: B = serde_json::Deserializer::from_str(c);",
        "text.parse::<Value>()",
    ] {
        assert!(parses_json(code), "{code}");
    }
    for code in ["serde_json::from_value(a)", "serde_json::to_string(a)", "Vec::from_slice(a)"] {
        assert!(!parses_json(code), "{code}");
    }
}
