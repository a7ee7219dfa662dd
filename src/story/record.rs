//! What a turn is made of, as plain data. Words such as `told` are the ones in the database.

use std::fmt;

use jiff::Timestamp;
use serde_json::Value;

use narratoria_plan::{PlanRecord, PlanStatus};
use narratoria_protocol::Object;

/// A turn's place in its story's database. Never given twice, not even after the turn is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub(super) i64);

impl TurnId {
    /// The number, for showing.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Everything that one turn leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// What the player typed; at most [`super::PROMPT_BYTES_MAX`].
    pub prompt: String,
    /// What the player was told.
    pub narration: String,
    /// How the turn ended.
    pub outcome: TurnOutcome,
    /// What the player was offered.
    pub choices: Vec<Value>,
    /// The state patches that count, in plan order.
    pub patches: Vec<Object>,
    /// Every plan that was tried, in order.
    pub plans: Vec<PlanRow>,
    /// The files that count, in plan order.
    pub assets: Vec<AssetRow>,
    /// What skills wrote to their stores and counts, in plan order.
    pub store_writes: Vec<StoreRow>,
    /// When the player pressed return.
    pub started_at: Timestamp,
    /// When the narration was complete.
    pub finished_at: Timestamp,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnOutcome {
    /// A plan succeeded and its narration was told.
    Narrated,
    /// Every attempt failed and the template narration was told (S0 FR-025).
    Fallback,
    /// The player stopped it.
    Cancelled,
}

/// A plan as it is kept (DESIGN §4.5).
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRow {
    /// The plan's `requestId`, a UUID; unique in the story.
    pub id: String,
    /// `metadata.generationAttempt`, from 1.
    pub attempt: u32,
    /// The attempt before this one. Not checked: a plan may descend from one that was never kept.
    pub parent_plan_id: Option<String>,
    /// Which voice made it.
    pub planner: String,
    /// How far it came.
    pub status: PlanStatus,
    /// Plan JSON, or whatever the planner wrote in its place.
    pub plan: Value,
    /// The execution result (DESIGN §4.4); none for a plan that never ran.
    pub result: Option<Value>,
    /// Why it was turned down or failed, one sentence each.
    pub errors: Vec<String>,
    /// When the planner had finished it.
    pub created_at: Timestamp,
    /// The plan as S3 sees it; none for what is no plan at all.
    pub record: Option<PlanRecord>,
}

/// One write to the store of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRow {
    /// Whose store.
    pub skill: String,
    /// Under which key.
    pub key: String,
    /// What is there from now on; none deletes.
    pub value: Option<String>,
}

/// A file that a script wrote and said so.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetRow {
    /// Id of the plan, one of the same turn or of an earlier one.
    pub plan: String,
    /// The step that made it.
    pub tool_id: String,
    /// Unique in the invocation.
    pub asset_id: String,
    /// Free word such as `image`.
    pub kind: String,
    /// IANA media type.
    pub media_type: String,
    /// Relative to the story's folder.
    pub path: String,
    /// Free extras.
    pub metadata: Option<Object>,
}

/// A turn as the narrator and the front ends recall it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnSummary {
    /// Which.
    pub id: TurnId,
    /// What the player typed.
    pub prompt: String,
    /// What the player was told.
    pub narration: String,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// What the player was offered.
    pub choices: Vec<Value>,
    /// When it was complete.
    pub finished_at: Timestamp,
}

impl TurnOutcome {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnOutcome::Narrated => "told",
            TurnOutcome::Fallback => "fallback",
            TurnOutcome::Cancelled => "cancelled",
        }
    }

    pub(super) fn parse(word: &str) -> Option<TurnOutcome> {
        [TurnOutcome::Narrated, TurnOutcome::Fallback, TurnOutcome::Cancelled]
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }
}
