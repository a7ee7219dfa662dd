//! PNG pictures as lists of chunks: which texts are in them, and the same picture with other texts. Knows nothing of cards.
//!
//! A picture that is read and written again has the same bytes. Pixels are not decoded, but the sum of each chunk is
//! checked.

use std::io::Read;

use flate2::{Compression, Crc, read::ZlibDecoder, write::ZlibEncoder};

use crate::{
    CardProblem, PNG_CHUNKS_MAX, PNG_TEXT_BYTES_MAX, UNPACKED_RATIO_MAX,
    limits::UNPACKED_FREE_BYTES,
};

/// The first bytes of each PNG file.
pub(crate) const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

const TEXT_KINDS: [&[u8; 4]; 3] = [b"tEXt", b"zTXt", b"iTXt"];

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PngPicture {
    chunks: Vec<PngChunk>,
    /// The bytes that follow the last chunk.
    trailer: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PngChunk {
    kind: [u8; 4],
    data: Vec<u8>,
}

/// A text of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PngText {
    /// `tEXt`, `zTXt` or `iTXt`.
    pub chunk: String,
    /// Its name.
    pub keyword: String,
    /// Its bytes, unpacked.
    pub text: Vec<u8>,
}

/// Unpacked bytes so far.
pub(crate) struct UnpackBudget {
    left: usize,
    limit: usize,
}

impl UnpackBudget {
    pub(crate) fn new(limit: usize) -> UnpackBudget {
        UnpackBudget { left: limit, limit }
    }

    /// Reads all of a stream that unpacks `packed` bytes.
    pub(crate) fn read(
        &mut self,
        stream: impl Read,
        packed: usize,
        at: &str,
    ) -> Result<Vec<u8>, Result<CardProblem, std::io::Error>> {
        let ratio = packed.saturating_mul(UNPACKED_RATIO_MAX).max(UNPACKED_FREE_BYTES);
        let limit = ratio.min(self.left);
        let mut unpacked = Vec::new();
        stream.take(limit as u64 + 1).read_to_end(&mut unpacked).map_err(Err)?;
        if unpacked.len() > limit {
            let limit = if limit == self.left { self.limit } else { limit };
            return Err(Ok(CardProblem::TooMuchUnpacked { limit, at: Some(at.to_owned()) }));
        }
        self.left -= unpacked.len();
        Ok(unpacked)
    }
}

impl PngPicture {
    /// Reads a picture.
    pub fn parse(bytes: &[u8]) -> Result<PngPicture, CardProblem> {
        let broken = |what: String| CardProblem::Png(what);
        let Some(mut rest) = bytes.strip_prefix(PNG_SIGNATURE) else {
            return Err(broken("its first bytes are those of another kind of file".to_owned()));
        };
        let mut chunks = Vec::new();
        loop {
            let offset = bytes.len() - rest.len();
            let Some((length, after)) = rest.split_first_chunk::<4>() else {
                return Err(broken(format!("it ends at byte {offset}, before its chunk `IEND`")));
            };
            let Some((kind, after)) = after.split_first_chunk::<4>() else {
                return Err(broken(format!("it ends at byte {offset}, in the head of a chunk")));
            };
            let name = kind_name(kind);
            let length = u32::from_be_bytes(*length) as usize;
            if after.len() < length.saturating_add(4) {
                return Err(broken(format!(
                    "its chunk `{name}` at byte {offset} has {length} bytes, and only {} follow",
                    after.len().saturating_sub(4)
                )));
            }
            let (data, after) = after.split_at(length);
            let Some((sum, after)) = after.split_first_chunk::<4>() else {
                return Err(broken(format!("it ends in its chunk `{name}`")));
            };
            if u32::from_be_bytes(*sum) != check_sum(kind, data) {
                return Err(broken(format!(
                    "the check sum of its chunk `{name}` at byte {offset} is wrong, so the file was damaged or changed by hand"
                )));
            }
            chunks.push(PngChunk { kind: *kind, data: data.to_vec() });
            if chunks.len() > PNG_CHUNKS_MAX {
                let (count, what, limit) = (chunks.len(), "chunks or more", PNG_CHUNKS_MAX);
                return Err(CardProblem::TooMany { count, what, limit });
            }
            rest = after;
            if kind == b"IEND" {
                return Ok(PngPicture { chunks, trailer: rest.to_vec() });
            }
        }
    }

