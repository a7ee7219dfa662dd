//! An asset: the line of its media type, the line of its name, and its content. A story keeps it only if all three agree.

use std::fs;

use narratoria_engine::asset_fault;
use tempfile::TempDir;

/// Beginnings of files that a computer runs.
const PROGRAMS: [&[u8]; 4] = [b"\x7fELF", b"#!/", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe"];

/// The end of the directory of an archive, and how far before the end of a file it may be.
const ZIP_END: &[u8] = b"PK\x05\x06\0\0\0\0";
const ZIP_TAIL_BYTES: usize = 22 + 65_535;

/// Endings that a double click runs or draws.
const REFUSED_ENDINGS: [&str; 6] = ["html", "svg", "js", "exe", "desktop", "bat"];

pub(crate) fn check(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let (Some(media_type), Some(name), Some(content)) = (parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let (Ok(media_type), Ok(name)) = (str::from_utf8(media_type), str::from_utf8(name)) else {
        return;
    };
    let home = TempDir::new().expect("the machine has room");
    let folder = home.path().join("assets");
    fs::create_dir_all(&folder).expect("the machine has room");
    // A name may be that of no file, or lead out of the folder: then there is nothing to write.
    let is_plain = !name.is_empty()
        && name.len() < 200
        && !name.contains(['/', '\\', '\0'])
        && name != "."
        && name != "..";
    let is_written = is_plain && fs::write(folder.join(name), content).is_ok();
    let fault = asset_fault(&folder, name, media_type);
    assert_eq!(fault, asset_fault(&folder, name, media_type), "judged differently the second time");
    if let Some(fault) = fault {
        assert!(!fault.is_empty());
        return;
    }
    assert!(is_written, "`{name}` is kept, and there is no such file in the folder");
    assert!(!content.is_empty(), "an empty asset is kept");
    for program in PROGRAMS {
        assert!(!content.starts_with(program), "a program is kept as `{media_type}`");
    }
    // What is heard or seen is no archive for another program.
    let is_media = ["audio/", "video/", "image/"].iter().any(|kind| media_type.starts_with(kind));
    let tail = &content[content.len().saturating_sub(ZIP_TAIL_BYTES)..];
    assert!(
        !is_media || !tail.windows(ZIP_END.len()).any(|window| window == ZIP_END),
        "an archive is kept as `{media_type}`"
    );
    // An SVG file is kept if it is a drawing of plain shapes: nothing in it runs or refers to something.
    let is_drawing = media_type.trim().to_ascii_lowercase().starts_with("image/svg+xml");
    if is_drawing {
        let text = String::from_utf8_lossy(content).to_ascii_lowercase();
        for forbidden in
            ["<script", "<foreignobject", "<image", "<use", "<style", "<!doctype", "url("]
        {
            assert!(!text.contains(forbidden), "a drawing with `{forbidden}` is kept");
        }
    }
    for ending in REFUSED_ENDINGS.into_iter().filter(|ending| !is_drawing || *ending != "svg") {
        let other = format!("{name}.{ending}");
        if fs::write(folder.join(&other), content).is_ok() {
            assert!(asset_fault(&folder, &other, media_type).is_some(), "`{other}` is kept");
        }
    }
    let text = format!("{media_type}; charset=utf-8");
    assert_eq!(asset_fault(&folder, name, &text), None, "a parameter changed the verdict");
}
