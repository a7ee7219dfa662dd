//! How well a voice plans: each sentence of a dataset is planned once and checked just as a turn would check
//! it. Knows plans and the skills that they use; nothing of a plan is run.
//!
//! A voice that had nothing in time is replaced here as it is in a turn, and both are counted: what the voice
//! did itself, and what the player would have got.

mod case;
mod report;
mod wire;

#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, time::Duration};

use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{PREFILL_MAX, StandaloneRunner, attempt_log::error_sentences};
use narratoria_narrator::{
    Fallback, LexicalPlanner, PlanRequest, PlanResponse, PlanTokens, Planner, PlannerError,
    Proposal,
};
use narratoria_plan::{self as plan, BuildOptions, Plan};

pub use case::{
    EVAL_BYTES_MAX, EVAL_CASES_MAX, EvalCase, EvalError, REPEAT_MAX, check_skills, parse,
};
pub use report::{EvalReport, KindScore, Latency, Miss, Score, TokenCost, TokenStats};
pub use wire::EvalReportJson;

/// How sentences are tried.
#[derive(Debug, Clone, Default)]
pub struct EvalOptions {
    /// The only source of chance. 0 by default.
    pub seed: u64,
    /// How long the player is taken to type before each sentence: a voice reads ahead meanwhile. As long as it
    /// needs by default.
    pub typing: Option<Duration>,
    /// Stops before the next sentence, and in the middle of this one.
    pub cancel: CancellationToken,
}

/// One sentence, tried.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseResult<'c> {
    /// What was tried.
    pub case: &'c EvalCase,
    /// Who made the plan, in one word.
    pub planner: String,
    /// The voice in whose place it did, when the one that was asked had nothing.
    pub fallback: Option<Fallback>,
    /// What came of it.
    pub outcome: CaseOutcome,
    /// From the question to the answer.
    pub took: Duration,
    /// What it cost, where a model made it.
    pub tokens: Option<PlanTokens>,
}

/// What came of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseOutcome {
    /// A plan that can run.
    Valid {
        /// The skills that it uses.
        skills: BTreeSet<String>,
    },
    /// A plan that cannot, or no plan at all.
    Invalid {
        /// Why, each a sentence.
        errors: Vec<String>,
    },
}

impl CaseResult<'_> {
    /// Whether there is a plan that can run.
    pub fn is_valid(&self) -> bool {
        matches!(self.outcome, CaseOutcome::Valid { .. })
    }

    /// Whether it uses the right skills.
    pub fn is_right(&self) -> bool {
        match &self.outcome {
            CaseOutcome::Valid { skills } => self.case.accept.contains(skills),
            CaseOutcome::Invalid { .. } => false,
        }
    }

    /// Whether the voice that was asked made it.
    pub fn is_own(&self) -> bool {
        self.fallback.is_none()
    }
}

/// Tries every case once, in order, each within the stage's time for a generation (S0 SC-001, SC-002). `heard`
/// gets each as soon as it is tried.
pub async fn evaluate(
    stage: StandaloneRunner<'_>,
    planner: &mut dyn Planner,
    cases: &[EvalCase],
    options: &EvalOptions,
    heard: &mut (dyn FnMut(&CaseResult<'_>) + Send),
) -> EvalReport {
    let mut all = Vec::with_capacity(cases.len());
    for case in cases {
        let tried = tokio::select! {
            biased;
            () = options.cancel.cancelled() => break,
            tried = run_case(stage, planner, case, options) => tried,
        };
        heard(&tried);
        all.push(tried);
    }
    EvalReport::of(planner.name(), stage.options.generation_timeout, cases.len(), &all)
}

async fn run_case<'c>(
    stage: StandaloneRunner<'_>,
    planner: &mut dyn Planner,
    case: &'c EvalCase,
    options: &EvalOptions,
) -> CaseResult<'c> {
    let plan_id = (stage.clock_and_ids.ids)().to_string();
    let ask = || PlanRequest {
        sentence: &case.sentence,
        catalog: stage.catalog,
        disabled_skills: &case.disabled,
        state: &case.state,
        recent_turns: &case.recent,
        attempt: 1,
        parent_plan_id: None,
        last_failure: None,
        previous_plan: None,
        feedback: None,
        plan_id: plan_id.clone(),
        seed: options.seed,
        budget: stage.options.generation_timeout,
        eager_steps: None,
    };
    let silence = || PlanRequest { sentence: "", ..ask() };
    match options.typing {
        None => planner.prefill(PlanRequest { budget: PREFILL_MAX, ..silence() }).await,
        Some(typing) => {
            planner.prepare(&silence());
            sleep(typing).await;
        }
    }
    let (started, budget) = (Instant::now(), stage.options.generation_timeout);
    let asked = timeout(budget, planner.propose(ask())).await;
    let took = started.elapsed();
    // A voice that holds up the runtime is late, whatever the timer saw.
    let answer = match asked {
        Ok(answer) if took <= budget => answer,
        _ => {
            let why = format!("it made no plan in {budget:?}");
            let instead = Some(Fallback { planner: planner.name().to_owned(), why });
            let answer = LexicalPlanner::new().propose(ask()).await;
            answer.map(|answer| PlanResponse { fallback: instead, ..answer })
        }
    };
    match answer {
        Err(error) => {
            let (by, outcome) = (planner.name().to_owned(), no_plan(&error));
            CaseResult { case, planner: by, fallback: None, outcome, took, tokens: None }
        }
        Ok(PlanResponse { planner: by, proposal, fallback: instead, tokens }) => {
            let outcome = check(stage, case, &plan_id, proposal);
            CaseResult { case, planner: by, fallback: instead, outcome, took, tokens }
        }
    }
}

fn no_plan(error: &PlannerError) -> CaseOutcome {
    CaseOutcome::Invalid { errors: vec![error.to_string()] }
}

/// What a turn would make of a proposal.
fn check(
    stage: StandaloneRunner<'_>,
    case: &EvalCase,
    plan_id: &str,
    proposal: Proposal,
) -> CaseOutcome {
    let json = match proposal {
        Proposal::Plan(json) => Ok(json),
        Proposal::Text(text) => plan::parse(text.as_bytes()),
        Proposal::Abort { reason } => {
            return CaseOutcome::Invalid { errors: vec![format!("the planner gave up: {reason}")] };
        }
    };
    let plan = json.and_then(|mut json| {
        // As a turn does: lineage is the host's business (S0 FR-008, FR-010).
        plan_id.clone_into(&mut json.request_id);
        json.metadata.generation_attempt = 1;
        json.metadata.parent_plan_id = None;
        json.disabled_skills.clone_from(&case.disabled);
        let disabled_skills = case.disabled.iter().cloned().collect();
        let options = BuildOptions { disabled_skills, ..BuildOptions::default() };
        Plan::build(json, stage.catalog, &options)
    });
    match plan {
        Ok(plan) => {
            let steps = plan.steps().iter().filter(|step| !step.skip);
            let skills = steps.map(|step| step.first_candidate().skill.name.clone()).collect();
            CaseOutcome::Valid { skills }
        }
        Err(errors) => CaseOutcome::Invalid { errors: error_sentences(&errors) },
    }
}
