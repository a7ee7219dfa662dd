//! One attempt of a turn: a plan is asked for, stamped and checked (DESIGN §4.6).

use serde_json::{Value, json};

use super::{
    Draft, Session, Update,
    asking::{Heard, Reply},
    early::Started,
    kept::Results,
    replan::{Attempts, Ran as RanResult, Version, sentences},
    run::{failures, result},
    session::{Frame, Start, UpdateSink},
};
use crate::{
    narrator::{Instead, PlannerError, Proposal, Tokens},
    plan::{self, BuildOptions, Plan, PlanErrors, PlanJson, PlanStatus, VERSION_KEY},
};

/// `metadata.insteadOf`: the voice that was asked and had nothing, and why.
const INSTEAD_KEY: &str = "insteadOf";

/// `metadata.tokens`: what the plan cost a model.
const TOKENS_KEY: &str = "tokens";

/// What one generation came to.
pub(super) enum Generated {
    Draft(Box<Start>),
    Rejected,
    /// No other attempt could do better.
    Hopeless,
    /// The player left.
    Cancelled,
}

/// Why a proposal is no plan.
struct Unusable {
    /// What stands in its place.
    kept: Value,
    errors: Vec<String>,
    next: Generated,
}

impl Session {
    /// One generation: asked, stamped, checked. Nothing of it has run, except for steps that it wrote before
    /// the rest, where nobody `looks_first`.
    pub(super) async fn generate(
        &mut self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        looks_first: bool,
        updates: UpdateSink<'_>,
    ) -> Generated {
        if frame.cancel.is_cancelled() {
            return Generated::Cancelled;
        }
        let asked = self.planner.name().to_owned();
        // How far a plan has come when one of its steps is over is a matter of time.
        let looks_first = looks_first || self.options.repeatable;
        let mut plan_id = (self.world.ids)().to_string();
        let (heard, mut started) = self.ask(frame, attempts, &plan_id, looks_first, updates).await;
        let reply = match heard {
            Heard::Reply(reply) => *reply,
            Heard::TimedOut(instead) => {
                plan_id =
                    self.cut_short(frame, attempts, started.take(), plan_id, &asked, &instead.why);
                self.stand_in(frame, attempts, &plan_id, instead).await
            }
            Heard::Cancelled => {
                let why = "the player stopped the turn";
                self.cut_short(frame, attempts, started, plan_id, &asked, why);
                return Generated::Cancelled;
            }
        };
        let Reply { by, proposal, instead, tokens } = reply;
        tell_replaced(frame, attempts, &by, instead.as_ref(), updates);
        let whole = readable(proposal);
        if started.is_some()
            && let Err(why) = self.goes_on(attempts, &plan_id, &whole, instead.as_ref())
        {
            plan_id = self.cut_short(frame, attempts, started.take(), plan_id, &asked, &why);
        }
        let mut json = match whole {
            Ok(json) => json,
            Err(Unusable { kept, errors, next }) => {
                let (by, at) = (by.as_str(), (self.world.clock)());
                let (id, task) = (plan_id.clone(), frame.prompt);
                attempts.proposed(Version { id, by, kept, json: None, task, at });
                reject(frame, attempts, &plan_id, errors, updates);
                return next;
            }
        };
        stamp(&mut json, &plan_id, attempts);
        note_voice(&mut json, instead.as_ref(), tokens);
        match self.draft(frame, attempts, &by, json, started, updates) {
            Ok(start) => Generated::Draft(Box::new(start)),
            Err(errors) => {
                reject(frame, attempts, &plan_id, sentences(&errors), updates);
                Generated::Rejected
            }
        }
    }

    /// Whether steps that were started are the beginning of a plan that can run, or why not.
    fn goes_on(
        &self,
        attempts: &Attempts,
        plan_id: &str,
        whole: &Result<PlanJson, Unusable>,
        instead: Option<&Instead>,
    ) -> Result<(), String> {
        if let Some(instead) = instead {
            return Err(instead.why.clone());
        }
        let mut json = match whole {
            Ok(json) => json.clone(),
            Err(unusable) => return Err(unusable.errors.join("; ")),
        };
        stamp(&mut json, plan_id, attempts);
        let options = self.build_options(attempts, &json, None);
        match Plan::build(json, &self.catalog, &options) {
            Ok(_) => Ok(()),
            Err(errors) => Err(sentences(&errors).join("; ")),
        }
    }

