//! A zip file of a package, as other programs write them (`.zip`, `.skill`), becomes a folder. The folder is then packed and
//! installed as any other, so a zip file can hold nothing that an archive cannot.

use std::{
    fs::{self, File},
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

use zip::ZipArchive;

use super::{
    ARCHIVE_BYTES_MAX, ARCHIVE_FILE_BYTES_MAX, ARCHIVE_FILES_MAX, ArchiveError,
    install_error::InstallError, listing::path_fault, unpack,
};
use crate::{
    front_matter::SKILL_MD_NAMES, manifest::MANIFEST_FILE, open_outside, read_outside,
    skill::MANIFEST_BYTES_MAX,
};

/// The first bytes of a zip file.
const MAGIC: &[u8] = b"PK\x03\x04";

/// Most entries that are looked at, folders and those that are left out among them.
const ENTRIES_MAX: usize = 4 * ARCHIVE_FILES_MAX;

/// The folder in which macOS keeps what a zip file cannot hold.
const MACOS_FOLDER: &str = "__MACOSX";

/// Returns true if the file begins as a zip file does.
pub fn is_zip(file: &Path) -> bool {
    let mut begin = [0; MAGIC.len()];
    let opened = open_outside(file).ok();
    opened.is_some_and(|mut file| file.read_exact(&mut begin).is_ok()) && begin == MAGIC
}

/// Unpacks a package into a folder of its name within the empty folder `scratch`. The package may lie in one folder of
/// the zip file. Names that begin with a dot are left out, as `skill pack` leaves them out.
pub fn unzip_package(from: impl Read + Seek, scratch: &Path) -> Result<PathBuf, InstallError> {
    let raw = scratch.join("raw");
    fs::create_dir(&raw).map_err(InstallError::io("make", &raw))?;
    unzip(from, &raw).map_err(InstallError::Archive)?;
    let root = package_root(&raw).ok_or(InstallError::NoPackage {
        what: "there is neither `skill.json` nor `SKILL.md` at its top or in its only folder",
    })?;
    let read = |name: &str| read_outside(&root.join(name), MANIFEST_BYTES_MAX).ok();
    let name = match read(MANIFEST_FILE) {
        Some(manifest) => unpack::name_of(&manifest),
        None => SKILL_MD_NAMES.iter().find_map(|name| unpack::agent_name_of(&read(name)?)),
    };
    let what = "its `skill.json` or `SKILL.md` has no name for a folder";
    let name = name.ok_or(InstallError::NoPackage { what })?;
    let folder = scratch.join("package").join(name);
    fs::create_dir_all(scratch.join("package")).map_err(InstallError::io("make", scratch))?;
    fs::rename(&root, &folder).map_err(InstallError::io("make", &folder))?;
    Ok(folder)
}

fn unzip(from: impl Read + Seek, to: &Path) -> Result<(), ArchiveError> {
    let broken = |error: zip::result::ZipError| ArchiveError::NotZip { what: error.to_string() };
    let mut archive = ZipArchive::new(from).map_err(broken)?;
    if archive.len() > ENTRIES_MAX {
        return Err(ArchiveError::TooManyFiles { limit: ARCHIVE_FILES_MAX });
    }
    let (mut files, mut left) = (0, ARCHIVE_BYTES_MAX);
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(broken)?;
        let path = entry.name().map_err(broken)?.into_owned();
        let is_left_out =
            |part: &str| part == MACOS_FOLDER || (part.starts_with('.') && part != "..");
        if entry.is_dir() || path.split('/').any(is_left_out) {
            continue;
        }
        if entry.is_symlink() {
            return Err(ArchiveError::NotAFile { path, kind: "a link" });
        }
        if let Some(what) = path_fault(&path) {
            return Err(ArchiveError::BadPath { path, what });
        }
        files += 1;
        if files > ARCHIVE_FILES_MAX {
            return Err(ArchiveError::TooManyFiles { limit: ARCHIVE_FILES_MAX });
        }
        let bytes = write_file(entry, &to.join(&path), ARCHIVE_FILE_BYTES_MAX.min(left));
        let bytes = bytes.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => ArchiveError::DuplicateFile { path: path.clone() },
            _ => ArchiveError::Io { action: "unpacked", why: error },
        })?;
        left = match bytes {
            Some(bytes) => left.saturating_sub(bytes),
            None => return Err(ArchiveError::TooLarge { limit: ARCHIVE_FILE_BYTES_MAX.min(left) }),
        };
    }
    Ok(())
}

