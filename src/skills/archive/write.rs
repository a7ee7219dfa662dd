//! Files become an archive. Pure: equal files give equal bytes.

use std::{collections::BTreeMap, io::Write};

use flate2::{Compression, GzBuilder};

use super::{
    ARCHIVE_BYTES_MAX, ARCHIVE_FILE_BYTES_MAX, ArchiveError, LISTING_BYTES_MAX, LISTING_FILE,
    header::{BLOCK_BYTES, header},
    listing::ArchiveListing,
};
use narratoria_protocol::digest::sha256;

/// Compressor and level decide the bytes. The compressor is miniz_oxide, with the version in `Cargo.lock`.
const LEVEL: u32 = 6;

/// `unknown` in gzip's header, so that the bytes do not depend on the system.
const SYSTEM_UNKNOWN: u8 = 255;

/// Writes a whole archive; `files` are contents by path.
pub(super) fn write(
    files: &BTreeMap<String, Vec<u8>>,
    to: &mut dyn Write,
) -> Result<(), ArchiveError> {
    let digests = files.iter().map(|(path, content)| (path.clone(), sha256(content)));
    let listing = ArchiveListing::build(digests.collect())?;
    let text = listing.render();
    let mut zip = GzBuilder::new()
        .mtime(0)
        .operating_system(SYSTEM_UNKNOWN)
        .write(to, Compression::new(LEVEL));
    let mut bytes = entry(&mut zip, LISTING_FILE, text.as_bytes(), LISTING_BYTES_MAX)?;
    for (path, content) in files {
        bytes += entry(&mut zip, path, content, ARCHIVE_FILE_BYTES_MAX)?;
        if bytes > ARCHIVE_BYTES_MAX {
            return Err(ArchiveError::TooLarge { limit: ARCHIVE_BYTES_MAX });
        }
    }
    let written = ArchiveError::io("written");
    zip.write_all(&[0; 2 * BLOCK_BYTES]).map_err(&written)?;
    zip.finish().and_then(|to| to.flush()).map_err(written)
}

/// Writes one entry and returns its length.
fn entry(to: &mut impl Write, path: &str, content: &[u8], limit: u64) -> Result<u64, ArchiveError> {
    let bytes = content.len() as u64;
    if bytes > limit {
        return Err(ArchiveError::FileTooLarge { path: path.to_owned(), bytes, limit });
    }
    let Some(header) = header(path, bytes) else {
        let what = "tar has no room for it".to_owned();
        return Err(ArchiveError::BadPath { path: path.to_owned(), what });
    };
    let filling = content.len().next_multiple_of(BLOCK_BYTES) - content.len();
    let parts = [header.as_bytes(), content, &[0; BLOCK_BYTES][..filling]];
    for part in parts {
        to.write_all(part).map_err(ArchiveError::io("written"))?;
    }
    Ok((BLOCK_BYTES + content.len() + filling) as u64)
}
