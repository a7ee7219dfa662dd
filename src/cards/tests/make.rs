//! Files as other programs write them, made by the formats' rules.

use std::io::{Cursor, Write};

use serde_json::Value;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    FolderFiles, ImportFile, ImportNotes, PngPicture, import,
    png::{PNG_SIGNATURE, pack},
    source::encode,
};

/// A chunk of a PNG file, with its sum.
pub(super) fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(kind);
    sum.update(data);
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [&length[..], kind, data, &sum.sum().to_be_bytes()].concat()
}

/// The three chunks of a small picture: its head, its pixels, its end.
fn picture_chunks() -> [Vec<u8>; 3] {
    let head = [0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0];
    [chunk(b"IHDR", &head), chunk(b"IDAT", &pack(&[0, 0])), chunk(b"IEND", b"")]
}

/// A picture with chunks before its pixels and after them.
pub(super) fn png(before: &[Vec<u8>], after: &[Vec<u8>]) -> Vec<u8> {
    let [head, pixels, end] = picture_chunks();
    [PNG_SIGNATURE, &head, &before.concat(), &pixels, &after.concat(), &end].concat()
}

pub(super) fn text_chunk(keyword: &str, text: &str) -> Vec<u8> {
    chunk(b"tEXt", &[keyword.as_bytes(), b"\0", text.as_bytes()].concat())
}

pub(super) fn packed_chunk(keyword: &str, text: &str) -> Vec<u8> {
    chunk(b"zTXt", &[keyword.as_bytes(), b"\0\0", &pack(text.as_bytes())].concat())
}

pub(super) fn international_chunk(keyword: &str, text: &str, is_packed: bool) -> Vec<u8> {
    let body = if is_packed { pack(text.as_bytes()) } else { text.as_bytes().to_vec() };
    let head = [keyword.as_bytes(), b"\0", &[u8::from(is_packed), 0], b"en\0Card\0"].concat();
    chunk(b"iTXt", &[head, body].concat())
}

/// The JSON as cards in pictures have it.
pub(super) fn as_text(card: &Value) -> String {
    encode(card.to_string().as_bytes())
}

/// An archive of these files.
pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(*path, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(super) fn small_png() -> Vec<u8> {
    PngPicture::plain().write()
}

/// Imports a file into an empty folder. Returns the files and the notes.
#[track_caller]
pub(super) fn imported(name: &str, bytes: &[u8]) -> (FolderFiles, ImportNotes) {
    let mut notes = ImportNotes::default();
    let parsed =
        ImportFile::parse(name, bytes, &mut notes).unwrap_or_else(|error| panic!("{error}"));
    let made = import(&[parsed], &FolderFiles::new(), "");
    notes.append(made.notes);
    (made.files, notes)
}

#[track_caller]
pub(super) fn text<'f>(files: &'f FolderFiles, path: &str) -> &'f str {
    let bytes = files.get(path).unwrap_or_else(|| panic!("no `{path}` in {:?}", files.keys()));
    std::str::from_utf8(bytes).unwrap()
}

pub(super) fn lines(notes: &ImportNotes) -> String {
    notes.list().iter().map(|note| format!("{note}\n")).collect()
}
