//! The folder with the models.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    CHUNK_BYTES, DownloadProgress, DownloadRecord, FileError, HubName,
    lock::DownloadLock,
    partial_download::{RECORD_SUFFIX, SUFFIX, io_error},
    progress::ProgressMeter,
    space,
};
use narratoria_protocol::digest::Sha256Hasher;

/// Most models that are listed; what else lies there is not looked at.
const LISTED_MAX: usize = 10_000;

/// Folders below the folder of the models: owner, repository, and what a name may have in it.
const DEPTH_MAX: usize = 5;

/// The models on this machine.
#[derive(Debug, Clone)]
pub struct ModelDir {
    folder: PathBuf,
    /// How much room there is; tests say it themselves.
    pub(super) free_bytes: fn(&Path) -> Option<u64>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// How it is called.
    pub name: HubName,
    /// Where it lies or will lie.
    pub path: PathBuf,
    /// How much of it is here.
    pub bytes: u64,
    /// Whether that is all.
    pub state: DownloadState,
}

/// Whether a model is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadState {
    /// All of it. Without a record it did not come through [`ModelFiles::fetch`].
    Complete {
        /// What was checked when it came.
        record: Option<DownloadRecord>,
    },
    /// Some of it.
    Partial {
        /// What it is a part of.
        record: Option<DownloadRecord>,
    },
}

/// What became of a file since it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyResult {
    /// Nothing.
    Intact {
        /// What it was held against.
        record: DownloadRecord,
    },
    /// It is longer or shorter.
    WrongSize {
        /// How long it was.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// It is another one.
    WrongDigest {
        /// What it had.
        expected: String,
        /// What it has.
        found: String,
    },
    /// Nothing was recorded of it: it was put there by hand.
    NoRecord {
        /// What it has.
        found: String,
    },
}

impl ModelDir {
    /// Over a folder, which need not be there yet.
    pub fn open(folder: impl Into<PathBuf>) -> ModelDir {
        ModelDir { folder: folder.into(), free_bytes: space::free_bytes }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a model lies if it is here.
    pub fn path(&self, name: &HubName) -> PathBuf {
        self.folder.join(name.owner()).join(name.repo()).join(name.file())
    }

    /// A model that is here. Looks for the file alone: nothing has a model's name that was not checked.
    pub fn find(&self, name: &HubName) -> Option<PathBuf> {
        Some(self.path(name)).filter(|path| path.is_file())
    }

    /// What was recorded of a model when it came.
    pub fn record(&self, name: &HubName) -> Option<DownloadRecord> {
        DownloadRecord::read(&self.path(name).with_added_extension(RECORD_SUFFIX))
    }

    /// Everything that is here, whole or in part, by name.
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
            // Through a link, too: some keep large files on another disk.
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

    /// A file whose place makes it a model or a part of one.
    fn file(&self, path: PathBuf, bytes: u64) -> Option<ModelFile> {
        let is_part = path.extension().is_some_and(|extension| extension == SUFFIX);
        let record = DownloadRecord::read(&path.with_added_extension(RECORD_SUFFIX));
        let target = if is_part { path.with_extension("") } else { path };
        let name: Option<Vec<&str>> =
            target.strip_prefix(&self.folder).ok()?.iter().map(|part| part.to_str()).collect();
        let name = HubName::parse(&name?.join("/")).ok()?;
        let held = if is_part {
            DownloadState::Partial { record }
        } else {
            DownloadState::Complete { record }
        };
        Some(ModelFile { name, path: target, bytes, state: held })
    }

    /// Reads all of a model and compares it with what was recorded when it came. Blocks for seconds.
    pub fn verify(
        &self,
        name: &HubName,
        on_progress: &mut dyn FnMut(DownloadProgress),
        cancel: &CancellationToken,
    ) -> Result<VerifyResult, FileError> {
        let path = self.find(name).ok_or_else(|| FileError::NotHere { name: name.to_string() })?;
        let failed = |source| io_error("read", &path, source);
        let mut file = File::open(&path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let record = self.record(name);
        if let Some(record) = record.as_ref().filter(|record| record.bytes != bytes) {
            return Ok(VerifyResult::WrongSize { expected: record.bytes, found: bytes });
        }
        let mut pace = ProgressMeter::new(bytes);
        let (mut digest, mut chunk, mut read) = (Sha256Hasher::default(), vec![0; CHUNK_BYTES], 0);
        loop {
            if cancel.is_cancelled() {
                return Err(FileError::Cancelled);
            }
            if let Some(progress) = pace.update(Instant::now(), read) {
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

    /// Removes a model with everything that belongs to it, a half download too, and the folders that are empty
    /// then. Says how many bytes became free.
    pub fn remove(&self, name: &HubName) -> Result<u64, FileError> {
        let path = self.path(name);
        let part = path.with_added_extension(SUFFIX);
        let size = |path: &Path| fs::metadata(path).map(|found| found.len()).ok();
        let (whole, half) = (size(&path), size(&part));
        if whole.is_none() && half.is_none() {
            return Err(FileError::NotHere { name: name.to_string() });
        }
        let lock = DownloadLock::take(&self.folder, name)?;
        let _lock = lock.ok_or_else(|| FileError::Busy { name: name.to_string() })?;
        for (path, _) in [(&path, whole), (&part, half)].iter().filter(|(_, size)| size.is_some()) {
            fs::remove_file(path).map_err(|source| io_error("remove", path, source))?;
            let _ = fs::remove_file(path.with_added_extension(RECORD_SUFFIX));
        }
        let inner = path.ancestors().skip(1).take_while(|folder| *folder != self.folder);
        for folder in inner {
            // One that is not empty stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(whole.unwrap_or(0).saturating_add(half.unwrap_or(0)))
    }
}
