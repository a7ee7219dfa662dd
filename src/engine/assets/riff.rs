//! Chunks of RIFF (WAV, AVI, WebP) and of AIFF: a name, a length and content, padded to an even length. A chunk is kept
//! only if players know it and the lengths add up.

use std::io::{Read, Seek};

use super::structure::{RiffForm, StructureFault, StructureReader, StructureResult, name_of};

/// The rules for the chunks of a form or a list.
struct ChunkRules {
    /// Chunks with content that is heard or seen, or that leads to it.
    media: &'static [&'static [u8; 4]],
    /// Chunks with text for people, covers or padding.
    notes: &'static [&'static [u8; 4]],
    /// At least one of these must be there.
    needs: &'static [&'static [u8; 4]],
}

const WAV: ChunkRules = ChunkRules {
    media: &[b"fmt ", b"data", b"fact"],
    notes: &[
        b"bext", b"cue ", b"plst", b"smpl", b"inst", b"acid", b"PEAK", b"JUNK", b"junk", b"PAD ",
        b"FLLR", b"id3 ", b"ID3 ", b"iXML", b"axml", b"chna", b"cart", b"levl", b"_PMX", b"MD5 ",
        b"DISP", b"strc", b"umid", b"LGWV",
    ],
    needs: &[b"data"],
};

const AVI: ChunkRules = ChunkRules { media: &[b"idx1"], notes: &[b"JUNK"], needs: &[b"LIST"] };

const WEBP: ChunkRules = ChunkRules {
    media: &[b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP"],
    notes: &[b"EXIF", b"XMP "],
    needs: &[b"VP8 ", b"VP8L", b"ANMF"],
};

const AIFF: ChunkRules = ChunkRules {
    media: &[b"COMM", b"SSND", b"FVER"],
    notes: &[
        b"MARK", b"INST", b"COMT", b"NAME", b"AUTH", b"(c) ", b"ANNO", b"MIDI", b"AESD", b"ID3 ",
        b"CHAN", b"PEAK", b"FLLR", b"basc", b"trns", b"cate",
    ],
    needs: &[b"SSND"],
};

/// Lists of WAV and AVI within their forms.
const HEADERS: ChunkRules =
    ChunkRules { media: &[b"avih", b"dmlh"], notes: &[b"JUNK", b"vprp"], needs: &[] };
const STREAM: ChunkRules = ChunkRules {
    media: &[b"strh", b"strf", b"indx"],
    notes: &[b"strd", b"strn", b"vprp", b"JUNK"],
    needs: &[b"strh"],
};
const LABELS: ChunkRules =
    ChunkRules { media: &[], notes: &[b"labl", b"note", b"ltxt"], needs: &[] };

/// Lists within lists: streams within headers, records within a film.
const LISTS_DEEP_MAX: usize = 3;

impl RiffForm {
    fn rules(self) -> &'static ChunkRules {
        match self {
            RiffForm::Wav => &WAV,
            RiffForm::Avi => &AVI,
            RiffForm::WebP => &WEBP,
            RiffForm::Aiff => &AIFF,
        }
    }

    /// Returns true if this is the name of the form. AVI continues in further forms with another name.
    fn is_form(self, name: &[u8; 4], is_first: bool) -> bool {
        match self {
            RiffForm::Wav => is_first && name == b"WAVE",
            RiffForm::WebP => is_first && name == b"WEBP",
            RiffForm::Aiff => is_first && name == b"AIFF",
            RiffForm::Avi => name == if is_first { b"AVI " } else { b"AVIX" },
        }
    }
}

/// A chunk whose name and length have been read.
struct Chunk {
    name: [u8; 4],
    end: u64,
}

