//! The files of the repository, by their path from its root.

use std::{
    fs,
    path::{Path, PathBuf},
};

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

/// The crates of `src`: each folder with a manifest, by its name. The program's own crate is `src` itself.
pub(crate) fn crate_folders() -> Vec<String> {
    let mut names = names_in("src");
    names.retain(|name| at(&format!("src/{name}/Cargo.toml")).is_file());
    names
}
