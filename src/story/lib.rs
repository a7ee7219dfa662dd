//! Row 4: the story store. Turns become the [`State`], a fold; alone writes the story's database. Knows
//! the wire's objects and the records of plans; knows nothing of sandbox, narrator, executor or engine.
//!
//! # On disk
//!
//! ```text
//! <root>/<name>/            a StoryName; the folder is the story, so renaming it renames the story
//!   story.db                one SQLite file, in WAL mode
//!   story.db-wal, -shm      SQLite's own, there while the story is open
//!   plan.lock               empty; locked by the process that runs a plan of the story
//!   plans/plan_007.json     a copy of the seventh plan for people to read
//!   errors/ assets/         of whoever writes them
//! ```
//!
//! | table | one row is | columns |
//! |---|---|---|
//! | `meta` | a fact of the story | `key`, `value`: `seed` (decimal), `opened_at` (RFC 3339) |
//! | `turns` | a turn | `id`, `parent`, `depth`, `prompt`, `narration`, `outcome`, `choices`, `patch`, `started_at`, `finished_at` |
//! | `plans` | a plan that the turn tried | `id`, `turn`, `attempt`, `parent_plan_id`, `planner`, `status`, `plan`, `result`, `errors`, `created_at`, `ordinal`, `version`, `updated_at`, `changes`, `reasoning`, `record` |
//! | `assets` | a file that the turn made | `turn`, `plan`, `tool_id`, `asset_id`, `kind`, `media_type`, `path`, `metadata` |
//! | `head` | where the story is (one row) | `turn`, `state` |
//! | `snapshots` | the state right after a turn | `turn`, `state` |
//! | `journal` | the turn that is not over (at most one row) | `head`, `plan`, `prompt`, `seed`, `started_at`, `extra` |
//! | `journal_plans` | a plan that it tried | as in `plans`, without `turn` |
//! | `journal_steps` | a step of `journal.plan` that is over | `place`, `tool_id`, `step` |
//! | `store_now` | what a skill keeps, as of the head | `skill`, `key`, `value` |
//! | `store_log` | what a turn changed of that | `turn`, `skill`, `key`, `value_before`, `value_after` |
//! | `store_size` | how long all of `store_now` is (one row) | `bytes` |
//!
//! - **A turn is one transaction.** It is there with its plans, its assets and its part of the state, or
//!   it is not there at all, whatever crashes when. Memory follows the file, never the other way round.
//! - **Turns form a tree** by `parent`; `depth` is a turn's distance from the beginning, from 1. `head`
//!   names the turn to go on from. Today every turn is a child of the head; undo and branches move the
//!   head and need no other format.
//! - **State is a fold**: [`merge`] of every patch from the root to the head, in order. `head.state` is
//!   that fold, kept so that a turn costs the same at the end of a long story as at its beginning.
//!   Every [`SNAPSHOT_EVERY`]th turn leaves a row in `snapshots`, from which [`Story::state_at`] folds.
//! - **A running plan is journaled** and becomes part of the story only with its turn: the commit deletes
//!   the journal in its own transaction. A process that dies in mid-plan leaves the journal and no lock.
//! - A plan's `ordinal` counts the plans of the story from 1. It is given when the plan is journaled or
//!   kept, whichever comes first, and given again only when a journal is dropped.
//! - JSON columns hold compact JSON text, times are RFC 3339 in UTC.
//! - The version of the format is [`FORMAT_VERSION`], where its history is written down. A file of a
//!   newer version is refused, and a file that is not a story is never written to.

mod columns;
mod encode;
mod error;
mod export;
mod format;
mod history;
mod insert;
mod journal;
mod listing;
mod lock;
mod name;
mod plans;
mod record;
mod skill_store;
mod store;

pub use encode::{TURN_BYTES_MAX, TURN_PROMPT_BYTES_MAX};
pub use error::StoryError;
pub use export::{export_plan, to_yaml};
pub use format::{APPLICATION_ID, BUSY_MAX, FORMAT_VERSION};
pub use journal::{JOURNAL_PLANS_MAX, Journal, JournalContent, JournalReceipt, JournalStep};
pub use listing::{StoryListing, StorySummary, list};
pub use name::{NAME_CHARS_MAX, StoryName};
pub use narratoria_plan::PlanStatus;
use narratoria_protocol::{STATE_BYTES_MAX, STATE_DEPTH_MAX, Stores, StoryState, is_deeper_than};
pub use plans::{PLAN_PREFIX_CHARS_MIN, PlanSummary, StoredPlan};
pub use record::{AssetRow, PlanRow, StoreRow, TurnId, TurnOutcome, TurnRecord, TurnSummary};
pub use skill_store::STORES_BYTES_MAX;
pub use store::{CommittedTurn, SNAPSHOT_EVERY, Story};
