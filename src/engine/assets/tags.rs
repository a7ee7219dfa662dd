//! Tags around the frames of an MP3: ID3 before them, ID3 and APE after them.

use std::io::{Read, Seek};

use super::structure::{StructureFault, StructureReader, StructureResult, name_of};

/// Length of the head of a tag, and of a tag of the oldest version.
const ID3_HEAD_BYTES: u64 = 10;
const ID3_OLD_BYTES: u64 = 128;

/// Length of the head or the foot of a tag of APE.
const APE_HEAD_BYTES: u64 = 32;

/// The ID3 frame that can hold any file.
const ATTACHED: &[u8] = b"GEO";

impl<F: Read + Seek> StructureReader<'_, F> {
    /// Skips the tag at the beginning, if there is one.
    pub(super) fn skip_id3(&mut self) -> StructureResult<()> {
        if self.end < ID3_HEAD_BYTES {
            return Ok(());
        }
        let [i, d, three, version, _, flags, size @ ..] = self.bytes::<10>()?;
        if [i, d, three] != *b"ID3" {
            return self.go_to(0);
        }
        let bytes = seven_bits(&size).ok_or(StructureFault::Ends)?;
        let start = self.at();
        self.skip_notes(bytes)?;
        self.go_to(start)?;
        let tag = self.piece(bytes)?;
        // Flags mark encodings that writers have long abandoned. The foot of a tag is like a second head.
        let is_plain = flags & !0x10 == 0 && (2..=4).contains(&version);
        if !is_plain {
            return Err(StructureFault::Part("ID3".to_owned()).into());
        }
        check_id3_frames(&tag, version)?;
        if flags & 0x10 != 0 { self.skip_notes(ID3_HEAD_BYTES) } else { Ok(()) }
    }

    /// Skips the tags at the end. `next` has the bytes that follow.
    pub(super) fn skip_last_tags(&mut self) -> StructureResult<()> {
        if self.end - self.at() >= 2 * APE_HEAD_BYTES {
            let start = self.at();
            let head = self.piece(APE_HEAD_BYTES)?;
            let size = head[12..16].try_into().map_or(0, u32::from_le_bytes);
            match head.starts_with(b"APETAGEX") {
                true => self.skip_notes(size.into())?,
                false => self.go_to(start)?,
            }
        }
        if self.end - self.at() == ID3_OLD_BYTES && self.bytes::<3>()? == *b"TAG" {
            return self.skip_notes(ID3_OLD_BYTES - 3);
        }
        self.must_be_at_end()
    }
}

/// Checks the frames: a name, a length, two flags in newer versions, and content; then zeros up to the end.
fn check_id3_frames(tag: &[u8], version: u8) -> StructureResult<()> {
    let (name_bytes, head_bytes) = if version == 2 { (3, 6) } else { (4, 10) };
    let mut rest = tag;
    while rest.first().is_some_and(|byte| *byte != 0) {
        let (head, behind) = rest.split_at_checked(head_bytes).ok_or(StructureFault::Ends)?;
        let (name, size) = head.split_at(name_bytes);
        let bytes = match version {
            4 => seven_bits(&size[..4]),
            3 => Some(size[..4].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))),
            _ => Some(size[..3].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))),
        };
        let is_name = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        if name.starts_with(ATTACHED) {
            return Err(StructureFault::Attached.into());
        }
        if !name.iter().all(is_name) {
            return Err(StructureFault::Part(name_of(name)).into());
        }
        let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let content = bytes.and_then(|bytes| behind.split_at_checked(bytes));
        rest = content.ok_or(StructureFault::Ends)?.1;
    }
    match rest.iter().all(|byte| *byte == 0) {
        true => Ok(()),
        false => Err(StructureFault::Ends.into()),
    }
}

/// Reads a number of four bytes with seven bits each; `None` if an eighth bit is set.
fn seven_bits(bytes: &[u8]) -> Option<u64> {
    let is_number = bytes.iter().all(|byte| *byte < 0x80);
    is_number.then(|| bytes.iter().fold(0, |sum, byte| sum << 7 | u64::from(*byte)))
}
