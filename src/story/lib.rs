//! The story store. Folds turns into the story's state, and is the only crate that writes the story's
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
//!   plans/plan_007.json     the plan of the seventh tick
//!   records/                copies of plans that an older program has made for people
//!   assets/<SHA-256>.<ending>  the files of turns, each content once; beside them the folders of running plans
//!   assets.version-3/       the files of the copy `story.version-3.db`
//!   errors/                 the engine writes them
//!   story.before-repair-1.db  a copy from before a repair; others are `backup`, `before-restore` and `version-2`
//! ```
//!
//! | table | one row is | columns |
//! |---|---|---|
//! | `meta` | a fact of the story | `key`, `value`: `seed` (decimal), `opened_at` (RFC 3339), `branch` (the one that is played), `records` (copies of plans were moved aside) |
//! | `turns` | a turn | `id`, `parent`, `depth`, `prompt`, `narration`, `outcome`, `choices`, `patch`, `started_at`, `finished_at`, `seed`, `take`, `since_snapshot`, `digest` |
//! | `branches` | a name for a turn | `name`, `turn` (NULL: the beginning), `redo` (the last turn that was undone there) |
//! | `plans` | a plan that the turn tried | `id`, `turn`, `attempt`, `parent_plan_id`, `planner`, `status`, `plan`, `result`, `errors`, `created_at`, `ordinal`, `version`, `updated_at`, `changes`, `reasoning`, `record`, `seen` (what the planner read) |
//! | `assets` | a file that the turn created | `turn`, `plan`, `tool_id`, `asset_id`, `kind`, `media_type`, `path`, `metadata` |
//! | `head` | a view: the branch that is played, and its turn | `branch`, `turn` |
//! | `snapshots` | the state right after a turn | `turn`, `state` |
//! | `journal` | the unfinished turn (at most one row) | `head`, `plan`, `prompt`, `seed`, `started_at`, `extra` |
//! | `journal_plans` | a plan that this turn tried | as in `plans`, without `turn` |
//! | `journal_steps` | a finished step of `journal.plan` | `place`, `tool_id`, `step` |
//! | `store_now` | a value in a skill's store, as of the head | `skill`, `key`, `value` |
//! | `store_log` | a change of such a value by a turn | `turn`, `skill`, `key`, `value_before`, `value_after` |
//! | `store_size` | the size of all of `store_now` (one row) | `bytes` |
//! | `entity_now` | a character, a memory and the like, as of the head | `kind`, `number`, `value`, `name`, `turn` |
//! | `entity_log` | a change of an entity by a turn | `turn`, `kind`, `number`, `value_before`, `value_after` |
//! | `entity_links` | an entity that another one is found by | `target`, `kind`, `number` |
//! | `entity_sizes` | the number and the size of the entities of a kind | `kind`, `count`, `bytes` |
//! | `campaign` | the campaign of the story (at most one row) | `name`, `campaign_version`, `title` |
//! | `campaign_documents` | a document of the campaign | `document` (its path), `sha256`, `text` |
//! | `memory_words` | the stems of a memory's words (full-text index) | `summary`, `about`, `marks` |
//!
//! - **A turn is one transaction.** The file has the turn with its plans, its assets and its part of the
//!   state, or nothing of it, even after a crash. The memory follows the file, never the other way round.
//! - **Turns form a tree** by `parent`; `depth` is a turn's distance from the beginning, from 1; `take` counts the
//!   turns that followed the same parent before. A branch is a name for a turn. The next turn continues from `head`
//!   and takes its branch along. Undo, redo and switch move the head, and delete nothing.
//! - **State is a fold**: the [merge](narratoria_protocol::merge()) of all patches from the root to the head, in
//!   order. A turn writes its patches, not the state. `since_snapshot` says what a fold reads since the last
//!   row of `snapshots`; when that is as much as the state, the turn adds a snapshot.
//! - **The stores move with the head**: `store_now` has them as of the head, and the log of each turn has the
//!   values before and after.
//! - **A repair** ([`StoryRepair`]) changes the state after the last turn: its patch joins those of that turn, with a
//!   snapshot, because an older patch may be too deep to be read.
//! - **A digest of each turn** covers its rows and the digest of the turn that was stored before it, so that a check finds
//!   a changed letter and a removed turn.
//! - **A running plan is journaled** and becomes part of the story only with its turn: the commit deletes
//!   the journal in its own transaction. A process that dies in mid-plan leaves the journal and no lock.
//! - A plan's `ordinal` counts the plans of the story from 1. A plan gets it when it is journaled or
//!   committed, whichever comes first. Dropping a journal frees its ordinals.
//! - JSON columns hold compact JSON text, times are RFC 3339 in UTC.
//! - [`FORMAT_VERSION`] is the version of the format and documents its history. The store refuses a file of
//!   a newer version, and never writes to a file that is not a story.

