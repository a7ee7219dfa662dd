//! The folder of model files.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use narratoria_protocol::digest::Sha256Hasher;
use narratoria_skills::open_outside;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    CHUNK_BYTES, DownloadProgress, DownloadRecord, FileError, HubName,
    lock::DownloadLock,
    partial_download::{RECORD_SUFFIX, SUFFIX, io_error},
    progress::ProgressMeter,
    space,
};

/// Most models that are listed; the rest of the folder is ignored.
const LISTED_MAX: usize = 10_000;

/// Levels of folders below the folder of models: owner, repository, and the folders of a file's path.
const DEPTH_MAX: usize = 5;

/// The models on this machine.
#[derive(Debug, Clone)]
pub struct ModelDir {
    folder: PathBuf,
    /// Measures the disk; tests replace it.
    pub(super) free_bytes: fn(&Path) -> Option<u64>,
}

/// A model that is on this machine, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    pub name: HubName,
    /// The path of the complete file, even if the download is partial.
    pub path: PathBuf,
    /// Bytes on this machine.
    pub bytes: u64,
    pub state: DownloadState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadState {
    /// A complete file. One without a record was not downloaded by [`ModelDir::fetch`].
    Complete {
        record: Option<DownloadRecord>,
    },
    Partial {
        record: Option<DownloadRecord>,
    },
}

/// A file compared with its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyResult {
    Intact {
        record: DownloadRecord,
    },
    WrongSize {
        expected: u64,
        found: u64,
    },
    WrongDigest {
        expected: String,
        found: String,
    },
    /// The file was not downloaded by [`ModelDir::fetch`]. `found` is its digest.
    NoRecord {
        found: String,
    },
}

