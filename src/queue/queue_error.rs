//! Why a queue could not be used.

use std::path::PathBuf;

use narratoria_postgres::DatabaseError;

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error("the address of a queue begins with `sqlite:` or `postgres://`")]
    BadAddress,
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("the queue `{}` cannot be used", path.display())]
    File {
        path: PathBuf,
        #[source]
        why: rusqlite::Error,
    },
    #[error("the queue `{}` has version {found}, and this program knows {known}", path.display())]
    FileTooNew { path: PathBuf, found: i32, known: i32 },
    #[error("{what} has {found} bytes, and a queue takes {limit}")]
    TooLong { what: &'static str, found: usize, limit: usize },
    #[error("a request has {found} pieces of work, and a queue takes {limit} at once")]
    TooMany { found: usize, limit: usize },
    #[error("the thread that uses the queue has ended")]
    Ended,
}

impl QueueError {
    /// Returns true if the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            QueueError::Database(error) => {
                error.is_passing() || matches!(error, DatabaseError::Unreachable { .. })
            }
            QueueError::File { why, .. } => why.sqlite_error_code().is_some_and(|code| {
                matches!(
                    code,
                    rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked
                )
            }),
            _ => false,
        }
    }

    /// The way out, if there is one that the player can take.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            QueueError::BadAddress => {
                Some("such as `sqlite:queue.db` or `postgres://zoe@db.example/fleet`")
            }
            QueueError::Database(error) => error.hint(),
            _ => None,
        }
    }
}
