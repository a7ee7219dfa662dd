//! The folder of installed packages, one folder each. A package is unpacked beside its place and moved there in one
//! step, so that a reader finds the whole old one or the whole new one, also after a crash.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
};

use semver::Version;

use super::{
    LISTING_BYTES_MAX, LISTING_FILE,
    install_error::{BlockedUpgrade, InstallError},
    install_origin::{
        InstallOrigin, InstallSource, PinnedKey, has_origin, read_origin, write_origin,
    },
    kept_keys::{KEPT_KEYS_FILE, KeptKeys},
    pack::check_package,
    signature::SignedClaims,
    unpack::{MANIFEST_BOUNDS, UnpackedArchive, unpack},
};
use crate::{
    PackageHandle, PackageOrigin, PlayerSide, Problem,
    config::CONFIG_FILE,
    front_matter::{SKILL_MD_NAMES, SKILL_PROMPT_BYTES_MAX, is_skill_name, parse_agent_skill},
    manifest::MANIFEST_FILE,
    outside_file::{open_regular, read_outside},
    skill::MANIFEST_BYTES_MAX,
};
use narratoria_protocol::read_json;

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
    /// The place of the archive, which the installed package remembers.
    pub source: Option<&'a InstallSource>,
    /// What the verified signature of the archive says; `None` if it has none.
    pub signed: Option<&'a SignedClaims>,
    /// The time in UTC, which is kept with a key that was not seen before.
    pub now: &'a str,
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
    /// The key that the installed package is signed with.
    pub pinned: Option<PinnedKey>,
    /// Settings that the player has to correct before the skill can be used.
    pub config_problems: Vec<Problem>,
}

/// A package that was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedPackage {
    pub folder: PathBuf,
    /// The key that it was signed with, which is kept for the next package of this name.
    pub pinned: Option<PinnedKey>,
}

/// A package that is unpacked and checked, not yet in its place.
#[derive(Debug)]
pub struct StagedPackage {
    name: String,
    version: Version,
    /// Its place now.
    staged: PathBuf,
    /// Its new place.
    place: PathBuf,
    sha256: String,
    /// The place of the archive.
    source: Option<InstallSource>,
    /// The key that it is signed with.
    pinned: Option<PinnedKey>,
    /// The key that the package in its place was signed with, or the one of this name that was removed last.
    previous_pinned: Option<PinnedKey>,
    /// The version of the package in its place.
    previous_version: Option<Version>,
    is_unchanged: bool,
    is_forced: bool,
    /// No other process changes the folder meanwhile.
    _lock: File,
}

impl StagedPackage {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The version of the package that it would replace.
    pub fn previous_version(&self) -> Option<&Version> {
        self.previous_version.as_ref()
    }

    /// True if an equal package is installed already.
    pub fn is_unchanged(&self) -> bool {
        self.is_unchanged
    }

    /// Its new place.
    pub fn origin(&self) -> PackageOrigin {
        PackageOrigin::Folder(self.place.clone())
    }

    /// The new package, with the settings that it would have in its place.
    pub fn package(&self) -> Result<PackageHandle, Problem> {
        PackageHandle::open_as(&self.staged, &self.name, PackageOrigin::Folder(self.place.clone()))
    }

    /// The package in its place; `None` if there is none that can be read.
    pub fn previous(&self) -> Option<PackageHandle> {
        let origin = PackageOrigin::Folder(self.place.clone());
        self.previous_version.as_ref()?;
        PackageHandle::open_as(&self.place, &self.name, origin).ok()
    }

    /// The key that the package is signed with, and since when it is known.
    pub fn pinned(&self) -> Option<&PinnedKey> {
        self.pinned.as_ref()
    }

    /// The key that the package in its place was signed with, or the one of this name that was removed last.
    pub fn previous_pinned(&self) -> Option<&PinnedKey> {
        self.previous_pinned.as_ref()
    }

    /// The settings that keep the new package from being used.
    fn config_problems(&self, player: &PlayerSide<'_>) -> Vec<Problem> {
        match self.package() {
            Ok(package) => package.load(player).err().unwrap_or_default(),
            Err(problem) => vec![problem],
        }
    }

    fn is_previous_usable(&self, player: &PlayerSide<'_>) -> bool {
        self.previous().is_some_and(|package| package.load(player).is_ok())
    }
}

impl PackageDir {
    /// The folder need not exist; installing a package makes it.
    pub fn new(folder: PathBuf) -> PackageDir {
        PackageDir { folder }
    }

    /// Unpacks an archive and moves the package to its place without a question.
    pub fn install(
        &self,
        from: impl Read,
        options: InstallOptions<'_>,
        player: &PlayerSide<'_>,
    ) -> Result<InstallReport, InstallError> {
        let staged = self.stage(from, options)?;
        self.activate(staged, player)
    }

