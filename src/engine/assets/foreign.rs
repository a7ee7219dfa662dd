//! Finds files of other formats within a file: some programs find theirs wherever it begins, or read from the end.

use std::io::{Read, Seek};

use super::structure::{Structure, StructureFault, StructureReader, StructureResult};

/// Longest end of a file in which the end of a ZIP directory can lie: its own length, and that of the longest comment.
const ZIP_TAIL_BYTES: u64 = 22 + 65_535;

/// The end of the directory of an archive on a single disk.
const ZIP_END: &[u8] = b"PK\x05\x06\0\0\0\0";

/// How far from its start PDF readers search a file for their mark.
const PDF_HEAD_BYTES: u64 = 1 << 10;

/// How far from its start unpackers search a file for their mark, which may follow a self-extracting program.
const ARCHIVE_HEAD_BYTES: u64 = 1 << 20;

/// Marks of archives, each with the name of its format.
const ARCHIVE_MARKS: [(&[u8], &str); 2] =
    [(b"Rar!\x1a\x07", "a RAR archive"), (b"7z\xbc\xaf\x27\x1c", "a 7z archive")];

impl<F: Read + Seek> StructureReader<'_, F> {
    /// Refuses a file that is also a file of another format.
    pub(super) fn refuse_foreign(&mut self, structure: Structure) -> StructureResult<()> {
        let found = self.foreign(structure)?;
        found.map_or(Ok(()), |what| Err(StructureFault::Foreign(what).into()))
    }

    fn foreign(&mut self, structure: Structure) -> StructureResult<Option<&'static str>> {
        self.go_to(0)?;
        let head = self.piece(self.end.min(ARCHIVE_HEAD_BYTES))?;
        if let Some((_, what)) = ARCHIVE_MARKS.iter().find(|(mark, _)| has(&head, mark)) {
            return Ok(Some(what));
        }
        let start = &head[..head.len().min(PDF_HEAD_BYTES as usize)];
        if structure != Structure::Pdf && has(start, b"%PDF-") {
            return Ok(Some("a PDF"));
        }
        let is_archive = structure != Structure::Zip && has(&self.tail(ZIP_TAIL_BYTES)?, ZIP_END);
        Ok(is_archive.then_some("a ZIP archive"))
    }
}

fn has(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}
