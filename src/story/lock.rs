//! The locks of a story: locks on files beside the database. The process that plays the story holds one, the process
//! that runs a plan of it the other.
//!
//! The operating system releases a lock when the process ends, even by a crash. So if a journal has no lock, its
//! process is gone. The files stay: deleting one would let two processes hold two locks of the same name.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    path::Path,
    thread,
    time::Duration,
};

use jiff::Timestamp;

use crate::{
    StoryError, StoryName,
    folder::{self, PLAY_LOCK_FILE},
};

/// The empty lock file of a running plan, in the story's folder.
const PLAN_LOCK_FILE: &str = "plan.lock";

/// The empty lock file in a folder in which a story is built.
const ASIDE_LOCK_FILE: &str = "import.lock";

/// Longest line of [`PLAY_LOCK_FILE`] that is read.
const HOLDER_BYTES_MAX: u64 = 100;

/// How long a lock is retried that another process holds. A process that was just killed may still exist for a moment;
/// one that really plays holds the lock longer.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(250);

/// Time between two tries.
const LOCK_WAIT: Duration = Duration::from_millis(10);

/// Held while a plan runs.
#[derive(Debug)]
pub(crate) struct PlanLock(#[expect(dead_code, reason = "held, not read")] LockedFile);

/// Held while a process plays the story or changes it in another way.
#[derive(Debug)]
pub(crate) struct PlayLock(#[expect(dead_code, reason = "held, not read")] LockedFile);

/// Held while a story is built in a folder aside.
#[derive(Debug)]
pub(crate) struct AsideLock(#[expect(dead_code, reason = "held, not read")] LockedFile);

/// A file with a lock of this process.
#[derive(Debug)]
struct LockedFile(File);

impl AsideLock {
    /// Takes the lock, unless another process holds it.
    pub(crate) fn try_acquire(folder: &Path) -> Result<Option<AsideLock>, StoryError> {
        let locked = LockedFile::acquire(&folder.join(ASIDE_LOCK_FILE))?;
        Ok(locked.map(AsideLock).ok())
    }
}

impl PlanLock {
    /// Takes the lock, or returns [`StoryError::PlanRunning`] if another process holds it.
    pub(crate) fn acquire(folder: &Path, name: &StoryName) -> Result<PlanLock, StoryError> {
        let locked = LockedFile::acquire(&folder.join(PLAN_LOCK_FILE))?;
        locked.map(PlanLock).map_err(|_| StoryError::PlanRunning { name: name.clone() })
    }
}

impl PlayLock {
    /// Takes the lock, or returns [`StoryError::PlayedElsewhere`] with the process that holds it.
    pub(crate) fn acquire(
        folder: &Path,
        name: &StoryName,
        since: Timestamp,
    ) -> Result<PlayLock, StoryError> {
        let path = folder.join(PLAY_LOCK_FILE);
        let mut locked = LockedFile::acquire(&path)?.map_err(|mut held| {
            StoryError::PlayedElsewhere { name: name.clone(), holder: holder(&mut held) }
        })?;
        let line = format!("{} {since:.0}\n", std::process::id());
        let file = &mut locked.0;
        // The line only informs a second process, so a full disk must not prevent play.
        let _ = file.set_len(0).and_then(|()| file.rewind());
        let _ = file.write_all(line.as_bytes());
        Ok(PlayLock(locked))
    }
}

/// Returns the process that plays the story, in words; `None` if nothing plays it. Changes nothing.
pub fn played_by(root: &Path, name: &StoryName) -> Option<String> {
    let path = root.join(name.as_str()).join(PLAY_LOCK_FILE);
    folder::kind(&path).ok()?.filter(|kind| *kind == folder::FILE)?;
    let mut file = File::open(path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(holder(&mut file)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

impl LockedFile {
    /// Locks the file, and creates it if it is missing. Returns the file without a lock if another process holds it.
    fn acquire(path: &Path) -> Result<Result<LockedFile, File>, StoryError> {
        if let Some(found) = folder::kind(path)?.filter(|found| *found != folder::FILE) {
            let path = path.to_owned();
            return Err(StoryError::WrongKind { path, found, expected: folder::FILE });
        }
        let mut options = OpenOptions::new();
        let file = match options.read(true).write(true).create(true).truncate(false).open(path) {
            Ok(file) => file,
            Err(source) => {
                return Err(StoryError::Io { action: "open", path: path.to_owned(), source });
            }
        };
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Ok(LockedFile(file))),
                Err(TryLockError::WouldBlock) if waited < LOCK_WAIT_MAX => {
                    thread::sleep(LOCK_WAIT);
                    waited += LOCK_WAIT;
                }
                Err(TryLockError::WouldBlock) => return Ok(Err(file)),
                Err(TryLockError::Error(source)) => {
                    return Err(StoryError::Io { action: "lock", path: path.to_owned(), source });
                }
            }
        }
    }
}

impl Drop for LockedFile {
    /// Unlocks the file, because on some systems closing it releases the lock only later.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Returns the process that holds the lock, in words.
fn holder(file: &mut File) -> String {
    let mut line = String::new();
    let _ = file.take(HOLDER_BYTES_MAX).read_to_string(&mut line);
    let words = line.trim().split_once(' ');
    let known = words.and_then(|(process, since)| {
        let process: u32 = process.parse().ok()?;
        let since: Timestamp = since.parse().ok()?;
        Some(format!("process {process} since {}", since.strftime("%Y-%m-%d %H:%M UTC")))
    });
    known.unwrap_or_else(|| "another process".to_owned())
}
