//! Lets one process at a time work on a model. Each model has a lock file of its own.
//!
//! The operating system releases the lock when its process ends, however it ends. The lock files are empty and stay:
//! removing one would let two processes hold two locks of the same name.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    path::Path,
};

use narratoria_skills::open_regular;

use super::{FileError, HubName};

/// Inside the folder of models. No owner's name begins with a dot.
const FOLDER: &str = ".locks";

/// Held while a process downloads or removes a model.
#[derive(Debug)]
pub(super) struct DownloadLock {
    file: File,
}

impl DownloadLock {
    /// `None` when another process has the lock.
    pub(super) fn take(models: &Path, name: &HubName) -> Result<Option<DownloadLock>, FileError> {
        let folder = models.join(FOLDER);
        let failed =
            |action, path: &Path, source| FileError::Io { action, path: path.to_owned(), source };
        fs::create_dir_all(&folder).map_err(|source| failed("create", &folder, source))?;
        let path = folder.join(name.to_string().replace('/', "--"));
        let mut options = OpenOptions::new();
        let file = open_regular(&path, options.write(true).create(true).truncate(false))
            .map_err(|source| failed("open", &path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(DownloadLock { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(failed("lock", &path, source)),
        }
    }
}

impl Drop for DownloadLock {
    /// Closing the file releases the lock as well, but not at once on every system.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
