//! Checks that a binary file is whole: it has its parts up to its end, and nothing follows. So a picture that was cut off
//! is not kept, and neither is one with a page of HTML or an archive behind it.
//!
//! Reads the lengths that a format has in its headers, and skips what they span. Decodes nothing.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// How the end of a format is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    /// The format has no length of its own.
    Unchecked,
    /// Chunks up to `IEND`.
    Png,
    /// Segments, then coded data up to `EOI`.
    Jpeg,
    /// Blocks up to the trailer.
    Gif,
    /// Its header has the length of the file.
    Bmp,
    /// `RIFF` and a length that the rest of the file has.
    Riff,
    /// `FORM` and a length that the rest of the file has.
    Form,
    /// Boxes of ISO media, one after the other.
    Boxes,
    /// Pages, one after the other.
    Ogg,
    /// Chunks, one after the other.
    Midi,
    /// Tables within the file.
    Sfnt,
    /// Its header has the length of the file.
    Woff,
    /// `%%EOF` near the end.
    Pdf,
    /// The end of a directory at the end.
    Zip,
}

/// How far before the end of a file the last line of a PDF may be.
const PDF_TAIL_BYTES: u64 = 1 << 10;

/// Length of the end of a ZIP's directory without a comment.
const ZIP_END_BYTES: u64 = 22;

/// Most tables of a font.
const FONT_TABLES_MAX: u16 = 256;

impl Structure {
    /// Returns true if the file ends where its format says. An unexpected end is an answer, not an error.
    pub(super) fn is_whole(self, from: &mut (impl Read + Seek)) -> io::Result<bool> {
        let end = from.seek(SeekFrom::End(0))?;
        from.seek(SeekFrom::Start(0))?;
        let mut file = StructureReader { from, end };
        let whole = match self {
            Structure::Unchecked => Ok(true),
            Structure::Png => file.is_whole_png(),
            Structure::Jpeg => file.is_whole_jpeg(),
            Structure::Gif => file.is_whole_gif(),
            Structure::Bmp => file.has_length_at(2, false, 0),
            Structure::Riff => file.has_length_at(4, false, 8),
            Structure::Form => file.has_length_at(4, true, 8),
            Structure::Boxes => file.is_whole_boxes(),
            Structure::Ogg => file.is_whole_ogg(),
            Structure::Midi => file.is_whole_midi(),
            Structure::Sfnt => file.is_whole_sfnt(),
            Structure::Woff => file.has_length_at(8, true, 0),
            Structure::Pdf => file.ends_with_pdf_mark(),
            Structure::Zip => file.ends_with_zip_directory(),
        };
        match whole {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            whole => whole,
        }
    }
}

struct StructureReader<'a, F> {
    from: &'a mut F,
    end: u64,
}

