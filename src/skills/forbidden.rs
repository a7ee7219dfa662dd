//! Files that no package may hold. The loader, archives and `skill check` share this rule: a package that an author's
//! check refuses for its files is refused on a player's machine too.

use std::{
    fmt,
    io::{self, Read},
};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::package::{ABOUT_FILES, AUTHOR_FOLDERS, PackageFiles, PackageFolder};
use narratoria_protocol::stored_file::{RunnableFile, portable_fault, runnable_file};

/// Most files and folders of a package. A skill has some tens; a forgotten folder in it may have thousands.
pub const PACKAGE_FILES_MAX: usize = 4_096;
/// Deepest folder of a package. Paths inside a package have at most 512 bytes.
pub const PACKAGE_FOLDERS_DEEP_MAX: usize = 16;

/// Folders that belong to a package with a manifest. Other folders beside them are its author's.
const PACKAGE_FOLDERS: [&str; 5] = ["scripts", "schemas", "examples", "references", "assets"];

/// Endings of programs that other readers of Agent Skills start with an interpreter. The host starts none of them.
const PROGRAM_ENDINGS: [&str; 9] = ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "lua", "r"];

/// Bytes of a file that decide.
const HEAD_BYTES: u64 = 4;

/// Why a file cannot be part of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForbiddenFile {
    /// Also a link that leads nowhere.
    LinkOut,
    /// A pipe, a socket, a device, or a name that is not UTF-8.
    Special,
    Native,
    /// Begins with `#!`, or has an ending that a system runs.
    SystemScript,
    /// The reason.
    Name(String),
    /// The package as a whole.
    TooMany,
}

impl fmt::Display for ForbiddenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForbiddenFile::LinkOut => {
                f.write_str("is a link that leads out of the package, or nowhere")
            }
            ForbiddenFile::Special => {
                f.write_str("is neither a file nor a folder, or has a name that is not UTF-8")
            }
            ForbiddenFile::Native => f.write_str("is native code"),
            ForbiddenFile::SystemScript => {
                f.write_str("is a script that a system runs without a sandbox")
            }
            ForbiddenFile::Name(why) => f.write_str(why),
            ForbiddenFile::TooMany => write!(
                f,
                "has more than {PACKAGE_FILES_MAX} files and folders, or nests deeper than \
                 {PACKAGE_FOLDERS_DEEP_MAX} folders"
            ),
        }
    }
}

/// Kind of the package, which decides about its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PackageForm {
    /// A folder with a manifest: beside the package lie its author's files.
    Folder,
    /// An archive with a manifest: all of it is the package.
    Archive,
    /// A folder without a manifest. Other readers run its scripts, this host does not.
    AgentSkill,
}

/// Judges a file by its path and its first bytes. A component is judged as one elsewhere, if the manifest names it.
pub(super) fn forbidden_content(
    path: &str,
    content: &[u8],
    form: PackageForm,
) -> Option<ForbiddenFile> {
    let runnable = runnable_file(path, content);
    if runnable == Some(RunnableFile::Native) {
        return Some(ForbiddenFile::Native);
    }
    if form == PackageForm::AgentSkill || (form == PackageForm::Folder && !is_packed(path)) {
        return None;
    }
    if let Some(why) = portable_fault(path) {
        return Some(ForbiddenFile::Name(why));
    }
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_tolerated = path.starts_with("scripts/")
        && ending.is_some_and(|ending| PROGRAM_ENDINGS.contains(&ending.as_str()));
    match runnable {
        Some(RunnableFile::Shebang) if is_tolerated => None,
        Some(_) => Some(ForbiddenFile::SystemScript),
        None => None,
    }
}

/// True for the files of a folder that belong to the package, and go into its archive.
fn is_packed(path: &str) -> bool {
    match path.split_once('/') {
        Some((folder, _)) => PACKAGE_FOLDERS.contains(&folder),
        None => ABOUT_FILES.iter().any(|about| path.starts_with(about)),
    }
}

/// The files of a package that it may not hold, with their paths; an empty path is the package itself.
pub(super) fn find_forbidden(
    package: &PackageFiles,
    form: PackageForm,
) -> Vec<(String, ForbiddenFile)> {
    let judged = |path: &str, content: &[u8]| {
        forbidden_content(path, content, form).map(|fault| (path.to_owned(), fault))
    };
    match package {
        PackageFiles::Embedded(files) => {
            files.iter().filter_map(|(path, content)| judged(path, content)).collect()
        }
        PackageFiles::Memory(files) => {
            files.iter().filter_map(|(path, content)| judged(path, content)).collect()
        }
        PackageFiles::Folder(PackageFolder { dir, .. }) => {
            let mut walk = ForbiddenWalk {
                root: dir,
                form,
                entries_left: PACKAGE_FILES_MAX,
                is_cut_short: false,
                found: Vec::new(),
            };
            walk.visit(dir, "", 0);
            if walk.is_cut_short {
                walk.found.push((String::new(), ForbiddenFile::TooMany));
            }
            walk.found.sort_by(|(one, _), (other, _)| one.cmp(other));
            walk.found
        }
    }
}

