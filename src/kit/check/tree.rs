//! The files of a package, without the author's sources. Follows no link.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::Value;

use narratoria_protocol::{JsonBounds, read_json, without_byte_order_mark};
use narratoria_skills::{
    AUTHOR_FOLDERS, PACKAGE_FILES_MAX, PACKAGE_FOLDERS_DEEP_MAX, read_outside,
};

/// Longest file in which findings get their line.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// The files of a package, by their paths with `/` between folders.
#[derive(Default)]
pub(super) struct PackageTree {
    pub(super) root: PathBuf,
    /// Regular files, with their lengths.
    pub(super) files: BTreeMap<String, u64>,
    pub(super) folders: BTreeSet<String>,
    /// Links, and whether each stays inside the package.
    pub(super) links: BTreeMap<String, bool>,
    /// Entries that are neither file, folder nor link, or whose name is not UTF-8.
    pub(super) special: BTreeSet<String>,
    pub(super) is_cut_short: bool,
}

/// Returns true if a folder directly in a package holds only its author's sources.
fn is_author_only(name: &str) -> bool {
    name.starts_with('.') || AUTHOR_FOLDERS.contains(&name)
}

impl PackageTree {
    /// Stands for a folder that cannot be read.
    pub(super) fn empty() -> PackageTree {
        PackageTree::default()
    }

    /// Lists everything in a folder.
    pub(super) fn read(root: &Path) -> io::Result<PackageTree> {
        let mut tree = PackageTree { root: root.to_owned(), ..PackageTree::default() };
        let whole = fs::canonicalize(root)?;
        let mut waiting = vec![(root.to_owned(), String::new(), 0)];
        let mut count = 0;
        while let Some((folder, prefix, depth)) = waiting.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                count += 1;
                if count > PACKAGE_FILES_MAX || depth > PACKAGE_FOLDERS_DEEP_MAX {
                    tree.is_cut_short = true;
                    return Ok(tree);
                }
                let name = entry.file_name();
                let within = format!("{prefix}{}", name.to_string_lossy());
                let meta = entry.metadata()?;
                if name.to_str().is_none() {
                    tree.special.insert(within);
                } else if meta.is_dir() && depth == 0 && is_author_only(&within) {
                    // Neither packed nor loaded.
                } else if meta.is_dir() {
                    waiting.push((entry.path(), format!("{within}/"), depth + 1));
                    tree.folders.insert(within);
                } else if meta.is_file() {
                    tree.files.insert(within, meta.len());
                } else if meta.file_type().is_symlink() {
                    let inside = fs::canonicalize(entry.path());
                    let stays = inside.is_ok_and(|target| target.starts_with(&whole));
                    tree.links.insert(within, stays);
                } else {
                    tree.special.insert(within);
                }
            }
        }
        Ok(tree)
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The text of a regular file, unless it is too long or not UTF-8.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.files.get(path).filter(|bytes| **bytes <= TEXT_BYTES_MAX)?;
        let bytes = read_outside(&self.root.join(path), TEXT_BYTES_MAX).ok()?;
        str::from_utf8(without_byte_order_mark(&bytes)).ok().map(str::to_owned)
    }

    /// The value of a regular JSON file, if the host would read it.
    pub(super) fn json(&self, path: &str) -> Option<Value> {
        let text = self.text(path)?;
        read_json(text.as_bytes(), JsonBounds::of_bytes(text.len())).ok()
    }

    /// The files directly in a folder, by their paths.
    pub(super) fn in_folder(&self, folder: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{folder}/");
        self.files.keys().map(String::as_str).filter(move |path| path.starts_with(&prefix))
    }
}
