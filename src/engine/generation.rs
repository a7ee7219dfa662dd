//! One attempt of a turn: a plan is asked for, stamped and checked (DESIGN §4.6).

use serde_json::{Value, json};

use super::{
    PlanDraft, Session, Update,
    attempts::{Attempts, ExecutionSummary as RanResult, PlanVersion, error_sentences},
    eager::EagerExecution,
    plan_request::{PlannerOutcome, PlannerReply},
    reuse::PreviousResults,
    run::{failures, result},
    session::{PlanStart, TurnContext, UpdateSink},
};
use narratoria_narrator::{Fallback, PlanTokens, PlannerError, Proposal};
use narratoria_plan::{
    self as plan, BuildOptions, Plan, PlanErrors, PlanJson, PlanStatus, VERSION_KEY,
};

/// `metadata.insteadOf`: the voice that was asked and had nothing, and why.
const INSTEAD_KEY: &str = "insteadOf";

/// `metadata.tokens`: what the plan cost a model.
const TOKENS_KEY: &str = "tokens";

/// What one generation came to.
pub(super) enum GenerationOutcome {
    Draft(Box<PlanStart>),
    Rejected,
    /// No other attempt could do better.
    Unrecoverable,
    /// The player left.
    Cancelled,
}

/// Why a proposal is no plan.
struct UnusableProposal {
    /// What stands in its place.
    recorded: Value,
    errors: Vec<String>,
    next: GenerationOutcome,
}

impl Session {
    /// One generation: asked, stamped, checked. Nothing of it has run, except for steps that it wrote before
    /// the rest, where nobody `looks_first`.
    pub(super) async fn generate(
        &mut self,
        frame: &TurnContext<'_>,
        attempts: &mut Attempts,
        looks_first: bool,
        updates: UpdateSink<'_>,
    ) -> GenerationOutcome {
        if frame.cancel.is_cancelled() {
            return GenerationOutcome::Cancelled;
        }
        let asked = self.planner.name().to_owned();
        // How far a plan has come when one of its steps is over is a matter of time.
        let looks_first = looks_first || self.options.repeatable;
        let mut plan_id = (self.clock_and_ids.ids)().to_string();
        let (heard, mut started) =
            self.request_plan(frame, attempts, &plan_id, looks_first, updates).await;
        let reply = match heard {
            PlannerOutcome::Reply(reply) => *reply,
            PlannerOutcome::TimedOut(instead) => {
                plan_id = self.record_cut_short(
                    frame,
                    attempts,
                    started.take(),
                    plan_id,
                    &asked,
                    &instead.why,
                );
                self.fallback_plan(frame, attempts, &plan_id, instead).await
            }
            PlannerOutcome::Cancelled => {
                let why = "the player stopped the turn";
                self.record_cut_short(frame, attempts, started, plan_id, &asked, why);
                return GenerationOutcome::Cancelled;
            }
        };
        let PlannerReply { planner: by, proposal, fallback: instead, tokens } = reply;
        report_replaced_planner(frame, attempts, &by, instead.as_ref(), updates);
        let whole = parse_proposal(proposal);
        if started.is_some()
            && let Err(why) = self.check_eager_steps(attempts, &plan_id, &whole, instead.as_ref())
        {
            plan_id = self.record_cut_short(frame, attempts, started.take(), plan_id, &asked, &why);
        }
        let mut json = match whole {
            Ok(json) => json,
            Err(UnusableProposal { recorded: kept, errors, next }) => {
                let (by, at) = (by.as_str(), (self.clock_and_ids.clock)());
                let (id, task) = (plan_id.clone(), frame.prompt);
                attempts.record_proposal(PlanVersion {
                    id,
                    created_by: by,
                    recorded: kept,
                    json: None,
                    task,
                    created_at: at,
                });
                report_rejection(frame, attempts, &plan_id, errors, updates);
                return next;
            }
        };
        stamp_lineage(&mut json, &plan_id, attempts);
        note_planner(&mut json, instead.as_ref(), tokens);
        match self.build_draft(frame, attempts, &by, json, started, updates) {
            Ok(start) => GenerationOutcome::Draft(Box::new(start)),
            Err(errors) => {
                report_rejection(frame, attempts, &plan_id, error_sentences(&errors), updates);
                GenerationOutcome::Rejected
            }
        }
    }

