//! A tick in progress: its start, its stage, and why it stops.

use narratoria_narrator::tick::{TickContext, TickPlan, TickRequest};
use narratoria_protocol::Object;
use narratoria_story::StoryError;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    documents::TickFault,
    event::{TickEvent, TickSink, TickStage},
};
use crate::TurnError;

/// The progress of a tick, and the parts of it that an error file shows.
pub(super) struct StageProgress {
    pub(super) tick: u64,
    stage: TickStage,
    pub(super) context: Option<TickContext>,
    pub(super) plan: Option<Value>,
}

impl StageProgress {
    pub(super) fn new(tick: u64) -> StageProgress {
        StageProgress { tick, stage: TickStage::Starting, context: None, plan: None }
    }

    /// Begins a stage.
    pub(super) fn enter(&mut self, stage: TickStage, news: TickSink<'_>) {
        self.stage = stage;
        news(TickEvent::Stage { tick: self.tick, stage });
    }

    /// Creates a fault in this stage.
    pub(super) fn fault(&self, kind: &'static str, message: String) -> TickFault {
        TickFault {
            kind,
            traceback: format!("{}: {kind}: {message}", self.stage.as_str()),
            message,
            plan: self.plan.clone().unwrap_or_else(|| serde_json::json!({})),
            execution: None,
        }
    }
}

/// Why a tick stops.
pub(super) enum TickStop {
    Cancelled,
    Fault(Box<TickFault>),
    /// The host could not do its job.
    Host(TurnError),
}

impl From<TurnError> for TickStop {
    fn from(error: TurnError) -> TickStop {
        TickStop::Host(error)
    }
}

impl From<StoryError> for TickStop {
    fn from(error: StoryError) -> TickStop {
        TickStop::Host(error.into())
    }
}

/// The inputs of a tick.
pub(super) struct TickStart<'a> {
    /// Id of the character whose point of view the player wants.
    pub(super) pov: Option<&'a str>,
    /// The plan of an error file.
    pub(super) given: Option<TickPlan>,
    pub(super) cancel: &'a CancellationToken,
}

/// The inputs of a plan.
pub(super) struct PlanOrder<'a> {
    pub(super) request: TickRequest<'a>,
    pub(super) state: &'a Object,
    /// The plan of an error file.
    pub(super) given: Option<TickPlan>,
}
