//! Which files a package has, without what its author builds it from. Follows no link.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    finding::{FindingCollector, FindingLocation},
    rules,
};
use narratoria_skills::{AUTHOR_FOLDERS, NATIVE_MAGICS};

/// Most entries of a package. A skill has some tens of files; a folder that was left in it may have thousands.
pub const FILES_MAX: usize = 4_096;
/// Deepest folder of a package. Paths inside a package have at most 512 bytes.
const DEPTH_MAX: usize = 16;
/// Longest file in which lines are looked up.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// The names that the host looks for.
const KNOWN: [&str; 5] =
    ["skill.json", "SKILL.md", "prompt.md", "config-schema.json", "config.json"];
/// The folders that the host looks into.
const KNOWN_FOLDERS: [&str; 3] = ["scripts", "schemas", "examples"];

/// The files of a package, by their paths with `/` between folders.
#[derive(Default)]
pub(super) struct PackageTree {
    root: PathBuf,
    /// Regular files, with their lengths.
    files: BTreeMap<String, u64>,
    folders: BTreeSet<String>,
    /// Links, and whether they stay inside.
    links: BTreeMap<String, bool>,
    /// Neither file nor folder nor link, or without a name.
    special: BTreeSet<String>,
    is_cut_short: bool,
}

/// Whether a folder directly in a package is its author's workshop.
fn is_author_only(name: &str) -> bool {
    name.starts_with('.') || AUTHOR_FOLDERS.contains(&name)
}

impl PackageTree {
    /// Of a folder that cannot be read.
    pub(super) fn empty() -> PackageTree {
        PackageTree::default()
    }

    /// Looks at everything in a folder.
    pub(super) fn read(root: &Path) -> io::Result<PackageTree> {
        let mut tree = PackageTree { root: root.to_owned(), ..PackageTree::default() };
        let whole = fs::canonicalize(root)?;
        let mut waiting = vec![(root.to_owned(), String::new(), 0)];
        let mut count = 0;
        while let Some((folder, prefix, depth)) = waiting.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                count += 1;
                if count > FILES_MAX || depth > DEPTH_MAX {
                    tree.is_cut_short = true;
                    return Ok(tree);
                }
                let name = entry.file_name();
                let within = format!("{prefix}{}", name.to_string_lossy());
                let meta = entry.metadata()?;
                if name.to_str().is_none() {
                    tree.special.insert(within);
                } else if meta.is_dir() && depth == 0 && is_author_only(&within) {
                    // Neither packed nor read by anybody.
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

    /// Whether there is a regular file of that name.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The text of a regular file, unless it is long or none.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.files.get(path).filter(|bytes| **bytes <= TEXT_BYTES_MAX)?;
        fs::read_to_string(self.root.join(path)).ok()
    }

    /// The files directly in a folder, by their paths.
    pub(super) fn in_folder(&self, folder: &str) -> impl Iterator<Item = &str> {
        let prefix = format!("{folder}/");
        self.files.keys().map(String::as_str).filter(move |path| path.starts_with(&prefix))
    }

    /// What can be said of files by their names and first bytes.
    pub(super) fn check(&self, book: &mut FindingCollector<'_>) {
        if self.is_cut_short {
            let what = format!(
                "has more than {FILES_MAX} files and folders, or nests deeper than {DEPTH_MAX} folders"
            );
            book.add(&rules::FILES_TOO_MANY, FindingLocation::whole(), what);
        }
        for (path, stays) in &self.links {
            match stays {
                true => book.add(&rules::FILES_LINK, FindingLocation::file(path), "is a link"),
                false => book.add(
                    &rules::FILES_LINK_OUT,
                    FindingLocation::file(path),
                    "is a link that leads out of the package, or nowhere",
                ),
            }
        }
        for path in &self.special {
            let what = "is neither a file nor a folder, or has a name that is not UTF-8";
            book.add(&rules::FILES_ODD, FindingLocation::file(path), what);
        }
        for path in self.files.keys().filter(|path| self.is_native(path)) {
            book.add(&rules::FILES_NATIVE, FindingLocation::file(path), "is native code");
        }
        self.check_names(book);
    }

    fn check_names(&self, book: &mut FindingCollector<'_>) {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        let folders = self.folders.iter().map(|path| (path, &KNOWN_FOLDERS[..]));
        for (path, known) in self.files.keys().map(|path| (path, &KNOWN[..])).chain(folders) {
            let lower = path.to_lowercase();
            let meant = known.iter().find(|known| known.to_lowercase() == lower);
            if let Some(meant) = meant
                && meant != path
            {
                let what = format!("is not read: the name that the host reads is `{meant}`");
                book.add(&rules::FILES_MISNAMED, FindingLocation::file(path), what);
            }
            if let Some(other) = seen.insert(lower, path) {
                let what = format!("differs from `{other}` by case alone");
                book.add(&rules::FILES_CASE, FindingLocation::file(path), what);
            }
        }
    }

    /// A component that is native code is told as a script's fault.
    fn is_native(&self, path: &str) -> bool {
        let mut head = [0; 4];
        let read = fs::File::open(self.root.join(path))
            .and_then(|mut file| io::Read::read(&mut file, &mut head));
        let head = &head[..read.unwrap_or(0)];
        !path.ends_with(".wasm") && NATIVE_MAGICS.iter().any(|magic| head.starts_with(magic))
    }
}
