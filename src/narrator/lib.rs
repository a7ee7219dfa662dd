//! Planners turn a sentence into a plan. This crate knows the wire, the catalog and unchecked Plan JSON. It
//! knows neither stories nor how plans run: callers pass the parts of a story that a planner needs as plain data.
//!
//! [`LexicalPlanner`] needs no model, [`ScriptedPlanner`] replays given responses, and [`fallback_narration`] is the text
//! that the player reads if every plan has failed.

use std::{pin::Pin, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use narratoria_plan::{Arbiter, PlanJson, wire::ToolJson};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

mod answer;
mod arbiter;
mod chosen_value;
#[cfg(feature = "llama")]
mod consequences;
pub mod fallback_narration;
mod follow_ups;
mod lexical;
#[cfg(feature = "llama")]
pub mod llama;
mod matching;
mod meaning;
mod named_value;
mod occasion;
mod opening;
mod plan_step;
mod recovery;
mod schema_filling;
mod scripted;
mod slot_filling;
pub mod tick;
mod unfit_input;
mod word_lists;
mod words;

pub use answer::{
    NoPlan, PlannerAnswer, PlannerDecision, error_sentences, lexical_answer, request_answer,
    request_own_answer,
};
pub use arbiter::{arbiter_prompt, judge_prompt};
pub use lexical::LexicalPlanner;
pub use meaning::{
    HeldOutLookup, HeldOutResult, HeldOutSentence, LogisticHead, NearScript, Nearness, ScriptIndex,
    SentencePart, SentenceParts, StartedScript, decision_features,
};
pub use occasion::makes_sense_in;
pub use opening::{campaign_opening_plan, opening_plan};
pub use recovery::recovery_report;
pub use scripted::{PLANNER_SCRIPT_BYTES_MAX, PlannerScriptError, ScriptedPlanner};
pub use unfit_input::unfit_input;

/// The player's sentence, and everything else that a planner may take into account.
#[derive(Debug, Clone)]
pub struct PlanRequest<'a> {
    pub sentence: &'a str,
    pub catalog: &'a Catalog,
    /// Skills of the catalog that this plan must not use (S0 FR-008).
    pub disabled_skills: &'a [String],
    /// Skills that fail often or did not answer lately: to be used with caution (S1 §3).
    pub unreliable_skills: &'a [String],
    pub state: &'a Object,
    /// The newest is last.
    pub recent_turns: &'a [RecentTurn],
    /// The story's memories that belong to this: the pinned ones first, then the best.
    pub memories: &'a [SeenMemory],
    /// Lore and people of the story's campaign that belong to this, the most relevant first.
    pub notes: &'a [SeenNote],
    /// From 1 (S0 FR-010).
    pub attempt: u32,
    /// The id of the previous attempt's plan (S0 FR-010).
    pub parent_plan_id: Option<&'a str>,
    /// Why the last failed plan did not run, or failed while it ran.
    pub last_failure: Option<&'a str>,
    /// The last plan of this turn that ran, with the results of its steps (S2, strategy 3). A step with the same id and the
    /// same definition in the new plan keeps its result and does not run again.
    pub previous_plan: Option<PreviousPlan<'a>>,
    /// The player's comment on the plan that they rejected in review (S2).
    pub feedback: Option<&'a str>,
    /// The `requestId` of the new plan: a fresh UUID.
    pub plan_id: String,
    /// The only source of randomness.
    pub seed: u64,
    /// The time that is left for this generation (S0 FR-006). [`request_own_answer`] drops the future when it is over.
    pub budget: Duration,
    /// A planner that writes its plan step by step sends each complete step here, so that it can start early. None if no
    /// step may start before the plan is complete.
    pub eager_steps: Option<EagerSteps>,
}

impl<'a> PlanRequest<'a> {
    /// The request of a first attempt, in which no skill is disabled or unreliable and the story has no past. Its seed is 0.
    pub fn first(
        sentence: &'a str,
        catalog: &'a Catalog,
        state: &'a Object,
        plan_id: String,
        budget: Duration,
    ) -> PlanRequest<'a> {
        PlanRequest {
            sentence,
            catalog,
            disabled_skills: &[],
            unreliable_skills: &[],
            state,
            recent_turns: &[],
            memories: &[],
            notes: &[],
            attempt: 1,
            parent_plan_id: None,
            last_failure: None,
            previous_plan: None,
            feedback: None,
            plan_id,
            seed: 0,
            budget,
            eager_steps: None,
        }
    }
}

/// Steps of an unfinished plan, in plan order; each depends only on earlier ones. The finished plan must contain them
/// unchanged, and it must be `parallel`, because async steps among them may overlap. A step that the plan changes runs
/// again, and its first result is dropped.
pub type EagerSteps = UnboundedSender<ToolJson>;

