//! The smallest file of each kind, and parts that make one invalid.

/// A name, a media type and the bytes.
pub(super) type SampleFile = (&'static str, &'static str, Vec<u8>);

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\0IEND\xae\x42\x60\x82";
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xda\0\x08\x01\x01\0\0?\0\x12\xff\0\x34\xff\xd9";
const BMP: &[u8] = b"BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\x01\0\x01\0\x01\0\x18\0";
const MIDI: &[u8] = b"MThd\0\0\0\x06\0\0\0\x01\0\x60MTrk\0\0\0\x04\0\xff\x2f\0";
const WOFF: &[u8] = b"wOFF\0\x01\0\0\0\0\0\x0c";

/// Returns pictures, sounds, films and a font. Each ends where its format says.
pub(super) fn whole() -> Vec<SampleFile> {
    let film = ebml(0x1f43_b675, &ebml(0xa3, &[7; 300]));
    vec![
        ("a.png", "image/png", PNG.to_vec()),
        ("a.gif", "image/gif", GIF.to_vec()),
        ("a.jpg", "image/jpeg", JPEG.to_vec()),
        ("a.webp", "image/webp", riff(b"WEBP", &chunk(b"VP8 ", &[0; 4]))),
        ("a.bmp", "image/bmp", BMP.to_vec()),
        (
            "a.avif",
            "image/avif",
            [ftyp(b"avif"), media_box(b"mdat", &[9; 5]), media_box(b"meta", &[])].concat(),
        ),
        ("a.wav", "audio/wav", wav(&chunk(b"LIST", b"INFOISFT\x02\0\0\0ab"))),
        ("a.aiff", "audio/aiff", aiff(&[])),
        ("a.ogg", "audio/ogg", [page(2, b"\x01vorbis..."), page(4, b"end")].concat()),
        ("a.flac", "audio/flac", flac(&[])),
        ("a.mp3", "audio/mpeg", [id3(b"TIT2\0\0\0\x02\0\0\0a"), mp3_frame()].concat()),
        ("b.mp3", "audio/mpeg", [mp3_frame(), [b"TAG".as_slice(), &[0; 125]].concat()].concat()),
        ("a.aac", "audio/aac", b"\xff\xf1\x50\x80\x01\x3f\xfc\x01\x02".to_vec()),
        ("a.mid", "audio/midi", MIDI.to_vec()),
        ("a.m4a", "audio/mp4", film_of(b"M4A ", 1)),
        ("a.mp4", "video/mp4", film_of(b"isom", 1)),
        ("a.mov", "video/quicktime", film_of(b"qt  ", 1)),
        ("a.webm", "video/webm", matroska("webm", &film)),
        ("a.mkv", "video/x-matroska", matroska("matroska", &film)),
        ("a.avi", "video/avi", avi(&chunk(b"00dc", b"abc"))),
        ("a.woff", "font/woff", WOFF.to_vec()),
    ]
}

/// A chunk of RIFF, padded.
pub(super) fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    let padding = vec![0; content.len() % 2];
    [name.as_slice(), &length, content, &padding].concat()
}

pub(super) fn riff(form: &[u8; 4], chunks: &[u8]) -> Vec<u8> {
    chunk(b"RIFF", &[form.as_slice(), chunks].concat())
}

/// A sound with these chunks between its head and its samples.
pub(super) fn wav(more: &[u8]) -> Vec<u8> {
    let head = chunk(b"fmt ", b"\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0");
    riff(b"WAVE", &[head, more.to_vec(), chunk(b"data", &[1, 2, 3, 4])].concat())
}

/// Returns a film whose streams are these chunks.
pub(super) fn avi(film: &[u8]) -> Vec<u8> {
    let list = |name: &[u8], inside: &[u8]| chunk(b"LIST", &[name, inside].concat());
    let stream = list(b"strl", &chunk(b"strh", &[0; 8]));
    let head = list(b"hdrl", &[chunk(b"avih", &[0; 8]), stream].concat());
    riff(b"AVI ", &[head, list(b"movi", film), chunk(b"idx1", &[])].concat())
}

pub(super) fn aiff(more: &[u8]) -> Vec<u8> {
    let part = |name: &[u8], content: &[u8]| {
        [name, &(content.len() as u32).to_be_bytes(), content].concat()
    };
    let parts = [part(b"COMM", &[0; 18]), more.to_vec(), part(b"SSND", &[0; 10])].concat();
    part(b"FORM", &[b"AIFF".as_slice(), &parts].concat())
}

