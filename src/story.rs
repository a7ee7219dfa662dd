//! Row 4: the story store. Turns become the [`State`], a fold; alone writes the story's database. Knows
//! the wire's objects; knows nothing of skills, plans' meaning, sandbox, narrator or engine.
//!
//! # On disk
//!
//! ```text
//! <root>/<name>/            a StoryName; the folder is the story, so renaming it renames the story
//!   story.db                one SQLite file, in WAL mode
//!   story.db-wal, -shm      SQLite's own, there while the story is open
//!   plans/ errors/ assets/  of whoever writes them
//! ```
//!
//! | table | one row is | columns |
//! |---|---|---|
//! | `meta` | a fact of the story | `key`, `value`: `seed` (decimal), `opened_at` (RFC 3339) |
//! | `turns` | a turn | `id`, `parent`, `depth`, `prompt`, `narration`, `outcome`, `choices`, `patch`, `started_at`, `finished_at` |
//! | `plans` | a plan that the turn tried | `id`, `turn`, `attempt`, `parent_plan_id`, `planner`, `status`, `plan`, `result`, `errors`, `created_at` |
//! | `assets` | a file that the turn made | `turn`, `plan`, `tool_id`, `asset_id`, `kind`, `media_type`, `path`, `metadata` |
//! | `head` | where the story is (one row) | `turn`, `state` |
//! | `snapshots` | the state right after a turn | `turn`, `state` |
//!
//! - **A turn is one transaction.** It is there with its plans, its assets and its part of the state, or
//!   it is not there at all, whatever crashes when. Memory follows the file, never the other way round.
//! - **Turns form a tree** by `parent`; `depth` is a turn's distance from the beginning, from 1. `head`
//!   names the turn to go on from. Today every turn is a child of the head; undo and branches move the
//!   head and need no other format.
//! - **State is a fold**: [`merge`] of every patch from the root to the head, in order. `head.state` is
//!   that fold, kept so that a turn costs the same at the end of a long story as at its beginning.
//!   Every [`SNAPSHOT_EVERY`]th turn leaves a row in `snapshots`, from which [`Story::state_at`] folds.
//! - JSON columns hold compact JSON text, times are RFC 3339 in UTC.
//! - The version of the format is [`FORMAT_VERSION`], where its history is written down. A file of a
//!   newer version is refused, and a file that is not a story is never written to.

mod encode;
mod error;
mod format;
mod library;
mod name;
mod recall;
mod record;
mod state;
mod store;

pub use encode::{PROMPT_BYTES_MAX, TURN_BYTES_MAX};
pub use error::StoryError;
pub use format::{APPLICATION_ID, BUSY_MAX, FORMAT_VERSION};
pub use library::{Listed, Summary, list};
pub use name::{NAME_CHARS_MAX, StoryName};
pub use record::{AssetRow, PlanRow, PlanStatus, TurnId, TurnOutcome, TurnRecord, TurnSummary};
pub use state::{DEPTH_MAX, STATE_BYTES_MAX, State, merge};
pub use store::{SNAPSHOT_EVERY, Story};
