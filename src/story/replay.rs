//! Builds a story from the changes that its log has, or brings an older copy of it to their end. The file is a cache of the
//! log: it may be gone, damaged or behind, and the result is the same.

use std::{
    fs,
    io::BufReader,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use rusqlite::{Connection, Transaction, params_from_iter};

use crate::{
    StoryError, StoryName,
    aside::AsideFolder,
    change_log::{self, LogPosition, REMOVED},
    entities, folder,
    folder::DB_FILE,
    format::{self, Durability},
    import::{ImportedStory, cell},
    import_check::{self, FileCheck},
    import_error::ImportError,
    line_reader::{LineReader, StoryLine},
    line_tables::{TABLES, row_with, table_of},
    schema::FORMAT_VERSION,
};

/// Beginning of the name of a folder with a story that its log no longer has. No story's name begins with a dot.
const KEPT_START: &str = ".kept-";

/// Most such folders of one story.
const KEPT_MAX: usize = 100;

/// A change as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedChange {
    pub at: LogPosition,
    /// The version of the format of its rows.
    pub format: i64,
    pub lines: String,
}

/// Where the changes come from. Each call returns the next one; the error says why there is none.
pub type ChangeSource<'a> = &'a mut dyn FnMut() -> Result<Option<LoggedChange>, String>;

/// Why a story cannot be built from its log.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Story(#[from] StoryError),
    #[error("the log of the story cannot be read: {what}")]
    Log { what: String },
    #[error(
        "change {ordinal} of the story has format {found}, this program reads up to {FORMAT_VERSION}; use a newer narratoria"
    )]
    NewerFormat { ordinal: u64, found: i64 },
    #[error("change {ordinal} of the story cannot be read: {source}")]
    Change { ordinal: u64, source: ImportError },
    #[error("the story of the log is not whole: {what}")]
    NotWhole { what: String },
    #[error("the log has no change of this story")]
    Empty,
}

/// Builds the story from all its changes, in the place of a copy that may be there. Returns its position.
pub fn rebuild(
    root: &Path,
    name: &StoryName,
    now: Timestamp,
    changes: ChangeSource<'_>,
) -> Result<LogPosition, ReplayError> {
    let target = root.join(name.as_str());
    fs::create_dir_all(root).map_err(|source| {
        let path = root.to_owned();
        StoryError::Io { action: "create the folder", path, source }
    })?;
    let aside = AsideFolder::create(root)?;
    let built = aside.path().join(name.as_str());
    folder::create(aside.path(), &built)?;
    let db = built.join(DB_FILE);
    let mut conn = format::open(&db, now, 0)?;
    let at = apply(&mut conn, &built, None, changes)?.ok_or(ReplayError::Empty)?;
    // Once its connection is closed, the database is a single file.
    drop(conn);
    if folder::kind(&target)?.is_some() {
        // Removed with the folder aside.
        let old = aside.path().join("old");
        fs::rename(&target, &old).map_err(|source| StoryError::Io {
            action: "replace",
            path: target.clone(),
            source,
        })?;
    }
    aside.put(&built, &target)?;
    Ok(at)
}

/// Adds the changes after `from` to a copy that is there. Returns its new position; `None` if another process has moved the copy
/// on meanwhile.
pub fn catch_up(
    root: &Path,
    name: &StoryName,
    from: &LogPosition,
    changes: ChangeSource<'_>,
) -> Result<Option<LogPosition>, ReplayError> {
    let story = root.join(name.as_str());
    let db = story.join(DB_FILE);
    let Some((mut conn, None)) = format::open_existing(&db)? else {
        return Err(StoryError::ReadOnly { path: db }.into());
    };
    apply(&mut conn, &story, Some(from), changes)
}

/// Returns how much of its log a copy has; `None` if there is none that can be read.
pub fn position_of_copy(root: &Path, name: &StoryName) -> Option<LogPosition> {
    let db = root.join(name.as_str()).join(DB_FILE);
    if folder::is_missing_or_empty(&db) {
        return None;
    }
    let (conn, version) = format::open_read_only(&db).ok()?;
    // A copy of an older format would be migrated, and the log would not know.
    (version == FORMAT_VERSION).then(|| change_log::position(&conn).ok().flatten()).flatten()
}

/// Puts a copy aside that has what its log has lost. Returns the folder.
pub fn keep_aside(root: &Path, name: &StoryName) -> Result<PathBuf, StoryError> {
    let from = root.join(name.as_str());
    let free = (1..=KEPT_MAX)
        .map(|n| root.join(format!("{KEPT_START}{name}-{n}")))
        .find(|path| path.symlink_metadata().is_err());
    let to = free.unwrap_or_else(|| root.join(format!("{KEPT_START}{name}-1")));
    match fs::rename(&from, &to) {
        Ok(()) => Ok(to),
        Err(source) => Err(StoryError::Io { action: "put aside", path: from, source }),
    }
}

