//! Every Rust file is compiled: a manifest names it, Cargo finds it by its place, or a module declares it. Tests in a
//! file that no `mod` names would never run, and nothing else would report that.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::{
    code::{has_word, without_text},
    sources::{at, each_source_file, names_in, read},
};

/// Where there is Rust.
const ROOTS: &[&str] = &["src", "sdk", "skills-wasm", "campaigns", "scripts", "tests", "benches"];

/// Texts that `kit` writes for authors, in files that happen to be Rust.
const TEMPLATES: &str = "src/kit/template/";

/// Folders whose files Cargo takes for programs.
const PROGRAMS: &[&str] = &["bin", "examples"];

#[test]
fn every_file_belongs_to_a_program_or_a_library() {
    let mut files = Vec::new();
    let mut manifests = vec![("Cargo.toml".to_owned(), read("Cargo.toml"))];
    for root in ROOTS {
        each_source_file(root, &mut |path, text| files.push((path, text)));
        each_manifest(root, &mut manifests);
    }
    let faults = forgotten(&files, &manifests);
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn each_manifest(folder: &str, found: &mut Vec<(String, String)>) {
    for name in names_in(folder) {
        let path = format!("{folder}/{name}");
        if at(&path).is_dir() && name != "target" {
            each_manifest(&path, found);
        } else if name == "Cargo.toml" {
            let text = read(&path);
            found.push((path, text));
        }
    }
}

/// The files of these, given as path and text, that belong to nothing.
fn forgotten(files: &[(String, String)], manifests: &[(String, String)]) -> Vec<String> {
    let mut roots = BTreeSet::new();
    for (path, text) in manifests {
        let manifest: Table = text.parse().expect("a manifest is TOML");
        let folder = folder_of(path);
        found_by_cargo(&manifest, folder, files, &mut roots);
        named(&Value::Table(manifest), folder, &mut roots);
    }
    let mut declared = BTreeSet::new();
    for (path, text) in files {
        let folder = folder_of(path);
        let is_root = roots.contains(path) || is_program(path);
        let below =
            if is_root { folder.to_owned() } else { format!("{}/", path.trim_end_matches(".rs")) };
        let code = without_text(text);
        for line in code.lines().filter(|line| has_word(line, "mod")) {
            let name = line.trim().trim_end_matches(';').rsplit(' ').next().unwrap_or_default();
            declared.insert(format!("{below}{name}.rs"));
        }
        for rest in text.split("#[path = \"").skip(1) {
            declared.insert(joined(folder, rest.split('"').next().unwrap_or_default()));
        }
    }
    let is_left = |path: &&String| {
        !roots.contains(*path)
            && !declared.contains(*path)
            && !is_program(path)
            && !path.starts_with(TEMPLATES)
    };
    let left = files.iter().map(|(path, _)| path).filter(is_left);
    left.map(|path| format!("{path}: no `mod` and no manifest names it")).collect()
}

/// The files that Cargo takes for roots of this package because of their place.
fn found_by_cargo(
    manifest: &Table,
    folder: &str,
    files: &[(String, String)],
    found: &mut BTreeSet<String>,
) {
    let Some(package) = manifest.get("package") else { return };
    let is_off = |key: &str| package.get(key).and_then(Value::as_bool) == Some(false);
    found.extend(["lib", "main"].map(|name| format!("{folder}src/{name}.rs")));
    if package.get("build").is_none() {
        found.insert(format!("{folder}build.rs"));
    }
    if !is_off("autotests") {
        let tests = format!("{folder}tests/");
        let is_test = |path: &str| match path.strip_prefix(&tests).map(|rest| rest.split_once('/'))
        {
            Some(Some((_, rest))) => rest == "main.rs",
            Some(None) => true,
            None => false,
        };
        found.extend(files.iter().map(|(path, _)| path).filter(|path| is_test(path)).cloned());
    }
}

/// The files that a manifest in this folder names.
fn named(value: &Value, folder: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(path) if path.ends_with(".rs") => {
            found.insert(joined(folder, path));
        }
        Value::Array(values) => values.iter().for_each(|value| named(value, folder, found)),
        Value::Table(table) => table.values().for_each(|value| named(value, folder, found)),
        _ => {}
    }
}

fn is_program(path: &str) -> bool {
    path.rsplit('/').nth(1).is_some_and(|folder| PROGRAMS.contains(&folder))
}

/// The folder with a slash behind it; empty for the root of the repository.
fn folder_of(path: &str) -> &str {
    &path[..path.rfind('/').map_or(0, |at| at + 1)]
}

/// `src/plan/` and `../../tests/plans.rs` are `tests/plans.rs`.
fn joined(folder: &str, path: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            ".." => _ = names.pop(),
            name => names.push(name),
        }
    }
    names.join("/")
}

#[track_caller]
fn check(files: &[(&str, &str)], manifest: &str, expect: &[&str]) {
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let manifest = format!("[package]\nbuild = false\n[lib]\npath = \"lib.rs\"\n{manifest}");
    let manifests = [("src/plan/Cargo.toml".to_owned(), manifest)];
    assert_eq!(forgotten(&files, &manifests), expect);
}

#[test]
fn a_file_that_nothing_names_is_a_fault() {
    let test = "[[test]]\npath = \"../../tests/plans/runner.rs\"";
    let [runner, loops] = ["runner", "loops"]
        .map(|name| format!("tests/plans/{name}.rs: no `mod` and no manifest names it"));
    let files = |text| [("tests/plans/runner.rs", text), ("tests/plans/loops.rs", "")];
    check(&files("mod loops;"), test, &[]);
    check(&files("pub(crate) mod loops;"), test, &[]);
    for text in ["", "// mod loops;", "mod loop;"] {
        check(&files(text), test, &[&loops]);
    }
    check(&files("mod loops;"), "", &[&runner, &loops]);
}

#[test]
fn modules_lie_beside_a_root_and_below_any_other_file() {
    let files = |lib, step| {
        [("src/plan/lib.rs", lib), ("src/plan/step.rs", step), ("src/plan/step/wait.rs", "")]
    };
    check(&files("mod step;", "mod wait;"), "", &[]);
    let fault = "src/plan/step/wait.rs: no `mod` and no manifest names it";
    check(&files("mod step;\nmod wait;", ""), "", &[fault]);
    check(&files("mod step;\n#[path = \"../plan/step/wait.rs\"]\nmod other;", ""), "", &[]);
}

#[test]
fn cargo_finds_programs_and_tests_by_their_place() {
    let found = ["src/lib.rs", "src/main.rs", "src/bin/a.rs", "tests/a.rs", "tests/a/main.rs"];
    for path in found.map(|path| format!("src/plan/{path}")) {
        check(&[(&path, "")], "", &[]);
    }
    for path in ["src/plan/build.rs", "src/plan/main.rs", "src/plan/tests/a/b.rs", "tests/a.rs"] {
        check(&[(path, "")], "", &[&format!("{path}: no `mod` and no manifest names it")]);
    }
}
