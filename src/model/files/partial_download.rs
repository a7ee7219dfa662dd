//! A half download: the bytes so far, their digest, and what they are half of.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::{CHUNK_BYTES, FileError, MAGIC, download_record::DownloadRecord};
use narratoria_protocol::digest::Sha256Hasher;

/// How a half download is called.
pub(super) const SUFFIX: &str = "part";

/// How the record beside a file is called.
pub(super) const RECORD_SUFFIX: &str = "json";

/// Whose bytes were there when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartOrigin {
    /// Nobody's.
    Empty,
    /// Those of the same file.
    Resumed,
    /// Those of another version, which were thrown away.
    OtherVersion,
}

/// A file that is not whole yet.
///
/// Invariant: the file holds exactly `bytes` bytes, its position is behind them, and `digest` is theirs (after
/// [`Part::catch_up`]).
pub(super) struct PartialDownload {
    /// What it becomes.
    target: PathBuf,
    path: PathBuf,
    file: File,
    bytes: u64,
    digest: Sha256Hasher,
    record: DownloadRecord,
}

impl PartialDownload {
    /// Opens what an earlier try left, if it was of the same file.
    pub(super) fn open(
        target: &Path,
        record: DownloadRecord,
    ) -> Result<(PartialDownload, PartOrigin), FileError> {
        let path = target.with_added_extension(SUFFIX);
        let record_path = path.with_added_extension(RECORD_SUFFIX);
        let before = fs::metadata(&path).map(|found| found.len()).unwrap_or(0);
        let of = DownloadRecord::read(&record_path);
        let is_same = of.is_some_and(|of| of.is_same_file(&record)) && before <= record.bytes;
        let begun = match (before, is_same) {
            (0, _) => PartOrigin::Empty,
            (_, true) => PartOrigin::Resumed,
            (_, false) => PartOrigin::OtherVersion,
        };
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(!is_same).open(&path);
        let file = opened.map_err(|source| io_error("open", &path, source))?;
        record.write(&record_path).map_err(|source| io_error("write", &record_path, source))?;
        let bytes = if is_same { before } else { 0 };
        let digest = Sha256Hasher::default();
        Ok((
            PartialDownload { target: target.to_owned(), path, file, bytes, digest, record },
            begun,
        ))
    }

    /// How much is there.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Digests what was there when it was opened. Gives way between chunks, so that it can be stopped.
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

    /// The first or the last bytes.
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

    /// Throws all bytes away.
    pub(super) fn restart(&mut self) -> Result<(), FileError> {
        let emptied = self.file.set_len(0);
        emptied.map_err(|source| io_error("write", &self.path, source))?;
        (self.bytes, self.digest) = (0, Sha256Hasher::default());
        self.seek(0)
    }

    /// Whether it may still become a model file.
    pub(super) fn may_be_gguf(&mut self) -> Result<bool, FileError> {
        let count = usize::try_from(self.bytes).unwrap_or(MAGIC.len()).min(MAGIC.len());
        Ok(MAGIC.starts_with(&self.bytes_at(0, count)?))
    }

    pub(super) fn digest(&self) -> String {
        self.digest.hex()
    }

    /// Removes it: nothing of it can be used.
    pub(super) fn discard(self) {
        let PartialDownload { path, file, .. } = self;
        drop(file);
        // What cannot be removed is begun anew by the next try: its record goes in any case.
        let _ = fs::remove_file(path.with_added_extension(RECORD_SUFFIX));
        let _ = fs::remove_file(&path);
    }

    /// Leaves nothing behind where nothing came.
    pub(super) fn discard_if_empty(self) {
        if self.bytes == 0 {
            self.discard();
        }
    }

    /// Moves it to where whole files are. The record goes first: a file without one could never be verified.
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
