//! Stories that can be read but not written: in a read-only folder, or on a full disk. SQLite needs files beside a
//! database even to read it; if it cannot create them, the database is opened as immutable.

use std::path::Path;

use rusqlite::{
    ErrorCode,
    ffi::{Error as SqliteCode, SQLITE_FULL},
};

use crate::StoryError;

/// Why a story cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unwritable {
    /// The file or its folder is read-only.
    ReadOnly,
    DiskFull,
}

impl Unwritable {
    /// Returns the reason if the first read of a database failed because SQLite could write nothing beside it.
    pub(crate) fn of(error: &StoryError) -> Option<Unwritable> {
        match error {
            StoryError::ReadOnly { .. } => Some(Unwritable::ReadOnly),
            StoryError::NotWritten { .. } => Some(Unwritable::DiskFull),
            StoryError::Sqlite { source, .. } => (source.sqlite_error_code()
                == Some(ErrorCode::CannotOpen))
            .then_some(Unwritable::ReadOnly),
            _ => None,
        }
    }

    /// Returns the error for every call that would write.
    pub(crate) fn error(self, db: &Path) -> StoryError {
        let path = db.to_owned();
        match self {
            Unwritable::ReadOnly => StoryError::ReadOnly { path },
            Unwritable::DiskFull => {
                let source = rusqlite::Error::SqliteFailure(SqliteCode::new(SQLITE_FULL), None);
                StoryError::NotWritten { path, source }
            }
        }
    }

    /// Replaces the error with one that a player understands, if the place cannot be written.
    pub(crate) fn explain(error: StoryError, db: &Path) -> StoryError {
        Unwritable::of(&error).map_or(error, |why| why.error(db))
    }
}

/// Returns a path, escaped for a URI.
pub(crate) fn uri_path(path: &str) -> String {
    let escaped = |letter: char| match letter {
        '%' => "%25".to_owned(),
        '?' => "%3f".to_owned(),
        '#' => "%23".to_owned(),
        letter => letter.to_string(),
    };
    path.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_a_uri_are_escaped() {
        assert_eq!(uri_path("/a b/100% mine? #1.db"), "/a b/100%25 mine%3f %231.db");
    }
}
