//! One attempt of a turn: a plan is asked for, stamped and checked (DESIGN §4.6).

use serde_json::Value;
use tokio::time::timeout;

use super::{
    Draft, Session, Update,
    replan::{Attempts, Version, sentences},
    session::{Frame, UpdateSink},
};
use crate::{
    narrator::{Ask, LexicalVoice, Planner, PlannerError, Proposal},
    plan::{self, BuildOptions, Plan, PlanErrors, PlanJson, VERSION_KEY},
};

/// What one generation came to.
pub(super) enum Generated {
    Draft(Box<Draft>),
    Rejected,
    /// No other attempt could do better.
    Hopeless,
}

/// Why a proposal is no plan.
struct Unusable {
    /// What stands in its place.
    kept: Value,
    errors: Vec<String>,
    next: Generated,
}

impl Session {
    /// One generation: asked, stamped, checked. Nothing of it has run.
    pub(super) async fn generate(
        &mut self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> Generated {
        let plan_id = (self.world.ids)().to_string();
        let (voice, proposal) = self.ask(frame, attempts, &plan_id).await;
        let mut json = match readable(proposal) {
            Ok(json) => json,
            Err(Unusable { kept, errors, next }) => {
                let (by, at) = (voice.as_str(), (self.world.clock)());
                let (id, task) = (plan_id.clone(), frame.prompt);
                attempts.proposed(Version { id, by, kept, json: None, task, at });
                reject(frame, attempts, &plan_id, errors, updates);
                return next;
            }
        };
        // Whatever the voice wrote there: lineage is the host's business (S0 FR-008, FR-010).
        json.request_id.clone_from(&plan_id);
        json.metadata.generation_attempt = attempts.next();
        json.metadata.parent_plan_id = attempts.parent().map(str::to_owned);
        json.disabled_skills = attempts.disabled().iter().cloned().collect();
        match attempts.versions() {
            0 => _ = json.metadata.extra.remove(VERSION_KEY),
            versions => {
                let version = versions.saturating_add(1).into();
                json.metadata.extra.insert(VERSION_KEY.to_owned(), version);
            }
        }
        match self.draft(frame, attempts, &voice, json, updates) {
            Ok(draft) => Generated::Draft(Box::new(draft)),
            Err(errors) => {
                reject(frame, attempts, &plan_id, sentences(&errors), updates);
                Generated::Rejected
            }
        }
    }

    /// Writes a plan down as the next version, and checks it.
    fn draft(
        &self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        voice: &str,
        json: PlanJson,
        updates: UpdateSink<'_>,
    ) -> Result<Draft, PlanErrors> {
        self.write_down(frame, attempts, voice, &json, updates);
        let kept = attempts.results().kept_ids(&json);
        let mended = attempts.results().mended_ids(&json, &self.lost());
        let options = BuildOptions {
            disabled_skills: attempts.disabled().clone(),
            kept: kept.clone(),
            mended,
            ..BuildOptions::default()
        };
        let plan = Plan::build(json.clone(), &self.catalog, &options)?;
        Ok(Draft { json, plan, by: voice.to_owned(), version: attempts.versions(), kept })
    }

    /// A plan becomes the next version, whether it can run or not.
    pub(super) fn write_down(
        &self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        voice: &str,
        json: &PlanJson,
        updates: UpdateSink<'_>,
    ) {
        let (attempt, plan_id) = (attempts.next(), json.request_id.clone());
        let parent = attempts.parent().map(str::to_owned);
        tracing::info!(attempt, plan_id, voice, "plan proposed");
        attempts.proposed(Version::of(json, voice, frame.prompt, (self.world.clock)()));
        updates(Update::PlanProposed {
            turn: frame.turn,
            attempt,
            planner: voice.to_owned(),
            plan: Box::new(json.clone()),
        });
        let changes = attempts.current().and_then(|row| row.record.as_ref()?.changes.clone());
        if let (Some(parent_plan_id), Some(changes)) = (parent, changes) {
            let (turn, version) = (frame.turn, attempts.versions());
            updates(Update::PlanRevised { turn, plan_id, parent_plan_id, version, changes });
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
            previous: attempts.previous(),
            remark: attempts.remark(),
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
}

/// The plan that a voice proposes, read but not checked.
fn readable(proposal: Result<Proposal, PlannerError>) -> Result<PlanJson, Unusable> {
    match proposal {
        Ok(Proposal::Plan(json)) => Ok(json),
        Ok(Proposal::Text(text)) => plan::parse(text.as_bytes()).map_err(|errors| {
            let kept = text.chars().take(plan::PLAN_BYTES_MAX / 4).collect();
            let (kept, errors) = (Value::String(kept), sentences(&errors));
            Unusable { kept, errors, next: Generated::Rejected }
        }),
        Ok(Proposal::Abort { reason }) => {
            let errors = vec![format!("the planner gave up: {reason}")];
            Err(Unusable { kept: Value::Null, errors, next: Generated::Hopeless })
        }
        Err(error) => {
            let next = match error {
                PlannerError::NothingFits => Generated::Hopeless,
                _ => Generated::Rejected,
            };
            Err(Unusable { kept: Value::Null, errors: vec![error.to_string()], next })
        }
    }
}

fn reject(
    frame: &Frame<'_>,
    attempts: &mut Attempts,
    plan_id: &str,
    errors: Vec<String>,
    updates: UpdateSink<'_>,
) {
    let attempt = attempts.made();
    attempts.rejected(errors.clone());
    tracing::info!(attempt, plan_id, ?errors, "plan rejected");
    let plan_id = Some(plan_id.to_owned());
    updates(Update::PlanRejected { turn: frame.turn, attempt, plan_id, errors });
}
