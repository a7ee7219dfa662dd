//! The files of a package on their way to another machine: a tar of regular files and folders, equal bytes each time. Unlike an
//! archive it holds what a check has to find, such as native code. A bundle is untrusted when it is opened.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
};

use narratoria_skills::{OutsideFileError, PACKAGE_FILES_MAX, read_outside};
use tar::{Archive, Builder, EntryType, Header};

use super::tree::PackageTree;

/// Most bytes of a bundle: the largest archive of a package.
pub const BUNDLE_BYTES_MAX: u64 = narratoria_skills::ARCHIVE_BYTES_MAX;
/// Most files and folders of a bundle, as in a package.
pub const BUNDLE_FILES_MAX: usize = PACKAGE_FILES_MAX;

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Links and devices, or too many files: they are no part of what another machine would see.
    #[error("the package has links, special files or too many files")]
    NotPlain,
    #[error("the package has more than {BUNDLE_BYTES_MAX} bytes")]
    TooLarge,
    #[error("the bundle has an entry that is no plain file or folder: `{path}`")]
    Refused { path: String },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The bytes of a package.
pub fn bundle_package(folder: &Path) -> Result<Vec<u8>, BundleError> {
    let tree = PackageTree::read(folder)?;
    if tree.is_cut_short || !tree.links.is_empty() || !tree.special.is_empty() {
        return Err(BundleError::NotPlain);
    }
    if tree.files.values().sum::<u64>() > BUNDLE_BYTES_MAX {
        return Err(BundleError::TooLarge);
    }
    let mut tar = Builder::new(Vec::new());
    for path in &tree.folders {
        append(&mut tar, path, EntryType::Directory, 0, io::empty())?;
    }
    for path in tree.files.keys() {
        let content = match read_outside(&tree.root.join(path), BUNDLE_BYTES_MAX) {
            Ok(content) => content,
            Err(OutsideFileError::Io(why)) => return Err(why.into()),
            // It has changed meanwhile.
            Err(_) => return Err(BundleError::NotPlain),
        };
        append(&mut tar, path, EntryType::Regular, content.len() as u64, &*content)?;
    }
    let bytes = tar.into_inner()?;
    if bytes.len() as u64 > BUNDLE_BYTES_MAX {
        return Err(BundleError::TooLarge);
    }
    Ok(bytes)
}

fn append(
    tar: &mut Builder<Vec<u8>>,
    path: &str,
    kind: EntryType,
    bytes: u64,
    content: impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(bytes);
    header.set_mode(0o755);
    header.set_mtime(0);
    tar.append_data(&mut header, path, content)
}

/// Writes the files of a bundle into a folder that is empty.
pub fn open_bundle(bytes: &[u8], folder: &Path) -> Result<(), BundleError> {
    if bytes.len() as u64 > BUNDLE_BYTES_MAX {
        return Err(BundleError::TooLarge);
    }
    let mut count = 0;
    for entry in Archive::new(bytes).entries()? {
        let mut entry = entry?;
        let within = entry.path()?.into_owned();
        let refused = || BundleError::Refused { path: within.display().to_string() };
        count += 1;
        if count > BUNDLE_FILES_MAX {
            return Err(BundleError::NotPlain);
        }
        let path = inside(folder, &within).ok_or_else(refused)?;
        match entry.header().entry_type() {
            EntryType::Directory => fs::create_dir_all(path)?,
            EntryType::Regular => {
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                let mut file = File::create_new(path)?;
                io::copy(&mut entry, &mut file)?;
            }
            _ => return Err(refused()),
        }
    }
    Ok(())
}

/// The path in the folder; `None` if it could lead out of it.
fn inside(folder: &Path, within: &Path) -> Option<PathBuf> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_some = within.components().next().is_some();
    (is_some && within.components().all(is_plain)).then(|| folder.join(within))
}
