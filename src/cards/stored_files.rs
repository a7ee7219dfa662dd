//! Which files that come with a card an import writes to the disk. Strangers chose their names and what is in them.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_protocol::{
    stored_file::{makes_repository, portable_fault, runnable_file},
    visible::{clip, visible_word},
};

use crate::{CHARX_PATH_BYTES_MAX, ImportNotes};

/// Folders in folders that such a path may have.
const PATH_PARTS_MAX: usize = 8;

/// A path that stays where it is put, on every system. No name begins with a dot: git, shells and editors run what stands
/// in some such files.
pub(crate) fn is_plain_path(path: &str) -> bool {
    path.len() <= CHARX_PATH_BYTES_MAX
        && path.split('/').count() <= PATH_PARTS_MAX
        && path.split('/').all(|part| !part.trim().is_empty() && !part.starts_with('.'))
        && portable_fault(path).is_none()
}

/// The files without programs and repositories, and without files that others have as their folder. What is left out gets a note.
pub(crate) fn storable_files(
    mut files: BTreeMap<String, Vec<u8>>,
    notes: &mut ImportNotes,
) -> BTreeMap<String, Vec<u8>> {
    let lower: BTreeSet<String> = files.keys().map(|path| path.to_lowercase()).collect();
    files.retain(|path, content| {
        let folder = format!("{}/", path.to_lowercase());
        let mut below = lower.range(folder.clone()..);
        let why = if runnable_file(path, content).is_some() {
            "a program, and no import keeps one"
        } else if makes_repository(path, &lower) {
            "part of a repository, in which git runs what its settings say"
        } else if below.next().is_some_and(|next| next.starts_with(&folder)) {
            "other files have it as their folder"
        } else {
            return true;
        };
        notes.not_mapped(clip(&visible_word(path), 80), why);
        false
    });
    files
}
