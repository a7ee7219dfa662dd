//! `skill new` and `skill build`, as a new author uses them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::player_machine::{CommandOutput, PlayerMachine};

/// Files and folders below a folder, by their paths in it; what a build leaves is not shown.
fn files_of(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// The variables by which tools are found, as far as this machine has them; nothing is fetched.
pub(crate) fn give_tools(command: &mut Command, first: &[PathBuf]) {
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(first.iter().cloned().chain(env::split_paths(&path))).unwrap();
    command.env("PATH", path).env("CARGO_NET_OFFLINE", "true");
    // Built for one test, and found there by the next.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("authoring");
    command.env("CARGO_TARGET_DIR", built);
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "WASI_SDK_PATH"] {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
}

/// `narratoria` with the tools of this machine.
pub(crate) fn run_with_tools(
    machine: &PlayerMachine,
    args: &[&str],
    first: &[PathBuf],
) -> CommandOutput {
    let mut command = machine.command(args);
    give_tools(&mut command, first);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| {
        String::from_utf8(bytes)
            .unwrap()
            .replace(&machine.path().display().to_string(), "[machine]")
    };
    CommandOutput {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        exit: output.status.code(),
    }
}

/// The gate: its examples and everything that CI asks, warnings counted as errors.
#[track_caller]
pub(crate) fn check_passes(machine: &PlayerMachine, package: &str) {
    // A program whose gate is not built yet refuses the arguments themselves.
    if !machine.run(&["skill", "check", "--help"], "").stdout.contains("--strict") {
        return;
    }
    for args in [["skill", "test", package].as_slice(), &["skill", "check", "--strict", package]] {
        let ran = machine.run(args, "");
        assert_eq!(ran.exit, Some(0), "{args:?}:\n{}", ran.transcript());
    }
}

#[test]
fn a_new_package_is_said_and_the_next_steps_with_it() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "new", "old-mill"], ""), @"
    old-mill
    --- stderr
    next: narratoria skill dev old-mill
    --- exit 0
    ");
    insta::assert_snapshot!(
        machine.transcript(&["skill", "new", "wheel", "--lang", "js", "--dir", "skills"], ""),
        @"
    skills/wheel
    --- stderr
    first: in `skills/wheel`, npm install
    next: narratoria skill dev skills/wheel
    --- exit 0
    "
    );
    let files = |folder: &str| {
        let files = files_of(&machine.path().join(folder));
        // A line for each file of the SDK would have to follow each change of it.
        files.into_iter().filter(|file| !file.contains("/src/")).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(files("old-mill"), @"
    .gitignore
    .narratoria/schemas/config-schema.meta.json
    .narratoria/schemas/skill-example.schema.json
    .narratoria/schemas/skill-manifest.schema.json
    Cargo.lock
    Cargo.toml
    LICENSE
    README.md
    SKILL.md
    examples/a-fair-sign.json
    examples/nothing-asked.json
    schemas/tell.input.json
    schemas/tell.output.json
    skill.json
    src/tell.rs
    vendor/narratoria-sdk/Cargo.toml
    ");
    insta::assert_snapshot!(files("skills/wheel"), @"
    .gitignore
    .narratoria/schemas/config-schema.meta.json
    .narratoria/schemas/skill-example.schema.json
    .narratoria/schemas/skill-manifest.schema.json
    LICENSE
    README.md
    SKILL.md
    examples/a-fair-sign.json
    examples/nothing-asked.json
    jsconfig.json
    package.json
    schemas/tell.input.json
    schemas/tell.output.json
    skill.json
    src/omen.mjs
    src/stdio.mjs
    src/tell.mjs
    src/wire.mjs
    tests/omen.test.mjs
    tests/stubs.mjs
    types/host.d.ts
    wit/deps/cli.wit
    wit/deps/io.wit
    wit/skill.wit
    ");
}

#[test]
fn what_cannot_begin_says_why_and_leaves_nothing() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "new", "Old_Mill"], ""), @"
    --- stderr
    error: `Old_Mill` cannot be the name of a skill: write lower case letters, digits and single hyphens between them
    --- exit 2
    ");
    machine.write("mill", "mine");
    insta::assert_snapshot!(machine.transcript(&["skill", "new", "mill"], ""), @"
    --- stderr
    error: `./mill` is there already, and nothing is overwritten
    hint: take another name, or another folder with `--dir`
    --- exit 2
    ");
    insta::assert_snapshot!(machine.transcript(&["skill", "new", "oak", "--dir", "nowhere"], ""), @"
    --- stderr
    error: there is no folder `nowhere`
    hint: make it first
    --- exit 3
    ");
    assert_eq!(fs::read_to_string(machine.path().join("mill")).unwrap(), "mine");
    assert!(!machine.path().join("oak").exists());
}

/// On a fresh machine three commands lead from nothing to play.
#[test]
fn a_new_package_in_rust_builds_passes_its_checks_and_plays() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo", "--dir", "skills"], "");
    let built = run_with_tools(&machine, &["skill", "build", "skills/demo"], &[]);
    assert_eq!(built.exit, Some(0), "{}", built.transcript());
    let size = regex::Regex::new(r"\d+ kB").unwrap();
    assert_eq!(size.replace(&built.stdout, "[SIZE]"), "skills/demo/scripts/tell.wasm  [SIZE]\n");
    let component = fs::read(machine.path().join("skills/demo/scripts/tell.wasm")).unwrap();
    let text = String::from_utf8_lossy(&component);
    for folder in [machine.path().to_str().unwrap(), env!("CARGO_MANIFEST_DIR")] {
        assert!(!text.contains(folder), "a folder of this machine is in the component: {folder}");
    }
    check_passes(&machine, "skills/demo");
    plays(&machine);
}

