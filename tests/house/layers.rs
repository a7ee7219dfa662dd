//! Dependencies point down: a crate depends on lower layers only, and some reach neither a compiler for another
//! language nor a heavy library. Cargo refuses circles; it does not know which way is down.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::sources::{packages, read};

/// The libraries of the program, lowest layer first, without the prefix of their names. The program is above them.
const ROWS: &[&[&str]] = &[
    &["text-tables"],
    &["protocol", "conditions", "sdk", "english"],
    &["skills", "cards", "story-view", "facts", "vectors", "postgres"],
    &["plan", "model", "registry", "queue", "plot", "world-model"],
    &["sandbox", "narrator", "story", "understanding"],
    &["executor", "hosting", "campaign"],
    &["engine"],
    &["kit"],
    &["ui", "serve", "telemetry"],
    &["mcp"],
    &["cli"],
];

/// The built-in skills and the bundled campaigns. Only the program and its commands have them, so that no other library
/// needs a compiler for wasm.
const BUNDLED: &[&str] = &["built-in", "bundled-campaigns"];
const KNOWS_THE_BUNDLED: &str = "cli";

/// A skill stands on these alone: it knows no host.
const BELOW_SKILLS: &[&str] = &[
    "sdk",
    "conditions",
    "english",
    "facts",
    "story-view",
    "text-tables",
    "understanding",
    "world-model",
];

/// Packages that no library of the program depends on: builders of components, and support for tests.
const WITHOUT_A_ROW: &[&str] = &[
    "wasm-build",
    "guests",
    "guest-programs",
    "models",
    "test-postgres",
    "house",
    "model-tests",
    "narrator-bench",
    "test-features",
];

const PREFIX: &str = "narratoria-";

/// Crates that build and test in seconds, on a machine with nothing but Rust.
const LIGHT: &[&str] = &["narratoria-plan", "narratoria-executor"];

/// The sandbox, SQLite, llama.cpp, downloads of models, and everything that is compiled to wasm first.
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
    let packages = packages();
    let layers: Vec<Layer> = packages
        .iter()
        .filter(|package| !package.folder.is_empty())
        .map(|package| Layer {
            name: short(&package.name).to_owned(),
            is_skill: crate::sources::at(&package.folder).join("package").is_dir(),
            depends_on: our_dependencies(&package.manifest),
        })
        .collect();
    let names: BTreeSet<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
    let faults = upward(&layers, &names);
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

/// A package and the names that it depends on, without their prefix.
struct Layer {
    name: String,
    is_skill: bool,
    depends_on: BTreeSet<String>,
}

/// Dependencies among the packages of these names that do not point down.
fn upward(layers: &[Layer], names: &BTreeSet<&str>) -> Vec<String> {
    let row_of = |name: &str| ROWS.iter().position(|row| row.contains(&name));
    let mut faults = Vec::new();
    let missing = ROWS.iter().flat_map(|row| row.iter()).filter(|name| !names.contains(*name));
    faults.extend(missing.map(|name| format!("there is no crate `{name}`")));
    for Layer { name, is_skill, depends_on } in layers {
        let is_free = BUNDLED.contains(&name.as_str()) || WITHOUT_A_ROW.contains(&name.as_str());
        let row = row_of(name);
        if row.is_none() && !is_skill && !is_free {
            faults.push(format!("the crate `{name}` has no row"));
        }
        if is_free {
            continue;
        }
        for dependency in depends_on.iter().filter(|dependency| names.contains(dependency.as_str()))
        {
            if BUNDLED.contains(&dependency.as_str()) {
                if name != KNOWS_THE_BUNDLED {
                    faults.push(format!(
                        "`{name}` depends on `{dependency}`, which belongs to the program"
                    ));
                }
                continue;
            }
            if *is_skill && !BELOW_SKILLS.contains(&dependency.as_str()) {
                faults.push(format!(
                    "the skill `{name}` depends on `{dependency}`, which no skill may know"
                ));
            }
            if row.is_some_and(|row| row_of(dependency).is_none_or(|below| below >= row)) {
                faults
                    .push(format!("`{name}` depends on `{dependency}`, which is in no lower row"));
            }
        }
    }
    faults
}

