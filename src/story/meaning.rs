//! Finds memories by their meaning: each has a vector, and those nearest to the vector of the query are candidates.
//!
//! The vectors are computed from the memories of the head and belong to no turn. If they are lost, they are computed
//! again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rusqlite::Connection;

use crate::{
    Story, StoryError,
    columns::{DELETED, number},
    entity_query::EntityTables,
    meaning_search::MeaningSearch,
};
use narratoria_protocol::{
    EntityId, EntityKind, Memory, MemoryHit, MemoryQuery, TextEmbedder, digest,
};
use narratoria_vectors::{EmbedderLoader, TextVector, VectorCache};

/// Most memories that get their vectors within one search, in some tenths of a second. The others wait for the next
/// search.
const EMBEDDED_AT_ONCE_MAX: usize = 64;

/// Most memories near the query that are read and filtered for one search.
const NEAR_MAX: usize = 128;

/// The cosine below which two texts count as unrelated.
const COSINE_MIN: f64 = 0.3;

/// The vectors of a story's memories, shared by all its searches.
struct MeaningIndex {
    load: EmbedderLoader,
    cache_folder: Option<PathBuf>,
    /// Filled by the first search; `None` if the model cannot be loaded.
    loaded: OnceLock<Option<LoadedIndex>>,
}

struct LoadedIndex {
    embedder: Arc<dyn TextEmbedder>,
    vectors: Mutex<MemoryVectors>,
}

struct MemoryVectors {
    /// The head for which the memories were read; `None` before the first search.
    head: Option<Option<i64>>,
    of: BTreeMap<u64, MemoryVector>,
    /// Memories that have no vector yet.
    waiting: BTreeSet<u64>,
    cache: VectorCache,
}

struct MemoryVector {
    /// The digest of the text.
    text: String,
    vector: TextVector,
}

impl fmt::Debug for MeaningIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeaningIndex").finish_non_exhaustive()
    }
}

impl Story {
    /// Makes searches of the memories find them by meaning too. `cache` is a folder for the vectors of all stories;
    /// without it they are computed again each time.
    pub fn search_by_meaning(&mut self, load: EmbedderLoader, cache: Option<&Path>) {
        let cache_folder = cache.map(Path::to_owned);
        let index = MeaningIndex { load, cache_folder, loaded: OnceLock::new() };
        self.set_meaning(Arc::new(index));
    }

    /// Counts the memories that a search by meaning cannot find yet. Each search computes the vectors of some.
    pub fn memories_without_vector(&self) -> Result<usize, StoryError> {
        self.meaning().map_or(Ok(0), |meaning| meaning.waiting(self.conn(), self.db()))
    }
}

impl MeaningSearch for MeaningIndex {
    /// Returns nothing if the model fails, so that only the words decide.
    fn search(
        &self,
        conn: &Connection,
        db: &Path,
        query: &MemoryQuery,
    ) -> Result<Vec<MemoryHit>, StoryError> {
        let loaded = self.loaded.get_or_init(|| match (self.load)() {
            Ok(embedder) => Some(LoadedIndex::new(embedder, self.cache_folder.as_deref())),
            Err(error) => {
                tracing::warn!("memories are found by their words alone: {error}");
                None
            }
        });
        let tables = EntityTables { conn, db, meaning: None };
        loaded.as_ref().map_or(Ok(Vec::new()), |loaded| loaded.search(tables, query))
    }

    fn waiting(&self, conn: &Connection, db: &Path) -> Result<usize, StoryError> {
        let tables = EntityTables { conn, db, meaning: None };
        let Some(Some(loaded)) = self.loaded.get() else { return tables.count(EntityKind::Memory) };
        let mut vectors = loaded.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        vectors.follow(tables)?;
        Ok(vectors.waiting.len())
    }
}

impl LoadedIndex {
    fn new(embedder: Arc<dyn TextEmbedder>, cache: Option<&Path>) -> LoadedIndex {
        let cache = VectorCache::open(cache, embedder.id());
        let vectors =
            MemoryVectors { head: None, of: BTreeMap::new(), waiting: BTreeSet::new(), cache };
        LoadedIndex { embedder, vectors: Mutex::new(vectors) }
    }

