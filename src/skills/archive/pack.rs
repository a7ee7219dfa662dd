//! A package in a folder becomes an archive: the package's own files and nothing else.

use std::{collections::BTreeMap, io::Write, path::Path};

use cap_std::fs::Dir;
use semver::Version;

use super::{
    ARCHIVE_DEPTH_MAX, ARCHIVE_FILE_BYTES_MAX, ARCHIVE_FILES_MAX, ARCHIVE_SUFFIX, ArchiveError,
    listing::path_fault, read, write::write,
};
use crate::{
    AUTHOR_FOLDERS, CompileBudget, PackageOrigin, PlayerSide, Problem, Severity,
    agent_skill::is_agent_skill,
    config::{CONFIG_FILE, CONFIG_SCHEMA_FILE},
    discover::folder_name,
    front_matter::SKILL_MD,
    manifest::{MANIFEST_FILE, ManifestJson, parse_manifest},
    package::{ABOUT_FILES, PackageFiles, PackageReadError, entry_names, open_folder, read_from},
    problem::ProblemList,
    skill::{MANIFEST_BYTES_MAX, PROMPT_MD, load_skill},
};
use narratoria_protocol::digest::sha256;

/// Folders that are packed whole.
const FOLDERS: [&str; 3] = ["examples", "references", "assets"];

/// A packed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackReport {
    pub name: String,
    pub version: Version,
    /// SHA-256 of the archive itself, in hexadecimal.
    pub sha256: String,
    /// Length of the archive.
    pub bytes: u64,
    /// The files in it with their lengths, `MANIFEST.sha256` not counted.
    pub files: Vec<(String, usize)>,
}

/// Why a package cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("the package cannot be loaded")]
    InvalidPackage(Vec<Problem>),
    #[error("the package cannot be packed: {0}")]
    Archive(ArchiveError),
}

impl From<ArchiveError> for PackError {
    fn from(error: ArchiveError) -> PackError {
        PackError::Archive(error)
    }
}

/// A package that loads, but for settings of the player.
pub(super) struct CheckedPackage {
    /// None in a plain Agent Skill.
    pub(super) manifest: Option<ManifestJson>,
    pub(super) version: Version,
}

/// Loads the package in a folder and packs it. A `config.json` in the folder is not part of a package, so no value in
/// it, or missing from it, prevents packing.
pub fn pack(folder: &Path, to: &mut dyn Write) -> Result<PackReport, PackError> {
    let whole = |what: String| {
        let package = folder.display().to_string();
        let (file, field, severity) = (None, None, Severity::Skipped);
        PackError::InvalidPackage(vec![Problem { package, file, field, what, severity }])
    };
    let dir = open_folder(folder).map_err(whole)?;
    let name = folder_name(folder)
        .ok_or_else(|| whole("has no name that a package could have".to_owned()))?;
    let CheckedPackage { manifest, version, .. } =
        check_package(folder, &name).map_err(PackError::InvalidPackage)?;
    let files = match &manifest {
        Some(manifest) => collect(&dir, manifest)?,
        None => collect_agent_skill(&dir)?,
    };
    let mut packed = Vec::new();
    write(&files, &mut packed)?;
    // The installer uses this reader, so an archive that it would refuse is never written.
    read(packed.as_slice(), &mut |_, _| Ok(()))?;
    to.write_all(&packed).map_err(ArchiveError::io("written"))?;
    let (sha256, bytes) = (sha256(&packed), packed.len() as u64);
    let files = files.into_iter().map(|(path, content)| (path, content.len())).collect();
    Ok(PackReport { name, version, sha256, bytes, files })
}

/// Loads the package `name` in this folder, or returns all its problems.
pub(super) fn check_package(folder: &Path, name: &str) -> Result<CheckedPackage, Vec<Problem>> {
    let mut findings = ProblemList::for_package(name);
    let dir = match open_folder(folder) {
        Ok(dir) => dir,
        Err(what) => {
            findings.whole(what);
            return Err(findings.into_problems());
        }
    };
    let package = PackageFiles::in_folder(dir, folder);
    let (origin, player) = (PackageOrigin::Folder(folder.to_owned()), PlayerSide::none());
    match load_skill(name, &package, origin, &player.tolerating_missing(), CompileBudget::default())
    {
        Ok(loaded) if is_agent_skill(&package) => {
            return Ok(CheckedPackage { manifest: None, version: loaded.skill.version });
        }
        Ok(_) => {}
        Err(mut problems) => {
            problems.retain(|problem| problem.file.as_deref() != Some(CONFIG_FILE));
            if !problems.is_empty() {
                return Err(problems);
            }
        }
    }
    let document = package.json(MANIFEST_FILE, MANIFEST_BYTES_MAX, &mut findings);
    let manifest = document.and_then(|document| parse_manifest(document, &mut findings));
    let version = manifest.as_ref().and_then(|manifest| Version::parse(&manifest.version).ok());
    match (manifest, version) {
        (Some(manifest), Some(version)) => Ok(CheckedPackage { manifest: Some(manifest), version }),
        _ => Err(findings.into_problems()),
    }
}

