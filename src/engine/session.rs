//! A story being played: the replan loop of DESIGN §4.6 around everything below.

use std::{collections::BTreeSet, fmt, num::NonZeroUsize, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    Draft, ErrorKind, Reviewer, Scripts, Stock, Turn, TurnError, Update,
    attempt::Generated,
    early::Begun,
    replan::{Attempts, Version},
    review::{NO_PLANNER, Review, Reviewed, SENT_BACK_TOO_OFTEN},
    teller::SharedTeller,
    turn::PROMPT_BYTES_MAX,
};
use crate::{
    executor::{self, Approvals, Desk, Kept, Questions, Trace},
    narrator::{Beat, Planner},
    plan::{BuildOptions, Plan, PlanJson},
    skills::{Catalog, HealthBook, Problem},
    story::{Story, TurnOutcome},
};

/// Beats of the story that a planner gets to see.
const BEATS_MAX: usize = 8;

/// How often a player may send a draft back in one turn. Generations that are sent back do not count as
/// attempts, so they need a bound of their own.
pub const SENT_BACK_MAX: u32 = 32;

/// Who made a plan that came with the request. No planner can be asked for another.
pub(super) const FILE: &str = "file";

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
    /// What becomes of steps that need approval.
    pub approvals: Approvals,
    /// What becomes of scripts that ask the player something.
    pub questions: Questions,
    /// Whether the same story, seed and sentences are to be told the same to the byte: the news of steps that
    /// run at the same time come in plan order, and every time that is told is 0. The story keeps the real ones.
    pub repeatable: bool,
}

/// A turn to be played.
pub struct Request<'a> {
    /// What the player typed.
    pub prompt: &'a str,
    /// A plan that somebody else made, in place of the planner's. It is tried once: if it fails, the turn
    /// ends in fallback narration.
    pub plan: Option<PlanJson>,
    /// Who looks at each plan before it runs.
    pub reviewer: Option<&'a mut dyn Reviewer>,
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
    /// What waits for the player while a plan runs.
    pub(super) desk: Desk,
    /// The voice that front ends have been told of.
    pub(super) narrator: String,
    /// Where other skills come from, if any do.
    pub(super) stock: Option<Stock>,
    /// What became of skills and has not been told.
    pub(super) skill_news: Vec<Update>,
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
    pub(super) started_at: Timestamp,
    pub(super) cancel: &'a CancellationToken,
    /// What of the turn's text has been told.
    pub(super) teller: SharedTeller,
}

/// Where the plans of a turn come from, and who looks at them.
pub(super) struct Source<'a> {
    /// The first one, when it is there already.
    pub(super) first: Option<Start>,
    /// Whether planners are asked for others.
    pub(super) replans: bool,
    pub(super) reviewer: Option<&'a mut dyn Reviewer>,
}

/// A plan that is there already.
pub(super) struct Start {
    pub(super) draft: Draft,
    /// What of it is done.
    pub(super) kept: Option<Kept>,
    /// Of that, what was done while it was being written.
    pub(super) begun: Option<Begun>,
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
    /// The defaults of S1 §7: 60 s a plan, 5 s a generation, 5 attempts, 5 s grace. Told as it happens.
    pub fn new(slots: NonZeroUsize) -> Options {
        Options {
            slots,
            plan_timeout: executor::PLAN_TIMEOUT,
            generation_timeout: Duration::from_secs(5),
            attempts_max: 5,
            shutdown_grace: executor::SHUTDOWN_GRACE,
            approvals: Approvals::Ask,
            questions: Questions::Ask,
            repeatable: false,
        }
    }

    pub(super) fn executor(&self, seed: u64) -> executor::Options {
        executor::Options {
            plan_timeout: self.plan_timeout,
            shutdown_grace: self.shutdown_grace,
            approvals: self.approvals,
            questions: self.questions,
            ..executor::Options::new(self.slots, seed)
        }
    }
}

impl Session {
    /// Takes everything over; does nothing yet.
    pub fn open(setup: Setup) -> Session {
        let Setup { catalog, problems, scripts, planner, story, world, options } = setup;
        let (scripts, health, desk) = (Arc::new(scripts), HealthBook::default(), Desk::new());
        let narrator = planner.name().to_owned();
        Session {
            catalog,
            problems,
            scripts,
            planner,
            story,
            world,
            options,
            health,
            desk,
            narrator,
            stock: None,
            skill_news: Vec::new(),
        }
    }

    /// The story as it stands.
    pub fn story(&self) -> &Story {
        &self.story
    }

