//! Finds files in a story's folder that no turn of any branch lists, and no copy beside the database either: those that
//! a process left when it died, and those of a deleted copy. They are removed only on request.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use crate::{
    AssetName, Story, StoryError, StoryFolder,
    assets::{ASSETS_FOLDER, DRAFT_START},
    columns::{rows, text},
    folder::{DB_FILE, FILE, FOLDER, kind},
    format,
    older_assets::{STORED_BY_CONTENT, older_folder},
};

/// Most entries of a folder that one search reads.
const ENTRIES_MAX: usize = 1_000_000;

/// A file or folder that nothing lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedFile {
    /// Relative to the story's folder.
    pub path: String,
    pub bytes: u64,
}

impl Story {
    /// Returns the files of scripts that nothing lists, by name. Files of other kinds, which a player may have put
    /// there, are not among them.
    ///
    /// # Errors
    ///
    /// Returns an error if a copy beside the database cannot be read, because its files are then unknown.
    pub fn unlisted_files(&self) -> Result<Vec<UnlistedFile>, StoryError> {
        let mut listed = listed_in(self.conn(), self.db())?;
        for copy in copies(self.folder()) {
            listed.extend(listed_in(&format::open_read_only(&copy)?.0, &copy)?);
        }
        let needed = self.plans_with_files()?;
        let mut unlisted = Vec::new();
        let folder = StoryFolder::open(self.folder())?;
        let assets = folder.folder(ASSETS_FOLDER)?;
        for name in assets.iter().flat_map(|assets| assets.names(ENTRIES_MAX)) {
            let path = format!("{ASSETS_FOLDER}/{name}");
            let is_left = match kind(&self.folder().join(&path))? {
                Some(FOLDER) => !needed.contains(&name),
                Some(FILE) if name.starts_with(DRAFT_START) => true,
                Some(FILE) => AssetName::parse(&name).is_some() && !listed.contains(&path),
                _ => false,
            };
            if is_left {
                unlisted.push(path);
            }
        }
        for version in 1..STORED_BY_CONTENT {
            let (path, copy) = (older_folder(version), format!("story.version-{version}.db"));
            let is_there = kind(&self.folder().join(&path))? == Some(FOLDER);
            if is_there && kind(&self.folder().join(copy))?.is_none() {
                unlisted.push(path);
            }
        }
        unlisted.sort();
        let file = |path: String| {
            let bytes = bytes_of(&self.folder().join(&path), 16);
            UnlistedFile { path, bytes }
        };
        Ok(unlisted.into_iter().map(file).collect())
    }

    /// Removes files that [`Story::unlisted_files`] has found.
    pub fn remove_unlisted(&self, files: &[UnlistedFile]) -> Result<(), StoryError> {
        let folder = StoryFolder::open(self.folder())?;
        for file in files {
            let removed = match file.path.rsplit_once('/') {
                None => folder.remove(&file.path),
                Some((of, name)) => match folder.folder(of)? {
                    Some(of) => of.remove(name),
                    None => Ok(()),
                },
            };
            let path = self.folder().join(&file.path);
            removed.map_err(|source| StoryError::Io { action: "remove", path, source })?;
        }
        Ok(())
    }
}

fn listed_in(conn: &Connection, db: &Path) -> Result<BTreeSet<String>, StoryError> {
    let sql = "SELECT DISTINCT path FROM assets";
    Ok(rows(conn, db, "`assets`", sql, [], |row| text(row, "path"))?.into_iter().collect())
}

/// Returns the copies of the database beside it.
fn copies(folder: &Path) -> Vec<PathBuf> {
    let is_copy = |name: &String| {
        let is_database =
            Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("db"));
        name.starts_with("story.") && is_database && name != DB_FILE
    };
    names(folder).into_iter().filter(is_copy).map(|name| folder.join(name)).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES_MAX);
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Counts the bytes below a path, to the depth that folders of scripts may have. Does not follow links.
fn bytes_of(path: &Path, depth_left: usize) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => found.len(),
        Ok(found) if found.is_dir() && depth_left > 0 => names(path)
            .iter()
            .map(|name| bytes_of(&path.join(name), depth_left - 1))
            .fold(0, u64::saturating_add),
        _ => 0,
    }
}
