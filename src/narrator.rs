//! Row 4: the voices that turn a sentence into a plan. Knows the wire, the catalog and Plan JSON as it
//! is written; knows nothing of running plans or of stories: what a voice needs of the story is handed
//! in as plain data.
//!
//! [`LexicalVoice`] needs no model, [`ScriptedVoice`] plays what it was given, and [`fallback`] is what
//! the player reads when nobody found a way.

use std::pin::Pin;

use crate::{plan::PlanJson, protocol::Object, skills::Catalog};

pub mod fallback;
mod filling;
mod lexical;
mod matching;
mod scripted;
mod words;

pub use lexical::{LexicalVoice, SENTENCE_BYTES_MAX, STEPS_MAX};
pub use matching::SIMILARITY_MIN;
pub use scripted::{SCRIPT_BYTES_MAX, ScriptError, ScriptedVoice};

/// What a voice is asked: the player's words and all that bears on them.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// What the player typed.
    pub sentence: &'a str,
    /// What can be used.
    pub catalog: &'a Catalog,
    /// Skills of the catalog that this plan must not use (S0 FR-008).
    pub disabled: &'a [String],
    /// The story's state.
    pub state: &'a Object,
    /// The last turns, newest last.
    pub recent: &'a [Beat],
    /// From 1 (S0 FR-010).
    pub attempt: u32,
    /// The plan of the attempt before this one (S0 FR-010).
    pub parent_plan_id: Option<&'a str>,
    /// Why that one failed.
    pub last_failure: Option<&'a str>,
    /// A fresh UUID: the `requestId` of the new plan.
    pub plan_id: String,
    /// The only source of chance.
    pub seed: u64,
}

/// One turn, as far as a voice needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beat {
    /// What the player typed.
    pub prompt: String,
    /// What the player read.
    pub narration: String,
}

/// What a voice came up with. Nothing of it has been checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// A plan.
    Plan(PlanJson),
    /// Text as a model or a script wrote it, for the host to parse and perhaps to refuse.
    Text(String),
}

/// Why a voice has no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlannerError {
    /// No skill that may be used can answer, not even the one that only narrates.
    #[error("no usable skill can answer the player's words")]
    NothingFits,
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
pub type Thinking<'a> = Pin<Box<dyn Future<Output = Result<Proposal, PlannerError>> + Send + 'a>>;

/// A voice.
pub trait Planner: Send {
    /// One word, kept with every plan.
    fn name(&self) -> &str;

    /// Thinks of a plan. Whoever asks sets the deadline and drops the future when it has passed.
    fn propose<'a>(&'a mut self, ask: Ask<'a>) -> Thinking<'a>;
}
