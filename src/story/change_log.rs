//! Hands each change of a story, as lines, to a log that may refuse it, before the change is committed. Knows the tables of
//! [`line_tables`](crate::line_tables); knows nothing of servers and of databases beyond this file.
//!
//! Triggers of the connection alone note which rows a transaction touches. At its end each of these rows becomes a line as an
//! export writes it, or a line of the kind [`REMOVED`] if it is gone. A change without lines, such as a step in the journal,
//! does not reach the log.

use std::{fmt, path::Path};

use rusqlite::{
    Connection, OptionalExtension, Transaction, params_from_iter, types::Value as Cell,
};
use serde_json::{Value, json};

use crate::{
    AssetContent, AssetFolder, AssetName, Story, StoryError,
    format::Durability,
    line_export::{line, write_file_lines},
    line_tables::{LOGGED, LineColumn, LineTable, TABLES, row_with},
    schema::FORMAT_VERSION,
    transaction_log::{LoggedStory, TransactionLog},
};

/// Most bytes of the lines of one change. A turn has at most 64 MiB of text, and files beside it.
pub const CHANGE_BYTES_MAX: usize = 256 << 20;

/// A line that says which row is gone: `of` is the kind of the row's lines, and the other members are its key.
pub(crate) const REMOVED: &str = "removed";

/// Receives the changes of a story.
pub trait ChangeSink: Send + fmt::Debug {
    /// Stores a change for good, or refuses it. A change that may or may not be stored must be found out about before this
    /// returns.
    fn admit(&mut self, change: &StoryChange<'_>) -> Result<LogPosition, ChangeRefused>;
}

/// What one transaction does to a story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoryChange<'a> {
    /// Lines of JSON, each with its end.
    pub lines: &'a str,
    /// The version of the format that the rows have.
    pub format: i64,
    /// The branch that is played after it.
    pub branch: &'a str,
    /// The turns that it adds.
    pub turns: u64,
}

/// The place of a change in its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPosition {
    /// Counts the changes from 1.
    pub ordinal: u64,
    /// The digest of the chain up to it.
    pub digest: String,
}

/// Why the log does not take a change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct ChangeRefused {
    pub what: String,
}

/// The log of an open story.
#[derive(Debug)]
pub(crate) struct AttachedLog {
    sink: Box<dyn ChangeSink>,
    /// The newest turn that the log has.
    last_turn: i64,
    /// The log took a change that the file does not have.
    is_ahead: bool,
    /// The newest turn of the transaction that the log has taken and that has not ended.
    admitted: Option<i64>,
}

impl fmt::Display for LogPosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.ordinal, self.digest)
    }
}

impl LogPosition {
    fn parse(text: &str) -> Option<LogPosition> {
        let (ordinal, digest) = text.split_once(' ')?;
        Some(LogPosition { ordinal: ordinal.parse().ok()?, digest: digest.to_owned() })
    }
}

impl Story {
    /// Hands every change from now on to the log. A story that no log has yet is its own first change.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::NotLogged`] if the log refuses that first change.
    pub fn attach_log(&mut self, sink: Box<dyn ChangeSink>) -> Result<(), StoryError> {
        let failed = |source| StoryError::from_sqlite("set up", self.db(), source);
        note_changes(self.conn()).map_err(failed)?;
        let known = self.log_position()?;
        let last_turn = match &known {
            Some(_) => newest_turn(self.conn()).map_err(failed)?,
            None => 0,
        };
        self.set_log(Box::new(AttachedLog { sink, last_turn, is_ahead: false, admitted: None }));
        if known.is_some() {
            return Ok(());
        }
        let noted = self
            .write(Durability::Disk, |story| note_all(story.tx).map_err(|why| story.failed(why)));
        if noted.is_err() {
            self.detach_log();
        }
        noted
    }

    /// How much of its log the file has; `None` if it never had one.
    pub fn log_position(&self) -> Result<Option<LogPosition>, StoryError> {
        position(self.conn()).map_err(|source| StoryError::from_sqlite("read", self.db(), source))
    }
}

impl TransactionLog for AttachedLog {
    fn begin(&mut self, tx: &Transaction<'_>, story: LoggedStory<'_>) -> Result<(), StoryError> {
        if self.is_ahead {
            let what = "the file lacks a change that its log has".to_owned();
            return Err(StoryError::NotLogged { name: story.name.clone(), what });
        }
        self.admitted = None;
        let failed = |source| StoryError::from_sqlite("write", story.db, source);
        tx.execute("DELETE FROM temp.changed_rows", []).map(drop).map_err(failed)
    }

