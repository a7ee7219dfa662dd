//! Sounds and films that hold more, or less, than they claim.

use proptest::prelude::*;

use super::{
    content::FileContent,
    formats::AssetFormat,
    sample_files::{
        SampleFile, aiff, avi, chunk, ebml, film_of, flac, ftyp, id3, matroska, media_box,
        mp3_frame, page, riff, wav, whole,
    },
    structure::ASSET_NOTES_BYTES_MAX,
};

/// The sentence with which a story refuses a file, or `kept`.
fn verdict(name: &str, media_type: &str, bytes: &[u8]) -> String {
    let format = AssetFormat::of(media_type, name).unwrap();
    let content = FileContent::read(std::io::Cursor::new(bytes), format.content_check()).unwrap();
    format.check(&content).err().unwrap_or_else(|| "kept".to_owned())
}

/// The end of an empty archive.
const ZIP_END: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// A name, a media type and bytes with a fault.
fn spoilt() -> Vec<SampleFile> {
    let film = |more: &[u8]| [ebml(0x1f43_b675, &ebml(0xa3, &[7; 300])), more.to_vec()].concat();
    let room = vec![0; ASSET_NOTES_BYTES_MAX as usize + 1];
    let samples =
        |inside: &[u8]| riff(b"WAVE", &[chunk(b"fmt ", &[0; 16]), chunk(b"data", inside)].concat());
    let isom = film_of(b"isom", 1);
    let first = page(2, b"\x01vorbis...");
    let mut wrong_sum = [first.clone(), page(4, b"end")].concat();
    *wrong_sum.last_mut().unwrap() ^= 1;
    vec![
        ("part.wav", "audio/wav", wav(&chunk(b"evil", b"MZ"))),
        ("list.wav", "audio/wav", wav(&chunk(b"LIST", b"fileMZ"))),
        ("room.wav", "audio/wav", wav(&chunk(b"JUNK", &room))),
        ("silent.wav", "audio/wav", riff(b"WAVE", &chunk(b"fmt ", &[0; 16]))),
        ("zip.wav", "audio/wav", samples(&[&[0; 40], ZIP_END].concat())),
        ("rar.wav", "audio/wav", samples(b"Rar!\x1a\x07\x01\0")),
        ("7z.wav", "audio/wav", samples(b"7z\xbc\xaf\x27\x1c\0\x04")),
        ("pdf.wav", "audio/wav", samples(b"%PDF-1.7\n")),
        ("application.aiff", "audio/aiff", aiff(b"APPL\0\0\0\x04stoc")),
        ("program.avi", "video/avi", avi(&chunk(b"MZ\x90\0", b"abc"))),
        ("attached.mp3", "audio/mpeg", [id3(b"GEOB\0\0\0\x02\0\0MZ"), mp3_frame()].concat()),
        ("page.mp3", "audio/mpeg", [id3(b""), b"<html>".to_vec(), mp3_frame()].concat()),
        ("no-frame.mp3", "audio/mpeg", id3(b"TIT2\0\0\0\x02\0\0\0a")),
        (
            "between.mp3",
            "audio/mpeg",
            [id3(b""), mp3_frame(), b"<html>".to_vec(), mp3_frame()].concat(),
        ),
        (
            "between.aac",
            "audio/aac",
            b"\xff\xf1\x50\x80\x00\xff\xfcMZ\xff\xf1\x50\x80\x00\xff\xfc".to_vec(),
        ),
        ("application.flac", "audio/flac", flac(&[(2, b"MZ")])),
        ("behind.flac", "audio/flac", [flac(&[]), b"\xff\xf8".to_vec()].concat()),
        ("codec.ogg", "audio/ogg", [page(2, b"MZprogram"), page(4, b"end")].concat()),
        ("checksum.ogg", "audio/ogg", wrong_sum),
        ("no-end.ogg", "audio/ogg", first),
        ("part.mp4", "video/mp4", [isom.clone(), media_box(b"evil", b"MZ")].concat()),
        ("twice.mp4", "video/mp4", [isom.clone(), media_box(b"moov", &[])].concat()),
        ("no-track.mp4", "video/mp4", [ftyp(b"isom"), media_box(b"mdat", b"MZ")].concat()),
        ("elsewhere.mov", "video/quicktime", film_of(b"qt  ", 0)),
        ("zip.m4a", "audio/mp4", [film_of(b"M4A ", 1), media_box(b"free", ZIP_END)].concat()),
        (
            "attached.mkv",
            "video/x-matroska",
            matroska("matroska", &film(&ebml(0x1941_a469, b"MZ"))),
        ),
        ("part.webm", "video/webm", matroska("webm", &film(&ebml(0x1941_a46a, b"MZ")))),
        ("behind.webm", "video/webm", [matroska("webm", &film(&[])), ebml(0xec, b"MZ")].concat()),
        (
            "tracks.mid",
            "audio/midi",
            b"MThd\0\0\0\x06\0\0\0\x02\0\x60MTrk\0\0\0\x04\0\xff\x2f\0".to_vec(),
        ),
        (
            "part.webp",
            "image/webp",
            riff(b"WEBP", &[chunk(b"VP8 ", &[]), chunk(b"evil", b"MZ")].concat()),
        ),
    ]
}

