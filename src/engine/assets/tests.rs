//! Assets on the real disk, as scripts leave them.

use std::{fs::File, path::Path};

use proptest::prelude::*;

use super::{
    sample_files::{mp3_frame, whole},
    *,
};
use narratoria_plan::StepIdx;
use narratoria_protocol::visible::visible_word;

/// The smallest of their kind.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\0IEND\xae\x42\x60\x82";
const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xda\0\x08\x01\x01\0\0?\0\x12\xff\0\x34\xff\xd9";
const ELF: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

fn asset<'a>(path: &'a str, media_type: &'a str) -> TraceAsset<'a> {
    TraceAsset {
        step: StepIdx(0),
        item: None,
        asset_id: "a",
        kind: "thing",
        media_type,
        path,
        metadata: None,
    }
}

fn warning_text(folder: &Path, path: &str, media_type: &str) -> String {
    match check(&asset(path, media_type), true, folder, &mut AssetTotals::default()) {
        Ok(_) => "kept".to_owned(),
        Err(why) => why,
    }
}

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// Long because it is a table of forgeries.
#[test]
fn the_declared_type_must_fit_the_content() {
    let folder = folder(&[
        ("text.txt", "\u{feff}Here be dragons … \"BM\"".as_bytes()),
        ("bmw.txt", b"BM is how a bitmap begins, and this is text"),
        ("zero.txt", b"text\0"),
        ("bell.txt", b"text\x07"),
        ("latin.csv", b"caf\xe9"),
        ("html.txt", b"<!DOCTYPE html><script>alert(1)</script>"),
        ("bom.txt", b"\xef\xbb\xbf <SVG onload=\"alert(1)\"/>"),
        ("sh.txt", b"#!/bin/sh\nrm -rf ~\n"),
        ("elf.txt", ELF),
        ("elf-in-letters.txt", b"\x7fELF and nothing but letters"),
        ("exe.txt", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0"),
        ("mach-o.txt", b"\xfe\xed\xfa\xcf\0\0\0\0"),
        ("wasm.txt", b"\0asm\x01\0\0\0"),
        ("list.json", b"{\"a\": [1, 2]} "),
        ("two.json", b"{} {}"),
        ("two.jsonl", b"{}\n{}\n"),
        ("not.json", b"{]"),
        ("text.png", b"a text"),
        ("jpeg.png", JPEG),
        ("png.txt", PNG),
        ("elf.png", ELF),
        ("gzip.txt", b"\x1f\x8b\x08\0\0\0\0\0"),
        ("shapes.svg", b"<svg><path d=\"M0 0\"/></svg>"),
        ("script.svg", b"<svg><script>alert(1)</script></svg>"),
    ]);
    let verdict = |path, media_type| warning_text(folder.path(), path, media_type);
    for (path, media_type) in [
        ("text.txt", "text/plain"),
        ("text.txt", "Text/Plain; charset=utf-8"),
        ("bmw.txt", "text/plain"),
        ("list.json", "application/json"),
        ("two.jsonl", "application/x-ndjson"),
        ("shapes.svg", "image/svg+xml"),
    ] {
        assert_eq!(verdict(path, media_type), "kept", "{path} as {media_type}");
    }
    let refused = [
        ("text.txt", "text"),
        ("text.txt", "text/html"),
        ("text.txt", "image/svg+xml"),
        ("script.svg", "image/svg+xml"),
        ("text.txt", "application/zip"),
        ("text.txt", "application/x-my-map"),
        ("text.txt", "text/markdown"),
        ("text.png", "image/png"),
        ("jpeg.png", "image/png"),
        ("elf.png", "image/png"),
        ("png.txt", "text/plain"),
        ("zero.txt", "text/plain"),
        ("bell.txt", "text/plain"),
        ("latin.csv", "text/csv"),
        ("html.txt", "text/plain"),
        ("bom.txt", "text/plain"),
        ("sh.txt", "text/plain"),
        ("elf.txt", "text/plain"),
        ("elf-in-letters.txt", "text/plain"),
        ("exe.txt", "text/plain"),
        ("mach-o.txt", "text/plain"),
        ("wasm.txt", "text/plain"),
        ("gzip.txt", "text/plain"),
        ("two.json", "application/json"),
        ("not.json", "application/json"),
    ]
    .map(|(path, media_type)| verdict(path, media_type));
    insta::assert_snapshot!(refused.join("\n"), @r#"
    `text.txt` is declared as `text`, which is no media type
    `text.txt` is declared as `text/html`, which is not kept: a story keeps pictures, sounds, films, fonts, text and books
    `text.txt` is declared as `image/svg+xml`, so its name must end with `.svg`
    `script.svg` is declared as `image/svg+xml`, but is no drawing of plain shapes: scripts, styles, links and notes are not kept
    `text.txt` is declared as `application/zip`, which is not kept: a story keeps pictures, sounds, films, fonts, text and books
    `text.txt` is declared as `application/x-my-map`, which is not kept: a story keeps pictures, sounds, films, fonts, text and books
    `text.txt` is declared as `text/markdown`, so its name must end with `.md` or `.markdown`
    `text.png` is declared as `image/png`, but is not one
    `jpeg.png` is declared as `image/png`, but is `image/jpeg`
    `elf.png` is declared as `image/png`, but is not one
    `png.txt` is declared as `text/plain`, but is `image/png`
    `zero.txt` is declared as `text/plain`, but is not plain text in UTF-8
    `bell.txt` is declared as `text/plain`, but is not plain text in UTF-8
    `latin.csv` is declared as `text/csv`, but is not plain text in UTF-8
    `html.txt` is declared as `text/plain`, but is `text/html`
    `bom.txt` is declared as `text/plain`, but is `text/html`
    `sh.txt` is declared as `text/plain`, but is `text/x-shellscript`
    `elf.txt` is declared as `text/plain`, but is not plain text in UTF-8
    `elf-in-letters.txt` is declared as `text/plain`, but is not plain text in UTF-8
    `exe.txt` is declared as `text/plain`, but is `application/vnd.microsoft.portable-executable`
    `mach-o.txt` is declared as `text/plain`, but is `application/x-mach-binary`
    `wasm.txt` is declared as `text/plain`, but is `application/wasm`
    `gzip.txt` is declared as `text/plain`, but is `application/gzip`
    `two.json` is declared as `application/json`, but is not JSON
    `not.json` is declared as `application/json`, but is not JSON
    "#);
}

#[test]
fn a_drawing_has_at_most_a_mebibyte() {
    let drawing = |bytes: usize| {
        let svg = r#"<svg><path d="M0 0"/></svg>"#;
        format!("{svg}{}", " ".repeat(bytes - svg.len()))
    };
    let (largest, too_large) = (drawing(1 << 20), drawing((1 << 20) + 1));
    let folder =
        folder(&[("largest.svg", largest.as_bytes()), ("too-large.svg", too_large.as_bytes())]);
    let verdict = |path| warning_text(folder.path(), path, "image/svg+xml");
    assert_eq!(verdict("largest.svg"), "kept");
    assert!(verdict("too-large.svg").contains("is no drawing of plain shapes"));
}

/// A file that a computer runs when a person opens it is refused under every declared type.
#[test]
fn only_the_endings_of_the_declared_type_are_kept() {
    let endings = "svg html htm js mjs desktop bat cmd com exe lnk ps1 sh scpt vbs hta jar scr url webloc inf reg txt. \
                   txt::$DATA zip py xml docm command app";
    for ending in endings.split_whitespace() {
        let name = format!("map.{ending}");
        let folder = folder(&[(&name, b"plain words")]);
        for media_type in ["text/plain", "application/json", "image/png", "text/x-anything"] {
            assert_ne!(warning_text(folder.path(), &name, media_type), "kept", "{name}");
        }
    }
    let folder = folder(&[("map", b"words"), ("MAP.TXT", b"words"), ("a.svg.txt", b"words")]);
    let verdict = |path| warning_text(folder.path(), path, "text/plain");
    assert_eq!(verdict("MAP.TXT"), "kept");
    assert_eq!(verdict("a.svg.txt"), "kept");
    assert_eq!(
        verdict("map"),
        "`map` is declared as `text/plain`, so its name must end with `.txt` or `.text` or `.log`"
    );
}

#[test]
fn a_name_that_is_hidden_reserved_or_deceptive_is_refused() {
    let folder = folder(&[("con.txt", b"words")]);
    let verdict = |path: &str| warning_text(folder.path(), path, "text/plain");
    let names = [
        ".profile.txt",
        "sub/.directory.txt",
        "-rf.txt",
        "~/x.txt",
        "con.txt",
        "sub/LPT1.txt",
        "com¹.txt",
        "sub /x.txt",
        "x?.txt",
        "a\u{202e}txt.txt",
        "a\nb.txt",
    ];
    insta::assert_snapshot!(names.map(verdict).map(|it| visible_word(&it).into_owned()).join("\n"), @r#"
    `.profile.txt` is no name for a file on every machine: it begins with a dot, a hyphen, a tilde or a blank
    `sub/.directory.txt` is no name for a file on every machine: it begins with a dot, a hyphen, a tilde or a blank
    `-rf.txt` is no name for a file on every machine: it begins with a dot, a hyphen, a tilde or a blank
    `~/x.txt` is no name for a file on every machine: it begins with a dot, a hyphen, a tilde or a blank
    `con.txt` is no name for a file on every machine: it is the name of a device
    `sub/LPT1.txt` is no name for a file on every machine: it is the name of a device
    `com¹.txt` is no name for a file on every machine: it is the name of a device
    `sub /x.txt` is no name for a file on every machine: it ends with a dot or a blank
    `x?.txt` is no name for a file on every machine: it has a character that is reserved or invisible
    `a\u{202e}txt.txt` is no name for a file on every machine: it has a character that is reserved or invisible
    `a\nb.txt` is no name for a file on every machine: it has a character that is reserved or invisible
    "#);
    for fine in ["con-tent.txt", "compass.txt", "été (1).txt", "karte_1-2.txt"] {
        assert!(verdict(fine).contains("is not there"), "{fine}");
    }
}

#[test]
fn a_file_is_kept_whole_and_with_nothing_behind_it() {
    let samples = whole();
    let files: Vec<(&str, &[u8])> =
        samples.iter().map(|(path, _, bytes)| (*path, &bytes[..])).collect();
    let folder = folder(&files);
    for (path, media_type, _) in &samples {
        assert_eq!(warning_text(folder.path(), path, media_type), "kept", "{path}");
    }
}

proptest! {
    /// Any cut of a file with a beginning and an end, and anything behind it: no polyglot is kept.
    #[test]
    fn a_file_that_is_cut_or_continued_is_not_kept(
        at in 0..whole().len(), cut in any::<prop::sample::Index>(), rest in "(<script>|PK|#!|[a-z]){1,9}",
    ) {
        let (path, media_type, bytes) = whole().swap_remove(at);
        let start = &bytes[..cut.index(bytes.len() - 1) + 1];
        prop_assume!(start.len() < bytes.len());
        let continued = [&bytes, rest.as_bytes()].concat();
        // The start of this one is still a sound, without its last tag.
        let is_sound = path == "b.mp3" && start.len() == mp3_frame().len();
        for content in [start, &continued] {
            if is_sound && content.len() < bytes.len() {
                continue;
            }
            let folder = folder(&[(path, content)]);
            prop_assert_ne!(warning_text(folder.path(), path, media_type), "kept");
        }
    }

    /// No bytes make the checks panic or hang, under any declared type.
    #[test]
    fn any_bytes_have_a_verdict(
        at in 0..whole().len(), bytes in prop::collection::vec(any::<u8>(), 0..200), with_head: bool,
    ) {
        let (path, media_type, head) = whole().swap_remove(at);
        let head = if with_head { &head[..head.len() / 2] } else { &[] };
        let folder = folder(&[(path, &[head, &bytes].concat())]);
        warning_text(folder.path(), path, media_type);
    }
}

#[test]
fn only_a_regular_file_of_its_own_folder_is_kept() {
    let folder = folder(&[("maps/cave.txt", b"cave"), ("empty.txt", b""), ("large.txt", b"x")]);
    let large = File::options().write(true).open(folder.path().join("large.txt")).unwrap();
    large.set_len(ASSET_BYTES_MAX + 1).unwrap();
    let verdict = |path: &str| warning_text(folder.path(), path, "text/plain");
    assert_eq!(verdict("maps/cave.txt"), "kept");
    assert_eq!(verdict("maps"), "`maps` is not a regular file");
    assert_eq!(verdict("empty.txt"), "`empty.txt` is empty");
    assert_eq!(verdict("gone"), "`gone` is not there: No such file or directory (os error 2)");
    assert_eq!(
        verdict("large.txt"),
        "`large.txt` has 33554433 bytes, an asset has at most 33554432"
    );
    for path in ["", "/etc/passwd", "../x", "maps/../maps/cave.txt"] {
        assert_eq!(verdict(path), format!("`{path}` is not a path inside its asset folder"));
    }
}

#[cfg(unix)]
#[test]
fn hard_links_and_symbolic_links_are_not_kept() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("twin.txt", b"twin"), ("dir/file.txt", b"file")]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at("twin.txt"), at("other.txt")).unwrap();
    symlink(at("dir/file.txt"), at("soft.txt")).unwrap();
    symlink(at("dir"), at("way")).unwrap();
    let verdict = |path: &str| warning_text(folder.path(), path, "text/plain");
    assert_eq!(verdict("twin.txt"), "`twin.txt` has another name, under which it may change later");
    assert_eq!(
        verdict("other.txt"),
        "`other.txt` has another name, under which it may change later"
    );
    assert_eq!(verdict("soft.txt"), "`soft.txt` leads through a link");
    assert_eq!(verdict("way/file.txt"), "`way/file.txt` leads through a link");
}