    fn admit(&mut self, tx: &Transaction<'_>, story: LoggedStory<'_>) -> Result<(), StoryError> {
        let LoggedStory { db, folder, name } = story;
        let failed = |source| StoryError::from_sqlite("write", db, source);
        let lines = changed_lines(tx, db, folder)?;
        if lines.is_empty() {
            return Ok(());
        }
        let branch: String =
            tx.query_one("SELECT branch FROM head", [], |row| row.get(0)).map_err(failed)?;
        let newest = newest_turn(tx).map_err(failed)?;
        let sql = "SELECT count(*) FROM turns WHERE id > ?1";
        let turns: i64 = tx.query_one(sql, [self.last_turn], |row| row.get(0)).map_err(failed)?;
        let turns = turns.unsigned_abs();
        let change = StoryChange { lines: &lines, format: FORMAT_VERSION, branch: &branch, turns };
        let refused =
            |why: ChangeRefused| StoryError::NotLogged { name: name.clone(), what: why.what };
        let at = self.sink.admit(&change).map_err(refused)?;
        // From here on the change is part of the story, whatever becomes of this file.
        self.admitted = Some(newest);
        set_position(tx, &at).map_err(failed)
    }

    fn ended(&mut self, is_committed: bool) {
        match (self.admitted.take(), is_committed) {
            (Some(newest), true) => self.last_turn = newest,
            (Some(_), false) => self.is_ahead = true,
            (None, _) => {}
        }
    }
}

fn newest_turn(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_one("SELECT coalesce(max(id), 0) FROM turns", [], |row| row.get(0))
}

pub(crate) fn position(conn: &Connection) -> rusqlite::Result<Option<LogPosition>> {
    let sql = "SELECT value FROM meta WHERE key = ?1";
    let text: Option<String> = conn.query_row(sql, [LOGGED], |row| row.get(0)).optional()?;
    Ok(text.as_deref().and_then(LogPosition::parse))
}

pub(crate) fn set_position(tx: &Transaction<'_>, at: &LogPosition) -> rusqlite::Result<()> {
    let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2)
               ON CONFLICT DO UPDATE SET value = excluded.value";
    tx.prepare_cached(sql)?.execute((LOGGED, at.to_string())).map(drop)
}

/// Creates the triggers of this connection. A row of `changed_rows` is the place of a table in [`TABLES`] and a key.
fn note_changes(conn: &Connection) -> rusqlite::Result<()> {
    // Otherwise the names of rows would be written to a file.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS changed_rows (place INTEGER NOT NULL, k1, k2, k3)",
    )?;
    for (place, table) in TABLES.iter().enumerate() {
        let LineTable { table: name, .. } = table;
        let note = |row: &str| {
            let keys = padded_key(table, &format!("{row}."));
            format!("INSERT INTO changed_rows VALUES ({place}, {keys});")
        };
        // A removed file is named by its path, because its row number says nothing elsewhere.
        let gone = match table.is_keyless() {
            true => format!("INSERT INTO changed_rows VALUES ({place}, NULL, OLD.path, NULL);"),
            false => note("OLD"),
        };
        let new = note("NEW");
        conn.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS note_insert_{name} AFTER INSERT ON main.{name}
                 BEGIN {new} END;
             CREATE TEMP TRIGGER IF NOT EXISTS note_update_{name} AFTER UPDATE ON main.{name}
                 BEGIN {gone} {new} END;
             CREATE TEMP TRIGGER IF NOT EXISTS note_delete_{name} AFTER DELETE ON main.{name}
                 BEGIN {gone} END;"
        ))?;
    }
    Ok(())
}

fn note_all(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    for (place, table) in TABLES.iter().enumerate() {
        let keys = padded_key(table, "");
        let sql = format!(
            "INSERT INTO temp.changed_rows SELECT {place}, {keys} FROM main.{} ORDER BY {}",
            table.table, table.order
        );
        tx.execute(&sql, [])?;
    }
    Ok(())
}

/// The key as the three columns of `changed_rows`.
fn padded_key(table: &LineTable, prefix: &str) -> String {
    let mut keys: Vec<String> =
        table.key().into_iter().map(|column| format!("{prefix}{column}")).collect();
    keys.resize(3, "NULL".to_owned());
    keys.join(", ")
}