/// A page of Ogg with its checksum. `kind` is 2 for the first one of a stream and 4 for the last.
pub(super) fn page(kind: u8, content: &[u8]) -> Vec<u8> {
    let mut page =
        [b"OggS\0".as_slice(), &[kind], &[0; 20], &[1, content.len() as u8], content].concat();
    let mut sum = 0_u32;
    for byte in &page {
        sum ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            sum = if sum >> 31 == 1 { sum << 1 ^ 0x04c1_1db7 } else { sum << 1 };
        }
    }
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    page
}

/// A sound of FLAC with these blocks after the first, and one frame.
pub(super) fn flac(blocks: &[(u8, &[u8])]) -> Vec<u8> {
    let mut file = b"fLaC".to_vec();
    let info = [0; 34];
    let all: Vec<(u8, &[u8])> =
        [(0, info.as_slice())].into_iter().chain(blocks.iter().copied()).collect();
    for (nth, (kind, content)) in all.iter().enumerate() {
        let last = if nth + 1 == all.len() { 0x80 } else { 0 };
        file.push(kind | last);
        file.extend(&(content.len() as u32).to_be_bytes()[1..]);
        file.extend_from_slice(content);
    }
    let mut frame = vec![0xff, 0xf8, 0x14, 0x02, 0];
    frame.push(checksum(&frame, 8, 0x07) as u8);
    // A constant: its type and its value.
    frame.extend([0, 5]);
    let sum = checksum(&frame, 16, 0x8005);
    frame.extend(sum.to_be_bytes());
    [file, frame].concat()
}

fn checksum(bytes: &[u8], bits: u32, polynomial: u16) -> u16 {
    let top = 1_u16 << (bits - 1);
    let mut sum = 0_u16;
    for byte in bytes {
        sum ^= u16::from(*byte) << (bits - 8);
        for _ in 0..8 {
            sum = if sum & top != 0 { sum << 1 ^ polynomial } else { sum << 1 };
        }
    }
    if bits == 8 { sum & 0xff } else { sum }
}

/// A tag before the frames of an MP3.
pub(super) fn id3(frames: &[u8]) -> Vec<u8> {
    let size = frames.len();
    let size = [21, 14, 7, 0].map(|shift| (size >> shift) as u8 & 0x7f);
    [b"ID3\x03\0\0".as_slice(), &size, frames].concat()
}

pub(super) fn mp3_frame() -> Vec<u8> {
    let mut frame = b"\xff\xfb\x10\xc0".to_vec();
    frame.resize(104, 0);
    frame
}

pub(super) fn media_box(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes(), name.as_slice(), content].concat()
}

pub(super) fn ftyp(brand: &[u8; 4]) -> Vec<u8> {
    media_box(b"ftyp", &[brand.as_slice(), &[0; 4], brand].concat())
}

/// Returns a film of one track. Its content is in this file if the flag is 1.
pub(super) fn film_of(brand: &[u8; 4], flag: u8) -> Vec<u8> {
    let source = media_box(b"url ", &[0, 0, 0, flag]);
    let sources = media_box(b"dref", &[[0, 0, 0, 0, 0, 0, 0, 1].as_slice(), &source].concat());
    let mut track = media_box(b"dinf", &sources);
    for name in [b"minf", b"mdia", b"trak", b"moov"] {
        track = media_box(name, &track);
    }
    [ftyp(brand), media_box(b"mdat", &[9; 5]), track].concat()
}

/// An element with an id of EBML.
pub(super) fn ebml(id: u32, content: &[u8]) -> Vec<u8> {
    let id = id.to_be_bytes();
    let id = &id[id.iter().take_while(|byte| **byte == 0).count()..];
    [id, &[0x08], &(content.len() as u32).to_be_bytes(), content].concat()
}

pub(super) fn matroska(kind: &str, segment: &[u8]) -> Vec<u8> {
    let kind = [&[0x42, 0x82, 0x80 | kind.len() as u8], kind.as_bytes()].concat();
    [ebml(0x1a45_dfa3, &kind), ebml(0x1853_8067, segment)].concat()
}
