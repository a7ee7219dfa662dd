//! All files of a campaign folder, with those below `cards`, for import and export.

use std::{
    fs,
    path::{Path, PathBuf},
};

use narratoria_cards::FolderFiles;
use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_word;
use narratoria_skills::read_outside;

use crate::error::CliError;

/// Most files and folders that are read: a campaign has two thousand, and an unpacked card some thousands more.
const ENTRIES_MAX: usize = 20_000;

/// Most bytes that are read: several cards of the largest kind.
const FOLDER_BYTES_MAX: u64 = 512 << 20;

/// Deepest nesting of folders.
const DEPTH_MAX: usize = 12;

/// Folders of an author's tools, which are skipped.
const APART: &[&str] = &["target", "node_modules"];

/// Names the files in error messages.
const WHAT: &str = "campaign file";

/// Reads a folder. Links are left alone, as are files whose names begin with a dot.
pub(super) fn read_folder(folder: &Path) -> Result<FolderFiles, TurnError> {
    let mut walk = AllFilesWalk { files: FolderFiles::new(), entries: 0, bytes: 0 };
    walk.read(folder, "", 0)?;
    Ok(walk.files)
}

struct AllFilesWalk {
    files: FolderFiles,
    entries: usize,
    bytes: u64,
}

impl AllFilesWalk {
    fn read(&mut self, folder: &Path, within: &str, depth: usize) -> Result<(), TurnError> {
        let failed = |why| {
            let path = folder.to_owned();
            TurnError::from(CliError::Unreadable { what: WHAT, path, why })
        };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || APART.contains(&name.as_str()) {
                continue;
            }
            self.entries += 1;
            if self.entries > ENTRIES_MAX || depth > DEPTH_MAX {
                return Err(too_much(
                    folder,
                    "has more files and folders than a campaign can have",
                ));
            }
            let path = match within {
                "" => name,
                within => format!("{within}/{name}"),
            };
            if kind.is_dir() {
                self.read(&entry.path(), &path, depth + 1)?;
            } else if kind.is_file() {
                let left = FOLDER_BYTES_MAX - self.bytes;
                let file = entry.path();
                let failed = |error| TurnError::from(CliError::outside_file(WHAT, &file, error));
                let content = read_outside(&file, left).map_err(failed)?;
                self.bytes += content.len() as u64;
                self.files.insert(path, content);
            }
        }
        Ok(())
    }
}

fn too_much(folder: &Path, what: &str) -> TurnError {
    let shown = visible_word(&folder.display().to_string()).into_owned();
    TurnError::new(TurnErrorKind::BadInput, format!("`{shown}` {what}"))
        .hint("name the folder of one campaign, which has `manifest.json` in it")
}

/// Returns the path on the disk of a file of the folder.
pub(super) fn place(folder: &Path, path: &str) -> PathBuf {
    path.split('/').fold(folder.to_owned(), |place, part| place.join(part))
}
