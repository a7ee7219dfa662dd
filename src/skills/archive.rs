//! Packages as archives: a tar in a gzip, the same bytes each time and on each machine. The first entry is
//! `MANIFEST.sha256`, in the form of `sha256sum`; then come exactly the files that it lists, in its order.
//!
//! An archive comes from a stranger. [`read()`] takes nothing but what [`pack()`] writes: regular files with plain
//! names and one form of header, each with the digest that is listed, every size below a ceiling. So there is
//! nothing to say about links, devices, owners, sparse files or extended headers, except that they are refused.

mod header;
mod install;
mod listing;
mod pack;
mod read;
#[cfg(test)]
mod tests;
mod write;

use std::io;

pub use install::{InstallError, InstallOptions, InstallReport, PackageDir};
pub use pack::{PackError, PackReport, pack};
pub use read::{ArchiveFileSink, read};

/// The first entry: the digests of all others.
pub const LISTING_FILE: &str = "MANIFEST.sha256";

/// What the names of archives end with.
pub const ARCHIVE_SUFFIX: &str = ".skill.tar.gz";

/// Most files in an archive. A package of 64 scripts with schemas and examples has about 260.
pub const ARCHIVE_FILES_MAX: usize = 2_048;
/// Longest path in an archive, which is what a plain header of tar holds.
pub const ARCHIVE_PATH_BYTES_MAX: usize = 100;
/// Most folders around a file. Deep trees are slow to make and to remove.
pub const ARCHIVE_DEPTH_MAX: usize = 8;
/// Longest file in an archive: the largest component.
pub const ARCHIVE_FILE_BYTES_MAX: u64 = super::COMPONENT_BYTES_MAX;
/// Everything in an archive together: all components that a package may have, and 64 MiB for the rest. Stops an
/// archive of some kilobytes from filling the disk, and holds for the packed bytes too.
pub const ARCHIVE_BYTES_MAX: u64 = super::COMPONENTS_BYTES_MAX + (64 << 20);
/// Longest `MANIFEST.sha256`: every file with the longest path.
pub const LISTING_BYTES_MAX: u64 =
    (ARCHIVE_FILES_MAX * (64 + 2 + ARCHIVE_PATH_BYTES_MAX + 1)) as u64;

/// What is wrong with an archive, or keeps one from being made.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The machine's fault.
    #[error("it cannot be {action}: {why}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        why: io::Error,
    },
    /// Another kind of file, or a damaged one.
    #[error("it is no gzip file, or a damaged one: {what}")]
    NotGzip {
        /// The decoder's word for it.
        what: String,
    },
    /// Fewer bytes than it says.
    #[error("it ends too early: it was cut short")]
    Truncated,
    /// Something stands behind the end.
    #[error("it goes on after its end")]
    TrailingData,
    /// Too much in it.
    #[error("it holds more than {limit} bytes")]
    TooLarge {
        /// [`ARCHIVE_BYTES_MAX`].
        limit: u64,
    },
    /// Too many files.
    #[error("it has more than {limit} files")]
    TooManyFiles {
        /// [`ARCHIVE_FILES_MAX`].
        limit: usize,
    },
    /// One file is too long.
    #[error("`{path}` has {bytes} bytes, at most {limit} are allowed")]
    FileTooLarge {
        /// Which.
        path: String,
        /// What its header says.
        bytes: u64,
        /// [`ARCHIVE_FILE_BYTES_MAX`] or [`LISTING_BYTES_MAX`].
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
    NotAFile {
        /// Which.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// Owners, times, modes or another dialect of tar.
    #[error("the header of `{path}` is not as `skill pack` writes it: {what}")]
    NonCanonicalHeader {
        /// Of which entry.
        path: String,
        /// What is odd.
        what: &'static str,
    },
    /// A name that is not the same on each machine, or that leads elsewhere.
    #[error("the name `{path}` cannot be used: {what}")]
    BadPath {
        /// Which.
        path: String,
        /// What is wrong with it.
        what: String,
    },
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
    /// The digests do not come first.
    #[error("it begins with `{found}`, the first entry must be `MANIFEST.sha256`")]
    NoListing {
        /// What comes first.
        found: String,
    },
    /// A line of the digests.
    #[error("line {line_no} of `MANIFEST.sha256` {what}")]
    BadListing {
        /// From 1.
        line_no: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A file that nobody vouches for.
    #[error("`{path}` is not listed in `MANIFEST.sha256`")]
    Unlisted {
        /// Which.
        path: String,
    },
    /// A file twice.
    #[error("`{path}` is there twice")]
    DuplicateFile {
        /// Which.
        path: String,
    },
    /// Not in the listing's order.
    #[error("`{path}` comes where `{wanted}` should")]
    OutOfOrder {
        /// Which.
        path: String,
        /// Which is listed at its place.
        wanted: String,
    },
    /// A listed file is not there.
    #[error("`{path}` is listed in `MANIFEST.sha256` and not there")]
    Missing {
        /// Which.
        path: String,
    },
    /// Other bytes than those that were packed.
    #[error("`{path}` is not the file that was packed: its digest is {found}, listed is {listed}")]
    WrongDigest {
        /// Which.
        path: String,
        /// Of its bytes.
        found: String,
        /// In `MANIFEST.sha256`.
        listed: String,
    },
}

impl ArchiveError {
    fn io(action: &'static str) -> impl Fn(io::Error) -> ArchiveError {
        move |why| ArchiveError::Io { action, why }
    }
}