mod aside;
mod assets;
mod backup;
mod book;
mod branch;
mod campaign;
mod campaign_folder;
mod change_log;
mod columns;
mod commit;
mod digests;
mod encode;
mod entities;
mod entity_access;
mod entity_query;
mod error;
mod export;
mod fold;
mod folder;
mod format;
mod gc;
mod history;
mod import;
mod import_check;
mod import_error;
mod insert;
mod journal;
mod line_export;
mod line_reader;
mod line_tables;
mod listing;
mod lock;
mod meaning;
mod meaning_search;
mod memory_authors;
mod memory_edit;
mod memory_search;
mod name;
mod number_bounds;
mod older_assets;
mod older_records;
mod plans;
mod recent_runs;
mod record;
mod repair;
mod replay;
mod rewind;
mod runaway;
mod schema;
mod schema_check;
mod script_times;
mod skill_store;
mod state_diff;
mod store;
mod story_folder;
mod transaction_log;
mod tree;
mod turn_report;
mod unwritable;
mod verify;
mod words;

pub use assets::{
    ASSET_BYTES_MAX, ASSETS_FOLDER, AssetContent, AssetFolder, AssetName, STORY_ASSETS_BYTES_MAX,
};
pub use backup::{newest_copy, restore};
pub use book::{BOOK_FILES_BYTES_MAX, BookFormat, BookOutput, BookReceipt};
pub use branch::{BRANCHES_MAX, Branch};
pub use campaign::CampaignHeading;
pub use campaign_folder::{CAMPAIGN_FOLDERS_MAX, campaign_folder};
pub use change_log::{CHANGE_BYTES_MAX, ChangeRefused, ChangeSink, LogPosition, StoryChange};
pub use commit::CommittedTurn;
pub use encode::{TURN_BYTES_MAX, TURN_PROMPT_BYTES_MAX};
pub use entity_access::EntityAccess;
pub use error::StoryError;
pub use export::{export_plan, export_runnable_plan, to_yaml};
pub use fold::SNAPSHOT_EVERY;
pub use gc::UnlistedFile;
pub use import::{ImportReceipt, import};
pub use import_check::{
    CampaignCheck, FileCheck, IMPORT_FOLD_BYTES_MAX, IMPORT_FOLD_VALUES_MAX, IMPORT_TURNS_MAX,
    ImportChecks,
};
pub use import_error::ImportError;
pub use journal::{
    JOURNAL_STEPS_BYTES_MAX, JOURNAL_STEPS_VALUES_MAX, JournalReceipt, JournalSummary,
};
pub use line_export::{ExportError, ExportReceipt, LINES_VERSION};
pub use line_reader::{STORY_LINE_BYTES_MAX, STORY_LINE_VALUES_MAX, STORY_LINES_BYTES_MAX};
pub use listing::{STORIES_LISTED_MAX, StoryList, StoryListing, StorySummary, list};
pub use lock::played_by;
pub use memory_authors::TICK_AUTHOR;
pub use memory_edit::{MEMORY_EDIT_BYTES_MAX, MemoryEdit};
pub use name::{BranchName, BranchNameError, StoryName, StoryNameError};
pub use narratoria_plan::PlanStatus;
pub use number_bounds::STORY_NUMBER_MAX;
pub use plans::{PlanSummary, StoredPlan};
pub use record::{
    AssetRow, Journal, JournalContent, JournalStep, PlanRow, StoreRow, TurnId, TurnOutcome,
    TurnRecord, TurnSummary,
};
pub use repair::{RepairReceipt, RepairRequest, StateFault, StoryRepair, remembered_by};
pub use replay::{
    ChangeSource, LoggedChange, ReplayError, catch_up, keep_aside, position_of_copy, rebuild,
};
pub use rewind::HeadMove;
pub use runaway::STATEMENT_OPERATIONS_MAX;
pub use schema::FORMAT_VERSION;
pub use state_diff::{STATE_CHANGES_MAX, StateChange, StateDiff};
pub use store::{STATE_FILE_BYTES_MAX, Story};
pub use story_folder::StoryFolder;
pub use tree::TurnNode;
pub use turn_report::{
    COMPARED_TURNS_MAX, RememberedText, StoreChange, TurnComparison, TurnReport,
};
pub use verify::STORY_FAULTS_MAX;
