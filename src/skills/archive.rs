//! Packages as archives: a tar in a gzip, equal bytes each time and on each machine. The first entry is
//! `MANIFEST.sha256`, in the form of `sha256sum`; then come exactly the files that it lists, in its order.
//!
//! An archive is untrusted. [`read()`] accepts only what [`pack()`] writes: regular files with plain names and one
//! form of header, each with the listed digest, every size below a limit. It refuses links, devices, owners, sparse
//! files and extended headers.

mod header;
mod install;
mod install_error;
mod install_origin;
mod kept_keys;
mod listing;
mod pack;
mod read;
mod signature;
#[cfg(test)]
mod tests;
mod unpack;
mod write;
mod zip_file;

use std::io;

use super::scripts::{COMPONENT_BYTES_MAX, COMPONENTS_BYTES_MAX};
pub use install::{InstallOptions, InstallReport, PackageDir, RemovedPackage, StagedPackage};
pub use install_error::{BlockedUpgrade, InstallError};
pub use install_origin::{InstallOrigin, InstallSource, PinnedKey, read_origin};
pub use pack::{PackError, PackReport, pack};
pub use read::{ArchiveFileSink, read};
pub use signature::{
    ArchiveSignature, IndexClaims, SIGNATURE_BYTES_MAX, SIGNATURE_SUFFIX, SignatureError,
    SignedClaims,
};
pub use zip_file::{is_zip, unzip_package};

/// The first entry: the digests of all others.
pub const LISTING_FILE: &str = "MANIFEST.sha256";

/// The end of every archive's name.
pub const ARCHIVE_SUFFIX: &str = ".skill.tar.gz";

/// Most files in an archive. A package of 64 scripts with schemas and examples has about 260.
pub(crate) const ARCHIVE_FILES_MAX: usize = 2_048;
/// Longest path in an archive: a plain header of tar holds no more.
pub const ARCHIVE_PATH_BYTES_MAX: usize = 100;
/// Most folders around a file. Deep trees are slow to make and to remove.
pub(crate) const ARCHIVE_DEPTH_MAX: usize = 8;
/// Longest file in an archive: the largest component.
pub(crate) const ARCHIVE_FILE_BYTES_MAX: u64 = COMPONENT_BYTES_MAX;
/// Everything in an archive together: all components that a package may have, and 64 MiB for the rest. Stops an
/// archive of some kilobytes from filling the disk, and holds for the packed bytes too.
pub const ARCHIVE_BYTES_MAX: u64 = COMPONENTS_BYTES_MAX + (64 << 20);
/// Longest `MANIFEST.sha256`: every file with the longest path.
pub(crate) const LISTING_BYTES_MAX: u64 =
    (ARCHIVE_FILES_MAX * (64 + 2 + ARCHIVE_PATH_BYTES_MAX + 1)) as u64;

/// Why an archive cannot be read, or made.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("it cannot be {action}: {why}")]
    Io { action: &'static str, why: io::Error },
    #[error("it is no gzip file, or a damaged one: {what}")]
    NotGzip {
        /// The decoder's message.
        what: String,
    },
    #[error("it is no zip file, or a damaged one: {what}")]
    NotZip {
        /// The decoder's message.
        what: String,
    },
    #[error("it ends too early: it was cut short")]
    Truncated,
    #[error("it has trailing data after its end")]
    TrailingData,
    #[error("it holds more than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("it has more than {limit} files")]
    TooManyFiles { limit: usize },
    #[error("`{path}` has {bytes} bytes, at most {limit} are allowed")]
    FileTooLarge {
        path: String,
        /// As its header has it.
        bytes: u64,
        limit: u64,
    },
    /// A header's checksum is wrong.
    #[error("the header of entry {entry_no} is damaged")]
    BadHeader {
        /// From 1.
        entry_no: usize,
    },
    /// A link, a device, a folder, an extension of tar.
    #[error("`{path}` is {kind}, an archive holds regular files only")]
    NotAFile { path: String, kind: &'static str },
    /// Owners, times, modes or another dialect of tar.
    #[error("the header of `{path}` is not as `skill pack` writes it: {what}")]
    NonCanonicalHeader { path: String, what: &'static str },
    /// A name that some machines would change, or that leads out of the package.
    #[error("the name `{path}` cannot be used: {what}")]
    BadPath { path: String, what: String },
    /// No package may hold it: native code, or a script that a system runs.
    #[error("`{path}` {what}")]
    Forbidden { path: String, what: String },
    /// Two names for one file.
    #[error(
        "`{path}` and `{other}` are the same on a machine that does not tell case apart, or one is a folder of the other"
    )]
    Collision {
        /// The later one.
        path: String,
        /// The earlier one.
        other: String,
    },
    #[error("it begins with `{found}`, the first entry must be `MANIFEST.sha256`")]
    NoListing { found: String },
    #[error("line {line_no} of `MANIFEST.sha256` {what}")]
    BadListing {
        /// From 1.
        line_no: usize,
        what: &'static str,
    },
    #[error("`{path}` is not listed in `MANIFEST.sha256`")]
    Unlisted { path: String },
    #[error("`{path}` is there twice")]
    DuplicateFile { path: String },
    #[error("`{path}` comes where `{wanted}` should")]
    OutOfOrder {
        path: String,
        /// The file that the listing has at this place.
        wanted: String,
    },
    #[error("`{path}` is listed in `MANIFEST.sha256` and not there")]
    Missing { path: String },
    #[error("`{path}` is not the file that was packed: its digest is {found}, listed is {listed}")]
    WrongDigest { path: String, found: String, listed: String },
}

impl ArchiveError {
    fn io(action: &'static str) -> impl Fn(io::Error) -> ArchiveError {
        move |why| ArchiveError::Io { action, why }
    }
}