fn short(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Returns the dependencies of a manifest for any target, except those for tests alone, without the prefix of our own
/// crates.
fn our_dependencies(manifest: &Table) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let tables =
        targets.into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    let mut found = BTreeSet::new();
    for table in [manifest].into_iter().chain(tables) {
        for kind in ["dependencies", "build-dependencies"] {
            for (key, value) in table.get(kind).and_then(Value::as_table).into_iter().flatten() {
                let renamed = value.get("package").and_then(Value::as_str);
                found.insert(short(renamed.unwrap_or(key)).to_owned());
            }
        }
    }
    found
}

/// Returns each package of a lock file with the names of its dependencies, for all features and targets. If a package
/// has several versions, the dependencies of all of them count.
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

/// Returns the ways in which `from` reaches heavy packages, each as a path.
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

/// Every crate with an empty manifest, except `name`.
#[track_caller]
fn check(name: &str, is_skill: bool, manifest: &str, expect: &[&str]) {
    let known = ROWS.iter().flat_map(|row| row.iter().copied()).chain(BUNDLED.iter().copied());
    let mut names: BTreeSet<&str> = known.collect();
    names.insert(name);
    let layers: Vec<Layer> = names
        .iter()
        .map(|layer| {
            let is_checked = *layer == name;
            let manifest: Table = if is_checked { manifest } else { "" }.parse().unwrap();
            Layer {
                name: (*layer).to_owned(),
                is_skill: is_checked && is_skill,
                depends_on: our_dependencies(&manifest),
            }
        })
        .collect();
    assert_eq!(upward(&layers, &names), expect);
}

#[test]
fn a_dependency_that_does_not_point_down_is_a_fault() {
    let plan = |manifest: &str, expect: &[&str]| check("plan", false, manifest, expect);
    plan("[dependencies]\nnarratoria-skills.workspace = true\nserde = \"1\"", &[]);
    plan("[dev-dependencies]\nnarratoria-engine.workspace = true", &[]);
    let engine = "`plan` depends on `engine`, which is in no lower row";
    plan("[dependencies]\nnarratoria-engine.workspace = true", &[engine]);
    plan("[build-dependencies]\nnarratoria-engine = { path = \"../engine\" }", &[engine]);
    plan("[dependencies]\nother = { package = \"narratoria-engine\" }", &[engine]);
    plan("[target.'cfg(unix)'.dependencies]\nnarratoria-engine.workspace = true", &[engine]);
}

/// Crates without the prefix have rows too: `campaign` stands on `plot`, which must not stand on it.
#[test]
fn libraries_that_are_skills_have_a_row() {
    check("campaign", false, "[dependencies]\nplot = { path = \"x\" }", &[]);
    check(
        "plot",
        true,
        "[dependencies]\nnarratoria-campaign.workspace = true",
        &[
            "the skill `plot` depends on `campaign`, which no skill may know",
            "`plot` depends on `campaign`, which is in no lower row",
        ],
    );
}

#[test]
fn a_skill_knows_no_host() {
    check("dice", true, "[dependencies]\nnarratoria-sdk.workspace = true", &[]);
    check(
        "dice",
        true,
        "[dependencies]\nnarratoria-protocol.workspace = true",
        &["the skill `dice` depends on `protocol`, which no skill may know"],
    );
}

#[test]
fn neighbours_do_not_know_each_other() {
    check(
        "story",
        false,
        "[dependencies]\nnarratoria-sandbox.workspace = true",
        &["`story` depends on `sandbox`, which is in no lower row"],
    );
}

#[test]
fn a_crate_without_a_row_and_the_skills_of_the_program_are_faults() {
    check("attic", false, "", &["the crate `attic` has no row"]);
    check("cli", false, "[dependencies]\nnarratoria-built-in.workspace = true", &[]);
    check(
        "engine",
        false,
        "[dependencies]\nnarratoria-built-in.workspace = true",
        &["`engine` depends on `built-in`, which belongs to the program"],
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
