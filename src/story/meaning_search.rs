//! A search of memories by their meaning, as the modules below the index of vectors see it.

use std::{fmt, path::Path};

use rusqlite::Connection;

use crate::StoryError;
use narratoria_protocol::{MemoryHit, MemoryQuery};

/// Finds the memories of a database by their meaning.
pub(crate) trait MeaningSearch: fmt::Debug + Send + Sync {
    /// Those whose meaning is near that of a query and that fit its filters, nearest first.
    fn search(
        &self,
        conn: &Connection,
        db: &Path,
        query: &MemoryQuery,
    ) -> Result<Vec<MemoryHit>, StoryError>;

    /// How many cannot be found yet.
    fn waiting(&self, conn: &Connection, db: &Path) -> Result<usize, StoryError>;
}
