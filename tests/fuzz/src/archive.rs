//! Archives of packages. The first byte says what the others are. No change of a byte would get past the sums of
//! gzip and of tar's headers, nor past the digests; so most inputs are files that are packed here:
//!
//! - `f`: files, each after a line `=== PATH`. The digests are made here unless `MANIFEST.sha256` is among them.
//! - `t`: a tar, which is zipped here.
//! - anything else: an archive as it came.

use std::{collections::BTreeMap, io::Write};

use flate2::{Compression, write::GzEncoder};
use narratoria_protocol::digest::sha256;
use narratoria_skills::{ARCHIVE_PATH_BYTES_MAX, LISTING_FILE, read_archive};

use super::packages::sections;

const BLOCK_BYTES: usize = 512;

pub(crate) fn check(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match kind {
        b'f' => read(&zip(&tar(rest))),
        b't' => read(&zip(rest)),
        _ => read(rest),
    }
}

fn read(archive: &[u8]) {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let read = read_archive(archive, &mut |path, content| {
        let climbs = path.split('/').any(|part| matches!(part, "" | "." | ".."));
        assert!(!climbs && !path.contains(['\\', ':']), "a path leads elsewhere: {path:?}");
        assert!(path.len() <= ARCHIVE_PATH_BYTES_MAX, "a path is too long: {path:?}");
        let twice = files.insert(path.to_owned(), content.to_vec());
        assert!(twice.is_none(), "a file was handed over twice: {path:?}");
        Ok(())
    });
    match read {
        Ok(()) => assert!(files.contains_key(LISTING_FILE), "read without its digests"),
        Err(error) => assert!(!error.to_string().is_empty(), "refused without a word"),
    }
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut zip = GzEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(bytes).expect("memory takes all");
    zip.finish().expect("memory takes all")
}

/// Paths that no header of tar can hold are left out.
fn tar(bytes: &[u8]) -> Vec<u8> {
    let mut files = sections(bytes);
    if files.iter().all(|(path, _)| path != LISTING_FILE) {
        files.sort();
        let digest = |(path, content): &(String, Vec<u8>)| format!("{}  {path}\n", sha256(content));
        let listing: String = files.iter().map(digest).collect();
        files.insert(0, (LISTING_FILE.to_owned(), listing.into_bytes()));
    }
    let mut tar = Vec::new();
    for (path, content) in files {
        let mut header = tar::Header::new_ustar();
        if header.set_path(&path).is_err() {
            continue;
        }
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_cksum();
        tar.extend_from_slice(header.as_bytes());
        tar.extend_from_slice(&content);
        tar.resize(tar.len().next_multiple_of(BLOCK_BYTES), 0);
    }
    tar.resize(tar.len() + 2 * BLOCK_BYTES, 0);
    tar
}
