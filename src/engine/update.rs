//! The news of a session, as front ends match on it and `--format json` prints it. Knows the stream's format
//! (`contracts/update.schema.json`, version 1); knows nothing of how a turn is played.
//!
//! [`Update`] is the one core type that is also its own wire form: the stream is a public contract, and a
//! second copy of it would only drift.

mod line;
mod step;
#[cfg(test)]
mod tests;
mod vocabulary;
mod word;

use narratoria_plan::{PlanJson, wire::ToolJson};
use narratoria_protocol::Object;
use narratoria_skills::Health;
use narratoria_story::TurnOutcome;
use serde::Serialize;
use serde_json::Value;

use super::error::TurnErrorKind;
pub use line::UpdateLine;
pub use step::{StepEvent, StepUpdate};
pub use vocabulary::{DecidedBy, MoveKind, RetryDice, ReviewDecision, StepState};

/// Receives the news in order, each before the work that follows it starts.
pub type UpdateSink<'a> = &'a mut (dyn FnMut(Update) + Send);

/// Something the player may do next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NarrativeChoice {
    /// Stable within the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub label: String,
    /// The sentence that the choice stands for; without one, the label is the sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl NarrativeChoice {
    /// Reads a choice that the story has stored; `None` without a label.
    pub fn from_stored(kept: &Value) -> Option<NarrativeChoice> {
        let text = |field: &str| kept.get(field).and_then(Value::as_str).map(str::to_owned);
        Some(NarrativeChoice { id: text("id"), label: text("label")?, prompt: text("prompt") })
    }

    /// The choice as the story stores it.
    pub(crate) fn to_stored(&self) -> Value {
        let mut object = Object::new();
        let mut put = |field: &str, text: Option<&String>| {
            if let Some(text) = text {
                object.insert(field.to_owned(), Value::String(text.clone()));
            }
        };
        put("id", self.id.as_ref());
        put("label", Some(&self.label));
        put("prompt", self.prompt.as_ref());
        Value::Object(object)
    }
}

/// A skill in play.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillStatus {
    pub name: String,
    /// For people.
    pub description: String,
    #[serde(serialize_with = "word::health")]
    pub health: Health,
}

