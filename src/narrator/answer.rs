//! A planner's answer, and the lexical planner's answer in place of one that is no plan (S0 FR-005, FR-006, §6). The
//! only place that decides when a planner is replaced.

use narratoria_plan::{self as plan, PlanErrors, PlanJson};
use tokio::time::timeout;

use crate::{
    Fallback, LexicalPlanner, PlanRequest, PlanResponse, PlanTokens, Planner, PlannerError,
    PlannerView, Proposal,
};

/// Longest piece of a text that is no plan, in characters. Its beginning shows what went wrong.
const UNUSABLE_TEXT_CHARS_MAX: usize = 2_000;

/// An answer that a turn can go on with. The plan is parsed, but not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannerAnswer {
    /// The planner that answered.
    pub planner: String,
    pub decision: PlannerDecision,
    /// The planner that was asked first, if this one stands in for it.
    pub fallback: Option<Fallback>,
    /// Set if a model made the plan.
    pub tokens: Option<PlanTokens>,
    /// The parts of the story that it read.
    pub view: PlannerView,
}

/// A planner's decision.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one of them at a time")]
pub enum PlannerDecision {
    Plan(PlanJson),
    /// The planner sees no better plan (S2, strategy 3).
    Abort {
        reason: String,
    },
}

/// Neither the planner nor the lexical planner in its place has a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoPlan {
    /// The planner that was asked first.
    pub fallback: Fallback,
    /// Why the lexical planner has no plan either.
    pub error: PlannerError,
}

impl NoPlan {
    /// Each planner's reason.
    pub fn reasons(&self) -> Vec<String> {
        let lexical = self.error.to_string();
        match self.is_lexical() {
            true => vec![lexical],
            false => vec![self.fallback.why.clone(), format!("without it: {lexical}")],
        }
    }

    /// Returns true if another attempt could do better. The lexical planner gives the same answer again.
    pub fn can_retry(&self) -> bool {
        !self.is_lexical()
    }

    fn is_lexical(&self) -> bool {
        self.fallback.planner == LexicalPlanner::NAME
    }
}

/// Asks the planner, and the lexical planner if it has no plan within [`PlanRequest::budget`].
pub async fn request_answer(
    planner: &mut dyn Planner,
    request: PlanRequest<'_>,
) -> Result<PlannerAnswer, NoPlan> {
    match request_own_answer(planner, request.clone()).await {
        Ok(answer) => Ok(answer),
        Err(fallback) => lexical_answer(&request, fallback),
    }
}

/// Asks only the planner. Without a plan within [`PlanRequest::budget`], it must be replaced for the returned reason.
pub async fn request_own_answer(
    planner: &mut dyn Planner,
    request: PlanRequest<'_>,
) -> Result<PlannerAnswer, Fallback> {
    let (name, budget) = (planner.name().to_owned(), request.budget);
    let without_text = |why| Fallback { planner: name.clone(), why, text: None };
    let response = timeout(budget, planner.propose(request)).await;
    let answer = match response {
        Ok(Ok(response)) => read_response(response),
        Ok(Err(PlannerError::Failed { reason })) => Err(without_text(reason)),
        Ok(Err(error)) => Err(without_text(error.to_string())),
        Err(_elapsed) => Err(without_text(format!("it made no plan within {budget:?}"))),
    };
    if let Err(Fallback { why, text, .. }) = &answer {
        tracing::info!(text, "`{name}` made no plan: {why}");
    }
    answer
}

/// The lexical planner's answer in place of another planner's. It takes next to no time.
pub fn lexical_answer(
    request: &PlanRequest<'_>,
    fallback: Fallback,
) -> Result<PlannerAnswer, NoPlan> {
    match LexicalPlanner::new().plan(request) {
        Ok(plan) => Ok(PlannerAnswer {
            planner: LexicalPlanner::NAME.to_owned(),
            decision: PlannerDecision::Plan(plan),
            fallback: Some(fallback),
            tokens: None,
            view: PlannerView::default(),
        }),
        Err(error) => Err(NoPlan { fallback, error }),
    }
}

/// S0 "invalid Plan JSON": text that is no Plan JSON is no answer.
fn read_response(response: PlanResponse) -> Result<PlannerAnswer, Fallback> {
    let PlanResponse { planner, proposal, fallback, tokens, view } = response;
    let decision = match proposal {
        Proposal::Plan(json) => PlannerDecision::Plan(json),
        Proposal::Abort { reason } => PlannerDecision::Abort { reason },
        Proposal::Text(text) => match plan::parse(text.as_bytes()) {
            Ok(json) => PlannerDecision::Plan(json),
            Err(errors) => {
                let text = Some(text.chars().take(UNUSABLE_TEXT_CHARS_MAX).collect());
                // Hints are for people who write plans.
                let why = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
                return Err(Fallback { planner, why, text });
            }
        },
    };
    Ok(PlannerAnswer { planner, decision, fallback, tokens, view })
}

/// Each error of a plan with its hint, for planners and for the log.
pub fn error_sentences(errors: &PlanErrors) -> Vec<String> {
    let sentence = |error: &plan::PlanError| match error.hint() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    };
    errors.iter().map(sentence).collect()
}
