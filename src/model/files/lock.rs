//! One process at a time works on a file: whoever holds the lock on a file of its own.
//!
//! The operating system takes the lock back when its process ends, however it ends. The files are empty and stay:
//! to remove one would let two processes hold two locks of the same name.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    path::Path,
};

use super::{FileError, HubName};

/// In the folder of the models; a dot is no owner's first letter.
const FOLDER: &str = ".locks";

/// Held while somebody fetches or removes a model.
#[derive(Debug)]
pub(super) struct DownloadLock {
    file: File,
}

impl DownloadLock {
    /// Takes the lock; none when somebody else has it.
    pub(super) fn take(models: &Path, name: &HubName) -> Result<Option<DownloadLock>, FileError> {
        let folder = models.join(FOLDER);
        let failed =
            |action, path: &Path, source| FileError::Io { action, path: path.to_owned(), source };
        fs::create_dir_all(&folder).map_err(|source| failed("create", &folder, source))?;
        let path = folder.join(name.to_string().replace('/', "--"));
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|source| failed("open", &path, source))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(DownloadLock { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(failed("lock", &path, source)),
        }
    }
}

impl Drop for DownloadLock {
    /// Closing the file gives the lock back as well, but not on every system at once.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
