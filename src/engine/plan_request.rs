//! Stage 1 of a turn: the planner is asked for a plan (S0 FR-005, FR-006). Owns the request, its time limit and
//! the planner that answers when the time is over; knows nothing of the plan that comes back.

use std::{sync::Mutex, time::Duration};

use tokio::{select, sync::mpsc::unbounded_channel, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    attempt_log::AttemptLog,
    eager::EagerContext,
    eager_execution::EagerExecution,
    proposal::{proposed_json, stamp_lineage},
    turn_context::TurnContext,
    turn_run::TurnRun,
};
use narratoria_narrator::{
    EagerSteps, Fallback, LexicalPlanner, PlanRequest, PlanResponse, PlanTokens, Planner,
    PlannerError, Proposal,
};
use narratoria_plan::wire::ToolJson;
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// How long a planner may read ahead when no player waits at a prompt. A large model on a small machine reads
/// its prompt in half a minute.
pub(crate) const PREFILL_MAX: Duration = Duration::from_secs(120);

/// A planner was asked for a plan.
pub(crate) struct RequestedPlan {
    pub(crate) plan_id: String,
    /// The planner that was asked. Another may have answered.
    pub(crate) asked: String,
    pub(crate) outcome: PlannerOutcome,
    /// Steps that ran while the plan was being written.
    pub(crate) eager: Option<EagerExecution>,
}

pub(crate) enum PlannerOutcome {
    Reply(Box<PlannerReply>),
    /// The generation's time is over; another planner must answer.
    TimedOut(Fallback),
    /// The player left.
    Cancelled,
}

pub(crate) struct PlannerReply {
    /// The planner that answered.
    pub(crate) planner: String,
    pub(crate) proposal: Result<Proposal, PlannerError>,
    pub(crate) fallback: Option<Fallback>,
    pub(crate) tokens: Option<PlanTokens>,
}

/// Owns what a [`PlanRequest`] borrows.
pub(crate) struct PlanRequestBuilder<'a> {
    context: &'a TurnContext<'a>,
    catalog: &'a Catalog,
    state: &'a Object,
    attempts: &'a AttemptLog,
    plan_id: &'a str,
    disabled: Vec<String>,
    last_failure: Option<String>,
}

impl PlannerReply {
    fn of(response: PlanResponse) -> PlannerReply {
        let PlanResponse { planner, proposal, fallback, tokens } = response;
        PlannerReply { planner, proposal: Ok(proposal), fallback, tokens }
    }

    fn failed(planner: &str, error: PlannerError) -> PlannerReply {
        let (planner, proposal) = (planner.to_owned(), Err(error));
        PlannerReply { planner, proposal, fallback: None, tokens: None }
    }
}

impl<'a> PlanRequestBuilder<'a> {
    pub(crate) fn new(
        context: &'a TurnContext<'a>,
        catalog: &'a Catalog,
        state: &'a Object,
        attempts: &'a AttemptLog,
        plan_id: &'a str,
    ) -> PlanRequestBuilder<'a> {
        let disabled = attempts.disabled().iter().cloned().collect();
        let last_failure = attempts.last_failure();
        PlanRequestBuilder { context, catalog, state, attempts, plan_id, disabled, last_failure }
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
            state: self.state,
            recent_turns: &self.context.recent_turns,
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

/// Asks for a plan of which nothing runs before it is complete.
async fn request_whole(turn: &mut TurnRun<'_>, plan_id: &str) -> PlannerOutcome {
    let TurnRun { host, planner, story, context, attempts, .. } = turn;
    let state = story.state().as_object();
    let builder = PlanRequestBuilder::new(context, host.catalog, state, attempts, plan_id);
    let request = builder.build(host.options.generation_timeout, None);
    ask(&mut **planner, request, context.cancel).await
}

/// Asks for a plan whose first steps run while the rest is being written.
async fn request_eagerly(
    turn: &mut TurnRun<'_>,
    asked: &str,
    plan_id: &str,
) -> (PlannerOutcome, Option<EagerExecution>) {
    let (failed_skills, arbiter) = (turn.failed_skills(), turn.planner.arbiter());
    let stores = turn.load_stores();
    turn.context.narration.lock().reset();
    let TurnRun { host, planner, story, health, context, attempts, updates, .. } = turn;
    let state = story.state();
    let builder =
        PlanRequestBuilder::new(context, host.catalog, state.as_object(), attempts, plan_id);
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
        arbiter,
        failed_skills,
        updates: Mutex::new(&mut **updates),
    };
    // The narration may start before the last of these steps is over.
    let on_answer = |outcome: &PlannerOutcome, running: &[ToolJson]| {
        if let PlannerOutcome::Reply(reply) = outcome
            && let PlannerReply { proposal: Ok(proposal), fallback: None, .. } = &**reply
            && !running.is_empty()
            && let Some(mut json) = proposed_json(proposal)
        {
            stamp_lineage(&mut json, plan_id, attempts);
            eager.start_narration(&json, running);
        }
    };
    eager.run_alongside(answer, written, health, on_answer).await
}

/// Waits for the planner until the request's time is over or the player leaves.
async fn ask(
    planner: &mut dyn Planner,
    request: PlanRequest<'_>,
    cancel: &CancellationToken,
) -> PlannerOutcome {
    let (name, limit) = (planner.name().to_owned(), request.budget);
    let response = select! {
        biased;
        () = cancel.cancelled() => return PlannerOutcome::Cancelled,
        response = timeout(limit, planner.propose(request)) => response,
    };
    match response {
        Ok(Ok(response)) => PlannerOutcome::Reply(Box::new(PlannerReply::of(response))),
        Ok(Err(error)) => PlannerOutcome::Reply(Box::new(PlannerReply::failed(&name, error))),
        Err(_elapsed) => {
            tracing::warn!("`{name}` made no plan in {limit:?}");
            let why = format!("it made no plan within {limit:?}");
            PlannerOutcome::TimedOut(Fallback { planner: name, why })
        }
    }
}

/// Asks the lexical planner in place of one whose time is over. It takes next to no time.
pub(crate) async fn request_fallback(
    turn: &mut TurnRun<'_>,
    plan_id: &str,
    fallback: Fallback,
) -> PlannerReply {
    let TurnRun { host, story, context, attempts, .. } = turn;
    let state = story.state().as_object();
    let builder = PlanRequestBuilder::new(context, host.catalog, state, attempts, plan_id);
    let mut lexical = LexicalPlanner::new();
    let reply = match lexical.propose(builder.build(Duration::ZERO, None)).await {
        Ok(response) => PlannerReply::of(response),
        Err(error) => PlannerReply::failed(lexical.name(), error),
    };
    PlannerReply { fallback: Some(fallback), ..reply }
}