    /// Whether steps that were started are the beginning of a plan that can run, or why not.
    fn check_eager_steps(
        &self,
        attempts: &Attempts,
        plan_id: &str,
        whole: &Result<PlanJson, UnusableProposal>,
        instead: Option<&Fallback>,
    ) -> Result<(), String> {
        if let Some(instead) = instead {
            return Err(instead.why.clone());
        }
        let mut json = match whole {
            Ok(json) => json.clone(),
            Err(unusable) => return Err(unusable.errors.join("; ")),
        };
        stamp_lineage(&mut json, plan_id, attempts);
        let options = self.build_options(attempts, &json, None);
        match Plan::build(json, &self.catalog, &options) {
            Ok(_) => Ok(()),
            Err(errors) => Err(error_sentences(&errors).join("; ")),
        }
    }

    /// Where only the first steps of a plan are there, and have run, that is a version of its own, which failed.
    /// The next planner hears of it, and its results may be kept. Gives the id for what stands in its place.
    fn record_cut_short(
        &self,
        frame: &TurnContext<'_>,
        attempts: &mut Attempts,
        started: Option<EagerExecution>,
        plan_id: String,
        by: &str,
        why: &str,
    ) -> String {
        let Some(started) = started else { return plan_id };
        let EagerExecution { json, plan, mut trace, mut record, started_at, .. } = started;
        tracing::info!(plan_id = plan.id(), why, "only what had been started of a plan is kept");
        attempts.record_cut_short(PlanVersion::of(&json, by, frame.prompt, started_at));
        if let Some(draft) = attempts.current().and_then(|row| row.record.as_ref()) {
            record.version = draft.version;
            record.previous_plan_id.clone_from(&draft.previous_plan_id);
            record.changes.clone_from(&draft.changes);
            record.reasoning.clone_from(&draft.reasoning);
        }
        record.status = PlanStatus::Failed;
        trace.success = false;
        let mut errors = vec![format!("only the first steps of the plan were written: {why}")];
        if trace.failed_steps().next().is_some() {
            errors.extend(failures(&plan, &trace));
        }
        let result = result(&plan, &trace, started_at);
        attempts.record_execution(&plan, &trace, record, RanResult { result, errors });
        (self.clock_and_ids.ids)().to_string()
    }

    fn build_options(
        &self,
        attempts: &Attempts,
        json: &PlanJson,
        early: Option<&PreviousResults>,
    ) -> BuildOptions {
        let mut kept = attempts.results().reusable_ids(json);
        kept.extend(early.map(|early| early.reusable_ids(json)).unwrap_or_default());
        BuildOptions {
            disabled_skills: attempts.disabled().clone(),
            reused_results: kept,
            repaired_steps: attempts.results().repaired_ids(json, &self.failed_skills()),
            ..BuildOptions::default()
        }
    }

    /// Writes a plan down as the next version, and checks it. It keeps what it has of steps that were started
    /// before it was whole; what it has otherwise, or not at all, is dropped.
    fn build_draft(
        &self,
        frame: &TurnContext<'_>,
        attempts: &mut Attempts,
        voice: &str,
        json: PlanJson,
        started: Option<EagerExecution>,
        updates: UpdateSink<'_>,
    ) -> Result<PlanStart, PlanErrors> {
        self.record_version(frame, attempts, voice, &json, updates);
        let early = started.as_ref().map(EagerExecution::results).unwrap_or_default();
        let options = self.build_options(attempts, &json, Some(&early));
        let plan = Plan::build(json.clone(), &self.catalog, &options)?;
        let (by, version) = (voice.to_owned(), attempts.version_count());
        let ids = early.reusable_ids(&json);
        let draft = PlanDraft {
            json,
            plan,
            created_by: by,
            version,
            reused_results: options.reused_results,
        };
        let Some(started) = started else {
            return Ok(PlanStart { draft, reused_results: None, eager: None });
        };
        let dropped = started.json.tools.len() - ids.len();
        if dropped > 0 {
            tracing::warn!(dropped, "the plan has steps otherwise than they were started");
        }
        let mut kept = attempts.results().reused(&draft.reused_results, &draft.plan);
        kept.extend(early.reused(&ids, &draft.plan));
        let begun = (!ids.is_empty()).then(|| started.into_handover(ids));
        Ok(PlanStart { draft, reused_results: Some(kept), eager: begun })
    }

    /// A plan becomes the next version, whether it can run or not.
    pub(super) fn record_version(
        &self,
        frame: &TurnContext<'_>,
        attempts: &mut Attempts,
        voice: &str,
        json: &PlanJson,
        updates: UpdateSink<'_>,
    ) {
        let (attempt, plan_id) = (attempts.next_number(), json.request_id.clone());
        let parent = attempts.parent_id().map(str::to_owned);
        tracing::info!(attempt, plan_id, voice, "plan proposed");
        attempts.record_proposal(PlanVersion::of(
            json,
            voice,
            frame.prompt,
            (self.clock_and_ids.clock)(),
        ));
        updates(Update::PlanProposed {
            turn: frame.turn,
            attempt,
            planner: voice.to_owned(),
            plan: Box::new(json.clone()),
        });
        let changes = attempts.current().and_then(|row| row.record.as_ref()?.changes.clone());
        if let (Some(parent_plan_id), Some(changes)) = (parent, changes) {
            let (turn, version) = (frame.turn, attempts.version_count());
            updates(Update::PlanRevised { turn, plan_id, parent_plan_id, version, changes });
        }
    }
}