#[test]
fn a_turn_and_a_story_keep_a_limited_number_and_size_of_assets() {
    let folder = folder(&[("small.txt", b"small")]);
    // The files are sparse: each recording has only a head and a length.
    let size = ASSET_BYTES_MAX as u32;
    for n in 0..5 {
        let mut file = File::create(folder.path().join(format!("{n}.wav"))).unwrap();
        let head = [
            &b"RIFF"[..],
            &(size - 8).to_le_bytes(),
            b"WAVEfmt \x10\0\0\0",
            &[0; 16],
            b"data",
            &(size - 44).to_le_bytes(),
        ]
        .concat();
        std::io::Write::write_all(&mut file, &head).unwrap();
        file.set_len(ASSET_BYTES_MAX).unwrap();
    }
    let song = |n: usize, totals: &mut AssetTotals| {
        check(&asset(&format!("{n}.wav"), "audio/wav"), true, folder.path(), totals).map(drop)
    };
    let mut totals = AssetTotals::default();
    for n in 0..4 {
        assert_eq!(song(n, &mut totals), Ok(()));
    }
    assert_eq!(
        song(4, &mut totals).unwrap_err(),
        "the assets of a turn have at most 134217728 bytes together"
    );
    let earlier_bytes = STORY_ASSETS_BYTES_MAX - 2 * ASSET_BYTES_MAX;
    let mut totals = AssetTotals { earlier_bytes, ..AssetTotals::default() };
    assert_eq!((song(0, &mut totals), song(1, &mut totals)), (Ok(()), Ok(())));
    assert_eq!(
        song(2, &mut totals).unwrap_err(),
        "the assets of a story have at most 1073741824 bytes together; `narratoria story gc` removes files that no turn \
         lists, or go on in another story"
    );
    let mut totals = AssetTotals::default();
    let small = asset("small.txt", "text/plain");
    for _ in 0..ASSETS_MAX {
        assert!(check(&small, true, folder.path(), &mut totals).is_ok());
    }
    assert_eq!(
        check(&small, true, folder.path(), &mut totals).err().unwrap(),
        "a turn keeps at most 256 assets"
    );
    assert_eq!(
        check(&small, false, folder.path(), &mut totals).err().unwrap(),
        r#"its `skill.json` would need "grants": {"assets": true}"#
    );
}