/// Contents, by path, of the files that belong to a package.
fn collect(dir: &Dir, manifest: &ManifestJson) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    let mut collector = PackageFileCollector { dir, files: BTreeMap::new() };
    collector.add(MANIFEST_FILE)?;
    for file in [SKILL_MD, PROMPT_MD] {
        collector.add_if_there(file)?;
    }
    match &manifest.config_schema {
        Some(file) => collector.add(file)?,
        None => collector.add_if_there(CONFIG_SCHEMA_FILE)?,
    }
    let scripts = manifest.scripts.iter().flat_map(|script| {
        [Some(&script.path), Some(&script.input_schema), script.output_schema.as_ref()]
    });
    for file in scripts.flatten().chain(&manifest.prompt) {
        collector.add(file)?;
    }
    for name in collector.names(".")? {
        if ABOUT_FILES.iter().any(|about| name.starts_with(about)) {
            collector.add(&name)?;
        }
    }
    for folder in FOLDERS {
        if dir.symlink_metadata(folder).is_ok() {
            collector.add_all(folder, 1)?;
        }
    }
    Ok(collector.files)
}

/// The files of a plain Agent Skill. Its `SKILL.md` may point at any file, so all of them belong to it, but for the
/// author's sources, archives and a user's settings.
fn collect_agent_skill(dir: &Dir) -> Result<BTreeMap<String, Vec<u8>>, ArchiveError> {
    let mut collector = PackageFileCollector { dir, files: BTreeMap::new() };
    for name in collector.names(".")? {
        let is_folder = dir.metadata(&name).is_ok_and(|metadata| metadata.is_dir());
        if is_folder && !AUTHOR_FOLDERS.contains(&name.as_str()) {
            collector.add_all(&name, 1)?;
        } else if !is_folder && name != CONFIG_FILE && !name.ends_with(ARCHIVE_SUFFIX) {
            collector.add(&name)?;
        }
    }
    Ok(collector.files)
}

struct PackageFileCollector<'d> {
    dir: &'d Dir,
    files: BTreeMap<String, Vec<u8>>,
}

impl PackageFileCollector<'_> {
    fn add_if_there(&mut self, path: &str) -> Result<(), ArchiveError> {
        if self.dir.symlink_metadata(path).is_ok() { self.add(path) } else { Ok(()) }
    }

    /// Adds a file, once even if it is named twice.
    fn add(&mut self, path: &str) -> Result<(), ArchiveError> {
        if self.files.contains_key(path) {
            return Ok(());
        }
        if let Some(what) = path_fault(path) {
            return Err(ArchiveError::BadPath { path: path.to_owned(), what });
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends {
            self.refuse_link(&path[..end])?;
        }
        if self.files.len() == ARCHIVE_FILES_MAX {
            return Err(ArchiveError::TooManyFiles { limit: ARCHIVE_FILES_MAX });
        }
        let content = self.read(path)?;
        self.files.insert(path.to_owned(), content);
        Ok(())
    }

    /// Adds all files below a folder, except those in entries that begin with a dot.
    fn add_all(&mut self, folder: &str, depth: usize) -> Result<(), ArchiveError> {
        self.refuse_link(folder)?;
        if depth > ARCHIVE_DEPTH_MAX {
            let what = format!("it lies in more than {ARCHIVE_DEPTH_MAX} folders");
            return Err(ArchiveError::BadPath { path: folder.to_owned(), what });
        }
        for name in self.names(folder)? {
            let path = format!("{folder}/{name}");
            self.refuse_link(&path)?;
            let metadata = self.dir.metadata(&path).map_err(ArchiveError::io("read"))?;
            if metadata.is_dir() {
                self.add_all(&path, depth + 1)?;
            } else {
                self.add(&path)?;
            }
        }
        Ok(())
    }

    /// The folder's entries, sorted, without those that begin with a dot.
    fn names(&self, folder: &str) -> Result<Vec<String>, ArchiveError> {
        let opened = self.dir.open_dir(folder).map_err(ArchiveError::io("read"))?;
        let mut names =
            entry_names(&opened).map_err(|error| unreadable(folder, &error.to_string()))?;
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        Ok(names)
    }

    /// The target of a link is not part of the package, and would be another file once unpacked elsewhere.
    fn refuse_link(&self, path: &str) -> Result<(), ArchiveError> {
        let metadata = self.dir.symlink_metadata(path);
        if metadata.is_ok_and(|metadata| metadata.file_type().is_symlink()) {
            return Err(ArchiveError::NotAFile { path: path.to_owned(), kind: "a link" });
        }
        Ok(())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, ArchiveError> {
        read_from(self.dir, path, ARCHIVE_FILE_BYTES_MAX).map_err(|error| match error {
            PackageReadError::NotRegular => {
                ArchiveError::NotAFile { path: path.to_owned(), kind: "no regular file" }
            }
            error => unreadable(path, &error.to_string()),
        })
    }
}

fn unreadable(path: &str, what: &str) -> ArchiveError {
    ArchiveError::BadPath { path: path.to_owned(), what: what.to_owned() }
}
