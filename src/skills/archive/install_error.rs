//! Why a package is not installed.

use std::{
    io,
    path::{Path, PathBuf},
};

use semver::Version;

use super::{ArchiveError, signature::SignatureError};
use crate::Problem;
use narratoria_protocol::StrictJsonError;

/// The new version could not be used, although the old one can.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` {version} needs other settings, and {installed} stays in its place")]
pub struct BlockedUpgrade {
    pub name: String,
    pub installed: Version,
    pub version: Version,
    /// The settings that the new version needs.
    pub problems: Vec<Problem>,
}

/// Why a package cannot be installed or removed. The folder of packages is then as it was before.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("the archive cannot be used: {0}")]
    Archive(ArchiveError),
    #[error("the archive's digest is {found}, wanted is {wanted}")]
    WrongArchiveDigest { found: String, wanted: String },
    #[error("the signature cannot be trusted: {0}")]
    Signature(SignatureError),
    #[error("the archive holds no package: {what}")]
    NoPackage { what: &'static str },
    #[error("the archive's `skill.json` {}", why.predicate())]
    UnreadableManifest { why: StrictJsonError },
    #[error("the package `{name}` in the archive cannot be loaded")]
    InvalidPackage { name: String, problems: Vec<Problem> },
    /// A newer version is installed, or another package of the same version.
    #[error("`{name}` {installed} is installed, and {version} is not newer")]
    NotNewer { name: String, installed: Version, version: Version },
    #[error("{0}")]
    SettingsMissing(Box<BlockedUpgrade>),
    #[error("`{}` is in the way: it is no package that could be replaced", folder.display())]
    PathOccupied { folder: PathBuf },
    /// Then it is not known whose key signed the installed version.
    #[error(
        "`.origin.json` in `{}` cannot be read, and it says with which key the installed version was signed",
        folder.display()
    )]
    UnreadableOrigin { folder: PathBuf },
    /// Then it is not known whose key signed a package that was removed, or an index.
    #[error("`{}` cannot be read, and it says with which keys removed packages and indexes were signed", file.display())]
    UnreadableKeys { file: PathBuf },
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
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
        move |source| InstallError::Io { action, path: path.to_owned(), source }
    }
}
