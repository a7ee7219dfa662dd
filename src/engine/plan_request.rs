//! Stage 1 of a turn: asks the planner for a plan (S0 FR-005, FR-006). Owns the request; knows nothing of the
//! plan that comes back.

use std::{sync::Mutex, time::Duration};

use tokio::{select, sync::mpsc::unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::{
    attempt_log::AttemptLog, eager::EagerContext, eager_execution::EagerExecution,
    proposal::stamp_lineage, turn_context::TurnContext, turn_run::TurnRun,
};
use narratoria_narrator::{
    EagerSteps, Fallback, NoPlan, PlanRequest, Planner, PlannerAnswer, PlannerDecision,
    lexical_answer, request_own_answer,
};
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::Object;
use narratoria_skills::{Catalog, HealthTracker};

/// How long a planner may read ahead when no player waits at a prompt. A large model on a small machine reads
/// its prompt in half a minute.
pub(crate) const PREFILL_MAX: Duration = Duration::from_secs(120);

/// The result of asking a planner for a plan.
pub(crate) struct RequestedPlan {
    pub(crate) plan_id: String,
    /// The planner that was asked. Another may have answered.
    pub(crate) asked: String,
    pub(crate) outcome: PlannerOutcome,
    /// Steps that ran while the plan was being written.
    pub(crate) eager: Option<EagerExecution>,
}

pub(crate) enum PlannerOutcome {
    Answer(Box<PlannerAnswer>),
    /// The planner has no plan in time; the lexical planner must answer.
    NoAnswer(Fallback),
    /// The player left.
    Cancelled,
}

/// Owns what a [`PlanRequest`] borrows.
pub(crate) struct PlanRequestBuilder<'a> {
    context: &'a TurnContext<'a>,
    catalog: &'a Catalog,
    state: &'a Object,
    attempts: &'a AttemptLog,
    plan_id: &'a str,
    disabled: Vec<String>,
    unreliable: Vec<String>,
    last_failure: Option<String>,
}

impl<'a> PlanRequestBuilder<'a> {
    pub(crate) fn new(
        context: &'a TurnContext<'a>,
        catalog: &'a Catalog,
        state: &'a Object,
        attempts: &'a AttemptLog,
        health: &HealthTracker,
        plan_id: &'a str,
    ) -> PlanRequestBuilder<'a> {
        let disabled = attempts.disabled().iter().cloned().collect();
        let unreliable = health.unreliable().map(|(name, _)| name.to_owned()).collect();
        let last_failure = attempts.last_failure();
        PlanRequestBuilder {
            context,
            catalog,
            state,
            attempts,
            plan_id,
            disabled,
            unreliable,
            last_failure,
        }
    }

    pub(crate) fn build(
        &self,
        budget: Duration,
        eager_steps: Option<EagerSteps>,
    ) -> PlanRequest<'_> {
        PlanRequest {
            sentence: self.context.prompt,
            catalog: self.catalog,
            disabled_skills: &self.disabled,
            unreliable_skills: &self.unreliable,
            state: self.state,
            recent_turns: &self.context.recent_turns,
            memories: &self.context.memories.memories,
            notes: &self.context.notes.notes,
            attempt: self.attempts.next_number(),
            parent_plan_id: self.attempts.parent_id(),
            last_failure: self.last_failure.as_deref(),
            previous_plan: self.attempts.previous_plan(),
            feedback: self.attempts.feedback(),
            plan_id: self.plan_id.to_owned(),
            seed: self.context.seed,
            budget,
            eager_steps,
        }
    }
}

/// Asks the planner for a plan. If it `may_start_early`, its first steps run while the planner still writes,
/// and this waits for those that have started.
pub(crate) async fn request_plan(turn: &mut TurnRun<'_>, may_start_early: bool) -> RequestedPlan {
    let asked = turn.planner.name().to_owned();
    let plan_id = turn.host.clock_and_ids.new_id();
    let (outcome, eager) = match may_start_early {
        true => request_eagerly(turn, &asked, &plan_id).await,
        false => (request_whole(turn, &plan_id).await, None),
    };
    RequestedPlan { plan_id, asked, outcome, eager }
}

/// Asks for a plan that does not start before it is complete.
async fn request_whole(turn: &mut TurnRun<'_>, plan_id: &str) -> PlannerOutcome {
    let TurnRun { host, planner, story, health, context, attempts, .. } = turn;
    let state = story.state().as_object();
    let builder = PlanRequestBuilder::new(context, host.catalog, state, attempts, health, plan_id);
    let request = builder.build(host.options.generation_timeout, None);
    ask(&mut **planner, request, context.cancel).await
}

/// Asks for a plan whose first steps run while the rest is being written.
async fn request_eagerly(
    turn: &mut TurnRun<'_>,
    asked: &str,
    plan_id: &str,
) -> (PlannerOutcome, Option<EagerExecution>) {
    let failed_skills = turn.failed_skills();
    let stores = turn.load_stores();
    turn.context.narration.lock().reset();
    let TurnRun { host, planner, story, health, context, attempts, updates, .. } = turn;
    let state = story.state();
    let builder = PlanRequestBuilder::new(
        context,
        host.catalog,
        state.as_object(),
        attempts,
        health,
        plan_id,
    );
    let (steps, written) = unbounded_channel();
    let request = builder.build(host.options.generation_timeout, Some(steps));
    let answer = ask(&mut **planner, request, context.cancel);
    let eager = EagerContext {
        context,
        attempts,
        plan_id,
        planner: asked,
        host: *host,
        state,
        stores: &stores,
        failed_skills,
        updates: Mutex::new(&mut **updates),
    };
    // The narration may start before the last of these steps has ended.
    let on_answer = |outcome: &PlannerOutcome, running: &[ToolJson]| {
        if let PlannerOutcome::Answer(answer) = outcome
            && let PlannerAnswer { decision, fallback: None, .. } = &**answer
            && !running.is_empty()
            && let PlannerDecision::Plan(json) = decision
        {
            let mut json = json.clone();
            stamp_lineage(&mut json, plan_id, attempts);
            eager.start_narration(&json, running);
        }
    };
    eager.run_alongside(answer, written, health, on_answer).await
}

/// Waits for the planner until the request's time has ended or the player leaves.
async fn ask(
    planner: &mut dyn Planner,
    request: PlanRequest<'_>,
    cancel: &CancellationToken,
) -> PlannerOutcome {
    let answer = select! {
        biased;
        () = cancel.cancelled() => return PlannerOutcome::Cancelled,
        answer = request_own_answer(planner, request) => answer,
    };
    match answer {
        Ok(answer) => PlannerOutcome::Answer(Box::new(answer)),
        Err(fallback) => PlannerOutcome::NoAnswer(fallback),
    }
}

/// Asks the lexical planner in place of one that has no plan. It belongs to the same attempt.
pub(crate) fn request_fallback(
    turn: &mut TurnRun<'_>,
    plan_id: &str,
    fallback: Fallback,
) -> Result<PlannerAnswer, NoPlan> {
    let TurnRun { host, story, health, context, attempts, .. } = turn;
    let state = story.state().as_object();
    let builder = PlanRequestBuilder::new(context, host.catalog, state, attempts, health, plan_id);
    lexical_answer(&builder.build(Duration::ZERO, None), fallback)
}