/// No registry has the SDK of this checkout, so Cargo is told to take the registry's crate from here.
#[test]
fn a_package_with_the_sdk_of_the_registry_builds_and_passes_its_checks() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "locked", "--dir", "skills"], "");
    insta::assert_snapshot!(
        machine.transcript(&["skill", "new", "demo", "--sdk", "registry", "--dir", "skills"], ""),
        @"
    skills/demo
    --- stderr
    next: narratoria skill dev skills/demo
    --- exit 0
    "
    );
    let demo = machine.path().join("skills/demo");
    assert!(!demo.join("vendor").exists() && !demo.join("Cargo.lock").exists());
    let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/sdk");
    let patch = format!("[patch.crates-io]\nnarratoria-sdk = {{ path = {sdk:?} }}\n");
    fs::create_dir(machine.path().join(".cargo")).unwrap();
    machine.write(".cargo/config.toml", &patch);
    // The other crates are those that this machine has.
    let lock = fs::read_to_string(machine.path().join("skills/locked/Cargo.lock")).unwrap();
    fs::write(demo.join("Cargo.lock"), lock.replace("skill-locked", "skill-demo")).unwrap();
    // The lock file is another one than that of the new package.
    let built = run_with_tools(&machine, &["skill", "build", "skills/demo", "--yes"], &[]);
    assert_eq!(built.exit, Some(0), "{}", built.transcript());
    check_passes(&machine, "skills/demo");
}

#[test]
fn the_sdk_of_the_registry_is_refused_for_a_language_that_has_none() {
    let machine = PlayerMachine::new();
    let args = ["skill", "new", "demo", "--lang", "c", "--sdk", "registry"];
    insta::assert_snapshot!(machine.transcript(&args, ""), @"
    --- stderr
    error: `--sdk registry` is for scripts in Rust: the other languages need no SDK
    hint: leave `--sdk` out, or `--lang`
    --- exit 2
    ");
    assert!(!machine.path().join("demo").exists());
}

#[test]
fn an_empty_package_builds_and_passes_its_checks() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "old-mill", "--empty", "--dir", "skills"], "");
    let built = run_with_tools(&machine, &["skill", "build", "skills/old-mill"], &[]);
    assert_eq!(built.exit, Some(0), "{}", built.transcript());
    check_passes(&machine, "skills/old-mill");
}

