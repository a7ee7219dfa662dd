//! Sounds that consist of frames: MP3, AAC and FLAC. A frame of the first two states its length; one of FLAC ends where
//! its checksum matches and the next frame begins.

use std::io::{Read, Seek};

use super::structure::{StructureFault, StructureReader, StructureResult};

/// Kilobits a second of layer III by the number in the head: for MPEG 1, and for MPEG 2 and 2.5.
const MP3_KILOBITS: [[u64; 14]; 2] = [
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/// Samples a second of MPEG 1. MPEG 2 has half as many, MPEG 2.5 a quarter.
const MP3_RATES: [u64; 3] = [44_100, 48_000, 32_000];

/// Blocks of a FLAC before its frames.
const FLAC_INFO: u8 = 0;
const FLAC_PADDING: u8 = 1;
const FLAC_NOTES: [u8; 4] = [3, 4, 5, 6];
const FLAC_INFO_BYTES: u64 = 34;

/// Length of the shortest FLAC frame after its head: a constant with its kind, and the checksum.
const FLAC_FRAME_REST_MIN: usize = 4;

impl<F: Read + Seek> StructureReader<'_, F> {
    pub(super) fn walk_mp3(&mut self) -> StructureResult<()> {
        self.skip_id3()?;
        let mut first = None;
        while self.end - self.at() >= 4 {
            let start = self.at();
            let head = self.bytes()?;
            let Some((kind, length)) = mp3_frame(head) else {
                self.go_to(start)?;
                break;
            };
            // All frames of a sound are of one kind.
            if *first.get_or_insert(kind) != kind {
                return Err(StructureFault::Ends.into());
            }
            self.skip(length - 4)?;
        }
        first.ok_or(StructureFault::Ends)?;
        self.skip_last_tags()
    }

    pub(super) fn walk_aac(&mut self) -> StructureResult<()> {
        let mut first = None;
        while !self.is_at_end() {
            let head: [u8; 7] = self.bytes()?;
            // These bits do not change between frames: the mark, the profile, the rate and the channels.
            let kind = [head[0], head[1], head[2], head[3] & 0xf0];
            let is_head = head[0] == 0xff && head[1] & 0xf6 == 0xf0 && (head[2] >> 2) & 0xf < 13;
            if !is_head || *first.get_or_insert(kind) != kind {
                return Err(StructureFault::Ends.into());
            }
            let length =
                u64::from(head[3] & 3) << 11 | u64::from(head[4]) << 3 | u64::from(head[5] >> 5);
            self.skip(length.checked_sub(7).ok_or(StructureFault::Ends)?)?;
        }
        first.map_or(Err(StructureFault::Ends.into()), |_| Ok(()))
    }

    pub(super) fn walk_flac(&mut self) -> StructureResult<()> {
        self.skip(4)?;
        let mut is_first = true;
        loop {
            let head = self.number()?;
            let (kind, length) = ((head >> 24) as u8 & 0x7f, head & 0xff_ffff);
            match kind {
                FLAC_INFO if is_first && length == FLAC_INFO_BYTES => self.skip(length)?,
                kind if !is_first && (kind == FLAC_PADDING || FLAC_NOTES.contains(&kind)) => {
                    self.skip_notes(length)?;
                }
                kind => return Err(StructureFault::Part(format!("block {kind}")).into()),
            }
            is_first = false;
            if head >> 31 == 1 {
                break;
            }
        }
        let frames = self.piece(self.end - self.at())?;
        match are_flac_frames(&frames) {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }
}

/// Returns the kind and the length of a frame of layer III; `None` if the bytes are no head of one.
fn mp3_frame(head: [u8; 4]) -> Option<([u8; 2], u64)> {
    let version = (head[1] >> 3) & 3;
    let is_layer_3 = (head[1] >> 1) & 3 == 1;
    if head[0] != 0xff || head[1] >> 5 != 7 || version == 1 || !is_layer_3 {
        return None;
    }
    let is_first_version = version == 3;
    let kilobits = MP3_KILOBITS[usize::from(!is_first_version)];
    let kilobits = kilobits.get(usize::from(head[2] >> 4).checked_sub(1)?)?;
    let rate = MP3_RATES.get(usize::from((head[2] >> 2) & 3))?;
    let (rate, factor) = match version {
        3 => (*rate, 144_000),
        2 => (rate / 2, 72_000),
        _ => (rate / 4, 72_000),
    };
    let padding = u64::from((head[2] >> 1) & 1);
    // The bit for a checksum may differ between frames.
    Some(([head[1] | 1, head[2] & 0xc], factor * kilobits / rate + padding))
}

/// Returns true if the bytes are frames of FLAC, one after the other, up to their end.
fn are_flac_frames(bytes: &[u8]) -> bool {
    let Some(mut head) = flac_head_bytes(bytes) else { return false };
    let (mut start, mut checksum) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        checksum = crc16(checksum, *byte);
        let is_long_enough = at + 1 >= start + head + FLAC_FRAME_REST_MIN;
        // The checksum over the content and its own checksum is zero.
        if checksum != 0 || !is_long_enough {
            continue;
        }
        let rest = &bytes[at + 1..];
        if rest.is_empty() {
            return true;
        }
        if let Some(next) = flac_head_bytes(rest) {
            (start, head) = (at + 1, next);
        }
    }
    false
}

/// Returns the length of the head of a frame with its checksum; `None` if the bytes are no head.
fn flac_head_bytes(bytes: &[u8]) -> Option<usize> {
    let [0xff, 0xf8 | 0xf9, sizes, channels, number, ..] = bytes else { return None };
    let is_plain = sizes >> 4 != 0 && sizes & 0xf != 0xf && channels >> 4 < 11 && channels & 1 == 0;
    // The number of the frame is coded as a character in UTF-8 would be.
    let number_bytes = match number.leading_ones() {
        0 => 1,
        ones @ 2..=7 => ones as usize,
        _ => return None,
    };
    let size_bytes = match sizes >> 4 {
        6 => 1,
        7 => 2,
        _ => 0,
    };
    let rate_bytes = match sizes & 0xf {
        12 => 1,
        13 | 14 => 2,
        _ => 0,
    };
    let length = 4 + number_bytes + size_bytes + rate_bytes + 1;
    let checksum = bytes.get(..length)?.iter().fold(0, |sum, byte| crc8(sum, *byte));
    (is_plain && checksum == 0).then_some(length)
}

fn crc8(sum: u8, byte: u8) -> u8 {
    (0..8).fold(sum ^ byte, |sum, _| if sum & 0x80 == 0 { sum << 1 } else { sum << 1 ^ 0x07 })
}

fn crc16(sum: u16, byte: u8) -> u16 {
    sum << 8 ^ CRC16[usize::from((sum >> 8) as u8 ^ byte)]
}

static CRC16: [u16; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut sum = (at as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 0x8000 == 0 { sum << 1 } else { sum << 1 ^ 0x8005 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};