    /// Removes a package with its whole folder, and keeps the key that it was signed with.
    pub fn remove(&self, name: &str) -> Result<RemovedPackage, InstallError> {
        let folder = self.folder.join(name);
        if !is_skill_name(name) || !is_folder(&folder) {
            return Err(InstallError::NotInstalled { name: name.to_owned() });
        }
        let _lock = self.lock()?;
        let stage = self.recreate_stage()?;
        let pinned = read_origin(&folder).and_then(|origin| origin.pinned);
        self.keep_key(name, pinned.clone())?;
        // In one step, so that no reader finds half a package.
        let gone = stage.join(name);
        fs::rename(&folder, &gone).map_err(InstallError::io("remove", &folder))?;
        remove_all(&stage)?;
        Ok(RemovedPackage { folder, pinned })
    }

    /// The key that an index was signed with. `place` is its folder or its address.
    pub fn index_key(&self, place: &str) -> Result<Option<PinnedKey>, InstallError> {
        let keys = KeptKeys::read(&self.folder);
        let keys = keys.ok_or_else(|| InstallError::UnreadableKeys { file: self.keys_file() })?;
        Ok(keys.indexes.of(place).cloned())
    }

    /// Keeps the key of an index, or forgets it for one that is no longer signed.
    pub fn keep_index_key(
        &self,
        place: &str,
        pinned: Option<PinnedKey>,
    ) -> Result<(), InstallError> {
        let _lock = self.lock()?;
        self.change_keys(|keys| keys.indexes.set(place, pinned), true)
    }

    fn keys_file(&self) -> PathBuf {
        self.folder.join(KEPT_KEYS_FILE)
    }

    /// Keeps the key of a package that is removed, or forgets it for one that has come.
    fn keep_key(&self, name: &str, pinned: Option<PinnedKey>) -> Result<(), InstallError> {
        let is_needed = pinned.is_some();
        self.change_keys(|keys| keys.packages.set(name, pinned), is_needed)
    }

    /// Changes the kept keys. `change` returns false if they stay. Where they cannot be read, only what is needed is an error.
    fn change_keys(
        &self,
        change: impl FnOnce(&mut KeptKeys) -> bool,
        is_needed: bool,
    ) -> Result<(), InstallError> {
        let file = self.keys_file();
        let mut keys = match KeptKeys::read(&self.folder) {
            Some(keys) => keys,
            None if is_needed => return Err(InstallError::UnreadableKeys { file }),
            None => return Ok(()),
        };
        match change(&mut keys) {
            false => Ok(()),
            true => keys.write(&self.folder).map_err(InstallError::io("write", &file)),
        }
    }

    /// The key that the package of this name was signed with when it was removed.
    fn kept_key(&self, name: &str, is_forced: bool) -> Result<Option<PinnedKey>, InstallError> {
        match KeptKeys::read(&self.folder) {
            Some(keys) => Ok(keys.packages.of(name).cloned()),
            None if is_forced => Ok(None),
            None => Err(InstallError::UnreadableKeys { file: self.keys_file() }),
        }
    }

