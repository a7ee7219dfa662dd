//! Reads a story's entities, independently of their storage, and extracts from an entity's JSON what the host needs.

use serde::{Deserialize, Serialize};

use crate::{
    Character, DEPTH_MAX, Entity, EntityAmounts, EntityId, EntityKind, JsonBounds, Location,
    Memory, Novel, OpenLoop, Relationship, Scene, TickRecord, read_json_as,
};

/// Most memories that one search returns.
pub const MEMORY_LIMIT_MAX: usize = 32;

/// Most changes of entities and memories of one invocation. All of them become part of the story's journal.
pub const ENTITY_WRITES_MAX: usize = 64;

/// Longest query, in bytes: a sentence or two.
pub const MEMORY_QUERY_BYTES_MAX: usize = 1 << 10;

/// Most filters of one kind in a query: types, tags, entities.
pub const MEMORY_FILTERS_MAX: usize = 16;

/// An entity with its id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stored<T> {
    /// Its id.
    pub id: EntityId,
    /// The entity.
    #[serde(flatten)]
    pub value: T,
}

/// A search of the memories.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryQuery {
    /// Words to look for. Without any, the newest memories are found.
    pub words: String,
    /// Only memories that have at least one of these entity types; all, if empty.
    pub entity_types: Vec<String>,
    /// Only memories with all of these tags, whatever their case.
    pub tags: Vec<String>,
    /// Only memories that concern all of these.
    pub entities: Vec<EntityId>,
    /// Only memories of this turn or later ones.
    pub from_turn: Option<u64>,
    /// Only memories of this turn or earlier ones.
    pub to_turn: Option<u64>,
    /// Only pinned ones.
    pub pinned: bool,
    /// Also those that a newer memory replaces.
    pub superseded: bool,
    /// Least score, 0 to 1.
    pub threshold: f64,
    /// At most so many, up to [`MEMORY_LIMIT_MAX`].
    pub limit: usize,
}

impl MemoryQuery {
    /// Returns true if a memory passes the filters, whatever its words.
    pub fn allows(&self, memory: &Memory) -> bool {
        let has = |words: &[String], word: &String| {
            words.iter().any(|own| own.to_lowercase() == word.to_lowercase())
        };
        (self.entity_types.is_empty()
            || self.entity_types.iter().any(|word| has(&memory.entity_types, word)))
            && self.tags.iter().all(|tag| has(&memory.tags, tag))
            && self.entities.iter().all(|id| memory.entities.contains(id))
            && self.from_turn.is_none_or(|turn| memory.turn >= turn)
            && self.to_turn.is_none_or(|turn| memory.turn <= turn)
            && (!self.pinned || memory.pinned)
            && (self.superseded || memory.superseded_by.is_none())
    }
}

/// A memory that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryHit {
    /// Its id.
    pub id: EntityId,
    /// The memory.
    pub memory: Memory,
    /// The part of the query that it answers: 1 if it has all words; or how near its meaning is, if that is more.
    pub score: f64,
}

/// The entities of a story as of its head. The error of each call is a sentence's part for people.
pub trait EntityReader: Send + Sync {
    /// The JSON of an entity.
    fn get(&self, id: EntityId) -> Result<Option<String>, String>;

    /// The entities of a kind in the order of their numbers, as JSON, at most `max` from number `from` on.
    fn list(
        &self,
        kind: EntityKind,
        from: u64,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, String>;

    /// The entities of a kind that are linked to another one, as JSON, at most `max` from number `from` on.
    fn linked(
        &self,
        kind: EntityKind,
        to: EntityId,
        from: u64,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, String>;

    /// The entity of a kind with a unique name, which is in lower case.
    fn named(&self, kind: EntityKind, name: &str) -> Result<Option<EntityId>, String>;

    /// The unique names of a kind, at most `max`.
    fn names(&self, kind: EntityKind, max: usize) -> Result<Vec<String>, String>;

    /// The number of the next entity of a kind.
    fn next_number(&self, kind: EntityKind) -> Result<u64, String>;

    /// How many entities of a kind there are.
    fn count(&self, kind: EntityKind) -> Result<usize, String>;

    /// How many entities there are, and how large they are together.
    fn amounts(&self) -> Result<EntityAmounts, String>;

    /// The memories that answer a query, best first.
    fn search(&self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, String>;
}

/// A story without entities, for scripts that run outside any.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEntities;

impl EntityReader for NoEntities {
    fn get(&self, _: EntityId) -> Result<Option<String>, String> {
        Ok(None)
    }
    fn list(&self, _: EntityKind, _: u64, _: usize) -> Result<Vec<(EntityId, String)>, String> {
        Ok(Vec::new())
    }
    fn linked(
        &self,
        _: EntityKind,
        _: EntityId,
        _: u64,
        _: usize,
    ) -> Result<Vec<(EntityId, String)>, String> {
        Ok(Vec::new())
    }
    fn named(&self, _: EntityKind, _: &str) -> Result<Option<EntityId>, String> {
        Ok(None)
    }
    fn names(&self, _: EntityKind, _: usize) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }
    fn next_number(&self, kind: EntityKind) -> Result<u64, String> {
        Ok(kind.first_number())
    }
    fn count(&self, _: EntityKind) -> Result<usize, String> {
        Ok(0)
    }
    fn amounts(&self) -> Result<EntityAmounts, String> {
        Ok(EntityAmounts::default())
    }
    fn search(&self, _: &MemoryQuery) -> Result<Vec<MemoryHit>, String> {
        Ok(Vec::new())
    }
}

/// The keys by which the host finds an entity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntityIndex {
    /// See [`Entity::unique_name`].
    pub unique_name: Option<String>,
    /// See [`Entity::links`].
    pub links: Vec<EntityId>,
    /// The memory, if it is one.
    pub memory: Option<Memory>,
}

/// Reads an entity's JSON. The error is a sentence's part for people.
pub fn read_entity(kind: EntityKind, json: &str) -> Result<EntityIndex, String> {
    fn of<T: Entity>(json: &str) -> Result<(T, EntityIndex), String> {
        // A record holds results of tools, each of which may nest and count as much as a document.
        let bounds =
            JsonBounds::of_bytes(json.len()).with_depth(2 * DEPTH_MAX).with_values(usize::MAX);
        let value: T = read_json_as(json.as_bytes(), bounds).map_err(|error| error.to_string())?;
        let (unique_name, links) = (value.unique_name(), value.links());
        Ok((value, EntityIndex { unique_name, links, memory: None }))
    }
    if json.len() > kind.bytes_max() {
        return Err(format!("it is {} bytes long, the limit is {}", json.len(), kind.bytes_max()));
    }
    Ok(match kind {
        EntityKind::Character => of::<Character>(json)?.1,
        EntityKind::Location => of::<Location>(json)?.1,
        EntityKind::Relationship => of::<Relationship>(json)?.1,
        EntityKind::Scene => of::<Scene>(json)?.1,
        EntityKind::Loop => of::<OpenLoop>(json)?.1,
        EntityKind::Novel => of::<Novel>(json)?.1,
        EntityKind::Tick => of::<TickRecord>(json)?.1,
        EntityKind::Memory => {
            let (memory, index) = of::<Memory>(json)?;
            EntityIndex { memory: Some(memory), ..index }
        }
    })
}
