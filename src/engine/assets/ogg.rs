//! Pages of Ogg: each belongs to a stream of a known codec, has its checksum, and every stream has a beginning and an end.

use std::{
    collections::BTreeMap,
    io::{Read, Seek},
};

use super::structure::{StructureFault, StructureReader, StructureResult, name_of};

/// The first bytes of a stream's first packet, for each known codec.
const CODECS: [&[u8]; 8] = [
    b"\x01vorbis",
    b"OpusHead",
    b"\x80theora",
    b"Speex   ",
    b"\x7fFLAC",
    b"fishead\0",
    b"BBCD\0",
    b"OVP80",
];

/// Most streams of a file: sound, picture, indexes, and further parts of a recording.
const OGG_STREAMS_MAX: usize = 64;

const PAGE_HEAD_BYTES: u64 = 27;
const FIRST_PAGE: u8 = 2;
const LAST_PAGE: u8 = 4;

impl<F: Read + Seek> StructureReader<'_, F> {
    pub(super) fn walk_ogg(&mut self) -> StructureResult<()> {
        // Maps serial numbers to whether the stream goes on.
        let mut streams: BTreeMap<[u8; 4], bool> = BTreeMap::new();
        while !self.is_at_end() {
            let mut page = self.piece(PAGE_HEAD_BYTES)?;
            if !page.starts_with(b"OggS\0") {
                return Err(StructureFault::Ends.into());
            }
            let segments = self.piece(page[26].into())?;
            let length = segments.iter().map(|segment| u64::from(*segment)).sum();
            let content = self.piece(length)?;
            let (kind, serial) = (page[5], [page[14], page[15], page[16], page[17]]);
            let checksum = page.splice(22..26, [0; 4]).collect::<Vec<u8>>();
            let bytes = page.iter().chain(&segments).chain(&content);
            if bytes.fold(0, |sum, byte| crc32(sum, *byte)).to_le_bytes() != *checksum {
                return Err(StructureFault::Ends.into());
            }
            let is_first = kind & FIRST_PAGE != 0;
            if is_first && !CODECS.iter().any(|codec| content.starts_with(codec)) {
                let name = name_of(&content[..content.len().min(8)]);
                return Err(StructureFault::Part(name).into());
            }
            let goes_on = kind & LAST_PAGE == 0;
            let is_known = match streams.insert(serial, goes_on) {
                None => is_first,
                Some(went_on) => went_on && !is_first,
            };
            if !is_known || streams.len() > OGG_STREAMS_MAX {
                return Err(StructureFault::Ends.into());
            }
        }
        match !streams.is_empty() && streams.values().all(|goes_on| !goes_on) {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }
}

fn crc32(sum: u32, byte: u8) -> u32 {
    sum << 8 ^ CRC32[usize::from((sum >> 24) as u8 ^ byte)]
}

static CRC32: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = (at as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 0x8000_0000 == 0 { sum << 1 } else { sum << 1 ^ 0x04c1_1db7 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};
