//! Lists the stories of a folder.

use std::{fs, io, path::Path};

use jiff::Timestamp;

use crate::{
    StoryError, StoryName,
    folder::{self, DB_FILE, FOLDER},
    format,
};
use narratoria_protocol::nearest::nearest;

/// How many entries of the folder an error searches for a similar name.
const NAMES_READ_MAX: usize = 10_000;

/// How many names an error shows.
const NAMES_SHOWN: usize = 5;

/// Most stories of a list. A list opens each story's file.
pub const STORIES_LISTED_MAX: usize = 1_000;

/// Most files of a story whose sizes are added up. A story with more is larger than its list says.
const FILES_MEASURED_MAX: usize = 10_000;

/// Deepest folder of a story whose files are measured.
const FOLDERS_MEASURED_MAX: usize = 16;

/// The stories of a folder.
#[derive(Debug, Default)]
pub struct StoryList {
    /// The first stories by name.
    pub stories: Vec<StoryListing>,
    /// The number of folders beyond the limit.
    pub left_off: usize,
}

/// A story's name, and its summary if it can be read.
#[derive(Debug)]
pub struct StoryListing {
    pub name: StoryName,
    /// An error if the story cannot be read, so that the list still shows the others.
    pub summary: Result<StorySummary, StoryError>,
    /// Bytes of all its files.
    pub bytes: u64,
}

/// A story as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorySummary {
    /// The number of turns from the beginning to the head.
    pub turns: u64,
    /// When its last turn ended; without a turn, when it was created.
    pub updated_at: Timestamp,
    /// The title of its campaign, if it has one.
    pub title: Option<String>,
    /// The version of its format. An older one is brought to [`FORMAT_VERSION`](crate::FORMAT_VERSION) when it is played.
    pub format: i64,
}

/// Returns the stories under `root`, sorted by name; none if `root` is missing. Ignores folders without a database
/// and folders whose name is no story's name.
pub fn list(root: &Path) -> Result<StoryList, StoryError> {
    let failed = |source| StoryError::Io { action: "list", path: root.to_owned(), source };
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoryList::default()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries.take(NAMES_READ_MAX) {
        let entry = entry.map_err(failed)?;
        names.extend(entry.file_name().to_str().and_then(|name| StoryName::parse(name).ok()));
    }
    names.sort();
    let mut list = StoryList::default();
    for name in names {
        if list.stories.len() == STORIES_LISTED_MAX {
            list.left_off += 1;
            continue;
        }
        let path = root.join(name.as_str());
        let db = path.join(DB_FILE);
        let summary = match (folder::kind(&path), folder::kind(&db)) {
            (Ok(Some(FOLDER)), Ok(Some(_))) => summary(&db),
            (Ok(Some(FOLDER)), Err(error)) | (Err(error), _) => Err(error),
            (Ok(Some(FOLDER)), Ok(None)) => match folder::check_not_lost(&db) {
                Err(error) => Err(error),
                Ok(()) => continue,
            },
            _ => continue,
        };
        let mut files_left = FILES_MEASURED_MAX;
        let bytes = folder_bytes(&path, FOLDERS_MEASURED_MAX, &mut files_left);
        list.stories.push(StoryListing { name, summary, bytes });
    }
    Ok(list)
}

/// Counts the bytes of the files below a folder, for at most `files_left` files. Does not follow links.
fn folder_bytes(folder: &Path, depth_left: usize, files_left: &mut usize) -> u64 {
    // The size only informs people, so a file that cannot be read does not count.
    let mut bytes = 0_u64;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if *files_left == 0 {
            break;
        }
        *files_left -= 1;
        bytes = bytes.saturating_add(match entry.metadata() {
            Ok(found) if found.is_dir() && depth_left > 0 => {
                folder_bytes(&entry.path(), depth_left - 1, files_left)
            }
            Ok(found) if found.is_file() => found.len(),
            _ => 0,
        });
    }
    bytes
}

/// Returns the error for a missing story, with the most similar name.
pub(crate) fn unknown_story_error(root: &Path, name: &StoryName) -> StoryError {
    // This is only for the message, so a root that cannot be read counts as empty.
    let entries = fs::read_dir(root).into_iter().flatten().flatten().take(NAMES_READ_MAX);
    let mut names: Vec<StoryName> = entries
        .filter(|entry| {
            let found = fs::metadata(entry.path().join(DB_FILE));
            found.is_ok_and(|found| found.is_file() && found.len() > 0)
        })
        .filter_map(|entry| StoryName::parse(entry.file_name().to_str()?).ok())
        .collect();
    names.sort();
    let instead = match nearest(name.as_str(), names.iter().map(StoryName::as_str)) {
        None if names.is_empty() => {
            format!("there are none yet; `narratoria run --story {name}` begins it")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let more = if names.len() > NAMES_SHOWN { ", …" } else { "" };
            let shown: Vec<_> = names.iter().take(NAMES_SHOWN).map(|n| format!("`{n}`")).collect();
            format!("there are {}{more}", shown.join(", "))
        }
    };
    StoryError::UnknownStory { name: name.clone(), root: root.to_owned(), instead }
}

/// The error for a story with an empty file.
pub(crate) fn empty_story_error(root: &Path, name: &StoryName) -> StoryError {
    let instead = format!("its file is empty; `narratoria run --story {name}` begins it");
    StoryError::UnknownStory { name: name.clone(), root: root.to_owned(), instead }
}

fn summary(db: &Path) -> Result<StorySummary, StoryError> {
    if folder::is_missing_or_empty(db) {
        folder::check_not_lost(db)?;
    }
    let (conn, format) = format::open_read_only(db)?;
    let sql = "
        SELECT coalesce(turns.depth, 0),
               coalesce(turns.finished_at, (SELECT value FROM meta WHERE key = 'opened_at'))
        FROM head LEFT JOIN turns ON turns.id = head.turn";
    let (turns, updated_at): (i64, String) = conn
        .query_one(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(|source| StoryError::from_sqlite("read", db, source))?;
    let damaged = |what| StoryError::Damaged { path: db.to_owned(), what };
    let turns = turns.try_into().map_err(|_| damaged(format!("it has {turns} turns")))?;
    let updated_at = updated_at.parse().map_err(|error: jiff::Error| damaged(error.to_string()))?;
    // A story of an older program has no such table, and a title only informs people.
    let title = conn.query_one("SELECT title FROM campaign", [], |row| row.get::<_, String>(0));
    let title = title.ok().filter(|title| !title.trim().is_empty());
    Ok(StorySummary { turns, updated_at, title, format })
}
