//! The files of a package while its author works on it: whether they have changed, and a copy for a host that plays them.

use std::{
    ffi::OsStr,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use narratoria_skills::{AUTHOR_FOLDERS, PACKAGE_FILES_MAX};

/// Deepest folder that is looked at.
const FOLDERS_DEEP: usize = 16;

/// Folders directly in a package that builds and tools write, not authors.
const WRITTEN_FOLDERS: [&str; 4] = ["target", "node_modules", "scripts", "__pycache__"];

/// Files that a build writes.
const WRITTEN_FILES: [&str; 2] = ["Cargo.lock", "package-lock.json"];

/// A number that differs when a file of the author does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceFingerprint(u64);

/// Looks at every file of an author in a package. Follows no link, and looks at [`PACKAGE_FILES_MAX`] files at most.
pub fn source_fingerprint(folder: &Path) -> SourceFingerprint {
    let mut hasher = DefaultHasher::new();
    for (path, found) in files(vec![(folder.to_owned(), 0)], is_author_s) {
        path.hash(&mut hasher);
        found.len().hash(&mut hasher);
        found.modified().ok().hash(&mut hasher);
    }
    SourceFingerprint(hasher.finish())
}

/// Returns true for an author's files: not for hidden ones, nor for those that a build has written.
fn is_author_s(name: &OsStr, depth: usize) -> bool {
    let name = name.to_string_lossy();
    let is_written =
        depth == 0 && (WRITTEN_FOLDERS.contains(&&*name) || WRITTEN_FILES.contains(&&*name));
    !is_written && !name.starts_with('.') && name != "__pycache__"
}

/// The time of the newest of these files and of those in these folders.
pub(super) fn newest(paths: Vec<PathBuf>) -> Option<SystemTime> {
    let single = paths.iter().filter_map(|path| fs::metadata(path).ok());
    let single = single.filter(fs::Metadata::is_file).filter_map(|found| found.modified().ok());
    let single = single.max();
    let folders = paths.into_iter().map(|path| (path, 1)).collect();
    let inner =
        files(folders, is_author_s).into_iter().filter_map(|(_, found)| found.modified().ok());
    inner.chain(single).max()
}

/// Puts a copy of the files that a host reads of a package into `to`, in the place of an older copy. A host that looks
/// at any moment finds one of the two, or for a moment none.
pub fn publish_package(folder: &Path, to: &Path) -> io::Result<()> {
    let within = to.parent().unwrap_or(Path::new("."));
    let scratch = tempfile::Builder::new().prefix(".narratoria-play-").tempdir_in(within)?;
    let fresh = scratch.path().join("fresh");
    fs::create_dir(&fresh)?;
    let is_read = |name: &OsStr, depth: usize| {
        let name = name.to_string_lossy();
        !name.starts_with('.') && (depth > 0 || !AUTHOR_FOLDERS.contains(&&*name))
    };
    for (path, _) in files(vec![(folder.to_owned(), 0)], is_read) {
        let Ok(inside) = path.strip_prefix(folder) else { continue };
        let copy = fresh.join(inside);
        fs::create_dir_all(copy.parent().unwrap_or(&fresh))?;
        fs::copy(&path, copy)?;
    }
    if to.exists() {
        fs::rename(to, scratch.path().join("old"))?;
    }
    fs::rename(&fresh, to)
}

/// Returns the files that an author writes in a folder of a package.
pub(super) fn author_files(folder: PathBuf) -> Vec<PathBuf> {
    files(vec![(folder, 1)], is_author_s).into_iter().map(|(path, _)| path).collect()
}

/// The regular files in some folders, each folder with its depth, in the order of their paths.
fn files(
    mut waiting: Vec<(PathBuf, usize)>,
    is_wanted: impl Fn(&OsStr, usize) -> bool,
) -> Vec<(PathBuf, fs::Metadata)> {
    let mut found = Vec::new();
    while let Some((folder, depth)) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if !is_wanted(&entry.file_name(), depth) || found.len() >= PACKAGE_FILES_MAX {
                continue;
            }
            if metadata.is_dir() && depth < FOLDERS_DEEP {
                waiting.push((entry.path(), depth + 1));
            } else if metadata.is_file() {
                found.push((entry.path(), metadata));
            }
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_s_change_is_seen_and_a_build_s_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("src/tell.rs", "one");
        let first = source_fingerprint(dir.path());
        for path in [
            "target/release/x",
            "scripts/tell.wasm",
            ".git/HEAD",
            "Cargo.lock",
            "node_modules/a/b.js",
            "src/__pycache__/tell.pyc",
        ] {
            write(path, "built");
            assert_eq!(source_fingerprint(dir.path()), first, "{path}");
        }
        for path in ["skill.json", "src/deep/more.rs", "schemas/a.json", "tests/scripts/a.py"] {
            let before = source_fingerprint(dir.path());
            write(path, "mine");
            assert_ne!(source_fingerprint(dir.path()), before, "{path}");
        }
        let before = source_fingerprint(dir.path());
        write("src/tell.rs", "three");
        assert_ne!(source_fingerprint(dir.path()), before);
    }

    #[test]
    fn a_copy_has_what_a_host_reads_and_replaces_the_older_one() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("play/mill"));
        for path in ["src/tell.rs", "scripts/tell.wasm", "skill.json", ".git/HEAD"] {
            let path = from.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "new").unwrap();
        }
        fs::create_dir_all(&to).unwrap();
        fs::write(to.join("gone.json"), "old").unwrap();
        publish_package(&from, &to).unwrap();
        let copied: Vec<String> = files(vec![(to.clone(), 0)], |_, _| true)
            .into_iter()
            .map(|(path, _)| path.strip_prefix(&to).unwrap().display().to_string())
            .collect();
        assert_eq!(copied, ["scripts/tell.wasm", "skill.json"]);
        assert_eq!(fs::read_dir(dir.path().join("play")).unwrap().count(), 1);
    }
}
