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

use super::{READ_UP_MAX, Stage, replan::sentences};
use crate::{
    narrator::{Answer, Ask, Instead, LexicalVoice, Planner, PlannerError, Proposal, Tokens},
    plan::{self, BuildOptions, Plan},
};

pub use case::{Case, EVAL_BYTES_MAX, EVAL_CASES_MAX, EvalError, REPEAT_MAX, check_skills, parse};
pub use report::{Cost, KindScore, Latency, Miss, Report, Score, TokenCost};
pub use wire::ReportJson;

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
pub struct Tried<'c> {
    /// What was tried.
    pub case: &'c Case,
    /// Who made the plan, in one word.
    pub by: String,
    /// The voice in whose place it did, when the one that was asked had nothing.
    pub instead: Option<Instead>,
    /// What came of it.
    pub outcome: Outcome,
    /// From the question to the answer.
    pub took: Duration,
    /// What it cost, where a model made it.
    pub tokens: Option<Tokens>,
}

/// What came of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
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

impl Tried<'_> {
    /// Whether there is a plan that can run.
    pub fn is_valid(&self) -> bool {
        matches!(self.outcome, Outcome::Valid { .. })
    }

    /// Whether it uses the right skills.
    pub fn is_right(&self) -> bool {
        match &self.outcome {
            Outcome::Valid { skills } => self.case.accept.contains(skills),
            Outcome::Invalid { .. } => false,
        }
    }

    /// Whether the voice that was asked made it.
    pub fn is_own(&self) -> bool {
        self.instead.is_none()
    }
}

/// Tries every case once, in order, each within the stage's time for a generation (S0 SC-001, SC-002). `heard`
/// gets each as soon as it is tried.
pub async fn evaluate(
    stage: Stage<'_>,
    planner: &mut dyn Planner,
    cases: &[Case],
    options: &EvalOptions,
    heard: &mut (dyn FnMut(&Tried<'_>) + Send),
) -> Report {
    let mut all = Vec::with_capacity(cases.len());
    for case in cases {
        let tried = tokio::select! {
            biased;
            () = options.cancel.cancelled() => break,
            tried = try_case(stage, planner, case, options) => tried,
        };
        heard(&tried);
        all.push(tried);
    }
    Report::of(planner.name(), stage.options.generation_timeout, cases.len(), &all)
}

async fn try_case<'c>(
    stage: Stage<'_>,
    planner: &mut dyn Planner,
    case: &'c Case,
    options: &EvalOptions,
) -> Tried<'c> {
    let plan_id = (stage.world.ids)().to_string();
    let ask = || Ask {
        sentence: &case.sentence,
        catalog: stage.catalog,
        disabled: &case.disabled,
        state: &case.state,
        recent: &case.recent,
        attempt: 1,
        parent_plan_id: None,
        last_failure: None,
        previous: None,
        remark: None,
        plan_id: plan_id.clone(),
        seed: options.seed,
        budget: stage.options.generation_timeout,
        early: None,
    };
    let silence = || Ask { sentence: "", ..ask() };
    match options.typing {
        None => planner.read_up(Ask { budget: READ_UP_MAX, ..silence() }).await,
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
            let instead = Some(Instead { of: planner.name().to_owned(), why });
            let answer = LexicalVoice::new().propose(ask()).await;
            answer.map(|answer| Answer { instead, ..answer })
        }
    };
    match answer {
        Err(error) => {
            let (by, outcome) = (planner.name().to_owned(), no_plan(&error));
            Tried { case, by, instead: None, outcome, took, tokens: None }
        }
        Ok(Answer { by, proposal, instead, tokens }) => {
            let outcome = check(stage, case, &plan_id, proposal);
            Tried { case, by, instead, outcome, took, tokens }
        }
    }
}

fn no_plan(error: &PlannerError) -> Outcome {
    Outcome::Invalid { errors: vec![error.to_string()] }
}

/// What a turn would make of a proposal.
fn check(stage: Stage<'_>, case: &Case, plan_id: &str, proposal: Proposal) -> Outcome {
    let json = match proposal {
        Proposal::Plan(json) => Ok(json),
        Proposal::Text(text) => plan::parse(text.as_bytes()),
        Proposal::Abort { reason } => {
            return Outcome::Invalid { errors: vec![format!("the planner gave up: {reason}")] };
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
            let skills = steps.map(|step| step.first().skill.name.clone()).collect();
            Outcome::Valid { skills }
        }
        Err(errors) => Outcome::Invalid { errors: sentences(&errors) },
    }
}
