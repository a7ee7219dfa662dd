//! Asking a voice: what it is told, how long it has, and who answers in its place (S0 FR-005, FR-006).

use std::{sync::Mutex, time::Duration};

use tokio::{select, sync::mpsc::unbounded_channel, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Session, Update,
    attempt::{peek, stamp},
    early::{Ground, Started},
    perform::stores,
    replan::Attempts,
    session::{Frame, UpdateSink},
};
use crate::{
    narrator::{
        Answer, Ask, EarlySteps, Instead, LexicalVoice, Planner, PlannerError, Proposal, Tokens,
    },
    protocol::Object,
    skills::Catalog,
};

/// How long a voice may read before the first plan is asked for, where nobody waits at a prompt. A large model
/// on a small machine reads its prompt in half a minute.
pub const READ_UP_MAX: Duration = Duration::from_secs(120);

/// What a generation came to.
pub(super) enum Heard {
    Reply(Box<Reply>),
    /// Its time is over.
    TimedOut(Instead),
    /// The player left.
    Cancelled,
}

/// What a voice said.
pub(super) struct Reply {
    pub(super) by: String,
    pub(super) proposal: Result<Proposal, PlannerError>,
    pub(super) instead: Option<Instead>,
    pub(super) tokens: Option<Tokens>,
}

/// What is asked, as long as it is asked.
struct Asking<'a> {
    frame: &'a Frame<'a>,
    catalog: &'a Catalog,
    state: &'a Object,
    attempts: &'a Attempts,
    disabled: Vec<String>,
    last_failure: Option<String>,
    plan_id: &'a str,
}

impl Reply {
    fn of(answer: Answer) -> Reply {
        let Answer { by, proposal, instead, tokens } = answer;
        Reply { by, proposal: Ok(proposal), instead, tokens }
    }

    fn failed(by: &str, error: PlannerError) -> Reply {
        Reply { by: by.to_owned(), proposal: Err(error), instead: None, tokens: None }
    }
}

impl<'a> Asking<'a> {
    fn new(
        frame: &'a Frame<'a>,
        catalog: &'a Catalog,
        state: &'a Object,
        attempts: &'a Attempts,
        plan_id: &'a str,
    ) -> Asking<'a> {
        let disabled = attempts.disabled().iter().cloned().collect();
        let last_failure = attempts.last_failure();
        Asking { frame, catalog, state, attempts, disabled, last_failure, plan_id }
    }

    fn ask(&self, budget: Duration, early: Option<EarlySteps>) -> Ask<'_> {
        Ask {
            sentence: self.frame.prompt,
            catalog: self.catalog,
            disabled: &self.disabled,
            state: self.state,
            recent: &self.frame.beats,
            attempt: self.attempts.next(),
            parent_plan_id: self.attempts.parent(),
            last_failure: self.last_failure.as_deref(),
            previous: self.attempts.previous(),
            remark: self.attempts.remark(),
            plan_id: self.plan_id.to_owned(),
            seed: self.frame.seed,
            budget,
            early,
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
        let frame = self.frame("", &cancel);
        // No plan is asked for, so it needs no id.
        let state = self.story.state().as_object();
        let asking = Asking::new(&frame, &self.catalog, state, &attempts, "");
        self.planner.prepare(&asking.ask(self.options.generation_timeout, None));
    }

    /// The same, and waits for it, [`READ_UP_MAX`] at most: for whoever types nothing meanwhile.
    pub async fn read_up(&mut self) {
        let cancel = CancellationToken::new();
        let attempts = Attempts::new(self.health.permanent_failures());
        let frame = self.frame("", &cancel);
        let state = self.story.state().as_object();
        let asking = Asking::new(&frame, &self.catalog, state, &attempts, "");
        self.planner.read_up(asking.ask(READ_UP_MAX, None)).await;
    }

    /// Tells when another voice makes the plans than was told before.
    pub(super) fn tell_narrator(&mut self, updates: UpdateSink<'_>) {
        let to = self.planner.name().to_owned();
        if to != self.narrator {
            let from = std::mem::replace(&mut self.narrator, to.clone());
            updates(Update::NarratorChanged { from, to });
        }
    }

    /// Asks the planner. What it has written of its plan starts meanwhile, if nobody `looks_first`; those
    /// steps are waited for.
    pub(super) async fn ask(
        &mut self,
        frame: &Frame<'_>,
        attempts: &Attempts,
        plan_id: &str,
        looks_first: bool,
        updates: UpdateSink<'_>,
    ) -> (Heard, Option<Started>) {
        let (lost, limit) = (self.lost(), self.options.generation_timeout);
        let Session { catalog, scripts, planner, story, world, options, health, desk, .. } = self;
        let (voice, judge) = (planner.name().to_owned(), planner.judge());
        let asking = Asking::new(frame, catalog, story.state().as_object(), attempts, plan_id);
        let (steps, written) = unbounded_channel();
        let early = (!looks_first).then_some(steps);
        let thinking = async {
            let asked = timeout(limit, planner.propose(asking.ask(limit, early)));
            let asked = select! {
                biased;
                () = frame.cancel.cancelled() => return Heard::Cancelled,
                asked = asked => asked,
            };
            match asked {
                Ok(Ok(answer)) => Heard::Reply(Box::new(Reply::of(answer))),
                Ok(Err(error)) => Heard::Reply(Box::new(Reply::failed(&voice, error))),
                Err(_elapsed) => {
                    tracing::warn!("`{voice}` made no plan in {limit:?}");
                    let why = format!("it made no plan within {limit:?}");
                    Heard::TimedOut(Instead { of: voice.clone(), why })
                }
            }
        };
        if looks_first {
            return (thinking.await, None);
        }
        let stores = stores(story);
        frame.teller.lock().begin();
        let ground = Ground {
            frame,
            attempts,
            plan_id,
            voice: &voice,
            catalog,
            scripts,
            options,
            world,
            desk,
            state: story.state(),
            stores: &stores,
            judge,
            lost,
            updates: Mutex::new(updates),
        };
        let heard = |heard: &Heard, running: &[_]| {
            if let Heard::Reply(reply) = heard
                && let Reply { proposal: Ok(proposal), instead: None, .. } = &**reply
                && !running.is_empty()
                && let Some(mut whole) = peek(proposal)
            {
                stamp(&mut whole, plan_id, attempts);
                ground.listen_to(&whole, running);
            }
        };
        ground.alongside(thinking, written, health, heard).await
    }

    /// The voice that needs no model, in place of one whose time is over. It takes none to speak of.
    pub(super) async fn stand_in(
        &self,
        frame: &Frame<'_>,
        attempts: &Attempts,
        plan_id: &str,
        instead: Instead,
    ) -> Reply {
        let state = self.story.state().as_object();
        let asking = Asking::new(frame, &self.catalog, state, attempts, plan_id);
        let mut lexical = LexicalVoice::new();
        let reply = match lexical.propose(asking.ask(Duration::ZERO, None)).await {
            Ok(answer) => Reply::of(answer),
            Err(error) => Reply::failed(lexical.name(), error),
        };
        Reply { instead: Some(instead), ..reply }
    }
}
