//! Row 4: the voices that turn a sentence into a plan. Knows the wire, the catalog and Plan JSON as it
//! is written; knows nothing of running plans or of stories: what a voice needs of the story is handed
//! in as plain data.
//!
//! [`LexicalVoice`] needs no model, [`ScriptedVoice`] plays what it was given, and [`fallback`] is what
//! the player reads when nobody found a way.

use std::{pin::Pin, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use narratoria_plan::{PlanJson, wire::ToolJson};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

mod arbiter;
pub mod fallback_narration;
mod lexical;
#[cfg(feature = "llama")]
pub mod llama;
mod matching;
mod plan_step;
mod recovery;
mod scripted;
mod slot_filling;
mod words;

pub use arbiter::{
    ArbiterCandidate, SkillArbiter, SkillChoiceFuture, SkillChoiceRequest, arbiter_prompt,
};
pub use lexical::{LEXICAL_STEPS_MAX, LexicalPlanner, SENTENCE_BYTES_MAX};
pub use matching::SIMILARITY_MIN;
pub use recovery::recovery_prompt;
pub use scripted::{PLANNER_SCRIPT_BYTES_MAX, PlannerScriptError, ScriptedPlanner};

/// What a voice is asked: the player's words and all that bears on them.
#[derive(Debug, Clone)]
pub struct PlanRequest<'a> {
    /// What the player typed.
    pub sentence: &'a str,
    /// What can be used.
    pub catalog: &'a Catalog,
    /// Skills of the catalog that this plan must not use (S0 FR-008).
    pub disabled_skills: &'a [String],
    /// The story's state.
    pub state: &'a Object,
    /// The last turns, newest last.
    pub recent_turns: &'a [RecentTurn],
    /// From 1 (S0 FR-010).
    pub attempt: u32,
    /// The plan of the attempt before this one (S0 FR-010).
    pub parent_plan_id: Option<&'a str>,
    /// Why the last one that failed did: in running, or because it could not run.
    pub last_failure: Option<&'a str>,
    /// The last plan of this turn that ran: what of it is done and what is not (S2, strategy 3). A step that
    /// the new plan has under the same id and with the same definition keeps its result and is not run again.
    pub previous_plan: Option<PreviousPlan<'a>>,
    /// What the player had to say about the plan before this one, when they asked for another (S2).
    pub feedback: Option<&'a str>,
    /// A fresh UUID: the `requestId` of the new plan.
    pub plan_id: String,
    /// The only source of chance.
    pub seed: u64,
    /// What is left of the time for this generation (S0 FR-006). Whoever asks drops the future as soon as it is
    /// over.
    pub budget: Duration,
    /// Where a voice that writes its plan step by step hands over each step as soon as it is complete, so
    /// that it may start. None where nothing may start before the whole plan is seen.
    pub eager_steps: Option<EagerSteps>,
}

/// Steps of a plan that is still being written, in plan order; each depends only on those before it. They
/// must stand in the plan just as they were handed over, and the plan must be `parallel`, because async ones
/// among them may overlap. A step that the plan has otherwise runs again, and what it came to is dropped.
pub type EagerSteps = UnboundedSender<ToolJson>;

/// A plan of this turn that has run.
#[derive(Debug, Clone, Copy)]
pub struct PreviousPlan<'a> {
    /// As it ran.
    pub plan: &'a PlanJson,
    /// One for each step, in the order in which they ran.
    pub steps: &'a [StepReport],
}

/// What came of one step of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The step.
    pub tool_id: String,
    /// `success`, `failed`, `timeout` or `skipped`.
    pub state: &'static str,
    /// What it gave.
    pub output: Option<Value>,
    /// Why it failed or was skipped.
    pub why: Option<String>,
}

/// One turn, as far as a voice needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentTurn {
    /// What the player typed.
    pub prompt: String,
    /// What the player read.
    pub narration: String,
}

/// What was proposed, and by whom.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanResponse {
    /// The voice that made it, in one word.
    pub planner: String,
    /// What it made.
    pub proposal: Proposal,
    /// The voice in whose place it did, when another was asked first.
    pub fallback: Option<Fallback>,
    /// What it cost, where a model made it.
    pub tokens: Option<PlanTokens>,
}

/// A voice that was asked and had nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// In one word.
    pub planner: String,
    /// Why: its time was over, it failed, its model is not there yet.
    pub why: String,
}

/// What a plan cost a model, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanTokens {
    /// Of the prompt.
    pub prompt: usize,
    /// Of those, how many the model had read before.
    pub reused: usize,
    /// Chosen by the model, each a pass of its own.
    pub sampled: usize,
    /// Left no choice by the grammar, read in one batch.
    pub forced: usize,
}

impl PlanResponse {
    /// Of a voice that was asked itself and costs nothing.
    pub fn from_planner(voice: &str, proposal: Proposal) -> PlanResponse {
        PlanResponse { planner: voice.to_owned(), proposal, fallback: None, tokens: None }
    }
}

/// What a voice came up with. Nothing of it has been checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// A plan.
    Plan(PlanJson),
    /// Text as a model or a script wrote it, for the host to parse and perhaps to refuse.
    Text(String),
    /// No other plan could do better: the turn ends in fallback narration (S2, strategy 3).
    Abort {
        /// In the voice's own words.
        reason: String,
    },
}

/// Why a voice has no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlannerError {
    /// No skill that may be used can answer, not even the one that only narrates.
    #[error("no usable skill can answer the player's words")]
    NoUsableSkill,
    /// A scripted voice has said all it had.
    #[error("the script has only {responses} responses and was asked for more")]
    ScriptEnded {
        /// How many it had.
        responses: usize,
    },
    /// The voice itself failed.
    #[error("the planner failed: {reason}")]
    Failed {
        /// In its own words.
        reason: String,
    },
}

/// A proposal on its way.
pub type PlanFuture<'a> =
    Pin<Box<dyn Future<Output = Result<PlanResponse, PlannerError>> + Send + 'a>>;

/// Getting ready, until it is done.
pub type PrefillFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A voice.
pub trait Planner: Send {
    /// One word, kept with every plan.
    fn name(&self) -> &str;

    /// Gets ready for the sentence that the player is about to type: `ask` is what will be asked, without the
    /// sentence. Returns at once; whatever goes on behind it stops as soon as a plan is asked for.
    fn prepare(&mut self, _ask: &PlanRequest<'_>) {}

    /// Gets ready in the same way, and waits for it, for as long as [`Ask::budget`] says.
    fn prefill<'a>(&'a mut self, _ask: PlanRequest<'a>) -> PrefillFuture<'a> {
        Box::pin(std::future::ready(()))
    }

    /// Thinks of a plan. Whoever asks sets the deadline and drops the future when it has passed.
    fn propose<'a>(&'a mut self, ask: PlanRequest<'a>) -> PlanFuture<'a>;

    /// Who of several skills runs a step, when this voice has an opinion on that (S3's arbiter). A voice
    /// without one leaves it to the rule: health, then priority.
    fn arbiter(&self) -> Option<Arc<dyn SkillArbiter>> {
        None
    }
}
