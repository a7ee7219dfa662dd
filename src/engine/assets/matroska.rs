//! Elements of EBML (WebM and Matroska): an id, a length and content. A top-level element of the film is kept only if
//! players know it. Attached files are refused.

use std::io::{Read, Seek};

use super::structure::{StructureFault, StructureReader, StructureResult};

const EBML: u32 = 0x1a45_dfa3;
const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1f43_b675;
const ATTACHMENTS: u32 = 0x1941_a469;

/// Elements of a segment that lead to its content: an index of its parts, and one of its times.
const LEADING: [u32; 2] = [0x114d_9b74, 0x1c53_bb6b];

/// Elements with names, codecs, chapters, tags, padding and checksums.
const NOTES: [u32; 6] = [0x1549_a966, 0x1654_ae6b, 0x1043_a770, 0x1254_c367, 0xec, 0xbf];

/// Elements of a cluster: its time and position, and blocks.
const BLOCKS: [u32; 7] = [0xe7, 0xa7, 0xab, 0x5854, 0xa3, 0xa0, 0xaf];

/// Longest head of a file. It only names the format.
const HEAD_BYTES_MAX: u64 = 256;

/// An element whose id and length have been read. Without an end, it reaches to the first element that cannot be part
/// of it.
struct EbmlElement {
    id: u32,
    start: u64,
    end: Option<u64>,
}

impl<F: Read + Seek> StructureReader<'_, F> {
    pub(super) fn walk_matroska(&mut self) -> StructureResult<()> {
        let head = self.element(self.end)?;
        let head_end = head.end.filter(|end| head.id == EBML && *end <= HEAD_BYTES_MAX);
        self.go_to(head_end.ok_or(StructureFault::Ends)?)?;
        let segment = self.element(self.end)?;
        if segment.id != SEGMENT {
            return Err(StructureFault::Ends.into());
        }
        let end = segment.end.unwrap_or(self.end);
        let mut has_cluster = false;
        while self.at() < end {
            let element = self.element(end)?;
            match element.id {
                CLUSTER => {
                    has_cluster = true;
                    self.walk_cluster(element.end, end)?;
                }
                ATTACHMENTS => return Err(StructureFault::Attached.into()),
                id if LEADING.contains(&id) => self.skip_element(&element)?,
                id if NOTES.contains(&id) => self.skip_element_as_notes(&element)?,
                id => return Err(StructureFault::Part(format!("{id:x}")).into()),
            }
        }
        match has_cluster {
            true => self.must_be_at_end(),
            false => Err(StructureFault::Ends.into()),
        }
    }

    /// Walks the blocks up to the end; without one, up to the next element of the segment.
    fn walk_cluster(&mut self, end: Option<u64>, segment_end: u64) -> StructureResult<()> {
        let limit = end.unwrap_or(segment_end);
        while self.at() < limit {
            let element = self.element(limit)?;
            match element.id {
                id if BLOCKS.contains(&id) => self.skip_element(&element)?,
                0xec | 0xbf => self.skip_element_as_notes(&element)?,
                _ if end.is_none() => return self.go_to(element.start),
                id => return Err(StructureFault::Part(format!("{id:x}")).into()),
            }
        }
        Ok(())
    }

    fn skip_element(&mut self, element: &EbmlElement) -> StructureResult<()> {
        self.go_to(element.end.ok_or(StructureFault::Ends)?)
    }

    fn skip_element_as_notes(&mut self, element: &EbmlElement) -> StructureResult<()> {
        let end = element.end.ok_or(StructureFault::Ends)?;
        self.skip_notes(end - self.at())
    }

    /// Reads the head of the next element, which must lie before `limit`.
    fn element(&mut self, limit: u64) -> StructureResult<EbmlElement> {
        let start = self.at();
        let (id, _) = self.ebml_number(4, true)?;
        let id = u32::try_from(id).map_err(|_| StructureFault::Ends)?;
        let (length, is_unknown) = self.ebml_number(8, false)?;
        let end = match is_unknown {
            true => None,
            false => Some(self.at().saturating_add(length)),
        };
        match self.at() <= limit && end.is_none_or(|end| end <= limit) {
            true => Ok(EbmlElement { id, start, end }),
            false => Err(StructureFault::Ends.into()),
        }
    }

    /// Reads a number whose first byte has one zero bit at its front for each further byte. Also returns true if all
    /// other bits are set.
    fn ebml_number(&mut self, bytes_max: u32, keeps_mark: bool) -> StructureResult<(u64, bool)> {
        let first = self.byte()?;
        let bytes = first.leading_zeros() + 1;
        if bytes > bytes_max {
            return Err(StructureFault::Ends.into());
        }
        let mut number = u64::from(first);
        for _ in 1..bytes {
            number = number << 8 | u64::from(self.byte()?);
        }
        let mark = 1 << (7 * bytes);
        let plain = number & (mark - 1);
        Ok((if keeps_mark { number } else { plain }, plain == mark - 1))
    }
}