#[test]
fn a_name_of_a_built_in_skill_is_warned_of_before_there_is_anything_to_rename() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "new", "dice-roller", "--empty"], ""), @"
    dice-roller
    --- stderr
    warning: `dice-roller` is the name of a built-in skill: players must agree that this one takes its place
    next: narratoria skill dev dice-roller
    --- exit 0
    ");
}

#[test]
fn a_script_is_removed_with_its_files_once_somebody_agrees() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo", "--lang", "c"], "");
    machine.run(&["skill", "add-script", "look-up", "--package", "demo"], "");
    let remove = |more: &[&str]| {
        machine.transcript(&[&["skill", "remove-script", "--package", "demo"], more].concat(), "")
    };
    insta::assert_snapshot!(remove(&["look-up"]), @"
    --- stderr
    note: these files go: examples/look-up.json, schemas/look-up.input.json, schemas/look-up.output.json, src/look-up.c, tests/look-up.test.c
    error: the script `look-up` stays: nobody has agreed that its files go
    hint: `skill remove-script --yes` agrees; a terminal asks
    --- exit 2
    ");
    assert!(machine.path().join("demo/src/look-up.c").exists());
    insta::assert_snapshot!(remove(&["look-up", "--yes"]), @"
    examples/look-up.json
    schemas/look-up.input.json
    schemas/look-up.output.json
    src/look-up.c
    tests/look-up.test.c
    --- stderr
    note: these files go: examples/look-up.json, schemas/look-up.input.json, schemas/look-up.output.json, src/look-up.c, tests/look-up.test.c
    note: `SKILL.md` may still speak of `look-up`
    --- exit 0
    ");
    assert!(!machine.path().join("demo/src/look-up.c").exists());
    insta::assert_snapshot!(remove(&["look-up"]), @"
    --- stderr
    error: the package has no script `look-up`
    --- exit 3
    ");
}

/// Every feature that a new package can show.
pub(crate) const FEATURES: &str = "store,http,assets,config,ask,llm,memory";

/// The second half of the promise: its tests run without any sandbox, with nothing to fetch.
#[test]
fn the_native_tests_of_a_new_package_in_rust_pass() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo", "--with", FEATURES], "");
    let mut cargo = machine.isolate(Command::new("cargo"));
    give_tools(&mut cargo, &[]);
    let output =
        cargo.args(["test", "--locked"]).current_dir(machine.path().join("demo")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    // One run for each program.
    assert_eq!(said.matches("3 passed").count(), 8, "{said}");
}

/// Needs a C compiler; `skill build` names the one that it wants.
#[test]
fn a_new_package_in_c_builds_passes_its_checks_and_plays() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo", "--lang", "c", "--dir", "skills"], "");
    machine.run(&["skill", "add-script", "look-up", "--package", "skills/demo"], "");
    let built = run_with_tools(&machine, &["skill", "build", "skills/demo"], &[]);
    if built.exit == Some(3) && built.stderr.contains("wasi-sdk") {
        return;
    }
    assert_eq!(built.exit, Some(0), "{}", built.transcript());
    assert!(!built.stderr.contains("warning"), "{}", built.stderr);
    check_passes(&machine, "skills/demo");
    plays(&machine);
}

/// The package `demo` of any language in a story: all templates tell the same.
#[track_caller]
pub(crate) fn plays(machine: &PlayerMachine) {
    let ran = machine.run(
        &["skill", "run", "demo/tell", "--skills", "skills", "--seed", "2"],
        r#"{"about": "the ford"}"#,
    );
    let used = regex::Regex::new(r"used: .*").unwrap();
    let told = used
        .replace(&ran.transcript(), "used: [USAGE]")
        .replace(r#""summary":"told an omen","#, "");
    let told = told.replace("done: ok, told an omen", "done: ok");
    assert_eq!(
        told.replace(r#"{"favourable":false,"text":"The candle leans away from the ford: wait until the morning."}"#, "[OMEN]")
            .replace(r#"{"text":"The candle leans away from the ford: wait until the morning.","favourable":false}"#, "[OMEN]"),
        "info: the signs were read\n\
         state_patch: {\"omen\":{\"about\":\"the ford\",\"favourable\":false}}\n\
         done: ok\n\
         output: [OMEN]\n\
         used: [USAGE]\n\
         --- stderr\n\
         --- exit 0"
    );
    let play = ["run", "--planner", "lexical", "--seed", "3", "--skills", "skills"];
    let ran = machine.run(&play, "is there an omen about the ford?\n");
    assert_eq!(ran.exit, Some(0), "{}", ran.transcript());
    // The host tells the script's text, and the storyteller does not repeat it.
    assert_eq!(ran.stdout.matches("the ford:").count(), 1, "{}", ran.transcript());
}

#[test]
fn the_first_script_in_a_language_says_how_its_tools_are_installed() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "owls"], "");
    let add = |name: &str| {
        machine.run(&["skill", "add-script", name, "--package", "owls", "--lang", "python"], "")
    };
    let first = add("look-up");
    let hint = "first: in `owls`, python3 -m venv .venv && .venv/bin/pip install";
    assert!(first.stderr.contains(hint), "{}", first.transcript());
    let second = add("look-down");
    assert!(!second.stderr.contains("first: "), "{}", second.transcript());
}

#[test]
fn a_script_that_cannot_be_added_says_why_and_changes_nothing() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "owls", "--lang", "js"], "");
    let manifest = machine.path().join("owls/skill.json");
    let before = fs::read_to_string(&manifest).unwrap();
    let add = |args: &[&str]| machine.transcript(&[&["skill", "add-script"], args].concat(), "");
    insta::assert_snapshot!(add(&["tell", "--package", "owls"]), @"
    --- stderr
    error: the package has a script `tell` already
    hint: take another name
    --- exit 2
    ");
    insta::assert_snapshot!(add(&["map"]), @"
    --- stderr
    error: `.` is not a package: it has no `skill.json`
    hint: `narratoria skill new NAME` begins one
    --- exit 3
    ");
    assert_eq!(fs::read_to_string(&manifest).unwrap(), before);
    insta::assert_snapshot!(add(&["map", "--package", "owls", "--with", "store"]), @"
    src/map.mjs
    schemas/map.input.json
    schemas/map.output.json
    examples/map.json
    tests/map.test.mjs
    wit/map.wit
    wit/deps/narratoria-host/store.wit
    skill.json
    --- stderr
    next: narratoria skill dev owls
    --- exit 0
    ");
}

/// Files that an archive or a repository must not hold.
#[test]
fn the_ignored_files_of_a_new_package_are_those_that_tools_and_players_write() {
    let machine = PlayerMachine::new();
    for (lang, folder) in [
        ("rust", "/target/"),
        ("c", "/config.json"),
        ("js", "/node_modules/"),
        ("python", "/.venv/"),
    ] {
        machine.run(&["skill", "new", lang, "--lang", lang], "");
        let ignored = fs::read_to_string(machine.path().join(lang).join(".gitignore")).unwrap();
        for line in ["/config.json", "*.skill.tar.gz", "/scripts/*.wasm", folder] {
            assert!(ignored.lines().any(|found| found == line), "{lang}, {line}: {ignored}");
        }
    }
}

/// An editor finds the schema that each file names, and the file fits it.
#[test]
fn the_files_of_a_new_package_fit_the_schemas_that_they_name() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "owls", "--with", FEATURES], "");
    let folder = machine.path().join("owls");
    let read = |path: &Path| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder.join("examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.push(folder.join("skill.json"));
    assert_eq!(files.len(), 10);
    for file in files {
        let document = read(&file);
        let schema = file.parent().unwrap().join(document["$schema"].as_str().unwrap());
        let schema = jsonschema::validator_for(&read(&schema)).unwrap();
        assert!(schema.is_valid(&document), "{}", file.display());
    }
}

