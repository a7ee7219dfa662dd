//! The source files of a folder.

use std::{fs, path::Path};

/// Hands over each Rust file below `dir` with its path from the root of the repository, sorted. A folder that
/// is not there has none.
pub(crate) fn each_source_file(dir: &Path, visit: &mut impl FnMut(String, String)) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            each_source_file(&path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("Rust source is UTF-8");
            visit(path.to_string_lossy().replace('\\', "/"), text);
        }
    }
}

/// The crates of `src`: each folder with a manifest, by its name. The program's own crate is `src` itself.
pub(crate) fn crate_folders() -> Vec<String> {
    let entries = fs::read_dir("src").expect("the working folder is the workspace");
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
