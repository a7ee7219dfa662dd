//! Lists the stories of a folder.

use std::{fs, io, path::Path};

use jiff::Timestamp;

use crate::{
    StoryError, StoryName,
    format::{self, DB_FILE},
};
use narratoria_protocol::nearest::nearest;

/// How many entries of the folder an error searches for a similar name.
const NAMES_READ_MAX: usize = 10_000;

/// How many names an error shows.
const NAMES_SHOWN: usize = 5;

/// A story's name, and its summary if it can be read.
#[derive(Debug)]
pub struct StoryListing {
    pub name: StoryName,
    /// An error for a story that cannot be read, so that the list still shows the others.
    pub summary: Result<StorySummary, StoryError>,
}

/// A story on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorySummary {
    /// From the beginning to the head.
    pub turns: u64,
    /// When its last turn ended; without a turn, when it was created.
    pub updated_at: Timestamp,
}

/// The stories under `root`, sorted by name; none if `root` is missing. Ignores folders without a database
/// and folders whose name is no story's name.
pub fn list(root: &Path) -> Result<Vec<StoryListing>, StoryError> {
    let failed = |source| StoryError::Io { action: "list", path: root.to_owned(), source };
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut listed = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let Some(name) = entry.file_name().to_str().and_then(|name| StoryName::parse(name).ok())
        else {
            continue;
        };
        let folder = entry.path();
        let db = folder.join(DB_FILE);
        let found = match (format::kind(&folder), format::kind(&db)) {
            (Ok(Some(format::FOLDER)), Ok(Some(_))) => summary(&db),
            (Ok(Some(format::FOLDER)), Err(error)) | (Err(error), _) => Err(error),
            _ => continue,
        };
        listed.push(StoryListing { name, summary: found });
    }
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(listed)
}

/// The error for a missing story, with the most similar name.
pub(crate) fn unknown_story_error(root: &Path, name: &StoryName) -> StoryError {
    // Only for the message, so a root that cannot be read counts as empty.
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
    let conn = format::open_read_only(db)?;
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
    Ok(StorySummary { turns, updated_at })
}