    fn search(
        &self,
        tables: EntityTables<'_>,
        query: &MemoryQuery,
    ) -> Result<Vec<MemoryHit>, StoryError> {
        let mut vectors = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        vectors.follow(tables)?;
        vectors.fill(tables, &*self.embedder)?;
        let wanted = match self.embedder.embed(&query.words) {
            Ok(vector) => TextVector::of(&vector),
            Err(error) => {
                tracing::warn!("memories are found by their words alone: {error}");
                return Ok(Vec::new());
            }
        };
        let near = vectors.nearest(&wanted);
        drop(vectors);
        let mut hits = Vec::new();
        for (number, score) in near {
            let id = EntityId::new(EntityKind::Memory, number);
            let Some(text) = tables.get(id)? else { continue };
            let memory = tables.parse::<Memory>((id, text))?.value;
            if query.allows(&memory) {
                hits.push(MemoryHit { id, memory, score });
            }
        }
        Ok(hits)
    }
}

impl MemoryVectors {
    /// Finds the memories that have changed since the last search.
    fn follow(&mut self, tables: EntityTables<'_>) -> Result<(), StoryError> {
        let head = tables.head()?;
        if self.head == Some(head) {
            return Ok(());
        }
        let is_next = match (self.head, head) {
            (Some(before), Some(turn)) => tables.parent_of(turn)? == before,
            _ => false,
        };
        match head.filter(|_| is_next) {
            Some(turn) => self.waiting.extend(tables.memories_of_turn(turn)?),
            None => {
                let all: BTreeSet<u64> = tables.memory_numbers()?.into_iter().collect();
                self.of.retain(|number, _| all.contains(number));
                self.waiting = all;
            }
        }
        self.head = Some(head);
        Ok(())
    }

    /// Computes vectors of memories that wait for one, the newest first.
    fn fill(
        &mut self,
        tables: EntityTables<'_>,
        embedder: &dyn TextEmbedder,
    ) -> Result<(), StoryError> {
        let mut left = EMBEDDED_AT_ONCE_MAX;
        for number in self.waiting.iter().rev().copied().collect::<Vec<_>>() {
            let id = EntityId::new(EntityKind::Memory, number);
            let Some(json) = tables.get(id)? else {
                self.of.remove(&number);
                self.waiting.remove(&number);
                continue;
            };
            let summary = tables.parse::<Memory>((id, json))?.value.summary;
            let text = digest::sha256(summary.as_bytes());
            if self.of.get(&number).is_some_and(|known| known.text == text) {
                self.waiting.remove(&number);
                continue;
            }
            let vector = match self.cache.get(&text) {
                Some(vector) => vector,
                None if left == 0 => continue,
                None => {
                    left -= 1;
                    match self.cache.compute(embedder, &text, &summary) {
                        Ok(vector) => vector,
                        Err(error) => {
                            tracing::warn!("the memory `{id}` has no vector: {error}");
                            self.of.remove(&number);
                            self.waiting.remove(&number);
                            continue;
                        }
                    }
                }
            };
            self.of.insert(number, MemoryVector { text, vector });
            self.waiting.remove(&number);
        }
        Ok(())
    }

    /// Returns the numbers of the nearest memories with their cosines, nearest first, newer ones before older equals.
    fn nearest(&self, wanted: &TextVector) -> Vec<(u64, f64)> {
        let mut near: Vec<(u64, f64)> = self
            .of
            .iter()
            .map(|(number, known)| (*number, known.vector.cosine(wanted)))
            .filter(|(number, cosine)| *cosine >= COSINE_MIN && !self.waiting.contains(number))
            .collect();
        near.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        near.truncate(NEAR_MAX);
        near
    }
}

impl EntityTables<'_> {
    fn head(self) -> Result<Option<i64>, StoryError> {
        let turns = self.rows("SELECT turn FROM head", [], |row| row.get("turn"))?;
        Ok(turns.into_iter().next().flatten())
    }

    fn parent_of(self, turn: i64) -> Result<Option<i64>, StoryError> {
        let sql = "SELECT parent FROM turns WHERE id = ?1";
        Ok(self.rows(sql, [turn], |row| row.get("parent"))?.pop().flatten())
    }

    fn memories_of_turn(self, turn: i64) -> Result<Vec<u64>, StoryError> {
        let sql = "SELECT number FROM entity_log WHERE turn = ?1 AND kind = 'memory'";
        self.rows(sql, [turn], |row| number(row, "number"))
    }

    fn memory_numbers(self) -> Result<Vec<u64>, StoryError> {
        let sql = "SELECT number FROM entity_now WHERE kind = 'memory' AND value <> ?1";
        self.rows(sql, [DELETED], |row| number(row, "number"))
    }
}