/// One thing that happened. `turn` and `attempt` count from 1; a planner is named by its word, such as
/// `lexical`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum Update {
    /// First line of a session.
    #[serde(rename = "session.started")]
    SessionStarted {
        story: String,
        /// Number of turns played before.
        turns: u64,
        /// Usable skills, in name order.
        skills: Vec<String>,
        /// Why the other packages cannot be used.
        problems: Vec<String>,
        /// The planner.
        narrator: String,
    },
    #[serde(rename = "turn.started")]
    TurnStarted {
        turn: u64,
        /// The player's sentence.
        prompt: String,
    },
    /// Another planner makes the plans from now on, for instance because a model is ready.
    #[serde(rename = "narrator.changed")]
    NarratorChanged { from: String, to: String },
    /// A skill can be used from now on: it has been compiled, or its package is new or has changed.
    #[serde(rename = "skill.ready")]
    SkillReady {
        skill: String,
        version: String,
        /// True if it replaces a skill of this name that took part in the session.
        reloaded: bool,
    },
    /// A package cannot be used.
    #[serde(rename = "skill.failed")]
    SkillFailed {
        skill: String,
        problems: Vec<String>,
        /// True if the version that was loaded before is still used.
        #[serde(rename = "kept")]
        still_used: bool,
    },
    /// The package of a skill is gone, and so is the skill.
    #[serde(rename = "skill.removed")]
    SkillRemoved { skill: String },
    /// The planner wrote a step of a plan that it is still writing. The step may start before the plan is
    /// complete.
    #[serde(rename = "plan.growing")]
    PlanGrowing {
        turn: u64,
        attempt: u32,
        plan_id: String,
        planner: String,
        /// As written; not checked.
        tool: Box<ToolJson>,
    },
    /// The planner had no plan, and another one answered.
    #[serde(rename = "planner.replaced")]
    PlannerReplaced {
        turn: u64,
        attempt: u32,
        /// The planner that was asked.
        planner: String,
        /// The planner that answered.
        by: String,
        reason: String,
    },
    /// A planner made a plan; it is not checked yet.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        turn: u64,
        /// S0 FR-010.
        attempt: u32,
        planner: String,
        plan: Box<PlanJson>,
    },
    /// A plan cannot run, or none was made.
    #[serde(rename = "plan.rejected")]
    PlanRejected {
        turn: u64,
        attempt: u32,
        /// `None` if no plan was made.
        #[serde(skip_serializing_if = "Option::is_none")]
        plan_id: Option<String>,
        errors: Vec<String>,
    },
    /// The player looked at the plan before it ran, and decided.
    #[serde(rename = "plan.reviewed")]
    PlanReviewed {
        turn: u64,
        plan_id: String,
        #[serde(serialize_with = "word::review_decision")]
        decision: ReviewDecision,
    },
    /// A plan became a new version of itself: edited in review, or repaired after a failure.
    #[serde(rename = "plan.revised")]
    PlanRevised {
        turn: u64,
        plan_id: String,
        /// The version before.
        parent_plan_id: String,
        /// Number of the new version; the first plan is 1.
        version: u32,
        /// For people.
        changes: String,
        /// The new version, if an edit made it. `plan.proposed` has the plans of planners.
        #[serde(skip_serializing_if = "Option::is_none")]
        plan: Option<Box<PlanJson>>,
    },
    /// A plan starts to run.
    #[serde(rename = "plan.started")]
    PlanStarted {
        turn: u64,
        plan_id: String,
        steps: usize,
        /// Seconds that the plan may take, by how long its scripts took before. `None` in a repeatable session.
        #[serde(skip_serializing_if = "Option::is_none")]
        estimated_duration: Option<f64>,
    },
    /// The health of a skill changed (S1 §3.1), or the player enabled it again after this turn.
    #[serde(rename = "health.changed")]
    HealthChanged {
        turn: u64,
        skill: String,
        #[serde(serialize_with = "word::health")]
        from: Health,
        #[serde(serialize_with = "word::health")]
        to: Health,
    },
    /// The skills in play, because the player asked for them or enabled one again.
    #[serde(rename = "skills.listed")]
    SkillsListed { skills: Vec<SkillStatus> },
    /// A plan ended.
    #[serde(rename = "plan.finished")]
    PlanFinished {
        turn: u64,
        plan_id: String,
        /// True if every required step succeeded.
        success: bool,
        /// True if another plan could do better.
        can_replan: bool,
        /// `toolId`s.
        failed_tools: Vec<String>,
        /// Skills that the next plan must not use.
        disabled_skills: Vec<String>,
        /// Wall clock.
        execution_time_ms: u64,
    },
    /// The record of a plan that belongs to no story was written to a file.
    #[serde(rename = "plan.recorded")]
    PlanRecorded {
        turn: u64,
        plan_id: String,
        /// The file.
        path: String,
    },
    /// Text of the story, as it becomes certain.
    #[serde(rename = "narration.delta")]
    NarrationDelta {
        turn: u64,
        /// To be appended.
        text: String,
    },
    /// All text of this turn so far does not count: a step that had narrated starts again, or the plan
    /// failed.
    #[serde(rename = "narration.discarded")]
    NarrationDiscarded { turn: u64 },
    /// The turn ended and is part of the story.
    #[serde(rename = "turn.finished")]
    TurnFinished {
        turn: u64,
        #[serde(serialize_with = "word::turn_outcome")]
        outcome: TurnOutcome,
        /// The turn's whole text.
        narration: String,
        choices: Vec<NarrativeChoice>,
        /// Number of plans made.
        attempts: u32,
        /// Wall clock.
        elapsed_ms: u64,
    },
    /// The host could not do its job; the story is as it was before the turn.
    #[serde(rename = "turn.failed")]
    TurnFailed {
        /// `None` if no turn had started.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<u64>,
        #[serde(serialize_with = "word::turn_error_kind")]
        kind: TurnErrorKind,
        /// For people.
        message: String,
        /// Ways for the player to go on.
        hints: Vec<String>,
    },
    /// The player went to another turn of the story. Everything is as it was right after that turn.
    #[serde(rename = "story.moved")]
    StoryMoved {
        #[serde(serialize_with = "word::move_kind")]
        by: MoveKind,
        /// The branch that is played now.
        branch: String,
        /// Turns of the story now.
        turns: u64,
        /// Turns that are no longer part of it.
        left: u64,
        /// Turns that are part of it again.
        entered: u64,
        /// Turns that can be redone from here.
        redoable: u64,
        /// The text of the last turn; empty at the beginning.
        narration: String,
        /// The choices that it offered.
        choices: Vec<NarrativeChoice>,
        /// The dice of the turn that is played again, if one is.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "word::retry_dice")]
        dice: Option<RetryDice>,
    },
    /// A part of the story that the player asked for. It changes nothing.
    #[serde(rename = "story.shown")]
    StoryShown {
        /// The command, without its slash.
        about: &'static str,
        /// The document of the verb of `narratoria story` or `plan` with this name.
        document: Box<Value>,
    },
    /// Last line of a session.
    #[serde(rename = "session.finished")]
    SessionFinished {
        story: String,
        /// Turns of the story.
        turns: u64,
    },
    /// Something happened to a step of a plan. Each event has a `type` of its own on the wire.
    #[serde(untagged)]
    Step(StepUpdate),
}

impl Update {
    /// The news of the step `tool_id` of the plan `plan_id`.
    pub fn step(turn: u64, plan_id: &str, tool_id: &str, event: StepEvent) -> Update {
        let (plan_id, tool_id) = (plan_id.to_owned(), tool_id.to_owned());
        Update::Step(StepUpdate { turn, plan_id, tool_id, event })
    }
}
