//! A partial download: the bytes so far, their digest, and the record of the file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use narratoria_protocol::digest::Sha256Hasher;
use narratoria_skills::open_regular;

use super::{CHUNK_BYTES, FileError, MAGIC, download_record::DownloadRecord};

/// The extension of a partial download.
pub(super) const SUFFIX: &str = "part";

/// The extension of the record beside a file.
pub(super) const RECORD_SUFFIX: &str = "json";

/// The part of a file that an earlier try has downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartOrigin {
    Empty,
    /// Bytes of the same file.
    Resumed,
    /// Bytes of another version, which were discarded.
    OtherVersion,
}

/// Invariant: the file has exactly `bytes` bytes, its position is behind them, and `digest` is theirs (after
/// [`PartialDownload::digest_existing`]).
pub(super) struct PartialDownload {
    /// The path of the complete file.
    target: PathBuf,
    path: PathBuf,
    file: File,
    bytes: u64,
    digest: Sha256Hasher,
    record: DownloadRecord,
}

impl PartialDownload {
    /// Opens the partial download of an earlier try, if it was of the same file.
    pub(super) fn open(
        target: &Path,
        record: DownloadRecord,
    ) -> Result<(PartialDownload, PartOrigin), FileError> {
        let path = target.with_added_extension(SUFFIX);
        let record_path = path.with_added_extension(RECORD_SUFFIX);
        let before = fs::metadata(&path).map(|found| found.len()).unwrap_or(0);
        let older = DownloadRecord::read(&record_path);
        let is_same =
            older.is_some_and(|older| older.is_same_file(&record)) && before <= record.bytes;
        let origin = match (before, is_same) {
            (0, _) => PartOrigin::Empty,
            (_, true) => PartOrigin::Resumed,
            (_, false) => PartOrigin::OtherVersion,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(!is_same);
        let file =
            open_regular(&path, &mut options).map_err(|source| io_error("open", &path, source))?;
        record.write(&record_path).map_err(|source| io_error("write", &record_path, source))?;
        let bytes = if is_same { before } else { 0 };
        let digest = Sha256Hasher::default();
        Ok((
            PartialDownload { target: target.to_owned(), path, file, bytes, digest, record },
            origin,
        ))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Computes the digest of the bytes that an earlier try left. Yields between chunks, so that it can be cancelled.
    pub(super) async fn digest_existing(&mut self) -> Result<(), FileError> {
        self.seek(0)?;
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut left = self.bytes;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let read = self.file.read_exact(&mut chunk[..most]);
            read.map_err(|source| io_error("read", &self.path, source))?;
            self.digest.update(&chunk[..most]);
            left -= most as u64;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    pub(super) fn bytes_at(&mut self, from: u64, count: usize) -> Result<Vec<u8>, FileError> {
        let mut bytes = vec![0; count];
        self.seek(from)?;
        let read = self.file.read_exact(&mut bytes);
        read.map_err(|source| io_error("read", &self.path, source))?;
        self.seek(self.bytes)?;
        Ok(bytes)
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let written = self.file.write_all(bytes);
        written.map_err(|source| io_error("write", &self.path, source))?;
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Discards all bytes.
    pub(super) fn restart(&mut self) -> Result<(), FileError> {
        let emptied = self.file.set_len(0);
        emptied.map_err(|source| io_error("write", &self.path, source))?;
        (self.bytes, self.digest) = (0, Sha256Hasher::default());
        self.seek(0)
    }

    /// Returns true if the first bytes are those of a model file, as far as they have arrived.
    pub(super) fn may_be_gguf(&mut self) -> Result<bool, FileError> {
        let count = usize::try_from(self.bytes).unwrap_or(MAGIC.len()).min(MAGIC.len());
        Ok(MAGIC.starts_with(&self.bytes_at(0, count)?))
    }

    pub(super) fn digest(&self) -> String {
        self.digest.hex()
    }

    /// Removes a download that cannot become the file.
    pub(super) fn discard(self) {
        let PartialDownload { path, file, .. } = self;
        drop(file);
        // The record is removed first: if the file stays, the next try starts again.
        let _ = fs::remove_file(path.with_added_extension(RECORD_SUFFIX));
        let _ = fs::remove_file(&path);
    }

    /// Removes the file and its record if no bytes have arrived.
    pub(super) fn discard_if_empty(self) {
        if self.bytes == 0 {
            self.discard();
        }
    }

    /// Moves the complete file to its own name. Writes the record first: a file without one could never be verified.
    pub(super) fn finish(
        mut self,
        record: impl FnOnce(&mut DownloadRecord),
    ) -> Result<PathBuf, FileError> {
        record(&mut self.record);
        let PartialDownload { target, path, file, record, .. } = self;
        file.sync_all().map_err(|source| io_error("write", &path, source))?;
        drop(file);
        let record_path = target.with_added_extension(RECORD_SUFFIX);
        record.write(&record_path).map_err(|source| io_error("write", &record_path, source))?;
        fs::rename(&path, &target).map_err(|source| io_error("rename", &path, source))?;
        let _ = fs::remove_file(path.with_added_extension(RECORD_SUFFIX));
        Ok(target)
    }

    fn seek(&mut self, to: u64) -> Result<(), FileError> {
        let at = self.file.seek(SeekFrom::Start(to));
        at.map(|_| ()).map_err(|source| io_error("read", &self.path, source))
    }
}

pub(super) fn io_error(action: &'static str, path: &Path, source: io::Error) -> FileError {
    FileError::Io { action, path: path.to_owned(), source }
}
