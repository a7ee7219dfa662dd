//! What became of a plan, step by step: S3's plan, with its lifecycle and its operations.
//!
//! Pure: times are handed in. An operation that is refused changes nothing. The JSON is
//! `contracts/plan-record.schema.json`; version 1.
//!
//! # Where this is more exact than S3
//!
//! - Several steps may be in progress at once. A plan is complete when nothing is pending or in progress,
//!   not as soon as nothing more could be started.
//! - A failed step leaves the plan `replanning` while its siblings go on; what they do does not hide it.
//!   Whether the failure mattered is the executor's to say: [`PlanRecord::finish`] or
//!   [`PlanRecord::give_up`].
//! - A skipped step is out of the way of those that depend on it, as a complete one is.
//! - A new version has an id of its own, and names its predecessor.

mod creation;
mod operations;
#[cfg(test)]
mod tests;
mod time;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use creation::VERSION_KEY;
use narratoria_protocol::Object;

/// How far a plan came (S3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Made but never run; also a plan that did not pass validation.
    Draft,
    /// Some of it has run.
    InProgress,
    /// Succeeded.
    Complete,
    /// Failed, and no other plan followed.
    Failed,
    /// A step failed; another plan follows, or the rest still decides it.
    Replanning,
}

/// How far a step came (S3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not yet started.
    Pending,
    /// Being executed.
    InProgress,
    /// Completed.
    Complete,
    /// Failed for good.
    Failed,
    /// Will not run.
    Skipped,
}

/// A plan as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanRecord {
    /// The plan's `requestId`.
    pub id: String,
    /// What it was made for: the player's sentence.
    pub task: String,
    /// How far it came.
    pub status: PlanStatus,
    /// Counts the versions of one plan, from 1.
    pub version: u32,
    /// The version before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_plan_id: Option<String>,
    /// Which planner, and with which model.
    pub created_by: String,
    /// When it was made.
    #[serde(with = "time")]
    pub created_at: Timestamp,
    /// When anything last changed.
    #[serde(with = "time")]
    pub updated_at: Timestamp,
    /// The step that is being executed or comes next; the number of steps when there is none.
    pub current_step_index: usize,
    /// In the order in which they run.
    pub steps: Vec<StepRecord>,
    /// What is different from the version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// Why it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whatever else the planner kept.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
}

/// A step as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepRecord {
    /// Its place, from 0.
    pub index: usize,
    /// Unique in the plan.
    pub tool_id: String,
    /// For people: the plan's words, or else what it asks for.
    pub description: String,
    /// How far it came.
    pub status: StepStatus,
    /// Whom the planner would choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_skill: Option<String>,
    /// Who it was: `<skill>@<version>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed_by: Option<String>,
    /// When it was started.
    #[serde(default, with = "time::option", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was completed.
    #[serde(default, with = "time::option", skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// What it gave, which may be null.
    #[serde(
        default,
        deserialize_with = "creation::some_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Files that it wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub affected_files: Vec<String>,
    /// Steps that must be over first, by index, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<usize>,
    /// How to do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What must be true afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance_criteria: Vec<String>,
}

/// An operation that the record does not allow. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanRecordError {
    /// There is no such step.
    #[error("there is no step {index}, the plan has {steps}")]
    UnknownStep {
        /// As given.
        index: usize,
        /// How many there are.
        steps: usize,
    },
    /// The step is somewhere else in its life.
    #[error("step `{step}` is {found}, only a step that is {wanted} can be {asked}")]
    WrongStepStatus {
        /// Its `toolId`.
        step: String,
        /// What it is.
        found: StepStatus,
        /// What it would have to be.
        wanted: &'static str,
        /// What was asked for, such as `completed`.
        asked: &'static str,
    },
    /// The plan's life is over.
    #[error("plan `{plan}` is {status}, nothing of it can change any more")]
    PlanEnded {
        /// Its id.
        plan: String,
        /// What it is.
        status: PlanStatus,
    },
    /// Steps are left.
    #[error("plan `{plan}` cannot be finished: {} not over", steps_are(.steps))]
    Unfinished {
        /// Its id.
        plan: String,
        /// `toolId`s of those that are pending or in progress.
        steps: Vec<String>,
    },
    /// Not a record that this program could have written.
    #[error("the plan record cannot be read: {what}")]
    Unreadable {
        /// What is wrong with it.
        what: String,
    },
}

impl PlanStatus {
    const ALL: [PlanStatus; 5] = [
        PlanStatus::Draft,
        PlanStatus::InProgress,
        PlanStatus::Complete,
        PlanStatus::Failed,
        PlanStatus::Replanning,
    ];

    /// The word in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            PlanStatus::Draft => "draft",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Complete => "complete",
            PlanStatus::Failed => "failed",
            PlanStatus::Replanning => "replanning",
        }
    }

    /// The other way.
    pub fn parse(word: &str) -> Option<PlanStatus> {
        PlanStatus::ALL.into_iter().find(|status| status.as_str() == word)
    }
}

impl std::fmt::Display for PlanStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl StepStatus {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            StepStatus::Pending => "pending",
            StepStatus::InProgress => "in_progress",
            StepStatus::Complete => "complete",
            StepStatus::Failed => "failed",
            StepStatus::Skipped => "skipped",
        }
    }
}

impl std::fmt::Display for StepStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

fn steps_are(steps: &[String]) -> String {
    match steps {
        [step] => format!("step `{step}` is"),
        steps => format!("steps `{}` are", steps.join("`, `")),
    }
}
