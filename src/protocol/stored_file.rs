//! The one rule for packages, archives and imports that says which untrusted files may be written to a disk. Pure.

use std::collections::BTreeSet;

use crate::visible::is_harmless;

/// Names that Windows keeps for devices, with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
/// The names of devices with a digit behind them.
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Why a path (with `/` between folders) cannot name a file on every system, if it cannot.
pub fn portable_fault(path: &str) -> Option<String> {
    path.split('/').find_map(part_fault)
}

fn part_fault(part: &str) -> Option<String> {
    let cannot = |why: String| Some(format!("`{part}` cannot be a name on every system: {why}"));
    if let Some(letter) = part.chars().find(|letter| r#"<>:"|?*\"#.contains(*letter)) {
        return cannot(format!("`{letter}` has a meaning of its own on Windows"));
    }
    if part.chars().any(char::is_control) {
        return cannot("it has a control character".to_owned());
    }
    if !part.chars().all(is_harmless) {
        return cannot(
            "it has a character that is not seen, or that turns others around".to_owned(),
        );
    }
    if part.ends_with(['.', ' ']) && !matches!(part, "." | "..") {
        return cannot("Windows drops a dot or a space at the end".to_owned());
    }
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    let is_numbered = NUMBERED_DEVICES.iter().any(|device| {
        let digit = stem.strip_prefix(device).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(digit.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    });
    if is_numbered || DEVICES.contains(&stem.as_str()) {
        return cannot(format!("`{stem}` is a device on Windows"));
    }
    None
}

/// Endings of files that a system runs, or lets run, by a click.
const RUNNABLE_ENDINGS: &[&str] = &[
    "action",
    "ade",
    "adp",
    "ahk",
    "apk",
    "app",
    "appimage",
    "appinstaller",
    "applescript",
    "application",
    "appref-ms",
    "appx",
    "appxbundle",
    "au3",
    "bash",
    "bat",
    "chm",
    "cmd",
    "com",
    "command",
    "cpl",
    "crx",
    "csh",
    "deb",
    "desktop",
    "diagcab",
    "dll",
    "dmg",
    "docm",
    "dotm",
    "dylib",
    "exe",
    "fileloc",
    "fish",
    "flatpakref",
    "flatpakrepo",
    "ftploc",
    "gadget",
    "hta",
    "img",
    "inetloc",
    "inf",
    "ins",
    "ipa",
    "iso",
    "jar",
    "jnlp",
    "job",
    "jse",
    "ksh",
    "library-ms",
    "lnk",
    "mht",
    "mhtml",
    "msc",
    "msh",
    "msi",
    "msix",
    "msixbundle",
    "msp",
    "mst",
    "ocx",
    "pif",
    "pkg",
    "potm",
    "ppam",
    "ppsm",
    "pptm",
    "ps1",
    "ps1xml",
    "psc1",
    "psd1",
    "psm1",
    "pyw",
    "pyz",
    "pyzw",
    "reg",
    "rpm",
    "run",
    "scf",
    "scpt",
    "scr",
    "sct",
    "search-ms",
    "searchconnector-ms",
    "settingcontent-ms",
    "sh",
    "shb",
    "shs",
    "snap",
    "so",
    "sys",
    "terminal",
    "theme",
    "tool",
    "url",
    "vb",
    "vbe",
    "vbs",
    "vbscript",
    "vhd",
    "vhdx",
    "webloc",
    "wll",
    "workflow",
    "ws",
    "wsc",
    "wsf",
    "wsh",
    "xbap",
    "xht",
    "xlam",
    "xll",
    "xlsm",
    "xltm",
    "zsh",
];

/// Endings of scripts and pages. Packages have them as sources; a script in the sandbox makes none.
const SOURCE_ENDINGS: &[&str] =
    &["cjs", "htm", "html", "js", "lua", "mjs", "php", "pl", "py", "rb", "shtml", "tcl", "xhtml"];

/// Files that an operating system reads when their folder is opened in its file manager.
const SYSTEM_FILES: &[&str] = &["desktop.ini", "folder.htt"];

/// The first bytes of native code: ELF (which precompiled wasm is too), Mach-O in both orders, fat Mach-O, PE.
pub const NATIVE_MAGICS: [&[u8]; 6] = [
    b"\x7fELF",
    &[0xcf, 0xfa, 0xed, 0xfe],
    &[0xce, 0xfa, 0xed, 0xfe],
    &[0xfe, 0xed, 0xfa, 0xcf],
    &[0xca, 0xfe, 0xba, 0xbe],
    b"MZ",
];

/// A file that a system runs without a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnableFile {
    /// By its first bytes.
    Native,
    /// By its name: a system runs it, or lets it run, by a click.
    ByName,
    /// Begins with `#!`.
    Shebang,
}

/// Returns the kind of program that a file is, by its path and first bytes. Returns `None` if no system would run it.
pub fn runnable_file(path: &str, head: &[u8]) -> Option<RunnableFile> {
    if NATIVE_MAGICS.iter().any(|magic| head.starts_with(magic)) {
        return Some(RunnableFile::Native);
    }
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_runnable =
        name.rsplit_once('.').is_some_and(|(_, ending)| RUNNABLE_ENDINGS.contains(&ending));
    if is_runnable || SYSTEM_FILES.contains(&name.as_str()) {
        return Some(RunnableFile::ByName);
    }
    // `#![` begins an attribute of Rust.
    (head.starts_with(b"#!") && !head.starts_with(b"#![")).then_some(RunnableFile::Shebang)
}

/// Returns true for the name of a script or of a page, which a person may open with a click.
pub fn is_script_or_page(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.rsplit_once('.').is_some_and(|(_, ending)| SOURCE_ENDINGS.contains(&ending))
}

