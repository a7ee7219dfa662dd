//! The header of an entry: one form of ustar for a regular file, and nothing else. Pure.

use tar::{EntryType, Header};

use super::ArchiveError;

/// Length of a header; contents are padded to a multiple of it.
pub(super) const BLOCK_BYTES: usize = 512;

/// A person who unpacks an archive with `tar` can read the files, and only their owner can change them.
const MODE: u32 = 0o644;

/// True if a header is odd in one respect.
type HeaderTest = fn(&Header) -> bool;

/// Reasons why a header is not one that [`header`] writes, tried in order, the most helpful first.
const HEADER_CHECKS: [(&str, HeaderTest); 5] = [
    ("it is of another dialect than ustar", |header| header.as_ustar().is_none()),
    ("its time is not 0", |header| !matches!(header.mtime(), Ok(0))),
    ("its owner is not 0", |header| {
        !matches!((header.uid(), header.gid()), (Ok(0), Ok(0)))
            || !matches!(header.username_bytes(), Some([]))
            || !matches!(header.groupname_bytes(), Some([]))
    }),
    ("its mode is not 644", |header| !matches!(header.mode(), Ok(MODE))),
    ("it has more in it", |_| true),
];

/// The header of a file; `None` if the path is too long for it.
pub(super) fn header(path: &str, bytes: u64) -> Option<Header> {
    let mut header = Header::new_ustar();
    header.set_path(path).ok()?;
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes);
    header.set_mode(MODE);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_cksum();
    Some(header)
}

/// Path and length of the entry that begins with this block, the `entry_no`th.
pub(super) fn parse(
    block: &[u8; BLOCK_BYTES],
    entry_no: usize,
) -> Result<(String, u64), ArchiveError> {
    let header = Header::from_byte_slice(block);
    if !matches!(header.cksum(), Ok(sum) if sum == checksum(block)) {
        return Err(ArchiveError::BadHeader { entry_no });
    }
    let path = String::from_utf8_lossy(&header.path_bytes()).into_owned();
    if let Some(kind) = kind(header.entry_type()) {
        return Err(ArchiveError::NotAFile { path, kind });
    }
    let Ok(bytes) = header.entry_size() else {
        return Err(ArchiveError::BadHeader { entry_no });
    };
    let plain = self::header(&path, bytes);
    if plain.is_none_or(|plain| plain.as_bytes() != block) {
        let oddity = HEADER_CHECKS.iter().find(|(_, is_odd)| is_odd(header));
        let (what, _) = oddity.expect("the last one fits every header");
        return Err(ArchiveError::NonCanonicalHeader { path, what });
    }
    Ok((path, bytes))
}

/// The sum of all bytes, with the sum's own field read as spaces.
fn checksum(block: &[u8; BLOCK_BYTES]) -> u32 {
    let own = 148..156;
    let byte = |(at, byte): (usize, &u8)| u32::from(if own.contains(&at) { b' ' } else { *byte });
    block.iter().enumerate().map(byte).sum()
}

/// The kind of an entry; `None` for a regular file.
fn kind(entry_type: EntryType) -> Option<&'static str> {
    Some(match entry_type {
        EntryType::Regular => return None,
        EntryType::Link => "a hard link",
        EntryType::Symlink => "a link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Directory => "a folder",
        EntryType::Fifo => "a pipe",
        EntryType::GNUSparse => "a sparse file",
        EntryType::GNULongName | EntryType::GNULongLink => "a long name in the way of GNU",
        EntryType::XHeader | EntryType::XGlobalHeader => "an extended header",
        _ => "of a kind that is not known",
    })
}