    /// The usable skills.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Where approvals and answers are given while a turn is played; a clone may go to any thread.
    pub fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// The first update of a session.
    pub fn started(&self) -> Update {
        Update::SessionStarted {
            story: self.story.name().to_string(),
            turns: self.story.turns(),
            skills: self.catalog.iter().map(|skill| skill.name.clone()).collect(),
            problems: self.problems.iter().map(ToString::to_string).collect(),
            narrator: self.narrator.clone(),
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
        let request = Request { prompt, plan: None, reviewer: None };
        self.play(request, cancel, updates).await.map(|(turn, _)| turn)
    }

    /// Plays one turn to its end, as [`Session::turn`] does. Also gives the execution result of the last
    /// plan that ran, if one did.
    ///
    /// A plan of the request runs under a fresh id, because a file may be run twice and an id names one
    /// execution; its own id becomes the parent.
    pub async fn play(
        &mut self,
        request: Request<'_>,
        cancel: &CancellationToken,
        updates: UpdateSink<'_>,
    ) -> Result<(Turn, Option<Value>), TurnError> {
        let prompt = check_prompt(request.prompt)?;
        self.check_finished()?;
        let mut attempts = Attempts::new(self.health.permanent_failures());
        let given = request.plan.map(|mut json| {
            json.metadata.parent_plan_id = Some(json.request_id);
            json.request_id = (self.world.ids)().to_string();
            let disabled = attempts.disabled().clone();
            build(json.clone(), &self.catalog, disabled).map(|plan| (json, plan))
        });
        let given = given.transpose()?;
        let frame = self.frame(prompt, cancel);
        let clock = Instant::now();
        self.tell_skills(updates);
        self.tell_narrator(updates);
        updates(Update::TurnStarted { turn: frame.turn, prompt: prompt.to_owned() });
        let replans = given.is_none();
        let first = given.map(|(json, plan)| {
            self.write_down(&frame, &mut attempts, FILE, &json, updates);
            let (by, version, kept) = (FILE.to_owned(), attempts.versions(), BTreeSet::new());
            Start { draft: Draft { json, plan, by, version, kept }, kept: None, begun: None }
        });
        let source = Source { first, replans, reviewer: request.reviewer };
        let (ended, result) = self.attempt_until_told(&frame, source, &mut attempts, updates).await;
        let turn = self.close(&frame, ended, attempts, clock.elapsed(), updates)?;
        Ok((turn, result))
    }

    pub(super) fn frame<'a>(&self, prompt: &'a str, cancel: &'a CancellationToken) -> Frame<'a> {
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
        let (seed, started_at) = (turn_seed(self.story.seed(), turn), (self.world.clock)());
        let teller = SharedTeller::default();
        Frame { turn, prompt, seed, beats, started_at, cancel, teller }
    }

    /// GENERATING → EXECUTING → SUCCESS, or REPLANNING while attempts are left (S1 §5). Results of steps
    /// that the next plan has unchanged are kept (S2, strategy 3). Also gives the last execution result.
    pub(super) async fn attempt_until_told(
        &mut self,
        frame: &Frame<'_>,
        mut source: Source<'_>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> (Ended, Option<Value>) {
        let (mut last_ran, mut last_result) = (None, None);
        let mut sent_back = 0;
        loop {
            let looks_first = source.reviewer.is_some();
            let Start { draft, kept, begun } = match source.first.take() {
                Some(start) => start,
                None if attempts.made() >= self.options.attempts_max => break,
                None if !source.replans => break,
                None => match self.generate(frame, attempts, looks_first, updates).await {
                    Generated::Draft(start) => *start,
                    Generated::Rejected => continue,
                    Generated::Hopeless => break,
                    Generated::Cancelled => return (Ended::Cancelled, last_result),
                },
            };
            let draft = match &mut source.reviewer {
                // What is half done goes on as it was.
                _ if kept.is_some() => draft,
                None => draft,
                Some(reviewer) => {
                    let can_regenerate = match source.replans {
                        false => Err(NO_PLANNER),
                        true if sent_back == SENT_BACK_MAX => Err(SENT_BACK_TOO_OFTEN),
                        true => Ok(()),
                    };
                    let reviewed = self.review(
                        frame,
                        draft,
                        &mut **reviewer,
                        can_regenerate,
                        attempts,
                        updates,
                    );
                    match reviewed.await {
                        Reviewed::Start(draft) => *draft,
                        Reviewed::Cancelled => return (Ended::Cancelled, last_result),
                        Reviewed::Regenerate(remark) => {
                            sent_back += 1;
                            attempts.sent_back(remark);
                            continue;
                        }
                    }
                }
            };
            let kept = kept.unwrap_or_else(|| attempts.results().kept(&draft.kept, &draft.plan));
            let (ran, result) = self.run_plan(frame, draft, kept, begun, attempts, updates).await;
            last_result = Some(result);
            match Ended::of(ran) {
                Ended::GivenUp(ran) => last_ran = ran,
                ended => return (ended, last_result),
            }
        }
        (Ended::GivenUp(last_ran), last_result)
    }

    /// Skills that have failed for good in this session (S1 §3.1).
    pub(super) fn lost(&self) -> BTreeSet<String> {
        self.health.permanent_failures().map(str::to_owned).collect()
    }

    async fn review(
        &self,
        frame: &Frame<'_>,
        draft: Draft,
        reviewer: &mut dyn Reviewer,
        can_regenerate: Result<(), &'static str>,
        attempts: &mut Attempts,
        updates: UpdateSink<'_>,
    ) -> Reviewed {
        let mut review = Review {
            turn: frame.turn,
            catalog: &self.catalog,
            disabled: attempts.disabled(),
            results: attempts.results(),
            lost: &self.lost(),
            can_regenerate,
            world: &self.world,
            cancel: frame.cancel,
            reviewer,
        };
        let (reviewed, versions) = review.until_decided(draft, updates).await;
        for (draft, changes) in versions {
            let at = (self.world.clock)();
            attempts.edited(Version::of(&draft.json, &draft.by, frame.prompt, at), &changes);
        }
        reviewed
    }
}

/// Checks a plan for somebody who is not a planner: the errors are the person's to mend.
pub(super) fn build(
    json: PlanJson,
    catalog: &Catalog,
    disabled_skills: BTreeSet<String>,
) -> Result<Plan, TurnError> {
    let options = BuildOptions { disabled_skills, ..BuildOptions::default() };
    Plan::build(json, catalog, &options).map_err(|errors| {
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
