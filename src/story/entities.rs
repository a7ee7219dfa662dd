//! Writes the story's entities: characters, places, relationships, scenes, loops, memories, the novel and its ticks.
//!
//! `entity_now` has them as of the head, and `entity_log` each change of a turn with the text before and after, so that
//! undo and branches include them. Names, links and the words of memories are indexes, made from the same texts in the
//! same transaction. A deleted entity stays as `null`, so that no id is used twice.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{OptionalExtension, Transaction, params};

use crate::{
    StoreRow, Story, StoryError, TurnId,
    columns::{DELETED, number, rows, text_or_null, word},
    entity_query::EntityTables,
    name::quote,
    store::StoryTransaction,
    tree::{self, TreePath},
    words::{mark, stems},
};
use narratoria_protocol::{
    ENTITIES_BYTES_MAX, ENTITY_NUMBER_MAX, ENTITY_OWNER, Entity, EntityAmounts, EntityId,
    EntityIndex, EntityKind, Memory, PINNED_MAX, read_entity,
    visible::{clip, visible_line},
};

/// Longest reason in an error.
const WHY_CHARS_MAX: usize = 300;

/// The last text of every entity that a path changes; `None` for one that does not exist at its end.
pub(crate) type EntityChanges = BTreeMap<EntityId, Option<String>>;

impl StoreRow {
    /// Returns the write of a new entity, or of a new text of one.
    pub fn entity<T: Entity>(id: EntityId, value: &T) -> StoreRow {
        let text = serde_json::to_string(value).expect("an entity is made of JSON");
        StoreRow { skill: ENTITY_OWNER.to_owned(), key: id.to_string(), value: Some(text) }
    }

    /// Returns the write that deletes an entity.
    pub fn entity_deleted(id: EntityId) -> StoreRow {
        StoreRow { skill: ENTITY_OWNER.to_owned(), key: id.to_string(), value: None }
    }

    /// Returns true for a write to an entity; the others are writes to the stores of skills.
    pub(crate) fn is_entity(&self) -> bool {
        self.skill == ENTITY_OWNER
    }
}

/// Applies a turn's writes of entities in order, logs them, and checks that everything they name exists.
pub(crate) fn write_entities(
    story: &StoryTransaction<'_>,
    turn: TurnId,
    writes: &[StoreRow],
) -> Result<(), StoryError> {
    let mut last = EntityChanges::new();
    for row in writes.iter().filter(|row| row.is_entity()) {
        let id: EntityId =
            row.key.parse().map_err(|error| refused(&row.key, &format!("{error}")))?;
        last.insert(id, Some(row.value.clone().unwrap_or_else(|| DELETED.to_owned())));
    }
    if last.is_empty() {
        return Ok(());
    }
    let indexes = write_all(story, Some(turn), &last)?;
    for (id, index) in &indexes {
        check_named(story, *id, index)?;
    }
    check_sizes(story)
}

/// Sets the entities to their texts at the end of a path, which begins at the head.
pub(crate) fn move_entities(
    story: &StoryTransaction<'_>,
    path: &TreePath,
) -> Result<(), StoryError> {
    let changes = changes_of(story, path)?;
    write_all(story, None, &changes).map(drop)
}

fn changes_of(story: &StoryTransaction<'_>, path: &TreePath) -> Result<EntityChanges, StoryError> {
    let sql = "SELECT kind, number, value_before, value_after FROM entity_log WHERE turn = ?1";
    let mut changes = EntityChanges::new();
    let back = path.back.iter().map(|turn| (turn, "value_before"));
    for (turn, column) in back.chain(path.forth.iter().map(|turn| (turn, "value_after"))) {
        let of_turn = rows(story.tx, story.db, "`entity_log`", sql, [turn.get()], |row| {
            let kind = word(row, "kind", EntityKind::parse)?;
            Ok((EntityId::new(kind, number(row, "number")?), text_or_null(row, column)?))
        })?;
        changes.extend(of_turn);
    }
    Ok(changes)
}

/// Writes texts, and logs them if they are writes of a turn. Returns the index of each new text.
fn write_all(
    story: &StoryTransaction<'_>,
    turn: Option<TurnId>,
    changes: &EntityChanges,
) -> Result<Vec<(EntityId, EntityIndex)>, StoryError> {
    let failed = |source| story.failed(source);
    let mut indexes = Vec::new();
    for (id, after) in changes {
        let before = current(story.tx, *id).map_err(failed)?;
        if before == *after {
            continue;
        }
        let index = match after.as_deref().filter(|text| *text != DELETED) {
            None => EntityIndex::default(),
            Some(text) => {
                read_entity(id.kind, text).map_err(|why| refused(&id.to_string(), &why))?
            }
        };
        put(story.tx, *id, before.as_deref(), after.as_deref(), &index).map_err(failed)?;
        if let Some(turn) = turn {
            let sql = "INSERT INTO entity_log (turn, kind, number, value_before, value_after)
                       VALUES (?1, ?2, ?3, ?4, ?5)";
            let row = params![turn.get(), id.kind.as_str(), id.number.cast_signed(), before, after];
            story.tx.prepare_cached(sql).and_then(|mut log| log.execute(row)).map_err(failed)?;
        }
        indexes.push((*id, index));
    }
    Ok(indexes)
}

