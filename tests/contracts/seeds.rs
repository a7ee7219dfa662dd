//! Every seed of the fuzz targets through the very function that is fuzzed. `make fuzz` goes on from them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(unreachable_pub, reason = "to the fuzz targets it is a crate of its own")]

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

/// Seeds of one target, and how many there are at least: a folder that is not found is no test.
#[track_caller]
fn check(target: &str, count_min: usize, entry: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(target);
    let mut seeds: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(seeds.len() >= count_min, "{} seeds of `{target}`", seeds.len());
    for seed in seeds {
        let bytes = fs::read(&seed).unwrap();
        let survived = catch_unwind(AssertUnwindSafe(|| entry(&bytes)));
        assert!(survived.is_ok(), "the seed {} breaks a rule", seed.display());
    }
}

#[test]
fn what_scripts_write() {
    check("event_decoder", 80, fuzz::event_decoder);
}

#[test]
fn what_planners_write() {
    check("plan_json", 20, fuzz::plan_json);
}

#[test]
fn what_packages_say() {
    check("manifest", 11, fuzz::manifest);
}

#[test]
fn what_a_story_keeps() {
    check("assets", 13, fuzz::assets);
}

#[test]
fn what_a_player_types() {
    check("sentence", 17, fuzz::sentence);
    check("premise", 15, fuzz::premise);
}

#[test]
fn what_settings_read() {
    check("settings", 6, fuzz::settings);
}

#[test]
fn what_schemas_cost() {
    check("schema_cost", 12, fuzz::schema_cost);
}

#[test]
fn what_patterns_cost() {
    check("patterns", 5, fuzz::patterns);
}

#[test]
fn what_archives_hold() {
    check("archive", 6, fuzz::archive);
}

#[test]
fn what_clients_of_mcp_send() {
    check("mcp", 6, fuzz::mcp);
}

#[test]
fn what_registries_and_files_of_credentials_say() {
    check("registry", 14, fuzz::registry);
}

#[test]
fn what_guests_write_in_the_sandbox() {
    check("stdio", 15, fuzz::stdio);
}

#[test]
fn what_players_bring_from_other_programs() {
    check("png_card", 9, fuzz::png_card);
    check("charx", 6, fuzz::charx);
    check("story_text", 8, fuzz::story_text);
}

#[test]
fn what_authors_of_campaigns_write() {
    check("campaigns", 8, fuzz::campaigns);
}
