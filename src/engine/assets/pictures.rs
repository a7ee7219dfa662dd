//! Finds the end of a picture by its own parts: chunks of PNG, segments of JPEG, blocks of GIF.

use std::io::{Read, Seek};

use super::structure::{StructureFault, StructureReader, StructureResult};

/// Bytes of coded data that are searched at a time.
const PIECE_BYTES: u64 = 8 << 10;

impl<F: Read + Seek> StructureReader<'_, F> {
    pub(super) fn walk_png(&mut self) -> StructureResult<()> {
        self.skip(8)?;
        loop {
            let length = self.number()?;
            let name: [u8; 4] = self.bytes()?;
            // The data and its checksum.
            self.skip(length + 4)?;
            if &name == b"IEND" {
                return self.must_be_at_end();
            }
        }
    }

    pub(super) fn walk_jpeg(&mut self) -> StructureResult<()> {
        self.skip(2)?;
        loop {
            if self.byte()? != 0xff {
                return Err(StructureFault::Ends.into());
            }
            match self.jpeg_marker()? {
                0xd9 => return self.must_be_at_end(),
                // Markers without a segment.
                0x01 | 0xd0..=0xd7 => {}
                marker => {
                    let length = u16::from_be_bytes(self.bytes()?);
                    let Some(rest) = length.checked_sub(2) else {
                        return Err(StructureFault::Ends.into());
                    };
                    self.skip(rest.into())?;
                    if marker == 0xda {
                        self.skip_coded_data()?;
                    }
                }
            }
        }
    }

    /// Reads the byte after `0xff`, which may be repeated.
    fn jpeg_marker(&mut self) -> StructureResult<u8> {
        loop {
            match self.byte()? {
                0xff => {}
                marker => return Ok(marker),
            }
        }
    }

    /// Seeks to the marker that ends the coded data of a JPEG.
    fn skip_coded_data(&mut self) -> StructureResult<()> {
        let mut last_was_ff = false;
        loop {
            let start = self.at();
            let piece = self.piece(PIECE_BYTES.min(self.end - start))?;
            if piece.is_empty() {
                return Err(StructureFault::Ends.into());
            }
            for (at, byte) in piece.iter().enumerate() {
                // After 0xff: 0 is data, 0xff is padding, 0xd0 to 0xd7 stand between pieces of data.
                if last_was_ff && !matches!(byte, 0 | 0xff | 0xd0..=0xd7) {
                    return self.go_to(start + at as u64 - 1);
                }
                last_was_ff = *byte == 0xff;
            }
        }
    }

    pub(super) fn walk_gif(&mut self) -> StructureResult<()> {
        self.skip(6 + 4)?;
        let flags = self.byte()?;
        self.skip(2)?;
        self.skip_gif_colours(flags)?;
        loop {
            match self.byte()? {
                0x3b => return self.must_be_at_end(),
                // An extension: its label, then blocks.
                0x21 => self.skip(1)?,
                // An image: its place and size, its colours, the size of a code, then blocks.
                0x2c => {
                    self.skip(8)?;
                    let flags = self.byte()?;
                    self.skip_gif_colours(flags)?;
                    self.skip(1)?;
                }
                _ => return Err(StructureFault::Ends.into()),
            }
            loop {
                match self.byte()? {
                    0 => break,
                    length => self.skip(length.into())?,
                }
            }
        }
    }

    fn skip_gif_colours(&mut self, flags: u8) -> StructureResult<()> {
        match flags & 0x80 {
            0 => Ok(()),
            _ => self.skip(3 << ((flags & 7) + 1)),
        }
    }
}
