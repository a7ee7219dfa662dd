//! The folder of a story and the file of its database before SQLite opens it. Creates both for their owner alone, and
//! refuses to begin a new story in a folder whose story has lost its database.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use crate::StoryError;

/// The database, in the story's folder.
pub(crate) const DB_FILE: &str = "story.db";

/// The lock of the process that plays the story, in its folder. Its line names the process and since when it plays.
pub(crate) const PLAY_LOCK_FILE: &str = "play.lock";

/// The [`kind`] of a folder.
pub(crate) const FOLDER: &str = "a folder";
/// The [`kind`] of a file.
pub(crate) const FILE: &str = "a file";

/// Most names that an error shows.
const NAMES_SHOWN: usize = 5;

/// The kind of file at `path`, if there is one. Does not follow links.
pub(crate) fn kind(path: &Path) -> Result<Option<&'static str>, StoryError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Ok(Some("a symbolic link")),
        Ok(found) if found.is_dir() => Ok(Some(FOLDER)),
        Ok(found) if found.is_file() => Ok(Some(FILE)),
        Ok(_) => Ok(Some("neither a file nor a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoryError::Io { action: "look at", path: path.to_owned(), source }),
    }
}

/// Creates the folder of a story, and the folder of all stories.
pub(crate) fn create(root: &Path, folder: &Path) -> Result<(), StoryError> {
    let failed = |path: &Path, source| {
        let path = path.to_owned();
        Err(StoryError::Io { action: "create the folder", path, source })
    };
    if let Err(error) = for_owner(DirBuilder::new().recursive(true)).create(root) {
        return failed(root, error);
    }
    match kind(folder)? {
        Some(FOLDER) => Ok(()),
        Some(found) => {
            Err(StoryError::WrongKind { path: folder.to_owned(), found, expected: FOLDER })
        }
        None => match for_owner(&mut DirBuilder::new()).create(folder) {
            // Another process is creating this story at the same time.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => failed(folder, error),
            Ok(()) => Ok(()),
        },
    }
}

/// Creates the empty file of the database. SQLite gives its other files the same permissions.
pub(crate) fn create_database(db: &Path) -> Result<(), StoryError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(db) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(StoryError::Io { action: "create", path: db.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}

/// Removes the permissions of other users from the files of a story that an older program has created. If that fails,
/// the story is still played.
pub(crate) fn close_to_others(db: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let close = |path: &Path| {
            let Ok(found) = fs::symlink_metadata(path) else { return };
            let mode = found.permissions().mode() & 0o7777;
            if !found.is_symlink() && mode & 0o077 != 0 {
                let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & !0o077));
            }
        };
        db.parent().into_iter().for_each(close);
        database_files(db).iter().for_each(|file| close(file));
    }
    #[cfg(not(unix))]
    let _ = db;
}

/// Returns the files that SQLite keeps for a database, the database itself first. Some of them may not exist.
pub(crate) fn database_files(db: &Path) -> [PathBuf; 4] {
    ["", "-wal", "-shm", "-journal"].map(|suffix| {
        let mut file = db.as_os_str().to_owned();
        file.push(suffix);
        PathBuf::from(file)
    })
}

/// Returns true if the file is missing or empty.
pub(crate) fn is_missing_or_empty(db: &Path) -> bool {
    fs::symlink_metadata(db).map_or(true, |found| found.is_file() && found.len() == 0)
}

/// Returns an error if the folder has remains of a story whose database is missing or empty.
///
/// A new database there would count its plans from 1 and so overwrite the copies of the old story.
pub(crate) fn check_not_lost(db: &Path) -> Result<(), StoryError> {
    let Some(folder) = db.parent() else { return Ok(()) };
    let left = remains(folder);
    if left.is_empty() {
        return Ok(());
    }
    let more = if left.len() > NAMES_SHOWN { ", …" } else { "" };
    let shown: Vec<String> =
        left.iter().take(NAMES_SHOWN).map(|name| format!("`{name}`")).collect();
    let found = if db.symlink_metadata().is_ok() { "empty" } else { "missing" };
    let left = format!("{}{more}", shown.join(", "));
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(StoryError::DatabaseLost { path: db.to_owned(), found, left, name })
}

/// Returns the names of a story's remains in its folder: folders that are not empty, and files named after the
/// database.
fn remains(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(found) = fs::symlink_metadata(entry.path()) else { continue };
        // The process that played the story has written its name to the file.
        let is_played = found.is_file() && name == PLAY_LOCK_FILE && found.len() > 0;
        let is_own = found.is_file()
            && name != DB_FILE
            && name.starts_with("story.")
            && !name.ends_with("-shm")
            // The rollback journal of a database whose creation was interrupted: there was no story yet.
            && !name.ends_with("-journal")
            && found.len() > 0;
        let is_filled = || fs::read_dir(entry.path()).is_ok_and(|mut inner| inner.next().is_some());
        if is_own || is_played || (found.is_dir() && !name.starts_with('.') && is_filled()) {
            names.push(narratoria_protocol::visible::visible_word(&name).into_owned());
        }
    }
    names.sort();
    names
}

/// Lets a builder create folders that only their owner may open.
fn for_owner(builder: &mut DirBuilder) -> &mut DirBuilder {
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
    builder
}
