//! One attempt of a turn: a plan is asked for, stamped, checked and run (DESIGN §4.6).

use serde_json::Value;
use tokio::time::timeout;

use super::{
    Session, Update,
    replan::{Attempts, sentences},
    run::{Start, execute, failures, result},
    session::{Frame, Ran, UpdateSink},
};
use crate::{
    narrator::{Ask, LexicalVoice, Planner, PlannerError, Proposal},
    plan::{self, BuildOptions, Plan, PlanJson},
    story::PlanStatus,
};

/// What one generation came to.
pub(super) enum Generated {
    Plan(Box<Plan>),
    Rejected,
    /// No other attempt could do better.
    Hopeless,
}

impl Session {
    /// One generation: asked, stamped, checked. Nothing of it has run.
    pub(super) async fn generate(
        &mut self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        updates: &mut (dyn FnMut(Update) + Send),
    ) -> Generated {
        let plan_id = (self.world.ids)().to_string();
        let attempt = attempts.next();
        let (voice, proposal) = self.ask(frame, attempts, &plan_id).await;
        let at = (self.world.clock)();
        let reject = |attempts: &mut Attempts, updates: UpdateSink<'_>, errors: Vec<String>| {
            attempts.rejected(errors.clone());
            tracing::info!(attempt, plan_id, ?errors, "plan rejected");
            let plan_id = Some(plan_id.clone());
            updates(Update::PlanRejected { turn: frame.turn, attempt, plan_id, errors });
        };
        let parsed = match proposal {
            Ok(Proposal::Plan(json)) => Ok(json),
            Ok(Proposal::Text(text)) => match plan::parse(text.as_bytes()) {
                Ok(json) => Ok(json),
                Err(errors) => {
                    let kept = text.chars().take(plan::PLAN_BYTES_MAX / 4).collect();
                    Err((Value::String(kept), sentences(&errors), Generated::Rejected))
                }
            },
            Err(error) => {
                let next = match error {
                    PlannerError::NothingFits => Generated::Hopeless,
                    _ => Generated::Rejected,
                };
                Err((Value::Null, vec![error.to_string()], next))
            }
        };
        let mut json = match parsed {
            Ok(json) => json,
            Err((kept, errors, next)) => {
                attempts.proposed(plan_id.clone(), &voice, kept, at);
                reject(attempts, updates, errors);
                return next;
            }
        };
        // Whatever the voice wrote there: lineage is the host's business (S0 FR-008, FR-010).
        json.request_id.clone_from(&plan_id);
        json.metadata.generation_attempt = attempt;
        json.metadata.parent_plan_id = attempts.parent().map(str::to_owned);
        json.disabled_skills = attempts.disabled().iter().cloned().collect();
        self.record_proposal(frame, attempts, &voice, &json, updates);
        let options = BuildOptions { disabled_skills: attempts.disabled().clone() };
        match Plan::build(json, &self.catalog, &options) {
            Ok(plan) => Generated::Plan(Box::new(plan)),
            Err(errors) => {
                reject(attempts, updates, sentences(&errors));
                Generated::Rejected
            }
        }
    }

    /// Asks the planner; when its time is up, the voice that needs none answers (S0 FR-005).
    async fn ask(
        &mut self,
        frame: &Frame<'_>,
        attempts: &Attempts,
        plan_id: &str,
    ) -> (String, Result<Proposal, PlannerError>) {
        let disabled: Vec<String> = attempts.disabled().iter().cloned().collect();
        let last_failure = attempts.last_failure();
        let ask = || Ask {
            sentence: frame.prompt,
            catalog: &self.catalog,
            disabled: &disabled,
            state: self.story.state().as_object(),
            recent: &frame.beats,
            attempt: attempts.next(),
            parent_plan_id: attempts.parent(),
            last_failure: last_failure.as_deref(),
            plan_id: plan_id.to_owned(),
            seed: frame.seed,
        };
        let asked = timeout(self.options.generation_timeout, self.planner.propose(ask())).await;
        match asked {
            Ok(answer) => (self.planner.name().to_owned(), answer),
            Err(_elapsed) => {
                let voice = self.planner.name();
                tracing::warn!("`{voice}` made no plan in {:?}", self.options.generation_timeout);
                let mut lexical = LexicalVoice::new();
                let answer = lexical.propose(ask()).await;
                (lexical.name().to_owned(), answer)
            }
        }
    }

    pub(super) fn record_proposal(
        &self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        voice: &str,
        json: &PlanJson,
        updates: UpdateSink<'_>,
    ) {
        let attempt = attempts.next();
        let kept = serde_json::to_value(json).expect("a plan holds only JSON values");
        tracing::info!(attempt, plan_id = json.request_id, voice, "plan proposed");
        attempts.proposed(json.request_id.clone(), voice, kept, (self.world.clock)());
        updates(Update::PlanProposed {
            turn: frame.turn,
            attempt,
            planner: voice.to_owned(),
            plan: Box::new(json.clone()),
        });
    }

    pub(super) async fn run_plan(
        &mut self,
        frame: &Frame<'_>,
        plan: Plan,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> (Ran, Value) {
        let started_at = (self.world.clock)();
        let trace = execute(
            &plan,
            Start { turn: frame.turn, state: self.story.state(), seed: frame.seed },
            &self.scripts,
            &mut self.health,
            frame.cancel,
            &self.options,
            updates,
        )
        .await;
        let result = result(&plan, &trace, started_at);
        let status = if trace.success { PlanStatus::Complete } else { PlanStatus::Failed };
        let errors = failures(&plan, &trace);
        tracing::info!(plan_id = plan.id(), success = trace.success, ?errors, "plan finished");
        attempts.ran(status, result.clone(), errors);
        attempts.disable(trace.disabled_skills.iter().cloned());
        (Ran { plan, trace }, result)
    }
}
