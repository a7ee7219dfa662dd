//! Measures and deletes folders on the disk through handles, because a guest that descends folder by folder gets
//! deeper than any path can name. Does not follow links. Knows nothing of invocations.

use std::{
    collections::VecDeque,
    ffi::{OsStr, OsString},
    io,
    path::Path,
};

use cap_std::{ambient_authority, fs::Dir};

/// Deepest nesting of folders in a folder of a script, because code that walks them holds each level open.
pub const FOLDER_DEPTH_MAX: usize = 32;

/// Contents of a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FolderUsage {
    /// The sum of the lengths of all files; [`u64::MAX`] if there are more entries than were counted.
    pub bytes: u64,
    /// The number of files, folders and links.
    pub entries: usize,
    /// True if folders nest deeper than [`FOLDER_DEPTH_MAX`]. Deeper ones are not counted.
    pub is_too_deep: bool,
}

impl FolderUsage {
    /// Counts up to `entries_max` entries of the folder. A missing folder counts as empty, and so does one that cannot
    /// be read, because a guest cannot write to it either.
    pub fn measure(folder: &Path, entries_max: usize) -> FolderUsage {
        let mut usage = FolderUsage::default();
        if let Ok(dir) = Dir::open_ambient_dir(folder, ambient_authority()) {
            usage.add(&dir, 0, entries_max);
        }
        if usage.entries > entries_max {
            usage.bytes = u64::MAX;
        }
        usage
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: FolderUsage) -> FolderUsage {
        FolderUsage {
            bytes: self.bytes.saturating_add(other.bytes),
            entries: self.entries.saturating_add(other.entries),
            is_too_deep: self.is_too_deep || other.is_too_deep,
        }
    }

    fn add(&mut self, dir: &Dir, depth: usize, entries_max: usize) {
        for entry in dir.entries().into_iter().flatten().flatten() {
            self.entries += 1;
            if self.entries > entries_max {
                return;
            }
            // This is the metadata of the entry itself, even if it is a link.
            let Ok(meta) = entry.metadata() else { continue };
            if !meta.is_dir() {
                self.bytes = self.bytes.saturating_add(meta.len());
            } else if depth == FOLDER_DEPTH_MAX {
                self.is_too_deep = true;
            } else if let Ok(dir) = entry.open_dir() {
                self.add(&dir, depth + 1, entries_max);
            }
        }
    }
}

/// Deletes folders that nest deeper than [`FOLDER_DEPTH_MAX`].
pub(crate) fn remove_too_deep(folder: &Path) -> io::Result<()> {
    remove_below(&Dir::open_ambient_dir(folder, ambient_authority())?, 0)
}

fn remove_below(dir: &Dir, depth: usize) -> io::Result<()> {
    for name in folders_in(dir)? {
        match depth == FOLDER_DEPTH_MAX {
            true => remove_tree(dir, &name)?,
            false => remove_below(&dir.open_dir(&name)?, depth + 1)?,
        }
    }
    Ok(())
}

/// Deletes a folder with everything in it, however deep. Does not follow links.
pub fn remove_folder(parent: &Path, name: &OsStr) -> io::Result<()> {
    remove_tree(&Dir::open_ambient_dir(parent, ambient_authority())?, name)
}

/// Deletes a folder in `parent` with everything in it: each folder inside moves up beside it before it is
/// deleted, so that two handles are enough.
fn remove_tree(parent: &Dir, name: &OsStr) -> io::Result<()> {
    let mut trees = VecDeque::from([name.to_owned()]);
    let mut number = 0_u64;
    while let Some(tree) = trees.pop_front() {
        let dir = parent.open_dir(&tree)?;
        for entry in dir.entries()?.collect::<io::Result<Vec<_>>>()? {
            let inner = entry.file_name();
            if !entry.metadata()?.is_dir() {
                dir.remove_file(&inner)?;
                continue;
            }
            trees.push_back(move_up(&dir, &inner, parent, &mut number)?);
        }
        drop(dir);
        parent.remove_dir(&tree)?;
    }
    Ok(())
}

/// Moves a folder to a free name in `parent`, and returns that name.
fn move_up(dir: &Dir, inner: &OsStr, parent: &Dir, number: &mut u64) -> io::Result<OsString> {
    loop {
        *number += 1;
        let name = OsString::from(format!(".removed-{number}"));
        if !parent.exists(&name) && parent.symlink_metadata(&name).is_err() {
            dir.rename(inner, parent, &name)?;
            return Ok(name);
        }
    }
}

fn folders_in(dir: &Dir) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in dir.entries()? {
        let entry = entry?;
        if entry.metadata()?.is_dir() {
            names.push(entry.file_name());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Creates nested folders one by one, deeper than a path can name, with a file of 7 bytes in each.
    fn dig(folder: &Path, depth: usize) {
        let mut dir = Dir::open_ambient_dir(folder, ambient_authority()).unwrap();
        for _ in 0..depth {
            dir.create_dir("a-folder-with-a-long-name").unwrap();
            dir = dir.open_dir("a-folder-with-a-long-name").unwrap();
            dir.write("file", "7 bytes").unwrap();
        }
    }

    #[test]
    fn folders_deeper_than_a_path_can_name_are_seen_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        dig(folder.path(), 400);
        fs::write(folder.path().join("beside"), "x").unwrap();
        let usage = FolderUsage::measure(folder.path(), 10_000);
        let deep = FOLDER_DEPTH_MAX as u64;
        assert_eq!((usage.bytes, usage.is_too_deep), (7 * deep + 1, true));
        remove_too_deep(folder.path()).unwrap();
        let usage = FolderUsage::measure(folder.path(), 10_000);
        let entries = 2 * FOLDER_DEPTH_MAX + 1;
        assert_eq!(usage, FolderUsage { bytes: 7 * deep + 1, entries, is_too_deep: false });
        dig(folder.path(), 0);
        remove_folder(folder.path(), OsStr::new("a-folder-with-a-long-name")).unwrap();
        let expect = FolderUsage { bytes: 1, entries: 1, is_too_deep: false };
        assert_eq!(FolderUsage::measure(folder.path(), 10_000), expect);
    }

    #[test]
    fn a_folder_with_too_many_entries_counts_as_full() {
        let folder = tempfile::tempdir().unwrap();
        (0..5).for_each(|n| fs::write(folder.path().join(n.to_string()), "x").unwrap());
        assert_eq!(FolderUsage::measure(folder.path(), 5).bytes, 5);
        assert_eq!(FolderUsage::measure(folder.path(), 4).bytes, u64::MAX);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_removed_and_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let (inside, outside) = (home.path().join("inside"), home.path().join("outside"));
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("file"), "here").unwrap();
        for link in ["link", "deep/link"] {
            std::os::unix::fs::symlink(&outside, inside.join(link)).unwrap();
        }
        assert_eq!(FolderUsage::measure(&inside, 10).entries, 3);
        remove_folder(home.path(), OsStr::new("inside")).unwrap();
        assert!(!inside.exists());
        assert_eq!(fs::read(outside.join("file")).unwrap(), b"here");
    }
}
