//! What an archive on this machine holds: the name and the version of its package.

use std::{io::Read, path::Path};

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_skills::{ArchiveError, FilesInMemory, PackageHandle, open_outside, read_archive};
use semver::Version;

/// The files that say which package it is.
const NAMING_FILES: [&str; 3] = ["skill.json", "SKILL.md", "skill.md"];

/// The package in an archive whose every digest holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedArchive {
    pub(super) name: String,
    pub(super) version: Version,
}

impl PackedArchive {
    /// Returns the package in an archive; `None` if it is none, or one of its digests is wrong.
    pub(super) fn find(path: &Path) -> Option<PackedArchive> {
        named(open_outside(path).ok()?).ok()?
    }

    /// Returns the package in these bytes of an archive. Errors name its path.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<PackedArchive, TurnError> {
        let shown = path.display();
        let bad = |why: String| TurnError::new(TurnErrorKind::BadInput, format!("{shown}: {why}"));
        let found = named(bytes).map_err(|error| {
            bad(format!("the archive cannot be used: {error}"))
                .hint("`narratoria skill pack` writes archives")
        })?;
        found.ok_or_else(|| bad("the package in it has no name or no version".to_owned()))
    }
}

fn named(archive: impl Read) -> Result<Option<PackedArchive>, ArchiveError> {
    let mut files = FilesInMemory::new();
    read_archive(archive, &mut |path, content| {
        if NAMING_FILES.contains(&path) {
            files.insert(path.to_owned(), content.to_vec());
        }
        Ok(())
    })?;
    let named = PackageHandle::in_memory("", files).name_and_version();
    Ok(named.map(|(name, version)| PackedArchive { name, version }))
}
