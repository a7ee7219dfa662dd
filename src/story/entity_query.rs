//! Reads the story's entities as of the head: one, all of a kind, or those with a name or of another entity.

use std::path::Path;

use rusqlite::{Connection, Params, Row};

use crate::{
    Story, StoryError,
    columns::{DELETED, number, parse_json, rows, text, word},
    meaning_search::MeaningSearch,
};
use narratoria_protocol::{
    Entity, EntityAmounts, EntityId, EntityKind, MEMORY_LIMIT_MAX, Memory, MemoryHit, MemoryQuery,
    Novel, OpenLoop, PINNED_MAX, Relationship, Scene, Stored,
};

/// The entities of one database.
#[derive(Clone, Copy)]
pub(crate) struct EntityTables<'a> {
    pub(crate) conn: &'a Connection,
    pub(crate) db: &'a Path,
    /// Finds memories by their meaning, if there is a model for it.
    pub(crate) meaning: Option<&'a dyn MeaningSearch>,
}

impl EntityTables<'_> {
    pub(crate) fn rows<T>(
        self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoryError> {
        rows(self.conn, self.db, "`entity_now`", sql, params, read)
    }

    pub(crate) fn get(self, id: EntityId) -> Result<Option<String>, StoryError> {
        let sql = "SELECT value FROM entity_now WHERE kind = ?1 AND number = ?2 AND value <> ?3";
        let row = (id.kind.as_str(), id.number.cast_signed(), DELETED);
        Ok(self.rows(sql, row, |row| text(row, "value"))?.pop())
    }

    /// Returns those from a number on, oldest first.
    pub(crate) fn list(
        self,
        kind: EntityKind,
        from: u64,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, StoryError> {
        let sql = "SELECT kind, number, value FROM entity_now
                   WHERE kind = ?1 AND number >= ?2 AND value <> ?3 ORDER BY number LIMIT ?4";
        self.rows(sql, (kind.as_str(), from.cast_signed(), DELETED, limit(max)), entity)
    }

    /// Returns the last ones, oldest first.
    pub(crate) fn last(
        self,
        kind: EntityKind,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, StoryError> {
        let sql = "SELECT kind, number, value FROM entity_now
                   WHERE kind = ?1 AND value <> ?2 ORDER BY number DESC LIMIT ?3";
        let mut found = self.rows(sql, (kind.as_str(), DELETED, limit(max)), entity)?;
        found.reverse();
        Ok(found)
    }

    pub(crate) fn linked(
        self,
        kind: EntityKind,
        to: EntityId,
        from: u64,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, StoryError> {
        let sql =
            "SELECT kind, number, value FROM entity_links JOIN entity_now USING (kind, number)
                   WHERE target = ?1 AND kind = ?2 AND number >= ?3 ORDER BY number LIMIT ?4";
        self.rows(sql, (to.to_string(), kind.as_str(), from.cast_signed(), limit(max)), entity)
    }

    pub(crate) fn named(
        self,
        kind: EntityKind,
        name: &str,
    ) -> Result<Option<EntityId>, StoryError> {
        let sql = "SELECT number FROM entity_now WHERE kind = ?1 AND name = ?2 ORDER BY number";
        let found = self.rows(sql, (kind.as_str(), name), |row| number(row, "number"))?;
        Ok(found.first().map(|number| EntityId::new(kind, *number)))
    }

    pub(crate) fn names(self, kind: EntityKind, max: usize) -> Result<Vec<String>, StoryError> {
        let sql = "SELECT name FROM entity_now WHERE kind = ?1 AND name IS NOT NULL
                   ORDER BY number LIMIT ?2";
        self.rows(sql, (kind.as_str(), limit(max)), |row| text(row, "name"))
    }

    pub(crate) fn next_number(self, kind: EntityKind) -> Result<u64, StoryError> {
        let sql = "SELECT max(number) + 1 AS next FROM entity_now WHERE kind = ?1
                   HAVING max(number) IS NOT NULL";
        let next = self.rows(sql, [kind.as_str()], |row| number(row, "next"))?.pop();
        Ok(next.unwrap_or_else(|| kind.first_number()))
    }

    pub(crate) fn count(self, kind: EntityKind) -> Result<usize, StoryError> {
        let sql = "SELECT count FROM entity_sizes WHERE kind = ?1";
        Ok(self.rows(sql, [kind.as_str()], |row| number(row, "count"))?.pop().unwrap_or(0))
    }

    pub(crate) fn amounts(self) -> Result<EntityAmounts, StoryError> {
        let sql = "SELECT kind, count, bytes FROM entity_sizes";
        let sizes = self.rows(sql, [], |row| {
            let kind = word(row, "kind", EntityKind::parse)?;
            Ok((kind, number::<usize>(row, "count")?, number::<usize>(row, "bytes")?))
        })?;
        let mut amounts = EntityAmounts::default();
        for (kind, count, bytes) in sizes {
            amounts.counts[kind as usize] += count;
            amounts.bytes += bytes;
        }
        let sql = "SELECT count(*) AS pinned FROM memory_words
                   WHERE memory_words MATCH 'marks : xpinned'";
        let pinned = self.rows(sql, [], |row| number::<usize>(row, "pinned"))?;
        amounts.pinned = pinned.into_iter().sum();
        Ok(amounts)
    }

    /// Parses the text of an entity.
    pub(crate) fn parse<T: Entity>(
        self,
        (id, text): (EntityId, String),
    ) -> Result<Stored<T>, StoryError> {
        let value = parse_json(&text).map_err(|error| StoryError::Damaged {
            path: self.db.to_owned(),
            what: format!("the entity `{id}`: {error}"),
        })?;
        Ok(Stored { id, value })
    }

    fn parse_all<T: Entity>(
        self,
        texts: Vec<(EntityId, String)>,
    ) -> Result<Vec<Stored<T>>, StoryError> {
        texts.into_iter().map(|one| self.parse(one)).collect()
    }
}

fn entity(row: &Row<'_>) -> rusqlite::Result<(EntityId, String)> {
    let kind = word(row, "kind", EntityKind::parse)?;
    Ok((EntityId::new(kind, number(row, "number")?), text(row, "value")?))
}

fn limit(max: usize) -> i64 {
    i64::try_from(max).unwrap_or(i64::MAX)
}

impl Story {
    pub(crate) fn entity_tables(&self) -> EntityTables<'_> {
        EntityTables { conn: self.conn(), db: self.db(), meaning: self.meaning() }
    }

    /// Returns an entity; `None` if there is none with this id, or it was deleted.
    pub fn entity<T: Entity>(&self, id: EntityId) -> Result<Option<T>, StoryError> {
        let text = self.entity_tables().get(id)?;
        let parsed = text.map(|text| self.entity_tables().parse::<T>((id, text)));
        Ok(parsed.transpose()?.map(|stored| stored.value))
    }

    /// Returns all entities of a kind, oldest first. For memories, of which there may be a hundred thousand, use
    /// [`Story::search_memories`].
    pub fn entities<T: Entity>(&self) -> Result<Vec<Stored<T>>, StoryError> {
        let tables = self.entity_tables();
        tables.parse_all(tables.list(T::KIND, 0, T::KIND.count_max())?)
    }

    /// The last entities of a kind, oldest first.
    pub fn last_entities<T: Entity>(&self, max: usize) -> Result<Vec<Stored<T>>, StoryError> {
        let tables = self.entity_tables();
        tables.parse_all(tables.last(T::KIND, max)?)
    }

    /// Returns the entity with a unique name, ignoring case.
    pub fn entity_named(
        &self,
        kind: EntityKind,
        name: &str,
    ) -> Result<Option<EntityId>, StoryError> {
        self.entity_tables().named(kind, &name.to_lowercase())
    }

    /// Counts the entities of a kind.
    pub fn entity_count(&self, kind: EntityKind) -> Result<usize, StoryError> {
        self.entity_tables().count(kind)
    }

    /// Returns the id of the next entity of a kind. The writer of a turn counts on from there.
    pub fn next_entity_id(&self, kind: EntityKind) -> Result<EntityId, StoryError> {
        Ok(EntityId::new(kind, self.entity_tables().next_number(kind)?))
    }

    /// Returns the state of the ticks; S4's defaults if nothing is stored yet.
    pub fn novel(&self) -> Result<Novel, StoryError> {
        Ok(self.entity(EntityId::NOVEL)?.unwrap_or_default())
    }

    /// Returns the scene that a tick wrote.
    pub fn scene_of_tick(&self, tick: u64) -> Result<Option<Stored<Scene>>, StoryError> {
        let sql = "SELECT kind, number, value FROM entity_now WHERE kind = 'scene' AND value <> ?1
                   AND json_extract(value, '$.tick') = ?2 ORDER BY number LIMIT 1";
        let found = self.entity_tables().rows(sql, (DELETED, tick.cast_signed()), entity)?;
        found.into_iter().next().map(|one| self.entity_tables().parse(one)).transpose()
    }

    /// The relationships of a character.
    pub fn relationships_of(
        &self,
        character: EntityId,
    ) -> Result<Vec<Stored<Relationship>>, StoryError> {
        let tables = self.entity_tables();
        let kind = EntityKind::Relationship;
        tables.parse_all(tables.linked(kind, character, 0, kind.count_max())?)
    }

    /// Returns the open loops with their weights, the weightiest first, older ones before newer equals.
    pub fn open_loops(&self) -> Result<Vec<(Stored<OpenLoop>, u64)>, StoryError> {
        let tick = self.novel()?.current_tick;
        let weighed = |one: Stored<OpenLoop>| {
            let weight = one.value.weight(tick);
            (one, weight)
        };
        let all = self.entities::<OpenLoop>()?.into_iter().map(weighed);
        let mut open: Vec<(Stored<OpenLoop>, u64)> =
            all.filter(|(_, weight)| *weight > 0).collect();
        open.sort_by_key(|(one, weight)| (std::cmp::Reverse(*weight), one.id));
        Ok(open)
    }

    /// The pinned memories, oldest first.
    pub fn pinned_memories(&self) -> Result<Vec<Stored<Memory>>, StoryError> {
        let query = MemoryQuery {
            pinned: true,
            superseded: true,
            limit: PINNED_MAX.min(MEMORY_LIMIT_MAX),
            ..MemoryQuery::default()
        };
        let mut found = self.search_memories(&query)?;
        found.sort_by_key(|hit| hit.id);
        Ok(found.into_iter().map(|hit| Stored { id: hit.id, value: hit.memory }).collect())
    }

    /// The memories that answer a query, best first.
    pub fn search_memories(&self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, StoryError> {
        self.entity_tables().search(query)
    }
}
