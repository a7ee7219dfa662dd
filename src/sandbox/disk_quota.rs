//! How much of the player's disk, and how many open files, one invocation may use. [`crate::memory_meter`] counts
//! the guest's memory.

use std::{
    collections::BTreeSet,
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

use crate::{
    folder_usage::{FOLDER_DEPTH_MAX, FolderUsage, remove_too_deep},
    input::{DiskRoom, Preopen},
    turn_disk::TurnDiskShare,
    written_files::{FileId, names_of},
};

/// Most bytes that one invocation writes into its folders, including overwritten bytes. A picture of a scene has
/// some 2 MiB, and so has a minute of music.
pub const DISK_WRITTEN_BYTES_MAX: u64 = 64 << 20;

/// Most bytes in the folders of an invocation. `/data` outlives the invocation, and would otherwise fill up bit by bit.
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
    turn: Option<TurnDiskShare>,
    /// True once the guest has made or moved a folder.
    moves_folders: bool,
    /// The files that the guest has created or written, including deleted ones.
    written: BTreeSet<FileId>,
    open_handles: BTreeSet<OpenHandle>,
    error: Option<InvocationError>,
}

/// Amounts that one invocation may still write, create and open.
#[derive(Debug, Clone)]
pub(crate) struct DiskQuota(Arc<Mutex<DiskQuotaState>>);

impl DiskQuota {
    /// Measures the writable folders, and deletes folders that an earlier invocation nested too deep in them. Costs
    /// nothing if there are none.
    pub(crate) fn measure(
        preopens: &[Preopen],
        room: DiskRoom,
        turn: Option<TurnDiskShare>,
    ) -> DiskQuota {
        let mut usage = FolderUsage::default();
        for folder in preopens.iter().filter(|folder| folder.writable) {
            usage = usage.plus(measure_trimmed(&folder.host));
        }
        let bytes = DISK_WRITTEN_BYTES_MAX.min(DISK_BYTES_MAX.saturating_sub(usage.bytes));
        DiskQuota(Arc::new(Mutex::new(DiskQuotaState {
            bytes: bytes.min(room.bytes),
            entries: DISK_ENTRIES_MAX.saturating_sub(usage.entries).min(room.entries),
            turn,
            moves_folders: false,
            written: BTreeSet::new(),
            open_handles: BTreeSet::new(),
            error: None,
        })))
    }

    /// Records that the guest creates or moves a folder, so that folders may nest deeper than before.
    pub(crate) fn note_folder(&self) {
        self.lock().moves_folders = true;
    }

    /// Records a file that the guest writes.
    pub(crate) fn note_written(&self, file: &std::fs::File) {
        let Ok(meta) = file.metadata() else { return };
        self.lock().written.extend(FileId::of(&meta));
    }

    /// Returns the files that the guest has written and not deleted, by the guest's names.
    pub(crate) fn written_files(&self, folders: &[Preopen]) -> Vec<String> {
        names_of(&self.lock().written, folders)
    }

    /// Checks that the guest has not nested folders too deep, and deletes those that are.
    pub(crate) fn check_depth(&self, folders: &[Preopen]) -> Result<(), InvocationError> {
        let is_too_deep = |folder: &Preopen| measure_folder(&folder.host).is_too_deep;
        if !self.lock().moves_folders || !folders.iter().any(is_too_deep) {
            return Ok(());
        }
        folders.iter().for_each(|folder| _ = measure_trimmed(&folder.host));
        Err(InvocationError::FoldersTooDeep { limit: FOLDER_DEPTH_MAX })
    }

    /// Returns the limit that stopped the guest, if this quota did.
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
        let Some(rest) = left.bytes.checked_sub(bytes) else {
            return left.abort(InvocationError::DiskFull { limit: DISK_WRITTEN_BYTES_MAX });
        };
        if let Some(Err(error)) = left.turn.as_ref().map(|turn| turn.count(bytes)) {
            return left.abort(error);
        }
        left.bytes = rest;
        Ok(())
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
    /// Traps instead of returning an error: as with memory, most guests would end anyway, and the reason would
    /// be lost.
    fn abort(&mut self, error: InvocationError) -> wasmtime::Result<()> {
        self.error = Some(error);
        Err(wasmtime::format_err!("disk limit"))
    }
}

fn measure_folder(folder: &Path) -> FolderUsage {
    FolderUsage::measure(folder, DISK_ENTRIES_MAX)
}

/// Deletes everything that is nested too deep, and measures the rest. A folder that cannot be trimmed counts as full.
fn measure_trimmed(folder: &Path) -> FolderUsage {
    let usage = measure_folder(folder);
    if !usage.is_too_deep {
        return usage;
    }
    let folder_text = folder.display();
    tracing::warn!("folders in `{folder_text}` nested too deep; the deepest are deleted");
    match remove_too_deep(folder) {
        Ok(()) => measure_folder(folder),
        Err(error) => {
            tracing::warn!("the deepest folders in `{folder_text}` cannot be deleted: {error}");
            FolderUsage { bytes: u64::MAX, ..usage }
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
    use std::fs;

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
        let disk = DiskQuota::measure(&[preopen(true)], DiskRoom::UNLIMITED, None);
        disk.count_written(10).unwrap();
        disk.count_entry().unwrap();
        assert_eq!(disk.error(), None);
        disk.count_written(1).unwrap_err();
        assert_eq!(disk.error(), Some(InvocationError::DiskFull { limit: DISK_WRITTEN_BYTES_MAX }));
        disk.count_entry().unwrap_err();
        assert_eq!(disk.error(), Some(InvocationError::TooManyFiles { limit: DISK_ENTRIES_MAX }));

        let disk = DiskQuota::measure(&[preopen(false)], DiskRoom::UNLIMITED, None);
        disk.count_written(DISK_WRITTEN_BYTES_MAX).unwrap();

        let disk = DiskQuota::measure(&[preopen(true)], DiskRoom { bytes: 9, entries: 0 }, None);
        disk.count_written(9).unwrap();
        disk.count_written(1).unwrap_err();
        disk.count_entry().unwrap_err();
    }
}