    /// The texts whose names `wanted` accepts, in their order, and the names of all texts.
    pub fn texts(
        &self,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<(Vec<PngText>, Vec<String>), CardProblem> {
        let (mut texts, mut names) = (Vec::new(), Vec::new());
        let mut budget = UnpackBudget::new(PNG_TEXT_BYTES_MAX);
        for chunk in self.chunks.iter().filter(|chunk| chunk.is_text()) {
            let Some(keyword) = chunk.keyword() else { continue };
            if wanted(&keyword) {
                let text = chunk.unpack(&keyword, &mut budget)?;
                texts.push(PngText { chunk: kind_name(&chunk.kind), keyword, text });
            } else {
                names.push(keyword);
            }
        }
        Ok((texts, names))
    }

    /// The picture without the texts whose names `unwanted` accepts.
    pub fn without_texts(&self, unwanted: impl Fn(&str) -> bool) -> PngPicture {
        let stays = |chunk: &&PngChunk| {
            !chunk.is_text() || chunk.keyword().is_none_or(|keyword| !unwanted(&keyword))
        };
        let chunks = self.chunks.iter().filter(stays).cloned().collect();
        PngPicture { chunks, trailer: self.trailer.clone() }
    }

    /// Adds a text before the end of the picture, as `tEXt`. A keyword is at most 79 bytes of Latin-1 and the text
    /// has no NUL.
    pub fn add_text(&mut self, keyword: &str, text: &str) {
        let mut data = keyword.as_bytes().to_vec();
        data.push(0);
        data.extend_from_slice(text.as_bytes());
        self.insert(PngChunk { kind: *b"tEXt", data });
    }

    fn insert(&mut self, chunk: PngChunk) {
        let end = self.chunks.iter().rposition(|chunk| &chunk.kind == b"IEND");
        let end = end.unwrap_or(self.chunks.len());
        self.chunks.insert(end, chunk);
    }

    /// The file.
    pub fn write(&self) -> Vec<u8> {
        let mut file = PNG_SIGNATURE.to_vec();
        for PngChunk { kind, data } in &self.chunks {
            // Both readers and writers bound a file far below 4 GiB.
            file.extend_from_slice(&(data.len() as u32).to_be_bytes());
            file.extend_from_slice(kind);
            file.extend_from_slice(data);
            file.extend_from_slice(&check_sum(kind, data).to_be_bytes());
        }
        file.extend_from_slice(&self.trailer);
        file
    }

    /// A plain picture for a card that has none: 64 by 96 pixels of one colour.
    pub fn plain() -> PngPicture {
        const WIDTH: u32 = 64;
        const HEIGHT: u32 = 96;
        let mut head = Vec::new();
        head.extend_from_slice(&WIDTH.to_be_bytes());
        head.extend_from_slice(&HEIGHT.to_be_bytes());
        // Eight bits of grey, the only methods there are, not interlaced.
        head.extend_from_slice(&[8, 0, 0, 0, 0]);
        let mut lines = Vec::new();
        for _ in 0..HEIGHT {
            lines.push(0);
            lines.resize(lines.len() + WIDTH as usize, 0x80);
        }
        let chunk = |kind: &[u8; 4], data: Vec<u8>| PngChunk { kind: *kind, data };
        let chunks =
            vec![chunk(b"IHDR", head), chunk(b"IDAT", pack(&lines)), chunk(b"IEND", Vec::new())];
        PngPicture { chunks, trailer: Vec::new() }
    }
}

impl PngChunk {
    fn is_text(&self) -> bool {
        TEXT_KINDS.contains(&&self.kind)
    }

    fn keyword(&self) -> Option<String> {
        let end = self.data.iter().position(|byte| *byte == 0)?;
        // Latin-1: each byte is its character.
        Some(self.data[..end].iter().map(|byte| char::from(*byte)).collect())
    }

    fn unpack(&self, keyword: &str, budget: &mut UnpackBudget) -> Result<Vec<u8>, CardProblem> {
        let fault = |what: &str| CardProblem::PngText {
            chunk: kind_name(&self.kind),
            keyword: keyword.to_owned(),
            what: what.to_owned(),
        };
        let body = self.data.splitn(2, |byte| *byte == 0).nth(1).unwrap_or_default();
        let packed = match &self.kind {
            b"tEXt" => {
                return budget.read(body, body.len(), keyword).map_err(|error| match error {
                    Ok(problem) => problem,
                    Err(error) => fault(&error.to_string()),
                });
            }
            b"zTXt" => match body.split_first() {
                Some((0, packed)) => packed,
                _ => return Err(fault("its compression method is not 0, the only one there is")),
            },
            _ => {
                let Some((&[flag, method], rest)) = body.split_first_chunk::<2>() else {
                    return Err(fault("it ends before its text"));
                };
                // The language and the translated keyword.
                let Some(text) = rest.splitn(3, |byte| *byte == 0).nth(2) else {
                    return Err(fault("it ends before its text"));
                };
                match (flag, method) {
                    (0, _) => {
                        return budget.read(text, text.len(), keyword).map_err(
                            |error| match error {
                                Ok(problem) => problem,
                                Err(error) => fault(&error.to_string()),
                            },
                        );
                    }
                    (1, 0) => text,
                    _ => return Err(fault("its compression is none that PNG knows")),
                }
            }
        };
        budget.read(ZlibDecoder::new(packed), packed.len(), keyword).map_err(|error| match error {
            Ok(problem) => problem,
            Err(error) => fault(&format!("its compressed data is broken ({error})")),
        })
    }
}

/// The zlib stream of some bytes.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}

fn check_sum(kind: &[u8; 4], data: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(data);
    sum.sum()
}

fn kind_name(kind: &[u8; 4]) -> String {
    kind.iter().map(|byte| char::from(*byte)).flat_map(char::escape_default).collect()
}
