//! The lock of the process that runs a plan of the story: a lock on a file beside the database.
//!
//! The operating system releases the lock when the process ends, even by a crash. So if a journal has no
//! lock, its process is gone. The file is empty and stays: deleting it would let two processes hold two
//! locks of the same name.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
    thread,
    time::Duration,
};

use crate::{StoryError, StoryName, format};

/// In the story's folder.
const LOCK_FILE: &str = "plan.lock";

/// How long to retry a lock that another process holds. A process that was killed a moment ago may still
/// exist, and one that really runs a plan does so for longer.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);

/// Time between two tries.
const LOCK_WAIT: Duration = Duration::from_millis(10);

/// Held while a plan runs.
#[derive(Debug)]
pub(crate) struct PlanLock {
    file: File,
}

impl PlanLock {
    /// Takes the lock, or returns [`StoryError::PlanRunning`] if another process holds it.
    pub(crate) fn acquire(folder: &Path, name: &StoryName) -> Result<PlanLock, StoryError> {
        let path = folder.join(LOCK_FILE);
        if let Some(found) = format::kind(&path)?.filter(|found| *found != format::FILE) {
            return Err(StoryError::WrongKind { path, found, expected: format::FILE });
        }
        let mut options = OpenOptions::new();
        let file = match options.write(true).create(true).truncate(false).open(&path) {
            Ok(file) => file,
            Err(source) => return Err(StoryError::Io { action: "open", path, source }),
        };
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(PlanLock { file }),
                Err(TryLockError::WouldBlock) if waited < LOCK_WAIT_MAX => {
                    thread::sleep(LOCK_WAIT);
                    waited += LOCK_WAIT;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoryError::PlanRunning { name: name.clone() });
                }
                Err(TryLockError::Error(source)) => {
                    return Err(StoryError::Io { action: "lock", path, source });
                }
            }
        }
    }
}

impl Drop for PlanLock {
    /// Closing the file releases the lock too, but on some systems only later.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
