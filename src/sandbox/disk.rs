//! How much of the disk, and how many open files, one invocation may have. The guest's own memory is
//! counted elsewhere; what it leaves behind in its folders is the player's disk.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::{
    async_trait,
    filesystem::Descriptor,
    p2::{
        DynInputStream, DynOutputStream, OutputStream, Pollable, ReaddirIterator, StreamError,
        StreamResult,
    },
};

use super::{Preopen, Refusal};

/// Most bytes that one invocation writes into its folders, those that it writes again included. A picture
/// of a scene has some 2 MiB, a minute of music the same.
pub const DISK_WRITTEN_BYTES_MAX: u64 = 64 << 20;

/// Most bytes that there may be in the folders of an invocation: `/data` outlives it, and would be filled
/// bit by bit.
pub const DISK_BYTES_MAX: u64 = 256 << 20;

/// Most files, folders and links in the folders of an invocation. Each has a price of its own on the disk,
/// and whoever lists a folder has all of them in memory.
pub const DISK_ENTRIES_MAX: usize = 1_000;

/// How far into a file a guest may write, so that none seems larger than all that there may be.
pub const FILE_BYTES_MAX: u64 = DISK_WRITTEN_BYTES_MAX;

/// Files, folders, listings and streams of files that a guest may hold at once. An ordinary process has
/// 1,024 of them for everything; a script opens one after the other.
pub const FILES_OPEN_MAX: usize = 32;

/// Longest path that a guest may name.
pub const GUEST_PATH_BYTES_MAX: usize = 1_024;

/// Something that keeps a file open or a listing in memory, by its place in the guest's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    File(u32),
    Entries(u32),
    Reading(u32),
    Writing(u32),
}

impl Held {
    fn is_still_there(self, table: &ResourceTable) -> bool {
        match self {
            Held::File(rep) => table.get(&Resource::<Descriptor>::new_borrow(rep)).is_ok(),
            Held::Entries(rep) => table.get(&Resource::<ReaddirIterator>::new_borrow(rep)).is_ok(),
            Held::Reading(rep) => table.get(&Resource::<DynInputStream>::new_borrow(rep)).is_ok(),
            Held::Writing(rep) => table.get(&Resource::<DynOutputStream>::new_borrow(rep)).is_ok(),
        }
    }
}

#[derive(Debug)]
struct Left {
    bytes: u64,
    entries: usize,
    held: BTreeSet<Held>,
    refusal: Option<Refusal>,
}

/// What one invocation may still do to its folders.
#[derive(Debug, Clone)]
pub(super) struct Disk(Arc<Mutex<Left>>);

impl Disk {
    /// Looks at what there is. Costs nothing without folders that may be written.
    pub(super) fn of(preopens: &[Preopen]) -> Disk {
        let (mut bytes, mut entries) = (0, 0);
        for folder in preopens.iter().filter(|folder| folder.writable) {
            add_up(&folder.host, &mut bytes, &mut entries);
        }
        Disk(Arc::new(Mutex::new(Left {
            bytes: DISK_WRITTEN_BYTES_MAX.min(DISK_BYTES_MAX.saturating_sub(bytes)),
            entries: DISK_ENTRIES_MAX.saturating_sub(entries),
            held: BTreeSet::new(),
            refusal: None,
        })))
    }

    /// Why the guest was stopped, if it was for this.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.lock().refusal.clone()
    }

    /// Counts one more file, folder or link.
    pub(super) fn make(&self) -> wasmtime::Result<()> {
        let mut left = self.lock();
        match left.entries.checked_sub(1) {
            Some(entries) => {
                left.entries = entries;
                Ok(())
            }
            None => left.refuse(Refusal::TooManyFiles { limit: DISK_ENTRIES_MAX }),
        }
    }

    /// Counts bytes that are about to be written.
    pub(super) fn write(&self, bytes: u64) -> wasmtime::Result<()> {
        let mut left = self.lock();
        match left.bytes.checked_sub(bytes) {
            Some(bytes) => {
                left.bytes = bytes;
                Ok(())
            }
            None => left.refuse(Refusal::DiskFull { limit: DISK_WRITTEN_BYTES_MAX }),
        }
    }

    /// Counts what the guest holds.
    pub(super) fn hold(&self, held: Held, table: &ResourceTable) -> wasmtime::Result<()> {
        let mut left = self.lock();
        if left.held.len() >= FILES_OPEN_MAX {
            left.held.retain(|held| held.is_still_there(table));
        }
        left.held.insert(held);
        if left.held.len() > FILES_OPEN_MAX {
            return left.refuse(Refusal::TooManyOpenFiles { limit: FILES_OPEN_MAX });
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Left {
    /// Traps rather than answering an error: as with memory, most guests would end by it anyway, and the
    /// reason would be lost.
    fn refuse(&mut self, refusal: Refusal) -> wasmtime::Result<()> {
        self.refusal = Some(refusal);
        Err(wasmtime::format_err!("disk limit"))
    }
}

/// Bytes and entries under this folder, without following links, and no further than anybody wants to
/// know. What cannot be looked at counts as nothing: it will not let itself be written either.
fn add_up(folder: &Path, bytes: &mut u64, entries: &mut usize) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *entries += 1;
            if *entries > DISK_ENTRIES_MAX {
                return;
            }
            // Of the entry itself, be it a link.
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                folders.push(entry.path());
            } else {
                *bytes = bytes.saturating_add(meta.len());
            }
        }
    }
}

/// A stream into a file, with its bytes counted.
pub(super) struct Counted {
    pub(super) inner: DynOutputStream,
    pub(super) disk: Disk,
}

#[async_trait]
impl OutputStream for Counted {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.disk.write(bytes.len() as u64).map_err(StreamError::Trap)?;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.inner.flush()
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        self.inner.check_write()
    }

    async fn blocking_write_and_flush(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.disk.write(bytes.len() as u64).map_err(StreamError::Trap)?;
        self.inner.blocking_write_and_flush(bytes).await
    }

    async fn cancel(&mut self) {
        self.inner.cancel().await;
    }
}

#[async_trait]
impl Pollable for Counted {
    async fn ready(&mut self) {
        self.inner.ready().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_already_counts() {
        let folder = tempfile::tempdir().unwrap();
        let preopen = |writable| Preopen {
            host: folder.path().to_owned(),
            guest: "/data".to_owned(),
            writable,
        };
        fs::create_dir(folder.path().join("deep")).unwrap();
        let file = fs::File::create(folder.path().join("deep/large")).unwrap();
        file.set_len(DISK_BYTES_MAX - 10).unwrap();
        for n in 0..DISK_ENTRIES_MAX - 3 {
            fs::create_dir(folder.path().join(n.to_string())).unwrap();
        }
        let disk = Disk::of(&[preopen(true)]);
        disk.write(10).unwrap();
        disk.make().unwrap();
        assert_eq!(disk.refusal(), None);
        disk.write(1).unwrap_err();
        assert_eq!(disk.refusal(), Some(Refusal::DiskFull { limit: DISK_WRITTEN_BYTES_MAX }));
        disk.make().unwrap_err();
        assert_eq!(disk.refusal(), Some(Refusal::TooManyFiles { limit: DISK_ENTRIES_MAX }));

        let disk = Disk::of(&[preopen(false)]);
        disk.write(DISK_WRITTEN_BYTES_MAX).unwrap();
    }
}
