//! The place of a script's component. The host reads the bytes when it compiles or shows them, and drops them then: a
//! session with many large skills would otherwise hold them all.

use std::{borrow::Cow, fmt, io::Read, path::PathBuf, sync::Arc};

use super::package::{
    PackageFiles, PackageReadError, bounded, embedded_file, from_io, open_folder, open_in,
    path_fault, read_from,
};

/// The magic number and the version of a wasm binary.
const HEAD_BYTES: u64 = 8;

/// A component that its package named. Its file may change or vanish before [`ComponentFile::read`].
#[derive(Clone)]
pub struct ComponentFile {
    length: usize,
    place: ComponentPlace,
}

#[derive(Clone)]
enum ComponentPlace {
    /// In this program.
    Embedded(&'static [u8]),
    Memory(Arc<[u8]>),
    InFolder {
        folder: PathBuf,
        /// Path inside the folder.
        path: String,
    },
}

/// Why a component cannot be read any more.
#[derive(Debug, thiserror::Error)]
pub enum ComponentReadError {
    #[error("has changed since its package was read")]
    Changed,
    #[error("{what}")]
    Unreadable { what: String },
}

impl ComponentFile {
    /// A component that lies in no folder.
    pub fn in_memory(bytes: &[u8]) -> ComponentFile {
        ComponentFile { length: bytes.len(), place: ComponentPlace::Memory(bytes.into()) }
    }

    /// A regular file of at most `bytes_max` bytes in a package, and its first bytes.
    pub(super) fn find(
        package: &PackageFiles,
        path: &str,
        bytes_max: u64,
    ) -> Result<(ComponentFile, Vec<u8>), PackageReadError> {
        if let Some(what) = path_fault(path) {
            return Err(PackageReadError::BadPath { what });
        }
        let head_of = |bytes: &[u8]| bytes.iter().take(HEAD_BYTES as usize).copied().collect();
        match package {
            PackageFiles::Embedded(files) => {
                let bytes = embedded_file(files, path).ok_or(PackageReadError::Missing)?;
                bounded(Some(bytes), bytes_max)?;
                let place = ComponentPlace::Embedded(bytes);
                Ok((ComponentFile { length: bytes.len(), place }, head_of(bytes)))
            }
            PackageFiles::Memory(files) => {
                let bytes = bounded(files.get(path).map(Vec::as_slice), bytes_max)?;
                Ok((ComponentFile::in_memory(bytes), head_of(bytes)))
            }
            PackageFiles::Folder(folder) => {
                let (file, length) = open_in(&folder.dir, path, bytes_max)?;
                let length = usize::try_from(length)
                    .map_err(|_| PackageReadError::TooLong { limit: bytes_max })?;
                let mut head = Vec::new();
                let read = file.take(HEAD_BYTES).read_to_end(&mut head);
                read.map_err(|error| from_io(&error))?;
                let (folder, path) = (folder.path.clone(), path.to_owned());
                let place = ComponentPlace::InFolder { folder, path };
                Ok((ComponentFile { length, place }, head))
            }
        }
    }

    /// Returns true if it is a part of this program: as trusted as the program, and made for it.
    pub fn is_embedded(&self) -> bool {
        matches!(self.place, ComponentPlace::Embedded(_))
    }

    /// Its length in bytes, at most [`COMPONENT_BYTES_MAX`](super::COMPONENT_BYTES_MAX).
    pub fn length(&self) -> usize {
        self.length
    }

    /// Its bytes. Blocks, and copies only what lies in a folder. A file whose length has
    /// changed is an error, so that the limits on the sum of all components hold.
    pub fn read(&self) -> Result<Cow<'_, [u8]>, ComponentReadError> {
        let (folder, path) = match &self.place {
            ComponentPlace::Embedded(bytes) => return Ok(Cow::Borrowed(bytes)),
            ComponentPlace::Memory(bytes) => return Ok(Cow::Borrowed(bytes)),
            ComponentPlace::InFolder { folder, path } => (folder, path),
        };
        let dir = open_folder(folder).map_err(|what| ComponentReadError::Unreadable { what })?;
        match read_from(&dir, path, self.length as u64) {
            Ok(bytes) if bytes.len() == self.length => Ok(Cow::Owned(bytes)),
            Ok(_) | Err(PackageReadError::TooLong { .. }) => Err(ComponentReadError::Changed),
            Err(error) => Err(ComponentReadError::Unreadable { what: error.to_string() }),
        }
    }
}

impl fmt::Debug for ComponentFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.length)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{ComponentFile, ComponentPlace};

    #[test]
    fn a_component_that_changed_or_went_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("act.wasm");
        let place =
            ComponentPlace::InFolder { folder: folder.path().into(), path: "act.wasm".to_owned() };
        let component = ComponentFile { length: 4, place };
        let read = || match component.read() {
            Ok(bytes) => format!("{bytes:?}"),
            Err(error) => error.to_string(),
        };
        let mut found = Vec::new();
        for content in ["\0asm", "\0as", "\0asm\x0d"] {
            fs::write(&file, content).unwrap();
            found.push(read());
        }
        fs::remove_file(&file).unwrap();
        found.push(read());
        insta::assert_snapshot!(found.join("\n"), @"
        [0, 97, 115, 109]
        has changed since its package was read
        has changed since its package was read
        there is no such file in the package
        ");
    }
}