/// Returns the lines of every row that the transaction has touched, in the order of an export.
fn changed_lines(tx: &Transaction<'_>, db: &Path, folder: &Path) -> Result<String, StoryError> {
    let failed = |source| StoryError::from_sqlite("read", db, source);
    let mut lines = String::new();
    let mut files = Vec::new();
    for (place, table) in TABLES.iter().enumerate() {
        // In the order in which they were touched: the digest of a turn has its plans and files in the order of their rows.
        let sql = "SELECT k1, k2, k3 FROM temp.changed_rows WHERE place = ?1
                   GROUP BY k1, k2, k3 ORDER BY min(rowid)";
        let mut select = tx.prepare_cached(sql).map_err(failed)?;
        let keys = select
            .query_map([i64::try_from(place).unwrap_or(i64::MAX)], |row| {
                Ok([row.get::<_, Cell>(0)?, row.get(1)?, row.get(2)?])
            })
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(failed)?;
        for key in keys {
            if table.table == "meta" && key[0] == Cell::Text(LOGGED.to_owned()) {
                continue;
            }
            let change = changed_line(tx, db, table, &key)?;
            if table.is_keyless()
                && let Some(path) = change.path
            {
                files.push(path);
            }
            lines.push_str(&change.line);
            lines.push('\n');
            if lines.len() > CHANGE_BYTES_MAX {
                return Err(too_long(db));
            }
        }
    }
    add_files(db, folder, &files, &mut lines)?;
    Ok(lines)
}

struct ChangedLine {
    line: String,
    /// The file of an added asset.
    path: Option<String>,
}

fn changed_line(
    tx: &Transaction<'_>,
    db: &Path,
    table: &LineTable,
    key: &[Cell; 3],
) -> Result<ChangedLine, StoryError> {
    let failed = |source| StoryError::from_sqlite("read", db, source);
    let columns = table.key();
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let (names, row) = (names.join(", "), row_with(&columns));
    let sql = format!("SELECT {names} FROM main.{} WHERE {row}", table.table);
    let mut select = tx.prepare_cached(&sql).map_err(failed)?;
    let mut found = select.query(params_from_iter(&key[..columns.len()])).map_err(failed)?;
    if let Some(row) = found.next().map_err(failed)? {
        let damaged = |what| StoryError::Damaged { path: db.to_owned(), what };
        let line = line(table, row).map_err(|why| damaged(format!("`{}`: {why}", table.table)))?;
        let path = table.is_keyless().then(|| row.get("path")).transpose().map_err(failed)?;
        return Ok(ChangedLine { line, path });
    }
    let mut removed = json!({"kind": REMOVED, "of": table.kind});
    if table.is_keyless() {
        removed["path"] = cell_value(&key[1]);
    } else {
        for (name, cell) in columns.iter().zip(key) {
            let member = table.column(name).map_or_else(|| (*name).to_owned(), LineColumn::member);
            removed[member] = cell_value(cell);
        }
    }
    Ok(ChangedLine { line: removed.to_string(), path: None })
}

fn cell_value(cell: &Cell) -> Value {
    match cell {
        Cell::Integer(number) => (*number).into(),
        Cell::Text(text) => text.as_str().into(),
        Cell::Null | Cell::Real(_) | Cell::Blob(_) => Value::Null,
    }
}

/// Adds the bytes of the files, each once. A missing one stays missing wherever the story is built again.
fn add_files(
    db: &Path,
    folder: &Path,
    paths: &[String],
    lines: &mut String,
) -> Result<(), StoryError> {
    if paths.is_empty() {
        return Ok(());
    }
    let Some(assets) = AssetFolder::open(folder)? else { return Ok(()) };
    let mut known: Vec<&str> = Vec::new();
    for path in paths {
        let Some(name) = AssetName::of_path(path) else { continue };
        if known.contains(&path.as_str()) {
            continue;
        }
        known.push(path);
        let Ok(AssetContent::Whole(bytes)) = assets.content(&name) else { continue };
        if lines.len() as u64 + bytes / 3 * 4 > CHANGE_BYTES_MAX as u64 {
            return Err(too_long(db));
        }
        let mut file = Vec::new();
        write_file_lines(&assets, &name, bytes, &mut file)?;
        lines.push_str(&String::from_utf8_lossy(&file));
    }
    Ok(())
}

fn too_long(db: &Path) -> StoryError {
    let what = format!("a change of it has more than {CHANGE_BYTES_MAX} bytes, which no log takes");
    StoryError::Damaged { path: db.to_owned(), what }
}
