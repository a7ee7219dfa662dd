//! The folder of installed packages, one folder each. A package is unpacked beside its place and moved there in one
//! step, so that a reader finds the whole old one or the whole new one, also after a crash.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use semver::Version;

use super::{
    ArchiveError, LISTING_BYTES_MAX, LISTING_FILE,
    pack::{CheckedPackage, check_package},
    read,
};
use crate::{
    Problem, SKILL_NAME_CHARS_MAX, VariableLookup, config::CONFIG_FILE, manifest::MANIFEST_FILE,
    skill::MANIFEST_BYTES_MAX,
};
use narratoria_protocol::digest::Sha256Hasher;

/// The folder in which a package is unpacked. Begins with a dot, so that the loader skips it.
const STAGE: &str = ".stage";

/// Locked by the process that changes the folder.
const LOCK: &str = ".lock";

/// Prefix of an old package's folder during a replacement that takes two steps.
const ASIDE: &str = ".aside-";

/// The folder of installed packages.
#[derive(Debug, Clone)]
pub struct PackageDir {
    folder: PathBuf,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct InstallOptions<'a> {
    /// True if the package may replace one that is not older.
    pub force: bool,
    /// The expected SHA-256 of the archive, in hexadecimal.
    pub sha256: Option<&'a str>,
}

/// An installed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallReport {
    pub name: String,
    pub version: Version,
    /// The version that it replaced.
    pub previous_version: Option<Version>,
    /// True if an equal package was installed already, so that the installer changed nothing.
    pub is_unchanged: bool,
    pub folder: PathBuf,
    /// SHA-256 of the archive, in hexadecimal.
    pub sha256: String,
    /// Settings that the user has to correct before the skill can be used.
    pub config_problems: Vec<Problem>,
}

/// Why a package cannot be installed or removed. The folder of packages is then as it was before.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("the archive cannot be used: {0}")]
    Archive(ArchiveError),
    #[error("the archive's digest is {found}, wanted is {wanted}")]
    WrongArchiveDigest { found: String, wanted: String },
    #[error("the archive holds no package: {what}")]
    NoPackage { what: &'static str },
    #[error("the package `{name}` in the archive cannot be loaded")]
    InvalidPackage { name: String, problems: Vec<Problem> },
    /// A newer version is installed, or another package of the same version.
    #[error("`{name}` {installed} is installed, and {version} is not newer")]
    NotNewer { name: String, installed: Version, version: Version },
    #[error("`{}` is in the way: it is no package that could be replaced", folder.display())]
    PathOccupied { folder: PathBuf },
    #[error("there is no installed package `{name}`")]
    NotInstalled { name: String },
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl InstallError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
        move |source| InstallError::Io { action, path: path.to_owned(), source }
    }
}

/// A package that is unpacked and checked, not yet in its place.
pub(super) struct StagedPackage {
    name: String,
    folder: PathBuf,
    listing: Vec<u8>,
    sha256: String,
    package: CheckedPackage,
    /// No other process changes the folder meanwhile.
    _lock: File,
}

impl PackageDir {
    /// The folder need not exist; installing a package makes it.
    pub fn new(folder: PathBuf) -> PackageDir {
        PackageDir { folder }
    }

    /// Unpacks an archive and moves the package to its place. The user's `config.json` stays.
    pub fn install(
        &self,
        from: impl Read,
        options: InstallOptions<'_>,
        env: VariableLookup<'_>,
    ) -> Result<InstallReport, InstallError> {
        let staged = self.stage(from, options, env)?;
        self.activate(staged, options, env)
    }

    /// Removes a package with its whole folder.
    pub fn remove(&self, name: &str) -> Result<PathBuf, InstallError> {
        let folder = self.folder.join(name);
        if !is_name(name) || !is_folder(&folder) {
            return Err(InstallError::NotInstalled { name: name.to_owned() });
        }
        let _lock = self.lock()?;
        let stage = self.recreate_stage()?;
        // In one step, so that no reader finds half a package.
        let gone = stage.join(name);
        fs::rename(&folder, &gone).map_err(InstallError::io("remove", &folder))?;
        remove_all(&stage)?;
        Ok(folder)
    }

