//! The files of a package: a folder opened through cap-std, a list embedded in the binary, or files in memory. No link
//! leads out of it, only regular files are read, and none past its limit.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    process,
};

use cap_std::fs::{Dir, OpenOptions};
use serde_json::Value;

use super::problem::ProblemList;

/// The files of an embedded package: path inside the package, content.
pub type EmbeddedFiles = &'static [(&'static str, &'static [u8])];

/// The files of a package in memory: path inside the package, content.
pub type FilesInMemory = BTreeMap<String, Vec<u8>>;

/// Longest path inside a package. No package needs a longer one, and some file systems refuse it.
const PATH_BYTES_MAX: usize = 512;

/// Most entries listed of one folder. Stops a folder with a million files from delaying the start.
const ENTRIES_MAX: usize = 4096;

/// One package, not yet read.
#[derive(Debug)]
pub(super) enum PackageFiles {
    Embedded(EmbeddedFiles),
    Memory(FilesInMemory),
    Folder(Dir),
}

/// Why a file of a package cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PackageReadError {
    #[error("there is no such file in the package")]
    Missing,
    #[error("is not a regular file")]
    NotRegular,
    #[error("leads out of the package")]
    Outside,
    #[error("is longer than {limit} bytes")]
    TooLong { limit: u64 },
    #[error("cannot be read: {reason}")]
    Io { reason: String },
}

/// Why a path cannot name a file of its package, if it cannot.
pub(super) fn path_fault(path: &str) -> Option<String> {
    if path.len() > PATH_BYTES_MAX {
        return Some(format!("a path may have at most {PATH_BYTES_MAX} bytes"));
    }
    if path.starts_with('/') || path.contains([':', '\\', '\0']) {
        return Some(format!("`{path}` must be relative, with `/` between folders"));
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Some(format!("`{path}` must name a file inside the package, without `.` or `..`"));
    }
    None
}

impl PackageFiles {
    /// Reads a regular file of at most `bytes_max` bytes.
    pub(super) fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, PackageReadError> {
        if path_fault(path).is_some() {
            return Err(PackageReadError::Outside);
        }
        match self {
            PackageFiles::Embedded(files) => {
                let found = files.iter().find(|(name, _)| *name == path);
                copy_of(found.map(|(_, content)| *content), bytes_max)
            }
            PackageFiles::Memory(files) => copy_of(files.get(path).map(Vec::as_slice), bytes_max),
            PackageFiles::Folder(dir) => read_from(dir, path, bytes_max),
        }
    }

    /// Returns true if a file of that name exists, readable or not.
    pub(super) fn has(&self, path: &str) -> bool {
        match self {
            PackageFiles::Embedded(files) => files.iter().any(|(name, _)| *name == path),
            PackageFiles::Memory(files) => files.contains_key(path),
            PackageFiles::Folder(dir) => dir.symlink_metadata(path).is_ok(),
        }
    }

    /// Names of a folder's entries, sorted; empty if there is no such folder.
    pub(super) fn list(&self, folder: &str) -> Result<Vec<String>, PackageReadError> {
        let inside = |name: &str| {
            let rest = name.strip_prefix(folder)?.strip_prefix('/')?;
            (!rest.contains('/')).then(|| rest.to_owned())
        };
        let mut names = match self {
            PackageFiles::Embedded(files) => {
                files.iter().filter_map(|(name, _)| inside(name)).collect()
            }
            PackageFiles::Memory(files) => files.keys().filter_map(|name| inside(name)).collect(),
            PackageFiles::Folder(dir) => match dir.open_dir(folder) {
                Ok(opened) => entry_names(&opened)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                Err(error) => return Err(from_io(&error)),
            },
        };
        names.sort();
        Ok(names)
    }

    /// Writes a file at the top of a folder whole or not at all. Only the owner can read a `private` file; any other
    /// keeps its permissions.
    pub(super) fn replace(&self, name: &str, content: &[u8], private: bool) -> io::Result<()> {
        let PackageFiles::Folder(dir) = self else {
            return Err(io::Error::from(io::ErrorKind::ReadOnlyFilesystem));
        };
        let draft = format!(".{name}.{}.tmp", process::id());
        let written = write_draft(dir, &draft, name, content, private)
            .and_then(|()| dir.rename(&draft, dir, name));
        if written.is_err() {
            // It may not exist at all, and the first error is the one to report.
            let _ = dir.remove_file(&draft);
        }
        written
    }