    /// Where only the first steps of a plan are there, and have run, that is a version of its own, which failed.
    /// The next planner hears of it, and its results may be kept. Gives the id for what stands in its place.
    fn cut_short(
        &self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        started: Option<Started>,
        plan_id: String,
        by: &str,
        why: &str,
    ) -> String {
        let Some(started) = started else { return plan_id };
        let Started { json, plan, mut trace, mut record, started_at, .. } = started;
        tracing::info!(plan_id = plan.id(), why, "only what had been started of a plan is kept");
        attempts.cut_short(Version::of(&json, by, frame.prompt, started_at));
        if let Some(draft) = attempts.current().and_then(|row| row.record.as_ref()) {
            record.version = draft.version;
            record.previous_plan_id.clone_from(&draft.previous_plan_id);
            record.changes.clone_from(&draft.changes);
            record.reasoning.clone_from(&draft.reasoning);
        }
        record.status = PlanStatus::Failed;
        trace.success = false;
        let mut errors = vec![format!("only the first steps of the plan were written: {why}")];
        if trace.failed().next().is_some() {
            errors.extend(failures(&plan, &trace));
        }
        let result = result(&plan, &trace, started_at);
        attempts.ran(&plan, &trace, record, RanResult { result, errors });
        (self.world.ids)().to_string()
    }

    fn build_options(
        &self,
        attempts: &Attempts,
        json: &PlanJson,
        early: Option<&Results>,
    ) -> BuildOptions {
        let mut kept = attempts.results().kept_ids(json);
        kept.extend(early.map(|early| early.kept_ids(json)).unwrap_or_default());
        BuildOptions {
            disabled_skills: attempts.disabled().clone(),
            kept,
            mended: attempts.results().mended_ids(json, &self.lost()),
            ..BuildOptions::default()
        }
    }

    /// Writes a plan down as the next version, and checks it. It keeps what it has of steps that were started
    /// before it was whole; what it has otherwise, or not at all, is dropped.
    fn draft(
        &self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        voice: &str,
        json: PlanJson,
        started: Option<Started>,
        updates: UpdateSink<'_>,
    ) -> Result<Start, PlanErrors> {
        self.write_down(frame, attempts, voice, &json, updates);
        let early = started.as_ref().map(Started::results).unwrap_or_default();
        let options = self.build_options(attempts, &json, Some(&early));
        let plan = Plan::build(json.clone(), &self.catalog, &options)?;
        let (by, version) = (voice.to_owned(), attempts.versions());
        let ids = early.kept_ids(&json);
        let draft = Draft { json, plan, by, version, kept: options.kept };
        let Some(started) = started else {
            return Ok(Start { draft, kept: None, begun: None });
        };
        let dropped = started.json.tools.len() - ids.len();
        if dropped > 0 {
            tracing::warn!(dropped, "the plan has steps otherwise than they were started");
        }
        let mut kept = attempts.results().kept(&draft.kept, &draft.plan);
        kept.extend(early.kept(&ids, &draft.plan));
        let begun = (!ids.is_empty()).then(|| started.into_begun(ids));
        Ok(Start { draft, kept: Some(kept), begun })
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
}

fn tell_replaced(
    frame: &Frame<'_>,
    attempts: &Attempts,
    by: &str,
    instead: Option<&Instead>,
    updates: UpdateSink<'_>,
) {
    let Some(Instead { of, why }) = instead else { return };
    let (turn, attempt, planner) = (frame.turn, attempts.next(), of.clone());
    let (by, reason) = (by.to_owned(), why.clone());
    updates(Update::PlannerReplaced { turn, attempt, planner, by, reason });
}

/// Whatever the voice wrote there: lineage is the host's business (S0 FR-008, FR-010).
pub(super) fn stamp(json: &mut PlanJson, plan_id: &str, attempts: &Attempts) {
    plan_id.clone_into(&mut json.request_id);
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
}

/// Who was asked first, and what the plan cost: kept with it.
pub(super) fn note_voice(json: &mut PlanJson, instead: Option<&Instead>, tokens: Option<Tokens>) {
    let extra = &mut json.metadata.extra;
    match instead {
        None => _ = extra.remove(INSTEAD_KEY),
        Some(Instead { of, why }) => {
            extra.insert(INSTEAD_KEY.to_owned(), json!({"voice": of, "why": why}));
        }
    }
    if let Some(Tokens { prompt, reused, sampled, forced }) = tokens {
        let tokens =
            json!({"prompt": prompt, "reused": reused, "sampled": sampled, "forced": forced});
        extra.insert(TOKENS_KEY.to_owned(), tokens);
    }
}

/// A proposal as a plan, if it is one.
pub(super) fn peek(proposal: &Proposal) -> Option<PlanJson> {
    match proposal {
        Proposal::Plan(json) => Some(json.clone()),
        Proposal::Text(text) => plan::parse(text.as_bytes()).ok(),
        Proposal::Abort { .. } => None,
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