/// Writes at most `bytes_max` bytes of a file and returns their number; `None` if there are more.
fn write_file(from: impl Read, to: &Path, bytes_max: u64) -> io::Result<Option<u64>> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = File::create_new(to)?;
    let bytes = io::copy(&mut from.take(bytes_max.saturating_add(1)), &mut file)?;
    Ok((bytes <= bytes_max).then_some(bytes))
}

/// The folder itself if it holds a package, or else its only folder.
fn package_root(raw: &Path) -> Option<PathBuf> {
    let holds_package = |folder: &Path| crate::is_package_folder(folder);
    if holds_package(raw) {
        return Some(raw.to_owned());
    }
    let mut entries = fs::read_dir(raw).ok()?.flatten();
    let (only, more) = (entries.next()?.path(), entries.next());
    (more.is_none() && holds_package(&only)).then_some(only)
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    const SKILL: &str = "---\nname: gaslight\ndescription: d\n---\nQuietly.\n";

    /// What becomes of a zip file with these entries.
    fn unzipped(entries: &[(&str, &str)]) -> String {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in entries {
            match text.strip_prefix("-> ") {
                Some(target) => {
                    zip.add_symlink(*name, target, SimpleFileOptions::default()).unwrap();
                }
                None => {
                    zip.start_file(*name, SimpleFileOptions::default()).unwrap();
                    zip.write_all(text.as_bytes()).unwrap();
                }
            }
        }
        let bytes = zip.finish().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        match unzip_package(bytes, scratch.path()) {
            Ok(folder) => {
                let mut names: Vec<String> = fs::read_dir(&folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                    .collect();
                names.sort();
                format!("{}: {}", folder.file_name().unwrap().display(), names.join(" "))
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_package_lies_at_the_top_or_in_the_only_folder() {
        assert_eq!(unzipped(&[("SKILL.md", SKILL), ("a.md", "")]), "gaslight: SKILL.md a.md");
        assert_eq!(unzipped(&[("dir/skill.md", SKILL), ("dir/.x", "")]), "gaslight: skill.md");
        assert_eq!(
            unzipped(&[("dir/SKILL.md", SKILL), ("__MACOSX/dir/._SKILL.md", "")]),
            "gaslight: SKILL.md"
        );
        let manifest = r#"{"name": "dice"}"#;
        assert_eq!(unzipped(&[("dice-1/skill.json", manifest)]), "dice: skill.json");
    }

    #[test]
    fn what_no_archive_may_hold_no_zip_file_may_hold() {
        let told: String = [
            [("../SKILL.md", SKILL)],
            [("/SKILL.md", SKILL)],
            [("SKILL.md", "-> /etc/passwd")],
            [("a/b/SKILL.md", SKILL)],
            [("SKILL.md", "no front matter")],
        ]
        .map(|entries| format!("{}\n", unzipped(&entries)))
        .concat();
        insta::assert_snapshot!(told, @"
        the archive cannot be used: the name `../SKILL.md` cannot be used: it leads out of its folder
        the archive cannot be used: the name `/SKILL.md` cannot be used: it is absolute
        the archive cannot be used: `SKILL.md` is a link, an archive holds regular files only
        the archive holds no package: there is neither `skill.json` nor `SKILL.md` at its top or in its only folder
        the archive holds no package: its `skill.json` or `SKILL.md` has no name for a folder
        ");
        let scratch = tempfile::tempdir().unwrap();
        let error = unzip_package(Cursor::new(b"PK\x03\x04 and nothing".to_vec()), scratch.path());
        assert!(error.unwrap_err().to_string().contains("it is no zip file"), "another error");
    }
}
