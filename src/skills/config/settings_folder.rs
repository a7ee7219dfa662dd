//! The folder of the player's settings: a file for each package, outside every package, readable by its owner alone.
//!
//! A file belongs to one place. An installed package has `NAME.json`; a package of another folder has a file named
//! after that folder as well, so that an untrusted folder with a known name gets no settings made for another.
//!
//! The agreement that a package takes the place of a built-in skill is a file of the same name with another ending.
//! It lies here and not in the package, so that no package brings its own.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
};

use serde_json::Value;

use super::player::PlayerSettings;
use crate::{
    archive::read_origin,
    catalog::PackageOrigin,
    front_matter::is_skill_name,
    outside_file::{OutsideFileError, read_outside},
    signer_key::SignerKey,
};
use narratoria_protocol::{JsonBounds, Object, StrictJsonError, digest::sha256, read_json};

/// Longest `config.json`, longest file of a player's settings, and longest schema of them. A form of 128 settings is
/// about 30 KiB.
pub const CONFIG_BYTES_MAX: u64 = 256 << 10;

/// Hexadecimal digits of a folder's digest in a file's name. Enough that no two folders of a machine share them.
const FOLDER_DIGITS: usize = 16;

/// Ending of the files of settings.
const SETTINGS_SUFFIX: &str = "json";

/// Ending of the files that record an agreement to a replacement.
const REPLACES_SUFFIX: &str = "replaces-built-in";

/// Folder of the player's settings; none by default.
#[derive(Debug, Clone, Default)]
pub struct SettingsFolder {
    places: Option<SettingsPlaces>,
}

#[derive(Debug, Clone)]
struct SettingsPlaces {
    settings: PathBuf,
    installed: PathBuf,
    /// Copies of a package that its author works on, each with the folder that it was copied from.
    copies: Vec<(PathBuf, PathBuf)>,
}

/// Why the player's file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettingsFileError {
    #[error("{0}")]
    Unread(OutsideFileError),
    #[error("is not JSON: {0}")]
    NotJson(StrictJsonError),
    #[error("must be an object")]
    NotAnObject,
}

impl SettingsFolder {
    /// The settings in the folder `settings`, for packages of the folder `installed` and of any other.
    pub fn new(settings: PathBuf, installed: PathBuf) -> SettingsFolder {
        SettingsFolder { places: Some(SettingsPlaces { settings, installed, copies: Vec::new() }) }
    }

    /// Gives the package in the folder `copy` the settings of the one in `original`: its author plays the copy.
    #[must_use]
    pub fn with_copy(mut self, copy: &Path, original: &Path) -> SettingsFolder {
        if let Some(places) = &mut self.places {
            places.copies.push((whole_path(copy), original.to_owned()));
        }
        self
    }

    /// No settings at all: for programs without a player.
    pub const fn none() -> SettingsFolder {
        SettingsFolder { places: None }
    }

    /// The file for this package, there or not; `None` if the package can have none.
    pub fn file(&self, package: &str, origin: &PackageOrigin) -> Option<PathBuf> {
        self.file_with(package, origin, SETTINGS_SUFFIX)
    }

    fn file_with(&self, package: &str, origin: &PackageOrigin, suffix: &str) -> Option<PathBuf> {
        let places = self.places.as_ref().filter(|_| is_skill_name(package))?;
        let file = match origin {
            PackageOrigin::BuiltIn => format!("{package}@built-in.{suffix}"),
            PackageOrigin::Folder(path) if places.holds_installed(places.original_of(path)) => {
                format!("{package}.{suffix}")
            }
            PackageOrigin::Folder(path) => {
                let path = whole_path(places.original_of(path));
                let digest = sha256(path.as_os_str().as_encoded_bytes());
                format!("{package}@{}.{suffix}", &digest[..FOLDER_DIGITS])
            }
        };
        Some(places.settings.join(file))
    }