/// Applies the changes in one transaction, to a copy at that position or to a new one.
fn apply(
    conn: &mut Connection,
    story: &Path,
    from: Option<&LogPosition>,
    changes: ChangeSource<'_>,
) -> Result<Option<LogPosition>, ReplayError> {
    let db = story.join(DB_FILE);
    let failed = |source| StoryError::from_sqlite("write", &db, source);
    let mut fault = None;
    let mut last = None;
    let applied = format::write(conn, &db, Durability::Disk, |tx| {
        match apply_all(tx, story, from, changes) {
            Ok(at) => last = at,
            Err(error) => {
                fault = Some(error);
                // Any error rolls back; the caller gets the other one.
                return Err(failed(rusqlite::Error::QueryReturnedNoRows));
            }
        }
        Ok(())
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    applied?;
    format::checkpoint(conn);
    Ok(last)
}

fn apply_all(
    tx: &Transaction<'_>,
    story: &Path,
    from: Option<&LogPosition>,
    changes: ChangeSource<'_>,
) -> Result<Option<LogPosition>, ReplayError> {
    let db = story.join(DB_FILE);
    let failed = |source| StoryError::from_sqlite("write", &db, source);
    let is_new = from.is_none();
    if let Some(from) = from
        && change_log::position(tx).map_err(failed)?.as_ref() != Some(from)
    {
        return Ok(None);
    }
    tx.execute_batch("PRAGMA defer_foreign_keys = ON").map_err(failed)?;
    if is_new {
        for table in TABLES {
            tx.execute_batch(&format!("DELETE FROM {}", table.table)).map_err(failed)?;
        }
    }
    let mut rows =
        ImportedStory { folder: story, db: db.clone(), tx, file_bytes: 0, replaces: true };
    let (mut last, mut has_entities) = (None, is_new);
    while let Some(change) = changes().map_err(|what| ReplayError::Log { what })? {
        let LoggedChange { at, format, lines } = change;
        let ordinal = at.ordinal;
        if format > FORMAT_VERSION {
            return Err(ReplayError::NewerFormat { ordinal, found: format });
        }
        has_entities |= lines.contains(r#""kind":"entity""#) || lines.contains(r#""of":"entity""#);
        let mut from = BufReader::new(lines.as_bytes());
        let mut reader = LineReader::of_change(&mut from);
        let mut add = || -> Result<(), ImportError> {
            while let Some(line) = reader.next_of_change()? {
                match line.kind.as_str() {
                    REMOVED => remove(tx, &db, line, &reader)?,
                    _ => rows.add(line, &mut reader)?,
                }
            }
            Ok(())
        };
        add().map_err(|source| ReplayError::Change { ordinal, source })?;
        last = Some(at);
    }
    let Some(at) = &last else { return Ok(None) };
    let accept_file: FileCheck<'_> = &|_, _, _| None;
    import_check::check(tx, &db, story, accept_file).map_err(|error| match error {
        ImportError::Story(error) => ReplayError::Story(error),
        error => ReplayError::NotWhole { what: error.to_string() },
    })?;
    if has_entities {
        entities::clear_indexes(tx).map_err(failed)?;
        entities::index_imported(tx, &db)?;
    }
    change_log::set_position(tx, at).map_err(failed)?;
    Ok(last)
}

/// Removes the row that a line names.
fn remove(
    tx: &Transaction<'_>,
    db: &Path,
    mut line: StoryLine,
    lines: &LineReader<'_>,
) -> Result<(), ImportError> {
    let of = line.members.shift_remove("of");
    let table = of.as_ref().and_then(|of| table_of(of.as_str()?));
    let table = table.ok_or_else(|| lines.fault("it removes a row of no table"))?;
    let names = if table.is_keyless() { vec!["path"] } else { table.key() };
    let mut cells = Vec::new();
    for name in &names {
        let column = table.column(name).ok_or_else(|| lines.fault("its table has no such key"))?;
        let value = line.members.shift_remove(&column.member()).unwrap_or_default();
        cells.push(cell(column, value).map_err(|what| lines.fault(what))?);
    }
    let sql = format!("DELETE FROM {} WHERE {}", table.table, row_with(&names));
    let removed =
        tx.prepare_cached(&sql).and_then(|mut delete| delete.execute(params_from_iter(cells)));
    removed.map(drop).map_err(|source| StoryError::from_sqlite("write", db, source).into())
}