impl<F: Read + Seek> StructureReader<'_, F> {
    pub(super) fn walk_riff(&mut self, form: RiffForm) -> StructureResult<()> {
        let mut is_first = true;
        while !self.is_at_end() {
            let chunk = self.chunk(form, self.end)?;
            let name = self.bytes()?;
            let is_riff = &chunk.name == if form == RiffForm::Aiff { b"FORM" } else { b"RIFF" };
            if !is_riff || !form.is_form(&name, is_first) {
                return Err(StructureFault::Ends.into());
            }
            self.walk_chunks(form, form.rules(), chunk.end, 0)?;
            self.pad(self.end)?;
            is_first = false;
        }
        Ok(())
    }

    /// Reads the head of the next chunk, which must lie before `end`.
    fn chunk(&mut self, form: RiffForm, end: u64) -> StructureResult<Chunk> {
        let name = self.bytes()?;
        let length = match form {
            RiffForm::Aiff => u32::from_be_bytes(self.bytes()?),
            _ => u32::from_le_bytes(self.bytes()?),
        };
        let chunk = Chunk { name, end: self.at() + u64::from(length) };
        if chunk.end > end {
            return Err(StructureFault::Ends.into());
        }
        Ok(chunk)
    }

    /// Skips the byte after a chunk of odd length. Some writers omit it at the end.
    fn pad(&mut self, end: u64) -> StructureResult<()> {
        if self.at() % 2 == 1 && self.at() < end { self.skip(1) } else { Ok(()) }
    }

    fn walk_chunks(
        &mut self,
        form: RiffForm,
        rules: &ChunkRules,
        end: u64,
        depth: usize,
    ) -> StructureResult<()> {
        let mut has_needed = rules.needs.is_empty();
        while self.at() < end {
            let chunk = self.chunk(form, end)?;
            let length = chunk.end - self.at();
            match &chunk.name {
                b"LIST" if form != RiffForm::Aiff => self.walk_list(form, chunk.end, depth)?,
                name if rules.media.contains(&name) => self.skip(length)?,
                name if rules.notes.contains(&name) => self.skip_notes(length)?,
                name => return Err(StructureFault::Part(name_of(name)).into()),
            }
            has_needed |= rules.needs.contains(&&chunk.name);
            self.pad(end)?;
        }
        match has_needed && self.at() == end {
            true => Ok(()),
            false => Err(StructureFault::Ends.into()),
        }
    }

    fn walk_list(&mut self, form: RiffForm, end: u64, depth: usize) -> StructureResult<()> {
        let name: [u8; 4] = self.bytes()?;
        if self.at() > end || depth == LISTS_DEEP_MAX {
            return Err(StructureFault::Ends.into());
        }
        let rules = match (form, &name) {
            (RiffForm::Wav | RiffForm::Avi, b"INFO") => {
                return self.skip_notes(end - self.at());
            }
            (RiffForm::Wav, b"adtl") => &LABELS,
            (RiffForm::Avi, b"hdrl" | b"odml") => &HEADERS,
            (RiffForm::Avi, b"strl") => &STREAM,
            (RiffForm::Avi, b"movi" | b"rec ") => return self.walk_film(end, depth),
            _ => return Err(StructureFault::Part(name_of(&name)).into()),
        };
        self.walk_chunks(form, rules, end, depth + 1)
    }

    /// Walks the pieces of the streams, each named by two digits and two letters, with indexes and padding between
    /// them.
    fn walk_film(&mut self, end: u64, depth: usize) -> StructureResult<()> {
        while self.at() < end {
            let chunk = self.chunk(RiffForm::Avi, end)?;
            let length = chunk.end - self.at();
            match &chunk.name {
                b"LIST" => self.walk_list(RiffForm::Avi, chunk.end, depth + 1)?,
                b"JUNK" => self.skip_notes(length)?,
                [b'i', b'x', rest @ ..] | [rest @ .., _, _]
                    if rest.iter().all(u8::is_ascii_hexdigit) =>
                {
                    self.skip(length)?;
                }
                name => return Err(StructureFault::Part(name_of(name)).into()),
            }
            self.pad(end)?;
        }
        Ok(())
    }
}
