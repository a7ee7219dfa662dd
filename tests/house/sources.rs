//! The files of the repository, by their path from its root.

use std::{
    fs,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

/// The file or folder at a path from the root of the repository.
pub(crate) fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The text of a file that must be there.
#[track_caller]
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names in a folder, sorted; none if it is not there.
pub(crate) fn names_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(at(folder)).into_iter().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Visits each Rust file below `folder` with its path from the root of the repository, sorted. Visits none if the
/// folder is not there.
pub(crate) fn each_source_file(folder: &str, visit: &mut impl FnMut(String, String)) {
    for name in names_in(folder) {
        let path = format!("{folder}/{name}");
        if at(&path).is_dir() && name != "target" {
            each_source_file(&path, visit);
        } else if name.ends_with(".rs") {
            let text = read(&path);
            visit(path, text);
        }
    }
}

/// A package of the workspace.
pub(crate) struct Package {
    /// Its name, such as `narratoria-plan`.
    pub(crate) name: String,
    /// The name of its library in paths, such as `narratoria_plan`.
    pub(crate) lib_name: String,
    /// Its folder, such as `src/plan`; empty for the program.
    pub(crate) folder: String,
    /// The folder of its sources: `src` in its folder if that is there, otherwise the folder itself.
    pub(crate) sources: String,
    /// Folders within `sources` that are packages of their own.
    pub(crate) apart: Vec<String>,
    pub(crate) manifest: Table,
}

/// The packages of the workspace, by the members of its manifest, and the program itself first.
pub(crate) fn packages() -> Vec<Package> {
    let workspace: Table = read("Cargo.toml").parse().expect("a manifest is TOML");
    let members = workspace["workspace"]["members"].as_array().expect("members are a list");
    let mut folders = vec![String::new()];
    for member in members.iter().filter_map(Value::as_str) {
        match member.strip_suffix("/*") {
            Some(parent) => {
                folders.extend(names_in(parent).iter().map(|name| format!("{parent}/{name}")));
            }
            None => folders.push(member.to_owned()),
        }
    }
    folders.retain(|folder| folder.is_empty() || has_manifest(folder));
    folders.into_iter().map(package).collect()
}

fn has_manifest(folder: &str) -> bool {
    at(folder).join("Cargo.toml").is_file()
}

fn package(folder: String) -> Package {
    let within = |name: &str| format!("{folder}/{name}").trim_start_matches('/').to_owned();
    let manifest: Table = read(&within("Cargo.toml")).parse().expect("a manifest is TOML");
    let name = manifest["package"]["name"].as_str().expect("a package has a name").to_owned();
    let lib_name = manifest.get("lib").and_then(|lib| lib.get("name")).and_then(Value::as_str);
    let lib_name = lib_name.map_or_else(|| name.replace('-', "_"), str::to_owned);
    let sources = if at(&within("src")).is_dir() { within("src") } else { folder.clone() };
    let mut apart = names_in(&sources);
    apart.retain(|name| has_manifest(&format!("{sources}/{name}")));
    Package { name, lib_name, folder, sources, apart, manifest }
}
