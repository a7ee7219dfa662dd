//! Folders with model files in them, at some depth.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{CacheProgram, cache_search::CacheSearch};

/// Levels of folders below the place. The hub has four: repository, `snapshots`, commit, and a folder of the repository.
const DEPTH_MAX: usize = 6;

/// Most entries of folders that are looked at in one place.
const ENTRIES_MAX: usize = 20_000;

/// Adds the model files below a folder.
pub(super) fn search(folder: &Path, program: CacheProgram, search: &mut CacheSearch) {
    for path in files_below(folder, program, search) {
        if is_model(&path) && !search.add_file(&path, program, None) {
            return;
        }
    }
}

/// All files below a folder, by path. Links are followed.
pub(super) fn files_below(
    folder: &Path,
    program: CacheProgram,
    search: &mut CacheSearch,
) -> Vec<PathBuf> {
    let (mut files, mut entries_left) = (Vec::new(), ENTRIES_MAX);
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                search.add_unusable(&folder, program, format!("cannot be read: {error}"));
                continue;
            }
        };
        for entry in entries.filter_map(Result::ok) {
            if entries_left == 0 {
                search.found.is_cut = true;
                files.sort();
                return files;
            }
            entries_left -= 1;
            let path = entry.path();
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() && depth < DEPTH_MAX => open.push((path, depth + 1)),
                Ok(found) if found.is_file() => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Returns true for a name that a model file has. The later parts of a model in several files are loaded with the first.
fn is_model(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let Some(stem) = name.strip_suffix(".gguf") else { return false };
    let part = stem.rsplit_once("-of-").and_then(|(before, _)| before.rsplit_once('-'));
    part.and_then(|(_, number)| number.parse().ok()).is_none_or(|number: u32| number == 1)
}
