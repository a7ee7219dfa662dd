//! Checks that a binary file is complete and nothing else: its parts reach to its end, nothing follows, and no other
//! program finds a file of its own in it. So a truncated picture is not kept, nor is one with an archive behind it.
//!
//! Reads the lengths in the headers of a format, and skips the data that they span. Decodes nothing: samples and pixels
//! may be anything.

use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

use thiserror::Error;

/// How the end of each format is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Structure {
    /// Chunks up to `IEND`.
    Png,
    /// Segments, then coded data up to `EOI`.
    Jpeg,
    /// Blocks up to the trailer.
    Gif,
    /// Its header has the length of the file.
    Bmp,
    /// Chunks of RIFF, or of AIFF, which is older.
    Riff(RiffForm),
    /// Boxes of ISO media, one after the other.
    Boxes(BoxKind),
    /// Elements of EBML.
    Matroska,
    /// Pages, one after the other.
    Ogg,
    /// Blocks of notes, then frames.
    Flac,
    /// A tag, then frames of MPEG layer III.
    Mp3,
    /// Frames of ADTS.
    Aac,
    /// Chunks, one after the other.
    Midi,
    /// Tables within the file.
    Sfnt,
    /// Its header has the length of the file.
    Woff,
    /// `%%EOF` near the end.
    Pdf,
    /// The end of a directory at the end of the file.
    Zip,
}

/// Formats that consist of chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RiffForm {
    Wav,
    Avi,
    WebP,
    Aiff,
}

/// Formats that consist of boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoxKind {
    /// AVIF and HEIF.
    Picture,
    /// Sounds and films.
    Film,
}

/// Most bytes of a sound or a film that are neither heard nor seen: titles, covers, and padding of its writer.
pub const ASSET_NOTES_BYTES_MAX: u64 = 1 << 20;

/// How far before the end of a file the last line of a PDF may begin.
const PDF_TAIL_BYTES: u64 = 1 << 10;

/// Length of the end of a ZIP's directory without a comment.
const ZIP_END_BYTES: u64 = 22;

/// Most tables of a font.
const FONT_TABLES_MAX: u16 = 256;

/// Why the structure of a file is refused. The text is worded to follow "but".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum StructureFault {
    #[error("is cut off, or something follows its end")]
    Ends,
    #[error("has a part `{0}`, which no player needs: write it without that part")]
    Part(String),
    #[error("has a file attached: store that as an asset of its own")]
    Attached,
    #[error(
        "has more than {ASSET_NOTES_BYTES_MAX} bytes of notes, covers and empty room: write it without them"
    )]
    Notes,
    #[error("takes its content from another file: write it into this one")]
    Elsewhere,
    #[error("is {0} for another program: store what is in it as assets of their own")]
    Foreign(&'static str),
}

/// Why a structure could not be read to its end.
#[derive(Debug)]
pub(super) enum StructureEnd {
    Fault(StructureFault),
    Unreadable(io::Error),
}

/// The result of reading a structure.
pub(super) type StructureResult<T> = Result<T, StructureEnd>;

impl From<StructureFault> for StructureEnd {
    fn from(fault: StructureFault) -> StructureEnd {
        StructureEnd::Fault(fault)
    }
}

impl From<io::Error> for StructureEnd {
    /// Makes an unexpected end a fault of the file.
    fn from(error: io::Error) -> StructureEnd {
        match error.kind() {
            ErrorKind::UnexpectedEof => StructureFault::Ends.into(),
            _ => StructureEnd::Unreadable(error),
        }
    }
}

impl Structure {
    /// Returns the fault in the structure of a file, if there is one.
    pub(super) fn fault(self, from: &mut (impl Read + Seek)) -> io::Result<Option<StructureFault>> {
        let end = from.seek(SeekFrom::End(0))?;
        from.seek(SeekFrom::Start(0))?;
        let mut file = StructureReader { from: BufReader::new(from), at: 0, end, notes: 0 };
        match file.walk(self).and_then(|()| file.refuse_foreign(self)) {
            Ok(()) => Ok(None),
            Err(StructureEnd::Fault(fault)) => Ok(Some(fault)),
            Err(StructureEnd::Unreadable(error)) => Err(error),
        }
    }
}

/// A position in a file.
pub(super) struct StructureReader<'a, F> {
    from: BufReader<&'a mut F>,
    at: u64,
    pub(super) end: u64,
    /// Bytes that are neither heard nor seen.
    notes: u64,
}

