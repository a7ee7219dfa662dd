//! An archive becomes a folder of the stage.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use super::{ArchiveError, LISTING_FILE, install_error::InstallError, read};
use crate::{
    front_matter::{SKILL_MD_NAMES, is_skill_name, name_in_skill_md},
    manifest::MANIFEST_FILE,
    skill::MANIFEST_BYTES_MAX,
};
use narratoria_protocol::{JsonBounds, digest::Sha256Hasher, read_json};

pub(super) const MANIFEST_BOUNDS: JsonBounds = JsonBounds::of_bytes(MANIFEST_BYTES_MAX as usize);

/// An archive in a folder of the stage, with the name that its package has.
pub(super) struct UnpackedArchive {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) listing: Vec<u8>,
    pub(super) sha256: String,
}

/// Writes the files of an archive whose digests hold, and that has the wanted digest itself.
pub(super) fn unpack(
    from: impl Read,
    sha256_wanted: Option<&str>,
    stage: &Path,
) -> Result<UnpackedArchive, InstallError> {
    let mut from = HashingReader { from, digest: Sha256Hasher::default() };
    let raw = stage.join("package");
    let (mut listing, mut manifest, mut skill_md) = (Vec::new(), None, None);
    fs::create_dir(&raw).map_err(InstallError::io("make", &raw))?;
    read(&mut from, &mut |path, content| {
        match path {
            LISTING_FILE => listing = content.to_vec(),
            MANIFEST_FILE => manifest = Some(content.to_vec()),
            path if SKILL_MD_NAMES.contains(&path) => skill_md = Some(content.to_vec()),
            _ => {}
        }
        write_file_synced(&raw, path, content).map_err(ArchiveError::io("unpacked"))
    })
    .map_err(InstallError::Archive)?;
    let sha256 = from.digest.hex();
    if let Some(wanted) = sha256_wanted.filter(|wanted| !wanted.eq_ignore_ascii_case(&sha256)) {
        return Err(InstallError::WrongArchiveDigest { found: sha256, wanted: wanted.to_owned() });
    }
    if let Some(manifest) = &manifest {
        read_json(manifest, MANIFEST_BOUNDS)
            .map_err(|why| InstallError::UnreadableManifest { why })?;
    }
    let (name, what) = match (&manifest, &skill_md) {
        (Some(manifest), _) => (name_of(manifest), "its `skill.json` has no name for a folder"),
        (None, Some(text)) => (agent_name_of(text), "its `SKILL.md` has no name for a folder"),
        (None, None) => (None, "there is neither `skill.json` nor `SKILL.md` in it"),
    };
    let name = name.ok_or(InstallError::NoPackage { what })?;
    let folder = stage.join(&name);
    fs::rename(&raw, &folder).map_err(InstallError::io("make", &folder))?;
    Ok(UnpackedArchive { name, folder, listing, sha256 })
}

/// Computes the digest of everything that is read through it.
struct HashingReader<R> {
    from: R,
    digest: Sha256Hasher,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.from.read(buffer)?;
        self.digest.update(&buffer[..bytes]);
        Ok(bytes)
    }
}

/// Writes a file whose path the reader has checked, and forces it to the disk: it must survive a power failure before
/// its package replaces an installed one.
fn write_file_synced(folder: &Path, path: &str, content: &[u8]) -> io::Result<()> {
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = File::create_new(&path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// The name of a plain Agent Skill.
pub(super) fn agent_name_of(skill_md: &[u8]) -> Option<String> {
    name_in_skill_md(str::from_utf8(skill_md).ok()?)
}

pub(super) fn name_of(manifest: &[u8]) -> Option<String> {
    let manifest = read_json(manifest, MANIFEST_BOUNDS).ok()?;
    let name = manifest.get("name")?.as_str()?;
    is_skill_name(name).then(|| name.to_owned())
}
