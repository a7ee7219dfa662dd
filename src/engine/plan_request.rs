//! Asking a voice: what it is told, how long it has, and who answers in its place (S0 FR-005, FR-006).

use std::{sync::Mutex, time::Duration};

use tokio::{select, sync::mpsc::unbounded_channel, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Session, Update,
    attempts::Attempts,
    eager::{EagerContext, EagerExecution},
    execution::load_stores,
    generation::{proposed_json, stamp_lineage},
    session::{TurnContext, UpdateSink},
};
use narratoria_narrator::{
    EagerSteps, Fallback, LexicalPlanner, PlanRequest, PlanResponse, PlanTokens, Planner,
    PlannerError, Proposal,
};
use narratoria_protocol::Object;
use narratoria_skills::Catalog;

/// How long a voice may read before the first plan is asked for, where nobody waits at a prompt. A large model
/// on a small machine reads its prompt in half a minute.
pub const PREFILL_MAX: Duration = Duration::from_secs(120);

/// What a generation came to.
pub(super) enum PlannerOutcome {
    Reply(Box<PlannerReply>),
    /// Its time is over.
    TimedOut(Fallback),
    /// The player left.
    Cancelled,
}

/// What a voice said.
pub(super) struct PlannerReply {
    pub(super) planner: String,
    pub(super) proposal: Result<Proposal, PlannerError>,
    pub(super) fallback: Option<Fallback>,
    pub(super) tokens: Option<PlanTokens>,
}

/// What is asked, as long as it is asked.
struct PlanRequestBuilder<'a> {
    context: &'a TurnContext<'a>,
    catalog: &'a Catalog,
    state: &'a Object,
    attempts: &'a Attempts,
    disabled: Vec<String>,
    last_failure: Option<String>,
    plan_id: &'a str,
}

impl PlannerReply {
    fn of(answer: PlanResponse) -> PlannerReply {
        let PlanResponse { planner: by, proposal, fallback: instead, tokens } = answer;
        PlannerReply { planner: by, proposal: Ok(proposal), fallback: instead, tokens }
    }

    fn failed(by: &str, error: PlannerError) -> PlannerReply {
        PlannerReply { planner: by.to_owned(), proposal: Err(error), fallback: None, tokens: None }
    }
}

impl<'a> PlanRequestBuilder<'a> {
    fn new(
        frame: &'a TurnContext<'a>,
        catalog: &'a Catalog,
        state: &'a Object,
        attempts: &'a Attempts,
        plan_id: &'a str,
    ) -> PlanRequestBuilder<'a> {
        let disabled = attempts.disabled().iter().cloned().collect();
        let last_failure = attempts.last_failure();
        PlanRequestBuilder {
            context: frame,
            catalog,
            state,
            attempts,
            disabled,
            last_failure,
            plan_id,
        }
    }

    fn build(&self, budget: Duration, early: Option<EagerSteps>) -> PlanRequest<'_> {
        PlanRequest {
            sentence: self.context.prompt,
            catalog: self.catalog,
            disabled_skills: &self.disabled,
            state: self.state,
            recent_turns: &self.context.beats,
            attempt: self.attempts.next_number(),
            parent_plan_id: self.attempts.parent_id(),
            last_failure: self.last_failure.as_deref(),
            previous_plan: self.attempts.previous(),
            feedback: self.attempts.remark(),
            plan_id: self.plan_id.to_owned(),
            seed: self.context.seed,
            budget,
            eager_steps: early,
        }
    }
}

impl Session {
    /// Tells the voice that a sentence is about to be typed, so that it can read ahead what it knows already.
    /// Returns at once. Takes skills that have become ready, so that it reads the right ones.
    pub fn prepare(&mut self) {
        self.take_skills();
        let cancel = CancellationToken::new();
        let attempts = Attempts::new(self.health.permanent_failures());
        let frame = self.turn_context("", &cancel);
        // No plan is asked for, so it needs no id.
        let state = self.story.state().as_object();
        let asking = PlanRequestBuilder::new(&frame, &self.catalog, state, &attempts, "");
        self.planner.prepare(&asking.build(self.options.generation_timeout, None));
    }

