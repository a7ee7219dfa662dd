//! The news of a session, as front ends get it and `--format json` prints it.
//!
//! This is the one core type that is also its own wire form: the stream is a public contract
//! (`contracts/update.schema.json`), and a second copy of it would only drift. Version 1.

mod line;

use serde::Serialize;
use serde_json::Value;

pub use line::{UPDATE_VERSION, UpdateLine};
use narratoria_plan::{PlanJson, wire::ToolJson};
use narratoria_protocol::Object;

/// Something the player may do next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NarrativeChoice {
    /// Stable within the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What to show.
    pub label: String,
    /// What the player would have typed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// What happened, in the past tense. Optional fields are left out when there is nothing to say.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum Update {
    /// First line of a session.
    #[serde(rename = "session.started")]
    SessionStarted {
        /// Its name.
        story: String,
        /// Turns told before.
        turns: u64,
        /// Usable skills, in name order.
        skills: Vec<String>,
        /// What was wrong with others.
        problems: Vec<String>,
        /// The planner's voice.
        narrator: String,
    },
    /// A sentence was taken.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// Counted from 1 over the story's life.
        turn: u64,
        /// The sentence.
        prompt: String,
    },
    /// Another voice makes the plans from now on, for instance because a model is ready.
    #[serde(rename = "narrator.changed")]
    NarratorChanged {
        /// The planner's voice so far.
        from: String,
        /// The one from now on.
        to: String,
    },
    /// A skill can be used from now on: it has been compiled, or its package is new or has changed.
    #[serde(rename = "skill.ready")]
    SkillReady {
        /// Its name.
        skill: String,
        /// Its version.
        version: String,
        /// Whether another took part in the session under this name until now.
        reloaded: bool,
    },
    /// A package cannot be used.
    #[serde(rename = "skill.failed")]
    SkillFailed {
        /// The package.
        skill: String,
        /// Everything that is wrong with it.
        problems: Vec<String>,
        /// Whether the skill that it was before is still used.
        kept: bool,
    },
    /// The package of a skill is gone, and so is the skill.
    #[serde(rename = "skill.removed")]
    SkillRemoved {
        /// Its name.
        skill: String,
    },
    /// A step of a plan that is still being written. It may start before the plan is whole.
    #[serde(rename = "plan.growing")]
    PlanGrowing {
        /// Which turn.
        turn: u64,
        /// From 1.
        attempt: u32,
        /// Which plan.
        plan_id: String,
        /// The voice that writes it.
        planner: String,
        /// As written; not checked.
        tool: Box<ToolJson>,
    },
    /// The voice that was asked had no plan, and another one answered.
    #[serde(rename = "planner.replaced")]
    PlannerReplaced {
        /// Which turn.
        turn: u64,
        /// From 1.
        attempt: u32,
        /// The voice that was asked.
        planner: String,
        /// The voice that answered.
        by: String,
        /// Why.
        reason: String,
    },
    /// A planner made a plan; it is not checked yet.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        /// Which turn.
        turn: u64,
        /// From 1 (S0 FR-010).
        attempt: u32,
        /// The voice that made it.
        planner: String,
        /// As made.
        plan: Box<PlanJson>,
    },
    /// A plan cannot run, or none was made.
    #[serde(rename = "plan.rejected")]
    PlanRejected {
        /// Which turn.
        turn: u64,
        /// From 1.
        attempt: u32,
        /// When there was a plan.
        #[serde(skip_serializing_if = "Option::is_none")]
        plan_id: Option<String>,
        /// Every reason.
        errors: Vec<String>,
    },
    /// The player looked at the plan before it ran, and decided.
    #[serde(rename = "plan.reviewed")]
    PlanReviewed {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// start, cancel, edit or regenerate.
        decision: String,
    },
    /// A plan became a new version of itself: edited in review, or repaired after a failure.
    #[serde(rename = "plan.revised")]
    PlanRevised {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// The version before.
        parent_plan_id: String,
        /// Of the new one; the first plan is 1.
        version: u32,
        /// What is different, for people.
        changes: String,
    },
    /// A plan starts to run.
    #[serde(rename = "plan.started")]
    PlanStarted {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// How many steps.
        steps: usize,
    },
    /// An attempt of a step starts.
    #[serde(rename = "step.started")]
    StepStarted {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// `<skill>/<script>`.
        tool_path: String,
        /// From 1.
        attempt: u32,
    },
    /// A `log` event with `fields.progress`.
    #[serde(rename = "step.progress")]
    StepProgress {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// 0–100.
        progress: f64,
        /// The log line.
        message: String,
    },
    /// A `log` event.
    #[serde(rename = "step.logged")]
    StepLogged {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// debug, info, warn or error.
        level: String,
        /// The line.
        message: String,
        /// Extras.
        #[serde(skip_serializing_if = "Option::is_none")]
        fields: Option<Object>,
    },
    /// An `error` event; the step goes on. Also what the host has to complain of.
    #[serde(rename = "step.warned")]
    StepWarned {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// Stable.
        error_code: String,
        /// For people.
        error_message: String,
        /// Extras.
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// An attempt failed and another follows.
    #[serde(rename = "step.retrying")]
    StepRetrying {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// The attempt to come.
        attempt: u32,
        /// How long it waits.
        delay_ms: u64,
        /// Why the last one failed.
        error: String,
    },
    /// A step could start but needs the approval of a person.
    #[serde(rename = "step.waiting")]
    StepWaiting {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// `<skill>/<script>`.
        tool_path: String,
        /// What the script would get; for a loop a list, one for each item.
        input: Value,
        /// What it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// A step that waited for approval has its answer.
    #[serde(rename = "step.decided")]
    StepDecided {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// Whether it may run.
        approved: bool,
        /// `player`, or `settings` when nobody was asked.
        by: String,
    },
    /// A script asks the player something and waits.
    #[serde(rename = "step.asked")]
    StepAsked {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// To be shown.
        question: String,
        /// Answers it offers; none when any text will do.
        choices: Vec<String>,
    },
    /// A script that asked goes on.
    #[serde(rename = "step.answered")]
    StepAnswered {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// Whether it got an answer.
        answered: bool,
    },
    /// The executor of a step failed for good and another takes its place.
    #[serde(rename = "step.taken_over")]
    StepTakenOver {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// `<skill>/<script>` that failed.
        from: String,
        /// `<skill>/<script>` that follows.
        to: String,
        /// Why it failed.
        error: String,
    },
    /// A step was done in an earlier version of the plan; its result stands and it is not run again.
    #[serde(rename = "step.kept")]
    StepKept {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// How it ended then: success, failed, skipped or timeout.
        state: String,
    },
    /// A step is over.
    #[serde(rename = "step.finished")]
    StepFinished {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// success, failed, skipped or timeout.
        state: String,
        /// The script's own line.
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        /// What it gave: an object, or an array of them from a loop.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<Value>,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Why it was skipped.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Over all attempts and waits.
        execution_time_ms: u64,
        /// Attempts after the first.
        retry_count: u32,
        /// Over all attempts.
        fuel_consumed: u64,
        /// Highest of all attempts.
        peak_memory_bytes: u64,
        /// Over all attempts.
        stdout_bytes: u64,
    },
    /// A `ui_event`.
    #[serde(rename = "ui.event")]
    UiEvent {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// Its name.
        event: String,
        /// Its payload.
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Value>,
        /// A line to show by front ends that do not know the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        placeholder: Option<String>,
    },
    /// An asset was kept.
    #[serde(rename = "asset.created")]
    AssetCreated {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Which step.
        tool_id: String,
        /// Unique in its step.
        asset_id: String,
        /// Free word.
        kind: String,
        /// IANA media type.
        media_type: String,
        /// Relative to the story's folder.
        path: String,
        /// Extras.
        #[serde(skip_serializing_if = "Option::is_none")]
        metadata: Option<Object>,
    },
    /// A skill does better or worse (S1 §3.1).
    #[serde(rename = "health.changed")]
    HealthChanged {
        /// Which turn.
        turn: u64,
        /// Which skill.
        skill: String,
        /// Before.
        from: String,
        /// After.
        to: String,
    },
    /// A plan is over.
    #[serde(rename = "plan.finished")]
    PlanFinished {
        /// Which turn.
        turn: u64,
        /// Which plan.
        plan_id: String,
        /// Whether every required step succeeded.
        success: bool,
        /// Whether another plan could do better.
        can_replan: bool,
        /// `toolId`s.
        failed_tools: Vec<String>,
        /// Skills that the next plan must not use.
        disabled_skills: Vec<String>,
        /// Wall clock.
        execution_time_ms: u64,
    },
    /// Text of the story, as it becomes certain.
    #[serde(rename = "narration.delta")]
    NarrationDelta {
        /// Which turn.
        turn: u64,
        /// To be appended.
        text: String,
    },
    /// All text of this turn so far does not count: a step that spoke had to begin anew, or the plan failed.
    #[serde(rename = "narration.discarded")]
    NarrationDiscarded {
        /// Which turn.
        turn: u64,
    },
    /// The turn is over and kept.
    #[serde(rename = "turn.finished")]
    TurnFinished {
        /// Which turn.
        turn: u64,
        /// told, fallback or cancelled.
        outcome: String,
        /// The whole text.
        narration: String,
        /// What the player may do next.
        choices: Vec<NarrativeChoice>,
        /// Plans made.
        attempts: u32,
        /// Wall clock.
        elapsed_ms: u64,
    },
    /// The host could not do its job; the story is as it was before the turn.
    #[serde(rename = "turn.failed")]
    TurnFailed {
        /// When one had started.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<u64>,
        /// Stable.
        kind: String,
        /// For people.
        message: String,
        /// Ways out.
        hints: Vec<String>,
    },
    /// Last line of a session.
    #[serde(rename = "session.finished")]
    SessionFinished {
        /// Its name.
        story: String,
        /// Turns told in all.
        turns: u64,
    },
}
