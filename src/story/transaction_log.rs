//! What a transaction of a story owes to its log, whatever that is.

use std::{fmt, path::Path};

use rusqlite::Transaction;

use crate::{StoryError, StoryName};

/// Takes the changes of each transaction before it is committed.
pub(crate) trait TransactionLog: Send + fmt::Debug {
    /// Begins to note the rows that the transaction touches.
    fn begin(&mut self, tx: &Transaction<'_>, story: LoggedStory<'_>) -> Result<(), StoryError>;

    /// Takes what the transaction has done; an error rolls it back.
    fn admit(&mut self, tx: &Transaction<'_>, story: LoggedStory<'_>) -> Result<(), StoryError>;

    /// Says how the transaction has ended.
    fn ended(&mut self, is_committed: bool);
}

/// What a log needs of its story.
#[derive(Clone, Copy)]
pub(crate) struct LoggedStory<'a> {
    pub(crate) db: &'a Path,
    pub(crate) folder: &'a Path,
    pub(crate) name: &'a StoryName,
}
