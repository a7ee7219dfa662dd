//! An archive becomes files, one after the other, each checked before it is handed to the caller's sink. Pure.

use std::{
    collections::BTreeSet,
    io::{self, BufRead, BufReader, Read},
};

use flate2::bufread::GzDecoder;

use super::{
    ARCHIVE_BYTES_MAX, ARCHIVE_FILE_BYTES_MAX, ArchiveError, LISTING_BYTES_MAX, LISTING_FILE,
    header::{self, BLOCK_BYTES},
    listing::ArchiveListing,
};
use crate::{
    forbidden::{PackageForm, forbidden_content},
    manifest::MANIFEST_FILE,
};
use narratoria_protocol::digest::sha256;

/// Most memory reserved for a file before its bytes arrive: a header may promise bytes that never come.
const FIRST_ROOM: usize = 64 << 10;

/// Reads the tar inside the gzip.
struct TarReader<R: BufRead> {
    zip: GzDecoder<R>,
    /// Most bytes that may still come out of it.
    left: u64,
    entries: usize,
}

/// Receives a file's path and content.
pub type ArchiveFileSink<'k> = dyn FnMut(&str, &[u8]) -> Result<(), ArchiveError> + 'k;

/// Reads a whole archive and hands each file to `sink`, `MANIFEST.sha256` first. Later files are not checked yet when
/// the sink gets one, so the sink must be able to discard it.
pub fn read(from: impl Read, sink: &mut ArchiveFileSink<'_>) -> Result<(), ArchiveError> {
    let packed = BufReader::new(from.take(ARCHIVE_BYTES_MAX));
    let mut tar = TarReader { zip: GzDecoder::new(packed), left: ARCHIVE_BYTES_MAX, entries: 0 };
    let listing = match tar.entry(LISTING_BYTES_MAX)? {
        Some((path, content)) if path == LISTING_FILE => {
            let listing = ArchiveListing::parse(&content)?;
            sink(&path, &content)?;
            listing
        }
        Some((found, _)) => return Err(ArchiveError::NoListing { found }),
        None => return Err(ArchiveError::NoListing { found: "its end".to_owned() }),
    };
    let form = match listing.has(MANIFEST_FILE) {
        true => PackageForm::Archive,
        false => PackageForm::AgentSkill,
    };
    let mut seen = BTreeSet::new();
    for (wanted, digest) in listing.files() {
        let Some((path, content)) = tar.entry(ARCHIVE_FILE_BYTES_MAX)? else {
            return Err(ArchiveError::Missing { path: wanted.to_owned() });
        };
        if path != wanted {
            return Err(unexpected_entry_error(path, wanted, &listing, &seen));
        }
        let found = sha256(&content);
        if found != digest {
            return Err(ArchiveError::WrongDigest { path, found, listed: digest.to_owned() });
        }
        if let Some(what) = forbidden_content(&path, &content, form) {
            return Err(ArchiveError::Forbidden { path, what: what.to_string() });
        }
        sink(&path, &content)?;
        seen.insert(wanted);
    }
    match tar.entry(ARCHIVE_FILE_BYTES_MAX)? {
        Some((path, _)) => Err(unexpected_entry_error(path, "the end", &listing, &seen)),
        None => tar.finish(),
    }
}

/// Why this file is not the one that should come next.
fn unexpected_entry_error(
    path: String,
    wanted: &str,
    listing: &ArchiveListing,
    seen: &BTreeSet<&str>,
) -> ArchiveError {
    if seen.contains(path.as_str()) || path == LISTING_FILE {
        ArchiveError::DuplicateFile { path }
    } else if listing.has(&path) {
        ArchiveError::OutOfOrder { path, wanted: wanted.to_owned() }
    } else {
        ArchiveError::Unlisted { path }
    }
}

impl<R: BufRead> TarReader<R> {
    /// The next file; `None` at the two empty blocks that end a tar.
    fn entry(&mut self, bytes_max: u64) -> Result<Option<(String, Vec<u8>)>, ArchiveError> {
        let block = self.block()?;
        if block == [0; BLOCK_BYTES] {
            return match self.block()? == [0; BLOCK_BYTES] {
                true => Ok(None),
                false => Err(ArchiveError::TrailingData),
            };
        }
        self.entries += 1;
        let (path, bytes) = header::parse(&block, self.entries)?;
        if bytes > bytes_max {
            return Err(ArchiveError::FileTooLarge { path, bytes, limit: bytes_max });
        }
        let content = self.content(bytes)?;
        let filling = bytes.next_multiple_of(BLOCK_BYTES as u64) - bytes;
        if self.content(filling)?.iter().any(|byte| *byte != 0) {
            let what = "the room behind its content is not empty";
            return Err(ArchiveError::NonCanonicalHeader { path, what });
        }
        Ok(Some((path, content)))
    }

    fn block(&mut self) -> Result<[u8; BLOCK_BYTES], ArchiveError> {
        let content = self.content(BLOCK_BYTES as u64)?;
        Ok(content.try_into().expect("as many bytes as were asked for"))
    }

    /// Reads exactly this number of bytes.
    fn content(&mut self, bytes: u64) -> Result<Vec<u8>, ArchiveError> {
        self.left = self
            .left
            .checked_sub(bytes)
            .ok_or(ArchiveError::TooLarge { limit: ARCHIVE_BYTES_MAX })?;
        let length = usize::try_from(bytes).map_err(|_| ArchiveError::Truncated)?;
        let mut content = Vec::with_capacity(length.min(FIRST_ROOM));
        self.zip
            .by_ref()
            .take(bytes)
            .read_to_end(&mut content)
            .map_err(|error| gzip_error(&error))?;
        if content.len() != length { Err(ArchiveError::Truncated) } else { Ok(content) }
    }

    /// Refuses trailing data, inside the gzip and behind it. The read to its end also checks gzip's own checksum.
    fn finish(mut self) -> Result<(), ArchiveError> {
        let mut one = [0];
        if self.zip.read(&mut one).map_err(|error| gzip_error(&error))? != 0 {
            return Err(ArchiveError::TrailingData);
        }
        let rest = self.zip.get_mut().fill_buf().map_err(ArchiveError::io("read"))?;
        if rest.is_empty() { Ok(()) } else { Err(ArchiveError::TrailingData) }
    }
}

fn gzip_error(error: &io::Error) -> ArchiveError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ArchiveError::Truncated,
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            ArchiveError::NotGzip { what: error.to_string() }
        }
        kind => ArchiveError::Io { action: "read", why: io::Error::new(kind, error.to_string()) },
    }
}