#[test]
fn stored_files_stay_and_the_folders_of_finished_plans_go() {
    let story = folder(&[
        ("assets/now/step-a/kept.txt", b"x"),
        ("assets/now/step-a/sub/left.txt", b"x"),
        ("assets/failed/step-a/left.txt", b"x"),
        ("assets/unfinished/step-a/made.txt", b"x"),
        ("assets/of-a-crash/step-a/left.txt", b"x"),
        ("assets/stored.txt", b"x"),
    ]);
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    delete_plan_folders(story.path(), &set(&["now", "failed"]), &set(&["now", "unfinished"]));
    let mut left: Vec<String> = fs::read_dir(story.path().join("assets"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["stored.txt", "unfinished"]);
    assert!(story.path().join("assets/unfinished/step-a/made.txt").is_file());
}

#[test]
fn a_story_s_room_counts_its_files_and_the_folders_of_other_plans() {
    let story = folder(&[
        ("assets/now/step-a/a.txt", b"not counted"),
        ("assets/unfinished/step-a/b.txt", b"12"),
        ("assets/stored.txt", b"345"),
    ]);
    assert_eq!(room::bytes_beside(story.path(), &["now"]), 5);
    assert_eq!(room::bytes_beside(&story.path().join("nowhere"), &[]), 0);
}
