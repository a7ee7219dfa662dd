//! The story's entities for the scripts of a running plan, on a read-only connection of their own.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rusqlite::Connection;

use crate::{Story, StoryError, entity_query::EntityTables, format, meaning_search::MeaningSearch};
use narratoria_protocol::{
    EntityAmounts, EntityId, EntityKind, EntityReader, MemoryHit, MemoryQuery,
};

/// Reads the entities as of the head. While a plan runs, nothing else changes the story.
pub struct EntityAccess {
    conn: Mutex<Connection>,
    db: PathBuf,
    meaning: Option<Arc<dyn MeaningSearch>>,
}

impl fmt::Debug for EntityAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntityAccess").field("db", &self.db).finish_non_exhaustive()
    }
}

impl Story {
    /// Opens the story's entities for scripts, which run on other threads.
    pub fn entity_access(&self) -> Result<EntityAccess, StoryError> {
        let (conn, _) = format::open_read_only(self.db())?;
        let (db, meaning) = (self.db().to_owned(), self.shared_meaning());
        Ok(EntityAccess { conn: Mutex::new(conn), db, meaning })
    }
}

impl EntityAccess {
    fn conn(&self) -> MutexGuard<'_, Connection> {
        self.conn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(
        &self,
        read: impl FnOnce(EntityTables<'_>) -> Result<T, StoryError>,
    ) -> Result<T, String> {
        let conn = self.conn();
        let db: &Path = &self.db;
        read(EntityTables { conn: &conn, db, meaning: self.meaning.as_deref() })
            .map_err(|error| error.to_string())
    }
}

impl EntityReader for EntityAccess {
    fn get(&self, id: EntityId) -> Result<Option<String>, String> {
        self.read(|tables| tables.get(id))
    }

    fn list(
        &self,
        kind: EntityKind,
        from: u64,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, String> {
        self.read(|tables| tables.list(kind, from, max))
    }

    fn linked(
        &self,
        kind: EntityKind,
        to: EntityId,
        from: u64,
        max: usize,
    ) -> Result<Vec<(EntityId, String)>, String> {
        self.read(|tables| tables.linked(kind, to, from, max))
    }

    fn named(&self, kind: EntityKind, name: &str) -> Result<Option<EntityId>, String> {
        self.read(|tables| tables.named(kind, name))
    }

    fn names(&self, kind: EntityKind, max: usize) -> Result<Vec<String>, String> {
        self.read(|tables| tables.names(kind, max))
    }

    fn next_number(&self, kind: EntityKind) -> Result<u64, String> {
        self.read(|tables| tables.next_number(kind))
    }

    fn count(&self, kind: EntityKind) -> Result<usize, String> {
        self.read(|tables| tables.count(kind))
    }

    fn amounts(&self) -> Result<EntityAmounts, String> {
        self.read(|tables| tables.amounts())
    }

    fn search(&self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, String> {
        self.read(|tables| tables.search(query))
    }
}
