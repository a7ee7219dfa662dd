//! The news of a step: which step, and one event. Knows how both are written as one flat object.

use narratoria_executor::SkipReason;
use narratoria_protocol::{LogLevel, Object};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{
    vocabulary::{DecidedBy, StepState},
    word,
};

/// News of one step. On the wire the event's fields follow the ids in the same object.
#[derive(Debug, Clone, PartialEq)]
pub struct StepUpdate {
    /// Counts from 1.
    pub turn: u64,
    pub plan_id: String,
    pub tool_id: String,
    pub event: StepEvent,
}

/// News of a step. [`StepEvent::type_name`] gives the `type` of its line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum StepEvent {
    /// An attempt starts.
    Started {
        /// `<skill>/<script>`.
        tool_path: String,
        /// Counts from 1.
        attempt: u32,
    },
    /// The script wrote a `log` event with `fields.progress`.
    Progressed {
        /// 0–100.
        progress: f64,
        message: String,
    },
    /// The script wrote any other `log` event.
    Logged {
        #[serde(serialize_with = "word::log_level")]
        level: LogLevel,
        message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        fields: Option<Object>,
    },
    /// The script wrote an `error` event and goes on, or the host warns of one of its actions.
    Warned {
        /// Stable.
        error_code: String,
        /// For people.
        error_message: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// An attempt failed and another follows.
    Retrying {
        /// The attempt that follows.
        attempt: u32,
        /// The wait before it.
        delay_ms: u64,
        /// Why the last attempt failed.
        error: String,
    },
    /// The step could start but needs the player's approval.
    Waiting {
        /// `<skill>/<script>`.
        tool_path: String,
        /// The input of the script; for a loop a list, one for each item.
        input: Value,
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// A step that waited for approval was approved or denied.
    Decided {
        approved: bool,
        #[serde(serialize_with = "word::decided_by")]
        by: DecidedBy,
    },
    /// The script asks the player a question and waits.
    Asked {
        question: String,
        /// The answers that it offers; empty if any text will do.
        choices: Vec<String>,
    },
    /// The script goes on after its question, with an answer or without one.
    Answered { answered: bool },
    /// The executor of the step failed permanently and another takes over.
    TakenOver {
        /// `<skill>/<script>` that failed.
        from: String,
        /// `<skill>/<script>` that takes over.
        to: String,
        /// Why it failed.
        error: String,
    },
    /// An earlier version of the plan ran the step. Its result stands, and it does not run again.
    Reused {
        #[serde(serialize_with = "word::step_state")]
        state: StepState,
    },
    /// The step ended.
    Finished {
        #[serde(serialize_with = "word::step_state")]
        state: StepState,
        /// The script's own summary.
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// An object, or an array of them from a loop.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<Value>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "word::skip_reason")]
        reason: Option<SkipReason>,
        /// The sum over all attempts and waits.
        execution_time_ms: u64,
        /// The number of attempts after the first.
        retry_count: u32,
        /// The sum over all attempts.
        fuel_consumed: u64,
        /// The highest of all attempts.
        peak_memory_bytes: u64,
        /// The sum over all attempts.
        stdout_bytes: u64,
    },
    /// The script wrote a `ui_event`.
    UiEvent {
        event: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Value>,
        /// A line for front ends that do not know the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
    },
    /// An asset became part of the story.
    AssetCreated {
        /// Unique in its step.
        asset_id: String,
        /// Any word.
        kind: String,
        /// IANA media type.
        media_type: String,
        /// Relative to the story's folder.
        path: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<Object>,
    },
}

impl StepEvent {
    /// The `type` of its line in the stream.
    pub fn type_name(&self) -> &'static str {
        match self {
            StepEvent::Started { .. } => "step.started",
            StepEvent::Progressed { .. } => "step.progress",
            StepEvent::Logged { .. } => "step.logged",
            StepEvent::Warned { .. } => "step.warned",
            StepEvent::Retrying { .. } => "step.retrying",
            StepEvent::Waiting { .. } => "step.waiting",
            StepEvent::Decided { .. } => "step.decided",
            StepEvent::Asked { .. } => "step.asked",
            StepEvent::Answered { .. } => "step.answered",
            StepEvent::TakenOver { .. } => "step.taken_over",
            StepEvent::Reused { .. } => "step.kept",
            StepEvent::Finished { .. } => "step.finished",
            StepEvent::UiEvent { .. } => "ui.event",
            StepEvent::AssetCreated { .. } => "asset.created",
        }
    }
}

/// A line of a step. Its type and its ids precede the event's own fields.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepUpdateJson<'a> {
    #[serde(rename = "type")]
    type_name: &'static str,
    turn: u64,
    plan_id: &'a str,
    tool_id: &'a str,
    #[serde(flatten)]
    event: &'a StepEvent,
}

impl Serialize for StepUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StepUpdate { turn, plan_id, tool_id, event } = self;
        let type_name = event.type_name();
        StepUpdateJson { type_name, turn: *turn, plan_id, tool_id, event }.serialize(serializer)
    }
}
