//! Copies of plans that an older program has left in `plans/`. They are moved to `records/` once, because `plans/` now
//! belongs to the plans of ticks.

use std::{fs, io, path::Path};

use rusqlite::Connection;

use crate::{StoryError, folder};

/// In the story's folder.
const PLANS: &str = "plans";
const RECORDS: &str = "records";

/// The key in `meta` that records that the move is done.
const DONE: &str = "records";

/// Most names that are tried if a folder `records` already exists.
const NAMES_MAX: u32 = 100;

/// Moves the copies aside, unless that was done before.
pub(crate) fn put_aside(conn: &Connection, db: &Path, story: &Path) -> Result<(), StoryError> {
    let failed = |source| StoryError::from_sqlite("read", db, source);
    let sql = "SELECT count(*) FROM meta WHERE key = ?1";
    let done: i64 = conn.query_one(sql, [DONE], |row| row.get(0)).map_err(failed)?;
    if done > 0 {
        return Ok(());
    }
    let from = story.join(PLANS);
    if folder::kind(&from)? == Some(folder::FOLDER) {
        let moved = free_name(story).and_then(|to| fs::rename(&from, story.join(to)));
        moved.map_err(|source| StoryError::Io { action: "move aside", path: from, source })?;
    }
    let sql = "INSERT INTO meta (key, value) VALUES (?1, 'moved') ON CONFLICT DO NOTHING";
    conn.execute(sql, [DONE]).map_err(|source| StoryError::from_sqlite("write", db, source))?;
    Ok(())
}

/// Returns `records`, or the first free name of `records-2`, ….
fn free_name(story: &Path) -> io::Result<String> {
    let names = (1..=NAMES_MAX).map(|n| match n {
        1 => RECORDS.to_owned(),
        n => format!("{RECORDS}-{n}"),
    });
    for name in names {
        match story.join(&name).symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(name),
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    Err(io::Error::other(format!("there are {NAMES_MAX} folders `{RECORDS}` already")))
}
