//! Finds the files that an invocation has written. A guest may rename them, so a file is identified by its number in
//! the file system, and gets its name at the end of the invocation. On systems without such numbers no file is found.

use std::{collections::BTreeSet, fs::Metadata};

use cap_std::{ambient_authority, fs::Dir};

use crate::{folder_usage::FOLDER_DEPTH_MAX, input::Preopen};

/// Most files of one folder that an invocation reports as written, because the record of the plan holds their names. A
/// diary, an index and a few drawings are a dozen.
pub const WRITTEN_FILES_MAX: usize = 64;

/// Identifies a file while it exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    #[cfg(unix)]
    pub(crate) fn of(meta: &Metadata) -> Option<FileId> {
        use std::os::unix::fs::MetadataExt;
        Some(FileId { device: meta.dev(), inode: meta.ino() })
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Option<FileId> {
        None
    }

    #[cfg(unix)]
    fn of_entry(meta: &cap_std::fs::Metadata) -> Option<FileId> {
        use cap_std::fs::MetadataExt;
        Some(FileId { device: meta.dev(), inode: meta.ino() })
    }

    #[cfg(not(unix))]
    fn of_entry(_: &cap_std::fs::Metadata) -> Option<FileId> {
        None
    }
}

/// Returns the guest's names of these files in the folders, in order; the first [`WRITTEN_FILES_MAX`] of each folder.
/// Does not follow links.
pub(crate) fn names_of(files: &BTreeSet<FileId>, folders: &[Preopen]) -> Vec<String> {
    let mut names = Vec::new();
    if files.is_empty() {
        return names;
    }
    for folder in folders {
        let mut found = Vec::new();
        if let Ok(dir) = Dir::open_ambient_dir(&folder.host, ambient_authority()) {
            add_names(&dir, &folder.guest, 0, files, &mut found);
        }
        found.sort_unstable();
        found.truncate(WRITTEN_FILES_MAX);
        names.append(&mut found);
    }
    names
}

/// Adds the names below a folder. The quotas of an invocation limit how many entries there are.
fn add_names(
    dir: &Dir,
    name: &str,
    depth: usize,
    files: &BTreeSet<FileId>,
    found: &mut Vec<String>,
) {
    for entry in dir.entries().into_iter().flatten().flatten() {
        // A guest names its files in UTF-8.
        let Ok(last) = entry.file_name().into_string() else { continue };
        let name = format!("{name}/{last}");
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_dir() {
            if depth < FOLDER_DEPTH_MAX
                && let Ok(dir) = entry.open_dir()
            {
                add_names(&dir, &name, depth + 1, files, found);
            }
        } else if meta.is_file() && FileId::of_entry(&meta).is_some_and(|id| files.contains(&id)) {
            found.push(name);
        }
    }
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test stops at the first thing that is not as expected")]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn id(path: &Path) -> FileId {
        FileId::of(&fs::metadata(path).unwrap()).unwrap()
    }

    #[test]
    fn files_are_named_as_they_are_called_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        for name in ["kept", "draft", "gone", "deep/written"] {
            fs::write(at(name), name).unwrap();
        }
        let written = ["draft", "gone", "deep/written"].map(|name| id(&at(name)));
        fs::rename(at("draft"), at("final")).unwrap();
        fs::remove_file(at("gone")).unwrap();
        std::os::unix::fs::symlink(at("final"), at("link")).unwrap();
        let preopen = |guest: &str| Preopen {
            host: folder.path().to_owned(),
            guest: guest.to_owned(),
            writable: true,
        };
        let names = names_of(&BTreeSet::from(written), &[preopen("/data")]);
        assert_eq!(names, ["/data/deep/written", "/data/final"]);
        assert_eq!(names_of(&BTreeSet::new(), &[preopen("/data")]), Vec::<String>::new());
    }

    #[test]
    fn a_folder_reports_its_first_files_and_leaves_room_for_the_next_folder() {
        let (many, one) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut written = BTreeSet::new();
        for n in 0..=WRITTEN_FILES_MAX {
            let path = many.path().join(format!("{n:03}"));
            fs::write(&path, "x").unwrap();
            written.insert(id(&path));
        }
        fs::write(one.path().join("note"), "x").unwrap();
        written.insert(id(&one.path().join("note")));
        let preopen = |folder: &Path, guest: &str| Preopen {
            host: folder.to_owned(),
            guest: guest.to_owned(),
            writable: true,
        };
        let names =
            names_of(&written, &[preopen(many.path(), "/assets"), preopen(one.path(), "/data")]);
        assert_eq!(names.len(), WRITTEN_FILES_MAX + 1);
        assert_eq!(names[0], "/assets/000");
        assert_eq!(names[WRITTEN_FILES_MAX - 1], "/assets/063");
        assert_eq!(names[WRITTEN_FILES_MAX], "/data/note");
    }
}
