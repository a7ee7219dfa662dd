//! Finds the memories of each skill, so that a repair can drop them.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use crate::{
    Story, StoryError, TurnId,
    columns::{DELETED, number, rows},
    entities::put,
    store::StoryTransaction,
};
use narratoria_protocol::{EntityId, EntityIndex, EntityKind};

/// The skill that added a memory; null for a deleted memory, and for a text that cannot be read.
const AUTHOR: &str = "CASE WHEN json_valid(value) THEN value ->> '$.by' END";

/// The author of the memories of ticks, which no skill adds.
pub const TICK_AUTHOR: &str = "tick";

const KIND: EntityKind = EntityKind::Memory;

impl Story {
    /// Returns the skills with the number of their memories.
    pub fn memory_authors(&self) -> Result<BTreeMap<String, usize>, StoryError> {
        let sql = format!(
            "SELECT {AUTHOR} AS skill, count(*) AS count FROM entity_now
             WHERE kind = ?1 AND skill <> '' GROUP BY skill"
        );
        let authors = self.rows("`entity_now`", &sql, [KIND.as_str()], |row| {
            Ok((row.get::<_, String>("skill")?, number::<usize>(row, "count")?))
        })?;
        Ok(authors.into_iter().collect())
    }
}

/// Deletes the memories of skills as a part of the last turn, whose log has the texts before. Returns how many.
pub(crate) fn drop_memories(
    story: &StoryTransaction<'_>,
    head: Option<TurnId>,
    skills: &BTreeSet<String>,
) -> Result<usize, StoryError> {
    let failed = |source| story.failed(source);
    let sql = format!("SELECT number, value FROM entity_now WHERE kind = ?1 AND {AUTHOR} = ?2");
    let mut dropped = 0;
    for skill in skills {
        let place = [KIND.as_str(), skill];
        let memories = rows(story.tx, story.db, "`entity_now`", &sql, place, |row| {
            Ok((EntityId::new(KIND, number(row, "number")?), row.get::<_, String>("value")?))
        })?;
        dropped += memories.len();
        for (id, text) in memories {
            let nothing = EntityIndex::default();
            put(story.tx, id, Some(&text), Some(DELETED), &nothing).map_err(failed)?;
            let Some(head) = head else { continue };
            let sql = "INSERT INTO entity_log (turn, kind, number, value_before, value_after)
                       VALUES (?1, ?2, ?3, ?4, ?5)
                       ON CONFLICT DO UPDATE SET value_after = excluded.value_after";
            let row = params![head.get(), KIND.as_str(), id.number.cast_signed(), text, DELETED];
            story.tx.prepare_cached(sql).and_then(|mut log| log.execute(row)).map_err(failed)?;
        }
    }
    Ok(dropped)
}
