//! The events that a front end gets while a story ticks (`contracts/tick-event.schema.json`).

use serde::Serialize;
use serde_json::Value;

/// The stages of a tick, in order (S4 §7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TickStage {
    Starting,
    GatheringContext,
    Planning,
    Validating,
    Executing,
    Writing,
    Saving,
    Complete,
}

/// News of a tick.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TickEvent {
    /// A stage has begun. The last one reports that the tick has ended.
    Stage { tick: u64, stage: TickStage },
    /// The plan that is about to run, or would run.
    Planned { tick: u64, planner: String, plan: Value },
    /// A warning for the player; the tick goes on.
    Warning { tick: u64, text: String },
    /// The scene, once it is part of the story.
    Scene { tick: u64, id: String, title: String, text: String, summary: Vec<String> },
    /// The tick failed, and the story is as it was.
    Failed { tick: u64, error: String, message: String, folder: String },
}

/// Takes news of a tick.
pub type TickSink<'a> = &'a mut (dyn FnMut(TickEvent) + Send);

impl TickStage {
    /// Such as "gathering context".
    pub fn as_str(self) -> &'static str {
        match self {
            TickStage::Starting => "starting",
            TickStage::GatheringContext => "gathering context",
            TickStage::Planning => "planning",
            TickStage::Validating => "validating",
            TickStage::Executing => "executing",
            TickStage::Writing => "writing",
            TickStage::Saving => "saving",
            TickStage::Complete => "complete",
        }
    }
}
