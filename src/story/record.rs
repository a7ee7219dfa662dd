//! Turns, plans and journals as plain data. [`TurnOutcome::as_str`] gives the words in the database.

use std::fmt;

use jiff::Timestamp;
use serde_json::Value;

use narratoria_plan::{PlanRecord, PlanStatus};
use narratoria_protocol::Object;

/// A turn's id in its story's database. Never used twice, even if the turn is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub(crate) i64);

impl TurnId {
    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Everything that one turn adds to the story.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// At most [`TURN_PROMPT_BYTES_MAX`](crate::TURN_PROMPT_BYTES_MAX).
    pub prompt: String,
    pub narration: String,
    pub outcome: TurnOutcome,
    /// The choices that the player was offered.
    pub choices: Vec<Value>,
    /// The state patches that count, in plan order.
    pub patches: Vec<Object>,
    /// All plans that were tried, in order.
    pub plans: Vec<PlanRow>,
    /// The files that count, in plan order.
    pub assets: Vec<AssetRow>,
    /// The store writes that count, in plan order.
    pub store_writes: Vec<StoreRow>,
    /// The seed of its dice.
    pub seed: u64,
    /// When the player entered the prompt.
    pub started_at: Timestamp,
    /// When the narration was complete.
    pub finished_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnOutcome {
    /// A plan succeeded, and the player read its narration.
    Narrated,
    /// Every attempt failed, and the player read the fallback narration (S0 FR-025).
    Fallback,
    /// The player stopped it.
    Cancelled,
    /// No turn: a scene that the story narrated by itself.
    Ticked,
    /// No turn: the player changed a memory.
    Edited,
}

/// A plan as the database stores it (docs/plans.md, "The record").
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRow {
    /// The plan's `requestId`, a UUID; unique in the story.
    pub id: String,
    /// `metadata.generationAttempt`, from 1.
    pub attempt: u32,
    /// The attempt before this one. Not checked: that plan may never have been stored.
    pub parent_plan_id: Option<String>,
    /// Name of the planner.
    pub planner: String,
    pub status: PlanStatus,
    /// Plan JSON, or the planner's output if it is not JSON.
    pub plan: Value,
    /// The execution result (`contracts/execution-result.schema.json`); `None` for a plan that never ran.
    pub result: Option<Value>,
    /// Why the plan was rejected or failed, one sentence each.
    pub errors: Vec<String>,
    /// When the planner finished it.
    pub created_at: Timestamp,
    /// S3's record; `None` if `plan` is not a plan.
    pub record: Option<PlanRecord>,
    /// The parts of the story that the planner read, opaque here; `None` if no planner made the plan.
    pub seen: Option<Value>,
}

/// One write to the store of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreRow {
    pub skill: String,
    pub key: String,
    /// `None` deletes the key.
    pub value: Option<String>,
}

/// A file that a script created and announced with an `asset` event.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetRow {
    /// Id of a plan of this turn or of an earlier one.
    pub plan: String,
    pub tool_id: String,
    /// Unique in the invocation.
    pub asset_id: String,
    /// Chosen by the skill, such as `image`.
    pub kind: String,
    /// IANA media type.
    pub media_type: String,
    /// Relative to the story's folder.
    pub path: String,
    pub metadata: Option<Object>,
}

/// A turn as the narrator and the front ends read it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnSummary {
    pub id: TurnId,
    pub prompt: String,
    pub narration: String,
    pub outcome: TurnOutcome,
    pub choices: Vec<Value>,
    pub finished_at: Timestamp,
}

/// A plan that is about to run, and the plans and steps of its turn so far.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalContent {
    /// At most [`TURN_PROMPT_BYTES_MAX`](crate::TURN_PROMPT_BYTES_MAX).
    pub prompt: String,
    /// The turn's seed.
    pub seed: u64,
    pub plan: PlanRow,
    /// The plans that the turn has tried before this one, in order.
    pub earlier: Vec<PlanRow>,
    /// Finished steps, in the order in which they finished. At the start of a plan: the steps whose results
    /// it reuses from an earlier plan of the turn.
    pub steps: Vec<JournalStep>,
    /// When the player entered the prompt.
    pub started_at: Timestamp,
    /// Opaque to the story; the engine needs it to resume.
    pub extra: Value,
}

/// A finished step.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalStep {
    pub tool_id: String,
    /// Its result, opaque to the story.
    pub step: Value,
}

/// A plan that is running, or whose process has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// The content from the start of the plan, with the latest `plan.record` and all finished `steps`.
    pub content: JournalContent,
    /// The plan's number in the story.
    pub ordinal: u64,
    /// The turn that the plan continues; `None` for the first turn.
    pub head: Option<TurnId>,
    /// True if the head has moved since. Such a journal can only be dropped.
    pub is_stale: bool,
}

impl JournalContent {
    /// All plans of the turn, in order.
    pub(crate) fn plans(&self) -> impl Iterator<Item = &PlanRow> {
        self.earlier.iter().chain([&self.plan])
    }
}

impl TurnOutcome {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            TurnOutcome::Narrated => "told",
            TurnOutcome::Fallback => "fallback",
            TurnOutcome::Cancelled => "cancelled",
            TurnOutcome::Ticked => "ticked",
            TurnOutcome::Edited => "edited",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<TurnOutcome> {
        let all = [
            TurnOutcome::Narrated,
            TurnOutcome::Fallback,
            TurnOutcome::Cancelled,
            TurnOutcome::Ticked,
            TurnOutcome::Edited,
        ];
        all.into_iter().find(|outcome| outcome.as_str() == word)
    }
}
