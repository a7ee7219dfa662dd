//! A story being played: the replan loop of DESIGN §4.6 around everything below.

use std::{fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    ErrorKind, Scripts, Turn, TurnError, Update, attempt::Generated, replan::Attempts,
    turn::PROMPT_BYTES_MAX,
};
use crate::{
    executor::{self, Trace},
    narrator::{Beat, Planner},
    plan::{BuildOptions, Plan, PlanJson},
    skills::{Catalog, HealthBook, Problem},
    story::{Story, TurnOutcome},
};

/// Beats of the story that a planner gets to see.
const BEATS_MAX: usize = 8;

/// Hears every update of a session.
pub type UpdateSink<'a> = &'a mut (dyn FnMut(Update) + Send);

/// Clock and ids, handed in: the library has none of its own.
#[derive(Clone)]
pub struct World {
    /// The time now.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// A fresh UUID.
    pub ids: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

/// Bounds of a turn.
#[derive(Debug, Clone)]
pub struct Options {
    /// Steps that may run at the same time.
    pub slots: NonZeroUsize,
    /// For one plan (S0 FR-018).
    pub plan_timeout: Duration,
    /// For one generation (S0 FR-006); afterwards the voice without a model answers.
    pub generation_timeout: Duration,
    /// Plans made in one turn (S0 FR-023).
    pub attempts_max: u32,
    /// What steps in flight get when the turn is stopped (S0 §6).
    pub shutdown_grace: Duration,
}

/// Everything a session needs.
pub struct Setup {
    /// The usable skills.
    pub catalog: Catalog,
    /// What was wrong with others; only told.
    pub problems: Vec<Problem>,
    /// The catalog's components.
    pub scripts: Scripts,
    /// The voice that makes the plans.
    pub planner: Box<dyn Planner>,
    /// Where turns are kept.
    pub story: Story,
    /// Clock and ids.
    pub world: World,
    /// Bounds.
    pub options: Options,
}

/// A story being played.
pub struct Session {
    pub(super) catalog: Catalog,
    pub(super) problems: Vec<Problem>,
    pub(super) scripts: Arc<Scripts>,
    pub(super) planner: Box<dyn Planner>,
    pub(super) story: Story,
    pub(super) world: World,
    pub(super) options: Options,
    /// Lives as long as the session: a restart forgives (S1 §3.1).
    pub(super) health: HealthBook,
}

/// A plan that ran, whatever came of it.
pub(super) struct Ran {
    pub(super) plan: Plan,
    pub(super) trace: Trace,
}

/// How the attempts of a turn ended.
pub(super) enum Ended {
    Told(Ran),
    Cancelled,
    /// With what the last plan that ran had to say, if any ran.
    GivenUp(Option<Ran>),
}

/// What is the same for every attempt of a turn.
pub(super) struct Frame<'a> {
    pub(super) turn: u64,
    pub(super) prompt: &'a str,
    pub(super) seed: u64,
    pub(super) beats: Vec<Beat>,
    pub(super) cancel: &'a CancellationToken,
}

impl Ended {
    /// A failed plan is given up unless another attempt follows.
    fn of(ran: Ran) -> Ended {
        match &ran.trace {
            trace if trace.success => Ended::Told(ran),
            trace if trace.cancelled => Ended::Cancelled,
            _ => Ended::GivenUp(Some(ran)),
        }
    }
}

impl Options {
    /// The defaults of S1 §7: 60 s a plan, 5 s a generation, 5 attempts, 5 s grace.
    pub fn new(slots: NonZeroUsize) -> Options {
        Options {
            slots,
            plan_timeout: executor::PLAN_TIMEOUT,
            generation_timeout: Duration::from_secs(5),
            attempts_max: 5,
            shutdown_grace: executor::SHUTDOWN_GRACE,
        }
    }

    pub(super) fn executor(&self, seed: u64) -> executor::Options {
        executor::Options {
            plan_timeout: self.plan_timeout,
            shutdown_grace: self.shutdown_grace,
            ..executor::Options::new(self.slots, seed)
        }
    }
}

impl Session {
    /// Takes everything over; does nothing yet.
    pub fn open(setup: Setup) -> Session {
        let Setup { catalog, problems, scripts, planner, story, world, options } = setup;
        let (scripts, health) = (Arc::new(scripts), HealthBook::default());
        Session { catalog, problems, scripts, planner, story, world, options, health }
    }

    /// The story as it stands.
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// The usable skills.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The first update of a session.
    pub fn started(&self) -> Update {
        Update::SessionStarted {
            story: self.story.name().to_string(),
            turns: self.story.turns(),
            skills: self.catalog.iter().map(|skill| skill.name.clone()).collect(),
            problems: self.problems.iter().map(ToString::to_string).collect(),
            narrator: self.planner.name().to_owned(),
        }
    }

    /// The last update of a session.
    pub fn finished(&self) -> Update {
        Update::SessionFinished { story: self.story.name().to_string(), turns: self.story.turns() }
    }