    /// Waits for other processes that install, then repairs the folder after a crash.
    fn lock(&self) -> Result<File, InstallError> {
        fs::create_dir_all(&self.folder).map_err(InstallError::io("make", &self.folder))?;
        let path = self.folder.join(LOCK);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let lock = opened.map_err(InstallError::io("open", &path))?;
        lock.lock().map_err(InstallError::io("lock", &path))?;
        self.restore_set_aside()?;
        Ok(lock)
    }

    /// A package that was set aside goes back, unless its replacement is in place already.
    fn restore_set_aside(&self) -> Result<(), InstallError> {
        let entries = fs::read_dir(&self.folder).map_err(InstallError::io("read", &self.folder))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_prefix(ASIDE) else { continue };
            let (aside, place) = (entry.path(), self.folder.join(name));
            match place.symlink_metadata() {
                Ok(_) => remove_all(&aside)?,
                Err(_) => {
                    fs::rename(&aside, &place).map_err(InstallError::io("put back", &place))?;
                }
            }
        }
        Ok(())
    }

    fn recreate_stage(&self) -> Result<PathBuf, InstallError> {
        let stage = self.folder.join(STAGE);
        remove_all(&stage)?;
        fs::create_dir(&stage).map_err(InstallError::io("make", &stage))?;
        Ok(stage)
    }

    /// Unpacks and checks everything; changes no installed package.
    pub(super) fn stage(
        &self,
        from: impl Read,
        options: InstallOptions<'_>,
        env: VariableLookup<'_>,
    ) -> Result<StagedPackage, InstallError> {
        let lock = self.lock()?;
        let stage = self.recreate_stage()?;
        let staged = unpack(from, options, &stage).and_then(|unpacked| {
            let UnpackedArchive { name, folder, listing, sha256 } = unpacked;
            match check_package(&folder, &name, env) {
                Ok(found) => {
                    Ok(StagedPackage { name, folder, listing, sha256, package: found, _lock: lock })
                }
                Err(problems) => Err(InstallError::InvalidPackage { name, problems }),
            }
        });
        if staged.is_err() {
            // The first error matters more, and the next installation clears the stage anyway.
            let _ = remove_all(&stage);
        }
        staged
    }

    /// Moves a package to its place, if the place is free or the package there may be replaced.
    pub(super) fn activate(
        &self,
        staged: StagedPackage,
        options: InstallOptions<'_>,
        env: VariableLookup<'_>,
    ) -> Result<InstallReport, InstallError> {
        let StagedPackage { name, folder: staged, listing, sha256, package, _lock } = staged;
        let CheckedPackage { version, mut config_problems, .. } = package;
        let folder = self.folder.join(&name);
        let previous_version = match installed_version(&folder) {
            // With `force` any folder may be replaced.
            Err(InstallError::PathOccupied { .. }) if options.force && is_folder(&folder) => None,
            installed => installed?,
        };
        let mut is_unchanged = false;
        if let Some(installed) = &previous_version
            && !options.force
        {
            is_unchanged = read_small(&folder.join(LISTING_FILE), LISTING_BYTES_MAX)
                .is_some_and(|installed| installed == listing);
            if !is_unchanged && version.cmp_precedence(installed).is_le() {
                remove_all(&self.folder.join(STAGE))?;
                let installed = installed.clone();
                return Err(InstallError::NotNewer { name, installed, version });
            }
        }
        if is_unchanged {
            config_problems = check_config(&folder, &name, env);
        } else {
            if copy_user_config(&folder, &staged)? {
                config_problems = check_config(&staged, &name, env);
            }
            self.swap(&staged, &folder)?;
        }
        remove_all(&self.folder.join(STAGE))?;
        Ok(InstallReport {
            name,
            version,
            previous_version,
            is_unchanged,
            folder,
            sha256,
            config_problems,
        })
    }

    /// Moves the new folder to its place. An old one that is there moves to where the new one was, or goes.
    fn swap(&self, new: &Path, place: &Path) -> Result<(), InstallError> {
        let moved = InstallError::io("put in its place", place);
        if !is_folder(place) {
            fs::rename(new, place).map_err(moved)?;
        } else if exchange(new, place).is_err() {
            // Not every system and file system can exchange folders. After a crash between the two steps, the next
            // process that locks the folder repairs it.
            let name = place.file_name().unwrap_or_default().to_string_lossy();
            let aside = self.folder.join(format!("{ASIDE}{name}"));
            fs::rename(place, &aside).map_err(InstallError::io("put aside", place))?;
            if let Err(source) = fs::rename(new, place) {
                let _ = fs::rename(&aside, place);
                return Err(moved(source));
            }
            remove_all(&aside)?;
        }
        sync_folder(&self.folder).map_err(InstallError::io("write", &self.folder))
    }
}