fn current(tx: &Transaction<'_>, id: EntityId) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT value FROM entity_now WHERE kind = ?1 AND number = ?2";
    let row = params![id.kind.as_str(), id.number.cast_signed()];
    tx.prepare_cached(sql)?.query_row(row, |row| row.get(0)).optional()
}

/// Replaces the text of an entity and everything that is derived from it.
pub(crate) fn put(
    tx: &Transaction<'_>,
    id: EntityId,
    before: Option<&str>,
    after: Option<&str>,
    index: &EntityIndex,
) -> rusqlite::Result<()> {
    let (kind, number) = (id.kind.as_str(), id.number.cast_signed());
    let turn = index.memory.as_ref().map_or(0, |memory| memory.turn.cast_signed());
    match after {
        None => tx
            .prepare_cached("DELETE FROM entity_now WHERE kind = ?1 AND number = ?2")?
            .execute(params![kind, number])?,
        Some(text) => {
            let sql = "INSERT INTO entity_now (kind, number, value, name, turn)
                       VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE
                       SET value = excluded.value, name = excluded.name, turn = excluded.turn";
            let row = params![kind, number, text, index.unique_name, turn];
            tx.prepare_cached(sql)?.execute(row)?
        }
    };
    let sql = "DELETE FROM entity_links WHERE kind = ?1 AND number = ?2";
    tx.prepare_cached(sql)?.execute(params![kind, number])?;
    for target in &index.links {
        let sql = "INSERT OR IGNORE INTO entity_links (target, kind, number) VALUES (?1, ?2, ?3)";
        tx.prepare_cached(sql)?.execute(params![target.to_string(), kind, number])?;
    }
    if id.kind == EntityKind::Memory {
        tx.prepare_cached("DELETE FROM memory_words WHERE rowid = ?1")?.execute([number])?;
        if let Some(memory) = &index.memory {
            let sql = "INSERT INTO memory_words (rowid, summary, about, marks)
                       VALUES (?1, ?2, ?3, ?4)";
            let [summary, about, marks] = indexed_words(memory);
            tx.prepare_cached(sql)?.execute(params![number, summary, about, marks])?;
        }
    }
    resize(tx, kind, before, after)
}

/// Empties all indexes, before they are derived again.
pub(crate) fn clear_indexes(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute_batch(
        "DELETE FROM entity_links;
         DELETE FROM entity_sizes;
         INSERT INTO memory_words (memory_words) VALUES ('delete-all');",
    )
}

/// Derives all indexes from the entities' texts, for a story whose rows were imported. Checks the texts.
pub(crate) fn index_imported(tx: &Transaction<'_>, db: &Path) -> Result<(), StoryError> {
    let failed = |source| StoryError::from_sqlite("write", db, source);
    let sql = "SELECT kind, number FROM entity_now";
    let ids = rows(tx, db, "`entity_now`", sql, [], |row| {
        Ok(EntityId::new(word(row, "kind", EntityKind::parse)?, number(row, "number")?))
    })?;
    for id in ids {
        let text = current(tx, id).map_err(failed)?;
        let index = match text.as_deref().filter(|text| *text != DELETED) {
            None => EntityIndex::default(),
            Some(text) => {
                read_entity(id.kind, text).map_err(|why| refused(&id.to_string(), &why))?
            }
        };
        put(tx, id, None, text.as_deref(), &index).map_err(failed)?;
    }
    Ok(())
}

/// Returns the words by which a memory is found: those of its summary; those of its place and tags; and its marks.
fn indexed_words(memory: &Memory) -> [String; 3] {
    let about = [memory.place.as_str()].into_iter().chain(memory.tags.iter().map(String::as_str));
    let about: Vec<String> = about.flat_map(stems).collect();
    let types = memory.entity_types.iter().map(|word| mark('k', word));
    let tags = memory.tags.iter().map(|tag| mark('t', tag));
    let entities = memory.entities.iter().map(|id| mark('e', &id.to_string()));
    let flags = [(memory.pinned, "xpinned"), (memory.superseded_by.is_some(), "xsuperseded")];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned());
    let marks: Vec<String> = types.chain(tags).chain(entities).chain(flags).collect();
    [stems(&memory.summary).join(" "), about.join(" "), marks.join(" ")]
}

