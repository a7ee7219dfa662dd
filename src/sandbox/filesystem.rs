//! The guest's file system: that of `wasmtime_wasi`, except that every call that opens, creates or writes is counted
//! first, and facts that differ between machines are hidden. [`disk_quota`](crate::disk_quota) has the limits,
//! [`repeatable_files`](crate::repeatable_files) the facts that a guest sees.

use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::{
    filesystem::{Descriptor as OpenDescriptor, WasiFilesystemCtxView},
    p2::{
        DynInputStream, DynOutputStream, FsError, FsResult,
        bindings::filesystem::types::{
            self, Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType,
            DirectoryEntry, DirectoryEntryStream, ErrorCode, Filesize, Host, HostDescriptor,
            HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
        },
    },
};

use crate::{
    disk_quota::{
        DiskQuota, FILE_BYTES_MAX, GUEST_PATH_BYTES_MAX, MeteredOutputStream, OpenHandle,
    },
    repeatable_files::{RepeatableFiles, without_machine},
};
use narratoria_protocol::stored_file::may_be_made_by_script;

/// Replaces the unbounded file system in the linker.
pub(crate) fn add_to_linker<T: Send + 'static>(
    linker: &mut Linker<T>,
    view: fn(&mut T) -> QuotaFilesystemView<'_>,
) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    types::add_to_linker::<T, QuotaFilesystem>(linker, view)?;
    linker.allow_shadowing(false);
    Ok(())
}

struct QuotaFilesystem;

impl HasData for QuotaFilesystem {
    type Data<'a> = QuotaFilesystemView<'a>;
}

pub(crate) struct QuotaFilesystemView<'a> {
    pub(crate) disk: DiskQuota,
    pub(crate) repeatable: &'a mut RepeatableFiles,
    pub(crate) inner: WasiFilesystemCtxView<'a>,
}

impl QuotaFilesystemView<'_> {
    /// Counts a handle that was just opened; traps if it exceeds the limit.
    fn count_handle(&mut self, handle: OpenHandle) -> FsResult<()> {
        self.disk.count_handle(handle, self.inner.table).map_err(FsError::trap)
    }

    /// Counts one more file, folder or link, unless it exists already. Returns true if it did not exist.
    async fn count_entry(
        &mut self,
        folder: &Resource<Descriptor>,
        flags: PathFlags,
        path: &str,
    ) -> FsResult<bool> {
        let folder = Resource::new_borrow(folder.rep());
        if self.inner.stat_at(folder, flags, path.to_owned()).await.is_ok() {
            return Ok(false);
        }
        self.disk.count_entry().map_err(FsError::trap)?;
        Ok(true)
    }

    /// Counts bytes that end at `end` in their file.
    fn count_written(&mut self, bytes: u64, end: u64) -> FsResult<()> {
        self.disk
            .count_written(if end > FILE_BYTES_MAX { u64::MAX } else { bytes })
            .map_err(FsError::trap)
    }

    /// Records a file that is about to be written.
    fn note_written(&self, file: &Resource<Descriptor>) {
        let file = Resource::<OpenDescriptor>::new_borrow(file.rep());
        if let Ok(OpenDescriptor::File(file)) = self.inner.table.get(&file) {
            self.disk.note_written(&file.file);
        }
    }

    fn size_of(
        &mut self,
        file: &Resource<Descriptor>,
    ) -> impl Future<Output = FsResult<Filesize>> + Send {
        let stat = self.inner.stat(Resource::new_borrow(file.rep()));
        async { Ok(stat.await?.size) }
    }
}

/// Refuses long paths, which cost the host time and which no file of a skill needs.
fn check_path(path: &str) -> FsResult<()> {
    if path.len() > GUEST_PATH_BYTES_MAX { Err(ErrorCode::NameTooLong.into()) } else { Ok(()) }
}

/// Refuses names with a meaning to another program, because the files of `/data` lie in the player's home.
fn check_new_path(path: &str) -> FsResult<()> {
    check_path(path)?;
    if may_be_made_by_script(path) { Ok(()) } else { Err(ErrorCode::NotPermitted.into()) }
}

impl Host for QuotaFilesystemView<'_> {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        self.inner.convert_error_code(error)
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        self.inner.filesystem_error_code(error)
    }
}

type FileHandle = Resource<Descriptor>;