#[test]
fn what_cannot_be_built_says_why() {
    let machine = PlayerMachine::new();
    insta::assert_snapshot!(machine.transcript(&["skill", "build", "nowhere"], ""), @"
    --- stderr
    error: `nowhere` is not a package: it has no `skill.json`
    hint: `narratoria skill new NAME` begins one
    --- exit 3
    ");
    // The machine's world has no search path, and so no tools.
    for lang in ["rust", "c", "js", "python"] {
        machine.run(&["skill", "new", lang, "--lang", lang], "");
    }
    insta::assert_snapshot!(machine.transcript(&["skill", "build", "rust", "js", "python"], ""), @"
    --- stderr
    error: there is no `cargo` on the search path
    hint: install Rust with rustup, as its site describes
    error: there is no `componentize-js`, neither in `node_modules` nor on the search path
    hint: `npm install` in the package installs it
    error: there is no `componentize-py`, neither in `.venv` nor on the search path
    hint: `python3 -m venv .venv && .venv/bin/pip install -r requirements.txt` in the package installs it
    --- exit 3
    ");
    fs::remove_file(machine.path().join("c/src/tell.c")).unwrap();
    insta::assert_snapshot!(machine.transcript(&["skill", "build", "c"], ""), @"
    --- stderr
    error: script `tell` has no source: neither `Cargo.toml` nor `src/tell.py`, `src/tell.mjs`, `src/tell.js` or `src/tell.c` is there
    --- exit 2
    ");
}

/// Its words are shown as they are, and what was there stays.
#[test]
fn a_script_that_does_not_compile_is_exit_1() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo"], "");
    let component = machine.path().join("demo/scripts/tell.wasm");
    fs::write(&component, "before").unwrap();
    machine.write("demo/src/tell.rs", "fn main() { let x: u8 = \"\"; }");
    let ran = run_with_tools(&machine, &["skill", "build", "demo"], &[]);
    assert_eq!((ran.exit, &*ran.stdout), (Some(1), ""), "{}", ran.transcript());
    assert!(ran.stderr.contains("error[E0308]: mismatched types"), "{}", ran.stderr);
    let last = "error: `cargo` failed (exit 101); what it said is above\n";
    assert!(ran.stderr.ends_with(last), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(component).unwrap(), "before");
}

#[test]
fn another_sdk_than_the_programs_is_told_and_renewed() {
    let machine = PlayerMachine::new();
    machine.run(&["skill", "new", "demo"], "");
    let manifest = machine.path().join("demo/vendor/narratoria-sdk/Cargo.toml");
    let ours = fs::read_to_string(&manifest).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    fs::write(&manifest, ours.replace(&format!("version = \"{version}\""), "version = \"0.0.7\""))
        .unwrap();
    let told = |args: &[&str]| machine.transcript(args, "").replace(version, "[OURS]");
    insta::assert_snapshot!(told(&["skill", "build", "demo", "--yes"]), @"
    --- stderr
    note: `demo` has another SDK (0.0.7) than this program ([OURS]); `--update-sdk` renews it
    error: there is no `cargo` on the search path
    hint: install Rust with rustup, as its site describes
    --- exit 3
    ");
    insta::assert_snapshot!(told(&["skill", "build", "demo", "--update-sdk"]), @"
    --- stderr
    error: there is no `cargo` on the search path
    hint: install Rust with rustup, as its site describes
    --- exit 3
    ");
    assert_eq!(fs::read_to_string(manifest).unwrap(), ours);
}
