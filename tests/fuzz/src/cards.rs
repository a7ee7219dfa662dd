//! Files of other programs. The first byte says how the others become a file, because no change of a byte would get past
//! the sums of PNG and zip:
//!
//! - `p`: chunks of a PNG file, each after a line `=== KIND`, such as `tEXt`; head, pixels and end are added. `=== base64
//!   KEYWORD` is a text whose content is packed into base64 here.
//! - `z`: files of an archive, each after a line `=== PATH`.
//! - anything else: the file as it came.

use std::io::{Cursor, Write};

use flate2::{Compression, Crc, write::ZlibEncoder};
use narratoria_cards::{ExportForm, FolderFiles, ImportFile, ImportNotes, export, import};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::packages::sections;

pub(crate) fn check_png(bytes: &[u8]) {
    match bytes.split_first() {
        Some((b'p', rest)) => check("card.png", &png(rest)),
        Some((_, rest)) => check("card.png", rest),
        None => {}
    }
}

pub(crate) fn check_charx(bytes: &[u8]) {
    match bytes.split_first() {
        Some((b'z', rest)) => check("card.charx", &archive(rest)),
        Some((_, rest)) => check("card.charx", rest),
        None => {}
    }
}

pub(crate) fn check_story(bytes: &[u8]) {
    match bytes.split_first() {
        Some((b'i', rest)) => check("story.ink", rest),
        Some((b'j', rest)) => check("book.json", rest),
        Some((b'l', rest)) => check("chat.jsonl", rest),
        Some((b'h', rest)) => check("story.html", rest),
        Some((_, rest)) => check("story.twee", rest),
        None => {}
    }
}

/// A file is refused with a sentence, or makes files that can be exported and imported again.
fn check(name: &str, bytes: &[u8]) {
    let mut notes = ImportNotes::default();
    let owned = match ImportFile::parse(name, bytes, &mut notes) {
        Ok(owned) => owned,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.contains(char::is_control), "a terminal would obey: {text:?}");
            return;
        }
    };
    let made = import(&[owned], &FolderFiles::new(), "");
    for note in notes.list().iter().chain(made.notes.list()) {
        assert!(!note.to_string().contains(char::is_control), "a terminal would obey: {note}");
    }
    for path in made.files.keys() {
        let climbs = path.split('/').any(|part| matches!(part, "" | "." | ".."));
        assert!(!climbs && !path.contains(['\\', ':']), "a path leads elsewhere: {path:?}");
    }
    for form in [
        ExportForm::Card,
        ExportForm::Png,
        ExportForm::Charx,
        ExportForm::Book,
        ExportForm::Chat,
        ExportForm::Twee,
    ] {
        let Ok(first) = export(&made.files, form, None) else { continue };
        let again = ImportFile::parse(&first.file_name, &first.bytes, &mut ImportNotes::default());
        // A book without a page of lore, for instance, is none that is found again as the same kind; but it is read.
        if let Err(error) = again {
            panic!("what was exported cannot be read: {error}");
        }
    }
}

fn png(bytes: &[u8]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    push_chunk(&mut file, b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
    push_chunk(&mut file, b"IDAT", &packed(&[0, 0]));
    for (head, content) in sections(bytes) {
        let (kind, keyword) = head.split_once(' ').unwrap_or((&head, ""));
        match (kind, <[u8; 4]>::try_from(kind.as_bytes())) {
            ("base64", _) => {
                let text = base64(&content);
                push_chunk(
                    &mut file,
                    b"tEXt",
                    &[keyword.as_bytes(), b"\0", text.as_bytes()].concat(),
                );
            }
            ("packed", _) => {
                let text = packed(base64(&content).as_bytes());
                push_chunk(&mut file, b"zTXt", &[keyword.as_bytes(), b"\0\0", &text].concat());
            }
            (_, Ok(kind)) => push_chunk(&mut file, &kind, &content),
            _ => {}
        }
    }
    push_chunk(&mut file, b"IEND", b"");
    file
}

fn push_chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(data);
    file.extend_from_slice(&(data.len() as u32).to_be_bytes());
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    file.extend_from_slice(&sum.sum().to_be_bytes());
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut zip = ZlibEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(bytes).expect("memory takes all");
    zip.finish().expect("memory takes all")
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for at in 0..=three.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

fn archive(bytes: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in sections(bytes) {
        if zip.start_file(path, SimpleFileOptions::default()).is_ok() {
            zip.write_all(&content).expect("memory takes all");
        }
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}