/// An earlier plan of this turn.
#[derive(Debug, Clone, Copy)]
pub struct PreviousPlan<'a> {
    pub plan: &'a PlanJson,
    /// One for each step, in run order.
    pub steps: &'a [StepReport],
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    pub tool_id: String,
    /// `success`, `failed`, `timeout` or `skipped`.
    pub state: &'static str,
    pub output: Option<Value>,
    /// Why the step failed or was skipped.
    pub why: Option<String>,
}

/// Something that the author of the story's campaign wrote, as planners and storytellers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenNote {
    pub name: String,
    pub text: String,
    /// Why it belongs to this turn, for people who ask.
    pub why: String,
}

/// A memory of the story, as planners see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMemory {
    /// Such as `M3`.
    pub id: String,
    pub text: String,
    /// The turn that it comes from.
    pub turn: u64,
    pub pinned: bool,
}

/// One turn of the story, as planners see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentTurn {
    pub prompt: String,
    pub narration: String,
}

/// A proposal and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanResponse {
    /// The planner's name.
    pub planner: String,
    pub proposal: Proposal,
    /// The planner that was asked first, if this one stands in for it.
    pub fallback: Option<Fallback>,
    /// Set if a model made the plan.
    pub tokens: Option<PlanTokens>,
    /// The parts of the story that it read beside the sentence.
    pub view: PlannerView,
}

/// The parts of the story that a planner read beside the sentence. They help to explain its plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlannerView {
    /// How many of [`PlanRequest::recent_turns`] it read, the last ones.
    pub recent_turns: usize,
    /// Ids of the [`PlanRequest::memories`] that it read.
    pub memories: Vec<String>,
    /// The parts that were left out for space, a few words each.
    pub cut: Vec<String>,
}

/// A planner that made no plan, so that another stood in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    pub planner: String,
    /// Such as: its time was over, or its model failed.
    pub why: String,
    /// The beginning of its text, if that was no plan.
    pub text: Option<String>,
}

/// The cost of a plan, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanTokens {
    pub prompt: usize,
    /// Tokens of the prompt that the model had read before.
    pub reused: usize,
    /// Tokens that the model chose, in one pass each.
    pub sampled: usize,
    /// Tokens that the grammar left no choice about, read in batches.
    pub forced: usize,
}

impl PlanResponse {
    /// A response without a fallback and without tokens.
    pub fn from_planner(name: &str, proposal: Proposal) -> PlanResponse {
        PlanResponse {
            planner: name.to_owned(),
            proposal,
            fallback: None,
            tokens: None,
            view: PlannerView::default(),
        }
    }
}

/// An unchecked answer of a planner.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one of them at a time")]
pub enum Proposal {
    Plan(PlanJson),
    /// Text from a model or a script, which the host parses and may refuse.
    Text(String),
    /// The planner sees no better plan, so the turn ends in fallback narration (S2, strategy 3).
    Abort {
        reason: String,
    },
}

/// Why a planner has no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlannerError {
    /// No enabled skill can answer, not even one that only narrates.
    #[error("no usable skill can answer the player's words")]
    NoUsableSkill,
    /// All responses of a [`ScriptedPlanner`] are used up.
    #[error("the script has only {responses} responses and was asked for more")]
    ScriptEnded { responses: usize },
    #[error("the planner failed: {reason}")]
    Failed { reason: String },
}

/// The future of [`Planner::propose`].
pub type PlanFuture<'a> =
    Pin<Box<dyn Future<Output = Result<PlanResponse, PlannerError>> + Send + 'a>>;

/// The future of [`Planner::prefill`].
pub type PrefillFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Turns a sentence into a plan.
pub trait Planner: Send {
    /// One word, stored with every plan.
    fn name(&self) -> &str;

    /// Returns false if [`Planner::prepare`] does nothing, so that the caller need not make a request for it.
    fn reads_ahead(&self) -> bool {
        true
    }

    /// Starts preparing for the next sentence; the request has all fields but the sentence. Returns at once. The work in
    /// the background stops when a plan is requested.
    fn prepare(&mut self, _request: &PlanRequest<'_>) {}

    /// Prepares like [`Planner::prepare`], and waits until it is done or [`PlanRequest::budget`] is over.
    fn prefill<'a>(&'a mut self, _request: PlanRequest<'a>) -> PrefillFuture<'a> {
        Box::pin(std::future::ready(()))
    }

    /// Makes a plan. An error, and text that is no plan, make the lexical planner stand in ([`request_answer`]), so a
    /// planner needs no fallback of its own.
    fn propose<'a>(&'a mut self, request: PlanRequest<'a>) -> PlanFuture<'a>;

    /// Chooses among several skills that could run a step, and judges acceptance criteria (S3's arbiter). Without it the
    /// executor's rule chooses, by health and then priority, and the player judges.
    fn arbiter(&self) -> Option<Arc<dyn Arbiter>> {
        None
    }
}