    /// A file's text; problems go to `findings`.
    pub(super) fn text(
        &self,
        path: &str,
        bytes_max: u64,
        findings: &mut ProblemList,
    ) -> Option<String> {
        let bytes = match self.read(path, bytes_max) {
            Ok(bytes) => bytes,
            Err(error) => {
                findings.file(path, error.to_string());
                return None;
            }
        };
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                let place = error.utf8_error().valid_up_to() + 1;
                findings.file(path, format!("is not UTF-8 (first bad byte at {place})"));
                None
            }
        }
    }

    /// A file's JSON value; problems go to `findings`.
    pub(super) fn json(
        &self,
        path: &str,
        bytes_max: u64,
        findings: &mut ProblemList,
    ) -> Option<Value> {
        let text = self.text(path, bytes_max, findings)?;
        match serde_json::from_str(&text) {
            Ok(value) => Some(value),
            Err(error) => {
                findings.file(path, format!("is not JSON: {error}"));
                None
            }
        }
    }
}

fn copy_of(content: Option<&[u8]>, bytes_max: u64) -> Result<Vec<u8>, PackageReadError> {
    let content = content.ok_or(PackageReadError::Missing)?;
    if content.len() as u64 > bytes_max {
        return Err(PackageReadError::TooLong { limit: bytes_max });
    }
    Ok(content.to_vec())
}

/// Writes the draft that becomes the file `name` by a rename. The draft reaches the disk before that, so that a power
/// failure leaves the old file or the new one.
fn write_draft(
    dir: &Dir,
    draft: &str,
    name: &str,
    content: &[u8],
    private: bool,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if private {
        use cap_std::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    // A killed process with our process id may have left one.
    let _ = dir.remove_file(draft);
    let mut file = dir.open_with(draft, &options)?;
    if let (false, Ok(old)) = (private, dir.symlink_metadata(name))
        && old.is_file()
    {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(content)?;
    file.sync_all()
}

/// Names of a folder's entries, unsorted, at most [`ENTRIES_MAX`]. A name that is not UTF-8 comes out garbled, so that
/// opening it fails and the failure is reported.
pub(super) fn entry_names(dir: &Dir) -> Result<Vec<String>, PackageReadError> {
    let mut names = Vec::new();
    for entry in dir.entries().map_err(|error| from_io(&error))? {
        let entry = entry.map_err(|error| from_io(&error))?;
        if names.len() == ENTRIES_MAX {
            let reason = format!("it has more than {ENTRIES_MAX} entries");
            return Err(PackageReadError::Io { reason });
        }
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

fn read_from(dir: &Dir, path: &str, bytes_max: u64) -> Result<Vec<u8>, PackageReadError> {
    // Checked before opening, because opening a named pipe would wait for its writer for ever.
    let metadata = dir.metadata(path).map_err(|error| from_io(&error))?;
    if !metadata.is_file() {
        return Err(PackageReadError::NotRegular);
    }
    if metadata.len() > bytes_max {
        return Err(PackageReadError::TooLong { limit: bytes_max });
    }
    let file = dir.open(path).map_err(|error| from_io(&error))?;
    let mut content = Vec::new();
    // The file may have grown since the check.
    file.take(bytes_max + 1).read_to_end(&mut content).map_err(|error| from_io(&error))?;
    if content.len() as u64 > bytes_max {
        return Err(PackageReadError::TooLong { limit: bytes_max });
    }
    Ok(content)
}

/// cap-std reports an escape as a permission error without an OS error code.
pub(super) fn from_io(error: &io::Error) -> PackageReadError {
    match error.kind() {
        io::ErrorKind::NotFound => PackageReadError::Missing,
        io::ErrorKind::NotADirectory => PackageReadError::Missing,
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            PackageReadError::Outside
        }
        _ => PackageReadError::Io { reason: error.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::{PackageFiles, PackageReadError, path_fault};

    const FILES: super::EmbeddedFiles =
        &[("skill.json", b"{}"), ("examples/b.json", b"1"), ("examples/a.json", b"2")];

    #[test]
    fn an_embedded_package_reads_and_lists_like_a_folder() {
        let package = PackageFiles::Embedded(FILES);
        assert_eq!(package.read("skill.json", 2), Ok(b"{}".to_vec()));
        assert_eq!(package.read("skill.json", 1), Err(PackageReadError::TooLong { limit: 1 }));
        assert_eq!(package.read("nope", 9), Err(PackageReadError::Missing));
        assert_eq!(package.list("examples"), Ok(vec!["a.json".to_owned(), "b.json".to_owned()]));
        assert_eq!(package.list("schemas"), Ok(Vec::new()));
    }

    #[test]
    fn an_absolute_or_climbing_path_is_refused() {
        for path in ["/etc/passwd", "../x", "a/../../x", "a//b", "./a", "", "c:x", "a\\b", "a\0"] {
            assert!(path_fault(path).is_some(), "{path:?}");
            assert_eq!(PackageFiles::Embedded(FILES).read(path, 9), Err(PackageReadError::Outside));
        }
        assert_eq!(path_fault("scripts/roll-dice.wasm"), None);
    }
}
