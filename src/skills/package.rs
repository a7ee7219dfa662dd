//! The files of a package: a folder opened through cap-std, a list embedded in the binary, or files in memory. No link
//! leads out of it, only regular files are read, and none past its limit.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, OpenOptions},
};
use serde_json::Value;

use super::problem::ProblemList;
use narratoria_protocol::{
    JsonBounds, read_json, stored_file::portable_fault, without_byte_order_mark,
};

/// The files of an embedded package: path inside the package, content.
pub type EmbeddedFiles = &'static [(&'static str, &'static [u8])];

/// The files of a package in memory: path inside the package, content.
pub type FilesInMemory = BTreeMap<String, Vec<u8>>;

/// Longest path inside a package. No package needs a longer one, and some file systems refuse it.
const PATH_BYTES_MAX: usize = 512;

/// Folders of the author's sources and build outputs, which change without the package. Archives and checks leave
/// them out, as they do folders whose names begin with a dot.
pub const AUTHOR_FOLDERS: [&str; 5] = ["src", "target", "vendor", "node_modules", "__pycache__"];

/// Beginnings of the names of files at the top of a package that belong to it though nothing names them.
pub(super) const ABOUT_FILES: [&str; 6] =
    ["README", "LICENSE", "LICENCE", "NOTICE", "COPYING", "CHANGELOG"];

/// Most entries listed of one folder. Stops a folder with a million files from delaying the start.
const ENTRIES_MAX: usize = 4096;

/// One package, not yet read.
#[derive(Debug)]
pub(super) enum PackageFiles {
    Embedded(EmbeddedFiles),
    Memory(FilesInMemory),
    Folder(PackageFolder),
}

/// A package's folder, opened.
#[derive(Debug)]
pub(super) struct PackageFolder {
    pub(super) dir: Dir,
    pub(super) path: PathBuf,
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
    #[error("{what}")]
    BadPath { what: String },
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
    if path.starts_with('/') || path.contains('\\') {
        return Some(format!("`{path}` must be relative, with `/` between folders"));
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Some(format!("`{path}` must name a file inside the package, without `.` or `..`"));
    }
    portable_fault(path)
}

impl PackageFiles {
    pub(super) fn in_folder(dir: Dir, path: &Path) -> PackageFiles {
        PackageFiles::Folder(PackageFolder { dir, path: path.to_owned() })
    }

    /// Reads a regular file of at most `bytes_max` bytes.
    pub(super) fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, PackageReadError> {
        if let Some(what) = path_fault(path) {
            return Err(PackageReadError::BadPath { what });
        }
        match self {
            PackageFiles::Embedded(files) => {
                bounded(embedded_file(files, path), bytes_max).map(<[u8]>::to_vec)
            }
            PackageFiles::Memory(files) => {
                bounded(files.get(path).map(Vec::as_slice), bytes_max).map(<[u8]>::to_vec)
            }
            PackageFiles::Folder(PackageFolder { dir, .. }) => read_from(dir, path, bytes_max),
        }
    }

    /// Returns true if a file of that name exists, readable or not.
    pub(super) fn has(&self, path: &str) -> bool {
        match self {
            PackageFiles::Embedded(files) => files.iter().any(|(name, _)| *name == path),
            PackageFiles::Memory(files) => files.contains_key(path),
            PackageFiles::Folder(folder) => folder.dir.symlink_metadata(path).is_ok(),
        }
    }

    /// Returns true for a regular file; a link is none.
    pub(super) fn is_file(&self, path: &str) -> bool {
        match self {
            PackageFiles::Folder(PackageFolder { dir, .. }) => {
                dir.symlink_metadata(path).is_ok_and(|it| it.is_file())
            }
            _ => self.has(path),
        }
    }