    /// Plays one turn to its end. Whatever skills and planners do, the turn ends in a story; `Err`
    /// means that the host could not do its job, and then the story is as it was before.
    pub async fn turn(
        &mut self,
        prompt: &str,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<Turn, TurnError> {
        let prompt = check_prompt(prompt)?;
        let frame = self.frame(prompt, cancel);
        let (started_at, clock) = ((self.world.clock)(), Instant::now());
        updates(Update::TurnStarted { turn: frame.turn, prompt: prompt.to_owned() });
        let mut attempts = Attempts::new(self.health.permanent_failures());
        let ended = self.attempt_until_told(&frame, &mut attempts, updates).await;
        self.close(&frame, ended, attempts, started_at, clock.elapsed(), updates)
    }

    /// Plays one turn with a plan that somebody else made. It is tried once; a plan that fails ends
    /// the turn in fallback narration. Also returns the execution result.
    ///
    /// The plan runs under a fresh id, because a file may be run twice and an id names one execution;
    /// its own id becomes the parent.
    pub async fn turn_with_plan(
        &mut self,
        prompt: &str,
        mut json: PlanJson,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<(Turn, Value), TurnError> {
        let prompt = check_prompt(prompt)?;
        json.metadata.parent_plan_id = Some(json.request_id);
        json.request_id = (self.world.ids)().to_string();
        let plan = build(json.clone(), &self.catalog)?;
        let frame = self.frame(prompt, cancel);
        let (started_at, clock) = ((self.world.clock)(), Instant::now());
        updates(Update::TurnStarted { turn: frame.turn, prompt: prompt.to_owned() });
        let mut attempts = Attempts::new(self.health.permanent_failures());
        self.record_proposal(&frame, &mut attempts, "file", &json, updates);
        let (ran, result) = self.run_plan(&frame, plan, &mut attempts, updates).await;
        let turn =
            self.close(&frame, Ended::of(ran), attempts, started_at, clock.elapsed(), updates)?;
        Ok((turn, result))
    }

    fn frame<'a>(&self, prompt: &'a str, cancel: &'a CancellationToken) -> Frame<'a> {
        let turn = self.story.turns() + 1;
        let recent = self.story.recent(BEATS_MAX).unwrap_or_else(|error| {
            // The planner does without; the turn itself will tell if the file is gone.
            tracing::warn!("the last turns cannot be read: {error}");
            Vec::new()
        });
        let beats = recent
            .into_iter()
            .filter(|turn| turn.outcome == TurnOutcome::Told)
            .map(|turn| Beat { prompt: turn.prompt, narration: turn.narration })
            .collect();
        Frame { turn, prompt, seed: turn_seed(self.story.seed(), turn), beats, cancel }
    }

    /// GENERATING → EXECUTING → SUCCESS, or REPLANNING while attempts are left (S1 §5).
    async fn attempt_until_told(
        &mut self,
        frame: &Frame<'_>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> Ended {
        let mut last_ran = None;
        while attempts.made() < self.options.attempts_max {
            let plan = tokio::select! {
                biased;
                () = frame.cancel.cancelled() => return Ended::Cancelled,
                plan = self.generate(frame, attempts, updates) => plan,
            };
            let plan = match plan {
                Generated::Plan(plan) => *plan,
                Generated::Rejected => continue,
                Generated::Hopeless => break,
            };
            let (ran, _) = self.run_plan(frame, plan, attempts, updates).await;
            match Ended::of(ran) {
                Ended::GivenUp(ran) => last_ran = ran,
                ended => return ended,
            }
        }
        Ended::GivenUp(last_ran)
    }
}

/// Checks a plan for somebody who is not a planner: the errors are the person's to mend.
pub(super) fn build(json: PlanJson, catalog: &Catalog) -> Result<Plan, TurnError> {
    Plan::build(json, catalog, &BuildOptions::default()).map_err(|errors| {
        let hints = errors.hints();
        TurnError { hints, ..TurnError::new(ErrorKind::BadInput, errors) }
    })
}

/// The turn's own seed: the first eight bytes of SHA-256 over the story's seed and the turn's number,
/// so that a story told again with the same seed is told the same.
fn turn_seed(story_seed: u64, turn: u64) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(story_seed.to_le_bytes());
    hasher.update(turn.to_le_bytes());
    let digest = hasher.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes"))
}

pub(super) fn check_prompt(prompt: &str) -> Result<&str, TurnError> {
    let prompt = prompt.trim();
    if prompt.is_empty() {
        return Err(TurnError::new(ErrorKind::BadInput, "the sentence is empty")
            .hint("type what you want to do, for example `I look around`"));
    }
    if prompt.len() > PROMPT_BYTES_MAX {
        let error =
            format!("the sentence has {} bytes, the limit is {PROMPT_BYTES_MAX}", prompt.len());
        return Err(TurnError::new(ErrorKind::BadInput, error).hint("say it in fewer words"));
    }
    Ok(prompt)
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("story", &self.story.name()).finish_non_exhaustive()
    }
}
