//! The skills' stores: text under keys, one store for each skill.
//!
//! `store_now` holds the stores at the head. `store_log` holds, for each turn, every key that it changed with
//! the value before and after, so that the cost of going back or forth over a turn depends only on the
//! writes of that turn, not on the length of the story.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::{
    StoreRow, Story, StoryError, TurnId,
    columns::{number, rows, text, text_or_null},
    name::quote,
    store::StoryTransaction,
    tree::{self, TreePath},
};
use narratoria_protocol::{STORES_BYTES_MAX, Stores};

impl Story {
    /// Returns the stores of all skills after the last turn.
    pub fn stores(&self) -> Result<Stores, StoryError> {
        // The size is checked before anything is read into memory.
        let sql = "
            SELECT coalesce(sum(octet_length(skill) + octet_length(key) + octet_length(value)), 0)
                AS bytes
            FROM store_now";
        let bytes = self.rows("`store_now`", sql, [], |row| number::<usize>(row, "bytes"))?;
        if let Some(bytes) = bytes.into_iter().find(|bytes| *bytes > STORES_BYTES_MAX) {
            let what =
                format!("`store_now` is {bytes} bytes long, the limit is {STORES_BYTES_MAX}");
            return Err(self.damaged(what));
        }
        let mut stores = Stores::new();
        let sql = "SELECT skill, key, value FROM store_now";
        let rows = self.rows("`store_now`", sql, [], |row| {
            Ok((text(row, "skill")?, text(row, "key")?, text(row, "value")?))
        })?;
        for (skill, key, value) in rows {
            stores.entry(skill).or_default().insert(key, value);
        }
        Ok(stores)
    }

    /// Returns the stores of all skills right after `turn`. The cost depends on the writes of the turns between it
    /// and the head.
    pub fn stores_at(&self, turn: TurnId) -> Result<Stores, StoryError> {
        let mut stores = self.stores()?;
        self.turn(turn)?;
        let path = tree::path(self.conn(), self.db(), self.head(), Some(turn))?;
        for ((skill, key), value) in changes_of(self.conn(), self.db(), &path)? {
            set(&mut stores, &skill, &key, value);
        }
        Ok(stores)
    }
}

/// Returns the last value of every key that the turns of a path have changed.
pub(crate) fn changes_of(
    conn: &Connection,
    db: &Path,
    path: &TreePath,
) -> Result<BTreeMap<(String, String), Option<String>>, StoryError> {
    let sql = "SELECT skill, key, value_before, value_after FROM store_log WHERE turn = ?1";
    let mut changes = BTreeMap::new();
    let back = path.back.iter().map(|turn| (turn, "value_before"));
    for (turn, column) in back.chain(path.forth.iter().map(|turn| (turn, "value_after"))) {
        let of_turn = rows(conn, db, "`store_log`", sql, [turn.get()], |row| {
            Ok(((text(row, "skill")?, text(row, "key")?), text_or_null(row, column)?))
        })?;
        changes.extend(of_turn);
    }
    Ok(changes)
}

/// Sets the stores to their values at the end of a path, which begins at the head.
pub(crate) fn move_stores(story: &StoryTransaction<'_>, path: &TreePath) -> Result<(), StoryError> {
    let changes = changes_of(story.tx, story.db, path)?;
    let changes: BTreeMap<(&str, &str), Option<&str>> = changes
        .iter()
        .map(|((skill, key), value)| ((skill.as_str(), key.as_str()), value.as_deref()))
        .collect();
    write_all(story.tx, None, &changes).map_err(|source| story.failed(source))?;
    Ok(())
}

/// Sets or deletes one value. Deleting a skill's last key deletes its store.
fn set(stores: &mut Stores, skill: &str, key: &str, value: Option<String>) {
    match value {
        Some(value) => {
            stores.entry(skill.to_owned()).or_default().insert(key.to_owned(), value);
        }
        None => {
            if let Some(store) = stores.get_mut(skill) {
                store.remove(key);
                if store.is_empty() {
                    stores.remove(skill);
                }
            }
        }
    }
}

/// Applies a turn's writes in order, and logs the value of each key before and after the turn.
pub(crate) fn write_stores(
    story: &StoryTransaction<'_>,
    turn: TurnId,
    writes: &[StoreRow],
) -> Result<(), StoryError> {
    // Only the last write to a key counts.
    let last: BTreeMap<(&str, &str), Option<&str>> = writes
        .iter()
        .filter(|row| !row.is_entity())
        .map(|row| ((row.skill.as_str(), row.key.as_str()), row.value.as_deref()))
        .collect();
    if last.is_empty() {
        return Ok(());
    }
    let bytes = write_all(story.tx, Some(turn), &last).map_err(|source| story.failed(source))?;
    if bytes <= STORES_BYTES_MAX {
        return Ok(());
    }
    let size = |(_, value): &(&(&str, &str), &Option<&str>)| value.map_or(0, str::len);
    let (skill, key) = last.iter().max_by_key(size).map_or(("", ""), |(at, _)| *at);
    let (skill, key) = (quote(skill), quote(key));
    Err(StoryError::StoresTooBig { bytes, limit: STORES_BYTES_MAX, skill, key })
}

/// Writes values, and logs them if they are writes of a turn. Returns the size of all stores after the writes.
fn write_all(
    tx: &Transaction<'_>,
    turn: Option<TurnId>,
    writes: &BTreeMap<(&str, &str), Option<&str>>,
) -> rusqlite::Result<usize> {
    let mut select =
        tx.prepare_cached("SELECT value FROM store_now WHERE skill = ?1 AND key = ?2")?;
    let sql = "
        INSERT INTO store_now (skill, key, value) VALUES (?1, ?2, ?3)
        ON CONFLICT DO UPDATE SET value = excluded.value";
    let mut put = tx.prepare_cached(sql)?;
    let mut delete = tx.prepare_cached("DELETE FROM store_now WHERE skill = ?1 AND key = ?2")?;
    let sql = "
        INSERT INTO store_log (turn, skill, key, value_before, value_after)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut log = tx.prepare_cached(sql)?;
    let (mut added, mut removed) = (0, 0);
    for ((skill, key), after) in writes {
        let before: Option<String> = select.query_row([skill, key], |row| row.get(0)).optional()?;
        if before.as_deref() == *after {
            continue;
        }
        let size =
            |value: Option<&str>| value.map_or(0, |value| skill.len() + key.len() + value.len());
        removed += size(before.as_deref());
        added += size(*after);
        match after {
            Some(value) => put.execute([skill, key, value])?,
            None => delete.execute([skill, key])?,
        };
        if let Some(turn) = turn {
            log.execute(params![turn.get(), skill, key, before, after])?;
        }
    }
    let bytes: i64 = tx.query_one("SELECT bytes FROM store_size", [], |row| row.get(0))?;
    let bytes = usize::try_from(bytes).unwrap_or_default().saturating_add(added);
    let bytes = bytes.saturating_sub(removed);
    let stored_bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    tx.prepare_cached("UPDATE store_size SET bytes = ?1")?.execute([stored_bytes])?;
    Ok(bytes)
}