/// Returns true for a path (with `/` between folders) under which a script may make a file or a folder: one that every
/// system can hold, that is not hidden, that no system runs by a click, that means nothing to a shell and that makes no
/// folder a repository of git.
pub fn may_be_made_by_script(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
    let is_hidden = parts.clone().any(|part| part.starts_with('.'));
    let last = parts.next_back().unwrap_or_default();
    let name = last.to_lowercase();
    let is_head = ["head", "commondir"].contains(&name.as_str());
    // `rm *` would take `-rf` for an option.
    let is_of_shell =
        path.contains(['$', '`', ';']) || path.split('/').any(|part| part.starts_with(['-', '~']));
    !is_hidden
        && !is_head
        && !is_script_or_page(path)
        && !is_of_shell
        && portable_fault(path).is_none()
        && runnable_file(path, b"").is_none()
}

/// Returns true for a file that makes its folder a repository of git, even if the folder has another name than `.git`.
/// In such a folder git runs commands that its `config` names. `lower` has all paths beside it, in lower case.
pub fn makes_repository(path: &str, lower: &BTreeSet<String>) -> bool {
    let path = path.to_lowercase();
    let Some(folder) = path.strip_suffix("head") else { return false };
    if !(folder.is_empty() || folder.ends_with('/')) {
        return false;
    }
    let objects = format!("{folder}objects/");
    let has_objects =
        lower.range(objects.clone()..).next().is_some_and(|next| next.starts_with(&objects));
    has_objects || lower.contains(&format!("{folder}commondir"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        RunnableFile, makes_repository, may_be_made_by_script, portable_fault, runnable_file,
    };

    #[test]
    fn a_name_that_windows_cannot_hold_is_told_with_its_reason() {
        for (path, expected) in [
            (
                "examples/a:b.json",
                "`a:b.json` cannot be a name on every system: `:` has a meaning of its own on Windows",
            ),
            ("a\tb", "`a\tb` cannot be a name on every system: it has a control character"),
            (
                "a/b. /c",
                "`b. ` cannot be a name on every system: Windows drops a dot or a space at the end",
            ),
            ("NUL.txt", "`NUL.txt` cannot be a name on every system: `nul` is a device on Windows"),
            ("lpt9", "`lpt9` cannot be a name on every system: `lpt9` is a device on Windows"),
            (
                "Com¹.json",
                "`Com¹.json` cannot be a name on every system: `com¹` is a device on Windows",
            ),
            (
                "x?",
                "`x?` cannot be a name on every system: `?` has a meaning of its own on Windows",
            ),
        ] {
            assert_eq!(portable_fault(path).as_deref(), Some(expected));
        }
        for path in ["skill.json", "a/b c/d.e", "console.json", "com10", "lpt", "naïve.txt", ".x"]
        {
            assert_eq!(portable_fault(path), None, "{path}");
        }
    }

    #[test]
    fn a_file_that_a_system_runs_is_known_by_its_bytes_or_its_name() {
        for (path, head, expected) in [
            ("map.png", &b"MZ\x90"[..], Some(RunnableFile::Native)),
            ("map.png", b"\x7fELF", Some(RunnableFile::Native)),
            ("a/Setup.EXE", b"", Some(RunnableFile::ByName)),
            ("run.desktop", b"x", Some(RunnableFile::ByName)),
            ("a/Desktop.ini", b"", Some(RunnableFile::ByName)),
            ("autorun.inf", b"", Some(RunnableFile::ByName)),
            ("home.url", b"", Some(RunnableFile::ByName)),
            ("notes.txt", b"#!/bin/sh", Some(RunnableFile::Shebang)),
            ("lib.rs", b"#![no_std]", None),
            ("exe", b"", None),
            ("map.png", b"\x89PNG", None),
        ] {
            assert_eq!(runnable_file(path, head), expected, "{path}");
        }
    }

    #[test]
    fn a_script_makes_files_with_ordinary_names_alone() {
        for path in [
            "notes.txt",
            "maps/harbour.png",
            "./a/../b",
            "naïve name",
            "ahead",
            "head.json",
            "it's (1) & 2-3.txt",
        ] {
            assert!(may_be_made_by_script(path), "{path}");
        }
        for path in [
            ".git",
            ".git/config",
            "a/.envrc",
            "HEAD",
            "a/head",
            "commondir",
            "con",
            "a:b",
            "run.sh",
            "Setup.EXE",
            "x.desktop",
            "desktop.ini",
            "a/home.webloc",
            "a\u{1b}[31m",
            "a. /b",
            "a\\b",
            "a/-rf",
            "--help",
            "$(id).txt",
            "a`id`",
            "~root/x",
            "page.HTML",
            "a/run.py",
            "game.iso",
            "x.terminal",
        ] {
            assert!(!may_be_made_by_script(path), "{path:?}");
        }
    }

    #[test]
    fn a_folder_is_a_repository_by_its_head_and_objects_or_the_folder_that_it_shares() {
        for (path, others, expected) in [
            ("HEAD", &["config", "objects/x", "refs/heads/x"][..], true),
            ("assets/HEAD", &["assets/objects/x"], true),
            ("a/Head", &["a/commondir"], true),
            ("assets/HEAD", &["objects/x"], false),
            ("a/head.png", &["a/objects/x"], false),
            ("ahead", &["objects/x"], false),
            ("HEAD", &["readme.md"], false),
        ] {
            let lower: BTreeSet<String> = others.iter().map(|path| (*path).to_owned()).collect();
            assert_eq!(makes_repository(path, &lower), expected, "{path} beside {others:?}");
        }
    }
}
