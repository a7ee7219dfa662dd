//! What stands on what: a crate of `src` depends on lower rows only, and some reach neither a compiler for
//! another language nor a heavy library. Cargo refuses circles; it does not know which way is down.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::sources::{crate_folders, read};

/// The crates of `src`, lowest row first. The program stands above all of them.
const ROWS: &[&[&str]] = &[
    &["protocol", "conditions"],
    &["skills", "cards"],
    &["plan", "model"],
    &["sandbox", "narrator", "story", "campaign"],
    &["executor"],
    &["engine"],
    &["kit"],
];

/// Only the program has the built-in skills, so that no library needs a compiler for wasm.
const ONLY_THE_PROGRAM: &str = "narratoria-built-in";

const PREFIX: &str = "narratoria-";

/// What skills and the host share beside the crates of `src`: plain data without a host below it.
const SHARED_WITH_SKILLS: &[&str] = &["narratoria-story-view"];

/// Crates that build and test in seconds, on a machine with nothing but Rust.
const LIGHT: &[&str] = &["narratoria-plan", "narratoria-executor"];

/// The sandbox, SQLite, llama.cpp, what downloads models, and everything that is compiled to wasm first.
const HEAVY: &[&str] = &[
    "wasmtime",
    "wasmtime-wasi",
    "rusqlite",
    "libsqlite3-sys",
    "llama-cpp-2",
    "llama-cpp-sys-2",
    "llguidance",
    "hf-hub",
    "narratoria-built-in",
    "narratoria-guests",
    "narratoria-wasm-build",
];

