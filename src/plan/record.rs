//! The record of a plan's execution, step by step: S3's plan with its lifecycle and operations.
//!
//! Pure: callers pass the time. A refused operation changes nothing. The JSON is
//! `contracts/plan-record.schema.json`, version 1.
//!
//! # Where this is more precise than S3
//!
//! - Several steps may be in progress at once. A plan is complete when no step is pending or in progress, not as soon as
//!   no further step could start.
//! - A failed step sets the plan to `replanning`, and its siblings' results do not change that. The executor decides
//!   whether the failure mattered: [`PlanRecord::finish`] or [`PlanRecord::mark_failed`].
//! - A skipped step satisfies the steps that depend on it, as a complete one does.
//! - A new version has its own id, and names its predecessor.

mod creation;
mod operations;
#[cfg(test)]
mod tests;
mod time;

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CriterionJudge, CriterionVerdict};
pub use creation::{CONTEXT_KEY, TASK_KEY, VERSION_KEY};
use narratoria_protocol::Object;

/// The lifecycle of a plan (S3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Never run, or failed validation.
    Draft,
    InProgress,
    Complete,
    /// Failed, and no other plan follows.
    Failed,
    /// A step failed. Another plan follows, or the remaining steps decide.
    Replanning,
}

/// The lifecycle of a step (S3). A step that waits is `pending` in a draft, and `blocked` or `ready` in a plan that runs
/// (S2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    Pending,
    /// A step that it needs has not ended, or has failed. In the second case [`StepRecord::reason`] is set, and the
    /// step never runs.
    Blocked,
    /// Everything that it needs is complete or skipped.
    Ready,
    InProgress,
    Complete,
    /// Failed after all retries.
    Failed,
    Skipped,
}

/// One version of a plan, as the story stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanRecord {
    /// The plan's `requestId`.
    pub id: String,
    /// The player's sentence.
    pub task: String,
    pub status: PlanStatus,
    /// From 1.
    pub version: u32,
    /// The id of the version before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_plan_id: Option<String>,
    /// The planner, and its model.
    pub created_by: String,
    #[serde(with = "time")]
    pub created_at: Timestamp,
    #[serde(with = "time")]
    pub updated_at: Timestamp,
    /// The step in progress or the next one; the number of steps if there is none.
    pub current_step_index: usize,
    /// In run order.
    pub steps: Vec<StepRecord>,
    /// The changes since the version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<String>,
    /// The planner's reason for the plan; without one, the reason for the changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The grounds of the plan: the text of the planner, and the facts that the host passed to it.
    #[serde(default, skip_serializing_if = "PlanContext::is_empty")]
    pub context: PlanContext,
    /// How long the plan was expected to take when it started, in seconds (S2).
    #[serde(default, with = "time::seconds", skip_serializing_if = "Option::is_none")]
    pub estimated_duration: Option<Duration>,
    /// Other fields that the planner set.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub metadata: Object,
}

/// The grounds of a plan (S3 `createPlan`, `replan`). One sentence each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanContext {
    /// Facts that the story remembers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<String>,
    /// Rules that the plan must keep to, such as skills that it must not use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// Findings of earlier plans, such as why one failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discoveries: Vec<String>,
}

/// The decision about one acceptance criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CriterionJudgment {
    pub criterion: String,
    pub verdict: CriterionVerdict,
    pub by: CriterionJudge,
}

/// One step of a [`PlanRecord`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepRecord {
    /// From 0.
    pub index: usize,
    pub tool_id: String,
    /// The plan's description, otherwise the tool path.
    pub description: String,
    pub status: StepStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_skill: Option<String>,
    /// `<skill>@<version>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed_by: Option<String>,
    #[serde(default, with = "time::option", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    #[serde(default, with = "time::option", skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// How long the step was expected to take when the plan started, in seconds (S2).
    #[serde(default, with = "time::seconds", skip_serializing_if = "Option::is_none")]
    pub estimated_duration: Option<Duration>,
    /// The output, which may be null.
    #[serde(
        default,
        deserialize_with = "creation::some_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why the step was skipped, or can never run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub affected_files: Vec<String>,
    /// Indices of the steps that must end first, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance_criteria: Vec<String>,
    /// In the order of the criteria, once the step has an output that could be judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judgments: Vec<CriterionJudgment>,
}

/// Why an operation is refused. A refused operation changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanRecordError {
    #[error("there is no step {index}, the plan has {steps}")]
    UnknownStep { index: usize, steps: usize },
    #[error("step `{step}` is {found}, only a step that is {wanted} can be {asked}")]
    WrongStepStatus {
        step: String,
        found: StepStatus,
        wanted: &'static str,
        /// The operation, such as `completed`.
        asked: &'static str,
    },
    #[error("plan `{plan}` is {status}, nothing of it can change any more")]
    PlanEnded { plan: String, status: PlanStatus },
    #[error("plan `{plan}` cannot be finished: {} not over", steps_are(.steps))]
    Unfinished {
        plan: String,
        /// `toolId`s of steps that are pending or in progress.
        steps: Vec<String>,
    },
    /// This program never writes such a record.
    #[error("the plan record cannot be read: {what}")]
    Unreadable { what: String },
}

impl PlanContext {
    pub fn is_empty(&self) -> bool {
        self.memories.is_empty() && self.constraints.is_empty() && self.discoveries.is_empty()
    }
}

impl PlanStatus {
    const ALL: [PlanStatus; 5] = [
        PlanStatus::Draft,
        PlanStatus::InProgress,
        PlanStatus::Complete,
        PlanStatus::Failed,
        PlanStatus::Replanning,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            PlanStatus::Draft => "draft",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Complete => "complete",
            PlanStatus::Failed => "failed",
            PlanStatus::Replanning => "replanning",
        }
    }

    /// The inverse of [`PlanStatus::as_str`].
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
    pub fn as_str(self) -> &'static str {
        match self {
            StepStatus::Pending => "pending",
            StepStatus::Blocked => "blocked",
            StepStatus::Ready => "ready",
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
