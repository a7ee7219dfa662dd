//! Measures how well a planner plans: each sentence of a dataset is planned once and checked as a turn would check
//! it. Runs nothing.
//!
//! A planner without a plan in time is replaced as in a turn. Both numbers count: the plans of the planner itself,
//! and the plans that the player would have got.

mod case;
mod case_result;
mod field_score;
mod report;
mod wire;

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{StandaloneRunner, plan_request::PREFILL_MAX};
use narratoria_narrator::{
    Fallback, PlanRequest, Planner, PlannerAnswer, PlannerDecision, error_sentences,
    lexical_answer, makes_sense_in, request_own_answer,
};
use narratoria_plan::{BuildOptions, Plan, Step};
use narratoria_skills::Catalog;

pub use case::{
    EVAL_BYTES_MAX, EVAL_CASES_MAX, EvalCase, EvalError, ExpectedInput, REPEAT_MAX, check_skills,
    parse,
};
pub use case_result::{CaseOutcome, CaseResult};
pub use field_score::FieldScore;
pub use report::{EvalReport, KindScore, Latency, Miss, Score, SkillScore, TokenCost, TokenStats};
pub use wire::EvalReportJson;

#[derive(Debug, Clone, Default)]
pub struct EvalOptions {
    /// The only source of chance. 0 by default.
    pub seed: u64,
    /// The time in which the player types each sentence, while the planner reads ahead. By default it gets as
    /// long as it needs.
    pub typing: Option<Duration>,
    /// Stops the evaluation, also in the middle of a case.
    pub cancel: CancellationToken,
}

/// Plans every case once, in order, each within the runner's time for a generation (S0 SC-001, SC-002).
/// `on_result` gets each result at once.
pub async fn evaluate(
    runner: StandaloneRunner<'_>,
    planner: &mut dyn Planner,
    cases: &[EvalCase],
    options: &EvalOptions,
    on_result: &mut (dyn FnMut(&CaseResult<'_>) + Send),
) -> EvalReport {
    let mut all = Vec::with_capacity(cases.len());
    for case in cases {
        let tried = tokio::select! {
            biased;
            () = options.cancel.cancelled() => break,
            tried = run_case(runner, planner, case, options) => tried,
        };
        on_result(&tried);
        all.push(tried);
    }
    EvalReport::of(planner.name(), runner.options.generation_timeout, cases.len(), &all)
}

async fn run_case<'c>(
    runner: StandaloneRunner<'_>,
    planner: &mut dyn Planner,
    case: &'c EvalCase,
    options: &EvalOptions,
) -> CaseResult<'c> {
    let plan_id = (runner.clock_and_ids.ids)().to_string();
    let request = || PlanRequest {
        disabled_skills: &case.disabled,
        recent_turns: &case.recent,
        seed: options.seed,
        ..PlanRequest::first(
            &case.sentence,
            runner.catalog,
            &case.state,
            plan_id.clone(),
            runner.options.generation_timeout,
        )
    };
    let prefill = || PlanRequest { sentence: "", ..request() };
    match options.typing {
        None => planner.prefill(PlanRequest { budget: PREFILL_MAX, ..prefill() }).await,
        Some(typing) => {
            planner.prepare(&prefill());
            sleep(typing).await;
        }
    }
    let (started, budget) = (Instant::now(), runner.options.generation_timeout);
    let answer = request_own_answer(planner, request()).await;
    let took = started.elapsed();
    // A planner that blocks the runtime is late, even if the timer did not fire.
    let answer = answer.and_then(|answer| match took <= budget {
        true => Ok(answer),
        false => {
            let (planner, why) = (answer.planner, format!("it made no plan within {budget:?}"));
            Err(Fallback { planner, why, text: None })
        }
    });
    match answer.or_else(|fallback| lexical_answer(&request(), fallback)) {
        Err(no_plan) => {
            let (planner, errors) = (planner.name().to_owned(), no_plan.reasons());
            let outcome = CaseOutcome::Invalid { errors };
            CaseResult {
                case,
                planner,
                fallback: Some(no_plan.fallback),
                outcome,
                took,
                tokens: None,
            }
        }
        Ok(PlannerAnswer { planner, decision, fallback, tokens, .. }) => {
            let outcome = check(runner, case, &plan_id, decision);
            CaseResult { case, planner, fallback, outcome, took, tokens }
        }
    }
}

/// Checks a plan as a turn would.
fn check(
    runner: StandaloneRunner<'_>,
    case: &EvalCase,
    plan_id: &str,
    decision: PlannerDecision,
) -> CaseOutcome {
    let mut json = match decision {
        PlannerDecision::Plan(json) => json,
        PlannerDecision::Abort { reason } => {
            return CaseOutcome::Invalid { errors: vec![format!("the planner gave up: {reason}")] };
        }
    };
    // The host stamps the lineage, as in a turn (S0 FR-008, FR-010).
    plan_id.clone_into(&mut json.request_id);
    json.metadata.generation_attempt = 1;
    json.metadata.parent_plan_id = None;
    json.disabled_skills.clone_from(&case.disabled);
    let disabled_skills = case.disabled.iter().cloned().collect();
    let state_values = Some(runner.catalog.state_values(&case.state));
    let options = BuildOptions { disabled_skills, state_values, ..BuildOptions::default() };
    match Plan::build(json, runner.catalog, &options) {
        Ok(plan) => {
            let steps: Vec<&Step> = plan.steps().iter().filter(|step| !step.skip).collect();
            let senseless = steps.iter().filter(|step| !makes_sense(runner.catalog, case, step));
            let errors: Vec<String> = senseless.map(|step| no_sense(step)).collect();
            if !errors.is_empty() {
                return CaseOutcome::Invalid { errors };
            }
            let fields = FieldScore::of(case, &steps);
            let skills = steps.iter().map(|step| step.first_candidate().skill.name.clone());
            CaseOutcome::Valid { skills: skills.collect(), fields }
        }
        Err(errors) => CaseOutcome::Invalid { errors: error_sentences(&errors) },
    }
}

/// Returns true if a step makes sense in the state of its case. Others would fail, such as a deed without a world.
fn makes_sense(catalog: &Catalog, case: &EvalCase, step: &Step) -> bool {
    let candidate = step.first_candidate();
    makes_sense_in(catalog, &candidate.skill, candidate.script(), &case.state)
}

fn no_sense(step: &Step) -> String {
    format!("`{}` makes no sense in this state", step.first_candidate().tool_path())
}