impl HostDescriptor for QuotaFilesystemView<'_> {
    async fn advise(
        &mut self,
        file: FileHandle,
        at: Filesize,
        length: Filesize,
        advice: Advice,
    ) -> FsResult<()> {
        self.inner.advise(file, at, length, advice).await
    }

    async fn sync_data(&mut self, file: FileHandle) -> FsResult<()> {
        self.inner.sync_data(file).await
    }

    async fn get_flags(&mut self, file: FileHandle) -> FsResult<DescriptorFlags> {
        self.inner.get_flags(file).await
    }

    async fn get_type(&mut self, file: FileHandle) -> FsResult<DescriptorType> {
        self.inner.get_type(file).await
    }

    async fn set_size(&mut self, file: FileHandle, size: Filesize) -> FsResult<()> {
        let before = self.size_of(&file).await?;
        self.count_written(size.saturating_sub(before), size)?;
        self.note_written(&file);
        self.inner.set_size(file, size).await
    }

    async fn set_times(
        &mut self,
        file: FileHandle,
        read: NewTimestamp,
        written: NewTimestamp,
    ) -> FsResult<()> {
        self.inner.set_times(file, read, written).await
    }

    async fn read(
        &mut self,
        file: FileHandle,
        length: Filesize,
        at: Filesize,
    ) -> FsResult<(Vec<u8>, bool)> {
        self.inner.read(file, length, at).await
    }

    async fn write(
        &mut self,
        file: FileHandle,
        bytes: Vec<u8>,
        at: Filesize,
    ) -> FsResult<Filesize> {
        self.count_written(bytes.len() as u64, at.saturating_add(bytes.len() as u64))?;
        self.note_written(&file);
        self.inner.write(file, bytes, at).await
    }

    async fn read_directory(
        &mut self,
        folder: FileHandle,
    ) -> FsResult<Resource<DirectoryEntryStream>> {
        let stream = self.inner.read_directory(folder).await?;
        self.count_handle(OpenHandle::Listing(stream.rep()))?;
        let mut entries = Vec::new();
        loop {
            let stream = Resource::new_borrow(stream.rep());
            match self.inner.read_directory_entry(stream).await.transpose() {
                Some(entry) => entries.push(entry),
                None => break,
            }
        }
        self.repeatable.open_listing(stream.rep(), entries);
        Ok(stream)
    }

    async fn sync(&mut self, file: FileHandle) -> FsResult<()> {
        self.inner.sync(file).await
    }

    async fn create_directory_at(&mut self, folder: FileHandle, path: String) -> FsResult<()> {
        check_new_path(&path)?;
        self.disk.note_folder();
        self.count_entry(&folder, PathFlags::empty(), &path).await?;
        let parent = Resource::new_borrow(folder.rep());
        self.inner.create_directory_at(folder, path.clone()).await?;
        let made = self.inner.metadata_hash_at(parent, PathFlags::empty(), path).await?;
        self.repeatable.forget_number(&made);
        Ok(())
    }

    async fn stat(&mut self, file: FileHandle) -> FsResult<DescriptorStat> {
        self.inner.stat(file).await.map(without_machine)
    }

    async fn stat_at(
        &mut self,
        folder: FileHandle,
        flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        check_path(&path)?;
        self.inner.stat_at(folder, flags, path).await.map(without_machine)
    }

    async fn set_times_at(
        &mut self,
        folder: FileHandle,
        flags: PathFlags,
        path: String,
        read: NewTimestamp,
        written: NewTimestamp,
    ) -> FsResult<()> {
        check_path(&path)?;
        self.inner.set_times_at(folder, flags, path, read, written).await
    }

    /// Refuses links: a file with two names could change under one after it was checked under the other, and count
    /// twice.
    async fn link_at(
        &mut self,
        _folder: FileHandle,
        _flags: PathFlags,
        _path: String,
        _new_folder: FileHandle,
        _new_path: String,
    ) -> FsResult<()> {
        Err(ErrorCode::NotPermitted.into())
    }

    async fn open_at(
        &mut self,
        folder: FileHandle,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<FileHandle> {
        check_path(&path)?;
        let is_new = open_flags.contains(OpenFlags::CREATE)
            && self.count_entry(&folder, path_flags, &path).await?;
        if is_new {
            check_new_path(&path)?;
        }
        let file = self.inner.open_at(folder, path_flags, path, open_flags, flags).await?;
        self.count_handle(OpenHandle::File(file.rep()))?;
        if is_new {
            let made = self.inner.metadata_hash(Resource::new_borrow(file.rep())).await?;
            self.repeatable.forget_number(&made);
        }
        if is_new || open_flags.contains(OpenFlags::TRUNCATE) {
            self.note_written(&file);
        }
        Ok(file)
    }

    fn drop(&mut self, file: FileHandle) -> wasmtime::Result<()> {
        HostDescriptor::drop(&mut self.inner, file)
    }

    async fn readlink_at(&mut self, folder: FileHandle, path: String) -> FsResult<String> {
        check_path(&path)?;
        self.inner.readlink_at(folder, path).await
    }

    async fn remove_directory_at(&mut self, folder: FileHandle, path: String) -> FsResult<()> {
        check_path(&path)?;
        self.inner.remove_directory_at(folder, path).await
    }

    async fn rename_at(
        &mut self,
        folder: FileHandle,
        path: String,
        new_folder: FileHandle,
        new_path: String,
    ) -> FsResult<()> {
        check_path(&path)?;
        check_new_path(&new_path)?;
        self.disk.note_folder();
        self.inner.rename_at(folder, path, new_folder, new_path).await
    }

    /// Refuses links, see [`link_at`](HostDescriptor::link_at).
    async fn symlink_at(
        &mut self,
        _folder: FileHandle,
        _to: String,
        _path: String,
    ) -> FsResult<()> {
        Err(ErrorCode::NotPermitted.into())
    }

    async fn unlink_file_at(&mut self, folder: FileHandle, path: String) -> FsResult<()> {
        check_path(&path)?;
        self.inner.unlink_file_at(folder, path).await
    }

    fn read_via_stream(
        &mut self,
        file: FileHandle,
        at: Filesize,
    ) -> FsResult<Resource<DynInputStream>> {
        let stream = self.inner.read_via_stream(file, at)?;
        self.count_handle(OpenHandle::ReadStream(stream.rep()))?;
        Ok(stream)
    }

    fn write_via_stream(
        &mut self,
        file: FileHandle,
        at: Filesize,
    ) -> FsResult<Resource<DynOutputStream>> {
        self.count_written(0, at)?;
        self.note_written(&file);
        let stream = self.inner.write_via_stream(file, at)?;
        self.metered(stream)
    }

    fn append_via_stream(&mut self, file: FileHandle) -> FsResult<Resource<DynOutputStream>> {
        self.note_written(&file);
        let stream = self.inner.append_via_stream(file)?;
        self.metered(stream)
    }

    async fn is_same_object(
        &mut self,
        one: FileHandle,
        other: FileHandle,
    ) -> wasmtime::Result<bool> {
        self.inner.is_same_object(one, other).await
    }

    async fn metadata_hash(&mut self, file: FileHandle) -> FsResult<MetadataHashValue> {
        let hash = self.inner.metadata_hash(file).await?;
        Ok(self.repeatable.number_of(&hash))
    }

    async fn metadata_hash_at(
        &mut self,
        folder: FileHandle,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        check_path(&path)?;
        let hash = self.inner.metadata_hash_at(folder, flags, path).await?;
        Ok(self.repeatable.number_of(&hash))
    }
}

impl QuotaFilesystemView<'_> {
    /// Wraps the stream so that its bytes are counted.
    fn metered(
        &mut self,
        stream: Resource<DynOutputStream>,
    ) -> FsResult<Resource<DynOutputStream>> {
        let inner = self.inner.table.delete(stream)?;
        let counted: DynOutputStream =
            Box::new(MeteredOutputStream { inner, disk: self.disk.clone() });
        let stream = self.inner.table.push(counted)?;
        self.count_handle(OpenHandle::WriteStream(stream.rep()))?;
        Ok(stream)
    }
}

impl HostDirectoryEntryStream for QuotaFilesystemView<'_> {
    async fn read_directory_entry(
        &mut self,
        entries: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        self.repeatable.next_entry(entries.rep())
    }

    fn drop(&mut self, entries: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.repeatable.close_listing(entries.rep());
        HostDirectoryEntryStream::drop(&mut self.inner, entries)
    }
}
