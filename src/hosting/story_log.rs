//! The interface of a log of stories. Everything above it is the same for each database.

use std::time::Duration;

use narratoria_story::{LogPosition, StoryName};

use crate::player::{PlayerId, PlayerUse};

/// A database that has the stories of all servers. Calls block, and each ends within
/// [`LOG_TIME_MAX`](crate::limits::LOG_TIME_MAX).
pub trait StoryLog: Send + Sync {
    /// Finds a story of a player.
    fn story(&self, player: &PlayerId, name: &StoryName) -> Result<Option<HostedStory>, LogError>;

    /// Finds a story, or makes an empty one.
    fn create_story(&self, player: &PlayerId, name: &StoryName) -> Result<HostedStory, LogError>;

    /// The stories of a player, by their names.
    fn stories(&self, player: &PlayerId) -> Result<Vec<HostedStory>, LogError>;

    /// Takes the right to write a story, if nobody has it or its time is over. `holder` names the server for people; the same
    /// server takes its own lease again.
    fn take_lease(
        &self,
        story: StoryId,
        holder: &str,
        time: Duration,
    ) -> Result<LeaseOutcome, LogError>;

    /// Makes a lease hold for that time from now. [`LogError::Fenced`] if another server has it.
    fn renew_lease(&self, lease: Lease, time: Duration) -> Result<(), LogError>;

    /// Gives a lease up. Does nothing if another server has it.
    fn give_up_lease(&self, lease: Lease) -> Result<(), LogError>;

    /// Stores a change after the head, in one statement that checks fence and head, and counts it for its player.
    ///
    /// # Errors
    ///
    /// [`LogError::Fenced`] and [`LogError::RequestTaken`] say that nothing is stored, [`LogError::Unknown`] that it may be.
    fn append(&self, lease: Lease, change: &NewChange<'_>) -> Result<(), LogError>;

    /// Returns changes after that one, in order: at least one if there is one, and not many more bytes than
    /// [`READ_BYTES_MAX`](crate::limits::READ_BYTES_MAX).
    fn changes_after(&self, story: StoryId, ordinal: u64) -> Result<Vec<StoredChange>, LogError>;

    /// Returns the change of a request, if it is there.
    fn change_of_request(&self, story: StoryId, request_id: &str) -> Result<Option<u64>, LogError>;

    /// Remembers a request that is being worked on. It is forgotten with the next change.
    fn begin_request(&self, lease: Lease, request_id: &str) -> Result<(), LogError>;

    /// What a player has used today, and the bytes of all stories.
    fn use_of(&self, player: &PlayerId) -> Result<PlayerUse, LogError>;

    /// Asks the database for nothing, to see that it answers.
    fn ping(&self) -> Result<(), LogError>;
}

/// Names a story in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoryId(pub i64);

/// A story as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedStory {
    pub id: StoryId,
    pub name: String,
    /// The last change; `None` if there is none.
    pub head: Option<LogPosition>,
    /// Bytes of all changes.
    pub bytes: u64,
}

/// The right to write a story. Each taking has a higher fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    pub story: StoryId,
    pub fence: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseOutcome {
    Taken {
        lease: Lease,
        head: Option<LogPosition>,
        /// A request that the last holder had begun and not ended.
        open_request: Option<String>,
    },
    Held {
        holder: String,
        /// Time until it may be taken.
        left: Duration,
    },
}

/// A change that is to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewChange<'a> {
    pub at: &'a LogPosition,
    /// The digest of the change before; empty for the first one.
    pub prev_digest: &'a str,
    pub request_id: Option<&'a str>,
    pub branch: &'a str,
    pub format: i64,
    pub lines: &'a str,
    /// Turns that it adds, and the time that the server worked on them.
    pub turns: u64,
    pub work_ms: u64,
}

/// A change as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChange {
    pub at: LogPosition,
    pub prev_digest: String,
    pub fence: u64,
    pub request_id: Option<String>,
    pub branch: String,
    pub format: i64,
    pub lines: String,
}

/// Why the log did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// Another server has the story, or its log is no longer the one that was read.
    #[error("the story is played by {holder}")]
    Fenced { holder: String },
    #[error("the request `{request_id}` was answered before")]
    RequestTaken { request_id: String },
    /// Nothing is known of what the database did.
    #[error("the database did not answer: {what}")]
    Unknown { what: String },
    #[error("the database refused it: {what}")]
    Refused { what: String },
    #[error("there is no such story")]
    NoStory,
    #[error("a player has at most {limit} stories")]
    TooManyStories { limit: usize },
    /// [`LogError::Unknown`] or [`LogError::Refused`], for players.
    #[error("the database of this server does not answer now; try again in a moment")]
    Away,
}

impl LogError {
    /// The error as players read it. Names of servers and tables are for the operator, and go into the server's log.
    #[must_use]
    pub fn for_players(self) -> LogError {
        match self {
            LogError::Unknown { what } | LogError::Refused { what } => {
                tracing::error!(what, "the database has not done what it was asked for");
                LogError::Away
            }
            error => error,
        }
    }
}
