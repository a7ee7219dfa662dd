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

use super::{InvocationError, Preopen};

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
pub(super) enum OpenHandle {
    File(u32),
    Listing(u32),
    ReadStream(u32),
    WriteStream(u32),
}

impl OpenHandle {
    fn is_open(self, table: &ResourceTable) -> bool {
        match self {
            OpenHandle::File(rep) => table.get(&Resource::<Descriptor>::new_borrow(rep)).is_ok(),
            OpenHandle::Listing(rep) => {
                table.get(&Resource::<ReaddirIterator>::new_borrow(rep)).is_ok()
            }
            OpenHandle::ReadStream(rep) => {
                table.get(&Resource::<DynInputStream>::new_borrow(rep)).is_ok()
            }
            OpenHandle::WriteStream(rep) => {
                table.get(&Resource::<DynOutputStream>::new_borrow(rep)).is_ok()
            }
        }
    }
}

#[derive(Debug)]
struct DiskQuotaState {
    bytes: u64,
    entries: usize,
    open_handles: BTreeSet<OpenHandle>,
    error: Option<InvocationError>,
}

/// What one invocation may still do to its folders.
#[derive(Debug, Clone)]
pub(super) struct DiskQuota(Arc<Mutex<DiskQuotaState>>);

impl DiskQuota {
    /// Looks at what there is. Costs nothing without folders that may be written.
    pub(super) fn measure(preopens: &[Preopen]) -> DiskQuota {
        let (mut bytes, mut entries) = (0, 0);
        for folder in preopens.iter().filter(|folder| folder.writable) {
            sum_usage(&folder.host, &mut bytes, &mut entries);
        }
        DiskQuota(Arc::new(Mutex::new(DiskQuotaState {
            bytes: DISK_WRITTEN_BYTES_MAX.min(DISK_BYTES_MAX.saturating_sub(bytes)),
            entries: DISK_ENTRIES_MAX.saturating_sub(entries),
            open_handles: BTreeSet::new(),
            error: None,
        })))
    }

    /// Why the guest was stopped, if it was for this.
    pub(super) fn error(&self) -> Option<InvocationError> {
        self.lock().error.clone()
    }

    /// Counts one more file, folder or link.
    pub(super) fn count_entry(&self) -> wasmtime::Result<()> {
        let mut left = self.lock();
        match left.entries.checked_sub(1) {
            Some(entries) => {
                left.entries = entries;
                Ok(())
            }
            None => left.abort(InvocationError::TooManyFiles { limit: DISK_ENTRIES_MAX }),
        }
    }

    /// Counts bytes that are about to be written.
    pub(super) fn count_written(&self, bytes: u64) -> wasmtime::Result<()> {
        let mut left = self.lock();
        match left.bytes.checked_sub(bytes) {
            Some(bytes) => {
                left.bytes = bytes;
                Ok(())
            }
            None => left.abort(InvocationError::DiskFull { limit: DISK_WRITTEN_BYTES_MAX }),
        }
    }

    /// Counts what the guest holds.
    pub(super) fn count_handle(
        &self,
        held: OpenHandle,
        table: &ResourceTable,
    ) -> wasmtime::Result<()> {
        let mut left = self.lock();
        if left.open_handles.len() >= FILES_OPEN_MAX {
            left.open_handles.retain(|held| held.is_open(table));
        }
        left.open_handles.insert(held);
        if left.open_handles.len() > FILES_OPEN_MAX {
            return left.abort(InvocationError::TooManyOpenFiles { limit: FILES_OPEN_MAX });
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, DiskQuotaState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DiskQuotaState {
    /// Traps rather than answering an error: as with memory, most guests would end by it anyway, and the
    /// reason would be lost.
    fn abort(&mut self, refusal: InvocationError) -> wasmtime::Result<()> {
        self.error = Some(refusal);
        Err(wasmtime::format_err!("disk limit"))
    }
}

/// Bytes and entries under this folder, without following links, and no further than anybody wants to
/// know. What cannot be looked at counts as nothing: it will not let itself be written either.
fn sum_usage(folder: &Path, bytes: &mut u64, entries: &mut usize) {
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
pub(super) struct MeteredOutputStream {
    pub(super) inner: DynOutputStream,
    pub(super) disk: DiskQuota,
}

#[async_trait]
impl OutputStream for MeteredOutputStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.disk.count_written(bytes.len() as u64).map_err(StreamError::Trap)?;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.inner.flush()
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        self.inner.check_write()
    }

    async fn blocking_write_and_flush(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.disk.count_written(bytes.len() as u64).map_err(StreamError::Trap)?;
        self.inner.blocking_write_and_flush(bytes).await
    }

    async fn cancel(&mut self) {
        self.inner.cancel().await;
    }
}

#[async_trait]
impl Pollable for MeteredOutputStream {
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
        let disk = DiskQuota::measure(&[preopen(true)]);
        disk.count_written(10).unwrap();
        disk.count_entry().unwrap();
        assert_eq!(disk.error(), None);
        disk.count_written(1).unwrap_err();
        assert_eq!(disk.error(), Some(InvocationError::DiskFull { limit: DISK_WRITTEN_BYTES_MAX }));
        disk.count_entry().unwrap_err();
        assert_eq!(disk.error(), Some(InvocationError::TooManyFiles { limit: DISK_ENTRIES_MAX }));

        let disk = DiskQuota::measure(&[preopen(false)]);
        disk.count_written(DISK_WRITTEN_BYTES_MAX).unwrap();
    }
}
