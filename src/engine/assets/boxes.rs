//! Boxes of ISO media (MP4, M4A, MOV, AVIF, HEIF): a length, a name and content. A top-level box is kept only if
//! players know it. In a film, a box that holds boxes holds nothing else, and all content is in this file.

use std::io::{Read, Seek};

use super::structure::{BoxKind, StructureFault, StructureReader, StructureResult, name_of};

/// Top-level boxes with content that is heard or seen, or that leads to it.
const MEDIA: [&[u8; 4]; 13] = [
    b"ftyp", b"mdat", b"moov", b"meta", b"moof", b"mfra", b"sidx", b"ssix", b"styp", b"prft",
    b"pdin", b"emsg", b"wide",
];

/// Boxes with text for people, or with padding.
const NOTES: [&[u8; 4]; 4] = [b"free", b"skip", b"uuid", b"udta"];

/// Boxes that hold boxes.
const HOLDERS: [&[u8; 4]; 11] = [
    b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"mvex", b"moof", b"traf", b"mfra",
    b"dinf",
];

/// Inner boxes whose only use is to refer to another file, or to hide their content.
const REFUSED: [&[u8; 4]; 4] = [b"rmra", b"rdrf", b"cmov", b"mdat"];

/// Deepest nesting of boxes.
const BOXES_DEEP_MAX: usize = 8;

/// Most entries in the list of files that hold the content.
const SOURCES_MAX: u64 = 256;

/// The flag of an entry whose content is in this file.
const IN_THIS_FILE: u8 = 1;

/// A box whose length and name have been read.
struct MediaBox {
    name: [u8; 4],
    end: u64,
}

impl<F: Read + Seek> StructureReader<'_, F> {
    pub(super) fn walk_boxes(&mut self, kind: BoxKind) -> StructureResult<()> {
        let needed: &[&[u8; 4]] = match kind {
            BoxKind::Picture => &[b"ftyp", b"meta"],
            BoxKind::Film => &[b"moov"],
        };
        let mut seen: Vec<[u8; 4]> = Vec::new();
        while !self.is_at_end() {
            let is_first = self.at() == 0;
            let inner = self.media_box(self.end)?;
            let (name, rest) = (inner.name, inner.end - self.at());
            // Each of these comes once, and `ftyp` comes first.
            let comes_once = [b"ftyp", b"moov", b"meta"].contains(&&name);
            if comes_once && seen.contains(&name) || &name == b"ftyp" && !is_first {
                return Err(StructureFault::Part(name_of(&name)).into());
            }
            match &name {
                name if HOLDERS.contains(&name) => self.walk_holder(inner.end, 1)?,
                name if NOTES.contains(&name) => self.skip_notes(rest)?,
                b"meta" if kind == BoxKind::Film => self.skip_notes(rest)?,
                name if MEDIA.contains(&name) => self.skip(rest)?,
                name => return Err(StructureFault::Part(name_of(name)).into()),
            }
            if comes_once {
                seen.push(name);
            }
        }
        match needed.iter().all(|name| seen.contains(name)) {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    /// Reads the head of the next box, which must lie before `end`.
    fn media_box(&mut self, end: u64) -> StructureResult<MediaBox> {
        let start = self.at();
        let length = self.number()?;
        let name = self.bytes()?;
        let length = match length {
            // The content of a film may reach to the end of the file.
            0 if &name == b"mdat" && end == self.end => end - start,
            1 => u64::from_be_bytes(self.bytes()?),
            length => length,
        };
        match start.checked_add(length).filter(|to| (self.at()..=end).contains(to)) {
            Some(end) => Ok(MediaBox { name, end }),
            None => Err(StructureFault::Ends.into()),
        }
    }

    fn walk_holder(&mut self, end: u64, depth: usize) -> StructureResult<()> {
        if depth > BOXES_DEEP_MAX {
            return Err(StructureFault::Ends.into());
        }
        while self.at() < end {
            let inner = self.media_box(end)?;
            let rest = inner.end - self.at();
            match &inner.name {
                b"dref" => self.walk_sources(inner.end)?,
                b"udta" | b"meta" | b"free" | b"skip" | b"uuid" => self.skip_notes(rest)?,
                name if HOLDERS.contains(&name) => self.walk_holder(inner.end, depth + 1)?,
                name if REFUSED.contains(&name) => {
                    return Err(StructureFault::Part(name_of(name)).into());
                }
                _ => self.skip(rest)?,
            }
        }
        match self.at() == end {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    /// Checks the list of files that hold the content of a track: it may name only this one.
    fn walk_sources(&mut self, end: u64) -> StructureResult<()> {
        self.skip(4)?;
        let count = self.number()?;
        if count > SOURCES_MAX {
            return Err(StructureFault::Elsewhere.into());
        }
        for _ in 0..count {
            let source = self.media_box(end)?;
            let [.., flags] = self.bytes::<4>()?;
            if flags & IN_THIS_FILE == 0 {
                return Err(StructureFault::Elsewhere.into());
            }
            if self.at() > source.end {
                return Err(StructureFault::Ends.into());
            }
            self.go_to(source.end)?;
        }
        match self.at() == end {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }
}
