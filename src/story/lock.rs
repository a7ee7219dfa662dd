//! Who runs a plan of the story right now: whoever holds the lock on a file beside the database.
//!
//! The operating system takes the lock back when its process ends, however it ends. So a journal without
//! a lock is one whose process is gone. The file itself is empty and stays: to remove it would let two
//! processes hold two locks of the same name.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
    thread,
    time::Duration,
};

use super::{StoryError, StoryName, format};

/// In the story's folder.
const LOCK_FILE: &str = "plan.lock";

/// How long a lock that somebody has is asked for again. A process that was killed a moment ago may not be
/// gone yet, and whoever really runs a plan does so for longer.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);

/// Between two times of asking.
const LOCK_WAIT: Duration = Duration::from_millis(10);

/// Held while a plan runs.
#[derive(Debug)]
pub(super) struct PlanLock {
    file: File,
}

impl PlanLock {
    /// Takes the lock, or says that somebody else has it.
    pub(super) fn acquire(folder: &Path, name: &StoryName) -> Result<PlanLock, StoryError> {
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
    /// Closing the file gives the lock back as well, but not on every system at once.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}