impl ModelDir {
    /// The folder need not exist yet.
    pub fn open(folder: impl Into<PathBuf>) -> ModelDir {
        ModelDir { folder: folder.into(), free_bytes: space::free_bytes }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The path that the model has or would have.
    pub fn path(&self, name: &HubName) -> PathBuf {
        self.folder.join(name.owner()).join(name.repo()).join(name.file())
    }

    /// The path of a model that is on this machine. Checks only that the file exists: a download gets its name after
    /// it was verified.
    pub fn find(&self, name: &HubName) -> Option<PathBuf> {
        Some(self.path(name)).filter(|path| path.is_file())
    }

    pub fn record(&self, name: &HubName) -> Option<DownloadRecord> {
        DownloadRecord::read(&self.path(name).with_added_extension(RECORD_SUFFIX))
    }

    /// All complete and partial models, by name.
    pub fn list(&self) -> Result<Vec<ModelFile>, FileError> {
        let mut files = Vec::new();
        self.collect(&self.folder, 0, &mut files)?;
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(files)
    }

    fn collect(
        &self,
        folder: &Path,
        depth: usize,
        files: &mut Vec<ModelFile>,
    ) -> Result<(), FileError> {
        let unreadable = |source| io_error("read", folder, source);
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(unreadable(error)),
        };
        for entry in entries {
            let path = entry.map_err(unreadable)?.path();
            if files.len() >= LISTED_MAX {
                break;
            }
            // Follows links: players may store large files on another disk.
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() && depth < DEPTH_MAX => {
                    self.collect(&path, depth + 1, files)?;
                }
                Ok(found) if found.is_file() => files.extend(self.file(path, found.len())),
                _ => {}
            }
        }
        Ok(())
    }

    /// The model at this path, if the path is that of a model or of a partial download.
    fn file(&self, path: PathBuf, bytes: u64) -> Option<ModelFile> {
        let is_part = path.extension().is_some_and(|extension| extension == SUFFIX);
        let record = DownloadRecord::read(&path.with_added_extension(RECORD_SUFFIX));
        let target = if is_part { path.with_extension("") } else { path };
        let name: Option<Vec<&str>> =
            target.strip_prefix(&self.folder).ok()?.iter().map(|part| part.to_str()).collect();
        let name = HubName::parse(&name?.join("/")).ok()?;
        let state = match is_part {
            true => DownloadState::Partial { record },
            false => DownloadState::Complete { record },
        };
        Some(ModelFile { name, path: target, bytes, state })
    }

    /// Reads the whole model and compares it with its record. Blocks for seconds.
    pub fn verify(
        &self,
        name: &HubName,
        on_progress: &mut dyn FnMut(DownloadProgress),
        cancel: &CancellationToken,
    ) -> Result<VerifyResult, FileError> {
        let path = self.find(name).ok_or_else(|| FileError::NotHere { name: name.to_string() })?;
        let failed = |source| io_error("read", &path, source);
        let mut file = open_outside(&path).map_err(|error| failed(error.into()))?;
        let bytes = file.metadata().map_err(failed)?.len();
        let record = self.record(name);
        if let Some(record) = record.as_ref().filter(|record| record.bytes != bytes) {
            return Ok(VerifyResult::WrongSize { expected: record.bytes, found: bytes });
        }
        let mut meter = ProgressMeter::new(bytes);
        let (mut digest, mut chunk, mut read) = (Sha256Hasher::default(), vec![0; CHUNK_BYTES], 0);
        loop {
            if cancel.is_cancelled() {
                return Err(FileError::Cancelled);
            }
            if let Some(progress) = meter.update(Instant::now(), read) {
                on_progress(progress);
            }
            let count = file.read(&mut chunk).map_err(failed)?;
            if count == 0 {
                break;
            }
            digest.update(&chunk[..count]);
            read += count as u64;
        }
        let found = digest.hex();
        Ok(match record {
            None => VerifyResult::NoRecord { found },
            Some(record) if record.sha256 == found => VerifyResult::Intact { record },
            Some(record) => VerifyResult::WrongDigest { expected: record.sha256, found },
        })
    }

    /// Removes a model, its partial download, their records, and the folders that become empty. Returns the freed
    /// bytes.
    pub fn remove(&self, name: &HubName) -> Result<u64, FileError> {
        self.begin_removal(name)?.finish()
    }

    /// Checks that a model can be removed: it is here, and no download writes to it until the removal ends.
    pub fn begin_removal(&self, name: &HubName) -> Result<ModelRemoval, FileError> {
        let path = self.path(name);
        let part = path.with_added_extension(SUFFIX);
        let size = |path: &Path| fs::metadata(path).map(|found| found.len()).ok();
        let (complete, partial) = (size(&path), size(&part));
        if complete.is_none() && partial.is_none() {
            return Err(FileError::NotHere { name: name.to_string() });
        }
        let lock = DownloadLock::take(&self.folder, name)?;
        let lock = lock.ok_or_else(|| FileError::Busy { name: name.to_string() })?;
        let folder = self.folder.clone();
        Ok(ModelRemoval { folder, path, part, complete, partial, _lock: lock })
    }
}

/// A model that can be removed. Nothing is removed before [`ModelRemoval::finish`].
pub struct ModelRemoval {
    /// The folder of all models.
    folder: PathBuf,
    path: PathBuf,
    part: PathBuf,
    /// Bytes of the model, if it is here.
    complete: Option<u64>,
    /// Bytes of its partial download, if there is one.
    partial: Option<u64>,
    _lock: DownloadLock,
}

impl ModelRemoval {
    /// Removes it, and returns the freed bytes.
    pub fn finish(self) -> Result<u64, FileError> {
        let ModelRemoval { folder, path, part, complete, partial, _lock } = self;
        let files = [(&path, complete), (&part, partial)];
        for (path, _) in files.iter().filter(|(_, size)| size.is_some()) {
            fs::remove_file(path).map_err(|source| io_error("remove", path, source))?;
            let _ = fs::remove_file(path.with_added_extension(RECORD_SUFFIX));
        }
        let inner = path.ancestors().skip(1).take_while(|inner| **inner != *folder);
        for folder in inner {
            // A folder that is not empty stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(complete.unwrap_or(0).saturating_add(partial.unwrap_or(0)))
    }
}