impl<F: Read + Seek> StructureReader<'_, F> {
    fn walk(&mut self, structure: Structure) -> StructureResult<()> {
        match structure {
            Structure::Png => self.walk_png(),
            Structure::Jpeg => self.walk_jpeg(),
            Structure::Gif => self.walk_gif(),
            Structure::Bmp => self.has_length_at(2, u32::from_le_bytes),
            Structure::Riff(form) => self.walk_riff(form),
            Structure::Boxes(kind) => self.walk_boxes(kind),
            Structure::Matroska => self.walk_matroska(),
            Structure::Ogg => self.walk_ogg(),
            Structure::Flac => self.walk_flac(),
            Structure::Mp3 => self.walk_mp3(),
            Structure::Aac => self.walk_aac(),
            Structure::Midi => self.walk_midi(),
            Structure::Sfnt => self.walk_sfnt(),
            Structure::Woff => self.has_length_at(8, u32::from_be_bytes),
            Structure::Pdf => self.ends_with_pdf_mark(),
            Structure::Zip => self.ends_with_zip_directory(),
        }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> StructureResult<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> StructureResult<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    pub(super) fn number(&mut self) -> StructureResult<u64> {
        self.bytes().map(|bytes| u32::from_be_bytes(bytes).into())
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Reads this many bytes, which must be few because they are held in memory.
    pub(super) fn piece(&mut self, bytes: u64) -> StructureResult<Vec<u8>> {
        let mut piece = Vec::new();
        self.from.by_ref().take(bytes).read_to_end(&mut piece)?;
        self.at += piece.len() as u64;
        match piece.len() as u64 == bytes {
            true => Ok(piece),
            false => Err(StructureFault::Ends.into()),
        }
    }

    /// Skips bytes. Returns a fault if the file has fewer.
    pub(super) fn skip(&mut self, bytes: u64) -> StructureResult<()> {
        let to = self.at.checked_add(bytes).filter(|to| *to <= self.end);
        self.go_to(to.ok_or(StructureFault::Ends)?)
    }

    /// Skips bytes that are neither heard nor seen.
    pub(super) fn skip_notes(&mut self, bytes: u64) -> StructureResult<()> {
        self.notes = self.notes.saturating_add(bytes);
        if self.notes > ASSET_NOTES_BYTES_MAX {
            return Err(StructureFault::Notes.into());
        }
        self.skip(bytes)
    }

    pub(super) fn go_to(&mut self, at: u64) -> StructureResult<()> {
        // The difference fits the type, because no file is longer than half its range.
        self.from.seek_relative(at.wrapping_sub(self.at).cast_signed())?;
        self.at = at;
        Ok(())
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.end
    }

    pub(super) fn must_be_at_end(&self) -> StructureResult<()> {
        match self.is_at_end() {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    /// Checks that the number at `at` is the length of the file.
    fn has_length_at(&mut self, at: u64, number: fn([u8; 4]) -> u32) -> StructureResult<()> {
        self.skip(at)?;
        let length = number(self.bytes()?);
        self.go_to(u64::from(length))?;
        self.must_be_at_end()
    }

    fn walk_midi(&mut self) -> StructureResult<()> {
        let mut tracks = None;
        while !self.is_at_end() {
            let name: [u8; 4] = self.bytes()?;
            let length = self.number()?;
            match (&name, &mut tracks) {
                (b"MThd", None) if length == 6 => {
                    self.skip(2)?;
                    tracks = Some(u16::from_be_bytes(self.bytes()?));
                    self.skip(2)?;
                }
                (b"MTrk", Some(left)) => {
                    *left = left.checked_sub(1).ok_or(StructureFault::Ends)?;
                    self.skip(length)?;
                }
                _ => return Err(StructureFault::Part(name_of(&name)).into()),
            }
        }
        // The header says how many tracks there are.
        match tracks {
            Some(0) => Ok(()),
            _ => Err(StructureFault::Ends.into()),
        }
    }

    /// Checks that each table lies within the file and that the last one ends with the file, apart from padding.
    fn walk_sfnt(&mut self) -> StructureResult<()> {
        self.skip(4)?;
        let tables = u16::from_be_bytes(self.bytes()?);
        if tables > FONT_TABLES_MAX {
            return Err(StructureFault::Ends.into());
        }
        self.skip(6)?;
        let mut end = 12 + 16 * u64::from(tables);
        for _ in 0..tables {
            self.skip(8)?;
            let (at, length) = (self.number()?, self.number()?);
            end = end.max(at + length);
        }
        match (end..end + 4).contains(&self.end) {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    fn ends_with_pdf_mark(&mut self) -> StructureResult<()> {
        let tail = self.tail(PDF_TAIL_BYTES)?;
        let mark = tail.windows(5).rposition(|window| window == b"%%EOF");
        match mark.is_some_and(|at| tail[at + 5..].iter().all(u8::is_ascii_whitespace)) {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    fn ends_with_zip_directory(&mut self) -> StructureResult<()> {
        let tail = self.tail(ZIP_END_BYTES)?;
        // The last two bytes are the length of a comment, which would follow.
        let is_whole = tail.len() as u64 == ZIP_END_BYTES
            && tail.starts_with(b"PK\x05\x06")
            && tail.ends_with(&[0, 0]);
        match is_whole {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    pub(super) fn tail(&mut self, bytes: u64) -> StructureResult<Vec<u8>> {
        self.go_to(self.end.saturating_sub(bytes))?;
        self.piece(self.end - self.at)
    }
}

/// Returns the name of a part for messages.
pub(super) fn name_of(name: &[u8]) -> String {
    name.escape_ascii().to_string()
}
