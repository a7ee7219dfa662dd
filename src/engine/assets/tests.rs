//! Assets on the real disk, as scripts leave them.

use std::path::Path;

use super::*;
use narratoria_plan::StepIdx;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const ELF: &[u8] = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

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
        Ok(()) => "kept".to_owned(),
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

#[test]
fn the_declared_type_must_fit_the_content() {
    let folder = folder(&[
        ("text", "Here be dragons … \"BM\"".as_bytes()),
        ("bmw", b"BM is how a bitmap begins, and this is text"),
        ("nul", b"text\0"),
        ("latin", b"caf\xe9"),
        ("html", b"<!DOCTYPE html><script>alert(1)</script>"),
        ("sh", b"#!/bin/sh\nrm -rf ~\n"),
        ("png", PNG),
        ("jpeg", b"\xff\xd8\xff\xe0\0\x10JFIF\0"),
        ("ogg", b"OggS\0\x02\0\0\0\0"),
        ("elf", ELF),
        ("gzip", b"\x1f\x8b\x08\0\0\0\0\0"),
        ("odd", b"\x01\x02\xff\xfe odd"),
    ]);
    let verdict = |path, media_type| warning_text(folder.path(), path, media_type);
    for (path, media_type) in [
        ("text", "text/plain"),
        ("text", "Text/Markdown; charset=utf-8"),
        ("text", "application/json"),
        ("bmw", "text/plain"),
        ("png", "image/png"),
        ("jpeg", "image/jpg"),
        ("ogg", "audio/ogg"),
        ("ogg", "audio/opus"),
        ("text", "application/x-my-map"),
    ] {
        assert_eq!(verdict(path, media_type), "kept", "{path} as {media_type}");
    }
    for (path, media_type, expect) in [
        ("text", "text", "`text` is declared as `text`, which is no media type"),
        ("text", "image/png", "`text` is declared as `image/png`, but is not one"),
        ("jpeg", "image/png", "`jpeg` is declared as `image/png`, but is `image/jpeg`"),
        ("png", "text/plain", "`png` is declared as `text/plain`, but is `image/png`"),
        ("nul", "text/plain", "`nul` is declared as `text/plain`, but is not text in UTF-8"),
        ("latin", "text/csv", "`latin` is declared as `text/csv`, but is not text in UTF-8"),
        ("html", "text/plain", "`html` is declared as `text/plain`, but is `text/html`"),
        ("sh", "text/plain", "`sh` is declared as `text/plain`, but is `text/x-shellscript`"),
        (
            "html",
            "text/html",
            "`html` is declared as `text/html`, which is not kept: it may hold a program that runs where it is shown",
        ),
        (
            "text",
            "image/svg+xml",
            "`text` is declared as `image/svg+xml`, which is not kept: it may hold a program that runs where it is shown",
        ),
        ("elf", "image/png", "`elf` is declared as `image/png`, but is `application/x-executable`"),
        (
            "elf",
            "application/x-executable",
            "`elf` is `application/x-executable`, which is not kept: a story keeps pictures, sounds, films, fonts, text and books",
        ),
        (
            "gzip",
            "application/gzip",
            "`gzip` is `application/gzip`, which is not kept: a story keeps pictures, sounds, films, fonts, text and books",
        ),
        (
            "odd",
            "application/x-my-map",
            "`odd` is declared as `application/x-my-map`, a kind that is not known here, and is not text",
        ),
    ] {
        assert_eq!(verdict(path, media_type), expect);
    }
}

#[test]
fn only_a_regular_file_of_its_own_folder_is_kept() {
    let folder = folder(&[("maps/cave.txt", b"cave"), ("empty", b""), ("twin", b"twin")]);
    fs::write(folder.path().join("large"), "x").unwrap();
    let large = File::options().write(true).open(folder.path().join("large")).unwrap();
    large.set_len(ASSET_BYTES_MAX + 1).unwrap();
    let verdict = |path: &str| warning_text(folder.path(), path, "text/plain");
    assert_eq!(verdict("maps/cave.txt"), "kept");
    assert_eq!(verdict("maps"), "`maps` is not a regular file");
    assert_eq!(verdict("empty"), "`empty` is empty");
    assert_eq!(verdict("gone"), "`gone` is not there: No such file or directory (os error 2)");
    assert_eq!(verdict("large"), "`large` has 33554433 bytes, an asset has at most 33554432");
    for path in ["", "/etc/passwd", "../x", "maps/../maps/cave.txt"] {
        assert_eq!(verdict(path), format!("`{path}` is not a path inside its asset folder"));
    }
}

#[cfg(unix)]
#[test]
fn hard_links_and_symbolic_links_are_not_kept() {
    use std::os::unix::fs::symlink;
    let folder = folder(&[("twin", b"twin"), ("dir/file", b"file")]);
    let at = |path: &str| folder.path().join(path);
    fs::hard_link(at("twin"), at("other")).unwrap();
    symlink(at("dir/file"), at("soft")).unwrap();
    symlink(at("dir"), at("way")).unwrap();
    let verdict = |path: &str| warning_text(folder.path(), path, "text/plain");
    assert_eq!(verdict("twin"), "`twin` has another name, under which it may change later");
    assert_eq!(verdict("other"), "`other` has another name, under which it may change later");
    assert_eq!(verdict("soft"), "`soft` leads through a link");
    assert_eq!(verdict("way/file"), "`way/file` leads through a link");
}

#[test]
fn a_turn_keeps_a_limited_number_and_size_of_assets() {
    let folder = folder(&[("small", b"small")]);
    // Sparse files: only the head of a picture is read.
    for n in 0..5 {
        let mut file = File::create(folder.path().join(format!("{n}.png"))).unwrap();
        std::io::Write::write_all(&mut file, PNG).unwrap();
        file.set_len(ASSET_BYTES_MAX).unwrap();
    }
    let mut totals = AssetTotals::default();
    for n in 0..4 {
        let path = format!("{n}.png");
        assert_eq!(check(&asset(&path, "image/png"), true, folder.path(), &mut totals), Ok(()));
    }
    assert_eq!(
        check(&asset("4.png", "image/png"), true, folder.path(), &mut totals).unwrap_err(),
        "the assets of a turn have at most 134217728 bytes together"
    );
    let mut totals = AssetTotals::default();
    let small = asset("small", "text/plain");
    for _ in 0..ASSETS_MAX {
        assert_eq!(check(&small, true, folder.path(), &mut totals), Ok(()));
    }
    assert_eq!(
        check(&small, true, folder.path(), &mut totals).unwrap_err(),
        "a turn keeps at most 256 assets"
    );
    assert_eq!(
        check(&small, false, folder.path(), &mut totals).unwrap_err(),
        r#"its `skill.json` would need "grants": {"assets": true}"#
    );
}
