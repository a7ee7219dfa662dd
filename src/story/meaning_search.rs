//! The interface of a search of memories by meaning, for the modules below the index of vectors.

use std::{fmt, path::Path};

use rusqlite::Connection;

use crate::StoryError;
use narratoria_protocol::{MemoryHit, MemoryQuery};

/// Finds the memories of a database by their meaning.
pub(crate) trait MeaningSearch: fmt::Debug + Send + Sync {
    /// Returns the memories that fit the filters of a query and are near its meaning, nearest first.
    fn search(
        &self,
        conn: &Connection,
        db: &Path,
        query: &MemoryQuery,
    ) -> Result<Vec<MemoryHit>, StoryError>;

    /// Counts the memories that cannot be found yet.
    fn waiting(&self, conn: &Connection, db: &Path) -> Result<usize, StoryError>;
}
