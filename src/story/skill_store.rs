//! The skills' stores: text under keys, one store for each skill.
//!
//! `store_now` holds the stores at the head. `store_log` holds, for each turn, every key that it changed with
//! the value before and after, so that the cost of going back or forth over a turn depends only on the
//! writes of that turn, not on the length of the story.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction, params};

use crate::{
    StoreRow, Story, StoryError, TurnId,
    columns::{number, text, text_or_null},
    name::quote,
    store::StoryTransaction,
};
use narratoria_protocol::Stores;

/// All stores of a story together: names of skills, keys and values. A skill that remembers an adventure
/// needs some tens of KiB. All stores are in memory while a plan runs.
pub const STORES_BYTES_MAX: usize = 16 << 20;

impl Story {
    /// The stores of all skills after the last turn.
    pub fn stores(&self) -> Result<Stores, StoryError> {
        // Check the size before anything is in memory.
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

    /// The stores of all skills right after `turn`. The cost depends on the writes of the turns between it
    /// and the head.
    pub fn stores_at(&self, turn: TurnId) -> Result<Stores, StoryError> {
        let mut stores = self.stores()?;
        let (mut back, mut ahead) = (self.head(), Some(turn));
        let mut forth = Vec::new();
        // Go up from both turns until they meet. Each step goes one level up, so the loop ends.
        while back != ahead {
            let (from, to) = (self.parent_of(back)?, self.parent_of(ahead)?);
            if from.depth >= to.depth {
                self.apply_log_of_turn(back, "value_before", &mut stores)?;
                back = from.parent;
            } else {
                forth.push(ahead);
                ahead = to.parent;
            }
        }
        for turn in forth.into_iter().rev() {
            self.apply_log_of_turn(turn, "value_after", &mut stores)?;
        }
        Ok(stores)
    }

    /// Sets every key that `turn` changed to the value in the given column of the log.
    fn apply_log_of_turn(
        &self,
        turn: Option<TurnId>,
        column: &'static str,
        stores: &mut Stores,
    ) -> Result<(), StoryError> {
        let sql = "SELECT skill, key, value_before, value_after FROM store_log WHERE turn = ?1";
        let changes = self.rows("`store_log`", sql, [turn.map(TurnId::get)], |row| {
            Ok((text(row, "skill")?, text(row, "key")?, text_or_null(row, column)?))
        })?;
        for (skill, key, value) in changes {
            set(stores, &skill, &key, value);
        }
        Ok(())
    }

    fn parent_of(&self, turn: Option<TurnId>) -> Result<TurnParent, StoryError> {
        let Some(turn) = turn else { return Ok(TurnParent { parent: None, depth: 0 }) };
        let sql = "
            SELECT turns.parent, turns.depth, coalesce(above.depth, 0) AS depth_above
            FROM turns LEFT JOIN turns AS above ON above.id = turns.parent WHERE turns.id = ?1";
        let found = self.rows("`turns`", sql, [turn.get()], |row| {
            let parent = row.get::<_, Option<i64>>("parent")?.map(TurnId);
            Ok((parent, number::<u64>(row, "depth")?, number::<u64>(row, "depth_above")?))
        })?;
        match found.into_iter().next() {
            None => Err(self.unknown_turn(turn)),
            Some((parent, depth, above)) if above.checked_add(1) == Some(depth) => {
                Ok(TurnParent { parent, depth })
            }
            Some((_, depth, _)) => {
                let what = format!("nothing leads to turn {turn} before its depth {depth}");
                Err(self.damaged(what))
            }
        }
    }
}

/// The place of a turn in the tree of turns.
struct TurnParent {
    parent: Option<TurnId>,
    depth: u64,
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
    if writes.is_empty() {
        return Ok(());
    }
    // Only the last write to a key counts.
    let last: BTreeMap<(&str, &str), Option<&str>> = writes
        .iter()
        .map(|row| ((row.skill.as_str(), row.key.as_str()), row.value.as_deref()))
        .collect();
    let bytes = write_all(story.tx, turn, &last).map_err(|source| story.failed(source))?;
    if bytes <= STORES_BYTES_MAX {
        return Ok(());
    }
    let size = |(_, value): &(&(&str, &str), &Option<&str>)| value.map_or(0, str::len);
    let (skill, key) = last.iter().max_by_key(size).map_or(("", ""), |(at, _)| *at);
    let (skill, key) = (quote(skill), quote(key));
    Err(StoryError::StoresTooBig { bytes, limit: STORES_BYTES_MAX, skill, key })
}

/// Returns the size of all stores after the writes.
fn write_all(
    tx: &Transaction<'_>,
    turn: TurnId,
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
        log.execute(params![turn.get(), skill, key, before, after])?;
    }
    let bytes: i64 = tx.query_one("SELECT bytes FROM store_size", [], |row| row.get(0))?;
    let bytes = usize::try_from(bytes).unwrap_or_default().saturating_add(added);
    let bytes = bytes.saturating_sub(removed);
    let stored_bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    tx.prepare_cached("UPDATE store_size SET bytes = ?1")?.execute([stored_bytes])?;
    Ok(bytes)
}
