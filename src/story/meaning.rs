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
    vector_cache::VectorCache,
};
use narratoria_protocol::{
    EntityId, EntityKind, Memory, MemoryHit, MemoryQuery, TextEmbedder, digest,
};

/// Most memories that get their vectors within one search, in some tenths of a second. The others wait for the next
/// search.
const EMBEDDED_AT_ONCE_MAX: usize = 64;

/// Most memories near the query that are read and filtered for one search.
const NEAR_MAX: usize = 128;

/// The cosine below which two texts count as unrelated.
const COSINE_MIN: f64 = 0.3;

/// Loads the embedding model when the first search needs it. The error is a part of a sentence for people.
pub type EmbedderLoader = Box<dyn Fn() -> Result<Arc<dyn TextEmbedder>, String> + Send + Sync>;

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
    vector: Box<[i8]>,
    /// The square of its length, which every search needs.
    square: f64,
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
            Ok(vector) => quantized(&vector),
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
                    match embedder.embed(&summary) {
                        Ok(vector) => {
                            let vector = quantized(&vector);
                            self.cache.put(&text, &vector);
                            vector
                        }
                        Err(error) => {
                            tracing::warn!("the memory `{id}` has no vector: {error}");
                            self.of.remove(&number);
                            self.waiting.remove(&number);
                            continue;
                        }
                    }
                }
            };
            let square = dot(&vector, &vector);
            self.of.insert(number, MemoryVector { text, vector, square });
            self.waiting.remove(&number);
        }
        Ok(())
    }

    /// Returns the numbers of the nearest memories with their cosines, nearest first, newer ones before older equals.
    fn nearest(&self, wanted: &[i8]) -> Vec<(u64, f64)> {
        let square = dot(wanted, wanted);
        let mut near: Vec<(u64, f64)> = self
            .of
            .iter()
            .map(|(number, known)| {
                (*number, cosine(dot(&known.vector, wanted), known.square * square))
            })
            .filter(|(number, cosine)| *cosine >= COSINE_MIN && !self.waiting.contains(number))
            .collect();
        near.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        near.truncate(NEAR_MAX);
        near
    }
}

/// Returns the vector, scaled to 8 bits a number.
fn quantized(vector: &[f32]) -> Box<[i8]> {
    let most = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    let scale = if most > 0.0 { f32::from(i8::MAX) / most } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
    vector.iter().map(|number| (number * scale).round() as i8).collect()
}

/// Returns the dot product; zero if the vectors differ in length.
fn dot(one: &[i8], other: &[i8]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    let products = one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b));
    f64::from(products.sum::<i32>())
}

/// Returns the cosine of two vectors from their dot product and the product of their squared lengths.
fn cosine(dot: f64, squares: f64) -> f64 {
    if squares > 0.0 { dot / squares.sqrt() } else { 0.0 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bits_a_number_keep_the_direction() {
        let vector = |seed: f32| -> Vec<f32> {
            (0..384_u16).map(|at| (f32::from(at) * seed).sin()).collect()
        };
        let exact = |one: &[f32], other: &[f32]| {
            let dot = |one: &[f32], other: &[f32]| {
                one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum::<f64>()
            };
            dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
        };
        let between =
            |one: &[i8], other: &[i8]| cosine(dot(one, other), dot(one, one) * dot(other, other));
        for (one, other) in [(0.1, 0.1), (0.1, 0.11), (0.3, 0.7), (0.5, 0.501)] {
            let (one, other) = (vector(one), vector(other));
            let found = between(&quantized(&one), &quantized(&other));
            assert!((found - exact(&one, &other)).abs() < 0.01, "{found}");
        }
        assert_eq!(between(&[1, 2], &[1, 2, 3]), 0.0);
        assert_eq!(between(&quantized(&[0.0; 4]), &[1; 4]), 0.0);
    }
}