#[test]
fn a_crate_depends_on_lower_rows_only() {
    let folders = crate_folders();
    let manifest = |name: &String| (name.clone(), read(&format!("src/{name}/Cargo.toml")));
    let manifests: Vec<(String, String)> = folders.iter().map(manifest).collect();
    let faults = upward(&manifests);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Dev-dependencies count here: tests of a light crate must be light too.
#[test]
fn plans_and_their_execution_need_neither_wasmtime_nor_sqlite_nor_a_model() {
    let lock = read("Cargo.lock");
    for heavy in HEAVY {
        assert!(dependencies(&lock).contains_key(*heavy), "there is no crate `{heavy}`");
    }
    let faults: Vec<String> = LIGHT.iter().flat_map(|name| heavy_paths(&lock, name)).collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Dependencies of these crates, given as name and manifest, that do not point down.
fn upward(manifests: &[(String, String)]) -> Vec<String> {
    let row_of = |name: &str| ROWS.iter().position(|row| row.contains(&name));
    let mut faults = Vec::new();
    let missing = ROWS.iter().flat_map(|row| row.iter());
    let is_there = |name: &str| manifests.iter().any(|(there, _)| there == name);
    faults.extend(
        missing.filter(|name| !is_there(name)).map(|name| format!("there is no crate `{name}`")),
    );
    for (name, text) in manifests {
        let Some(row) = row_of(name) else {
            faults.push(format!("the crate `{name}` has no row"));
            continue;
        };
        for dependency in our_dependencies(text) {
            let below = dependency.strip_prefix(PREFIX).and_then(row_of);
            if dependency == ONLY_THE_PROGRAM {
                faults.push(format!(
                    "`{name}` depends on `{dependency}`, which belongs to the program"
                ));
            } else if below.is_none_or(|below| below >= row) {
                faults
                    .push(format!("`{name}` depends on `{dependency}`, which is in no lower row"));
            }
        }
    }
    faults
}

/// The crates of this workspace that a manifest names, for whatever target, but not for tests alone.
fn our_dependencies(manifest: &str) -> BTreeSet<String> {
    let manifest: Table = manifest.parse().expect("a manifest is TOML");
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables =
        targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    let mut found = BTreeSet::new();
    for table in [&manifest].into_iter().chain(tables) {
        for kind in ["dependencies", "build-dependencies"] {
            for (key, value) in table.get(kind).and_then(Value::as_table).into_iter().flatten() {
                let renamed = value.get("package").and_then(Value::as_str);
                found.insert(renamed.unwrap_or(key).to_owned());
            }
        }
    }
    found.retain(|name| name.starts_with(PREFIX) && !SHARED_WITH_SKILLS.contains(&name.as_str()));
    found
}

/// Each package of a lock file with the names of what it depends on, whatever the features and the target. Of
/// several versions of a package all dependencies count.
fn dependencies(lock: &str) -> BTreeMap<String, BTreeSet<String>> {
    let lock: Table = lock.parse().expect("a lock file is TOML");
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for package in lock["package"].as_array().expect("packages are a list") {
        let name = package["name"].as_str().expect("a package has a name").to_owned();
        let names = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        // A version may follow.
        let names = names.filter_map(|text| text.as_str()?.split(' ').next());
        found.entry(name).or_default().extend(names.map(str::to_owned));
    }
    found
}

/// How `from` reaches what is heavy, each as a path.
fn heavy_paths(lock: &str, from: &str) -> Vec<String> {
    let dependencies = dependencies(lock);
    let mut paths = BTreeMap::from([(from.to_owned(), from.to_owned())]);
    let mut open = vec![from.to_owned()];
    while let Some(name) = open.pop() {
        for next in dependencies.get(&name).into_iter().flatten() {
            if !paths.contains_key(next) {
                paths.insert(next.clone(), format!("{} -> {next}", paths[&name]));
                open.push(next.clone());
            }
        }
    }
    HEAVY.iter().filter_map(|heavy| paths.get(*heavy)).cloned().collect()
}

/// Every crate with an empty manifest, but for `name`.
#[track_caller]
fn check(name: &str, manifest: &str, expect: &[&str]) {
    let text_of = |crate_name: &str| if crate_name == name { manifest } else { "" };
    let known = ROWS.iter().flat_map(|row| row.iter().copied());
    let mut manifests: Vec<(String, String)> =
        known.map(|known| (known.to_owned(), text_of(known).to_owned())).collect();
    if manifests.iter().all(|(known, _)| known != name) {
        manifests.push((name.to_owned(), manifest.to_owned()));
    }
    assert_eq!(upward(&manifests), expect);
}

#[test]
fn a_dependency_that_does_not_point_down_is_a_fault() {
    check("plan", "[dependencies]\nnarratoria-skills.workspace = true\nserde = \"1\"", &[]);
    check("plan", "[dev-dependencies]\nnarratoria-engine.workspace = true", &[]);
    let engine = "`plan` depends on `narratoria-engine`, which is in no lower row";
    check("plan", "[dependencies]\nnarratoria-engine.workspace = true", &[engine]);
    check("plan", "[build-dependencies]\nnarratoria-engine = { path = \"../engine\" }", &[engine]);
    check("plan", "[dependencies]\nother = { package = \"narratoria-engine\" }", &[engine]);
    check(
        "plan",
        "[target.'cfg(unix)'.dependencies]\nnarratoria-engine.workspace = true",
        &[engine],
    );
}

#[test]
fn neighbours_do_not_know_each_other() {
    check(
        "story",
        "[dependencies]\nnarratoria-sandbox.workspace = true",
        &["`story` depends on `narratoria-sandbox`, which is in no lower row"],
    );
}

#[test]
fn a_crate_without_a_row_and_the_skills_of_the_program_are_faults() {
    check("attic", "", &["the crate `attic` has no row"]);
    check(
        "engine",
        "[dependencies]\nnarratoria-built-in.workspace = true",
        &["`engine` depends on `narratoria-built-in`, which belongs to the program"],
    );
}

#[test]
fn what_is_heavy_is_found_over_any_number_of_crates() {
    let lock = "[[package]]\nname = \"a\"\ndependencies = [\"b 1.0.0\"]\n\
                [[package]]\nname = \"b\"\nversion = \"1.0.0\"\ndependencies = [\"c\", \"rusqlite\"]\n\
                [[package]]\nname = \"c\"\ndependencies = [\"a\"]\n[[package]]\nname = \"rusqlite\"";
    assert_eq!(heavy_paths(lock, "a"), ["a -> b -> rusqlite"]);
    assert_eq!(heavy_paths(lock, "rusqlite"), ["rusqlite"]);
}