    /// Returns true for a folder; a link to one is none.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        let inside = |name: &str| name.strip_prefix(path).is_some_and(|it| it.starts_with('/'));
        match self {
            PackageFiles::Embedded(files) => files.iter().any(|(name, _)| inside(name)),
            PackageFiles::Memory(files) => files.keys().any(|name| inside(name)),
            PackageFiles::Folder(PackageFolder { dir, .. }) => {
                dir.symlink_metadata(path).is_ok_and(|it| it.is_dir())
            }
        }
    }

    /// Names of a folder's entries, sorted; empty if there is no such folder. The empty text names the package itself.
    pub(super) fn list(&self, folder: &str) -> Result<Vec<String>, PackageReadError> {
        let inside = |name: &str| {
            if folder.is_empty() {
                return Some(name.split('/').next().unwrap_or_default().to_owned());
            }
            let rest = name.strip_prefix(folder)?.strip_prefix('/')?;
            Some(rest.split('/').next().unwrap_or_default().to_owned())
        };
        let mut names: Vec<String> = match self {
            PackageFiles::Embedded(files) => {
                files.iter().filter_map(|(name, _)| inside(name)).collect()
            }
            PackageFiles::Memory(files) => files.keys().filter_map(|name| inside(name)).collect(),
            PackageFiles::Folder(own) if folder.is_empty() => entry_names(&own.dir)?,
            PackageFiles::Folder(own) => match own.dir.open_dir(folder) {
                Ok(opened) => entry_names(&opened)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                Err(error) => return Err(from_io(&error)),
            },
        };
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Removes a file at the top of a folder.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match self {
            PackageFiles::Folder(folder) => folder.dir.remove_file(name),
            _ => Err(io::Error::from(io::ErrorKind::ReadOnlyFilesystem)),
        }
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
        match str::from_utf8(without_byte_order_mark(&bytes)) {
            Ok(text) => Some(text.to_owned()),
            Err(error) => {
                let place = error.valid_up_to() + 1;
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
        let bytes = match self.read(path, bytes_max) {
            Ok(bytes) => bytes,
            Err(error) => {
                findings.file(path, error.to_string());
                return None;
            }
        };
        match read_json(&bytes, JsonBounds::of_bytes(bytes.len())) {
            Ok(value) => Some(value),
            Err(error) => {
                findings.file(path, error.predicate());
                None
            }
        }
    }
}

/// The content of a file that lies in memory, if it has at most `bytes_max` bytes.
pub(super) fn bounded(content: Option<&[u8]>, bytes_max: u64) -> Result<&[u8], PackageReadError> {
    let content = content.ok_or(PackageReadError::Missing)?;
    match content.len() as u64 > bytes_max {
        true => Err(PackageReadError::TooLong { limit: bytes_max }),
        false => Ok(content),
    }
}

pub(super) fn embedded_file(files: EmbeddedFiles, path: &str) -> Option<&'static [u8]> {
    files.iter().find(|(name, _)| *name == path).map(|(_, content)| *content)
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

pub(super) fn open_folder(path: &Path) -> Result<Dir, String> {
    Dir::open_ambient_dir(path, ambient_authority()).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        std::io::ErrorKind::NotADirectory => "is not a folder".to_owned(),
        _ => format!("cannot be opened: {error}"),
    })
}

/// Reads a regular file of at most `bytes_max` bytes.
pub(super) fn read_from(
    dir: &Dir,
    path: &str,
    bytes_max: u64,
) -> Result<Vec<u8>, PackageReadError> {
    let (file, length) = open_in(dir, path, bytes_max)?;
    let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    // The file may have grown since it was opened.
    file.take(bytes_max + 1).read_to_end(&mut content).map_err(|error| from_io(&error))?;
    if content.len() as u64 > bytes_max {
        return Err(PackageReadError::TooLong { limit: bytes_max });
    }
    Ok(content)
}

/// Opens a regular file of at most `bytes_max` bytes; with its length.
pub(super) fn open_in(
    dir: &Dir,
    path: &str,
    bytes_max: u64,
) -> Result<(File, u64), PackageReadError> {
    // Checked before opening, because opening a named pipe would wait for its writer for ever.
    let metadata = dir.metadata(path).map_err(|error| from_io(&error))?;
    if !metadata.is_file() {
        return Err(PackageReadError::NotRegular);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    // A pipe may have taken its place since the check.
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, super::outside_file::NONBLOCK);
    let file = dir.open_with(path, &options).map_err(|error| from_io(&error))?;
    let metadata = file.metadata().map_err(|error| from_io(&error))?;
    if !metadata.is_file() {
        return Err(PackageReadError::NotRegular);
    }
    if metadata.len() > bytes_max {
        return Err(PackageReadError::TooLong { limit: bytes_max });
    }
    Ok((file, metadata.len()))
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
            let what = path_fault(path).unwrap_or_else(|| panic!("{path:?}"));
            let refused = PackageFiles::Embedded(FILES).read(path, 9);
            assert_eq!(refused, Err(PackageReadError::BadPath { what }));
        }
        assert_eq!(path_fault("scripts/roll-dice.wasm"), None);
    }
}