    /// Waits for other processes that install, then repairs the folder after a crash.
    fn lock(&self) -> Result<File, InstallError> {
        fs::create_dir_all(&self.folder).map_err(InstallError::io("make", &self.folder))?;
        let path = self.folder.join(LOCK);
        let mut options = OpenOptions::new();
        let opened = open_regular(&path, options.create(true).truncate(false).write(true));
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

    /// Unpacks and checks everything; changes no installed package. Other processes that install wait until the result
    /// is activated or dropped.
    pub fn stage(
        &self,
        from: impl Read,
        options: InstallOptions<'_>,
    ) -> Result<StagedPackage, InstallError> {
        let lock = self.lock()?;
        let stage = self.recreate_stage()?;
        let staged = unpack(from, options.sha256, &stage)
            .and_then(|unpacked| self.check_unpacked(unpacked, options, lock));
        if staged.is_err() {
            // The first error matters more, and the next installation clears the stage anyway.
            let _ = remove_all(&stage);
        }
        staged
    }

    /// The package loads, and its place is free or holds a package that may be replaced.
    fn check_unpacked(
        &self,
        unpacked: UnpackedArchive,
        options: InstallOptions<'_>,
        lock: File,
    ) -> Result<StagedPackage, InstallError> {
        let UnpackedArchive { name, folder: staged, listing, sha256 } = unpacked;
        let version = match check_package(&staged, &name) {
            Ok(found) => found.version,
            Err(problems) => return Err(InstallError::InvalidPackage { name, problems }),
        };
        if let Some(signed) = options.signed {
            signed.check_package(&name, &version).map_err(InstallError::Signature)?;
        }
        let place = self.folder.join(&name);
        let previous_version = match installed_version(&place) {
            // With `force` any folder may be replaced.
            Err(InstallError::PathOccupied { .. }) if options.force && is_folder(&place) => None,
            installed => installed?,
        };
        let mut is_unchanged = false;
        if let Some(installed) = &previous_version
            && !options.force
        {
            is_unchanged = read_small(&place.join(LISTING_FILE), LISTING_BYTES_MAX)
                .is_some_and(|installed| installed == listing);
            if !is_unchanged && version.cmp_precedence(installed).is_le() {
                let installed = installed.clone();
                return Err(InstallError::NotNewer { name, installed, version });
            }
        }
        if !is_unchanged {
            keep_old_config(&place, &staged)?;
        }
        let previous_pinned = match read_origin(&place) {
            Some(origin) => origin.pinned,
            None if has_origin(&place) && !options.force => {
                return Err(InstallError::UnreadableOrigin { folder: place });
            }
            None => self.kept_key(&name, options.force)?,
        };
        let pinned = options.signed.map(|signed| {
            let known = previous_pinned.clone().filter(|known| known.key == signed.key);
            let (key, since) = (signed.key.clone(), options.now.to_owned());
            known.unwrap_or(PinnedKey { key, since })
        });
        Ok(StagedPackage {
            name,
            version,
            staged,
            place,
            sha256,
            source: options.source.cloned(),
            pinned,
            previous_pinned,
            previous_version,
            is_unchanged,
            is_forced: options.force,
            _lock: lock,
        })
    }

    /// Moves a package to its place. A version that cannot be used with the player's settings replaces none that can,
    /// unless it is forced to.
    pub fn activate(
        &self,
        staged: StagedPackage,
        player: &PlayerSide<'_>,
    ) -> Result<InstallReport, InstallError> {
        let config_problems = staged.config_problems(player);
        let stage = self.folder.join(STAGE);
        if let Some(installed) = &staged.previous_version
            && !staged.is_unchanged
            && !staged.is_forced
            && !config_problems.is_empty()
            && staged.is_previous_usable(player)
        {
            let config_problems =
                staged.config_problems(&PlayerSide { is_installing: true, ..*player });
            remove_all(&stage)?;
            return Err(InstallError::SettingsMissing(Box::new(BlockedUpgrade {
                name: staged.name.clone(),
                installed: installed.clone(),
                version: staged.version.clone(),
                problems: config_problems,
            })));
        }
        if !staged.is_unchanged {
            let StagedPackage { source, sha256, pinned, staged: folder, place, .. } = &staged;
            if source.is_some() || pinned.is_some() {
                let origin = InstallOrigin {
                    source: source.clone().unwrap_or_default(),
                    sha256: sha256.clone(),
                    pinned: pinned.clone(),
                };
                write_origin(folder, &origin).map_err(InstallError::io("write", folder))?;
            }
            self.swap(folder, place)?;
            // From now on its own record has the key, or the player has agreed that there is none.
            self.keep_key(&staged.name, None)?;
        }
        remove_all(&stage)?;
        let StagedPackage { name, version, place, sha256, previous_version, is_unchanged, .. } =
            staged;
        // What is there already keeps its record.
        let pinned = if is_unchanged { staged.previous_pinned } else { staged.pinned };
        Ok(InstallReport {
            name,
            version,
            previous_version,
            is_unchanged,
            folder: place,
            sha256,
            pinned,
            config_problems,
        })
    }

    /// Forgets a staged package.
    pub fn discard(&self, staged: StagedPackage) -> Result<(), InstallError> {
        // The lock goes with it, so the stage goes first.
        let removed = remove_all(&self.folder.join(STAGE));
        drop(staged);
        removed
    }

    /// Names and folders of the installed packages, by name.
    pub fn installed(&self) -> Vec<(String, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named =
            entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
        let mut found: Vec<(String, PathBuf)> =
            named.filter(|(name, folder)| is_skill_name(name) && is_folder(folder)).collect();
        found.sort();
        found
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

/// Copies a `config.json` of an older program to the new package, so that no value is lost before the player takes it
/// over.
fn keep_old_config(old: &Path, new: &Path) -> Result<(), InstallError> {
    let (old, new) = (old.join(CONFIG_FILE), new.join(CONFIG_FILE));
    if old.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        fs::copy(&old, &new).map_err(InstallError::io("keep", &old))?;
    }
    Ok(())
}

/// The version of the package in this place; `None` if the place is empty.
fn installed_version(place: &Path) -> Result<Option<Version>, InstallError> {
    match place.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(InstallError::io("look at", place)(error)),
        Ok(_) => {}
    }
    let version = || {
        if !place.join(MANIFEST_FILE).exists() {
            let mut files = SKILL_MD_NAMES.iter().map(|file| place.join(file));
            let text = files.find_map(|file| read_small(&file, SKILL_PROMPT_BYTES_MAX))?;
            let name = place.file_name()?.to_str()?;
            let file = parse_agent_skill(str::from_utf8(&text).ok()?, name).ok()?;
            return Some(file.version);
        }
        let manifest = read_small(&place.join(MANIFEST_FILE), MANIFEST_BYTES_MAX)?;
        let manifest = read_json(&manifest, MANIFEST_BOUNDS).ok()?;
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
    read_outside(path, bytes_max).ok()
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
