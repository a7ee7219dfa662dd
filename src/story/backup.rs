//! Copies a story's database beside it, and restores it from a copy.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::Connection;

use crate::{
    Story, StoryError, StoryName,
    folder::{self, DB_FILE},
    format,
    lock::PlayLock,
};

/// How many copies of one kind may lie beside the database.
const BACKUPS_MAX: usize = 999;

/// The reason for a copy, which is a part of its name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BackupKind {
    /// The player asked for it.
    Asked,
    BeforeRepair,
    BeforeRestore,
}

impl BackupKind {
    fn word(self) -> &'static str {
        match self {
            BackupKind::Asked => "backup",
            BackupKind::BeforeRepair => "before-repair",
            BackupKind::BeforeRestore => "before-restore",
        }
    }
}

impl Story {
    /// Copies the whole database into a file beside it, which is a complete database of its own.
    pub fn back_up(&self) -> Result<PathBuf, StoryError> {
        back_up(self.conn(), self.folder(), BackupKind::Asked)
    }
}

/// Replaces the database with a copy. The present database is kept beside it.
///
/// # Errors
///
/// Returns [`StoryError::NotAStory`] and others if the copy is no story that this program reads;
/// [`StoryError::PlayedElsewhere`] while a process plays the story.
pub fn restore(
    root: &Path,
    name: &StoryName,
    copy: &Path,
    now: Timestamp,
) -> Result<Option<PathBuf>, StoryError> {
    let folder = root.join(name.as_str());
    // A copy that cannot be read must not replace anything.
    let (source, _) = format::open_read_only(copy)?;
    folder::create(root, &folder)?;
    let _lock = PlayLock::acquire(&folder, name, now)?;
    let db = folder.join(DB_FILE);
    let failed = |path: &Path, source| {
        let path = path.to_owned();
        StoryError::Io { action: "put the copy in the place of", path, source }
    };
    let fresh = free_path(&folder, "restored")?;
    copy_into(&source, &fresh)?;
    let kept = match folder::is_missing_or_empty(&db) {
        true => None,
        false => Some(free_path(&folder, BackupKind::BeforeRestore.word())?),
    };
    let new_places = kept.as_deref().map(folder::database_files);
    // The database is moved last, because the files beside it belong to it as long as it is there.
    for (at, file) in folder::database_files(&db).iter().enumerate().rev() {
        let moved = match &new_places {
            Some(places) => fs::rename(file, &places[at]),
            None => fs::remove_file(file),
        };
        if let Err(error) = moved
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(failed(&db, error));
        }
    }
    fs::rename(&fresh, &db).map_err(|error| failed(&db, error))?;
    Ok(kept)
}

/// Returns the copy beside the database that [`Story::back_up`] made last. A number that an older copy had is given again once
/// that copy is gone, so the time of the file decides, and the number only between two of one time.
pub fn newest_copy(folder: &Path) -> Option<PathBuf> {
    let copies = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| {
        let number = copy_number(entry.file_name().to_str()?, BackupKind::Asked)?;
        let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        Some((found.modified().ok()?, number, entry.path()))
    });
    copies.max().map(|(_, _, path)| path)
}

/// Copies a database into a new file in the folder, with its log.
pub(crate) fn back_up(
    conn: &Connection,
    folder: &Path,
    kind: BackupKind,
) -> Result<PathBuf, StoryError> {
    let path = free_path(folder, kind.word())?;
    copy_into(conn, &path)?;
    Ok(path)
}

fn copy_into(conn: &Connection, path: &Path) -> Result<(), StoryError> {
    let path_text = format::path_text(path)?;
    // SQLite accepts an empty file, and this one is closed to other users.
    folder::create_database(path)?;
    conn.execute("VACUUM INTO ?1", [path_text]).map(drop).map_err(|source| {
        // A partial copy would look like a complete one.
        let _ = fs::remove_file(path);
        StoryError::from_sqlite("copy the story to", path, source)
    })
}

fn copy_name(word: &str, number: usize) -> String {
    format!("story.{word}-{number}.db")
}

/// The number in the name of a copy; `None` if the file is no copy of this kind.
fn copy_number(name: &str, kind: BackupKind) -> Option<usize> {
    let number = name.rsplit_once('-')?.1.strip_suffix(".db")?.parse().ok()?;
    (copy_name(kind.word(), number) == name).then_some(number)
}

fn free_path(folder: &Path, word: &str) -> Result<PathBuf, StoryError> {
    let mut paths = (1..=BACKUPS_MAX).map(|n| folder.join(copy_name(word, n)));
    paths.find(|path| matches!(folder::kind(path), Ok(None))).ok_or_else(|| {
        let source = io::Error::other(format!("there are {BACKUPS_MAX} copies already"));
        StoryError::Io { action: "copy the story into", path: folder.to_owned(), source }
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    /// The names of the files, each so many seconds old.
    #[track_caller]
    fn check(files: &[(&str, u64)], expect: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        for (name, age) in files {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(now - Duration::from_secs(*age)).unwrap();
        }
        let found = newest_copy(folder.path());
        assert_eq!(found, expect.map(|name| folder.path().join(name)));
    }

    #[test]
    fn the_newest_copy_is_the_one_that_was_made_last() {
        check(&[("story.backup-1.db", 1), ("story.backup-2.db", 60)], Some("story.backup-1.db"));
        check(&[("story.backup-9.db", 60), ("story.backup-10.db", 60)], Some("story.backup-10.db"));
        check(&[("story.db", 1)], None);
    }

    #[test]
    fn other_files_and_folders_are_no_copies() {
        let others = [
            "story.before-restore-1.db",
            "story.backup-.db",
            "story.backup-+1.db",
            "story.backup-01.db",
            "story.backup-1.db-wal",
        ];
        check(&others.map(|name| (name, 1)), None);
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("story.backup-1.db")).unwrap();
        assert_eq!(newest_copy(folder.path()), None);
    }
}