impl<F: Read + Seek> StructureReader<'_, F> {
    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn number(&mut self) -> io::Result<u64> {
        self.bytes().map(|bytes| u32::from_be_bytes(bytes).into())
    }

    fn at(&mut self) -> io::Result<u64> {
        self.from.stream_position()
    }

    /// An unexpected end if there is not as much.
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let to = self.at()?.checked_add(bytes).filter(|to| *to <= self.end);
        self.from.seek(SeekFrom::Start(to.ok_or(ErrorKind::UnexpectedEof)?))?;
        Ok(())
    }

    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.at()? == self.end)
    }

    /// The number at `at` and `more` bytes are the length of the file, or one more: RIFF pads to an even length.
    fn has_length_at(&mut self, at: u64, is_big_endian: bool, more: u64) -> io::Result<bool> {
        self.skip(at)?;
        let bytes = self.bytes()?;
        let length = match is_big_endian {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        };
        let length = u64::from(length) + more;
        Ok(length == self.end || (more > 0 && length % 2 == 1 && length + 1 == self.end))
    }

    fn is_whole_png(&mut self) -> io::Result<bool> {
        self.skip(8)?;
        loop {
            let length = self.number()?;
            let name: [u8; 4] = self.bytes()?;
            // The data and its checksum.
            self.skip(length + 4)?;
            if &name == b"IEND" {
                return self.is_at_end();
            }
        }
    }

    fn is_whole_jpeg(&mut self) -> io::Result<bool> {
        self.skip(2)?;
        loop {
            if self.byte()? != 0xff {
                return Ok(false);
            }
            match self.jpeg_marker()? {
                0xd9 => return self.is_at_end(),
                // Markers without a segment.
                0x01 | 0xd0..=0xd7 => {}
                marker => {
                    let length = u16::from_be_bytes(self.bytes()?);
                    let Some(rest) = length.checked_sub(2) else { return Ok(false) };
                    self.skip(rest.into())?;
                    if marker == 0xda {
                        self.skip_coded_data()?;
                    }
                }
            }
        }
    }

    /// The byte after `0xff`, which may be repeated.
    fn jpeg_marker(&mut self) -> io::Result<u8> {
        loop {
            match self.byte()? {
                0xff => {}
                marker => return Ok(marker),
            }
        }
    }

    /// Goes to the marker that ends the coded data of a JPEG.
    fn skip_coded_data(&mut self) -> io::Result<()> {
        let mut piece = vec![0; 8 << 10];
        let mut last_was_ff = false;
        loop {
            let start = self.at()?;
            let read = self.from.read(&mut piece)?;
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            for (at, byte) in piece[..read].iter().enumerate() {
                // After 0xff: 0 is data, 0xff is padding, 0xd0 to 0xd7 stand between pieces of data.
                if last_was_ff && !matches!(byte, 0 | 0xff | 0xd0..=0xd7) {
                    self.from.seek(SeekFrom::Start(start + at as u64 - 1))?;
                    return Ok(());
                }
                last_was_ff = *byte == 0xff;
            }
        }
    }

    fn is_whole_gif(&mut self) -> io::Result<bool> {
        self.skip(6 + 4)?;
        let flags = self.byte()?;
        self.skip(2)?;
        self.skip_gif_colours(flags)?;
        loop {
            match self.byte()? {
                0x3b => return self.is_at_end(),
                // An extension: its label, then blocks.
                0x21 => self.skip(1)?,
                // An image: its place and size, its colours, the size of a code, then blocks.
                0x2c => {
                    self.skip(8)?;
                    let flags = self.byte()?;
                    self.skip_gif_colours(flags)?;
                    self.skip(1)?;
                }
                _ => return Ok(false),
            }
            loop {
                match self.byte()? {
                    0 => break,
                    length => self.skip(length.into())?,
                }
            }
        }
    }

    fn skip_gif_colours(&mut self, flags: u8) -> io::Result<()> {
        match flags & 0x80 {
            0 => Ok(()),
            _ => self.skip(3 << ((flags & 7) + 1)),
        }
    }

    fn is_whole_boxes(&mut self) -> io::Result<bool> {
        while !self.is_at_end()? {
            let length = self.number()?;
            self.skip(4)?;
            let rest = match length {
                // The last box reaches to the end, so nothing can follow it.
                0 => return Ok(true),
                1 => u64::from_be_bytes(self.bytes()?).checked_sub(16),
                length => length.checked_sub(8),
            };
            let Some(rest) = rest else { return Ok(false) };
            self.skip(rest)?;
        }
        Ok(true)
    }

    fn is_whole_ogg(&mut self) -> io::Result<bool> {
        while !self.is_at_end()? {
            if &self.bytes::<4>()? != b"OggS" {
                return Ok(false);
            }
            self.skip(22)?;
            let segments = self.byte()?;
            let mut length = 0;
            for _ in 0..segments {
                length += u64::from(self.byte()?);
            }
            self.skip(length)?;
        }
        Ok(true)
    }

    fn is_whole_midi(&mut self) -> io::Result<bool> {
        while !self.is_at_end()? {
            if !matches!(&self.bytes::<4>()?, b"MThd" | b"MTrk") {
                return Ok(false);
            }
            let length = self.number()?;
            self.skip(length)?;
        }
        Ok(true)
    }

    /// Each table lies within the file, and the last ends where the file does, give or take the padding.
    fn is_whole_sfnt(&mut self) -> io::Result<bool> {
        self.skip(4)?;
        let tables = u16::from_be_bytes(self.bytes()?);
        if tables > FONT_TABLES_MAX {
            return Ok(false);
        }
        self.skip(6)?;
        let mut end = 12 + 16 * u64::from(tables);
        for _ in 0..tables {
            self.skip(8)?;
            let (at, length) = (self.number()?, self.number()?);
            end = end.max(at + length);
        }
        Ok((end..end + 4).contains(&self.end))
    }

    fn ends_with_pdf_mark(&mut self) -> io::Result<bool> {
        let tail = self.tail(PDF_TAIL_BYTES)?;
        let mark = tail.windows(5).rposition(|window| window == b"%%EOF");
        Ok(mark.is_some_and(|at| tail[at + 5..].iter().all(u8::is_ascii_whitespace)))
    }

    fn ends_with_zip_directory(&mut self) -> io::Result<bool> {
        let tail = self.tail(ZIP_END_BYTES)?;
        // The last two bytes are the length of a comment, which would follow.
        Ok(tail.len() as u64 == ZIP_END_BYTES
            && tail.starts_with(b"PK\x05\x06")
            && tail.ends_with(&[0, 0]))
    }

    fn tail(&mut self, bytes: u64) -> io::Result<Vec<u8>> {
        let mut tail = Vec::new();
        self.from.seek(SeekFrom::Start(self.end.saturating_sub(bytes)))?;
        self.from.by_ref().take(bytes).read_to_end(&mut tail)?;
        Ok(tail)
    }
}