    /// The names of the settings that the player has given to this package, also those that no schema of it lists. None
    /// where the file cannot be read.
    pub fn given_names(&self, package: &str, origin: &PackageOrigin) -> BTreeSet<String> {
        let given = self.file(package, origin).and_then(|file| read_settings(&file).ok().flatten());
        given.map(|given| given.names().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Returns true if the player agreed that this package takes the place of the built-in skill of its name. Authors
    /// need no agreement for the package that they work on.
    pub fn agrees_to_replacement(&self, package: &str, origin: &PackageOrigin) -> bool {
        let is_copy = self.places.as_ref().is_some_and(|places| match origin {
            PackageOrigin::Folder(path) => places.is_copy(path),
            PackageOrigin::BuiltIn => false,
        });
        let file = self.file_with(package, origin, REPLACES_SUFFIX);
        is_copy || file.is_some_and(|file| file.symlink_metadata().is_ok_and(|it| it.is_file()))
    }

    /// The key that an installed package was signed with. A package elsewhere may bring a record of its own, which says
    /// nothing.
    pub fn signer(&self, origin: &PackageOrigin) -> Option<SignerKey> {
        let PackageOrigin::Folder(folder) = origin else { return None };
        let places = self.places.as_ref().filter(|places| places.holds_installed(folder))?;
        let installed = places.installed.join(folder.file_name()?);
        Some(read_origin(&installed)?.pinned?.key)
    }

    /// Records the agreement to a replacement.
    pub fn agree_to_replacement(&self, package: &str, origin: &PackageOrigin) -> io::Result<()> {
        match self.file_with(package, origin, REPLACES_SUFFIX) {
            Some(file) => write_private(&file, ""),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Takes back the agreement to a replacement; returns whether there was one.
    pub fn withdraw_replacement(&self, package: &str, origin: &PackageOrigin) -> io::Result<bool> {
        remove_if_there(self.file_with(package, origin, REPLACES_SUFFIX))
    }

    /// The command that sets the settings of this package.
    pub(crate) fn command(&self, package: &str, origin: &PackageOrigin) -> String {
        let places = self.places.as_ref();
        let named = match origin {
            PackageOrigin::Folder(path)
                if !places.is_some_and(|places| places.holds_installed(path)) =>
            {
                let path = places.map_or(path.as_path(), |places| places.original_of(path));
                let shown = path.display().to_string();
                if shown.contains('/') { shown } else { format!("./{shown}") }
            }
            _ => package.to_owned(),
        };
        format!("narratoria skill config {named}")
    }

    /// Removes the settings of this package, and the agreement that it replaces a built-in skill; returns whether there
    /// were any settings.
    pub fn remove(&self, package: &str, origin: &PackageOrigin) -> io::Result<bool> {
        self.withdraw_replacement(package, origin)?;
        remove_if_there(self.file(package, origin))
    }
}

fn remove_if_there(file: Option<PathBuf>) -> io::Result<bool> {
    let Some(file) = file else { return Ok(false) };
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

impl SettingsPlaces {
    fn is_copy(&self, package: &Path) -> bool {
        let whole = whole_path(package);
        self.copies.iter().any(|(copy, _)| *copy == whole)
    }

    /// The folder that this one is a copy of, or itself.
    fn original_of<'p>(&'p self, package: &'p Path) -> &'p Path {
        let whole = whole_path(package);
        let copied = self.copies.iter().find(|(copy, _)| *copy == whole);
        copied.map_or(package, |(_, original)| original)
    }

    fn holds_installed(&self, package: &Path) -> bool {
        whole_path(package).parent() == Some(&whole_path(&self.installed))
    }
}

/// The path without links, as far as it exists.
fn whole_path(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| {
            let parent = path.parent().map(fs::canonicalize).unwrap_or_else(|| path.canonicalize());
            parent.map(|parent| parent.join(path.file_name().unwrap_or_default()))
        })
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// Reads the player's file; `None` if there is none.
pub(super) fn read_settings(path: &Path) -> Result<Option<PlayerSettings>, SettingsFileError> {
    let bytes = match read_outside(path, CONFIG_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(OutsideFileError::Missing) => return Ok(None),
        Err(error) => return Err(SettingsFileError::Unread(error)),
    };
    let bounds = JsonBounds::of_bytes(CONFIG_BYTES_MAX as usize);
    match read_json(&bytes, bounds).map_err(SettingsFileError::NotJson)? {
        Value::Object(values) => Ok(Some(PlayerSettings::of_file(values))),
        _ => Err(SettingsFileError::NotAnObject),
    }
}

/// Writes the player's settings of a package.
pub(super) fn write_settings(path: &Path, document: &Object) -> io::Result<()> {
    write_private(path, &settings_text(document))
}

/// Writes a file of the player whole or not at all, for its owner alone, and closes its folder to others. The file reaches the disk before it takes its
/// name, so that a power failure leaves the old one or the new one.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private_folder(folder)?;
    let draft = folder.join(format!(".settings.{}.tmp", process::id()));
    // A killed process with our process id may have left one.
    let _ = fs::remove_file(&draft);
    let written = create_private(&draft, text).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // It may not exist at all, and the first error is the one to report.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Writes a file that its owner alone can read, and that was not there.
pub fn create_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The text of a settings file.
pub(super) fn settings_text(document: &Object) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("an object is JSON");
    text.push('\n');
    text
}

/// Makes the folder, and closes one that is open to others.
fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if folder.metadata()?.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}
