//! Hosted stories: the authority of a story is its log in a database, and the story's file on a server is a cache of it. Knows
//! stories and databases; knows nothing of turns, of skills and of HTTP.
//!
//! ```text
//! hosted_story   a story of a player, with its lease (holder, fence, until) and the head of its log
//! story_change   a change of a story: ordinal, fence, request id, lines, digest of the chain up to it
//! player_day     what a player has used on a day
//! ```
//!
//! - **A change is stored before the file commits it**, in one statement that checks the lease's fence and the head of the
//!   chain. A refused change rolls the file back; an unknown one is asked for.
//! - **One server writes a story**: the one whose fence the row has. A lease that has run out may be taken; its old holder then
//!   writes nothing, because its fence is an older one.
//! - **Every digest covers the one before it**, so a changed row, a missing row and a lost end are found by reading.
//! - **Times are the database's.** No server's clock decides anything.

mod chain;
mod counts;
mod held_story;
mod hosted_stories;
pub mod limits;
mod packed_lines;
mod player;
mod postgres_log;
mod sqlite_log;
mod story_log;

pub use chain::{ChainFault, ChainReader, change_digest, verify_chain};
pub use held_story::{HeldStory, StorySink};
pub use hosted_stories::{HeldCopy, HostedStories, HostingError, RefreshedStory, RequestFate};
pub use player::{PlayerId, PlayerIdError, PlayerQuota, PlayerUse, QuotaExceeded};
pub use postgres_log::{HOSTING_TABLES, PostgresStoryLog};
pub use sqlite_log::SqliteStoryLog;
pub use story_log::{
    HostedStory, Lease, LeaseOutcome, LogError, NewChange, StoredChange, StoryId, StoryLog,
};
