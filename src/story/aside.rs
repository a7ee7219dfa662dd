//! A folder in which a story is built before it is moved to its place. A process that dies leaves its folder; the next
//! one that builds a story removes it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

use crate::{StoryError, folder, lock::AsideLock};

/// The beginning of such a folder's name. No story's name begins with a dot.
const ASIDE_START: &str = ".import-";

/// Most names that one process tries.
const ASIDE_TRIES: usize = 1_000;

/// A folder that is removed on drop.
#[derive(Debug)]
pub(crate) struct AsideFolder {
    path: PathBuf,
    /// Shows other processes that the folder is in use.
    lock: Option<AsideLock>,
}

impl AsideFolder {
    /// Creates the folder among the stories, so that a rename puts the story in its place.
    pub(crate) fn create(root: &Path) -> Result<AsideFolder, StoryError> {
        for left in left_behind(root) {
            // The folder of a live process is locked. If a removal fails, the next process tries again.
            if let Ok(Some(lock)) = AsideLock::try_acquire(&left) {
                drop(lock);
                let _ = fs::remove_dir_all(&left);
            }
        }
        let paths =
            (0..ASIDE_TRIES).map(|n| root.join(format!("{ASIDE_START}{}-{n}", process::id())));
        for path in paths {
            if folder::kind(&path)?.is_some() {
                continue;
            }
            folder::create(root, &path)?;
            let lock = AsideLock::try_acquire(&path)?;
            return Ok(AsideFolder { path, lock });
        }
        let source = io::Error::other("there are too many unfinished imports");
        Err(StoryError::Io { action: "create a folder in", path: root.to_owned(), source })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Moves the built story to its place, whole or not at all.
    pub(crate) fn put(self, built: &Path, target: &Path) -> Result<(), StoryError> {
        fs::rename(built, target).map_err(|source| StoryError::Io {
            action: "put the story into",
            path: target.to_owned(),
            source,
        })?;
        #[cfg(unix)]
        if let Some(root) = target.parent() {
            // Best effort: the story is there, but a power failure may lose its name.
            let _ = fs::File::open(root).and_then(|root| root.sync_all());
        }
        Ok(())
    }
}

impl Drop for AsideFolder {
    fn drop(&mut self) {
        self.lock = None;
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn left_behind(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let is_aside = |entry: &fs::DirEntry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with(ASIDE_START))
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    entries.filter(is_aside).map(|entry| entry.path()).take(ASIDE_TRIES).collect()
}