#[test]
fn no_file_of_sound_or_film_holds_another_file() {
    let told: Vec<String> = spoilt()
        .iter()
        .map(|(name, media_type, bytes)| format!("{name} {}", verdict(name, media_type, bytes)))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    part.wav is declared as `audio/wav`, but has a part `evil`, which no player needs: write it without that part
    list.wav is declared as `audio/wav`, but has a part `file`, which no player needs: write it without that part
    room.wav is declared as `audio/wav`, but has more than 1048576 bytes of notes, covers and empty room: write it without them
    silent.wav is declared as `audio/wav`, but is cut off, or something follows its end
    zip.wav is declared as `audio/wav`, but is a ZIP archive for another program: store what is in it as assets of their own
    rar.wav is declared as `audio/wav`, but is a RAR archive for another program: store what is in it as assets of their own
    7z.wav is declared as `audio/wav`, but is a 7z archive for another program: store what is in it as assets of their own
    pdf.wav is declared as `audio/wav`, but is a PDF for another program: store what is in it as assets of their own
    application.aiff is declared as `audio/aiff`, but has a part `APPL`, which no player needs: write it without that part
    program.avi is declared as `video/x-msvideo`, but has a part `MZ\x90\x00`, which no player needs: write it without that part
    attached.mp3 is declared as `audio/mpeg`, but has a file attached: store that as an asset of its own
    page.mp3 is declared as `audio/mpeg`, but is cut off, or something follows its end
    no-frame.mp3 is declared as `audio/mpeg`, but is cut off, or something follows its end
    between.mp3 is declared as `audio/mpeg`, but is cut off, or something follows its end
    between.aac is declared as `audio/aac`, but is cut off, or something follows its end
    application.flac is declared as `audio/flac`, but has a part `block 2`, which no player needs: write it without that part
    behind.flac is declared as `audio/flac`, but is cut off, or something follows its end
    codec.ogg is declared as `audio/ogg`, but has a part `MZprogra`, which no player needs: write it without that part
    checksum.ogg is declared as `audio/ogg`, but is cut off, or something follows its end
    no-end.ogg is declared as `audio/ogg`, but is cut off, or something follows its end
    part.mp4 is declared as `video/mp4`, but has a part `evil`, which no player needs: write it without that part
    twice.mp4 is declared as `video/mp4`, but has a part `moov`, which no player needs: write it without that part
    no-track.mp4 is declared as `video/mp4`, but is cut off, or something follows its end
    elsewhere.mov is declared as `video/quicktime`, but takes its content from another file: write it into this one
    zip.m4a is declared as `audio/mp4`, but is a ZIP archive for another program: store what is in it as assets of their own
    attached.mkv is declared as `video/x-matroska`, but has a file attached: store that as an asset of its own
    part.webm is declared as `video/webm`, but has a part `1941a46a`, which no player needs: write it without that part
    behind.webm is declared as `video/webm`, but is cut off, or something follows its end
    tracks.mid is declared as `audio/midi`, but is cut off, or something follows its end
    part.webp is declared as `image/webp`, but has a part `evil`, which no player needs: write it without that part
    ");
}

#[test]
fn notes_covers_and_room_are_kept_up_to_a_limit() {
    let largest = ASSET_NOTES_BYTES_MAX as usize;
    let kept = [
        ("a.wav", "audio/wav", wav(&chunk(b"JUNK", &vec![0; largest]))),
        ("a.aiff", "audio/aiff", aiff(b"NAME\0\0\0\x04Tune")),
        ("a.flac", "audio/flac", flac(&[(4, b"words"), (6, b"cover"), (1, &[0; 40])])),
        (
            "a.mp3",
            "audio/mpeg",
            [id3(b"TIT2\0\0\0\x02\0\0\0aAPIC\0\0\0\x01\0\0\0\0\0\0"), mp3_frame()].concat(),
        ),
        ("a.mp4", "video/mp4", [film_of(b"isom", 1), media_box(b"free", &[0; 9])].concat()),
    ];
    for (name, media_type, bytes) in kept {
        assert_eq!(verdict(name, media_type, &bytes), "kept", "{name}");
    }
    let (name, media_type, _) = ("a.mp4", "video/mp4", ());
    let twice = media_box(b"free", &vec![0; largest / 2 + 1]);
    let film = [film_of(b"isom", 1), twice.clone(), twice].concat();
    assert!(verdict(name, media_type, &film).contains("has more than 1048576 bytes of notes"));
}

/// A film that is recorded live does not know its length in advance.
#[test]
fn a_film_without_lengths_is_kept() {
    let cluster = [&[0x1f, 0x43, 0xb6, 0x75, 0xff][..], &ebml(0xa3, &[7; 300])].concat();
    let head = ebml(0x1a45_dfa3, b"\x42\x82\x84webm");
    let film = [&head, &[0x18, 0x53, 0x80, 0x67, 0xff][..], &cluster, &cluster].concat();
    assert_eq!(verdict("a.webm", "video/webm", &film), "kept");
    let attached = [&film[..], &ebml(0x1941_a469, b"MZ")].concat();
    assert!(verdict("a.webm", "video/webm", &attached).contains("has a file attached"));
}

proptest! {
    /// An archive in a file is found between any two of its bytes, and also behind its last part.
    #[test]
    fn an_archive_is_found_wherever_it_ends(at in 0..whole().len(), place in any::<prop::sample::Index>()) {
        let (name, media_type, mut bytes) = whole().swap_remove(at);
        let place = place.index(bytes.len());
        bytes.splice(place..place, ZIP_END.iter().copied());
        prop_assert_ne!(verdict(name, media_type, &bytes), "kept");
    }

    /// A changed byte leads to a verdict, never to a panic or an endless walk.
    #[test]
    fn a_changed_byte_has_a_verdict(at in 0..whole().len(), place in any::<prop::sample::Index>(), byte: u8) {
        let (name, media_type, mut bytes) = whole().swap_remove(at);
        let place = place.index(bytes.len());
        bytes[place] = byte;
        verdict(name, media_type, &bytes);
    }
}