struct ForbiddenWalk<'p> {
    root: &'p Dir,
    form: PackageForm,
    entries_left: usize,
    is_cut_short: bool,
    found: Vec<(String, ForbiddenFile)>,
}

impl ForbiddenWalk<'_> {
    /// Leaves out a folder that cannot be read: its files are then missing in the package.
    fn visit(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        for entry in entries.flatten() {
            if self.entries_left == 0 || depth > PACKAGE_FOLDERS_DEEP_MAX {
                self.is_cut_short = true;
                return;
            }
            self.entries_left -= 1;
            let name = entry.file_name();
            let path = format!("{prefix}{}", name.to_string_lossy());
            let Some(name) = name.to_str() else {
                self.found.push((path, ForbiddenFile::Special));
                continue;
            };
            let Ok(metadata) = dir.symlink_metadata(name) else { continue };
            if !metadata.is_dir() {
                let fault = self.fault_of(&path, &metadata);
                self.found.extend(fault.map(|fault| (path, fault)));
                continue;
            }
            let is_authors = name.starts_with('.') || AUTHOR_FOLDERS.contains(&name);
            if !(depth == 0 && is_authors)
                && let Ok(inner) = dir.open_dir(name)
            {
                self.visit(&inner, &format!("{path}/"), depth + 1);
            }
        }
    }

    fn fault_of(&self, path: &str, metadata: &Metadata) -> Option<ForbiddenFile> {
        let is_file = if metadata.file_type().is_symlink() {
            // Followed from the package's own folder, so that a link may lead anywhere within it.
            match self.root.metadata(path) {
                Ok(target) => target.is_file(),
                Err(_) => return Some(ForbiddenFile::LinkOut),
            }
        } else if metadata.is_file() {
            true
        } else {
            return Some(ForbiddenFile::Special);
        };
        let head = if is_file { self.head(path).unwrap_or_default() } else { Vec::new() };
        forbidden_content(path, &head, self.form)
    }

    /// The first bytes of a regular file.
    fn head(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, super::outside_file::NONBLOCK);
        let mut head = Vec::new();
        self.root.open_with(path, &options)?.take(HEAD_BYTES).read_to_end(&mut head)?;
        Ok(head)
    }
}

#[cfg(test)]
mod tests {
    use super::{ForbiddenFile, PackageForm, forbidden_content};

    fn show(path: &str, content: &[u8]) -> String {
        [PackageForm::Folder, PackageForm::Archive, PackageForm::AgentSkill]
            .map(|form| match forbidden_content(path, content, form) {
                None => "-",
                Some(ForbiddenFile::Native) => "native",
                Some(ForbiddenFile::SystemScript) => "script",
                Some(ForbiddenFile::Name(_)) => "name",
                Some(ForbiddenFile::LinkOut | ForbiddenFile::Special | ForbiddenFile::TooMany) => {
                    "other"
                }
            })
            .join(" ")
    }

    #[test]
    fn a_file_is_judged_by_its_bytes_and_its_ending_where_it_belongs_to_the_package() {
        for magic in narratoria_protocol::stored_file::NATIVE_MAGICS {
            for path in ["assets/map.png", "notes.txt", "scripts/other.wasm"] {
                assert_eq!(show(path, magic), "native native native", "{path}");
            }
        }
        let rows = [
            ("assets/map.txt", &b"#!/bin/sh\n"[..], "script script -"),
            ("assets/Run.BAT", b"x", "script script -"),
            ("references/a.ps1", b"", "script script -"),
            ("scripts/tool.sh", b"echo", "script script -"),
            ("scripts/tool.py", b"#!/usr/bin/env python3", "- - -"),
            ("assets/tool.py", b"#!/usr/bin/env python3", "script script -"),
            ("references/lib.rs", b"#![no_std]", "- - -"),
            ("build.sh", b"#!/bin/sh", "- script -"),
            ("README.sh", b"x", "script script -"),
            ("CHANGELOG.desktop", b"x", "script script -"),
            ("LICENSE", b"#!/bin/sh", "script script -"),
            ("README.md", b"x", "- - -"),
            ("tests/run.sh", b"#!/bin/sh", "- script -"),
            ("assets/a:b.txt", b"x", "name name -"),
            ("assets/map.png", b"\x89PNG", "- - -"),
            ("examples/one.json", b"{}", "- - -"),
        ];
        for (path, content, expect) in rows {
            assert_eq!(show(path, content), expect, "{path}");
        }
    }
}