struct UnpackedArchive {
    name: String,
    folder: PathBuf,
    listing: Vec<u8>,
    sha256: String,
}

fn unpack(
    from: impl Read,
    options: InstallOptions<'_>,
    stage: &Path,
) -> Result<UnpackedArchive, InstallError> {
    let mut from = HashingReader { from, digest: Sha256Hasher::default() };
    let raw = stage.join("package");
    let (mut listing, mut manifest) = (Vec::new(), None);
    fs::create_dir(&raw).map_err(InstallError::io("make", &raw))?;
    read(&mut from, &mut |path, content| {
        match path {
            LISTING_FILE => listing = content.to_vec(),
            MANIFEST_FILE => manifest = Some(content.to_vec()),
            _ => {}
        }
        write_file_synced(&raw, path, content).map_err(ArchiveError::io("unpacked"))
    })
    .map_err(InstallError::Archive)?;
    let sha256 = from.digest.hex();
    if let Some(wanted) = options.sha256.filter(|wanted| !wanted.eq_ignore_ascii_case(&sha256)) {
        return Err(InstallError::WrongArchiveDigest { found: sha256, wanted: wanted.to_owned() });
    }
    let manifest =
        manifest.ok_or(InstallError::NoPackage { what: "there is no `skill.json` in it" })?;
    let name = name_of(&manifest)
        .ok_or(InstallError::NoPackage { what: "its `skill.json` has no name for a folder" })?;
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

/// The problems of a package that the user's settings cause.
fn check_config(folder: &Path, name: &str, env: VariableLookup<'_>) -> Vec<Problem> {
    check_package(folder, name, env).map_or_else(|problems| problems, |it| it.config_problems)
}

/// Copies the user's settings to the new package; false if there are none.
fn copy_user_config(old: &Path, new: &Path) -> Result<bool, InstallError> {
    let (old, new) = (old.join(CONFIG_FILE), new.join(CONFIG_FILE));
    match old.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {
            fs::copy(&old, &new).map_err(InstallError::io("keep", &old))?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The version of the package in this place; `None` if the place is empty.
fn installed_version(place: &Path) -> Result<Option<Version>, InstallError> {
    match place.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InstallError::io("look at", place)(error)),
        Ok(_) => {}
    }
    let version = || {
        let manifest = read_small(&place.join(MANIFEST_FILE), MANIFEST_BYTES_MAX)?;
        let manifest: serde_json::Value = serde_json::from_slice(&manifest).ok()?;
        Version::parse(manifest.get("version")?.as_str()?).ok()
    };
    match version().filter(|_| is_folder(place)) {
        Some(version) => Ok(Some(version)),
        None => Err(InstallError::PathOccupied { folder: place.to_owned() }),
    }
}

/// Returns true if the place is a folder itself; a link to one is none.
fn is_folder(place: &Path) -> bool {
    place.symlink_metadata().is_ok_and(|it| it.is_dir())
}

/// The content of a small regular file, if it is one.
fn read_small(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > bytes_max {
        return None;
    }
    fs::read(path).ok()
}

fn name_of(manifest: &[u8]) -> Option<String> {
    let manifest: serde_json::Value = serde_json::from_slice(manifest).ok()?;
    let name = manifest.get("name")?.as_str()?;
    is_name(name).then(|| name.to_owned())
}

/// The contract's `^[a-z0-9]+(-[a-z0-9]+)*$`.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= SKILL_NAME_CHARS_MAX
        && name.split('-').all(|part| !part.is_empty() && part.bytes().all(is_plain))
}

fn remove_all(path: &Path) -> Result<(), InstallError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(InstallError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Exchanges two folders in one step.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
