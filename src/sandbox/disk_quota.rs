//! How much of the player's disk, and how many open files, one invocation may use. [`crate::memory_meter`] counts
//! the guest's memory.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use narratoria_protocol::InvocationError;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::{
    async_trait,
    filesystem::Descriptor,
    p2::{
        DynInputStream, DynOutputStream, OutputStream, Pollable, ReaddirIterator, StreamError,
        StreamResult,
    },
};

use crate::input::Preopen;

/// Most bytes that one invocation writes into its folders, overwritten bytes included. A picture of a scene has
/// some 2 MiB, and so has a minute of music.
pub const DISK_WRITTEN_BYTES_MAX: u64 = 64 << 20;

/// Most bytes in the folders of an invocation. `/data` outlives the invocation, and would fill up bit by bit.
pub const DISK_BYTES_MAX: u64 = 256 << 20;

/// Most files, folders and links in the folders of an invocation. Each takes space of its own on the disk, and
/// listing a folder loads all of its entries into memory.
pub const DISK_ENTRIES_MAX: usize = 1_000;

/// Largest offset in a file at which a guest may write, so that no sparse file seems larger than the quota.
pub const FILE_BYTES_MAX: u64 = DISK_WRITTEN_BYTES_MAX;

/// Files, folders, listings and file streams that a guest may hold at once. An ordinary process has
/// 1,024 file descriptors for everything; a script opens one file after the other.
pub const FILES_OPEN_MAX: usize = 32;

/// Longest path that a guest may name.
pub const GUEST_PATH_BYTES_MAX: usize = 1_024;

/// A resource that holds a file open or a listing in memory, by its index in the guest's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OpenHandle {
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

/// What one invocation may still write, create and open.
#[derive(Debug, Clone)]
pub(crate) struct DiskQuota(Arc<Mutex<DiskQuotaState>>);

impl DiskQuota {
    /// Measures the writable folders. Costs nothing without any.
    pub(crate) fn measure(preopens: &[Preopen]) -> DiskQuota {
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

    /// The limit that stopped the guest, if this quota did.
    pub(crate) fn error(&self) -> Option<InvocationError> {
        self.lock().error.clone()
    }

    /// Counts one more file, folder or link.
    pub(crate) fn count_entry(&self) -> wasmtime::Result<()> {
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
    pub(crate) fn count_written(&self, bytes: u64) -> wasmtime::Result<()> {
        let mut left = self.lock();
        match left.bytes.checked_sub(bytes) {
            Some(bytes) => {
                left.bytes = bytes;
                Ok(())
            }
            None => left.abort(InvocationError::DiskFull { limit: DISK_WRITTEN_BYTES_MAX }),
        }
    }

    pub(crate) fn count_handle(
        &self,
        handle: OpenHandle,
        table: &ResourceTable,
    ) -> wasmtime::Result<()> {
        let mut left = self.lock();
        if left.open_handles.len() >= FILES_OPEN_MAX {
            left.open_handles.retain(|handle| handle.is_open(table));
        }
        left.open_handles.insert(handle);
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
    /// Traps rather than returning an error: as with memory, most guests would end anyway, and the reason would
    /// be lost.
    fn abort(&mut self, error: InvocationError) -> wasmtime::Result<()> {
        self.error = Some(error);
        Err(wasmtime::format_err!("disk limit"))
    }
}

/// Sums bytes and entries under the folder without following links, and stops at the limit. A folder that cannot
/// be read counts as nothing: the guest cannot write to it either.
fn sum_usage(folder: &Path, bytes: &mut u64, entries: &mut usize) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *entries += 1;
            if *entries > DISK_ENTRIES_MAX {
                return;
            }
            // Of the entry itself, even if it is a link.
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                folders.push(entry.path());
            } else {
                *bytes = bytes.saturating_add(meta.len());
            }
        }
    }
}

/// A stream into a file that counts its bytes.
pub(crate) struct MeteredOutputStream {
    pub(crate) inner: DynOutputStream,
    pub(crate) disk: DiskQuota,
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
    fn existing_files_count() {
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