/// Updates the number and bytes of the entities of a kind.
fn resize(
    tx: &Transaction<'_>,
    kind: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> rusqlite::Result<()> {
    let size = |text: Option<&str>| {
        let text = text.filter(|text| *text != DELETED);
        text.map_or((0, 0), |text| (1_i64, i64::try_from(text.len()).unwrap_or(i64::MAX)))
    };
    let ((count_before, bytes_before), (count_after, bytes_after)) = (size(before), size(after));
    let sql = "INSERT INTO entity_sizes (kind, count, bytes) VALUES (?1, ?2, ?3)
               ON CONFLICT DO UPDATE
               SET count = count + excluded.count, bytes = bytes + excluded.bytes";
    let row = params![kind, count_after - count_before, bytes_after - bytes_before];
    tx.prepare_cached(sql)?.execute(row)?;
    Ok(())
}

/// Checks that the entities that this one names exist or existed, and that no other entity has its name. A step may
/// delete an entity that a parallel step names; that must not fail the turn.
fn check_named(
    story: &StoryTransaction<'_>,
    id: EntityId,
    index: &EntityIndex,
) -> Result<(), StoryError> {
    let failed = |source| story.failed(source);
    if id.number > ENTITY_NUMBER_MAX {
        return Err(refused(&id.to_string(), "its number is too large"));
    }
    for link in &index.links {
        let there = current(story.tx, *link).map_err(failed)?;
        if there.is_none() {
            return Err(refused(
                &id.to_string(),
                &format!("it names `{link}`, which is not there"),
            ));
        }
    }
    let Some(name) = &index.unique_name else { return Ok(()) };
    let sql = "SELECT number FROM entity_now WHERE kind = ?1 AND name = ?2 AND number <> ?3";
    let row = params![id.kind.as_str(), name, id.number.cast_signed()];
    let mut select = story.tx.prepare_cached(sql).map_err(failed)?;
    let other: Option<i64> = select.query_row(row, |row| row.get(0)).optional().map_err(failed)?;
    match other {
        None => Ok(()),
        Some(other) => {
            let other = EntityId::new(id.kind, other.cast_unsigned());
            Err(refused(&id.to_string(), &format!("`{other}` has the name `{name}` already")))
        }
    }
}

/// Checks the limits. The executor has refused the steps that exceed one; this stops every other way to write entities.
fn check_sizes(story: &StoryTransaction<'_>) -> Result<(), StoryError> {
    let tables = EntityTables { conn: story.tx, db: story.db, meaning: None };
    let EntityAmounts { counts, bytes, pinned } = tables.amounts()?;
    if bytes > ENTITIES_BYTES_MAX {
        return Err(StoryError::EntitiesTooBig { bytes, limit: ENTITIES_BYTES_MAX });
    }
    if pinned > PINNED_MAX {
        let (kind, limit) = ("pinned memory", PINNED_MAX);
        return Err(StoryError::TooManyEntities { kind, count: pinned, limit });
    }
    let mut counts = EntityKind::ALL.into_iter().zip(counts);
    match counts.find(|(kind, count)| *count > kind.count_max()) {
        None => Ok(()),
        Some((kind, count)) => {
            let (kind, limit) = (kind.as_str(), kind.count_max());
            Err(StoryError::TooManyEntities { kind, count, limit })
        }
    }
}

fn refused(id: &str, why: &str) -> StoryError {
    let why = visible_line(&clip(why, WHY_CHARS_MAX));
    StoryError::EntityRefused { id: quote(id), why }
}

impl Story {
    /// Returns the entities that differ from what the turns of the story have written.
    pub(crate) fn entity_faults(&self) -> Result<Vec<String>, StoryError> {
        let path = tree::path(self.conn(), self.db(), None, self.head())?;
        let sql = "SELECT kind, number, value_after FROM entity_log WHERE turn = ?1";
        let mut expected = EntityChanges::new();
        for turn in &path.forth {
            let of_turn = self.rows("`entity_log`", sql, [turn.get()], |row| {
                let kind = word(row, "kind", EntityKind::parse)?;
                Ok((EntityId::new(kind, number(row, "number")?), text_or_null(row, "value_after")?))
            })?;
            expected.extend(of_turn);
        }
        let sql = "SELECT kind, number, value FROM entity_now";
        let found = self.rows("`entity_now`", sql, [], |row| {
            let kind = word(row, "kind", EntityKind::parse)?;
            Ok((EntityId::new(kind, number(row, "number")?), text_or_null(row, "value")?))
        })?;
        let found: EntityChanges = found.into_iter().collect();
        let ids = expected.keys().chain(found.keys());
        let differs = |id: &&EntityId| {
            expected.get(id).cloned().flatten() != found.get(id).cloned().flatten()
        };
        let mut faults: Vec<String> = ids
            .filter(differs)
            .map(|id| format!("the entity `{id}` is not what the turns have written"))
            .collect();
        faults.sort();
        faults.dedup();
        Ok(faults)
    }
}
