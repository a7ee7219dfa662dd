//! Planners of ticks: the lexical one, and one that replays prepared answers.

use std::{collections::VecDeque, pin::Pin, time::Duration};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    context_text::TickContext,
    lexical::plan_tick,
    plan::{TICK_PLAN_BYTES_MAX, TickPlan},
    request::TickRequest,
};
use crate::{Fallback, PlannerError};
use narratoria_protocol::{JsonBounds, Object, StrictJsonError, read_json};
use narratoria_skills::Catalog;

/// What a planner of ticks may take into account.
#[derive(Debug, Clone)]
pub struct TickPlanRequest<'a> {
    pub tick: TickRequest<'a>,
    pub context: &'a TickContext,
    pub catalog: &'a Catalog,
    /// The state of the story, which some tools draw values from.
    pub state: &'a Object,
    /// The time for the plan.
    pub budget: Duration,
    pub cancel: &'a CancellationToken,
}

/// An unchecked answer.
#[derive(Debug, Clone, PartialEq)]
pub enum TickProposal {
    Plan(TickPlan),
    /// A plan is looked for in it.
    Text(String),
}

/// A proposal and its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct TickResponse {
    /// The planner's name.
    pub planner: String,
    pub proposal: TickProposal,
    /// The planner that was asked first, if this one stands in for it.
    pub fallback: Option<Fallback>,
}

impl TickResponse {
    /// A response of the planner that was asked.
    pub fn new(planner: &str, proposal: TickProposal) -> TickResponse {
        TickResponse { planner: planner.to_owned(), proposal, fallback: None }
    }
}

/// The future of [`TickPlanner::propose`].
pub type TickPlanFuture<'a> =
    Pin<Box<dyn Future<Output = Result<TickResponse, PlannerError>> + Send + 'a>>;

/// Plans the next scene of a story.
pub trait TickPlanner: Send {
    /// One word, stored with every plan.
    fn name(&self) -> &str;

    /// True if a language model is ready, which then writes the scenes as well.
    fn has_model(&self) -> bool {
        false
    }

    fn propose<'a>(&'a mut self, request: TickPlanRequest<'a>) -> TickPlanFuture<'a>;
}

/// The planner without a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct LexicalTickPlanner;

impl TickPlanner for LexicalTickPlanner {
    fn name(&self) -> &str {
        crate::LexicalPlanner::NAME
    }

    fn propose<'a>(&'a mut self, request: TickPlanRequest<'a>) -> TickPlanFuture<'a> {
        let plan = TickProposal::Plan(plan_tick(request.tick));
        Box::pin(std::future::ready(Ok(TickResponse::new(self.name(), plan))))
    }
}

/// Replays prepared answers, such as those of a file.
#[derive(Debug, Clone)]
pub struct ScriptedTickPlanner {
    answers: VecDeque<String>,
    given: usize,
}

/// Why a file holds no answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TickScriptError {
    #[error("{}", .0.predicate())]
    Json(StrictJsonError),
    #[error("is no list of answers, each a plan or a text")]
    NoList,
}

impl ScriptedTickPlanner {
    pub fn new(answers: impl IntoIterator<Item = String>) -> ScriptedTickPlanner {
        ScriptedTickPlanner { answers: answers.into_iter().collect(), given: 0 }
    }

    /// Reads a list of answers: a text is an answer as it is, anything else is a plan.
    pub fn parse(bytes: &[u8]) -> Result<ScriptedTickPlanner, TickScriptError> {
        let bounds = JsonBounds::of_bytes(TICK_PLAN_BYTES_MAX);
        let Value::Array(answers) = read_json(bytes, bounds).map_err(TickScriptError::Json)? else {
            return Err(TickScriptError::NoList);
        };
        Ok(ScriptedTickPlanner::new(answers.into_iter().map(|answer| match answer {
            Value::String(text) => text,
            plan => plan.to_string(),
        })))
    }
}

impl TickPlanner for ScriptedTickPlanner {
    fn name(&self) -> &str {
        "scripted"
    }

    fn propose<'a>(&'a mut self, _request: TickPlanRequest<'a>) -> TickPlanFuture<'a> {
        let answer = match self.answers.pop_front() {
            Some(answer) => {
                self.given += 1;
                Ok(TickResponse::new(self.name(), TickProposal::Text(answer)))
            }
            None => Err(PlannerError::ScriptEnded { responses: self.given }),
        };
        Box::pin(std::future::ready(answer))
    }
}
