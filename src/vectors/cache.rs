//! Caches the vectors of texts. If anything is wrong with the cache, the vectors are computed again.

use std::{collections::HashMap, fmt, path::Path};

use narratoria_protocol::TextEmbedder;
use rusqlite::{Connection, OptionalExtension, params};

use crate::TextVector;

/// Most vectors of one model in the cache: those of two stories with the most memories. Beyond it, the oldest are
/// removed.
const CACHED_MAX: i64 = 200_000;

/// The number of writes after which the cache checks its size again.
const WRITES_BETWEEN_CHECKS: usize = 1_024;

/// The vectors of one model by the digests of their texts.
pub struct VectorCache {
    conn: Option<Connection>,
    /// Holds the vectors if there is no file.
    kept: HashMap<String, TextVector>,
    writes: usize,
}

impl fmt::Debug for VectorCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorCache").finish_non_exhaustive()
    }
}

impl VectorCache {
    /// Opens the cache of a model ([`TextEmbedder::id`]). Without a folder, or if its
    /// file cannot be used, the vectors are kept in memory.
    pub fn open(folder: Option<&Path>, model: &str) -> VectorCache {
        let conn = folder.and_then(|folder| {
            open(folder, model)
                .map_err(|error| tracing::warn!("vectors of texts are not kept: {error}"))
                .ok()
        });
        VectorCache { conn, kept: HashMap::new(), writes: 0 }
    }

    /// The vector of the text with this digest.
    pub fn get(&self, text: &str) -> Option<TextVector> {
        let Some(conn) = &self.conn else { return self.kept.get(text).cloned() };
        let sql = "SELECT vector FROM vectors WHERE text = ?1";
        let found = conn.prepare_cached(sql).and_then(|mut select| {
            select.query_row([text], |row| row.get::<_, Vec<u8>>(0)).optional()
        });
        let bytes = found.ok().flatten()?;
        Some(TextVector::from_numbers(bytes.into_iter().map(u8::cast_signed).collect()))
    }

    /// Computes the vector of a text and keeps it under its digest. The error is the embedder's.
    pub fn compute(
        &mut self,
        embedder: &dyn TextEmbedder,
        digest: &str,
        text: &str,
    ) -> Result<TextVector, String> {
        let vector = TextVector::of(&embedder.embed(text)?);
        self.put(digest, &vector);
        Ok(vector)
    }

    /// Keeps the vector of the text with this digest.
    fn put(&mut self, text: &str, vector: &TextVector) {
        let Some(conn) = &self.conn else {
            self.kept.insert(text.to_owned(), vector.clone());
            return;
        };
        let bytes: Vec<u8> = vector.numbers().iter().map(|number| number.cast_unsigned()).collect();
        let sql = "INSERT OR REPLACE INTO vectors (text, vector) VALUES (?1, ?2)";
        let written =
            conn.prepare_cached(sql).and_then(|mut put| put.execute(params![text, bytes]));
        if let Err(error) = written {
            tracing::warn!("a vector is not kept: {error}");
        }
        if self.writes.is_multiple_of(WRITES_BETWEEN_CHECKS) {
            let sql = "DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?1";
            let _ = conn.execute(sql, [CACHED_MAX]);
        }
        self.writes += 1;
    }
}

fn open(folder: &Path, model: &str) -> Result<Connection, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let conn = Connection::open(folder.join(format!("{model}.db")));
    let conn = conn.map_err(|error| error.to_string())?;
    // Vectors that a crash loses are computed again.
    let sql = "
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF;
        CREATE TABLE IF NOT EXISTS vectors (
            id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, vector BLOB NOT NULL
        ) STRICT;";
    conn.execute_batch(sql).map_err(|error| error.to_string())?;
    Ok(conn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_found_again_by_another_process_and_a_damaged_cache_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = VectorCache::open(Some(folder.path()), "m");
        let vector = TextVector::from_numbers([1, -2, 127].into());
        cache.put("a", &vector);
        let again = VectorCache::open(Some(folder.path()), "m");
        assert_eq!(again.get("a").as_ref(), Some(&vector));
        assert_eq!(VectorCache::open(Some(folder.path()), "other").get("a"), None);
        std::fs::write(folder.path().join("broken.db"), "this is no database at all").unwrap();
        let mut broken = VectorCache::open(Some(folder.path()), "broken");
        broken.put("a", &vector);
        assert_eq!(broken.get("a"), Some(vector));
    }
}
