//! Row 4: the story store. Folds turns into the story's state, and is the only crate that writes the story's
//! database. Knows the objects of the wire and the records of plans; knows nothing of sandbox, narrator,
//! executor or engine.
//!
//! # On disk
//!
//! ```text
//! <root>/<name>/            a StoryName; the folder is the story, so renaming it renames the story
//!   story.db                one SQLite file, in WAL mode
//!   story.db-wal, -shm      SQLite's own, while the story is open
//!   plan.lock               empty; locked by the process that runs a plan of the story
//!   play.lock               names the process that plays the story, and is locked by it
//!   plans/plan_007.json     a copy of the seventh plan for people to read
//!   errors/ assets/         the engine writes them
//!   story.before-repair-1.db  a copy from before a repair; others are `backup`, `before-restore` and `version-2`
//! ```
//!
//! | table | one row is | columns |
//! |---|---|---|
//! | `meta` | a fact of the story | `key`, `value`: `seed` (decimal), `opened_at` (RFC 3339), `branch` (the one that is played) |
//! | `turns` | a turn | `id`, `parent`, `depth`, `prompt`, `narration`, `outcome`, `choices`, `patch`, `started_at`, `finished_at`, `seed`, `take`, `since_snapshot` |
//! | `branches` | a name for a turn | `name`, `turn` (NULL: the beginning), `redo` (the last turn that was undone there) |
//! | `plans` | a plan that the turn tried | `id`, `turn`, `attempt`, `parent_plan_id`, `planner`, `status`, `plan`, `result`, `errors`, `created_at`, `ordinal`, `version`, `updated_at`, `changes`, `reasoning`, `record` |
//! | `assets` | a file that the turn created | `turn`, `plan`, `tool_id`, `asset_id`, `kind`, `media_type`, `path`, `metadata` |
//! | `head` | a view: the branch that is played, and its turn | `branch`, `turn` |
//! | `snapshots` | the state right after a turn | `turn`, `state` |
//! | `journal` | the turn that is not over (at most one row) | `head`, `plan`, `prompt`, `seed`, `started_at`, `extra` |
//! | `journal_plans` | a plan that this turn tried | as in `plans`, without `turn` |
//! | `journal_steps` | a finished step of `journal.plan` | `place`, `tool_id`, `step` |
//! | `store_now` | a value in a skill's store, as of the head | `skill`, `key`, `value` |
//! | `store_log` | a change of such a value by a turn | `turn`, `skill`, `key`, `value_before`, `value_after` |
//! | `store_size` | the size of all of `store_now` (one row) | `bytes` |
//!
//! - **A turn is one transaction.** The file has the turn with its plans, its assets and its part of the
//!   state, or nothing of it, even after a crash. The memory follows the file, never the other way round.
//! - **Turns form a tree** by `parent`; `depth` is a turn's distance from the beginning, from 1; `take` counts the
//!   turns that followed the same parent before. A branch is a name for a turn. The next turn continues from `head`
//!   and takes its branch along. Undo, redo and switch move the head, and delete nothing.
//! - **State is a fold**: the [merge](narratoria_protocol::merge()) of all patches from the root to the head, in
//!   order. A turn writes its patches, not the state. `since_snapshot` says what a fold reads since the last
//!   row of `snapshots`; when that is as much as the state, the turn adds a snapshot.
//! - **The stores go back and forth**: `store_now` has them as of the head, and the log of each turn has the
//!   values before and after.
//! - **A repair** ([`StoryRepair`]) changes the state after the last turn: its patch joins those of that turn, with a
//!   snapshot, because an older patch may be too deep to be read.
//! - **A running plan is journaled** and becomes part of the story only with its turn: the commit deletes
//!   the journal in its own transaction. A process that dies in mid-plan leaves the journal and no lock.
//! - A plan's `ordinal` counts the plans of the story from 1. A plan gets it when it is journaled or
//!   committed, whichever comes first. Dropping a journal frees its ordinals.
//! - JSON columns hold compact JSON text, times are RFC 3339 in UTC.
//! - [`FORMAT_VERSION`] is the version of the format and documents its history. The store refuses a file of
//!   a newer version, and never writes to a file that is not a story.

mod backup;
mod branch;
mod columns;
mod commit;
mod encode;
mod error;
mod export;
mod fold;
mod folder;
mod format;
mod history;
mod insert;
mod journal;
mod listing;
mod lock;
mod name;
mod plans;
mod record;
mod repair;
mod rewind;
mod schema;
mod script_times;
mod skill_store;
mod store;
mod tree;
mod verify;

pub use backup::restore;
pub use branch::{BRANCHES_MAX, Branch};
pub use commit::CommittedTurn;
pub use encode::{TURN_BYTES_MAX, TURN_PROMPT_BYTES_MAX};
pub use error::StoryError;
pub use export::{export_plan, export_runnable_plan, to_yaml};
pub use fold::SNAPSHOT_EVERY;
pub use journal::{
    JOURNAL_STEPS_BYTES_MAX, JOURNAL_STEPS_VALUES_MAX, JournalReceipt, JournalSummary,
};
pub use listing::{STORIES_LISTED_MAX, StoryList, StoryListing, StorySummary, list};
pub use name::{BranchName, BranchNameError, StoryName, StoryNameError};
pub use narratoria_plan::PlanStatus;
pub use plans::{PlanSummary, StoredPlan};
pub use record::{
    AssetRow, Journal, JournalContent, JournalStep, PlanRow, StoreRow, TurnId, TurnOutcome,
    TurnRecord, TurnSummary,
};
pub use repair::{RepairReceipt, RepairRequest, StateFault, StoryRepair, remembered_by};
pub use rewind::HeadMove;
pub use schema::FORMAT_VERSION;
pub use skill_store::STORES_BYTES_MAX;
pub use store::{STATE_FILE_BYTES_MAX, Story};
pub use tree::TurnNode;
pub use verify::STORY_FAULTS_MAX;