fn report_replaced_planner(
    frame: &TurnContext<'_>,
    attempts: &Attempts,
    by: &str,
    instead: Option<&Fallback>,
    updates: UpdateSink<'_>,
) {
    let Some(Fallback { planner: of, why }) = instead else { return };
    let (turn, attempt, planner) = (frame.turn, attempts.next_number(), of.clone());
    let (by, reason) = (by.to_owned(), why.clone());
    updates(Update::PlannerReplaced { turn, attempt, planner, by, reason });
}

/// Whatever the voice wrote there: lineage is the host's business (S0 FR-008, FR-010).
pub(super) fn stamp_lineage(json: &mut PlanJson, plan_id: &str, attempts: &Attempts) {
    plan_id.clone_into(&mut json.request_id);
    json.metadata.generation_attempt = attempts.next_number();
    json.metadata.parent_plan_id = attempts.parent_id().map(str::to_owned);
    json.disabled_skills = attempts.disabled().iter().cloned().collect();
    match attempts.version_count() {
        0 => _ = json.metadata.extra.remove(VERSION_KEY),
        versions => {
            let version = versions.saturating_add(1).into();
            json.metadata.extra.insert(VERSION_KEY.to_owned(), version);
        }
    }
}

/// Who was asked first, and what the plan cost: kept with it.
pub(super) fn note_planner(
    json: &mut PlanJson,
    instead: Option<&Fallback>,
    tokens: Option<PlanTokens>,
) {
    let extra = &mut json.metadata.extra;
    match instead {
        None => _ = extra.remove(INSTEAD_KEY),
        Some(Fallback { planner: of, why }) => {
            extra.insert(INSTEAD_KEY.to_owned(), json!({"voice": of, "why": why}));
        }
    }
    if let Some(PlanTokens { prompt, reused, sampled, forced }) = tokens {
        let tokens =
            json!({"prompt": prompt, "reused": reused, "sampled": sampled, "forced": forced});
        extra.insert(TOKENS_KEY.to_owned(), tokens);
    }
}

/// A proposal as a plan, if it is one.
pub(super) fn proposed_json(proposal: &Proposal) -> Option<PlanJson> {
    match proposal {
        Proposal::Plan(json) => Some(json.clone()),
        Proposal::Text(text) => plan::parse(text.as_bytes()).ok(),
        Proposal::Abort { .. } => None,
    }
}

/// The plan that a voice proposes, read but not checked.
fn parse_proposal(proposal: Result<Proposal, PlannerError>) -> Result<PlanJson, UnusableProposal> {
    match proposal {
        Ok(Proposal::Plan(json)) => Ok(json),
        Ok(Proposal::Text(text)) => plan::parse(text.as_bytes()).map_err(|errors| {
            let kept = text.chars().take(plan::PLAN_BYTES_MAX / 4).collect();
            let (kept, errors) = (Value::String(kept), error_sentences(&errors));
            UnusableProposal { recorded: kept, errors, next: GenerationOutcome::Rejected }
        }),
        Ok(Proposal::Abort { reason }) => {
            let errors = vec![format!("the planner gave up: {reason}")];
            Err(UnusableProposal {
                recorded: Value::Null,
                errors,
                next: GenerationOutcome::Unrecoverable,
            })
        }
        Err(error) => {
            let next = match error {
                PlannerError::NoUsableSkill => GenerationOutcome::Unrecoverable,
                _ => GenerationOutcome::Rejected,
            };
            Err(UnusableProposal { recorded: Value::Null, errors: vec![error.to_string()], next })
        }
    }
}

fn report_rejection(
    frame: &TurnContext<'_>,
    attempts: &mut Attempts,
    plan_id: &str,
    errors: Vec<String>,
    updates: UpdateSink<'_>,
) {
    let attempt = attempts.count();
    attempts.record_rejection(errors.clone());
    tracing::info!(attempt, plan_id, ?errors, "plan rejected");
    let plan_id = Some(plan_id.to_owned());
    updates(Update::PlanRejected { turn: frame.turn, attempt, plan_id, errors });
}