    /// The same, and waits for it, [`READ_UP_MAX`] at most: for whoever types nothing meanwhile.
    pub async fn prefill(&mut self) {
        let cancel = CancellationToken::new();
        let attempts = Attempts::new(self.health.permanent_failures());
        let frame = self.turn_context("", &cancel);
        let state = self.story.state().as_object();
        let asking = PlanRequestBuilder::new(&frame, &self.catalog, state, &attempts, "");
        self.planner.prefill(asking.build(PREFILL_MAX, None)).await;
    }

    /// Tells when another voice makes the plans than was told before.
    pub(super) fn report_planner(&mut self, updates: UpdateSink<'_>) {
        let to = self.planner.name().to_owned();
        if to != self.reported_planner {
            let from = std::mem::replace(&mut self.reported_planner, to.clone());
            updates(Update::NarratorChanged { from, to });
        }
    }

    /// Asks the planner. What it has written of its plan starts meanwhile, if nobody `looks_first`; those
    /// steps are waited for.
    pub(super) async fn request_plan(
        &mut self,
        frame: &TurnContext<'_>,
        attempts: &Attempts,
        plan_id: &str,
        looks_first: bool,
        updates: UpdateSink<'_>,
    ) -> (PlannerOutcome, Option<EagerExecution>) {
        let (lost, limit) = (self.failed_skills(), self.options.generation_timeout);
        let Session {
            catalog,
            scripts,
            planner,
            story,
            clock_and_ids: world,
            options,
            health,
            pending: desk,
            ..
        } = self;
        let (voice, judge) = (planner.name().to_owned(), planner.arbiter());
        let asking =
            PlanRequestBuilder::new(frame, catalog, story.state().as_object(), attempts, plan_id);
        let (steps, written) = unbounded_channel();
        let early = (!looks_first).then_some(steps);
        let thinking = async {
            let asked = timeout(limit, planner.propose(asking.build(limit, early)));
            let asked = select! {
                biased;
                () = frame.cancel.cancelled() => return PlannerOutcome::Cancelled,
                asked = asked => asked,
            };
            match asked {
                Ok(Ok(answer)) => PlannerOutcome::Reply(Box::new(PlannerReply::of(answer))),
                Ok(Err(error)) => {
                    PlannerOutcome::Reply(Box::new(PlannerReply::failed(&voice, error)))
                }
                Err(_elapsed) => {
                    tracing::warn!("`{voice}` made no plan in {limit:?}");
                    let why = format!("it made no plan within {limit:?}");
                    PlannerOutcome::TimedOut(Fallback { planner: voice.clone(), why })
                }
            }
        };
        if looks_first {
            return (thinking.await, None);
        }
        let stores = load_stores(story);
        frame.narration.lock().reset();
        let ground = EagerContext {
            context: frame,
            attempts,
            plan_id,
            planner: &voice,
            catalog,
            scripts,
            options,
            clock_and_ids: world,
            pending: desk,
            state: story.state(),
            stores: &stores,
            arbiter: judge,
            failed_skills: lost,
            updates: Mutex::new(updates),
        };
        let heard = |heard: &PlannerOutcome, running: &[_]| {
            if let PlannerOutcome::Reply(reply) = heard
                && let PlannerReply { proposal: Ok(proposal), fallback: None, .. } = &**reply
                && !running.is_empty()
                && let Some(mut whole) = proposed_json(proposal)
            {
                stamp_lineage(&mut whole, plan_id, attempts);
                ground.start_narration(&whole, running);
            }
        };
        ground.run_alongside(thinking, written, health, heard).await
    }

    /// The voice that needs no model, in place of one whose time is over. It takes none to speak of.
    pub(super) async fn fallback_plan(
        &self,
        frame: &TurnContext<'_>,
        attempts: &Attempts,
        plan_id: &str,
        instead: Fallback,
    ) -> PlannerReply {
        let state = self.story.state().as_object();
        let asking = PlanRequestBuilder::new(frame, &self.catalog, state, attempts, plan_id);
        let mut lexical = LexicalPlanner::new();
        let reply = match lexical.propose(asking.build(Duration::ZERO, None)).await {
            Ok(answer) => PlannerReply::of(answer),
            Err(error) => PlannerReply::failed(lexical.name(), error),
        };
        PlannerReply { fallback: Some(instead), ..reply }
    }
}
